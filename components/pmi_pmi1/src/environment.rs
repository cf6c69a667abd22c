//! What the environment says about the launcher.

#![forbid(unsafe_code)]

use std::fs;
use std::os::fd::RawFd;

use cairn_framework::launch;

/// How the process manager is reached.
#[derive(Debug, PartialEq, Eq)]
pub enum Server {
    /// By an inherited socket.
    Descriptor {
        /// Its number.
        fd: RawFd,
        /// Rank of this process.
        rank: u32,
        /// Processes of the job.
        size: u32,
    },
    /// By a connection to a port; rank and size come over it.
    Port {
        /// `host:port`.
        address: String,
        /// What to call oneself there.
        id: String,
    },
}

/// Everything about the launcher that the environment says.
#[derive(Debug)]
pub struct Environment {
    /// How it is reached, or why it can't be.
    pub server: Result<Server, String>,
    /// The launcher in words.
    pub launcher: &'static str,
    /// Rank on the node and processes there.
    pub local: Option<(u32, u32)>,
    /// Whether `MPI_Comm_spawn` started this job.
    pub spawned: bool,
    /// The job's name, from our own `mpirun`.
    pub job_id: Option<String>,
}

impl Environment {
    /// Reads the variables with `variable`.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| variable(name)?.trim().parse::<u32>().ok();
        Self {
            server: server(&variable),
            launcher: launcher(&variable),
            local: number("MPI_LOCALRANKID")
                .zip(number("MPI_LOCALNRANKS"))
                .filter(|(rank, size)| rank < size),
            spawned: number("PMI_SPAWNED").is_some_and(|spawned| spawned != 0),
            job_id: variable(launch::JOB_ID),
        }
    }
}

fn server(variable: &impl Fn(&str) -> Option<String>) -> Result<Server, String> {
    if let Some(fd) = variable("PMI_FD") {
        let number = |name: &str| {
            let text = variable(name).ok_or(format!("PMI_FD is set, but {name} is not"))?;
            text.trim().parse::<u32>().map_err(|_| format!("{name}={text} is not a number"))
        };
        let descriptor: RawFd =
            fd.trim().parse().map_err(|_| format!("PMI_FD={fd} is not a number"))?;
        // A process between the launcher and this one may have closed it.
        let target = fs::read_link(format!("/proc/self/fd/{descriptor}"));
        let is_socket = match &target {
            Ok(target) => target.to_string_lossy().starts_with("socket:"),
            Err(_) => !fs::exists("/proc/self/fd").unwrap_or(false),
        };
        if descriptor < 0 || !is_socket {
            return Err(format!("PMI_FD={fd} is not an open socket"));
        }
        return Ok(Server::Descriptor {
            fd: descriptor,
            rank: number("PMI_RANK")?,
            size: number("PMI_SIZE")?,
        });
    }
    match (variable("PMI_PORT"), variable("PMI_ID")) {
        (Some(address), Some(id)) => Ok(Server::Port { address, id }),
        (Some(_), None) => Err("PMI_PORT is set, but PMI_ID is not".into()),
        _ => Err("neither PMI_FD nor PMI_PORT is set".into()),
    }
}

fn launcher(variable: &impl Fn(&str) -> Option<String>) -> &'static str {
    let there = |name| variable(name).is_some();
    if there(launch::JOB_ID) {
        "mpirun of Cairn MPI"
    } else if there("SLURM_MPI_TYPE") && there("PMI_JOBID") {
        "srun of Slurm"
    } else if there("HYDRA_BSTRAP_LOCALHOST") || there("I_MPI_HYDRA_TOPOLIB") {
        "Hydra of Intel MPI"
    } else if there("HYDI_CONTROL_FD") || there("PMI_HOSTNAME") {
        "Hydra of MPICH"
    } else {
        "a process manager that speaks PMI-1"
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn of(variables: &[(&str, &str)]) -> Environment {
        Environment::read(|name| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn servers_are_found_or_the_reason_is_said() {
        assert!(of(&[]).server.unwrap_err().contains("neither"));
        let (socket, _other) = UnixStream::pair().unwrap();
        let fd = socket.as_raw_fd().to_string();
        let found = of(&[("PMI_FD", &fd), ("PMI_RANK", "1"), ("PMI_SIZE", "2")]).server;
        assert_eq!(found, Ok(Server::Descriptor { fd: socket.as_raw_fd(), rank: 1, size: 2 }));
        for (variables, reason) in [
            (&[("PMI_FD", "x")][..], "PMI_FD=x is not a number"),
            (&[("PMI_FD", "-1")], "not an open socket"),
            (&[("PMI_FD", "99999")], "not an open socket"),
            (&[("PMI_FD", &fd)], "PMI_RANK is not"),
            (&[("PMI_FD", &fd), ("PMI_RANK", "1"), ("PMI_SIZE", "b")], "PMI_SIZE=b"),
            (&[("PMI_PORT", "h:1")], "PMI_ID is not"),
        ] {
            let error = of(variables).server.unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        let port = of(&[("PMI_PORT", "h:1"), ("PMI_ID", "3")]).server;
        assert_eq!(port, Ok(Server::Port { address: "h:1".into(), id: "3".into() }));
    }

    #[test]
    fn launchers_have_names() {
        for (variables, words) in [
            (&[("CAIRN_JOB_ID", "x")][..], "Cairn"),
            (&[("HYDI_CONTROL_FD", "8")], "MPICH"),
            (&[("HYDRA_BSTRAP_LOCALHOST", "h")], "Intel"),
            (&[("SLURM_MPI_TYPE", "pmi2"), ("PMI_JOBID", "1.0")], "Slurm"),
            (&[], "process manager"),
        ] {
            assert!(of(variables).launcher.contains(words), "{variables:?}");
        }
        assert_eq!(of(&[("MPI_LOCALRANKID", "1"), ("MPI_LOCALNRANKS", "3")]).local, Some((1, 3)));
        assert_eq!(of(&[("MPI_LOCALRANKID", "3"), ("MPI_LOCALNRANKS", "3")]).local, None);
    }
}
