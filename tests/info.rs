//! `cairn-info` and what users get wrong.

use std::fs;

use cairn_tests::{Run, dist, odd_plugin, root, scratch};

/// A home directory and `cairn-info` in it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(scratch())
    }

    fn info(&self, args: &[&str]) -> Run {
        Run::info(self.0.path()).args(args)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

#[test]
fn lists_linked_and_shared_components() {
    let home = Home::new();
    home.info(&[]).ok().says(&[
        "Cairn MPI",
        "FRAMEWORK",
        "dedicated",
        "linked in",
        "lib/cairn/cri_comm.so",
    ]);
    let json = home.info(&["--json"]).ok().json();
    assert_eq!(json["frameworks"].as_array().unwrap().len(), 11);
    assert_eq!(json["problems"].as_array().unwrap().len(), 0);
    assert_eq!(json["abi"], "0.8");

    let one = home.info(&["--components", "cri", "--json"]).ok().json();
    assert_eq!(one["frameworks"].as_array().unwrap().len(), 1);
    home.info(&["--components", "cir"]).fails().complains(&["did you mean cri?", "allowed:"]);
}

#[test]
fn selected_of_one_framework() {
    let home = Home::new();
    let cri = ["--selected", "--components", "cri"];
    let text = home.info(&cri).ok();
    text.says(&[
        "cri        process  dedicated",
        "lib/cairn/cri_comm.so",
        "outranked by dedicated",
    ]);
    let prefix = dist().canonicalize().unwrap().display().to_string();
    assert!(!text.stdout.contains("btl") && !text.stdout.contains(&prefix), "{text}");
    // What the README shows is what one gets.
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let sample = home.info(&cri).args(["--mca", "cri", "round_robin"]).ok();
    assert!(readme.contains(&sample.stdout), "README.md shows something else\n{sample}");
    let json = home.info(&cri).args(["--json"]).ok().json();
    let decisions = json["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0]["framework"], "cri");
    let run = home.info(&["--selected", "--components", "cir"]);
    run.fails().complains(&["did you mean cri?"]);
    for wrong in [["--selected", "--explain", "cri"], ["--components", "cri", "--param"]] {
        let ended = home.info(&wrong).args(["x"]).end();
        assert_eq!(ended.status.code(), Some(2), "{ended}");
    }
}

/// What `docs/cairn-info.md` promises to programs.
#[test]
fn json_has_a_format_and_says_providers_alike() {
    let home = Home::new();
    home.write(".cairn/components/cri_broken.so", "not a library");
    let broken = home.0.path().join(".cairn/components/cri_broken.so").display().to_string();
    let comm = dist().join("lib/cairn/cri_comm.so").canonicalize().unwrap().display().to_string();
    let mut ways: Vec<Vec<&str>> = vec![
        vec![],
        vec!["--components", "cri"],
        vec!["--selected"],
        vec!["--param", "cri_*"],
        vec!["--explain", "cri"],
        vec!["doctor"],
    ];
    ways.push(vec!["check", &comm]);
    for way in ways {
        let json = home.info(&["--json"]).args(&way).end().json();
        assert_eq!(json["format"], 1, "{way:?}");
        assert!(json["problems"].is_array(), "{way:?}");
    }

    let json = home.info(&["--components", "cri", "--json"]).ok().json();
    let of = |list: &serde_json::Value, name: &str| {
        let list = list.as_array().unwrap();
        let one = list.iter().find(|one| one["name"] == name || one["component"] == name);
        one.unwrap_or_else(|| panic!("no {name} in {list:?}"))["provider"].clone()
    };
    let components = &json["frameworks"][0]["components"];
    assert_eq!(of(components, "dedicated"), "linked in");
    assert_eq!(of(components, "comm"), *comm);
    assert_eq!(of(&json["failed"], "cri_broken"), *broken);
    let json = home.info(&["--components", "cri", "--selected", "--json"]).ok().json();
    let candidates = &json["decisions"][0]["candidates"];
    assert_eq!(of(candidates, "dedicated"), "linked in");
    assert_eq!(of(candidates, "comm"), *comm);
    assert_eq!(of(candidates, "broken"), *broken);
}

#[test]
fn lists_of_parameters_show_other_names() {
    let home = Home::new();
    fs::create_dir_all(home.0.path().join(".cairn/components")).unwrap();
    odd_plugin(&home.0.path().join(".cairn/components/cri_odd.so"), &["-DTWO_NAMES"]);
    for pattern in ["cri_odd_x", "odd_[yz]", "cri_odd*"] {
        home.info(&["--param", pattern])
            .ok()
            .says(&["cri_odd_x", "It has three names. Also called: odd_y. Formerly: odd_z."]);
    }
    let json = home.info(&["--param", "odd_y", "--json"]).ok().json();
    assert_eq!(json["parameters"][0]["synonyms"][0], "odd_y");
    assert_eq!(json["parameters"][0]["deprecated_synonyms"][0], "odd_z");
}

#[test]
fn output_to_a_pipe_has_no_colours_and_may_be_cut() {
    let home = Home::new();
    assert!(!home.info(&[]).ok().stdout.contains('\x1b'));
    let info = dist().join("bin/cairn-info").display().to_string();
    let script = format!("set -o pipefail; '{info}' | head -n 1");
    Run::new("bash").args(["-c", &script]).env("HOME", home.0.path()).ok().says(&["Cairn MPI"]);
}

/// A terminal of 60 columns gets lines of at most 60 columns, with colours.
#[test]
fn output_to_a_terminal_fits_it() {
    let home = Home::new();
    let info = dist().join("bin/cairn-info").display().to_string();
    let command = format!("stty rows 24 cols 60; '{info}' --param 'mca*'");
    let ended = Run::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("HOME", home.0.path())
        .env("TERM", "xterm-256color")
        .ok();
    assert!(ended.stdout.contains("\x1b["), "{ended}");
    let plain: String = ended
        .stdout
        .split('\x1b')
        .enumerate()
        .map(|(i, piece)| if i == 0 { piece } else { piece.split_once('m').map_or("", |p| p.1) })
        .collect();
    let rows: Vec<&str> = plain.lines().map(str::trim_end).collect();
    assert!(rows.len() > 5, "{ended}");
    // The first columns take what they need, and the last at least 24.
    let longest = rows.iter().map(|row| row.chars().count()).max().unwrap();
    assert!(longest <= 80, "{longest} columns\n{plain}");
}

#[test]
fn parameters_by_pattern_and_level() {
    let home = Home::new();
    home.info(&["--param", "mca_*"]).ok().says(&["mca_strict", "mca_component_path"]);
    let few = home.info(&["--param", "cri*", "--json"]).ok().json();
    let all = home.info(&["--param", "cri*", "--level", "9", "--json"]).ok().json();
    let count = |json: &serde_json::Value| json["parameters"].as_array().unwrap().len();
    assert!(count(&few) < count(&all));
    assert_eq!(few["hidden"].as_u64().unwrap() as usize, count(&all) - count(&few));
    home.info(&["--param", "cri*"]).ok().says(&["more at higher levels"]);
    home.info(&["--param", "cri_dedicated_priority"]).ok().says(&["30"]);
    home.info(&["--param", "nothing*"]).fails().complains(&["no parameter matches"]);
    home.info(&["--param", "cri_dedicated_pirority"])
        .fails()
        .complains(&["did you mean cri_dedicated_priority?"]);
    home.info(&["--param", "[a"]).fails().complains(&["is no pattern"]);
    let usage = home.info(&["--param", "a", "--level", "10"]).end();
    assert_eq!(usage.status.code(), Some(2));
}

/// Every source of a value, weakest to strongest, each overriding the ones before.
#[test]
fn explain_shows_every_source_and_the_winner() {
    let home = Home::new();
    let name = "cri_dedicated_priority";
    let winner = |run: Run| {
        let json = run.args(["--explain", name, "--json"]).ok().json();
        let sources = json["parameter"]["sources"].as_array().unwrap().clone();
        assert_eq!(sources[0]["state"], "wins", "{json:#}");
        let value = json["parameter"]["value"].as_u64().unwrap();
        (value, sources[0]["origin"].as_str().unwrap().to_owned(), sources.len())
    };
    assert_eq!(winner(home.info(&[])), (30, "built-in default".into(), 1));
    let user = home.write(".cairn/mca-params.toml", "# mine\ncri_dedicated_priority = 31\n");
    assert_eq!(winner(home.info(&[])), (31, format!("{user}:2"), 2));
    let profile = home.write(".cairn/mca-params/mine.toml", "[cri_dedicated]\npriority = 32\n");
    let flags = ["--profile", "mine"];
    assert_eq!(winner(home.info(&flags)), (32, format!("--profile mine ({profile}:2)"), 3));
    let tune = home.write("tune.toml", "cri_dedicated_priority = 33\n");
    let flags = ["--profile", "mine", "--tune", &tune];
    assert_eq!(winner(home.info(&flags)), (33, format!("--tune {tune}:1"), 4));
    let run = home.info(&flags).env("OMPI_MCA_cri_dedicated_priority", "34");
    assert_eq!(winner(run), (34, "environment variable OMPI_MCA_cri_dedicated_priority".into(), 5));
    let run = home
        .info(&flags)
        .env("OMPI_MCA_cri_dedicated_priority", "34")
        .env("CAIRN_MCA_cri_dedicated_priority", "35");
    assert_eq!(winner(run).0, 35);
    let all = ["--profile", "mine", "--tune", &tune, "--mca", name, "36"];
    let run = home.info(&all).env("CAIRN_MCA_cri_dedicated_priority", "35");
    assert_eq!(winner(run), (36, "--mca on the command line".into(), 6));

    let text = home.info(&all).args(["--explain", name]).ok();
    text.says(&["cri_dedicated_priority = 36", "set by, strongest first", "overridden", "wins"]);
    home.info(&["--explain", "cri_dedicated_prio"]).fails().complains(&["did you mean"]);
}

/// What a launcher passes on counts like a command line.
#[test]
fn a_launchers_command_line_is_passed_on() {
    let home = Home::new();
    let passed = r#"{"mca":[["cri","round_robin"]]}"#;
    let run = home.info(&["--selected"]).env("CAIRN_LAUNCH_PARAMS", passed);
    run.ok().says(&["not in the list round_robin (--mca on the command line)"]);
    let run = home.info(&["--selected", "--mca", "cri", "comm"]).env("CAIRN_LAUNCH_PARAMS", passed);
    run.ok().says(&["not in the list comm"]);
}

#[test]
fn mistakes_are_said_with_place_and_fix() {
    let home = Home::new();
    let tune = |name: &str, text: &str| home.write(name, text);
    let malformed = tune("malformed.toml", "a = 1\nb = = 2\n");
    let unknown = tune("unknown.toml", "\n\ncri_dedicated_prioritty = 1\n");
    let range = tune("range.toml", "cri_dedicated_priority = 101\n");
    let odd = tune("odd.toml", "cri_dedicated_priority = 1.5\n");
    let fine = tune("fine.toml", "mca_strict = true\n");
    let same = home.0.path().join(".").join("fine.toml").display().to_string();
    let directory = home.0.path().display().to_string();
    let fifo = home.0.path().join("fifo.toml").display().to_string();
    Run::new("mkfifo").args([&fifo]).ok();
    let huge = tune("huge.toml", "");
    fs::File::options().write(true).open(&huge).unwrap().set_len(1 << 40).unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["--mca", "cri_dedicated_prioritty", "1"],
            &[
                "there is no parameter cri_dedicated_prioritty",
                "--mca on the command line",
                "did you mean cri_dedicated_priority?",
            ],
        ),
        (
            &["--mca", "cri", "dedicate"],
            &[
                "there is no cri component dedicate",
                "comm, dedicated, round_robin",
                "did you mean dedicated?",
            ],
        ),
        (&["--mca", "cri", "^dedicate"], &["there is no cri component dedicate"]),
        (&["--mca", "cri", "comm,^dedicated"], &["a,b or ^a,b", "can't do both"]),
        (&["--mca", "cri", "^"], &["no component's name behind the ^"]),
        (
            &["--mca", "issue", "none"],
            &["there is no issue component none", "adaptive, eager, lazy"],
        ),
        (
            &["--mca", "cri_dedicated_priority", "101"],
            &["101 is outside its range", "a whole number from 0 to 100"],
        ),
        (&["--mca", "cri_dedicated_priority", "many"], &["\"many\" is not a whole number"]),
        (&["--mca", "mca_report", "loud"], &["off, text or json"]),
        (&["--mca", "mca_log", "loud"], &["\"loud\" is not LEVEL or COMPONENT=LEVEL"]),
        (&["--mca", "cri", "comm", "--mca", "cri", "dedicated"], &["given twice"]),
        (&["--tune", &malformed], &["malformed TOML", "malformed.toml:2", "allowed:"]),
        (&["--tune", &unknown], &["unknown.toml:3", "did you mean cri_dedicated_priority?"]),
        (&["--tune", &range], &["range.toml:1", "101 is outside its range"]),
        (&["--tune", &odd], &["odd.toml:1", "a value of a type no parameter has"]),
        (
            &["--tune", "/nowhere.toml"],
            &[
                "can't read the parameter file /nowhere.toml: there is no such file",
                "check the name",
            ],
        ),
        (
            &["--tune", &directory],
            &["can't read the parameter file", "a directory, not a regular file"],
        ),
        (&["--tune", &fifo], &["a FIFO, not a regular file"]),
        (&["--tune", "/dev/zero"], &["a device, not a regular file"]),
        (&["--tune", &huge], &["huge.toml: it has 1t bytes, and parameter files have at most 1m"]),
        (
            &["--mca", "cri=comm", "x"],
            &["there is no parameter cri=comm", "NAME and VALUE are two words: --mca cri comm"],
        ),
        (&["--mca", "CRI", "comm"], &["there is no parameter CRI", "write cri"]),
        (&["--tune", &fine, "--tune", &same], &["is given twice", "leave one of them out"]),
        (&["--profile", "lapto"], &["there is no profile lapto", "did you mean laptop?"]),
        (
            &["--mca", "mca_component_path", "default,/nowhere"],
            &["can't search the component directory /nowhere", "create the directory"],
        ),
    ];
    for (flags, parts) in cases {
        home.info(flags).fails().complains(&["error: ", "fix: "]).complains(parts);
        let json = home.info(flags).args(["--json"]).fails().json();
        let problems = json["problems"].to_string();
        for part in *parts {
            let part = part.replace('"', "\\\"");
            assert!(problems.contains(&part) || part.ends_with(':'), "no \"{part}\" in {problems}");
        }
    }
}

/// The user's file is read without being named, so whatever lies there must not hang everything.
#[test]
fn an_odd_file_of_the_user_is_said() {
    type Make = fn(&std::path::Path);
    let words: &[(Make, &str)] = &[
        (|path| fs::create_dir(path).unwrap(), "a directory, not a regular file"),
        (
            |path| {
                Run::new("mkfifo").args([path]).ok();
            },
            "a FIFO, not a regular file",
        ),
        (
            |path| std::os::unix::fs::symlink("/nowhere", path).unwrap(),
            "a link to /nowhere, which is not there",
        ),
    ];
    for (make, word) in words {
        let home = Home::new();
        let dir = home.0.path().join(".cairn");
        fs::create_dir(&dir).unwrap();
        make(&dir.join("mca-params.toml"));
        home.info(&["--selected"]).fails().complains(&["mca-params.toml", word, "fix: "]);
    }
}

#[test]
fn a_variable_in_capitals_is_not_ignored() {
    let home = Home::new();
    let run = home.info(&["--selected"]).env("CAIRN_MCA_CRI", "comm");
    run.fails().complains(&[
        "there is no parameter CRI",
        "environment variable CAIRN_MCA_CRI",
        "write CAIRN_MCA_cri",
    ]);
}

/// All mistakes are said at once.
#[test]
fn mistakes_are_said_together() {
    let home = Home::new();
    let ended = home
        .info(&["--mca", "cri", "dedicate", "--mca", "nonsense", "1"])
        .env("CAIRN_MCA_cri_dedicated_priority", "-1")
        .env("Cairn_MCA_x", "1")
        .fails();
    ended.complains(&[
        "dedicate",
        "nonsense",
        "-1 is outside its range",
        "because of its capitals",
    ]);
    assert_eq!(ended.stderr.matches("error: ").count(), 4, "{ended}");
}

#[test]
fn mca_strict_makes_mistakes_warnings() {
    let home = Home::new();
    let flags = ["--mca", "mca_strict", "0", "--mca", "nonsense", "1", "--mca", "cri", "dedicate"];
    let ended = home.info(&flags).ok();
    ended.complains(&["warning: there is no parameter nonsense", "warning: there is no cri"]);
}

#[test]
fn open_mpis_variables_are_understood_or_said_once() {
    let home = Home::new();
    let ended = home
        .info(&["--selected"])
        .env("OMPI_MCA_cri", "round_robin")
        .env("OMPI_MCA_btl", "self,smcuda")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
        .ok();
    ended.says(&["not in the list round_robin (environment variable OMPI_MCA_cri)"]);
    ended.complains(&[
        "warning: Open MPI parameters that have no counterpart here",
        "OMPI_MCA_hwloc_base_binding_policy, OMPI_MCA_rmaps_base_oversubscribe",
        "warning: there is no btl component smcuda",
    ]);
}

/// What profiles with the designs of papers select, and the parameters without which they would not be the
/// papers'.
#[test]
fn profiles_of_papers_select_what_the_papers_describe() {
    let home = Home::new();
    type Set<'a> = &'a [(&'a str, &'a str)];
    let serial: (Set, Set) = (
        &[("cri", "round_robin"), ("progress", "serial"), ("wait", "spin"), ("match", "list")],
        &[
            ("btl_self_num_cris", "1"),
            ("btl_sm_num_cris", "1"),
            ("btl_tcp_num_cris", "1"),
            ("mca_lock_bias", "false"),
        ],
    );
    let concurrent: (Set, Set) = (
        &[("cri", "dedicated"), ("progress", "concurrent"), ("wait", "spin"), ("match", "list")],
        &[
            ("btl_sm_num_cris", "0"),
            ("progress_concurrent_published", "true"),
            ("progress_concurrent_seats", "false"),
            ("mca_lock_bias", "false"),
        ],
    );
    let vci: (Set, Set) = (
        &[("cri", "comm"), ("progress", "hybrid"), ("wait", "spin")],
        &[
            ("btl_self_num_cris", "17"),
            ("btl_sm_num_cris", "17"),
            ("btl_tcp_num_cris", "17"),
            ("pml_ob1_request_cache", "\"cri\""),
            ("mca_lock_bias", "false"),
        ],
    );
    let profiles = [("paper-serial", serial), ("paper-concurrent", concurrent), ("paper-vci", vci)];
    for (profile, (components, params)) in profiles {
        let json = home.info(&["--profile", profile, "--selected", "--json"]).ok().json();
        let decisions = json["decisions"].as_array().unwrap();
        for (framework, component) in components {
            let decision = decisions.iter().find(|decision| decision["framework"] == *framework);
            let candidates = decision.unwrap()["candidates"].as_array().unwrap();
            let chosen = candidates.iter().find(|candidate| candidate["verdict"] == "chosen");
            assert_eq!(chosen.unwrap()["name"], *component, "{profile}: {framework}");
        }
        for (name, value) in params {
            let explain = ["--profile", profile, "--explain", name, "--json"];
            let found = home.info(&explain).ok().json()["parameter"]["value"].to_string();
            assert_eq!(found, *value, "{profile}: {name}");
        }
    }
}

#[test]
fn the_shipped_parameter_files_are_sound() {
    let home = Home::new();
    for entry in fs::read_dir(root().join("mca-params")).unwrap() {
        let path = entry.unwrap().path();
        // Tables of components are named by their parameters.
        if path.is_dir() {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        home.info(&["--tune", path.to_str().unwrap(), "--selected"]).ok();
        if name != "default" {
            home.info(&["--profile", &name, "--selected"]).ok();
        }
    }
    // With every line of the list of defaults in force nothing changes.
    let text = fs::read_to_string(root().join("mca-params/default.toml")).unwrap();
    let uncomment = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase()) => rest.to_owned(),
        _ => line.to_owned(),
    };
    let all: Vec<String> = text.lines().map(uncomment).collect();
    let tune = home.write("all.toml", &all.join("\n"));
    let json = |args: &[&str]| {
        let mut json = home.info(args).args(["--param", "*", "--level", "9", "--json"]).ok().json();
        for param in json["parameters"].as_array_mut().unwrap() {
            let sources = param.as_object_mut().unwrap().remove("sources").unwrap();
            if args.is_empty() {
                assert_eq!(sources.as_array().unwrap().len(), 1);
            } else {
                assert_eq!(sources.as_array().unwrap().len(), 2, "{param} is not in the file");
            }
        }
        json
    };
    assert_eq!(json(&[]), json(&["--tune", &tune]));
}

#[test]
fn doctor_says_what_is_wrong_and_how_to_mend_it() {
    let home = Home::new();
    home.info(&["doctor"]).ok().says(&["installation", "ok", "can be used", "open files"]);
    let json = home.info(&["doctor", "--json"]).ok().json();
    let checks = json["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["health"] == "ok"), "{json:#}");

    home.write(".cairn/mca-params.toml", "nonsense = 1\n");
    home.write(".cairn/components/cri_broken.so", "not a library");
    let open = home.0.path().join(".cairn/components");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(&open, mode).unwrap();
    home.info(&["doctor"]).fails().says(&[
        "there is no parameter nonsense",
        "broken",
        "no ELF file",
        "can be written by everybody",
        "chmod o-w",
    ]);
}

#[test]
fn manual_page_and_help() {
    let page = fs::read_to_string(dist().join("share/man/man1/cairn-info.1")).unwrap();
    for part in [".TH cairn-info 1", "explain", "doctor"] {
        assert!(page.contains(part), "no {part} in the manual page");
    }
    let (_, synopsis) = page.split_once(".SH SYNOPSIS").unwrap();
    let (synopsis, _) = synopsis.split_once(".SH").unwrap();
    for part in ["FRAMEWORK", "GLOB", "NAME", "FILE", "doctor", "selected"] {
        assert!(synopsis.contains(part), "no {part} in the synopsis:\n{synopsis}");
    }
    let home = Home::new();
    home.info(&["--help"]).ok().says(&["--param <GLOB>", "--explain <NAME>", "doctor", "check"]);
    home.info(&["--version"]).ok().says(&["cairn-info 0.1.0"]);
    let usage = home.info(&["--no-such-flag"]).end();
    assert_eq!(usage.status.code(), Some(2));
}
