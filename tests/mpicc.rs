//! The compiler wrappers, as users and build systems use them.

use std::fs;
use std::path::{Path, PathBuf};

use cairn_tests::{Run, dist, root, scratch, skipped};

/// A wrapper of the installation, without compilers of the environment.
fn wrapper(name: &str) -> Run {
    of(dist(), name)
}

fn of(prefix: &Path, name: &str) -> Run {
    let mut run = Run::new(prefix.join("bin").join(name));
    for variable in ["CAIRN_CC", "MPICH_CC", "OMPI_CC", "CC", "CAIRN_CXX", "CXX"] {
        run = run.without(variable);
    }
    run
}

fn line(run: Run) -> String {
    run.ok().stdout.trim_end().to_owned()
}

#[test]
fn it_shows_what_it_does_in_the_ways_of_others() {
    let prefix = dist().canonicalize().unwrap().display().to_string();
    let compile = format!("-I{prefix}/include");
    let link = format!("-L{prefix}/lib -Wl,-rpath,{prefix}/lib -Wl,--enable-new-dtags -lmpi_abi");
    for (args, expected) in [
        (&["-show"][..], format!("cc {compile} {link}")),
        (&["-showme", "a.c"], format!("cc a.c {compile} {link}")),
        (&["--show", "-c", "a.c"], format!("cc -c a.c {compile}")),
        (&["-showme", "a.c", "-o", "a b"], format!("cc a.c -o 'a b' {compile} {link}")),
        (&["-showme:compile"], compile.clone()),
        (&["--showme:link"], link.clone()),
        (&["-showme:command"], "cc".to_owned()),
        (&["-showme:incdirs"], format!("{prefix}/include")),
        (&["-showme:libdirs"], format!("{prefix}/lib")),
        (&["-showme:libs"], "mpi_abi".to_owned()),
        (&["-compile-info"], format!("cc {compile}")),
        (&["-link-info"], format!("cc {link}")),
    ] {
        assert_eq!(line(wrapper("mpicc").args(args)), expected, "{args:?}");
    }
    let version = line(wrapper("mpicxx").args(["-showme:version"]));
    assert!(version.starts_with("mpicxx: Cairn MPI ") && version.ends_with("C++)"), "{version}");
    wrapper("mpicc").args(["-showme:colour"]).fails().complains(&["there is no -showme:colour"]);
}

#[test]
fn the_compiler_is_the_users_choice() {
    let show = |name: &str, variables: &[(&str, &str)]| {
        let run = variables.iter().fold(wrapper(name), |run, (name, value)| run.env(name, value));
        line(run.args(["-showme:command"]))
    };
    assert_eq!(show("mpicc", &[]), "cc");
    assert_eq!(show("mpicxx", &[]), "c++");
    assert_eq!(show("mpiCC", &[("CXX", "clang++"), ("CC", "clang")]), "clang++");
    assert_eq!(show("mpicc", &[("CC", "ccache gcc -m64")]), "ccache gcc -m64");
    assert_eq!(show("mpicc", &[("CC", "gcc"), ("OMPI_CC", "clang")]), "clang");
    assert_eq!(show("mpicc", &[("CAIRN_CC", "tcc"), ("MPICH_CC", "clang")]), "tcc");
    // A build that is told CC=mpicc means the compiler behind it.
    let me = dist().join("bin/mpicc");
    assert_eq!(show("mpicc", &[("CC", me.to_str().unwrap())]), "cc");
    assert_eq!(line(wrapper("mpicc").args(["-cc=icx", "-showme:command"])), "icx");
    let missing = wrapper("mpicc").env("CC", "no-such-compiler").args(["a.c"]);
    missing.fails().complains(&["can't run the compiler no-such-compiler", "set CC"]);
}

#[test]
fn a_wrapper_behind_a_wrapper_ends() {
    let dir = scratch();
    let me = dist().join("bin/mpicc");
    let behind = format!("env {}", me.display());
    let source = root().join("tests/mpi/basics.c");
    let to = dir.path().join("basics");
    wrapper("mpicc").env("CC", behind).args([&source]).args(["-o"]).args([&to]).ok();
    Run::new(to).ok();
}

#[test]
fn errors_of_the_compiler_are_its_own() {
    let dir = scratch();
    let source = dir.path().join("bad.c");
    fs::write(&source, "int main(void) { return MPI_Nonsense; }\n").unwrap();
    let bad = wrapper("mpicc").args(["-c"]).args([&source]).dir(dir.path());
    bad.fails().complains(&["MPI_Nonsense"]);
    assert!(wrapper("mpicc").args(["--version"]).ok().stderr.is_empty());
}

/// An installation that was moved.
fn moved(to: &Path) -> PathBuf {
    let prefix = to.join("some where/cairn");
    Run::new("mkdir").args(["-p"]).args([prefix.parent().unwrap()]).ok();
    Run::new("cp").args(["-a"]).args([dist(), &prefix]).ok();
    prefix
}

#[test]
fn installations_can_be_moved() {
    let dir = scratch();
    let prefix = moved(dir.path());
    let source = root().join("tests/mpi/basics.c");
    for (name, language) in [("mpicc_abi", "c"), ("mpic++", "c++")] {
        let to = dir.path().join("program");
        let args = ["-x", language, "-o"];
        of(&prefix, name).args(args).args([&to, &source]).ok();
        let libraries = Run::new("ldd").args([&to]).ok().stdout;
        let ours = prefix.canonicalize().unwrap().join("lib/libmpi_abi.so.1");
        assert!(libraries.contains(ours.to_str().unwrap()), "{libraries}");
        Run::new(&to).ok().says(&["0 failures"]);
    }
}

#[test]
fn another_library_with_the_same_abi_can_take_its_place() {
    let dir = scratch();
    let to = dir.path().join("program");
    let source = root().join("tests/mpi/interpose.c");
    wrapper("mpicc").args([&source]).args(["-o"]).args([&to]).ok();
    let other = moved(dir.path()).canonicalize().unwrap().join("lib");
    let libraries = Run::new("ldd").args([&to]).env("LD_LIBRARY_PATH", &other).ok().stdout;
    assert!(libraries.contains(other.to_str().unwrap()), "{libraries}");
}

#[test]
fn pkg_config_knows_the_library() {
    let dir = scratch();
    let flags = Run::new("pkg-config")
        .env("PKG_CONFIG_PATH", dist().join("lib/pkgconfig"))
        .args(["--cflags", "--libs", "mpi"])
        .ok();
    let to = dir.path().join("basics");
    Run::new("cc")
        .args([root().join("tests/mpi/basics.c")])
        .args(flags.stdout.split_whitespace())
        .args(["-o"])
        .args([&to])
        .ok();
    Run::new(to).ok().says(&["0 failures"]);
}

#[test]
fn cmake_finds_it() {
    if Run::exists("cmake").is_none() {
        skipped("there is no cmake");
        return;
    }
    let dir = scratch();
    let project = dir.path().join("project");
    fs::create_dir(&project).unwrap();
    fs::copy(root().join("tests/mpi/basics.c"), project.join("basics.c")).unwrap();
    fs::copy(root().join("tests/mpi/basics.c"), project.join("basics.cpp")).unwrap();
    let lists = "cmake_minimum_required(VERSION 3.18)\n\
                 project(basics C CXX)\n\
                 find_package(MPI 5.0 REQUIRED COMPONENTS C CXX)\n\
                 message(STATUS \"library ${MPI_mpi_abi_LIBRARY}\")\n\
                 add_executable(basics_c basics.c)\n\
                 target_link_libraries(basics_c MPI::MPI_C)\n\
                 add_executable(basics_cxx basics.cpp)\n\
                 target_link_libraries(basics_cxx MPI::MPI_CXX)\n";
    fs::write(project.join("CMakeLists.txt"), lists).unwrap();
    let path = format!("{}/bin:{}", dist().display(), std::env::var("PATH").unwrap());
    let library = dist().canonicalize().unwrap().join("lib/libmpi_abi.so");
    // The two ways to say which MPI: wrappers in the path, and the installation's directory.
    for (variable, value) in [("PATH", path.as_ref()), ("MPI_HOME", dist().as_os_str())] {
        let cmake = |args: &[&str]| {
            let run = Run::new("cmake").without("CC").without("CXX").without("MPI_HOME");
            run.env(variable, value).args(args).dir(&project)
        };
        cmake(&["-B", variable]).ok().says(&[&format!("library {}", library.display())]);
        cmake(&["--build", variable]).ok();
        for program in ["basics_c", "basics_cxx"] {
            Run::new(project.join(variable).join(program)).ok().says(&["0 failures"]);
        }
    }
}
