//! Info objects (MPI 5.0, chapter 10).

use crate::objects::info::{self, CommandLine, Pairs};
use crate::prelude::*;

pub fn info_create(info: Out<Info>) -> Result<()> {
    info.set(info::make(Pairs::default()));
    Ok(())
}

/// # Safety
/// `argv` is null or an array of `argc` strings.
pub unsafe fn info_create_env(argc: c_int, argv: *mut *mut c_char, info: Out<Info>) -> Result<()> {
    // SAFETY: promised by the caller.
    info.set(info::make(info::environment(unsafe { command_line(argc, argv) })));
    Ok(())
}

/// The command line that a program hands over, if it does.
///
/// # Safety
/// `argv` is null or an array of `argc` strings, some of which may be missing.
pub unsafe fn command_line(argc: c_int, argv: *mut *mut c_char) -> Option<CommandLine> {
    // SAFETY: promised by the caller.
    (!argv.is_null() && argc > 0).then(|| unsafe {
        let words = args::slice(argv, argc as usize).iter();
        words.map(|word| args::text(*word).to_string_lossy().into_owned()).collect()
    })
}

pub fn info_dup(info: InfoRef, newinfo: Out<Info>) -> Result<()> {
    newinfo.set(info::make(info.pairs()));
    Ok(())
}

pub fn info_free(info: InOut<Info>) -> Result<()> {
    check::info_object("info", info.get())?.writable()?.close();
    info.set(MPI_INFO_NULL);
    Ok(())
}

pub fn info_set(info: InfoRef, key: &CStr, value: &CStr) -> Result<()> {
    let key = text(MPI_ERR_INFO_KEY, "key", key)?;
    let value = text(MPI_ERR_INFO_VALUE, "value", value)?;
    info.writable()?.0.lock().set(key, value);
    Ok(())
}

pub fn info_delete(info: InfoRef, key: &CStr) -> Result<()> {
    let key = text(MPI_ERR_INFO_KEY, "key", key)?;
    if info.writable()?.0.lock().remove(key) {
        return Ok(());
    }
    Err(Error::new(MPI_ERR_INFO_NOKEY, format!("the info has no key \"{key}\"")))
}

/// Hints are text that components read, so they have one encoding.
fn text<'a>(class: c_int, name: &str, text: &'a CStr) -> Result<&'a str> {
    text.to_str().map_err(|error| Error::new(class, format!("{name} is not UTF-8: {error}")))
}

pub fn info_get_nkeys(info: InfoRef, nkeys: Out<c_int>) -> Result<()> {
    nkeys.set(info.pairs().len() as c_int);
    Ok(())
}

pub fn info_get_nthkey(info: InfoRef, n: c_int, key: TextOut) -> Result<()> {
    let pairs = info.pairs();
    match usize::try_from(n).ok().and_then(|place| pairs.key(place)) {
        Some(found) => key.set(found),
        None => {
            let keys = format!("the info has {} keys, counted from 0", pairs.len());
            return Err(Error::argument(MPI_ERR_ARG, "n", n, keys));
        }
    };
    Ok(())
}

pub fn info_get_valuelen(
    info: InfoRef,
    key: &CStr,
    valuelen: Out<c_int>,
    flag: Out<c_int>,
) -> Result<()> {
    let value = value(info, key);
    flag.set(value.is_some().into());
    if let Some(value) = value {
        valuelen.set(value.len() as c_int);
    }
    Ok(())
}

/// The value of a key.
fn value(info: InfoRef, key: &CStr) -> Option<String> {
    let pairs = info.pairs();
    key.to_str().ok().and_then(|key| pairs.get(key)).map(str::to_owned)
}

/// # Safety
/// There is room for `valuelen` bytes and one more at `value`.
pub unsafe fn info_get(
    info: InfoRef,
    key: &CStr,
    valuelen: c_int,
    value: *mut c_char,
    flag: Out<c_int>,
) -> Result<()> {
    let found = self::value(info, key);
    flag.set(found.is_some().into());
    if let Some(found) = found {
        // SAFETY: promised by the caller.
        unsafe { args::text_out(value, args::length(valuelen) + 1) }.set(&found);
    }
    Ok(())
}

/// # Safety
/// There is room for `buflen` bytes at `value`.
pub unsafe fn info_get_string(
    info: InfoRef,
    key: &CStr,
    buflen: InOut<c_int>,
    value: *mut c_char,
    flag: Out<c_int>,
) -> Result<()> {
    check::length("buflen", buflen.get())?;
    let found = self::value(info, key);
    flag.set(found.is_some().into());
    if let Some(found) = found {
        // SAFETY: promised by the caller.
        unsafe { args::text_out(value, args::length(buflen.get())) }.set(&found);
        // With the null character.
        buflen.set(found.len() as c_int + 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(create: impl FnOnce(Out<Info>) -> Result<()>) -> InfoRef {
        let mut info = MPI_INFO_NULL;
        // SAFETY: the variable stays.
        create(unsafe { args::out(&raw mut info) }).expect("an info");
        info::find(info).expect("an info")
    }

    /// What a program gets that has room for `room` bytes.
    fn read(info: InfoRef, key: &CStr, room: c_int) -> Option<(Vec<u8>, c_int)> {
        let (mut length, mut flag, mut value) = (room, -1, [b'?'; 16]);
        // SAFETY: the variables stay.
        unsafe {
            let (length, flag) = (args::inout(&raw mut length), args::out(&raw mut flag));
            info_get_string(info, key, length, value.as_mut_ptr().cast(), flag).expect("a value");
        }
        (flag == 1).then(|| (value[..room as usize].to_vec(), length))
    }

    #[test]
    fn values_are_cut_to_the_room() {
        let info = created(info_create);
        info_set(info, c"key", c"value").unwrap();
        assert_eq!(read(info, c"key", 0), Some((vec![], 6)));
        assert_eq!(read(info, c"key", 1), Some((b"\0".into(), 6)));
        assert_eq!(read(info, c"key", 4), Some((b"val\0".into(), 6)));
        assert_eq!(read(info, c"key", 6), Some((b"value\0".into(), 6)));
        assert_eq!(read(info, c"yek", 6), None);
        let (mut flag, mut old) = (-1, [b'?' as c_char; 4]);
        // SAFETY: the variables stay; there is room for one byte more than is said.
        unsafe { info_get(info, c"key", 3, old.as_mut_ptr(), args::out(&raw mut flag)) }.unwrap();
        assert_eq!((old.map(|byte| byte as u8), flag), (*b"val\0", 1));
    }

    #[test]
    fn copies_are_apart_and_freed_ones_are_gone() {
        let info = created(info_create);
        info_set(info, c"key", c"1").unwrap();
        let copy = created(|out| info_dup(info, out));
        info_set(info, c"key", c"2").unwrap();
        assert_eq!(read(copy, c"key", 2).unwrap().0, b"1\0");
        info_delete(copy, c"key").unwrap();
        assert_eq!(info_delete(copy, c"key").unwrap_err().code(), MPI_ERR_INFO_NOKEY);
        let InfoRef::Program(object) = info else { panic!("an object") };
        let mut handle = Info::of(object.address());
        let stale = handle;
        // SAFETY: the variable stays.
        info_free(unsafe { args::inout(&raw mut handle) }).unwrap();
        assert_eq!(handle, MPI_INFO_NULL);
        assert!(info::find(stale).is_none());
        let environment = info::find(MPI_INFO_ENV).unwrap();
        assert_eq!(info_set(environment, c"key", c"3").unwrap_err().code(), MPI_ERR_INFO);
        assert!(read(environment, c"arch", 16).is_some());
        assert_eq!(info_set(copy, c"key", c"\xff").unwrap_err().code(), MPI_ERR_INFO_VALUE);
    }
}
