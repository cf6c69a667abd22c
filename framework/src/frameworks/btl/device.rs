//! A device as a transport in Rust makes it.

use super::*;

/// A device of a transport in Rust: the numbers that others read and the transport's own state.
///
/// Its address is fixed from the start, because the host and the protocol layer keep it.
#[derive(Debug)]
pub struct Device<M> {
    view: *mut BtlModule,
    state: core::marker::PhantomData<Box<M>>,
}

// SAFETY: the view is constant once others see it, and the state is shared as `&M`.
unsafe impl<M: Send + Sync> Send for Device<M> {}
// SAFETY: see `Send`.
unsafe impl<M: Send + Sync> Sync for Device<M> {}

impl<M: Send + Sync> Device<M> {
    /// Makes a device. `view.state` is filled in.
    pub fn new(mut view: BtlModule, state: M) -> Self {
        view.state = Box::into_raw(Box::new(state)).cast();
        Self { view: Box::into_raw(Box::new(view)), state: core::marker::PhantomData }
    }

    /// What the others see; [`Btl::modules`] hands out an array of these.
    pub fn module(&self) -> *mut BtlModule {
        self.view
    }

    /// The transport's own state.
    pub fn state(&self) -> &M {
        // SAFETY: `new` boxed it, and `drop` frees it.
        unsafe { &*(*self.view).state.cast::<M>() }
    }
}

impl<M> Drop for Device<M> {
    fn drop(&mut self) {
        // SAFETY: `new` boxed both, and a device that is dropped is not used any more.
        unsafe {
            drop(Box::from_raw((*self.view).state.cast::<M>()));
            drop(Box::from_raw(self.view));
        }
    }
}
