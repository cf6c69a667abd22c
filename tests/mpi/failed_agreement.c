/* A process dies before it hands the number of a new communicator on: those below it in the tree get an
   error, and so do those below them, and no process waits for ever. Rank 0 ends the job with 42. */
#include "check.h"

#include <signal.h>

enum { RANKS = 8, DEAD = 4, REPORT = 3 };

static int duplicate(int blocking)
{
    MPI_Comm comm;
    MPI_Request request;
    int code;
    if (blocking)
        return MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    code = MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

int main(void)
{
    int rank, size, data[RANKS] = {0}, got[RANKS], codes[2], all[RANKS][2] = {{0}};
    begin(&rank, &size);
    CHECK(size == RANKS);
    /* Every connection is there. */
    for (int round = 0; round < 3; round++)
        OK(MPI_Alltoall(data, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == DEAD)
        raise(SIGKILL);
    for (int blocking = 0; blocking < 2; blocking++)
        codes[blocking] = class_of(duplicate(blocking));
    if (rank > 0) {
        OK(MPI_Send(codes, 2, MPI_INT, 0, REPORT, MPI_COMM_WORLD));
        /* Until rank 0 ends the job. */
        MPI_Recv(got, 1, MPI_INT, 0, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return 1;
    }
    for (int other = 1; other < size; other++)
        if (other != DEAD)
            OK(MPI_Recv(all[other], 2, MPI_INT, other, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int blocking = 0; blocking < 2; blocking++) {
        for (int other = 1; other < DEAD; other++)
            CHECK(all[other][blocking] == MPI_SUCCESS);
        for (int other = DEAD + 1; other < size; other++)
            CHECK(all[other][blocking] == MPI_ERR_PROC_ABORTED);
    }
    MPI_Abort(MPI_COMM_WORLD, 42);
}
