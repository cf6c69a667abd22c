//! Files that are made from the components and the command line, for `cargo xtask`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairn_cli::print_problems;
use cairn_framework::host::params::{Kind, Param, Sources, Value};
use cairn_framework::host::problem::Problem;
use cairn_framework::host::report::wrap;
use cairn_framework::host::{Options, System};
use clap::{CommandFactory, Subcommand};

use crate::Cli;

#[derive(Debug, Subcommand)]
pub enum What {
    /// The manual pages, into a directory
    Man {
        /// The directory
        dir: PathBuf,
    },
    /// The file with all parameters that ship, to standard output
    Defaults,
}

pub fn run(what: &What, mut options: Options) -> ExitCode {
    let result = match what {
        What::Man { dir } => man(dir),
        What::Defaults => {
            // What this user or machine has set is not what ships.
            options.sources = Sources::default();
            options.paths.user = None;
            let system = cairn_mpi_params::system(options);
            let problems = system.problems();
            if problems.is_empty() {
                cairn_cli::print(&defaults(system));
                Ok(())
            } else {
                Err(problems)
            }
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            print_problems(&problems);
            ExitCode::FAILURE
        }
    }
}

fn man(dir: &Path) -> Result<(), Vec<Problem>> {
    clap_mangen::generate_to(Cli::command(), dir).map_err(|error| {
        vec![Problem::new(format!("can't write manual pages to {}: {error}", dir.display()))]
    })
}

/// The text of `mca-params/default.toml`.
fn defaults(system: &System) -> String {
    let mut text = String::from(
        "# Every parameter of Cairn MPI with its default.\n\
         #\n\
         # Made by `cargo xtask gen` from what the components register. In an installation this\n\
         # file sets parameters for everybody: take the # away from a line and change its value.\n\
         # What users set is stronger: `cairn-info --explain NAME` shows who set what.\n",
    );
    let mut params = system.params.all();
    // The base comes first, and of the base the lists of the frameworks.
    let rank = |param: &Param| {
        let base = param.spec.owner == "mca";
        let framework = !param.spec.name.contains('_');
        (!base, !framework, param.spec.owner.clone(), param.spec.name.clone())
    };
    params.sort_by_key(|param| rank(param));
    let mut owner = String::new();
    for param in &params {
        if param.spec.owner != owner {
            owner.clone_from(&param.spec.owner);
            let title = match system.components().iter().find(|slot| slot.name() == owner) {
                Some(slot) => format!("{owner}: {}", slot.loaded.description),
                None if owner == cairn_mpi_params::OWNER => "mpi: what the MPI functions do".into(),
                None => "base".into(),
            };
            let _ = write!(text, "\n\n# ---- {title}\n");
        }
        text.push('\n');
        for line in wrap(&param.spec.help, 96) {
            let _ = writeln!(text, "# {line}");
        }
        let unit = match &param.spec.unit {
            Some(unit) if !matches!(param.spec.kind, Kind::Size { .. }) => format!(" ({unit})"),
            _ => String::new(),
        };
        let writable = if param.spec.writable { "; may change while running" } else { "" };
        let allowed = param.spec.kind.allowed();
        let _ = writeln!(text, "# [{allowed}{unit}; level {}{writable}]", param.spec.level);
        let _ = writeln!(text, "#{} = {}", param.spec.name, toml_value(param));
    }
    text
}

/// The default as TOML.
fn toml_value(param: &Param) -> String {
    match param.spec.kind.parse(&param.spec.default) {
        Ok(value @ (Value::Bool(_) | Value::Integer(_))) => value.to_string(),
        Ok(value) => format!("{:?}", value.to_string()),
        Err(_) => format!("{:?}", param.spec.default),
    }
}
