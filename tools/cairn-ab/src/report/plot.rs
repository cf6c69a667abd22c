//! Pictures, as SVG and as PNG. Lines differ by colour, dashes and markers, so that they can be told
//! apart in grey; where a variant has several, they share colour and marker. The legend stands below the axes and covers nothing, so that a picture is narrow
//! enough for a page of text and a small screen.

use std::path::Path;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

use crate::report::lines::{Line, Plot};

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
/// Room around the axes and the legend, between the legend's columns, and the height of its rows.
const MARGIN: f64 = 10.0;
const BETWEEN: f64 = 26.0;
const ROW: f64 = 24.0;

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

/// Anything that a drawing backend has to say.
type Failure = String;

/// A place in the picture.
type Pixel = (i32, i32);

/// The picture as SVG.
///
/// # Errors
/// Of the drawing library.
pub fn svg(plot: &Plot) -> Result<String, Failure> {
    let (width, height) = size(plot, 1.0);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
        draw(&root, plot, 1.0)?;
    }
    Ok(text)
}

/// The picture as PNG.
///
/// # Errors
/// It can't be written.
pub fn png(plot: &Plot, path: &Path) -> Result<(), Failure> {
    let (width, height) = size(plot, PNG_SCALE);
    let root = BitMapBackend::new(path, (width, height)).into_drawing_area();
    draw(&root, plot, PNG_SCALE)
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

/// How the names stand in the legend.
struct Legend {
    columns: usize,
    rows: usize,
    /// Of a column.
    width: f64,
}

impl Legend {
    /// As many columns as have room; the names run down the first one, then the next.
    fn of(plot: &Plot) -> Self {
        let longest = plot.lines.iter().map(|line| name(&line.label).chars().count()).max();
        let width = SAMPLE + GAP + longest.unwrap_or(0) as f64 * LETTER_WIDTH + BETWEEN;
        let room = WIDTH - 2.0 * MARGIN + BETWEEN;
        let most = ((room / width) as usize).clamp(1, plot.lines.len().max(1));
        let rows = plot.lines.len().div_ceil(most);
        // No more columns than are filled.
        Self { columns: plot.lines.len().div_ceil(rows.max(1)).max(1), rows, width }
    }

    /// Where a name stands: its left end and its middle.
    fn place(&self, number: usize) -> (f64, f64) {
        let all = self.columns as f64 * self.width - BETWEEN;
        let left = ((WIDTH - all) / 2.0).max(MARGIN);
        let (column, row) = (number / self.rows, number % self.rows);
        (left + column as f64 * self.width, (row as f64 + 0.5) * ROW)
    }

    fn height(&self) -> f64 {
        self.rows as f64 * ROW + MARGIN
    }
}

fn size(plot: &Plot, scale: f64) -> (u32, u32) {
    let height = HEIGHT + Legend::of(plot).height();
    ((WIDTH * scale).round() as u32, (height * scale).round() as u32)
}

fn name(label: &str) -> String {
    if label.chars().count() <= LONGEST_NAME {
        return label.to_owned();
    }
    label.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

fn failed<E: std::error::Error + Send + Sync>(error: DrawingAreaErrorKind<E>) -> Failure {
    format!("drawing failed: {error}")
}

fn draw<B: DrawingBackend>(
    root: &DrawingArea<B, Shift>,
    plot: &Plot,
    scale: f64,
) -> Result<(), Failure> {
    letters();
    let px = |size: f64| (size * scale).round() as i32;
    root.fill(&WHITE).map_err(failed)?;
    let (axes, below) = root.split_vertically(px(HEIGHT));
    let font = ("sans-serif", LETTERS * scale).into_font();
    let small = ("sans-serif", SMALL_LETTERS * scale).into_font();
    let left = plot.y.ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
    let left = 38.0 + left as f64 * SMALL_WIDTH;
    let mut chart = ChartBuilder::on(&axes)
        .caption(&plot.title, ("sans-serif", TITLE * scale))
        .margin(px(MARGIN))
        .margin_right(px(24.0))
        .x_label_area_size(px(52.0))
        .y_label_area_size(px(left))
        .build_cartesian_2d(
            Ticked { range: plot.x.range, ticks: thinned(plot) },
            Ticked { range: plot.y.range, ticks: plot.y.ticks.clone() },
        )
        .map_err(failed)?;
    let grid = RGBColor(225, 225, 225).stroke_width(px(1.0) as u32);
    chart
        .configure_mesh()
        .bold_line_style(grid)
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK.stroke_width(px(1.0) as u32))
        .x_desc(&plot.x.label)
        .y_desc(&plot.y.label)
        .axis_desc_style(font.clone())
        .label_style(small)
        .draw()
        .map_err(failed)?;

    let pixel = |x: f64, y: f64| chart.as_coord_spec().translate(&(x, y));
    let along = |line: &Line, which: usize| -> Vec<Pixel> {
        line.points.iter().map(|(x, y)| pixel(*x, y[which])).collect()
    };
    let is_line = |line: &Line| plot.connected && line.points.len() > 1;
    // First all bands, so that none lies over a line.
    for line in plot.lines.iter().filter(|line| is_line(line)) {
        let mut band = along(line, 0);
        band.extend(along(line, 2).into_iter().rev());
        let style = Look::of(line, scale).colour.mix(0.15).filled();
        root.draw(&Polygon::new(band, style)).map_err(failed)?;
    }
    for line in &plot.lines {
        let look = Look::of(line, scale);
        if is_line(line) {
            look.line(root, along(line, 1)).map_err(failed)?;
        } else {
            for (low, high) in along(line, 0).into_iter().zip(along(line, 2)) {
                look.bar(root, low, high, px(6.0)).map_err(failed)?;
            }
        }
        for at in along(line, 1) {
            look.mark(root, at, px(4.5)).map_err(failed)?;
        }
    }

    let text = font.color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
    let legend = Legend::of(plot);
    for (i, line) in plot.lines.iter().enumerate() {
        let look = Look::of(line, scale);
        let (x, y) = legend.place(i);
        let y = px(y);
        if plot.connected {
            look.line(&below, vec![(px(x), y), (px(x + SAMPLE), y)]).map_err(failed)?;
        }
        look.mark(&below, (px(x + SAMPLE / 2.0), y), px(4.5)).map_err(failed)?;
        let name = name(&line.label);
        below.draw_text(&name, &text, (px(x + SAMPLE + GAP), y)).map_err(failed)?;
    }
    root.present().map_err(failed)
}

/// An axis with ticks of our own choice.
struct Ticked {
    range: (f64, f64),
    ticks: Vec<(f64, String)>,
}

impl Ranged for Ticked {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: Pixel) -> i32 {
        let (low, high) = self.range;
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        limit.0 + (f64::from(limit.1 - limit.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Light points are those between the ticks.
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks.iter().map(|(at, _)| *at).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Ticked {
    fn format(value: &f64) -> String {
        value.to_string()
    }

    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(at, _)| at == value);
        tick.map_or_else(String::new, |(_, text)| text.clone())
    }
}

/// As many of the ticks along the picture as have room for their text.
fn thinned(plot: &Plot) -> Vec<(f64, String)> {
    let ticks = &plot.x.ticks;
    let longest = ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as f64;
    let span = (plot.x.range.1 - plot.x.range.0).max(f64::MIN_POSITIVE);
    let room = (longest * SMALL_WIDTH + 8.0) / (WIDTH - 120.0) * span;
    let mut kept: Vec<(f64, String)> = Vec::new();
    for tick in ticks {
        if kept.last().is_none_or(|(before, _)| tick.0 - before >= room) {
            kept.push(tick.clone());
        }
    }
    kept
}

/// How a line looks.
struct Look {
    /// Says which marker, of five shapes.
    shape: usize,
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
            shape: number % 5,
            hollow: !line.series.unwrap_or(number / 5).is_multiple_of(2),
            colour: COLOURS[number % COLOURS.len()],
            width: px(2.0) as u32,
            dashes: (dash > 0.0).then(|| (px(dash), px(gap))),
        }
    }

    /// A line through some points.
    fn line<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        points: Vec<Pixel>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let style = self.colour.stroke_width(self.width);
        match self.dashes {
            None => area.draw(&PathElement::new(points, style)),
            Some((dash, gap)) => area.draw(&DashedPathElement::new(points, dash, gap, style)),
        }
    }

    /// From the low end to the high end of a value.
    fn bar<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        low: Pixel,
        high: Pixel,
        half: i32,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let style = self.colour.stroke_width(self.width);
        for ends in [
            [low, high],
            [(low.0 - half, low.1), (low.0 + half, low.1)],
            [(high.0 - half, high.1), (high.0 + half, high.1)],
        ] {
            area.draw(&PathElement::new(ends, style))?;
        }
        Ok(())
    }

    /// The marker of a point.
    fn mark<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        (x, y): Pixel,
        r: i32,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let corners = match self.shape {
            0 => (0..24).map(|i| f64::from(i) / 24.0).collect(),
            1 => vec![0.25, 0.5833, 0.9167],
            2 => vec![0.125, 0.375, 0.625, 0.875],
            3 => vec![0.0, 0.25, 0.5, 0.75],
            _ => vec![0.75, 0.0833, 0.4167],
        };
        // Corners lie further out than a circle of the same weight.
        let far = if self.shape == 0 { f64::from(r) } else { f64::from(r) * 1.35 };
        let mut points: Vec<Pixel> = corners
            .iter()
            .map(|turns| turns * std::f64::consts::TAU)
            .map(|angle| (angle.cos() * far, -angle.sin() * far))
            .map(|(dx, dy)| (x + dx.round() as i32, y + dy.round() as i32))
            .collect();
        let fill = if self.hollow { WHITE } else { self.colour };
        area.draw(&Polygon::new(points.clone(), fill.filled()))?;
        points.extend(points.first().copied());
        area.draw(&PathElement::new(points, self.colour.stroke_width(self.width)))
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
        let kept = thinned(&plot);
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
            let legend = Legend::of(&plot);
            for i in 0..number {
                let ((left, y), right) = (legend.place(i), legend.width - BETWEEN);
                assert!(left >= MARGIN && left + right <= WIDTH - MARGIN, "{number} {length}");
                assert!(y < legend.height());
            }
            (legend.columns, legend.rows)
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
