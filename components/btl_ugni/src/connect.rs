//! Links begin: datagrams are exchanged, with a mailbox of each side.
//!
//! ```text
//!   a message for a peer ──► Wanted ──► a datagram to its CRI ──► Posted ──┐
//!   the wildcard, always posted ◄── any datagram, with a greeting ─────────┴─► Connected on both sides
//! ```
//!
//! When both begin at the same time their datagrams meet each other, or each meets the other's wildcard. Then there
//! are two links, and each side goes on to send by the one that it had first.

use std::cell::UnsafeCell;

use cairn_framework::abi::host::LOG_DEBUG;
use cairn_framework::author::Failure;
use cairn_transport::Admitted;

use crate::bindings::*;
use crate::context::UgniCri;
use crate::library::{Library, explain};
use crate::link::{Link, State};
use crate::mailbox::attributes;
use crate::message;
use crate::module::UgniDevice;
use crate::nic::Endpoint;
use crate::wire::{DATAGRAM, Datagram, Mailbox};

/// The id of the wildcard's datagram. Those of links have the highest bit.
pub const WILD: u64 = 0;
const DIRECTED: u64 = 1 << 63;

/// Datagrams that are looked at in a pass.
const AT_ONCE: usize = 16;

/// The id of a link's datagram.
pub fn id_of(link: u32) -> u64 {
    DIRECTED | u64::from(link)
}

/// The datagram that meets any other, and what it has promised.
pub struct Wildcard {
    pub endpoint: Endpoint,
    link: u32,
    mailbox: Mailbox,
    answer: Box<UnsafeCell<[u8; DATAGRAM]>>,
    is_posted: bool,
}

/// Makes the wildcard of a CRI, and posts it.
pub fn listen(device: &UgniDevice, cri: &UgniCri) -> Result<(), Failure> {
    let wildcard = Wildcard {
        endpoint: cri.nic.endpoint(None)?,
        link: cri.promise(),
        mailbox: cri.mailbox(device)?,
        answer: Box::new(UnsafeCell::new([0; DATAGRAM])),
        is_posted: false,
    };
    *cri.wildcard.borrow_mut() = Some(wildcard);
    post_wildcard(device, cri)
}

/// Posts it, if it is not.
fn post_wildcard(device: &UgniDevice, cri: &UgniCri) -> Result<(), Failure> {
    let mut wildcard = cri.wildcard.borrow_mut();
    let Some(wildcard) = wildcard.as_mut().filter(|wildcard| !wildcard.is_posted) else {
        return Ok(());
    };
    let datagram = Datagram { link: wildcard.link, mailbox: wildcard.mailbox, greeting: None };
    match post(device.library, &wildcard.endpoint, &datagram, &wildcard.answer, WILD) {
        GNI_RC_SUCCESS => wildcard.is_posted = true,
        // Tried again with the next pass.
        GNI_RC_ERROR_RESOURCE | GNI_RC_NOT_DONE => {}
        error => device.library.check("the datagram that meets any other", error)?,
    }
    Ok(())
}

fn post(
    library: &Library,
    endpoint: &Endpoint,
    datagram: &Datagram,
    answer: &UnsafeCell<[u8; DATAGRAM]>,
    id: u64,
) -> gni_return_t {
    let mut bytes = datagram.encode();
    let len = DATAGRAM as u16;
    // SAFETY: the bytes are copied; the answer's place stays with the endpoint, and is read when it is over.
    unsafe {
        let (bytes, answer) = (bytes.as_mut_ptr().cast(), answer.get().cast());
        library.GNI_EpPostDataWId(endpoint.ep, bytes, len, answer, len, id)
    }
}

/// The link by which messages to a peer go, begun if there is none.
pub fn link<'a>(
    device: &UgniDevice,
    cri: &'a UgniCri,
    peer: &crate::link::UgniEndpoint,
) -> Result<&'a Link, Failure> {
    let endpoint = cri.nic.bound(&cri.departures, peer.instance(cri.index()))?;
    let (index, mailbox) = (cri.promise(), cri.mailbox(device)?);
    let pass = device.admission.pass(peer.rank);
    let link = Link::new(index, peer.rank, State::Wanted, endpoint, mailbox, pass);
    let link = cri.keep(link).ok_or("a link was made")?;
    cri.send_by(link);
    cri.connecting.borrow_mut().push(index);
    begin(device, link);
    cri.traffic();
    Ok(link)
}

/// Posts the datagram of a link.
fn begin(device: &UgniDevice, link: &Link) {
    let greeting = Some(link.pass.greeting());
    let datagram = Datagram { link: link.index, mailbox: link.mailbox, greeting };
    match post(device.library, &link.endpoint, &datagram, &link.answer, id_of(link.index)) {
        GNI_RC_SUCCESS => link.state.set(State::Posted),
        GNI_RC_ERROR_RESOURCE | GNI_RC_NOT_DONE => {}
        error => {
            link.state.set(State::Broken);
            let why = format!("no datagram can be sent to it: {}", explain(error));
            device.fail(link.rank, &why);
        }
    }
}

/// Looks for datagrams that are over, and posts what was not.
#[cold]
pub fn progress(device: &UgniDevice, cri: &UgniCri) -> u32 {
    let wanted: Vec<u32> = cri.connecting.borrow().clone();
    for link in wanted.into_iter().filter_map(|index| cri.link(index)) {
        if link.state.get() == State::Wanted && !device.has_failed(link.rank) {
            begin(device, link);
        }
    }
    let mut events = 0;
    for _ in 0..AT_ONCE {
        let mut id = 0;
        // SAFETY: the NIC is there, and room for the answer.
        let found = unsafe { device.library.GNI_PostDataProbeById(cri.nic.handle(), &raw mut id) };
        if found != GNI_RC_SUCCESS {
            break;
        }
        events += 1;
        if id == WILD { met(device, cri) } else { answered(device, cri, id as u32) }
    }
    cri.connecting.borrow_mut().retain(|index| {
        let state = cri.link(*index).map(|link| link.state.get());
        matches!(state, Some(State::Wanted | State::Posted))
    });
    if let Err(failure) = post_wildcard(device, cri) {
        device.break_down(&failure.to_string());
    }
    events
}

/// Finishes an exchange: the other's address and id, if it was not ended otherwise.
fn finish(library: &Library, endpoint: &Endpoint, id: u64) -> Option<(u32, u32)> {
    let (mut state, mut address, mut remote) = (0, 0, 0);
    // SAFETY: the endpoint is there, and room for the answers. It does not wait, as the exchange is over.
    let done = unsafe {
        let (state, address, remote) = (&raw mut state, &raw mut address, &raw mut remote);
        library.GNI_EpPostDataWaitById(endpoint.ep, id, u32::MAX, state, address, remote)
    };
    (done == GNI_RC_SUCCESS && state == GNI_POST_COMPLETED).then_some((address, remote))
}

/// Ends an exchange that nobody has answered.
pub fn cancel(library: &Library, endpoint: &Endpoint, id: u64) {
    // SAFETY: the endpoint is there. An exchange that is over is not cancelled, and finished all the same.
    if unsafe { library.GNI_EpPostDataCancelById(endpoint.ep, id) } == GNI_RC_SUCCESS {
        _ = finish(library, endpoint, id);
    }
}

/// A datagram has met the wildcard.
fn met(device: &UgniDevice, cri: &UgniCri) {
    let found = {
        let mut wildcard = cri.wildcard.borrow_mut();
        let Some(wildcard) = wildcard.as_mut() else { return };
        wildcard.is_posted = false;
        let from = finish(device.library, &wildcard.endpoint, WILD);
        // SAFETY: the exchange is over, so nobody writes there.
        from.map(|from| (from, wildcard.link, wildcard.mailbox, unsafe { *wildcard.answer.get() }))
    };
    let Some((from, index, mailbox, bytes)) = found else { return };
    // The mailbox is known to somebody, who may write there.
    let renewed = cri.mailbox(device).map(|mailbox| {
        if let Some(wildcard) = cri.wildcard.borrow_mut().as_mut() {
            (wildcard.link, wildcard.mailbox) = (cri.promise(), mailbox);
        }
    });
    if let Err(failure) = renewed {
        device.break_down(&failure.to_string());
        return;
    }
    let accepted = accept(device, cri, from, index, mailbox, &bytes);
    if let Err(why) = accepted {
        device.refuse(&why);
    }
}

/// Lets in whom the wildcard has met, if it may.
fn accept(
    device: &UgniDevice,
    cri: &UgniCri,
    from: (u32, u32),
    index: u32,
    mailbox: Mailbox,
    bytes: &[u8; DATAGRAM],
) -> Result<(), String> {
    let datagram = Datagram::parse(bytes)?;
    let (head, proof) = datagram.greeting.ok_or("a datagram without a greeting")?;
    let Admitted::Greeting(rank) = device.admission.admit(head, &proof) else {
        return Err("a process that is not of this job has sent a datagram".into());
    };
    device.greeted(rank);
    let endpoint = cri.nic.bound(&cri.departures, from).map_err(|error| error.to_string())?;
    let pass = device.admission.pass(rank);
    let link = Link::new(index, rank, State::Wanted, endpoint, mailbox, pass);
    let link = cri.keep(link).ok_or("a link was made")?;
    connect(device, cri, link, &datagram)?;
    // Unless it has begun one of its own.
    cri.send_by(link);
    Ok(())
}

/// The peer has answered.
fn answered(device: &UgniDevice, cri: &UgniCri, index: u32) {
    let Some(link) = cri.link(index) else { return };
    let finished = finish(device.library, &link.endpoint, id_of(index));
    // SAFETY: the exchange is over, so nobody writes there.
    let bytes = unsafe { &*link.answer.get() };
    let connected = match finished {
        Some(_) => Datagram::parse(bytes).map_err(str::to_owned).and_then(|datagram| {
            if let Some((head, proof)) = datagram.greeting
                && let Admitted::Greeting(rank) = device.admission.admit(head, &proof)
            {
                device.greeted(rank);
            }
            connect(device, cri, link, &datagram)
        }),
        None => Err("its datagram was not answered".into()),
    };
    if let Err(why) = connected {
        link.state.set(State::Broken);
        device.fail(link.rank, &why);
    }
}

/// Both mailboxes are known.
fn connect(
    device: &UgniDevice,
    cri: &UgniCri,
    link: &Link,
    datagram: &Datagram,
) -> Result<(), String> {
    let (own, there) = (&link.mailbox, &datagram.mailbox);
    if (own.most, own.credits, own.size) != (there.most, there.credits, there.size) {
        return Err("its btl_ugni_message_size or btl_ugni_credits is another".into());
    }
    let (mut own, mut there) = (attributes(own), attributes(there));
    let (library, ep) = (device.library, link.endpoint.ep);
    // SAFETY: all of it is there; the peer's numbers are checked by its NIC.
    let made = unsafe {
        match library.GNI_SmsgInit(ep, &raw mut own, &raw mut there) {
            GNI_RC_SUCCESS => library.GNI_EpSetEventData(ep, link.index, datagram.link),
            error => error,
        }
    };
    if made != GNI_RC_SUCCESS {
        return Err(format!("no link for messages: {}", explain(made)));
    }
    let mailbox = &datagram.mailbox;
    link.place.set(Some((mailbox.memory.wrapping_add(mailbox.offset.into()), mailbox.handle)));
    link.state.set(State::Connected);
    cri.traffic();
    // Messages may have come before, with events that named no link yet.
    message::drain(device, cri, link);
    message::retry_link(device, cri, link);
    device
        .host
        .log(LOG_DEBUG, || format!("rank {} is connected by link {}", link.rank, link.index));
    Ok(())
}
