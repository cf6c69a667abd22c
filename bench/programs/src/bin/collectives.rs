//! Time of collective operations, of which each needs what the one before has brought.
#![forbid(unsafe_code)]

use cairn_bench::Floor;
use cairn_lab::{
    Arguments, Blocks, Comm, Common, Duct, Entity, Lab, List, Metric, POISON, Work, check, fill,
    name, pairwise, sizes,
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
        default_values_t = Operation::value_variants().iter().copied()
    )]
    operations: Vec<Operation>,
    /// Sizes of the vectors, or of the blocks where the data have one for each rank, in bytes, such as 8,64k-1m
    #[arg(long, default_value = "8-1m", value_parser = sizes)]
    sizes: List,
    #[command(flatten)]
    #[serde(flatten)]
    floor: Floor,
}

#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Operation {
    /// MPI_Barrier
    Barrier,
    /// MPI_Bcast
    Bcast,
    /// MPI_Scatter
    Scatter,
    /// MPI_Scatterv, with blocks of one length, as the others for several lengths
    Scatterv,
    /// MPI_Gather
    Gather,
    /// MPI_Gatherv
    Gatherv,
    /// MPI_Allgather
    Allgather,
    /// MPI_Alltoall
    Alltoall,
    /// MPI_Alltoallv
    Alltoallv,
    /// MPI_Reduce, sums of unsigned integers of 64 bits, as the other reductions
    Reduce,
    /// MPI_Allreduce
    Allreduce,
    /// MPI_Reduce_scatter_block
    ReduceScatterBlock,
    /// MPI_Scan
    Scan,
}

impl Operation {
    fn is_reduction(self) -> bool {
        matches!(self, Self::Reduce | Self::Allreduce | Self::ReduceScatterBlock | Self::Scan)
    }

    /// The sizes that it has of these.
    fn sizes(self, sizes: &List) -> Vec<usize> {
        match self {
            Self::Barrier => vec![0],
            // Whole numbers.
            _ if self.is_reduction() => {
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
    blocks: Blocks,
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
        let all = bytes * ranks;
        let (given, got) = match operation {
            Operation::Barrier => (0, 0),
            Operation::Bcast => (0, bytes),
            Operation::Scatter | Operation::Scatterv => (all, bytes),
            Operation::Gather | Operation::Gatherv | Operation::Allgather => (bytes, all),
            Operation::Alltoall | Operation::Alltoallv => (all, all),
            // The bytes are those that the floor sends and receives.
            Operation::Reduce | Operation::Allreduce | Operation::Scan => (bytes, bytes),
            Operation::ReduceScatterBlock => (all, bytes),
        };
        let numbers = |bytes: usize| if operation.is_reduction() { bytes / WORD } else { 0 };
        let pair = pairwise(2, (1, 1), (1, 1)).expect("two ranks are a pair");
        Self {
            comm,
            rank,
            ranks,
            operation,
            bytes,
            blocks: Blocks::new(bytes, ranks),
            given: vec![0; given],
            got: vec![POISON; got],
            addends: vec![0; numbers(given)],
            sums: vec![0; numbers(got)],
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
        let mut bytes = vec![0; self.given.len()];
        fill(&mut bytes, self.seed(round, rank, 0));
        words(&bytes).collect()
    }

    /// The sums over so many ranks, from the first one on, of those numbers that are in a block.
    fn expected(&self, round: u64, ranks: usize, block: usize) -> Vec<u64> {
        let places = self.sums.len();
        let mut sums = vec![0_u64; places];
        for rank in 0..ranks {
            let numbers = self.numbers(round, rank);
            for (sum, number) in sums.iter_mut().zip(&numbers[block * places..]) {
                *sum = sum.wrapping_add(*number);
            }
        }
        sums
    }

    fn with_mpi(&mut self) {
        let Self { comm, root, bytes, .. } = *self;
        let Self { given, got, addends, sums, blocks, .. } = self;
        match self.operation {
            Operation::Barrier => comm.barrier(),
            Operation::Bcast => comm.bcast(got, root),
            Operation::Scatter => comm.scatter(given, got, root),
            Operation::Scatterv => comm.scatterv(given, got, blocks, root),
            Operation::Gather => comm.gather(given, got, root),
            Operation::Gatherv => comm.gatherv(given, got, blocks, root),
            Operation::Allgather => comm.allgather(given, got),
            Operation::Alltoall => comm.alltoall(bytes, given, got),
            Operation::Alltoallv => comm.alltoallv(given, got, blocks),
            Operation::Reduce => comm.sum_at(addends, sums, root),
            Operation::Allreduce => comm.sum_all(addends, sums),
            Operation::ReduceScatterBlock => comm.sum_blocks(addends, sums),
            Operation::Scan => comm.sum_up_to(addends, sums),
        }
    }

    /// What two processes have to do at least.
    fn with_duct(&mut self, duct: &mut Duct) {
        let (is_root, bytes) = (self.rank == self.root, self.bytes);
        let block = |rank: usize| rank * bytes..(rank + 1) * bytes;
        let (own, other) = (block(self.rank), block(1 - self.rank));
        let numbers = |rank: usize| rank * bytes / WORD..(rank + 1) * bytes / WORD;
        let Self { given, got, addends, sums, .. } = self;
        match self.operation {
            Operation::Barrier => duct.exchange([&[][..]], [&mut [][..]]),
            Operation::Bcast if is_root => duct.send(got),
            Operation::Bcast => duct.receive(got),
            Operation::Scatter | Operation::Scatterv if is_root => {
                duct.send(&given[other]);
                got.copy_from_slice(&given[own]);
            }
            Operation::Scatter | Operation::Scatterv => duct.receive(got),
            Operation::Gather | Operation::Gatherv if is_root => {
                got[own].copy_from_slice(given);
                duct.receive(&mut got[other]);
            }
            Operation::Gather | Operation::Gatherv => duct.send(given),
            Operation::Allgather => {
                got[own].copy_from_slice(given);
                duct.exchange([&given[..]], [&mut got[other]]);
            }
            Operation::Alltoall | Operation::Alltoallv => {
                got[own.clone()].copy_from_slice(&given[own]);
                duct.exchange([&given[other.clone()]], [&mut got[other]]);
            }
            Operation::Reduce if is_root => {
                duct.receive(got);
                add(addends, got, sums);
            }
            Operation::Reduce => duct.send(given),
            Operation::Allreduce => {
                duct.exchange([&given[..]], [&mut got[..]]);
                add(addends, got, sums);
            }
            Operation::ReduceScatterBlock => {
                duct.exchange([&given[other]], [&mut got[..]]);
                add(&addends[numbers(self.rank)], got, sums);
            }
            Operation::Scan if self.rank == 0 => {
                duct.send(given);
                sums.copy_from_slice(addends);
            }
            Operation::Scan => {
                duct.receive(got);
                add(addends, got, sums);
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
            Operation::Scatter
            | Operation::Scatterv
            | Operation::Alltoall
            | Operation::Alltoallv => {
                for to in 0..self.ranks {
                    let seed = self.seed(round, self.rank, to);
                    fill(&mut self.given[to * self.bytes..][..self.bytes], seed);
                }
            }
            _ => {
                let seed = self.seed(round, self.rank, 0);
                fill(&mut self.given, seed);
                if self.operation.is_reduction() {
                    self.addends = words(&self.given).collect();
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
        let is_wrong = |from: usize, to: usize| !check(block(from), self.seed(round, from, to));
        let (rank, ranks, root) = (self.rank, self.ranks, self.root);
        let wrong = match self.operation {
            Operation::Barrier => 0,
            Operation::Reduce | Operation::Gather | Operation::Gatherv if rank != root => 0,
            Operation::Bcast => usize::from(!check(&self.got, self.seed(round, 0, 0))),
            Operation::Scatter | Operation::Scatterv => {
                usize::from(!check(&self.got, self.seed(round, root, rank)))
            }
            Operation::Gather | Operation::Gatherv | Operation::Allgather => {
                (0..ranks).filter(|from| is_wrong(*from, 0)).count()
            }
            Operation::Alltoall | Operation::Alltoallv => {
                (0..ranks).filter(|from| is_wrong(*from, rank)).count()
            }
            Operation::Reduce | Operation::Allreduce => {
                usize::from(self.sums != self.expected(round, ranks, 0))
            }
            Operation::ReduceScatterBlock => {
                usize::from(self.sums != self.expected(round, ranks, rank))
            }
            Operation::Scan => usize::from(self.sums != self.expected(round, rank + 1, 0)),
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
