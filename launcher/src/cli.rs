//! The command line.
//!
//! Blocks of one program each, with `:` between them. A block is options up to the first word that
//! is none, then the program and its arguments, which are left alone. Users of other MPIs write long
//! options with one dash (`-np`, `-wdir`, `-bind-to`); they are taken so, too.

#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use cairn_cli::McaArgs;
use cairn_framework::host::problem::{Problem, did_you_mean, nearest};
use clap::parser::ValueSource;
use clap::{ArgAction, Args, Command, CommandFactory, FromArgMatches, Parser};

/// Start the processes of an MPI program on this machine, watch over them, and leave none behind
#[derive(Debug, Parser)]
#[command(
    name = "mpirun",
    version,
    max_term_width = 100,
    override_usage = "mpirun [OPTIONS] PROGRAM [ARGS]... [: [OPTIONS] PROGRAM [ARGS]...]...",
    after_help = AFTER_HELP
)]
pub struct Cli {
    #[command(flatten)]
    program: ProgramOptions,
    #[command(flatten)]
    job: JobOptions,
}

const AFTER_HELP: &str = "\
Several programs make one job when `:` stands between them; each has its own options of the first
group. Options of the second group are for the whole job and stand before the first program.

MPIEXEC_TIMEOUT in the environment is a --timeout that the command line does not give.

Exit status: that of the first process that failed, or 128 and its signal's number; 124 after
--timeout; 126 and 127 if a program can't be executed or is not there; 2 if the command line was not
understood; 1 for anything else; otherwise 0.

By default each process is bound to its equal share of the cores that mpirun may use, and to none
if there are more processes than cores. SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to the
processes, which are killed ten seconds later, or at the next such signal; SIGUSR1, SIGUSR2, SIGTSTP
and SIGCONT are passed on.";

/// Options of one program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of each program")]
struct ProgramOptions {
    /// Number of processes [default: 1]
    #[arg(
        short = 'n',
        long = "np",
        visible_short_alias = 'c',
        value_name = "N",
        allow_negative_numbers = true
    )]
    processes: Option<String>,
    /// Set a variable of the processes' environment, or pass this one's value on
    #[arg(short = 'x', long = "env", value_name = "VAR[=VALUE]", action = ArgAction::Append)]
    variables: Vec<OsString>,
    /// Run the processes in this directory
    #[arg(long, value_name = "DIR", visible_alias = "wd")]
    wdir: Option<PathBuf>,
}

/// Options of the whole job.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of the job")]
struct JobOptions {
    #[command(flatten)]
    mca: McaArgs,
    /// What each process is bound to
    #[arg(long, value_name = "WHAT")]
    bind_to: Option<BindTo>,
    /// What consecutive processes are placed on, in turn; :PE=N gives each N cores
    #[arg(long, value_name = "WHAT[:PE=N]")]
    map_by: Option<String>,
    /// Print where each process runs
    #[arg(long)]
    report_bindings: bool,
    /// Let processes share cores, without a warning
    #[arg(long)]
    oversubscribe: bool,
    /// Begin each line of output with the rank that wrote it
    #[arg(long, short = 'l', conflicts_with = "output_dir")]
    tag_output: bool,
    /// Write the output of each rank to the files rank.N.out and rank.N.err in this directory
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// End the job after so many seconds [env: MPIEXEC_TIMEOUT]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    timeout: Option<String>,
    // Nothing is started beyond this machine: its own name is taken, any other is an error.
    #[arg(long, short = 'H', alias = "hosts", hide = true)]
    host: Option<String>,
    #[arg(long, alias = "machinefile", hide = true)]
    hostfile: Option<PathBuf>,
    // It always is.
    #[arg(long, hide = true)]
    allow_run_as_root: bool,
    /// Write the manual page to a directory
    #[arg(long, value_name = "DIR", hide = true)]
    generate_man: Option<PathBuf>,
}

/// What a process is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum BindTo {
    /// Nothing: it may run wherever mpirun may
    None,
    /// Its core, or as many as PE says
    Core,
    /// The cores of its memory node
    Numa,
    /// The cores of its processor socket
    Socket,
}

/// What consecutive processes are placed on, in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapBy {
    /// The cores, one after the other.
    Core,
    /// The memory nodes.
    Numa,
    /// The sockets.
    Socket,
    /// The machines, of which there is one.
    Node,
}

/// The names of what there is to place processes on. A slot is a core.
const MAP_BY: [(&str, MapBy); 6] = [
    ("core", MapBy::Core),
    ("slot", MapBy::Core),
    ("numa", MapBy::Numa),
    ("socket", MapBy::Socket),
    ("package", MapBy::Socket),
    ("node", MapBy::Node),
];

/// What the user wants.
#[derive(Debug)]
pub struct Wanted {
    /// The programs.
    pub blocks: Vec<Block>,
    /// Parameters.
    pub mca: McaArgs,
    /// What to bind to, if said.
    pub bind_to: Option<BindTo>,
    /// What to place on, if said.
    pub map_by: Option<MapBy>,
    /// Cores of each process, if said.
    pub cores_each: Option<usize>,
    /// Whether to print where each process runs.
    pub report_bindings: bool,
    /// Whether processes may share cores.
    pub oversubscribe: bool,
    /// Where output goes.
    pub output: Output,
    /// How long the job may take.
    pub timeout: Option<Timeout>,
}

/// How long a job may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout {
    /// So long.
    pub after: Duration,
    /// Where that was said.
    pub said: &'static str,
}

/// The variable by which other MPIs' mpiexec is told, too, how long a job may take.
pub const TIMEOUT_VARIABLE: &str = "MPIEXEC_TIMEOUT";

/// One program.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// How many processes.
    pub processes: u32,
    /// Variables to set, or to pass on if there is no value.
    pub variables: Vec<(OsString, Option<OsString>)>,
    /// Where to run.
    pub wdir: Option<PathBuf>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

/// Where the output of the processes goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Where mpirun's goes.
    Inherited,
    /// There, too, line by line, with the rank in front.
    Tagged,
    /// Into files of this directory.
    Directory(PathBuf),
}

/// Why there is no job to run.
pub enum Stop {
    /// Clap has something to say, which may be the help.
    Say(clap::Error),
    /// A mistake.
    Mistake(Problem),
    /// The manual page is wanted.
    Manual(PathBuf),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Mistake(problem)
    }
}

/// Reads the command line without the program's own name; `timeout` is the value of
/// [`TIMEOUT_VARIABLE`].
///
/// # Errors
/// There is no job to run.
pub fn read(
    args: impl IntoIterator<Item = OsString>,
    timeout: Option<&OsStr>,
) -> Result<Wanted, Stop> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut command = Cli::command();
    command.build();
    let mut wanted: Option<Wanted> = None;
    for words in args.split(|word| word == ":") {
        let (options, program) = split(&command, words);
        let matches = Cli::command().try_get_matches_from(options).map_err(Stop::Say)?;
        let cli = Cli::from_arg_matches(&matches).map_err(Stop::Say)?;
        if let Some(dir) = cli.job.generate_man {
            return Err(Stop::Manual(dir));
        }
        match &mut wanted {
            None => wanted = Some(cli.job.wanted(timeout)?),
            Some(_) => only_program_options(&command, &matches)?,
        }
        if let Some(wanted) = &mut wanted {
            wanted.blocks.push(cli.program.block(program)?);
        }
    }
    Ok(wanted.ok_or_else(no_program)?)
}

/// The options of a block as clap takes them, after the name of the program, and the block's
/// program with its arguments.
fn split(command: &Command, words: &[OsString]) -> (Vec<OsString>, Vec<OsString>) {
    let mut options = vec![OsString::from("mpirun")];
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.to_str().filter(|text| text.starts_with('-') && text.len() > 1)
        else {
            return (options, std::iter::once(word).chain(rest).cloned().collect());
        };
        if text == "--" {
            break;
        }
        let name = text.trim_start_matches('-');
        let (name, value) = name.split_once('=').map_or((name, None), |(n, v)| (n, Some(v)));
        let dashes = text.len() - text.trim_start_matches('-').len();
        // -n4
        let number = dashes == 1 && name.starts_with('n') && value.is_none();
        if let Some(digits) = name.strip_prefix('n').filter(|d| number && is_number(d)) {
            options.extend(["-n".into(), digits.into()]);
            continue;
        }
        let long = name.chars().count() > 1;
        options.push(if dashes == 1 && long { format!("-{text}").into() } else { word.clone() });
        let takes = if value.is_some() { 0 } else { values(command, name) };
        options.extend(rest.by_ref().take(takes).cloned());
    }
    (options, rest.cloned().collect())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// How many words after an option belong to it.
fn values(command: &Command, name: &str) -> usize {
    let mut chars = name.chars();
    let short = chars.next().filter(|_| chars.next().is_none());
    let named = |arg: &&clap::Arg| match short {
        Some(short) => arg.get_short_and_visible_aliases().is_some_and(|all| all.contains(&short)),
        None => {
            arg.get_long() == Some(name)
                || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
        }
    };
    command.get_arguments().find(named).map_or(0, |arg| {
        let takes = arg.get_num_args().map_or(0, |range| range.max_values());
        if arg.get_action().takes_values() { takes } else { 0 }
    })
}

/// Options of the whole job stand in the first block.
fn only_program_options(command: &Command, matches: &clap::ArgMatches) -> Result<(), Problem> {
    let own = ProgramOptions::augment_args(Command::new(""));
    let is_own = |id: &clap::Id| own.get_arguments().any(|arg| arg.get_id() == id);
    let given = |id: &&clap::Id| {
        !is_own(id) && matches.value_source(id.as_str()) == Some(ValueSource::CommandLine)
    };
    // A group has an id, too, but no argument.
    let arg = |id: &clap::Id| command.get_arguments().find(|arg| arg.get_id() == id);
    match matches.ids().filter(given).find_map(arg) {
        None => Ok(()),
        Some(arg) => {
            let name = arg.get_long().unwrap_or_default();
            Err(Problem::new(format!("--{name} is for the whole job"))
                .at(format!("--{name} behind a colon"))
                .fix("write it before the first program"))
        }
    }
}

fn no_program() -> Problem {
    Problem::new("no program to start")
        .at("the command line")
        .allowed("mpirun [OPTIONS] PROGRAM [ARGS]...")
        .fix("write the program behind the options; mpirun --help lists them")
}

impl ProgramOptions {
    fn block(self, command: Vec<OsString>) -> Result<Block, Problem> {
        if command.is_empty() {
            return Err(no_program());
        }
        let processes = match &self.processes {
            None => 1,
            Some(text) => match text.parse::<u32>() {
                Ok(number) if number > 0 && number <= i32::MAX as u32 => number,
                _ => {
                    return Err(Problem::new(format!("{text} processes can't be started"))
                        .at(format!("-n {text}"))
                        .allowed("a whole number from 1 on")
                        .fix("say how many processes to start, such as -n 2"));
                }
            },
        };
        let variables = self
            .variables
            .into_iter()
            .map(|text| variable(&text))
            .collect::<Result<Vec<_>, Problem>>()?;
        Ok(Block { processes, variables, wdir: self.wdir, command })
    }
}

/// `NAME=VALUE` or `NAME`.
fn variable(text: &OsStr) -> Result<(OsString, Option<OsString>), Problem> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    if end == 0 {
        return Err(Problem::new("a variable without a name")
            .at(format!("-x {}", text.display()))
            .allowed("VAR or VAR=VALUE"));
    }
    let name = OsStr::from_bytes(&bytes[..end]).to_owned();
    let value = bytes.get(end + 1..).map(|value| OsStr::from_bytes(value).to_owned());
    Ok((name, value))
}

impl JobOptions {
    fn wanted(self, timeout: Option<&OsStr>) -> Result<Wanted, Problem> {
        self.only_here()?;
        let (map_by, cores_each) = self.map_by.as_deref().map_or(Ok((None, None)), map_by)?;
        let output = match (self.tag_output, self.output_dir) {
            (true, _) => Output::Tagged,
            (false, Some(dir)) => Output::Directory(dir),
            (false, None) => Output::Inherited,
        };
        Ok(Wanted {
            blocks: Vec::new(),
            mca: self.mca,
            bind_to: self.bind_to,
            map_by,
            cores_each,
            report_bindings: self.report_bindings,
            oversubscribe: self.oversubscribe,
            output,
            timeout: limit(self.timeout.as_deref(), timeout)?,
        })
    }

    /// Refuses to start anything elsewhere.
    fn only_here(&self) -> Result<(), Problem> {
        let beyond = |what: String| {
            Problem::new("starting processes on other machines is not implemented yet")
                .at(what)
                .allowed("this machine: localhost or its own name")
                .fix("leave the option out, or use the mpiexec of MPICH (Hydra) or srun --mpi=pmi2")
        };
        if let Some(file) = &self.hostfile {
            return Err(beyond(format!("--hostfile {}", file.display())));
        }
        let uname = rustix::system::uname();
        let own = uname.nodename().to_string_lossy();
        let here = |host: &str| {
            let host = host.split(':').next().unwrap_or_default();
            ["localhost", "127.0.0.1", "::1", &*own].contains(&host)
        };
        match &self.host {
            Some(list) if !list.split(',').all(here) => Err(beyond(format!("--host {list}"))),
            _ => Ok(()),
        }
    }
}

fn map_by(text: &str) -> Result<(Option<MapBy>, Option<usize>), Problem> {
    let names = || MAP_BY.iter().map(|(name, _)| *name);
    let wrong = |what: String, fix: String| {
        let all: Vec<&str> = names().collect();
        Problem::new(what)
            .at(format!("--map-by {text}"))
            .allowed(format!("{}, and :PE=N behind it", all.join(", ")))
            .fix(fix)
    };
    let (name, modifier) = text.split_once(':').unwrap_or((text, ""));
    let place = match MAP_BY.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        Some((_, place)) => Some(*place),
        None if name.is_empty() && !modifier.is_empty() => None,
        None => {
            let fix = did_you_mean(&nearest(name, names()), "use one of those");
            return Err(wrong(format!("processes can't be placed by {name:?}"), fix));
        }
    };
    if modifier.is_empty() {
        return Ok((place, None));
    }
    let cores = modifier
        .split_once('=')
        .filter(|(key, _)| key.eq_ignore_ascii_case("pe"))
        .and_then(|(_, cores)| cores.parse::<usize>().ok())
        .filter(|cores| *cores > 0);
    match cores {
        Some(cores) => Ok((place, Some(cores))),
        None => Err(wrong(
            format!("{modifier:?} is not a number of cores"),
            "write :PE=2 for two cores each".into(),
        )),
    }
}

/// How long the job may take: what the option says, else what the variable says.
fn limit(option: Option<&str>, variable: Option<&OsStr>) -> Result<Option<Timeout>, Problem> {
    // An empty variable is one that a script has taken back.
    let (text, said, place) = match (option, variable.filter(|text| !text.is_empty())) {
        (Some(text), _) => (text.to_owned(), "--timeout", format!("--timeout {text}")),
        (None, Some(text)) => {
            let place = format!("environment variable {TIMEOUT_VARIABLE}");
            (text.to_string_lossy().into_owned(), TIMEOUT_VARIABLE, place)
        }
        (None, None) => return Ok(None),
    };
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(after) => Ok(Some(Timeout { after, said })),
        None => Err(Problem::new(format!("{text:?} is no time"))
            .at(place)
            .allowed("a number of seconds above 0")),
    }
}

/// Writes the manual pages of both names.
pub fn manual(dir: &std::path::Path) -> Result<(), Problem> {
    let failed =
        |error| Problem::new(format!("can't write manual pages to {}: {error}", dir.display()));
    clap_mangen::generate_to(Cli::command(), dir).map_err(failed)?;
    std::fs::write(dir.join("mpiexec.1"), ".so man1/mpirun.1\n").map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Wanted, Stop> {
        read(line.split_whitespace().map(OsString::from), None)
    }

    fn job(line: &str) -> Wanted {
        of(line).unwrap_or_else(|_| panic!("{line}:\n{}", mistake(line)))
    }

    fn mistake(line: &str) -> String {
        match of(line) {
            Err(Stop::Say(error)) => error.to_string(),
            Err(Stop::Mistake(problem)) => problem.to_string(),
            _ => panic!("{line} is taken"),
        }
    }

    #[test]
    fn the_usual_spellings() {
        for line in [
            "-n 3 a -n 5",
            "-np 3 a -n 5",
            "--np 3 a -n 5",
            "--np=3 a -n 5",
            "-n3 a -n 5",
            "-c 3 a -n 5",
        ] {
            let wanted = job(line);
            assert_eq!(wanted.blocks[0].processes, 3, "{line}");
            assert_eq!(wanted.blocks[0].command, ["a", "-n", "5"], "{line}");
        }
        let wanted = job("-wdir /tmp -x A=b=c -x D --bind-to core -map-by socket:PE=2 \
                          -mca btl self,sm --mca n -1 --timeout 1.5 -oversubscribe -- -odd");
        let block = &wanted.blocks[0];
        assert_eq!(block.wdir.as_deref(), Some("/tmp".as_ref()));
        let variables = [("A".into(), Some("b=c".into())), ("D".into(), None)];
        assert_eq!(block.variables, variables);
        assert_eq!(block.command, ["-odd"]);
        assert_eq!(wanted.bind_to, Some(BindTo::Core));
        assert_eq!((wanted.map_by, wanted.cores_each), (Some(MapBy::Socket), Some(2)));
        assert_eq!(wanted.mca.mca, ["btl", "self,sm", "n", "-1"]);
        let after = Duration::from_millis(1500);
        assert_eq!(wanted.timeout, Some(Timeout { after, said: "--timeout" }));
        assert!(wanted.oversubscribe);
        assert_eq!(job("a").blocks[0].processes, 1);
        job("--host localhost:4 --allow-run-as-root a");
    }

    #[test]
    fn programs_are_separated_by_colons() {
        let wanted = job("--tag-output -n 1 a x : -n 2 -wdir /tmp b y z");
        assert_eq!(wanted.output, Output::Tagged);
        let programs: Vec<(u32, &[OsString])> =
            wanted.blocks.iter().map(|block| (block.processes, &block.command[..])).collect();
        let (a, b) = (["a".into(), "x".into()], ["b".into(), "y".into(), "z".into()]);
        assert_eq!(programs, [(1, &a[..]), (2, &b[..])]);
        assert!(mistake("a : --mca btl sm b").contains("--mca is for the whole job"));
        assert!(mistake("-n 2 a : ").contains("no program"));
    }

    #[test]
    fn mistakes_name_what_was_meant() {
        for (line, parts) in [
            ("", &["no program"][..]),
            ("-n 2", &["no program"]),
            ("-n 0 a", &["0 processes", "where:   -n 0", "from 1 on"]),
            ("-n -3 a", &["-3 processes"]),
            ("-n many a", &["many processes"]),
            ("--bindto core a", &["--bindto", "--bind-to"]),
            ("-tag-outptu a", &["--tag-outptu", "--tag-output"]),
            ("--bind-to cor a", &["cor", "core"]),
            ("--map-by soket a", &["did you mean socket?"]),
            ("--map-by core:PE=x a", &["PE=x", "write :PE=2"]),
            ("--timeout -1 a", &["above 0"]),
            ("-x =a b", &["without a name"]),
            ("--tag-output --output-dir d a", &["--output-dir"]),
            ("--host elsewhere a", &["not implemented yet", "--host elsewhere"]),
            ("-hostfile h a", &["not implemented yet"]),
        ] {
            let said = mistake(line);
            assert!(parts.iter().all(|part| said.contains(part)), "{line}:\n{said}");
        }
    }

    #[test]
    fn the_environment_limits_the_time_if_the_command_line_does_not() {
        let of = |option: Option<&str>, variable: Option<&str>| {
            limit(option, variable.map(OsStr::new)).map_err(|problem| problem.to_string())
        };
        let timeout = |seconds, said| Timeout { after: Duration::from_secs(seconds), said };
        assert_eq!(of(None, None), Ok(None));
        assert_eq!(of(None, Some("3")), Ok(Some(timeout(3, TIMEOUT_VARIABLE))));
        assert_eq!(of(Some("2"), Some("3")), Ok(Some(timeout(2, "--timeout"))));
        assert_eq!(of(None, Some("")), Ok(None));
        for wrong in ["0", "-1", "3s", "nan", "inf", "1e300"] {
            let said = of(None, Some(wrong)).unwrap_err();
            let parts = [&format!("{wrong:?} is no time"), "variable MPIEXEC_TIMEOUT", "above 0"];
            assert!(parts.iter().all(|part| said.contains(*part)), "{said}");
        }
    }

    #[test]
    fn clap_finds_the_command_line_sound() {
        Cli::command().debug_assert();
    }
}
