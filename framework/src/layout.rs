//! For tests: which thread writes which cache lines. Threads that write one line wait for each other although
//! they share nothing, and so do readers of what lies beside something that is written.

use crate::abi::pool::CACHE_LINE_PAIR;

/// A part of what lies in one piece of memory.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// What it is.
    pub name: &'static str,
    /// Bytes from the beginning.
    pub at: usize,
    /// Bytes.
    pub size: usize,
    /// The thread that writes it. Parts of one writer may share lines.
    pub writer: &'static str,
}

impl Part {
    /// The first of its lines, and the one behind the last; in pairs, which processors fetch together.
    fn lines(&self) -> std::ops::Range<usize> {
        self.at / CACHE_LINE_PAIR..(self.at + self.size.max(1)).div_ceil(CACHE_LINE_PAIR)
    }
}

/// Prints the table of a layout, for `cargo test -- --nocapture`, and checks it.
///
/// # Panics
/// When parts of different writers share a pair of cache lines.
pub fn check(what: &str, parts: &[Part]) {
    println!("\n{what}\n  {:>8} {:>7}  {:<28} written by", "lines", "bytes", "part");
    for part in parts {
        let lines = part.lines();
        let lines = format!("{}..{}", lines.start, lines.end);
        println!("  {lines:>8} {:>7}  {:<28} {}", part.size, part.name, part.writer);
    }
    for (i, one) in parts.iter().enumerate() {
        for other in &parts[i + 1..] {
            let (a, b) = (one.lines(), other.lines());
            let apart = a.end <= b.start || b.end <= a.start;
            assert!(
                apart || one.writer == other.writer,
                "{what}: {} (written by {}) and {} (written by {}) share cache lines",
                one.name,
                one.writer,
                other.name,
                other.writer
            );
        }
    }
}

/// Checks an array: no two elements of `size` bytes, aligned to `align`, share lines.
///
/// # Panics
/// When they do.
pub fn check_elements(what: &str, size: usize, align: usize) {
    let part = |name, at, writer| Part { name, at, size, writer };
    assert!(align.is_multiple_of(CACHE_LINE_PAIR), "{what}: aligned to {align} bytes");
    check(what, &[part("one", 0, "its holder"), part("the next", size, "another's holder")]);
}

/// The offset of the first byte behind `$field` in `$type`.
#[macro_export]
macro_rules! field_end {
    ($type:ty, $field:ident) => {{
        const fn size_of_pointee<T>(_: *const T) -> usize {
            ::core::mem::size_of::<T>()
        }
        const END: usize = {
            let whole = ::core::mem::MaybeUninit::<$type>::uninit();
            // SAFETY: `&raw const` takes the field's address and reads nothing, so the memory
            // behind it may be uninitialised.
            let field = unsafe { &raw const (*whole.as_ptr()).$field };
            ::core::mem::offset_of!($type, $field) + size_of_pointee(field)
        };
        END
    }};
}

/// Fields of a struct as [`Part`](crate::layout::Part)s: `parts!(Type { field: "writer", ... })`.
#[macro_export]
macro_rules! parts {
    ($type:ty { $($field:ident: $writer:literal),+ $(,)? }) => {
        [$({
            let at = ::core::mem::offset_of!($type, $field);
            $crate::layout::Part {
                name: stringify!($field),
                at,
                size: $crate::field_end!($type, $field) - at,
                writer: $writer,
            }
        }),+]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Shared {
        mine: u64,
        yours: u64,
        far: [u8; 256],
        last: u64,
    }

    #[test]
    fn a_shared_line_is_found() {
        check("fine", &crate::parts!(Shared { mine: "me", yours: "me", last: "you" }));
        let shared = || check("not", &crate::parts!(Shared { mine: "me", yours: "you" }));
        let text = std::panic::catch_unwind(shared).expect_err("they share a line");
        assert!(text.downcast_ref::<String>().expect("a text").contains("mine (written by me)"));
        assert!(std::panic::catch_unwind(|| check_elements("small", 64, 128)).is_err());
        check_elements("fine", 256, 128);
        assert_eq!(core::mem::offset_of!(Shared, far), 16);
    }
}
