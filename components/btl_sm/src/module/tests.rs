use cairn_framework::layout::{check, check_elements};
use cairn_framework::mock::MockHost;

use super::*;

/// A nap of all instances.
fn nap(state: &State) -> Option<Vec<BtlWake>> {
    // SAFETY: the pool lives as long as the device.
    let pool = unsafe { &*state.pool };
    let arm = |index| {
        let cri = pool.cri(index);
        let _held = cri.guard();
        SharedMemory::arm(state, cri).unwrap()
    };
    (0..pool.count).map(arm).collect()
}

#[test]
fn a_nap_of_many_instances_makes_one_barrier_and_has_one_word() {
    let mock = MockHost::leak("btl_sm");
    mock.set("num_cris", "200");
    let transport: SharedMemory = mock.open().unwrap();
    let state = transport.port._device.state();
    let barriers = wake::BARRIERS.get();
    let wakes = nap(state).expect("nothing has come");
    assert_eq!(wake::BARRIERS.get() - barriers, u32::from(state.barriers));
    assert_eq!(wakes.len(), 200);
    assert!(wakes.iter().all(|wake| wake.word == wakes[0].word && wake.fd < 0));
    // SAFETY: in the segment.
    let word = unsafe { &*wakes[0].word };
    assert_eq!(word.load(Ordering::Relaxed), wakes[0].expected);
    // A message to the last instance: the others are armed in vain.
    let news = state.geometry.news(&state.segment, 199);
    news.newest.push(0, &state.geometry.entry(&state.segment, 0).next);
    assert!(nap(state).is_none());
    // Its sender wakes who slept on what the word was.
    wake::wake(word);
    assert_ne!(word.load(Ordering::Relaxed), wakes[0].expected);
    assert!(news.newest.take().is_some() && nap(state).is_some());
    assert_ne!(word.load(Ordering::Relaxed), wakes[0].expected);
}

#[test]
fn instances_share_no_lines() {
    let parts = cairn_framework::parts!(Line {
        cri: "who holds the lock",
        inbox: "who holds the lock",
        transfers: "who holds the lock",
        starved: "who holds the lock",
    });
    check("an instance of btl_sm", &parts);
    check_elements("instances of btl_sm", size_of::<Line>(), align_of::<Line>());
}
