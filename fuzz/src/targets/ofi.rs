//! What `btl_ofi` reads of peers: cards, messages, and keys.
//!
//! ```text
//!   1 card       the card
//!   2 messages   of length u16 each
//!   3 key        address u64, length u64, the key
//! ```

use std::cell::RefCell;

use btl_ofi::card::Card;
use btl_ofi::memory::{KEY, Region};
use btl_ofi::order::{self, MOST_AHEAD};
use btl_ofi::wire::Header;
use cairn_framework::abi::job::Job;
use cairn_framework::mock::MockHost;
use cairn_segment::IDENTITY;
use cairn_transport::{Admission, Admitted, Head};

use crate::bytes::Bytes;

const CARD: u8 = 1;
const MESSAGES: u8 = 2;
const KEYS: u8 = 3;

fn admission(rank: u32) -> Admission {
    let job = Job { rank, size: 4, secret: [5; 16], ..*MockHost::leak("btl_ofi").handle().job() };
    Admission::new(&job, "btl_ofi").expect("a small job")
}

pub fn run(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    match bytes.byte() {
        CARD => {
            if let Ok(card) = Card::parse(bytes.0) {
                assert_eq!(Card::parse(&card.encode()), Ok(card));
            }
        }
        MESSAGES => messages(bytes),
        KEYS => {
            let (address, len) = (bytes.u64(), bytes.u64());
            let Some(region) = Region::unpack(bytes.0) else { return };
            if let Ok(offset) = region.locate(address, len, false) {
                assert!(offset.checked_add(len).is_some_and(|end| end <= region.len));
                assert_eq!(region.locate(address, len, true).ok(), Some(address));
            }
        }
        _ => {}
    }
}

fn messages(mut bytes: Bytes<'_>) {
    let (own, ways) = (admission(0), RefCell::default());
    let mut greeted = [false; 4];
    let mut came = 0;
    while !bytes.is_over() {
        let len = bytes.u16().into();
        came += 1;
        let message = bytes.take(len);
        _ = order::arrived(&ways, &own, message, |what, rest| match what {
            // Nobody else has the proof.
            Admitted::Greeting(rank) => {
                assert_eq!(admission(rank).pass(0).greeting().1, *rest);
                greeted[rank as usize] = true;
            }
            Admitted::Message(rank, _) | Admitted::Goodbye(rank) => assert!(greeted[rank as usize]),
            Admitted::Refused => {}
        });
    }
    assert!(ways.borrow().waiting() <= came);
}

fn message(head: Head, number: u32, rest: &[u8]) -> Vec<u8> {
    let words = Header { head, number, cri: 1 }.words();
    let bytes = [&words[0].to_ne_bytes()[..], &words[1].to_ne_bytes(), rest].concat();
    [&(bytes.len() as u16).to_le_bytes()[..], &bytes].concat()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let card = Card {
        provider: "shm".into(),
        loopback: false,
        frame: 4096,
        identity: [7; IDENTITY],
        addresses: vec![b"fi_shm://1:0:0\0".to_vec(), vec![2; 16]],
    };
    let pass = admission(2).pass(0);
    let (head, proof) = pass.greeting();
    let (greeting, goodbye) = (message(head, 0, &proof), message(pass.goodbye(), 3, b""));
    let text = |number| message(pass.head(9), number, b"message");
    let mut key = [0; KEY];
    Region { key: 9, base: 4096, len: 64 }.pack(&mut key);
    vec![
        [&[CARD][..], &card.encode()].concat(),
        [&[MESSAGES][..], &greeting, &text(1), &text(2), &goodbye].concat(),
        [&[MESSAGES][..], &text(2), &goodbye, &text(1), &greeting, &text(MOST_AHEAD)].concat(),
        [&[KEYS][..], &4100_u64.to_le_bytes(), &8_u64.to_le_bytes(), &key].concat(),
    ]
}
