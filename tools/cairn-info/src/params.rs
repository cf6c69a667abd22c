//! Parameters and where their values come from.

use std::fmt::Write;
use std::sync::Arc;

use cairn_cli::{paint, print, print_table, width};
use cairn_framework::host::System;
use cairn_framework::host::params::{Origin, Param};
use cairn_framework::host::problem::Problem;
use cairn_framework::host::report::{Cell, Table, Tone, param_json, wrap};
use serde_json::{Value as Json, json};

use crate::Answer;

/// The level up to which parameters are shown unless the user says otherwise: what users need.
const USER_LEVEL: u32 = 3;

/// The parameters whose names match, up to a level.
pub fn list(system: &'static System, glob: &str, level: Option<u32>) -> Answer {
    let pattern = match glob::Pattern::new(glob) {
        Ok(pattern) => pattern,
        Err(error) => {
            let problem = Problem::new(format!("{glob} is no pattern: {error}"))
                .at("--param")
                .allowed("names with * and ?, and [abc] for one of some characters")
                .fix("quote it, so that the shell leaves it alone: --param 'cri_*'");
            return nothing(vec![problem]);
        }
    };
    let matching: Vec<Arc<Param>> = system
        .params
        .all()
        .into_iter()
        .filter(|param| {
            let synonyms = param.spec.synonyms.iter().chain(&param.spec.deprecated_synonyms);
            pattern.matches(&param.spec.name)
                || synonyms.into_iter().any(|name| pattern.matches(name))
        })
        .collect();
    // A name without wildcards is shown whatever its level: the user knows what he wants.
    let exact = !glob.contains(['*', '?', '[']);
    if matching.is_empty() {
        let problem = if exact {
            system.params.unknown(glob).at("--param")
        } else {
            Problem::new(format!("no parameter matches {glob}"))
                .at("--param")
                .fix("--param '*' --level 9 shows all parameters")
        };
        return nothing(vec![problem]);
    }
    let most = level.unwrap_or(if exact { 9 } else { USER_LEVEL });
    let all = matching.len();
    let shown: Vec<Arc<Param>> =
        matching.into_iter().filter(|param| param.spec.level <= most).collect();
    let hidden = all - shown.len();
    let json = json!({
        "parameters": shown.iter().map(|param| param_json(param)).collect::<Vec<Json>>(),
        "hidden": hidden,
    });
    Answer::new(json, move || print_list(&shown, hidden))
}

fn nothing(problems: Vec<Problem>) -> Answer {
    Answer::new(json!({ "parameters": [] }), || ()).with(problems)
}

fn print_list(shown: &[Arc<Param>], hidden: usize) {
    let mut table = Table {
        header: vec!["PARAMETER", "TYPE", "VALUE", "SET BY", "WHAT IT DOES"],
        rows: Vec::new(),
    };
    for param in shown {
        let (value, winner) = param.current();
        let (tone, origin) = match &winner.origin {
            Origin::Default => (Tone::Faint, String::new()),
            origin => (Tone::Good, origin.to_string()),
        };
        let value = value.to_string();
        table.rows.push(vec![
            Cell(Tone::Name, param.spec.name.clone()),
            Cell(Tone::Faint, param.spec.kind.name().to_owned()),
            Cell(tone, if value.is_empty() { "-".into() } else { value }),
            Cell(Tone::Good, origin),
            Cell::plain(format!("{}{}", param.spec.help, other_names(param))),
        ]);
    }
    if !shown.is_empty() {
        print_table(&table);
    }
    if hidden > 0 {
        let gap = if shown.is_empty() { "" } else { "\n" };
        print(&format!("{gap}{hidden} more at higher levels; --level 9 shows all\n"));
    }
}

/// The other names of a parameter, to stand behind its help.
fn other_names(param: &Param) -> String {
    let names = |label: &str, names: &[String]| match names {
        [] => String::new(),
        names => format!(" {label}: {}.", names.join(", ")),
    };
    let spec = &param.spec;
    names("Also called", &spec.synonyms) + &names("Formerly", &spec.deprecated_synonyms)
}

/// Everything about one parameter.
pub fn explain(system: &'static System, name: &str) -> Answer {
    let Some(param) = system.params.find(name) else {
        let unloaded = system.refused.iter().find(|refused| {
            let component = refused.component.as_deref();
            component.is_some_and(|component| {
                name.strip_prefix(component).is_some_and(|rest| rest.starts_with('_'))
            })
        });
        let problem = match unloaded {
            Some(refused) => Problem::new(format!(
                "nobody can say whether there is a parameter {name}, because its component can't \
                 be loaded: {}",
                refused.refusal
            ))
            .at(&refused.provider)
            .fix(refused.refusal.fix()),
            None => system.params.unknown(name).at("--explain"),
        };
        return Answer::new(json!({ "parameter": null }), || ()).with(vec![problem]);
    };
    let asked = name.to_owned();
    let json = json!({ "parameter": param_json(&param) });
    Answer::new(json, move || print_explanation(&param, &asked))
}

fn print_explanation(param: &Param, asked: &str) {
    let spec = &param.spec;
    let (value, winner) = param.current();
    let mut text = String::new();
    let shown = value.to_string();
    let shown = if shown.is_empty() { "(empty)".to_owned() } else { shown };
    let unit = spec.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let _ =
        writeln!(text, "{} = {}{unit}", paint(Tone::Name, &spec.name), paint(Tone::Good, &shown));
    if asked != spec.name {
        let _ = writeln!(text, "  {asked} is another name of it");
    }
    for line in wrap(&spec.help, width().unwrap_or(100).saturating_sub(2).max(40)) {
        let _ = writeln!(text, "  {line}");
    }
    print(&text);

    let fact =
        |label: &str, text: String| vec![Cell::plain(format!("  {label}")), Cell::plain(text)];
    let mut facts = vec![
        fact("allowed", spec.kind.allowed()),
        fact("type", spec.kind.name().into()),
        fact("level", format!("{} of 9", spec.level)),
        fact("changes", if spec.writable { "at any time" } else { "before the start only" }.into()),
        fact("component", spec.owner.clone()),
    ];
    if !spec.synonyms.is_empty() {
        facts.push(fact("also called", spec.synonyms.join(", ")));
    }
    if !spec.deprecated_synonyms.is_empty() {
        facts.push(fact("formerly", spec.deprecated_synonyms.join(", ")));
    }
    if let Some(instead) = &spec.deprecated {
        facts.push(fact("deprecated", instead.clone()));
    }
    print_table(&Table { header: Vec::new(), rows: facts });

    let rows = param.given().into_iter().rev().map(|given| {
        let (tone, state) = if given == winner {
            (Tone::Good, "wins".to_owned())
        } else if let Some(reason) = &given.refused {
            (Tone::Bad, format!("not allowed: {reason}"))
        } else {
            (Tone::Faint, "overridden".to_owned())
        };
        let text = if given.text.is_empty() { "(empty)".into() } else { given.text };
        let name =
            if given.name == spec.name { String::new() } else { format!("as {}", given.name) };
        vec![
            Cell::plain(format!("  {}", given.origin)),
            Cell(tone, text),
            Cell::plain(name),
            Cell(tone, state),
        ]
    });
    print("\n  set by, strongest first\n");
    print_table(&Table { header: Vec::new(), rows: rows.collect() });
}
