//! The line that is run.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The name that programs are linked with.
pub const LIBRARY: &str = "mpi_abi";

/// Where an installation has what programs need.
pub struct Flags {
    /// The directory of mpi.h.
    pub include: PathBuf,
    /// The directory of the library.
    pub library: PathBuf,
}

impl Flags {
    /// Of the installation in a directory.
    pub fn of(prefix: &Path) -> Self {
        Self { include: prefix.join("include"), library: prefix.join("lib") }
    }

    /// Added for compiling.
    pub fn compile(&self) -> Vec<OsString> {
        vec![joined("-I", &self.include)]
    }

    /// Added for linking. The program finds the library without a variable, and with
    /// `LD_LIBRARY_PATH` another one with the same ABI: that is what the new kind of tag allows.
    pub fn link(&self) -> Vec<OsString> {
        vec![
            joined("-L", &self.library),
            joined("-Wl,-rpath,", &self.library),
            "-Wl,--enable-new-dtags".into(),
            format!("-l{LIBRARY}").into(),
        ]
    }
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut joined = OsString::from(flag);
    joined.push(path);
    joined
}

/// What the user wrote, with the compiler.
pub struct Line<'a> {
    pub compiler: &'a [OsString],
    pub flags: &'a Flags,
    pub args: &'a [OsString],
}

impl Line<'_> {
    /// The line that is run: flags for linking only where something is linked.
    pub fn words(&self) -> Vec<OsString> {
        if links(self.args) { self.all_words() } else { self.compile_words() }
    }

    /// The line with all flags.
    pub fn all_words(&self) -> Vec<OsString> {
        [self.compile_words(), self.flags.link()].concat()
    }

    /// The line for compiling. Directories of the user come before ours.
    pub fn compile_words(&self) -> Vec<OsString> {
        [self.compiler, self.args, &self.flags.compile()].concat()
    }

    /// The line for linking.
    pub fn link_words(&self) -> Vec<OsString> {
        [self.compiler, self.args, &self.flags.link()].concat()
    }
}

/// Whether the compiler will link: it has something to work on and is not told to stop before.
fn links(args: &[OsString]) -> bool {
    const STOPS: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--preprocess"];
    // Options whose value is the next argument.
    const WITH_VALUE: [&str; 23] = [
        "-o",
        "-I",
        "-L",
        "-D",
        "-U",
        "-x",
        "-include",
        "-imacros",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-isysroot",
        "-MF",
        "-MT",
        "-MQ",
        "-Xlinker",
        "-Xassembler",
        "-Xpreprocessor",
        "-u",
        "-T",
        "-z",
        "-arch",
        "-target",
    ];
    let mut input = false;
    let mut args = args.iter().map(OsString::as_os_str);
    while let Some(arg) = args.next() {
        let is = |list: &[&str]| list.iter().any(|one| OsStr::new(one) == arg);
        if is(&STOPS) {
            return false;
        }
        if is(&WITH_VALUE) {
            args.next();
            continue;
        }
        let bytes = arg.as_encoded_bytes();
        input |= !bytes.starts_with(b"-") || bytes == b"-" || bytes.starts_with(b"-l");
    }
    // With nothing to work on it only talks about itself (-v, --version) and must not link.
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(args: &[&str]) -> Vec<String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let flags = Flags::of(Path::new("/opt/cairn"));
        let line = Line { compiler: &["cc".into()], flags: &flags, args: &args };
        line.words().into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn programs_are_linked_with_mpi() {
        assert_eq!(
            words(&["a.c", "-o", "a"]),
            [
                "cc",
                "a.c",
                "-o",
                "a",
                "-I/opt/cairn/include",
                "-L/opt/cairn/lib",
                "-Wl,-rpath,/opt/cairn/lib",
                "-Wl,--enable-new-dtags",
                "-lmpi_abi"
            ]
        );
    }

    #[test]
    fn only_what_is_linked_gets_the_library() {
        for linked in [&["a.o"][..], &["-x", "c", "-"], &["-shared", "a.o"], &["@args"]] {
            assert!(words(linked).contains(&"-lmpi_abi".to_owned()), "{linked:?}");
        }
        for not in [
            &["-c", "a.c"][..],
            &["-E", "a.c"],
            &["--version"],
            &["-v"],
            &["-o", "a"],
            &["-I", "dir", "-dM"],
            &[],
        ] {
            assert!(!words(not).contains(&"-lmpi_abi".to_owned()), "{not:?}");
        }
    }
}
