//! A ring of btl_sm, read by its receiver while another process writes into it what it likes.

use btl_sm::ring::{
    Consumer, Head, KIND_CACHED, KIND_CONTROL, KIND_MESSAGE, KIND_STREAMED, LINE, Line, Parts,
    Producer,
};

use crate::bytes::Bytes;

/// Lines of the ring.
const LINES: usize = 64;

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
        match bytes.byte() % 4 {
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
                let value = bytes.u64();
                // SAFETY: the head is a word.
                unsafe { head.cast::<u64>().write(value) };
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
    ]
}
