//! A collective operation as the steps of one process.
//!
//! ```text
//!   arguments ─► algorithm ─► Schedule: send, receive, copy, reduce, wait ─┬─► blocking: run at once
//!                                │                                         ├─► nonblocking: advanced
//!                                └─ temporary memory                       │   by progress
//!                                                                          └─► persistent: run again
//! ```
//!
//! One description serves all three ways. Communication that a step starts goes on until the next
//! `wait`; copies and reductions are done when their turn comes.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use cairn_framework::abi::datatype::{Datatype, Op};
use cairn_framework::abi::request::Request;
use cairn_framework::abi::status::{ERR_RESOURCES, ERR_TRUNCATED};
use cairn_framework::author::Failure;

use crate::data::{Data, Word};

/// What a process does next.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Starts to send to a rank.
    Send {
        /// The rank.
        to: u32,
        /// What is sent.
        data: Data,
    },
    /// Starts to receive from a rank.
    Receive {
        /// The rank.
        from: u32,
        /// Where it goes.
        data: Data,
    },
    /// Copies.
    Copy {
        /// What is copied.
        from: Data,
        /// Where it goes.
        to: Data,
    },
    /// `inout = input op inout`.
    Reduce {
        /// The left operand.
        input: Data,
        /// The right operand, and the result.
        inout: Data,
    },
    /// Waits for everything that was started.
    Wait,
}

/// The steps of an operation, and the memory they need besides the user's.
pub struct Schedule {
    /// In their order.
    pub steps: Vec<Step>,
    /// Whether something was started since the last wait.
    communicates: bool,
    op: *const Op,
    temporaries: Temporaries,
    /// For algorithms: numbers they need while they write the steps.
    pub numbers: Vec<u64>,
    /// For the thread that runs it: what was started and is not complete.
    pub(crate) pending: Vec<*mut Request>,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::new()
    }
}

impl Schedule {
    /// One without steps.
    pub fn new() -> Self {
        Self {
            steps: Vec::new(),
            communicates: false,
            op: core::ptr::null(),
            temporaries: Temporaries { blocks: Vec::new(), used: 0 },
            numbers: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Empties it for another operation.
    pub fn clear(&mut self, op: *const Op) {
        self.steps.clear();
        self.communicates = false;
        self.op = op;
        self.temporaries.used = 0;
    }

    /// Whether its reductions are made by a function of the program.
    ///
    /// # Safety
    /// Its operation is null or valid.
    pub(crate) unsafe fn calls_program(&self) -> bool {
        // SAFETY: promised by the caller.
        unsafe { self.op.as_ref() }.is_some_and(|op| op.predefined == 0)
    }

    /// Its operation is over; at most `kept` bytes of temporary memory stay for the next one. Whether that
    /// is all that the steps use.
    pub fn trim(&mut self, kept: usize) -> bool {
        self.temporaries.trim(kept)
    }

    /// Adds a send.
    pub fn send(&mut self, to: u32, data: Data) {
        self.communicates = true;
        self.steps.push(Step::Send { to, data });
    }

    /// Adds a receive.
    pub fn receive(&mut self, from: u32, data: Data) {
        self.communicates = true;
        self.steps.push(Step::Receive { from, data });
    }

    /// Adds a send, unless there is nothing to send, as the receiver knows.
    pub fn send_some(&mut self, to: u32, data: Data) {
        if data.bytes() > 0 {
            self.send(to, data);
        }
    }

    /// Adds a receive, unless there is nothing to receive, as the sender knows.
    pub fn receive_some(&mut self, from: u32, data: Data) {
        if data.bytes() > 0 {
            self.receive(from, data);
        }
    }

    /// Adds a copy.
    pub fn copy(&mut self, from: Data, to: Data) {
        self.steps.push(Step::Copy { from, to });
    }

    /// Adds a reduction: `inout = input op inout`.
    pub fn reduce(&mut self, input: Data, inout: Data) {
        self.steps.push(Step::Reduce { input, inout });
    }

    /// Adds a wait, if there is something to wait for.
    pub fn wait(&mut self) {
        if core::mem::take(&mut self.communicates) {
            self.steps.push(Step::Wait);
        }
    }

    /// Room for as many elements of the same type, with their alignment.
    ///
    /// # Errors
    /// There is no memory.
    pub fn temporary(&mut self, like: Data) -> Result<Data, Failure> {
        let (bytes, offset) = like.room();
        Ok(like.at(self.temporaries.take(bytes)?.wrapping_offset(offset)))
    }

    /// Room for packed data.
    ///
    /// # Errors
    /// There is no memory.
    pub fn packed(&mut self, len: u64) -> Result<Data, Failure> {
        Ok(Data::packed(self.temporaries.take(len)?, len))
    }

    /// Does a step that needs no other process.
    ///
    /// # Errors
    /// Data that is copied has no room.
    ///
    /// # Safety
    /// The memory of the step may be used.
    pub unsafe fn compute(&self, step: &Step) -> Result<(), Failure> {
        // SAFETY: promised by the caller; the operation's function is never null.
        unsafe {
            match *step {
                Step::Copy { from, to } => {
                    if !from.copy_to(&to) {
                        return Err(Failure::new(
                            ERR_TRUNCATED,
                            format!(
                                "{} bytes are to go where {} have room",
                                from.bytes(),
                                to.bytes()
                            ),
                        ));
                    }
                }
                Step::Reduce { input, inout } => {
                    let datatype: *const Datatype = inout.datatype();
                    let apply = (*self.op).apply.unwrap_unchecked();
                    let (from, to) = (input.buffer.cast::<c_void>(), inout.buffer.cast());
                    apply(self.op, from, to, inout.count, datatype);
                }
                Step::Send { .. } | Step::Receive { .. } | Step::Wait => {}
            }
        }
        Ok(())
    }
}

/// Memory that one operation after the other uses.
struct Temporaries {
    blocks: Vec<Vec<MaybeUninit<Word>>>,
    used: usize,
}

impl Temporaries {
    fn take(&mut self, bytes: u64) -> Result<*mut u8, Failure> {
        if self.used == self.blocks.len() {
            self.blocks.push(Vec::new());
        }
        let block = &mut self.blocks[self.used];
        let words = usize::try_from(bytes).unwrap_or(usize::MAX).div_ceil(size_of::<Word>());
        if block.capacity() < words {
            *block = Vec::new(); // nothing in it is worth moving
        }
        block.try_reserve_exact(words).map_err(|_| {
            Failure::new(ERR_RESOURCES, format!("no memory for {bytes} bytes in between"))
        })?;
        self.used += 1;
        Ok(block.as_mut_ptr().cast())
    }

    fn trim(&mut self, kept: usize) -> bool {
        let (mut total, mut number, mut whole) = (0, 0, true);
        self.blocks.retain(|block| {
            total += block.capacity() * size_of::<Word>();
            whole &= total <= kept || number >= self.used;
            number += 1;
            total <= kept
        });
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_leaves_little_memory_behind() {
        const KEPT: usize = 1 << 16;
        let mut schedule = Schedule::new();
        let held = |schedule: &Schedule| -> usize {
            let blocks = schedule.temporaries.blocks.iter();
            blocks.map(|block| block.capacity() * size_of::<Word>()).sum()
        };
        for sizes in [&[1 << 20][..], &[100, 1 << 20, 200], &[1 << 15, 1 << 15, 1 << 15]] {
            schedule.clear(core::ptr::null());
            for size in sizes {
                schedule.packed(*size).unwrap();
            }
            assert!(held(&schedule) >= 3 << 15);
            assert!(!schedule.trim(KEPT));
            assert!(held(&schedule) <= KEPT, "{sizes:?}");
        }
        // What is kept is used again.
        schedule.clear(core::ptr::null());
        let first = schedule.packed(64).unwrap();
        schedule.clear(core::ptr::null());
        assert_eq!(schedule.packed(64).unwrap().buffer, first.buffer);
        assert!(schedule.trim(KEPT));
    }
}
