//! Whether a claim holds: a ratio of two values, and what it must be at least or at most.

use std::collections::BTreeMap;

use cairn_framework::host::problem::Problem;
use serde::{Deserialize, Serialize};

use crate::contract::At;
use crate::counts;
use crate::experiment::{Setting, known};
use crate::report::numbers::digits;
use crate::report::summary::{Group, Row, Summary, place};
use crate::stats::{self, ENOUGH, Estimate};

/// A claim in numbers: left / right is at least, or at most, so much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    /// The claim in words.
    pub says: String,
    /// The benchmark; needed if there are several.
    #[serde(default)]
    pub benchmark: Option<String>,
    /// The metric; needed if there are several.
    #[serde(default)]
    pub metric: Option<String>,
    /// What is divided.
    pub left: Side,
    /// By what.
    pub right: Side,
    /// The ratio is this or more.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// The ratio is this or less.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// With fewer cores it can't be seen.
    #[serde(default)]
    pub needs_cores: Option<usize>,
    /// Why it can't be seen with fewer, or what else one should know.
    #[serde(default)]
    pub note: String,
}

/// A variant, and coordinates that the points must have. Those that are left out may be any, the same
/// on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Its name.
    pub variant: String,
    /// By name.
    #[serde(flatten)]
    pub at: BTreeMap<String, Setting>,
}

/// What came of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The whole interval is where the claim says.
    Holds,
    /// The whole interval is elsewhere.
    DoesNot,
    /// Neither can be said on this machine.
    CannotBeSeen,
}

impl Finding {
    /// In words.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNot => "does not hold",
            Self::CannotBeSeen => "cannot be seen on this machine",
        }
    }
}

/// A claim and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The claim in words.
    pub says: String,
    /// What came of it.
    pub finding: Finding,
    /// Why, in words, with the ratios.
    pub why: String,
    /// What else one should know.
    pub note: String,
}

impl Rule {
    /// Whether it makes sense.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self, variants: &[&str]) -> Result<(), Problem> {
        let who = format!("the verdict \"{}\"", self.says);
        known(&self.left.variant, variants, "variant", &who)?;
        known(&self.right.variant, variants, "variant", &who)?;
        let bound = self.at_least.or(self.at_most);
        if self.at_least.is_some() == self.at_most.is_some()
            || !bound.is_some_and(|bound| bound.is_finite() && bound > 0.0)
        {
            return Err(Problem::new(format!("{who} has no bound"))
                .allowed("one of at-least and at-most, a ratio above 0"));
        }
        Ok(())
    }

    /// Compares with what was measured.
    pub fn judge(&self, summary: &Summary) -> Verdict {
        let (finding, why) = match self.find(summary) {
            Ok(found) => found,
            Err(reason) => (Finding::CannotBeSeen, reason),
        };
        Verdict { says: self.says.clone(), finding, why, note: self.note.clone() }
    }

    fn find(&self, summary: &Summary) -> Result<(Finding, String), String> {
        for side in [&self.left, &self.right] {
            if let Some(reason) = summary.skipped.get(&side.variant) {
                return Err(format!("{} was left out: {reason}", side.variant));
            }
        }
        let ratios = self.ratios(summary, self.group(summary)?);
        if ratios.is_empty() {
            let side = |side: &Side| {
                let at: Vec<String> =
                    side.at.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                format!("{}{}", side.variant, at.concat())
            };
            let (left, right) = (side(&self.left), side(&self.right));
            let why = self.failure(summary).map(|why| format!(": {why}")).unwrap_or_default();
            return Err(format!("there are no values of both {left} and {right}{why}"));
        }
        let cores = summary.cores();
        if let Some(needed) = self.needs_cores.filter(|needed| *needed > cores) {
            let why = format!("it needs {needed} cores, and here are {cores}");
            let here = self.worst(&ratios).map(|(at, ratio)| shown(at, ratio, ratios.len()));
            return Err(here.map_or(why.clone(), |here| format!("{why}, with which {here}")));
        }
        Ok(self.decide(&ratios))
    }

    /// Why one of the sides may have no values.
    fn failure(&self, summary: &Summary) -> Option<String> {
        let sides = [&self.left.variant, &self.right.variant];
        let failure = summary.failures.iter().find(|failure| {
            let benchmark = self.benchmark.as_ref().is_none_or(|it| failure.what.starts_with(it));
            benchmark && sides.contains(&&failure.variant)
        })?;
        let how = if failure.skipped { "skipped" } else { "failed" };
        Some(format!("{} {how}: {}", failure.variant, failure.reason))
    }

    /// The table that it is about.
    fn group<'a>(&self, summary: &'a Summary) -> Result<&'a Group, String> {
        let is = |wish: &Option<String>, name: &str| wish.as_deref().is_none_or(|it| it == name);
        let mut groups = summary.groups.iter().filter(|group| {
            // A count is meant only where it is named.
            let meant = self.metric.is_some() || !counts::is_count(&group.metric);
            meant && is(&self.benchmark, &group.benchmark) && is(&self.metric, &group.metric)
        });
        match (groups.next(), groups.next()) {
            (Some(group), None) => Ok(group),
            (None, _) => Err("nothing was measured that it is about".into()),
            _ => Err("it does not say which benchmark and metric it is about".into()),
        }
    }

    /// The ratio at each place that both sides have.
    fn ratios(&self, summary: &Summary, group: &Group) -> Vec<(At, Estimate)> {
        let mut found = Vec::new();
        for left in rows(group, &self.left) {
            for right in rows(group, &self.right) {
                let rest = self.rest(&left.at);
                if rest != self.rest(&right.at) {
                    continue;
                }
                let (Some(a), Some(b)) =
                    (left.cells.get(&self.left.variant), right.cells.get(&self.right.variant))
                else {
                    continue;
                };
                let pairs: Vec<(f64, f64)> = a
                    .samples
                    .iter()
                    .filter_map(|(block, a)| Some((*a, *b.samples.get(block)?)))
                    .collect();
                let ratio = stats::ratio(&pairs, summary.experiment.seed);
                found.extend(ratio.map(|ratio| (rest, ratio)));
            }
        }
        found
    }

    /// The coordinates that neither side fixes.
    fn rest(&self, at: &At) -> At {
        let fixed =
            |name: &String| self.left.at.contains_key(name) || self.right.at.contains_key(name);
        at.iter().filter(|(name, _)| !fixed(name)).map(|(a, b)| (a.clone(), b.clone())).collect()
    }

    /// What the ratio is at least or at most.
    fn bound(&self) -> f64 {
        self.at_least.or(self.at_most).unwrap_or(1.0)
    }

    /// What one ratio says.
    fn one(&self, ratio: &Estimate) -> Finding {
        let bound = self.bound();
        let (surely, surely_not) = if self.at_least.is_some() {
            (ratio.low >= bound, ratio.high < bound)
        } else {
            (ratio.high <= bound, ratio.low > bound)
        };
        match (ratio.samples < ENOUGH, surely, surely_not) {
            (true, ..) => Finding::CannotBeSeen,
            (_, true, _) => Finding::Holds,
            (.., true) => Finding::DoesNot,
            _ => Finding::CannotBeSeen,
        }
    }

    /// The ratio that decides: the worst, and among those the one furthest away.
    fn worst<'a>(&self, ratios: &'a [(At, Estimate)]) -> Option<&'a (At, Estimate)> {
        let rank = |finding: Finding| match finding {
            Finding::DoesNot => 0,
            Finding::CannotBeSeen => 1,
            Finding::Holds => 2,
        };
        ratios.iter().min_by(|(_, a), (_, b)| {
            let by_value = if self.at_least.is_some() {
                a.value.total_cmp(&b.value)
            } else {
                b.value.total_cmp(&a.value)
            };
            rank(self.one(a)).cmp(&rank(self.one(b))).then(by_value)
        })
    }

    /// It must hold everywhere, and fails if it does not hold somewhere.
    fn decide(&self, ratios: &[(At, Estimate)]) -> (Finding, String) {
        let Some((at, ratio)) = self.worst(ratios) else {
            return (Finding::CannotBeSeen, "there are no values".into());
        };
        let finding = self.one(ratio);
        let word = if self.at_least.is_some() { "at least" } else { "at most" };
        let ratio_here = shown(at, ratio, ratios.len());
        let mut why = format!("{ratio_here}; claimed is {word} {}", self.bound());
        if ratio.samples < ENOUGH {
            why += &format!("; {} repeats are too few to tell, {ENOUGH} are needed", ratio.samples);
        } else if finding == Finding::CannotBeSeen {
            why += "; the interval has both sides in it";
        }
        (finding, why)
    }
}

/// A ratio in words, and of how many it is one.
fn shown(at: &At, ratio: &Estimate, all: usize) -> String {
    let place = if at.is_empty() { String::new() } else { format!(" at {}", place(at)) };
    let all = if all > 1 { format!(", of {all} points") } else { String::new() };
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(digits);
    format!("the ratio{place} is {value} (95 % interval {low} to {high}){all}")
}

/// The rows of a table at the coordinates of a side.
fn rows<'a>(group: &'a Group, side: &'a Side) -> impl Iterator<Item = &'a Row> {
    group.rows.iter().filter(|row| {
        side.at.iter().all(|(name, value)| row.at.get(name) == Some(&value.coordinate()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::summary;

    fn judge(rule: &str) -> Verdict {
        let rule: Rule = toml::from_str(rule).unwrap();
        rule.check(&["a", "b", "gone"]).unwrap();
        // a is 10, 20, 40 at 1, 2, 4 threads; b is half of it, but the same at 4.
        rule.judge(&summary())
    }

    #[test]
    fn claims_are_judged() {
        let finding = |rule: &str, finding: Finding, why: &str| {
            let verdict = judge(&format!("says = \"x\"\n{rule}"));
            assert_eq!(verdict.finding, finding, "{rule}: {}", verdict.why);
            assert!(verdict.why.contains(why), "{}", verdict.why);
        };
        let two =
            "left = { variant = \"a\", threads = 2 }\nright = { variant = \"b\", threads = 2 }\n";
        finding(&format!("{two}at-least = 1.9"), Finding::Holds, "is 2.00");
        finding(&format!("{two}at-least = 2.5"), Finding::DoesNot, "at least 2.5");
        finding(&format!("{two}at-most = 1.5"), Finding::DoesNot, "at most 1.5");
        finding(&format!("{two}at-most = 2.5"), Finding::Holds, "");
        finding(
            &format!("{two}at-least = 1\nneeds-cores = 900"),
            Finding::CannotBeSeen,
            "900 cores, and here are 2, with which the ratio is 2.00",
        );
        finding(
            &format!("{two}at-least = 1\nmetric = \"x\""),
            Finding::CannotBeSeen,
            "nothing was",
        );
        // Everywhere: fails at 4 threads.
        let all = "left = { variant = \"a\" }\nright = { variant = \"b\" }\n";
        finding(&format!("{all}at-least = 1.5"), Finding::DoesNot, "at 4 threads is 1.00");
        finding(&format!("{all}at-least = 1"), Finding::Holds, "of 3 points");
        // Scaling of one variant.
        let scaling =
            "left = { variant = \"a\", threads = 4 }\nright = { variant = \"a\", threads = 1 }\n";
        finding(&format!("{scaling}at-least = 3"), Finding::Holds, "is 4.00");
        let none =
            "left = { variant = \"a\", threads = 3 }\nright = { variant = \"a\", threads = 1 }\n";
        finding(
            &format!("{none}at-least = 3"),
            Finding::CannotBeSeen,
            "no values of both a threads=3",
        );
        let gone = "left = { variant = \"gone\" }\nright = { variant = \"a\" }\n";
        finding(&format!("{gone}at-least = 3"), Finding::CannotBeSeen, "left out: no network");
    }

    #[test]
    fn rules_without_sense_are_refused() {
        let wrong = |rest: &str, what: &str| {
            let rule: Rule = toml::from_str(&format!("says = \"x\"\n{rest}")).unwrap();
            let problem = rule.check(&["a", "b"]).unwrap_err();
            assert!(problem.what.contains(what), "{problem}");
        };
        let sides = "left = { variant = \"a\" }\nright = { variant = \"b\" }\n";
        wrong(sides, "no bound");
        wrong(&format!("{sides}at-least = 1\nat-most = 2"), "no bound");
        wrong(&format!("{sides}at-least = 0"), "no bound");
        wrong(&format!("at-least = 1\n{}", sides.replace("\"b\"", "\"c\"")), "variant c");
    }

    #[test]
    fn few_repeats_tell_nothing() {
        let rule: Rule = toml::from_str(
            "says = \"x\"\nat-least = 1\nleft = { variant = \"a\" }\nright = { variant = \"b\" }",
        )
        .unwrap();
        let few = Estimate { value: 2.0, low: 2.0, high: 2.0, samples: ENOUGH - 1 };
        let (finding, why) = rule.decide(&[(At::new(), few)]);
        assert_eq!(finding, Finding::CannotBeSeen);
        assert!(why.contains("too few"), "{why}");
        let both = Estimate { value: 2.0, low: 0.5, high: 3.0, samples: ENOUGH };
        let (finding, why) = rule.decide(&[(At::new(), both)]);
        assert_eq!(finding, Finding::CannotBeSeen);
        assert!(why.contains("both sides"), "{why}");
    }
}
