//! cairn-layout makes datatypes of what other processes describe, and moves their data.

use std::sync::Arc;

use cairn_layout::{Basic, Block, Elements, Type, blocks, describe, described, pack, unpack};

use crate::bytes::Bytes;

/// Most bytes of memory that data lies in.
const MEMORY: i64 = 64 << 10;
/// Most blocks of a type that are looked at.
const BLOCKS: usize = 2000;

/// Basic types: bytes of each, and pairs with and without gaps.
fn basic(id: u32) -> Option<Arc<Type>> {
    let (first, second, extent) = match id {
        1 | 2 | 4 | 8 | 16 => (id as usize, None, id as usize),
        // As `MPI_SHORT_INT`, `MPI_DOUBLE_INT` and `MPI_2INT`.
        20 => (2, Some((4, 4)), 8),
        21 => (8, Some((8, 4)), 16),
        22 => (4, Some((4, 4)), 8),
        _ => return None,
    };
    let alignment = first.min(8);
    Type::basic(Basic { id, extent, alignment, first, second }).ok()
}

/// One byte and two numbers: how many elements are moved, from which byte on, and how many bytes; the rest is a
/// description.
pub fn run(data: &[u8]) {
    let mut input = Bytes(data);
    let count = usize::from(input.byte() % 4);
    let (skip, len) = (usize::from(input.u16()), usize::from(input.u16()));
    let Some(made) = described(input.0, basic) else { return };
    let (placed, size) = (made.placed(), made.size());
    assert_eq!(placed.shape.size() as u64, size);

    // What a description says of a type is what the type says of itself.
    let text = describe(&made);
    let again = described(&text, basic).expect("what was made can be described");
    let of = |it: &Type| (it.lb(), it.extent(), it.true_bounds(), it.size(), it.elements());
    assert_eq!((of(&again), again.element()), (of(&made), made.element()));
    assert_eq!(describe(&again), text);

    // Targets check the bounds alone before they touch the data.
    let (first, extent) = made.true_bounds();
    let one = Elements { count: 1, extent: made.extent() as isize, shape: &placed.shape };
    let (mut seen, mut left) = (0_usize, BLOCKS);
    let begin = std::ptr::without_provenance_mut::<u8>(0).wrapping_offset(placed.offset);
    blocks(one, begin, 0, &mut |address, len| {
        let place = address.addr() as i64;
        assert!(place >= first && place + len as i64 <= first + extent, "{place}, {len} bytes");
        assert!(len > 0);
        (seen, left) = (seen + len, left - 1);
        left > 0
    });
    assert!(left == 0 || seen as u64 == size);

    // Some of the data of several elements, out of memory and back.
    let reach = (count as i64 - 1).max(0).checked_mul(made.extent());
    let Some(reach) = reach.filter(|_| count > 0 && size > 0) else { return };
    let lowest = first.saturating_add(reach.min(0));
    let highest = first.saturating_add(extent).saturating_add(reach.max(0));
    let Some(span) = highest.checked_sub(lowest).filter(|span| *span <= MEMORY) else { return };
    let Some(all) = usize::try_from(size).ok().and_then(|size| size.checked_mul(count)) else {
        return;
    };
    let skip = skip.min(all);
    let len = len.min(all - skip);
    let mut memory: Vec<u8> = (0..span as usize).map(|place| (place * 7) as u8).collect();
    let before = memory.clone();
    let base = memory.as_mut_ptr();
    let start = base.wrapping_offset((placed.offset as i64 - lowest) as isize);
    let elements = Elements { count, ..one };
    let mut packed = vec![0_u8; len].into_boxed_slice();
    // SAFETY: all data lies in the memory, of which so many bytes are data from there on.
    unsafe {
        pack(elements, start, skip, packed.as_mut_ptr(), len);
        unpack(elements, start, skip, packed.as_ptr(), len);
    }
    assert_eq!(memory, before);
}

pub fn seeds() -> Vec<Vec<u8>> {
    let of = |id| basic(id).expect("a basic type");
    let block = |displacement, count| Block { displacement, count };
    let vector = Type::vector(3, 2, 40, &of(8)).expect("small");
    let column = Type::vector(5, 1, 24, &vector).expect("small");
    let pairs = Type::vector(4, 1, 16, &of(20)).expect("small");
    let places = [0, 100, 40, 800, 801].map(|place| block(place, 3));
    let indexed = Type::indexed(places.to_vec(), &of(4)).expect("small");
    let parts = vec![
        (block(0, 1), of(21)),
        (block(200, 2), indexed.clone()),
        (block(-64, 1), column.clone()),
        (block(3000, 0), of(1)),
    ];
    let structure = Type::structure(parts).expect("small");
    let resized = Type::resized(-8, 4000, &structure).expect("small");
    let much = Type::vector(1 << 20, 1 << 10, 0, &resized).expect("not too large");
    let backwards = Type::vector(6, 1, -32, &pairs).expect("small");
    let many: Vec<Block> = (0..40).map(|place| block(place * place * 3, 1)).collect();
    let irregular = Type::indexed(many, &of(2)).expect("small");
    let both = vec![(block(0, 1), irregular.clone()), (block(9999, 2), irregular)];
    let both = Type::structure(both).expect("small");
    [vector, column, pairs, indexed, structure, resized, much, backwards, both]
        .iter()
        .flat_map(|kind| {
            [[1_u8, 0, 0, 255, 255], [3, 5, 0, 30, 0]]
                .map(|numbers| [&numbers[..], &describe(kind)].concat())
        })
        .collect()
}
