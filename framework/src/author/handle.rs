//! The host's functions as methods.

use core::ffi::{CStr, c_void};
use core::sync::atomic::Ordering;

use super::failure::Failure;
use crate::abi::btl::BtlModule;
use crate::abi::component::Instance;
use crate::abi::counter::{CounterCell, CounterSpec};
use crate::abi::event::{EventSpec, EventType};
use crate::abi::host::{Host, MemoryRange, ProgressFn, ThreadExitFn};
use crate::abi::job::Job;
use crate::abi::param::{BoolParam, ListParam, PARAM_BOOL, PARAM_LIST, ParamCell};
use crate::abi::peer::Peer;
use crate::abi::pool::{CriPool, CriSet};
use crate::abi::receive::{ReceiveEntry, ReceiveFn};
use crate::abi::request::WaitSync;
use crate::abi::scope::Scope;
use crate::abi::status::{ERR_UNSUPPORTED, OK, Status, status_name};
use crate::abi::thread::Thread;

/// The host as one component sees it. A copyable pointer; every method may be called from any
/// thread unless the [`Host`] table says otherwise.
#[derive(Debug, Clone, Copy)]
pub struct HostHandle(*mut Instance);

// SAFETY: an instance lives as long as the process and its host table is thread-safe.
unsafe impl Send for HostHandle {}
// SAFETY: see `Send`.
unsafe impl Sync for HostHandle {}

#[allow(clippy::not_unsafe_ptr_arg_deref)] // the `remove` functions compare pointers only
impl HostHandle {
    /// Wraps an instance.
    ///
    /// # Safety
    /// The instance is valid and its host table complete; both stay so.
    pub unsafe fn new(instance: *mut Instance) -> Self {
        Self(instance)
    }

    /// Turns the status of a call into a failure with the reason that the host was told: of a call of
    /// the host, or of another component that the host's `service` found.
    ///
    /// # Errors
    /// Any status but `OK`.
    #[inline]
    pub fn check(self, status: Status) -> Result<(), Failure> {
        if status == OK {
            return Ok(());
        }
        let mut text = vec![0u8; 4096];
        // SAFETY: the buffer has the length that is passed.
        let len = unsafe { (self.table().reason)(self.0, text.as_mut_ptr().cast(), text.len()) };
        // It may have been cut before a character that did not fit.
        text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
        let text = String::from_utf8_lossy(&text).into_owned();
        Err(Failure::new(status, if len == 0 { status_name(status).into() } else { text }))
    }

    /// For transports: the process with this rank is gone. Any thread, also from progress functions.
    pub fn peer_failed(self, rank: u32) {
        // SAFETY: the instance is the host's.
        unsafe { (self.table().peer_failed)(self.0, rank) };
    }

    /// Makes sure that a peer has routes. Any thread.
    ///
    /// # Errors
    /// When no transport reaches it, with what each of them says.
    #[inline]
    pub fn peer_connect(self, peer: &Peer) -> Result<(), Failure> {
        if !peer.routes().is_empty() {
            return Ok(());
        }
        // SAFETY: peers are the host's and stay.
        self.check(unsafe { (self.table().peer_connect)(self.0, peer) })
    }

    /// The process with this rank in the job.
    pub fn peer(self, rank: u32) -> Option<&'static Peer> {
        // SAFETY: the host's function takes any rank; peers live as long as the process.
        unsafe { (self.table().peer_get)(self.0, rank).as_ref() }
    }

    /// The instance, for calls that this type does not wrap.
    pub fn instance(self) -> *mut Instance {
        self.0
    }

    /// The host's table.
    #[inline]
    pub fn table(self) -> &'static Host {
        // SAFETY: see `new`.
        unsafe { &*(*self.0).host }
    }

    /// The component's full name, `cri_dedicated`.
    pub fn name(self) -> &'static str {
        // SAFETY: the host sets a name that lives as long as the process.
        unsafe { crate::text::borrow((*self.0).name) }.unwrap_or("?")
    }

    /// The job. Its numbers hold from `open` on.
    #[inline]
    pub fn job(self) -> &'static Job {
        // SAFETY: the host keeps the job as long as the process lives.
        unsafe { &*self.table().job }
    }

    /// The receive table, for transports: an entry for each tag.
    #[inline]
    pub fn receive_table(self) -> &'static [ReceiveEntry; crate::abi::receive::RECEIVE_TAGS] {
        // SAFETY: the host keeps that many entries as long as the process lives.
        unsafe { &*self.table().receive.cast() }
    }

    /// Writes a line to the log; `level` is one of [`crate::abi::host::LOG_ERROR`] and the others.
    /// The text is made only when it is wanted.
    pub fn log(self, level: u32, text: impl FnOnce() -> String) {
        let table = self.table();
        // SAFETY: the instance is valid and the text NUL-terminated.
        unsafe {
            if (table.log_enabled)(self.0, level) != 0 {
                (table.log)(self.0, level, crate::text::to_c(&text()).as_ptr());
            }
        }
    }

    /// Tells the user something once in the life of the process.
    pub fn show_once(self, key: &CStr, text: &str) {
        let text = crate::text::to_c(text);
        // SAFETY: the instance is valid and the texts NUL-terminated.
        unsafe { (self.table().show_once)(self.0, key.as_ptr(), text.as_ptr()) }
    }

    /// Ends the job.
    pub fn abort(self, code: i32, text: &str) -> ! {
        // SAFETY: the instance is valid and the text NUL-terminated.
        unsafe { (self.table().abort)(self.0, code, crate::text::to_c(text).as_ptr()) };
        unreachable!("the host's abort does not return")
    }

    /// The calling thread's record. It stays valid until the thread ends.
    #[inline]
    pub fn thread(self) -> &'static Thread {
        // SAFETY: never null; records are kept as long as the process lives.
        unsafe { &*(self.table().thread_self)(self.0) }
    }

    /// Asks for a call at the end of every thread.
    ///
    /// # Safety
    /// `context` fits `callback` and stays valid until `thread_exit_remove` or the close.
    pub unsafe fn thread_exit_add(
        self,
        callback: ThreadExitFn,
        context: *mut c_void,
    ) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        self.check(unsafe { (self.table().thread_exit_add)(self.0, callback, context) })
    }

    /// Takes that request back.
    pub fn thread_exit_remove(self, callback: ThreadExitFn, context: *mut c_void) {
        // SAFETY: the host compares the two and calls neither.
        unsafe { (self.table().thread_exit_remove)(self.0, callback, context) }
    }

    /// Adds a progress callback; `rate` is one of [`crate::abi::host::PROGRESS_EVERY_PASS`] and
    /// [`crate::abi::host::PROGRESS_SELDOM`].
    ///
    /// # Safety
    /// `context` fits `callback` and stays valid until `progress_remove` or the close.
    pub unsafe fn progress_add(
        self,
        callback: ProgressFn,
        context: *mut c_void,
        rate: u32,
    ) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        self.check(unsafe { (self.table().progress_add)(self.0, callback, context, rate) })
    }

    /// Takes a progress callback out; it runs on no other thread when this returns.
    pub fn progress_remove(self, callback: ProgressFn, context: *mut c_void) {
        // SAFETY: the host compares the two and calls neither.
        unsafe { (self.table().progress_remove)(self.0, callback, context) }
    }

    /// Makes one pass of the progress engine. Not from a callback of it.
    #[inline]
    pub fn progress(self) -> u32 {
        // SAFETY: the instance is valid.
        unsafe { (self.table().progress)(self.0) }
    }

    /// Makes one pass for something that the calling thread waits for: `cris` says where its events can
    /// come from, if that is known, and `attempts` how many passes it has made for it before.
    #[inline]
    pub fn progress_for(self, cris: Option<&CriSet>, attempts: u32) -> u32 {
        let cris = cris.map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: the instance is valid, and the set lives during the call.
        unsafe { (self.table().progress_for)(self.0, cris, attempts) }
    }

    /// Waits until `sync` is complete; `cris` as for `progress_for`.
    pub fn wait_for(self, sync: &WaitSync, cris: Option<&CriSet>) -> Result<(), Failure> {
        let cris = cris.map_or(core::ptr::null(), core::ptr::from_ref);
        let sync = core::ptr::from_ref(sync).cast_mut();
        // SAFETY: both live during the call.
        self.check(unsafe { (self.table().wait_for)(self.0, sync, cris) })
    }

    /// Whether the process's strategy says where messages arrive; if not, `cris_of` knows nothing that a
    /// thread does not poll first anyway.
    #[inline(always)]
    pub fn knows_arrivals(self) -> bool {
        // SAFETY: a word of the host's, which stays. Relaxed: it is a hint.
        unsafe { (*self.table().arrivals).load(Ordering::Relaxed) != 0 }
    }

    /// Adds to `cris` where messages of a communicator or window arrive that come from a peer, or from
    /// anybody.
    #[inline]
    pub fn cris_of(self, scope: &Scope, peer: Option<&Peer>, cris: &mut CriSet) {
        let peer = peer.map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: all live during the call.
        unsafe { (self.table().cris_of)(self.0, scope, peer, cris) }
    }

    /// Waits until `sync` is complete.
    pub fn wait(self, sync: &WaitSync) -> Result<(), Failure> {
        // SAFETY: the sync object lives during the call.
        self.check(unsafe { (self.table().wait)(self.0, core::ptr::from_ref(sync).cast_mut()) })
    }

    /// Gives the framework a pool of instances.
    ///
    /// # Safety
    /// The pool is complete, stays where it is, and lives until `pool_remove` or the close.
    pub unsafe fn pool_add(self, pool: *mut CriPool) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        self.check(unsafe { (self.table().pool_add)(self.0, pool) })
    }

    /// Takes a pool back; no thread uses it when this returns.
    pub fn pool_remove(self, pool: *mut CriPool) {
        // SAFETY: the host compares the pointer with those it was given.
        unsafe { (self.table().pool_remove)(self.0, pool) }
    }

    /// Handles messages that arrive with `tag`. Only during `open`.
    ///
    /// # Safety
    /// `context` fits `callback` and stays valid until the close.
    pub unsafe fn receive_register(
        self,
        tag: u8,
        callback: ReceiveFn,
        context: *mut c_void,
    ) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        self.check(unsafe { (self.table().receive_register)(self.0, tag, callback, context) })
    }

    /// Publishes this process's card. Once, during `open`.
    pub fn card_put(self, card: &[u8]) -> Result<(), Failure> {
        // SAFETY: the slice is valid during the call.
        self.check(unsafe { (self.table().card_put)(self.0, card.as_ptr().cast(), card.len()) })
    }

    /// The card that the same component of `rank` published.
    pub fn card_get(self, rank: u32) -> Result<&'static [u8], Failure> {
        let (mut data, mut len) = (core::ptr::null(), 0);
        // SAFETY: the host fills both with memory that lives as long as the process.
        unsafe {
            self.check((self.table().card_get)(self.0, rank, &raw mut data, &raw mut len))?;
            Ok(core::slice::from_raw_parts(data.cast(), len))
        }
    }

    /// Asks to be told by [`Self::memory_gone`] when memory of this range is unmapped, moved or given back.
    ///
    /// # Errors
    /// When the kernel does not tell.
    pub fn memory_watch(self, range: MemoryRange) -> Result<(), Failure> {
        let address = core::ptr::without_provenance(range.address);
        // SAFETY: the host takes any range.
        self.check(unsafe { (self.table().memory_watch)(self.0, address, range.len) })
    }

    /// The ranges that are gone since `seen`, which begins with 0; as many as there is room for.
    pub fn memory_gone<'a>(self, seen: &mut u64, room: &'a mut [MemoryRange]) -> &'a [MemoryRange] {
        let (ranges, capacity) = (room.as_mut_ptr(), room.len());
        // SAFETY: the room is as long as it says.
        let count = unsafe { (self.table().memory_gone)(self.0, seen, ranges, capacity) };
        &room[..count]
    }

    /// Makes a counter or adds a cell to one.
    ///
    /// # Safety
    /// The cell stays valid until `counter_remove` or the close.
    pub unsafe fn counter_add(
        self,
        spec: &CounterSpec,
        cell: *const CounterCell,
    ) -> Result<(), Failure> {
        // SAFETY: promised by the caller.
        self.check(unsafe { (self.table().counter_add)(self.0, spec, cell) })
    }

    /// Whether counters count: the parameter `counters`. For set-up; keep the answer.
    pub fn counts(self) -> bool {
        let mut cell: *const ParamCell = core::ptr::null();
        // SAFETY: the name is a string, and the host fills the place if there is such a parameter.
        unsafe {
            let find = self.table().param_find;
            let found = find(self.0, c"counters".as_ptr(), PARAM_BOOL, &raw mut cell);
            found != OK || cell.is_null() || BoolParam::from_cell(&*cell).get()
        }
    }

    /// Whether the user asks for this component by its name in the list of its framework, such as `btl=self,uct`,
    /// and does not merely leave it in. For set-up.
    pub fn is_named(self) -> bool {
        let Some((framework, name)) = self.name().split_once('_') else { return false };
        let framework = crate::text::to_c(framework);
        let mut cell: *const ParamCell = core::ptr::null();
        // SAFETY: the name is a string, the host fills the place if there is such a parameter, and a cell of
        // this kind belongs to the handle.
        unsafe {
            let find = self.table().param_find;
            let found = find(self.0, framework.as_ptr(), PARAM_LIST, &raw mut cell);
            found == OK
                && !cell.is_null()
                && ListParam::from_cell(&*cell).get().any(|one| one == name)
        }
    }

    /// Makes a type of events. `elements` are the names of its numbers,
    /// separated by commas.
    pub fn event_add(
        self,
        name: &CStr,
        help: &CStr,
        level: u32,
        elements: &CStr,
    ) -> Result<&'static EventType, Failure> {
        let spec = EventSpec {
            struct_size: size_of::<EventSpec>() as u32,
            level,
            name: name.as_ptr(),
            help: help.as_ptr(),
            elements: elements.as_ptr(),
        };
        let mut event: *const EventType = core::ptr::null();
        // SAFETY: strings and place are valid during the call, and types stay as long as the process.
        unsafe {
            self.check((self.table().event_add)(self.0, &raw const spec, &raw mut event))?;
            Ok(&*event)
        }
    }

    /// Takes a cell out of its counter.
    pub fn counter_remove(self, cell: *const CounterCell) {
        // SAFETY: the host compares the pointer with those it was given.
        unsafe { (self.table().counter_remove)(self.0, cell) }
    }

    /// Reserves a private slot in every scope. Only during `open`.
    pub fn scope_slot(self) -> Result<usize, Failure> {
        let mut slot = 0;
        // SAFETY: the host fills the place.
        self.check(unsafe { (self.table().scope_slot_reserve)(self.0, &raw mut slot) })?;
        Ok(slot as usize)
    }

    /// Makes an info key of communicators known, and what holds where it is not set. During `open`.
    pub fn info_key(self, key: &CStr, value: &CStr) -> Result<(), Failure> {
        // SAFETY: the texts are valid during the call.
        self.check(unsafe { (self.table().info_key_add)(self.0, key.as_ptr(), value.as_ptr()) })
    }

    /// The component that serves a framework, as its table and its instance.
    pub fn service(
        self,
        framework: &CStr,
        scope: Option<&Scope>,
    ) -> Result<(*const c_void, *mut Instance), Failure> {
        let (mut ops, mut provider) = (core::ptr::null(), core::ptr::null_mut());
        let scope = scope.map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: the strings and places are valid during the call.
        self.check(unsafe {
            (self.table().service)(
                self.0,
                framework.as_ptr(),
                scope,
                &raw mut ops,
                &raw mut provider,
            )
        })?;
        Ok((ops, provider))
    }

    /// Every component that serves a framework for the process, the highest priority first, as its
    /// table and its instance. None where nothing was selected.
    pub fn services(self, framework: &CStr) -> Vec<(*const c_void, *mut Instance)> {
        let mut found = Vec::new();
        loop {
            let (mut ops, mut provider) = (core::ptr::null(), core::ptr::null_mut());
            // SAFETY: the string and the places are valid during the call.
            let status = unsafe {
                (self.table().service_at)(
                    self.0,
                    framework.as_ptr(),
                    core::ptr::null(),
                    found.len() as u32,
                    &raw mut ops,
                    &raw mut provider,
                )
            };
            if status != OK {
                return found;
            }
            found.push((ops, provider));
        }
    }

    /// The devices of all transports that are open.
    pub fn devices(self) -> impl Iterator<Item = &'static BtlModule> {
        (0..).map_while(move |place| {
            // SAFETY: the instance is valid; devices stay.
            unsafe { (self.table().device_get)(self.0, place).as_ref() }
        })
    }

    /// A failure for what this component does not offer.
    pub fn unsupported(self, what: &str) -> Failure {
        Failure::new(ERR_UNSUPPORTED, format!("{} does not offer {what}", self.name()))
    }
}
