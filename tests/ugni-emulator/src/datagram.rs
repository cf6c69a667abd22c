//! Exchanges of datagrams.
//!
//! A directed one looks for its counterpart when it is posted and each time its side asks: first for one of the
//! other instance's that is directed to it, then for a wildcard. A wildcard waits.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::faults;
use crate::nic::{Endpoint, Nic, is_finished};
use crate::segment::{self, COMPLETED, Datagram, FREE, Found, Instance, PENDING, TERMINATED};
use crate::types::*;

/// Posts an exchange: of the endpoint's peer, or with anybody if it is not bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpPostDataWId(
    endpoint: *mut Endpoint,
    data: *const c_void,
    len: u16,
    answer: *mut c_void,
    answer_len: u16,
    id: u64,
) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    let missing = (len > 0 && data.is_null()) || (answer_len > 0 && answer.is_null());
    if missing || id == u64::MAX {
        return INVALID_PARAM;
    }
    if usize::from(len.max(answer_len)) > DATAGRAM_MOST {
        return SIZE_ERROR;
    }
    let nic = it.nic();
    if it.datagram.get().is_some()
        || nic.no_resource.borrow_mut().strikes(faults::get().no_resource)
    {
        return ERROR_RESOURCE;
    }
    nic.admit();
    let instance = nic.own.instance();
    {
        let _held = instance.lock.hold();
        let is_free = |one: &Datagram| one.state.load(Ordering::Relaxed) == FREE;
        let Some(at) = instance.datagrams.iter().position(is_free) else { return ERROR_RESOURCE };
        let datagram = &instance.datagrams[at];
        for (at, place) in datagram.sent.iter().enumerate().take(len.into()) {
            // SAFETY: so many bytes are there.
            place.store(unsafe { *data.cast::<u8>().add(at) }, Ordering::Relaxed);
        }
        datagram.sent_len.store(len.into(), Ordering::Relaxed);
        datagram.post_id.store(id, Ordering::Relaxed);
        let (address, remote) = it.bound.get().unwrap_or_default();
        datagram.is_directed.store(it.bound.get().is_some().into(), Ordering::Relaxed);
        datagram.address.store(address, Ordering::Relaxed);
        datagram.id.store(remote, Ordering::Relaxed);
        let order = instance.clock.fetch_add(1, Ordering::Relaxed);
        datagram.order.store(order, Ordering::Relaxed);
        datagram.state.store(PENDING, Ordering::Relaxed);
        it.datagram.set(Some((at, answer.cast(), answer_len.into())));
    }
    match_all(nic);
    SUCCESS
}

/// The id of the first exchange that is finished.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_PostDataProbeById(nic: *mut Nic, id: *mut u64) -> Return {
    // SAFETY: null or a NIC.
    let Some(nic) = (unsafe { nic.as_ref() }) else { return INVALID_PARAM };
    if id.is_null() {
        return INVALID_PARAM;
    }
    match_all(nic);
    let instance = nic.own.instance();
    let _held = instance.lock.hold();
    let finished = instance.datagrams.iter();
    let finished = finished.filter(|one| is_finished(one.state.load(Ordering::Relaxed)));
    let first = finished.min_by_key(|one| one.order.load(Ordering::Relaxed));
    let Some(first) = first else { return NO_MATCH };
    // SAFETY: not null.
    unsafe { *id = first.post_id.load(Ordering::Relaxed) };
    SUCCESS
}

/// Finishes an exchange.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpPostDataWaitById(
    endpoint: *mut Endpoint,
    id: u64,
    timeout: u32,
    state: *mut u32,
    address: *mut u32,
    remote: *mut u32,
) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    if state.is_null() || address.is_null() || remote.is_null() || timeout == 0 {
        return INVALID_PARAM;
    }
    let nic = it.nic();
    let instance = nic.own.instance();
    let Some((at, answer, room)) = it.datagram.get() else { return NO_MATCH };
    let datagram = &instance.datagrams[at];
    if datagram.post_id.load(Ordering::Relaxed) != id {
        return NO_MATCH;
    }
    let end = (timeout != u32::MAX).then(|| Instant::now() + Duration::from_millis(timeout.into()));
    loop {
        match_all(nic);
        {
            let _held = instance.lock.hold();
            let now = datagram.state.load(Ordering::Relaxed);
            if is_finished(now) {
                let len = (datagram.received_len.load(Ordering::Relaxed) as usize).min(room);
                if now == COMPLETED {
                    for (at, byte) in datagram.received.iter().enumerate().take(len) {
                        // SAFETY: there is room for so many.
                        unsafe { *answer.add(at) = byte.load(Ordering::Relaxed) };
                    }
                }
                datagram.state.store(FREE, Ordering::Relaxed);
                it.datagram.set(None);
                // SAFETY: not null.
                unsafe {
                    *state = if now == COMPLETED { POST_COMPLETED } else { POST_TERMINATED };
                    *address = datagram.address.load(Ordering::Relaxed);
                    *remote = datagram.id.load(Ordering::Relaxed);
                }
                return SUCCESS;
            }
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            // SAFETY: not null.
            unsafe { *state = POST_PENDING };
            return TIMEOUT;
        }
        std::thread::yield_now();
    }
}

/// Ends an exchange that nobody has answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GNI_EpPostDataCancelById(endpoint: *mut Endpoint, id: u64) -> Return {
    // SAFETY: null or an endpoint.
    let Some(it) = (unsafe { endpoint.as_ref() }) else { return INVALID_PARAM };
    let Some((at, ..)) = it.datagram.get() else { return NO_MATCH };
    let instance = it.nic().own.instance();
    let _held = instance.lock.hold();
    let datagram = &instance.datagrams[at];
    if datagram.post_id.load(Ordering::Relaxed) != id {
        return NO_MATCH;
    }
    if datagram.state.load(Ordering::Relaxed) == PENDING {
        finish(instance, datagram, TERMINATED);
    }
    SUCCESS
}

fn finish(instance: &Instance, datagram: &Datagram, state: u32) {
    let order = instance.clock.fetch_add(1, Ordering::Relaxed);
    datagram.order.store(order, Ordering::Relaxed);
    datagram.state.store(state, Ordering::Relaxed);
}

/// Looks for the counterparts of all directed datagrams that wait.
fn match_all(nic: &Nic) {
    let instance = nic.own.instance();
    for (at, datagram) in instance.datagrams.iter().enumerate() {
        let is_waiting = datagram.state.load(Ordering::Relaxed) == PENDING;
        if !is_waiting || datagram.is_directed.load(Ordering::Relaxed) == 0 {
            continue;
        }
        let (address, id) =
            (datagram.address.load(Ordering::Relaxed), datagram.id.load(Ordering::Relaxed));
        if let Some(other) = segment::find(nic.domain, address, id) {
            match_one(nic, at, other);
        }
    }
}

fn match_one(nic: &Nic, at: usize, other: Found) {
    let (own, there) = (nic.own.instance(), other.instance());
    let is_same = std::ptr::eq(own, there);
    // In the same order in all processes.
    let first = (nic.own.pid, nic.own.at) <= (other.pid, other.at);
    let (one, two) = if first { (own, there) } else { (there, own) };
    let _one = one.lock.hold();
    let _two = (!is_same).then(|| two.lock.hold());
    let datagram = &own.datagrams[at];
    if datagram.state.load(Ordering::Relaxed) != PENDING {
        return;
    }
    let waiting = || {
        let all = there.datagrams.iter().filter(|one| !std::ptr::eq(*one, datagram));
        all.filter(|one| one.state.load(Ordering::Relaxed) == PENDING)
    };
    let is_to_us = |one: &&Datagram| {
        one.is_directed.load(Ordering::Relaxed) != 0
            && one.address.load(Ordering::Relaxed) == nic.address
            && one.id.load(Ordering::Relaxed) == nic.id
    };
    let order = |one: &&Datagram| one.order.load(Ordering::Relaxed);
    let directed = waiting().filter(is_to_us).min_by_key(order);
    let wildcard =
        || waiting().filter(|one| one.is_directed.load(Ordering::Relaxed) == 0).min_by_key(order);
    let Some(counterpart) = directed.or_else(wildcard) else { return };
    exchange(datagram, counterpart);
    exchange(counterpart, datagram);
    counterpart.address.store(nic.address, Ordering::Relaxed);
    counterpart.id.store(nic.id, Ordering::Relaxed);
    finish(own, datagram, COMPLETED);
    finish(there, counterpart, COMPLETED);
}

fn exchange(from: &Datagram, to: &Datagram) {
    let bytes = |all: &'_ [AtomicU8; DATAGRAM_MOST], at: usize| all[at].load(Ordering::Relaxed);
    let len = from.sent_len.load(Ordering::Relaxed).min(DATAGRAM_MOST as u32);
    for at in 0..len as usize {
        to.received[at].store(bytes(&from.sent, at), Ordering::Relaxed);
    }
    to.received_len.store(len, Ordering::Relaxed);
}
