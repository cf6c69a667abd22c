//! Dimensions of grids (MPI 5.0, section 8.5.2).

use std::collections::HashSet;
use std::iter::repeat;

use crate::prelude::*;

/// Balances the dimensions that are 0 (MPI 5.0, section 8.5.2): they are as close to each other as they can
/// be, and do not increase.
pub fn dims_create(nnodes: c_int, ndims: c_int, dims: &mut [c_int]) -> Result<()> {
    let _ = ndims;
    let nodes = u32::try_from(nnodes).ok().filter(|nodes| *nodes > 0);
    let nodes =
        nodes.ok_or_else(|| Error::argument(MPI_ERR_ARG, "nnodes", nnodes, "must be positive"))?;
    let mut product = 1_u64;
    for (index, dim) in dims.iter().enumerate() {
        let known = u64::try_from(*dim).map_err(|_| {
            Error::argument(MPI_ERR_DIMS, &format!("dims[{index}]"), dim, "may not be negative")
        })?;
        product = product.saturating_mul(known.max(1));
    }
    let open = dims.iter().filter(|dim| **dim == 0).count();
    let rest = u64::from(nodes) / product;
    let fits = rest * product == u64::from(nodes) && (open > 0 || rest == 1);
    if !fits && !dims.is_empty() {
        let text = format!("the product of the dimensions that are set is {product}");
        return Err(Error::argument(MPI_ERR_DIMS, "nnodes", nnodes, text));
    }
    // No number has 31 prime factors, so from then on there are only more ones.
    let factors = balanced(rest as u32, open.min(31) as u32);
    let places = dims.iter_mut().filter(|dim| **dim == 0);
    places
        .zip(factors.into_iter().chain(repeat(1)))
        .for_each(|(dim, factor)| *dim = factor as c_int);
    Ok(())
}

/// This many factors of a number that do not increase, of which the largest and the smallest are as close
/// to each other as they can be. Where that leaves a choice, the largest one is as small as possible,
/// then the second largest, and so on.
///
/// The largest one is tried from its lower bound upwards, and with each the smallest one from its upper
/// bound downwards, until no pair can be closer than the best one found.
fn balanced(number: u32, factors: u32) -> Vec<u32> {
    if factors <= 1 {
        return vec![number; factors as usize];
    }
    let divisors = divisors(number);
    let mut search = Search { divisors: &divisors, failed: HashSet::new() };
    let mut best: Option<(u32, u32)> = None;
    let least = largest_prime(number).max(root_above(number, factors));
    for &largest in divisors.iter().filter(|divisor| **divisor >= least) {
        let rest = number / largest;
        let most = root_below(rest, factors - 1);
        let closer = |smallest: u32| {
            best.is_none_or(|(largest_so_far, so_far)| largest - smallest < largest_so_far - so_far)
        };
        if !closer(most) {
            break;
        }
        let smallest = divisors
            .iter()
            .rev()
            .filter(|smallest| **smallest <= most && rest.is_multiple_of(**smallest))
            .take_while(|smallest| closer(**smallest))
            .find(|smallest| search.splits(rest / **smallest, factors - 2, **smallest, largest));
        if let Some(&smallest) = smallest {
            best = Some((largest, smallest));
        }
    }
    let (largest, smallest) = best.expect("a number and ones");
    let mut all = vec![largest];
    let mut rest = number / largest / smallest;
    for more in (0..factors - 2).rev() {
        let limit = all[all.len() - 1];
        let next = divisors.iter().copied().find(|&next| {
            next >= smallest
                && next <= limit
                && rest.is_multiple_of(next)
                && search.splits(rest / next, more, smallest, next)
        });
        let next = next.expect("the pair was found with factors between");
        all.push(next);
        rest /= next;
    }
    all.push(smallest);
    all
}

/// Looks for factors of a number.
struct Search<'a> {
    divisors: &'a [u32],
    /// What has been tried without success: the arguments of `splits`.
    failed: HashSet<(u32, u32, u32, u32)>,
}

impl Search<'_> {
    /// Whether a divisor of the number is the product of this many factors between two limits.
    fn splits(&mut self, number: u32, factors: u32, least: u32, most: u32) -> bool {
        if factors == 0 {
            return number == 1;
        }
        let within =
            power(least, factors) <= u64::from(number) && power(most, factors) >= u64::from(number);
        if !within || factors == 1 {
            return within;
        }
        let tried = (number, factors, least, most);
        if self.failed.contains(&tried) {
            return false;
        }
        let divisors = self.divisors;
        let found = divisors.iter().rev().any(|&largest| {
            largest <= most
                && number.is_multiple_of(largest)
                && power(largest, factors) >= u64::from(number)
                && self.splits(number / largest, factors - 1, least, largest)
        });
        if !found {
            self.failed.insert(tried);
        }
        found
    }
}

/// All divisors of a number, in ascending order.
pub fn divisors(number: u32) -> Vec<u32> {
    let small: Vec<u32> =
        (1..=number.isqrt()).filter(|small| number.is_multiple_of(*small)).collect();
    let large = small.iter().rev().map(|small| number / small);
    let mut all: Vec<u32> = small.iter().copied().chain(large).collect();
    all.dedup();
    all
}

fn largest_prime(number: u32) -> u32 {
    let (mut rest, mut factor) = (number, 2);
    while factor * factor <= rest {
        if rest.is_multiple_of(factor) { rest /= factor } else { factor += 1 }
    }
    rest
}

/// A power, as far as it can be told from others.
fn power(base: u32, exponent: u32) -> u64 {
    u64::from(base).saturating_pow(exponent)
}

/// The smallest number that, multiplied with itself so many times, reaches another one.
fn root_above(number: u32, factors: u32) -> u32 {
    let below = root_below(number, factors);
    if power(below, factors) == u64::from(number) { below } else { below + 1 }
}

/// The largest number that, multiplied with itself so many times, does not exceed another one.
fn root_below(number: u32, factors: u32) -> u32 {
    let (mut low, mut high) = (1, number);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if power(middle, factors) <= u64::from(number) { low = middle } else { high = middle - 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(nodes: c_int, mut dims: Vec<c_int>) -> Result<Vec<c_int>, c_int> {
        let number = dims.len() as c_int;
        dims_create(nodes, number, &mut dims).map_err(|error| error.code())?;
        Ok(dims)
    }

    #[test]
    fn dimensions_are_as_equal_as_they_can_be() {
        for (nodes, dims, wanted) in [
            (6, vec![0, 0], vec![3, 2]),
            (7, vec![0, 0], vec![7, 1]),
            (6, vec![0, 3, 0], vec![2, 3, 1]),
            (60, vec![0; 3], vec![5, 4, 3]),
            // 36, 36 and 19 have a smaller maximum.
            (24624, vec![0; 3], vec![38, 27, 24]),
            (24624 * 10, vec![0, 5, 0, 2, 0], vec![38, 5, 27, 2, 24]),
            (16, vec![0; 3], vec![4, 2, 2]),
            (1 << 30, vec![0; 4], vec![1 << 8, 1 << 8, 1 << 7, 1 << 7]),
            (1, vec![0; 40], vec![1; 40]),
            (1 << 30, vec![0; 31], [vec![2; 30], vec![1]].concat()),
            (12, vec![0; 100_000], [vec![3, 2, 2], vec![1; 99_997]].concat()),
            (12, vec![3, 4], vec![3, 4]),
            (5, vec![], vec![]),
            (c_int::MAX, vec![0; 3], vec![c_int::MAX, 1, 1]),
        ] {
            assert_eq!(made(nodes, dims), Ok(wanted));
        }
    }

    /// All ways to write a number as this many factors that do not increase.
    fn ways(number: u32, factors: usize, most: u32) -> Vec<Vec<u32>> {
        if factors == 0 {
            return if number == 1 { vec![vec![]] } else { vec![] };
        }
        let first = (1..=most.min(number)).filter(|first| number.is_multiple_of(*first));
        first
            .flat_map(|first| {
                let rests = ways(number / first, factors - 1, first).into_iter();
                rests.map(move |rest| [vec![first], rest].concat())
            })
            .collect()
    }

    #[test]
    fn no_other_factors_are_closer() {
        let gap = |factors: &[u32]| factors[0] - factors[factors.len() - 1];
        for number in (1..=720).chain([1024, 1260, 2520, 4096, 5040, 7560]) {
            for factors in 1..=6 {
                let ways = ways(number, factors, number);
                let best = ways.into_iter().min_by_key(|way| (gap(way), way.clone()));
                assert_eq!(Some(balanced(number, factors as u32)), best, "{number}, {factors}");
            }
        }
    }

    /// Numbers with as many divisors as there can be, with few, and with large primes: each ends soon.
    #[test]
    fn large_numbers_have_dimensions() {
        for number in [
            2_095_133_040,
            1_396_755_360,
            223_092_870,
            1 << 30,
            3_u32.pow(19),
            65_521 << 15,
            46_337 * 46_337,
            46_337 * 46_327,
            c_int::MAX as u32,
            c_int::MAX as u32 - 1,
        ] {
            for factors in 1..=40 {
                let found = balanced(number, factors);
                assert_eq!(found.len(), factors as usize);
                assert!(found.is_sorted_by(|one, other| one >= other), "{found:?}");
                let product: u64 = found.iter().map(|factor| u64::from(*factor)).product();
                assert_eq!(product, u64::from(number), "{found:?}");
            }
        }
    }

    #[test]
    fn dimensions_that_do_not_fit_are_errors() {
        assert_eq!(made(7, vec![0, 3, 0]), Err(MPI_ERR_DIMS));
        assert_eq!(made(12, vec![3, 3]), Err(MPI_ERR_DIMS));
        assert_eq!(made(12, vec![-3, 0]), Err(MPI_ERR_DIMS));
        assert_eq!(made(12, vec![c_int::MAX, c_int::MAX, c_int::MAX]), Err(MPI_ERR_DIMS));
        assert_eq!(made(0, vec![0]), Err(MPI_ERR_ARG));
        assert_eq!(made(-4, vec![0, 0]), Err(MPI_ERR_ARG));
    }
}
