//! What the tests of all contracts share: the notes that doubles make, what they are told to do
//! next, and a component chosen in a system of its own.
//!
//! Notes and orders are kept for each thread: a test calls the table on its own thread, so tests
//! that run at the same time do not meet.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char};
use std::fmt::Debug;

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::peer::{PEER_LOCAL, Peer};
use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_PROCESS, SCOPE_WINDOW, Scope};
use cairn_framework::abi::status::{
    DONE, ERR_OTHER, ERR_PANIC, ERR_PEER, NO_RESOURCES, NOTHING, OK, OutcomeCode, QUEUED, Status,
};
use cairn_framework::abi::thread::Thread;
use cairn_framework::author::{Failure, HostHandle, Outcome};
use cairn_framework::frameworks::btl::{
    BtlAtomic, BtlMessage, BtlModule, BtlPacked, BtlTransfer, BtlWake,
};
use cairn_framework::frameworks::coll::CollArgs;
use cairn_framework::frameworks::matching::MatchCounts;
use cairn_framework::frameworks::osc::{OscSync, OscTransfer, WINDOW_CREATE, Window};
use cairn_framework::frameworks::pml::{PmlReceive, PmlSend};
use cairn_framework::frameworks::{Cardinality, Table};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Chosen, Options, Search, System};

/// The priority with which every double answers.
pub const PRIORITY: i32 = 40;

/// What a double does next instead of answering as usual.
pub enum Next {
    /// Answers with this outcome.
    Outcome(Outcome),
    /// Fails.
    Fail(Failure),
    /// Panics.
    Panic(&'static str),
}

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static NAMES: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    static NEXT: Cell<Option<Next>> = const { Cell::new(None) };
}

/// A call as notes have it.
pub fn said(function: &str, arguments: impl Debug) -> String {
    format!("{function} {arguments:?}")
}

/// Notes a call of a double.
pub fn note(function: &'static str, arguments: impl Debug) {
    NAMES.with_borrow_mut(|names| names.insert(function));
    CALLS.with_borrow_mut(|calls| calls.push(said(function, arguments)));
}

/// Notes a call of a double and does what was ordered.
pub fn play(function: &'static str, arguments: impl Debug) -> Result<Outcome, Failure> {
    note(function, arguments);
    match NEXT.take() {
        None => Ok(Outcome::Done),
        Some(Next::Outcome(outcome)) => Ok(outcome),
        Some(Next::Fail(failure)) => Err(failure),
        Some(Next::Panic(text)) => panic!("{text}"),
    }
}

/// Does something that other doubles have a part in, without notes of it.
pub fn quietly<R>(act: impl FnOnce() -> R) -> R {
    let before = (CALLS.take(), NAMES.take());
    let result = act();
    CALLS.set(before.0);
    NAMES.set(before.1);
    result
}

/// Says what the next double to [`play`] on this thread does.
pub fn order(next: Next) {
    NEXT.set(Some(next));
}

/// The notes since they were last asked for.
pub fn calls() -> Vec<String> {
    CALLS.take()
}

/// Checks that there was this call and no other.
#[track_caller]
pub fn called(function: &str, arguments: impl Debug) {
    assert_eq!(calls(), [said(function, arguments)]);
}

/// The address of what a reference leads to, for notes.
pub fn p<T>(reference: &T) -> *const T {
    reference
}

/// A pointer to nothing that can be told from others.
pub fn at<T>(address: usize) -> *mut T {
    std::ptr::without_provenance_mut(address)
}

/// A struct of C with nothing in it.
///
/// # Safety
/// Zeros are a value of it: it has numbers, pointers and functions that may be absent.
pub unsafe trait Blank: Sized {
    fn blank() -> Self {
        // SAFETY: promised by the type.
        unsafe { std::mem::zeroed() }
    }
}

macro_rules! blank {
    ($($type:ty),+ $(,)?) => {
        // SAFETY: numbers, pointers, and functions in an `Option`.
        $( unsafe impl Blank for $type {} )+
    };
}
blank! {
    BtlAtomic, BtlMessage, BtlModule, BtlPacked, BtlTransfer, BtlWake, CollArgs,
    MatchCounts, OscSync, OscTransfer, PmlReceive, PmlSend,
}

/// Arguments as notes have them, of [`Noted`] ones.
pub struct Arguments(Vec<String>);

impl Arguments {
    pub fn of(all: &[&dyn Noted]) -> Self {
        Self(all.iter().map(|one| (**one).noted()).collect())
    }
}

impl Debug for Arguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0[..] {
            [one] => f.write_str(one),
            all => write!(f, "({})", all.join(", ")),
        }
    }
}

/// An argument in a note: what is neither a number nor a text is its address.
pub trait Noted {
    fn noted(&self) -> String;
}

macro_rules! noted {
    ($($type:ty)+; $($pointer:ty: $address:expr;)+) => {
        $( impl Noted for $type {
            fn noted(&self) -> String {
                format!("{self:?}")
            }
        } )+
        $( impl<T> Noted for $pointer {
            fn noted(&self) -> String {
                let address: fn(&Self) -> *const T = $address;
                format!("{:?}", address(self))
            }
        } )+
    };
}
noted! {
    u32 u64 i32 usize bool &str &[u8] Option<&str>;
    &T: |it| *it;
    &mut T: |it| &**it;
    *mut T: |it| *it;
    *const T: |it| *it;
}

/// Functions of a double, of a trait whose functions are safe (`[]`) or `[unsafe]`, that note their
/// arguments: the component or the number of what they belong to, and the others. Such a function ends
/// with `= f`, which makes its value of the outcome it was ordered to have, if it was not ordered to fail
/// or panic; or with `=> value`, when it can't fail.
macro_rules! plays {
    ($safety:tt $( fn $name:ident(&self $(, $arg:ident: $type:ty)* $(,)?) $(-> $result:ty)?
        $(= $of:expr)? $(=> $value:expr)?; )+) => {
        $( plays!(@ $safety $name(self: &Self $(, $arg: $type)*) $(-> $result)?, self.0.me();
            $(= $of)? $(=> $value)?); )+
    };
    ($safety:tt $( fn $name:ident($state:ident: &$of_type:ty $(, $arg:ident: $type:ty)* $(,)?)
        $(-> $result:ty)? $(= $of:expr)? $(=> $value:expr)?; )+) => {
        $( plays!(@ $safety $name($state: &$of_type $(, $arg: $type)*) $(-> $result)?, $state.number;
            $(= $of)? $(=> $value)?); )+
    };
    (@ [$($safety:ident)?] $name:ident($me:ident: $mine:ty $(, $arg:ident: $type:ty)*)
        -> $result:ty, $note:expr; = $of:expr) => {
        $($safety)? fn $name($me: $mine $(, $arg: $type)*) -> $result {
            let arguments = $crate::contracts::support::Arguments::of(&[&$note $(, &$arg)*]);
            $crate::contracts::support::play(stringify!($name), arguments).map($of)
        }
    };
    (@ [$($safety:ident)?] $name:ident($me:ident: $mine:ty $(, $arg:ident: $type:ty)*)
        $(-> $result:ty)?, $note:expr; => $value:expr) => {
        $($safety)? fn $name($me: $mine $(, $arg: $type)*) $(-> $result)? {
            let arguments = $crate::contracts::support::Arguments::of(&[&$note $(, &$arg)*]);
            $crate::contracts::support::note(stringify!($name), arguments);
            $value
        }
    };
}

/// Notes its end under the name of the function that is to bring it about.
#[derive(Debug)]
pub struct Witness {
    ended_by: &'static str,
    /// Which one it is.
    pub number: u32,
}

impl Witness {
    pub fn new(ended_by: &'static str, number: u32) -> Self {
        Self { ended_by, number }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        note(self.ended_by, self.number);
    }
}

/// What every double holds.
pub struct Life {
    host: HostHandle,
    _end: Witness,
}

impl Life {
    pub fn begin(host: HostHandle) -> Result<Self, Failure> {
        play("open", host.instance())?;
        Ok(Self { host, _end: Witness::new("close", 0) })
    }

    /// The host.
    pub fn host(&self) -> HostHandle {
        self.host
    }

    /// The instance, for notes: that a method was called on the right component.
    pub fn me(&self) -> *mut Instance {
        self.host.instance()
    }
}

/// Gives a double its life; `$make` makes it from a [`Life`].
macro_rules! life {
    ($double:ident, $make:expr) => {
        impl cairn_framework::author::Component for $double {
            type Params = ();

            fn register(
                _: &cairn_framework::author::Registrar<'_>,
            ) -> Result<(), cairn_framework::author::Failure> {
                Ok(())
            }

            fn open(
                host: cairn_framework::author::HostHandle,
                _: (),
            ) -> Result<Self, cairn_framework::author::Failure> {
                Ok($make($crate::contracts::support::Life::begin(host)?))
            }

            fn query(
                &self,
                scope: &cairn_framework::abi::scope::Scope,
            ) -> cairn_framework::author::Answer {
                use $crate::contracts::support::{PRIORITY, p, play};
                match play("query", p(scope)) {
                    Ok(_) => cairn_framework::author::Answer::Priority(PRIORITY),
                    Err(failure) => cairn_framework::author::Answer::Decline(failure.text),
                }
            }
        }
    };
}

/// Declares the components of a framework: `double`, and `bare` with a table that lacks the optional
/// functions.
macro_rules! components {
    ($framework:ident, $double:ident: $($optional:ident),* $(,)?) => {
        cairn_framework::component! {
            framework: $framework,
            component: $double,
            name: "double",
            description: "implements everything",
        }
        const _: () = {
            static OPS: cairn_framework::frameworks::$framework::Ops =
                cairn_framework::frameworks::$framework::Ops {
                    $($optional: None,)*
                    ..cairn_framework::frameworks::$framework::ops::<$double>()
                };
            static DESCRIPTOR: cairn_framework::abi::component::ComponentDescriptor =
                cairn_framework::author::descriptor::<$double>(
                    cairn_framework::frameworks::$framework::NAME,
                    [c"bare", c"has no optional function", c""],
                    [0, 1, 0],
                    (&raw const OPS).cast(),
                );
            cairn_framework::host::inventory::submit! {
                cairn_framework::host::Linked(&[&DESCRIPTOR])
            }
        };
    };
}

/// Checks a function of a table: calls it as C would, which makes a call of the double with these
/// arguments, and expects of it what a function of its kind does: `report`, `status`, `outcome`, `plain`
/// and others, which are methods of [`Subject`].
macro_rules! check {
    ($subject:expr, $kind:ident $function:ident($($argument:expr),* $(,)?) => $noted:expr) => {{
        let expected = $crate::contracts::support::said(stringify!($function), $noted);
        $subject.$kind(&expected, || c!($subject.ops, $function($($argument),*)))
    }};
}

/// Calls a function of a table as C would.
macro_rules! c {
    ($table:expr, $function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the tests keep the rules of the contracts: the component is open, objects were
        // made by it and are alive, references and buffers are valid. Pointers that lead nowhere
        // are passed only where they are not followed: a double notes them, a default ignores them.
        unsafe { ($table.$function.expect(stringify!($function)))($($argument),*) }
    };
}

/// A system that may use one component of a framework, by name, and any of the others.
pub fn system(framework: &str, component: &str) -> &'static System {
    CALLS.take();
    NAMES.take();
    NEXT.take();
    let command_line = CommandLine {
        mca: vec![(framework.to_owned(), component.to_owned())],
        ..CommandLine::default()
    };
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources { command_line, ..Sources::default() },
        sink: Box::new(|line| println!("{line}")),
        search: Search::Wanted,
    });
    assert!(system.problems().is_empty(), "{:?}", system.problems());
    system
}

/// A component that was chosen.
pub struct Subject<T: Table> {
    pub system: &'static System,
    pub ops: &'static T,
    pub instance: *mut Instance,
}

impl<T: Table> Subject<T> {
    /// The component that implements everything.
    #[track_caller]
    pub fn double(scope: &Scope) -> Self {
        let (subject, provides) = Self::choose("double", scope);
        assert_eq!(provides, optional::<T>());
        subject
    }

    /// The component that lacks what is optional.
    #[track_caller]
    pub fn bare(scope: &Scope) -> Self {
        let (subject, provides) = Self::choose("bare", scope);
        assert!(provides.is_empty(), "{provides:?}");
        subject
    }

    /// Chooses a component by name; with it, the optional functions that the host found in it.
    #[track_caller]
    pub fn choose(component: &str, scope: &Scope) -> (Self, Vec<&'static str>) {
        let contract = T::contract();
        let system = system(contract.name, component);
        let chosen: Chosen<T> = match contract.cardinality {
            Cardinality::One => system.select_one(scope).unwrap(),
            Cardinality::Many => {
                let mut chosen = system.select_many(scope).unwrap();
                assert_eq!(chosen.len(), 1);
                chosen.remove(0)
            }
        };
        assert_eq!(chosen.name, format!("{}_{component}", contract.name));
        assert_eq!(chosen.priority, PRIORITY);
        assert_eq!(calls(), [said("open", chosen.instance), said("query", p(scope))]);
        let slot = system.components().into_iter().find(|slot| slot.name() == chosen.name);
        let provides = slot.unwrap().loaded.provides.clone();
        (Self { system, ops: chosen.ops, instance: chosen.instance }, provides)
    }

    /// What the host was told last about a failure.
    pub fn reason(&self) -> String {
        let mut text = [0; 200];
        // SAFETY: the instance is alive, and the buffer as long as is said.
        unsafe {
            let host = &*(*self.instance).host;
            let len = (host.reason)(self.instance, text.as_mut_ptr(), text.len());
            let text = CStr::from_ptr(text.as_ptr()).to_str().unwrap();
            assert_eq!(len, text.len());
            text.to_owned()
        }
    }

    /// Checks a function that reports: a failure in the double and a panic get out of it, and then it makes
    /// this call of the double and succeeds.
    #[track_caller]
    pub fn report(&self, expected: &str, mut call: impl FnMut() -> Status) {
        self.panics(expected, &mut call);
        self.status(expected, call);
    }

    /// Checks that a panic in the double gets out of a function as a failure.
    #[track_caller]
    pub fn panics(&self, expected: &str, call: impl FnOnce() -> Status) {
        self.goes_wrong(Next::Panic("on fire"), expected, call, ERR_PANIC, "panicked: on fire");
    }

    /// Checks a function that can fail, and no more: as `report`, without a panic.
    #[track_caller]
    pub fn status(&self, expected: &str, mut call: impl FnMut() -> Status) {
        self.fails(expected, &mut call);
        self.plain(expected, || assert_eq!(call(), OK, "{expected}"));
    }

    /// Checks a function that can't fail, and returns its result.
    #[track_caller]
    pub fn plain<R>(&self, expected: &str, call: impl FnOnce() -> R) -> R {
        assert_eq!(calls(), [""; 0], "before {expected}");
        let result = call();
        assert_eq!(calls(), [expected]);
        result
    }

    /// Checks that a failure in the double gets out of a function, which makes this call of it.
    #[track_caller]
    pub fn fails(&self, expected: &str, call: impl FnOnce() -> Status) {
        let failure = Failure::new(ERR_PEER, format!("no luck with {expected}"));
        self.goes_wrong(Next::Fail(failure.clone()), expected, call, ERR_PEER, &failure.text);
    }

    #[track_caller]
    fn goes_wrong(
        &self,
        next: Next,
        expected: &str,
        call: impl FnOnce() -> Status,
        status: Status,
        reason: &str,
    ) {
        // A reason that is there already must not be taken for the one that is due.
        // SAFETY: the instance is alive, and the text is one of C.
        unsafe { ((*(*self.instance).host).fail)(self.instance, ERR_OTHER, c"stale".as_ptr()) };
        order(next);
        assert_eq!(call(), status, "{expected}");
        assert_eq!(self.reason(), reason);
        assert_eq!(calls(), [expected]);
    }

    /// Checks that every outcome and a failure get out of a function, which makes this call of the
    /// double.
    #[track_caller]
    pub fn outcome(&self, expected: &str, mut call: impl FnMut() -> OutcomeCode) {
        for (outcome, code) in [
            (Outcome::Done, DONE),
            (Outcome::Queued, QUEUED),
            (Outcome::NoResources, NO_RESOURCES),
            (Outcome::Nothing, NOTHING),
        ] {
            order(Next::Outcome(outcome));
            self.plain(expected, || assert_eq!(call(), code, "{expected}"));
        }
        self.fails(expected, call);
    }

    /// Checks the defaults of all optional functions, by name; none reaches the double.
    #[track_caller]
    pub fn defaults<const N: usize>(&self, checks: [(&str, &dyn Fn()); N]) {
        assert_eq!(checks.map(|(name, _)| name), *optional::<T>());
        for (name, check) in checks {
            check();
            assert_eq!(calls(), [""; 0], "{name}");
        }
    }

    /// Closes the component, which must end the double once.
    #[track_caller]
    pub fn close(self) {
        self.system.close();
        let mut notes = calls();
        if T::contract().name == "btl" {
            // The strategy of the devices' instances closes, too.
            notes.retain(|note| !note.starts_with("detach"));
            notes.dedup();
        }
        assert_eq!(notes, [said("close", 0)]);
    }

    /// Closes the component after a test that has called every function of the contract.
    #[track_caller]
    pub fn close_complete(self) {
        self.close();
        for function in T::contract().functions {
            let noted = NAMES.with_borrow(|names| names.contains(function.name));
            assert!(noted, "{} was not called", function.name);
        }
    }
}

fn optional<T: Table>() -> Vec<&'static str> {
    let optional = T::contract().functions.iter().filter(|function| !function.required);
    optional.map(|function| function.name).collect()
}

/// Checks a function that writes a text, with room for all of it, some, and none. Each time it makes
/// the given calls of a double.
#[track_caller]
pub fn writes(text: &str, expected: &[String], write: impl Fn(*mut c_char, usize) -> usize) {
    assert_eq!(write(std::ptr::null_mut(), 0), text.len());
    assert_eq!(calls(), expected);
    for capacity in [1, 3, text.len() + 1, 64] {
        let mut buffer = [b'#'; 64];
        assert_eq!(write(buffer.as_mut_ptr().cast(), capacity), text.len());
        assert_eq!(calls(), expected);
        let written = CStr::from_bytes_until_nul(&buffer).unwrap().to_str().unwrap();
        // Cut between characters, and not before it must be.
        let ends = text.char_indices().map(|(start, one)| start + one.len_utf8());
        let end = ends.filter(|end| *end < capacity).max().unwrap_or(0);
        assert_eq!(written, &text[..end]);
        assert!(buffer[written.len() + 1..].iter().all(|byte| *byte == b'#'));
    }
}

/// The scope of the process.
pub fn process() -> Scope {
    Scope::new(SCOPE_PROCESS, 0, 1, c"process")
}

/// A communicator of four.
pub fn comm(id: u32) -> Comm {
    Comm {
        scope: Scope::new(SCOPE_COMMUNICATOR, id, 4, c"test communicator"),
        rank: 1,
        remote_size: 4,
        flags: 0,
        reserved: 0,
        context: ContextId::new(0, id.into()),
        peers: std::ptr::null(),
        contexts: std::ptr::null(),
        neighbors: std::ptr::null(),
        parts: std::ptr::null(),
    }
}

/// A window on the user's memory.
pub fn window(id: u32) -> Window {
    Window {
        scope: Scope::new(SCOPE_WINDOW, id, 4, c"test window"),
        comm: std::ptr::null(),
        base: std::ptr::null_mut(),
        calls: std::ptr::null(),
        remotes: std::ptr::null(),
        flavor: WINDOW_CREATE,
        flags: 0,
        ordering: 0,
        unified: 0,
        alignment: 0,
        granularity: 0,
        object: std::ptr::null_mut(),
    }
}

/// A peer on this node.
pub fn peer(rank: u32) -> Peer {
    Peer {
        struct_size: size_of::<Peer>() as u32,
        rank,
        job: 0,
        flags: PEER_LOCAL.into(),
        node: 0,
        route_count: Default::default(),
        routes: std::cell::UnsafeCell::new(std::ptr::null()),
        pml: std::ptr::null_mut(),
    }
}

/// An instance of a device.
pub fn cri(index: u32) -> Cri {
    Cri::new(index)
}

/// A pool that is looked at but not polled.
pub fn pool(id: u32, cris: &[Cri]) -> CriPool {
    CriPool { id, ..CriPool::of(c"test pool", cris) }
}

/// The record of a thread.
pub fn thread(index: u32) -> Thread {
    Thread { struct_size: size_of::<Thread>() as u32, index, serial: 1 }
}
