//! Entries of `crate::calls::topology`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_coords(
    comm: Comm,
    rank: c_int,
    maxdims: c_int,
    coords: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::rank("rank", rank, comm.peers())?;
                check::length("maxdims", maxdims)?;
            }
            let coords = {
                let length = args::length(maxdims);
                check::array("coords", coords, length)?;
                args::slice_mut(coords, length)
            };
            crate::calls::topology::cart_coords(comm, rank, maxdims, coords)
        }
    };
    finish("MPI_Cart_coords", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_create(
    comm_old: Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    reorder: c_int,
    comm_cart: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm_cart = args::out(comm_cart);
            if checks {
                check::running()?;
            }
            let comm_old = check::comm("comm_old", comm_old)?;
            if checks {
                check::ndims("ndims", ndims)?;
                check::pointer("comm_cart", comm_cart)?;
            }
            let dims = {
                let length = args::length(ndims);
                check::array("dims", dims, length)?;
                args::slice(dims, length)
            };
            let periods = {
                let length = args::length(ndims);
                check::array("periods", periods, length)?;
                args::slice(periods, length)
            };
            crate::calls::topology::cart_create(comm_old, ndims, dims, periods, reorder, comm_cart)
        }
    };
    finish("MPI_Cart_create", Origin::Comm(comm_old), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_get(
    comm: Comm,
    maxdims: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coords: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::length("maxdims", maxdims)?;
            }
            let dims = {
                let length = args::length(maxdims);
                check::array("dims", dims, length)?;
                args::slice_mut(dims, length)
            };
            let periods = {
                let length = args::length(maxdims);
                check::array("periods", periods, length)?;
                args::slice_mut(periods, length)
            };
            let coords = {
                let length = args::length(maxdims);
                check::array("coords", coords, length)?;
                args::slice_mut(coords, length)
            };
            crate::calls::topology::cart_get(comm, maxdims, dims, periods, coords)
        }
    };
    finish("MPI_Cart_get", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_map(
    comm: Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    newrank: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newrank = args::out(newrank);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::ndims("ndims", ndims)?;
                check::pointer("newrank", newrank)?;
            }
            let dims = {
                let length = args::length(ndims);
                check::array("dims", dims, length)?;
                args::slice(dims, length)
            };
            let periods = {
                let length = args::length(ndims);
                check::array("periods", periods, length)?;
                args::slice(periods, length)
            };
            crate::calls::topology::cart_map(comm, ndims, dims, periods, newrank)
        }
    };
    finish("MPI_Cart_map", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_rank(comm: Comm, coords: *const c_int, rank: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let rank = args::out(rank);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("rank", rank)?;
            }
            let coords = {
                let length = comm.dims();
                check::array("coords", coords, length)?;
                args::slice(coords, length)
            };
            crate::calls::topology::cart_rank(comm, coords, rank)
        }
    };
    finish("MPI_Cart_rank", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_shift(
    comm: Comm,
    direction: c_int,
    disp: c_int,
    rank_source: *mut c_int,
    rank_dest: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let rank_source = args::out(rank_source);
            let rank_dest = args::out(rank_dest);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("rank_source", rank_source)?;
                check::pointer("rank_dest", rank_dest)?;
            }
            crate::calls::topology::cart_shift(comm, direction, disp, rank_source, rank_dest)
        }
    };
    finish("MPI_Cart_shift", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cart_sub(
    comm: Comm,
    remain_dims: *const c_int,
    newcomm: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newcomm = args::out(newcomm);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("newcomm", newcomm)?;
            }
            let remain_dims = {
                let length = comm.dims();
                check::array("remain_dims", remain_dims, length)?;
                args::slice(remain_dims, length)
            };
            crate::calls::topology::cart_sub(comm, remain_dims, newcomm)
        }
    };
    finish("MPI_Cart_sub", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Cartdim_get(comm: Comm, ndims: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let ndims = args::out(ndims);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("ndims", ndims)?;
            }
            crate::calls::topology::cartdim_get(comm, ndims)
        }
    };
    finish("MPI_Cartdim_get", Origin::Comm(comm), call())
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
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
    info: Info,
    reorder: c_int,
    comm_dist_graph: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm_dist_graph = args::out(comm_dist_graph);
            if checks {
                check::running()?;
            }
            let comm_old = check::comm("comm_old", comm_old)?;
            let info = check::info("info", info)?;
            if checks {
                check::length("n", n)?;
                check::pointer("comm_dist_graph", comm_dist_graph)?;
            }
            let sources = {
                let length = args::length(n);
                check::array("sources", sources, length)?;
                args::slice(sources, length)
            };
            let degrees = {
                let length = args::length(n);
                check::array("degrees", degrees, length)?;
                args::slice(degrees, length)
            };
            crate::calls::topology::dist_graph_create(
                comm_old,
                n,
                sources,
                degrees,
                destinations,
                weights,
                info,
                reorder,
                comm_dist_graph,
            )
        }
    };
    finish("MPI_Dist_graph_create", Origin::Comm(comm_old), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dist_graph_create_adjacent(
    comm_old: Comm,
    indegree: c_int,
    sources: *const c_int,
    sourceweights: *const c_int,
    outdegree: c_int,
    destinations: *const c_int,
    destweights: *const c_int,
    info: Info,
    reorder: c_int,
    comm_dist_graph: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm_dist_graph = args::out(comm_dist_graph);
            if checks {
                check::running()?;
            }
            let comm_old = check::comm("comm_old", comm_old)?;
            let info = check::info("info", info)?;
            if checks {
                check::length("indegree", indegree)?;
                check::length("outdegree", outdegree)?;
                check::pointer("comm_dist_graph", comm_dist_graph)?;
            }
            let sources = {
                let length = args::length(indegree);
                check::array("sources", sources, length)?;
                args::slice(sources, length)
            };
            let destinations = {
                let length = args::length(outdegree);
                check::array("destinations", destinations, length)?;
                args::slice(destinations, length)
            };
            crate::calls::topology::dist_graph_create_adjacent(
                comm_old,
                indegree,
                sources,
                sourceweights,
                outdegree,
                destinations,
                destweights,
                info,
                reorder,
                comm_dist_graph,
            )
        }
    };
    finish("MPI_Dist_graph_create_adjacent", Origin::Comm(comm_old), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dist_graph_neighbors(
    comm: Comm,
    maxindegree: c_int,
    sources: *mut c_int,
    sourceweights: *mut c_int,
    maxoutdegree: c_int,
    destinations: *mut c_int,
    destweights: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::length("maxindegree", maxindegree)?;
                check::length("maxoutdegree", maxoutdegree)?;
            }
            let sources = {
                let length = args::length(maxindegree);
                check::array("sources", sources, length)?;
                args::slice_mut(sources, length)
            };
            let destinations = {
                let length = args::length(maxoutdegree);
                check::array("destinations", destinations, length)?;
                args::slice_mut(destinations, length)
            };
            crate::calls::topology::dist_graph_neighbors(
                comm,
                maxindegree,
                sources,
                sourceweights,
                maxoutdegree,
                destinations,
                destweights,
            )
        }
    };
    finish("MPI_Dist_graph_neighbors", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Dist_graph_neighbors_count(
    comm: Comm,
    indegree: *mut c_int,
    outdegree: *mut c_int,
    weighted: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let indegree = args::out(indegree);
            let outdegree = args::out(outdegree);
            let weighted = args::out(weighted);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("indegree", indegree)?;
                check::pointer("outdegree", outdegree)?;
                check::pointer("weighted", weighted)?;
            }
            crate::calls::topology::dist_graph_neighbors_count(comm, indegree, outdegree, weighted)
        }
    };
    finish("MPI_Dist_graph_neighbors_count", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_create(
    comm_old: Comm,
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    reorder: c_int,
    comm_graph: *mut Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let comm_graph = args::out(comm_graph);
            if checks {
                check::running()?;
            }
            let comm_old = check::comm("comm_old", comm_old)?;
            if checks {
                check::length("nnodes", nnodes)?;
                check::pointer("comm_graph", comm_graph)?;
            }
            let indx = {
                let length = args::length(nnodes);
                check::array("indx", indx, length)?;
                args::slice(indx, length)
            };
            crate::calls::topology::graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph)
        }
    };
    finish("MPI_Graph_create", Origin::Comm(comm_old), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_get(
    comm: Comm,
    maxindex: c_int,
    maxedges: c_int,
    indx: *mut c_int,
    edges: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::length("maxindex", maxindex)?;
                check::length("maxedges", maxedges)?;
            }
            let indx = {
                let length = args::length(maxindex);
                check::array("indx", indx, length)?;
                args::slice_mut(indx, length)
            };
            let edges = {
                let length = args::length(maxedges);
                check::array("edges", edges, length)?;
                args::slice_mut(edges, length)
            };
            crate::calls::topology::graph_get(comm, maxindex, maxedges, indx, edges)
        }
    };
    finish("MPI_Graph_get", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_map(
    comm: Comm,
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    newrank: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newrank = args::out(newrank);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::length("nnodes", nnodes)?;
                check::pointer("newrank", newrank)?;
            }
            let indx = {
                let length = args::length(nnodes);
                check::array("indx", indx, length)?;
                args::slice(indx, length)
            };
            crate::calls::topology::graph_map(comm, nnodes, indx, edges, newrank)
        }
    };
    finish("MPI_Graph_map", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_neighbors(
    comm: Comm,
    rank: c_int,
    maxneighbors: c_int,
    neighbors: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::rank("rank", rank, comm.peers())?;
                check::length("maxneighbors", maxneighbors)?;
            }
            let neighbors = {
                let length = args::length(maxneighbors);
                check::array("neighbors", neighbors, length)?;
                args::slice_mut(neighbors, length)
            };
            crate::calls::topology::graph_neighbors(comm, rank, maxneighbors, neighbors)
        }
    };
    finish("MPI_Graph_neighbors", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graph_neighbors_count(
    comm: Comm,
    rank: c_int,
    nneighbors: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let nneighbors = args::out(nneighbors);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::rank("rank", rank, comm.peers())?;
                check::pointer("nneighbors", nneighbors)?;
            }
            crate::calls::topology::graph_neighbors_count(comm, rank, nneighbors)
        }
    };
    finish("MPI_Graph_neighbors_count", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Graphdims_get(
    comm: Comm,
    nnodes: *mut c_int,
    nedges: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let nnodes = args::out(nnodes);
            let nedges = args::out(nedges);
            if checks {
                check::running()?;
            }
            let comm = check::comm("comm", comm)?;
            if checks {
                check::pointer("nnodes", nnodes)?;
                check::pointer("nedges", nedges)?;
            }
            crate::calls::topology::graphdims_get(comm, nnodes, nedges)
        }
    };
    finish("MPI_Graphdims_get", Origin::Comm(comm), call())
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
