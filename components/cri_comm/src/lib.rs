//! Comm: each communicator and window has an instance (virtual communication interfaces, Zambre et
//! al. §4.2).
//!
//! ```text
//!   communicator made ─► a free instance, or the fallback when none is free ─► slot of the scope
//!   every operation   ─► one load from the slot
//!   communicator freed ─► the instance is free again
//! ```
//!
//! A program that gives each thread a communicator of its own says in MPI's own terms which
//! operations are independent; then threads never meet. Instance 0 is the fallback: that of
//! `MPI_COMM_WORLD` and `MPI_COMM_SELF`, and of all that come when the others are taken.
//!
//! CRIs are few and a program can't see which communicators have one, which the paper names as the weakness of
//! first come, first served (§6). So a communicator or window may say what it wants when it is made, by
//! the info key `cairn_cri_instance`:
//!
//! | value | instance |
//! |---|---|
//! | `own` | a free one, or the fallback |
//! | `fallback` | the fallback, so that others find a free one |
//! | a number | this one, even if another communicator has it |
//!
//! The parameter `cri_comm_unhinted` says which of the first two holds where the key is not set. A
//! duplicate of a communicator does not inherit the key (MPI 5.0, section 7.4.2).

use std::ffi::CStr;

use cairn_framework::abi::comm::COMM_OWN_IDS;
use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, Scope};
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::author::{Mutex, MutexGuard};
use cairn_framework::frameworks::cri::{Asker, Cri};

/// Behind the strategies that help programs with one communicator, too.
const PRIORITY: i64 = 10;

/// The instance of everything that has none of its own.
const FALLBACK: u32 = 0;

/// The info key by which a user picks an instance.
const INFO_KEY: &CStr = c"cairn_cri_instance";

cairn_framework::params! {
    /// The parameters.
    struct Params {
        priority: priority(PRIORITY);
        unhinted: choice(&["own", "fallback"], "own"),
            "What a communicator or window gets whose info key cairn_cri_instance is not set: \
             an instance of its own as long as there are some, or the one that all share",
            level(5);
    }
}

struct Comm {
    priority: i32,
    slot: usize,
    unhinted: Wish,
}

/// What a communicator or window wants.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    Own,
    Fallback,
    This(u32),
}

/// Which instances of one pool are taken, and where scopes keep theirs.
struct Taken {
    slot: usize,
    unhinted: Wish,
    /// Scopes that have each instance.
    scopes: Mutex<Vec<u32>>,
}

/// What a scope's slot holds: for each pool the instance, as the pool's number and the instance's.
/// A pool without an entry means the fallback.
type Instances = Vec<(u32, u32)>;

impl Taken {
    fn scopes(&self) -> MutexGuard<'_, Vec<u32>> {
        self.scopes.lock()
    }

    /// The instance of a scope in a pool.
    fn instance(&self, pool: &CriPool, scope: &Scope) -> u32 {
        let Some(instances) = instances(scope, self.slot) else { return FALLBACK };
        instances.iter().find(|(id, _)| *id == pool.id).map_or(FALLBACK, |(_, instance)| *instance)
    }

    /// What a scope wants of a pool.
    fn wish(&self, pool: &CriPool, scope: &Scope) -> Result<Wish, Failure> {
        // The library's own would take instances away that threads are to use.
        if scope.kind == SCOPE_COMMUNICATOR && scope.id < COMM_OWN_IDS {
            return Ok(Wish::Fallback);
        }
        let Some(text) = scope.info(INFO_KEY) else { return Ok(self.unhinted) };
        match (text.as_str(), text.parse()) {
            ("own", _) => Ok(Wish::Own),
            ("fallback", _) => Ok(Wish::Fallback),
            (_, Ok(instance)) if instance < pool.count => Ok(Wish::This(instance)),
            _ => Err(Failure::new(
                ERR_ARGUMENT,
                format!(
                    "the info key cairn_cri_instance is \"{text}\"; allowed is own, fallback or the \
                     number of an instance, which for {} is {}",
                    pool.name(),
                    if pool.count == 1 { "0".into() } else { format!("0 to {}", pool.count - 1) }
                ),
            )),
        }
    }
}

/// The instances of a scope.
fn instances(scope: &Scope, slot: usize) -> Option<&Instances> {
    // SAFETY: the slot is this component's; it holds null or what `scope_open` boxed, and is written
    // only while the scope is not in use.
    unsafe { scope.slots[slot].cast::<Instances>().as_ref() }
}

impl Component for Comm {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let (unhinted, value) = match params.unhinted.get() {
            0 => (Wish::Own, c"own"),
            _ => (Wish::Fallback, c"fallback"),
        };
        host.info_key(INFO_KEY, value)?;
        Ok(Self { priority: params.priority.get() as i32, slot: host.scope_slot()?, unhinted })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Cri for Comm {
    type Pool = Taken;

    fn attach(&self, pool: &CriPool) -> Result<Taken, Failure> {
        let scopes = Mutex::new(vec![0; pool.count as usize]);
        Ok(Taken { slot: self.slot, unhinted: self.unhinted, scopes })
    }

    fn assign(taken: &Taken, pool: &CriPool, asker: &Asker<'_>) -> u32 {
        taken.instance(pool, asker.scope)
    }

    /// A sender uses the instance that it gave to the communicator, and its messages arrive at the one
    /// with the same index. That is ours, too, where both have made the same communicators.
    fn arrival(taken: &Taken, pool: &CriPool, scope: &Scope, _peer: Option<u32>) -> Option<u32> {
        Some(taken.instance(pool, scope))
    }

    fn scope_open(taken: &Taken, pool: &CriPool, scope: &mut Scope) -> Result<(), Failure> {
        let wish = taken.wish(pool, scope)?;
        let mut scopes = taken.scopes();
        let free = || (FALLBACK + 1..pool.count).find(|instance| scopes[*instance as usize] == 0);
        let instance = match wish {
            Wish::Own => free().unwrap_or(FALLBACK),
            Wish::Fallback => FALLBACK,
            Wish::This(instance) => instance,
        };
        scopes[instance as usize] += 1;
        drop(scopes);

        let slot = &mut scope.slots[taken.slot];
        if slot.is_null() {
            *slot = Box::into_raw(Box::<Instances>::default()).cast();
        }
        // SAFETY: boxed just now or by another pool's turn, and the scope is not used otherwise.
        unsafe { (*slot.cast::<Instances>()).push((pool.id, instance)) };
        Ok(())
    }

    fn scope_close(taken: &Taken, pool: &CriPool, scope: &mut Scope) {
        let slot = &mut scope.slots[taken.slot];
        // SAFETY: as in `scope_open`.
        let Some(instances) = (unsafe { slot.cast::<Instances>().as_mut() }) else { return };
        for (_, instance) in instances.extract_if(.., |(id, _)| *id == pool.id) {
            taken.scopes()[instance as usize] -= 1;
        }
        if instances.is_empty() {
            // SAFETY: boxed by `scope_open`; the last pool has just taken its entry out.
            drop(unsafe { Box::from_raw(slot.cast::<Instances>()) });
            *slot = std::ptr::null_mut();
        }
    }

    fn describe(taken: &Taken, _pool: &CriPool) -> String {
        let counts: Vec<String> = taken.scopes().iter().map(u32::to_string).collect();
        format!("communicators and windows by instance: {}", counts.join(" "))
    }
}

cairn_framework::component! {
    framework: cri,
    component: Comm,
    name: "comm",
    description: "gives each communicator and window an instance of its own",
    aliases: "vci",
}

#[cfg(test)]
mod tests {
    use cairn_framework::abi::scope::SCOPE_WINDOW;
    use cairn_framework::frameworks::cri::CRI_SEND;
    use cairn_framework::mock::MockHost;

    use super::*;

    fn communicator(id: u32) -> Scope {
        Scope::new(SCOPE_COMMUNICATOR, COMM_OWN_IDS + id, 2, c"comm")
    }

    fn assign(mock: &MockHost, taken: &Taken, pool: &CriPool, scope: &Scope) -> u32 {
        mock.as_thread(0, |thread| {
            let asker = Asker { thread, scope, peer: Some(1), operation: CRI_SEND };
            Comm::assign(taken, pool, &asker)
        })
    }

    #[test]
    fn communicators_get_instances_until_the_pool_is_empty() {
        let mock = MockHost::leak("cri_comm");
        let strategy: Comm = mock.open().unwrap();
        let pool = mock.pool(3);
        let other = mock.pool(2);
        other.id = 1;
        let (taken, other_taken) =
            (strategy.attach(pool).unwrap(), strategy.attach(other).unwrap());

        assert_eq!(assign(mock, &taken, pool, &mock.process()), FALLBACK);
        let mut comms: Vec<Scope> = (0..3).map(communicator).collect();
        for comm in &mut comms {
            Comm::scope_open(&taken, pool, comm).unwrap();
            Comm::scope_open(&other_taken, other, comm).unwrap();
        }
        let instances = |taken: &Taken, pool: &CriPool, comms: &[Scope]| -> Vec<u32> {
            comms.iter().map(|comm| assign(mock, taken, pool, comm)).collect()
        };
        assert_eq!(instances(&taken, pool, &comms), [1, 2, FALLBACK]);
        assert_eq!(instances(&other_taken, other, &comms), [1, FALLBACK, FALLBACK]);
        for comm in &comms {
            let arrival = Comm::arrival(&taken, pool, comm, Some(1));
            assert_eq!(arrival, Some(assign(mock, &taken, pool, comm)));
        }

        Comm::scope_close(&taken, pool, &mut comms[0]);
        Comm::scope_close(&other_taken, other, &mut comms[0]);
        assert!(comms[0].slots.iter().all(|slot| slot.is_null()));
        let mut next = communicator(9);
        Comm::scope_open(&taken, pool, &mut next).unwrap();
        assert_eq!(assign(mock, &taken, pool, &next), 1);
        assert_eq!(Comm::describe(&taken, pool), "communicators and windows by instance: 1 1 1");
        Comm::scope_close(&taken, pool, &mut next);
        for comm in &mut comms[1..] {
            Comm::scope_close(&taken, pool, comm);
            Comm::scope_close(&other_taken, other, comm);
        }
        assert_eq!(Comm::describe(&taken, pool), "communicators and windows by instance: 0 0 0");
    }

    /// What the programs of these tests set for a communicator, by its number.
    const HINTS: [&str; 9] =
        ["own", "fallback", "2", "3", "-1", "", "4294967296", "second", "own "];

    unsafe extern "C" fn info(
        scope: *const Scope,
        key: *const std::ffi::c_char,
        value: *mut std::ffi::c_char,
        capacity: usize,
    ) -> isize {
        // SAFETY: the caller passes a living scope, a key and a buffer of this capacity.
        unsafe {
            assert_eq!(CStr::from_ptr(key), INFO_KEY);
            let text = HINTS[((*scope).id - COMM_OWN_IDS) as usize];
            cairn_framework::text::write(text, value, capacity) as isize
        }
    }

    #[test]
    fn an_info_key_says_what_a_communicator_wants() {
        let mock = MockHost::leak("cri_comm");
        let strategy: Comm = mock.open().unwrap();
        let pool = mock.pool(3);
        let taken = strategy.attach(pool).unwrap();
        let mut comms: Vec<Scope> = (0..HINTS.len() as u32).map(communicator).collect();
        comms.iter_mut().for_each(|comm| comm.info = Some(info));
        for (comm, instance) in comms.iter_mut().zip([1, FALLBACK, 2]) {
            Comm::scope_open(&taken, pool, comm).unwrap();
            assert_eq!(assign(mock, &taken, pool, comm), instance);
        }
        for (comm, hint) in comms.iter_mut().zip(HINTS).skip(3) {
            let failure = Comm::scope_open(&taken, pool, comm).unwrap_err();
            let parts = [&format!("\"{hint}\""), "own, fallback or the number", "0 to 2"];
            assert!(parts.iter().all(|part| failure.text.contains(*part)), "{failure}");
            assert!(comm.slots.iter().all(|slot| slot.is_null()));
        }
        assert_eq!(Comm::describe(&taken, pool), "communicators and windows by instance: 1 1 1");
        comms[..3].iter_mut().for_each(|comm| Comm::scope_close(&taken, pool, comm));
        assert_eq!(Comm::describe(&taken, pool), "communicators and windows by instance: 0 0 0");
    }

    #[test]
    fn a_parameter_says_what_a_communicator_without_the_key_gets() {
        let mock = MockHost::leak("cri_comm");
        mock.set("unhinted", "fallback");
        let strategy: Comm = mock.open().unwrap();
        let pool = mock.pool(3);
        let taken = strategy.attach(pool).unwrap();
        let (mut without, mut with) = (communicator(1), communicator(0));
        with.info = Some(info);
        for (comm, instance) in [(&mut without, FALLBACK), (&mut with, 1)] {
            Comm::scope_open(&taken, pool, comm).unwrap();
            assert_eq!(assign(mock, &taken, pool, comm), instance);
            Comm::scope_close(&taken, pool, comm);
        }
    }

    /// They are made first, and would leave a process with two or three instances none to give.
    #[test]
    fn the_librarys_own_communicators_take_no_instance() {
        let mock = MockHost::leak("cri_comm");
        let strategy: Comm = mock.open().unwrap();
        let pool = mock.pool(2);
        let taken = strategy.attach(pool).unwrap();
        let mut own: Vec<Scope> =
            (0..COMM_OWN_IDS).map(|id| Scope::new(SCOPE_COMMUNICATOR, id, 2, c"world")).collect();
        let mut made = communicator(0);
        let mut window = Scope::new(SCOPE_WINDOW, 0, 2, c"window");
        for scope in own.iter_mut().chain([&mut made, &mut window]) {
            Comm::scope_open(&taken, pool, scope).unwrap();
        }
        assert!(own.iter().all(|comm| assign(mock, &taken, pool, comm) == FALLBACK));
        assert_eq!(assign(mock, &taken, pool, &made), 1);
        assert_eq!(assign(mock, &taken, pool, &window), FALLBACK);
        Comm::scope_close(&taken, pool, &mut made);
        let mut next = Scope::new(SCOPE_WINDOW, 1, 2, c"window");
        Comm::scope_open(&taken, pool, &mut next).unwrap();
        assert_eq!(assign(mock, &taken, pool, &next), 1);
        for scope in own.iter_mut().chain([&mut window, &mut next]) {
            Comm::scope_close(&taken, pool, scope);
        }
    }
}
