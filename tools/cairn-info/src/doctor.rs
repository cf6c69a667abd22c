//! Is the installation sound?
//!
//! Each check looks at one thing and says what it found and, if that is not as it should be, what
//! to do. All of them run, whatever the first ones find.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cairn_cli::print_table;
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::host::problem::{Problem, Severity};
use cairn_framework::host::report::{Cell, Table, Tone};
use cairn_framework::host::select::Verdict;
use cairn_framework::host::{Slot, System};
use serde::Serialize;
use serde_json::json;

use crate::Answer;

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Ok,
    Warning,
    Bad,
}

/// What a check found.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    /// What was looked at.
    about: &'static str,
    health: Health,
    /// What is there.
    found: String,
    /// What to do, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Finding {
    fn ok(about: &'static str, found: impl Into<String>) -> Self {
        Self { about, health: Health::Ok, found: found.into(), fix: None }
    }

    fn warning(about: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { about, health: Health::Warning, found: found.into(), fix: Some(fix.into()) }
    }

    fn problem(about: &'static str, problem: &Problem) -> Self {
        let place = problem.place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
        Self {
            about,
            health: match problem.severity {
                Severity::Error => Health::Bad,
                Severity::Warning => Health::Warning,
            },
            found: format!("{}{place}", problem.what),
            fix: problem.fix.clone(),
        }
    }
}

/// Looks at everything.
pub fn run(system: &'static System) -> Answer {
    let mut findings = Vec::new();
    installation(system, &mut findings);
    directories(system, &mut findings);
    parameters(system, &mut findings);
    components(system, &mut findings);
    machine(&mut findings);
    let failed = findings.iter().any(|finding| finding.health == Health::Bad);
    Answer {
        json: json!({ "checks": findings }),
        print: Box::new(move || print_findings(&findings)),
        problems: Vec::new(),
        status: u8::from(failed),
    }
}

fn installation(system: &System, findings: &mut Vec<Finding>) {
    let Some(prefix) = &system.paths.prefix else {
        findings.push(Finding::warning(
            "installation",
            "this program does not lie in an installation, so there are no plugins and no \
             parameter files of one",
            "run cargo xtask dist and use target/dist/bin/cairn-info",
        ));
        return;
    };
    findings.push(Finding::ok("installation", prefix.display().to_string()));
    for (file, purpose) in [
        ("include/cairn/component.h", "the headers for authors of components"),
        ("lib/pkgconfig/cairn.pc", "the pkg-config file"),
        ("share/cairn/mca-params/default.toml", "the list of all parameters"),
        ("share/cairn/rust/cairn-framework/Cargo.toml", "the Rust crate for authors"),
    ] {
        if !prefix.join(file).exists() {
            findings.push(Finding::warning(
                "installation",
                format!("{file} is missing: {purpose}"),
                "install again with cargo xtask install",
            ));
        }
    }
}

fn directories(system: &System, findings: &mut Vec<Finding>) {
    for dir in system.paths.component_dirs() {
        if !dir.exists() {
            continue;
        }
        let shown = dir.display();
        match writable_by_others(&dir) {
            Ok(false) => findings.push(Finding::ok("components in", shown.to_string())),
            Ok(true) => findings.push(Finding::warning(
                "components in",
                format!("{shown} can be written by everybody, and its libraries run in every job"),
                format!("chmod o-w {shown}"),
            )),
            Err(error) => findings.push(Finding::warning(
                "components in",
                format!("{shown}: {error}"),
                "check the permissions of the directory",
            )),
        }
    }
}

fn writable_by_others(path: &Path) -> std::io::Result<bool> {
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o002 != 0)
}

fn parameters(system: &System, findings: &mut Vec<Finding>) {
    let all = system.params.all();
    let set = all.iter().filter(|param| param.given().len() > 1).count();
    findings.push(Finding::ok("parameters", format!("{}, {set} of them set", all.len())));
    if let Some(file) = system.paths.user_file()
        && file.exists()
    {
        findings.push(Finding::ok("user's file", file.display().to_string()));
    }
    // Refused plugins are told with the components.
    let refused: Vec<Problem> =
        system.refused.iter().map(|refused| refused.problem().warning()).collect();
    for problem in system.problems().iter().filter(|problem| !refused.contains(problem)) {
        findings.push(Finding::problem("parameters", problem));
    }
}

fn components(system: &'static System, findings: &mut Vec<Finding>) {
    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    let mut usable = 0;
    for slot in system.components() {
        match slot.probe(&process) {
            Ok(_) => match system.examine_devices(slot) {
                Ok(()) => usable += 1,
                Err(reason) => findings.push(failed(slot, &Verdict::Failed(reason))),
            },
            Err(Verdict::Declined(reason)) => {
                findings
                    .push(Finding::ok("components", format!("{} declines: {reason}", slot.name())));
            }
            Err(verdict) => findings.push(failed(slot, &verdict)),
        }
    }
    system.close();
    findings.push(Finding::ok("components", format!("{usable} can be used")));
    for refused in &system.refused {
        findings.push(Finding::problem("components", &refused.problem()));
    }
}

/// A component that is there and can't be used. On a machine without what it needs that is as it should
/// be, otherwise it is broken.
fn failed(slot: &Slot, verdict: &Verdict) -> Finding {
    let fix = format!("leave it out: --mca {} ^{}", slot.loaded.contract.name, slot.loaded.name);
    let finding = Finding::warning("components", format!("{} {verdict}", slot.name()), fix);
    match verdict {
        Verdict::Unavailable(_) => finding,
        _ => Finding { health: Health::Bad, ..finding },
    }
}

/// Files and sockets a process may have open; below this jobs of a few hundred ranks fail.
const ENOUGH_FILES: u64 = 1024;

fn machine(findings: &mut Vec<Finding>) {
    match std::thread::available_parallelism() {
        Ok(cores) => findings.push(Finding::ok("cores", format!("{cores} for this process"))),
        Err(error) => findings.push(Finding::warning(
            "cores",
            format!("can't find out how many this process may use: {error}"),
            "set the number of instances yourself",
        )),
    }
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let shown = files.map_or_else(|| "no limit".into(), |files| format!("{files} per process"));
    findings.push(match files {
        Some(files) if files < ENOUGH_FILES => {
            Finding::warning("open files", shown, format!("ulimit -n {ENOUGH_FILES} or more"))
        }
        _ => Finding::ok("open files", shown),
    });
}

fn print_findings(findings: &[Finding]) {
    let mut table = Table { header: vec!["ABOUT", "", "FOUND", "WHAT TO DO"], rows: Vec::new() };
    for finding in findings {
        let (tone, word) = match finding.health {
            Health::Ok => (Tone::Good, "ok"),
            Health::Warning => (Tone::Warning, "warning"),
            Health::Bad => (Tone::Bad, "broken"),
        };
        table.rows.push(vec![
            Cell(Tone::Name, finding.about.into()),
            Cell(tone, word.into()),
            Cell::plain(finding.found.clone()),
            Cell::plain(finding.fix.clone().unwrap_or_default()),
        ]);
    }
    print_table(&table);
}
