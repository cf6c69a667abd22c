//! The text of one exported function.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use super::rust::{param_type, rust_type};
use super::table::{Function, Kind, Param, When};

/// Writes the entry of a form of a function.
pub fn write(out: &mut String, function: &Function, large: bool) -> Result<()> {
    let name = function.c_name(large);
    let implementation =
        format!("crate::calls::{}::{}", function.module, function.name.to_lowercase());
    // Rust has no variadic functions; a caller may pass more than a function reads.
    let params: Vec<&Param> =
        function.params.iter().filter(|param| param.kind.c != "...").collect();
    let names = params.iter().map(|param| param.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut signature = Vec::new();
    for param in params.iter().filter(|param| param.kind.c_type(large).is_some()) {
        let unused =
            !function.done && origin_param(function).is_none_or(|it| it.name != param.name);
        let underscore = if unused { "_" } else { "" };
        signature.push(format!("{underscore}{}: {}", param.name, param_type(param, large)?));
    }
    let signature = signature.join(", ");
    if let Some(kind) = &function.returns {
        let result = result(kind)?;
        let mut wraps = String::new();
        for Param { name, kind, .. } in params.iter().filter(|param| !param.kind.wrap.is_empty()) {
            let _ = writeln!(wraps, "let {name} = args::{}({name});", kind.wrap);
        }
        let (mut before, mut after) = (String::new(), "");
        if !wraps.is_empty() {
            before = format!("{SAFETY}\nunsafe {{\n{wraps}");
            after = "}\n";
        }
        let unsafety = if wraps.is_empty() { "" } else { "unsafe " };
        let _ = writeln!(
            out,
            "#[unsafe(no_mangle)]\n{unsafety}extern \"C\" fn P{name}({signature}){result} {{\n\
             {before}{implementation}({names})\n{after}}}\n"
        );
        return Ok(());
    }
    let (before, origin) = origin(function);
    let _ = writeln!(
        out,
        "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn P{name}({signature}) -> c_int {{"
    );
    if function.done {
        let _ = writeln!(out, "let call = || -> Result<()> {{\n{SAFETY}\nunsafe {{");
        body(out, function, &params, large)?;
        let _ = writeln!(out, "{implementation}({names})\n}}\n}};");
        let _ = writeln!(out, "{before}finish(\"{name}\", {origin}, call())");
    } else {
        let _ = writeln!(out, "{before}unsupported(\"{name}\", {origin})");
    }
    *out += "}\n\n";
    Ok(())
}

/// What a function says after its parameters that returns no error code.
fn result(kind: &Kind) -> Result<String> {
    if kind.c == "void" {
        return Ok(String::new());
    }
    Ok(format!(" -> {}", rust_type(&kind.c)?))
}

const SAFETY: &str =
    "// SAFETY: the pointers are what the program that calls MPI promises; null is checked.";

/// Everything that happens before the implementation is called. Whether arguments are checked is read once.
fn body(out: &mut String, function: &Function, params: &[&Param], large: bool) -> Result<()> {
    let mut text = String::new();
    checks_and_conversions(&mut text, function, params, large)?;
    if text.contains("if checks {") {
        *out += "let checks = check::enabled();\n";
    }
    *out += &text;
    Ok(())
}

fn checks_and_conversions(
    out: &mut String,
    function: &Function,
    params: &[&Param],
    large: bool,
) -> Result<()> {
    for param in params {
        let (name, wrap) = (&param.name, &param.kind.wrap);
        if param.kind.name == "form" {
            let form = if large { "Large" } else { "Small" };
            let _ = writeln!(out, "let {name} = args::Form::{form};");
        } else if param.kind.c_type(large).is_none() {
            let ty = param_type(param, large)?;
            let absent = if ty.starts_with('*') { "std::ptr::null_mut()" } else { "0" };
            let _ = writeln!(out, "let {name}: {ty} = {absent};");
        }
        if !wrap.is_empty() {
            let _ = writeln!(out, "let {name} = args::{wrap}({name});");
        }
    }
    let running = match function.when {
        When::Run => "check::running()?;\n",
        When::Tool => "check::tool_running()?;\n",
        When::Any => "",
    };
    guarded(out, running);
    // Objects and root come first: the other checks, and what is significant, depend on them. What is
    // looked up is needed also where nothing is checked.
    let (mut first, mut second) = (String::new(), String::new());
    let (mut looked_up, mut significant) = (String::new(), String::new());
    for param in params {
        let object = ["win", "file", "session", "group", "message_io"];
        let text = checked(function, params, param)?;
        if param.kind.check.found.is_some() {
            if param.conditions.is_empty() { looked_up += &text } else { significant += &text }
        } else if object.contains(&param.kind.name.as_str()) {
            first += &text
        } else if param.kind.name != "root" {
            second += &text
        }
    }
    for param in params.iter().filter(|param| param.kind.name == "root") {
        first += &checked(function, params, param)?;
    }
    let mut flags = String::new();
    for condition in used(params) {
        let _ = writeln!(flags, "let {} = {};", flag(condition), evaluate(function, condition)?);
    }
    *out += &looked_up;
    let opened = |param: &&Param| !param.kind.open.is_empty() && !param.conditions.is_empty();
    if !significant.is_empty() || params.iter().any(opened) {
        guarded(out, &first);
        *out += &flags;
        *out += &significant;
        guarded(out, &second);
    } else {
        guarded(out, &[first, flags, second].concat());
    }
    let mut elements = String::new();
    for param in params {
        let Param { name, kind, length, .. } = param;
        if kind.open.is_empty() {
            continue;
        }
        let length = match length {
            Some(length) => format!(", {}", length_of(function, length)?),
            None => String::new(),
        };
        let array = if length.is_empty() || kind.open == "text_out" || kind.open == "statuses_out" {
            String::new()
        } else {
            format!("check::array(\"{name}\", {name}, length)?;\n")
        };
        let open = format!(
            "args::{}({name}{})",
            kind.open,
            if length.is_empty() { "" } else { ", length" }
        );
        let open = match length.strip_prefix(", ") {
            Some(length) => format!("{{ let length = {length};\n{array}{open} }}"),
            None => open,
        };
        let open = match condition(param) {
            Some(condition) => format!("if {condition} {{ {open} }} else {{ Default::default() }}"),
            None => open,
        };
        let _ = writeln!(out, "let {name} = {open};");
        if !kind.elements.name.is_empty() {
            let borrow = if kind.open == "slice_mut" { "&*" } else { "" };
            let check = &kind.elements;
            let _ = write!(elements, "check::{}(\"{name}\", {borrow}{name}", check.name);
            if check.needs.iter().any(|need| need == "counts") {
                let before = params.iter().take_while(|other| other.name != *name);
                let counts = before.filter(|other| other.kind.name == "counts").last();
                let _ = write!(elements, ", {}", counts.context("datatypes without counts")?.name);
            }
            elements += ")?;\n";
        }
    }
    guarded(out, &elements);
    Ok(())
}

fn guarded(out: &mut String, checks: &str) {
    if !checks.is_empty() {
        let _ = writeln!(out, "if checks {{\n{checks}}}");
    }
}

/// The check of a parameter, with its condition.
fn checked(function: &Function, params: &[&Param], param: &Param) -> Result<String> {
    let check = &param.kind.check;
    if check.name.is_empty() {
        return Ok(String::new());
    }
    let mut name = check.name.clone();
    let mut arguments = vec![format!("\"{}\"", param.name), param.name.clone()];
    let after = params.iter().skip_while(|other| other.name != param.name).skip(1);
    for need in &check.needs {
        let next =
            |kinds: &[&str]| after.clone().find(|other| kinds.contains(&other.kind.name.as_str()));
        match need.as_str() {
            "@" => arguments.push(format!("{}.peers()", scope(function, param)?)),
            "comm" => arguments.push(scope(function, param)?.to_owned()),
            "count" => match next(&["count", "counts", "size", "aint_size"]) {
                Some(count) if count.length.is_none() => arguments.push(count.name.clone()),
                // Several messages, some of which may be empty: only the address itself is checked.
                _ if check.name == "buffer" => {
                    name = "not_in_place".to_owned();
                    break;
                }
                _ => return Ok(String::new()),
            },
            "datatype" => {
                let datatype =
                    next(&["datatype", "datatype_here"]).context("a buffer without a datatype")?;
                arguments.push(datatype.name.clone());
            }
            other => bail!("kinds.txt: unknown need {other}"),
        }
    }
    let call = format!("check::{name}({})?;", arguments.join(", "));
    if let Some(found) = &check.found {
        let (name, call) = (&param.name, call.trim_end_matches(';'));
        return Ok(match condition(param) {
            Some(condition) => format!(
                "let {name} = if {condition} {{ {call} }} else {{ {found}::insignificant() }};\n"
            ),
            None => format!("let {name} = {call};\n"),
        });
    }
    Ok(match condition(param) {
        Some(condition) => format!("if {condition} {{\n{call}\n}}\n"),
        None => format!("{call}\n"),
    })
}

/// The communicator or window that the ranks of a parameter belong to.
fn scope<'a>(function: &'a Function, param: &'a Param) -> Result<&'a str> {
    match &param.scope {
        Some(scope) => Ok(scope),
        None => {
            let first = function.first(&["comm", "win"]);
            Ok(&first.context("ranks without a communicator or window")?.name)
        }
    }
}

/// The variables that say whether a parameter is significant.
fn condition(param: &Param) -> Option<String> {
    let flags: Vec<String> = param.conditions.iter().map(|condition| flag(condition)).collect();
    (!flags.is_empty()).then(|| flags.join(" && "))
}

fn flag(condition: &str) -> String {
    match condition {
        "root" => "at_root".to_owned(),
        "leaf" => "at_leaf".to_owned(),
        "party" => "takes_part".to_owned(),
        "op" => "operates".to_owned(),
        names => format!("uses_{}", names.replace('|', "_or_")),
    }
}

fn used<'a>(params: &[&'a Param]) -> Vec<&'a str> {
    let mut used: Vec<&str> = Vec::new();
    for condition in params.iter().flat_map(|param| &param.conditions) {
        if !used.contains(&condition.as_str()) {
            used.push(condition);
        }
    }
    used
}

fn evaluate(function: &Function, condition: &str) -> Result<String> {
    let root = || function.first(&["root"]).context("significant at a root that is not there");
    Ok(match condition {
        "root" => format!("check::at_root({}, {})", root()?.name, scope(function, root()?)?),
        "leaf" => format!("check::at_leaf({})", root()?.name),
        "party" => format!("check::takes_part({})", root()?.name),
        "op" => "op.constant() != MPI_NO_OP".to_owned(),
        names => {
            let used: Result<Vec<_>> =
                names.split('|').map(|name| is_used(function, name)).collect();
            used?.join(" || ")
        }
    })
}

/// Whether a parameter that others depend on is what makes them significant.
fn is_used(function: &Function, name: &str) -> Result<String> {
    let param = function.param(name).with_context(|| format!("{name} is not a parameter"))?;
    Ok(match param.kind.name.as_str() {
        "message_io" => format!("{name}.get() != MPI_MESSAGE_NO_PROC"),
        _ if param.kind.is_peer() => format!("{name} != MPI_PROC_NULL"),
        _ => format!("{name}.addr() != MPI_IN_PLACE.addr()"),
    })
}

/// The number of elements of an array.
fn length_of(function: &Function, length: &str) -> Result<String> {
    if length.starts_with("MPI_") {
        return Ok(format!("args::length({length})"));
    }
    let (param, of) = length.split_once('.').unwrap_or((length, ""));
    let kind = &function.param(param).with_context(|| format!("{param} is not a parameter"))?.kind;
    Ok(match (kind.name.as_str(), of) {
        ("comm", "") => format!("{param}.peers()"),
        ("comm", "local") => format!("{param}.size() as usize"),
        ("comm", "in") => format!("{param}.in_degree()"),
        ("comm", "out") => format!("{param}.out_degree()"),
        ("comm", "dims") => format!("{param}.dims()"),
        (_, "") => format!("args::length({param})"),
        _ => bail!("unknown length {length}"),
    })
}

/// The signature of the implementation.
pub fn signature(function: &Function) -> Result<String> {
    let mut params = String::new();
    for param in function.params.iter().filter(|param| param.kind.c != "...") {
        let _ = writeln!(params, "    {}: {},", param.name, implementation_type(param)?);
    }
    let result = match &function.returns {
        Some(kind) => result(kind)?,
        None => " -> Result<()>".to_owned(),
    };
    let unsafety =
        if params.contains("*const") || params.contains("*mut") { "unsafe " } else { "" };
    let name = function.name.to_lowercase();
    Ok(format!("pub {unsafety}fn {name}(\n{params}){result}"))
}

/// The type of a parameter after it was wrapped or opened.
fn implementation_type(param: &Param) -> Result<String> {
    if let Some(found) = &param.kind.check.found {
        return Ok(found.clone());
    }
    if param.kind.name == "form" {
        return Ok("Form".to_owned());
    }
    let raw = param_type(param, false)?;
    let pointee = raw.trim_start_matches("*mut ").trim_start_matches("*const ");
    Ok(match (param.kind.wrap.as_str(), param.kind.open.as_str()) {
        ("", "") => raw,
        ("count", _) => "Count".to_owned(),
        ("out", _) => format!("Out<{pointee}>"),
        ("inout", _) => format!("InOut<{pointee}>"),
        ("pointer_out", _) => "Out<*mut c_void>".to_owned(),
        ("count_out", _) => "CountOut".to_owned(),
        ("count_io", _) => "CountIo".to_owned(),
        ("status", _) => "StatusIn".to_owned(),
        ("status_out", _) => "StatusOut".to_owned(),
        ("user_function", _) => "Reduction".to_owned(),
        ("conversion_function", _) => "Conversion".to_owned(),
        ("copying", _) => {
            let function = rust_type(&param.kind.c)?;
            format!("Copying{}", function.trim_start_matches("Option"))
        }
        (_, "slice") => format!("&[{pointee}]"),
        (_, "slice_mut") => format!("&mut [{pointee}]"),
        (_, "counts") => "Counts<'_>".to_owned(),
        (_, "text") => "&CStr".to_owned(),
        (_, "text_out") => "TextOut".to_owned(),
        (_, "statuses_out") => "StatusesOut".to_owned(),
        (wrap, open) => bail!("kind {}: unknown {wrap}{open}", param.kind.name),
    })
}

/// The parameter whose error handler is called.
fn origin_param(function: &Function) -> Option<&Param> {
    match function.module.as_str() {
        "tool" => None,
        "io" => function.first(&["file", "file_io"]),
        _ => function
            .first(&[
                "comm",
                "comm_or_null",
                "win",
                "win_or_null",
                "file",
                "file_or_null",
                "session",
            ])
            .or_else(|| function.first(&["comm_io", "win_io", "session_io"]))
            .or_else(|| function.first(&["request_object", "request", "request_object_io"]))
            // That of the object that the function makes.
            .or_else(|| function.first(&["errhandler"])),
    }
}

/// Whose error handler is called, and what must be done before the call to know that.
fn origin(function: &Function) -> (String, String) {
    let origin = match (origin_param(function), function.module.as_str()) {
        (None, "tool") => "Origin::Tool".to_owned(),
        // Errors of files that are not open yet are those of the null file.
        (None, "io") => "Origin::File(MPI_FILE_NULL)".to_owned(),
        (None, _) => "Origin::None".to_owned(),
        (Some(param), _) => {
            let class = match param.kind.name.as_str() {
                "comm" | "comm_or_null" | "comm_io" => "Comm",
                "win" | "win_or_null" | "win_io" => "Win",
                "session" | "session_io" => "Session",
                "request" | "request_object" | "request_object_io" => "Request",
                "errhandler" => "Handler",
                _ => "File",
            };
            // A variable is read before the call, which may change it.
            if param.kind.wrap == "inout" {
                let held = format!("args::held({}, MPI_{}_NULL)", param.name, class.to_uppercase());
                let before = format!("{SAFETY}\nlet held = unsafe {{ {held} }};\n");
                return (before, format!("Origin::{class}(held)"));
            }
            format!("Origin::{class}({})", param.name)
        }
    };
    (String::new(), origin)
}
