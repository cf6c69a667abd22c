//! Who talks to whom.
//!
//! An entity is what sends or receives: a thread of a process. Processes with one thread each,
//! threads of two processes, and anything between are the same benchmark with other entities
//! (Patinyasakdikul 2019, section 3.5.2).

/// A thread of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entity {
    /// Its rank in the world.
    pub rank: usize,
    /// Which thread of the process it is.
    pub thread: usize,
}

/// A sender and a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// Who sends.
    pub sender: Entity,
    /// Who receives.
    pub receiver: Entity,
    /// Its place in the list of channels, from 0.
    pub index: usize,
}

impl Channel {
    /// Whether the entity is one of its ends.
    pub fn has(&self, entity: Entity) -> bool {
        self.sender == entity || self.receiver == entity
    }
}

/// `processes` × `threads` entities from a rank on, all threads of a process one after the other.
fn side(first: usize, processes: usize, threads: usize) -> impl Iterator<Item = Entity> + Clone {
    (first..first + processes)
        .flat_map(move |rank| (0..threads).map(move |thread| Entity { rank, thread }))
}

/// The k-th of the entities that send with the k-th of those that receive. The senders are the
/// first `senders.0` ranks of `size` with `senders.1` threads each, the receivers the last ranks.
///
/// # Errors
/// The two sides differ in number, or there are too few ranks.
pub fn pairwise(
    size: usize,
    senders: (usize, usize),
    receivers: (usize, usize),
) -> Result<Vec<Channel>, String> {
    let first = enough(size, senders, receivers)?;
    let (sending, receiving) = (senders.0 * senders.1, receivers.0 * receivers.1);
    if sending != receiving {
        return Err(format!(
            "pairs need as many receivers as senders; {} processes x {} threads send and {} x {} \
             receive",
            senders.0, senders.1, receivers.0, receivers.1
        ));
    }
    let pairs = side(0, senders.0, senders.1).zip(side(first, receivers.0, receivers.1));
    Ok(numbered(pairs))
}

/// Every sender with every receiver, placed as by [`pairwise`].
///
/// # Errors
/// There are too few ranks.
pub fn all_to_all(
    size: usize,
    senders: (usize, usize),
    receivers: (usize, usize),
) -> Result<Vec<Channel>, String> {
    let first = enough(size, senders, receivers)?;
    let receiving = side(first, receivers.0, receivers.1);
    let pairs = side(0, senders.0, senders.1)
        .flat_map(|sender| receiving.clone().map(move |receiver| (sender, receiver)));
    Ok(numbered(pairs))
}

fn numbered(pairs: impl Iterator<Item = (Entity, Entity)>) -> Vec<Channel> {
    pairs
        .enumerate()
        .map(|(index, (sender, receiver))| Channel { sender, receiver, index })
        .collect()
}

/// The rank of the first receiver.
fn enough(
    size: usize,
    senders: (usize, usize),
    receivers: (usize, usize),
) -> Result<usize, String> {
    for (what, number) in [
        ("sending processes", senders.0),
        ("sending threads", senders.1),
        ("receiving processes", receivers.0),
        ("receiving threads", receivers.1),
    ] {
        if number == 0 {
            return Err(format!("there are no {what}; at least 1 is needed"));
        }
    }
    let needed = senders.0 + receivers.0;
    size.checked_sub(receivers.0).filter(|first| *first >= senders.0).ok_or_else(|| {
        format!(
            "{} sending and {} receiving processes need {needed} ranks; the job has {size}",
            senders.0, receivers.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(channels: &[Channel]) -> String {
        let shown = |channel: &Channel| {
            let Channel { sender, receiver, .. } = channel;
            format!("{}.{}>{}.{}", sender.rank, sender.thread, receiver.rank, receiver.thread)
        };
        channels.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pairs_of_threads_of_processes_and_of_both() {
        let pairs = |size, senders, receivers| shown(&pairwise(size, senders, receivers).unwrap());
        assert_eq!(pairs(2, (1, 3), (1, 3)), "0.0>1.0 0.1>1.1 0.2>1.2");
        assert_eq!(pairs(4, (2, 1), (2, 1)), "0.0>2.0 1.0>3.0");
        assert_eq!(pairs(3, (1, 2), (2, 1)), "0.0>1.0 0.1>2.0");
        // Ranks that are too many lie in the middle, so each half stays on its node.
        assert_eq!(pairs(6, (2, 1), (2, 1)), "0.0>4.0 1.0>5.0");
    }

    #[test]
    fn all_with_all() {
        let channels = all_to_all(3, (1, 2), (2, 1)).unwrap();
        assert_eq!(shown(&channels), "0.0>1.0 0.0>2.0 0.1>1.0 0.1>2.0");
        assert!(channels.iter().enumerate().all(|(index, channel)| channel.index == index));
        assert_eq!(shown(&all_to_all(2, (1, 1), (1, 3)).unwrap()), "0.0>1.0 0.0>1.1 0.0>1.2");
    }

    #[test]
    fn what_cannot_be_is_said() {
        let error = |size, senders, receivers| pairwise(size, senders, receivers).unwrap_err();
        assert!(error(2, (1, 2), (1, 3)).contains("as many receivers as senders"));
        assert!(error(1, (1, 1), (1, 1)).contains("need 2 ranks; the job has 1"));
        assert!(error(3, (2, 1), (2, 1)).contains("need 4 ranks; the job has 3"));
        assert!(error(2, (1, 0), (1, 0)).contains("no sending threads"));
        assert!(all_to_all(2, (1, 1), (0, 1)).unwrap_err().contains("no receiving processes"));
    }
}
