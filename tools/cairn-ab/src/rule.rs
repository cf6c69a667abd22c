//! What is claimed, in numbers: a ratio of two values, and where it must lie.

use cairn_framework::host::problem::Problem;
use serde::{Deserialize, Serialize};

use crate::contract::{At, Better};
use crate::experiment::known;

/// What is worse by no more than this share is not worse.
pub const NOT_WORSE: f64 = 0.05;

/// A claim in numbers: where left / right lies. One of the four bounds is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    /// The claim in words.
    pub says: String,
    /// The benchmark; needed if there are several.
    pub benchmark: Option<String>,
    /// The metric; needed if there are several.
    pub metric: Option<String>,
    /// What is divided.
    pub left: Side,
    /// By what.
    pub right: Side,
    /// The ratio is this or more.
    pub at_least: Option<f64>,
    /// The ratio is this or less.
    pub at_most: Option<f64>,
    /// The ratio lies between these: both are equal, as far as it matters.
    pub between: Option<[f64; 2]>,
    /// Left is not worse than right by more than [`NOT_WORSE`].
    #[serde(default)]
    pub not_worse: bool,
    /// With fewer cores it is not what the claim is about.
    pub needs_cores: Option<usize>,
    /// Why it needs them, or what else one should know.
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
    pub at: At,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.variant)?;
        self.at.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// Where a ratio must lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// Here or above.
    AtLeast(f64),
    /// Here or below.
    AtMost(f64),
    /// From here to there.
    Between(f64, f64),
}

impl Bound {
    /// The lower one, if there is one.
    pub fn low(self) -> Option<f64> {
        match self {
            Self::AtLeast(low) | Self::Between(low, _) => Some(low),
            Self::AtMost(_) => None,
        }
    }

    /// The upper one.
    pub fn high(self) -> Option<f64> {
        match self {
            Self::AtMost(high) | Self::Between(_, high) => Some(high),
            Self::AtLeast(_) => None,
        }
    }
}

impl Rule {
    /// Whether it makes sense.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self, variants: &[&str]) -> Result<(), Problem> {
        let name = format!("the verdict \"{}\"", self.says);
        known(&self.left.variant, variants, "variant", &name)?;
        known(&self.right.variant, variants, "variant", &name)?;
        let one = [self.at_least, self.at_most].into_iter().flatten();
        let bounds: Vec<f64> = one.chain(self.between.into_iter().flatten()).collect();
        let sound = bounds.iter().all(|bound| bound.is_finite() && *bound > 0.0)
            && self.between.is_none_or(|[low, high]| low < high);
        let given = [
            self.at_least.is_some(),
            self.at_most.is_some(),
            self.between.is_some(),
            self.not_worse,
        ];
        if !sound || given.into_iter().filter(|given| *given).count() != 1 {
            return Err(Problem::new(format!("{name} has no bound")).allowed(
                "one of at-least = 1.5, at-most = 0.5, between = [0.9, 1.1] and not-worse = true; \
                 ratios are above 0",
            ));
        }
        Ok(())
    }

    /// Where the ratio must lie, of a metric of this kind.
    pub fn bound(&self, better: Better) -> Bound {
        match (self.at_least, self.at_most, self.between) {
            (Some(low), ..) => Bound::AtLeast(low),
            (_, Some(high), _) => Bound::AtMost(high),
            (.., Some([low, high])) => Bound::Between(low, high),
            _ if better == Better::Lower => Bound::AtMost(1.0 + NOT_WORSE),
            _ => Bound::AtLeast(1.0 / (1.0 + NOT_WORSE)),
        }
    }

    /// The claim in words.
    pub fn claimed(&self, better: Better) -> String {
        let claimed = match self.bound(better) {
            Bound::AtLeast(low) => format!("at least {}", round(low)),
            Bound::AtMost(high) => format!("at most {}", round(high)),
            Bound::Between(low, high) => format!("between {low} and {high}"),
        };
        let why = if self.not_worse { ", which is not worse" } else { "" };
        format!("claimed is {claimed}{why}")
    }
}

/// A bound as it was written; one that was computed, in three digits.
fn round(bound: f64) -> f64 {
    (bound * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: &str = "says = \"x\"\nleft = { variant = \"a\" }\nright = { variant = \"b\" }\n";

    fn rule(rest: &str) -> Rule {
        toml::from_str(&format!("{SIDES}{rest}")).unwrap()
    }

    #[test]
    fn bounds() {
        let bound = |rest: &str, better| {
            let rule = rule(rest);
            rule.check(&["a", "b"]).unwrap();
            (rule.bound(better), rule.claimed(better))
        };
        use Better::{Higher, Lower};
        let of = |bound, claimed: &str| (bound, format!("claimed is {claimed}"));
        assert_eq!(bound("at-least = 1.5", Higher), of(Bound::AtLeast(1.5), "at least 1.5"));
        assert_eq!(bound("at-most = 2", Higher), of(Bound::AtMost(2.0), "at most 2"));
        let between = of(Bound::Between(0.9, 1.1), "between 0.9 and 1.1");
        assert_eq!(bound("between = [0.9, 1.1]", Lower), between);
        // Which is worse says the metric.
        let worse = of(Bound::AtMost(1.05), "at most 1.05, which is not worse");
        assert_eq!(bound("not-worse = true", Lower), worse);
        let worse = of(Bound::AtLeast(1.0 / 1.05), "at least 0.952, which is not worse");
        assert_eq!(bound("not-worse = true", Higher), worse);
    }

    #[test]
    fn rules_without_sense_are_refused() {
        let wrong = |rest: &str, what: &str| {
            let problem = rule(rest).check(&["a", "b"]).unwrap_err();
            assert!(problem.what.contains(what), "{problem}");
        };
        wrong("", "no bound");
        wrong("not-worse = false", "no bound");
        wrong("at-least = 1\nat-most = 2", "no bound");
        wrong("at-least = 1\nnot-worse = true", "no bound");
        wrong("at-least = 0", "no bound");
        wrong("at-least = inf", "no bound");
        wrong("between = [0, 1]", "no bound");
        wrong("between = [1.1, 0.9]", "no bound");
        let problem = rule("at-least = 1").check(&["a", "c"]).unwrap_err();
        assert!(problem.what.contains("variant b"), "{problem}");
        toml::from_str::<Rule>(&format!("{SIDES}between = [1.1]")).unwrap_err();
    }
}
