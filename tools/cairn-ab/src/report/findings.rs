//! A page of documentation that says what came of experiments: a section for each, with the claim, the
//! verdicts, and where and with what they were measured. A section is made anew when its experiment is
//! measured again; the others stay.

use std::fs;
use std::path::Path;

use cairn_framework::host::problem::Problem;

use crate::report::pages::{measured, versions, wrapped};
use crate::report::summary::Summary;
use crate::verdict::Verdict;

/// What a section begins with.
const SECTION: &str = "\n## ";

/// Renews the section of an experiment, or adds it at the end.
///
/// # Errors
/// The page is missing or can't be written.
pub fn renew(summary: &Summary, page: &Path) -> Result<(), Problem> {
    let failed = |error| Problem::new(format!("can't renew the page: {error}")).at(page.display());
    let text = fs::read_to_string(page).map_err(failed)?;
    fs::write(page, replaced(&text, &section(summary))).map_err(failed)
}

/// A page with this section instead of the one with its heading.
fn replaced(page: &str, section: &str) -> String {
    let heading = section.lines().next().unwrap_or_default();
    let place = page.find(&format!("\n{heading}\n")).map(|place| place + 1);
    let Some(place) = place else {
        return format!("{}\n\n{section}", page.trim_end());
    };
    let (before, rest) = page.split_at(place);
    match rest.find(SECTION) {
        Some(end) => format!("{before}{section}{}", &rest[end..]),
        None => format!("{before}{section}"),
    }
}

fn section(summary: &Summary) -> String {
    let experiment = &summary.experiment;
    let mut text = match &experiment.paper[..] {
        "" => format!("## {}\n\n", experiment.title),
        paper => format!("## {paper}: {}\n\n", experiment.title),
    };
    if !experiment.claim.is_empty() {
        text += &format!("Claim: {}.\n\n", experiment.claim.trim_end_matches('.'));
    }
    for verdict in &summary.verdicts {
        text += &format!("* {}\n", item(verdict));
    }
    text += if summary.verdicts.is_empty() { "" } else { "\n" };
    for (variant, reason) in &summary.skipped {
        text += &format!("{variant} was left out: {reason}.\n\n");
    }
    if let Some(environment) = summary.environments.last() {
        let quiet = &summary.quiet;
        let disturbed = match quiet.disturbed {
            0 => String::new(),
            some => format!(", the machine disturbed in {some} of them"),
        };
        let measured = measured(environment, &versions(summary, |_| true));
        text += &format!("{measured} {} repeats{disturbed}.\n", quiet.blocks);
    }
    wrapped(&text)
}

fn item(Verdict { says, finding, why, note }: &Verdict) -> String {
    let end = |text: &str| if text.ends_with('.') { "" } else { "." };
    let mut item = format!("{says}: **{}**; {why}{}", finding.shown(), end(why));
    if !note.is_empty() {
        item += &format!(" {note}{}", end(note));
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::summary;
    use crate::verdict::Finding;

    #[test]
    fn a_section_is_replaced_and_the_others_stay() {
        let page = "# Found\n\nText.\n\n## a: b\n\nold\n\n## c\n\nother\n";
        let once = replaced(page, "## a: b\n\nnew\n");
        assert_eq!(once, "# Found\n\nText.\n\n## a: b\n\nnew\n\n## c\n\nother\n");
        assert_eq!(replaced(&once, "## a: b\n\nnew\n"), once);
        let last = replaced(&once, "## c\n\nlast\n");
        assert_eq!(last, "# Found\n\nText.\n\n## a: b\n\nnew\n\n## c\n\nlast\n");
        assert!(replaced(&last, "## a\n\nmore\n").ends_with("last\n\n## a\n\nmore\n"));
    }

    #[test]
    fn a_section_says_what_was_found() {
        let mut summary = summary();
        summary.experiment.title = "Rates".into();
        summary.experiment.paper = "Nobody 1999, figure 1".into();
        summary.experiment.claim = "a is faster than b".into();
        summary.verdicts.push(Verdict {
            says: "Twice as fast".into(),
            finding: Finding::DoesNot,
            why: "the ratio is 1.5".into(),
            note: "As expected.".into(),
        });
        let dir = tempfile::tempdir().unwrap();
        let page = dir.path().join("found.md");
        assert!(renew(&summary, &page).is_err(), "there is no page");
        fs::write(&page, "# Found\n").unwrap();
        renew(&summary, &page).unwrap();
        let text = fs::read_to_string(&page).unwrap();
        for part in [
            "# Found\n\n## Nobody 1999, figure 1: Rates\n\nClaim: a is faster than b.\n\n",
            "* Twice as fast: **does not hold**; the ratio is 1.5. As expected.\n",
            "gone was left out: no network.\n\nMeasured on 1970-01-01: ",
            " 6 repeats",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        renew(&summary, &page).unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), text);
    }
}
