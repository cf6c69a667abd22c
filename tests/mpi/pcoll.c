/* Persistent collectives: made once, started many times, in any order. */
#include "check.h"

enum { MANY = 12, ROUNDS = 50 };

static int rank, size;

/* What they work on. */
static int in[MANY][64], out[MANY][64];

static void make(MPI_Comm comm, MPI_Request *requests)
{
    for (int i = 0; i < MANY; i++) {
        MPI_Request *request = &requests[i];
        switch (i % 6) {
        case 0: OK(MPI_Barrier_init(comm, MPI_INFO_NULL, request)); break;
        case 1:
            OK(MPI_Bcast_init(in[i], 1, MPI_INT, i % size, comm, MPI_INFO_NULL, request));
            break;
        case 2:
            OK(MPI_Allreduce_init(out[i], in[i], 2, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                  request));
            break;
        case 3:
            OK(MPI_Alltoall_init(out[i], 1, MPI_INT, in[i], 1, MPI_INT, comm, MPI_INFO_NULL,
                                 request));
            break;
        case 4:
            OK(MPI_Allgather_init(out[i], 1, MPI_INT, in[i], 1, MPI_INT, comm, MPI_INFO_NULL,
                                  request));
            break;
        default:
            OK(MPI_Exscan_init(out[i], in[i], 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, request));
        }
        CHECK(*request != MPI_REQUEST_NULL);
    }
}

/* The data of a round. */
static void fill(int round)
{
    for (int i = 0; i < MANY; i++) {
        for (int p = 0; p < size; p++)
            out[i][p] = rank + 10 * p + 100 * i + 1000 * round, in[i][p] = -1;
        if (i % 6 == 1 && rank == i % size)
            in[i][0] = 100 * i + 1000 * round;
    }
}

static void verify(int round)
{
    const int sum = size * (size - 1) / 2;
    for (int i = 0; i < MANY; i++)
        for (int p = 0; p < size; p++) {
            const int base = 100 * i + 1000 * round;
            switch (i % 6) {
            case 0: CHECK(in[i][p] == -1); break;
            case 1: CHECK(in[i][0] == base); break;
            case 2: CHECK(in[i][0] == sum + size * base); break;
            case 3: CHECK(in[i][p] == p + 10 * rank + base); break;
            case 4: CHECK(in[i][p] == p + base); break;
            default: CHECK(in[i][0] == (rank ? rank - 1 + base : -1));
            }
        }
}

static void rounds(MPI_Comm comm)
{
    MPI_Request requests[MANY];
    int flag, sum, one = 1;
    make(comm, requests);
    /* Not started: nothing to wait for. */
    OK(MPI_Testall(MANY, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK(flag);
    OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        if (round % 3 == 0) {
            OK(MPI_Startall(MANY, requests));
        } else if (round % 3 == 1) {
            for (int i = 0; i < MANY; i++)
                OK(MPI_Start(&requests[(i * 5 + round) % MANY]));
        } else {
            /* Each process in another order: none waits for what it has not started. */
            for (int i = 0; i < MANY; i++)
                OK(MPI_Start(&requests[(i * 7 + rank) % MANY]));
        }
        FAILS(MPI_ERR_REQUEST, MPI_Start(&requests[0]));
        FAILS(MPI_ERR_REQUEST, MPI_Cancel(&requests[0]));
        FAILS(MPI_ERR_REQUEST, MPI_Request_free(&requests[0]));
        /* A blocking one meanwhile. */
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK(sum == size);
        OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
        verify(round);
        for (int i = 0; i < MANY; i++)
            CHECK(requests[i] != MPI_REQUEST_NULL);
    }
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Request_free(&requests[i]));
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
}

/* A request stays apart from all operations that come after it, however many. */
static void long_lived(void)
{
    MPI_Request request;
    int own = rank, sum = -1, flag = 1;
    OK(MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request));
    /* As many as there are tags. */
    for (int i = 0; i < (1 << 15) + 10; i++) {
        if (i % 16 == 0 || i > (1 << 15) - 10)
            OK(MPI_Start(&request));
        OK(MPI_Bcast(&flag, 1, MPI_INT, i % size, MPI_COMM_WORLD));
        CHECK(flag == 1);
        if (i % 16 == 0 || i > (1 << 15) - 10) {
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(sum == size * (size - 1) / 2);
        }
    }
    OK(MPI_Request_free(&request));
}

static void add(void *input, void *inout, int *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)input)[i];
}

/* It keeps what it needs: operation, communicator, arrays. */
static void ownership(void)
{
    MPI_Comm comm;
    MPI_Op op;
    MPI_Request request, gather;
    int own = rank + 1, sum, counts[64], displs[64], all[64];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Op_create(add, 1, &op));
    OK(MPI_Allreduce_init(&own, &sum, 1, MPI_INT, op, comm, MPI_INFO_NULL, &request));
    for (int p = 0; p < size; p++)
        counts[p] = 1, displs[p] = size - 1 - p;
    OK(MPI_Allgatherv_init(&own, 1, MPI_INT, all, counts, displs, MPI_INT, comm, MPI_INFO_NULL,
                           &gather));
    memset(counts, -1, sizeof counts);
    memset(displs, -1, sizeof displs);
    OK(MPI_Op_free(&op));
    OK(MPI_Op_create(add, 0, &op));
    OK(MPI_Comm_free(&comm));
    for (int round = 0; round < 3; round++) {
        sum = 0;
        OK(MPI_Start(&request));
        OK(MPI_Start(&gather));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&gather, MPI_STATUS_IGNORE));
        CHECK(sum == size * (size + 1) / 2);
        for (int p = 0; p < size; p++)
            CHECK(all[size - 1 - p] == p + 1);
    }
    OK(MPI_Request_free(&request));
    OK(MPI_Request_free(&gather));
    OK(MPI_Op_free(&op));
    /* Made and never started. */
    OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Request_free(&request));
    FAILS(MPI_ERR_INFO, MPI_Barrier_init(MPI_COMM_WORLD, (MPI_Info)MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_ROOT, MPI_Bcast_init(&own, 1, MPI_INT, -1, MPI_COMM_WORLD, MPI_INFO_NULL,
                                       &request));
}

int main(void)
{
    begin(&rank, &size);
    rounds(MPI_COMM_WORLD);
    MPI_Comm comm;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm));
    rounds(comm);
    OK(MPI_Comm_free(&comm));
    /* With more processes than processors every operation costs turns, and these are many. */
    if (size <= 2) long_lived();
    ownership();
    MPI_Finalize();
    return 0;
}
