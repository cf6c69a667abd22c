//! What matching engines are built of: queues and hash tables whose links lie in the entries, the
//! rule of what matches what, counts, and a lock around the whole.
//!
//! Nothing here allocates when an entry goes in or comes out, except a table that grows beyond what
//! it ever held.

mod entry;
mod guarded;
mod queue;
mod queues;
mod table;
mod tally;
mod text;
mod unexpected;

#[doc(hidden)] // for the macro
pub use cairn_framework::frameworks::matching::{MatchArrived, MatchCounts, MatchPosted};
pub use entry::{Entry, Key, tag_fits};
pub use guarded::{Guarded, Locking};
pub use queue::Queue;
pub use queues::Queues;
pub use table::Table;
pub use tally::Tally;
pub use text::{Line, write_lines};
pub use unexpected::Unexpected;
