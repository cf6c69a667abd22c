//! The component's life, and the functions of the contract.

use std::ffi::c_void;
use std::sync::Arc;

use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{ERR_PROTOCOL, ERR_RESOURCES};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Outcome, Registrar};
use cairn_framework::frameworks::smsc::{Smsc, SmscTicket};
use cairn_segment::{Options, Segment};

use crate::lane::{Geometry, LANES, Lanes, Plan};
use crate::params::Params;
use crate::transfer::Transfer;

struct Ring {
    host: HostHandle,
    priority: i32,
    /// For what this process reads.
    own: Arc<Lanes>,
}

/// Another process: the lanes in which it reads what we serve.
struct Reader(Arc<Lanes>);

fn short(error: cairn_segment::Error) -> Failure {
    Failure::new(ERR_RESOURCES, error.to_string())
}

impl Component for Ring {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let geometry = Geometry { slots: params.slots(), chunk: params.chunk() };
        // SAFETY: the host keeps the string as long as the process lives.
        let job = unsafe { cairn_framework::text::copy(host.job().id) };
        let segment = Segment::create(&Options {
            name: &format!("{job}-ring"),
            len: geometry.len(),
            backing: params.backing(),
            peers: host.job().local_size.saturating_sub(1),
        })
        .map_err(short)?;
        geometry.write(&segment).map_err(short)?;
        let own = Arc::new(Lanes::new(segment, geometry));
        host.card_put(own.card())?;
        Ok(Self { host, priority: params.priority.get() as i32, own })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Smsc for Ring {
    type Peer = Reader;
    type Transfer = Transfer;

    fn peer_open(&self, view: &Peer) -> Result<Reader, Failure> {
        let segment = Segment::attach(self.host.card_get(view.rank)?)
            .map_err(|error| Failure::unavailable(error.to_string()))?;
        let geometry = Geometry::read(&segment).map_err(|why| Failure::new(ERR_PROTOCOL, why))?;
        Ok(Reader(Arc::new(Lanes::new(segment, geometry))))
    }

    unsafe fn fetch(
        &self,
        _peer: &Reader,
        _remote: u64,
        buffer: *mut c_void,
        len: usize,
        ticket: &mut SmscTicket,
    ) -> Result<Option<Transfer>, Failure> {
        let Some(lane) = self.own.take().map_err(short)? else { return Ok(None) };
        let chunk = Plan::chunk_for(len, self.own.geometry);
        *ticket = Plan { lane: lane.0, chunk }.ticket();
        Ok(Some(Transfer::reader(&self.own, lane, buffer.cast(), len, chunk)))
    }

    unsafe fn serve(
        &self,
        peer: &Reader,
        ticket: &SmscTicket,
        buffer: *const c_void,
        len: usize,
    ) -> Result<Option<Transfer>, Failure> {
        let lanes = &peer.0;
        let Some(plan) = Plan::parse(ticket, lanes.geometry) else {
            let text = format!("a ticket for one of {LANES} lanes is not in order");
            return Err(Failure::new(ERR_PROTOCOL, text));
        };
        let lane = lanes.lane(plan.lane as usize).map_err(short)?;
        Ok(Some(Transfer::owner(lanes, lane, buffer.cast(), len, plan.chunk)))
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
    use cairn_framework::mock::MockHost;

    use super::*;

    /// Reader and owner are the same process, which the component can't tell.
    fn subject(params: &[(&str, &str)]) -> (Ring, Reader) {
        let mock = MockHost::leak("smsc_ring");
        for (name, value) in params {
            mock.set(name, value);
        }
        let ring: Ring = mock.open().unwrap();
        let peer = Peer {
            struct_size: size_of::<Peer>() as u32,
            rank: 0,
            job: 0,
            flags: 0,
            node: 0,
            route_count: 0.into(),
            routes: std::cell::UnsafeCell::new(std::ptr::null()),
            pml: std::ptr::null_mut(),
        };
        let reader = ring.peer_open(&peer).unwrap();
        (ring, reader)
    }

    /// Begins a transfer on both sides.
    fn begin(ring: &Ring, reader: &Reader, from: &[u8], to: &mut [u8]) -> [Transfer; 2] {
        let mut ticket = SmscTicket::default();
        // SAFETY: the slices outlive the transfers.
        unsafe {
            let fetch = ring.fetch(reader, 0, to.as_mut_ptr().cast(), to.len(), &mut ticket);
            let serve = ring.serve(reader, &ticket, from.as_ptr().cast(), from.len());
            [fetch.unwrap().unwrap(), serve.unwrap().unwrap()]
        }
    }

    #[test]
    fn transfers_of_every_size_arrive_whole() {
        let small: &[(&str, &str)] = &[("chunk", "4k"), ("slots", "2")];
        for params in [&[][..], small] {
            let (ring, reader) = subject(params);
            for len in [1, 2, 4095, 4096, 4097, 65_536, 100_001, 3_000_000] {
                let from: Vec<u8> = (0..len).map(|i: usize| (i * 7 + i / 251) as u8).collect();
                let mut to = vec![0; len];
                let [mut read, mut serve] = begin(&ring, &reader, &from, &mut to);
                assert_eq!(ring.advance(&mut read), Ok(Outcome::Nothing));
                let (mut served, mut turns) = (false, 0);
                loop {
                    served = served || ring.advance(&mut serve).unwrap() == Outcome::Done;
                    if ring.advance(&mut read).unwrap() == Outcome::Done {
                        break;
                    }
                    turns += 1;
                    assert!(turns < 10_000);
                }
                assert!(served);
                assert_eq!(to, from);
            }
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
    fn lanes_run_out_and_come_back_unless_given_up() {
        let (ring, reader) = subject(&[]);
        let (from, mut to) = (vec![5u8; 100], vec![0u8; 100]);
        let mut ticket = SmscTicket::default();
        let mut fetch = || {
            // SAFETY: the buffer outlives the transfers.
            unsafe { ring.fetch(&reader, 0, to.as_mut_ptr().cast(), 100, &mut ticket) }.unwrap()
        };
        let open: Vec<Transfer> = (0..LANES).map(|_| fetch().unwrap()).collect();
        assert!(fetch().is_none());
        drop(open);
        assert!(fetch().is_none(), "a lane that was given up is used again");

        let (ring, reader) = subject(&[]);
        let mut to = vec![0; 100];
        for _ in 0..3 * LANES {
            let [mut read, mut serve] = begin(&ring, &reader, &from, &mut to);
            assert_eq!(ring.advance(&mut serve), Ok(Outcome::Done));
            assert_eq!(ring.advance(&mut read), Ok(Outcome::Done));
        }
    }

    #[test]
    fn counts_that_can_not_be_end_the_transfer() {
        let (ring, reader) = subject(&[]);
        let (from, mut to) = (vec![5u8; 1 << 20], vec![0u8; 1 << 20]);
        let [mut read, mut serve] = begin(&ring, &reader, &from, &mut to);
        let lane = reader.0.lane(0).unwrap();
        // SAFETY: the lane is reserved.
        let counts = unsafe { &*lane.counts };
        counts.filled.0.store(u64::MAX, std::sync::atomic::Ordering::Release);
        assert_eq!(ring.advance(&mut read).unwrap_err().status, ERR_PROTOCOL);
        counts.drained.0.store(1, std::sync::atomic::Ordering::Release);
        assert_eq!(ring.advance(&mut serve).unwrap_err().status, ERR_PROTOCOL);
        let wrong = SmscTicket { len: 8, reserved: 0, data: [0xff; 24] };
        // SAFETY: nothing is read of a ticket that is not in order.
        let served = unsafe { ring.serve(&reader, &wrong, from.as_ptr().cast(), from.len()) };
        assert_eq!(served.err().map(|failure| failure.status), Some(ERR_PROTOCOL));
    }
}
