//! A ring of btl_sm, read by its receiver while another process writes into it what it likes.

use btl_sm::ring::{
    Consumer, Head, KIND_CACHED, KIND_CONTROL, KIND_GROWING, KIND_MESSAGE, KIND_STREAMED, LINE,
    Line, Parts, Producer, grown,
};

use crate::bytes::Bytes;

/// Lines of the ring.
const LINES: usize = 512;
/// Words of its head.
const HEAD: usize = size_of::<Head>() / 8;

/// Memory of a ring, on a boundary as in a segment, and what is behind it.
#[repr(C, align(128))]
struct Memory {
    head: [u8; size_of::<Head>()],
    lines: [[u64; LINE / 8]; LINES],
}

/// What the sender does, in turns with the receiver.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    // On the heap, so that AddressSanitizer sees what is behind it.
    let memory = Box::into_raw(Box::new(Memory {
        head: [0; size_of::<Head>()],
        lines: [[0; LINE / 8]; LINES],
    }));
    // SAFETY: just made.
    let (head, lines) = unsafe { (&raw mut (*memory).head, &raw mut (*memory).lines) };
    let parts = Parts { head: head.cast(), lines: lines.cast::<Line>(), count: LINES as u64 };
    // SAFETY: the memory stays until the end of this function.
    let (mut sender, mut receiver) = unsafe { (Producer::new(parts), Consumer::new(parts)) };
    let mut dropped = false;
    while !bytes.is_over() && !dropped {
        match bytes.byte() % 5 {
            0 => {
                let (at, value) = (usize::from(bytes.u16()) % (LINES * LINE / 8), bytes.u64());
                // SAFETY: below the number of words.
                unsafe { lines.cast::<u64>().add(at).write(value) };
            }
            1 => {
                // A message as it has to be.
                let (tag, len) = (bytes.byte(), usize::from(bytes.u16()) % (LINES * LINE / 4));
                let answers = bytes.byte() % 2 == 0;
                if sender.look(len, answers)
                    && let Some(room) = sender.room(len, answers)
                {
                    // SAFETY: there is room for so many.
                    unsafe { room.place.write_bytes(tag, len) };
                    let kind = [KIND_MESSAGE, KIND_CACHED, KIND_STREAMED][usize::from(tag) % 3];
                    sender.publish_room(kind, tag, len as u32);
                }
            }
            2 => {
                let (at, value) = (usize::from(bytes.byte()) % HEAD, bytes.u64());
                // SAFETY: below the number of words.
                unsafe { head.cast::<u64>().add(at).write(value) };
            }
            4 => {
                // One that grows, or of which nothing follows the first steps.
                let (tag, step, told) = (bytes.byte(), 1 + bytes.byte() % 2, bytes.byte() % 4);
                let len = grown(usize::from(step)) + 1 + usize::from(bytes.byte());
                if sender.look(len, false)
                    && let Some(room) = sender.room(len, false)
                {
                    // SAFETY: there is room for so many.
                    unsafe { room.place.write_bytes(tag, len) };
                    let mut growing = sender.begin(tag, len as u32, step);
                    (1..told).for_each(|_| sender.grow(&mut growing));
                    if told > 0 {
                        sender.finish(&mut growing, KIND_CACHED);
                    }
                }
            }
            _ => dropped = !receive(&mut receiver, lines.cast()),
        }
    }
    if !dropped {
        receive(&mut receiver, lines.cast());
    }
    // SAFETY: made above, and not used any more.
    drop(unsafe { Box::from_raw(memory) });
}

/// Reads as a receiver does; false when the sender has broken the rules.
fn receive(ring: &mut Consumer, lines: *const u8) -> bool {
    // No more than one lap: what is read is not made invalid here.
    for _ in 0..=LINES {
        let Some(control) = ring.peek() else { return true };
        let Some(message) = ring.message(control) else { return false };
        let begin = message.data.addr() - lines.addr();
        assert!(begin % LINE == 8 && begin + message.len <= LINES * LINE, "inside the ring");
        assert!(control.kind() != KIND_CONTROL || message.len <= LINE - 8);
        if control.kind() & KIND_GROWING != 0 {
            let coming = ring.coming(control);
            for have in [0, message.len / 2, message.len, usize::MAX] {
                // SAFETY: it was not given back.
                let (there, kind) = unsafe { coming.there(have) };
                assert!(there <= message.len && (kind.is_none() || there == message.len));
            }
        }
        // SAFETY: inside the ring; AddressSanitizer looks.
        let sum =
            (0..message.len).fold(0u8, |sum, at| sum ^ unsafe { message.data.add(at).read() });
        std::hint::black_box(sum);
        ring.release(message);
    }
    true
}

pub fn seeds() -> Vec<Vec<u8>> {
    let send = |len: u16| [&[1, 77][..], &len.to_le_bytes()].concat();
    let control = |kind: u64, len: u64| {
        // Where the first message is: the stamp of the first lap.
        [&[0, 0, 0][..], &(1 << 48 | kind << 40 | 7 << 32 | len).to_le_bytes()].concat()
    };
    let laps: Vec<u8> = (0..40).flat_map(|number| [send(number * 23), vec![3]].concat()).collect();
    vec![
        laps,
        [send(8), send(56), vec![3], send(1000), vec![3]].concat(),
        [control(1, 4088), vec![3]].concat(),
        [control(2, 56), vec![3]].concat(),
        [control(3, 0), vec![3]].concat(),
        // Growing, whole and not, and with words in the head.
        [vec![4, 7, 0, 1, 9, 3], vec![4, 7, 1, 3, 200, 3], vec![4, 7, 0, 0, 1, 3]].concat(),
        [vec![4, 7, 0, 0, 1], vec![2, 24], u64::MAX.to_le_bytes().to_vec(), vec![3]].concat(),
        [control(0x81, 5000), vec![2, 32, 1, 2, 3, 4, 5, 6, 7, 8, 3]].concat(),
        [control(0xff, 30_000), vec![3]].concat(),
    ]
}
