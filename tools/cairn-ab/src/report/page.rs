//! One page of HTML with everything in it: pictures, tables, verdicts, and where it was measured. It
//! needs nothing beside it. What stands in it is in `templates/report.html`.

use askama::Template;
use cairn_framework::host::report::Tone;

use crate::experiment::Experiment;
use crate::report::numbers::short;
use crate::report::summary::Summary;
use crate::report::table::{quiet, table};
use crate::verdict::{Count, Finding};

/// A picture of a table.
pub struct Picture {
    /// The number of the table.
    pub group: usize,
    /// What it shows.
    pub title: String,
    /// As SVG.
    pub svg: String,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    summary: &'a Summary,
    experiment: &'a Experiment,
    findings: Vec<(&'a str, usize)>,
    pictures: &'a [Picture],
}

/// The page.
///
/// # Errors
/// None that are known; those of the template.
pub fn html(summary: &Summary, pictures: &[Picture]) -> askama::Result<String> {
    let count = Count::of(&summary.verdicts);
    Page { summary, experiment: &summary.experiment, findings: count.rows(), pictures }.render()
}

/// How a tone is called in the style.
fn class(tone: &Tone) -> &'static str {
    match tone {
        Tone::Good => "better",
        Tone::Bad => "worse",
        _ => "faint",
    }
}

/// A place in which a number stays with its unit.
fn unbroken(place: &str) -> String {
    place.replace(' ', "\u{a0}").replace(",\u{a0}", ", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::summary;

    #[test]
    fn the_page_has_everything_and_needs_nothing() {
        let svg = "<svg id=\"here\"></svg>".to_owned();
        let pictures = [Picture { group: 0, title: "rates".into(), svg }];
        let page = html(&summary(), &pictures).unwrap();
        for part in [
            "<title>T &#60;&#38;&#62;</title>",
            "a is twice b",
            "<svg id=\"here\">",
            "twice: <strong>holds</strong>",
            "2.00x (2.00 – 2.00)",
            "gone was left out: no network",
            "4\u{a0}threads",
        ] {
            assert!(page.contains(part), "no {part} in {page}");
        }
        for part in ["<script", "src=", "href=", "@import", "url("] {
            assert!(!page.contains(part), "{part} in {page}");
        }
    }
}
