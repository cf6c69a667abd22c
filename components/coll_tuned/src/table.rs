//! The table by which algorithms are chosen, and how it is read.
//!
//! Rows are TOML, in the form that `mca-params/tables/coll_tuned.toml` explains; that file holds what holds by
//! itself. A user's rows come before those. Whatever decides is known alike to all ranks: ranks, bytes as
//! [`Call::bytes`] says, and how many nodes there are.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use cairn_framework::abi::comm::Comm;
use cairn_framework::abi::peer::PEER_LOCAL;
use cairn_framework::abi::status::ERR_ARGUMENT;
use cairn_framework::author::Failure;
use cairn_schedule::Call;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::algorithms::{Algorithm, Knobs, OPERATIONS, Operation};

/// The rows that hold by themselves.
const BUILT_IN: &str = include_str!("../../../mca-params/tables/coll_tuned.toml");

/// A file that is longer is no table.
const MOST_BYTES: u64 = 1 << 20;

/// For each operation its rows, of which the first that fits decides.
type Rows = [Vec<Row>; OPERATIONS.len()];

/// What a user's file says, before the rows that hold by themselves.
#[derive(Debug)]
pub struct Table {
    rows: Rows,
}

/// The rows of [`BUILT_IN`], read at the first operation: a process may have none.
static BY_THEMSELVES: LazyLock<Rows> = LazyLock::new(|| match Table::parse(BUILT_IN) {
    Ok(table) => table.rows,
    Err((line, what)) => panic!("built-in table:{line}: {what}"),
});

/// An algorithm, and when it is taken.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    /// Its index among those of the operation.
    algorithm: usize,
    ranks: RangeInclusive<u64>,
    bytes: RangeInclusive<u64>,
    nodes: RangeInclusive<u64>,
    per_node: RangeInclusive<u64>,
    radix: Option<u32>,
    segment: Option<u64>,
}

/// Where the ranks of a communicator run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    nodes: u64,
    /// The most ranks of one node.
    per_node: u64,
}

impl Place {
    /// That of a communicator within a group.
    pub fn of(comm: &Comm) -> Self {
        let size = comm.remote_size as usize;
        // SAFETY: a communicator has so many peers, and they stay.
        let peer = |rank: usize| unsafe { &**comm.peers.add(rank) };
        // If one rank finds all others on its node, so does each of them, whatever their nodes are called:
        // a node has a number in each job.
        if (0..size).all(|rank| peer(rank).is(PEER_LOCAL)) {
            return Self { nodes: 1, per_node: size as u64 };
        }
        let mut nodes: Vec<(u32, u32)> =
            (0..size).map(|rank| (peer(rank).job, peer(rank).node)).collect();
        nodes.sort_unstable();
        let groups = || nodes.chunk_by(|one, next| one == next);
        let per_node = groups().map(|group| group.len() as u64).max();
        Self { nodes: groups().count() as u64, per_node: per_node.unwrap_or(0) }
    }
}

impl Table {
    /// The rows of the file at a path, if one is named.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn load(path: &str) -> Result<Self, Failure> {
        if path.is_empty() {
            return Ok(Self { rows: [const { Vec::new() }; OPERATIONS.len()] });
        }
        let text = read(path).map_err(|what| wrong(path, &what))?;
        Self::parse(&text).map_err(|(line, what)| wrong(&format!("{path}:{line}"), &what))
    }

    /// Reads rows.
    ///
    /// # Errors
    /// The line, from 1, and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let line =
            |offset: usize| 1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
        let tables = DeTable::parse(text).map_err(|error| {
            let place = line(error.span().map_or(0, |span| span.start));
            (place, format!("malformed TOML: {}", error.message().trim()))
        })?;
        let mut rows = [const { Vec::new() }; OPERATIONS.len()];
        for (key, value) in tables.get_ref() {
            let name = key.get_ref();
            let number = OPERATIONS.iter().position(|operation| operation.name == name.as_ref());
            let number = number.ok_or_else(|| {
                let known = OPERATIONS.iter().map(|operation| operation.name);
                let what = format!("there is no operation {name}; known are {}", listed(known));
                (line(key.span().start), what)
            })?;
            let DeValue::Array(list) = value.get_ref() else {
                let what =
                    format!("{name} is no list of rows, such as [{{ algorithm = \"linear\" }}]");
                return Err((line(value.span().start), what));
            };
            for row in list {
                let read = Row::read(&OPERATIONS[number], row);
                rows[number].push(read.map_err(|(offset, what)| (line(offset), what))?);
            }
        }
        Ok(Self { rows })
    }

    /// The algorithm of a call that moves so many bytes, with its numbers.
    pub fn choose(
        &self,
        call: &Call<'_>,
        bytes: u64,
        place: Place,
        knobs: Knobs,
    ) -> (&'static Algorithm, Knobs) {
        let number = call.args.operation as usize;
        let algorithms = OPERATIONS[number].algorithms;
        let fits = |row: &&Row| {
            row.bytes.contains(&bytes)
                && row.ranks.contains(&u64::from(call.size()))
                && row.nodes.contains(&place.nodes)
                && row.per_node.contains(&place.per_node)
                && algorithms[row.algorithm].unfit(call).is_none()
        };
        let mut rows = self.rows[number].iter().chain(&BY_THEMSELVES[number]);
        let Some(row) = rows.find(fits) else { return (&algorithms[0], knobs) };
        let knobs = Knobs {
            radix: row.radix.unwrap_or(knobs.radix),
            segment: row.segment.unwrap_or(knobs.segment),
            ..knobs
        };
        (&algorithms[row.algorithm], knobs)
    }
}

fn wrong(place: &str, what: &str) -> Failure {
    Failure::new(ERR_ARGUMENT, format!("coll_tuned_table, {place}: {what}"))
}

fn read(path: &str) -> Result<String, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(format!("this is no file of at most {MOST_BYTES} bytes"));
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

/// What is wrong, and the byte of the text where that is.
type Wrong = (usize, String);

impl Row {
    fn read(operation: &Operation, row: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        let name = operation.name;
        let DeValue::Table(table) = row.get_ref() else {
            let what = format!("a row of {name} is a table, such as {{ algorithm = \"linear\" }}");
            return Err((row.span().start, what));
        };
        let any = 0..=u64::MAX;
        let mut algorithm = None;
        let mut read = Self {
            algorithm: 0,
            ranks: any.clone(),
            bytes: any.clone(),
            nodes: any.clone(),
            per_node: any,
            radix: None,
            segment: None,
        };
        for (key, value) in table {
            let at = |what: String| (value.span().start, what);
            let range = || {
                let text = text(value).unwrap_or_default();
                range(&text).ok_or_else(|| {
                    let example = "8, or text such as \"2-8\", \"-4k\" or \"64k-\"";
                    at(format!("{} of {name} is no range: {example}", key.get_ref()))
                })
            };
            let number = |least: u64, most: u64| {
                let number = text(value).and_then(|text| size(&text));
                number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
                    let key = key.get_ref();
                    at(format!("{key} of {name} is no number from {least} to {most}"))
                })
            };
            match key.get_ref().as_ref() {
                "algorithm" => {
                    let wanted = text(value).unwrap_or_default();
                    let found = operation.names().position(|known| known == wanted);
                    let names = || listed(operation.names());
                    let unknown = || {
                        at(format!("{name} has no algorithm \"{wanted}\"; known are {}", names()))
                    };
                    algorithm = Some(found.ok_or_else(unknown)?);
                }
                "bytes" if !operation.sized => {
                    return Err(at(format!("the ranks do not know the bytes of {name} alike")));
                }
                "bytes" => read.bytes = range()?,
                "ranks" => read.ranks = range()?,
                "nodes" => read.nodes = range()?,
                "per_node" => read.per_node = range()?,
                "radix" => read.radix = Some(number(2, 1 << 16)? as u32),
                "segment" => read.segment = Some(number(1, u64::MAX)?),
                other => {
                    let known = "algorithm, ranks, bytes, nodes, per_node, radix and segment";
                    let what = format!("a row has no {other}; known are {known}");
                    return Err((key.span().start, what));
                }
            }
        }
        let missing = || (row.span().start, format!("a row of {name} names no algorithm"));
        Ok(Self { algorithm: algorithm.ok_or_else(missing)?, ..read })
    }
}

fn listed(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// A number or text as text.
fn text(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(|number| number.to_string()),
        _ => None,
    }
}

/// `8`, `2-8`, `-8` or `9-`.
fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let Some((from, to)) = text.split_once('-') else {
        let one = size(text)?;
        return Some(one..=one);
    };
    let end = |text: &str, open: u64| match text.trim() {
        "" => Some(open),
        text => size(text),
    };
    if from.trim().is_empty() && to.trim().is_empty() {
        return None;
    }
    let (from, to) = (end(from, 0)?, end(to, u64::MAX)?);
    (from <= to).then_some(from..=to)
}

/// A number, perhaps with k, m or g behind it.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let shift = match text.chars().last()?.to_ascii_lowercase() {
        'k' => 10,
        'm' => 20,
        'g' => 30,
        _ => 0,
    };
    let digits = if shift > 0 { &text[..text.len() - 1] } else { text };
    if digits.starts_with('+') {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Row {
        Table::parse(&format!("bcast = [{text}]")).unwrap().rows[1][0].clone()
    }

    #[test]
    fn the_built_in_table_is_sound_and_ends_with_a_row_for_everything() {
        for (operation, rows) in OPERATIONS.iter().zip(&*BY_THEMSELVES) {
            let last = rows.last().unwrap_or_else(|| panic!("{} has no row", operation.name));
            let plain = Table::parse(&format!(
                "{} = [{{ algorithm = \"{}\" }}]",
                operation.name, operation.algorithms[last.algorithm].name
            ));
            assert!(plain.unwrap().rows.iter().flatten().eq([last]), "{}", operation.name);
        }
    }

    #[test]
    fn rows_say_what_they_say() {
        let read = row(
            r#"{ algorithm = "knomial", ranks = "3-8", bytes = "-4k", nodes = 2, per_node = "2-",
                 radix = 3, segment = "8k" }"#
                .replace('\n', " ")
                .as_str(),
        );
        let expected = Row {
            algorithm: 1,
            ranks: 3..=8,
            bytes: 0..=4096,
            nodes: 2..=2,
            per_node: 2..=u64::MAX,
            radix: Some(3),
            segment: Some(8192),
        };
        assert_eq!(read, expected);
        assert_eq!(range("1m"), Some(1 << 20..=1 << 20));
        for text in ["", "-", "8-2", "+1", "k", "1kk", "a-b", "1-2-3", "99999999999g"] {
            assert_eq!(range(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, what) in [
            (
                "\nbcast = [\n{ algorithm = \"binomail\" }]",
                3,
                "no algorithm \"binomail\"; known are binomial, knomial",
            ),
            ("\n\nbroadcast = []", 3, "no operation broadcast; known are barrier, bcast"),
            ("bcast = 3", 1, "no list of rows"),
            ("bcast = [3]", 1, "is a table"),
            ("bcast = [\n{ ranks = 3 }]", 2, "names no algorithm"),
            ("bcast = [{ algorithm = \"linear\",\n size = 3 }]", 2, "no size; known are algorithm"),
            (
                "bcast = [{ algorithm = \"linear\", ranks = \"8-2\" }]",
                1,
                "ranks of bcast is no range",
            ),
            (
                "bcast = [{ algorithm = \"linear\", radix = 1 }]",
                1,
                "radix of bcast is no number from 2",
            ),
            (
                "bcast = [{ algorithm = \"linear\", segment = 0 }]",
                1,
                "segment of bcast is no number from 1",
            ),
            (
                "gatherv = [{ algorithm = \"linear\", bytes = 3 }]",
                1,
                "do not know the bytes of gatherv",
            ),
            ("bcast = [\n\n{ algorithm = ", 3, "malformed TOML"),
        ] {
            let (place, told) = Table::parse(text).unwrap_err();
            assert!(told.contains(what), "{told}");
            assert_eq!(place, line, "{told}");
        }
        let failure = Table::load("/there/is/none").unwrap_err();
        assert!(
            failure.text.contains("coll_tuned_table, /there/is/none: No such file"),
            "{}",
            failure.text
        );
        let failure = Table::load("/").unwrap_err();
        assert!(failure.text.contains("no file"), "{}", failure.text);
    }
}
