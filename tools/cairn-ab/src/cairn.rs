//! What Cairn has: asked of its `cairn-info`, which knows what the components register.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use cairn_cli::{print, print_table};
use cairn_framework::host::problem::Problem;
use cairn_framework::host::report::{Cell, Table, Tone};
use serde_json::Value as Json;

use crate::contract::Scalar;
use crate::experiment::Variant;
use crate::libraries::{Places, clean};
use crate::process;

/// Asking takes no longer, however many plugins there are.
const LIMIT: Duration = Duration::from_secs(60);

/// Who sets what nobody has set.
pub const BUILT_IN: &str = "built-in default";

/// Asks `cairn-info` of an installation, in the environment of a variant.
fn ask(prefix: &Path, variant: &Variant, args: &[&str], places: &Places) -> Result<Json, Problem> {
    let program = prefix.join("bin/cairn-info");
    let mut command = Command::new(&program);
    clean(&mut command);
    command.args(args).arg("--json").envs(&variant.env);
    for (name, value) in &variant.mca {
        command.arg("--mca").arg(name).arg(value.to_string());
    }
    let finished = process::asked("cairn-info", &command, LIMIT, &places.interrupt);
    let finished = finished.map_err(|stop| Problem::from(stop).at(program.display()))?;
    serde_json::from_str(&finished.stdout).map_err(|_| {
        let said = finished.stderr.lines().next().unwrap_or_default();
        Problem::new(format!("it does not answer with JSON: {said}")).at(program.display())
    })
}

/// The parameters that a variant of Cairn does not leave as they are built in: their values, and who
/// set them.
///
/// # Errors
/// All that is wrong with what it sets.
pub fn check(
    prefix: &Path,
    variant: &Variant,
    places: &Places,
) -> Result<BTreeMap<String, String>, Vec<Problem>> {
    let everything = ["--param", "*", "--level", "9"];
    let json = ask(prefix, variant, &everything, places).map_err(|problem| vec![problem])?;
    let errors: Vec<Problem> = array(&json["problems"])
        .filter(|problem| problem["severity"] == "error")
        .map(|problem| {
            let text = |key: &str| problem[key].as_str();
            let what = text("what").unwrap_or("Cairn does not take it");
            let mut said = Problem::new(what).at(format!("variant {}", variant.name));
            said.allowed = text("allowed").map(str::to_owned);
            said.fix = text("fix").map(str::to_owned);
            said
        })
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let set = array(&json["parameters"]).filter_map(|parameter| {
        let source = array(&parameter["sources"]).find(|source| source["state"] == "wins")?;
        let origin = source["origin"].as_str().filter(|origin| *origin != BUILT_IN)?;
        let shown = format!("{} ({origin})", source["text"].as_str()?);
        Some((parameter["name"].as_str()?.to_owned(), shown))
    });
    Ok(set.collect())
}

/// A parameter, as a variant of an installation has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// What it does.
    pub help: String,
    /// What is built in, as one would write it.
    pub default: String,
    /// What it is, so that `4k` and `4096` are the same.
    pub value: Json,
    /// The same as it was written, and who has set it.
    pub set: (String, String),
    /// What it may be, in words.
    pub allowed: String,
}

impl Parameter {
    /// The words that it may be, if it is a choice among some.
    pub fn words(&self) -> Vec<String> {
        let all = self.allowed.replace(" or ", ", ");
        all.split(", ").map(str::to_owned).collect()
    }
}

/// A parameter of the installation, with what is set.
///
/// # Errors
/// It has no such parameter, or does not take what is set.
pub fn parameter(
    name: &str,
    mca: &BTreeMap<String, Scalar>,
    places: &Places,
) -> Result<Parameter, Problem> {
    let variant = Variant { mca: mca.clone(), ..Variant::default() };
    let args = ["--param", name, "--level", "9"];
    let json = ask(&places.cairn, &variant, &args, places)?;
    let word = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    if let Some(problem) = array(&json["problems"]).find(|it| it["severity"] == "error") {
        let mut said = Problem::new(word(&problem["what"]));
        said.allowed = problem["allowed"].as_str().map(str::to_owned);
        said.fix = problem["fix"].as_str().map(str::to_owned);
        return Err(said);
    }
    let Some(found) = array(&json["parameters"]).find(|it| it["name"] == name) else {
        return Err(Problem::new(format!("there is no parameter {name}")));
    };
    let wins = array(&found["sources"]).find(|source| source["state"] == "wins");
    Ok(Parameter {
        help: word(&found["help"]),
        default: word(&found["default"]),
        value: found["value"].clone(),
        allowed: word(&found["allowed"]),
        set: wins.map(|it| (word(&it["text"]), word(&it["origin"]))).unwrap_or_default(),
    })
}

/// Prints what can be varied: the components of the frameworks, and the parameters up to a level.
///
/// # Errors
/// `cairn-info` does not say.
pub fn list(places: &Places, pattern: Option<&str>, level: u32) -> Result<(), Problem> {
    let default = Variant::default();
    if pattern.is_none() {
        let json = ask(&places.cairn, &default, &[], places)?;
        let rows = array(&json["frameworks"]).filter_map(|framework| {
            let names = array(&framework["components"]).filter_map(|it| it["name"].as_str());
            let names = names.collect::<Vec<_>>().join(" ");
            let word = |key: &str| framework[key].as_str().unwrap_or_default();
            (!names.is_empty()).then(|| {
                let many = if word("serves") == "many" { ", several at once" } else { "" };
                vec![
                    Cell(Tone::Name, word("name").to_owned()),
                    Cell(Tone::Good, names),
                    Cell::plain(format!("{}{many}", word("summary"))),
                ]
            })
        });
        print_table(&Table {
            header: vec!["STRATEGY", "COMPONENTS", "WHAT IT DOES"],
            rows: rows.collect(),
        });
        print("\n");
    }
    let level = level.to_string();
    let params = ["--param", pattern.unwrap_or("*"), "--level", &level];
    let json = ask(&places.cairn, &default, &params, places)?;
    let rows: Vec<Vec<Cell>> = array(&json["parameters"])
        .map(|parameter| {
            let word = |key: &str| parameter[key].as_str().unwrap_or_default().to_owned();
            vec![
                Cell(Tone::Name, word("name")),
                Cell(Tone::Faint, word("default")),
                Cell(Tone::Good, word("allowed")),
                Cell::plain(word("help")),
            ]
        })
        .collect();
    if rows.is_empty() {
        let what = format!("no parameter matches {}", pattern.unwrap_or("*"));
        return Err(Problem::new(what).fix("cairn-ab list --level 9 shows all parameters"));
    }
    print_table(&Table { header: vec!["PARAMETER", "DEFAULT", "ALLOWED", "WHAT IT DOES"], rows });
    let hidden = json["hidden"].as_u64().unwrap_or_default();
    if hidden > 0 {
        print(&format!("\n{hidden} more at higher levels; --level 9 shows all\n"));
    }
    Ok(())
}

fn array(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().into_iter().flatten()
}
