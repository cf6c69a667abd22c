//! The rules of `issue`: see [`cairn_framework::frameworks::issue`].

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::scope::{SCOPE_WINDOW, Scope};
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::issue::{
    ISSUE_EPOCHS, ISSUE_FENCE, ISSUE_GO, ISSUE_LOCK, ISSUE_PSCW, IssueHistory, IssueOperation,
    IssueOps,
};
use cairn_framework::host::{Slot, take_reason};

use crate::{Checks, describes};

/// The kinds of epochs.
const KINDS: [u32; ISSUE_EPOCHS] = [ISSUE_FENCE, ISSUE_PSCW, ISSUE_LOCK];
/// Numbers of operations, bytes or nanoseconds.
const NUMBERS: [u64; 9] =
    [0, 1, 2, 100, 1 << 20, (1 << 32) + 1, i64::MAX as u64, u64::MAX - 1, u64::MAX];
/// Threads at a time, and epochs of each.
const THREADS: u64 = 8;
const EPOCHS: u64 = 500;

/// A strategy under test.
#[derive(Clone, Copy)]
struct Strategy {
    ops: &'static IssueOps,
    instance: *mut Instance,
}

// SAFETY: the table is complete, and the contract lets any thread call it.
unsafe impl Send for Strategy {}
// SAFETY: see `Send`.
unsafe impl Sync for Strategy {}

/// A window as long as it lives. Its scope stays where it is.
struct Window {
    strategy: Strategy,
    state: *mut c_void,
    _scope: Box<Scope>,
}

// SAFETY: the contract lets any thread call the functions of a window.
unsafe impl Send for Window {}
// SAFETY: see `Send`.
unsafe impl Sync for Window {}

// The host fills optional functions in, so none of the tables' functions is null.
macro_rules! call {
    ($strategy:expr, $function:ident ( $($arg:expr),* )) => {
        // SAFETY: the function is there, and the arguments are valid during the call.
        unsafe {
            ($strategy.ops.$function.expect("the host completes tables"))(
                $strategy.instance, $($arg),*
            )
        }
    };
}

impl Window {
    fn open(strategy: Strategy, id: u32, ranks: u32) -> Result<Self, String> {
        let scope = Box::new(Scope::new(SCOPE_WINDOW, id, ranks, c"conformance"));
        let mut state = null_mut();
        match call!(strategy, window_open(&scope, &mut state)) {
            OK => Ok(Self { strategy, state, _scope: scope }),
            status => Err(format!(
                "window_open for {ranks} ranks: {}",
                take_reason("window_open", status)
            )),
        }
    }

    fn begin(&self, epoch: u32) -> Result<u32, String> {
        sane("epoch_open", call!(self.strategy, epoch_open(self.state, epoch)))
    }

    fn ask(&self, epoch: u32, waiting: u64, bytes: u64) -> Result<u32, String> {
        let struct_size = size_of::<IssueOperation>() as u32;
        let operation = IssueOperation { struct_size, epoch, waiting, bytes };
        sane("operation", call!(self.strategy, operation(self.state, &operation)))
    }

    fn end(&self, history: &IssueHistory) {
        call!(self.strategy, epoch_close(self.state, history));
    }

    fn describes(&self) -> Result<(), String> {
        describes(|buffer| {
            let text = buffer.as_mut_ptr().cast();
            call!(self.strategy, describe(self.state, text, buffer.len()))
        })
    }

    /// Whether every question has a decision.
    fn decides(&self) -> Result<(), String> {
        for epoch in KINDS {
            self.begin(epoch)?;
            for waiting in NUMBERS {
                NUMBERS.iter().try_for_each(|bytes| self.ask(epoch, waiting, *bytes).map(drop))?;
            }
        }
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        call!(self.strategy, window_close(self.state));
    }
}

/// A decision, if it is one.
fn sane(function: &str, decision: u32) -> Result<u32, String> {
    if decision <= ISSUE_GO {
        Ok(decision)
    } else {
        Err(format!("{function} returned {decision}, which is no decision"))
    }
}

/// What an epoch may have been like; `number` chooses.
fn history(epoch: u32, number: usize) -> IssueHistory {
    let at = |place: usize| NUMBERS[(number / 9_usize.pow(place as u32)) % NUMBERS.len()];
    IssueHistory {
        struct_size: size_of::<IssueHistory>() as u32,
        epoch,
        operations: at(0),
        bytes: at(1),
        latency: at(2),
        moved: at(3),
        moving: at(4),
    }
}

pub fn run(checks: &mut Checks<'_>, slot: &'static Slot) {
    let strategy =
        Strategy { ops: slot.table::<IssueOps>().expect("an issue"), instance: slot.instance() };

    checks.check("windows of any number of ranks are opened and closed independently", || {
        let first = Window::open(strategy, 1, 1)?;
        let second = Window::open(strategy, 2, 100_000)?;
        first.decides()?;
        drop(first);
        second.decides()?;
        let third = Window::open(strategy, 1, 2)?;
        drop(second);
        third.decides()
    });

    checks.check("what is answered is a decision, however many operations wait", || {
        Window::open(strategy, 1, 4)?.decides()
    });

    checks.check("within an epoch nothing is taken back while more and more waits", || {
        let window = Window::open(strategy, 1, 4)?;
        for epoch in KINDS {
            for step in [0, 1, 1000, u64::MAX / 70] {
                let mut before = window.begin(epoch)?;
                for waiting in 1..70_u64 {
                    let (waiting, bytes) = (waiting, waiting.saturating_mul(step));
                    let decision = window.ask(epoch, waiting, bytes)?;
                    if decision < before {
                        return Err(format!(
                            "with {waiting} operations of {bytes} bytes it said {decision} in an \
                             epoch of kind {epoch}, after {before}"
                        ));
                    }
                    before = decision;
                }
            }
        }
        Ok(())
    });

    checks.check("epochs may be of any kind, in any order, and have no operations", || {
        let window = Window::open(strategy, 1, 4)?;
        for number in 0..1000_usize {
            let epoch = KINDS[number % 7 % ISSUE_EPOCHS];
            match number % 5 {
                0 => _ = window.begin(epoch)?,
                1 => window.end(&history(epoch, 0)),
                2 => _ = window.ask(epoch, number as u64, 8)?,
                // One that began before, or none at all.
                3 => window.end(&history(KINDS[number % 2], number)),
                _ => {
                    // Several at a time: each thread has its own.
                    window.begin(epoch)?;
                    window.begin(epoch)?;
                    window.ask(epoch, 1, 1)?;
                }
            }
        }
        window.decides()
    });

    checks.check("whatever was measured, decisions are decisions", || {
        // Every combination of five numbers would be too many.
        for number in (0..9_usize.pow(5)).step_by(7) {
            if number % 700 == 0 {
                let window = Window::open(strategy, 1, 4)?;
                // What is learned, is learned of several epochs that are alike.
                for epoch in KINDS {
                    (0..20).for_each(|_| window.end(&history(epoch, number)));
                }
                window.decides()?;
                window.describes()?;
            }
        }
        let window = Window::open(strategy, 1, 4)?;
        for number in (0..9_usize.pow(5)).step_by(7) {
            let epoch = KINDS[number % ISSUE_EPOCHS];
            window.begin(epoch)?;
            window.ask(epoch, 1, NUMBERS[number % NUMBERS.len()])?;
            window.end(&history(epoch, number));
        }
        window.decides()
    });

    checks.check("many threads have epochs at once", || {
        let window = Window::open(strategy, 1, 4)?;
        let wrong = Mutex::new(None::<String>);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (window, wrong) = (&window, &wrong);
                scope.spawn(move || {
                    for number in 0..EPOCHS {
                        let epoch = KINDS[(number + thread) as usize % ISSUE_EPOCHS];
                        let of_epoch = || -> Result<(), String> {
                            window.begin(epoch)?;
                            for waiting in 1..=thread {
                                window.ask(epoch, waiting, waiting * number)?;
                            }
                            window.end(&history(epoch, (number * THREADS + thread) as usize));
                            Ok(())
                        };
                        if let Err(reason) = of_epoch() {
                            *wrong.lock().expect("not poisoned") = Some(reason);
                        }
                    }
                });
            }
        });
        wrong.into_inner().expect("not poisoned").map_or(Ok(()), Err)?;
        window.decides()
    });

    checks.check("windows come and go while others are used", || {
        let used = Window::open(strategy, 1, 4)?;
        std::thread::scope(|scope| {
            let user = scope.spawn(|| {
                (0..100).try_for_each(|_| {
                    used.end(&history(ISSUE_LOCK, 12_345));
                    used.decides()
                })
            });
            for round in 0..100 {
                let others: Vec<Window> = (0..10)
                    .map(|id| Window::open(strategy, 2 + id, 1 + round))
                    .collect::<Result<_, _>>()?;
                others.iter().try_for_each(Window::decides)?;
            }
            user.join().expect("it does not panic")
        })
    });

    checks.check("its description is text and keeps to the buffer", || {
        let window = Window::open(strategy, 1, 4)?;
        window.describes()?;
        window.begin(ISSUE_LOCK)?;
        window.ask(ISSUE_LOCK, 1, 1)?;
        window.end(&history(ISSUE_LOCK, 4711));
        window.describes()
    });

    checks.check("a window that is closed leaves no counter", || {
        let before = slot.counter_cells();
        for id in 0..3 {
            Window::open(strategy, id, 2)?.decides()?;
        }
        match slot.counter_cells().saturating_sub(before) {
            0 => Ok(()),
            left => Err(format!("three windows left {left} cells; window_close takes them out")),
        }
    });
}
