//! The rules of `cri`: see [`cairn_framework::frameworks::cri`].

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, SCOPE_WINDOW, Scope};
use cairn_framework::abi::status::OK;
use cairn_framework::abi::thread::Thread;
use cairn_framework::frameworks::cri::{
    CRI_NO_PEER, CRI_PROGRESS, CRI_RMA, CRI_SEND, CriAsker, CriOps,
};
use cairn_framework::host::{Slot, take_reason};

use crate::{Checks, describes};

/// Pool sizes: one, powers of two, and others.
const COUNTS: [u32; 5] = [1, 2, 3, 8, 13];
/// Operations of one thread.
const OPERATIONS: u32 = 5_000;

/// A strategy under test.
#[derive(Clone, Copy)]
struct Strategy {
    ops: &'static CriOps,
    instance: *mut Instance,
}

// SAFETY: the table is complete, and the contract lets any thread call it.
unsafe impl Send for Strategy {}
// SAFETY: see `Send`.
unsafe impl Sync for Strategy {}

/// A pool with its instances, attached to a strategy as long as it lives.
struct Attached {
    strategy: Strategy,
    pool: Box<CriPool>,
    _instances: Vec<Cri>,
}

// The host fills optional functions in, so none of the tables' functions is null.
macro_rules! call {
    ($ops:expr, $function:ident ( $($arg:expr),* )) => {
        // SAFETY: the function is there, and the arguments are valid during the call.
        unsafe { ($ops.$function.expect("the host completes tables"))($($arg),*) }
    };
}

impl Attached {
    fn new(strategy: Strategy, count: u32, id: u32) -> Result<Self, String> {
        let instances: Vec<Cri> = (0..count).map(Cri::new).collect();
        let mut pool = Box::new(CriPool {
            strategy: strategy.ops,
            id,
            ..CriPool::of(c"conformance", &instances)
        });
        match call!(strategy.ops, attach(strategy.instance, &mut pool)) {
            OK => Ok(Self { strategy, pool, _instances: instances }),
            status => {
                Err(format!("attach of a pool of {count}: {}", take_reason("attach", status)))
            }
        }
    }

    fn assign(&self, thread: &Thread, scope: &Scope, operation: u32) -> Result<u32, String> {
        let asker = CriAsker {
            thread,
            scope,
            peer: if operation == CRI_PROGRESS { CRI_NO_PEER } else { thread.index % 5 },
            operation,
        };
        let index = call!(self.strategy.ops, assign(&self.pool, &asker));
        let count = self.pool.count;
        if index < count {
            Ok(index)
        } else {
            Err(format!("assign returned {index} for a pool of {count}"))
        }
    }

    fn exit(&self, thread: &Thread) {
        call!(self.strategy.ops, thread_exit(&self.pool, thread));
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        call!(self.strategy.ops, detach(self.strategy.instance, &mut self.pool));
    }
}

fn thread(index: u32, serial: u64) -> Thread {
    Thread { struct_size: size_of::<Thread>() as u32, index, serial }
}

fn comm(id: u32) -> Scope {
    let kind = if id.is_multiple_of(2) { SCOPE_COMMUNICATOR } else { SCOPE_WINDOW };
    Scope::new(kind, id, 4, c"conformance")
}

pub fn run(checks: &mut Checks<'_>, slot: &'static Slot) {
    let strategy =
        Strategy { ops: slot.table::<CriOps>().expect("a cri"), instance: slot.instance() };
    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");

    checks.check("an answer is the index of a CRI, for every thread", || {
        for count in COUNTS {
            let pool = Attached::new(strategy, count, 0)?;
            for index in [0, 1, 2, 63, 64, 65, 1000, 65_535] {
                for operation in [CRI_SEND, CRI_RMA, CRI_PROGRESS] {
                    pool.assign(&thread(index, u64::from(index) + 1), &process, operation)?;
                }
            }
        }
        Ok(())
    });

    checks.check("many threads may ask at once, and come and go", || {
        for count in COUNTS {
            let pool = Attached::new(strategy, count, 0)?;
            let serial = AtomicU64::new(1);
            let wrong = std::sync::Mutex::new(None);
            std::thread::scope(|scope| {
                for index in 0..8 {
                    let (pool, wrong, serial, process) = (&pool, &wrong, &serial, &process);
                    scope.spawn(move || {
                        for _ in 0..4 {
                            let own = thread(index, serial.fetch_add(1, Ordering::Relaxed));
                            for operation in 0..OPERATIONS {
                                if let Err(reason) = pool.assign(&own, process, operation % 3) {
                                    *wrong.lock().expect("not poisoned") = Some(reason);
                                }
                            }
                            pool.exit(&own);
                        }
                    });
                }
            });
            if let Some(reason) = wrong.into_inner().expect("not poisoned") {
                return Err(reason);
            }
        }
        Ok(())
    });

    checks.check("communicators and windows open and close while others are used", || {
        let (first, second) = (Attached::new(strategy, 4, 0)?, Attached::new(strategy, 3, 1)?);
        let stop = AtomicBool::new(false);
        let asked = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let own = thread(9, 9);
                while !stop.load(Ordering::Relaxed) || asked.load(Ordering::Relaxed) == 0 {
                    let _ = first.assign(&own, &process, CRI_SEND);
                    asked.store(1, Ordering::Relaxed);
                }
            });
            let look = || {
                for round in 0..20 {
                    let mut scopes: Vec<Scope> = (0..10).map(|id| comm(10 * round + id)).collect();
                    for (i, scope) in scopes.iter_mut().enumerate() {
                        for pool in [&first, &second] {
                            let status = call!(strategy.ops, scope_open(&pool.pool, scope));
                            if status != OK {
                                let reason = take_reason("scope_open", status);
                                return Err(format!("scope_open of number {i}: {reason}"));
                            }
                        }
                    }
                    for scope in &scopes {
                        first.assign(&thread(3, 3), scope, CRI_SEND)?;
                        second.assign(&thread(4, 4), scope, CRI_RMA)?;
                    }
                    for scope in &mut scopes {
                        for pool in [&first, &second] {
                            call!(strategy.ops, scope_close(&pool.pool, scope));
                        }
                        if scope.slots.iter().any(|slot| !slot.is_null()) {
                            return Err("a closed scope still has something in its slot".into());
                        }
                    }
                }
                Ok(())
            };
            let result = look();
            stop.store(true, Ordering::Relaxed);
            result
        })
    });

    checks.check("a thread that ends without having asked, or ends twice, does no harm", || {
        let pool = Attached::new(strategy, 2, 0)?;
        let own = thread(5, 5);
        pool.exit(&own);
        pool.assign(&own, &process, CRI_SEND)?;
        pool.exit(&own);
        pool.exit(&own);
        pool.assign(&own, &process, CRI_SEND).map(|_| ())
    });

    checks.check("its description is text and keeps to the buffer", || {
        let pool = Attached::new(strategy, 3, 0)?;
        pool.assign(&thread(0, 1), &process, CRI_SEND)?;
        describes(|buffer| {
            let text = buffer.as_mut_ptr().cast();
            call!(strategy.ops, describe(&pool.pool, text, buffer.len()))
        })
    });

    checks.check("a pool that is detached leaves no counter", || {
        let before = slot.counter_cells();
        for round in 0..3 {
            let pool = Attached::new(strategy, 4, round)?;
            pool.assign(&thread(round, 1), &process, CRI_SEND)?;
        }
        match slot.counter_cells().saturating_sub(before) {
            0 => Ok(()),
            left => Err(format!("three pools left {left} cells; detach takes them out")),
        }
    });

    checks.check("pools are attached and detached independently", || {
        let first = Attached::new(strategy, 2, 0)?;
        let second = Attached::new(strategy, 5, 1)?;
        drop(first);
        second.assign(&thread(0, 1), &process, CRI_SEND)?;
        let third = Attached::new(strategy, 1, 2)?;
        third.assign(&thread(0, 1), &process, CRI_SEND).map(|_| ())
    });
}
