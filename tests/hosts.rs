//! Jobs over several hosts, which are network namespaces of this machine: what is on one node, programs of all kinds
//! over each transport, and networks that are slow, strange, or break. All programs: `cargo xtask test --deep`.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use cairn_tests::hosts::job::Job;
use cairn_tests::hosts::{Hosts, Network};
use cairn_tests::programs::{self, Counts};
use cairn_tests::suites::{self, Case};
use cairn_tests::{Ended, Run, foreign, scratch};

#[path = "hosts/broken.rs"]
mod broken;
#[path = "hosts/strange.rs"]
mod strange;

/// What a job over several hosts is run with: names of parameters, and values.
type Parameters<'a> = &'a [[&'a str; 2]];

/// A host is a node, although its memory could be mapped from the others. They share the processors, so who waits
/// leaves them to others.
const HOSTS: Parameters<'static> = &[["mpi_node_identity", "hostname"], ["wait", "block"]];

const TCP: Parameters<'static> = &[["btl", "self,tcp"], ["btl_tcp_if_include", "data"]];

const UCT: Parameters<'static> =
    &[["btl", "self,uct"], ["btl_uct_transports", "tcp"], ["btl_uct_devices", "data"]];

const OFI: Parameters<'static> =
    &[["btl", "self,ofi"], ["btl_ofi_providers", "tcp;ofi_rxm"], ["btl_ofi_devices", "data"]];

/// The ways between hosts whose libraries are here.
fn ways() -> Vec<Parameters<'static>> {
    let here: Vec<&str> = foreign::here().map(|one| one.name).collect();
    let foreign = [("uct", UCT), ("ofi", OFI)].into_iter();
    let foreign = foreign.filter(|(name, _)| here.contains(name)).map(|(_, way)| way);
    [TCP].into_iter().chain(foreign).collect()
}

fn compiled(name: &str) -> PathBuf {
    programs::compiled(env!("CARGO_TARGET_TMPDIR"), name, Counts::Small)
}

/// Processes of a program, which take the hosts by turns.
fn job(hosts: &Hosts, processes: u32, parameters: &[Parameters<'_>], program: &PathBuf) -> Run {
    let run = hosts.mpiexec(processes, Network::Control);
    set(run, parameters).env("TEST_HOSTS", hosts.count().to_string()).args([program])
}

/// Hands parameters to all ranks.
fn set(run: Run, parameters: &[Parameters<'_>]) -> Run {
    let all = parameters.iter().copied().flatten();
    all.fold(run, |run, [name, value]| run.env(&format!("CAIRN_MCA_{name}"), value))
}

/// Programs that say nothing when all is right, with this level of thread support.
fn silent(count: u32, level: &str, programs: &[(&str, u32)]) {
    let Some(hosts) = Hosts::new(count) else { return };
    for way in ways() {
        for (name, processes) in programs {
            let run = job(&hosts, *processes, &[HOSTS, way], &compiled(name));
            Job::start(run.env("TEST_THREAD_LEVEL", level)).says_nothing();
        }
    }
    hosts.nothing_is_left();
}

#[test]
fn messages() {
    silent(4, "single", &[("p2p", 4), ("derived", 4), ("matching", 6), ("large", 2)]);
}

#[test]
fn collectives() {
    silent(4, "single", &[("colls", 5), ("icoll", 4)]);
}

/// Within hosts first, from the beginning. Processes take the hosts by turns.
#[test]
fn collectives_of_two_levels() {
    let Some(hosts) = Hosts::new(3) else { return };
    for way in ways() {
        for (name, processes) in [("colls", 7), ("coll_rules", 6), ("ops", 5), ("threads_colls", 6)]
        {
            // Within a host through shared memory, too.
            let ways: Vec<[String; 2]> = way
                .iter()
                .map(|[name, value]| [(*name).to_owned(), value.replace("self,", "self,sm,")])
                .collect();
            let ways: Vec<[&str; 2]> =
                ways.iter().map(|[name, value]| [name.as_str(), value.as_str()]).collect();
            let parameters = [HOSTS, &ways, &[["coll_two_level_after", "0"]]];
            let run = job(&hosts, processes, &parameters, &compiled(name));
            Job::start(run.env("TEST_THREAD_LEVEL", "multiple")).says_nothing();
        }
    }
    hosts.nothing_is_left();
}

#[test]
fn windows() {
    let programs = ["win_operations", "win_sync", "win_requests", "win_dynamic", "win_shared"];
    silent(3, "single", &programs.map(|name| (name, 4)));
}

#[test]
fn threads() {
    silent(
        2,
        "multiple",
        &[("threads_messages", 2), ("threads_colls", 4), ("win_threads", 2), ("p2p", 3)],
    );
}

/// Every program over four hosts.
mod every_program_over_four_hosts {
    use super::*;

    /// All that fail are said at the end, and each when it does.
    fn over(way: Parameters<'_>) {
        let Some(hosts) = Hosts::new(4).filter(|_| ways().contains(&way)) else { return };
        // One asks for counters of btl_sm, and pools of libfabric grow for a while.
        let mut cases = suites::all();
        cases.retain(|case| case.processes > 1 && !["tool", "flat"].contains(&case.name));
        let mut failed = Vec::new();
        for Case { counts, name, processes, level } in cases {
            let program = programs::compiled(env!("CARGO_TARGET_TMPDIR"), name, counts);
            let run = job(&hosts, processes, &[HOSTS, way], &program);
            let ended = Job::start(run.env("TEST_THREAD_LEVEL", level)).end();
            if ended.as_ref().is_ok_and(Ended::is_well) {
                continue;
            }
            let said = ended.map_or_else(|late| late, |ended| ended.to_string());
            let said = format!("{name} -n {processes}, {level}, {counts:?}, {way:?}\n{said}");
            eprintln!("{said}");
            failed.push(said);
        }
        assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
        hosts.nothing_is_left();
    }

    #[test]
    #[ignore = "takes half an hour; see CONTRIBUTING.md"]
    fn tcp() {
        over(TCP);
    }

    #[test]
    #[ignore = "takes half an hour; see CONTRIBUTING.md"]
    fn uct() {
        over(UCT);
    }

    #[test]
    #[ignore = "takes half an hour; see CONTRIBUTING.md"]
    fn ofi() {
        over(OFI);
    }
}

// What is on one node -------------------------------------------------------------------------------------

/// Two hosts that are one machine are one node, unless the user says otherwise.
#[test]
fn a_node_is_who_can_map_our_memory_or_what_the_user_says() {
    let Some(hosts) = Hosts::new(2) else { return };
    let program = compiled("nodes");
    for (identity, expected, btl) in [
        ("memory", "4", "sm"),
        ("hostname", "2", "tcp"),
        ("launcher", "2", "tcp"),
        ("process", "1", "tcp"),
    ] {
        let parameters = [["mpi_node_identity", identity], ["wait", "block"]];
        let run = job(&hosts, 4, &[&parameters], &program).args([expected]);
        let ended = Job::start(run).ends();
        assert!(ended.status.success(), "{ended}");
        let names: Vec<&str> = ended.stdout.lines().collect();
        let [one, two] = [1, 2].map(|host| hosts.namespace(host));
        assert_eq!(names, [&one, &two, &one, &two], "{ended}");
        // Rank 0 and rank 1 are on different hosts.
        let counters = [["counters_report", "sum"], ["btl", "self,sm,tcp"]];
        let run = job(&hosts, 2, &[&parameters, &counters], &compiled("p2p"));
        let ended = Job::start(run).ends();
        assert!(ended.status.success(), "{ended}");
        let hits = |btl: &str| ended.stderr.contains(&format!("btl_{btl}_cri0_hits"));
        assert_eq!((hits("sm"), hits("tcp")), (btl == "sm", btl == "tcp"), "{identity}: {ended}");
    }
    hosts.nothing_is_left();
}

/// Neither a name of its own nor another way to start it makes a node of a process.
#[test]
fn what_the_launcher_says_is_not_what_decides() {
    let program = compiled("nodes");
    let named = ["unshare", "--uts", "sh", "-c", "hostname host$PMI_RANK; exec \"$@\"", "sh"];
    let can = Command::new("unshare").args(["--uts", "true"]).status();
    if !can.is_ok_and(|status| status.success()) {
        return cairn_tests::skipped("this user can't have a name of the host");
    }
    let nodes = |identity: &str, expected: &str| {
        let run = Run::mpirun().args(["-n", "3", "--oversubscribe"]);
        let run = run.args(["--mca", "mpi_node_identity", identity]).args(named);
        run.args([&program]).args([expected]).ok().says(&["host0\nhost1\nhost2\n"]);
    };
    nodes("memory", "3");
    nodes("launcher", "3");
    nodes("hostname", "1");
    nodes("process", "1");
}

/// Processes that can't map each other's memory are on nodes of their own, although one launcher on one machine has
/// started them.
#[test]
fn containers_without_memory_in_common_are_nodes() {
    let alone = "mount -t tmpfs tmpfs /dev/shm && exec \"$@\"";
    let container =
        ["unshare", "--pid", "--fork", "--mount", "--mount-proc", "sh", "-c", alone, "sh"];
    let can = Command::new(container[0]).args(&container[1..]).arg("true").status();
    if !can.is_ok_and(|status| status.success()) {
        return cairn_tests::skipped("this user can't have pid and mount namespaces");
    }
    let run = |container: &[&str], expected: &str| {
        let run = Run::mpirun().args(["-n", "3", "--oversubscribe"]).args(container);
        run.args([compiled("nodes")]).args([expected]).ok();
    };
    run(&container, "1");
    // What they need is one of both: here /dev/shm is a file system of its own, and processes see each other.
    run(&["unshare", "--mount", "sh", "-c", alone, "sh"], "3");
}

/// Processes that disagree on what a node is learn that, and don't wait for each other.
#[test]
fn what_decides_is_the_same_for_all() {
    let run = Run::mpirun().args(["-n", "2", "--oversubscribe", "sh", "-c"]);
    let script = "[ $PMI_RANK = 0 ] || export CAIRN_MCA_mpi_node_identity=launcher; exec \"$@\"";
    let ended = run.args([script, "sh"]).args([compiled("p2p")]).end();
    assert!(!ended.status.success(), "{ended}");
    let said = "mpi_node_identity is \"memory\" in rank 0 and \"launcher\" in rank 1";
    ended.complains(&[said, "all processes of a job need the same"]);
}

// The hosts themselves --------------------------------------------------------------------------------------

fn namespaces() -> Vec<String> {
    let names = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn hosts_and_what_runs_there_go_also_after_a_panic() {
    let Some(hosts) = Hosts::new(2) else { return };
    let name = hosts.namespace(1);
    let host = hosts.on(1, "hostname").args(["-s"]).ok();
    assert_eq!(host.stdout.trim(), name);
    let there = || Network::Data.address(2);
    let reaches = |hosts: &Hosts, soon: Duration| {
        let listener = hosts.within(2, || TcpListener::bind((there(), 0)).unwrap());
        let address = listener.local_addr().unwrap();
        let end = Instant::now() + soon;
        let left = || end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        // A kernel that has just asked in vain where an address is says so to the next who connects, too.
        hosts.within(1, || {
            loop {
                let connected = TcpStream::connect_timeout(&address, left()).is_ok();
                if connected || Instant::now() >= end {
                    return connected;
                }
            }
        })
    };
    // What is well is waited for, as a cable is not there at once; of what is cut a second is enough.
    let [well, cut_off] = [30, 1].map(Duration::from_secs);
    assert!(reaches(&hosts, well));
    for cut in [Hosts::cut, Hosts::unplug] {
        cut(&hosts, Network::Data, 2);
        assert!(!reaches(&hosts, cut_off));
        hosts.heal(Network::Data, 2);
        assert!(reaches(&hosts, well));
    }
    let sleeper = Job::start(hosts.on(2, "sleep").args(["1000"]));
    let panicked = std::thread::spawn(move || {
        assert!(namespaces().contains(&hosts.namespace(1)));
        let _hosts = hosts;
        panic!("on purpose");
    });
    assert!(panicked.join().is_err());
    assert!(!namespaces().iter().any(|other| other.starts_with(name.trim_end_matches("-1"))));
    assert!(!sleeper.ends().status.success());
}

/// Names of a process that is no more.
#[test]
fn what_a_killed_test_has_left_is_removed() {
    let Some(hosts) = Hosts::new(2) else { return };
    let mut child = Command::new("true").spawn().unwrap();
    let name = format!("cairn-hosts-{}-1-0-1", child.id());
    child.wait().unwrap();
    assert!(Command::new("ip").args(["netns", "add", &name]).status().unwrap().success());
    cairn_tests::hosts::sweep();
    let left = namespaces();
    assert!(!left.contains(&name) && left.contains(&hosts.namespace(1)), "{left:?}");
}
