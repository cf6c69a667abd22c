//! Our own components of windows keep the rules of `osc`, whatever is below them; and what is theirs alone.

use std::sync::atomic::{AtomicU64, Ordering};

use cairn_conformance::Outcome;
use cairn_conformance::osc::{RULES, SIZES, look};
use cairn_conformance::ranks::Recipe;
use cairn_conformance::windows::{Given, Job, Look, Operation, Plan, Rank, Win};
use cairn_framework::abi::peer::PEER_FAILED;
use cairn_framework::abi::status::{ERR_PEER, OutcomeCode};
use cairn_framework::frameworks::osc::*;
use cairn_framework::host::forget_reason;
use linked as _;

/// Looks at every rule. `skipped` are those that the component has nothing to do with.
fn keeps(mca: &[(&str, &str)], skipped: &[&str]) {
    let start = |size| Job::start(&Recipe::new(mca), size).unwrap();
    let jobs: Vec<&'static Job> = SIZES.into_iter().map(start).collect();
    for rule in RULES {
        eprintln!("{mca:?}: {}", rule.text);
        match look(&jobs, rule) {
            Outcome::Passed => assert!(!skipped.contains(&rule.text), "{} is kept", rule.text),
            Outcome::Skipped(_) if skipped.contains(&rule.text) => {}
            other => panic!("{mca:?}: {}: {other}", rule.text),
        }
    }
    jobs.iter().for_each(|job| job.close());
}

const DYNAMIC: &str = "what is attached can be reached, and nothing else";
const SHARED: &str = "shared memory is where it is said to be";
const ALLOCATED: &str = "memory for programs is aligned, and theirs";

#[test]
fn sm_keeps_the_rules() {
    keeps(&[("osc", "sm"), ("btl", "self,sm")], &[DYNAMIC]);
}

#[test]
fn rdma_keeps_the_rules_over_shared_memory() {
    keeps(&[("osc", "rdma"), ("btl", "self,sm")], &[SHARED, ALLOCATED]);
}

#[test]
fn rdma_keeps_the_rules_over_tcp() {
    keeps(&[("osc", "rdma"), ("btl", "self,tcp")], &[SHARED, ALLOCATED]);
}

#[test]
fn rdma_keeps_the_rules_with_every_strategy_and_short_packets() {
    for issue in ["lazy", "eager", "adaptive"] {
        let mca = [
            ("osc", "rdma"),
            ("btl", "self,sm"),
            ("issue", issue),
            ("osc_rdma_packet", "512"),
            ("osc_rdma_receives", "2"),
        ];
        keeps(&mca, &[SHARED, ALLOCATED]);
    }
}

fn run(count: u32, mca: &[(&str, &str)], work: impl Fn(&Rank) -> Look + Send + Sync + 'static) {
    let job = Job::start(&Recipe::new(mca), count).unwrap();
    job.run(work).unwrap();
    job.close();
}

/// osc_sm over what it needs.
const SM: [(&str, &str); 2] = [("osc", "sm"), ("btl", "self,sm")];

fn plan(flavor: u32, flags: u32, len: fn(u32) -> u64, given: Given) -> Plan {
    Plan { flags, len, given, ..Plan::of(flavor) }
}

#[test]
fn shared_memory_that_need_not_be_contiguous_has_cache_lines_of_its_own() {
    run(3, &SM, |rank| {
        let lens = |rank: u32| [3, 0, 1000][rank as usize];
        let plan = plan(WINDOW_SHARED, WINDOW_NONCONTIGUOUS, lens, Given::Heap);
        let apart = rank.open(plan)?.expect("it serves it");
        assert!(apart.shared(2)?.addr().is_multiple_of(64));
        Ok(apart.close()?)
    });
}

#[test]
fn sm_leaves_what_can_not_be_mapped_to_others() {
    run(2, &SM, |rank| {
        let hundred = |_| 100;
        assert!(rank.open(Plan::of(WINDOW_DYNAMIC))?.is_none());
        assert!(rank.open(plan(WINDOW_CREATE, 0, hundred, Given::Heap))?.is_none());
        assert!(rank.allocate(1 << 50, 8).is_ok_and(|memory| memory.is_none()));
        assert!(rank.open(plan(WINDOW_ALLOCATE, 0, |_| 1 << 50, Given::Heap))?.is_none());
        // Of nothing everything can be mapped.
        let half = |rank| if rank == 0 { 100 } else { 0 };
        let window = rank.open(plan(WINDOW_CREATE, 0, half, Given::Component))?;
        let window = window.expect("it serves it");
        window.fence(0)?;
        if rank.number == 1 {
            window.run(Operation::put(0, 99, &[5]))?;
        }
        window.fence(0)?;
        assert_eq!(window.look(0, 99, 1)?, [5]);
        Ok(window.close()?)
    });
}

#[test]
fn only_some_have_memory_that_can_be_mapped() {
    run(2, &SM, |rank| {
        let given = if rank.number == 0 { Given::Component } else { Given::Heap };
        assert!(rank.open(plan(WINDOW_CREATE, 0, |_| 100, given))?.is_none());
        Ok(())
    });
}

#[test]
fn one_process_needs_no_transport() {
    run(1, &SM, |rank| {
        assert!(rank.allocate(800, 8)?.is_none());
        for flavor in [WINDOW_CREATE, WINDOW_ALLOCATE, WINDOW_SHARED] {
            rank.open(Plan::of(flavor))?.expect("it serves it").close()?;
        }
        Ok(())
    });
}

/// What ranks 1 and 2 wait for while rank 0 does nothing.
fn wait_in(window: &Win<'_>, wait: u32) -> Result<OutcomeCode, String> {
    let sync_of = |kind| OscSync { ranks: &raw const FIRST, rank_count: 1, ..Win::sync_of(kind) };
    Ok(match wait {
        // The first one has nothing to complete, so it need not wait.
        0 => match window.synchronize(&Win::sync_of(OSC_FENCE)) {
            begun if begun < 0 => begun,
            _ => window.synchronize(&Win::sync_of(OSC_FENCE)),
        },
        1 => {
            let begun = window.synchronize(&sync_of(OSC_START));
            if begun < 0 { begun } else { window.synchronize(&sync_of(OSC_COMPLETE)) }
        }
        2 => {
            window.post(&[FIRST], 0)?;
            window.synchronize(&Win::sync_of(OSC_WAIT))
        }
        _ => {
            let shared = u32::from(window.rank.number == 1);
            let asked = OscSync { target: 1, shared, ..Win::sync_of(OSC_LOCK) };
            let asked = window.synchronize(&asked);
            if asked < 0 {
                return Ok(asked);
            }
            // A component may lock when there is something to do.
            window.run(Operation::get(1, 0, 1))?;
            window.synchronize(&OscSync { target: 1, ..Win::sync_of(OSC_UNLOCK) })
        }
    })
}

static FIRST: u32 = 0;

/// Rank 0 holds the lock of rank 1, and the ranks of `notice` hear that it has died.
fn death(mca: &[(&str, &str)], notice: &'static [u32]) {
    for wait in 0..4 {
        run(3, mca, move |rank| {
            let window = rank.open(Plan::of(WINDOW_ALLOCATE))?.expect("it serves it");
            if rank.number == 0 {
                window.lock(1, false)?;
                window.run(Operation::put(1, 0, &[1]))?;
                window.flush(Some(1))?;
            }
            rank.barrier()?;
            if notice.contains(&rank.number) {
                rank.peer(0).flags.fetch_or(PEER_FAILED, Ordering::Relaxed);
            }
            if rank.number != 0 {
                assert_eq!(wait_in(&window, wait)?, ERR_PEER, "wait {wait}");
                forget_reason();
            }
            Ok(window.close()?)
        });
    }
}

#[test]
fn waits_for_a_process_that_has_died_end_where_one_of_the_node_notices() {
    // Rank 1 does not notice itself.
    death(&SM, &[2]);
}

#[test]
fn waits_for_a_process_that_has_died_end_where_each_notices() {
    death(&[("osc", "rdma"), ("btl", "self,sm")], &[1, 2]);
}

#[test]
fn a_broken_rule_is_told_by_the_rank_that_found_it() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let job = Job::start(&Recipe::new(&SM), 3).unwrap();
    let broken = job.run(|rank| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        if rank.number == 1 { Err(String::from("it is red").into()) } else { Ok(rank.barrier()?) }
    });
    let text = format!("{broken:?}");
    assert!(text.contains("Broken") && text.contains("rank 1: it is red"), "{text}");
    // The others were told, and none waits.
    assert!(format!("{:?}", job.run(|_| Ok(()))).contains("NotHere"));
    assert_eq!(CALLS.load(Ordering::Relaxed), 3);
    let job = Job::start(&Recipe::new(&SM), 2).unwrap();
    let broken = job.run(|rank| if rank.number == 0 { panic!("oh") } else { Ok(rank.barrier()?) });
    assert!(format!("{broken:?}").contains("rank 0: it panicked: oh"), "{broken:?}");
}
