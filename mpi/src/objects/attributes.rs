//! Values that programs attach to objects (MPI 5.0, section 7.7).
//!
//! ```text
//!   keyval ──► Keyval { functions, extra state } ◄── Attribute { key, value } ── object
//! ```
//!
//! Objects hold a reference to the key of each of their attributes. A key that was freed stays as long
//! as there is one, and until then copies of its handle work as before (MPI 5.0, section 7.7.2).
//! Functions of the program are called without any lock: they may use attributes themselves, and free
//! keys.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use cairn_framework::author::Mutex;

use crate::abi::args::Copying;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Comm, Datatype, Win};
use crate::error::{Error, Result};
use crate::{codes, objects, runtime};

/// A class of objects that have attributes, by its handles.
pub trait Holder: Copy + 'static {
    /// The keys of the class.
    fn keyvals() -> &'static Keyvals<Self>;

    /// The value of a predefined attribute: the address of an `int`. `None` if the class has no such
    /// attribute, `Some(None)` if its value is not known, or each object has its own.
    fn predefined(key: c_int) -> Option<Option<*mut c_void>>;
}

/// Keys by number.
pub type Keyvals<H> = LazyLock<Mutex<HashMap<c_int, Known<H>>>>;

/// A key in the list of all keys.
pub enum Known<H: Holder> {
    /// Its handle was not freed.
    Handle(Arc<Keyval<H>>),
    /// It was; the key lives as long as an attribute has it.
    Freed(Weak<Keyval<H>>),
}

/// Decides whether and how an attribute is copied to a duplicate.
pub type CopyFunction<H> =
    unsafe extern "C" fn(H, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// Is called when an attribute is deleted.
pub type DeleteFunction<H> = unsafe extern "C" fn(H, c_int, *mut c_void, *mut c_void) -> c_int;

/// A key.
pub struct Keyval<H: Holder> {
    key: c_int,
    copy: Copying<CopyFunction<H>>,
    delete: Option<DeleteFunction<H>>,
    extra: *mut c_void,
}

// SAFETY: the pointer is the program's own and only handed back to it.
unsafe impl<H: Holder> Send for Keyval<H> {}
// SAFETY: as above.
unsafe impl<H: Holder> Sync for Keyval<H> {}

impl<H: Holder> Drop for Keyval<H> {
    /// It was freed, and its last attribute is gone.
    fn drop(&mut self) {
        H::keyvals().lock().remove(&self.key);
    }
}

/// The attributes of an object, in the order in which they were set.
pub struct Attributes<H: Holder = Comm>(Vec<Attribute<H>>);

struct Attribute<H: Holder> {
    key: c_int,
    keyval: Arc<Keyval<H>>,
    value: *mut c_void,
}

// SAFETY: as for `Keyval`.
unsafe impl<H: Holder> Send for Attribute<H> {}

impl<H: Holder> Clone for Attribute<H> {
    fn clone(&self) -> Self {
        Self { keyval: self.keyval.clone(), ..*self }
    }
}

impl<H: Holder> Default for Attributes<H> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<H: Holder> Attributes<H> {
    fn find(&self, key: c_int) -> Option<Attribute<H>> {
        self.0.iter().find(|attribute| attribute.key == key).cloned()
    }

    /// Whether an attribute is there that was there before, with the same value.
    fn has(&self, known: &Attribute<H>) -> bool {
        self.0.iter().any(|own| own.key == known.key && own.value == known.value)
    }

    /// Takes an attribute away, unless another thread has done so or changed it.
    fn remove(&mut self, gone: &Attribute<H>) {
        self.0.retain(|own| own.key != gone.key || own.value != gone.value);
    }
}

/// Makes a key and returns its number, which no other key ever has.
pub fn create<H: Holder>(
    copy: Copying<CopyFunction<H>>,
    delete: Option<DeleteFunction<H>>,
    extra: *mut c_void,
) -> Result<c_int> {
    /// Above the predefined ones.
    static NEXT: AtomicI32 = AtomicI32::new(0x1000);
    let next = |key: c_int| key.checked_add(1);
    let key = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    let key = key.map_err(|_| Error::new(MPI_ERR_NO_MEM, "all attribute keys are used up"))?;
    let keyval = Known::Handle(Arc::new(Keyval { key, copy, delete, extra }));
    H::keyvals().lock().insert(key, keyval);
    Ok(key)
}

/// Frees a key; attributes that have it stay. Freeing it again while there are some changes nothing.
pub fn free<H: Holder>(key: c_int) -> Result<()> {
    changeable::<H>(key)?;
    let keyval = find::<H>(key)?;
    let freed = Known::Freed(Arc::downgrade(&keyval));
    let before = H::keyvals().lock().insert(key, freed);
    // Without the lock, which is taken where the last reference goes.
    drop((before, keyval));
    Ok(())
}

/// A key that was not freed or is in use.
fn find<H: Holder>(key: c_int) -> Result<Arc<Keyval<H>>> {
    let keyval = match H::keyvals().lock().get(&key) {
        Some(Known::Handle(keyval)) => Some(keyval.clone()),
        Some(Known::Freed(keyval)) => keyval.upgrade(),
        None => None,
    };
    keyval.ok_or_else(|| unknown(key))
}

#[cold]
fn unknown(key: c_int) -> Error {
    Error::argument(MPI_ERR_KEYVAL, "keyval", key, "no key of this class has this number")
}

fn changeable<H: Holder>(key: c_int) -> Result<()> {
    match H::predefined(key) {
        None => Ok(()),
        Some(_) => {
            let text = "predefined attributes can't be changed";
            Err(Error::argument(MPI_ERR_KEYVAL, "keyval", key, text))
        }
    }
}

/// The value of an attribute, if the object has it.
pub fn get<H: Holder>(held: &Mutex<Attributes<H>>, key: c_int) -> Result<Option<*mut c_void>> {
    if let Some(found) = held.lock().find(key) {
        return Ok(Some(found.value));
    }
    if let Some(predefined) = H::predefined(key) {
        return Ok(predefined);
    }
    find::<H>(key).map(|_| None)
}

/// Sets an attribute. An old value is deleted first.
pub fn set<H: Holder>(
    held: &Mutex<Attributes<H>>,
    handle: H,
    key: c_int,
    value: *mut c_void,
) -> Result<()> {
    changeable::<H>(key)?;
    let keyval = find::<H>(key)?;
    let old = held.lock().find(key);
    if let Some(old) = old {
        delete_one(held, handle, &old)?;
    }
    held.lock().0.push(Attribute { key, keyval, value });
    Ok(())
}

/// Deletes an attribute, if the object has it.
pub fn delete<H: Holder>(held: &Mutex<Attributes<H>>, handle: H, key: c_int) -> Result<()> {
    changeable::<H>(key)?;
    let found = held.lock().find(key);
    match found {
        Some(found) => delete_one(held, handle, &found),
        None => find::<H>(key).map(|_| ()),
    }
}

/// Asks the program's function; the attribute stays if that fails.
fn delete_one<H: Holder>(
    held: &Mutex<Attributes<H>>,
    handle: H,
    attribute: &Attribute<H>,
) -> Result<()> {
    let Attribute { key, keyval, value } = attribute;
    if let Some(function) = keyval.delete {
        // SAFETY: the program vouches for its function.
        let code = unsafe { function(handle, *key, *value, keyval.extra) };
        said("delete", *key, code)?;
    }
    held.lock().remove(attribute);
    Ok(())
}

/// What a function of the program returned.
fn said(what: &str, key: c_int, code: c_int) -> Result<()> {
    match code {
        MPI_SUCCESS => Ok(()),
        code => Err(Error::new(code, format!("the {what} function of attribute {key} failed"))),
    }
}

/// Deletes all attributes of an object, the last one first. A function that is called for one may
/// delete others.
pub fn delete_all<H: Holder>(held: &Mutex<Attributes<H>>, handle: H) -> Result<()> {
    let all = held.lock().0.clone();
    all.iter().rev().try_for_each(|attribute| {
        let there = held.lock().has(attribute);
        if there { delete_one(held, handle, attribute) } else { Ok(()) }
    })
}

/// Copies the attributes of an object to its duplicate, as the program's functions say, the first
/// one first. If one of them fails, those that were copied are deleted again.
pub fn copy_all<H: Holder>(
    from: &Mutex<Attributes<H>>,
    handle: H,
    to: &Mutex<Attributes<H>>,
    duplicate: H,
) -> Result<()> {
    let all = from.lock().0.clone();
    for attribute in all {
        // The function of another one may have deleted it.
        if !from.lock().has(&attribute) {
            continue;
        }
        match copy_one(&attribute, handle) {
            Ok(None) => {}
            Ok(Some(value)) => to.lock().0.push(Attribute { value, ..attribute }),
            Err(error) => {
                delete_all(to, duplicate)?;
                return Err(error);
            }
        }
    }
    Ok(())
}

/// The value for the duplicate, if it gets one.
fn copy_one<H: Holder>(attribute: &Attribute<H>, handle: H) -> Result<Option<*mut c_void>> {
    let Attribute { key, keyval, value } = attribute;
    match keyval.copy {
        Copying::Never => Ok(None),
        Copying::Always => Ok(Some(*value)),
        Copying::Ask(function) => {
            let (mut copy, mut flag) = (std::ptr::null_mut::<c_void>(), 0);
            let out = (&raw mut copy).cast();
            // SAFETY: the program vouches for its function; the results are variables.
            let code = unsafe { function(handle, *key, keyval.extra, *value, out, &raw mut flag) };
            said("copy", *key, code)?;
            Ok((flag != 0).then_some(copy))
        }
    }
}

impl Holder for Comm {
    fn keyvals() -> &'static Keyvals<Self> {
        static KEYVALS: Keyvals<Comm> = LazyLock::new(Mutex::default);
        &KEYVALS
    }

    /// All communicators have those of `MPI_COMM_WORLD` (MPI 5.0, section 9.1.2).
    fn predefined(key: c_int) -> Option<Option<*mut c_void>> {
        static TAG_UB: AtomicI32 = AtomicI32::new(objects::TAG_UB);
        static HOST: AtomicI32 = AtomicI32::new(MPI_PROC_NULL);
        static IO: AtomicI32 = AtomicI32::new(MPI_ANY_SOURCE);
        static WTIME_IS_GLOBAL: AtomicI32 = AtomicI32::new(0);
        static APPNUM: AtomicI32 = AtomicI32::new(0);
        static UNIVERSE_SIZE: AtomicI32 = AtomicI32::new(0);
        static LASTUSEDCODE: AtomicI32 = AtomicI32::new(MPI_ERR_LASTCODE);
        let told = || runtime::current().map(|runtime| runtime.appnum_and_universe());
        let (cell, value) = match key {
            MPI_TAG_UB => (&TAG_UB, Some(objects::TAG_UB)),
            MPI_HOST => (&HOST, Some(MPI_PROC_NULL)),
            MPI_IO => (&IO, Some(MPI_ANY_SOURCE)),
            MPI_WTIME_IS_GLOBAL => (&WTIME_IS_GLOBAL, Some(one_node().into())),
            MPI_APPNUM => (&APPNUM, told().and_then(|(appnum, _)| appnum)),
            MPI_UNIVERSE_SIZE => (&UNIVERSE_SIZE, told().and_then(|(_, universe)| universe)),
            MPI_LASTUSEDCODE => (&LASTUSEDCODE, Some(codes::last_used())),
            _ => return None,
        };
        Some(value.map(|value| {
            // Programs read it through the pointer at any time, so it is written only where it changes.
            // Acquire pairs with the Release of the thread that wrote it.
            if cell.load(Ordering::Acquire) != value {
                cell.store(value, Ordering::Release);
            }
            cell.as_ptr().cast()
        }))
    }
}

/// Whether all processes of the job share one clock.
fn one_node() -> bool {
    runtime::current().is_some_and(|runtime| {
        let job = runtime.system.job();
        job.local_size == job.size
    })
}

impl Holder for Datatype {
    fn keyvals() -> &'static Keyvals<Self> {
        static KEYVALS: Keyvals<Datatype> = LazyLock::new(Mutex::default);
        &KEYVALS
    }

    fn predefined(_key: c_int) -> Option<Option<*mut c_void>> {
        None
    }
}

impl Holder for Win {
    fn keyvals() -> &'static Keyvals<Self> {
        static KEYVALS: Keyvals<Win> = LazyLock::new(Mutex::default);
        &KEYVALS
    }

    fn predefined(key: c_int) -> Option<Option<*mut c_void>> {
        let own =
            [MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL];
        own.contains(&key).then_some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::without_provenance_mut;

    /// What the functions of a test were called with: a letter and the value.
    type Log = Mutex<Vec<(char, usize)>>;

    /// Copies a value as the next one; refuses 66, and keeps 50 to itself.
    unsafe extern "C" fn copy(
        _: Datatype,
        _: c_int,
        log: *mut c_void,
        value: *mut c_void,
        new: *mut c_void,
        flag: *mut c_int,
    ) -> c_int {
        // SAFETY: the tests make keys with a log; the rest is what the caller promises.
        unsafe {
            (*log.cast::<Log>()).lock().push(('c', value.addr()));
            new.cast::<*mut c_void>().write(without_provenance_mut(value.addr() + 1));
            flag.write((value.addr() != 50).into());
        }
        if value.addr() == 66 { MPI_ERR_OTHER } else { MPI_SUCCESS }
    }

    /// Refuses 99.
    unsafe extern "C" fn delete(
        _: Datatype,
        _: c_int,
        value: *mut c_void,
        log: *mut c_void,
    ) -> c_int {
        // SAFETY: as above.
        unsafe { (*log.cast::<Log>()).lock().push(('d', value.addr())) };
        if value.addr() == 99 { MPI_ERR_INTERN } else { MPI_SUCCESS }
    }

    struct Test {
        log: Log,
        held: Mutex<Attributes<Datatype>>,
    }

    impl Test {
        fn new() -> Self {
            Self { log: Log::default(), held: Mutex::default() }
        }

        fn key(&self) -> c_int {
            let log = std::ptr::from_ref(&self.log).cast_mut().cast();
            create::<Datatype>(Copying::Ask(copy), Some(delete), log).unwrap()
        }

        fn set(&self, key: c_int, value: usize) -> Result<()> {
            set(&self.held, MPI_INT, key, without_provenance_mut(value))
        }

        fn get(&self, key: c_int) -> Option<usize> {
            get(&self.held, key).unwrap().map(|value| value.addr())
        }

        fn log(&self) -> Vec<(char, usize)> {
            std::mem::take(&mut self.log.lock())
        }
    }

    #[test]
    fn values_are_deleted_when_they_are_replaced() {
        let test = Test::new();
        let key = test.key();
        assert_eq!(test.get(key), None);
        test.set(key, 1).unwrap();
        test.set(key, 2).unwrap();
        assert_eq!((test.get(key), test.log()), (Some(2), vec![('d', 1)]));
        delete_by(&test, key).unwrap();
        delete_by(&test, key).unwrap();
        assert_eq!((test.get(key), test.log()), (None, vec![('d', 2)]));
        test.set(key, 99).unwrap();
        assert_eq!(delete_by(&test, key).unwrap_err().code(), MPI_ERR_INTERN);
        assert_eq!(test.set(key, 1).unwrap_err().code(), MPI_ERR_INTERN);
        assert_eq!(test.get(key), Some(99));
    }

    fn delete_by(test: &Test, key: c_int) -> Result<()> {
        super::delete(&test.held, MPI_INT, key)
    }

    #[test]
    fn a_freed_key_stays_with_its_attributes() {
        let test = Test::new();
        let key = test.key();
        test.set(key, 1).unwrap();
        free::<Datatype>(key).unwrap();
        free::<Datatype>(key).unwrap();
        let other = Test::new();
        assert_eq!((test.get(key), other.get(key)), (Some(1), None));
        test.set(key, 2).unwrap();
        other.set(key, 3).unwrap();
        delete_by(&test, key).unwrap();
        assert_eq!((test.get(key), other.get(key)), (None, Some(3)));
        delete_by(&other, key).unwrap();
        assert_eq!(test.log(), [('d', 1), ('d', 2), ('d', 3)]);
        for result in [free::<Datatype>(key), test.set(key, 4), delete_by(&test, key)] {
            assert_eq!(result.unwrap_err().code(), MPI_ERR_KEYVAL);
        }
        assert!(!<Datatype as Holder>::keyvals().lock().contains_key(&key));
    }

    #[test]
    fn keys_that_threads_free_and_use_end_once() {
        let test = Test::new();
        for _ in 0..200 {
            let key = test.key();
            test.set(key, 1).unwrap();
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        let held = Mutex::default();
                        let value = without_provenance_mut(7);
                        // Whether it comes in time or not, it does nothing by halves.
                        let there = set(&held, MPI_INT, key, value).is_ok();
                        assert_eq!(super::delete(&held, MPI_INT, key).is_ok(), there);
                    });
                }
                free::<Datatype>(key).unwrap();
                delete_by(&test, key).unwrap();
            });
            assert_eq!(free::<Datatype>(key).unwrap_err().code(), MPI_ERR_KEYVAL);
        }
        assert!(test.log().iter().filter(|call| **call == ('d', 1)).count() == 200);
    }

    #[test]
    fn copies_go_forward_and_deletions_backward() {
        let (test, to) = (Test::new(), Mutex::default());
        let keys = [(); 3].map(|()| test.key());
        for (key, value) in keys.into_iter().zip([10, 50, 30]) {
            test.set(key, value).unwrap();
        }
        copy_all(&test.held, MPI_INT, &to, MPI_CHAR).unwrap();
        assert_eq!(test.log(), [('c', 10), ('c', 50), ('c', 30)]);
        let copied = keys.map(|key| get(&to, key).unwrap().map(|value| value.addr()));
        assert_eq!(copied, [Some(11), None, Some(31)]);
        delete_all(&to, MPI_CHAR).unwrap();
        assert_eq!(test.log(), [('d', 31), ('d', 11)]);

        test.set(keys[1], 66).unwrap();
        test.log();
        let failed = copy_all(&test.held, MPI_INT, &to, MPI_CHAR);
        assert_eq!(failed.unwrap_err().code(), MPI_ERR_OTHER);
        let what = [('c', 10), ('c', 30), ('c', 66), ('d', 31), ('d', 11)];
        assert_eq!(test.log(), what);
        assert!(to.lock().0.is_empty());
    }

    #[test]
    fn predefined_ones_are_read_only() {
        let held = Mutex::new(Attributes::<Comm>::default());
        let value = get(&held, MPI_TAG_UB).unwrap().unwrap();
        // SAFETY: the address of an `int`.
        assert_eq!(unsafe { value.cast::<c_int>().read() }, objects::TAG_UB);
        let null = std::ptr::null_mut();
        for result in [
            set(&held, MPI_COMM_WORLD, MPI_TAG_UB, null),
            super::delete(&held, MPI_COMM_WORLD, MPI_IO),
            free::<Comm>(MPI_HOST),
            free::<Comm>(MPI_KEYVAL_INVALID),
        ] {
            assert_eq!(result.unwrap_err().code(), MPI_ERR_KEYVAL);
        }
        assert_eq!(get(&held, MPI_APPNUM).unwrap(), None);
    }
}
