//! The program as a user sees it, with an installation of scripts: what it does with results, with
//! failures and with stores does not depend on any MPI.

mod tune;

use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use cairn_tests::executable;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal, test_kill_process,
};

/// Nothing takes longer, however busy the machine.
const DEADLINE: &str = "300";

/// Starts the program once, as rank 0, with the parameters as variables.
const MPIRUN: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -n) export RANKS=$2; shift 2;;
    --mca) export "MCA_$2=$3"; shift 3;;
    --bind-to) shift 2;;
    --*|-*) shift;;
    *) break;;
  esac
done
echo run >> "$(dirname "$0")/../runs"
exec "$@"
"#;

/// Knows the parameter `speed` only, and one of an older installation.
const INFO: &str = r#"#!/bin/sh
problems=
known=speed
case $0 in *old*) known=pace;; esac
while [ $# -gt 0 ]; do
  if [ "$1" = --mca ] && [ "$2" != $known ]; then
    problems='{"severity":"error","what":"there is no parameter '$2'","fix":"did you mean '$known'?"}'
  fi
  shift
done
cat <<END
{"format":1,"problems":[$problems],"hidden":2,
 "frameworks":[{"name":"cri","summary":"assigns","serves":"one","components":[{"name":"comm"}]}],
 "parameters":[{"name":"speed","default":"1","allowed":"a number","help":"how fast","sources":[]}]}
END
"#;

/// Measures twice its speed for each thread.
const BENCH: &str = r#"#!/bin/sh
threads=1 iterations=1
while [ $# -gt 0 ]; do
  [ "$1" = --threads ] && threads=$2
  [ "$1" = --iterations ] && iterations=$2
  shift
done
echo "a greeting"
cat <<END
{"format":1,"benchmark":"fake","mpi":"Fake ${VERSION:-1}",${LOADED:+"\"library\":\"$LOADED\","}"ranks":${RANKS:-2},"parameters":{},"points":[
 {"at":{"bytes":8},"metric":"rate","unit":"message/s","better":"higher",
  "value":$((${MCA_speed:-1} * threads * 2))}],"checked":true,"messages":$((iterations * 100))}
END
[ -z "$MCA_counters_report" ] || cat >&2 <<END
cairn: counters of ${RANKS:-2} processes
  counter                  all  least  most
  btl_sm_cri0_polls        polls  $((${MCA_speed:-1} * 100))  1  2
  btl_sm_cri1_polls        polls  300  1  2
  pml_ob1_messages_eager   messages  100  50  50
END
"#;

/// An installation of scripts, and a place for everything else.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        place.script("cairn/bin/mpirun", MPIRUN);
        place.script("cairn/bin/cairn-info", INFO);
        place.script("bench.sh", BENCH);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        executable(&path, text);
        path
    }

    /// An experiment with two variants of different speed.
    fn experiment(&self, rest: &str) -> &'static str {
        // No machine is too busy for these.
        let text = format!(
            "title = \"Fakes\"\nrepeats = 8\nwarmup = 1\n\
             noise = {{ retries = 0, spread = 1e6, others = 1 }}\n{rest}\n\
             [[variant]]\nname = \"slow\"\nmca = {{ speed = 1 }}\n\
             [[variant]]\nname = \"fast\"\nmca = {{ speed = 3 }}\n"
        );
        fs::write(self.path("e.toml"), text).unwrap();
        "e.toml"
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", DEADLINE, env!("CARGO_BIN_EXE_cairn-ab")]);
        command.arg("--prefix").arg(self.path("cairn")).arg("--cache").arg(self.path("cache"));
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        Ended::of(self.command(args).output().unwrap())
    }

    /// How many programs were started.
    fn runs(&self) -> usize {
        fs::read_to_string(self.path("cairn/runs")).unwrap_or_default().lines().count()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    fn exits(self, code: i32) -> Self {
        let Self { stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self
    }

    fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stdout.contains(part), "no \"{part}\" in {}", self.stdout);
        }
        self
    }

    fn complains(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no \"{part}\" in {}", self.stderr);
        }
        self
    }
}

const SWEEP: &str = "[[benchmark]]\nbinary = \"./bench.sh\"\nsweep = { \"--threads\" = [1, 2, 4] }\n\
    [[verdict]]\nsays = \"fast is 3 times slow\"\nat-least = 2.5\n\
    left = { variant = \"fast\" }\nright = { variant = \"slow\" }";

#[test]
fn an_experiment_is_measured_and_reported() {
    let place = Place::new();
    let file = place.experiment(SWEEP);
    place.run(&["run", file]).exits(0).says(&["3.00x (3.00 – 3.00)", "better", "holds"]);
    // A warm-up and eight blocks, of two variants with three numbers of threads.
    assert_eq!(place.runs(), 9 * 2 * 3);
    let csv = place.read("e.ab/report/results.csv");
    let line = "bench.sh,rate,message/s,higher,8,4,fast,8,24,24,24,24,3,3,3,0,more";
    assert!(csv.lines().any(|it| it == line), "{csv}");
    let page = place.read("e.ab/report/report.html");
    assert!(page.contains("<svg") && page.contains("fast is 3 times slow"), "{page}");
    let png = fs::read(place.path("e.ab/report/1-bench-sh-rate-0.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    assert!(place.read("e.ab/report/1-bench-sh-rate-0.svg").contains("threads"));

    // What was measured is not lost by mistake, and can be reported again elsewhere.
    place.run(&["run", file]).exits(1).complains(&["measurements already", "--resume"]);
    place.run(&["report", "e.ab", "--output", "again"]).exits(0);
    assert_eq!(place.read("again/results.csv"), csv);
    // Everything is there: nothing is run.
    place.run(&["run", file, "--resume"]).exits(0);
    assert_eq!(place.runs(), 54);
    place.experiment(&SWEEP.replace("4]", "8]"));
    place.run(&["run", file, "--resume"]).exits(1).complains(&["another experiment"]);
    place.run(&["run", file, "--overwrite"]).exits(0);
    assert_eq!(place.runs(), 108);
}

#[test]
fn unknown_parameters_are_refused_before_anything_runs() {
    let place = Place::new();
    let file =
        place.experiment(&format!("{SWEEP}\n[[variant]]\nname = \"odd\"\nmca = {{ sped = 1 }}\n"));
    let parts = ["there is no parameter sped", "variant odd", "did you mean speed?"];
    place.run(&["run", file]).exits(1).complains(&parts);
    assert_eq!(place.runs(), 0);
    assert!(!place.path("e.ab").exists());
}

#[test]
fn experiments_are_checked_without_running() {
    let place = Place::new();
    let file = place.experiment(SWEEP);
    place.run(&["check", file]).exits(0);
    let text = place.read(file);
    let odd = text.replace("speed = 3", "sped = 3");
    fs::write(place.path("odd.toml"), odd).unwrap();
    fs::write(place.path("none.toml"), text.replace("bench.sh", "none.sh")).unwrap();
    fs::write(place.path("key.toml"), text.replace("repeats", "repeat")).unwrap();
    let ended = place.run(&["check", file, "odd.toml", "none.toml", "key.toml"]).exits(1);
    ended.complains(&[
        "there is no parameter sped",
        "odd.toml: variant fast",
        "no such benchmark",
        "none.toml: ",
        "key.toml:2",
    ]);
    assert_eq!(place.runs(), 0);
}

#[test]
fn a_first_look_has_fewer_repeats() {
    let place = Place::new();
    let file = place.experiment(SWEEP);
    let look = ["run", file, "--repeats", "1", "--retries", "0"];
    place.run(&look).exits(0).says(&[
        "1 of 1 repeats",
        "repeats was 1 on the command line, the experiment says 8",
        "3.00x  ",
        "too few repeats, 7 are needed",
        "undecided (about 6 more repeats)",
    ]);
    // A warm-up and one block.
    assert_eq!(place.runs(), 2 * 2 * 3);
    place.run(&[&look[..], &["--resume"]].concat()).exits(0);
    place.run(&["run", file, "--resume"]).exits(1).complains(&["another experiment"]);
    place
        .run(&["run", file, "--repeats", "0", "--overwrite"])
        .exits(1)
        .complains(&["repeats is 0"]);
}

#[test]
fn what_fails_is_recorded_and_the_rest_goes_on() {
    let place = Place::new();
    place.script("crash.sh", "#!/bin/sh\necho the reason >&2\nkill -SEGV $$\n");
    place.script("empty.sh", "#!/bin/sh\n");
    place.script(
        "skip.sh",
        "#!/bin/sh\necho '{\"format\":1,\"skipped\":\"it has no windows\"}'\nexit 77\n",
    );
    let benchmark = |name: &str| format!("[[benchmark]]\nbinary = \"./{name}.sh\"\n");
    let mut all = ["bench", "crash", "empty", "skip"].map(benchmark).concat();
    all += "sweep = { \"-x\" = [1, 2] }\n";
    let file = place.experiment(&all);
    place.run(&["run", file]).exits(0).says(&[
        "failed: crash.sh with fast: ",
        "failed: empty.sh with slow: it printed nothing",
        "skipped: skip.sh (2 command lines) with fast: it has no windows",
        "3.00x",
    ]);
    // What fails is tried twice, what is skipped once, by each variant.
    assert_eq!(place.runs(), 2 * 9 + 2 * 2 + 2 * 2 + 2 * 2);
    assert!(place.read("e.ab/samples.jsonl").contains("the reason"));

    // Nothing at all.
    let file = place.experiment(&benchmark("crash"));
    let ended = place.run(&["run", file, "--overwrite"]).exits(1);
    ended.complains(&["nothing was measured", "crash.sh with"]);
}

/// Fails in the second of its runs with a speed of 3, and has no windows with one of 5.
const FLAKY: &str = r#"#!/bin/sh
if [ "$MCA_speed" = 3 ]; then
  echo >> flaky-runs
  [ $(wc -l < flaky-runs) = 2 ] && kill -SEGV $$
fi
if [ "$MCA_speed" = 5 ]; then
  echo '{"format":1,"skipped":"it has no windows"}'
  exit 77
fi
exec ./bench.sh
"#;

#[test]
fn verdicts_are_recorded_in_a_page() {
    let place = Place::new();
    place.script("flaky.sh", FLAKY);
    let rule = |says: &str, benchmark: &str, left: &str, bound: &str| {
        format!(
            "[[verdict]]\nsays = \"{says}\"\nbenchmark = \"{benchmark}.sh\"\n{bound}\n\
             left = {{ variant = \"{left}\" }}\nright = {{ variant = \"slow\" }}\n"
        )
    };
    let rules = [
        rule("Fast is as fast as slow", "bench", "fast", "between = [0.9, 1.1]"),
        rule("Fast is not worse", "bench", "fast", "not-worse = true"),
        rule("Slow is as fast as itself", "bench", "slow", "between = [0.9, 1.1]"),
        rule("Fast survives", "flaky", "fast", "at-least = 2"),
        rule("Five has windows", "flaky", "five", "at-least = 2\nneeds-cores = 100000"),
        rule("Many cores", "bench", "fast", "at-most = 2\nneeds-cores = 100000"),
    ];
    let file = place.experiment(&format!(
        "baseline = \"slow\"\n[[benchmark]]\nbinary = \"./bench.sh\"\n\
         [[benchmark]]\nbinary = \"./flaky.sh\"\n{}\
         [[variant]]\nname = \"five\"\nmca = {{ speed = 5 }}\n",
        rules.concat()
    ));
    place.run(&["run", file]).exits(0).says(&[
        "failed: flaky.sh with fast: killed by SIGSEGV (11) (1 of 9 runs)",
        "undecided; 1 run failed",
        "verdicts: 2 holds, 1 does not hold, 1 undecided, 1 not implemented, \
         1 needs more cores (seen here: does not hold)",
    ]);
    fs::write(place.path("page.md"), "# Found\n\nText.\n\n## Other\n\n* It: **holds**; so.\n")
        .unwrap();
    for _ in 0..2 {
        place.run(&["report", "e.ab", "--verdicts", "page.md"]).exits(0);
        let page = place.read("page.md");
        let count = "| holds | 3 |\n| does not hold | 1 |\n| undecided | 1 |\n| not implemented | 1 |\n\
                     | needs more cores (seen here: does not hold) | 1 |\n";
        assert!(page.contains(count), "{page}");
        let page = page.replace("\n  ", " ");
        for part in [
            "* Fast is as fast as slow: **does not hold**; the ratio at 8 B is 3.00 (95 % interval \
             3.00 to 3.00); claimed is between 0.9 and 1.1.",
            "* Fast is not worse: **holds**; ",
            "* Fast survives: **undecided** (runs failed); the ratio at 8 B is 3.00",
            "1 of 9 runs of fast failed: killed by SIGSEGV (11).",
            "* Five has windows: **not implemented**; five: it has no windows.",
            "* Many cores: **needs 100000 cores** (seen here: does not hold; the ratio",
            "Runs that failed:\n\n* failed: flaky.sh with fast",
        ] {
            assert!(page.contains(part), "no {part} in {page}");
        }
        assert_eq!(page.matches("## Fakes").count(), 1);
    }
    let page = place.read("e.ab/report/report.html");
    let count =
        "<tr><td>needs more cores (seen here: does not hold)</td><td class=\"n\">1</td></tr>";
    assert!(page.contains(count), "{page}");
    let json: serde_json::Value =
        serde_json::from_str(&place.read("e.ab/report/results.json")).unwrap();
    let verdicts = json["summary"]["verdicts"].as_array().unwrap();
    let findings: Vec<&str> = verdicts.iter().map(|it| it["finding"].as_str().unwrap()).collect();
    let expected =
        ["does_not_hold", "holds", "holds", "undecided", "not_implemented", "needs_cores"];
    assert_eq!(findings, expected);
    assert_eq!(verdicts[3]["lacks"], "success");
}

#[test]
fn what_no_library_has_is_reported_as_not_implemented() {
    let place = Place::new();
    place.script(
        "skip.sh",
        "#!/bin/sh\necho '{\"format\":1,\"skipped\":\"no windows\"}'\nexit 77\n",
    );
    let file = place.experiment(
        "[[benchmark]]\nbinary = \"./skip.sh\"\n[[verdict]]\nsays = \"Windows are fast\"\n\
         at-least = 2\nleft = { variant = \"fast\" }\nright = { variant = \"slow\" }",
    );
    place
        .run(&["run", file])
        .exits(0)
        .says(&["not implemented; fast: no windows; slow: no windows"]);
    fs::write(place.path("page.md"), "# Found\n").unwrap();
    place.run(&["report", "e.ab", "--verdicts", "page.md"]).exits(0);
    let page = place.read("page.md");
    assert!(page.contains("| not implemented | 1 |"), "{page}");
}

#[test]
fn a_file_with_too_few_repeats_is_refused() {
    let place = Place::new();
    let file = place.experiment(SWEEP);
    let few = place.read(file).replace("repeats = 8", "repeats = 5");
    fs::write(place.path(file), few).unwrap();
    let ended = place.run(&["check", file]).exits(1);
    ended.complains(&["repeats is 5", "6 or more", "no 95 % interval"]);
}

#[test]
fn what_hangs_is_ended_with_all_that_it_started() {
    let place = Place::new();
    // One stays, one leaves the process group, one leaves its parent; none wants to end.
    place.script(
        "hang.sh",
        "#!/bin/sh\ntrap '' TERM\n\
         setsid sh -c 'trap \"\" TERM; echo $$ >> pids; while :; do sleep 1000; done' &\n\
         (sh -c 'trap \"\" TERM; echo $$ >> pids; while :; do sleep 1000; done' &)\n\
         echo $$ >> pids\nwhile :; do sleep 1000; done\n",
    );
    let file = place.experiment(
        "time-limit = 1\n[[benchmark]]\nbinary = \"./hang.sh\"\n[[benchmark]]\nbinary = \"./bench.sh\"",
    );
    let ended = place.run(&["run", file]).exits(0);
    ended.says(&["failed: hang.sh with slow: it did not end in 1 s and was ended", "3.00x"]);
    let pids = place.read("pids");
    assert!(pids.lines().count() >= 4, "{pids}");
    for pid in pids.lines() {
        let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
        assert!(test_kill_process(pid).is_err(), "{pid:?} is left");
    }
}

/// Starts two more, of which one leaves the process group and one its parent. None wants to end. Each
/// says who it is, the first one before who watches over it, and waits for ever.
const STAYS: &str = r#"#!/bin/sh
trap '' TERM HUP INT
setsid sh -c 'trap "" TERM; echo $$ > here; while :; do sleep 1000; done' &
(sh -c 'trap "" TERM; echo $$ > here; while :; do sleep 1000; done' &)
echo "$PPID watches" > here
echo $$ > here
while :; do sleep 1000; done
"#;

/// An experiment whose first run stays.
struct Staying {
    place: Place,
    command: Child,
    /// Who watches over the run.
    supervisor: Pid,
    /// By these one sees that its processes, and the supervisor, have ended.
    ends: Vec<(Pid, OwnedFd)>,
}

impl Staying {
    fn new() -> Self {
        let place = Place::new();
        let here = fifo(&place.path("here"));
        place.script("stays.sh", STAYS);
        place.script(
            "once.sh",
            "#!/bin/sh\nif mkdir first; then exec ./stays.sh; fi\nexec ./bench.sh \"$@\"\n",
        );
        let file = place.experiment("[[benchmark]]\nbinary = \"./once.sh\"");
        // Without `timeout`, which would pass on what it can and end what it can't.
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn-ab"));
        command.arg("--prefix").arg(place.path("cairn")).arg("--cache").arg(place.path("cache"));
        command.args(["run", file]).current_dir(place.dir.path()).stdin(Stdio::null());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        while said.lines().count() < 4 {
            assert!(readable(&here), "it does not come so far: {said}");
            let mut bytes = [0; 256];
            let length = rustix::io::read(&here, &mut bytes).unwrap();
            said.push_str(std::str::from_utf8(&bytes[..length]).unwrap());
        }
        let pid = |line: &str| {
            let number = line.split(' ').next().unwrap().parse().unwrap();
            Pid::from_raw(number).unwrap()
        };
        let open = |line| (pid(line), pidfd_open(pid(line), PidfdFlags::empty()).unwrap());
        let supervisor = said.lines().find(|line| line.ends_with("watches")).map(pid).unwrap();
        Self { place, command, supervisor, ends: said.lines().map(open).collect() }
    }

    /// All processes of the run have ended.
    fn ends(&self) {
        for (pid, end) in &self.ends {
            assert!(readable(end), "{pid:?} is left");
        }
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        // Only a test that fails has any of them left.
        let _ = self.command.kill();
        let _ = self.command.wait();
        for (_, end) in &self.ends {
            let _ = pidfd_send_signal(end, Signal::KILL);
        }
    }
}

/// A new pipe with a name, open so that it has a writer.
fn fifo(path: &Path) -> OwnedFd {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    rustix::fs::open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

/// Waits until something can be read, or until the process of a descriptor has ended.
fn readable(fd: &OwnedFd) -> bool {
    let limit = Timespec { tv_sec: DEADLINE.parse().unwrap(), tv_nsec: 0 };
    poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&limit)).unwrap() == 1
}

#[test]
fn nothing_is_left_when_it_is_killed() {
    let mut run = Staying::new();
    run.command.kill().unwrap();
    run.ends();
    // What was measured before, which is nothing, is kept.
    run.place.run(&["run", "e.toml", "--resume"]).exits(0).says(&["3.00x"]);
}

#[test]
fn nothing_is_left_when_who_watches_is_killed() {
    let mut run = Staying::new();
    assert_ne!(run.supervisor, Pid::from_child(&run.command));
    kill_process(run.supervisor, Signal::KILL).unwrap();
    run.ends();
    // The rest goes on.
    assert!(readable(&pidfd_open(Pid::from_child(&run.command), PidfdFlags::empty()).unwrap()));
    let mut text = String::new();
    run.command.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(run.command.wait().unwrap().code(), Some(0), "{text}");
    assert!(text.contains("3.00x"), "{text}");
    assert!(run.place.read("e.ab/samples.jsonl").contains("what watched over it was killed"));
}

#[test]
fn what_was_interrupted_goes_on() {
    let place = Place::new();
    // Before it measures for the ninth time it says so, and waits for ever.
    let open = fifo(&place.path("here"));
    place.script(
        "once.sh",
        "#!/bin/sh\nif [ $(wc -l < cairn/runs) = 9 ]; then echo > here; exec sleep 1000; fi\n\
         exec ./bench.sh \"$@\"\n",
    );
    let file = place.experiment("[[benchmark]]\nbinary = \"./once.sh\"");
    let mut command = place.command(&["run", file]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(readable(&open), "it does not come so far");
    // timeout passes it on.
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = Ended::of(child.wait_with_output().unwrap());
    ended.exits(130).complains(&["stopped", "--resume"]);
    assert_eq!(place.runs(), 9);
    place.run(&["report", "e.ab"]).exits(0).says(&["of 8 repeats (stopped"]);

    // The machine also stopped in the middle of a line.
    let store = place.path("e.ab/samples.jsonl");
    let mut text = fs::read_to_string(&store).unwrap();
    text += "{\"kind\":\"run\",\"blo";
    fs::write(&store, text).unwrap();
    let ended = place.run(&["run", file, "--resume"]).exits(0);
    ended.complains(&["the last line is not finished"]).says(&["8 of 8 repeats;", "3.00x"]);
    // Eight were kept, the ninth was run again.
    assert_eq!(place.runs(), 18 + 1);
    let text = fs::read_to_string(&store).unwrap();
    assert_eq!(text.matches("\"kind\":\"run\"").count(), 18);
    assert_eq!(text.matches("\"kind\":\"environment\"").count(), 2);
}

#[test]
fn a_corrupt_store_names_the_line() {
    let place = Place::new();
    let file = place.experiment("[[benchmark]]\nbinary = \"./bench.sh\"");
    place.run(&["run", file]).exits(0);
    let store = place.path("e.ab/samples.jsonl");
    let text = fs::read_to_string(&store).unwrap();
    fs::write(&store, text.replacen("\"kind\":\"run\"", "\"kind\":\"rum\"", 1)).unwrap();
    for args in [&["report", "e.ab"][..], &["run", file, "--resume"][..]] {
        place.run(args).exits(1).complains(&["corrupt", "samples.jsonl:3"]);
    }
    assert_eq!(place.runs(), 18);
    place.run(&["report", "nowhere"]).exits(1).complains(&["no measurements", "nowhere"]);
}

#[test]
fn a_peer_that_is_not_there_is_left_out_and_one_that_is_runs() {
    let place = Place::new();
    place.script("mpich/bin/mpiexec", "#!/bin/sh\nshift 4\nMCA_speed=5 exec \"$@\"\n");
    // The only Python there is can't install anything.
    place.script("python/python3", "#!/bin/sh\necho 'ERROR: no network' >&2\nexit 1\n");
    let file = place.experiment(
        "[[benchmark]]\nbinary = \"./bench.sh\"\n\
         [[variant]]\nname = \"peer\"\nmpi = \"mpich\"\n\
         [[variant]]\nname = \"other\"\nmpi = \"openmpi\"\n",
    );
    let paths = format!("{}:{}", place.path("python").display(), std::env::var("PATH").unwrap());
    let peer = format!("mpich={}", place.path("mpich").display());
    let mut command = place.command(&["run", file, "--peer", &peer]);
    let ended = Ended::of(command.env("PATH", paths).output().unwrap()).exits(0);
    let why = "python3 -m venv failed: ERROR: no network";
    // The first one is the baseline: the peer, which stands first.
    ended.complains(&["openmpi is left out", why]).says(&[
        "other was left out: ",
        why,
        "slow",
        "0.20x (0.20 – 0.20)",
        "worse",
    ]);
}

/// An older installation beside the other one. Its programs are three times as fast.
fn older(place: &Place) {
    let mpirun = MPIRUN.replace("exec", "export MCA_speed=3 VERSION=0.9; exec");
    place.script("old/bin/mpirun", &mpirun);
    place.script("old/bin/cairn-info", INFO);
}

#[test]
fn installations_are_compared_in_one_run() {
    let place = Place::new();
    older(&place);
    let quick = ["quick", "--repeats", "7", "--retries", "0"];
    let bench = ["--", "./bench.sh"];
    let run = |settings: &[&str]| place.run(&[&quick[..], settings, &bench[..]].concat());
    let old = place.path("old").display().to_string();
    // The one with the name is the baseline; what it runs on is in the report.
    let ended = run(&["--variant", "old=old", "default", "prefix=old pace=1"]).exits(0);
    ended.says(&["old", "baseline", "default", "0.33x (0.33 – 0.33)", "1.00x"]);
    let page = place.read("cache/quick/report/report.html");
    for part in ["<td>old</td><td>Fake 0.9", "<td>default</td><td>Fake 1 ", &format!("in {old}<")] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&place.read("cache/quick/report/results.json")).unwrap();
    assert_eq!(json["summary"]["versions"]["old"], "Fake 0.9");
    let samples = place.read("cache/quick/samples.jsonl");
    assert!(samples.contains(&format!("{old}/bin/mpirun")), "{samples}");
    // Its parameters are its own, and it must be there.
    run(&["default", "prefix=old speed=1"]).exits(1).complains(&[
        "there is no parameter speed",
        "variant prefix=old speed=1",
        "pace?",
    ]);
    run(&["--variant", "new=new"]).exits(1).complains(&["no installation", "variant new"]);
    for wrong in ["old", "=old", "old="] {
        run(&["--variant", wrong]).exits(2).complains(&["NAME=DIR"]);
    }

    // A file says it relative to itself.
    fs::create_dir(place.path("files")).unwrap();
    let text = "title = \"T\"\nwarmup = 0\nnoise.retries = 0\n[[benchmark]]\nbinary = \"../bench.sh\"\n\
                [[variant]]\nname = \"new\"\n[[variant]]\nname = \"old\"\nprefix = \"../old\"\n";
    fs::write(place.path("files/e.toml"), text).unwrap();
    place.run(&["run", "files/e.toml", "--repeats", "1"]).exits(0).says(&["new", "old", "3.00x"]);
}

#[test]
fn a_variant_has_one_version() {
    let place = Place::new();
    // What is installed is replaced after the fifth run.
    place.script(
        "new.sh",
        "#!/bin/sh\n[ $(wc -l < cairn/runs) -gt 5 ] && export VERSION=2\nexec ./bench.sh \"$@\"\n",
    );
    let file = place.experiment("[[benchmark]]\nbinary = \"./new.sh\"");
    let changed = ["has changed: it was Fake 1, and is Fake 2", "variant ", "--overwrite"];
    place.run(&["run", file]).exits(1).complains(&changed);
    assert_eq!(place.runs(), 6);
    place.run(&["run", file, "--resume"]).exits(1).complains(&changed);
    place.run(&["run", file, "--overwrite"]).exits(0);
    // A store in which it has changed all the same.
    let store = place.path("e.ab/samples.jsonl");
    let text = fs::read_to_string(&store).unwrap();
    fs::write(&store, text.replacen("Fake 2", "Fake 1", 1)).unwrap();
    place.run(&["report", "e.ab"]).exits(1).complains(&["has changed", "variant "]);
}

#[test]
fn a_run_on_another_library_fails() {
    let place = Place::new();
    for name in ["cairn", "other"] {
        place.script(&format!("{name}/lib/libmpi_abi.so.1"), name);
    }
    let library = |name: &str| place.path(&format!("{name}/lib/libmpi_abi.so.1"));
    let (own, other) = (library("cairn"), library("other"));
    let text = format!(
        "title = \"T\"\nwarmup = 0\nnoise.retries = 0\n[[benchmark]]\nbinary = \"./bench.sh\"\n\
         [[variant]]\nname = \"right\"\nenv.LOADED = {own:?}\n\
         [[variant]]\nname = \"wrong\"\nenv.LOADED = {other:?}\n"
    );
    fs::write(place.path("e.toml"), text).unwrap();
    let ended = place.run(&["run", "e.toml", "--repeats", "1"]).exits(0);
    let why = format!("it ran on {} instead of {}", other.display(), own.display());
    ended.says(&["failed: bench.sh with wrong", &why, "right"]);
    assert_eq!(place.read("e.ab/samples.jsonl").matches("\"status\":\"measured\"").count(), 1);
}

#[test]
fn what_messages_cost_is_counted() {
    let place = Place::new();
    place.script("mpich/bin/mpiexec", "#!/bin/sh\nshift 4\nexec \"$@\"\n");
    let rule = "[[verdict]]\nsays = \"fast polls more\"\nmetric = \"polls_per_message\"\nat-least = 1.4\n\
                left = { variant = \"fast\" }\nright = { variant = \"slow\" }\n\
                [[verdict]]\nsays = \"fast is fast\"\nat-least = 2.9\n\
                left = { variant = \"fast\" }\nright = { variant = \"slow\" }\n";
    let peer = "[[variant]]\nname = \"peer\"\nmpi = \"mpich\"\n";
    let benchmark = "[[benchmark]]\nbinary = \"./bench.sh\"\nmetric = \"rate\"\n";
    let file = place.experiment(&format!("{benchmark}{rule}{peer}"));
    let text = place.read(file);
    // Only where it is wanted.
    let given = format!("mpich={}", place.path("mpich").display());
    place.run(&["run", file, "--peer", &given]).exits(0);
    let before = place.read("e.ab/samples.jsonl");
    assert!(!before.contains("counters_report") && !before.contains("counters\""), "{before}");

    fs::write(place.path(file), format!("baseline = \"slow\"\ncounts = true\n{text}")).unwrap();
    let ended = place.run(&["run", file, "--overwrite", "--peer", &given]).exits(0);
    ended.says(&[
        "bench.sh: rate",
        // Of both instances: 300 and 100 times the speed, by 100 messages.
        "bench.sh: polls_per_message, less is better",
        "1.50x (1.50 – 1.50)",
        "bench.sh: cpu_time_per_message",
        // A metric that is not named is none of these.
        "fast is fast: holds",
        "fast polls more: holds",
        "not counted: bench.sh with peer: it is a counter of Cairn: cri_lock_waits_per_message",
    ]);
    let csv = place.read("e.ab/report/results.csv");
    for line in [
        "bench.sh,polls_per_message,1,lower,8,fast,8,6,6,6,6,1.5,1.5,1.5,0,more",
        "bench.sh,sends_per_message,1,lower,8,slow,8,1,1,1,1,,,,0,",
        "bench.sh,lock_waits_per_message,1,lower,8,slow,8,0,0,0,0,,,,0,",
    ] {
        assert!(csv.lines().any(|it| it == line), "{line} in {csv}");
    }
    let of = |metric: &str, variant: &str| {
        csv.lines().any(|it| it.contains(metric) && it.contains(&format!(",{variant},")))
    };
    assert!(of("cpu_time_per_message", "peer") && !of("polls_per_message", "peer"), "{csv}");
    let page = place.read("e.ab/report/report.html");
    assert!(page.contains("<li>not counted: bench.sh with peer: it is a counter"), "{page}");

    // From a command line, and with a benchmark that does not know its messages.
    let text = BENCH.replace(",\"messages\":$((iterations * 100))", "");
    place.script("silent.sh", &text);
    let quick = ["quick", "--counts", "--repeats", "1", "--retries", "0", "default", "--"];
    let ended = place.run(&[&quick[..], &["./silent.sh"]].concat()).exits(0);
    ended.says(&["not counted: silent.sh with default: the benchmark does not say how many"]);
    place.run(&[&quick[..], &["./bench.sh"]].concat()).exits(0).says(&["polls_per_message"]);
}

/// Says that each iteration takes 5000 instructions for each unit of speed, of which 2000 are in 50 calls.
const VALGRIND: &str = r#"#!/bin/sh
[ "$1" = --version ] && exit
while [ "${1#--}" != "$1" ]; do
  case $1 in --callgrind-out-file=*) file=${1#*=};; esac
  shift
done
echo "$*" >> valgrind.args
file=$(echo "$file" | sed "s/%p/$$/")
n=$(echo "$*" | sed 's/.*--iterations \([0-9]*\).*/\1/')
cat > "$file" <<END
fn=(1) main
0 7
cfn=(2) PMPI_Isend
calls=$((3 + n * 50)) 0
0 $((900 + n * 2000 * ${MCA_speed:-1}))

totals: $((1000000 + n * 5000 * ${MCA_speed:-1}))
END
exec "$@"
"#;

#[test]
fn instructions_are_counted_after_all_that_is_timed() {
    let place = Place::new();
    place.script("tools/valgrind", VALGRIND);
    place.script("none/valgrind", "#!/bin/sh\nexit 1\n");
    // Several sizes in a run, a time that is replaced, and an argument of the variant.
    let file = place.experiment(
        "instructions = true\n[[benchmark]]\nbinary = \"./bench.sh\"\n\
         args = [\"--time\", 0.1, \"-x\"]\nranks = 1\n",
    );
    let run = |tools: &str, more: &[&str]| {
        let paths = format!("{}:{}", place.path(tools).display(), std::env::var("PATH").unwrap());
        let mut command = place.command(&[&["run", file], more].concat());
        Ended::of(command.env("PATH", paths).output().unwrap())
    };
    run("tools", &[]).exits(0).says(&[
        "bench.sh: instructions_per_message, less is better",
        "bench.sh: send_instructions_per_message",
        "3.00x (3.00 – 3.00)",
    ]);
    let csv = place.read("e.ab/report/results.csv");
    for line in [
        "bench.sh,instructions_per_message,1,lower,8,slow,6,50,50,50,50,,,,0,",
        "bench.sh,send_instructions_per_message,1,lower,8,fast,6,120,120,120,120,3,3,3,0,more",
    ] {
        assert!(csv.lines().any(|it| it == line), "{line} in {csv}");
    }
    assert!(!csv.contains("cpu_time"), "{csv}");
    // All that is timed, and twice each of six times.
    assert_eq!(place.runs(), 9 * 2 + 2 * 2 * 6);
    for line in place.read("valgrind.args").lines() {
        let args = line.split_once("bench.sh ").unwrap().1;
        assert!(args.starts_with("-x --iterations ") && !args.contains("--time"), "{line}");
    }
    run("tools", &["--resume"]).exits(0);
    assert_eq!(place.runs(), 42);

    let ended = run("none", &["--overwrite"]).exits(0);
    ended.says(&[
        "not counted: bench.sh with slow: valgrind does not run: instructions_per_message, send_in",
        "bench.sh: rate",
    ]);
    place.script("tools/valgrind", "#!/bin/sh\n[ \"$1\" = --version ] || kill -ILL $$\n");
    let ended = run("tools", &["--overwrite"]).exits(0);
    ended.says(&["it does not run under valgrind: killed by SIGILL (4)", "bench.sh: rate"]);
}

/// Uses the processor for 0.2 seconds in a process that leaves its parent and its group.
const BUSY: &str = r#"#!/bin/sh
mkfifo ended.$$
(setsid sh -c '
while read -r _ _ _ _ _ _ _ _ _ _ _ _ _ ticks _ < /proc/$$/stat && [ $ticks -lt 20 ]; do :; done
echo > '"ended.$$"' ' &)
read -r _ < ended.$$
exec ./bench.sh "$@"
"#;

#[test]
fn processor_time_is_that_of_all_processes() {
    let place = Place::new();
    place.script("busy.sh", BUSY);
    let quick = ["quick", "--counts", "--repeats", "1", "--retries", "0", "default", "--"];
    place.run(&[&quick[..], &["./busy.sh"]].concat()).exits(0).says(&["cpu_time_per_message"]);
    let samples = place.read("cache/quick/samples.jsonl");
    let runs: Vec<serde_json::Value> =
        samples.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let cpu: Vec<f64> =
        runs.iter().filter_map(|run| run["outcome"]["counts"]["cpu"].as_f64()).collect();
    // A tick is a hundredth of a second in this interface of the kernel, whatever its clock.
    assert!(cpu.len() == 2 && cpu.iter().all(|cpu| *cpu >= 0.19), "{cpu:?}");
}

#[test]
fn settings_of_a_command_line_are_compared() {
    let place = Place::new();
    let bench = ["--", "./bench.sh", "--threads", "2"];
    let settings = ["quick", "--repeats", "6", "--retries", "0", "speed=1", "speed=2", "default"];
    let ended = place.run(&[&settings[..], &bench[..]].concat()).exits(0);
    ended.says(&["speed=2", "2.00x", "1.00x", "cache/quick/report/report.html"]);
    // Again at once: nothing is in the way.
    place.run(&[&["quick", "speed=1"][..], &bench[..]].concat()).exits(0);
    let ended = place.run(&[&["quick", "spede=1"][..], &bench[..]].concat()).exits(1);
    ended.complains(&["there is no parameter spede"]);
    place.run(&["quick", "speed=1"]).exits(2);
    place.run(&["quick", "speed=1", "--", "./none.sh"]).exits(1).complains(&["no such benchmark"]);
}

#[test]
fn what_can_be_varied_is_listed() {
    let place = Place::new();
    place.run(&["list"]).exits(0).says(&["cri", "comm", "speed", "a number", "2 more"]);
}

#[test]
fn a_machine_without_an_installation_is_told() {
    let place = Place::new();
    fs::remove_dir_all(place.path("cairn")).unwrap();
    let ended = place.run(&["list"]).exits(1);
    ended.complains(&["no installation", "--prefix", "cargo xtask dist"]);
    assert!(!Path::new("e.ab").exists());
}
