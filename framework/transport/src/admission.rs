//! Who may send to this process.
//!
//! A foreign library takes messages from whoever finds its address. So the first message of a peer by each of
//! its ways is a greeting, which proves that the peer knows the job's secret; nothing of a process without
//! one is delivered. The proof is a MAC (HMAC-SHA-256, cut to 128 bits) over the transport's name, the two
//! ranks and the direction. Messages then carry a head of 8 bytes:
//!
//! ```text
//!   bits 0–7 tag   8–9 kind (message, greeting, goodbye)   10–31 rank of the sender   32–63 check
//! ```
//!
//! The check is 32 further bits of the same MAC, that a stranger would have to guess for each message; that
//! holds off the messages of other jobs and accidents, and strangers that do not read along. Who reads what
//! goes over a network can send what it has read again: nothing is encrypted.
//!
//! Through memory ([`Admission::in_memory`]) there is no check, and a head is its lower half: a process that can
//! write to a queue can also change the messages of peers in it, against which a check does not help. The rank is
//! mixed with bits of the job's secret, so that a message of another job by accident names a rank that has not
//! greeted, or that there is not; of all ranks that a head can name, those that have greeted are the exception.

use std::sync::atomic::{AtomicU64, Ordering};

use cairn_framework::abi::job::Job;
use cairn_framework::abi::status::ERR_UNSUPPORTED;
use cairn_framework::author::Failure;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Bytes of a head.
pub const HEAD: usize = 8;
/// Bytes of a greeting behind its head.
pub const PROOF: usize = 16;

/// Most processes of a job: the rank has 22 bits.
const MOST: u32 = 1 << 22;

const MESSAGE: u64 = 0;
const GREETING: u64 = 1;
const GOODBYE: u64 = 2;

/// The beginning of a message, as one number in this machine's order of bytes; peers with another order are
/// refused when they are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head(pub u64);

impl Head {
    fn new(kind: u64, rank: u32, check: u32) -> Self {
        Self(kind << 8 | u64::from(rank) << 10 | u64::from(check) << 32)
    }

    /// The tag of the message.
    #[inline(always)]
    pub fn tag(self) -> u8 {
        self.0 as u8
    }

    /// Who says that it has sent it, where heads have a check.
    #[inline(always)]
    pub fn rank(self) -> u32 {
        (self.0 >> 10) as u32 & (MOST - 1)
    }

    #[inline(always)]
    fn kind(self) -> u64 {
        self.0 >> 8 & 3
    }

    #[inline(always)]
    fn check(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// What this process sends to one peer so that it is let in.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    base: Head,
    proof: [u8; PROOF],
}

impl Pass {
    /// The head of a message.
    #[inline(always)]
    pub fn head(&self, tag: u8) -> Head {
        Head(self.base.0 | u64::from(tag))
    }

    /// The first message: head and proof.
    pub fn greeting(&self) -> (Head, [u8; PROOF]) {
        (Head(self.base.0 | GREETING << 8), self.proof)
    }

    /// The last message, which has nothing but its head: what breaks after it has ended in order.
    pub fn goodbye(&self) -> Head {
        Head(self.base.0 | GOODBYE << 8)
    }
}

/// What became of a message that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admitted {
    /// A message of this rank with this tag; what follows its head is to be delivered.
    Message(u32, u8),
    /// The rank has greeted.
    Greeting(u32),
    /// The rank sends nothing more by this way.
    Goodbye(u32),
    /// It comes from nobody who may send.
    Refused,
}

/// Whose messages are let in.
pub struct Admission {
    secret: [u8; 16],
    label: String,
    own: u32,
    /// Heads have a check.
    checks: bool,
    /// What ranks in heads are mixed with: zero where heads have a check.
    mask: u32,
    /// By rank: its check with [`KNOWN`] above it, once it has greeted. Written with Release by whoever
    /// verified the greeting; a number by itself, so a reader needs nothing else.
    known: Box<[AtomicU64]>,
}

const KNOWN: u64 = 1 << 32;

impl Admission {
    /// For the processes of a job, among which nobody has greeted yet. `label` tells transports apart.
    ///
    /// # Errors
    /// When the job has too many processes for a head.
    pub fn new(job: &Job, label: &str) -> Result<Self, Failure> {
        Self::with(job, label, true)
    }

    /// The same for a transport through memory that the processes of the job share. The upper half of each head is
    /// zero and need not be sent.
    ///
    /// # Errors
    /// As of `new`.
    pub fn in_memory(job: &Job, label: &str) -> Result<Self, Failure> {
        Self::with(job, label, false)
    }

    fn with(job: &Job, label: &str, checks: bool) -> Result<Self, Failure> {
        if job.size > MOST {
            let text = format!("a job of {} processes; {label} takes at most {MOST}", job.size);
            return Err(Failure::new(ERR_UNSUPPORTED, text));
        }
        let known = (0..job.size).map(|_| AtomicU64::new(0)).collect();
        let (secret, label, own) = (job.secret, label.into(), job.rank);
        let mut made = Self { secret, label, own, checks, mask: 0, known };
        if !checks {
            // No two ranks have this pair.
            made.mask = made.mac(u32::MAX, u32::MAX).1 & (MOST - 1);
        }
        Ok(made)
    }

    /// What this process shows to a rank.
    pub fn pass(&self, to: u32) -> Pass {
        let (proof, check) = self.prove(self.own, to);
        Pass { base: Head::new(MESSAGE, self.own ^ self.mask, check), proof }
    }

    /// Looks at a message that came in, head first. `rest` is what follows its head.
    #[inline]
    pub fn admit(&self, head: Head, rest: &[u8]) -> Admitted {
        let rank = self.rank(head);
        let Some(known) = self.known.get(rank as usize) else { return Admitted::Refused };
        // Relaxed: see the field.
        let admitted = known.load(Ordering::Relaxed) == KNOWN | u64::from(head.check());
        match head.kind() {
            MESSAGE if admitted => Admitted::Message(rank, head.tag()),
            GOODBYE if admitted => Admitted::Goodbye(rank),
            GREETING => self.greeted(head, rest),
            _ => Admitted::Refused,
        }
    }

    /// Who says that it has sent a message with this head.
    #[inline(always)]
    fn rank(&self, head: Head) -> u32 {
        head.rank() ^ self.mask
    }

    /// Whether a rank has greeted.
    pub fn has_greeted(&self, rank: u32) -> bool {
        // Relaxed: see the field.
        self.known.get(rank as usize).is_some_and(|known| known.load(Ordering::Relaxed) != 0)
    }

    /// Whether a head that was refused is of the rank that it names all the same: one whose greeting comes later,
    /// where a way may be out of order. Nothing of it is to be delivered before that has come.
    #[cold]
    pub fn is_early(&self, head: Head) -> bool {
        let rank = self.rank(head);
        self.checks
            && (rank as usize) < self.known.len()
            && !self.has_greeted(rank)
            && self.prove(rank, self.own).1 == head.check()
    }

    #[cold]
    fn greeted(&self, head: Head, rest: &[u8]) -> Admitted {
        let rank = self.rank(head);
        let (proof, check) = self.prove(rank, self.own);
        // Every byte is looked at, whatever the first ones are: time tells nothing of the proof.
        let differ = |rest: &[u8]| rest.iter().zip(proof).fold(0, |all, (a, b)| all | (a ^ b));
        if rest.len() != PROOF || differ(rest) != 0 || check != head.check() {
            return Admitted::Refused;
        }
        self.known[rank as usize].store(KNOWN | u64::from(check), Ordering::Release);
        Admitted::Greeting(rank)
    }

    /// What `from` shows to `to`: proof and check.
    fn prove(&self, from: u32, to: u32) -> ([u8; PROOF], u32) {
        let (proof, check) = self.mac(from, to);
        (proof, if self.checks { check } else { 0 })
    }

    fn mac(&self, from: u32, to: u32) -> ([u8; PROOF], u32) {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length will do");
        for part in [self.label.as_bytes(), b"\0", &from.to_le_bytes(), &to.to_le_bytes()] {
            mac.update(part);
        }
        let made = mac.finalize().into_bytes();
        let (proof, rest) = made.split_at(PROOF);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        (proof.try_into().expect("sixteen bytes"), word(&rest[..4]))
    }
}

#[cfg(test)]
mod tests {
    use cairn_framework::mock::MockHost;

    use super::*;

    fn of(rank: u32, secret: u8) -> Admission {
        let job =
            Job { rank, size: 3, secret: [secret; 16], ..*MockHost::leak("x").handle().job() };
        Admission::new(&job, "x").unwrap()
    }

    #[test]
    fn who_has_greeted_is_let_in_and_nobody_else() {
        let (own, other) = (of(0, 7), of(2, 7));
        let pass = other.pass(0);
        assert_eq!(own.admit(pass.head(9), b"early"), Admitted::Refused);
        assert_eq!(own.admit(pass.goodbye(), b""), Admitted::Refused);
        assert!(own.is_early(pass.head(9)) && !own.has_greeted(2));
        for bit in 10..64 {
            assert!(!own.is_early(Head(pass.head(9).0 ^ 1 << bit)), "{bit}");
        }
        let (head, proof) = pass.greeting();
        assert_eq!(own.admit(head, &proof[..15]), Admitted::Refused);
        for bit in 0..128 {
            let mut wrong = proof;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(own.admit(head, &wrong), Admitted::Refused, "{bit}");
        }
        assert_eq!(own.admit(head, &proof), Admitted::Greeting(2));
        assert!(own.has_greeted(2) && !own.is_early(pass.head(9)));
        assert_eq!(own.admit(pass.head(9), b"now"), Admitted::Message(2, 9));
        assert_eq!(own.admit(pass.goodbye(), b""), Admitted::Goodbye(2));
        // Any other bit of the head but those of the tag.
        for bit in 8..64 {
            let wrong = Head(pass.head(9).0 ^ 1 << bit);
            let found = own.admit(wrong, b"");
            let goodbye = bit == 9 && found == Admitted::Goodbye(2);
            assert!(goodbye || found == Admitted::Refused, "{bit}: {found:?}");
        }
        // The others are still strangers, to it and to each other.
        assert_eq!(own.admit(of(1, 7).pass(0).head(9), b""), Admitted::Refused);
        assert_eq!(of(1, 7).admit(head, &proof), Admitted::Refused);
    }

    #[test]
    fn through_memory_a_head_is_its_lower_half() {
        let job = |rank| Job { rank, size: 3, ..*MockHost::leak("x").handle().job() };
        let of = |rank| Admission::in_memory(&job(rank), "x").unwrap();
        let (own, pass) = (of(0), of(2).pass(0));
        let (head, proof) = pass.greeting();
        for head in [head, pass.head(255), pass.goodbye()] {
            assert_eq!(head.0 >> 32, 0);
        }
        assert_eq!(own.admit(pass.head(9), b"early"), Admitted::Refused);
        assert_eq!(own.admit(head, &[0; PROOF]), Admitted::Refused);
        assert_eq!(own.admit(head, &proof), Admitted::Greeting(2));
        assert_eq!(own.admit(pass.head(9), b"now"), Admitted::Message(2, 9));
        assert!(!own.is_early(of(1).pass(0).head(9)));
        // The ranks that have not greeted, and those that there are not.
        for rank in [0, 1, 3, MOST - 1] {
            let head = Head::new(MESSAGE, rank ^ own.mask, 0);
            assert_eq!(own.admit(head, b""), Admitted::Refused, "{rank}");
        }
        // Another job's process of a rank that has greeted here.
        let other = Job { secret: [9; 16], ..job(2) };
        let strange = Admission::in_memory(&other, "x").unwrap().pass(0).head(9);
        assert_eq!(own.admit(strange, b""), Admitted::Refused);
    }

    #[test]
    fn another_job_and_another_transport_are_strangers() {
        let own = of(0, 7);
        let (head, proof) = of(2, 8).pass(0).greeting();
        assert_eq!(own.admit(head, &proof), Admitted::Refused);
        assert!(!own.is_early(of(2, 8).pass(0).head(1)));
        let job = Job { size: MOST + 1, ..*MockHost::leak("x").handle().job() };
        assert!(Admission::new(&job, "x").is_err());
        let job = Job { rank: 2, size: 3, secret: [7; 16], ..job };
        let (head, proof) = Admission::new(&job, "y").unwrap().pass(0).greeting();
        assert_eq!(own.admit(head, &proof), Admitted::Refused);
    }
}
