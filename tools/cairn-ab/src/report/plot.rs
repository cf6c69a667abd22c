//! Pictures, as SVG and as PNG. Lines differ by colour, dashes and markers, so that they can be told
//! apart in grey; where a variant has several, they share colour and marker. The legend stands below the
//! axes and covers nothing, so that a picture is narrow enough for a page of text and a small screen.

use std::ops::Range;
use std::path::Path;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

use crate::report::lines::{Axis, Line, Plot};

/// The part with the axes, in pixels of the SVG.
const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 400.0;
/// A PNG has so many pixels for one of the SVG.
const PNG_SCALE: f64 = 2.0;
/// The height of a line of letters, which are smaller by a quarter, and about how wide one is.
const LETTERS: f64 = 17.0;
const LETTER_WIDTH: f64 = 8.6;
/// The same at the ticks, and the height of the title.
const SMALL_LETTERS: f64 = 16.0;
const SMALL_WIDTH: f64 = 8.4;
const TITLE: f64 = 19.0;
/// Longer names in the legend are cut.
const LONGEST_NAME: usize = 60;
/// The length of a line's sample in the legend, and the room between it and the name.
const SAMPLE: f64 = 44.0;
const GAP: f64 = 10.0;
/// Room around the axes and the legend, and the height of the legend's rows.
const MARGIN: f64 = 10.0;
const ROW: f64 = 24.0;
/// How far a marker reaches.
const MARKER: f64 = 5.5;

/// Colours that colour-blind people can tell apart (Okabe and Ito), the darkest first.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Lengths of dashes and of gaps; one more than colours, so that pairs repeat late.
const DASHES: [(f64, f64); 4] = [(0.0, 0.0), (9.0, 4.0), (3.0, 3.0), (14.0, 5.0)];

/// Markers: how many corners, and at which part of a turn the first one is.
const SHAPES: [(u32, f64); 5] = [(24, 0.0), (3, 0.25), (4, 0.125), (4, 0.0), (3, 0.75)];

/// Anything that a drawing backend has to say.
type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// The picture as SVG.
///
/// # Errors
/// Of the drawing library.
pub fn svg(plot: &Plot) -> Result<String, String> {
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, size(plot, 1.0)).into_drawing_area();
    draw(&root, plot, 1.0).map_err(|error| format!("drawing failed: {error}"))?;
    drop(root);
    Ok(text)
}

/// The picture as PNG.
///
/// # Errors
/// It can't be written.
pub fn png(plot: &Plot, path: &Path) -> Result<(), String> {
    let root = BitMapBackend::new(path, size(plot, PNG_SCALE)).into_drawing_area();
    draw(&root, plot, PNG_SCALE).map_err(|error| format!("drawing failed: {error}"))
}

/// The letters come with the program: machines that measure often have none.
fn letters() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The data are part of the program, so they are a font.
        let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
        let _ = register_font("sans-serif", FontStyle::Bold, dejavu::sans::bold());
    });
}

/// The columns and rows of the legend: as many columns as have room for the longest name.
fn legend(plot: &Plot) -> (usize, usize) {
    let names = plot.lines.len();
    let longest = plot.lines.iter().map(|line| name(&line.label).chars().count()).max();
    let width = SAMPLE + 2.0 * GAP + longest.unwrap_or(0) as f64 * LETTER_WIDTH;
    let most = ((WIDTH - MARGIN) / width).max(1.0) as usize;
    let rows = names.div_ceil(most);
    // No more columns than are filled.
    (names.div_ceil(rows.max(1)), rows)
}

fn size(plot: &Plot, scale: f64) -> (u32, u32) {
    let height = HEIGHT + legend(plot).1 as f64 * ROW + MARGIN;
    ((WIDTH * scale).round() as u32, (height * scale).round() as u32)
}

fn name(label: &str) -> String {
    if label.chars().count() <= LONGEST_NAME {
        return label.to_owned();
    }
    label.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

fn draw<B: DrawingBackend>(root: &DrawingArea<B, Shift>, plot: &Plot, scale: f64) -> Drawn<B> {
    letters();
    let px = |size: f64| (size * scale).round() as i32;
    root.fill(&WHITE)?;
    let (axes, below) = root.split_vertically(px(HEIGHT));
    let font = ("sans-serif", LETTERS * scale).into_font();
    let left = 38.0 + longest(&plot.y) * SMALL_WIDTH;
    let mut chart = ChartBuilder::on(&axes)
        .caption(&plot.title, ("sans-serif", TITLE * scale))
        .margin(px(MARGIN))
        .margin_right(px(24.0))
        .x_label_area_size(px(52.0))
        .y_label_area_size(px(left))
        .build_cartesian_2d(thinned(&plot.x), plot.y.clone())?;
    let grid = RGBColor(225, 225, 225).stroke_width(px(1.0) as u32);
    chart
        .configure_mesh()
        .bold_line_style(grid)
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK.stroke_width(px(1.0) as u32))
        .x_desc(&plot.x.label)
        .y_desc(&plot.y.label)
        .axis_desc_style(font.clone())
        .label_style(("sans-serif", SMALL_LETTERS * scale))
        .draw()?;

    let along = |line: &Line, which: usize| -> Vec<(f64, f64)> {
        line.points.iter().map(|(x, y)| (*x, y[which])).collect()
    };
    let is_line = |line: &Line| plot.connected && line.points.len() > 1;
    // First all bands, so that none lies over a line.
    for line in plot.lines.iter().filter(|line| is_line(line)) {
        let mut band = along(line, 0);
        band.extend(along(line, 2).into_iter().rev());
        let style = Look::of(line, scale).colour.mix(0.15).filled();
        chart.draw_series([Polygon::new(band, style)])?;
    }
    for line in &plot.lines {
        let look = Look::of(line, scale);
        if is_line(line) {
            look.line(chart.plotting_area(), along(line, 1))?;
        } else {
            let style = look.colour.stroke_width(look.width);
            let bar = |(x, [low, median, high]): &(f64, [f64; 3])| {
                ErrorBar::new_vertical(*x, *low, *median, *high, style, px(MARKER) as u32)
            };
            chart.draw_series(line.points.iter().map(bar))?;
        }
        for at in along(line, 1) {
            look.mark(chart.plotting_area(), at, MARKER * scale)?;
        }
    }

    let text = font.color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
    let (columns, rows) = legend(plot);
    let places = below.margin(0, px(MARGIN), px(MARGIN), 0).split_evenly((rows, columns));
    for (line, place) in plot.lines.iter().zip(places) {
        let (look, y) = (Look::of(line, scale), px(ROW / 2.0));
        if plot.connected {
            look.line(&place, vec![(0, y), (px(SAMPLE), y)])?;
        }
        look.mark(&place, (px(SAMPLE / 2.0), y), MARKER * scale)?;
        place.draw_text(&name(&line.label), &text, (px(SAMPLE + GAP), y))?;
    }
    root.present()
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range()).map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Light points are those between the ticks.
        let none = hint.weight().allow_light_points();
        self.ticks.iter().filter(|_| !none).map(|(at, _)| *at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(at, _)| at == value);
        tick.map_or_else(String::new, |(_, text)| text.clone())
    }
}

/// The letters of the longest tick.
fn longest(axis: &Axis) -> f64 {
    axis.ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as f64
}

/// As many of the ticks along the picture as have room for their text.
fn thinned(x: &Axis) -> Axis {
    let room = (longest(x) * SMALL_WIDTH + 8.0) / (WIDTH - 120.0) * (x.range.1 - x.range.0);
    let mut last = f64::NEG_INFINITY;
    let mut kept = x.clone();
    kept.ticks.retain(|(at, _)| {
        let has_room = at - last >= room;
        last = if has_room { *at } else { last };
        has_room
    });
    kept
}

/// How a line looks.
struct Look {
    shape: (u32, f64),
    hollow: bool,
    colour: RGBColor,
    width: u32,
    /// None is a line without gaps.
    dashes: Option<(i32, i32)>,
}

impl Look {
    fn of(line: &Line, scale: f64) -> Self {
        let number = line.variant;
        let (dash, gap) = DASHES[line.series.unwrap_or(number) % DASHES.len()];
        let px = |size: f64| (size * scale).round() as i32;
        Self {
            shape: SHAPES[number % SHAPES.len()],
            hollow: !line.series.unwrap_or(number / SHAPES.len()).is_multiple_of(2),
            colour: COLOURS[number % COLOURS.len()],
            width: px(2.0) as u32,
            dashes: (dash > 0.0).then(|| (px(dash), px(gap))),
        }
    }

    /// A line through some points.
    fn line<B: DrawingBackend, C: CoordTranslate<From: Clone>>(
        &self,
        area: &DrawingArea<B, C>,
        points: Vec<C::From>,
    ) -> Drawn<B> {
        let style = self.colour.stroke_width(self.width);
        match self.dashes {
            None => area.draw(&PathElement::new(points, style)),
            Some((dash, gap)) => area.draw(&DashedPathElement::new(points, dash, gap, style)),
        }
    }

    /// The marker of a point.
    fn mark<B: DrawingBackend, C: CoordTranslate>(
        &self,
        area: &DrawingArea<B, C>,
        at: C::From,
        reach: f64,
    ) -> Drawn<B> {
        let (corners, first) = self.shape;
        let points: Vec<(i32, i32)> = (0..=corners)
            .map(|i| (first + f64::from(i) / f64::from(corners)) * std::f64::consts::TAU)
            .map(|angle| (angle.cos() * reach, -angle.sin() * reach))
            .map(|(x, y)| (x.round() as i32, y.round() as i32))
            .collect();
        let fill = if self.hollow { WHITE } else { self.colour };
        let outline = PathElement::new(points.clone(), self.colour.stroke_width(self.width));
        area.draw(&(EmptyElement::at(at) + Polygon::new(points, fill.filled()) + outline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::lines::plots;
    use crate::report::summary::tests::summary;

    #[test]
    fn everything_is_in_the_picture() {
        let summary = summary();
        let plot = &plots(&summary, &summary.groups[0])[0];
        let svg = svg(plot).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        for text in ["rates: rate", "threads", "rate (message/s)", "\n1\n", "\n2\n", "\n4\n"] {
            assert!(svg.contains(text), "no {text} in {svg}");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.png");
        png(plot, &path).unwrap();
        let bytes = std::fs::read(path).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 5000);
    }

    #[test]
    fn ticks_have_room() {
        let summary = summary();
        let mut plot = plots(&summary, &summary.groups[0])[0].clone();
        plot.x.ticks = (0..40).map(|i| (f64::from(i), format!("{i} KiB"))).collect();
        plot.x.range = (0.0, 39.0);
        let kept = thinned(&plot.x).ticks;
        assert!((5..14).contains(&kept.len()), "{kept:?}");
        assert_eq!(kept[0].1, "0 KiB");
    }

    #[test]
    fn names_stand_side_by_side_where_they_have_room() {
        let summary = summary();
        let mut plot = plots(&summary, &summary.groups[0])[0].clone();
        let mut legend = |number: usize, length: usize| {
            let line =
                Line { label: "x".repeat(length), variant: 0, series: None, points: Vec::new() };
            plot.lines = vec![line; number];
            let (columns, rows) = super::legend(&plot);
            assert!(
                columns * rows >= number && size(&plot, 1.0).1 as f64 >= rows as f64 * ROW + HEIGHT
            );
            let column = (WIDTH - MARGIN) / columns as f64;
            assert!(SAMPLE + GAP + length as f64 * LETTER_WIDTH <= column, "{number} {length}");
            (columns, rows)
        };
        assert_eq!(legend(4, 6), (4, 1));
        assert_eq!(legend(6, 20), (2, 3));
        assert_eq!(legend(5, 20), (2, 3));
        assert_eq!(legend(2, LONGEST_NAME), (1, 2));
        assert_eq!(legend(0, 0).1, 0);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(name("short"), "short");
        assert_eq!(name(&"ä".repeat(99)).chars().count(), LONGEST_NAME);
    }
}
