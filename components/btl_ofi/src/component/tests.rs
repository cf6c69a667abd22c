//! With the library, where it is here.

use std::time::{Duration, Instant};

use cairn_framework::abi::job::Job;
use cairn_framework::abi::receive::Received;
use cairn_framework::author::Mutex;
use cairn_framework::mock::MockHost;
use cairn_skips::has_library;
use cairn_transport::Admission;

use super::*;

const TAG: u8 = 40;

/// A device of the first process of three, if there is the library.
fn device(provider: &str) -> Option<(&'static MockHost, DeviceBox<Ofi>)> {
    if !has_library("libfabric.so.1") {
        return None;
    }
    let mock = MockHost::leak_among("btl_ofi", 3);
    mock.set("providers", provider);
    mock.set("num_cris", "1");
    let host = mock.handle();
    let params = mock.register::<Ofi>().unwrap();
    let config = params.config(host.job());
    let need = Need { one_node: true, named: true, endpoints: 3 };
    Some((mock, make_device(host, &params, config, need).unwrap()))
}

/// Makes an endpoint whose messages come to this process itself, as if that rank had sent them.
fn connect(device: &OfiDevice, rank: u32, secret: [u8; 16]) -> Arc<OfiEndpoint> {
    let job = Job { rank, secret, ..*device.host.job() };
    let pass = Admission::new(&job, "btl_ofi").unwrap().pass(0);
    let address = device.hold(0).endpoint.name().unwrap();
    device.insert_endpoint(OfiEndpoint::new(rank, vec![address], pass))
}

/// Makes progress until something is so.
fn until(device: &OfiDevice, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "it never is");
        progress::pass(device, &device.hold(0));
    }
}

#[test]
fn messages_of_another_job_come_to_nobody() {
    static CAME: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    unsafe extern "C" fn came(_: *mut c_void, received: *const Received) {
        // SAFETY: the transport vouches for it during the call.
        let bytes =
            unsafe { std::slice::from_raw_parts((*received).data.cast::<u8>(), (*received).len) };
        CAME.lock().push(bytes.to_vec());
    }
    for provider in ["shm", "tcp;ofi_rxm"] {
        let Some((mock, device)) = device(provider) else { return };
        // SAFETY: the function takes any context.
        unsafe { mock.handle().receive_register(TAG, came, std::ptr::null_mut()) }.unwrap();
        let stranger = connect(&device, 1, [8; 16]);
        let member = connect(&device, 2, device.host.job().secret);
        for (endpoint, text) in [(&stranger, &b"foreign"[..]), (&member, b"own")] {
            let cri = device.hold(0);
            let link = cri.link(&device, &cri, endpoint).unwrap();
            let write = |place: *mut u8| {
                // SAFETY: buffers are longer.
                unsafe { copy(text.as_ptr().cast(), place, text.len()) };
                text.len()
            };
            progress::send(&device, &cri, link, TAG, write).unwrap();
        }
        until(&device, || !CAME.lock().is_empty());
        // The stranger's were sent before.
        assert_eq!(std::mem::take(&mut *CAME.lock()), [b"own"], "{provider}");
        let refused = |line: &String| line.contains("not of this job");
        assert!(mock.log().iter().any(refused), "{provider}");
    }
}

#[test]
fn peers_are_gone_when_a_queue_fails_and_the_host_is_told_without_locks() {
    let Some((mock, device)) = device("shm") else { return };
    let early = connect(&device, 1, [7; 16]);
    {
        let _held = device.hold(0);
        device.break_down("overrun");
        device.break_down("overrun");
    }
    assert!(early.has_failed() && mock.failed().is_empty());
    assert!(device.reap() == 0 && mock.failed().is_empty(), "what has come is handed on first");
    until(&device, || device.reap() > 0);
    assert_eq!(mock.failed(), [1]);
    assert!(mock.log().iter().any(|line| line.contains("overrun")));
}

#[test]
fn an_operation_that_is_cancelled_comes_back() {
    let Some((_, device)) = device("shm") else { return };
    let op = {
        let cri = device.hold(0);
        let op = cri.messages.borrow().all().find(|op| op.is_posted.get()).unwrap();
        op.cancel(&cri.endpoint);
        op
    };
    until(&device, || !op.is_posted.get());
}

#[test]
fn shm_is_declined_where_it_has_no_room_for_all_endpoints() {
    if !has_library("libfabric.so.1") {
        return;
    }
    let library = Library::get().unwrap();
    let make = |endpoints| {
        let (shm, any) = (Filter::new(["shm"]), Filter::new([]));
        Choice::make(library, &shm, &any, Need { one_node: true, named: true, endpoints })
    };
    assert!(make(MOST_OF_SHM).is_ok());
    let Err(failure) = make(MOST_OF_SHM + 1) else { panic!("it is chosen") };
    assert!(failure.to_string().contains("257"), "{failure}");
}
