/* Mistakes of programs: each gives the class that the standard names for it to the error handler of
   the communicator, or of MPI_COMM_SELF if the function has none; and nothing else happens. */
#include <stdint.h>

#include "check.h"

static int rank, size;

/* What the handler was told. */
static int heard, heard_code;
static MPI_Comm heard_comm;

static void hear(MPI_Comm *comm, int *code, ...)
{
    heard++;
    heard_comm = *comm;
    heard_code = *code;
}

static MPI_Errhandler hearing;

static void use(MPI_Comm comm, MPI_Errhandler handler)
{
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    heard = 0, heard_comm = MPI_COMM_NULL, heard_code = MPI_SUCCESS;
}

/* A call that fails, at a communicator: with errors that are returned, and with a handler. */
#define WRONG(class, comm, call)                                                      \
    do {                                                                              \
        int code_;                                                                    \
        use(comm, MPI_ERRORS_RETURN);                                                 \
        CHECK(class_of(call) == (class) && heard == 0);                               \
        use(comm, hearing);                                                           \
        code_ = (call);                                                               \
        CHECK(class_of(code_) == (class) && heard == 1 && heard_code == code_);       \
        CHECK(heard_comm == (comm));                                                  \
        use(comm, MPI_ERRORS_RETURN);                                                 \
    } while (0)

/* A call without a communicator, or with one that is none. */
#define WRONG_ALONE(class, call) WRONG(class, MPI_COMM_SELF, call)

/* Handles that are none: no constant, a constant of another class, an object of another class, an
   odd address, memory without an object. */
static MPI_Group an_object;
static long long memory[64];

enum { BAD = 6 };

static void *bad(int n)
{
    void *all[BAD] = { NULL, (void *)(intptr_t)77, (void *)MPI_BYTE, (void *)an_object,
                       (char *)memory + 3, memory };
    return all[n];
}

static void communicators(void)
{
    MPI_Comm freed, result = MPI_COMM_WORLD;
    int value = 0, number;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Group group;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &freed));
    MPI_Comm stale = freed;
    OK(MPI_Comm_free(&freed));
    for (int n = 0; n < BAD + 2; n++) {
        MPI_Comm comm = n < BAD ? (MPI_Comm)bad(n) : n == BAD ? stale : MPI_COMM_NULL, copy = comm;
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_rank(comm, &number));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_size(comm, &number));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_group(comm, &group));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_compare(MPI_COMM_SELF, comm, &number));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_compare(comm, MPI_COMM_SELF, &number));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_dup(comm, &result));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_split(comm, 0, 0, &result));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_free(&copy));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_set_name(comm, "x"));
        if (comm != MPI_COMM_NULL)
            WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_get_name(comm, name, &number));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_get_attr(comm, MPI_TAG_UB, &result, &number));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, comm));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Recv(&value, 1, MPI_INT, 0, 0, comm, &status));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Isend(&value, 1, MPI_INT, 0, 0, comm, &request));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Probe(0, 0, comm, &status));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Barrier(comm));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Bcast(&value, 1, MPI_INT, 0, comm));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, comm));
        WRONG_ALONE(MPI_ERR_COMM, MPI_Comm_attach_buffer(comm, memory, 8));
    }
    CHECK(result == MPI_COMM_WORLD);
}

static void messages(MPI_Comm comm)
{
    int value[2] = { 0, 0 }, flag, *limit;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    OK(MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &flag));
    const int ranks[] = { size, size + 1000, -7, INT32_MAX, INT32_MIN };
    const int wrong_tags[] = { -1000, INT32_MIN, *limit == INT32_MAX ? -1000 : *limit + 1 };
    for (int n = 0; n < 5; n++) {
        int to = ranks[n];
        WRONG(MPI_ERR_RANK, comm, MPI_Send(value, 1, MPI_INT, to, 0, comm));
        WRONG(MPI_ERR_RANK, comm, MPI_Ssend(value, 1, MPI_INT, to, 0, comm));
        WRONG(MPI_ERR_RANK, comm, MPI_Rsend(value, 1, MPI_INT, to, 0, comm));
        WRONG(MPI_ERR_RANK, comm, MPI_Bsend(value, 1, MPI_INT, to, 0, comm));
        WRONG(MPI_ERR_RANK, comm, MPI_Isend(value, 1, MPI_INT, to, 0, comm, &request));
        WRONG(MPI_ERR_RANK, comm, MPI_Send_init(value, 1, MPI_INT, to, 0, comm, &request));
        WRONG(MPI_ERR_RANK, comm, MPI_Recv(value, 1, MPI_INT, to, 0, comm, &status));
        WRONG(MPI_ERR_RANK, comm, MPI_Irecv(value, 1, MPI_INT, to, 0, comm, &request));
        WRONG(MPI_ERR_RANK, comm, MPI_Recv_init(value, 1, MPI_INT, to, 0, comm, &request));
        WRONG(MPI_ERR_RANK, comm, MPI_Probe(to, 0, comm, &status));
        WRONG(MPI_ERR_RANK, comm, MPI_Iprobe(to, 0, comm, &flag, &status));
        WRONG(MPI_ERR_RANK, comm, MPI_Mprobe(to, 0, comm, &message, &status));
        WRONG(MPI_ERR_RANK, comm, MPI_Improbe(to, 0, comm, &flag, &message, &status));
        WRONG(MPI_ERR_RANK, comm, MPI_Sendrecv(value, 1, MPI_INT, to, 0, value + 1, 1, MPI_INT, 0,
                                               0, comm, &status));
        WRONG(MPI_ERR_RANK, comm, MPI_Sendrecv(value, 1, MPI_INT, 0, 0, value + 1, 1, MPI_INT, to,
                                               0, comm, &status));
        WRONG(MPI_ERR_RANK, comm,
              MPI_Sendrecv_replace(value, 1, MPI_INT, 0, 0, to, 0, comm, &status));
    }
    /* Wildcards are for receiving. */
    WRONG(MPI_ERR_RANK, comm, MPI_Send(value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm));
    WRONG(MPI_ERR_TAG, comm, MPI_Send(value, 1, MPI_INT, 0, MPI_ANY_TAG, comm));
    WRONG(MPI_ERR_RANK, comm, MPI_Send(value, 1, MPI_INT, MPI_ROOT, 0, comm));
    for (int n = 0; n < 3; n++) {
        int tag = wrong_tags[n];
        WRONG(MPI_ERR_TAG, comm, MPI_Send(value, 1, MPI_INT, 0, tag, comm));
        WRONG(MPI_ERR_TAG, comm, MPI_Issend(value, 1, MPI_INT, 0, tag, comm, &request));
        WRONG(MPI_ERR_TAG, comm, MPI_Recv(value, 1, MPI_INT, 0, tag, comm, &status));
        WRONG(MPI_ERR_TAG, comm, MPI_Irecv(value, 1, MPI_INT, 0, tag, comm, &request));
        WRONG(MPI_ERR_TAG, comm, MPI_Iprobe(0, tag, comm, &flag, &status));
        WRONG(MPI_ERR_TAG, comm, MPI_Mprobe(0, tag, comm, &message, &status));
        WRONG(MPI_ERR_TAG, comm, MPI_Sendrecv(value, 1, MPI_INT, 0, 0, value + 1, 1, MPI_INT, 0,
                                              tag, comm, &status));
        /* Also with no process at the other end. */
        WRONG(MPI_ERR_TAG, comm, MPI_Send(value, 1, MPI_INT, MPI_PROC_NULL, tag, comm));
    }
    WRONG(MPI_ERR_COUNT, comm, MPI_Send(value, -1, MPI_INT, 0, 0, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Recv(value, -1, MPI_INT, 0, 0, comm, &status));
    WRONG(MPI_ERR_COUNT, comm, MPI_Irecv(value, INT32_MIN, MPI_INT, 0, 0, comm, &request));
    WRONG(MPI_ERR_COUNT, comm, MPI_Bsend_init(value, -1, MPI_INT, 0, 0, comm, &request));
    WRONG(MPI_ERR_COUNT, comm, MPI_Send(value, -1, MPI_INT, MPI_PROC_NULL, 0, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Send(NULL, 1, MPI_INT, 0, 0, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Recv(NULL, 1, MPI_INT, 0, 0, comm, &status));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Isend(NULL, 5, MPI_BYTE, 0, 0, comm, &request));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Sendrecv_replace(NULL, 1, MPI_INT, 0, 0, 0, 0, comm, &status));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Bsend(value, 1, MPI_INT, 0, 0, comm));
    WRONG(MPI_ERR_ARG, comm, MPI_Isend(value, 1, MPI_INT, 0, 0, comm, NULL));
    WRONG(MPI_ERR_ARG, comm, MPI_Iprobe(0, 0, comm, NULL, &status));
    WRONG(MPI_ERR_ARG, comm, MPI_Mprobe(0, 0, comm, NULL, &status));
    if (sizeof(Count) > 4) {
        /* A copy that is larger than all memory: 2^66 bytes, and 2^46. */
        const Count beyond = (Count)(1LL << 62), large = (Count)(1LL << 46);
        WRONG(MPI_ERR_COUNT, comm,
              MPI_Sendrecv_replace(value, beyond, MPI_LONG_DOUBLE, 0, 0, 0, 0, comm, &status));
        WRONG(MPI_ERR_NO_MEM, comm,
              MPI_Isendrecv_replace(value, large, MPI_BYTE, 0, 0, 0, 0, comm, &request));
    }
    for (int n = 0; n < BAD + 1; n++) {
        MPI_Datatype type = n == BAD ? MPI_DATATYPE_NULL : (MPI_Datatype)bad(n);
        if (type == MPI_BYTE)
            continue;
        WRONG(MPI_ERR_TYPE, comm, MPI_Send(value, 1, type, 0, 0, comm));
        WRONG(MPI_ERR_TYPE, comm, MPI_Recv(value, 1, type, 0, 0, comm, &status));
        WRONG(MPI_ERR_TYPE, comm, MPI_Bcast(value, 1, type, 0, comm));
        WRONG(MPI_ERR_TYPE, comm, MPI_Allreduce(MPI_IN_PLACE, value, 1, type, MPI_SUM, comm));
    }
    CHECK(request == MPI_REQUEST_NULL && message == MPI_MESSAGE_NULL);
    CHECK(value[0] == 0 && value[1] == 0);
}

/* An error of a request is one of its communicator. */
static void truncated(MPI_Comm comm)
{
    int out[2] = { 1, 2 }, in = 0, flag, code = MPI_SUCCESS;
    MPI_Status status;
    int self, code_;
    OK(MPI_Comm_rank(comm, &self));
    /* The receive comes before the message, and after. */
    for (int way = 0; way < 6; way++) {
        MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
        MPI_Message message;
        use(comm, hearing);
        /* No other handler hears of it. */
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
        if (way == 0)
            OK(MPI_Irecv(&in, 1, MPI_INT, self, 9, comm, &receive));
        OK(MPI_Isend(out, 2, MPI_INT, self, 9, comm, &send));
        if (way == 1 || way == 5)
            OK(MPI_Irecv(&in, 1, MPI_INT, self, 9, comm, &receive));
        if (way == 2) {
            code = MPI_Recv(&in, 1, MPI_INT, self, 9, comm, &status);
        } else if (way == 3) {
            OK(MPI_Mprobe(self, 9, comm, &message, &status));
            code = MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
        } else if (way == 4) {
            OK(MPI_Mprobe(self, 9, comm, &message, &status));
            OK(MPI_Imrecv(&in, 1, MPI_INT, &message, &receive));
            code = MPI_Wait(&receive, &status);
        } else if (way == 5) {
            for (flag = 0; !flag;)
                code = MPI_Test(&receive, &flag, &status);
        } else {
            code = MPI_Wait(&receive, &status);
        }
        CHECK(class_of(code) == MPI_ERR_TRUNCATE);
        CHECK(heard == 1 && heard_comm == comm && heard_code == code);
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    code_ = MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(code_ == MPI_SUCCESS);
    use(comm, MPI_ERRORS_RETURN);
}

static void requests(void)
{
    int value, flag, index, count, indices[2];
    MPI_Status status, statuses[2];
    MPI_Request freed, null = MPI_REQUEST_NULL;
    OK(MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &freed));
    MPI_Request stale = freed;
    OK(MPI_Request_free(&freed));
    for (int n = 0; n < BAD + 1; n++) {
        MPI_Request request = n < BAD ? (MPI_Request)bad(n) : stale, pair[2] = { null, request };
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Wait(&request, &status));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Test(&request, &flag, &status));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Cancel(&request));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Request_free(&request));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Start(&request));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Startall(1, &request));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Request_get_status(request, &flag, &status));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Waitall(2, pair, statuses));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Testall(2, pair, &flag, statuses));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Waitany(2, pair, &index, &status));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Testany(2, pair, &index, &flag, &status));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Waitsome(2, pair, &count, indices, statuses));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Testsome(2, pair, &count, indices, statuses));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Grequest_complete(request));
        MPI_Message message = (MPI_Message)request;
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
        WRONG_ALONE(MPI_ERR_REQUEST, MPI_Imrecv(&value, 1, MPI_INT, &message, &freed));
    }
    /* Started twice, or not made for that. */
    MPI_Request twice, once;
    OK(MPI_Recv_init(&value, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &twice));
    OK(MPI_Start(&twice));
    WRONG(MPI_ERR_REQUEST, MPI_COMM_WORLD, MPI_Start(&twice));
    OK(MPI_Cancel(&twice));
    OK(MPI_Wait(&twice, &status));
    OK(MPI_Request_free(&twice));
    OK(MPI_Irecv(&value, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &once));
    WRONG(MPI_ERR_REQUEST, MPI_COMM_WORLD, MPI_Start(&once));
    WRONG(MPI_ERR_REQUEST, MPI_COMM_WORLD, MPI_Grequest_complete(once));
    OK(MPI_Cancel(&once));
    OK(MPI_Wait(&once, &status));
    /* A message is received once. */
    int self = 0, out = 1;
    MPI_Message message, used;
    OK(MPI_Isend(&out, 1, MPI_INT, self, 9, MPI_COMM_SELF, &once));
    OK(MPI_Mprobe(self, 9, MPI_COMM_SELF, &message, &status));
    used = message;
    OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    OK(MPI_Wait(&once, &status));
    WRONG_ALONE(MPI_ERR_REQUEST, MPI_Mrecv(&value, 1, MPI_INT, &used, &status));
    WRONG_ALONE(MPI_ERR_REQUEST, MPI_Imrecv(&value, 1, MPI_INT, &used, &once));
    CHECK(message == MPI_MESSAGE_NULL && once == MPI_REQUEST_NULL);
    WRONG_ALONE(MPI_ERR_REQUEST, MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    WRONG_ALONE(MPI_ERR_REQUEST, MPI_Cancel(&null));
    WRONG_ALONE(MPI_ERR_REQUEST, MPI_Request_free(&null));
    WRONG_ALONE(MPI_ERR_REQUEST, MPI_Start(&null));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Wait(NULL, &status));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Test(&null, NULL, &status));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Waitall(-1, &null, statuses));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Waitall(1, NULL, statuses));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Waitany(1, &null, NULL, &status));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Waitsome(1, &null, NULL, indices, statuses));
}

static void collectives(MPI_Comm comm)
{
    int value[2] = { 1, 2 }, out[64] = { 0 }, self;
    Count counts[64];
    Displ displs[64];
    MPI_Datatype types[64];
    OK(MPI_Comm_rank(comm, &self));
    CHECK(size <= 64);
    for (int p = 0; p < size; p++)
        counts[p] = 1, displs[p] = p, types[p] = MPI_INT;
    const int roots[] = { -1, size, MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_ROOT, INT32_MIN };
    for (int n = 0; n < 6; n++) {
        int root = roots[n];
        WRONG(MPI_ERR_ROOT, comm, MPI_Bcast(value, 1, MPI_INT, root, comm));
        WRONG(MPI_ERR_ROOT, comm, MPI_Gather(value, 1, MPI_INT, out, 1, MPI_INT, root, comm));
        WRONG(MPI_ERR_ROOT, comm, MPI_Scatter(out, 1, MPI_INT, value, 1, MPI_INT, root, comm));
        WRONG(MPI_ERR_ROOT, comm,
              MPI_Gatherv(value, 1, MPI_INT, out, counts, displs, MPI_INT, root, comm));
        WRONG(MPI_ERR_ROOT, comm,
              MPI_Scatterv(out, counts, displs, MPI_INT, value, 1, MPI_INT, root, comm));
        WRONG(MPI_ERR_ROOT, comm, MPI_Reduce(value, out, 1, MPI_INT, MPI_SUM, root, comm));
    }
    WRONG(MPI_ERR_COUNT, comm, MPI_Bcast(value, -1, MPI_INT, self, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Gather(value, -1, MPI_INT, out, 1, MPI_INT, self, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Gather(value, 1, MPI_INT, out, -1, MPI_INT, self, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Allgather(value, -1, MPI_INT, out, 1, MPI_INT, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Alltoall(value, 1, MPI_INT, out, -1, MPI_INT, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Allreduce(value, out, -1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Scan(value, out, -1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Reduce_scatter_block(value, out, -1, MPI_INT, MPI_SUM, comm));
    counts[size - 1] = -1;
    WRONG(MPI_ERR_COUNT, comm,
          MPI_Allgatherv(value, 1, MPI_INT, out, counts, displs, MPI_INT, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Alltoallv(value, counts, displs, MPI_INT, out, counts, displs,
                                             MPI_INT, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Alltoallw(value, counts, displs, types, out, counts, displs,
                                             types, comm));
    WRONG(MPI_ERR_COUNT, comm, MPI_Reduce_scatter(value, out, counts, MPI_INT, MPI_SUM, comm));
    counts[size - 1] = 1;
    types[size - 1] = MPI_DATATYPE_NULL;
    WRONG(MPI_ERR_TYPE, comm, MPI_Alltoallw(value, counts, displs, types, out, counts, displs,
                                            types, comm));
    types[size - 1] = MPI_INT;
    WRONG(MPI_ERR_ARG, comm, MPI_Allgatherv(value, 1, MPI_INT, out, NULL, displs, MPI_INT, comm));
    WRONG(MPI_ERR_ARG, comm, MPI_Allgatherv(value, 1, MPI_INT, out, counts, NULL, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Bcast(NULL, 1, MPI_INT, self, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, self, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Allreduce(NULL, out, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Allreduce(value, NULL, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Allreduce(value, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Allgather(NULL, 1, MPI_INT, out, 1, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm,
          MPI_Gatherv(value, 1, MPI_INT, NULL, counts, displs, MPI_INT, self, comm));
    WRONG(MPI_ERR_BUFFER, comm,
          MPI_Scatterv(NULL, counts, displs, MPI_INT, value, 1, MPI_INT, self, comm));
    WRONG(MPI_ERR_BUFFER, comm,
          MPI_Allgatherv(value, 1, MPI_INT, NULL, counts, displs, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Alltoallv(NULL, counts, displs, MPI_INT, out, counts, displs,
                                              MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Alltoallv(value, counts, displs, MPI_INT, NULL, counts, displs,
                                              MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Alltoallw(NULL, counts, displs, types, out, counts, displs,
                                              types, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Alltoallw(value, counts, displs, types, NULL, counts, displs,
                                              types, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Reduce_scatter(NULL, out, counts, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Reduce_scatter(value, NULL, counts, MPI_INT, MPI_SUM, comm));
    /* One buffer for both. */
    WRONG(MPI_ERR_BUFFER, comm, MPI_Allreduce(out, out, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Scan(out, out, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Exscan(out, out, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Reduce(out, out, 1, MPI_INT, MPI_SUM, self, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Reduce_scatter_block(out, out, 1, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Reduce_scatter(out, out, counts, MPI_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Gather(out, 1, MPI_INT, out, 1, MPI_INT, self, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Scatter(out, 1, MPI_INT, out, 1, MPI_INT, self, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Allgather(out, 1, MPI_INT, out, 1, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm,
          MPI_Allgatherv(out, 1, MPI_INT, out, counts, displs, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Alltoall(out, 1, MPI_INT, out, 1, MPI_INT, comm));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Alltoallv(out, counts, displs, MPI_INT, out, counts, displs,
                                              MPI_INT, comm));
}

static void noop(void *in, void *inout, Count *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void operations(MPI_Comm comm)
{
    double real = 1, real_out;
    int value = 1, out = 2, self;
    struct { float v; int i; } pair = { 1, 1 };
    MPI_Op freed;
    OK(MPI_Comm_rank(comm, &self));
    OK(MPI_Op_create(noop, 1, &freed));
    MPI_Op stale = freed;
    OK(MPI_Op_free(&freed));
    for (int n = 0; n < BAD + 2; n++) {
        MPI_Op op = n < BAD ? (MPI_Op)bad(n) : n == BAD ? stale : MPI_OP_NULL, copy = op;
        WRONG(MPI_ERR_OP, comm, MPI_Allreduce(&value, &out, 1, MPI_INT, op, comm));
        WRONG(MPI_ERR_OP, comm, MPI_Reduce(&value, &out, 1, MPI_INT, op, self, comm));
        WRONG_ALONE(MPI_ERR_OP, MPI_Reduce_local(&value, &out, 1, MPI_INT, op));
        WRONG_ALONE(MPI_ERR_OP, MPI_Op_free(&copy));
        WRONG_ALONE(MPI_ERR_OP, MPI_Op_commutative(op, &out));
    }
    /* Not defined on the type. */
    WRONG(MPI_ERR_OP, comm, MPI_Allreduce(&real, &real_out, 1, MPI_DOUBLE, MPI_BAND, comm));
    WRONG(MPI_ERR_OP, comm, MPI_Allreduce(&real, &real_out, 1, MPI_DOUBLE, MPI_LOR, comm));
    WRONG(MPI_ERR_OP, comm, MPI_Scan(&value, &out, 1, MPI_INT, MPI_MAXLOC, comm));
    WRONG(MPI_ERR_OP, comm, MPI_Reduce(&value, &out, 1, MPI_BYTE, MPI_SUM, self, comm));
    WRONG(MPI_ERR_OP, comm,
          MPI_Allreduce(MPI_IN_PLACE, &pair, 1, MPI_FLOAT_INT, MPI_SUM, comm));
    WRONG(MPI_ERR_OP, comm,
          MPI_Reduce_scatter_block(&real, &real_out, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX, comm));
    WRONG_ALONE(MPI_ERR_OP, MPI_Reduce_local(&value, &out, 1, MPI_PACKED, MPI_MAX));
    WRONG_ALONE(MPI_ERR_COUNT, MPI_Reduce_local(&value, &out, -1, MPI_INT, MPI_SUM));
    CHECK(out == 2);
}

static void groups(void)
{
    MPI_Group world, group, freed, made = MPI_GROUP_NULL;
    MPI_Comm comm;
    int ranks[3] = { 0, size, -1 }, out[3], range[1][3] = { { 0, size - 1, 1 } }, number;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &freed));
    MPI_Group stale = freed;
    OK(MPI_Group_free(&freed));
    /* The other object is a group here; take a communicator. */
    for (int n = 0; n < BAD + 2; n++) {
        group = n < BAD ? (MPI_Group)bad(n) : n == BAD ? stale : MPI_GROUP_NULL;
        if (group == an_object)
            continue;
        MPI_Group copy = group;
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_size(group, &number));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_rank(group, &number));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_union(world, group, &made));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_intersection(group, world, &made));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_difference(world, group, &made));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_compare(world, group, &number));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_incl(group, 1, ranks, &made));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_range_excl(group, 1, range, &made));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_translate_ranks(world, 1, ranks, group, out));
        WRONG_ALONE(MPI_ERR_GROUP, MPI_Group_free(&copy));
        WRONG(MPI_ERR_GROUP, MPI_COMM_WORLD, MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
        WRONG(MPI_ERR_GROUP, MPI_COMM_WORLD,
              MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm));
    }
    WRONG_ALONE(MPI_ERR_RANK, MPI_Group_incl(world, 2, ranks, &made));
    WRONG_ALONE(MPI_ERR_RANK, MPI_Group_excl(world, 3, ranks, &made));
    WRONG_ALONE(MPI_ERR_RANK, MPI_Group_incl(world, 1, ranks + 2, &made));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Group_incl(world, -1, ranks, &made));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Group_incl(world, 1, NULL, &made));
    WRONG_ALONE(MPI_ERR_RANK, MPI_Group_translate_ranks(world, 2, ranks, world, out));
    range[0][1] = size;
    WRONG_ALONE(MPI_ERR_RANK, MPI_Group_range_incl(world, 1, range, &made));
    range[0][1] = 0, range[0][2] = 0;
    WRONG_ALONE(MPI_ERR_ARG, MPI_Group_range_excl(world, 1, range, &made));
    CHECK(made == MPI_GROUP_NULL);
    /* A process that is not in the communicator. */
    if (size > 1)
        WRONG(MPI_ERR_GROUP, MPI_COMM_SELF, MPI_Comm_create(MPI_COMM_SELF, world, &comm));
    OK(MPI_Group_free(&world));
}

static int copy_nothing(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int key, freed, flag, number;
    void *value;
    MPI_Comm self = MPI_COMM_SELF;
    OK(MPI_Comm_create_keyval(copy_nothing, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    freed = key;
    OK(MPI_Comm_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    const int keys[] = { freed, MPI_KEYVAL_INVALID, -1, 123456789, INT32_MAX };
    for (int n = 0; n < 5; n++) {
        int copy = keys[n];
        WRONG(MPI_ERR_KEYVAL, self, MPI_Comm_set_attr(self, keys[n], &number));
        WRONG(MPI_ERR_KEYVAL, self, MPI_Comm_get_attr(self, keys[n], &value, &flag));
        WRONG(MPI_ERR_KEYVAL, self, MPI_Comm_delete_attr(self, keys[n]));
        WRONG_ALONE(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&copy));
        WRONG_ALONE(MPI_ERR_KEYVAL, MPI_Type_set_attr(MPI_INT, keys[n], &number));
    }
    /* What the library sets is not for the program to change. */
    number = MPI_TAG_UB;
    WRONG(MPI_ERR_KEYVAL, self, MPI_Comm_set_attr(self, MPI_TAG_UB, &number));
    WRONG(MPI_ERR_KEYVAL, self, MPI_Comm_delete_attr(self, MPI_TAG_UB));
    WRONG_ALONE(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&number));
    /* A key of datatypes. */
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
    WRONG(MPI_ERR_KEYVAL, self, MPI_Comm_set_attr(self, key, &number));
    WRONG(MPI_ERR_KEYVAL, self, MPI_Comm_get_attr(self, key, &value, &flag));
    number = key;
    WRONG_ALONE(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&number));
    OK(MPI_Type_free_keyval(&key));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Comm_create_keyval(copy_nothing, MPI_COMM_NULL_DELETE_FN, NULL,
                                                    NULL));
}

static void infos(void)
{
    char *key = malloc(MPI_MAX_INFO_KEY + 1), *value = malloc(MPI_MAX_INFO_VAL + 1);
    char found[MPI_MAX_INFO_KEY];
    int flag, number = 4;
    MPI_Info info, freed;
    MPI_Comm comm;
    memset(key, 'k', MPI_MAX_INFO_KEY), key[MPI_MAX_INFO_KEY] = 0;
    memset(value, 'v', MPI_MAX_INFO_VAL), value[MPI_MAX_INFO_VAL] = 0;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_create(&freed));
    MPI_Info stale = freed;
    OK(MPI_Info_free(&freed));
    for (int n = 0; n < BAD + 2; n++) {
        MPI_Info wrong = n < BAD ? (MPI_Info)bad(n) : n == BAD ? stale : MPI_INFO_NULL;
        MPI_Info copy = wrong;
        WRONG_ALONE(MPI_ERR_INFO, MPI_Info_set(wrong, "key", "value"));
        WRONG_ALONE(MPI_ERR_INFO, MPI_Info_get_string(wrong, "key", &number, found, &flag));
        WRONG_ALONE(MPI_ERR_INFO, MPI_Info_get_nkeys(wrong, &number));
        WRONG_ALONE(MPI_ERR_INFO, MPI_Info_get_nthkey(wrong, 0, found));
        WRONG_ALONE(MPI_ERR_INFO, MPI_Info_delete(wrong, "key"));
        WRONG_ALONE(MPI_ERR_INFO, MPI_Info_dup(wrong, &copy));
        WRONG_ALONE(MPI_ERR_INFO, MPI_Info_free(&copy));
        if (wrong == MPI_INFO_NULL)
            continue;
        WRONG(MPI_ERR_INFO, MPI_COMM_WORLD,
              MPI_Comm_dup_with_info(MPI_COMM_WORLD, wrong, &comm));
        WRONG(MPI_ERR_INFO, MPI_COMM_WORLD, MPI_Comm_set_info(MPI_COMM_WORLD, wrong));
    }
    WRONG_ALONE(MPI_ERR_INFO_KEY, MPI_Info_set(info, key, "value"));
    WRONG_ALONE(MPI_ERR_INFO_KEY, MPI_Info_set(info, "", "value"));
    WRONG_ALONE(MPI_ERR_INFO_VALUE, MPI_Info_set(info, "key", value));
    WRONG_ALONE(MPI_ERR_INFO_KEY, MPI_Info_get_string(info, key, &number, found, &flag));
    WRONG_ALONE(MPI_ERR_INFO_KEY, MPI_Info_delete(info, key));
    WRONG_ALONE(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "none"));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Info_set(info, NULL, "value"));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Info_get_nthkey(info, 0, found));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Info_get_nthkey(info, -1, found));
    /* As long as they may be. */
    key[MPI_MAX_INFO_KEY - 1] = 0, value[MPI_MAX_INFO_VAL - 1] = 0;
    OK(MPI_Info_set(info, key, value));
    OK(MPI_Info_get_nthkey(info, 0, found));
    CHECK(strcmp(found, key) == 0);
    OK(MPI_Info_get_nkeys(info, &number));
    CHECK(number == 1);
    OK(MPI_Info_free(&info));
    free(key), free(value);
}

static void others(MPI_Comm comm)
{
    MPI_Errhandler freed, copy;
    MPI_Comm result, copies[2] = { MPI_COMM_WORLD, MPI_COMM_SELF };
    int number;
    OK(MPI_Comm_create_errhandler(hear, &freed));
    MPI_Errhandler stale = freed;
    OK(MPI_Errhandler_free(&freed));
    for (int n = 0; n < BAD + 2; n++) {
        copy = n < BAD ? (MPI_Errhandler)bad(n) : n == BAD ? stale : MPI_ERRHANDLER_NULL;
        WRONG(MPI_ERR_ERRHANDLER, comm, MPI_Comm_set_errhandler(comm, copy));
        WRONG_ALONE(MPI_ERR_ERRHANDLER, MPI_Errhandler_free(&copy));
    }
    for (int n = 0; n < 2; n++)
        WRONG(MPI_ERR_COMM, copies[n], MPI_Comm_free(&copies[n]));
    WRONG(MPI_ERR_ARG, comm, MPI_Comm_rank(comm, NULL));
    WRONG(MPI_ERR_ARG, comm, MPI_Comm_dup(comm, NULL));
    WRONG(MPI_ERR_ARG, comm, MPI_Comm_split(comm, -5, 0, &result));
    WRONG(MPI_ERR_ARG, comm, MPI_Comm_split_type(comm, 12345, 0, MPI_INFO_NULL, &result));
    WRONG(MPI_ERR_COMM, comm, MPI_Comm_remote_size(comm, &number));
    MPI_Group group;
    WRONG(MPI_ERR_COMM, comm, MPI_Comm_remote_group(comm, &group));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Error_class(-5, &number));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Error_class(1 << 30, &number));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Add_error_code(-5, &number));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Add_error_string(MPI_ERR_COMM, "mine"));
    WRONG_ALONE(MPI_ERR_BUFFER, MPI_Buffer_attach(NULL, 100));
    WRONG_ALONE(MPI_ERR_ARG, MPI_Buffer_attach(memory, -1));
    void *address;
    Count bytes;
    WRONG_ALONE(MPI_ERR_BUFFER, MPI_Buffer_detach(&address, &bytes));
    WRONG(MPI_ERR_BUFFER, comm, MPI_Comm_detach_buffer(comm, &address, &bytes));
    int provided;
    WRONG_ALONE(MPI_ERR_OTHER, MPI_Init(NULL, NULL));
    WRONG_ALONE(MPI_ERR_OTHER, MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided));
}

int main(void)
{
    MPI_Comm comm;
    begin(&rank, &size);
    OK(MPI_Comm_create_errhandler(hear, &hearing));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_group(MPI_COMM_SELF, &an_object));
    communicators();
    messages(MPI_COMM_WORLD);
    messages(comm);
    truncated(comm);
    truncated(MPI_COMM_WORLD);
    requests();
    collectives(comm);
    operations(comm);
    groups();
    attributes();
    infos();
    others(comm);
    /* Everything still works. */
    int sum;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size - 1) / 2);
    OK(MPI_Group_free(&an_object));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Errhandler_free(&hearing));
    OK(MPI_Finalize());
    return 0;
}
