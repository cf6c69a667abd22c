/* Eight threads of each process on windows at the same time: nothing that they add is lost, a flush ends although
   other threads go on, and each has its data when its own flush is over. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { THREADS = 8, STEPS = 100, SWAPS = 7, PLACE = 512 };

static int rank, size;
static MPI_Win win, wins[THREADS];
static long *base;
static atomic_int at_work;

static void run(void *(*function)(void *))
{
    pthread_t threads[THREADS];
    atomic_store(&at_work, THREADS);
    for (long t = 0; t < THREADS; t++) CHECK(pthread_create(&threads[t], NULL, function, (void *)t) == 0);
    for (int t = 0; t < THREADS; t++) CHECK(pthread_join(threads[t], NULL) == 0);
}

static void *add(void *thread)
{
    long one = 1, old, last = -1, number = (long)thread;
    for (int n = 0; n < STEPS; n++) {
        int target = n % size;
        OK(MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, target, 1, MPI_SUM, win));
        OK(MPI_Win_flush(target, win));
        CHECK(old >= 0 && (size > 1 || old > last));
        last = old;
        if (n % SWAPS != 0) continue;
        /* Upwards by one, whatever it is: each thread but one does it in vain. */
        long seen = number, wanted, found;
        do {
            wanted = seen + 1;
            OK(MPI_Compare_and_swap(&wanted, &seen, &found, MPI_LONG, target, 2, win));
            OK(MPI_Win_flush_local(target, win));
            long expected = seen;
            seen = found;
            if (found == expected) break;
        } while (1);
    }
    return NULL;
}

static void *put(void *thread)
{
    long number = (long)thread, in[PLACE], out[PLACE];
    MPI_Aint place = 8 + (rank * THREADS + number) * PLACE;
    for (int n = 0; n < STEPS; n++) {
        int target = (int)((n + number) % size), count = n % 10 ? 1 + n % 7 : PLACE;
        for (int k = 0; k < count; k++) in[k] = 1000 * n + k + number, out[k] = -1;
        OK(MPI_Put(in, count, MPI_LONG, target, place, count, MPI_LONG, win));
        if (n % 3)
            OK(MPI_Win_flush(target, win));
        else
            OK(MPI_Win_flush_all(win));
        OK(MPI_Get(out, count, MPI_LONG, target, place, count, MPI_LONG, win));
        OK(MPI_Win_flush(target, win));
        CHECK(memcmp(in, out, sizeof(long) * (size_t)count) == 0);
    }
    return NULL;
}

/* One thread flushes, the others issue all the time and stop only when it has ended. */
static void *issue_or_flush(void *thread)
{
    long number = (long)thread, value[4] = { number, 1, 2, 3 };
    MPI_Aint place = 8 + (rank * THREADS + number) * PLACE;
    if (number == 0) {
        for (int n = 0; n < STEPS; n++) {
            OK(MPI_Put(value, 1, MPI_LONG, n % size, place, 1, MPI_LONG, win));
            if (n % 2)
                OK(MPI_Win_flush(n % size, win));
            else
                OK(MPI_Win_flush_all(win));
        }
        atomic_store(&at_work, 0);
        return NULL;
    }
    for (int n = 0; atomic_load(&at_work) > 0; n++) {
        OK(MPI_Put(value, 4, MPI_LONG, n % size, place, 4, MPI_LONG, win));
        if (n % 64 == 63) OK(MPI_Win_flush_local_all(win));
    }
    OK(MPI_Win_flush_local_all(win));
    return NULL;
}

/* A window for each thread; epochs of its own. */
static void *alone(void *thread)
{
    long number = (long)thread, value, got;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Win own = wins[number];
    long *memory;
    int flag;
    OK(MPI_Win_get_attr(own, MPI_WIN_BASE, &memory, &flag));
    CHECK(flag);
    for (int n = 0; n < STEPS / 4; n++) {
        value = 100 * n + rank + number;
        if (number % 2) {
            OK(MPI_Win_fence(0, own));
            OK(MPI_Put(&value, 1, MPI_LONG, to, 0, 1, MPI_LONG, own));
            OK(MPI_Win_fence(0, own));
            CHECK(memory[0] == 100 * n + from + number);
        } else {
            OK(MPI_Win_lock(n % 4 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, to, 0, own));
            OK(MPI_Put(&value, 1, MPI_LONG, to, 0, 1, MPI_LONG, own));
            OK(MPI_Win_flush(to, own));
            OK(MPI_Get(&got, 1, MPI_LONG, to, 0, 1, MPI_LONG, own));
            OK(MPI_Win_unlock(to, own));
            CHECK(got == value);
        }
    }
    return NULL;
}

int main(void)
{
    begin(&rank, &size);
    MPI_Aint bytes = (MPI_Aint)sizeof(long) * (8 + size * THREADS * PLACE);
    OK(MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_lock_all(0, win));
    memset(base, 0, (size_t)bytes);
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    run(add);
    OK(MPI_Win_flush_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    long turns = 0, swaps = 0;
    for (int n = rank; n < STEPS; n += size) turns++, swaps += n % SWAPS == 0;
    CHECK(base[0] == turns * THREADS * size && base[1] == base[0] && base[2] == swaps * THREADS * size);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    run(put);
    run(issue_or_flush);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    for (int t = 0; t < THREADS; t++)
        OK(MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &wins[t]));
    run(alone);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int t = 0; t < THREADS; t++) OK(MPI_Win_free(&wins[t]));
    MPI_Finalize();
    return 0;
}
