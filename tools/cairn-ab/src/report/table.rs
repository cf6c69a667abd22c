//! The report for a terminal.

use cairn_cli::{paint, print, print_table};
use cairn_framework::host::report::{Cell as Text, Table, Tone};

use crate::contract::Better;
use crate::report::numbers;
use crate::report::summary::{Cell, Group, Summary, place};
use crate::stats::{self, Difference};
use crate::verdict::{Count, Finding, odd};

/// Prints the tables, what did not work, and the verdicts.
pub fn show(summary: &Summary) {
    print(&format!("{}\n", paint(Tone::Heading, &summary.experiment.title)));
    for group in &summary.groups {
        print(&format!("\n{}, {}\n", group.title(), group.better.shown()));
        print_table(&table(summary, group));
    }
    for (tone, what) in summary.not_measured() {
        print(&format!("\n{}\n", paint(tone, &what)));
    }
    print(&format!("\n{}\n", quiet(summary)));
    for verdict in &summary.verdicts {
        let tone = match verdict.finding {
            Finding::Holds => Tone::Good,
            Finding::DoesNotHold => Tone::Bad,
            _ => Tone::Warning,
        };
        let finding = paint(tone, &verdict.finding.shown());
        print(&format!("\n{}: {finding}{}\n", verdict.says, verdict.rest()));
        if !verdict.note.is_empty() {
            print(&format!("  {}\n", verdict.note));
        }
    }
    if summary.verdicts.len() > 1 {
        let count = Count::of(&summary.verdicts);
        let count = count.rows().into_iter().map(|(finding, number)| format!("{number} {finding}"));
        print(&format!("\nverdicts: {}\n", count.collect::<Vec<_>>().join(", ")));
    }
}

/// The values of a metric of a benchmark, with the place at the first of its variants only.
pub fn table(summary: &Summary, group: &Group) -> Table {
    let mut rows = Vec::new();
    for row in &group.rows {
        let mut first = true;
        for variant in &summary.experiment.variants {
            let Some(cell) = row.cells.get(&variant.name) else { continue };
            let place = if first { place(&row.at) } else { String::new() };
            first = false;
            let (tone, words) = verdict(cell, group, summary.experiment.minimal_effect);
            rows.push(vec![
                Text::plain(place),
                Text(Tone::Name, variant.name.clone()),
                Text::plain(numbers::value(cell.median.value, &group.unit)),
                Text(Tone::Faint, interval(cell, &group.unit)),
                Text::plain(numbers::value(cell.best(group.better), &group.unit)),
                Text(tone, ratio(cell)),
                Text(tone, words),
            ]);
        }
    }
    let header = vec!["AT", "VARIANT", "MEDIAN", "95 %", "BEST", "RATIO (95 %)", ""];
    Table { header, rows }
}

/// The interval of a median, with one unit; a dash where there is none.
fn interval(cell: &Cell, unit: &str) -> String {
    let scale = numbers::Scale::of(cell.median.value, unit);
    cell.median.interval.map_or_else(
        || "–".into(),
        |it| format!("{} – {}", scale.number(it.low), scale.number(it.high)),
    )
}

/// The ratio to the baseline with its interval, if there is one; a dash where the baseline has no
/// value.
pub(super) fn ratio(cell: &Cell) -> String {
    let Some(it) = cell.ratio else {
        return if cell.baseline { "baseline".into() } else { "–".into() };
    };
    if it.value.is_nan() {
        return "–".into();
    }
    let value = numbers::digits(it.value);
    it.interval.map_or_else(
        || format!("{value}x"),
        |it| {
            let [low, high] = it.ends().map(numbers::digits);
            format!("{value}x ({low} – {high})")
        },
    )
}

/// What the ratio says, in words, if differences of less than the share `minimal` do not matter.
fn verdict(cell: &Cell, group: &Group, minimal: f64) -> (Tone, String) {
    let (tone, mut words) = match (cell.difference, group.better) {
        (Some(Difference::More), Better::Higher) | (Some(Difference::Less), Better::Lower) => {
            (Tone::Good, "better".into())
        }
        (Some(Difference::More), _) | (Some(Difference::Less), _) => (Tone::Bad, "worse".into()),
        (Some(Difference::Same), _) => {
            (Tone::Faint, format!("equal within {} %", numbers::short(minimal * 100.0)))
        }
        (Some(Difference::Undecided), _) => (Tone::Faint, "undecided".into()),
        (Some(Difference::Disturbed), _) => (Tone::Faint, "the machine was disturbed".into()),
        (Some(Difference::TooFew), _) => {
            let needed = stats::needed(group.points);
            (Tone::Faint, format!("too few repeats, {needed} are needed"))
        }
        (None, _) => (Tone::Faint, String::new()),
    };
    let failed = (cell.failed > 0).then(|| match cell.failed {
        1 => "1 run failed".to_owned(),
        some => format!("{some} runs failed"),
    });
    for more in cell.ratio.as_ref().and_then(odd).into_iter().chain(failed) {
        words += if words.is_empty() { "" } else { "; " };
        words += &more;
    }
    (tone, words)
}

/// How often was measured and how quiet the machine was, in words.
pub fn quiet(summary: &Summary) -> String {
    let quiet = &summary.quiet;
    let missing = if quiet.blocks < quiet.wanted { " (stopped; --resume goes on)" } else { "" };
    let disturbed = quiet.disturbed();
    let mostly = match quiet.mostly_disturbed() {
        true => ": most of them, so that nothing is marked and no verdict rests on them",
        false => "",
    };
    format!(
        "{} of {} repeats{missing}; {} of them were repeated because the machine was disturbed, \
         {disturbed} were disturbed at every attempt{mostly}{}",
        quiet.blocks,
        quiet.wanted,
        quiet.repeated,
        overridden(summary)
    )
}

/// What the command line has changed, in words.
pub fn overridden(summary: &Summary) -> String {
    let experiment = &summary.experiment;
    let own = |key: &str| match key {
        "repeats" => experiment.repeats,
        _ => experiment.noise.retries,
    };
    let changed = experiment.overridden.iter();
    changed
        .map(|(key, file)| {
            format!("; {key} was {} on the command line, the experiment says {file}", own(key))
        })
        .collect()
}
