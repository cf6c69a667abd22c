//! The card of a shared segment, and what a peer's segment of btl_sm says of itself.

use btl_sm::wire::Geometry;
use cairn_segment::{Backing, CARD_LEN, Card, HEADER, Options, Owner, Segment};

use crate::bytes::Bytes;

/// Bytes of the directory.
const DIRECTORY: usize = 40;

/// A directory, and a card.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let segment = segment();
    let directory = bytes.take(DIRECTORY);
    // SAFETY: the front is longer, and belongs to this function.
    unsafe {
        let to = segment.front().add(HEADER);
        std::ptr::copy_nonoverlapping(directory.as_ptr(), to, directory.len());
    }
    if let Ok((geometry, _)) = Geometry::read(&segment) {
        look(&segment, &geometry);
    }
    if let Ok(card) = Card::parse(bytes.0) {
        assert_eq!(card.bytes().len(), CARD_LEN);
        let path = card.path();
        assert!(path.starts_with("/proc") || path.starts_with("/dev/shm"), "{}", path.display());
        assert!(!path.components().any(|part| part.as_os_str() == ".."), "{}", path.display());
        let _ = Owner::of(bytes.0).map(|owner| owner.life());
    }
}

/// Reads the ends of everything that a sender looks at.
fn look(segment: &Segment, geometry: &Geometry) {
    assert!(geometry.front() <= segment.front_len() && geometry.len() <= segment.len());
    let (instance, ring) = (geometry.instances - 1, geometry.rings - 1);
    assert!(geometry.place(ring).end <= segment.len());
    let _ = geometry.news(segment, instance).newest.is_empty();
    let _ = geometry.entry(segment, ring).next.next();
    let active = geometry.active(segment, instance);
    assert!(active.len() * 64 > ring);
    let end = active.as_ptr_range().end.addr();
    assert!(end <= segment.front().addr() + segment.front_len());
}

const SMALL: Geometry = Geometry { instances: 2, rings: 3, kept: 2, ring_size: 4096 };

fn segment() -> Segment {
    let options = Options {
        name: "fuzz",
        len: SMALL.len(),
        front: SMALL.front(),
        backing: Backing::Memory,
        peers: 1,
    };
    let segment = Segment::create(&options).expect("a segment");
    SMALL.write(&segment, false);
    segment
}

pub fn seeds() -> Vec<Vec<u8>> {
    let segment = segment();
    let mut directory = [0; DIRECTORY];
    // SAFETY: the front is longer.
    unsafe {
        let from = segment.front().add(HEADER);
        std::ptr::copy_nonoverlapping(from, directory.as_mut_ptr(), DIRECTORY);
    }
    assert!(Geometry::read(&segment).is_ok_and(|(geometry, _)| geometry == SMALL));
    let options =
        Options { name: "fuzz", len: 4096, front: 4096, backing: Backing::File, peers: 1 };
    let file = Segment::create(&options).expect("a segment");
    vec![[&directory[..], segment.card()].concat(), [&directory[..], file.card()].concat()]
}
