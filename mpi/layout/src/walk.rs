//! Moving data between the program's memory and packed bytes, from any byte of the data on.
//!
//! A walk keeps nothing between two calls: the place of a byte is found by going down the shape, which
//! takes a division for each loop and a binary search for each list.

use crate::kernels::{Side, copy, kernel, listed};
use crate::shape::{Loop, Shape};

/// Elements that the fields of a structure are copied for, one field after the other, before the next
/// elements: what they touch stays in the first cache.
const CHUNK: usize = 64;
/// A body of at most so many blocks is copied block by block over the elements around it.
const FEW: usize = 16;
/// So many elements at least.
const ROW: usize = 4;
/// A line of the cache, in bytes.
const LINE: usize = 64;
/// Lines at this distance compete for the same places of the first cache, of which there are so many.
const ALIASED: usize = 4096;
const PLACES: usize = 8;

/// Whether the first cache has lost the lines that a loop touches before it comes by again.
fn forgets(all: &Loop) -> bool {
    let stride = all.stride.unsigned_abs().max(1);
    let lines = all.count.saturating_mul(stride.min(LINE)) / LINE;
    let sets = ALIASED / (1 << stride.trailing_zeros()).clamp(LINE, ALIASED);
    lines > sets * PLACES
}

/// `count` elements, `extent` bytes from one to the next: an outermost loop that is nowhere stored.
#[derive(Clone, Copy)]
pub struct Elements<'a> {
    /// How many.
    pub count: usize,
    /// Bytes from one to the next.
    pub extent: isize,
    /// The data of one.
    pub shape: &'a Shape,
}

impl<'a> Elements<'a> {
    fn of(all: &'a Loop) -> Self {
        Self { count: all.count, extent: all.stride, shape: &all.body }
    }
}

/// Copies `len` bytes of data from place `skip` on: out of the memory to `packed`.
///
/// # Safety
/// The memory holds the elements, of which `skip + len` bytes are data, and `packed` has room for `len`
/// bytes; the two do not overlap.
pub unsafe fn pack(all: Elements<'_>, memory: *mut u8, skip: usize, packed: *mut u8, len: usize) {
    // SAFETY: promised by the caller.
    unsafe { range::<true>(all, memory, skip, packed, len) }
}

/// The way back.
///
/// # Safety
/// As for [`pack`], with bytes that can be read at `packed`, and memory that can be written.
pub unsafe fn unpack(
    all: Elements<'_>,
    memory: *mut u8,
    skip: usize,
    packed: *const u8,
    len: usize,
) {
    // SAFETY: promised by the caller; in this direction the packed bytes are only read.
    unsafe { range::<false>(all, memory, skip, packed.cast_mut(), len) }
}

/// # Safety
/// As for [`pack`] and [`unpack`].
unsafe fn range<const PACK: bool>(
    all: Elements<'_>,
    memory: *mut u8,
    skip: usize,
    packed: *mut u8,
    len: usize,
) {
    let size = all.shape.size();
    if len == 0 {
        return;
    }
    // SAFETY: promised by the caller: each part lies in the data, and is as long in both.
    unsafe {
        if skip == 0 && all.count * size == len {
            // All of it, as mostly: without a division.
            return elements::<PACK>(all, memory, packed);
        }
        let (first, inside) = (skip / size, skip % size);
        let mut memory = memory.wrapping_offset(all.extent * first as isize);
        let (mut packed, mut len) = (packed, len);
        if inside > 0 {
            let head = len.min(size - inside);
            part::<PACK>(all.shape, memory, inside, packed, head);
            memory = memory.wrapping_offset(all.extent);
            packed = packed.wrapping_add(head);
            len -= head;
        }
        let whole = len / size;
        elements::<PACK>(Elements { count: whole, ..all }, memory, packed);
        if len > whole * size {
            memory = memory.wrapping_offset(all.extent * whole as isize);
            part::<PACK>(
                all.shape,
                memory,
                0,
                packed.wrapping_add(whole * size),
                len - whole * size,
            );
        }
    }
}

/// A part of the data of one shape.
///
/// # Safety
/// As for [`range`].
unsafe fn part<const PACK: bool>(
    shape: &Shape,
    memory: *mut u8,
    skip: usize,
    packed: *mut u8,
    len: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        match shape {
            Shape::Empty => {}
            Shape::Block(_) => move_block::<PACK>(memory.wrapping_add(skip), packed, len),
            Shape::Loop(all) => range::<PACK>(Elements::of(all), memory, skip, packed, len),
            Shape::Blocks(all) => {
                let (first, inside) = (skip / all.len, skip % all.len);
                let (mut offsets, mut packed, mut len) = (&all.offsets[first..], packed, len);
                let place = |offset: isize| memory.wrapping_offset(offset);
                if inside > 0 {
                    let head = len.min(all.len - inside);
                    move_block::<PACK>(place(offsets[0]).wrapping_add(inside), packed, head);
                    (offsets, packed, len) = (&offsets[1..], packed.wrapping_add(head), len - head);
                }
                let whole = len / all.len;
                listed::<PACK>(all.len)(memory, &offsets[..whole], packed, all.len);
                let tail = len % all.len;
                if tail > 0 {
                    let packed = packed.wrapping_add(len - tail);
                    move_block::<PACK>(place(offsets[whole]), packed, tail);
                }
            }
            Shape::Pieces(all) => {
                let first = all.partition_point(|piece| piece.end <= skip);
                let (mut skip, mut done) = (skip, 0);
                for piece in &all[first..] {
                    if done == len {
                        break;
                    }
                    let inside = skip - (piece.end - piece.len);
                    let step = (piece.len - inside).min(len - done);
                    let place = memory.wrapping_offset(piece.offset).wrapping_add(inside);
                    move_block::<PACK>(place, packed.wrapping_add(done), step);
                    done += step;
                    skip = piece.end;
                }
            }
            Shape::Parts(all) => {
                let first = all.partition_point(|one| one.end <= skip);
                let (mut skip, mut done) = (skip, 0);
                for one in &all[first..] {
                    if done == len {
                        break;
                    }
                    let size = one.shape.size();
                    let inside = skip - (one.end - size);
                    let step = (size - inside).min(len - done);
                    let place = memory.wrapping_offset(one.offset);
                    part::<PACK>(&one.shape, place, inside, packed.wrapping_add(done), step);
                    done += step;
                    skip = one.end;
                }
            }
        }
    }
}

/// # Safety
/// Both have `len` bytes and do not overlap.
#[inline(always)]
unsafe fn move_block<const PACK: bool>(memory: *mut u8, packed: *mut u8, len: usize) {
    // SAFETY: promised by the caller.
    unsafe { if PACK { copy(memory, packed, len) } else { copy(packed, memory, len) } }
}

/// Blocks of the memory and of the packed bytes, as source and target.
fn sides<const PACK: bool>(memory: Side, packed: Side) -> (Side, Side) {
    if PACK { (memory, packed) } else { (packed, memory) }
}

/// Whole elements.
///
/// # Safety
/// As for [`range`].
unsafe fn elements<const PACK: bool>(all: Elements<'_>, memory: *mut u8, packed: *mut u8) {
    let size = all.shape.size();
    let memory = Side { first: memory, step: all.extent };
    let packed = Side { first: packed, step: size as isize };
    // SAFETY: promised by the caller.
    unsafe {
        match all.shape {
            Shape::Empty => {}
            Shape::Block(len) => {
                let (from, to) = sides::<PACK>(memory, packed);
                kernel(*len)(from, to, *len, all.count);
            }
            Shape::Loop(inner) => match *inner.body {
                Shape::Block(len) => two_levels::<PACK>((memory, packed), all.count, inner, len),
                _ => each::<PACK>(all, memory, packed),
            },
            Shape::Blocks(blocks) if is_row(all.count, blocks.offsets.len()) => {
                let kernel = kernel(blocks.len);
                chunks((memory, packed), all.count, |memory, packed, count| {
                    let mut done = 0;
                    for offset in &blocks.offsets {
                        let (from, to) = sides::<PACK>(memory.moved(*offset), packed.moved(done));
                        kernel(from, to, blocks.len, count);
                        done += blocks.len as isize;
                    }
                });
            }
            Shape::Blocks(blocks) => {
                let kernel = listed::<PACK>(blocks.len);
                for place in 0..all.count as isize {
                    let memory = memory.first.wrapping_offset(memory.step * place);
                    let packed = packed.first.wrapping_offset(packed.step * place);
                    kernel(memory, &blocks.offsets, packed, blocks.len);
                }
            }
            Shape::Pieces(pieces) if is_row(all.count, pieces.len()) => {
                chunks((memory, packed), all.count, |memory, packed, count| {
                    for piece in pieces {
                        let done = (piece.end - piece.len) as isize;
                        let memory = memory.moved(piece.offset);
                        let (from, to) = sides::<PACK>(memory, packed.moved(done));
                        kernel(piece.len)(from, to, piece.len, count);
                    }
                });
            }
            Shape::Pieces(_) | Shape::Parts(_) => each::<PACK>(all, memory, packed),
        }
    }
}

/// Whether elements of so many blocks are copied block by block, each for a row of elements, and not
/// element by element.
fn is_row(count: usize, blocks: usize) -> bool {
    blocks <= FEW && count >= ROW
}

/// Calls a function for some elements at a time.
fn chunks((memory, packed): (Side, Side), count: usize, mut each: impl FnMut(Side, Side, usize)) {
    let mut done = 0;
    while done < count {
        let now = CHUNK.min(count - done);
        let place = done as isize;
        each(memory.moved(memory.step * place), packed.moved(packed.step * place), now);
        done += now;
    }
}

/// One element after the other.
///
/// # Safety
/// As for [`elements`].
unsafe fn each<const PACK: bool>(all: Elements<'_>, memory: Side, packed: Side) {
    for place in 0..all.count as isize {
        let memory = memory.first.wrapping_offset(memory.step * place);
        let packed = packed.first.wrapping_offset(packed.step * place);
        // SAFETY: promised by the caller.
        unsafe {
            match all.shape {
                Shape::Loop(inner) => elements::<PACK>(Elements::of(inner), memory, packed),
                Shape::Parts(parts) => {
                    for one in parts {
                        let alone = Elements { count: 1, extent: 0, shape: &one.shape };
                        let start = one.end - one.shape.size();
                        let memory = memory.wrapping_offset(one.offset);
                        elements::<PACK>(alone, memory, packed.wrapping_add(start));
                    }
                }
                shape => part::<PACK>(shape, memory, 0, packed, shape.size()),
            }
        }
    }
}

/// A loop over a loop over blocks.
///
/// # Safety
/// As for [`elements`].
unsafe fn two_levels<const PACK: bool>(
    (memory, packed): (Side, Side),
    count: usize,
    inner: &Loop,
    len: usize,
) {
    let kernel = kernel(len);
    let dense = len as isize;
    // The outer loop goes over neighbours, or is much the longer one: then it becomes the inner one.
    let tile = if memory.step.unsigned_abs() < LINE && count > 1 && forgets(inner) {
        (LINE / memory.step.unsigned_abs().max(1)).max(2)
    } else if inner.count <= FEW && count > inner.count {
        CHUNK
    } else {
        0
    };
    // SAFETY: promised by the caller.
    unsafe {
        if tile == 0 {
            for place in 0..count as isize {
                let first = memory.first.wrapping_offset(memory.step * place);
                let memory = Side { first, step: inner.stride };
                let first = packed.first.wrapping_offset(packed.step * place);
                let (from, to) = sides::<PACK>(memory, Side { first, step: dense });
                kernel(from, to, len, inner.count);
            }
            return;
        }
        let mut done = 0;
        while done < count {
            let now = tile.min(count - done);
            let memory = memory.moved(memory.step * done as isize);
            let packed = packed.moved(packed.step * done as isize);
            for place in 0..inner.count as isize {
                let memory = memory.moved(inner.stride * place);
                let (from, to) = sides::<PACK>(memory, packed.moved(dense * place));
                kernel(from, to, len, now);
            }
            done += now;
        }
    }
}

/// Calls a function with the address and the length of each contiguous block of the data from place
/// `skip` on, in order, until it says that it is enough.
pub fn blocks(
    all: Elements<'_>,
    memory: *mut u8,
    skip: usize,
    each: &mut impl FnMut(*mut u8, usize) -> bool,
) -> bool {
    let size = all.shape.size();
    if size == 0 {
        return true;
    }
    let mut skip = skip;
    let first = skip / size;
    skip %= size;
    for place in first..all.count {
        let memory = memory.wrapping_offset(all.extent * place as isize);
        if !blocks_of(all.shape, memory, skip, each) {
            return false;
        }
        skip = 0;
    }
    true
}

fn blocks_of(
    shape: &Shape,
    memory: *mut u8,
    skip: usize,
    each: &mut impl FnMut(*mut u8, usize) -> bool,
) -> bool {
    match shape {
        Shape::Empty => true,
        Shape::Block(len) => each(memory.wrapping_add(skip), len - skip),
        Shape::Loop(all) => blocks(Elements::of(all), memory, skip, each),
        Shape::Blocks(all) => {
            let mut inside = skip % all.len;
            all.offsets[skip / all.len..].iter().all(|offset| {
                let place = memory.wrapping_offset(*offset).wrapping_add(inside);
                let len = all.len - std::mem::take(&mut inside);
                each(place, len)
            })
        }
        Shape::Pieces(all) => {
            let first = all.partition_point(|piece| piece.end <= skip);
            let mut skip = skip;
            all[first..].iter().all(|piece| {
                let inside = skip - (piece.end - piece.len);
                skip = piece.end;
                each(memory.wrapping_offset(piece.offset).wrapping_add(inside), piece.len - inside)
            })
        }
        Shape::Parts(all) => {
            let first = all.partition_point(|one| one.end <= skip);
            let mut skip = skip;
            all[first..].iter().all(|one| {
                let inside = skip - (one.end - one.shape.size());
                skip = one.end;
                blocks_of(&one.shape, memory.wrapping_offset(one.offset), inside, each)
            })
        }
    }
}
