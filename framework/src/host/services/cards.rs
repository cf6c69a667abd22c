//! Business cards: the bytes that peers need to connect.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::abi::lock::Mutex;

/// Carries cards between the processes of a job; a launch protocol stands behind it.
pub trait CardExchange: Send + Sync {
    /// The card that the component `name` of `rank` published, if it did.
    fn fetch(&self, rank: u32, name: &str) -> Result<Option<Vec<u8>>, String>;
}

/// This process's cards and those it fetched.
#[derive(Default)]
pub(crate) struct Cards {
    own: Mutex<HashMap<String, &'static [u8]>>,
    /// What was fetched stays as long as the process lives: components keep the addresses.
    fetched: Mutex<HashMap<(u32, String), &'static [u8]>>,
    exchange: OnceLock<Box<dyn CardExchange>>,
}

impl Cards {
    /// Publishes a card. False when the component has published one already.
    pub fn put(&self, name: &str, card: &[u8]) -> bool {
        let mut own = self.own.lock();
        let new = !own.contains_key(name);
        if new {
            own.insert(name.to_owned(), card.to_vec().leak());
        }
        new
    }

    /// The cards of this process, for the layer that publishes them to the job.
    pub fn own(&self) -> Vec<(String, &'static [u8])> {
        self.own.lock().iter().map(|(name, card)| (name.clone(), *card)).collect()
    }

    /// Withdraws a component's card.
    pub fn remove(&self, name: &str) {
        self.own.lock().remove(name);
    }

    /// Says how the cards of other processes are fetched. Once.
    pub fn set_exchange(&self, exchange: Box<dyn CardExchange>) -> bool {
        self.exchange.set(exchange).is_ok()
    }

    /// The card of a component of `rank`; `own_rank` is this process.
    pub fn get(
        &self,
        own_rank: u32,
        rank: u32,
        name: &str,
    ) -> Result<Option<&'static [u8]>, String> {
        if rank == own_rank {
            return Ok(self.own.lock().get(name).copied());
        }
        let key = (rank, name.to_owned());
        if let Some(card) = self.fetched.lock().get(&key) {
            return Ok(Some(card));
        }
        let exchange = self.exchange.get().ok_or("this job has one process")?;
        let Some(card) = exchange.fetch(rank, name)? else { return Ok(None) };
        let card: &'static [u8] = card.leak();
        Ok(Some(*self.fetched.lock().entry(key).or_insert(card)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Peers;
    impl CardExchange for Peers {
        fn fetch(&self, rank: u32, name: &str) -> Result<Option<Vec<u8>>, String> {
            match rank {
                1 => Ok(Some(format!("{name} of 1").into_bytes())),
                2 => Ok(None),
                _ => Err("gone".into()),
            }
        }
    }

    #[test]
    fn own_cards_and_those_of_peers() {
        let cards = Cards::default();
        assert!(cards.put("btl_x", b"here"));
        assert!(!cards.put("btl_x", b"there"));
        assert_eq!(cards.get(0, 0, "btl_x"), Ok(Some(&b"here"[..])));
        assert_eq!(cards.get(0, 0, "btl_y"), Ok(None));
        assert!(cards.get(0, 1, "btl_x").is_err());
        assert!(cards.set_exchange(Box::new(Peers)));
        let first = cards.get(0, 1, "btl_x").unwrap().unwrap();
        assert_eq!(first, b"btl_x of 1");
        assert!(std::ptr::eq(first, cards.get(0, 1, "btl_x").unwrap().unwrap()));
        assert_eq!(cards.get(0, 2, "btl_x"), Ok(None));
        assert_eq!(cards.get(0, 3, "btl_x"), Err("gone".into()));
    }
}
