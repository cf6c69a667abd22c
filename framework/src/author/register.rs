//! Registration of parameters.

use core::ffi::CStr;
use std::ffi::CString;

use super::failure::Failure;
use super::handle::HostHandle;
use crate::abi::job::{Job, THREAD_MULTIPLE};
use crate::abi::param::{
    BoolParam, ChoiceParam, IntegerParam, ListParam, PARAM_BOOL, PARAM_CHOICE, PARAM_INTEGER,
    PARAM_LIST, PARAM_SAME, PARAM_SIZE, PARAM_STRING, PARAM_WRITABLE, ParamCell, ParamSpec,
    SizeParam, StringParam,
};

/// Registers a component's parameters; given to [`Component::register`](super::Component::register).
///
/// ```ignore
/// let eager = registrar
///     .size("eager_limit", "4k", "Largest message sent without asking the receiver first")
///     .range(0, 1 << 20)
///     .level(4)
///     .register()?;
/// ```
#[derive(Debug)]
pub struct Registrar<'a> {
    host: HostHandle,
    lifetime: core::marker::PhantomData<&'a ()>,
}

/// One parameter on its way to registration; `P` is the handle it becomes.
#[derive(Debug)]
#[must_use = "a parameter exists only after `register`"]
pub struct Param<P> {
    host: HostHandle,
    kind: u32,
    flags: u32,
    level: u32,
    range: (i64, i64),
    name: CString,
    help: CString,
    default: CString,
    unit: Option<CString>,
    choices: Option<CString>,
    synonyms: Option<CString>,
    deprecated_synonyms: Option<CString>,
    deprecated: Option<CString>,
    wrap: unsafe fn(&'static ParamCell) -> P,
}

/// The parameter `num_cris` of a transport.
#[derive(Debug, Clone, Copy)]
pub struct Instances {
    wanted: IntegerParam,
    most: u32,
}

impl Instances {
    /// How many to make: as many as the user wants, or what suits the job, and then no more than the
    /// transport can `afford`.
    pub fn number(self, job: &Job, afford: u32) -> u32 {
        match self.wanted.get() {
            0 if job.thread_level == THREAD_MULTIPLE => job.cores.min(afford).clamp(1, self.most),
            0 => 1,
            wanted => wanted as u32,
        }
    }
}

impl Registrar<'_> {
    pub(crate) fn new(host: HostHandle) -> Self {
        Self { host, lifetime: core::marker::PhantomData }
    }

    /// The host, for what registration needs besides.
    pub fn host(&self) -> HostHandle {
        self.host
    }

    fn param<P>(
        &self,
        kind: u32,
        texts: [&str; 3],
        wrap: unsafe fn(&'static ParamCell) -> P,
    ) -> Param<P> {
        let [name, default, help] = texts.map(crate::text::to_c);
        Param {
            host: self.host,
            kind,
            flags: 0,
            level: 9,
            range: (i64::MIN, i64::MAX),
            name,
            help,
            default,
            unit: None,
            choices: None,
            synonyms: None,
            deprecated_synonyms: None,
            deprecated: None,
            wrap,
        }
    }

    /// The component's priority in the choice among those of its framework, 0 to 100, which every
    /// component has as a parameter.
    pub fn priority(&self, default: i64) -> Result<IntegerParam, Failure> {
        let help = "Priority in the choice among the components of the framework; the highest wins";
        self.integer("priority", default, help).range(0, 100).level(5).register()
    }

    /// How many communication resource instances a transport makes, which every one with a pool has as
    /// the parameter `num_cris`: at most `most`. `note` is what is to be said of this transport's.
    pub fn instances(&self, most: u32, note: &str) -> Result<Instances, Failure> {
        let help = "Communication resource instances; 0 is one, or with MPI_THREAD_MULTIPLE one for \
                    each processor this process may use";
        let param = self.integer("num_cris", 0, &[help, note].concat());
        Ok(Instances { wanted: param.range(0, most.into()).level(5).register()?, most })
    }

    /// A yes or no.
    pub fn bool(&self, name: &str, default: bool, help: &str) -> Param<BoolParam> {
        let default = if default { "true" } else { "false" };
        self.param(PARAM_BOOL, [name, default, help], BoolParam::from_cell)
    }

    /// A whole number.
    pub fn integer(&self, name: &str, default: i64, help: &str) -> Param<IntegerParam> {
        self.param(PARAM_INTEGER, [name, &default.to_string(), help], IntegerParam::from_cell)
    }

    /// A number of bytes; the default is written as a user would, `4k`.
    pub fn size(&self, name: &str, default: &str, help: &str) -> Param<SizeParam> {
        self.param(PARAM_SIZE, [name, default, help], SizeParam::from_cell)
            .range(0, i64::MAX)
            .unit("bytes")
    }

    /// Text.
    pub fn string(&self, name: &str, default: &str, help: &str) -> Param<StringParam> {
        self.param(PARAM_STRING, [name, default, help], StringParam::from_cell)
    }

    /// Words separated by commas.
    pub fn list(&self, name: &str, default: &str, help: &str) -> Param<ListParam> {
        self.param(PARAM_LIST, [name, default, help], ListParam::from_cell)
    }

    /// One of several words.
    pub fn choice(
        &self,
        name: &str,
        choices: &[&str],
        default: &str,
        help: &str,
    ) -> Param<ChoiceParam> {
        let mut param = self.param(PARAM_CHOICE, [name, default, help], ChoiceParam::from_cell);
        param.choices = Some(crate::text::to_c(&choices.join(",")));
        param
    }
}

impl<P> Param<P> {
    /// Its audience, 1 to 9; see [`ParamSpec::level`]. 9 unless set.
    pub fn level(mut self, level: u32) -> Self {
        self.level = level;
        self
    }

    /// The smallest and the largest value allowed.
    pub fn range(mut self, min: i64, max: i64) -> Self {
        self.range = (min, max);
        self
    }

    /// What it counts.
    pub fn unit(mut self, unit: &str) -> Self {
        self.unit = Some(crate::text::to_c(unit));
        self
    }

    /// May be changed while the program runs.
    pub fn writable(mut self) -> Self {
        self.flags |= PARAM_WRITABLE;
        self
    }

    /// All processes of a job must have the same value.
    pub fn same(mut self) -> Self {
        self.flags |= PARAM_SAME;
        self
    }

    /// Other full names, separated by commas.
    pub fn synonyms(mut self, names: &str) -> Self {
        self.synonyms = Some(crate::text::to_c(names));
        self
    }

    /// Former full names, separated by commas.
    pub fn deprecated_synonyms(mut self, names: &str) -> Self {
        self.deprecated_synonyms = Some(crate::text::to_c(names));
        self
    }

    /// On its way out: what to use instead.
    pub fn deprecated(mut self, instead: &str) -> Self {
        self.deprecated = Some(crate::text::to_c(instead));
        self
    }

    /// Registers it; its value is set when this returns.
    pub fn register(self) -> Result<P, Failure> {
        let pointer =
            |text: &Option<CString>| text.as_deref().map_or(core::ptr::null(), CStr::as_ptr);
        let spec = ParamSpec {
            struct_size: size_of::<ParamSpec>() as u32,
            kind: self.kind,
            flags: self.flags,
            level: self.level,
            name: self.name.as_ptr(),
            help: self.help.as_ptr(),
            unit: pointer(&self.unit),
            default_value: self.default.as_ptr(),
            min: self.range.0,
            max: self.range.1,
            choices: pointer(&self.choices),
            synonyms: pointer(&self.synonyms),
            deprecated_synonyms: pointer(&self.deprecated_synonyms),
            deprecated: pointer(&self.deprecated),
            changed: None,
            changed_context: core::ptr::null_mut(),
        };
        let mut cell = core::ptr::null();
        // SAFETY: the strings outlive the call, and the host fills `cell` with a cell of this kind
        // that lives as long as the process.
        unsafe {
            let instance = self.host.instance();
            let status =
                (self.host.table().param_register)(instance, &raw const spec, &raw mut cell);
            self.host.check(status)?;
            Ok((self.wrap)(&*cell))
        }
    }
}
