//! The normal form of a datatype: as few loops over contiguous blocks as possible, whichever constructors
//! the program used. A column of a matrix is one [`Shape::Loop`] over blocks, from a vector, a subarray, a
//! list of displacements or nested structures.
//!
//! The order of the data is the order of the type map: it is what a message has, so blocks are never
//! sorted, and loops never exchanged.

use std::sync::Arc;

/// Fewest equal parts at equal distances that become a loop where other parts are around them.
const RUN: usize = 4;
/// Nested lists of at most so many parts are taken into the list around them.
const FLAT: usize = 16;
/// Parts that are compared to find out whether two shapes are the same.
const MOST_COMPARED: usize = 1 << 14;

/// Where the data of one element lies, from the first byte of its first block on.
#[derive(Debug, PartialEq)]
pub enum Shape {
    /// No data.
    Empty,
    /// So many bytes.
    Block(usize),
    /// The same shape again and again.
    Loop(Loop),
    /// Blocks of the same length.
    Blocks(Blocks),
    /// Blocks of different lengths.
    Pieces(Vec<Piece>),
    /// Different shapes.
    Parts(Vec<Part>),
}

/// See [`Shape::Loop`].
#[derive(Debug, PartialEq)]
pub struct Loop {
    /// How often, at least twice.
    pub count: usize,
    /// Bytes from one to the next.
    pub stride: isize,
    /// What is repeated.
    pub body: Arc<Shape>,
    /// Bytes of data in all of them.
    pub size: usize,
    /// Levels of loops and parts within.
    pub depth: usize,
}

impl Loop {
    /// Where one more would be. There is no such place where the last one is almost as far away as can be.
    fn end(&self) -> Option<isize> {
        self.stride.checked_mul(self.count as isize)
    }
}

/// See [`Shape::Blocks`].
#[derive(Debug, PartialEq)]
pub struct Blocks {
    /// Where they are.
    pub offsets: Vec<isize>,
    /// Bytes of each.
    pub len: usize,
}

/// One of [`Shape::Pieces`].
#[derive(Debug, PartialEq)]
pub struct Piece {
    /// Where it is.
    pub offset: isize,
    /// Its bytes.
    pub len: usize,
    /// Bytes of data before it and in it.
    pub end: usize,
}

/// One of [`Shape::Parts`].
#[derive(Debug, PartialEq)]
pub struct Part {
    /// Where it is.
    pub offset: isize,
    /// What is there.
    pub shape: Arc<Shape>,
    /// Bytes of data before it and in it.
    pub end: usize,
    /// Levels of loops and parts in it.
    pub depth: usize,
}

/// A shape, and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// From the address that the program gives to the first byte of data.
    pub offset: isize,
    /// What is there.
    pub shape: Arc<Shape>,
}

impl Shape {
    /// Bytes of data.
    pub fn size(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Block(len) => *len,
            Self::Loop(all) => all.size,
            Self::Blocks(all) => all.offsets.len() * all.len,
            Self::Pieces(all) => all.last().map_or(0, |last| last.end),
            Self::Parts(all) => all.last().map_or(0, |last| last.end),
        }
    }

    /// Levels of loops and parts: what moves data needs a call for each.
    pub fn depth(&self) -> usize {
        match self {
            Self::Empty | Self::Block(_) | Self::Blocks(_) | Self::Pieces(_) => 0,
            Self::Loop(all) => 1 + all.depth,
            Self::Parts(all) => 1 + all.iter().map(|one| one.depth).max().unwrap_or(0),
        }
    }
}

/// Whether two shapes are the same one, as far as that is found out with the comparisons that are left: shapes that
/// are made of the same parts many times are larger than their descriptions.
fn same(one: &Arc<Shape>, other: &Arc<Shape>) -> bool {
    let mut left = MOST_COMPARED;
    is_same(one, other, &mut left)
}

fn is_same(one: &Arc<Shape>, other: &Arc<Shape>, left: &mut usize) -> bool {
    if Arc::ptr_eq(one, other) {
        return true;
    }
    let mut may = |comparisons: usize| {
        let enough = *left >= comparisons;
        *left = left.saturating_sub(comparisons);
        enough
    };
    match (&**one, &**other) {
        (Shape::Empty, Shape::Empty) => true,
        (Shape::Block(one), Shape::Block(other)) => one == other,
        (Shape::Loop(one), Shape::Loop(other)) => {
            let alike =
                (one.count, one.stride, one.size) == (other.count, other.stride, other.size);
            alike && may(1) && is_same(&one.body, &other.body, left)
        }
        (Shape::Blocks(one), Shape::Blocks(other)) => {
            one.len == other.len
                && one.offsets.len() == other.offsets.len()
                && may(one.offsets.len())
                && one.offsets == other.offsets
        }
        (Shape::Pieces(one), Shape::Pieces(other)) => {
            one.len() == other.len() && may(one.len()) && one == other
        }
        (Shape::Parts(one), Shape::Parts(other)) => {
            let parts = || one.iter().zip(other);
            one.len() == other.len()
                && may(one.len())
                && parts().all(|(one, other)| (one.offset, one.end) == (other.offset, other.end))
                && parts().all(|(one, other)| is_same(&one.shape, &other.shape, left))
        }
        _ => false,
    }
}

impl Placed {
    /// No data.
    pub fn empty() -> Self {
        Self { offset: 0, shape: Arc::new(Shape::Empty) }
    }

    /// So many bytes, at an offset.
    pub fn block(offset: isize, len: usize) -> Self {
        if len == 0 { Self::empty() } else { Self { offset, shape: Arc::new(Shape::Block(len)) } }
    }

    /// The same further on.
    pub fn moved(&self, bytes: isize) -> Self {
        Self { offset: self.offset + bytes, shape: self.shape.clone() }
    }

    /// The same `count` times, `stride` bytes from one to the next.
    pub fn repeated(&self, count: usize, stride: isize) -> Self {
        if count == 0 || *self.shape == Shape::Empty {
            return Self::empty();
        }
        if count == 1 {
            return self.clone();
        }
        let shape = match &*self.shape {
            Shape::Block(len) if stride == *len as isize => Shape::Block(len * count),
            Shape::Loop(inner) if Some(stride) == inner.end() => Shape::Loop(Loop {
                count: inner.count * count,
                stride: inner.stride,
                body: inner.body.clone(),
                size: inner.size * count,
                depth: inner.depth,
            }),
            body => {
                let (body, size) = (self.shape.clone(), body.size() * count);
                let depth = body.depth();
                Shape::Loop(Loop { count, stride, body, size, depth })
            }
        };
        Self { offset: self.offset, shape: Arc::new(shape) }
    }

    /// One after the other.
    pub fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut list: Vec<Self> = Vec::new();
        for part in parts {
            append(&mut list, part);
        }
        while let Some(shorter) = with_runs(&list) {
            list = shorter;
        }
        match list.len() {
            0 => Self::empty(),
            1 => list.swap_remove(0),
            _ => listed(&list),
        }
    }
}

/// Adds a part, or what it consists of; a block that continues the last one makes that longer.
fn append(list: &mut Vec<Placed>, part: Placed) {
    match &*part.shape {
        Shape::Empty => {}
        Shape::Parts(parts) if parts.len() <= FLAT => {
            for inner in parts {
                let offset = part.offset + inner.offset;
                append(list, Placed { offset, shape: inner.shape.clone() });
            }
        }
        Shape::Pieces(pieces) if pieces.len() <= FLAT => {
            for piece in pieces {
                append(list, Placed::block(part.offset + piece.offset, piece.len));
            }
        }
        Shape::Blocks(blocks) if blocks.offsets.len() <= FLAT => {
            for offset in &blocks.offsets {
                append(list, Placed::block(part.offset + offset, blocks.len));
            }
        }
        Shape::Block(len) => {
            if let Some(last) = list.last_mut()
                && let Shape::Block(before) = *last.shape
                && last.offset + before as isize == part.offset
            {
                *last = Placed::block(last.offset, before + len);
            } else {
                list.push(part);
            }
        }
        Shape::Loop(_) | Shape::Parts(_) | Shape::Pieces(_) | Shape::Blocks(_) => {
            match list.last_mut().and_then(|last| continued(last, &part)) {
                Some(longer) => *list.last_mut().expect("there is one") = longer,
                None => list.push(part),
            }
        }
    }
}

/// Two loops as one, if the second goes on where the first ends.
fn continued(first: &Placed, second: &Placed) -> Option<Placed> {
    let (Shape::Loop(one), Shape::Loop(other)) = (&*first.shape, &*second.shape) else {
        return None;
    };
    let next = one.end().and_then(|end| first.offset.checked_add(end));
    let next = next == Some(second.offset);
    let fits = next && one.stride == other.stride && same(&one.body, &other.body);
    let body = Placed { offset: first.offset, shape: one.body.clone() };
    fits.then(|| body.repeated(one.count + other.count, one.stride))
}

/// Where equal parts lie at equal distances, they are a loop: all of them, or several in a row. None if
/// that is not half as long.
fn with_runs(list: &[Placed]) -> Option<Vec<Placed>> {
    let mut shorter: Vec<Placed> = Vec::new();
    let mut first = 0;
    while first < list.len() {
        let run = run(&list[first..]);
        if run >= RUN || (run >= 2 && run == list.len()) {
            let stride = list[first + 1].offset - list[first].offset;
            append(&mut shorter, list[first].repeated(run, stride));
            first += run;
        } else {
            append(&mut shorter, list[first].clone());
            first += 1;
        }
    }
    // A list of blocks is faster than a mixture of single blocks and short loops.
    (!list.is_empty() && 2 * shorter.len() <= list.len()).then_some(shorter)
}

/// How many parts from the first on are equal and at equal distances.
fn run(list: &[Placed]) -> usize {
    let [first, second, ..] = list else { return list.len() };
    let stride = second.offset.wrapping_sub(first.offset);
    let pairs = list.windows(2).take_while(|pair| {
        pair[1].offset.wrapping_sub(pair[0].offset) == stride
            && same(&pair[0].shape, &pair[1].shape)
    });
    1 + pairs.count()
}

fn common_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

/// The shape of several parts that are no loop.
fn listed(list: &[Placed]) -> Placed {
    let first = list[0].offset;
    let lens = || list.iter().map(|part| part.shape.size());
    let are_blocks = list.iter().all(|part| matches!(*part.shape, Shape::Block(_)));
    let offsets = || list.iter().map(|part| part.offset - first);
    let ends = lens().scan(0, |end, len| {
        *end += len;
        Some(*end)
    });
    // Where few neighbours touch, as in a list of random places, equal blocks are copied faster.
    let unit = lens().fold(0, common_divisor);
    let units = || lens().map(move |len| len / unit);
    let shape = if are_blocks && units().sum::<usize>() <= 2 * list.len() {
        let one = |(offset, units): (isize, usize)| {
            (0..units as isize).map(move |place| offset + place * unit as isize)
        };
        Shape::Blocks(Blocks { offsets: offsets().zip(units()).flat_map(one).collect(), len: unit })
    } else if are_blocks {
        let pieces = offsets().zip(lens()).zip(ends);
        Shape::Pieces(pieces.map(|((offset, len), end)| Piece { offset, len, end }).collect())
    } else {
        let parts = list.iter().zip(ends).map(|(part, end)| Part {
            offset: part.offset - first,
            shape: part.shape.clone(),
            end,
            depth: part.shape.depth(),
        });
        Shape::Parts(parts.collect())
    };
    Placed { offset: first, shape: Arc::new(shape) }
}
