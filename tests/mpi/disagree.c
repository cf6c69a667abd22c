/* Runs with coll_check, with three or more processes. Ranks that do not call the same collective operation get
   an error that says who called what, all of them, and go on. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

static int rank, size;

/* Which mistake the program makes with errors that are fatal, so that their texts are seen. */
static void fatal(const char *what)
{
    int last = rank == size - 1, one = 1, other[2] = { 0, 0 };
    Count *counts = calloc((size_t)size, sizeof *counts);
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
    }
    CHECK(0);
}

/* The last rank does not come before another one has said that it is waited for, which that writes to a file. */
static void wait_for_the_last(const char *path)
{
    static char text[10000];
    FILE *file;
    MPI_Request request;
    OK(MPI_Comm_set_name(MPI_COMM_WORLD, "all"));
    if (rank == 0)
        CHECK(freopen(path, "w", stderr));
    /* What it begins meanwhile is none that the others wait for. */
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    while (rank == size - 1 && !strstr(text, "(coll_check)")) {
        usleep(10000);
        if ((file = fopen(path, "r"))) {
            text[fread(text, 1, sizeof text - 1, file)] = 0;
            fclose(file);
        }
    }
    if (rank == size - 1)
        CHECK(strstr(text, "rank 0 waits in MPI_Barrier on \"all\" for rank 2, which called no blocking"));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    begin(&rank, &size);
    if (argc > 2) {
        wait_for_the_last(argv[2]);
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
    if (last)
        OK(MPI_Ibarrier(comm, &request));
    FAILS(MPI_ERR_OTHER, MPI_Barrier(comm));
    if (!last)
        OK(MPI_Ibarrier(comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(comm));
    OK(MPI_Comm_free(&comm));

    free(displs);
    free(counts);
    free(more);
    free(data);
    OK(MPI_Finalize());
    return 0;
}
