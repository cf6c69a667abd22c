//! Shared memory that is short, forbidden or left behind: whole jobs in a mount namespace of their
//! own with another `/dev/shm`, under a limit, or killed.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use cairn_tests::programs::{self, Counts};
use cairn_tests::{Ended, Run, dist, root, scratch, skipped};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

/// The program, compiled.
fn ring(dir: &Path) -> PathBuf {
    let program = dir.join("ring");
    let source = root().join("tests/mpi/ring.c");
    let mpicc = Run::new(dist().join("bin/mpicc")).args(["-Wall", "-Wextra", "-Werror"]);
    mpicc.args([&source]).args(["-o"]).args([&program]).ok();
    program
}

/// Files instead of memory without a name.
const FILES: [&str; 6] = ["--mca", "btl_sm_backing", "file", "--mca", "smsc_ring_backing", "file"];

/// Whether a `/dev/shm` of one's own can be had here.
fn namespaces() -> bool {
    let can = Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status();
    let can = can.is_ok_and(|status| status.success());
    if !can {
        skipped("this user can't have a mount namespace");
    }
    can
}

/// A program of `tests/mpi`.
fn compiled(name: &str) -> PathBuf {
    programs::compiled(env!("CARGO_TARGET_TMPDIR"), name, Counts::Small)
}

/// A job of three whose `/dev/shm` is mounted with these options.
fn with_dev_shm(mount: &str, options: &[&str], program: &Path, longest: &str) -> Ended {
    with_dev_shm_on("", mount, options, program, longest)
}

/// Runs what follows on the first processor that the shell may use.
const ONE: &str = "taskset -c $(taskset -cp $$ | sed 's/.*: *\\([0-9]*\\).*/\\1/')";

/// The same behind a command that says where it runs.
fn with_dev_shm_on(
    place: &str,
    mount: &str,
    options: &[&str],
    program: &Path,
    longest: &str,
) -> Ended {
    let script = format!("mount -t tmpfs -o {mount} tmpfs /dev/shm && exec {place} \"$@\"");
    Run::new("unshare")
        .args(["-m", "sh", "-c", &script, "sh"])
        .args([dist().join("bin/mpirun")])
        .args(["-n", "3", "--oversubscribe"])
        .args(options)
        .args([program])
        .args([longest])
        .env("HOME", "/nonexistent")
        .end()
}

/// Exit status 0, and nothing said but, if any, one line with these parts, and one of smsc_ring, which
/// wants the same memory.
fn fine(ended: &Ended, note: &[&str]) {
    assert!(ended.status.success() && ended.stdout.is_empty(), "{ended}");
    ended.complains(note);
    let of_ring = |line: &&str| line.contains("the component smsc_ring (linked in) can't be used");
    let (of_ring, others): (Vec<_>, Vec<_>) = ended.stderr.lines().partition(of_ring);
    assert_eq!(others.len(), usize::from(!note.is_empty()), "{ended}");
    assert!(of_ring.len() <= others.len(), "{ended}");
}

#[test]
fn memory_needs_no_dev_shm() {
    if !namespaces() {
        return;
    }
    let dir = scratch();
    let program = ring(dir.path());
    for mount in ["size=4k", "ro"] {
        fine(&with_dev_shm(mount, &[], &program, "1000000"), &[]);
    }
}

#[test]
fn another_transport_takes_over_when_files_find_no_room() {
    if !namespaces() {
        return;
    }
    let dir = scratch();
    let program = ring(dir.path());
    // Not even the beginning of a segment.
    let note = [
        "the component btl_sm (linked in) can't be used",
        "shared memory is short",
        "bytes are needed and 0 are",
    ];
    fine(&with_dev_shm("size=4k", &FILES, &program, "1000000"), &note);
    // Segments, but no ring in them.
    let note =
        ["rank 0: btl_sm can't reach rank 1, so btl_tcp does", "are needed and", "available"];
    fine(&with_dev_shm("size=64k", &FILES, &program, "1000000"), &note);
    // No process may write there.
    let note = [
        "the component btl_sm (linked in) can't be used",
        "/dev/shm/cairn-",
        "Read-only file system",
    ];
    fine(&with_dev_shm("ro", &FILES, &program, "1000000"), &note);
    // Room for everything.
    fine(&with_dev_shm("size=64m", &FILES, &program, "1000000"), &[]);
}

#[test]
fn whoever_insists_on_shared_memory_gets_the_reason() {
    if !namespaces() {
        return;
    }
    let dir = scratch();
    let program = ring(dir.path());
    let only = [&FILES[..], &["--mca", "btl", "self,sm"]].concat();
    for (mount, parts) in [
        (
            "size=4k",
            &["sm: failed: open: shared memory is short", "bytes are needed and 0 are"][..],
        ),
        ("ro", &["sm: failed: open: can't open /dev/shm/cairn-", "Read-only file system"]),
        ("size=64k", &["can't be reached", "no ring to rank", "bytes are needed and", "available"]),
    ] {
        let ended = with_dev_shm(mount, &only, &program, "1000");
        assert!(!ended.status.success(), "{ended}");
        ended.complains(parts).complains(&["mpirun: rank ", "lived: "]);
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_no_signal() {
    let dir = scratch();
    let program = ring(dir.path());
    let mpirun = dist().join("bin/mpirun");
    let run = |options: &str| {
        let script = format!(
            "ulimit -f 100; exec '{}' -n 3 --oversubscribe {options} '{}'",
            mpirun.display(),
            program.display()
        );
        Run::new("sh").args(["-c", &script]).env("HOME", "/nonexistent").end()
    };
    fine(
        &run(""),
        &[
            "the component btl_sm (linked in) can't be used",
            "make files of up to",
            "ulimit -f unlimited",
        ],
    );
    let ended = run("--mca btl self,sm");
    assert!(!ended.status.success(), "{ended}");
    ended.complains(&["ulimit -f unlimited"]);
}

/// A kernel without memfd, a filter of system calls that refuses it, and `vm.memfd_noexec`: files take
/// its place.
#[test]
fn files_take_the_place_of_memory_that_is_refused() {
    let dir = scratch();
    let (program, refuse) = (ring(dir.path()), compiled("refuse"));
    let run = |place: Run, error: &str| {
        let job = ["-n", "3", "--oversubscribe", "--mca", "btl", "self,sm"];
        let run = place.args(job).args([&refuse]).args(["memfd_create", error]);
        run.args([&program]).args(["1000000"]).env("HOME", "/nonexistent")
    };
    for error in ["ENOSYS", "EPERM", "EACCES"] {
        run(Run::mpirun(), error).says_nothing();
    }
    if namespaces() {
        let script = "mount -t tmpfs -o ro tmpfs /dev/shm && exec \"$@\"";
        let place = Run::new("unshare").args(["-m", "sh", "-c", script, "sh"]);
        let ended = run(place.args([dist().join("bin/mpirun")]), "EPERM").end();
        assert!(!ended.status.success(), "{ended}");
        ended.complains(&["memfd_create: Operation not permitted", "Read-only file system"]);
    }
}

/// Processes take turns on a core, and there is memory for the rings as they begin, and not for what long messages
/// would like: they go in shorter pieces.
#[test]
fn long_messages_need_no_long_rings() {
    if !namespaces() {
        return;
    }
    let dir = scratch();
    let program = ring(dir.path());
    let options = [&FILES[..], &["--mca", "btl", "self,sm", "--mca", "smsc", "^cma,ring"]].concat();
    for size in ["size=1m", "size=2m", "size=100m"] {
        fine(&with_dev_shm_on(ONE, size, &options, &program, "1000000"), &[]);
    }
}

/// What the system gives out is used up while messages are on their way: what there is goes on, and every
/// message takes a way that there is.
#[test]
fn no_message_is_lost_when_files_find_no_room_in_the_middle() {
    if !namespaces() {
        return;
    }
    let everybody = compiled("everybody");
    for size in ["2m", "8m", "30m"] {
        let script = format!("mount -t tmpfs -o size={size} tmpfs /dev/shm && exec \"$@\"");
        let run = Run::new("unshare").args(["-m", "sh", "-c", &script, "sh"]);
        let run = run.args([dist().join("bin/mpirun")]).args(["-n", "32", "--oversubscribe"]);
        let ended = run.args(FILES).args([&everybody]).env("HOME", "/nonexistent").ok();
        ended.complains(&["btl_sm can't reach rank", "shared memory is short"]);
        assert_eq!(ended.stderr.lines().count(), 1, "{ended}");
    }
}

#[test]
fn no_message_is_lost_when_descriptors_are_used_up_in_the_middle() {
    let scarce = compiled("scarce");
    for who in ["one", "all"] {
        for mca in [&[][..], &["--mca", "btl_sm_max_rings", "0"], &["--mca", "smsc", "cma"]] {
            let run = Run::mpirun().args(["--oversubscribe", "-n", "4"]).args(mca);
            let run = run.args(["--mca", "btl", "self,sm", "--mca", "btl_sm_num_cris", "4"]);
            run.args([&scarce]).args([who]).says_nothing();
        }
    }
}

/// A receiver that can't map a new ring does not lose what is in it.
#[test]
fn a_message_waits_until_its_receiver_has_address_space() {
    let (program, dir) = (compiled("unmapped"), scratch());
    for level in ["single", "multiple"] {
        let run = Run::mpirun().args(["-n", "2", "--oversubscribe", "--mca", "btl", "self,sm"]);
        let run = run.args([&program]).args([dir.path().join(level)]);
        let ended = run.env("TEST_THREAD_LEVEL", level).end();
        fine(&ended, &["a message has to wait until its ring can be mapped"]);
    }
}

/// A control group with a limit of memory, below the one that this process is in.
struct Group(PathBuf);

impl Group {
    /// With either version of the kernel's interface; `None` when this user can't make one.
    fn new(limit: &str) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let path = |line: &str| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, group) = (parts.next()?, parts.next()?.trim_start_matches('/'));
            let first = controllers.split(',').any(|name| name == "memory");
            let (place, file) = match first {
                true => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                false if controllers.is_empty() => ("/sys/fs/cgroup", "memory.max"),
                false => return None,
            };
            Some((Path::new(place).join(group), file))
        };
        own.lines().filter_map(path).find_map(|(parent, file)| {
            let group = Self(parent.join(format!("cairn-test-{}", std::process::id())));
            fs::create_dir(&group.0).ok()?;
            // Dropped, and so removed, if it has no limits.
            fs::write(group.0.join(file), limit).ok().map(|()| group)
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let end = Instant::now() + Duration::from_secs(60);
        // The kernel needs a moment to see that all its processes have ended.
        while fs::remove_dir(&self.0).is_err() && Instant::now() < end {
            std::thread::yield_now();
        }
    }
}

/// No process is ended for memory that a control group does not have: rings that would need more than the
/// group may have are not made.
#[test]
fn a_control_group_is_a_limit() {
    let Some(group) = Group::new("100M") else {
        return skipped("this user can't make a control group with a limit of memory");
    };
    let dir = scratch();
    let program = ring(dir.path());
    let script = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", group.0.display());
    let mpirun = dist().join("bin/mpirun");
    // Six rings of 32 MiB.
    let run = Run::new("sh").args(["-c", &script, "sh"]).args([mpirun]).env("HOME", "/nonexistent");
    let run = run.args(["-n", "3", "--oversubscribe", "--mca", "btl_sm_ring_size", "32m"]);
    let ended = run.args([&program]).args(["1000000"]).end();
    fine(&ended, &["btl_sm can't reach rank", "so btl_tcp does", "shared memory is short"]);
}

#[test]
fn gets_that_find_their_way_full_go_on_when_it_is_free() {
    let program = compiled("full_ring");
    for smsc in ["ring", "cma", "ring,cma"] {
        for level in ["single", "multiple"] {
            let run = Run::mpirun().args(["-n", "2", "--oversubscribe", "--mca", "smsc", smsc]);
            let run =
                run.args(["--mca", "btl_sm_ring_memory", "0", "--mca", "btl_sm_push_limit", "0"]);
            run.args([&program]).env("TEST_THREAD_LEVEL", level).says_nothing();
        }
    }
}

/// What a ring does not take is no silent limit: it ends the range of what is sent through it.
#[test]
fn a_limit_that_the_ring_does_not_take_is_an_error_and_one_that_it_takes_is_kept() {
    let job = |params: &[(&str, &str)]| {
        let run = Run::mpirun().args(["-n", "2", "--oversubscribe", "--mca", "btl", "self,sm"]);
        params.iter().fold(run, |run, (name, value)| run.args(["--mca", name, value]))
    };
    for (name, ring, value, range) in [
        ("btl_sm_eager_limit", "128k", "256k", "bytes from 0 to 32512"),
        ("btl_sm_eager_limit", "16k", "16k", "bytes from 0 to 3840"),
        ("btl_sm_immediate_limit", "128k", "300k", "bytes from 256 to 262400"),
    ] {
        let ended = job(&[("btl_sm_ring_size", ring), (name, value)]).args(["/bin/true"]).fails();
        ended.complains(&[name, &format!("{value} is outside its range"), range]);
    }
    let (dir, large) = (scratch(), [("btl_sm_ring_size", "16m"), ("btl_sm_fragment_size", "4m")]);
    let limits = [("btl_sm_eager_limit", "1m"), ("btl_sm_immediate_limit", "2m")];
    let program = ring(dir.path());
    for params in [&[large[0], limits[0]][..], &large, &[&large[..], &limits].concat()] {
        job(params).args([&program]).args(["5000000"]).says_nothing();
    }
}

/// A process has more instances than another one has rings for them, and the processes differ in how
/// many they have.
#[test]
fn instances_without_a_ring_share_one() {
    let program = compiled("uneven");
    // With the first rank, and with all others.
    for (first, others, rings) in [("4", "64", "1024"), ("64", "4", "5"), ("16", "16", "0")] {
        let script = format!(
            "n={others}; [ $PMI_RANK = 0 ] && n={first}; \
             export CAIRN_MCA_btl_sm_num_cris=$n; exec \"$@\""
        );
        for cri in ["dedicated", "round_robin"] {
            let run = Run::mpirun().args(["-n", "2", "--oversubscribe", "--mca", "cri", cri]);
            let run = run.args(["--mca", "btl", "self,sm", "--mca", "btl_sm_max_rings", rings]);
            run.args(["sh", "-c", &script, "sh"]).args([&program]).says_nothing();
        }
    }
}

/// Whether a thread can sleep on several words here (`futex_waitv`, Linux 5.16).
fn several_words() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").expect("a kernel has a version");
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    let can = (numbers.next(), numbers.next()) >= (Some(5), Some(16));
    if !can {
        skipped("this kernel lets no thread sleep on several words");
    }
    can
}

/// The kernel lets a thread sleep on 128 words: one that sleeps does so on one word for all instances.
#[test]
fn processes_sleep_and_wake_however_many_instances_they_have() {
    if !several_words() {
        return;
    }
    let (sleepers, uneven) = (compiled("sleepers"), compiled("uneven"));
    for transports in ["self,sm", "sm,self"] {
        let run = |program: &Path| {
            let run =
                Run::mpirun().args(["-n", "2", "--oversubscribe", "--mca", "btl", transports]);
            let run = run.args(["--mca", "wait", "block", "--mca", "wait_block_limit", "1000000"]);
            let run = run.args(["--mca", "btl_sm_num_cris", "200"]);
            run.args(["--mca", "btl_self_num_cris", "200"]).args([program])
        };
        for level in ["single", "multiple"] {
            run(&sleepers).env("TEST_THREAD_LEVEL", level).says_nothing();
        }
        run(&uneven).says_nothing();
    }
}

/// A job with files that is going to be killed.
struct Job {
    mpirun: Child,
    output: BufReader<ChildStdout>,
}

impl Job {
    fn start(program: &Path, middle: &str) -> Self {
        let mut mpirun = Command::new(dist().join("bin/mpirun"))
            .args(["-n", "4", "--oversubscribe"])
            .args(FILES)
            .arg(program)
            .args(["10000", middle])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(mpirun.stdout.take().unwrap());
        Self { mpirun, output }
    }

    /// Waits until every rank is in the middle.
    fn ready(&mut self) {
        for _ in 0..4 {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            assert!(line.starts_with("ready"), "{line}");
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.mpirun)
    }

    /// The files that carry the job's name, which begins with mpirun's process id.
    fn files(&self) -> Vec<PathBuf> {
        let begin = format!("cairn-{}-", self.mpirun.id());
        let entries = fs::read_dir("/dev/shm").unwrap().flatten();
        let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&begin));
        named.map(|entry| entry.path()).collect()
    }

    /// The children of mpirun, which is the supervisor, or of the supervisor, which are the ranks.
    fn children(parent: Pid) -> Vec<Pid> {
        let list = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
        let pid = |word: &str| Pid::from_raw(word.parse().ok()?);
        list.unwrap_or_default().split_whitespace().filter_map(pid).collect()
    }

    /// Waits for the end of mpirun and of everybody else, who all have its standard output open.
    fn end(&mut self) {
        loop {
            let deadline = Timespec { tv_sec: 60, tv_nsec: 0 };
            let mut place = [PollFd::new(self.output.get_ref(), PollFlags::IN)];
            assert_eq!(poll(&mut place, Some(&deadline)), Ok(1), "somebody lives on");
            if self.output.get_mut().read(&mut [0; 4096]).unwrap() == 0 {
                break;
            }
        }
        self.mpirun.wait().unwrap();
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // Only a test that failed leaves anything to do.
        let _ = self.mpirun.kill();
        let _ = self.mpirun.wait();
    }
}

fn kill(pid: Pid) {
    let _ = kill_process(pid, Signal::KILL);
}

#[test]
fn no_file_is_left_whoever_is_killed() {
    let dir = scratch();
    let program = ring(dir.path());
    let mut job = Job::start(&program, "go on");
    job.end();
    assert!(job.files().is_empty(), "{:?}", job.files());

    // Each rank talks to two others, so every file still has its name.
    for whom in ["rank", "supervisor", "mpirun"] {
        let mut job = Job::start(&program, "wait");
        job.ready();
        assert_eq!(job.files().len(), 8, "{whom}");
        let supervisor = Job::children(job.pid())[0];
        kill(match whom {
            "rank" => Job::children(supervisor)[1],
            "supervisor" => supervisor,
            _ => job.pid(),
        });
        job.end();
        assert!(job.files().is_empty(), "{whom}: {:?}", job.files());
    }

    // When both are killed no process is left that could; the next mpirun does it.
    let mut job = Job::start(&program, "wait");
    job.ready();
    let supervisor = Job::children(job.pid())[0];
    kill(job.pid());
    kill(supervisor);
    job.end();
    Run::mpirun().args(["-n", "1", "/bin/true"]).ok();
    assert!(job.files().is_empty(), "{:?}", job.files());
}

#[test]
fn no_file_is_left_at_whatever_moment_a_job_is_killed() {
    let dir = scratch();
    let program = ring(dir.path());
    // A generator of pseudo-random numbers (Knuth's MMIX constants); the moments are whatever they
    // come to on this machine.
    let mut random = 7u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % below
    };
    for _ in 0..20 {
        let mut job = Job::start(&program, "wait");
        let (start, moment) = (Instant::now(), Duration::from_micros(next(20_000)));
        while start.elapsed() < moment {
            std::hint::spin_loop();
        }
        let supervisor = Job::children(job.pid());
        let ranks =
            supervisor.first().map(|supervisor| Job::children(*supervisor)).unwrap_or_default();
        kill(match ranks.get(next(5) as usize) {
            Some(rank) => *rank,
            None => job.pid(),
        });
        job.end();
        assert!(job.files().is_empty(), "after {moment:?}: {:?}", job.files());
    }
}
