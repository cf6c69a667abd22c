/* Several threads of each process send and receive on one communicator: messages with tags of their
   own, receives with wildcards, matched probes and cancelled receives, all in the right order, and
   where messages may overtake each other, each once. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, MESSAGES = 400, WINDOW = 16 };

static int rank, size, to, from;
static MPI_Comm all, no_any_tag, overtaking;

/* Each thread has a tag: messages arrive in the order in which they were sent. */
static void own_tag(int thread, MPI_Comm comm, int source)
{
    for (int first = 0; first < MESSAGES; first += WINDOW) {
        MPI_Request requests[2 * WINDOW];
        MPI_Status statuses[2 * WINDOW];
        int in[WINDOW], out[WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            in[i] = -1, out[i] = (rank * THREADS + thread) * MESSAGES + first + i;
            OK(MPI_Irecv(&in[i], 1, MPI_INT, source, thread, comm, &requests[i]));
        }
        for (int i = 0; i < WINDOW; i++)
            OK(MPI_Isend(&out[i], 1, MPI_INT, to, thread, comm, &requests[WINDOW + i]));
        OK(MPI_Waitall(2 * WINDOW, requests, statuses));
        for (int i = 0; i < WINDOW; i++) {
            CHECK(in[i] == (from * THREADS + thread) * MESSAGES + first + i);
            CHECK(statuses[i].MPI_SOURCE == from && statuses[i].MPI_TAG == thread);
        }
    }
}

/* Thread 0 receives what the others send, by receives with each kind of wildcard. */
static void wildcards(int thread)
{
    if (thread != 0) {
        for (int i = 0; i < MESSAGES; i++) OK(MPI_Send(&i, 1, MPI_INT, to, 100 + thread, all));
        return;
    }
    int next[THREADS] = { 0 };
    for (int i = 0; i < (THREADS - 1) * MESSAGES; i++) {
        int value = -1;
        MPI_Status status;
        if (i % 3 == 0) {
            MPI_Message message;
            OK(MPI_Mprobe(from, MPI_ANY_TAG, all, &message, &status));
            OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
        } else {
            int source = i % 3 == 1 ? from : MPI_ANY_SOURCE;
            OK(MPI_Recv(&value, 1, MPI_INT, source, MPI_ANY_TAG, all, &status));
        }
        CHECK(status.MPI_SOURCE == from);
        CHECK(status.MPI_TAG > 100 && status.MPI_TAG < 100 + THREADS);
        CHECK(value == next[status.MPI_TAG - 100]++);
    }
}

/* Threads that synchronise outside of MPI send one after the other, each with its own tag: their
   messages arrive in this order. */
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void in_turn(int thread)
{
    for (int i = 0; i < MESSAGES; i++) {
        if (thread == 0) {
            int value = -1;
            MPI_Status status;
            OK(MPI_Recv(&value, 1, MPI_INT, from, MPI_ANY_TAG, all, &status));
            CHECK(value == i && status.MPI_TAG == 300 + i % (THREADS - 1));
        } else if (thread - 1 == i % (THREADS - 1)) {
            pthread_mutex_lock(&turn_lock);
            while (turn != i) pthread_cond_wait(&turn_changed, &turn_lock);
            pthread_mutex_unlock(&turn_lock);
            OK(MPI_Send(&i, 1, MPI_INT, to, 300 + thread - 1, all));
            pthread_mutex_lock(&turn_lock);
            turn = i + 1;
            pthread_cond_broadcast(&turn_changed);
            pthread_mutex_unlock(&turn_lock);
        }
    }
}

/* Messages of one tag that may overtake each other: each comes once. */
static void any_order(int thread)
{
    static char seen[THREADS][MESSAGES];
    for (int first = 0; first < MESSAGES; first += WINDOW) {
        MPI_Request requests[2 * WINDOW];
        int in[WINDOW], out[WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            in[i] = -1, out[i] = first + i;
            OK(MPI_Irecv(&in[i], 1, MPI_INT, from, thread, overtaking, &requests[i]));
        }
        for (int i = 0; i < WINDOW; i++)
            OK(MPI_Isend(&out[i], 1, MPI_INT, to, thread, overtaking, &requests[WINDOW + i]));
        OK(MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < WINDOW; i++) {
            CHECK(in[i] >= 0 && in[i] < MESSAGES);
            CHECK(!seen[thread][in[i]]);
            seen[thread][in[i]] = 1;
        }
    }
}

/* Receives that nothing is sent to, while others get messages. */
static void cancels(int thread)
{
    for (int i = 0; i < MESSAGES; i++) {
        int in = -1, cancelled = 0;
        MPI_Request request;
        MPI_Status status;
        int source = i % 2 == 0 ? from : MPI_ANY_SOURCE;
        OK(MPI_Irecv(&in, 1, MPI_INT, source, 200 + thread, all, &request));
        OK(MPI_Cancel(&request));
        OK(MPI_Wait(&request, &status));
        OK(MPI_Test_cancelled(&status, &cancelled));
        CHECK(cancelled);
    }
}

static pthread_barrier_t together;

static void *work(void *argument)
{
    int thread = (int)(size_t)argument;
    own_tag(thread, all, from);
    pthread_barrier_wait(&together);
    wildcards(thread);
    cancels(thread);
    pthread_barrier_wait(&together);
    in_turn(thread);
    pthread_barrier_wait(&together);
    own_tag(thread, no_any_tag, MPI_ANY_SOURCE);
    any_order(thread);
    return NULL;
}

static MPI_Comm that_asserts(const char *key)
{
    MPI_Info info;
    MPI_Comm comm;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, "true"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    OK(MPI_Info_free(&info));
    return comm;
}

int main(void)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    to = (rank + 1) % size, from = (rank + size - 1) % size;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &all));
    no_any_tag = that_asserts("mpi_assert_no_any_tag");
    overtaking = that_asserts("mpi_assert_allow_overtaking");
    CHECK(pthread_barrier_init(&together, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)(size_t)i) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    OK(MPI_Comm_free(&all));
    OK(MPI_Comm_free(&no_any_tag));
    OK(MPI_Comm_free(&overtaking));
    MPI_Finalize();
    return 0;
}
