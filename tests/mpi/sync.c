/* Completion objects: MPIX_Sync. */
#include "check.h"

#include <mpi-ext.h>
#include <pthread.h>
#include <stdint.h>

enum { MANY = 1000, BYTES = 10000, THREADS = 4 };

static int rank, size;
static char bytes[BYTES];
static MPI_Request requests[MANY];

/* The partner of this process, or itself if it has none. */
static int partner(void)
{
    int other = rank ^ 1;
    return other < size ? other : rank;
}

static void *number(intptr_t value)
{
    return (void *)value;
}

/* The first example of the appendix: one request, asked for until it has completed. */
static void one(void)
{
    if (size < 2 || rank > 1) return;
    MPIX_Sync sync;
    MPI_Status status;
    OK(MPIX_Sync_init(&sync));
    CHECK(MPIX_Sync_query(sync, &status) == MPIX_SYNC_EMPTY);
    if (rank == 1)
        OK(MPI_Isend(bytes, BYTES, MPI_BYTE, 0, 42, MPI_COMM_WORLD, &requests[0]));
    else
        OK(MPI_Irecv(bytes, BYTES, MPI_BYTE, 1, 42, MPI_COMM_WORLD, &requests[0]));
    OK(MPIX_Sync_attach(sync, &requests[0], number(1)));
    void *found = MPIX_SYNC_EMPTY;
    while (found == MPIX_SYNC_EMPTY) found = MPIX_Sync_query(sync, &status);
    CHECK(found == number(1));
    if (rank == 0) {
        int count = -1;
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK(status.MPI_SOURCE == 1 && status.MPI_TAG == 42 && count == BYTES);
    }
    CHECK(MPIX_Sync_size(sync) == 0 && MPIX_Sync_probe(sync) == 0);
    MPIX_Sync_free(&sync);
    CHECK(sync == NULL);
}

/* The second example: many requests, asked for a hundred at a time. */
static void bulk(void)
{
    enum { AT_ONCE = 100 };
    if (size < 2 || rank > 1) return;
    MPIX_Sync sync;
    static char seen[MANY];
    void *data[AT_ONCE];
    MPI_Status statuses[AT_ONCE];
    memset(seen, 0, sizeof seen);
    OK(MPIX_Sync_init(&sync));
    for (intptr_t i = 0; i < MANY; i++) {
        if (rank == 1)
            OK(MPI_Isend(bytes, BYTES, MPI_BYTE, 0, 42, MPI_COMM_WORLD, &requests[i]));
        else
            OK(MPI_Irecv(bytes, BYTES, MPI_BYTE, 1, 42, MPI_COMM_WORLD, &requests[i]));
        OK(MPIX_Sync_attach(sync, &requests[i], number(i)));
    }
    for (int all = 0, count; all < MANY; all += count) {
        OK(MPIX_Sync_query_bulk(AT_ONCE, sync, &count, data, statuses));
        CHECK(count >= 0 && count <= AT_ONCE);
        for (int i = 0; i < count; i++) {
            intptr_t which = (intptr_t)data[i];
            CHECK(which >= 0 && which < MANY && !seen[which]++);
            if (rank == 0) CHECK(statuses[i].MPI_SOURCE == 1 && statuses[i].MPI_TAG == 42);
        }
    }
    MPIX_Sync_free(&sync);
}

/* Sizes follow what happens, events come in the order of completion, and a limit is a limit. */
static void counts(void)
{
    enum { FEW = 5 };
    int values[FEW], count = -1, value = 7;
    void *data[FEW];
    MPIX_Sync sync;
    OK(MPIX_Sync_init(&sync));
    for (int i = 0; i < FEW; i++) {
        OK(MPI_Irecv(&values[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]));
        OK(MPIX_Sync_attach(sync, &requests[i], &values[i]));
        CHECK(MPIX_Sync_size(sync) == i + 1 && MPIX_Sync_probe(sync) == 0);
    }
    CHECK(MPIX_Sync_query(sync, MPI_STATUS_IGNORE) == MPIX_SYNC_EMPTY);
    /* In another order than they were attached in. */
    for (int i = FEW; i-- > 0;) {
        OK(MPI_Send(&value, 1, MPI_INT, rank, i, MPI_COMM_WORLD));
        while (MPIX_Sync_size(sync) > i) MPIX_Progress();
        CHECK(MPIX_Sync_probe(sync) == FEW - i);
    }
    CHECK(MPIX_Sync_query(sync, MPI_STATUS_IGNORE) == &values[FEW - 1]);
    OK(MPIX_Sync_query_bulk(0, sync, &count, NULL, MPI_STATUSES_IGNORE));
    CHECK(count == 0);
    OK(MPIX_Sync_query_bulk(2, sync, &count, data, MPI_STATUSES_IGNORE));
    CHECK(count == 2 && data[0] == &values[FEW - 2] && data[1] == &values[FEW - 3]);
    OK(MPIX_Sync_query_bulk(FEW, sync, &count, data, MPI_STATUSES_IGNORE));
    CHECK(count == FEW - 3 && MPIX_Sync_probe(sync) == 0);
    /* What is complete when it is attached is an event at once. */
    OK(MPI_Send(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    OK(MPI_Irecv(&values[0], 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]));
    int flag = 0;
    while (!flag) OK(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE));
    OK(MPIX_Sync_attach(sync, &requests[0], NULL));
    CHECK(MPIX_Sync_size(sync) == 0 && MPIX_Sync_probe(sync) == 1);
    CHECK(MPIX_Sync_query(sync, MPI_STATUS_IGNORE) == NULL);
    MPIX_Sync_free(&sync);
}

/* Requests that are cancelled, and such whose events are not wanted, leave no event. */
static void silence(void)
{
    int value = 3, in = 0;
    MPIX_Sync sync;
    OK(MPIX_Sync_init(&sync));
    OK(MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPIX_Sync_attach(sync, &requests[0], &in));
    OK(MPI_Cancel(&requests[0]));
    OK(MPIX_Sync_waitall(sync));
    CHECK(MPIX_Sync_size(sync) == 0 && MPIX_Sync_probe(sync) == 0);
    OK(MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPIX_Sync_attach(sync, &requests[0], MPIX_SYNC_NO_COMPLETION_DATA));
    CHECK(MPIX_Sync_size(sync) == 1);
    OK(MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
    OK(MPIX_Sync_waitall(sync));
    CHECK(in == value && MPIX_Sync_size(sync) == 0 && MPIX_Sync_probe(sync) == 0);
    CHECK(MPIX_Sync_query(sync, MPI_STATUS_IGNORE) == MPIX_SYNC_EMPTY);
    MPIX_Sync_free(&sync);
}

/* What is detached is the program's again, before it has completed and after. */
static void detached(void)
{
    int value = 4, in = 0;
    MPIX_Sync sync, other;
    OK(MPIX_Sync_init(&sync));
    OK(MPIX_Sync_init(&other));
    OK(MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]));
    FAILS(MPI_ERR_REQUEST, MPIX_Sync_detach(sync, &requests[0]));
    OK(MPIX_Sync_attach(sync, &requests[0], &in));
    FAILS(MPI_ERR_REQUEST, MPIX_Sync_detach(other, &requests[0]));
    FAILS(MPI_ERR_REQUEST, MPIX_Sync_attach(other, &requests[0], &in));
    FAILS(MPI_ERR_REQUEST, MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_REQUEST, MPI_Waitall(1, requests, MPI_STATUSES_IGNORE));
    /* Among others, of which some are complete. */
    int flag = 0, also = 0;
    MPI_Request several[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, requests[0]};
    OK(MPI_Irecv(&also, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &several[0]));
    OK(MPI_Irecv(&flag, 0, MPI_INT, rank, 10, MPI_COMM_WORLD, &several[1]));
    OK(MPI_Send(&value, 1, MPI_INT, rank, 9, MPI_COMM_WORLD));
    while (!flag) OK(MPI_Request_get_status(several[0], &flag, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_REQUEST, MPI_Waitall(3, several, MPI_STATUSES_IGNORE));
    OK(MPI_Waitany(3, several, &flag, MPI_STATUS_IGNORE));
    CHECK(flag == 0 && also == value);
    FAILS(MPI_ERR_REQUEST, MPI_Waitany(3, several, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Send(&value, 0, MPI_INT, rank, 10, MPI_COMM_WORLD));
    OK(MPI_Wait(&several[1], MPI_STATUS_IGNORE));
    CHECK(MPIX_Sync_size(sync) == 1 && MPIX_Sync_size(other) == 0);
    OK(MPIX_Sync_detach(sync, &requests[0]));
    CHECK(MPIX_Sync_size(sync) == 0);
    OK(MPIX_Sync_waitall(sync));
    OK(MPIX_Sync_attach(other, &requests[0], &in));
    OK(MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
    OK(MPIX_Sync_waitall(other));
    CHECK(MPIX_Sync_probe(other) == 1);
    OK(MPIX_Sync_detach(other, &requests[0]));
    CHECK(MPIX_Sync_probe(other) == 0 && in == value);
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(requests[0] == MPI_REQUEST_NULL);
    /* Those of an object that is freed are, too, unless they have completed. */
    OK(MPI_Irecv(&in, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(&value, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[1]));
    OK(MPIX_Sync_attach(sync, &requests[0], NULL));
    OK(MPIX_Sync_attach(sync, &requests[1], NULL));
    MPIX_Sync_free(&sync);
    OK(MPI_Recv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    value = 5;
    OK(MPI_Send(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(in == 5);
    MPIX_Sync_free(&other);
}

/* A persistent request is attached anew for each start. */
static void persistent(void)
{
    int in = 0;
    MPIX_Sync sync;
    MPI_Status status;
    OK(MPIX_Sync_init(&sync));
    OK(MPI_Recv_init(&in, 1, MPI_INT, rank, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]));
    FAILS(MPI_ERR_REQUEST, MPIX_Sync_attach(sync, &requests[0], &in));
    for (int start = 0; start < 3; start++) {
        OK(MPI_Start(&requests[0]));
        OK(MPIX_Sync_attach(sync, &requests[0], &in));
        OK(MPI_Send(&start, 1, MPI_INT, rank, start, MPI_COMM_WORLD));
        OK(MPIX_Sync_waitall(sync));
        CHECK(MPIX_Sync_query(sync, &status) == &in && in == start && status.MPI_TAG == start);
    }
    OK(MPI_Request_free(&requests[0]));
    MPIX_Sync_free(&sync);
}

/* An operation that failed is an event with an error. */
static void failed(void)
{
    int value[2] = {1, 2}, in = 0, count;
    void *data;
    MPIX_Sync sync;
    MPI_Status status;
    OK(MPIX_Sync_init(&sync));
    for (int way = 0; way < 2; way++) {
        OK(MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]));
        OK(MPIX_Sync_attach(sync, &requests[0], &in));
        OK(MPI_Send(value, 2, MPI_INT, rank, 1, MPI_COMM_WORLD));
        OK(MPIX_Sync_waitall(sync));
        if (way == 0)
            CHECK(MPIX_Sync_query(sync, &status) == &in);
        else
            FAILS(MPI_ERR_IN_STATUS, MPIX_Sync_query_bulk(1, sync, &count, &data, &status));
        CHECK(class_of(status.MPI_ERROR) == MPI_ERR_TRUNCATE);
    }
    CHECK(count == 1 && data == &in);
    MPIX_Sync_free(&sync);
    FAILS(MPI_ERR_ARG, MPIX_Sync_waitall(sync));
    CHECK(MPIX_Sync_query(sync, &status) == MPIX_SYNC_EMPTY);
    CHECK(MPIX_Sync_size(sync) == MPI_UNDEFINED && MPIX_Sync_probe(sync) == MPI_UNDEFINED);
    MPI_Request null = MPI_REQUEST_NULL;
    OK(MPIX_Sync_init(&sync));
    FAILS(MPI_ERR_REQUEST, MPIX_Sync_attach(sync, &null, NULL));
    MPIX_Sync_free(&sync);
}

/* --- Several threads at one object */

static MPIX_Sync shared;
static int sums[THREADS], founds[THREADS];
static volatile int left;

static void *ask(void *argument)
{
    int thread = (int)(intptr_t)argument;
    while (__atomic_load_n(&left, __ATOMIC_RELAXED) > 0) {
        void *data[7];
        MPI_Status statuses[7];
        int count = 1;
        if (thread % 2 == 0)
            OK(MPIX_Sync_query_bulk(7, shared, &count, data, statuses));
        else if ((data[0] = MPIX_Sync_query(shared, statuses)) == MPIX_SYNC_EMPTY)
            count = 0;
        CHECK(MPIX_Sync_probe(shared) >= 0 && MPIX_Sync_size(shared) >= 0);
        for (int i = 0; i < count; i++) sums[thread] += (int)(intptr_t)data[i];
        founds[thread] += count;
        __atomic_fetch_sub(&left, count, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Waits for all while others take the events. */
static void *wait_all(void *argument)
{
    (void)argument;
    OK(MPIX_Sync_waitall(shared));
    CHECK(MPIX_Sync_size(shared) == 0);
    return NULL;
}

static void asked_by_several(void)
{
    static int in[MANY], out[MANY];
    pthread_t threads[2 * THREADS];
    MPI_Request sends[MANY];
    memset(sums, 0, sizeof sums);
    memset(founds, 0, sizeof founds);
    OK(MPIX_Sync_init(&shared));
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Irecv(&in[i], 1, MPI_INT, partner(), i, MPI_COMM_WORLD, &requests[i]));
        OK(MPIX_Sync_attach(shared, &requests[i], number(i)));
    }
    left = MANY;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, ask, number(i)) == 0);
        CHECK(pthread_create(&threads[THREADS + i], NULL, wait_all, NULL) == 0);
    }
    for (int i = 0; i < MANY; i++) {
        out[i] = i * 3;
        OK(MPI_Isend(&out[i], 1, MPI_INT, partner(), i, MPI_COMM_WORLD, &sends[i]));
    }
    OK(MPI_Waitall(MANY, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 2 * THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    int sum = 0, found = 0;
    for (int i = 0; i < THREADS; i++) {
        sum += sums[i];
        found += founds[i];
    }
    CHECK(found == MANY && sum == MANY * (MANY - 1) / 2);
    for (int i = 0; i < MANY; i++) CHECK(in[i] == 3 * i);
    CHECK(MPIX_Sync_probe(shared) == 0 && MPIX_Sync_size(shared) == 0);
    MPIX_Sync_free(&shared);
}

int main(void)
{
    int provided = -1;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    one();
    bulk();
    counts();
    silence();
    detached();
    persistent();
    failed();
    for (int round = 0; round < 5; round++) asked_by_several();
    MPI_Finalize();
    return 0;
}
