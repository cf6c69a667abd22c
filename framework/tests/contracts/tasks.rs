//! The contract of task runners.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_framework::abi::component::{ABI_MAJOR, ComponentDescriptor, Instance, MAGIC};
use cairn_framework::abi::scope::Scope;
use cairn_framework::abi::status::{OK, Status};
use cairn_framework::abi::task::Task;
use cairn_framework::abi::thread::Thread;
use cairn_framework::field_end;
use cairn_framework::frameworks::tasks::{Tasks, TasksOps, VERSION, run_task};
use cairn_framework::host::{Linked, inventory};

use super::support::{Life, PRIORITY, Subject, at, called, calls, note, p, process, said, thread};

struct Double(Life);

life!(Double, Double);

impl Tasks for Double {
    unsafe fn submit(&self, task: *mut Task) {
        note("submit", (self.0.me(), task));
        // SAFETY: the test passes a whole task.
        unsafe { run_task(task) };
    }
    fn helpers(&self) -> u32 {
        note("helpers", self.0.me());
        23
    }
    fn run(&self, thread: &Thread, most: u32) -> u32 {
        note("run", (self.0.me(), p(thread), most));
        most - 1
    }
}

cairn_framework::component! {
    framework: tasks,
    component: Double,
    name: "double",
    description: "implements everything",
}

/// A component as the author of one in C would write it, against the first version of the header:
/// without parameters, without aliases, and without what is optional.
mod by_hand {
    use super::*;

    unsafe extern "C" fn open(instance: *mut Instance) -> Status {
        note("open", instance);
        OK
    }
    unsafe extern "C" fn query(
        _: *mut Instance,
        scope: *const Scope,
        priority: *mut i32,
    ) -> Status {
        note("query", scope);
        // SAFETY: the host passes a place for the priority.
        unsafe { *priority = PRIORITY };
        OK
    }
    unsafe extern "C" fn close(_: *mut Instance) {
        note("close", 0);
    }
    unsafe extern "C" fn submit(instance: *mut Instance, task: *mut Task) {
        note("submit", (instance, task));
    }
    unsafe extern "C" fn helpers(instance: *mut Instance) -> u32 {
        note("helpers", instance);
        2
    }

    static OPS: TasksOps = TasksOps {
        struct_size: size_of::<TasksOps>() as u32,
        reserved: 0,
        submit: Some(submit),
        helpers: Some(helpers),
        run: None,
    };
    static DESCRIPTOR: ComponentDescriptor = ComponentDescriptor {
        magic: MAGIC,
        struct_size: field_end!(ComponentDescriptor, ops) as u32,
        abi_major: ABI_MAJOR,
        abi_minor: 0,
        framework_major: VERSION.0,
        framework_minor: VERSION.1,
        version_major: 0,
        version_minor: 1,
        version_patch: 0,
        reserved: 0,
        framework: c"tasks".as_ptr(),
        name: c"bare".as_ptr(),
        description: c"has no optional function".as_ptr(),
        register_params: None,
        open: Some(open),
        query: Some(query),
        close: Some(close),
        ops: (&raw const OPS).cast(),
        // Behind the size that is said above: not looked at.
        aliases: c"hidden".as_ptr(),
    };
    inventory::submit! { Linked(&[&DESCRIPTOR]) }
}

unsafe extern "C" fn work(context: *mut c_void) {
    note("work", context);
}

#[test]
fn every_function_reaches_the_runner() {
    let scope = process();
    let tasks = Subject::<TasksOps>::double(&scope);
    let (ops, me) = (tasks.ops, tasks.instance);
    let (remaining, thread) = (AtomicU32::new(3), thread(4));
    let mut task = Task {
        struct_size: size_of::<Task>() as u32,
        reserved: 0,
        run: Some(work),
        context: at(0x900),
        remaining: &raw const remaining,
        next: null_mut(),
    };
    let address = &raw mut task;
    c!(ops, submit(me, address));
    assert_eq!(calls(), [said("submit", (me, address)), said("work", at::<c_void>(0x900))]);
    assert_eq!(remaining.load(Ordering::Acquire), 2);

    assert_eq!(c!(ops, helpers(me)), 23);
    called("helpers", me);
    assert_eq!(c!(ops, run(me, &thread, 8)), 7);
    called("run", (me, p(&thread), 8));
    tasks.close_complete();
}

#[test]
fn absent_functions() {
    let scope = process();
    let tasks = Subject::<TasksOps>::bare(&scope);
    let (ops, me) = (tasks.ops, tasks.instance);
    tasks.defaults([("run", &|| assert_eq!(c!(ops, run(me, &thread(4), 8)), 0))]);
    // What is there is taken as it is.
    assert_eq!(c!(ops, helpers(me)), 2);
    called("helpers", me);
    c!(ops, submit(me, null_mut()));
    called("submit", (me, null::<Task>()));
    let slot = tasks.system.components().into_iter().find(|slot| slot.name() == "tasks_bare");
    assert!(slot.unwrap().loaded.aliases.is_empty());
    tasks.close();
}
