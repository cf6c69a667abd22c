//! Error classes and codes that the program added (MPI 5.0, section 9.5).
//!
//! Their numbers follow those of the predefined ones. One lock is enough: errors are not added on a
//! hot path.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::c_int;

use cairn_framework::author::{Mutex, MutexGuard};

use crate::abi::generated::constants::{
    ERROR_CLASSES, MPI_ERR_ARG, MPI_ERR_IN_STATUS, MPI_ERR_LASTCODE,
};
use crate::error::{Error, Result};

/// One that was added.
struct Added {
    /// The class; of a class itself, its own number.
    class: c_int,
    text: Option<String>,
}

static ADDED: Mutex<BTreeMap<c_int, Added>> = Mutex::new(BTreeMap::new());

fn added() -> MutexGuard<'static, BTreeMap<c_int, Added>> {
    ADDED.lock()
}

fn predefined(code: c_int) -> Option<&'static (c_int, &'static str, &'static str)> {
    ERROR_CLASSES.iter().find(|(class, ..)| *class == code)
}

/// The class of a code.
pub fn class(code: c_int) -> Result<c_int> {
    match predefined(code) {
        Some((class, ..)) => Ok(*class),
        None => find(&mut added(), "errorcode", code).map(|added| added.class),
    }
}

/// The text of a code; empty if it was added without one.
pub fn text(code: c_int) -> Result<String> {
    match predefined(code) {
        Some((_, name, text)) => Ok(format!("{name}: {text}")),
        None => {
            let mut added = added();
            Ok(find(&mut added, "errorcode", code)?.text.clone().unwrap_or_default())
        }
    }
}

/// The name of a predefined class, or the code as a number with the text that the program gave it.
pub fn name(code: c_int) -> Cow<'static, str> {
    if let Some((_, name, _)) = predefined(code) {
        return (*name).into();
    }
    match text(code) {
        Ok(text) if !text.is_empty() => format!("error {code} ({text})").into(),
        _ => format!("error {code}").into(),
    }
}

/// The error of the operation at a place of an array, from a function that completes several: it returns
/// `MPI_ERR_IN_STATUS`, and the statuses say which operations failed.
pub fn in_status(error: &Error, array: &str, place: usize) -> Error {
    let text = format!("{array}[{place}]: {}: {}", name(error.code()), error.text());
    let several = Error::new(MPI_ERR_IN_STATUS, text);
    match error.origin() {
        Some(origin) => several.at(origin),
        None => several,
    }
}

/// The largest number in use (`MPI_LASTUSEDCODE`).
pub fn last_used() -> c_int {
    last(&added())
}

fn last(added: &BTreeMap<c_int, Added>) -> c_int {
    added.last_key_value().map_or(MPI_ERR_LASTCODE, |(code, _)| *code)
}

/// Adds a class and returns its number.
pub fn add_class() -> c_int {
    let mut added = added();
    let class = last(&added) + 1;
    added.insert(class, Added { class, text: None });
    class
}

/// Adds a code to a class and returns its number.
pub fn add_code(class: c_int) -> Result<c_int> {
    let mut added = added();
    let is_class = |code: &Added| code.class == class;
    if predefined(class).is_none() && !added.get(&class).is_some_and(is_class) {
        return Err(unknown("errorclass", class));
    }
    let code = last(&added) + 1;
    added.insert(code, Added { class, text: None });
    Ok(code)
}

/// Gives a class or code a text, or takes it away.
pub fn set_text(code: c_int, text: Option<String>) -> Result<()> {
    find(&mut added(), "errorcode", code)?.text = text;
    Ok(())
}

/// Removes a class. Its codes and its text must have been removed before.
pub fn remove_class(class: c_int) -> Result<()> {
    let mut added = added();
    if find(&mut added, "errorclass", class)?.class != class {
        return Err(unknown("errorclass", class));
    }
    if let Some((code, _)) = added.iter().find(|(code, it)| it.class == class && **code != class) {
        let text = format!("errorclass is {class}, which still has the code {code}");
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    without_text(&mut added, "errorclass", class)?;
    added.remove(&class);
    Ok(())
}

/// Removes a code. Its text must have been removed before.
pub fn remove_code(code: c_int) -> Result<()> {
    let mut added = added();
    if find(&mut added, "errorcode", code)?.class == code {
        return Err(Error::argument(MPI_ERR_ARG, "errorcode", code, "that is a class"));
    }
    without_text(&mut added, "errorcode", code)?;
    added.remove(&code);
    Ok(())
}

fn without_text(added: &mut BTreeMap<c_int, Added>, name: &str, code: c_int) -> Result<()> {
    match find(added, name, code)?.text {
        None => Ok(()),
        Some(_) => Err(Error::argument(MPI_ERR_ARG, name, code, "it still has a string")),
    }
}

fn find<'a>(
    added: &'a mut BTreeMap<c_int, Added>,
    name: &str,
    code: c_int,
) -> Result<&'a mut Added> {
    added.get_mut(&code).ok_or_else(|| unknown(name, code))
}

fn unknown(name: &str, code: c_int) -> Error {
    let wanted = match predefined(code) {
        Some((_, predefined, _)) => format!("{predefined} is predefined and stays as it is"),
        None => format!("no {} has this number", name.trim_start_matches("error")),
    };
    Error::argument(MPI_ERR_ARG, name, code, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::generated::constants::{MPI_ERR_ABI, MPI_ERR_OTHER};

    fn refused<T: std::fmt::Debug>(result: Result<T>) -> bool {
        result.unwrap_err().code() == MPI_ERR_ARG
    }

    // One test: what is added is the process's.
    #[test]
    fn errors_come_and_go() {
        assert_eq!(last_used(), MPI_ERR_LASTCODE);
        let class_number = add_class();
        let code = add_code(class_number).unwrap();
        let other = add_code(MPI_ERR_OTHER).unwrap();
        assert!(class_number > MPI_ERR_LASTCODE && code > class_number && other > code);
        assert_eq!(last_used(), other);
        assert_eq!(class(class_number).unwrap(), class_number);
        assert_eq!(class(code).unwrap(), class_number);
        assert_eq!(class(other).unwrap(), MPI_ERR_OTHER);

        assert_eq!(text(code).unwrap(), "");
        set_text(code, Some("out of cheese".into())).unwrap();
        assert_eq!(text(code).unwrap(), "out of cheese");
        assert!(refused(remove_code(code)));
        set_text(code, None).unwrap();
        assert_eq!(text(code).unwrap(), "");

        assert!(refused(add_code(code)));
        assert!(refused(set_text(MPI_ERR_OTHER, None)));
        assert!(refused(remove_class(class_number)));
        assert!(refused(remove_class(MPI_ERR_ABI)));
        assert!(refused(remove_class(code)));
        assert!(refused(remove_code(class_number)));
        for code in [code, other] {
            remove_code(code).unwrap();
            assert!(refused(remove_code(code)));
        }
        remove_class(class_number).unwrap();
        assert!(refused(class(class_number)));
        assert!(refused(text(class_number)));
        assert_eq!(last_used(), MPI_ERR_LASTCODE);
    }
}
