//! The library: found at run time, so that nothing of it has to be there when this is built or when it is not
//! used.
//!
//! It is loaded once in a process and never unloaded: providers start threads, and other libraries may use it,
//! too.
//!
//! **Versions.** The layout of `fi_info` and of the structs that it leads to has changed three times, and the
//! functions that take it have a version each in the file. The bindings are of the third, `FABRIC_1.3`, which
//! releases since 1.5 have, later ones besides their own. So the functions are asked for by this version, and a
//! library without it (a build without versions) is taken only where its own layout is this one.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use cairn_framework::author::Failure;
use cairn_transport::Signals;

use crate::bindings::{fi_fabric_attr, fi_info, fid_fabric};

const NAME: &str = "libfabric.so.1";

/// The interface that is asked for, the newest that the bindings know; and the oldest.
const WANTED: [u32; 3] = [version(1, 17), version(1, 14), version(1, 9)];
const OLDEST: u32 = WANTED[2];
/// The newest release whose own layout is that of the bindings.
const SAME: u32 = version(1, 19);

type GetInfo = unsafe extern "C" fn(
    u32,
    *const c_char,
    *const c_char,
    u64,
    *const fi_info,
    *mut *mut fi_info,
) -> c_int;

/// The functions that are not in tables.
pub struct Library {
    pub getinfo: GetInfo,
    pub freeinfo: unsafe extern "C" fn(*mut fi_info),
    pub dupinfo: unsafe extern "C" fn(*const fi_info) -> *mut fi_info,
    pub fabric:
        unsafe extern "C" fn(*mut fi_fabric_attr, *mut *mut fid_fabric, *mut c_void) -> c_int,
    strerror: unsafe extern "C" fn(c_int) -> *const c_char,
    /// What the file says that it is.
    pub version: u32,
}

const fn version(major: u32, minor: u32) -> u32 {
    major << 16 | minor
}

/// A version as people write it.
pub fn written(version: u32) -> String {
    format!("{}.{}", version >> 16, version & 0xffff)
}

impl Library {
    /// The library, loaded if it was not yet.
    ///
    /// # Errors
    /// `CAIRN_ERR_UNAVAILABLE` when there is none, or none that can be used.
    pub fn get() -> Result<&'static Self, Failure> {
        static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
        LIBRARY.get_or_init(load).as_ref().map_err(|text| Failure::unavailable(text.clone()))
    }

    /// The versions of the interface to ask for, one after the other until one is known.
    pub fn interfaces(&self) -> impl Iterator<Item = u32> {
        let most = self.version;
        WANTED.into_iter().filter(move |wanted| *wanted <= most)
    }

    /// What an error number means; libfabric returns it negative.
    pub fn explain(&self, error: c_int) -> String {
        // SAFETY: the function takes any number and returns a constant string.
        let text = unsafe { (self.strerror)(error.abs()) };
        if text.is_null() {
            return format!("error {error}");
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

fn load() -> Result<Library, String> {
    use libloading::os::unix::{Library as File, RTLD_LOCAL, RTLD_NOW};

    let _signals = Signals::save();
    keep_hooks_away();
    // SAFETY: initialization of the library and of those that it needs; what it does to signals is undone.
    let file = unsafe { File::open(Some(NAME), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| format!("{NAME} not found: {error}"))?;
    // Never closed.
    let file = file.into_raw();
    let find = |name: &CStr, version: &CStr| {
        // SAFETY: a handle that stays open, and strings.
        unsafe { libc::dlvsym(file, name.as_ptr(), version.as_ptr()) }
    };
    let plain = |name: &CStr| {
        // SAFETY: as above.
        unsafe { libc::dlsym(file, name.as_ptr()) }
    };
    let missing = |name: &CStr| format!("{NAME} has no {}", name.to_string_lossy());

    let address = plain(c"fi_version");
    if address.is_null() {
        return Err(missing(c"fi_version"));
    }
    // SAFETY: that is its type in every version.
    let said =
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> u32>(address)() };
    if said < OLDEST {
        let (said, oldest) = (written(said), written(OLDEST));
        return Err(format!("{NAME} is {said}; at least {oldest} is needed"));
    }
    let versioned = |name: &CStr, version: &CStr| match find(name, version) {
        address if !address.is_null() => Ok(address),
        _ if said > SAME => Err(format!("{} as of {}", missing(name), version.to_string_lossy())),
        _ => match plain(name) {
            address if !address.is_null() => Ok(address),
            _ => Err(missing(name)),
        },
    };
    let (getinfo, freeinfo, dupinfo) = (
        versioned(c"fi_getinfo", c"FABRIC_1.3")?,
        versioned(c"fi_freeinfo", c"FABRIC_1.3")?,
        versioned(c"fi_dupinfo", c"FABRIC_1.3")?,
    );
    let fabric = versioned(c"fi_fabric", c"FABRIC_1.1")?;
    let strerror = versioned(c"fi_strerror", c"FABRIC_1.0")?;
    // SAFETY: those are their types in these versions.
    unsafe {
        use std::mem::transmute;
        Ok(Library {
            getinfo: transmute::<*mut c_void, GetInfo>(getinfo),
            freeinfo: transmute::<*mut c_void, unsafe extern "C" fn(*mut fi_info)>(freeinfo),
            dupinfo: transmute::<*mut c_void, unsafe extern "C" fn(*const fi_info) -> *mut fi_info>(
                dupinfo,
            ),
            fabric: transmute::<
                *mut c_void,
                unsafe extern "C" fn(
                    *mut fi_fabric_attr,
                    *mut *mut fid_fabric,
                    *mut c_void,
                ) -> c_int,
            >(fabric),
            strerror: transmute::<*mut c_void, unsafe extern "C" fn(c_int) -> *const c_char>(
                strerror,
            ),
            version: said,
        })
    }
}

/// Has providers do without a cache of registrations, for which they would hook into the functions of this
/// process that give memory back. There is no other way to say so than the environment, which the library reads
/// once, while it is loaded; a value that somebody has set is left.
fn keep_hooks_away() {
    const NAME: &CStr = c"FI_MR_CACHE_MONITOR";
    // SAFETY: the strings are constant. Another thread that changes the environment at the same moment has the
    // fault that it would have with any library's; the component is loaded while MPI starts, before it has
    // threads, and only where it is to be used.
    unsafe { libc::setenv(NAME.as_ptr(), c"disabled".as_ptr(), 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(version(1, 9) < version(1, 17) && version(1, 99) < version(2, 0));
        assert_eq!(written(version(1, 17)), "1.17");
    }
}
