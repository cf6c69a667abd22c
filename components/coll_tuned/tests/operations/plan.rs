//! An operation on one rank: its arguments, and what its memory must be afterwards.

use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};

use cairn_framework::abi::datatype::Datatype;
use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::OK;
use cairn_framework::frameworks::coll::{
    COLL_BLOCKING, COLL_NONBLOCKING, COLL_PERSISTENT, CollArgs, CollCounts, CollSide, blocking_tag,
};

use super::memory::{Area, Operation, Type};
use super::world::{Open, Rank};

/// Integers that every datatype has a whole number of elements for.
pub const UNIT: usize = 6;

/// Numbers that look random and come again from the same seed.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 29)
    }
    pub fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 8) % end
    }
    pub fn flip(&mut self) -> bool {
        self.below(2) == 1
    }
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
    pub fn row(&mut self, units: usize) -> Vec<u32> {
        (0..units * UNIT).map(|_| self.next() as u32).collect()
    }
    /// A size: often none or one, sometimes many.
    pub fn units(&mut self) -> usize {
        match self.below(8) {
            0 => 0,
            1..4 => 1,
            4..7 => self.below(8) as usize,
            _ => self.below(400) as usize,
        }
    }
}

/// One side of an operation.
#[derive(Clone)]
pub struct Side {
    /// What stands for a buffer, if there is none.
    pub special: Option<usize>,
    area: Area,
    before: Area,
    after: Area,
    pub count: u64,
    pub datatype: Option<Type>,
    counts: Vec<i64>,
    displacements: Vec<i64>,
    datatypes: Vec<*const Datatype>,
    /// Whether counts have 32 bits.
    narrow: Option<[Vec<i32>; 2]>,
}

// SAFETY: datatypes are constant.
unsafe impl Send for Side {}
// SAFETY: see `Send`.
unsafe impl Sync for Side {}

/// How the blocks of a side are told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Alike,
    Counts,
    Types,
}

/// What a block holds before and afterwards; nothing where it does not matter, or must not change.
pub type Content = (Option<Vec<u32>>, Option<Vec<u32>>);

/// The lowest and the highest byte of elements of a type.
fn bounds(datatype: Type, count: u64) -> (i64, i64) {
    let layout = datatype.layout();
    let reach = (count as i64 - 1).max(0) * layout.extent;
    let low = layout.offsets.iter().min().unwrap() + reach.min(0);
    (low, layout.offsets.iter().max().unwrap() + 4 + reach.max(0))
}

impl Side {
    fn special(address: usize) -> Self {
        let area = Area::new(0, 0);
        Self {
            special: Some(address),
            area: area.clone(),
            before: area.clone(),
            after: area,
            count: 0,
            datatype: None,
            counts: vec![],
            displacements: vec![],
            datatypes: vec![],
            narrow: None,
        }
    }

    /// A side that does not count on this rank.
    pub fn none() -> Self {
        Self::special(0)
    }

    pub fn in_place() -> Self {
        Self::special(1)
    }

    /// One row.
    pub fn single(datatype: Type, units: usize, content: Content) -> Self {
        Self::laid_out(&[(0, 0, datatype, units)], &[content], Kind::Alike)
    }

    /// A block for each rank, of so many units.
    pub fn blocks(
        random: &mut Random,
        kind: Kind,
        types: &[Type],
        units: &[usize],
        contents: &[Content],
    ) -> Self {
        let one = random.pick(types);
        let mut order: Vec<usize> = (0..units.len()).collect();
        if kind != Kind::Alike {
            order.sort_by_key(|_| random.next());
        }
        let mut blocks = vec![(0, 0, one, 0); units.len()];
        let mut next = if kind == Kind::Types { random.below(20) as i64 * 4 } else { 0 };
        for i in order {
            let datatype = if kind == Kind::Types { random.pick(types) } else { one };
            let count = (units[i] * UNIT) as u64 / datatype.ints();
            blocks[i] = if kind == Kind::Types {
                let (low, high) = bounds(datatype, count);
                let displacement = next - low;
                next = displacement + high + 4 * random.below(3) as i64;
                (displacement, displacement, datatype, units[i])
            } else {
                if kind == Kind::Counts {
                    next += random.below(3) as i64;
                }
                let displacement = next;
                next += count as i64;
                (displacement, displacement * datatype.layout().extent, datatype, units[i])
            };
        }
        let mut side = Self::laid_out(&blocks, contents, kind);
        if random.flip() {
            let narrow = |list: &[i64]| list.iter().map(|value| *value as i32).collect();
            side.narrow = Some([narrow(&side.counts), narrow(&side.displacements)]);
        }
        side
    }

    /// Blocks by displacement as an argument, displacement in bytes, type and units.
    fn laid_out(blocks: &[(i64, i64, Type, usize)], contents: &[Content], kind: Kind) -> Self {
        let count = |units: usize, datatype: Type| (units * UNIT) as u64 / datatype.ints();
        let (mut low, mut high) = (0, 0);
        for (_, bytes, datatype, units) in blocks {
            let (first, last) = bounds(*datatype, count(*units, *datatype));
            (low, high) = (low.min(bytes + first), high.max(bytes + last));
        }
        let mut side = Self::special(0);
        side.special = None;
        side.before = Area::new(low, high);
        for ((_, bytes, datatype, _), (before, _)) in blocks.iter().zip(contents) {
            if let Some(row) = before {
                side.before.put(*bytes, *datatype, row);
            }
        }
        side.after = side.before.clone();
        for ((_, bytes, datatype, _), (_, after)) in blocks.iter().zip(contents) {
            if let Some(row) = after {
                side.after.put(*bytes, *datatype, row);
            }
        }
        side.area = side.before.clone();
        let counts: Vec<u64> = blocks.iter().map(|block| count(block.3, block.2)).collect();
        if kind == Kind::Alike {
            side.count = counts[0];
            side.datatype = Some(blocks[0].2);
        } else {
            side.counts = counts.iter().map(|count| *count as i64).collect();
            side.displacements = blocks.iter().map(|block| block.0).collect();
            if kind == Kind::Types {
                side.datatypes = blocks.iter().map(|block| block.2.pointer()).collect();
            } else {
                side.datatype = Some(blocks[0].2);
            }
        }
        side
    }

    /// The same memory, of which only the address is an argument.
    pub fn only_address(mut self) -> Self {
        self.count = 0;
        self.datatype = None;
        self
    }

    /// Counts without displacements, for reduce-scatter.
    pub fn with_counts(mut self, counts: Vec<i64>) -> Self {
        self.count = 0;
        self.counts = counts;
        self
    }

    fn argument(&mut self) -> CollSide {
        let list = |wide: &[i64], narrow: Option<&Vec<i32>>| match narrow {
            _ if wide.is_empty() => CollCounts { data: null(), width: 8, reserved: 0 },
            Some(narrow) => CollCounts { data: narrow.as_ptr().cast(), width: 4, reserved: 0 },
            None => CollCounts { data: wide.as_ptr().cast(), width: 8, reserved: 0 },
        };
        let (counts, displacements) = match &self.narrow {
            Some([counts, displacements]) => (Some(counts), Some(displacements)),
            None => (None, None),
        };
        CollSide {
            buffer: match self.special {
                Some(address) => without_provenance_mut::<c_void>(address),
                None => self.area.pointer(),
            },
            count: self.count,
            datatype: self.datatype.map_or(null(), |datatype| datatype.pointer()),
            counts: list(&self.counts, counts),
            displacements: list(&self.displacements, displacements),
            datatypes: if self.datatypes.is_empty() { null() } else { self.datatypes.as_ptr() },
        }
    }

    fn reset(&mut self) {
        self.area.copy_from(&self.before);
    }
}

/// An operation on one rank.
#[derive(Clone)]
pub struct Plan {
    pub operation: u32,
    pub root: i32,
    pub op: Option<Operation>,
    pub send: Side,
    pub receive: Side,
}

/// An operation that is under way.
pub struct Started {
    request: *mut Request,
}

impl Plan {
    pub fn args(&mut self, number: u64) -> CollArgs {
        CollArgs {
            struct_size: size_of::<CollArgs>() as u32,
            operation: self.operation,
            send: self.send.argument(),
            receive: self.receive.argument(),
            op: self.op.map_or(null(), |op| std::ptr::from_ref(op.op)),
            root: self.root,
            tag: blocking_tag(number),
            flags: 0,
            reserved: 0,
        }
    }

    /// Makes its memory what it was before.
    pub fn reset(&mut self) {
        self.send.reset();
        self.receive.reset();
    }

    /// Runs it in one of the three ways and looks at the memory; a persistent one twice.
    pub fn run(
        &mut self,
        rank: &Rank,
        open: &Open<'_>,
        way: u32,
        number: u64,
    ) -> Result<(), String> {
        let offered = |way| {
            // SAFETY: the module is open.
            unsafe {
                rank.ops.offer.unwrap()(rank.instance, &open.comm, open.module, self.operation, way)
            }
        };
        if offered(way) != rank.priority {
            return Err(format!("operation {} is not offered", self.operation));
        }
        match way {
            COLL_BLOCKING => {
                let args = self.args(number);
                // SAFETY: the arguments are those of the operation and stay.
                let status =
                    unsafe { rank.ops.run.unwrap()(rank.instance, &open.comm, open.module, &args) };
                if status != OK {
                    return Err(rank.reason());
                }
                self.check()
            }
            COLL_NONBLOCKING => {
                let started = self.start(rank, open, number)?;
                started.finish(rank)?;
                self.check()
            }
            COLL_PERSISTENT => {
                let args = self.args(number);
                let mut request = null_mut();
                // SAFETY: as above, and the request is given back once it is complete.
                unsafe {
                    let init = rank.ops.init.unwrap();
                    let status = init(rank.instance, &open.comm, open.module, &args, &mut request);
                    if status != OK {
                        return Err(rank.reason());
                    }
                    assert!((*request).is_complete());
                    // Both times, whatever comes out: the others count on it.
                    let mut result = Ok(());
                    for _ in 0..2 {
                        self.reset();
                        assert_eq!((*request).start.unwrap()(request), OK);
                        let waited = Started { request }.wait(rank);
                        result = result.and(waited).and_then(|()| self.check());
                    }
                    (*request).free.unwrap()(request);
                    result
                }
            }
            _ => unreachable!(),
        }
    }

    pub fn start(&mut self, rank: &Rank, open: &Open<'_>, number: u64) -> Result<Started, String> {
        let args = self.args(number);
        let mut request = null_mut();
        // SAFETY: the arguments are those of the operation and stay.
        unsafe {
            let start = rank.ops.start.unwrap();
            let status = start(rank.instance, &open.comm, open.module, &args, &mut request);
            if status != OK {
                return Err(rank.reason());
            }
            assert!((*request).start.is_none() && (*request).cancel.is_none());
        }
        Ok(Started { request })
    }

    /// Whether memory is as it must be.
    pub fn check(&self) -> Result<(), String> {
        let at = |side: &Side| side.area.first_difference(&side.after);
        match (at(&self.send), at(&self.receive)) {
            (None, None) => Ok(()),
            (send, receive) => {
                Err(format!("first wrong byte: send buffer {send:?}, receive buffer {receive:?}"))
            }
        }
    }
}

impl Started {
    fn wait(&self, rank: &Rank) -> Result<(), String> {
        // SAFETY: a request that was not given back.
        let request = unsafe { &*self.request };
        while !request.is_complete() {
            if rank.system.progress() == 0 {
                std::thread::yield_now();
            }
        }
        let status = request.status;
        assert_eq!((status.source, status.tag, status.bytes, status.cancelled), (-1, -2, 0, 0));
        if status.error == OK { Ok(()) } else { Err(format!("status {}", status.error)) }
    }

    pub fn finish(self, rank: &Rank) -> Result<(), String> {
        let result = self.wait(rank);
        self.free();
        result
    }

    pub fn free(self) {
        // SAFETY: given back once.
        unsafe { (*self.request).free.unwrap()(self.request) };
    }
}
