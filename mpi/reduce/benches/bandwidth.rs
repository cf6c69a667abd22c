//! How fast the kernels are, in bytes that are read and written, beside a copy of as many.
//!
//! A reduction reads two bytes and writes one for each byte of a buffer, a copy reads and writes one.
//! Loops that the compiler made vector code of come near the copy's rate; the others don't.

use std::hint::black_box;
use std::time::Instant;

use cairn_reduce::{BAND, DATATYPES, Kernel, LAND, MAX, MAXLOC, PROD, SUM, kernel, type_info};

/// One buffer: in the second-level cache, as the chunks of a large reduction are.
const BYTES: usize = 128 * 1024;

const OPERATIONS: [(u32, &str); 6] = [
    (SUM, "SUM"),
    (PROD, "PROD"),
    (MAX, "MAX"),
    (BAND, "BAND"),
    (LAND, "LAND"),
    (MAXLOC, "MAXLOC"),
];

fn main() {
    let (from, mut to) = (vec![0u8; BYTES], vec![0u8; BYTES]);
    let copy = rate(2 * BYTES, || black_box(&mut to).copy_from_slice(black_box(&from)));
    println!("{:29} {copy:6.1} GB/s", "copy");
    for (op, operation) in OPERATIONS {
        for &(datatype, name) in DATATYPES {
            let (Some(kernel), Some(info)) = (kernel(op, datatype), type_info(datatype)) else {
                continue;
            };
            let kernel: Kernel = black_box(kernel);
            let (from, to) = (from.as_ptr(), to.as_mut_ptr());
            // SAFETY: both buffers have room for as many elements.
            let rate = rate(3 * BYTES, || unsafe { kernel(from, to, BYTES / info.extent) });
            println!("{operation:6} {name:22} {rate:6.1} GB/s");
        }
    }
}

/// The best of several runs, in GB/s.
fn rate(bytes: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    bytes as f64 / best / 1e9
}
