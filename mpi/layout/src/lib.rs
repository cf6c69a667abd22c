//! Datatypes without MPI: what the constructors of MPI 5.0, chapter 5 make of basic types, and how their
//! data is moved. It knows no handles and no errors but [`Overflow`].
//!
//! A [`Type`] keeps the tree of constructors for what depends on it: bounds, how many basic elements some
//! bytes are, the basic types in their order. For moving data it is lowered once to a [`Placed`] shape,
//! which is the same for all ways to build the same layout.

mod kernels;
mod shape;
mod walk;

use std::sync::{Arc, OnceLock};

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
    placed: OnceLock<Placed>,
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
        Ok(Arc::new(Type {
            make,
            size: count(self.size)?,
            elements: count(self.elements)?,
            alignment: self.alignment,
            data: self.data,
            marks: self.marks,
            lb: small(lower)?,
            extent: small(extent)?,
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
        self.placed.get_or_init(|| match &self.make {
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
            Make::Resized(of) => of.placed().clone(),
        })
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
        if bytes == self.size {
            return Some(self.elements);
        }
        if bytes == 0 {
            return Some(0);
        }
        match &self.make {
            Make::Basic(basic) => {
                (basic.second.is_some() && bytes == basic.first as u64).then_some(1)
            }
            Make::Vector { of, .. } | Make::Indexed { of, .. } => of.elements_in_row(bytes),
            Make::Resized(of) => of.elements_in(bytes),
            Make::Struct(parts) => {
                let (mut rest, mut found) = (bytes, 0);
                for (block, of) in parts {
                    let here = rest.min(block.count * of.size);
                    found += of.elements_in_row(here)?;
                    rest -= here;
                }
                Some(found)
            }
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
        let (whole, rest) = (elements / self.elements, elements % self.elements);
        let rest = match &self.make {
            _ if rest == 0 => 0,
            Make::Basic(basic) => basic.first as u64,
            Make::Vector { of, .. } | Make::Indexed { of, .. } | Make::Resized(of) => {
                of.bytes_of(rest)
            }
            Make::Struct(parts) => {
                let (mut rest, mut bytes) = (rest, 0);
                for (block, of) in parts {
                    let here = rest.min(block.count * of.elements);
                    bytes += of.bytes_of(here);
                    rest -= here;
                }
                bytes
            }
        };
        whole.saturating_mul(self.size).saturating_add(rest)
    }

    /// Calls a function with each basic type of one element, in the order of its data, and its displacement.
    pub fn for_each_basic(&self, at: i64, each: &mut dyn FnMut(i64, &Basic)) {
        let mut row = |of: &Self, at: i64, count: u64| {
            for place in 0..count as i64 {
                of.for_each_basic(at + place * of.extent, &mut |at, basic| each(at, basic));
            }
        };
        match &self.make {
            Make::Basic(basic) => each(at, basic),
            Make::Vector { count, stride, len, of } => {
                (0..*count as i64).for_each(|place| row(of, at + place * stride, *len));
            }
            Make::Indexed { blocks, of } => {
                blocks.iter().for_each(|block| row(of, at + block.displacement, block.count));
            }
            Make::Struct(parts) => {
                parts.iter().for_each(|(block, of)| row(of, at + block.displacement, block.count))
            }
            Make::Resized(of) => of.for_each_basic(at, each),
        }
    }
}
