/* Several threads of each process send and receive at the same time: by tags of their own, on
   communicators of their own, with wildcards that any thread's message fits, and by probing. */
#include <stdatomic.h>

#include "threads.h"

enum { LONG = 50000, MESSAGES = 100 };

static int rank, size, next, previous;
static MPI_Comm comms[MOST_THREADS];

/* Numbers that only this message has. */
static void fill(int *data, int n, int process, int thread, int round)
{
    for (int i = 0; i < n; i++)
        data[i] = process * 1000003 + thread * 10007 + round * 101 + i;
}

static void check(const int *data, int n, int process, int thread, int round)
{
    for (int i = 0; i < n; i++)
        CHECK(data[i] == process * 1000003 + thread * 10007 + round * 101 + i);
}

static int length_of(int round) { return round % 50 == 49 ? LONG : round % 10 == 9 ? 3000 : round % 17; }

/* Thread t of each process exchanges with thread t of the next, in every way. */
static void exchange(int thread, MPI_Comm comm, int tag)
{
    int *out = malloc(LONG * sizeof *out), *in = malloc(LONG * sizeof *in);
    for (int round = 0; round < MESSAGES; round++) {
        int n = length_of(round), count;
        MPI_Request requests[2];
        MPI_Status status;
        fill(out, n, rank, thread, round);
        if (round % 4 == 0) {
            OK(MPI_Sendrecv(out, n, MPI_INT, next, tag, in, n, MPI_INT, previous, tag, comm,
                            &status));
        } else if (round % 4 == 1) {
            OK(MPI_Irecv(in, n, MPI_INT, previous, tag, comm, &requests[0]));
            OK(MPI_Send(out, n, MPI_INT, next, tag, comm));
            OK(MPI_Wait(&requests[0], &status));
        } else if (round % 4 == 2) {
            OK(MPI_Issend(out, n, MPI_INT, next, tag, comm, &requests[0]));
            OK(MPI_Recv(in, n, MPI_INT, previous, tag, comm, &status));
            OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        } else {
            int flag = 0;
            MPI_Status both[2];
            OK(MPI_Irecv(in, n, MPI_INT, previous, tag, comm, &requests[0]));
            OK(MPI_Isend(out, n, MPI_INT, next, tag, comm, &requests[1]));
            while (!flag)
                OK(MPI_Testall(2, requests, &flag, both));
            status = both[0];
        }
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == n && status.MPI_SOURCE == previous && status.MPI_TAG == tag);
        check(in, n, previous, thread, round);
    }
    free(out), free(in);
}

static void own_tags(int thread) { exchange(thread, MPI_COMM_WORLD, thread); }
static void own_communicators(int thread) { exchange(thread, comms[thread], 3); }

/* What each message says of itself. */
struct letter {
    int process, thread, number, filling[700];
};

static atomic_int seen[8][MOST_THREADS][MESSAGES];

static void forget_all(void) { memset(seen, 0, sizeof seen); }

static void take(const struct letter *letter, const MPI_Status *status)
{
    CHECK(letter->process == status->MPI_SOURCE && letter->thread == status->MPI_TAG);
    CHECK(letter->thread < threads && letter->number < MESSAGES);
    CHECK(atomic_fetch_add(&seen[letter->process][letter->thread][letter->number], 1) == 0);
}

/* Each thread sends its share to all processes in turn, so that each process gets MESSAGES for each
   of its threads. */
static MPI_Request post(struct letter *letter, int thread, int number, MPI_Comm comm)
{
    MPI_Request request;
    letter->process = rank, letter->thread = thread, letter->number = number;
    int bytes = number % 8 == 7 ? (int)sizeof *letter : 3 * (int)sizeof(int);
    OK(MPI_Isend(letter, bytes, MPI_BYTE, (rank + number) % size, thread, comm, &request));
    return request;
}

static void received_all(void)
{
    int mine = 0, total;
    for (int p = 0; p < size; p++)
        for (int t = 0; t < threads; t++)
            for (int m = 0; m < MESSAGES; m++)
                mine += seen[p][t][m];
    OK(MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(total == size * threads * MESSAGES);
    forget_all();
}

/* How many messages come to this process from one thread of all processes. */
static int share(void)
{
    int total = 0;
    for (int p = 0; p < size; p++)
        for (int m = 0; m < MESSAGES; m++)
            total += (p + m) % size == rank;
    return total;
}

/* Any thread's receive takes any message. None waits for a message to be sent before it has received all that it
   is to: it may be received only then. */
static void wildcards(int thread)
{
    struct letter *letters = malloc(sizeof *letters * MESSAGES), in;
    MPI_Request *sends = malloc(sizeof *sends * MESSAGES);
    MPI_Status status;
    int left = share();
    for (int m = 0; m < MESSAGES || left > 0; m++) {
        if (m < MESSAGES)
            sends[m] = post(&letters[m], thread, m, MPI_COMM_WORLD);
        if (left > 0 && (m % 16 > 7 || m >= MESSAGES)) {
            OK(MPI_Recv(&in, sizeof in, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                        &status));
            take(&in, &status);
            left--;
        }
        if (m % 16 == 15)
            for (int i = 0; i < 8 && left > 0; i++, left--) {
                OK(MPI_Recv(&in, sizeof in, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                            MPI_COMM_WORLD, &status));
                take(&in, &status);
            }
    }
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
    free(letters), free(sends);
}

/* A message that one thread has matched is no other thread's. */
static void matched(int thread)
{
    struct letter *letters = malloc(sizeof *letters * MESSAGES), in;
    MPI_Request *sends = malloc(sizeof *sends * MESSAGES), receive;
    MPI_Status status, found;
    MPI_Message message;
    int left = share(), flag, count;
    for (int m = 0; m < MESSAGES; m++)
        sends[m] = post(&letters[m], thread, m, comms[0]);
    while (left > 0) {
        if (left % 2) {
            OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &message, &found));
        } else {
            for (flag = 0; !flag;)
                OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &flag, &message, &found));
        }
        OK(MPI_Get_count(&found, MPI_BYTE, &count));
        if (left % 3) {
            OK(MPI_Mrecv(&in, count, MPI_BYTE, &message, &status));
        } else {
            OK(MPI_Imrecv(&in, count, MPI_BYTE, &message, &receive));
            OK(MPI_Wait(&receive, &status));
        }
        CHECK(message == MPI_MESSAGE_NULL);
        CHECK(status.MPI_SOURCE == found.MPI_SOURCE && status.MPI_TAG == found.MPI_TAG);
        CHECK(count == (in.number % 8 == 7 ? (int)sizeof in : 3 * (int)sizeof(int)));
        take(&in, &status);
        left--;
    }
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
    free(letters), free(sends);
}

/* Who probes with a tag of his own finds what he then receives. */
static void probed(int thread)
{
    int out[64], in[64], count, flag;
    MPI_Request send;
    MPI_Status status;
    for (int round = 0; round < MESSAGES; round++) {
        int n = round % 64;
        fill(out, n, rank, thread, round);
        OK(MPI_Isend(out, n, MPI_INT, next, thread, MPI_COMM_WORLD, &send));
        if (round % 2) {
            OK(MPI_Probe(MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &status));
        } else {
            for (flag = 0; !flag;)
                OK(MPI_Iprobe(previous, thread, MPI_COMM_WORLD, &flag, &status));
        }
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == n);
        OK(MPI_Recv(in, count, MPI_INT, status.MPI_SOURCE, thread, MPI_COMM_WORLD, &status));
        check(in, n, previous, thread, round);
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
}

/* All threads use the buffer of the process, which has room for one message of each at least. A flush may wait
   until the messages of all threads are received, so no thread waits for one before it has received all of its
   own: else the threads of two processes could wait for each other's. */
static void buffered(int thread)
{
    int out[100], in[100], flushes = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL, flushed[MESSAGES / 40];
    for (int round = 0; round < MESSAGES; round++) {
        int n = 1 + round % 100, code;
        fill(out, n, rank, thread, round);
        /* The next process may be behind: then there is no room for a while. */
        do
            code = round % 2 ? MPI_Bsend(out, n, MPI_INT, next, thread, MPI_COMM_WORLD)
                             : MPI_Ibsend(out, n, MPI_INT, next, thread, MPI_COMM_WORLD, &request);
        while (class_of(code) == MPI_ERR_BUFFER);
        CHECK(code == MPI_SUCCESS);
        memset(out, 0xff, sizeof out);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Recv(in, n, MPI_INT, previous, thread, MPI_COMM_WORLD, &status));
        check(in, n, previous, thread, round);
        if (round % 40 == 39)
            OK(MPI_Buffer_iflush(&flushed[flushes++]));
    }
    OK(MPI_Waitall(flushes, flushed, MPI_STATUSES_IGNORE));
    OK(MPI_Buffer_flush());
}

int main(void)
{
    void *address;
    int bytes;
    begin_threads(&rank, &size);
    CHECK(size <= 8);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    each_its_own(comms);
    together(own_tags);
    together(own_communicators);
    together(probed);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    together(wildcards);
    received_all();
    together(matched);
    received_all();
    int room = 2 * MOST_THREADS * (400 + MPI_BSEND_OVERHEAD);
    char *buffer = malloc((size_t)room);
    OK(MPI_Buffer_attach(buffer, room));
    together(buffered);
    OK(MPI_Buffer_detach(&address, &bytes));
    CHECK(address == buffer && bytes == room);
    free(buffer);
    free_all(comms);
    OK(MPI_Finalize());
    return 0;
}
