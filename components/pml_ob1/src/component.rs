//! The component: its life, and the one branch by which each call finds its mode.

use core::ffi::c_void;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::host::PROGRESS_EVERY_PASS;
use cairn_framework::abi::job::THREAD_MULTIPLE;
use cairn_framework::abi::peer::Peer;
use cairn_framework::abi::pool::CriSet;
use cairn_framework::abi::receive::ReceiveFn;
use cairn_framework::abi::request::{MessageStatus, Request};
use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::frameworks::pml::{Pml, PmlReceive, PmlSend};

use crate::core::Core;
use crate::mode::{Multiple, Single};
use crate::params::Params;
use crate::verbs::{arrive, retry};
use crate::wire;

/// Matching, eager and rendezvous protocols over the transports of a process.
pub struct Ob1 {
    threaded: bool,
    core: Box<Core>,
}

/// Calls a function of the core in the process's mode.
macro_rules! in_mode {
    ($this:ident.$function:ident($($argument:expr),*)) => {
        if $this.threaded {
            outlined(|| $this.core.$function::<Multiple>($($argument),*))
        } else {
            $this.core.$function::<Single>($($argument),*)
        }
    };
}

/// Runs `work` in a function of its own, so that what it does costs the other mode no register.
#[inline(never)]
fn outlined<R>(work: impl FnOnce() -> R) -> R {
    work()
}

impl Component for Ob1 {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }

    fn open(host: HostHandle, params: Params) -> Result<Self, Failure> {
        let threaded = host.job().thread_level == THREAD_MULTIPLE;
        let slot = host.scope_slot()?;
        let core = Box::new(Core::new(host, params, slot, threaded)?);
        let context = core.context();
        // SAFETY: the core stays where it is until the component closes.
        unsafe {
            let (arrived, growing, again): (ReceiveFn, ReceiveFn, _) = if threaded {
                core.comms.count::<Multiple>()?;
                let (arrived, growing) = (arrive::arrived::<Multiple>, arrive::growing::<Multiple>);
                (arrived, growing, retry::retry::<Multiple> as _)
            } else {
                core.comms.count::<Single>()?;
                let (arrived, growing) = (arrive::arrived::<Single>, arrive::growing::<Single>);
                (arrived, growing, retry::retry::<Single> as _)
            };
            host.receive_register(wire::TAG, arrived, context)?;
            host.receive_register(wire::TAG_GROWING, growing, context)?;
            host.progress_add(again, context, PROGRESS_EVERY_PASS)?;
        }
        Ok(Self { threaded, core })
    }

    fn query(&self, _scope: &Scope) -> Answer {
        Answer::Priority(self.core.params.priority.get() as i32)
    }
}

impl Pml for Ob1 {
    fn comm_open(&self, comm: &mut Comm) -> Result<(), Failure> {
        in_mode!(self.comm_open(comm))
    }

    fn comm_close(&self, comm: &mut Comm) {
        in_mode!(self.comm_close(comm));
    }

    fn comm_free(&self, comm: &mut Comm) {
        in_mode!(self.comm_free(comm));
    }

    fn pending(&self, comm: &Comm) -> u64 {
        in_mode!(self.pending(comm))
    }

    #[inline]
    unsafe fn send(&self, send: &PmlSend) -> Result<(), Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.send(send)) }
    }

    #[inline]
    unsafe fn isend(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.isend(send)) }
    }

    #[inline]
    unsafe fn recv(&self, receive: &PmlReceive, status: &mut MessageStatus) -> Result<(), Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.recv(receive, status)) }
    }

    #[inline]
    unsafe fn irecv(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.irecv(receive)) }
    }

    unsafe fn send_init(&self, send: &PmlSend) -> Result<*mut Request, Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.send_init(send)) }
    }

    unsafe fn recv_init(&self, receive: &PmlReceive) -> Result<*mut Request, Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.recv_init(receive)) }
    }

    unsafe fn probe(
        &self,
        receive: &PmlReceive,
        blocking: bool,
        take: bool,
    ) -> Result<Option<(MessageStatus, *mut c_void)>, Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.probe(receive, blocking, take)) }
    }

    unsafe fn mrecv(
        &self,
        message: *mut c_void,
        receive: &PmlReceive,
    ) -> Result<*mut Request, Failure> {
        // SAFETY: the contract's.
        unsafe { in_mode!(self.mrecv(message, receive)) }
    }

    fn describe(&self, comm: &Comm) -> String {
        in_mode!(self.describe(comm))
    }

    fn flush(&self) {
        self.core.flush();
    }

    fn peer_failed(&self, peer: &Peer) {
        in_mode!(self.peer_failed(peer));
    }

    unsafe fn cris_of(&self, request: *const Request, cris: &mut CriSet) {
        // SAFETY: the contract's.
        unsafe { self.core.cris_of(request, cris) }
    }
}

cairn_framework::component! {
    framework: pml,
    component: Ob1,
    name: "ob1",
    description: "matching, eager and rendezvous protocols over any transports",
}
