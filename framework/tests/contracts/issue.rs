//! The contract of when operations of an epoch go out.

use std::ptr::null_mut;

use cairn_framework::abi::scope::{SCOPE_WINDOW, Scope};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::issue::{
    Decision, ISSUE_BEGIN, ISSUE_FENCE, ISSUE_GO, ISSUE_GO_BUT_LAST, ISSUE_HOLD, ISSUE_LOCK,
    ISSUE_PSCW, Issue, IssueHistory, IssueOperation, IssueOps,
};

use super::support::{Life, Subject, Witness, at, p, play, said, writes};

struct Double(Life);

life!(Double, Double);

impl Issue for Double {
    type Window = Witness;

    fn window_open(&self, window: &Scope) -> Result<Witness, Failure> {
        play("window_open", (self.0.me(), p(window)))?;
        Ok(Witness::new("window_close", window.id))
    }
    plays! { []
        fn epoch_open(&self, window: &Witness, epoch: u32) -> Decision => match epoch {
            ISSUE_FENCE => Decision::Hold,
            ISSUE_PSCW => Decision::Begin,
            _ => Decision::GoButLast,
        };
        fn operation(&self, window: &Witness, operation: &IssueOperation) -> Decision
            => if operation.waiting > 3 { Decision::Go } else { Decision::Hold };
        fn epoch_close(&self, window: &Witness, history: &IssueHistory) => ();
        fn describe(&self, window: &Witness) -> String => "all wait".into();
    }
}

components!(issue, Double: epoch_close, describe);

fn window(id: u32) -> Scope {
    Scope::new(SCOPE_WINDOW, id, 4, c"test window")
}

fn operation(waiting: u64) -> IssueOperation {
    IssueOperation {
        struct_size: size_of::<IssueOperation>() as u32,
        epoch: ISSUE_LOCK,
        waiting,
        bytes: 8 * waiting,
    }
}

#[test]
fn every_function_reaches_the_component() {
    let (one, two) = (window(4), window(5));
    let issue = Subject::<IssueOps>::double(&window(4));
    let (ops, me) = (issue.ops, issue.instance);

    let (mut state, mut other) = (null_mut(), null_mut());
    check!(issue, panics window_open(me, &one, &mut state) => (me, p(&one)));
    check!(issue, fails window_open(me, &one, &mut state) => (me, p(&one)));
    assert!(state.is_null());
    check!(issue, report window_open(me, &one, &mut state) => (me, p(&one)));
    check!(issue, report window_open(me, &two, &mut other) => (me, p(&two)));

    for (epoch, expected) in
        [(ISSUE_FENCE, ISSUE_HOLD), (ISSUE_PSCW, ISSUE_BEGIN), (ISSUE_LOCK, ISSUE_GO_BUT_LAST)]
    {
        let decision = check!(issue, plain epoch_open(me, state, epoch) => (me, state, epoch));
        assert_eq!(decision, expected);
    }
    for (operation, expected) in [(operation(3), ISSUE_HOLD), (operation(4), ISSUE_GO)] {
        let decision = check!(issue, plain operation(me, other, &operation)
            => (me, other, p(&operation)));
        assert_eq!(decision, expected);
    }
    let history = IssueHistory::default();
    check!(issue, plain epoch_close(me, state, &history) => (me, state, p(&history)));
    writes("all wait", &[said("describe", (me, other))], |text, capacity| {
        c!(ops, describe(me, other, text, capacity))
    });

    check!(issue, plain window_close(me, other) => 5);
    check!(issue, plain window_close(me, state) => 4);
    issue.close_complete();
}

#[test]
fn absent_functions() {
    let issue = Subject::<IssueOps>::bare(&window(4));
    let (ops, me) = (issue.ops, issue.instance);
    issue.defaults([
        // That this does nothing shows in the notes.
        ("epoch_close", &|| c!(ops, epoch_close(me, at(0x10), &IssueHistory::default()))),
        ("describe", &|| {
            writes("", &[], |text, capacity| c!(ops, describe(me, at(0x10), text, capacity)));
        }),
    ]);
    issue.close();
}

/// Answers of components in C are numbers, and a later decision may ask for more: the order counts.
#[test]
fn a_decision_is_its_number_and_an_unknown_one_sends_everything() {
    let all = [
        (ISSUE_HOLD, Decision::Hold),
        (ISSUE_BEGIN, Decision::Begin),
        (ISSUE_GO_BUT_LAST, Decision::GoButLast),
        (ISSUE_GO, Decision::Go),
    ];
    for (number, decision) in all {
        assert_eq!(Decision::of(number), decision);
        assert_eq!(decision as u32, number);
    }
    assert!(all.is_sorted_by(|less, more| less.1 < more.1));
    for unknown in [4, 4711, u32::MAX] {
        assert_eq!(Decision::of(unknown), Decision::Go);
    }
}
