//! The parameters of the base: what must be known before components are found.

use std::sync::Arc;

use env_filter::Filter;

use crate::frameworks::{CONTRACTS, Cardinality, Contract};
use crate::host::loader::SearchDir;
use crate::host::params::{Kind, Param, Registry, Spec, Value};
use crate::host::paths::Paths;
use crate::host::problem::Problem;
use crate::host::services::log::parse_filter;

/// In `mca_component_path`: the directories of the installation and of the user.
const DEFAULT_PATH: &str = "default";

/// What the start needs of the base's parameters.
pub(super) struct Base {
    component_path: Arc<Param>,
    /// What to log.
    pub log_filter: Filter,
}

/// Registers the parameters of the base and one for each framework, its selection list.
pub(super) fn register(params: &Registry, problems: &mut Vec<Problem>) -> Base {
    let mut base = |spec: Spec| {
        let name = spec.name.clone();
        params.register(spec).unwrap_or_else(|problem| {
            problems.push(problem);
            params.find(&name).expect("base parameters have distinct names")
        })
    };
    base(Spec::base(
        "mca_strict",
        Kind::Bool,
        "true",
        "Whether a misspelt parameter, a value that is not allowed or a component that is not \
         there is an error. If not, it is a warning.",
    ));
    let component_path = base(Spec::base(
        "mca_component_path",
        Kind::List,
        DEFAULT_PATH,
        "Directories with component libraries, the first wins. The word default stands for \
         lib/cairn of the installation and ~/.cairn/components.",
    ));
    let log = base(Spec::base(
        "mca_log",
        Kind::List,
        "warn",
        "What to log: a level (off, error, warn, info, debug, trace) for everything, and \
         NAME=LEVEL for components whose name begins with NAME, such as warn,btl_sm=debug.",
    ));
    base(Spec::base(
        "mca_report",
        Kind::Choice(["off", "text", "json"].map(Into::into).into()),
        "off",
        "Print at start which component serves what, and why the others do not. A number works \
         too: 1 is text.",
    ));
    for contract in CONTRACTS {
        base(Spec::base(contract.name, Kind::List, "", &selection_help(contract)));
    }
    let log_filter = parse_filter(&log.value().to_string()).unwrap_or_else(|reason| {
        problems.push(
            Problem::new(format!("mca_log: {reason}"))
                .at(log.current().1.origin)
                .allowed("LEVEL or NAME=LEVEL, separated by commas")
                .fix("write for instance warn,btl_sm=debug"),
        );
        parse_filter("warn").expect("a fixed text")
    });
    Base { component_path, log_filter }
}

fn selection_help(contract: &Contract) -> String {
    let which = match contract.cardinality {
        Cardinality::One => "The one of them with the highest priority serves.",
        Cardinality::Many => "All of them serve that can.",
    };
    format!(
        "Components of the framework {} ({}): a,b for these only, ^a,b for all but these, empty \
         for any. {which}",
        contract.name, contract.summary
    )
}

impl Base {
    /// Where to look for component libraries.
    pub fn search_dirs(&self, paths: &Paths) -> Vec<SearchDir> {
        let Value::List(words) = self.component_path.value() else { return Vec::new() };
        let usual = || paths.component_dirs().into_iter();
        words
            .into_iter()
            .flat_map(|word| match word.as_str() {
                DEFAULT_PATH => usual().map(|path| SearchDir { path, named: false }).collect(),
                _ => vec![SearchDir { path: word.into(), named: true }],
            })
            .collect()
    }
}
