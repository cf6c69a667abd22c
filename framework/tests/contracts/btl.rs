//! The contract of transports.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicU32;

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::pool::Cri;
use cairn_framework::abi::status::{
    DONE, ERR_PEER, ERR_UNSUPPORTED, NO_RESOURCES, OK, OutcomeCode,
};
use cairn_framework::author::{Failure, Outcome};
use cairn_framework::frameworks::btl::{
    Btl, BtlAtomic, BtlCompletion, BtlGathered, BtlMessage, BtlModule, BtlOps, BtlPacked,
    BtlTransfer, BtlWake, Device, Endpoint,
};

use super::support::{
    Blank, Life, Next, Subject, at, called, calls, cri, order, p, peer, play, process, said, writes,
};

const KEY_SIZE: u32 = 5;
static WORD: AtomicU32 = AtomicU32::new(0);

struct Double {
    life: Life,
    /// Leads to the views of `_devices`.
    modules: Vec<*mut BtlModule>,
    _devices: [Device<Port>; 2],
}

// SAFETY: the pointers lead to devices, which may be used by any thread.
unsafe impl Send for Double {}
// SAFETY: see `Send`.
unsafe impl Sync for Double {}

struct Port {
    number: u32,
}

fn view(instance: *mut Instance, name: &'static CStr) -> BtlModule {
    // The host sets the instance; here, where the test plays the host, the transport does.
    BtlModule { name: name.as_ptr(), instance, key_size: KEY_SIZE, ..BtlModule::blank() }
}

/// The rank of a peer for whom no endpoint can be made.
const UNWELCOME: u32 = 9;

impl Double {
    fn new(life: Life) -> Self {
        let device = |name, number| Device::new(view(life.me(), name), Port { number });
        let devices = [device(c"left", 70), device(c"right", 71)];
        let modules = devices.iter().map(Device::module).collect();
        Self { life, modules, _devices: devices }
    }
}

life!(Double, Double::new);

impl Btl for Double {
    type Device = Port;

    fn modules(&self) -> &[*mut BtlModule] {
        // It can't fail but by a panic.
        play("modules", self.life.me()).unwrap_or_else(|failure| panic!("{failure}"));
        &self.modules
    }
    fn add_peer(
        port: &Port,
        view: &BtlModule,
        peer: &Peer,
    ) -> Result<Option<*mut Endpoint>, Failure> {
        play("add_peers", (port.number, p(view), p(peer)))?;
        if peer.rank == UNWELCOME {
            return Err(Failure::new(ERR_PEER, "not you"));
        }
        Ok(peer.rank.is_multiple_of(2).then(|| at(0x5000 + peer.rank as usize)))
    }
    plays! { [unsafe]
        fn send_immediate(port: &Port, cri: &Cri, endpoint: *mut Endpoint, message: &BtlMessage)
            -> Result<Outcome, Failure> = |outcome| outcome;
        fn send_packed(port: &Port, cri: &Cri, endpoint: *mut Endpoint, message: &BtlPacked)
            -> Result<Outcome, Failure> = |outcome| outcome;
        fn send_gathered(port: &Port, cri: &Cri, endpoint: *mut Endpoint, message: &BtlGathered,
            completion: *mut BtlCompletion) -> Result<Outcome, Failure> = |outcome| outcome;
        fn put(port: &Port, cri: &Cri, endpoint: *mut Endpoint, transfer: &BtlTransfer,
            completion: *mut BtlCompletion) -> Result<Outcome, Failure> = |outcome| outcome;
        fn get(port: &Port, cri: &Cri, endpoint: *mut Endpoint, transfer: &BtlTransfer,
            completion: *mut BtlCompletion) -> Result<Outcome, Failure> = |outcome| outcome;
        fn atomic(port: &Port, cri: &Cri, endpoint: *mut Endpoint, atomic: &BtlAtomic,
            completion: *mut BtlCompletion) -> Result<Outcome, Failure> = |outcome| outcome;
        fn flush(port: &Port, cri: &Cri, endpoint: *mut Endpoint, completion: *mut BtlCompletion)
            -> Result<Outcome, Failure> = |outcome| outcome;
        fn register_memory(port: &Port, address: *mut c_void, len: usize, access: u32)
            -> Result<*mut c_void, Failure> = |_| at(0x6000);
        fn offer_memory(port: &Port, cri: &Cri, endpoint: *mut Endpoint, address: *mut c_void,
            len: usize) -> Result<*mut c_void, Failure> = |_| at(0x6600);
        fn remove_peer(port: &Port, endpoint: *mut Endpoint) => ();
        fn deregister_memory(port: &Port, registration: *mut c_void) => ();
        fn release_key(port: &Port, key: *mut c_void) => ();
        fn describe(port: &Port, endpoint: *mut Endpoint) -> String => "connecté".into();
    }
    plays! { []
        fn arm(port: &Port, cri: &Cri) -> Result<Option<BtlWake>, Failure> = |outcome| {
            let wake = BtlWake { fd: 12, reserved: 0, word: &raw const WORD, expected: 34 };
            (outcome != Outcome::NoResources).then_some(wake)
        };
    }
    unsafe fn pack_key(
        port: &Port,
        registration: *mut c_void,
        key: &mut [u8],
    ) -> Result<(), Failure> {
        play("pack_key", (port.number, registration, key.len()))?;
        key.copy_from_slice(b"apple");
        Ok(())
    }
    unsafe fn unpack_key(
        port: &Port,
        endpoint: *mut Endpoint,
        packed: &[u8],
    ) -> Result<*mut c_void, Failure> {
        play("unpack_key", (port.number, endpoint, packed))?;
        Ok(at(0x7000))
    }
}

components!(btl, Double: send_immediate, send_packed, send_gathered, put, get, atomic, flush,
    register_memory, deregister_memory, pack_key, unpack_key, release_key, arm, describe,
    offer_memory);

const ENDPOINT: usize = 0x5000;
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
    let (gathered, transfer) = (&BtlGathered::blank(), &BtlTransfer::blank());
    let (atomic, cri) = (&BtlAtomic::blank(), &cri(3));
    let (to, done) = (at::<Endpoint>(ENDPOINT), at::<BtlCompletion>(COMPLETION));
    let all = null_mut::<Endpoint>();
    let on = p(cri);
    check!(btl, outcome send_immediate(module, cri, to, message) => (71, on, to, p(message)));
    check!(btl, outcome send_packed(module, cri, to, packed) => (71, on, to, p(packed)));
    check!(btl, outcome send_gathered(module, cri, to, gathered, done)
        => (71, on, to, p(gathered), done));
    check!(btl, outcome put(module, cri, to, transfer, done) => (71, on, to, p(transfer), done));
    check!(btl, outcome get(module, cri, to, transfer, done) => (71, on, to, p(transfer), done));
    check!(btl, outcome atomic(module, cri, to, atomic, done) => (71, on, to, p(atomic), done));
    check!(btl, outcome flush(module, cri, to, done) => (71, on, to, done));
    check!(btl, outcome flush(module, cri, all, done) => (71, on, all, done));
}

fn peers(btl: &Subject<BtlOps>, [left, right]: [&BtlModule; 2]) {
    let peers = [peer(0), peer(1), peer(2)];
    let pointers = peers.each_ref().map(p);
    for (module, number) in [(left, 70), (right, 71)] {
        let mut endpoints = [at::<Endpoint>(1); 4];
        let status = c!(btl.ops, add_peers(module, 3, pointers.as_ptr(), endpoints.as_mut_ptr()));
        assert_eq!(status, OK);
        assert_eq!(endpoints, [at(0x5000), null_mut(), at(0x5002), at(1)]);
        assert_eq!(calls(), pointers.map(|peer| said("add_peers", (number, p(module), peer))));
    }
    // One peer: more would be more calls.
    let mut endpoints = [null_mut()];
    check!(btl, report add_peers(right, 1, pointers.as_ptr(), endpoints.as_mut_ptr())
        => (71, p(right), pointers[0]));

    // When one fails, those made before are ended.
    let peers = [peer(0), peer(1), peer(2), peer(UNWELCOME)];
    let pointers = peers.each_ref().map(p);
    let mut endpoints = [at::<Endpoint>(1); 4];
    let status = c!(btl.ops, add_peers(left, 4, pointers.as_ptr(), endpoints.as_mut_ptr()));
    assert_eq!(status, ERR_PEER);
    let notes = calls();
    let ended = [at::<Endpoint>(0x5000), at(0x5002)].map(|one| said("remove_peer", (70, one)));
    assert_eq!(notes[4..], ended);
    assert_eq!(endpoints[..3], [null_mut(); 3]);

    check!(btl, plain remove_peer(left, at(0x5002)) => (70, at::<Endpoint>(0x5002)));
    let (mut modules, mut count) = (null(), 0);
    check!(btl, panics modules(btl.instance, &mut modules, &mut count) => btl.instance);
}

fn memory_and_keys(btl: &Subject<BtlOps>, module: &BtlModule) {
    let (memory, registration) = (at::<c_void>(0xabc0), at::<c_void>(0x6000));
    let (endpoint, cri) = (at::<Endpoint>(ENDPOINT), cri(1));

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

    check!(btl, plain release_key(module, place) => (70, place));
    check!(btl, plain deregister_memory(module, registration) => (70, registration));
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

    let endpoint = at::<Endpoint>(ENDPOINT);
    writes("connecté", &[said("describe", (71, endpoint))], |text, capacity| {
        c!(btl.ops, describe(module, endpoint, text, capacity))
    });
}

#[test]
fn a_device_has_one_address() {
    let device = Device::new(view(null_mut(), c"one"), 4711_u64);
    let (module, state) = (device.module(), p(device.state()));
    let moved = Box::new(device);
    assert_eq!((moved.module(), p(moved.state())), (module, state));
    // SAFETY: the device is alive.
    let known = unsafe { (*module).state };
    assert_eq!((known.cast_const().cast(), *moved.state()), (state, 4711));
}

#[test]
fn absent_functions() {
    let scope = process();
    let btl = Subject::<BtlOps>::bare(&scope);
    let [module, _] = modules(&btl);
    let (message, packed) = (&BtlMessage::blank(), &BtlPacked::blank());
    let (gathered, transfer) = (&BtlGathered::blank(), &BtlTransfer::blank());
    let (atomic, cri) = (&BtlAtomic::blank(), &cri(3));
    let (endpoint, done) = (at::<Endpoint>(ENDPOINT), at::<BtlCompletion>(COMPLETION));
    let ops = btl.ops;
    let unsupported = |code: OutcomeCode| assert_eq!(code, ERR_UNSUPPORTED);

    btl.defaults([
        ("send_immediate", &|| {
            unsupported(c!(ops, send_immediate(module, cri, endpoint, message)));
        }),
        ("send_packed", &|| unsupported(c!(ops, send_packed(module, cri, endpoint, packed)))),
        ("send_gathered", &|| {
            unsupported(c!(ops, send_gathered(module, cri, endpoint, gathered, done)));
        }),
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
            let module = BtlModule { ops, ..view(module.instance, c"left") };
            let (memory, mut place) = (at(0x10), at(1));
            assert_eq!(c!(ops, offer_memory(&module, cri, endpoint, memory, 9, &mut place)), OK);
            assert!(place.is_null());
        }),
    ]);
    btl.close();
}
