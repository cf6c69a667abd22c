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
//! operations are independent; then threads never meet. Instance 0 is the fallback: the world's and
//! everybody's who comes when all others are taken. The info key `cairn_cri_instance` of a
//! communicator or window asks for one instance by its number (or `fallback`), whoever has it.

use std::ffi::CStr;
use std::sync::Mutex;

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::pool::CriPool;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::cri::{Asker, Cri};

/// Behind the strategies that help programs with one communicator, too.
const PRIORITY: i64 = 10;

/// The instance of everything that has none of its own.
const FALLBACK: u32 = 0;

/// The info key by which a user picks an instance.
const INFO_KEY: &CStr = c"cairn_cri_instance";

struct Comm {
    priority: i32,
    slot: usize,
}

/// Which instances of one pool are taken, and where scopes keep theirs.
struct Taken {
    slot: usize,
    /// Scopes that have each instance.
    scopes: Mutex<Vec<u32>>,
}

/// What a scope's slot holds: for each pool the instance, as the pool's number and the instance's.
/// A pool without an entry means the fallback.
type Instances = Vec<(u32, u32)>;

impl Taken {
    fn scopes(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        self.scopes.lock().expect("nothing panics while it is held")
    }
}

/// The instances of a scope.
fn instances(scope: &Scope, slot: usize) -> Option<&Instances> {
    // SAFETY: the slot is this component's; it holds null or what `scope_open` boxed, and is written
    // only while nobody uses the scope.
    unsafe { scope.slots[slot].cast::<Instances>().as_ref() }
}

impl Component for Comm {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        Ok(Self { priority: priority.get() as i32, slot: host.scope_slot()? })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Cri for Comm {
    type Pool = Taken;

    fn attach(&self, pool: &CriPool) -> Result<Taken, Failure> {
        Ok(Taken { slot: self.slot, scopes: Mutex::new(vec![0; pool.count as usize]) })
    }

    fn assign(taken: &Taken, pool: &CriPool, asker: &Asker<'_>) -> u32 {
        let Some(instances) = instances(asker.scope, taken.slot) else { return FALLBACK };
        instances.iter().find(|(id, _)| *id == pool.id).map_or(FALLBACK, |(_, instance)| *instance)
    }

    fn scope_open(taken: &Taken, pool: &CriPool, scope: &mut Scope) -> Result<(), Failure> {
        let wanted = match scope.info(INFO_KEY) {
            None => None,
            Some(text) if text == "fallback" => Some(FALLBACK),
            Some(text) => match text.parse() {
                Ok(instance) if instance < pool.count => Some(instance),
                _ => {
                    return Err(Failure::new(
                        ERR_ARGUMENT,
                        format!(
                            "the info key cairn_cri_instance is \"{text}\"; allowed is fallback \
                             or a number from 0 to {}",
                            pool.count - 1
                        ),
                    ));
                }
            },
        };
        let mut scopes = taken.scopes();
        let free = || (FALLBACK + 1..pool.count).find(|instance| scopes[*instance as usize] == 0);
        let instance = wanted.or_else(free).unwrap_or(FALLBACK);
        scopes[instance as usize] += 1;
        drop(scopes);

        let slot = &mut scope.slots[taken.slot];
        if slot.is_null() {
            *slot = Box::into_raw(Box::<Instances>::default()).cast();
        }
        // SAFETY: boxed just now or by another pool's turn, and nobody else uses the scope.
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
    use cairn_framework::abi::scope::SCOPE_COMMUNICATOR;
    use cairn_framework::frameworks::cri::CRI_SEND;
    use cairn_framework::mock::MockHost;

    use super::*;

    fn communicator(id: u32) -> Scope {
        Scope::new(SCOPE_COMMUNICATOR, id, 2, c"comm")
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

    unsafe extern "C" fn info(
        scope: *const Scope,
        _key: *const std::ffi::c_char,
        value: *mut std::ffi::c_char,
        capacity: usize,
    ) -> isize {
        // SAFETY: the caller passes a living scope and a buffer of this capacity.
        unsafe {
            let text = if (*scope).id == 1 { "2" } else { "7" };
            cairn_framework::text::write(text, value, capacity) as isize
        }
    }

    #[test]
    fn an_info_key_picks_the_instance() {
        let mock = MockHost::leak("cri_comm");
        let strategy: Comm = mock.open().unwrap();
        let pool = mock.pool(3);
        let taken = strategy.attach(pool).unwrap();
        let (mut fits, mut wrong) = (communicator(1), communicator(2));
        fits.info = Some(info);
        wrong.info = Some(info);
        Comm::scope_open(&taken, pool, &mut fits).unwrap();
        assert_eq!(assign(mock, &taken, pool, &fits), 2);
        let failure = Comm::scope_open(&taken, pool, &mut wrong).unwrap_err();
        assert!(failure.text.contains("from 0 to 2"), "{failure}");
        Comm::scope_close(&taken, pool, &mut fits);
        Comm::scope_close(&taken, pool, &mut wrong);
    }
}
