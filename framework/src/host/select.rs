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
    /// It did not register its parameters or did not open, and why.
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
            Self::Failed(reason) => write!(f, "failed: {reason}"),
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
    /// All candidates, the chosen first, by priority.
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
        let serves = |name: &str| {
            self.candidates.iter().any(|candidate| {
                candidate.name == name
                    && matches!(candidate.verdict, Verdict::Chosen | Verdict::Outranked(_))
            })
        };
        let nobody_serves = self.chosen().next().is_none();
        let failed: Vec<String> = self
            .candidates
            .iter()
            // A second library of a component that serves is refused, too. Several components may
            // share another name; it is enough that one of them serves.
            .filter(|candidate| !serves(&candidate.name))
            .filter(|candidate| words.contains(&candidate.name) || nobody_serves)
            .filter_map(|candidate| match &candidate.verdict {
                // What the list does not name has another verdict.
                Verdict::Declined(_) | Verdict::Failed(_) | Verdict::Unavailable(_) => {
                    Some(format!("{}: {}", candidate.name, candidate.verdict))
                }
                Verdict::Refused(reason) => Some(format!(
                    "{}: it is there ({}) and was refused: {reason}",
                    candidate.name, candidate.provider
                )),
                _ => None,
            })
            .collect();
        (!failed.is_empty()).then(|| {
            let usable: Vec<&str> = self.chosen().collect();
            let allowed = match usable.as_slice() {
                [] => self.others(),
                usable => format!("usable of those in the list: {}", usable.join(", ")),
            };
            self.placed(Problem::new(format!(
                "a {} component was asked for by name and can't be used: {}",
                self.framework,
                failed.join("; ")
            )))
            .allowed(allowed)
            .fix("take it out of the list, or mend what it says")
        })
    }

    /// What the list leaves out.
    fn others(&self) -> String {
        let mut names: Vec<&str> = self
            .candidates
            .iter()
            .filter(|other| matches!(other.verdict, Verdict::NotListed | Verdict::LeftOut))
            .map(|other| other.name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        match names.as_slice() {
            [] => format!("there is no other {} component", self.framework),
            names => format!("others that are there: {}", names.join(", ")),
        }
    }

    /// The problem of a framework of which no component can be used.
    pub fn none_serves(&self) -> Problem {
        let left_out = |verdict: &Verdict| matches!(verdict, Verdict::NotListed | Verdict::LeftOut);
        let reasons: Vec<String> = self
            .candidates
            .iter()
            // With a list, what it leaves out is said once, as what is allowed.
            .filter(|candidate| !left_out(&candidate.verdict))
            .map(|candidate| format!("{}: {}", candidate.name, candidate.verdict))
            .collect();
        let listed = self.candidates.iter().any(|candidate| left_out(&candidate.verdict));
        let reasons = match (reasons.as_slice(), listed) {
            ([], false) => "there is none".into(),
            ([], true) => format!("the list {} leaves all of them out", self.wish),
            (reasons, _) => reasons.join("; "),
        };
        let problem = self.placed(Problem::new(format!(
            "no {} component can be used for {} ({reasons})",
            self.framework, self.scope
        )));
        let problem = if listed { problem.allowed(self.others()) } else { problem };
        problem.fix(format!("cairn-info --components {} shows what there is", self.framework))
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
        assert_eq!(problem.allowed.as_deref(), Some("usable of those in the list: a"));
        // Another name of a and b: one that serves is enough, and none is not.
        let alias = Wish::Only(words("alias"));
        assert!(decision.unfulfilled(&alias).is_none());
        decision.candidates[0].verdict = Verdict::NotListed;
        let problem = decision.unfulfilled(&alias).unwrap();
        assert!(problem.what.contains("b: declined: no device"), "{problem}");
        assert_eq!(problem.allowed.as_deref(), Some("others that are there: a"));
    }

    #[test]
    fn a_list_that_nothing_fulfils_says_what_else_there_is() {
        let with = |name, verdict| Candidate { verdict, ..candidate(name, 0) };
        let mut decision = decision(vec![
            with("broken", Verdict::Refused("built for 2.1".into())),
            with("c", Verdict::NotListed),
            with("a", Verdict::NotListed),
        ]);
        decision.wish = "broken".into();
        let problem = decision.unfulfilled(&Wish::Only(words("broken"))).unwrap();
        assert_eq!(
            problem.what,
            "a cri component was asked for by name and can't be used: \
             broken: it is there (linked in) and was refused: built for 2.1"
        );
        assert_eq!(problem.allowed.as_deref(), Some("others that are there: a, c"));
        let problem = decision.none_serves();
        assert_eq!(problem.allowed.as_deref(), Some("others that are there: a, c"));
        decision.candidates.remove(0);
        let problem = decision.none_serves();
        assert_eq!(
            problem.what,
            "no cri component can be used for process (the list broken leaves all of them out)"
        );
        decision.candidates.clear();
        assert!(decision.none_serves().what.contains("(there is none)"));
    }

    /// A second library of a name is refused, which does not concern a user that asks for that name.
    #[test]
    fn a_duplicate_leaves_the_first_usable() {
        let second =
            Candidate { verdict: Verdict::Refused("there already".into()), ..candidate("a", 0) };
        let mut decision = decision(vec![candidate("a", 1), second]);
        decision.settle(false);
        assert_eq!(decision.unfulfilled(&Wish::Only(words("a"))), None);
    }
}
