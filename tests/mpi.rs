//! MPI programs as users have them: each program of `tests/mpi` is compiled with the wrapper and run
//! by mpirun, with several numbers of processes and levels of thread support. Such a program prints
//! nothing and ends with 0 when all is right; otherwise it names the line.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cairn_tests::foreign::{self, options};
use cairn_tests::functions::{Function, implemented};
use cairn_tests::programs::{self, Counts, mpirun, silent};
use cairn_tests::strategies::{Combination, combinations, product, strategies};
use cairn_tests::suites::{self, Case};
use cairn_tests::{Run, scratch, skipped, windows};

/// A program, compiled once.
fn compiled(name: &str, counts: Counts) -> PathBuf {
    programs::compiled(env!("CARGO_TARGET_TMPDIR"), name, counts)
}

/// Program × levels of thread support × processes.
macro_rules! programs {
    ($counts:expr, $levels:expr; $($name:ident: $processes:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let processes: RangeInclusive<u32> = $processes;
                let program = compiled(stringify!($name), $counts);
                for processes in processes {
                    for level in $levels {
                        silent(processes, level, &[], &program);
                    }
                }
            }
        )*

        /// Their names.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

/// What works on communicators runs with 1 to 8 processes, what one process does alone with fewer.
mod with_ints {
    use super::*;

    cairn_tests::with_ints!(programs);
}

mod with_large_counts {
    use super::*;

    cairn_tests::with_large_counts!(programs);
}

mod with_each_level {
    use super::*;

    cairn_tests::with_each_level!(programs);
}

/// Threads that call at the same time.
mod with_threads {
    use super::*;

    cairn_tests::with_threads!(programs);
}

/// The functions of MPI that programs call, as the linker sees it.
fn called(counts: Counts, programs: &[&str]) -> BTreeSet<String> {
    let paths = programs.iter().map(|name| compiled(name, counts));
    let symbols = Run::new("nm").args(["--undefined-only", "--no-sort"]).args(paths).ok().stdout;
    let names = symbols.lines().filter_map(|line| line.trim().strip_prefix("U MPI_"));
    names.map(|name| format!("MPI_{name}")).collect()
}

#[test]
fn every_function_is_called_by_a_program() {
    let alone: &[&str] =
        &["barriers", "basics", "fatal", "outside", "sessions", "threads", "tool_events"];
    let programs = [with_ints::NAMES, with_each_level::NAMES, with_threads::NAMES, alone].concat();
    let mut calls = called(Counts::Small, &programs);
    calls.extend(called(Counts::Large, with_large_counts::NAMES));
    let with_forms = |Function { name, large, .. }| {
        let form = large.then(|| format!("{name}_c"));
        [Some(name), form].into_iter().flatten()
    };
    let never: Vec<String> =
        implemented().into_iter().flat_map(with_forms).filter(|it| !calls.contains(it)).collect();
    assert!(never.is_empty(), "no program of tests/mpi calls {never:?}");
}

/// The same programs over another transport: a parameter is all that differs.
#[test]
fn transports_can_be_swapped() {
    for name in ["p2p", "colls", "cuts", "matching", "modes", "neighbors"] {
        for transports in ["self,sm", "self,tcp"] {
            for level in ["single", "multiple"] {
                let mca = ["--mca", "btl", transports];
                silent(3, level, &mca, &compiled(name, Counts::Small));
            }
        }
    }
}

/// Windows on memory that their processes share, and where each operation is a message.
#[test]
fn windows_work_over_every_transport() {
    for name in ["win_dynamic", "win_operations", "win_progress", "win_requests", "win_sync"] {
        for transports in windows::TRANSPORTS {
            for issue in windows::ISSUES {
                let mca =
                    ["--mca", "btl", transports, "--mca", "osc", "rdma", "--mca", "issue", issue];
                silent(3, "multiple", &mca, &compiled(name, Counts::Small));
            }
        }
    }
}

/// A program that waits for what others do to its own memory synchronizes with that alone, and so makes progress, also
/// where processes that wait do not poll.
#[test]
fn windows_make_progress_where_nobody_polls() {
    let program = compiled("win_progress", Counts::Small);
    for transports in windows::TRANSPORTS {
        for level in ["single", "multiple"] {
            let mca = [
                ["btl", transports],
                ["osc", "rdma"],
                ["osc_rdma_ways", "none"],
                ["progress", "serial"],
                ["wait_polls", "0"],
            ];
            silent(2, level, &options(&mca), &program);
        }
    }
}

/// Processes of a node can share memory whatever transports are left out.
#[test]
fn windows_are_shared_without_a_transport_for_it() {
    let program = compiled("win_shared", Counts::Small);
    for processes in [2, 3, 5] {
        silent(processes, "multiple", &["--mca", "btl", "self,tcp"], &program);
    }
}

/// Where a way needs not the target's processor, it may be absent from MPI.
#[test]
fn windows_need_not_their_targets() {
    let program = compiled("win_absent", Counts::Small);
    for ways in windows::WAYS.iter().filter(|ways| **ways != "none") {
        for issue in windows::ISSUES {
            for level in ["single", "multiple"] {
                let mca = [
                    ["btl", "self,sm"],
                    ["osc", "rdma"],
                    ["osc_rdma_ways", ways],
                    ["btl_sm_rma_from", "0"],
                    ["issue", issue],
                ];
                let mca = options(&mca);
                let run = |argument| {
                    let run = mpirun(2, &mca, &program).args([argument]);
                    run.env("TEST_THREAD_LEVEL", level)
                };
                run("all").says_nothing();
                let ended = run("large").ok();
                match ended.stdout.as_str() {
                    "" => {}
                    "not permitted\n" => skipped("processes may not copy each other's memory"),
                    other => panic!("{other}"),
                }
            }
        }
    }
}

/// Calls that start operations are enough for those before them to go on, with strategies that do not wait.
#[test]
fn operations_go_on_while_others_start() {
    let program = compiled("win_overlap", Counts::Small);
    for ways in windows::WAYS {
        for issue in ["eager", "adaptive"] {
            for transports in windows::TRANSPORTS {
                for operation in ["put", "get"] {
                    let mca = [
                        ["btl", transports],
                        ["osc", "rdma"],
                        ["osc_rdma_ways", ways],
                        ["issue", issue],
                    ];
                    let mca = options(&mca);
                    mpirun(2, &mca, &program).args([operation]).says_nothing();
                }
            }
        }
    }
}

/// Each of the locks that one call gives back goes back by itself.
#[test]
fn a_lock_is_free_although_another_one_is_not() {
    let program = compiled("win_unlock_all", Counts::Small);
    for ways in windows::WAYS {
        for issue in windows::ISSUES {
            for transports in windows::TRANSPORTS {
                let mca = [
                    ["btl", transports],
                    ["osc", "rdma"],
                    ["osc_rdma_ways", ways],
                    ["issue", issue],
                ];
                let mca = options(&mca);
                mpirun(4, &mca, &program).says_nothing();
            }
        }
    }
}

/// A process whose memory is exhausted leaves nobody waiting.
#[test]
fn epochs_end_where_no_more_memory_can_be_mapped() {
    let program = compiled("win_unmapped", Counts::Small);
    for ways in windows::WAYS {
        for kind in ["fence", "lock", "lock_all"] {
            let mca = ["--mca", "osc_rdma_ways", ways, "--mca", "btl_sm_rma_from", "0"];
            mpirun(2, &mca, &program).args([kind]).says_nothing();
        }
    }
}

/// Epochs take as many messages as the formulas of Zhao 2012 say, with each strategy.
#[test]
fn windows_send_as_many_messages_as_they_should() {
    let program = compiled("win_messages", Counts::Small);
    for issue in windows::ISSUES {
        for level in ["single", "multiple"] {
            let mca = [
                ["btl", "self,tcp"],
                ["osc", "rdma"],
                ["osc_rdma_packet", "1k"],
                ["issue", issue],
                // What the program calls its threshold.
                ["issue_adaptive_operations", "8"],
                ["issue_adaptive_learn", "false"],
            ];
            let mca = options(&mca);
            let run = mpirun(2, &mca, &program).args([issue]);
            run.env("TEST_THREAD_LEVEL", level).says_nothing();
        }
    }
}

/// A thread that waits for one window, or for none, does not keep the operations of another window from their end:
/// among it is the second program of figure 9 of Zambre et al.
#[test]
fn windows_make_progress_for_each_other() {
    let (progresses, threads) =
        (compiled("win_progress", Counts::Small), compiled("win_threads", Counts::Small));
    for progress in ["concurrent", "hybrid", "serial", "thread"] {
        for transports in windows::TRANSPORTS {
            for osc in windows::COMPONENTS {
                let mca = options(&[["btl", transports], ["progress", progress], ["osc", osc]]);
                let run = mpirun(2, &mca, &progresses).args(["threads"]);
                run.env("TEST_THREAD_LEVEL", "multiple").says_nothing();
                silent(2, "multiple", &mca, &threads);
            }
        }
    }
}

/// Accesses that conflict are errors if one asks for that, and nothing is said otherwise.
#[test]
fn windows_tell_of_conflicting_accesses() {
    let program = compiled("win_conflicts", Counts::Small);
    for transports in windows::TRANSPORTS {
        for osc in windows::COMPONENTS {
            for (debug, argument) in [("true", "on"), ("false", "off")] {
                let mca =
                    ["--mca", "btl", transports, "--mca", "osc", osc, "--mca", "osc_debug", debug];
                for processes in 1..=4 {
                    for level in ["single", "multiple"] {
                        let run = mpirun(processes, &mca, &program).args([argument]);
                        run.env("TEST_THREAD_LEVEL", level).says_nothing();
                    }
                }
            }
        }
    }
}

/// What is said names both operations, and what can't be checked is told once.
#[test]
fn windows_say_which_accesses_conflict() {
    let program = compiled("win_conflicts", Counts::Small);
    let debug = ["--mca", "osc_debug", "true"];
    let call = "MPI_Accumulate failed: MPI_ERR_RMA_CONFLICT: MPI_Accumulate (MPI_MAX of \
                MPI_INT) of 4 bytes at byte displacement 20 in the memory of rank 1 conflicts with \
                MPI_Accumulate (MPI_SUM of MPI_INT) of 8 bytes at byte displacement 16, which no \
                synchronization has completed there: accumulates of different operations, but \
                accumulate_ops is same_op_no_op";
    mpirun(2, &debug, &program).args(["call"]).exits(47).complains(&[call]);
    let fence = "MPI_Win_fence failed: MPI_ERR_RMA_CONFLICT: MPI_Put of 12 bytes at byte displacement 16 by \
                 rank 0 and MPI_Accumulate (MPI_SUM of MPI_INT) of 4 bytes at byte displacement 20 by rank 1, \
                 in the memory of rank 1, conflict in the epoch that this fence ends";
    mpirun(2, &debug, &program).args(["fence"]).exits(47).complains(&[fence]);
    for processes in [1, 2, 3] {
        let ended = mpirun(processes, &debug, &program).args(["many"]).ok();
        let said = "osc_debug: this process has accessed more than 1000000 separate ranges";
        assert!(ended.stdout.is_empty() && ended.stderr.matches(said).count() == 1, "{ended}");
    }
}

/// All processes hear that no component serves a window, and the user which ones were asked.
#[test]
fn windows_that_no_component_serves_are_refused() {
    let program = compiled("win_unserved", Counts::Small);
    for (transports, place) in [("self,sm", "near"), ("self,tcp", "apart")] {
        let mca = ["--mca", "osc", "sm", "--mca", "btl", transports];
        for processes in [2, 3] {
            for level in ["single", "multiple"] {
                let run = mpirun(processes, &mca, &program).env("TEST_THREAD_LEVEL", level);
                run.args([place]).says_nothing();
            }
        }
        let said = "MPI_Win_create_dynamic failed: MPI_ERR_OTHER: no component serves this window: \
                    osc_sm declined";
        mpirun(2, &mca, &program).args([place, "fatal"]).exits(16).complains(&[said]);
        let mca = ["--mca", "osc", "rdma", "--mca", "btl", transports];
        mpirun(3, &mca, &program).args(["messages"]).says_nothing();
    }
}

/// With one thread callbacks may ask for nothing.
#[test]
fn tools_hear_of_events() {
    let program = compiled("tool_events", Counts::Small);
    (1..=3).for_each(|processes| silent(processes, "single", &[], &program));
}

/// With memcheck, which has no vDSO and not all calls of the kernel, and finds no wrong use of memory.
#[test]
fn programs_run_under_valgrind() {
    for name in ["basics", "environment", "completion"] {
        let program = compiled(name, Counts::Small);
        let run = Run::mpirun().args(["--oversubscribe", "-n", "2"]);
        run.args(["valgrind", "--quiet", "--error-exitcode=9"]).args([&program]).ok();
    }
}

/// Sessions without the World Model, around it and after it, some of them without the others.
#[test]
fn sessions() {
    let program = compiled("sessions", Counts::Small);
    for order in ["around", "alone", "after", "last"] {
        for number in [1, 2, 3, 5] {
            mpirun(number, &[], &program).args([order]).says_nothing();
        }
        mpirun(3, &["--mca", "btl", "self,tcp"], &program).args([order]).ok();
    }
    Run::new(&program).args(["around"]).ok();
}

/// A collective is not confused with others however many begin and end meanwhile. In shared memory the root of a
/// broadcast can't be so far ahead of the others.
#[test]
fn a_collective_may_take_long() {
    let program = compiled("long_collective", Counts::Small);
    for transports in ["self,sm", "self,tcp"] {
        for level in ["single", "multiple"] {
            let mca = ["--mca", "btl", transports, "--mca", "coll", "^sm"];
            silent(4, level, &mca, &program);
        }
    }
}

/// Processes free communicators without waiting for each other, over every transport.
#[test]
fn freed_communicators_go_on() {
    let program = compiled("freed", Counts::Small);
    for mca in [["btl", "self,tcp"], ["cri", "comm"], ["match", "sharded"], ["coll", "basic"]] {
        for processes in [2, 5] {
            let mca = ["--mca", mca[0], mca[1]];
            silent(processes, "multiple", &mca, &program);
        }
    }
}

/// The same at any time, with or without a launcher.
#[test]
fn it_is_known_how_a_process_was_started() {
    let program = compiled("started", Counts::Small);
    for number in [1, 3] {
        mpirun(number, &[], &program).args(["by", "mpirun"]).says_nothing();
    }
    Run::new(&program).args(["by", "itself"]).says_nothing();
}

#[test]
fn a_handler_of_exit_may_call_mpi() {
    let program = compiled("last_words", Counts::Small);
    for transports in ["self,sm", "self,tcp"] {
        for level in ["single", "multiple"] {
            let mca = ["--mca", "btl", transports, "--mca", "wait", "block"];
            silent(3, level, &mca, &program);
        }
    }
}

/// Where ranks may be reordered, those that are neighbors come to the same node. All nodes are this one, whose
/// processors the processes of a node take to be theirs alone, so they may not wait by polling.
#[test]
fn neighbors_are_placed_on_nodes() {
    let on_nodes = compiled("on_nodes", Counts::Small);
    let program = compiled("topologies", Counts::Small);
    for (processes, mapping) in
        [(4, "(vector,(0,2,1))"), (6, "(vector,(0,2,1))"), (8, "(vector,(0,4,1))")]
    {
        for level in ["single", "multiple"] {
            let mca = ["--mca", "wait", "block", "--mca", "mpi_node_identity", "launcher"];
            let run = mpirun(processes, &mca, &on_nodes).args([mapping]);
            run.args([&program]).args(["nodes"]).env("TEST_THREAD_LEVEL", level).says_nothing();
        }
    }
}

/// With more processes than processors, and `mpi_spread`, each begins on a processor by its rank; never otherwise.
#[test]
fn crowded_processes_are_spread_over_the_processors() {
    let program = compiled("spread", Counts::Small);
    let crowd = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32) + 1;
    let unspread = ["--mca", "mpi_spread", "false"];
    for (processes, mca, what) in
        [(crowd, &[][..], "moves"), (crowd, &unspread, "stays"), (crowd - 1, &[], "stays")]
    {
        mpirun(processes, mca, &program).args([what]).says_nothing();
    }
}

/// What a program leaves behind keeps no process from its end.
#[test]
fn leftovers_do_not_matter() {
    let program = compiled("leftovers", Counts::Small);
    for what in ["eager", "receive", "cancelled", "objects", "buffered", "freed", "persistent"] {
        for level in ["single", "multiple"] {
            for number in 1..=3 {
                let run = mpirun(number, &[], &program).args([what]);
                run.env("TEST_THREAD_LEVEL", level).says_nothing();
            }
        }
    }
}

/// A receiver that looks only into rings that are marked finds everything.
#[test]
fn marked_rings_are_enough() {
    let crowd = ["--mca", "btl_sm_bitmap_from", "1"];
    for (name, processes) in [("p2p", 2), ("p2p", 5), ("colls", 8), ("large", 2)] {
        let program = compiled(name, Counts::Small);
        for level in ["single", "multiple"] {
            silent(processes, level, &crowd, &program);
        }
    }
    let threads = compiled("threads_messages", Counts::Small);
    for processes in [2, 3] {
        silent(processes, "multiple", &crowd, &threads);
    }
}

/// Large messages, copied by either side and cut in any way.
#[test]
fn large_messages_move_in_any_way() {
    let program = compiled("large", Counts::Small);
    let fetched: [(&str, &[&str]); 7] = [
        ("", &["smsc", "cma"]),
        ("", &["smsc", "ring", "smsc_ring_chunk", "4k", "smsc_ring_slots", "2"]),
        ("", &["smsc_ring_streaming", "always", "btl_sm_eager_limit", "100"]),
        ("threads", &[]),
        ("threads", &["smsc", "ring", "btl_sm_num_cris", "3", "cri", "round_robin"]),
        ("", &["pml_ob1_protocol", "fragments"]),
        ("", &["pml_ob1_protocol", "fragments", "btl_sm_ring_memory", "0"]),
    ];
    let others: [(&str, &[&str]); 3] = [
        ("", &["btl_sm_push_limit", "1g"]),
        ("threads", &["btl_sm_push_limit", "1g", "btl_sm_ring_memory", "0"]),
        ("threads", &["btl", "self,tcp"]),
    ];
    let fetched =
        fetched.map(|(argument, way)| (argument, [way, &["btl_sm_push_limit", "0"]].concat()));
    let others = others.map(|(argument, way)| (argument, way.to_vec()));
    for (argument, way) in fetched.into_iter().chain(others) {
        let mca: Vec<_> = way.chunks(2).flat_map(|pair| ["--mca", pair[0], pair[1]]).collect();
        mpirun(2, &mca, &program).args([argument]).says_nothing();
    }
}

/// Two processes with a processor each push most of what they send; here they announce it.
#[test]
fn messages_are_announced_if_asked_for() {
    let announced = ["--mca", "btl_sm_push_limit", "0"];
    for name in
        ["matching", "modes", "p2p", "bsend", "derived", "cuts", "partitioned", "completion"]
    {
        silent(2, "single", &announced, &compiled(name, Counts::Small));
    }
    for name in ["threads_messages", "thread_matching", "threads_requests"] {
        silent(2, "multiple", &announced, &compiled(name, Counts::Small));
    }
}

/// Counts and bytes beyond 2^31 and 2^32, which take minutes and, where data is reduced, gigabytes; one
/// after the other. `cargo test -p cairn-tests --test mpi -- --ignored huge` runs them.
mod huge {
    use super::*;

    use std::sync::{Mutex, PoisonError};

    fn huge(processes: u32, mca: &[&str], what: &[&str]) {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let program = compiled("huge", Counts::Small);
        for what in what {
            let run = mpirun(processes, mca, &program).args([what]);
            run.within(Duration::from_secs(1800)).says_nothing();
        }
    }

    const MESSAGES: &[&str] = &["messages", "truncated", "exchanges", "partitions"];

    #[test]
    #[ignore = "takes minutes"]
    fn huge_messages() {
        huge(2, &[], MESSAGES);
    }

    #[test]
    #[ignore = "takes minutes"]
    fn huge_messages_over_tcp() {
        huge(2, &["--mca", "btl", "self,tcp"], MESSAGES);
    }

    #[test]
    #[ignore = "takes minutes"]
    fn huge_messages_in_other_ways() {
        huge(2, &["--mca", "smsc", "cma"], &["messages", "truncated"]);
        huge(2, &["--mca", "pml_ob1_protocol", "fragments"], &["messages", "truncated"]);
    }

    #[test]
    #[ignore = "takes minutes"]
    fn huge_data_is_moved_by_collectives() {
        let moves = ["bcast", "gather", "scatter", "allgather", "alltoall"];
        huge(2, &[], &moves);
        huge(3, &[], &["bcast", "allgather"]);
        huge(2, &["--mca", "btl", "self,tcp"], &["allgather"]);
    }

    #[test]
    #[ignore = "takes minutes and 8 GB of memory"]
    fn huge_data_is_reduced() {
        huge(2, &[], &["local", "reduce", "allreduce", "scan", "reduce_scatter"]);
    }
}

/// More processes than processors, unless they wait in a way that is not made for that.
#[test]
fn ways_of_waiting_can_be_swapped() {
    for name in ["p2p", "colls"] {
        for (wait, ranks) in [("adaptive", 5), ("block", 5), ("spin", 2), ("yield", 3)] {
            for transports in ["self,sm", "self,tcp"] {
                let mca = ["--mca", "btl", transports, "--mca", "wait", wait];
                silent(ranks, "single", &mca, &compiled(name, Counts::Small));
            }
        }
    }
}

/// In shared memory from the beginning, later or never, and however a process waits.
#[test]
fn barriers_hold_until_everybody_has_come() {
    let (program, dir) = (compiled("barriers", Counts::Small), scratch());
    let never = ["--mca", "coll", "basic"];
    let first = ["--mca", "coll_sm_after", "0"];
    let ways = [(1, first), (2, first), (3, never), (5, first), (8, first)];
    let waits = ["adaptive", "block", "yield"].map(|wait| (3, ["--mca", "wait", wait]));
    for (ranks, mca) in ways.into_iter().chain(waits) {
        mpirun(ranks, &mca, &program).args([dir.path().join("came")]).says_nothing();
    }
}

/// Several threads of each process at once, with any thread that polls and any way of waiting. Among what they do
/// is the first program of figure 9 of Zambre et al., which hangs where an instance is left alone.
#[test]
fn threads_progress_and_wait_in_any_way() {
    let program = compiled("threads", Counts::Small);
    for progress in ["concurrent", "hybrid", "serial", "thread"] {
        for wait in ["adaptive", "block", "yield"] {
            for cri in ["dedicated", "round_robin", "comm"] {
                let mca =
                    ["--mca", "progress", progress, "--mca", "wait", wait, "--mca", "cri", cri];
                silent(2, "multiple", &mca, &program);
            }
        }
    }
    silent(3, "multiple", &["--mca", "btl", "self,tcp"], &program);
}

/// The error that a program makes when its argument says so, the class that is the exit status of the
/// job, and what is said of it: function, argument, value, what is allowed.
const MISTAKES: &[(&str, i32, &str)] = &[
    ("rank", 6, "MPI_Send failed: MPI_ERR_RANK: dest is -77, but the ranks are 0 to 1"),
    ("tag", 4, "MPI_Send failed: MPI_ERR_TAG: tag is -5, but tags are 0 to "),
    ("count", 2, "MPI_Bcast failed: MPI_ERR_COUNT: count is -3, but may not be negative"),
    ("root", 8, "MPI_Reduce failed: MPI_ERR_ROOT: root is 2, but the ranks are 0 to 0"),
    ("type", 3, "MPI_Send failed: MPI_ERR_TYPE: datatype is MPI_DATATYPE_NULL, but an object is"),
    ("operation", 10, "MPI_ERR_OP: op is MPI_BXOR, but that is not defined on MPI_FLOAT"),
    ("group", 9, "MPI_Group_union failed: MPI_ERR_GROUP: group1 is MPI_GROUP_NULL, but an object"),
    ("handle", 5, "MPI_Barrier failed: MPI_ERR_COMM: comm is 0x4d, which is no MPI_Comm"),
    ("null", 1, "MPI_Recv failed: MPI_ERR_BUFFER: buf is a null pointer, but there are 4 elements"),
    ("pointer", 13, "MPI_Comm_size failed: MPI_ERR_ARG: size is a null pointer"),
    ("info", 34, "MPI_Info_get_nkeys failed: MPI_ERR_INFO: info is MPI_INFO_NULL, but an object"),
    ("truncated", 15, "MPI_Recv failed: MPI_ERR_TRUNCATE: the message from rank 0 with tag 5"),
    ("waitall", 19, "MPI_ERR_IN_STATUS: array_of_requests[1]: MPI_ERR_TRUNCATE: the message from"),
    ("freed", 5, "MPI_Comm_free failed: MPI_ERR_COMM: comm is 0x"),
    ("freed request", 7, "MPI_Request_free failed: MPI_ERR_REQUEST: request is 0x"),
    ("unsupported", 55, "MPI_Open_port is not implemented in this version"),
    ("again", 16, "MPI_Init failed: MPI_ERR_OTHER: MPI is initialized already"),
];

#[test]
fn a_thread_of_the_library_makes_progress_if_asked_for() {
    let program = compiled("background", Counts::Small);
    let run = |mca: &[&str], threads| {
        mpirun(2, mca, &program).args([threads]).says_nothing();
    };
    run(&[], "0");
    for transports in ["self,sm", "self,tcp"] {
        run(&["--mca", "btl", transports, "--mca", "progress", "thread"], "1");
    }
    // Programs of one thread, in a process that has two.
    for name in ["p2p", "colls", "errhandlers"] {
        let mca = ["--mca", "progress", "thread"];
        mpirun(2, &mca, &compiled(name, Counts::Small)).says_nothing();
    }
}

#[test]
fn calls_beyond_the_level_of_thread_support_are_errors() {
    let program = compiled("levels", Counts::Small);
    for level in ["0", "1", "2", "3"] {
        Run::mpirun().args(["-n", "1"]).args([&program]).args([level]).ok();
    }
}

/// The flags that set these parameters.
fn flags<'a>(mca: impl IntoIterator<Item = &'a (String, String)>) -> Vec<&'a str> {
    mca.into_iter().flat_map(|(name, value)| ["--mca", name, value]).collect()
}

/// Runs the stress program with components of some frameworks. Returns what it says: with one seed and
/// one length it is always the same.
fn stress(program: &Path, length: [&str; 2], processes: &str, mca: &Combination) -> String {
    let run = Run::mpirun().args(["--oversubscribe", "-n", processes]).args(flags(mca));
    // A failure prints how far it came, and with it the seed.
    let ended = run.args([program]).args(length).ok();
    ended.says(&["seed ", " rounds, ", " messages, sum "]);
    assert!(ended.stderr.is_empty(), "{ended}");
    ended.stdout
}

#[test]
fn threads_that_do_everything_at_once() {
    let program = compiled("stress", Counts::Small);
    let combinations = combinations(&strategies());
    let stress = |mca| ["2", "3"].map(|processes| stress(&program, ["2", "17"], processes, mca));
    let said: Vec<_> = combinations.iter().map(stress).collect();
    assert!(said.iter().all(|sums| *sums == said[0]), "{said:#?}");
}

/// Every combination of strategies, each for as many seconds as `CAIRN_STRESS` says, or 10, or for its share
/// of the seconds that `CAIRN_STRESS_SWEEP` says.
#[test]
#[ignore = "takes an hour; see CONTRIBUTING.md"]
fn stress_sweep() {
    let program = compiled("stress", Counts::Small);
    let combinations = product(&strategies());
    let said = |name: &str| {
        std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number of seconds"))
    };
    let share = |sweep: u64| (sweep / combinations.len() as u64).max(1);
    let seconds = said("CAIRN_STRESS").or(said("CAIRN_STRESS_SWEEP").map(share)).unwrap_or(10);
    let length = format!("{seconds}s");
    for combination in combinations {
        eprintln!("{combination:?}");
        let processes =
            if combination.iter().any(|(_, value)| value == "self,tcp") { "3" } else { "2" };
        stress(&program, [&length, "0"], processes, &combination);
    }
}

/// Messages between two processes whose threads call at the same time, with every pair of strategies.
/// Transports have three instances, whatever the processors.
mod with_strategies {
    use super::*;

    /// Runs a program with each combination.
    fn with_strategies(name: &str) {
        let program = compiled(name, Counts::Small);
        for combination in combinations(&strategies()) {
            let own = ["self", "sm", "tcp"].into_iter();
            let transports = own.chain(foreign::here().map(|one| one.name));
            let three = transports.map(|name| (format!("btl_{name}_num_cris"), "3".to_owned()));
            let three: Vec<_> = three.collect();
            let mca = flags(combination.iter().chain(&three));
            silent(2, "multiple", &mca, &program);
        }
    }

    macro_rules! programs {
        ($($name:ident)*) => {
            $(
                #[test]
                fn $name() {
                    with_strategies(stringify!($name));
                }
            )*
        };
    }

    programs! {
        bsend
        completion
        inter_threads
        large
        matching
        modes
        p2p
        reenter
        sync
        thread_matching
        threads
        threads_messages
        threads_objects
        threads_requests
    }
}

/// Every program over every way of the transports that load a library of others. All that fail are said at the end.
#[test]
#[ignore = "takes an hour; see CONTRIBUTING.md"]
fn over_every_way_of_other_libraries() {
    // One asks for counters of btl_sm, and pools of libfabric grow for a while.
    let mut tested = suites::all();
    tested.retain(|case| !["tool", "flat"].contains(&case.name));
    let mut failed = Vec::new();
    for way in foreign::ways().map(options) {
        for Case { counts, name, processes, level } in &tested {
            let run = mpirun(*processes, &way, &compiled(name, *counts));
            // With few credits each message waits for the other process to have its turn on a core.
            let run = run.env("TEST_THREAD_LEVEL", level).within(Duration::from_secs(600));
            let ended = run.end();
            if !ended.is_well() {
                failed.push(format!("{name} -n {processes}, {level}, {}\n{ended}", way.join(" ")));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Communicators with instances of their own, by the info key of the strategy that has it.
#[test]
fn communicators_say_which_instance_they_want() {
    let program = compiled("instances", Counts::Small);
    for transports in ["self,sm", "self,tcp"] {
        for cri in ["comm", "dedicated", "round_robin"] {
            let instances = ["btl_self_num_cris", "btl_sm_num_cris", "btl_tcp_num_cris"];
            let mut mca = vec!["--mca", "btl", transports, "--mca", "cri", cri];
            mca.extend(instances.into_iter().flat_map(|name| ["--mca", name, "3"]));
            let ignored = (cri != "comm").then_some("ignored");
            for processes in 1..=3 {
                let run = mpirun(processes, &mca, &program).args(ignored);
                run.env("TEST_THREAD_LEVEL", "multiple").says_nothing();
            }
            if cri == "comm" {
                let run = mpirun(2, &mca, &program).args(["fatal"]).exits(16);
                run.complains(&[
                    "MPI_Comm_dup_with_info failed: MPI_ERR_OTHER",
                    "the info key cairn_cri_instance is \"3\"; allowed is own, fallback or the number",
                    "which for btl_self is 0 to 2",
                ]);
            }
        }
    }
}

/// A thread polls the instance of what it waits for, and all of them seldom. Also in collective operations that are made
/// of messages.
#[test]
fn waits_poll_the_instance_of_their_operation() {
    let program = compiled("vci", Counts::Small);
    for misses in ["16", "2", "0", "100"] {
        let mca = [
            ["btl", "self,sm"],
            ["coll", "^sm"],
            ["cri", "comm"],
            ["progress", "hybrid"],
            ["progress_hybrid_misses", misses],
            ["btl_self_num_cris", "6"],
            ["btl_sm_num_cris", "6"],
        ];
        let mca = options(&mca);
        let run = mpirun(2, &mca, &program).args([misses]);
        run.env("TEST_THREAD_LEVEL", "multiple").says_nothing();
    }
}

/// Where one thread polls for all, the others sleep, and a message wakes the one that it is for.
#[test]
fn threads_that_others_poll_for_are_woken_alone() {
    let program = compiled("serial", Counts::Small);
    for transports in ["self,sm", "self,tcp"] {
        for wait in ["block", "adaptive", "yield", "spin"] {
            let mca =
                ["--mca", "btl", transports, "--mca", "progress", "serial", "--mca", "wait", wait];
            silent(2, "multiple", &mca, &program);
        }
    }
}

/// Nor is a thread kept from its message that a tool waits for while it is told of an event.
#[test]
fn callbacks_of_tools_may_wait_for_other_threads() {
    let program = compiled("callback_waits", Counts::Small);
    for progress in ["serial", "concurrent", "hybrid", "thread"] {
        for wait in ["block", "adaptive", "spin"] {
            let mca = ["--mca", "progress", progress, "--mca", "wait", wait];
            silent(2, "multiple", &mca, &program);
        }
    }
}

/// A reduction of the program may wait for another thread that begins a collective operation, and completes it where
/// threads poll each for itself.
#[test]
fn reductions_of_the_program_may_wait_for_other_threads() {
    let program = compiled("callback_starts", Counts::Small);
    for progress in ["concurrent", "hybrid", "thread"] {
        for wait in ["block", "adaptive", "spin"] {
            let mca = ["--mca", "progress", progress, "--mca", "wait", wait];
            silent(2, "multiple", &mca, &program);
        }
    }
}

/// The locks of a completion object and of a generalized request are taken in one order.
#[test]
fn generalized_requests_complete_while_an_object_waits_for_them() {
    silent(1, "multiple", &[], &compiled("sync_grequest", Counts::Small));
}

/// A number of instances that can't be is an error that says what can; the most that there may be work.
#[test]
fn numbers_of_instances_are_checked() {
    let program = compiled("instances", Counts::Small);
    for transport in ["self", "sm", "tcp"] {
        let name = format!("btl_{transport}_num_cris");
        for number in ["-1", "2000000000", "99999999999999999999", "many", "1.5", ""] {
            let ended = mpirun(2, &["--mca", &name, number], &program).end();
            assert!(!ended.status.success(), "{name} {number}: {ended}");
            ended.complains(&[&name, "allowed"]);
        }
    }
    let many = ["--mca", "btl_tcp_num_cris", "257"];
    mpirun(2, &many, &program).fails().complains(&["btl_tcp_num_cris", "0 to 256"]);
}

/// One thread and several, with every way of matching.
#[test]
fn matching_engines_can_be_swapped() {
    for name in ["p2p", "thread_matching"] {
        let program = compiled(name, Counts::Small);
        for engine in ["list", "bins", "vector", "sharded"] {
            for processes in [1, 3] {
                silent(processes, "multiple", &["--mca", "match", engine], &program);
            }
        }
    }
}

#[test]
fn errors_end_the_job_unless_told_otherwise() {
    let program = compiled("fatal", Counts::Small);
    for (which, class, message) in MISTAKES {
        // The second rank makes it, the first one waits for ever.
        let ended = mpirun(2, &[], &program).args(["", which, "1"]).exits(*class);
        ended.complains(&["cairn: rank 1 on ", message, "mpirun: rank 1 aborted the job"]);
        mpirun(1, &[], &program).args(["return", which]).exits(7);
    }
    let ended = mpirun(2, &[], &program).args(["abort"]).exits(6);
    ended.complains(&["MPI_Send failed: MPI_ERR_RANK"]);
    // Although the C library had kept it, for a pipe.
    ended.says(&["printed before"]);
    // Without mpirun, too.
    Run::new(&program).exits(6).complains(&["MPI_Send failed: MPI_ERR_RANK"]);
}

#[test]
fn calls_outside_of_mpi_are_errors() {
    let program = compiled("outside", Counts::Small);
    silent(1, "single", &[], &program);
    silent(3, "multiple", &[], &program);
    let functions = BTreeMap::from([
        ("send", "MPI_Send"),
        ("barrier", "MPI_Barrier"),
        ("rank", "MPI_Comm_rank"),
        ("dup", "MPI_Comm_dup"),
        ("wait", "MPI_Wait"),
        ("group", "MPI_Comm_group"),
        ("thread", "MPI_Is_thread_main"),
        ("attach", "MPI_Buffer_attach"),
        ("finalize", "MPI_Finalize"),
        ("abort", "MPI_Abort"),
    ]);
    for (when, why) in [("before", "is not initialized; call MPI_Init first"), ("after", "is fin")]
    {
        for (argument, function) in &functions {
            let run = Run::new(&program).args([when, argument]);
            run.exits(16).complains(&[&format!("{function} failed: MPI_ERR_OTHER: MPI {why}")]);
        }
        let ended = mpirun(2, &[], &program).args([when, "send"]).exits(16);
        ended.complains(&["MPI_Send failed: MPI_ERR_OTHER", "exited with status 16"]);
    }
    let again = "MPI_Init failed: MPI_ERR_OTHER: MPI is finalized, and can't be initialized again";
    Run::new(&program).args(["after", "init"]).exits(16).complains(&[again]);
    Run::new(&program).args(["before", "init"]).exits(16).complains(&["is initialized already"]);
}
