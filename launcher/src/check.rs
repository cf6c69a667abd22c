//! Are the parameters sound? Said once here, before any rank would say it.

#![forbid(unsafe_code)]

use cairn_cli::McaArgs;
use cairn_framework::host::Options;
use cairn_framework::host::params::ENVIRONMENT_PREFIX;
use cairn_framework::host::problem::{Problem, Severity};
use rustix::process::{WaitOptions, waitpid};

use crate::sys::{Forked, exit_copy, fork};

/// Checks the parameters of the command line and the environment, and says what is wrong with them.
/// False if something is.
///
/// In a copy of this process: component libraries may start threads, keep memory or crash when they
/// are loaded, and mpirun starts copies of itself later. Nothing is checked when nothing is set.
///
/// # Errors
/// It could not be found out.
pub fn parameters(mca: &McaArgs) -> Result<bool, Problem> {
    let line = mca.command_line();
    let in_environment = || {
        std::env::vars_os()
            .any(|(name, _)| name.to_str().is_some_and(|name| name.starts_with(ENVIRONMENT_PREFIX)))
    };
    if line == Default::default() && !in_environment() {
        return Ok(true);
    }
    let failed = |how: String| {
        Problem::new(format!("checking the parameters {how}"))
            .at("the components")
            .fix("run cairn-info with the same --mca options to see which component it is")
    };
    match fork().map_err(|error| failed(format!("is not possible: {error}")))? {
        Forked::Child => {
            let problems = cairn_mpi_params::system(Options::of_process(line)).problems();
            // Warnings alone are left to the ranks.
            let wrong = problems.iter().any(|problem| problem.severity == Severity::Error);
            if wrong {
                cairn_cli::print_problems(&problems);
            }
            exit_copy(i32::from(wrong))
        }
        Forked::Parent(pid) => {
            let status = waitpid(Some(pid), WaitOptions::empty());
            let status = status.ok().flatten().map(|(_, status)| status);
            match status.and_then(|status| status.exit_status()) {
                Some(0) => Ok(true),
                Some(1) => Ok(false),
                _ => {
                    let signal = status.and_then(|status| status.terminating_signal());
                    let signal = signal.map_or("an error".into(), crate::report::signal_name);
                    Err(failed(format!("ended by {signal}")))
                }
            }
        }
    }
}
