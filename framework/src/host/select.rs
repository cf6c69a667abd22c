//! Which component serves what, and why the others do not.

#![forbid(unsafe_code)]

use std::fmt;

use serde::Serialize;

use super::loader::Provider;
use super::problem::{Problem, did_you_mean, nearest};

/// What a user wants of a framework.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Whatever is best.
    Any,
    /// `a,b`: these and no others.
    Only(Vec<String>),
    /// `^a,b`: anything but these.
    Except(Vec<String>),
}

impl Wish {
    /// Reads the words of a selection list, or says what is wrong with them.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let Some((first, rest)) = words.split_first() else { return Ok(Self::Any) };
        if rest.iter().any(|word| word.starts_with('^')) {
            return Err("a list either names components or, with ^ before its first word, \
                        leaves components out; it can't do both"
                .into());
        }
        let wish = match first.strip_prefix('^') {
            None => Self::Only(words.to_vec()),
            Some(first) => Self::Except(
                [first.trim()]
                    .into_iter()
                    .chain(rest.iter().map(String::as_str))
                    .map(Into::into)
                    .collect(),
            ),
        };
        if wish.words().iter().any(String::is_empty) {
            return Err("there is no component's name behind the ^".into());
        }
        Ok(wish)
    }

    /// The names in it.
    pub fn words(&self) -> &[String] {
        match self {
            Self::Any => &[],
            Self::Only(words) | Self::Except(words) => words,
        }
    }

    /// Takes names out that mean nothing, and returns them.
    pub fn drop_unknown(&mut self, known: impl Fn(&str) -> bool) -> Vec<String> {
        match self {
            Self::Any => Vec::new(),
            Self::Only(words) | Self::Except(words) => {
                let dropped = words.extract_if(.., |word| !known(word)).collect();
                if words.is_empty() {
                    *self = Self::Any;
                }
                dropped
            }
        }
    }

    /// Why a component is left out, if it is; `called` says whether a word means the component.
    pub fn rejects(&self, called: impl Fn(&str) -> bool) -> Option<Verdict> {
        match self {
            Self::Any => None,
            Self::Only(words) => {
                (!words.iter().any(|word| called(word))).then_some(Verdict::NotListed)
            }
            Self::Except(words) => {
                words.iter().any(|word| called(word)).then_some(Verdict::LeftOut)
            }
        }
    }
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Only(words) => f.write_str(&words.join(",")),
            Self::Except(words) => write!(f, "^{}", words.join(",")),
        }
    }
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", content = "reason", rename_all = "snake_case")]
pub enum Verdict {
    /// It serves.
    Chosen,
    /// Another one has a higher priority, or the same and a name that sorts first.
    Outranked(String),
    /// A list names others.
    NotListed,
    /// A list leaves it out.
    LeftOut,
    /// It said no, and why.
    Declined(String),
    /// It could not be opened, and why.
    Failed(String),
    /// Opening it found that it is of no use here, and why.
    Unavailable(String),
    /// Its library or descriptor was refused, and why.
    Refused(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => f.write_str("chosen"),
            Self::Outranked(by) => write!(f, "outranked by {by}"),
            Self::NotListed => f.write_str("not in the list"),
            Self::LeftOut => f.write_str("left out by the list"),
            Self::Declined(reason) => write!(f, "declined: {reason}"),
            Self::Failed(reason) => write!(f, "failed to open: {reason}"),
            Self::Unavailable(reason) => write!(f, "not available here: {reason}"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
        }
    }
}

/// A component that was considered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Its name in the framework.
    pub name: String,
    /// Where it comes from.
    pub provider: Provider,
    /// The priority it asked for, if it was asked.
    pub priority: Option<i32>,
    /// What became of it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// A choice that was made, with everything that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The framework.
    pub framework: &'static str,
    /// What it was made for: `process`, `communicator MPI_COMM_WORLD`.
    pub scope: String,
    /// What was wished, `any` if nothing.
    pub wish: String,
    /// Where the wish was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wished_by: Option<String>,
    /// Everybody who was considered, the chosen first, by priority.
    pub candidates: Vec<Candidate>,
}

impl Decision {
    /// Ranks the candidates that stand with a priority (their verdict is [`Verdict::Chosen`] so
    /// far) and leaves that verdict with one or with all.
    pub fn settle(&mut self, many: bool) {
        self.candidates.sort_by(|a, b| {
            let rank = |candidate: &Candidate| {
                let stands = candidate.verdict == Verdict::Chosen;
                (!stands, std::cmp::Reverse(candidate.priority), candidate.name.clone())
            };
            rank(a).cmp(&rank(b))
        });
        if !many && let Some((first, rest)) = self.candidates.split_first_mut() {
            for other in rest.iter_mut().filter(|other| other.verdict == Verdict::Chosen) {
                other.verdict = Verdict::Outranked(first.name.clone());
            }
        }
    }

    /// The names of the chosen, by priority.
    pub fn chosen(&self) -> impl Iterator<Item = &str> {
        self.candidates
            .iter()
            .filter(|candidate| candidate.verdict == Verdict::Chosen)
            .map(|candidate| candidate.name.as_str())
    }

    /// The problem of a wish that names components which can't be used.
    pub fn unfulfilled(&self, wish: &Wish) -> Option<Problem> {
        let Wish::Only(words) = wish else { return None };
        let failed: Vec<String> = self
            .candidates
            .iter()
            .filter(|candidate| {
                words.contains(&candidate.name)
                    && matches!(
                        candidate.verdict,
                        Verdict::Declined(_)
                            | Verdict::Failed(_)
                            | Verdict::Unavailable(_)
                            | Verdict::Refused(_)
                    )
            })
            .map(|candidate| format!("{}: {}", candidate.name, candidate.verdict))
            .collect();
        (!failed.is_empty()).then(|| {
            let usable: Vec<&str> = self.chosen().collect();
            let usable =
                if usable.is_empty() { "none of the list".into() } else { usable.join(", ") };
            self.placed(Problem::new(format!(
                "a {} component was asked for by name and can't be used: {}",
                self.framework,
                failed.join("; ")
            )))
            .allowed(format!("usable of those in the list: {usable}"))
            .fix("take it out of the list, or mend what it says")
        })
    }

    /// The problem of a framework of which no component can be used.
    pub fn nobody(&self) -> Problem {
        let reasons: Vec<String> = self
            .candidates
            .iter()
            .map(|candidate| format!("{}: {}", candidate.name, candidate.verdict))
            .collect();
        let reasons = if reasons.is_empty() { "there is none".into() } else { reasons.join("; ") };
        self.placed(Problem::new(format!(
            "no {} component can be used for {} ({reasons})",
            self.framework, self.scope
        )))
        .fix(format!("cairn-info --components {} shows what there is", self.framework))
    }

    fn placed(&self, problem: Problem) -> Problem {
        match &self.wished_by {
            Some(place) => problem.at(place),
            None => problem,
        }
    }
}

/// The problem of a word that names no component.
pub fn unknown_component(
    framework: &str,
    word: &str,
    known: &[String],
    place: impl fmt::Display,
) -> Problem {
    let near = nearest(word, known.iter().map(String::as_str));
    let allowed = if known.is_empty() { "there is none yet".to_owned() } else { known.join(", ") };
    Problem::new(format!("there is no {framework} component {word}"))
        .at(place)
        .allowed(allowed)
        .fix(did_you_mean(&near, "cairn-info lists the components and the plugins that failed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(',').filter(|word| !word.is_empty()).map(Into::into).collect()
    }

    fn candidate(name: &str, priority: i32) -> Candidate {
        Candidate {
            name: name.into(),
            provider: Provider::Linked,
            priority: Some(priority),
            verdict: Verdict::Chosen,
        }
    }

    fn decision(candidates: Vec<Candidate>) -> Decision {
        Decision {
            framework: "cri",
            scope: "process".into(),
            wish: "any".into(),
            wished_by: None,
            candidates,
        }
    }

    #[test]
    fn wishes() {
        let parse = |text| Wish::parse(&words(text));
        assert_eq!(parse(""), Ok(Wish::Any));
        assert_eq!(parse("self,sm"), Ok(Wish::Only(words("self,sm"))));
        assert_eq!(parse("^uct,ofi"), Ok(Wish::Except(words("uct,ofi"))));
        assert!(parse("self,^sm").is_err());
        assert!(parse("^a,^b").is_err());
        assert!(parse("^").is_err());
        let verdict = |text, name| parse(text).unwrap().rejects(|word| word == name);
        assert_eq!(verdict("", "sm"), None);
        assert_eq!(verdict("self,sm", "sm"), None);
        assert_eq!(verdict("self", "sm"), Some(Verdict::NotListed));
        assert_eq!(verdict("^sm", "sm"), Some(Verdict::LeftOut));
        assert_eq!(verdict("^sm", "tcp"), None);
    }

    #[test]
    fn unknown_words_can_be_dropped() {
        let mut wish = Wish::parse(&words("vader,self")).unwrap();
        assert_eq!(wish.drop_unknown(|word| word == "self"), ["vader"]);
        assert_eq!(wish, Wish::Only(words("self")));
        assert_eq!(wish.drop_unknown(|_| false), ["self"]);
        assert_eq!(wish, Wish::Any);
    }

    #[test]
    fn one_is_the_highest_and_ties_go_by_name() {
        let mut failed = candidate("best", 100);
        failed.verdict = Verdict::Failed("broken".into());
        let mut one =
            decision(vec![failed, candidate("b", 50), candidate("a", 50), candidate("c", 10)]);
        let mut many = one.clone();
        one.settle(false);
        assert_eq!(one.chosen().collect::<Vec<_>>(), ["a"]);
        let order: Vec<&str> = one.candidates.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(order, ["a", "b", "c", "best"]);
        assert_eq!(one.candidates[1].verdict, Verdict::Outranked("a".into()));
        many.settle(true);
        assert_eq!(many.chosen().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn what_was_asked_for_by_name_must_work() {
        let mut failed = candidate("b", 50);
        failed.verdict = Verdict::Declined("no device".into());
        let mut decision = decision(vec![failed, candidate("a", 1)]);
        decision.wished_by = Some("--mca on the command line".into());
        decision.settle(true);
        assert!(decision.unfulfilled(&Wish::Any).is_none());
        assert!(decision.unfulfilled(&Wish::Only(words("a"))).is_none());
        let problem = decision.unfulfilled(&Wish::Only(words("a,b"))).unwrap();
        assert!(problem.what.contains("b: declined: no device"), "{problem}");
        assert_eq!(problem.place.as_deref(), Some("--mca on the command line"));
    }
}
