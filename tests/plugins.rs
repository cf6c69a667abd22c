//! Libraries in the component path, sound and otherwise: none crashes, none is silently ignored.

use std::ffi::{CString, OsStr};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::frameworks::Table;
use cairn_framework::frameworks::cri::CriOps;
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search, System};
use cairn_tests::{Run, compile_c, dist, odd_plugin, root, scratch};

/// A system with the libraries of one directory and nothing of the user's.
fn system_with(dir: &Path, mca: &[(&str, &str)]) -> (&'static System, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&log);
    let mut line = CommandLine {
        mca: mca.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect(),
        ..CommandLine::default()
    };
    line.mca.push(("mca_component_path".into(), dir.display().to_string()));
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources { command_line: line, ..Sources::default() },
        sink: Box::new(move |text| sink.lock().unwrap().push(text.to_owned())),
        search: Search::Wanted,
    });
    (system, log)
}

fn process() -> Scope {
    Scope::new(SCOPE_PROCESS, 0, 1, c"process")
}

/// `cairn-info` on a directory must list the library as one that can't be used, with these words,
/// in text and in JSON, and end well.
fn is_refused(dir: &Path, words: &[&str]) {
    let home = scratch();
    let info = || Run::info(home.path()).args(["--mca", "mca_component_path"]).args([dir]);
    info().ok().says(&["CAN'T BE USED"]).says(words);
    let json = info().args(["--json"]).ok().json();
    let failed = json["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 1, "{json:#}");
    let text = failed[0].to_string();
    for word in words {
        assert!(text.contains(word), "no \"{word}\" in {text}");
    }
    assert!(!failed[0]["fix"].as_str().unwrap().is_empty());
    Run::info(home.path())
        .args(["check"])
        .args(fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()))
        .fails();
}

#[test]
fn odd_libraries_are_refused_with_the_reason() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        // A newer, an older and another minor version, whose structs may have any size.
        ("cri_odd.so", &["-DABI=2"], &["built for plugin ABI 2.8", "this program has 0.8"]),
        ("cri_odd.so", &["-DMINOR=0"], &["built for plugin ABI 0.0", "this program has 0.8"]),
        (
            "cri_odd.so",
            &["-DMINOR=9", "-DSIZE=200"],
            &["built for plugin ABI 0.9", "this program has 0.8"],
        ),
        ("cri_odd.so", &["-DMAGIC=0"], &["cri_odd", "something that is no descriptor"]),
        ("cri_odd.so", &["-DSIZE=40"], &["the struct_size of its descriptor is 40, not 96"]),
        (
            "cri_odd.so",
            &["-DSIZE=0"],
            &["the struct_size of its descriptor is 0", "set it to sizeof(cairn_component_t)"],
        ),
        (
            "cri_odd.so",
            &["-DTABLE_SIZE=16"],
            &["the struct_size of its table of functions is 16, not 72"],
        ),
        (
            "cri_odd.so",
            &["-DTABLE_SIZE=80"],
            &["the struct_size of its table of functions is 80, not 72"],
        ),
        (
            "cri_odd.so",
            &["-DTABLE_SIZE=0"],
            &["the struct_size of its table of functions is 0", "sizeof(cairn_cri_ops_t)"],
        ),
        ("cri_odd.so", &["-DNO_TABLE"], &["its table of functions, ops, is null"]),
        ("cri_odd.so", &["-DNO_OPEN"], &["its function open is missing"]),
        ("cri_odd.so", &["-DNO_ASSIGN"], &["its function assign is missing"]),
        ("odd.so", &["-DFRAMEWORK=\"cir\""], &["there is no framework cir", "did you mean cri?"]),
        ("odd.so", &["-DNAME=\"O dd\""], &["O dd", "is no name"]),
        ("cri_even.so", &[], &["its file name promises cri_even, and it holds cri_odd"]),
        (
            "cri_odd.so",
            &["-DNO_ENTRY"],
            &[
                "not a component: it exports no cairn_components",
                "CAIRN_EXPORT",
                "-fvisibility=hidden",
            ],
        ),
        ("cri_odd.so", &["-DNOTHING"], &["returned no component"]),
        ("cri_odd.so", &["-DNULL_DESCRIPTOR"], &["returned a null pointer to a descriptor"]),
        ("cri_odd.so", &["-DNEEDS_SYMBOL"], &["undefined symbol: a_function_that_is_nowhere"]),
        ("cri_odd.so", &["-DREGISTER_FAILS"], &["it does not want to"]),
        ("cri_odd.so", &["-DBAD_PARAM"], &["cri_odd_x", "its level is 12"]),
    ];
    for (file, macros, words) in cases {
        let dir = scratch();
        odd_plugin(&dir.path().join(file), macros);
        is_refused(dir.path(), words);
    }
}

/// The bytes of a sound plugin.
fn sound() -> Vec<u8> {
    let dir = scratch();
    let path = dir.path().join("cri_odd.so");
    odd_plugin(&path, &[]);
    fs::read(path).unwrap()
}

#[test]
fn files_that_are_no_whole_libraries_are_refused() {
    let whole = sound();
    let mut foreign = whole.clone();
    foreign[18..20].copy_from_slice(&[0xb7, 0]);
    let mut narrow = whole.clone();
    narrow[4] = 1;
    narrow[18..20].copy_from_slice(&[3, 0]);
    let cases: &[(&[u8], &str)] = &[
        (b"", "the file is empty"),
        (b"INPUT(libmpi_abi.so.1)\n", "no ELF file"),
        (&whole[..40], "truncated"),
        (&whole[..700], "truncated"),
        (&whole[..whole.len() / 2], "truncated"),
        (&foreign, "built for AArch64, and this program is x86-64"),
        (&narrow, "built for 32-bit x86"),
    ];
    for (bytes, word) in cases {
        let dir = scratch();
        fs::write(dir.path().join("cri_odd.so"), bytes).unwrap();
        is_refused(dir.path(), &["cri_odd", word]);
    }
}

/// What lies in a component directory under a library's name, whatever it is, neither hangs nor
/// crashes any process that looks at it.
#[test]
fn what_is_no_regular_file_is_refused() {
    let refused = |make: &dyn Fn(&Path), words: &[&str]| {
        let dir = scratch();
        make(&dir.path().join("cri_odd.so"));
        is_refused(dir.path(), words);
    };
    refused(
        &|path| symlink("/nowhere/at all", path).unwrap(),
        &[
            "cri_odd",
            "can't be read: a link to /nowhere/at all, which is not there",
            "mend the link",
        ],
    );
    refused(
        &|path| symlink("cri_odd.so", path).unwrap(),
        &["cri_odd", "can't be read: a link that leads back to itself", "mend the link"],
    );
    refused(&|path| fs::create_dir(path).unwrap(), &["a directory, not a regular file"]);
    refused(
        &|path| {
            Run::new("mkfifo").args([path]).ok();
        },
        &["a FIFO, not a regular file"],
    );
    refused(&|path| drop(UnixListener::bind(path).unwrap()), &["a socket, not a regular file"]);
    refused(&|path| symlink("/dev/zero", path).unwrap(), &["a device, not a regular file"]);
    refused(&|path| drop(fs::File::create(path).unwrap()), &["the file is empty"]);
    refused(&|path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap(), &["no ELF file"]);
    let home = scratch();
    let check = Run::info(home.path()).args(["check", "/nowhere/cri_odd.so"]).fails();
    check.says(&["cri_odd", "there is no such file"]);
}

/// A library with a good head that claims as many segments as a terabyte has room for.
#[test]
fn a_huge_table_of_segments_is_not_read() {
    let dir = scratch();
    let path = dir.path().join("cri_odd.so");
    let mut bytes = sound();
    // e_phnum = PN_XNUM: the number is in sh_info of the section header at e_shoff.
    bytes[56..58].copy_from_slice(&[0xff, 0xff]);
    let sections = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    bytes[sections + 44..sections + 48].copy_from_slice(&(1u32 << 25).to_le_bytes());
    fs::write(&path, bytes).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    is_refused(dir.path(), &["cri_odd", "not a shared library"]);
}

#[test]
fn a_file_name_need_not_be_utf_8() {
    let dir = scratch();
    let good = dir.path().join(OsStr::from_bytes(b"good\xff.so"));
    odd_plugin(&good, &[]);
    fs::write(dir.path().join(OsStr::from_bytes(b"bad\xfe.so")), "no library").unwrap();
    let home = scratch();
    let info = || Run::info(home.path()).args(["--mca", "mca_component_path"]).args([dir.path()]);
    info().ok().says(&["good\u{fffd}.so", "bad\u{fffd}.so", "no ELF file"]);
    let json = info().args(["--json"]).ok().json().to_string();
    assert!(json.contains("good\u{fffd}.so") && json.contains("bad\u{fffd}.so"), "{json}");
    info().args(["--selected", "--json", "--mca", "cri", "odd"]).ok();
    info().args(["doctor"]).fails().says(&["bad\u{fffd}.so"]);
}

/// A library that was refused keeps the name that its file promises.
#[test]
fn a_refused_component_is_there_for_who_asks_for_it() {
    let cases: &[(&[&str], &str)] = &[
        (&["-DABI=2"], "built for plugin ABI 2.8"),
        (&["-DMAGIC=0"], "something that is no descriptor"),
        (&["-DSIZE=40"], "the struct_size of its descriptor is 40"),
        (&["-DNULL_DESCRIPTOR"], "a null pointer"),
        (&["-DNO_ENTRY"], "it exports no cairn_components"),
        (&["-DNO_TABLE"], "is null"),
    ];
    let home = scratch();
    for (macros, reason) in cases {
        let dir = scratch();
        let path = dir.path().join("libcri_foo.so");
        odd_plugin(&path, &[&["-DNAME=\"foo\""], *macros].concat());
        let info =
            || Run::info(home.path()).args(["--mca", "mca_component_path"]).args([dir.path()]);
        let there = format!("foo: it is there ({}) and was refused: ", path.display());
        let ended = info().args(["--selected", "--mca", "cri", "foo"]).fails();
        ended.complains(&["can't be used", &there, reason, "dedicated, round_robin"]);
        assert!(!ended.stderr.contains("there is no cri component"), "{ended}");
        // Parameters of it are no mistakes, because they can't be known.
        info().args(["--mca", "cri_foo_whatever", "1"]).ok();
    }
}

/// Of a component that is there twice a job gets the first.
#[test]
fn a_second_library_of_a_name_does_no_harm_to_the_first() {
    let (first, second) = (scratch(), scratch());
    odd_plugin(&first.path().join("cri_odd.so"), &[]);
    odd_plugin(&second.path().join("cri_odd.so"), &[]);
    let home = scratch();
    let path = format!("{},{}", first.path().display(), second.path().display());
    Run::info(home.path())
        .args(["--selected", "--mca", "cri", "odd", "--mca", "mca_component_path", &path])
        .ok()
        .says(&["chosen"]);
}

#[test]
fn a_component_that_does_not_register_did_not_fail_to_open() {
    let dir = scratch();
    odd_plugin(&dir.path().join("cri_odd.so"), &["-DREGISTER_FAILS"]);
    let home = scratch();
    let ended = Run::info(home.path())
        .args(["--selected", "--mca", "mca_component_path"])
        .args([dir.path()])
        .ok();
    ended.says(&["failed: register_params: it does not want to"]);
    assert!(!ended.stdout.contains("failed to open"), "{ended}");
}

/// The entry check of the loader itself, at every length: what it lets pass loads.
#[test]
fn no_cut_of_a_library_crashes() {
    let whole = sound();
    let home = scratch();
    let step = whole.len() / 40;
    for len in (0..whole.len()).step_by(step.max(1)) {
        let dir = scratch();
        fs::write(dir.path().join("cri_odd.so"), &whole[..len]).unwrap();
        Run::info(home.path()).args(["--mca", "mca_component_path"]).args([dir.path()]).ok();
    }
}

#[test]
fn two_components_of_one_name() {
    let (first, second) = (scratch(), scratch());
    odd_plugin(&first.path().join("cri_odd.so"), &[]);
    odd_plugin(&second.path().join("cri_odd.so"), &[]);
    let home = scratch();
    let path = format!("{},{}", first.path().display(), second.path().display());
    let other = format!("is there already: {}", first.path().join("cri_odd.so").display());
    Run::info(home.path()).args(["--mca", "mca_component_path", &path]).ok().says(&[
        "CAN'T BE USED",
        "a component of this name",
        &other,
        "remove one of the two",
    ]);

    // Linked-in components come first.
    let dir = scratch();
    odd_plugin(&dir.path().join("mine.so"), &["-DNAME=\"dedicated\""]);
    Run::info(home.path()).args(["--mca", "mca_component_path"]).args([dir.path()]).ok().says(&[
        "CAN'T BE USED",
        "cri_dedicated",
        "is there already: linked in",
    ]);
}

#[test]
fn a_component_that_does_not_open_is_an_error_if_it_was_asked_for() {
    let dir = scratch();
    odd_plugin(&dir.path().join("cri_odd.so"), &["-DOPEN_FAILS"]);
    let home = scratch();
    let info = |args: &[&str]| {
        Run::info(home.path()).args(["--mca", "mca_component_path"]).args([dir.path()]).args(args)
    };
    info(&["--selected"])
        .ok()
        .says(&["not available here: the flux capacitor is empty", "dedicated"]);
    info(&["--selected", "--mca", "cri", "odd"]).fails().complains(&[
        "a cri component was asked for by name and can't be used",
        "the flux capacitor is empty",
        "--mca on the command line",
        "others that are there: dedicated, round_robin",
    ]);
    info(&["--selected", "--mca", "cri", "odd", "--mca", "mca_strict", "0"]).end();
    let doctor = info(&["doctor"]).ok();
    doctor.says(&["the flux capacitor is empty", "--mca cri ^odd"]);

    let dir = scratch();
    odd_plugin(&dir.path().join("cri_odd.so"), &["-DDECLINES"]);
    let (system, _) = system_with(dir.path(), &[("cri", "odd")]);
    let problem = system.select_one::<CriOps>(&process()).unwrap_err();
    assert!(problem.what.contains("declined: not in this weather"), "{problem}");
}

#[test]
fn the_check_finds_what_breaks_the_contract() {
    let cases: &[(&str, &str, &str)] = &[
        ("-DBEYOND", "an answer is the index", "assign returned 1 for a pool of 1"),
        ("-DREGISTER_FAILS", "its parameters register", "it does not want to"),
        ("-DOPENS_ONCE", "it opens again", "once is enough"),
        ("-DOPEN_RETURNS=7", "it opens", "open returned 7, which is no status"),
        ("-DOPEN_RETURNS=-2", "it opens", "open returned -2 (not enough resources) without"),
        ("-DQUERY_RETURNS=7", "it opens", "query returned 7, which is no status"),
        ("-DNO_PRIORITY", "it opens", "without setting a priority"),
        ("-DPRIORITY=101", "it opens", "set the priority 101; allowed are 0 to 100"),
        ("-DATTACH_FAILS", "an answer is the index", "attach of a pool of 1: it has no room"),
        ("-DLEAKS_COUNTERS", "leaves no counter", "three pools left 3 cells"),
        ("-DSIZE=40", "the loader takes it", "its descriptor is 40, not 96"),
    ];
    let (dir, home) = (scratch(), scratch());
    let path = dir.path().join("cri_odd.so");
    for (fault, rule, reason) in cases {
        odd_plugin(&path, &[fault]);
        let check = || Run::info(home.path()).args(["check"]).args([&path]);
        let text = check().fails().stdout;
        let line = text.lines().find(|line| line.contains("... FAILED: "));
        let line = line.unwrap_or_else(|| panic!("{fault}: no rule failed in {text}"));
        assert!(line.contains(rule) && line.contains(reason), "{fault}: {line}");
        assert!(text.ends_with(": not sound\n"), "{fault}: {text}");
        let json = check().args(["--json"]).fails().json();
        assert_eq!(json["components"][0]["verdict"], "broken", "{json:#}");
    }
}

/// The same for the suite of another framework.
#[test]
fn the_check_finds_who_does_not_wait() {
    let early = "it returned after 100 passes, and what it waited for had not happened";
    let cases: &[(&str, Option<(&str, &str)>)] = &[
        ("-DSOUND", None),
        ("-DPASSES=100", Some(("it polls until what it waits for has happened", early))),
        ("-DFAILS", Some(("a wait for nothing", "wait returned -2 (not enough resources)"))),
    ];
    let (dir, home) = (scratch(), scratch());
    let path = dir.path().join("wait_hasty.so");
    for (fault, expected) in cases {
        let source = root().join("tests/plugins/c/hasty.c");
        compile_c(&source, &path, &dist().join("include"), &[fault]);
        let ended = Run::info(home.path()).args(["check"]).args([&path]).end();
        let line = ended.stdout.lines().find(|line| line.contains("... FAILED: "));
        match (expected, line) {
            (None, None) => assert!(ended.stdout.ends_with(": sound\n"), "{ended}"),
            (Some((rule, reason)), Some(line)) => {
                assert!(line.contains(rule) && line.contains(reason), "{fault}: {line}");
            }
            _ => panic!("{fault}: {ended}"),
        }
        assert_eq!(ended.status.success(), expected.is_none(), "{ended}");
    }
}

/// And for those of windows, in jobs of several ranks that have the library, too.
#[test]
fn the_check_finds_strategies_and_windows_that_are_not_sound() {
    type Expected = Option<(&'static str, &'static str)>;
    let cases: &[(&str, &str, Expected)] = &[
        ("issue_wavering", "-DSOUND", None),
        (
            "issue_wavering",
            "-DWAVERS",
            Some(("within an epoch nothing is taken back", "with 21 operations of 0 bytes")),
        ),
        (
            "issue_wavering",
            "-DDECISION=7",
            Some(("windows of any number of ranks", "operation returned 7, which is no decision")),
        ),
        (
            "issue_wavering",
            "-DLEARNS_WRONG",
            Some(("epochs may be of any kind", "operation returned 103")),
        ),
        (
            "osc_alone",
            "-DALONE",
            Some(("what is put between fences is there", "rank 0: integer 0: 0, and not 1")),
        ),
        (
            "osc_alone",
            "-DDIFFERS",
            Some(("windows open and close", "window_open did not do the same in all ranks")),
        ),
        ("osc_alone", "-DFAILS", Some(("windows open and close", "the window is jammed"))),
    ];
    let (dir, home) = (scratch(), scratch());
    for (name, fault, expected) in cases {
        let path = dir.path().join(format!("{name}.so"));
        let (_, source) = name.split_once('_').unwrap();
        let source = root().join("tests/plugins/c").join(source).with_extension("c");
        compile_c(&source, &path, &dist().join("include"), &[fault]);
        let ended = Run::info(home.path()).args(["check"]).args([&path]).end();
        let line = ended.stdout.lines().find(|line| line.contains("... FAILED: "));
        match (expected, line) {
            (None, None) => assert!(ended.stdout.ends_with(": sound\n"), "{ended}"),
            (Some((rule, reason)), Some(line)) => {
                assert!(line.contains(rule) && line.contains(reason), "{fault}: {line}");
            }
            _ => panic!("{fault}: {ended}"),
        }
        assert_eq!(ended.status.success(), expected.is_none(), "{ended}");
    }
    let path = dir.path().join("osc_alone.so");
    compile_c(
        &root().join("tests/plugins/c/alone.c"),
        &path,
        &dist().join("include"),
        &["-DDECLINES"],
    );
    let done = Run::info(home.path()).args(["check"]).args([&path]).exits(3);
    done.says(&["over self,tcp: it leaves these windows to others", "not usable here"]);
    let done = Run::info(home.path()).args(["check", "--mca", "btl", "self"]).args([&path]);
    done.exits(3).says(&["over self: it leaves these windows to others"]);
}

/// What has no device here can't be checked, and that is not the same as being sound or broken.
#[test]
fn the_check_says_when_a_component_is_of_no_use_here() {
    let (dir, home) = (scratch(), scratch());
    let path = dir.path().join("cri_odd.so");
    odd_plugin(&path, &["-DOPEN_FAILS"]);
    let done = Run::info(home.path()).args(["check"]).args([&path]).exits(3);
    done.says(&["not available here: the flux capacitor is empty", "not usable here"]);
}

/// The check looks at the libraries it is told, with the parameters of its own command line, and at
/// nothing else.
#[test]
fn the_check_ignores_what_is_set_elsewhere() {
    let (dir, home) = (scratch(), scratch());
    let paths = ["one", "two"].map(|name| {
        let path = dir.path().join(format!("cri_{name}.so"));
        odd_plugin(&path, &[&format!("-DNAME=\"{name}\"")]);
        path
    });
    let user_file = home.path().join(".cairn/mca-params.toml");
    fs::create_dir_all(user_file.parent().unwrap()).unwrap();
    fs::write(user_file, "cri = 'nobody'\nno_such_parameter = 1\n").unwrap();
    let check =
        || Run::info(home.path()).env("CAIRN_MCA_nothing", "1").args(["check"]).args(&paths);
    check().ok().says(&["cri_one: sound", "cri_two: sound"]);
    check().args(["--mca", "cri", "^two"]).ok();
    check().args(["--mca", "mca_strikt", "1"]).fails().complains(&["mca_strict"]);
}

/// By the name of a component, or of a framework, whose components may be linked in or installed.
#[test]
fn components_are_checked_by_name() {
    let home = scratch();
    let check = |names: &[&str]| Run::info(home.path()).args(["check"]).args(names);
    let json = check(&["wait", "cri", "match_list", "osc"]).args(["--json"]).ok().json();
    let of = |name: &str| {
        let all = json["components"].as_array().unwrap();
        let own: Vec<_> = all.iter().filter(|one| one["component"] == name).collect();
        assert_eq!(own.len(), 1, "{name} in {json:#}");
        assert_eq!(own[0]["verdict"], "sound", "{json:#}");
        own[0]["provider"].as_str().unwrap().to_owned()
    };
    for name in [
        "wait_adaptive",
        "wait_block",
        "wait_spin",
        "wait_yield",
        "match_list",
        "osc_rdma",
        "osc_sm",
    ] {
        assert_eq!(of(name), "linked in");
    }
    assert!(of("cri_comm").ends_with("cri_comm.so"));
    assert!(
        json["components"].as_array().unwrap().iter().all(|one| one["component"] != "match_bins")
    );
    check(&["pml_ob1"]).ok().says(&["no suite for pml"]);
    let wrong = check(&["mach"]).fails();
    wrong.complains(&["no component or framework mach", "did you mean match?"]);
    check(&["match_lis"]).fails().complains(&["did you mean match_list"]);
    check(&["wait_"]).fails();
}

/// Two libraries with a function of the same name: each calls its own.
#[test]
fn libraries_do_not_see_each_others_functions() {
    let dir = scratch();
    for name in ["one", "two"] {
        let macros = format!("-DNAME=\"{name}\"");
        odd_plugin(&dir.path().join(format!("cri_{name}.so")), &[&macros]);
    }
    let (system, log) = system_with(dir.path(), &[("mca_log", "info")]);
    system.select_one::<CriOps>(&process()).unwrap();
    assert_eq!(*log.lock().unwrap(), ["[cairn cri_one] info: one", "[cairn cri_two] info: two"]);
}

/// A library whose component the selection leaves out is not even mapped, and parameters of it are
/// no mistakes.
#[test]
fn unwanted_libraries_are_not_opened() {
    let dir = scratch();
    let (wanted, unwanted) = (dir.path().join("cri_one.so"), dir.path().join("cri_unwanted.so"));
    odd_plugin(&wanted, &["-DNAME=\"one\""]);
    odd_plugin(&unwanted, &["-DNAME=\"unwanted\""]);
    for list in ["one", "^unwanted"] {
        let (system, _) = system_with(dir.path(), &[("cri", list), ("cri_unwanted_whatever", "1")]);
        system.check().unwrap();
        assert_eq!(system.unopened.len(), 1);
        let decision = system.decide(CriOps::contract()).unwrap();
        assert_eq!(decision.chosen().collect::<Vec<_>>(), ["one"]);
        assert!(decision.candidates.iter().any(|candidate| candidate.name == "unwanted"));
        let maps = fs::read("/proc/self/maps").unwrap();
        let name = unwanted.as_os_str().as_bytes();
        assert!(!maps.windows(name.len()).any(|window| window == name), "it is mapped");
    }
}

/// Copies of one library that differ in the component's name only.
fn many(dir: &Path, count: usize) -> Vec<PathBuf> {
    let template = dir.join("template");
    odd_plugin(&template, &["-DNAME=\"number_0000\""]);
    let bytes = fs::read(&template).unwrap();
    fs::remove_file(&template).unwrap();
    let name = CString::new("number_0000").unwrap();
    let places: Vec<usize> = bytes
        .windows(name.as_bytes().len())
        .enumerate()
        .filter(|(_, window)| *window == name.as_bytes())
        .map(|(place, _)| place)
        .collect();
    (0..count)
        .map(|i| {
            let mut bytes = bytes.clone();
            for &place in &places {
                bytes[place..place + 11].copy_from_slice(format!("number_{i:04}").as_bytes());
            }
            let path = dir.join(format!("cri_number_{i:04}.so"));
            fs::write(&path, bytes).unwrap();
            path
        })
        .collect()
}

#[test]
fn two_hundred_plugins_load() {
    let dir = scratch();
    many(dir.path(), 200);
    let (system, _) = system_with(dir.path(), &[]);
    assert_eq!(system.components().len(), 200);
    let decision = system.decide(CriOps::contract()).unwrap();
    assert_eq!(decision.chosen().collect::<Vec<_>>(), ["number_0000"]);
    assert_eq!(decision.candidates.len(), 200);
}

#[test]
fn a_library_is_found_in_the_installation_by_default() {
    let home = scratch();
    let json = Run::info(home.path()).args(["--json", "--components", "cri"]).ok().json();
    let components = json["frameworks"][0]["components"].as_array().unwrap();
    let comm = components.iter().find(|component| component["name"] == "comm").unwrap();
    let file = dist().join("lib/cairn/cri_comm.so").canonicalize().unwrap();
    assert_eq!(comm["provider"], file.to_str().unwrap());
    let linked = components.iter().filter(|component| component["provider"] == "linked in");
    assert!(linked.count() >= 2);
}

/// A plugin made of `tests/plugins/c/bad_btl.c` in a directory of its own.
fn bad_transport(macros: &[&str]) -> tempfile::TempDir {
    let dir = scratch();
    let source = root().join("tests/plugins/c/bad_btl.c");
    let flags = [&["-Wno-unused", "-Wno-unused-parameter"], macros].concat();
    compile_c(&source, &dir.path().join("btl_bad.so"), &dist().join("include"), &flags);
    dir
}

/// A program that meets in a barrier.
fn meeting() -> &'static Path {
    static MEETING: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, program) = MEETING.get_or_init(|| {
        let dir = scratch();
        let (source, program) = (dir.path().join("meet.c"), dir.path().join("meet"));
        let text = "#include <mpi.h>\n#include <stdio.h>\nint main(void) { MPI_Init(NULL, NULL); \
                    MPI_Barrier(MPI_COMM_WORLD); puts(\"met\"); return MPI_Finalize(); }\n";
        fs::write(&source, text).unwrap();
        Run::new(dist().join("bin/mpicc")).args([&source]).args(["-o"]).args([&program]).ok();
        (dir, program)
    });
    program
}

/// A job of two with the libraries of a directory beside the installation's.
fn job_with(dir: &Path, options: &[&str]) -> Run {
    let path = format!("default,{}", dir.display());
    Run::mpirun()
        .args(["--oversubscribe", "-n", "2", "--mca", "mca_component_path", &path])
        .args(options)
        .args([meeting()])
}

/// What a transport does wrong while a job starts ends no job that did not ask for it: the user learns
/// once which plugin it is, in which function and why. A job that asked for it ends with that reason, and
/// the tools say it, too.
#[test]
fn a_bad_transport_ends_only_jobs_that_asked_for_it() {
    let cases: &[(&[&str], &str)] = &[
        (&["-DOPEN_SAYS"], "open: the cable is cut"),
        (&["-DOPEN_RETURNS=7"], "open returned 7, which is no status"),
        (&["-DSTALE", "-DOPEN_RETURNS=-2"], "open returned -2 (not enough resources) without"),
        (&["-DMODULES_SAYS"], "modules: the device has gone"),
        (&["-DMODULES_RETURNS=-1"], "modules returned -1 ("),
        (
            &["-DSTALE", "-DMODULES_RETURNS=-2"],
            "modules returned -2 (not enough resources) without",
        ),
        (&["-DNO_ARRAY"], "modules said that there are 1 devices, at null"),
        (&["-DNULL_DEVICE"], "modules, device 0: it is null"),
        (&["-DDEVICE_SIZE=0"], "modules, device 0: struct_size is 0"),
        (&["-DNO_POOL"], "modules, device 0: it has no pool"),
        (&["-DPOOL_NOT_ADDED"], "modules, device 0: its pool was not given to pool_add"),
        (&["-DNO_SEND"], "modules, device 0: it has neither send_immediate nor send_packed"),
        (
            &["-DEAGER_LIMIT=3841"],
            "modules, device 0: its eager_limit is 3841, with 256 bytes for a header 4097, but its \
             longest message has 4096 bytes",
        ),
        (&["-DKEY_SIZE=129"], "modules, device 0: its key_size is 129; at most 128 are allowed"),
    ];
    let home = scratch();
    for (macros, reason) in cases {
        let dir = bad_transport(macros);
        let ended = job_with(dir.path(), &[]).ok();
        assert_eq!(ended.stdout, "met\nmet\n", "{macros:?}\n{ended}");
        ended.complains(&["the component btl_bad (", reason, "--mca btl ^bad"]);
        assert_eq!(ended.stderr.matches("btl_bad (").count(), 1, "{macros:?}\n{ended}");
        // Without it there is nothing to say.
        let ended = job_with(dir.path(), &["--mca", "btl", "^bad"]).ok();
        assert_eq!(ended.stderr, "", "{macros:?}\n{ended}");

        let ended = job_with(dir.path(), &["--mca", "btl", "self,sm,bad"]).end();
        assert!(!ended.status.success() && ended.stdout.is_empty(), "{macros:?}\n{ended}");
        ended.complains(&["asked for by name and can't be used: bad: failed: ", reason]);

        let library = dir.path().join("btl_bad.so");
        let check = Run::info(home.path()).args(["check"]).args([&library]).fails();
        check.says(&["... FAILED: ", reason, "btl_bad: not sound"]);
        let path = dir.path().display().to_string();
        let doctor = Run::info(home.path()).args(["doctor", "--mca", "mca_component_path", &path]);
        doctor.fails().says(&["btl_bad", "broken", "--mca btl ^bad"]);
    }
    // One that is in order, and reaches no process, is nothing to talk about.
    let dir = bad_transport(&[]);
    let ended = job_with(dir.path(), &[]).ok();
    assert_eq!(ended.stderr, "", "{ended}");
    job_with(dir.path(), &["--mca", "btl", "self,sm,bad"]).ok();
    Run::info(home.path()).args(["check"]).args([dir.path().join("btl_bad.so")]).ok();
}

/// A strategy that takes no pool is as good as not there, unless it was asked for.
#[test]
fn a_strategy_that_takes_no_pool_gives_way_to_another() {
    let dir = scratch();
    odd_plugin(&dir.path().join("cri_odd.so"), &["-DATTACH_FAILS", "-DPRIORITY=100"]);
    let ended = job_with(dir.path(), &[]).ok();
    ended.complains(&["the component cri_odd (", "attach: it has no room", "--mca cri ^odd"]);
    assert_eq!(ended.stderr.matches("cri_odd (").count(), 1, "{ended}");
    let ended = job_with(dir.path(), &["--mca", "cri", "odd"]).end();
    assert!(!ended.status.success() && ended.stdout.is_empty(), "{ended}");
    ended.complains(&["attach: it has no room"]);
}

/// What a plugin that is not asked for says when it does not register, or is no plugin, is said once for
/// all processes of a node.
#[test]
fn a_refused_plugin_is_told_once() {
    for macros in [&["-DREGISTER_FAILS"], &["-DABI=2"]] {
        let dir = scratch();
        odd_plugin(&dir.path().join("cri_odd.so"), macros);
        let ended = job_with(dir.path(), &[]).ok();
        assert_eq!(ended.stderr.matches("warning: ").count(), 1, "{ended}");
        ended.complains(&["cri_odd"]);
    }
    let (dir, home) = (scratch(), scratch());
    odd_plugin(&dir.path().join("cri_odd.so"), &["-DABI=2"]);
    let path = dir.path().display().to_string();
    let doctor = Run::info(home.path()).args(["doctor", "--mca", "mca_component_path", &path]);
    doctor.fails().says(&["cri_odd", "broken", "built for plugin ABI 2.8"]);
}

/// The process ends where a plugin crashes or exits, but not without naming it.
#[test]
fn a_plugin_that_ends_the_process_is_named() {
    let home = scratch();
    let ends = [
        ("DIES", "crashed with SIGSEGV (an invalid address)", 128 + libc::SIGSEGV),
        ("ABORTS", "ended the process with SIGABRT (it called abort)", 128 + libc::SIGABRT),
        ("EXITS", "ended the process by exit", 1),
    ];
    for place in ["load", "register_params", "open", "query", "modules", "close"] {
        for (does, how, status) in ends {
            let dir = bad_transport(&[&format!("-DDOES={does}"), &format!("-DWHERE=\"{place}\"")]);
            let library = dir.path().join("btl_bad.so");
            let said = match place {
                "load" => {
                    format!("the component library {} was loaded and {how}", library.display())
                }
                _ => format!(
                    "the component btl_bad ({}), in {place}, {how}; --mca btl ^bad leaves it out",
                    library.display()
                ),
            };
            let check = Run::info(home.path()).args(["check"]).args([&library]).end();
            check.complains(&[&said]);
            assert!(!check.status.success(), "{check}");
            assert!(check.status.code().is_none_or(|code| code == 1), "{check}");
            if does == "EXITS" && place != "open" {
                continue;
            }
            // By the environment of the ranks alone, so that it is they that meet it.
            let path = format!("CAIRN_MCA_mca_component_path=default,{}", dir.path().display());
            let job = Run::mpirun()
                .args(["--oversubscribe", "-n", "2", "-x", &path])
                .args([meeting()])
                .exits(status);
            job.complains(&[&said, "mpirun: rank "]);
        }
    }
}

/// A component with a handler of crashes hides none, neither while it is open nor later: the program's
/// handler is called, once, and if it has none the program ends by the signal.
#[test]
fn a_plugin_that_handles_crashes_hands_them_on() {
    let dir = bad_transport(&["-DHANDLES"]);
    let (source, program) = (dir.path().join("crash.c"), dir.path().join("crash"));
    let text = "#include <mpi.h>\n#include <signal.h>\n#include <string.h>\n#include <unistd.h>\n\
        static int *volatile nowhere;\n\
        static void handle(int number) { (void)number; _exit(7); }\n\
        int main(int argc, char **argv) {\n\
            if (argc > 2) signal(SIGSEGV, handle);\n\
            MPI_Init(NULL, NULL);\n\
            if (strcmp(argv[1], \"open\") == 0) *nowhere = 1;\n\
            MPI_Finalize();\n\
            *nowhere = 1;\n\
        }\n";
    fs::write(&source, text).unwrap();
    Run::new(dist().join("bin/mpicc")).args([&source]).args(["-o"]).args([&program]).ok();
    for (when, times) in [("open", 1), ("closed", 0)] {
        for (handler, status) in [(&["handler"][..], 7), (&[], 128 + libc::SIGSEGV)] {
            let path = format!("default,{}", dir.path().display());
            let run = Run::mpirun().args(["-n", "1", "--mca", "mca_component_path", &path]);
            let run = run.args([&program]).args([when]).args(handler).exits(status);
            let said = &run.stderr;
            assert_eq!(
                said.matches("btl_bad: a crash").count(),
                times,
                "{when} {handler:?}: {said}"
            );
            assert!(!said.contains("the component btl_bad"), "{when} {handler:?}: {said}");
        }
    }
}
