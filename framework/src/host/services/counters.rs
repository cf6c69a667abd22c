//! Performance counters: cells that their owners count in, added up when somebody reads.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use serde::Serialize;

use crate::abi::counter::{COUNTER_LEVEL, COUNTER_MAXIMUM, COUNTER_SUM, CounterCell};

/// What a counter counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CounterInfo {
    /// The full name.
    pub name: String,
    /// What is counted.
    pub help: String,
    /// In what.
    pub unit: Option<String>,
    /// One of [`COUNTER_SUM`], [`COUNTER_LEVEL`], [`COUNTER_MAXIMUM`].
    pub kind: u32,
    /// Who needs to know it, 1 to 9.
    pub level: u32,
}

struct Counter {
    info: CounterInfo,
    cells: Vec<Cell>,
    /// What cells that are gone have left: their sum, or the largest.
    past: u64,
}

#[derive(Clone, Copy)]
struct Cell {
    owner: usize,
    address: *const CounterCell,
}

// SAFETY: owners keep a cell alive until they take it out, and cells are atomic.
unsafe impl Send for Cell {}

impl Cell {
    fn read(self) -> u64 {
        // SAFETY: see `Send`.
        unsafe { (*self.address).value.load(Ordering::Relaxed) }
    }
}

/// The counters of a process, by name.
#[derive(Default)]
pub(crate) struct Counters(Mutex<BTreeMap<String, Counter>>);

fn combine(kind: u32, values: impl Iterator<Item = u64>) -> u64 {
    if kind == COUNTER_MAXIMUM {
        values.max().unwrap_or(0)
    } else {
        values.fold(0, u64::wrapping_add)
    }
}

impl Counters {
    /// Makes a counter or adds a cell to one. What does not fit is the error.
    ///
    /// # Safety
    /// The cell stays valid until it is removed.
    pub unsafe fn add(
        &self,
        owner: usize,
        info: CounterInfo,
        cell: *const CounterCell,
    ) -> Result<(), String> {
        if ![COUNTER_SUM, COUNTER_LEVEL, COUNTER_MAXIMUM].contains(&info.kind) {
            return Err(format!("counter {}: there is no kind {}", info.name, info.kind));
        }
        if cell.is_null() {
            return Err(format!("counter {}: its cell is null", info.name));
        }
        let mut counters = self.0.lock();
        let counter = counters.entry(info.name.clone()).or_insert_with(|| Counter {
            info: info.clone(),
            cells: Vec::new(),
            past: 0,
        });
        if counter.info.kind != info.kind {
            return Err(format!("counter {} is there already, of another kind", info.name));
        }
        counter.cells.push(Cell { owner, address: cell });
        Ok(())
    }

    /// Takes cells of an owner out: one, or all.
    pub fn remove(&self, owner: usize, cell: Option<*const CounterCell>) {
        for counter in self.0.lock().values_mut() {
            let gone: Vec<Cell> = counter
                .cells
                .extract_if(.., |one| {
                    one.owner == owner && cell.is_none_or(|cell| one.address == cell)
                })
                .collect();
            // A level has no past: what is gone is not there.
            if counter.info.kind != COUNTER_LEVEL {
                let values = gone.into_iter().map(Cell::read).chain([counter.past]);
                counter.past = combine(counter.info.kind, values);
            }
        }
    }

    /// How many cells an owner has in.
    pub fn cells_of(&self, owner: usize) -> usize {
        let counters = self.0.lock();
        counters
            .values()
            .flat_map(|counter| &counter.cells)
            .filter(|cell| cell.owner == owner)
            .count()
    }

    /// Every counter with its value.
    pub fn read(&self) -> Vec<(CounterInfo, u64)> {
        let counters = self.0.lock();
        counters
            .values()
            .map(|counter| {
                let values = counter.cells.iter().map(|cell| cell.read()).chain([counter.past]);
                (counter.info.clone(), combine(counter.info.kind, values))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str, kind: u32) -> CounterInfo {
        CounterInfo { name: name.into(), help: "Help.".into(), unit: None, kind, level: 4 }
    }

    #[test]
    fn cells_are_added_up_by_kind() {
        let counters = Counters::default();
        let cells: [CounterCell; 6] = Default::default();
        for (cell, value) in cells.iter().zip([3, 4, 3, 4, 3, 4]) {
            cell.value.store(value, Ordering::Relaxed);
        }
        let names = [("a", COUNTER_SUM), ("b", COUNTER_MAXIMUM), ("c", COUNTER_LEVEL)];
        for (i, (name, kind)) in names.into_iter().enumerate() {
            for cell in &cells[2 * i..2 * i + 2] {
                // SAFETY: the cells outlive the counters' use.
                unsafe { counters.add(1, info(name, kind), cell) }.unwrap();
            }
        }
        let read = || counters.read().into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(read(), [7, 4, 7]);
        counters.remove(1, Some(&raw const cells[1]));
        counters.remove(1, Some(&raw const cells[3]));
        counters.remove(1, Some(&raw const cells[5]));
        assert_eq!(read(), [7, 4, 3]);
        cells[0].value.store(10, Ordering::Relaxed);
        assert_eq!(read(), [14, 4, 3]);
        counters.remove(1, None);
        assert_eq!(read(), [14, 4, 0]);
        // SAFETY: refused before the cell is used.
        let refused = unsafe { counters.add(1, info("a", COUNTER_LEVEL), &raw const cells[0]) };
        assert!(refused.unwrap_err().contains("another kind"));
        // SAFETY: as above.
        assert!(unsafe { counters.add(1, info("d", 9), &raw const cells[0]) }.is_err());
    }
}
