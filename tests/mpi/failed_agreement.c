/* A process dies before it hands the number of a new communicator on: those below it in the tree get an
   error, and so do those below them, and no process waits for ever. Nor does what is sent on a communicator
   to a process that could not hand its number on. Rank 0 ends the job with 42. */
#include "counters.h"

#include <signal.h>

enum { RANKS = 8, DEAD = 4, REPORT = 3 };

static int duplicate(int blocking, MPI_Comm *comm)
{
    MPI_Request request;
    int code;
    if (blocking)
        return MPI_Comm_dup(MPI_COMM_WORLD, comm);
    code = MPI_Comm_idup(MPI_COMM_WORLD, comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

int main(void)
{
    int rank, size, data[RANKS] = {0}, got[RANKS], codes[2], all[RANKS][2] = {{0}};
    begin(&rank, &size);
    CHECK(size == RANKS);
    begin_counting(MPI_THREAD_SINGLE);
    /* Messages that no receive can get. */
    MPI_T_pvar_handle dropped = started_counter("pml_ob1_dropped");
    /* Every connection is there. */
    for (int round = 0; round < 3; round++)
        OK(MPI_Alltoall(data, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == DEAD)
        raise(SIGKILL);
    /* Rank 0 knows it before it hands anything on. */
    if (rank == 0)
        CHECK(class_of(MPI_Recv(got, 1, MPI_INT, DEAD, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) ==
              MPI_ERR_PROC_ABORTED);
    for (int blocking = 0; blocking < 2; blocking++) {
        MPI_Comm comm;
        codes[blocking] = class_of(duplicate(blocking, &comm));
        if (rank == 1)
            OK(MPI_Send(codes, 1, MPI_INT, 0, REPORT, comm));
    }
    if (rank > 0) {
        OK(MPI_Send(codes, 2, MPI_INT, 0, REPORT, MPI_COMM_WORLD));
        /* Until rank 0 ends the job. */
        MPI_Recv(got, 1, MPI_INT, 0, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return 1;
    }
    for (int other = 1; other < size; other++)
        if (other != DEAD)
            OK(MPI_Recv(all[other], 2, MPI_INT, other, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    /* What comes before rank 0 knows that it can't use a communicator is dropped when some were freed. */
    for (int round = 0; round < 20; round++) {
        MPI_Comm comm;
        OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
        OK(MPI_Comm_free(&comm));
    }
    CHECK(counted(dropped) == 2);
    for (int blocking = 0; blocking < 2; blocking++) {
        CHECK(codes[blocking] == MPI_ERR_PROC_ABORTED);
        for (int other = 1; other < DEAD; other++)
            CHECK(all[other][blocking] == MPI_SUCCESS);
        for (int other = DEAD + 1; other < size; other++)
            CHECK(all[other][blocking] == MPI_ERR_PROC_ABORTED);
    }
    MPI_Abort(MPI_COMM_WORLD, 42);
}
