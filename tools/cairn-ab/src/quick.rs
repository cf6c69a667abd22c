//! An experiment of a command line: `quick 'cri=dedicated' 'mpi=openmpi' -- multirate -t 4`.

use std::path::PathBuf;

use cairn_framework::host::problem::Problem;

use crate::Effort;
use crate::contract::Scalar;
use crate::experiment::{Benchmark, Experiment, Noise, Pinning, Variant, absolute};
use crate::stats::REPEATS;

/// How it is measured.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Compare this installation of Cairn under this name, before all settings, so that the first one is
    /// the baseline; may be given several times
    #[arg(long = "variant", value_name = "NAME=DIR", value_parser = installed)]
    pub variants: Vec<(String, PathBuf)>,
    /// Number of processes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 2)]
    pub ranks: u32,
    /// Seconds after which a run is ended
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    pub time_limit: f64,
    /// Report this metric only, such as rate or latency
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Do not bind processes to cores
    #[arg(long)]
    pub unbound: bool,
    #[command(flatten)]
    effort: Effort,
}

/// Makes an experiment of settings and a benchmark with its arguments.
///
/// # Errors
/// A setting is none.
pub fn experiment(
    settings: &[String],
    command: &[String],
    options: &Options,
) -> Result<Experiment, Problem> {
    let named = options.variants.iter().map(|(name, prefix)| {
        let (name, prefix) = (name.clone(), Some(absolute(prefix.clone())));
        Ok(Variant { name, prefix, ..Variant::default() })
    });
    let variants =
        named.chain(settings.iter().map(|text| variant(text))).collect::<Result<Vec<_>, _>>()?;
    let (binary, args) = command.split_first().ok_or_else(|| {
        Problem::new("there is no benchmark").fix("put it and its arguments behind --")
    })?;
    let mut binary = binary.clone();
    if binary.contains('/') {
        binary = absolute(binary.into()).to_string_lossy().into_owned();
    }
    let benchmark = Benchmark {
        binary,
        args: args.iter().cloned().map(Scalar::Word).collect(),
        ranks: options.ranks,
        metric: options.metric.clone(),
        ..Benchmark::default()
    };
    let noise = Noise::default();
    let mut experiment = Experiment {
        title: command.join(" "),
        variants,
        benchmarks: vec![benchmark],
        repeats: options.effort.repeats.unwrap_or(REPEATS),
        time_limit: options.time_limit,
        noise: Noise { retries: options.effort.retries.unwrap_or(noise.retries), ..noise },
        counts: options.effort.counts,
        instructions: options.effort.instructions,
        pinning: if options.unbound { Pinning::None } else { Pinning::Share },
        ..Experiment::default()
    };
    experiment.complete();
    experiment.check()?;
    Ok(experiment)
}

/// `NAME=DIR`, an installation with a name.
pub fn installed(text: &str) -> Result<(String, PathBuf), String> {
    text.split_once('=')
        .map(|(name, dir)| (name.trim().to_owned(), PathBuf::from(dir)))
        .filter(|(name, dir)| !name.is_empty() && !dir.as_os_str().is_empty())
        .ok_or_else(|| "it is NAME=DIR, such as old=/opt/cairn-old".to_owned())
}

/// Words such as `cri=dedicated`, `mpi=openmpi`, `prefix=DIR`, `env.NAME=value`; `default` is Cairn as
/// it is.
fn variant(text: &str) -> Result<Variant, Problem> {
    let mut variant = Variant { name: text.trim().to_owned(), ..Variant::default() };
    for word in text.split_whitespace().filter(|word| *word != "default") {
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Problem::new(format!("{word} is no setting"))
                .at(format!("\"{text}\""))
                .allowed(
                    "NAME=VALUE of an MCA parameter, mpi=LIBRARY, prefix=DIR, env.NAME=VALUE, or \
                     default",
                ));
        };
        if let Some(name) = name.strip_prefix("env.") {
            variant.env.insert(name.to_owned(), value.to_owned());
        } else if name == "mpi" {
            variant.mpi = value.parse().map_err(|it: Problem| it.at(format!("\"{text}\"")))?;
        } else if name == "prefix" {
            variant.prefix = (!value.is_empty()).then(|| absolute(value.into()));
            if variant.prefix.is_none() {
                return Err(Problem::new("prefix has no directory").at(format!("\"{text}\"")));
            }
        } else {
            variant.mca.insert(name.to_owned(), Scalar::Word(value.to_owned()));
        }
    }
    if variant.name.is_empty() {
        variant.name = "default".into();
    }
    Ok(variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            variants: Vec::new(),
            ranks: 2,
            time_limit: 60.0,
            metric: None,
            unbound: false,
            effort: Effort::default(),
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn settings_become_variants() {
        let settings = words(&["default", "cri=dedicated btl=self,sm", "mpi=openmpi env.A=b=c"]);
        let command = words(&["multirate", "-t", "4"]);
        let it = experiment(&settings, &command, &options()).unwrap();
        assert_eq!(it.baseline, "default");
        assert_eq!(it.variants[1].mca["btl"].to_string(), "self,sm");
        assert_eq!(
            (it.variants[2].mpi, it.variants[2].env["A"].as_str()),
            (crate::experiment::Mpi::Ompi, "b=c")
        );
        assert_eq!(it.benchmarks[0].name, "multirate");
        let case = &it.benchmarks[0].cases(0)[0];
        assert_eq!(case.args, ["-t", "4"]);
    }

    #[test]
    fn mistakes_say_what_is_allowed() {
        let wrong = |settings: &[&str], command: &[&str], what: &str| {
            let problem = experiment(&words(settings), &words(command), &options()).unwrap_err();
            assert!(problem.to_string().contains(what), "{problem}");
        };
        wrong(&["dedicated"], &["x"], "no setting");
        wrong(&["=x"], &["x"], "no setting");
        wrong(&["mpi=openmp"], &["x"], "did you mean openmpi?");
        wrong(&["a=1", "a=1"], &["x"], "two variants");
        wrong(&["a=1"], &[], "behind --");
        wrong(&["mpi=mpich btl=sm"], &["x"], "no MCA parameters");
    }
}
