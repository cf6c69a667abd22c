//! A datatype as bytes, from which another process makes the same one.
//!
//! ```text
//!   description   nodes, each after those that it is made of; the last one is the type
//!   node          tag, numbers, and for each part how many nodes back it is
//!   number        seven bits a byte, the lowest first; signed ones with the sign in the lowest bit
//! ```
//!
//! Parts that occur several times are written once, so a description is as long as what the program wrote
//! to make the type, however large the type is.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Block, Make, Type};

const BASIC: u8 = 0;
const VECTOR: u8 = 1;
const INDEXED: u8 = 2;
const STRUCT: u8 = 3;
const RESIZED: u8 = 4;

/// Describes a type.
pub fn describe(kind: &Type) -> Vec<u8> {
    let mut text = Writer(Vec::new());
    let mut written = HashMap::<*const Type, u64>::new();
    // From the inside to the outside, without a call for each level: programs nest without limit.
    let mut open = vec![kind];
    while let Some(&outer) = open.last() {
        if written.contains_key(&std::ptr::from_ref(outer)) {
            open.pop();
            continue;
        }
        let before = open.len();
        let parts = outer.make.parts().map(|of| &**of);
        open.extend(parts.filter(|of| !written.contains_key(&std::ptr::from_ref(*of))));
        if open.len() > before {
            continue;
        }
        let number = written.len() as u64;
        text.node(outer, |of| number - written[&Arc::as_ptr(of)]);
        written.insert(outer, number);
        open.pop();
    }
    text.0
}

/// Levels of nested data that a described type may have: what moves its data needs a call for each. Constructors
/// nest without limit, as long as what they make is a few loops.
const DEEPEST: usize = 256;

/// Makes the type of a description, of basic types that the caller knows by their ids. None if it is no
/// description, or that of a type that can't be, or whose data is nested too deeply. What it needs of memory and time is a small multiple of the
/// description's length.
pub fn described(
    text: &[u8],
    mut basic: impl FnMut(u32) -> Option<Arc<Type>>,
) -> Option<Arc<Type>> {
    let mut text = Reader(text);
    let mut nodes = Vec::new();
    while !text.0.is_empty() {
        let node = text.node(&nodes, &mut basic)?;
        if node.placed().shape.depth() > DEEPEST {
            return None;
        }
        nodes.push(node);
    }
    nodes.pop()
}

struct Writer(Vec<u8>);

impl Writer {
    fn node(&mut self, of: &Type, back: impl Fn(&Arc<Type>) -> u64) {
        match &of.make {
            Make::Basic(basic) => {
                self.0.push(BASIC);
                self.number(basic.id.into());
            }
            Make::Vector { count, stride, len, of } => {
                self.0.push(VECTOR);
                self.number(*count);
                self.signed(*stride);
                self.number(*len);
                self.number(back(of));
            }
            Make::Indexed { blocks, of } => {
                self.0.push(INDEXED);
                self.number(back(of));
                self.number(blocks.len() as u64);
                blocks.iter().for_each(|block| self.block(block));
            }
            Make::Struct(parts) => {
                self.0.push(STRUCT);
                self.number(parts.len() as u64);
                for (block, of) in parts {
                    self.block(block);
                    self.number(back(of));
                }
            }
            Make::Resized(part) => {
                self.0.push(RESIZED);
                self.signed(of.lb);
                self.signed(of.extent);
                self.number(back(part));
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.signed(block.displacement);
        self.number(block.count);
    }

    fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn node(
        &mut self,
        nodes: &[Arc<Type>],
        basic: &mut dyn FnMut(u32) -> Option<Arc<Type>>,
    ) -> Option<Arc<Type>> {
        let made = match self.byte()? {
            BASIC => return basic(self.number()?.try_into().ok()?),
            VECTOR => {
                let (count, stride, len) = (self.count()?, self.signed()?, self.count()?);
                Type::vector(count, len, stride, self.part(nodes)?)
            }
            INDEXED => {
                let of = self.part(nodes)?;
                let blocks = (0..self.count()?).map(|_| self.block()).collect::<Option<_>>();
                Type::indexed(blocks?, of)
            }
            STRUCT => {
                let count = self.count()?;
                let parts = (0..count).map(|_| Some((self.block()?, self.part(nodes)?.clone())));
                let parts = parts.collect::<Option<_>>();
                Type::structure(parts?)
            }
            RESIZED => {
                let (lb, extent) = (self.signed()?, self.signed()?);
                Type::resized(lb, extent, self.part(nodes)?)
            }
            _ => return None,
        };
        made.ok()
    }

    fn part<'a>(&mut self, nodes: &'a [Arc<Type>]) -> Option<&'a Arc<Type>> {
        let back = usize::try_from(self.number()?).ok()?;
        nodes.get(nodes.len().checked_sub(back)?)
    }

    fn block(&mut self) -> Option<Block> {
        Some(Block { displacement: self.signed()?, count: self.count()? })
    }

    /// A number that programs can give.
    fn count(&mut self) -> Option<u64> {
        self.number().filter(|count| i64::try_from(*count).is_ok())
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}
