/* Windows whose memory all processes load and store. */
#include <stdatomic.h>
#include <stdint.h>

#include "check.h"

static int rank, size;
/* The processes that share memory; rank and size are theirs. */
static MPI_Comm node;

/* Rank r has r + 1 numbers, or none if it is the second of three. */
static int length_of(int r) { return r % 3 == 1 ? 0 : r + 1; }

static MPI_Win shared(MPI_Info info, long **base)
{
    MPI_Win win;
    int flag, *flavor, *model;
    OK(MPI_Win_allocate_shared((MPI_Aint)sizeof(long) * length_of(rank), sizeof(long), info, node, base, &win));
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_SHARED);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag));
    CHECK(flag && *model == MPI_WIN_UNIFIED);
    return win;
}

/* Where a rank's memory is in this process. */
static long *memory_of(MPI_Win win, int r)
{
    MPI_Aint bytes = -1;
    Displ unit = -1;
    long *base = NULL;
    OK(MPI_Win_shared_query(win, r, &bytes, &unit, &base));
    CHECK(bytes == (MPI_Aint)sizeof(long) * length_of(r));
    CHECK(unit == sizeof(long) || bytes == 0);
    return base;
}

static void sync_all(MPI_Win win)
{
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(node));
    OK(MPI_Win_sync(win));
}

/* Stores of each are loads of all. */
static void loads_and_stores(MPI_Info info, int contiguous)
{
    long *own, *all[8];
    MPI_Win win = shared(info, &own);
    for (int r = 0; r < size; r++) all[r] = memory_of(win, r);
    if (length_of(rank)) CHECK(all[rank] == own);
    long *next = NULL, *first = NULL;
    for (int r = 0; r < size; r++) {
        if (length_of(r) == 0) continue;
        if (first == NULL) first = all[r];
        if (contiguous && next != NULL) CHECK(all[r] == next);
        next = all[r] + length_of(r);
    }
    /* Of no rank in particular: the first one that has memory. */
    MPI_Aint bytes;
    Displ unit;
    long *any;
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &any));
    CHECK(any == first && bytes == (MPI_Aint)sizeof(long) * length_of(0) && unit == sizeof(long));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int round = 0; round < 5; round++) {
        for (int n = 0; n < length_of(rank); n++) own[n] = 1000 * round + 10 * rank + n;
        sync_all(win);
        for (int r = 0; r < size; r++)
            for (int n = 0; n < length_of(r); n++) CHECK(all[r][n] == 1000 * round + 10 * r + n);
        sync_all(win);
        /* And what another process stores is the owner's. */
        int other = (rank + 1) % size;
        for (int n = 0; n < length_of(other); n++) all[other][n] = -1000 * round - rank;
        sync_all(win);
        for (int n = 0; n < length_of(rank); n++) CHECK(own[n] == -1000 * round - (rank + size - 1) % size);
        sync_all(win);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* Operations and loads of the same memory. */
static void operations(void)
{
    long *own, value, old;
    MPI_Win win = shared(MPI_INFO_NULL, &own);
    int to = 0;
    long *there = memory_of(win, to);
    OK(MPI_Win_fence(0, win));
    if (rank == 0) *own = 0;
    OK(MPI_Win_fence(0, win));
    value = rank + 1;
    OK(MPI_Accumulate(&value, 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    CHECK(*there == size * (size + 1) / 2);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int r = 0; r < size; r++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win));
        *there += 1;
        OK(MPI_Win_unlock(to, win));
    }
    OK(MPI_Barrier(node));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Fetch_and_op(NULL, &old, MPI_LONG, to, 0, MPI_NO_OP, win));
    OK(MPI_Win_flush(to, win));
    CHECK(old == size * (size + 1) / 2 + size * size);
    OK(MPI_Barrier(node));
    /* A put is seen by a load of the process that is told of it. */
    if (size > 1 && rank == 1) {
        value = 4711;
        OK(MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Send(NULL, 0, MPI_INT, 0, 0, node));
    } else if (size > 1 && rank == 0) {
        OK(MPI_Recv(NULL, 0, MPI_INT, 1, 0, node, MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(win));
        CHECK(*own == 4711);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* The processors' atomics work on it, without any call in between. */
static void atomics(void)
{
    enum { TIMES = 1000 };
    atomic_long *own, *there;
    MPI_Aint bytes;
    Displ unit;
    MPI_Win win;
    MPI_Aint wanted = rank == 0 ? (MPI_Aint)sizeof *own : 0;
    OK(MPI_Win_allocate_shared(wanted, 1, MPI_INFO_NULL, node, &own, &win));
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &there));
    CHECK(bytes == sizeof *own && unit == 1 && (uintptr_t)there % sizeof *own == 0);
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    if (rank == 0) atomic_store(own, 0);
    sync_all(win);
    for (int n = 0; n < TIMES; n++) atomic_fetch_add(there, 1);
    sync_all(win);
    CHECK(atomic_load(there) == (long)TIMES * size);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

int main(void)
{
    MPI_Info info;
    int all, first;
    begin(&first, &all);
    CHECK(all <= 8);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_size(node, &size));
    OK(MPI_Comm_rank(node, &rank));
    CHECK(size == on_host_of(first, all));
    OK(MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN));
    OK(MPI_Info_create(&info));
    loads_and_stores(MPI_INFO_NULL, 1);
    OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    loads_and_stores(info, 0);
    OK(MPI_Info_free(&info));
    operations();
    atomics();
    OK(MPI_Comm_free(&node));
    MPI_Finalize();
    return 0;
}
