//! The life that the `component!` macro gives a component, the same in every framework, and what a
//! panic does where it can't be reported.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::ptr::null_mut;

use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::status::{ERR_RESOURCES, ERR_UNSUPPORTED};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::coll::{CollArgs, CollOps};
use cairn_framework::frameworks::pmi::PmiOps;
use cairn_framework::frameworks::wait::WaitOps;
use cairn_framework::host::select::Verdict;
use cairn_framework::host::{Slot, Stage};

use super::support::{
    Blank, Next, PRIORITY, Subject, called, calls, comm, order, p, process, said, system, thread,
};
use super::wait::means;

/// A component that was not opened.
fn idle() -> &'static Slot {
    let components = system("wait", "double").components();
    components.into_iter().find(|slot| slot.name() == "wait_double").unwrap()
}

#[test]
fn a_component_introduces_itself() {
    let loaded = &idle().loaded;
    assert_eq!(loaded.description, "implements everything");
    let version = loaded.version.map(|number| number.to_string()).join(".");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(loaded.aliases.is_empty());
}

#[test]
fn a_failure_or_a_panic_in_open_ends_the_component() {
    let failure = Failure::new(ERR_RESOURCES, "no more of it");
    for (next, reason) in [
        (Next::Fail(failure), "open: no more of it"),
        (Next::Panic("on fire"), "open: panicked: on fire"),
    ] {
        let (slot, scope) = (idle(), process());
        order(next);
        assert_eq!(slot.probe(&scope), Err(Verdict::Failed(reason.into())));
        called("open", slot.instance());
        assert_eq!(slot.stage(), Stage::Failed(reason.into()));
        // It is not tried again, and there is nothing to close.
        assert_eq!(slot.probe(&scope), Err(Verdict::Failed(reason.into())));
        slot.close();
        assert_eq!(calls(), [""; 0]);
    }
}

#[test]
fn a_component_declines_and_opens_again() {
    let (slot, scope) = (idle(), process());
    for _ in 0..2 {
        assert_eq!(slot.probe(&scope), Ok(PRIORITY));
        assert_eq!(calls(), [said("open", slot.instance()), said("query", p(&scope))]);
        for (next, verdict) in [
            (Next::Fail("not today".into()), Verdict::Declined("not today".into())),
            (Next::Panic("on fire"), Verdict::Failed("query: panicked: on fire".into())),
        ] {
            order(next);
            assert_eq!(slot.probe(&scope), Err(verdict));
            called("query", p(&scope));
        }
        slot.close();
        called("close", 0);
        slot.close();
        assert_eq!(calls(), [""; 0]);
    }
}

/// What a component has not got says so, and not what went wrong before.
#[test]
fn an_absent_function_gives_its_reason() {
    let scope = process();
    let coll = Subject::<CollOps>::bare(&scope);
    let comm = comm(1);
    let args = CollArgs::blank();
    let (module, mut request) = (null_mut(), null_mut());
    let status = c!(coll.ops, start(coll.instance, &comm, module, &args, &mut request));
    assert_eq!(status, ERR_UNSUPPORTED);
    assert_eq!(coll.reason(), "this component does not offer operations with a request");
    coll.close();

    let pmi = Subject::<PmiOps>::bare(&scope);
    let name = c"name".as_ptr();
    assert_eq!(c!(pmi.ops, publish(pmi.instance, name, name)), ERR_UNSUPPORTED);
    assert_eq!(pmi.reason(), "this component does not offer name publishing");
    pmi.close();
}

/// Set for the process that is to end.
const VICTIM: &str = "CAIRN_TEST_VICTIM";

/// A function without a way to report ends the process, with a message that says where it was.
#[test]
fn a_panic_that_cannot_be_reported_ends_the_process() {
    if std::env::var_os(VICTIM).is_some() {
        let scope = process();
        let wait = Subject::<WaitOps>::double(&scope);
        let (sync, thread) = (WaitSync::default(), thread(4));
        let means = means(&raw const thread);
        order(Next::Panic("on fire"));
        c!(wait.ops, wait(wait.instance, &sync, &means));
        unreachable!("the panic was survived");
    }
    let name = "contracts::life::a_panic_that_cannot_be_reported_ends_the_process";
    let ended = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(VICTIM, "1")
        .current_dir(std::env::temp_dir()) // a core file, if the system makes one, is not ours
        .output()
        .unwrap();
    let message = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.signal(), Some(libc::SIGABRT), "{message}");
    assert!(message.contains("contracts::wait::Double::wait panicked"), "{message}");
    assert!(!message.contains("survived"), "{message}");
}
