//! Kinds of parameters, and values as users write them.

#![forbid(unsafe_code)]

use std::fmt;

use serde::Serialize;

/// What values a parameter may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A whole number in a range.
    Integer {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A number of bytes in a range.
    Size {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// Text.
    Text,
    /// One of several words; a word's number, from 0, stands for it too.
    Choice(Vec<String>),
    /// Words separated by commas.
    List,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Bytes.
    Size(u64),
    /// Text, also the word of a choice.
    Text(String),
    /// Words.
    List(Vec<String>),
}

const SUFFIXES: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

impl Kind {
    /// Reads a value as a user writes it, or says what is wrong with it.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        match self {
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(Value::Bool(true)),
                "0" | "false" | "no" | "off" => Ok(Value::Bool(false)),
                _ => Err(format!("\"{text}\" is neither yes nor no")),
            },
            Self::Integer { min, max } => {
                let number: i64 =
                    integer(text).ok_or_else(|| format!("\"{text}\" is not a whole number"))?;
                if number < *min || number > *max {
                    return Err(format!("{number} is outside its range"));
                }
                Ok(Value::Integer(number))
            }
            Self::Size { min, max } => {
                let number = size(text).ok_or_else(|| {
                    format!("\"{text}\" is not a number of bytes, such as 512, 4k or 1m")
                })?;
                if number < *min || number > *max {
                    return Err(format!("{} is outside its range", Value::Size(number)));
                }
                Ok(Value::Size(number))
            }
            Self::Text if text.contains('\0') => Err("it contains a zero byte".into()),
            Self::Text => Ok(Value::Text(text.to_owned())),
            Self::Choice(words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text))
                .or_else(|| words.get(text.parse::<usize>().ok()?))
                .map(|word| Value::Text(word.clone()))
                .ok_or_else(|| format!("\"{text}\" is not one of its words")),
            Self::List if text.contains('\0') => Err("it contains a zero byte".into()),
            Self::List if text.is_empty() => Ok(Value::List(Vec::new())),
            Self::List => {
                let words: Vec<String> =
                    text.split(',').map(|word| word.trim().to_owned()).collect();
                if words.iter().any(String::is_empty) {
                    return Err(format!("\"{text}\" has an empty word between its commas"));
                }
                Ok(Value::List(words))
            }
        }
    }

    /// Why no value can be allowed, if so: the author's mistake.
    pub fn contradiction(&self) -> Option<String> {
        let range = |min: String, max: String| {
            Some(format!("its smallest value {min} is above its largest {max}"))
        };
        match self {
            Self::Integer { min, max } if min > max => range(min.to_string(), max.to_string()),
            Self::Size { min, max } if min > max => {
                range(Value::Size(*min).to_string(), Value::Size(*max).to_string())
            }
            Self::Choice(words) if words.is_empty() => Some("a choice needs words".into()),
            Self::Choice(words)
                if words.iter().any(|word| word.is_empty() || word.contains(',')) =>
            {
                Some("a word of a choice is not empty and has no comma".into())
            }
            _ => None,
        }
    }

    /// What may be written, for messages.
    pub fn allowed(&self) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Integer { min: i64::MIN, max: i64::MAX } => "a whole number".into(),
            Self::Integer { min, max: i64::MAX } => format!("a whole number from {min}"),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Size { min, max } if *max >= i64::MAX as u64 => {
                format!("bytes from {}, such as 512, 4k, 1m", Value::Size(*min))
            }
            Self::Size { min, max } => {
                format!("bytes from {} to {}", Value::Size(*min), Value::Size(*max))
            }
            Self::Text => "text".into(),
            Self::Choice(words) => match words.as_slice() {
                [first @ .., last] if !first.is_empty() => {
                    format!("{} or {last}", first.join(", "))
                }
                words => words.join(""),
            },
            Self::List => "words separated by commas".into(),
        }
    }

    /// The kind's name in listings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Integer { .. } => "integer",
            Self::Size { .. } => "size",
            Self::Text => "string",
            Self::Choice(_) => "choice",
            Self::List => "list",
        }
    }
}

impl fmt::Display for Value {
    /// Writes the value so that [`Kind::parse`] reads it back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Size(value) => {
                let suffix = SUFFIXES
                    .iter()
                    .rev()
                    .find(|(_, shift)| *value != 0 && value.trailing_zeros() >= *shift);
                match suffix {
                    Some((letter, shift)) => write!(f, "{}{letter}", value >> shift),
                    None => write!(f, "{value}"),
                }
            }
            Self::Text(text) => f.write_str(text),
            Self::List(words) => f.write_str(&words.join(",")),
        }
    }
}

/// A decimal or `0x` number.
fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = unsigned(digits)?;
    if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

fn unsigned(digits: &str) -> Option<u64> {
    // `from_str_radix` takes a sign of its own, which would be the second one here.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) if !hex.starts_with(['+', '-']) => u64::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None => digits.parse().ok(),
    }
}

/// A number with an optional `k`, `m`, `g` or `t`, and an optional `b` or `ib` behind it.
fn size(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("0x") {
        return unsigned(&lower);
    }
    let bare = lower
        .strip_suffix("ib")
        .filter(|rest| rest.ends_with(|c| SUFFIXES.iter().any(|(letter, _)| *letter == c)))
        .or_else(|| lower.strip_suffix('b'))
        .unwrap_or(&lower);
    let (digits, shift) = match SUFFIXES.iter().find(|(letter, _)| bare.ends_with(*letter)) {
        Some((_, shift)) => (&bare[..bare.len() - 1], *shift),
        None => (bare, 0),
    };
    unsigned(digits.trim_end())?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes() {
        let kind = Kind::Size { min: 0, max: u64::MAX };
        let read = |text| match kind.parse(text) {
            Ok(Value::Size(bytes)) => Some(bytes),
            _ => None,
        };
        assert_eq!(read("4k"), Some(4096));
        assert_eq!(read("4 KiB"), Some(4096));
        assert_eq!(read("1M"), Some(1 << 20));
        assert_eq!(read("12b"), Some(12));
        assert_eq!(read("0x10"), Some(16));
        assert_eq!(read("2g"), Some(2 << 30));
        for wrong in ["", "k", "4kk", "-1", "4.5k", "99999999t", "ib", "+4k", "0x-1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranges_and_words() {
        let kind = Kind::Integer { min: -2, max: 7 };
        assert_eq!(kind.parse(" 7 "), Ok(Value::Integer(7)));
        assert_eq!(kind.parse("-2"), Ok(Value::Integer(-2)));
        assert!(kind.parse("8").unwrap_err().contains("range"));
        assert!(kind.parse("--2").is_err());
        let kind = Kind::Choice(vec!["spin".into(), "block".into()]);
        assert_eq!(kind.parse("Block"), Ok(Value::Text("block".into())));
        assert_eq!(kind.allowed(), "spin or block");
        assert_eq!(kind.parse("1"), Ok(Value::Text("block".into())));
        assert!(kind.parse("2").is_err());
        assert!(kind.parse("blok").is_err());
        assert_eq!(Kind::List.parse("a, b"), Ok(Value::List(vec!["a".into(), "b".into()])));
        assert!(Kind::List.parse("a,,b").is_err());
    }

    proptest! {
        /// Whatever is written, reading it gives a value or a sentence, and a value's own text
        /// reads as the same value.
        #[test]
        fn parse_never_panics_and_displays_round_trip(text in any::<String>()) {
            let kinds = [
                Kind::Bool,
                Kind::Integer { min: i64::MIN, max: i64::MAX },
                Kind::Size { min: 0, max: u64::MAX },
                Kind::Text,
                Kind::Choice(vec!["a".into(), "bc".into()]),
                Kind::List,
            ];
            for kind in kinds {
                if let Ok(value) = kind.parse(&text) {
                    prop_assert_eq!(kind.parse(&value.to_string()), Ok(value));
                }
            }
        }

        #[test]
        fn numbers_round_trip(number in any::<i64>(), bytes in any::<u64>()) {
            let integer = Kind::Integer { min: i64::MIN, max: i64::MAX };
            prop_assert_eq!(integer.parse(&number.to_string()), Ok(Value::Integer(number)));
            let size = Kind::Size { min: 0, max: u64::MAX };
            let value = Value::Size(bytes);
            prop_assert_eq!(size.parse(&value.to_string()), Ok(value));
        }
    }
}
