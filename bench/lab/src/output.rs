//! Tables for people and JSON for tools.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::statistics::Summary;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Seconds for a message one way.
    Latency,
    /// Messages per second.
    Rate,
    /// Bytes per second.
    Bandwidth,
    /// Seconds of processor time.
    Cpu,
    /// Seconds for what the benchmark does once.
    Time,
    /// The part of the communication that is hidden behind computation, from 0 to 1.
    Overlap,
    /// How much performance variables of the library grew.
    Counter,
}

impl Metric {
    /// Name and unit in JSON, and which values are better.
    fn description(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Metric::Latency => ("latency", "s", "lower"),
            Metric::Rate => ("rate", "message/s", "higher"),
            Metric::Bandwidth => ("bandwidth", "byte/s", "higher"),
            Metric::Cpu => ("cpu", "s", "lower"),
            Metric::Time => ("time", "s", "lower"),
            Metric::Overlap => ("overlap", "1", "higher"),
            Metric::Counter => ("counter", "1", "lower"),
        }
    }

    /// What a table shows: the unit and how many of it are one of JSON's.
    fn shown(self) -> (&'static str, f64) {
        match self {
            Metric::Latency | Metric::Time | Metric::Cpu => ("us", 1e6),
            Metric::Rate => ("message/s", 1.0),
            Metric::Bandwidth => ("MB/s", 1e-6),
            Metric::Overlap => ("%", 100.0),
            Metric::Counter => ("1", 1.0),
        }
    }
}

/// The value of a coordinate of a point: a number or a word.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Coordinate {
    /// A count or a size.
    Number(u64),
    /// A name.
    Word(String),
}

impl From<usize> for Coordinate {
    fn from(number: usize) -> Coordinate {
        Coordinate::Number(number as u64)
    }
}

impl From<&str> for Coordinate {
    fn from(word: &str) -> Coordinate {
        Coordinate::Word(word.into())
    }
}

impl From<String> for Coordinate {
    fn from(word: String) -> Coordinate {
        Coordinate::Word(word)
    }
}

impl std::fmt::Display for Coordinate {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Coordinate::Number(number) => number.fmt(out),
            Coordinate::Word(word) => word.fmt(out),
        }
    }
}

/// One result.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub at: Vec<(String, Coordinate)>,
    pub metric: Metric,
    pub value: Summary,
}

/// What the lab knows about the run.
pub(crate) struct Run<'a> {
    pub benchmark: &'a str,
    pub library: &'a str,
    pub library_file: Option<&'a str>,
    pub ranks: usize,
    pub parameters: &'a Value,
    pub points: &'a [Point],
    /// That all ranks have sent; none if the lab does not know.
    pub messages: Option<u64>,
    pub checked: bool,
}

impl Run<'_> {
    /// The object that tools read.
    pub fn json(&self) -> Value {
        let points: Vec<Value> = self.points.iter().map(Point::json).collect();
        let mut object = json!({
            "format": 1,
            "benchmark": self.benchmark,
            "mpi": self.library,
            "library": self.library_file,
            "ranks": self.ranks,
            "parameters": self.parameters,
            "points": points,
            "checked": self.checked,
        });
        if let Some(messages) = self.messages {
            object["messages"] = messages.into();
        }
        object
    }

    /// One row for each place of the sweep, with the median of the batches and how far they lie
    /// apart.
    pub fn table(&self) -> String {
        let mut header: Vec<String> = Vec::new();
        // Cells with their columns, one row for each of `places`.
        let mut places: Vec<&[(String, Coordinate)]> = Vec::new();
        let mut rows: Vec<Vec<(usize, String)>> = Vec::new();
        let mut column = |name: &str| {
            header.iter().position(|other| other == name).unwrap_or_else(|| {
                header.push(name.into());
                header.len() - 1
            })
        };
        for point in self.points {
            for (name, _) in &point.at {
                column(name);
            }
        }
        for point in self.points {
            let row = match places.iter().position(|at| *at == point.at) {
                Some(row) => row,
                None => {
                    let cells = point.at.iter().map(|(name, at)| (column(name), at.to_string()));
                    rows.push(cells.collect());
                    places.push(&point.at);
                    rows.len() - 1
                }
            };
            let (name, _, _) = point.metric.description();
            let (unit, scale) = point.metric.shown();
            let value = number(point.value.median * scale);
            rows[row].push((column(&format!("{name} [{unit}]")), value));
            if point.value.count > 1 {
                let spread = (point.value.maximum - point.value.minimum) / point.value.median;
                let spread = format!("{:.0}%", (spread * 100.0).max(0.0));
                rows[row].push((column(&format!("{name} spread")), spread));
            }
        }
        let mut cells = vec![header.clone()];
        for row in rows {
            let mut line = vec![String::new(); header.len()];
            for (column, text) in row {
                line[column] = text;
            }
            cells.push(line);
        }
        let mut text = format!("# {}: {} ranks, {}\n", self.benchmark, self.ranks, self.library);
        for line in &cells {
            let mut row = String::new();
            for (column, cell) in line.iter().enumerate() {
                let width = cells.iter().map(|line| line[column].len()).max().unwrap_or(0);
                let _ = write!(row, "{cell:>width$}  ");
            }
            let _ = writeln!(text, "{}", row.trim_end());
        }
        text
    }
}

impl Point {
    fn json(&self) -> Value {
        let at: Map<String, Value> =
            self.at.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let (metric, unit, better) = self.metric.description();
        json!({
            "at": at,
            "metric": metric,
            "unit": unit,
            "better": better,
            "value": self.value.median,
        })
    }
}

/// Four significant digits.
fn number(value: f64) -> String {
    let digits = if value.abs() >= 1.0 { value.abs().log10().floor() as i32 + 1 } else { 0 };
    format!("{value:.*}", (4 - digits).max(0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<'a>(points: &'a [Point], parameters: &'a Value) -> Run<'a> {
        let (library, library_file) = ("L 1", Some("/l.so"));
        let (ranks, messages, checked) = (2, Some(7), true);
        let benchmark = "b";
        Run { benchmark, library, library_file, ranks, parameters, points, messages, checked }
    }

    fn point(bytes: usize, metric: Metric, values: &[f64]) -> Point {
        let at = vec![("bytes".into(), bytes.into()), ("mode".into(), "put".into())];
        Point { at, metric, value: Summary::of(values) }
    }

    #[test]
    fn json_is_the_agreed_object() {
        let points = [point(8, Metric::Rate, &[3.0, 1.0, 2.0])];
        let parameters = json!({"threads": 4});
        assert_eq!(
            run(&points, &parameters).json().to_string(),
            r#"{"format":1,"benchmark":"b","mpi":"L 1","library":"/l.so","ranks":2,"#.to_owned()
                + r#""parameters":{"threads":4},"#
                + r#""points":[{"at":{"bytes":8,"mode":"put"},"metric":"rate","#
                + r#""unit":"message/s","better":"higher","value":2.0}],"checked":true,"messages":7}"#
        );
    }

    #[test]
    fn a_table_has_a_row_for_each_place() {
        let points = [
            point(8, Metric::Latency, &[1e-6, 2e-6, 3e-6]),
            point(8, Metric::Bandwidth, &[8e6]),
            point(1024, Metric::Latency, &[12.346e-6]),
        ];
        let expected = "\
# b: 2 ranks, L 1
bytes  mode  latency [us]  latency spread  bandwidth [MB/s]
    8   put         2.000            100%             8.000
 1024   put         12.35
";
        assert_eq!(run(&points, &Value::Null).table(), expected);
    }

    #[test]
    fn numbers_have_four_digits() {
        for (value, shown) in
            [(0.0, "0.0000"), (0.12345, "0.1235"), (9.87654, "9.877"), (1234567.8, "1234568")]
        {
            assert_eq!(number(value), shown);
        }
    }
}
