//! What is in an engine, for a person.

use std::fmt::Write;

use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MATCH_ANY_TAG, MatchCounts};

/// Entries of each kind that a description shows.
const SHOWN: usize = 8;

/// An entry in a description: the number of its posting or arrival, source and tag.
pub type Line = (usize, i32, i32);

/// Describes an engine: its counts, and the first receives and messages, by their numbers.
pub fn write_lines(counts: &MatchCounts, receives: &mut [Line], messages: &mut [Line]) -> String {
    let mut text = String::new();
    let MatchCounts { posted, arrived, compared, searches, .. } = counts;
    let _ = writeln!(
        text,
        "{posted} receives posted, {arrived} messages arrived; {searches} searches compared \
         {compared} entries"
    );
    receives.sort_unstable();
    for (_, source, tag) in receives.iter().take(SHOWN) {
        let (source, tag) = (name(*source, MATCH_ANY_SOURCE), name(*tag, MATCH_ANY_TAG));
        let _ = writeln!(text, "  receive from {source} tag {tag}");
    }
    messages.sort_unstable();
    for (_, source, tag) in messages.iter().take(SHOWN) {
        let _ = writeln!(text, "  message of {source} tag {tag}");
    }
    text
}

fn name(number: i32, any: i32) -> String {
    if number == any { "any".into() } else { number.to_string() }
}
