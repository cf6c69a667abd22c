/* Windows that no component serves, because osc_sm is the only one: all processes get the error, and go on. The
   first argument is "apart" where processes share only memory that is asked for as such, and "messages" where only
   osc_rdma is there, which has none; with a second one the last error ends the job. */
#include "check.h"

static int rank, size;

static MPI_Win win = MPI_WIN_NULL;

/* The same answer for all. */
static void refused(int class, int code)
{
    CHECK(class_of(code) == class);
    CHECK(win == MPI_WIN_NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int count, char **arguments)
{
    static long own[8];
    void *base, *library;
    begin(&rank, &size);
    int apart = count > 1 && strcmp(arguments[1], "apart") == 0;
    OK(MPI_Alloc_mem(sizeof own, MPI_INFO_NULL, &library));
    int messages = count > 1 && strcmp(arguments[1], "messages") == 0;
    for (int round = 0; messages && round < 3; round++) {
        refused(MPI_ERR_RMA_SHARED,
                MPI_Win_allocate_shared(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        OK(MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        OK(MPI_Win_free(&win));
    }
    for (int round = 0; !messages && round < 3; round++) {
        refused(MPI_ERR_OTHER, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        refused(MPI_ERR_OTHER, MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        /* One process is enough. */
        base = rank == size - 1 ? own : library;
        refused(MPI_ERR_OTHER, MPI_Win_create(base, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        if (apart) {
            refused(MPI_ERR_OTHER, MPI_Win_allocate(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
            OK(MPI_Win_allocate_shared(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
            OK(MPI_Win_free(&win));
        } else {
            OK(MPI_Win_create(library, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
            OK(MPI_Win_free(&win));
        }
        /* One process alone has all memory. */
        OK(MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_SELF, &win));
        OK(MPI_Win_free(&win));
    }
    OK(MPI_Free_mem(library));
    if (count > 2) {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    MPI_Finalize();
    return 0;
}
