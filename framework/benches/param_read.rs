//! What it costs to read a parameter on a hot path: `cargo bench -p cairn-framework --features host`.

use std::hint::black_box;
use std::time::Instant;

use cairn_framework::abi::param::{BoolParam, IntegerParam, SizeParam};
use cairn_framework::host::params::{Kind, Registry, Sources, Spec};

const READS: u32 = 100_000_000;
const ROUNDS: usize = 7;

fn main() {
    let registry = Registry::new(&Sources::default());
    let register = |name: &str, kind: Kind, default: &str| {
        let param = registry.register(Spec::base(name, kind, default, "A parameter."));
        param.expect("a sound description").cell()
    };
    // SAFETY: each cell was made for a parameter of this kind.
    let (size, flag, number) = unsafe {
        (
            SizeParam::from_cell(register("a_size", Kind::Size { min: 0, max: 1 << 40 }, "4k")),
            BoolParam::from_cell(register("a_bool", Kind::Bool, "true")),
            IntegerParam::from_cell(register("a_number", Kind::Integer { min: 0, max: 9 }, "7")),
        )
    };
    measure("size", || black_box(size).get());
    measure("bool", || u64::from(black_box(flag).get()));
    measure("integer", || black_box(number).get() as u64);
}

fn measure(what: &str, read: impl Fn() -> u64) {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..READS {
                black_box(read());
            }
            start.elapsed().as_secs_f64() / f64::from(READS) * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what}: {:.2} ns a read, median of {ROUNDS} (budget 2 ns)", times[ROUNDS / 2]);
}
