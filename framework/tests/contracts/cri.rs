//! The contract of strategies for instances.

use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::OK;
use cairn_framework::abi::thread::Thread;
use cairn_framework::author::Failure;
use cairn_framework::frameworks::cri::{
    Asker, CRI_ANYWHERE, CRI_NO_PEER, CRI_PROGRESS, CRI_RMA, CRI_SEND, Cri, CriAsker, CriOps,
};

use super::support::{
    Life, Subject, Witness, called, comm, cri, note, p, play, pool, process, said, thread, writes,
};

struct Double(Life);

life!(Double, Double);

impl Cri for Double {
    type Pool = Witness;

    fn attach(&self, pool: &CriPool) -> Result<Witness, Failure> {
        play("attach", (self.0.me(), p(pool)))?;
        Ok(Witness::new("detach", pool.id))
    }
    fn assign(state: &Witness, pool: &CriPool, asker: &Asker<'_>) -> u32 {
        let Asker { thread, scope, peer, operation } = *asker;
        note("assign", (state.number, p(pool), p(thread), p(scope), peer, operation));
        peer.unwrap_or(1)
    }
    fn scope_open(state: &Witness, pool: &CriPool, scope: &mut Scope) -> Result<(), Failure> {
        play("scope_open", (state.number, p(pool), p(scope))).map(drop)
    }
    fn scope_close(state: &Witness, pool: &CriPool, scope: &mut Scope) {
        note("scope_close", (state.number, p(pool), p(scope)));
    }
    fn thread_exit(state: &Witness, pool: &CriPool, thread: &Thread) {
        note("thread_exit", (state.number, p(pool), p(thread)));
    }
    fn arrival(state: &Witness, pool: &CriPool, scope: &Scope, peer: Option<u32>) -> Option<u32> {
        note("arrival", (state.number, p(pool), p(scope), peer));
        peer
    }
    fn describe(state: &Witness, pool: &CriPool) -> String {
        note("describe", (state.number, p(pool)));
        "all → one".into()
    }
}

components!(cri, Double: scope_open, scope_close, thread_exit, describe, arrival);

#[test]
fn every_function_reaches_the_strategy() {
    let scope = process();
    let subject = Subject::<CriOps>::double(&scope);
    let (ops, me) = (subject.ops, subject.instance);
    let (cris, few) = ([cri(0), cri(1), cri(2)], [cri(0), cri(1)]);
    let (mut first, mut second) = (pool(20, &cris), pool(21, &few));

    check!(subject, report attach(me, &mut first) => (me, p(&first)));
    check!(subject, report attach(me, &mut second) => (me, p(&second)));

    let (thread, mut comm) = (thread(4), comm(7).scope);
    // Instances of pools of three and of two; what is not below the count is taken modulo it.
    for (operation, peer, known, of_three, of_two) in [
        (CRI_SEND, 2, Some(2), 2, 0),
        (CRI_RMA, 3, Some(3), 0, 1),
        (CRI_PROGRESS, CRI_NO_PEER, None, 1, 1),
    ] {
        let asker = CriAsker { thread: &raw const thread, scope: p(&comm), peer, operation };
        for (pool, id, index) in [(&first, 20, of_three), (&second, 21, of_two)] {
            let assigned = check!(subject, plain assign(pool, &asker)
                => (id, p(pool), p(&thread), p(&comm), known, operation));
            assert_eq!(assigned, index);
        }
    }

    for (peer, known, arrival) in
        [(1, Some(1), 1), (4, Some(4), 1), (CRI_NO_PEER, None, CRI_ANYWHERE)]
    {
        let found = check!(subject, plain arrival(&first, &comm, peer)
            => (20, p(&first), p(&comm), known));
        assert_eq!(found, arrival);
    }

    check!(subject, report scope_open(&first, &mut comm) => (20, p(&first), p(&comm)));
    check!(subject, plain scope_close(&first, &mut comm) => (20, p(&first), p(&comm)));
    check!(subject, plain thread_exit(&second, &thread) => (21, p(&second), p(&thread)));
    writes("all → one", &[said("describe", (21, p(&second)))], |text, capacity| {
        c!(ops, describe(&second, text, capacity))
    });

    for (pool, id) in [(&mut first, 20), (&mut second, 21)] {
        check!(subject, plain detach(me, pool) => id);
        assert!(pool.strategy_state.is_null());
    }
    subject.close_complete();
}

#[test]
fn absent_functions() {
    let scope = process();
    let subject = Subject::<CriOps>::bare(&scope);
    let (ops, me) = (subject.ops, subject.instance);
    let (cris, thread) = ([cri(0)], thread(4));
    let mut pool = pool(20, &cris);
    assert_eq!(c!(ops, attach(me, &mut pool)), OK);
    called("attach", (me, p(&pool)));
    subject.defaults([
        ("scope_open", &|| assert_eq!(c!(ops, scope_open(&pool, &mut comm(7).scope)), OK)),
        // That these two do nothing shows in the notes.
        ("scope_close", &|| c!(ops, scope_close(&pool, &mut comm(7).scope))),
        ("thread_exit", &|| c!(ops, thread_exit(&pool, &thread))),
        ("describe", &|| {
            writes("", &[], |text, capacity| c!(ops, describe(&pool, text, capacity)));
        }),
        ("arrival", &|| assert_eq!(c!(ops, arrival(&pool, &comm(7).scope, 0)), CRI_ANYWHERE)),
    ]);
    c!(ops, detach(me, &mut pool));
    called("detach", 20);
    subject.close();
}
