//! The children of this process. A *subreaper*'s descendant that loses its own parent becomes its child,
//! even if it left its process group or session; so a subreaper that kills its children until none is
//! left has ended every descendant.

#![forbid(unsafe_code)]

use std::fs;

use rustix::process::{Pid, Signal, getpid};

/// The children of this process that are not waited for yet. They are our own, so no number can
/// have been given to another process meanwhile.
pub fn children() -> Vec<Pid> {
    // One list for each thread; only there if the kernel was built with it.
    let lists = || -> std::io::Result<String> {
        let mut all = String::new();
        for task in fs::read_dir("/proc/self/task")? {
            all += &fs::read_to_string(task?.path().join("children"))?;
        }
        Ok(all)
    };
    match lists() {
        Ok(list) => list.split_whitespace().filter_map(pid).collect(),
        Err(_) => scan(getpid().as_raw_nonzero().get()),
    }
}

/// Looks at every process.
fn scan(parent: i32) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let found = pid(name.to_str()?)?;
            let stat = fs::read(entry.path().join("stat")).ok()?;
            (parent_of(&stat)? == parent).then_some(found)
        })
        .collect()
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

/// The parent in `/proc/<pid>/stat`: `pid (name) state parent ...`, where the name may hold blanks
/// and brackets.
fn parent_of(stat: &[u8]) -> Option<i32> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// Sends a signal to each process; one that is gone needs none.
pub fn signal(processes: &[Pid], signal: Signal) {
    for process in processes {
        let _ = rustix::process::kill_process(*process, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_found_both_ways() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(children().contains(&pid));
        assert!(scan(getpid().as_raw_nonzero().get()).contains(&pid));
        signal(&[pid], Signal::KILL);
        child.wait().unwrap();
        assert!(!children().contains(&pid));
    }

    #[test]
    fn names_may_look_like_the_rest() {
        assert_eq!(parent_of(b"12 (a) S 3 (x)) R 7 12 12"), Some(7));
        assert_eq!(parent_of(b"12 (a"), None);
    }
}
