//! What a benchmark prints with `--json`: one object on the standard output of rank 0.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The version of the format that is understood.
const FORMAT: u32 = 1;

/// The exit status of a benchmark whose MPI lacks what it measures.
pub const SKIPPED: i32 = 77;

/// Where in the sweep a point lies, by name of the coordinate.
pub type At = BTreeMap<String, Scalar>;

/// A value of a file, an option or a coordinate: a number, a word, or yes or no.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
    /// Yes or no.
    Flag(bool),
}

/// It is found in maps, so it has an order: numbers first, by size.
impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        use Scalar::{Flag, Number, Word};
        match (self, other) {
            (Number(a), Number(b)) => a.total_cmp(b),
            (Word(a), Word(b)) => a.cmp(b),
            (Flag(a), Flag(b)) => a.cmp(b),
            (Number(_), _) | (Flag(_), Word(_)) => std::cmp::Ordering::Less,
            (_, Number(_)) | (Word(_), Flag(_)) => std::cmp::Ordering::Greater,
        }
    }
}

impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Scalar {}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// Which of two values of a metric is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Such as a rate.
    Higher,
    /// Such as a time.
    Lower,
}

impl Better {
    /// In words.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Higher => "more is better",
            Self::Lower => "less is better",
        }
    }
}

/// One value that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Where.
    pub at: At,
    /// What was measured, such as `latency`.
    pub metric: String,
    /// In what, such as `s`.
    pub unit: String,
    /// Which is the better one.
    pub better: Better,
    /// The value.
    pub value: f64,
}

/// What a run printed.
#[derive(Debug, Clone, PartialEq)]
pub enum Printed {
    /// It measured this.
    Measured(Measured),
    /// The MPI has not what it takes.
    Skipped(String),
}

/// What a benchmark says of its run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Measured {
    /// The library that it ran on, in its own words.
    #[serde(default)]
    pub mpi: String,
    /// The file that the library was loaded from, if the program says it.
    pub library: Option<PathBuf>,
    /// All parameters, also those that were not given.
    #[serde(default)]
    pub parameters: serde_json::Value,
    /// The values; not empty.
    #[serde(default)]
    pub points: Vec<Point>,
    /// How many messages all processes have sent, if the program says it.
    pub messages: Option<u64>,
}

#[derive(Deserialize)]
struct Object {
    format: u32,
    skipped: Option<String>,
    checked: Option<bool>,
    #[serde(flatten)]
    measured: Measured,
}

/// Reads what a benchmark printed.
///
/// # Errors
/// In words: it printed nothing, or something else, or its data was wrong.
pub fn read(text: &str) -> Result<Printed, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("it printed nothing".into());
    }
    let other = |why: &str| {
        let start: String = text.chars().take(60).collect();
        format!("it did not print one JSON object of benchmarks ({why}), but: {start}")
    };
    let mut objects = serde_json::Deserializer::from_str(json_of(text)).into_iter::<Object>();
    let first = objects.next().ok_or_else(|| other("there is none"))?;
    let Object { format, skipped, checked, measured } =
        first.map_err(|it| other(&it.to_string()))?;
    if matches!(objects.next(), Some(Ok(_))) {
        return Err(other("there are several"));
    }
    if format != FORMAT {
        return Err(format!("it prints format {format}; known is {FORMAT}"));
    }
    if let Some(reason) = skipped {
        return Ok(Printed::Skipped(reason));
    }
    if checked == Some(false) {
        return Err("the data that it received was wrong".into());
    }
    if measured.points.is_empty() {
        return Err("it measured nothing: there are no points in what it printed".into());
    }
    if let Some(point) = measured.points.iter().find(|point| !point.value.is_finite()) {
        return Err(format!("{} is {}, which is no value", point.metric, point.value));
    }
    Ok(Printed::Measured(measured))
}

/// Without the lines before it: some libraries greet on standard output.
fn json_of(text: &str) -> &str {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('{') {
            return &text[start..];
        }
        start += line.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_benchmark_is_read() {
        let text = r#"{"format":1,"benchmark":"multirate","mpi":"M 1","ranks":2,"parameters":{"w":4},
            "points":[{"at":{"bytes":8,"mode":"pairwise"},"metric":"rate","unit":"message/s",
            "better":"higher","value":2.5}],"checked":true,"messages":9}"#;
        let Ok(Printed::Measured(it)) = read(text) else { panic!() };
        let Measured { mpi, library, parameters, points, messages } = it;
        assert_eq!((mpi.as_str(), &parameters["w"]), ("M 1", &serde_json::json!(4)));
        assert_eq!((library, messages), (None, Some(9)));
        assert_eq!(points[0].at["bytes"], Scalar::Number(8.0));
        assert_eq!(points[0].at["mode"], Scalar::Word("pairwise".into()));
        assert_eq!((points[0].better, points[0].value), (Better::Higher, 2.5));
    }

    #[test]
    fn what_is_no_result_says_so() {
        let wrong = |text: &str, why: &str| {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        wrong("", "printed nothing");
        wrong(" \n", "printed nothing");
        wrong("Segmentation fault", "but: Segmentation fault");
        wrong(r#"{"format":2}"#, "format 2");
        wrong(r#"{"format":1}"#, "measured nothing");
        wrong(r#"{"format":1,"points":[]}"#, "measured nothing");
        wrong(r#"{"format":1,"points":[],"checked":false}"#, "was wrong");
        wrong(r#"{"format":1} {"format":1}"#, "several");
        wrong("{\"format\":1, ", "one JSON object");
    }

    #[test]
    fn what_is_missing_is_skipped() {
        let text = "a library's greeting\n\
                    {\"format\":1,\"benchmark\":\"rma-mt\",\"skipped\":\"no windows\"}\nbye\n";
        assert_eq!(read(text), Ok(Printed::Skipped("no windows".into())));
    }

    #[test]
    fn coordinates_have_an_order() {
        let word = |text: &str| Scalar::Word(text.into());
        let mut all = [word("b"), Scalar::Number(10.0), word("a"), Scalar::Number(9.0)];
        all.sort();
        assert_eq!(all, [Scalar::Number(9.0), Scalar::Number(10.0), word("a"), word("b")]);
    }
}
