//! Messages that come.

use cairn_framework::abi::host::LOG_WARN;
use cairn_transport::Admitted;

use crate::context::{Incoming, OfiCri};
use crate::module::OfiDevice;
use crate::wire::Header;

/// Messages of a way that may be ahead of the next one. No provider has so many under way.
const MOST_AHEAD: u32 = 4096;

/// Whether a message is the next one of its way.
enum Turn {
    Next,
    /// It was put aside.
    Later,
    /// There is no place for it.
    Never,
}

/// A message has come.
#[inline]
pub fn arrived(device: &OfiDevice, cri: &OfiCri, bytes: &[u8]) {
    let Some((header, rest)) = Header::split(bytes) else { return };
    let admitted = device.admission.admit(header.head, rest);
    if admitted == Admitted::Refused {
        return refuse(device);
    }
    let rank = header.head.rank();
    match turn(cri, rank, header, bytes) {
        Turn::Next => {
            act(device, cri, admitted, rest);
            while let Some((words, len)) = next_aside(cri, rank, header.cri) {
                // SAFETY: the words are longer.
                let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), len) };
                let Some((header, rest)) = Header::split(bytes) else { continue };
                act(device, cri, device.admission.admit(header.head, rest), rest);
            }
        }
        Turn::Later => {}
        Turn::Never => {
            let text = || format!("message {} of rank {rank} is none of the next", header.number);
            device.host.log(LOG_WARN, text);
        }
    }
}

#[cold]
fn refuse(device: &OfiDevice) {
    device.host.show_once(c"refused", "a message came from a process that is not of this job");
}

#[inline]
fn turn(cri: &OfiCri, rank: u32, header: Header, bytes: &[u8]) -> Turn {
    let mut incoming = cri.incoming.borrow_mut();
    if incoming.len() <= rank as usize {
        // Ranks of those that are admitted are below the size of the job.
        incoming.resize_with(rank as usize + 1, Vec::new);
    }
    let ways = &mut incoming[rank as usize];
    let at = ways.iter().position(|(of, _)| *of == header.cri).unwrap_or_else(|| {
        ways.push((header.cri, Incoming::default()));
        ways.len() - 1
    });
    let way = &mut ways[at].1;
    let ahead = header.number.wrapping_sub(way.next);
    if ahead == 0 {
        way.next = way.next.wrapping_add(1);
        return Turn::Next;
    }
    if ahead > MOST_AHEAD {
        return Turn::Never;
    }
    let mut words = vec![0_u64; bytes.len().div_ceil(8)];
    // SAFETY: there are as many bytes at least.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), words.as_mut_ptr().cast(), bytes.len());
    }
    way.ahead.insert(header.number, (words, bytes.len()));
    Turn::Later
}

/// The message that comes next, if it was put aside.
#[inline]
fn next_aside(cri: &OfiCri, rank: u32, of: u16) -> Option<(Vec<u64>, usize)> {
    let mut incoming = cri.incoming.borrow_mut();
    let way = incoming.get_mut(rank as usize)?.iter_mut().find(|(one, _)| *one == of);
    let way = &mut way?.1;
    if way.ahead.is_empty() {
        return None;
    }
    let found = way.ahead.remove(&way.next)?;
    way.next = way.next.wrapping_add(1);
    Some(found)
}

#[inline]
fn act(device: &OfiDevice, cri: &OfiCri, admitted: Admitted, rest: &[u8]) {
    match admitted {
        Admitted::Message(rank, tag) => {
            if !device.is_closing() {
                let endpoint = device.endpoint(rank).map(|endpoint| &**endpoint);
                device.deliver(cri, endpoint, tag, rest);
            }
        }
        Admitted::Greeting(rank) => {
            device.part(rank, false);
            device.met(rank);
        }
        Admitted::Goodbye(rank) => device.part(rank, true),
        Admitted::Refused => refuse(device),
    }
}
