//! smsc_ring reads a peer's ticket and the directory of its segment.

use cairn_framework::frameworks::smsc::{SMSC_MAX_TICKET, SmscTicket};
use cairn_segment::{Backing, HEADER, Options, Segment};
use smsc_ring::bounce::{BOUNCE_BUFFERS, BounceBuffers, Geometry, Plan};
use smsc_ring::transfer::Side;

use crate::bytes::Bytes;

/// Bytes of a directory.
const DIRECTORY: usize = 20;
/// A geometry that fits the parameters' defaults.
const USUAL: Geometry = Geometry { slots: 8, chunk: 32 << 10, span: 1 << 20 };

/// The directory and a ticket.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let segment = segment(&USUAL);
    let directory = bytes.take(DIRECTORY);
    // SAFETY: the front is longer, and belongs to this function.
    unsafe {
        let to = segment.front().add(HEADER);
        std::ptr::copy_nonoverlapping(directory.as_ptr(), to, directory.len());
    }
    let Ok(geometry) = Geometry::read(&segment) else { return };
    assert!(geometry.len() <= segment.len());
    let mut ticket = SmscTicket { len: bytes.byte().into(), ..SmscTicket::default() };
    let said = bytes.take(SMSC_MAX_TICKET);
    ticket.data[..said.len()].copy_from_slice(said);
    let side = if bytes.byte() % 2 == 0 { Side::Owner } else { Side::Reader };
    let Some(plan) = Plan::parse(&ticket, geometry, side) else { return };
    assert!(
        (plan.bounce as usize) < BOUNCE_BUFFERS
            && (1..=geometry.chunk).contains(&(plan.chunk as usize))
    );
    let bounces = BounceBuffers::others(segment, geometry);
    let bounce = bounces.bounce(plan.bounce as usize).expect("memory for a bounce buffer");
    // What a transfer writes to at most.
    // SAFETY: the bounce buffer has so many bytes.
    unsafe { bounce.slots.add(geometry.span_of(plan.bounce as usize) - 1).write_volatile(1) };
}

fn segment(geometry: &Geometry) -> Segment {
    let options = Options {
        name: "fuzz",
        len: geometry.len(),
        front: geometry.front(),
        backing: Backing::Memory,
        peers: 1,
    };
    let segment = Segment::create(&options).expect("a segment");
    geometry.write(&segment);
    segment
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (slots, chunk, span) in [(8, 32 << 10, 1 << 20), (1, 64, 64), (64, 4096, 256 << 10)] {
        let geometry = Geometry { slots, chunk, span };
        let segment = segment(&geometry);
        let mut directory = [0; DIRECTORY];
        // SAFETY: the front is longer.
        unsafe {
            let from = segment.front().add(HEADER);
            std::ptr::copy_nonoverlapping(from, directory.as_mut_ptr(), DIRECTORY);
        }
        for (side, number) in [(Side::Owner, 0), (Side::Reader, 1)] {
            let chunk = Plan::chunk_for(100_000, USUAL);
            let ticket = Plan { bounce: 3, chunk, streaming: true, number: 9 }.ticket(side);
            seeds.push([&directory[..], &[ticket.len as u8], &ticket.data, &[number]].concat());
        }
    }
    seeds
}
