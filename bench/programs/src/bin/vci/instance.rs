//! Which communication resources communicators ask for, where an MPI lets them.

use std::fmt;
use std::str::FromStr;

use cairn_lab::Comm;
use serde::{Serialize, Serializer};

/// The key by which Cairn's strategy `comm` is asked. Others do not know it and ignore it.
const KEY: &str = "cairn_cri_instance";

/// The first instance that has neither `MPI_COMM_WORLD` nor the messages of the benchmark itself.
const FIRST: usize = 2;

/// What the communicators of the threads want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instance {
    /// Any that is free.
    Own,
    /// Those at this distance from each other.
    Distance(usize),
}

impl Instance {
    /// The communicator of the k-th pair. Collective.
    pub fn duplicate(self, world: Comm, k: usize) -> Comm {
        match self {
            Instance::Own => world.duplicate_with(KEY, "own"),
            Instance::Distance(distance) => {
                world.duplicate_with(KEY, &(FIRST + k * distance).to_string())
            }
        }
    }
}

impl FromStr for Instance {
    type Err = String;

    fn from_str(text: &str) -> Result<Instance, String> {
        match text.parse() {
            _ if text == "own" => Ok(Instance::Own),
            Ok(distance) if (1..=1024).contains(&distance) => Ok(Instance::Distance(distance)),
            _ => Err("it is own, or a distance from 1 to 1024".into()),
        }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Instance::Own => out.write_str("own"),
            Instance::Distance(distance) => distance.fmt(out),
        }
    }
}

impl Serialize for Instance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_a_word_or_a_distance() {
        assert_eq!("own".parse(), Ok(Instance::Own));
        assert_eq!("8".parse(), Ok(Instance::Distance(8)));
        for wrong in ["", "0", "-1", "owned", "1025", "1.5"] {
            assert!(wrong.parse::<Instance>().is_err(), "{wrong}");
        }
    }
}
