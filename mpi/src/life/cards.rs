//! The exchange of business cards: one value a process, which holds what its components published.
//!
//! ```text
//!   pml name \0  hash u64  { name=value \n }* \0  { component name \0  length u32  bytes }*
//! ```
//!
//! The hash is that of all parameters that must be the same in all processes, with their values; behind it
//! are those that do not have their default, so that a process can say what differs.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use cairn_framework::abi::job::Job;
use cairn_framework::audit::LockLevel;
use cairn_framework::author::Mutex;
use cairn_framework::host::params::Origin;
use cairn_framework::host::{CardExchange, System};

use crate::abi::generated::constants::MPI_ERR_OTHER;
use crate::error::{Error, Result};
use crate::runtime::launch::Launch;

/// The key of a process's value.
const KEY: &str = "cairn-card";

/// Publishes this process's cards and makes those of the others available. Collective.
pub fn exchange(system: &'static System, launch: &Launch, job: &Job, pml: &str) -> Result<()> {
    if job.size == 1 {
        return Ok(());
    }
    let same = Same::of(system);
    launch.put(KEY, &write(pml, &same, &system.own_cards()))?;
    launch.fence()?;
    let fetched = Mutex::at(LockLevel::TABLE, HashMap::new());
    let exchange = Exchange { launch: launch.clone(), pml: pml.to_owned(), same, fetched };
    // Every process compares with one, so that a difference shows even between processes that don't talk.
    if job.rank != 0 {
        let card = exchange.ask(0).map_err(|text| Error::new(MPI_ERR_OTHER, text))?;
        exchange.fetched.lock().insert(0, card);
    }
    if !system.set_card_exchange(Box::new(exchange)) {
        return Err(Error::new(MPI_ERR_OTHER, "cards are exchanged already"));
    }
    Ok(())
}

/// The parameters that must be the same in all processes.
#[derive(Debug, PartialEq, Eq)]
struct Same {
    hash: u64,
    /// Those that were set, in the order of their names: `name=value`, each on its line.
    set: String,
}

impl Same {
    fn of(system: &System) -> Self {
        let mut params = system.params.all();
        params.retain(|param| param.spec.same);
        params.sort_by(|one, other| one.spec.name.cmp(&other.spec.name));
        let mut same = Self { hash: FNV_BASIS, set: String::new() };
        for param in params {
            let (value, given) = param.current();
            same.add(&param.spec.name, &value.to_string(), given.origin == Origin::Default);
        }
        same
    }

    fn add(&mut self, name: &str, value: &str, is_default: bool) {
        let line = format!("{name}={value}\n");
        for byte in line.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        }
        if !is_default {
            self.set += &line;
        }
    }

    /// What differs from another process's; none if nothing does.
    fn difference(&self, rank: u32, other: &Self) -> Option<String> {
        if self.hash == other.hash {
            return None;
        }
        let values = |same: &Self| -> BTreeMap<String, String> {
            let lines = same.set.lines().filter_map(|line| line.split_once('='));
            lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        let (own, theirs) = (values(self), values(other));
        let names: BTreeSet<&String> = own.keys().chain(theirs.keys()).collect();
        let value = |of: &BTreeMap<String, String>, name: &String| {
            of.get(name).map_or_else(|| "its default".to_owned(), |value| format!("{value:?}"))
        };
        let different = names.into_iter().filter(|name| own.get(*name) != theirs.get(*name));
        let mut texts: Vec<String> = different
            .map(|name| {
                let (here, there) = (value(&own, name), value(&theirs, name));
                format!("{name} is {here} in this process and {there} in rank {rank}")
            })
            .collect();
        if texts.is_empty() {
            texts.push(format!("rank {rank} has other defaults: it runs another build"));
        }
        Some(format!("{}; all processes of a job need the same", texts.join(", ")))
    }
}

// The hash of Fowler, Noll and Vo (FNV-1a), which is the same in every build.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

struct Exchange {
    launch: Launch,
    pml: String,
    same: Same,
    /// The values of peers that were asked for, by rank.
    fetched: Mutex<HashMap<u32, Card>>,
}

/// What a process published.
struct Card {
    pml: String,
    same: Same,
    components: HashMap<String, Vec<u8>>,
}

impl CardExchange for Exchange {
    fn fetch(&self, rank: u32, name: &str) -> std::result::Result<Option<Vec<u8>>, String> {
        let mut fetched = self.fetched.lock();
        let card = match fetched.entry(rank) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.ask(rank)?),
        };
        Ok(card.components.get(name).cloned())
    }
}

impl Exchange {
    /// Gets what a process published, and checks that it can be talked to.
    fn ask(&self, rank: u32) -> std::result::Result<Card, String> {
        let value = self.launch.get(rank, KEY).map_err(|error| error.text().to_owned())?;
        let value = value.ok_or_else(|| format!("rank {rank} published no card"))?;
        let card = read(&value).ok_or_else(|| format!("the card of rank {rank} is damaged"))?;
        if card.pml == self.pml {
            return match self.same.difference(rank, &card.same) {
                None => Ok(card),
                Some(difference) => Err(difference),
            };
        }
        Err(format!(
            "rank {rank} has chosen {}, and this process {}: all processes of a job need the same \
             pml component, for instance by --mca pml",
            card.pml, self.pml
        ))
    }
}

fn write(pml: &str, same: &Same, cards: &[(String, &'static [u8])]) -> Vec<u8> {
    let mut value = pml.as_bytes().to_vec();
    value.push(0);
    value.extend_from_slice(&same.hash.to_le_bytes());
    value.extend_from_slice(same.set.as_bytes());
    value.push(0);
    for (name, card) in cards {
        value.extend_from_slice(name.as_bytes());
        value.push(0);
        value.extend_from_slice(&(card.len() as u32).to_le_bytes());
        value.extend_from_slice(card);
    }
    value
}

/// The card in a value, which comes from another process: nothing in it is trusted.
fn read(mut value: &[u8]) -> Option<Card> {
    let pml = text(&mut value)?;
    let (hash, rest) = value.split_first_chunk::<8>()?;
    value = rest;
    let same = Same { hash: u64::from_le_bytes(*hash), set: text(&mut value)? };
    let mut components = HashMap::new();
    while !value.is_empty() {
        let name = text(&mut value)?;
        let (length, rest) = value.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let (card, rest) = rest.split_at_checked(length)?;
        components.insert(name, card.to_vec());
        value = rest;
    }
    Some(Card { pml, same, components })
}

fn text(value: &mut &[u8]) -> Option<String> {
    let end = value.iter().position(|byte| *byte == 0)?;
    let text = String::from_utf8(value[..end].to_vec()).ok()?;
    *value = &value[end + 1..];
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(params: &[(&str, &str, bool)]) -> Same {
        let mut same = Same { hash: FNV_BASIS, set: String::new() };
        params.iter().for_each(|(name, value, is_default)| same.add(name, value, *is_default));
        same
    }

    #[test]
    fn a_difference_is_told_with_both_values() {
        let own = same(&[("a", "1k", true), ("b", "x=y", false)]);
        let told = |other: &[(&str, &str, bool)]| own.difference(3, &same(other));
        assert_eq!(told(&[("a", "1k", false), ("b", "x=y", false)]), None);
        let text = told(&[("a", "2k", false), ("b", "", true)]).unwrap();
        assert!(
            text.starts_with("a is its default in this process and \"2k\" in rank 3"),
            "{text}"
        );
        assert!(text.contains("b is \"x=y\" in this process and its default in rank 3"), "{text}");
        let text = told(&[("a", "2k", true), ("b", "x=y", false)]).unwrap();
        assert!(text.contains("another build"), "{text}");
    }

    #[test]
    fn cards_survive_and_damage_is_noticed() {
        let cards: [(String, &'static [u8]); 2] =
            [("btl_sm".into(), &[1, 2, 3]), ("btl_tcp".into(), &[])];
        let same = same(&[("coll", "^sm", false), ("mca_x", "4k", true)]);
        let value = write("pml_ob1", &same, &cards);
        let card = read(&value).expect("whole");
        assert_eq!((card.pml.as_str(), &card.same), ("pml_ob1", &same));
        assert_eq!(card.components["btl_sm"], [1, 2, 3]);
        assert!(card.components["btl_tcp"].is_empty());
        for length in 0..value.len() {
            if let Some(card) = read(&value[..length]) {
                assert!(card.components.len() < 2);
            }
        }
    }
}
