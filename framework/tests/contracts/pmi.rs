//! The contract of launch protocols.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use cairn_framework::abi::status::{ERR_UNSUPPORTED, OK, Status};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::pmi::{Pmi, PmiJob, PmiOps};

use super::support::{Life, Subject, called, calls, play, process};

struct Double(Life);

life!(Double, Double);

impl Pmi for Double {
    fn connect(&self) -> Result<PmiJob, Failure> {
        play("connect", self.0.me())?;
        let mut job = PmiJob {
            rank: 2,
            size: 5,
            appnum: 3,
            universe: 9,
            local_rank: 1,
            local_size: 3,
            nodes: 2,
            ..PmiJob::default()
        };
        job.set_texts("job-17", "a test");
        Ok(job)
    }
    plays! { []
        fn put(&self, key: &str, value: &[u8]) -> Result<(), Failure> = drop;
        fn fence(&self) -> Result<(), Failure> = drop;
        fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Failure> = |_| b"card".into();
        fn abort(&self, code: i32, text: &str) => ();
        fn disconnect(&self) -> Result<(), Failure> = drop;
        fn publish(&self, service: &str, port: Option<&str>) -> Result<(), Failure> = drop;
        fn lookup(&self, service: &str) -> Result<String, Failure> = |_| "port-8".into();
        fn node_of(&self, rank: u32) -> Result<u32, Failure> = |_| rank / 3;
    }
    fn fence_with(&self, progress: Option<&mut dyn FnMut() -> u32>) -> Result<(), Failure> {
        let done = progress.map(|progress| progress() + progress());
        play("fence_with", (self.0.me(), done)).map(drop)
    }
}

components!(pmi, Double: publish, lookup, node_of, fence_with);

#[test]
fn every_function_reaches_the_protocol() {
    let scope = process();
    let pmi = Subject::<PmiOps>::double(&scope);
    let (ops, me) = (pmi.ops, pmi.instance);
    let (key, value) = (c"key".as_ptr(), b"valueX".as_ptr().cast::<c_void>());
    let (service, port) = (c"service".as_ptr(), c"port".as_ptr());

    check!(pmi, report put(me, key, value, 5) => (me, "key", b"value"));
    check!(pmi, report put(me, key, value, 0) => (me, "key", [0; 0]));
    check!(pmi, report fence(me) => me);
    check!(pmi, report disconnect(me) => me);
    check!(pmi, report publish(me, service, port) => (me, "service", Some("port")));
    check!(pmi, report publish(me, service, null()) => (me, "service", None::<&str>));

    let mut made = 0_u32;
    unsafe extern "C" fn progress(made: *mut c_void) -> u32 {
        // SAFETY: the context below.
        unsafe { *made.cast::<u32>() += 1 };
        4
    }
    let context = (&raw mut made).cast();
    assert_eq!(c!(ops, fence_with(me, Some(progress), context)), OK);
    called("fence_with", (me, Some(8)));
    assert_eq!(made, 2);
    check!(pmi, report fence_with(me, None, null_mut()) => (me, None::<u32>));

    let mut job = PmiJob::default();
    check!(pmi, report connect(me, &mut job) => me);
    assert_eq!((job.rank, job.size, job.appnum, job.universe), (2, 5, 3, 9));
    assert_eq!((job.local_rank, job.local_size, job.nodes), (1, 3, 2));
    // SAFETY: the double has set both texts.
    let texts = unsafe { [CStr::from_ptr(job.id.as_ptr()), CStr::from_ptr(job.launcher.as_ptr())] };
    assert_eq!(texts, [c"job-17", c"a test"]);

    let mut node = 77;
    check!(pmi, report node_of(me, 4, &mut node) => (me, 4));
    assert_eq!(node, 1);

    check!(pmi, plain abort(me, 3, c"no more".as_ptr()) => (me, 3, "no more"));
    check!(pmi, plain abort(me, 4, null()) => (me, 4, ""));
    values(&pmi);
    pmi.close_complete();
}

/// A value of four bytes, with room for all of it, some, and none, and a text with room and without.
fn values(pmi: &Subject<PmiOps>) {
    let (me, key) = (pmi.instance, c"key".as_ptr());
    for (capacity, copied) in [(8, b"card####"), (4, b"card####"), (2, b"ca######")] {
        let (mut buffer, mut len) = (*b"########", 99);
        let to = buffer.as_mut_ptr().cast::<c_void>();
        check!(pmi, report get(me, 4, key, to, capacity, &mut len) => (me, 4, "key"));
        assert_eq!((&buffer, len), (copied, 4));
    }
    let mut len = 0;
    check!(pmi, report get(me, 4, key, null_mut(), 0, &mut len) => (me, 4, "key"));
    assert_eq!(len, 4);

    let (service, mut buffer) = (c"service".as_ptr(), *b"########");
    let to = buffer.as_mut_ptr().cast::<c_char>();
    check!(pmi, report lookup(me, service, to, 8) => (me, "service"));
    assert_eq!(&buffer, b"port-8\0#");
}

#[test]
fn texts_that_are_not_utf8_do_not_reach_the_protocol() {
    let scope = process();
    let pmi = Subject::<PmiOps>::double(&scope);
    let (ops, me, bad) = (pmi.ops, pmi.instance, c"\xff".as_ptr());
    let mut buffer = [0; 8];
    let to = buffer.as_mut_ptr();
    let functions: [(&str, &dyn Fn() -> Status); 5] = [
        ("put", &|| c!(ops, put(me, bad, c"x".as_ptr().cast(), 1))),
        ("get", &|| c!(ops, get(me, 1, bad, to.cast(), 8, &mut 0))),
        ("publish", &|| c!(ops, publish(me, bad, c"port".as_ptr()))),
        ("publish", &|| c!(ops, publish(me, c"service".as_ptr(), bad))),
        ("lookup", &|| c!(ops, lookup(me, bad, to.cast(), 8))),
    ];
    for (name, call) in functions {
        assert!(call() < 0, "{name}");
        assert!(pmi.reason().contains("UTF-8"), "{name}: {}", pmi.reason());
        assert_eq!(calls(), [""; 0], "{name}");
    }
    pmi.close();
}

#[test]
fn absent_functions() {
    let scope = process();
    let pmi = Subject::<PmiOps>::bare(&scope);
    let (ops, me, service) = (pmi.ops, pmi.instance, c"service".as_ptr());
    pmi.defaults([
        ("publish", &|| {
            let port = c"port".as_ptr();
            assert_eq!(c!(ops, publish(me, service, port)), ERR_UNSUPPORTED);
        }),
        ("lookup", &|| {
            let mut buffer = [b'#'; 8];
            let status = c!(ops, lookup(me, service, buffer.as_mut_ptr().cast(), 8));
            assert_eq!((status, buffer), (ERR_UNSUPPORTED, [b'#'; 8]));
        }),
        ("node_of", &|| {
            let mut node = 77;
            assert_eq!((c!(ops, node_of(me, 1, &mut node)), node), (ERR_UNSUPPORTED, 77));
        }),
        ("fence_with", &|| assert_eq!(c!(ops, fence_with(me, None, null_mut())), ERR_UNSUPPORTED)),
    ]);
    pmi.close();
}
