//! Algorithms that a user forces: for the process by parameters, for a communicator by info keys.

use std::ffi::CString;

use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::{Failure, HostHandle};

use crate::algorithms::{OPERATIONS, Operation};
use crate::params::AUTO;

/// By operation the index of the algorithm, if one is forced.
pub type Forced = [Option<usize>; OPERATIONS.len()];

/// The info key that forces an operation's algorithm.
fn key(operation: &Operation) -> CString {
    let key = format!("cairn_coll_tuned_{}_algorithm", operation.name);
    CString::new(key).expect("names have no NUL")
}

/// The info keys, and the values that hold where they are not set.
pub struct Keys {
    keys: Vec<CString>,
    unhinted: Forced,
}

impl Keys {
    /// Makes the info keys known. While the component opens.
    pub fn tell(host: HostHandle, unhinted: Forced) -> Result<Self, Failure> {
        let keys: Vec<CString> = OPERATIONS.iter().map(key).collect();
        for ((key, operation), forced) in keys.iter().zip(&OPERATIONS).zip(unhinted) {
            let name = forced.map_or(AUTO, |index| operation.algorithms[index].name);
            host.info_key(key, &CString::new(name).expect("names have no NUL"))?;
        }
        Ok(Self { keys, unhinted })
    }

    /// What is forced on a communicator.
    pub fn forced(&self, scope: &Scope) -> Result<Forced, Failure> {
        let mut forced = self.unhinted;
        if scope.info.is_none() {
            return Ok(forced);
        }
        for ((key, operation), forced) in self.keys.iter().zip(&OPERATIONS).zip(&mut forced) {
            if let Some(name) = scope.info(key) {
                *forced = named(operation, &name).ok_or_else(|| {
                    let (key, allowed) = (key.to_string_lossy(), allowed(operation));
                    let text = format!("the info key {key} is \"{name}\"; allowed is {allowed}");
                    Failure::new(ERR_ARGUMENT, text)
                })?;
            }
        }
        Ok(forced)
    }
}

/// The algorithm of this name, or that none is forced.
fn named(operation: &Operation, name: &str) -> Option<Option<usize>> {
    if name == AUTO {
        return Some(None);
    }
    operation.names().position(|known| known == name).map(Some)
}

/// The names that an operation knows, for messages.
fn allowed(operation: &Operation) -> String {
    let names: Vec<&str> = operation.names().collect();
    let (last, others) = names.split_last().expect("each operation has an algorithm");
    let others: String = others.iter().map(|name| format!("{name}, ")).collect();
    format!("{AUTO}, {others}or {last}").replace(", or", " or")
}
