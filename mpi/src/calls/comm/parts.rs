//! Parts of communicators, for components that make a collective operation of others among some of the ranks.

use std::slice;

use cairn_framework::abi::comm::{Comm as View, CommParts};
use cairn_framework::abi::status::{ERR_PEER, ERR_RESOURCES, OK, Status};
use cairn_framework::frameworks::coll::CollArgs;
use cairn_framework::host::give_reason;

use super::agree::{Members, agree, child};
use super::related::Properties;
use crate::objects::comm;
use crate::prelude::*;

/// What hints for components of `coll` begin with: no other strategy of a part is the program's affair.
const HINTS: &str = "cairn_coll_";

/// Lets components make parts of all communicators that come.
pub fn offer() {
    comm::set_parts(CommParts {
        struct_size: size_of::<CommParts>() as u32,
        reserved: 0,
        make,
        run,
        free,
    });
}

unsafe extern "C" fn make(
    comm: *const View,
    ranks: *const u32,
    count: u32,
    tag: i32,
    part: *mut *const View,
) -> Status {
    // SAFETY: the component got the view from here, and vouches for the ranks.
    let (parent, ranks) =
        unsafe { (comm::of_view(comm), slice::from_raw_parts(ranks, count as usize)) };
    let members = Members { local: ranks.into(), remote: Vec::new() };
    let hints = parent.info.lock().given().beginning_with(HINTS);
    let made = agree(parent, &members, tag)
        .and_then(|context| child(parent, context, &members, Properties::from(hints)));
    match made {
        Ok(made) => {
            // SAFETY: the component has room for it.
            unsafe { *part = made.view() };
            OK
        }
        Err(error) => {
            give_reason(error.text());
            if error.code() == MPI_ERR_PROC_ABORTED { ERR_PEER } else { ERR_RESOURCES }
        }
    }
}

unsafe extern "C" fn run(part: *const View, args: *const c_void) -> Status {
    // SAFETY: a view of `make`, and arguments of an operation.
    unsafe { comm::of_view(part).run_status(&*args.cast::<CollArgs>()) }
}

unsafe extern "C" fn free(part: *const View) {
    // SAFETY: a view of `make`, which the component gives back.
    comm::free(unsafe { comm::of_view(part) });
}
