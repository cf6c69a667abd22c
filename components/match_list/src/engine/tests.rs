//! The lists against a model that only knows the order in which things came.

use proptest::prelude::*;

use super::*;

const SOURCES: i32 = 4;

#[derive(Debug, Clone, Copy)]
enum Act {
    Post {
        source: i32,
        tag: i32,
    },
    Arrive {
        source: i32,
        tag: i32,
        room: bool,
    },
    Find {
        source: i32,
        tag: i32,
        take: bool,
    },
    /// One of the receives that were ever posted, in or not.
    Cancel {
        which: prop::sample::Index,
    },
    Drain,
}

fn acts() -> impl Strategy<Value = Act> {
    let source = || prop_oneof![1 => Just(MATCH_ANY_SOURCE), 3 => 0..SOURCES];
    let tag = || prop_oneof![1 => Just(MATCH_ANY_TAG), 4 => 0..3, 1 => Just(-7)];
    prop_oneof![
        8 => (source(), tag()).prop_map(|(source, tag)| Act::Post { source, tag }),
        8 => (0..SOURCES, prop_oneof![5 => 0..3, 1 => Just(-7)], prop::bool::weighted(0.95))
            .prop_map(|(source, tag, room)| Act::Arrive { source, tag, room }),
        2 => (source(), tag(), any::<bool>())
            .prop_map(|(source, tag, take)| Act::Find { source, tag, take }),
        2 => any::<prop::sample::Index>().prop_map(|which| Act::Cancel { which }),
        1 => Just(Act::Drain),
    ]
}

/// Two lists in the order of their making, searched from the front.
#[derive(Default)]
struct Model {
    posted: Vec<(usize, i32, i32)>,
    arrived: Vec<(usize, i32, i32)>,
}

fn fits((source, tag): (i32, i32), (from, sent): (i32, i32)) -> bool {
    (source == MATCH_ANY_SOURCE || source == from)
        && (tag == sent || (tag == MATCH_ANY_TAG && sent >= 0))
}

impl Model {
    fn find(&mut self, source: i32, tag: i32, take: bool) -> Option<usize> {
        let at =
            self.arrived.iter().position(|(_, from, sent)| fits((source, tag), (*from, *sent)))?;
        Some(if take { self.arrived.remove(at).0 } else { self.arrived[at].0 })
    }

    fn post(&mut self, name: usize, source: i32, tag: i32) -> Option<usize> {
        let found = self.find(source, tag, true);
        if found.is_none() {
            self.posted.push((name, source, tag));
        }
        found
    }

    fn arrive(&mut self, name: usize, source: i32, tag: i32, room: bool) -> Option<usize> {
        let at = self.posted.iter().position(|(_, from, want)| fits((*from, *want), (source, tag)));
        if at.is_none() && room {
            self.arrived.push((name, source, tag));
        }
        at.map(|at| self.posted.remove(at).0)
    }
}

/// The place of an entry in a list of all that there were.
fn place<E>(list: &[*mut E], entry: Option<*mut E>) -> Option<usize> {
    entry.map(|entry| list.iter().position(|other| *other == entry).expect("one of ours"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 500 })
    })]
    #[test]
    fn the_lists_do_what_the_model_does(acts in prop::collection::vec(acts(), 1..120)) {
        let (mut lists, mut model) = (Lists::new(SOURCES as usize).unwrap(), Model::default());
        let mut receives: Vec<*mut MatchPosted> = Vec::new();
        let mut messages: Vec<*mut MatchArrived> = Vec::new();
        for act in acts {
            match act {
                Act::Post { source, tag } => {
                    let entry = Box::new(MatchPosted { source, tag, engine_private: [!0; 4] });
                    receives.push(Box::into_raw(entry));
                    // SAFETY: entries live until the end of the test.
                    let found = unsafe { lists.post(receives[receives.len() - 1]) };
                    let expected = model.post(receives.len() - 1, source, tag);
                    prop_assert_eq!(place(&messages, found), expected);
                }
                Act::Arrive { source, tag, room } => {
                    let entry = MatchArrived { source: 99, tag: 99, engine_private: [!0; 4] };
                    messages.push(Box::into_raw(Box::new(entry)));
                    let last = messages[messages.len() - 1];
                    // SAFETY: as above.
                    let found =
                        unsafe { lists.arrive(source, tag, &mut || room.then_some(last)) };
                    let expected = model.arrive(messages.len() - 1, source, tag, room);
                    prop_assert_eq!(place(&receives, found), expected);
                }
                Act::Find { source, tag, take } => {
                    let found = lists.find(source, tag, take);
                    prop_assert_eq!(place(&messages, found), model.find(source, tag, take));
                }
                Act::Cancel { which } => {
                    if receives.is_empty() {
                        continue;
                    }
                    let which = which.index(receives.len());
                    // SAFETY: it was posted and is valid.
                    let was_in = unsafe { lists.cancel(receives[which]) };
                    let expected = model.posted.iter().position(|(name, ..)| *name == which);
                    prop_assert_eq!(was_in, expected.is_some());
                    expected.map(|at| model.posted.remove(at));
                }
                Act::Drain => {
                    let (posted, arrived) = lists.drain();
                    let posted = place(&receives, posted);
                    prop_assert_eq!(posted.is_some(), !model.posted.is_empty());
                    model.posted.retain(|(name, ..)| Some(*name) != posted);
                    let arrived = place(&messages, arrived);
                    prop_assert_eq!(arrived.is_some(), !model.arrived.is_empty());
                    model.arrived.retain(|(name, ..)| Some(*name) != arrived);
                }
            }
            let counts = lists.counts();
            prop_assert_eq!(counts.posted, model.posted.len() as u64);
            prop_assert_eq!(counts.arrived, model.arrived.len() as u64);
            prop_assert!(counts.posted_max >= counts.posted);
            prop_assert!(counts.arrived_max >= counts.arrived);
        }
        let text = lists.describe();
        let lines = model.posted.len().min(SHOWN) + model.arrived.len().min(SHOWN) + 1;
        prop_assert_eq!(text.lines().count(), lines, "{}", text);
        drop(lists);
        // SAFETY: boxed above, and the lists are gone.
        unsafe {
            receives.into_iter().for_each(|entry| drop(Box::from_raw(entry)));
            messages.into_iter().for_each(|entry| drop(Box::from_raw(entry)));
        }
    }
}

#[test]
fn numbers_of_posting_wrap() {
    let mut lists = Lists::new(1).unwrap();
    lists.posts = usize::MAX;
    let mut own = MatchPosted { source: 0, tag: 1, engine_private: [0; 4] };
    let mut any = MatchPosted { source: MATCH_ANY_SOURCE, tag: 1, engine_private: [0; 4] };
    // SAFETY: both live until the end.
    unsafe {
        assert!(lists.post(&raw mut own).is_none());
        assert!(lists.post(&raw mut any).is_none());
        assert_eq!(lists.arrive(0, 1, &mut || None), Some(&raw mut own));
        assert_eq!(lists.arrive(0, 1, &mut || None), Some(&raw mut any));
    }
}
