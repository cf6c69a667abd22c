//! Computation between nonblocking messages and the wait for them (section 3.6).

use std::thread;

use cairn_lab::{Computation, Lab, Metric, Slots, Summary, Work, compute};

use crate::{Args, Form};

pub fn measure(lab: &Lab, args: &Args) -> Result<(), String> {
    if args.form == Form::Processes {
        steps(lab, args);
        return Ok(());
    }
    // A thread that blocks in MPI until the end, and so makes progress for the others.
    let blocked = lab.world().duplicate();
    thread::scope(|scope| {
        let me = lab.rank();
        scope.spawn(move || blocked.receive(&mut [], Some(me), Some(0)));
        steps(lab, args);
        blocked.send(&[], me, 0);
    });
    blocked.free();
    Ok(())
}

fn steps(lab: &Lab, args: &Args) {
    let work = Computation::calibrate().steps(args.computation as f64 * 1e-6);
    lab.points(args.sizes().len() * 3);
    for bytes in args.sizes().values() {
        let time = |name: &str, communicates: bool, work: u64| -> Summary {
            let measured = lab.measure(1, |_| Box::new(Step::new(lab, communicates, work, bytes)));
            let time = measured.time(1.0);
            lab.point(&[("bytes", bytes.into()), ("step", name.into())], Metric::Time, time);
            time
        };
        let communication = time("communication", true, 0).median;
        let computation = time("computation", false, work).median;
        let both = time("both", true, work).median;
        let hidden = (communication + computation - both) / communication.min(computation);
        let at = [("bytes", bytes.into()), ("step", "both".into())];
        lab.point(&at, Metric::Overlap, Summary::of(&[hidden.clamp(0.0, 1.0)]));
    }
}

/// Rows and columns of a grid of so many ranks, as near to a square as it goes.
fn grid(ranks: usize) -> (usize, usize) {
    let rows = (1..=ranks.isqrt()).rev().find(|rows| ranks.is_multiple_of(*rows)).unwrap_or(1);
    (rows, ranks / rows)
}

/// The neighbours of a rank to the north, south, west and east, on a torus.
fn neighbours(rank: usize, ranks: usize) -> [usize; 4] {
    let (rows, columns) = grid(ranks);
    let (row, column) = (rank / columns, rank % columns);
    let at = |row: usize, column: usize| row % rows * columns + column % columns;
    [
        at(row + rows - 1, column),
        at(row + 1, column),
        at(row, column + columns - 1),
        at(row, column + 1),
    ]
}

/// The direction that lies opposite to one of [`neighbours`].
fn opposite(direction: usize) -> usize {
    direction ^ 1
}

struct Step<'a> {
    lab: &'a Lab,
    communicates: bool,
    work: u64,
    neighbours: [usize; 4],
    /// One for each direction.
    sent: Slots,
    received: Slots,
}

impl Step<'_> {
    fn new(lab: &Lab, communicates: bool, work: u64, bytes: usize) -> Step<'_> {
        Step {
            lab,
            communicates,
            work,
            neighbours: neighbours(lab.rank(), lab.size()),
            sent: Slots::new(4, bytes),
            received: Slots::new(4, bytes),
        }
    }

    /// Of what a rank sends in a direction.
    fn seed(rank: usize, direction: usize, round: u64) -> u64 {
        ((rank as u64) << 32) + ((direction as u64) << 28) + round
    }
}

impl Work for Step<'_> {
    fn prepare(&mut self, round: u64) {
        self.received.poison();
        for direction in 0..4 {
            self.sent.fill(direction, Step::seed(self.lab.rank(), direction, round));
        }
    }

    fn run(&mut self, iterations: u64) {
        let comm = self.lab.world();
        for _ in 0..iterations {
            if self.communicates {
                for (direction, neighbour) in self.neighbours.into_iter().enumerate() {
                    // A message travels in the direction that is its tag.
                    let tag = Some(opposite(direction));
                    self.received.start_receive(direction, comm, Some(neighbour), tag);
                }
                for (direction, neighbour) in self.neighbours.into_iter().enumerate() {
                    self.sent.start_send(direction, comm, neighbour, direction);
                }
            }
            if self.work > 0 {
                compute(self.work);
            }
            if self.communicates {
                self.received.wait_all();
                self.sent.wait_all();
            }
        }
    }

    fn verify(&mut self, round: u64) -> u64 {
        if !self.communicates {
            return 0;
        }
        let wrong = |direction: &usize| {
            let seed = Step::seed(self.neighbours[*direction], opposite(*direction), round);
            !self.received.check(*direction, seed)
        };
        (0..4).filter(wrong).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torus_is_as_square_as_it_goes() {
        assert_eq!([1, 2, 3, 4, 6, 12].map(grid), [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 4)]);
        assert_eq!(neighbours(0, 6), [3, 3, 2, 1]);
        assert_eq!(neighbours(5, 6), [2, 2, 4, 3]);
        assert_eq!(neighbours(0, 1), [0; 4]);
        for ranks in 1..=12 {
            for rank in 0..ranks {
                for (direction, neighbour) in neighbours(rank, ranks).into_iter().enumerate() {
                    assert_eq!(neighbours(neighbour, ranks)[opposite(direction)], rank);
                }
            }
        }
    }
}
