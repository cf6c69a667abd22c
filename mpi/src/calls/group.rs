//! Groups (MPI 5.0, section 7.3).

use std::collections::{HashMap, HashSet};

use crate::objects::comm::{compare, subgroup};
use crate::objects::group::{self, GroupBody, Ranks};
use crate::objects::session::{self, SessionRef};
use crate::prelude::*;
use crate::runtime::runtime;

pub fn group_size(group: GroupBody, size: Out<c_int>) -> Result<()> {
    size.set(group.ranks.len() as c_int);
    Ok(())
}

pub fn group_rank(group: GroupBody, rank: Out<c_int>) -> Result<()> {
    let own = runtime().system.job().rank;
    let place = group.ranks.iter().position(|process| *process == own);
    rank.set(place.map_or(MPI_UNDEFINED, |place| place as c_int));
    Ok(())
}

pub fn group_compare(group1: GroupBody, group2: GroupBody, result: Out<c_int>) -> Result<()> {
    result.set(compare(&group1.ranks, &group2.ranks));
    Ok(())
}

pub fn group_from_session_pset(
    session: SessionRef,
    pset_name: &CStr,
    newgroup: Out<Group>,
) -> Result<()> {
    newgroup.set(MPI_GROUP_NULL);
    let ranks = session::process_set(runtime().system.job(), &pset_name.to_string_lossy())?;
    newgroup.set(group::make(ranks, Some(session)));
    Ok(())
}

pub fn group_free(group: InOut<Group>) -> Result<()> {
    if !group::free(group.get()) {
        let text = format!("{:#x} is no group", group.get().value());
        return Err(Error::new(MPI_ERR_GROUP, text));
    }
    group.set(MPI_GROUP_NULL);
    Ok(())
}

pub fn group_translate_ranks(
    group1: GroupBody,
    n: c_int,
    ranks1: &[c_int],
    group2: GroupBody,
    ranks2: &mut [c_int],
) -> Result<()> {
    let _ = n;
    let (from, to) = (group1.ranks, group2.ranks);
    let places: HashMap<u32, c_int> = to.iter().copied().zip(0..).collect();
    for (index, rank) in ranks1.iter().enumerate() {
        ranks2[index] = if *rank == MPI_PROC_NULL {
            MPI_PROC_NULL
        } else {
            let process = from[checked(&from, || format!("ranks1[{index}]"), (*rank).into())?];
            places.get(&process).copied().unwrap_or(MPI_UNDEFINED)
        };
    }
    Ok(())
}

pub fn group_union(group1: GroupBody, group2: GroupBody, newgroup: Out<Group>) -> Result<()> {
    let (one, other, session) = both(group1, group2)?;
    let known: HashSet<u32> = one.iter().copied().collect();
    let new = other.iter().filter(|process| !known.contains(process));
    newgroup.set(group::make(one.iter().chain(new).copied().collect(), session));
    Ok(())
}

pub fn group_intersection(
    group1: GroupBody,
    group2: GroupBody,
    newgroup: Out<Group>,
) -> Result<()> {
    filter(group1, group2, true, newgroup)
}

pub fn group_difference(group1: GroupBody, group2: GroupBody, newgroup: Out<Group>) -> Result<()> {
    filter(group1, group2, false, newgroup)
}

/// The processes of one group that are in another one, or that are not.
fn filter(one: GroupBody, other: GroupBody, wanted: bool, newgroup: Out<Group>) -> Result<()> {
    let (one, other, session) = both(one, other)?;
    let other: HashSet<u32> = other.iter().copied().collect();
    let kept = one.iter().filter(|process| other.contains(process) == wanted);
    newgroup.set(group::make(kept.copied().collect(), session));
    Ok(())
}

/// Two groups that are put together, and the session they come from. The empty one fits to any.
fn both(one: GroupBody, other: GroupBody) -> Result<(Ranks, Ranks, Option<SessionRef>)> {
    let session = match (one.ranks.is_empty(), other.ranks.is_empty()) {
        (true, _) => other.session,
        (_, true) => one.session,
        _ if one.session == other.session => one.session,
        _ => {
            let text = "the groups do not come from the same session";
            return Err(Error::new(MPI_ERR_GROUP, text));
        }
    };
    Ok((one.ranks, other.ranks, session))
}

pub fn group_incl(group: GroupBody, n: c_int, ranks: &[c_int], newgroup: Out<Group>) -> Result<()> {
    let _ = n;
    newgroup.set(include(&group, &listed(&group.ranks, ranks)?));
    Ok(())
}

pub fn group_excl(group: GroupBody, n: c_int, ranks: &[c_int], newgroup: Out<Group>) -> Result<()> {
    let _ = n;
    newgroup.set(exclude(&group, &listed(&group.ranks, ranks)?));
    Ok(())
}

pub fn group_range_incl(
    group: GroupBody,
    n: c_int,
    ranges: &mut [[c_int; 3]],
    newgroup: Out<Group>,
) -> Result<()> {
    let _ = n;
    newgroup.set(include(&group, &in_ranges(&group.ranks, ranges)?));
    Ok(())
}

pub fn group_range_excl(
    group: GroupBody,
    n: c_int,
    ranges: &mut [[c_int; 3]],
    newgroup: Out<Group>,
) -> Result<()> {
    let _ = n;
    newgroup.set(exclude(&group, &in_ranges(&group.ranks, ranges)?));
    Ok(())
}

fn include(group: &GroupBody, ranks: &[usize]) -> Group {
    let ranks = subgroup(&group.ranks, ranks.iter().map(|rank| *rank as u32));
    group::make(ranks, group.session.clone())
}

fn exclude(group: &GroupBody, ranks: &[usize]) -> Group {
    let out: HashSet<usize> = ranks.iter().copied().collect();
    let kept = group.ranks.iter().enumerate().filter(|(rank, _)| !out.contains(rank));
    group::make(kept.map(|(_, process)| *process).collect(), group.session.clone())
}

/// A rank of a group.
fn checked(group: &Ranks, name: impl FnOnce() -> String, rank: i64) -> Result<usize> {
    match usize::try_from(rank) {
        Ok(rank) if rank < group.len() => Ok(rank),
        _ => {
            let size = format!("the group has {} processes", group.len());
            Err(Error::argument(MPI_ERR_RANK, &name(), rank, size))
        }
    }
}

/// The ranks in an array, each of which is there once.
fn listed(group: &Ranks, ranks: &[c_int]) -> Result<Vec<usize>> {
    let mut found = Distinct::of(group);
    for (index, rank) in ranks.iter().enumerate() {
        let name = || format!("ranks[{index}]");
        let rank = checked(group, name, (*rank).into())?;
        found.push(name, rank)?;
    }
    Ok(found.ranks)
}

/// The ranks in ranges (first, last, stride), each of which is there once.
fn in_ranges(group: &Ranks, ranges: &[[c_int; 3]]) -> Result<Vec<usize>> {
    let mut found = Distinct::of(group);
    for (index, range) in ranges.iter().enumerate() {
        let name = || format!("ranges[{index}]");
        let [first, last, stride] = range.map(i64::from);
        if stride == 0 {
            return Err(Error::new(MPI_ERR_ARG, format!("the stride of {} is 0", name())));
        }
        let steps = (last - first) / stride;
        if (last - first) * stride < 0 {
            // The range goes the other way: it is empty.
            continue;
        }
        // If both ends are in the group, so is what lies between.
        checked(group, name, first)?;
        checked(group, name, first + steps * stride)?;
        for step in 0..=steps {
            found.push(name, (first + step * stride) as usize)?;
        }
    }
    Ok(found.ranks)
}

/// Ranks that are all different.
struct Distinct {
    ranks: Vec<usize>,
    seen: Vec<bool>,
}

impl Distinct {
    fn of(group: &Ranks) -> Self {
        Self { ranks: Vec::new(), seen: vec![false; group.len()] }
    }

    fn push(&mut self, name: impl FnOnce() -> String, rank: usize) -> Result<()> {
        if std::mem::replace(&mut self.seen[rank], true) {
            let text = format!("{} names rank {rank}, which was named before", name());
            return Err(Error::new(MPI_ERR_RANK, text));
        }
        self.ranks.push(rank);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(processes: &[u32]) -> GroupBody {
        GroupBody { ranks: processes.into(), session: None }
    }

    /// The processes of the group that a function makes, or the class of its error.
    fn made(make: impl FnOnce(Out<Group>) -> Result<()>) -> Result<Vec<u32>, c_int> {
        let mut new = MPI_GROUP_NULL;
        // SAFETY: the variable stays.
        make(unsafe { args::out(&raw mut new) }).map_err(|error| error.code())?;
        Ok(group::find(new).expect("a group").ranks.to_vec())
    }

    #[test]
    fn sets_keep_the_order_of_the_first_group() {
        let (one, other) = (group(&[4, 2, 7]), group(&[7, 1, 4, 9]));
        assert_eq!(
            made(|new| group_union(one.clone(), other.clone(), new)),
            Ok(vec![4, 2, 7, 1, 9])
        );
        assert_eq!(made(|new| group_intersection(one.clone(), other.clone(), new)), Ok(vec![4, 7]));
        assert_eq!(made(|new| group_difference(one.clone(), other.clone(), new)), Ok(vec![2]));
        assert_eq!(made(|new| group_difference(one.clone(), one.clone(), new)), Ok(vec![]));
        assert_eq!(made(|new| group_union(group(&[]), one.clone(), new)), Ok(vec![4, 2, 7]));
    }

    #[test]
    fn ranks_are_in_the_group_and_different() {
        let all = group(&[10, 11, 12, 13, 14]);
        let incl =
            |ranks: &[c_int]| made(|new| group_incl(all.clone(), ranks.len() as c_int, ranks, new));
        let excl =
            |ranks: &[c_int]| made(|new| group_excl(all.clone(), ranks.len() as c_int, ranks, new));
        assert_eq!(incl(&[4, 0]), Ok(vec![14, 10]));
        assert_eq!(incl(&[]), Ok(vec![]));
        assert_eq!(excl(&[4, 0]), Ok(vec![11, 12, 13]));
        for wrong in [&[0, 5][..], &[-1], &[MPI_PROC_NULL], &[2, 0, 2]] {
            assert_eq!(incl(wrong), Err(MPI_ERR_RANK), "{wrong:?}");
            assert_eq!(excl(wrong), Err(MPI_ERR_RANK), "{wrong:?}");
        }
    }

    #[test]
    fn ranges_go_up_and_down() {
        let all = group(&[10, 11, 12, 13, 14]);
        let incl = |ranges: &[[c_int; 3]]| {
            let mut ranges = ranges.to_vec();
            made(|new| group_range_incl(all.clone(), ranges.len() as c_int, &mut ranges, new))
        };
        assert_eq!(incl(&[[0, 4, 2]]), Ok(vec![10, 12, 14]));
        assert_eq!(incl(&[[4, 1, -2], [0, 0, 7]]), Ok(vec![14, 12, 10]));
        assert_eq!(incl(&[[3, 9, 7]]), Ok(vec![13]));
        assert_eq!(incl(&[[3, 0, 1]]), Ok(vec![]));
        assert_eq!(incl(&[[0, 5, 1]]), Err(MPI_ERR_RANK));
        assert_eq!(incl(&[[0, c_int::MAX, 1]]), Err(MPI_ERR_RANK));
        assert_eq!(incl(&[[c_int::MIN, c_int::MAX, c_int::MAX]]), Err(MPI_ERR_RANK));
        assert_eq!(incl(&[[0, 1, 1], [1, 2, 1]]), Err(MPI_ERR_RANK));
        assert_eq!(incl(&[[0, 1, 0]]), Err(MPI_ERR_ARG));
        let mut ranges = [[1, 3, 1]];
        let excl = made(|new| group_range_excl(all.clone(), 1, &mut ranges, new));
        assert_eq!(excl, Ok(vec![10, 14]));
    }

    #[test]
    fn ranks_are_translated() {
        let (from, to) = (group(&[5, 6, 7]), group(&[7, 5]));
        let mut found = [99; 4];
        group_translate_ranks(from.clone(), 4, &[0, 1, 2, MPI_PROC_NULL], to.clone(), &mut found)
            .unwrap();
        assert_eq!(found, [1, MPI_UNDEFINED, 0, MPI_PROC_NULL]);
        let wrong = group_translate_ranks(from, 1, &[3], to, &mut found);
        assert_eq!(wrong.unwrap_err().code(), MPI_ERR_RANK);
    }
}
