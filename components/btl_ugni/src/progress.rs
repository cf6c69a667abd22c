//! A pass over a CRI.

use crate::connect;
use crate::context::UgniCri;
use crate::message;
use crate::module::UgniDevice;
use crate::transfer;

/// One pass. Datagrams, which are seldom, are looked at when something connects, and when `all` is to be done.
pub fn pass(device: &UgniDevice, cri: &UgniCri, all: bool) -> u32 {
    let mut events = 0;
    if all || !cri.connecting.borrow().is_empty() {
        events += connect::progress(device, cri);
    }
    events += message::departures(device, cri);
    events += message::arrivals(device, cri);
    events += transfer::posts(device, cri);
    if !cri.unposted.borrow().is_empty() {
        events += transfer::retry(device, cri);
    }
    if !cri.waiting.borrow().is_empty() {
        events += message::retry(device, cri);
    }
    if events > 0 {
        cri.traffic();
    }
    if cri.is_ending.get() {
        cri.is_ending.set(false);
        for link in cri.all_links() {
            if link.is_ending.replace(false) {
                message::say_goodbye(device, cri, link);
            }
        }
    }
    if cri.failures.get() != device.failures() {
        cri.failures.set(device.failures());
        sweep(device, cri);
    }
    events
}

/// Peers have failed: what waits for them goes to nobody. What the network has still ends with an error.
#[cold]
fn sweep(device: &UgniDevice, cri: &UgniCri) {
    for link in cri.all_links().into_iter().filter(|link| device.has_failed(link.rank)) {
        // It may have died between a message and its event.
        message::drain(device, cri, link);
        message::drop_backlog(cri, link);
    }
}
