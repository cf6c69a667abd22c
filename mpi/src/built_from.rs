//! The commit that the library was built from, for `MPI_Get_library_version`.
//!
//! The crate of the shared library says it, which is built last: a commit that changes nothing else then
//! costs a call of the linker, and no other crate is compiled again.

use cairn_framework::host::inventory;
#[doc(hidden)] // for the macro
pub use cairn_framework::host::inventory as __inventory;

/// A commit, with `+` if the sources of the library were changed.
#[derive(Debug)]
pub struct Commit(pub &'static str);

inventory::collect!(Commit);

/// Says the commit that everything is built from. At most once in a program or library.
#[macro_export]
macro_rules! built_from {
    ($commit:expr) => {
        $crate::built_from::__inventory::submit! { $crate::built_from::Commit($commit) }
    };
}

/// The commit; none if it was not known when the library was built.
pub(crate) fn commit() -> Option<&'static str> {
    inventory::iter::<Commit>.into_iter().map(|it| it.0).find(|commit| !commit.is_empty())
}
