//! The hints of a window (MPI 5.0, section 12.2.1 and following).

use std::fmt::Write as _;

use cairn_framework::frameworks::osc::{
    ORDER_RAR, ORDER_RAW, ORDER_WAR, ORDER_WAW, WINDOW_NO_LOCKS, WINDOW_NONCONTIGUOUS,
    WINDOW_SAME_OP, Window as View,
};

use crate::objects::info::{
    ALIGNMENT, ASSERTED_MEMORY_KINDS, KNOWN_MEMORY_KINDS, MEMORY_KINDS, Pairs, word,
};

/// The info key that chooses components.
pub const COMPONENTS: &str = "cairn_osc";
const NO_LOCKS: &str = "no_locks";
const ORDERING: &str = "accumulate_ordering";
const OPERATIONS: &str = "accumulate_ops";
const NONCONTIGUOUS: &str = "alloc_shared_noncontig";
const GRANULARITY: &str = "mpi_accumulate_granularity";
/// What a program says of the processes' windows, which changes nothing here.
const SAME: [&str; 2] = ["same_size", "same_disp_unit"];

const ORDERS: [(&str, u32); 4] =
    [("rar", ORDER_RAR), ("raw", ORDER_RAW), ("war", ORDER_WAR), ("waw", ORDER_WAW)];
const ALL_ORDERS: u32 = ORDER_RAR | ORDER_RAW | ORDER_WAR | ORDER_WAW;

/// Allocated memory begins at a multiple of this, and of what the program wishes: a cache line, and enough
/// for any vector.
pub const LEAST_ALIGNMENT: u64 = 64;

/// The hints of a window.
#[derive(Default)]
pub struct Hints {
    /// Everything that the program gave when the window was made.
    given: Pairs,
    /// Keys of these that components have asked for.
    asked: Vec<String>,
    /// Which of [`SAME`] are true.
    same: [bool; SAME.len()],
    /// Whether operations that are concurrent are all the same, with `MPI_NO_OP` being another one.
    same_op: bool,
    /// [`ASSERTED_MEMORY_KINDS`], if the program said so.
    memory_kinds: Option<String>,
}

/// What is decided by hints for a window's whole life.
#[derive(Clone, Copy)]
pub struct Decided {
    /// [`View::flags`].
    pub flags: u32,
    /// [`View::ordering`].
    pub ordering: u32,
    /// [`View::alignment`].
    pub alignment: u64,
    /// [`View::granularity`].
    pub granularity: u64,
}

impl Hints {
    /// Those of a new window, and what they decide.
    pub fn new(given: Pairs) -> (Self, Decided) {
        let is_true = |key| given.get(key) == Some("true");
        let mut flags = WINDOW_SAME_OP;
        for (key, flag) in [(NO_LOCKS, WINDOW_NO_LOCKS), (NONCONTIGUOUS, WINDOW_NONCONTIGUOUS)] {
            flags |= if is_true(key) { flag } else { 0 };
        }
        let decided = Decided {
            flags,
            ordering: given.get(ORDERING).and_then(ordering_of).unwrap_or(ALL_ORDERS),
            alignment: alignment_of(&given),
            granularity: given.get(GRANULARITY).and_then(|it| it.parse().ok()).unwrap_or(0),
        };
        let same_op = given.get(OPERATIONS) == Some("same_op");
        let mut hints = Self { same_op, ..Self::default() };
        hints.change(&given);
        hints.given = given;
        (hints, decided)
    }

    /// Changes those of a window that is in use. What components rely on stays as it is.
    pub fn change(&mut self, given: &Pairs) {
        for (key, same) in SAME.iter().zip(&mut self.same) {
            match given.get(key) {
                Some("true") => *same = true,
                Some("false") => *same = false,
                _ => {}
            }
        }
        if let Some(kinds) = given.get(ASSERTED_MEMORY_KINDS) {
            self.memory_kinds = Some(kinds.to_owned());
        }
    }

    /// What a component learns of a key that it knows.
    pub fn ask(&mut self, key: &str) -> Option<&str> {
        let value = self.given.get(key)?;
        if !self.asked.iter().any(|known| known == key) {
            self.asked.push(key.to_owned());
        }
        Some(value)
    }

    /// Whether `MPI_NO_OP` is not concurrent with other operations.
    pub fn is_same_op(&self) -> bool {
        self.same_op
    }

    /// What the program gave for a key.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.given.get(key)
    }

    /// Those in use, as the program sees them: those of the standard, the component that serves the
    /// window, what was given for keys that components have asked for, and what holds for `known` keys where
    /// nothing was given.
    pub fn in_use(&self, view: &View, component: &str, known: Vec<(String, String)>) -> Pairs {
        let mut used = Pairs::default();
        for (key, flag) in [(NO_LOCKS, WINDOW_NO_LOCKS), (NONCONTIGUOUS, WINDOW_NONCONTIGUOUS)] {
            used.set(key, word(view.flags & flag != 0));
        }
        used.set(ORDERING, &ordering_text(view.ordering));
        used.set(OPERATIONS, if self.same_op { "same_op" } else { "same_op_no_op" });
        for (key, same) in SAME.iter().zip(self.same) {
            used.set(key, word(same));
        }
        used.set(GRANULARITY, &view.granularity.to_string());
        used.set(ALIGNMENT, &view.alignment.to_string());
        used.set(MEMORY_KINDS, KNOWN_MEMORY_KINDS);
        if let Some(kinds) = &self.memory_kinds {
            used.set(ASSERTED_MEMORY_KINDS, kinds);
        }
        used.set(COMPONENTS, component);
        let asked = self
            .asked
            .iter()
            .filter_map(|key| Some((key.clone(), self.given.get(key)?.to_owned())));
        for (key, value) in asked.chain(known) {
            if used.get(&key).is_none() {
                used.set(&key, &value);
            }
        }
        used
    }
}

/// What memory that is allocated has to be aligned to.
pub fn alignment_of(hints: &Pairs) -> u64 {
    let wish = hints.get(ALIGNMENT).and_then(|value| value.parse().ok());
    let wish = wish.filter(|wish: &u64| wish.is_power_of_two()).unwrap_or(0);
    wish.max(LEAST_ALIGNMENT)
}

/// The orders that a program wants to be kept; none if it says what is not known.
fn ordering_of(text: &str) -> Option<u32> {
    if text == "none" {
        return Some(0);
    }
    text.split(',').try_fold(0, |all, word| {
        let (_, order) = ORDERS.iter().find(|(known, _)| *known == word.trim())?;
        Some(all | order)
    })
}

fn ordering_text(ordering: u32) -> String {
    let mut text = String::new();
    for (word, _) in ORDERS.iter().filter(|(_, order)| ordering & order != 0) {
        let _ = write!(text, "{}{word}", if text.is_empty() { "" } else { "," });
    }
    if text.is_empty() { "none".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(pairs: &[(&str, &str)]) -> Decided {
        let mut given = Pairs::default();
        pairs.iter().for_each(|(key, value)| given.set(key, value));
        Hints::new(given).1
    }

    #[test]
    fn what_is_not_known_decides_nothing() {
        let plain = decided(&[]);
        assert_eq!((plain.flags, plain.ordering), (WINDOW_SAME_OP, ALL_ORDERS));
        assert_eq!((plain.alignment, plain.granularity), (LEAST_ALIGNMENT, 0));
        let wrong =
            [(NO_LOCKS, "perhaps"), (ORDERING, "raw,all"), (ALIGNMENT, "3"), (GRANULARITY, "x")];
        let wrong = decided(&wrong);
        assert_eq!((wrong.flags, wrong.ordering), (plain.flags, plain.ordering));
        assert_eq!((wrong.alignment, wrong.granularity), (plain.alignment, plain.granularity));
    }

    #[test]
    fn what_is_known_decides() {
        let said =
            [(NO_LOCKS, "true"), (ORDERING, "waw, rar"), (ALIGNMENT, "4096"), (GRANULARITY, "8")];
        let said = decided(&said);
        assert_eq!(
            (said.flags, said.ordering),
            (WINDOW_SAME_OP | WINDOW_NO_LOCKS, ORDER_RAR | ORDER_WAW)
        );
        assert_eq!((said.alignment, said.granularity), (4096, 8));
        assert_eq!(decided(&[(ORDERING, "none")]).ordering, 0);
        assert_eq!(ordering_text(ORDER_RAR | ORDER_WAW), "rar,waw");
        assert_eq!(ordering_text(0), "none");
        assert_eq!(ordering_of(&ordering_text(ALL_ORDERS)), Some(ALL_ORDERS));
    }
}
