//! `cairn-ab` with the installation: the mpirun and the cairn-info that it asks are Cairn's own. The
//! benchmarks are scripts; what else it does is tested beside it, in `tools/cairn-ab/tests`.

use std::fs;
use std::path::Path;

use cairn_tests::programs::{Counts, compiled};
use cairn_tests::{Run, dist, executable, scratch};

/// A benchmark whose second rank has nothing to say.
const BENCH: &str = r#"#!/bin/sh
[ "$PMI_RANK" = 0 ] || exit 0
echo '{"format":1,"points":[{"at":{},"metric":"rate","unit":"1","better":"higher","value":2}]}'
"#;

/// Never ends, nor wants to.
const HANG: &str = "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1000; done\n";

fn ab(dir: &Path) -> Run {
    for (name, text) in [("bench.sh", BENCH), ("hang.sh", HANG)] {
        executable(&dir.join(name), text);
    }
    let run = Run::new(dist().join("bin/cairn-ab")).env("HOME", dir).dir(dir);
    run.args(["--cache"]).args([dir.join("cache")])
}

#[test]
fn strategies_are_compared() {
    let dir = scratch();
    let quick = ["quick", "--repeats", "2", "--retries", "0", "default", "cri=dedicated"];
    let ended = ab(dir.path()).args(quick).args(["--", "./bench.sh"]).ok();
    ended.says(&["cri=dedicated", "1.00x", "too few repeats, 6 are needed", "2 of 2 repeats"]);
    let samples = fs::read_to_string(dir.path().join("cache/quick/samples.jsonl")).unwrap();
    assert!(samples.contains("--mca cri dedicated"), "{samples}");
    // What the variant sets is in the store, and who set it.
    assert!(samples.contains("dedicated (--mca on the command line)"), "{samples}");
}

#[test]
fn strategies_that_are_not_there_are_refused() {
    let dir = scratch();
    let quick = |setting| ab(dir.path()).args(["quick", setting, "--", "./bench.sh"]).fails();
    quick("cri=dedicate").complains(&["there is no cri component dedicate", "variant"]);
    quick("cri_dedicated_prio=1").complains(&["there is no parameter cri_dedicated_prio"]);
    quick("btl_sm_eager_limit=much").complains(&["btl_sm_eager_limit"]);
    assert!(!dir.path().join("cache/quick").exists());
}

#[test]
fn a_job_that_hangs_is_ended() {
    let dir = scratch();
    let quick = ["quick", "--repeats", "1", "--retries", "0", "--time-limit", "1", "default"];
    let ended = ab(dir.path()).args(quick).args(["--", "./hang.sh"]).fails();
    ended.complains(&["nothing was measured", "it did not end in 1 s and was ended"]);
}

/// They are seldom all measured, and parameters and programs change.
#[test]
fn experiments_that_ship_fit_the_installation() {
    let experiments = dist().join("share/cairn/bench/experiments");
    let files = fs::read_dir(experiments).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|it| it == "toml")).collect();
    assert!(files.len() > 1);
    ab(scratch().path()).args(["check"]).args(files).ok();
}

#[test]
fn what_can_be_varied_is_listed() {
    let dir = scratch();
    ab(dir.path()).args(["list"]).ok().says(&[
        "cri",
        "dedicated round_robin",
        "btl_sm_eager_limit",
    ]);
    ab(dir.path()).args(["list", "wait_*"]).ok().says(&["wait_block_spin"]);
    ab(dir.path()).args(["list", "nothing*"]).fails().complains(&["no parameter matches"]);
}

/// Is better with one value of the threshold, whatever the time.
const LIMIT: &str = r#"#!/bin/sh
[ "$PMI_RANK" = 0 ] || exit 0
value=1
case $CAIRN_LAUNCH_PARAMS in *'["btl_sm_eager_limit","8k"]'*) value=2;; esac
echo '{"format":1,"points":[{"at":{},"metric":"rate","unit":"1","better":"higher","value":'$value'}]}'
"#;

#[test]
fn tuned_thresholds_are_taken_by_mpirun() {
    let dir = scratch();
    let dir = dir.path();
    executable(&dir.join("limit.sh"), LIMIT);
    let table = "warmup = 0\nnoise = { retries = 0, spread = 1e6, others = 1 }\n[[threshold]]\n\
                 name = \"btl_sm_eager_limit\"\ncandidates = [\"4k\", \"8k\", \"16384\", \"1g\"]\n\
                 [[threshold.benchmark]]\nbinary = \"./limit.sh\"\n";
    fs::write(dir.join("t.toml"), table).unwrap();
    let tune = ["tune", "--table", "t.toml", "--output", "my.toml", "--repeats"];
    let ended = ab(dir).args(tune).args(["7"]).ok();
    ended.says(&["btl_sm_eager_limit: 8k instead of 16k", "1g is out: ", "bytes from 0 to"]);
    let text = fs::read_to_string(dir.join("my.toml")).unwrap();
    for part in ["\nbtl_sm_eager_limit = \"8k\"\n", "# 4k: equal at 1; ", "# 16k, the default:\n"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    // The same as the default.
    assert!(!text.contains("16384"), "{text}");

    let explain = ["--tune", "my.toml", "--explain", "btl_sm_eager_limit"];
    let info = || Run::new(dist().join("bin/cairn-info")).env("HOME", dir).dir(dir);
    info().args(explain).ok().says(&["8k", "my.toml:"]);
    let run = ["-n", "1", "--tune", "my.toml", "sh", "-c", "echo $CAIRN_LAUNCH_PARAMS"];
    let mpirun = || Run::new(dist().join("bin/mpirun")).env("HOME", dir).dir(dir);
    mpirun().args(run).ok().says(&["my.toml"]);

    // With too few repeats it sets nothing, and is taken as well.
    let ended = ab(dir).args(tune).args(["1", "--overwrite"]).ok();
    ended.says(&["the default stays: 1 repeats are too few"]);
    mpirun().args(run).ok();
    info().args(explain).ok().says(&["16k"]);
}

/// A chain is faster from 4 KiB on.
const ALGORITHMS: &str = r#"#!/bin/sh
[ "$PMI_RANK" = 0 ] || exit 0
fast=8
case $CAIRN_LAUNCH_PARAMS in *'["coll_tuned_bcast_algorithm","chain"]'*) fast=4;; esac
point() {
    echo '{"at":{"bytes":'$1'},"metric":"time","unit":"s","better":"lower","value":'$2'}'
}
echo '{"format":1,"points":['$(point 8 8)','$(point 4096 $fast)','$(point 65536 $fast)']}'
"#;

#[test]
fn learned_algorithms_are_taken_by_coll_tuned() {
    let dir = scratch();
    let dir = dir.path();
    executable(&dir.join("bcast.sh"), ALGORITHMS);
    let learn = ["algorithms", "--busy", "--program", "./bcast.sh", "--ranks", "3"];
    let ab = |dir: &Path| ab(dir).args(learn).args(["--output", "my.toml"]);
    let ended = ab(dir).args(["bcast", "--repeats", "11"]).ok();
    ended.says(&["bcast of 3 ranks", "chain: 0.50 (0.50 – 0.50) of 8.00 s", "nothing is surely"]);
    let text = fs::read_to_string(dir.join("my.toml")).unwrap();
    let row =
        "\nbcast = [\n    { algorithm = \"chain\", ranks = 3, nodes = 1, bytes = \"4k-\" },\n]\n";
    assert!(text.contains(row), "{text}");

    let program = compiled(env!("CARGO_TARGET_TMPDIR"), "colls", Counts::Small);
    let table = ["--mca", "coll", "tuned", "--mca", "coll_tuned_table", "my.toml"];
    let mpirun = || Run::mpirun().dir(dir).args(["--oversubscribe", "-n", "3"]).args(table);
    mpirun().args([&program]).says_nothing();

    // With too few repeats, and with those that fail, nothing is known, and there is no file.
    let few = ab(dir).args(["bcast", "--repeats", "1", "--overwrite"]).fails();
    few.complains(&["bcast: 1 repeats are too few"]);
    let none = ab(dir).args(["bcats", "--overwrite"]).fails();
    none.complains(&["no algorithms of bcats are measured", "did you mean bcast?"]);
    ab(dir).args(["bcast"]).fails().complains(&["the file is there already"]);
}

#[test]
fn the_installation_has_the_benchmarks_and_the_manual() {
    assert!(dist().join("share/cairn/bench/experiments/quick.toml").is_file());
    let page = fs::read_to_string(dist().join("share/man/man1/cairn-ab.1")).unwrap();
    assert!(page.contains("cairn\\-ab"), "{page}");
}
