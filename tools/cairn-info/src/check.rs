//! Does a component keep its contract?

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use cairn_cli::{paint, print};
use cairn_conformance::{Check, Outcome};
use cairn_framework::host::System;
use cairn_framework::host::report::Tone;
use serde_json::{Value as Json, json};

use crate::Answer;

/// Checks every component of the libraries. Prints as it goes, because a component that is not
/// sound may crash or hang: the last line then says what was being checked.
pub fn run(system: &'static System, files: &[PathBuf], json: bool) -> Answer {
    let mut components: Vec<Json> = Vec::new();
    let mut failed = !system.refused.is_empty();
    if system.components().is_empty() && system.refused.is_empty() && !json {
        print(&format!("no component in {} files\n", files.len()));
    }
    let shows_rule = !json && std::io::stderr().is_terminal();
    for slot in system.components() {
        if !json {
            let name = paint(Tone::Name, &slot.name());
            print(&format!("{name} of {}\n", slot.loaded.provider));
        }
        let checks = cairn_conformance::run(system, slot, &mut |rule| {
            if shows_rule {
                let _ = write!(std::io::stderr(), "\r\x1b[K  checking {rule}");
            }
        });
        if shows_rule {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        failed |= checks.iter().any(|check| matches!(check.outcome, Outcome::Failed(_)));
        if !json {
            checks.iter().for_each(print_check);
        }
        components.push(json!({ "component": slot.name(), "checks": checks }));
    }
    Answer {
        json: json!({ "components": components }),
        print: Box::new(move || {
            let verdict = if failed { (Tone::Bad, "not sound") } else { (Tone::Good, "sound") };
            print(&format!("{}\n", paint(verdict.0, verdict.1)));
        }),
        problems: Vec::new(),
        failed,
    }
}

fn print_check(check: &Check) {
    let tone = match check.outcome {
        Outcome::Passed => Tone::Good,
        Outcome::Failed(_) => Tone::Bad,
        Outcome::Skipped(_) => Tone::Faint,
    };
    print(&format!("  {}\n", paint(tone, &check.to_string())));
}
