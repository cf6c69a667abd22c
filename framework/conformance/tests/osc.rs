//! What every component that serves windows must do: several ranks in this process, each with a thread.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};

use cairn_conformance::ranks::Ranks;
use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::datatype::{
    DATATYPE_CONTIGUOUS, DATATYPE_PREDEFINED, Datatype, OP_NOTHING, OP_REPLACE, Op,
};
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::peer::{PEER_FAILED, Peer};
use cairn_framework::abi::request::{REQUEST_ONE_SIDED, Request};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, SCOPE_WINDOW, Scope};
use cairn_framework::abi::status::{DONE, ERR_PEER, ERR_UNSUPPORTED, NOTHING, OK, Status};
use cairn_framework::author::BYTES;
use cairn_framework::frameworks::osc::*;
use cairn_framework::host::Chosen;
use linked as _;

/// What the MPI layer would do for the windows of a job.
struct Layer {
    barrier: Barrier,
    gathered: Mutex<Vec<Vec<u8>>>,
}

unsafe extern "C" fn allgather(
    window: &Window,
    sent: *const c_void,
    received: *mut c_void,
    len: usize,
) -> Status {
    // SAFETY: the tests' windows; the component has room for all ranks.
    unsafe {
        let layer = &*window.object.cast::<Layer>();
        let own = std::slice::from_raw_parts(sent.cast::<u8>(), len).to_vec();
        layer.gathered.lock().unwrap()[window.comm().rank as usize] = own;
        layer.barrier.wait();
        for (rank, bytes) in layer.gathered.lock().unwrap().iter().enumerate() {
            assert_eq!(bytes.len(), len);
            received.cast::<u8>().add(rank * len).copy_from_nonoverlapping(bytes.as_ptr(), len);
        }
        layer.barrier.wait();
    }
    OK
}

unsafe extern "C" fn barrier(window: &Window, request: *mut *mut Request) -> Status {
    if !request.is_null() {
        return ERR_UNSUPPORTED;
    }
    // SAFETY: as above.
    unsafe { &*window.object.cast::<Layer>() }.barrier.wait();
    OK
}

unsafe extern "C" fn reduce_scatter(
    _: &Window,
    _: *const u64,
    _: *mut u64,
    _: usize,
    _: &mut *mut Request,
) -> Status {
    ERR_UNSUPPORTED
}

unsafe extern "C" fn keep(_: *const Datatype) {}

unsafe extern "C" fn encode(_: *const Datatype, _: *mut c_void, _: usize) -> usize {
    0
}

unsafe extern "C" fn decode(_: *const c_void, _: usize, _: &mut *const Datatype) -> Status {
    ERR_UNSUPPORTED
}

unsafe extern "C" fn no_datatype(_: u32) -> *const Datatype {
    null()
}

unsafe extern "C" fn no_op(_: u32) -> *const Op {
    null()
}

static CALLS: WindowCalls = WindowCalls {
    struct_size: size_of::<WindowCalls>() as u32,
    reserved: 0,
    allgather,
    barrier,
    reduce_scatter,
    datatype_retain: keep,
    datatype_release: keep,
    datatype_encode: encode,
    datatype_decode: decode,
    datatype_predefined: no_datatype,
    op_predefined: no_op,
};

/// As `MPI_UINT64_T`.
static LONG: Datatype = Datatype {
    flags: DATATYPE_CONTIGUOUS | DATATYPE_PREDEFINED,
    size: 8,
    extent: 8,
    true_extent: 8,
    ..BYTES
};

unsafe extern "C" fn add(
    _: *const Op,
    input: *const c_void,
    inout: *mut c_void,
    count: u64,
    _: *const Datatype,
) {
    for at in 0..count as usize {
        // SAFETY: integers of `LONG`.
        unsafe { *inout.cast::<u64>().add(at) += *input.cast::<u64>().add(at) };
    }
}

const fn op(flags: u32) -> Op {
    Op {
        struct_size: size_of::<Op>() as u32,
        flags,
        predefined: 0,
        reserved: 0,
        apply: Some(add),
        object: null_mut(),
    }
}

static SUM: Op = op(0);
static REPLACE: Op = op(OP_REPLACE);
static NO_OP: Op = op(OP_NOTHING);

/// A rank of a job.
struct Rank<'a> {
    rank: u32,
    ranks: &'a Ranks,
    layer: &'a Layer,
    osc: &'a Chosen<OscOps>,
    peers: Vec<*mut Peer>,
}

/// A window of a rank, with the functions of its component as methods.
struct Win<'a> {
    on: &'a Rank<'a>,
    window: Box<Window>,
    _comm: Box<Comm>,
    _remotes: Vec<WindowRemote>,
    state: *mut c_void,
}

macro_rules! osc {
    ($chosen:expr, $function:ident($($argument:expr),*)) => {{
        // SAFETY: the host completes tables; the tests' arguments are what the contract says.
        unsafe { ($chosen.ops.$function.unwrap())($chosen.instance, $($argument),*) }
    }};
}

/// Runs `work` as each of the ranks of a job on one node.
fn run(count: u32, work: impl Fn(&Rank<'_>) + Sync) {
    let mca = [("btl", "self,sm"), ("osc", "sm")];
    let ranks = Ranks::start(count, THREAD_MULTIPLE, &mca, |_, _| ()).unwrap();
    let scope = Scope::new(SCOPE_PROCESS, 0, count, c"process");
    let oscs: Vec<Chosen<OscOps>> = (0..count)
        .map(|rank| {
            let system = ranks.system(rank);
            system.start_engines().unwrap();
            system.select_one(&scope).unwrap()
        })
        .collect();
    let layer = Layer {
        barrier: Barrier::new(count as usize),
        gathered: Mutex::new(vec![Vec::new(); count as usize]),
    };
    std::thread::scope(|threads| {
        for (rank, osc) in (0..count).zip(&oscs) {
            let (ranks, layer, work) = (&ranks, &layer, &work);
            threads.spawn(move || {
                let peers = (0..count).map(|peer| ranks.system(rank).peer(peer).unwrap()).collect();
                let rank = Rank { rank, ranks, layer, osc, peers };
                if catch_unwind(AssertUnwindSafe(|| work(&rank))).is_err() {
                    // The others would wait for ever.
                    std::process::exit(101);
                }
            });
        }
    });
    ranks.close();
}

impl Rank<'_> {
    fn size(&self) -> u32 {
        self.ranks.count()
    }

    /// Opens a window of so many integers in each rank; `None` if the component declines.
    fn window(
        &self,
        flavor: u32,
        flags: u32,
        base: *mut u64,
        lens: impl Fn(u32) -> u64,
    ) -> Option<Win<'_>> {
        let size = self.size();
        let comm = Box::new(Comm {
            scope: Scope::new(SCOPE_COMMUNICATOR, 5, size, c"of the window"),
            rank: self.rank,
            remote_size: size,
            flags: 0,
            reserved: 0,
            context: ContextId::new(0, 5),
            peers: self.peers.as_ptr(),
            contexts: null(),
        });
        let remotes: Vec<WindowRemote> = (0..size)
            .map(|rank| WindowRemote { base: 0, size: 8 * lens(rank), displacement_unit: 8 })
            .collect();
        let mut window = Box::new(Window {
            scope: Scope::new(SCOPE_WINDOW, 1, size, c"window"),
            comm: &raw const *comm,
            calls: &raw const CALLS,
            base: base.cast(),
            remotes: remotes.as_ptr(),
            flavor,
            flags,
            ordering: 0,
            unified: 0,
            alignment: 16,
            granularity: 0,
            object: std::ptr::from_ref(self.layer).cast_mut().cast(),
        });
        let mut state = null_mut();
        match osc!(self.osc, window_open(&mut window, &mut state)) {
            DONE => Some(Win { on: self, window, _comm: comm, _remotes: remotes, state }),
            NOTHING => None,
            error => panic!("window_open: {error}"),
        }
    }
}

impl Win<'_> {
    fn side(buffer: *mut u64, count: u64) -> OscSide {
        OscSide { buffer: buffer.cast(), count, datatype: &raw const LONG }
    }

    /// Does an operation on `count` integers of a target, from the one with this number on.
    fn transfer(
        &self,
        kind: u32,
        (target, at, count): (u32, u64, u64),
        (origin, result, compare): (*mut u64, *mut u64, *const u64),
        op: &Op,
    ) {
        let side = |buffer: *mut u64| match buffer.is_null() {
            true => OscSide { buffer: null_mut(), count: 0, datatype: null() },
            false => Self::side(buffer, count),
        };
        let transfer = OscTransfer {
            struct_size: size_of::<OscTransfer>() as u32,
            kind,
            target,
            reserved: 0,
            origin: side(origin),
            result: side(result),
            compare: compare.cast(),
            offset: 8 * at as i64,
            target_count: count,
            target_datatype: &raw const LONG,
            op,
        };
        let (osc, window) = (self.on.osc, &self.window);
        let mut request = null_mut();
        let status = osc!(osc, transfer(window, self.state, &transfer, &raw mut request));
        assert_eq!(status, OK);
        // SAFETY: a request of the component.
        unsafe {
            assert_eq!((*request).kind, REQUEST_ONE_SIDED);
            while !(*request).is_complete() {
                self.on.ranks.system(self.on.rank).progress();
            }
            ((*request).free.unwrap())(request);
        }
        assert_eq!(osc!(osc, transfer(window, self.state, &transfer, null_mut())), OK);
    }

    fn put(&self, target: u32, at: u64, values: &mut [u64]) {
        let place = (target, at, values.len() as u64);
        self.transfer(OSC_PUT, place, (values.as_mut_ptr(), null_mut(), null()), &SUM);
    }

    fn get(&self, target: u32, at: u64, count: u64) -> Vec<u64> {
        let mut found = vec![u64::MAX; count as usize];
        let sides = (null_mut(), found.as_mut_ptr(), null());
        self.transfer(OSC_GET, (target, at, count), sides, &SUM);
        self.flush(target);
        found
    }

    fn sync(&self, sync: OscSync) -> i32 {
        osc!(self.on.osc, synchronize(&self.window, self.state, &sync))
    }

    fn blank(kind: u32) -> OscSync {
        OscSync {
            struct_size: size_of::<OscSync>() as u32,
            kind,
            assertions: 0,
            target: -1,
            ranks: null(),
            rank_count: 0,
            shared: 0,
        }
    }

    fn simply(&self, kind: u32) {
        assert_eq!(self.sync(Self::blank(kind)), DONE);
    }

    fn flush(&self, target: u32) {
        let target = target as i32;
        assert_eq!(self.sync(OscSync { target, ..Self::blank(OSC_FLUSH) }), DONE);
    }

    fn lock(&self, target: u32, shared: bool) -> i32 {
        let (target, shared) = (target as i32, u32::from(shared));
        self.sync(OscSync { target, shared, ..Self::blank(OSC_LOCK) })
    }

    fn unlock(&self, target: u32) {
        let target = target as i32;
        assert_eq!(self.sync(OscSync { target, ..Self::blank(OSC_UNLOCK) }), DONE);
    }

    fn group(&self, kind: u32, ranks: &[u32]) {
        let rank_count = ranks.len() as u32;
        let sync = OscSync { ranks: ranks.as_ptr(), rank_count, ..Self::blank(kind) };
        assert_eq!(self.sync(sync), DONE);
    }

    fn base(&self, rank: u32) -> *mut u64 {
        let mut base = null_mut();
        assert_eq!(osc!(self.on.osc, shared_query(&self.window, self.state, rank, &mut base)), OK);
        base.cast()
    }

    fn close(mut self) {
        osc!(self.on.osc, window_close(&mut self.window, self.state));
    }
}

/// Windows of every flavor that the component serves, 100 integers a rank, each passed to `work`.
fn windows(rank: &Rank<'_>, work: impl Fn(&Win<'_>)) {
    let kinds = [
        (WINDOW_ALLOCATE, 0),
        (WINDOW_SHARED, 0),
        (WINDOW_SHARED, WINDOW_NONCONTIGUOUS),
        (WINDOW_CREATE, 0),
    ];
    for (flavor, flags) in kinds {
        let mut base = null_mut();
        if flavor == WINDOW_CREATE {
            assert_eq!(osc!(rank.osc, memory_allocate(800, 8192, &mut base)), OK);
            assert!(base.addr().is_multiple_of(8192));
        }
        let window = rank.window(flavor, flags, base.cast(), |_| 100).expect("it serves it");
        assert_eq!(window.window.unified, 1);
        assert!(flavor != WINDOW_CREATE || window.window.base == base);
        assert_eq!(window.base(rank.rank), window.window.base.cast());
        work(&window);
        window.close();
        if flavor == WINDOW_CREATE {
            osc!(rank.osc, memory_free(base));
        }
    }
}

#[test]
fn what_is_put_between_fences_is_there() {
    run(3, |rank| {
        windows(rank, |window| {
            let size = rank.size();
            for round in 0..20_u64 {
                window.simply(OSC_FENCE);
                for target in 0..size {
                    let value = round * 100 + u64::from(rank.rank);
                    window.put(target, u64::from(10 * rank.rank), &mut [value; 10]);
                }
                window.simply(OSC_FENCE);
                let expected = |from: u32| round * 100 + u64::from(from);
                for from in 0..size {
                    for at in 10 * from..10 * from + 10 {
                        // SAFETY: inside the window, and no operation is under way.
                        let own = unsafe { *window.window.base.cast::<u64>().add(at as usize) };
                        assert_eq!(own, expected(from));
                    }
                    let next = (rank.rank + 1) % size;
                    assert_eq!(window.get(next, u64::from(10 * from), 10), [expected(from); 10]);
                }
            }
        });
    });
}

#[test]
fn additions_are_not_lost() {
    run(3, |rank| {
        windows(rank, |window| {
            const TIMES: u64 = 200;
            let others = u64::from(rank.size());
            window.simply(OSC_FENCE);
            window.simply(OSC_LOCK_ALL);
            for _ in 0..TIMES {
                for target in 0..rank.size() {
                    let (mut ones, mut old, none) = ([1_u64; 100], [0_u64; 100], null());
                    let (ones, old) = (ones.as_mut_ptr(), old.as_mut_ptr());
                    // Each operation is done twice, with a request and without.
                    window.transfer(
                        OSC_ACCUMULATE,
                        (target, 0, 100),
                        (ones, null_mut(), none),
                        &SUM,
                    );
                    window.transfer(OSC_GET_ACCUMULATE, (target, 3, 90), (ones, old, none), &SUM);
                    window.transfer(OSC_FETCH_OP, (target, 50, 1), (ones, old, none), &SUM);
                }
            }
            window.simply(OSC_UNLOCK_ALL);
            window.simply(OSC_FENCE);
            let found = window.get((rank.rank + 1) % rank.size(), 0, 100);
            for (at, found) in found.into_iter().enumerate() {
                let each = 2 + 2 * u64::from((3..93).contains(&at)) + 2 * u64::from(at == 50);
                assert_eq!(found, each * TIMES * others, "{at}");
            }
            window.simply(OSC_FENCE);
        });
    });
}

#[test]
fn values_are_fetched_replaced_and_swapped() {
    run(2, |rank| {
        windows(rank, |window| {
            window.simply(OSC_FENCE);
            if rank.rank == 0 {
                let (mut new, mut old) = (7_u64, 0_u64);
                let sides = (&raw mut new, &raw mut old, null());
                window.transfer(OSC_FETCH_OP, (1, 99, 1), sides, &REPLACE);
                assert_eq!((old, window.get(1, 99, 1)), (7, vec![7]));
                window.transfer(
                    OSC_GET_ACCUMULATE,
                    (1, 98, 1),
                    (null_mut(), &raw mut old, null()),
                    &NO_OP,
                );
                assert_eq!(old, 0);
                for (compare, then) in [(6_u64, 7), (7, 8)] {
                    let mut new = 8_u64;
                    let sides = (&raw mut new, &raw mut old, &raw const compare);
                    window.transfer(OSC_COMPARE_SWAP, (1, 99, 1), sides, &SUM);
                    assert_eq!((old, window.get(1, 99, 1)), (then, vec![then]));
                }
            }
            window.simply(OSC_FENCE);
        });
    });
}

#[test]
fn an_exclusive_lock_is_one_s_own() {
    run(3, |rank| {
        windows(rank, |window| {
            window.simply(OSC_FENCE);
            for round in 0..100 {
                for target in 0..rank.size() {
                    assert_eq!(window.lock(target, round % 5 == 4), DONE);
                    let count = window.get(target, 0, 1)[0];
                    if round % 5 != 4 {
                        window.put(target, 0, &mut [count + 1]);
                    }
                    window.unlock(target);
                }
            }
            window.simply(OSC_FENCE);
            assert_eq!(window.get(0, 0, 1)[0], 80 * u64::from(rank.size()));
            window.simply(OSC_FENCE);
        });
    });
}

#[test]
fn epochs_of_neighbours_follow_each_other() {
    run(3, |rank| {
        windows(rank, |window| {
            let (size, me) = (rank.size(), rank.rank);
            let (next, before) = ((me + 1) % size, (me + size - 1) % size);
            for round in 0..100_u64 {
                window.group(OSC_POST, &[before]);
                window.group(OSC_START, &[next]);
                window.put(next, 5, &mut [round * 10 + u64::from(me)]);
                window.simply(OSC_COMPLETE);
                if round % 2 == 0 {
                    window.simply(OSC_WAIT);
                } else {
                    loop {
                        match window.sync(Win::blank(OSC_TEST)) {
                            DONE => break,
                            code => assert_eq!(code, NOTHING),
                        }
                    }
                }
                // SAFETY: inside the window, and no operation is under way.
                let found = unsafe { *window.window.base.cast::<u64>().add(5) };
                assert_eq!(found, round * 10 + u64::from(before));
            }
            // All to rank 0, and an epoch with no process.
            window.simply(OSC_FENCE);
            if me == 0 {
                window.group(OSC_POST, &[1, 2]);
                window.simply(OSC_WAIT);
                assert_eq!(window.get(0, 7, 3), [0, 1, 2]);
                window.group(OSC_POST, &[]);
                window.simply(OSC_WAIT);
            } else {
                window.group(OSC_START, &[0]);
                window.put(0, 7 + u64::from(me), &mut [u64::from(me)]);
                window.simply(OSC_COMPLETE);
            }
        });
    });
}

#[test]
fn shared_memory_lies_one_behind_the_other() {
    run(3, |rank| {
        let lens = |rank: u32| [3, 0, 1000][rank as usize];
        let window = rank.window(WINDOW_SHARED, 0, null_mut(), lens).expect("it serves it");
        let bases: Vec<_> = (0..3).map(|rank| window.base(rank)).collect();
        assert_eq!(bases[1], bases[0].wrapping_add(3));
        assert_eq!(bases[2], bases[1]);
        // SAFETY: the memory of rank 2.
        unsafe { AtomicU64::from_ptr(bases[2].add(rank.rank as usize)) }
            .store(u64::from(rank.rank), Ordering::Relaxed);
        window.simply(OSC_FENCE);
        assert_eq!(window.get(2, 0, 3), [0, 1, 2]);
        window.simply(OSC_FENCE);
        window.close();
        let apart = rank.window(WINDOW_SHARED, WINDOW_NONCONTIGUOUS, null_mut(), lens).unwrap();
        assert!(apart.base(2).addr().is_multiple_of(64));
        apart.close();
        // Nothing at all.
        let none = rank.window(WINDOW_ALLOCATE, 0, null_mut(), |_| 0).unwrap();
        none.simply(OSC_FENCE);
        none.close();
    });
}

#[test]
fn what_can_not_be_mapped_is_left_to_others() {
    run(2, |rank| {
        assert!(rank.window(WINDOW_DYNAMIC, 0, null_mut(), |_| 1 << 40).is_none());
        let mut own = vec![0_u64; 100];
        assert!(rank.window(WINDOW_CREATE, 0, own.as_mut_ptr(), |_| 100).is_none());
        let mut base = null_mut();
        assert_eq!(osc!(rank.osc, memory_allocate(1 << 50, 8, &mut base)), ERR_UNSUPPORTED);
        // Only one has other memory.
        assert_eq!(osc!(rank.osc, memory_allocate(800, 8, &mut base)), OK);
        let mixed = if rank.rank == 0 { base.cast() } else { own.as_mut_ptr() };
        assert!(rank.window(WINDOW_CREATE, 0, mixed, |_| 100).is_none());
        // Of nothing everything can be mapped.
        let half = |rank: u32| if rank == 0 { 100 } else { 0 };
        let window = rank.window(WINDOW_CREATE, 0, mixed, half).expect("it serves it");
        window.simply(OSC_FENCE);
        if rank.rank == 1 {
            window.put(0, 99, &mut [5]);
        }
        window.simply(OSC_FENCE);
        assert_eq!(window.get(0, 99, 1), [5]);
        window.close();
        osc!(rank.osc, memory_free(base));
        assert!(rank.window(WINDOW_ALLOCATE, 0, null_mut(), |_| 1 << 50).is_none());
    });
}

#[test]
fn one_process_needs_no_transport() {
    run(1, |rank| {
        let mut own = vec![0_u64; 100];
        let mut base = null_mut();
        assert_eq!(osc!(rank.osc, memory_allocate(800, 8, &mut base)), ERR_UNSUPPORTED);
        for flavor in [WINDOW_CREATE, WINDOW_ALLOCATE, WINDOW_SHARED] {
            let given = if flavor == WINDOW_CREATE { own.as_mut_ptr() } else { null_mut() };
            let window = rank.window(flavor, 0, given, |_| 100).expect("it serves it");
            window.simply(OSC_FENCE);
            assert_eq!(window.lock(0, false), DONE);
            window.put(0, 9, &mut [1, 2, 3]);
            window.unlock(0);
            window.group(OSC_POST, &[0]);
            window.group(OSC_START, &[0]);
            window.simply(OSC_COMPLETE);
            window.simply(OSC_WAIT);
            assert_eq!(window.get(0, 9, 3), [1, 2, 3]);
            window.simply(OSC_FENCE);
            window.close();
        }
        assert_eq!(own[9..12], [1, 2, 3]);
    });
}

#[test]
fn a_wait_for_a_process_that_has_died_ends() {
    for wait in 0..4 {
        run(3, |rank| {
            let window = rank.window(WINDOW_ALLOCATE, 0, null_mut(), |_| 1).expect("it serves it");
            let failed = Cell::new(0);
            if rank.rank == 0 {
                assert_eq!(window.lock(1, false), DONE);
            }
            rank.layer.barrier.wait();
            if rank.rank == 2 {
                // Rank 1 does not notice itself.
                let peer = rank.ranks.system(2).peer(0).unwrap();
                // SAFETY: peers are never freed.
                unsafe { (*peer).flags.fetch_or(PEER_FAILED, Ordering::Relaxed) };
            }
            if rank.rank != 0 {
                let own = [0];
                let kind = [OSC_FENCE, OSC_START, OSC_WAIT][wait.min(2)];
                if kind == OSC_WAIT {
                    window.group(OSC_POST, &own);
                }
                failed.set(match wait {
                    3 => window.lock(1, rank.rank == 1),
                    1 => window.sync(OscSync {
                        ranks: own.as_ptr(),
                        rank_count: 1,
                        ..Win::blank(kind)
                    }),
                    _ => window.sync(Win::blank(kind)),
                });
                assert_eq!(failed.get(), ERR_PEER);
            }
            window.close();
        });
    }
}
