//! The job: what the command line comes to before anything is started.

#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cairn_framework::host::problem::Problem;
use cairn_framework::host::system::random_secret;
use cairn_framework::launch;

use crate::binding::{Binding, BindingRequest};
use crate::cli::{Block, Output, Wanted};
use crate::program;
use crate::supervisor::PMI_FD;
use crate::topology::Topology;

/// A job to start.
#[derive(Debug)]
pub struct Job {
    /// Its name.
    pub id: String,
    /// The programs, one for each block of the command line.
    pub apps: Vec<App>,
    /// The ranks in their order.
    pub ranks: Vec<Rank>,
}

/// What the ranks of one block have in common.
#[derive(Debug)]
pub struct App {
    /// The file to execute.
    pub program: PathBuf,
    /// Arguments, the program's name as it was written first.
    pub args: Vec<OsString>,
    /// The environment.
    pub env: Vec<(OsString, OsString)>,
    /// Where to run, if elsewhere.
    pub dir: Option<PathBuf>,
}

/// One rank.
#[derive(Debug, Default)]
pub struct Rank {
    /// Which of the apps.
    pub app: usize,
    /// `NAME=VALUE` besides the app's.
    pub env: Vec<String>,
    /// The processors to bind to; any if empty.
    pub cpus: Vec<u32>,
}

/// What other launchers leave in the environment. A job that a process of another job starts is
/// another job.
const FOREIGN: [&str; 9] = [
    "PMI_",
    "PMIX_",
    "HYDI_",
    "HYDRA_",
    "OMPI_COMM_WORLD_",
    "PRTE_LAUNCHED",
    "MPI_LOCALRANKID",
    "MPI_LOCALNRANKS",
    "CAIRN_JOB_",
];

/// What of it is not of the job but of the allocation: the right to use the network of a Cray.
const KEPT: &str = "PMI_GNI_";

/// Works out the job.
///
/// # Errors
/// What can't be, and the exit status of mpirun for it.
pub fn plan(wanted: &Wanted) -> Result<(Job, Binding), (u8, Problem)> {
    let other = |problem| (1, problem);
    let total = wanted.blocks.iter().map(|block| block.processes as usize).sum();
    let request = BindingRequest {
        bind_to: wanted.bind_to,
        map_by: wanted.map_by,
        cores_each: wanted.cores_each,
        oversubscribe: wanted.oversubscribe,
    };
    let binding = Binding::new(&Topology::of_process(), total, request).map_err(other)?;
    if let Output::Directory(dir) = &wanted.output {
        output_directory(dir).map_err(other)?;
    }

    let id = format!("cairn-{}-{:08x}", std::process::id(), {
        let random = random_secret();
        u32::from_ne_bytes([random[0], random[1], random[2], random[3]])
    });
    let common = [
        (launch::JOB_ID, id.clone()),
        (launch::JOB_SECRET, launch::secret_text(random_secret())),
        (launch::NODE_CORES, cairn_framework::host::own_cores().to_string()),
        ("PMI_FD", PMI_FD.to_string()),
        ("PMI_SIZE", total.to_string()),
        ("PMI_SPAWNED", "0".into()),
        ("MPI_LOCALNRANKS", total.to_string()),
    ];
    let line = wanted.mca.command_line();
    let passed =
        if line == Default::default() { None } else { Some(line.to_variable().map_err(other)?) };
    let mut ours: Vec<(OsString, OsString)> =
        common.into_iter().chain(passed).map(|(name, value)| (name.into(), value.into())).collect();
    ours.sort();

    let mut job = Job { id, apps: Vec::new(), ranks: Vec::with_capacity(total) };
    for block in &wanted.blocks {
        let app = job.apps.len();
        job.apps.push(self::app(block, &ours)?);
        for _ in 0..block.processes {
            let rank = job.ranks.len();
            job.ranks.push(Rank {
                app,
                env: ["PMI_RANK", "PMI_ID", "MPI_LOCALRANKID"]
                    .map(|name| format!("{name}={rank}"))
                    .into(),
                cpus: binding.cpus[rank].clone(),
            });
        }
    }
    Ok((job, binding))
}

fn app(block: &Block, ours: &[(OsString, OsString)]) -> Result<App, (u8, Problem)> {
    let is_foreign = |name: &OsStr| {
        let begins = |prefix: &&str| name.as_bytes().starts_with(prefix.as_bytes());
        FOREIGN.iter().any(begins) && !begins(&KEPT)
    };
    let mut env: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| !is_foreign(name)).collect();
    let mut set = |name: &OsString, value: OsString| {
        env.retain(|(other, _)| other != name);
        env.push((name.clone(), value));
    };
    for (name, value) in &block.variables {
        match value.clone().or_else(|| std::env::var_os(name)) {
            Some(value) => set(name, value),
            None => {
                let name = name.display();
                let problem = Problem::new(format!("the variable {name} is not set here"))
                    .at(format!("-x {name}"))
                    .fix(format!("export it, or give it a value: -x {name}=VALUE"))
                    .warning();
                cairn_cli::print_problems(&[problem]);
            }
        }
    }
    ours.iter().for_each(|(name, value)| set(name, value.clone()));

    let here = || {
        std::env::current_dir().map_err(|error| {
            let problem = Problem::new(format!("the current directory is gone: {error}"))
                .at("mpirun")
                .fix("cd to a directory that is there");
            (1, problem)
        })
    };
    let dir = match &block.wdir {
        None => None,
        Some(dir) => Some(working_directory(&here()?.join(dir), dir).map_err(|error| (1, error))?),
    };
    let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
    let path = path.unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let from = match &dir {
        Some(dir) => dir.clone(),
        None => here()?,
    };
    let program = program::find(&block.command[0], &from, &path)?;
    Ok(App { program, args: block.command.clone(), env, dir })
}

fn working_directory(dir: &Path, written: &Path) -> Result<PathBuf, Problem> {
    let problem = |what: String, fix: &str| {
        Problem::new(format!("can't run in {}: {what}", dir.display()))
            .at(format!("--wdir {}", written.display()))
            .fix(fix)
    };
    match fs::metadata(dir) {
        Ok(metadata) if !metadata.is_dir() => {
            Err(problem("it is not a directory".into(), "name the directory it lies in"))
        }
        Ok(_) => match rustix::fs::access(dir, rustix::fs::Access::EXEC_OK) {
            Ok(()) => Ok(dir.to_owned()),
            Err(error) => Err(problem(error.to_string(), "look at its rights")),
        },
        Err(error) => Err(problem(error.to_string(), "make it, or name a directory that is there")),
    }
}

/// Makes the directory if need be, and sees whether files can be made in it.
fn output_directory(dir: &Path) -> Result<(), Problem> {
    let problem = |error: std::io::Error| {
        Problem::new(format!("can't write output to {}: {error}", dir.display()))
            .at(format!("--output-dir {}", dir.display()))
            .fix("name a directory that you may write to; it is made if it is not there")
    };
    fs::create_dir_all(dir).map_err(problem)?;
    rustix::fs::access(dir, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
        .map_err(|error| problem(error.into()))
}
