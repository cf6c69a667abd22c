/* Epochs of windows: fences, post/start/complete/wait, locks and flushes, with all assertions that the standard
   allows where they stand, and what is visible to whom afterwards. */
#include "check.h"

static int rank, size;

enum { ROUNDS = 12, MANY = 48 };

/* A window of one number for each rank, on memory that MPI allocates or the program. */
static MPI_Win window_of(int way, long **base)
{
    MPI_Win win;
    MPI_Aint bytes = (MPI_Aint)sizeof(long) * (size + 1);
    if (way == 0) {
        OK(MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, base, &win));
    } else {
        OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, base));
        OK(MPI_Win_create(*base, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    }
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int n = 0; n <= size; n++) (*base)[n] = -1;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return win;
}

static void end_window(int way, long *base, MPI_Win *win)
{
    OK(MPI_Win_free(win));
    CHECK(*win == MPI_WIN_NULL);
    if (way != 0) OK(MPI_Free_mem(base));
}

static void put_to(int target, int place, const long *value, MPI_Win win)
{
    OK(MPI_Put(value, 1, MPI_LONG, target, place, 1, MPI_LONG, win));
}

/* All to all; each round says all that is true. */
static void fences(int way)
{
    long *base, value;
    MPI_Win win = window_of(way, &base);
    for (int round = 0; round < MANY; round++) {
        /* Bits of the number of the round say which assertions are made. */
        int opening = (round & 1 ? MPI_MODE_NOPRECEDE : 0), closing = (round & 2 ? MPI_MODE_NOSUCCEED : 0);
        if (round & 4 && round > 0) opening |= MPI_MODE_NOSTORE;
        if (round & 8) closing |= MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
        value = 1000 * round + rank;
        OK(MPI_Win_fence(opening, win));
        for (int r = 0; r < size; r++) put_to(r, rank, &value, win);
        OK(MPI_Win_fence(closing, win));
        for (int r = 0; r < size; r++) CHECK(base[r] == 1000 * round + r);
    }
    /* One fence ends an epoch and begins the next one. */
    long seen[2];
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int round = 0; round < ROUNDS; round++) {
        int to = (rank + round) % size;
        value = 7 * round + rank;
        put_to(to, rank, &value, win);
        OK(MPI_Win_fence(0, win));
        seen[0] = -1;
        OK(MPI_Get(&seen[0], 1, MPI_LONG, to, rank, 1, MPI_LONG, win));
        OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT * (round % 2), win));
        CHECK(seen[0] == 7 * round + rank);
        OK(MPI_Win_fence(0, win));
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    /* Stores of the owner are seen by gets behind a fence. */
    for (int round = 0; round < ROUNDS; round++) {
        base[size] = 31 * round + rank;
        OK(MPI_Win_fence(MPI_MODE_NOPUT, win));
        OK(MPI_Get(&seen[1], 1, MPI_LONG, (rank + 1) % size, size, 1, MPI_LONG, win));
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win));
        CHECK(seen[1] == 31 * round + (rank + 1) % size);
    }
    /* Fences with nothing between them. */
    for (int round = 0; round < MANY; round++) OK(MPI_Win_fence(round % 3 ? 0 : MPI_MODE_NOPRECEDE, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    end_window(way, base, &win);
}

static MPI_Group group_of(int count, const int *ranks)
{
    MPI_Group all, group;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, count, ranks, &group));
    OK(MPI_Group_free(&all));
    return group;
}

/* Some libraries take a post for one epoch for that of another one, unless no process is ahead. */
static void apart(void)
{
    if (getenv("TEST_PEER")) OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* With each number of targets, by start before or after the others post, with wait or test. */
static void groups(int way)
{
    long *base, value;
    MPI_Win win = window_of(way, &base);
    for (int round = 0; round < 4 * ROUNDS; round++) {
        int width = round % (size + 1), to[8], from[8];
        for (int n = 0; n < width; n++) {
            to[n] = (rank + n + round) % size;
            from[n] = ((rank - n - round) % size + size) % size;
        }
        MPI_Group targets = group_of(width, to), origins = group_of(width, from);
        int unchecked = round % 5 == 4 ? MPI_MODE_NOCHECK : 0;
        value = 100 * round + rank;
        for (int r = 0; r <= size; r++) base[r] = -round;
        apart();
        OK(MPI_Win_post(origins, unchecked | (round % 7 == 6 && width == 0 ? MPI_MODE_NOPUT : 0), win));
        OK(MPI_Group_free(&origins));
        if (unchecked) OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_start(targets, unchecked, win));
        OK(MPI_Group_free(&targets));
        for (int n = 0; n < width; n++) put_to(to[n], rank, &value, win);
        OK(MPI_Win_complete(win));
        if (round % 2) {
            OK(MPI_Win_wait(win));
        } else {
            int flag = 0;
            while (!flag) OK(MPI_Win_test(win, &flag));
        }
        for (int r = 0; r < size; r++) {
            int wrote = 0;
            for (int n = 0; n < width; n++) wrote |= from[n] == r;
            CHECK(base[r] == (wrote ? 100 * round + r : -round));
        }
    }
    /* One target for all: those that come first wait for its post. */
    for (int round = 0; round < ROUNDS; round++) {
        int target = round % size, others[8], count = 0;
        for (int r = 0; r < size; r++)
            if (r != target) others[count++] = r;
        value = 17 * round + rank;
        apart();
        if (rank == target) {
            MPI_Group origins = group_of(count, others);
            OK(MPI_Win_post(origins, round % 2 ? MPI_MODE_NOSTORE : 0, win));
            OK(MPI_Win_wait(win));
            OK(MPI_Group_free(&origins));
            for (int n = 0; n < count; n++) CHECK(base[others[n]] == 17 * round + others[n]);
        } else {
            MPI_Group targets = group_of(1, &target);
            OK(MPI_Win_start(targets, 0, win));
            put_to(target, rank, &value, win);
            OK(MPI_Win_complete(win));
            OK(MPI_Group_free(&targets));
        }
    }
    /* Gets see what was stored before the post; the owner may store again when the wait is over. */
    for (int round = 0; round < ROUNDS; round++) {
        int to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Group targets = group_of(1, &to), origins = group_of(1, &from);
        long seen = -5;
        base[size] = 13 * round + rank;
        apart();
        OK(MPI_Win_post(origins, MPI_MODE_NOPUT, win));
        OK(MPI_Win_start(targets, 0, win));
        OK(MPI_Get(&seen, 1, MPI_LONG, to, size, 1, MPI_LONG, win));
        OK(MPI_Win_complete(win));
        CHECK(seen == 13 * round + to);
        OK(MPI_Win_wait(win));
        OK(MPI_Group_free(&targets));
        OK(MPI_Group_free(&origins));
    }
    end_window(way, base, &win);
}

/* Test says no as long as an origin has not completed, and never blocks it. */
static void tests(void)
{
    long *base, value = 5;
    int flag, none = 0, one = 1;
    if (size < 2) return;
    MPI_Win win = window_of(0, &base);
    if (rank == 0) {
        MPI_Group origins = group_of(1, &one);
        OK(MPI_Win_post(origins, 0, win));
        for (int n = 0; n < MANY; n++) {
            OK(MPI_Win_test(win, &flag));
            CHECK(!flag);
        }
        OK(MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD));
        do OK(MPI_Win_test(win, &flag));
        while (!flag);
        CHECK(base[1] == 5);
        OK(MPI_Group_free(&origins));
    } else if (rank == 1) {
        MPI_Group targets = group_of(1, &none);
        OK(MPI_Win_start(targets, 0, win));
        put_to(0, 1, &value, win);
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_complete(win));
        OK(MPI_Group_free(&targets));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    end_window(0, base, &win);
}

/* What is read and written under an exclusive lock is not disturbed. */
static void exclusive_locks(int way)
{
    long *base, value;
    MPI_Win win = window_of(way, &base);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    base[0] = 0;
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int target = 0; target < size; target++) {
        for (int n = 0; n < ROUNDS; n++) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            OK(MPI_Get(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
            OK(MPI_Win_flush(target, win));
            value += 1;
            put_to(target, 0, &value, win);
            OK(MPI_Win_unlock(target, win));
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK(base[0] == (long)ROUNDS * size);
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    /* Readers of rank 0 share; its two numbers change together only. */
    long both[2];
    for (int n = 0; n < ROUNDS; n++) {
        if (rank == size - 1) {
            both[0] = both[1] = 10000 + n;
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
            put_to(0, 0, &both[0], win);
            put_to(0, 1, &both[1], win);
            OK(MPI_Win_unlock(0, win));
        } else {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
            OK(MPI_Get(both, 2, MPI_LONG, 0, 0, 2, MPI_LONG, win));
            OK(MPI_Win_unlock(0, win));
            CHECK(both[0] < 10000 || both[0] == both[1]);
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    end_window(way, base, &win);
}

/* Shared locks of all are there at the same time: each waits for all others while it has its own. */
static void shared_locks(void)
{
    long *base, one = 1, old;
    MPI_Win win = window_of(0, &base);
    for (int target = 0; target < size; target++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Win_flush(target, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Fetch_and_op(NULL, &old, MPI_LONG, target, 0, MPI_NO_OP, win));
        OK(MPI_Win_flush_local(target, win));
        CHECK(old == size - 1);
        OK(MPI_Win_unlock(target, win));
    }
    /* Locks of several targets. */
    for (int target = 0; target < size; target++) OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    for (int target = 0; target < size; target++)
        OK(MPI_Accumulate(&one, 1, MPI_LONG, target, 1, 1, MPI_LONG, MPI_SUM, win));
    for (int target = size; target-- > 0;) OK(MPI_Win_unlock(target, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    CHECK(base[1] == size - 1);
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    end_window(0, base, &win);
}

/* A lock that no other process wants. */
static void unchecked_locks(void)
{
    long *base, value;
    MPI_Win win = window_of(0, &base);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int n = 0; n < ROUNDS; n++) {
        value = 50 * n + rank;
        OK(MPI_Win_lock(n % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, to, MPI_MODE_NOCHECK, win));
        put_to(to, 0, &value, win);
        OK(MPI_Win_unlock(to, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
        OK(MPI_Get(&value, 1, MPI_LONG, rank, 0, 1, MPI_LONG, win));
        OK(MPI_Win_unlock_all(win));
        CHECK(value == 50 * n + from);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    end_window(0, base, &win);
}

/* A lock with NOCHECK leaves nothing behind that a lock with a check would wait for. */
static void unchecked_and_checked_locks(void)
{
    long *base;
    MPI_Win win = window_of(0, &base);
    for (int n = 0; n < ROUNDS; n++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, n % 2 || rank == 0 ? MPI_MODE_NOCHECK : 0, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == n % size) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
            OK(MPI_Win_unlock(0, win));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    end_window(0, base, &win);
}

/* Flushes of each kind, and what a process sees that hears of them by a message. */
static void flushes(int way)
{
    long *base, value[2], seen;
    MPI_Win win = window_of(way, &base);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    OK(MPI_Win_lock_all(0, win));
    for (int n = 0; n < 2 * ROUNDS; n++) {
        value[0] = value[1] = 1000 * n + rank;
        put_to(to, rank, &value[0], win);
        /* The buffer is free; the other process need not have it yet. */
        if (n % 2)
            OK(MPI_Win_flush_local(to, win));
        else
            OK(MPI_Win_flush_local_all(win));
        value[0] = -99;
        if (n % 3 == 0)
            OK(MPI_Win_flush_all(win));
        else
            OK(MPI_Win_flush(to, win));
        OK(MPI_Sendrecv(&n, 1, MPI_INT, to, 0, &(int){ 0 }, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(win));
        CHECK(base[from] == 1000 * n + from);
        /* Others find there what was put, and what the owner has stored. */
        seen = -1;
        OK(MPI_Get(&seen, 1, MPI_LONG, to, rank, 1, MPI_LONG, win));
        OK(MPI_Win_flush_local(to, win));
        CHECK(seen == value[1]);
        base[size] = 3 * n + rank;
        OK(MPI_Win_sync(win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Get(&seen, 1, MPI_LONG, from, size, 1, MPI_LONG, win));
        OK(MPI_Win_flush_all(win));
        CHECK(seen == 3 * n + from);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    end_window(way, base, &win);
}

/* Epochs of all kinds one after the other. */
static void mixed(void)
{
    long *base, value = 0;
    MPI_Win win = window_of(1, &base);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int n = 0; n < 2 * ROUNDS; n++) {
        value = 11 * n + rank;
        apart();
        switch (n % 4) {
        case 0:
            OK(MPI_Win_fence(0, win));
            put_to(to, 0, &value, win);
            OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
            break;
        case 1: {
            MPI_Group targets = group_of(1, &to), origins = group_of(1, &from);
            OK(MPI_Win_post(origins, 0, win));
            OK(MPI_Win_start(targets, 0, win));
            put_to(to, 0, &value, win);
            OK(MPI_Win_complete(win));
            OK(MPI_Win_wait(win));
            OK(MPI_Group_free(&targets));
            OK(MPI_Group_free(&origins));
            break;
        }
        case 2:
            OK(MPI_Barrier(MPI_COMM_WORLD));
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win));
            put_to(to, 0, &value, win);
            OK(MPI_Win_unlock(to, win));
            OK(MPI_Barrier(MPI_COMM_WORLD));
            break;
        default:
            OK(MPI_Barrier(MPI_COMM_WORLD));
            OK(MPI_Win_lock_all(0, win));
            put_to(to, 0, &value, win);
            OK(MPI_Win_unlock_all(win));
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
        CHECK(base[0] == 11 * n + from);
        OK(MPI_Win_unlock(rank, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    end_window(1, base, &win);
}

int main(void)
{
    begin(&rank, &size);
    CHECK(size <= 8);
    for (int way = 0; way < 2; way++) {
        fences(way);
        groups(way);
        exclusive_locks(way);
        flushes(way);
    }
    tests();
    shared_locks();
    unchecked_locks();
    /* Some libraries wait for ever. */
    if (!getenv("TEST_PEER")) unchecked_and_checked_locks();
    mixed();
    MPI_Finalize();
    return 0;
}
