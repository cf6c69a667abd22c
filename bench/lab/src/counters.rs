//! What the MPI library counts while something is measured: its performance variables (MPI 5.0,
//! section 15.3.7).

use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr::null_mut;
use std::str::FromStr;

use mpi::ffi;
use serde::{Serialize, Serializer};

use crate::comm::{Comm, error_text, ok};

/// How much a performance variable grows, by itself or for each by which another one grows: `a` or
/// `a/b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotient {
    of: String,
    by: Option<String>,
}

impl FromStr for Quotient {
    type Err = String;

    fn from_str(text: &str) -> Result<Quotient, String> {
        let (of, by) = match text.split_once('/') {
            Some((of, by)) => (of, Some(by)),
            None => (text, None),
        };
        if [Some(of), by].into_iter().flatten().any(|name| name.is_empty() || name.contains('/')) {
            return Err(format!("'{text}' is not a variable, nor two with a / between them"));
        }
        Ok(Quotient { of: of.into(), by: by.map(str::to_owned) })
    }
}

impl fmt::Display for Quotient {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match &self.by {
            Some(by) => write!(out, "{}/{by}", self.of),
            None => out.write_str(&self.of),
        }
    }
}

impl Serialize for Quotient {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Performance variables that are read before and after a measurement, by one thread of each rank.
pub struct Counters {
    /// Nothing if no variable is wanted.
    session: Option<ffi::MPI_T_pvar_session>,
    wanted: Vec<(Quotient, Variable, Option<Variable>)>,
}

struct Variable {
    handle: ffi::MPI_T_pvar_handle,
    bytes: c_int,
}

impl Counters {
    /// Finds the variables. MPI has been initialised. The same on all ranks.
    ///
    /// # Errors
    /// What this MPI does not have.
    pub fn find(wanted: &[Quotient]) -> Result<Counters, String> {
        let mut counters = Counters { session: None, wanted: Vec::new() };
        if wanted.is_empty() {
            return Ok(counters);
        }
        let (mut provided, mut number) = (0, 0);
        // SAFETY: results outlive the calls.
        let session = unsafe {
            let mut session = std::mem::zeroed();
            let single = ffi::RSMPI_THREAD_SINGLE;
            ok(ffi::MPI_T_init_thread(single, &mut provided), "MPI_T_init_thread");
            ok(ffi::MPI_T_pvar_session_create(&mut session), "MPI_T_pvar_session_create");
            ok(ffi::MPI_T_pvar_get_num(&mut number), "MPI_T_pvar_get_num");
            session
        };
        counters.session = Some(session);
        let infos: Vec<Info> = (0..number).filter_map(Info::of).collect();
        let find = |name: &str| match infos.iter().find(|info| info.name == name) {
            Some(info) => info.open(session),
            None => Err(format!("this MPI has no performance variable {name}")),
        };
        for quotient in wanted {
            let by = quotient.by.as_deref().map(find).transpose()?;
            counters.wanted.push((quotient.clone(), find(&quotient.of)?, by));
        }
        Ok(counters)
    }

    /// The variables as they are now, for [`Counters::since`].
    pub fn read(&self) -> Vec<u64> {
        self.variables().map(|variable| self.value(variable)).collect()
    }

    /// What the quotients of all ranks together have been since, with their names. One whose divisor
    /// has not grown is left out. Collective.
    pub fn since(&self, before: &[u64], comm: Comm) -> Vec<(String, f64)> {
        let after = self.read();
        let grown = after.iter().zip(before).map(|(after, before)| after.wrapping_sub(*before));
        let grown: Vec<u64> = grown.map(|grown| comm.sum(grown)).collect();
        let mut grown = grown.into_iter();
        let mut next = || grown.next().expect("there is a value for each variable") as f64;
        let quotients = self.wanted.iter().filter_map(|(quotient, _, by)| {
            let of = next();
            let by = if by.is_some() { next() } else { 1.0 };
            (by > 0.0).then(|| (quotient.to_string(), of / by))
        });
        quotients.collect()
    }

    /// Gives the variables back.
    pub fn free(self) {
        if let Some(mut session) = self.session {
            // SAFETY: the session is valid, and neither it nor its handles are used afterwards.
            unsafe {
                ok(ffi::MPI_T_pvar_session_free(&mut session), "MPI_T_pvar_session_free");
                ok(ffi::MPI_T_finalize(), "MPI_T_finalize");
            }
        }
    }

    fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.wanted.iter().flat_map(|(_, of, by)| [Some(of), by.as_ref()]).flatten()
    }

    fn value(&self, variable: &Variable) -> u64 {
        let session = self.session.expect("whoever has a variable has a session");
        let mut value = [0_u8; 8];
        // SAFETY: session and handle are valid, and the buffer holds the one number of the variable.
        let code = unsafe {
            ffi::MPI_T_pvar_read(session, variable.handle, value.as_mut_ptr().cast::<c_void>())
        };
        ok(code, "MPI_T_pvar_read");
        match variable.bytes {
            4 => u32::from_ne_bytes(value[..4].try_into().expect("four bytes")).into(),
            _ => u64::from_ne_bytes(value),
        }
    }
}

/// What MPI tells about a variable.
struct Info {
    index: c_int,
    name: String,
    datatype: ffi::MPI_Datatype,
    /// Whether it counts without being started.
    continuous: bool,
}

impl Info {
    /// Nothing if the variable is gone.
    fn of(index: c_int) -> Option<Info> {
        let mut name = [0_u8; 256];
        let (mut name_length, mut description_length) = (name.len() as c_int, 0);
        let [mut verbosity, mut class, mut bind, mut read_only, mut continuous, mut atomic] =
            [0; 6];
        // SAFETY: a constant of the library.
        let mut datatype = unsafe { ffi::RSMPI_DATATYPE_NULL };
        // SAFETY: results and the buffer with its length outlive the call; no enumeration and no
        // description are asked for.
        let code = unsafe {
            ffi::MPI_T_pvar_get_info(
                index,
                name.as_mut_ptr().cast(),
                &mut name_length,
                &mut verbosity,
                &mut class,
                &mut datatype,
                null_mut(),
                null_mut(),
                &mut description_length,
                &mut bind,
                &mut read_only,
                &mut continuous,
                &mut atomic,
            )
        };
        let end = name.iter().position(|byte| *byte == 0)?;
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        (code == 0).then_some(Info { index, name, datatype, continuous: continuous != 0 })
    }

    fn open(&self, session: ffi::MPI_T_pvar_session) -> Result<Variable, String> {
        let (mut bytes, mut count) = (0, 0);
        // SAFETY: the datatype is one of the library's, and results outlive the calls. A variable that
        // belongs to an object is refused by MPI when there is none.
        let (handle, code, double) = unsafe {
            ok(ffi::MPI_Type_size(self.datatype, &mut bytes), "MPI_Type_size");
            let mut handle = std::mem::zeroed();
            let code = ffi::MPI_T_pvar_handle_alloc(
                session,
                self.index,
                null_mut(),
                &mut handle,
                &mut count,
            );
            (handle, code, self.datatype == ffi::RSMPI_DOUBLE)
        };
        if code != 0 {
            return Err(format!("{} can't be read: {}", self.name, error_text(code)));
        }
        if count != 1 || double || ![4, 8].contains(&bytes) {
            return Err(format!("{} is not one whole number", self.name));
        }
        if !self.continuous {
            // SAFETY: session and handle are valid.
            ok(unsafe { ffi::MPI_T_pvar_start(session, handle) }, "MPI_T_pvar_start");
        }
        Ok(Variable { handle, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_is_one_variable_or_two() {
        let quotient =
            |of: &str, by: Option<&str>| Quotient { of: of.into(), by: by.map(Into::into) };
        assert_eq!("a".parse(), Ok(quotient("a", None)));
        assert_eq!("a_b/c".parse(), Ok(quotient("a_b", Some("c"))));
        for text in ["a", "a/b"] {
            assert_eq!(text.parse::<Quotient>().unwrap().to_string(), text);
        }
        for wrong in ["", "/", "a/", "/b", "a/b/c"] {
            assert!(wrong.parse::<Quotient>().unwrap_err().contains(wrong), "{wrong}");
        }
    }
}
