/* One process operates on the memory of another one, which computes and calls nothing of MPI meanwhile: locks, puts,
   gets, and with argument "all" accumulates and their like, on memory of the window; with "large" puts and gets of
   many bytes on memory of malloc, where the system lets processes copy each other's memory; otherwise it says that it
   does not. No active message of osc_rdma is sent for them. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

#include "counters.h"

enum { LONGS = 16384, WORDS = 4 };

/* Those that osc_rdma has sent. */
static MPI_T_pvar_handle messages;

/* Puts `value` everywhere, gets it back, and tells the target by the last block. */
static void move(MPI_Win win, long *data, long *back, long value)
{
    for (int index = 0; index < LONGS; index++) data[index] = value + index;
    OK(MPI_Put(data, LONGS, MPI_LONG, 1, 0, LONGS, MPI_LONG, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Get(back, LONGS, MPI_LONG, 1, 0, LONGS, MPI_LONG, win));
    OK(MPI_Win_flush(1, win));
    CHECK(memcmp(data, back, LONGS * sizeof(long)) == 0);
}

static void change(MPI_Win win)
{
    long one = 1, old = -1, expected = 2, new = 40;
    int two = 2, before = -1;
    MPI_Aint words = 2 * LONGS;
    OK(MPI_Accumulate(&one, 1, MPI_LONG, 1, words, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, words, MPI_SUM, win));
    OK(MPI_Win_flush(1, win));
    CHECK(old == 1);
    OK(MPI_Compare_and_swap(&new, &expected, &old, MPI_LONG, 1, words, win));
    OK(MPI_Fetch_and_op(NULL, &one, MPI_LONG, 1, words, MPI_NO_OP, win));
    OK(MPI_Win_flush(1, win));
    CHECK(old == 2 && one == 40);
    OK(MPI_Get_accumulate(&two, 1, MPI_INT, &before, 1, MPI_INT, 1, words + 1, 1, MPI_INT, MPI_REPLACE, win));
    OK(MPI_Win_flush_local(1, win));
    CHECK(before == 0);
}

static void operate(MPI_Win win, bool changes)
{
    long *data = malloc(LONGS * sizeof(long)), *back = malloc(LONGS * sizeof(long));
    unsigned long before = counted(messages);
    for (int kind = 0; kind < 3; kind++) {
        if (kind == 2)
            OK(MPI_Win_lock_all(0, win));
        else
            OK(MPI_Win_lock(kind == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 1, 0, win));
        if (kind == 0 && changes) change(win);
        move(win, data, back, kind * LONGS);
        MPI_Request request;
        OK(MPI_Rput(data, LONGS, MPI_LONG, 1, 0, LONGS, MPI_LONG, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Rget(back, LONGS, MPI_LONG, 1, 0, LONGS, MPI_LONG, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (kind == 2)
            OK(MPI_Win_unlock_all(win));
        else
            OK(MPI_Win_unlock(1, win));
    }
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    OK(MPI_Put(data, LONGS, MPI_LONG, 1, LONGS, LONGS, MPI_LONG, win));
    OK(MPI_Win_unlock(1, win));
    CHECK(counted(messages) == before);
    free(data);
    free(back);
}

/* Whether the system lets this process copy memory of the other one. */
static bool may_copy(int rank, void *memory)
{
    struct { long pid; void *memory; } mine = { getpid(), memory }, theirs;
    OK(MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, 1 - rank, 0, &theirs, sizeof theirs, MPI_BYTE, 1 - rank, 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    char byte;
    struct iovec here = { &byte, 1 }, there = { theirs.memory, 1 };
    int may = process_vm_readv(theirs.pid, &here, 1, &there, 1, 0) == 1;
    OK(MPI_Allreduce(MPI_IN_PLACE, &may, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    return may;
}

int main(int argc, char **argv)
{
    int rank, size;
    CHECK(argc == 2);
    begin(&rank, &size);
    CHECK(size == 2);
    bool changes = strcmp(argv[1], "all") == 0;
    begin_counting(MPI_THREAD_SINGLE);
    messages = started_counter("osc_rdma_messages");
    MPI_Aint bytes = (2 * LONGS + WORDS) * sizeof(long);
    long *base = changes ? NULL : calloc(1, bytes);
    MPI_Win win;
    if (changes) {
        OK(MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        memset(base, 0, bytes);
    } else if (may_copy(rank, base)) {
        OK(MPI_Win_create(base, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    } else {
        if (rank == 0) puts("not permitted");
        free(base);
        end_counting();
        OK(MPI_Finalize());
        return 0;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) operate(win, changes);
    if (rank == 1) {
        /* The last one that is put. */
        while (((volatile long *)base)[2 * LONGS - 1] == 0) sched_yield();
        for (int index = 0; index < LONGS; index++) CHECK(base[index] == 2 * LONGS + index);
        CHECK(base[2 * LONGS] == (changes ? 40 : 0) && ((int *)(base + 2 * LONGS + 1))[0] == (changes ? 2 : 0));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));
    if (!changes) free(base);
    end_counting();
    OK(MPI_Finalize());
    return 0;
}
