/* A handler of exit that calls MPI, as destructors of C++ do: by then the storage of the thread is gone. */
#include "check.h"

#include <stdlib.h>

static int rank, size;

static void handler(void)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size, in, sum;
    /* The processes have not talked to each other yet. */
    for (int n = 0; n < 70000; n++) {
        OK(MPI_Sendrecv(&n, 1, MPI_INT, next, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        CHECK(in == n);
    }
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size * (size - 1) / 2);
    /* Receives that wait until the other side has slept through its own. */
    for (int n = 0; n < 20; n++) {
        if (rank == n % size)
            OK(MPI_Send(&n, 1, MPI_INT, next, 2, MPI_COMM_WORLD));
        if (last == n % size)
            OK(MPI_Recv(&in, 1, MPI_INT, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_Finalize());
}

int main(void)
{
    begin(&rank, &size);
    CHECK(atexit(handler) == 0);
    exit(0);
}
