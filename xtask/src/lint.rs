//! Rules of the house that clippy does not know.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use cargo_metadata::DependencyKind;

use crate::exec::{self, Workspace};

/// Longer files have a second subject in them.
const MAX_LINES: usize = 1000;

/// Checks them all and shows every violation.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut violations = Vec::new();
    directions(workspace, &mut violations);
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

/// Files that people read stay of a size that people read.
fn files(workspace: &Workspace, violations: &mut Vec<String>) -> Result<()> {
    let list = exec::output(workspace.command("git").args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.rs",
    ]))?;
    // Nobody reads the generated ones: their tables and generators are read.
    for file in list.lines().filter(|file| !file.contains("/generated/")) {
        let Ok(text) = fs::read_to_string(workspace.root.join(Path::new(file))) else { continue };
        let lines = text.lines().count();
        if lines > MAX_LINES {
            violations.push(format!("{file} has {lines} lines; the limit is {MAX_LINES}"));
        }
    }
    Ok(())
}
