//! Which compiler is behind the wrapper.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Language;

/// Set for the compiler, so that a wrapper that is run by it knows.
pub const NESTED: &str = "CAIRN_MPICC_NESTED";

/// The compiler and its first arguments: the one that is named, or that of the environment.
pub fn find(language: Language, named: Option<&str>, me: &Path) -> Result<Vec<OsString>, String> {
    let (variables, default) = match language {
        Language::C => (["CAIRN_CC", "MPICH_CC", "OMPI_CC", "CC"], "cc"),
        Language::Cxx => (["CAIRN_CXX", "MPICH_CXX", "OMPI_CXX", "CXX"], "c++"),
    };
    if let Some(named) = named {
        return split("the compiler", named);
    }
    // CC=mpicc is usual in builds. It means the compiler behind this wrapper, not this wrapper
    // again: directly it is recognized by its file, behind something like ccache by NESTED.
    if std::env::var_os(NESTED).is_none() {
        for variable in variables {
            let Ok(value) = std::env::var(variable) else { continue };
            let words = split(variable, &value)?;
            if words.first().is_some_and(|program| !is_me(program.as_ref(), me)) {
                return Ok(words);
            }
        }
    }
    Ok(vec![default.into()])
}

fn split(what: &str, value: &str) -> Result<Vec<OsString>, String> {
    let words = shlex::split(value).ok_or_else(|| format!("{what} has an open quote: {value}"))?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Whether a command is this program, under whatever name.
fn is_me(program: &Path, me: &Path) -> bool {
    let same = |path: PathBuf| path.canonicalize().is_ok_and(|path| path == me);
    if program.components().count() > 1 {
        return same(program.to_owned());
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .map(|dir| dir.join(program))
        .find(|path| path.is_file())
        .is_some_and(same)
}
