//! Combinations of strategies.

use crate::{Run, scratch, windows};

/// Frameworks, or parameters, with the values that are tried.
pub type Factors = Vec<(String, Vec<String>)>;

/// One value of each.
pub type Combination = Vec<(String, String)>;

/// What threads can be run with: every component that the installation has of the frameworks that
/// deal with threads, transports between processes, and where requests come from.
///
/// Without `wait spin`: the tests have more threads than processors, of which one that spins would
/// take all.
pub fn strategies() -> Factors {
    let home = scratch();
    let json = Run::info(home.path()).args(["--json"]).ok().json();
    let components = |framework: &str| -> Vec<String> {
        let all = json["frameworks"].as_array().expect("a list");
        let own = all.iter().find(|one| one["name"] == framework).expect("a framework");
        let components = own["components"].as_array().expect("a list").iter();
        components.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    let mut factors: Factors = ["cri", "progress", "wait", "match"]
        .map(|framework| (framework.to_owned(), components(framework)))
        .into();
    factors[2].1.retain(|wait| wait != "spin");
    factors.push(("btl".into(), windows::transports()));
    let caches = ["thread", "cri", "global"].map(String::from);
    factors.push(("pml_ob1_request_cache".into(), caches.into()));
    factors
}

/// The combinations that tests run with: each pair of values is in one of them, or, if the variable
/// `CAIRN_COMBINATIONS` is `all`, every combination is.
pub fn combinations(factors: &Factors) -> Vec<Combination> {
    match std::env::var("CAIRN_COMBINATIONS").as_deref() {
        Ok("all") => product(factors),
        Ok(other) => panic!("CAIRN_COMBINATIONS is {other}; allowed is all"),
        Err(_) => pairwise(factors),
    }
}

/// Every combination.
pub fn product(factors: &Factors) -> Vec<Combination> {
    factors.iter().fold(vec![Vec::new()], |before, (name, values)| {
        let longer = |combination: &Combination| {
            let with =
                |value: &String| [&combination[..], &[(name.clone(), value.clone())]].concat();
            values.iter().map(with).collect::<Vec<_>>()
        };
        before.iter().flat_map(longer).collect()
    })
}

/// Few combinations in which any two values of two factors come together at least once. Always takes
/// the one with the most pairs that are missing.
pub fn pairwise(factors: &Factors) -> Vec<Combination> {
    let product = product(factors);
    let mut missing: std::collections::BTreeSet<_> = product.iter().flat_map(pairs).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let news = |row: &&Combination| pairs(row).filter(|pair| missing.contains(pair)).count();
        let best = product.iter().max_by_key(news).expect("missing pairs are in some");
        pairs(best).for_each(|pair| _ = missing.remove(&pair));
        chosen.push(best.clone());
    }
    chosen
}

type Value = (String, String);

/// The pairs of values in a combination.
fn pairs(combination: &Combination) -> impl Iterator<Item = (&Value, &Value)> {
    let behind = |place: usize| &combination[place + 1..];
    let with_all = move |(place, one)| behind(place).iter().map(move |other| (one, other));
    combination.iter().enumerate().flat_map(with_all)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_pair_is_in_a_combination_and_combinations_are_few() {
        for sizes in [&[3, 4, 3, 4, 2][..], &[2, 2], &[5], &[1, 1, 3], &[4, 4, 4, 4, 4]] {
            let factors: Factors = (0..sizes.len())
                .map(|name| (format!("f{name}"), (0..sizes[name]).map(|v| v.to_string()).collect()))
                .collect();
            let (all, few) = (product(&factors), pairwise(&factors));
            assert_eq!(all.len(), sizes.iter().product::<usize>());
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
            let of = |rows: &[Combination]| -> BTreeSet<String> {
                rows.iter().flat_map(pairs).map(|pair| format!("{pair:?}")).collect()
            };
            assert_eq!(of(&few), of(&all));
            // At least the product of the two largest; a good deal less than all.
            let mut largest = sizes.to_vec();
            largest.sort_unstable_by(|a, b| b.cmp(a));
            let least: usize = largest.iter().take(2).product();
            assert!(few.len() <= 2 * least, "{} combinations of {sizes:?}", few.len());
        }
    }
}
