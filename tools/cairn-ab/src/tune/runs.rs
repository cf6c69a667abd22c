//! The measurements of something that is tuned: how often, where they go, and how they go on.

use std::path::{Path, PathBuf};

use cairn_cli::print;
use cairn_framework::host::problem::{Problem, Problems};

use crate::experiment::Experiment;
use crate::libraries::Places;
use crate::measure::{self, Ended, Existing};
use crate::report::{self, summary::Summary};
use crate::stats;
use crate::store;
use crate::tune::{file, list_words};

/// Repeats unless something else is said: intervals that hold for 96 ratios at once and bear one extreme value.
const REPEATS: u32 = 16;

/// How to measure, and what to do with what is there.
#[derive(Debug, clap::Args)]
pub struct Runs {
    /// Replace the file if it is there
    #[arg(long)]
    pub overwrite: bool,
    /// How often everything is measured; with too few repeats nothing is changed
    #[arg(long, value_name = "N", default_value_t = REPEATS)]
    pub repeats: u32,
    /// How often a disturbed repeat is tried again [default: 2]
    #[arg(long, value_name = "N")]
    pub retries: Option<u32>,
    /// Go on with what was measured before
    #[arg(long)]
    pub resume: bool,
    /// Where the measurements go, those of each thing that is tuned into a directory of its name [default: tune in
    /// the cache, which is overwritten]
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

impl Runs {
    /// Where the measurements of a thing go.
    pub fn store(&self, name: &str, places: &Places) -> PathBuf {
        let all = self.store.clone().unwrap_or_else(|| places.cache.join("tune"));
        all.join(name)
    }

    /// Measures it, and writes a report; nothing if the user has stopped it.
    ///
    /// # Errors
    /// The experiment can't be done, or is not the one that is to go on.
    pub fn measure(
        &self,
        name: &str,
        experiment: &Experiment,
        places: &Places,
    ) -> Result<Option<Summary>, Problems> {
        // Each command line has at least one value.
        let lines: usize = experiment.benchmarks.iter().map(|it| it.cases(0).len()).sum();
        let needed = stats::needed(lines * (experiment.variants.len() - 1));
        let repeats = experiment.repeats;
        if (repeats as usize) < needed {
            let what = format!("{name}: {repeats} repeats are too few to change anything");
            let fix = format!("--repeats {needed} or more");
            cairn_cli::print_problems(&[Problem::new(what).fix(fix).warning()]);
        }
        let values = list_words(experiment.variants.iter().map(|it| &it.name));
        eprintln!("{name}: {values}");
        let store = self.store(name, places);
        let mut existing = Existing::Overwrite;
        if self.resume && store.join(store::SAMPLES).is_file() {
            if store::read(&store)?.experiment != *experiment {
                let what = "what was measured before is not what is to be measured now";
                return Err(Problem::new(what)
                    .at(store.display())
                    .fix("say the same as before, or measure anew without --resume")
                    .into());
            }
            existing = Existing::Resume;
        }
        if measure::measure(experiment, &store, existing, places)? == Ended::Interrupted {
            return Ok(None);
        }
        let summary = report::summary(&store)?;
        if !summary.groups.is_empty() {
            report::write(&summary, &store.join("report"))?;
        }
        Ok(Some(summary))
    }

    /// Writes the file, and says how it is used, or how to go on if the user has stopped it.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write(
        &self,
        text: &str,
        output: &Path,
        is_stopped: bool,
        used: &str,
    ) -> Result<Ended, Problems> {
        file::write(text, output, self.overwrite)?;
        let shown = output.display();
        if is_stopped {
            eprintln!("stopped; what was decided is in {shown}; go on with --resume --overwrite");
            return Ok(Ended::Interrupted);
        }
        print(&format!("\nwritten: {shown}; {used}\n"));
        Ok(Ended::Complete)
    }
}

/// Nothing was decided, so there is nothing to write: `why`, unless the user has stopped it before.
///
/// # Errors
/// He has not.
pub fn undecided(is_stopped: bool, why: String) -> Result<Ended, Problems> {
    if is_stopped {
        eprintln!("stopped before anything was decided; go on with --resume");
        return Ok(Ended::Interrupted);
    }
    Err(Problem::new(why).into())
}
