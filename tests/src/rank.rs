//! A process of a job that does what its arguments say, through the framework `pmi` as the MPI
//! library would.
//!
//! `rank ACTION..`, where an action is one of
//! * `connect`, `fence`, `disconnect`
//! * `job`: print what the process manager says about the job
//! * `put KEY BYTES`: put so many bytes, which differ from rank to rank
//! * `check KEY BYTES`: every rank must have put them
//! * `publish NAME PORT`, `withdraw NAME`, `lookup NAME`
//! * `on RANK`: the next action is for this rank only, `print TEXT`, `lines N`: print N lines
//! * `abort CODE TEXT`, `exit CODE`, `raise SIGNAL`, `hang`
//! * `variables`: print what the launcher set, without the secret

use std::ffi::{CStr, CString};
use std::io::Write;
use std::process::exit;

use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{OK, Status, status_name};
use cairn_framework::frameworks::pmi::{PmiJob, PmiOps};
use cairn_framework::host::params::CommandLine;
use cairn_framework::host::{Chosen, Options, System};
use cairn_framework::launch;
use linked as _;

/// Calls a function of the table.
macro_rules! call {
    ($pmi:expr, $function:ident($($argument:expr),*)) => {{
        let function = $pmi.ops.$function.expect("the table is complete");
        // SAFETY: the instance is open, and the arguments live during the call.
        unsafe { function($pmi.instance $(, $argument)*) }
    }};
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = move || args.next();
    let system = System::new(Options::of_process(CommandLine::default()));
    if let Err(problems) = system.check() {
        eprintln!("{problems}");
        exit(1);
    }
    let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    let pmi: Chosen<PmiOps> = system.select_one(&scope).unwrap_or_else(|problem| {
        eprintln!("{problem}");
        exit(1);
    });
    // Before it is connected, a process is who the launcher says.
    let rank = std::env::var("PMI_RANK").ok().and_then(|rank| rank.parse().ok());
    let mut job = PmiJob { rank: rank.unwrap_or(0), ..PmiJob::default() };
    let mut skip = false;
    while let Some(action) = next() {
        let wanted = match action.as_str() {
            "put" | "check" | "publish" | "abort" => 2,
            "on" | "withdraw" | "lookup" | "print" | "lines" | "exit" | "raise" => 1,
            _ => 0,
        };
        let arguments: Vec<String> = (0..wanted).map(|_| next().expect("an argument")).collect();
        if action == "on" {
            skip = arguments[0] != job.rank.to_string();
        } else if !std::mem::take(&mut skip) {
            act(&pmi, &mut job, &action, &arguments);
        }
    }
}

fn act(pmi: &Chosen<PmiOps>, job: &mut PmiJob, action: &str, arguments: &[String]) {
    let text = |i: usize| CString::new(arguments[i].as_str()).expect("no NUL");
    let number = |i: usize| arguments[i].parse::<i32>().expect("a number");
    let rank = job.rank;
    match action {
        "connect" => must(rank, action, call!(pmi, connect(job))),
        "fence" => must(rank, action, call!(pmi, fence())),
        "disconnect" => must(rank, action, call!(pmi, disconnect())),
        "job" => print_job(pmi, job),
        "put" => {
            let value = value(rank, number(1));
            let (data, len) = (value.as_ptr().cast(), value.len());
            must(rank, action, call!(pmi, put(text(0).as_ptr(), data, len)));
        }
        "check" => {
            for other in 0..job.size {
                let wanted = value(other, number(1));
                let mut found = vec![0u8; wanted.len() + 1];
                let (data, capacity, mut len) = (found.as_mut_ptr().cast(), found.len(), 0);
                let status = call!(pmi, get(other, text(0).as_ptr(), data, capacity, &mut len));
                must(rank, action, status);
                assert_eq!(found[..len], wanted, "what rank {other} has put");
            }
        }
        "publish" => {
            must(rank, action, call!(pmi, publish(text(0).as_ptr(), text(1).as_ptr())));
        }
        "withdraw" => {
            must(rank, action, call!(pmi, publish(text(0).as_ptr(), std::ptr::null())));
        }
        "lookup" => {
            let mut port = [0u8; 256];
            let (data, capacity) = (port.as_mut_ptr().cast(), port.len());
            let status = call!(pmi, lookup(text(0).as_ptr(), data, capacity));
            let port = CStr::from_bytes_until_nul(&port).expect("ended").to_string_lossy();
            let found = if status == OK { &port } else { status_name(status) };
            println!("{rank}: {} is at {found}", arguments[0]);
        }
        "print" => println!("{}", arguments[0]),
        "lines" => {
            for line in 0..number(0) {
                println!("rank {rank} line {line}");
            }
        }
        "abort" => {
            call!(pmi, abort(number(0), text(1).as_ptr()));
            exit(number(0));
        }
        "exit" => exit(number(0)),
        "raise" => {
            std::io::stdout().flush().expect("standard output");
            // SAFETY: sends this process a signal, without a handler of Rust's runtime.
            unsafe {
                libc::signal(number(0), libc::SIG_DFL);
                libc::raise(number(0));
            }
        }
        "hang" => loop {
            std::thread::park();
        },
        "variables" => {
            let variable = |name: &str| std::env::var(name).unwrap_or_default();
            let secret = launch::secret(&variable(launch::JOB_SECRET)).is_some();
            println!("{rank}: job {} secret {secret}", variable(launch::JOB_ID));
        }
        other => panic!("there is no action {other}"),
    }
}

fn must(rank: u32, action: &str, status: Status) {
    if status != OK {
        eprintln!("rank {rank}: {action}: {}", status_name(status));
        exit(1);
    }
}

/// Bytes of any kind that differ from rank to rank.
fn value(rank: u32, len: i32) -> Vec<u8> {
    (0..len as u32).map(|i| (rank + i * 7) as u8).collect()
}

fn print_job(pmi: &Chosen<PmiOps>, job: &PmiJob) {
    let nodes: Vec<String> = (0..job.size)
        .map(|rank| {
            let mut node = 0;
            match call!(pmi, node_of(rank, &mut node)) {
                OK => node.to_string(),
                status => status_name(status).to_owned(),
            }
        })
        .collect();
    // SAFETY: `connect` has ended both texts.
    let launcher = unsafe { CStr::from_ptr(job.launcher.as_ptr()) }.to_string_lossy();
    println!(
        "{} of {}, {} of {} here, app {}, universe {}, spawned {}, nodes {} [{}], by {launcher}",
        job.rank,
        job.size,
        job.local_rank,
        job.local_size,
        job.appnum,
        job.universe,
        job.spawned,
        job.nodes,
        nodes.join(" ")
    );
}
