/* A process that waits sleeps until a message wakes it: rank 1 sends, now and then, until rank 0 has been
   woken at least once instead of having looked by itself. */
#define _GNU_SOURCE
#include "counters.h"

#include <unistd.h>

enum { TRIES = 500 };

int main(void)
{
    int rank, size, number, woken = 0;
    begin(&rank, &size);
    CHECK(size == 2);
    begin_counting(MPI_THREAD_SINGLE);
    MPI_T_pvar_handle wake_ups = counter("mca_wait_wake_ups");
    /* What it slept through before does not count. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_T_pvar_start(counters, wake_ups));
    for (int i = 0; i < TRIES && !woken; i++)
        if (rank == 0) {
            OK(MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            woken = counted(wake_ups) > 0;
            OK(MPI_Send(&woken, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        } else {
            /* So that the other one goes to sleep; if not, there is another try. */
            usleep(5000);
            OK(MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
            OK(MPI_Recv(&woken, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    CHECK(woken);
    end_counting();
    OK(MPI_Finalize());
    return 0;
}
