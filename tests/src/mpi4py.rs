//! How mpi4py's tests ended, compared with the list of those that can't pass yet.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Reasons for which the suite skips a test that say nothing of the MPI library: the number of processes,
/// or a package of Python that is not installed.
const SKIPS: &[&str] =
    &["mpi-world-size<2", "mpi-world-size>1", "comm.size==1", "numpy", "cupy", "numba"];

/// The tests that can't pass yet, with whether they are run.
pub struct List(BTreeMap<String, bool>);

/// What became of tests, with one number of processes or several.
#[derive(Default)]
pub struct Outcomes {
    /// All tests there are.
    names: BTreeSet<String>,
    /// Failed, or skipped for what the library lacks; with the first reason.
    failed: BTreeMap<String, String>,
}

impl List {
    /// Reads a list: a name in each line, after `never` if it is not run, and lines that begin with #.
    ///
    /// # Panics
    /// A line is something else, or names a test again.
    pub fn parse(text: &str) -> Self {
        let mut list = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (runs, name) = match line.strip_prefix("never ") {
                Some(name) => (false, name),
                None => (true, line),
            };
            assert!(!name.contains(' '), "this is no line of the list: {line}");
            assert!(list.insert(name.to_owned(), runs).is_none(), "listed twice: {name}");
        }
        Self(list)
    }

    /// All of them, one a line.
    pub fn all(&self) -> String {
        self.0.keys().map(|name| format!("{name}\n")).collect()
    }

    /// Those that are run, one a line.
    pub fn run(&self) -> String {
        let run = self.0.iter().filter(|(_, runs)| **runs);
        run.map(|(name, _)| format!("{name}\n")).collect()
    }

    /// What is wrong, a line each: `others` are the outcomes of the tests that are not in the list,
    /// `listed` of those that are.
    pub fn problems(&self, others: &Outcomes, listed: &Outcomes) -> Vec<String> {
        let mut problems = others.failures();
        for (name, runs) in &self.0 {
            if !others.names.contains(name) {
                problems.push(format!("{name} does not exist: take it off the list"));
            } else if *runs && !listed.failed.contains_key(name) {
                problems.push(format!("{name} passes: take it off the list"));
            }
        }
        problems
    }
}

impl Outcomes {
    /// Adds what the ranks of a job wrote into a directory.
    ///
    /// # Errors
    /// The job did not come to its end: where each of its ranks was.
    pub fn add(&mut self, dir: &Path, processes: u32) -> Result<(), String> {
        let texts = (0..processes).map(|rank| fs::read_to_string(dir.join(rank.to_string())));
        let texts: Vec<String> = texts.map(Result::unwrap_or_default).collect();
        texts.iter().for_each(|text| self.add_rank(text));
        let last = |text: &String| text.lines().last().unwrap_or("nothing").to_owned();
        let last: Vec<String> = texts.iter().map(last).collect();
        if last.iter().all(|last| last.starts_with("end\t")) {
            return Ok(());
        }
        Err(format!("the ranks did not come further than\n{}", last.join("\n")))
    }

    /// The tests that did not pass, a line each.
    pub fn failures(&self) -> Vec<String> {
        let failed = self.failed.iter();
        failed.map(|(name, reason)| format!("{name} does not pass: {reason}")).collect()
    }

    /// Adds what a rank wrote.
    fn add_rank(&mut self, text: &str) {
        for line in text.lines() {
            let mut parts = line.splitn(3, '\t');
            let mut next = || parts.next().unwrap_or_default();
            let (outcome, name, reason) = (next(), next(), next());
            if !name.is_empty() {
                self.names.insert(name.to_owned());
            }
            match outcome {
                "skipped" if SKIPS.contains(&reason) => {}
                "failed" | "skipped" => {
                    let reason = format!("{outcome}: {reason}");
                    self.failed.entry(name.to_owned()).or_insert(reason);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(texts: &[&str]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        texts.iter().for_each(|text| outcomes.add_rank(text));
        outcomes
    }

    fn problems(list: &str, others: &[&str], listed: &[&str]) -> Vec<String> {
        List::parse(list).problems(&outcomes(others), &outcomes(listed))
    }

    #[test]
    fn a_list_says_what_is_run() {
        let list = List::parse("# topologies\na.A.one\n\n# spawn\nnever a.A.two\n");
        assert_eq!(list.all(), "a.A.one\na.A.two\n");
        assert_eq!(list.run(), "a.A.one\n");
    }

    #[test]
    fn what_is_as_expected_is_no_problem() {
        let others = "left\ta.one\t\nleft\ta.two\t\nbegan\tb.one\t\npassed\tb.one\t\n\
                      skipped\tb.two\tcupy\nend\t\t\n";
        let listed = "left\tb.one\t\nbegan\ta.one\t\nfailed\ta.one\twhy\nend\t\t\n";
        assert!(problems("a.one\nnever a.two\n", &[others], &[listed]).is_empty());
        // It may pass with some numbers of processes, or be skipped for what the library lacks.
        let passed = "passed\ta.one\t\n";
        assert!(problems("a.one\nnever a.two\n", &[others], &[passed, listed]).is_empty());
        let skipped = "skipped\ta.one\tmpi-win\n";
        assert!(problems("a.one\nnever a.two\n", &[others], &[skipped]).is_empty());
    }

    #[test]
    fn what_is_not_as_expected_is_named() {
        for (list, others, listed, problem) in [
            ("", "failed\tb.one\twhy\n", "", "b.one does not pass: failed: why"),
            ("", "skipped\tb.one\tmpi-win\n", "", "b.one does not pass: skipped: mpi-win"),
            ("a.one", "left\ta.one\t\n", "passed\ta.one\t", "a.one passes: take it off the list"),
            ("a.one", "left\ta.one\t\n", "", "a.one passes: take it off the list"),
            (
                "a.one",
                "left\ta.one\t\n",
                "skipped\ta.one\tcupy",
                "a.one passes: take it off the list",
            ),
            ("never a.one", "passed\tb.one\t\n", "", "a.one does not exist: take it off the list"),
        ] {
            assert_eq!(problems(list, &[others], &[listed]), [problem]);
        }
    }

    #[test]
    fn a_rank_that_did_not_come_to_its_end_is_told() {
        let dir = crate::scratch();
        fs::write(dir.path().join("0"), "began\tb.one\t\npassed\tb.one\t\nend\t\t\n").unwrap();
        assert_eq!(Outcomes::default().add(dir.path(), 1), Ok(()));
        fs::write(dir.path().join("1"), "began\tb.one\t\n").unwrap();
        let error = Outcomes::default().add(dir.path(), 3).unwrap_err();
        assert!(
            error.contains("end") && error.contains("began\tb.one") && error.contains("nothing")
        );
    }
}
