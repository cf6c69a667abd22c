/* Large messages: odd sizes and addresses, early and late receives, truncation, probes, cancelled
   receives, many at once, persistent. With the argument "threads", as if several threads used MPI. */
#include "check.h"

static int rank, size, to, from;

/* Sizes around everything that changes on the way: eager limits, chunks, slots, lanes. */
static const int sizes[] = { 8191,   8192,    8193,    12289,   16255,   16384,    16385,   32769,
                             65535,  65536,   65537,   99999,   131073,  262143,   262145,  300001,
                             524287, 1000003, 1 << 20, 1048577, 3000001, 4194304, (1 << 24) + 7 };
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = (1 << 24) + 7 };

static unsigned char *out, *in;

static unsigned char byte(size_t i, int seed)
{
    return (unsigned char)(i * 31 + (size_t)seed * 7 + i / 251);
}

static void fill(unsigned char *data, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = byte(i, seed);
}

static int same(const unsigned char *data, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != byte(i, seed))
            return 0;
    return 1;
}

static void wait_for(MPI_Request *request, int bytes)
{
    MPI_Status status;
    int count;
    OK(MPI_Wait(request, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == bytes && status.MPI_SOURCE == from);
}

/* The receive is there before the message, or the message before the receive. */
static void early_and_late(void)
{
    for (int s = 0; s < SIZES; s++) {
        for (int late = 0; late < 2; late++) {
            /* Not at the beginning of a cache line, and not the same on both sides. */
            unsigned char *source = out + s % 5, *target = in + s % 3;
            MPI_Request send, receive;
            fill(source, (size_t)sizes[s], rank + late);
            memset(target, 0, (size_t)sizes[s] + 1);
            if (!late) {
                OK(MPI_Irecv(target, sizes[s], MPI_BYTE, from, 1, MPI_COMM_WORLD, &receive));
                OK(MPI_Barrier(MPI_COMM_WORLD));
            }
            OK(MPI_Isend(source, sizes[s], MPI_BYTE, to, 1, MPI_COMM_WORLD, &send));
            if (late) {
                MPI_Status status;
                int count;
                OK(MPI_Probe(from, 1, MPI_COMM_WORLD, &status));
                OK(MPI_Get_count(&status, MPI_BYTE, &count));
                CHECK(count == sizes[s]);
                OK(MPI_Irecv(target, sizes[s], MPI_BYTE, from, 1, MPI_COMM_WORLD, &receive));
            }
            wait_for(&receive, sizes[s]);
            OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
            CHECK(same(target, (size_t)sizes[s], from + late) && target[sizes[s]] == 0);
        }
    }
}

/* A receive that is too small gets its part, an error, and nothing behind its end is touched; the next
   message is whole. */
static void truncation(void)
{
    for (int s = 0; s < SIZES; s++) {
        int room[] = { 0, 1, sizes[s] / 3, sizes[s] - 1 };
        for (int r = 0; r < 4; r++) {
            MPI_Request sends[2];
            MPI_Status status;
            int count;
            fill(out, (size_t)sizes[s], rank + r);
            memset(in, 0xee, (size_t)sizes[s]);
            OK(MPI_Isend(out, sizes[s], MPI_BYTE, to, 2, MPI_COMM_WORLD, &sends[0]));
            OK(MPI_Isend(out, sizes[s], MPI_BYTE, to, 3, MPI_COMM_WORLD, &sends[1]));
            FAILS(MPI_ERR_TRUNCATE, MPI_Recv(in, room[r], MPI_BYTE, from, 2, MPI_COMM_WORLD, &status));
            CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 2);
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK(count <= room[r]);
            for (int i = room[r]; i < sizes[s]; i++)
                CHECK(in[i] == 0xee);
            OK(MPI_Recv(in, sizes[s], MPI_BYTE, from, 3, MPI_COMM_WORLD, &status));
            CHECK(same(in, (size_t)sizes[s], from + r));
            OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
        }
    }
}

/* Matched probes, received in another order than they came. */
static void matched_probes(void)
{
    enum { MESSAGES = 6 };
    MPI_Request sends[MESSAGES];
    MPI_Message messages[MESSAGES];
    int step = MOST / MESSAGES / 2;
    for (int i = 0; i < MESSAGES; i++) {
        fill(out + i * step, (size_t)step, rank + i);
        OK(MPI_Isend(out + i * step, step - i, MPI_BYTE, to, i, MPI_COMM_WORLD, &sends[i]));
    }
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Status status;
        int count;
        OK(MPI_Mprobe(from, i, MPI_COMM_WORLD, &messages[i], &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK(count == step - i);
    }
    for (int i = MESSAGES - 1; i >= 0; i--) {
        memset(in, 0, (size_t)step);
        OK(MPI_Mrecv(in, step, MPI_BYTE, &messages[i], MPI_STATUS_IGNORE));
        CHECK(same(in, (size_t)(step - i), from + i));
    }
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
}

/* A cancelled receive gets nothing, and the message goes to the next. */
static void cancelled(void)
{
    int bytes = 300001, flag;
    MPI_Request first, second, send;
    MPI_Status status;
    memset(in, 0xee, (size_t)bytes);
    OK(MPI_Irecv(in, bytes, MPI_BYTE, from, 4, MPI_COMM_WORLD, &first));
    OK(MPI_Cancel(&first));
    OK(MPI_Wait(&first, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    fill(out, (size_t)bytes, rank);
    OK(MPI_Isend(out, bytes, MPI_BYTE, to, 4, MPI_COMM_WORLD, &send));
    OK(MPI_Probe(from, 4, MPI_COMM_WORLD, &status));
    for (int i = 0; i < bytes; i++)
        CHECK(in[i] == 0xee);
    OK(MPI_Irecv(in, bytes, MPI_BYTE, from, 4, MPI_COMM_WORLD, &second));
    wait_for(&second, bytes);
    CHECK(same(in, (size_t)bytes, from));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

/* A synchronous send is complete only when its receive is there. */
static void synchronous(void)
{
    for (int s = 0; s < SIZES; s++) {
        MPI_Request send;
        int flag;
        fill(out, (size_t)sizes[s], rank);
        OK(MPI_Issend(out, sizes[s], MPI_BYTE, to, 5, MPI_COMM_WORLD, &send));
        if (size > 1) {
            for (int i = 0; i < 100; i++) {
                OK(MPI_Test(&send, &flag, MPI_STATUS_IGNORE));
                CHECK(!flag);
            }
            /* No process receives before all have looked. */
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
        OK(MPI_Recv(in, sizes[s], MPI_BYTE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        CHECK(same(in, (size_t)sizes[s], from));
    }
}

/* More messages at once than anything on the way has room for, with every process. Buffers may be
   used again as soon as a send is complete. */
static void many(void)
{
    enum { MESSAGES = 40, BYTES = 70001 };
    MPI_Request *requests = malloc((size_t)(2 * size * MESSAGES) * sizeof *requests);
    unsigned char *all = malloc((size_t)size * MESSAGES * BYTES);
    for (int round = 0; round < 3; round++) {
        int n = 0;
        memset(all, 0, (size_t)size * MESSAGES * BYTES);
        for (int peer = 0; peer < size; peer++)
            for (int i = 0; i < MESSAGES; i++) {
                unsigned char *place = all + (size_t)(peer * MESSAGES + i) * BYTES;
                OK(MPI_Irecv(place, BYTES, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[n++]));
            }
        for (int i = 0; i < MESSAGES; i++)
            fill(out + i * BYTES, BYTES, rank + i + round);
        for (int i = 0; i < MESSAGES; i++)
            for (int peer = 0; peer < size; peer++)
                OK(MPI_Isend(out + i * BYTES, BYTES, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[n++]));
        OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
        memset(out, 0, MESSAGES * BYTES);
        for (int peer = 0; peer < size; peer++)
            for (int i = 0; i < MESSAGES; i++)
                CHECK(same(all + (size_t)(peer * MESSAGES + i) * BYTES, BYTES, peer + i + round));
    }
    free(all);
    free(requests);
}

/* Persistent operations, and sends that are freed at once. */
static void persistent_and_freed(void)
{
    int bytes = 200003;
    MPI_Request pair[2], send;
    OK(MPI_Send_init(out, bytes, MPI_BYTE, to, 6, MPI_COMM_WORLD, &pair[0]));
    OK(MPI_Recv_init(in, bytes, MPI_BYTE, from, 6, MPI_COMM_WORLD, &pair[1]));
    for (int round = 0; round < 20; round++) {
        fill(out, (size_t)bytes, rank + round);
        OK(MPI_Startall(2, pair));
        OK(MPI_Waitall(2, pair, MPI_STATUSES_IGNORE));
        CHECK(same(in, (size_t)bytes, from + round));
    }
    OK(MPI_Request_free(&pair[0]));
    OK(MPI_Request_free(&pair[1]));
    OK(MPI_Isend(out, bytes, MPI_BYTE, to, 7, MPI_COMM_WORLD, &send));
    OK(MPI_Request_free(&send));
    OK(MPI_Recv(in, bytes, MPI_BYTE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(same(in, (size_t)bytes, from + 19));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        int provided;
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
        CHECK(provided == MPI_THREAD_MULTIPLE);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    } else {
        begin(&rank, &size);
    }
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    out = malloc(MOST + 8);
    in = malloc(MOST + 8);
    early_and_late();
    truncation();
    matched_probes();
    cancelled();
    synchronous();
    many();
    persistent_and_freed();
    free(out);
    free(in);
    OK(MPI_Finalize());
    return 0;
}
