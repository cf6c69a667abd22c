//! Reduction operations (MPI 5.0, section 6.9).

use std::ffi::c_int;

use cairn_framework::abi::datatype::OP_COMMUTATIVE;

use crate::objects::op;
use crate::prelude::*;

pub fn op_create(user_fn: Reduction, commute: c_int, op: Out<Op>) -> Result<()> {
    op.set(op::make(user_fn, commute != 0));
    Ok(())
}

pub fn op_free(op: InOut<Op>) -> Result<()> {
    if !op::free(op.get()) {
        return Err(Error::new(MPI_ERR_OP, "predefined operations can't be freed"));
    }
    op.set(MPI_OP_NULL);
    Ok(())
}

pub fn op_commutative(op: OpRef, commute: Out<c_int>) -> Result<()> {
    commute.set((op.view().flags & OP_COMMUTATIVE != 0).into());
    Ok(())
}
