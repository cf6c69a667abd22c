//! Events: from where they happen to their listeners.
//!
//! ```text
//!   component ── raise ──▶ queue, in order, with a time ── deliver ──▶ the listener
//!   anywhere, with locks                                  behind a pass, without
//! ```
//!
//! The queue has room for a number of events; what finds none is dropped and counted.

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::abi::lock::Mutex;
use crate::audit::LockLevel;

use crate::abi::event::{EVENT_ELEMENTS, EventType};

/// Events that wait at most to be delivered.
const ROOM: usize = 1024;

/// What is known of a type of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventInfo {
    /// The full name.
    pub name: String,
    /// Whose it is: `pml_ob1`.
    pub owner: String,
    /// What happened then.
    pub help: String,
    /// Its audience, 1 to 9.
    pub level: u32,
    /// The names of its numbers.
    pub elements: Vec<String>,
}

/// A type of events with what the host knows of it. Never freed.
struct Type {
    view: EventType,
    number: usize,
    info: EventInfo,
    events: *const Events,
}

// SAFETY: constant but for an atomic; the events are the system's, which is never freed.
unsafe impl Sync for Type {}
// SAFETY: see `Sync`.
unsafe impl Send for Type {}

/// An event that has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The number of its type.
    pub kind: usize,
    /// When it happened: nanoseconds of the clock of [`now`].
    pub time: i64,
    /// Its numbers; those behind the last are 0.
    pub values: [i64; EVENT_ELEMENTS],
}

/// What is delivered at a time.
#[derive(Debug, Default)]
pub struct Delivery {
    /// Events, in the order in which they happened.
    pub events: Vec<Event>,
    /// How many events of a type, by its number, were dropped before these since the last delivery.
    pub dropped: Vec<(usize, u64)>,
}

/// The listener: gets what was raised, on a thread that is in a call of MPI and holds no lock. Not
/// called again before it has returned.
pub type Listener = fn(Delivery);

/// The types of events of a process, and events on their way.
pub(crate) struct Events {
    types: Mutex<Vec<&'static Type>>,
    /// Whether the queue or the drops hold something.
    pending: AtomicBool,
    queue: Mutex<Queue>,
    /// Held while the listener runs, which may do anything. No thread waits for it.
    delivering: Mutex<()>,
    listener: OnceLock<Listener>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            types: Mutex::at(LockLevel::TABLE, Vec::new()),
            pending: AtomicBool::new(false),
            queue: Mutex::default(),
            delivering: Mutex::at(LockLevel::UNKNOWN, ()),
            listener: OnceLock::new(),
        }
    }
}

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    dropped: Vec<(usize, u64)>,
}

/// Nanoseconds since some moment, by the clock that events carry.
pub fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is a variable. This clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

impl Events {
    /// Makes a type, or finds the one of this name.
    pub fn add(&self, info: EventInfo) -> Result<&'static EventType, String> {
        if info.elements.len() > EVENT_ELEMENTS {
            let (name, many) = (info.name, info.elements.len());
            return Err(format!(
                "event {name}: it has {many} elements, and {EVENT_ELEMENTS} are allowed"
            ));
        }
        let mut types = self.types.lock();
        if let Some(there) = types.iter().find(|there| there.info.name == info.name) {
            return Ok(&there.view);
        }
        let made: &'static mut Type = Box::leak(Box::new(Type {
            view: EventType {
                struct_size: size_of::<EventType>() as u32,
                listeners: AtomicU32::new(0),
                host_private: std::ptr::null(),
            },
            number: types.len(),
            info,
            events: self,
        }));
        made.view.host_private = (&raw const *made).cast();
        types.push(made);
        Ok(&made.view)
    }

    /// How many types there are: their numbers begin at 0.
    pub fn len(&self) -> usize {
        self.types.lock().len()
    }

    /// A type by its number.
    pub fn info(&self, number: usize) -> Option<EventInfo> {
        Some(self.types.lock().get(number)?.info.clone())
    }

    /// Sets the listener. Once; false when that was said before.
    pub fn set_listener(&self, listener: Listener) -> bool {
        self.listener.set(listener).is_ok()
    }

    /// From now on, until as many `unlisten`, events of this type are kept and delivered.
    pub fn listen(&self, number: usize) {
        if let Some(kind) = self.types.lock().get(number) {
            kind.view.listeners.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// See `listen`.
    pub fn unlisten(&self, number: usize) {
        if let Some(kind) = self.types.lock().get(number) {
            kind.view.listeners.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Something happened.
    ///
    /// # Safety
    /// The type was made by an `Events`, and there are as many values as it has elements.
    pub unsafe fn raise(kind: &EventType, values: *const i64) {
        // SAFETY: `add` put it there, and neither types nor systems are freed.
        let (kind, events) = unsafe {
            let kind = &*kind.host_private.cast::<Type>();
            (kind, &*kind.events)
        };
        if kind.view.listeners.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut event = Event { kind: kind.number, time: 0, values: [0; EVENT_ELEMENTS] };
        for (i, value) in event.values[..kind.info.elements.len()].iter_mut().enumerate() {
            // SAFETY: promised by the caller.
            *value = unsafe { *values.add(i) };
        }
        let mut queue = events.queue.lock();
        if queue.events.len() < ROOM {
            // With the lock held, so that the order of the queue is that of the times.
            event.time = now();
            queue.events.push_back(event);
        } else {
            match queue.dropped.iter_mut().find(|(number, _)| *number == event.kind) {
                Some((_, count)) => *count += 1,
                None => queue.dropped.push((event.kind, 1)),
            }
        }
        events.pending.store(true, Ordering::Relaxed);
    }

    /// Whether there is something to deliver.
    #[inline]
    pub fn are_pending(&self) -> bool {
        self.pending.load(Ordering::Relaxed)
    }

    /// Hands on what was raised, unless another thread, or this one further out, is doing so. With
    /// no lock held and outside of passes.
    #[cold]
    pub fn deliver(&self) {
        let Some(listener) = self.listener.get().filter(|_| self.are_pending()) else { return };
        let Some(_delivering) = self.delivering.try_lock() else { return };
        let delivery = {
            let mut queue = self.queue.lock();
            self.pending.store(false, Ordering::Relaxed);
            Delivery {
                events: queue.events.drain(..).collect(),
                dropped: std::mem::take(&mut queue.dropped),
            }
        };
        listener(delivery);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SEEN: Mutex<Vec<Delivery>> = Mutex::new(Vec::new());

    #[test]
    fn events_come_in_order_and_those_without_room_are_counted() {
        let events: &'static Events = Box::leak(Box::default());
        let info = |name: &str, elements: usize| EventInfo {
            name: name.into(),
            owner: "test_tests".into(),
            help: "Help.".into(),
            level: 5,
            elements: vec!["number".into(); elements],
        };
        let wrong = events.add(info("many", EVENT_ELEMENTS + 1)).unwrap_err();
        assert!(wrong.contains("9 elements"), "{wrong}");
        let one = events.add(info("one", 2)).unwrap();
        let two = events.add(info("two", 0)).unwrap();
        assert!(std::ptr::eq(one, events.add(info("one", 2)).unwrap()));
        assert_eq!((events.len(), events.info(1).unwrap().name.as_str()), (2, "two"));
        // SAFETY: `one` has two values, `two` none.
        let raise = |number: i64| unsafe { Events::raise(one, [number, -number].as_ptr()) };
        // There is no listener, so nothing is kept.
        raise(1);
        assert!(events.set_listener(|delivery| SEEN.lock().push(delivery)));
        events.listen(0);
        events.listen(1);
        events.deliver();
        assert!(SEEN.lock().is_empty());
        (0..ROOM as i64).for_each(raise);
        raise(-1);
        // SAFETY: see above.
        unsafe { Events::raise(two, std::ptr::null()) };
        raise(-1);
        events.deliver();
        events.deliver();
        let seen = std::mem::take(&mut *SEEN.lock());
        let [delivery] = seen.as_slice() else { panic!("{} deliveries", seen.len()) };
        assert_eq!(delivery.dropped, [(0, 2), (1, 1)]);
        assert_eq!(delivery.events.len(), ROOM);
        assert_eq!(delivery.events[7].values[..3], [7, -7, 0]);
        assert!(delivery.events.is_sorted_by_key(|event| event.time));
        events.unlisten(0);
        raise(1);
        events.deliver();
        assert!(SEEN.lock().is_empty());
    }
}
