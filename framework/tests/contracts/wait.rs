//! The contract of ways to wait.

use std::ptr::null;

use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::status::{
    DONE, ERR_OTHER, ERR_UNSUPPORTED, NO_RESOURCES, OK, OutcomeCode, QUEUED,
};
use cairn_framework::abi::thread::Thread;
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::wait::{Wait, WaitMeans, WaitOps};

use super::support::{Life, Next, Subject, called, calls, note, order, p, process, thread};

struct Double(Life);

life!(Double, Double);

impl Wait for Double {
    plays! { []
        fn wait(&self, sync: &WaitSync, means: &WaitMeans) -> Result<(), Failure> = drop;
    }
}

components!(wait, Double:);

unsafe extern "C" fn poll(means: &WaitMeans, sync: &WaitSync) -> u32 {
    note("poll", (p(means), p(sync)));
    6
}

/// Answers with the code that it gets for a time.
unsafe extern "C" fn sleep(means: &WaitMeans, sync: &WaitSync, microseconds: u32) -> OutcomeCode {
    note("sleep", (p(means), p(sync)));
    microseconds.cast_signed()
}

#[test]
fn every_function_reaches_the_component() {
    let scope = process();
    let wait = Subject::<WaitOps>::double(&scope);
    let (ops, me) = (wait.ops, wait.instance);
    let (sync, thread) = (WaitSync::default(), thread(4));
    let means = means(&raw const thread);

    check!(wait, status wait(me, &sync, &means) => (me, p(&sync), p(&means)));

    // A failure whose status means success, or an outcome, is a failure all the same.
    for status in [OK, QUEUED] {
        order(Next::Fail(Failure::new(status, "a contradiction")));
        assert_eq!(c!(ops, wait(me, &sync, &means)), ERR_OTHER);
        assert_eq!(wait.reason(), "a contradiction");
        called("wait", (me, p(&sync), p(&means)));
    }
    wait.close_complete();
}

/// Means whose functions note their calls.
pub fn means(thread: *const Thread) -> WaitMeans {
    WaitMeans {
        struct_size: size_of::<WaitMeans>() as u32,
        threads: 0,
        thread,
        poll,
        sleep,
        host_private: null(),
    }
}

#[test]
fn the_means_are_used_through_their_functions() {
    calls();
    let (sync, thread) = (WaitSync::default(), thread(4));
    let means = means(&raw const thread);
    assert_eq!(means.poll(&sync), 6);
    called("poll", (p(&means), p(&sync)));
    for (code, answer) in [
        (DONE, Ok(Outcome::Done)),
        (NO_RESOURCES, Ok(Outcome::NoResources)),
        (ERR_UNSUPPORTED, Err(ERR_UNSUPPORTED)),
        // No outcome has this code.
        (4711, Err(ERR_OTHER)),
    ] {
        assert_eq!(means.sleep(&sync, code.cast_unsigned()), answer);
        called("sleep", (p(&means), p(&sync)));
    }
}
