//! The component against a server made of canned answers.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::fd::IntoRawFd;
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use cairn_framework::abi::status::{ERR_PEER, ERR_PROTOCOL};

use super::*;

/// A component with a given environment; the mock has none.
fn component(server: Server) -> Pmi1 {
    Pmi1 {
        environment: Environment {
            server: Ok(server),
            launcher: "a test",
            local: Some((1, 2)),
            spawned: false,
            job_id: None,
        },
        priority: 50,
        connection: Mutex::default(),
        side: Mutex::default(),
        mapping: OnceLock::new(),
    }
}

/// Plays a server: each request that comes must be the one expected, and gets its answer. Ends when
/// the script does, or the client is gone.
fn play(
    socket: impl std::io::Read + Write + Send + 'static,
    script: &'static [(&'static str, &'static str)],
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(socket);
        for (request, answer) in script {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            assert_eq!(line.trim_end(), *request);
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    })
}

fn over_socket(script: &'static [(&'static str, &'static str)]) -> (Pmi1, JoinHandle<()>) {
    let (here, there) = UnixStream::pair().unwrap();
    let server = play(there, script);
    (component(Server::Descriptor { fd: here.into_raw_fd(), rank: 1, size: 2 }), server)
}

#[test]
fn speaks_as_intel_hydra_does() {
    let (pmi, server) = over_socket(&[
        (
            "cmd=init pmi_version=1 pmi_subversion=1",
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n",
        ),
        ("cmd=get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=4096\n"),
        ("cmd=get_my_kvsname", "cmd=my_kvsname kvsname=kvs_1/2 rc=0\n"),
        (
            "cmd=get kvsname=kvs_1/2 key=PMI_process_mapping",
            "cmd=get_result rc=0 msg=success value=(vector,(0,2,1))\n",
        ),
        ("cmd=get_appnum", "cmd=appnum appnum=3\n"),
        ("cmd=get_universe_size", "cmd=universe_size size=-1 rc=0\n"),
        ("cmd=put kvsname=kvs_1/2 key=1.0.card value=1.AP8", "cmd=put_result rc=0 msg=success\n"),
        ("cmd=barrier_in", "cmd=barrier_out\n"),
        ("cmd=get kvsname=kvs_1/2 key=0.0.card", "cmd=get_result rc=0 msg=success value=2.AP\n"),
        ("cmd=get kvsname=kvs_1/2 key=0.1.card", "cmd=get_result rc=0 msg=success value=8\n"),
        (
            "cmd=get kvsname=kvs_1/2 key=0.0.none",
            "cmd=get_result rc=-1 msg=key_none_not_found value=unknown\n",
        ),
        (
            "cmd=publish_name service=my%20name port=tag#1$",
            "cmd=publish_result info=ok rc=0 msg=success\n",
        ),
        ("cmd=lookup_name service=other", "cmd=lookup_result rc=1 msg=service_not_found\n"),
        ("cmd=lookup_name service=x", "cmd=lookup_result info=ok port=a%20b\n"),
        ("cmd=unpublish_name service=x", "cmd=unpublish_result info=ok\n"),
        ("cmd=finalize", "cmd=finalize_ack\n"),
    ]);
    let job = pmi.connect().unwrap();
    assert_eq!((job.rank, job.size, job.appnum, job.universe), (1, 2, 3, -1));
    assert_eq!((job.local_rank, job.local_size, job.nodes), (0, 1, 2));
    assert_eq!((pmi.node_of(0), pmi.node_of(1)), (Ok(0), Ok(1)));
    assert_eq!(pmi.node_of(2).unwrap_err().status, ERR_ARGUMENT);
    // SAFETY: the component has ended the text.
    let id = unsafe { std::ffi::CStr::from_ptr(job.id.as_ptr()) };
    assert_eq!(id, c"kvs_1_2");

    pmi.put("card", &[0, 255]).unwrap();
    pmi.fence().unwrap();
    assert_eq!(pmi.get(0, "card").unwrap(), [0, 255]);
    assert_eq!(pmi.get(0, "none").unwrap_err().status, ERR_NOT_FOUND);
    pmi.publish("my name", Some("tag#1$")).unwrap();
    assert_eq!(pmi.lookup("other").unwrap_err().status, ERR_NOT_FOUND);
    assert_eq!(pmi.lookup("x").unwrap(), "a b");
    pmi.publish("x", None).unwrap();
    pmi.disconnect().unwrap();
    assert!(pmi.fence().unwrap_err().text.contains("not connected"));
    server.join().unwrap();
}

#[test]
fn our_own_server_says_everything_at_once() {
    let hello = (
        "cmd=init pmi_version=1 pmi_subversion=1",
        "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1 kvsname=cairn-1 keylen_max=64 \
         vallen_max=1024 appnum=2 size=-1 PMI_process_mapping=(vector,(0,1,2))\n",
    );
    let finalize = format!("cmd=finalize process={}", std::process::id());
    let script: &'static [_] = Box::leak(Box::new([
        hello,
        // It is told with the next request that has an answer.
        ("cmd=put quiet=1 key=1.0.card value=1.+/w", ""),
        ("cmd=barrier_in", "cmd=barrier_out\n"),
        ("cmd=barrier_in", ""),
        (
            "cmd=get kvsname=cairn-1 key=0.0.card",
            "cmd=barrier_out\ncmd=get_result rc=0 value=1.+/w\n",
        ),
        (Box::leak(finalize.into_boxed_str()), ""),
        ("cmd=abort exitcode=2 message=two words", ""),
    ]));
    let (mut pmi, server) = over_socket(script);
    pmi.environment.job_id = Some("cairn-1".into());
    let job = pmi.connect().unwrap();
    assert_eq!((job.appnum, job.universe, job.nodes, job.local_size), (2, -1, 1, 2));
    pmi.put("card", &[0xfb, 0xfc]).unwrap();
    pmi.fence().unwrap();
    let mut passes = 0;
    let mut progress = || {
        passes += 1;
        // The others are there before this is answered, and the fence ends all the same.
        assert_eq!(pmi.get(0, "card").unwrap(), [0xfb, 0xfc]);
        1
    };
    pmi.fence_with(Some(&mut progress)).unwrap();
    assert_eq!(passes, 1);
    pmi.with(Connection::finalize).unwrap();
    pmi.abort(2, "two words");
    server.join().unwrap();
    // A launcher that a rank of such a job started has another name.
    let (mut pmi, server) = over_socket(&BARE);
    pmi.environment.job_id = Some("cairn-1".into());
    assert_eq!(pmi.connect().unwrap().universe, 2);
    server.join().unwrap();
}

/// What a server that knows nothing says.
const BARE: [(&str, &str); 6] = [
    ("cmd=init pmi_version=1 pmi_subversion=1", "cmd=response_to_init pmi_version=1 rc=0\n"),
    ("cmd=get_maxes", "cmd=maxes\n"),
    ("cmd=get_my_kvsname", "cmd=my_kvsname kvsname=k\n"),
    ("cmd=get kvsname=k key=PMI_process_mapping", "cmd=get_result rc=1\n"),
    ("cmd=get_appnum", "cmd=appnum appnum=-1\n"),
    ("cmd=get_universe_size", "cmd=universe_size size=2\n"),
];

#[test]
fn a_port_is_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(socket.try_clone().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "cmd=initack pmiid=7\n");
        socket
            .write_all(b"cmd=initack\ncmd=set size=3\ncmd=set rank=2\ncmd=set debug=0\n")
            .unwrap();
        play(socket, &BARE).join().unwrap();
    });
    let pmi = component(Server::Port { address, id: "7".into() });
    let job = pmi.connect().unwrap();
    // Two of three on this node: which other rank is here is not known.
    assert_eq!((job.rank, job.size, job.local_rank, job.local_size, job.nodes), (2, 3, 1, 2, 0));
    assert_eq!(pmi.node_of(0).unwrap_err().status, ERR_NOT_FOUND);
    server.join().unwrap();
}

#[test]
fn without_a_mapping_all_local_ranks_are_on_one_node() {
    let (pmi, server) = over_socket(&BARE);
    let job = pmi.connect().unwrap();
    assert_eq!((job.nodes, pmi.node_of(1)), (1, Ok(0)));
    server.join().unwrap();
    let error = pmi.fence().unwrap_err();
    assert_eq!((error.status, error.text.as_str()), (ERR_PEER, "the process manager is gone"));
}

#[test]
fn abort_does_not_wait_for_a_thread_in_a_fence() {
    let (here, there) = UnixStream::pair().unwrap();
    let pmi = component(Server::Descriptor { fd: here.into_raw_fd(), rank: 0, size: 2 });
    let server = play(there.try_clone().unwrap(), &BARE);
    pmi.connect().unwrap();
    server.join().unwrap();
    std::thread::scope(|scope| {
        let fence = scope.spawn(|| pmi.fence());
        let mut reader = BufReader::new(there);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "cmd=barrier_in\n");
        pmi.abort(-3, "two words; a=b\nand more");
        line.clear();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "cmd=abort exitcode=-3 message=two_words__a_b_and_more\n");
        drop(reader);
        assert_eq!(fence.join().unwrap().unwrap_err().status, ERR_PEER);
    });
}

/// The other processes come late to a fence. Meanwhile this one asks for values, on the thread that
/// waits and on another one; the others come only when all of those were answered.
#[test]
fn requests_are_answered_while_a_fence_waits() {
    const EACH: usize = 10;
    for (with_progress, behind) in [(true, true), (true, false), (false, true), (false, false)] {
        let (here, there) = UnixStream::pair().unwrap();
        let pmi = component(Server::Descriptor { fd: here.into_raw_fd(), rank: 1, size: 2 });
        let hello = play(there.try_clone().unwrap(), &BARE);
        pmi.connect().unwrap();
        hello.join().unwrap();
        let (entered, has_entered) = std::sync::mpsc::channel();
        let server = std::thread::spawn(move || {
            let mut reader = BufReader::new(there);
            let mut next = move |answer: &str| {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                reader.get_mut().write_all(answer.as_bytes()).unwrap();
                line
            };
            assert_eq!(next(""), "cmd=barrier_in\n");
            entered.send(()).unwrap();
            let requests = if with_progress { 2 * EACH } else { EACH };
            for number in 1..=requests {
                // Together with the last answer comes that to the fence, and the thread that reads the one
                // reads the other, too.
                let answer = match (number == requests, behind) {
                    (false, _) => "cmd=get_result rc=0 value=1.AA\n",
                    (true, false) => "cmd=barrier_out\ncmd=get_result rc=0 value=1.AA\n",
                    (true, true) => "cmd=get_result rc=0 value=1.AA\ncmd=barrier_out\n",
                };
                let line = next(answer);
                assert!(line.starts_with("cmd=get kvsname=k key=0.0.card"), "{line}");
            }
            next
        });
        std::thread::scope(|scope| {
            let pmi = &pmi;
            let other = scope.spawn(move || {
                has_entered.recv().unwrap();
                for _ in 0..EACH {
                    assert_eq!(pmi.get(0, "card").unwrap(), [0]);
                }
            });
            let mut asked = 0;
            let mut progress = || {
                if asked < EACH {
                    asked += 1;
                    assert_eq!(pmi.get(0, "card").unwrap(), [0]);
                }
                1
            };
            if with_progress {
                pmi.fence_with(Some(&mut progress)).unwrap();
                assert_eq!(asked, EACH);
            } else {
                pmi.fence().unwrap();
            }
            other.join().unwrap();
        });
        drop(server.join().unwrap());
    }
}

/// Threads that ask for different things at once are all answered.
#[test]
fn threads_wait_for_each_other() {
    const EACH: usize = 50;
    let (here, there) = UnixStream::pair().unwrap();
    let pmi = component(Server::Descriptor { fd: here.into_raw_fd(), rank: 1, size: 2 });
    let hello = play(there.try_clone().unwrap(), &BARE);
    pmi.connect().unwrap();
    hello.join().unwrap();
    let server = std::thread::spawn(move || {
        let mut reader = BufReader::new(there);
        for _ in 0..3 * EACH {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let answer = match line.split(' ').next() {
                Some("cmd=get") => "cmd=get_result rc=0 value=1.AA\n",
                Some("cmd=publish_name") => "cmd=publish_result info=ok\n",
                _ => "cmd=lookup_result info=ok port=p\n",
            };
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    std::thread::scope(|scope| {
        scope.spawn(|| (0..EACH).for_each(|_| assert_eq!(pmi.get(0, "card").unwrap(), [0])));
        scope.spawn(|| (0..EACH).for_each(|_| pmi.publish("s", Some("p")).unwrap()));
        scope.spawn(|| (0..EACH).for_each(|_| assert_eq!(pmi.lookup("s").unwrap(), "p")));
    });
    server.join().unwrap();
}

#[test]
fn answers_that_fit_nothing_are_errors() {
    for script in [
        &[("cmd=init pmi_version=1 pmi_subversion=1", "cmd=response_to_init rc=-1\n")][..],
        &[("cmd=init pmi_version=1 pmi_subversion=1", "cmd=other\n")],
        &[("cmd=init pmi_version=1 pmi_subversion=1", "\u{1}\u{2}\n")],
        &[("cmd=init pmi_version=1 pmi_subversion=1", "cmd=response_to_init pmi_version=2 rc=0\n")],
    ] {
        let script: &'static [(&str, &str)] = Box::leak(script.to_vec().into_boxed_slice());
        let (pmi, server) = over_socket(script);
        assert_eq!(pmi.connect().unwrap_err().status, ERR_PROTOCOL, "{script:?}");
        server.join().unwrap();
    }
}
