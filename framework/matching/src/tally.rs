//! How long queues and searches are.
//!
//! An engine counts in plain numbers, which belong to whoever has the engine. Every few messages,
//! and when somebody asks for them or the engine goes, it adds them to counters that all engines of
//! the component share. So a search costs a few additions in a cache line that is there anyway.

use std::ffi::CStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_framework::abi::counter::{COUNTER_MAXIMUM, COUNTER_SUM, CounterCell, CounterSpec};
use cairn_framework::author::{Failure, HostHandle};
use cairn_framework::frameworks::matching::MatchCounts;

/// Messages after which an engine's numbers are added to the counters.
const EVERY: u64 = 256;

/// What an engine holds and how hard it worked.
#[derive(Debug, Default)]
pub struct Tally {
    /// All but the searches, which are posts and arrivals.
    counts: MatchCounts,
    posts: u64,
    arrivals: u64,
    /// Receives that were in the engine when messages arrived, summed up.
    posted_met: u64,
    /// Messages that were in the engine when receives were posted, summed up.
    arrived_met: u64,
    /// What the counters know already.
    told: Told,
}

#[derive(Debug, Default)]
struct Told {
    posts: u64,
    arrivals: u64,
    compared: u64,
    posted_met: u64,
    arrived_met: u64,
}

impl Tally {
    /// A receive was posted, and the arrived messages searched.
    #[inline]
    pub fn post_searched(&mut self, compared: u64) {
        self.posts += 1;
        self.arrived_met += self.counts.arrived;
        self.searched(compared);
    }

    /// A message arrived, and the posted receives were searched.
    #[inline]
    pub fn arrive_searched(&mut self, compared: u64, totals: &Totals) {
        self.arrivals += 1;
        self.posted_met += self.counts.posted;
        self.searched(compared);
        if self.arrivals.is_multiple_of(EVERY) {
            self.tell(totals);
        }
    }

    /// A receive was posted, and no message was there.
    #[inline(always)]
    pub fn post_alone(&mut self) {
        self.posts += 1;
    }

    /// Whether the next `arrive_searched` does more than count. It need not be called before.
    #[inline(always)]
    pub fn is_due(&self) -> bool {
        (self.arrivals + 1).is_multiple_of(EVERY)
    }

    /// A message arrived, and the receive it gets was the first. Not when it `is_due`.
    #[inline(always)]
    pub fn arrive_at_first(&mut self) {
        self.arrivals += 1;
        self.posted_met += self.counts.posted;
        self.searched(1);
    }

    #[inline]
    fn searched(&mut self, compared: u64) {
        self.counts.compared += compared;
        if compared > self.counts.compared_max {
            self.counts.compared_max = compared;
        }
    }

    /// A receive went in.
    #[inline]
    pub fn posted(&mut self) {
        self.counts.posted += 1;
        if self.counts.posted > self.counts.posted_max {
            self.counts.posted_max = self.counts.posted;
        }
    }

    /// A receive came out.
    #[inline]
    pub fn unposted(&mut self) {
        self.counts.posted -= 1;
    }

    /// A message went in.
    #[inline]
    pub fn arrived(&mut self) {
        self.counts.arrived += 1;
        if self.counts.arrived > self.counts.arrived_max {
            self.counts.arrived_max = self.counts.arrived;
        }
    }

    /// A message came out.
    #[inline]
    pub fn taken(&mut self) {
        self.counts.arrived -= 1;
    }

    /// Receives in the engine.
    #[inline]
    pub fn posted_len(&self) -> u64 {
        self.counts.posted
    }

    /// Messages in the engine.
    #[inline]
    pub fn arrived_len(&self) -> u64 {
        self.counts.arrived
    }

    /// The counts.
    pub fn counts(&self) -> MatchCounts {
        MatchCounts { searches: self.posts + self.arrivals, ..self.counts }
    }

    /// Adds what is new to the component's counters.
    #[cold]
    pub fn tell(&mut self, totals: &Totals) {
        let counts = &self.counts;
        let now = Told {
            posts: self.posts,
            arrivals: self.arrivals,
            compared: counts.compared,
            posted_met: self.posted_met,
            arrived_met: self.arrived_met,
        };
        let before = std::mem::replace(&mut self.told, now);
        let now = &self.told;
        let add = |cell: &CounterCell, more: u64| cell.value.fetch_add(more, Ordering::Relaxed);
        add(&totals.posts, now.posts - before.posts);
        add(&totals.arrivals, now.arrivals - before.arrivals);
        add(&totals.compared, now.compared - before.compared);
        add(&totals.posted_met, now.posted_met - before.posted_met);
        add(&totals.arrived_met, now.arrived_met - before.arrived_met);
        let most = |cell: &CounterCell, seen: u64| cell.value.fetch_max(seen, Ordering::Relaxed);
        most(&totals.compared_max, counts.compared_max);
        most(&totals.posted_max, counts.posted_max);
        most(&totals.arrived_max, counts.arrived_max);
    }
}

macro_rules! totals {
    ($( $name:ident, $kind:ident, $unit:literal, $help:literal; )*) => {
        /// The counters of a component: those of all its engines, also of the closed ones.
        #[derive(Debug)]
        pub struct Totals {
            host: HostHandle,
            $( $name: CounterCell, )*
        }

        impl Totals {
            /// Makes the counters and tells the host. While the component opens.
            ///
            /// # Errors
            /// What the host says.
            pub fn new(host: HostHandle) -> Result<Arc<Self>, Failure> {
                let totals = Arc::new(Self { host, $( $name: CounterCell::default(), )* });
                $( totals.add(
                    $kind,
                    c_str(concat!(stringify!($name), "\0")),
                    c_str(concat!($unit, "\0")),
                    c_str(concat!($help, "\0")),
                    &totals.$name,
                )?; )*
                Ok(totals)
            }
        }

        impl Drop for Totals {
            /// Takes the counters out of the host, where their values stay.
            fn drop(&mut self) {
                $( self.host.counter_remove(&self.$name); )*
            }
        }
    };
}

totals! {
    posts, COUNTER_SUM, "receives", "Receives that were posted.";
    arrivals, COUNTER_SUM, "messages", "Messages that were matched or kept.";
    compared, COUNTER_SUM, "entries", "Entries that searches compared; over the searches, which are receives and messages, the mean length of a search.";
    compared_max, COUNTER_MAXIMUM, "entries", "Most entries that one search compared.";
    posted_met, COUNTER_SUM, "receives", "Receives that waited when messages arrived, summed up; over the messages, the mean length of the queue.";
    posted_max, COUNTER_MAXIMUM, "receives", "Most receives that waited in a queue.";
    arrived_met, COUNTER_SUM, "messages", "Messages that waited when receives were posted, summed up; over the receives, the mean length of the queue.";
    arrived_max, COUNTER_MAXIMUM, "messages", "Most messages that waited in a queue.";
}

impl Totals {
    fn add(
        &self,
        kind: u32,
        name: &CStr,
        unit: &CStr,
        help: &CStr,
        cell: &CounterCell,
    ) -> Result<(), Failure> {
        let spec = CounterSpec {
            struct_size: size_of::<CounterSpec>() as u32,
            kind,
            level: 5,
            reserved: 0,
            name: name.as_ptr(),
            help: help.as_ptr(),
            unit: unit.as_ptr(),
            comm: std::ptr::null(),
            refresh: None,
            refresh_context: std::ptr::null_mut(),
        };
        // SAFETY: the cells stay where they are until `drop` takes them out.
        unsafe { self.host.counter_add(&spec, cell) }
    }
}

fn c_str(text: &'static str) -> &'static CStr {
    CStr::from_bytes_with_nul(text.as_bytes()).expect("one NUL, at the end")
}

#[cfg(test)]
mod tests {
    use cairn_framework::mock::MockHost;

    use super::*;

    #[test]
    fn totals_are_those_of_all_engines() {
        let totals = Totals::new(MockHost::leak("match_test").handle()).unwrap();
        let (mut first, mut second) = (Tally::default(), Tally::default());
        first.posted();
        first.posted();
        first.arrive_searched(2, &totals);
        first.tell(&totals);
        first.arrive_searched(7, &totals);
        second.posted();
        (0..EVERY).for_each(|_| second.arrive_searched(1, &totals));
        second.arrive_searched(1, &totals);
        second.arrived();
        second.post_searched(0);
        let read = |cell: &CounterCell| cell.value.load(Ordering::Relaxed);
        assert_eq!(
            [&totals.posts, &totals.arrivals, &totals.compared].map(read),
            [0, EVERY + 1, EVERY + 2]
        );
        first.tell(&totals);
        second.tell(&totals);
        second.tell(&totals);
        assert_eq!(
            [&totals.posts, &totals.arrivals, &totals.compared, &totals.compared_max].map(read),
            [1, EVERY + 3, EVERY + 10, 7]
        );
        assert_eq!(
            [&totals.posted_met, &totals.posted_max, &totals.arrived_met, &totals.arrived_max]
                .map(read),
            [EVERY + 5, 2, 1, 1]
        );
    }
}
