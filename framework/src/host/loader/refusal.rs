//! Why a component was not taken.

#![forbid(unsafe_code)]

use std::fmt;

use crate::host::files::Obstacle;
use crate::host::problem::{Problem, did_you_mean, nearest};

/// A `struct_size` that is not the size of the struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructSize {
    /// What the struct is, for the sentence.
    pub what: String,
    /// Its type in C.
    pub type_name: String,
    /// What it says.
    pub found: usize,
    /// Its size.
    pub wanted: usize,
}

impl StructSize {
    /// What to do about it.
    pub fn fix(&self) -> String {
        format!("set it to sizeof({})", self.type_name)
    }
}

impl fmt::Display for StructSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the struct_size of {} is {}, not {}", self.what, self.found, self.wanted)
    }
}

/// Why a component or its library was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The file can't be read.
    Unreadable(Obstacle),
    /// A file without a byte in it.
    NoBytes,
    /// Not an ELF file.
    NotElf,
    /// An ELF file, but not a shared library.
    NotALibrary,
    /// The file ends before what its headers announce.
    Truncated {
        /// Bytes it should have, at least.
        needs: u64,
        /// Bytes it has.
        has: u64,
    },
    /// For another processor.
    Architecture {
        /// What it is for.
        found: String,
        /// What this program is.
        wanted: String,
    },
    /// The dynamic linker refused it.
    Linker(String),
    /// It exports no entry symbol.
    NoEntry,
    /// The entry symbol returned no descriptors.
    Empty,
    /// A descriptor is null.
    NullDescriptor,
    /// A descriptor does not begin with the magic word, or there are too many.
    NotADescriptor,
    /// The descriptor says another size than it has.
    DescriptorSize(StructSize),
    /// Built for another version of the plugin ABI.
    Abi {
        /// Its version.
        found: (u16, u16),
        /// The host's version.
        wanted: (u16, u16),
    },
    /// It names a framework that this host does not have.
    UnknownFramework(String),
    /// The component's name is empty or has characters that names don't have.
    Name(String),
    /// Its table is null.
    NoTable,
    /// Its table says another size than it has.
    TableSize(StructSize),
    /// A function that a component must have is null.
    MissingFunction(&'static str),
    /// The library's name promises another component than it holds.
    Misnamed {
        /// What the name promises.
        promised: String,
        /// What it holds.
        found: String,
    },
    /// A component of this name is there already.
    Duplicate {
        /// Where the other one is.
        first: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let v = |(major, minor): (u16, u16)| format!("{major}.{minor}");
        match self {
            Self::Unreadable(error) => write!(f, "can't be read: {error}"),
            Self::NoBytes => f.write_str("the file is empty"),
            Self::NotElf => f.write_str("not a shared library (no ELF file)"),
            Self::NotALibrary => f.write_str("an ELF file, but not a shared library"),
            Self::Truncated { needs, has } => {
                write!(f, "truncated: it has {has} bytes and needs at least {needs}")
            }
            Self::Architecture { found, wanted } => {
                write!(f, "built for {found}, and this program is {wanted}")
            }
            Self::Linker(error) => write!(f, "the dynamic linker refused it: {error}"),
            Self::NoEntry => f.write_str("not a component: it exports no cairn_components"),
            Self::Empty => f.write_str("its cairn_components returned no component"),
            Self::NullDescriptor => {
                f.write_str("its cairn_components returned a null pointer to a descriptor")
            }
            Self::NotADescriptor => {
                f.write_str("its cairn_components returned something that is no descriptor")
            }
            Self::DescriptorSize(size) | Self::TableSize(size) => size.fmt(f),
            Self::Abi { found, wanted } => {
                write!(f, "built for plugin ABI {}, and this program has {}", v(*found), v(*wanted))
            }
            Self::UnknownFramework(name) if name.is_empty() => {
                f.write_str("its framework is null or empty")
            }
            Self::UnknownFramework(name) => write!(f, "there is no framework {name}"),
            Self::Name(name) if name.is_empty() => f.write_str("its name is null or empty"),
            Self::Name(name) => write!(f, "\"{name}\" is no name for a component"),
            Self::NoTable => f.write_str("its table of functions, ops, is null"),
            Self::MissingFunction(name) => write!(f, "its function {name} is missing"),
            Self::Misnamed { promised, found } => {
                write!(f, "its file name promises {promised}, and it holds {found}")
            }
            Self::Duplicate { first } => {
                write!(f, "a component of this name is there already: {first}")
            }
        }
    }
}

impl Refusal {
    /// What to do about it.
    pub fn fix(&self) -> String {
        match self {
            Self::Unreadable(obstacle) => obstacle.fix().into(),
            Self::NotElf | Self::NotALibrary => {
                "component directories hold components only; move it elsewhere".into()
            }
            Self::NoEntry => "put CAIRN_EXPORT before the definition of cairn_components, without \
                              which -fvisibility=hidden hides it, and in C++ extern \"C\"; move a \
                              library elsewhere that is no component"
                .into(),
            Self::NoBytes | Self::Truncated { .. } => "copy or build it again".into(),
            Self::Architecture { .. } => "build it on or for this kind of machine".into(),
            Self::Linker(_) => {
                "install the library it needs or set LD_LIBRARY_PATH; ldd shows what is missing"
                    .into()
            }
            Self::Abi { .. } => "build it again with the headers of this installation".into(),
            Self::UnknownFramework(name) => {
                let names = crate::frameworks::CONTRACTS.map(|contract| contract.name);
                did_you_mean(&nearest(name, names), &format!("known are {}", names.join(", ")))
            }
            Self::Name(_) => {
                "use lower-case letters, digits and underscores, beginning with a letter".into()
            }
            Self::DescriptorSize(size) | Self::TableSize(size) => size.fix(),
            Self::NoTable => "let ops in its descriptor point to the table".into(),
            Self::MissingFunction(_)
            | Self::NullDescriptor
            | Self::NotADescriptor
            | Self::Empty => "report this to the component's author".into(),
            Self::Misnamed { .. } => {
                "name the file <framework>_<component>.so, or without a framework's name in front"
                    .into()
            }
            Self::Duplicate { .. } => "remove one of the two".into(),
        }
    }

    /// The refusal of `what` as a problem.
    pub fn problem(&self, what: &str, place: &str) -> Problem {
        Problem::new(format!("can't use {what}: {self}")).at(place).fix(self.fix())
    }
}

impl std::error::Error for Refusal {}
