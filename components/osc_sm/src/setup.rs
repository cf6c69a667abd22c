//! Making a window, or agreeing that another component serves it.

use std::ffi::c_void;

use cairn_framework::abi::btl::BTL_MAX_KEY;
use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::abi::peer::{PEER_LOCAL, Peer};
use cairn_framework::abi::status::ERR_PROTOCOL;
use cairn_framework::author::{Failure, HostHandle, Mutex};
use cairn_framework::frameworks::osc::{
    WINDOW_ALLOCATE, WINDOW_CREATE, WINDOW_NONCONTIGUOUS, WINDOW_SHARED, Window,
};
use std::sync::Arc;

use crate::control::Control;
use crate::deaths::Deaths;
use crate::window::{Heap, Own, Shared, SmWindow};
use cairn_rma::{ALL_RIGHTS, Device, Key, PackedKey};
use cairn_segment::{Backing, CARD_LEN, HEADER, Options, Segment};

/// What is given out begins at a page.
const PAGE: usize = 4096;

/// What a rank tells the others of its memory.
#[repr(C)]
#[derive(Clone, Copy)]
struct Offer {
    /// 1 if it has all that it needs.
    fine: u64,
    /// The device that its keys are of; 0 without keys.
    device: u64,
    /// Where its control block and its memory lie, for it; 0 without memory.
    control: u64,
    memory: u64,
    control_key: PackedKey,
    memory_key: PackedKey,
    /// Of its segment, where no device gives memory: then `control` and `memory` say where they lie in it.
    card: [u8; CARD_LEN],
}

const NONE: Offer = Offer {
    fine: 0,
    device: 0,
    control: 0,
    memory: 0,
    control_key: [0; BTL_MAX_KEY],
    memory_key: [0; BTL_MAX_KEY],
    card: [0; CARD_LEN],
};

/// The memory of this process for a window.
struct Prepared {
    offer: Offer,
    own: Own,
    control: *const Control,
    memory: *mut u8,
}

/// What this process has mapped of others.
struct Mapped {
    controls: Vec<*const Control>,
    bases: Vec<*mut u8>,
    keys: Vec<Key>,
    segments: Vec<Segment>,
}

/// Makes a window on the processes of one node, if each can map what the others have.
pub fn open(
    host: HostHandle,
    deaths: &Arc<Deaths>,
    window: &mut Window,
) -> Result<Option<SmWindow>, Failure> {
    if !matches!(window.flavor, WINDOW_CREATE | WINDOW_ALLOCATE | WINDOW_SHARED) {
        return Ok(None);
    }
    let Some(peers) = on_one_node(window.comm()) else { return Ok(None) };
    let rank = window.comm().rank;
    let prepared = prepare(host, window, &peers);
    let offer = prepared.as_ref().map_or(NONE, |prepared| prepared.offer);
    let offers = match allgather(host, window, offer, NONE) {
        Ok(offers) => offers,
        Err(failure) => {
            prepared.into_iter().for_each(|prepared| prepared.own.end());
            return Err(failure);
        }
    };
    let prepared = prepared.inspect_err(|failure| declined(host, failure)).ok();
    let all_fine = offers.iter().all(|offer| offer.fine == 1);
    let Some(prepared) = prepared else { return Ok(None) };
    if !all_fine {
        prepared.own.end();
        return Ok(None);
    }
    let mapped = map(host, window, &peers, &offers, &prepared);
    let agreed = allgather(host, window, u64::from(mapped.is_ok()), 0);
    let all_mapped = agreed.as_ref().is_ok_and(|all| all.iter().all(|one| *one == 1));
    let mapped = match mapped.inspect_err(|failure| declined(host, failure)) {
        Ok(mapped) if all_mapped => mapped,
        mapped => {
            drop(mapped);
            let _ = barrier(host, window);
            prepared.own.end();
            return agreed.map(|_| None);
        }
    };
    let size = peers.len();
    if window.flavor != WINDOW_CREATE {
        window.base = mapped.bases[rank as usize].cast();
    }
    window.unified = 1;
    let (mut own, mut segments) = (prepared.own, mapped.segments);
    // All have them: no descriptor is needed any more.
    own.segment.iter_mut().chain(&mut segments).for_each(Segment::close_file);
    let shared = Arc::new(Shared::new(rank, mapped.controls.into(), peers));
    deaths.add(&shared);
    Ok(Some(SmWindow {
        bases: mapped.bases.into(),
        shared,
        held: (0..size).map(|_| Default::default()).collect(),
        met: (0..size).map(|_| Default::default()).collect(),
        started: Mutex::new(Vec::new()),
        expected: Default::default(),
        deaths: Arc::clone(deaths),
        keys: mapped.keys,
        segments,
        own,
    }))
}

/// Ends a window. All ranks come, with no operation in flight.
pub fn close(host: HostHandle, window: &Window, state: SmWindow) {
    let SmWindow { deaths, shared, keys, segments, own, .. } = state;
    deaths.remove(&shared);
    drop((shared, keys, segments));
    // What this process has is freed when no other has it mapped. If one has died that is of no matter.
    let _ = barrier(host, window);
    own.end();
}

fn declined(host: HostHandle, failure: &Failure) {
    host.log(LOG_INFO, || format!("a window is left to other components: {failure}"));
}

/// The peers of a communicator whose processes, one for each rank, all run on this node, which then is so for
/// each of them.
fn on_one_node(comm: &Comm) -> Option<Box<[*const Peer]>> {
    // SAFETY: a communicator has so many peers; they stay.
    let peers = unsafe { std::slice::from_raw_parts(comm.peers, comm.remote_size as usize) };
    // SAFETY: as above.
    let local = peers.iter().all(|peer| unsafe { (**peer).is(PEER_LOCAL) });
    // SAFETY: as above.
    let alone = local && unsafe { !comm.shares_processes() };
    alone.then(|| peers.iter().map(|peer| peer.cast_const()).collect())
}

/// Whether all memory lies in one block of rank 0.
fn in_one_block(window: &Window) -> bool {
    window.flavor == WINDOW_SHARED && window.flags & WINDOW_NONCONTIGUOUS == 0
}

/// Bytes that lie before the memory of a rank in one block.
fn before(window: &Window, rank: u32) -> Result<usize, Failure> {
    let sizes = window.remotes()[..rank as usize].iter().map(|remote| remote.size);
    let sum = sizes.into_iter().try_fold(0_u64, u64::checked_add);
    let sum = sum.and_then(|sum| isize::try_from(sum).ok());
    sum.map(|sum| sum as usize).ok_or_else(|| Failure::unavailable("it is too large"))
}

/// Bytes that a rank gives.
fn given(window: &Window, rank: u32) -> Result<usize, Failure> {
    match (in_one_block(window), rank) {
        (true, 0) => before(window, window.comm().remote_size),
        (true, _) => Ok(0),
        _ => Ok(window.remotes()[rank as usize].size as usize),
    }
}

/// Gets the memory of this process, and its keys.
fn prepare(host: HostHandle, window: &Window, peers: &[*const Peer]) -> Result<Prepared, Failure> {
    let rank = window.comm().rank;
    let len = given(window, rank)?;
    // SAFETY: peers are never freed.
    let to = |peer: &*const Peer| Device::to(host, unsafe { &**peer });
    let device = peers.iter().find_map(to).map(|(device, _)| device);
    if device.is_none() && peers.len() > 1 {
        // Other memory is windows' that go by messages where a transport has been left out.
        return match window.flavor {
            WINDOW_SHARED => in_a_segment(host, window, len),
            _ => Err(Failure::unavailable("no transport gives out memory")),
        };
    }
    let mut own = Own::default();
    let mut offer = Offer { fine: 1, device: device.map_or(0, Device::id), ..NONE };
    let mut fill = |own: &mut Own| -> Result<(*const Control, *mut u8), Failure> {
        let mut get = |len: usize, alignment: usize, key: &mut PackedKey| {
            let Some(device) = device else {
                let heap = Heap::new(len, alignment)?;
                let base = heap.base;
                own.heap.push(heap);
                return Ok(base);
            };
            let (base, registration) = device.allocate(host, len, alignment)?;
            own.registrations.push(registration);
            registration.pack(host, key)?;
            Ok::<_, Failure>(base)
        };
        let control = Control::len(peers.len() as u32);
        let control = get(control, align_of::<Control>(), &mut offer.control_key)?;
        let alignment = (window.alignment as usize).max(64).next_power_of_two();
        let memory = match (window.flavor, len) {
            (WINDOW_CREATE, 0) => window.base.cast(),
            (_, 0) => std::ptr::null_mut(),
            (WINDOW_CREATE, len) => {
                if let Some(device) = device {
                    // SAFETY: the program keeps it as long as the window.
                    let registration =
                        unsafe { device.register(host, window.base, len, ALL_RIGHTS)? };
                    own.registrations.push(registration);
                    registration.pack(host, &mut offer.memory_key)?;
                }
                window.base.cast()
            }
            (_, len) => get(len, alignment, &mut offer.memory_key)?,
        };
        Ok((control.cast_const().cast(), memory))
    };
    match fill(&mut own) {
        Ok((control, memory)) => {
            offer.control = control.expose_provenance() as u64;
            offer.memory = if len == 0 { 0 } else { memory.expose_provenance() as u64 };
            Ok(Prepared { offer, own, control, memory })
        }
        Err(failure) => {
            own.end();
            Err(failure)
        }
    }
}

/// Memory of this process that no transport gives.
fn in_a_segment(host: HostHandle, window: &Window, len: usize) -> Result<Prepared, Failure> {
    let alignment = (window.alignment as usize).max(PAGE).next_power_of_two();
    let control = HEADER.next_multiple_of(align_of::<Control>());
    let end = control + Control::len(window.comm().remote_size);
    // A segment begins with a page.
    let all = end.checked_add(alignment).and_then(|start| start.checked_add(len));
    let all = all.ok_or_else(|| Failure::unavailable("it is too large"))?;
    // SAFETY: the host keeps the string as long as the process lives.
    let job = unsafe { cairn_framework::text::copy(host.job().id) };
    let segment = Segment::create(&Options {
        name: &format!("{job}-window"),
        len: all,
        front: all,
        backing: Backing::Memory,
        peers: window.comm().remote_size - 1,
    });
    let segment = segment.map_err(|error| Failure::unavailable(error.to_string()))?;
    let base = segment.front();
    let memory = (base.addr() + end).next_multiple_of(alignment) - base.addr();
    let offer = Offer {
        fine: 1,
        control: control as u64,
        memory: if len == 0 { 0 } else { memory as u64 },
        card: *segment.card(),
        ..NONE
    };
    let there = if len == 0 { std::ptr::null_mut() } else { base.wrapping_add(memory) };
    let own = Own { segment: Some(segment), ..Own::default() };
    Ok(Prepared {
        offer,
        own,
        control: base.wrapping_add(control).cast_const().cast(),
        memory: there,
    })
}

/// Maps what the others have.
fn map(
    host: HostHandle,
    window: &Window,
    peers: &[*const Peer],
    offers: &[Offer],
    prepared: &Prepared,
) -> Result<Mapped, Failure> {
    let (size, own) = (peers.len(), window.comm().rank as usize);
    let (controls, bases) = (Vec::new(), Vec::new());
    let mut mapped = Mapped { controls, bases, keys: Vec::new(), segments: Vec::new() };
    for (rank, (peer, offer)) in peers.iter().zip(offers).enumerate() {
        if rank == own {
            mapped.controls.push(prepared.control);
            mapped.bases.push(prepared.memory);
            continue;
        }
        // SAFETY: peers are never freed.
        let way = Device::to(host, unsafe { &**peer });
        let way = way.filter(|(device, _)| device.id() == offer.device);
        if offer.device == 0 {
            let segment = Segment::attach(&offer.card);
            mapped.segments.push(segment.map_err(|error| Failure::unavailable(error.to_string()))?);
        }
        let mut get = |key: &PackedKey, remote: u64, len: usize| {
            if offer.device == 0 {
                return place(mapped.segments.last(), remote, len);
            }
            let (device, endpoint) =
                way.ok_or_else(|| Failure::unavailable("there is no way to map what a rank has"))?;
            // SAFETY: the endpoint is the device's.
            let key = unsafe { device.unpack(host, endpoint, key)? };
            let pointer = key
                .map(host, remote, len)?
                .ok_or_else(|| Failure::unavailable("a rank's memory can't be mapped"))?;
            mapped.keys.push(key);
            Ok::<_, Failure>(pointer)
        };
        let control = get(&offer.control_key, offer.control, Control::len(size as u32))?;
        if !control.cast::<Control>().is_aligned() {
            return Err(Failure::new(ERR_PROTOCOL, "a rank's control block is not aligned"));
        }
        let len = given(window, rank as u32)?;
        let base = match len {
            0 => std::ptr::null_mut(),
            len => get(&offer.memory_key, offer.memory, len)?,
        };
        mapped.controls.push(control.cast_const().cast());
        mapped.bases.push(base);
    }
    if in_one_block(window) {
        let first = mapped.bases[0];
        for rank in 0..size {
            mapped.bases[rank] = first.wrapping_add(before(window, rank as u32)?);
        }
    }
    Ok(mapped)
}

/// Where bytes of a rank's segment lie here.
fn place(segment: Option<&Segment>, offset: u64, len: usize) -> Result<*mut u8, Failure> {
    let fits = |segment: &&Segment| {
        let end = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(len));
        end.is_some_and(|end| end <= segment.front_len())
    };
    let segment = segment.filter(fits);
    let outside = || Failure::new(ERR_PROTOCOL, "a rank's memory is not in its segment");
    Ok(segment.ok_or_else(outside)?.front().wrapping_add(offset as usize))
}

/// What every rank says, by rank.
fn allgather<T: Copy>(
    host: HostHandle,
    window: &Window,
    own: T,
    blank: T,
) -> Result<Vec<T>, Failure> {
    let mut all = vec![blank; window.scope.size as usize];
    let (sent, received) = (&raw const own, all.as_mut_ptr());
    let gather = window.calls().allgather;
    // SAFETY: there is a place for each rank.
    host.check(unsafe {
        gather(window, sent.cast::<c_void>(), received.cast::<c_void>(), size_of::<T>())
    })?;
    Ok(all)
}

fn barrier(host: HostHandle, window: &Window) -> Result<(), Failure> {
    // SAFETY: the window is there.
    host.check(unsafe { (window.calls().barrier)(window, std::ptr::null_mut()) })
}
