//! The Rust side: types, constants, and the exported functions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::table::{Constant, Form, Function, Tables};
use super::{entry, table};

const NOTE: &str = "Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.";

/// `generated/mod.rs`.
pub fn module() -> String {
    format!("//! {NOTE}\n\npub mod constants;\npub mod types;\n")
}

/// The types of the C interface.
pub fn types(tables: &Tables) -> Result<String> {
    let mut out = format!("//! The types of mpi.h. {NOTE}\n\nuse std::ffi::{{c_int, c_void}};\n\n");
    out += "use crate::abi::handle::handle;\nuse crate::abi::status::Status;\n\n";
    for (name, c) in &tables.types.integers {
        let rust = match c.as_str() {
            "int64_t" => "i64",
            // One type of 64 bits for all: arrays of either are passed on as they are.
            "intptr_t" => "i64",
            other => anyhow::bail!("types.txt: unknown integer {other}"),
        };
        let _ = writeln!(out, "/// `MPI_{name}`.\npub type {name} = {rust};");
    }
    out += "const _: () = assert!(size_of::<Aint>() == size_of::<usize>());\n\n";
    for name in &tables.types.handles {
        let rust = camel(name);
        let _ = writeln!(out, "handle!(/// `MPI_{name}`.\n{rust});");
    }
    for name in &tables.types.extension_handles {
        let rust = camel(&format!("X_{name}"));
        let _ = writeln!(out, "handle!(/// `MPIX_{name}`.\n{rust});");
    }
    for group in &tables.constants {
        let Form::Enumeration(name) = &group.form else { continue };
        let _ = writeln!(out, "\n/// `MPI_{name}`.\npub type {} = c_int;", camel(name));
    }
    for (result, name, params) in &tables.types.callbacks {
        let mut rust = Vec::new();
        for param in params.split(',').map(str::trim) {
            let end = param.rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
            let c = end.map_or(param, |end| &param[..=end]).trim();
            rust.push(if param == "..." { param.to_owned() } else { rust_type(c)? });
        }
        let result = if result == "void" { "" } else { " -> c_int" };
        let _ = writeln!(
            out,
            "\n/// `MPI_{name} *`.\npub type {} = unsafe extern \"C\" fn({}){result};",
            camel(name),
            rust.join(", ")
        );
    }
    formatted(&out)
}

/// The constants of the C interface, under their names in C.
pub fn constants(tables: &Tables) -> Result<String> {
    let mut out =
        format!("//! The constants of mpi.h. {NOTE}\n\nuse std::ffi::{{c_char, c_int, c_void}};\n");
    out += "use std::ptr::without_provenance_mut;\n\nuse super::types::*;\nuse crate::abi::status::Status;\n";
    for group in &tables.constants {
        let mut rows = String::new();
        for constant in &group.rows {
            rows += &rust_constant(&group.form, constant)?;
        }
        if !rows.is_empty() {
            let _ = writeln!(out, "\n// {}\n\n{rows}", group.title);
        }
        if let Form::Handle(handle) = &group.form {
            names(&mut out, handle, &group.rows);
        }
    }
    out += "\n/// The predefined error classes: value, name and text.\n";
    out += "pub static ERROR_CLASSES: &[(c_int, &str, &str)] = &[\n";
    let classes = tables.constants.iter().filter(|group| group.title == "Error classes");
    for constant in classes.flat_map(|group| &group.rows) {
        ensure!(!constant.rest.is_empty(), "constants.txt: {} has no text", constant.name);
        let _ = writeln!(out, "({0}, \"{0}\", \"{1}\"),", constant.name, constant.rest);
    }
    out += "];\n";
    formatted(&out)
}

fn rust_constant(form: &Form, constant: &Constant) -> Result<String> {
    let (name, value) = (&constant.name, &constant.value);
    let (ty, value) = match form {
        Form::Macro | Form::Enum => ("c_int".to_owned(), value.clone()),
        Form::Enumeration(of) => (camel(of), value.clone()),
        Form::Typed(of) => (camel(of), value.clone()),
        Form::Handle(of) if constant.number().is_none() => (camel(of), value.clone()),
        Form::Handle(of) => (camel(of), format!("{}::predefined({value})", camel(of))),
        Form::Pointer(of) => {
            let ty = rust_type(of.as_ref().unwrap_or(&constant.rest))?;
            (ty, format!("without_provenance_mut({value})"))
        }
        // They are 0 and 1 and not functions; `args::copying` and `Option` know them.
        Form::Callback => return Ok(String::new()),
    };
    Ok(format!("/// `{name}`.\npub const {name}: {ty} = {value};\n"))
}

/// The names of the predefined handles of a class.
fn names(out: &mut String, handle: &str, constants: &[Constant]) {
    let (upper, ty) = (handle.to_uppercase(), camel(handle));
    let _ = writeln!(out, "\n/// The predefined handles of this type and their names.");
    let _ = writeln!(out, "pub static {upper}_NAMES: &[({ty}, &str)] = &[");
    for constant in constants.iter().filter(|constant| constant.number().is_some()) {
        let _ = writeln!(out, "({0}, \"{0}\"),", constant.name);
    }
    *out += "];\n";
}

/// The version script of the linker: the names that the library exports, and no other.
pub fn exports(tables: &Tables) -> String {
    let mut out = format!("# {NOTE}\n{{\nglobal:\n");
    for prefix in ["", "P"] {
        for function in tables.all_functions() {
            for large in function.forms() {
                let _ = writeln!(out, "    {prefix}{};", function.c_name(large));
            }
        }
    }
    for variable in &tables.types.extension_variables {
        let _ = writeln!(out, "    MPIX_{variable};");
    }
    out + "local:\n    *;\n};\n"
}

/// `entries/mod.rs`.
pub fn entries(tables: &Tables) -> Result<String> {
    let mut out = format!(
        "//! The functions that the library exports, one module for each of `crate::calls`. {NOTE}\n//!\n\
         //! `PMPI_X` is the function, `MPI_X` a weak alias, so that a profiling library can have its\n\
         //! own. An entry checks the arguments, gives them the types of the implementation, calls\n\
         //! it, and turns an error into a call of the error handler.\n\n"
    );
    for module in modules(tables) {
        let _ = writeln!(out, "mod {module};");
    }
    formatted(&out)
}

/// The entries by module.
pub fn entry_modules(tables: &Tables) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for module in modules(tables) {
        let mut out = format!(
            "//! Entries of `crate::calls::{module}`. {NOTE}\n\nuse crate::prelude::*;\n\n"
        );
        let functions = || tables.all_functions().filter(|function| function.module == module);
        for function in functions() {
            for large in function.forms() {
                let written = entry::write(&mut out, function, large);
                written.with_context(|| format!("the entry of {}", function.c_name(large)))?;
            }
        }
        // In the module of the functions: an alias and what it stands for must be in one object.
        out += "std::arch::global_asm!(\n";
        for function in functions() {
            for large in function.forms() {
                let name = function.c_name(large);
                let _ = writeln!(out, "\".weak {name}\", \".set {name}, P{name}\",");
            }
        }
        out += ");\n";
        let text = formatted(&out).with_context(|| format!("formatting entries/{module}.rs"))?;
        files.insert(module.to_owned(), text);
    }
    Ok(files)
}

fn modules(tables: &Tables) -> Vec<&str> {
    let mut modules: Vec<&str> = Vec::new();
    for Function { module, .. } in tables.all_functions() {
        if !modules.contains(&module.as_str()) {
            modules.push(module);
        }
    }
    modules
}

/// The Rust type of a C type.
pub fn rust_type(c: &str) -> Result<String> {
    let (c, array) = match c.split_once('[') {
        Some((c, brackets)) => (c.trim(), Some(brackets)),
        None => (c.trim(), None),
    };
    let (base, constant) = match c.strip_prefix("const ") {
        Some(base) => (base, true),
        None => (c, false),
    };
    let mut stars = base.matches('*').count();
    let base = base.trim_end_matches(['*', ' ']);
    let mut rust = match base {
        "int" => "c_int".to_owned(),
        "char" => "c_char".to_owned(),
        "void" => "c_void".to_owned(),
        "double" => "f64".to_owned(),
        // `MPIX_Sync` is `XSync`: a type called `Sync` would hide the trait.
        mpi if mpi.starts_with("MPIX_") => camel(&mpi["MPI".len()..]),
        mpi => camel(mpi.strip_prefix("MPI_").with_context(|| format!("unknown type {mpi}"))?),
    };
    if base.ends_with("_function") || base.ends_with("_function_c") {
        // The type of a function stands for a pointer to it, which may be null.
        stars = 0;
        rust = format!("Option<{rust}>");
    }
    if array == Some("][3]") {
        rust = format!("[{rust}; 3]");
    }
    stars += usize::from(array.is_some());
    for star in 0..stars {
        let pointer = if constant && star == 0 { "*const" } else { "*mut" };
        rust = format!("{pointer} {rust}");
    }
    Ok(rust)
}

/// `T_cvar_handle` is `TCvarHandle`.
fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
    };
    name.split('_').map(capital).collect()
}

/// As `cargo fmt` would write it.
fn formatted(text: &str) -> Result<String> {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", config])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("running rustfmt")?;
    rustfmt.stdin.take().context("rustfmt takes no input")?.write_all(text.as_bytes())?;
    let output = rustfmt.wait_with_output()?;
    ensure!(output.status.success(), "rustfmt can't read what was made:\n{text}");
    Ok(String::from_utf8(output.stdout)?)
}

/// The Rust type of a parameter in a form; of the other form if this one has no such parameter.
pub fn param_type(param: &table::Param, large: bool) -> Result<String> {
    rust_type(param.kind.c_type(large).unwrap_or(param.kind.any_c_type()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_types_become_rust_types() -> Result<()> {
        for (c, rust) in [
            ("int", "c_int"),
            ("const void *", "*const c_void"),
            ("char ***", "*mut *mut *mut c_char"),
            ("const MPI_Count []", "*const Count"),
            ("char *[]", "*mut *mut c_char"),
            ("MPIX_Sync *", "*mut XSync"),
            ("int [][3]", "*mut [c_int; 3]"),
            ("MPI_T_cvar_handle *", "*mut TCvarHandle"),
            ("MPI_User_function_c *", "Option<UserFunctionC>"),
            ("MPI_T_event_cb_function", "Option<TEventCbFunction>"),
        ] {
            assert_eq!(rust_type(c)?, rust);
        }
        assert!(rust_type("long").is_err());
        Ok(())
    }
}
