//! Records that processes have for each other, sent on until each is where it belongs.
//!
//! In step k a process hands those records to the process 2^k ranks above whose way has bit k (Bruck et
//! al., Efficient algorithms for all-to-all communications, 1997; compare the crystal router of Fox et
//! al., 1988). So it exchanges messages with log2 of all processes, whatever the records are, and holds
//! nothing for each process. No message is received from any source, which the program may have asserted
//! of the communicator.
//!
//! Records with the same origin and aim stay in their order.

use std::iter::successors;

use crate::calls::comm::words::swap;
use crate::prelude::*;

/// The rank that it belongs to, and what it says.
pub type Record = [u32; 5];

/// Sends records to where they belong, and gives those that belong here. All processes of the
/// communicator call it with the same tag.
pub fn route(comm: CommRef, tag: i32, records: Vec<Record>) -> Result<Vec<Record>> {
    let (own, size) = (comm.rank(), comm.size());
    let mut held = records;
    for step in steps(size) {
        let sent: Vec<_> = held.extract_if(.., |record| goes(record, step, own, size)).collect();
        let [above, below] = [(own + step) % size, (own + size - step) % size];
        held.extend(swapped(comm, tag, (above, &sent), below)?);
    }
    Ok(held)
}

/// How far records go in each step.
fn steps(size: u32) -> impl Iterator<Item = u32> {
    successors(Some(1_u32), |step| step.checked_mul(2)).take_while(move |step| *step < size)
}

/// Whether a record leaves a process in a step.
fn goes(record: &Record, step: u32, own: u32, size: u32) -> bool {
    let way = (u64::from(record[0]) + u64::from(size - own)) % u64::from(size);
    way & u64::from(step) != 0
}

/// Sends records to one process and gives those of another one.
pub fn swapped(
    comm: CommRef,
    tag: i32,
    (to, records): (u32, &[Record]),
    from: u32,
) -> Result<Vec<Record>> {
    let number = records.len() as u64;
    let mut arriving = [0; 2];
    swap(comm, tag, (to, &[number as u32, (number >> 32) as u32]), (from, &mut arriving))?;
    let arriving = u64::from(arriving[1]) << 32 | u64::from(arriving[0]);
    let mut arrived = vec![Record::default(); arriving as usize];
    swap(comm, tag, (to, records.as_flattened()), (from, arrived.as_flattened_mut()))?;
    Ok(arrived)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What `route` does, for all processes at once.
    pub fn routed(mut held: Vec<Vec<Record>>) -> Vec<Vec<Record>> {
        let size = held.len() as u32;
        for step in steps(size) {
            let sent: Vec<Vec<Record>> = (0..)
                .zip(&mut held)
                .map(|(own, held)| {
                    held.extract_if(.., |record| goes(record, step, own, size)).collect()
                })
                .collect();
            for (own, sent) in sent.into_iter().enumerate() {
                held[(own + step as usize) % size as usize].extend(sent);
            }
        }
        held
    }

    #[test]
    fn every_record_comes_to_its_process_in_order() {
        for size in 1..20 {
            let record = |from, to, number| [to, from, number, 0, 0];
            let records = |from| {
                let each = (0..size).flat_map(move |to| (0..3).map(move |n| record(from, to, n)));
                each.collect::<Vec<_>>()
            };
            for (own, held) in (0..).zip(routed((0..size).map(records).collect())) {
                assert_eq!(held.len() as u32, 3 * size);
                for from in 0..size {
                    let of: Vec<_> = held.iter().filter(|record| record[1] == from).collect();
                    let wanted = [0, 1, 2].map(|number| record(from, own, number));
                    assert!(of.into_iter().eq(&wanted), "{size} {own} {from}");
                }
            }
        }
    }
}
