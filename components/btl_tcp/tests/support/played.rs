//! A rank, and its peer, which the test plays with sockets of its own.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use btl_tcp::wire::{
    Answer, Card, CardAddress, Frame, HELLO, Hello, VERSION, WELCOME, Welcome, padding,
};

use rustix::net::{AddressFamily, SocketType};

use super::{Rank, SECRET, Setup, TAG, rank, until};

/// Rank 0 of two; the test plays rank 1, which has this card.
pub fn lone(mca: &[(&str, &str)], card: Option<Card>) -> Rank {
    lone_of(&Setup { mca, ..Setup::default() }, card)
}

pub fn lone_of(setup: &Setup<'_>, card: Option<Card>) -> Rank {
    let one = rank(setup, 0);
    let cards: HashMap<_, _> =
        card.map(|card| ((1, "btl_tcp".to_owned()), card.encode())).into_iter().collect();
    one.open(&Arc::new(Mutex::new(cards))).unwrap();
    one
}

pub fn connect(to: Rank) -> TcpStream {
    let stream = TcpStream::connect(to.card().addresses[0].address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// The same from another address of this node.
pub fn connect_from(to: Rank, from: &str) -> TcpStream {
    let from: SocketAddr = SocketAddr::new(from.parse().unwrap(), 0);
    let (family, kind) = (AddressFamily::INET, SocketType::STREAM);
    let socket = rustix::net::socket(family, kind, None).unwrap();
    rustix::net::bind(&socket, &from).unwrap();
    rustix::net::connect(&socket, &to.card().addresses[0].address).unwrap();
    socket.into()
}

/// What rank 1 says first to this rank: each time something new.
pub fn hello(to: Rank) -> Hello {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    Hello {
        version: VERSION,
        link: 0,
        source: 1,
        target: 0,
        frame_limit: 1 << 16,
        cris: 1,
        lanes: 1,
        count: COUNT.fetch_add(1, Ordering::Relaxed),
        listener: to.card().nonce,
        nonce: [1; 16],
    }
}

/// Reads so many bytes while the rank makes progress; what came, when the rank has closed.
pub fn read(from: &mut TcpStream, ranks: &[Rank], len: usize) -> Vec<u8> {
    from.set_nonblocking(true).unwrap();
    let (mut bytes, mut end) = (Vec::new(), false);
    until(ranks, "bytes or the end", || {
        let mut chunk = vec![0; len - bytes.len()];
        match from.read(&mut chunk) {
            Ok(0) => end = true,
            Ok(got) => bytes.extend(&chunk[..got]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => end = true,
        }
        end || bytes.len() == len
    });
    from.set_nonblocking(false).unwrap();
    bytes
}

/// Whether the rank has closed the connection.
pub fn is_closed(stream: &mut TcpStream, ranks: &[Rank]) -> bool {
    read(stream, ranks, 1).is_empty()
}

/// Connects and greets as rank 1 would.
pub fn greet(to: Rank) -> TcpStream {
    greet_on(to, 0)
}

/// The same for one of several links.
pub fn greet_on(to: Rank, link: u16) -> TcpStream {
    let mut stream = connect(to);
    assert_eq!(say(&mut stream, to, &Hello { link, ..hello(to) }), Some(Answer::Welcome));
    stream
}

/// Says hello; what the rank answers, if it does not just close.
pub fn say(stream: &mut TcpStream, to: Rank, hello: &Hello) -> Option<Answer> {
    let said = hello.encode(&SECRET);
    stream.write_all(&said).unwrap();
    let answer: [u8; WELCOME] = read(stream, &[to], WELCOME).try_into().ok()?;
    let welcome = Welcome::decode(&answer, &SECRET, &said).unwrap();
    assert_eq!(welcome.rank, 0);
    Some(welcome.answer)
}

/// Takes a connection of this rank, which sends x.
pub fn welcome(stream: &mut TcpStream, from: Rank) {
    welcome_after(stream, from, 0);
}

/// The same as a process that has said so many hellos.
pub fn welcome_after(stream: &mut TcpStream, from: Rank, hellos: u64) {
    let said: [u8; HELLO] = read(stream, &[from], HELLO).try_into().unwrap();
    let hello = Hello::decode(&said, &SECRET).unwrap();
    assert_eq!((hello.source, hello.target, hello.listener), (0, 1, [7; 16]));
    let (answer, frame_limit) = (Answer::Welcome, 1 << 16);
    let welcome = Welcome { version: VERSION, answer, rank: 1, frame_limit, hellos };
    stream.write_all(&welcome.encode(&SECRET, &said)).unwrap();
    let expected = message(TAG, b"x");
    assert_eq!(read(stream, &[from], expected.len()), expected);
}

pub fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let head = Frame::Message { tag, len: body.len() as u32 }.head();
    [head.bytes(), body, &vec![0; padding(body.len())]].concat()
}

/// A card with addresses of this node.
pub fn card(addresses: &[SocketAddr]) -> Card {
    let address = |address: &SocketAddr| CardAddress { address: *address, prefix: 8, class: 0 };
    let addresses = addresses.iter().map(address).collect();
    Card { cris: 1, lanes: 1, nonce: [7; 16], machine: None, addresses }
}
