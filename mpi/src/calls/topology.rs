//! Topologies (MPI 5.0, chapter 8).

use crate::abi::prelude::*;
use crate::objects::comm;

/// Balances the dimensions that are 0: their largest is as small as it can be, then the second
/// largest, and so on; they do not increase.
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
    let factors = balanced(rest as u32, open, u32::MAX).unwrap_or_default();
    let places = dims.iter_mut().filter(|dim| **dim == 0);
    places.zip(factors).for_each(|(dim, factor)| *dim = factor as c_int);
    Ok(())
}

/// This many factors of a number, in descending order and none above the limit: of all that there
/// are, the ones that come first when they are compared like words.
fn balanced(number: u32, factors: usize, limit: u32) -> Option<Vec<u32>> {
    let Some(others) = factors.checked_sub(1) else {
        return (number == 1).then(Vec::new);
    };
    let reaches = |factor: u32| {
        u64::from(factor).checked_pow(factors as u32).is_none_or(|most| most >= number.into())
    };
    let mut divisors: Vec<u32> = (1..=number.isqrt())
        .filter(|small| number.is_multiple_of(*small))
        .flat_map(|small| [small, number / small])
        .filter(|factor| *factor <= limit && reaches(*factor))
        .collect();
    divisors.sort_unstable();
    divisors.into_iter().find_map(|first| {
        let rest = balanced(number / first, others, first)?;
        Some([vec![first], rest].concat())
    })
}

/// No communicator has one in this version.
pub fn topo_test(comm: Comm, status: Out<c_int>) -> Result<()> {
    comm::of(comm)?;
    status.set(MPI_UNDEFINED);
    Ok(())
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
            (16, vec![0; 3], vec![4, 2, 2]),
            (1 << 30, vec![0; 4], vec![1 << 8, 1 << 8, 1 << 7, 1 << 7]),
            (1, vec![0; 40], vec![1; 40]),
            (12, vec![3, 4], vec![3, 4]),
            (5, vec![], vec![]),
            (c_int::MAX, vec![0; 3], vec![c_int::MAX, 1, 1]),
        ] {
            assert_eq!(made(nodes, dims), Ok(wanted));
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
