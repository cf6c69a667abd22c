//! Cartesian topologies.

use super::placement::{Places, in_order, of_grid};
use super::{fill, nodes, none, placed, rank_of};
use crate::calls::comm::related::intra_only;
use crate::objects::info::Pairs;
use crate::objects::topology::{Grid, Topology};
use crate::prelude::*;

/// The grid of a communicator.
fn grid(comm: CommRef) -> Result<&'static Grid> {
    comm.grid().ok_or_else(|| none("Cartesian"))
}

/// A grid that fits into a communicator, and the processes that become its ranks.
fn plan(comm: CommRef, dims: &[c_int], periods: &[c_int], reorder: bool) -> Result<(Grid, Places)> {
    let grid = Grid::new(dims, periods, intra_only(comm)?.size())?;
    let places = if reorder { of_grid(&grid, &nodes(comm)) } else { in_order(grid.size()) };
    Ok((grid, places))
}

pub fn cart_create(
    comm_old: CommRef,
    _ndims: c_int,
    dims: &[c_int],
    periods: &[c_int],
    reorder: c_int,
    comm_cart: Out<Comm>,
) -> Result<()> {
    let (grid, places) = plan(comm_old, dims, periods, reorder != 0)?;
    comm_cart.set(placed(comm_old, places, Topology::Cartesian(grid), Pairs::default())?);
    Ok(())
}

pub fn cart_map(
    comm: CommRef,
    _ndims: c_int,
    dims: &[c_int],
    periods: &[c_int],
    newrank: Out<c_int>,
) -> Result<()> {
    let (_, places) = plan(comm, dims, periods, true)?;
    newrank.set(rank_of(comm, &places));
    Ok(())
}

pub fn cartdim_get(comm: CommRef, ndims: Out<c_int>) -> Result<()> {
    ndims.set(grid(comm)?.dims().len() as c_int);
    Ok(())
}

pub fn cart_get(
    comm: CommRef,
    _maxdims: c_int,
    dims: &mut [c_int],
    periods: &mut [c_int],
    coords: &mut [c_int],
) -> Result<()> {
    let grid = grid(comm)?;
    let known = grid.dims().iter();
    fill("maxdims", dims, known.clone().map(|dim| dim.length as c_int))?;
    fill("maxdims", periods, known.map(|dim| dim.periodic.into()))?;
    fill("maxdims", coords, grid.coords(comm.rank()).into_iter().map(u32::cast_signed))
}

pub fn cart_coords(
    comm: CommRef,
    rank: c_int,
    _maxdims: c_int,
    coords: &mut [c_int],
) -> Result<()> {
    let found = grid(comm)?.coords(rank as u32);
    fill("maxdims", coords, found.into_iter().map(u32::cast_signed))
}

pub fn cart_rank(comm: CommRef, coords: &[c_int], rank: Out<c_int>) -> Result<()> {
    rank.set(grid(comm)?.rank(coords)? as c_int);
    Ok(())
}

pub fn cart_shift(
    comm: CommRef,
    direction: c_int,
    disp: c_int,
    rank_source: Out<c_int>,
    rank_dest: Out<c_int>,
) -> Result<()> {
    let grid = grid(comm)?;
    let known = usize::try_from(direction).ok().filter(|dim| *dim < grid.dims().len());
    let known = known.ok_or_else(|| {
        let wanted = format!("there are {} dimensions, counted from 0", grid.dims().len());
        Error::argument(MPI_ERR_DIMS, "direction", direction, wanted)
    })?;
    let [source, destination] = grid.shift(comm.rank(), known, disp);
    rank_source.set(source);
    rank_dest.set(destination);
    Ok(())
}

pub fn cart_sub(comm: CommRef, remain_dims: &[c_int], newcomm: Out<Comm>) -> Result<()> {
    let remain: Vec<bool> = remain_dims.iter().map(|remains| *remains != 0).collect();
    let (part, ranks) = grid(comm)?.through(comm.rank(), &remain);
    newcomm.set(placed(comm, ranks, Topology::Cartesian(part), Pairs::default())?);
    Ok(())
}
