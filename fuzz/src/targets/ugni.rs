//! What `btl_ugni` reads of peers: cards, datagrams, headers of messages, and keys.
//!
//! ```text
//!   1 card       the card
//!   2 datagram   the datagram
//!   3 header     two words
//!   4 key        address u64, length u64, the key
//! ```

use btl_ugni::card::Card;
use btl_ugni::memory::{KEY, Region};
use btl_ugni::wire::{DATAGRAM, Datagram, Header, Mailbox};
use cairn_segment::IDENTITY;
use cairn_transport::Head;

use crate::bytes::Bytes;

const CARD: u8 = 1;
const DATAGRAMS: u8 = 2;
const HEADERS: u8 = 3;
const KEYS: u8 = 4;

pub fn run(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    match bytes.byte() {
        CARD => {
            if let Ok(card) = Card::parse(bytes.0) {
                assert_eq!(Card::parse(&card.encode()), Ok(card));
            }
        }
        DATAGRAMS => {
            let Some(bytes) = bytes.0.first_chunk::<DATAGRAM>() else { return };
            let Ok(datagram) = Datagram::parse(bytes) else { return };
            assert_eq!(&datagram.encode(), bytes);
            let mailbox = datagram.mailbox;
            assert!(mailbox.offset.checked_add(mailbox.size).is_some_and(|end| end <= mailbox.len));
        }
        HEADERS => {
            let header = Header::of([bytes.u64(), bytes.u64()]);
            assert_eq!(Header::of(header.words()), header);
        }
        KEYS => {
            let (address, len) = (bytes.u64(), bytes.u64());
            let Some(region) = Region::unpack(bytes.0) else { return };
            if region.check(address, len).is_ok() {
                assert!(address - region.base <= region.len && len <= region.len);
                assert!(address.checked_add(len).is_some());
            }
        }
        _ => {}
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let card =
        Card { address: 7, most: 8192, credits: 32, identity: [7; IDENTITY], ids: vec![1, 2] };
    let mailbox = Mailbox {
        memory: 1 << 40,
        handle: [3, 4],
        len: 1 << 21,
        offset: 1 << 20,
        size: 1 << 20,
        most: 8192,
        credits: 32,
    };
    let datagram = Datagram { link: 5, mailbox, greeting: Some((Head(1 << 20), [9; 16])) };
    let mut key = [0; KEY];
    Region { handle: [9, 1], base: 4096, len: 64 }.pack(&mut key);
    vec![
        [&[CARD][..], &card.encode()].concat(),
        [&[DATAGRAMS][..], &datagram.encode()].concat(),
        [&[HEADERS][..], &77_u64.to_le_bytes(), &8_u64.to_le_bytes()].concat(),
        [&[KEYS][..], &4100_u64.to_le_bytes(), &8_u64.to_le_bytes(), &key].concat(),
    ]
}
