/* Neighborhood collectives in each way, on grids, graphs and distributed graphs, against the messages
   that the standard says they are like. */
#include "ways.h"

enum { MOST = 8, BLOCKS = 64, UNIT = 2, TYPES = 4, ROOM = 1 << 23 };

static int rank, size;

/* Pseudo-random numbers: the same on all processes, or those of a process. */
static unsigned next_common = 1, next_own = 1;

static int number_of(unsigned *next, int below)
{
    *next = *next * 1103515245u + 12345u;
    return (int)(*next >> 16 & 0x7fff) % below;
}

static int common(int below) { return number_of(&next_common, below); }
static int own(int below) { return number_of(&next_own, below); }

static void shuffle(unsigned *next, int n, int *list)
{
    for (int i = n - 1; i > 0; i--) {
        const int other = number_of(next, i + 1), kept = list[i];
        list[i] = list[other], list[other] = kept;
    }
}

/* Types that are made of units of two ints, with how many ints an element has. */
static MPI_Datatype types[TYPES];
static const int ints[TYPES] = { 1, 2, 2, 4 };

static void make_types(void)
{
    MPI_Datatype vector;
    const Count lengths[] = { 1, 1 };
    const Displ backwards[] = { 2, 0 };
    types[0] = MPI_INT;
    OK(MPI_Type_contiguous(2, MPI_INT, &types[1]));
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &vector));
    OK(MPI_Type_create_resized(vector, 0, 16, &types[2]));
    OK(MPI_Type_free(&vector));
    OK(MPI_Type_indexed(2, lengths, backwards, types[1], &types[3]));
    for (int i = 1; i < TYPES; i++)
        OK(MPI_Type_commit(&types[i]));
}

static Extent extent_of(MPI_Datatype type)
{
    Extent low, extent;
    OK(MPI_Type_get_extent(type, &low, &extent));
    return extent;
}

/* --- What the operations are like */

/* The neighbors of this process, in the order of the blocks. */
struct side {
    int n, rank[BLOCKS], tag[BLOCKS];
};

static struct side from, to;
static MPI_Comm comm;

static void grid_neighbors(void)
{
    int dims;
    OK(MPI_Cartdim_get(comm, &dims));
    from.n = to.n = 2 * dims;
    for (int d = 0; d < dims; d++) {
        int *below = &from.rank[2 * d], *above = below + 1;
        OK(MPI_Cart_shift(comm, d, 1, below, above));
        to.rank[2 * d] = *below, to.rank[2 * d + 1] = *above;
        /* What is sent downwards comes from above. */
        to.tag[2 * d] = from.tag[2 * d + 1] = 2 * d;
        to.tag[2 * d + 1] = from.tag[2 * d] = 2 * d + 1;
    }
}

static void graph_neighbors(void)
{
    int me;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Graph_neighbors_count(comm, me, &from.n));
    CHECK(from.n <= BLOCKS);
    OK(MPI_Graph_neighbors(comm, me, BLOCKS, from.rank));
    memset(from.tag, 0, sizeof from.tag);
    to = from;
}

static void distributed_neighbors(void)
{
    int weights[2][BLOCKS], weighted;
    OK(MPI_Dist_graph_neighbors_count(comm, &from.n, &to.n, &weighted));
    CHECK(from.n <= BLOCKS && to.n <= BLOCKS);
    OK(MPI_Dist_graph_neighbors(comm, from.n, from.rank, weights[0], to.n, to.rank, weights[1]));
    memset(from.tag, 0, sizeof from.tag);
    memset(to.tag, 0, sizeof to.tag);
}

/* The blocks of a buffer: where they begin, and what is in them. */
struct blocks {
    Count counts[BLOCKS];
    MPI_Aint bytes[BLOCKS];
    MPI_Datatype types[BLOCKS];
};

static void messages(const char *out, const struct blocks *sent, char *in,
                     const struct blocks *received)
{
    MPI_Request requests[2 * BLOCKS];
    for (int i = 0; i < from.n; i++)
        OK(MPI_Irecv(in + received->bytes[i], received->counts[i], received->types[i], from.rank[i],
                     from.tag[i], comm, &requests[i]));
    for (int i = 0; i < to.n; i++)
        OK(MPI_Isend(out + sent->bytes[i], sent->counts[i], sent->types[i], to.rank[i], to.tag[i], comm,
                     &requests[from.n + i]));
    OK(MPI_Waitall(from.n + to.n, requests, MPI_STATUSES_IGNORE));
}

/* --- The operations */

enum { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, OPERATIONS };

/* Units of blocks: often few or none, sometimes many. */
static int units(unsigned *next)
{
    const int kind = number_of(next, 16);
    return kind < 3 ? 0 : number_of(next, kind < 14 ? 9 : kind < 15 ? 300 : 4000);
}

/* One int along each edge, as the sender has it; another value for blocks of no neighbor. */
static void along_edges(const int *sent, int *received, int other)
{
    struct blocks ones;
    for (int i = 0; i < BLOCKS; i++) {
        ones.counts[i] = 1, ones.types[i] = MPI_INT, ones.bytes[i] = i * (MPI_Aint)sizeof(int);
        received[i] = other;
    }
    messages((const char *)sent, &ones, (char *)received, &ones);
}

/* Lays blocks of so many units out, one behind the other and all of one type, or anywhere. */
static size_t lay_out(int operation, int n, const int *each, struct blocks *blocks, Displ *displs)
{
    const int one = own(TYPES), alike = operation == ALLGATHER || operation == ALLTOALL;
    int order[BLOCKS];
    Extent next = 0;
    for (int i = 0; i < n; i++)
        order[i] = i;
    if (!alike)
        shuffle(&next_own, n, order);
    for (int i = 0; i < n; i++) {
        const int block = order[i], type = operation == ALLTOALLW ? own(TYPES) : one;
        const Extent extent = extent_of(types[type]);
        /* Of types of four ints there is a whole number of elements. */
        const int all = each[block] * UNIT * 2;
        if (!alike)
            next += own(3) * (operation == ALLTOALLW ? 4 : extent);
        blocks->types[block] = types[type];
        blocks->counts[block] = all / ints[type];
        blocks->bytes[block] = next;
        displs[block] = (Displ)(operation == ALLTOALLW ? 0 : next / extent);
        next += all / ints[type] * extent;
    }
    CHECK(next < ROOM);
    return (size_t)next;
}

static char out[ROOM], in[ROOM], wanted[ROOM];

static void run(int operation)
{
    int sent[BLOCKS], received[BLOCKS];
    struct blocks send = { 0 }, receive = { 0 };
    Displ sdispls[BLOCKS] = { 0 }, rdispls[BLOCKS] = { 0 };
    const int one = units(&next_common), gathered = units(&next_own);
    for (int i = 0; i < BLOCKS; i++)
        sent[i] = operation == ALLGATHERV                           ? gathered
                  : operation == ALLTOALLV || operation == ALLTOALLW ? units(&next_own)
                                                                     : one;
    along_edges(sent, received, operation == ALLGATHER || operation == ALLTOALL ? one : 3);
    if (operation == ALLGATHER || operation == ALLGATHERV) {
        /* One block goes everywhere. */
        lay_out(ALLGATHER, 1, sent, &send, sdispls);
        for (int i = 1; i < to.n; i++) {
            send.counts[i] = send.counts[0], send.types[i] = send.types[0];
            send.bytes[i] = send.bytes[0];
        }
    } else {
        lay_out(operation, to.n, sent, &send, sdispls);
        if (to.n == 0)
            send.counts[0] = 1, send.types[0] = MPI_INT;
    }
    const size_t all = lay_out(operation, from.n, received, &receive, rdispls) + 64;
    if (from.n == 0)
        receive.counts[0] = 1, receive.types[0] = MPI_INT;
    memset(wanted, 0x5a, all);
    messages(out, &send, wanted, &receive);
    memset(in, 0x5a, all);
    const Count scount = send.counts[0], rcount = receive.counts[0];
    const MPI_Datatype stype = send.types[0], rtype = receive.types[0];
    switch (operation) {
    case ALLGATHER:
        OK(RUN(Neighbor_allgather, neighbor_allgather, out, scount, stype, in, rcount, rtype, comm));
        break;
    case ALLGATHERV:
        OK(RUN(Neighbor_allgatherv, neighbor_allgatherv, out, scount, stype, in, receive.counts, rdispls,
               rtype, comm));
        break;
    case ALLTOALL:
        OK(RUN(Neighbor_alltoall, neighbor_alltoall, out, scount, stype, in, rcount, rtype, comm));
        break;
    case ALLTOALLV:
        OK(RUN(Neighbor_alltoallv, neighbor_alltoallv, out, send.counts, sdispls, stype, in,
               receive.counts, rdispls, rtype, comm));
        break;
    default:
        OK(RUN(Neighbor_alltoallw, neighbor_alltoallw, out, send.counts, send.bytes, send.types, in,
               receive.counts, receive.bytes, receive.types, comm));
    }
    CHECK(memcmp(in, wanted, all) == 0);
}

/* Displacements that are addresses. */
static void absolute(void)
{
    static int data[BLOCKS], got[BLOCKS], like[BLOCKS];
    struct blocks send, receive;
    for (int i = 0; i < BLOCKS; i++) {
        data[i] = own(10000), got[i] = -1;
        send.counts[i] = receive.counts[i] = 1;
        send.types[i] = receive.types[i] = MPI_INT;
        OK(MPI_Get_address(&data[i], &send.bytes[i]));
        OK(MPI_Get_address(&got[i], &receive.bytes[i]));
    }
    along_edges(data, like, -1);
    OK(RUN(Neighbor_alltoallw, neighbor_alltoallw, MPI_BOTTOM, send.counts, send.bytes, send.types,
           MPI_BOTTOM, receive.counts, receive.bytes, receive.types, comm));
    CHECK(memcmp(got, like, sizeof like) == 0);
}

/* Requests of several kinds. Types, counts and displacements are not needed any more when one is there. */
static void request(int kind, int persistent, int *out, int *in, MPI_Request *made)
{
    Count counts[BLOCKS];
    Displ displs[BLOCKS];
    MPI_Aint bytes[BLOCKS];
    MPI_Datatype each[BLOCKS], type;
    OK(MPI_Type_contiguous(1, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < BLOCKS; i++)
        counts[i] = 1, displs[i] = i, bytes[i] = i * (MPI_Aint)sizeof(int), each[i] = type;
    switch (2 * kind + persistent) {
    case 0: OK(MPI_Ineighbor_allgather(out, 1, type, in, 1, type, comm, made)); break;
    case 1:
        OK(MPI_Neighbor_allgatherv_init(out, 1, type, in, counts, displs, type, comm, MPI_INFO_NULL, made));
        break;
    case 2:
        OK(MPI_Ineighbor_alltoallv(out, counts, displs, type, in, counts, displs, type, comm, made));
        break;
    case 3: OK(MPI_Neighbor_alltoall_init(out, 1, type, in, 1, type, comm, MPI_INFO_ENV, made)); break;
    case 4:
        OK(MPI_Ineighbor_alltoallw(out, counts, bytes, each, in, counts, bytes, each, comm, made));
        break;
    default:
        OK(MPI_Neighbor_alltoallw_init(out, counts, bytes, each, in, counts, bytes, each, comm,
                                       MPI_INFO_NULL, made));
    }
    OK(MPI_Type_free(&type));
    memset(counts, -1, sizeof counts);
    memset(displs, -1, sizeof displs);
    memset(bytes, -1, sizeof bytes);
    memset(each, -1, sizeof each);
}

/* Several at once, which complete in another order than they began, and on each process in one of its
   own; persistent ones are started again and again, in any order. */
static void at_once(int persistent)
{
    enum { MANY = 9, ROUNDS = 6 };
    static int data[MANY][BLOCKS], got[MANY][BLOCKS], like[MANY][BLOCKS];
    MPI_Request requests[MANY];
    int order[MANY], me, sum;
    OK(MPI_Comm_rank(comm, &me));
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < MANY; k++) {
            const int kind = k % 3;
            for (int i = 0; i < BLOCKS; i++) {
                /* What is gathered is the same for all. */
                data[k][i] = kind == 0 && i > 0 ? data[k][0] : own(10000) + 1;
                got[k][i] = -1;
            }
            along_edges(data[k], like[k], -1);
            order[k] = k;
        }
        for (int k = 0; k < MANY; k++)
            if (!persistent || round == 0)
                request(k % 3, persistent, data[k], got[k], &requests[k]);
        shuffle(&next_own, MANY, order);
        for (int k = 0; k < MANY && persistent; k++)
            OK(MPI_Start(&requests[order[k]]));
        /* Another collective and a message meanwhile. */
        OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
        OK(MPI_Sendrecv(&me, 1, MPI_INT, me, 0, &sum, 1, MPI_INT, me, 0, comm, MPI_STATUS_IGNORE));
        CHECK(sum == me);
        shuffle(&next_own, MANY, order);
        for (int k = 0; k < MANY; k++) {
            int flag = 0;
            if (round % 2)
                OK(MPI_Wait(&requests[order[k]], MPI_STATUS_IGNORE));
            while (!flag)
                OK(MPI_Test(&requests[order[k]], &flag, MPI_STATUS_IGNORE));
            CHECK((requests[order[k]] == MPI_REQUEST_NULL) == !persistent);
        }
        CHECK(memcmp(got, like, sizeof got) == 0);
    }
    for (int k = 0; k < MANY && persistent; k++)
        OK(MPI_Request_free(&requests[k]));
}

/* A communicator may be freed while its last operation is under way. */
static void freed(void)
{
    static int data[BLOCKS], got[BLOCKS], like[BLOCKS];
    MPI_Request started;
    MPI_Comm copy;
    OK(MPI_Comm_dup(comm, &copy));
    for (int i = 0; i < BLOCKS; i++)
        data[i] = own(1000), got[i] = -1;
    along_edges(data, like, -1);
    OK(MPI_Ineighbor_alltoall(data, 1, MPI_INT, got, 1, MPI_INT, copy, &started));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Wait(&started, MPI_STATUS_IGNORE));
    CHECK(memcmp(got, like, sizeof got) == 0);
}

static void everything(void)
{
    /* Processes that are not in the communicator know the numbers after this. */
    const unsigned kept = next_common;
    if (comm == MPI_COMM_NULL)
        return;
    for (way = 0; way < WAYS; way++) {
        for (int operation = 0; operation < OPERATIONS; operation++)
            for (int times = 0; times < 3; times++)
                run(operation);
        absolute();
    }
    at_once(0);
    at_once(1);
    freed();
    OK(MPI_Comm_free(&comm));
    next_common = kept;
}

/* --- Topologies */

static void grids(void)
{
    static const struct { int n, dims[3], periods[3]; } all[] = {
        { 0, { 0 }, { 0 } },
        { 1, { 1 }, { 0 } }, { 1, { 1 }, { 1 } }, { 1, { 2 }, { 0 } }, { 1, { 2 }, { 1 } },
        { 1, { 3 }, { 1 } }, { 1, { 5 }, { 0 } }, { 1, { 7 }, { 1 } },
        { 2, { 1, 1 }, { 1, 1 } }, { 2, { 1, 2 }, { 1, 1 } }, { 2, { 2, 2 }, { 1, 1 } },
        { 2, { 2, 2 }, { 1, 0 } }, { 2, { 3, 2 }, { 0, 1 } }, { 2, { 2, 3 }, { 1, 1 } },
        { 2, { 1, 5 }, { 1, 0 } }, { 3, { 1, 2, 1 }, { 1, 1, 0 } }, { 3, { 2, 1, 3 }, { 1, 1, 1 } },
        { 3, { 2, 2, 2 }, { 1, 1, 1 } },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int product = 1;
        for (int d = 0; d < all[i].n; d++)
            product *= all[i].dims[d];
        if (product > size)
            continue;
        OK(MPI_Cart_create(MPI_COMM_WORLD, all[i].n, all[i].dims, all[i].periods, (int)i % 2, &comm));
        next_own += i;
        if (comm != MPI_COMM_NULL)
            grid_neighbors();
        everything();
    }
}

static void graphs(void)
{
    for (int round = 0; round < 5; round++) {
        /* Of edges in both directions; some come several times, and some lead nowhere else. */
        int lists[MOST][BLOCKS], degrees[MOST] = { 0 };
        int index[MOST] = { 0 }, edges[MOST * BLOCKS] = { 0 }, all = 0;
        const int nodes = 1 + common(size), number = common(3 * nodes + 1);
        for (int i = 0; i < number; i++) {
            const int a = common(nodes), b = common(nodes);
            if (degrees[a] >= BLOCKS - 1 || degrees[b] >= BLOCKS - 1)
                continue;
            lists[a][degrees[a]++] = b;
            if (a != b)
                lists[b][degrees[b]++] = a;
        }
        for (int node = 0; node < nodes; node++) {
            shuffle(&next_common, degrees[node], lists[node]);
            memcpy(edges + all, lists[node], (size_t)degrees[node] * sizeof(int));
            index[node] = all += degrees[node];
        }
        OK(MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, round % 2, &comm));
        if (comm != MPI_COMM_NULL)
            graph_neighbors();
        everything();
    }
}

static void distributed(void)
{
    static int weights[4 * MOST];
    for (int round = 0; round < 8; round++) {
        /* Directed edges, among them none at all; some come several times. */
        int ends[2][4 * MOST], mine[2][BLOCKS] = { { 0 } }, n[2] = { 0 }, own_edges = 0;
        int one[4 * MOST] = { 0 }, given[2][4 * MOST] = { { 0 } };
        const int number = round == 0 ? 0 : common(4 * size);
        for (int i = 0; i < number; i++) {
            ends[0][i] = common(size), ends[1][i] = common(size), one[i] = 1, weights[i] = common(5);
            const int owner = common(size);
            if (ends[1][i] == rank)
                mine[0][n[0]++] = ends[0][i];
            if (ends[0][i] == rank)
                mine[1][n[1]++] = ends[1][i];
            if (owner == rank)
                given[0][own_edges] = ends[0][i], given[1][own_edges++] = ends[1][i];
        }
        CHECK(n[0] <= BLOCKS && n[1] <= BLOCKS);
        if (round % 2) {
            int *weighted = round % 4 == 1 ? MPI_UNWEIGHTED : weights;
            OK(MPI_Dist_graph_create(MPI_COMM_WORLD, own_edges, given[0], one, given[1], weighted,
                                     MPI_INFO_NULL, round % 3 == 0, &comm));
        } else {
            int *weighted = round % 4 == 2 ? MPI_UNWEIGHTED : weights;
            shuffle(&next_own, n[0], mine[0]);
            shuffle(&next_own, n[1], mine[1]);
            OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n[0], mine[0], weighted, n[1], mine[1],
                                              weighted, MPI_INFO_NULL, round % 3 == 0, &comm));
        }
        distributed_neighbors();
        everything();
    }
}

/* A duplicate has the topology, and is another communicator. */
static void duplicates(void)
{
    const int dims[] = { size }, periods[] = { 1 };
    MPI_Comm grid;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid));
    OK(MPI_Comm_dup(grid, &comm));
    OK(MPI_Comm_free(&grid));
    grid_neighbors();
    everything();
}

/* --- Mistakes */

/* Every operation fails like this. */
static void all_fail(int class_, MPI_Comm on, void *send, void *receive, Count count, MPI_Datatype type)
{
    const Count counts[] = { count, count };
    const Displ displs[] = { 0, 1 };
    const MPI_Aint bytes[] = { 0, 4 };
    const MPI_Datatype each[] = { type, type };
    for (way = 0; way < WAYS; way++) {
        way_request = MPI_REQUEST_NULL;
        FAILS(class_, RUN(Neighbor_allgather, neighbor_allgather, send, count, type, receive, count,
                          type, on));
        FAILS(class_, RUN(Neighbor_allgatherv, neighbor_allgatherv, send, count, type, receive, counts,
                          displs, type, on));
        FAILS(class_, RUN(Neighbor_alltoall, neighbor_alltoall, send, count, type, receive, count, type,
                          on));
        FAILS(class_, RUN(Neighbor_alltoallv, neighbor_alltoallv, send, counts, displs, type, receive,
                          counts, displs, type, on));
        /* Displacements may be addresses there, and the null pointer is where they begin. */
        if (send && receive)
            FAILS(class_, RUN(Neighbor_alltoallw, neighbor_alltoallw, send, counts, bytes, each, receive,
                              counts, bytes, each, on));
    }
}

static void mistakes(void)
{
    int data[4] = { 0 }, got[4] = { 0 };
    const int dims[] = { 1 }, periods[] = { 1 };
    MPI_Comm grid, plain;
    MPI_Datatype uncommitted;
    OK(MPI_Cart_create(MPI_COMM_SELF, 1, dims, periods, 0, &grid));
    OK(MPI_Comm_split(grid, 0, 0, &plain));
    OK(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
    all_fail(MPI_ERR_TOPOLOGY, MPI_COMM_WORLD, data, got, 1, MPI_INT);
    all_fail(MPI_ERR_TOPOLOGY, plain, data, got, 1, MPI_INT);
    all_fail(MPI_ERR_COMM, MPI_COMM_NULL, data, got, 1, MPI_INT);
    all_fail(MPI_ERR_COUNT, grid, data, got, -1, MPI_INT);
    all_fail(MPI_ERR_TYPE, grid, data, got, 1, MPI_DATATYPE_NULL);
    all_fail(MPI_ERR_TYPE, grid, data, got, 1, uncommitted);
    all_fail(MPI_ERR_BUFFER, grid, MPI_IN_PLACE, got, 1, MPI_INT);
    all_fail(MPI_ERR_BUFFER, grid, data, MPI_IN_PLACE, 1, MPI_INT);
    all_fail(MPI_ERR_BUFFER, grid, NULL, got, 1, MPI_INT);
    all_fail(MPI_ERR_BUFFER, grid, data, NULL, 1, MPI_INT);
    /* Data that is received where other data is sent from. */
    all_fail(MPI_ERR_BUFFER, grid, data, data, 1, MPI_INT);
    /* Nothing needs no buffers, nor do blocks of no neighbors need room. */
    for (way = 0; way < WAYS; way++) {
        OK(RUN(Neighbor_allgather, neighbor_allgather, NULL, 0, MPI_INT, NULL, 0, MPI_INT, grid));
        OK(RUN(Neighbor_alltoall, neighbor_alltoall, NULL, 0, MPI_INT, NULL, 0, MPI_INT, grid));
    }
    OK(MPI_Type_free(&uncommitted));
    OK(MPI_Comm_free(&plain));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Cart_create(MPI_COMM_SELF, 0, dims, periods, 0, &grid));
    for (way = 0; way < WAYS; way++)
        OK(RUN(Neighbor_alltoall, neighbor_alltoall, NULL, 1, MPI_INT, NULL, 1, MPI_INT, grid));
    OK(MPI_Comm_free(&grid));
    if (size > 1) {
        MPI_Comm half, between;
        OK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half));
        OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 5, &between));
        all_fail(MPI_ERR_TOPOLOGY, between, data, got, 1, MPI_INT);
        OK(MPI_Comm_free(&between));
        OK(MPI_Comm_free(&half));
    }
}

int main(void)
{
    begin(&rank, &size);
    CHECK(size <= MOST);
    next_own = 77u * (unsigned)rank + 5;
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (char)own(256);
    make_types();
    grids();
    graphs();
    distributed();
    duplicates();
    mistakes();
    for (int i = 1; i < TYPES; i++)
        OK(MPI_Type_free(&types[i]));
    OK(MPI_Finalize());
    return 0;
}
