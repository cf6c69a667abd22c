//! Singleton: a process without a launcher is a job of one.
//!
//! ```text
//!   environment ─► a launcher that another component can talk to        not asked: that one wins
//!               ─► a launcher that no component can talk to             a job of one, and a warning
//!               ─► nothing                                              a job of one
//! ```
//!
//! Started by the `mpiexec` of another MPI, every process would otherwise be rank 0 of 1 without a
//! word, which looks as if the program ran once for each process and is hard to find out.

#![forbid(unsafe_code)]

mod foreign;

use std::collections::HashMap;

use cairn_framework::abi::param::IntegerParam;
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::ERR_NOT_FOUND;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Mutex, Registrar};
use cairn_framework::frameworks::pmi::{Pmi, PmiJob};

/// Below every component that found its protocol in the environment.
const PRIORITY: i64 = 10;

struct Singleton {
    host: HostHandle,
    priority: i32,
    /// What this process has put; there is no other.
    values: Mutex<HashMap<String, Vec<u8>>>,
    /// Names published to other jobs: none can reach this one, but it may look up its own.
    services: Mutex<HashMap<String, String>>,
}

impl Component for Singleton {
    type Params = IntegerParam;

    fn register(registrar: &Registrar<'_>) -> Result<IntegerParam, Failure> {
        registrar.priority(PRIORITY)
    }

    fn open(host: HostHandle, priority: IntegerParam) -> Result<Self, Failure> {
        Ok(Self {
            host,
            priority: priority.get() as i32,
            values: Mutex::default(),
            services: Mutex::default(),
        })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.priority)
    }
}

impl Pmi for Singleton {
    fn connect(&self) -> Result<PmiJob, Failure> {
        if let Some(launcher) = foreign::launcher(|name| std::env::var(name).ok()) {
            self.host.show_once(
                c"foreign launcher",
                &format!(
                    "this process was started by {launcher}, which Cairn MPI can't talk to, so it is \
                     rank 0 of 1, as every other process will be; start it with the mpirun of Cairn \
                     MPI"
                ),
            );
        }
        let mut job = PmiJob { nodes: 1, ..PmiJob::default() };
        job.set_texts(&format!("single-{}", std::process::id()), "no launcher");
        Ok(job)
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), Failure> {
        self.values.lock().insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn fence(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn fence_with(&self, _progress: Option<&mut dyn FnMut() -> u32>) -> Result<(), Failure> {
        Ok(())
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Failure> {
        let found = if rank == 0 { self.values.lock().get(key).cloned() } else { None };
        found.ok_or_else(|| Failure::new(ERR_NOT_FOUND, format!("rank {rank} has put no {key}")))
    }

    // The caller exits, and there is no other process to end.
    fn abort(&self, _code: i32, _text: &str) {}

    fn disconnect(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn publish(&self, service: &str, port: Option<&str>) -> Result<(), Failure> {
        let mut services = self.services.lock();
        let before = match port {
            Some(port) => {
                services.insert(service.to_owned(), port.to_owned());
                return Ok(());
            }
            None => services.remove(service),
        };
        before.map(|_| ()).ok_or_else(|| not_published(service))
    }

    fn lookup(&self, service: &str) -> Result<String, Failure> {
        self.services.lock().get(service).cloned().ok_or_else(|| not_published(service))
    }

    fn node_of(&self, rank: u32) -> Result<u32, Failure> {
        match rank {
            0 => Ok(0),
            _ => Err(Failure::new(ERR_NOT_FOUND, format!("a job of one has no rank {rank}"))),
        }
    }
}

fn not_published(service: &str) -> Failure {
    Failure::new(ERR_NOT_FOUND, format!("no process has published the name {service}"))
}

cairn_framework::component! {
    framework: pmi,
    component: Singleton,
    name: "singleton",
    description: "a process without a launcher is a job of one",
}

#[cfg(test)]
mod tests {
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn a_job_of_one_talks_to_itself() {
        let singleton: Singleton = MockHost::leak("pmi_singleton").open().unwrap();
        let job = singleton.connect().unwrap();
        assert_eq!((job.rank, job.size, job.local_rank, job.local_size), (0, 1, 0, 1));
        assert_eq!((job.nodes, singleton.node_of(0), job.spawned), (1, Ok(0), 0));
        assert_eq!(singleton.node_of(1).unwrap_err().status, ERR_NOT_FOUND);

        singleton.put("card", &[0, 255]).unwrap();
        singleton.put("empty", &[]).unwrap();
        singleton.fence().unwrap();
        assert_eq!(singleton.get(0, "card").unwrap(), [0, 255]);
        assert_eq!(singleton.get(0, "empty").unwrap(), Vec::<u8>::new());
        assert_eq!(singleton.get(1, "card").unwrap_err().status, ERR_NOT_FOUND);
        assert_eq!(singleton.get(0, "other").unwrap_err().status, ERR_NOT_FOUND);

        assert_eq!(singleton.lookup("s").unwrap_err().status, ERR_NOT_FOUND);
        singleton.publish("s", Some("port 1")).unwrap();
        assert_eq!(singleton.lookup("s").unwrap(), "port 1");
        singleton.publish("s", None).unwrap();
        assert_eq!(singleton.publish("s", None).unwrap_err().status, ERR_NOT_FOUND);
        singleton.disconnect().unwrap();
    }
}
