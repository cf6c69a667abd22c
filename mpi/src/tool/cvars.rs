//! Control variables: the parameters.
//!
//! Before `MPI_Init` all can be written that components read when they open; afterwards those that
//! were registered as writable. What is written wins over every other source.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use cairn_framework::author::Mutex;
use cairn_framework::host::params::{Kind, Param, Value};

use super::enums;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Count, Datatype, TCvarHandle, TEnum};
use crate::error::{Error, Result};
use crate::objects::arena::{Object, class};
use crate::runtime;
use crate::state::{self, World};

/// Bytes of a text with the null behind it; more if the text is longer already.
const TEXT: usize = 4096;

/// What a handle of a control variable leads to.
pub struct HandleBody {
    param: Arc<Param>,
    /// Elements of the buffers.
    count: usize,
}

class!(HandleBody, b"tcva");

static HANDLES: Mutex<Vec<&'static Object<HandleBody>>> = Mutex::new(Vec::new());

/// How a parameter looks in a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Int,
    Count,
    Unsigned,
    Text,
}

fn form(kind: &Kind) -> Form {
    match kind {
        Kind::Bool | Kind::Choice(_) => Form::Int,
        Kind::Integer { min, max }
            if c_int::try_from(*min).is_ok() && c_int::try_from(*max).is_ok() =>
        {
            Form::Int
        }
        Kind::Integer { .. } => Form::Count,
        Kind::Size { .. } => Form::Unsigned,
        Kind::Text | Kind::List => Form::Text,
    }
}

/// The datatype of a variable's elements.
pub fn datatype(param: &Param) -> Datatype {
    match form(&param.spec.kind) {
        Form::Int => MPI_INT,
        Form::Count => MPI_COUNT,
        Form::Unsigned => MPI_UNSIGNED_LONG_LONG,
        Form::Text => MPI_CHAR,
    }
}

/// The words of a variable, if its numbers stand for words.
pub fn enumeration(param: &Param) -> TEnum {
    match &param.spec.kind {
        Kind::Bool => enums::named("bool", &["false".to_owned(), "true".to_owned()]),
        Kind::Choice(words) => enums::named(&param.spec.name, words),
        _ => MPI_T_ENUM_NULL,
    }
}

/// Which processes have to write a variable, if it can be written.
pub fn scope(param: &Param) -> c_int {
    match &param.spec {
        spec if spec.fixed => MPI_T_SCOPE_CONSTANT,
        spec if spec.same => MPI_T_SCOPE_ALL_EQ,
        _ => MPI_T_SCOPE_LOCAL,
    }
}

/// What it does, with the values that are allowed.
pub fn help(param: &Param) -> String {
    let spec = &param.spec;
    let unit = spec.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    format!("{} ({}{unit})", spec.help, spec.kind.allowed())
}

/// A handle, and how many elements its buffers have.
pub fn alloc(param: Arc<Param>) -> (TCvarHandle, c_int) {
    let count = match form(&param.spec.kind) {
        Form::Text => TEXT.max(param.value().to_string().len() + 1),
        _ => 1,
    };
    let handle = Object::make(HandleBody { param, count });
    HANDLES.lock().push(handle);
    (TCvarHandle::of(handle.address()), count as c_int)
}

fn find(handle: TCvarHandle) -> Result<&'static Object<HandleBody>> {
    let found = (!handle.is_predefined()).then(|| {
        // SAFETY: a handle that is no constant is the address of an object.
        unsafe { Object::at(handle.object()) }
    });
    let none = || Error::new(MPI_T_ERR_INVALID_HANDLE, "handle is none of a control variable");
    found.flatten().ok_or_else(none)
}

/// Frees a handle.
pub fn free(handle: TCvarHandle) -> Result<()> {
    let object = find(handle)?;
    HANDLES.lock().retain(|other| !std::ptr::eq(*other, object));
    object.close();
    Ok(())
}

/// Frees all handles.
pub fn free_all() {
    let all = std::mem::take(&mut *HANDLES.lock());
    all.into_iter().for_each(|handle| _ = handle.close());
}

/// Puts the value into a buffer.
///
/// # Safety
/// The buffer has room for as many elements as `alloc` has told.
pub unsafe fn read(handle: TCvarHandle, buffer: *mut c_void) -> Result<()> {
    let handle = find(handle)?;
    let spec = &handle.param.spec;
    // SAFETY: promised by the caller; the elements are those that `datatype` tells.
    unsafe {
        match handle.param.value() {
            Value::Bool(value) => buffer.cast::<c_int>().write(value.into()),
            Value::Integer(value) if form(&spec.kind) == Form::Int => {
                buffer.cast::<c_int>().write(value as c_int);
            }
            Value::Integer(value) => buffer.cast::<Count>().write(value),
            Value::Size(value) => buffer.cast::<u64>().write(value),
            Value::Text(text) => match &spec.kind {
                Kind::Choice(words) => {
                    let number = words.iter().position(|word| *word == text);
                    buffer.cast::<c_int>().write(number.unwrap_or(0) as c_int);
                }
                _ => write_text(buffer.cast(), handle.count, &text)?,
            },
            Value::List(words) => write_text(buffer.cast(), handle.count, &words.join(","))?,
        }
    }
    Ok(())
}

/// # Safety
/// There is room for `capacity` bytes.
unsafe fn write_text(buffer: *mut c_char, capacity: usize, text: &str) -> Result<()> {
    if text.len() >= capacity {
        let text = "the text has grown beyond the count of this handle; allocate a new one";
        return Err(Error::new(MPI_T_ERR_INVALID, text));
    }
    // SAFETY: promised by the caller, and it fits.
    unsafe {
        buffer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

/// Gives the variable the value in a buffer.
///
/// # Safety
/// The buffer has as many elements as `alloc` has told, or a text that ends before.
pub unsafe fn write(handle: TCvarHandle, buffer: *const c_void) -> Result<()> {
    let handle = find(handle)?;
    let spec = &handle.param.spec;
    // SAFETY: promised by the caller.
    let text = unsafe {
        match form(&spec.kind) {
            Form::Int => buffer.cast::<c_int>().read().to_string(),
            Form::Count => buffer.cast::<Count>().read().to_string(),
            Form::Unsigned => buffer.cast::<u64>().read().to_string(),
            Form::Text => read_text(buffer.cast(), handle.count)?,
        }
    };
    let started = runtime::has_started();
    if started && runtime::current().is_none() && state::world() != World::After {
        let text = "MPI is being initialized";
        return Err(Error::new(MPI_T_ERR_CVAR_SET_NOT_NOW, text));
    }
    let over = started && runtime::current().is_none();
    if over || spec.fixed || started && !spec.writable {
        let text = format!("{} can't be written any more", spec.name);
        return Err(Error::new(MPI_T_ERR_CVAR_SET_NEVER, text));
    }
    let params = &runtime::system().params;
    let written = match started {
        true => params.write(&spec.name, &text),
        false => params.write_before_start(&spec.name, &text),
    };
    written.map_err(|problem| Error::new(MPI_T_ERR_INVALID, problem.to_string()))
}

/// # Safety
/// A null ends the text, or there are `capacity` bytes.
unsafe fn read_text(buffer: *const c_char, capacity: usize) -> Result<String> {
    // SAFETY: promised by the caller: `strnlen` does not read behind a null.
    let bytes = unsafe {
        let length = libc::strnlen(buffer, capacity);
        std::slice::from_raw_parts(buffer.cast::<u8>(), length)
    };
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned)
        .map_err(|error| Error::new(MPI_T_ERR_INVALID, format!("the text is not UTF-8: {error}")))
}
