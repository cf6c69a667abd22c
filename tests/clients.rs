//! MPI programs among Debian's source packages, most of which use derived datatypes and packed data: built
//! with the wrappers of the installation, and run on it. Where they don't check themselves what they compute,
//! it must be the same on MPICH, whose standard ABI takes the same programs.
//!
//! What is fetched and built stays in `target/unmodified`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cairn_tests::debian::unpack;
use cairn_tests::fetched::{BUILDING, made_here, mpich, or_skip};
use cairn_tests::{Run, dist, scratch};

/// A program of the installation.
fn tool(name: &str) -> String {
    dist().join("bin").join(name).to_str().expect("a path of ours").to_owned()
}

/// The directory with a package that was built by `build`; nothing after the reason was printed why it
/// could not be fetched.
fn package(name: &'static str, build: impl FnOnce(&Path)) -> Option<PathBuf> {
    let made = made_here(name, |dir| {
        let sources = dir.join("sources");
        unpack(name, &sources)?;
        build(&sources);
        Ok(())
    });
    or_skip(Box::leak(Box::new(made))).map(|dir| dir.join("sources"))
}

/// A command of a build.
fn builds(dir: &Path, program: &str, args: &[&str]) {
    Run::new(program).args(args).dir(dir).within(BUILDING).ok();
}

/// What a job of so many processes writes on our library, by our mpirun, and over TCP, and on MPICH.
fn on_all(dir: &Path, processes: u32, program: &Path, args: &[&str]) -> Option<[String; 3]> {
    let mpich = mpich()?;
    let processes = processes.to_string();
    let ours = |mca: &[&str]| {
        let run = Run::mpirun().args(["--oversubscribe", "-n", &processes]).args(mca);
        said(run.args([program]).args(args).dir(dir))
    };
    let theirs = on_mpich(mpich, program).args(["-n", &processes]);
    let theirs = theirs.args([program]).args(args).dir(dir);
    Some([ours(&[]), ours(&["--mca", "btl", "self,tcp"]), said(theirs)])
}

/// MPICH's mpiexec for a program that then runs on MPICH.
fn on_mpich(mpich: &Path, program: &Path) -> Run {
    let libraries = mpich.with_file_name("lib");
    let found = Run::new("ldd").args([program]).env("LD_LIBRARY_PATH", &libraries).ok().stdout;
    assert!(found.contains(libraries.to_str().unwrap()), "it can't run on MPICH: {found}");
    Run::new(mpich.join("mpiexec")).env("LD_LIBRARY_PATH", &libraries)
}

/// What a run says anywhere.
fn said(run: Run) -> String {
    let ended = run.ok();
    ended.stdout + &ended.stderr
}

/// That all have computed the same, of which `what` takes what does not depend on time.
fn same<T: PartialEq + std::fmt::Debug>(
    outputs: Option<[String; 3]>,
    what: impl Fn(&str) -> T,
) -> Option<T> {
    let [shared_memory, tcp, theirs] = outputs?.map(|text| what(&text));
    assert_eq!(shared_memory, theirs, "on Cairn and on MPICH");
    assert_eq!(tcp, theirs, "on Cairn over TCP and on MPICH");
    Some(theirs)
}

/// The lines that `keep` keeps.
fn lines(text: &str, keep: impl Fn(&str) -> bool) -> Vec<String> {
    text.lines().filter(|line| keep(line)).map(str::to_owned).collect()
}

/// NetPIPE looks at every byte of its messages.
#[test]
fn netpipe_finds_its_data() {
    let Some(dir) = package("netpipe", |dir| {
        let mpicc = format!("MPICC={}", tool("mpicc"));
        builds(dir, "make", &["mpi", &mpicc, "CFLAGS=-O1 -w"]);
    }) else {
        return;
    };
    let out = scratch();
    let args = ["-i", "-u", "1000000", "-o", "results"];
    // How often a size is sent depends on how fast it is.
    let passed = |text: &str| {
        let sizes = text.lines().filter(|line| line.ends_with("Integrity check passed"));
        sizes
            .map(|line| line.split_whitespace().nth(1).expect("a size").to_owned())
            .collect::<Vec<_>>()
    };
    if let Some(sizes) = same(on_all(out.path(), 2, &dir.join("NPmpi"), &args), passed) {
        assert!(sizes.len() > 20, "{sizes:?}");
    }
}

/// HPC Challenge: solving equations, transposing matrices, Fourier transforms, updates at random places.
/// About 90 calls of functions for datatypes.
#[test]
fn hpcc_computes_the_same() {
    let Some(dir) = package("hpcc", |dir| {
        let setup = dir.join("hpl/setup/Make.Linux_PII_FBLAS");
        fs::copy(setup, dir.join("hpl/Make.Linux_PII_FBLAS")).unwrap();
        let (cc, linker) = (format!("CC={}", tool("mpicc")), format!("LINKER={}", tool("mpicc")));
        let own = ["arch=Linux_PII_FBLAS", &cc, &linker, "CCFLAGS=-O1 -w $(HPL_DEFS)"];
        let paths = ["MPdir=.", "MPinc=", "MPlib=", "LAdir=.", "LAlib=-lblas", "LINKFLAGS="];
        builds(dir, "make", &[&["-j2"], &own[..], &paths].concat());
    }) else {
        return;
    };
    // A smaller problem than that of the package, on a grid of one row.
    let input = fs::read_to_string(dir.join("_hpccinf.txt")).unwrap();
    let line = |line: &str| {
        let value = match line.split_whitespace().nth(1) {
            Some("Ns") => "200",
            Some("NBs") => "32",
            Some("Ps") => "1",
            Some("Qs") => "2",
            _ => return line.to_owned(),
        };
        format!("{value} {}", line.split_once(' ').expect("a value and its name").1)
    };
    let input = input.lines().map(line).collect::<Vec<_>>().join("\n") + "\n";
    let work = scratch();
    fs::write(work.path().join("hpccinf.txt"), input).unwrap();
    // Of its summary, what is no time and does not follow from one.
    let values = |text: &str| {
        let (_, summary) = text.split_once("Begin of Summary").expect("a summary");
        let times = ["ime", "flops", "GBs", "GUPs", "STREAM_", "Latency", "Bandwidth", "Wtick"];
        lines(summary, |line| line.contains('=') && !times.iter().any(|word| line.contains(word)))
    };
    // It adds what it has found to a file.
    let mut before = 0;
    let mut values_of = |run: Run| {
        run.args(["-n", "2"]).args([dir.join("hpcc")]).dir(work.path()).ok();
        let all = fs::read_to_string(work.path().join("hpccoutf.txt")).unwrap();
        let new = values(&all[before..]);
        before = all.len();
        new
    };
    let Some(mpich) = mpich() else { return };
    let theirs = values_of(on_mpich(mpich, &dir.join("hpcc")));
    assert!(theirs.contains(&"Success=1".to_owned()) && theirs.len() > 60, "{theirs:?}");
    for mca in [&[][..], &["--mca", "btl", "self,tcp"]] {
        let ours = Run::mpirun().args(["--oversubscribe"]).args(mca);
        assert_eq!(values_of(ours), theirs, "on Cairn {mca:?} and on MPICH");
    }
}

/// hypre: multigrid on matrices and on grids. About 45 calls of functions for datatypes.
#[test]
fn hypre_converges_the_same_way() {
    let Some(dir) = package("hypre", |dir| {
        let dir = dir.join("src");
        let (cc, cxx) = (format!("CC={}", tool("mpicc")), format!("CXX={}", tool("mpicxx")));
        let plain = ["--disable-fortran", "CFLAGS=-O0 -w", "CXXFLAGS=-O0 -w"];
        builds(&dir, "./configure", &[&[&cc[..], &cxx], &plain[..]].concat());
        builds(&dir, "make", &["-j2"]);
        builds(&dir, "make", &["-C", "test", "ij", "struct"]);
    }) else {
        return;
    };
    let dir = dir.join("src/test");
    let results =
        |text: &str| lines(text, |line| !line.contains("time") && !line.contains("MFLOPS"));
    for (processes, program, args) in [
        (4, "ij", "-n 12 12 12 -P 2 2 1 -solver 1"),
        (3, "ij", "-n 9 9 9 -P 3 1 1 -solver 3"),
        (4, "struct", "-n 8 8 8 -P 2 2 1 -solver 10"),
        (2, "struct", "-n 10 7 5 -P 1 2 1 -solver 0"),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let outputs = on_all(&dir, processes, &dir.join(program), &args);
        if let Some(said) = same(outputs, results) {
            assert!(said.iter().any(|line| line.contains("Residual Norm")), "{said:?}");
        }
    }
}

/// PT-Scotch: graphs are ordered and cut in parts. About 50 calls of functions for datatypes.
#[test]
fn scotch_cuts_the_same_way() {
    let Some(dir) = package("scotch", |dir| {
        let dir = dir.join("src");
        let general = dir.join("Make.inc/Makefile.inc.x86-64_pc_linux2");
        fs::copy(general, dir.join("Makefile.inc")).unwrap();
        let (ccp, ccd) = (format!("CCP={}", tool("mpicc")), format!("CCD={}", tool("mpicc")));
        let flags = "CFLAGS=-O1 -w -DCOMMON_FILE_COMPRESS_GZ -DCOMMON_PTHREAD -DCOMMON_RANDOM_FIXED_SEED \
                     -DSCOTCH_RENAME -Drestrict=__restrict -DIDXSIZE64";
        builds(&dir, "make", &["-j2", "ptscotch", &ccp, &ccd, flags]);
    }) else {
        return;
    };
    // Several processes write their parts.
    let parts = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let graphs = dir.join("grf");
    for processes in [2, 3, 4] {
        for (program, args) in
            [("dgord", &["bump.grf.gz", "-"][..]), ("dgpart", &["4", "bump.grf.gz", "-"])]
        {
            let program = dir.join("bin").join(program);
            if let Some(all) = same(on_all(&graphs, processes, &program, args), parts) {
                assert!(all.len() > 9000, "{} lines", all.len());
            }
        }
    }
}

/// DUNE's tests of its parallel containers, in C++, which look at their results themselves. About 57 calls
/// of functions for datatypes and packed data.
#[test]
fn dune_passes_its_tests_of_communication() {
    const TESTS: [&str; 10] = [
        "communicationtest",
        "indexsettest",
        "mpidatatest",
        "mpifuturetest",
        "mpigatherscattertest",
        "mpipacktest",
        "remoteindicestest",
        "selectiontest",
        "syncertest",
        "variablesizecommunicatortest",
    ];
    const WHERE: &str = "build/dune/common/parallel/test";
    let Some(dir) = package("dune-common", |dir| {
        let cc = format!("-DCMAKE_C_COMPILER={}", tool("mpicc"));
        let cxx = format!("-DCMAKE_CXX_COMPILER={}", tool("mpicxx"));
        builds(dir, "cmake", &["-B", "build", &cc, &cxx, "-DCMAKE_CXX_FLAGS=-O0 -w"]);
        builds(&dir.join(WHERE), "make", &[&["-j2"], &TESTS[..]].concat());
    }) else {
        return;
    };
    let dir = dir.join(WHERE);
    for test in TESTS {
        // One is made for two processes.
        let numbers = if test == "mpipacktest" { &[2][..] } else { &[2, 4] };
        for processes in numbers {
            let mpirun = Run::mpirun().args(["--oversubscribe", "-n", &processes.to_string()]);
            mpirun.args([dir.join(test)]).dir(&dir).ok();
        }
    }
}
