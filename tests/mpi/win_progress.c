/* Operations of windows end although the target does nothing for them, but waits for something else in MPI; and
   threads of a process that wait for different windows make progress for each other: win_progress [threads] */
#define _GNU_SOURCE
#include <pthread.h>

#include "check.h"

enum { LARGE = 200000, ROUNDS = 10, TAG = 3 };

static int rank, size;

static MPI_Win window_of(int way, long **base, MPI_Comm comm)
{
    MPI_Win win;
    MPI_Aint bytes = (MPI_Aint)sizeof(long) * LARGE;
    if (way == 0) {
        OK(MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, comm, base, &win));
    } else {
        *base = calloc(1, (size_t)bytes);
        CHECK(*base != NULL);
        OK(MPI_Win_create(*base, bytes, sizeof(long), MPI_INFO_NULL, comm, &win));
    }
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    for (int n = 0; n < LARGE; n++) (*base)[n] = 10 * n + rank;
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return win;
}

static void end_window(int way, long *base, MPI_Win *win)
{
    OK(MPI_Win_free(win));
    if (way == 1) free(base);
}

/* Rank 0 waits in a call that is not of the window until all others have done what they want of it. */
static void waiting_target(int way, int call)
{
    static long data[LARGE];
    long *base, one = 1, old;
    MPI_Win win = window_of(way, &base, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Request request;
        int flag = 0;
        for (int r = 1; r < size; r++) {
            switch (call) {
            case 0: OK(MPI_Recv(NULL, 0, MPI_INT, r, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); break;
            case 1:
                OK(MPI_Irecv(NULL, 0, MPI_INT, r, TAG, MPI_COMM_WORLD, &request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                break;
            case 2:
                flag = 0;
                OK(MPI_Irecv(NULL, 0, MPI_INT, r, TAG, MPI_COMM_WORLD, &request));
                while (!flag) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
                break;
            case 3: OK(MPI_Probe(r, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); break;
            default: break; /* in the barrier below */
            }
        }
        if (call == 3)
            for (int r = 1; r < size; r++) OK(MPI_Recv(NULL, 0, MPI_INT, r, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        for (int round = 0; round < ROUNDS; round++) {
            OK(MPI_Win_lock(round % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win));
            OK(MPI_Get(data + 1, LARGE - 1, MPI_LONG, 0, 1, LARGE - 1, MPI_LONG, win));
            OK(MPI_Win_flush(0, win));
            CHECK(data[5] == 50 && data[LARGE - 1] == 10 * (LARGE - 1));
            if (round % 2 == 0) OK(MPI_Put(data + 5, 1, MPI_LONG, 0, 5, 1, MPI_LONG, win));
            OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win));
            OK(MPI_Win_unlock(0, win));
        }
        OK(MPI_Win_lock_all(0, win));
        for (int round = 0; round < ROUNDS; round++) {
            OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win));
            OK(MPI_Win_flush(0, win));
            CHECK(old >= ROUNDS + round && old <= 2 * ROUNDS * size);
        }
        OK(MPI_Win_unlock_all(win));
        if (call < 4) OK(MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK(base[0] == 2L * ROUNDS * (size - 1));
        OK(MPI_Win_unlock(0, win));
    }
    end_window(way, base, &win);
}

/* A message that follows a flushed put finds it done. */
static void put_then_message(int way)
{
    static long data[LARGE];
    long *base;
    MPI_Win win = window_of(way, &base, MPI_COMM_WORLD);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    OK(MPI_Win_lock_all(0, win));
    for (int round = 0; round < ROUNDS; round++) {
        int length = round % 2 ? LARGE : 1 + round;
        MPI_Request request;
        for (int n = 0; n < length; n++) data[n] = 7 * round + n + rank;
        OK(MPI_Irecv(NULL, 0, MPI_INT, from, TAG, MPI_COMM_WORLD, &request));
        OK(MPI_Put(data, length, MPI_LONG, to, 0, length, MPI_LONG, win));
        OK(MPI_Win_flush(to, win));
        OK(MPI_Send(NULL, 0, MPI_INT, to, TAG, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(win));
        for (int n = 0; n < length; n++) CHECK(base[n] == 7 * round + n + from);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    end_window(way, base, &win);
}

/* Until this process has the token. It waits without a synchronization with any other one; with a flush alone, or
   with those that say less. */
static void spin(MPI_Win win, long token)
{
    long seen;
    do {
        if (token % 3 == 0)
            OK(MPI_Win_sync(win));
        OK(MPI_Fetch_and_op(NULL, &seen, MPI_LONG, rank, 0, MPI_NO_OP, win));
        if (token % 3 == -1)
            OK(MPI_Win_flush(rank, win));
        else
            OK(MPI_Win_flush_local(rank, win));
    } while (seen != token);
}

/* A token goes round, passed on by operations that nothing flushes but what a process does while it waits. */
static void spinning(int way)
{
    static long tokens[ROUNDS];
    long *base;
    MPI_Win win = window_of(way, &base, MPI_COMM_WORLD);
    int to = (rank + 1) % size;
    OK(MPI_Win_lock_all(0, win));
    for (int round = 0; round < ROUNDS; round++) {
        tokens[round] = -1 - round;
        if (rank != 0) spin(win, tokens[round]);
        OK(MPI_Accumulate(&tokens[round], 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_REPLACE, win));
        if (rank == 0) spin(win, tokens[round]);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    end_window(way, base, &win);
}

/* Figure 9 of Zambre et al.: the operations of rank 0 end only if rank 1 makes progress for both communicators or
   windows, although each of its threads waits for one, or, between the barriers, for no operation at all. */
static MPI_Comm comms[2];
static MPI_Win wins[2];
static long *bases[2], *results[2];
static pthread_barrier_t barrier;

static void *message_thread(void *argument)
{
    long thread = (long)argument;
    MPI_Request request;
    OK(MPI_Irecv(NULL, 0, MPI_INT, 0, TAG, comms[thread], &request));
    pthread_barrier_wait(&barrier);
    if (thread == 0) pthread_barrier_wait(&barrier);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (thread == 1) pthread_barrier_wait(&barrier);
    return NULL;
}

static void *get_thread(void *argument)
{
    long thread = (long)argument;
    OK(MPI_Get(results[thread], LARGE, MPI_LONG, 0, 0, LARGE, MPI_LONG, wins[thread]));
    pthread_barrier_wait(&barrier);
    if (thread == 0) pthread_barrier_wait(&barrier);
    OK(MPI_Win_flush(0, wins[thread]));
    if (thread == 1) pthread_barrier_wait(&barrier);
    return NULL;
}

static void two_threads(void *(*function)(void *))
{
    pthread_t other;
    CHECK(pthread_create(&other, NULL, function, (void *)1) == 0);
    function((void *)0);
    CHECK(pthread_join(other, NULL) == 0);
}

static void figure_9(int way)
{
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    for (int n = 0; n < 2; n++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[n]));
        wins[n] = window_of(way, &bases[n], comms[n]);
        results[n] = malloc(sizeof(long) * LARGE);
        CHECK(results[n] != NULL);
        OK(MPI_Win_lock_all(0, wins[n]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        memset(results[0], 0, sizeof(long) * LARGE);
        memset(results[1], 0, sizeof(long) * LARGE);
        if (rank == 0) {
            OK(MPI_Ssend(NULL, 0, MPI_INT, 1, TAG, comms[0]));
            OK(MPI_Ssend(NULL, 0, MPI_INT, 1, TAG, comms[1]));
            for (int n = 0; n < 2; n++) OK(MPI_Get(results[n], LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, wins[n]));
            for (int n = 0; n < 2; n++) OK(MPI_Win_flush(1, wins[n]));
        } else if (rank == 1) {
            two_threads(message_thread);
            two_threads(get_thread);
        }
        if (rank < 2)
            for (int n = 0; n < 2; n++)
                for (int k = 0; k < LARGE; k++) CHECK(results[n][k] == 10 * k + !rank);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    for (int n = 0; n < 2; n++) {
        OK(MPI_Win_unlock_all(wins[n]));
        end_window(way, bases[n], &wins[n]);
        OK(MPI_Comm_free(&comms[n]));
        free(results[n]);
    }
    CHECK(pthread_barrier_destroy(&barrier) == 0);
}

int main(int count, char **arguments)
{
    begin(&rank, &size);
    for (int way = 0; way < 2; way++) {
        for (int call = 0; call < 5; call++) waiting_target(way, call);
        put_then_message(way);
        spinning(way);
        if (count > 1 && strcmp(arguments[1], "threads") == 0 && size > 1) figure_9(way);
    }
    MPI_Finalize();
    return 0;
}
