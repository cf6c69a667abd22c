//! `docs/coverage.md`.

use std::fmt::Write as _;

use super::table::{Function, Tables};

/// The page.
pub fn page(tables: &Tables) -> String {
    let mut modules: Vec<&str> = Vec::new();
    for function in &tables.functions {
        if !modules.contains(&function.module.as_str()) {
            modules.push(&function.module);
        }
    }
    let mut out = String::from(
        "# Functions of MPI\n\n\
         Every function of MPI 5.0 is in the library. One that is not implemented yet raises\n\
         `MPI_ERR_UNSUPPORTED_OPERATION` with its name, or returns `MPI_T_ERR_NOT_SUPPORTED` if it\n\
         belongs to the tool information interface. This page is made from `mpi/abi/functions.txt`\n\
         by `cargo xtask gen`. \"+c\" marks functions with a large-count form, which is always\n\
         implemented together with the plain one; both count.\n\n\
         | part | implemented | of |\n|---|---:|---:|\n",
    );
    let (mut all_done, mut all) = (0, 0);
    for module in &modules {
        let (done, of) = count(tables, module);
        let _ = writeln!(out, "| [{module}](#{module}) | {done} | {of} |");
        all_done += done;
        all += of;
    }
    let _ = writeln!(out, "| all | {all_done} | {all} |");
    for module in modules {
        let _ = writeln!(out, "\n## {module}\n\n| function | since | |\n|---|---|---|");
        for function in tables.functions.iter().filter(|function| function.module == module) {
            let large = if function.large.is_some() { " +c" } else { "" };
            let deprecated = function.deprecated.as_ref();
            let deprecated = deprecated.map_or(String::new(), |at| format!(", deprecated {at}"));
            let (name, since) = (function.c_name(false), &function.since);
            let state = if function.done { "implemented" } else { "not yet" };
            let _ = writeln!(out, "| `{name}`{large} | {since}{deprecated} | {state} |");
        }
    }
    out
}

fn count(tables: &Tables, module: &str) -> (usize, usize) {
    let forms = |function: &Function| function.forms().count();
    let of = tables.functions.iter().filter(|function| function.module == module);
    let done = of.clone().filter(|function| function.done).map(forms).sum();
    (done, of.map(forms).sum())
}
