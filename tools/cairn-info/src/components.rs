//! What is there, and what would serve.

use std::path::Path;

use cairn_cli::{paint, print, print_table};
use cairn_framework::abi::component::{ABI_MAJOR, ABI_MINOR};
use cairn_framework::frameworks::{CONTRACTS, Cardinality, Contract};
use cairn_framework::host::loader::Provider;
use cairn_framework::host::problem::{Problem, did_you_mean, nearest};
use cairn_framework::host::report::{Cell, Table, Tone, decisions_json, decisions_table};
use cairn_framework::host::{Slot, Stage, System};
use serde_json::{Value as Json, json};

use crate::Answer;

/// Every component, or those of one framework.
pub fn list(system: &'static System, framework: Option<&str>) -> Answer {
    let (contracts, problems) = contracts(framework);
    let json = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "abi": format!("{ABI_MAJOR}.{ABI_MINOR}"),
        // A path need not be UTF-8, and JSON is.
        "prefix": system.paths.prefix.as_ref().map(|prefix| prefix.display().to_string()),
        "frameworks": contracts.iter().map(|c| framework_json(system, c)).collect::<Vec<_>>(),
        "failed": failed(system, framework)
            .map(|(component, provider, reason, fix)| json!({
                "component": component, "provider": provider, "reason": reason, "fix": fix,
            }))
            .collect::<Vec<_>>(),
    });
    let framework = framework.map(str::to_owned);
    let unknown = !problems.is_empty();
    let print = move || {
        if !unknown {
            print_list(system, &contracts, framework.as_deref());
        }
    };
    Answer::new(json, print).with(problems)
}

/// All contracts, or that of one framework; a problem if there is no such framework.
fn contracts(framework: Option<&str>) -> (Vec<&'static Contract>, Vec<Problem>) {
    let names = CONTRACTS.map(|contract| contract.name);
    let mut problems = Vec::new();
    if let Some(name) = framework
        && !names.contains(&name)
    {
        problems.push(
            Problem::new(format!("there is no framework {name}"))
                .at("--components")
                .allowed(names.join(", "))
                .fix(did_you_mean(&nearest(name, names), "name one of these")),
        );
    }
    let is_asked = |contract: &&Contract| framework.is_none_or(|name| contract.name == name);
    (CONTRACTS.into_iter().filter(is_asked).collect(), problems)
}

fn slots_of(
    system: &System,
    contract: &'static Contract,
) -> impl Iterator<Item = &'static Slot> + use<> {
    system.components().into_iter().filter(|slot| slot.loaded.contract.name == contract.name)
}

/// Components and libraries that can't be used: name, provider, reason and fix.
fn failed(
    system: &System,
    framework: Option<&str>,
) -> impl Iterator<Item = (String, String, String, String)> {
    let of_framework = move |name: &str| {
        framework.is_none_or(|framework| {
            name.strip_prefix(framework).is_some_and(|rest| rest.starts_with('_'))
        })
    };
    let refused = system.refused.iter().filter_map(move |refused| {
        // A library of which nothing is known may be of any framework.
        let component = refused.component.clone();
        component.as_deref().is_none_or(of_framework).then(|| {
            (
                component.unwrap_or_else(|| "?".into()),
                refused.provider.to_string(),
                refused.refusal.to_string(),
                refused.refusal.fix(),
            )
        })
    });
    let broken = system.components().into_iter().filter_map(move |slot| match slot.stage() {
        Stage::Failed(reason) if of_framework(&slot.name()) => Some((
            slot.name(),
            slot.loaded.provider.to_string(),
            reason,
            format!("leave it out: --mca {} ^{}", slot.loaded.contract.name, slot.loaded.name),
        )),
        _ => None,
    });
    refused.chain(broken)
}

fn framework_json(system: &System, contract: &'static Contract) -> Json {
    let components: Vec<Json> = slots_of(system, contract)
        .map(|slot| {
            let loaded = &slot.loaded;
            json!({
                "name": loaded.name,
                "aliases": loaded.aliases,
                "version": loaded.version.map(|part| part.to_string()).join("."),
                "description": loaded.description,
                "provider": loaded.provider,
                "provides": loaded.provides,
            })
        })
        .collect();
    json!({
        "name": contract.name,
        "summary": contract.summary,
        "serves": match contract.cardinality {
            Cardinality::One => "one",
            Cardinality::Many => "many",
        },
        "components": components,
    })
}

/// A provider as people read it: files of the installation relative to it.
fn provider_text(provider: &Provider, prefix: Option<&Path>) -> String {
    relative(&provider.to_string(), prefix)
}

/// A file of the installation relative to it; anything else as it is.
fn relative(text: &str, prefix: Option<&Path>) -> String {
    let inside = prefix.and_then(|prefix| Path::new(text).strip_prefix(prefix).ok());
    inside.map_or_else(|| text.to_owned(), |inside| inside.display().to_string())
}

/// The table with the files of the installation relative to it, in the column that has them.
fn inside(mut table: Table, prefix: Option<&Path>) -> Table {
    let from = table.header.iter().position(|title| *title == "FROM");
    for cell in table.rows.iter_mut().filter_map(|row| row.get_mut(from?)) {
        cell.1 = relative(&cell.1, prefix);
    }
    table
}

fn print_list(system: &'static System, contracts: &[&'static Contract], framework: Option<&str>) {
    let prefix = system.paths.prefix.as_deref();
    let place = prefix.map_or("not installed".into(), |prefix| format!("in {}", prefix.display()));
    let version = env!("CARGO_PKG_VERSION");
    let title = paint(Tone::Name, &format!("Cairn MPI {version}"));
    print(&format!("{title}, plugin ABI {ABI_MAJOR}.{ABI_MINOR}, {place}\n\n"));

    let mut table = Table {
        header: vec!["FRAMEWORK", "COMPONENT", "VERSION", "FROM", "WHAT IT DOES"],
        rows: Vec::new(),
    };
    for contract in contracts {
        let mut name = contract.name.to_owned();
        for slot in slots_of(system, contract) {
            let loaded = &slot.loaded;
            table.rows.push(vec![
                Cell(Tone::Name, std::mem::take(&mut name)),
                Cell(Tone::Good, loaded.name.clone()),
                Cell::plain(loaded.version.map(|part| part.to_string()).join(".")),
                Cell(Tone::Faint, provider_text(&loaded.provider, prefix)),
                Cell::plain(loaded.description.clone()),
            ]);
        }
        if !name.is_empty() {
            table.rows.push(vec![
                Cell(Tone::Name, name),
                Cell(Tone::Faint, "-".into()),
                Cell::plain(""),
                Cell::plain(""),
                Cell(Tone::Faint, format!("no component: {}", contract.summary)),
            ]);
        }
    }
    print_table(&table);

    let failed: Vec<_> = failed(system, framework).collect();
    if !failed.is_empty() {
        let mut table =
            Table { header: vec!["CAN'T BE USED", "FROM", "WHY", "WHAT TO DO"], rows: Vec::new() };
        for (component, provider, reason, fix) in failed {
            table.rows.push(vec![
                Cell(Tone::Bad, component),
                Cell(Tone::Faint, provider),
                Cell::plain(reason),
                Cell::plain(fix),
            ]);
        }
        print("\n");
        print_table(&table);
    }
}

/// Which components would serve, in every framework or in one.
pub fn selected(system: &'static System, framework: Option<&str>) -> Answer {
    let (contracts, mut problems) = contracts(framework);
    let unknown = !problems.is_empty();
    for contract in contracts {
        if let Err(problem) = system.decide(contract) {
            problems.push(problem);
        }
    }
    let prefix = system.paths.prefix.as_deref();
    let decisions = system.decisions();
    system.close();
    let json = json!({ "decisions": decisions_json(&decisions) });
    let print = move || {
        if !unknown {
            print_table(&inside(decisions_table(&decisions), prefix));
        }
    };
    Answer::new(json, print).with(problems)
}
