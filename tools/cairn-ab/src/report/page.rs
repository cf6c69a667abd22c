//! One page of HTML with everything in it: pictures, tables, verdicts, and where it was measured. It
//! needs nothing beside it.

use std::fmt::Write;

use crate::contract::Better;
use crate::environment::Environment;
use crate::experiment::{Setting, Variant};
use crate::report::numbers;
use crate::report::summary::{Group, Summary, place};
use crate::report::table::{interval, quiet, ratio, verdict};
use crate::stats::{self, Difference};
use crate::verdict::{Count, Finding};

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff;
       max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid #ddd;
         vertical-align: top; }
td.n, th.n { text-align: right; } .values .n { white-space: nowrap; } tr.first td { border-top: 2px solid #999; }
.wide { overflow-x: auto; }
.better { color: #00623f; font-weight: 600; } .worse { color: #9b3a00; font-weight: 600; }
.faint { color: #595959; }
blockquote { margin: 1rem 0; padding: .2rem 1rem; border-left: 4px solid #0072b2; }
.verdict { padding: .6rem 1rem; margin: .8rem 0; border-left: 4px solid #767676; background: #f6f6f6; }
.holds { border-color: #009e73; } .does_not { border-color: #d55e00; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
code { background: #f2f2f2; padding: 0 .25rem; }
@media (max-width: 45rem) {
  .values { font-size: .8rem; } .values th, .values td { padding-right: .5rem; }
}
@media print {
  body { font-size: 11pt; max-width: none; margin: 0; } .wide { overflow: visible; }
  .values { font-size: 9pt; } h2 { break-after: avoid; }
  figure, .verdict, blockquote, tr { break-inside: avoid; }
}
";

/// The page. `pictures` are by number of the table: titles and SVG.
pub fn html(summary: &Summary, pictures: &[(usize, String, String)]) -> String {
    let experiment = &summary.experiment;
    let title = text(&experiment.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    if !experiment.claim.is_empty() {
        let _ = write!(page, "<blockquote><p>{}</p>", text(&experiment.claim));
        if !experiment.paper.is_empty() {
            let _ = write!(page, "<p class=\"faint\">{}</p>", text(&experiment.paper));
        }
        page += "</blockquote>\n";
    }
    verdicts(summary, &mut page);
    for (i, group) in summary.groups.iter().enumerate() {
        let better = match group.better {
            Better::Higher => "more is better",
            Better::Lower => "less is better",
        };
        let heading = text(&group.title());
        let _ = writeln!(page, "<h2>{heading} <small>({better})</small></h2>");
        for (_, title, svg) in pictures.iter().filter(|(of, ..)| *of == i) {
            let title = text(title);
            let _ =
                writeln!(page, "<figure role=\"img\" aria-label=\"{title}\">\n{svg}\n</figure>");
        }
        table(summary, group, &mut page);
    }
    failures(summary, &mut page);
    method(summary, &mut page);
    page += "</body>\n</html>\n";
    page
}

fn verdicts(summary: &Summary, page: &mut String) {
    if summary.verdicts.is_empty() {
        return;
    }
    *page += "<table>\n<tr><th>finding</th><th class=\"n\">verdicts</th></tr>\n";
    for (finding, number) in Count::of(&summary.verdicts).rows() {
        let _ = writeln!(page, "<tr><td>{finding}</td><td class=\"n\">{number}</td></tr>");
    }
    *page += "</table>\n";
    for verdict in &summary.verdicts {
        let class = match verdict.finding {
            Finding::Holds => "holds",
            Finding::DoesNotHold => "does_not",
            _ => "unseen",
        };
        let (says, rest) = (text(&verdict.says), text(&verdict.rest()));
        let note = text(&verdict.note);
        let finding = verdict.finding.shown();
        let _ = writeln!(
            page,
            "<div class=\"verdict {class}\">{says}: <strong>{finding}</strong><span class=\"faint\">\
             {rest}. {note}</span></div>"
        );
    }
}

fn table(summary: &Summary, group: &Group, page: &mut String) {
    *page += "<div class=\"wide\"><table class=\"values\">\n<tr><th>at</th><th>variant</th><th class=\"n\">median</th>\
              <th class=\"n\">95 %</th><th class=\"n\">ratio (95 %)</th><th></th></tr>\n";
    for row in &group.rows {
        let mut first = true;
        for variant in &summary.experiment.variants {
            let Some(cell) = row.cells.get(&variant.name) else { continue };
            let words = verdict(cell, group, summary.experiment.minimal_effect).1;
            let class = match cell.difference {
                Some(Difference::More | Difference::Less) if words.starts_with("better") => {
                    "better"
                }
                Some(Difference::More | Difference::Less) => "worse",
                _ => "faint",
            };
            // A number stays with its unit.
            let at = text(&place(&row.at)).replace(' ', "\u{a0}").replace(",\u{a0}", ", ");
            let at = if first { at } else { String::new() };
            let _ = writeln!(
                page,
                "<tr{}><td>{at}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n faint\">{}</td>\
                 <td class=\"n {class}\">{}</td><td class=\"{class}\">{words}</td></tr>",
                if first { " class=\"first\"" } else { "" },
                text(&variant.name),
                text(&numbers::value(cell.median.value, &group.unit)),
                text(&interval(cell, &group.unit)),
                text(&ratio(cell)),
            );
            first = false;
        }
    }
    *page += "</table></div>\n";
}

fn failures(summary: &Summary, page: &mut String) {
    if summary.skipped.is_empty() && summary.failures.is_empty() && summary.uncounted.is_empty() {
        return;
    }
    *page += "<h2>Not measured</h2>\n<ul>\n";
    for (variant, reason) in &summary.skipped {
        let _ = writeln!(page, "<li>{} was left out: {}</li>", text(variant), text(reason));
    }
    for failure in &summary.failures {
        let _ = writeln!(page, "<li>{}</li>", text(&failure.shown()));
    }
    for what in &summary.uncounted {
        let _ = writeln!(page, "<li>not counted: {}</li>", text(what));
    }
    *page += "</ul>\n";
}

fn method(summary: &Summary, page: &mut String) {
    let experiment = &summary.experiment;
    let _ = writeln!(
        page,
        "<h2>How it was measured</h2>\n<p>{}. In each repeat everything runs once, in random order \
         (seed {}). Values are medians of the repeats. Ratios are to <em>{}</em>: the median of the \
         ratios within the repeats. Intervals are of 95 %, from order statistics: exact whatever the \
         distribution, and none of fewer than {} repeats. Those of the ratios of a table hold for all \
         of them at once (Bonferroni). A difference is marked where the whole interval is more than \
         {} % away from 1.</p>",
        text(&quiet(summary)),
        experiment.seed,
        text(&experiment.baseline),
        stats::needed(1),
        numbers::short(experiment.minimal_effect * 100.0),
    );
    *page += "<div class=\"wide\"><table>\n<tr><th>variant</th><th>library</th><th>set</th></tr>\n";
    for variant in &experiment.variants {
        let library = summary
            .environments
            .last()
            .and_then(|environment| environment.libraries.get(&variant.name))
            .map_or("not there", String::as_str);
        let version = summary.versions.get(&variant.name);
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{} <span class=\"faint\">{}</span></td><td>{}</td></tr>",
            text(&variant.name),
            text(version.map_or(variant.mpi.title(), String::as_str)),
            text(library),
            text(&settings(variant)),
        );
    }
    *page += "</table></div>\n";
    for environment in &summary.environments {
        machine(environment, page);
    }
}

fn settings(variant: &Variant) -> String {
    let mca = variant.mca.iter().map(|(name, value)| format!("{name}={value}"));
    let env = variant.env.iter().map(|(name, value)| format!("{name}={value}"));
    let args = variant.args.iter().map(Setting::to_string);
    mca.chain(env).chain(args).collect::<Vec<_>>().join(" ")
}

fn machine(environment: &Environment, page: &mut String) {
    let virtual_machine = if environment.virtual_machine { ", a virtual machine" } else { "" };
    let _ = writeln!(
        page,
        "<p class=\"faint\">{}, {} cores{virtual_machine}, {:.0} GiB, {}; load {:.2} at the beginning; \
         cairn-ab {}, sources of the benchmarks at commit {}; {}</p>",
        text(&environment.cpu),
        environment.cores,
        environment.memory as f64 / f64::from(1 << 30),
        text(&environment.kernel),
        environment.load[0],
        text(&environment.version),
        text(environment.commit.as_deref().unwrap_or("unknown")),
        environment.date(),
    );
}

/// Text that can't be taken for HTML.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::summary;

    #[test]
    fn the_page_has_everything_and_needs_nothing() {
        let pictures = [(0, "rates".to_owned(), "<svg id=\"here\"></svg>".to_owned())];
        let page = html(&summary(), &pictures);
        for part in [
            "<title>T &lt;&amp;&gt;</title>",
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
