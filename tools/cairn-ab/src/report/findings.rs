//! A page of documentation that says what came of experiments: a section for each, with the claim, the
//! verdicts, and where and with what they were measured. A section is made anew when its experiment is
//! measured again; the others stay. At the top stands how many verdicts there are of each finding, as
//! counted in the page.
//!
//! A page may be preliminary: its note stays until no section is marked as an old one.

use std::fs;
use std::path::Path;

use cairn_framework::host::problem::Problem;

use crate::report::pages::{measured, parts, versions, wrapped};
use crate::report::summary::Summary;
use crate::report::table::overridden;
use crate::verdict::{CORES, Count, SEEN, Verdict};

/// What a section begins with.
const SECTION: &str = "\n## ";

/// Between these stand the numbers of findings.
const COUNT: [&str; 2] = ["<!-- findings -->\n", "<!-- end of findings -->\n"];
/// Between these stands why a page is preliminary.
const NOTE: [&str; 2] = ["<!-- preliminary -->\n", "<!-- end of preliminary -->\n"];
/// In a section that is the reason.
const OLD: &str = "<!-- an old section -->";
/// Around what is no longer held to be so.
const STRUCK: &str = "~~";

/// Renews the section of an experiment, or adds it at the end, and counts the findings of the page anew.
///
/// # Errors
/// The page is missing or can't be written.
pub fn renew(summary: &Summary, page: &Path) -> Result<(), Problem> {
    let failed = |error| Problem::new(format!("can't renew the page: {error}")).at(page.display());
    let text = fs::read_to_string(page).map_err(failed)?;
    let text = settled(counted(&replaced(&text, &section(summary))));
    fs::write(page, text).map_err(failed)
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

/// A page with the numbers of its findings before the first section.
fn counted(page: &str) -> String {
    let mut table = String::from("| finding | claims |\n|---|---|\n");
    for (finding, number) in count(page).rows() {
        table += &format!("| {finding} | {number} |\n");
    }
    let [begin, end] = COUNT;
    if let Some([before, _, after]) = parts(page, COUNT) {
        return format!("{before}{begin}{table}{end}{after}");
    }
    let place = page.find(SECTION).map_or(page.len(), |place| place + 1);
    let (before, after) = page.split_at(place);
    format!("{}\n\n{begin}{table}{end}\n{after}", before.trim_end())
}

/// The findings of a page.
fn count(page: &str) -> Count {
    let mut count = Count::default();
    let sections = page.find(SECTION).map_or("", |place| &page[place..]).replace("\n  ", " ");
    for item in sections.lines().filter_map(|line| line.strip_prefix("* ")) {
        let [_, finding, rest] = item.splitn(3, "**").collect::<Vec<_>>()[..] else { continue };
        let seen = rest.trim_start().strip_prefix('(').and_then(|rest| rest.strip_prefix(SEEN));
        let here = seen.and_then(|seen| seen.split([';', '(']).next()).map(str::trim);
        match here {
            _ if item.starts_with(STRUCK) => count.add("struck out", None),
            Some(here) => count.add(CORES, Some(here)),
            None => count.add(finding, None),
        }
    }
    count
}

/// A page without the note that it is preliminary, if no section is an old one.
fn settled(page: String) -> String {
    match parts(&page, NOTE) {
        Some([before, _, after]) if !page.contains(OLD) => {
            format!("{before}{}", after.trim_start_matches('\n'))
        }
        _ => page,
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
    let failures: Vec<String> = summary
        .failures
        .iter()
        .filter(|failure| !failure.skipped)
        .map(|failure| format!("* {}.\n", failure.shown()))
        .collect();
    if !failures.is_empty() {
        text += &format!("Runs that failed:\n\n{}\n", failures.concat());
    }
    if let Some(environment) = summary.environments.last() {
        let quiet = &summary.quiet;
        let disturbed = match quiet.disturbed() {
            0 => String::new(),
            some => format!(", the machine disturbed in {some} of them"),
        };
        let measured = measured(environment, &versions(summary, |_| true));
        text +=
            &format!("{measured} {} repeats{disturbed}{}.\n", quiet.blocks, overridden(summary));
    }
    wrapped(&text)
}

fn item(verdict: &Verdict) -> String {
    let Verdict { says, finding, note, .. } = verdict;
    let rest = verdict.rest();
    let end = |text: &str| if text.ends_with('.') { "" } else { "." };
    let mut item = format!("{says}: **{}**{rest}{}", finding.shown(), end(&rest));
    if !note.is_empty() {
        item += &format!(" {note}{}", end(note));
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::{contents, summary};
    use crate::store::{Outcome, Record};
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
            finding: Finding::DoesNotHold,
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
            "# Found\n\n<!-- findings -->\n| finding | claims |\n|---|---|\n| holds | 1 |\n\
             | does not hold | 1 |\n<!-- end of findings -->\n\n\
             ## Nobody 1999, figure 1: Rates\n\nClaim: a is faster than b.\n\n",
            "* Twice as fast: **does not hold**; the ratio is 1.5. As expected.\n",
            "gone was left out: no network.\n\nMeasured on 1970-01-01: ",
            " 8 repeats, the machine disturbed in 1 of them",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        renew(&summary, &page).unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), text);
    }

    #[test]
    fn failures_and_what_the_command_line_changed_are_on_the_page() {
        let mut contents = contents();
        contents.experiment.overridden.insert("repeats".into(), 12);
        for record in &mut contents.records {
            if let Record::Run(run) = record
                && (run.variant.as_str(), run.block) == ("b", 2)
            {
                let (reason, output) = ("it hung".into(), String::new());
                run.outcome = Outcome::Failed { reason, output };
            }
        }
        let text = section(&Summary::new(&contents)).replace('\n', " ");
        let failed = "Runs that failed:  * failed: rates -t 1 with b: it hung (1 of 9 runs).";
        assert!(text.contains(failed), "{text}");
        let says = "; repeats was 8 on the command line, the experiment says 12.";
        assert!(text.replace("  ", " ").contains(says), "{text}");
    }

    #[test]
    fn findings_of_a_page_are_counted() {
        let page = "# Found: **holds** means\n\n<!-- findings -->\nold\n<!-- end of findings -->\n\n\
                    ## a\n\n* One: **holds**; because.\n* ~~Two: **holds**; it did.~~\n\
                    * Three: **needs 8\n  cores** (seen here: does not\n  hold; the ratio).\n\
                    * Four: **needs 4 cores** (seen here: undecided (about 3 more repeats); so).\n\
                    * failed: x\n\n## b\n\n* Five: **undecided** (about 2 more repeats); so.\n\
                    * Six: **odd**.\n* Seven: **holds**; so.\n";
        let text = counted(page);
        let table = "<!-- findings -->\n| finding | claims |\n|---|---|\n| holds | 2 |\n\
                     | undecided | 1 |\n| needs more cores (seen here: does not hold) | 1 |\n\
                     | needs more cores (seen here: undecided) | 1 |\n| odd | 1 |\n\
                     | struck out | 1 |\n<!-- end of findings -->\n\n## a\n";
        assert!(text.contains(table), "{text}");
        assert_eq!(counted(&text), text);
    }

    #[test]
    fn the_page_that_ships_is_counted_by_this() {
        let page =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks/experiments.md");
        let page = fs::read_to_string(page).unwrap();
        let counted = counted(&page);
        let [begin, end] = COUNT;
        let table = counted.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).unwrap().0;
        assert!(counted == page, "docs/benchmarks/experiments.md has another table than\n{table}");
        // The note that it is preliminary stands as long as there is an old section.
        assert_eq!(page.contains(OLD), page.contains(NOTE[0]));
    }

    #[test]
    fn a_page_is_preliminary_until_its_last_old_section_is_made_anew() {
        let old = "<!-- an old section -->\n\n* ~~x: **holds**~~\n";
        let page = format!(
            "# Found\n\n<!-- preliminary -->\nNot yet.\n<!-- end of preliminary -->\n\nText.\n\n\
             ## a\n\n{old}\n## b\n\n{old}"
        );
        let once = settled(replaced(&page, "## a\n\nnew\n"));
        assert!(once.contains("Not yet.") && once.matches("~~").count() == 2, "{once}");
        let twice = settled(replaced(&once, "## b\n\nnew\n"));
        assert_eq!(twice, "# Found\n\nText.\n\n## a\n\nnew\n\n## b\n\nnew\n");
    }
}
