//! What the kernels of every instruction set compute is the same to the bit, at every place of every vector.

use cairn_reduce::*;

/// Numbers without a pattern, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % end
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// So many elements at the end of vectors that begin at any byte, with guards around the result.
fn reduce(kernel: Kernel, shift: (usize, usize), extent: usize, a: &[u8], b: &[u8]) -> Vec<u8> {
    let framed = |bytes: &[u8], shift: usize| [&vec![0xa5; shift][..], bytes, &[0x5a; 64]].concat();
    let (from, mut to) = (framed(a, shift.0), framed(b, shift.1));
    // SAFETY: both have room for as many elements, and are two vectors.
    unsafe { kernel(from[shift.0..].as_ptr(), to[shift.1..].as_mut_ptr(), a.len() / extent) };
    assert!(to[..shift.1].iter().all(|byte| *byte == 0xa5), "wrote before");
    assert!(to[shift.1 + a.len()..] == [0x5a; 64], "wrote behind");
    to[shift.1..][..a.len()].to_vec()
}

/// Elements with what is special of every format: signed zeros, infinities, quiet and signaling NaNs with payloads,
/// numbers that are too small to be normal, and the largest and smallest integers.
fn elements(random: &mut Random, bytes: usize, unit: usize) -> Vec<u8> {
    let mut all = Vec::new();
    while all.len() < bytes {
        let mut element = random.bytes(unit);
        let top = unit - 1;
        match random.below(8) {
            0 => element.fill(0),
            1 => element.fill(0xff),
            2 => element[..top].fill(0),
            3 => (element[..top].fill(0), element[top] &= 0x80).1,
            // Infinities of IEEE formats of 2, 4, 8 and 16 bytes, and NaNs near them.
            4 | 5 if unit > 1 => {
                let exponent = [0, 0, 0x7c00, 0, 0x7f80, 0, 0, 0, 0x7ff0][unit.min(8)];
                let exponent: u16 = if unit == 16 { 0x7fff } else { exponent };
                let sign = (random.below(2) as u16) << 15;
                if random.below(2) == 0 {
                    element[..top].fill(0);
                }
                let kept = if random.below(2) == 0 { 0 } else { 0xff };
                let old = u16::from_le_bytes([element[top - 1] & kept, element[top]]) & !exponent;
                element[top - 1..].copy_from_slice(&(exponent | sign | old & 0x7fff).to_le_bytes());
            }
            // Numbers near one, whose sums and products are rounded.
            6 if unit > 1 => element[top] = 0x3c,
            _ => {}
        }
        all.extend(element);
    }
    all.truncate(bytes);
    all
}

#[test]
fn every_instruction_set_computes_the_same_bits() {
    let mut random = Random(1);
    let sets: Vec<_> = InstructionSet::ALL.iter().filter(|set| set.is_here()).collect();
    for &(datatype, name) in DATATYPES {
        let info = type_info(datatype).unwrap();
        let unit = match name {
            "LONG_DOUBLE" | "LONG_DOUBLE_INT" => 16,
            _ => info.alignment,
        };
        for op in OPERATIONS {
            let Some(baseline) = kernel_in(InstructionSet::Baseline, op, datatype) else {
                continue;
            };
            for count in (0..40).chain([63, 64, 65, 127, 129, 255, 257, 300, 511, 513]) {
                let (a, b) =
                    [(); 2].map(|()| elements(&mut random, count * info.extent, unit)).into();
                let shift = (random.below(64), random.below(64));
                let expected = reduce(baseline, (0, 0), info.extent, &a, &b);
                let at = |what: &str| format!("{name} {op:#x}, {count} elements: {what}");
                for set in &sets {
                    let kernel = kernel_in(**set, op, datatype).unwrap();
                    let result = reduce(kernel, shift, info.extent, &a, &b);
                    assert!(
                        result == expected,
                        "{} {result:x?} {expected:x?}",
                        at(&format!("{set:?}"))
                    );
                }
                // Nor does it matter where in a vector an element is.
                let singles = a.chunks(info.extent).zip(b.chunks(info.extent));
                for ((a, b), expected) in singles.zip(expected.chunks(info.extent)) {
                    let single = reduce(baseline, (0, 0), info.extent, a, b);
                    assert!(
                        single == expected,
                        "{} {a:x?} {b:x?} {single:x?} {expected:x?}",
                        at("alone")
                    );
                }
                assert!(kernel(op, datatype).is_some());
            }
        }
    }
}

/// Every half with many others.
#[test]
fn all_halves_are_converted_alike() {
    let datatype = |name: &str| DATATYPES.iter().find(|(_, known)| *known == name).unwrap().0;
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let special =
        [0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7c01, 0xfe55];
    let mut random = Random(2);
    let others = special.into_iter().chain((0..20).map(|_| random.below(1 << 16) as u16));
    for other in others.collect::<Vec<_>>() {
        let others = other.to_le_bytes().repeat(1 << 16);
        for (op, name) in
            [SUM, PROD, MAX, MIN].map(|op| (op, "REAL2")).into_iter().chain([(PROD, "COMPLEX4")])
        {
            let extent = type_info(datatype(name)).unwrap().extent;
            let run = |set: InstructionSet, a: &[u8], b: &[u8]| {
                reduce(kernel_in(set, op, datatype(name)).unwrap(), (0, 0), extent, a, b)
            };
            let expected = run(InstructionSet::Baseline, &all, &others);
            let reverse = run(InstructionSet::Baseline, &others, &all);
            for set in InstructionSet::ALL.iter().filter(|set| set.is_here()) {
                assert!(run(*set, &all, &others) == expected, "{name} {op:#x} {set:?} {other:#x}");
                assert!(run(*set, &others, &all) == reverse, "{name} {op:#x} {set:?} {other:#x}");
            }
        }
    }
}
