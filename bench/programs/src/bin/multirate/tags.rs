//! Which message matches which receive.

use std::collections::HashSet;

use cairn_lab::Channel;
use clap::ValueEnum;
use serde::Serialize;

/// How messages are numbered.
#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// A tag for each message of a window, others for each pair
    Message,
    /// A tag for each pair
    Pair,
    /// The number of the receiving thread
    Receiver,
    /// A tag for each message of a window, the same for all pairs
    Shared,
    /// As shared, and received with MPI_ANY_TAG (dissertation, section 5.4.4)
    Any,
}

/// Which tags the messages of a run have.
#[derive(Debug, Clone, Copy)]
pub struct Tagging {
    pub numbering: Numbering,
    pub window: usize,
    /// Whether each pair has a communicator of its own.
    pub separate: bool,
}

impl Tagging {
    /// The tag of a message.
    pub fn sent(&self, channel: &Channel, message: usize) -> usize {
        match self.numbering {
            Numbering::Message => channel.index * self.window + message,
            Numbering::Pair => channel.index,
            Numbering::Receiver => channel.receiver.thread,
            Numbering::Shared | Numbering::Any => message,
        }
    }

    /// What the receive for it asks for.
    pub fn received(&self, channel: &Channel, message: usize) -> Option<usize> {
        (self.numbering != Numbering::Any).then(|| self.sent(channel, message))
    }

    /// How many tags there are with so many channels.
    pub fn count(&self, channels: usize) -> usize {
        match self.numbering {
            Numbering::Message => channels.saturating_mul(self.window),
            Numbering::Pair | Numbering::Receiver => channels,
            Numbering::Shared | Numbering::Any => self.window,
        }
    }

    /// Whether it is certain which message each receive gets. Otherwise messages of different
    /// senders, or of different threads of one, may take each other's place.
    pub fn exact(&self, channels: &[Channel], overtaking: bool) -> bool {
        let numbers_messages = matches!(self.numbering, Numbering::Message | Numbering::Shared);
        if overtaking && !numbers_messages && self.window > 1 {
            return false;
        }
        if self.separate || matches!(self.numbering, Numbering::Message | Numbering::Pair) {
            return true;
        }
        let mut seen = HashSet::new();
        channels.iter().all(|channel| {
            let thread = match self.numbering {
                Numbering::Receiver => channel.receiver.thread,
                _ => 0,
            };
            seen.insert((channel.sender.rank, channel.receiver.rank, thread))
        })
    }
}

#[cfg(test)]
mod tests {
    use cairn_lab::{all_to_all, pairwise};

    use super::*;

    fn tagging(numbering: Numbering) -> Tagging {
        Tagging { numbering, window: 8, separate: false }
    }

    #[test]
    fn tags_tell_messages_and_pairs_apart() {
        let channels = pairwise(2, (1, 2), (1, 2)).unwrap();
        let tag = |numbering| tagging(numbering).sent(&channels[1], 3);
        assert_eq!(tag(Numbering::Message), 11);
        assert_eq!(tag(Numbering::Pair), 1);
        assert_eq!(tag(Numbering::Receiver), 1);
        assert_eq!(tag(Numbering::Shared), 3);
        assert_eq!(tagging(Numbering::Any).received(&channels[1], 3), None);
        assert_eq!(tagging(Numbering::Message).count(2), 16);
    }

    #[test]
    fn it_is_known_where_messages_may_take_each_others_place() {
        let threads = pairwise(2, (1, 2), (1, 2)).unwrap();
        let processes = pairwise(4, (2, 1), (2, 1)).unwrap();
        let many = all_to_all(2, (1, 2), (1, 2)).unwrap();
        let exact = |numbering, channels| tagging(numbering).exact(channels, false);
        assert!(exact(Numbering::Message, &many) && exact(Numbering::Pair, &many));
        assert!(exact(Numbering::Receiver, &threads) && !exact(Numbering::Receiver, &many));
        assert!(exact(Numbering::Shared, &processes) && !exact(Numbering::Shared, &threads));
        assert!(exact(Numbering::Any, &processes) && !exact(Numbering::Any, &threads));
        let own = Tagging { separate: true, ..tagging(Numbering::Any) };
        assert!(own.exact(&many, false) && !own.exact(&many, true));
        assert!(tagging(Numbering::Message).exact(&many, true));
        assert!(!tagging(Numbering::Pair).exact(&many, true));
    }
}
