//! mpirun as its users see it: what ranks get, what becomes of their output, and what is said when
//! something goes wrong.

use std::fs;
use std::path::Path;
use std::time::Instant;

use cairn_tests::{Ended, Run, dist, executable, root, scratch};

/// The program that does what its arguments say.
const RANK: &str = env!("CARGO_BIN_EXE_rank");

/// `mpirun` with these options and this program, split at blanks.
fn mpirun(line: &str) -> Run {
    Run::mpirun().args(["--oversubscribe"]).args(line.split_whitespace())
}

/// The same with a script for the shell behind it.
fn shell(options: &str, script: &str) -> Run {
    mpirun(options).args(["/bin/sh", "-c", script])
}

/// The lines of an output that comes in any order.
fn sorted(ended: &Ended) -> Vec<&str> {
    let mut lines: Vec<&str> = ended.stdout.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn ranks_exchange_values_and_know_their_job() {
    for ranks in [1, 2, 5, 8] {
        let ended = mpirun(&format!(
            "-n {ranks} {RANK} connect job put k 1000 put empty 0 put long 65536 fence check k 1000 \
             check empty 0 check long 65536 fence put k 3 fence check k 3 disconnect"
        ))
        .ok();
        let zeros = vec!["0"; ranks].join(" ");
        for rank in 0..ranks {
            ended.says(&[&format!(
                "{rank} of {ranks}, {rank} of {ranks} here, app 0, universe -1, spawned 0, nodes 1 \
                 [{zeros}], by mpirun of Cairn MPI"
            )]);
        }
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn ranks_share_a_name_and_a_secret() {
    let ended = mpirun(&format!("-n 3 {RANK} variables")).ok();
    let lines = sorted(&ended);
    let same: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once(": ")).map(|l| l.1).collect();
    assert!(same.len() == 3 && same.iter().all(|line| *line == same[0]), "{ended}");
    ended.says(&["secret true"]);
    // The secret stands in no command line.
    let script = r#"case $(cat /proc/*/cmdline | tr '\0' ' ') in
        *$CAIRN_JOB_SECRET*) echo in sight;; *) echo hid""den;; esac"#;
    shell("-n 1", script).ok().says(&["hidden"]);
}

#[test]
fn names_are_published_across_ranks() {
    let line = format!(
        "-n 2 {RANK} connect on 0 publish the-name tag#0$port fence lookup the-name fence \
         on 1 withdraw the-name fence lookup the-name disconnect"
    );
    let ended = mpirun(&line).ok();
    assert_eq!(
        sorted(&ended),
        [
            "0: the-name is at not found",
            "0: the-name is at tag#0$port",
            "1: the-name is at not found",
            "1: the-name is at tag#0$port",
        ]
    );
}

#[test]
fn several_programs_are_one_job() {
    let line = format!(
        "-n 1 -x A=one /bin/sh -c {RANK}${{IFS}}connect${{IFS}}job${{IFS}}print${{IFS}}$A${{IFS}}\
         disconnect : -np 2 {RANK} connect job disconnect"
    );
    let ended = mpirun(&line).ok();
    ended.says(&["0 of 3", "app 0", "1 of 3", "2 of 3", "app 1", "one"]);
}

#[test]
fn environment_and_directory() {
    let dir = scratch();
    let dir = dir.path().canonicalize().unwrap();
    let ended = shell(
        &format!("-n 2 -x GIVEN=a=b -x PASSED -wdir {}", dir.display()),
        "echo $GIVEN $PASSED $PWD $PMI_RANK $MPI_LOCALRANKID $MPI_LOCALNRANKS $PMI_SIZE",
    )
    .env("PASSED", "on")
    .ok();
    let expected = |rank| format!("a=b on {} {rank} {rank} 2 2", dir.display());
    assert_eq!(sorted(&ended), [expected(0), expected(1)]);
    // Another launcher's variables are about another job.
    let ended = shell("-n 1", "env").env("PMIX_RANK", "7").env("OMPI_COMM_WORLD_SIZE", "9").ok();
    assert!(!ended.stdout.contains("PMIX_RANK") && !ended.stdout.contains("OMPI_"), "{ended}");
    let ended = shell("-n 1 -x NOT_SET_HERE", "echo runs").ok();
    ended.says(&["runs"]).complains(&["NOT_SET_HERE is not set here"]);
}

#[test]
fn parameters_reach_the_ranks_and_beat_the_environment() {
    let info = dist().join("bin/cairn-info").display().to_string();
    let name = "cri_dedicated_priority";
    let dir = scratch();
    let tune = dir.path().join("tune.toml");
    fs::write(&tune, format!("{name} = 33\n")).unwrap();
    let explain = format!("{info} --explain {name}");
    let passed = |options: &str| mpirun(&format!("-n 1 {options} {explain}"));
    passed(&format!("--mca {name} 36"))
        .env(&format!("CAIRN_MCA_{name}"), "35")
        .ok()
        .says(&[&format!("{name} = 36")]);
    passed("").env(&format!("CAIRN_MCA_{name}"), "35").ok().says(&[&format!("{name} = 35")]);
    // A relative file is the one that mpirun sees, wherever the ranks run.
    mpirun(&format!("-n 1 --tune tune.toml --wdir / {explain}"))
        .dir(dir.path())
        .ok()
        .says(&[&format!("{name} = 33")]);

    // Those of the MPI layer, too, which no component has.
    passed("--mca mpi_param_check 0").env("CAIRN_MCA_mpi_param_check", "1").ok();
    let of_mpi = mpirun(&format!("-n 1 --mca mpi_param_check 0 {info} --explain mpi_param_check"));
    of_mpi.ok().says(&["mpi_param_check = false", "the command line"]);

    for (options, parts) in [
        ("--mca mpi_param_chek 0".into(), &["did you mean mpi_param_check?"][..]),
        ("--mca mpi_param_check 2".into(), &["mpi_param_check"]),
        (format!("--mca {name}_ 1"), &["there is no parameter", "did you mean"]),
        (format!("--mca {name} 101"), &["0 to 100"]),
        ("--mca cri nothing".into(), &["nothing"]),
        ("--profile latop".into(), &["did you mean laptop?"]),
        ("--tune /nonexistent.toml".into(), &["/nonexistent.toml"]),
    ] {
        let ended = mpirun(&format!("-n 2 {options} /bin/echo started")).exits(1);
        ended.complains(parts);
        assert_eq!(ended.stdout, "", "{ended}");
    }
    let bad = mpirun("-n 1 /bin/echo started").env("CAIRN_MCA_cri", "nothing").exits(1);
    bad.complains(&["environment variable CAIRN_MCA_cri"]);
}

#[test]
fn standard_input_goes_to_rank_0() {
    let dir = scratch();
    let file = dir.path().join("input");
    fs::write(&file, "a\nb\n").unwrap();
    let ended = shell("-n 3", "echo $PMI_RANK $(wc -l)").input(&file).ok();
    assert_eq!(sorted(&ended), ["0 2", "1 0", "2 0"]);
}

/// In a terminal, ranks are in no foreground group; input reaches rank 0 all the same.
#[test]
fn a_terminals_input_goes_to_rank_0() {
    let dir = scratch();
    let file = dir.path().join("input");
    fs::write(&file, "typed\n\u{4}").unwrap();
    let mpirun = dist().join("bin/mpirun");
    let script = "if read word; then echo $PMI_RANK $word; else echo $PMI_RANK nothing; fi";
    let command = format!("{} -n 2 --oversubscribe /bin/sh -c '{script}'", mpirun.display());
    let ended = Run::new("script").args(["-qec", &command, "/dev/null"]).input(&file).ok();
    ended.says(&["0 typed", "1 nothing"]);
}

#[test]
fn output_is_tagged_line_by_line() {
    let script = "printf 'a\\nb'; printf 'c\\nlast'; echo error >&2";
    let ended = shell("-n 2 --tag-output", script).ok();
    let expected =
        ["[0] a", "[0] bc", "[0] last", "[1] a", "[1] bc", "[1] last"].map(str::to_owned);
    assert_eq!(sorted(&ended), expected);
    let mut errors: Vec<&str> = ended.stderr.lines().collect();
    errors.sort_unstable();
    assert_eq!(errors, ["[0] error", "[1] error"]);
    // More than any pipe holds, through a reader that takes its time.
    let command = format!(
        "'{}' -n 4 --oversubscribe -l {RANK} lines 30000 | (read first; cat) | wc -l",
        dist().join("bin/mpirun").display()
    );
    let ended = Run::new("sh").args(["-c", &command]).ok();
    assert_eq!(ended.stdout.trim(), "119999");
    // A reader that has seen enough.
    let command = command.replace("(read first; cat) | wc -l", "head -n 1");
    Run::new("sh").args(["-c", &command]).ok().says(&["line 0"]);
}

#[test]
fn output_goes_into_files() {
    let dir = scratch();
    let place = dir.path().join("new/place");
    let options = format!("-n 2 --output-dir {}", place.display());
    let ended = shell(&options, "echo out $PMI_RANK; echo err $PMI_RANK >&2").ok();
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    for rank in 0..2 {
        for kind in ["out", "err"] {
            let text = fs::read_to_string(place.join(format!("rank.{rank}.{kind}"))).unwrap();
            assert_eq!(text, format!("{kind} {rank}\n"));
        }
    }
}

#[test]
fn the_first_failure_is_reported_and_ends_the_others() {
    for (action, code, parts) in [
        ("exit 3", 3, &["rank 1 exited with status 3", "end:     exit status 3"][..]),
        ("raise 11", 139, &["rank 1 was killed by SIGSEGV", "end:     signal 11"]),
        ("raise 9", 137, &["rank 1 was killed by SIGKILL"]),
        (
            "abort 7 enough on 1 exit 7",
            7,
            &["rank 1 aborted the job with code 7: enough", "end:     exit status 7"],
        ),
        ("abort 0 zero on 1 exit 1", 1, &["rank 1 aborted the job with code 0"]),
        ("exit 0", 1, &["rank 1 ended without MPI_Finalize"]),
    ] {
        for options in ["", "--tag-output"] {
            let line = format!("-n 4 {options} {RANK} connect fence on 1 {action} hang");
            let start = Instant::now();
            let ended = mpirun(&line).exits(code);
            ended.complains(parts).complains(&[
                "the 3 other processes were ended",
                "rank:    1 of 4",
                "program: /",
                "host:    ",
                "process: ",
            ]);
            let lived = ended.stderr.lines().find_map(|line| line.strip_prefix("  lived:   "));
            let lived = lived.and_then(|lived| lived.strip_suffix(" s")?.parse::<f64>().ok());
            // It is rounded.
            let most = start.elapsed().as_secs_f64() + 0.1;
            assert!(lived.is_some_and(|lived| lived <= most), "{lived:?} of {most}\n{ended}");
            assert_eq!(ended.stderr.matches("mpirun: ").count(), 1, "one block\n{ended}");
        }
    }
}

/// Functions of a shell for scripts in which ranks do things in an order: a file says that something has
/// happened, and the supervisor, which is the parent of all ranks, sleeps in between.
const IN_ORDER: &str = r#"
    await() { until test -e $1; do sleep 0.01; done; }
    dead() { await $1; until grep -q '^State:.Z' /proc/$(cat $1)/status; do sleep 0.01; done; }
    stop_the_supervisor() {
        for rank in 0 1 2; do await $rank; done
        kill -STOP $PPID
        until grep -q '^State:.T' /proc/$PPID/status; do sleep 0.01; done
        touch stopped
    }
    echo $$ >$PMI_RANK.tmp; mv $PMI_RANK.tmp $PMI_RANK
"#;

/// Three ranks that do this in a directory of their own.
fn in_order(script: &str, code: i32) -> Ended {
    let dir = scratch();
    let script = format!("{IN_ORDER}{script}");
    mpirun("-n 3").args(["bash", "-c", &script]).dir(dir.path()).exits(code)
}

/// Whatever mpirun hears first: the cause is what happened first.
#[test]
fn the_cause_is_what_came_first() {
    // Two ranks have ended when the supervisor looks.
    let exits = "case $PMI_RANK in
        0) await stopped; dead 1; exit 4;;
        1) await stopped; exit 3;;
        2) stop_the_supervisor; dead 1; dead 0; kill -CONT $PPID; exec sleep 1000;;
    esac";
    in_order(exits, 3).complains(&["mpirun: rank 1 exited with status 3"]);
    // So it is for one that a signal ended because another one was gone.
    let killed = exits.replace("dead 1; exit 4", "dead 1; kill -KILL $$");
    in_order(&killed, 3).complains(&["mpirun: rank 1 exited with status 3"]);
    // A rank aborts because another one is dead, which mpirun does not know yet. It has read the abort
    // when it has answered what was asked behind it.
    let aborts = "case $PMI_RANK in
        0) stop_the_supervisor; dead 1
           printf 'cmd=abort exitcode=9 message=late\\ncmd=get_maxes\\n' >&$PMI_FD
           read answer <&$PMI_FD; kill -CONT $PPID; exec sleep 1000;;
        1) await stopped; exit 3;;
        2) exec sleep 1000;;
    esac";
    in_order(aborts, 3).complains(&["mpirun: rank 1 exited with status 3"]);
    // The one that aborts comes first: it has aborted before another one dies.
    let dies = "case $PMI_RANK in
        0) stop_the_supervisor
           printf 'cmd=abort exitcode=9 message=first\\ncmd=get_maxes\\n' >&$PMI_FD
           read answer <&$PMI_FD; touch aborted; exit 9;;
        1) await aborted; dead 0; exit 3;;
        2) dead 1; kill -CONT $PPID; exec sleep 1000;;
    esac";
    in_order(dies, 9).complains(&["rank 0 aborted the job with code 9: first"]);
}

#[test]
fn the_environment_limits_the_time() {
    let sleeps = |options: &str| shell(options, "exec sleep 1000").env("MPIEXEC_TIMEOUT", "0.3");
    sleeps("-n 2").exits(124).complains(&["longer than 0.300 s (MPIEXEC_TIMEOUT); ranks 0, 1"]);
    sleeps("-n 1 --timeout 0.2").exits(124).complains(&["longer than 0.200 s (--timeout)"]);
    shell("-n 1", "exit 5").env("MPIEXEC_TIMEOUT", "1000").exits(5);
    shell("-n 1", "exit 5").env("MPIEXEC_TIMEOUT", "").exits(5);
    for wrong in ["0", "-1", "soon"] {
        let ended = mpirun("-n 1 /bin/echo started").env("MPIEXEC_TIMEOUT", wrong).exits(2);
        ended.complains(&["is no time", "environment variable MPIEXEC_TIMEOUT", "above 0"]);
        assert_eq!(ended.stdout, "", "{ended}");
    }
}

/// What the limits on descriptors are in a job, if they are this outside.
fn limits(outside: &str, options: &str, inside: &str) -> Vec<String> {
    let mpirun = dist().join("bin/mpirun");
    let script = format!(
        "{outside} && exec '{}' --oversubscribe {options} bash -c '{inside}'",
        mpirun.display()
    );
    let ended = Run::new("bash").args(["-c", &script]).ok();
    assert_eq!(ended.stderr, "", "{ended}");
    ended.stdout.split_whitespace().map(str::to_owned).collect()
}

/// Ranks may have more descriptors than a shell, as long as nothing else was said.
#[test]
fn ranks_get_the_descriptors_that_they_may_have() {
    let ask = "ulimit -Sn; ulimit -Hn";
    let (soft, hard) = ("ulimit -Sn 256", "ulimit -n 4000 && ulimit -Sn 256");
    assert_eq!(limits(hard, "-n 1", ask), ["4000", "4000"]);
    assert_eq!(limits("ulimit -n 300", "-n 1", ask), ["300", "300"]);
    let most = limits(soft, "-n 1", ask);
    let hard: u64 = most[1].parse().unwrap_or(u64::MAX);
    assert_eq!(most[0], hard.min(65_536).to_string());
    // What a script between mpirun and the program says stays.
    assert_eq!(limits(soft, "-n 1", "ulimit -Sn 200; ulimit -Sn"), ["200"]);
}

/// Processes that another launcher has started raise the limit themselves.
#[test]
fn ranks_of_other_launchers_raise_the_limit_on_descriptors() {
    let dir = scratch();
    let (source, program) = (dir.path().join("limit.c"), dir.path().join("limit"));
    let text = "#include <mpi.h>\n#include <stdio.h>\n#include <sys/resource.h>\n\
                int main(void) { struct rlimit l; MPI_Init(NULL, NULL); getrlimit(RLIMIT_NOFILE, &l); \
                printf(\"%lu\\n\", (unsigned long)l.rlim_cur); return MPI_Finalize(); }\n";
    fs::write(&source, text).unwrap();
    Run::new(dist().join("bin/mpicc")).args([&source]).args(["-o"]).args([&program]).ok();
    let outside = "ulimit -n 4000";
    let inside = |before: &str| format!("{before}; exec {}", program.display());
    // Without the job's name it could be any launcher that speaks PMI-1.
    let foreign = inside("ulimit -Sn 256; unset CAIRN_JOB_ID");
    assert_eq!(limits(outside, "-n 2", &foreign), ["4000", "4000"]);
    assert_eq!(limits(outside, "-n 2", &inside("ulimit -Sn 256")), ["256", "256"]);
    // Alone a process has no peers.
    assert_eq!(limits(outside, "-n 1", &foreign), ["256"]);
}

/// A thread meets a peer for the first time while another one waits for all processes, of which one
/// waits for the message.
#[test]
fn a_first_message_may_be_sent_while_a_process_waits_for_the_others() {
    let dir = scratch();
    let (source, program) = (dir.path().join("late.c"), dir.path().join("late"));
    fs::write(&source, LATE).unwrap();
    let mpicc = Run::new(dist().join("bin/mpicc")).args([&source]);
    mpicc.args(["-pthread", "-o"]).args([&program]).ok();
    for transports in ["self,sm", "self,tcp"] {
        let options = format!("-n 3 --mca btl {transports} --mca pmi pmi1 {}", program.display());
        let ended = mpirun(&options).ok();
        assert_eq!(ended.stderr, "", "{ended}");
    }
}

/// Rank 1 sends to rank 2, which it has not met, while it is in MPI_Finalize.
const LATE: &str = r#"
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static MPI_Comm comm;
static int leaving[2];
static int leaves(MPI_Comm self, int key, void *value, void *state)
{
  (void)self, (void)key, (void)value, (void)state;
  return write(leaving[1], "", 1) == 1 ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static void *talk(void *unused)
{
  int one = 1;
  char byte;
  if (read(leaving[0], &byte, 1) != 1)
    MPI_Abort(comm, 40);
  usleep(100000); /* most likely the other thread waits for the others then */
  MPI_Send(&one, 1, MPI_INT, 2, 0, comm);
  return unused;
}
int main(void)
{
  MPI_Session session;
  MPI_Group group;
  pthread_t thread;
  int rank, level, key, got = 1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "late", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(comm, &rank);
  if (rank == 1) {
    if (pipe(leaving))
      MPI_Abort(comm, 41);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leaves, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    pthread_create(&thread, NULL, talk, NULL);
  }
  if (rank == 2)
    MPI_Recv(&got, 1, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
  MPI_Finalize();
  if (rank == 1)
    pthread_join(thread, NULL);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return got != 1;
}
"#;

#[test]
fn failures_of_programs_without_mpi() {
    shell("-n 3", "exit $PMI_RANK").end().complains(&["exited with status"]);
    shell("-n 1", "exit 5").exits(5);
    shell("-n 1", "kill -15 $$").exits(143).complains(&["SIGTERM"]);
    shell("-n 3", "exit 0").ok();
    // Who has taken leave may fail alone.
    let line = format!("-n 2 {RANK} connect fence disconnect on 1 exit 4 print went-on");
    mpirun(&line).exits(4).says(&["went-on"]).complains(&["rank 1 exited with status 4"]);
}

#[test]
fn who_can_wait_for_ever_is_told() {
    mpirun(&format!("-n 2 {RANK} on 1 exit 0 connect fence hang"))
        .exits(1)
        .complains(&["rank 1 ended without MPI_Init, and rank 0 waits for it for ever"]);
    mpirun(&format!("-n 2 {RANK} connect on 1 disconnect on 1 exit 0 fence hang"))
        .exits(1)
        .complains(&["rank 1 ended after MPI_Finalize, and rank 0 waits for it"]);
    mpirun("-n 2")
        .args(["bash", "-c", "echo hello >&$PMI_FD; exec sleep 1000"])
        .exits(1)
        .complains(&["sent over PMI_FD what is no request of PMI-1: \"hello\""]);
    shell("-n 2 --timeout 0.2", "test $PMI_RANK = 1 && exec sleep 1000; true")
        .exits(124)
        .complains(&["longer than 0.200 s (--timeout); rank 1 still ran"]);
    // A program that a rank starts must not speak in its name.
    let twice = format!("{RANK} connect disconnect; {RANK} connect");
    shell("-n 1", &twice).exits(1).complains(&["connect: protocol violation"]);
}

#[test]
fn spawning_is_refused_by_name() {
    let request = "mcmd=spawn\\nnprocs=1\\nexecname=x\\ntotspawns=1\\nspawnssofar=1\\nendcmd\\n";
    let script = format!("printf '{request}' >&$PMI_FD; read answer <&$PMI_FD; echo $answer");
    mpirun("-n 1")
        .args(["bash", "-c", &script])
        .ok()
        .says(&["cmd=spawn_result rc=-1"])
        .complains(&["rank 0 asked for more processes", "not implemented yet"]);
}

/// A file in a directory that is gone at the end of the test.
fn file(dir: &Path, name: &str, text: &str, write: impl Fn(&Path, &str)) -> String {
    let path = dir.join(name);
    write(&path, text);
    path.display().to_string()
}

#[test]
fn what_can_not_be_started_is_said_with_the_way_out() {
    let dir = scratch();
    let place = dir.path().display().to_string();
    let data = file(dir.path(), "data", "x", |path, text| fs::write(path, text).unwrap());
    let script = file(dir.path(), "script", "#!/no/interpreter\n", executable);
    let text = file(dir.path(), "text", "not a program", executable);
    for (line, code, parts) in [
        ("", 2, &["no program to start", "fix:"][..]),
        ("-n 0 /bin/true", 2, &["0 processes", "-n 0", "allowed:", "from 1 on"]),
        ("-n -2 /bin/true", 2, &["-2 processes"]),
        ("--bindto core /bin/true", 2, &["--bindto", "--bind-to"]),
        ("-tag-outptu /bin/true", 2, &["--tag-output"]),
        ("--map-by soket /bin/true", 2, &["did you mean socket?"]),
        ("--host far /bin/true", 2, &["other machines is not implemented yet"]),
        ("/bin/treu", 127, &["there is no program", "where:", "did you mean true"]),
        ("no-such-program-anywhere", 127, &["there is no program", "PATH="]),
        (&data, 126, &["not executable", "chmod +x"]),
        (&place, 126, &["is a directory"]),
        (&script, 126, &["interpreter /no/interpreter is not there"]),
        (&text, 126, &["neither a program for this processor nor a script"]),
        ("--wdir /no/where /bin/true", 1, &["can't run in /no/where", "--wdir", "fix:"]),
        ("--wdir /dev/null /bin/true", 1, &["not a directory"]),
        ("--output-dir /dev/null/x /bin/true", 1, &["can't write output", "fix:"]),
        ("--output-dir /proc/self /bin/true", 1, &["can't write output", "fix:"]),
    ] {
        let ended = mpirun(line).exits(code);
        ended.complains(parts);
        assert_eq!(ended.stdout, "", "{ended}");
    }
    mpirun("./data").dir(dir.path()).exits(126);
}

#[test]
fn binding_follows_the_cores_there_are() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let many = (cores + 1).to_string();
    let run =
        |options: &[&str]| Run::mpirun().args(["-n", &many]).args(options).args(["/bin/true"]);
    run(&["--bind-to", "core"]).exits(1).complains(&[
        &format!("{many} processes need {many} cores; this job may use"),
        "--oversubscribe",
        "--bind-to none",
    ]);
    run(&["--bind-to", "core", "--oversubscribe"]).ok();
    run(&["--bind-to", "none"]).ok().complains(&["take turns"]);
    let ended = run(&["--report-bindings"]).ok();
    ended.complains(&["not bound", "rank 0 on any processor"]);
    let script = "grep Cpus_allowed_list /proc/self/status";
    let ended = shell("-n 1 --bind-to core --report-bindings", script).ok();
    let bound = ended.stderr.lines().find_map(|line| line.split_once("processors "));
    let (_, cpus) = bound.expect("a line about rank 0");
    ended.says(&[&format!("Cpus_allowed_list:\t{cpus}\n")]);
}

#[test]
fn manual_page_help_and_version() {
    let page = fs::read_to_string(dist().join("share/man/man1/mpirun.1")).unwrap();
    for part in [".TH mpirun 1", "bind", "124"] {
        assert!(page.contains(part), "no {part} in the manual page");
    }
    let alias = fs::read_to_string(dist().join("share/man/man1/mpiexec.1")).unwrap();
    assert_eq!(alias, ".so man1/mpirun.1\n");
    mpirun("--help").ok().says(&["--tag-output", "--mca <NAME> <VALUE>", "Exit status"]);
    mpirun("--version").ok().says(&["mpirun 0.1.0"]);
    Run::new(dist().join("bin/mpiexec"))
        .args(["-n", "1", "/bin/echo", "same"])
        .ok()
        .says(&["same"]);
}

#[test]
fn the_users_page_has_every_option() {
    let page = fs::read_to_string(root().join("docs/running.md")).unwrap();
    let help = mpirun("--help").ok().stdout;
    let is_option = |word: &&str| word.starts_with("--") && word.len() > 2;
    let options = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(is_option);
    for option in options.chain(["-n", "-x", "-l", "-c"]) {
        // A number of processes is written with one dash.
        let option = if option == "--np" { "-np" } else { option };
        let named = |mark: char| page.contains(&format!("`{option}{mark}"));
        assert!(named(' ') || named('`'), "docs/running.md does not explain {option}");
    }
}

#[test]
fn alone_among_others_is_said() {
    let alone = || Run::new(RANK).args(["connect", "job"]);
    let ended = alone().ok();
    ended.says(&["0 of 1, 0 of 1 here", "nodes 1 [0], by no launcher"]);
    assert_eq!(ended.stderr, "");
    for (variables, launcher) in [
        (&[("OMPI_COMM_WORLD_SIZE", "2")][..], "mpirun of Open MPI"),
        (&[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "2")], "srun of Slurm"),
        (&[("PMI_FD", "99"), ("PMI_RANK", "1"), ("PMI_SIZE", "2")], "speaks PMI"),
    ] {
        let run = variables.iter().fold(alone(), |run, (name, value)| run.env(name, value));
        let ended = run.ok();
        ended.says(&["0 of 1"]).complains(&[launcher, "it is rank 0 of 1"]);
    }
    // A script between mpirun and the program has closed what it did not know.
    let close = format!("exec 62>&-; {RANK} connect job");
    mpirun("-n 2").args(["bash", "-c", &close]).ok().complains(&["PMI_FD was closed"]);
}

/// Processes that would choose different algorithms or components don't start, whichever has another value.
/// Strategies of a process alone may differ.
#[test]
fn parameters_that_must_be_the_same_are_compared() {
    let dir = scratch();
    let (source, program) = (dir.path().join("alike.c"), dir.path().join("alike"));
    let text = "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n";
    fs::write(&source, text).unwrap();
    Run::new(dist().join("bin/mpicc")).args([&source]).args(["-o"]).args([&program]).ok();
    let with = |rank: u32, name: &str, value: &str| {
        let set =
            format!("[ $PMI_RANK != {rank} ] || export CAIRN_MCA_{name}={value}; exec \"$0\"");
        Run::mpirun().args(["--oversubscribe", "-n", "3", "sh", "-c", &set]).args([&program])
    };
    let refused = |run: Run, text: &str| {
        let ended = run.end();
        assert!(!ended.status.success(), "{ended}");
        ended.complains(&[text, "all processes of a job need the same"]);
    };
    for (name, value) in
        [("coll_tuned_segment", "1k"), ("coll", "basic"), ("counters_report", "ranks")]
    {
        let there = format!("{name} is \"{value}\" in this process and its default in rank 0");
        refused(with(1, name, value), &there);
        let here = format!("{name} is its default in this process and \"{value}\" in rank 0");
        refused(with(0, name, value), &here);
    }
    for (name, value) in [
        ("coll_tuned_segment", "64k"),
        ("btl_sm_eager_limit", "1k"),
        ("match", "bins"),
        ("wait", "block"),
    ] {
        with(1, name, value).says_nothing();
    }
}
