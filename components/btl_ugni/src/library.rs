//! The library: found at run time, so that nothing of it has to be there when this is built or when it is not
//! used. It is loaded once in a process and never unloaded.

use std::ffi::CStr;
use std::fmt::Display;
use std::ops::Deref;
use std::sync::OnceLock;

use cairn_framework::abi::status::{
    ERR_ARGUMENT, ERR_NOT_FOUND, ERR_OTHER, ERR_RESOURCES, ERR_UNSUPPORTED, Status,
};
use cairn_framework::author::Failure;
use cairn_transport::Signals;
use libloading::os::unix::{self, RTLD_LOCAL, RTLD_NOW};

use crate::bindings::*;

const NAME: &str = "libugni.so.0";

/// A function that old releases do not have.
type JobResources = unsafe extern "C" fn(u32, u8, u32, *mut gni_job_res_desc_t) -> gni_return_t;

/// The loaded library.
pub struct Library {
    functions: Ugni,
    job_resources: Option<JobResources>,
}

impl Deref for Library {
    type Target = Ugni;

    fn deref(&self) -> &Ugni {
        &self.functions
    }
}

impl Library {
    /// The library, loaded if it was not yet.
    ///
    /// # Errors
    /// `CAIRN_ERR_UNAVAILABLE` when there is none, or it lacks a function.
    pub fn get() -> Result<&'static Self, Failure> {
        static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
        LIBRARY.get_or_init(load).as_ref().map_err(|text| Failure::unavailable(text.clone()))
    }

    /// A failure, if an answer is one.
    pub fn check(&self, what: impl Display, answer: gni_return_t) -> Result<(), Failure> {
        match answer {
            GNI_RC_SUCCESS => Ok(()),
            other => Err(Failure::new(meaning(other), format!("{what}: {}", explain(other)))),
        }
    }

    /// How much there is of a resource on this node for the whole job, if the library says so.
    pub fn limit(&self, device: u32, tag: u8, resource: u32) -> Option<u64> {
        let mut answer = gni_job_res_desc_t { used: 0, limit: 0 };
        // SAFETY: the function has this type, and there is room for its answer.
        let asked = unsafe { self.job_resources?(device, tag, resource, &raw mut answer) };
        (asked == GNI_RC_SUCCESS && answer.limit > 0).then_some(answer.limit)
    }

    /// Whether it is a Gemini network, which has fewer atomics and wants huge pages for mailboxes.
    pub fn is_gemini(&self) -> Result<bool, Failure> {
        let mut kind = GNI_DEVICE_ARIES;
        // SAFETY: there is room for the answer.
        self.check("the type of the network", unsafe { self.GNI_GetDeviceType(&raw mut kind) })?;
        Ok(kind == GNI_DEVICE_GEMINI)
    }

    /// What an event with an error says, and whether the same may be tried again.
    pub fn error(&self, entry: gni_cq_entry_t) -> (String, bool) {
        let (mut text, mut recoverable) = ([0; 256], 0);
        // SAFETY: there is room for the answers, and a text ends in a zero.
        unsafe {
            if self.GNI_CqErrorRecoverable(entry, &raw mut recoverable) != GNI_RC_SUCCESS {
                recoverable = 0;
            }
            let written = self.GNI_CqErrorStr(entry, text.as_mut_ptr(), text.len() as u32);
            text[text.len() - 1] = 0;
            let said = match written {
                GNI_RC_SUCCESS => CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned(),
                _ => "a transaction has failed".into(),
            };
            (said, recoverable != 0)
        }
    }
}

/// What an answer is called.
pub fn explain(answer: gni_return_t) -> &'static str {
    match answer {
        GNI_RC_SUCCESS => "success",
        GNI_RC_NOT_DONE => "not done",
        GNI_RC_INVALID_PARAM => "invalid parameter",
        GNI_RC_ERROR_RESOURCE => "no resource left",
        GNI_RC_TIMEOUT => "timeout",
        GNI_RC_PERMISSION_ERROR => "permission denied",
        GNI_RC_DESCRIPTOR_ERROR => "wrong descriptor",
        GNI_RC_ALIGNMENT_ERROR => "wrong alignment",
        GNI_RC_INVALID_STATE => "invalid state",
        GNI_RC_NO_MATCH => "no match",
        GNI_RC_SIZE_ERROR => "wrong size",
        GNI_RC_TRANSACTION_ERROR => "transaction error",
        GNI_RC_ILLEGAL_OP => "illegal operation",
        GNI_RC_ERROR_NOMEM => "no memory",
        _ => "an unknown error",
    }
}

/// The status that says the same.
fn meaning(answer: gni_return_t) -> Status {
    match answer {
        GNI_RC_INVALID_PARAM | GNI_RC_ALIGNMENT_ERROR | GNI_RC_INVALID_STATE => ERR_ARGUMENT,
        GNI_RC_ERROR_RESOURCE | GNI_RC_ERROR_NOMEM => ERR_RESOURCES,
        GNI_RC_NO_MATCH => ERR_NOT_FOUND,
        GNI_RC_ILLEGAL_OP => ERR_UNSUPPORTED,
        _ => ERR_OTHER,
    }
}

fn load() -> Result<Library, String> {
    let _signals = Signals::save();
    // SAFETY: the library's constructors are made to run in any process; the functions have these types.
    unsafe {
        let file = unix::Library::open(Some(NAME), RTLD_NOW | RTLD_LOCAL);
        let file = file.map_err(|error| format!("{NAME} not found: {error}"))?;
        let found = file.get::<JobResources>(b"GNI_GetJobResInfo\0");
        let job_resources = found.ok().map(|function| *function);
        let functions = Ugni::from_library(file).map_err(|error| format!("{NAME}: {error}"))?;
        Ok(Library { functions, job_resources })
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    /// Facts about the library's structs, which no header of its own was at hand for.
    #[test]
    fn layouts_are_those_of_the_library() {
        assert_eq!((size_of::<gni_mem_handle_t>(), size_of::<gni_smsg_attr_t>()), (16, 56));
        assert_eq!(size_of::<gni_post_descriptor_t>(), 184);
        assert_eq!(offset_of!(gni_smsg_attr_t, mem_hndl), 24);
        assert_eq!(offset_of!(gni_smsg_attr_t, mbox_maxcredit), 44);
        assert_eq!(offset_of!(gni_post_descriptor_t, cq_mode), 40);
        assert_eq!(offset_of!(gni_post_descriptor_t, remote_mem_hndl), 80);
        assert_eq!(offset_of!(gni_post_descriptor_t, src_cq_hndl), 112);
        assert_eq!(offset_of!(gni_post_descriptor_t, first_operand), 144);
    }

    #[test]
    fn answers_have_words_and_a_status() {
        assert_eq!((meaning(GNI_RC_ERROR_NOMEM), meaning(99)), (ERR_RESOURCES, ERR_OTHER));
        assert_ne!(explain(GNI_RC_NOT_DONE), explain(99));
    }
}
