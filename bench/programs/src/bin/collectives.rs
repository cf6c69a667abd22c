//! Time of collective operations, of which each needs what the one before has brought.
#![forbid(unsafe_code)]

use cairn_bench::Floor;
use cairn_lab::{
    Arguments, Comm, Common, Duct, Entity, Lab, List, Metric, POISON, Work, check, fill, name,
    pairwise, sizes,
};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// Time of collective operations
#[derive(Parser, Serialize)]
#[command(name = "collectives")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// The operations; the root of one that has a root is the next rank each time
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "barrier,bcast,reduce,allreduce,allgather,alltoall"
    )]
    operations: Vec<Operation>,
    /// Sizes of the vectors, and of the blocks of allgather and alltoall, in bytes, such as 8,64k-1m
    #[arg(long, default_value = "8-1m", value_parser = sizes)]
    sizes: List,
    #[command(flatten)]
    #[serde(flatten)]
    floor: Floor,
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Operation {
    /// MPI_Barrier
    Barrier,
    /// MPI_Bcast
    Bcast,
    /// MPI_Reduce, sums of unsigned integers of 64 bits
    Reduce,
    /// MPI_Allreduce, the same
    Allreduce,
    /// MPI_Allgather
    Allgather,
    /// MPI_Alltoall
    Alltoall,
}

impl Operation {
    /// The sizes that it has of these.
    fn sizes(self, sizes: &List) -> Vec<usize> {
        match self {
            Self::Barrier => vec![0],
            // Whole numbers.
            Self::Reduce | Self::Allreduce => {
                sizes.values().filter(|bytes| bytes.is_multiple_of(WORD)).collect()
            }
            _ => sizes.values().collect(),
        }
    }
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        1
    }
}

fn main() {
    let (lab, args) = Lab::start::<Args>();
    let ranks = lab.size();
    if ranks < 2 {
        lab.refuse(&format!("2 ranks are needed; the job has {ranks}"));
    }
    if let Err(reason) = args.floor.check((ranks - 1, 1)) {
        lab.refuse(&reason);
    }
    let points: Vec<(Operation, usize)> = args
        .operations
        .iter()
        .flat_map(|operation| {
            operation.sizes(&args.sizes).into_iter().map(|bytes| (*operation, bytes))
        })
        .collect();
    lab.points(points.len());
    for (operation, bytes) in points {
        let measured = lab.measure(1, |_| Box::new(Member::new(&lab, &args, operation, bytes)));
        let at = [("operation", name(&operation).into()), ("bytes", bytes.into())];
        lab.point(&at, Metric::Time, measured.time(1.0));
    }
    lab.finish();
}

/// Bytes of a number.
const WORD: usize = size_of::<u64>();

/// What a rank has of an operation.
struct Member {
    comm: Comm,
    rank: usize,
    ranks: usize,
    operation: Operation,
    /// Bytes of a vector or block.
    bytes: usize,
    /// What it gives.
    given: Vec<u8>,
    /// What it gets.
    got: Vec<u8>,
    /// Both, of a reduction.
    addends: Vec<u64>,
    sums: Vec<u64>,
    /// The root of the last operation.
    root: usize,
    /// In place of MPI.
    duct: Option<Duct>,
}

impl Member {
    fn new(lab: &Lab, args: &Args, operation: Operation, bytes: usize) -> Self {
        let (comm, rank, ranks) = (lab.world(), lab.rank(), lab.size());
        let blocks = |all| bytes * if all { ranks } else { 1 };
        let (given, got, words) = match operation {
            Operation::Barrier => (0, 0, 0),
            Operation::Bcast => (0, bytes, 0),
            // The bytes are those that the floor sends and receives.
            Operation::Reduce | Operation::Allreduce => (bytes, bytes, bytes / WORD),
            Operation::Allgather => (bytes, blocks(true), 0),
            Operation::Alltoall => (blocks(true), blocks(true), 0),
        };
        let pair = pairwise(2, (1, 1), (1, 1)).expect("two ranks are a pair");
        Self {
            comm,
            rank,
            ranks,
            operation,
            bytes,
            given: vec![0; given],
            got: vec![POISON; got],
            addends: vec![0; words],
            sums: vec![0; words],
            root: 0,
            duct: args.floor.duct(comm, &pair[0], Entity { rank, thread: 0 }),
        }
    }

    /// By what the data from one rank to another one are known.
    fn seed(&self, round: u64, from: usize, to: usize) -> u64 {
        (((round << 16) + from as u64) << 16) + to as u64
    }

    /// The numbers that a rank adds.
    fn numbers(&self, round: u64, rank: usize) -> Vec<u64> {
        let mut bytes = vec![0; self.bytes];
        fill(&mut bytes, self.seed(round, rank, 0));
        words(&bytes).collect()
    }

    fn with_mpi(&mut self) {
        let Self { comm, root, bytes, .. } = *self;
        match self.operation {
            Operation::Barrier => comm.barrier(),
            Operation::Bcast => comm.bcast(&mut self.got, root),
            Operation::Reduce => comm.sum_at(&self.addends, &mut self.sums, root),
            Operation::Allreduce => comm.sum_all(&self.addends, &mut self.sums),
            Operation::Allgather => comm.allgather(&self.given, &mut self.got),
            Operation::Alltoall => comm.alltoall(bytes, &self.given, &mut self.got),
        }
    }

    /// What two processes have to do at least.
    fn with_duct(&mut self, duct: &mut Duct) {
        let (own, other) = (self.rank * self.bytes, (1 - self.rank) * self.bytes);
        let (is_root, bytes) = (self.rank == self.root, self.bytes);
        match self.operation {
            Operation::Barrier => duct.exchange([&[][..]], [&mut [][..]]),
            Operation::Bcast if is_root => duct.send(&self.got),
            Operation::Bcast => duct.receive(&mut self.got),
            Operation::Reduce if is_root => {
                duct.receive(&mut self.got);
                add(&self.addends, &self.got, &mut self.sums);
            }
            Operation::Reduce => duct.send(&self.given),
            Operation::Allreduce => {
                duct.exchange([&self.given[..]], [&mut self.got[..]]);
                add(&self.addends, &self.got, &mut self.sums);
            }
            Operation::Allgather => {
                self.got[own..][..bytes].copy_from_slice(&self.given);
                duct.exchange([&self.given[..]], [&mut self.got[other..][..bytes]]);
            }
            Operation::Alltoall => {
                self.got[own..][..bytes].copy_from_slice(&self.given[own..][..bytes]);
                duct.exchange([&self.given[other..][..bytes]], [&mut self.got[other..][..bytes]]);
            }
        }
    }
}

impl Work for Member {
    fn prepare(&mut self, round: u64) {
        self.got.fill(POISON);
        self.sums.fill(0);
        match self.operation {
            Operation::Barrier => {}
            // The first root has the data, and each that follows has them from the one before.
            Operation::Bcast => {
                if self.rank == 0 {
                    let seed = self.seed(round, 0, 0);
                    fill(&mut self.got, seed);
                }
            }
            Operation::Reduce | Operation::Allreduce => {
                let seed = self.seed(round, self.rank, 0);
                fill(&mut self.given, seed);
                self.addends = words(&self.given).collect();
            }
            Operation::Allgather => {
                let seed = self.seed(round, self.rank, 0);
                fill(&mut self.given, seed);
            }
            Operation::Alltoall => {
                for to in 0..self.ranks {
                    let seed = self.seed(round, self.rank, to);
                    fill(&mut self.given[to * self.bytes..][..self.bytes], seed);
                }
            }
        }
    }

    fn run(&mut self, iterations: u64) {
        let mut duct = self.duct.take();
        for iteration in 0..iterations {
            self.root = (iteration % self.ranks as u64) as usize;
            match &mut duct {
                Some(duct) => self.with_duct(duct),
                None => self.with_mpi(),
            }
        }
        self.duct = duct;
    }

    fn verify(&mut self, round: u64) -> u64 {
        let block = |from: usize| &self.got[from * self.bytes..][..self.bytes];
        let is_right = |from: usize, to: usize| check(block(from), self.seed(round, from, to));
        let wrong = match self.operation {
            Operation::Barrier => 0,
            Operation::Bcast => usize::from(!check(&self.got, self.seed(round, 0, 0))),
            Operation::Reduce if self.rank != self.root => 0,
            Operation::Reduce | Operation::Allreduce => {
                let mut sums = vec![0_u64; self.sums.len()];
                for rank in 0..self.ranks {
                    for (sum, number) in sums.iter_mut().zip(self.numbers(round, rank)) {
                        *sum = sum.wrapping_add(number);
                    }
                }
                usize::from(sums != self.sums)
            }
            Operation::Allgather => (0..self.ranks).filter(|from| !is_right(*from, 0)).count(),
            Operation::Alltoall => {
                (0..self.ranks).filter(|from| !is_right(*from, self.rank)).count()
            }
        };
        wrong as u64
    }
}

/// The numbers in bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<WORD>().0.iter().map(|word| u64::from_ne_bytes(*word))
}

/// Adds the numbers of both.
fn add(own: &[u64], other: &[u8], sums: &mut [u64]) {
    for ((sum, own), other) in sums.iter_mut().zip(own).zip(words(other)) {
        *sum = own.wrapping_add(other);
    }
}
