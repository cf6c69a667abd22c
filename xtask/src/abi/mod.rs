//! What is made from the tables in `mpi/abi`.
//!
//! | file | what |
//! |---|---|
//! | `include/mpi.h` | the C interface |
//! | `include/mpi-ext.h` | what Cairn has beside it |
//! | `mpi/src/abi/generated/types.rs` | the types of the C interface in Rust |
//! | `mpi/src/abi/generated/constants.rs` | its constants |
//! | `mpi/src/entries/*.rs` | the exported functions: checks, and a call of the implementation |
//! | `mpi/src/abi/generated/exports.map` | the names that the library exports |
//! | `docs/coverage.md` | which functions are implemented |

mod coverage;
mod entry;
mod header;
mod rust;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Where the generated Rust files are: the exported functions, and the types and constants.
pub fn dirs(root: &Path) -> [PathBuf; 2] {
    [root.join("mpi/src/entries"), root.join("mpi/src/abi/generated")]
}

/// The files.
pub fn generate(root: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let tables = table::read(root)?;
    let [entry, generated] = dirs(root);
    let mut files = BTreeMap::from([
        (root.join("include/mpi.h"), header::mpi_h(&tables)),
        (root.join("include/mpi-ext.h"), header::mpi_ext_h(&tables)),
        (root.join("docs/coverage.md"), coverage::page(&tables)),
        (generated.join("mod.rs"), rust::module()),
        (generated.join("types.rs"), rust::types(&tables)?),
        (generated.join("constants.rs"), rust::constants(&tables)?),
        (generated.join("exports.map"), rust::exports(&tables)),
        (entry.join("mod.rs"), rust::entries(&tables)?),
    ]);
    for (module, text) in rust::entry_modules(&tables)? {
        files.insert(entry.join(format!("{module}.rs")), text);
    }
    Ok(files)
}

/// Prints the signature of the implementation of a function.
pub fn signature(root: &Path, function: &str) -> Result<()> {
    let tables = table::read(root)?;
    let name = function.trim_start_matches("MPI_").trim_start_matches("MPIX_");
    let found = tables.all_functions().find(|row| row.name.eq_ignore_ascii_case(name));
    let found = found.with_context(|| format!("there is no function {name}"))?;
    println!("// mpi/src/calls/{}.rs\n{}", found.module, entry::signature(found)?);
    Ok(())
}
