//! The report for a terminal.

use cairn_cli::{paint, print, print_table};
use cairn_framework::host::report::{Cell as Text, Table, Tone};

use crate::contract::Better;
use crate::report::numbers;
use crate::report::summary::{Cell, Group, Summary, place};
use crate::stats::Difference;
use crate::verdict::Finding;

/// Prints the tables, what did not work, and the verdicts.
pub fn show(summary: &Summary) {
    print(&format!("{}\n", paint(Tone::Heading, &summary.experiment.title)));
    for group in &summary.groups {
        let better = match group.better {
            Better::Higher => "more is better",
            Better::Lower => "less is better",
        };
        print(&format!("\n{}, {better}\n", group.title()));
        print_table(&table(summary, group));
    }
    for (variant, reason) in &summary.skipped {
        print(&format!("\nleft out: {variant}: {reason}\n"));
    }
    for failure in &summary.failures {
        let what = if failure.skipped { "skipped" } else { "failed" };
        let text = format!("{what}: {} with {}: {}", failure.what, failure.variant, failure.reason);
        let tone = if failure.skipped { Tone::Faint } else { Tone::Bad };
        print(&format!("\n{}\n", paint(tone, &text)));
    }
    for what in &summary.uncounted {
        print(&format!("\n{}\n", paint(Tone::Faint, &format!("not counted: {what}"))));
    }
    print(&format!("\n{}\n", quiet(summary)));
    for verdict in &summary.verdicts {
        let tone = match verdict.finding {
            Finding::Holds => Tone::Good,
            Finding::DoesNot => Tone::Bad,
            Finding::CannotBeSeen => Tone::Warning,
        };
        let finding = paint(tone, verdict.finding.shown());
        print(&format!("\n{}: {finding}\n  {}\n", verdict.says, verdict.why));
        if !verdict.note.is_empty() {
            print(&format!("  {}\n", verdict.note));
        }
    }
}

fn table(summary: &Summary, group: &Group) -> Table {
    let mut rows = Vec::new();
    for row in &group.rows {
        let mut first = true;
        for variant in &summary.experiment.variants {
            let Some(cell) = row.cells.get(&variant.name) else { continue };
            let place = if first { place(&row.at) } else { String::new() };
            first = false;
            let (tone, words) = verdict(cell, group.better);
            rows.push(vec![
                Text::plain(place),
                Text(Tone::Name, variant.name.clone()),
                Text::plain(numbers::value(cell.median.value, &group.unit)),
                Text(Tone::Faint, interval(cell, &group.unit)),
                Text(tone, ratio(cell)),
                Text(tone, words.to_owned()),
            ]);
        }
    }
    let header = vec!["AT", "VARIANT", "MEDIAN", "95 %", "RATIO", ""];
    Table { header, rows }
}

/// The interval of a median, with one unit.
pub fn interval(cell: &Cell, unit: &str) -> String {
    let scale = numbers::Scale::of(cell.median.value, unit);
    format!("{} – {}", scale.number(cell.median.low), scale.number(cell.median.high))
}

/// The ratio to the baseline with its interval; a dash where the baseline has no value.
pub fn ratio(cell: &Cell) -> String {
    cell.ratio.map_or_else(
        || if cell.baseline { "baseline".into() } else { "–".into() },
        |it| {
            let [value, low, high] = [it.value, it.low, it.high].map(numbers::digits);
            format!("{value}x ({low} – {high})")
        },
    )
}

/// What the ratio says, in words.
pub fn verdict(cell: &Cell, better: Better) -> (Tone, &'static str) {
    match (cell.difference, better) {
        (Some(Difference::More), Better::Higher) | (Some(Difference::Less), Better::Lower) => {
            (Tone::Good, "better")
        }
        (Some(Difference::More), _) | (Some(Difference::Less), _) => (Tone::Bad, "worse"),
        (Some(Difference::NotSeen), _) => (Tone::Faint, "no difference seen"),
        (Some(Difference::TooFew), _) => (Tone::Faint, "too few repeats to tell"),
        (None, _) => (Tone::Faint, ""),
    }
}

/// How quiet the machine was, in words.
pub fn quiet(summary: &Summary) -> String {
    let quiet = &summary.quiet;
    let missing = if quiet.blocks < quiet.wanted { " (stopped; --resume goes on)" } else { "" };
    format!(
        "{} of {} repeats{missing}; {} of them were repeated because the machine was disturbed, {} \
         were disturbed at every attempt",
        quiet.blocks, quiet.wanted, quiet.repeated, quiet.disturbed
    )
}
