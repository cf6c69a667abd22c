/* Which receive gets which message: order, wildcards, probes, matched probes, truncation. */
#include "check.h"

enum { LONG = 300000 };

static int rank, size, next, previous;

/* A barrier that progress of messages to this process goes on in. */
static void together(void) { OK(MPI_Barrier(MPI_COMM_WORLD)); }

/* Receives with and without wildcards get messages in the order in which they were posted. */
static void posting_order(void)
{
    enum { N = 6 };
    int got[N], index;
    /* Specific, any tag, any source, any of both, specific, any of both: all fit every message. */
    const int sources[N] = { previous, previous, MPI_ANY_SOURCE, MPI_ANY_SOURCE, previous,
                             MPI_ANY_SOURCE };
    const int tags[N] = { 4, MPI_ANY_TAG, 4, MPI_ANY_TAG, 4, MPI_ANY_TAG };
    MPI_Request requests[N];
    MPI_Status statuses[N];
    for (index = 0; index < N; index++)
        OK(MPI_Irecv(&got[index], 1, MPI_INT, sources[index], tags[index], MPI_COMM_WORLD,
                     &requests[index]));
    together();
    for (index = 0; index < N; index++)
        OK(MPI_Send(&index, 1, MPI_INT, next, 4, MPI_COMM_WORLD));
    OK(MPI_Waitall(N, requests, statuses));
    for (index = 0; index < N; index++)
        CHECK(got[index] == index && statuses[index].MPI_SOURCE == previous &&
              statuses[index].MPI_TAG == 4);
}

/* Messages that are not wanted yet, taken out of the middle, of a small and a large size. */
static void out_of_order(void)
{
    enum { N = 100 };
    int tag, *got = malloc(LONG * sizeof *got), *out = calloc(LONG, sizeof *out);
    MPI_Request sends[N + 1];
    static int values[N];
    MPI_Status status;
    Count count;
    for (tag = 0; tag < N; tag++) {
        values[tag] = 1000 * rank + tag;
        OK(MPI_Isend(&values[tag], 1, MPI_INT, next, tag, MPI_COMM_WORLD, &sends[tag]));
    }
    out[LONG - 1] = rank;
    OK(MPI_Isend(out, LONG, MPI_INT, next, N / 2, MPI_COMM_WORLD, &sends[N]));
    together();
    for (tag = N - 1; tag >= 0; tag--) {
        OK(MPI_Recv(got, LONG, MPI_INT, tag % 2 ? previous : MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
                    &status));
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == 1 && got[0] == 1000 * previous + tag);
    }
    /* The second message with a tag comes second. */
    OK(MPI_Recv(got, LONG, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == LONG && status.MPI_TAG == N / 2 && got[LONG - 1] == previous);
    OK(MPI_Waitall(N + 1, sends, MPI_STATUSES_IGNORE));
    free(got), free(out);
}

/* The tags at the ends of their range, and MPI_ANY_TAG that takes all. */
static void tags(void)
{
    int *limit, flag, out = rank, in;
    MPI_Status status;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag));
    CHECK(flag && *limit >= 32767);
    const int all[] = { 0, 1, 32767, *limit - 1, *limit };
    for (int n = 0; n < 5; n++)
        for (int any = 0; any < 2; any++) {
            OK(MPI_Sendrecv(&out, 1, MPI_INT, next, all[n], &in, 1, MPI_INT, previous,
                            any ? MPI_ANY_TAG : all[n], MPI_COMM_WORLD, &status));
            CHECK(in == previous && status.MPI_TAG == all[n]);
        }
}

/* A probe tells of the message that the next receive gets, and leaves it. */
static void probes(int length)
{
    int *out = calloc((size_t)length + 1, sizeof *out), *in = calloc((size_t)length + 1, sizeof *in);
    int flag;
    Count count;
    MPI_Request send;
    MPI_Status status, found;
    out[length] = rank, out[0] = length ? 5 : rank;
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
    CHECK(!flag);
    together();
    OK(MPI_Isend(out, length, MPI_INT, next, 9, MPI_COMM_WORLD, &send));
    OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found));
    for (int n = 0; n < 3; n++) {
        OK(MPI_Iprobe(n ? previous : MPI_ANY_SOURCE, n > 1 ? 9 : MPI_ANY_TAG, MPI_COMM_WORLD,
                      &flag, &status));
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(flag && count == length);
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 9);
    }
    OK(MPI_Iprobe(previous, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Recv(in, length, MPI_INT, found.MPI_SOURCE, found.MPI_TAG, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == length && memcmp(in, out, (size_t)length * sizeof *in) == 0);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    together();
    free(out), free(in);
}

/* A matched message belongs to its handle: it is received by its handle, in any order. */
static void matched(int length)
{
    enum { N = 4 };
    int *out = calloc((size_t)length + 1, sizeof *out), *in = calloc((size_t)length + 1, sizeof *in);
    int flag;
    Count count;
    MPI_Request sends[N], receive;
    MPI_Message messages[N];
    MPI_Status status;
    MPI_Improbe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &messages[0], &status);
    CHECK(!flag);
    together();
    for (int i = 0; i < length; i++)
        out[i] = rank + i;
    for (int n = 0; n < N; n++)
        OK(MPI_Isend(out, length, MPI_INT, next, n, MPI_COMM_WORLD, &sends[n]));
    for (int n = 0; n < N; n++) {
        if (n % 2) {
            OK(MPI_Mprobe(n > 2 ? MPI_ANY_SOURCE : previous, MPI_ANY_TAG, MPI_COMM_WORLD,
                          &messages[n], &status));
        } else {
            for (flag = 0; !flag;)
                OK(MPI_Improbe(previous, n, MPI_COMM_WORLD, &flag, &messages[n], &status));
        }
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(messages[n] != MPI_MESSAGE_NULL && messages[n] != MPI_MESSAGE_NO_PROC);
        CHECK(status.MPI_TAG == n && status.MPI_SOURCE == previous && count == length);
    }
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    for (int n = N - 1; n >= 0; n--) {
        memset(in, 0xee, ((size_t)length + 1) * sizeof *in);
        MPI_Message message = messages[n];
        if (n % 2) {
            OK(MPI_Mrecv(in, length, MPI_INT, &message, &status));
        } else {
            OK(MPI_Imrecv(in, length, MPI_INT, &message, &receive));
            CHECK(message == MPI_MESSAGE_NULL);
            OK(MPI_Wait(&receive, &status));
        }
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(message == MPI_MESSAGE_NULL && count == length);
        CHECK(status.MPI_TAG == n && status.MPI_SOURCE == previous);
        for (int i = 0; i < length; i++)
            CHECK(in[i] == previous + i);
        /* A second time with the old handle. */
        FAILS(MPI_ERR_REQUEST, MPI_Mrecv(in, length, MPI_INT, &messages[n], &status));
    }
    OK(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
    together();
    free(out), free(in);
}

static void nobody(void)
{
    int value = 3, flag = -1;
    Count count;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    OK(MPI_Probe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
    CHECK(flag && status.MPI_SOURCE == MPI_PROC_NULL);
    OK(MPI_Mprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL && count == 0);
    OK(MPI_Improbe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK(flag && message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Imrecv(&value, 1, MPI_INT, &message, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL && value == 3);
    FAILS(MPI_ERR_REQUEST, MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    FAILS(MPI_ERR_REQUEST, MPI_Imrecv(&value, 1, MPI_INT, &message, &request));
}

/* The message is longer than the buffer: an error of the receive, in each way of receiving, and
   nothing behind the buffer. The sender does not notice. */
static void truncation(int length)
{
    int *out = calloc((size_t)length, sizeof *out), flag;
    out[0] = rank, out[1] = 77, out[2] = 78;
    for (int way = 0; way < 8; way++) {
        int in[3] = { 0, 0, -1 };
        MPI_Request send, receive = MPI_REQUEST_NULL;
        MPI_Status status;
        MPI_Message message;
        /* Posted before the message is sent, in some ways. */
        if (way == 1)
            OK(MPI_Irecv(in, 2, MPI_INT, previous, way, MPI_COMM_WORLD, &receive));
        if (way == 2) {
            OK(MPI_Recv_init(in, 2, MPI_INT, previous, way, MPI_COMM_WORLD, &receive));
            OK(MPI_Start(&receive));
        }
        together();
        OK(MPI_Isend(out, length, MPI_INT, next, way, MPI_COMM_WORLD, &send));
        status.MPI_ERROR = -5;
        if (way == 0)
            FAILS(MPI_ERR_TRUNCATE,
                  MPI_Recv(in, 2, MPI_INT, previous, way, MPI_COMM_WORLD, &status));
        else if (way == 1 || way == 2)
            FAILS(MPI_ERR_TRUNCATE, MPI_Wait(&receive, &status));
        else if (way == 3 || way == 4) {
            OK(MPI_Mprobe(previous, way, MPI_COMM_WORLD, &message, &status));
            if (way == 3) {
                FAILS(MPI_ERR_TRUNCATE, MPI_Mrecv(in, 2, MPI_INT, &message, &status));
            } else {
                OK(MPI_Imrecv(in, 2, MPI_INT, &message, &receive));
                FAILS(MPI_ERR_TRUNCATE, MPI_Wait(&receive, &status));
            }
            CHECK(message == MPI_MESSAGE_NULL);
        } else if (way == 5) {
            int other = 0;
            FAILS(MPI_ERR_TRUNCATE,
                  MPI_Sendrecv(&other, 1, MPI_INT, MPI_PROC_NULL, 0, in, 2, MPI_INT, previous,
                               way, MPI_COMM_WORLD, &status));
        } else {
            OK(MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &receive));
            if (way == 6) {
                FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(1, &receive, &status));
                CHECK(class_of(status.MPI_ERROR) == MPI_ERR_TRUNCATE);
            } else {
                int code = MPI_SUCCESS;
                for (flag = 0; !flag;)
                    code = MPI_Test(&receive, &flag, &status);
                CHECK(class_of(code) == MPI_ERR_TRUNCATE);
            }
        }
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == way);
        CHECK(in[0] == previous && in[1] == 77 && in[2] == -1);
        CHECK((receive == MPI_REQUEST_NULL) == (way != 2));
        if (way == 2)
            OK(MPI_Request_free(&receive));
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    together();
    free(out);
}

/* A matched message is received after its communicator was freed. */
static void without_communicator(void)
{
    static int out[2000], in[2000];
    for (int way = 0; way < 2; way++) {
        MPI_Comm comm;
        MPI_Message message;
        MPI_Request send, receive;
        MPI_Status status;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        out[1999] = rank + way, in[1999] = -1;
        OK(MPI_Isend(out, 2000, MPI_INT, next, 6, comm, &send));
        OK(MPI_Mprobe(previous, 6, comm, &message, &status));
        OK(MPI_Comm_free(&comm));
        if (way) {
            OK(MPI_Mrecv(in, 2000, MPI_INT, &message, &status));
        } else {
            OK(MPI_Imrecv(in, 2000, MPI_INT, &message, &receive));
            OK(MPI_Wait(&receive, &status));
        }
        CHECK(in[1999] == previous + way && status.MPI_TAG == 6);
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        together();
    }
}

/* Everybody to everybody at once, received with wildcards. */
static void storm(void)
{
    enum { EACH = 60 };
    int (*seen)[EACH] = calloc((size_t)size, sizeof *seen), value[2];
    int sent = 0, received = 0, total = size * EACH;
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Status status;
    int last[64];
    for (int p = 0; p < size; p++)
        last[p] = -1;
    int out[2];
    while (received < total) {
        int flag = 1;
        if (sent < total) {
            OK(MPI_Test(&send, &flag, MPI_STATUS_IGNORE));
            if (flag) {
                out[0] = rank, out[1] = sent / size;
                OK(MPI_Isend(out, 2, MPI_INT, (rank + sent) % size, sent / size, MPI_COMM_WORLD,
                             &send));
                sent++;
            }
        }
        OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
        if (!flag && sent < total)
            continue;
        OK(MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK(value[0] == status.MPI_SOURCE && value[1] == status.MPI_TAG);
        /* Those of one sender in their order. */
        CHECK(value[1] == last[value[0]] + 1);
        last[value[0]] = value[1];
        CHECK(!seen[value[0]][value[1]]++);
        received++;
    }
    while (sent < total) {
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        out[0] = rank, out[1] = sent / size;
        OK(MPI_Isend(out, 2, MPI_INT, (rank + sent) % size, sent / size, MPI_COMM_WORLD, &send));
        sent++;
    }
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    together();
    free(seen);
}

int main(void)
{
    static const int lengths[] = { 0, 1, 3, 1000, 1023, 16400, LONG };
    begin(&rank, &size);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    posting_order();
    out_of_order();
    tags();
    for (int n = 0; n < 7; n++) {
        probes(lengths[n]);
        matched(lengths[n]);
        if (lengths[n] > 2)
            truncation(lengths[n]);
    }
    nobody();
    without_communicator();
    storm();
    OK(MPI_Finalize());
    return 0;
}
