//! Enumerations: the words that a number stands for. They stay as long as the process.

use std::collections::HashMap;
use std::sync::LazyLock;

use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;

use crate::abi::generated::constants::*;
use crate::abi::generated::types::TEnum;
use crate::error::{Error, Result};
use crate::objects::arena::{Object, class};

/// What a handle of an enumeration leads to.
pub struct EnumBody {
    /// Its name.
    pub name: String,
    /// Its words, which stand for 0, 1 and so on.
    pub words: Vec<String>,
}

class!(EnumBody, b"tenu");

/// The enumeration of this name, made if it is not there.
pub fn named(name: &str, words: &[String]) -> TEnum {
    static ALL: LazyLock<Mutex<HashMap<String, TEnum>>> =
        LazyLock::new(|| Mutex::at(LockLevel::ENTRY, HashMap::new()));
    *ALL.lock().entry(name.to_owned()).or_insert_with(|| {
        let body = EnumBody { name: name.to_owned(), words: words.to_vec() };
        TEnum::of(Object::make(body).address())
    })
}

/// The enumeration of an argument.
pub fn of(handle: TEnum) -> Result<&'static EnumBody> {
    let found = (!handle.is_predefined()).then(|| {
        // SAFETY: a handle that is no constant is the address of an object.
        unsafe { Object::<EnumBody>::at(handle.object()) }
    });
    match found.flatten() {
        Some(object) => Ok(object),
        None => Err(Error::new(MPI_T_ERR_INVALID_HANDLE, "enumtype is no enumeration")),
    }
}
