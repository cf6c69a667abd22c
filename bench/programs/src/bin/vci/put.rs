//! Rates of `MPI_Put`.

use std::time::Instant;

use cairn_lab::{
    Channel, Comm, Computation, Lab, Laps, Metric, Operation, Origin, POISON, SpinBarrier, Window,
    Work, Worker, check, compute, place_bytes,
};

use crate::{Args, Mode};

/// Which data a buffer has.
fn seed(channel: usize, slot: usize, round: u64) -> u64 {
    ((channel as u64) << 48) + ((slot as u64) << 24) + round
}

/// Measures puts that their origins flush. While they do, the threads of the targets wait: the
/// first in `MPI_Barrier`, the others for the first.
pub fn flushed(lab: &Lab, args: &Args) -> Result<(), String> {
    let place = args.sizes.values().map(|bytes| place_bytes(args.window, bytes)).max();
    let place = place.expect("a list has a value");
    let most = args.processes_and_threads(args.threads.largest()).1;
    let (number, bytes) =
        if args.mode == Mode::Parallel { (most, place) } else { (1, place * most) };
    let windows = (0..number)
        .map(|_| Window::allocate(lab.world(), bytes, None))
        .collect::<Result<Vec<_>, _>>()?;
    for threads in args.threads.values() {
        let channels = args.channels(lab.size(), threads);
        for bytes in args.sizes.values() {
            let measured = lab.measure(args.processes_and_threads(threads).1, |worker| {
                let own = if args.mode == Mode::Parallel { worker.entity.thread } else { 0 };
                let setting = Setting { lab, args, worker, channels: &channels, bytes };
                Box::new(Flushed::new(setting, &windows[own]))
            });
            let at = [("threads", threads.into()), ("bytes", bytes.into())];
            lab.point(&at, Metric::Rate, measured.rate((channels.len() * args.window) as f64));
        }
    }
    for window in windows {
        window.free();
    }
    Ok(())
}

/// What a thread is told.
#[derive(Clone, Copy)]
struct Setting<'a> {
    lab: &'a Lab,
    args: &'a Args,
    worker: &'a Worker<'a>,
    channels: &'a [Channel],
    bytes: usize,
}

impl Setting<'_> {
    fn sends(&self) -> Option<Channel> {
        self.channels.iter().find(|channel| channel.sender == self.worker.entity).copied()
    }

    fn receives(&self) -> Option<Channel> {
        self.channels.iter().find(|channel| channel.receiver == self.worker.entity).copied()
    }

    /// All ranks with all their threads are here.
    fn meet(&self) {
        self.worker.threads_barrier();
        if self.worker.entity.thread == 0 {
            self.lab.world().barrier();
        }
        self.worker.threads_barrier();
    }

    /// Where the data of a thread lie in its window.
    fn place(&self, thread: usize) -> usize {
        match self.args.mode {
            Mode::Parallel => 0,
            _ => thread * place_bytes(self.args.window, self.bytes),
        }
    }
}

struct Flushed<'a> {
    setting: Setting<'a>,
    window: &'a Window,
    /// With its target. Nothing at the receiving end.
    origin: Option<(Origin<'a>, Channel)>,
    /// Does what is done once for the window.
    leads: bool,
}

impl<'a> Flushed<'a> {
    fn new(setting: Setting<'a>, window: &'a Window) -> Flushed<'a> {
        let origin = setting.sends().map(|channel| {
            let place = setting.place(channel.receiver.thread);
            let (slots, target) = (setting.args.window, channel.receiver.rank);
            (Origin::new(window, Operation::Put, target, place, slots, setting.bytes), channel)
        });
        let leads = setting.args.mode == Mode::Parallel || setting.worker.entity.thread == 0;
        if leads && origin.is_some() {
            window.lock_all();
        }
        Flushed { setting, window, origin, leads }
    }

    /// The buffers of this rank that the window's origins put into, with channel and slot.
    fn local(&self, mut each: impl FnMut(usize, usize, &mut [u8])) {
        let me = self.setting.worker.entity;
        let Setting { args, channels, bytes, .. } = self.setting;
        if !self.leads || self.origin.is_some() {
            return;
        }
        self.window.lock(me.rank);
        self.window.sync();
        for channel in channels.iter().filter(|channel| channel.receiver.rank == me.rank) {
            if args.mode == Mode::Parallel && channel.receiver != me {
                continue;
            }
            for slot in 0..args.window {
                let start = self.setting.place(channel.receiver.thread) + slot * bytes;
                // SAFETY: only one thread comes here for a window, and the origins do nothing
                // between two rounds.
                each(channel.index, slot, unsafe { self.window.memory(start..start + bytes) });
            }
        }
        self.window.sync();
        self.window.unlock(me.rank);
    }
}

impl Work for Flushed<'_> {
    fn prepare(&mut self, round: u64) {
        self.local(|_, _, bytes| bytes.fill(POISON));
        if let Some((origin, channel)) = &mut self.origin {
            for slot in 0..self.setting.args.window {
                origin.fill(slot, seed(channel.index, slot, round));
            }
        }
    }

    fn run(&mut self, iterations: u64) {
        let Some((origin, channel)) = &mut self.origin else { return };
        for _ in 0..iterations {
            for slot in 0..self.setting.args.window {
                origin.issue(slot);
            }
            self.window.flush(channel.receiver.rank);
        }
        // SAFETY: flushed after the last of them.
        unsafe { origin.completed() };
    }

    fn verify(&mut self, round: u64) -> u64 {
        self.setting.meet();
        let mut wrong = 0;
        self.local(|channel, slot, bytes| {
            wrong += u64::from(!check(bytes, seed(channel, slot, round)));
        });
        wrong
    }

    fn finish(&mut self) -> u64 {
        // The other threads may not be through with the window.
        self.setting.worker.threads_barrier();
        if self.leads && self.origin.is_some() {
            self.window.unlock_all();
        }
        0
    }
}

/// Measures puts that end with `MPI_Win_free`, called by all threads at once for windows of their
/// own. The threads of the targets compute before.
pub fn freed(lab: &Lab, args: &Args) -> Result<(), String> {
    // Made and given back once, to see whether there are windows.
    Window::allocate(lab.world(), 8, None)?.free();
    let most = args.processes_and_threads(args.threads.largest()).1;
    let comms: Vec<Comm> = (0..most).map(|_| lab.world().duplicate()).collect();
    let computation = Computation::calibrate();
    for threads in args.threads.values() {
        let channels = args.channels(lab.size(), threads);
        for bytes in args.sizes.values() {
            for busy in args.busy.values() {
                let steps = computation.steps(busy as f64 * 1e-6);
                let laps = Laps::default();
                let team = args.processes_and_threads(threads).1;
                let gate = SpinBarrier::new(team);
                let measured = lab.measure(team, |worker| {
                    let setting = Setting { lab, args, worker, channels: &channels, bytes };
                    let comm = comms[worker.entity.thread];
                    Box::new(Freed::new(setting, comm, steps, &gate, &laps))
                });
                let at =
                    [("threads", threads.into()), ("bytes", bytes.into()), ("busy", busy.into())];
                let rate = laps.rate(lab.world(), &measured, args.window as f64);
                lab.point(&at, Metric::Rate, rate);
            }
        }
    }
    for comm in comms {
        comm.free();
    }
    Ok(())
}

struct Freed<'a> {
    setting: Setting<'a>,
    comm: Comm,
    /// Of computation before the window of a target is freed.
    steps: u64,
    /// Where the threads of this rank meet.
    gate: &'a SpinBarrier,
    laps: &'a Laps,
    /// The memory of the window, which outlives it.
    memory: Vec<u8>,
    round: u64,
}

impl<'a> Freed<'a> {
    fn new(
        setting: Setting<'a>,
        comm: Comm,
        steps: u64,
        gate: &'a SpinBarrier,
        laps: &'a Laps,
    ) -> Freed<'a> {
        let memory = vec![POISON; place_bytes(setting.args.window, setting.bytes)];
        Freed { setting, comm, steps, gate, laps, memory, round: 0 }
    }

    /// One window from its making to its end. Seconds from the first put to the end.
    fn window(&mut self) -> f64 {
        let length = self.memory.len();
        let mut window = None;
        // In turn, because not every MPI survives that threads make windows at once, and it is not
        // what is measured.
        for turn in 0..self.setting.worker.threads {
            if turn == self.setting.worker.entity.thread {
                // SAFETY: the memory lies where it is until the window is freed below, and is not
                // looked at meanwhile.
                let made = unsafe { Window::create(self.comm, self.memory.as_mut_ptr(), length) };
                window = Some(made.expect("an MPI that allocates windows creates them"));
            }
            self.gate.wait();
        }
        let window = window.expect("every thread has its turn");
        let Setting { args, bytes, .. } = self.setting;
        let Some(channel) = self.setting.sends() else {
            self.comm.barrier();
            let start = Instant::now();
            compute(self.steps);
            window.free();
            return start.elapsed().as_secs_f64();
        };
        let target = channel.receiver.rank;
        let mut origin = Origin::new(&window, Operation::Put, target, 0, args.window, bytes);
        for slot in 0..args.window {
            origin.fill(slot, seed(channel.index, slot, self.round));
        }
        self.comm.barrier();
        let start = Instant::now();
        window.lock_all();
        for slot in 0..args.window {
            origin.issue(slot);
        }
        window.unlock_all();
        // SAFETY: the epoch is over.
        unsafe { origin.completed() };
        drop(origin);
        window.free();
        start.elapsed().as_secs_f64()
    }
}

impl Work for Freed<'_> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        self.memory.fill(POISON);
    }

    fn run(&mut self, iterations: u64) {
        let seconds: f64 = (0..iterations).map(|_| self.window()).sum();
        if self.setting.sends().is_some() {
            self.laps.add(self.round, seconds / iterations as f64);
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        let Some(channel) = self.setting.receives() else { return 0 };
        let Setting { args, bytes, .. } = self.setting;
        let wrong = |slot: &usize| {
            !check(&self.memory[slot * bytes..][..bytes], seed(channel.index, *slot, round))
        };
        (0..args.window).filter(wrong).count() as u64
    }
}
