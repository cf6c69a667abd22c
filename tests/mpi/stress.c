/* Threads that do everything at once: stress [ROUNDS | SECONDSs] [SEED] [THREADS]
 *
 * In each round every process starts THREADS threads, and each makes steps of kinds that a seed
 * chooses: messages with mixed tags, wildcards, probes, cancelled receives, persistent requests,
 * communicators that come and go, collectives, requests that another thread ends, generalized
 * requests. Thread t of a process talks to the threads t of the others, so all of them make the same
 * steps. What differs between processes, the order of calls for example, comes from a generator of
 * its own.
 *
 * Every message carries who sent it, its number and a checksum. Sums of all that was sent and
 * received must agree in the end, and are the same whenever the seed is. Prints one line: the seed,
 * rounds, messages and the sum. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_THREADS = 64,
    STEPS = 24,   /* of a thread in a round */
    BURST = 12,   /* messages of a step at most */
    BAG = 32,     /* messages to any thread in a round at most */
    MANY = 128,   /* requests that are waited for together at most */
    PATIENCE = 90 /* seconds a round may take before it says where it hangs */
};

/* Tags on communicators that several threads share. A step has its own, so that a process that is a
   step ahead does not meet a receive of any source. */
enum { TAGS_OF_STEP = 2 * BURST, TAGS_OF_THREAD = (STEPS + 1) * TAGS_OF_STEP, LOST = BURST, MAKE };

typedef struct {
    uint64_t state;
} Random;

typedef struct {
    int32_t source, thread, number, words;
    uint64_t sum;
    uint64_t data[];
} Message;

typedef struct {
    int id, step;
    Random common; /* the same in the threads of this number of all processes */
    Random own;
    Random loops; /* for choices that are made as often as time wants, so that no other depends on it */
    MPI_Comm comm; /* of the threads of this number */
    uint64_t sent, received, messages;
    /* Of messages that any thread may receive, which are waited for at the end of the round */
    int bagged;
    MPI_Request bag_requests[2 * BAG];
    Message *bag_messages[2 * BAG];
} Thread;

static int rank, size, threads = 8;
static MPI_Comm own_comms[MAX_THREADS], bag, probed;
static struct {
    volatile int step;
    const char *volatile what;
} at[MAX_THREADS];

/* splitmix64 */
static uint64_t next(Random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(Random *random, int limit)
{
    return (int)(next(random) % (uint64_t)limit);
}

/* --- Messages */

enum { HEAD = sizeof(Message) };

static size_t bytes_of(int words)
{
    return HEAD + (size_t)words * sizeof(uint64_t);
}

static Message *empty(int words)
{
    Message *message = malloc(bytes_of(words));
    CHECK(message != NULL);
    memset(message, 0xee, HEAD);
    return message;
}

static uint64_t sum_of(const Message *message)
{
    uint64_t sum = (uint64_t)message->source * 31 + (uint64_t)message->thread * 37 +
                   (uint64_t)message->number * 41 + (uint64_t)message->words;
    for (int i = 0; i < message->words; i++) sum = sum * 1099511628211u + message->data[i];
    return sum;
}

/* A message to send. */
static Message *full(Thread *thread, int number, int words)
{
    Message *message = empty(words);
    message->source = rank;
    message->thread = thread->id;
    message->number = number;
    message->words = words;
    for (int i = 0; i < words; i++) message->data[i] = next(&thread->own);
    message->sum = sum_of(message);
    thread->sent += message->sum;
    thread->messages++;
    return message;
}

/* Mostly small, sometimes around the limits of the protocols, seldom large. */
static int some_words(Random *random)
{
    switch (below(random, 16)) {
    case 0: return 500 + below(random, 50);
    case 1: return 1000 + below(random, 100);
    case 2: return 4000 + below(random, 9000);
    case 3: return below(random, 8) == 0 ? 60000 + below(random, 20000) : 100;
    default: return below(random, 20);
    }
}

static void check(Thread *thread, const Message *message, const MPI_Status *status)
{
    int count = -1;
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    CHECK(count >= HEAD && (size_t)count == bytes_of(message->words));
    CHECK(message->source == status->MPI_SOURCE);
    CHECK(message->sum == sum_of(message));
    thread->received += message->sum;
}

/* --- Ends of requests: every function that waits or tests */

static void wait_in_some_way(Random *random, int count, MPI_Request *requests, MPI_Status *statuses)
{
    int left = count, index, flag, number, indices[MANY];
    MPI_Status some[MANY];
    CHECK(count <= MANY);
    switch (below(random, 7)) {
    case 0:
        for (int i = count; i-- > 0;) OK(MPI_Wait(&requests[i], &statuses[i]));
        return;
    case 1:
        OK(MPI_Waitall(count, requests, statuses));
        return;
    case 2:
        for (; left > 0; left--) {
            OK(MPI_Waitany(count, requests, &index, &some[0]));
            CHECK(index >= 0 && index < count && requests[index] == MPI_REQUEST_NULL);
            statuses[index] = some[0];
        }
        OK(MPI_Waitany(count, requests, &index, &some[0]));
        CHECK(index == MPI_UNDEFINED);
        return;
    case 3:
    case 4:
        while (left > 0) {
            if (below(random, 2))
                OK(MPI_Waitsome(count, requests, &number, indices, some));
            else
                OK(MPI_Testsome(count, requests, &number, indices, some));
            CHECK(number >= 0 && number <= left);
            for (int i = 0; i < number; i++) statuses[indices[i]] = some[i];
            left -= number;
        }
        return;
    case 5:
        do OK(MPI_Testall(count, requests, &flag, statuses));
        while (!flag);
        return;
    default:
        for (int i = 0; i < count; i++) {
            do {
                OK(MPI_Request_get_status(requests[i], &flag, &some[0]));
                OK(MPI_Test(&requests[i], &flag, &statuses[i]));
            } while (!flag);
        }
    }
}

static void shuffle(Random *random, int count, int *places)
{
    for (int i = 0; i < count; i++) {
        int other = below(random, i + 1);
        places[i] = places[other];
        places[other] = i;
    }
}

static int tag_of(const Thread *thread, int number)
{
    return thread->id * TAGS_OF_THREAD + thread->step * TAGS_OF_STEP + number;
}

static void isend(Thread *thread, const Message *message, int to, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    int bytes = (int)bytes_of(message->words);
    if (below(&thread->own, 6) == 0)
        OK(MPI_Issend(message, bytes, MPI_BYTE, to, tag, comm, request));
    else
        OK(MPI_Isend(message, bytes, MPI_BYTE, to, tag, comm, request));
}

static void irecv(Message *message, int words, int from, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    OK(MPI_Irecv(message, (int)bytes_of(words), MPI_BYTE, from, tag, comm, request));
}

/* Who sends and receives in a step that goes around the ring. */
typedef struct {
    int to, from;
} Ring;

static Ring ring_of(Thread *thread)
{
    int distance = below(&thread->common, size);
    return (Ring){(rank + distance) % size, (rank + size - distance) % size};
}

/* A receive that names its source or does not. */
static int maybe_any(Thread *thread, int from)
{
    return below(&thread->own, 3) ? from : MPI_ANY_SOURCE;
}

/* --- Steps. Each is made by the threads of one number of all processes. */

/* A burst with tags in one order and receives in another, some of them posted before the sends and
   some after; on the communicator that all threads share or on the thread's own. */
static void mixed_tags(Thread *thread)
{
    MPI_Comm comm = below(&thread->common, 2) ? MPI_COMM_WORLD : thread->comm;
    Ring ring = ring_of(thread);
    int count = 1 + below(&thread->common, BURST), words[BURST], receives[BURST], sends[BURST];
    for (int k = 0; k < count; k++) words[k] = some_words(&thread->common);
    Message *in[BURST], *out[BURST];
    MPI_Request requests[2 * BURST];
    MPI_Status statuses[2 * BURST];
    shuffle(&thread->own, count, receives);
    shuffle(&thread->own, count, sends);
    int early = below(&thread->own, count + 1);
    for (int i = 0; i < early; i++) {
        int k = receives[i];
        in[k] = empty(words[k]);
        irecv(in[k], words[k], maybe_any(thread, ring.from), tag_of(thread, k), comm, &requests[k]);
    }
    for (int i = 0; i < count; i++) {
        int k = sends[i];
        out[k] = full(thread, k, words[k]);
        isend(thread, out[k], ring.to, tag_of(thread, k), comm, &requests[count + k]);
    }
    for (int i = early; i < count; i++) {
        int k = receives[i];
        in[k] = empty(words[k]);
        irecv(in[k], words[k], maybe_any(thread, ring.from), tag_of(thread, k), comm, &requests[k]);
    }
    wait_in_some_way(&thread->loops, 2 * count, requests, statuses);
    for (int k = 0; k < count; k++) {
        CHECK(statuses[k].MPI_TAG == tag_of(thread, k));
        CHECK(in[k]->number == k && in[k]->source == ring.from && in[k]->thread == thread->id);
        check(thread, in[k], &statuses[k]);
        free(in[k]);
        free(out[k]);
    }
}

/* From all to all with any tag; the messages of a source come in order. */
static void wildcards(Thread *thread)
{
    enum { EACH = 4, WORDS = 2000 };
    int each = 1 + below(&thread->common, EACH), count = each * size, *seen = calloc(size, sizeof *seen);
    CHECK(2 * count <= MANY && seen != NULL);
    Message *in[MANY], *out[MANY];
    MPI_Request requests[MANY];
    MPI_Status statuses[MANY];
    bool before = below(&thread->own, 2);
    for (int i = 0; before && i < count; i++) {
        in[i] = empty(WORDS);
        irecv(in[i], WORDS, MPI_ANY_SOURCE, MPI_ANY_TAG, thread->comm, &requests[i]);
    }
    for (int i = 0; i < count; i++) {
        out[i] = full(thread, i / size, below(&thread->own, 4) ? i : WORDS - i);
        /* Of this step: who is behind may still have a receive of any source for another one. */
        int tag = tag_of(thread, below(&thread->own, TAGS_OF_STEP));
        isend(thread, out[i], i % size, tag, thread->comm, &requests[count + i]);
    }
    if (before) {
        wait_in_some_way(&thread->loops, 2 * count, requests, statuses);
    } else {
        for (int i = 0; i < count; i++) {
            in[i] = empty(WORDS);
            OK(MPI_Recv(in[i], (int)bytes_of(WORDS), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                        thread->comm, &statuses[i]));
        }
        wait_in_some_way(&thread->loops, count, requests + count, statuses + count);
    }
    for (int i = 0; i < count; i++) {
        CHECK(in[i]->number == seen[statuses[i].MPI_SOURCE]++);
        check(thread, in[i], &statuses[i]);
        free(in[i]);
        free(out[i]);
    }
    free(seen);
    /* The next step's messages would fit these receives, too. */
    OK(MPI_Barrier(thread->comm));
}

/* Receives one message by a probe of some kind. */
static Message *probed_message(Random *random, int from, int tag, MPI_Comm comm, bool matched,
                               MPI_Status *status)
{
    int flag = 1, bytes;
    MPI_Message handle = MPI_MESSAGE_NULL;
    bool blocking = below(random, 2);
    do {
        if (matched && blocking)
            OK(MPI_Mprobe(from, tag, comm, &handle, status));
        else if (matched)
            OK(MPI_Improbe(from, tag, comm, &flag, &handle, status));
        else if (blocking)
            OK(MPI_Probe(from, tag, comm, status));
        else
            OK(MPI_Iprobe(from, tag, comm, &flag, status));
    } while (!flag);
    OK(MPI_Get_count(status, MPI_BYTE, &bytes));
    Message *message = malloc(bytes);
    CHECK(bytes >= HEAD && message != NULL);
    MPI_Status seen = *status;
    if (!matched) {
        from = status->MPI_SOURCE;
        tag = status->MPI_TAG;
        OK(MPI_Recv(message, bytes, MPI_BYTE, from, tag, comm, status));
    } else if (below(random, 2)) {
        OK(MPI_Mrecv(message, bytes, MPI_BYTE, &handle, status));
        CHECK(handle == MPI_MESSAGE_NULL);
    } else {
        MPI_Request request;
        OK(MPI_Imrecv(message, bytes, MPI_BYTE, &handle, &request));
        wait_in_some_way(random, 1, &request, status);
    }
    CHECK(seen.MPI_SOURCE == status->MPI_SOURCE && seen.MPI_TAG == status->MPI_TAG);
    return message;
}

static void probes(Thread *thread)
{
    bool shared = below(&thread->common, 2);
    MPI_Comm comm = shared ? MPI_COMM_WORLD : thread->comm;
    Ring ring = ring_of(thread);
    int count = 1 + below(&thread->common, BURST);
    Message *out[BURST];
    MPI_Request requests[BURST];
    MPI_Status statuses[BURST], status;
    for (int k = 0; k < count; k++) {
        out[k] = full(thread, k, some_words(&thread->own));
        isend(thread, out[k], ring.to, tag_of(thread, 0), comm, &requests[k]);
    }
    for (int k = 0; k < count; k++) {
        int tag = shared ? tag_of(thread, 0) : MPI_ANY_TAG;
        Message *in = probed_message(&thread->loops, maybe_any(thread, ring.from), tag, comm,
                                     below(&thread->own, 2), &status);
        CHECK(in->number == k && in->source == ring.from && status.MPI_TAG == tag_of(thread, 0));
        check(thread, in, &status);
        free(in);
    }
    wait_in_some_way(&thread->loops, count, requests, statuses);
    for (int k = 0; k < count; k++) free(out[k]);
    OK(MPI_Barrier(thread->comm));
}

/* Receives that nothing is sent for, and receives that are given up while their message comes. */
static void cancels(Thread *thread)
{
    MPI_Comm comm = below(&thread->common, 2) ? MPI_COMM_WORLD : thread->comm;
    Ring ring = ring_of(thread);
    int cancelled, words = some_words(&thread->common);
    Message *in = empty(words), *lost = empty(0), *out = full(thread, 7, words);
    MPI_Request requests[2], send;
    MPI_Status statuses[2], status;
    irecv(in, words, maybe_any(thread, ring.from), tag_of(thread, 0), comm, &requests[0]);
    irecv(lost, 0, maybe_any(thread, ring.from), tag_of(thread, LOST), comm, &requests[1]);
    isend(thread, out, ring.to, tag_of(thread, 0), comm, &send);
    if (below(&thread->own, 2)) {
        int flag;
        OK(MPI_Testall(2, requests, &flag, statuses));
        CHECK(!flag);
    }
    int first = below(&thread->own, 2);
    OK(MPI_Cancel(&requests[first]));
    OK(MPI_Cancel(&requests[!first]));
    wait_in_some_way(&thread->loops, 2, requests, statuses);
    OK(MPI_Test_cancelled(&statuses[1], &cancelled));
    CHECK(cancelled);
    OK(MPI_Test_cancelled(&statuses[0], &cancelled));
    status = statuses[0];
    if (cancelled)
        OK(MPI_Recv(in, (int)bytes_of(words), MPI_BYTE, ring.from, tag_of(thread, 0), comm, &status));
    CHECK(in->number == 7);
    check(thread, in, &status);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    free(in);
    free(lost);
    free(out);
}

/* Persistent requests, several starts; one is given up, one is freed while it goes on. */
static void persistent(Thread *thread)
{
    enum { STARTS = 3 };
    MPI_Comm comm = below(&thread->common, 2) ? MPI_COMM_WORLD : thread->comm;
    Ring ring = ring_of(thread);
    int words = some_words(&thread->common), bytes = (int)bytes_of(words), flag;
    Message *in = empty(words), *out = empty(words);
    MPI_Request requests[2], lost;
    MPI_Status statuses[2], status;
    int from = maybe_any(thread, ring.from), tag = tag_of(thread, 0);
    OK(MPI_Recv_init(in, bytes, MPI_BYTE, from, tag, comm, &requests[0]));
    switch (below(&thread->own, 3)) {
    case 0: OK(MPI_Ssend_init(out, bytes, MPI_BYTE, ring.to, tag, comm, &requests[1])); break;
    default: OK(MPI_Send_init(out, bytes, MPI_BYTE, ring.to, tag, comm, &requests[1]));
    }
    OK(MPI_Recv_init(&flag, 0, MPI_INT, from, tag_of(thread, LOST), comm, &lost));
    for (int start = 0; start < STARTS; start++) {
        Message *filled = full(thread, start, words);
        memcpy(out, filled, bytes);
        free(filled);
        if (below(&thread->own, 2)) {
            OK(MPI_Startall(2, requests));
        } else {
            int first = below(&thread->own, 2);
            OK(MPI_Start(&requests[first]));
            OK(MPI_Start(&requests[!first]));
        }
        OK(MPI_Start(&lost));
        OK(MPI_Cancel(&lost));
        OK(MPI_Wait(&lost, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK(flag);
        if (below(&thread->own, 2)) {
            OK(MPI_Waitall(2, requests, statuses));
        } else {
            do OK(MPI_Testall(2, requests, &flag, statuses));
            while (!flag);
        }
        CHECK(requests[0] != MPI_REQUEST_NULL && in->number == start);
        check(thread, in, &statuses[0]);
    }
    OK(MPI_Request_free(&lost));
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    free(in);
    free(out);
}

/* One message around a communicator. */
static void once_around(Thread *thread, MPI_Comm comm, bool free_it)
{
    int place, number, words = some_words(&thread->common);
    OK(MPI_Comm_rank(comm, &place));
    OK(MPI_Comm_size(comm, &number));
    Message *in = empty(words), *out = full(thread, 3, words);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    irecv(in, words, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
    isend(thread, out, (place + 1) % number, 5, comm, &requests[1]);
    /* Operations on it still end. */
    if (free_it) OK(MPI_Comm_free(&comm));
    wait_in_some_way(&thread->loops, 2, requests, statuses);
    /* Ranks of the communicator and of the world differ. */
    CHECK(in->number == 3 && statuses[0].MPI_SOURCE == (place + number - 1) % number);
    statuses[0].MPI_SOURCE = in->source;
    check(thread, in, &statuses[0]);
    free(in);
    free(out);
}

static void communicators(Thread *thread)
{
    MPI_Comm comm, again;
    MPI_Group group;
    MPI_Request request;
    int color = rank % 2, key = below(&thread->own, 10), sum, members;
    switch (below(&thread->common, 4)) {
    case 0:
        OK(MPI_Comm_dup(thread->comm, &comm));
        break;
    case 1:
        OK(MPI_Comm_split(thread->comm, color, key, &comm));
        break;
    case 2:
        OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, tag_of(thread, MAKE), &comm));
        OK(MPI_Group_free(&group));
        break;
    default:
        OK(MPI_Comm_idup(thread->comm, &comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    once_around(thread, comm, false);
    int one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    OK(MPI_Comm_size(comm, &members));
    CHECK(sum == members);
    OK(MPI_Comm_dup(comm, &again));
    OK(MPI_Comm_free(&comm));
    once_around(thread, again, true);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *count; i++) ((int64_t *)inout)[i] += ((int64_t *)in)[i];
}

static void collectives(Thread *thread)
{
    enum { LARGEST = 3000 };
    int count = below(&thread->common, 3) ? below(&thread->common, 10) : LARGEST;
    int root = below(&thread->common, size);
    bool own_operation = below(&thread->common, 2);
    int64_t *in = malloc(LARGEST * sizeof *in), *out = malloc(LARGEST * sizeof *out);
    MPI_Op op = MPI_SUM;
    if (own_operation) OK(MPI_Op_create(add, 1, &op));
    for (int i = 0; i < count; i++) in[i] = rank + i + thread->id;
    OK(MPI_Allreduce(in, out, count, MPI_INT64_T, op, thread->comm));
    for (int i = 0; i < count; i++)
        CHECK(out[i] == (int64_t)size * (i + thread->id) + (int64_t)size * (size - 1) / 2);
    if (own_operation) OK(MPI_Op_free(&op));
    for (int i = 0; i < count; i++) in[i] = rank == root ? i * 3 + thread->id : -1;
    OK(MPI_Bcast(in, count, MPI_INT64_T, root, thread->comm));
    for (int i = 0; i < count; i++) CHECK(in[i] == i * 3 + thread->id);
    OK(MPI_Barrier(thread->comm));
    free(in);
    free(out);
}

/* Calls that send and receive at once. */
static void both(Thread *thread)
{
    MPI_Comm comm = below(&thread->common, 2) ? MPI_COMM_WORLD : thread->comm;
    Ring ring = ring_of(thread);
    int words = some_words(&thread->common), bytes = (int)bytes_of(words), tag = tag_of(thread, 0);
    int from = maybe_any(thread, ring.from);
    Message *in = empty(words), *out = full(thread, 9, words);
    MPI_Status status;
    MPI_Request request;
    switch (below(&thread->own, 3)) {
    case 0:
        OK(MPI_Sendrecv(out, bytes, MPI_BYTE, ring.to, tag, in, bytes, MPI_BYTE, from, tag, comm,
                        &status));
        break;
    case 1:
        memcpy(in, out, bytes);
        OK(MPI_Sendrecv_replace(in, bytes, MPI_BYTE, ring.to, tag, from, tag, comm, &status));
        break;
    default:
        OK(MPI_Isendrecv(out, bytes, MPI_BYTE, ring.to, tag, in, bytes, MPI_BYTE, from, tag, comm,
                         &request));
        wait_in_some_way(&thread->loops, 1, &request, &status);
    }
    CHECK(in->number == 9 && in->source == ring.from);
    check(thread, in, &status);
    free(in);
    free(out);
}

/* What a second thread waits for or completes. */
typedef struct {
    Random random;
    MPI_Request request;
    MPI_Status status;
} Other;

static void *wait_elsewhere(void *argument)
{
    Other *other = argument;
    wait_in_some_way(&other->random, 1, &other->request, &other->status);
    return NULL;
}

/* A request that another thread waits for, which begins and ends meanwhile. */
static void handed_over(Thread *thread)
{
    Ring ring = ring_of(thread);
    int words = some_words(&thread->common);
    Message *in = empty(words), *out = full(thread, 11, words);
    Other other = {.random = {next(&thread->own)}};
    MPI_Request send;
    pthread_t waiter;
    irecv(in, words, ring.from, tag_of(thread, 0), MPI_COMM_WORLD, &other.request);
    CHECK(pthread_create(&waiter, NULL, wait_elsewhere, &other) == 0);
    isend(thread, out, ring.to, tag_of(thread, 0), MPI_COMM_WORLD, &send);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK(pthread_join(waiter, NULL) == 0);
    check(thread, in, &other.status);
    free(in);
    free(out);
}

static int say(void *extra, MPI_Status *status)
{
    status->MPI_SOURCE = *(int *)extra;
    status->MPI_TAG = MPI_UNDEFINED;
    OK(MPI_Status_set_cancelled(status, 0));
    OK(MPI_Status_set_elements(status, MPI_INT, 0));
    return MPI_SUCCESS;
}

static int gone(void *extra)
{
    *(int *)extra = -1;
    return MPI_SUCCESS;
}

static int give_up(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void *complete_elsewhere(void *argument)
{
    OK(MPI_Grequest_complete(((Other *)argument)->request));
    return NULL;
}

/* A generalized request that another thread completes, among messages. */
static void generalized(Thread *thread)
{
    Ring ring = ring_of(thread);
    int state = 42, words = some_words(&thread->common);
    Message *in = empty(words), *out = full(thread, 13, words);
    MPI_Request requests[3];
    MPI_Status statuses[3];
    pthread_t completer;
    irecv(in, words, ring.from, tag_of(thread, 0), MPI_COMM_WORLD, &requests[0]);
    OK(MPI_Grequest_start(say, gone, give_up, &state, &requests[1]));
    Other other = {.request = requests[1]};
    CHECK(pthread_create(&completer, NULL, complete_elsewhere, &other) == 0);
    isend(thread, out, ring.to, tag_of(thread, 0), MPI_COMM_WORLD, &requests[2]);
    wait_in_some_way(&thread->loops, 3, requests, statuses);
    CHECK(pthread_join(completer, NULL) == 0);
    CHECK(statuses[1].MPI_SOURCE == 42 && state == -1);
    check(thread, in, &statuses[0]);
    free(in);
    free(out);
}

/* Messages that any thread of the receiver takes. They are waited for when all have been sent. */
static void into_the_bag(Thread *thread)
{
    enum { WORDS = 800 };
    int count = 1 + below(&thread->common, 4);
    for (int i = 0; i < count && thread->bagged + 2 <= 2 * BAG; i++) {
        int place = thread->bagged;
        MPI_Request *requests = &thread->bag_requests[place];
        Message **messages = &thread->bag_messages[place];
        messages[0] = empty(WORDS);
        irecv(messages[0], WORDS, MPI_ANY_SOURCE, MPI_ANY_TAG, bag, &requests[0]);
        messages[1] = full(thread, i, below(&thread->own, WORDS));
        isend(thread, messages[1], (rank + 1) % size, below(&thread->own, 1000), bag, &requests[1]);
        thread->bagged += 2;
    }
}

static void empty_the_bag(Thread *thread)
{
    MPI_Status statuses[2 * BAG];
    wait_in_some_way(&thread->loops, thread->bagged, thread->bag_requests, statuses);
    for (int i = 0; i < thread->bagged; i++) {
        if (i % 2 == 0) check(thread, thread->bag_messages[i], &statuses[i]);
        free(thread->bag_messages[i]);
    }
    thread->bagged = 0;
}

/* The same with matched probes: several threads look for any message at once. */
static void probed_by_all(Thread *thread)
{
    Message *out[BURST];
    MPI_Request requests[BURST];
    MPI_Status statuses[BURST], status;
    for (int i = 0; i < BURST; i++) {
        out[i] = full(thread, i, some_words(&thread->own));
        isend(thread, out[i], (rank + 1) % size, i, probed, &requests[i]);
    }
    for (int i = 0; i < BURST; i++) {
        Message *in =
            probed_message(&thread->loops, MPI_ANY_SOURCE, MPI_ANY_TAG, probed, true, &status);
        check(thread, in, &status);
        free(in);
    }
    wait_in_some_way(&thread->loops, BURST, requests, statuses);
    for (int i = 0; i < BURST; i++) free(out[i]);
}

static const struct {
    const char *what;
    void (*make)(Thread *);
    int weight;
} STEP_KINDS[] = {
    {"mixed tags", mixed_tags, 6},     {"wildcards", wildcards, 4},
    {"probes", probes, 4},             {"cancels", cancels, 3},
    {"persistent", persistent, 2},     {"communicators", communicators, 2},
    {"collectives", collectives, 2},   {"both", both, 3},
    {"handed over", handed_over, 1},   {"generalized", generalized, 1},
    {"into the bag", into_the_bag, 3},
};

enum { KINDS = sizeof STEP_KINDS / sizeof *STEP_KINDS };

/* --- Rounds */

static void *run(void *argument)
{
    Thread *thread = argument;
    int total = 0;
    for (int i = 0; i < KINDS; i++) total += STEP_KINDS[i].weight;
    for (thread->step = 0; thread->step < STEPS; thread->step++) {
        int kind = 0, left = below(&thread->common, total);
        while (left >= STEP_KINDS[kind].weight) left -= STEP_KINDS[kind++].weight;
        at[thread->id].step = thread->step;
        at[thread->id].what = STEP_KINDS[kind].what;
        STEP_KINDS[kind].make(thread);
    }
    at[thread->id].what = "probed by all";
    probed_by_all(thread);
    at[thread->id].what = "emptying the bag";
    empty_the_bag(thread);
    at[thread->id].what = "nothing";
    return NULL;
}

/* A round takes too long: says where, and dies. */
static void hangs(int signal)
{
    (void)signal;
    for (int i = 0; i < threads; i++)
        fprintf(stderr, "stress: rank %d thread %d hangs in step %d, %s\n", rank, i, at[i].step,
                at[i].what);
    abort();
}

int main(int argc, char **argv)
{
    const char *length = argc > 1 ? argv[1] : "1";
    bool timed = strchr(length, 's') != NULL;
    int limit = atoi(length), provided = -1, rounds = 0, more = 1;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    if (argc > 3) threads = atoi(argv[3]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE && threads > 0 && threads <= MAX_THREADS && limit > 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (seed == 0) seed = (uint64_t)time(NULL);
    OK(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    if (rank == 0) {
        printf("seed %llu, ", (unsigned long long)seed);
        fflush(stdout);
    }
    signal(SIGALRM, hangs);
    for (int i = 0; i < threads; i++) OK(MPI_Comm_dup(MPI_COMM_WORLD, &own_comms[i]));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &bag));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &probed));

    static Thread all[MAX_THREADS];
    pthread_t handles[MAX_THREADS];
    double begin = MPI_Wtime();
    for (; more; rounds++) {
        alarm(PATIENCE);
        for (int i = 0; i < threads; i++) {
            Random common = {seed + (uint64_t)rounds * 1000003u + (uint64_t)i};
            all[i].id = i;
            all[i].comm = own_comms[i];
            all[i].own = (Random){next(&common) + (uint64_t)rank};
            all[i].loops = (Random){next(&common) + (uint64_t)rank};
            all[i].common = common;
            CHECK(pthread_create(&handles[i], NULL, run, &all[i]) == 0);
        }
        for (int i = 0; i < threads; i++) CHECK(pthread_join(handles[i], NULL) == 0);
        more = timed ? MPI_Wtime() - begin < limit : rounds + 1 < limit;
        OK(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
    alarm(PATIENCE);
    uint64_t own[3] = {0, 0, 0}, sums[3];
    for (int i = 0; i < threads; i++) {
        own[0] += all[i].sent;
        own[1] += all[i].received;
        own[2] += all[i].messages;
    }
    OK(MPI_Allreduce(own, sums, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sums[0] == sums[1]);
    for (int i = 0; i < threads; i++) OK(MPI_Comm_free(&own_comms[i]));
    OK(MPI_Comm_free(&bag));
    OK(MPI_Comm_free(&probed));
    if (rank == 0)
        printf("%d rounds, %llu messages, sum %016llx\n", rounds, (unsigned long long)sums[2],
               (unsigned long long)sums[0]);
    MPI_Finalize();
    return 0;
}
