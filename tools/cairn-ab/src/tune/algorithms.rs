//! Algorithms of collective operations for the user's machine: measures each against the one that the table of
//! `coll_tuned` chooses, and writes those that are better into a table of the user's (`coll_tuned_table`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cairn_cli::{paint, print};
use cairn_framework::host::problem::{Problem, Problems};
use cairn_framework::host::report::Tone;

use crate::cairn;
use crate::contract::Scalar;
use crate::experiment::{Benchmark, Experiment, Noise, Variant, meant};
use crate::libraries::Places;
use crate::measure::Ended;
use crate::noise;
use crate::tune::choice::{self, Best};
use crate::tune::file::{self, Comments, Measured};
use crate::tune::measured;
use crate::tune::runs::{self, Runs};

/// What the table of `coll_tuned` counts as the bytes of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bytes {
    /// The vector's, or one rank's block: what the benchmark is told.
    Same,
    /// Of the blocks of all ranks.
    All,
    /// It has none.
    None,
}

/// The operations that the benchmark has.
const OPERATIONS: [(&str, Bytes); 6] = [
    ("barrier", Bytes::None),
    ("bcast", Bytes::Same),
    ("reduce", Bytes::Same),
    ("allreduce", Bytes::Same),
    ("allgather", Bytes::All),
    ("alltoall", Bytes::Same),
];

/// What is tuned, and how.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only these: barrier, bcast, reduce, allreduce, allgather, alltoall [default: all]
    #[arg(value_name = "OPERATION")]
    operations: Vec<String>,
    /// Processes of the communicators, each number by itself [default: powers of two up to the cores]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..))]
    ranks: Vec<u32>,
    /// Bytes of the vectors, and of the blocks of allgather and alltoall
    #[arg(long, value_name = "LIST", default_value = "8,1k,8k,64k,512k")]
    sizes: String,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "cairn-algorithms.toml")]
    output: PathBuf,
    #[command(flatten)]
    runs: Runs,
    /// Let repeats count that other work has disturbed
    #[arg(long)]
    busy: bool,
    /// Measures instead of Cairn's program collectives, and takes its options --operations and --sizes
    #[arg(long, value_name = "PROGRAM", default_value = "collectives")]
    program: String,
}

impl Options {
    fn noise(&self) -> Noise {
        let noise = Noise { retries: self.runs.retries.unwrap_or(2), ..Noise::default() };
        match self.busy {
            true => Noise { spread: 1e6, others: 1.0, ..noise },
            false => noise,
        }
    }
}

/// What came of an operation among so many ranks.
#[derive(Debug)]
struct Learned {
    operation: &'static str,
    bytes: Bytes,
    ranks: u32,
    outcome: Result<(Vec<Best>, Box<Measured>), String>,
}

/// Measures, and says what came of it.
///
/// # Errors
/// There is no such operation, the file can't be written, or nothing could be measured.
pub fn learn(options: &Options, places: &Places) -> Result<Ended, Problems> {
    let operations = wanted(&options.operations)?;
    file::check(&options.output, options.runs.overwrite)?;
    let ranks = match options.ranks.is_empty() {
        true => powers_of_two(noise::cores().len() as u32),
        false => options.ranks.clone(),
    };
    let (mut learned, mut stopped) = (Vec::new(), None);
    'all: for (operation, bytes) in operations {
        for ranks in &ranks {
            let Some(it) = one(options, (operation, bytes), *ranks, places)? else {
                stopped = Some(format!("{operation} of {ranks} ranks"));
                break 'all;
            };
            tell(&it);
            learned.push(it);
        }
    }
    if learned.iter().all(|it| it.outcome.is_err()) {
        let why = |it: &Learned| Some(format!("{}: {}", it.operation, it.outcome.as_ref().err()?));
        let why: Vec<String> = learned.iter().filter_map(why).collect();
        let why = format!("nothing is known. {}", why.join("; "));
        return runs::undecided(stopped.is_some(), why);
    }
    let used = match learned.iter().all(|it| rows(it).is_empty()) {
        true => "no row is in it: the table of the installation is as good".to_owned(),
        false => format!("to use it: mpirun --mca coll_tuned_table {}", options.output.display()),
    };
    let text = text(&learned, stopped.as_deref(), &options.output);
    options.runs.write(&text, &options.output, stopped.is_some(), &used)
}

fn wanted(names: &[String]) -> Result<Vec<(&'static str, Bytes)>, Problem> {
    let known = || OPERATIONS.iter().map(|(name, _)| *name);
    for name in names {
        if !known().any(|other| other == name) {
            let problem = Problem::new(format!("no algorithms of {name} are measured"));
            let problem = problem.allowed(known().collect::<Vec<_>>().join(", "));
            return Err(meant(problem, name, known()));
        }
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|other| other == name);
    Ok(OPERATIONS.into_iter().filter(|(name, _)| is_wanted(name)).collect())
}

/// From two up to at most so many, and two at least.
fn powers_of_two(most: u32) -> Vec<u32> {
    std::iter::successors(Some(2_u32), |number| number.checked_mul(2))
        .take_while(|number| *number <= most.max(2))
        .collect()
}

/// Measures an operation; nothing if the user stopped it.
fn one(
    options: &Options,
    (operation, bytes): (&'static str, Bytes),
    ranks: u32,
    places: &Places,
) -> Result<Option<Learned>, Problems> {
    let because = |why: String| Learned { operation, bytes, ranks, outcome: Err(why) };
    let name = format!("coll_tuned_{operation}_algorithm");
    // Without those that go before it where they can.
    let messages = || ("coll".to_owned(), Scalar::Word("tuned".into()));
    let parameter = match cairn::parameter(&name, &[messages()].into(), places) {
        Ok(parameter) => parameter,
        Err(problem) => return Ok(Some(because(problem.what))),
    };
    let algorithms = parameter.words();
    let variant = |algorithm: &String| {
        let forced = (name.clone(), Scalar::Word(algorithm.clone()));
        Variant { name: algorithm.clone(), mca: [messages(), forced].into(), ..Variant::default() }
    };
    let args = ["--operations", operation, "--sizes", &options.sizes];
    let mut benchmark = Benchmark {
        binary: options.program.clone(),
        args: args.map(|arg| Scalar::Word(arg.into())).to_vec(),
        ranks,
        metric: Some("time".into()),
        ..Benchmark::default()
    };
    benchmark.find_from(Path::new("."));
    let mut experiment = Experiment {
        title: format!("{operation} of {ranks} ranks"),
        claim: parameter.help.clone(),
        baseline: parameter.default.clone(),
        variants: algorithms.iter().map(variant).collect(),
        benchmarks: vec![benchmark],
        repeats: options.runs.repeats,
        warmup: 1,
        time_limit: 60.0,
        minimal_effect: 0.02,
        noise: options.noise(),
        ..Experiment::default()
    };
    experiment.complete();
    experiment.check().map_err(|problem| problem.at(&experiment.title))?;
    let place = format!("{operation}-{ranks}");
    let Some(summary) = options.runs.measure(&place, &experiment, places)? else {
        return Ok(None);
    };
    let best = match choice::each(&summary) {
        Ok(best) => best,
        Err(why) => return Ok(Some(because(why))),
    };
    let measured = Box::new(measured(&summary, &options.runs.store(&place, places)));
    Ok(Some(Learned { operation, bytes, ranks, outcome: Ok((best, measured)) }))
}

/// A row of the table: the algorithm, and the first and last of the sizes for which it was best.
#[derive(Debug, PartialEq)]
struct Row {
    algorithm: String,
    /// None where there is no size below the first, or above the last.
    from: Option<u64>,
    to: Option<u64>,
}

/// The rows that a measurement makes. What holds at a size holds up to the next one that was measured, at the first
/// for what is smaller too, and at the last for what is larger.
fn rows(it: &Learned) -> Vec<Row> {
    let Ok((best, _)) = &it.outcome else { return Vec::new() };
    let factor = if it.bytes == Bytes::All { u64::from(it.ranks) } else { 1 };
    let size = |best: &Best| match best.at.get("bytes") {
        Some(Scalar::Number(bytes)) => *bytes as u64 * factor,
        _ => 0,
    };
    let mut sorted: Vec<&Best> = best.iter().collect();
    sorted.sort_by_key(|best| size(best));
    let mut made: Vec<Row> = Vec::new();
    let same = |a: &&Best, b: &&Best| a.value() == b.value();
    let mut at = 0;
    for group in sorted.chunk_by(same) {
        let (first, end) = (at, at + group.len());
        at = end;
        let Some(algorithm) = group[0].value() else { continue };
        let from = (first > 0).then(|| size(group[0]));
        let to = sorted.get(end).map(|next| size(next) - 1);
        made.push(Row { algorithm: algorithm.to_owned(), from, to });
    }
    made
}

/// Bytes as the table has them.
fn bytes(number: u64) -> String {
    match number {
        0 => "0".into(),
        _ if number.is_multiple_of(1 << 20) => format!("{}m", number >> 20),
        _ if number.is_multiple_of(1 << 10) => format!("{}k", number >> 10),
        _ => number.to_string(),
    }
}

impl Row {
    /// The line in the file.
    fn line(&self, it: &Learned) -> String {
        let (algorithm, ranks) = (&self.algorithm, it.ranks);
        let ends = [self.from, self.to].map(|end| end.map(bytes).unwrap_or_default());
        let range = match (it.bytes, &ends) {
            (Bytes::None, _) => String::new(),
            (_, [from, to]) if from.is_empty() && to.is_empty() => String::new(),
            (_, [from, to]) => format!(", bytes = \"{from}-{to}\""),
        };
        format!("    {{ algorithm = \"{algorithm}\", ranks = {ranks}, nodes = 1{range} }},\n")
    }
}

/// Says what came of an operation.
fn tell(it: &Learned) {
    let name = paint(Tone::Name, &format!("{} of {} ranks", it.operation, it.ranks));
    match &it.outcome {
        Err(why) => print(&format!("{name}: {}\n", paint(Tone::Warning, why))),
        Ok((best, _)) => {
            print(&format!("{name}\n"));
            for best in best {
                let tone = if best.best.is_some() { Tone::Good } else { Tone::Plain };
                print(&format!("  {}: {}\n", best.place, paint(tone, &best.shown())));
            }
        }
    }
}

/// The text of the file; `stopped` says where the user stopped.
fn text(learned: &[Learned], stopped: Option<&str>, file: &Path) -> String {
    let mut text = Comments::default();
    text.say(
        "Algorithms of collective operations on this machine, by cairn-ab algorithms. To use them:",
    );
    text.say(&format!("mpirun --mca coll_tuned_table {}", file.display()));
    text.gap();
    text.say(
        "A row is there if its algorithm is surely faster than the one that the table of the installation \
         chooses. In brackets are intervals that hold, for all ratios of an operation and a number of ranks at \
         once, in 95 % of all cases; of several the one with the least median is taken. A row holds up to the next \
         size that was measured, the first one below it as well, the last one above it. All that was measured is \
         within one node. All processes of a job need the same file.",
    );
    for of_one in learned.chunk_by(|one, next| one.operation == next.operation) {
        text.line("");
        let operation = of_one[0].operation;
        text.say(&format!("--- {operation} ---"));
        for it in of_one {
            text.gap();
            text.say(&format!("{} ranks", it.ranks));
            match &it.outcome {
                Err(why) => text.indented("nothing is known: ", "  ", &format!("{why}.")),
                Ok((best, measured)) => {
                    text.facts(measured, "");
                    let wide = best.iter().map(|best| best.place.chars().count()).max();
                    for best in best {
                        let (place, wide) = (&best.place, wide.unwrap_or(0));
                        text.line(&format!("#   {place:wide$}  {}", best.shown()));
                    }
                }
            }
        }
        let lines: Vec<String> =
            of_one.iter().flat_map(|it| rows(it).into_iter().map(|row| row.line(it))).collect();
        if !lines.is_empty() {
            write!(text.0, "{operation} = [\n{}]\n", lines.concat()).expect("a string takes all");
        }
    }
    if let Some(place) = stopped {
        text.line("");
        text.say(&format!("Stopped by the user at {place}: it and what follows are not decided."));
    }
    text.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::At;

    fn best(bytes: u32, algorithm: Option<&str>) -> Best {
        Best {
            at: At::from([("bytes".into(), Scalar::Number(bytes.into()))]),
            place: format!("bytes {bytes}"),
            default: "1.00 µs".into(),
            best: algorithm.map(|name| (name.to_owned(), "0.50 (0.40 – 0.60)".to_owned())),
        }
    }

    fn learned(operation: &'static str, bytes: Bytes, best: Vec<Best>) -> Learned {
        Learned { operation, bytes, ranks: 4, outcome: Ok((best, Box::default())) }
    }

    fn lines(it: &Learned) -> String {
        rows(it).iter().map(|row| row.line(it)).collect::<String>().replace("    { ", "{ ")
    }

    #[test]
    fn rows_hold_up_to_the_next_size() {
        // In any order.
        let made = [(64, Some("chain")), (8, Some("linear")), (512, None), (4096, Some("ring"))];
        let made = || made.map(|(bytes, algorithm)| best(bytes, algorithm)).to_vec();
        let one = learned("bcast", Bytes::Same, made());
        assert_eq!(
            lines(&one),
            "{ algorithm = \"linear\", ranks = 4, nodes = 1, bytes = \"-63\" },\n\
             { algorithm = \"chain\", ranks = 4, nodes = 1, bytes = \"64-511\" },\n\
             { algorithm = \"ring\", ranks = 4, nodes = 1, bytes = \"4k-\" },\n"
        );
        let all = learned("allgather", Bytes::All, made());
        assert!(lines(&all).contains("bytes = \"256-2047\""), "{}", lines(&all));
        assert!(lines(&all).ends_with("bytes = \"16k-\" },\n"));
        let same = learned("bcast", Bytes::Same, vec![best(8, Some("x")), best(64, Some("x"))]);
        assert_eq!(lines(&same), "{ algorithm = \"x\", ranks = 4, nodes = 1 },\n");
        let none = learned("barrier", Bytes::None, vec![best(0, Some("tree"))]);
        assert_eq!(lines(&none), "{ algorithm = \"tree\", ranks = 4, nodes = 1 },\n");
    }

    #[test]
    fn the_file_is_a_table_and_says_why() {
        let failed = Learned {
            operation: "bcast",
            bytes: Bytes::Same,
            ranks: 8,
            outcome: Err("a\nb = 1".into()),
        };
        let all = [
            learned("barrier", Bytes::None, vec![best(0, None)]),
            learned("bcast", Bytes::Same, vec![best(8, Some("linear")), best(64, None)]),
            failed,
        ];
        let text = text(&all, Some("reduce of 2 ranks"), Path::new("my.toml"));
        let table: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(table.keys().collect::<Vec<_>>(), ["bcast"]);
        let rows = table["bcast"].as_array().unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["bytes"].as_str(), Some("-63"));
        for part in [
            "mpirun --mca coll_tuned_table my.toml",
            "#   bytes 8   linear: 0.50 (0.40 – 0.60) of 1.00 µs\n",
            "#   bytes 64  1.00 µs, nothing is surely faster\n",
            "# nothing is known: a b = 1.\n",
            "Stopped by the user at reduce of 2 ranks",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }

    #[test]
    fn operations_and_ranks_are_what_there_is() {
        assert_eq!(powers_of_two(1), [2]);
        assert_eq!(powers_of_two(12), [2, 4, 8]);
        assert_eq!(wanted(&[]).unwrap().len(), OPERATIONS.len());
        assert_eq!(wanted(&["bcast".into()]).unwrap(), [("bcast", Bytes::Same)]);
        let problem = wanted(&["bcats".into()]).unwrap_err();
        assert!(problem.to_string().contains("did you mean bcast"), "{problem}");
        assert_eq!([0, 63, 1024, 3 << 20].map(bytes), ["0", "63", "1k", "3m"]);
    }
}
