/* Partitioned communication: partitions in any order, cut differently on both sides, from threads, in
   many rounds; requests that find each other in the order in which they were made. */
#include "check.h"

#include <pthread.h>

static int rank, size, next, previous;

enum { PARTITIONS = 12, EACH = 500 };

static int out[PARTITIONS * EACH], in[PARTITIONS * EACH];

static void fill(int seed)
{
    for (int i = 0; i < PARTITIONS * EACH; i++)
        out[i] = 100000 * rank + 7 * i + seed, in[i] = -1;
}

static int arrived(int first, int last, int seed)
{
    for (int i = first; i < last; i++)
        if (in[i] != 100000 * previous + 7 * i + seed)
            return 0;
    return 1;
}

static void wait_for(MPI_Request request, int partition)
{
    for (int flag = 0; !flag;)
        OK(MPI_Parrived(request, partition, &flag));
}

/* The receiver cuts the buffer into `theirs` partitions. */
static void rounds(int theirs)
{
    int each = PARTITIONS * EACH / theirs, some[3] = { 2, 0, 11 }, flag;
    Count count = -1;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    OK(MPI_Psend_init(out, PARTITIONS, EACH, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[0]));
    OK(MPI_Precv_init(in, theirs, each, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[1]));
    /* What is not active is complete. */
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Parrived(requests[1], theirs - 1, &flag));
    CHECK(flag);
    for (int round = 0; round < 4; round++) {
        fill(round);
        OK(MPI_Startall(2, requests));
        OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        OK(MPI_Pready_list(3, some, requests[0]));
        OK(MPI_Pready(1, requests[0]));
        /* These partitions get through before the others are ready. */
        if (theirs >= 4) {
            wait_for(requests[1], 0);
            CHECK(arrived(0, each, round));
        }
        OK(MPI_Parrived(requests[1], theirs / 2, &flag));
        CHECK(!flag);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Pready_range(3, 10, requests[0]));
        if (round % 2)
            for (int p = theirs - 1; p >= 0; p--) {
                wait_for(requests[1], p);
                CHECK(arrived(p * each, (p + 1) * each, round));
            }
        if (round > 1)
            for (flag = 0; !flag;)
                OK(MPI_Request_get_status(requests[1], &flag, &statuses[1]));
        OK(MPI_Waitall(2, requests, statuses));
        CHECK(arrived(0, PARTITIONS * EACH, round));
        CHECK(statuses[1].MPI_SOURCE == previous && statuses[1].MPI_TAG == 5);
        OK(MPI_Get_count(&statuses[1], MPI_INT, &count));
        CHECK(count == PARTITIONS * EACH);
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* The request that was made first finds the one that was made first, whichever is started first; messages with the
   same tag go elsewhere. */
static void order(void)
{
    enum { N = 3 };
    int sent[N], got[N], plain = -7, value = -1;
    MPI_Request sends[N], receives[N], request;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request));
    for (int n = 0; n < N; n++) {
        int tag = n == 1 ? 9 : 8;
        sent[n] = 10 * rank + n, got[n] = -1;
        OK(MPI_Psend_init(&sent[n], 1, 1, MPI_INT, next, tag, comm, MPI_INFO_NULL, &sends[n]));
    }
    /* The one with the other tag is made out of turn. */
    static const int turns[N] = { 1, 0, 2 };
    for (int n = 0; n < N; n++) {
        int which = turns[n], tag = which == 1 ? 9 : 8;
        OK(MPI_Precv_init(&got[which], 1, 1, MPI_INT, previous, tag, comm, MPI_INFO_NULL,
                          &receives[which]));
    }
    for (int n = N - 1; n >= 0; n--) {
        OK(MPI_Start(&receives[n]));
        OK(MPI_Start(&sends[n]));
        OK(MPI_Pready(0, sends[n]));
    }
    OK(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(N, receives, MPI_STATUSES_IGNORE));
    for (int n = 0; n < N; n++) {
        CHECK(got[n] == 10 * previous + n);
        OK(MPI_Request_free(&sends[n]));
        OK(MPI_Request_free(&receives[n]));
    }
    CHECK(value == -1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&plain, 1, MPI_INT, next, 8, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(value == -7);
    OK(MPI_Comm_free(&comm));
}

/* Elements that lie across the borders of the sender's partitions, and have padding. */
static void borders(void)
{
    struct { double value; int index; } pairs[6], found[6];
    int flat[12], both[12];
    MPI_Request requests[4];
    for (int n = 0; n < 6; n++)
        pairs[n].value = n + rank, pairs[n].index = n, found[n].value = -1, found[n].index = -1;
    for (int n = 0; n < 12; n++)
        flat[n] = 100 * rank + n, both[n] = -1;
    OK(MPI_Psend_init(pairs, 3, 2, MPI_DOUBLE_INT, next, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[0]));
    OK(MPI_Precv_init(found, 2, 3, MPI_DOUBLE_INT, previous, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[1]));
    OK(MPI_Psend_init(flat, 4, 3, MPI_INT, next, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]));
    OK(MPI_Precv_init(both, 2, 3, MPI_2INT, previous, 2, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[3]));
    OK(MPI_Startall(4, requests));
    OK(MPI_Pready_range(0, 2, requests[0]));
    OK(MPI_Pready_range(0, 3, requests[2]));
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    for (int n = 0; n < 6; n++)
        CHECK(found[n].value == n + previous && found[n].index == n);
    for (int n = 0; n < 12; n++)
        CHECK(both[n] == 100 * previous + n);
    for (int n = 0; n < 4; n++)
        OK(MPI_Request_free(&requests[n]));
}

static MPI_Request shared;

static void *contribute(void *first)
{
    for (int p = *(int *)first; p < PARTITIONS; p += 3)
        OK(MPI_Pready(p, shared));
    return NULL;
}

/* Several threads contribute. */
static void threads(void)
{
    static int firsts[3] = { 0, 1, 2 };
    MPI_Request receive;
    pthread_t ids[3];
    if (wanted_level() != MPI_THREAD_MULTIPLE)
        return;
    OK(MPI_Psend_init(out, PARTITIONS, EACH, MPI_INT, next, 6, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &shared));
    OK(MPI_Precv_init(in, 4, PARTITIONS * EACH / 4, MPI_INT, previous, 6, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &receive));
    for (int round = 0; round < 20; round++) {
        fill(round);
        OK(MPI_Start(&shared));
        OK(MPI_Start(&receive));
        for (int n = 0; n < 3; n++)
            CHECK(pthread_create(&ids[n], NULL, contribute, &firsts[n]) == 0);
        OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        CHECK(arrived(0, PARTITIONS * EACH, round));
        for (int n = 0; n < 3; n++)
            CHECK(pthread_join(ids[n], NULL) == 0);
        OK(MPI_Wait(&shared, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&shared));
    OK(MPI_Request_free(&receive));
}

/* No process on the other side, no data, no partitions; a request that is freed while it is active. */
static void odd_ones(void)
{
    int value = 3, flag = 0;
    MPI_Request request, other;
    MPI_Status status;
    OK(MPI_Psend_init(&value, 2, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request));
    OK(MPI_Start(&request));
    OK(MPI_Pready_range(0, 1, request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    OK(MPI_Precv_init(&value, 2, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request));
    OK(MPI_Start(&request));
    OK(MPI_Parrived(request, 1, &flag));
    CHECK(flag);
    OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && value == 3);
    OK(MPI_Request_free(&request));
    for (int partitions = 0; partitions < 3; partitions++) {
        OK(MPI_Psend_init(NULL, partitions, 0, MPI_INT, next, 2, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request));
        OK(MPI_Precv_init(NULL, 1, 0, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &other));
        OK(MPI_Start(&request));
        OK(MPI_Start(&other));
        OK(MPI_Pready_range(0, partitions - 1, request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&other, MPI_STATUS_IGNORE));
        OK(MPI_Request_free(&request));
        OK(MPI_Request_free(&other));
    }
    /* Larger than what goes at once. */
    int n = 1 << 20;
    char *large = malloc(2 * (size_t)n);
    memset(large, 'a' + rank % 26, (size_t)n);
    OK(MPI_Psend_init(large, 4, n / 4, MPI_BYTE, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Precv_init(large + n, 2, n / 2, MPI_BYTE, previous, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &other));
    OK(MPI_Start(&request));
    OK(MPI_Start(&other));
    OK(MPI_Pready_range(0, 3, request));
    OK(MPI_Request_free(&request));
    OK(MPI_Wait(&other, MPI_STATUS_IGNORE));
    CHECK(large[n] == 'a' + previous % 26 && large[2 * n - 1] == 'a' + previous % 26);
    OK(MPI_Request_free(&other));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(large);
}

static void mistakes(void)
{
    int value = 0, flag;
    MPI_Request send, receive, plain;
    OK(MPI_Psend_init(&value, 2, 1, MPI_BYTE, next, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    FAILS(MPI_ERR_REQUEST, MPI_Pready(0, send));
    OK(MPI_Precv_init(&value, 1, 1, MPI_BYTE, previous, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &receive));
    OK(MPI_Start(&send));
    OK(MPI_Start(&receive));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&send));
    FAILS(MPI_ERR_ARG, MPI_Pready(2, send));
    FAILS(MPI_ERR_ARG, MPI_Pready(-1, send));
    FAILS(MPI_ERR_REQUEST, MPI_Pready(0, receive));
    FAILS(MPI_ERR_REQUEST, MPI_Parrived(send, 0, &flag));
    FAILS(MPI_ERR_ARG, MPI_Parrived(receive, 1, &flag));
    OK(MPI_Pready(0, send));
    FAILS(MPI_ERR_ARG, MPI_Pready(0, send));
    OK(MPI_Pready(1, send));
    /* The receiver has less room. */
    FAILS(MPI_ERR_TRUNCATE, MPI_Wait(&receive, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&receive));
    OK(MPI_Recv_init(&value, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, &plain));
    FAILS(MPI_ERR_REQUEST, MPI_Pready(0, plain));
    FAILS(MPI_ERR_REQUEST, MPI_Parrived(plain, 0, &flag));
    OK(MPI_Request_free(&plain));
}

int main(void)
{
    begin(&rank, &size);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    rounds(12);
    rounds(4);
    rounds(1);
    rounds(24);
    order();
    borders();
    threads();
    odd_ones();
    mistakes();
    OK(MPI_Finalize());
    return 0;
}
