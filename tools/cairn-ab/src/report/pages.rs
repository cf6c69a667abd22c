//! Plots for pages of documentation: each benchmark's into the page of its name, with a line on where
//! and with what it was measured. In the page it stands between two comments, so that it can be made
//! anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cairn_framework::host::problem::Problem;
use cairn_framework::host::report::wrap;

use crate::contract::Better;
use crate::environment::Environment;
use crate::experiment::{Benchmark, Mpi, Variant};
use crate::report::lines::{self, Plot};
use crate::report::plot;
use crate::report::summary::{Failure, Group, Summary};

/// Between these is what is made.
const MEASURED: [&str; 2] = ["<!-- measured -->\n", "<!-- end of measured -->\n"];

/// Renews the pages in `dir`, and returns them. One whose benchmark could not be measured stays as it
/// is, and standard error says so.
///
/// # Errors
/// A page or its comments are missing, a benchmark has more than one plot, or something can't be
/// written.
pub fn renew(summary: &Summary, dir: &Path) -> Result<Vec<PathBuf>, Problem> {
    // All are checked before one is changed.
    let mut renewed = Vec::new();
    for benchmark in &summary.experiment.benchmarks {
        let name = &benchmark.name;
        let page = dir.join(format!("{name}.md"));
        let failed = |what: String| Problem::new(what).at(page.display());
        let text = fs::read_to_string(&page)
            .map_err(|error| failed(format!("can't read the page of {name}: {error}")))?;
        let groups: Vec<&Group> =
            summary.groups.iter().filter(|group| group.benchmark == *name).collect();
        if groups.is_empty() {
            cairn_cli::print_problems(&[failed(format!("{name} was not measured")).warning()]);
            continue;
        }
        let plots: Vec<Plot> =
            groups.iter().flat_map(|group| lines::plots(summary, group)).collect();
        let ([group], [plot]) = (&groups[..], &plots[..]) else {
            let problem = Problem::new(format!("{name} has more than one plot; a page has one"));
            return Err(problem.fix("say which with metric, x, series and drop"));
        };
        let [before, _, after] = parts(&text, MEASURED).ok_or_else(|| {
            let two = MEASURED.map(str::trim_end).join(" and ");
            failed("the page has no place for a plot".into())
                .fix(format!("write {two} on lines of their own"))
        })?;
        let [begin, end] = MEASURED;
        let section = section(summary, benchmark, group, &plot.title);
        let svg = plot::svg(plot).map_err(failed)?;
        renewed.push((page, format!("{before}{begin}{section}{end}{after}"), svg));
    }
    let write = |path: &Path, text: &str| {
        let failed = |error| Problem::new(format!("can't write it: {error}")).at(path.display());
        fs::write(path, text).map_err(failed)
    };
    for (page, text, svg) in &renewed {
        write(&page.with_extension("svg"), svg)?;
        write(page, text)?;
    }
    Ok(renewed.into_iter().map(|(page, ..)| page).collect())
}

/// What stands before, between and after two comments of a page.
pub(super) fn parts<'a>(page: &'a str, [begin, end]: [&str; 2]) -> Option<[&'a str; 3]> {
    let (before, rest) = page.split_once(begin)?;
    let (between, after) = rest.split_once(end)?;
    Some([before, between, after])
}

fn section(summary: &Summary, benchmark: &Benchmark, group: &Group, title: &str) -> String {
    let name = &benchmark.name;
    let better = match group.better {
        Better::Higher => "More",
        Better::Lower => "Less",
    };
    let mut text = format!("## An example\n\n![{title}]({name}.svg)\n\n{better} is better. ");
    let variants = summary.experiment.variants.iter();
    let there = |variant: &&Variant| {
        benchmark.is_for(variant)
            && group.rows.iter().any(|row| row.cells.contains_key(&variant.name))
    };
    if let Some(environment) = summary.environments.last() {
        text += &measured(environment, &versions(summary, |variant| there(&variant)));
    }
    text += &format!(
        " Medians of {} runs with intervals of 95 %; `{}`.",
        summary.quiet.blocks,
        command(benchmark)
    );
    for variant in variants.filter(|it| benchmark.is_for(it) && !there(it)) {
        text += &format!(" {}.", left_out(summary, name, variant));
    }
    format!("{}\n\n", wrapped(&text))
}

/// The libraries that variants ran on, as they say themselves, each once. Where variants ran on
/// different versions of a library, with their names.
pub(super) fn versions(summary: &Summary, of: impl Fn(&Variant) -> bool) -> Vec<String> {
    // By library, then by version: the names of the variants.
    let mut all: BTreeMap<Mpi, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for variant in summary.experiment.variants.iter().filter(|variant| of(variant)) {
        if let Some(version) = summary.versions.get(&variant.name) {
            let names = all.entry(variant.mpi).or_default().entry(short(version)).or_default();
            names.push(&variant.name);
        }
    }
    let shown = all.values().flat_map(|versions| {
        versions.iter().map(|(version, names)| match versions.len() {
            1 => version.clone(),
            _ => format!("{}: {version}", names.join(" and ")),
        })
    });
    shown.collect()
}

/// A version in few words: libraries go on with who built them, and when.
fn short(version: &str) -> String {
    let first = version.split(',').next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// When, where and with what.
pub(super) fn measured(environment: &Environment, versions: &[String]) -> String {
    let machine = format!("Measured on {}: {}", environment.date(), environment.machine());
    let sources = environment.commit.iter().map(|commit| format!("benchmarks of commit {commit}"));
    let libraries = Some(versions.join(", ")).filter(|them| !them.is_empty());
    let parts: Vec<String> = [machine].into_iter().chain(libraries).chain(sources).collect();
    format!("{}.", parts.join("; "))
}

/// The command line, as far as all cases have it in common.
fn command(benchmark: &Benchmark) -> String {
    let program = benchmark.binary.rsplit('/').next().unwrap_or_default().to_owned();
    let args = benchmark.args.iter().map(ToString::to_string);
    std::iter::once(program).chain(args).collect::<Vec<_>>().join(" ")
}

/// Why a variant has no line.
fn left_out(summary: &Summary, benchmark: &str, variant: &Variant) -> String {
    let name = &variant.name;
    if let Some(reason) = summary.skipped.get(name) {
        return format!("{name} was left out: {reason}");
    }
    let of = |failure: &&Failure| {
        failure.variant == *name && failure.what.split(' ').next() == Some(benchmark)
    };
    match summary.failures.iter().find(of) {
        Some(Failure { skipped: true, reason, .. }) => format!("{name} was skipped: {reason}"),
        Some(Failure { reason, .. }) => format!("{name} failed: {reason}"),
        None => format!("{name} was not measured"),
    }
}

/// Lines of a length that people read, for headings, paragraphs and lists. A heading stays a line.
pub(super) fn wrapped(text: &str) -> String {
    const LONGEST: usize = 100;
    let paragraph = |text: &str| match text {
        heading if heading.starts_with('#') => heading.to_owned(),
        item if item.starts_with("* ") => wrap(item, LONGEST - 2).join("\n  "),
        text => wrap(text, LONGEST).join("\n"),
    };
    text.split('\n').map(paragraph).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::summary;

    #[test]
    fn a_page_is_renewed_between_its_comments() {
        let dir = tempfile::tempdir().unwrap();
        let page = dir.path().join("rates.md");
        let text =
            |inside: &str| format!("# rates\n\n{}{inside}{}\nMore.\n", MEASURED[0], MEASURED[1]);
        let summary = summary();

        let missing = renew(&summary, dir.path()).unwrap_err();
        assert!(missing.what.contains("can't read the page of rates"), "{missing:?}");
        fs::write(&page, "# rates\n").unwrap();
        let without = renew(&summary, dir.path()).unwrap_err();
        assert!(without.what.contains("no place"), "{without:?}");
        assert!(!dir.path().join("rates.svg").exists());

        fs::write(&page, text("old\n")).unwrap();
        assert_eq!(renew(&summary, dir.path()).unwrap(), std::slice::from_ref(&page));
        let once = fs::read_to_string(&page).unwrap();
        assert!(!once.contains("old") && once.ends_with("\nMore.\n"), "{once}");
        for part in [
            "![rates: rate](rates.svg)",
            "More is better. Measured on 1970-01-01: ",
            "2 cores",
            "Medians of 8 runs",
            "`b`.",
            "gone was left out: no network.",
        ] {
            assert!(once.replace('\n', " ").contains(part), "no {part} in {once}");
        }
        assert!(fs::read_to_string(dir.path().join("rates.svg")).unwrap().starts_with("<svg"));
        renew(&summary, dir.path()).unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), once);
    }

    #[test]
    fn a_page_has_one_plot() {
        let mut summary = summary();
        let mut second = summary.groups[0].clone();
        second.metric = "latency".into();
        summary.groups.push(second);
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("rates.md"), MEASURED.concat()).unwrap();
        let problem = renew(&summary, dir.path()).unwrap_err();
        assert!(problem.what.contains("more than one plot"), "{problem:?}");
    }

    #[test]
    fn libraries_have_their_versions() {
        let environment = Environment {
            time: 1_763_737_200.0,
            cpu: "P".into(),
            cores: 4,
            kernel: "Linux 6".into(),
            version: "0.1.0".into(),
            commit: Some("abc".into()),
            ..Environment::default()
        };
        let mut summary = summary();
        summary.experiment.variants[2].mpi = Mpi::Ompi;
        let cairn = |commit: &str| format!("Cairn MPI 0.1.0 (commit {commit})");
        summary.versions = [
            ("a".into(), cairn("1")),
            ("b".into(), cairn("1")),
            ("gone".into(), "Open  MPI v5.0.8, package: x".into()),
        ]
        .into();
        assert_eq!(
            measured(&environment, &versions(&summary, |_| true)),
            "Measured on 2025-11-21: P, 4 cores, Linux 6; Cairn MPI 0.1.0 (commit 1), Open MPI \
             v5.0.8; benchmarks of commit abc."
        );
        // Two builds are told apart.
        summary.versions.insert("b".into(), cairn("2+"));
        assert_eq!(
            versions(&summary, |variant| variant.mpi == Mpi::Cairn),
            ["a: Cairn MPI 0.1.0 (commit 1)", "b: Cairn MPI 0.1.0 (commit 2+)"]
        );
    }

    #[test]
    fn lines_are_of_a_length_that_people_read() {
        let text = wrapped(&format!("# a\n\n{}", "word ".repeat(60)));
        assert!(text.starts_with("# a\n\nword word"));
        assert!(text.lines().all(|line| line.len() <= 100));
        assert_eq!(text.matches("word").count(), 60);
        let heading = format!("## {}", "word ".repeat(60));
        assert_eq!(wrapped(&heading), heading);
        assert!(wrapped(&format!("* {}", "word ".repeat(60))).contains("\n  word word"));
    }
}
