//! The C interface: against what the MPI Forum published, and as programs use it through the
//! compiler wrappers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cairn_tests::{Ended, Run, dist, root, scratch};

/// A program of the installation.
fn tool(name: &str) -> Run {
    Run::new(dist().join("bin").join(name))
}

/// Compiles one of the C programs of the tests.
fn compile(source: &str, flags: &[&str], to: &Path) {
    let source = root().join("tests").join(source);
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror"];
    tool("mpicc").args(strict).args([&source]).args(flags).args(["-o"]).args([to]).ok();
}

fn program(dir: &Path, source: &str, flags: &[&str]) -> PathBuf {
    let to = dir.join(Path::new(source).file_stem().unwrap());
    compile(source, flags, &to);
    to
}

#[test]
fn constants_and_prototypes_are_the_published_ones() {
    let dir = scratch();
    let published = program(dir.path(), "frozen/mpi-abi-1.0/published.c", &[]);
    Run::new(published).ok().says(&["365 constants, 0 differences"]);
}

#[test]
fn the_library_exports_the_published_functions_and_nothing_else() {
    let published =
        fs::read_to_string(root().join("tests/frozen/mpi-abi-1.0/published.c")).unwrap();
    let functions: BTreeSet<&str> = published
        .lines()
        .filter(|line| line.ends_with(");"))
        .filter_map(|line| line.split('(').next()?.split([' ', '*']).next_back())
        .filter(|name| name.starts_with("MPI_") || name.starts_with("PMPI_"))
        .collect();
    assert_eq!(functions.len(), 2 * 664);
    let extensions = extensions();
    let library = dist().join("lib/libmpi_abi.so.1");
    let symbols = Run::new("nm").args(["-D", "--defined-only"]).args([&library]).ok().stdout;
    let exported: BTreeMap<&str, &str> = symbols
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').skip(1);
            Some((words.next()?, words.next()?))
        })
        .map(|(class, name)| (name, class))
        .collect();
    let (ours, standard): (BTreeSet<&str>, BTreeSet<&str>) =
        exported.keys().copied().partition(|name| name.contains("MPIX_"));
    assert_eq!(standard, functions);
    assert_eq!(ours, extensions.iter().map(String::as_str).collect());
    for (name, class) in exported.into_iter().filter(|(name, _)| !name.starts_with("MPIX_SYNC_")) {
        // A program's own MPI_X wins over a weak one in any kind of link; PMPI_X is always ours.
        assert_eq!(class, if name.starts_with('P') { "T" } else { "W" }, "{name}");
    }
    let dynamic = Run::new("readelf").args(["-d"]).args([&library]).ok();
    dynamic.says(&["Library soname: [libmpi_abi.so.1]"]);
}

/// What mpi-ext.h declares.
fn extensions() -> BTreeSet<String> {
    let header = fs::read_to_string(root().join("include/mpi-ext.h")).unwrap();
    let names: BTreeSet<String> = header
        .lines()
        .filter(|line| line.ends_with(';') && !line.starts_with("typedef"))
        .filter_map(|line| line.split(['(', ';']).next()?.split([' ', '*']).next_back())
        .map(str::to_owned)
        .collect();
    assert_eq!(names.len(), 2 * 10 + 2, "{names:?}");
    names
}

#[test]
fn the_header_is_clean_in_every_language() {
    let dir = scratch();
    for (wrapper, suffix, standards) in [
        ("mpicc", "c", &["c90", "c99", "c11", "gnu17"][..]),
        ("mpicxx", "cpp", &["c++98", "c++11", "c++20"]),
    ] {
        let source = dir.path().join(format!("header.{suffix}"));
        let text = "#include <mpi.h>\n#include <mpi-ext.h>\n#include <mpi.h>\nint main(void) { return MPI_SUCCESS; }\n";
        fs::write(&source, text).unwrap();
        for standard in standards {
            for strict in [&[][..], &["-DMPI_CAIRN_STRICT_ABI"]] {
                let std = format!("-std={standard}");
                let flags = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", &std];
                tool(wrapper).args(flags).args(strict).args([&source]).ok();
            }
        }
    }
}

#[test]
fn what_the_standard_does_not_have_can_be_hidden() {
    let dir = scratch();
    let source = dir.path().join("fint.c");
    fs::write(&source, "#include <mpi.h>\nMPI_Fint number;\n").unwrap();
    tool("mpicc").args(["-fsyntax-only"]).args([&source]).ok();
    let strict = tool("mpicc").args(["-fsyntax-only", "-DMPI_CAIRN_STRICT_ABI"]).args([&source]);
    strict.fails().complains(&["MPI_Fint"]);
}

/// Programs of MPI-1 find the functions that MPI-3 removed, which are none of the library.
#[test]
fn removed_names_are_inline_functions() {
    let dir = scratch();
    let source = root().join("tests/mpi/removed.c");
    let compile = |flags: &[&str]| {
        let to = dir.path().join("removed");
        tool("mpicc")
            .args(["-Wall", "-Wextra", "-Werror"])
            .args(flags)
            .args([&source])
            .args(["-o"])
            .args([to])
    };
    compile(&["-Wno-deprecated-declarations"]).ok();
    Run::new(dir.path().join("removed")).ok();
    compile(&[]).fails().complains(&["removed by MPI-3; use MPI_Type_create_struct"]);
    compile(&["-DMPI_CAIRN_STRICT_ABI"]).fails().complains(&["MPI_Type_struct"]);
}

#[test]
fn programs_can_do_before_init_what_the_standard_lets_them() {
    let dir = scratch();
    Run::new(program(dir.path(), "mpi/basics.c", &[])).ok().says(&["0 failures"]);
}

#[test]
fn profiling_libraries_come_first() {
    let dir = scratch();
    let inside = program(dir.path(), "mpi/interpose.c", &[]);
    let said = Run::new(inside).ok();
    said.says(&["interposed", "MPI 5.0, ABI 1.0"]);
    assert_eq!(said.stdout.matches("interposed").count(), 1, "{said}");

    let library = dir.path().join("libprofile.so");
    compile("mpi/interpose.c", &["-DLIBRARY", "-shared", "-fPIC"], &library);
    let plain = program(dir.path(), "mpi/call.c", &["-D_GNU_SOURCE", "-rdynamic"]);
    let call = |preload: &str| {
        Run::new(&plain)
            .args(["MPI_Buffer_flush_not_there"])
            .env("LD_PRELOAD", preload)
            .end()
            .stdout
    };
    assert!(call(library.to_str().unwrap()).contains("interposed"));
    assert!(!call("").contains("interposed"));
}

/// The first function of each module of the table that is not implemented.
fn missing() -> BTreeMap<String, String> {
    let table = fs::read_to_string(root().join("mpi/abi/functions.txt")).unwrap();
    let (mut module, mut missing) = (String::new(), BTreeMap::new());
    for line in table.lines() {
        if let Some(section) = line.strip_prefix('[') {
            module = section.trim_end_matches(']').to_owned();
        }
        let columns: Vec<&str> = line.split_whitespace().collect();
        if !line.starts_with('#') && columns.get(4) == Some(&"no") {
            missing.entry(module.clone()).or_insert(format!("MPI_{}", columns[0]));
        }
    }
    missing
}

#[test]
fn what_is_not_implemented_says_so() {
    let dir = scratch();
    let call = program(dir.path(), "mpi/call.c", &["-D_GNU_SOURCE"]);
    for (module, function) in missing() {
        let ended: Ended = Run::new(&call).args([&function]).end();
        match module.as_str() {
            // No handler is called for these, and files return errors by default.
            "tool" => ended.says(&["returned 1004"]),
            "io" => ended.says(&["returned 55"]),
            _ => {
                assert_eq!(ended.status.code(), Some(55), "{ended}");
                let text = format!("{function} failed: MPI_ERR_UNSUPPORTED_OPERATION: {function}");
                ended.complains(&[&text])
            }
        };
    }
}

#[test]
fn use_before_init_is_an_error() {
    let dir = scratch();
    let call = program(dir.path(), "mpi/call.c", &["-D_GNU_SOURCE"]);
    let ended = Run::new(&call).args(["MPI_Get_processor_name"]).end();
    assert_eq!(ended.status.code(), Some(16), "{ended}");
    ended.complains(&["MPI_Get_processor_name failed: MPI_ERR_OTHER: MPI is not initialized"]);
}

#[test]
fn null_where_a_variable_must_be_is_an_error() {
    let dir = scratch();
    let call = program(dir.path(), "mpi/call.c", &["-D_GNU_SOURCE"]);
    let ended = Run::new(&call).args(["MPI_Initialized"]).end();
    assert_eq!(ended.status.code(), Some(13), "{ended}");
    ended.complains(&["MPI_Initialized failed: MPI_ERR_ARG: flag is a null pointer"]);
}
