//! btl_tcp reads what a peer sends over a connection, after a greeting that is right.

use std::io::Write;
use std::net::Shutdown;

use btl_tcp::wire::{Frame, padding};

#[path = "../../../components/btl_tcp/tests/support/mod.rs"]
#[allow(missing_docs, unreachable_pub, clippy::undocumented_unsafe_blocks)]
mod support;

use support::played::{connect, greet, is_closed, message};
use support::{TAG, played};

/// One byte: whether the greeting is right; the rest is what follows.
pub fn run(data: &[u8]) {
    let Some((kind, said)) = data.split_first() else { return };
    let said = &said[..said.len().min(64 << 10)];
    let one = played::lone(&[("mca_log", "off")], None);
    let mut stream = if kind % 4 == 0 { connect(one) } else { greet(one) };
    // The rank may have hung up, which is its right.
    let _ = stream.write_all(said);
    let _ = stream.shutdown(Shutdown::Write);
    // What the peer asked for comes back, and then the end.
    while !is_closed(&mut stream, &[one]) {}
    one.system.close();
}

pub fn seeds() -> Vec<Vec<u8>> {
    let frame =
        |frame: Frame, body: usize| [frame.head().bytes(), &vec![5; body + padding(body)]].concat();
    vec![
        [&[1][..], &message(TAG, b"hello"), &message(1, b""), &frame(Frame::Bye, 0)].concat(),
        [&[1][..], &frame(Frame::Flush { token: 1 }, 0), &frame(Frame::Bye, 0)].concat(),
        [&[1][..], &frame(Frame::Put { key: 0, address: 64, len: 9 }, 9)].concat(),
        [&[1][..], &frame(Frame::Get { token: 1, key: 0, address: 64, len: 9 }, 0)].concat(),
        [&[1][..], &frame(Frame::Data { token: 1, len: 9 }, 9)].concat(),
        b"\0CrnHnot a hello that anybody knows, though it is as long as one has to be, or longer"
            .to_vec(),
    ]
}
