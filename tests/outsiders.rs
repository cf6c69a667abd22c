//! The examples, as an author outside the project builds and uses them: against an installation
//! only, dropped into a directory, found, selected, and removed again.

use std::fs;
use std::path::{Path, PathBuf};

use cairn_tests::{Run, dist, root, scratch};

/// Copies the sources of an example to a place of its own, beside a way to the installation.
fn checkout(example: &str, place: &Path) -> PathBuf {
    let to = place.join("examples").join(example);
    Run::new("mkdir").args(["-p"]).args([to.join("src")]).ok();
    let from = root().join("examples").join(example);
    for file in ["strategy.c", "Makefile", "Cargo.toml", "src/lib.rs"] {
        if from.join(file).exists() {
            fs::copy(from.join(file), to.join(file)).unwrap();
        }
    }
    fs::create_dir_all(place.join("target")).unwrap();
    std::os::unix::fs::symlink(dist(), place.join("target/dist")).unwrap();
    to
}

/// Everything a user does with the library of a new strategy.
fn comes_and_goes(library: &Path, name: &str) {
    let home = scratch();
    let info = |args: &[&str]| Run::info(home.path()).args(args);

    let missing = format!("there is no cri component {name}");
    info(&["--selected", "--mca", "cri", name]).fails().complains(&[&missing]);

    Run::info(home.path()).args(["check"]).args([library]).ok().says(&["sound"]);

    let components = home.path().join(".cairn/components");
    fs::create_dir_all(&components).unwrap();
    let installed = components.join(library.file_name().unwrap());
    fs::copy(library, &installed).unwrap();
    info(&[]).ok().says(&[name, &installed.display().to_string()]);

    // It does not push itself forward...
    let chosen = |args: &[&str]| {
        let json = info(args).args(["--selected", "--json"]).ok().json();
        let decisions = json["decisions"].as_array().unwrap().clone();
        let cri = decisions.into_iter().find(|one| one["framework"] == "cri").unwrap();
        assert_eq!(cri["candidates"][0]["verdict"], "chosen");
        cri["candidates"][0]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(chosen(&[]), "dedicated");
    // ... but serves who asks for it, in each of the ways to ask.
    assert_eq!(chosen(&["--mca", "cri", name]), name);
    assert_eq!(chosen(&["--mca", "cri", "^dedicated,round_robin,comm"]), name);
    let tune = home.path().join("tune.toml");
    fs::write(&tune, format!("cri = \"{name}\"\n")).unwrap();
    assert_eq!(chosen(&["--tune", tune.to_str().unwrap()]), name);
    let by_variable = Run::info(home.path()).env("CAIRN_MCA_cri", name);
    by_variable.args(["--selected"]).ok().says(&[&format!("not in the list {name}")]);

    let parameters = info(&["--param", &format!("cri_{name}_*"), "--level", "9"]).ok();
    parameters.says(&[&format!("cri_{name}_")]);

    fs::remove_file(&installed).unwrap();
    info(&["--selected", "--mca", "cri", name]).fails().complains(&[&missing]);
    assert_eq!(chosen(&[]), "dedicated");
}

#[test]
fn a_strategy_in_c() {
    let place = scratch();
    let dir = checkout("strategy-c", place.path());
    let pkg_config = place.path().join("target/dist/lib/pkgconfig");
    Run::new("make").dir(&dir).env("PKG_CONFIG_PATH", pkg_config).ok();
    comes_and_goes(&dir.join("cri_by_peer.so"), "by_peer");
}

#[test]
fn a_strategy_in_rust() {
    let place = scratch();
    let dir = checkout("strategy-rust", place.path());
    let target = place.path().join("build");
    let cargo = |args: &[&str]| {
        Run::new("cargo").args(args).dir(&dir).env("CARGO_TARGET_DIR", &target).ok()
    };
    // It needs nothing but the installation: no registry.
    cargo(&["build", "--release", "--offline"]);
    cargo(&["test", "--offline"]);
    comes_and_goes(&target.join("release/libcri_sticky.so"), "sticky");
}

/// An installation works wherever it is moved.
#[test]
fn an_installation_can_be_moved() {
    let place = scratch();
    let moved = place.path().join("moved here");
    Run::new("cp").args(["-r"]).args([dist(), &moved]).ok();
    let info = Run::new(moved.join("bin/cairn-info")).env("HOME", place.path());
    let json = info.args(["--json"]).ok().json();
    let moved = moved.canonicalize().unwrap();
    assert_eq!(json["prefix"], moved.to_str().unwrap());
    let text = json.to_string();
    assert!(text.contains(&moved.join("lib/cairn/cri_comm.so").display().to_string()), "{text}");
    let flags = Run::new("pkg-config")
        .args(["--cflags", "cairn"])
        .env("PKG_CONFIG_PATH", moved.join("lib/pkgconfig"))
        .ok();
    assert!(flags.stdout.contains("moved"), "{flags}");

    // The guide and the examples come along, and the examples build where they lie.
    let doc = moved.join("share/doc/cairn");
    assert!(doc.join("docs/vendor-guide.md").exists());
    let examples = doc.join("examples");
    // A shell takes the flags apart at the blank of the directory's name, so it gets one without.
    let link = place.path().join("link");
    std::os::unix::fs::symlink(&moved, &link).unwrap();
    let make = Run::new("make").dir(examples.join("strategy-c"));
    make.env("PKG_CONFIG_PATH", link.join("lib/pkgconfig")).ok();
    Run::new("cargo")
        .args(["check", "--offline"])
        .dir(examples.join("strategy-rust"))
        .env("CARGO_TARGET_DIR", place.path().join("build"))
        .ok();
}

/// Authors include any header first, in C and in C++.
#[test]
fn every_header_stands_alone() {
    let place = scratch();
    for entry in fs::read_dir(dist().join("include/cairn")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = format!("#include <cairn/{name}>\n");
        for (compiler, extension, standard) in
            [("cc", "c", "-std=c99"), ("c++", "cc", "-std=c++11"), ("c++", "cc", "-std=c++20")]
        {
            let source = place.path().join(format!("header.{extension}"));
            fs::write(&source, &text).unwrap();
            Run::new(compiler)
                .args([standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I"])
                .args([dist().join("include"), source])
                .ok();
        }
    }
}

/// The macros and initialisers of the headers in the order that C++20 asks for.
#[test]
fn a_strategy_in_cpp() {
    let place = scratch();
    let library = place.path().join("cri_cxx.so");
    Run::new("c++")
        .args(["-std=c++20", "-Wall", "-Wextra", "-pedantic", "-Werror"])
        // Said by GCC of every initialiser that names its fields.
        .args(["-Wno-missing-field-initializers"])
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "-I"])
        .args([dist().join("include")])
        .args(["-o"])
        .args([&library, &root().join("tests/plugins/c/strategy.cc")])
        .ok();
    Run::info(place.path()).args(["check"]).args([&library]).ok().says(&["cri_cxx", "sound"]);
}
