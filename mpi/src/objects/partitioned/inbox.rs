//! Where the messages of a sender go in the buffer of a receiver that cuts it differently.
//!
//! ```text
//!   sender    │ message 0 │ message 1 │ message 2 │
//!   receiver  │    partition 0   │    partition 1   │    0 is there with messages 0 and 1
//! ```
//!
//! Bytes of data count, without the gaps between them. The receiver takes as many as it has room for:
//! of a message that reaches beyond its end, or lies behind it, the rest is cut off.

use std::ffi::c_void;
use std::ops::Range;

use cairn_framework::abi::datatype::{DATATYPE_CONTIGUOUS, Datatype as View};

use super::super::datatype::DatatypeRef;
use super::super::packing;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Count;
use crate::error::{Error, Result};

/// How one side cuts its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The parts.
    pub partitions: usize,
    /// Bytes of data in each.
    pub bytes: u64,
}

impl Cut {
    /// Bytes before a part; as many as can be told where there are more.
    fn before(self, part: usize) -> u64 {
        self.bytes.saturating_mul(part as u64)
    }

    /// Bytes of all parts.
    pub fn all(self) -> u64 {
        self.before(self.partitions)
    }
}

/// The receiver's buffer.
#[derive(Clone, Copy)]
pub struct Buffer {
    /// Where it begins.
    pub address: *mut c_void,
    /// Elements of each partition.
    pub count: Count,
    /// Of the elements.
    pub datatype: &'static View,
}

impl Buffer {
    /// Where an element lies.
    fn element(&self, index: u64) -> *mut c_void {
        let offset = (index as i64).wrapping_mul(self.datatype.extent) as isize;
        self.address.wrapping_byte_offset(offset)
    }

    /// Where a partition begins.
    pub fn partition(&self, number: usize) -> *mut c_void {
        self.element(self.count as u64 * number as u64)
    }
}

/// What receives the messages of a round.
pub struct Inbox {
    theirs: Cut,
    own: Cut,
    buffer: Buffer,
    way: Way,
}

/// How messages get into the buffer.
enum Way {
    /// As bytes: the data lies in the buffer as in a message.
    Bytes,
    /// As elements: no message ends within one.
    Elements,
    /// By memory between: messages end within elements that have gaps.
    Between {
        packed: Vec<u8>,
        /// The partitions that are in the buffer.
        unpacked: Vec<bool>,
    },
}

/// Where a message goes.
pub struct Place {
    /// The address.
    pub buffer: *mut c_void,
    /// Elements that have room there.
    pub count: u64,
    /// Their type.
    pub datatype: &'static View,
}

impl Inbox {
    /// What receives from a sender that cuts its data like this.
    ///
    /// # Errors
    /// There is no memory to receive with.
    pub fn new(theirs: Cut, own: Cut, buffer: Buffer) -> Result<Self> {
        let datatype = buffer.datatype;
        let came = theirs.all().min(own.all());
        let way = if datatype.flags & DATATYPE_CONTIGUOUS != 0 || came == 0 {
            Way::Bytes
        } else if theirs.bytes.is_multiple_of(datatype.size) {
            Way::Elements
        } else {
            Way::Between {
                packed: filled(0, came as usize)?,
                unpacked: filled(false, own.partitions)?,
            }
        };
        Ok(Self { theirs, own, buffer, way })
    }

    /// What receives nothing of what comes.
    pub fn without_room(theirs: Cut, buffer: Buffer) -> Self {
        Self { theirs, own: Cut { partitions: 0, bytes: 0 }, buffer, way: Way::Bytes }
    }

    /// How many messages come.
    pub fn messages(&self) -> usize {
        self.theirs.partitions
    }

    /// Bytes that arrive.
    pub fn bytes(&self) -> u64 {
        self.theirs.all().min(self.own.all())
    }

    /// Another round begins.
    pub fn begin(&mut self) {
        if let Way::Between { unpacked, .. } = &mut self.way {
            unpacked.fill(false);
        }
    }

    /// Where a message goes. There is less room than it has bytes where it reaches beyond the end.
    pub fn place(&mut self, message: usize) -> Place {
        let room = self.own.all();
        let start = self.theirs.before(message).min(room);
        let bytes = self.theirs.before(message + 1).min(room) - start;
        let Buffer { address, datatype, .. } = self.buffer;
        let as_bytes = |address: *mut c_void| Place {
            buffer: address.wrapping_byte_add(start as usize),
            count: bytes,
            datatype: DatatypeRef::of(MPI_BYTE).expect("a predefined type").view(),
        };
        match &mut self.way {
            Way::Bytes => as_bytes(address.wrapping_byte_offset(datatype.true_lb as isize)),
            Way::Between { packed, .. } => as_bytes(packed.as_mut_ptr().cast()),
            Way::Elements => {
                let size = datatype.size;
                Place { buffer: self.buffer.element(start / size), count: bytes / size, datatype }
            }
        }
    }

    /// The messages that bring a partition; all of them for one that gets no data.
    pub fn needs(&self, partition: usize) -> Range<usize> {
        let came = self.bytes();
        let (start, end) = (self.own.before(partition), self.own.before(partition + 1).min(came));
        if start >= end {
            return 0..self.messages();
        }
        (start / self.theirs.bytes) as usize..end.div_ceil(self.theirs.bytes) as usize
    }

    /// A partition is to be in the buffer now, all of whose messages are there.
    ///
    /// # Safety
    /// The program vouches for its buffer.
    pub unsafe fn deliver(&mut self, partition: usize) -> Result<()> {
        let came = self.bytes();
        let Way::Between { packed, unpacked } = &mut self.way else { return Ok(()) };
        if std::mem::replace(&mut unpacked[partition], true) {
            return Ok(());
        }
        let start = self.own.before(partition).min(came) as usize;
        let end = self.own.before(partition + 1).min(came) as usize;
        let Buffer { count, datatype, .. } = self.buffer;
        let to = self.buffer.partition(partition);
        let from = &packed[start..end];
        // SAFETY: promised by the caller; there are no more bytes than the partition has.
        unsafe { packing::unpack(from.as_ptr(), from.len(), to, count, datatype) }
    }

    /// All partitions are to be in the buffer.
    ///
    /// # Safety
    /// As for `deliver`.
    pub unsafe fn deliver_all(&mut self) -> Result<()> {
        if matches!(self.way, Way::Between { .. }) {
            for partition in 0..self.own.partitions {
                // SAFETY: promised by the caller.
                unsafe { self.deliver(partition) }?;
            }
        }
        Ok(())
    }
}

/// Room for so many of something.
pub fn room<T>(length: usize) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(length).map_err(|_| {
        let text = format!("there is no memory for {length} parts of partitioned communication");
        Error::new(MPI_ERR_NO_MEM, text)
    })?;
    Ok(all)
}

/// So many of a value.
pub fn filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>> {
    let mut all = room(length)?;
    all.resize(length, value);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::generated::types::Datatype;
    use proptest::prelude::*;

    const GAP: u8 = 0xee;

    /// Bytes of data as the sender has them; none is like a gap.
    fn sent(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|place| (place % 200) as u8).collect()
    }

    /// A buffer of so many elements into which so many bytes of data were unpacked.
    fn expected(datatype: &'static View, elements: usize, data: &[u8]) -> Vec<u8> {
        let mut buffer = vec![GAP; elements * datatype.extent as usize];
        let to = buffer.as_mut_ptr().cast();
        // SAFETY: there are as many elements, and no more bytes than they have.
        unsafe { packing::unpack(data.as_ptr(), data.len(), to, elements as Count, datatype) }
            .unwrap();
        buffer
    }

    /// Messages that arrive in an order, as a component receives them.
    fn receive(theirs: Cut, datatype: Datatype, partitions: usize, count: usize, order: &[usize]) {
        let datatype = DatatypeRef::of(datatype).unwrap().view();
        let own = Cut { partitions, bytes: count as u64 * datatype.size };
        let mut memory = vec![GAP; partitions * count * datatype.extent as usize];
        let address = memory.as_mut_ptr().cast();
        let buffer = Buffer { address, count: count as Count, datatype };
        let mut inbox = Inbox::new(theirs, own, buffer).unwrap();
        let data = sent(theirs.all() as usize);
        let came = data.len().min(own.all() as usize);
        assert_eq!((inbox.messages(), inbox.bytes()), (theirs.partitions, came as u64));
        let whole = expected(datatype, partitions * count, &data[..came]);
        for round in 0..2 {
            inbox.begin();
            memory.fill(GAP);
            let mut arrived = vec![false; theirs.partitions];
            let mut delivered = vec![false; partitions];
            for &message in order.iter().filter(|message| **message < theirs.partitions) {
                let Place { buffer, count: room, datatype: of } = inbox.place(message);
                let first = message * theirs.bytes as usize;
                let fits = (theirs.bytes).min(room * of.size) as usize;
                let end = (first + theirs.bytes as usize).min(came).max(first.min(came));
                assert_eq!(fits, end - first.min(came), "what fits is received");
                // SAFETY: the inbox says that there is room.
                unsafe {
                    packing::unpack(data[first..].as_ptr(), fits, buffer, room as Count, of)
                        .unwrap()
                };
                arrived[message] = true;
                for (partition, delivered) in delivered.iter_mut().enumerate() {
                    let overlaps = |message: usize| {
                        let first = message as u64 * theirs.bytes;
                        let own_first = partition as u64 * own.bytes;
                        first < own_first + own.bytes && own_first < first + theirs.bytes
                    };
                    let there = inbox.needs(partition).all(|message| arrived[message]);
                    let could = (0..theirs.partitions).all(|it| arrived[it] || !overlaps(it));
                    let empty = partition as u64 * own.bytes >= came as u64 || own.bytes == 0;
                    assert_eq!(there, if empty { !arrived.contains(&false) } else { could });
                    // Whether a program asks at once or later.
                    if there && (round == 0 || message % 2 == 0) {
                        // SAFETY: the buffer is as long as the inbox knows.
                        unsafe { inbox.deliver(partition) }.unwrap();
                        *delivered = true;
                    }
                    if *delivered {
                        let bytes = count * datatype.extent as usize;
                        let range = partition * bytes..(partition + 1) * bytes;
                        assert_eq!(memory[range.clone()], whole[range], "partition {partition}");
                    }
                }
            }
            if !arrived.contains(&false) {
                // SAFETY: as above.
                unsafe { inbox.deliver_all() }.unwrap();
                assert_eq!(memory, whole);
            }
        }
    }

    const TYPES: [Datatype; 5] =
        [MPI_BYTE, MPI_INT, MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT];

    /// All ways to cut what is short.
    #[test]
    fn small_data_is_cut_in_every_way() {
        let order: Vec<usize> = (0..14).rev().step_by(2).chain((0..14).step_by(2)).collect();
        for datatype in TYPES {
            for (partitions, count) in
                [(0, 1), (1, 0), (1, 1), (1, 3), (2, 1), (3, 2), (5, 1), (4, 0)]
            {
                for theirs in 0..=13 {
                    for bytes in (0..=13).chain([18, 20, 24, 36, 40, 60]) {
                        let theirs = Cut { partitions: theirs, bytes };
                        receive(theirs, datatype, partitions, count, &order);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn messages_arrive_in_any_order(
            partitions in 0_usize..9,
            bytes in 0_u64..70,
            own in 0_usize..9,
            count in 0_usize..6,
            datatype in 0..TYPES.len(),
            order in Just((0..9).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            receive(Cut { partitions, bytes }, TYPES[datatype], own, count, &order);
        }

        /// What no memory could hold is cut off all the same: a peer may say anything.
        #[test]
        fn peers_may_say_anything(partitions in any::<u32>(), bytes in any::<u64>(), message in any::<u32>()) {
            let theirs = Cut { partitions: partitions as usize, bytes };
            let datatype = DatatypeRef::of(MPI_INT).unwrap().view();
            let mut memory = [0_u32; 6];
            let buffer = Buffer { address: memory.as_mut_ptr().cast(), count: 2, datatype };
            let own = Cut { partitions: 3, bytes: 8 };
            let mut inbox = Inbox::new(theirs, own, buffer).unwrap();
            let Place { buffer, count, .. } = inbox.place(message as usize);
            prop_assert!(buffer.addr() - memory.as_ptr().addr() + count as usize <= 24);
            prop_assert!(inbox.bytes() <= 24);
            for partition in 0..3 {
                let needs = inbox.needs(partition);
                prop_assert!(needs.start <= needs.end && needs.end <= inbox.messages());
            }
        }
    }
}
