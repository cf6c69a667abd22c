/* Several threads of each process call MPI at the same time. */
#define _XOPEN_SOURCE 600 /* for pthread_barrier_t */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 200

static int rank, size;
static MPI_Comm own[THREADS];

/* What a message is filled with, so that one that went astray shows. */
static int value(int from, int thread, int round, int place)
{
    return from * 1000003 + thread * 10007 + round * 101 + place;
}

static void fill(int *data, int count, int thread, int round)
{
    for (int i = 0; i < count; i++) data[i] = value(rank, thread, round, i);
}

static void compare(const int *data, int count, int from, int thread, int round)
{
    for (int i = 0; i < count; i++) CHECK(data[i] == value(from, thread, round, i));
}

/* Around the ring: blocking and nonblocking, eager and large, on one communicator by tags or on a
   communicator of the thread's own. */
static void ring(int thread, MPI_Comm comm)
{
    enum { LARGE = 20000 };
    int *out = malloc(LARGE * sizeof *out), *in = malloc(LARGE * sizeof *in);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int round = 0; round < ROUNDS; round++) {
        int count = round % 50 == 49 ? LARGE : round % 7 * 30;
        MPI_Request requests[2];
        MPI_Status status;
        fill(out, count, thread, round);
        memset(in, 0, LARGE * sizeof *in);
        int source = round % 3 == 0 ? MPI_ANY_SOURCE : from;
        OK(MPI_Irecv(in, LARGE, MPI_INT, source, thread, comm, &requests[0]));
        if (round % 2 == 0) {
            OK(MPI_Send(out, count, MPI_INT, to, thread, comm));
            OK(MPI_Wait(&requests[0], &status));
        } else {
            MPI_Status both[2];
            OK(MPI_Isend(out, count, MPI_INT, to, thread, comm, &requests[1]));
            OK(MPI_Waitall(2, requests, both));
            status = both[0];
        }
        int got = -1;
        OK(MPI_Get_count(&status, MPI_INT, &got));
        CHECK(got == count && status.MPI_SOURCE == from && status.MPI_TAG == thread);
        compare(in, count, from, thread, round);
    }
    free(out);
    free(in);
}

static void *run(void *argument)
{
    int thread = (int)(long)argument;
    ring(thread, MPI_COMM_WORLD);
    ring(thread, own[thread]);
    for (int round = 0; round < 20; round++) {
        int sum = 0, mine = rank + thread;
        OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, own[thread]));
        CHECK(sum == size * thread + size * (size - 1) / 2);
        OK(MPI_Barrier(own[thread]));
    }
    return NULL;
}

static void in_threads(int count, void *(*work)(void *))
{
    pthread_t threads[THREADS];
    for (long i = 0; i < count; i++) CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < count; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

/* A synchronous send ends although its receiver waits for something else, on another communicator
   and so maybe on another instance, and only then for the message. */
static void *crossed(void *argument)
{
    int thread = (int)(long)argument, word = 5;
    if (rank == 0) {
        OK(MPI_Ssend(&word, 1, MPI_INT, 1, 100 + thread, own[2 * thread]));
        OK(MPI_Ssend(&word, 1, MPI_INT, 1, 100 + thread, own[2 * thread + 1]));
    } else if (rank == 1) {
        MPI_Request first, second;
        int a = 0, b = 0;
        OK(MPI_Irecv(&a, 1, MPI_INT, 0, 100 + thread, own[2 * thread], &first));
        OK(MPI_Irecv(&b, 1, MPI_INT, 0, 100 + thread, own[2 * thread + 1], &second));
        OK(MPI_Wait(&second, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&first, MPI_STATUS_IGNORE));
        CHECK(a == 5 && b == 5);
    }
    return NULL;
}

/* The first program of figure 9 of Zambre et al.: one thread has posted the receive of the first
   message and is outside of MPI, the other one waits for the second message, which is sent when the
   first has been received. */
static pthread_barrier_t posted, received;

static void *figure_9(void *argument)
{
    int thread = (int)(long)argument, word = 7 + thread;
    if (rank > 1) return NULL;
    if (rank == 0) {
        /* One thread sends both. */
        for (int i = 0; thread == 0 && i < 2; i++) {
            word = 7 + i;
            OK(MPI_Ssend(&word, 1, MPI_INT, 1, 200, own[i]));
        }
        return NULL;
    }
    MPI_Request request;
    int in = 0;
    OK(MPI_Irecv(&in, 1, MPI_INT, 0, 200, own[thread], &request));
    pthread_barrier_wait(&posted);
    if (thread == 0) pthread_barrier_wait(&received);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (thread == 1) pthread_barrier_wait(&received);
    CHECK(in == word);
    return NULL;
}

/* A thread that ends leaves operations behind on what was its own instance; another one ends them. */
static MPI_Request left[2 * THREADS];
static int left_in[THREADS], left_out[THREADS];

static void *leave_behind(void *argument)
{
    int thread = (int)(long)argument;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    left_out[thread] = value(rank, thread, 0, 0);
    OK(MPI_Irecv(&left_in[thread], 1, MPI_INT, from, 300 + thread, own[thread], &left[thread]));
    OK(MPI_Issend(&left_out[thread], 1, MPI_INT, to, 300 + thread, own[thread],
                  &left[THREADS + thread]));
    return NULL;
}

static void end_what_was_left(void)
{
    OK(MPI_Waitall(2 * THREADS, left, MPI_STATUSES_IGNORE));
    for (int i = 0; i < THREADS; i++) CHECK(left_in[i] == value((rank + size - 1) % size, i, 0, 0));
}

int main(void)
{
    int provided = -1;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]));
    in_threads(THREADS, run);
    /* New threads after the old ones have ended. */
    for (int i = 0; i < 3; i++) in_threads(THREADS / 2, crossed);
    CHECK(pthread_barrier_init(&posted, NULL, 2) == 0);
    CHECK(pthread_barrier_init(&received, NULL, 2) == 0);
    for (int i = 0; size > 1 && i < 10; i++) in_threads(2, figure_9);
    for (int i = 0; i < 3; i++) {
        in_threads(THREADS, leave_behind);
        end_what_was_left();
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < THREADS; i++) OK(MPI_Comm_free(&own[i]));
    MPI_Finalize();
    return 0;
}
