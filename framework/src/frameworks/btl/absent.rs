//! What takes the place of optional functions.

use super::*;

fn refuse(module: &BtlModule, function: &str) -> OutcomeCode {
    // SAFETY: the host has set the module's instance, which lives as long as the process.
    unsafe { author::fail(module.instance, &author::unsupported(function)) }
}

pub unsafe extern "C" fn send_immediate(
    module: &BtlModule,
    _: &Cri,
    _: *mut Endpoint,
    _: &BtlMessage,
) -> OutcomeCode {
    refuse(module, "send_immediate")
}
pub unsafe extern "C" fn send_packed(
    module: &BtlModule,
    _: &Cri,
    _: *mut Endpoint,
    _: &BtlPacked,
) -> OutcomeCode {
    refuse(module, "send_packed")
}
pub unsafe extern "C" fn send_gathered(
    module: &BtlModule,
    _: &Cri,
    _: *mut Endpoint,
    _: &BtlGathered,
    _: *mut BtlCompletion,
) -> OutcomeCode {
    refuse(module, "send_gathered")
}
pub unsafe extern "C" fn transfer(
    module: &BtlModule,
    _: &Cri,
    _: *mut Endpoint,
    _: &BtlTransfer,
    _: *mut BtlCompletion,
) -> OutcomeCode {
    refuse(module, "put or get")
}
pub unsafe extern "C" fn atomic(
    module: &BtlModule,
    _: &Cri,
    _: *mut Endpoint,
    _: &BtlAtomic,
    _: *mut BtlCompletion,
) -> OutcomeCode {
    refuse(module, "atomics")
}
pub unsafe extern "C" fn flush(
    module: &BtlModule,
    _: &Cri,
    _: *mut Endpoint,
    _: *mut BtlCompletion,
) -> OutcomeCode {
    refuse(module, "flush")
}
pub unsafe extern "C" fn register_memory(
    _: &BtlModule,
    _: *mut c_void,
    _: usize,
    _: u32,
    registration: &mut *mut c_void,
) -> Status {
    *registration = core::ptr::null_mut();
    OK
}
pub unsafe extern "C" fn offer_memory(
    module: &BtlModule,
    _: &Cri,
    _: *mut Endpoint,
    address: *mut c_void,
    len: usize,
    registration: &mut *mut c_void,
) -> Status {
    // SAFETY: the host has set the module's table and completed it; the caller vouches for the rest.
    unsafe {
        let register = (*module.ops).register_memory.unwrap_unchecked();
        register(module, address, len, BTL_LOCAL | BTL_REMOTE_READ, registration)
    }
}
pub unsafe extern "C" fn release(_: &BtlModule, _: *mut c_void) {}
pub unsafe extern "C" fn pack_key(_: &BtlModule, _: *mut c_void, _: *mut c_void) -> Status {
    OK
}
pub unsafe extern "C" fn unpack_key(
    _: &BtlModule,
    _: *mut Endpoint,
    _: *const c_void,
    key: &mut *mut c_void,
) -> Status {
    *key = core::ptr::null_mut();
    OK
}
pub unsafe extern "C" fn arm(module: &BtlModule, _: &Cri, _: &mut BtlWake) -> OutcomeCode {
    refuse(module, "arm")
}
pub unsafe extern "C" fn describe(
    _: &BtlModule,
    _: *mut Endpoint,
    text: *mut c_char,
    capacity: usize,
) -> usize {
    // SAFETY: the caller vouches for `capacity` bytes at `text`.
    unsafe { crate::text::write("", text, capacity) }
}
