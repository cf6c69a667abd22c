//! Finding the program, and saying why it can't be executed.

#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cairn_framework::host::problem::{Problem, did_you_mean, nearest};

/// Exit status when the program is there but can't be executed, as shells have it.
pub const CANT_EXECUTE: u8 = 126;
/// Exit status when the program is not there.
pub const NOT_FOUND: u8 = 127;

/// Finds the file to execute for `name` in `dir`, where the processes will run: by its path, or
/// along `path` and then in the directory itself.
///
/// # Errors
/// The exit status of mpirun, and why.
pub fn find(name: &OsStr, dir: &Path, path: &OsStr) -> Result<PathBuf, (u8, Problem)> {
    let shown = name.display();
    if name.as_bytes().contains(&b'/') {
        let file = dir.join(name);
        return match why_not(&file) {
            None => Ok(file),
            Some(Why::Missing) => {
                let problem = Problem::new(format!("there is no program {shown}"))
                    .at(file.display())
                    .fix(look_around(&file, name));
                Err((NOT_FOUND, problem))
            }
            Some(why) => Err((CANT_EXECUTE, why.problem(&file))),
        };
    }
    let mut refused = None;
    let places = std::env::split_paths(path).map(|place| dir.join(place));
    for place in places.chain([dir.to_owned()]) {
        let file = place.join(name);
        match why_not(&file) {
            None => return Ok(file),
            Some(Why::Missing) => {}
            Some(why) => {
                refused.get_or_insert((CANT_EXECUTE, why.problem(&file)));
            }
        }
    }
    Err(refused.unwrap_or_else(|| {
        let problem = Problem::new(format!("there is no program {shown}"))
            .at(format!("PATH={} and {}", path.display(), dir.display()))
            .fix(look_around(&dir.join(name), name));
        (NOT_FOUND, problem)
    }))
}

/// Why a file can't be executed.
enum Why {
    Missing,
    Directory,
    NotExecutable,
    NotAFile,
    Other(io::Error),
}

fn why_not(file: &Path) -> Option<Why> {
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_dir() => Some(Why::Directory),
        Ok(metadata) if !metadata.is_file() => Some(Why::NotAFile),
        // Says for root, too, whether it may be executed.
        Ok(_) => match rustix::fs::access(file, rustix::fs::Access::EXEC_OK) {
            Ok(()) => None,
            Err(_) => Some(Why::NotExecutable),
        },
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Some(Why::Missing)
        }
        Err(error) => Some(Why::Other(error)),
    }
}

impl Why {
    fn problem(&self, file: &Path) -> Problem {
        let (what, fix) = match self {
            Self::Missing => ("it is not there".into(), "name a program".into()),
            Self::Directory => ("it is a directory".to_owned(), "name a program in it".to_owned()),
            Self::NotAFile => ("it is not a file".into(), "name a program".into()),
            Self::NotExecutable => (
                "it is not executable".into(),
                match interpreter(file) {
                    // A script of Python or shell is often started by its interpreter.
                    _ if file.extension().is_some_and(|end| end == "py") => {
                        format!("start it by python3 {0}, or chmod +x {0}", file.display())
                    }
                    Some(_) => format!("chmod +x {}", file.display()),
                    None => format!("chmod +x {}, if it is a program", file.display()),
                },
            ),
            Self::Other(error) => (error.to_string(), "look at its path and its rights".into()),
        };
        Problem::new(format!("can't execute {}: {what}", file.display())).at("the program").fix(fix)
    }
}

/// What the user may have meant instead of `file`, written as `name`.
fn look_around(file: &Path, name: &OsStr) -> String {
    // Relative to where mpirun is instead of where the processes will be.
    if let Ok(here) = std::path::absolute(name)
        && why_not(&here).is_none()
    {
        return format!("it is in mpirun's own directory: write {}", here.display());
    }
    let dir = file.parent().unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(dir) else {
        return format!("there is no directory {}", dir.display());
    };
    let names: Vec<String> = entries
        .flatten()
        .filter(|entry| why_not(&entry.path()).is_none())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let wanted = file.file_name().unwrap_or_default().to_string_lossy();
    let near = nearest(&wanted, names.iter().map(String::as_str));
    did_you_mean(&near, "name a program that is there, by its path or along PATH")
}

/// The interpreter that a script names in its first line.
fn interpreter(file: &Path) -> Option<OsString> {
    let mut start = Vec::new();
    fs::File::open(file).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = line.split(|byte| byte.is_ascii_whitespace()).find(|word| !word.is_empty())?;
    Some(OsStr::from_bytes(word).to_owned())
}

/// What is wrong with a program that was found but that the kernel refused with `error`.
pub fn refused(file: &Path, error: &io::Error) -> (u8, Problem) {
    let shown = file.display();
    let problem = |what: String, fix: String| {
        Problem::new(format!("can't execute {shown}: {what}")).at("the program").fix(fix)
    };
    match (error.kind(), interpreter(file)) {
        (io::ErrorKind::NotFound, Some(interpreter)) => {
            let what = format!("its interpreter {} is not there", interpreter.display());
            (CANT_EXECUTE, problem(what, "install it, or mend the first line of the script".into()))
        }
        (io::ErrorKind::NotFound, None) if file.exists() => {
            let what = "the dynamic loader it was linked for is not there".to_owned();
            (CANT_EXECUTE, problem(what, "build it for this system".into()))
        }
        (io::ErrorKind::NotFound, None) => {
            (NOT_FOUND, problem("it is gone".into(), "name a program that stays".into()))
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            let what = "it is neither a program for this processor nor a script".to_owned();
            let fix = "build it for this machine; a script begins with #! and its interpreter";
            (CANT_EXECUTE, problem(what, fix.into()))
        }
        _ => (CANT_EXECUTE, problem(error.to_string(), "look at its rights".into())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            let place = Self(tempfile::tempdir().unwrap());
            for (name, mode, text) in [
                ("prog", 0o755, "#! /no/such/interpreter -x\n"),
                ("data", 0o644, "x"),
                ("s.py", 0o644, ""),
            ] {
                let path = place.0.path().join(name);
                fs::write(&path, text).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
            fs::create_dir(place.0.path().join("dir")).unwrap();
            place
        }

        fn find(&self, name: &str, path: &str) -> Result<PathBuf, (u8, String)> {
            let found = find(name.as_ref(), self.0.path(), path.as_ref());
            found.map_err(|(code, problem)| (code, problem.to_string()))
        }
    }

    #[test]
    fn by_path_along_path_and_in_the_directory() {
        let place = Place::new();
        let prog = place.0.path().join("prog");
        for (name, path) in [("./prog", ""), ("prog", "."), ("prog", "/nonexistent")] {
            let found = place.find(name, path).unwrap();
            assert_eq!(found.canonicalize().unwrap(), prog.canonicalize().unwrap());
        }
        assert_eq!(place.find(prog.to_str().unwrap(), ""), Ok(prog));
    }

    #[test]
    fn every_failure_has_its_reason() {
        let place = Place::new();
        for (name, code, part) in [
            ("./porg", 127, "did you mean prog?"),
            ("porg", 127, "did you mean prog?"),
            ("./no/prog", 127, "there is no directory"),
            ("./data", 126, "not executable"),
            ("data", 126, "chmod +x"),
            ("./s.py", 126, "python3"),
            ("./dir", 126, "is a directory"),
            ("/dev/null", 126, "not a file"),
        ] {
            let (found, text) = place.find(name, "/nonexistent").unwrap_err();
            assert!(found == code && text.contains(part), "{name}: {found} {text}");
        }
    }

    #[test]
    fn what_the_kernel_refuses_is_explained() {
        let place = Place::new();
        let missing = io::Error::from_raw_os_error(2);
        let (_, problem) = refused(&place.0.path().join("prog"), &missing);
        assert!(problem.what.contains("interpreter /no/such/interpreter"), "{problem}");
        let (_, problem) = refused(&place.0.path().join("data"), &missing);
        assert!(problem.what.contains("dynamic loader"), "{problem}");
        let (code, _) = refused(&place.0.path().join("none"), &missing);
        assert_eq!(code, NOT_FOUND);
        let (_, problem) = refused(&place.0.path().join("data"), &io::Error::from_raw_os_error(8));
        assert!(problem.what.contains("neither"), "{problem}");
    }
}
