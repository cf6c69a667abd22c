//! Entries of `crate::calls::topology`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_coords(
    comm: Comm,
    _rank: c_int,
    _maxdims: c_int,
    _coords: *mut c_int,
) -> c_int {
    unsupported("MPI_Cart_coords", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_create(
    comm_old: Comm,
    _ndims: c_int,
    _dims: *const c_int,
    _periods: *const c_int,
    _reorder: c_int,
    _comm_cart: *mut Comm,
) -> c_int {
    unsupported("MPI_Cart_create", Origin::Comm(comm_old))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_get(
    comm: Comm,
    _maxdims: c_int,
    _dims: *mut c_int,
    _periods: *mut c_int,
    _coords: *mut c_int,
) -> c_int {
    unsupported("MPI_Cart_get", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_map(
    comm: Comm,
    _ndims: c_int,
    _dims: *const c_int,
    _periods: *const c_int,
    _newrank: *mut c_int,
) -> c_int {
    unsupported("MPI_Cart_map", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_rank(comm: Comm, _coords: *const c_int, _rank: *mut c_int) -> c_int {
    unsupported("MPI_Cart_rank", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_shift(
    comm: Comm,
    _direction: c_int,
    _disp: c_int,
    _rank_source: *mut c_int,
    _rank_dest: *mut c_int,
) -> c_int {
    unsupported("MPI_Cart_shift", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_sub(
    comm: Comm,
    _remain_dims: *const c_int,
    _newcomm: *mut Comm,
) -> c_int {
    unsupported("MPI_Cart_sub", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cartdim_get(comm: Comm, _ndims: *mut c_int) -> c_int {
    unsupported("MPI_Cartdim_get", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dims_create(nnodes: c_int, ndims: c_int, dims: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            if checks {
                check::ndims("ndims", ndims)?;
            }
            let dims = {
                let length = args::length(ndims);
                check::array("dims", dims, length)?;
                args::slice_mut(dims, length)
            };
            crate::calls::topology::dims_create(nnodes, ndims, dims)
        }
    };
    finish("MPI_Dims_create", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dist_graph_create(
    comm_old: Comm,
    _n: c_int,
    _sources: *const c_int,
    _degrees: *const c_int,
    _destinations: *const c_int,
    _weights: *const c_int,
    _info: Info,
    _reorder: c_int,
    _comm_dist_graph: *mut Comm,
) -> c_int {
    unsupported("MPI_Dist_graph_create", Origin::Comm(comm_old))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dist_graph_create_adjacent(
    comm_old: Comm,
    _indegree: c_int,
    _sources: *const c_int,
    _sourceweights: *const c_int,
    _outdegree: c_int,
    _destinations: *const c_int,
    _destweights: *const c_int,
    _info: Info,
    _reorder: c_int,
    _comm_dist_graph: *mut Comm,
) -> c_int {
    unsupported("MPI_Dist_graph_create_adjacent", Origin::Comm(comm_old))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dist_graph_neighbors(
    comm: Comm,
    _maxindegree: c_int,
    _sources: *mut c_int,
    _sourceweights: *mut c_int,
    _maxoutdegree: c_int,
    _destinations: *mut c_int,
    _destweights: *mut c_int,
) -> c_int {
    unsupported("MPI_Dist_graph_neighbors", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dist_graph_neighbors_count(
    comm: Comm,
    _indegree: *mut c_int,
    _outdegree: *mut c_int,
    _weighted: *mut c_int,
) -> c_int {
    unsupported("MPI_Dist_graph_neighbors_count", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_create(
    comm_old: Comm,
    _nnodes: c_int,
    _indx: *const c_int,
    _edges: *const c_int,
    _reorder: c_int,
    _comm_graph: *mut Comm,
) -> c_int {
    unsupported("MPI_Graph_create", Origin::Comm(comm_old))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_get(
    comm: Comm,
    _maxindex: c_int,
    _maxedges: c_int,
    _indx: *mut c_int,
    _edges: *mut c_int,
) -> c_int {
    unsupported("MPI_Graph_get", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_map(
    comm: Comm,
    _nnodes: c_int,
    _indx: *const c_int,
    _edges: *const c_int,
    _newrank: *mut c_int,
) -> c_int {
    unsupported("MPI_Graph_map", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_neighbors(
    comm: Comm,
    _rank: c_int,
    _maxneighbors: c_int,
    _neighbors: *mut c_int,
) -> c_int {
    unsupported("MPI_Graph_neighbors", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_neighbors_count(
    comm: Comm,
    _rank: c_int,
    _nneighbors: *mut c_int,
) -> c_int {
    unsupported("MPI_Graph_neighbors_count", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graphdims_get(
    comm: Comm,
    _nnodes: *mut c_int,
    _nedges: *mut c_int,
) -> c_int {
    unsupported("MPI_Graphdims_get", Origin::Comm(comm))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Topo_test(comm: Comm, status: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let status = args::out(status);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("status", status)?;
            }
            crate::calls::topology::topo_test(comm, status)
        }
    };
    finish("MPI_Topo_test", Origin::Comm(comm), call())
}

std::arch::global_asm!(
    ".weak MPI_Cart_coords",
    ".set MPI_Cart_coords, PMPI_Cart_coords",
    ".weak MPI_Cart_create",
    ".set MPI_Cart_create, PMPI_Cart_create",
    ".weak MPI_Cart_get",
    ".set MPI_Cart_get, PMPI_Cart_get",
    ".weak MPI_Cart_map",
    ".set MPI_Cart_map, PMPI_Cart_map",
    ".weak MPI_Cart_rank",
    ".set MPI_Cart_rank, PMPI_Cart_rank",
    ".weak MPI_Cart_shift",
    ".set MPI_Cart_shift, PMPI_Cart_shift",
    ".weak MPI_Cart_sub",
    ".set MPI_Cart_sub, PMPI_Cart_sub",
    ".weak MPI_Cartdim_get",
    ".set MPI_Cartdim_get, PMPI_Cartdim_get",
    ".weak MPI_Dims_create",
    ".set MPI_Dims_create, PMPI_Dims_create",
    ".weak MPI_Dist_graph_create",
    ".set MPI_Dist_graph_create, PMPI_Dist_graph_create",
    ".weak MPI_Dist_graph_create_adjacent",
    ".set MPI_Dist_graph_create_adjacent, PMPI_Dist_graph_create_adjacent",
    ".weak MPI_Dist_graph_neighbors",
    ".set MPI_Dist_graph_neighbors, PMPI_Dist_graph_neighbors",
    ".weak MPI_Dist_graph_neighbors_count",
    ".set MPI_Dist_graph_neighbors_count, PMPI_Dist_graph_neighbors_count",
    ".weak MPI_Graph_create",
    ".set MPI_Graph_create, PMPI_Graph_create",
    ".weak MPI_Graph_get",
    ".set MPI_Graph_get, PMPI_Graph_get",
    ".weak MPI_Graph_map",
    ".set MPI_Graph_map, PMPI_Graph_map",
    ".weak MPI_Graph_neighbors",
    ".set MPI_Graph_neighbors, PMPI_Graph_neighbors",
    ".weak MPI_Graph_neighbors_count",
    ".set MPI_Graph_neighbors_count, PMPI_Graph_neighbors_count",
    ".weak MPI_Graphdims_get",
    ".set MPI_Graphdims_get, PMPI_Graphdims_get",
    ".weak MPI_Topo_test",
    ".set MPI_Topo_test, PMPI_Topo_test",
);
