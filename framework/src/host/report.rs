//! Reports as text and as JSON.

#![forbid(unsafe_code)]

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::params::Param;
use super::select::{Decision, Verdict};
use super::system::System;

/// What a piece of a table is, for a terminal that colours it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// A heading.
    Heading,
    /// The name of what a row is about.
    Name,
    /// As it should be.
    Good,
    /// Not as the user will expect.
    Warning,
    /// Broken.
    Bad,
    /// Less important than the rest.
    Faint,
    /// Anything else.
    Plain,
}

/// A piece of text with its tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell(pub Tone, pub String);

impl Cell {
    /// Text without a tone.
    pub fn plain(text: impl Into<String>) -> Self {
        Self(Tone::Plain, text.into())
    }
}

/// Rows in aligned columns. The last column takes the rest of the line and wraps at words.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The headings; none if empty.
    pub header: Vec<&'static str>,
    /// The rows; each has as many cells as the others.
    pub rows: Vec<Vec<Cell>>,
}

/// Blanks between columns.
const GAP: usize = 2;
/// The narrowest a wrapped column gets, whatever the terminal.
const NARROWEST: usize = 24;

impl Table {
    /// The table as lines of at most `width` characters, or of any length; `paint` gets each cell's
    /// text without the blanks around it and returns it with escapes for colour, if any.
    pub fn render(&self, width: Option<usize>, paint: impl Fn(Tone, &str) -> String) -> String {
        let header = self.header.iter().map(|text| Cell(Tone::Heading, (*text).to_owned()));
        let header: Vec<Cell> = header.collect();
        let mut rows: Vec<&[Cell]> = self.rows.iter().map(Vec::as_slice).collect();
        if !header.is_empty() {
            rows.insert(0, &header);
        }
        let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns.saturating_sub(1))
            .map(|i| {
                let cells = rows.iter().filter_map(|row| row.get(i));
                cells.map(|cell| cell.1.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let indent: usize = widths.iter().map(|width| width + GAP).sum();
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(NARROWEST));

        let mut out = String::new();
        for row in rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line += &paint(cell.0, &cell.1);
                line += &" ".repeat(width - cell.1.chars().count() + GAP);
            }
            if let Some(Cell(tone, text)) = row.get(widths.len()) {
                for (i, piece) in wrap(text, room).iter().enumerate() {
                    if i > 0 {
                        let _ = writeln!(out, "{}", line.trim_end());
                        line = " ".repeat(indent);
                    }
                    line += &paint(*tone, piece);
                }
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }
}

/// Cuts a text at blanks into pieces of at most `width` characters; a longer word is a piece.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for word in text.split_whitespace() {
        let last = pieces.last_mut().expect("never empty");
        if last.is_empty() {
            word.clone_into(last);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            pieces.push(word.to_owned());
        }
    }
    pieces
}

/// Text without colours.
pub fn colourless(_: Tone, text: &str) -> String {
    text.to_owned()
}

/// Decisions as a table.
pub fn decisions_table(decisions: &[Decision]) -> Table {
    let header = vec!["FRAMEWORK", "SCOPE", "COMPONENT", "PRIORITY", "FROM", "VERDICT"];
    let mut rows = Vec::new();
    for decision in decisions {
        let mut framework = decision.framework.to_owned();
        let mut scope = decision.scope.clone();
        if decision.candidates.is_empty() {
            let verdict = Cell(Tone::Faint, "no component".into());
            rows.push(vec![
                Cell(Tone::Name, framework.clone()),
                Cell::plain(scope.clone()),
                Cell::plain(""),
                Cell::plain(""),
                Cell::plain(""),
                verdict,
            ]);
        }
        for candidate in &decision.candidates {
            let tone = match candidate.verdict {
                Verdict::Chosen => Tone::Good,
                Verdict::Failed(_) | Verdict::Refused(_) => Tone::Bad,
                Verdict::Declined(_) => Tone::Warning,
                _ => Tone::Faint,
            };
            let mut verdict = candidate.verdict.to_string();
            if let Some(place) = &decision.wished_by
                && matches!(candidate.verdict, Verdict::NotListed | Verdict::LeftOut)
            {
                let _ = write!(verdict, " {} ({place})", decision.wish);
            }
            rows.push(vec![
                // Named once, above its candidates.
                Cell(Tone::Name, std::mem::take(&mut framework)),
                Cell::plain(std::mem::take(&mut scope)),
                Cell(tone, candidate.name.clone()),
                Cell::plain(candidate.priority.map_or_else(String::new, |p| p.to_string())),
                Cell(Tone::Faint, candidate.provider.to_string()),
                Cell(tone, verdict),
            ]);
        }
    }
    Table { header, rows }
}

/// Decisions as JSON.
pub fn decisions_json(decisions: &[Decision]) -> Json {
    json!(decisions)
}

/// A parameter as JSON, with every source that sets it, the winner first.
pub fn param_json(param: &Param) -> Json {
    let (value, winner) = param.current();
    let spec = &param.spec;
    let given: Vec<Json> = param
        .given()
        .into_iter()
        .rev()
        .map(|given| {
            let state = if given == winner {
                "wins"
            } else if given.refused.is_some() {
                "refused"
            } else {
                "overridden"
            };
            json!({
                "origin": given.origin,
                "name": given.name,
                "text": given.text,
                "state": state,
                "refused": given.refused,
            })
        })
        .collect();
    json!({
        "name": spec.name,
        "component": spec.owner,
        "type": spec.kind.name(),
        "value": value,
        "default": spec.default,
        "allowed": spec.kind.allowed(),
        "unit": spec.unit,
        "level": spec.level,
        "writable": spec.writable,
        "help": spec.help,
        "synonyms": spec.synonyms,
        "deprecated_synonyms": spec.deprecated_synonyms,
        "deprecated": spec.deprecated,
        "sources": given,
    })
}

impl System {
    /// What `mca_report` asks for about the choices made so far, if it asks for anything.
    pub fn report(&self) -> Option<String> {
        let param = self.params.find("mca_report")?;
        let decisions = self.decisions();
        match param.value().to_string().as_str() {
            "text" => Some(decisions_table(&decisions).render(None, colourless)),
            "json" => Some(decisions_json(&decisions).to_string()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_the_last_one_wraps() {
        let cell = Cell::plain;
        let table = Table {
            header: vec!["A", "LONG"],
            rows: vec![
                vec![cell("one"), cell("a few words that do not fit into one line")],
                vec![cell(""), cell("x")],
            ],
        };
        assert_eq!(
            table.render(Some(30), colourless),
            "A    LONG\none  a few words that do not\n     fit into one line\n     x\n"
        );
        assert_eq!(table.render(None, colourless).lines().count(), 3);
        let painted = table.render(None, |tone, text| format!("<{tone:?}>{text}"));
        assert!(painted.starts_with("<Heading>A    <Heading>LONG\n"));
        assert_eq!(Table::default().render(None, colourless), "");
    }

    #[test]
    fn wrap_keeps_long_words() {
        assert_eq!(wrap("ab cd efghij k", 5), ["ab cd", "efghij", "k"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
