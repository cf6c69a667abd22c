//! Numbers as people read them.

use crate::contract::Scalar;
use crate::stats::Estimate;

/// A unit that fits some values: what to multiply with, and what to write behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// Values times this are shown.
    pub factor: f64,
    /// In this unit.
    pub unit: String,
}

impl Scale {
    /// For values of about this size.
    pub fn of(value: f64, unit: &str) -> Self {
        let size = value.abs();
        let scale = |factor: f64, unit: String| Self { factor, unit };
        if unit == "s" {
            return match size {
                0.0 => scale(1.0, "s".into()),
                s if s < 1e-6 => scale(1e9, "ns".into()),
                s if s < 1e-3 => scale(1e6, "µs".into()),
                s if s < 1.0 => scale(1e3, "ms".into()),
                _ => scale(1.0, "s".into()),
            };
        }
        let short = unit.replace("byte/s", "B/s");
        if !unit.contains('/') {
            return scale(1.0, if unit == "1" { String::new() } else { short });
        }
        // Prefixes stand right before a symbol, and with a blank before a word.
        let gap = if short == unit { " " } else { "" };
        match size {
            s if s >= 1e9 => scale(1e-9, format!("G{gap}{short}")),
            s if s >= 1e6 => scale(1e-6, format!("M{gap}{short}")),
            s if s >= 1e3 => scale(1e-3, format!("k{gap}{short}")),
            _ => scale(1.0, short),
        }
    }

    /// A value without its unit.
    pub fn number(&self, value: f64) -> String {
        digits(value * self.factor)
    }
}

/// The part of a unit that is a word, and so is not repeated with each number.
pub fn word(unit: &str) -> &str {
    if unit.contains('/') && unit != "byte/s" { unit } else { "" }
}

/// A value with its unit, in three digits.
pub fn value(value: f64, unit: &str) -> String {
    let scale = Scale::of(value, unit);
    format!("{} {}", scale.number(value), scale.unit).trim_end().to_owned()
}

/// Three digits, or all before the point.
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size.is_nan() => "–".into(),
        f64::INFINITY => if value > 0.0 { "∞" } else { "-∞" }.into(),
        0.0 => "0".into(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.095 => format!("{value:.2}"),
        size if size >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

/// An estimate with its interval, if it has one.
pub fn estimate(estimate: &Estimate) -> String {
    let interval = estimate.interval.map(|it| it.ends().map(digits));
    let interval = interval.map(|[low, high]| format!(" ({low} – {high})"));
    format!("{}{}", digits(estimate.value), interval.unwrap_or_default())
}

/// A number without what is not needed of three digits.
pub fn short(value: f64) -> String {
    let text = digits(value);
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A coordinate with its name, such as `4 KiB` or `2 threads`.
pub fn coordinate(name: &str, value: &Scalar) -> String {
    match (name, value) {
        ("bytes", Scalar::Number(bytes)) => self::bytes(*bytes),
        // What is counted in the plural stands behind its number.
        (name, Scalar::Number(1.0)) if name.ends_with("ies") => {
            format!("1 {}y", &name[..name.len() - 3])
        }
        (name, Scalar::Number(1.0)) if name.ends_with('s') => {
            format!("1 {}", &name[..name.len() - 1])
        }
        (name, Scalar::Number(number)) if name.ends_with('s') => format!("{number} {name}"),
        (name, value) => format!("{name} {value}"),
    }
}

/// A coordinate for an axis that has its name.
pub fn tick(name: &str, value: &Scalar) -> String {
    match (name, value) {
        ("bytes", Scalar::Number(bytes)) => self::bytes(*bytes),
        (_, value) => value.to_string(),
    }
}

/// A number of bytes.
fn bytes(bytes: f64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (size, unit) in units {
        let count = bytes / f64::from(size);
        if count >= 1.0 {
            return if count.fract() == 0.0 {
                format!("{count} {unit}")
            } else {
                format!("{} {unit}", digits(count))
            };
        }
    }
    format!("{bytes} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_fitting_units() {
        assert_eq!(value(1.234e-6, "s"), "1.23 µs");
        assert_eq!(value(3.21e-7, "s"), "321 ns");
        assert_eq!(value(12.34, "s"), "12.3 s");
        assert_eq!(value(0.0, "s"), "0 s");
        assert_eq!(value(2_500_000.0, "message/s"), "2.50 M message/s");
        assert_eq!(value(9.87e9, "byte/s"), "9.87 GB/s");
        assert_eq!(value(512.0, "byte/s"), "512 B/s");
        assert_eq!(value(0.5, "1"), "0.50");
        assert_eq!(value(1234.0, "steps"), "1234 steps");
        assert_eq!((digits(f64::INFINITY), digits(f64::NAN)), ("∞".into(), "–".into()));
    }

    #[test]
    fn coordinates_in_words() {
        let number = Scalar::Number;
        assert_eq!(coordinate("bytes", &number(0.0)), "0 B");
        assert_eq!(coordinate("bytes", &number(65536.0)), "64 KiB");
        assert_eq!(coordinate("bytes", &number(1536.0)), "1.50 KiB");
        assert_eq!(coordinate("bytes", &number(67_108_864.0)), "64 MiB");
        assert_eq!(coordinate("threads", &number(1.0)), "1 thread");
        assert_eq!(coordinate("threads", &number(4.0)), "4 threads");
        assert_eq!(coordinate("entities", &number(1.0)), "1 entity");
        assert_eq!(coordinate("window", &number(64.0)), "window 64");
        assert_eq!(coordinate("mode", &Scalar::Word("x".into())), "mode x");
        assert_eq!(tick("threads", &number(4.0)), "4");
    }
}
