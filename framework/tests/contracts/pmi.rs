//! The contract of launch protocols.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use cairn_framework::abi::status::{ERR_UNSUPPORTED, OK, Status};
use cairn_framework::author::Failure;
use cairn_framework::frameworks::pmi::{Pmi, PmiJob, PmiOps};

use super::support::{Life, Subject, called, calls, note, play, process, said};

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
    fn put(&self, key: &str, value: &[u8]) -> Result<(), Failure> {
        play("put", (self.0.me(), key, value)).map(drop)
    }
    fn fence(&self) -> Result<(), Failure> {
        play("fence", self.0.me()).map(drop)
    }
    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Failure> {
        play("get", (self.0.me(), rank, key))?;
        Ok(b"card".into())
    }
    fn abort(&self, code: i32, text: &str) {
        note("abort", (self.0.me(), code, text));
    }
    fn disconnect(&self) -> Result<(), Failure> {
        play("disconnect", self.0.me()).map(drop)
    }
    fn publish(&self, service: &str, port: Option<&str>) -> Result<(), Failure> {
        play("publish", (self.0.me(), service, port)).map(drop)
    }
    fn lookup(&self, service: &str) -> Result<String, Failure> {
        play("lookup", (self.0.me(), service))?;
        Ok("port-8".into())
    }
    fn node_of(&self, rank: u32) -> Result<u32, Failure> {
        play("node_of", (self.0.me(), rank))?;
        Ok(rank / 3)
    }
    fn fence_with(&self, progress: Option<&mut dyn FnMut() -> u32>) -> Result<(), Failure> {
        let done = progress.map(|progress| progress() + progress());
        play("fence_with", (self.0.me(), done)).map(drop)
    }
}

cairn_framework::component! {
    framework: pmi,
    component: Double,
    name: "double",
    description: "implements everything",
}
bare!(pmi, Double: publish, lookup, node_of, fence_with);

#[test]
fn every_function_reaches_the_protocol() {
    let scope = process();
    let pmi = Subject::<PmiOps>::double(&scope);
    let (ops, me) = (pmi.ops, pmi.instance);
    let (key, value) = (c"key".as_ptr(), b"valueX".as_ptr().cast::<c_void>());
    let (service, port) = (c"service".as_ptr(), c"port".as_ptr());

    let functions: [(String, &dyn Fn() -> Status); 6] = [
        (said("put", (me, "key", b"value")), &|| c!(ops, put(me, key, value, 5))),
        (said("put", (me, "key", [0; 0])), &|| c!(ops, put(me, key, value, 0))),
        (said("fence", me), &|| c!(ops, fence(me))),
        (said("disconnect", me), &|| c!(ops, disconnect(me))),
        (said("publish", (me, "service", Some("port"))), &|| c!(ops, publish(me, service, port))),
        (said("publish", (me, "service", None::<&str>)), &|| c!(ops, publish(me, service, null()))),
    ];
    for (expected, call) in functions {
        pmi.fails(&expected, call);
        pmi.panics(&expected, call);
        assert_eq!(call(), OK);
        assert_eq!(calls(), [expected]);
    }

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
    let expected = said("fence_with", (me, None::<u32>));
    pmi.fails(&expected, || c!(ops, fence_with(me, None, null_mut())));
    pmi.panics(&expected, || c!(ops, fence_with(me, None, null_mut())));

    let mut job = PmiJob::default();
    pmi.fails(&said("connect", me), || c!(ops, connect(me, &mut job)));
    pmi.panics(&said("connect", me), || c!(ops, connect(me, &mut job)));
    assert_eq!(job.rank, 0);
    assert_eq!(c!(ops, connect(me, &mut job)), OK);
    called("connect", me);
    assert_eq!((job.rank, job.size, job.appnum, job.universe), (2, 5, 3, 9));
    assert_eq!((job.local_rank, job.local_size, job.nodes), (1, 3, 2));
    // SAFETY: the double has set both texts.
    let texts = unsafe { [CStr::from_ptr(job.id.as_ptr()), CStr::from_ptr(job.launcher.as_ptr())] };
    assert_eq!(texts, [c"job-17", c"a test"]);

    let (expected, mut node) = (said("node_of", (me, 4)), 77);
    pmi.fails(&expected, || c!(ops, node_of(me, 4, &mut node)));
    pmi.panics(&expected, || c!(ops, node_of(me, 4, &mut node)));
    assert_eq!(node, 77);
    assert_eq!(c!(ops, node_of(me, 4, &mut node)), OK);
    assert_eq!((node, calls()), (1, vec![expected]));

    c!(ops, abort(me, 3, c"no more".as_ptr()));
    called("abort", (me, 3, "no more"));
    c!(ops, abort(me, 4, null()));
    called("abort", (me, 4, ""));
    values(&pmi);
    pmi.close_complete();
}

/// A value of four bytes, with room for all of it, some, and none, and a text with room and without.
fn values(pmi: &Subject<PmiOps>) {
    let (ops, me, key) = (pmi.ops, pmi.instance, c"key".as_ptr());
    let expected = said("get", (me, 4, "key"));
    for (capacity, copied) in [(8, b"card####"), (4, b"card####"), (2, b"ca######")] {
        let (mut buffer, mut len) = (*b"########", 99);
        let to = buffer.as_mut_ptr().cast::<c_void>();
        pmi.fails(&expected, || c!(ops, get(me, 4, key, to, capacity, &mut len)));
        pmi.panics(&expected, || c!(ops, get(me, 4, key, to, capacity, &mut len)));
        assert_eq!(len, 99);
        assert_eq!(c!(ops, get(me, 4, key, to, capacity, &mut len)), OK);
        assert_eq!((&buffer, len, calls()), (copied, 4, vec![expected.clone()]));
    }
    let mut len = 0;
    assert_eq!(c!(ops, get(me, 4, key, null_mut(), 0, &mut len)), OK);
    assert_eq!((len, calls()), (4, vec![expected]));

    let expected = said("lookup", (me, "service"));
    let mut buffer = *b"########";
    let to = buffer.as_mut_ptr().cast::<c_char>();
    pmi.fails(&expected, || c!(ops, lookup(me, c"service".as_ptr(), to, 8)));
    pmi.panics(&expected, || c!(ops, lookup(me, c"service".as_ptr(), to, 8)));
    assert_eq!(&buffer, b"########");
    assert_eq!(c!(ops, lookup(me, c"service".as_ptr(), to, 8)), OK);
    assert_eq!((&buffer, calls()), (b"port-8\0#", vec![expected]));
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
