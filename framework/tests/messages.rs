//! What the host says to authors whose component asks it for something that makes no sense.

#![cfg(feature = "host")]

use std::ptr::{null, null_mut};

use cairn_framework::abi::counter::{COUNTER_SUM, CounterCell, CounterSpec};
use cairn_framework::abi::param::{
    PARAM_BOOL, PARAM_CHOICE, PARAM_INTEGER, PARAM_SIZE, ParamCell, ParamSpec,
};
use cairn_framework::abi::request::WaitSync;
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::abi::status::{ERR_ARGUMENT, OK, Status};
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::component;
use cairn_framework::frameworks::wait::{Wait, WaitMeans, WaitOps};
use cairn_framework::host::params::Sources;
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search, System};

/// A component whose instance the tests use.
struct Clumsy;

impl Component for Clumsy {
    type Params = ();
    fn register(registrar: &Registrar<'_>) -> Result<(), Failure> {
        wrong_descriptions_of_a_parameter(registrar.host());
        Ok(())
    }
    fn open(_: HostHandle, (): ()) -> Result<Self, Failure> {
        Ok(Self)
    }
    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(1)
    }
}

impl Wait for Clumsy {
    fn wait(&self, _: &WaitSync, _: &WaitMeans) -> Result<(), Failure> {
        Ok(())
    }
}

component! { framework: wait, component: Clumsy, name: "clumsy", description: "a component for tests" }

fn host() -> HostHandle {
    let system = System::new(Options {
        paths: Paths::default(),
        sources: Sources::default(),
        sink: Box::new(|_| ()),
        search: Search::Wanted,
    });
    let chosen = system
        .select_one::<WaitOps>(&Scope::new(SCOPE_PROCESS, 0, 1, c"process"))
        .expect("the only component of wait here");
    // SAFETY: an instance of this host.
    unsafe { HostHandle::new(chosen.instance) }
}

/// What the host says about a status it returned.
fn verdict(host: HostHandle, status: Status) -> Result<(), String> {
    if status == OK {
        return Ok(());
    }
    assert_eq!(status, ERR_ARGUMENT);
    let mut text = [0u8; 512];
    let room = text.len();
    // SAFETY: an instance of this host, and a place of that many bytes.
    let len = unsafe { (host.table().reason)(host.instance(), text.as_mut_ptr().cast(), room) };
    Err(String::from_utf8(text[..len.min(room - 1)].to_vec()).expect("whole characters"))
}

fn param() -> ParamSpec {
    ParamSpec {
        struct_size: size_of::<ParamSpec>() as u32,
        kind: PARAM_INTEGER,
        flags: 0,
        level: 4,
        name: c"limit".as_ptr(),
        help: c"How many there may be".as_ptr(),
        unit: null(),
        default_value: c"1".as_ptr(),
        min: 0,
        max: 9,
        choices: null(),
        synonyms: null(),
        deprecated_synonyms: null(),
        deprecated: null(),
        changed: None,
        changed_context: null_mut(),
    }
}

fn counter() -> CounterSpec {
    CounterSpec {
        struct_size: size_of::<CounterSpec>() as u32,
        kind: COUNTER_SUM,
        level: 4,
        reserved: 0,
        name: c"messages".as_ptr(),
        help: c"How many messages came".as_ptr(),
        unit: null(),
        by_comm: 0,
        reserved_too: 0,
        refresh: None,
        refresh_context: std::ptr::null_mut(),
    }
}

/// What fails in `register` is the reason why no component can be selected.
#[test]
fn a_wrong_description_of_a_parameter_is_explained() {
    host();
}

fn wrong_descriptions_of_a_parameter(host: HostHandle) {
    let register = |spec: *const ParamSpec, cell: *mut *const ParamCell| {
        // SAFETY: an instance of this host; description and place are null or valid.
        let status = unsafe { (host.table().param_register)(host.instance(), spec, cell) };
        verdict(host, status)
    };
    let mut cell = null();
    assert_eq!(register(null(), &mut cell).unwrap_err(), "the description of a parameter is null");
    let fine = param();
    assert_eq!(
        register(&fine, null_mut()).unwrap_err(),
        "parameter wait_clumsy_limit: the place for its cell is null"
    );

    type Change = fn(&mut ParamSpec);
    let cases: &[(Change, &str)] = &[
        (
            |spec| spec.struct_size = 0,
            "the struct_size of a parameter's description is 0, not 112: set it to \
             sizeof(cairn_param_spec_t)",
        ),
        (
            |spec| spec.struct_size = 16,
            "the struct_size of a parameter's description is 16, not 112: \
             set it to sizeof(cairn_param_spec_t)",
        ),
        (|spec| spec.name = null(), "a parameter of wait_clumsy: its name is null"),
        (|spec| spec.name = c"".as_ptr(), "a parameter of wait_clumsy: its name is empty"),
        (
            |spec| spec.name = c"Max-Size".as_ptr(),
            "wait_clumsy_Max-Size is no name for a parameter: names have lower-case letters, \
             digits and underscores",
        ),
        (|spec| spec.kind = 77, "parameter wait_clumsy_limit: there is no kind 77"),
        (|spec| spec.help = null(), "its help needs three words or more, and it has none"),
        (
            |spec| spec.default_value = c"10".as_ptr(),
            "parameter wait_clumsy_limit: its default is not allowed: 10 is outside its range; \
             allowed: a whole number from 0 to 9",
        ),
        (
            |spec| (spec.kind, spec.default_value, spec.max) = (PARAM_SIZE, c"4k".as_ptr(), 1024),
            "its default is not allowed: 4k is outside its range; allowed: bytes from 0 to 1k",
        ),
        (
            |spec| (spec.min, spec.max) = (9, 0),
            "parameter wait_clumsy_limit: its smallest value 9 is above its largest 0",
        ),
        (
            |spec| {
                spec.kind = PARAM_CHOICE;
                spec.default_value = c"third".as_ptr();
                spec.choices = c"one,two".as_ptr();
            },
            "its default is not allowed: \"third\" is not one of its words; allowed: one or two",
        ),
        (|spec| spec.kind = PARAM_CHOICE, "parameter wait_clumsy_limit: a choice needs words"),
        (
            |spec| (spec.kind, spec.default_value) = (PARAM_BOOL, null()),
            "its default is not allowed: \"\" is neither yes nor no; allowed: true or false",
        ),
    ];
    for (change, text) in cases {
        let mut spec = param();
        change(&mut spec);
        let said = register(&spec, &mut cell).unwrap_err();
        assert!(said.contains(text), "no \"{text}\" in \"{said}\"");
    }
    assert_eq!(register(&fine, &mut cell), Ok(()));
    assert!(!cell.is_null());
}

#[test]
fn a_wrong_description_of_a_counter_is_explained() {
    static CELL: CounterCell = CounterCell { value: std::sync::atomic::AtomicU64::new(0) };
    let host = host();
    let add = |spec: *const CounterSpec, cell: *const CounterCell| {
        // SAFETY: an instance of this host; description and cell are null or valid for good.
        let status = unsafe { (host.table().counter_add)(host.instance(), spec, cell) };
        verdict(host, status)
    };
    assert_eq!(add(null(), &CELL).unwrap_err(), "the description of a counter is null");
    let fine = counter();
    assert_eq!(add(&fine, null()).unwrap_err(), "counter wait_clumsy_messages: its cell is null");
    type Change = fn(&mut CounterSpec);
    let cases: &[(Change, &str)] = &[
        (
            |spec| spec.struct_size = 0,
            "the struct_size of a counter's description is 0, not 64: set it to \
             sizeof(cairn_counter_spec_t)",
        ),
        (|spec| spec.name = null(), "a counter of wait_clumsy: its name is null"),
        (
            |spec| spec.name = c"Messages seen".as_ptr(),
            "wait_clumsy_Messages seen is no name for a counter",
        ),
        (|spec| spec.kind = 9, "counter wait_clumsy_messages: there is no kind 9"),
        (|spec| spec.by_comm = 1, "counter wait_clumsy_messages: by_comm needs a function refresh"),
    ];
    for (change, text) in cases {
        let mut spec = counter();
        change(&mut spec);
        let said = add(&spec, &CELL).unwrap_err();
        assert!(said.contains(text), "no \"{text}\" in \"{said}\"");
    }
    assert_eq!(add(&fine, &CELL), Ok(()));
    host.counter_remove(&CELL);
}
