//! Loads a component library and does one thing with it: for what must be seen from outside, in a
//! process that may end badly.
//!
//! `probe FILE ACTION`, where ACTION is
//! * `panic`: call a function of it that panics,
//! * `outlive`: end a thread that holds a thread-local of it, after it was closed,
//! * `map`: say which files of it are mapped after it was closed.

use std::path::PathBuf;

use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::frameworks::cri::CriOps;
use cairn_framework::host::params::CommandLine;
use cairn_framework::host::{Options, Search, System};
use cairn_tests::pool::TestPool;

fn main() {
    let mut args = std::env::args().skip(1);
    let file = PathBuf::from(args.next().expect("a file"));
    let action = args.next().expect("an action");
    let mut options = Options::of_process(CommandLine::default());
    options.search = Search::Only(vec![file.clone()]);
    let system = System::new(options);
    let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    let strategy = system.select_one::<CriOps>(&scope).unwrap_or_else(|problem| {
        eprintln!("{problem}");
        std::process::exit(1);
    });
    let mut pool = TestPool::attached(&strategy, 2);
    match action.as_str() {
        "panic" => {
            pool.assign(&scope, 3);
            println!("it came back");
        }
        "outlive" => {
            std::thread::scope(|threads| {
                let thread = threads.spawn(|| {
                    pool.assign(&scope, 4);
                    pool.detach();
                    system.close();
                });
                // The end of the scope waits for the closure only, and this for the thread.
                thread.join().expect("no panic");
            });
            println!("the thread has ended");
        }
        "map" => {
            pool.detach();
            system.close();
            let maps = std::fs::read_to_string("/proc/self/maps").expect("procfs");
            let name = file.file_name().expect("a name").to_string_lossy().into_owned();
            println!("mapped: {}", maps.lines().any(|line| line.ends_with(&name)));
        }
        other => panic!("there is no action {other}"),
    }
}
