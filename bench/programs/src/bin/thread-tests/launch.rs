//! The forms of a test against each other: a job for each, and the paper's table of them all.

use std::collections::BTreeMap;
use std::env;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio, exit};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cairn_lab::{Summary, name};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Map, Value, json};

use crate::{Args, Form, Test};

/// Where the number of ranks goes in the command.
const RANKS: &str = "{ranks}";

/// How long a job that was asked to end may take for it.
const GRACE: Duration = Duration::from_secs(5);

/// Runs the jobs and prints what they say together.
pub fn run(args: &Args, command: &str) -> ! {
    if let Some(reason) = mistake(args, command) {
        eprintln!("thread-tests: {reason}");
        exit(2);
    }
    let jobs = jobs(args);
    let mut results = Results::default();
    for repeat in 0..args.repeats {
        for job in &jobs {
            eprintln!("# {} of {}: {} ({} ranks)", repeat + 1, args.repeats, job.name, job.ranks);
            match job.run(args, command) {
                Ok(output) => results.add(&job.name, &output),
                Err(reason) => {
                    eprintln!("thread-tests: {}: {reason}", job.name);
                    results.failed.push(job.name.clone());
                }
            }
        }
    }
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    if args.common.json {
        println!("{}", results.json(args, jobs.iter().map(|job| job.ranks).max().unwrap_or(0)));
    } else {
        print!("{}", results.table(args, &names));
    }
    exit(i32::from(!results.failed.is_empty() || !results.checked));
}

fn mistake(args: &Args, command: &str) -> Option<String> {
    if !command.contains(RANKS) {
        Some(format!("--launch needs {RANKS} where the number of ranks belongs"))
    } else if args.entities.values().any(|entities| entities == 0) {
        Some("entities count from 1".into())
    } else if args.nodes == 0 || args.repeats == 0 {
        Some("nodes and repeats count from 1".into())
    } else {
        None
    }
}

/// One form with one number of entities.
struct Job {
    name: String,
    form: Form,
    entities: usize,
    ranks: usize,
}

/// In the order of the paper's tables.
fn jobs(args: &Args) -> Vec<Job> {
    let one = [1];
    let several: Vec<usize> = args.entities.values().collect();
    let entities = match args.test {
        Test::Overhead | Test::ShortLong | Test::Overlap => &one[..],
        _ => &several,
    };
    let forms = [Form::Processes, Form::Threads];
    let each = |entities: &usize| forms.map(|form| job(args, form, *entities));
    entities.iter().flat_map(each).collect()
}

fn job(args: &Args, form: Form, entities: usize) -> Job {
    let (threads, nodes) = (form == Form::Threads, args.nodes);
    let of_node = |entities: usize| nodes * if threads { 1 } else { entities };
    let word = |threaded: &str, processes: &str| {
        if threads { threaded.to_owned() } else { processes.to_owned() }
    };
    let letter = if threads { 'T' } else { 'P' };
    let (name, ranks) = match args.test {
        Test::Overhead => (word("MPI_THREAD_MULTIPLE", "MPI_Init"), 2),
        Test::Bandwidth | Test::Latency | Test::MessageRate => {
            let ranks = if threads { 2 } else { 2 * entities };
            (format!("{entities}{letter}-{entities}{letter}"), ranks)
        }
        Test::ShortLong => (word("threads", "processes"), if threads { 3 } else { 4 }),
        Test::Overlap => (word("overlap", "no overlap"), nodes),
        Test::Collectives => (format!("{entities}x{nodes} {letter}"), of_node(entities)),
        Test::CollectivesComputation => {
            (format!("{entities}x{nodes} {letter}"), of_node(entities + 1))
        }
    };
    Job { name, form, entities, ranks }
}

impl Job {
    /// What the job printed.
    fn run(&self, args: &Args, command: &str) -> Result<Value, String> {
        let line = command.replace(RANKS, &self.ranks.to_string());
        let mut words = line.split_whitespace();
        let program = words.next().ok_or("--launch is empty")?;
        let this = env::current_exe().map_err(|error| format!("where am I? {error}"))?;
        let child = Command::new(program)
            .args(words)
            .arg(this)
            .args(self.options(args))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // So that all of it can be ended.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start {program}: {error}"))?;
        let (status, output) = ended(child, Duration::from_secs(args.limit))?;
        let object = output.lines().rev().find(|line| line.starts_with('{'));
        let object = object.and_then(|line| serde_json::from_str::<Value>(line).ok());
        match object {
            Some(object) if object.get("skipped").is_some() => {
                Err(format!("skipped: {}", object["skipped"].as_str().unwrap_or_default()))
            }
            // Wrong data are in the object.
            Some(object) if status.code().is_some_and(|code| code <= 1) => Ok(object),
            _ => Err(format!("failed: {status}")),
        }
    }

    /// The options of this program for the job.
    fn options(&self, args: &Args) -> Vec<String> {
        let settled = serde_json::to_value(args).expect("options are plain values");
        let mut options = vec!["--json".to_owned()];
        options.extend(["--form".to_owned(), name(&self.form)]);
        options.extend(["--entities".to_owned(), self.entities.to_string()]);
        for (key, value) in settled.as_object().into_iter().flatten() {
            // Either of these is enough.
            let left_out = key == "time" && args.common.iterations.is_some();
            let own = key == "form" || key == "entities";
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            if !own && !left_out {
                options.extend([format!("--{}", key.replace('_', "-")), text]);
            }
        }
        options
    }
}

/// Waits for a job, and ends it when it takes too long.
fn ended(mut child: Child, limit: Duration) -> Result<(ExitStatus, String), String> {
    let group = Pid::from_child(&child);
    let mut stdout = child.stdout.take().expect("it is a pipe");
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut output = String::new();
        let read = stdout.read_to_string(&mut output).map(|_| output);
        // After the job was ended there is no listener.
        let _ = send.send(child.wait().and_then(|status| Ok((status, read?))));
    });
    if let Ok(result) = receive.recv_timeout(limit) {
        return result.map_err(|error| format!("cannot be waited for: {error}"));
    }
    // A launcher that is asked ends its ranks.
    for signal in [Signal::TERM, Signal::KILL] {
        // It may just have ended.
        let _ = kill_process_group(group, signal);
        if receive.recv_timeout(GRACE).is_ok() {
            break;
        }
    }
    Err(format!("took longer than {} s", limit.as_secs()))
}

/// Where a value stands: the coordinates and the metric, as JSON.
type Place = (String, String);

/// What the jobs measured.
struct Results {
    /// Values of each form at each place.
    values: BTreeMap<(Place, String), Vec<f64>>,
    /// Places and a point there, in the order of the first job that had them.
    places: Vec<(Place, Value)>,
    library: String,
    checked: bool,
    failed: Vec<String>,
}

impl Default for Results {
    fn default() -> Results {
        Results {
            values: BTreeMap::new(),
            places: Vec::new(),
            library: String::new(),
            checked: true,
            failed: Vec::new(),
        }
    }
}

impl Results {
    fn add(&mut self, form: &str, output: &Value) {
        self.library = output["mpi"].as_str().unwrap_or_default().to_owned();
        self.checked &= output["checked"] == true;
        for point in output["points"].as_array().into_iter().flatten() {
            let place = (point["at"].to_string(), point["metric"].to_string());
            if !self.places.iter().any(|(other, _)| *other == place) {
                self.places.push((place.clone(), point.clone()));
            }
            let values = self.values.entry((place, form.to_owned())).or_default();
            values.extend(point["value"].as_f64());
        }
    }

    fn median(&self, place: &Place, form: &str) -> Option<f64> {
        let values = self.values.get(&(place.clone(), form.to_owned()))?;
        (!values.is_empty()).then(|| Summary::of(values).median)
    }

    fn json(&self, args: &Args, ranks: usize) -> Value {
        let mut points = Vec::new();
        for (place, form) in self.values.keys() {
            let Some((_, point)) = self.places.iter().find(|(other, _)| other == place) else {
                continue;
            };
            let mut point = point.clone();
            point["at"]["form"] = json!(form);
            point["value"] = json!(self.median(place, form));
            points.push(point);
        }
        let mut parameters = serde_json::to_value(args).expect("options are plain values");
        parameters["launch"] = json!(args.launch);
        parameters["nodes"] = json!(args.nodes);
        parameters["repeats"] = json!(args.repeats);
        json!({
            "format": 1,
            "benchmark": "thread-tests",
            "mpi": self.library,
            "ranks": ranks,
            "parameters": parameters,
            "points": points,
            "checked": self.checked,
        })
    }

    /// A row for each place, a column for each form.
    fn table(&self, args: &Args, forms: &[&str]) -> String {
        let mut rows = vec![vec![String::new(), "unit".to_owned()]];
        rows[0].extend(forms.iter().map(|form| (*form).to_owned()));
        for (place, point) in &self.places {
            let (unit, scale) = match point["unit"].as_str().unwrap_or_default() {
                "s" => ("us", 1e6),
                "byte/s" => ("MB/s", 1e-6),
                "1" => ("%", 100.0),
                other => (other, 1.0),
            };
            let metric = point["metric"].as_str().unwrap_or_default();
            let mut row = vec![format!("{}{metric}", coordinates(&point["at"])), unit.to_owned()];
            row.extend(forms.iter().map(|form| match self.median(place, form) {
                Some(value) if value * scale >= 1000.0 => format!("{:.0}", value * scale),
                Some(value) => format!("{:.3}", value * scale),
                None if self.failed.iter().any(|failed| failed == form) => "failed".into(),
                None => "-".into(),
            }));
            rows.push(row);
        }
        let mut text = format!("# thread-tests {}: {}\n", name(&args.test), self.library);
        for row in &rows {
            for (column, cell) in row.iter().enumerate() {
                let width = rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
                text += &if column == 0 {
                    format!("{cell:width$}")
                } else {
                    format!("  {cell:>width$}")
                };
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}

/// `bytes 8 step both `
fn coordinates(at: &Value) -> String {
    let empty = Map::new();
    let shown = |(name, value): (&String, &Value)| match value {
        Value::String(word) => format!("{name} {word} "),
        other => format!("{name} {other} "),
    };
    at.as_object().unwrap_or(&empty).iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use cairn_lab::Arguments;
    use clap::Parser;

    use super::*;

    fn args(options: &str) -> Args {
        let mut args =
            Args::try_parse_from(["thread-tests"].into_iter().chain(options.split_whitespace()))
                .unwrap();
        args.settle();
        args
    }

    fn names(options: &str) -> String {
        let jobs = jobs(&args(options));
        jobs.iter().map(|job| format!("{}:{}", job.name, job.ranks)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn forms_are_those_of_the_paper() {
        assert_eq!(names("--test message-rate --entities 1,4"), "1P-1P:2 1T-1T:2 4P-4P:8 4T-4T:2");
        assert_eq!(names("--test overhead --entities 4"), "MPI_Init:2 MPI_THREAD_MULTIPLE:2");
        assert_eq!(names("--test short-long"), "processes:4 threads:3");
        assert_eq!(
            names("--test collectives --entities 4 --launch x --nodes 3"),
            "4x3 P:12 4x3 T:3"
        );
        assert_eq!(
            names("--test collectives-computation --entities 2 --launch x --nodes 3"),
            "2x3 P:9 2x3 T:3"
        );
    }

    #[test]
    fn a_job_gets_the_options_that_were_given() {
        let args = args("--test latency --entities 1,2 --iterations 7 --sizes 0-8 --json");
        let last = jobs(&args).pop().unwrap();
        let options = last.options(&args).join(" ");
        assert!(options.starts_with("--json --form threads --entities 2"), "{options}");
        assert!(options.contains("--iterations 7"), "{options}");
        assert!(options.contains("--sizes 0-8"), "{options}");
        assert!(options.contains("--test latency"), "{options}");
        assert!(!options.contains("--time"), "{options}");
        let again = Args::try_parse_from(["thread-tests"].into_iter().chain(options.split(' ')));
        assert_eq!(again.unwrap().common.iterations, Some(7));
    }

    #[test]
    fn medians_stand_in_a_column_for_each_form() {
        let mut results = Results::default();
        for (form, value) in [("1P-1P", 3.0), ("1P-1P", 1.0), ("1P-1P", 2.0), ("1T-1T", 5e6)] {
            let point = json!({
                "at": {"bytes": 0}, "metric": "rate", "unit": "message/s", "better": "higher",
                "value": value,
            });
            results.add(form, &json!({"mpi": "L 1", "points": [point], "checked": true}));
        }
        results.failed.push("4T-4T".into());
        let args = args("--test message-rate --entities 1,4");
        let expected = "\
# thread-tests message-rate: L 1
                   unit  1P-1P    1T-1T   4T-4T
bytes 0 rate  message/s  2.000  5000000  failed
";
        assert_eq!(results.table(&args, &["1P-1P", "1T-1T", "4T-4T"]), expected);
        let json = results.json(&args, 8);
        assert_eq!(json["points"].as_array().unwrap().len(), 2);
        assert_eq!(json["points"][0]["at"], json!({"bytes": 0, "form": "1P-1P"}));
        assert_eq!(json["points"][0]["value"], 2.0);
    }

    #[test]
    fn a_job_is_ended_at_its_limit() {
        let sleeper = |program: &str, argument: &str| {
            Command::new(program)
                .arg(argument)
                .stdout(Stdio::piped())
                .process_group(0)
                .spawn()
                .unwrap()
        };
        let error = ended(sleeper("sleep", "1000"), Duration::from_millis(1)).unwrap_err();
        assert!(error.contains("took longer"), "{error}");
        let (status, output) = ended(sleeper("echo", "hello"), Duration::from_secs(60)).unwrap();
        assert!(status.success());
        assert_eq!(output, "hello\n");
    }
}
