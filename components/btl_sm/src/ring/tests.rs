use super::*;

/// The parts of a ring in memory of one's own.
struct Memory {
    heads: Box<Heads>,
    slots: Vec<Slot>,
    data: Vec<[u64; 8]>,
}

impl Memory {
    fn new(data_len: usize) -> Self {
        let slot = || Slot { control: AtomicU64::new(0), body: UnsafeCell::default() };
        Self {
            heads: Box::new(Heads { slots: AtomicU64::new(0), data: AtomicU64::new(0) }),
            slots: (0..SLOTS).map(|_| slot()).collect(),
            data: vec![[0; 8]; data_len / 64],
        }
    }

    fn parts(&mut self) -> Parts {
        Parts {
            heads: &raw const *self.heads,
            slots: self.slots.as_ptr(),
            data: self.data.as_mut_ptr().cast(),
            data_len: self.data.len() as u64 * 64,
        }
    }

    /// Both ends.
    fn ends(&mut self) -> (Producer, Consumer) {
        let parts = self.parts();
        // SAFETY: the tests keep the memory as long as the ends.
        unsafe { (Producer::new(parts), Consumer::new(parts)) }
    }
}

#[cfg(loom)]
mod model {
    use std::sync::Arc;

    use loom::cell::UnsafeCell as Tracked;

    use super::*;

    /// What slots and data hold, watched by loom: a read that does not come after the write it should
    /// see, or before the write it should not, fails.
    struct Watched {
        memory: Memory,
        bodies: Vec<Tracked<u64>>,
        lines: Vec<Tracked<u64>>,
    }

    // SAFETY: what the tests share is atomic or watched.
    unsafe impl Send for Watched {}
    // SAFETY: see `Send`.
    unsafe impl Sync for Watched {}

    fn watched() -> (Arc<Watched>, Producer, Consumer) {
        let mut watched = Watched {
            memory: Memory::new(128),
            bodies: (0..SLOTS).map(|_| Tracked::new(0)).collect(),
            lines: (0..2).map(|_| Tracked::new(0)).collect(),
        };
        let (producer, consumer) = watched.memory.ends();
        (Arc::new(watched), producer, consumer)
    }

    // SAFETY: an end is used by one thread; what it leads to is atomic.
    unsafe impl Send for Producer {}

    fn check(messages: u64, with_data: fn(u64) -> bool) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            let (watched, mut producer, mut consumer) = watched();
            let other = Arc::clone(&watched);
            let sender = loom::thread::spawn(move || {
                let base = other.memory.data.as_ptr().addr();
                for number in 1..=messages {
                    while !producer.has_slot() && !producer.look() {
                        loom::thread::yield_now();
                    }
                    if with_data(number) {
                        let room = loop {
                            match producer.room(64) {
                                Some(room) => break room,
                                None => loom::thread::yield_now(),
                            }
                        };
                        let line = (room.place.addr() - base) / 64;
                        // SAFETY: loom checks it.
                        other.lines[line].with_mut(|at| unsafe { *at = number });
                        producer.publish_data(room, 1, 64);
                    } else {
                        let slot = (producer.tail % SLOTS) as usize;
                        // SAFETY: loom checks it.
                        other.bodies[slot].with_mut(|at| unsafe { *at = number });
                        producer.publish(KIND_INLINE, 1, 8);
                    }
                }
            });
            let base = watched.memory.data.as_ptr().addr();
            for number in 1..=messages {
                let control = loop {
                    match consumer.peek() {
                        Some(control) => break control,
                        None => {
                            consumer.publish();
                            loom::thread::yield_now();
                        }
                    }
                };
                let message = consumer.message(control).expect("in order");
                let found = if control.kind() == KIND_INLINE {
                    let slot = (consumer.head % SLOTS) as usize;
                    // SAFETY: loom checks it.
                    watched.bodies[slot].with(|at| unsafe { *at })
                } else {
                    let line = (message.data.addr() - base) / 64;
                    // SAFETY: loom checks it.
                    watched.lines[line].with(|at| unsafe { *at })
                };
                assert_eq!(found, number);
                consumer.release(message);
            }
            sender.join().unwrap();
        });
    }

    #[test]
    fn model_slots_are_handed_over_and_back() {
        check(5, |_| false);
    }

    #[test]
    fn model_data_is_handed_over_and_back() {
        check(4, |_| true);
    }

    #[test]
    fn model_slots_and_data_together() {
        check(4, |number| number.is_multiple_of(2));
    }
}

#[cfg(not(loom))]
mod properties {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    const DATA: usize = 4096;

    fn bytes(seed: u64, len: usize) -> Vec<u8> {
        (0..len as u64).map(|i| (i ^ seed.wrapping_mul(0x9e37_79b9) >> 7) as u8).collect()
    }

    /// Sends if there is room, and says whether there was.
    fn send(producer: &mut Producer, seed: u64, len: usize, shorter: usize) -> bool {
        if !producer.has_slot() && !producer.look() {
            return false;
        }
        let written = len - shorter.min(len);
        let message = bytes(seed, written);
        let place = if len <= INLINE {
            producer.body()
        } else {
            match producer.room(len) {
                Some(room) => {
                    // SAFETY: the room has `len` bytes.
                    unsafe { room.place.copy_from_nonoverlapping(message.as_ptr(), written) };
                    producer.publish_data(room, seed as u8, written as u32);
                    return true;
                }
                None => return false,
            }
        };
        // SAFETY: the body has room for what is not longer.
        unsafe { place.copy_from_nonoverlapping(message.as_ptr(), written) };
        producer.publish(KIND_INLINE, seed as u8, written as u32);
        true
    }

    #[derive(Debug, Clone)]
    enum Step {
        Send { len: usize, shorter: usize },
        Receive { count: usize, settle: bool },
    }

    fn step() -> impl Strategy<Value = Step> {
        let len = prop_oneof![3 => 0..=INLINE, 3 => INLINE + 1..300, 1 => 300..=DATA / 2];
        prop_oneof![
            3 => (len, prop_oneof![4 => Just(0usize), 1 => 0..2000usize])
                .prop_map(|(len, shorter)| Step::Send { len, shorter }),
            1 => (0..40usize, any::<bool>())
                .prop_map(|(count, settle)| Step::Receive { count, settle }),
        ]
    }

    proptest! {
        /// Against a queue: what comes out is what went in, whatever the sizes and the laps.
        #[test]
        fn a_ring_is_a_queue(steps in prop::collection::vec(step(), 1..600)) {
            let mut memory = Memory::new(DATA);
            let (mut producer, mut consumer) = memory.ends();
            let mut model: VecDeque<(u64, usize)> = VecDeque::new();
            let mut seed = 0;
            for step in steps {
                match step {
                    Step::Send { len, shorter } => {
                        seed += 1;
                        if send(&mut producer, seed, len, shorter) {
                            model.push_back((seed, len - shorter.min(len)));
                        } else {
                            prop_assert!(!model.is_empty() || consumer.head != consumer.published_slots);
                        }
                    }
                    Step::Receive { count, settle } => {
                        for _ in 0..count {
                            let Some(control) = consumer.peek() else {
                                prop_assert!(model.is_empty());
                                break;
                            };
                            let (seed, len) = model.pop_front().expect("it has something");
                            prop_assert_eq!((control.tag(), control.len()), (seed as u8, len));
                            let message = consumer.message(control).expect("in order");
                            prop_assert!(message.data.addr().is_multiple_of(8));
                            // SAFETY: the message is there until it is released.
                            let found = unsafe { std::slice::from_raw_parts(message.data, len) };
                            prop_assert_eq!(found, bytes(seed, len));
                            consumer.release(message);
                        }
                        if settle {
                            consumer.publish();
                        }
                    }
                }
            }
        }

        /// Whatever a control word says, the message lies inside the ring or is refused.
        #[test]
        fn a_control_word_leads_nowhere_else(word in any::<u64>(), sent in 0usize..60) {
            let mut memory = Memory::new(DATA);
            let parts = memory.parts();
            let (mut producer, mut consumer) = memory.ends();
            for seed in 0..sent as u64 {
                prop_assert!(send(&mut producer, seed, 57, 0));
                let control = consumer.peek().expect("sent");
                let message = consumer.message(control).expect("in order");
                consumer.release(message);
                consumer.publish();
            }
            if let Some(message) = consumer.message(Control(word)) {
                let (begin, end) = (message.data.addr(), message.data.addr() + message.len);
                let inside = |from: usize, len: usize| begin >= from && end <= from + len;
                prop_assert!(
                    inside(parts.data.addr(), DATA)
                        || inside(parts.slots.addr(), SLOTS as usize * size_of::<Slot>())
                );
            }
        }
    }

    #[test]
    fn sixteen_bits_of_stamp_are_enough() {
        let mut memory = Memory::new(DATA);
        let (mut producer, mut consumer) = memory.ends();
        // Before and after the stamp comes around.
        for lap in [0, 65_534, 65_535, 65_536, 131_071] {
            let position = lap * SLOTS;
            (producer.tail, producer.seen_slots) = (position, position);
            (consumer.head, consumer.published_slots) = (position, position);
            memory.slots.iter().for_each(|slot| {
                // What the lap before has left.
                let stale = u64::from(lap as u16) << 48;
                slot.control.store(stale, Ordering::Relaxed);
            });
            memory.heads.slots.store(position, Ordering::Relaxed);
            for turn in 0..3 * SLOTS {
                assert!(consumer.peek().is_none(), "lap {lap}, turn {turn}");
                assert!(send(&mut producer, turn, 5, 0));
                let control = consumer.peek().expect("sent");
                let message = consumer.message(control).expect("in order");
                consumer.release(message);
            }
        }
    }

    #[test]
    fn heads_that_can_not_be_are_a_full_ring() {
        let mut memory = Memory::new(DATA);
        let (mut producer, _) = memory.ends();
        memory.heads.slots.store(u64::MAX / 2, Ordering::Relaxed);
        memory.heads.data.store(u64::MAX / 2, Ordering::Relaxed);
        let sent = (0..10_000).take_while(|seed| send(&mut producer, *seed, 8, 0)).count();
        assert_eq!(sent as u64, SLOTS);
        assert!(!producer.look());
    }

    #[test]
    fn a_producer_without_a_ring_looks_full() {
        let producer = Producer::closed();
        assert!(!producer.has_slot() && !producer.is_open());
    }
}
