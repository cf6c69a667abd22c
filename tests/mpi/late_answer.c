/* Rank 1 of three answers an access to its memory, and dies. Rank 0, which was busy meanwhile, may hear of its death
   before the answer. Whichever it is, the window goes on to serve the others. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "check.h"

enum { WORDS = 16384, GETS = 16, OVER = 1 };

int main(void)
{
    static long memory[WORDS], got[GETS][WORDS];
    long found = -1, one = 1;
    int rank, size;
    MPI_Win win;
    begin(&rank, &size);
    CHECK(size == 3);
    OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    /* Each has talked with each of the others. */
    for (int target = 0; target < size; target++) {
        OK(MPI_Fetch_and_op(&one, &found, MPI_LONG, target, 0, MPI_SUM, win));
        OK(MPI_Win_flush(target, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        for (int i = 0; i < GETS; i++) OK(MPI_Get(got[i], WORDS, MPI_LONG, 1, 0, WORDS, MPI_LONG, win));
        OK(MPI_Fetch_and_op(&one, &found, MPI_LONG, 1, 0, MPI_SUM, win));
        usleep(300000);
        int code = MPI_Win_flush(1, win);
        CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_PROC_ABORTED);
        for (int i = 0; i < 100; i++) {
            OK(MPI_Fetch_and_op(&one, &found, MPI_LONG, 2, 1, MPI_SUM, win));
            OK(MPI_Win_flush(2, win));
            CHECK(found == i);
        }
        OK(MPI_Send(NULL, 0, MPI_INT, 2, OVER, MPI_COMM_WORLD));
        MPI_Abort(MPI_COMM_WORLD, 42);
    } else if (rank == 2) {
        usleep(100000);
        OK(MPI_Send(NULL, 0, MPI_INT, 1, OVER, MPI_COMM_WORLD));
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        pause();
    }
    OK(MPI_Recv(NULL, 0, MPI_INT, 2, OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    raise(SIGKILL);
    return 1;
}
