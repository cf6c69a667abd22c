//! What the entries and the implementations of the functions use all the time.

pub use std::ffi::{CStr, c_char, c_int, c_void};

pub use crate::abi::args::{
    self, Copying, CountIo, CountOut, Counts, Form, InOut, Out, Reduction, TextOut,
};
pub use crate::abi::generated::constants::*;
pub use crate::abi::generated::types::*;
pub use crate::abi::status::{Status, StatusIn, StatusOut, StatusesOut};
pub(crate) use crate::check;
pub use crate::error::{Error, Origin, Result, failure};
pub use crate::objects::comm::CommRef;
pub use crate::objects::datatype::DatatypeRef;
pub use crate::objects::errhandler::ErrhandlerRef;
pub use crate::objects::group::GroupBody;
pub use crate::objects::info::InfoRef;
pub use crate::objects::op::OpRef;
pub use crate::objects::request::{RequestRef, RequestVar};
pub use crate::objects::session::SessionRef;
pub use crate::objects::win::WinRef;
pub(crate) use crate::raise::{finish, unsupported};
