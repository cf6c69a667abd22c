//! What a program attaches to a datatype: a name and attributes.

use std::collections::HashMap;
use std::sync::LazyLock;

use cairn_framework::author::Mutex;

use super::attributes::Attributes;
use crate::abi::generated::types::Datatype;

/// What is attached to one.
#[derive(Default)]
pub struct Extras {
    /// Its name, if the program gave it one.
    pub name: Mutex<Option<String>>,
    /// Its attributes.
    pub attributes: Mutex<Attributes<Datatype>>,
}

/// What is attached to a valid predefined datatype. They are few and stay, so what is made is never
/// freed.
pub fn of(handle: Datatype) -> &'static Extras {
    static EXTRAS: LazyLock<Mutex<HashMap<Datatype, &'static Extras>>> =
        LazyLock::new(Mutex::default);
    EXTRAS.lock().entry(handle).or_insert_with(|| Box::leak(Box::default()))
}
