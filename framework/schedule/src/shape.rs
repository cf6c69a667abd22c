//! By what a blocking call is known to be the same as the one before, so that its steps need not be written
//! again.
//!
//! Steps hold addresses: of the user's buffers, which are the user's affair, of datatypes and of the operation.
//! A datatype that is freed and another one that is made may have one address, so only predefined ones count:
//! they are neither freed nor made. Counts by block lie in the user's memory and may have changed, so
//! operations that have some are not known again.

use core::ffi::c_void;

use cairn_framework::abi::datatype::{Datatype, Op};
use cairn_framework::frameworks::coll::*;

use crate::call::Call;

/// All that the steps of a call depend on, for one communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    operation: u32,
    root: i32,
    send: Side,
    receive: Side,
    op: *const Op,
}

/// One side of a call, as far as it is significant on this rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Side {
    buffer: *mut c_void,
    count: u64,
    datatype: *const Datatype,
}

impl Side {
    /// # Safety
    /// The datatype is valid or null.
    unsafe fn of(side: &CollSide) -> Option<Self> {
        // SAFETY: promised by the caller.
        let datatype = unsafe { side.datatype.as_ref() }?;
        (datatype.predefined != 0).then_some(Self {
            datatype,
            count: side.count,
            ..Self::at(side.buffer)
        })
    }

    /// A side without elements of its own.
    fn at(buffer: *mut c_void) -> Self {
        Self { buffer, count: 0, datatype: core::ptr::null() }
    }
}

impl Shape {
    /// The shape of a call, if it can be known again.
    ///
    /// # Safety
    /// The arguments are as `Coll` says.
    pub unsafe fn of(call: &Call<'_>) -> Option<Self> {
        let args = call.args;
        if call.inter() {
            return None;
        }
        let nothing = Side::at(core::ptr::null_mut());
        let mut op = core::ptr::null();
        // SAFETY: only what the operation has, on this rank, is looked at.
        let (send, receive) = unsafe {
            let sent = || {
                if call.send_in_place() {
                    Some(Side::at(args.send.buffer))
                } else {
                    Side::of(&args.send)
                }
            };
            let received = || {
                if call.receive_in_place() {
                    Some(Side::at(args.receive.buffer))
                } else {
                    Side::of(&args.receive)
                }
            };
            match args.operation {
                COLL_BARRIER => (nothing, nothing),
                COLL_BCAST => (nothing, received()?),
                COLL_GATHER if !call.is_root() => (sent()?, nothing),
                COLL_SCATTER if !call.is_root() => (nothing, received()?),
                COLL_GATHER | COLL_SCATTER | COLL_ALLGATHER | COLL_ALLTOALL => {
                    (sent()?, received()?)
                }
                COLL_NEIGHBOR_ALLGATHER | COLL_NEIGHBOR_ALLTOALL => (sent()?, received()?),
                COLL_REDUCE
                | COLL_ALLREDUCE
                | COLL_REDUCE_SCATTER_BLOCK
                | COLL_SCAN
                | COLL_EXSCAN => {
                    op = args.op;
                    if (*op).predefined == 0 {
                        return None;
                    }
                    (Side::at(args.send.buffer), received()?)
                }
                _ => return None,
            }
        };
        Some(Self { operation: args.operation, root: args.root, send, receive, op })
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::abi::comm::{Comm, ContextId};
    use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, Scope};
    use cairn_framework::author::BYTES;

    use super::*;

    fn shape(args: &CollArgs) -> Option<Shape> {
        let comm = Comm {
            scope: Scope::new(SCOPE_COMMUNICATOR, 1, 4, c"test"),
            rank: 1,
            remote_size: 4,
            flags: 0,
            reserved: 0,
            context: ContextId::new(0, 1),
            peers: core::ptr::null(),
            contexts: core::ptr::null(),
            neighbors: core::ptr::null(),
            parts: core::ptr::null(),
        };
        // SAFETY: the datatypes of the arguments are static.
        unsafe { Shape::of(&Call { comm: &comm, args }) }
    }

    fn side(datatype: &'static Datatype, count: u64) -> CollSide {
        let none = CollCounts { data: core::ptr::null(), width: 8, reserved: 0 };
        CollSide {
            buffer: core::ptr::without_provenance_mut(64),
            count,
            datatype,
            counts: none,
            displacements: none,
            datatypes: core::ptr::null(),
        }
    }

    #[test]
    fn only_calls_whose_steps_can_not_have_changed_are_known_again() {
        static PREDEFINED: Datatype = Datatype { predefined: 7, ..BYTES };
        static MADE: Datatype = Datatype { predefined: 0, ..BYTES };
        let args = CollArgs {
            struct_size: size_of::<CollArgs>() as u32,
            operation: COLL_BCAST,
            send: side(&MADE, 3),
            receive: side(&PREDEFINED, 3),
            op: core::ptr::null(),
            root: 0,
            tag: COLL_TAG_FIRST,
            flags: 0,
            reserved: 0,
        };
        let of = |change: fn(&mut CollArgs)| {
            let mut changed = args;
            change(&mut changed);
            shape(&changed)
        };
        let known = shape(&args);
        assert!(known.is_some());
        // What does not count on this rank may change, and so may the tag.
        assert_eq!(of(|args| (args.send.count, args.tag) = (9, COLL_TAG_FIRST - 8)), known);
        for change in [
            |args: &mut CollArgs| args.receive.count = 4,
            |args: &mut CollArgs| args.receive.buffer = core::ptr::without_provenance_mut(128),
            |args: &mut CollArgs| args.root = 2,
            |args: &mut CollArgs| args.operation = COLL_BARRIER,
        ] {
            assert_ne!(of(change), known);
        }
        // A datatype of the program's making, counts by block, an operation of the program's making.
        assert_eq!(of(|args| args.receive.datatype = &MADE), None);
        assert_eq!(of(|args| args.operation = COLL_ALLGATHER), None);
        assert_eq!(of(|args| args.operation = COLL_SCATTERV), None);
        static OP: Op = Op {
            struct_size: size_of::<Op>() as u32,
            flags: 0,
            predefined: 0,
            reserved: 0,
            apply: None,
            object: core::ptr::null_mut(),
        };
        assert_eq!(of(|args| (args.operation, args.op) = (COLL_ALLREDUCE, &OP)), None);
    }
}
