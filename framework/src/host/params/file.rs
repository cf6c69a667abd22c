//! Parameter files in TOML.
//!
//! Names may be written whole or in tables, whichever reads better; a table's name and a name in
//! it are joined by an underscore:
//!
//! ```toml
//! btl_sm_eager_limit = "4k"
//!
//! [btl_sm]
//! eager_limit = "4k"            # the same parameter
//! ```

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::origin::FileLine;
use super::value::Value;
use crate::host::files::{self, Obstacle};
use crate::host::problem::Problem;

/// Bytes that a parameter file has at most; one with all parameters and their help is far smaller.
const MAX_SIZE: u64 = 1 << 20;

/// A name and a value with the line that holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The full name.
    pub name: String,
    /// The value, as a user would write it on the command line.
    pub text: String,
    /// The line, from 1.
    pub line: usize,
}

/// Reads the file at `path`.
pub fn read(path: &Path) -> Result<Vec<Entry>, Vec<Problem>> {
    let wrong = |what: String, fix: &str| {
        let what = format!("can't read the parameter file {}: {what}", path.display());
        vec![Problem::new(what).fix(fix)]
    };
    let hindered = |obstacle: Obstacle| wrong(obstacle.to_string(), obstacle.fix());
    let (file, metadata) = files::open(path).map_err(hindered)?;
    let too_big = |size: u64| {
        let (size, most) = (Value::Size(size), Value::Size(MAX_SIZE));
        wrong(
            format!("it has {size} bytes, and parameter files have at most {most}"),
            "name a file with parameters",
        )
    };
    if metadata.len() > MAX_SIZE {
        return Err(too_big(metadata.len()));
    }
    // Files of /proc say that they are empty, and others may grow while they are read.
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    let read = file.take(MAX_SIZE + 1).read_to_end(&mut bytes);
    read.map_err(|error| hindered(Obstacle::Other(error.to_string())))?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(too_big(bytes.len() as u64));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
        vec![
            Problem::new("a parameter file that is not UTF-8 text")
                .at(FileLine { path: path.into(), line })
                .fix("save it as UTF-8"),
        ]
    })?;
    parse(&text, path)
}

/// Reads the text of a file; `path` is for messages.
pub fn parse(text: &str, path: &Path) -> Result<Vec<Entry>, Vec<Problem>> {
    // The file that ships says nothing, and every process reads it.
    if text.lines().all(|line| line.is_empty() || line.starts_with('#')) {
        return Ok(Vec::new());
    }
    let lines = Lines::of(text);
    let place = |offset: usize| FileLine { path: path.into(), line: lines.at(offset) };
    let table = DeTable::parse(text).map_err(|error| {
        let place = place(error.span().map_or(0, |span| span.start));
        vec![
            Problem::new(format!("malformed TOML: {}", error.message().trim()))
                .at(place)
                .allowed("lines like  name = \"value\"  and tables like  [btl_sm]")
                .fix("correct this line"),
        ]
    })?;
    let mut reader = Reader { lines, path, entries: Vec::new(), problems: Vec::new() };
    reader.table("", table.get_ref());
    let Reader { mut entries, mut problems, .. } = reader;
    entries.sort_by_key(|entry| entry.line); // the parser sorts by name

    let mut seen: HashMap<&str, usize> = HashMap::new();
    for entry in &entries {
        if let Some(first) = seen.insert(&entry.name, entry.line) {
            problems.push(
                Problem::new(format!("{} is set twice in one file", entry.name))
                    .at(FileLine { path: path.into(), line: entry.line })
                    .fix(format!("remove this line or line {first}")),
            );
        }
    }
    if problems.is_empty() { Ok(entries) } else { Err(problems) }
}

/// Where the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(end, _)| end).collect())
    }

    /// The line, from 1, that holds the byte at `offset`.
    fn at(&self, offset: usize) -> usize {
        1 + self.0.partition_point(|&end| end < offset)
    }
}

struct Reader<'a> {
    lines: Lines,
    path: &'a Path,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = if prefix.is_empty() {
                key.get_ref().to_string()
            } else {
                format!("{prefix}_{}", key.get_ref())
            };
            if let DeValue::Table(inner) = value.get_ref() {
                self.table(&name, inner);
                continue;
            }
            let line = self.lines.at(key.span().start);
            match scalar(value) {
                Some(text) => self.entries.push(Entry { name, text, line }),
                None => self.problems.push(
                    Problem::new(format!("{name}: a value of a type no parameter has"))
                        .at(FileLine { path: self.path.into(), line })
                        .allowed("a string, a whole number, true, false, or a list of those")
                        .fix(format!("cairn-info --explain {name} shows what it may be")),
                ),
            }
        }
    }
}

/// The text of a value that a parameter can have.
fn scalar(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n.to_string())
        }
        DeValue::Array(values) => {
            let words: Option<Vec<String>> = values.iter().map(scalar).collect();
            words.map(|words| words.join(","))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries(text: &str) -> Vec<(String, String, usize)> {
        let entries = parse(text, Path::new("x.toml")).unwrap();
        entries.into_iter().map(|entry| (entry.name, entry.text, entry.line)).collect()
    }

    #[test]
    fn flat_and_nested_names() {
        let mut found = entries(
            "btl = ['self', \"sm\"]\nmca_strict = false\n\n[btl_sm]\neager_limit = \"4k\"\nn = 0x10\n[a.b]\nc = 1_000\n",
        );
        found.sort();
        let expected = [
            ("a_b_c", "1000", 8),
            ("btl", "self,sm", 1),
            ("btl_sm_eager_limit", "4k", 5),
            ("btl_sm_n", "16", 6),
            ("mca_strict", "false", 2),
        ];
        let expected: Vec<_> =
            expected.map(|(name, text, line)| (name.to_owned(), text.to_owned(), line)).into();
        assert_eq!(found, expected);
    }

    #[test]
    fn mistakes_have_lines() {
        let place =
            |text: &str| parse(text, Path::new("x.toml")).unwrap_err()[0].place.clone().unwrap();
        assert_eq!(place("a = 1\nb = = 2\n"), "x.toml:2");
        assert_eq!(place("a = 1\n\nb = 1.5\n"), "x.toml:3");
        assert_eq!(place("a_b = 1\n[a]\nb = 2\n"), "x.toml:3");
        assert_eq!(place("a = 1\na = 2\n"), "x.toml:2");
    }

    /// However deep and however many, what a file of the largest size can hold is judged.
    #[test]
    fn large_and_deep_files_are_judged() {
        let size = MAX_SIZE as usize;
        let deep = format!("a = {}", "[".repeat(size / 2));
        let long = format!("{} = 1", vec!["a"; size / 4].join("."));
        let tables = format!("a = {}", "{a=".repeat(size / 4));
        for text in [deep, long, tables] {
            assert!(parse(&text, Path::new("x.toml")).is_err());
        }
        let many: String = (0..size / 12).map(|i| format!("a{i} = 1\n")).collect();
        assert_eq!(entries(&many).len(), size / 12);
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.toml");
        std::fs::write(&path, " ".repeat(MAX_SIZE as usize)).unwrap();
        assert_eq!(read(&path), Ok(Vec::new()));
        std::fs::File::options().write(true).open(&path).unwrap().set_len(MAX_SIZE + 1).unwrap();
        assert!(read(&path).unwrap_err()[0].what.contains("at most 1m"));
    }

    #[test]
    fn what_is_no_readable_file_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let dir = crate::host::files::tests::public_dir();
        let said = |path: &Path| read(path).unwrap_err().remove(0).to_string();
        let missing = said(&dir.path().join("none.toml"));
        assert!(missing.contains("there is no such file\n  fix:     check the name"), "{missing}");
        let path = dir.path().join("x.toml");
        std::fs::write(&path, "a = 1").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).unwrap();
        let denied = crate::host::files::tests::as_nobody(|| said(&path));
        assert!(
            denied.contains("this user may not read it\n  fix:     check the perm"),
            "{denied}"
        );
    }

    proptest! {
        #[test]
        fn parse_never_panics(text in any::<String>()) {
            let _ = parse(&text, Path::new("x.toml"));
        }

        #[test]
        fn nearly_toml_never_panics(text in "([a-z_]{0,3}[=.\\[\\]\"'# \n0-9,{}t\\\\-]{0,4}){0,24}") {
            let _ = parse(&text, Path::new("x.toml"));
        }
    }
}
