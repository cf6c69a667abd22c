//! An engine with its table's functions as methods, and the entries that are its own for a time.

use std::ffi::{CStr, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::Mutex;

use cairn_framework::abi::comm::{Comm, ContextId};
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, Scope};
use cairn_framework::abi::status::{DONE, OK};
use cairn_framework::frameworks::matching::{MatchArrived, MatchCounts, MatchOps, MatchPosted};
use cairn_framework::host::take_reason;

/// A component under test.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// Its table.
    pub ops: &'static MatchOps,
    /// The component.
    pub instance: *mut Instance,
}

// SAFETY: the table is complete, and the contract lets any thread call it.
unsafe impl Send for Strategy {}
// SAFETY: see `Send`.
unsafe impl Sync for Strategy {}

/// A receive, by its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Receive(NonNull<MatchPosted>);

/// A message, by its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Message(NonNull<MatchArrived>);

// SAFETY: names; what they lead to is touched by the engine, and by `Engine` before that.
unsafe impl Send for Receive {}
// SAFETY: see above.
unsafe impl Sync for Receive {}
// SAFETY: see above.
unsafe impl Send for Message {}
// SAFETY: see above.
unsafe impl Sync for Message {}

/// The engine of a communicator, emptied and closed in the end.
pub struct Engine {
    strategy: Strategy,
    engine: *mut c_void,
    /// Engines may look at their communicator as long as they are open.
    _comm: Box<Comm>,
    receives: Mutex<Vec<Receive>>,
    messages: Mutex<Vec<Message>>,
}

// SAFETY: the contract lets any thread call an engine.
unsafe impl Send for Engine {}
// SAFETY: see `Send`.
unsafe impl Sync for Engine {}

// The host fills optional functions in, so none of the tables' functions is null.
macro_rules! call {
    ($this:expr, $function:ident ( $($arg:expr),* )) => {
        // SAFETY: the function is there, the engine is open, and entries live as long as it.
        unsafe { ($this.strategy.ops.$function.expect("the host completes tables"))($($arg),*) }
    };
}

impl Engine {
    /// Opens the engine of a communicator with so many ranks and these assertions.
    ///
    /// # Errors
    /// What the component says.
    pub fn open(strategy: Strategy, ranks: u32, flags: u32) -> Result<Self, String> {
        const NAME: &CStr = c"conformance";
        let comm = Box::new(Comm {
            scope: Scope::new(SCOPE_COMMUNICATOR, 1, ranks, NAME),
            rank: 0,
            remote_size: ranks,
            flags,
            reserved: 0,
            context: ContextId::new(0, 1),
            peers: std::ptr::null(),
            contexts: std::ptr::null(),
            neighbors: std::ptr::null(),
            parts: std::ptr::null(),
        });
        let mut opened = Self {
            strategy,
            engine: null_mut(),
            _comm: comm,
            receives: Mutex::default(),
            messages: Mutex::default(),
        };
        match call!(opened, engine_open(strategy.instance, &opened._comm, &mut opened.engine)) {
            OK => Ok(opened),
            status => Err(take_reason("engine_open", status)),
        }
    }

    /// Makes a receive that is not posted.
    pub fn receive(&self, source: i32, tag: i32) -> Receive {
        // What is in the words before must not matter.
        let made = Box::new(MatchPosted { source, tag, engine_private: [!0; 4] });
        let receive = Receive(NonNull::from(Box::leak(made)));
        self.receives.lock().expect("no thread panics with it").push(receive);
        receive
    }

    /// Makes a message for `arrive` to keep.
    pub fn message(&self) -> Message {
        let made = Box::new(MatchArrived { source: 99, tag: 99, engine_private: [!0; 4] });
        let message = Message(NonNull::from(Box::leak(made)));
        self.messages.lock().expect("no thread panics with it").push(message);
        message
    }

    /// Posts a receive: the message it gets.
    pub fn post(&self, receive: Receive) -> Option<Message> {
        NonNull::new(call!(self, post(self.engine, receive.0.as_ptr()))).map(Message)
    }

    /// Hands a message in that can be kept: the receive that gets it.
    pub fn arrive(
        &self,
        source: i32,
        tag: i32,
        mut keep: impl FnMut() -> Message,
    ) -> Option<Receive> {
        self.arrive_or_drop(source, tag, &mut || Some(keep()))
    }

    /// Hands a message in, which is dropped if no receive gets it and `keep` has no room.
    pub fn arrive_or_drop(
        &self,
        source: i32,
        tag: i32,
        mut keep: &mut dyn FnMut() -> Option<Message>,
    ) -> Option<Receive> {
        unsafe extern "C" fn kept(context: *mut c_void) -> *mut MatchArrived {
            // SAFETY: below, the context is `keep`'s address.
            let keep = unsafe { &mut *context.cast::<&mut dyn FnMut() -> Option<Message>>() };
            keep().map_or(null_mut(), |message| message.0.as_ptr())
        }
        let context = (&raw mut keep).cast();
        let found = call!(self, arrive(self.engine, source, tag, kept, context));
        NonNull::new(found).map(Receive)
    }

    /// The message that a receive would get.
    ///
    /// # Panics
    /// When `look` was not called with it, once.
    pub fn find(&self, source: i32, tag: i32, take: bool) -> Option<Message> {
        let mut looks = Vec::new();
        let found = self.find_and_look(source, tag, take, &mut |message| looks.push(message));
        assert_eq!(looks, found.as_slice(), "the looks and what was found");
        found
    }

    /// The same; `look` sees the message while it is in the engine.
    pub fn find_and_look(
        &self,
        source: i32,
        tag: i32,
        take: bool,
        mut look: &mut dyn FnMut(Message),
    ) -> Option<Message> {
        unsafe extern "C" fn looked(context: *mut c_void, arrived: *mut MatchArrived) {
            // SAFETY: below, the context is `look`'s address.
            let look = unsafe { &mut *context.cast::<&mut dyn FnMut(Message)>() };
            look(Message(NonNull::new(arrived).expect("a message to look at")));
        }
        let context = (&raw mut look).cast();
        let take = u32::from(take);
        NonNull::new(call!(self, find(self.engine, source, tag, take, looked, context)))
            .map(Message)
    }

    /// Takes a receive out: whether it was in.
    pub fn cancel(&self, receive: Receive) -> bool {
        call!(self, cancel(self.engine, receive.0.as_ptr())) == DONE
    }

    /// Takes one receive and one message out.
    pub fn drain(&self) -> (Option<Receive>, Option<Message>) {
        let (mut posted, mut arrived) = (null_mut(), null_mut());
        call!(self, drain(self.engine, &mut posted, &mut arrived));
        (NonNull::new(posted).map(Receive), NonNull::new(arrived).map(Message))
    }

    /// Takes a receive out that names this source.
    pub fn withdraw(&self, source: i32) -> Option<Receive> {
        NonNull::new(call!(self, withdraw(self.engine, source))).map(Receive)
    }

    /// What it holds and how hard it worked.
    pub fn counts(&self) -> MatchCounts {
        let mut counts = MatchCounts::default();
        call!(self, counts(self.engine, &mut counts));
        counts
    }

    /// Writes what is in it, and returns the whole length.
    pub fn describe(&self, buffer: &mut [u8]) -> usize {
        call!(self, describe(self.engine, buffer.as_mut_ptr().cast(), buffer.len()))
    }

    /// Source and tag of a message that came out.
    pub fn of(&self, message: Message) -> (i32, i32) {
        // SAFETY: entries live as long as the engine, and this one is the caller's.
        unsafe { (message.0.as_ref().source, message.0.as_ref().tag) }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if !self.engine.is_null() {
            while self.drain() != (None, None) {}
            call!(self, engine_close(self.engine));
        }
        // SAFETY: leaked boxes that the engine does not have any more.
        unsafe {
            for receive in self.receives.get_mut().expect("no thread panics with it") {
                drop(Box::from_raw(receive.0.as_ptr()));
            }
            for message in self.messages.get_mut().expect("no thread panics with it") {
                drop(Box::from_raw(message.0.as_ptr()));
            }
        }
    }
}
