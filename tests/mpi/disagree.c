/* Runs with coll_check, with three or more processes. Ranks that do not call the same collective operation get
   an error that says who called what, all of them, and go on. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

static int rank, size;

/* A communicator between the first two ranks and the others; errors are returned. */
static MPI_Comm groups(void)
{
    MPI_Comm half, between;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank >= 2, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank >= 2 ? 0 : 2, 1, &between));
    OK(MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN));
    OK(MPI_Comm_free(&half));
    return between;
}

/* So many ranks, each with the one below it and the one above as neighbors, around; none for the other ranks. */
static MPI_Comm ring(int ranks)
{
    const int periods[] = { 1 };
    MPI_Comm comm;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, periods, 0, &comm));
    return comm;
}

/* Which mistake the program makes with errors that are fatal, so that their texts are seen. */
static void fatal(const char *what)
{
    int last = rank == size - 1, one = 1, other[64] = { 0 }, more[64];
    Count ones[] = { 1, 1, 1, 1 }, *counts = calloc((size_t)size, sizeof *counts);
    Displ *displs = calloc((size_t)size, sizeof *displs);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    if (strcmp(what, "root") == 0) {
        MPI_Bcast(&one, 1, MPI_INT, last, MPI_COMM_WORLD);
    } else if (strcmp(what, "operation") == 0) {
        if (last)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Allreduce(&one, other, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    } else if (strcmp(what, "block") == 0) {
        for (int n = 0; n < size; n++)
            counts[n] = n == size - 1 ? 2 : 0;
        MPI_Gatherv(&one, last, MPI_INT, other, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strncmp(what, "between", 7) == 0) {
        MPI_Comm comm = groups();
        OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
        if (strcmp(what, "between-root") == 0)
            MPI_Bcast(&one, 1, MPI_INT, rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 1, comm);
        else if (strcmp(what, "between-bytes") == 0)
            MPI_Allgather(&one, 1, MPI_INT, other, rank < 2 ? 1 : 2, MPI_INT, comm);
        else
            MPI_Alltoallv(&one, ones, displs, MPI_INT, other, last ? counts : ones, displs, MPI_INT, comm);
    } else if (strcmp(what, "neighbors") == 0) {
        MPI_Comm comm = ring(size);
        OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
        MPI_Neighbor_allgather(other, rank == 1 ? 2 : 1, MPI_INT, more, 1, MPI_INT, comm);
    }
    CHECK(0);
}

/* The last rank does not come before another one has said that it is waited for, which that writes to a file. */
static void wait_for_the_last(MPI_Comm comm, const char *awaited, const char *path)
{
    static char text[10000], wanted[100];
    FILE *file;
    MPI_Request request;
    OK(MPI_Comm_set_name(comm, "all"));
    if (rank == 0)
        CHECK(freopen(path, "w", stderr));
    /* What it begins meanwhile is none that the others wait for. */
    OK(MPI_Ibarrier(comm, &request));
    while (rank == size - 1 && !strstr(text, "(coll_check)")) {
        usleep(10000);
        if ((file = fopen(path, "r"))) {
            text[fread(text, 1, sizeof text - 1, file)] = 0;
            fclose(file);
        }
    }
    snprintf(wanted, sizeof wanted, "rank 0 waits in MPI_Barrier on \"all\" for %s, which called no", awaited);
    if (rank == size - 1)
        CHECK(strstr(text, wanted));
    OK(MPI_Barrier(comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* A nonblocking operation that some begin before a barrier and the others after it. */
static void begun_by_some(MPI_Comm comm, int before)
{
    MPI_Request request;
    if (before)
        OK(MPI_Ibarrier(comm, &request));
    FAILS(MPI_ERR_OTHER, MPI_Barrier(comm));
    if (!before)
        OK(MPI_Ibarrier(comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(comm));
}

/* Between groups: what a rank calls must fit what those of its own group call, and those of the other. */
static void between(void)
{
    const int side = rank >= 2, last = rank == size - 1, others = side ? 2 : size - 2;
    const int locals = size - others, me = side ? rank - 2 : rank;
    /* What a rank gives as root where that is rank 1 of MPI_COMM_WORLD, and where it is rank 2. */
    const int first = rank == 1 ? MPI_ROOT : side ? 1 : MPI_PROC_NULL;
    const int second = rank == 2 ? MPI_ROOT : side ? MPI_PROC_NULL : 0;
    int data[64] = { 0 }, more[64];
    Count counts[8], ones[8], wrong[8];
    Displ displs[8], bytes[8];
    MPI_Datatype types[8];
    MPI_Comm comm = groups();
    for (int n = 0; n < 8; n++)
        counts[n] = ones[n] = wrong[n] = 1, displs[n] = (Displ)n, bytes[n] = (Displ)(4 * n), types[n] = MPI_INT;

    /* Groups may send each other different amounts, and divide one vector as they like. */
    OK(MPI_Barrier(comm));
    OK(MPI_Bcast(data, 3, MPI_INT, first, comm));
    OK(MPI_Reduce(data, more, rank ? 3 : 7, rank ? MPI_INT : MPI_CHAR, MPI_SUM, first, comm));
    OK(MPI_Allgather(data, 1 + side, MPI_INT, more, 2 - side, MPI_INT, comm));
    OK(MPI_Alltoall(data, 3 * side, MPI_INT, more, 3 - 3 * side, MPI_INT, comm));
    OK(MPI_Allreduce(data, more, 1, MPI_INT, MPI_SUM, comm));
    OK(MPI_Reduce_scatter_block(data, more, (Count)others, MPI_INT, MPI_SUM, comm));
    for (int n = 0; n < locals; n++)
        counts[n] = n ? 0 : 5;
    OK(MPI_Reduce_scatter(data, more, counts, MPI_INT, MPI_SUM, comm));
    OK(MPI_Gatherv(data, 1, MPI_INT, more, ones, displs, MPI_INT, second, comm));
    OK(MPI_Scatterv(data, ones, displs, MPI_INT, more, 1, MPI_INT, first, comm));

    /* Another operation in a group, and in all of one. */
    if (last)
        FAILS(MPI_ERR_OTHER, MPI_Barrier(comm));
    else
        FAILS(MPI_ERR_OTHER, MPI_Bcast(data, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, comm));
    if (side)
        FAILS(MPI_ERR_OTHER, MPI_Allgather(data, 1, MPI_INT, more, 1, MPI_INT, comm));
    else
        FAILS(MPI_ERR_OTHER, MPI_Alltoall(data, 1, MPI_INT, more, 1, MPI_INT, comm));

    /* Another rank than the root, two roots, a root in each group, and none. */
    FAILS(MPI_ERR_ROOT, MPI_Bcast(data, 1, MPI_INT, side ? 0 : first, comm));
    FAILS(MPI_ERR_ROOT, MPI_Gather(data, 1, MPI_INT, more, 1, MPI_INT, side ? 0 : MPI_ROOT, comm));
    FAILS(MPI_ERR_ROOT,
          MPI_Reduce(data, more, 1, MPI_INT, MPI_SUM, me == 0 ? MPI_ROOT : MPI_PROC_NULL, comm));
    FAILS(MPI_ERR_ROOT, MPI_Scatter(data, 1, MPI_INT, more, 1, MPI_INT, 0, comm));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(data, 1, MPI_INT, MPI_PROC_NULL, comm));

    /* Counts, of one rank, and of one group that does not expect what the other sends. */
    FAILS(MPI_ERR_COUNT, MPI_Bcast(data, 1 + last, MPI_INT, first, comm));
    FAILS(MPI_ERR_COUNT, MPI_Gather(data, 2, MPI_INT, more, 1, MPI_INT, second, comm));
    FAILS(MPI_ERR_COUNT, MPI_Scatter(data, 2, MPI_INT, more, 1, MPI_INT, second, comm));
    FAILS(MPI_ERR_COUNT, MPI_Reduce(data, more, 1 + (rank == 2), MPI_INT, MPI_SUM, second, comm));
    FAILS(MPI_ERR_COUNT, MPI_Allgather(data, 1 + side, MPI_INT, more, 1 + side, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Alltoall(data, 1 + last, MPI_INT, more, 1, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Allreduce(data, more, 1 + side, MPI_INT, MPI_SUM, comm));
    FAILS(MPI_ERR_COUNT,
          MPI_Reduce_scatter_block(data, more, (Count)(others + side), MPI_INT, MPI_SUM, comm));
    counts[0] -= rank == 1, counts[1] += rank == 1;
    FAILS(MPI_ERR_COUNT, MPI_Reduce_scatter(data, more, counts, MPI_INT, MPI_SUM, comm));
    FAILS(MPI_ERR_OP, MPI_Allreduce(data, more, 1, MPI_INT, last ? MPI_MAX : MPI_SUM, comm));
    FAILS(MPI_ERR_OP, MPI_Reduce(data, more, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, second, comm));

    /* Counts by block. */
    wrong[others - 1] = 1 + last;
    FAILS(MPI_ERR_COUNT, MPI_Gatherv(data, 1, MPI_INT, more, wrong, displs, MPI_INT,
                                     last ? MPI_ROOT : side ? MPI_PROC_NULL : size - 3, comm));
    FAILS(MPI_ERR_COUNT, MPI_Scatterv(data, ones, displs, MPI_INT, more, 1 + last, MPI_INT, first, comm));
    FAILS(MPI_ERR_COUNT, MPI_Allgatherv(data, 1, MPI_INT, more, wrong, displs, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT,
          MPI_Alltoallv(data, wrong, displs, MPI_INT, more, ones, displs, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Alltoallw(data, ones, bytes, types, more, wrong, bytes, types, comm));

    /* Blocks that are received at one place. */
    displs[1] = last ? 0 : 1;
    FAILS(MPI_ERR_BUFFER, MPI_Allgatherv(data, 1, MPI_INT, more, ones, displs, MPI_INT, comm));

    /* A nonblocking operation that not all have begun. */
    begun_by_some(comm, last);
    OK(MPI_Comm_free(&comm));
}

/* What goes along each edge. */
static void neighbors(void)
{
    const int last = rank == size - 1;
    int data[64] = { 0 }, more[64];
    Count ones[] = { 1, 1, 1 }, larger[] = { 1, 2, 1 }, turned[] = { 2, 1, 1 };
    Displ apart[] = { 0, 2, 4 }, overlapping[] = { 2, 2, 4 };
    MPI_Aint bytes[] = { 0, 8, 16 }, same[] = { 0, 2, 16 };
    MPI_Datatype types[] = { MPI_INT, MPI_INT, MPI_INT };
    MPI_Request request;
    MPI_Comm comm = ring(size);
    OK(MPI_Neighbor_alltoallv(data, ones, apart, MPI_INT, more, ones, apart, MPI_INT, comm));
    OK(MPI_Neighbor_alltoallw(data, ones, bytes, types, more, ones, bytes, types, comm));
    if (last)
        FAILS(MPI_ERR_OTHER, MPI_Neighbor_allgather(data, 1, MPI_INT, more, 1, MPI_INT, comm));
    else
        FAILS(MPI_ERR_OTHER, MPI_Neighbor_alltoall(data, 1, MPI_INT, more, 1, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Neighbor_allgather(data, 1 + last, MPI_INT, more, 1, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Neighbor_allgatherv(data, 1, MPI_INT, more, last ? larger : ones, apart,
                                                 MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Neighbor_alltoall(data, 1, MPI_INT, more, 1 + last, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Neighbor_alltoallv(data, last ? larger : ones, apart, MPI_INT, more, ones,
                                                apart, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT, MPI_Neighbor_alltoallw(data, ones, bytes, types, more, last ? larger : ones,
                                                bytes, types, comm));

    /* Blocks that are received on each other: of one rank, and all are told; nonblocking ones can't tell. */
    Displ *places = last ? overlapping : apart;
    FAILS(MPI_ERR_BUFFER, MPI_Neighbor_allgatherv(data, 1, MPI_INT, more, ones, places, MPI_INT, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Neighbor_alltoallv(data, ones, apart, MPI_INT, more, ones, places, MPI_INT,
                                                 comm));
    FAILS(MPI_ERR_BUFFER, MPI_Neighbor_alltoallw(data, ones, bytes, types, more, ones, last ? same : bytes,
                                                 types, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Ineighbor_alltoallv(data, ones, apart, MPI_INT, more, ones, overlapping,
                                                  MPI_INT, comm, &request));
    OK(MPI_Neighbor_alltoall(data, 1, MPI_INT, more, 1, MPI_INT, comm));
    OK(MPI_Comm_free(&comm));

    /* Two ranks around are neighbors twice. What goes downwards comes from above. */
    comm = ring(2);
    if (comm != MPI_COMM_NULL) {
        OK(MPI_Neighbor_alltoallv(data, larger, apart, MPI_INT, more, turned, apart, MPI_INT, comm));
        FAILS(MPI_ERR_COUNT,
              MPI_Neighbor_alltoallv(data, larger, apart, MPI_INT, more, larger, apart, MPI_INT, comm));
        OK(MPI_Comm_free(&comm));
    }

    /* Two edges to the next rank, and one that goes nowhere else, in the order in which they were given. */
    const int from[] = { (rank + size - 1) % size, (rank + size - 1) % size, rank };
    const int to[] = { (rank + 1) % size, (rank + 1) % size, rank };
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, MPI_UNWEIGHTED, 3, to, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &comm));
    OK(MPI_Neighbor_alltoallv(data, larger, apart, MPI_INT, more, larger, apart, MPI_INT, comm));
    FAILS(MPI_ERR_COUNT,
          MPI_Neighbor_alltoallv(data, larger, apart, MPI_INT, more, turned, apart, MPI_INT, comm));
    larger[2] = 1 + last;
    turned[0] = 1, turned[1] = 2;
    FAILS(MPI_ERR_COUNT,
          MPI_Neighbor_alltoallv(data, larger, apart, MPI_INT, more, turned, apart, MPI_INT, comm));
    OK(MPI_Comm_free(&comm));

    /* An edge that only one of its ends knows. */
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, last ? 1 : 2, from, MPI_UNWEIGHTED, 2, to,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Neighbor_alltoall(data, 1, MPI_INT, more, 1, MPI_INT, comm));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin(&rank, &size);
    if (argc > 2) {
        const int within = strcmp(argv[1], "late") == 0;
        MPI_Comm comm = within ? MPI_COMM_WORLD : groups();
        wait_for_the_last(comm, within ? "rank 2" : "rank 0 of the other group", argv[2]);
        return MPI_Finalize();
    }
    if (argc > 1)
        fatal(argv[1]);
    int last = rank == size - 1;
    int *data = calloc(4 * (size_t)size, sizeof *data), *more = calloc(4 * (size_t)size, sizeof *more);
    Count *counts = calloc((size_t)size, sizeof *counts);
    Displ *displs = calloc((size_t)size, sizeof *displs);

    /* Another operation, root, count or reduction operation; a type of the same size is no mistake. */
    if (last)
        FAILS(MPI_ERR_OTHER, MPI_Barrier(MPI_COMM_WORLD));
    else
        FAILS(MPI_ERR_OTHER, MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(data, 1, MPI_INT, last, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Allreduce(data, more, 1 + last, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    FAILS(MPI_ERR_OP, MPI_Scan(data, more, 1, MPI_INT, last ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Gather(data, 1 + last, MPI_INT, more, 1, MPI_INT, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Allgather(data, 1, MPI_INT, more, 2, MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Alltoall(data, 1, MPI_INT, more, 2, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, more, 2, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Bcast(data, 4, last ? MPI_BYTE : MPI_CHAR, 0, MPI_COMM_WORLD));

    /* Counts by block. */
    Count ones[64];
    for (int n = 0; n < size; n++) {
        counts[n] = ones[n] = 1;
        displs[n] = (Displ)n;
    }
    OK(MPI_Allgatherv(data, 1, MPI_INT, more, counts, displs, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Alltoallv(data, counts, displs, MPI_INT, more, counts, displs, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter(data, more, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Gatherv(data, 1, MPI_INT, more, counts, displs, MPI_INT, 1, MPI_COMM_WORLD));
    OK(MPI_Scatterv(data, counts, displs, MPI_INT, more, 1, MPI_INT, 1, MPI_COMM_WORLD));
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, more, counts, displs, MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT,
          MPI_Gatherv(data, 1 + last, MPI_INT, more, counts, displs, MPI_INT, 0, MPI_COMM_WORLD));
    if (last)
        counts[0] = 2;
    FAILS(MPI_ERR_COUNT, MPI_Reduce_scatter(data, more, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT,
          MPI_Alltoallv(data, counts, displs, MPI_INT, more, ones, displs, MPI_INT, MPI_COMM_WORLD));

    /* Blocks that are received at one place: one process finds that in what it calls, and all are told. */
    MPI_Request request = MPI_REQUEST_NULL;
    if (last)
        displs[1] = 0;
    FAILS(MPI_ERR_BUFFER,
          MPI_Allgatherv(data, 1, MPI_INT, more, ones, displs, MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER,
          MPI_Gatherv(data, 1, MPI_INT, more, ones, displs, MPI_INT, size - 1, MPI_COMM_WORLD));
    /* A nonblocking operation can't tell others, so all make the mistake. */
    displs[1] = 0;
    FAILS(MPI_ERR_BUFFER,
          MPI_Allgatherv(data, 1, MPI_INT, more, ones, displs, MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER,
          MPI_Iallgatherv(data, 1, MPI_INT, more, ones, displs, MPI_INT, MPI_COMM_WORLD, &request));

    /* A nonblocking operation that not all have begun is found by the next blocking one. */
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Ibarrier(comm, &request));
    OK(MPI_Barrier(comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    begun_by_some(comm, last);
    OK(MPI_Comm_free(&comm));

    between();
    neighbors();
    free(displs);
    free(counts);
    free(more);
    free(data);
    OK(MPI_Finalize());
    return 0;
}
