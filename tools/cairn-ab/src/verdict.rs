//! Whether a claim holds: what the measurements say about a rule.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::contract::{At, Better};
use crate::counts;
use crate::report::numbers::digits;
use crate::report::runs::Attempts;
use crate::report::summary::{Group, Row, Summary, place};
use crate::rule::{Bound, Rule, Side};
use crate::stats::{self, Estimate, Interval};

/// More repeats than these are not worth saying how many.
const HOPELESS: usize = 1000;

/// What came of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Finding {
    /// The whole interval is where the claim says.
    Holds,
    /// The whole interval is elsewhere.
    DoesNotHold,
    /// Neither can be said.
    Undecided {
        /// What is lacking.
        lacks: Lack,
    },
    /// The library has not what the claim is about.
    NotImplemented,
    /// With fewer cores it is not what the claim is about.
    NeedsCores {
        /// So many.
        needed: usize,
        /// What would have come of it with those there are.
        here: Box<Finding>,
    },
}

/// What is lacking for a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// About so many more repeats, if values go on like those there are.
    Repeats(usize),
    /// More repeats than these.
    MoreRepeats(usize),
    /// More repeats; how many can't be estimated where values are infinite, zero or missing.
    SomeRepeats,
    /// Runs that do not fail.
    Success,
    /// A machine that is not disturbed most of the time.
    Quiet,
    /// Values.
    Values,
}

impl From<Lack> for Finding {
    fn from(lacks: Lack) -> Self {
        Self::Undecided { lacks }
    }
}

impl Finding {
    /// In words.
    pub fn shown(&self) -> String {
        match self {
            Self::Holds => "holds".into(),
            Self::DoesNotHold => "does not hold".into(),
            Self::Undecided { .. } => "undecided".into(),
            Self::NotImplemented => "not implemented".into(),
            Self::NeedsCores { needed, .. } => format!("needs {needed} cores"),
        }
    }

    /// What of it stands in brackets.
    fn detail(&self) -> Option<String> {
        let Self::Undecided { lacks } = self else { return None };
        Some(match lacks {
            Lack::Repeats(1) => "about 1 more repeat".into(),
            Lack::Repeats(number) => format!("about {number} more repeats"),
            Lack::MoreRepeats(number) => format!("more than {number} more repeats"),
            Lack::SomeRepeats => "more repeats".into(),
            Lack::Success => "runs failed".into(),
            Lack::Quiet => "the machine was disturbed most of the time".into(),
            Lack::Values => "not measured".into(),
        })
    }
}

/// A claim and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The claim in words.
    pub says: String,
    /// What came of it.
    #[serde(flatten)]
    pub finding: Finding,
    /// Why, in words, with the ratios.
    pub why: String,
    /// What else one should know.
    pub note: String,
}

impl Verdict {
    /// What stands behind the finding.
    pub fn rest(&self) -> String {
        let with = |finding: &Finding| {
            finding.detail().map(|detail| format!(" ({detail})")).unwrap_or_default()
        };
        match &self.finding {
            Finding::NeedsCores { here, .. } => {
                format!(" ({SEEN} {}{}; {})", here.shown(), with(here), self.why)
            }
            finding => format!("{}; {}", with(finding), self.why),
        }
    }
}

/// How many verdicts came to which finding.
#[derive(Debug, Clone, Default)]
pub struct Count(BTreeMap<(usize, String), usize>);

impl Count {
    /// The findings, and in brackets what is seen here; in the order in which they are shown.
    const KINDS: [&str; 5] = ["holds", "does not hold", "undecided", "not implemented", "needs"];

    /// Of these.
    pub fn of<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Self {
        let mut count = Self::default();
        for verdict in verdicts {
            match &verdict.finding {
                Finding::NeedsCores { here, .. } => count.add(CORES, Some(&here.shown())),
                finding => count.add(&finding.shown(), None),
            }
        }
        count
    }

    /// One more of a finding, and what is seen here if it needs more cores.
    pub fn add(&mut self, finding: &str, here: Option<&str>) {
        let kind = |text: &str| Self::KINDS.iter().position(|kind| text.starts_with(kind));
        let place = kind(finding).unwrap_or(Self::KINDS.len());
        let (place, text) = match here {
            Some(here) => {
                (place * 10 + kind(here).unwrap_or(9), format!("{CORES} ({SEEN} {here})"))
            }
            None => (place * 10, finding.to_owned()),
        };
        *self.0.entry((place, text)).or_default() += 1;
    }

    /// Findings and their numbers.
    pub fn rows(&self) -> Vec<(&str, usize)> {
        self.0.iter().map(|((_, finding), number)| (finding.as_str(), *number)).collect()
    }
}

/// What a claim that needs more cores than there are is counted as.
pub const CORES: &str = "needs more cores";
/// What stands before the finding with the cores that there are.
pub const SEEN: &str = "seen here:";

/// The values of both sides, by block.
type Pairs = BTreeMap<u32, (f64, f64)>;

/// A ratio, and where.
#[derive(Debug, Clone)]
struct Found {
    at: At,
    ratio: Estimate,
    /// The blocks that it comes from.
    blocks: BTreeSet<u32>,
}

impl Rule {
    /// Compares with what was measured.
    pub fn judge(&self, summary: &Summary) -> Verdict {
        let (finding, why) = self.find(summary);
        Verdict { says: self.says.clone(), finding, why, note: self.note.clone() }
    }

    fn find(&self, summary: &Summary) -> (Finding, String) {
        let not_measured = |why: String| (Lack::Values.into(), why);
        for side in [&self.left, &self.right] {
            if let Some(reason) = summary.skipped.get(&side.variant) {
                return not_measured(format!("{} was left out: {reason}", side.variant));
            }
        }
        let runs = Runs::of(self, summary);
        let group = match self.group(summary) {
            Ok(group) => group,
            Err(vague) => return not_measured(vague),
        };
        let found = group.map(|group| self.ratios(summary, group, &runs)).unwrap_or_default();
        let Some(group) = group.filter(|_| !found.is_empty()) else {
            let none = match group {
                Some(_) => format!("there are no values of both {} and {}", self.left, self.right),
                None => "nothing was measured that it is about".into(),
            };
            return match (runs.skipped, runs.failed) {
                (Some(lacking), _) => (Finding::NotImplemented, lacking),
                (_, Some(failed)) => {
                    self.gated(summary, Lack::Success.into(), format!("{none}: {failed}"))
                }
                _ => not_measured(none),
            };
        };
        let (mut finding, mut why) = self.decide(&found, group.better);
        if let Some(failed) = &runs.failed {
            why += &format!("; {failed}");
            // Those that did not fail may be the better ones.
            if !matches!(finding, Finding::DoesNotHold) {
                finding = Lack::Success.into();
            }
        }
        let blocks: BTreeSet<u32> =
            found.iter().flat_map(|found| found.blocks.iter().copied()).collect();
        let disturbed = blocks.intersection(&summary.quiet.disturbed_blocks).count();
        if disturbed > 0 {
            let all = blocks.len();
            why += &format!("; the machine was disturbed in {disturbed} of {all} repeats");
            let sure = matches!(finding, Finding::Holds | Finding::DoesNotHold);
            if sure && mostly(disturbed, all) {
                finding = Lack::Quiet.into();
            }
        }
        if let Some(lacking) = runs.skipped {
            why += &format!("; {lacking}");
            if !matches!(finding, Finding::DoesNotHold) {
                return (Finding::NotImplemented, why);
            }
        }
        self.gated(summary, finding, why)
    }

    /// With fewer cores than it needs, a finding is only what is seen here.
    fn gated(&self, summary: &Summary, finding: Finding, why: String) -> (Finding, String) {
        match self.needs_cores.filter(|needed| *needed > summary.cores()) {
            Some(needed) => (Finding::NeedsCores { needed, here: Box::new(finding) }, why),
            None => (finding, why),
        }
    }

    /// The table that it is about, if anything was measured for it.
    fn group<'a>(&self, summary: &'a Summary) -> Result<Option<&'a Group>, String> {
        let is = |wish: &Option<String>, name: &str| wish.as_deref().is_none_or(|it| it == name);
        let mut groups = summary.groups.iter().filter(|group| {
            // A count is meant only where it is named.
            let meant = self.metric.is_some() || !counts::is_count(&group.metric);
            meant && is(&self.benchmark, &group.benchmark) && is(&self.metric, &group.metric)
        });
        match (groups.next(), groups.next()) {
            (group, None) => Ok(group),
            _ => Err("it does not say which benchmark and metric it is about".into()),
        }
    }

    /// The ratio at each place that both sides have, with intervals that hold for all of them at once.
    fn ratios(&self, summary: &Summary, group: &Group, runs: &Runs) -> Vec<Found> {
        let pairs = |left: &Row, right: &Row| -> Option<(At, Pairs)> {
            let rest = self.rest(&left.at);
            let a = left.cells.get(&self.left.variant)?;
            let b = right.cells.get(&self.right.variant)?;
            let both = |(block, a): (&u32, &f64)| Some((*block, (*a, *b.samples.get(block)?)));
            let pairs: Pairs = a.samples.iter().filter_map(both).collect();
            (rest == self.rest(&right.at) && !pairs.is_empty()).then_some((rest, pairs))
        };
        let found: Vec<(At, Pairs)> = rows(group, &self.left)
            .flat_map(|left| rows(group, &self.right).filter_map(move |right| pairs(left, right)))
            .collect();
        let points = found.len();
        let of = |(at, pairs): (At, Pairs)| {
            let missing = (summary.quiet.blocks as usize).saturating_sub(pairs.len());
            let missing = if runs.failed.is_some() { missing } else { 0 };
            let values: Vec<(f64, f64)> = pairs.values().copied().collect();
            let ratio = stats::ratio(&values, missing, points)?;
            Some(Found { at, ratio, blocks: pairs.into_keys().collect() })
        };
        found.into_iter().filter_map(of).collect()
    }

    /// The coordinates that neither side fixes.
    fn rest(&self, at: &At) -> At {
        let fixed =
            |name: &String| self.left.at.contains_key(name) || self.right.at.contains_key(name);
        at.iter().filter(|(name, _)| !fixed(name)).map(|(a, b)| (a.clone(), b.clone())).collect()
    }

    /// It must hold everywhere, and fails if it does not hold somewhere.
    fn decide(&self, found: &[Found], better: Better) -> (Finding, String) {
        let bound = self.bound(better);
        let points = found.len();
        let rank = |finding: &Finding| match finding {
            Finding::DoesNotHold => 0,
            Finding::Holds => 2,
            _ => 1,
        };
        // The point that decides: the worst, and among those the one furthest away.
        let all = found.iter().map(|found| (found, one(&found.ratio, bound, points)));
        let worst = all.min_by(|(a, of_a), (b, of_b)| {
            let room = |it: &Found| room(it.ratio.value, bound);
            rank(of_a).cmp(&rank(of_b)).then(room(a).total_cmp(&room(b)))
        });
        let (worst, finding) = worst.expect("some ratios");
        let mut why = shown(worst, points);
        why += &format!("; {}", self.claimed(better));
        let needed = stats::needed(points);
        if worst.ratio.interval.is_none() {
            let have = worst.ratio.samples + worst.ratio.missing;
            why += &match points {
                1 => format!("; {have} repeats have no 95 % interval, {needed} are needed"),
                _ => {
                    format!("; {have} repeats are too few for {points} points, {needed} are needed")
                }
            };
        } else if matches!(finding, Finding::Undecided { .. }) {
            why += "; the interval has both sides in it";
        }
        (finding, why)
    }
}

/// Whether so many of all are more than half.
pub fn mostly(some: usize, all: usize) -> bool {
    2 * some > all
}

/// What one ratio says.
fn one(ratio: &Estimate, bound: Bound, points: usize) -> Finding {
    let Some(Interval { low, high }) = ratio.interval else {
        let have = ratio.samples + ratio.missing;
        let more = stats::needed(points).saturating_sub(have);
        return Lack::Repeats(more).into();
    };
    let (least, most) = (bound.low().unwrap_or(0.0), bound.high().unwrap_or(f64::INFINITY));
    if low >= least && high <= most {
        Finding::Holds
    } else if high < least || low > most {
        Finding::DoesNotHold
    } else {
        more_repeats(ratio, Interval { low, high }, bound).into()
    }
}

/// How far inside of the bounds a ratio lies, as a logarithm; less than zero outside.
fn room(ratio: f64, bound: Bound) -> f64 {
    let above = bound.low().map_or(f64::INFINITY, |low| (ratio / low).ln());
    let below = bound.high().map_or(f64::INFINITY, |high| (high / ratio).ln());
    if ratio.is_nan() { f64::NEG_INFINITY } else { above.min(below) }
}

/// About how many more repeats it takes until the interval does not have a bound in it: its ends come
/// nearer to the ratio with the square root of the number.
fn more_repeats(ratio: &Estimate, interval: Interval, bound: Bound) -> Lack {
    let to_low = (ratio.value / interval.low).ln();
    let to_high = (interval.high / ratio.value).ln();
    // How many times as narrow one side of the interval must become.
    let narrower = |bound: f64| {
        let away = (ratio.value / bound).ln();
        if away > 0.0 { to_low / away } else { to_high / -away }
    };
    // The bound that is hardest to leave behind: from within the nearer one, from outside that between.
    let bounds = [bound.low(), bound.high()].into_iter().flatten();
    let times = bounds.map(narrower).fold(0.0, f64::max);
    if !(to_low + to_high).is_finite() {
        return Lack::SomeRepeats;
    }
    let have = ratio.samples + ratio.missing;
    let more = (have as f64 * times * times).ceil() - have as f64;
    // Also where the ratio is the bound.
    if more.is_nan() || more > HOPELESS as f64 {
        return Lack::MoreRepeats(HOPELESS);
    }
    Lack::Repeats((more as usize).max(1))
}

/// What became of the runs that a rule is about.
struct Runs {
    /// What the libraries lack.
    skipped: Option<String>,
    /// How many failed, and why.
    failed: Option<String>,
}

impl Runs {
    fn of(rule: &Rule, summary: &Summary) -> Self {
        let (mut skipped, mut failed) = (BTreeSet::new(), Vec::new());
        let mut sides = vec![&rule.left];
        // Both may be the same.
        sides.extend(Some(&rule.right).filter(|right| **right != rule.left));
        for side in sides {
            let like = |at: &At| {
                side.at.iter().all(|(name, value)| at.get(name).is_none_or(|there| there == value))
            };
            let benchmark = |name: &str| rule.benchmark.as_deref().is_none_or(|it| it == name);
            let all: Vec<&Attempts> = summary
                .attempts
                .iter()
                .filter(|it| benchmark(&it.benchmark) && it.is_at(&side.variant, like))
                .collect();
            let lacking = all.iter().filter_map(|it| it.skipped.as_ref());
            skipped.extend(lacking.map(|reason| format!("{}: {reason}", side.variant)));
            let failures: u32 = all.iter().map(|it| it.failures()).sum();
            if failures > 0 {
                let runs: u32 = all.iter().map(|it| it.runs).sum();
                let reasons: BTreeSet<&str> =
                    all.iter().flat_map(|it| it.failed.keys().map(String::as_str)).collect();
                let reasons = reasons.into_iter().collect::<Vec<_>>().join(", ");
                failed.push(format!("{failures} of {runs} runs of {side} failed: {reasons}"));
            }
        }
        let joined = |all: Vec<String>| Some(all.join("; ")).filter(|all| !all.is_empty());
        Self { skipped: joined(skipped.into_iter().collect()), failed: joined(failed) }
    }
}

/// A ratio in words, and of how many it is one.
fn shown(Found { at, ratio, .. }: &Found, points: usize) -> String {
    let place = if at.is_empty() { String::new() } else { format!(" at {}", place(at)) };
    let value = if ratio.value.is_nan() { "unknown".into() } else { digits(ratio.value) };
    let interval = ratio.interval.map(|it| {
        let [low, high] = it.ends().map(digits);
        format!(" (95 % interval {low} to {high})")
    });
    let all = match (points, ratio.interval) {
        (1, _) => String::new(),
        (_, None) => format!(", of {points} points"),
        (_, Some(_)) => {
            format!(", of {points} points, for all of which the intervals hold at once")
        }
    };
    let odd = odd(ratio).map(|odd| format!("; {odd}")).unwrap_or_default();
    format!("the ratio{place} is {value}{}{all}{odd}", interval.unwrap_or_default())
}

/// How many of its samples are no numbers, in words.
pub fn odd(ratio: &Estimate) -> Option<String> {
    let Estimate { samples, infinite, undefined, .. } = *ratio;
    let infinite =
        (infinite > 0).then(|| format!("{infinite} of {samples} ratios are infinite, over zero"));
    let undefined = (undefined > 0)
        .then(|| format!("{undefined} of {samples} repeats have no ratio, zero over zero"));
    let all: Vec<String> = infinite.into_iter().chain(undefined).collect();
    Some(all.join(", ")).filter(|all| !all.is_empty())
}

/// The rows of a table at the coordinates of a side.
fn rows<'a>(group: &'a Group, side: &'a Side) -> impl Iterator<Item = &'a Row> {
    group
        .rows
        .iter()
        .filter(|row| side.at.iter().all(|(name, value)| row.at.get(name) == Some(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::{contents, summary};
    use crate::store::{Contents, Outcome, Record};

    const TWO: &str =
        "left = { variant = \"a\", threads = 2 }\nright = { variant = \"b\", threads = 2 }\n";
    const ALL: &str = "left = { variant = \"a\" }\nright = { variant = \"b\" }\n";

    fn judged(rule: &str, summary: &Summary) -> Verdict {
        let rule: Rule = toml::from_str(&format!("says = \"x\"\n{rule}")).unwrap();
        rule.check(&["a", "b", "gone"]).unwrap();
        rule.judge(summary)
    }

    fn lacks(lacks: Lack) -> Finding {
        Finding::Undecided { lacks }
    }

    /// Changes the runs of a variant with so many threads.
    fn with(variant: &str, threads: u32, change: impl Fn(u32, &mut Outcome)) -> Contents {
        let mut contents = contents();
        for record in &mut contents.records {
            if let Record::Run(run) = record
                && run.variant == variant
                && run.args[1] == threads.to_string()
            {
                change(run.block, &mut run.outcome);
            }
        }
        contents
    }

    fn values(variant: &str, threads: u32, value: impl Fn(u32) -> f64) -> Summary {
        Summary::new(&with(variant, threads, |block, outcome| {
            let Outcome::Measured { points, .. } = outcome else { panic!() };
            points[0].value = value(block);
        }))
    }

    #[test]
    fn claims_are_judged() {
        // a is 10, 20, 40 at 1, 2, 4 threads; b is half of it, but the same at 4.
        let summary = summary();
        let finding = |rule: &str, finding: Finding, why: &str| {
            let verdict = judged(rule, &summary);
            assert_eq!(verdict.finding, finding, "{rule}: {}", verdict.why);
            assert!(verdict.why.contains(why), "{}", verdict.why);
        };
        use Finding::{DoesNotHold, Holds};
        finding(&format!("{TWO}at-least = 1.9"), Holds, "is 2.00 (95 % interval 2.00 to 2.00)");
        finding(&format!("{TWO}at-least = 2.5"), DoesNotHold, "at least 2.5");
        finding(&format!("{TWO}at-most = 1.5"), DoesNotHold, "at most 1.5");
        finding(&format!("{TWO}at-most = 2.5"), Holds, "");
        finding(&format!("{TWO}between = [1.9, 2.1]"), Holds, "between 1.9 and 2.1");
        finding(&format!("{TWO}between = [0.9, 1.1]"), DoesNotHold, "between 0.9 and 1.1");
        finding(&format!("{TWO}between = [2.5, 3]"), DoesNotHold, "");
        // More is better.
        finding(&format!("{TWO}not-worse = true"), Holds, "at least 0.952, which is not worse");
        let turned = "left = { variant = \"b\" }\nright = { variant = \"a\" }\nnot-worse = true";
        finding(turned, DoesNotHold, "is 0.50");
        let nothing = lacks(Lack::Values);
        finding(&format!("{TWO}at-least = 1\nmetric = \"x\""), nothing.clone(), "nothing was");
        // Everywhere: fails at 4 threads.
        finding(&format!("{ALL}at-least = 1.5"), DoesNotHold, "at 4 threads is 1.00");
        finding(&format!("{ALL}at-least = 1"), Holds, "of 3 points, for all of which");
        // Scaling of one variant.
        let scaling =
            "left = { variant = \"a\", threads = 4 }\nright = { variant = \"a\", threads = 1 }\n";
        finding(&format!("{scaling}at-least = 3"), Holds, "is 4.00");
        let none =
            "left = { variant = \"a\", threads = 3 }\nright = { variant = \"a\", threads = 1 }\n";
        finding(&format!("{none}at-least = 3"), nothing.clone(), "no values of both a threads=3");
        let gone = "left = { variant = \"gone\" }\nright = { variant = \"a\" }\n";
        finding(&format!("{gone}at-least = 3"), nothing, "left out: no network");
    }

    #[test]
    fn fewer_cores_show_what_is_seen_with_them() {
        let cores = |rest: &str| judged(&format!("{TWO}needs-cores = 900\n{rest}"), &summary());
        let verdict = cores("at-least = 2.5");
        let here = Box::new(Finding::DoesNotHold);
        assert_eq!(verdict.finding, Finding::NeedsCores { needed: 900, here });
        assert_eq!(verdict.finding.shown(), "needs 900 cores");
        let rest = verdict.rest();
        let start = " (seen here: does not hold; the ratio is 2.00 (95 % interval 2.00 to 2.00)";
        assert!(rest.starts_with(start) && rest.ends_with(')'), "{rest}");
        let json = serde_json::to_value(&verdict).unwrap();
        assert_eq!(
            (&json["finding"], &json["here"]["finding"]),
            (&"needs_cores".into(), &"does_not_hold".into())
        );
    }

    #[test]
    fn equality_is_two_sided() {
        // The old way: a ratio of a quarter is at most 1.1.
        let quarter = values("a", 2, |_| 2.5);
        assert_eq!(judged(&format!("{TWO}at-most = 1.1"), &quarter).finding, Finding::Holds);
        let verdict = judged(&format!("{TWO}between = [0.9, 1.1]"), &quarter);
        assert_eq!(verdict.finding, Finding::DoesNotHold, "{}", verdict.why);
    }

    #[test]
    fn undecided_says_how_many_repeats() {
        // Ratios from 1.0 to 1.7: the interval, which is the range, has 1.2 in it.
        let wide = values("a", 2, |block| 10.0 + f64::from(block.saturating_sub(1)));
        let verdict = judged(&format!("{TWO}at-least = 1.2"), &wide);
        let Finding::Undecided { lacks: Lack::Repeats(more) } = verdict.finding else {
            panic!("{verdict:?}")
        };
        // The median is 1.35 and the lower end 1, so that side must become ln 1.35 / ln 1.125 = 2.55
        // times as narrow, which takes 6.49 times as many as 8.
        assert_eq!(more, 52 - 8);
        assert!(verdict.rest().starts_with(&format!(" (about {more} more repeats); the ratio")));
        let verdict = judged(&format!("{TWO}at-least = 1.349"), &wide);
        assert_eq!(verdict.finding, lacks(Lack::MoreRepeats(1000)));
        assert!(verdict.rest().contains("(more than 1000 more repeats)"), "{}", verdict.rest());
        // Of two bounds the one that is hardest to leave behind counts.
        let of = |rule: &str| match judged(&format!("{TWO}{rule}"), &wide).finding {
            Finding::Undecided { lacks: Lack::Repeats(more) } => more,
            other => panic!("{other:?}"),
        };
        assert_eq!(of("between = [0.5, 1.2]"), of("at-most = 1.2"));
        assert_eq!(of("between = [1.1, 1.6]"), of("at-most = 1.6").max(of("at-least = 1.1")));
        // As seen from the other side.
        assert_eq!(of("at-most = 1.2"), of("at-least = 1.2"));
    }

    #[test]
    fn few_repeats_tell_nothing() {
        let mut contents = contents();
        contents.records.retain(|record| !matches!(record, Record::Run(run) if run.block > 5));
        let few = Summary::new(&contents);
        let verdict = judged(&format!("{TWO}at-least = 1"), &few);
        assert_eq!(verdict.finding, lacks(Lack::Repeats(1)));
        assert!(verdict.why.contains("5 repeats have no 95 % interval, 6 are needed"));
        assert!(verdict.rest().starts_with(" (about 1 more repeat);"));
        // Enough for one point, but not for three at once.
        contents = self::contents();
        contents.records.retain(|record| !matches!(record, Record::Run(run) if run.block > 6));
        let six = Summary::new(&contents);
        assert_eq!(judged(&format!("{TWO}at-least = 1"), &six).finding, Finding::Holds);
        let verdict = judged(&format!("{ALL}at-least = 1"), &six);
        assert_eq!(verdict.finding, lacks(Lack::Repeats(1)));
        let why = "6 repeats are too few for 3 points, 7 are needed";
        assert!(verdict.why.contains(why), "{}", verdict.why);
    }

    #[test]
    fn disturbed_blocks_count() {
        let disturb = |last: u32| {
            let mut contents = contents();
            for record in &mut contents.records {
                if let Record::Block(block) = record {
                    block.disturbed = (1..=last).contains(&block.block);
                }
            }
            let summary = Summary::new(&contents);
            (judged(&format!("{TWO}at-least = 1.5"), &summary), summary)
        };
        let (verdict, _) = disturb(0);
        assert!(!verdict.why.contains("disturbed"), "{}", verdict.why);
        let (verdict, _) = disturb(4);
        assert_eq!(verdict.finding, Finding::Holds);
        assert!(verdict.why.contains("disturbed in 4 of 8 repeats"), "{}", verdict.why);
        let (verdict, summary) = disturb(5);
        assert_eq!(verdict.finding, lacks(Lack::Quiet));
        assert!(verdict.why.contains("disturbed in 5 of 8 repeats"), "{}", verdict.why);
        let marks = summary.groups[0].rows.iter().map(|row| row.cells["a"].difference.unwrap());
        assert!(marks.into_iter().all(|it| it == stats::Difference::Disturbed));
        // Nor does it fail on a machine like this.
        let verdict = judged(&format!("{TWO}at-least = 2.5"), &summary);
        assert_eq!(verdict.finding, lacks(Lack::Quiet));
    }

    /// Fails in some blocks.
    fn failing(variant: &str, threads: u32, in_blocks: &[u32]) -> Summary {
        Summary::new(&with(variant, threads, |block, outcome| {
            if in_blocks.contains(&block) {
                let (reason, output) = ("it hung".into(), String::new());
                *outcome = Outcome::Failed { reason, output };
            }
        }))
    }

    #[test]
    fn failures_count() {
        let rule = format!("{TWO}at-least = 1.5");
        for (variant, says) in [("a", "a threads=2"), ("b", "b threads=2")] {
            let verdict = judged(&rule, &failing(variant, 2, &[4]));
            assert_eq!(verdict.finding, lacks(Lack::Success));
            let why = &verdict.why;
            let runs = if variant == "a" { 10 } else { 9 };
            assert!(why.contains(&format!("1 of {runs} runs of {says} failed: it hung")), "{why}");
            assert!(verdict.rest().starts_with(" (runs failed); the ratio is 2.00"));
        }
        // At other places it does not matter.
        assert_eq!(judged(&rule, &failing("a", 4, &[4])).finding, Finding::Holds);
        // It does where the rule is about all of them.
        let all = format!("{ALL}at-least = 0.5");
        assert_eq!(judged(&all, &failing("a", 4, &[4])).finding, lacks(Lack::Success));
        assert_eq!(judged(&all, &summary()).finding, Finding::Holds);
        // Also a failure in the warm-up.
        assert_eq!(judged(&rule, &failing("a", 2, &[0])).finding, lacks(Lack::Success));
        // Nothing else is left.
        let verdict = judged(&rule, &failing("a", 2, &[0, 1, 2, 3, 4, 5, 6, 7, 8]));
        assert_eq!(verdict.finding, lacks(Lack::Success));
        assert!(verdict.why.contains("no values of both a threads=2"), "{}", verdict.why);
        assert!(verdict.why.contains("10 of 10 runs of a threads=2 failed"), "{}", verdict.why);
        // A claim that fails whatever the missing values are still fails: of nine values the interval
        // leaves out one at each end, of eight none.
        let wrong = format!("{TWO}at-least = 2.5");
        assert_eq!(judged(&wrong, &failing("a", 2, &[0])).finding, Finding::DoesNotHold);
        assert_eq!(judged(&wrong, &failing("a", 2, &[4])).finding, lacks(Lack::Success));
        // The table says so, too.
        let summary = failing("a", 2, &[4]);
        let cells = |row: usize| &summary.groups[0].rows[row].cells["a"];
        assert_eq!((cells(0).failed, cells(1).failed), (0, 1));
        assert_eq!(cells(1).difference, Some(stats::Difference::Undecided));
        assert_eq!(summary.failures.len(), 1);
        let shown = "failed: rates -t 2 with a: it hung (1 of 10 runs)";
        assert_eq!(summary.failures[0].shown(), shown);
    }

    #[test]
    fn what_a_library_lacks_is_not_implemented() {
        let skipping = |threads: &[u32]| {
            let mut contents = contents();
            for record in &mut contents.records {
                if let Record::Run(run) = record
                    && run.variant == "a"
                    && threads.iter().any(|it| run.args[1] == it.to_string())
                {
                    run.outcome = Outcome::Skipped { reason: "no windows".into() };
                }
            }
            Summary::new(&contents)
        };
        // However many cores it needs.
        let verdict = judged(&format!("{TWO}at-least = 1\nneeds-cores = 900"), &skipping(&[2]));
        assert_eq!(verdict.finding, Finding::NotImplemented);
        assert_eq!(verdict.rest(), "; a: no windows");
        let verdict = judged(&format!("{ALL}at-least = 1"), &skipping(&[1, 2, 4]));
        assert_eq!(verdict.finding, Finding::NotImplemented);
        // At some of its points.
        let verdict = judged(&format!("{ALL}at-least = 1"), &skipping(&[1]));
        assert_eq!(verdict.finding, Finding::NotImplemented);
        assert!(verdict.why.contains("of 2 points"), "{}", verdict.why);
        let verdict = judged(&format!("{ALL}at-least = 1.5"), &skipping(&[1]));
        assert_eq!(verdict.finding, Finding::DoesNotHold);
        let verdict = judged(&format!("{TWO}at-least = 1"), &skipping(&[1]));
        assert_eq!(verdict.finding, Finding::Holds);
    }

    #[test]
    fn zeros_count() {
        // Nothing is lost by b: the ratio is infinite.
        let over_zero = values("b", 2, |_| 0.0);
        let verdict = judged(&format!("{TWO}at-least = 1.5"), &over_zero);
        assert_eq!(verdict.finding, Finding::Holds);
        assert!(verdict.why.contains("the ratio is ∞"), "{}", verdict.why);
        assert!(verdict.why.contains("8 of 8 ratios are infinite"), "{}", verdict.why);
        let verdict = judged(&format!("{TWO}at-most = 1.5"), &over_zero);
        assert_eq!(verdict.finding, Finding::DoesNotHold);
        // Zero over something is less than anything.
        let zero = values("a", 2, |_| 0.0);
        assert_eq!(judged(&format!("{TWO}at-most = 0.1"), &zero).finding, Finding::Holds);
        // Zero over zero is nothing, in some blocks or in all.
        for blocks in [4..=4, 0..=8] {
            let mut contents = contents();
            for record in &mut contents.records {
                if let Record::Run(run) = record
                    && blocks.contains(&run.block)
                    && let Outcome::Measured { points, .. } = &mut run.outcome
                {
                    points[0].value = 0.0;
                }
            }
            let verdict = judged(&format!("{TWO}at-least = 1.5"), &Summary::new(&contents));
            assert_eq!(verdict.finding, lacks(Lack::SomeRepeats));
            let number = if blocks == (4..=4) { 1 } else { 8 };
            let why = format!("{number} of 8 repeats have no ratio, zero over zero");
            assert!(verdict.why.contains(&why), "{}", verdict.why);
        }
    }

    #[test]
    fn a_vague_rule_is_not_about_what_was_skipped() {
        let mut summary = failing("a", 2, &[4]);
        summary.groups.push(summary.groups[0].clone());
        let verdict = judged(&format!("{TWO}at-least = 1"), &summary);
        assert_eq!(verdict.finding, lacks(Lack::Values));
        assert!(verdict.why.contains("does not say which benchmark"), "{}", verdict.why);
    }

    #[test]
    fn findings_are_counted_in_their_order() {
        let summary = summary();
        let rules = [
            format!("{TWO}at-least = 2.5\nneeds-cores = 900"),
            format!("{TWO}at-least = 2.5"),
            format!("{TWO}at-least = 1"),
            format!("{TWO}at-least = 1\nneeds-cores = 900"),
            format!("{TWO}at-least = 1.5"),
        ];
        let verdicts: Vec<Verdict> = rules.iter().map(|rule| judged(rule, &summary)).collect();
        assert_eq!(
            Count::of(&verdicts).rows(),
            [
                ("holds", 2),
                ("does not hold", 1),
                ("needs more cores (seen here: holds)", 1),
                ("needs more cores (seen here: does not hold)", 1),
            ]
        );
    }
}
