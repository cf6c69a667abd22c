//! Whether a component that was built with older headers still fits newer ones: `headers-compatible`.
//!
//! For minor versions from 1.0 on, which only append. A struct may get fields at its end if its maker says
//! its size (`struct_size`, its own or that of the struct it begins with) and no other struct has it
//! inside; everything else stays as it is: order, names and types of fields, alignment, constants, and
//! types of functions. New structs, constants and types are welcome.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// What headers declare, with the text of each in one spacing.
#[derive(Default)]
struct Headers {
    /// The attributes and the fields, by the struct's name.
    structs: BTreeMap<String, (String, Vec<String>)>,
    /// Constants and names of other types.
    others: BTreeMap<String, String>,
}

/// Compares two directories of headers.
pub fn run(old: &Path, new: &Path) -> Result<()> {
    let breaks = breaks(&Headers::read(old)?, &Headers::read(new)?);
    if breaks.is_empty() {
        println!("   components built with the old headers fit the new ones");
        return Ok(());
    }
    bail!(
        "components built with the old headers do not fit the new ones:\n  {}",
        breaks.join("\n  ")
    )
}

impl Headers {
    fn read(dir: &Path) -> Result<Self> {
        let mut all = Self::default();
        let entries = fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "h") {
                all.add(&fs::read_to_string(&path)?);
            }
        }
        if all.structs.is_empty() {
            bail!("{} has no header with a struct", dir.display());
        }
        Ok(all)
    }

    /// Adds what a header declares.
    fn add(&mut self, text: &str) {
        let mut code = String::new();
        for line in without_comments(text).lines() {
            match line.trim().strip_prefix('#') {
                // The version is what changes.
                Some(line) if line.contains("_ABI_M") => {}
                Some(line) => {
                    let mut words = line.trim_start().splitn(3, char::is_whitespace);
                    if let (Some("define"), Some(name), value) =
                        (words.next(), words.next(), words.next())
                    {
                        self.others.insert(name.into(), spaced(value.unwrap_or("")));
                    }
                }
                None if line.contains("extern \"C\"") => {}
                None => code += &format!("{line}\n"),
            }
        }
        for declaration in declarations(&code, &['{', '}', '(', ')']) {
            if let Some((head, body)) = declaration.split_once('{')
                && head.starts_with("struct ")
            {
                let (head, name) = head.trim().rsplit_once(' ').unwrap_or_default();
                let body = body.rsplit_once('}').map_or(body, |(body, _)| body);
                let parts = (head.to_owned(), declarations(body, &['(', ')']));
                self.structs.insert(name.into(), parts);
            } else if let Some(alias) = declaration.strip_prefix("typedef ")
                && !alias.starts_with("struct ")
            {
                self.others.insert(type_name(alias).into(), alias.to_owned());
            }
        }
    }

    /// Whether a struct with these fields says how long it is.
    fn is_sized(&self, fields: &[String]) -> bool {
        fields.iter().any(|field| field.ends_with(" struct_size"))
            || fields
                .first()
                .and_then(|first| self.structs.get(by_value(first)?))
                .is_some_and(|(_, fields)| self.is_sized(fields))
    }
}

/// What a component that knows `old` would get wrong with `new`, a sentence each.
fn breaks(old: &Headers, new: &Headers) -> Vec<String> {
    let mut found = Vec::new();
    let inside: Vec<&str> = (new.structs.values().flat_map(|(_, fields)| fields))
        .filter_map(|field| by_value(field))
        .collect();
    for (name, (head, fields)) in &old.structs {
        let Some((new_head, new_fields)) = new.structs.get(name) else {
            found.push(format!("{name} is gone"));
            continue;
        };
        if head != new_head {
            found.push(format!("{name}: {head} is now {new_head}"));
        }
        let changed = (0..fields.len()).find(|at| fields.get(*at) != new_fields.get(*at));
        if let Some(at) = changed {
            let now = new_fields.get(at).map_or("gone".into(), |now| format!("now {now}"));
            found.push(format!("{name}: {} is {now}", fields[at]));
        } else if let Some(first) = new_fields.get(fields.len()) {
            if inside.contains(&name.as_str()) {
                found.push(format!("{name}: {first} is new, and other structs have it inside"));
            } else if !old.is_sized(fields) {
                found.push(format!("{name}: {first} is new, and the struct has no struct_size"));
            }
        }
    }
    for (name, text) in &old.others {
        match new.others.get(name) {
            None => found.push(format!("{name} is gone")),
            Some(now) if now != text => found.push(format!("{name}: {text} is now {now}")),
            Some(_) => {}
        }
    }
    found
}

/// The type of a field that lies in the struct itself.
fn by_value(field: &str) -> Option<&str> {
    let words = field.trim_start_matches("const ").trim_start_matches("struct ");
    (!field.contains(['*', '('])).then(|| words.split(' ').next()).flatten()
}

/// The name that a `typedef` gives to something else than a struct.
fn type_name(declaration: &str) -> &str {
    let pointer = declaration.split_once("(*").and_then(|(_, rest)| rest.split_once(')'));
    pointer.map_or_else(|| declaration.rsplit(' ').next().unwrap_or(""), |(name, _)| name)
}

/// What ends with a semicolon outside of all brackets, in one spacing.
fn declarations(text: &str, brackets: &[char]) -> Vec<String> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match brackets.iter().position(|bracket| *bracket == c) {
            Some(opens) if opens % 2 == 0 => depth += 1,
            Some(_) => depth -= 1,
            None if c == ';' && depth == 0 => {
                all.push(spaced(&text[start..at]));
                start = at + 1;
            }
            None => {}
        }
    }
    all
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "
        #define CAIRN_ABI_MINOR 0
        #define CAIRN_LEVEL 3
        typedef struct cairn_other_t cairn_other_t;
        typedef int32_t cairn_status_t;
        typedef void (*cairn_call_t)(int32_t a,
                                     void *b);
        /* A comment; with { brackets. */
        struct cairn_small_t {
          uint32_t a;
        };
        struct CAIRN_ALIGNED(128) cairn_big_t {
          uint32_t struct_size;
          /** Another. */
          struct cairn_small_t small;
          cairn_status_t (*run)(const cairn_big_t *big, uint32_t flags);
        };
        struct cairn_longer_t {
          struct cairn_big_t big;
        };
    ";

    /// What breaks when a part of the old text is replaced.
    fn found(part: &str, replacement: &str) -> Vec<String> {
        assert!(OLD.contains(part), "{part}");
        let (mut old, mut new) = (Headers::default(), Headers::default());
        old.add(OLD);
        new.add(&OLD.replace(part, replacement));
        assert_eq!((old.structs.len(), old.others.len()), (3, 3));
        breaks(&old, &new)
    }

    #[test]
    fn what_is_appended_is_accepted() {
        for (part, replacement) in [
            ("CAIRN_ABI_MINOR 0", "CAIRN_ABI_MINOR 1"),
            ("LEVEL 3", "LEVEL 3\n#define CAIRN_MORE 4"),
            ("void *b", "void  *b"),
            ("struct cairn_big_t big;", "struct cairn_big_t big; uint64_t more;"),
            ("typedef int32_t", "typedef uint8_t cairn_new_t; typedef int32_t"),
        ] {
            assert_eq!(found(part, replacement), [""; 0], "{replacement}");
        }
    }

    #[test]
    fn what_moves_changes_or_goes_is_named() {
        for (part, replacement, says) in [
            ("uint32_t a;", "uint64_t a;", "cairn_small_t: uint32_t a is now uint64_t a"),
            (
                "uint32_t a;",
                "uint32_t a; uint32_t b;",
                "small_t: uint32_t b is new, and other structs",
            ),
            ("uint32_t struct_size;", "int x; uint32_t struct_size;", "is now int x"),
            ("uint32_t flags);", "uint64_t flags);", "uint32_t flags) is now"),
            ("struct cairn_small_t small;", "", "cairn_big_t: struct cairn_small_t small is now"),
            ("struct cairn_big_t big;", "", "cairn_longer_t: struct cairn_big_t big is gone"),
            ("ALIGNED(128)", "ALIGNED(64)", "is now struct CAIRN_ALIGNED(64)"),
            ("struct cairn_longer_t", "struct cairn_else_t", "cairn_longer_t is gone"),
            ("LEVEL 3", "LEVEL 4", "CAIRN_LEVEL: 3 is now 4"),
            ("#define CAIRN_LEVEL 3", "", "CAIRN_LEVEL is gone"),
            (
                "int32_t a,",
                "int64_t a,",
                "cairn_call_t: void (*cairn_call_t)(int32_t a, void *b) is",
            ),
            ("typedef int32_t cairn_s", "typedef int64_t cairn_s", "cairn_status_t: int32_t"),
        ] {
            let found = found(part, replacement);
            assert!(found.len() == 1 && found[0].contains(says), "{says}: {found:?}");
        }
    }

    #[test]
    fn a_struct_without_a_size_does_not_grow() {
        let (mut old, mut new) = (Headers::default(), Headers::default());
        old.add("struct cairn_a_t { int x; };");
        new.add("struct cairn_a_t { int x; int y; };");
        assert_eq!(
            breaks(&old, &new),
            ["cairn_a_t: int y is new, and the struct has no struct_size"]
        );
    }

    #[test]
    fn the_headers_of_this_version_fit_themselves() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include/cairn");
        let headers = Headers::read(&dir).unwrap();
        assert!(headers.structs.len() > 50 && headers.others.len() > 100);
        assert!(headers.structs["cairn_host_t"].1.len() > 30);
        assert!(headers.is_sized(&headers.structs["cairn_comm_t"].1));
        run(&dir, &dir).unwrap();
    }
}
