//! Communicators.
//!
//! A communicator has a view that components see ([`cairn_framework::abi::comm::Comm`]), its group,
//! and what the standard lets a program attach to it. Its context id, which messages carry, is the
//! same on all its processes, and no other communicator of the job has or had it
//! ([`ContextId`]): one process of the group makes it.
//!
//! **The end.** `MPI_Comm_free` invalidates the handle, in this process only. What is under way keeps
//! the communicator, as do requests and messages that the program still has. With the last of them
//! the communicator is closed: what arrives for it is dropped. Passes of the progress engine that began
//! before may still look at it, so its memory goes later, a few communicators at a time.

use std::cell::UnsafeCell;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cairn_framework::abi::comm::{
    COMM_INTER, COMM_OWN_IDS, CONTEXT_OWN, Comm as View, CommParts, ContextId, Neighbor, Neighbors,
};
use cairn_framework::abi::component::Instance;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, Scope};
use cairn_framework::abi::status::{ERR_DECLINED, OK, Status};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::frameworks::coll::{
    COLL_BLOCKING, COLL_NONBLOCKING, COLL_OPERATIONS, COLL_PERSISTENT, COLL_TAG_LAST, CollArgs,
    CollOps, blocking_tag, nonblocking_tag, persistent_tag,
};

use super::arena::{Object, class};
use super::attributes::Attributes;
use super::errhandler;
use super::group::Ranks;
use super::info::{Hints, Pairs};
use super::names::Names;
use super::partitioned::of_comm::OfComm;
use super::session::SessionRef;
use super::topology::{Grid, Topology};
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Comm, Errhandler};
use crate::error::{Error, Origin, Result, failure};
use crate::runtime::{self, runtime};

/// What a handle of a communicator leads to.
pub struct CommBody {
    /// What components see. Constant but for the slots and the name.
    view: UnsafeCell<View>,
    /// Its number in this process, as long as it lives.
    _number: Number,
    /// The processes of the local group, by rank.
    pub group: Ranks,
    /// Those of the remote group, if it is an intercommunicator.
    pub remote: Option<Ranks>,
    /// The session whose groups it is made of, if any.
    pub session: Option<SessionRef>,
    /// Which of its processes are neighbors, if that was said. Duplicates share it.
    pub topology: Option<Arc<Topology>>,
    /// The peers that the view leads to.
    _peers: Box<[*mut Peer]>,
    /// The neighbors that it leads to.
    _neighbors: Option<Box<Neighborhood>>,
    /// What happens on errors.
    pub errhandler: Mutex<Errhandler>,
    /// Values that the program attached.
    pub attributes: Mutex<Attributes>,
    /// Hints.
    pub info: Mutex<Hints>,
    /// Its name, and those that the view leads readers to.
    names: Mutex<Names>,
    /// Blocking collective operations so far.
    blocking: AtomicU64,
    /// Nonblocking ones.
    nonblocking: AtomicU64,
    /// Persistent requests for them.
    persistent: AtomicU64,
    /// What partitioned communication keeps.
    pub partitions: OfComm,
    /// Set by `make` before anybody else knows the communicator.
    collectives: OnceLock<Collectives>,
}

// SAFETY: the view's changing fields are the slots, under the rules of `Scope`, and the name, to which
// nothing is written that does not stay. Peers are `Sync`, and neighbors are constant.
unsafe impl Sync for CommBody {}
// SAFETY: see `Sync`.
unsafe impl Send for CommBody {}

class!(CommBody, b"comm", end);

/// A communicator.
pub type CommRef = &'static Object<CommBody>;

/// Which component runs which operation.
#[derive(Default)]
struct Collectives {
    modules: Vec<Module>,
    /// For each way and operation, indexes in `modules` of those that offer it, the highest offer first.
    offered: Vec<u8>,
    /// Where those of a way and operation end in `offered`; they begin where those before end.
    ends: [[u16; COLL_OPERATIONS as usize]; WAYS.len()],
}

impl Collectives {
    /// Those that offer an operation, the highest offer first.
    #[inline]
    fn offers(&self, way: u32, operation: u32) -> &[u8] {
        let (way, operation) = (way as usize, operation as usize);
        let begin = match (way, operation) {
            (0, 0) => 0,
            (_, 0) => self.ends[way - 1][COLL_OPERATIONS as usize - 1],
            _ => self.ends[way][operation - 1],
        };
        &self.offered[usize::from(begin)..usize::from(self.ends[way][operation])]
    }

    fn modules_of(&self, offers: &[u8]) -> impl Iterator<Item = &Module> {
        offers.iter().map(|index| &self.modules[usize::from(*index)])
    }
}

const WAYS: [u32; 3] = [COLL_BLOCKING, COLL_NONBLOCKING, COLL_PERSISTENT];

/// A component of `coll` with what it keeps for the communicator.
#[derive(Clone, Copy)]
struct Module {
    ops: &'static CollOps,
    instance: *mut Instance,
    module: *mut c_void,
}

/// `MPI_COMM_WORLD` and `MPI_COMM_SELF` while there are such.
static PREDEFINED: [AtomicPtr<Object<CommBody>>; 2] = [const { AtomicPtr::new(null_mut()) }; 2];

/// Makes the handles of the predefined communicators lead to these, or nowhere.
pub fn set_predefined(communicators: Option<[CommRef; 2]>) {
    debug_assert_eq!(MPI_COMM_SELF.value(), MPI_COMM_WORLD.value() + 1);
    for (number, place) in PREDEFINED.iter().enumerate() {
        let address = communicators.map_or(null_mut(), |all| all[number].address());
        place.store(address, Ordering::Release);
    }
}

/// The functions by which components make parts of communicators.
static PARTS: OnceLock<CommParts> = OnceLock::new();

/// Says which functions components have for parts, before there is a communicator.
pub fn set_parts(functions: CommParts) {
    // A session that begins later brings the same.
    let _ = PARTS.set(functions);
}

/// The communicator that a view is of.
///
/// # Safety
/// It is the view of one, which lives.
pub unsafe fn of_view(view: *const View) -> CommRef {
    // SAFETY: promised by the caller.
    unsafe {
        let body = view.byte_sub(std::mem::offset_of!(CommBody, view));
        Object::of_body(body.cast::<CommBody>())
    }
}

/// The communicator of a valid handle.
#[inline(always)]
pub fn find(handle: Comm) -> Option<CommRef> {
    if handle.is_predefined() {
        let place = PREDEFINED.get(handle.value().wrapping_sub(MPI_COMM_WORLD.value()))?;
        // SAFETY: null or an object. Acquire pairs with the Release in `set_predefined`.
        return unsafe { place.load(Ordering::Acquire).as_ref() };
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }
}

/// The communicator of a handle that was checked, or should have been: a program that turned the
/// checks off gets an error all the same, because everything that follows needs the object.
#[inline(always)]
pub fn of(handle: Comm) -> Result<CommRef> {
    match find(handle) {
        Some(comm) => Ok(comm),
        None => Err(none(handle)),
    }
}

#[cold]
fn none(handle: Comm) -> Error {
    Error::new(MPI_ERR_COMM, format!("{:#x} is no communicator", handle.value()))
}

impl Object<CommBody> {
    /// The handle by which the program knows it.
    pub fn handle(&'static self) -> Comm {
        handle(self)
    }
}

/// The handle by which the program knows a communicator.
pub fn handle(comm: CommRef) -> Comm {
    let predefined = [MPI_COMM_WORLD, MPI_COMM_SELF];
    let is = |handle: &Comm| find(*handle).is_some_and(|own| std::ptr::eq(own, comm));
    predefined.into_iter().find(is).unwrap_or_else(|| Comm::of(comm.address()))
}

/// Whose error handler hears of errors of an operation on a communicator, which the caller keeps: the
/// program may have freed it meanwhile.
pub fn origin(comm: CommRef) -> Origin {
    let handle = handle(comm);
    match find(handle) {
        Some(_) => Origin::Comm(handle),
        None => Origin::Freed(errhandler::share(*comm.errhandler.lock())),
    }
}

/// The neighbors of this process, as components see them.
struct Neighborhood {
    view: Neighbors,
    /// The sources and the destinations that the view leads to.
    _lists: [Vec<Neighbor>; 2],
}

impl Neighborhood {
    fn new(topology: &Topology, rank: u32) -> Box<Self> {
        let lists = topology.neighbors(rank);
        let [sources, destinations] = &lists;
        let view = Neighbors {
            sources: sources.as_ptr(),
            destinations: destinations.as_ptr(),
            indegree: sources.len() as u32,
            outdegree: destinations.len() as u32,
        };
        Box::new(Self { view, _lists: lists })
    }
}

/// What a new communicator is made of.
pub struct Plan {
    /// Its context id.
    pub context: ContextId,
    /// The processes of the local group.
    pub group: Ranks,
    /// Those of the remote group, for an intercommunicator.
    pub remote: Option<Ranks>,
    /// The session whose groups it is made of, if any.
    pub session: Option<SessionRef>,
    /// Its first name.
    pub name: CString,
    /// What happens on errors.
    pub errhandler: Errhandler,
    /// The hints that the program gave.
    pub info: Pairs,
    /// Its topology, if it has one.
    pub topology: Option<Arc<Topology>>,
}

/// Makes a communicator and tells the components.
pub fn make(plan: Plan) -> Result<CommRef> {
    let runtime = runtime();
    let Plan { context, group, remote, session, name, errhandler, info, topology } = plan;
    let own = runtime.system.job().rank;
    let Some(rank) = group.iter().position(|rank| *rank == own) else {
        return Err(Error::new(MPI_ERR_INTERN, "this process is not in the new communicator"));
    };
    let info = Hints::new(info);
    let targets: &Ranks = remote.as_ref().unwrap_or(&group);
    let peers: Box<[*mut Peer]> = targets
        .iter()
        .map(|rank| runtime.system.peer(*rank).expect("ranks of groups are in the job"))
        .collect();
    let neighbors = topology.as_ref().map(|topology| Neighborhood::new(topology, rank as u32));
    let number = Number::take(context);
    let mut scope = Scope::new(SCOPE_COMMUNICATOR, number.0, group.len() as u32, c"communicator");
    scope.struct_size = size_of::<View>() as u32;
    scope.info = Some(scope_info);
    let names = Names::new(&name);
    scope.name = names.first();
    let mut flags = 0;
    if remote.is_some() {
        flags |= COMM_INTER;
    }
    let view = View {
        scope,
        rank: rank as u32,
        remote_size: targets.len() as u32,
        flags: flags | info.flags(),
        reserved: 0,
        context,
        peers: peers.as_ptr(),
        contexts: std::ptr::null(),
        neighbors: neighbors.as_ref().map_or(std::ptr::null(), |all| &raw const all.view),
        parts: PARTS.get().map_or(std::ptr::null(), std::ptr::from_ref),
    };
    let comm = Object::make(CommBody {
        view: UnsafeCell::new(view),
        _number: number,
        group,
        remote,
        session,
        topology,
        _peers: peers,
        _neighbors: neighbors,
        errhandler: Mutex::at(LockLevel::TABLE, errhandler),
        attributes: Mutex::default(),
        info: Mutex::at(LockLevel::TABLE, info),
        names: Mutex::new(names),
        blocking: AtomicU64::new(0),
        nonblocking: AtomicU64::new(0),
        persistent: AtomicU64::new(0),
        partitions: OfComm::default(),
        collectives: OnceLock::new(),
    });
    let view = comm.view.get();
    // SAFETY: no other thread knows the communicator yet. Its view stays where it is until `free`.
    unsafe {
        let status = (runtime.pml.comm_open.unwrap_unchecked())(runtime.pml_instance, &mut *view);
        let opened = if status == OK {
            let scope = runtime.system.scope_opened(&raw mut (*view).scope);
            let scope = scope.map_err(|problem| Error::new(MPI_ERR_OTHER, problem.what));
            scope.and_then(|()| open_collectives(comm))
        } else {
            Err(failure("comm_open", status))
        };
        opened.map(|()| comm).inspect_err(|_| free(comm))
    }
}

/// Asks the components of `coll` what they offer.
///
/// # Safety
/// No other thread knows the communicator yet.
unsafe fn open_collectives(comm: CommRef) -> Result<()> {
    let mut collectives = Collectives::default();
    for component in &runtime().colls {
        let mut module = std::ptr::null_mut();
        let (ops, instance) = (component.ops, component.instance);
        // SAFETY: the table is complete and the component open.
        let status = unsafe {
            (ops.comm_open.unwrap_unchecked())(instance, &mut *comm.view.get(), &mut module)
        };
        if status != OK {
            return Err(failure("comm_open", status));
        }
        collectives.modules.push(Module { ops, instance, module });
    }
    let mut offers: Vec<(i32, u8)> = Vec::new();
    for (way, row) in WAYS.iter().zip(0..) {
        for operation in 0..COLL_OPERATIONS {
            let offer = |Module { ops, instance, module }: &Module| {
                // SAFETY: as above.
                let offer = unsafe { ops.offer.unwrap_unchecked() };
                // SAFETY: as above; components only read the view now.
                unsafe { offer(*instance, &*comm.view.get(), *module, operation, *way) }
            };
            let all = collectives.modules.iter().map(offer).zip(0_u8..);
            offers.clear();
            offers.extend(all.filter(|(offer, _)| *offer >= 0));
            // Of equal ones the first comes first.
            offers.sort_by_key(|(offer, _)| std::cmp::Reverse(*offer));
            collectives.offered.extend(offers.iter().map(|(_, index)| index));
            collectives.ends[row][operation as usize] = collectives.offered.len() as u16;
        }
    }
    let _ = comm.collectives.set(collectives);
    Ok(())
}

/// The number of a communicator in this process, which the next one gets when it is gone.
struct Number(u32);

/// Numbers that communicators had; and the lowest that none had.
static NUMBERS: Mutex<(BTreeSet<u32>, u32)> = Mutex::new((BTreeSet::new(), COMM_OWN_IDS));

impl Number {
    /// One for a communicator with this context id.
    fn take(context: ContextId) -> Self {
        if context.maker == CONTEXT_OWN {
            return Self(context.serial as u32);
        }
        let mut numbers = NUMBERS.lock();
        let (free, never) = &mut *numbers;
        Self(free.pop_first().unwrap_or_else(|| {
            *never += 1;
            *never - 1
        }))
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        if self.0 >= COMM_OWN_IDS {
            NUMBERS.lock().0.insert(self.0);
        }
    }
}

/// Ends a communicator: its handle is not valid any more, and when the operations on it have ended
/// its memory is free.
pub fn free(comm: CommRef) {
    comm.close();
}

/// Communicators that are closed and whose memory passes may still look at.
static CLOSED: Mutex<Vec<CommRef>> = Mutex::new(Vec::new());

/// So many are freed together: the wait for passes is then a small part of the cost of each.
const TOGETHER: usize = 16;

/// The last reference to a communicator is gone. Perhaps in a pass of the progress engine.
fn end(comm: CommRef) {
    // After finalization the components are closed.
    let Some(runtime) = runtime::current() else { return comm.drop_body() };
    // SAFETY: opened by `make`; the last reference is gone, so nothing is in flight.
    unsafe {
        (runtime.pml.comm_close.unwrap_unchecked())(runtime.pml_instance, &mut *comm.view.get());
    }
    let mut closed = CLOSED.lock();
    closed.push(comm);
    let enough = closed.len() >= if runtime.is_threaded() { TOGETHER } else { 1 };
    drop(closed);
    if enough && !runtime.system.is_in_pass() {
        free_closed();
    }
}

/// Frees the communicators that are closed. Not in a pass.
pub fn free_closed() {
    loop {
        let closed = std::mem::take(&mut *CLOSED.lock());
        if closed.is_empty() {
            return;
        }
        runtime().system.wait_for_passes();
        // Their parts close with them, and are freed next.
        closed.into_iter().for_each(Object::drop_body);
    }
}

impl Drop for CommBody {
    fn drop(&mut self) {
        errhandler::unshare(*self.errhandler.get_mut());
        let Some(runtime) = runtime::current() else { return };
        let view = self.view.get();
        // SAFETY: opened by `make` and closed by `end`, and no pass that began before is left.
        unsafe {
            for module in self.collectives.get().map_or(&[][..], |all| &all.modules) {
                (module.ops.comm_close.unwrap_unchecked())(
                    module.instance,
                    &mut *view,
                    module.module,
                );
            }
            runtime.system.scope_closed(&raw mut (*view).scope);
            (runtime.pml.comm_free.unwrap_unchecked())(runtime.pml_instance, &mut *view);
        }
    }
}

// The program's tags and what else the library does begin below.
const _: () = assert!(COLL_TAG_LAST > -super::TAG_UB - 1);

impl CommBody {
    /// What components see.
    #[inline(always)]
    pub fn view(&self) -> &View {
        // SAFETY: see `Sync`.
        unsafe { &*self.view.get() }
    }

    /// Rank of this process.
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        self.view().rank
    }

    /// Processes of the local group.
    #[inline(always)]
    pub fn size(&self) -> u32 {
        self.view().scope.size
    }

    /// Processes that this one exchanges data with: those of the group, or of the remote group of an
    /// intercommunicator.
    #[inline(always)]
    pub fn peers(&self) -> usize {
        self.view().remote_size as usize
    }

    /// Whether it is an intercommunicator.
    #[inline(always)]
    pub fn is_inter(&self) -> bool {
        self.view().flags & COMM_INTER != 0
    }

    /// Its grid, if it has a Cartesian topology.
    pub fn grid(&self) -> Option<&Grid> {
        match self.topology.as_deref() {
            Some(Topology::Cartesian(grid)) => Some(grid),
            _ => None,
        }
    }

    /// Dimensions of its grid; none without a Cartesian topology.
    pub fn dims(&self) -> usize {
        self.grid().map_or(0, |grid| grid.dims().len())
    }

    /// The neighbors that this process receives from in neighborhood collectives, and those it sends to;
    /// none without a topology.
    pub fn neighbors(&self) -> Option<[&[Neighbor]; 2]> {
        // SAFETY: `make` has them lead to lists that stay as long as this.
        unsafe { self.view().neighbors() }
    }

    /// Blocks that this process receives from neighbors, also from those that a grid does not have; none
    /// without a topology.
    pub fn in_degree(&self) -> usize {
        self.degrees()[0]
    }

    /// Blocks that it sends to neighbors.
    pub fn out_degree(&self) -> usize {
        self.degrees()[1]
    }

    fn degrees(&self) -> [usize; 2] {
        self.topology.as_ref().map_or([0; 2], |topology| topology.degrees(self.rank()))
    }

    /// Its name.
    pub fn name(&self) -> CString {
        self.names.lock().current().to_owned()
    }

    /// Renames it.
    pub fn set_name(&self, name: CString) {
        let mut names = self.names.lock();
        if let Some(shown) = names.set(name) {
            // SAFETY: a word that others read at any time, to find this or an older name; both stay.
            // Release: a reader that finds the new one finds its text.
            unsafe {
                let place = (&raw mut (*self.view.get()).scope.name).cast();
                AtomicPtr::from_ptr(place).store(shown.cast_mut(), Ordering::Release);
            }
        }
    }

    /// The tag of the next blocking collective operation, for example to make a communicator of this
    /// one. Every process makes the same ones in the same order, so all come to the same tag.
    pub fn next_tag(&self) -> i32 {
        blocking_tag(self.blocking.fetch_add(1, Ordering::Relaxed))
    }

    /// The same for nonblocking operations.
    pub fn next_nonblocking_tag(&self) -> i32 {
        nonblocking_tag(self.nonblocking.fetch_add(1, Ordering::Relaxed))
    }

    /// How many nonblocking operations were begun and persistent requests made on it.
    pub fn begun(&self) -> [u64; 2] {
        [&self.nonblocking, &self.persistent].map(|number| number.load(Ordering::Relaxed))
    }

    /// How many operations on it components have that are not complete.
    pub fn pending(&self) -> u64 {
        let runtime = runtime();
        // SAFETY: tables are complete and components open.
        let messages =
            unsafe { (runtime.pml.pending.unwrap_unchecked())(runtime.pml_instance, self.view()) };
        let modules = self.collectives.get().map_or(&[][..], |all| &all.modules);
        // SAFETY: as above.
        let pending = |Module { ops, instance, module }: &Module| unsafe {
            (ops.pending.unwrap_unchecked())(*instance, self.view(), *module)
        };
        messages + modules.iter().map(pending).sum::<u64>()
    }

    /// Runs a blocking collective.
    ///
    /// # Safety
    /// The pointers in the arguments are what the operation says in the standard.
    #[inline]
    pub unsafe fn run(&self, args: &CollArgs) -> Result<()> {
        // SAFETY: promised by the caller.
        match unsafe { self.run_status(args) } {
            OK => Ok(()),
            ERR_DECLINED => Err(unoffered(COLL_BLOCKING)),
            status => Err(failure("run", status)),
        }
    }

    /// The same; the status is that of the component, or `ERR_DECLINED` where none serves the call.
    ///
    /// # Safety
    /// As for `run`.
    #[inline]
    pub unsafe fn run_status(&self, args: &CollArgs) -> Status {
        let all = self.collectives.get();
        let offers = all.map_or(&[][..], |all| all.offers(COLL_BLOCKING, args.operation));
        if offers.is_empty() {
            return ERR_DECLINED;
        }
        let args = &CollArgs { tag: self.next_tag(), ..*args };
        for Module { ops, instance, module } in all.iter().flat_map(|all| all.modules_of(offers)) {
            // SAFETY: promised by the caller; the table is complete and the component open.
            let status =
                unsafe { (ops.run.unwrap_unchecked())(*instance, self.view(), *module, args) };
            if status != ERR_DECLINED {
                return status;
            }
        }
        ERR_DECLINED
    }

    /// Starts a collective, or makes a persistent request of it.
    ///
    /// # Safety
    /// As for `run`, until the request is complete or freed.
    pub unsafe fn start(
        &self,
        way: u32,
        args: &CollArgs,
    ) -> Result<*mut cairn_framework::abi::request::Request> {
        let module = self.module(way, args.operation)?;
        let tag = match way {
            COLL_PERSISTENT => persistent_tag(self.persistent.fetch_add(1, Ordering::Relaxed)),
            _ => self.next_nonblocking_tag(),
        };
        let args = &CollArgs { tag, ..*args };
        let mut request = std::ptr::null_mut();
        let function = if way == COLL_PERSISTENT { module.ops.init } else { module.ops.start };
        // SAFETY: as above.
        let status = unsafe {
            (function.unwrap_unchecked())(
                module.instance,
                self.view(),
                module.module,
                args,
                &mut request,
            )
        };
        if status == OK { Ok(request) } else { Err(failure("start", status)) }
    }

    fn module(&self, way: u32, operation: u32) -> Result<Module> {
        let all = self.collectives.get();
        let first = all.and_then(|all| all.modules_of(all.offers(way, operation)).next());
        first.copied().ok_or_else(|| unoffered(way))
    }
}

#[cold]
fn unoffered(way: u32) -> Error {
    let what = match way {
        COLL_NONBLOCKING => "nonblocking ",
        COLL_PERSISTENT => "persistent ",
        _ => "",
    };
    let text = format!("no coll component offers this {what}operation here");
    Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text)
}

/// What components learn of the info.
unsafe extern "C" fn scope_info(
    scope: *const Scope,
    key: *const c_char,
    value: *mut c_char,
    capacity: usize,
) -> isize {
    // SAFETY: the scope is the first field of the view of a communicator; the key is a string.
    let (body, key) = unsafe { (of_view(scope.cast()), CStr::from_ptr(key)) };
    match body.info.lock().ask(&key.to_string_lossy()) {
        // SAFETY: the component vouches for the room.
        Some(text) => unsafe { cairn_framework::text::write(text, value, capacity) as isize },
        None => -1,
    }
}

/// Whether two groups are the same, similar (other ranks) or neither.
pub fn compare(one: &Ranks, other: &Ranks) -> std::ffi::c_int {
    if one == other {
        return MPI_IDENT;
    }
    if one.len() != other.len() {
        return MPI_UNEQUAL;
    }
    let sorted = |ranks: &Ranks| {
        let mut ranks = ranks.to_vec();
        ranks.sort_unstable();
        ranks
    };
    if sorted(one) == sorted(other) { MPI_SIMILAR } else { MPI_UNEQUAL }
}

/// The group of these ranks of another one.
pub fn subgroup(of: &Ranks, ranks: impl IntoIterator<Item = u32>) -> Ranks {
    Arc::from_iter(ranks.into_iter().map(|rank| of[rank as usize]))
}
