//! The file for `mpirun --tune`: the values to set, and in comments what they rest on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cairn_framework::host::problem::Problem;
use tempfile::Builder;

use crate::environment::Environment;
use crate::report::numbers;
use crate::tune::choice::{Choice, Point};

/// Comments are no wider.
const WIDTH: usize = 100;

/// A threshold that was tuned, or could not be.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The parameter.
    pub name: String,
    /// What it does.
    pub help: String,
    /// What is built in.
    pub default: String,
    /// What a file of the user or the administrator sets it to, and which one.
    pub elsewhere: Option<(String, String)>,
    /// What else was set in its runs, in words.
    pub with: String,
    /// Values that the installation does not take, and why.
    pub refused: Vec<(String, String)>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a threshold.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was measured.
    Chosen {
        /// What follows.
        choice: Choice,
        /// By what, when and how.
        measured: Box<Measured>,
    },
    /// It was not, and why.
    NotMeasured(String),
}

/// By what, when and how a threshold was measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    /// The machine and the time.
    pub environment: Environment,
    /// The library, in its own words.
    pub library: String,
    /// How often, and how quiet it was, in words.
    pub repeats: String,
    /// Where the values are.
    pub store: PathBuf,
}

impl Tuned {
    /// The value to set, if it is not the default.
    pub fn taken(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Chosen { choice, .. } => choice.taken.as_deref(),
            Outcome::NotMeasured(_) => None,
        }
    }

    /// Why, in words.
    pub fn reason(&self) -> String {
        match &self.outcome {
            Outcome::Chosen { choice, .. } => choice.reason.clone(),
            Outcome::NotMeasured(why) => format!("not measured: {why}"),
        }
    }
}

/// The text of the file; `stopped` says that the user stopped at this threshold.
pub fn text(tuned: &[Tuned], stopped: Option<&str>, file: &Path) -> String {
    let mut text = Comments::default();
    text.say("Thresholds of Cairn MPI for this machine, by cairn-ab tune. To use them:");
    text.say(&format!("mpirun --tune {}", file.display()));
    text.gap();
    text.say(
        "A value is set if it is surely better than the default somewhere and surely worse nowhere: the \
         whole interval is on that side. In brackets are intervals that hold, for all ratios of a \
         threshold at once, in 95 % of all cases. A ratio is the value's to the default's; of times less \
         is better, of bandwidths more. A mean gain above 1 is better whatever is measured. A threshold is \
         measured with what was set for those above it.",
    );
    if tuned.iter().all(|it| it.taken().is_none()) {
        text.gap();
        text.say("Nothing is set here: the defaults stay.");
    }
    for it in tuned {
        text.0.push('\n');
        text.threshold(it);
    }
    if let Some(name) = stopped {
        text.0.push('\n');
        text.say(&format!("Stopped by the user at {name}: it and what follows are not decided."));
    }
    text.0
}

/// Writes it, so that a file is whole or not there.
///
/// # Errors
/// It is there already and must not be replaced, or can't be written.
pub fn write(text: &str, file: &Path, overwrite: bool) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(format!("can't write the file: {error}")).at(file.display())
    };
    let mut new = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As of any file; those that are temporary are for their user alone.
        new.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut new = new.tempfile_in(directory(file)).map_err(failed)?;
    std::io::Write::write_all(&mut new, text.as_bytes()).map_err(failed)?;
    if overwrite {
        new.persist(file).map_err(|error| failed(error.error))?;
    } else {
        new.persist_noclobber(file).map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(file),
            _ => failed(error.error),
        })?;
    }
    Ok(())
}

/// Whether it can be written, before anything is measured for it.
///
/// # Errors
/// It can't.
pub fn check(file: &Path, overwrite: bool) -> Result<(), Problem> {
    if file.is_dir() {
        return Err(Problem::new("the file to write is a directory").at(file.display()));
    }
    if !overwrite && file.symlink_metadata().is_ok() {
        return Err(exists(file));
    }
    tempfile::tempfile_in(directory(file))
        .map(drop)
        .map_err(|error| Problem::new(format!("can't write the file: {error}")).at(file.display()))
}

fn exists(file: &Path) -> Problem {
    Problem::new("the file is there already")
        .at(file.display())
        .fix("replace it with --overwrite, or write another with --output FILE")
}

fn directory(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Lines that are comments, but for the settings.
#[derive(Default)]
pub struct Comments(pub String);

impl Comments {
    pub fn gap(&mut self) {
        self.0.push_str("#\n");
    }

    /// A paragraph.
    pub fn say(&mut self, words: &str) {
        self.indented("", "", words);
    }

    /// A paragraph that begins with `first` and goes on behind `rest`.
    pub fn indented(&mut self, first: &str, rest: &str, words: &str) {
        let mut line = format!("# {first}");
        let mut empty = true;
        for word in words.split_whitespace() {
            if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.line(&line);
                line = format!("# {rest}");
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            // What others wrote, such as reasons, may have what no comment may have.
            line.extend(word.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }));
            empty = false;
        }
        self.line(&line);
    }

    pub fn line(&mut self, line: &str) {
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    /// By what, when and how something was measured, and with what.
    pub fn facts(&mut self, measured: &Measured, with: &str) {
        let Measured { environment, library, repeats, store } = measured;
        self.indented("machine: ", "  ", &environment.machine());
        self.indented("date: ", "  ", &environment.date());
        let version = format!("{library}; cairn-ab {}", environment.version);
        self.indented("version: ", "  ", &version);
        self.indented("measured: ", "  ", repeats);
        if !with.is_empty() {
            self.indented("with: ", "  ", with);
        }
        self.indented("values: ", "  ", &store.display().to_string());
    }

    fn threshold(&mut self, it: &Tuned) {
        self.say(&format!("--- {} ---", it.name));
        if !it.help.is_empty() {
            self.say(&it.help);
        }
        if let Outcome::Chosen { measured, .. } = &it.outcome {
            self.gap();
            self.facts(measured, &it.with);
        }
        if let Some((value, who)) = &it.elsewhere {
            self.gap();
            let instead = match it.taken() {
                Some(_) => "--tune is stronger",
                None => "this counts, as nothing is set here",
            };
            self.say(&format!("Note: it is set to {value} ({who}); {instead}."));
        }
        if let Outcome::Chosen { choice, .. } = &it.outcome {
            self.values(choice, &it.default);
        }
        for (value, why) in &it.refused {
            self.gap();
            self.indented(&format!("{value}: "), "  ", &format!("out, it is not taken: {why}"));
        }
        self.gap();
        self.indented("choice: ", "  ", &format!("{}.", it.reason()));
        let name = &it.name;
        // A string of JSON is one of TOML.
        let setting = |value: &str| format!("{name} = {}\n", serde_json::Value::from(value));
        match it.taken() {
            Some(value) => self.0.push_str(&setting(value)),
            None if it.default.is_empty() => {}
            None => write!(self.0, "# {}", setting(&it.default)).expect("a string takes all"),
        }
    }

    /// All that was measured: the default's values, and the ratios of the others.
    fn values(&mut self, choice: &Choice, default: &str) {
        let wide = choice.default.iter().map(|(place, _)| place.chars().count()).max().unwrap_or(0);
        self.gap();
        self.say(&format!("{default}, the default:"));
        for (place, value) in &choice.default {
            self.line(&format!("#   {place:wide$}  {value}"));
        }
        for candidate in &choice.candidates {
            self.gap();
            self.indented(&format!("{}: ", candidate.value), "  ", &candidate.shown());
            for Point { place, ratio, says } in &candidate.points {
                let shown = numbers::estimate(ratio);
                self.line(&format!("#   {place:wide$}  {shown:20} {}", says.shown()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::choice::tests::chosen;

    fn tuned(repeats: u32) -> Tuned {
        Tuned {
            name: "x_limit".into(),
            help: "Largest message of a kind".into(),
            default: "d".into(),
            elsewhere: None,
            with: "btl=self,sm".into(),
            refused: vec![("1g".into(), "1g is outside its range".into())],
            outcome: Outcome::Chosen { choice: chosen(repeats), measured: Box::default() },
        }
    }

    fn settings(text: &str) -> Vec<(String, toml::Value)> {
        let table: toml::Table = toml::from_str(text).unwrap();
        table.into_iter().collect()
    }

    #[test]
    fn it_sets_what_was_taken() {
        let text = text(&[tuned(10)], None, Path::new("my.toml"));
        assert_eq!(settings(&text), [("x_limit".to_owned(), toml::Value::from("a"))]);
        for part in [
            "mpirun --tune my.toml",
            "# with: btl=self,sm\n",
            "# d, the default:\n#   time 1 KiB  1.00 s\n",
            "# a: better at 1, equal at 3; mean gain 1.19\n",
            "#   time 2 KiB  0.50 (0.50 – 0.50)   better\n",
            "# b: worse at 2, equal at 2; mean gain 0.71\n",
            "# 1g: out, it is not taken: 1g is outside its range\n",
            "# choice: a is better than the default, d, at time 2 KiB, and at no point worse.\nx_limit = \"a\"\n",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn it_says_that_nothing_is_better() {
        let text = text(&[tuned(6)], Some("y_limit"), Path::new("my.toml"));
        assert_eq!(settings(&text), []);
        for part in [
            "Nothing is set here: the defaults stay.",
            "# choice: the default stays: 6 repeats are too few, 9 are needed for intervals of 8 ratios.\n\
             # x_limit = \"d\"\n",
            "Stopped by the user at y_limit",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }

    #[test]
    fn it_is_toml_whatever_others_say() {
        let mut it = tuned(10);
        it.help = "one\n[two]\u{7} \u{1b}[31m".into();
        it.elsewhere = Some(("8k".into(), "/etc/x.toml:3".into()));
        let mut other = tuned(10);
        other.outcome = Outcome::NotMeasured("x\ny = 1".into());
        let text = text(&[it, other], None, Path::new("a\nb = 3"));
        assert_eq!(settings(&text).len(), 1);
        assert!(text.contains("it is set to 8k (/etc/x.toml:3); --tune is stronger."), "{text}");
        assert!(text.contains("# choice: not measured: x y = 1.\n"), "{text}");
    }

    #[test]
    fn a_file_is_not_replaced_by_mistake() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("t.toml");
        check(&file, false).unwrap();
        write("x", &file, false).unwrap();
        for problem in [check(&file, false).unwrap_err(), write("y", &file, false).unwrap_err()] {
            assert!(problem.to_string().contains("--overwrite"), "{problem}");
        }
        check(&file, true).unwrap();
        write("z", &file, true).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "z");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        check(dir.path(), true).unwrap_err();
        check(&dir.path().join("none/t.toml"), false).unwrap_err();
    }
}
