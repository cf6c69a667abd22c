//! The counters that `--mca counters_report` asks for, printed when the process leaves its job.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use cairn_framework::host::CounterInfo;

use super::Runtime;
use crate::abi::args::Counts;
use crate::abi::generated::constants::*;
use crate::abi::generated::types::Count;
use crate::calls::coll;
use crate::error::Result;

/// Prints what the user asked for. All processes of the job call this, with the same parameter.
pub fn report(runtime: &Runtime) -> Result<()> {
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
    let texts = gather(job.rank, job.size, &lines(&own))?;
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
fn gather(rank: u32, size: u32, text: &str) -> Result<Vec<String>> {
    let at_root = if rank == 0 { size as usize } else { 0 };
    let (length, mut lengths) = (text.len() as Count, vec![0 as Count; at_root]);
    let (one, root, world) = (1, 0, MPI_COMM_WORLD);
    let (from, to) = ((&raw const length).cast(), lengths.as_mut_ptr().cast());
    coll::gather(from, one, MPI_COUNT, to, one, MPI_COUNT, root, world)?;
    let starts: Vec<Count> = lengths
        .iter()
        .scan(0, |end, length| {
            *end += length;
            Some(*end - length)
        })
        .collect();
    let mut all = vec![0u8; lengths.iter().sum::<Count>() as usize];
    let (from, to) = (text.as_ptr().cast(), all.as_mut_ptr().cast());
    let (counts, displacements) = (Counts::Large(&lengths), Counts::Large(&starts));
    coll::gatherv(from, length, MPI_BYTE, to, counts, displacements, MPI_BYTE, root, world)?;
    let part = |(start, length): (&Count, &Count)| {
        String::from_utf8_lossy(&all[*start as usize..][..*length as usize]).into_owned()
    };
    Ok(starts.iter().zip(&lengths).map(part).collect())
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
