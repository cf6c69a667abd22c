//! Threads share a device under each `cri` strategy.
//!
//! There is no device: each instance is its lock and a little work under it, as the injection of a
//! small message is. What the table shows is what a strategy changes: how often a thread finds the
//! instance (CRI) it was given taken by another, and what that costs.

use std::error::Error;
use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cairn_framework::abi::pool::{Cri, CriPool};
use cairn_framework::abi::scope::{SCOPE_COMMUNICATOR, Scope};
use cairn_framework::abi::status::OK;
use cairn_framework::abi::thread::Thread;
use cairn_framework::frameworks::cri::{CRI_SEND, CriAsker, CriOps};
use cairn_framework::host::params::CommandLine;
use cairn_framework::host::report::{Cell, Table, colourless};
use cairn_framework::host::{Options, Slot, System};
use linked as _;

/// How long each measurement takes.
const TIME: Duration = Duration::from_millis(150);
/// Additions that stand for the work of injecting a message.
const WORK: u32 = 40;
const INSTANCES: u32 = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let system = System::new(Options::of_process(CommandLine::default()));
    system.check()?;
    let mut table = Table {
        header: vec!["STRATEGY", "THREADS", "OPERATIONS/S", "CRI WAS TAKEN"],
        rows: Vec::new(),
    };
    for slot in system.components() {
        let Some(ops) = slot.table::<CriOps>() else { continue };
        slot.probe(&Scope::new(0, 0, 1, c"process")).map_err(|verdict| verdict.to_string())?;
        for threads in [1, 2, 4] {
            let (rate, taken) = measure(slot, ops, threads)?;
            table.rows.push(vec![
                Cell::plain(slot.loaded.name.clone()),
                Cell::plain(threads.to_string()),
                Cell::plain(format!("{:.1} M", rate / 1e6)),
                Cell::plain(format!("{:.1} %", 100.0 * taken)),
            ]);
        }
    }
    system.close();
    print!("{}", table.render(None, colourless));
    println!(
        "\nThe threads share {INSTANCES} communication resource instances (CRIs), and each has a \
         communicator of its own.\n\
         OPERATIONS/S  of all threads together; more threads than cores add \
         little.\n\
         CRI WAS TAKEN  how often a thread found the CRI that the strategy gave it locked by another \
         one and had\n               to wait: the less, the better."
    );
    Ok(())
}

/// Operations a second of all threads together, and the part of them that found their instance
/// taken. Each thread has a communicator of its own.
fn measure(slot: &Slot, ops: &CriOps, threads: u32) -> Result<(f64, f64), Box<dyn Error>> {
    let cris: Vec<Cri> = (0..INSTANCES).map(Cri::new).collect();
    let mut pool = CriPool { strategy: ops, ..CriPool::of(c"demo", &cris) };
    let missing = "the host completes tables";
    // SAFETY: the component is open, the table complete, and the pool lives until it is detached.
    let status = unsafe { (ops.attach.expect(missing))(slot.instance(), &mut pool) };
    if status != OK {
        return Err(format!("{} refused the pool: {status}", slot.name()).into());
    }
    let (stop, start) = (AtomicBool::new(false), Barrier::new(threads as usize + 1));
    let assign = ops.assign.expect(missing);
    let run = |index: u32| {
        let thread =
            Thread { struct_size: size_of::<Thread>() as u32, index, serial: u64::from(index) + 1 };
        let mut scope = Scope::new(SCOPE_COMMUNICATOR, index, 2, c"demo");
        // SAFETY: as above; the scope is not used otherwise.
        unsafe { (ops.scope_open.expect(missing))(&pool, &mut scope) };
        let asker = CriAsker { thread: &thread, scope: &scope, peer: 0, operation: CRI_SEND };
        let (mut operations, mut taken) = (0u64, 0u64);
        start.wait();
        while !stop.load(Ordering::Relaxed) {
            // SAFETY: as above.
            let cri = pool.cri(unsafe { assign(&pool, &asker) });
            let held = cri.try_guard().unwrap_or_else(|| {
                taken += 1;
                cri.guard()
            });
            black_box((0..WORK).fold(operations, |sum, i| black_box(sum ^ u64::from(i))));
            drop(held);
            operations += 1;
        }
        // SAFETY: as above.
        unsafe {
            (ops.scope_close.expect(missing))(&pool, &mut scope);
            (ops.thread_exit.expect(missing))(&pool, &thread);
        }
        (operations, taken)
    };
    let (elapsed, counts) = std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..threads).map(|index| scope.spawn(move || run(index))).collect();
        start.wait();
        let begin = Instant::now();
        std::thread::sleep(TIME);
        stop.store(true, Ordering::Relaxed);
        let counts: Vec<(u64, u64)> =
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
        (begin.elapsed(), counts)
    });
    // SAFETY: as above, and the pool is not used any more.
    unsafe { (ops.detach.expect(missing))(slot.instance(), &mut pool) };
    let operations: u64 = counts.iter().map(|(operations, _)| operations).sum();
    let taken: u64 = counts.iter().map(|(_, taken)| taken).sum();
    Ok((operations as f64 / elapsed.as_secs_f64(), taken as f64 / operations as f64))
}
