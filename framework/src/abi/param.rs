//! MCA parameters as components register and read them.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicU64, Ordering};

/// [`ParamSpec::kind`]: yes or no. The cell holds 0 or 1.
pub const PARAM_BOOL: u32 = 0;
/// [`ParamSpec::kind`]: a whole number. The cell holds an `int64_t`.
pub const PARAM_INTEGER: u32 = 1;
/// [`ParamSpec::kind`]: a number of bytes; users may write `4k`, `1m`, `2g`. The cell holds a
/// `uint64_t`.
pub const PARAM_SIZE: u32 = 2;
/// [`ParamSpec::kind`]: text. The cell holds a `const char *`.
pub const PARAM_STRING: u32 = 3;
/// [`ParamSpec::kind`]: one of [`ParamSpec::choices`]. The cell holds its index, from 0.
pub const PARAM_CHOICE: u32 = 4;
/// [`ParamSpec::kind`]: words separated by commas. The cell holds a `const char *` to them, with
/// blanks around the words removed.
pub const PARAM_LIST: u32 = 5;

/// [`ParamSpec::flags`]: may be changed while the program runs, through MPI_T.
pub const PARAM_WRITABLE: u32 = 1;
/// [`ParamSpec::flags`]: all processes of a job must have the same value.
pub const PARAM_SAME: u32 = 2;

/// What a component says about one parameter. Strings need to live only during the call.
#[repr(C)]
pub struct ParamSpec {
    /// Size of this struct in bytes, as the author's header has it.
    pub struct_size: u32,
    /// One of `CAIRN_PARAM_BOOL` and the others.
    pub kind: u32,
    /// `CAIRN_PARAM_WRITABLE` and `CAIRN_PARAM_SAME`, or 0.
    pub flags: u32,
    /// Its audience: 1 to 3 users, 4 to 6 tuning, 7 to 9 developers; in each the
    /// first is basic, the second detailed and the third everything (MPI 5.0, 15.3.1). Required: 0 is
    /// refused. `cairn-info --param` shows up to level 3 unless it is asked for more.
    pub level: u32,
    /// The name without the component's, `eager_limit` for `btl_sm_eager_limit`: lower-case letters,
    /// digits and underscores. Required.
    pub name: *const c_char,
    /// What it does, in a sentence or two. Required: a parameter without help is refused.
    pub help: *const c_char,
    /// What it counts, such as `bytes` or `us`. May be null.
    pub unit: *const c_char,
    /// The default, written as a user would. It must be one of the values that are allowed.
    pub default_value: *const c_char,
    /// The smallest value allowed of an integer or a size, which is itself allowed. Other kinds
    /// ignore it. `INT64_MIN` for an integer without a limit; below zero counts as 0 for a size.
    pub min: i64,
    /// The largest value allowed of an integer or a size, which is itself allowed. Other kinds ignore
    /// it. `INT64_MAX` for no limit. Both limits always hold: left at 0, they allow nothing but 0.
    pub max: i64,
    /// For a choice: its words, separated by commas. Ignored for other kinds.
    pub choices: *const c_char,
    /// Other full names of the same parameter, separated by commas, such as Open MPI's. May be null.
    pub synonyms: *const c_char,
    /// Former full names, separated by commas: they work, and a warning names the new one. May be
    /// null.
    pub deprecated_synonyms: *const c_char,
    /// When the parameter itself is on its way out: what to use instead. Otherwise null.
    pub deprecated: *const c_char,
    /// Called after a writable parameter changed, on the thread that changed it, with no lock of
    /// the host held. The cell holds the new value. May be null.
    pub changed: Option<unsafe extern "C" fn(context: *mut c_void, cell: *const ParamCell)>,
    /// Passed to `changed`.
    pub changed_context: *mut c_void,
}

/// Where the value of a parameter lies. Reading it is one relaxed 8-byte load.
///
/// Lives as long as the process. A string that was replaced at run time stays readable.
#[repr(C)]
#[derive(Debug)]
pub struct ParamCell {
    /// What `kind` says. Only the host writes it.
    pub value: AtomicU64,
}

impl ParamCell {
    #[inline]
    fn get(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name(&'static ParamCell);

        impl $name {
            /// The handle to a cell.
            ///
            /// # Safety
            /// The host made the cell for a parameter of this kind.
            pub const unsafe fn from_cell(cell: &'static ParamCell) -> Self {
                Self(cell)
            }

            /// The cell itself, to compare or to hand to C.
            pub const fn cell(self) -> &'static ParamCell {
                self.0
            }
        }
    };
}

handle!(
    /// A registered [`PARAM_BOOL`].
    BoolParam
);
handle!(
    /// A registered [`PARAM_INTEGER`].
    IntegerParam
);
handle!(
    /// A registered [`PARAM_SIZE`].
    SizeParam
);
handle!(
    /// A registered [`PARAM_STRING`].
    StringParam
);
handle!(
    /// A registered [`PARAM_CHOICE`].
    ChoiceParam
);
handle!(
    /// A registered [`PARAM_LIST`].
    ListParam
);

impl BoolParam {
    /// The value now.
    #[inline]
    pub fn get(self) -> bool {
        self.0.get() != 0
    }
}

impl IntegerParam {
    /// The value now.
    #[inline]
    pub fn get(self) -> i64 {
        self.0.get() as i64
    }

    /// The value now, of a parameter that counts milliseconds and is not below 0.
    pub fn milliseconds(self) -> core::time::Duration {
        core::time::Duration::from_millis(self.get().unsigned_abs())
    }
}

impl SizeParam {
    /// The value now, in bytes.
    #[inline]
    pub fn get(self) -> u64 {
        self.0.get()
    }
}

impl ChoiceParam {
    /// The index of the chosen word.
    #[inline]
    pub fn get(self) -> usize {
        self.0.get() as usize
    }
}

fn text(cell: &'static ParamCell) -> &'static str {
    let pointer = cell.value.load(Ordering::Acquire) as *const c_char;
    // SAFETY: for strings and lists the host stores a NUL-terminated string that is never freed;
    // its Release store pairs with the Acquire above, so the bytes are visible.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
}

impl StringParam {
    /// The value now.
    pub fn get(self) -> &'static str {
        text(self.0)
    }
}

impl ListParam {
    /// The words now.
    pub fn get(self) -> impl Iterator<Item = &'static str> {
        text(self.0).split(',').filter(|word| !word.is_empty())
    }
}
