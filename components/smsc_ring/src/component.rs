//! The component's life, and the functions of the contract.

use std::ffi::c_void;
use std::sync::Arc;

use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_PROTOCOL, ERR_RESOURCES, ERR_UNAVAILABLE};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::smsc::{Smsc, SmscTicket};
use cairn_segment::{Options, Segment};

use crate::bounce::{BOUNCE_BUFFERS, BounceBuffer, BounceBuffers, Geometry, Plan};
use crate::neighbour::Neighbour;
use crate::params::Params;
use crate::transfer::{Side, Transfer};

struct Ring {
    host: HostHandle,
    params: Params,
    /// For the transfers that this process begins.
    own: Arc<BounceBuffers>,
}

/// What the transport is told: a lack of resources may end.
fn failed(error: cairn_segment::Error) -> Failure {
    let status = if error.is_shortage() { ERR_RESOURCES } else { ERR_UNAVAILABLE };
    Failure::new(status, error.to_string())
}

impl Component for Ring {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let geometry = params.geometry(host.job());
        // SAFETY: the host keeps the string as long as the process lives.
        let job = unsafe { cairn_framework::text::copy(host.job().id) };
        let segment = Segment::create(&Options {
            name: &format!("{job}-ring"),
            len: geometry.len(),
            front: geometry.front(),
            backing: params.backing(),
            peers: host.job().local_size.saturating_sub(1),
        })
        .map_err(|error| Failure::new(ERR_RESOURCES, error.to_string()))?;
        geometry.write(&segment);
        let own = Arc::new(BounceBuffers::own(segment, geometry));
        host.card_put(own.card())?;
        Ok(Self { host, params, own })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.params.priority.get() as i32)
    }
}

impl Ring {
    /// This process's side of a transfer over a bounce buffer of the neighbour's.
    fn join(
        side: Side,
        neighbour: &Arc<Neighbour>,
        ticket: &SmscTicket,
        buffer: *mut c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        let began = if side == Side::Owner { Side::Reader } else { Side::Owner };
        let Some(plan) = Plan::parse(ticket, neighbour.bounces.geometry, began) else {
            let text =
                format!("a ticket for one of {BOUNCE_BUFFERS} bounce buffers is not in order");
            return Err(Failure::new(ERR_PROTOCOL, text));
        };
        let bounce: BounceBuffer =
            neighbour.bounces.bounce(plan.bounce as usize).map_err(failed)?;
        if side == Side::Owner {
            // SAFETY: the bounce buffer is mapped.
            let counts = unsafe { &*bounce.counts };
            if !counts.join(plan.number) {
                return Err(Failure::unavailable("the reader has given it up"));
            }
            if !neighbour.served.begin(plan.bounce) {
                let text = format!("bounce buffer {} is served already", plan.bounce);
                return Err(Failure::new(ERR_PROTOCOL, text));
            }
        }
        Ok(Some(Transfer::new(side, (None, bounce), neighbour, plan, buffer.cast(), len)))
    }

    /// This process's side of a transfer over a bounce buffer of its own, or `None` when there is none now.
    fn begin(
        &self,
        side: Side,
        neighbour: &Arc<Neighbour>,
        ticket: &mut SmscTicket,
        buffer: *mut c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        let planned =
            neighbour.plan(&self.own, side, len, self.params.streaming()).map_err(failed)?;
        let Some((plan, bounce)) = planned else { return Ok(None) };
        *ticket = plan.ticket(side);
        Ok(Some(Transfer::new(
            side,
            (Some(&self.own), bounce),
            neighbour,
            plan,
            buffer.cast(),
            len,
        )))
    }
}

impl Smsc for Ring {
    type Peer = Arc<Neighbour>;
    type Transfer = Transfer;

    fn peer_open(&self, view: &Peer) -> Result<Arc<Neighbour>, Failure> {
        let segment = Segment::attach(self.host.card_get(view.rank)?).map_err(failed)?;
        let geometry = Geometry::read(&segment).map_err(|why| Failure::new(ERR_PROTOCOL, why))?;
        Ok(Arc::new(Neighbour::new(view, BounceBuffers::others(segment, geometry))))
    }

    unsafe fn fetch(
        &self,
        peer: &Arc<Neighbour>,
        _remote: u64,
        buffer: *mut c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Transfer>, Failure> {
        self.begin(Side::Reader, peer, ticket, buffer, len)
    }

    unsafe fn serve(
        &self,
        peer: &Arc<Neighbour>,
        ticket: &SmscTicket,
        buffer: *const c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        Self::join(Side::Owner, peer, ticket, buffer.cast_mut(), len)
    }

    unsafe fn offer(
        &self,
        peer: &Arc<Neighbour>,
        buffer: *const c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Transfer>, Failure> {
        let Some(mut transfer) = self.begin(Side::Owner, peer, ticket, buffer.cast_mut(), len)?
        else {
            return Ok(None);
        };
        transfer.begin()?;
        Ok(Some(transfer))
    }

    unsafe fn accept(
        &self,
        peer: &Arc<Neighbour>,
        ticket: &SmscTicket,
        buffer: *mut c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        Self::join(Side::Reader, peer, ticket, buffer, len)
    }

    fn advance(&self, transfer: &mut Transfer) -> Result<Outcome, Failure> {
        transfer.advance()
    }
}

cairn_framework::component! {
    framework: smsc,
    component: Ring,
    name: "ring",
    description: "both processes copy at once, through slots that stay in the cache",
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use cairn_framework::frameworks::smsc::SMSC_MAX_OFFER;
    use cairn_framework::mock::MockHost;

    use super::*;

    /// Reader and owner are the same process, which the component can't tell.
    fn subject(params: &[(&str, &str)]) -> (Ring, Arc<Neighbour>) {
        let mock = MockHost::leak("smsc_ring");
        for (name, value) in params {
            mock.set(name, value);
        }
        let ring: Ring = mock.open().unwrap();
        let reader = ring.peer_open(view()).unwrap();
        (ring, reader)
    }

    /// A peer, as the host has it.
    fn view() -> &'static Peer {
        Box::leak(Box::new(Peer {
            struct_size: size_of::<Peer>() as u32,
            rank: 0,
            job: 0,
            flags: 0.into(),
            node: 0,
            route_count: 0.into(),
            routes: std::cell::UnsafeCell::new(std::ptr::null()),
            pml: std::ptr::null_mut(),
        }))
    }

    /// Another process that has the same segment.
    fn another(ring: &Ring, view: &Peer) -> Arc<Neighbour> {
        let segment = Segment::attach(ring.own.card()).unwrap();
        Arc::new(Neighbour::new(view, BounceBuffers::others(segment, ring.own.geometry)))
    }

    /// Begins a read.
    fn fetch(ring: &Ring, peer: &Arc<Neighbour>, to: &mut [u8]) -> Option<(Transfer, SmscTicket)> {
        let mut ticket = SmscTicket::default();
        // SAFETY: the test keeps the buffer as long as the transfer.
        let fetch = unsafe { ring.fetch(peer, 0, to.as_mut_ptr().cast(), to.len(), &mut ticket) };
        Some((fetch.unwrap()?, ticket))
    }

    /// The owner's side of it.
    fn serve(
        ring: &Ring,
        peer: &Arc<Neighbour>,
        ticket: &SmscTicket,
        from: &[u8],
    ) -> Result<Transfer, i32> {
        // SAFETY: as above.
        let serve = unsafe { ring.serve(peer, ticket, from.as_ptr().cast(), from.len()) };
        serve.map(Option::unwrap).map_err(|failure| failure.status)
    }

    /// Begins a transfer on both sides.
    fn begin(ring: &Ring, reader: &Arc<Neighbour>, from: &[u8], to: &mut [u8]) -> [Transfer; 2] {
        let mut ticket = SmscTicket::default();
        // SAFETY: the slices outlive the transfers.
        unsafe {
            let fetch = ring.fetch(reader, 0, to.as_mut_ptr().cast(), to.len(), &mut ticket);
            let serve = ring.serve(reader, &ticket, from.as_ptr().cast(), from.len());
            [fetch.unwrap().unwrap(), serve.unwrap().unwrap()]
        }
    }

    /// The same, begun by the owner.
    fn offer(ring: &Ring, peer: &Arc<Neighbour>, from: &[u8], to: &mut [u8]) -> [Transfer; 2] {
        let mut ticket = SmscTicket::default();
        // SAFETY: the slices outlive the transfers.
        unsafe {
            let offer = ring.offer(peer, from.as_ptr().cast(), from.len(), &mut ticket);
            assert!(ticket.len as usize <= SMSC_MAX_OFFER);
            let accept = ring.accept(peer, &ticket, to.as_mut_ptr().cast(), to.len());
            [accept.unwrap().unwrap(), offer.unwrap().unwrap()]
        }
    }

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|i: usize| (i * 7 + i / 251) as u8).collect()
    }

    /// Advances both sides in turn until the reader is done.
    fn finish(ring: &Ring, read: &mut Transfer, owner: &mut Transfer) {
        let (mut served, mut turns) = (false, 0);
        loop {
            served = served || ring.advance(owner).unwrap() == Outcome::Done;
            if ring.advance(read).unwrap() == Outcome::Done {
                return;
            }
            turns += 1;
            assert!(turns < 10_000);
        }
    }

    const SIZES: [usize; 9] = [1, 2, 4095, 4096, 4097, 65_536, 100_001, 299_999, 3_000_000];

    #[test]
    fn transfers_of_every_size_arrive_whole_whichever_side_begins() {
        let small: &[(&str, &str)] = &[("chunk", "4k"), ("slots", "2")];
        for params in [&[][..], small, &[("streaming", "always")], &[("streaming", "never")]] {
            let (ring, peer) = subject(params);
            // Twice, so that each way of filling slots has its turn.
            for len in SIZES.into_iter().chain(SIZES) {
                let (from, mut to) = (bytes(len), vec![0; len]);
                let [mut read, mut owner] = begin(&ring, &peer, &from, &mut to);
                assert_eq!(ring.advance(&mut read), Ok(Outcome::Nothing));
                finish(&ring, &mut read, &mut owner);
                drop((read, owner));
                assert_eq!(to, from);

                to.fill(0);
                let [mut read, mut owner] = offer(&ring, &peer, &from, &mut to);
                // The first piece is there before the owner does anything more.
                assert_ne!(ring.advance(&mut read), Ok(Outcome::Nothing));
                finish(&ring, &mut read, &mut owner);
                drop((read, owner));
                assert_eq!(to, from);
            }
            assert!(!peer.is_busy());
        }
    }

    /// What was written last lies in the reader's cache.
    #[test]
    fn a_transfer_begins_behind_the_one_before_and_comes_around() {
        let walk = |params: &[(&str, &str)], len: usize| {
            let (ring, peer) = subject(params);
            let starts = (0..200).map(|_| {
                let mut to = vec![0; len];
                let (_read, ticket) = fetch(&ring, &peer, &mut to).unwrap();
                let plan = Plan::parse(&ticket, ring.own.geometry, Side::Reader).unwrap();
                // SAFETY: the bounce buffer is reserved.
                let counts = unsafe { &*ring.own.bounce(plan.bounce as usize).unwrap().counts };
                (plan.bounce, counts.start() * u64::from(plan.chunk))
            });
            let mut starts: Vec<_> = starts.collect();
            starts.sort_unstable();
            starts.dedup();
            starts.len()
        };
        // Four bounce buffers of a MiB each.
        assert_eq!(walk(&[], 64 << 10), 64);
        assert_eq!(walk(&[("memory", "0")], 64 << 10), 16);
        // Ten chunks of 32 KiB each: every second slot of the 32.
        assert_eq!(walk(&[], 300 << 10), 64);
    }

    #[test]
    fn a_reader_may_want_less_than_was_offered_or_nothing() {
        let (ring, peer) = subject(&[]);
        let from = bytes(2_000_000);
        for wanted in [1, 5000, 32 << 10, 100_000, 1_999_999] {
            let mut to = vec![0; wanted];
            let [mut read, mut owner] = offer(&ring, &peer, &from, &mut to);
            finish(&ring, &mut read, &mut owner);
            drop(read);
            // The owner does not touch what the reader does not want: its memory may be gone.
            let all = wanted > 1_999_000;
            let after = if all { Outcome::Done } else { Outcome::Nothing };
            assert_eq!(ring.advance(&mut owner), Ok(after));
            drop(owner);
            assert_eq!(to, from[..wanted]);
        }
        // More often than there are bounce buffers: each comes back.
        for _ in 0..2 * BOUNCE_BUFFERS {
            let mut ticket = SmscTicket::default();
            // SAFETY: the slice outlives the transfer.
            let offer = unsafe { ring.offer(&peer, from.as_ptr().cast(), from.len(), &mut ticket) };
            let mut offer = offer.unwrap().unwrap();
            assert_eq!(ring.advance(&mut offer), Ok(Outcome::Nothing));
        }
    }

    #[test]
    fn both_sides_at_once() {
        let (ring, reader) = subject(&[]);
        let from: Vec<u8> = (0..20_000_000usize).map(|i| (i ^ (i >> 9)) as u8).collect();
        let mut to = vec![0; from.len()];
        let [mut read, mut serve] = begin(&ring, &reader, &from, &mut to);
        std::thread::scope(|scope| {
            scope.spawn(|| while ring.advance(&mut serve).unwrap() != Outcome::Done {});
            while ring.advance(&mut read).unwrap() != Outcome::Done {}
        });
        assert_eq!(to, from);
    }

    #[test]
    fn bounce_buffers_run_out_and_come_back() {
        let (ring, reader) = subject(&[]);
        let mut to = vec![0u8; 100];
        // One peer gets its share of the bounce buffers only.
        let open: Vec<_> = std::iter::from_fn(|| fetch(&ring, &reader, &mut to)).collect();
        assert!((2..BOUNCE_BUFFERS).contains(&open.len()));
        drop(open);
        for _ in 0..3 * BOUNCE_BUFFERS {
            let [mut read, mut serve] = begin(&ring, &reader, &[5; 100], &mut to);
            assert_eq!(ring.advance(&mut serve), Ok(Outcome::Done));
            assert_eq!(ring.advance(&mut read), Ok(Outcome::Done));
        }
    }

    /// More often than there are bounce buffers, and each time a whole transfer is possible afterwards.
    #[test]
    fn a_read_that_is_given_up_costs_no_bounce_buffer_whatever_its_owner_was_doing() {
        let (ring, peer) = subject(&[]);
        let (from, mut to, mut other) = (bytes(1 << 20), vec![0; 1 << 20], vec![0; 1 << 20]);
        let whole = |to: &mut [u8]| {
            to.fill(0);
            let [mut read, mut owner] = begin(&ring, &peer, &from, to);
            finish(&ring, &mut read, &mut owner);
            assert_eq!(to, from);
        };
        for round in 0..2 * BOUNCE_BUFFERS {
            // The owner never hears of it, and a ticket that comes late opens nothing.
            let (read, ticket) = fetch(&ring, &peer, &mut to).expect("a bounce buffer");
            drop(read);
            assert_eq!(serve(&ring, &peer, &ticket, &from).err(), Some(ERR_UNAVAILABLE));
            // It refuses, having begun.
            let [read, mut owner] = begin(&ring, &peer, &from, &mut to);
            let _ = ring.advance(&mut owner);
            drop(owner);
            drop(read);
            // It writes when the reader gives up: it leaves when it sees that, and until then the
            // bounce buffer is given to no other transfer.
            let [mut read, mut owner] = begin(&ring, &peer, &from, &mut to);
            let _ = ring.advance(&mut owner);
            if round % 2 == 0 {
                let _ = ring.advance(&mut read);
            }
            drop(read);
            whole(&mut other);
            let second = fetch(&ring, &peer, &mut other).expect("its other bounce buffer");
            assert!(fetch(&ring, &peer, &mut to).is_none(), "one is lent");
            assert_eq!(ring.advance(&mut owner), Ok(Outcome::Done), "it leaves");
            drop(owner);
            drop(second);
            whole(&mut other);
        }
        assert!(!peer.is_busy());
    }

    #[test]
    fn a_bounce_buffer_of_a_dead_owner_comes_back() {
        use cairn_framework::abi::peer::PEER_FAILED;
        let (ring, _) = subject(&[]);
        let (from, mut to) = (bytes(1 << 20), vec![0; 1 << 20]);
        for round in 0..2 * BOUNCE_BUFFERS {
            let view = view();
            let peer = another(&ring, view);
            let [read, mut owner] = begin(&ring, &peer, &from, &mut to);
            let _ = ring.advance(&mut owner);
            // Killed: it says no word any more.
            std::mem::forget(owner);
            if round % 2 == 0 {
                view.flags.store(PEER_FAILED, Ordering::Relaxed);
            }
            drop(read);
            view.flags.store(PEER_FAILED, Ordering::Relaxed);
        }
        let peer = another(&ring, view());
        let open: Vec<_> = std::iter::from_fn(|| fetch(&ring, &peer, &mut to)).collect();
        assert_eq!(open.len(), 2);
    }

    #[test]
    fn offers_leave_bounce_buffers_for_reads() {
        let (ring, first) = subject(&[]);
        let (from, mut to) = (vec![5u8; 100], vec![0u8; 100]);
        let mut ticket = SmscTicket::default();
        // As many processes as want something.
        let others = (0..BOUNCE_BUFFERS).map(|_| another(&ring, view()));
        let peers: Vec<_> = std::iter::once(first).chain(others).collect();
        // SAFETY: the slices outlive the transfers.
        let mut offer = |peer| unsafe {
            ring.offer(peer, from.as_ptr().cast(), from.len(), &mut ticket).unwrap()
        };
        let offers: Vec<Transfer> = peers
            .iter()
            .flat_map(|peer| [offer(peer), offer(peer), offer(peer)])
            .flatten()
            .collect();
        assert!((2..BOUNCE_BUFFERS).contains(&offers.len()));
        for peer in &peers {
            // SAFETY: as above.
            let read = unsafe {
                ring.fetch(peer, 0, to.as_mut_ptr().cast(), to.len(), &mut ticket).unwrap()
            };
            let mut read = read.expect("a bounce buffer for a read");
            // SAFETY: as above.
            let served = unsafe { ring.serve(peer, &ticket, from.as_ptr().cast(), from.len()) };
            finish(&ring, &mut read, &mut served.unwrap().unwrap());
        }
        drop(offers);
        assert!(peers.iter().all(|peer| !peer.is_busy()));
    }

    #[test]
    fn counts_that_can_not_be_end_the_transfer() {
        let (ring, reader) = subject(&[]);
        let (from, mut to) = (vec![5u8; 1 << 20], vec![0u8; 1 << 20]);
        let [mut read, mut serve] = begin(&ring, &reader, &from, &mut to);
        let bounce = ring.own.bounce(0).unwrap();
        // SAFETY: the bounce buffer is reserved.
        let counts = unsafe { &*bounce.counts };
        counts.filled.chunks.store(u64::MAX, Ordering::Release);
        assert_eq!(ring.advance(&mut read).unwrap_err().status, ERR_PROTOCOL);
        counts.drained.chunks.store(1, Ordering::Release);
        assert_eq!(ring.advance(&mut serve).unwrap_err().status, ERR_PROTOCOL);
        let wrong = SmscTicket { len: 8, reserved: 0, data: [0xff; 24] };
        // SAFETY: nothing is read of a ticket that is not in order.
        let served = unsafe { ring.serve(&reader, &wrong, from.as_ptr().cast(), from.len()) };
        assert_eq!(served.err().map(|failure| failure.status), Some(ERR_PROTOCOL));
    }

    #[test]
    fn a_count_that_goes_back_ends_the_transfer() {
        let (said, status) = std::sync::mpsc::channel();
        // It hung, so it has a thread that the test can do without.
        std::thread::spawn(move || {
            let (ring, reader) = subject(&[]);
            let (from, mut to) = (vec![5u8; 1 << 20], vec![0u8; 1 << 20]);
            let [_read, mut serve] = begin(&ring, &reader, &from, &mut to);
            // SAFETY: the bounce buffer is reserved.
            let counts = unsafe { &*ring.own.bounce(0).unwrap().counts };
            let slots = ring.own.geometry.slots as u64;
            assert_eq!(ring.advance(&mut serve), Ok(Outcome::Queued));
            counts.drained.chunks.store(slots, Ordering::Release);
            assert_eq!(ring.advance(&mut serve), Ok(Outcome::Queued));
            counts.drained.chunks.store(slots - 1, Ordering::Release);
            let _ = said.send(ring.advance(&mut serve).map_err(|failure| failure.status));
        });
        let end = std::time::Duration::from_secs(60);
        assert_eq!(status.recv_timeout(end), Ok(Err(ERR_PROTOCOL)));
    }

    /// A reader that asks for the same bounce buffer again although it is served.
    #[test]
    fn a_bounce_buffer_is_served_once_at_a_time_whatever_its_reader_writes_there() {
        let (ring, peer) = subject(&[]);
        let (from, mut to) = (bytes(1 << 20), vec![0; 1 << 20]);
        for round in 0..2 * BOUNCE_BUFFERS {
            let (mut read, ticket) = fetch(&ring, &peer, &mut to).expect("a bounce buffer");
            let plan = Plan::parse(&ticket, ring.own.geometry, Side::Reader).unwrap();
            // SAFETY: the bounce buffer is reserved.
            let counts = unsafe { &*ring.own.bounce(plan.bounce as usize).unwrap().counts };
            let mut owner = serve(&ring, &peer, &ticket, &from).unwrap();
            for number in [plan.number, plan.number ^ 1] {
                // Only the phase says so: the rest of the transfer has not begun.
                counts.begin(number, 0, true);
                let again = Plan { number, ..plan }.ticket(Side::Reader);
                assert_eq!(serve(&ring, &peer, &again, &from).err(), Some(ERR_PROTOCOL));
            }
            counts.begin(plan.number, 0, true);
            assert!(counts.join(plan.number));
            counts.drained.asked.store(u64::MAX, Ordering::Relaxed);
            // Whether it comes to its end or is given up, the bounce buffer can be served again.
            if round % 2 == 0 {
                finish(&ring, &mut read, &mut owner);
            }
        }
    }
}
