//! What a peer says over TCP: cards, greetings, and frames.

use btl_tcp::wire::{
    Answer, Card, CardAddress, Frame, HELLO, Hello, MAX_TRANSFER, VERSION, WELCOME, Welcome,
};

use crate::bytes::Bytes;

const SECRET: [u8; 16] = *b"of this job only";

pub fn run(data: &[u8]) {
    if let Ok(card) = Card::decode(data) {
        assert_eq!(Card::decode(&card.encode()).as_ref(), Ok(&card));
    }
    let mut bytes = Bytes(data);
    let limit = bytes.u32();
    let mut rest = bytes.0;
    while let Ok(Some((frame, head))) = Frame::parse(rest, limit) {
        assert!(head <= rest.len() && head % 8 == 0);
        let body = match frame {
            Frame::Message { len, .. } => {
                assert!(len <= limit);
                len
            }
            Frame::Put { len, .. } | Frame::Data { len, .. } => {
                assert!(len <= MAX_TRANSFER);
                len
            }
            Frame::Get { len, .. } => {
                assert!(len <= MAX_TRANSFER);
                0
            }
            _ => 0,
        };
        if limit <= MAX_TRANSFER {
            let again = frame.head();
            assert_eq!(Frame::parse(again.bytes(), limit), Ok(Some((frame, head))));
        }
        let next = head + (body as usize).next_multiple_of(8);
        rest = rest.get(next..).unwrap_or_default();
    }
    greetings(Bytes(data));
}

/// What knows the secret comes back; what does not is nothing.
fn greetings(mut bytes: Bytes<'_>) {
    let mut said = [0; HELLO];
    let taken = bytes.take(HELLO);
    said[..taken.len()].copy_from_slice(taken);
    assert_eq!(Hello::decode(&said, &SECRET), None, "a proof without the secret");
    let _ = Hello::may_begin_with(taken);
    let mut answer = [0; WELCOME];
    let taken = bytes.take(WELCOME);
    answer[..taken.len()].copy_from_slice(taken);
    assert_eq!(Welcome::decode(&answer, &SECRET, &said), None, "a proof without the secret");
}

fn hello() -> Hello {
    Hello {
        version: VERSION,
        link: 0,
        source: 1,
        target: 0,
        frame_limit: 1 << 16,
        cris: 1,
        lanes: 1,
        count: 1,
        listener: [7; 16],
        nonce: [1; 16],
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let address =
        |text: &str| CardAddress { address: text.parse().expect("one"), prefix: 8, class: 1 };
    let card = Card {
        cris: 2,
        lanes: 1,
        nonce: [7; 16],
        machine: Some(3),
        addresses: vec![address("127.0.0.1:80"), address("[fe80::1]:9")],
    };
    let mut frames = 4096u32.to_le_bytes().to_vec();
    for frame in [
        Frame::Message { tag: 77, len: 8 },
        Frame::Put { key: 1, address: 64, len: 3 },
        Frame::Get { token: 1, key: 2, address: 3, len: 4 },
        Frame::Data { token: 1, len: 8 },
        Frame::Flush { token: 5 },
        Frame::Flushed { token: 6 },
        Frame::Bye,
    ] {
        frames.extend(frame.head().bytes());
        let body = match frame {
            Frame::Message { .. } | Frame::Put { .. } | Frame::Data { .. } => 8,
            _ => 0,
        };
        frames.extend(vec![9; body]);
    }
    // Of another job's secret.
    let hello = hello().encode(&[1; 16]);
    let (answer, rank, frame_limit, hellos) = (Answer::Welcome, 1, 4096, 0);
    let welcome = Welcome { version: VERSION, answer, rank, frame_limit, hellos };
    vec![card.encode(), frames, [&hello[..], &welcome.encode(&[1; 16], &hello)].concat()]
}
