/* How many active messages the epochs of two processes take (Zhao 2012, chapter 3): with the strategy that argument
   1 names, lazy, eager or adaptive, where the adaptive one holds THRESHOLD operations back and learns nothing. A packet
   has PACKET bytes.

   What is counted are the packets of osc_rdma that a process sends to another one: operations, what they fetch, lock
   requests and grants, posts, ends of epochs, and acknowledgements. Not counted are collective operations, of which
   fences are made: a barrier for each fence that opens an epoch eagerly, and a reduce-scatter, or a barrier, or both
   for each one that ends an epoch; nor are the messages of this program. */
#include <stdbool.h>

#include "counters.h"

enum { THRESHOLD = 8, MOST = 3 * THRESHOLD, PACKET = 1024, HEADER = 56 };

static enum { LAZY, EAGER, ADAPTIVE } strategy;
static int rank, size;
static MPI_Win win;
static long *base;
/* Those that osc_rdma has sent. */
static MPI_T_pvar_handle messages;
static unsigned long begun;

/* Makes progress until this process has sent so many messages since the measurement has begun: then its operations
   are out, as they are when a program computes for long enough. */
static void until_sent(unsigned long number)
{
    int flag;
    while (counted(messages) - begun < number)
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(counted(messages) - begun == number);
}

static void begin_measurement(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    begun = counted(messages);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Both processes have sent so many messages since the measurement has begun; or one more with the eager strategy, if
   operations `may_be_out` before the call that would have travelled with the last one: it asks or tells on its own
   then. They are if the target's answer has come when another operation starts. */
static void end_measurement_of(const char *what, unsigned long count, unsigned long expected, bool may_be_out)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    unsigned long own = counted(messages) - begun, both;
    OK(MPI_Allreduce(&own, &both, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD));
    bool right = both == expected || (may_be_out && strategy == EAGER && both == expected + 1);
    if (!right && rank == 0)
        fprintf(stderr, "%s, %lu operations: %lu messages instead of %lu\n", what, count, both, expected);
    CHECK(right);
}

static void end_measurement(const char *what, unsigned long count, unsigned long expected)
{
    end_measurement_of(what, count, expected, false);
}

/* An operation, whose data fits into a packet. */
typedef void operation(int target, int n);

static long data[MOST + 1], result[MOST + 1];
static const long zero;

static void put(int target, int n) { OK(MPI_Put(data + n, 1, MPI_LONG, target, n, 1, MPI_LONG, win)); }

static void get(int target, int n) { OK(MPI_Get(result + n, 1, MPI_LONG, target, n, 1, MPI_LONG, win)); }

static void accumulate(int target, int n)
{
    OK(MPI_Accumulate(data + n, 1, MPI_LONG, target, n, 1, MPI_LONG, MPI_SUM, win));
}

static void get_accumulate(int target, int n)
{
    OK(MPI_Get_accumulate(data + n, 1, MPI_LONG, result + n, 1, MPI_LONG, target, n, 1, MPI_LONG, MPI_SUM, win));
}

static void fetch_and_op(int target, int n)
{
    OK(MPI_Fetch_and_op(data + n, result + n, MPI_LONG, target, n, MPI_SUM, win));
}

static void compare_and_swap(int target, int n)
{
    OK(MPI_Compare_and_swap(data + n, &zero, result + n, MPI_LONG, target, n, win));
}

/* The target's type is not predefined. The thesis sends such an operation apart from the lock request; here what
   describes the type travels with it. */
static MPI_Datatype every_other;

static void put_with_gaps(int target, int n)
{
    OK(MPI_Put(data + n, 2, MPI_LONG, target, n, 1, every_other, win));
}

static void get_with_gaps(int target, int n)
{
    OK(MPI_Get(result + n, 2, MPI_LONG, target, n, 1, every_other, win));
}

static const struct {
    const char *name;
    operation *run;
    bool fetches;
} operations[] = {
    { "put", put, false },
    { "accumulate", accumulate, false },
    { "put with gaps", put_with_gaps, false },
    { "get", get, true },
    { "get_accumulate", get_accumulate, true },
    { "fetch_and_op", fetch_and_op, true },
    { "compare_and_swap", compare_and_swap, true },
    { "get with gaps", get_with_gaps, true },
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Numbers of operations: one, few, those around the threshold, and many. */
static const int counts[] = { 1, 2, 3, THRESHOLD - 1, THRESHOLD, THRESHOLD + 1, MOST };
enum { COUNTS = sizeof counts / sizeof *counts };

static void run(int o, int m, int target)
{
    for (int n = 0; n < m; n++) operations[o].run(target, n);
}

/* Formulas 3.1a to 3.1d: a lock epoch of m operations. `out` says that they are out before the unlock. */
static unsigned long lock_epoch(bool fetches, unsigned long m, bool out)
{
    if (m == 1 && strategy != EAGER)
        return 2; /* 3.1a: lock_req+data and ack, or lock_req+get_req and data */
    /* 3.1c: lock_req, lock_reply, m data, ack; or lock_req, lock_reply, m get_req, m data */
    unsigned long messages = fetches ? 2 + 2 * m : 3 + m;
    /* 3.1d, and 3.1b for one: last_msg besides. The thesis has it always; here the last operation says the end
       where the lock was not granted before the unlock. */
    return messages + (strategy == EAGER && out);
}

static void lock_epochs(int o, int m, int kind)
{
    bool fetches = operations[o].fetches;
    for (int out = 0; out <= (strategy == EAGER); out++) {
        begin_measurement();
        if (rank == 0) {
            OK(MPI_Win_lock(kind, 1, 0, win));
            run(o, m, 1);
            /* The lock request and the operations. */
            if (out) until_sent(1 + m);
            OK(MPI_Win_unlock(1, win));
        }
        end_measurement_of(operations[o].name, m, lock_epoch(fetches, m, out), !out);
    }
    if (strategy != ADAPTIVE)
        return;
    /* Those that go out before the end do not make a message more. */
    begin_measurement();
    if (rank == 0) {
        OK(MPI_Win_lock(kind, 1, 0, win));
        run(o, m, 1);
        if (m > 1) until_sent(m < THRESHOLD ? 1 : m);
        OK(MPI_Win_unlock(1, win));
    }
    end_measurement(operations[o].name, m, lock_epoch(fetches, m, true));
}

/* All locks at once, of which only that of a process with operations is asked for. */
static void lock_all_epochs(int o, int m)
{
    begin_measurement();
    if (rank == 0) {
        OK(MPI_Win_lock_all(0, win));
        run(o, m, 1);
        OK(MPI_Win_unlock_all(win));
    }
    end_measurement_of("lock_all", m, lock_epoch(operations[o].fetches, m, false), true);
}

/* What the formulas do not have. */
static void other_lock_epochs(void)
{
    begin_measurement();
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
        OK(MPI_Win_unlock(1, win));
    }
    /* Without an operation nothing has to be locked, but the lock may have been asked for: lock_req, lock_reply,
       last_msg. */
    end_measurement("lock", 0, strategy == EAGER ? 3 : 0);

    begin_measurement();
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, win));
        run(0, THRESHOLD / 2, 1);
        if (strategy == EAGER) until_sent(THRESHOLD / 2);
        OK(MPI_Win_unlock(1, win));
    }
    /* No lock, but an ack, which has to be asked for if no operation asks for it. */
    end_measurement("lock without check", THRESHOLD / 2, THRESHOLD / 2 + 1 + (strategy == EAGER));

    begin_measurement();
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
        run(0, 2, 1);
        OK(MPI_Win_flush(1, win));
        OK(MPI_Win_unlock(1, win));
    }
    /* lock_req, lock_reply, data, which asks for an ack in the end, ack, last_msg */
    end_measurement_of("flush", 2, 6, true);

    /* One that is no short one goes in several packets, each of which is a message. */
    enum { PARTS = 3, LENGTH = PARTS * (PACKET - HEADER) / sizeof(long) };
    static long many[LENGTH];
    begin_measurement();
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
        OK(MPI_Put(many, LENGTH, MPI_LONG, 1, 0, LENGTH, MPI_LONG, win));
        if (strategy == EAGER) until_sent(1 + PARTS);
        OK(MPI_Win_unlock(1, win));
    }
    end_measurement("long put", 1, 3 + PARTS + (strategy == EAGER));

    /* The own memory takes none. */
    begin_measurement();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    run(0, 3, rank);
    OK(MPI_Win_unlock(rank, win));
    end_measurement("own memory", 3, 0);
}

/* Section 3.1.2: a post, the operations, and if no operation is left for it a message that tells of the end. */
static void started_epochs(int o, int m)
{
    begin_measurement();
    MPI_Group world, other;
    int peer = 1 - rank;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &peer, &other));
    if (rank == 0) {
        OK(MPI_Win_start(other, 0, win));
        run(o, m, 1);
        /* All of them go out, or all but the last one. */
        if (strategy == EAGER) until_sent(m);
        if (strategy == ADAPTIVE && m >= THRESHOLD) until_sent(m - 1);
        OK(MPI_Win_complete(win));
    } else {
        OK(MPI_Win_post(other, 0, win));
        OK(MPI_Win_wait(win));
    }
    unsigned long messages = 1 + (operations[o].fetches ? 2 * m : m);
    end_measurement("start", m, messages + (m == 0 || strategy == EAGER));
    OK(MPI_Group_free(&other));
    OK(MPI_Group_free(&world));
}

/* Section 3.1.1. Rank 0 has m operations and rank 1 one. Where all operations wait for the second fence the sum of its
   reduce-scatter says how many processes come, and no operation is acknowledged. If one has gone out before, each
   process learns that all its operations are done, for which it asks with the last one of them or, if that is out, by
   a message of its own; what was fetched is done anyway. (The thesis says "after all one-sided operations have been
   completed", and not by which messages.) */
static void fences(int o, int m)
{
    bool fetches = operations[o].fetches;
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    begin_measurement();
    run(o, rank == 0 ? m : 1, 1 - rank);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    unsigned long messages = fetches ? 2 * (m + 1) : m + 1, processes = 2;
    bool early = strategy == EAGER || (strategy == ADAPTIVE && m >= THRESHOLD);
    if (early && !fetches)
        messages += (strategy == EAGER ? 2 : 1) * processes;
    end_measurement("fence", m + 1, messages);

    /* Without an operation there is nothing to tell. */
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    begin_measurement();
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    end_measurement("fence", 0, 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    strategy = strcmp(argv[1], "lazy") == 0 ? LAZY : strcmp(argv[1], "eager") == 0 ? EAGER : ADAPTIVE;
    begin(&rank, &size);
    CHECK(size == 2);
    OK(MPI_Win_allocate(PACKET * 8, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &every_other));
    MPI_Datatype pairs;
    OK(MPI_Type_contiguous(2, every_other, &pairs));
    OK(MPI_Type_free(&every_other));
    every_other = pairs;
    OK(MPI_Type_commit(&every_other));
    begin_counting(MPI_THREAD_SINGLE);
    messages = started_counter("osc_rdma_messages");
    for (int o = 0; o < OPERATIONS; o++)
        for (int c = 0; c < COUNTS; c++) {
            lock_epochs(o, counts[c], c % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE);
            lock_all_epochs(o, counts[c]);
            started_epochs(o, counts[c]);
            fences(o, counts[c]);
        }
    other_lock_epochs();
    started_epochs(0, 0);
    end_counting();
    OK(MPI_Type_free(&every_other));
    OK(MPI_Win_free(&win));
    MPI_Finalize();
    return 0;
}
