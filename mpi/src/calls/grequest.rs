//! Generalized requests (MPI 5.0, section 13.2).

use crate::objects::generalized::Generalized;
use crate::objects::grequest;
use crate::prelude::*;

/// # Safety
/// The functions may be called with the extra state.
pub unsafe fn grequest_start(
    query_fn: Option<GrequestQueryFunction>,
    free_fn: Option<GrequestFreeFunction>,
    cancel_fn: Option<GrequestCancelFunction>,
    extra_state: *mut c_void,
    request: Out<Request>,
) -> Result<()> {
    let (Some(query), Some(free), Some(cancel)) = (query_fn, free_fn, cancel_fn) else {
        return Err(Error::new(MPI_ERR_ARG, "a generalized request needs all three functions"));
    };
    request.set(grequest::start(Generalized { query, free, cancel, extra: extra_state }));
    Ok(())
}

pub fn grequest_complete(request: RequestRef) -> Result<()> {
    grequest::complete(request)
}
