//! The memory of objects that programs hold handles of.
//!
//! A handle is an address, and programs hand in stale ones and ones of another class. So the memory
//! of an object is never used for anything else: it begins with a mark that says which class it is
//! and whether it lives, and when the object is gone the next one of its class gets the memory.

use std::mem::MaybeUninit;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};

use std::cell::UnsafeCell;

use cairn_framework::audit::Counted;
use cairn_framework::author::Mutex;

/// Whether several threads may count references at a time.
static THREADED: AtomicBool = AtomicBool::new(true);

/// Says whether several threads may call MPI at a time; for `MPI_Init`.
pub fn set_threaded(threaded: bool) {
    THREADED.store(threaded, Ordering::Relaxed);
}

/// A class of objects.
pub trait Class: Sized + Send + Sync + 'static {
    /// The mark of its living objects; different for every class, and never 0.
    const MARK: u32;

    /// Where memory of its objects lies that are gone.
    fn spare() -> &'static Spare<Self>;

    /// The last reference to an object is gone: drops it, now or later.
    fn end(object: &'static Object<Self>) {
        object.drop_body();
    }
}

/// Memory of objects that are gone.
pub struct Spare<T: 'static>(Mutex<Vec<&'static Object<T>>>);

impl<T> Spare<T> {
    /// None yet.
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// An object: what a handle leads to.
#[repr(C)]
pub struct Object<T> {
    /// [`Class::MARK`] while handles of it are valid, 0 after.
    mark: AtomicU32,
    /// What needs the object: its handle, and operations that have not ended.
    references: AtomicU32,
    body: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: the body is only written while no other thread knows the object, and read as `&T`.
unsafe impl<T: Send + Sync> Sync for Object<T> {}

impl<T: Class> Object<T> {
    /// A new object, with one reference: that of its handle.
    pub fn make(body: T) -> &'static Self {
        let spare = T::spare().0.lock().pop();
        let object = spare.unwrap_or_else(|| {
            Box::leak(Box::new(Self {
                mark: AtomicU32::new(0),
                references: AtomicU32::new(0),
                body: UnsafeCell::new(MaybeUninit::uninit()),
            }))
        });
        // SAFETY: new, or gone: there is no reference to the body.
        unsafe { (*object.body.get()).write(body) };
        object.references.store(1, Ordering::Relaxed);
        // Release pairs with the Acquire in `at`: a thread that sees the mark sees the body.
        object.mark.store(T::MARK, Ordering::Release);
        object
    }

    /// The object that a program names by its address; none if no living object of this class
    /// lies there.
    ///
    /// # Safety
    /// The address is that of an object of some class, living or gone, or at least of readable memory.
    #[inline(always)]
    pub unsafe fn at(address: *mut Self) -> Option<&'static Self> {
        if !address.is_aligned() {
            return None;
        }
        // SAFETY: promised by the caller.
        let object = unsafe { &*address };
        (object.mark.load(Ordering::Acquire) == T::MARK).then_some(object)
    }

    /// The object that has this body.
    ///
    /// # Safety
    /// It is the body of one, which lives.
    pub unsafe fn of_body(body: *const T) -> &'static Self {
        // SAFETY: promised by the caller.
        unsafe { &*body.byte_sub(std::mem::offset_of!(Self, body)).cast() }
    }

    /// The address that handles of it are made from.
    pub fn address(&'static self) -> *mut Self {
        std::ptr::from_ref(self).cast_mut()
    }

    /// Its handles are not valid any more; the reference of the handle goes. False if another thread
    /// was faster.
    pub fn close(&'static self) -> bool {
        let closed = self.mark.rmw().swap(0, Ordering::AcqRel) == T::MARK;
        if closed {
            self.release();
        }
        closed
    }

    /// The object has one more user.
    #[inline]
    pub fn retain(&self) {
        if THREADED.load(Ordering::Relaxed) {
            self.references.rmw().fetch_add(1, Ordering::Relaxed);
        } else {
            self.references.store(self.references.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    /// The object has one user less; the last one drops it.
    #[inline]
    pub fn release(&'static self) {
        let before = if THREADED.load(Ordering::Relaxed) {
            // Release: what was done with the object comes before the drop.
            self.references.rmw().fetch_sub(1, Ordering::Release)
        } else {
            let before = self.references.load(Ordering::Relaxed);
            self.references.store(before - 1, Ordering::Relaxed);
            before
        };
        if before == 1 {
            fence(Ordering::Acquire);
            T::end(self);
        }
    }

    /// Drops the object. For [`Class::end`], once.
    #[cold]
    pub fn drop_body(&'static self) {
        debug_assert!(self.references.load(Ordering::Relaxed) == 0, "the object is in use");
        // SAFETY: the last reference is gone, and `make` had written the body.
        unsafe { (*self.body.get()).assume_init_drop() };
        T::spare().0.lock().push(self);
    }
}

impl<T: Class> Deref for Object<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: written by `make`; dropped when there is no reference to the object any more.
        unsafe { (*self.body.get()).assume_init_ref() }
    }
}

/// Makes a type a class; with a function of its own for the end of an object, if there is one.
macro_rules! class {
    ($type:ty, $mark:literal $(, $end:path)?) => {
        impl $crate::objects::arena::Class for $type {
            const MARK: u32 = u32::from_le_bytes(*$mark);

            fn spare() -> &'static $crate::objects::arena::Spare<Self> {
                static SPARE: $crate::objects::arena::Spare<$type> =
                    $crate::objects::arena::Spare::new();
                &SPARE
            }
            $(
                fn end(object: &'static $crate::objects::arena::Object<Self>) {
                    $end(object);
                }
            )?
        }
    };
}
pub(crate) use class;

#[cfg(test)]
mod tests {
    use super::*;

    struct One(#[allow(dead_code)] u64);
    struct Other(#[allow(dead_code)] u64);
    class!(One, b"one ");
    class!(Other, b"othe");

    #[test]
    fn only_living_objects_of_the_class_are_found() {
        let object = Object::make(One(1));
        let address = object.address();
        // SAFETY: an object lies there, all the time.
        unsafe {
            assert!(Object::at(address).is_some());
            assert!(Object::<Other>::at(address.cast()).is_none());
            assert!(Object::<One>::at(address.byte_add(1)).is_none());
            object.retain();
            assert!(object.close() && !object.close());
            assert!(Object::at(address).is_none());
            object.release();
            assert_eq!(Object::make(One(2)).address(), address);
        }
    }
}
