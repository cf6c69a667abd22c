/* A thread waits with MPIX_Sync_waitall for generalized requests that another thread completes at the same
   moment. */
#include <mpi-ext.h>
#include <stdatomic.h>

#include "threads.h"

enum { TURNS = 150000 };

static atomic_long turn;
static MPI_Request request;

static int query(void *state, MPI_Status *status)
{
    (void)state;
    OK(MPI_Status_set_elements(status, MPI_INT, 0));
    OK(MPI_Status_set_cancelled(status, 0));
    return MPI_SUCCESS;
}

static int nothing_to_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int not_cancelled(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* Neither thread comes always first. */
static void a_moment(unsigned *seed, unsigned most)
{
    *seed = *seed * 1103515245u + 12345u;
    for (volatile unsigned n = (*seed >> 16) % most; n > 0; n--) { }
}

static void complete_them(void)
{
    unsigned seed = 1;
    for (long i = 1; i <= TURNS; i++) {
        while (atomic_load(&turn) != 2 * i - 1) { }
        MPI_Request own = request;
        a_moment(&seed, 400);
        OK(MPI_Grequest_complete(own));
        atomic_store(&turn, 2 * i);
    }
}

static void wait_for_them(void)
{
    unsigned seed = 2;
    MPIX_Sync sync;
    OK(MPIX_Sync_init(&sync));
    for (long i = 1; i <= TURNS; i++) {
        OK(MPI_Grequest_start(query, nothing_to_free, not_cancelled, NULL, &request));
        MPI_Request own = request;
        OK(MPIX_Sync_attach(sync, &own, MPIX_SYNC_NO_COMPLETION_DATA));
        atomic_store(&turn, 2 * i - 1);
        a_moment(&seed, 200);
        OK(MPIX_Sync_waitall(sync));
        while (atomic_load(&turn) != 2 * i) { }
    }
    MPIX_Sync_free(&sync);
}

static void work(int thread)
{
    if (thread == 0) wait_for_them();
    else complete_them();
}

int main(void)
{
    int rank, size;
    begin_threads(&rank, &size);
    threads = 2;
    together(work);
    MPI_Finalize();
    return 0;
}
