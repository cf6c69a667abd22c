//! libfabric's objects, closed when they are dropped. Nearly all of its functions are in tables that the objects
//! lead to.
//!
//! Errors are libfabric's numbers, above zero.

use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

use cairn_segment::Claim;

use crate::bindings::*;
use crate::library::Library;

/// An object. All kinds begin with a [`fid`].
#[derive(Debug)]
pub struct Object<T>(NonNull<T>);

// SAFETY: the domain is opened for use by several threads.
unsafe impl<T> Send for Object<T> {}
// SAFETY: see `Send`.
unsafe impl<T> Sync for Object<T> {}

impl<T> Object<T> {
    /// What `make` makes: it gets the place for the pointer, and returns zero or a negative error.
    fn made(make: impl FnOnce(*mut *mut T) -> c_int) -> Result<Self, c_int> {
        let mut object = null_mut();
        check(make(&raw mut object))?;
        NonNull::new(object).map(Self).ok_or(libc::ENOMEM)
    }

    pub fn get(&self) -> *mut T {
        self.0.as_ptr()
    }

    fn fid(&self) -> *mut fid {
        self.0.as_ptr().cast()
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        // SAFETY: it is an object that is used no more. One that others still use refuses, and stays.
        unsafe {
            if let Some(close) = (*(*self.fid()).ops).close {
                close(self.fid());
            }
        }
    }
}

/// The answer of a function.
pub fn check(answer: c_int) -> Result<(), c_int> {
    if answer < 0 { Err(-answer) } else { Ok(()) }
}

/// Calls a function of a table, or says that it is not there.
macro_rules! call {
    ($function:expr, $($argument:expr),* $(,)?) => {
        match $function {
            Some(function) => function($($argument),*),
            None => -(libc::ENOSYS as c_int),
        }
    };
}

/// What a provider offers: a list, or one entry that was taken out of it.
pub struct Info {
    library: &'static Library,
    first: NonNull<fi_info>,
}

// SAFETY: it is plain data that is only read.
unsafe impl Send for Info {}
// SAFETY: see `Send`.
unsafe impl Sync for Info {}

impl Drop for Info {
    fn drop(&mut self) {
        // SAFETY: the library made it.
        unsafe { (self.library.freeinfo)(self.first.as_ptr()) };
    }
}

impl Info {
    /// An empty one, for hints.
    pub fn empty(library: &'static Library) -> Result<Self, c_int> {
        Self::copy(library, std::ptr::null())
    }

    fn copy(library: &'static Library, of: *const fi_info) -> Result<Self, c_int> {
        // SAFETY: null asks for an empty one, and others are valid.
        let first = NonNull::new(unsafe { (library.dupinfo)(of) }).ok_or(libc::ENOMEM)?;
        Ok(Self { library, first })
    }

    /// What fits the hints.
    pub fn find(hints: &Self) -> Result<Self, c_int> {
        let library = hints.library;
        let mut answer = libc::ENOSYS;
        for version in library.interfaces() {
            let mut list = null_mut();
            // SAFETY: hints and place are valid; strings may be null.
            let got = unsafe {
                let null = std::ptr::null();
                (library.getinfo)(version, null, null, 0, hints.first.as_ptr(), &raw mut list)
            };
            match (check(got), NonNull::new(list)) {
                (Ok(()), Some(first)) => return Ok(Self { library, first }),
                (Ok(()), None) => return Err(libc::ENODATA),
                // The next older interface may be known.
                (Err(libc::ENOSYS), _) => {}
                (Err(error), _) => {
                    answer = error;
                    break;
                }
            }
        }
        Err(answer)
    }

    /// The entries of a list.
    pub fn entries(&self) -> impl Iterator<Item = &fi_info> {
        // SAFETY: each entry leads to the next one or is the last.
        std::iter::successors(Some(unsafe { self.first.as_ref() }), |one| unsafe {
            one.next.as_ref()
        })
    }

    /// One of the entries for itself.
    pub fn only(&self, entry: &fi_info) -> Result<Self, c_int> {
        Self::copy(self.library, entry)
    }

    pub fn get(&self) -> &fi_info {
        // SAFETY: it is valid as long as this is.
        unsafe { self.first.as_ref() }
    }

    pub fn get_mut(&mut self) -> &mut fi_info {
        // SAFETY: as above.
        unsafe { self.first.as_mut() }
    }
}

/// A domain, and the fabric that it is of.
#[derive(Debug)]
pub struct Domain {
    // Closed in this order.
    domain: Object<fid_domain>,
    _fabric: Object<fid_fabric>,
}

impl Domain {
    pub fn open(library: &Library, info: &mut Info) -> Result<Self, c_int> {
        let info = info.get_mut();
        // SAFETY: the attributes and the place are valid.
        let fabric =
            Object::made(|place| unsafe { (library.fabric)(info.fabric_attr, place, null_mut()) })?;
        // SAFETY: as above; the fabric is open.
        let domain = Object::made(|place| unsafe {
            call!((*(*fabric.get()).ops).domain, fabric.get(), info, place, null_mut())
        })?;
        Ok(Self { domain, _fabric: fabric })
    }

    /// Whether an atomic operation is there, in the form that returns what was before.
    pub fn has_atomic(&self, datatype: fi_datatype, operation: fi_op) -> bool {
        let mut found = fi_atomic_attr { count: 0, size: 0 };
        let flags = if operation == FI_CSWAP { FI_COMPARE_ATOMIC } else { FI_FETCH_ATOMIC };
        // SAFETY: the domain is open and the place valid.
        let answer = unsafe {
            let ops = (*self.domain.get()).ops;
            call!(
                (*ops).query_atomic,
                self.domain.get(),
                datatype,
                operation,
                &raw mut found,
                flags
            )
        };
        answer == 0 && found.count > 0
    }

    /// Registers memory. With an endpoint where the provider wants registrations to belong to one.
    ///
    /// # Safety
    /// The memory is there until the registration is dropped.
    pub unsafe fn register(
        &self,
        address: *const c_void,
        len: usize,
        access: u64,
        key: u64,
        endpoint: Option<&Endpoint>,
    ) -> Result<Object<fid_mr>, c_int> {
        let domain = self.domain.get();
        // SAFETY: the domain is open; promised by the caller.
        let made = Object::made(|place| unsafe {
            let function = (*(*domain).mr).reg;
            let fid = domain.cast::<fid>();
            call!(function, fid, address, len, access, 0, key, 0, place, null_mut())
        })?;
        if let Some(endpoint) = endpoint {
            bind(made.fid(), endpoint.ep.fid(), 0)?;
            enable(made.fid())?;
        }
        Ok(made)
    }
}

fn bind(object: *mut fid, to: *mut fid, flags: u64) -> Result<(), c_int> {
    // SAFETY: both are open.
    check(unsafe { call!((*(*object).ops).bind, object, to, flags) })
}

fn enable(object: *mut fid) -> Result<(), c_int> {
    // SAFETY: it is open.
    check(unsafe { call!((*(*object).ops).control, object, FI_ENABLE as c_int, null_mut()) })
}

/// An endpoint with a completion queue and an address vector of its own.
#[derive(Debug)]
pub struct Endpoint {
    // Closed in this order.
    pub ep: Object<fid_ep>,
    av: Object<fid_av>,
    pub cq: Object<fid_cq>,
    /// Its file, if the provider makes one.
    _file: Option<Claim>,
    /// Kept open.
    pub domain: Arc<Domain>,
}

impl Endpoint {
    /// For so many addresses.
    ///
    /// With `file` the provider's addresses are names of files in shared memory, and this is one. A process that is
    /// killed leaves its file; with such a name others remove it.
    pub fn open(
        domain: &Arc<Domain>,
        info: &mut Info,
        peers: usize,
        file: Option<&str>,
    ) -> Result<Self, c_int> {
        let info = info.get_mut();
        // SAFETY: the attributes were made with it.
        let (transmit, receive, offered) =
            unsafe { ((*info.tx_attr).size, (*info.rx_attr).size, (*info.domain_attr).av_type) };
        let open = domain.domain.get();
        let mut of_queue = fi_cq_attr {
            size: transmit.saturating_add(receive).min(1 << 16),
            flags: 0,
            format: FI_CQ_FORMAT_MSG,
            wait_obj: FI_WAIT_NONE,
            signaling_vector: 0,
            wait_cond: 0,
            wait_set: null_mut(),
        };
        let mut of_addresses = fi_av_attr {
            type_: if offered == FI_AV_UNSPEC { FI_AV_TABLE } else { offered },
            rx_ctx_bits: 0,
            count: peers,
            ep_per_node: 0,
            name: std::ptr::null(),
            map_addr: null_mut(),
            flags: 0,
        };
        // SAFETY: the domain is open, attributes and places are valid.
        // In the order in which they may not be closed, should something fail.
        let (cq, av, ep) = unsafe {
            let ops = &*(*open).ops;
            let cq = Object::made(|place| {
                call!(ops.cq_open, open, &raw mut of_queue, place, null_mut())
            })?;
            let av = Object::made(|place| {
                call!(ops.av_open, open, &raw mut of_addresses, place, null_mut())
            })?;
            let ep = Object::made(|place| call!(ops.endpoint, open, info, place, null_mut()))?;
            (cq, av, ep)
        };
        bind(ep.fid(), cq.fid(), u64::from(FI_TRANSMIT) | u64::from(FI_RECV))?;
        bind(ep.fid(), av.fid(), 0)?;
        if let Some(name) = file {
            let address = format!("fi_shm://{name}\0");
            // SAFETY: the endpoint is open, and the address has the length.
            check(unsafe {
                let function = (*(*ep.get()).cm).setname;
                call!(function, ep.fid(), address.as_ptr().cast_mut().cast(), address.len())
            })?;
        }
        enable(ep.fid())?;
        let claim =
            |name| Claim::on(name).map_err(|error| error.raw_os_error().unwrap_or(libc::ENOENT));
        let file = file.map(claim).transpose()?;
        Ok(Self { ep, av, cq, _file: file, domain: domain.clone() })
    }

    /// Where others find it.
    pub fn name(&self) -> Result<Vec<u8>, c_int> {
        let mut name = vec![0; 256];
        let mut len = name.len();
        // SAFETY: the endpoint is open, and the buffer has the length.
        check(unsafe {
            let function = (*(*self.ep.get()).cm).getname;
            call!(function, self.ep.fid(), name.as_mut_ptr().cast(), &raw mut len)
        })?;
        name.truncate(len);
        Ok(name)
    }

    /// Makes a peer's address known, which has the form that the provider's addresses have.
    pub fn insert(&self, address: &[u8]) -> Result<fi_addr_t, c_int> {
        let mut made = u64::MAX;
        // SAFETY: the vector is open, and there is one address.
        let count = unsafe {
            let function = (*(*self.av.get()).ops).insert;
            let address = address.as_ptr().cast();
            call!(function, self.av.get(), address, 1, &raw mut made, 0, null_mut())
        };
        check(count)?;
        if count == 1 { Ok(made) } else { Err(libc::EADDRNOTAVAIL) }
    }
}
