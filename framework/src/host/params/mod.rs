//! MCA parameters: registration, values, and where each value came from.
//!
//! ```text
//!   files, variables, flags ──Sources::gather──► settings by name, weakest first
//!                                                      │
//!   a component ──register(spec)──► record: every setting of the name and its synonyms,
//!                                   the strongest valid one in a cell
//!                                                      │
//!   hot path ◄── one load ── cell ◄── write (MPI_T) ───┘
//! ```
//!
//! A value that is not allowed and a name that is not registered are collected as problems
//! ([`Registry::problems`]), so that a user sees all of them at once.

mod file;
mod origin;
mod sources;
mod value;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::abi::lock::Mutex;
use crate::audit::LockLevel;

use super::problem::{Problem, Severity, did_you_mean, nearest};
use crate::abi::param::ParamCell;

pub use origin::{FileLine, Origin};
pub use sources::{CommandLine, ENVIRONMENT_PREFIX, LAUNCH_VARIABLE, Setting, Sources, profiles};
pub use value::{Kind, Value};

/// Called after a writable parameter changed.
pub type Changed = Box<dyn Fn(&'static ParamCell) + Send + Sync>;

/// What is said about a parameter when it is registered.
pub struct Spec {
    /// The full name.
    pub name: String,
    /// Its owner: `btl_sm`, or `mca` for the base.
    pub owner: String,
    /// What it does.
    pub help: String,
    /// What it counts.
    pub unit: Option<String>,
    /// Which values it may have.
    pub kind: Kind,
    /// The default, as a user would write it.
    pub default: String,
    /// Its audience, 1 to 9.
    pub level: u32,
    /// May it change at run time?
    pub writable: bool,
    /// Must all processes of a job have the same value?
    pub same: bool,
    /// Is it read at once when the system is made, so that nothing can change it later?
    pub fixed: bool,
    /// Other full names.
    pub synonyms: Vec<String>,
    /// Former full names, whose use is worth a warning.
    pub deprecated_synonyms: Vec<String>,
    /// If it is on its way out: what to use instead.
    pub deprecated: Option<String>,
    /// Called after it was written.
    pub changed: Option<Changed>,
}

impl Spec {
    /// A parameter of the base, of level 1 and not writable.
    pub fn base(name: &str, kind: Kind, default: &str, help: &str) -> Self {
        Self {
            name: name.into(),
            owner: "mca".into(),
            help: help.into(),
            unit: None,
            kind,
            default: default.into(),
            level: 1,
            writable: false,
            same: false,
            fixed: false,
            synonyms: Vec::new(),
            deprecated_synonyms: Vec::new(),
            deprecated: None,
            changed: None,
        }
    }
}

/// One setting of a registered parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The name it was given under; a synonym if it differs from the parameter's.
    pub name: String,
    /// The value as it was written.
    pub text: String,
    /// Where.
    pub origin: Origin,
    /// Why the value is not allowed, if it is not.
    pub refused: Option<String>,
}

/// A registered parameter.
pub struct Param {
    /// What was said about it.
    pub spec: Spec,
    cell: &'static ParamCell,
    /// Every setting, weakest first; the first is the default. The last that is not refused wins.
    given: Mutex<Vec<Given>>,
}

impl Param {
    /// Where the value lies.
    pub fn cell(&self) -> &'static ParamCell {
        self.cell
    }

    /// Every setting, weakest first.
    pub fn given(&self) -> Vec<Given> {
        self.given.lock().clone()
    }

    /// The value now and the setting it comes from.
    pub fn current(&self) -> (Value, Given) {
        let given = self.given.lock();
        given
            .iter()
            .rev()
            .filter(|given| given.refused.is_none())
            .find_map(|given| Some((self.spec.kind.parse(&given.text).ok()?, given.clone())))
            .expect("the default was checked at registration")
    }

    /// The value now.
    pub fn value(&self) -> Value {
        self.current().0
    }

    fn store(&self) {
        let word = match self.value() {
            Value::Bool(value) => u64::from(value),
            Value::Integer(value) => value as u64,
            Value::Size(value) => value,
            Value::Text(text) => match &self.spec.kind {
                Kind::Choice(words) => {
                    words.iter().position(|word| *word == text).unwrap_or(0) as u64
                }
                _ => leak(&text),
            },
            Value::List(words) => leak(&words.join(",")),
        };
        // Release: a thread that sees the pointer of a new string sees its bytes.
        self.cell.value.store(word, Ordering::Release);
    }
}

/// The address of a copy that lives as long as the process: readers hold strings without a lock,
/// and parameters change a handful of times at most.
fn leak(text: &str) -> u64 {
    crate::text::to_c(text).into_raw().expose_provenance() as u64
}

/// The parameters of a process.
pub struct Registry {
    settings: Vec<Setting>,
    params: Mutex<Params>,
    problems: Mutex<Vec<Problem>>,
}

#[derive(Default)]
struct Params {
    by_name: BTreeMap<String, Arc<Param>>,
    /// Synonym to name; true when deprecated.
    synonyms: HashMap<String, (String, bool)>,
}

impl Registry {
    /// An empty registry with the settings of `sources`.
    pub fn new(sources: &Sources) -> Self {
        let (settings, problems) = sources.gather();
        Self {
            settings,
            params: Mutex::at(LockLevel::TABLE, Params::default()),
            problems: Mutex::new(problems),
        }
    }

    /// Registers a parameter and gives it its value. The same owner may register it again and
    /// gets the same cell.
    ///
    /// # Errors
    /// A description that is not sound: the author's mistake. A value that is not allowed is the
    /// user's and goes to [`Registry::problems`]; the parameter then has its next weaker value.
    pub fn register(&self, spec: Spec) -> Result<Arc<Param>, Problem> {
        let mut params = self.params.lock();
        if let Some(existing) = params.by_name.get(&spec.name) {
            if existing.spec.owner == spec.owner && existing.spec.kind == spec.kind {
                return Ok(Arc::clone(existing));
            }
            return Err(Problem::new(format!(
                "{} registers the parameter {}, which {} has registered already",
                spec.owner, spec.name, existing.spec.owner
            )));
        }
        check_spec(&spec, &params)?;

        let given = self.collect(&spec);
        let cell = Box::leak(Box::new(ParamCell { value: AtomicU64::new(0) }));
        let param = Arc::new(Param { spec, cell, given: Mutex::new(given) });
        param.store();
        let name = &param.spec.name;
        let named = param.spec.synonyms.iter().map(|synonym| (synonym, false));
        let former = param.spec.deprecated_synonyms.iter().map(|synonym| (synonym, true));
        for (synonym, deprecated) in named.chain(former) {
            params.synonyms.insert(synonym.clone(), (name.clone(), deprecated));
        }
        params.by_name.insert(name.clone(), Arc::clone(&param));
        Ok(param)
    }

    /// Every setting of a parameter, weakest first, and the problems with them.
    fn collect(&self, spec: &Spec) -> Vec<Given> {
        let mut problems = self.problems.lock();
        let mut all = vec![Given {
            name: spec.name.clone(),
            text: spec.default.clone(),
            origin: Origin::Default,
            refused: None,
        }];
        for setting in &self.settings {
            let former = spec.deprecated_synonyms.contains(&setting.name);
            let own = setting.name == spec.name;
            if !own && !former && !spec.synonyms.contains(&setting.name) {
                continue;
            }
            let refused = spec.kind.parse(&setting.text).err();
            if let Some(reason) = &refused {
                problems.push(refusal(spec, setting, reason));
            }
            if former {
                problems.push(
                    Problem::new(format!("{} is the former name of {}", setting.name, spec.name))
                        .at(&setting.origin)
                        .fix(format!("write {}", spec.name))
                        .warning(),
                );
            } else if let Some(instead) = &spec.deprecated {
                problems.push(
                    Problem::new(format!("{} is deprecated", spec.name))
                        .at(&setting.origin)
                        .fix(instead.clone())
                        .warning(),
                );
            }
            let clash = all.iter().find(|before: &&Given| {
                before.origin.strength() == setting.origin.strength()
                    && before.name != setting.name
                    && before.text != setting.text
            });
            if let Some(before) = clash {
                problems.push(
                    Problem::new(format!(
                        "{} and {} are names of one parameter and are given different values",
                        before.name, setting.name
                    ))
                    .at(format!("{} and {}", before.origin, setting.origin))
                    .fix("leave one of them out"),
                );
            }
            all.push(Given {
                name: setting.name.clone(),
                text: setting.text.clone(),
                origin: setting.origin.clone(),
                refused,
            });
        }
        all
    }

    /// The parameter with this name or synonym.
    pub fn find(&self, name: &str) -> Option<Arc<Param>> {
        let params = self.params.lock();
        let name = params.synonyms.get(name).map_or(name, |(name, _)| name);
        params.by_name.get(name).cloned()
    }

    /// Every parameter, by name.
    pub fn all(&self) -> Vec<Arc<Param>> {
        self.params.lock().by_name.values().cloned().collect()
    }

    /// How many parameters there are; never fewer than before.
    pub fn len(&self) -> usize {
        self.params.lock().by_name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names near to one that is not registered, for a "did you mean".
    pub fn near(&self, name: &str) -> Vec<String> {
        let params = self.params.lock();
        let names = params.by_name.keys().chain(params.synonyms.keys()).map(String::as_str);
        nearest(name, names).into_iter().map(str::to_owned).collect()
    }

    /// Writes a parameter at run time and calls its callback.
    ///
    /// # Errors
    /// Unknown, not writable, or a value that is not allowed.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Problem> {
        let param = self.find(name).ok_or_else(|| self.unknown(name))?;
        if !param.spec.writable {
            return Err(Problem::new(format!("{} can't be changed at run time", param.spec.name))
                .fix("set it before the program starts"));
        }
        Self::set(&param, text)?;
        if let Some(changed) = &param.spec.changed {
            changed(param.cell);
        }
        Ok(())
    }

    /// Writes a parameter while no component is open: they read it when they open.
    ///
    /// # Errors
    /// Unknown, read already, or a value that is not allowed.
    pub fn write_before_start(&self, name: &str, text: &str) -> Result<(), Problem> {
        let param = self.find(name).ok_or_else(|| self.unknown(name))?;
        if param.spec.writable {
            return self.write(name, text);
        }
        if param.spec.fixed {
            return Err(Problem::new(format!("{} was read already", param.spec.name))
                .fix("set it before the program starts"));
        }
        Self::set(&param, text)
    }

    /// Gives a parameter a value that is stronger than those of all other origins.
    fn set(param: &Param, text: &str) -> Result<(), Problem> {
        let spec = &param.spec;
        let setting =
            Setting { name: spec.name.clone(), text: text.to_owned(), origin: Origin::Tool };
        if let Err(reason) = spec.kind.parse(text) {
            return Err(refusal(spec, &setting, &reason));
        }
        {
            let mut given = param.given.lock();
            given.retain(|given| given.origin != Origin::Tool);
            given.push(Given {
                name: setting.name,
                text: setting.text,
                origin: setting.origin,
                refused: None,
            });
        }
        param.store();
        Ok(())
    }

    /// The problem of a name that is not registered.
    pub fn unknown(&self, name: &str) -> Problem {
        let near = self.near(name);
        let near: Vec<&str> = near.iter().map(String::as_str).collect();
        Problem::new(format!("there is no parameter {name}"))
            .fix(did_you_mean(&near, "cairn-info --param '*' --level 9 lists all parameters"))
    }

    /// What is wrong with sources and values, and with names that are not registered; `unchecked`
    /// says which names belong to components that are not loaded and can't be checked.
    ///
    /// Mistakes in Open MPI's variables are warnings: all names without a counterpart are one.
    pub fn problems(&self, unchecked: impl Fn(&str) -> bool) -> Vec<Problem> {
        let mut problems = self.problems.lock().clone();
        let mut foreign = Vec::new();
        for setting in &self.settings {
            if self.find(&setting.name).is_some() {
                continue;
            }
            let misspelt = self.misspelt(setting, &unchecked);
            if misspelt.is_none() && unchecked(&setting.name) {
                continue;
            }
            if let Origin::OmpiEnvironment(variable) = &setting.origin {
                foreign.push(variable.as_str());
                continue;
            }
            let problem = self.unknown(&setting.name).at(&setting.origin);
            problems.push(match misspelt {
                Some(fix) => problem.fix(fix),
                None => problem,
            });
        }
        if !foreign.is_empty() {
            foreign.sort_unstable();
            problems.push(
                Problem::new("Open MPI parameters that have no counterpart here and do nothing")
                    .at(foreign.join(", "))
                    .warning(),
            );
        }
        if !self.strict() {
            for problem in &mut problems {
                problem.severity = Severity::Warning;
            }
        }
        problems
    }

    /// What to write instead of a name that can't be one, if that is plain to see.
    fn misspelt(&self, setting: &Setting, unchecked: impl Fn(&str) -> bool) -> Option<String> {
        let name = setting.name.as_str();
        if setting.origin == Origin::CommandLine
            && let Some((name, value)) = name.split_once(|c: char| c == '=' || c.is_whitespace())
        {
            let value = if value.is_empty() { &setting.text } else { value };
            return Some(format!("NAME and VALUE are two words: --mca {name} {value}"));
        }
        let lower = name.to_ascii_lowercase();
        if lower == name || !(self.find(&lower).is_some() || unchecked(&lower)) {
            return None;
        }
        let prefix = match setting.origin {
            Origin::Environment(_) => ENVIRONMENT_PREFIX,
            _ => "",
        };
        Some(format!("write {prefix}{lower}: names of parameters have lower-case letters"))
    }

    /// `mca_strict`: whether mistakes are errors.
    fn strict(&self) -> bool {
        self.find("mca_strict").is_none_or(|param| param.value() != Value::Bool(false))
    }
}

fn refusal(spec: &Spec, setting: &Setting, reason: &str) -> Problem {
    let allowed = match &spec.unit {
        Some(unit) if !matches!(spec.kind, Kind::Size { .. }) => {
            format!("{} ({unit})", spec.kind.allowed())
        }
        _ => spec.kind.allowed(),
    };
    let problem = Problem::new(format!("{}: {reason}", setting.name))
        .at(&setting.origin)
        .allowed(allowed)
        .fix(format!("cairn-info --explain {} shows what it does", spec.name));
    match setting.origin {
        Origin::OmpiEnvironment(_) => problem.warning(),
        _ => problem,
    }
}

/// Whether a name may name a component or parameter: lower-case letters, digits and underscores,
/// beginning with a letter.
pub fn valid_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
}

/// The full name of a `what` ("parameter", "counter") that `owner` calls `own`.
///
/// # Errors
/// A name that names don't have, for the author.
pub fn full_name(owner: &str, what: &str, own: Option<&str>) -> Result<String, String> {
    let missing = |how: &str| format!("a {what} of {owner}: its name is {how}");
    match own {
        None => Err(missing("null")),
        Some("") => Err(missing("empty")),
        Some(own) => {
            let full = format!("{owner}_{own}");
            if valid_name(&full) { Ok(full) } else { Err(bad_name(what, &full)) }
        }
    }
}

fn bad_name(what: &str, name: &str) -> String {
    format!(
        "{name} is no name for a {what}: names have lower-case letters, digits and underscores, \
         and begin with a letter"
    )
}

/// Words that a help text has at least: less is no sentence.
pub const HELP_WORDS: usize = 3;

/// What is wrong with a help text, if something is. Registration refuses none at all; a component
/// whose help is merely too short can be used, and does not keep the contract.
pub fn help_problem(help: &str) -> Option<String> {
    let had = match help.split_whitespace().count() {
        0 => "none".into(),
        words @ 1..HELP_WORDS => format!("\"{}\", which is {words}", help.trim()),
        _ => return None,
    };
    Some(format!("its help needs three words or more, and it has {had}"))
}

/// Whether an author's description is sound.
fn check_spec(spec: &Spec, params: &Params) -> Result<(), Problem> {
    let wrong = |what: String| Err(Problem::new(format!("parameter {}: {what}", spec.name)));
    if !valid_name(&spec.name) {
        return Err(Problem::new(bad_name("parameter", &spec.name)));
    }
    if !(1..=9).contains(&spec.level) {
        return wrong(format!("its level is {}, and levels go from 1 to 9", spec.level));
    }
    if spec.help.trim().is_empty()
        && let Some(reason) = help_problem(&spec.help)
    {
        return wrong(reason);
    }
    if let Some(reason) = spec.kind.contradiction() {
        return wrong(reason);
    }
    if let Err(reason) = spec.kind.parse(&spec.default) {
        let allowed = spec.kind.allowed();
        return wrong(format!("its default is not allowed: {reason}; allowed: {allowed}"));
    }
    for synonym in spec.synonyms.iter().chain(&spec.deprecated_synonyms) {
        if let Some((other, _)) = params.synonyms.get(synonym) {
            return wrong(format!("its synonym {synonym} is one of {other} already"));
        }
        if params.by_name.contains_key(synonym) {
            return wrong(format!("its synonym {synonym} is a parameter of its own"));
        }
    }
    if let Some((other, _)) = params.synonyms.get(&spec.name) {
        return wrong(format!("its name is a synonym of {other}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
