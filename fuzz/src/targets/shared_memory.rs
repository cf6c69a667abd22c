//! Two ranks with btl_sm and smsc_ring, one of which writes into the other's segments what it likes.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use btl_sm::ring::{INLINE, KIND_CONTROL, KIND_MESSAGE, Producer};
use btl_sm::wire::{ENTRY_TAKEN, Geometry};
use cairn_conformance::ranks::Ranks;
use cairn_framework::abi::job::THREAD_SINGLE;
use cairn_framework::abi::receive::Received;
use cairn_framework::frameworks::btl::{BtlCompletion, BtlTransfer};
use cairn_segment::{Part, Segment};

use crate::bytes::Bytes;

/// The tag of messages.
const TAG: u8 = 101;
/// Bytes of memory that is read.
const LONG: usize = 300_000;

unsafe extern "C" fn collect(_: *mut c_void, received: *const Received) {
    // SAFETY: the message is valid during the call.
    let bytes =
        unsafe { std::slice::from_raw_parts((*received).data.cast::<u8>(), (*received).len) };
    std::hint::black_box(bytes.iter().fold(0, |sum, byte| sum ^ byte));
}

unsafe extern "C" fn done(_: *mut BtlCompletion, _: i32) {}

/// The card that a rank has published under this name.
fn card(ranks: &Ranks, rank: u32, name: &str) -> Option<&'static [u8]> {
    let cards = ranks.system(rank).own_cards();
    cards.into_iter().find(|(owner, _)| owner == name).map(|(_, card)| card)
}

/// Two ranks, and a ring of rank 1 in the memory of rank 0 that only this writes to.
struct Attack {
    ranks: Ranks,
    segment: Segment,
    ring: Part,
    sender: Producer,
}

impl Attack {
    fn begin() -> Self {
        let mca =
            [("btl", "sm"), ("smsc", "ring"), ("mca_log", "off"), ("btl_sm_ring_size", "16k")];
        let ranks = Ranks::start(2, THREAD_SINGLE, &mca, |_, system| {
            // SAFETY: the function is for any thread and has no context.
            unsafe { assert!(system.receive_register(TAG, collect, null_mut())) };
        });
        let ranks = ranks.expect("ranks that can start");
        let card = card(&ranks, 0, "btl_sm").expect("a card");
        let segment = Segment::attach(card).expect("a segment");
        let (geometry, _) = Geometry::read(&segment).expect("a sound segment");
        let own = geometry.rings - 1;
        let ring = segment.reserve(geometry.place(own)).expect("memory for a ring");
        let entry = geometry.entry(&segment, own);
        entry.state.store(ENTRY_TAKEN, Ordering::Relaxed);
        entry.rank.store(1, Ordering::Relaxed);
        geometry.news(&segment, 0).newest.push(own as u32, &entry.next);
        // SAFETY: the part is kept, and there is no other sender.
        let sender = unsafe { Producer::new(geometry.parts(&ring)) };
        Self { ranks, segment, ring, sender }
    }

    /// Sends what fits a line; whether there was room.
    fn send(&mut self, kind: u8, tag: u8, len: u32, body: &[u8; INLINE]) -> bool {
        let room = self.sender.look(INLINE, true);
        if room {
            // SAFETY: a line has room for so many.
            unsafe { self.sender.body().copy_from_nonoverlapping(body.as_ptr(), INLINE) };
            self.sender.publish(kind, tag, len.min(INLINE as u32));
        }
        room
    }
}

/// What rank 1 does to rank 0.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut attack = Attack::begin();
    let ways = [(0, 1), (1, 0)].map(|(from, to)| attack.ranks.way(from, to).expect("a way"));
    let buffers =
        card(&attack.ranks, 0, "smsc_ring").map(|card| Segment::attach(card).expect("buffers"));

    // Memory of each rank that the other may read, and where it is read to.
    let (mut memory, mut into) = (vec![vec![3u8; LONG]; 2], vec![vec![0u8; LONG]; 2]);
    // SAFETY: the memory stays until the ranks are closed.
    let exposed = [0, 1].map(|rank| unsafe { ways[rank].expose(&mut memory[rank]) });
    let mut completions: Vec<Box<BtlCompletion>> = Vec::new();
    while !bytes.is_over() {
        match bytes.byte() % 8 {
            0 => {
                let words = attack.segment.front_len() / 8;
                poke(
                    attack.segment.front(),
                    16 + usize::from(bytes.u16()) % (words - 16),
                    bytes.u64(),
                );
            }
            1 => {
                let words = attack.ring.len() / 8;
                poke(attack.ring.base(), usize::from(bytes.u16()) % words, bytes.u64());
            }
            2 | 3 => {
                // A message whose control word is in order, which may be an order to read.
                let (kind, tag, len) = (bytes.byte(), bytes.byte(), bytes.u16());
                let mut body = [0u8; INLINE];
                let said = bytes.take(INLINE.min(len.into()));
                body[..said.len()].copy_from_slice(said);
                if kind & 4 != 0 {
                    // The key and the address of what may be read.
                    body[..8].copy_from_slice(&exposed[0].1[..8]);
                    let address = memory[0].as_ptr().expose_provenance() as u64;
                    body[8..16].copy_from_slice(&(address + u64::from(kind >> 3)).to_le_bytes());
                }
                let control = kind & 1 != 0;
                let kind = if control { KIND_CONTROL } else { KIND_MESSAGE };
                let tag = if control { tag % 4 } else { TAG };
                attack.send(kind, tag, len.into(), &body);
            }
            4 => {
                let which = usize::from(bytes.byte() & 1);
                let way = &ways[which];
                // SAFETY: one thread; the other rank has its lock to itself.
                unsafe { way.send(way.cri(0), TAG, &[7; 8], &[9; 100]) };
            }
            5 => {
                let which = usize::from(bytes.byte() & 1);
                let (way, other) = (&ways[which], 1 - which);
                // SAFETY: keys, memory and completions stay until the ranks are closed.
                unsafe {
                    let (status, key) = way.unpack(&exposed[other].1);
                    if status == 0 {
                        let transfer = BtlTransfer {
                            local: into[which].as_mut_ptr().cast(),
                            registration: null_mut(),
                            remote: memory[other].as_ptr().expose_provenance() as u64,
                            key,
                            len: 1 + usize::from(bytes.u16()) * 4,
                        };
                        completions.push(Box::new(BtlCompletion {
                            done: Some(done),
                            context: null_mut(),
                        }));
                        let completion = completions.last_mut().expect("just pushed");
                        way.get(way.cri(0), &transfer, &raw mut **completion);
                    }
                }
            }
            6 => {
                if let Some(buffers) = &buffers {
                    // The first bounce buffer behind the directory, which has memory once it was used.
                    let page = cairn_segment::page_size();
                    let buffer = buffers.reserve(page..2 * page);
                    if let Ok(buffer) = buffer {
                        poke(buffer.base(), usize::from(bytes.u16()) % 32, bytes.u64());
                    }
                }
            }
            _ => _ = attack.ranks.progress(),
        }
    }
    for _ in 0..20 {
        attack.ranks.progress();
    }
    attack.ranks.close();
}

fn poke(base: *mut u8, word: usize, value: u64) {
    // SAFETY: callers name a word of memory that is mapped and reserved; both ranks use atomics for it.
    unsafe { base.cast::<u64>().add(word).write_volatile(value) };
}

pub fn seeds() -> Vec<Vec<u8>> {
    // Orders to read: key, address (both are filled in), length, component, ticket.
    let order = |len: u64, mover: u16, ticket: &[u8]| {
        let mut body = [0u8; INLINE];
        body[16..24].copy_from_slice(&len.to_le_bytes());
        body[24..26].copy_from_slice(&mover.to_le_bytes());
        body[26..28].copy_from_slice(&(ticket.len() as u16).to_le_bytes());
        body[32..32 + ticket.len()].copy_from_slice(ticket);
        [&[2, 1 | 4, 1, INLINE as u8, 0][..], &body].concat()
    };
    vec![
        vec![4, 0, 4, 1, 7, 7, 4, 1, 7, 7],
        vec![4, 0, 4, 1, 7, 5, 0, 0, 80, 7, 7, 7, 5, 1, 0, 80, 7, 7, 7, 7, 7, 7],
        [order(20_000, 1, &[3, 2, 0, 1, 0, 0, 0]), vec![7, 7, 7]].concat(),
        [vec![2, 1, 2, 8, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], vec![7]].concat(),
        vec![5, 0, 0, 80, 7, 6, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 7, 7, 7],
        vec![1, 16, 0, 8, 0, 0, 0, 101, 1, 1, 0, 7, 0, 64, 1, 1, 0, 0, 0, 0, 0, 0, 0, 7],
    ]
}

#[cfg(test)]
mod tests {
    use btl_sm::ring::LINE;
    use cairn_framework::abi::status::QUEUED;

    use super::*;

    /// Tag of a refusal: the number of a transfer, above it that of an instance, and a status.
    const REFUSAL: u8 = 2;

    #[test]
    fn a_refusal_for_no_instance_is_not_kept() {
        let mut attack = Attack::begin();
        let refusal = |instance: u32| {
            let mut body = [0; INLINE];
            body[..4].copy_from_slice(&(instance << 16).to_le_bytes());
            body
        };
        for (instance, taken) in [(0, true), (0xffff, false)] {
            // More than the ring has room for.
            let lines = 2 * attack.ring.len() / LINE;
            let sent = (0..lines).filter(|_| {
                let sent = attack.send(KIND_CONTROL, REFUSAL, 8, &refusal(instance));
                attack.ranks.progress();
                sent
            });
            assert_eq!(sent.count() == lines, taken, "for instance {instance}");
        }
        attack.ranks.close();
    }

    /// A peer may say that it has what it wants, and go on reading.
    #[test]
    fn memory_is_not_read_after_its_registration() {
        let attack = Attack::begin();
        let [owner, reader] =
            [(0, 1), (1, 0)].map(|(from, to)| attack.ranks.way(from, to).unwrap());
        let (mut memory, mut into) = (vec![3u8; LONG], vec![0u8; LONG]);
        let mut completion = BtlCompletion { done: Some(done), context: null_mut() };
        // SAFETY: memory and completion stay until the ranks are closed; one thread.
        unsafe {
            let (registration, key) = owner.expose(&mut memory);
            let (status, key) = reader.unpack(&key);
            assert_eq!(status, 0);
            let transfer = BtlTransfer {
                local: into.as_mut_ptr().cast(),
                registration: null_mut(),
                remote: memory.as_ptr().expose_provenance() as u64,
                key,
                len: LONG,
            };
            assert_eq!(reader.get(reader.cri(0), &transfer, &mut completion), QUEUED);
            // The owner fills all slots, which are fewer than the message needs.
            attack.ranks.system(0).progress();
            owner.conceal(registration);
        }
        memory.fill(5);
        for _ in 0..100 {
            attack.ranks.progress();
        }
        assert!(into.contains(&3) && !into.contains(&5));
        attack.ranks.close();
    }
}
