//! What ob1 itself costs: 8-byte messages through the transport of the tests, which does next to
//! nothing.
//!
//! ```sh
//! cargo build --profile profiling -p pml_ob1 --example ping
//! valgrind --tool=callgrind --toggle-collect='*measured*' target/profiling/examples/ping
//! ```
//!
//! Each of the 1000 rounds posts a receive, starts a send, makes a pass of progress, and looks at
//! both requests. The count divided by 1000 is for one message on both sides, the test transport,
//! the engine, the pass and the freeing of the receive included; callgrind_annotate tells them
//! apart.

#[path = "../tests/pair/mod.rs"]
mod pair;

use cairn_framework::frameworks::pml::PML_STANDARD;
use pair::btl::Behaviour;
use pair::{Buffer, Job, bytes};

const ROUNDS: u32 = 1000;

#[inline(never)]
fn measured(
    job: &Job,
    rounds: u32,
    send: &cairn_framework::frameworks::pml::PmlSend,
    receive: &cairn_framework::frameworks::pml::PmlReceive,
) {
    for _ in 0..rounds {
        let received = job.ranks[0].irecv(receive);
        let sent = job.ranks[0].isend(send);
        assert!(sent.is_complete());
        while !received.is_complete() {
            job.ranks[0].system.progress();
        }
        received.free();
    }
}

fn main() {
    let threaded = std::env::args().any(|argument| argument == "threaded");
    let job = Job::new(1, threaded, &[], Behaviour::default());
    let comm = job.comm(1, true);
    let (out, into) = (Buffer::filled(bytes(), 8, 1), Buffer::new(bytes(), 8));
    let send = out.send(comm[0], 0, 1, PML_STANDARD);
    let receive = into.receive(comm[0], 0, 1);
    // Everything is made at first use.
    for _ in 0..10 {
        let received = job.ranks[0].irecv(&receive);
        job.ranks[0].isend(&send);
        job.until("warm", || received.is_complete());
        received.free();
    }
    measured(&job, ROUNDS, &send, &receive);
    into.check(1, 8);
    println!("{ROUNDS} messages, {} matched", job.count("matched"));
    job.end(vec![comm]);
}
