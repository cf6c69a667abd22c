//! Performance counters: cells that their owners count in, combined when they are read.
//!
//! A counter keeps its number as long as the process lives, so that tools may hold on to it, and its
//! count when cells are taken out.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::abi::lock::Mutex;
use crate::audit::LockLevel;
use serde::Serialize;

use crate::abi::comm::Comm;
use crate::abi::counter::{
    COUNTER_LEVEL, COUNTER_MAXIMUM, COUNTER_MINIMUM, COUNTER_SIZE, CounterCell, CounterRefreshFn,
};

/// What a counter counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CounterInfo {
    /// The full name.
    pub name: String,
    /// Whose it is: `btl_sm`, or `mca` for the base.
    pub owner: String,
    /// What is counted.
    pub help: String,
    /// In what.
    pub unit: Option<String>,
    /// One of `COUNTER_*` of [`crate::abi::counter`].
    pub kind: u32,
    /// Its audience, 1 to 9.
    pub level: u32,
    /// Whether it can be read for each communicator alone.
    pub by_comm: bool,
}

impl CounterInfo {
    /// How values of several cells, or of several processes, become one.
    pub fn combine(&self, values: impl Iterator<Item = u64>) -> u64 {
        match self.kind {
            COUNTER_MAXIMUM => values.max().unwrap_or(0),
            COUNTER_MINIMUM => values.min().unwrap_or(u64::MAX),
            _ => values.fold(0, u64::wrapping_add),
        }
    }

    /// What it says of how things are now, and not of what has happened: such a counter can't be set
    /// to zero, nor begin to count later than others.
    pub fn is_state(&self) -> bool {
        matches!(self.kind, COUNTER_LEVEL | COUNTER_SIZE | COUNTER_MAXIMUM | COUNTER_MINIMUM)
    }

    /// What cells that were taken out leave behind. Of a level nothing: what is gone is not there.
    fn keeps_past(&self) -> bool {
        !matches!(self.kind, COUNTER_LEVEL | COUNTER_SIZE)
    }
}

struct Counter {
    info: CounterInfo,
    /// By address.
    cells: HashMap<usize, Cell>,
    /// What cells that are gone have left.
    past: u64,
}

/// A cell that is to be added to a counter.
#[derive(Clone, Copy)]
pub(crate) struct NewCell {
    /// The cell.
    pub cell: *const CounterCell,
    /// What brings it up to date, if something must.
    pub refresh: Option<(CounterRefreshFn, *mut c_void)>,
}

#[derive(Clone, Copy)]
struct Cell {
    owner: usize,
    new: NewCell,
}

// SAFETY: owners keep a cell alive until they take it out, and cells are atomic.
unsafe impl Send for Cell {}

impl Cell {
    /// Brings it up to date, for all communicators or for one. The caller holds `reading`.
    fn refresh(self, comm: *const Comm) {
        if let Some((refresh, context)) = self.new.refresh {
            // SAFETY: `add` was promised so, and `remove` takes the cell out under `reading`.
            unsafe { refresh(context, comm) };
        }
    }

    fn read(self) -> u64 {
        // SAFETY: see `Send`.
        unsafe { &*self.new.cell }.get()
    }
}

/// A number that the host finds when it is asked.
type Function = fn() -> u64;

/// The counters of a process.
pub(crate) struct Counters {
    /// The parameter `counters`: without it no counter is there.
    off: AtomicBool,
    table: Mutex<Table>,
    /// Held while cells are brought up to date, which happens without the lock of the table, and while
    /// some are taken out. Taken before that of the table.
    reading: Mutex<()>,
}

impl Default for Counters {
    fn default() -> Self {
        let reading = Mutex::at(LockLevel::READING, ());
        Self {
            off: AtomicBool::new(false),
            table: Mutex::at(LockLevel::TABLE, Table::default()),
            reading,
        }
    }
}

#[derive(Default)]
struct Table {
    /// By number.
    all: Vec<Counter>,
    by_name: HashMap<String, usize>,
    /// The counter of each cell.
    by_cell: HashMap<usize, usize>,
    /// By number of the counter, those that the host itself finds.
    functions: HashMap<usize, Function>,
}

impl Table {
    /// The number of a counter, made if it is not there.
    fn number(&mut self, info: CounterInfo) -> Result<usize, String> {
        if let Some(&number) = self.by_name.get(&info.name) {
            let there = &self.all[number].info;
            if there.kind != info.kind {
                return Err(format!("counter {} is there already, of another kind", info.name));
            }
            if there.by_comm != info.by_comm {
                let name = info.name;
                return Err(format!(
                    "counter {name}: all its cells are read by communicator, or none"
                ));
            }
            return Ok(number);
        }
        let number = self.all.len();
        self.by_name.insert(info.name.clone(), number);
        let past = info.combine(std::iter::empty());
        self.all.push(Counter { info, cells: HashMap::new(), past });
        Ok(number)
    }

    /// The value of a counter whose cells are up to date: for all, or for one communicator.
    fn value(&self, number: usize, of_comm: bool) -> u64 {
        let counter = &self.all[number];
        if let Some(function) = self.functions.get(&number) {
            return function();
        }
        let values = counter.cells.values().map(|cell| cell.read());
        let value = if of_comm {
            counter.info.combine(values)
        } else {
            counter.info.combine(values.chain([counter.past]))
        };
        // The smallest of nothing.
        if counter.info.kind == COUNTER_MINIMUM && value == u64::MAX { 0 } else { value }
    }
}

impl Counters {
    /// Turns counting off: no counter that is made from now on is there.
    pub fn turn_off(&self) {
        self.off.store(true, Ordering::Relaxed);
    }

    /// Makes a counter or adds a cell to one. What does not fit is the error.
    ///
    /// # Safety
    /// The cell stays valid until it is removed, and may be brought up to date on any thread.
    pub unsafe fn add(&self, owner: usize, info: CounterInfo, new: NewCell) -> Result<(), String> {
        let cell = new.cell;
        if info.kind > COUNTER_SIZE {
            return Err(format!("counter {}: there is no kind {}", info.name, info.kind));
        }
        if cell.is_null() {
            return Err(format!("counter {}: its cell is null", info.name));
        }
        if self.off.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut table = self.table.lock();
        if let Some(&other) = table.by_cell.get(&cell.addr()) {
            let other = &table.all[other].info.name;
            return Err(format!("counter {}: its cell is one of {other} already", info.name));
        }
        let number = table.number(info)?;
        table.by_cell.insert(cell.addr(), number);
        table.all[number].cells.insert(cell.addr(), Cell { owner, new });
        Ok(())
    }

    /// Makes a counter of the host itself.
    ///
    /// # Panics
    /// If a counter of this name is of another kind.
    pub fn add_function(&self, info: CounterInfo, function: Function) {
        if !self.off.load(Ordering::Relaxed) {
            let mut table = self.table.lock();
            let number = table.number(info).expect("the host names each of its counters once");
            table.functions.insert(number, function);
        }
    }

    /// Takes a cell of an owner out.
    pub fn remove(&self, owner: usize, cell: *const CounterCell) {
        let _reading = self.reading.lock();
        let find = |table: &Table| {
            let number = *table.by_cell.get(&cell.addr())?;
            let found = table.all[number].cells.get(&cell.addr())?;
            (found.owner == owner).then_some((number, *found))
        };
        let Some((number, found)) = find(&self.table.lock()) else { return };
        // It may hold what was read last for one communicator.
        found.refresh(std::ptr::null());
        let mut guard = self.table.lock();
        let table = &mut *guard;
        table.by_cell.remove(&cell.addr());
        let counter = &mut table.all[number];
        counter.cells.remove(&cell.addr());
        if counter.info.keeps_past() {
            counter.past = counter.info.combine([found.read(), counter.past].into_iter());
        }
    }

    /// Takes all cells of an owner out.
    pub fn remove_all(&self, owner: usize) {
        let mut cells = Vec::new();
        for counter in &self.table.lock().all {
            let own = counter.cells.values().filter(|cell| cell.owner == owner);
            cells.extend(own.map(|cell| cell.new.cell));
        }
        for cell in cells {
            self.remove(owner, cell);
        }
    }

    /// How many cells an owner has in.
    pub fn cells_of(&self, owner: usize) -> usize {
        let table = self.table.lock();
        let cells = table.all.iter().flat_map(|counter| counter.cells.values());
        cells.filter(|cell| cell.owner == owner).count()
    }

    /// How many counters there are: their numbers begin at 0.
    pub fn len(&self) -> usize {
        self.table.lock().all.len()
    }

    /// A counter by its number.
    pub fn info(&self, number: usize) -> Option<CounterInfo> {
        Some(self.table.lock().all.get(number)?.info.clone())
    }

    /// The number of a counter.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.table.lock().by_name.get(name).copied()
    }

    /// Brings cells up to date: those of one counter, or all; for one communicator, or all. The caller
    /// holds `reading`.
    fn refresh(&self, number: Option<usize>, comm: *const Comm) {
        let wanted = |(i, _): &(usize, &Counter)| number.is_none_or(|number| number == *i);
        let cells: Vec<Cell> = {
            let table = self.table.lock();
            let counters = table.all.iter().enumerate().filter(wanted);
            counters.flat_map(|(_, counter)| counter.cells.values().copied()).collect()
        };
        cells.iter().for_each(|cell| cell.refresh(comm));
    }

    /// The value of a counter, all in all or for the communicator at an address, which may be gone.
    /// None if there is no such counter, or it can't be read so.
    pub fn read(&self, number: usize, comm: Option<*const Comm>) -> Option<u64> {
        let _reading = self.reading.lock();
        let by_comm = self.table.lock().all.get(number)?.info.by_comm;
        if comm.is_some() && !by_comm {
            return None;
        }
        self.refresh(Some(number), comm.unwrap_or(std::ptr::null()));
        Some(self.table.lock().value(number, comm.is_some()))
    }

    /// Every counter with its value, by name.
    pub fn read_all(&self) -> Vec<(CounterInfo, u64)> {
        let _reading = self.reading.lock();
        self.refresh(None, std::ptr::null());
        let table = self.table.lock();
        let numbered = table.all.iter().enumerate();
        let mut all: Vec<_> =
            numbered.map(|(number, it)| (it.info.clone(), table.value(number, false))).collect();
        all.sort_by(|one, other| one.0.name.cmp(&other.0.name));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::counter::{COUNTER_AGGREGATE, COUNTER_SUM};

    fn info(name: &str, kind: u32) -> CounterInfo {
        CounterInfo {
            name: name.into(),
            owner: "test_tests".into(),
            help: "Help.".into(),
            unit: None,
            kind,
            level: 4,
            by_comm: false,
        }
    }

    fn new(cell: &CounterCell) -> NewCell {
        NewCell { cell, refresh: None }
    }

    #[test]
    fn cells_are_combined_by_kind() {
        let counters = Counters::default();
        let cells: [CounterCell; 8] = Default::default();
        let kinds = [COUNTER_SUM, COUNTER_MAXIMUM, COUNTER_LEVEL, COUNTER_MINIMUM];
        for (cell, value) in cells.iter().zip([3, 4].into_iter().cycle()) {
            cell.add(value);
        }
        for (i, (name, kind)) in ["a", "b", "c", "d"].into_iter().zip(kinds).enumerate() {
            for cell in &cells[2 * i..2 * i + 2] {
                // SAFETY: the cells outlive the counters' use.
                unsafe { counters.add(1, info(name, kind), new(cell)) }.unwrap();
            }
        }
        let read = || counters.read_all().into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(read(), [7, 4, 7, 3]);
        // Of another owner.
        counters.remove(2, &raw const cells[0]);
        assert_eq!(counters.cells_of(1), 8);
        for gone in [1, 3, 5, 6] {
            counters.remove(1, &raw const cells[gone]);
        }
        assert_eq!(read(), [7, 4, 3, 3]);
        cells[0].add(7);
        cells[2].raise(2);
        assert_eq!(read(), [14, 4, 3, 3]);
        counters.remove_all(1);
        assert_eq!((read(), counters.cells_of(1)), (vec![14, 4, 0, 3], 0));
        assert_eq!((counters.len(), counters.find("c"), counters.find("x")), (4, Some(2), None));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let counters = Counters::default();
        let cells: [CounterCell; 3] = Default::default();
        // SAFETY: the cells outlive the counters' use.
        let add =
            |info: CounterInfo, cell: usize| unsafe { counters.add(1, info, new(&cells[cell])) };
        add(info("a", COUNTER_SUM), 0).unwrap();
        let wrong = add(info("a", COUNTER_LEVEL), 1).unwrap_err();
        assert!(wrong.contains("another kind"), "{wrong}");
        let wrong = add(info("b", COUNTER_SUM), 0).unwrap_err();
        assert_eq!(wrong, "counter b: its cell is one of a already");
        assert!(add(info("d", 99), 1).is_err());
        let wrong = add(CounterInfo { by_comm: true, ..info("a", COUNTER_SUM) }, 1).unwrap_err();
        assert!(wrong.contains("by communicator"), "{wrong}");
        counters.turn_off();
        add(info("e", COUNTER_SUM), 2).unwrap();
        assert_eq!(counters.find("e"), None);
    }

    #[test]
    fn cells_are_brought_up_to_date_before_they_are_read() {
        unsafe extern "C" fn refresh(cell: *mut c_void, comm: *const Comm) {
            assert!(comm.is_null());
            // SAFETY: the context is the cell.
            unsafe { &*cell.cast::<CounterCell>() }.add(5);
        }
        let (counters, cell) = (Counters::default(), CounterCell::new());
        let context = (&raw const cell).cast_mut().cast();
        let new = NewCell { refresh: Some((refresh, context)), ..new(&cell) };
        // SAFETY: the cell outlives the counters' use.
        unsafe { counters.add(1, info("a", COUNTER_SUM), new) }.unwrap();
        assert_eq!((counters.read(0, None), counters.read_all()[0].1), (Some(5), 10));
        counters.remove_all(1);
        assert_eq!(counters.read(0, None), Some(15));
    }

    #[test]
    fn a_communicator_is_counted_alone_and_with_the_others() {
        /// Communicators count their own address.
        unsafe extern "C" fn refresh(cell: *mut c_void, comm: *const Comm) {
            let value = if comm.is_null() { 192 } else { comm.addr() as u64 };
            // SAFETY: the context is the cell.
            unsafe { &*cell.cast::<CounterCell>() }.value.store(value, Ordering::Relaxed);
        }
        let (counters, cell) = (Counters::default(), CounterCell::new());
        let context = (&raw const cell).cast_mut().cast();
        let by_comm = CounterInfo { by_comm: true, ..info("bytes", COUNTER_AGGREGATE) };
        let refreshed = NewCell { refresh: Some((refresh, context)), ..new(&cell) };
        // SAFETY: the cell outlives the counters' use.
        unsafe { counters.add(1, by_comm, refreshed) }.unwrap();
        let values = |comm: Option<usize>| counters.read(0, comm.map(std::ptr::without_provenance));
        assert_eq!([None, Some(64), Some(128)].map(values), [192, 64, 128].map(Some));
        // What it leaves is the value for all.
        counters.remove(1, &raw const cell);
        assert_eq!((values(None), values(Some(64))), (Some(192), Some(0)));
        let other = CounterCell::new();
        // SAFETY: as above.
        unsafe { counters.add(1, info("a", COUNTER_SUM), new(&other)) }.unwrap();
        assert_eq!(
            (counters.read(1, Some(std::ptr::null())), counters.read(2, None)),
            (None, None)
        );
    }
}
