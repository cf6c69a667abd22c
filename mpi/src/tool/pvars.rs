//! Performance variables: the counters.
//!
//! A counter of a communicator is two variables: of all communicators together, and of one that a
//! handle is bound to. A handle of something that happens counts for itself, from the moment it is
//! started; what says how things are now is the same for all handles and can't be changed.

use std::ffi::c_int;
use std::sync::Arc;

use cairn_framework::abi::counter::{
    COUNTER_AGGREGATE, COUNTER_LEVEL, COUNTER_MAXIMUM, COUNTER_MINIMUM, COUNTER_SIZE, COUNTER_TIMER,
};
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::host::CounterInfo;

use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Comm, TPvarHandle, TPvarSession};
use crate::error::{Error, Result};
use crate::objects::arena::{Object, class};
use crate::objects::comm;
use crate::runtime;

/// A performance variable.
pub struct Pvar {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub owner: String,
    /// What is counted.
    pub help: String,
    /// Its audience, 1 to 9.
    pub level: u32,
    /// `MPI_T_PVAR_CLASS_*`.
    pub class: c_int,
    /// Whether it says how things are now: it runs all the time and can't be written.
    pub is_state: bool,
    /// Whether its handles are bound to a communicator.
    pub of_comm: bool,
    counter: usize,
}

impl Pvar {
    /// The variables of a counter with this number.
    pub fn of_counter(counter: usize, info: CounterInfo) -> Vec<Self> {
        let class = match info.kind {
            COUNTER_LEVEL => MPI_T_PVAR_CLASS_LEVEL,
            COUNTER_SIZE => MPI_T_PVAR_CLASS_SIZE,
            COUNTER_MAXIMUM => MPI_T_PVAR_CLASS_HIGHWATERMARK,
            COUNTER_MINIMUM => MPI_T_PVAR_CLASS_LOWWATERMARK,
            COUNTER_AGGREGATE => MPI_T_PVAR_CLASS_AGGREGATE,
            COUNTER_TIMER => MPI_T_PVAR_CLASS_TIMER,
            _ => MPI_T_PVAR_CLASS_COUNTER,
        };
        let unit = info.unit.as_ref().map_or_else(String::new, |unit| format!(" ({unit})"));
        let pvar = |of_comm: bool| Self {
            name: format!("{}{}", info.name, if of_comm { "_of_comm" } else { "" }),
            owner: info.owner.clone(),
            help: format!("{}{unit}", info.help),
            level: info.level,
            class,
            is_state: info.is_state(),
            of_comm,
            counter,
        };
        [false, true].into_iter().filter(|of_comm| info.by_comm || !of_comm).map(pvar).collect()
    }
}

/// What a session holds.
pub struct SessionBody(Mutex<Vec<&'static Object<HandleBody>>>);

class!(SessionBody, b"tses");

/// What a handle of a performance variable leads to.
pub struct HandleBody {
    pvar: Arc<Pvar>,
    comm: Option<Comm>,
    session: TPvarSession,
    counting: Mutex<Counting>,
}

class!(HandleBody, b"tpva");

/// What a handle counts by itself.
#[derive(Default)]
struct Counting {
    started: bool,
    /// Before it was started the last time.
    sum: u64,
    /// The counter at that moment.
    base: u64,
}

impl Counting {
    fn value(&self, now: u64) -> u64 {
        let more = if self.started { now.wrapping_sub(self.base) } else { 0 };
        self.sum.wrapping_add(more)
    }

    fn set(&mut self, value: u64, now: u64) {
        (self.sum, self.base) = (value, now);
    }
}

static SESSIONS: Mutex<Vec<&'static Object<SessionBody>>> = Mutex::new(Vec::new());

/// A new session.
pub fn session_create() -> TPvarSession {
    let session = Object::make(SessionBody(Mutex::at(LockLevel::HANDLES, Vec::new())));
    SESSIONS.lock().push(session);
    TPvarSession::of(session.address())
}

fn session(handle: TPvarSession) -> Result<&'static Object<SessionBody>> {
    let found = (!handle.is_predefined()).then(|| {
        // SAFETY: a handle that is no constant is the address of an object.
        unsafe { Object::at(handle.object()) }
    });
    let none = || Error::new(MPI_T_ERR_INVALID_SESSION, "session is no session");
    found.flatten().ok_or_else(none)
}

/// Frees a session with its handles.
pub fn session_free(handle: TPvarSession) -> Result<()> {
    let object = session(handle)?;
    SESSIONS.lock().retain(|other| !std::ptr::eq(*other, object));
    end(object);
    Ok(())
}

fn end(session: &'static Object<SessionBody>) {
    let handles = std::mem::take(&mut *session.0.lock());
    handles.into_iter().for_each(|handle| _ = handle.close());
    session.close();
}

/// Frees all sessions.
pub fn free_all() {
    let all = std::mem::take(&mut *SESSIONS.lock());
    all.into_iter().for_each(end);
}

/// A handle in a session. What happens is not counted until it is started.
pub fn alloc(of: TPvarSession, pvar: Arc<Pvar>, comm: Option<Comm>) -> Result<TPvarHandle> {
    let session = session(of)?;
    if let Some(comm) = comm {
        comm::of(comm)?;
    }
    let counting = Mutex::at(LockLevel::VARIABLES, Counting::default());
    let handle = Object::make(HandleBody { pvar, comm, session: of, counting });
    session.0.lock().push(handle);
    Ok(TPvarHandle::of(handle.address()))
}

/// A handle of a session.
fn find(of: TPvarSession, handle: TPvarHandle) -> Result<&'static Object<HandleBody>> {
    session(of)?;
    let found = (!handle.is_predefined()).then(|| {
        // SAFETY: a handle that is no constant is the address of an object.
        unsafe { Object::<HandleBody>::at(handle.object()) }
    });
    let none = || Error::new(MPI_T_ERR_INVALID_HANDLE, "handle is none of this session");
    found.flatten().filter(|handle| handle.session == of).ok_or_else(none)
}

/// Frees a handle.
pub fn free(of: TPvarSession, handle: TPvarHandle) -> Result<()> {
    let object = find(of, handle)?;
    session(of)?.0.lock().retain(|other| !std::ptr::eq(*other, object));
    object.close();
    Ok(())
}

impl HandleBody {
    /// The counter now.
    fn now(&self) -> Result<u64> {
        let comm = match self.comm {
            None => None,
            Some(handle) => Some(comm::find(handle).ok_or_else(|| {
                Error::new(MPI_T_ERR_INVALID_HANDLE, "the communicator of the handle is gone")
            })?),
        };
        let value = runtime::system().counter_read(self.pvar.counter, comm.map(|comm| comm.view()));
        Ok(value.unwrap_or(0))
    }

    fn change(&self, change: impl FnOnce(&mut Counting, u64)) -> Result<()> {
        let mut counting = self.counting.lock();
        change(&mut counting, self.now()?);
        Ok(())
    }

    fn start(&self) -> Result<()> {
        self.change(|counting, now| {
            if !counting.started {
                (counting.started, counting.base) = (true, now);
            }
        })
    }

    fn stop(&self) -> Result<()> {
        self.change(|counting, now| {
            (counting.sum, counting.started) = (counting.value(now), false);
        })
    }

    fn reset(&self) -> Result<()> {
        self.change(|counting, now| counting.set(0, now))
    }
}

/// Does something to a handle that counts by itself, or to all of these in a session.
fn each(
    of: TPvarSession,
    handle: TPvarHandle,
    refusal: (c_int, &'static str),
    change: impl Fn(&HandleBody) -> Result<()>,
) -> Result<()> {
    if handle == MPI_T_PVAR_ALL_HANDLES {
        let handles = session(of)?.0.lock().clone();
        let mut counting = handles.iter().filter(|handle| !handle.pvar.is_state);
        return counting.try_for_each(|handle| change(handle));
    }
    let handle = find(of, handle)?;
    if handle.pvar.is_state {
        return Err(Error::new(refusal.0, refusal.1));
    }
    change(handle)
}

const CONTINUOUS: (c_int, &str) = (MPI_T_ERR_PVAR_NO_STARTSTOP, "the variable counts all the time");
const READ_ONLY: (c_int, &str) = (MPI_T_ERR_PVAR_NO_WRITE, "the variable can't be changed");

/// Begins to count.
pub fn start(of: TPvarSession, handle: TPvarHandle) -> Result<()> {
    each(of, handle, CONTINUOUS, HandleBody::start)
}

/// Stops counting.
pub fn stop(of: TPvarSession, handle: TPvarHandle) -> Result<()> {
    each(of, handle, CONTINUOUS, HandleBody::stop)
}

/// Begins at 0 again.
pub fn reset(of: TPvarSession, handle: TPvarHandle) -> Result<()> {
    each(of, handle, READ_ONLY, HandleBody::reset)
}

/// The value.
pub fn read(of: TPvarSession, handle: TPvarHandle) -> Result<u64> {
    let handle = find(of, handle)?;
    if handle.pvar.is_state {
        return handle.now();
    }
    let counting = handle.counting.lock();
    Ok(counting.value(handle.now()?))
}

/// The value, which is 0 from then on: nothing is lost in between.
pub fn read_reset(of: TPvarSession, handle: TPvarHandle) -> Result<u64> {
    let handle = find(of, handle)?;
    if handle.pvar.is_state {
        return Err(Error::new(MPI_T_ERR_PVAR_NO_ATOMIC, "the variable can't be reset"));
    }
    let mut value = 0;
    handle.change(|counting, now| {
        value = counting.value(now);
        counting.set(0, now);
    })?;
    Ok(value)
}

/// Sets the value.
pub fn write(of: TPvarSession, handle: TPvarHandle, value: u64) -> Result<()> {
    let handle = find(of, handle)?;
    if handle.pvar.is_state {
        return Err(Error::new(READ_ONLY.0, READ_ONLY.1));
    }
    handle.change(|counting, now| counting.set(value, now))
}
