//! The exchange of business cards: one value a process, which holds what its components published.
//!
//! ```text
//!   pml name \0  { component name \0  length u32  bytes }*
//! ```

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cairn_framework::abi::job::Job;
use cairn_framework::host::{CardExchange, System};
use parking_lot::Mutex;

use super::launch::Launch;
use crate::abi::generated::constants::MPI_ERR_OTHER;
use crate::error::{Error, Result};

/// The key of a process's value.
const KEY: &str = "cairn-card";

/// Publishes this process's cards and makes those of the others available. Collective.
pub fn exchange(system: &'static System, launch: &Launch, job: &Job, pml: &str) -> Result<()> {
    if job.size == 1 {
        return Ok(());
    }
    launch.put(KEY, &write(pml, &system.own_cards()))?;
    launch.fence()?;
    let exchange =
        Exchange { launch: launch.clone(), pml: pml.to_owned(), fetched: Mutex::default() };
    if !system.set_card_exchange(Box::new(exchange)) {
        return Err(Error::new(MPI_ERR_OTHER, "cards are exchanged already"));
    }
    Ok(())
}

struct Exchange {
    launch: Launch,
    pml: String,
    /// The values of peers that were asked for, by rank.
    fetched: Mutex<HashMap<u32, Card>>,
}

/// What a process published.
struct Card {
    pml: String,
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
            return Ok(card);
        }
        Err(format!(
            "rank {rank} has chosen {}, and this process {}: all processes of a job need the same \
             pml component, for instance by --mca pml",
            card.pml, self.pml
        ))
    }
}

fn write(pml: &str, cards: &[(String, &'static [u8])]) -> Vec<u8> {
    let mut value = pml.as_bytes().to_vec();
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
    let mut components = HashMap::new();
    while !value.is_empty() {
        let name = text(&mut value)?;
        let (length, rest) = value.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let (card, rest) = rest.split_at_checked(length)?;
        components.insert(name, card.to_vec());
        value = rest;
    }
    Some(Card { pml, components })
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

    #[test]
    fn cards_survive_and_damage_is_noticed() {
        let cards: [(String, &'static [u8]); 2] =
            [("btl_sm".into(), &[1, 2, 3]), ("btl_tcp".into(), &[])];
        let value = write("pml_ob1", &cards);
        let card = read(&value).expect("whole");
        assert_eq!(card.pml, "pml_ob1");
        assert_eq!(card.components["btl_sm"], [1, 2, 3]);
        assert!(card.components["btl_tcp"].is_empty());
        for length in 0..value.len() {
            if let Some(card) = read(&value[..length]) {
                assert!(card.components.len() < 2);
            }
        }
    }
}
