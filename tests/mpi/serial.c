/* Threads that wait while one of them polls for all sleep until something is theirs to do: a message wakes
   the thread it is for and no other, besides the one that polls and, when that is done, its successor. */
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
    int level, index, count;
    unsigned long woken;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    begin_threads(&rank, &size);
    CHECK(size == 2 && threads == WAITING);
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_get_index("mca_wait_wake_ups", MPI_T_PVAR_CLASS_COUNTER, &index));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    each_its_own(comms);
    OK(MPI_T_pvar_start(session, handle));
    if (rank == 0)
        together(wait_for_turns);
    else
        give_turns();
    OK(MPI_T_pvar_read(session, handle, &woken));
    if (rank == 0 && woken > 3 * ROUNDS * WAITING + WAITING)
        fprintf(stderr, "%lu wake-ups for %d messages\n", woken, ROUNDS * WAITING);
    CHECK(rank != 0 || woken <= 3 * ROUNDS * WAITING + WAITING);
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    free_all(comms);
    MPI_Finalize();
    return 0;
}
