//! The contract of strategies for one-sided operations.

use std::ptr::null_mut;

use cairn_framework::abi::status::OK;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::issue::{
    Decision, ISSUE_KEEP, ISSUE_LOCK, ISSUE_SEND_ALL, ISSUE_SEND_KEPT, Issue, IssueEpoch,
    IssueHistory, IssueOperation, IssueOps,
};
use cairn_framework::frameworks::osc::Window;

use super::support::{Life, Subject, Witness, at, called, calls, note, p, play, said, window};

struct Double(Life);

life!(Double, Double);

impl Issue for Double {
    type Window = Witness;

    fn window_open(&self, view: &Window) -> Result<Witness, Failure> {
        play("window_open", (self.0.me(), p(view)))?;
        Ok(Witness::new("window_close", view.scope.id))
    }
    fn decide(window: &Witness, epoch: &IssueEpoch, operation: &IssueOperation) -> Decision {
        note("decide", (window.number, p(epoch), p(operation)));
        match operation.kept {
            0 => Decision::Keep,
            1 => Decision::SendKept,
            _ => Decision::SendAll,
        }
    }
    fn epoch_close(window: &Witness, epoch: &IssueEpoch, history: &IssueHistory) {
        note("epoch_close", (window.number, p(epoch), p(history)));
    }
}

cairn_framework::component! {
    framework: issue,
    component: Double,
    name: "double",
    description: "implements everything",
}
bare!(issue, Double: epoch_close);

const EPOCH: IssueEpoch = IssueEpoch { kind: ISSUE_LOCK, target: 3 };

#[test]
fn every_function_reaches_the_strategy() {
    let (left, right) = (window(4), window(5));
    let issue = Subject::<IssueOps>::double(&left.scope);
    let (ops, me) = (issue.ops, issue.instance);

    let (mut first, mut second) = (null_mut(), null_mut());
    let expected = said("window_open", (me, p(&left)));
    issue.fails(&expected, || c!(ops, window_open(me, &left, &mut first)));
    issue.panics(&expected, || c!(ops, window_open(me, &left, &mut first)));
    assert!(first.is_null());
    assert_eq!(c!(ops, window_open(me, &left, &mut first)), OK);
    assert_eq!(calls(), [expected]);
    assert_eq!(c!(ops, window_open(me, &right, &mut second)), OK);
    called("window_open", (me, p(&right)));

    let epoch = EPOCH;
    for (kept, answer) in [(0, ISSUE_KEEP), (1, ISSUE_SEND_KEPT), (2, ISSUE_SEND_ALL)] {
        let operation = IssueOperation { bytes: 8, kept, before: 9, granted: 1, target: 3 };
        for (object, number) in [(first, 4), (second, 5)] {
            assert_eq!(c!(ops, decide(object, &epoch, &operation)), answer);
            called("decide", (number, p(&epoch), p(&operation)));
        }
    }
    let history = IssueHistory { operations: 1, bytes: 2, open_ns: 3, close_ns: 4 };
    c!(ops, epoch_close(second, &epoch, &history));
    called("epoch_close", (5, p(&epoch), p(&history)));

    for (object, number) in [(first, 4), (second, 5)] {
        c!(ops, window_close(object));
        called("window_close", number);
    }
    issue.close_complete();
}

#[test]
fn absent_functions() {
    let window = window(4);
    let issue = Subject::<IssueOps>::bare(&window.scope);
    // That it does nothing shows in the notes, and in that it does not follow the pointer.
    issue.defaults([("epoch_close", &|| {
        c!(issue.ops, epoch_close(at(0x10), &EPOCH, &IssueHistory::default()));
    })]);
    issue.close();
}
