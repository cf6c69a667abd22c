//! `mpicc` and `mpicxx`: the C and C++ compiler with what a program needs to find MPI.
//!
//! One program under several names. Where the installation is follows from where the program is, so
//! that the tree can be moved.
//!
//! ```text
//!   main      names and options of the wrapper      compiler  which compiler is behind it
//!   command   the line that is run
//! ```

#![forbid(unsafe_code)]

mod command;
mod compiler;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use command::{Flags, Line};

/// The language that a wrapper compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `mpicc`.
    C,
    /// `mpicxx`.
    Cxx,
}

impl Language {
    /// From the name the program was called by. `mpiCC` differs from `mpicc` by its capitals alone.
    fn of(name: &str) -> Self {
        let cxx = name == "mpiCC" || name.contains("xx") || name.contains("++");
        if cxx { Self::Cxx } else { Self::C }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut args = std::env::args_os();
    let called = args.next().map(PathBuf::from).unwrap_or_default();
    let name = called.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let language = Language::of(&name);
    let me = std::env::current_exe().map_err(|error| format!("{name}: where am I? {error}"))?;
    let flags = Flags::of(prefix(&me));

    let mut show = None;
    let mut named = None;
    let mut passed: Vec<OsString> = Vec::new();
    for arg in args {
        let text = arg.to_str().unwrap_or_default();
        // -show of MPICH and --showme of Open MPI, each also with the other's dashes.
        let option = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).unwrap_or_default();
        let compiler = match language {
            Language::C => text.strip_prefix("-cc="),
            Language::Cxx => text.strip_prefix("-cxx="),
        };
        match Show::of(option) {
            Some(wanted) => show = Some(wanted?),
            None if compiler.is_some() => named = compiler.map(str::to_owned),
            None => passed.push(arg),
        }
    }
    let compiler = compiler::find(language, named.as_deref(), &me)?;
    let line = Line { compiler: &compiler, flags: &flags, args: &passed };
    let Some(show) = show else {
        return Err(execute(&name, &line));
    };
    let text = match show {
        // Build systems ask with nothing to compile and expect everything.
        Show::Command if passed.is_empty() => shown(&line.all_words()),
        Show::Command => shown(&line.words()),
        Show::Compile => shown(&line.compile_words()),
        Show::Link => shown(&line.link_words()),
        Show::Compiler => shown(&compiler),
        Show::CompileFlags => shown(&flags.compile()),
        Show::LinkFlags => shown(&flags.link()),
        Show::IncludeDirs => flags.include.display().to_string(),
        Show::LibraryDirs => flags.library.display().to_string(),
        Show::Libraries => command::LIBRARY.to_owned(),
        Show::Version => version(&name, language),
        Show::Help => help(&name),
    };
    println!("{text}");
    Ok(())
}

/// What is shown instead of compiling.
#[derive(Clone, Copy)]
enum Show {
    Command,
    Compile,
    Link,
    Compiler,
    CompileFlags,
    LinkFlags,
    IncludeDirs,
    LibraryDirs,
    Libraries,
    Version,
    Help,
}

impl Show {
    /// From an option without its dashes. `None` if it is none of the wrapper's.
    fn of(option: &str) -> Option<Result<Self, String>> {
        let of = option.strip_prefix("showme:");
        Some(Ok(match of.unwrap_or(option) {
            "show" | "showme" if of.is_none() => Self::Command,
            "compile-info" | "compile_info" if of.is_none() => Self::Compile,
            "link-info" | "link_info" if of.is_none() => Self::Link,
            _ if of.is_none() => return None,
            "command" => Self::Compiler,
            "compile" => Self::CompileFlags,
            "link" => Self::LinkFlags,
            "incdirs" => Self::IncludeDirs,
            "libdirs" => Self::LibraryDirs,
            "libs" => Self::Libraries,
            "version" => Self::Version,
            "help" => Self::Help,
            other => return Some(Err(format!("there is no -showme:{other}; see -showme:help"))),
        }))
    }
}

/// The installation: the directory above that of the program.
fn prefix(me: &Path) -> &Path {
    me.parent().and_then(Path::parent).unwrap_or_else(|| Path::new("/usr/local"))
}

/// Becomes the compiler. Returns only if that fails.
fn execute(name: &str, line: &Line<'_>) -> String {
    let words = line.words();
    let (program, args) = words
        .split_first()
        .map_or((OsString::new(), &[][..]), |(first, rest)| (first.clone(), rest));
    let error = Command::new(&program).args(args).env(compiler::NESTED, "1").exec();
    let program = program.to_string_lossy();
    format!("{name}: can't run the compiler {program}: {error}\nset CC or CXX to the one you want")
}

/// Words as one line for a shell. Most readers split it at spaces and know no quotes, so only what
/// needs them gets them.
fn shown(words: &[OsString]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    let quoted = words.iter().map(|word| {
        let word = word.to_string_lossy();
        if !word.is_empty() && word.chars().all(plain) {
            return word.into_owned();
        }
        format!("'{}'", word.replace('\'', "'\\''"))
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn version(name: &str, language: Language) -> String {
    let language = match language {
        Language::C => "C",
        Language::Cxx => "C++",
    };
    format!("{name}: Cairn MPI {} (Language: {language})", env!("CARGO_PKG_VERSION"))
}

fn help(name: &str) -> String {
    format!(
        "{name} passes its arguments to the compiler and adds what MPI needs. Its own options:\n  \
         -show, -showme     the command that would be run\n  \
         -compile-info      the command, only compiling      -link-info  only linking\n  \
         -showme:compile    the flags added for compiling    -showme:link  for linking\n  \
         -showme:command    the compiler\n  \
         -showme:incdirs    -showme:libdirs    -showme:libs\n  \
         -showme:version    the version of Cairn MPI\n  \
         -cc=, -cxx=        the compiler; otherwise that of CAIRN_CC, MPICH_CC, OMPI_CC, CC (CXX\n                     \
         instead of CC for C++), or cc and c++"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_language() {
        for (name, language) in [
            ("mpicc", Language::C),
            ("mpicc_abi", Language::C),
            ("cairn-mpicc", Language::C),
            ("mpicxx", Language::Cxx),
            ("mpiCC", Language::Cxx),
            ("mpic++", Language::Cxx),
            ("mpicxx_abi", Language::Cxx),
        ] {
            assert_eq!(Language::of(name), language, "{name}");
        }
    }

    #[test]
    fn only_what_a_shell_would_change_is_quoted() {
        let words = ["-Wl,-rpath,/opt/a", "-DX=1", "a b", "it's", ""].map(OsString::from);
        assert_eq!(shown(&words), "-Wl,-rpath,/opt/a -DX=1 'a b' 'it'\\''s' ''");
    }

    #[test]
    fn options_of_the_compiler_are_not_ours() {
        for option in ["", "c", "show-caret", "showme2", "shared", "help", "version", "compile"] {
            assert!(Show::of(option).is_none(), "{option}");
        }
        assert!(matches!(Show::of("showme:link"), Some(Ok(Show::LinkFlags))));
        assert!(matches!(Show::of("showme:colour"), Some(Err(_))));
    }
}
