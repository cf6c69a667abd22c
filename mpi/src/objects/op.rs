//! Reduction operations.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use cairn_framework::abi::datatype::{
    Datatype as DatatypeView, OP_BAND, OP_BOR, OP_BXOR, OP_COMMUTATIVE, OP_NOTHING, OP_REPLACE,
    OP_SUM, Op as View,
};
use cairn_reduce::kernel;

use super::arena::{Object, class};
use super::datatype;
use crate::abi::args::Reduction;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Count, Datatype, Op};

/// An operation of the program.
pub struct UserOp {
    view: View,
    function: Reduction,
}

class!(UserOp, b"op  ");

/// The lowest and the highest value of a predefined operation's handle.
const FIRST: usize = 0x21;
const LAST: usize = 0x3d;

/// Components know these by the numbers that their kernels have.
const _: () = {
    use cairn_reduce::{BAND, BOR, BXOR, SUM};
    assert!(OP_SUM == SUM && OP_BAND == BAND && OP_BOR == BOR && OP_BXOR == BXOR);
};

/// A valid operation.
#[derive(Clone, Copy)]
pub enum OpRef {
    /// Of the standard.
    Predefined(&'static View),
    /// Of the program.
    Program(&'static Object<UserOp>),
}

impl OpRef {
    /// Stands for an argument that is not significant, whatever the program gave.
    pub fn insignificant() -> Self {
        Self::Predefined(&predefined()[0])
    }

    /// What components see of it.
    pub fn view(self) -> &'static View {
        match self {
            Self::Predefined(view) => view,
            Self::Program(op) => &op.view,
        }
    }

    /// The constant of a predefined one, `MPI_OP_NULL` for one of the program.
    pub fn constant(self) -> Op {
        match self {
            Self::Predefined(view) => Op::predefined(view.predefined as usize),
            Self::Program(_) => MPI_OP_NULL,
        }
    }

    /// Whether the operation is defined on the datatype; those of the program are on any.
    pub fn is_defined(self, datatype: &DatatypeView) -> bool {
        match self {
            Self::Predefined(view) => kernel(view.predefined, datatype.predefined).is_some(),
            Self::Program(_) => true,
        }
    }
}

/// The operation of a handle.
pub fn find(handle: Op) -> Option<OpRef> {
    if handle.is_predefined() {
        return predefined_op(handle).map(OpRef::Predefined);
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }.map(OpRef::Program)
}

/// What components see of the predefined operation of a handle.
pub fn predefined_op(handle: Op) -> Option<&'static View> {
    let view = predefined().get(handle.value().checked_sub(FIRST)?)?;
    (view.predefined != 0).then_some(view)
}

/// Makes an operation of the program.
pub fn make(function: Reduction, commutes: bool) -> Op {
    let op = Object::make(UserOp {
        view: View {
            struct_size: size_of::<View>() as u32,
            flags: if commutes { OP_COMMUTATIVE } else { 0 },
            predefined: 0,
            reserved: 0,
            apply: Some(apply_user),
            object: std::ptr::null_mut(),
        },
        function,
    });
    Op::of(op.address())
}

/// Ends an operation of the program; false if it is none.
pub fn free(handle: Op) -> bool {
    matches!(find(handle), Some(OpRef::Program(op)) if op.close())
}

fn predefined() -> &'static [View; LAST - FIRST + 1] {
    static PREDEFINED: OnceLock<[View; LAST - FIRST + 1]> = OnceLock::new();
    PREDEFINED.get_or_init(|| {
        std::array::from_fn(|index| {
            let handle = Op::predefined(FIRST + index);
            let exists = OP_NAMES.iter().any(|(other, _)| *other == handle);
            View {
                struct_size: size_of::<View>() as u32,
                flags: match handle {
                    MPI_REPLACE => OP_REPLACE,
                    MPI_NO_OP => OP_NOTHING,
                    _ => OP_COMMUTATIVE,
                },
                predefined: if exists { (FIRST + index) as u32 } else { 0 },
                reserved: 0,
                apply: Some(apply_predefined),
                object: std::ptr::null_mut(),
            }
        })
    })
}

unsafe extern "C" fn apply_predefined(
    op: *const View,
    input: *const c_void,
    inout: *mut c_void,
    count: u64,
    datatype: *const DatatypeView,
) {
    // SAFETY: the caller vouches for op, type and buffers. That the operation is defined on the type
    // was checked when the program asked for the reduction.
    unsafe {
        if let Some(kernel) = kernel((*op).predefined, (*datatype).predefined) {
            kernel(input.cast(), inout.cast(), count as usize);
        }
    }
}

unsafe extern "C" fn apply_user(
    op: *const View,
    input: *const c_void,
    inout: *mut c_void,
    count: u64,
    datatype: *const DatatypeView,
) {
    // SAFETY: the view is the first field of the operation; the caller vouches for the rest, and the
    // program for its function.
    unsafe {
        let op = &*op.byte_sub(std::mem::offset_of!(UserOp, view)).cast::<UserOp>();
        datatype::lend(&*datatype, |mut handle: Datatype| match op.function {
            Reduction::Large(Some(function)) => {
                let mut count = count as Count;
                function(input.cast_mut(), inout, &raw mut count, &raw mut handle);
            }
            Reduction::Small(Some(function)) => {
                // An `int` at a time.
                let (mut done, extent) = (0_u64, (*datatype).extent as isize);
                while done < count {
                    let mut now = (count - done).min(c_int::MAX as u64) as c_int;
                    let offset = done as isize * extent;
                    let (input, inout) = (input.byte_offset(offset), inout.byte_offset(offset));
                    let step = now as u64;
                    function(input.cast_mut(), inout, &raw mut now, &raw mut handle);
                    done += step;
                }
            }
            Reduction::Large(None) | Reduction::Small(None) => {}
        });
    }
}
