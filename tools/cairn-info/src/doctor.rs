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

/// What all checks found.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, about: &'static str, found: impl Into<String>) {
        self.0.push(Finding { about, health: Health::Ok, found: found.into(), fix: None });
    }

    fn warning(&mut self, about: &'static str, found: impl Into<String>, fix: impl Into<String>) {
        let (found, fix) = (found.into(), Some(fix.into()));
        self.0.push(Finding { about, health: Health::Warning, found, fix });
    }

    fn problem(&mut self, about: &'static str, problem: &Problem) {
        let place = problem.place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
        let health = match problem.severity {
            Severity::Error => Health::Bad,
            Severity::Warning => Health::Warning,
        };
        let (found, fix) = (format!("{}{place}", problem.what), problem.fix.clone());
        self.0.push(Finding { about, health, found, fix });
    }
}

/// Looks at everything.
pub fn run(system: &'static System) -> Answer {
    let mut findings = Findings::default();
    installation(system, &mut findings);
    directories(system, &mut findings);
    parameters(system, &mut findings);
    components(system, &mut findings);
    machine(&mut findings);
    let Findings(findings) = findings;
    let failed = findings.iter().any(|finding| finding.health == Health::Bad);
    let answer = Answer::new(json!({ "checks": findings }), move || print_findings(&findings));
    Answer { status: u8::from(failed), ..answer }
}

fn installation(system: &System, findings: &mut Findings) {
    let Some(prefix) = &system.paths.prefix else {
        findings.warning(
            "installation",
            "this program does not lie in an installation, so there are no plugins and no \
             parameter files of one",
            "run cargo xtask dist and use target/dist/bin/cairn-info",
        );
        return;
    };
    findings.ok("installation", prefix.display().to_string());
    for (file, purpose) in [
        ("include/cairn/component.h", "the headers for authors of components"),
        ("lib/pkgconfig/cairn.pc", "the pkg-config file"),
        ("share/cairn/mca-params/default.toml", "the list of all parameters"),
        ("share/cairn/rust/cairn-framework/Cargo.toml", "the Rust crate for authors"),
    ] {
        if !prefix.join(file).exists() {
            findings.warning(
                "installation",
                format!("{file} is missing: {purpose}"),
                "install again with cargo xtask install",
            );
        }
    }
}

fn directories(system: &System, findings: &mut Findings) {
    for dir in system.paths.component_dirs() {
        if !dir.exists() {
            continue;
        }
        let shown = dir.display();
        match writable_by_others(&dir) {
            Ok(false) => findings.ok("components in", shown.to_string()),
            Ok(true) => findings.warning(
                "components in",
                format!("{shown} can be written by everybody, and its libraries run in every job"),
                format!("chmod o-w {shown}"),
            ),
            Err(error) => findings.warning(
                "components in",
                format!("{shown}: {error}"),
                "check the permissions of the directory",
            ),
        }
    }
}

fn writable_by_others(path: &Path) -> std::io::Result<bool> {
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o002 != 0)
}

fn parameters(system: &System, findings: &mut Findings) {
    let all = system.params.all();
    let set = all.iter().filter(|param| param.given().len() > 1).count();
    findings.ok("parameters", format!("{}, {set} of them set", all.len()));
    if let Some(file) = system.paths.user_file()
        && file.exists()
    {
        findings.ok("user's file", file.display().to_string());
    }
    // Refused plugins are told with the components.
    let refused: Vec<Problem> =
        system.refused.iter().map(|refused| refused.problem().warning()).collect();
    for problem in system.problems().iter().filter(|problem| !refused.contains(problem)) {
        findings.problem("parameters", problem);
    }
}

fn components(system: &'static System, findings: &mut Findings) {
    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    let mut usable = 0;
    for slot in system.components() {
        match slot.probe(&process) {
            Ok(_) => match system.examine_devices(slot) {
                Ok(()) => usable += 1,
                Err(reason) => failed(slot, &Verdict::Failed(reason), findings),
            },
            Err(Verdict::Declined(reason)) => {
                findings.ok("components", format!("{} declines: {reason}", slot.name()));
            }
            Err(verdict) => failed(slot, &verdict, findings),
        }
    }
    system.close();
    findings.ok("components", format!("{usable} can be used"));
    for refused in &system.refused {
        findings.problem("components", &refused.problem());
    }
}

/// A component that is there and can't be used. On a machine without what it needs that is as it should
/// be, otherwise it is broken.
fn failed(slot: &Slot, verdict: &Verdict, findings: &mut Findings) {
    let fix = format!("leave it out: --mca {} ^{}", slot.loaded.contract.name, slot.loaded.name);
    let health = match verdict {
        Verdict::Unavailable(_) => Health::Warning,
        _ => Health::Bad,
    };
    let (found, fix) = (format!("{} {verdict}", slot.name()), Some(fix));
    findings.0.push(Finding { about: "components", health, found, fix });
}

/// Files and sockets a process may have open; below this jobs of a few hundred ranks fail.
const ENOUGH_FILES: u64 = 1024;

fn machine(findings: &mut Findings) {
    match std::thread::available_parallelism() {
        Ok(cores) => findings.ok("cores", format!("{cores} for this process")),
        Err(error) => findings.warning(
            "cores",
            format!("can't find out how many this process may use: {error}"),
            "set the number of instances yourself",
        ),
    }
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let shown = files.map_or_else(|| "no limit".into(), |files| format!("{files} per process"));
    match files {
        Some(files) if files < ENOUGH_FILES => {
            findings.warning("open files", shown, format!("ulimit -n {ENOUGH_FILES} or more"));
        }
        _ => findings.ok("open files", shown),
    }
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
