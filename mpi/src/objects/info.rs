//! Info objects and the hints of other objects.

use std::sync::OnceLock;

use cairn_framework::author::Mutex;

use cairn_framework::abi::comm::{COMM_ALLOW_OVERTAKING, COMM_NO_ANY_SOURCE, COMM_NO_ANY_TAG};

use super::arena::{Object, class};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Info;
use crate::error::{Error, Result};

const OVERTAKING: &str = "mpi_assert_allow_overtaking";

/// What a program may assert of a communicator, "false" by default (MPI 5.0, section 7.4.4), and the
/// flag by which components learn of it: none of what they do depends on exact lengths.
const ASSERTIONS: [(&str, u32); 4] = [
    (OVERTAKING, COMM_ALLOW_OVERTAKING),
    ("mpi_assert_no_any_source", COMM_NO_ANY_SOURCE),
    ("mpi_assert_no_any_tag", COMM_NO_ANY_TAG),
    ("mpi_assert_exact_length", 0),
];

/// The key for the kinds of memory that data may lie in (MPI 5.0, section 11.4.3).
pub const MEMORY_KINDS: &str = "mpi_memory_alloc_kinds";
/// Those that the library knows, whatever is asked for: what the program allocates, and what MPI does.
pub const KNOWN_MEMORY_KINDS: &str = "mpi,system";
/// What a program asserts to use of them; of all it is moved the same way.
pub const ASSERTED_MEMORY_KINDS: &str = "mpi_assert_memory_alloc_kinds";

/// The key for what allocated memory is to be aligned to (MPI 5.0, section 9.2).
pub const ALIGNMENT: &str = "mpi_minimum_memory_alignment";

/// Keys with values, in the order in which the keys were first set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// Sets a key.
    pub fn set(&mut self, key: &str, value: &str) {
        match self.0.iter_mut().find(|(own, _)| own == key) {
            Some((_, old)) => value.clone_into(old),
            None => self.0.push((key.to_owned(), value.to_owned())),
        }
    }

    /// Takes a key away; false if there is none.
    pub fn remove(&mut self, key: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(own, _)| own != key);
        self.0.len() < before
    }

    /// Those whose keys begin so.
    pub fn beginning_with(&self, start: &str) -> Self {
        Self(self.0.iter().filter(|(key, _)| key.starts_with(start)).cloned().collect())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// A key by its place in the order in which they were set.
    pub fn key(&self, place: usize) -> Option<&str> {
        self.0.get(place).map(|(key, _)| key.as_str())
    }
}

/// The hints of a communicator.
#[derive(Default)]
pub struct Hints {
    /// Which of the [`ASSERTIONS`] are true.
    assertions: [bool; ASSERTIONS.len()],
    /// Everything that the program gave when the communicator was made.
    given: Pairs,
    /// Keys of these that components have asked for, and so are no unknown ones.
    asked: Vec<String>,
    /// [`ASSERTED_MEMORY_KINDS`], if the program said so.
    memory_kinds: Option<String>,
}

/// The value of a key that is true or false.
pub fn word(is_true: bool) -> &'static str {
    if is_true { "true" } else { "false" }
}

impl Hints {
    /// Those of a new communicator.
    pub fn new(given: Pairs) -> Self {
        let mut hints = Self::default();
        hints.assert(&given, |_| true);
        hints.given = given;
        hints
    }

    /// Changes those of a communicator that is in use. Whether messages may overtake each other, and what
    /// components have asked for, was decided when it was made, so that stays.
    pub fn change(&mut self, given: &Pairs) {
        self.assert(given, |key| key != OVERTAKING);
    }

    /// Takes over assertions. One that is neither true nor false is none.
    fn assert(&mut self, given: &Pairs, may: impl Fn(&str) -> bool) {
        let assertions = self.assertions.iter_mut().zip(ASSERTIONS);
        for (assertion, (key, _)) in assertions.filter(|(_, (key, _))| may(key)) {
            match given.get(key) {
                Some("true") => *assertion = true,
                Some("false") => *assertion = false,
                _ => {}
            }
        }
        if let Some(kinds) = given.get(ASSERTED_MEMORY_KINDS) {
            self.memory_kinds = Some(kinds.to_owned());
        }
    }

    /// What the program gave when the communicator was made.
    pub fn given(&self) -> &Pairs {
        &self.given
    }

    /// The flags of the assertions that are true.
    pub fn flags(&self) -> u32 {
        let all = self.assertions.iter().zip(ASSERTIONS);
        all.filter(|(is_true, _)| **is_true).fold(0, |flags, (_, (_, flag))| flags | flag)
    }

    /// What a component learns of a key that it knows.
    pub fn ask(&mut self, key: &str) -> Option<&str> {
        if let Some(place) = ASSERTIONS.iter().position(|(known, _)| *known == key) {
            return Some(word(self.assertions[place]));
        }
        let value = self.given.get(key)?;
        if !self.asked.iter().any(|known| known == key) {
            self.asked.push(key.to_owned());
        }
        Some(value)
    }

    /// Those in use, as the program sees them (MPI 5.0, section 7.4.4): the assertions, also where they
    /// have their defaults, what was given for other keys that a component has asked for, and what holds
    /// for `known` keys where nothing was given.
    pub fn in_use(&self, known: Vec<(String, String)>) -> Pairs {
        let mut used = Pairs::default();
        for (is_true, (key, _)) in self.assertions.iter().zip(ASSERTIONS) {
            used.set(key, word(*is_true));
        }
        used.set(MEMORY_KINDS, KNOWN_MEMORY_KINDS);
        if let Some(kinds) = &self.memory_kinds {
            used.set(ASSERTED_MEMORY_KINDS, kinds);
        }
        for (key, value) in &self.given.0 {
            if used.get(key).is_none() && self.asked.contains(key) {
                used.set(key, value);
            }
        }
        for (key, value) in known {
            if used.get(&key).is_none() {
                used.set(&key, &value);
            }
        }
        used
    }
}

/// What a handle of an info object leads to.
pub struct InfoBody(pub Mutex<Pairs>);

class!(InfoBody, b"info");

/// A handle for these pairs.
pub fn make(pairs: Pairs) -> Info {
    Info::of(Object::make(InfoBody(Mutex::new(pairs))).address())
}

/// What a valid handle leads to.
#[derive(Clone, Copy)]
pub enum InfoRef {
    /// `MPI_INFO_NULL`: no pairs.
    Null,
    /// `MPI_INFO_ENV`.
    Environment,
    /// An object of the program.
    Program(&'static Object<InfoBody>),
}

impl InfoRef {
    /// What is in it now.
    pub fn pairs(self) -> Pairs {
        match self {
            Self::Null => Pairs::default(),
            Self::Environment => environment(INIT_LINE.get().cloned()),
            Self::Program(info) => info.0.lock().clone(),
        }
    }

    /// The object, to be changed.
    pub fn writable(self) -> Result<&'static Object<InfoBody>> {
        match self {
            Self::Program(info) => Ok(info),
            _ => Err(Error::new(MPI_ERR_INFO, "predefined infos can't be changed")),
        }
    }
}

/// What a handle leads to that is not null.
pub fn find(handle: Info) -> Option<InfoRef> {
    if handle.is_predefined() {
        return (handle == MPI_INFO_ENV).then_some(InfoRef::Environment);
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }.map(InfoRef::Program)
}

/// A program and its arguments.
pub type CommandLine = Vec<String>;

/// What the program gave to `MPI_Init`, if it gave anything.
static INIT_LINE: OnceLock<CommandLine> = OnceLock::new();

/// MPI is initialized with these arguments.
pub fn initialized_with(line: CommandLine) {
    let _ = INIT_LINE.set(line);
}

/// What is known of how this process was started (MPI 5.0, section 11.2.5): the pairs of
/// `MPI_INFO_ENV`. The command line is that of the process, or the one that the program hands over.
/// The same line gives the same pairs, whether MPI is initialized or not.
///
/// What a value has no room for is left out rather than cut.
pub fn environment(command_line: Option<CommandLine>) -> Pairs {
    let system = rustix::system::uname();
    let line = command_line.unwrap_or_else(|| {
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
    });
    let Start { directory, processes } = start();
    let mut words = line.into_iter();
    let mut pairs = Pairs::default();
    let mut say = |key: &str, value: Option<String>| {
        let fits = value.filter(|value| value.len() < MPI_MAX_INFO_VAL as usize);
        if let Some(value) = fits {
            pairs.set(key, &value);
        }
    };
    say("command", words.next());
    let arguments: Vec<String> = words.collect();
    say("argv", (!arguments.is_empty()).then(|| arguments.join(" ")));
    say("maxprocs", processes.map(|processes| processes.to_string()));
    say("host", Some(system.nodename().to_string_lossy().into_owned()));
    say("arch", Some(system.machine().to_string_lossy().into_owned()));
    say("wdir", directory.clone());
    pairs
}

/// What is looked up once, because the program may change it: by the first call, which `MPI_Init` makes
/// at the latest.
pub fn start() -> &'static Start {
    static START: OnceLock<Start> = OnceLock::new();
    START.get_or_init(|| Start {
        directory: std::env::current_dir().ok().and_then(|found| Some(found.to_str()?.to_owned())),
        // Whichever protocol is spoken with it: MPI need not be initialized to know this.
        processes: std::env::var("PMI_SIZE").ok().and_then(|number| number.parse().ok()),
    })
}

/// How the process was started.
pub struct Start {
    /// The working directory.
    directory: Option<String>,
    /// How many processes the process manager was asked for, if it says so.
    processes: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order() {
        let mut pairs = Pairs::default();
        for (key, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
            pairs.set(key, value);
        }
        assert_eq!((pairs.len(), pairs.key(0), pairs.key(1)), (2, Some("b"), Some("a")));
        assert_eq!(pairs.get("b"), Some("3"));
        assert!(pairs.remove("b") && !pairs.remove("b"));
        assert_eq!((pairs.key(0), pairs.key(1)), (Some("a"), None));
    }

    #[test]
    fn hints_are_those_that_somebody_knows() {
        let mut given = Pairs::default();
        for (key, value) in [
            ("mpi_assert_exact_length", "true"),
            ("late", "1"),
            (OVERTAKING, "perhaps"),
            ("soup", "tomato"),
            ("known", "2"),
        ] {
            given.set(key, value);
        }
        let mut hints = Hints::new(given.clone());
        assert_eq!(hints.ask("known"), Some("2"));
        assert_eq!(hints.ask("unset"), None);
        assert_eq!(hints.ask("mpi_assert_no_any_tag"), Some("false"));
        let shown = |hints: &Hints| {
            let mut used =
                hints.in_use(vec![("known".into(), "9".into()), ("other".into(), "8".into())]);
            assert!(ASSERTIONS.iter().all(|(key, _)| used.get(key).is_some()));
            used.0.retain(|(_, value)| value != "false");
            used.0.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        let exact = "mpi_assert_exact_length";
        assert_eq!(shown(&hints), [exact, MEMORY_KINDS, "known", "other"]);
        assert_eq!(hints.flags(), 0);
        given.set(OVERTAKING, "true");
        given.set("mpi_assert_no_any_tag", "true");
        given.set("known", "3");
        hints.change(&given);
        assert_eq!(hints.ask("late"), Some("1"));
        assert_eq!(hints.ask("known"), Some("2"));
        let now = ["mpi_assert_no_any_tag", exact, MEMORY_KINDS, "late", "known", "other"];
        assert_eq!(shown(&hints), now);
        given.set(ASSERTED_MEMORY_KINDS, "system");
        hints.change(&given);
        assert_eq!(hints.in_use(Vec::new()).get(ASSERTED_MEMORY_KINDS), Some("system"));
        assert_eq!(Hints::new(given).flags(), COMM_ALLOW_OVERTAKING | COMM_NO_ANY_TAG);
    }

    #[test]
    fn the_environment_says_only_what_fits() {
        let line = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        let pairs = environment(line(&["./solve", "-n", "3"]));
        assert_eq!(pairs.get("command"), Some("./solve"));
        assert_eq!(pairs.get("argv"), Some("-n 3"));
        assert!(pairs.get("wdir").is_some() && pairs.get("arch").is_some());
        let long = "x".repeat(MPI_MAX_INFO_VAL as usize);
        let pairs = environment(line(&["./solve", &long]));
        assert_eq!((pairs.get("command"), pairs.get("argv")), (Some("./solve"), None));
    }
}
