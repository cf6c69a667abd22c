//! Rules of the house that clippy does not know.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use cargo_metadata::DependencyKind;

use crate::exec::{self, Workspace};
use crate::rooms::{self, ASIDE, COMPONENTS, MODULES, Modules};

/// Longer files have a second subject in them.
const MAX_LINES: usize = 1000;

/// Checks them all and shows every violation.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut violations = Vec::new();
    directions(workspace, &mut violations);
    for modules in MODULES {
        imports(workspace, modules, &mut violations)?;
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

/// A crate uses those of the rooms that its own one uses, and of its own, and no use is declared that is none.
fn directions(workspace: &Workspace, violations: &mut Vec<String>) {
    let ours: Vec<&str> =
        workspace.packages().iter().map(|package| package.name.as_str()).collect();
    let components: Vec<&str> =
        workspace.components().iter().map(|package| package.name.as_str()).collect();
    let room_of = |name: &str| {
        let known = rooms::all().find(|room| room.packages.contains(&name));
        known.or_else(|| rooms::named(COMPONENTS).filter(|_| components.contains(&name)))
    };
    let mut found: BTreeSet<(&str, &str)> = BTreeSet::new();
    for package in workspace.packages() {
        let name = package.name.as_str();
        if ASIDE.contains(&name) {
            continue;
        }
        let Some(own) = room_of(name) else {
            violations.push(format!("{name} is in no room that xtask/src/rooms.rs knows"));
            continue;
        };
        // Tests may use anything.
        let used = package
            .dependencies
            .iter()
            .filter(|used| ours.contains(&used.name.as_str()))
            .filter(|used| used.kind != DependencyKind::Development);
        for dependency in used {
            let room = room_of(&dependency.name).map_or("", |room| room.name);
            found.insert((own.name, room));
            let among = room == own.name && own.name != COMPONENTS;
            if !among && !own.uses.contains(&room) {
                violations.push(format!("{name} depends on {}", dependency.name));
            }
        }
    }
    for room in rooms::all() {
        let unused = room.uses.iter().filter(|used| !found.contains(&(room.name, **used)));
        violations.extend(unused.map(|used| format!("{} does not use {used}", room.name)));
    }
    for component in workspace.components() {
        let dir = component.manifest_path.parent().and_then(|dir| dir.file_name());
        if dir != Some(component.name.as_str()) {
            violations.push(format!("{} lies in {dir:?}", component.name));
        }
    }
}

/// Within a crate, modules use those below them.
fn imports(workspace: &Workspace, rooms: &Modules, violations: &mut Vec<String>) -> Result<()> {
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
            violations.push(format!("{file} is in no room that xtask/src/rooms.rs knows"));
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
    let is_made = |file: &&str| {
        let parts = ["/generated/", "mpi/src/entries/", "/bindings.rs"];
        parts.iter().any(|part| file.contains(part))
    };
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
