use super::*;

/// The parts of a ring in memory of one's own.
struct Memory {
    head: Box<Head>,
    lines: Vec<Line>,
}

impl Memory {
    fn new(count: usize) -> Self {
        let line = || Line { control: AtomicU64::new(0), body: UnsafeCell::default() };
        Self { head: Box::default(), lines: (0..count).map(|_| line()).collect() }
    }

    fn parts(&mut self) -> Parts {
        Parts {
            head: &raw const *self.head,
            lines: self.lines.as_mut_ptr(),
            count: self.lines.len() as u64,
        }
    }

    /// Both ends.
    fn ends(&mut self) -> (Producer, Consumer) {
        let parts = self.parts();
        // SAFETY: the tests keep the memory as long as the ends.
        unsafe { (Producer::new(parts), Consumer::new(parts)) }
    }
}

/// The control word of the next message, behind what only fills the ring.
fn peek(consumer: &mut Consumer) -> Option<Control> {
    let control = consumer.peek()?;
    if control.kind() != KIND_FILLER {
        return Some(control);
    }
    let filler = consumer.message(control).expect("in order");
    consumer.release(filler);
    peek(consumer)
}

#[cfg(feature = "loom")]
mod model {
    use std::sync::Arc;

    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::cell::UnsafeCell as Tracked;

    use super::*;

    const COUNT: usize = 4;

    /// What lines hold, watched by loom: a read that does not come after the write it should see, or
    /// before the write it should not, fails.
    struct Watched {
        memory: Memory,
        bodies: Vec<Tracked<u64>>,
    }

    // SAFETY: what the tests share is atomic or watched.
    unsafe impl Send for Watched {}
    // SAFETY: see `Send`.
    unsafe impl Sync for Watched {}

    fn watched() -> (Arc<Watched>, Producer, Consumer) {
        let mut watched = Watched {
            memory: Memory::new(COUNT),
            bodies: (0..COUNT).map(|_| Tracked::new(0)).collect(),
        };
        let (producer, consumer) = watched.memory.ends();
        (Arc::new(watched), producer, consumer)
    }

    // SAFETY: an end is used by one thread; what it leads to is atomic.
    unsafe impl Send for Producer {}

    /// Waits for room.
    fn room(producer: &mut Producer, len: usize) -> Room {
        loop {
            match producer.room(len, true) {
                Some(room) => return room,
                None => loom::thread::yield_now(),
            }
        }
    }

    /// Waits for a message.
    fn next(consumer: &mut Consumer) -> Control {
        loop {
            match peek(consumer) {
                Some(control) => return control,
                None => loom::thread::yield_now(),
            }
        }
    }

    /// What is written before a step is told of is seen by who was told, also by what is said of later steps on the same
    /// line, and the ring is used again only when the message was given back.
    #[test]
    fn model_messages_that_grow() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            const LEN: usize = grown(2) + 1;
            let (watched, mut producer, mut consumer) = watched();
            let other = Arc::clone(&watched);
            let write = move |place: usize, number: u64| {
                // SAFETY: loom checks it.
                other.bodies[place].with_mut(|at| unsafe { *at = number });
            };
            let sender = loom::thread::spawn(move || {
                for number in 1..=2 {
                    room(&mut producer, LEN);
                    let place = |line: usize| producer.tail as usize % COUNT + line;
                    let places = [0, 1, 2].map(place);
                    write(places[0], number);
                    let mut growing = producer.begin(number as u8, LEN as u32, 1);
                    write(places[1], number);
                    producer.grow(&mut growing);
                    write(places[2], number);
                    producer.finish(&mut growing, KIND_CACHED);
                }
            });
            for number in 1..=2 {
                let control = next(&mut consumer);
                assert_eq!(control.tag(), number as u8);
                let message = consumer.message(control).expect("in order");
                let coming = consumer.coming(control);
                let mut have = 0;
                for line in 0..3 {
                    loop {
                        // SAFETY: it was not given back.
                        let (there, kind) = unsafe { coming.there(have) };
                        // The next message may have taken the place of its last word.
                        let is_one = |kind| kind == KIND_CACHED || kind == KIND_MESSAGE;
                        assert!(kind.is_none_or(|kind| is_one(kind) && there == LEN));
                        if there >= grown(line + 1).min(LEN) {
                            have = there;
                            break;
                        }
                        loom::thread::yield_now();
                    }
                    let place = (consumer.position as usize + line) % COUNT;
                    // SAFETY: loom checks it.
                    assert_eq!(watched.bodies[place].with(|at| unsafe { *at }), number);
                }
                consumer.release(message);
            }
            sender.join().unwrap();
        });
    }

    /// Messages of one line, and of two where `long` says so. What lies in the middle of one looks as if it were of
    /// the next lap, or of the last one, where the consumer may still wait.
    fn check(messages: u64, long: fn(u64) -> bool) {
        check_with(messages, long, 1);
        check_with(messages, long, u16::MAX);
    }

    fn check_with(messages: u64, long: fn(u64) -> bool, other_lap: u16) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            let (watched, mut producer, mut consumer) = watched();
            let other = Arc::clone(&watched);
            let sender = loom::thread::spawn(move || {
                let place = |position: u64| position as usize % COUNT;
                for number in 1..=messages {
                    let len = if long(number) { LINE } else { 8 };
                    room(&mut producer, len);
                    let begin = producer.tail;
                    // SAFETY: loom checks it.
                    other.bodies[place(begin)].with_mut(|at| unsafe { *at = number });
                    if long(number) {
                        // SAFETY: loom checks it.
                        other.bodies[place(begin + 1)].with_mut(|at| unsafe { *at = number });
                        // The bytes of a message cover what could be a control word.
                        let stamp = producer.lines.stamp(begin + 1).wrapping_add(other_lap);
                        let word = Control::new(stamp, KIND_MESSAGE, 1, 8);
                        let line = &other.memory.lines[place(begin + 1)];
                        line.control.store(word.0, Ordering::Relaxed);
                    }
                    producer.publish_room(KIND_MESSAGE, number as u8, len as u32);
                }
            });
            for number in 1..=messages {
                let control = next(&mut consumer);
                assert_eq!(control.tag(), number as u8);
                let message = consumer.message(control).expect("in order");
                assert_eq!(message.len, if long(number) { LINE } else { 8 });
                for line in consumer.position..consumer.position + lines_of(message.len) {
                    // SAFETY: loom checks it.
                    let found = watched.bodies[line as usize % COUNT].with(|at| unsafe { *at });
                    assert_eq!(found, number);
                }
                consumer.release(message);
            }
            sender.join().unwrap();
        });
    }

    #[test]
    fn model_lines_are_handed_over_and_back() {
        check(6, |_| false);
    }

    #[test]
    fn model_what_a_message_leaves_behind_is_not_taken_for_one() {
        check(4, |_| true);
    }

    #[test]
    fn model_short_and_long_messages_together() {
        check(5, |number| number.is_multiple_of(2));
    }
}

#[cfg(not(feature = "loom"))]
mod properties {
    use std::collections::VecDeque;
    use std::ffi::c_void;
    use std::ptr::null_mut;

    use cairn_segment::page_size;
    use proptest::prelude::*;

    use super::*;

    const COUNT: usize = 64;
    const BYTES: usize = COUNT * LINE;

    /// Words of some of these look like control words of early laps.
    fn bytes(seed: u64, len: usize) -> Vec<u8> {
        let forged = Control::new((seed / 16 % 32) as u16, KIND_MESSAGE, 0xee, 4).0.to_le_bytes();
        let is_forged = seed.is_multiple_of(2);
        let byte = |i: usize| if is_forged { forged[i % 8] } else { (i as u64 ^ seed) as u8 };
        (0..len).map(byte).collect()
    }

    /// Sends if there is room, and says whether there was. Every third message is an answer.
    fn send(producer: &mut Producer, seed: u64, len: usize, shorter: usize) -> bool {
        let answers = seed.is_multiple_of(3);
        let written = len - shorter.min(len);
        let message = bytes(seed, written);
        if len <= INLINE {
            if !producer.has_line() && !producer.look(len, answers) {
                return false;
            }
            let place = producer.body();
            // SAFETY: the body has room for what is not longer.
            unsafe { place.copy_from_nonoverlapping(message.as_ptr(), written) };
            producer.publish(KIND_MESSAGE, seed as u8, written as u32);
            return true;
        }
        let Some(room) = producer.room(len, answers) else { return false };
        // SAFETY: the room has `len` bytes.
        unsafe { room.place.copy_from_nonoverlapping(message.as_ptr(), written) };
        producer.publish_room(KIND_MESSAGE, seed as u8, written as u32);
        true
    }

    #[derive(Debug, Clone)]
    enum Step {
        Send { len: usize, shorter: usize },
        Receive { count: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        let len = prop_oneof![3 => 0..=INLINE, 3 => INLINE + 1..300, 1 => 300..=4 * BYTES];
        prop_oneof![
            3 => (len, prop_oneof![4 => Just(0usize), 1 => 0..2000usize])
                .prop_map(|(len, shorter)| Step::Send { len, shorter }),
            1 => (0..40usize)
                .prop_map(|count| Step::Receive { count }),
        ]
    }

    /// Steps against a queue. `asked`: the producer asks for memory; whether to try again.
    fn is_a_queue(
        (mut producer, mut consumer): (Producer, Consumer),
        steps: Vec<Step>,
        mut asked: impl FnMut(&mut Producer, usize) -> bool,
    ) -> Result<(), TestCaseError> {
        let mut model: VecDeque<(u64, usize)> = VecDeque::new();
        let mut seed = 0;
        for step in steps {
            match step {
                Step::Send { len, shorter } => {
                    seed += 1;
                    let len = len % (producer.lines.count() as usize * LINE / 4 + 1);
                    let sent = send(&mut producer, seed, len, shorter)
                        || (producer.asks(len).is_some_and(|more| asked(&mut producer, more))
                            && send(&mut producer, seed, len, shorter));
                    if sent {
                        model.push_back((seed, len - shorter.min(len)));
                    } else {
                        // A consumer that has taken everything never leaves a sender waiting.
                        prop_assert!(!model.is_empty() || producer.lacks_memory(len));
                    }
                }
                Step::Receive { count } => {
                    for _ in 0..count {
                        let Some(control) = peek(&mut consumer) else {
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
                }
            }
        }
        Ok(())
    }

    /// Pages of a ring's lines whose memory may end.
    const LONG_PAGES: usize = 16;

    /// A ring of which a touch of what was not given yet ends the process.
    struct Guarded {
        head: Box<Head>,
        lines: *mut c_void,
    }

    impl Guarded {
        fn new() -> Self {
            let (len, flags) = (LONG_PAGES * page_size(), libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a new mapping at an address that the kernel chooses.
            let lines = unsafe { libc::mmap(null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
            assert_ne!(lines, libc::MAP_FAILED);
            Self { head: Box::default(), lines }
        }

        fn parts(&self) -> Parts {
            let count = (LONG_PAGES * page_size() / LINE) as u64;
            Parts { head: &raw const *self.head, lines: self.lines.cast(), count }
        }

        fn give(&self, bytes: usize) {
            assert!(bytes <= LONG_PAGES * page_size());
            // SAFETY: so many are mapped.
            let status =
                unsafe { libc::mprotect(self.lines, bytes, libc::PROT_READ | libc::PROT_WRITE) };
            assert_eq!(status, 0);
        }
    }

    impl Drop for Guarded {
        fn drop(&mut self) {
            // SAFETY: mapped by `new`, and no test uses its ends any more.
            unsafe { libc::munmap(self.lines, LONG_PAGES * page_size()) };
        }
    }

    proptest! {
        /// Against a queue: what comes out is what went in, whatever the sizes and the laps.
        #[test]
        fn a_ring_is_a_queue(
            in_turns in prop_oneof![Just(None), (0..20 * BYTES).prop_map(Some)],
            steps in prop::collection::vec(step(), 1..600),
        ) {
            let count = if in_turns.is_some() { 16 * COUNT } else { COUNT };
            let mut memory = Memory::new(count);
            let (mut producer, consumer) = memory.ends();
            if let Some(window) = in_turns {
                producer = producer.in_turns(window);
            }
            is_a_queue((producer, consumer), steps, |_, _| false)?;
        }

        /// The same where memory comes when it is asked for, or not: what has none is not touched.
        #[test]
        fn messages_lie_where_there_is_memory(
            in_turns in any::<bool>(),
            pages in 1..LONG_PAGES,
            grants in prop::collection::vec(any::<bool>(), 1..20),
            steps in prop::collection::vec(step(), 1..600),
        ) {
            let guarded = Guarded::new();
            // SAFETY: the memory stays, and the ends are the only ones.
            let (mut producer, consumer) =
                unsafe { (Producer::new(guarded.parts()), Consumer::new(guarded.parts())) };
            if in_turns {
                producer = producer.in_turns(0);
            }
            let give = |producer: &mut Producer, bytes| {
                guarded.give(bytes);
                producer.has_memory(bytes);
            };
            give(&mut producer, pages * page_size());
            let mut grants = grants.into_iter().cycle();
            is_a_queue((producer, consumer), steps, |producer, bytes| {
                match grants.next() {
                    Some(true) => give(producer, bytes.next_multiple_of(page_size())),
                    _ => producer.refuse(),
                }
                true
            })?;
        }

        /// Whatever a control word says, the message lies inside the ring or is refused.
        #[test]
        fn a_control_word_leads_nowhere_else(word in any::<u64>(), len in 0u32..8192, sent in 0usize..60) {
            let mut memory = Memory::new(COUNT);
            let parts = memory.parts();
            let (mut producer, mut consumer) = memory.ends();
            for seed in 0..sent as u64 {
                prop_assert!(send(&mut producer, seed, 57, 0));
                let control = peek(&mut consumer).expect("sent");
                let message = consumer.message(control).expect("in order");
                consumer.release(message);
            }
            for word in [Control(word), Control::new(0, KIND_MESSAGE, 0, len)] {
                if let Some(message) = consumer.message(word) {
                    let (begin, end) = (message.data.addr(), message.data.addr() + message.len);
                    let first = parts.lines.addr();
                    prop_assert!(begin >= first && end <= first + BYTES);
                }
            }
        }
    }

    #[test]
    fn sixteen_bits_of_stamp_are_enough() {
        let mut memory = Memory::new(COUNT);
        let (mut producer, mut consumer) = memory.ends();
        // Before and after the stamp comes around.
        for lap in [1, 65_534, 65_535, 65_536, 131_071] {
            let position = lap * COUNT as u64;
            producer.tail = position;
            (producer.limit, producer.free) =
                (position + COUNT as u64 - 1, position + COUNT as u64 - 1);
            consumer.position = position - 1;
            consumer.advance(1);
            memory.lines.iter().for_each(|line| {
                // What the lap before has left.
                let stale = u64::from(lap as u16) << 48;
                line.control.store(stale, Ordering::Relaxed);
            });
            memory.head.position.store(position, Ordering::Relaxed);
            for turn in 0..3 * COUNT as u64 {
                assert!(peek(&mut consumer).is_none(), "lap {lap}, turn {turn}");
                assert!(send(&mut producer, turn, 5, 0));
                let control = peek(&mut consumer).expect("sent");
                let message = consumer.message(control).expect("in order");
                consumer.release(message);
            }
        }
    }

    /// Sends messages of `len` bytes that are received at once, and says how many lines they went to.
    fn lines_used(messages: usize, len: usize, answers: impl Fn(usize) -> bool) -> usize {
        let mut memory = Memory::new(4096);
        let first = memory.lines.as_ptr().addr();
        let (mut producer, mut consumer) = memory.ends();
        let mut used = vec![false; 4096];
        for message in 0..messages {
            let room = producer.room(len, answers(message)).expect("room");
            if !answers(message) {
                producer.follow();
            }
            used[(room.place.addr() - first) / LINE] = true;
            producer.publish_room(KIND_MESSAGE, 1, len as u32);
            receive(&mut consumer, (1, len));
        }
        used.into_iter().filter(|it| *it).count()
    }

    #[test]
    fn messages_that_answer_each_other_stay_in_few_lines() {
        let lap = SHORT_LAP as usize;
        assert!(lines_used(20_000, 8, |_| true) <= lap);
        // By the line in which one begins.
        assert!(lines_used(20_000, 1024, |_| true) <= lap.div_ceil(17));
        assert!(lines_used(20_000, 4096, |_| true) <= 2);
        // Ones that follow each other go through the whole ring, also where some answer.
        assert_eq!(lines_used(20_000, 8, |_| false), 4096);
        assert_eq!(lines_used(20_000, 8, |message| message % 64 == 0), 4096);
        // After some that follow it takes a while.
        assert!(lines_used(20_000, 8, |message| message > 100) <= 3 * lap);
        assert_eq!(lines_used(8_000, 8, |message| !(1000..7900).contains(&message)), 4096);
    }

    /// How many messages a sender in turns with its receiver puts into the ring before it waits.
    fn in_a_turn(producer: &mut Producer, len: usize) -> usize {
        let mut sent = 0;
        while producer.room(len, false).is_some() {
            producer.publish_room(KIND_MESSAGE, 1, len as u32);
            producer.follow();
            sent += 1;
        }
        sent
    }

    #[test]
    fn short_messages_take_a_window_of_a_ring_in_turns() {
        let mut memory = Memory::new(4096);
        let (producer, mut consumer) = memory.ends();
        let (mut producer, window) = (producer.in_turns(256 * LINE), 256);
        for (len, most) in [(8, window), (1000, window), (SHORT, window), (SHORT + 64, 4096)] {
            for turn in 0..50 {
                let sent = in_a_turn(&mut producer, len);
                let begin = producer.lines.index(producer.tail) as usize;
                assert!(
                    begin <= most as usize,
                    "{len} bytes, turn {turn}: the lap goes on at {begin}"
                );
                // A turn may begin with what is left of the last lap.
                let per = lines_of(len);
                assert!(
                    sent as u64 >= (most - per) / per,
                    "{len} bytes, turn {turn}: {sent} messages"
                );
                assert!(sent as u64 * per <= most, "{len} bytes, turn {turn}: {sent} messages");
                (0..sent).for_each(|_| receive(&mut consumer, (1, len)));
                assert!(peek(&mut consumer).is_none());
            }
        }
    }

    /// Longer messages fill the ring, and a short one finds room when the receiver has taken them.
    #[test]
    fn a_window_ends_with_its_turn() {
        let mut memory = Memory::new(4096);
        let (producer, mut consumer) = memory.ends();
        let mut producer = producer.in_turns(256 * LINE);
        for _ in 0..20 {
            let sent = in_a_turn(&mut producer, 3 * ENDS_LAP);
            (0..sent).for_each(|_| receive(&mut consumer, (1, 3 * ENDS_LAP)));
            assert!(producer.has_line() || producer.look(8, true));
            pass(&mut producer, &mut consumer, 8, false);
        }
    }

    #[test]
    fn a_window_begins_again_behind_a_longer_message() {
        let mut memory = Memory::new(4096);
        let (producer, _) = memory.ends();
        let mut producer = producer.in_turns(256 * LINE);
        assert_eq!(in_a_turn(&mut producer, 8), 256);
        for lines in [512, 100, 20, 512, 74] {
            producer.room(lines * LINE - CONTROL, false).expect("room");
            producer.publish_room(KIND_MESSAGE, 1, (lines * LINE - CONTROL) as u32);
            assert_eq!(in_a_turn(&mut producer, 8), 256, "behind one of {lines} lines");
        }
    }

    #[test]
    fn a_longer_message_without_room_does_not_widen_the_window() {
        let mut memory = Memory::new(4096);
        let (producer, mut consumer) = memory.ends();
        let mut producer = producer.in_turns(256 * LINE);
        let long = 64 * 1024 - CONTROL;
        let sent = in_a_turn(&mut producer, long);
        assert_eq!(sent, 3);
        receive(&mut consumer, (1, long));
        assert_eq!(in_a_turn(&mut producer, long), 1);
        let short = in_a_turn(&mut producer, 8);
        assert_eq!(short, 256);
    }

    /// A filler goes only before a message that has room behind it.
    #[test]
    fn the_least_window_has_room_for_a_filler_and_its_message() {
        let mut memory = Memory::new(512);
        let (producer, mut consumer) = memory.ends();
        let mut producer = producer.in_turns(0);
        (0..TURN_STRIDE).for_each(|_| pass(&mut producer, &mut consumer, 8, false));
        let before = producer.tail;
        // A short one would lie across where the receiver waits by all lines but one.
        let lines = (TURN_STRIDE + 1 - SHORT_LINES) as usize;
        producer.room(lines * LINE - CONTROL, true).expect("room");
        producer.publish_room(KIND_MESSAGE, 1, (lines * LINE - CONTROL) as u32);
        assert!(
            producer.tail > before + TURN_STRIDE,
            "a lap has ended: the receiver waits in the new one"
        );
        assert!(producer.room(SHORT, false).is_some());
    }

    /// What was left out at the end of a lap is free in the next one, though the receiver has not seen it begin.
    #[test]
    fn a_lap_that_ends_early_takes_no_room() {
        let mut memory = Memory::new(4096);
        let (mut producer, mut consumer) = memory.ends();
        while producer.tail < 4096 {
            pass(&mut producer, &mut consumer, 8, true);
        }
        assert_eq!(producer.tail, 4097, "a lap ended early");
        let sent = (1..10_000).take_while(|_| {
            let room = producer.room(8, false).is_some();
            if room {
                producer.publish_room(KIND_MESSAGE, 1, 8);
            }
            room
        });
        assert_eq!(sent.count(), 4095);
        (0..4095).for_each(|_| receive(&mut consumer, (1, 8)));
        assert!(peek(&mut consumer).is_none());
    }

    /// Sends one and receives it.
    fn pass(producer: &mut Producer, consumer: &mut Consumer, len: usize, answers: bool) {
        producer.room(len, answers).expect("room");
        producer.publish_room(KIND_MESSAGE, 1, len as u32);
        receive(consumer, (1, len));
    }

    /// Receives a message of this tag and length.
    fn receive(consumer: &mut Consumer, tag_and_len: (u8, usize)) {
        let control = peek(consumer).expect("sent");
        let found = (control.kind(), (control.tag(), control.len()));
        assert_eq!(found, (KIND_MESSAGE, tag_and_len));
        consumer.release(consumer.message(control).expect("in order"));
    }

    /// Sends words that look like a message of the first lap.
    fn send_forged(producer: &mut Producer, tag: u8, len: usize) -> bool {
        let Some(room) = producer.room(len, false) else { return false };
        let forged = Control::new(1, KIND_MESSAGE, 9, 4).0;
        for at in (0..len / 8).map(|word| 8 * word) {
            // SAFETY: inside the room.
            unsafe { room.place.add(at).cast::<u64>().write_unaligned(forged) };
        }
        producer.publish_room(KIND_MESSAGE, tag, len as u32);
        true
    }

    #[test]
    fn laps_may_be_as_many_as_stamps() {
        for len in [8, 1024, 4096, 4500] {
            let mut memory = Memory::new(32768);
            let (mut producer, mut consumer) = memory.ends();
            for _ in 0..140_000 {
                pass(&mut producer, &mut consumer, len, true);
            }
            let laps = producer.tail >> 15;
            assert!(len < 4096 || laps > 65_536, "{laps} laps");
        }
    }

    /// A lap has ended early, and the receiver does not look while the ring fills.
    #[test]
    fn a_burst_leaves_the_place_alone_where_the_receiver_waits() {
        let mut memory = Memory::new(4096);
        let (mut producer, mut consumer) = memory.ends();
        for _ in 0..SHORT_LAP {
            pass(&mut producer, &mut consumer, 8, true);
        }
        producer.room(8, true).expect("room");
        assert_eq!(producer.tail, 4096, "the lap has not ended");
        let lens = [8, 60_000, 8, 60_000];
        assert!(lens.iter().all(|len| send_forged(&mut producer, 2, *len)));
        lens.iter().for_each(|len| receive(&mut consumer, (2, *len)));
        assert!(peek(&mut consumer).is_none());
    }

    /// The same where a lap has ended because there was no room in it.
    #[test]
    fn messages_leave_the_place_alone_where_the_receiver_waits() {
        const LEN: usize = 9 * LINE - 9;
        let mut memory = Memory::new(COUNT);
        let (mut producer, mut consumer) = memory.ends();
        for _ in 0..60 {
            pass(&mut producer, &mut consumer, 8, false);
        }
        let sent = (1..=7).take_while(|tag| send_forged(&mut producer, *tag, LEN)).count() as u8;
        assert!(sent >= 6);
        (1..=sent).for_each(|tag| receive(&mut consumer, (tag, LEN)));
    }

    /// A word that is cleared is not cleared to what the receiver waits for.
    #[test]
    fn what_is_cleared_is_of_no_lap_that_is_near() {
        let mut memory = Memory::new(COUNT);
        let (mut producer, mut consumer) = memory.ends();
        let position = 32_766 * COUNT as u64;
        (producer.tail, consumer.position) = (position, position - 1);
        producer.free = position + COUNT as u64 - 1;
        producer.limit = producer.free;
        consumer.advance(1);
        for _ in 0..60 {
            pass(&mut producer, &mut consumer, 8, false);
        }
        memory.lines[60].control.store(Control::new(32_768, 0, 0, 0).0, Ordering::Relaxed);
        let sent = (0..6).take_while(|_| send_forged(&mut producer, 7, 600)).count();
        (0..sent).for_each(|_| receive(&mut consumer, (7, 600)));
    }

    /// The middle of a message looks like the control word that the consumer waits for a lap later.
    #[test]
    fn what_a_message_leaves_behind_is_no_message() {
        let mut memory = Memory::new(COUNT);
        let (mut producer, mut consumer) = memory.ends();
        let room = producer.room(120, false).expect("empty");
        let forged = Control::new(2, KIND_MESSAGE, 9, 4).0;
        // SAFETY: the room has 120 bytes; the second line begins at byte 56.
        unsafe { room.place.add(56).cast::<u64>().write_unaligned(forged) };
        producer.publish_room(KIND_MESSAGE, 1, 120);
        receive(&mut consumer, (1, 120));
        for turn in 3..=COUNT as u64 {
            assert!(peek(&mut consumer).is_none());
            assert!(send(&mut producer, turn, 8, 0));
            receive(&mut consumer, (turn as u8, 8));
        }
        assert!(peek(&mut consumer).is_none());
        // Ends just before the line.
        assert!(send(&mut producer, 1, 8, 0));
        assert_eq!(producer.tail, COUNT as u64 + 1);
        receive(&mut consumer, (1, 8));
        assert!(peek(&mut consumer).is_none(), "a forged message");
    }

    #[test]
    fn a_head_that_can_not_be_is_a_full_ring() {
        let mut memory = Memory::new(COUNT);
        let (mut producer, _) = memory.ends();
        for head in [u64::MAX / 2, u64::MAX, u64::MAX - 10] {
            memory.head.position.store(head, Ordering::Relaxed);
            let sent = (0..10_000).take_while(|seed| send(&mut producer, *seed, 8, 0)).count();
            assert!(sent < COUNT);
            assert!(!producer.look(8, true));
        }
        assert_eq!(producer.tail, COUNT as u64 - 1);
    }

    /// A message that its receiver hardly looked at, and then ones that are copied.
    #[test]
    fn a_cost_that_was_very_low_rises_again() {
        let mut memory = Memory::new(COUNT);
        let (producer, mut consumer) = memory.ends();
        consumer.took(false, 16 << 10, 60);
        for _ in 0..10_000 {
            consumer.took(false, 16 << 10, 3000);
        }
        assert!(producer.costs()[0] > 100, "{:?} ticks a KiB", producer.costs());
    }

    /// The clock of another processor is behind.
    #[test]
    fn a_clock_that_goes_back_is_no_panic() {
        let mut memory = Memory::new(COUNT);
        let (producer, mut consumer) = memory.ends();
        consumer.took(false, 16 << 10, 0u64.wrapping_sub(5));
        assert!(producer.costs()[0] > 0);
    }

    #[test]
    fn a_producer_without_a_ring_looks_full() {
        let producer = Producer::closed();
        assert!(!producer.has_line() && !producer.is_open());
    }

    #[test]
    fn a_message_is_received_while_it_is_written() {
        const LEN: usize = 3 * PIECE;
        let mut memory = Memory::new(4 * LEN.next_power_of_two() / LINE);
        let (mut producer, mut consumer) = memory.ends();
        // Around the ring, whose end the messages do not meet.
        for lap in 0..20 {
            producer.room(LEN, true).expect("room");
            let mut growing = producer.begin(7, LEN as u32, 1);
            let control = peek(&mut consumer).expect("a message");
            assert_eq!((control.kind(), control.tag(), control.len()), (KIND_GROWING | 1, 7, LEN));
            let message = consumer.message(control).expect("in order");
            let coming = consumer.coming(control);
            // SAFETY: the memory is there, and the message is not given back.
            let there = |have| unsafe { coming.there(have) };
            assert_eq!([there(0), there(grown(1))], [(grown(1), None); 2]);
            producer.grow(&mut growing);
            assert_eq!([there(0), there(100), there(grown(1) + 1)], [(grown(2), None); 3]);
            producer.grow(&mut growing);
            assert_eq!(there(grown(1)), (grown(3), None));
            producer.finish(&mut growing, KIND_STREAMED);
            let all = (LEN, Some(KIND_STREAMED));
            assert_eq!([there(0), there(grown(3)), there(LEN)], [all; 3]);
            consumer.release(message);
            assert!(peek(&mut consumer).is_none(), "{lap}");
        }
        // A step is not all of a message that grows.
        for (step, len) in [(0, 2 * PIECE), (1, 100), (1, grown(1)), (2, grown(2))] {
            let control = Control::new(1, KIND_GROWING | step, 7, len as u32);
            assert!(consumer.message(control).is_none(), "{step} {len}");
        }
        assert!(consumer.message(Control::new(1, KIND_GROWING | 1, 7, PIECE as u32)).is_some());
    }

    #[test]
    fn steps_are_seen_by_what_is_said_of_later_ones() {
        const LEN: usize = 20 * PIECE;
        let mut memory = Memory::new(4 * LEN.next_power_of_two() / LINE);
        let (mut producer, mut consumer) = memory.ends();
        for step in [1, 2, 3] {
            // The first is still being read when the second one is finished: both use the same lines.
            let messages = [LEN, LEN - 1000].map(|len| {
                producer.room(len, false).expect("room");
                let mut growing = producer.begin(7, len as u32, step);
                let steps = (len + CONTROL).div_ceil(usize::from(step) * PIECE);
                (2..steps).for_each(|_| producer.grow(&mut growing));
                producer.finish(&mut growing, KIND_CACHED);
                len
            });
            for (len, kind) in messages.into_iter().zip([KIND_MESSAGE, KIND_CACHED]) {
                let control = peek(&mut consumer).expect("a message");
                let message = consumer.message(control).expect("in order");
                // SAFETY: as above.
                let there = |have| unsafe { consumer.coming(control).there(have) };
                let (all, ends) = (there(0), there(len));
                assert_eq!((all.0, all), (len, ends));
                // The first one's word is there still if it has more steps than the other one has overwritten.
                assert!(all.1.is_some_and(|all| all == kind || all == KIND_CACHED));
                consumer.release(message);
            }
        }
    }
}
