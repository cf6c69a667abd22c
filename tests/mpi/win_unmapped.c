/* A process that can map no more memory, so that its device's operations fail or its target's lock is out of reach, ends
   its epochs all the same, and so do the others: argument "fence", "lock" or "lock_all". An operation may end with an
   error; one that does not has done what it should. */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "check.h"

enum { BYTES = 65536 };

static void map_no_more(void)
{
    long pages;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    struct rlimit limit = { pages * 4096, RLIM_INFINITY };
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void map_again(void)
{
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

static char data[BYTES];

/* An epoch of locks of rank 0. Whether all of it went well. */
static int lock(MPI_Win win, int all)
{
    if (!all) map_no_more();
    int error = all ? MPI_Win_lock_all(0, win) : MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    if (all) map_no_more();
    if (error) {
        map_again();
        return 0;
    }
    error = MPI_Put(data, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
    map_again();
    int ended = all ? MPI_Win_unlock_all(win) : MPI_Win_unlock(1, win);
    return !error && !ended;
}

static int fence(MPI_Win win, int rank)
{
    int error = 0;
    OK(MPI_Win_fence(0, win));
    if (rank == 0) {
        map_no_more();
        error = MPI_Put(data, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        map_again();
    }
    int ended = MPI_Win_fence(0, win);
    CHECK(rank == 0 || !ended);
    return !error && !ended;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int rank, good = 0;
    char *base;
    MPI_Win win;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    memset(data, 1, BYTES);
    OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    memset(base, 0, BYTES);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (strcmp(kind, "fence") == 0) good = fence(win, rank);
    else if (rank == 0) good = lock(win, strcmp(kind, "lock_all") == 0);
    OK(MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD));
    /* What comes later is as if nothing had been. */
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
        OK(MPI_Put(data, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, win));
        OK(MPI_Win_unlock(1, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (int index = 0; rank == 1 && index < BYTES; index++) CHECK(base[index] == 1 || (index > 0 && !good));
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Finalize());
    return 0;
}
