//! osc_rdma reads what peers send for a window: packets, and the datatypes that they describe.
//!
//! Rank 0 has a window, and ranks 1 and 2 send what they like to it, over a transport in memory. The datatypes are
//! made by the MPI layer.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicUsize;

use cairn_framework::abi::datatype::{Datatype, Op};
use cairn_framework::abi::request::{
    MessageStatus, REQUEST_COLLECTIVE, REQUEST_COMPLETE, REQUEST_MAGIC, Request,
};
use cairn_framework::abi::scope::{SCOPE_PROCESS, SCOPE_WINDOW, Scope};
use cairn_framework::abi::status::{DONE, OK, Status};
use cairn_framework::frameworks::osc::{
    OSC_ACCUMULATE, OSC_COMPARE_SWAP, OSC_FENCE, OSC_FETCH_OP, OSC_GET, OSC_GET_ACCUMULATE,
    OSC_LOCK, OSC_LOCK_ALL, OSC_POST, OSC_PUT, OSC_START, OSC_TEST, OscOps, OscSide, OscSync,
    OscTransfer, WINDOW_CREATE, WINDOW_DYNAMIC, Window, WindowCalls, WindowRemote,
};
use cairn_framework::host::{Chosen, forget_reason};
use cairn_mpi::WINDOW_CALLS;
use osc_rdma::TAG;
use osc_rdma::wire::{
    ANSWER, EXCLUSIVE, Header, Kind, LAST_OF_FENCE, LAST_OF_START, More, SHARED, SHORT, UNLOCK,
};
use {issue_adaptive as _, issue_eager as _, issue_lazy as _};

use super::ob1::pair::btl::Behaviour;
use super::ob1::pair::{Handle, Job};
use crate::bytes::Bytes;

/// Processes: the one that has the window, and two that send.
const RANKS: u32 = 3;
/// Bytes of the window. There is a page around it, and pages that can't be accessed around that.
const SIZE: usize = 2048;
const PAGE: usize = 4096;
/// What is beside the window.
const BESIDE: u8 = 0xb5;
/// Attached parts of a dynamic window: where in it, and how long.
const PARTS: [(usize, usize); 3] = [(0, 512), (512, 256), (1024, 1000)];
/// `MPI_INT64_T`, `MPI_DOUBLE_INT`, `MPI_SUM`, and others.
const INT64: u32 = 0x258;
const DOUBLE_INT: u32 = 0x229;
#[cfg(test)]
const SHORT_INT: u32 = 0x22c;
const SUM: u16 = 0x21;
const REPLACE: u16 = 0x3c;
const NO_OP: u16 = 0x3d;
const NO_CHECK: u32 = 1024;
const NO_PRECEDE: u32 = 2048;

/// Three pages, of which the one in the middle can be accessed.
struct Pages(*mut u8);

impl Pages {
    fn new() -> Self {
        let (none, private) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory.
        let middle = unsafe {
            let first = libc::mmap(null_mut(), 3 * PAGE, none, private, -1, 0);
            assert_ne!(first, libc::MAP_FAILED);
            let middle = first.cast::<u8>().add(PAGE);
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(middle.cast(), PAGE, rights), 0);
            middle
        };
        Self(middle)
    }

    /// Memory for a window of `SIZE` bytes, at the beginning of the page or at its end.
    fn window(&self, at_the_end: bool) -> *mut u8 {
        let begin = if at_the_end { PAGE - SIZE } else { 0 };
        // SAFETY: inside of the page.
        unsafe {
            self.0.write_bytes(BESIDE, PAGE);
            let base = self.0.add(begin);
            base.write_bytes(0, SIZE);
            base
        }
    }

    /// Whether what is beside the window, or beside its parts, is as it was.
    fn check(&self, base: *mut u8, dynamic: bool) {
        // SAFETY: the page can be read.
        let page = unsafe { std::slice::from_raw_parts(self.0, PAGE) };
        let begin = base.addr() - self.0.addr();
        for (place, byte) in page.iter().enumerate() {
            let inside = place.checked_sub(begin).filter(|place| *place < SIZE);
            let parts = |place| PARTS.iter().any(|part| (part.0..part.0 + part.1).contains(place));
            let expected = match inside {
                None => BESIDE,
                // What was never attached is 0.
                Some(place) if dynamic && !parts(&place) => 0,
                Some(_) => continue,
            };
            assert_eq!(*byte, expected, "byte {place} of the page, the window begins at {begin}");
        }
    }
}

/// The processes.
struct Stage {
    job: Job,
    osc: Chosen<OscOps>,
    /// The processes, as rank 0 knows them, and what each gives to a window that is dynamic or not.
    comm: Handle,
    remotes: [Vec<WindowRemote>; 2],
    pages: Pages,
    /// Of the next window.
    number: u64,
}

thread_local! {
    /// It stays, because a component system takes a thousand times as long as a packet.
    static STAGE: RefCell<Option<Stage>> = const { RefCell::new(None) };
    /// The strategy of the next window.
    static ISSUE: Cell<&'static CStr> = const { Cell::new(c"lazy") };
    /// What rank 0 calls the last window.
    static PORT: Cell<u32> = const { Cell::new(0) };
}

impl Stage {
    fn new(behaviour: Behaviour) -> Self {
        // With short packets a little data goes in several.
        let mca = [("btl", "pair"), ("osc", "rdma"), ("osc_rdma_packet", "512")];
        let job = Job::new(RANKS, false, &mca, behaviour);
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        // The others take what is sent to them, and know nothing of it.
        let oscs = job.ranks.iter().map(|rank| rank.system.select_one(&scope));
        let mut oscs = oscs.collect::<Result<Vec<_>, _>>().expect("osc_rdma is linked in");
        let comm = job.ranks[0].comm(1, 0, 0, &[0, 1, 2]);
        let remotes = [SIZE as u64, u64::MAX]
            .map(|size| vec![WindowRemote { base: 0, size, displacement_unit: 1 }; RANKS as usize]);
        Self { job, osc: oscs.swap_remove(0), comm, remotes, pages: Pages::new(), number: 1 }
    }
}

/// A collective operation has ended as soon as it begins, as if all others had come before.
fn collective() -> *mut Request {
    unsafe extern "C" fn free(request: *mut Request) {
        // SAFETY: made below, and given back once.
        drop(unsafe { Box::from_raw(request) });
    }
    Box::into_raw(Box::new(Request {
        magic: REQUEST_MAGIC,
        kind: REQUEST_COLLECTIVE,
        completion: AtomicUsize::new(REQUEST_COMPLETE),
        status: MessageStatus::default(),
        free: Some(free),
        cancel: None,
        start: None,
        object: null_mut(),
        struct_size: size_of::<Request>() as u32,
        active: 0,
    }))
}

/// The others give as little as rank 0 does, and what they call the window is nothing that they listen to.
unsafe extern "C" fn allgather(
    window: &Window,
    sent: *const c_void,
    received: *mut c_void,
    len: usize,
) -> Status {
    let (sent, received) = (sent.cast::<u8>(), received.cast::<u8>());
    // SAFETY: so many bytes, and room for those of each rank.
    unsafe {
        for rank in 0..window.scope.size as usize {
            received.add(rank * len).copy_from_nonoverlapping(sent, len);
        }
        // The last word of all is the port.
        if len == size_of::<u64>() {
            PORT.set(sent.cast::<u64>().read_unaligned() as u32);
            for rank in 1..window.scope.size as usize {
                received.cast::<u64>().add(rank).write_unaligned(u32::MAX.into());
            }
        }
    }
    OK
}

unsafe extern "C" fn barrier(_: &Window, request: *mut *mut Request) -> Status {
    // SAFETY: null or a place for a request.
    if let Some(place) = unsafe { request.as_mut() } {
        *place = collective();
    }
    OK
}

unsafe extern "C" fn reduce_scatter(
    _: &Window,
    numbers: *const u64,
    sum: *mut u64,
    width: usize,
    request: &mut *mut Request,
) -> Status {
    // SAFETY: so many numbers for rank 0, and room for the sums.
    unsafe { sum.copy_from_nonoverlapping(numbers, width) };
    *request = collective();
    OK
}

unsafe extern "C" fn info(
    _: *const Scope,
    key: *const c_char,
    value: *mut c_char,
    capacity: usize,
) -> isize {
    // SAFETY: the key is a string, and there is so much room.
    unsafe {
        if CStr::from_ptr(key) != c"cairn_issue" {
            return -1;
        }
        let name = ISSUE.get().to_str().expect("names are text");
        cairn_framework::text::write(name, value, capacity) as isize
    }
}

/// A window of rank 0, and who sends to it.
struct Attack<'a> {
    stage: &'a Stage,
    window: Box<Window>,
    state: *mut c_void,
    base: *mut u8,
    /// Packets of each rank so far.
    sent: [u32; RANKS as usize],
    /// Where operations of rank 0 have their data.
    buffers: Vec<Box<[u64]>>,
}

static CALLS: WindowCalls = WindowCalls {
    struct_size: WINDOW_CALLS.struct_size,
    reserved: 0,
    allgather,
    barrier,
    reduce_scatter,
    datatype_retain: WINDOW_CALLS.datatype_retain,
    datatype_release: WINDOW_CALLS.datatype_release,
    datatype_encode: WINDOW_CALLS.datatype_encode,
    datatype_decode: WINDOW_CALLS.datatype_decode,
    datatype_predefined: WINDOW_CALLS.datatype_predefined,
    op_predefined: WINDOW_CALLS.op_predefined,
};

macro_rules! osc {
    ($attack:expr, $function:ident($($argument:expr),*)) => {{
        let osc = &$attack.stage.osc;
        // SAFETY: the host completes tables; the arguments are what the contract says.
        unsafe {
            (osc.ops.$function.expect("the host completes tables"))(osc.instance, $($argument),*)
        }
    }};
}

impl<'a> Attack<'a> {
    fn begin(stage: &'a mut Stage, setup: u8) -> Self {
        ISSUE.set([c"lazy", c"eager", c"adaptive", c"lazy"][usize::from(setup >> 2 & 3)]);
        let dynamic = setup & 3 == 2;
        stage.number += 1;
        let base = stage.pages.window(setup & 1 == 1);
        let mut scope = Scope::new(SCOPE_WINDOW, stage.number as u32, RANKS, c"window");
        scope.struct_size = size_of::<Window>() as u32;
        scope.info = Some(info);
        let window = Box::new(Window {
            scope,
            comm: stage.comm.0,
            calls: &raw const CALLS,
            base: if dynamic { null_mut() } else { base.cast() },
            remotes: stage.remotes[usize::from(dynamic)].as_ptr(),
            flavor: if dynamic { WINDOW_DYNAMIC } else { WINDOW_CREATE },
            flags: 0,
            ordering: 15,
            unified: 1,
            alignment: 16,
            granularity: 0,
            object: null_mut(),
        });
        let (sent, buffers, state) = (Default::default(), Vec::new(), null_mut());
        let mut attack = Self { stage, window, state, base, sent, buffers };
        let opened = osc!(attack, window_open(&mut attack.window, &mut attack.state));
        assert_eq!(opened, DONE);
        if dynamic {
            PARTS.into_iter().for_each(|part| attack.attach(part, true));
        }
        attack
    }

    fn attach(&self, (place, len): (usize, usize), attach: bool) {
        let part = self.base.wrapping_add(place).cast();
        let attach = u32::from(attach);
        if osc!(self, attach(&self.window, self.state, part, len as u64, attach)) != OK {
            forget_reason();
        }
    }

    /// Sends what a rank likes.
    fn send_raw(&self, from: u32, packet: &[u8]) {
        self.stage.job.fabric.forge(from, 0, TAG, packet);
    }

    /// The same, so that it finds the window and its turn.
    fn send(&mut self, from: u32, packet: &[u8]) {
        let sent = &mut self.sent[from as usize];
        *sent += 1;
        let begin = [PORT.get(), from, *sent].map(u32::to_le_bytes).concat();
        let mut packet = packet.to_vec();
        if packet.len() >= begin.len() {
            packet[..begin.len()].copy_from_slice(&begin);
        }
        self.send_raw(from, &packet);
    }

    /// A pass of a process with one thread ends with the first source that has something.
    fn progress(&self) {
        for rank in &self.stage.job.ranks {
            let _ = (0..8).find(|_| rank.system.progress() == 0);
        }
    }

    fn synchronize(&self, sync: OscSync) {
        if osc!(self, synchronize(&self.window, self.state, &sync)) < 0 {
            forget_reason();
        }
    }

    /// What begins without a wait, so that operations of rank 0 go out.
    fn begin_epoch(&self, kind: u8) {
        match kind {
            0 => (1..RANKS).for_each(|target| {
                let (target, shared) = (target as i32, target % 2);
                self.synchronize(OscSync { target, shared, ..sync_of(OSC_LOCK) });
            }),
            1 => self.synchronize(OscSync {
                ranks: [1, 2].as_ptr(),
                rank_count: 2,
                ..sync_of(OSC_START)
            }),
            2 => self.synchronize(OscSync { assertions: NO_CHECK, ..sync_of(OSC_LOCK_ALL) }),
            _ => self.synchronize(OscSync { assertions: NO_PRECEDE, ..sync_of(OSC_FENCE) }),
        }
    }

    /// An operation of rank 0 on a peer.
    fn operate(&mut self, bytes: &mut Bytes<'_>) {
        let (kind, what) = (u32::from(bytes.byte()) % 6, bytes.byte());
        let mut sides = [0_u64; 3].map(|_| {
            self.buffers.push(vec![7; 16].into());
            let buffer = self.buffers.last_mut().expect("just pushed");
            buffer.as_mut_ptr().cast::<c_void>()
        });
        let [origin, result, compare] = &mut sides;
        let alone = matches!(kind, OSC_FETCH_OP | OSC_COMPARE_SWAP);
        let count = if alone { 1 } else { u64::from(what & 15) };
        let datatype = predefined(INT64);
        let there = |buffer: *mut c_void, is: bool| OscSide {
            buffer,
            count: if is { count } else { 0 },
            datatype: if is { datatype } else { null() },
        };
        let dynamic = self.window.flavor == WINDOW_DYNAMIC;
        let first = if dynamic { self.base.expose_provenance() as i64 } else { 0 };
        let transfer = OscTransfer {
            struct_size: size_of::<OscTransfer>() as u32,
            kind,
            target: 1 + u32::from(what >> 4 & 1),
            reserved: 0,
            origin: there(*origin, kind != OSC_GET),
            result: there(*result, !matches!(kind, OSC_PUT | OSC_ACCUMULATE)),
            compare: *compare,
            offset: first + 8 * i64::from(what >> 5),
            target_count: count,
            target_datatype: datatype,
            op: operation(SUM.into()),
        };
        let mut request = null_mut::<Request>();
        let place = if what & 32 == 0 { &raw mut request } else { null_mut() };
        if osc!(self, transfer(&self.window, self.state, &transfer, place)) != OK {
            forget_reason();
        }
        // Complete or not, it ends by itself.
        // SAFETY: null or a request of the component.
        if let Some(free) = unsafe { request.as_ref() }.and_then(|request| request.free) {
            // SAFETY: it is given back once.
            unsafe { free(request) };
        }
    }

    fn end(mut self) {
        self.progress();
        osc!(self, window_close(&mut self.window, self.state));
        self.stage.pages.check(self.base, self.window.flavor == WINDOW_DYNAMIC);
        // SAFETY: the scope of a window that has ended.
        unsafe { self.stage.job.ranks[0].system.scope_closed(&raw mut self.window.scope) };
    }
}

fn sync_of(kind: u32) -> OscSync {
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

fn predefined(number: u32) -> *const Datatype {
    // SAFETY: any number may be asked for.
    unsafe { (WINDOW_CALLS.datatype_predefined)(number) }
}

fn operation(number: u32) -> *const Op {
    // SAFETY: as above.
    unsafe { (WINDOW_CALLS.op_predefined)(number) }
}

/// Does something with a window.
fn attack(setup: u8, work: impl FnOnce(&mut Attack<'_>)) {
    STAGE.with_borrow_mut(|stage| {
        let mut attack =
            Attack::begin(stage.get_or_insert_with(|| Stage::new(Behaviour::default())), setup);
        work(&mut attack);
        attack.end();
    });
}

/// One byte: where the window is, which strategy it has, and the epoch of rank 0. Then what happens: packets, each
/// behind its length, and what rank 0 does meanwhile.
pub fn run(data: &[u8]) {
    let mut input = Bytes(data);
    let setup = input.byte();
    attack(setup, |attack| {
        attack.begin_epoch(setup >> 4 & 3);
        while !input.is_over() {
            let control = input.byte();
            match control & 7 {
                0..4 => {
                    let len = usize::from(input.u16() % 600);
                    let mut packet = input.take(len).to_vec();
                    // Addresses are other ones in each process.
                    if control & 16 != 0 && packet.len() >= SHORT {
                        let place = &mut packet[24..32];
                        let offset = u64::from_le_bytes(place.try_into().expect("eight"));
                        let address = attack.base.expose_provenance() as u64;
                        place.copy_from_slice(&offset.wrapping_add(address).to_le_bytes());
                    }
                    let from = 1 + u32::from(control >> 3 & 1);
                    match control & 64 == 0 {
                        true => attack.send(from, &packet),
                        false => attack.send_raw(from, &packet),
                    }
                    if control & 32 == 0 {
                        attack.progress();
                    }
                }
                4 => attack.progress(),
                5 => attack.operate(&mut input),
                6 => {
                    let ranks = [1, 2];
                    let rank_count = u32::from(control >> 3 & 3).min(2);
                    let post = OscSync { ranks: ranks.as_ptr(), rank_count, ..sync_of(OSC_POST) };
                    attack.synchronize(if control & 32 == 0 { post } else { sync_of(OSC_TEST) });
                }
                _ => {
                    let part = PARTS[usize::from(control >> 3 & 3).min(2)];
                    attack.attach(part, control & 32 == 0);
                }
            }
        }
    });
}

/// A packet that begins so.
fn packet(header: &Header, rest: &[u8]) -> Vec<u8> {
    let (bytes, len) = header.encode();
    [&bytes[..len], rest].concat()
}

/// An operation on so many bytes of one block of a predefined type.
fn simple(operation: u32, predefined: u32, len: u32) -> Header {
    let (operation, predefined, op) = (operation as u8, predefined as u16, SUM);
    Header { operation, predefined, len, op, ..Header::new(Kind::Operation) }
}

/// What is said of other operations.
fn more(count: u64, position: u64, type_len: usize, type_before: usize) -> Option<More> {
    let (type_len, type_before) = (type_len as u32, type_before as u32);
    Some(More { count, position, type_len, type_before })
}

/// Descriptions of types: blocks with gaps, a structure, a list, and one as large as it gets.
fn descriptions() -> Vec<Vec<u8>> {
    let number = |mut number: u64| {
        let mut text = Vec::new();
        while number >= 0x80 {
            text.push(number as u8 | 0x80);
            number >>= 7;
        }
        text.push(number as u8);
        text
    };
    let int64 = [vec![0], number(INT64.into())].concat();
    let pair = [vec![0], number(DOUBLE_INT.into())].concat();
    let vector = |count: u64, stride: u64, len: u64, back: u64| {
        [vec![1], number(count), number(2 * stride), number(len), number(back)].concat()
    };
    vec![
        [&int64[..], &vector(3, 24, 2, 1)].concat(),
        [&pair[..], &vector(3, 40, 1, 1)].concat(),
        // Blocks at 0 and 64, and at 16.
        [&int64[..], &[2, 1, 3], &[0, 1], &number(128), &[2], &number(32), &[1]].concat(),
        // One of each.
        [&int64[..], &pair, &[3, 2], &[0, 1, 2], &number(64), &[1, 1]].concat(),
        // Another extent.
        [&int64[..], &[4, 0], &number(64), &[1]].concat(),
        [&int64[..], &vector(1 << 20, 0, 1, 1), &vector(1 << 30, 0, 1, 1)].concat(),
    ]
}

pub fn seeds() -> Vec<Vec<u8>> {
    let from = |rank: u8, packet: &[u8]| {
        let control = (rank - 1) << 3;
        [&[control][..], &(packet.len() as u16).to_le_bytes(), packet].concat()
    };
    let at = |address: &[u8]| [&[address[0] | 16], &address[1..]].concat();
    let words = |count: u8| (1..=count).flat_map(|word| [word; 8]).collect::<Vec<u8>>();
    let put = Header { flags: ANSWER, offset: 64, ..simple(OSC_PUT, INT64, 24) };
    let put = packet(&put, &words(3));
    let get = packet(&Header { offset: 1024, ..simple(OSC_GET, INT64, 320) }, &[]);
    let part = packet(&Header { more: more(40, 8, 0, 0), ..simple(OSC_GET, INT64, 64) }, &[]);
    let accumulate = Header { flags: LAST_OF_FENCE, ..simple(OSC_ACCUMULATE, INT64, 24) };
    let accumulate = packet(&accumulate, &words(3));
    let pairs = Header { op: 0x39, ..simple(OSC_ACCUMULATE, DOUBLE_INT, 24) };
    let pairs = packet(&pairs, &words(3));
    let fetch = Header { op: REPLACE, ..simple(OSC_GET_ACCUMULATE, INT64, 16) };
    let fetch = packet(&fetch, &words(2));
    let look = packet(&Header { op: NO_OP, ..simple(OSC_FETCH_OP, INT64, 8) }, &[]);
    let swap = packet(&simple(OSC_COMPARE_SWAP, INT64, 8), &words(2));
    let locked = Header { flags: EXCLUSIVE | UNLOCK | ANSWER, ..simple(OSC_PUT, INT64, 8) };
    let locked = packet(&locked, &words(1));
    let told = |kind, flags| packet(&Header { flags, ..Header::new(kind) }, &[]);
    let started = Header { flags: LAST_OF_START, ..simple(OSC_PUT, INT64, 8) };
    let started = packet(&started, &words(1));
    let ack = |answered| packet(&Header::answer(Kind::Ack, answered, OK), &[]);
    let reply = |answered| packet(&Header::answer(Kind::Reply, answered, OK), &words(3));
    let described = |text: &[u8], operation: u32, rest: &[u8]| {
        let header = Header { more: more(1, 0, text.len(), 0), ..simple(operation, 0, 24) };
        packet(&header, &[text, rest].concat())
    };
    let in_parts = |text: &[u8]| {
        let (one, other) = text.split_at(text.len() / 2);
        let of = |position: usize, part: &[u8]| {
            let offset = position as i64;
            from(1, &packet(&Header { offset, ..Header::new(Kind::Type) }, part))
        };
        let put = Header { more: more(1, 0, 0, text.len()), ..simple(OSC_PUT, 0, 24) };
        [of(0, one), of(one.len(), other), from(1, &packet(&put, &words(3)))].concat()
    };
    let texts = descriptions();
    let mut seeds = vec![
        [&[0][..], &from(1, &put), &from(2, &get), &from(1, &part)].concat(),
        [&[1][..], &from(1, &accumulate), &from(2, &pairs), &from(2, &fetch)].concat(),
        [&[1][..], &from(1, &look), &from(2, &swap)].concat(),
        // An operation with its lock, while another holds it.
        [
            &[0][..],
            &from(2, &told(Kind::Lock, SHARED)),
            &from(1, &locked),
            &from(2, &told(Kind::Flush, ANSWER)),
            &from(2, &told(Kind::Unlock, ANSWER)),
        ]
        .concat(),
        // Exposure epochs, and the posts of others.
        [
            &[16, 6 | 16][..],
            &from(1, &started),
            &from(2, &told(Kind::Complete, ANSWER)),
            &[6 | 32],
            &[5, 0, 3, 5, 1, 3 | 16],
            &from(1, &told(Kind::Post, 0)),
            &from(2, &told(Kind::Post, 0)),
            &from(2, &reply(1)),
        ]
        .concat(),
        // What rank 0 fetches, with the lock of rank 1.
        [
            &[0, 5, 1, 3][..],
            &from(1, &told(Kind::Granted, 0)),
            &from(1, &reply(2)),
            &from(1, &ack(1)),
        ]
        .concat(),
        [&[4 | 32, 5, 3, 3, 5, 5, 0][..], &from(1, &reply(1)), &from(1, &ack(1))].concat(),
        [&[8 | 48, 5, 0, 3, 5, 2, 3][..], &from(2, &told(Kind::Flush, LAST_OF_FENCE))].concat(),
        // Packets of nobody, and such as overtake others.
        [&[0, 64][..], &from(1, &put)[1..], &[64], &from(2, &get)[1..]].concat(),
        // A dynamic window.
        [&[2, 7, 7 | 32][..], &at(&from(1, &put)), &at(&from(2, &fetch)), &[7]].concat(),
        [&[2][..], &at(&from(1, &described(&texts[0], OSC_GET, &[])))].concat(),
    ];
    for text in &texts {
        let put = from(1, &described(text, OSC_PUT, &words(3)));
        let get = from(2, &described(text, OSC_GET, &[]));
        let add = from(1, &described(text, OSC_ACCUMULATE, &words(3)));
        seeds.push([&[1][..], &put, &get, &add].concat());
        seeds.push([&[2][..], &at(&put), &at(&get), &at(&add)].concat());
        seeds.push([&[0][..], &in_parts(text)].concat());
    }
    seeds
}

#[cfg(test)]
mod tests {
    use cairn_framework::frameworks::osc::OSC_FLUSH;

    use super::*;

    /// The window after rank 1 has sent some packets, and what osc_rdma has counted of them.
    fn after(packets: &[Vec<u8>]) -> (Vec<u8>, [u64; 2]) {
        let mut window = Vec::new();
        let mut counted = [0; 2];
        attack(1, |attack| {
            let system = attack.stage.job.ranks[0].system;
            let read = || {
                ["malformed", "refused"].map(|name| {
                    let number = system.counter_find(&format!("osc_rdma_{name}")).expect("it has");
                    system.counter_read(number, None).expect("it counts")
                })
            };
            let before = read();
            for packet in packets {
                attack.send(1, packet);
                attack.progress();
            }
            counted = [0, 1].map(|place| read()[place] - before[place]);
            // SAFETY: inside of the window.
            window = unsafe { std::slice::from_raw_parts(attack.base, SIZE) }.to_vec();
        });
        (window, counted)
    }

    fn described(text: &[u8], header: Header, data: &[u8]) -> Vec<u8> {
        let header = Header { predefined: 0, more: more(1, 0, text.len(), 0), ..header };
        packet(&header, &[text, data].concat())
    }

    #[test]
    fn packets_do_what_they_say() {
        let put = Header { offset: 64, ..simple(OSC_PUT, INT64, 16) };
        let add = Header { offset: 72, ..simple(OSC_ACCUMULATE, INT64, 8) };
        let (window, counted) = after(&[packet(&put, &[1; 16]), packet(&add, &[1; 8])]);
        assert_eq!(window[60..84], [vec![0; 4], vec![1; 8], vec![2; 8], vec![0; 4]].concat());
        assert_eq!(counted, [0, 0]);
        // Three times two words, the third one empty.
        let gaps = described(&descriptions()[0], simple(OSC_PUT, 0, 48), &[3; 48]);
        let expected = [[3; 8], [3; 8], [0; 8]].concat().repeat(3);
        let (window, counted) = after(&[gaps]);
        assert_eq!((&window[..64], counted), (&expected[..64], [0, 0]));
    }

    /// Else nothing would be known of how answers are read.
    #[test]
    fn answers_are_taken() {
        attack(1 | 1 << 2, |attack| {
            attack.begin_epoch(0);
            // A get of three words from rank 1: the lock is asked for by the first packet.
            attack.operate(&mut Bytes(&[1, 3]));
            attack.progress();
            attack.send(1, &packet(&Header::new(Kind::Granted), &[]));
            attack.progress();
            let words: Vec<u8> = (0..24).collect();
            attack.send(1, &packet(&Header::answer(Kind::Reply, 2, OK), &words));
            attack.progress();
            // SAFETY: integers; nothing writes to them any more.
            let result = unsafe { attack.buffers[1].as_ptr().cast::<[u8; 24]>().read_volatile() };
            assert_eq!(result[..], words);
        });
    }

    /// A target may say that it has handled a get, and send nothing yet.
    #[test]
    fn a_get_is_not_over_before_its_data_have_come() {
        attack(1 | 1 << 2, |attack| {
            attack.begin_epoch(2);
            // Three words from rank 1, without a request.
            attack.operate(&mut Bytes(&[1, 3 | 32]));
            attack.progress();
            attack.send(1, &packet(&Header::answer(Kind::Ack, 1, OK), &[]));
            attack.progress();
            let words: Vec<u8> = (0..24).collect();
            let reply = Header {
                window: PORT.get(),
                origin: 1,
                serial: 2,
                ..Header::answer(Kind::Reply, 1, OK)
            };
            let (fabric, reply) = (&*attack.stage.job.fabric, packet(&reply, &words));
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    // However late it comes.
                    std::thread::sleep(std::time::Duration::from_millis(100));
                    fabric.forge(1, 0, TAG, &reply);
                });
                attack.synchronize(OscSync { target: 1, ..sync_of(OSC_FLUSH) });
                // SAFETY: integers; nothing writes to them any more.
                let result =
                    unsafe { attack.buffers[1].as_ptr().cast::<[u8; 24]>().read_volatile() };
                assert_eq!(result[..], words);
            });
        });
    }

    /// What is swapped is one element of a predefined type, and lies where that lies.
    #[test]
    fn a_swap_of_what_is_no_simple_type_is_refused() {
        // One word behind 1024 bytes.
        let text = [&descriptions()[0][..3], &[2, 1, 1], &[0x80, 0x10, 1]].concat();
        let outside = Header { offset: -1024, ..simple(OSC_COMPARE_SWAP, 0, 8) };
        let swap = described(&text, outside, &[[9; 8], [BESIDE; 8]].concat());
        assert_eq!(after(&[swap]).1, [0, 1]);
        // Nor has a pair all its bytes together.
        let pair = packet(&simple(OSC_COMPARE_SWAP, SHORT_INT, 6), &[0; 12]);
        assert_eq!(after(&[pair]).1, [0, 1]);
        let long = packet(&simple(OSC_COMPARE_SWAP, INT64, 8), &[[1; 8], [0; 8]].concat());
        let (window, counted) = after(&[long]);
        assert_eq!((&window[..8], counted), (&[1; 8][..], [0, 0]));
    }

    /// An origin asks for no more than fits into the answer; of a type whose elements overlap it could.
    #[test]
    fn a_get_of_more_than_a_packet_is_refused() {
        let text = &descriptions()[5];
        let ask = |len| described(text, simple(OSC_GET, 0, len), &[]);
        assert_eq!(after(&[ask(512), ask(513), ask(1 << 28)]).1, [0, 2]);
    }

    /// Else an origin that asks for it all the time would fill the memory.
    #[test]
    fn an_origin_asks_for_the_lock_once() {
        let lock = |flags| packet(&Header { flags, ..Header::new(Kind::Lock) }, &[]);
        let unlock = packet(&Header::new(Kind::Unlock), &[]);
        let put = |flags| packet(&Header { flags, ..simple(OSC_PUT, INT64, 8) }, &[1; 8]);
        assert_eq!(after(&[lock(SHARED), lock(SHARED)]).1, [1, 0]);
        assert_eq!(after(&[lock(EXCLUSIVE), lock(EXCLUSIVE), lock(SHARED)]).1, [2, 0]);
        assert_eq!(after(&[lock(SHARED), put(SHARED | UNLOCK)]).1, [1, 0]);
        let twice = [lock(SHARED), unlock.clone(), lock(EXCLUSIVE), unlock.clone()];
        assert_eq!(after(&twice).1, [0, 0]);
        assert_eq!(after(&[put(SHARED | UNLOCK), put(EXCLUSIVE | UNLOCK)]).1, [0, 0]);
        assert_eq!(after(&[lock(SHARED), unlock.clone(), unlock]).1, [1, 0]);
    }

    /// Else the answers to an origin that takes none would fill the memory: they are longer than what asks for them.
    #[test]
    fn answers_that_nobody_takes_are_few() {
        let mut stage = Stage::new(Behaviour::default());
        let mut attack = Attack::begin(&mut stage, 1);
        attack.stage.job.fabric.fill(1);
        for _ in 0..5000 {
            attack.send(1, &packet(&simple(OSC_GET, INT64, 400), &[]));
            attack.progress();
        }
        let mut text = vec![0_u8; 1000];
        let (place, capacity) = (text.as_mut_ptr().cast(), text.len());
        osc!(attack, describe(&attack.window, attack.state, place, capacity));
        let text = String::from_utf8_lossy(&text).into_owned();
        let (before, _) = text.split_once(" packets for room").expect("it says so");
        let waiting: Option<u32> = before.rsplit(' ').next().and_then(|text| text.parse().ok());
        assert!(waiting.is_some_and(|waiting| (64..1200).contains(&waiting)), "{text}");
        // There is room again.
        attack.stage.job.fabric.unfill(1);
        attack.progress();
        attack.end();
    }

    #[test]
    fn packets_of_nobody_and_packets_without_a_turn_are_dropped() {
        attack(1, |attack| {
            let put = |port: u32, origin: u32, serial: u32, word: u8| {
                let (window, put) = (port, simple(OSC_PUT, INT64, 8));
                packet(&Header { window, origin, serial, ..put }, &[word; 8])
            };
            let first = |attack: &Attack<'_>| {
                attack.progress();
                // SAFETY: inside of the window.
                unsafe { attack.base.read_volatile() }
            };
            let port = PORT.get();
            for (port, origin, serial) in
                [(port + 1, 1, 1), (port, 0, 1), (port, 3, 1), (port, 1, 0), (port, 1, 1 << 20)]
            {
                attack.send_raw(1, &put(port, origin, serial, 9));
                assert_eq!(first(attack), 0, "{port} {origin} {serial}");
            }
            // Such as have come too early wait for those before them.
            attack.send_raw(1, &put(port, 1, 2, 2)[..SHORT - 1]);
            attack.send_raw(1, &put(port, 1, 3, 3));
            attack.send_raw(1, &put(port, 1, 2, 2));
            assert_eq!(first(attack), 0);
            attack.send_raw(1, &put(port, 1, 1, 1));
            assert_eq!(first(attack), 3);
        });
    }
}
