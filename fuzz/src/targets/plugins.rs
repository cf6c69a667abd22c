//! The descriptor of a plugin and its table of functions, which are as long as they say. Strings and
//! functions are there or null.

use std::ffi::{CString, c_char};
use std::ptr::null;

use cairn_framework::abi::component::{ABI_MAJOR, ABI_MINOR, ComponentDescriptor, Instance, MAGIC};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::Status;
use cairn_framework::frameworks::CONTRACTS;
use cairn_framework::host::loader::{Provider, adopt};

use crate::bytes::Bytes;

const NOT_CALLED: &str = "no check calls a function";

unsafe extern "C" fn step(_: *mut Instance) -> Status {
    unreachable!("{NOT_CALLED}")
}

unsafe extern "C" fn query(_: *mut Instance, _: *const Scope, _: *mut i32) -> Status {
    unreachable!("{NOT_CALLED}")
}

unsafe extern "C" fn close(_: *mut Instance) {
    unreachable!("{NOT_CALLED}")
}

/// Words of at least `len` bytes.
fn words(len: usize, bytes: &mut Bytes<'_>) -> Vec<u64> {
    (0..len.div_ceil(8)).map(|_| bytes.u64()).collect()
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let strings: Vec<Option<CString>> =
        (0..4).map(|_| CString::new(bytes.part()).ok().filter(|text| !text.is_empty())).collect();
    let string = |place: usize| strings[place].as_ref().map_or(null(), |text| text.as_ptr());
    let (functions, table_size) = (bytes.u16(), bytes.u16() % 1024);
    let (size, major, minor) = (bytes.u16() % 512, bytes.u16(), bytes.u16());

    let present = bytes.u64();
    let mut table: Vec<u64> = (0..usize::from(table_size).div_ceil(8))
        .map(|place| if present >> (place % 64) & 1 == 1 { close as *const () as u64 } else { 0 })
        .collect();
    if let Some(first) = table.first_mut() {
        *first = table_size.into();
    }
    let some = |bit: u16| functions >> bit & 1 == 1;
    // SAFETY: all-zero is a valid value of integers, null pointers and functions that are not there.
    let mut whole: ComponentDescriptor = unsafe { std::mem::zeroed() };
    (whole.magic, whole.struct_size) = (MAGIC ^ u32::from(some(15)), size.into());
    (whole.abi_major, whole.abi_minor) = (major, minor);
    let (framework, name): (*const c_char, _) = (string(0), string(1));
    (whole.framework, whole.name, whole.description, whole.aliases) =
        (framework, name, string(2), string(3));
    whole.open = some(0).then_some(step);
    whole.query = some(1).then_some(query);
    whole.close = some(2).then_some(close);
    whole.register_params = some(3).then_some(step);
    if some(4) && table_size >= 4 {
        whole.ops = table.as_ptr().cast();
    }
    // As long as it says, and not a byte longer, but for the words by which it is known.
    let len = usize::from(size).max(8);
    let mut memory = words(len, &mut bytes);
    let known = len.min(size_of::<ComponentDescriptor>());
    // SAFETY: both are that long.
    let descriptor = unsafe {
        std::ptr::copy_nonoverlapping(
            (&raw const whole).cast::<u8>(),
            memory.as_mut_ptr().cast(),
            known,
        );
        memory.as_ptr().cast::<ComponentDescriptor>()
    };
    // SAFETY: as said above; what is kept of the table is a copy.
    match unsafe { adopt(descriptor, Provider::Linked) } {
        Ok(loaded) => {
            assert_eq!((major, minor), (ABI_MAJOR, ABI_MINOR));
            assert!(some(0) && some(1) && some(2) && some(4));
            assert_eq!(
                Some(loaded.name.as_bytes()),
                strings[1].as_ref().map(|name| name.as_bytes())
            );
        }
        Err((name, refusal)) => {
            assert!(!refusal.problem(&name.unwrap_or_default(), "a plugin").to_string().is_empty());
        }
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let part = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    CONTRACTS
        .iter()
        .map(|contract| {
            let numbers = [
                0x1f,
                contract.size as u16,
                size_of::<ComponentDescriptor>() as u16,
                ABI_MAJOR,
                ABI_MINOR,
            ];
            let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            let texts = [part(contract.name), part("mine"), part("it does"), part("other, names")];
            [texts.concat(), numbers, vec![0xff; 8]].concat()
        })
        .collect()
}
