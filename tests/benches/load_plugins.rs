//! How long it takes to find, check, map and register 200 plugins: `cargo bench -p cairn-tests`.

use std::fs;
use std::time::Instant;

use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search, System};
use cairn_tests::{odd_plugin, scratch};

const PLUGINS: usize = 200;
/// Libraries stay mapped, so each round loads copies of its own.
const ROUNDS: usize = 5;

fn main() {
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let dir = scratch();
        let template = dir.path().join("template");
        odd_plugin(&template, &["-DNAME=\"number_0000\""]);
        let bytes = fs::read(&template).expect("just written");
        let name = b"number_0000";
        for i in 0..PLUGINS {
            let mut copy = bytes.clone();
            let places: Vec<usize> =
                (0..copy.len() - name.len()).filter(|&at| copy[at..].starts_with(name)).collect();
            for at in places {
                copy[at..at + name.len()].copy_from_slice(format!("number_{i:04}").as_bytes());
            }
            let path = dir.path().join(format!("cri_number_{i:04}.so"));
            fs::write(path, copy).expect("a temporary directory");
        }
        let mca = vec![("mca_component_path".into(), dir.path().display().to_string())];
        let start = Instant::now();
        let system = System::new(Options {
            paths: Paths::default(),
            sources: Sources {
                command_line: CommandLine { mca, ..CommandLine::default() },
                ..Sources::default()
            },
            sink: Box::new(|line| eprintln!("{line}")),
            search: Search::Wanted,
        });
        let time = start.elapsed();
        assert_eq!(system.components().len(), PLUGINS);
        println!("round {round}: {PLUGINS} plugins in {:.1} ms", time.as_secs_f64() * 1e3);
        times.push(time);
    }
    times.sort();
    let median = times[times.len() / 2].as_secs_f64() * 1e3;
    println!("median: {median:.1} ms (budget 200 ms)");
}
