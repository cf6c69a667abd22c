/* Every mode of sending in its blocking, nonblocking and persistent form, with blocking, nonblocking
   and persistent receives, around the ring of processes, which is this one alone in a job of one. */
#include "check.h"

enum { LARGEST = (1 << 18) + 13 };

enum mode { STANDARD, SYNCHRONOUS, READY, BUFFERED, MODES };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static int rank, size, next, previous;
static unsigned char *out, *in, *attached;

static unsigned char byte(int process, int i, int seed)
{
    return (unsigned char)(process * 7 + i * 31 + i / 253 + seed);
}

static void fill(int bytes, int seed)
{
    for (int i = 0; i < bytes; i++)
        out[i] = byte(rank, i, seed);
    memset(in, 0xee, (size_t)bytes + 1);
}

static int arrived(int bytes, int seed)
{
    for (int i = 0; i < bytes; i++)
        if (in[i] != byte(previous, i, seed))
            return 0;
    return in[bytes] == 0xee;
}

/* Starts to send; the request is null if that was all. */
static MPI_Request start(int mode, int form, int bytes, int to, int tag, MPI_Comm comm)
{
    typedef int blocking(const void *, Count, MPI_Datatype, int, int, MPI_Comm);
    typedef int immediate(const void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    blocking *const now[MODES] = { MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend };
    immediate *const soon[MODES] = { MPI_Isend, MPI_Issend, MPI_Irsend, MPI_Ibsend };
    immediate *const often[MODES] = { MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init,
                                      MPI_Bsend_init };
    MPI_Request request = MPI_REQUEST_NULL;
    if (form == BLOCKING) {
        OK(now[mode](out, bytes, MPI_BYTE, to, tag, comm));
    } else if (form == NONBLOCKING) {
        OK(soon[mode](out, bytes, MPI_BYTE, to, tag, comm, &request));
        CHECK(request != MPI_REQUEST_NULL);
    } else {
        OK(often[mode](out, bytes, MPI_BYTE, to, tag, comm, &request));
        OK(MPI_Start(&request));
    }
    return request;
}

static void one(int mode, int form, int bytes)
{
    int tag = 100 * mode + form;
    Count count = -1;
    MPI_Request receive, send;
    MPI_Status status;
    fill(bytes, tag);
    OK(MPI_Irecv(in, bytes, MPI_BYTE, previous, tag, MPI_COMM_WORLD, &receive));
    if (mode == READY)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    send = start(mode, form, bytes, next, tag, MPI_COMM_WORLD);
    if (mode == BUFFERED && form != PERSISTENT)
        memset(out, 0xff, (size_t)bytes);
    OK(MPI_Wait(&receive, &status));
    CHECK(receive == MPI_REQUEST_NULL);
    CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == tag);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == bytes && arrived(bytes, tag));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK((send == MPI_REQUEST_NULL) == (form != PERSISTENT));
    if (send != MPI_REQUEST_NULL)
        OK(MPI_Request_free(&send));
}

/* The receiver comes late: the message waits. */
static void unexpected(int mode, int form, int bytes)
{
    int tag = 1000 + 100 * mode + form;
    MPI_Status status;
    if (mode == READY || ((mode != BUFFERED) && form == BLOCKING))
        return;
    fill(bytes, tag);
    MPI_Request send = start(mode, form, bytes, next, tag, MPI_COMM_WORLD);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Recv(in, bytes, MPI_BYTE, previous, tag, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == previous && arrived(bytes, tag));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    if (send != MPI_REQUEST_NULL)
        OK(MPI_Request_free(&send));
}

/* The buffers are read and written anew with each start. */
static void persistent_pairs(int mode, int bytes)
{
    MPI_Request requests[2];
    int flag;
    OK(MPI_Recv_init(in, bytes, MPI_BYTE, previous, 5, MPI_COMM_WORLD, &requests[1]));
    requests[0] = start(mode, PERSISTENT, 0, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&requests[0]));
    typedef int init(const void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    init *const inits[MODES] = { MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Bsend_init };
    OK(inits[mode](out, bytes, MPI_BYTE, next, 5, MPI_COMM_WORLD, &requests[0]));
    for (int round = 0; round < 3; round++) {
        MPI_Status statuses[2];
        fill(bytes, round);
        OK(MPI_Start(&requests[1]));
        if (mode == READY)
            OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Start(&requests[0]));
        if (round % 2) {
            OK(MPI_Waitall(2, requests, statuses));
        } else {
            for (flag = 0; !flag;)
                OK(MPI_Testall(2, requests, &flag, statuses));
        }
        CHECK(statuses[1].MPI_SOURCE == previous && statuses[1].MPI_TAG == 5);
        CHECK(arrived(bytes, round));
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
        /* Before all are complete, no process may change its buffer. */
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* A synchronous send is not complete before its receive has begun. */
static void synchronous(int bytes)
{
    int flag = -1;
    MPI_Request send;
    fill(bytes, 3);
    OK(MPI_Issend(out, bytes, MPI_BYTE, next, 77, MPI_COMM_WORLD, &send));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 0; n < 20; n++) {
        OK(MPI_Test(&send, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Recv(in, bytes, MPI_BYTE, previous, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(arrived(bytes, 3));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

/* Sends to and receives from MPI_PROC_NULL. */
static void nobody(void)
{
    MPI_Status status;
    MPI_Request request;
    Count count = -1;
    int value = 7, flag;
    for (int mode = 0; mode < MODES; mode++)
        for (int form = 0; form < FORMS; form++) {
            request = start(mode, form, 10, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            if (request != MPI_REQUEST_NULL)
                OK(MPI_Request_free(&request));
        }
    for (int form = 0; form < FORMS; form++) {
        memset(&status, 0x55, sizeof status);
        if (form == BLOCKING) {
            OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
        } else if (form == NONBLOCKING) {
            OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request));
            OK(MPI_Wait(&request, &status));
            CHECK(request == MPI_REQUEST_NULL);
        } else {
            OK(MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request));
            for (int n = 0; n < 3; n++) {
                OK(MPI_Start(&request));
                OK(MPI_Test(&request, &flag, &status));
                CHECK(flag && status.MPI_SOURCE == MPI_PROC_NULL);
            }
            OK(MPI_Request_free(&request));
        }
        CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && value == 7);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == 0);
    }
}

static void exchanges(int bytes)
{
    MPI_Status status;
    MPI_Request request;
    Count count;
    for (int way = 0; way < 4; way++) {
        fill(bytes, way);
        if (way % 2)
            memcpy(in, out, (size_t)bytes);
        if (way == 0)
            OK(MPI_Sendrecv(out, bytes, MPI_BYTE, next, 8, in, bytes, MPI_BYTE, previous, 8,
                            MPI_COMM_WORLD, &status));
        else if (way == 1)
            OK(MPI_Sendrecv_replace(in, bytes, MPI_BYTE, next, 8, previous, 8, MPI_COMM_WORLD,
                                    &status));
        else {
            if (way == 2)
                OK(MPI_Isendrecv(out, bytes, MPI_BYTE, next, 8, in, bytes, MPI_BYTE, previous, 8,
                                 MPI_COMM_WORLD, &request));
            else
                OK(MPI_Isendrecv_replace(in, bytes, MPI_BYTE, next, 8, previous, 8,
                                         MPI_COMM_WORLD, &request));
            OK(MPI_Wait(&request, &status));
            CHECK(request == MPI_REQUEST_NULL);
        }
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 8 && count == bytes);
        CHECK(arrived(bytes, way));
    }
}

/* One half of an exchange with MPI_PROC_NULL: the other half takes place. The line of processes has ends. */
static void half_exchanges(void)
{
    int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank ? rank - 1 : MPI_PROC_NULL;
    for (int way = 0; way < 4; way++) {
        int value = rank, got = way % 2 ? rank : -1;
        MPI_Status status;
        MPI_Request request;
        if (way == 0)
            OK(MPI_Sendrecv(&value, 1, MPI_INT, up, 1, &got, 1, MPI_INT, down, 1, MPI_COMM_WORLD,
                            &status));
        else if (way == 1)
            OK(MPI_Sendrecv_replace(&got, 1, MPI_INT, up, 1, down, 1, MPI_COMM_WORLD, &status));
        else {
            if (way == 2)
                OK(MPI_Isendrecv(&value, 1, MPI_INT, up, 1, &got, 1, MPI_INT, down, 1,
                                 MPI_COMM_WORLD, &request));
            else
                OK(MPI_Isendrecv_replace(&got, 1, MPI_INT, up, 1, down, 1, MPI_COMM_WORLD,
                                         &request));
            OK(MPI_Wait(&request, &status));
        }
        CHECK(status.MPI_SOURCE == down);
        CHECK(got == (rank ? rank - 1 : way % 2 ? rank : -1));
    }
}

int main(void)
{
    /* Within a cache line, an eager message, and a rendezvous, and the lengths beside their limits. */
    static const int lengths[] = { 0, 1, 57, 4095, 4097, 70001, LARGEST };
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    /* A receiver may be some messages behind. */
    Count room = 4 * (LARGEST + MPI_BSEND_OVERHEAD), found = -1;
    void *address = NULL;
    begin(&rank, &size);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    out = malloc(LARGEST + 1), in = malloc(LARGEST + 1), attached = malloc((size_t)room);
    OK(MPI_Buffer_attach(attached, room));
    for (int n = 0; n < LENGTHS; n++) {
        for (int mode = 0; mode < MODES; mode++) {
            for (int form = 0; form < FORMS; form++) {
                one(mode, form, lengths[n]);
                unexpected(mode, form, lengths[n]);
            }
            persistent_pairs(mode, lengths[n]);
        }
        synchronous(lengths[n]);
        exchanges(lengths[n]);
    }
    nobody();
    half_exchanges();
    OK(MPI_Buffer_detach(&address, &found));
    CHECK(address == attached && found == room);
    free(out), free(in), free(attached);
    OK(MPI_Finalize());
    return 0;
}
