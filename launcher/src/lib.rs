//! `mpirun` (also `mpiexec`): starts the processes of a job on this machine and watches over them.
//!
//! ```text
//!   cli        what the user wants            job       what it comes to: program, topology, binding
//!   check      are the parameters sound       run       the job from its start to its end
//!   pmi        what ranks ask                 report    what is said at the end
//!   stdio      what ranks write
//!   supervisor the process that starts and ends the ranks
//!   sys        what the kernel offers and no crate does
//! ```
//!
//! One thread each in two processes: mpirun, which waits for everything at once, and its supervisor,
//! which sees to it that nothing survives (see `supervisor`).

mod binding;
mod check;
#[doc(hidden)] // for fuzzing
pub mod cli;
mod job;
#[doc(hidden)]
pub mod pmi;
mod program;
mod report;
mod run;
mod stdio;
mod supervisor;
mod sys;
mod topology;

use std::process::ExitCode;

use cairn_framework::host::problem::Problem;
use cli::Stop;
#[cfg(feature = "linked")]
use linked as _;

/// Exit status when the command line was not understood.
const NOT_UNDERSTOOD: u8 = 2;

/// The program.
pub fn main() -> ExitCode {
    let timeout = std::env::var_os(cli::TIMEOUT_VARIABLE);
    let wanted = match cli::read(std::env::args_os().skip(1), timeout.as_deref()) {
        Ok(wanted) => wanted,
        Err(Stop::Say(error)) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
        Err(Stop::Mistake(problem)) => return fail(NOT_UNDERSTOOD, problem),
        Err(Stop::Manual(dir)) => {
            return match cli::manual(&dir) {
                Ok(()) => ExitCode::SUCCESS,
                Err(problem) => fail(1, problem),
            };
        }
    };
    match check::parameters(&wanted.mca) {
        Ok(true) => {}
        // What is wrong has been said.
        Ok(false) => return ExitCode::FAILURE,
        Err(problem) => return fail(1, problem),
    }
    let (job, binding) = match job::plan(&wanted) {
        Ok(plan) => plan,
        Err((status, problem)) => return fail(status, problem),
    };
    if let Some(warning) = &binding.warning {
        anstream::eprintln!("mpirun: {warning}");
    }
    if wanted.report_bindings {
        anstream::eprint!("{}", binding.report());
    }
    match run::run(job, &wanted) {
        Ok(status) => ExitCode::from(status),
        Err(problem) => fail(1, problem),
    }
}

fn fail(status: u8, problem: Problem) -> ExitCode {
    cairn_cli::print_problems(&[problem]);
    ExitCode::from(status)
}
