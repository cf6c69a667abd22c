//! `include/mpi.h`.

use std::fmt::Write as _;

use super::table::{Constant, Form, Function, Group, Tables};

/// The header.
pub fn mpi_h(tables: &Tables) -> String {
    let mut out = String::from(HEAD);
    types(&mut out, tables);
    for group in &tables.constants {
        constants(&mut out, group);
    }
    for prefix in ["", "P"] {
        let mut module = "";
        for function in &tables.functions {
            if function.module != module {
                module = &function.module;
                let _ = writeln!(out, "\n/* {prefix}MPI: {module} */");
            }
            for large in function.forms() {
                let _ = writeln!(out, "{}", prototype(function, large, prefix));
            }
        }
    }
    fortran(&mut out, tables);
    out += TAIL;
    out
}

/// The header of the extensions.
pub fn mpi_ext_h(tables: &Tables) -> String {
    let mut out = String::from(EXTENSIONS_HEAD);
    for name in &tables.types.extension_handles {
        let _ = writeln!(out, "typedef struct MPIX_CAIRN_{name} *MPIX_{name};");
    }
    out.push('\n');
    for name in &tables.types.extension_variables {
        let _ = writeln!(out, "extern void *MPIX_{name};");
    }
    for prefix in ["", "P"] {
        out.push('\n');
        for function in &tables.extensions {
            for large in function.forms() {
                let _ = writeln!(out, "{}", prototype(function, large, prefix));
            }
        }
    }
    out += EXTENSIONS_TAIL;
    out
}

fn types(out: &mut String, tables: &Tables) {
    let types = &tables.types;
    for (name, c) in &types.integers {
        let _ = writeln!(out, "typedef {c} MPI_{name};");
    }
    *out += STATUS;
    for name in &types.handles {
        let _ = writeln!(out, "typedef struct MPI_ABI_{name} *MPI_{name};");
    }
    for group in &tables.constants {
        let Form::Enumeration(name) = &group.form else { continue };
        let _ = writeln!(out, "\n/* {} */", group.title);
        let _ = writeln!(out, "typedef enum MPI_{name} {{\n{}}} MPI_{name};", members(group));
    }
    *out += "\n/* Functions of the program that the library calls */\n";
    for (result, name, params) in &types.callbacks {
        let _ = writeln!(out, "typedef {result} (MPI_{name})({params});");
    }
    for (name, of) in &types.aliases {
        let _ = writeln!(out, "typedef MPI_{of} MPI_{name};");
    }
}

fn constants(out: &mut String, group: &Group) {
    let define = |out: &mut String, constant: &Constant, ty: Option<&str>| {
        let value = match (constant.number(), ty) {
            (None, _) => constant.value.clone(),
            (Some(_), None) => constant.value.clone(),
            (Some(_), Some(ty)) => format!("(({ty})({}))", constant.value),
        };
        let _ = writeln!(out, "#define {:<36} {value}", constant.name);
    };
    if let Form::Enumeration(_) = group.form {
        return;
    }
    let _ = writeln!(out, "\n/* {} */", group.title);
    if group.form == Form::Enum {
        let _ = writeln!(out, "enum {{\n{}}};", members(group));
        return;
    }
    for constant in &group.rows {
        match &group.form {
            Form::Macro => define(out, constant, None),
            Form::Handle(of) | Form::Typed(of) => {
                define(out, constant, Some(&format!("MPI_{of}")));
            }
            Form::Pointer(of) => define(out, constant, Some(of.as_ref().unwrap_or(&constant.rest))),
            Form::Callback => define(out, constant, Some(&format!("MPI_{} *", constant.rest))),
            Form::Enum | Form::Enumeration(_) => {}
        }
    }
}

fn members(group: &Group) -> String {
    let last = group.rows.len().saturating_sub(1);
    let rows = group.rows.iter().enumerate().map(|(at, constant)| {
        let comma = if at == last { "" } else { "," };
        format!("    {:<36} = {}{comma}\n", constant.name, constant.value)
    });
    rows.collect()
}

/// The prototype of a form of a function.
fn prototype(function: &Function, large: bool, prefix: &str) -> String {
    let result = function.returns.as_ref().map_or("int", |kind| &kind.c);
    let params: Vec<String> = function
        .params
        .iter()
        .filter_map(|param| Some(declare(param.kind.c_type(large)?, &param.name)))
        .collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let name = format!("{prefix}{}", function.c_name(large));
    declare(result, &format!("{name}({params});"))
}

/// A declaration in C: the name goes before the brackets of an array.
fn declare(c_type: &str, name: &str) -> String {
    if c_type == "..." {
        return c_type.to_owned();
    }
    let (before, brackets) = c_type.split_once('[').unwrap_or((c_type, ""));
    let before = before.trim_end();
    let space = if before.ends_with('*') { "" } else { " " };
    let bracket = if brackets.is_empty() { "" } else { "[" };
    format!("{before}{space}{name}{bracket}{brackets}")
}

/// What the standard ABI leaves to Fortran bindings and C programs still use, over the functions
/// that convert handles to integers.
fn fortran(out: &mut String, tables: &Tables) {
    *out += FORTRAN;
    for function in &tables.functions {
        let Some(class) = function.name.strip_suffix("_toint") else { continue };
        let Some(handle) = function.params.first().map(|param| &param.kind.c) else { continue };
        let _ = write!(
            out,
            "MPI_CAIRN_INLINE MPI_Fint MPI_{class}_c2f({handle} handle) \
             {{ return MPI_{class}_toint(handle); }}\n\
             MPI_CAIRN_INLINE {handle} MPI_{class}_f2c(MPI_Fint handle) \
             {{ return MPI_{class}_fromint(handle); }}\n"
        );
    }
    *out += FORTRAN_STATUS;
    *out += REMOVED;
}

const HEAD: &str = "\
/* mpi.h of Cairn MPI: the C interface of MPI 5.0 with the standard's ABI.
 * Made from the tables in mpi/abi by `cargo xtask gen`; changes go there. */
#ifndef CAIRN_MPI_H
#define CAIRN_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

/* Integers */
";

const STATUS: &str = "
/* What is known of a finished operation; the last member belongs to the library */
typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

/* Handles */
";

const FORTRAN: &str = "
/* The standard ABI has no Fortran integers in C and no functions that convert to them. Programs use
 * them all the same, so they are here as inline functions over the ABI's own, which add no symbol
 * to a program. Define MPI_CAIRN_STRICT_ABI to have the standard's interface alone. */
#ifndef MPI_CAIRN_STRICT_ABI
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define MPI_CAIRN_INLINE static inline
#elif defined(__GNUC__)
#define MPI_CAIRN_INLINE static __inline__
#else
#define MPI_CAIRN_INLINE static
#endif

typedef int MPI_Fint;
";

const FORTRAN_STATUS: &str = "\
/* A status of Fortran is MPI_F_STATUS_SIZE integers in the order of the C struct. */
MPI_CAIRN_INLINE int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
    int i;
    f_status[MPI_F_SOURCE] = c_status->MPI_SOURCE;
    f_status[MPI_F_TAG] = c_status->MPI_TAG;
    f_status[MPI_F_ERROR] = c_status->MPI_ERROR;
    for (i = 3; i < MPI_F_STATUS_SIZE; i++)
        f_status[i] = c_status->MPI_internal[i - 3];
    return MPI_SUCCESS;
}
MPI_CAIRN_INLINE int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
    int i;
    c_status->MPI_SOURCE = f_status[MPI_F_SOURCE];
    c_status->MPI_TAG = f_status[MPI_F_TAG];
    c_status->MPI_ERROR = f_status[MPI_F_ERROR];
    for (i = 3; i < MPI_F_STATUS_SIZE; i++)
        c_status->MPI_internal[i - 3] = f_status[i];
    return MPI_SUCCESS;
}
";

/// Names of MPI-1 that MPI-3 removed (MPI 5.0, section 17.1) and programs still use.
const REMOVED: &str = "
/* What MPI-3 has removed, in the words that took its place. */
#if defined(__GNUC__)
#define MPI_CAIRN_REMOVED(instead) __attribute__((deprecated(\"removed by MPI-3; use \" instead)))
#else
#define MPI_CAIRN_REMOVED(instead)
#endif
typedef MPI_Comm_errhandler_function MPI_Handler_function;
MPI_CAIRN_REMOVED(\"MPI_Get_address\")
MPI_CAIRN_INLINE int MPI_Address(void *location, MPI_Aint *address)
{
    return MPI_Get_address(location, address);
}
MPI_CAIRN_REMOVED(\"MPI_Type_create_hindexed\")
MPI_CAIRN_INLINE int MPI_Type_hindexed(int count, int *array_of_blocklengths, MPI_Aint *array_of_displacements,
                                       MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}
MPI_CAIRN_REMOVED(\"MPI_Type_create_hvector\")
MPI_CAIRN_INLINE int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                      MPI_Datatype *newtype)
{
    return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
MPI_CAIRN_REMOVED(\"MPI_Type_create_struct\")
MPI_CAIRN_INLINE int MPI_Type_struct(int count, int *array_of_blocklengths, MPI_Aint *array_of_displacements,
                                     MPI_Datatype *array_of_types, MPI_Datatype *newtype)
{
    return MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}
MPI_CAIRN_REMOVED(\"MPI_Type_get_extent\")
MPI_CAIRN_INLINE int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
    MPI_Aint lb;
    return MPI_Type_get_extent(datatype, &lb, extent);
}
MPI_CAIRN_REMOVED(\"MPI_Type_get_extent\")
MPI_CAIRN_INLINE int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;
    return MPI_Type_get_extent(datatype, displacement, &extent);
}
MPI_CAIRN_REMOVED(\"MPI_Type_get_extent\")
MPI_CAIRN_INLINE int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;
    int code = MPI_Type_get_extent(datatype, displacement, &extent);
    if (code == MPI_SUCCESS)
        *displacement += extent;
    return code;
}
MPI_CAIRN_REMOVED(\"MPI_Comm_create_errhandler\")
MPI_CAIRN_INLINE int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler)
{
    return MPI_Comm_create_errhandler(function, errhandler);
}
MPI_CAIRN_REMOVED(\"MPI_Comm_get_errhandler\")
MPI_CAIRN_INLINE int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return MPI_Comm_get_errhandler(comm, errhandler);
}
MPI_CAIRN_REMOVED(\"MPI_Comm_set_errhandler\")
MPI_CAIRN_INLINE int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return MPI_Comm_set_errhandler(comm, errhandler);
}
#undef MPI_CAIRN_REMOVED
#undef MPI_CAIRN_INLINE
#endif /* MPI_CAIRN_STRICT_ABI */
";

const EXTENSIONS_HEAD: &str = "\
/* mpi-ext.h of Cairn MPI: functions beside those of the standard.
 * Made from the tables in mpi/abi by `cargo xtask gen`; changes go there. */
#ifndef CAIRN_MPI_EXT_H
#define CAIRN_MPI_EXT_H

#include \"mpi.h\"

#ifdef __cplusplus
extern \"C\" {
#endif

";

const EXTENSIONS_TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif /* CAIRN_MPI_EXT_H */
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif /* CAIRN_MPI_H */
";
