/* Communication with MPI_PROC_NULL (MPI 5.0, section 3.10) has no effect, so what it would send or
   where it would put something is not looked at: no buffer and no datatype is needed. What remains are
   count, tag and communicator. */
#include <limits.h>

#include "check.h"

/* Buffers and datatypes that are mistakes where there is a peer. */
static struct { void *buffer; MPI_Datatype type; } absent[5];

static int rank, size, value;

static void from_nobody(MPI_Status *status)
{
    Count count = -1;
    int cancelled = -1;
    CHECK(status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    OK(MPI_Test_cancelled(status, &cancelled));
    CHECK(count == 0 && !cancelled);
    status->MPI_SOURCE = status->MPI_TAG = -77;
}

/* A request that was just made: it is complete, and a persistent one can be started. */
static void ended(MPI_Request *request, int persistent, int receives)
{
    MPI_Status status;
    for (int round = 0; round < (persistent ? 3 : 1); round++) {
        if (persistent)
            OK(MPI_Start(request));
        OK(MPI_Wait(request, &status));
        if (receives)
            from_nobody(&status);
    }
    if (persistent)
        OK(MPI_Request_free(request));
    CHECK(*request == MPI_REQUEST_NULL);
}

static void sends(MPI_Comm comm, void *buffer, Count count, MPI_Datatype type)
{
    MPI_Request request;
    const int none = MPI_PROC_NULL;
    OK(MPI_Send(buffer, count, type, none, 1, comm));
    OK(MPI_Ssend(buffer, count, type, none, 1, comm));
    OK(MPI_Rsend(buffer, count, type, none, 1, comm));
    /* No buffer is attached. */
    OK(MPI_Bsend(buffer, count, type, none, 1, comm));
    OK(MPI_Isend(buffer, count, type, none, 1, comm, &request));
    ended(&request, 0, 0);
    OK(MPI_Issend(buffer, count, type, none, 1, comm, &request));
    ended(&request, 0, 0);
    OK(MPI_Irsend(buffer, count, type, none, 1, comm, &request));
    ended(&request, 0, 0);
    OK(MPI_Ibsend(buffer, count, type, none, 1, comm, &request));
    ended(&request, 0, 0);
    OK(MPI_Send_init(buffer, count, type, none, 1, comm, &request));
    ended(&request, 1, 0);
    OK(MPI_Ssend_init(buffer, count, type, none, 1, comm, &request));
    ended(&request, 1, 0);
    OK(MPI_Rsend_init(buffer, count, type, none, 1, comm, &request));
    ended(&request, 1, 0);
    OK(MPI_Bsend_init(buffer, count, type, none, 1, comm, &request));
    ended(&request, 1, 0);
}

static void receives(MPI_Comm comm, void *buffer, Count count, MPI_Datatype type)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    int flag = 0;
    const int none = MPI_PROC_NULL;
    OK(MPI_Recv(buffer, count, type, none, MPI_ANY_TAG, comm, &status));
    from_nobody(&status);
    OK(MPI_Irecv(buffer, count, type, none, 1, comm, &request));
    ended(&request, 0, 1);
    OK(MPI_Recv_init(buffer, count, type, none, 1, comm, &request));
    ended(&request, 1, 1);
    OK(MPI_Probe(none, 1, comm, &status));
    from_nobody(&status);
    OK(MPI_Mprobe(none, 1, comm, &message, &status));
    from_nobody(&status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Mrecv(buffer, count, type, &message, &status));
    from_nobody(&status);
    CHECK(message == MPI_MESSAGE_NULL);
    OK(MPI_Improbe(none, 1, comm, &flag, &message, &status));
    from_nobody(&status);
    CHECK(flag && message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Imrecv(buffer, count, type, &message, &request));
    CHECK(message == MPI_MESSAGE_NULL);
    ended(&request, 0, 1);
}

/* Each half of an operation that sends and receives may have MPI_PROC_NULL at its end. */
static void both(MPI_Comm comm, void *buffer, Count count, MPI_Datatype type)
{
    MPI_Status status;
    MPI_Request request;
    const int none = MPI_PROC_NULL;
    int self, out, in;
    OK(MPI_Comm_rank(comm, &self));

    OK(MPI_Sendrecv(buffer, count, type, none, 1, buffer, count, type, none, 1, comm, &status));
    from_nobody(&status);
    OK(MPI_Isendrecv(buffer, count, type, none, 1, buffer, count, type, none, 1, comm, &request));
    ended(&request, 0, 1);
    OK(MPI_Sendrecv_replace(buffer, count, type, none, 1, none, 1, comm, &status));
    from_nobody(&status);
    OK(MPI_Isendrecv_replace(buffer, count, type, none, 1, none, 1, comm, &request));
    ended(&request, 0, 1);

    /* The message goes to this process; the other half is not there. */
    out = 41, in = 0;
    OK(MPI_Irecv(&in, 1, MPI_INT, self, 2, comm, &request));
    OK(MPI_Sendrecv(&out, 1, MPI_INT, self, 2, buffer, count, type, none, 2, comm, &status));
    from_nobody(&status);
    OK(MPI_Wait(&request, &status));
    CHECK(in == 41 && status.MPI_SOURCE == self);
    OK(MPI_Isend(&out, 1, MPI_INT, self, 2, comm, &request));
    in = 0;
    OK(MPI_Sendrecv(buffer, count, type, none, 2, &in, 1, MPI_INT, self, 2, comm, &status));
    CHECK(in == 41 && status.MPI_SOURCE == self);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

    MPI_Request half;
    in = 0;
    OK(MPI_Isendrecv(&out, 1, MPI_INT, self, 3, buffer, count, type, none, 3, comm, &half));
    OK(MPI_Isendrecv(buffer, count, type, none, 3, &in, 1, MPI_INT, self, 3, comm, &request));
    OK(MPI_Wait(&half, &status));
    from_nobody(&status);
    OK(MPI_Wait(&request, &status));
    CHECK(in == 41 && status.MPI_SOURCE == self);
}

static void partitions(MPI_Comm comm, void *buffer, MPI_Datatype type)
{
    MPI_Request request;
    MPI_Status status;
    int flag, list[1] = { 2 };
    /* More bytes than there are addresses, if counts are that large. */
    const Count many = sizeof(Count) > 4 ? (Count)LLONG_MAX : INT_MAX;
    OK(MPI_Psend_init(buffer, 3, many, type, MPI_PROC_NULL, 1, comm, MPI_INFO_NULL, &request));
    for (int round = 0; round < 3; round++) {
        OK(MPI_Start(&request));
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        OK(MPI_Pready(0, request));
        FAILS(MPI_ERR_ARG, MPI_Pready(3, request));
        OK(MPI_Pready_range(1, 1, request));
        OK(MPI_Pready_list(1, list, request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&request));
    OK(MPI_Precv_init(buffer, 3, many, type, MPI_PROC_NULL, 1, comm, MPI_INFO_NULL, &request));
    for (int round = 0; round < 3; round++) {
        OK(MPI_Start(&request));
        OK(MPI_Parrived(request, 2, &flag));
        CHECK(flag);
        OK(MPI_Wait(&request, &status));
        from_nobody(&status);
    }
    OK(MPI_Request_free(&request));
}

/* What is a mistake all the same. */
static void mistakes(MPI_Comm comm, void *buffer, MPI_Datatype type)
{
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    const int none = MPI_PROC_NULL;
    int self;
    OK(MPI_Comm_rank(comm, &self));
    FAILS(MPI_ERR_COUNT, MPI_Send(buffer, -1, type, none, 1, comm));
    FAILS(MPI_ERR_COUNT, MPI_Irecv(buffer, -1, type, none, 1, comm, &request));
    FAILS(MPI_ERR_COUNT, MPI_Mrecv(buffer, -1, type, &message, &status));
    FAILS(MPI_ERR_TAG, MPI_Bsend(buffer, 1, type, none, -5, comm));
    FAILS(MPI_ERR_TAG, MPI_Recv_init(buffer, 1, type, none, -5, comm, &request));
    FAILS(MPI_ERR_COMM, MPI_Isend(buffer, 1, type, none, 1, MPI_COMM_NULL, &request));
    FAILS(MPI_ERR_ARG, MPI_Isend(buffer, 1, type, none, 1, comm, NULL));
    FAILS(MPI_ERR_ARG, MPI_Mrecv(buffer, 1, type, NULL, &status));
    /* With a process there, what is absent is missed. */
    if (buffer == NULL && type == MPI_INT) {
        FAILS(MPI_ERR_BUFFER, MPI_Sendrecv(&value, 1, MPI_INT, none, 1, buffer, 1, type, self, 1,
                                           comm, &status));
        FAILS(MPI_ERR_BUFFER, MPI_Sendrecv(buffer, 1, type, self, 1, &value, 1, MPI_INT, none, 1,
                                           comm, &status));
        FAILS(MPI_ERR_BUFFER,
              MPI_Sendrecv_replace(buffer, 1, type, none, 1, self, 1, comm, &status));
        FAILS(MPI_ERR_BUFFER,
              MPI_Sendrecv_replace(buffer, 1, type, self, 1, none, 1, comm, &status));
        FAILS(MPI_ERR_BUFFER,
              MPI_Precv_init(buffer, 1, 1, type, self, 1, comm, MPI_INFO_NULL, &request));
    }
    if (type == MPI_DATATYPE_NULL) {
        FAILS(MPI_ERR_TYPE, MPI_Send(&value, 1, type, self, 1, comm));
        FAILS(MPI_ERR_TYPE, MPI_Sendrecv_replace(&value, 1, type, none, 1, self, 1, comm, &status));
        FAILS(MPI_ERR_TYPE,
              MPI_Isendrecv_replace(&value, 1, type, self, 1, none, 1, comm, &request));
        FAILS(MPI_ERR_TYPE,
              MPI_Psend_init(&value, 1, 1, type, self, 1, comm, MPI_INFO_NULL, &request));
    }
    CHECK(request == MPI_REQUEST_NULL && message == MPI_MESSAGE_NO_PROC);
}

int main(void)
{
    MPI_Comm comms[3];
    begin(&rank, &size);
    absent[0].buffer = NULL, absent[0].type = MPI_INT;
    absent[1].buffer = NULL, absent[1].type = MPI_DATATYPE_NULL;
    absent[2].buffer = MPI_IN_PLACE, absent[2].type = MPI_INT;
    /* No handle of a datatype: of another class, or none at all. */
    absent[3].buffer = NULL, absent[3].type = (MPI_Datatype)MPI_COMM_WORLD;
    absent[4].buffer = &value, absent[4].type = (MPI_Datatype)NULL;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]));
    OK(MPI_Comm_set_errhandler(comms[2], MPI_ERRORS_RETURN));
    comms[0] = MPI_COMM_WORLD, comms[1] = MPI_COMM_SELF;
    for (int c = 0; c < 3; c++)
        for (int n = 0; n < 5; n++) {
            void *buffer = absent[n].buffer;
            MPI_Datatype type = absent[n].type;
            const Count counts[] = { 0, 1, INT_MAX };
            for (int k = 0; k < 3; k++) {
                sends(comms[c], buffer, counts[k], type);
                receives(comms[c], buffer, counts[k], type);
                both(comms[c], buffer, counts[k], type);
            }
            partitions(comms[c], buffer, type);
            mistakes(comms[c], buffer, type);
        }
    CHECK(value == 0);
    OK(MPI_Comm_free(&comms[2]));
    OK(MPI_Finalize());
    return 0;
}
