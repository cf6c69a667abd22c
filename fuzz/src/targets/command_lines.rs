//! The command lines of mpirun (after the first byte, if that is even) and cairn-info; words end with
//! zero bytes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use cairn_launcher::cli;
use clap::Parser;

pub fn run(data: &[u8]) {
    let Some((tool, words)) = data.split_first() else { return };
    let words = words.split(|byte| *byte == 0);
    let words: Vec<OsString> = words.map(|word| OsStr::from_bytes(word).to_owned()).collect();
    if tool % 2 == 0 {
        let (timeout, words) = words.split_first().expect("a split has a part");
        if let Ok(wanted) = cli::read(words.iter().cloned(), Some(timeout)) {
            assert!(!wanted.blocks.is_empty());
            assert!(wanted.blocks.iter().all(|block| !block.command.is_empty()));
            let _ = wanted.mca.command_line().to_variable();
        }
    } else {
        let words = std::iter::once("cairn-info".into()).chain(words);
        let _ = cairn_info::Cli::try_parse_from(words);
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let line = |tool: u8, words: &[&str]| [&[tool], words.join("\0").as_bytes()].concat();
    vec![
        line(0, &["10", "-n", "4", "--mca", "btl", "self,sm", "-x", "A=1", "./app", "-n"]),
        line(0, &["", "-np", "1", "a", ":", "-n3", "-wdir", "/", "-x", "B", "--", "b", "c"]),
        line(0, &["0.5", "--bind-to", "core", "--map-by", "socket:PE=2", "-l", "--timeout=3", "a"]),
        line(
            0,
            &["", "-H", "localhost:2", "--hostfile", "f", "--output-dir", "d", "--tune", "t", "a"],
        ),
        line(1, &["--param", "cri_*", "--level", "9", "--json", "--mca", "cri", "comm"]),
        line(1, &["--selected", "--components", "btl"]),
        line(1, &["check", "a.so", "match"]),
    ]
}
