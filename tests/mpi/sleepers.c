/* A process that waits sleeps until a message wakes it: rank 1 sends, now and then, until rank 0 has been
   woken at least once instead of having looked by itself. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

enum { TRIES = 500 };

static MPI_T_pvar_session session;
static MPI_T_pvar_handle wake_ups;

static void watch(void)
{
    int provided, index, count;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_get_index("mca_wait_wake_ups", MPI_T_PVAR_CLASS_COUNTER, &index));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &wake_ups, &count));
    CHECK(count == 1);
}

static int was_woken(void)
{
    unsigned long long value;
    OK(MPI_T_pvar_read(session, wake_ups, &value));
    return value > 0;
}

int main(void)
{
    int rank, size, number, woken = 0;
    begin(&rank, &size);
    CHECK(size == 2);
    watch();
    /* What it slept through before does not count. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_T_pvar_start(session, wake_ups));
    for (int i = 0; i < TRIES && !woken; i++)
        if (rank == 0) {
            OK(MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            woken = was_woken();
            OK(MPI_Send(&woken, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        } else {
            /* So that the other one goes to sleep; if not, there is another try. */
            usleep(5000);
            OK(MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
            OK(MPI_Recv(&woken, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    CHECK(woken);
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    OK(MPI_Finalize());
    return 0;
}
