//! Sessions (MPI 5.0, section 11.3): handles through which parts of a program use MPI independently.
//!
//! Groups that come from a session know it, and so do the communicators that are made of them.

use std::ffi::c_int;
use std::ops::Deref;

use cairn_framework::abi::job::Job;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;

use super::arena::{Object, class};
use super::errhandler;
use super::group::Ranks;
use super::info::Pairs;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Errhandler, Session};
use crate::error::{Error, Result};

/// What a handle of a session leads to.
pub struct SessionBody {
    /// What happens on errors.
    pub errhandler: Mutex<Errhandler>,
    /// The hints in use.
    pub info: Pairs,
}

class!(SessionBody, b"sess");

impl Drop for SessionBody {
    fn drop(&mut self) {
        errhandler::unshare(*self.errhandler.get_mut());
    }
}

/// A session, and a share in its memory.
pub struct SessionRef(&'static Object<SessionBody>);

impl SessionRef {
    /// Its handle.
    pub fn handle(&self) -> Session {
        Session::of(self.0.address())
    }
}

impl Clone for SessionRef {
    fn clone(&self) -> Self {
        self.0.retain();
        Self(self.0)
    }
}

impl Drop for SessionRef {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl Deref for SessionRef {
    type Target = SessionBody;

    fn deref(&self) -> &SessionBody {
        self.0
    }
}

impl PartialEq for SessionRef {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// A handle of a new session.
pub fn make(errhandler: Errhandler, info: Pairs) -> Session {
    let errhandler = Mutex::at(LockLevel::TABLE, errhandler::share(errhandler));
    Session::of(Object::make(SessionBody { errhandler, info }).address())
}

fn object(handle: Session) -> Option<&'static Object<SessionBody>> {
    if handle.is_predefined() {
        return None;
    }
    // SAFETY: a handle that is no constant is the address of an object.
    unsafe { Object::at(handle.object()) }
}

/// The session of a valid handle.
pub fn find(handle: Session) -> Option<SessionRef> {
    object(handle).map(|session| {
        session.retain();
        SessionRef(session)
    })
}

/// Ends a handle.
pub fn free(handle: Session) -> Result<()> {
    match object(handle) {
        Some(session) if session.close() => Ok(()),
        _ => Err(none(handle)),
    }
}

fn none(handle: Session) -> Error {
    Error::new(MPI_ERR_SESSION, format!("{:#x} is no session", handle.value()))
}

/// The names of the process sets, which are the same in every session (MPI 5.0, section 11.3.2).
pub const PROCESS_SETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

/// The processes of a process set. Its name is a URI, which may be written in other ways than in the list.
pub fn process_set(job: &Job, name: &str) -> Result<Ranks> {
    match PROCESS_SETS.iter().position(|known| is_same_uri(known, name)) {
        Some(0) => Ok((0..job.size).collect()),
        Some(_) => Ok([job.rank].into()),
        None => {
            let text = format!("there is no process set {name}; there are {PROCESS_SETS:?}");
            Err(Error::new(MPI_ERR_ARG, text))
        }
    }
}

/// Whether two URIs are the same: their schemes and authorities have no case, the rest has (RFC 3986,
/// section 6.2.2.1).
fn is_same_uri(one: &str, other: &str) -> bool {
    /// Scheme and authority, and the rest.
    fn parts(uri: &str) -> (&str, &str) {
        let Some((scheme, rest)) = uri.split_once(':') else { return ("", uri) };
        let authority = rest.strip_prefix("//").map_or(0, |authority| {
            "//".len() + authority.find(['/', '?', '#']).unwrap_or(authority.len())
        });
        uri.split_at(scheme.len() + ":".len() + authority)
    }
    let ((start, rest), (other_start, other_rest)) = (parts(one), parts(other));
    start.eq_ignore_ascii_case(other_start) && rest == other_rest
}

/// The levels of thread support as hints name them.
const LEVELS: [(c_int, &str); 4] = [
    (MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"),
    (MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"),
    (MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"),
    (MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"),
];

/// The level of thread support with this name.
pub fn thread_level(name: &str) -> Option<c_int> {
    LEVELS.iter().find(|(_, known)| *known == name).map(|(level, _)| *level)
}

/// The name of a level of thread support.
pub fn thread_level_name(level: c_int) -> &'static str {
    LEVELS.iter().find(|(known, _)| *known == level).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_have_no_case_up_to_the_path() {
        for (one, other, same) in [
            ("mpi://WORLD", "mpi://WORLD", true),
            ("mpi://WORLD", "MPI://world", true),
            ("mpi://WORLD", "mpi://WORLD/", false),
            ("hwloc://Node/Cache?x#Y", "HWLOC://nODE/Cache?x#Y", true),
            ("hwloc://Node/Cache", "hwloc://Node/cache", false),
            ("hwloc://Node?Cache", "hwloc://Node?cache", false),
            ("hwloc://Node#Cache", "hwloc://Node#cache", false),
            ("urn:Cache", "URN:Cache", true),
            ("urn:Cache", "urn:cache", false),
            ("Cache", "cache", false),
            ("", "mpi://", false),
        ] {
            assert_eq!(is_same_uri(one, other), same, "{one} {other}");
            assert_eq!(is_same_uri(other, one), same, "{other} {one}");
        }
    }
}
