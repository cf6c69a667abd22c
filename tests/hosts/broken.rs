//! Networks that break while a job runs: it ends, says why, and nothing is left on any host.

use std::path::Path;

use super::*;

/// A peer that answers nothing for a second has failed. To be sure takes some seconds.
const SOON: Parameters<'static> = &[["btl_tcp_peer_timeout", "1000"]];

/// Many times as long as it takes to notice, on a machine that is busy.
const NOTICED: Duration = Duration::from_secs(90);

/// What ranks do, as the program knows it.
const KINDS: [&str; 5] = ["send", "large", "receive", "window", "all"];

/// A job that communicates, and has done so for a while.
pub fn communicates(
    hosts: &Hosts,
    (over, ranks): (Network, u32),
    parameters: &[Parameters<'_>],
    (kind, dir): (&str, &Path),
) -> Job {
    fs::write(dir.join("go"), "").unwrap();
    let run = set(hosts.mpiexec(ranks, over), &[parameters, &[HOSTS]].concat());
    let run = run.args([compiled("traffic")]).args([Path::new(kind), dir]);
    let mut job = Job::start(run.within(NOTICED));
    job.until("traffic", |_| (0..ranks).all(|rank| dir.join(rank.to_string()).exists()));
    job
}

/// Does the same with each of these at the same time.
pub fn each<T: Send>(cases: impl IntoIterator<Item = T>, body: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        let threads = cases.into_iter().map(|case| scope.spawn(|| body(case)));
        for thread in threads.collect::<Vec<_>>() {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// The lines in which ranks say why they end.
fn reasons(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.starts_with("cairn: rank ")).collect()
}

/// Each rank says it at most once, in one line that names the peer that is not there any more.
pub fn says_why(said: &str, ranks: u32) {
    let reasons = reasons(said);
    assert!((1..=ranks as usize).contains(&reasons.len()), "{said}");
    for reason in reasons {
        assert!(reason.contains("MPI_ERR_PROC_ABORTED") && reason.contains("rank "), "{said}");
    }
}

/// The launcher's own network is as before, and it ends the job when the first rank has given up.
#[test]
fn a_link_that_is_cut_ends_the_job() {
    let cuts = [Hosts::cut, Hosts::unplug];
    each(KINDS.iter().zip(cuts.iter().cycle()), |(kind, cut)| {
        let Some(hosts) = Hosts::new(3) else { return };
        let dir = scratch();
        let job = communicates(&hosts, (Network::Control, 3), &[TCP, SOON], (kind, dir.path()));
        cut(&hosts, Network::Data, 2);
        let ended = job.ends();
        assert!(!ended.status.success(), "{ended}");
        says_why(&ended.stderr, 3);
        hosts.nothing_is_left();
    });
}

/// The launcher shares the network. It does not notice by itself; ranks do, on both sides, and Hydra's proxies end
/// with them.
#[test]
fn a_network_that_the_launcher_shares_is_cut() {
    each(KINDS, |kind| {
        let Some(hosts) = Hosts::new(3) else { return };
        let dir = scratch();
        let job = communicates(&hosts, (Network::Data, 6), &[TCP, SOON], (kind, dir.path()));
        hosts.cut(Network::Data, 2);
        let ended = job.ends();
        assert!(!ended.status.success(), "{ended}");
        says_why(&ended.stderr, 6);
        hosts.nothing_is_left();
    });
}

/// Shorter than it takes to be sure, by far.
#[test]
fn a_moment_without_a_network_costs_nothing() {
    each(ways(), |way| {
        let Some(hosts) = Hosts::new(2) else { return };
        let dir = scratch();
        let job = communicates(&hosts, (Network::Data, 2), &[way], ("all", dir.path()));
        for cut in [Hosts::cut, Hosts::unplug] {
            cut(&hosts, Network::Data, 2);
            std::thread::sleep(Duration::from_millis(1500));
            hosts.heal(Network::Data, 2);
        }
        fs::write(dir.path().join("stop"), "").unwrap();
        let ended = job.ends();
        assert!(ended.is_well(), "{ended}");
        hosts.nothing_is_left();
    });
}

/// libfabric tells nobody, and UCX leaves it to the kernel how often data is sent again. Cairn asks the kernel about
/// their connections.
#[test]
fn a_link_that_is_cut_ends_a_job_over_foreign_libraries() {
    for (way, soon) in [(OFI, "btl_ofi_peer_timeout"), (UCT, "btl_uct_peer_timeout")] {
        if ways().contains(&way) {
            cuts_end_a_job(way, &[[soon, "1000"]]);
        }
    }
}

fn cuts_end_a_job(way: Parameters<'_>, soon: Parameters<'_>) {
    let cuts = [Hosts::cut, Hosts::unplug];
    each(KINDS.iter().zip(cuts.iter().cycle()), |(kind, cut)| {
        let Some(hosts) = Hosts::new(2) else { return };
        let dir = scratch();
        let job = communicates(&hosts, (Network::Control, 2), &[way, soon], (kind, dir.path()));
        cut(&hosts, Network::Data, 2);
        let ended = job.ends();
        assert!(!ended.status.success(), "{ended}");
        says_why(&ended.stderr, 2);
        hosts.nothing_is_left();
    });
}
