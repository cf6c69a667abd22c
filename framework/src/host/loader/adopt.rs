//! From a foreign descriptor to one that the host can call without looking twice.
//!
//! A component was built for the very version of this host, or is refused. Its table is copied, and
//! optional functions that are null get their defaults in the copy, so that every function pointer of
//! the copy can be called and no caller checks for null.

use std::ffi::c_void;

use super::Provider;
use super::refusal::{Refusal, StructSize};
use crate::abi::component::{ABI_MAJOR, ABI_MINOR, ComponentDescriptor, MAGIC};
use crate::frameworks::{Contract, by_name};
use crate::host::params::valid_name;
use crate::text;

/// A component that passed the checks.
#[derive(Debug)]
pub struct Loaded {
    /// Its framework.
    pub contract: &'static Contract,
    /// Its name in the framework.
    pub name: String,
    /// Other names for selection lists.
    pub aliases: Vec<String>,
    /// One line for users.
    pub description: String,
    /// Its own version.
    pub version: [u16; 3],
    /// Names of the optional functions it has.
    pub provides: Vec<&'static str>,
    /// Where it comes from.
    pub provider: Provider,
    /// The functions of its life, complete.
    pub(crate) life: Life,
    /// The framework's table, complete, of the host's version. Lives as long as the process.
    pub(crate) ops: *const c_void,
}

// SAFETY: `ops` leads to constant data that is never freed.
unsafe impl Send for Loaded {}
// SAFETY: see `Send`.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Framework and name, `btl_sm`.
    pub fn full_name(&self) -> String {
        format!("{}_{}", self.contract.name, self.name)
    }

    /// Whether a word of a selection list means this component.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.iter().any(|alias| alias == word)
    }
}

/// The functions of a component's life.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Life {
    pub register_params: Option<unsafe extern "C" fn(*mut crate::abi::component::Instance) -> i32>,
    pub open: unsafe extern "C" fn(*mut crate::abi::component::Instance) -> i32,
    pub query: unsafe extern "C" fn(
        *mut crate::abi::component::Instance,
        *const crate::abi::scope::Scope,
        *mut i32,
    ) -> i32,
    pub close: unsafe extern "C" fn(*mut crate::abi::component::Instance),
}

/// The version of this host's plugin ABI.
const VERSION: (u16, u16) = (ABI_MAJOR, ABI_MINOR);

/// Checks that what a pointer leads to is a descriptor of this version.
///
/// # Safety
/// As for [`adopt`].
pub(super) unsafe fn known<'a>(
    descriptor: *const ComponentDescriptor,
) -> Result<&'a ComponentDescriptor, Refusal> {
    if descriptor.is_null() {
        return Err(Refusal::NullDescriptor);
    }
    // SAFETY: magic, size and version are the first words of a descriptor in any version, and the
    // rest is there when the size says so.
    unsafe {
        if (&raw const (*descriptor).magic).read() != MAGIC {
            return Err(Refusal::NotADescriptor);
        }
        let found = (&raw const (*descriptor).struct_size).read() as usize;
        let size = || StructSize {
            what: "its descriptor".into(),
            type_name: "cairn_component_t".into(),
            found,
            wanted: size_of::<ComponentDescriptor>(),
        };
        if found < core::mem::offset_of!(ComponentDescriptor, version_major) {
            return Err(Refusal::DescriptorSize(size()));
        }
        let abi = (&raw const (*descriptor).abi_major).cast::<[u16; 2]>().read();
        if (abi[0], abi[1]) != VERSION {
            return Err(Refusal::Abi { found: (abi[0], abi[1]), wanted: VERSION });
        }
        if found != size_of::<ComponentDescriptor>() {
            return Err(Refusal::DescriptorSize(size()));
        }
        Ok(&*descriptor)
    }
}

/// Checks a descriptor and makes the host's copy of it.
///
/// # Safety
/// `descriptor` is null, or leads to readable memory of at least 8 bytes and, if it begins like a
/// descriptor, to one that is as long as it says, with pointers that are null or valid as long as
/// the process lives.
pub unsafe fn adopt(
    descriptor: *const ComponentDescriptor,
    provider: Provider,
) -> Result<Loaded, (Option<String>, Refusal)> {
    // SAFETY: promised by the caller.
    let copy = unsafe { known(descriptor) }.map_err(|refusal| (None, refusal))?;
    // SAFETY: the strings are null or valid.
    let (framework, name) = unsafe { (text::copy(copy.framework), text::copy(copy.name)) };
    let named = !framework.is_empty() && !name.is_empty();
    let full = named.then(|| format!("{framework}_{name}"));
    let refuse = |refusal| (full.clone(), refusal);

    let contract =
        by_name(&framework).ok_or_else(|| refuse(Refusal::UnknownFramework(framework.clone())))?;
    if !valid_name(&name) {
        return Err(refuse(Refusal::Name(name)));
    }
    let missing = |function| refuse(Refusal::MissingFunction(function));
    let life = Life {
        register_params: copy.register_params,
        open: copy.open.ok_or_else(|| missing("open"))?,
        query: copy.query.ok_or_else(|| missing("query"))?,
        close: copy.close.ok_or_else(|| missing("close"))?,
    };
    // SAFETY: the table is null or as long as it says.
    let (ops, provides) = unsafe { adopt_table(copy.ops, contract) }.map_err(refuse)?;
    // SAFETY: the strings are null or valid.
    let (description, aliases) =
        unsafe { (text::copy(copy.description), text::copy(copy.aliases)) };
    Ok(Loaded {
        contract,
        name,
        aliases: aliases
            .split(',')
            .map(str::trim)
            .filter(|a| !a.is_empty())
            .map(Into::into)
            .collect(),
        description,
        version: [copy.version_major, copy.version_minor, copy.version_patch],
        provides,
        provider,
        life,
        ops,
    })
}

/// Copies a framework's table and completes it. Returns it with the names
/// of the optional functions that the author provides.
///
/// # Safety
/// `table` is null or leads to a table of `contract` that is as long as its first word says.
unsafe fn adopt_table(
    table: *const c_void,
    contract: &'static Contract,
) -> Result<(*const c_void, Vec<&'static str>), Refusal> {
    if table.is_null() {
        return Err(Refusal::NoTable);
    }
    // SAFETY: every table begins with its size.
    let found = unsafe { table.cast::<u32>().read() } as usize;
    if found != contract.size {
        return Err(Refusal::TableSize(StructSize {
            what: "its table of functions".into(),
            type_name: format!("cairn_{}_ops_t", contract.name),
            found,
            wanted: contract.size,
        }));
    }
    // Words of 8 bytes, because tables consist of pointers.
    let mut copy = vec![0u64; contract.size.div_ceil(8)].into_boxed_slice();
    // SAFETY: both are that long.
    unsafe {
        let into = copy.as_mut_ptr().cast::<u8>();
        std::ptr::copy_nonoverlapping(table.cast::<u8>(), into, contract.size);
    }
    let mut provides = Vec::new();
    for function in contract.functions {
        let present = copy[function.offset / 8] != 0;
        if function.required && !present {
            return Err(Refusal::MissingFunction(function.name));
        }
        if present && !function.required {
            provides.push(function.name);
        }
    }
    // Tables are a few hundred bytes and there is one a component: they live as long as the process
    // because components keep and pass their addresses.
    let copy: *mut c_void = Box::leak(copy).as_mut_ptr().cast();
    // SAFETY: a whole table of this version.
    unsafe { (contract.fill_defaults)(copy) };
    Ok((copy, provides))
}
