//! The counters that `--mca counters_report` asks for, printed when the process leaves its job.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::io::Write as _;

use cairn_framework::frameworks::coll::{
    COLL_GATHER, COLL_GATHERV, CollArgs, CollCounts, CollSide,
};
use cairn_framework::host::CounterInfo;

use crate::abi::generated::constants::*;
use crate::abi::generated::types::{Count, Datatype};
use crate::error::Result;
use crate::objects::comm::CommRef;
use crate::objects::datatype::DatatypeRef;
use crate::runtime::{Runtime, no_data};

/// Prints what the user asked for. All processes of the job call this, with the same parameter and
/// `MPI_COMM_WORLD`.
pub fn report(runtime: &Runtime, world: CommRef) -> Result<()> {
    let wanted = runtime.system.counters_report();
    if wanted == "off" {
        return Ok(());
    }
    let job = runtime.system.job();
    let own = runtime.system.counters();
    if wanted == "ranks" {
        let mut table = Table::default();
        own.iter().for_each(|(info, value)| table.add(info, *value));
        print(&table.text(&format!("counters of rank {} of {}", job.rank, job.size)));
        return Ok(());
    }
    let texts = gather(world, &lines(&own))?;
    if job.rank == 0 {
        let mut table = Table::default();
        for (info, value) in texts.iter().flat_map(|text| text.lines()).filter_map(parse) {
            table.add(&info, value);
        }
        print(&table.text(&format!("counters of {} processes", job.size)));
    }
    Ok(())
}

/// In one piece, so that the tables of several processes don't mix.
fn print(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Counters as they travel: kind, value, unit and name.
fn lines(counters: &[(CounterInfo, u64)]) -> String {
    counters.iter().fold(String::new(), |mut text, (info, value)| {
        let unit = info.unit.as_deref().unwrap_or("");
        let _ = writeln!(text, "{}\t{value}\t{unit}\t{}", info.kind, info.name);
        text
    })
}

fn parse(line: &str) -> Option<(CounterInfo, u64)> {
    let mut parts = line.splitn(4, '\t');
    let kind = parts.next()?.parse().ok()?;
    let value = parts.next()?.parse().ok()?;
    let unit = Some(parts.next()?.to_owned());
    let name = parts.next()?.to_owned();
    let (owner, help) = (String::new(), String::new());
    Some((CounterInfo { name, owner, help, unit, kind, level: 1, by_comm: false }, value))
}

/// The texts of all processes, at the first one.
fn gather(world: CommRef, text: &str) -> Result<Vec<String>> {
    let at_root = if world.rank() == 0 { world.size() as usize } else { 0 };
    let (mut length, mut lengths) = (text.len() as Count, vec![0 as Count; at_root]);
    let send = side((&raw mut length).cast(), 1, MPI_COUNT)?;
    let receive = side(lengths.as_mut_ptr().cast(), 1, MPI_COUNT)?;
    // SAFETY: the buffers have as many elements as they need, of these types.
    unsafe { world.run(&CollArgs { send, receive, ..no_data(COLL_GATHER) })? };
    let starts: Vec<Count> = lengths
        .iter()
        .scan(0, |end, length| {
            *end += length;
            Some(*end - length)
        })
        .collect();
    let mut all = vec![0u8; lengths.iter().sum::<Count>() as usize];
    let send = side(text.as_ptr().cast_mut().cast(), length as u64, MPI_BYTE)?;
    let numbers = |all: &[Count]| CollCounts { data: all.as_ptr().cast(), width: 8, reserved: 0 };
    let receive = CollSide {
        counts: numbers(&lengths),
        displacements: numbers(&starts),
        ..side(all.as_mut_ptr().cast(), 0, MPI_BYTE)?
    };
    // SAFETY: as above.
    unsafe { world.run(&CollArgs { send, receive, ..no_data(COLL_GATHERV) })? };
    let part = |(start, length): (&Count, &Count)| {
        String::from_utf8_lossy(&all[*start as usize..][..*length as usize]).into_owned()
    };
    Ok(starts.iter().zip(&lengths).map(part).collect())
}

/// One side of an operation.
fn side(buffer: *mut c_void, count: u64, datatype: Datatype) -> Result<CollSide> {
    let datatype = DatatypeRef::of(datatype)?.view();
    Ok(CollSide { buffer, count, datatype, ..no_data(0).send })
}

/// Counters of one process or several.
#[derive(Default)]
struct Table {
    rows: BTreeMap<String, (CounterInfo, Vec<u64>)>,
    processes: usize,
}

impl Table {
    fn add(&mut self, info: &CounterInfo, value: u64) {
        let row = self.rows.entry(info.name.clone()).or_insert_with(|| (info.clone(), Vec::new()));
        row.1.push(value);
        self.processes = self.processes.max(row.1.len());
    }

    /// The rows in which something was counted. Of several processes: the value of all together, the
    /// least and the most of one.
    fn text(&self, title: &str) -> String {
        let shown = self.rows.values().filter(|(_, values)| values.iter().any(|it| *it != 0));
        let mut lines = vec![match self.processes {
            0 | 1 => ["counter", "", "value", "", ""].map(str::to_owned),
            _ => ["counter", "", "all", "least", "most"].map(str::to_owned),
        }];
        for (info, values) in shown {
            let unit = info.unit.clone().unwrap_or_default();
            let all = info.combine(values.iter().copied()).to_string();
            // A process without the counter has counted nothing.
            let least =
                if values.len() < self.processes { 0 } else { *values.iter().min().unwrap_or(&0) };
            let most = values.iter().max().unwrap_or(&0);
            lines.push(match self.processes {
                0 | 1 => [info.name.clone(), unit, all, String::new(), String::new()],
                _ => [info.name.clone(), unit, all, least.to_string(), most.to_string()],
            });
        }
        let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
        let widths = [0, 1, 2, 3, 4].map(width);
        lines.iter().fold(format!("cairn: {title}\n"), |mut text, line| {
            let mut row =
                format!("  {:<w$}  {:<u$}", line[0], line[1], w = widths[0], u = widths[1]);
            for column in 2..5 {
                let _ = write!(row, "  {:>w$}", line[column], w = widths[column]);
            }
            let _ = writeln!(text, "{}", row.trim_end());
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_framework::abi::counter::{COUNTER_MAXIMUM, COUNTER_SUM};

    fn info(name: &str, kind: u32) -> CounterInfo {
        let (owner, help) = (String::new(), String::new());
        let unit = Some("messages".to_owned());
        CounterInfo { name: name.into(), owner, help, unit, kind, level: 1, by_comm: false }
    }

    #[test]
    fn counters_travel_as_they_are() {
        let all = [(info("a", COUNTER_SUM), u64::MAX), (info("b", COUNTER_MAXIMUM), 0)];
        let back: Vec<_> = lines(&all).lines().filter_map(parse).collect();
        assert_eq!(back, all);
        assert!(parse("1\tx\t\tname").is_none() && parse("").is_none());
    }

    #[test]
    fn a_table_has_what_was_counted() {
        let mut table = Table::default();
        for (sum, most) in [(5, 7), (10, 3)] {
            table.add(&info("sum", COUNTER_SUM), sum);
            table.add(&info("most", COUNTER_MAXIMUM), most);
            table.add(&info("nothing", COUNTER_SUM), 0);
        }
        let text = table.text("title");
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["cairn:", "title"]);
        assert_eq!(lines[1], ["counter", "all", "least", "most"]);
        assert_eq!(lines[2], ["most", "messages", "7", "3", "7"]);
        assert_eq!(lines[3], ["sum", "messages", "15", "5", "10"]);
        assert_eq!(lines.len(), 4);
    }
}
