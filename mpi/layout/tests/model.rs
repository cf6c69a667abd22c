//! Types of any nesting against a model that writes the type map out, entry by entry.

use std::sync::Arc;

use cairn_layout::{
    Basic, Block, Elements, Shape, Type, blocks, describe, described, pack, unpack,
};
use proptest::prelude::*;

/// The type map of the standard: displacements and bytes of values in their order, and the marks of
/// resized types.
#[derive(Clone, Debug, Default)]
struct Map {
    values: Vec<(i64, usize)>,
    /// Where the parts end, with what rounds them up.
    ends: Vec<i64>,
    lower: Vec<i64>,
    upper: Vec<i64>,
    alignment: i64,
}

impl Map {
    fn lb(&self) -> i64 {
        let least = |all: &[i64]| all.iter().copied().min();
        let data: Vec<i64> = self.values.iter().map(|(at, _)| *at).collect();
        least(&self.lower).or(least(&data)).unwrap_or(0)
    }

    fn extent(&self) -> i64 {
        if let Some(upper) = self.upper.iter().max() {
            return upper - self.lb();
        }
        let end = self.ends.iter().copied().max().unwrap_or(0);
        let exact = end - self.lb();
        let alignment = self.alignment.max(1);
        (exact + alignment - 1).div_euclid(alignment) * alignment
    }

    fn add(&mut self, of: &Map, displacement: i64, count: u64) {
        for place in 0..count as i64 {
            let at = displacement + place * of.extent();
            self.values.extend(of.values.iter().map(|(value, len)| (value + at, *len)));
            if !of.values.is_empty() {
                self.ends.push(at + of.lb() + of.extent());
            }
            self.lower.extend(of.lower.iter().map(|mark| mark + at));
            self.upper.extend(of.upper.iter().map(|mark| mark + at));
            self.alignment = self.alignment.max(of.alignment);
        }
    }
}

type Both = (Arc<Type>, Map);

fn basic(kind: usize) -> Both {
    let (first, alignment) = [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (2, 4), (8, 8)][kind];
    let second = (kind >= 5).then_some((first.max(4), 4));
    let extent = [1, 2, 4, 8, 16, 8, 16][kind];
    let made = Basic { id: kind as u32, extent, alignment, first, second };
    let mut values = vec![(0, first)];
    values.extend(second.map(|(at, len)| (at as i64, len)));
    let ends = values.iter().map(|(at, len)| at + *len as i64).collect();
    let map = Map { values, ends, alignment: alignment as i64, ..Map::default() };
    (Type::basic(made).unwrap(), map)
}

fn vector(count: u64, len: u64, stride: i64, (of, model): &Both) -> Both {
    let mut map = Map::default();
    (0..count as i64).for_each(|place| map.add(model, place * stride, len));
    (Type::vector(count, len, stride, of).unwrap(), map)
}

fn indexed(blocks: &[(i64, u64)], (of, model): &Both) -> Both {
    let mut map = Map::default();
    blocks.iter().for_each(|(at, count)| map.add(model, *at, *count));
    let blocks = blocks
        .iter()
        .map(|(displacement, count)| Block { displacement: *displacement, count: *count });
    (Type::indexed(blocks.collect(), of).unwrap(), map)
}

fn structure(parts: &[((i64, u64), Both)]) -> Both {
    let mut map = Map::default();
    parts.iter().for_each(|((at, count), (_, model))| map.add(model, *at, *count));
    let parts = parts.iter().map(|((displacement, count), (of, _))| {
        (Block { displacement: *displacement, count: *count }, of.clone())
    });
    (Type::structure(parts.collect()).unwrap(), map)
}

fn resized(lb: i64, extent: i64, (of, model): &Both) -> Both {
    let map = Map { lower: vec![lb], upper: vec![lb + extent], ..model.clone() };
    (Type::resized(lb, extent, of).unwrap(), map)
}

fn any_type() -> impl Strategy<Value = Both> {
    let place = -60..60_i64;
    let leaf = (0..7_usize).prop_map(basic);
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let block = (place.clone(), 0..4_u64);
        prop_oneof![
            (0..6_u64, 0..4_u64, place.clone(), inner.clone())
                .prop_map(|(count, len, stride, of)| vector(count, len, stride, &of)),
            // As most programs do: blocks that do not overlap.
            (1..6_u64, 1..4_u64, 0..3_i64, inner.clone()).prop_map(|(count, len, gap, of)| {
                let stride = of.0.extent() * (len as i64 + gap);
                vector(count, len, stride, &of)
            }),
            (prop::collection::vec(block.clone(), 0..6), inner.clone())
                .prop_map(|(blocks, of)| indexed(&blocks, &of)),
            prop::collection::vec((block, inner.clone()), 0..4).prop_map(|parts| structure(&parts)),
            (place.clone(), place.clone(), inner)
                .prop_map(|(lb, extent, of)| resized(lb, extent, &of)),
        ]
    })
    .prop_filter("small enough to write out", |(_, map)| map.values.len() < 3000)
}

/// The addresses of all bytes of `count` elements, in their order.
fn bytes(map: &Map, count: usize) -> Vec<i64> {
    let mut all = Vec::new();
    for element in 0..count as i64 {
        for (at, len) in &map.values {
            all.extend((0..*len as i64).map(|byte| element * map.extent() + at + byte));
        }
    }
    all
}

/// Memory in which all of these addresses are, and where its address 0 is.
fn memory(addresses: &[i64]) -> (Vec<u8>, usize) {
    let low = addresses.iter().copied().min().unwrap_or(0).min(0);
    let high = addresses.iter().copied().max().unwrap_or(0).max(0);
    let len = (high - low + 1) as usize;
    ((0..len).map(|place| (place * 7 + place / 251) as u8).collect(), low.unsigned_abs() as usize)
}

fn of(of: &Type, count: usize) -> (Elements<'_>, isize) {
    let placed = of.placed();
    (Elements { count, extent: of.extent() as isize, shape: &placed.shape }, placed.offset)
}

fn cases() -> u32 {
    std::env::var("CAIRN_TYPES").ok().and_then(|number| number.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn all_is_as_in_the_type_map((made, map) in any_type(), count in 0..5_usize, cuts in prop::collection::vec(1..200_usize, 1..8)) {
        prop_assert_eq!(made.lb(), map.lb());
        prop_assert_eq!(made.extent(), map.extent());
        prop_assert_eq!(made.elements(), map.values.len() as u64);
        let size: usize = map.values.iter().map(|(_, len)| len).sum();
        prop_assert_eq!(made.size(), size as u64);
        let first = map.values.iter().map(|(at, _)| *at).min().unwrap_or(0);
        let end = map.values.iter().map(|(at, len)| at + *len as i64).max().unwrap_or(0);
        prop_assert_eq!(made.true_bounds(), (first, end - first));
        let mut walked = Vec::new();
        made.for_each_basic(0, &mut |at, basic| {
            walked.push((at, basic.first));
            walked.extend(basic.second.map(|(second, len)| (at + second as i64, len)));
        });
        prop_assert_eq!(&walked, &map.values);
        prop_assert_eq!(made.placed().shape.size(), size);

        let addresses = bytes(&map, count);
        let (mut data, zero) = memory(&addresses);
        let wanted: Vec<u8> =
            addresses.iter().map(|at| data[(zero as i64 + at) as usize]).collect();
        let (all, offset) = of(&made, count);
        let base = data.as_mut_ptr().wrapping_add(zero).wrapping_offset(offset);

        // In pieces of any length.
        let (mut packed, mut done) = (vec![0; wanted.len()], 0);
        for cut in cuts.iter().cycle() {
            if done == wanted.len() {
                break;
            }
            let now = (*cut).min(wanted.len() - done);
            // SAFETY: the memory holds all addresses of the type map.
            unsafe { pack(all, base, done, packed.as_mut_ptr().add(done), now) };
            done += now;
        }
        prop_assert_eq!(&packed, &wanted);

        // What is written twice has the last value; so does the model's memory.
        let fresh: Vec<u8> = (0..wanted.len()).map(|place| (place * 13 + 5) as u8).collect();
        let mut model = data.clone();
        for (at, byte) in addresses.iter().zip(&fresh) {
            model[(zero as i64 + at) as usize] = *byte;
        }
        let mut places = addresses.clone();
        places.sort_unstable();
        places.dedup();
        // A type with overlapping entries may not be received with (section 5.1.1).
        if places.len() == addresses.len() {
            let mut done = 0;
            for cut in cuts.iter().cycle() {
                if done == fresh.len() {
                    break;
                }
                let now = (*cut).min(fresh.len() - done);
                // SAFETY: as above.
                unsafe { unpack(all, base, done, fresh.as_ptr().add(done), now) };
                done += now;
            }
            prop_assert_eq!(&data, &model);
        }

        // From any place on.
        let skip = cuts[0].min(wanted.len());
        let mut listed = Vec::new();
        blocks(all, base, skip, &mut |address, len| {
            let at = address.addr() as i64 - data.as_ptr().addr() as i64 - zero as i64;
            listed.extend((0..len as i64).map(|byte| at + byte));
            true
        });
        prop_assert_eq!(&listed[..], &addresses[skip..]);
    }

    #[test]
    fn a_description_makes_the_same_type((made, _) in any_type(), cut in any::<prop::sample::Index>()) {
        let text = describe(&made);
        let again = described(&text, |id| Some(basic(id as usize).0)).unwrap();
        let of = |it: &Type| {
            let bounds = (it.lb(), it.extent(), it.true_bounds());
            (bounds, it.size(), it.elements(), it.element(), it.placed().clone())
        };
        prop_assert_eq!(of(&again), of(&made));
        prop_assert_eq!(&describe(&again), &text);
        let mut ids = Vec::new();
        made.for_each_basic(0, &mut |_, basic| ids.push(basic.id));
        ids.dedup();
        prop_assert_eq!(made.element(), if ids.len() == 1 { ids.pop() } else { None });
        // The beginning is none, or the description of a part.
        let _ = described(&text[..cut.index(text.len())], |id| Some(basic(id as usize).0));
    }

    #[test]
    fn what_is_no_description_makes_nothing_worse_than_a_type(
        text in prop::collection::vec(prop_oneof![0..6_u8, any::<u8>()], 0..60)
    ) {
        let basic = |id| (id < 7).then(|| basic(id as usize).0);
        if let Some(made) = described(&text, basic) {
            prop_assert_eq!(made.placed().shape.size() as u64, made.size());
        }
    }

    #[test]
    fn bytes_and_elements_belong_together((made, map) in any_type(), count in 1..4_usize) {
        let (mut bytes, mut elements) = (0, 0);
        for _ in 0..count {
            for (_, len) in &map.values {
                prop_assert_eq!(made.elements_in_row(bytes), Some(elements));
                prop_assert_eq!(made.bytes_of(elements), bytes);
                if *len > 1 {
                    prop_assert_eq!(made.elements_in_row(bytes + 1), None);
                }
                bytes += *len as u64;
                elements += 1;
            }
        }
        prop_assert_eq!(made.elements_in_row(bytes), Some(elements));
    }
}

/// A column of a matrix of 20 rows and 32 columns of doubles, and one of all of them.
#[test]
fn a_column_is_a_column_however_it_was_built() {
    let double = basic(3);
    let row = 32 * 8;
    let by_index: Vec<(i64, u64)> = (0..20).map(|place| (place * row, 1)).collect();
    let parts: Vec<_> = by_index.iter().map(|block| (*block, double.clone())).collect();
    let element = resized(0, row, &double);
    let half = vector(10, 1, row, &double);
    let pairs: Vec<_> =
        (0..10).map(|place| ((place * 2 * row, 1), vector(2, 1, row, &double))).collect();
    let columns = [
        vector(20, 1, row, &double),
        indexed(&by_index, &double),
        structure(&parts),
        vector(1, 20, 0, &element),
        indexed(&[(0, 1), (10 * row, 1)], &half),
        structure(&pairs),
        resized(-8, 4096, &indexed(&by_index, &vector(8, 1, 1, &basic(0)))),
    ];
    for (column, _) in &columns {
        assert_eq!(column.placed(), columns[0].0.placed());
    }
    assert!(matches!(&*columns[0].0.placed().shape, Shape::Loop(all) if all.count == 20));
    let whole = vector(20, 32, row, &double);
    assert_eq!(*whole.0.placed().shape, Shape::Block(20 * row as usize));
}

#[test]
fn what_is_too_large_is_refused() {
    let (double, _) = basic(3);
    assert!(Type::vector(1 << 40, 1 << 40, 8, &double).is_err());
    assert!(Type::vector(2, 1, i64::MAX, &double).is_err());
    assert!(Type::resized(i64::MAX, 8, &double).is_ok());
    assert!(Type::indexed(vec![Block { displacement: i64::MAX, count: 1 }], &double).is_err());
    let large = Type::vector(1 << 30, 1 << 20, 8 << 20, &double).unwrap();
    assert!(Type::vector(1 << 30, 1, 8, &large).is_err());
    // The place behind the last element of a type is none where the type itself has room.
    let far = Type::vector(2, 1, 1 << 62, &double).unwrap();
    let twice = Type::vector(2, 1, 16, &far).unwrap();
    let again = vec![Block { displacement: 0, count: 1 }, Block { displacement: 64, count: 1 }];
    for of in [&twice, &Type::indexed(again, &far).unwrap()] {
        assert_eq!(of.placed().shape.size(), 32);
    }
}

/// So many types around one another, as programs make them in loops.
fn nested(levels: usize) -> Arc<Type> {
    let (int, byte) = (basic(2).0, basic(0).0);
    let mut of = int;
    for level in 0..levels {
        of = match level % 4 {
            0 => Type::resized(0, 8, &of),
            1 => Type::vector(1, 1, 0, &of),
            2 => Type::indexed(vec![Block { displacement: 0, count: 1 }], &of),
            _ => Type::structure(vec![
                (Block { displacement: 0, count: 1 }, of),
                (Block { displacement: 4, count: 0 }, byte.clone()),
            ]),
        }
        .unwrap();
    }
    of
}

/// A thread of a test has a stack of 2 MiB.
#[test]
fn deep_nesting_takes_no_stack() {
    let of = nested(300_000);
    let pairs = Type::structure(vec![
        (Block { displacement: 0, count: 2 }, of.clone()),
        (Block { displacement: 64, count: 1 }, of),
    ])
    .unwrap();
    assert_eq!(pairs.placed().shape.size(), 12);
    assert_eq!(pairs.elements_in(8), Some(2));
    assert_eq!(pairs.elements_in(9), None);
    assert_eq!(pairs.bytes_of(5), 20);
    assert_eq!(pairs.sum(|basic| basic.first as u64), 12);
    let mut found = Vec::new();
    pairs.for_each_basic(0, &mut |at, basic| found.push((at, basic.id)));
    assert_eq!(found, [(0, 2), (8, 2), (64, 2)]);
    drop(pairs);
}

/// As many types without data as there can be are nothing to do.
#[test]
fn much_of_nothing_is_nothing() {
    let nothing = Type::vector(0, 0, 0, &basic(2).0).unwrap();
    let much = Type::vector(1 << 62, 1 << 62, 8, &nothing).unwrap();
    assert_eq!((much.size(), much.elements(), much.extent()), (0, 0, 0));
    much.for_each_basic(0, &mut |_, _| panic!("there is none"));
    assert_eq!(much.sum(|basic| basic.first as u64), 0);
    assert_eq!(*much.placed().shape, Shape::Empty);
    assert_eq!(Type::resized(0, 8, &much).unwrap().placed().shape.size(), 0);
    let no_rows = Type::vector(0, 1 << 62, 0, &basic(3).0).unwrap();
    assert_eq!(*no_rows.placed().shape, Shape::Empty);
}

/// A type that occurs twice in each of many levels is large, but what is asked of it is soon said.
#[test]
fn what_occurs_often_is_looked_at_once() {
    let mut of = basic(3).0;
    for _ in 0..40 {
        let twice =
            [0, of.extent()].map(|displacement| (Block { displacement, count: 1 }, of.clone()));
        of = Type::structure(twice.to_vec()).unwrap();
    }
    assert_eq!(of.sum(|_| 4), 1 << 42);
    assert_eq!(*of.placed().shape, Shape::Block(1 << 43));
    assert_eq!(of.elements_in((1 << 42) + 8), Some((1 << 39) + 1));
}

#[test]
fn true_extents_have_64_bits() {
    let small = Type::resized(0, 4, &basic(0).0).unwrap();
    let ends = [i64::MIN + 8, i64::MAX - 16];
    let parts = ends.map(|displacement| (Block { displacement, count: 1 }, small.clone()));
    assert!(Type::structure(parts.to_vec()).is_err());
    let parts = [(Block { displacement: i64::MIN + 8, count: 1 }, basic(0).0), parts[1].clone()];
    assert!(Type::structure(parts.to_vec()).is_err());
}

#[test]
fn a_type_of_shared_parts_has_a_short_description() {
    let mut made = basic(2);
    for _ in 0..40 {
        made = structure_of_two(&made);
    }
    let text = describe(&made.0);
    assert!(text.len() < 500, "{}", text.len());
    let again = described(&text, |id| Some(basic(id as usize).0)).unwrap();
    assert_eq!((again.size(), again.element()), (4 << 40, Some(2)));
    assert_eq!(again.placed(), made.0.placed());
}

/// Bytes of a description.
fn number(text: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        text.push(number as u8 | 0x80);
        number >>= 7;
    }
    text.push(number as u8);
}

/// A block of one element, from a place on.
fn one_at(text: &mut Vec<u8>, place: i64) {
    number(text, (place << 1).cast_unsigned());
    number(text, 1);
}

/// A node: 18 elements of the node that is so many back, at distances that are no loop.
fn irregular(text: &mut Vec<u8>, back: u64, unit: i64) {
    text.push(2);
    number(text, back);
    number(text, 18);
    (0..18).for_each(|place| one_at(text, unit * place * (place + 1)));
}

fn of_bytes(id: u32) -> Option<Arc<Type>> {
    (id == 0).then(|| basic(0).0)
}

/// A short description of two equal types of which each has many equal parts on many levels. Whether they are
/// equal is not worth the time of comparing all of them, which is as long as 18 to the power of 13.
#[test]
fn large_types_are_not_compared_part_by_part() {
    let mut text = vec![0, 0];
    let mut last = Vec::new();
    for _ in 0..2 {
        irregular(&mut text, 1 + 13 * last.len() as u64, 1);
        let mut unit = 18 * 18;
        for _ in 0..12 {
            irregular(&mut text, 1, unit);
            unit *= 18;
        }
        last.push(unit);
    }
    text.extend([3, 2]);
    one_at(&mut text, 0);
    number(&mut text, 14);
    one_at(&mut text, 1 << 61);
    number(&mut text, 1);
    let made = described(&text, of_bytes).unwrap();
    assert_eq!(made.size(), 2 * 18_u64.pow(13));
    assert_eq!(made.placed().shape.size() as u64, made.size());
}

/// So many irregular parts around one another.
fn deeply_irregular(levels: u64) -> Vec<u8> {
    let mut text = vec![0, 0];
    irregular(&mut text, 1, 1);
    for level in 0..levels {
        text.extend([3, 2]);
        one_at(&mut text, 0);
        number(&mut text, 1);
        one_at(&mut text, 1000 + (level * level % 7 + 3 * level) as i64);
        number(&mut text, level + 2);
    }
    text
}

/// Data is moved by a call for each level of what is left of the nesting, and what another process describes must
/// not take a thread's stack.
#[test]
fn data_of_others_is_nested_within_limits() {
    for levels in [0, 100, 1000] {
        let made = described(&deeply_irregular(levels), of_bytes).unwrap();
        assert_eq!(made.size(), 18 + levels);
        let (all, offset) = of(&made, 1);
        let (memory, mut packed) = (vec![7_u8; 6 * 1000 + 8000], vec![0_u8; made.size() as usize]);
        let first = memory.as_ptr().wrapping_offset(offset).cast_mut();
        // SAFETY: the data lies in the memory, which is only read, and there is room.
        unsafe { pack(all, first, 0, packed.as_mut_ptr(), packed.len()) };
        assert!(packed.iter().all(|byte| *byte == 7));
    }
    assert!(described(&deeply_irregular(1_000_000), of_bytes).is_none());
}

/// Twice the same type, without its type map, which is too long.
fn structure_of_two((of, _): &Both) -> Both {
    let block = |place: i64| Block { displacement: place * of.extent(), count: 1 };
    let parts = vec![(block(0), of.clone()), (block(1), of.clone())];
    (Type::structure(parts).unwrap(), Map::default())
}
