//! What stands behind the tool information interface (MPI 5.0, section 15.3).
//!
//! ```text
//!   parameters ─► control variables ─────┐
//!   counters ───► performance variables ─┼─ categories: a framework, its components, the base
//!   events ─────► event types ───────────┘
//! ```
//!
//! The interface works at any time, also before `MPI_Init` and after `MPI_Finalize`. Variables get
//! their numbers when they are first seen and keep them; there are more of them when components open.

pub mod cvars;
pub mod enums;
pub mod events;
pub mod pvars;

use std::collections::HashSet;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use cairn_framework::audit::LockLevel;
use cairn_framework::author::{Mutex, MutexGuard};
use cairn_framework::frameworks::CONTRACTS;
use cairn_framework::host::params::Param;

use crate::abi::generated::constants::*;
use crate::error::{Error, Result};
use crate::runtime;
use pvars::Pvar;

/// How often the interface was initialized and not finalized.
static USERS: Mutex<u32> = Mutex::at(LockLevel::TOOLS, 0);
/// Whether that is more than 0.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Whether the interface is initialized.
pub fn is_running() -> bool {
    RUNNING.load(Ordering::Acquire)
}

/// Initializes it, once more.
pub fn init() {
    let mut users = USERS.lock();
    *users += 1;
    RUNNING.store(true, Ordering::Release);
}

/// Takes one initialization back. With the last one everything goes that tools hold.
pub fn finalize() {
    let mut users = USERS.lock();
    // Another thread may have been faster than this one after its check.
    *users = users.saturating_sub(1);
    if *users == 0 {
        RUNNING.store(false, Ordering::Release);
        cvars::free_all();
        pvars::free_all();
        events::free_all();
    }
}

/// A group of variables and types of events, by their numbers.
pub struct Category {
    /// The owner of what is in it, or a framework.
    pub name: String,
    /// What that is.
    pub help: String,
    /// Control variables.
    pub cvars: Vec<c_int>,
    /// Performance variables.
    pub pvars: Vec<c_int>,
    /// Types of events.
    pub events: Vec<c_int>,
    /// Categories: the components of a framework.
    pub categories: Vec<c_int>,
}

/// Everything there is, by number.
#[derive(Default)]
pub struct Catalog {
    /// Control variables.
    pub cvars: Vec<Arc<Param>>,
    /// Performance variables.
    pub pvars: Vec<Arc<Pvar>>,
    /// Types of events; their numbers are those of the component system.
    pub events: c_int,
    /// Categories.
    pub categories: Vec<Category>,
    /// Grows whenever something was added.
    pub stamp: c_int,
    /// Names of the control variables.
    known: HashSet<String>,
    /// Counters that were looked at.
    counters: usize,
}

/// Everything there is now.
pub fn catalog() -> MutexGuard<'static, Catalog> {
    static CATALOG: LazyLock<Mutex<Catalog>> =
        LazyLock::new(|| Mutex::at(LockLevel::HANDLES, Catalog::default()));
    let mut catalog = CATALOG.lock();
    catalog.update();
    catalog
}

impl Catalog {
    /// Adds what has come since the last time.
    fn update(&mut self) {
        let system = runtime::system();
        let before = (self.cvars.len(), self.pvars.len(), self.events);
        if system.params.len() > self.cvars.len() {
            for param in system.params.all() {
                if self.known.insert(param.spec.name.clone()) {
                    let number = self.cvars.len() as c_int;
                    self.category(&param.spec.owner).cvars.push(number);
                    self.cvars.push(param);
                }
            }
        }
        for number in self.counters..system.counter_count() {
            let Some(info) = system.counter_info(number) else { break };
            for pvar in Pvar::of_counter(number, info) {
                let number = self.pvars.len() as c_int;
                self.category(&pvar.owner).pvars.push(number);
                self.pvars.push(Arc::new(pvar));
            }
            self.counters = number + 1;
        }
        for number in self.events as usize..system.event_count() {
            let Some(info) = system.event_info(number) else { break };
            self.category(&info.owner).events.push(number as c_int);
            self.events = number as c_int + 1;
        }
        if (self.cvars.len(), self.pvars.len(), self.events) != before {
            self.stamp += 1;
        }
    }

    /// The category of an owner: `btl_sm`, which is one of the category `btl`, or `mca`.
    fn category(&mut self, owner: &str) -> &mut Category {
        if let Some(place) = self.categories.iter().position(|it| it.name == owner) {
            return &mut self.categories[place];
        }
        let framework = owner.split_once('_').map_or(owner, |(framework, _)| framework);
        let contract = CONTRACTS.iter().find(|contract| contract.name == framework);
        let number = match contract {
            Some(contract) => {
                let components = runtime::system().components();
                let component = components.into_iter().find(|slot| slot.name() == owner);
                let help =
                    component.map_or_else(String::new, |slot| slot.loaded.description.clone());
                let parent = match self.categories.iter().position(|it| it.name == framework) {
                    Some(parent) => parent,
                    None => self.add(framework, contract.summary),
                };
                let number = self.add(owner, &help);
                self.categories[parent].categories.push(number as c_int);
                number
            }
            None => self.add(
                owner,
                match owner {
                    "mca" => "choosing components, parameters, progress and waiting",
                    _ => "the functions of MPI",
                },
            ),
        };
        &mut self.categories[number]
    }

    fn add(&mut self, name: &str, help: &str) -> usize {
        self.categories.push(Category {
            name: name.to_owned(),
            help: help.to_owned(),
            cvars: Vec::new(),
            pvars: Vec::new(),
            events: Vec::new(),
            categories: Vec::new(),
        });
        self.categories.len() - 1
    }
}

/// What has a number.
pub fn at<T>(all: &[T], number: c_int) -> Result<&T> {
    usize::try_from(number).ok().and_then(|number| all.get(number)).ok_or_else(|| {
        let wanted = format!("there are {}, counted from 0", all.len());
        Error::argument(MPI_T_ERR_INVALID_INDEX, "index", number, wanted)
    })
}

/// The number of what has a name.
pub fn find<T>(all: &[T], name: &str, is: impl Fn(&T) -> bool) -> Result<c_int> {
    let found = all.iter().position(is).map(|number| number as c_int);
    found.ok_or_else(|| Error::new(MPI_T_ERR_INVALID_NAME, format!("there is no {name}")))
}

/// How much one wants to know to see something of a level, 1 to 9.
pub fn verbosity(level: u32) -> c_int {
    [
        MPI_T_VERBOSITY_USER_BASIC,
        MPI_T_VERBOSITY_USER_DETAIL,
        MPI_T_VERBOSITY_USER_ALL,
        MPI_T_VERBOSITY_TUNER_BASIC,
        MPI_T_VERBOSITY_TUNER_DETAIL,
        MPI_T_VERBOSITY_TUNER_ALL,
        MPI_T_VERBOSITY_MPIDEV_BASIC,
        MPI_T_VERBOSITY_MPIDEV_DETAIL,
        MPI_T_VERBOSITY_MPIDEV_ALL,
    ][(level.clamp(1, 9) - 1) as usize]
}
