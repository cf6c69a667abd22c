//! What the entries and the implementations of the functions use all the time.

pub use std::ffi::{CStr, c_char, c_int, c_void};

pub use super::args::{
    self, Conversion, Copying, CountIo, CountOut, Counts, InOut, Out, Reduction, TextOut,
};
pub use super::generated::constants::*;
pub use super::generated::types::*;
pub use super::status::{Status, StatusIn, StatusOut, StatusesOut};
pub use crate::error::{Error, Origin, Result, finish, unsupported};
pub(crate) use crate::{check, objects};
