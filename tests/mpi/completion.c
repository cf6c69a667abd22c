/* Completion of requests: each function for one, any, some and all of them, with null and inactive
   ones among them; asking without ending; freeing; cancelling. */
#include "check.h"

static int rank, size, next, previous;

static int is_empty(const MPI_Status *status)
{
    int flag = -1;
    MPI_Count count = -1;
    OK(MPI_Test_cancelled(status, &flag));
    OK(MPI_Get_elements_x(status, MPI_INT, &count));
    return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && !flag &&
           count == 0;
}

/* No requests at all, only null ones, and persistent ones that were not started. */
static void nothing_to_wait_for(void)
{
    int value = 0, flag, index, indices[3], count;
    MPI_Request requests[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status, statuses[3];
    for (int way = 0; way < 3; way++) {
        int n = way ? 3 : 0;
        if (way == 2)
            OK(MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]));
        memset(statuses, 0x33, sizeof statuses);
        OK(MPI_Waitall(n, requests, statuses));
        for (int i = 0; i < n; i++)
            CHECK(is_empty(&statuses[i]));
        flag = 0;
        memset(statuses, 0x33, sizeof statuses);
        OK(MPI_Testall(n, requests, &flag, statuses));
        CHECK(flag);
        for (int i = 0; i < n; i++)
            CHECK(is_empty(&statuses[i]));
        flag = 0;
        memset(statuses, 0x33, sizeof statuses);
        OK(MPI_Request_get_status_all(n, requests, &flag, statuses));
        CHECK(flag);
        for (int i = 0; i < n; i++)
            CHECK(is_empty(&statuses[i]));
        index = 5, memset(&status, 0x33, sizeof status);
        OK(MPI_Waitany(n, requests, &index, &status));
        CHECK(index == MPI_UNDEFINED && is_empty(&status));
        index = 5, flag = 0, memset(&status, 0x33, sizeof status);
        OK(MPI_Testany(n, requests, &index, &flag, &status));
        CHECK(flag && index == MPI_UNDEFINED && is_empty(&status));
        index = 5, flag = 0, memset(&status, 0x33, sizeof status);
        OK(MPI_Request_get_status_any(n, requests, &index, &flag, &status));
        CHECK(flag && index == MPI_UNDEFINED && is_empty(&status));
        count = 5;
        OK(MPI_Waitsome(n, requests, &count, indices, statuses));
        CHECK(count == MPI_UNDEFINED);
        count = 5;
        OK(MPI_Testsome(n, requests, &count, indices, statuses));
        CHECK(count == MPI_UNDEFINED);
        count = 5;
        OK(MPI_Request_get_status_some(n, requests, &count, indices, statuses));
        CHECK(count == MPI_UNDEFINED);
        for (int i = 0; i < n; i++) {
            memset(&status, 0x33, sizeof status);
            OK(MPI_Wait(&requests[i], &status));
            CHECK(is_empty(&status));
            flag = 0, memset(&status, 0x33, sizeof status);
            OK(MPI_Test(&requests[i], &flag, &status));
            CHECK(flag && is_empty(&status));
            flag = 0, memset(&status, 0x33, sizeof status);
            OK(MPI_Request_get_status(requests[i], &flag, &status));
            CHECK(flag && is_empty(&status));
        }
    }
    CHECK(requests[1] != MPI_REQUEST_NULL);
    OK(MPI_Request_free(&requests[1]));
    CHECK(requests[1] == MPI_REQUEST_NULL);
}

enum { N = 8 };

static int values[N], got[N];

/* Receives at the odd places, of which the `persistent` last ones are persistent; the even places
   are null. */
static void post(MPI_Request *requests, int persistent)
{
    for (int i = 0; i < N; i++) {
        got[i] = -1, values[i] = 100 * rank + i, requests[i] = MPI_REQUEST_NULL;
        if (i % 2 == 0)
            continue;
        if (i >= N - persistent) {
            OK(MPI_Recv_init(&got[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]));
            OK(MPI_Start(&requests[i]));
        } else {
            OK(MPI_Irecv(&got[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]));
        }
    }
}

static void send(int i) { OK(MPI_Send(&values[i], 1, MPI_INT, next, i, MPI_COMM_WORLD)); }

static void check(int i, const MPI_Status *status)
{
    CHECK(i % 2 == 1 && got[i] == 100 * previous + i);
    CHECK(status->MPI_SOURCE == previous && status->MPI_TAG == i);
}

/* Several that complete one after the other, with each function. */
static void several(int persistent)
{
    MPI_Request requests[N];
    MPI_Status status, statuses[N];
    int flag, index, indices[N], count;
    for (int way = 0; way < 6; way++) {
        post(requests, persistent);
        flag = 1, index = 3;
        OK(MPI_Testall(N, requests, &flag, statuses));
        CHECK(!flag);
        OK(MPI_Testany(N, requests, &index, &flag, &status));
        CHECK(!flag && index == MPI_UNDEFINED);
        OK(MPI_Testsome(N, requests, &count, indices, statuses));
        CHECK(count == 0);
        OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
        CHECK(!flag);
        OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
        CHECK(!flag && index == MPI_UNDEFINED);
        OK(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
        CHECK(count == 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (way < 2) {
            for (int i = 1; i < N; i += 2)
                send(i);
            memset(statuses, 0x33, sizeof statuses);
            if (way == 0)
                OK(MPI_Waitall(N, requests, statuses));
            else
                for (flag = 0; !flag;)
                    OK(MPI_Testall(N, requests, &flag, statuses));
            for (int i = 0; i < N; i++)
                if (i % 2)
                    check(i, &statuses[i]);
                else
                    CHECK(is_empty(&statuses[i]));
        }
        /* Backwards, so that the first of them is not the one that is complete. */
        for (int i = N - 1; way >= 2 && i > 0; i -= 2) {
            send(i);
            for (flag = 0; !flag;)
                OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
            CHECK(index == i);
            check(i, &status);
            for (count = 0; count == 0;)
                OK(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
            CHECK(count == 1 && indices[0] == i);
            check(i, &statuses[0]);
            OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
            CHECK(flag == (i == 1));
            if (flag)
                for (int other = 0; other < N; other++)
                    CHECK(other == 1 ? statuses[1].MPI_TAG == 1 : is_empty(&statuses[other]));
            OK(MPI_Request_get_status(requests[i], &flag, &status));
            CHECK(flag);
            check(i, &status);
            if (way == 2) {
                OK(MPI_Waitany(N, requests, &index, &status));
            } else if (way == 3) {
                OK(MPI_Testany(N, requests, &index, &flag, &status));
                CHECK(flag);
            } else {
                count = 0;
                if (way == 4)
                    OK(MPI_Waitsome(N, requests, &count, indices, statuses));
                else
                    OK(MPI_Testsome(N, requests, &count, indices, statuses));
                CHECK(count == 1);
                index = indices[0], status = statuses[0];
            }
            CHECK(index == i);
            check(i, &status);
            /* One message at a time, also from a process that is ahead. */
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
        for (int i = 0; i < N; i++) {
            CHECK((requests[i] != MPI_REQUEST_NULL) == (i % 2 && i >= N - persistent));
            if (requests[i] != MPI_REQUEST_NULL)
                OK(MPI_Request_free(&requests[i]));
        }
    }
}

/* Without statuses. */
static void ignored(void)
{
    MPI_Request requests[N];
    int flag = 0, index, indices[N], count, left = N / 2;
    post(requests, 0);
    for (int i = 1; i < N; i += 2)
        send(i);
    OK(MPI_Waitany(N, requests, &index, MPI_STATUS_IGNORE));
    left--;
    OK(MPI_Waitsome(N, requests, &count, indices, MPI_STATUSES_IGNORE));
    left -= count;
    for (; left > 1; left -= flag)
        OK(MPI_Testany(N, requests, &index, &flag, MPI_STATUS_IGNORE));
    for (; left > 0; left -= count)
        OK(MPI_Testsome(N, requests, &count, indices, MPI_STATUSES_IGNORE));
    OK(MPI_Testall(N, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK(flag);
    OK(MPI_Request_get_status_all(N, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK(flag);
    for (int i = 1; i < N; i += 2)
        CHECK(got[i] == 100 * previous + i);
}

/* One of several receives fails. */
static void failures(void)
{
    int out[3] = { rank, 1, 2 }, in[4][3], count, indices[4], index, flag, code;
    MPI_Request requests[4];
    MPI_Status status, statuses[4];
    for (int way = 0; way < 6; way++) {
        for (int i = 0; i < 4; i++)
            OK(MPI_Irecv(in[i], i == 2 ? 2 : 3, MPI_INT, previous, i, MPI_COMM_WORLD,
                         &requests[i]));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < 4; i++)
            statuses[i].MPI_ERROR = -9;
        if (way < 4) {
            for (int i = 0; i < 4; i++)
                OK(MPI_Send(out, 3, MPI_INT, next, i, MPI_COMM_WORLD));
            for (int i = 0; way >= 2 && i < 4; i++)
                for (flag = 0; !flag;)
                    OK(MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE));
            code = MPI_SUCCESS, count = 4;
            if (way == 0)
                code = MPI_Waitall(4, requests, statuses);
            else if (way == 1)
                for (flag = 0; !flag;)
                    code = MPI_Testall(4, requests, &flag, statuses);
            else if (way == 2)
                code = MPI_Waitsome(4, requests, &count, indices, statuses);
            else
                code = MPI_Testsome(4, requests, &count, indices, statuses);
            CHECK(class_of(code) == MPI_ERR_IN_STATUS && count == 4);
            for (int i = 0; i < 4; i++) {
                int class_ = class_of(statuses[i].MPI_ERROR);
                CHECK(class_ == (i == 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
                CHECK(requests[i] == MPI_REQUEST_NULL && in[i][1] == 1);
            }
        } else {
            OK(MPI_Send(out, 3, MPI_INT, next, 2, MPI_COMM_WORLD));
            code = MPI_SUCCESS, index = -1, flag = 0;
            if (way == 4)
                code = MPI_Waitany(4, requests, &index, &status);
            else
                while (!flag)
                    code = MPI_Testany(4, requests, &index, &flag, &status);
            CHECK(class_of(code) == MPI_ERR_TRUNCATE && index == 2);
            CHECK(status.MPI_TAG == 2 && requests[2] == MPI_REQUEST_NULL);
            OK(MPI_Barrier(MPI_COMM_WORLD));
            for (int i = 0; i < 4; i++)
                if (i != 2)
                    OK(MPI_Send(out, 3, MPI_INT, next, i, MPI_COMM_WORLD));
            OK(MPI_Waitall(4, requests, statuses));
        }
    }
}

/* A receive that is not answered; one that a message came for; a persistent one. */
static void cancelled(void)
{
    int value = 5, in = -1, flag;
    MPI_Request request, again;
    MPI_Status status;
    for (int way = 0; way < 3; way++) {
        OK(MPI_Irecv(&in, 1, MPI_INT, way ? MPI_ANY_SOURCE : previous, 900, MPI_COMM_WORLD,
                     &request));
        OK(MPI_Cancel(&request));
        CHECK(request != MPI_REQUEST_NULL);
        if (way == 0)
            OK(MPI_Wait(&request, &status));
        else if (way == 1)
            OK(MPI_Waitall(1, &request, &status));
        else
            for (flag = 0; !flag;)
                OK(MPI_Test(&request, &flag, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK(flag && request == MPI_REQUEST_NULL);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    /* The message that comes then goes to the next receive. */
    OK(MPI_Send(&value, 1, MPI_INT, next, 900, MPI_COMM_WORLD));
    OK(MPI_Recv(&in, 1, MPI_INT, previous, 900, MPI_COMM_WORLD, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(in == 5 && !flag);
    /* Too late. */
    in = -1;
    OK(MPI_Irecv(&in, 1, MPI_INT, previous, 901, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&value, 1, MPI_INT, next, 901, MPI_COMM_WORLD));
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(!flag && in == 5 && status.MPI_TAG == 901);
    /* A send completes either way: to itself it may be taken back or not. */
    OK(MPI_Isend(&value, 1, MPI_INT, next, 902, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    OK(MPI_Sendrecv(&flag, 1, MPI_INT, next, 903, &in, 1, MPI_INT, previous, 903, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    if (!in)
        OK(MPI_Recv(&in, 1, MPI_INT, previous, 902, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    /* A persistent one can be started again. */
    OK(MPI_Recv_init(&in, 1, MPI_INT, previous, 904, MPI_COMM_WORLD, &again));
    for (int round = 0; round < 3; round++) {
        OK(MPI_Start(&again));
        OK(MPI_Cancel(&again));
        OK(MPI_Wait(&again, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK(flag && again != MPI_REQUEST_NULL);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Start(&again));
    OK(MPI_Send(&value, 1, MPI_INT, next, 904, MPI_COMM_WORLD));
    OK(MPI_Wait(&again, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(!flag && in == 5);
    OK(MPI_Request_free(&again));
}

/* The operation goes on without its request, and the communicator may be freed meanwhile. */
static void freed(void)
{
    static int out[2000], in[2000];
    MPI_Request request;
    MPI_Comm comm;
    for (int way = 0; way < 4; way++) {
        int done = 0;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        for (int i = 0; i < 2000; i++)
            out[i] = rank + i, in[i] = -1;
        if (way == 0)
            OK(MPI_Irecv(in, 2000, MPI_INT, previous, 1, comm, &request));
        if (way == 1) {
            OK(MPI_Recv_init(in, 2000, MPI_INT, previous, 1, comm, &request));
            OK(MPI_Start(&request));
        }
        if (way < 2) {
            OK(MPI_Request_free(&request));
            OK(MPI_Send(out, 2000, MPI_INT, next, 1, comm));
        } else {
            if (way == 2) {
                OK(MPI_Issend(out, 2000, MPI_INT, next, 1, comm, &request));
            } else {
                OK(MPI_Ssend_init(out, 2000, MPI_INT, next, 1, comm, &request));
                OK(MPI_Start(&request));
            }
            OK(MPI_Request_free(&request));
            OK(MPI_Recv(in, 2000, MPI_INT, previous, 1, comm, MPI_STATUS_IGNORE));
        }
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Comm_free(&comm));
        /* Nothing says when a freed receive is complete but what it received; calls make progress. */
        while (in[1999] != previous + 1999 || in[0] != previous)
            OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &done, MPI_STATUS_IGNORE));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* Asking is as good as waiting, whatever the operation consists of. */
static void looks(void)
{
    int out = 40 + rank, in = -1, flag = 0, sum = -1;
    Count count = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm comm = MPI_COMM_NULL;
    OK(MPI_Isendrecv(&out, 1, MPI_INT, next, 21, &in, 1, MPI_INT, previous, 21, MPI_COMM_WORLD,
                     &request));
    for (int round = 0; round < 3; round++) {
        if (round < 2)
            for (flag = 0; !flag;)
                OK(MPI_Request_get_status(request, &flag, &status));
        else
            OK(MPI_Wait(&request, &status));
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 21 && in == 40 + previous);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == 1);
    }
    /* The communicator is there as soon as the program knows. */
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request));
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status(request, &flag, &status));
    CHECK(is_empty(&status));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size - 1) / 2);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
    OK(MPI_Start(&request));
    OK(MPI_Request_get_status(request, &flag, &status));
    CHECK(flag && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    OK(MPI_Request_free(&request));
}

/* Persistent requests that are freed while they are active, and new ones after them. */
static void freed_while_active(void)
{
    static char memory[2 * MPI_BSEND_OVERHEAD];
    int value = 6, in;
    MPI_Request request;
    void *address;
    Count length;
    OK(MPI_Buffer_attach(memory, sizeof memory));
    for (int round = 0; round < 3; round++) {
        in = -1;
        OK(MPI_Bsend_init(&value, 1, MPI_INT, next, 22, MPI_COMM_WORLD, &request));
        OK(MPI_Start(&request));
        OK(MPI_Request_free(&request));
        OK(MPI_Recv(&in, 1, MPI_INT, previous, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(in == 6);
        OK(MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 22, MPI_COMM_WORLD, &request));
        OK(MPI_Start(&request));
        OK(MPI_Request_free(&request));
    }
    OK(MPI_Buffer_detach(&address, &length));
}

static void persistent_mistakes(void)
{
    int value = 0;
    MPI_Request requests[2], plain;
    OK(MPI_Recv_init(&value, 1, MPI_INT, previous, 6, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Start(&requests[0]));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&requests[0]));
    OK(MPI_Irecv(&value, 1, MPI_INT, previous, 7, MPI_COMM_WORLD, &plain));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&plain));
    requests[1] = MPI_REQUEST_NULL;
    FAILS(MPI_ERR_REQUEST, MPI_Startall(2, requests));
    OK(MPI_Startall(0, NULL));
    OK(MPI_Cancel(&requests[0]));
    OK(MPI_Cancel(&plain));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Wait(&plain, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&requests[0]));
}

int main(void)
{
    begin(&rank, &size);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    nothing_to_wait_for();
    several(0);
    several(5);
    ignored();
    failures();
    cancelled();
    freed();
    looks();
    freed_while_active();
    persistent_mistakes();
    OK(MPI_Finalize());
    return 0;
}
