//! Making the board that all processes of a communicator share, or agreeing that there is none.

use cairn_framework::abi::host::LOG_INFO;
use cairn_framework::author::{Failure, HostHandle};
use cairn_segment::{Backing, CARD_LEN, HEADER, Options, Segment};

use crate::board::Board;
use crate::links::{Operation, keep_first, lost};

/// A board in memory that all processes of the communicator have mapped.
pub struct Shared(Segment);

impl Shared {
    /// Bytes of the segment.
    const LEN: usize = HEADER + size_of::<Board>();

    pub fn board(&self) -> &Board {
        // SAFETY: the front is long enough, which `attach` checks, it begins
        // with a page and the header keeps the alignment; zero is a board, and all fields are atomic.
        unsafe { &*self.0.front().add(HEADER).cast::<Board>() }
    }

    fn create(job: &str, peers: u32) -> Result<Self, cairn_segment::Error> {
        const { assert!(HEADER.is_multiple_of(align_of::<Board>())) };
        let options = Options {
            name: &format!("{job}-coll"),
            len: Self::LEN,
            front: Self::LEN,
            backing: Backing::Memory,
            peers,
        };
        Segment::create(&options).map(Self)
    }

    fn attach(card: &[u8]) -> Result<Self, cairn_segment::Error> {
        let segment = Segment::attach(card)?;
        match segment.front_len() >= Self::LEN {
            true => Ok(Self(segment)),
            false => Err(cairn_segment::Error::Card("it has no room for a board".into())),
        }
    }

    /// All have it: no descriptor is needed any more.
    fn agreed(mut self) -> Self {
        self.0.close_file();
        self
    }
}

/// What became of a board.
const NONE: u8 = 0;
const ALL_HAVE_IT: u8 = 1;
/// A process has died.
const LOST: u8 = 2;

/// Called by all processes of the communicator. All get a board, or none does; all fail, if one of them has
/// died.
///
/// Rank 0 makes it and sends its card, an empty one if it can't; the others try and answer; rank 0
/// tells them what came of it.
pub fn share(host: HostHandle, operation: &Operation<'_>) -> Result<Option<Shared>, Failure> {
    let note = |error: cairn_segment::Error| {
        host.log(LOG_INFO, || format!("barriers go on with messages: {error}"));
    };
    let (rank, size) = (operation.comm.rank, operation.comm.remote_size);
    if rank != 0 {
        let mut card = [0; CARD_LEN];
        operation.receive(0, &mut card)?;
        let own = Shared::attach(&card).map_err(note).ok();
        operation.send(0, &[own.is_some().into()])?;
        let mut answer = [NONE];
        operation.receive(0, &mut answer)?;
        return match answer {
            [ALL_HAVE_IT] => Ok(own.map(Shared::agreed)),
            [LOST] => Err(lost()),
            _ => Ok(None),
        };
    }
    // SAFETY: the host keeps the string as long as the process lives.
    let job = unsafe { cairn_framework::text::copy(host.job().id) };
    let own = Shared::create(&job, size - 1).map_err(note).ok();
    let card = own.as_ref().map_or([0; CARD_LEN], |own| *own.0.card());
    // The others wait for us, whichever of them has died.
    let (mut result, mut agreed) = (Ok(()), own.is_some());
    for peer in 1..size {
        keep_first(&mut result, operation.send(peer, &card));
    }
    for peer in 1..size {
        let mut has_it = [0];
        keep_first(&mut result, operation.receive(peer, &mut has_it));
        agreed &= has_it == [1];
    }
    let answer = match (&result, agreed) {
        (Err(_), _) => LOST,
        (Ok(()), true) => ALL_HAVE_IT,
        (Ok(()), false) => NONE,
    };
    for peer in 1..size {
        keep_first(&mut result, operation.send(peer, &[answer]));
    }
    result.map(|()| own.filter(|_| agreed).map(Shared::agreed))
}
