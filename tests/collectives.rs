//! Collective operations by each component and algorithm, and what is said of wrong ones. Programs are those of
//! `tests/mpi`, which say nothing when all is right.

use std::path::PathBuf;

use cairn_tests::foreign::options;
use cairn_tests::programs::{self, Counts, mpirun, silent};
use cairn_tests::scratch;

/// A program, compiled once.
fn compiled(name: &str, counts: Counts) -> PathBuf {
    programs::compiled(env!("CARGO_TARGET_TMPDIR"), name, counts)
}

/// Collectives over messages: in the plainest way, by the built-in table, and by one that takes others.
#[test]
fn collectives_are_right_by_any_algorithm() {
    const ROWS: &str = r#"
        barrier = [{ algorithm = "tree", radix = 3 }]
        bcast = [{ algorithm = "chain", segment = "1k", ranks = "3-" }]
        gather = [{ algorithm = "knomial", radix = 3, per_node = "2-" }]
        scatter = [{ algorithm = "knomial", bytes = "-1m" }]
        allgather = [{ algorithm = "neighbor_exchange" }, { algorithm = "recursive_doubling" }]
        allgatherv = [{ algorithm = "neighbor_exchange" }]
        alltoall = [{ algorithm = "bruck" }]
        alltoallv = [{ algorithm = "pairwise" }]
        reduce = [{ algorithm = "chain", segment = 100 }]
        allreduce = [{ algorithm = "ring" }, { algorithm = "reduce_bcast" }]
        reduce_scatter = [{ algorithm = "recursive_halving" }, { algorithm = "linear" }]
        reduce_scatter_block = [{ algorithm = "ring" }]
        scan = [{ algorithm = "linear" }]
        exscan = [{ algorithm = "linear", nodes = 1 }]
    "#;
    let dir = scratch();
    let table = dir.path().join("table.toml");
    std::fs::write(&table, ROWS).unwrap();
    let table = table.to_str().unwrap();
    for name in ["colls", "icoll", "pcoll", "neighbors", "inter"] {
        let program = compiled(name, Counts::Small);
        for mca in [
            &[["coll", "basic"]][..],
            &[["coll", "tuned"]],
            &[["coll", "tuned"], ["coll_tuned_table", table]],
        ] {
            for processes in [3, 4] {
                silent(processes, "multiple", &options(mca), &program);
            }
        }
    }
}

/// Whoever asks for an algorithm that there is not, or has a table that is wrong, is told what there is.
#[test]
fn unknown_algorithms_and_bad_tables_are_errors() {
    let program = compiled("nobody", Counts::Small);
    let fails = |name, value: &str, texts: &[&str]| {
        let ended = mpirun(2, &options(&[[name, value]]), &program).end();
        assert!(!ended.status.success(), "{ended}");
        ended.complains(texts);
    };
    let names = "binomial, knomial, linear, chain, binary, scatter_ring or scatter_doubling";
    fails("coll_tuned_bcast_algorithm", "binomail", &["binomail", names]);
    let dir = scratch();
    let table = dir.path().join("table.toml");
    let path = table.to_str().unwrap();
    fails("coll_tuned_table", path, &["coll_tuned_table", path, "No such file"]);
    std::fs::write(&table, "# mine\nscan = [\n{ algorithm = \"bruck\" },\n]\n").unwrap();
    let what =
        format!("{path}:3: scan has no algorithm \"bruck\"; known are recursive_doubling, linear");
    fails("coll_tuned_table", path, &[&what]);
}

/// Ranks that call different collective operations are told who called what, and right programs notice nothing.
#[test]
fn ranks_that_disagree_are_told() {
    let check = ["--mca", "coll_check", "true"];
    for processes in [3, 4] {
        silent(processes, "single", &check, &compiled("disagree", Counts::Small));
        for name in ["colls", "icoll", "pcoll", "inter", "neighbors"] {
            silent(processes, "multiple", &check, &compiled(name, Counts::Small));
        }
    }
    let program = compiled("disagree", Counts::Small);
    // The first rank that says so ends the job. Between groups it says it as its group sees it.
    let views: &[(&str, &[&[&str]])] = &[
        (
            "root",
            &[&[
                "ranks 0, 1: MPI_Bcast with root 0, 4 bytes",
                "rank 2: MPI_Bcast with root 1, 4 bytes",
            ]],
        ),
        (
            "operation",
            &[&["ranks 0, 1: MPI_Allreduce with 4 bytes, MPI_MAX;", "rank 2: MPI_Barrier"]],
        ),
        ("block", &[&["in MPI_Gatherv rank 0 is to receive 8 bytes from rank 2", "which sends 4"]]),
        (
            "between-root",
            &[
                &[
                    "rank 0 of this group: MPI_Bcast with root MPI_ROOT, 4 bytes; rank 1 of this group: MPI_Bcast with \
                   root MPI_PROC_NULL; rank 0 of the other group: MPI_Bcast with root 1, 4 bytes",
                ],
                &[
                    "rank 0 of this group: MPI_Bcast with root 1, 4 bytes; rank 0 of the other group: MPI_Bcast with",
                ],
            ],
        ),
        (
            "between-bytes",
            &[
                &[
                    "ranks 0, 1 of this group: MPI_Allgather with 4 bytes;",
                    "rank 0 of the other group: MPI_Allgather with 4 bytes to each, 8 bytes from each",
                ],
                &[
                    "rank 0 of this group: MPI_Allgather with 4 bytes to each, 8 bytes from each;",
                    "ranks 0, 1 of the other group: MPI_Allgather with 4 bytes",
                ],
            ],
        ),
        (
            "between-blocks",
            &[
                &[
                    "in MPI_Alltoallv rank 0 of the other group is to receive 0 bytes from rank 0 of this group, which \
                   sends 4",
                ],
                &[
                    "in MPI_Alltoallv rank 0 of this group is to receive 0 bytes from rank 0 of the other group, which \
                   sends 4",
                ],
            ],
        ),
        (
            "neighbors",
            &[&[
                "in MPI_Neighbor_allgather rank 0 is to receive 4 bytes from rank 1, which sends 8",
                "MPI_ERR_COUNT",
            ]],
        ),
    ];
    for (what, views) in views {
        let ended = mpirun(3, &check, &program).args([what]).end();
        assert!(!ended.status.success(), "{ended}");
        let is_said = |texts: &&[&str]| texts.iter().all(|text| ended.stderr.contains(text));
        assert!(views.iter().any(is_said), "none of {views:?}\n{ended}");
    }
    let dir = scratch();
    for late in ["late", "late-between"] {
        mpirun(3, &check, &program).args([late]).args([dir.path().join(late)]).ok();
    }
}

/// Collective operations in shared memory from the beginning, with slots that they have room in and such that they
/// have not, and however a process waits.
#[test]
fn collectives_go_through_shared_memory() {
    for name in ["colls", "ops"] {
        let program = compiled(name, Counts::Small);
        for slot in ["16k", "512"] {
            for (ranks, wait) in [(2, "adaptive"), (3, "yield"), (3, "block"), (5, "adaptive")] {
                let mca = [["wait", wait], ["coll_sm_slot", slot], ["coll_sm_after", "0"]];
                let mca = options(&mca);
                silent(ranks, "single", &mca, &program);
            }
        }
    }
}

/// Nodes of a job of so many processes, as a process manager says it: of one size and of several, one behind the
/// other and by turns.
const NODES: [(u32, &str); 6] = [
    (4, "(vector,(0,2,2))"),
    (4, "(vector,(0,2,1))"),
    (5, "(vector,(0,1,3),(1,1,2))"),
    (6, "(vector,(0,3,1),(0,1,3))"),
    (7, "(vector,(0,2,1),(0,1,2),(1,1,3))"),
    (8, "(vector,(0,4,1))"),
];

/// Collective operations within nodes and between them, from the beginning. All nodes are this one, whose processors the
/// processes of a node take to be theirs alone, so they may not wait by polling.
#[test]
fn collectives_go_through_two_levels() {
    let on_nodes = compiled("on_nodes", Counts::Small);
    let run = |name, processes, nodes, level, more: &[[&str; 2]]| {
        let own =
            [["mpi_node_identity", "launcher"], ["wait", "block"], ["coll_two_level_after", "0"]];
        let mca = [&own[..], more].concat();
        let run = mpirun(processes, &options(&mca), &on_nodes).args([nodes]);
        let run = run.args([compiled(name, Counts::Small)]);
        run.env("TEST_THREAD_LEVEL", level).says_nothing();
    };
    for (processes, nodes) in NODES {
        let level = if processes % 2 == 0 { "single" } else { "multiple" };
        for name in ["colls", "coll_rules"] {
            run(name, processes, nodes, level, &[]);
        }
    }
    let (processes, nodes) = NODES[3];
    for name in ["ops", "derived"] {
        run(name, processes, nodes, "single", &[]);
    }
    run("threads_colls", processes, nodes, "multiple", &[]);
    // However long, and whatever serves a node and what is between them.
    let all = ["gather", "allgather", "alltoall", "allreduce"];
    let names = all.map(|name| format!("coll_two_level_{name}_limit"));
    let long = names.each_ref().map(|name| [name.as_str(), "1g"]);
    let ways = [&[][..], &[["coll_sm_after", "0"]], &[["coll", "two_level,basic"]]];
    for way in ways {
        for (processes, nodes) in [NODES[2], NODES[3]] {
            for name in ["colls", "coll_rules"] {
                run(name, processes, nodes, "multiple", &[&long, way].concat());
            }
        }
    }
}
