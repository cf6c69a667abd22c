//! Parameters: files in TOML, the environment, what a launcher passes on, and values of each kind.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use cairn_framework::host::params::{
    CommandLine, ENVIRONMENT_PREFIX, Kind, LAUNCH_VARIABLE, Registry, Sources, Spec,
};

use crate::bytes::Bytes;

/// A value for each kind from the environment, what the launcher passes on, and the rest is a file.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (value, passed) = (bytes.part(), bytes.part());
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes.0).expect("room for a file");
    let mut environment =
        KINDS.map(|name| (format!("{ENVIRONMENT_PREFIX}{name}").into(), os(value))).to_vec();
    // A list of files may name any on this machine.
    if !passed.is_empty() && !contains(passed, b"tune") {
        environment.push((LAUNCH_VARIABLE.into(), os(passed)));
    }
    let sources = Sources {
        command_line: CommandLine::default(),
        environment,
        user_file: Some(file.path().to_owned()),
        ..Sources::default()
    };
    let registry = Registry::new(&sources);
    for name in KINDS {
        let (kind, default) = kind(name);
        let param = registry.register(Spec::base(name, kind.clone(), default, "For fuzzing now"));
        if let Ok(param) = param {
            let (value, _) = param.current();
            assert_eq!(kind.parse(&value.to_string()), Ok(value), "{name} as text");
        }
    }
    let problems = registry.problems(|_| false);
    assert!(problems.iter().all(|problem| !problem.to_string().is_empty()));
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word) || text.contains(&b'\\')
}

fn os(bytes: &[u8]) -> std::ffi::OsString {
    let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    OsStr::from_bytes(&bytes).to_owned()
}

const KINDS: [&str; 6] =
    ["fuzz_bool", "fuzz_integer", "fuzz_size", "fuzz_text", "fuzz_choice", "fuzz_list"];

fn kind(name: &str) -> (Kind, &'static str) {
    match name {
        "fuzz_bool" => (Kind::Bool, "no"),
        "fuzz_integer" => (Kind::Integer { min: -5, max: i64::MAX }, "7"),
        "fuzz_size" => (Kind::Size { min: 0, max: u64::MAX }, "4k"),
        "fuzz_text" => (Kind::Text, "a"),
        "fuzz_choice" => (Kind::Choice(vec!["one".into(), "two".into()]), "one"),
        _ => (Kind::List, "a,b"),
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let part = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    let passed = r#"{"mca":[["fuzz_size","3k"]],"profile":["p"]}"#;
    let file = "fuzz_list = ['a', \"b\"]\n[fuzz]\nsize = \"4k\"\ninteger = 0x10\nbool = true\n";
    let shipped = include_str!("../../../mca-params/default.toml").replace("# ", "");
    vec![
        [&part("16m"), &part(passed), file.as_bytes()].concat(),
        [&part("one"), &part(""), &file.as_bytes()[..20]].concat(),
        [&part("yes,no"), &part("{}"), &shipped.as_bytes()[..shipped.len().min(2000)]].concat(),
    ]
}
