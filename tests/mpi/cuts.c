/* Partitioned communication whose two sides cut their buffers differently (MPI 5.0, section 4.2): as long
   as both have the same data, it arrives, each partition as soon as its bytes are there. Beyond the
   standard, sides of different lengths end like messages that do not fit. */
#include <limits.h>
#include <pthread.h>

#include "check.h"

static int rank, size, next, previous;

static unsigned seed = 1;

static unsigned chance(unsigned below)
{
    seed = seed * 1103515245u + 12345u;
    return seed / 65536u % below;
}

/* The bytes of a sender: others in each round. */
static unsigned char byte_of(int sender, int round, size_t place)
{
    return (unsigned char)(place * 7 + place / 251 + (size_t)(sender * 31 + round * 17));
}

static void fill(unsigned char *out, size_t bytes, int round)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = byte_of(rank, round, i);
}

static int is_there(const unsigned char *in, size_t from, size_t to, int round)
{
    for (size_t i = from; i < to; i++)
        if (in[i] != byte_of(previous, round, i))
            return 0;
    return 1;
}

static void arrives(MPI_Request request, int partition)
{
    for (int flag = 0; !flag;)
        OK(MPI_Parrived(request, partition, &flag));
}

/* One side: so many partitions of so many elements of a type of so many bytes. */
struct side { int partitions; Count count; MPI_Datatype type; int bytes; };

static size_t bytes_of(struct side side)
{
    return (size_t)side.partitions * (size_t)side.count * (size_t)side.bytes;
}

/* The partitions in any order. */
static void shuffle(int *order, int number)
{
    for (int i = 0; i < number; i++) {
        int other = (int)chance((unsigned)i + 1);
        order[i] = order[other], order[other] = i;
    }
}

/* Sides of equal length, several rounds. */
static void equal(struct side sender, struct side receiver, MPI_Comm comm, int rounds)
{
    const size_t bytes = bytes_of(sender);
    unsigned char *out = malloc(bytes + 1), *in = malloc(bytes + 1);
    int *order = malloc((size_t)sender.partitions * sizeof *order + 1);
    MPI_Request requests[2];
    MPI_Status status;
    CHECK(out && in && order && bytes == bytes_of(receiver));
    /* Either side may be made first. */
    for (int side = 0; side < 2; side++) {
        if ((side ^ rank) & 1)
            OK(MPI_Precv_init(in, receiver.partitions, receiver.count, receiver.type, previous, 3,
                              comm, MPI_INFO_NULL, &requests[1]));
        else
            OK(MPI_Psend_init(out, sender.partitions, sender.count, sender.type, next, 3, comm,
                              MPI_INFO_NULL, &requests[0]));
    }
    for (int round = 0; round < rounds; round++) {
        Count got = -1;
        fill(out, bytes, round);
        memset(in, 0xee, bytes + 1);
        shuffle(order, sender.partitions);
        OK(MPI_Startall(2, requests));
        for (int n = 0; n < sender.partitions; n++)
            OK(MPI_Pready(order[n], requests[0]));
        if (round & 1)
            for (int n = 0; n < receiver.partitions; n++) {
                size_t each = bytes / (size_t)receiver.partitions;
                int partition = (n * 7 + round) % receiver.partitions;
                arrives(requests[1], partition);
                CHECK(is_there(in, each * (size_t)partition, each * (size_t)(partition + 1), round));
            }
        OK(MPI_Wait(&requests[1], &status));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        CHECK(is_there(in, 0, bytes, round) && in[bytes] == 0xee);
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 3);
        OK(MPI_Get_count(&status, MPI_BYTE, &got));
        CHECK((size_t)got == bytes);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    free(out), free(in), free(order);
}

static void equal_lengths(MPI_Comm comm)
{
    static const int numbers[] = { 0, 1, 2, 6, 12, 60, 420, 65530, 131060 };
    for (int n = 0; n < 9; n++)
        for (int p = 1; p <= 64; p++)
            for (int q = 1; q <= 64; q++) {
                const int ints = numbers[n];
                if (ints % p || ints % q)
                    continue;
                /* The large ones take longer. */
                if (ints > 420 && p > 2 && q > 2 && p != q)
                    continue;
                if (ints == 0 && (p > 3 || q > 3))
                    continue;
                struct side sender = { p, ints / p, MPI_INT, 4 };
                struct side receiver = { q, ints / q, MPI_INT, 4 };
                equal(sender, receiver, comm, ints > 420 ? 2 : 3);
            }
    /* Borders within elements. */
    static const struct side sides[] = {
        { 10, 36, MPI_BYTE, 1 }, { 18, 5, MPI_INT, 4 }, { 9, 5, MPI_DOUBLE, 8 },
        { 5, 9, MPI_DOUBLE, 8 }, { 360, 1, MPI_BYTE, 1 }, { 8, 45, MPI_CHAR, 1 },
        { 1, 90, MPI_FLOAT, 4 }, { 15, 3, MPI_INT64_T, 8 },
    };
    for (int p = 0; p < 8; p++)
        for (int q = 0; q < 8; q++)
            equal(sides[p], sides[q], comm, 3);
    /* Without partitions, and without elements. */
    static const struct side nothing[] = {
        { 0, 5, MPI_INT, 4 }, { 0, 0, MPI_INT, 4 }, { 1, 0, MPI_INT, 4 }, { 7, 0, MPI_BYTE, 1 },
    };
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            equal(nothing[p], nothing[q], comm, 3);
}

/* Pairs with padding: their bytes are not where they are in packed data. */
struct pair { double value; int index; };

static void pairs(MPI_Comm comm)
{
    enum { N = 30 };
    struct pair out[N] = { { 0, 0 } }, in[N];
    MPI_Request requests[2];
    static const int cuts[] = { 1, 2, 3, 5, 6, 10, 15, 30 };
    for (int p = 0; p < 8; p++)
        for (int q = 0; q < 8; q++)
            for (int split = 0; split < 2; split++) {
                const int mine = cuts[p], theirs = cuts[q];
                /* Twelve bytes each: bytes cut in the middle of a pair. */
                char packed[12 * N];
                Count each = split ? 4 * 3 * N / (Count)(mine * 4) : N / (Count)mine;
                for (int i = 0; i < N; i++) {
                    double value = rank + i / 8.0;
                    out[i].value = value, out[i].index = 100 * rank + i;
                    memcpy(packed + 12 * i, &value, 8);
                    memcpy(packed + 12 * i + 8, &out[i].index, 4);
                    in[i].value = -1, in[i].index = -1;
                }
                if (split)
                    OK(MPI_Psend_init(packed, mine * 4, 3 * N / mine, MPI_BYTE, next, 4, comm,
                                      MPI_INFO_NULL, &requests[0]));
                else
                    OK(MPI_Psend_init(out, mine, each, MPI_DOUBLE_INT, next, 4, comm, MPI_INFO_NULL,
                                      &requests[0]));
                OK(MPI_Precv_init(in, theirs, N / (Count)theirs, MPI_DOUBLE_INT, previous, 4, comm,
                                  MPI_INFO_NULL, &requests[1]));
                for (int round = 0; round < 3; round++) {
                    OK(MPI_Startall(2, requests));
                    OK(MPI_Pready_range(0, (split ? 4 * mine : mine) - 1, requests[0]));
                    for (int n = 0; round && n < theirs; n++) {
                        const int first = n * N / theirs;
                        arrives(requests[1], n);
                        CHECK(in[first].index == 100 * previous + first);
                    }
                    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
                    for (int i = 0; i < N; i++) {
                        CHECK(in[i].value == previous + i / 8.0 && in[i].index == 100 * previous + i);
                        in[i].value = -1, in[i].index = -1;
                    }
                }
                OK(MPI_Request_free(&requests[0]));
                OK(MPI_Request_free(&requests[1]));
            }
}

/* A partition is there before the others are ready: each of the sender's that it needs was sent. */
static void one_by_one(struct side sender, struct side receiver, MPI_Comm comm)
{
    const size_t bytes = bytes_of(sender), each = bytes / (size_t)receiver.partitions;
    const size_t part = bytes / (size_t)sender.partitions;
    unsigned char *out = malloc(bytes), *in = malloc(bytes);
    MPI_Request requests[2];
    int flag;
    OK(MPI_Psend_init(out, sender.partitions, sender.count, sender.type, next, 6, comm,
                      MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, receiver.partitions, receiver.count, receiver.type, previous, 6, comm,
                      MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 2; round++) {
        int sent = 0;
        fill(out, bytes, round);
        OK(MPI_Startall(2, requests));
        for (int n = 0; n < receiver.partitions; n++) {
            const size_t from = each * (size_t)n, to = from + each;
            while (part * (size_t)sent < to)
                OK(MPI_Pready(sent++, requests[0]));
            arrives(requests[1], n);
            CHECK(is_there(in, from, to, round));
            /* The rest of the last one is not there. */
            if (part * (size_t)sent < bytes) {
                OK(MPI_Parrived(requests[1], receiver.partitions - 1, &flag));
                CHECK(!flag);
            }
            OK(MPI_Barrier(comm));
        }
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    free(out), free(in);
}

static void pair_by_pair(MPI_Comm comm)
{
    enum { N = 8 };
    struct pair in[N];
    char packed[12 * N] = { 0 };
    MPI_Request requests[2];
    OK(MPI_Psend_init(packed, 2 * N, 6, MPI_BYTE, next, 6, comm, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, N, 1, MPI_DOUBLE_INT, previous, 6, comm, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 3; round++) {
        memset(in, 0, sizeof in);
        for (int i = 0; i < N; i++) {
            double value = rank + round;
            int index = 1000 * round + i;
            memcpy(packed + 12 * i, &value, 8);
            memcpy(packed + 12 * i + 8, &index, 4);
        }
        OK(MPI_Startall(2, requests));
        for (int i = N - 1; i >= 0; i--) {
            OK(MPI_Pready(2 * i, requests[0]));
            OK(MPI_Pready(2 * i + 1, requests[0]));
            arrives(requests[1], i);
            CHECK(in[i].value == previous + round && in[i].index == 1000 * round + i);
            OK(MPI_Barrier(comm));
        }
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* Sides of different lengths: both end, and the receiver gets what fits. */
static void different(struct side sender, struct side receiver, MPI_Comm comm)
{
    const size_t sent = bytes_of(sender), room = bytes_of(receiver), both = sent < room ? sent : room;
    unsigned char *out = malloc(sent + 1), *in = malloc(room + 1);
    MPI_Request requests[2];
    MPI_Status status;
    Count got;
    int code;
    OK(MPI_Psend_init(out, sender.partitions, sender.count, sender.type, next, 5, comm,
                      MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, receiver.partitions, receiver.count, receiver.type, previous, 5, comm,
                      MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 3; round++) {
        fill(out, sent, round);
        memset(in, 0xee, room + 1);
        OK(MPI_Startall(2, requests));
        OK(MPI_Pready_range(0, sender.partitions - 1, requests[0]));
        if (round == 2)
            for (int n = 0; n < receiver.partitions; n++)
                arrives(requests[1], n);
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        code = MPI_Wait(&requests[1], &status);
        CHECK(class_of(code) == (sent > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
        CHECK(is_there(in, 0, both, round));
        for (size_t i = both; i <= room; i++)
            CHECK(in[i] == 0xee);
        OK(MPI_Get_count(&status, MPI_BYTE, &got));
        CHECK((size_t)got == both && status.MPI_SOURCE == previous && status.MPI_TAG == 5);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    free(out), free(in);
}

static void different_lengths(MPI_Comm comm)
{
    static const struct side sides[] = {
        { 1, 1, MPI_BYTE, 1 }, { 4, 1, MPI_INT, 4 }, { 3, 5, MPI_BYTE, 1 }, { 0, 1, MPI_INT, 4 },
        { 2, 500, MPI_INT, 4 }, { 7, 1000, MPI_INT, 4 }, { 1, 70000, MPI_INT, 4 },
        { 5, 30001, MPI_INT, 4 }, { 1000, 3, MPI_DOUBLE, 8 }, { 3, 0, MPI_INT, 4 },
        { 2, 1 << 18, MPI_BYTE, 1 },
    };
    for (int p = 0; p < 11; p++)
        for (int q = 0; q < 11; q++)
            different(sides[p], sides[q], comm);
    /* Pairs, of which half a one comes. */
    struct pair in[3];
    unsigned char out[3][10];
    for (int cut = 0; cut < 2; cut++) {
        MPI_Request requests[2];
        MPI_Status status;
        Count got;
        memset(in, 0xee, sizeof in);
        for (int i = 0; i < 30; i++)
            out[i / 10][i % 10] = (unsigned char)(i + rank);
        OK(MPI_Psend_init(out, 3, cut ? 10 : 6, MPI_BYTE, next, 5, comm, MPI_INFO_NULL, &requests[0]));
        OK(MPI_Precv_init(in, 3, 1, MPI_DOUBLE_INT, previous, 5, comm, MPI_INFO_NULL, &requests[1]));
        OK(MPI_Startall(2, requests));
        OK(MPI_Pready_range(0, 2, requests[0]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        OK(MPI_Start(&requests[0]));
        OK(MPI_Start(&requests[1]));
        OK(MPI_Pready_range(0, 2, requests[0]));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&requests[1], &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &got));
        CHECK(got == (cut ? 30 : 18));
        for (int i = 0; i < (cut ? 30 : 18); i++) {
            const unsigned char *bytes = (const unsigned char *)in;
            CHECK(bytes[i / 12 * sizeof *in + (size_t)i % 12] == (unsigned char)(i + previous));
        }
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Request_free(&requests[1]));
    }
}

/* Several pairs with few tags: who was made first finds who was made first, and lengths tell them apart. */
static void many_pairs(MPI_Comm comm)
{
    enum { MANY = 40 };
    unsigned char *out[MANY], *in[MANY];
    MPI_Request sends[MANY], receives[MANY];
    for (int n = 0; n < MANY; n++) {
        const int bytes = 6 * (n + 1), tag = n % 3;
        out[n] = malloc((size_t)bytes), in[n] = malloc((size_t)bytes);
        OK(MPI_Psend_init(out[n], n % 2 ? 2 : 3, bytes / (n % 2 ? 2 : 3), MPI_BYTE, next, tag, comm,
                          MPI_INFO_NULL, &sends[n]));
    }
    /* The receives of each tag are in the order of the sends; the tags are not. */
    for (int tag = 2; tag >= 0; tag--)
        for (int n = tag; n < MANY; n += 3)
            OK(MPI_Precv_init(in[n], 6, n + 1, MPI_BYTE, previous, tag, comm, MPI_INFO_NULL,
                              &receives[n]));
    for (int round = 0; round < 5; round++) {
        for (int n = 0; n < MANY; n++) {
            fill(out[n], (size_t)(6 * (n + 1)), round + n);
            memset(in[n], 0xee, (size_t)(6 * (n + 1)));
        }
        if (round & 1)
            OK(MPI_Startall(MANY, receives));
        OK(MPI_Startall(MANY, sends));
        for (int n = MANY - 1; n >= 0; n--)
            OK(MPI_Pready_range(0, n % 2 ? 1 : 2, sends[n]));
        if (!(round & 1))
            OK(MPI_Startall(MANY, receives));
        OK(MPI_Waitall(MANY, receives, MPI_STATUSES_IGNORE));
        OK(MPI_Waitall(MANY, sends, MPI_STATUSES_IGNORE));
        for (int n = 0; n < MANY; n++)
            CHECK(is_there(in[n], 0, (size_t)(6 * (n + 1)), round + n));
    }
    for (int n = 0; n < MANY; n++) {
        OK(MPI_Request_free(&sends[n]));
        OK(MPI_Request_free(&receives[n]));
        free(out[n]), free(in[n]);
    }
}

/* A sender may be many rounds ahead of its receiver. */
static void ahead(MPI_Comm comm)
{
    enum { ROUNDS = 200 };
    int out[4] = { 0 }, in[4] = { 0 };
    MPI_Request send, receive;
    OK(MPI_Psend_init(out, 4, 1, MPI_INT, next, 7, comm, MPI_INFO_NULL, &send));
    OK(MPI_Precv_init(in, 2, 2, MPI_INT, previous, 7, comm, MPI_INFO_NULL, &receive));
    for (int round = 0, seen = 0; seen < ROUNDS;) {
        if (round < ROUNDS && (chance(3) || round == seen)) {
            OK(MPI_Start(&send));
            for (int n = 0; n < 4; n++)
                out[n] = 4 * round + n + 100000 * rank;
            OK(MPI_Pready_range(0, 3, send));
            round++;
            int flag = 0;
            /* It may have to wait for the receiver. */
            while (!flag) {
                OK(MPI_Test(&send, &flag, MPI_STATUS_IGNORE));
                if (flag || seen == round)
                    continue;
                OK(MPI_Start(&receive));
                OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
                for (int n = 0; n < 4; n++)
                    CHECK(in[n] == 4 * seen + n + 100000 * previous);
                seen++;
            }
        } else {
            OK(MPI_Start(&receive));
            OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
            for (int n = 0; n < 4; n++)
                CHECK(in[n] == 4 * seen + n + 100000 * previous);
            seen++;
        }
    }
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&receive));
}

/* Threads that make partitions ready and look for them. */
enum { THREADS = 4, PARTS = 48, EACH = 100 };
static MPI_Request shared_send, shared_receive;
static int parts_out[PARTS * EACH], parts_in[PARTS * EACH], the_round;

static void *contribute(void *number)
{
    for (int p = *(int *)number; p < PARTS; p += THREADS)
        OK(MPI_Pready((p * 7) % PARTS, shared_send));
    for (int p = *(int *)number; p < PARTS / 2; p += THREADS) {
        arrives(shared_receive, p);
        for (int i = 2 * EACH * p; i < 2 * EACH * (p + 1); i++)
            CHECK(parts_in[i] == previous * 1000000 + the_round * 10000 + i);
    }
    return NULL;
}

static void share(MPI_Comm comm)
{
    static int numbers[THREADS] = { 0, 1, 2, 3 };
    pthread_t ids[THREADS];
    OK(MPI_Psend_init(parts_out, PARTS, EACH, MPI_INT, next, 8, comm, MPI_INFO_NULL, &shared_send));
    OK(MPI_Precv_init(parts_in, PARTS / 2, 2 * EACH, MPI_INT, previous, 8, comm, MPI_INFO_NULL,
                      &shared_receive));
    for (the_round = 0; the_round < 3; the_round++) {
        for (int i = 0; i < PARTS * EACH; i++)
            parts_out[i] = rank * 1000000 + the_round * 10000 + i, parts_in[i] = -1;
        OK(MPI_Start(&shared_send));
        OK(MPI_Start(&shared_receive));
        for (int n = 0; n < THREADS; n++)
            CHECK(pthread_create(&ids[n], NULL, contribute, &numbers[n]) == 0);
        for (int n = 0; n < THREADS; n++)
            CHECK(pthread_join(ids[n], NULL) == 0);
        OK(MPI_Wait(&shared_send, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&shared_receive, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&shared_send));
    OK(MPI_Request_free(&shared_receive));
}

static void threads(MPI_Comm comm)
{
    /* In the first round threads learn of the other side while others already look for partitions. */
    for (int n = 0; n < 20 && wanted_level() == MPI_THREAD_MULTIPLE; n++)
        share(comm);
}

/* A thread that sends rounds as fast as it can, and one that receives them. */
enum { MANY_ROUNDS = 2000 };
static MPI_Comm the_comm;

static void *send_rounds(void *unused)
{
    int out[5] = { 0 };
    MPI_Request send;
    OK(MPI_Psend_init(out, 5, 1, MPI_INT, next, 9, the_comm, MPI_INFO_NULL, &send));
    for (int round = 0; round < MANY_ROUNDS; round++) {
        for (int n = 0; n < 5; n++)
            out[n] = 10 * round + n + 1000000 * rank;
        OK(MPI_Start(&send));
        OK(MPI_Pready_range(0, 4, send));
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&send));
    return unused;
}

static void fast_rounds(MPI_Comm comm)
{
    int in[5] = { 0 };
    pthread_t sender;
    MPI_Request receive;
    if (wanted_level() != MPI_THREAD_MULTIPLE)
        return;
    the_comm = comm;
    OK(MPI_Precv_init(in, 1, 5, MPI_INT, previous, 9, comm, MPI_INFO_NULL, &receive));
    CHECK(pthread_create(&sender, NULL, send_rounds, NULL) == 0);
    for (int round = 0; round < MANY_ROUNDS; round++) {
        OK(MPI_Start(&receive));
        OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        for (int n = 0; n < 5; n++)
            CHECK(in[n] == 10 * round + n + 1000000 * previous);
    }
    CHECK(pthread_join(sender, NULL) == 0);
    OK(MPI_Request_free(&receive));
}

/* What is never started or never met stands in no other's way. */
static void unused(void)
{
    for (int round = 0; round < 20; round++) {
        MPI_Comm comm;
        MPI_Request requests[4];
        int value = 0, got = -1;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        /* Nothing is ever sent to the first one. */
        OK(MPI_Precv_init(&got, 1, 1, MPI_INT, previous, 1, comm, MPI_INFO_NULL, &requests[0]));
        OK(MPI_Precv_init(&got, 1, 1, MPI_INT, previous, 2, comm, MPI_INFO_NULL, &requests[1]));
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Psend_init(&value, 1, 1, MPI_INT, next, 2, comm, MPI_INFO_NULL, &requests[2]));
        value = 5 * rank + round;
        OK(MPI_Startall(2, requests + 1));
        OK(MPI_Pready(0, requests[2]));
        OK(MPI_Waitall(2, requests + 1, MPI_STATUSES_IGNORE));
        CHECK(got == 5 * previous + round);
        OK(MPI_Request_free(&requests[1]));
        OK(MPI_Request_free(&requests[2]));
        OK(MPI_Comm_free(&comm));
    }
}

/* Freed receives that were never started keep their places: the first sends are theirs, the last one
   belongs to the last receive. */
static void freed_places(int freed, int sender_first)
{
    for (int round = 0; round < 20; round++) {
        MPI_Comm comm;
        MPI_Request sends[101], receives[101];
        int wrong = -2, value = 7 * rank + round, got = -1;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        for (int half = 0; half < 2; half++) {
            if (half != sender_first) {
                for (int n = 0; n <= freed; n++) {
                    OK(MPI_Precv_init(&got, 1, 1, MPI_INT, previous, 1, comm, MPI_INFO_NULL,
                                      &receives[n]));
                    if (n < freed) OK(MPI_Request_free(&receives[n]));
                }
            } else {
                for (int n = 0; n <= freed; n++) {
                    OK(MPI_Psend_init(n < freed ? &wrong : &value, 1, 1, MPI_INT, next, 1, comm,
                                      MPI_INFO_NULL, &sends[n]));
                    if (n < freed) OK(MPI_Request_free(&sends[n]));
                }
            }
            OK(MPI_Barrier(comm));
        }
        OK(MPI_Start(&receives[freed]));
        OK(MPI_Start(&sends[freed]));
        OK(MPI_Pready(0, sends[freed]));
        OK(MPI_Wait(&sends[freed], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&receives[freed], MPI_STATUS_IGNORE));
        CHECK(got == 7 * previous + round);
        OK(MPI_Request_free(&sends[freed]));
        OK(MPI_Request_free(&receives[freed]));
        OK(MPI_Comm_free(&comm));
    }
}

static void mistakes(void)
{
    char byte;
    MPI_Request request = MPI_REQUEST_NULL;
    if (sizeof(Count) > 4) {
        /* More bytes than there are addresses. */
        Count many = (Count)(LLONG_MAX / 8);
        FAILS(MPI_ERR_COUNT, MPI_Psend_init(&byte, 9, many, MPI_BYTE, next, 1, MPI_COMM_WORLD,
                                            MPI_INFO_NULL, &request));
        FAILS(MPI_ERR_COUNT, MPI_Precv_init(&byte, 9, many, MPI_BYTE, previous, 1, MPI_COMM_WORLD,
                                            MPI_INFO_NULL, &request));
    }
    FAILS(MPI_ERR_ARG, MPI_Psend_init(&byte, -1, 1, MPI_BYTE, next, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                                      &request));
    FAILS(MPI_ERR_RANK, MPI_Precv_init(&byte, 1, 1, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                                       MPI_INFO_NULL, &request));
    FAILS(MPI_ERR_TAG, MPI_Precv_init(&byte, 1, 1, MPI_BYTE, previous, MPI_ANY_TAG, MPI_COMM_WORLD,
                                      MPI_INFO_NULL, &request));
    CHECK(request == MPI_REQUEST_NULL);
}

static void everything(MPI_Comm comm)
{
    static const struct side sides[] = {
        { 12, 7, MPI_INT, 4 }, { 4, 21, MPI_INT, 4 }, { 28, 3, MPI_INT, 4 }, { 48, 7, MPI_BYTE, 1 },
        { 6, 7, MPI_DOUBLE, 8 }, { 1, 84, MPI_INT, 4 },
    };
    equal_lengths(comm);
    pairs(comm);
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
            one_by_one(sides[p], sides[q], comm);
    pair_by_pair(comm);
    different_lengths(comm);
    many_pairs(comm);
    ahead(comm);
    threads(comm);
    fast_rounds(comm);
}

int main(void)
{
    MPI_Comm comm;
    MPI_Info info;
    begin(&rank, &size);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    everything(MPI_COMM_WORLD);
    /* The messages of a request stay apart where those of the program may overtake each other. */
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_allow_overtaking", "true"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    many_pairs(comm);
    ahead(comm);
    threads(comm);
    fast_rounds(comm);
    OK(MPI_Comm_free(&comm));
    unused();
    for (int freed = 1; freed <= 100; freed += 99)
        for (int sender_first = 0; sender_first < 2; sender_first++)
            freed_places(freed, sender_first);
    mistakes();
    OK(MPI_Finalize());
    return 0;
}
