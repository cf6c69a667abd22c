//! Does a component keep its contract?
//!
//! Each library is looked at in a system of its own, together with the components that are linked
//! in, because a component may need one of another framework. Nothing but the command line sets
//! parameters there: what a user's files and environment say of other components is no fault of
//! this one.

use std::io::Write;
use std::path::{Path, PathBuf};

use cairn_cli::{McaArgs, paint, print};
use cairn_conformance::{Event, Examination, Outcome, Verdict};
use cairn_framework::host::loader::Provider;
use cairn_framework::host::params::Sources;
use cairn_framework::host::paths::Paths;
use cairn_framework::host::problem::{Problem, Severity};
use cairn_framework::host::report::Tone;
use cairn_framework::host::{Options, Search, Slot, System};
use serde_json::{Value as Json, json};

use crate::Answer;

/// Exit status when a component can't be used here.
const NOT_USABLE: u8 = 3;

/// Checks every component of the libraries. Prints as it goes, each rule before it is looked at,
/// because a component that is not sound may crash or hang.
pub fn run(mca: &McaArgs, files: &[PathBuf], json: bool) -> Answer {
    let mut components: Vec<Json> = Vec::new();
    let mut verdicts = Vec::new();
    let mut problems: Option<Vec<Problem>> = None;
    for file in files {
        let system = system(mca, file);
        let from_file = |provider: &Provider| matches!(provider, Provider::File(_));
        for refused in system.refused.iter().filter(|refused| from_file(&refused.provider)) {
            let name = refused.component.clone().unwrap_or_else(|| file.display().to_string());
            let examination = refusal(&name, file, &refused.refusal.to_string(), json);
            verdicts.push((name.clone(), examination.verdict));
            components.push(component_json(&name, file, &examination));
        }
        for slot in system.components() {
            if from_file(&slot.loaded.provider) {
                let examination = examine(system, slot, json);
                verdicts.push((slot.name(), examination.verdict));
                components.push(component_json(&slot.name(), file, &examination));
            }
        }
        // A parameter of one library's component is unknown beside the others; what is wrong with
        // the command line is so beside all of them.
        let found = system.problems().into_iter().filter(|one| one.severity == Severity::Error);
        problems = Some(match problems {
            None => found.collect(),
            Some(earlier) => found.filter(|problem| earlier.contains(problem)).collect(),
        });
    }
    let problems = problems.unwrap_or_default();
    let wrong = !problems.is_empty();
    let status = verdicts.iter().map(|(_, verdict)| status_of(*verdict)).fold(0, worse);
    Answer {
        json: json!({ "components": components }),
        print: Box::new(move || {
            for (name, verdict) in &verdicts {
                let (tone, text) = in_words(name, *verdict);
                print(&format!("{name}: {}\n", paint(tone, &text)));
            }
            if wrong {
                let text = "the command line is not in order: what was found may not count";
                print(&format!("{}\n", paint(Tone::Bad, text)));
            }
        }),
        problems,
        status,
    }
}

/// A system with the components of one library.
fn system(mca: &McaArgs, file: &Path) -> &'static System {
    let paths = Paths::locate();
    let sources = Sources {
        command_line: mca.command_line(),
        profile_dirs: paths.profile_dirs(),
        ..Sources::default()
    };
    let search = Search::Only(vec![file.to_owned()]);
    let options = Options { paths, sources, search, ..Options::of_process(mca.command_line()) };
    let system = cairn_conformance::system(options);
    cairn_mpi_params::register(&system.params).expect("the names are nobody else's");
    system
}

fn examine(system: &'static System, slot: &'static Slot, json: bool) -> Examination {
    heading(&slot.name(), &slot.loaded.provider.to_string(), json);
    cairn_conformance::run(system, slot, &mut |event| {
        if json {
            return;
        }
        match event {
            Event::Begin(rule) => {
                print(&format!("  {rule} ... "));
                let _ = std::io::stdout().flush(); // what can't be written is said at the next line
            }
            Event::End(outcome) => print(&format!("{}\n", painted(outcome))),
        }
    })
}

/// A library or component that the loader did not take.
fn refusal(name: &str, file: &Path, reason: &str, json: bool) -> Examination {
    let rule = "the loader takes it";
    let outcome = Outcome::Failed(reason.to_owned());
    heading(name, &file.display().to_string(), json);
    if !json {
        print(&format!("  {rule} ... {}\n", painted(&outcome)));
    }
    let checks = vec![cairn_conformance::Check { rule, outcome }];
    Examination { checks, verdict: Verdict::Broken }
}

fn heading(name: &str, file: &str, json: bool) {
    if !json {
        print(&format!("{} of {file}\n", paint(Tone::Name, name)));
    }
}

fn painted(outcome: &Outcome) -> String {
    let tone = match outcome {
        Outcome::Passed => Tone::Good,
        Outcome::Failed(_) => Tone::Bad,
        Outcome::Skipped(_) => Tone::Faint,
    };
    paint(tone, &outcome.to_string())
}

fn component_json(name: &str, file: &Path, examination: &Examination) -> Json {
    let Examination { checks, verdict } = examination;
    json!({
        "component": name,
        "provider": file.display().to_string(),
        "verdict": verdict,
        "checks": checks,
    })
}

fn in_words(name: &str, verdict: Verdict) -> (Tone, String) {
    let framework = name.split('_').next().unwrap_or(name);
    match verdict {
        Verdict::Sound => (Tone::Good, "sound".into()),
        Verdict::NoSuite => {
            let text = format!("nothing wrong found; there is no suite for {framework} yet");
            (Tone::Warning, text)
        }
        Verdict::NotUsable => (Tone::Warning, "not usable here, so not checked".into()),
        Verdict::Broken => (Tone::Bad, "not sound".into()),
    }
}

fn status_of(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Sound | Verdict::NoSuite => 0,
        Verdict::NotUsable => NOT_USABLE,
        Verdict::Broken => 1,
    }
}

/// The exit status of two results: a broken component weighs more than one that is of no use here.
fn worse(one: u8, other: u8) -> u8 {
    if one == 1 || other == 1 { 1 } else { one.max(other) }
}
