//! Where a value came from, and which origin is stronger.

#![forbid(unsafe_code)]

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// Where a value came from. Ordered by strength: the declaration order is the precedence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The component's built-in default.
    Default,
    /// `share/cairn/mca-params/default.toml`.
    SystemFile(FileLine),
    /// `~/.cairn/mca-params.toml`.
    UserFile(FileLine),
    /// `--profile NAME`.
    Profile(String, FileLine),
    /// `--tune FILE`.
    Tune(FileLine),
    /// An `OMPI_MCA_` variable.
    OmpiEnvironment(String),
    /// A `CAIRN_MCA_` variable.
    Environment(String),
    /// `--mca NAME VALUE`.
    CommandLine,
    /// Written while the program runs, through MPI_T.
    Tool,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl Origin {
    /// Strength; of two origins with the same, the one that comes later wins.
    pub fn strength(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::SystemFile(_) => 1,
            Self::UserFile(_) => 2,
            Self::Profile(..) => 3,
            Self::Tune(_) => 4,
            Self::OmpiEnvironment(_) => 5,
            Self::Environment(_) => 6,
            Self::CommandLine => 7,
            Self::Tool => 8,
        }
    }
}

impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("built-in default"),
            Self::SystemFile(place) | Self::UserFile(place) => write!(f, "{place}"),
            Self::Profile(name, place) => write!(f, "--profile {name} ({place})"),
            Self::Tune(place) => write!(f, "--tune {place}"),
            Self::OmpiEnvironment(variable) | Self::Environment(variable) => {
                write!(f, "environment variable {variable}")
            }
            Self::CommandLine => f.write_str("--mca on the command line"),
            Self::Tool => f.write_str("written at run time (MPI_T)"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
