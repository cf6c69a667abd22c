//! What a picture shows: which values lie on one line, and where the axes have ticks.

use std::collections::{BTreeMap, BTreeSet};

use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;

use crate::contract::{At, Scalar};
use crate::report::numbers::{self, Scale};
use crate::report::summary::{Group, Row, Summary, place};
use crate::stats::{Estimate, Interval};

/// A picture.
#[derive(Debug, Clone)]
pub struct Plot {
    /// Above it.
    pub title: String,
    /// Along it.
    pub x: Axis,
    /// Beside it.
    pub y: Axis,
    /// In it.
    pub lines: Vec<Line>,
    /// Whether neighbouring points belong together.
    pub connected: bool,
}

/// An axis. Positions on it are of its own measure; a logarithmic one has logarithms.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it is about.
    pub label: String,
    /// From where to where.
    pub range: (f64, f64),
    /// Positions and what stands there.
    pub ticks: Vec<(f64, String)>,
}

/// The values of a variant.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it is called.
    pub label: String,
    /// The number of the variant in the experiment, so that it looks the same in all pictures.
    pub variant: usize,
    /// Which of the lines of a variant it is, if there are several.
    pub series: Option<usize>,
    /// Positions: along, and of the low end, the median and the high end.
    pub points: Vec<(f64, [f64; 3])>,
}

/// Values that differ by more are on a logarithmic axis.
const LOGARITHMIC: f64 = 8.0;

/// So many ticks are beside a picture that has no logarithms.
const MOST_TICKS: usize = 7;

/// The pictures of a table: one for each combination of coordinates that are neither along the axis nor
/// tell lines apart.
pub fn plots(summary: &Summary, group: &Group) -> Vec<Plot> {
    let benchmark = summary.experiment.benchmarks.iter().find(|it| it.name == group.benchmark);
    let wish = |name: Option<&String>| {
        name.filter(|name| group.rows.iter().any(|row| row.at.contains_key(*name))).cloned()
    };
    let x = wish(benchmark.and_then(|it| it.x.as_ref())).or_else(|| widest(group));
    let series =
        wish(benchmark.and_then(|it| it.series.as_ref())).filter(|it| Some(it) != x.as_ref());
    let mut facets: BTreeMap<At, Vec<&Row>> = BTreeMap::new();
    for row in &group.rows {
        let mut rest = row.at.clone();
        rest.retain(|name, _| Some(name) != x.as_ref() && Some(name) != series.as_ref());
        facets.entry(rest).or_default().push(row);
    }
    // What is the same everywhere need not be said in each title.
    let common: At = facets.keys().next().cloned().unwrap_or_default();
    let differs = |name: &String, value: &Scalar| {
        common.get(name) != Some(value) || facets.keys().any(|it| it.get(name) != Some(value))
    };
    facets
        .iter()
        .map(|(rest, rows)| {
            let mut title = group.title();
            let mut rest = rest.clone();
            rest.retain(|name, value| differs(name, value));
            if !rest.is_empty() {
                title += &format!(", {}", place(&rest));
            }
            plot(summary, group, title, rows, x.as_deref(), series.as_deref())
        })
        .collect()
}

/// The coordinate with the most values, numbers before words; none if there is but one place.
fn widest(group: &Group) -> Option<String> {
    let mut values: BTreeMap<&String, BTreeSet<&Scalar>> = BTreeMap::new();
    for row in &group.rows {
        for (name, value) in &row.at {
            values.entry(name).or_default().insert(value);
        }
    }
    let numbers =
        |of: &BTreeSet<&Scalar>| of.iter().all(|value| matches!(value, Scalar::Number(_)));
    let several = values.into_iter().filter(|(_, all)| all.len() > 1);
    several.max_by_key(|(_, all)| (numbers(all), all.len())).map(|(name, _)| name.clone())
}

fn plot(
    summary: &Summary,
    group: &Group,
    title: String,
    rows: &[&Row],
    x: Option<&str>,
    series: Option<&str>,
) -> Plot {
    let variants = &summary.experiment.variants;
    let there = |name: &str| rows.iter().any(|row| row.cells.contains_key(name));
    // Where nothing lies along the picture, the variants do.
    let place = |row: &Row, variant: &str| match x {
        Some(name) => row.at.get(name).cloned(),
        None => Some(Scalar::Word(variant.to_owned())),
    };
    let along = Along::of(
        x.unwrap_or_default(),
        match x {
            Some(name) => {
                let values: BTreeSet<_> = rows.iter().filter_map(|row| row.at.get(name)).collect();
                values.into_iter().cloned().collect()
            }
            None => {
                let names = variants.iter().map(|variant| variant.name.clone());
                names.filter(|name| there(name)).map(Scalar::Word).collect()
            }
        },
    );
    // By variant and value of the series: positions along the picture, and values.
    type Key<'a> = (usize, Option<&'a Scalar>);
    let mut estimates: BTreeMap<Key, Vec<(f64, Estimate)>> = BTreeMap::new();
    for row in rows {
        for (i, variant) in variants.iter().enumerate() {
            let Some(cell) = row.cells.get(&variant.name) else { continue };
            let at = place(row, &variant.name).and_then(|value| along.position(&value));
            let Some(position) = at else { continue };
            let line = estimates.entry((i, series.and_then(|name| row.at.get(name)))).or_default();
            line.push((position, cell.median));
        }
    }
    let all: Vec<Estimate> = estimates.values().flatten().map(|(_, estimate)| *estimate).collect();
    let up = Up::of(&all, &group.unit);
    let unit = match up.logarithmic {
        // Each tick has its own.
        true => numbers::word(&group.unit),
        false => &up.scale.unit,
    };
    let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
    let several: BTreeSet<&Scalar> = estimates.keys().filter_map(|(_, value)| *value).collect();
    let lines = estimates.into_iter().map(|((variant, value), mut points)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut label = variants[variant].name.clone();
        if let (Some(name), Some(value)) = (series, value) {
            label += &format!(", {}", numbers::coordinate(name, value));
        }
        let at = |it: &Estimate| band(it).map(|value| up.position(value));
        let series = value.filter(|_| several.len() > 1);
        let series = series.and_then(|value| several.iter().position(|it| *it == value));
        Line { label, variant, series, points: points.iter().map(|(x, it)| (*x, at(it))).collect() }
    });
    Plot {
        title,
        lines: lines.collect(),
        connected: along.ordered,
        x: along.axis,
        y: Axis {
            label: format!("{}{unit}", group.metric),
            range: up.range,
            ticks: up.ticks(&group.unit),
        },
    }
}

/// The low end, the median and the high end; where there is no interval, thrice the median.
fn band(it: &Estimate) -> [f64; 3] {
    let [low, high] = it.interval.map_or([it.value; 2], Interval::ends);
    [low, it.value, high]
}

/// The axis along the picture.
struct Along {
    axis: Axis,
    values: Vec<(Scalar, f64)>,
    ordered: bool,
}

impl Along {
    /// Numbers have their places, and words among them, such as the median of all, none. Words alone
    /// stand side by side.
    fn of(name: &str, values: Vec<Scalar>) -> Self {
        let number = |value: &Scalar| match value {
            Scalar::Number(number) => Some(*number),
            _ => None,
        };
        let numbers: Vec<f64> = values.iter().filter_map(number).collect();
        let ordered = numbers.len() > 1;
        let positive = numbers.iter().copied().filter(|it| *it > 0.0);
        let least = positive.fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(0.0, f64::max);
        let logarithmic = numbers.iter().all(|it| *it >= 0.0) && most / least >= 4.0;
        let position = |i: usize, value: &Scalar| match number(value) {
            _ if !ordered => Some(i as f64),
            Some(number) if logarithmic && number > 0.0 => Some(number.log2()),
            // Zero has no logarithm: a step before the others.
            Some(_) if logarithmic => Some(least.log2() - 1.0),
            number => number,
        };
        let values = values.into_iter().enumerate();
        let values: Vec<(Scalar, f64)> =
            values.filter_map(|(i, value)| position(i, &value).map(|at| (value, at))).collect();
        let first = values.first().map_or(0.0, |(_, position)| *position);
        let last = values.last().map_or(1.0, |(_, position)| *position);
        let room = if ordered { (last - first) * 0.03 } else { 0.5 };
        let ticks = values.iter().map(|(value, at)| (*at, numbers::tick(name, value)));
        let label = match (name, name.strip_suffix("_ms")) {
            ("bytes", _) => "message size".into(),
            (_, Some(time)) => format!("{} (ms)", time.replace('_', " ")),
            _ => name.replace('_', " "),
        };
        Self {
            axis: Axis { label, range: (first - room, last + room), ticks: ticks.collect() },
            values,
            ordered,
        }
    }

    fn position(&self, value: &Scalar) -> Option<f64> {
        self.values.iter().find(|(it, _)| it == value).map(|(_, position)| *position)
    }
}

/// The axis beside the picture.
struct Up {
    scale: Scale,
    logarithmic: bool,
    range: (f64, f64),
}

impl Up {
    fn of(all: &[Estimate], unit: &str) -> Self {
        let least = all.iter().map(|it| band(it)[0]).fold(f64::INFINITY, f64::min);
        let most = all.iter().map(|it| band(it)[2]).fold(f64::NEG_INFINITY, f64::max);
        let logarithmic = least > 0.0 && most / least >= LOGARITHMIC;
        let middle = if logarithmic { (least * most).sqrt() } else { most };
        let scale = Scale::of(middle, unit);
        let (least, most) = (least * scale.factor, most * scale.factor);
        let range = if logarithmic {
            let (low, high) = (least.log10(), most.log10());
            (low - (high - low) * 0.06, high + (high - low) * 0.06)
        } else {
            // From zero, so that lengths compare as values do.
            let low = if least < 0.0 { least * 1.1 } else { 0.0 };
            (low, if most > 0.0 { most * 1.1 } else { 1.0 })
        };
        Self { scale, logarithmic, range }
    }

    fn position(&self, value: f64) -> f64 {
        let value = value * self.scale.factor;
        if self.logarithmic { value.log10() } else { value }
    }

    fn ticks(&self, unit: &str) -> Vec<(f64, String)> {
        let (low, high) = self.range;
        if self.logarithmic {
            let steps: &[f64] = match high - low {
                span if span < 1.2 => &[1.0, 2.0, 3.0, 5.0, 7.0],
                span if span < 2.5 => &[1.0, 2.0, 5.0],
                _ => &[1.0],
            };
            let decades = low.floor() as i32..=high.ceil() as i32;
            let all = decades.flat_map(|ten| steps.iter().map(move |it| it * 10f64.powi(ten)));
            let inside = all.filter(|value| (low..=high).contains(&value.log10()));
            let text = |value: f64| {
                // Over many decades a unit for each, not one for all.
                let own = Scale::of(value / self.scale.factor * (1.0 + 1e-9), unit);
                let number = numbers::short(value / self.scale.factor * own.factor);
                let unit = own.unit.strip_suffix(numbers::word(unit)).unwrap_or(&own.unit);
                format!("{number} {}", unit.trim()).trim_end().to_owned()
            };
            return inside.map(|value| (value.log10(), text(value))).collect();
        }
        let ticks = RangedCoordf64::from(low..high).key_points(MOST_TICKS);
        ticks.into_iter().map(|value| (value, numbers::short(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::summary;

    #[test]
    fn variants_are_lines_along_the_widest_coordinate() {
        let summary = summary();
        let plots = plots(&summary, &summary.groups[0]);
        assert_eq!(plots.len(), 1);
        let plot = &plots[0];
        assert_eq!((plot.title.as_str(), plot.x.label.as_str()), ("rates: rate", "threads"));
        let ticks: Vec<(f64, &str)> =
            plot.x.ticks.iter().map(|(at, text)| (*at, text.as_str())).collect();
        assert_eq!(ticks, [(0.0, "1"), (1.0, "2"), (2.0, "4")]);
        let labels: Vec<&str> = plot.lines.iter().map(|line| line.label.as_str()).collect();
        assert_eq!(labels, ["a", "b"]);
        assert!(plot.connected);
        assert_eq!(plot.lines[0].points.len(), 3);
        assert_eq!(plot.lines[1].variant, 1);
        assert_eq!(plot.lines[1].series, None);
    }

    #[test]
    fn axes_have_round_ticks() {
        let estimate = |value: f64| crate::stats::estimate(&[value]).unwrap();
        let texts = |values: &[f64], unit: &str| {
            let all: Vec<Estimate> = values.iter().map(|value| estimate(*value)).collect();
            let up = Up::of(&all, unit);
            for (position, _) in up.ticks(unit) {
                assert!((up.range.0..=up.range.1).contains(&position));
            }
            let texts: Vec<String> = up.ticks(unit).into_iter().map(|(_, text)| text).collect();
            (texts.join(" "), up.scale.unit)
        };
        assert_eq!(texts(&[3e6, 5e6], "message/s"), ("0 1 2 3 4 5".into(), "M message/s".into()));
        let (ticks, _) = texts(&[1e-6, 1e-4], "s");
        assert_eq!(ticks, "1 µs 2 µs 5 µs 10 µs 20 µs 50 µs 100 µs");
        let (ticks, _) = texts(&[1e3, 1e7], "message/s");
        assert_eq!(ticks, "1 k 10 k 100 k 1 M 10 M");
        let (ticks, _) = texts(&[5e8, 5e9], "byte/s");
        assert_eq!(ticks, "500 MB/s 700 MB/s 1 GB/s 2 GB/s 3 GB/s 5 GB/s");
        assert_eq!(texts(&[1.0, 1e6], "1").0, "1 10 100 1000 10000 100000 1000000");
        assert_eq!(texts(&[0.0, 0.0], "s").0, "0 0.2 0.4 0.6 0.8 1");
    }

    #[test]
    fn several_lines_of_a_variant_look_alike() {
        let mut summary = summary();
        summary.experiment.benchmarks[0].series = Some("half_ms".into());
        let rows = summary.groups[0].rows.clone();
        for (value, word) in ["x", "y"].into_iter().enumerate() {
            for row in &rows {
                let mut row = row.clone();
                row.at.insert("half_ms".into(), Scalar::Word(word.into()));
                // The first variant has nothing at the second value.
                if value == 1 {
                    row.cells.remove("a");
                }
                summary.groups[0].rows.push(row);
            }
        }
        summary.groups[0].rows.drain(..rows.len());
        let plot = &plots(&summary, &summary.groups[0])[0];
        let looks: Vec<_> = plot.lines.iter().map(|line| (line.variant, line.series)).collect();
        assert_eq!(looks, [(0, Some(0)), (1, Some(0)), (1, Some(1))]);
        assert_eq!(plot.lines[2].label, "b, half_ms y");
        assert_eq!(Along::of("half_ms", Vec::new()).axis.label, "half (ms)");
    }

    #[test]
    fn zero_stands_before_the_others() {
        let mut summary = summary();
        for (row, bytes) in summary.groups[0].rows.iter_mut().zip([0.0, 1.0, 1024.0]) {
            row.at = At::from([("bytes".into(), Scalar::Number(bytes))]);
        }
        let plot = &plots(&summary, &summary.groups[0])[0];
        let at: Vec<f64> = plot.x.ticks.iter().map(|(at, _)| *at).collect();
        assert_eq!(at, [-1.0, 0.0, 10.0]);
        assert_eq!(plot.x.ticks[2].1, "1 KiB");
    }

    #[test]
    fn words_among_numbers_are_left_out() {
        let mut summary = summary();
        let [first, last] = [7.0, 9.0].map(Scalar::Number);
        let values = [first, Scalar::Word("median".into()), last];
        for (row, value) in summary.groups[0].rows.iter_mut().zip(values) {
            row.at = At::from([("iteration".into(), value)]);
        }
        let plot = &plots(&summary, &summary.groups[0])[0];
        let at: Vec<f64> = plot.x.ticks.iter().map(|(at, _)| *at).collect();
        assert_eq!(at, [7.0, 9.0]);
        assert!(plot.connected);
        assert!(plot.lines.iter().all(|line| line.points.len() == 2));
    }

    #[test]
    fn a_single_place_has_the_variants_side_by_side() {
        let mut summary = summary();
        summary.groups[0].rows.truncate(1);
        let plot = &plots(&summary, &summary.groups[0])[0];
        assert!(!plot.connected);
        assert_eq!(plot.x.ticks[1], (1.0, "b".into()));
        assert_eq!(plot.lines.len(), 2);
    }
}
