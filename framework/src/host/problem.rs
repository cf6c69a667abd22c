//! What a user did that can't work, said in a way that helps.

#![forbid(unsafe_code)]

use std::fmt;

use serde::Serialize;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It can't go on.
    Error,
    /// It goes on, in another way than the user will expect.
    Warning,
}

/// One mistake: what is wrong, where it was said, what would be right, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence without a full stop.
    pub what: String,
    /// Where: a file with its line, a flag, a variable.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What is allowed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Problem {
    /// An error of which only the first sentence is known.
    pub fn new(what: impl Into<String>) -> Self {
        Self { severity: Severity::Error, what: what.into(), place: None, allowed: None, fix: None }
    }

    /// Says where.
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }

    /// Says what is allowed.
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Says what to do.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Makes it a warning.
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

impl Problem {
    /// What, where, what is allowed and what to do, in one line.
    pub fn line(&self) -> String {
        let rest = [&self.place, &self.allowed, &self.fix].into_iter().flatten();
        rest.fold(self.what.clone(), |line, more| format!("{line}; {more}"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.what)?;
        let rest = [("where:", &self.place), ("allowed:", &self.allowed), ("fix:", &self.fix)];
        for (label, text) in rest {
            if let Some(text) = text {
                write!(f, "\n  {label:9}{text}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// Everything that is wrong, at once, so that a user need not find it one by one. Not empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// `Err` with the problems if one of them is an error.
    pub fn check(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.iter().any(|problem| problem.severity == Severity::Error) {
            Err(Self(problems))
        } else {
            Ok(())
        }
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            write!(f, "{}{problem}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// The names most like `name`, the most similar first, at most three, for a "did you mean".
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = name.to_lowercase();
    let name = lower.as_str(); // capitals are another mistake than letters
    let mut ranked: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|candidate| {
            let distance = strsim::damerau_levenshtein(name, &candidate.to_lowercase());
            let tolerance = 1 + name.len().max(candidate.len()) / 4;
            // A name without the component's, or with too much, comes close otherwise.
            let ending = candidate.len() > 3
                && name.len() > 3
                && (candidate.ends_with(&format!("_{name}"))
                    || name.ends_with(&format!("_{candidate}")));
            if distance <= tolerance {
                Some((distance, candidate))
            } else {
                ending.then_some((tolerance + 1, candidate))
            }
        })
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// "did you mean a, b or c?", or a sentence for when nothing is near.
pub fn did_you_mean(near: &[&str], otherwise: &str) -> String {
    match near {
        [] => otherwise.to_owned(),
        [one] => format!("did you mean {one}?"),
        [first @ .., last] => format!("did you mean {} or {last}?", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_typos_and_missing_prefixes() {
        let names = ["btl_sm_eager_limit", "btl_tcp_eager_limit", "mca_strict", "cri"];
        assert_eq!(nearest("btl_sm_eager_limt", names)[0], "btl_sm_eager_limit");
        assert_eq!(nearest("eager_limit", names), ["btl_sm_eager_limit", "btl_tcp_eager_limit"]);
        assert_eq!(nearest("cir", names), ["cri"]);
        assert_eq!(nearest("CRI", names), ["cri"]);
        assert_eq!(nearest("BTL_SM_EAGER_LIMT", names)[0], "btl_sm_eager_limit");
        assert_eq!(nearest("Lap", ["LAP"]), ["LAP"]);
        assert!(nearest("something_else_entirely", names).is_empty());
    }

    #[test]
    fn display_has_one_line_for_each_part() {
        let problem = Problem::new("x is 3").at("a.toml:7").allowed("1 to 2").fix("set it to 2");
        assert_eq!(
            problem.to_string(),
            "error: x is 3\n  where:   a.toml:7\n  allowed: 1 to 2\n  fix:     set it to 2"
        );
    }
}
