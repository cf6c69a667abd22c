//! Rules of the house that clippy does not know.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use cargo_metadata::DependencyKind;

use crate::exec::{self, Workspace};

/// Longer files have a second subject in them.
const MAX_LINES: usize = 1000;

/// The rooms of a crate, each a module at its root, from the lowest to the highest. What is in one imports
/// from those before it.
struct Rooms {
    source: &'static str,
    order: &'static [&'static str],
}

const ROOMS: &[Rooms] = &[Rooms {
    source: "mpi/src",
    order: &[
        "abi",
        "state",
        "error",
        "codes",
        "levels",
        "hardware",
        "built_from",
        "runtime",
        "objects",
        "tool",
        "raise",
        "life",
        "check",
        "prelude",
        "calls",
        "entries",
    ],
}];

/// Checks them all and shows every violation.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut violations = Vec::new();
    directions(workspace, &mut violations);
    for rooms in ROOMS {
        imports(workspace, rooms, &mut violations)?;
    }
    files(workspace, &mut violations)?;
    if violations.is_empty() {
        println!("   the rules of the house hold");
        return Ok(());
    }
    for violation in &violations {
        eprintln!("   {violation}");
    }
    bail!("{} rules of the house are broken", violations.len())
}

/// Dependencies point one way: nothing below knows anything above. A component sees the framework
/// and the libraries for components, and nothing else of ours.
fn directions(workspace: &Workspace, violations: &mut Vec<String>) {
    let ours: Vec<&str> =
        workspace.packages().iter().map(|package| package.name.as_str()).collect();
    let components: Vec<&str> =
        workspace.components().iter().map(|package| package.name.as_str()).collect();
    for package in workspace.packages() {
        let name = package.name.as_str();
        let allowed = |other: &str| match name {
            "cairn-framework" | "cairn-descriptors" => false,
            "cairn-segment" => other == "cairn-descriptors",
            "cairn-matching" => other == "cairn-framework",
            _ if components.contains(&name) => {
                ["cairn-framework", "cairn-descriptors", "cairn-matching", "cairn-segment"]
                    .contains(&other)
            }
            "linked" => components.contains(&other),
            // Throws at each what comes from outside of it, and is part of nothing.
            "cairn-fuzz" => true,
            // The list is the only place that names components.
            _ => !components.contains(&other),
        };
        for dependency in &package.dependencies {
            let test_only = dependency.kind == DependencyKind::Development;
            if ours.contains(&dependency.name.as_str()) && !allowed(&dependency.name) && !test_only
            {
                violations.push(format!("{name} depends on {}", dependency.name));
            }
        }
    }
    for component in workspace.components() {
        let dir = component.manifest_path.parent().and_then(|dir| dir.file_name());
        if dir != Some(component.name.as_str()) {
            violations.push(format!("{} lies in {dir:?}", component.name));
        }
    }
}

/// Within a crate, rooms use those below them.
fn imports(workspace: &Workspace, rooms: &Rooms, violations: &mut Vec<String>) -> Result<()> {
    let list = exec::output(
        workspace
            .command("git")
            .args(["ls-files", "--cached", "--others"])
            .args(["--exclude-standard", &format!("{}/*.rs", rooms.source)]),
    )?;
    let place = |room: &str| rooms.order.iter().position(|known| *known == room);
    for file in list.lines() {
        let Ok(text) = fs::read_to_string(workspace.root.join(file)) else { continue };
        let inside = file.strip_prefix(rooms.source).unwrap_or(file).trim_start_matches('/');
        let room = inside.split(['/', '.']).next().unwrap_or_default();
        if room == "lib" {
            continue;
        }
        let Some(own) = place(room) else {
            violations.push(format!("{file} is in no room that xtask/src/lint.rs knows"));
            continue;
        };
        for used in used_rooms(&text) {
            if place(&used).is_some_and(|used| used > own) {
                violations.push(format!("{file} imports from {used}, which is above {room}"));
            }
        }
    }
    Ok(())
}

/// The first names of all paths that begin with `crate::`, without those of comments.
fn used_rooms(text: &str) -> BTreeSet<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut used = BTreeSet::new();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            None => drop(used.insert(path.chars().take_while(|it| is_name(*it)).collect())),
            Some(group) => {
                let mut depth = 0;
                let mut name = String::new();
                for letter in group.chars() {
                    match letter {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        _ if depth > 0 => {}
                        ',' => drop(used.insert(std::mem::take(&mut name))),
                        ':' => name.push(' '),
                        _ => name.push(letter),
                    }
                }
                used.insert(name);
            }
        }
    }
    used.iter().filter_map(|name| Some(name.split_whitespace().next()?.to_owned())).collect()
}

/// Files that people read stay of a size that people read.
fn files(workspace: &Workspace, violations: &mut Vec<String>) -> Result<()> {
    let list = exec::output(workspace.command("git").args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.rs",
    ]))?;
    // Of the generated ones the tables and generators are read.
    let is_made = |file: &&str| file.contains("/generated/") || file.contains("mpi/src/entries/");
    for file in list.lines().filter(|file| !is_made(file)) {
        let Ok(text) = fs::read_to_string(workspace.root.join(Path::new(file))) else { continue };
        let lines = text.lines().count();
        if lines > MAX_LINES {
            violations.push(format!("{file} has {lines} lines; the limit is {MAX_LINES}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_in_every_form() {
        let text = "use crate::abi::status;\nuse crate::{check, objects::{comm, op}, raise as r};\n\
                    // crate::calls\nfn f() { crate::life::init() }\n";
        let used: Vec<String> = used_rooms(text).into_iter().collect();
        assert_eq!(used, ["abi", "check", "life", "objects", "raise"]);
    }
}
