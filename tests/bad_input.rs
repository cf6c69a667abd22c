//! Mistakes of programs, for each function that is implemented and each of its parameters: a C program
//! is made of the table of functions that calls each with one argument that is wrong, and checks the
//! error class. The same calls, with nothing wrong, before initialization and after finalization.

use std::fmt::Write as _;
use std::fs;

use cairn_tests::functions::{Function, Param, implemented};
use cairn_tests::programs::{Counts, compile};
use cairn_tests::{Run, scratch};

/// Functions that end or begin something, and so are called in programs of their own.
const NOT_HERE: &[&str] = &["MPI_Abort", "MPI_Finalize", "MPI_Init", "MPI_Init_thread"];

/// A kind of parameter: an argument that is right, and wrong ones with their error classes. The
/// variables are those of `tests/mpi/bad_input.h`.
type Kind = (&'static [&'static str], &'static str, &'static [(&'static str, &'static str)]);

const NULL: &[(&str, &str)] = &[("NULL", "ARG")];

const KINDS: &[Kind] = &[
    // Numbers.
    (&["int", "const_int", "aint", "step", "aint_step"], "0", &[]),
    (&["count", "large_count"], "1", &[("-1", "COUNT"), ("INT_MIN", "COUNT")]),
    (&["size", "aint_size"], "8", &[("-1", "ARG")]),
    (&["capacity", "only_large_capacity"], "2", &[("-1", "ARG")]),
    (&["length"], "1", &[("-1", "ARG")]),
    (&["ndims"], "1", &[("-1", "DIMS")]),
    (&["memory_size", "window_size"], "8", &[("-1", "SIZE")]),
    (&["disp_unit"], "4", &[("0", "DISP"), ("-1", "DISP")]),
    (&["dest", "rank"], "0", &[("1", "RANK"), ("MPI_ANY_SOURCE", "RANK"), ("INT_MAX", "RANK")]),
    (&["source"], "0", &[("1", "RANK"), ("-9", "RANK"), ("INT_MIN", "RANK")]),
    (&["root"], "0", &[("1", "ROOT"), ("-1", "ROOT"), ("MPI_PROC_NULL", "ROOT")]),
    (&["tag"], "1", &[("-5", "TAG"), ("MPI_ANY_TAG", "TAG")]),
    (&["tag_or_any"], "1", &[("-5", "TAG"), ("INT_MIN", "TAG")]),
    // Data. Without counts a null pointer may be right.
    (&["in_buffer"], "out", &[("NULL", "BUFFER"), ("MPI_IN_PLACE", "BUFFER")]),
    (&["out_buffer"], "in", &[("NULL", "BUFFER"), ("MPI_IN_PLACE", "BUFFER")]),
    (&["in_buffer_or_place"], "out", &[("NULL", "BUFFER")]),
    (&["out_buffer_or_place"], "in", &[("NULL", "BUFFER")]),
    (&["packed_in"], "out", &[("NULL", "BUFFER"), ("MPI_IN_PLACE", "BUFFER")]),
    (&["packed_out"], "in", &[("NULL", "BUFFER"), ("MPI_IN_PLACE", "BUFFER")]),
    (&["in_element", "in_buffers"], "out", &[("MPI_IN_PLACE", "BUFFER")]),
    (&["out_element", "out_buffers"], "in", &[("MPI_IN_PLACE", "BUFFER")]),
    (&["memory", "address"], "in", &[]),
    (&["storage_mut"], "in", NULL),
    (&["argv"], "NULL", &[]),
    // Arrays.
    (&["counts"], "counts", &[("negative", "COUNT"), ("NULL", "ARG")]),
    (&["displs", "displacements"], "displs", NULL),
    (&["aint_displs", "aint_displacements"], "aint_displs", NULL),
    (&["ints"], "ints", NULL),
    (&["ints_out"], "ints_out", NULL),
    // Their lengths are not among the arguments.
    (&["ints_raw", "ints_raw_out", "weights", "weights_out"], "ints", &[]),
    (&["ranges"], "ranges", NULL),
    (&["datatypes", "oldtypes"], "types", &[("no_types", "TYPE"), ("NULL", "ARG")]),
    (&["datatypes_out"], "types_out", NULL),
    (&["aints_out"], "addresses", NULL),
    (&["only_large_counts_out"], "large_counts", NULL),
    (&["requests", "requests_io"], "requests", &[("no_requests", "REQUEST"), ("NULL", "ARG")]),
    (
        &["request_objects_io"],
        "requests",
        &[("no_requests", "REQUEST"), ("null_requests", "REQUEST"), ("NULL", "ARG")],
    ),
    // Where results go.
    (&["int_out", "int_io"], "&number", NULL),
    (&["aint_out"], "&address", NULL),
    (&["aint_size_out"], "&extent", NULL),
    (&["count_out", "position_io"], "&count", NULL),
    (&["aint_position_io"], "&extent", NULL),
    (&["only_large_count_out"], "&count", &[]),
    (&["large_out"], "&large", NULL),
    (&["disp_unit_out"], "&unit", NULL),
    (&["pointer_out"], "&pointer", NULL),
    (&["string_out"], "text", NULL),
    (&["chars_out"], "text", &[]),
    (&["status", "status_io"], "&status", NULL),
    (&["status_out"], "MPI_STATUS_IGNORE", &[]),
    (&["statuses_out"], "MPI_STATUSES_IGNORE", &[]),
    (&["comm_out"], "&comm", NULL),
    (&["group_out"], "&group", NULL),
    (&["win_out"], "&new_win", NULL),
    (&["info_out"], "&info", NULL),
    (&["errhandler_out"], "&handler", NULL),
    (&["op_out"], "&op", NULL),
    (&["datatype_out"], "&type", NULL),
    (&["message_out"], "&message", NULL),
    (&["session_out"], "&another", NULL),
    (&["request_out"], "&request", NULL),
    // Text.
    (&["string"], "\"name\"", NULL),
    (&["info_key"], "\"key\"", &[("\"\"", "INFO_KEY"), ("long_text", "INFO_KEY"), ("NULL", "ARG")]),
    (&["info_value"], "\"value\"", &[("long_text", "INFO_VALUE"), ("NULL", "ARG")]),
    // Handles.
    (&["comm"], "MPI_COMM_SELF", &[("MPI_COMM_NULL", "COMM"), ("NO(Comm)", "COMM")]),
    (&["peer_comm"], "MPI_COMM_SELF", &[("NO(Comm)", "COMM")]),
    (&["comm_or_null"], "MPI_COMM_SELF", &[("NO(Comm)", "COMM")]),
    (&["comm_io"], "&comm", &[("&no_comm", "COMM"), ("NULL", "ARG")]),
    (&["group"], "MPI_GROUP_EMPTY", &[("MPI_GROUP_NULL", "GROUP"), ("NO(Group)", "GROUP")]),
    (&["group_io"], "&group", &[("&no_group", "GROUP"), ("NULL", "ARG")]),
    // The leader's, who is in the local group.
    (&["peer_group"], "MPI_GROUP_EMPTY", &[]),
    (&["win"], "win", &[("MPI_WIN_NULL", "WIN"), ("NO(Win)", "WIN")]),
    (&["win_or_null"], "win", &[("NO(Win)", "WIN")]),
    (&["win_io"], "&win", &[("&no_win", "WIN"), ("NULL", "ARG")]),
    (&["session"], "session", &[("MPI_SESSION_NULL", "SESSION"), ("NO(Session)", "SESSION")]),
    (&["session_io"], "&session", &[("&no_session", "SESSION"), ("NULL", "ARG")]),
    (&["info"], "MPI_INFO_NULL", &[("NO(Info)", "INFO")]),
    (&["info_object"], "MPI_INFO_ENV", &[("MPI_INFO_NULL", "INFO"), ("NO(Info)", "INFO")]),
    (&["info_io"], "&info", &[("&no_info", "INFO"), ("NULL", "ARG")]),
    (&["errhandler"], "MPI_ERRORS_RETURN", &[("NO(Errhandler)", "ERRHANDLER")]),
    (&["errhandler_io"], "&handler", &[("&no_handler", "ERRHANDLER"), ("NULL", "ARG")]),
    (&["op"], "MPI_SUM", &[("MPI_OP_NULL", "OP"), ("NO(Op)", "OP")]),
    (&["op_io"], "&op", &[("&no_op", "OP"), ("NULL", "ARG")]),
    (
        &["datatype", "datatype_here", "oldtype"],
        "MPI_INT",
        &[("MPI_DATATYPE_NULL", "TYPE"), ("NO(Datatype)", "TYPE")],
    ),
    (&["oldtype_or_null"], "MPI_INT", &[("NO(Datatype)", "TYPE")]),
    (&["datatype_io"], "&type", &[("&no_type", "TYPE"), ("NULL", "ARG")]),
    (&["request"], "MPI_REQUEST_NULL", &[("NO(Request)", "REQUEST")]),
    (&["request_object"], "idle", &[("MPI_REQUEST_NULL", "REQUEST"), ("NO(Request)", "REQUEST")]),
    (&["request_io"], "&request", &[("&no_request", "REQUEST"), ("NULL", "ARG")]),
    (
        &["request_object_io"],
        "&request",
        &[("&no_request", "REQUEST"), ("&null_request", "REQUEST"), ("NULL", "ARG")],
    ),
    (&["message_io"], "&message", &[("&no_message", "REQUEST"), ("NULL", "ARG")]),
    // Functions. Those for attributes may be null: that is what MPI_COMM_NULL_COPY_FN is.
    (&["fn_user"], "reduce", NULL),
    (&["fn_comm_errhandler"], "comm_handler", &[]),
    (&["fn_win_errhandler"], "win_handler", &[]),
    (&["fn_session_errhandler"], "session_handler", &[]),
    (&["fn_grequest_query"], "query", NULL),
    (&["fn_grequest_free"], "release", NULL),
    (&["fn_grequest_cancel"], "cancel", NULL),
    (&["fn_copy", "fn_comm_copy_attr"], "MPI_COMM_NULL_COPY_FN", &[]),
    (&["fn_delete", "fn_comm_delete_attr"], "MPI_COMM_NULL_DELETE_FN", &[]),
    (&["fn_type_copy_attr"], "MPI_TYPE_NULL_COPY_FN", &[]),
    (&["fn_type_delete_attr"], "MPI_TYPE_NULL_DELETE_FN", &[]),
    (&["fn_win_copy_attr"], "MPI_WIN_NULL_COPY_FN", &[]),
    (&["fn_win_delete_attr"], "MPI_WIN_NULL_DELETE_FN", &[]),
];

fn kind(param: &Param) -> &'static Kind {
    let found = KINDS.iter().find(|(names, ..)| names.contains(&param.kind.as_str()));
    found.unwrap_or_else(|| panic!("say what a wrong argument of the kind {} is", param.kind))
}

/// The functions, with the parameters that one can give them.
fn functions(counts: Counts) -> Vec<Function> {
    let mut functions: Vec<Function> = implemented()
        .into_iter()
        .filter(|it| it.returns_code && !NOT_HERE.contains(&it.name.as_str()))
        // Tools have errors of their own, which tests/mpi/tool.c looks at.
        .filter(|it| !it.name.starts_with("MPI_T_"))
        .filter(|it| counts == Counts::Small || it.large)
        .collect();
    for function in &mut functions {
        let there = |kind: &str| match kind {
            "varargs" | "form" => false,
            _ => counts == Counts::Large || !kind.starts_with("only_large"),
        };
        function.params.retain(|param| there(&param.kind));
    }
    functions
}

/// Whether a communicator has a topology: others are neighbors, or other arguments are as long as it has
/// dimensions.
fn has_topology(function: &Function, comm: &Param) -> bool {
    let length = format!("{}.dims", comm.name);
    comm.kind == "comm" && function.section == "neighbor"
        || function.params.iter().any(|param| param.length.as_ref() == Some(&length))
}

/// A call with right arguments, but for one of them.
fn call(function: &Function, wrong: Option<(usize, &str)>) -> String {
    let argument = |(index, param): (usize, &Param)| match wrong {
        Some((place, value)) if place == index => value.to_owned(),
        _ if has_topology(function, param) => "grid".to_owned(),
        _ => kind(param).1.to_owned(),
    };
    let arguments: Vec<String> = function.params.iter().enumerate().map(argument).collect();
    format!("{}({})", function.name, arguments.join(", "))
}

/// The program.
fn source(counts: Counts) -> String {
    let functions = functions(counts);
    let mut out = String::from("#include \"bad_input.h\"\n\nvoid wrong_arguments(void)\n{\n");
    for function in &functions {
        for (place, param) in function.params.iter().enumerate() {
            for (value, class) in kind(param).2 {
                let call = call(function, Some((place, value)));
                let _ = writeln!(out, "    WRONG({class}, {}, {value}, {call});", param.name);
            }
        }
    }
    out += "}\n\nconst struct outside outside[] = {\n";
    // Each in a function of its own.
    let mut bodies = String::new();
    // Those with an error handler of their own tell it, and need not end.
    let end = |function: &&Function| function.running && !function.name.contains("_from_group");
    for function in functions.iter().filter(end) {
        let Function { name, .. } = function;
        let _ = writeln!(bodies, "static void call_{name}(void) {{ {}; }}", call(function, None));
        let _ = writeln!(out, "    {{ call_{name}, TEXT({name}) \" failed\" }},");
    }
    out += "    { NULL, NULL }\n};\n";
    out.replace("const struct outside", &format!("{bodies}\nconst struct outside"))
}

fn run(counts: Counts) {
    let dir = scratch();
    let (file, program) = (dir.path().join("calls.c"), dir.path().join("calls"));
    fs::write(&file, source(counts)).expect("a program");
    compile(&file, &program, counts);
    for level in ["single", "multiple"] {
        let ended = Run::new(&program).env("TEST_THREAD_LEVEL", level).ok();
        assert!(ended.stderr.is_empty(), "{ended}");
    }
}

#[test]
fn wrong_arguments_have_their_error_class() {
    run(Counts::Small);
}

#[test]
fn wrong_arguments_have_their_error_class_with_large_counts() {
    run(Counts::Large);
}
