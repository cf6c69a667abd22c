//! Datatypes without MPI: what the constructors of MPI 5.0, chapter 5 make of basic types, and how their
//! data is moved. It knows no handles and no errors but [`Overflow`].
//!
//! A [`Type`] keeps the tree of constructors for what depends on it: bounds, how many basic elements some
//! bytes are, the basic types in their order. For moving data it is lowered once to a [`Placed`] shape,
//! which is the same for all ways to build the same layout.

mod describe;
mod kernels;
mod shape;
mod walk;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

pub use describe::{describe, described};
pub use shape::{Placed, Shape};
pub use walk::{Elements, blocks, pack, unpack};

/// A size, an extent or a displacement that is larger than addresses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// The result of a constructor.
pub type Result<T> = std::result::Result<T, Overflow>;

/// A basic type: one value, or a pair of two of which the second may lie behind a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basic {
    /// What the MPI layer calls it.
    pub id: u32,
    /// Bytes from one to the next.
    pub extent: usize,
    /// What addresses of it are a multiple of.
    pub alignment: usize,
    /// Bytes of the first value.
    pub first: usize,
    /// Where the second value of a pair lies, and its bytes.
    pub second: Option<(usize, usize)>,
}

impl Basic {
    fn size(&self) -> usize {
        self.first + self.second.map_or(0, |(_, len)| len)
    }
}

/// `count` elements of a type one behind the other, at a displacement in bytes.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where the first one is.
    pub displacement: i64,
    /// How many.
    pub count: u64,
}

/// How a type was made.
#[derive(Debug)]
enum Make {
    Basic(Basic),
    /// So many times a block, `stride` bytes from one to the next.
    Vector {
        count: u64,
        stride: i64,
        len: u64,
        of: Arc<Type>,
    },
    Indexed {
        blocks: Vec<Block>,
        of: Arc<Type>,
    },
    Struct(Vec<(Block, Arc<Type>)>),
    Resized(Arc<Type>),
}

impl Make {
    /// The types of which it is made.
    fn parts(&self) -> impl Iterator<Item = &Arc<Type>> {
        let (one, all) = match self {
            Self::Basic(_) => (None, &[][..]),
            Self::Vector { of, .. } | Self::Indexed { of, .. } | Self::Resized(of) => {
                (Some(of), &[][..])
            }
            Self::Struct(parts) => (None, &parts[..]),
        };
        one.into_iter().chain(all.iter().map(|(_, of)| of))
    }
}

/// The lowest and the highest address, relative to the one that the program gives.
type Span = (i128, i128);

/// A datatype.
#[derive(Debug)]
pub struct Type {
    make: Make,
    size: u64,
    elements: u64,
    alignment: u64,
    /// From the first byte of data to behind the last; none without data.
    data: Option<Span>,
    /// What `MPI_Type_create_resized` set, here or in a part (section 5.1.7).
    marks: Option<Span>,
    lb: i64,
    extent: i64,
    made_of: MadeOf,
    placed: OnceLock<Placed>,
}

/// The basic types in a type that has data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MadeOf {
    #[default]
    Nothing,
    /// One, by its id.
    One(u32),
    Several,
}

impl MadeOf {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }
}

/// What is known of a type before its bounds are.
#[derive(Default)]
struct Sum {
    size: u128,
    elements: u128,
    alignment: u64,
    data: Option<Span>,
    /// From the least lower bound of a part to the greatest upper one.
    bounds: Option<Span>,
    marks: Option<Span>,
    made_of: MadeOf,
}

/// What spans both.
fn wider(one: Option<Span>, other: Span) -> Option<Span> {
    Some(one.map_or(other, |one| (one.0.min(other.0), one.1.max(other.1))))
}

impl Sum {
    /// Adds `times` blocks of `count` elements, `stride` bytes from one block to the next.
    fn add(&mut self, of: &Type, displacement: i64, count: u64, times: u64, stride: i64) {
        if count == 0 || times == 0 {
            return;
        }
        let all = u128::from(count) * u128::from(times);
        self.size = self.size.saturating_add(all.saturating_mul(of.size.into()));
        self.elements = self.elements.saturating_add(all.saturating_mul(of.elements.into()));
        self.alignment = self.alignment.max(of.alignment);
        self.made_of = self.made_of.and(of.made_of);
        // How far the copies of the element reach below and above the first one.
        let reach = |times: u64, step: i64| {
            let far = i128::from(times - 1) * i128::from(step);
            (far.min(0), far.max(0))
        };
        let (within, between) = (reach(count, of.extent), reach(times, stride));
        let low = i128::from(displacement) + within.0 + between.0;
        let high = i128::from(displacement) + within.1 + between.1;
        let placed = |span: Span| (span.0 + low, span.1 + high);
        if let Some(data) = of.data {
            self.data = wider(self.data, placed(data));
            let lb = i128::from(of.lb);
            self.bounds = wider(self.bounds, placed((lb, lb + i128::from(of.extent))));
        }
        if let Some(marks) = of.marks {
            self.marks = wider(self.marks, placed(marks));
        }
    }

    /// The type, whose bounds follow from its data and marks (section 5.1.7).
    fn end(self, make: Make) -> Result<Arc<Type>> {
        let small = |value: i128| i64::try_from(value).map_err(|_| Overflow);
        let count =
            |value: u128| i64::try_from(value).map(i64::cast_unsigned).map_err(|_| Overflow);
        let (first, end) = self.data.unwrap_or_default();
        let (lower, extent) = match self.marks {
            Some((lower, upper)) => (lower, upper - lower),
            None => {
                let (lower, upper) = self.bounds.or(self.data).unwrap_or_default();
                let (alignment, exact) = (i128::from(self.alignment.max(1)), upper - lower);
                (lower, exact + (-exact).rem_euclid(alignment))
            }
        };
        small(first)?;
        small(end)?;
        small(end - first)?;
        Ok(Arc::new(Type {
            make,
            size: count(self.size)?,
            elements: count(self.elements)?,
            alignment: self.alignment,
            data: self.data,
            marks: self.marks,
            lb: small(lower)?,
            extent: small(extent)?,
            made_of: self.made_of,
            placed: OnceLock::new(),
        }))
    }
}

impl Type {
    /// A type of the standard.
    pub fn basic(basic: Basic) -> Result<Arc<Self>> {
        let sum = Sum {
            size: basic.size() as u128,
            elements: 1 + u128::from(basic.second.is_some()),
            alignment: basic.alignment as u64,
            data: Some((0, basic.second.map_or(basic.first, |(at, len)| at + len) as i128)),
            made_of: MadeOf::One(basic.id),
            ..Sum::default()
        };
        sum.end(Make::Basic(basic))
    }

    /// `count` blocks of `len` elements, `stride` bytes from one to the next: also one block, of
    /// `MPI_Type_contiguous`.
    pub fn vector(count: u64, len: u64, stride: i64, of: &Arc<Self>) -> Result<Arc<Self>> {
        let mut sum = Sum::default();
        sum.add(of, 0, len, count, stride);
        sum.end(Make::Vector { count, stride, len, of: of.clone() })
    }

    /// Blocks of elements of one type.
    pub fn indexed(blocks: Vec<Block>, of: &Arc<Self>) -> Result<Arc<Self>> {
        let mut sum = Sum::default();
        blocks.iter().for_each(|block| sum.add(of, block.displacement, block.count, 1, 0));
        sum.end(Make::Indexed { blocks, of: of.clone() })
    }

    /// Blocks of elements of several types.
    pub fn structure(parts: Vec<(Block, Arc<Self>)>) -> Result<Arc<Self>> {
        let mut sum = Sum::default();
        parts.iter().for_each(|(block, of)| sum.add(of, block.displacement, block.count, 1, 0));
        sum.end(Make::Struct(parts))
    }

    /// The same data with other bounds.
    pub fn resized(lb: i64, extent: i64, of: &Arc<Self>) -> Result<Arc<Self>> {
        let mut sum = Sum::default();
        sum.add(of, 0, 1, 1, 0);
        sum.marks = Some((lb.into(), i128::from(lb) + i128::from(extent)));
        sum.end(Make::Resized(of.clone()))
    }

    /// Bytes of data.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Basic elements; the values of a pair are two.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// The id of the one basic type that it is made of; none if it is made of several, or of nothing.
    pub fn element(&self) -> Option<u32> {
        match self.made_of {
            MadeOf::One(id) => Some(id),
            MadeOf::Nothing | MadeOf::Several => None,
        }
    }

    /// The id of a basic type; none if a constructor made it.
    pub fn basic_id(&self) -> Option<u32> {
        match &self.make {
            Make::Basic(basic) => Some(basic.id),
            _ => None,
        }
    }

    /// The lower bound.
    pub fn lb(&self) -> i64 {
        self.lb
    }

    /// Bytes from one element to the next.
    pub fn extent(&self) -> i64 {
        self.extent
    }

    /// Where the data begins, and the bytes from its first to its last one. Zero without data.
    pub fn true_bounds(&self) -> (i64, i64) {
        let (first, end) = self.data.unwrap_or_default();
        (first as i64, (end - first) as i64)
    }

    /// The data of one element; found out at the first call. The offsets fit, because the bounds do.
    pub fn placed(&self) -> &Placed {
        if let Some(placed) = self.placed.get() {
            return placed;
        }
        // From the inside to the outside, without a call for each level: programs nest without limit.
        let mut open = vec![self];
        while let Some(&outer) = open.last() {
            let known = open.len();
            let unknown = |of: &&Self| of.size > 0 && of.placed.get().is_none();
            outer.make.parts().map(|of| &**of).filter(unknown).for_each(|of| open.push(of));
            if open.len() == known {
                outer.placed.get_or_init(|| outer.lowered());
                open.pop();
            }
        }
        self.placed.get_or_init(|| self.lowered())
    }

    /// The data of one element, from that of the parts.
    fn lowered(&self) -> Placed {
        if self.size == 0 {
            // Parts of which there are none may be as large as it gets.
            return Placed::empty();
        }
        match &self.make {
            Make::Basic(basic) => {
                let second = basic.second.map(|(at, len)| Placed::block(at as isize, len));
                Placed::sequence([Placed::block(0, basic.first)].into_iter().chain(second))
            }
            Make::Vector { count, stride, len, of } => {
                of.row(*len).repeated(*count as usize, *stride as isize)
            }
            Make::Indexed { blocks, of } => {
                let parts = blocks.iter().filter(|block| block.count > 0);
                Placed::sequence(
                    parts.map(|block| of.row(block.count).moved(block.displacement as isize)),
                )
            }
            Make::Struct(parts) => {
                let parts = parts.iter().filter(|(block, _)| block.count > 0);
                Placed::sequence(
                    parts.map(|(block, of)| of.row(block.count).moved(block.displacement as isize)),
                )
            }
            Make::Resized(of) => of.row(1),
        }
    }

    /// Elements one behind the other.
    fn row(&self, count: u64) -> Placed {
        if self.size == 0 {
            return Placed::empty();
        }
        self.placed().repeated(count as usize, self.extent as isize)
    }

    /// How many basic elements the first `bytes` of one element's data are; none if they end inside of one.
    pub fn elements_in(&self, bytes: u64) -> Option<u64> {
        let (mut inner, mut rest, mut found) = (self, bytes, 0);
        loop {
            if rest == inner.size {
                return Some(found + inner.elements);
            }
            if rest == 0 {
                return Some(found);
            }
            if let Make::Basic(basic) = &inner.make {
                let is_first = basic.second.is_some() && rest == basic.first as u64;
                return is_first.then_some(found + 1);
            }
            let all = |count: u64, of: &Self| (count * of.size, count * of.elements);
            let (of, before) = inner.part_at(rest, all)?;
            (inner, found) = (of, found + before.1 + (rest - before.0) / of.size * of.elements);
            rest = (rest - before.0) % of.size;
        }
    }

    /// The same for many elements.
    pub fn elements_in_row(&self, bytes: u64) -> Option<u64> {
        if self.size == 0 {
            return (bytes == 0).then_some(0);
        }
        Some(bytes / self.size * self.elements + self.elements_in(bytes % self.size)?)
    }

    /// The way back: bytes of data that are this many basic elements of many elements.
    pub fn bytes_of(&self, elements: u64) -> u64 {
        if self.elements == 0 {
            return 0;
        }
        let mut bytes = (elements / self.elements).saturating_mul(self.size);
        let (mut inner, mut rest) = (self, elements % self.elements);
        while rest > 0 {
            if let Make::Basic(basic) = &inner.make {
                return bytes.saturating_add(basic.first as u64);
            }
            let all = |count: u64, of: &Self| (count * of.elements, count * of.size);
            let Some((of, before)) = inner.part_at(rest, all) else { break };
            let whole = (rest - before.0) / of.elements * of.size;
            (inner, bytes) = (of, bytes.saturating_add(before.1 + whole));
            rest = (rest - before.0) % of.elements;
        }
        bytes
    }

    /// The part in which place `place` of one element is, in a unit that `all` counts elements of a part
    /// in, and what is before that part: in this unit, and in the other one that it counts in.
    fn part_at(
        &self,
        place: u64,
        all: impl Fn(u64, &Self) -> (u64, u64),
    ) -> Option<(&Self, (u64, u64))> {
        let Make::Struct(parts) = &self.make else {
            return self.make.parts().next().map(|of| (&**of, (0, 0)));
        };
        let mut before = (0, 0);
        for (block, of) in parts {
            let here = all(block.count, of);
            if place - before.0 < here.0 {
                return Some((of, before));
            }
            before = (before.0 + here.0, before.1 + here.1);
        }
        None
    }

    /// What a function says of the basic types of one element, added up; types that occur often are asked
    /// once. It says no more than the bytes of each.
    pub fn sum(&self, of_basic: impl Fn(&Basic) -> u64) -> u64 {
        let mut known = HashMap::<*const Self, u64>::new();
        let mut open = vec![self];
        while let Some(&outer) = open.last() {
            let before = open.len();
            let parts = outer.make.parts().map(|of| &**of);
            open.extend(parts.filter(|of| !known.contains_key(&std::ptr::from_ref(*of))));
            if open.len() > before {
                continue;
            }
            let row = |count: u64, of: &Arc<Self>| match of.size {
                // The number of those is not limited by their size.
                0 => 0,
                _ => count * known[&Arc::as_ptr(of)],
            };
            let all = match &outer.make {
                Make::Basic(basic) => of_basic(basic),
                Make::Vector { count, len, of, .. } => {
                    row(if of.size > 0 { count * len } else { 0 }, of)
                }
                Make::Indexed { blocks, of } => {
                    blocks.iter().map(|block| row(block.count, of)).sum()
                }
                Make::Struct(parts) => parts.iter().map(|(block, of)| row(block.count, of)).sum(),
                Make::Resized(of) => row(1, of),
            };
            known.insert(outer, all);
            open.pop();
        }
        known[&std::ptr::from_ref(self)]
    }

    /// Calls a function with each basic type of one element, in the order of its data, and its displacement.
    pub fn for_each_basic(&self, at: i64, each: &mut dyn FnMut(i64, &Basic)) {
        let mut open = vec![Walk::Row { at, count: 1, of: self }];
        while let Some(walk) = open.pop() {
            match walk {
                Walk::Row { at, count, of } => {
                    if count == 0 || of.size == 0 {
                        continue;
                    }
                    if count > 1 {
                        open.push(Walk::Row { at: at + of.extent, count: count - 1, of });
                    }
                    match &of.make {
                        Make::Basic(basic) => each(at, basic),
                        Make::Vector { count, stride, len, of } => {
                            open.push(Walk::Rows {
                                at,
                                count: *count,
                                stride: *stride,
                                len: *len,
                                of,
                            });
                        }
                        Make::Indexed { blocks, of } => open.push(Walk::Indexed { at, blocks, of }),
                        Make::Struct(parts) => open.push(Walk::Struct { at, parts }),
                        Make::Resized(of) => open.push(Walk::Row { at, count: 1, of }),
                    }
                }
                Walk::Rows { at, count, stride, len, of } => {
                    if count > 1 {
                        let (at, count) = (at + stride, count - 1);
                        open.push(Walk::Rows { at, count, stride, len, of });
                    }
                    open.push(Walk::Row { at, count: len, of });
                }
                Walk::Indexed { at, blocks, of } => {
                    if let [block, blocks @ ..] = blocks {
                        open.push(Walk::Indexed { at, blocks, of });
                        open.push(Walk::Row {
                            at: at + block.displacement,
                            count: block.count,
                            of,
                        });
                    }
                }
                Walk::Struct { at, parts } => {
                    if let [(block, of), parts @ ..] = parts {
                        open.push(Walk::Struct { at, parts });
                        open.push(Walk::Row {
                            at: at + block.displacement,
                            count: block.count,
                            of,
                        });
                    }
                }
            }
        }
    }
}

impl Drop for Type {
    /// Without a call for each level of those types that nothing else needs.
    fn drop(&mut self) {
        let take = |make: &mut Make| std::mem::replace(make, Make::Struct(Vec::new()));
        let mut open = vec![take(&mut self.make)];
        while let Some(make) = open.pop() {
            let mut end = |of: Arc<Self>| {
                open.extend(Arc::into_inner(of).map(|mut of| take(&mut of.make)));
            };
            match make {
                Make::Basic(_) => {}
                Make::Vector { of, .. } | Make::Indexed { of, .. } | Make::Resized(of) => end(of),
                Make::Struct(parts) => parts.into_iter().for_each(|(_, of)| end(of)),
            }
        }
    }
}

/// What is left of a walk through the basic types, on one level.
enum Walk<'a> {
    /// Elements one behind the other.
    Row { at: i64, count: u64, of: &'a Type },
    /// Blocks of a vector; one at least.
    Rows { at: i64, count: u64, stride: i64, len: u64, of: &'a Type },
    /// Blocks of elements of one type.
    Indexed { at: i64, blocks: &'a [Block], of: &'a Type },
    /// Blocks of elements of several types.
    Struct { at: i64, parts: &'a [(Block, Arc<Type>)] },
}
