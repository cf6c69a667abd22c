//! Info objects and the hints of other objects.

use parking_lot::Mutex;

use cairn_framework::abi::comm::{
    COMM_ALLOW_OVERTAKING, COMM_EXACT_LENGTH, COMM_NO_ANY_SOURCE, COMM_NO_ANY_TAG,
};

use super::arena::{Object, class};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Info;
use crate::error::{Error, Result};

/// Keys with values, in the order in which the keys were first set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// Sets a key.
    pub fn set(&mut self, key: &str, value: &str) {
        match self.0.iter_mut().find(|(own, _)| own == key) {
            Some((_, old)) => value.clone_into(old),
            None => self.0.push((key.to_owned(), value.to_owned())),
        }
    }

    /// Takes the hints of a program for an object.
    pub fn take_hints(&mut self, hints: &Self) {
        for (key, value) in &hints.0 {
            self.set(key, value);
        }
    }

    /// The assertions of a communicator that are set (MPI 5.0, section 7.4.4).
    pub fn assertions(&self) -> u32 {
        let keys = [
            ("mpi_assert_allow_overtaking", COMM_ALLOW_OVERTAKING),
            ("mpi_assert_no_any_source", COMM_NO_ANY_SOURCE),
            ("mpi_assert_no_any_tag", COMM_NO_ANY_TAG),
            ("mpi_assert_exact_length", COMM_EXACT_LENGTH),
        ];
        let set = keys.into_iter().filter(|(key, _)| self.get(key) == Some("true"));
        set.fold(0, |flags, (_, flag)| flags | flag)
    }
}

/// What a handle of an info object leads to.
pub struct InfoBody(pub Mutex<Pairs>);

class!(InfoBody, b"info");

/// A handle for these pairs.
pub fn make(pairs: Pairs) -> Info {
    Info::of(Object::make(InfoBody(Mutex::new(pairs))).address())
}

/// The object of a handle that is not predefined.
pub fn find(handle: Info) -> Option<&'static Object<InfoBody>> {
    if handle.is_predefined() {
        return None;
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }
}

/// The pairs of an argument; none for `MPI_INFO_NULL`.
pub fn pairs(handle: Info) -> Result<Pairs> {
    if handle == MPI_INFO_NULL {
        return Ok(Pairs::default());
    }
    let found = find(handle)
        .ok_or_else(|| Error::new(MPI_ERR_INFO, format!("{:#x} is no info", handle.value())))?;
    Ok(found.0.lock().clone())
}
