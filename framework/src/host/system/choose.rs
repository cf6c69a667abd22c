//! The choice of components: wishes, questions, decisions.

use super::slot::{Chosen, Slot, Stage};
use super::{System, key_of};
use crate::abi::scope::{SCOPE_COMMUNICATOR, SCOPE_FILE, SCOPE_PROCESS, SCOPE_WINDOW, Scope};
use crate::frameworks::{Cardinality, Contract, Table, by_name};
use crate::host::loader::Provider;
use crate::host::params::{Kind, Origin, Registry, Value};
use crate::host::problem::Problem;
use crate::host::select::{Candidate, Decision, Verdict, Wish, unknown_component};

/// A component with the priority it asked for.
pub(super) type Ranked = (&'static Slot, i32);

impl System {
    /// Chooses the component of a framework for a scope.
    ///
    /// # Errors
    /// A list that names what is not there or can't be used, or no component that can serve.
    pub fn select_one<T: Table>(&'static self, scope: &Scope) -> Result<Chosen<T>, Problem> {
        let contract = T::contract();
        let (decision, mut chosen) = self.choose(contract, scope)?;
        self.tell_failures(&decision);
        if chosen.is_empty() {
            return Err(decision.none_serves());
        }
        Ok(Chosen::new(chosen.swap_remove(0)))
    }

    /// Chooses the components of a framework for a scope, the highest priority first.
    ///
    /// # Errors
    /// A list that names what is not there or can't be used.
    pub fn select_many<T: Table>(&'static self, scope: &Scope) -> Result<Vec<Chosen<T>>, Problem> {
        let (decision, chosen) = self.choose(T::contract(), scope)?;
        self.tell_failures(&decision);
        Ok(chosen.into_iter().map(Chosen::new).collect())
    }

    /// Makes the choice of a framework and only tells it: for tools.
    pub fn decide(&'static self, contract: &'static Contract) -> Result<Decision, Problem> {
        let scope = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        self.choose(contract, &scope).map(|(decision, _)| decision)
    }

    pub(super) fn choose(
        &'static self,
        contract: &'static Contract,
        scope: &Scope,
    ) -> Result<(Decision, Vec<Ranked>), Problem> {
        let _lifecycle = self.lifecycle.lock();
        let (wish, wished_by) = self.wish(contract, scope)?;
        let mut decision = Decision {
            framework: contract.name,
            scope: describe_scope(scope),
            wish: wish.to_string(),
            wished_by,
            candidates: Vec::new(),
        };
        let mut opened_now = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.loaded.contract.name == contract.name) {
            let mut priority = None;
            let verdict = wish.rejects(|word| slot.loaded.is_called(word)).unwrap_or_else(|| {
                let was_open = slot.stage() == Stage::Open;
                let answer = slot.ask(scope);
                if !was_open && slot.stage() == Stage::Open {
                    opened_now.push(*slot);
                }
                match answer {
                    Ok(asked) => {
                        priority = Some(asked);
                        Verdict::Chosen
                    }
                    Err(verdict) => verdict,
                }
            });
            decision.candidates.push(Candidate {
                name: slot.loaded.name.clone(),
                provider: slot.loaded.provider.clone(),
                priority,
                verdict,
            });
        }
        for (name, verdict, provider) in self.absent(contract, &wish) {
            decision.candidates.push(Candidate { name, provider, priority: None, verdict });
        }
        decision.settle(contract.cardinality == Cardinality::Many);

        let slots: Vec<Ranked> = decision
            .candidates
            .iter()
            .filter(|candidate| candidate.verdict == Verdict::Chosen)
            .filter_map(|candidate| {
                let same = |slot: &&&'static Slot| {
                    slot.loaded.contract.name == contract.name && slot.loaded.name == candidate.name
                };
                Some((*self.slots.iter().find(same)?, candidate.priority.unwrap_or(0)))
            })
            .collect();
        // A component that was opened only to be asked, and was not chosen, holds on to nothing.
        for slot in opened_now {
            if !slots.iter().any(|(chosen, _)| std::ptr::eq(*chosen, slot)) {
                slot.close();
            }
        }
        self.record(decision.clone(), scope);
        if let Some(problem) = decision.unfulfilled(&wish)
            && self.flag("mca_strict", true)
        {
            return Err(problem);
        }
        let key = (contract.name, key_of(scope));
        self.serving.lock().insert(key, slots.iter().map(|(slot, _)| *slot).collect());
        Ok((decision, slots))
    }

    /// Keeps a decision for reports. A scope has one a framework: asked again, the newer counts.
    fn record(&self, decision: Decision, scope: &Scope) {
        let mut decisions = self.decisions.lock();
        let earlier = decisions.iter_mut().find(|(key, earlier)| {
            (*key, earlier.framework) == (key_of(scope), decision.framework)
        });
        match earlier {
            Some((_, earlier)) => *earlier = decision,
            None => decisions.push((key_of(scope), decision)),
        }
    }

    /// A component that serves the process has failed in its set-up and is closed: the others do its
    /// work, and the user learns why.
    ///
    /// # Errors
    /// It was asked for by name.
    pub(super) fn give_up(&'static self, slot: &Slot, reason: &str) -> Result<(), Problem> {
        let _lifecycle = self.lifecycle.lock();
        let contract = slot.loaded.contract;
        let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
        slot.give_up(reason.to_owned());
        let (wish, _) = self.wish(contract, &process)?;
        if let Some(serving) = self.serving.lock().get_mut(&(contract.name, key_of(&process))) {
            serving.retain(|other| !std::ptr::eq(*other, slot));
        }
        let mut unfulfilled = None;
        for (key, decision) in self.decisions.lock().iter_mut() {
            if (*key, decision.framework) != (key_of(&process), contract.name) {
                continue;
            }
            let same = |one: &&mut Candidate| {
                one.name == slot.loaded.name && one.provider == slot.loaded.provider
            };
            if let Some(candidate) = decision.candidates.iter_mut().find(same) {
                candidate.verdict = Verdict::Failed(reason.to_owned());
            }
            unfulfilled = decision.unfulfilled(&wish);
            self.tell_failures(decision);
        }
        match unfulfilled {
            Some(problem) if self.flag("mca_strict", true) => Err(problem),
            _ => Ok(()),
        }
    }

    /// Says once which components failed, of which others do the work now.
    fn tell_failures(&self, decision: &Decision) {
        for candidate in &decision.candidates {
            let Verdict::Failed(reason) = &candidate.verdict else { continue };
            let name = format!("{}_{}", decision.framework, candidate.name);
            let text = format!(
                "the component {name} ({}) can't be used, so others are: {reason}; --mca {} ^{} \
                 leaves it out",
                candidate.provider, decision.framework, candidate.name
            );
            self.note(&name, &text);
        }
    }

    /// A scope is gone: forgets what was decided for it.
    pub(super) fn forget_choices(&self, scope: &Scope) {
        if scope.kind != SCOPE_PROCESS {
            self.decisions.lock().retain(|(key, _)| *key != key_of(scope));
            self.serving.lock().retain(|(_, key), _| *key != key_of(scope));
        }
    }

    /// Components that could not be asked, because they or their libraries were refused or not
    /// opened.
    fn absent(&self, contract: &Contract, wish: &Wish) -> Vec<(String, Verdict, Provider)> {
        let refused = self.refused.iter().filter_map(|refused| {
            let name = own_name(contract, refused.component.as_deref()?)?;
            let verdict = wish
                .rejects(|word| word == name)
                .unwrap_or_else(|| Verdict::Refused(refused.refusal.to_string()));
            Some((name.to_owned(), verdict, refused.provider.clone()))
        });
        let unopened = self.unopened.iter().filter_map(|unopened| {
            (unopened.framework == contract.name).then_some(())?;
            let verdict = wish.rejects(|word| word == unopened.name)?;
            Some((unopened.name.clone(), verdict, Provider::File(unopened.path.clone())))
        });
        refused.chain(unopened).collect()
    }

    /// What is wished of a framework for a scope, and where that was said.
    fn wish(
        &self,
        contract: &'static Contract,
        scope: &Scope,
    ) -> Result<(Wish, Option<String>), Problem> {
        if scope.kind != SCOPE_PROCESS
            && let Some(text) = self.asks(contract, scope)
        {
            let place = format!("info key {} of {}", key_name(contract), describe_scope(scope));
            let words = match Kind::List.parse(&text) {
                Ok(Value::List(words)) => Wish::parse(&words),
                Ok(_) => Ok(Wish::Any),
                Err(reason) => Err(reason),
            };
            let wish = words.map_err(|reason| bad_list(contract, &reason, &place))?;
            let known = self.known(contract);
            if let Some(word) = wish.words().iter().find(|word| !known.contains(word)) {
                return Err(unknown_component(contract.name, word, &known, place));
            }
            return Ok((wish, Some(place)));
        }
        let (mut wish, origin) = wish_of(&self.params, contract)?;
        let known = self.known(contract);
        if let Some(word) = wish.words().iter().find(|word| !known.contains(word)) {
            let foreign = matches!(origin, Origin::OmpiEnvironment(_));
            if self.flag("mca_strict", true) && !foreign {
                return Err(unknown_component(contract.name, word, &known, &origin));
            }
            wish.drop_unknown(|word| known.iter().any(|name| name == word));
        }
        let wished_by = (origin != Origin::Default).then(|| origin.to_string());
        Ok((wish, wished_by))
    }

    /// Names that a selection list of the framework may contain: components that can be used,
    /// their aliases, and those that were refused or not opened.
    fn known(&self, contract: &Contract) -> Vec<String> {
        let loaded =
            self.slots.iter().filter(|slot| slot.loaded.contract.name == contract.name).flat_map(
                |slot| std::iter::once(&slot.loaded.name).chain(&slot.loaded.aliases).cloned(),
            );
        let refused = self
            .refused
            .iter()
            .filter_map(|refused| own_name(contract, refused.component.as_deref()?))
            .map(str::to_owned);
        let unopened = self
            .unopened
            .iter()
            .filter(|unopened| unopened.framework == contract.name)
            .map(|unopened| unopened.name.clone());
        let mut names: Vec<String> = loaded.chain(refused).chain(unopened).collect();
        names.sort();
        names.dedup();
        names
    }

    pub(super) fn wish_problems(&self, contract: &'static Contract) -> Vec<Problem> {
        let (wish, origin) = match wish_of(&self.params, contract) {
            Ok(found) => found,
            Err(problem) => return vec![problem],
        };
        let known = self.known(contract);
        let unknown = wish.words().iter().filter(|word| !known.contains(word));
        unknown
            .map(|word| {
                let problem = unknown_component(contract.name, word, &known, &origin);
                match origin {
                    Origin::OmpiEnvironment(_) => problem.warning(),
                    _ => problem,
                }
            })
            .collect()
    }

    /// Whether a parameter's name belongs to a component that is there but was not loaded, so that
    /// it is unknown whether it exists.
    pub(super) fn is_unchecked(&self, name: &str) -> bool {
        let belongs = |component: &str| {
            name.strip_prefix(component).is_some_and(|rest| rest.starts_with('_'))
        };
        self.unopened
            .iter()
            .any(|unopened| belongs(&format!("{}_{}", unopened.framework, unopened.name)))
            || self.refused.iter().any(|refused| refused.component.as_deref().is_some_and(belongs))
            || self
                .slots
                .iter()
                .any(|slot| matches!(slot.stage(), Stage::Failed(_)) && belongs(&slot.name()))
    }

    /// Makes the choice of a framework for a component that needs it: the process's, if there is none
    /// yet, in whatever order components are opened; and the scope's own, if its info asks for one.
    pub(crate) fn choose_on_demand(
        &'static self,
        framework: &str,
        scope: Option<&Scope>,
    ) -> Result<(), Problem> {
        let Some(contract) = by_name(framework) else { return Ok(()) };
        let _lifecycle = self.lifecycle.lock();
        let chosen = |key| self.serving.lock().contains_key(&(contract.name, key));
        if !chosen((SCOPE_PROCESS, 0)) {
            let decision = self.decide(contract)?;
            self.tell_failures(&decision);
        }
        let own =
            |scope: &&Scope| scope.kind != SCOPE_PROCESS && self.asks(contract, scope).is_some();
        match scope.filter(own) {
            Some(scope) if !chosen(key_of(scope)) => {
                let (decision, chosen) = self.choose(contract, scope)?;
                if chosen.is_empty() { Err(decision.none_serves()) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// What serves a framework for a scope, by a choice of its own, else by the process's: the one at
    /// `place`, the highest priority first.
    pub(crate) fn serving(
        &self,
        framework: &str,
        scope: Option<&Scope>,
        place: usize,
    ) -> Option<&'static Slot> {
        let contract = by_name(framework)?;
        let serving = self.serving.lock();
        let own = scope.and_then(|scope| serving.get(&(contract.name, key_of(scope))));
        let slots = own.or_else(|| serving.get(&(contract.name, (SCOPE_PROCESS, 0))))?;
        slots.get(place).copied()
    }

    /// What a scope's info asks for, by the key of the framework.
    fn asks(&self, contract: &Contract, scope: &Scope) -> Option<String> {
        scope.info?;
        let key = key_name(contract);
        let text = scope.info(&crate::text::to_c(&key));
        self.info_keys.lock().entry(key).or_insert(Known::By(0)).add(scope.kind);
        text
    }

    /// An info key of communicators and windows is looked at. `value` is what holds where it is not set.
    pub(crate) fn info_key_add(&self, key: String, value: String) {
        self.info_keys.lock().insert(key, Known::Value(value));
    }

    /// The info keys that are looked at in scopes of this kind, with what holds in this one if its info does
    /// not have them. A program may give all of them to any other communicator or window. So a framework's
    /// key is the component that serves, or, where several do, empty: those that can.
    pub fn info_keys(&self, scope: &Scope) -> Vec<(String, String)> {
        let keys = self.info_keys.lock().clone();
        let keys = keys.into_iter().filter(|(_, known)| known.is_of(scope.kind));
        let value = |(key, known): (String, Known)| {
            let serving = || {
                let framework = key.strip_prefix(KEYS)?;
                let one = by_name(framework)?.cardinality == Cardinality::One;
                let slot = self.serving(framework, Some(scope), 0).filter(|_| one)?;
                Some(slot.loaded.name.clone())
            };
            let value = match known {
                Known::Value(value) => value,
                Known::By(_) => serving().unwrap_or_default(),
            };
            (key, value)
        };
        keys.map(value).collect()
    }
}

/// An info key that is looked at.
#[derive(Clone)]
pub(crate) enum Known {
    /// By a component, in any scope; what holds where it is not set.
    Value(String),
    /// Because it names a framework's components; in scopes of these kinds, a bit for each.
    By(u32),
}

impl Known {
    fn add(&mut self, kind: u32) {
        if let Self::By(kinds) = self {
            *kinds |= 1 << kind;
        }
    }

    fn is_of(&self, kind: u32) -> bool {
        match self {
            Self::Value(_) => true,
            Self::By(kinds) => kinds & 1 << kind != 0,
        }
    }
}

/// What info keys of frameworks begin with.
const KEYS: &str = "cairn_";

fn key_name(contract: &Contract) -> String {
    format!("{KEYS}{}", contract.name)
}

/// What is wished of a framework for the process, and where that was said.
pub(super) fn wish_of(params: &Registry, contract: &Contract) -> Result<(Wish, Origin), Problem> {
    let Some(param) = params.find(contract.name) else { return Ok((Wish::Any, Origin::Default)) };
    let (value, given) = param.current();
    let words = match value {
        Value::List(words) => words,
        _ => Vec::new(),
    };
    let wish = Wish::parse(&words).map_err(|reason| bad_list(contract, &reason, &given.origin))?;
    Ok((wish, given.origin))
}

fn bad_list(contract: &Contract, reason: &str, place: &impl std::fmt::Display) -> Problem {
    Problem::new(format!("{}: {reason}", contract.name))
        .at(place)
        .allowed("a,b or ^a,b")
        .fix("name what you want, or leave out what you do not want")
}

/// The component's own name, if `full` belongs to this framework.
fn own_name<'a>(contract: &Contract, full: &'a str) -> Option<&'a str> {
    full.strip_prefix(contract.name)?.strip_prefix('_')
}

pub(super) fn describe_scope(scope: &Scope) -> String {
    match scope.kind {
        SCOPE_COMMUNICATOR => format!("communicator {}", scope.name()),
        SCOPE_WINDOW => format!("window {}", scope.name()),
        SCOPE_FILE => format!("file {}", scope.name()),
        _ => "process".into(),
    }
}
