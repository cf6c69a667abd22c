//! Everything that sets parameters, gathered once at the start.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file;
use super::origin::{FileLine, Origin};
use crate::host::paths::Paths;
use crate::host::problem::{Problem, did_you_mean, nearest};

/// Prefix of the environment variables that set parameters.
pub const ENVIRONMENT_PREFIX: &str = "CAIRN_MCA_";
/// Prefix of Open MPI's, which are understood where the name has a meaning here.
pub const OMPI_PREFIX: &str = "OMPI_MCA_";
/// What Open MPI's mpirun sets under this prefix for itself in each process that it starts. No user
/// wished for it.
const OF_OMPIS_LAUNCHER: [&str; 4] = ["PREFIXES", "cpu_type", "initial_wdir", "num_procs"];
/// The variable by which a launcher hands its command line to the processes it starts.
pub const LAUNCH_VARIABLE: &str = "CAIRN_LAUNCH_PARAMS";

/// A value that some source gives to some name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The full name, or a synonym of it.
    pub name: String,
    /// The value as it was written.
    pub text: String,
    /// Where it was written.
    pub origin: Origin,
}

/// What was said on a command line, in a form that can be passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLine {
    /// `--mca NAME VALUE`, in order.
    #[serde(default)]
    pub mca: Vec<(String, String)>,
    /// `--tune FILE`, in order.
    #[serde(default)]
    pub tune: Vec<PathBuf>,
    /// `--profile NAME`, in order.
    #[serde(default)]
    pub profile: Vec<String>,
}

impl CommandLine {
    /// The environment variable, name and value, that carries this to started processes. Relative
    /// files are made absolute, because those processes may start elsewhere.
    ///
    /// # Errors
    /// A path that is not UTF-8 can't be passed on.
    pub fn to_variable(&self) -> Result<(&'static str, String), Problem> {
        let mut whole = self.clone();
        for path in &mut whole.tune {
            if let Ok(absolute) = std::path::absolute(&*path) {
                *path = absolute;
            }
        }
        let text = serde_json::to_string(&whole).map_err(|error| {
            Problem::new(format!("can't pass the parameters on to other processes: {error}"))
                .at("--tune")
                .fix("rename the file so that its path is UTF-8")
        })?;
        Ok((LAUNCH_VARIABLE, text))
    }

    fn from_variable(text: &str) -> Result<Self, Problem> {
        serde_json::from_str(text).map_err(|error| {
            Problem::new(format!("can't read what the launcher passed on: {error}"))
                .at(format!("environment variable {LAUNCH_VARIABLE}"))
                .fix("start the program with Cairn's own mpirun, of the same version")
        })
    }
}

/// The sources of a process.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// What was said on the command line of this program, if it takes parameters.
    pub command_line: CommandLine,
    /// The environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The user's file; need not exist.
    pub user_file: Option<PathBuf>,
    /// The installation's file; need not exist.
    pub system_file: Option<PathBuf>,
    /// Directories with profiles, the first wins.
    pub profile_dirs: Vec<PathBuf>,
}

impl Sources {
    /// The sources of this process with a command line of its own.
    pub fn of_process(paths: &Paths, command_line: CommandLine) -> Self {
        Self {
            command_line,
            environment: std::env::vars_os().collect(),
            user_file: paths.user_file(),
            system_file: paths.system_file(),
            profile_dirs: paths.profile_dirs(),
        }
    }

    /// Reads everything: the settings, weakest first, and what is wrong with the sources.
    pub fn gather(&self) -> (Vec<Setting>, Vec<Problem>) {
        let mut gatherer = Gatherer::default();
        let mut command_line = self.command_line.clone();
        gatherer.environment(&self.environment, &mut command_line);

        for (path, make) in [
            (&self.system_file, Origin::SystemFile as fn(FileLine) -> Origin),
            (&self.user_file, Origin::UserFile),
        ] {
            // A link that leads nowhere is there, too.
            if let Some(path) = path
                && path.symlink_metadata().is_ok()
            {
                gatherer.file(path, make);
            }
        }
        let mut given: Vec<(PathBuf, String)> = Vec::new();
        for name in &command_line.profile {
            if let Some(path) = gatherer.find_profile(name, &self.profile_dirs)
                && gatherer.first_time(&mut given, &path, &format!("--profile {name}"))
            {
                gatherer.file(&path, |place| Origin::Profile(name.clone(), place));
            }
        }
        for path in &command_line.tune {
            if gatherer.first_time(&mut given, path, &format!("--tune {}", path.display())) {
                gatherer.file(path, Origin::Tune);
            }
        }
        gatherer.command_line(&command_line.mca);
        gatherer.settings.sort_by_key(|setting| setting.origin.strength());
        (gatherer.settings, gatherer.problems)
    }
}

/// The profiles in `dirs`: name and file; of two with one name the first.
pub fn profiles(dirs: &[PathBuf]) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for entry in dirs.iter().filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if let Some(name) = stem
            && path.extension().is_some_and(|extension| extension == "toml")
            && name != "default"
        {
            found.entry(name.to_owned()).or_insert(path);
        }
    }
    found
}

#[derive(Default)]
struct Gatherer {
    settings: Vec<Setting>,
    problems: Vec<Problem>,
}

impl Gatherer {
    fn file(&mut self, path: &Path, origin: impl Fn(FileLine) -> Origin) {
        match file::read(path) {
            Ok(entries) => self.settings.extend(entries.into_iter().map(|entry| Setting {
                name: entry.name,
                text: entry.text,
                origin: origin(FileLine { path: path.into(), line: entry.line }),
            })),
            Err(problems) => self.problems.extend(problems),
        }
    }

    fn find_profile(&mut self, name: &str, dirs: &[PathBuf]) -> Option<PathBuf> {
        let mut all = profiles(dirs);
        let found = all.remove(name);
        if found.is_none() {
            let near = nearest(name, all.keys().map(String::as_str));
            let known: Vec<&str> = all.keys().map(String::as_str).collect();
            let allowed = if known.is_empty() {
                let dirs: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
                format!("a file NAME.toml in {}", dirs.join(" or "))
            } else {
                known.join(", ")
            };
            self.problems.push(
                Problem::new(format!("there is no profile {name}"))
                    .at(format!("--profile {name}"))
                    .allowed(allowed)
                    .fix(did_you_mean(&near, "--tune takes a file by its path")),
            );
        }
        found
    }

    fn first_time(&mut self, given: &mut Vec<(PathBuf, String)>, path: &Path, flag: &str) -> bool {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some((_, before)) = given.iter().find(|(other, _)| *other == real) {
            self.problems.push(
                Problem::new(format!("the parameter file {} is given twice", real.display()))
                    .at(format!("{before} and {flag}"))
                    .fix("leave one of them out"),
            );
            return false;
        }
        given.push((real, flag.to_owned()));
        true
    }

    /// Reads the variables, and what a launcher passed on into `command_line`.
    fn environment(&mut self, variables: &[(OsString, OsString)], command_line: &mut CommandLine) {
        for (variable, value) in variables {
            let Some(variable) = variable.to_str() else { continue };
            let known = [ENVIRONMENT_PREFIX, OMPI_PREFIX]
                .into_iter()
                .find_map(|prefix| Some((prefix, variable.strip_prefix(prefix)?)));
            let place = || format!("environment variable {variable}");
            if variable == LAUNCH_VARIABLE {
                match value.to_str().ok_or("not UTF-8").map(CommandLine::from_variable) {
                    // What is said to this program itself is stronger.
                    Ok(Ok(mut passed)) => {
                        passed.mca.retain(|(name, _)| {
                            !command_line.mca.iter().any(|(other, _)| other == name)
                        });
                        command_line.mca.splice(..0, passed.mca);
                        command_line.tune.splice(..0, passed.tune);
                        command_line.profile.splice(..0, passed.profile);
                    }
                    Ok(Err(problem)) => self.problems.push(problem),
                    Err(error) => self
                        .problems
                        .push(Problem::new(error).at(place()).fix("unset the variable")),
                }
            } else if let Some((prefix, name)) = known {
                if prefix == OMPI_PREFIX && OF_OMPIS_LAUNCHER.contains(&name) {
                    continue;
                }
                let Some(text) = value.to_str() else {
                    self.problems.push(
                        Problem::new("a value that is not UTF-8")
                            .at(place())
                            .fix("write it in UTF-8, or unset the variable"),
                    );
                    continue;
                };
                let origin = if prefix == OMPI_PREFIX {
                    Origin::OmpiEnvironment(variable.to_owned())
                } else {
                    Origin::Environment(variable.to_owned())
                };
                self.settings.push(Setting { name: name.into(), text: text.into(), origin });
            } else if variable
                .get(..ENVIRONMENT_PREFIX.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(ENVIRONMENT_PREFIX))
            {
                let rest = &variable[ENVIRONMENT_PREFIX.len()..];
                self.problems.push(
                    Problem::new("a variable that sets no parameter, because of its capitals")
                        .at(place())
                        .fix(format!("write {ENVIRONMENT_PREFIX}{}", rest.to_lowercase())),
                );
            }
        }
    }

    fn command_line(&mut self, mca: &[(String, String)]) {
        for (i, (name, text)) in mca.iter().enumerate() {
            match mca[..i].iter().find(|(other, _)| other == name) {
                None => self.settings.push(Setting {
                    name: name.clone(),
                    text: text.clone(),
                    origin: Origin::CommandLine,
                }),
                Some((_, before)) if before == text => {}
                Some((_, before)) => self.problems.push(
                    Problem::new(format!("{name} is given twice, as {before} and as {text}"))
                        .at("--mca on the command line")
                        .fix("leave one of them out; a list is written with commas: a,b"),
                ),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use proptest::prelude::*;

    use super::*;

    fn variable(name: &str, value: &str) -> (OsString, OsString) {
        (name.into(), value.into())
    }

    #[test]
    fn order_is_precedence() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, format!("x = \"{name}\"\n")).unwrap();
            path
        };
        let sources = Sources {
            command_line: CommandLine {
                mca: vec![("x".into(), "flag".into())],
                tune: vec![write("tune")],
                profile: vec!["fast".into()],
            },
            environment: vec![
                variable("CAIRN_MCA_x", "env"),
                variable("OMPI_MCA_x", "ompi"),
                variable("OMPI_MCA_num_procs", "of its launcher"),
            ],
            user_file: Some(write("user")),
            system_file: Some(write("system")),
            profile_dirs: vec![write("fast.toml").parent().unwrap().into()],
        };
        let (settings, problems) = sources.gather();
        assert_eq!(problems, []);
        let texts: Vec<&str> = settings.iter().map(|setting| setting.text.as_str()).collect();
        assert_eq!(texts, ["system", "user", "fast.toml", "tune", "ompi", "env", "flag"]);
    }

    #[test]
    fn what_is_wrong_with_sources_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let tune = dir.path().join("t.toml");
        std::fs::write(&tune, "").unwrap();
        let broken = dir.path().join("laptop.toml");
        std::fs::write(&broken, [b'a', b'\n', 0xff]).unwrap();
        let sources = Sources {
            command_line: CommandLine {
                mca: vec![("a".into(), "1".into()), ("a".into(), "2".into())],
                tune: vec![
                    tune.clone(),
                    dir.path().join(".").join("t.toml"),
                    dir.path().join("none.toml"),
                ],
                profile: vec!["latop".into(), "laptop".into()],
            },
            environment: vec![
                variable("Cairn_Mca_btl", "x"),
                ("CAIRN_MCA_y".into(), OsStr::from_bytes(&[0xff]).to_owned()),
                variable(LAUNCH_VARIABLE, "nonsense"),
            ],
            profile_dirs: vec![dir.path().into()],
            ..Sources::default()
        };
        let (settings, problems) = sources.gather();
        let all: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
        for part in [
            "given twice",
            "a is given twice, as 1 and as 2",
            "can't read the parameter file",
            "did you mean laptop?",
            "not UTF-8",
            "write CAIRN_MCA_btl",
            "start the program with Cairn's own mpirun",
            "laptop.toml:2",
        ] {
            assert!(all.contains(part), "{part} in\n{all}");
        }
        assert_eq!(settings.len(), 1);
    }

    #[test]
    fn a_command_line_passes_through_a_variable() {
        let line = CommandLine {
            mca: vec![("btl".into(), "self,\"s\nm".into())],
            tune: vec!["/a b/c.toml".into()],
            profile: vec!["p".into()],
        };
        let (name, value) = line.to_variable().unwrap();
        let mut own = CommandLine { mca: vec![("btl".into(), "tcp".into())], ..line.clone() };
        own.tune.clear();
        own.profile.clear();
        Gatherer::default().environment(&[variable(name, &value)], &mut own);
        assert_eq!(own.mca, [("btl".to_owned(), "tcp".to_owned())]);
        assert_eq!((own.tune, own.profile), (line.tune, line.profile));
    }

    proptest! {
        #[test]
        fn any_environment_and_command_line_is_taken_without_panic(
            names in prop::collection::vec((any::<Vec<u8>>(), any::<Vec<u8>>(), 0u8..5), 0..6),
            mca in prop::collection::vec((any::<String>(), any::<String>()), 0..4),
            paths in prop::collection::vec(any::<String>(), 0..2),
        ) {
            let environment = names
                .into_iter()
                .map(|(name, value, prefix)| {
                    let prefix: &[u8] = match prefix {
                        0 => b"CAIRN_MCA_",
                        1 => b"OMPI_MCA_",
                        2 => b"cairn_mca_",
                        3 => LAUNCH_VARIABLE.as_bytes(),
                        _ => b"",
                    };
                    let name = [prefix, &name].concat();
                    (OsStr::from_bytes(&name).to_owned(), OsStr::from_bytes(&value).to_owned())
                })
                .collect();
            let profile = paths.clone();
            let tune = paths.into_iter().map(PathBuf::from).collect();
            let sources = Sources {
                command_line: CommandLine { mca, tune, profile },
                environment,
                ..Sources::default()
            };
            let _ = sources.gather();
        }
    }
}
