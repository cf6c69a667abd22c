//! A strategy that does, inside its own library, what goes wrong when several Rust libraries live in
//! one process and nobody has thought of it. `tests/traps.rs` looks at what comes of it.
//!
//! The peer of an [`Asker`] says what `assign` does:
//!
//! | peer | what |
//! |---|---|
//! | 1 | waits for the lock of instance 0, which the host's thread holds |
//! | 2 | answers with the number that the host gives the thread |
//! | 3 | panics |
//! | 4 | leaves a thread-local with a destructor behind |

use std::cell::RefCell;

use cairn_framework::abi::host::LOG_WARN;
use cairn_framework::abi::param::ChoiceParam;
use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::cri::{Asker, Cri};

struct Trap {
    host: HostHandle,
}

/// Says so when its thread ends: code of this library that runs after everything else of it.
struct LastWords;

impl Drop for LastWords {
    fn drop(&mut self) {
        eprintln!("last words of a thread");
    }
}

thread_local! {
    static LAST_WORDS: RefCell<Option<LastWords>> = const { RefCell::new(None) };
}

impl Component for Trap {
    type Params = ChoiceParam;

    fn register(registrar: &Registrar<'_>) -> Result<ChoiceParam, Failure> {
        registrar
            .choice("open", &["well", "panics", "lingers"], "well", "What opening it does")
            .level(9)
            .register()
    }

    fn open(host: HostHandle, open: ChoiceParam) -> Result<Self, Failure> {
        match open.get() {
            1 => panic!("the {} is missing", "towel"),
            // A thread of this library that nobody ever stops.
            2 => drop(std::thread::spawn(|| {
                loop {
                    std::thread::park();
                }
            })),
            _ => {}
        }
        host.log(LOG_WARN, || "it is open".to_owned());
        Ok(Self { host })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(1)
    }
}

impl Cri for Trap {
    type Pool = HostHandle;

    fn attach(&self, _pool: &CriPool) -> Result<HostHandle, Failure> {
        Ok(self.host)
    }

    fn assign(host: &HostHandle, pool: &CriPool, asker: &Asker<'_>) -> u32 {
        match asker.peer {
            Some(1) => drop(pool.cri(0).guard()),
            Some(2) => return host.thread().index,
            Some(3) => panic!("no way to report this"),
            Some(4) => LAST_WORDS.with(|words| *words.borrow_mut() = Some(LastWords)),
            _ => {}
        }
        0
    }
}

cairn_framework::component! {
    framework: cri,
    component: Trap,
    name: "trap_one",
    description: "falls into the traps of several libraries, for tests",
}
