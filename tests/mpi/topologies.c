/* Topologies: grids, graphs and distributed graphs, and where ranks may be reordered. With the argument
   "nodes" the processes are on several nodes, and neighbors must be placed on the same one. */
#include <limits.h>

#include "check.h"

enum { MAX = 24, EDGES = 96 };

static int rank, size;

/* Everybody hears from everybody. */
static void works(MPI_Comm comm)
{
    int me, n, sum;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == n * (n - 1) / 2);
}

static int kind(MPI_Comm comm)
{
    int status = -1;
    OK(MPI_Topo_test(comm, &status));
    return status;
}

static int members(MPI_Comm comm)
{
    int in = comm != MPI_COMM_NULL, all;
    OK(MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    return all;
}

/* Pseudo-random numbers, the same on all processes. */
static unsigned next_number = 1;

static int number(int below)
{
    next_number = next_number * 1103515245u + 12345u;
    return (int)(next_number >> 16 & 0x7fff) % below;
}

/* --- Grids */

/* Ranks have coordinates, and shifts come back: for every rank, as all processes see it. */
static void is_grid(MPI_Comm comm, int ndims, const int *dims, const int *periods)
{
    int n, me, known = -1, lengths[8], around[8], own[8], coords[8], found;
    CHECK(kind(comm) == MPI_CART);
    OK(MPI_Cartdim_get(comm, &known));
    CHECK(known == ndims);
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Cart_get(comm, ndims, lengths, around, own));
    int product = 1;
    for (int d = 0; d < ndims; d++) {
        CHECK(lengths[d] == dims[d] && around[d] == !!periods[d]);
        product *= dims[d];
    }
    CHECK(product == n);
    OK(MPI_Cart_rank(comm, own, &found));
    CHECK(found == me);
    for (int r = 0; r < n; r++) {
        int row_major = 0;
        coords[ndims] = -7;
        OK(MPI_Cart_coords(comm, r, 8, coords));
        CHECK(coords[ndims] == -7);
        for (int d = 0; d < ndims; d++) {
            CHECK(coords[d] >= 0 && coords[d] < dims[d]);
            row_major = row_major * dims[d] + coords[d];
        }
        CHECK(row_major == r);
        OK(MPI_Cart_rank(comm, coords, &found));
        CHECK(found == r);
        for (int d = 0; d < ndims; d++) {
            coords[d] += 3 * dims[d];
            if (periods[d]) {
                OK(MPI_Cart_rank(comm, coords, &found));
                CHECK(found == r);
            } else {
                FAILS(MPI_ERR_ARG, MPI_Cart_rank(comm, coords, &found));
            }
            coords[d] -= 3 * dims[d];
        }
    }
    for (int d = 0; d < ndims; d++) {
        for (int disp = -dims[d] - 1; disp <= dims[d] + 1; disp++) {
            int source = -9, dest = -9, got = -1, wanted[2];
            OK(MPI_Cart_shift(comm, d, disp, &source, &dest));
            for (int side = 0; side < 2; side++) {
                memcpy(coords, own, sizeof coords);
                coords[d] += side ? disp : -disp;
                wanted[side] = MPI_PROC_NULL;
                if (periods[d] || (coords[d] >= 0 && coords[d] < dims[d]))
                    OK(MPI_Cart_rank(comm, coords, &wanted[side]));
            }
            CHECK(source == wanted[0] && dest == wanted[1]);
            OK(MPI_Sendrecv(&me, 1, MPI_INT, dest, d, &got, 1, MPI_INT, source, d, comm,
                            MPI_STATUS_IGNORE));
            CHECK(got == (source == MPI_PROC_NULL ? -1 : source));
        }
    }
    works(comm);
}

/* Every choice of dimensions that remain. */
static void subgrids(MPI_Comm comm, int ndims, const int *dims, const int *periods)
{
    int own[8], me;
    OK(MPI_Cart_get(comm, ndims, own, own, own));
    OK(MPI_Comm_rank(comm, &me));
    for (int mask = 0; mask < 1 << ndims; mask++) {
        int remain[8] = { 0 }, lengths[8], around[8], coords[8], left = 0;
        MPI_Comm sub;
        for (int d = 0; d < ndims; d++) {
            remain[d] = mask >> d & 1 ? d + 1 : 0;
            if (remain[d]) {
                lengths[left] = dims[d];
                around[left] = periods[d];
                left++;
            }
        }
        OK(MPI_Cart_sub(comm, remain, &sub));
        is_grid(sub, left, lengths, around);
        OK(MPI_Cart_get(sub, left, lengths, around, coords));
        for (int d = 0, kept = 0; d < ndims; d++)
            if (remain[d])
                CHECK(coords[kept++] == own[d]);
        /* All are of one row, plane, ... of the grid. */
        int n, all[MAX];
        OK(MPI_Comm_size(sub, &n));
        OK(MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, sub));
        for (int r = 0; r < n; r++) {
            OK(MPI_Cart_coords(comm, all[r], ndims, coords));
            for (int d = 0; d < ndims; d++)
                CHECK(remain[d] || coords[d] == own[d]);
        }
        OK(MPI_Comm_free(&sub));
    }
}

static void grids(int processes)
{
    for (int ndims = 1; ndims <= 3; ndims++) {
        for (int bits = 0; bits < 1 << ndims; bits++) {
            for (int reorder = 0; reorder < 2; reorder++) {
                int dims[3] = { 0 }, periods[3], me, place = -9;
                MPI_Comm comm = MPI_COMM_SELF;
                OK(MPI_Dims_create(processes, ndims, dims));
                for (int d = 0; d < ndims; d++)
                    periods[d] = bits >> d & 1 ? 5 : 0;
                OK(MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, reorder, &comm));
                CHECK(members(comm) == processes);
                OK(MPI_Cart_map(MPI_COMM_WORLD, ndims, dims, periods, &place));
                if (comm == MPI_COMM_NULL) {
                    CHECK(reorder ? place == MPI_UNDEFINED : rank >= processes);
                    continue;
                }
                OK(MPI_Comm_rank(comm, &me));
                CHECK(me == (reorder ? place : rank));
                is_grid(comm, ndims, dims, periods);
                subgrids(comm, ndims, dims, periods);
                OK(MPI_Comm_free(&comm));
            }
        }
    }
}

/* A grid without dimensions has one process. */
static void no_dimensions(void)
{
    MPI_Comm comm, sub;
    int n = -1, place = -9;
    OK(MPI_Cart_map(MPI_COMM_WORLD, 0, NULL, NULL, &place));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank != 0));
    CHECK(members(comm) == 1);
    if (comm == MPI_COMM_NULL)
        return;
    CHECK(place == 0);
    is_grid(comm, 0, NULL, NULL);
    OK(MPI_Cart_get(comm, 0, NULL, NULL, NULL));
    OK(MPI_Cart_coords(comm, 0, 0, NULL));
    OK(MPI_Cart_rank(comm, NULL, &n));
    CHECK(n == 0);
    FAILS(MPI_ERR_DIMS, MPI_Cart_shift(comm, 0, 1, &n, &n));
    OK(MPI_Cart_sub(comm, NULL, &sub));
    is_grid(sub, 0, NULL, NULL);
    OK(MPI_Comm_free(&sub));
    OK(MPI_Comm_free(&comm));
}

static void wrong_grids(void)
{
    int one[2] = { 1, 1 }, n, ns[8], large[3] = { INT_MAX, INT_MAX, INT_MAX }, more = size + 1;
    int none[2] = { 2, 0 }, negative[2] = { -1, -1 };
    MPI_Comm comm = MPI_COMM_WORLD;
    /* No process has a place in it. */
    for (int reorder = 0; reorder < 2; reorder++) {
        OK(MPI_Cart_create(MPI_COMM_WORLD, 2, none, one, reorder, &comm));
        CHECK(comm == MPI_COMM_NULL);
    }
    OK(MPI_Cart_map(MPI_COMM_WORLD, 2, none, one, &n));
    CHECK(n == MPI_UNDEFINED);
    FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 1, &more, one, 0, &comm));
    FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 3, large, large, 1, &comm));
    FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 2, negative, one, 0, &comm));
    FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, -1, one, one, 0, &comm));
    FAILS(MPI_ERR_DIMS, MPI_Cart_map(MPI_COMM_WORLD, 1, &more, one, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cart_get(MPI_COMM_WORLD, 1, ns, ns, ns));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, ns));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cart_rank(MPI_COMM_WORLD, one, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cart_sub(MPI_COMM_WORLD, one, &comm));
    OK(MPI_Cart_create(MPI_COMM_SELF, 2, one, one, 0, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_DIMS, MPI_Cart_shift(comm, 2, 1, &n, &n));
    FAILS(MPI_ERR_DIMS, MPI_Cart_shift(comm, -1, 1, &n, &n));
    FAILS(MPI_ERR_RANK, MPI_Cart_coords(comm, 1, 2, ns));
    FAILS(MPI_ERR_ARG, MPI_Cart_coords(comm, 0, 1, ns));
    FAILS(MPI_ERR_ARG, MPI_Cart_get(comm, 1, ns, ns, ns));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(comm, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors_count(comm, &n, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors(comm, 0, ns, ns, 0, ns, ns));
    OK(MPI_Comm_free(&comm));
}

/* --- Graphs */

static void is_graph(MPI_Comm comm, int nnodes, const int *indx, const int *edges)
{
    int nedges = nnodes ? indx[nnodes - 1] : 0, n = -1, m = -1, ends[MAX], all[EDGES];
    CHECK(kind(comm) == MPI_GRAPH);
    OK(MPI_Graphdims_get(comm, &n, &m));
    CHECK(n == nnodes && m == nedges);
    OK(MPI_Graph_get(comm, MAX, EDGES, ends, all));
    CHECK(!memcmp(ends, indx, sizeof(int) * (size_t)nnodes));
    CHECK(!memcmp(all, edges, sizeof(int) * (size_t)nedges));
    for (int node = 0; node < nnodes; node++) {
        int begin = node ? indx[node - 1] : 0;
        OK(MPI_Graph_neighbors_count(comm, node, &n));
        CHECK(n == indx[node] - begin);
        OK(MPI_Graph_neighbors(comm, node, n, all));
        CHECK(!memcmp(all, edges + begin, sizeof(int) * (size_t)n));
        if (n > 0)
            FAILS(MPI_ERR_ARG, MPI_Graph_neighbors(comm, node, n - 1, all));
    }
    FAILS(MPI_ERR_RANK, MPI_Graph_neighbors_count(comm, nnodes, &n));
    FAILS(MPI_ERR_RANK, MPI_Graph_neighbors(comm, -1, EDGES, all));
    if (nedges > 0)
        FAILS(MPI_ERR_ARG, MPI_Graph_get(comm, nnodes, nedges - 1, ends, all));
    if (nnodes > 0)
        FAILS(MPI_ERR_ARG, MPI_Graph_get(comm, nnodes - 1, nedges, ends, all));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(comm, &n));
    works(comm);
}

static void graphs(void)
{
    for (int nnodes = 0; nnodes <= size; nnodes++) {
        for (int reorder = 0; reorder < 2; reorder++) {
            /* Rings with loops and several edges; the first node has no edges. */
            int indx[MAX], edges[EDGES], n = 0, me, place = -9;
            MPI_Comm comm = MPI_COMM_SELF, dup;
            for (int node = 0; node < nnodes; node++) {
                for (int edge = 0; node > 0 && edge < 4; edge++)
                    edges[n++] = (node + (edge < 2) + edge / 3 * (nnodes - 1)) % nnodes;
                indx[node] = n;
            }
            OK(MPI_Graph_create(MPI_COMM_WORLD, nnodes, indx, n ? edges : NULL, reorder, &comm));
            CHECK(members(comm) == nnodes);
            OK(MPI_Graph_map(MPI_COMM_WORLD, nnodes, indx, edges, &place));
            if (comm == MPI_COMM_NULL) {
                CHECK(reorder ? place == MPI_UNDEFINED : rank >= nnodes);
                continue;
            }
            OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
            OK(MPI_Comm_rank(comm, &me));
            CHECK(me == (reorder ? place : rank));
            is_graph(comm, nnodes, indx, edges);
            OK(MPI_Comm_dup(comm, &dup));
            OK(MPI_Comm_free(&comm));
            is_graph(dup, nnodes, indx, edges);
            OK(MPI_Comm_free(&dup));
        }
    }
}

static void wrong_graphs(void)
{
    int down[2] = { 1, 0 }, negative[1] = { -1 }, one[1] = { 1 }, edge[1] = { 0 }, far[1] = { 1 };
    int n, ends[MAX + 1] = { 0 };
    MPI_Comm comm;
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, size + 1, ends, edge, 0, &comm));
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, -1, ends, edge, 0, &comm));
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, negative, edge, 0, &comm));
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, one, far, 0, &comm));
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, one, negative, 0, &comm));
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, one, NULL, 0, &comm));
    FAILS(MPI_ERR_ARG, MPI_Graph_map(MPI_COMM_WORLD, 1, one, far, &n));
    FAILS(MPI_ERR_ARG, MPI_Graph_map(MPI_COMM_WORLD, size + 1, ends, edge, &n));
    if (size > 1)
        FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 2, down, edge, 0, &comm));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(MPI_COMM_WORLD, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_get(MPI_COMM_WORLD, MAX, MAX, ends, ends));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_neighbors(MPI_COMM_WORLD, 0, MAX, ends));
}

/* --- Distributed graphs */

static int ascending(const void *one, const void *other)
{
    const int *a = one, *b = other;
    return a[0] != b[0] ? a[0] - b[0] : a[1] - b[1];
}

/* The neighbors of this process are the other ends of its edges, in any order. */
static void knows(MPI_Comm comm, int edges, int ends[][4], int weighted)
{
    int me, in = -1, out = -1, has = -1, wanted[2][EDGES][2], found[2][EDGES][2], n[2] = { 0, 0 };
    int ranks[2][EDGES], weights[2][EDGES];
    CHECK(kind(comm) == MPI_DIST_GRAPH);
    OK(MPI_Comm_rank(comm, &me));
    for (int e = 0; e < edges; e++) {
        for (int side = 0; side < 2; side++) {
            if (ends[e][!side] == me) {
                wanted[side][n[side]][0] = ends[e][side];
                wanted[side][n[side]++][1] = weighted ? ends[e][2] : -5;
            }
        }
    }
    OK(MPI_Dist_graph_neighbors_count(comm, &in, &out, &has));
    CHECK(in == n[0] && out == n[1] && has == weighted);
    memset(weights, -1, sizeof weights);
    for (int again = 0; again < 2; again++) {
        int seen[2][EDGES];
        for (int e = 0; e < EDGES; e++)
            weights[0][e] = weights[1][e] = -5;
        OK(MPI_Dist_graph_neighbors(comm, in, again ? seen[0] : ranks[0], weights[0], out,
                                    again ? seen[1] : ranks[1], weights[1]));
        for (int side = 0; again && side < 2; side++)
            CHECK(!memcmp(seen[side], ranks[side], sizeof(int) * (size_t)n[side]));
    }
    for (int side = 0; side < 2; side++) {
        for (int e = 0; e < n[side]; e++) {
            found[side][e][0] = ranks[side][e];
            found[side][e][1] = weights[side][e];
        }
        qsort(wanted[side], (size_t)n[side], sizeof wanted[side][0], ascending);
        qsort(found[side], (size_t)n[side], sizeof found[side][0], ascending);
        CHECK(!memcmp(wanted[side], found[side], sizeof wanted[side][0] * (size_t)n[side]));
    }
    /* Less room: the first of them. No weights are wanted: none are given. */
    int first[2] = { -9, -9 }, untouched = -9;
    OK(MPI_Dist_graph_neighbors(comm, in > 0, first, MPI_UNWEIGHTED, 0, &untouched, MPI_UNWEIGHTED));
    CHECK(first[0] == (in > 0 ? ranks[0][0] : -9) && first[1] == -9 && untouched == -9);
    if (weighted && in > 0) {
        FAILS(MPI_ERR_ARG, MPI_Dist_graph_neighbors(comm, in, ranks[0], NULL, 0, NULL, NULL));
        FAILS(MPI_ERR_ARG,
              MPI_Dist_graph_neighbors(comm, in, ranks[0], MPI_WEIGHTS_EMPTY, 0, NULL, NULL));
    }
    /* What is said to be sent arrives: as many messages as edges. */
    MPI_Request requests[2 * EDGES];
    int got[EDGES], sum = 0, all = 0;
    for (int e = 0; e < in; e++)
        OK(MPI_Irecv(&got[e], 1, MPI_INT, ranks[0][e], 3, comm, &requests[e]));
    for (int e = 0; e < out; e++)
        OK(MPI_Isend(weighted ? &weights[1][e] : &me, 1, MPI_INT, ranks[1][e], 3, comm,
                     &requests[in + e]));
    OK(MPI_Waitall(in + out, requests, MPI_STATUSES_IGNORE));
    /* Several edges between two processes are in one order at both ends. */
    for (int e = 0; e < in; e++) {
        CHECK(got[e] == (weighted ? weights[0][e] : ranks[0][e]));
        sum++;
    }
    OK(MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, comm));
    CHECK(all == edges);
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_neighbors_count(comm, 0, &sum));
    works(comm);
}

/* Edges that any processes give, each with its weight: what each has to know of them. */
static void distributed(MPI_Comm old)
{
    for (int round = 0; round < 12; round++) {
        int edges = round == 0 ? 0 : number(EDGES), ends[EDGES][4], n = 0, to = 0;
        int sources[2 * EDGES], degrees[2 * EDGES], destinations[EDGES], weights[EDGES];
        int weighted = round % 3 != 1, reorder = round % 2;
        MPI_Comm comm, dup;
        for (int e = 0; e < edges; e++) {
            ends[e][0] = number(size), ends[e][1] = number(size), ends[e][2] = number(5);
            /* In some rounds all are given by one process. */
            ends[e][3] = round % 4 == 3 ? size - 1 : number(size);
        }
        for (int e = 0; e < edges; e++) {
            if (ends[e][3] != rank)
                continue;
            destinations[to] = ends[e][1];
            weights[to++] = ends[e][2];
            if (n > 0 && sources[n - 1] == ends[e][0]) {
                degrees[n - 1]++;
            } else {
                sources[n] = ends[e][0];
                degrees[n++] = 1;
                sources[n] = 0;
                degrees[n++] = 0;
            }
        }
        int *given = !weighted ? MPI_UNWEIGHTED : to == 0 ? MPI_WEIGHTS_EMPTY : weights;
        OK(MPI_Dist_graph_create(old, n, sources, degrees, destinations, given, MPI_INFO_NULL,
                                 reorder, &comm));
        OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        knows(comm, edges, ends, weighted);
        OK(MPI_Comm_dup(comm, &dup));
        OK(MPI_Comm_free(&comm));
        knows(dup, edges, ends, weighted);
        OK(MPI_Comm_free(&dup));
    }
}

/* Each process gives its own edges: they stay in that order, at the rank that gave them. */
static void adjacent(void)
{
    for (int round = 0; round < 8; round++) {
        int ends[EDGES][4], edges = number(EDGES), in = 0, out = 0, me, n = -1, m = -1, has = -1;
        int sources[EDGES], from[EDGES], destinations[EDGES], to[EDGES];
        int weighted = round % 4 != 1, reorder = round % 2;
        MPI_Comm comm, again;
        for (int e = 0; e < edges; e++)
            ends[e][0] = number(size), ends[e][1] = number(size), ends[e][2] = number(9);
        for (int e = edges - 1; e >= 0; e--) {
            if (ends[e][1] == rank)
                sources[in] = ends[e][0], from[in++] = ends[e][2];
            if (ends[e][0] == rank)
                destinations[out] = ends[e][1], to[out++] = ends[e][2];
        }
        OK(MPI_Dist_graph_create_adjacent(
            MPI_COMM_WORLD, in, in ? sources : NULL, weighted ? in ? from : NULL : MPI_UNWEIGHTED,
            out, out ? destinations : NULL, weighted ? out ? to : MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED,
            MPI_INFO_NULL, reorder, &comm));
        OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        knows(comm, edges, ends, weighted);
        OK(MPI_Comm_rank(comm, &me));
        in = out = 0;
        for (int e = edges - 1; e >= 0; e--) {
            if (ends[e][1] == me)
                sources[in] = ends[e][0], from[in++] = ends[e][2];
            if (ends[e][0] == me)
                destinations[out] = ends[e][1], to[out++] = ends[e][2];
        }
        int ranks[2][EDGES], weights[2][EDGES];
        OK(MPI_Dist_graph_neighbors_count(comm, &n, &m, &has));
        CHECK(n == in && m == out && has == weighted);
        OK(MPI_Dist_graph_neighbors(comm, EDGES, ranks[0], weights[0], EDGES, ranks[1], weights[1]));
        CHECK(!memcmp(ranks[0], sources, sizeof(int) * (size_t)in));
        CHECK(!memcmp(ranks[1], destinations, sizeof(int) * (size_t)out));
        CHECK(!weighted || !memcmp(weights[0], from, sizeof(int) * (size_t)in));
        CHECK(!weighted || !memcmp(weights[1], to, sizeof(int) * (size_t)out));
        /* The new ranks are those of any communicator that is made of it. */
        OK(MPI_Dist_graph_create_adjacent(comm, in, sources, weighted ? from : MPI_UNWEIGHTED, out,
                                          destinations, weighted ? to : MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, &again));
        OK(MPI_Comm_set_errhandler(again, MPI_ERRORS_RETURN));
        knows(again, edges, ends, weighted);
        OK(MPI_Comm_free(&again));
        OK(MPI_Comm_free(&comm));
    }
}

static void wrong_distributed_graphs(void)
{
    int zero[2] = { 0, 0 }, one[2] = { 1, 1 }, negative[2] = { -1, -1 }, n;
    int none[1] = { MPI_PROC_NULL }, more[1];
    MPI_Comm comm, world = MPI_COMM_WORLD;
    MPI_Info info = MPI_INFO_NULL;
    more[0] = size;
#define CREATE(...) MPI_Dist_graph_create(world, __VA_ARGS__, info, 0, &comm)
#define ADJACENT(...) MPI_Dist_graph_create_adjacent(world, __VA_ARGS__, info, 0, &comm)
    FAILS(MPI_ERR_ARG, CREATE(-1, zero, one, zero, one));
    FAILS(MPI_ERR_RANK, CREATE(1, more, one, zero, one));
    FAILS(MPI_ERR_RANK, CREATE(1, zero, one, more, one));
    FAILS(MPI_ERR_RANK, CREATE(1, none, one, zero, one));
    FAILS(MPI_ERR_RANK, CREATE(1, zero, one, none, one));
    FAILS(MPI_ERR_ARG, CREATE(1, zero, negative, zero, one));
    FAILS(MPI_ERR_ARG, CREATE(1, zero, one, zero, negative));
    FAILS(MPI_ERR_ARG, CREATE(1, zero, one, NULL, one));
    FAILS(MPI_ERR_ARG, CREATE(1, zero, one, zero, NULL));
    FAILS(MPI_ERR_ARG, CREATE(1, zero, one, zero, MPI_WEIGHTS_EMPTY));
    FAILS(MPI_ERR_ARG, ADJACENT(-1, zero, one, 0, zero, one));
    FAILS(MPI_ERR_ARG, ADJACENT(0, zero, one, -1, zero, one));
    FAILS(MPI_ERR_RANK, ADJACENT(1, more, one, 0, zero, one));
    FAILS(MPI_ERR_RANK, ADJACENT(0, zero, one, 1, negative, one));
    FAILS(MPI_ERR_ARG, ADJACENT(1, zero, negative, 1, zero, one));
    FAILS(MPI_ERR_ARG, ADJACENT(1, zero, one, 1, zero, negative));
    FAILS(MPI_ERR_ARG, ADJACENT(1, zero, MPI_WEIGHTS_EMPTY, 1, zero, one));
    FAILS(MPI_ERR_ARG, ADJACENT(1, zero, one, 1, zero, NULL));
    FAILS(MPI_ERR_ARG, ADJACENT(1, zero, MPI_UNWEIGHTED, 1, zero, one));
    FAILS(MPI_ERR_ARG, ADJACENT(1, zero, one, 1, zero, MPI_UNWEIGHTED));
#undef CREATE
#undef ADJACENT
    FAILS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &n, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 0, NULL, NULL, 0, NULL, NULL));
}

/* --- Communicators */

static int has(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info;
    char text[64];
    int length = sizeof text, flag = 0;
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_get_string(info, key, &length, text, &flag));
    OK(MPI_Info_free(&info));
    return flag && strcmp(text, value) == 0;
}

/* Hints are those of the new communicator alone. */
static void hints(void)
{
    const char *key = "mpi_assert_no_any_source";
    MPI_Info info;
    MPI_Comm comms[3];
    int one = 1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, "true"));
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &rank, &one, info, 1, &comms[0]));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL,
                                      MPI_UNWEIGHTED, info, 0, &comms[1]));
    CHECK(has(comms[0], key, "true") && has(comms[1], key, "true"));
    /* Of a communicator of which the program asserts that. */
    distributed(comms[0]);
    OK(MPI_Cart_create(comms[0], 1, &size, &one, 1, &comms[2]));
    CHECK(has(comms[2], key, "false"));
    for (int n = 0; n < 3; n++)
        OK(MPI_Comm_free(&comms[n]));
    OK(MPI_Info_free(&info));
}

/* Duplicates have the topology; what else is made of the communicator has none. */
static void children(void)
{
    int dims[2] = { 0, 0 }, periods[2] = { 1, 0 };
    MPI_Comm comm, made[6];
    MPI_Request requests[2];
    MPI_Group group;
    OK(MPI_Dims_create(size, 2, dims));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm));
    OK(MPI_Comm_dup(comm, &made[0]));
    OK(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made[1]));
    OK(MPI_Comm_idup(comm, &made[2], &requests[0]));
    OK(MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &made[3], &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Comm_split(comm, 0, rank, &made[4]));
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Comm_create(comm, group, &made[5]));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&comm));
    for (int n = 0; n < 6; n++) {
        OK(MPI_Comm_set_errhandler(made[n], MPI_ERRORS_RETURN));
        if (n < 4)
            is_grid(made[n], 2, dims, periods);
        else
            CHECK(kind(made[n]) == MPI_UNDEFINED);
        OK(MPI_Comm_free(&made[n]));
    }
}

/* Two groups have no topology. */
static void between_groups(void)
{
    int one = 1, zero = 0, n;
    MPI_Comm half, inter, comm;
    if (size < 2)
        return;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(rank % 2), 1, &inter));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    CHECK(kind(inter) == MPI_UNDEFINED);
    FAILS(MPI_ERR_COMM, MPI_Cart_create(inter, 1, &one, &one, 0, &comm));
    FAILS(MPI_ERR_COMM, MPI_Cart_map(inter, 1, &one, &one, &n));
    FAILS(MPI_ERR_COMM, MPI_Graph_create(inter, 1, &one, &zero, 0, &comm));
    FAILS(MPI_ERR_COMM, MPI_Graph_map(inter, 1, &one, &zero, &n));
    FAILS(MPI_ERR_COMM, MPI_Dist_graph_create(inter, 0, NULL, NULL, NULL, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &comm));
    FAILS(MPI_ERR_COMM,
          MPI_Dist_graph_create_adjacent(inter, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &comm));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(inter, &n));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
}

/* --- Nodes */

/* How many of the ranks that follow each other in a ring are on different nodes. */
static int apart(MPI_Comm ring, int node)
{
    int n, me, other, differs, all;
    OK(MPI_Comm_size(ring, &n));
    OK(MPI_Comm_rank(ring, &me));
    OK(MPI_Sendrecv(&node, 1, MPI_INT, (me + 1) % n, 0, &other, 1, MPI_INT, (me + n - 1) % n, 0,
                    ring, MPI_STATUS_IGNORE));
    differs = node != other;
    OK(MPI_Allreduce(&differs, &all, 1, MPI_INT, MPI_SUM, ring));
    return all;
}

/* Processes take turns on the nodes. A ring leaves each node once. */
static void nodes(void)
{
    MPI_Comm here, comm;
    int node, there, all, around = 1, next = (rank + 1) % size, one = 1, heavy = 7;
    int indx[MAX], edges[MAX];
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
    OK(MPI_Allreduce(&rank, &node, 1, MPI_INT, MPI_MIN, here));
    OK(MPI_Comm_rank(here, &there));
    there = there == 0;
    OK(MPI_Allreduce(&there, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Comm_free(&here));
    CHECK(all > 1 && all < size);
    CHECK(apart(MPI_COMM_WORLD, node) == size);

    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &comm));
    CHECK(apart(comm, node) == size);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 1, &comm));
    CHECK(apart(comm, node) == all);
    OK(MPI_Comm_free(&comm));

    for (int n = 0; n < size; n++)
        indx[n] = n + 1, edges[n] = (n + 1) % size;
    OK(MPI_Graph_create(MPI_COMM_WORLD, size, indx, edges, 1, &comm));
    CHECK(apart(comm, node) == all);
    OK(MPI_Comm_free(&comm));

    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, &heavy, MPI_INFO_NULL, 1, &comm));
    CHECK(apart(comm, node) == all);
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin(&rank, &size);
    CHECK(size < MAX);
    CHECK(kind(MPI_COMM_WORLD) == MPI_UNDEFINED && kind(MPI_COMM_SELF) == MPI_UNDEFINED);
    grids(size);
    if (size > 1)
        grids(size - 1);
    no_dimensions();
    wrong_grids();
    graphs();
    wrong_graphs();
    distributed(MPI_COMM_WORLD);
    adjacent();
    wrong_distributed_graphs();
    hints();
    children();
    between_groups();
    if (argc > 1 && !strcmp(argv[1], "nodes"))
        nodes();
    MPI_Finalize();
    return 0;
}
