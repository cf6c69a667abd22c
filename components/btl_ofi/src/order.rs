//! Messages in the order in which they were sent.
//!
//! ```text
//!   arrived ─┬─ admitted, its turn ──► act, and what waits behind it
//!            ├─ admitted, ahead ─────► aside, by number
//!            ├─ before its greeting ─► aside
//!            └─ a stranger's, or none of the next ──► dropped
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;

use cairn_transport::{Admission, Admitted};

use crate::wire::Header;

/// How far a message may be ahead of the next one of its way. A sender does not go further beyond one that the
/// provider still has (`progress::send`).
pub const MOST_AHEAD: u32 = 4096;

/// What has come by all ways: by the sender's rank, for each of its CRIs that sends here.
#[derive(Default)]
pub struct Ways(Vec<Vec<(u16, Way)>>);

/// Messages of one way.
#[derive(Default)]
struct Way {
    /// The number of the next.
    next: u32,
    /// Messages that are ahead of it.
    ahead: BTreeMap<u32, Aside>,
}

/// A message that waits for its turn: its words, so that it is aligned, and its length.
struct Aside(Vec<u64>, usize);

/// Why a message is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// There is no whole header.
    Cut,
    /// It is of nobody who may send.
    Stranger,
    /// It is too far ahead, or came before.
    NoneOfTheNext(Header),
}

/// A message has come. What it is and what follows its head go to `act`, when it is its turn.
///
/// # Errors
/// Why it is dropped.
#[inline]
pub fn arrived(
    ways: &RefCell<Ways>,
    admission: &Admission,
    bytes: &[u8],
    mut act: impl FnMut(Admitted, &[u8]),
) -> Result<(), Dropped> {
    let (header, rest) = Header::split(bytes).ok_or(Dropped::Cut)?;
    let admitted = admission.admit(header.head, rest);
    if admitted == Admitted::Refused {
        return early(ways, admission, header, bytes);
    }
    // Ranks of those that are admitted are below the size of the job.
    if !ways.borrow_mut().way(header).take_turn(header.number) {
        return ways.borrow_mut().way(header).put_aside(header, bytes);
    }
    act(admitted, rest);
    loop {
        let next = ways.borrow_mut().way(header).next_aside();
        let Some(aside) = next else { return Ok(()) };
        let Some((header, rest)) = Header::split(aside.bytes()) else { continue };
        act(admission.admit(header.head, rest), rest);
    }
}

/// What was refused is put aside if its check is right, and the greeting is what comes late. A stranger has to
/// guess that check, so it does not fill the memory.
#[cold]
fn early(
    ways: &RefCell<Ways>,
    admission: &Admission,
    header: Header,
    bytes: &[u8],
) -> Result<(), Dropped> {
    if !admission.is_early(header.head) {
        return Err(Dropped::Stranger);
    }
    ways.borrow_mut().way(header).put_aside(header, bytes)
}

impl Ways {
    #[inline]
    fn way(&mut self, header: Header) -> &mut Way {
        let rank = header.head.rank() as usize;
        if self.0.len() <= rank {
            self.0.resize_with(rank + 1, Vec::new);
        }
        let ways = &mut self.0[rank];
        let at = ways.iter().position(|(of, _)| *of == header.cri).unwrap_or_else(|| {
            ways.push((header.cri, Way::default()));
            ways.len() - 1
        });
        &mut ways[at].1
    }

    /// Messages that wait for their turn.
    pub fn waiting(&self) -> usize {
        self.0.iter().flatten().map(|(_, way)| way.ahead.len()).sum()
    }
}

impl Way {
    /// Whether it is this number's turn. It is the following one's then.
    #[inline]
    fn take_turn(&mut self, number: u32) -> bool {
        let is_next = number == self.next;
        self.next = self.next.wrapping_add(u32::from(is_next));
        is_next
    }

    fn put_aside(&mut self, header: Header, bytes: &[u8]) -> Result<(), Dropped> {
        let ahead = header.number.wrapping_sub(self.next);
        if ahead == 0 || ahead > MOST_AHEAD {
            return Err(Dropped::NoneOfTheNext(header));
        }
        self.ahead.insert(header.number, Aside::new(bytes));
        Ok(())
    }

    /// The message whose turn it is, if it was put aside.
    #[inline]
    fn next_aside(&mut self) -> Option<Aside> {
        if self.ahead.is_empty() {
            return None;
        }
        let found = self.ahead.remove(&self.next)?;
        self.next = self.next.wrapping_add(1);
        Some(found)
    }
}

impl Aside {
    fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0_u64; bytes.len().div_ceil(8)];
        // SAFETY: there are as many bytes at least.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), words.as_mut_ptr().cast(), bytes.len());
        }
        Self(words, bytes.len())
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the words are longer, and all are initialized.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast::<u8>(), self.1) }
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::abi::job::Job;
    use cairn_framework::mock::MockHost;
    use cairn_transport::{Head, Pass};

    use super::*;

    fn admission(rank: u32, secret: u8) -> Admission {
        let job =
            Job { rank, size: 3, secret: [secret; 16], ..*MockHost::leak("x").handle().job() };
        Admission::new(&job, "x").unwrap()
    }

    fn message(head: Head, number: u32, rest: &[u8]) -> Vec<u8> {
        let words = Header { head, number, cri: 5 }.words();
        [&words[0].to_ne_bytes()[..], &words[1].to_ne_bytes(), rest].concat()
    }

    fn greeting(pass: Pass, number: u32) -> Vec<u8> {
        let (head, proof) = pass.greeting();
        message(head, number, &proof)
    }

    /// A receiver, and what it was given.
    struct Receiver {
        ways: RefCell<Ways>,
        admission: Admission,
        given: Vec<(Admitted, Vec<u8>)>,
    }

    impl Receiver {
        fn new() -> Self {
            Self { ways: RefCell::default(), admission: admission(0, 7), given: Vec::new() }
        }

        fn take(&mut self, bytes: &[u8]) -> Result<(), Dropped> {
            arrived(&self.ways, &self.admission, bytes, |what, rest| {
                self.given.push((what, rest.to_vec()));
            })
        }
    }

    #[test]
    fn messages_are_given_in_their_order_whichever_comes_first() {
        let pass = admission(2, 7).pass(0);
        let all: Vec<Vec<u8>> = std::iter::once(greeting(pass, 0))
            .chain((1..5).map(|number| message(pass.head(9), number, &[number as u8])))
            .collect();
        // The greeting is among the late ones.
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 4, 2, 3], [2, 4, 0, 3, 1]] {
            let mut receiver = Receiver::new();
            for at in order {
                assert_eq!(receiver.take(&all[at]), Ok(()), "{order:?}");
            }
            let proof = pass.greeting().1.to_vec();
            let expected: Vec<_> = std::iter::once((Admitted::Greeting(2), proof))
                .chain((1..5).map(|number| (Admitted::Message(2, 9), vec![number])))
                .collect();
            assert_eq!(receiver.given, expected, "{order:?}");
            assert_eq!(receiver.ways.borrow().waiting(), 0);
        }
    }

    #[test]
    fn nothing_of_a_stranger_is_given_or_kept() {
        let mut receiver = Receiver::new();
        let (own, other) = (admission(2, 7).pass(0), admission(2, 8).pass(0));
        for number in [0, 1, 7] {
            for bytes in [
                greeting(other, number),
                message(other.head(9), number, b"text"),
                message(other.goodbye(), number, b""),
                // It knows the rank that it speaks for, and neither check nor proof.
                message(Head(own.head(9).0 ^ 1 << 40), number, b"text"),
            ] {
                assert_eq!(receiver.take(&bytes), Err(Dropped::Stranger), "{number}");
            }
        }
        assert_eq!(receiver.take(b"short"), Err(Dropped::Cut));
        // What is not a greeting is nobody's first message.
        let first = receiver.take(&message(own.head(9), 0, b""));
        assert!(matches!(first, Err(Dropped::NoneOfTheNext(_))));
        assert!(receiver.given.is_empty() && receiver.ways.borrow().waiting() == 0);
        // Nothing of it was in the way of those who may send.
        receiver.take(&greeting(own, 0)).unwrap();
        receiver.take(&message(own.head(9), 1, b"now")).unwrap();
        assert_eq!(receiver.take(&message(other.head(9), 2, b"")), Err(Dropped::Stranger));
        assert_eq!(receiver.given.len(), 2);
    }

    #[test]
    fn what_is_kept_is_limited() {
        let mut receiver = Receiver::new();
        let pass = admission(2, 7).pass(0);
        receiver.take(&greeting(pass, 0)).unwrap();
        let far = message(pass.head(9), MOST_AHEAD + 2, b"");
        assert!(receiver.take(&far).is_err());
        assert!(receiver.take(&message(pass.head(9), MOST_AHEAD + 1, b"")).is_ok());
        // One that came before.
        assert!(receiver.take(&greeting(pass, 0)).is_err());
        assert_eq!(receiver.ways.borrow().waiting(), 1);
    }
}
