//! What data that do not lie one behind the other cost: packing and unpacking them, compared with a loop
//! that a program would write instead, and sending them, compared with contiguous data.
#![forbid(unsafe_code)]

use cairn_lab::{
    Arguments, Comm, Common, Datatype, Lab, List, Metric, POISON, Value, Work, check, fill, name,
    sizes,
};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// Packing, unpacking and sending of data of ten shapes
#[derive(Parser, Serialize)]
#[command(name = "datatypes")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Bytes of data; shapes with rows take the next smaller size that fits theirs
    #[arg(long, default_value = "1k,64k,8m", value_parser = sizes)]
    sizes: List,
    /// How the data lie
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "block1,block2,block8,block128,face-x,face-y,face-z,struct,indexed,transposed"
    )]
    shape: Vec<Shape>,
    /// What is done with them
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "pack,unpack,pack-loop,unpack-loop,pingpong,contiguous"
    )]
    what: Vec<What>,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        1
    }
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Shape {
    /// Every other double
    Block1,
    /// Every other block of 2 doubles
    Block2,
    /// Every other block of 8 doubles
    Block8,
    /// Every other block of 128 doubles
    Block128,
    /// A plane across the last dimension of a 3-D array: single doubles
    FaceX,
    /// A plane across the middle one: rows
    FaceY,
    /// A plane across the first one: contiguous
    FaceZ,
    /// Structures of an integer, a byte, three doubles and a short, with gaps
    Struct,
    /// Doubles at random places
    Indexed,
    /// A square matrix, column by column
    Transposed,
}

#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum What {
    /// MPI_Pack
    Pack,
    /// MPI_Unpack
    Unpack,
    /// A loop that packs
    PackLoop,
    /// A loop that unpacks
    UnpackLoop,
    /// A message of such data back and forth
    Pingpong,
    /// A message of as many contiguous bytes
    Contiguous,
}

/// Bytes of a double.
const DOUBLE: usize = 8;
/// Planes of the 3-D arrays, of which one is taken.
const PLANES: usize = 8;
/// Which one.
const PLANE: usize = 3;
/// Bytes of a structure, and those of its fields, which lie at these places.
const STRUCT: usize = 40;
const FIELDS: usize = 31;

/// Data of a shape, and where they lie.
struct Layout {
    /// None: in a row.
    shape: Option<Shape>,
    /// Doubles of a row, where there are rows.
    row: usize,
    /// Of the doubles of `indexed`.
    places: Vec<usize>,
    datatype: Datatype,
}

impl Layout {
    fn new(shape: Shape, bytes: usize) -> Layout {
        let doubles = (bytes / DOUBLE).max(1);
        let row = doubles.isqrt();
        let blocks =
            |length: usize| Datatype::vector((doubles / length).max(1), length, 2 * length);
        let face = |sizes, part, starts| Datatype::subarray(sizes, part, starts);
        let places = if shape == Shape::Indexed { shuffled(doubles) } else { Vec::new() };
        let datatype = match shape {
            Shape::Block1 => blocks(1),
            Shape::Block2 => blocks(2),
            Shape::Block8 => blocks(8),
            Shape::Block128 => blocks(128),
            Shape::FaceX => face(&[row, row, PLANES], &[row, row, 1], &[0, 0, PLANE]),
            Shape::FaceY => face(&[row, PLANES, row], &[row, 1, row], &[0, PLANE, 0]),
            Shape::FaceZ => face(&[PLANES, row, row], &[1, row, row], &[PLANE, 0, 0]),
            Shape::Struct => {
                let fields = [
                    (0, 1, Value::Int),
                    (4, 1, Value::Byte),
                    (8, 3, Value::Double),
                    (32, 1, Value::Short),
                ];
                Datatype::structures((bytes / FIELDS).max(1), STRUCT, &fields)
            }
            Shape::Indexed => Datatype::indexed(&places),
            Shape::Transposed => Datatype::columns(row, row),
        };
        Layout { shape: Some(shape), row, places, datatype }
    }

    /// So many bytes in a row.
    fn contiguous(bytes: usize) -> Layout {
        let datatype = Datatype::contiguous(bytes);
        Layout { shape: None, row: 0, places: Vec::new(), datatype }
    }

    /// Bytes of memory: what the data are spread over, up to the end of the last block.
    fn memory(&self) -> usize {
        let row = self.row * DOUBLE;
        let Some(shape) = self.shape else { return self.datatype.size() };
        match shape {
            Shape::Block1 | Shape::Block2 | Shape::Block8 | Shape::Block128 => {
                2 * self.datatype.size()
            }
            Shape::FaceX | Shape::FaceY | Shape::FaceZ => PLANES * self.row * row,
            Shape::Struct => self.datatype.size() / FIELDS * STRUCT,
            Shape::Indexed => 2 * self.datatype.size(),
            Shape::Transposed => self.row * row,
        }
    }

    /// Packs, or else unpacks, as a program would do that has no datatypes.
    fn by_hand<const PACK: bool>(&self, memory: &mut [u8], packed: &mut [u8]) {
        let row = self.row * DOUBLE;
        let Some(shape) = self.shape else { return moved::<PACK>(memory, packed) };
        match shape {
            Shape::Block1 => strided::<PACK, 8>(memory, packed),
            Shape::Block2 => strided::<PACK, 16>(memory, packed),
            Shape::Block8 => strided::<PACK, 64>(memory, packed),
            Shape::Block128 => strided::<PACK, 1024>(memory, packed),
            Shape::FaceX => {
                let cells = memory.chunks_exact_mut(PLANES * DOUBLE);
                for (cell, one) in cells.zip(packed.chunks_exact_mut(DOUBLE)) {
                    moved::<PACK>(&mut cell[PLANE * DOUBLE..][..DOUBLE], one);
                }
            }
            Shape::FaceY => {
                let planes = memory.chunks_exact_mut(PLANES * row);
                for (plane, one) in planes.zip(packed.chunks_exact_mut(row)) {
                    moved::<PACK>(&mut plane[PLANE * row..][..row], one);
                }
            }
            Shape::FaceZ => {
                let plane = self.row * row;
                moved::<PACK>(&mut memory[PLANE * plane..][..plane], &mut packed[..plane]);
            }
            Shape::Struct => {
                let all = memory.chunks_exact_mut(STRUCT);
                for (from, to) in all.zip(packed.chunks_exact_mut(FIELDS)) {
                    moved::<PACK>(&mut from[..5], &mut to[..5]);
                    moved::<PACK>(&mut from[8..34], &mut to[5..]);
                }
            }
            Shape::Indexed => {
                for (place, one) in self.places.iter().zip(packed.chunks_exact_mut(DOUBLE)) {
                    moved::<PACK>(&mut memory[place * DOUBLE..][..DOUBLE], one);
                }
            }
            Shape::Transposed => {
                for (column, all) in packed.chunks_exact_mut(row).enumerate() {
                    let rows = memory.chunks_exact_mut(row);
                    for (from, one) in rows.zip(all.chunks_exact_mut(DOUBLE)) {
                        moved::<PACK>(&mut from[column * DOUBLE..][..DOUBLE], one);
                    }
                }
            }
        }
    }
}

/// Copies between two places of the same length.
#[inline(always)]
fn moved<const PACK: bool>(memory: &mut [u8], packed: &mut [u8]) {
    if PACK { packed.copy_from_slice(memory) } else { memory.copy_from_slice(packed) }
}

/// Every other block of so many bytes.
fn strided<const PACK: bool, const BLOCK: usize>(memory: &mut [u8], packed: &mut [u8]) {
    for (from, to) in memory.chunks_exact_mut(2 * BLOCK).zip(packed.chunks_exact_mut(BLOCK)) {
        moved::<PACK>(&mut from[..BLOCK], to);
    }
}

/// One place in each pair of neighbours, in a random order that is always the same.
fn shuffled(number: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..number).map(|pair| 2 * pair).collect();
    let mut state = 1_u64;
    for last in (1..number).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        places.swap(last, (state >> 33) as usize % (last + 1));
    }
    places
}

/// Packing or unpacking on one rank.
struct Local {
    layout: Layout,
    what: What,
    comm: Comm,
    memory: Vec<u8>,
    packed: Vec<u8>,
}

impl Local {
    fn packs(&self) -> bool {
        matches!(self.what, What::Pack | What::PackLoop)
    }
}

impl Work for Local {
    fn prepare(&mut self, round: u64) {
        let (source, target) = match self.packs() {
            true => (&mut self.memory, &mut self.packed),
            false => (&mut self.packed, &mut self.memory),
        };
        fill(source, round);
        target.fill(POISON);
    }

    fn run(&mut self, iterations: u64) {
        let Local { layout, what, comm, memory, packed } = self;
        for _ in 0..iterations {
            match what {
                What::Pack => layout.datatype.pack(memory, packed, *comm),
                What::Unpack => layout.datatype.unpack(packed, memory, *comm),
                What::PackLoop => layout.by_hand::<true>(memory, packed),
                _ => layout.by_hand::<false>(memory, packed),
            }
            // So that the compiler does not leave an iteration out.
            std::hint::black_box((&mut *memory, &mut *packed));
        }
    }

    /// Whether both sides have the same data, and the source has those of the round.
    fn verify(&mut self, round: u64) -> u64 {
        let mut other = vec![0; self.packed.len()];
        self.layout.by_hand::<true>(&mut self.memory, &mut other);
        let source = if self.packs() { &self.memory } else { &self.packed };
        u64::from(other != self.packed || !check(source, round))
    }
}

/// One side of a message that goes back and forth.
struct Player {
    layout: Layout,
    comm: Comm,
    serves: bool,
    memory: Vec<u8>,
}

impl Player {
    fn partner(&self) -> usize {
        usize::from(self.serves)
    }
}

impl Work for Player {
    fn prepare(&mut self, round: u64) {
        if self.serves {
            fill(&mut self.memory, round);
        } else {
            self.memory.fill(POISON);
        }
    }

    // As in pingpong: a message that gets lost or damaged in any of the iterations is seen at the end.
    fn run(&mut self, iterations: u64) {
        let (comm, partner) = (self.comm, self.partner());
        for _ in 0..iterations {
            if self.serves {
                self.layout.datatype.send(&self.memory, comm, partner);
                self.layout.datatype.receive(&mut self.memory, comm, partner);
            } else {
                self.layout.datatype.receive(&mut self.memory, comm, partner);
                self.layout.datatype.send(&self.memory, comm, partner);
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        let mut sent = vec![0; self.memory.len()];
        fill(&mut sent, round);
        let [mut data, mut wanted] = [0, 0].map(|_| vec![0; self.layout.datatype.size()]);
        self.layout.by_hand::<true>(&mut self.memory, &mut data);
        self.layout.by_hand::<true>(&mut sent, &mut wanted);
        u64::from(data != wanted)
    }
}

fn main() {
    let (lab, args) = Lab::start::<Args>();
    let ranks = lab.size();
    if ranks < 2 {
        lab.refuse(&format!("a message needs 2 ranks; the job has {ranks}"));
    }
    lab.points(args.sizes.len() * args.shape.len() * args.what.len());
    for bytes in args.sizes.values() {
        for shape in &args.shape {
            for what in &args.what {
                let measured = lab.measure(1, |worker| {
                    let (rank, comm) = (worker.entity.rank, lab.world());
                    let layout = Layout::new(*shape, bytes);
                    match what {
                        What::Pingpong | What::Contiguous if rank < 2 => {
                            let size = layout.datatype.size();
                            let layout = match what {
                                What::Pingpong => layout,
                                // As much, in a row.
                                _ => Layout::contiguous(size),
                            };
                            let memory = vec![POISON; layout.memory()];
                            Box::new(Player { layout, comm, serves: rank == 0, memory })
                        }
                        What::Pingpong | What::Contiguous => Box::new(()),
                        _ if rank == 0 => {
                            let memory = vec![POISON; layout.memory()];
                            let packed = vec![POISON; layout.datatype.size()];
                            Box::new(Local { layout, what: *what, comm, memory, packed })
                        }
                        _ => Box::new(()),
                    }
                });
                let (metric, parts) = match what {
                    What::Pingpong | What::Contiguous => (Metric::Latency, 2.0),
                    _ => (Metric::Time, 1.0),
                };
                let at = [
                    ("bytes", bytes.into()),
                    ("shape", name(shape).into()),
                    ("what", name(what).into()),
                ];
                lab.point(&at, metric, measured.time(parts));
            }
        }
    }
    lab.finish();
}
