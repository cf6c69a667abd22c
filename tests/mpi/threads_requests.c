/* Requests and threads: each thread waits for its own in every way; one thread starts what another
   one completes; cancelling while the message comes; generalized requests that other threads
   complete. */
#include <stdatomic.h>

#include "threads.h"

enum { N = 8, ROUNDS = 24 };

static int rank, size, next, previous;

/* Persistent requests, and the functions for several. */
static void own_requests(int thread)
{
    int out[N], in[N], indices[2 * N], index, flag, count;
    MPI_Request requests[2 * N];
    MPI_Status statuses[2 * N];
    for (int i = 0; i < N; i++) {
        int tag = thread * N + i;
        OK(MPI_Recv_init(&in[i], 1, MPI_INT, previous, tag, MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Send_init(&out[i], 1, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[N + i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            out[i] = rank * 100000 + thread * 1000 + round * 10 + i, in[i] = -1;
        OK(MPI_Startall(2 * N, requests));
        int left = 2 * N, way = round % 6;
        if (way == 0) {
            OK(MPI_Waitall(2 * N, requests, statuses));
            left = 0;
        } else if (way == 1) {
            for (flag = 0; !flag;)
                OK(MPI_Testall(2 * N, requests, &flag, statuses));
            left = 0;
        }
        while (left > 0) {
            count = 1, flag = 1;
            if (way == 2)
                OK(MPI_Waitany(2 * N, requests, &index, statuses));
            else if (way == 3)
                OK(MPI_Testany(2 * N, requests, &index, &flag, statuses));
            else if (way == 4)
                OK(MPI_Waitsome(2 * N, requests, &count, indices, statuses));
            else
                OK(MPI_Testsome(2 * N, requests, &count, indices, statuses));
            CHECK(count != MPI_UNDEFINED);
            left -= flag ? count : 0;
        }
        OK(MPI_Waitany(2 * N, requests, &index, statuses));
        CHECK(index == MPI_UNDEFINED);
        for (int i = 0; i < N; i++)
            CHECK(in[i] == previous * 100000 + thread * 1000 + round * 10 + i);
    }
    for (int i = 0; i < 2 * N; i++)
        OK(MPI_Request_free(&requests[i]));
}

/* A place where a thread leaves a request for its neighbor. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    MPI_Request request;
    int full;
} places[MOST_THREADS];

static void give(int place, MPI_Request request)
{
    pthread_mutex_lock(&places[place].mutex);
    while (places[place].full)
        pthread_cond_wait(&places[place].changed, &places[place].mutex);
    places[place].request = request, places[place].full = 1;
    pthread_cond_broadcast(&places[place].changed);
    pthread_mutex_unlock(&places[place].mutex);
}

static MPI_Request taken(int place)
{
    pthread_mutex_lock(&places[place].mutex);
    while (!places[place].full)
        pthread_cond_wait(&places[place].changed, &places[place].mutex);
    MPI_Request request = places[place].request;
    places[place].full = 0;
    pthread_cond_broadcast(&places[place].changed);
    pthread_mutex_unlock(&places[place].mutex);
    return request;
}

/* Each thread starts a receive, which the thread after it completes. */
static void handed_over(int thread)
{
    static int in[MOST_THREADS][3]; /* a thread begins at most two ahead of the one that looks */
    int other = (thread + threads - 1) % threads;
    for (int round = 0; round < ROUNDS; round++) {
        int out = rank * 1000 + thread, flag;
        MPI_Request request;
        MPI_Status status;
        OK(MPI_Irecv(&in[thread][round % 3], 1, MPI_INT, previous, thread, MPI_COMM_WORLD,
                     &request));
        give(thread, request);
        OK(MPI_Send(&out, 1, MPI_INT, next, thread, MPI_COMM_WORLD));
        request = taken(other);
        if (round % 3 == 0) {
            OK(MPI_Wait(&request, &status));
        } else if (round % 3 == 1) {
            for (flag = 0; !flag;)
                OK(MPI_Test(&request, &flag, &status));
        } else {
            for (flag = 0; !flag;)
                OK(MPI_Request_get_status(request, &flag, &status));
            OK(MPI_Waitall(1, &request, &status));
        }
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == other);
        CHECK(in[other][round % 3] == previous * 1000 + other);
    }
}

/* Some threads look at a request that another one waits for. */
static MPI_Request watched;
static atomic_int watchers, arrived;
static int watched_value;

static void watching(int thread)
{
    int flag = 0;
    MPI_Status status;
    if (thread == 0) {
        /* Not before all have seen it incomplete. */
        while (atomic_load(&watchers) < threads - 1)
            OK(MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        int value = 42;
        OK(MPI_Send(&value, 1, MPI_INT, 0, 77, MPI_COMM_SELF));
        while (atomic_load(&arrived) < threads - 1)
            OK(MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&watched, &status));
        CHECK(watched_value == 42 && watched == MPI_REQUEST_NULL);
        return;
    }
    OK(MPI_Request_get_status(watched, &flag, &status));
    atomic_fetch_add(&watchers, 1);
    while (!flag)
        OK(MPI_Request_get_status(watched, &flag, &status));
    CHECK(status.MPI_TAG == 77 && watched_value == 42);
    atomic_fetch_add(&arrived, 1);
}

/* A receive is cancelled while its message comes: it gets the message, or the next one gets it. */
static void cancelled(int thread)
{
    int in, out, flag;
    MPI_Request request;
    MPI_Status status;
    /* Threads in pairs; who has no partner sends to himself. */
    int partner = thread ^ 1, alone = partner >= threads;
    for (int round = 0; round < ROUNDS; round++) {
        if (thread % 2 == 0) {
            in = -1;
            OK(MPI_Irecv(&in, 1, MPI_INT, 0, thread, MPI_COMM_SELF, &request));
            if (alone) {
                out = round;
                OK(MPI_Send(&out, 1, MPI_INT, 0, thread, MPI_COMM_SELF));
            }
            OK(MPI_Cancel(&request));
            OK(MPI_Wait(&request, &status));
            OK(MPI_Test_cancelled(&status, &flag));
            if (flag)
                OK(MPI_Recv(&in, 1, MPI_INT, 0, thread, MPI_COMM_SELF, &status));
            CHECK(in == round);
        } else {
            out = round;
            OK(MPI_Send(&out, 1, MPI_INT, 0, partner, MPI_COMM_SELF));
        }
    }
}

static int query(void *extra, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = *(int *)extra;
    status->MPI_TAG = 5;
    return MPI_SUCCESS;
}

static atomic_int released;

static int release(void *extra)
{
    (void)extra;
    atomic_fetch_add(&released, 1);
    return MPI_SUCCESS;
}

static int refuse(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

/* Each thread starts generalized requests, which its neighbor completes while it waits for them in
   every way. */
static void generalized(int thread)
{
    int index, flag, count, place, value = thread;
    int other = (thread + threads - 1) % threads;
    MPI_Status status;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request, pair[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
        OK(MPI_Grequest_start(query, release, refuse, &value, &request));
        give(thread, request);
        OK(MPI_Grequest_complete(taken(other)));
        pair[1] = request;
        index = 1, flag = 0, count = 0;
        switch (round % 6) {
        case 0: OK(MPI_Wait(&pair[1], &status)); break;
        case 1: OK(MPI_Waitany(2, pair, &index, &status)); break;
        case 2: OK(MPI_Waitsome(2, pair, &count, &place, &status)); break;
        case 3:
            while (!flag)
                OK(MPI_Test(&pair[1], &flag, &status));
            break;
        case 4:
            while (!flag)
                OK(MPI_Testany(2, pair, &index, &flag, &status));
            break;
        default:
            while (count == 0)
                OK(MPI_Testsome(2, pair, &count, &place, &status));
        }
        CHECK(index == 1 && status.MPI_SOURCE == thread && pair[1] == MPI_REQUEST_NULL);
        /* Freed before it is complete. */
        OK(MPI_Grequest_start(query, release, refuse, &value, &request));
        give(thread, request);
        OK(MPI_Request_free(&request));
        OK(MPI_Grequest_complete(taken(other)));
    }
}

/* Operations whose requests are freed at once. */
static void freed(int thread)
{
    int out = rank, in;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        OK(MPI_Isend(&out, 1, MPI_INT, next, thread, MPI_COMM_WORLD, &request));
        OK(MPI_Request_free(&request));
        OK(MPI_Recv(&in, 1, MPI_INT, previous, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(in == previous);
        OK(MPI_Issend(&out, 1, MPI_INT, next, thread, MPI_COMM_WORLD, &request));
        OK(MPI_Request_free(&request));
        OK(MPI_Recv(&in, 1, MPI_INT, previous, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(in == previous && request == MPI_REQUEST_NULL);
        /* The buffer of a freed send is only free when its receiver says so. */
        OK(MPI_Sendrecv(&in, 1, MPI_INT, previous, 100 + thread, &out, 1, MPI_INT, next,
                        100 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(out == rank);
    }
}

int main(void)
{
    begin_threads(&rank, &size);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int t = 0; t < MOST_THREADS; t++) {
        CHECK(pthread_mutex_init(&places[t].mutex, NULL) == 0);
        CHECK(pthread_cond_init(&places[t].changed, NULL) == 0);
    }
    together(own_requests);
    together(handed_over);
    for (int round = 0; round < 20; round++) {
        watchers = arrived = watched_value = 0;
        OK(MPI_Irecv(&watched_value, 1, MPI_INT, 0, 77, MPI_COMM_SELF, &watched));
        together(watching);
    }
    together(cancelled);
    together(generalized);
    CHECK(released == 2 * threads * ROUNDS);
    together(freed);
    OK(MPI_Finalize());
    return 0;
}
