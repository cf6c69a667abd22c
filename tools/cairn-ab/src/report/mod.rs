//! The report: what was measured as text, files, pictures and a page.
//!
//! ```text
//!   summary   medians, ratios, verdicts        numbers   values and coordinates as people read them
//!   table     text for a terminal              files     CSV and JSON
//!   lines     what a picture shows             plot      the picture, as SVG and PNG
//!   page      one page of HTML with everything   pages     plots for pages of documentation
//!   runs      which failed, and where          findings  verdicts for a page of documentation
//! ```

mod files;
pub mod findings;
mod lines;
pub mod numbers;
mod page;
pub mod pages;
mod plot;
pub mod runs;
pub mod summary;
pub mod table;

use std::fs;
use std::path::{Path, PathBuf};

use cairn_framework::host::problem::Problem;

use crate::store;
use crate::verdict::{Finding, Verdict};
use summary::Summary;

/// Reads a store, whatever is in it.
///
/// # Errors
/// It is not there, or corrupt.
pub fn summary(dir: &Path) -> Result<Summary, Problem> {
    let contents = store::read(dir)?;
    if let Some(torn) = &contents.torn {
        cairn_cli::print_problems(std::slice::from_ref(torn));
    }
    let mut summary = Summary::new(&contents);
    summary.versions = contents.versions()?;
    Ok(summary)
}

/// Reads a store to report it.
///
/// # Errors
/// It is not there, corrupt, or nothing was measured, not even that a library lacks what a claim is about.
pub fn read(dir: &Path) -> Result<Summary, Problem> {
    let summary = summary(dir)?;
    let lacking = |verdict: &Verdict| verdict.finding == Finding::NotImplemented;
    if summary.groups.is_empty() && !summary.verdicts.iter().any(lacking) {
        let what = "nothing was measured in this store";
        let mut problem = Problem::new(what).at(dir.join(store::SAMPLES).display());
        let reasons = summary.failures.iter().map(|failure| {
            format!("{} with {}: {}", failure.what, failure.variant, failure.reason)
        });
        let left_out =
            summary.skipped.iter().map(|(variant, reason)| format!("{variant}: {reason}"));
        if let Some(first) = reasons.chain(left_out).next() {
            problem.what = format!("{what}; {first}");
        }
        return Err(problem.fix("cairn-ab run EXPERIMENT.toml --resume measures what is missing"));
    }
    Ok(summary)
}

/// Writes everything into a directory, and returns the path of the page.
///
/// # Errors
/// It can't be written.
pub fn write(summary: &Summary, dir: &Path) -> Result<PathBuf, Problem> {
    let failed =
        |error: String| Problem::new(format!("can't write the report: {error}")).at(dir.display());
    fs::create_dir_all(dir).map_err(|error| failed(error.to_string()))?;
    let write = |name: &str, text: &str| {
        fs::write(dir.join(name), text).map_err(|error| failed(error.to_string()))
    };
    write("results.csv", &files::csv(summary).map_err(|error| failed(error.to_string()))?)?;
    write("results.json", &files::json(summary))?;
    let mut pictures = Vec::new();
    for (i, group) in summary.groups.iter().enumerate() {
        for (j, plot) in lines::plots(summary, group).into_iter().enumerate() {
            let name = format!("{}-{j}", files::name(i, group));
            let svg = plot::svg(&plot).map_err(&failed)?;
            write(&format!("{name}.svg"), &svg)?;
            plot::png(&plot, &dir.join(format!("{name}.png"))).map_err(&failed)?;
            pictures.push(page::Picture { group: i, title: plot.title, svg });
        }
    }
    let page = page::html(summary, &pictures).map_err(|error| failed(error.to_string()))?;
    write("report.html", &page)?;
    Ok(dir.join("report.html"))
}
