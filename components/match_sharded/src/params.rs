//! Parameters.

use cairn_framework::abi::comm::{COMM_NO_ANY_SOURCE, COMM_NO_ANY_TAG};

/// Only on request: a process with one thread does not need it, and one lock is cheaper
/// than several when receives have wildcards.
const PRIORITY: i64 = 20;

/// Rows by default: enough that a few peers do not meet.
const ROWS: u32 = 4;
/// The same where no receive takes one lock of each.
const ROWS_WITHOUT_ANY_SOURCE: u32 = 16;
/// Columns by default: a multiple of the threads that are likely.
const COLUMNS: std::ops::RangeInclusive<u32> = 16..=64;

cairn_framework::params! {
    /// The parameters of `match_sharded`.
    pub struct Params {
        pub priority: priority(PRIORITY);
        rows: integer(0),
            "Parts by the sender's rank; a receive of any source locks one part of each row. \
             Rounded up to a power of two; 0 is up to 4, where no receive has MPI_ANY_SOURCE up \
             to 16, else where none has MPI_ANY_TAG 1",
            range(0, 256), level(6);
        columns: integer(0),
            "Parts by the tag; a receive of any tag locks one part of each column. Rounded up \
             to a power of two; 0 is four for each processor, at least 16 and at most 64",
            range(0, 256), level(6);
    }
}

impl Params {
    /// Rows and columns for a communicator with these assertions.
    pub fn grid(&self, cores: u32, sources: u32, flags: u32) -> (usize, usize) {
        let sources = sources.max(1).next_power_of_two();
        let rows = match self.rows.get() as u32 {
            0 if flags & COMM_NO_ANY_SOURCE != 0 => ROWS_WITHOUT_ANY_SOURCE.min(sources),
            0 if flags & COMM_NO_ANY_TAG != 0 => 1,
            0 => ROWS.min(sources),
            rows => rows.next_power_of_two(),
        };
        let columns = match self.columns.get() as u32 {
            0 => (4 * cores).clamp(*COLUMNS.start(), *COLUMNS.end()).next_power_of_two(),
            columns => columns.next_power_of_two(),
        };
        (rows as usize, columns as usize)
    }
}
