//! A process of a job as a system of its own, with components over messages in memory.

use std::ffi::CString;
use std::fmt::Display;

use cairn_framework::abi::component::Instance;
use cairn_framework::abi::job::{Job, THREAD_MULTIPLE, THREAD_SINGLE};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search, System};

/// A system with these parameters, besides the memory for messages. What it logs goes to `sink`.
pub fn system(
    mut mca: Vec<(String, String)>,
    sink: impl Fn(&dyn Display) + Send + Sync + 'static,
) -> &'static System {
    mca.push(("pml".into(), "memory".into()));
    let command_line = CommandLine { mca, ..CommandLine::default() };
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources { command_line, ..Sources::default() },
        sink: Box::new(move |line| sink(&line)),
        search: Search::Wanted,
    });
    assert!(system.problems().is_empty(), "{:?}", system.problems());
    system
}

/// Its job. Odd sizes run with several threads.
pub fn job(system: &System, name: &str, rank: u32, size: u32) -> Job {
    let mut own = *system.job();
    (own.rank, own.size) = (rank, size);
    own.thread_level = if size % 2 == 1 { THREAD_MULTIPLE } else { THREAD_SINGLE };
    own.id = CString::new(name).unwrap().into_raw();
    own
}

/// Why a call of a component failed.
pub fn reason(instance: *mut Instance) -> String {
    let mut text = [0u8; 500];
    // SAFETY: a living instance and a buffer of that size.
    let len = unsafe {
        let host = &*(*instance).host;
        (host.reason)(instance, text.as_mut_ptr().cast(), text.len())
    };
    String::from_utf8(text[..len].to_vec()).unwrap()
}
