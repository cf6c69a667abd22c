//! The tables in `mpi/abi`, read. Each table's head says what its columns mean.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// All of them.
pub struct Tables {
    pub functions: Vec<Function>,
    /// Those of extensions.txt.
    pub extensions: Vec<Function>,
    pub constants: Vec<Group>,
    pub types: Types,
}

/// A row of functions.txt.
pub struct Function {
    /// Where it is implemented: `mpi/src/calls/<module>.rs`.
    pub module: String,
    /// `MPI_` or `MPIX_`.
    pub prefix: &'static str,
    /// Without the prefix.
    pub name: String,
    pub since: String,
    pub deprecated: Option<String>,
    /// Version that brought the large-count form.
    pub large: Option<String>,
    pub when: When,
    pub done: bool,
    pub params: Vec<Param>,
    /// Kind of what it returns, if that is not an error code.
    pub returns: Option<Kind>,
}

/// When a function may be called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    Run,
    Any,
    Tool,
}

/// A parameter.
pub struct Param {
    pub name: String,
    pub kind: Kind,
    /// The parameter whose ranks it counts, if the row says so.
    pub scope: Option<String>,
    pub length: Option<String>,
    /// All must hold for it to be significant.
    pub conditions: Vec<String>,
}

/// A row of kinds.txt; empty columns are empty strings.
#[derive(Clone)]
pub struct Kind {
    pub name: String,
    pub c: String,
    pub c_large: String,
    pub wrap: String,
    pub check: Check,
    pub open: String,
    pub elements: Check,
}

/// A check and what it needs beside name and value.
#[derive(Clone, Default)]
pub struct Check {
    pub name: String,
    pub needs: Vec<String>,
    /// The type of the object that the check looks up and gives instead of the value.
    pub found: Option<String>,
}

/// A group of constants.
pub struct Group {
    pub title: String,
    pub form: Form,
    pub rows: Vec<Constant>,
}

/// What the constants of a group are in C.
#[derive(Clone, PartialEq, Eq)]
pub enum Form {
    Macro,
    Enum,
    Enumeration(String),
    Handle(String),
    Pointer(Option<String>),
    Typed(String),
    Callback,
}

/// A constant.
pub struct Constant {
    /// As in C.
    pub name: String,
    /// A number, or the name of the constant that this is a second name of.
    pub value: String,
    pub rest: String,
}

/// types.txt.
#[derive(Default)]
pub struct Types {
    pub integers: Vec<(String, String)>,
    pub handles: Vec<String>,
    /// Result, name, parameters.
    pub callbacks: Vec<(String, String, String)>,
    pub aliases: Vec<(String, String)>,
    pub extension_handles: Vec<String>,
    pub extension_variables: Vec<String>,
}

impl Tables {
    /// Those of the standard and the others.
    pub fn all_functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().chain(&self.extensions)
    }
}

/// The forms of a function: the plain one, and the large-count one if it has one.
impl Function {
    pub fn forms(&self) -> impl Iterator<Item = bool> {
        std::iter::once(false).chain(self.large.is_some().then_some(true))
    }

    /// Its name in C, `MPI_X` or `MPI_X_c`.
    pub fn c_name(&self, large: bool) -> String {
        format!("{}{}{}", self.prefix, self.name, if large { "_c" } else { "" })
    }

    /// The first parameter of one of these kinds.
    pub fn first(&self, kinds: &[&str]) -> Option<&Param> {
        self.params.iter().find(|param| kinds.contains(&param.kind.name.as_str()))
    }

    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }
}

impl Kind {
    /// The C type in a form; `None` if the form has no such parameter.
    pub fn c_type(&self, large: bool) -> Option<&str> {
        let c = if large && !self.c_large.is_empty() { &self.c_large } else { &self.c };
        (c != "-").then_some(c)
    }

    /// Whether it is one that data goes to or comes from, or does not, if it is `MPI_PROC_NULL`.
    pub fn is_peer(&self) -> bool {
        ["dest", "source", "message_io"].contains(&self.name.as_str())
    }

    /// Whether it describes data.
    fn is_data(&self) -> bool {
        let kinds = ["in_buffer", "out_buffer", "in_element", "out_element", "datatype"];
        kinds.contains(&self.name.as_str())
    }

    /// The C type of the form that has it.
    pub fn any_c_type(&self) -> &str {
        self.c_type(false).unwrap_or(&self.c_large)
    }
}

/// A second name refers to another constant.
impl Constant {
    pub fn number(&self) -> Option<i64> {
        match self.value.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => self.value.parse().ok(),
        }
    }
}

/// Reads the tables of the repository.
pub fn read(root: &Path) -> Result<Tables> {
    let dir = root.join("mpi/abi");
    let kinds: BTreeMap<String, Kind> = rows(&dir.join("kinds.txt"), kind)?
        .into_iter()
        .map(|(_, kind)| (kind.name.clone(), kind))
        .collect();
    let functions = |file: &str, prefix| {
        let rows = rows(&dir.join(file), |row| function(row, &kinds))?.into_iter();
        anyhow::Ok(rows.map(|(module, row)| Function { module, prefix, ..row }).collect())
    };
    let (standard, extensions) =
        (functions("functions.txt", "MPI_")?, functions("extensions.txt", "MPIX_")?);
    let mut constants: Vec<Group> = Vec::new();
    for (heading, constant) in rows(&dir.join("constants.txt"), constant)? {
        let (title, form) = heading.split_once("] ").context("a group without a form")?;
        if constants.last().is_none_or(|group| group.title != title) {
            let group = Group { title: title.to_owned(), form: form_of(form)?, rows: Vec::new() };
            constants.push(group);
        }
        constants.last_mut().context("no group")?.rows.push(constant);
    }
    let mut types = Types::default();
    for (section, row) in rows(&dir.join("types.txt"), |row| Ok(row.to_owned()))? {
        let (first, rest) = row.split_once(' ').unwrap_or((&row, ""));
        let (first, rest) = (first.to_owned(), rest.trim());
        match section.as_str() {
            "integers" => types.integers.push((first, rest.to_owned())),
            "handles" => types.handles.push(first),
            "callbacks" => {
                let (name, params) =
                    rest.split_once(' ').context("a callback without parameters")?;
                types.callbacks.push((first, name.to_owned(), params.trim().to_owned()));
            }
            "extension handles" => types.extension_handles.push(first),
            "extension variables" => types.extension_variables.push(first),
            "aliases" => types.aliases.push((first, rest.to_owned())),
            other => bail!("types.txt has an unknown section {other}"),
        }
    }
    Ok(Tables { functions: standard, extensions, constants, types })
}

/// The rows of a file, each with the section it is in.
fn rows<T>(path: &Path, mut read: impl FnMut(&str) -> Result<T>) -> Result<Vec<(String, T)>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let mut section = String::new();
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(heading) = line.strip_prefix('[') {
            section = heading.strip_suffix(']').unwrap_or(heading).to_owned();
            continue;
        }
        let row = read(line).with_context(|| format!("{}:{}", path.display(), number + 1))?;
        rows.push((section.clone(), row));
    }
    Ok(rows)
}

fn kind(row: &str) -> Result<Kind> {
    let columns: Vec<&str> = row.split('|').map(str::trim).collect();
    let [name, c, c_large, wrap, check, open, elements] = columns[..] else {
        bail!("a kind has 7 columns, this row {}", columns.len());
    };
    Ok(Kind {
        name: name.to_owned(),
        c: c.to_owned(),
        c_large: c_large.to_owned(),
        wrap: wrap.to_owned(),
        check: check_of(check),
        open: open.to_owned(),
        elements: check_of(elements),
    })
}

fn check_of(column: &str) -> Check {
    let (column, found) = match column.split_once(" -> ") {
        Some((column, found)) => (column, Some(found.to_owned())),
        None => (column, None),
    };
    let (name, needs) = column.split_once('(').unwrap_or((column, ""));
    let needs = needs.trim_end_matches(')').split(',').filter(|need| !need.is_empty());
    Check { name: name.to_owned(), needs: needs.map(str::to_owned).collect(), found }
}

fn function(row: &str, kinds: &BTreeMap<String, Kind>) -> Result<Function> {
    let (row, returns) = match row.split_once("-> ") {
        Some((row, kind)) => (row, Some(named(kind, kinds)?)),
        None => (row, None),
    };
    let mut columns = row.split_whitespace();
    let mut column = |what| columns.next().with_context(|| format!("a row without {what}"));
    let name = column("a name")?.to_owned();
    let since = column("a version")?;
    let (since, deprecated) = match since.split_once('-') {
        Some((since, deprecated)) => (since, Some(deprecated.to_owned())),
        None => (since, None),
    };
    let large = column("a large-count version")?;
    let when = match column("when")? {
        "run" => When::Run,
        "any" => When::Any,
        "tool" => When::Tool,
        other => bail!("when is run, any or tool, not {other}"),
    };
    let done = match column("done")? {
        "yes" => true,
        "no" => false,
        other => bail!("done is yes or no, not {other}"),
    };
    let params: Vec<Param> = columns.map(|column| param(column, kinds)).collect::<Result<_>>()?;
    ensure!(returns.is_none() || done, "what returns no error code can't say that it is not done");
    let peers: Vec<&str> =
        params.iter().filter(|it| it.kind.is_peer()).map(|it| it.name.as_str()).collect();
    for param in params.iter().filter(|param| param.kind.is_data() && !peers.is_empty()) {
        let mut named = param.conditions.iter().flat_map(|names| names.split('|'));
        ensure!(named.any(|name| peers.contains(&name)), "{} names no peer", param.name);
    }
    Ok(Function {
        module: String::new(),
        prefix: "MPI_",
        name,
        since: since.to_owned(),
        deprecated,
        large: (large != "-").then(|| large.to_owned()),
        when,
        done,
        params,
        returns,
    })
}

fn param(column: &str, kinds: &BTreeMap<String, Kind>) -> Result<Param> {
    let (name, kind) = column.split_once(':').with_context(|| format!("{column} has no kind"))?;
    let (kind, conditions) = kind.split_once('?').unwrap_or((kind, ""));
    let (kind, length) = match kind.split_once('[') {
        Some((kind, length)) => (kind, Some(length.trim_end_matches(']').to_owned())),
        None => (kind, None),
    };
    let (kind, scope) = match kind.split_once('@') {
        Some((kind, scope)) => (kind, Some(scope.to_owned())),
        None => (kind, None),
    };
    let conditions = conditions.split('&').filter(|condition| !condition.is_empty());
    Ok(Param {
        name: name.to_owned(),
        kind: named(kind, kinds)?,
        scope,
        length,
        conditions: conditions.map(str::to_owned).collect(),
    })
}

fn named(kind: &str, kinds: &BTreeMap<String, Kind>) -> Result<Kind> {
    kinds.get(kind).cloned().with_context(|| format!("kinds.txt has no kind {kind}"))
}

fn constant(row: &str) -> Result<Constant> {
    let (name, rest) = row.split_once(' ').context("a constant without a value")?;
    let mut rest = rest.trim();
    rest = rest.strip_prefix("= ").unwrap_or(rest);
    let (value, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let full = |name: &str| {
        if name.starts_with("MPIX_") { name.to_owned() } else { format!("MPI_{name}") }
    };
    let second = value.starts_with(char::is_alphabetic);
    Ok(Constant {
        name: full(name),
        value: if second { full(value) } else { value.to_owned() },
        rest: rest.trim().to_owned(),
    })
}

fn form_of(form: &str) -> Result<Form> {
    let (form, of) = form.split_once(' ').unwrap_or((form, ""));
    Ok(match form {
        "macro" => Form::Macro,
        "enum" => Form::Enum,
        "enumeration" => Form::Enumeration(of.to_owned()),
        "handle" => Form::Handle(of.to_owned()),
        "pointer" => Form::Pointer((!of.is_empty()).then(|| of.to_owned())),
        "typed" => Form::Typed(of.to_owned()),
        "callback" => Form::Callback,
        other => bail!("unknown form {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> BTreeMap<String, Kind> {
        let rows = [
            "int | int | | | | |",
            "count | int | MPI_Count | count | count | |",
            "in_buffer | const void * | | | | |",
            "dest | int | | | | |",
        ];
        rows.into_iter()
            .map(|row| kind(row).unwrap())
            .map(|kind| (kind.name.clone(), kind))
            .collect()
    }

    #[test]
    fn rows_are_read() {
        let row = "Gather 1.0-4.0 4.0 run yes n:count[comm.out]?leaf&sendbuf rank:int@local_comm";
        let function = function(row, &kinds()).unwrap();
        assert_eq!((function.since.as_str(), function.deprecated.as_deref()), ("1.0", Some("4.0")));
        assert_eq!(
            function.forms().map(|large| function.c_name(large)).collect::<Vec<_>>(),
            ["MPI_Gather", "MPI_Gather_c"]
        );
        let n = function.param("n").unwrap();
        assert_eq!((n.length.as_deref(), n.conditions.len()), (Some("comm.out"), 2));
        assert_eq!((n.kind.c_type(false), n.kind.c_type(true)), (Some("int"), Some("MPI_Count")));
        assert_eq!(function.param("rank").unwrap().scope.as_deref(), Some("local_comm"));
    }

    #[test]
    fn mistakes_are_named() {
        for (row, text) in [
            ("Send", "a row without a version"),
            ("Send 1.0 - now yes", "when is run, any or tool, not now"),
            ("Send 1.0 - run maybe", "done is yes or no, not maybe"),
            ("Send 1.0 - run no buf", "buf has no kind"),
            ("Send 1.0 - run no buf:buffer", "kinds.txt has no kind buffer"),
            ("Wtime 1.0 - any no -> int", "can't say that it is not done"),
            ("Send 1.0 - run no buf:in_buffer dest:dest", "buf names no peer"),
            ("Send 1.0 - run no buf:in_buffer?root dest:dest", "buf names no peer"),
        ] {
            let error = function(row, &kinds()).err().unwrap().to_string();
            assert!(error.contains(text), "{row}: {error}");
        }
        assert!(kind("int | int").is_err());
    }

    #[test]
    fn second_names_are_not_numbers() {
        let (first, second) =
            (constant("INT 0x209").unwrap(), constant("LONG_LONG_INT = LONG_LONG").unwrap());
        assert_eq!((first.name.as_str(), first.number()), ("MPI_INT", Some(0x209)));
        assert_eq!((second.value.as_str(), second.number()), ("MPI_LONG_LONG", None));
    }
}
