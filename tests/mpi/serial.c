/* Threads that wait while one of them polls for all sleep until something is theirs to do: a message wakes
   the thread it is for and no other, besides the one that polls and, when that is done, its successor. */
#include "counters.h"
#include "threads.h"

enum { ROUNDS = 400, WAITING = MOST_THREADS };

static int rank, size;
static MPI_Comm comms[MOST_THREADS];

/* Waits for its turn, and says that it has come. */
static void wait_for_turns(int thread)
{
    for (int i = 0; i < ROUNDS; i++) {
        int turn = -1;
        OK(MPI_Recv(&turn, 1, MPI_INT, 1, 0, comms[thread], MPI_STATUS_IGNORE));
        CHECK(turn == i);
        OK(MPI_Send(&turn, 1, MPI_INT, 1, 0, comms[thread]));
    }
}

/* One turn at a time, while all others wait. */
static void give_turns(void)
{
    for (int i = 0; i < ROUNDS; i++)
        for (int t = 0; t < threads; t++) {
            int back = -1, next = (t * 5 + i) % threads;
            OK(MPI_Send(&i, 1, MPI_INT, 0, 0, comms[next]));
            OK(MPI_Recv(&back, 1, MPI_INT, 0, 0, comms[next], MPI_STATUS_IGNORE));
            CHECK(back == i);
        }
}

int main(void)
{
    unsigned long woken;
    begin_threads(&rank, &size);
    CHECK(size == 2 && threads == WAITING);
    begin_counting(MPI_THREAD_MULTIPLE);
    MPI_T_pvar_handle wake_ups = counter("mca_wait_wake_ups");
    each_its_own(comms);
    OK(MPI_T_pvar_start(counters, wake_ups));
    if (rank == 0)
        together(wait_for_turns);
    else
        give_turns();
    woken = counted(wake_ups);
    if (rank == 0 && woken > 3 * ROUNDS * WAITING + WAITING)
        fprintf(stderr, "%lu wake-ups for %d messages\n", woken, ROUNDS * WAITING);
    CHECK(rank != 0 || woken <= 3 * ROUNDS * WAITING + WAITING);
    end_counting();
    free_all(comms);
    MPI_Finalize();
    return 0;
}
