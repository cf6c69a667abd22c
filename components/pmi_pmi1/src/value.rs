//! Values of any bytes as text that every server takes, in pieces of the length it takes.
//!
//! A value is base64 cut into pieces. The first begins with their number and a dot, so that it is
//! never empty and a reader knows how many more to fetch. Names (of services and ports) stay
//! readable: only what a server would trip over is written as `%` and two digits.

#![forbid(unsafe_code)]

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use cairn_framework::abi::status::ERR_PROTOCOL;
use cairn_framework::author::Failure;

/// What the contract of the framework allows, with room.
const MAX_PIECES: u32 = 1 << 16;
/// Digits and dot in front of the first piece.
const PREFIX: usize = 6;

/// The pieces of a value, of at most `room` bytes each.
pub fn pieces(value: &[u8], room: usize) -> impl Iterator<Item = String> {
    let text = STANDARD_NO_PAD.encode(value);
    let room = room.max(PREFIX + 1);
    // So much fits behind the number; the rest goes to pieces of their own.
    let first = text.len().min(room - PREFIX);
    let count = 1 + (text.len() - first).div_ceil(room);
    (0..count).map(move |piece| {
        if piece == 0 {
            return format!("{count}.{}", &text[..first]);
        }
        let start = first + (piece - 1) * room;
        text[start..text.len().min(start + room)].to_owned()
    })
}

/// The value out of its first piece and the others, which `fetch` brings by number.
pub fn assemble(
    first: &str,
    mut fetch: impl FnMut(u32) -> Result<String, Failure>,
) -> Result<Vec<u8>, Failure> {
    let wrong = |what: &str| Failure::new(ERR_PROTOCOL, format!("{what}: {first:.60}"));
    let (count, text) = first.split_once('.').ok_or_else(|| wrong("a value of another kind"))?;
    let count = count.parse::<u32>().ok().filter(|count| (1..=MAX_PIECES).contains(count));
    let count = count.ok_or_else(|| wrong("a value with an odd number of pieces"))?;
    let mut text = text.to_owned();
    for piece in 1..count {
        text += &fetch(piece)?;
    }
    STANDARD_NO_PAD.decode(text).map_err(|_| wrong("a value that is not base64"))
}

/// The key under which a piece of a rank's value is put, of at most `max` bytes. A long one is
/// stood for by 128 bits of it, so that pieces and ranks of any number have room.
pub fn key(rank: u32, piece: u32, key: &str, max: usize) -> String {
    let whole = format!("{rank}.{piece}.{key}");
    // The longest numbers decide, so that all pieces of one value are named in one way.
    if key.len() + 2 * (u32::MAX.to_string().len() + 1) <= max {
        return whole;
    }
    format!("{rank}.{piece}.{:032x}", fnv(key.as_bytes()))
}

/// FNV-1a with 128 bits.
fn fnv(bytes: &[u8]) -> u128 {
    let step = |hash: u128, byte: &u8| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    };
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step)
}

/// A name as a word.
pub fn escape(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_graphic() && !b"%\\;".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text
}

/// The name back. What was never escaped, such as a port of another MPI, stays as it is.
pub fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = (byte == b'%' && after.len() >= 2)
            .then(|| std::str::from_utf8(&after[..2]).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_keys_are_stood_for() {
        let long = "k".repeat(63);
        let short = key(4_000_000_000, 65535, &long, 63);
        assert!(short.len() <= 63 && short != key(4_000_000_000, 65535, &long[1..], 63), "{short}");
        assert_eq!(key(3, 0, "btl_sm", 63), "3.0.btl_sm");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "x", "0.", "-1.aa", "99999999.aa", "1.a b", "1.=", "2.aa"] {
            let fetched = |_| Ok("*".to_owned());
            assert_eq!(assemble(text, fetched).unwrap_err().status, ERR_PROTOCOL, "{text}");
        }
        assert_eq!(unescape("tag#0$%zz$%4"), Some("tag#0$%zz$%4".into()));
        assert_eq!(unescape("%ff"), None);
    }

    proptest! {
        #[test]
        fn values_survive_cutting(value: Vec<u8>, room in 0usize..300) {
            let all: Vec<String> = pieces(&value, room).collect();
            prop_assert!(all.iter().all(|piece| !piece.is_empty() && piece.len() <= room.max(7)));
            let back = assemble(&all[0], |piece| Ok(all[piece as usize].clone())).unwrap();
            prop_assert_eq!(back, value);
        }

        #[test]
        fn names_survive_escaping(name in "\\PC*") {
            let text = escape(&name);
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_graphic()));
            prop_assert_eq!(unescape(&text), Some(name));
        }

        #[test]
        fn any_text_is_taken_without_panic(text in ".*") {
            let _ = assemble(&text, |_| Ok(String::new()));
            let _ = unescape(&text);
        }
    }
}
