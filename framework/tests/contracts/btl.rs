//! The contract of transports.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::pool::{CACHE_LINE_PAIR, Cri};
use cairn_framework::abi::receive::{RECEIVED_GROWING, Received};
use cairn_framework::abi::status::{
    DONE, ERR_PEER, ERR_UNSUPPORTED, NO_RESOURCES, OK, OutcomeCode,
};
use cairn_framework::author::{Failure, HostHandle, Outcome};
use cairn_framework::frameworks::btl::{
    BTL_GET, BTL_IN_ORDER, BTL_PUT, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED, Btl, BtlAtomic,
    BtlCompletion, BtlMessage, BtlModule, BtlOps, BtlPacked, BtlTransfer, BtlWake, Completion,
    Device, DeviceBox, Endpoint, OwnCri, Way, pointer,
};
use cairn_framework::layout::check_elements;

use super::support::{
    Blank, Life, Next, Subject, at, called, calls, cri, note, order, p, peer, play, process,
    quietly, said, writes,
};

const KEY_SIZE: u32 = 5;
static WORD: AtomicU32 = AtomicU32::new(0);

struct Double {
    life: Life,
    devices: [DeviceBox<Self>; 2],
}

struct Port {
    number: u32,
}

/// The endpoint of a peer.
struct End {
    rank: u32,
}

/// The rank of a peer for whom no endpoint can be made.
const UNWELCOME: u32 = 9;

impl Double {
    fn new(life: Life) -> Self {
        let device = |name, number| {
            let view = BtlModule { key_size: KEY_SIZE, ..BtlModule::named(name) };
            // The strategy of instances is a double, too.
            let port = Port { number };
            quietly(|| DeviceBox::new(life.host(), view, port, [(), ()])).unwrap()
        };
        let devices = [device(c"left", 70), device(c"right", 71)];
        Self { life, devices }
    }
}

life!(Double, Double::new);

/// Functions that note where they are to take place.
macro_rules! ways {
    ($( $name:ident($what:ident: &$type:ty $(, $completion:ident: Completion)?); )+) => {
        $( unsafe fn $name(
            Way { device, cri, endpoint }: Way<'_, Self>,
            $what: &$type,
            $($completion: Completion)?
        ) -> Result<Outcome, Failure> {
            let (number, cri, endpoint) = (device.number, p(cri.head()), pointer(endpoint));
            let noted = ways!(@ (number, cri, endpoint, p($what)) $(, $completion)?);
            play(stringify!($name), noted)
        } )+
    };
    (@ ($number:expr, $cri:expr, $endpoint:expr, $what:expr)) => {
        ($number, $cri, $endpoint, $what)
    };
    (@ ($number:expr, $cri:expr, $endpoint:expr, $what:expr), $completion:ident) => {
        ($number, $cri, $endpoint, $what, at::<()>($completion.address()))
    };
}

impl Btl for Double {
    type State = Port;
    type Cri = ();
    type Endpoint = End;

    fn devices(&self) -> &[DeviceBox<Self>] {
        // It can't fail but by a panic.
        play("modules", self.life.me()).unwrap_or_else(|failure| panic!("{failure}"));
        &self.devices
    }
    fn add_peer(port: &Device<Self>, peer: &Peer) -> Result<Option<Arc<End>>, Failure> {
        play("add_peers", (port.number, p(port.view()), p(peer)))?;
        if peer.rank == UNWELCOME {
            return Err(Failure::new(ERR_PEER, "not you"));
        }
        Ok(peer.rank.is_multiple_of(2).then(|| Arc::new(End { rank: peer.rank })))
    }
    fn remove_peer(port: &Device<Self>, endpoint: Arc<End>) {
        assert_eq!(Arc::strong_count(&endpoint), 1, "it has one owner");
        note("remove_peer", (port.number, endpoint.rank));
    }
    fn progress(port: &Device<Self>, cri: &OwnCri<()>) -> u32 {
        note("progress", (port.number, p(cri.head())));
        77
    }
    ways! {
        send_immediate(message: &BtlMessage);
        send_packed(message: &BtlPacked);
        put(transfer: &BtlTransfer, completion: Completion);
        get(transfer: &BtlTransfer, completion: Completion);
        atomic(atomic: &BtlAtomic, completion: Completion);
    }
    fn flush(
        port: &Device<Self>,
        cri: &OwnCri<()>,
        endpoint: Option<&End>,
        completion: Completion,
    ) -> Result<Outcome, Failure> {
        let endpoint = endpoint.map_or(null_mut(), pointer);
        play("flush", (port.number, p(cri.head()), endpoint, at::<()>(completion.address())))
    }
    unsafe fn offer_memory(
        Way { device, cri, endpoint }: Way<'_, Self>,
        address: *mut c_void,
        len: usize,
    ) -> Result<*mut c_void, Failure> {
        let noted = (device.number, p(cri.head()), pointer(endpoint), address, len);
        play("offer_memory", noted).map(|_| at(0x6600))
    }
    fn arm(port: &Device<Self>, cri: &OwnCri<()>) -> Result<Option<BtlWake>, Failure> {
        let outcome = play("arm", (port.number, p(cri.head())))?;
        let wake = BtlWake { fd: 12, reserved: 0, word: &raw const WORD, expected: 34 };
        Ok((outcome != Outcome::NoResources).then_some(wake))
    }
    fn wait_for_more(
        port: &Device<Self>,
        cri: &OwnCri<()>,
        received: &Received,
        have: usize,
    ) -> usize {
        note("wait_for_more", (port.number, p(cri.head()), p(received), have));
        have + 5
    }
    fn message_limit(port: &Device<Self>, endpoint: &End) -> usize {
        note("message_limit", (port.number, pointer(endpoint)));
        12345
    }
    fn describe(port: &Device<Self>, endpoint: &End) -> String {
        note("describe", (port.number, pointer(endpoint)));
        "connecté".into()
    }
    plays! { [unsafe]
        fn register_memory(port: &Device<Self>, address: *mut c_void, len: usize, access: u32)
            -> Result<*mut c_void, Failure> = |_| at(0x6000);
        fn deregister_memory(port: &Device<Self>, registration: *mut c_void) => ();
        fn release_key(port: &Device<Self>, key: *mut c_void) => ();
        fn free_memory(port: &Device<Self>, registration: *mut c_void) => ();
        fn map_key(port: &Device<Self>, key: *mut c_void, remote: u64, len: usize)
            -> Result<*mut c_void, Failure> = |_| at(0x8000);
    }
    fn allocate_memory(
        port: &Device<Self>,
        len: usize,
    ) -> Result<(*mut c_void, *mut c_void), Failure> {
        play("allocate_memory", (port.number, len)).map(|_| (at(0x1000), at(0x6100)))
    }
    unsafe fn pack_key(
        port: &Device<Self>,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        play("pack_key", (port.number, registration, key.len()))?;
        key.copy_from_slice(b"apple");
        Ok(())
    }
    fn unpack_key(
        port: &Device<Self>,
        endpoint: &End,
        packed: &[u8],
    ) -> Result<*mut c_void, Failure> {
        play("unpack_key", (port.number, pointer(endpoint), packed))?;
        Ok(at(0x7000))
    }
}

components!(btl, Double: send_immediate, send_packed, put, get, atomic, flush,
    register_memory, deregister_memory, pack_key, unpack_key, release_key, arm, describe,
    offer_memory, allocate_memory, free_memory, map_key, wait_for_more, message_limit);

/// A message that is still being written.
fn received(module: &BtlModule, cri: &Cri) -> Received {
    Received {
        struct_size: size_of::<Received>() as u32,
        flags: RECEIVED_GROWING,
        module,
        cri: p(cri).cast_mut(),
        endpoint: null_mut(),
        data: null(),
        len: 99,
    }
}

/// An endpoint that no device has made.
static END: End = End { rank: 0 };

fn end() -> *mut Endpoint {
    pointer(&END)
}

const COMPLETION: usize = 0x9000;

/// The two devices, asked for through the table.
fn modules(btl: &Subject<BtlOps>) -> [&'static BtlModule; 2] {
    let (mut modules, mut count) = (null(), 0);
    assert_eq!(c!(btl.ops, modules(btl.instance, &mut modules, &mut count)), OK);
    called("modules", btl.instance);
    assert_eq!(count, 2);
    // SAFETY: the double has two devices, and keeps them until the test closes it.
    let both = unsafe { [&**modules, &**modules.add(1)] };
    // SAFETY: the names are constant.
    let names = both.map(|module| unsafe { CStr::from_ptr(module.name) });
    assert_eq!(names, [c"left", c"right"]);
    both
}

#[test]
fn every_function_reaches_the_device() {
    let scope = process();
    let btl = Subject::<BtlOps>::double(&scope);
    let devices = modules(&btl);
    peers(&btl, devices);
    traffic(&btl, devices[1]);
    memory_and_keys(&btl, devices[0]);
    sleeping_and_describing(&btl, devices[1]);
    btl.close_complete();
}

fn traffic(btl: &Subject<BtlOps>, module: &BtlModule) {
    let (message, packed) = (&BtlMessage::blank(), &BtlPacked::blank());
    let transfer = &BtlTransfer::blank();
    let (atomic, cri) = (&BtlAtomic::blank(), &cri(3));
    let (to, done) = (end(), at::<BtlCompletion>(COMPLETION));
    let all = null_mut::<Endpoint>();
    let on = p(cri);
    check!(btl, outcome send_immediate(module, cri, to, message) => (71, on, to, p(message)));
    check!(btl, outcome send_packed(module, cri, to, packed) => (71, on, to, p(packed)));
    check!(btl, outcome put(module, cri, to, transfer, done) => (71, on, to, p(transfer), done));
    check!(btl, outcome get(module, cri, to, transfer, done) => (71, on, to, p(transfer), done));
    check!(btl, outcome atomic(module, cri, to, atomic, done) => (71, on, to, p(atomic), done));
    check!(btl, outcome flush(module, cri, to, done) => (71, on, to, done));
    check!(btl, outcome flush(module, cri, all, done) => (71, on, all, done));
    let received = &received(module, cri);
    let there = check!(btl, plain wait_for_more(module, received, 7) => (71, on, p(received), 7));
    assert_eq!(there, 12);
    assert_eq!(check!(btl, plain message_limit(module, to) => (71, to)), 12345);
}

fn peers(btl: &Subject<BtlOps>, [left, right]: [&BtlModule; 2]) {
    let peers = [peer(0), peer(1), peer(2)];
    let pointers = peers.each_ref().map(p);
    for (module, number) in [(left, 70), (right, 71)] {
        let mut endpoints = [at::<Endpoint>(1); 4];
        let status = c!(btl.ops, add_peers(module, 3, pointers.as_ptr(), endpoints.as_mut_ptr()));
        assert_eq!(status, OK);
        assert_eq!([endpoints[1], endpoints[3]], [null_mut(), at(1)]);
        assert_eq!(calls(), pointers.map(|peer| said("add_peers", (number, p(module), peer))));
        for (endpoint, rank) in [(endpoints[2], 2), (endpoints[0], 0)] {
            check!(btl, plain remove_peer(module, endpoint) => (number, rank));
        }
    }
    // One peer: more would be more calls.
    let mut endpoints = [null_mut()];
    check!(btl, report add_peers(right, 1, pointers.as_ptr(), endpoints.as_mut_ptr())
        => (71, p(right), pointers[0]));
    c!(btl.ops, remove_peer(right, endpoints[0]));
    called("remove_peer", (71, 0));

    // When one fails, those made before are ended.
    let peers = [peer(0), peer(1), peer(2), peer(UNWELCOME)];
    let pointers = peers.each_ref().map(p);
    let mut endpoints = [at::<Endpoint>(1); 4];
    let status = c!(btl.ops, add_peers(left, 4, pointers.as_ptr(), endpoints.as_mut_ptr()));
    assert_eq!(status, ERR_PEER);
    let notes = calls();
    let ended = [0, 2].map(|rank| said("remove_peer", (70, rank)));
    assert_eq!(notes[4..], ended);
    assert_eq!(endpoints[..3], [null_mut(); 3]);

    let (mut modules, mut count) = (null(), 0);
    check!(btl, panics modules(btl.instance, &mut modules, &mut count) => btl.instance);
}

fn memory_and_keys(btl: &Subject<BtlOps>, module: &BtlModule) {
    let (memory, registration) = (at::<c_void>(0xabc0), at::<c_void>(0x6000));
    let (endpoint, cri) = (end(), cri(1));

    let mut place = null_mut();
    check!(btl, report register_memory(module, memory, 99, 6, &mut place) => (70, memory, 99, 6));
    assert_eq!(place, registration);
    check!(btl, report offer_memory(module, &cri, endpoint, memory, 99, &mut place)
        => (70, p(&cri), endpoint, memory, 99));
    assert_eq!(place, at(0x6600));

    let mut key = *b"########";
    check!(btl, report pack_key(module, registration, key.as_mut_ptr().cast())
        => (70, registration, KEY_SIZE));
    assert_eq!(&key, b"apple###");
    let from = b"peach###".as_ptr().cast::<c_void>();
    check!(btl, report unpack_key(module, endpoint, from, &mut place) => (70, endpoint, b"peach"));
    assert_eq!(place, at(0x7000));

    check!(btl, report map_key(module, registration, 0xabc, 99, &mut place)
        => (70, registration, 0xabc, 99));
    assert_eq!(place, at(0x8000));
    place = at(0x7000);

    check!(btl, plain release_key(module, place) => (70, place));
    check!(btl, plain deregister_memory(module, registration) => (70, registration));

    let mut address = null_mut();
    check!(btl, report allocate_memory(module, 99, &mut address, &mut place) => (70, 99));
    assert_eq!((address, place), (at(0x1000), at(0x6100)));
    check!(btl, plain free_memory(module, place) => (70, place));
}

fn sleeping_and_describing(btl: &Subject<BtlOps>, module: &BtlModule) {
    let cri = cri(1);
    let mut wake = BtlWake { fd: -1, ..BtlWake::blank() };
    let expected = said("arm", (71, p(&cri)));
    btl.fails(&expected, || c!(btl.ops, arm(module, &cri, &mut wake)));
    order(Next::Outcome(Outcome::NoResources));
    assert_eq!(c!(btl.ops, arm(module, &cri, &mut wake)), NO_RESOURCES);
    assert_eq!((wake.fd, wake.word, wake.expected, calls()), (-1, null(), 0, vec![expected]));
    assert_eq!(c!(btl.ops, arm(module, &cri, &mut wake)), DONE);
    called("arm", (71, p(&cri)));
    assert_eq!((wake.fd, wake.word, wake.expected), (12, &raw const WORD, 34));

    let endpoint = end();
    writes("connecté", &[said("describe", (71, endpoint))], |text, capacity| {
        c!(btl.ops, describe(module, endpoint, text, capacity))
    });
}

#[test]
fn a_device_is_polled_by_its_pool_and_knows_what_its_limits_say() {
    let scope = process();
    let btl = Subject::<BtlOps>::double(&scope);
    let [left, right] = modules(&btl);
    for (module, number, name) in [(left, 70, c"btl_double/left"), (right, 71, c"btl_double/right")]
    {
        // SAFETY: the pool is the device's.
        let pool = unsafe { &*module.pool };
        assert_eq!((pool.count, pool.name()), (2, name.to_str().unwrap()));
        for index in 0..2 {
            let cri = pool.cri(index);
            // Its lock is not held, but nothing else has it.
            // SAFETY: the device and its CRI.
            let events =
                unsafe { pool.progress.unwrap()(pool.module, std::ptr::from_ref(cri).cast_mut()) };
            assert_eq!((events, cri.index), (77, index));
            called("progress", (number, p(cri)));
        }
    }
    assert_eq!(left.capabilities, 0);
    // SAFETY: it is open.
    let host = unsafe { HostHandle::new(btl.instance) };
    let view = BtlModule { capabilities: BTL_IN_ORDER, ..BtlModule::named(c"one") };
    for (view, more) in [
        (BtlModule { immediate_limit: 1, ..view }, BTL_SEND_IMMEDIATE),
        (BtlModule { packed_limit: 1, ..view }, BTL_SEND_PACKED),
        (BtlModule { put_limit: 1, get_limit: 1, ..view }, BTL_PUT | BTL_GET),
    ] {
        let port = Port { number: 0 };
        let device = quietly(|| DeviceBox::<Double>::new(host, view, port, [()])).unwrap();
        assert_eq!(device.view().capabilities, BTL_IN_ORDER | more);
    }
}

#[test]
fn instances_share_no_cache_lines_whatever_belongs_to_them() {
    struct Many([u64; 17]);
    let cri = OwnCri::new(3, Many([5; 17]));
    let own: &Many = &cri;
    assert_eq!((own.0[16], p(own).addr() - p(&cri).addr()), (5, CACHE_LINE_PAIR));
    check_elements("instances", size_of::<OwnCri<Many>>(), align_of::<OwnCri<Many>>());
    assert_eq!(size_of::<OwnCri<()>>(), size_of::<Cri>());
}

#[test]
fn absent_functions() {
    let scope = process();
    let btl = Subject::<BtlOps>::bare(&scope);
    let [module, _] = modules(&btl);
    let (message, packed) = (&BtlMessage::blank(), &BtlPacked::blank());
    let transfer = &BtlTransfer::blank();
    let (atomic, cri) = (&BtlAtomic::blank(), &cri(3));
    let (endpoint, done) = (end(), at::<BtlCompletion>(COMPLETION));
    let ops = btl.ops;
    let unsupported = |code: OutcomeCode| assert_eq!(code, ERR_UNSUPPORTED);

    btl.defaults([
        ("send_immediate", &|| {
            unsupported(c!(ops, send_immediate(module, cri, endpoint, message)));
        }),
        ("send_packed", &|| unsupported(c!(ops, send_packed(module, cri, endpoint, packed)))),
        ("put", &|| unsupported(c!(ops, put(module, cri, endpoint, transfer, done)))),
        ("get", &|| unsupported(c!(ops, get(module, cri, endpoint, transfer, done)))),
        ("atomic", &|| unsupported(c!(ops, atomic(module, cri, endpoint, atomic, done)))),
        ("flush", &|| unsupported(c!(ops, flush(module, cri, endpoint, done)))),
        ("register_memory", &|| {
            let mut place = at(1);
            assert_eq!(c!(ops, register_memory(module, at(0x10), 9, 1, &mut place)), OK);
            assert!(place.is_null());
        }),
        // That these two do nothing shows in the notes.
        ("deregister_memory", &|| c!(ops, deregister_memory(module, null_mut()))),
        ("pack_key", &|| {
            let mut key = *b"########";
            assert_eq!(c!(ops, pack_key(module, null_mut(), key.as_mut_ptr().cast())), OK);
            assert_eq!(&key, b"########");
        }),
        ("unpack_key", &|| {
            let (key, mut place) = (b"########".as_ptr().cast(), at(1));
            assert_eq!(c!(ops, unpack_key(module, endpoint, key, &mut place)), OK);
            assert!(place.is_null());
        }),
        ("release_key", &|| c!(ops, release_key(module, null_mut()))),
        ("arm", &|| {
            let mut wake = BtlWake { fd: -1, ..BtlWake::blank() };
            unsupported(c!(ops, arm(module, cri, &mut wake)));
            assert_eq!((wake.fd, wake.word), (-1, null()));
        }),
        ("describe", &|| {
            writes("", &[], |text: *mut c_char, capacity| {
                c!(ops, describe(module, endpoint, text, capacity))
            });
        }),
        // It registers, which is absent, too.
        ("offer_memory", &|| {
            let module = BtlModule {
                ops,
                instance: module.instance,
                state: module.state,
                ..BtlModule::named(c"left")
            };
            let (memory, mut place) = (at(0x10), at(1));
            assert_eq!(c!(ops, offer_memory(&module, cri, endpoint, memory, 9, &mut place)), OK);
            assert!(place.is_null());
        }),
        ("allocate_memory", &|| {
            let (mut address, mut place) = (null_mut(), null_mut());
            unsupported(c!(ops, allocate_memory(module, 9, &mut address, &mut place)));
        }),
        ("free_memory", &|| c!(ops, free_memory(module, null_mut()))),
        ("map_key", &|| {
            let mut place = at(1);
            assert_eq!(c!(ops, map_key(module, null_mut(), 16, 9, &mut place)), OK);
            assert!(place.is_null());
        }),
        ("wait_for_more", &|| {
            assert_eq!(c!(ops, wait_for_more(module, &received(module, cri), 7)), 99);
        }),
        ("message_limit", &|| assert_eq!(c!(ops, message_limit(module, endpoint)), usize::MAX)),
    ]);
    btl.close();
}
