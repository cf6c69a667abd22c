//! The parts of a communicator: the ranks of each node, and the leaders.

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::status::ERR_TRUNCATED;
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::coll::{COLL_LOST, COLL_PASS_ON, CollArgs, Part};
use cairn_framework::frameworks::pml::PmlHandle;
use cairn_schedule::told::{Told, keep_first, lost};

use crate::layout::Layout;

/// What a process has of both levels.
pub struct Levels {
    pub layout: Layout,
    /// The ranks of its node, if it is not alone there.
    node: Option<Part>,
    /// The leaders, if it is one.
    leaders: Option<Part>,
}

impl Levels {
    /// Makes the parts: all processes have them, or all fail.
    ///
    /// # Safety
    /// As for [`Part::make`], in an operation of the communicator with the tag.
    pub unsafe fn make(
        host: HostHandle,
        pml: &PmlHandle,
        comm: &Comm,
        tag: i32,
    ) -> Result<Self, Failure> {
        let layout = Layout::of(comm);
        let mates = layout.mates();
        // SAFETY: promised by the caller.
        let part = |ranks: &[u32]| unsafe { Part::make(host, comm, ranks, tag) };
        let node = (mates.len() > 1).then(|| part(mates)).transpose();
        // Also where the first failed: other leaders wait.
        let leaders = (mates[0] == comm.rank).then(|| part(&layout.leaders())).transpose();
        let mut well = Ok(());
        keep_first(&mut well, node.as_ref().map(drop).map_err(Clone::clone));
        keep_first(&mut well, leaders.as_ref().map(drop).map_err(Clone::clone));
        Told { pml, comm, tag }.barrier(well)?;
        Ok(Self { layout, node: node?, leaders: leaders? })
    }
}

/// An operation of operations.
pub struct Course<'a> {
    pub levels: &'a Levels,
    /// Why this process can't go on. It takes part in what follows all the same, because others wait.
    lost: Option<Failure>,
    /// Data had no room.
    truncated: Option<Failure>,
}

impl<'a> Course<'a> {
    /// At its beginning. `is_lost`: an operation before failed.
    pub fn new(levels: &'a Levels, is_lost: bool) -> Self {
        Self { levels, lost: is_lost.then(lost), truncated: None }
    }

    /// Whether this process is alone on its node.
    pub fn is_alone(&self) -> bool {
        self.levels.node.is_none()
    }

    /// Whether it is the first of its node.
    pub fn leads(&self) -> bool {
        self.levels.leaders.is_some()
    }

    /// Whether it can't go on.
    pub fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Whether data had no room.
    pub fn is_truncated(&self) -> bool {
        self.truncated.is_some()
    }

    /// Runs an operation on this rank's node, if there are others.
    ///
    /// # Safety
    /// As for [`Part::run`].
    pub unsafe fn in_node(&mut self, args: CollArgs) {
        // SAFETY: promised by the caller.
        unsafe { self.run(self.levels.node.as_ref(), args) };
    }

    /// Runs an operation of the leaders, if this rank is one.
    ///
    /// # Safety
    /// As for [`Part::run`].
    pub unsafe fn between(&mut self, args: CollArgs) {
        // SAFETY: promised by the caller.
        unsafe { self.run(self.levels.leaders.as_ref(), args) };
    }

    unsafe fn run(&mut self, part: Option<&Part>, args: CollArgs) {
        let Some(part) = part else { return };
        let flags = COLL_PASS_ON | if self.is_lost() { COLL_LOST } else { 0 };
        // SAFETY: promised by the caller.
        self.note(unsafe { part.run(&CollArgs { flags, ..args }) });
    }

    /// Keeps a failure.
    pub fn note(&mut self, result: Result<(), Failure>) {
        if let Err(failure) = result {
            let is_truncated = failure.status == ERR_TRUNCATED;
            let place = if is_truncated { &mut self.truncated } else { &mut self.lost };
            place.get_or_insert(failure);
        }
    }

    /// What came of all.
    pub fn end(self) -> Result<(), Failure> {
        self.lost.or(self.truncated).map_or(Ok(()), Err)
    }
}
