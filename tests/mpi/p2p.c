/* Point-to-point messages: modes, wildcards, probes, truncation, sizes; blocking, nonblocking, persistent. */
#include "check.h"

static int rank, size;

static void fill(unsigned char *data, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 31 + (size_t)seed * 7 + i / 251);
}

static int same(const unsigned char *data, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(i * 31 + (size_t)seed * 7 + i / 251))
            return 0;
    return 1;
}

/* Every mode in every size around the ring of processes. */
static void sizes(void)
{
    static const size_t all[] = { 0, 1, 7, 40, 41, 56, 255, 4096, 4097, 16384, 32768, 65537,
                                  1 << 20, (1 << 22) + 3 };
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    unsigned char *out = malloc((1 << 22) + 3), *in = malloc((1 << 22) + 3);
    for (size_t s = 0; s < sizeof all / sizeof *all; s++) {
        int bytes = (int)all[s];
        fill(out, all[s], rank);
        for (int mode = 0; mode < 3; mode++) {
            MPI_Request request;
            MPI_Status status;
            Count count;
            memset(in, 0, all[s]);
            OK(MPI_Irecv(in, bytes, MPI_BYTE, from, 5, MPI_COMM_WORLD, &request));
            if (mode == 0)
                OK(MPI_Send(out, bytes, MPI_BYTE, to, 5, MPI_COMM_WORLD));
            else if (mode == 1)
                OK(MPI_Ssend(out, bytes, MPI_BYTE, to, 5, MPI_COMM_WORLD));
            else {
                OK(MPI_Barrier(MPI_COMM_WORLD));
                OK(MPI_Rsend(out, bytes, MPI_BYTE, to, 5, MPI_COMM_WORLD));
            }
            OK(MPI_Wait(&request, &status));
            CHECK(request == MPI_REQUEST_NULL);
            CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 5);
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK(count == bytes && same(in, all[s], from));
        }
    }
    free(out);
    free(in);
}

/* Messages of one sender stay in order, with wildcards and without. */
static void order(void)
{
    enum { MESSAGES = 200 };
    if (rank == 0) {
        int next[64] = { 0 };
        for (int i = 0; i < (size - 1) * MESSAGES; i++) {
            int value = -1;
            MPI_Status status;
            OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            CHECK(status.MPI_TAG == value % 10);
            CHECK(value == next[status.MPI_SOURCE]++);
        }
    } else {
        for (int i = 0; i < MESSAGES; i++)
            OK(MPI_Send(&i, 1, MPI_INT, 0, i % 10, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void probes(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int out[3] = { rank, rank + 1, rank + 2 }, in[3], flag;
    Count count;
    MPI_Request send;
    MPI_Status status;
    MPI_Message message;
    OK(MPI_Isend(out, 3, MPI_INT, to, 9, MPI_COMM_WORLD, &send));
    OK(MPI_Probe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 3 && status.MPI_SOURCE == from && status.MPI_TAG == 9);
    OK(MPI_Iprobe(from, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &message, &status));
    OK(MPI_Iprobe(from, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Mrecv(in, 3, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL && in[0] == from && in[2] == from + 2);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Improbe(MPI_PROC_NULL, 9, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK(flag && message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    OK(MPI_Mrecv(in, 3, MPI_INT, &message, &status));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The message is longer than the buffer: an error of the receive, and nothing behind the buffer. */
static void truncation(void)
{
    static const int lengths[] = { 4, 4000, 400000 };
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int l = 0; l < 3; l++) {
        int length = lengths[l];
        int *out = calloc((size_t)length, sizeof *out), in[3] = { 0, 0, -1 };
        MPI_Request send;
        MPI_Status status;
        out[0] = rank, out[1] = 77, out[2] = 78;
        OK(MPI_Isend(out, length, MPI_INT, to, 3, MPI_COMM_WORLD, &send));
        FAILS(MPI_ERR_TRUNCATE, MPI_Recv(in, 2, MPI_INT, from, 3, MPI_COMM_WORLD, &status));
        CHECK(in[0] == from && in[1] == 77 && in[2] == -1);
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        free(out);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void exchange(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int out = rank, in = -1, both = rank;
    MPI_Status status;
    MPI_Request request;
    OK(MPI_Sendrecv(&out, 1, MPI_INT, to, 1, &in, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &status));
    CHECK(in == from && status.MPI_SOURCE == from);
    OK(MPI_Sendrecv_replace(&both, 1, MPI_INT, to, 2, from, 2, MPI_COMM_WORLD, &status));
    CHECK(both == from);
    both = rank, in = -1;
    OK(MPI_Isendrecv(&out, 1, MPI_INT, to, 1, &in, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(in == from && status.MPI_SOURCE == from && status.MPI_TAG == 1);
    OK(MPI_Isendrecv_replace(&both, 1, MPI_INT, to, 2, from, 2, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(both == from);
    OK(MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 1, &in, 1, MPI_INT, MPI_PROC_NULL, 1,
                    MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

/* The completion functions for several requests. */
static void several(void)
{
    enum { N = 20 };
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int out[N], in[N], indices[2 * N], done, flag;
    MPI_Request requests[2 * N];
    MPI_Status statuses[2 * N];
    for (int way = 0; way < 6; way++) {
        for (int i = 0; i < N; i++) {
            in[i] = -1, out[i] = 100 * rank + i;
            OK(MPI_Irecv(&in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &requests[i]));
        }
        for (int i = 0; i < N; i++)
            OK(MPI_Isend(&out[i], 1, MPI_INT, to, i, MPI_COMM_WORLD, &requests[N + i]));
        if (way == 0) {
            OK(MPI_Waitall(2 * N, requests, statuses));
            for (int i = 0; i < N; i++)
                CHECK(statuses[i].MPI_SOURCE == from && statuses[i].MPI_TAG == i);
        } else if (way == 1) {
            for (flag = 0; !flag;)
                OK(MPI_Testall(2 * N, requests, &flag, statuses));
        } else {
            for (int left = 2 * N; left > 0;) {
                int index = MPI_UNDEFINED;
                done = 0;
                if (way == 2) {
                    OK(MPI_Waitany(2 * N, requests, &index, statuses));
                    done = 1;
                } else if (way == 3)
                    OK(MPI_Testany(2 * N, requests, &index, &done, statuses));
                else if (way == 4)
                    OK(MPI_Waitsome(2 * N, requests, &done, indices, statuses));
                else
                    OK(MPI_Testsome(2 * N, requests, &done, indices, statuses));
                left -= done;
            }
            OK(MPI_Waitsome(2 * N, requests, &done, indices, statuses));
            CHECK(done == MPI_UNDEFINED);
        }
        for (int i = 0; i < N; i++)
            CHECK(in[i] == 100 * from + i && requests[i] == MPI_REQUEST_NULL);
    }
}

static void persistent(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, out = 0, in = 0;
    MPI_Request requests[2];
    OK(MPI_Send_init(&out, 1, MPI_INT, to, 4, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Recv_init(&in, 1, MPI_INT, from, 4, MPI_COMM_WORLD, &requests[1]));
    for (int round = 0; round < 10; round++) {
        out = rank * 1000 + round, in = -1;
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK(in == from * 1000 + round);
    }
    /* Not started: complete, with an empty status. */
    MPI_Status status;
    OK(MPI_Wait(&requests[1], &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && requests[1] != MPI_REQUEST_NULL);
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    FAILS(MPI_ERR_REQUEST, MPI_Request_free(&requests[1]));
}

static void cancel(void)
{
    int in, flag;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
}

/* A request that is freed while its operation goes on, also when the communicator is freed then. */
static void freed(void)
{
    static int in, out = 5;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Irecv(&in, 1, MPI_INT, from, 1, comm, &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Send(&out, 1, MPI_INT, to, 1, comm));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void mistakes(void)
{
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    FAILS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_RANK, MPI_Recv(&value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_COUNT, MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD));
    FAILS(MPI_ERR_TYPE, MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    FAILS(MPI_ERR_BUFFER, MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&request));
}

int main(void)
{
    begin(&rank, &size);
    sizes();
    order();
    probes();
    truncation();
    exchange();
    several();
    persistent();
    cancel();
    freed();
    mistakes();
    MPI_Finalize();
    return 0;
}
