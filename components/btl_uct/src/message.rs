//! A message on its way to the library, and how it lies there.
//!
//! ```text
//!   over a network    head, 8 bytes │ header and payload
//!   through memory    head, 4 bytes │ header and payload
//! ```
//!
//! UCX's transports through memory put 28 bytes of their own before an active message, in elements that begin
//! at a cache line. With four bytes before it, the header of the layer above lies at a multiple of 8, and a
//! message of 8 bytes ends within that line.

use std::ffi::c_void;

use cairn_transport::Head;

use crate::bindings::*;
use crate::interface::{Interface, MESSAGE};

/// Bytes before what follows a head through memory.
pub const HEAD_IN_MEMORY: usize = size_of::<u32>();
/// Bytes before what follows a head over a network.
pub const HEAD_OVER_NETWORK: usize = size_of::<Head>();

/// Messages of at most so many bytes are put together before they are given to the library.
const SHORT: usize = 256;
/// What an active message has apart from the bytes that it is sent with.
const FIRST: usize = size_of::<u64>();

/// A message.
pub struct Message<'a> {
    pub head: Head,
    pub header: &'a [u8],
    pub payload: Payload<'a>,
}

/// What follows the header.
pub enum Payload<'a> {
    /// These bytes.
    Plain(&'a [u8]),
    /// At most so many bytes, which the function writes to a place; it returns how many. It is called once, when the
    /// message is taken.
    Packed(usize, &'a mut dyn FnMut(*mut u8) -> usize),
}

impl<'a> Message<'a> {
    /// One of these bytes.
    pub fn of(head: Head, header: &'a [u8]) -> Self {
        Self { head, header, payload: Payload::Plain(&[]) }
    }

    /// Most bytes that it has behind its head.
    #[inline(always)]
    pub fn most(&self) -> usize {
        let payload = match &self.payload {
            Payload::Plain(bytes) => bytes.len(),
            Payload::Packed(most, _) => *most,
        };
        self.header.len() + payload
    }

    /// What follows its head.
    pub fn body(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; self.most()];
        // SAFETY: there is room for the whole message.
        let len = unsafe { self.write(bytes.as_mut_ptr()) };
        bytes.truncate(len);
        bytes
    }

    /// Writes it with so many bytes of its head, and returns its length.
    ///
    /// # Safety
    /// There is room for `head` and `most` bytes.
    #[inline(always)]
    unsafe fn write_whole(&mut self, place: *mut u8, head: usize) -> usize {
        // SAFETY: promised by the caller.
        unsafe {
            if head == HEAD_IN_MEMORY {
                place.cast::<u32>().write_unaligned(self.head.0 as u32);
            } else {
                place.cast::<Head>().write_unaligned(self.head);
            }
            head + self.write(place.add(head))
        }
    }

    /// Writes what follows its head, and returns its length.
    ///
    /// # Safety
    /// There is room for `most` bytes.
    #[inline(always)]
    unsafe fn write(&mut self, place: *mut u8) -> usize {
        let header = self.header.len();
        // SAFETY: promised by the caller.
        unsafe {
            place.copy_from_nonoverlapping(self.header.as_ptr(), header);
            let place = place.add(header);
            header
                + match &mut self.payload {
                    Payload::Plain(bytes) => {
                        place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                        bytes.len()
                    }
                    Payload::Packed(_, write) => write(place),
                }
        }
    }
}

/// The head of a message that came in, and what follows it; none of bytes that are too few.
#[inline(always)]
pub fn parse(bytes: &[u8], head: usize) -> Option<(Head, &[u8])> {
    if head == HEAD_IN_MEMORY {
        let (head, rest) = bytes.split_first_chunk()?;
        return Some((Head(u32::from_ne_bytes(*head).into()), rest));
    }
    let (head, rest) = bytes.split_first_chunk()?;
    Some((Head(u64::from_ne_bytes(*head)), rest))
}

/// Room for a message that is put together.
#[repr(align(64))]
struct Room([std::mem::MaybeUninit<u8>; SHORT]);

impl Interface {
    /// Gives a message to the library.
    ///
    /// # Safety
    /// The thread may use the worker, and the message is no longer than the interface takes.
    #[inline]
    pub unsafe fn send(&self, ep: uct_ep_h, message: &mut Message<'_>) -> ucs_status_t {
        let most = message.most();
        // What is less than the first word is packed.
        let is_short = matches!(message.payload, Payload::Plain(_))
            && (FIRST..=SHORT).contains(&(self.head + most))
            && self.head + most <= self.attr.cap.am.max_short;
        // SAFETY: promised by the caller; the functions are there, as the flags say.
        unsafe {
            if is_short {
                let mut room = Room([const { std::mem::MaybeUninit::uninit() }; _]);
                let place = room.0.as_mut_ptr().cast::<u8>();
                let len = message.write_whole(place, self.head);
                let first = place.cast::<u64>().read();
                let send = self.ops().ep_am_short.unwrap_unchecked();
                let len = (len - FIRST) as u32;
                return send(ep, MESSAGE, first, place.add(FIRST).cast(), len);
            }
            let send = self.ops().ep_am_bcopy.unwrap_unchecked();
            let mut packed = (self.head, message);
            let sent = send(ep, MESSAGE, Some(pack), (&raw mut packed).cast(), 0);
            if sent < 0 { sent as ucs_status_t } else { UCS_OK }
        }
    }

    /// The same for a short message through memory with the header that most have; none if this one is of another
    /// kind.
    ///
    /// # Safety
    /// As of `send`.
    #[inline(always)]
    pub unsafe fn send_line(
        &self,
        ep: uct_ep_h,
        head: Head,
        header: &[u8],
        payload: &[u8],
    ) -> Option<ucs_status_t> {
        #[cfg(target_arch = "x86_64")]
        if self.takes_lines
            && payload.len() <= line::MOST
            && let Ok(header) = header.try_into()
        {
            // SAFETY: promised by the caller; that this is set says that the processor has what is used.
            return Some(unsafe {
                let send = self.ops().ep_am_short.unwrap_unchecked();
                line::assemble(head, header, payload, |first, rest, len| {
                    send(ep, MESSAGE, first, rest.cast(), len)
                })
            });
        }
        None
    }

    /// Whether `send_line` may be used for it.
    pub fn may_take_lines(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.head == HEAD_IN_MEMORY
            && self.attr.cap.am.max_short >= line::WHOLE
            && std::is_x86_feature_detected!("avx");
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

/// Writes a message where the library wants it.
unsafe extern "C" fn pack(to: *mut c_void, packed: *mut c_void) -> usize {
    // SAFETY: `send` passes these, and the message is no longer than there is room.
    unsafe {
        let (head, message) = &mut *packed.cast::<(usize, &mut Message<'_>)>();
        message.write_whole(to.cast(), *head)
    }
}

/// Messages of the shape that short ones mostly have, put together in one register.
///
/// The library copies what it is given with wide loads. A load of bytes that several stores have just written has to
/// wait until all of them are in the cache, behind the lines of messages before that are still on their way from the
/// receiver: that makes a stream of messages two times slower. What one store has written is read at once.
#[cfg(target_arch = "x86_64")]
mod line {
    use std::arch::x86_64::{__m256i, _mm256_set_epi64x};

    use cairn_transport::Head;

    use crate::bindings::ucs_status_t;

    /// Bytes of a header.
    const HEADER: usize = 24;
    /// Most bytes of a payload.
    pub const MOST: usize = WHOLE - 4 - HEADER;
    /// Bytes of a message that has so many.
    pub const WHOLE: usize = 8 + 32;

    #[repr(align(32))]
    struct Line(
        #[expect(dead_code, reason = "read by its address")] std::mem::MaybeUninit<__m256i>,
    );

    /// Calls `send` with the first word of a message, what follows it, and the bytes of that.
    #[inline]
    #[target_feature(enable = "avx")]
    pub fn assemble(
        head: Head,
        header: &[u8; HEADER],
        payload: &[u8],
        send: impl FnOnce(u64, *const u8, u32) -> ucs_status_t,
    ) -> ucs_status_t {
        let word = |place: usize| {
            u64::from_ne_bytes(header[place..place + 8].try_into().expect("eight bytes"))
        };
        let [a, b, c] = [word(0), word(8), word(16)];
        let (d, e) = words(payload);
        let join = |low: u64, high: u64| (low >> 32 | high << 32).cast_signed();
        let mut line = Line(std::mem::MaybeUninit::uninit());
        let place = &raw mut line;
        let all = _mm256_set_epi64x(join(d, e), join(c, d), join(b, c), join(a, b));
        // Volatile, or the compiler makes two stores of it.
        // SAFETY: the place is as long and as aligned.
        unsafe { place.cast::<__m256i>().write_volatile(all) };
        send(head.0 & 0xffff_ffff | a << 32, place.cast(), (HEADER - 4 + payload.len()) as u32)
    }

    /// At most [`MOST`] bytes as two words, without a byte behind them.
    #[inline(always)]
    fn words(bytes: &[u8]) -> (u64, u64) {
        let len = bytes.len();
        if let Some((first, rest)) = bytes.split_first_chunk() {
            let last = u64::from_ne_bytes(*bytes.last_chunk().expect("there are eight"));
            let second = if rest.is_empty() { 0 } else { last >> (8 * (8 - rest.len())) };
            return (u64::from_ne_bytes(*first), second);
        }
        if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            let (first, last) = (u32::from_ne_bytes(*first), u32::from_ne_bytes(*last));
            return (u64::from(first) | u64::from(last) << (8 * (len - 4)), 0);
        }
        let byte = |place: usize| u64::from(bytes[place]) << (8 * place);
        (if len == 0 { 0 } else { byte(0) | byte(len / 2) | byte(len - 1) }, 0)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_line_has_the_bytes_of_the_message() {
            if !std::is_x86_feature_detected!("avx") {
                return;
            }
            let header: [u8; HEADER] = std::array::from_fn(|place| place as u8 + 100);
            for len in 0..=MOST {
                let payload: Vec<u8> = (0..len as u8).map(|byte| byte + 200).collect();
                let head = Head(0x1122_3344);
                let expected = [&0x1122_3344_u32.to_ne_bytes()[..], &header, &payload].concat();
                let mut found = Vec::new();
                let send = |first: u64, rest: *const u8, len: u32| {
                    found.extend(first.to_ne_bytes());
                    // SAFETY: so many bytes are there.
                    found.extend(unsafe { std::slice::from_raw_parts(rest, len as usize) });
                    7
                };
                // SAFETY: the processor has it.
                let status = unsafe { assemble(head, &header, &payload, send) };
                assert_eq!((status, found), (7, expected), "{len}");
            }
        }
    }
}
