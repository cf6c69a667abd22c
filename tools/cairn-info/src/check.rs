//! Does a component keep its contract?
//!
//! Each library is looked at in a system of its own, together with the components that are linked
//! in, because a component may need one of another framework. What is named instead, a component or
//! a framework, is looked for among everything that there is. Nothing but the command line sets
//! parameters there: what a user's files and environment say of other components is no fault of
//! this one.

use std::io::Write;
use std::path::{Path, PathBuf};

use cairn_cli::{McaArgs, paint, print};
use cairn_conformance::{Event, Examination, Outcome, Verdict};
use cairn_framework::host::loader::Provider;
use cairn_framework::host::params::Sources;
use cairn_framework::host::paths::Paths;
use cairn_framework::host::problem::{Problem, Severity, did_you_mean, nearest};
use cairn_framework::host::report::Tone;
use cairn_framework::host::{Options, Search, Slot, System};
use serde_json::{Value as Json, json};

use crate::Answer;

/// Exit status when a component can't be used here.
const NOT_USABLE: u8 = 3;

/// What to check.
enum Wanted<'a> {
    /// The components of a library.
    File(&'a Path),
    /// A component, or those of a framework.
    Named(&'a str),
}

impl<'a> Wanted<'a> {
    /// What an argument means: what looks like no path is a name.
    fn of(argument: &'a Path) -> Self {
        match argument.to_str() {
            Some(name) if !name.contains(['/', '.']) => Self::Named(name),
            _ => Self::File(argument),
        }
    }

    /// Whether it means this component.
    fn means(&self, name: &str, provider: &Provider) -> bool {
        match self {
            Self::File(_) => matches!(provider, Provider::File(_)),
            Self::Named(wanted) => name.strip_prefix(wanted).is_some_and(|rest| {
                rest.is_empty() || (rest.starts_with('_') && !wanted.contains('_'))
            }),
        }
    }
}

/// Checks every component that is wanted. Prints as it goes, each rule before it is looked at, because
/// a component that is not sound may crash or hang.
pub fn run(mca: &McaArgs, wanted: &[PathBuf], json: bool) -> Answer {
    let mut components: Vec<Json> = Vec::new();
    let mut verdicts = Vec::new();
    let mut problems: Option<Vec<Problem>> = None;
    let mut unknown = Vec::new();
    for argument in wanted {
        let wanted = Wanted::of(argument);
        let system = system(mca, &wanted);
        let before = verdicts.len();
        let mut examined =
            |name: String, provider: &Provider, examine: &dyn Fn(&str) -> Examination| {
                if wanted.means(&name, provider) {
                    // Where it comes from, as the user put it.
                    let from = match wanted {
                        Wanted::File(file) => file.display().to_string(),
                        Wanted::Named(_) => provider.to_string(),
                    };
                    let Examination { checks, verdict } = examine(&from);
                    components.push(json!({
                        "component": name, "provider": from, "verdict": verdict, "checks": checks,
                    }));
                    verdicts.push((name, verdict));
                }
            };
        for refused in &system.refused {
            let name = refused.component.clone().unwrap_or_else(|| argument.display().to_string());
            examined(name.clone(), &refused.provider, &|from| {
                refusal(&name, from, &refused.refusal.to_string(), json)
            });
        }
        for slot in system.components() {
            examined(slot.name(), &slot.loaded.provider, &|_| examine(system, slot, json));
        }
        if let (Wanted::Named(name), true) = (&wanted, verdicts.len() == before) {
            unknown.push(nothing_of_that_name(system, name));
        }
        // A parameter of one library's component is unknown beside the others; what is wrong with
        // the command line is so beside all of them.
        let found = system.problems().into_iter().filter(|one| one.severity == Severity::Error);
        problems = Some(match problems {
            None => found.collect(),
            Some(earlier) => found.filter(|problem| earlier.contains(problem)).collect(),
        });
    }
    let mut problems = problems.unwrap_or_default();
    let wrong = !problems.is_empty();
    problems.append(&mut unknown);
    let any = |verdict| verdicts.iter().any(|(_, found)| *found == verdict);
    let status = match (any(Verdict::Broken), any(Verdict::NotUsable)) {
        (true, _) => 1,
        (_, true) => NOT_USABLE,
        _ => 0,
    };
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

fn nothing_of_that_name(system: &System, name: &str) -> Problem {
    let slots = system.components();
    let frameworks = slots.iter().map(|slot| slot.loaded.contract.name.to_owned());
    let mut names: Vec<String> = slots.iter().map(|slot| slot.name()).chain(frameworks).collect();
    names.sort_unstable();
    names.dedup();
    let near = nearest(name, names.iter().map(String::as_str));
    let fix = "name a component, a framework that has some, or a library by its path";
    Problem::new(format!("there is no component or framework {name}"))
        .at("check")
        .allowed(names.join(", "))
        .fix(did_you_mean(&near, fix))
}

/// A system with the components of one library, or with all that there are.
fn system(mca: &McaArgs, wanted: &Wanted<'_>) -> &'static System {
    let paths = Paths::locate();
    let sources = Sources {
        command_line: mca.command_line(),
        profile_dirs: paths.profile_dirs(),
        ..Sources::default()
    };
    let search = match wanted {
        Wanted::File(file) => Search::Only(vec![(*file).to_owned()]),
        Wanted::Named(_) => Search::Everything,
    };
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
fn refusal(name: &str, from: &str, reason: &str, json: bool) -> Examination {
    let rule = "the loader takes it";
    let outcome = Outcome::Failed(reason.to_owned());
    heading(name, from, json);
    if !json {
        print(&format!("  {rule} ... {}\n", painted(&outcome)));
    }
    let checks = vec![cairn_conformance::Check { rule, outcome }];
    Examination { checks, verdict: Verdict::Broken }
}

fn heading(name: &str, from: &str, json: bool) {
    if !json {
        print(&format!("{} ({from})\n", paint(Tone::Name, name)));
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
