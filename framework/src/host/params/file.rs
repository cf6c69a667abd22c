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
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::origin::FileLine;
use crate::host::problem::Problem;

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
    let bytes = std::fs::read(path).map_err(|error| {
        let what = format!("can't read the parameter file {}: {error}", path.display());
        vec![Problem::new(what).fix("check the name and the permissions of the file")]
    })?;
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
    let place = |offset: usize| FileLine { path: path.into(), line: line_of(text, offset) };
    let table = DeTable::parse(text).map_err(|error| {
        let place = place(error.span().map_or(0, |span| span.start));
        vec![
            Problem::new(format!("malformed TOML: {}", error.message().trim()))
                .at(place)
                .allowed("lines like  name = \"value\"  and tables like  [btl_sm]")
                .fix("correct this line"),
        ]
    })?;
    let mut reader = Reader { text, path, entries: Vec::new(), problems: Vec::new() };
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

/// The line, from 1, that holds the byte at `offset`.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

struct Reader<'a> {
    text: &'a str,
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
            let line = line_of(self.text, key.span().start);
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
