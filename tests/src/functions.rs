//! The functions of MPI, as the table `mpi/abi/functions.txt` has them.

use std::fs;

use crate::root;

/// A function of MPI.
pub struct Function {
    /// With the prefix.
    pub name: String,
    /// The section it stands in.
    pub section: String,
    /// Whether it has a form with large counts.
    pub large: bool,
    /// Whether it may be called only between initialization and finalization.
    pub running: bool,
    /// Whether it is implemented.
    pub done: bool,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Whether it returns an error code.
    pub returns_code: bool,
}

/// A parameter of a function.
pub struct Param {
    /// As in the standard.
    pub name: String,
    /// What it can be: one of `mpi/abi/kinds.txt`.
    pub kind: String,
    /// How many elements an array has: a parameter, a constant, or processes of a communicator.
    pub length: Option<String>,
}

/// All of them.
pub fn all() -> Vec<Function> {
    let table = fs::read_to_string(root().join("mpi/abi/functions.txt")).expect("the table");
    let mut section = String::new();
    let mut functions = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match line.strip_prefix('[') {
            Some(name) => section = name.trim_end_matches(']').to_owned(),
            None => functions.push(row(&section, line)),
        }
    }
    functions
}

/// Those that are implemented.
pub fn implemented() -> Vec<Function> {
    all().into_iter().filter(|function| function.done).collect()
}

fn row(section: &str, line: &str) -> Function {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, _since, large, when, done, ref rest @ ..] = words[..] else {
        panic!("a row with too few columns: {line}")
    };
    let params = rest.iter().take_while(|word| **word != "->").map(|word| {
        let (name, kind) = word.split_once(':').expect("name:kind");
        let length = kind.split_once('[').and_then(|(_, length)| Some(length.split_once(']')?.0));
        let kind = kind.split(['[', '@', '?']).next().expect("there is always a first part");
        Param { name: name.to_owned(), kind: kind.to_owned(), length: length.map(str::to_owned) }
    });
    Function {
        name: format!("MPI_{name}"),
        section: section.to_owned(),
        large: large != "-",
        running: when == "run",
        done: done == "yes",
        params: params.collect(),
        returns_code: !rest.contains(&"->"),
    }
}
