/* Which instances a waiting thread polls where each communicator has its own: that of the operation, and
   all of them only after so many polls of it (argument 1) that did not complete it. Transports have
   CRIS instances. */
#include "counters.h"
#include "threads.h"

#include <stdbool.h>

enum { CRIS = 6, POOLS = 2, OWN = 2, MESSAGES = 300, LARGE = 1 << 20 };

static const char *const pools[POOLS] = { "btl_self", "btl_sm" };
static long misses;
static int rank, size;

/* How often each instance of each transport was polled, and left out because another thread was at it. */
struct counts {
    unsigned long polls[POOLS][CRIS], missed[POOLS][CRIS];
};

static MPI_T_pvar_handle handles[POOLS][CRIS][2];

/* From now on it is counted. */
static void start_counting(void)
{
    static const char *const names[2] = { "polls", "try_misses" };
    begin_counting(MPI_THREAD_MULTIPLE);
    for (int p = 0; p < POOLS; p++)
        for (int c = 0; c < CRIS; c++)
            for (int n = 0; n < 2; n++) {
                char name[64];
                snprintf(name, sizeof name, "%s_cri%d_%s", pools[p], c, names[n]);
                handles[p][c][n] = started_counter(name);
            }
}

static struct counts counts(void)
{
    struct counts now;
    for (int p = 0; p < POOLS; p++)
        for (int c = 0; c < CRIS; c++) {
            now.polls[p][c] = counted(handles[p][c][0]);
            now.missed[p][c] = counted(handles[p][c][1]);
        }
    return now;
}

static struct counts since(struct counts before)
{
    struct counts now = counts();
    for (int p = 0; p < POOLS; p++)
        for (int c = 0; c < CRIS; c++) {
            now.polls[p][c] -= before.polls[p][c];
            now.missed[p][c] -= before.missed[p][c];
        }
    return now;
}

/* A communicator with that instance. */
static MPI_Comm with_instance(int instance)
{
    MPI_Comm comm;
    MPI_Info info;
    char text[8];
    snprintf(text, sizeof text, "%d", instance);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cairn_cri_instance", text));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    OK(MPI_Info_free(&info));
    return comm;
}

static char buffer[LARGE], other[LARGE];
static MPI_Comm comm;

/* What the thread waits in. The other process does what makes it end. */
static void receive(bool waits)
{
    if (waits) OK(MPI_Recv(buffer, 1, MPI_CHAR, 1, 0, comm, MPI_STATUS_IGNORE));
    else OK(MPI_Send(buffer, 1, MPI_CHAR, 0, 0, comm));
}

static void receive_from_any(bool waits)
{
    if (waits) OK(MPI_Recv(buffer, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE));
    else OK(MPI_Send(buffer, 1, MPI_CHAR, 0, 0, comm));
}

static void receive_large(bool waits)
{
    if (waits) OK(MPI_Recv(buffer, LARGE, MPI_CHAR, 1, 0, comm, MPI_STATUS_IGNORE));
    else OK(MPI_Send(buffer, LARGE, MPI_CHAR, 0, 0, comm));
}

static void wait_for_receive(bool waits)
{
    MPI_Request request;
    if (waits) OK(MPI_Irecv(buffer, 1, MPI_CHAR, 1, 0, comm, &request));
    else OK(MPI_Isend(buffer, 1, MPI_CHAR, 0, 0, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void send_synchronously(bool waits)
{
    if (waits) OK(MPI_Ssend(buffer, 1, MPI_CHAR, 1, 0, comm));
    else OK(MPI_Recv(buffer, 1, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE));
}

static void wait_for_large_send(bool waits)
{
    MPI_Request request;
    if (waits) OK(MPI_Isend(buffer, LARGE, MPI_CHAR, 1, 0, comm, &request));
    else OK(MPI_Irecv(buffer, LARGE, MPI_CHAR, 0, 0, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void exchange(bool waits)
{
    OK(MPI_Sendrecv(buffer, LARGE, MPI_CHAR, waits, 0, other, LARGE, MPI_CHAR, waits, 0, comm,
                    MPI_STATUS_IGNORE));
}

static void wait_for_some(bool waits)
{
    enum { MANY = 5 };
    MPI_Request requests[MANY];
    for (int i = 0; i < MANY; i++)
        if (waits) OK(MPI_Irecv(buffer + i, 1, MPI_CHAR, 1, i, comm, &requests[i]));
        else OK(MPI_Isend(buffer + i, 1, MPI_CHAR, 0, i, comm, &requests[i]));
    int index;
    OK(MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index != MPI_UNDEFINED);
    OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
}

static void probe(bool waits)
{
    MPI_Status status;
    if (waits) OK(MPI_Probe(1, 0, comm, &status));
    receive(waits);
}

static void test(bool waits)
{
    MPI_Request request;
    int flag = 0;
    if (waits) OK(MPI_Irecv(buffer, 1, MPI_CHAR, 1, 0, comm, &request));
    else OK(MPI_Isend(buffer, 1, MPI_CHAR, 0, 0, comm, &request));
    while (!flag) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
}

static void probe_often(bool waits)
{
    int flag = !waits;
    while (!flag) OK(MPI_Iprobe(1, 0, comm, &flag, MPI_STATUS_IGNORE));
    receive(waits);
}

static void reduce(bool waits)
{
    int one = waits, sum;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == 1);
}

static void wait_for_reduction(bool waits)
{
    int one = waits, sum;
    MPI_Request request;
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(sum == 1);
}

/* As long as the thread waits, so that the number of polls before a round is reached for certain. */
static void wait_until_it_asks(bool waits)
{
    MPI_Request request;
    char token = 0;
    if (waits) {
        OK(MPI_Irecv(buffer, 1, MPI_CHAR, 1, 0, comm, &request));
        struct counts before = counts();
        int flag = 0;
        while (since(before).polls[1][OWN] < 3 * (unsigned long)misses)
            OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        OK(MPI_Send(&token, 1, MPI_CHAR, 1, 1, comm));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Recv(&token, 1, MPI_CHAR, 0, 1, comm, MPI_STATUS_IGNORE));
        OK(MPI_Send(buffer, 1, MPI_CHAR, 0, 0, comm));
    }
}

/* How an operation waits. */
enum {
    SINGLE = 1,   /* by calls that make a pass each, which are counted on from call to call */
    LONG = 2,     /* until there are global rounds for certain */
    FROM_ANY = 4, /* for messages that may come over any transport */
};

/* Every poll between the global rounds is one of the operation's instance, and so many come before each
   round. The rounds are what any other instance was polled. */
static void only_its_own_is_polled(const char *what, void (*work)(bool), int how)
{
    struct counts before = counts();
    for (int i = 0; i < MESSAGES; i++)
        work(rank == 0);
    struct counts polled = since(before);
    if (rank != 0)
        return;
    unsigned long rounds = polled.polls[0][0];
    for (int p = 0; p < POOLS; p++)
        for (int c = 0; c < CRIS; c++) {
            if (c == OWN && (p == 1 || how & FROM_ANY))
                continue;
            if (polled.polls[p][c] != rounds)
                fprintf(stderr, "%s: %s instance %d: %lu polls in %lu rounds\n", what, pools[p], c,
                        polled.polls[p][c], rounds);
            CHECK(polled.polls[p][c] == rounds);
        }
    unsigned long own = polled.polls[1][OWN] - rounds;
    unsigned long at_least = misses * (how & SINGLE && rounds > 0 ? rounds - 1 : rounds);
    if (own < at_least)
        fprintf(stderr, "%s: %lu polls of its own and %lu rounds\n", what, own, rounds);
    CHECK(own >= at_least && own + rounds > 0 && (rounds > 0 || !(how & LONG)));
}

static MPI_Comm comms[MOST_THREADS];

static void ping_pong(int thread)
{
    char token = 0;
    for (int i = 0; i < MESSAGES; i++)
        if (rank == 0) {
            OK(MPI_Send(&token, 1, MPI_CHAR, 1, 0, comms[thread]));
            OK(MPI_Recv(&token, 1, MPI_CHAR, 1, 0, comms[thread], MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Recv(&token, 1, MPI_CHAR, 0, 0, comms[thread], MPI_STATUS_IGNORE));
            OK(MPI_Send(&token, 1, MPI_CHAR, 0, 0, comms[thread]));
        }
}

/* The same where several threads have a communicator each: who finds an instance locked has tried it. */
static void threads_poll_their_own(void)
{
    threads = CRIS - 1;
    for (int t = 0; t < threads; t++)
        comms[t] = with_instance(t + 1);
    struct counts before = counts();
    together(ping_pong);
    struct counts polled = since(before);
    unsigned long rounds = polled.polls[1][0] + polled.missed[1][0], own = 0;
    for (int c = 1; c < CRIS; c++)
        own += polled.polls[1][c] + polled.missed[1][c] - rounds;
    CHECK(own >= misses * rounds && own + rounds > 0);
    free_all(comms);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    misses = atol(argv[1]);
    begin_threads(&rank, &size);
    CHECK(size == 2);
    start_counting();
    comm = with_instance(OWN);
    only_its_own_is_polled("MPI_Recv", receive, 0);
    only_its_own_is_polled("MPI_Recv, any source", receive_from_any, FROM_ANY);
    only_its_own_is_polled("MPI_Recv, large", receive_large, 0);
    only_its_own_is_polled("MPI_Irecv", wait_for_receive, 0);
    only_its_own_is_polled("MPI_Ssend", send_synchronously, 0);
    only_its_own_is_polled("MPI_Isend, large", wait_for_large_send, 0);
    only_its_own_is_polled("MPI_Sendrecv", exchange, 0);
    only_its_own_is_polled("MPI_Waitany", wait_for_some, 0);
    only_its_own_is_polled("MPI_Probe", probe, 0);
    only_its_own_is_polled("MPI_Allreduce", reduce, 0);
    only_its_own_is_polled("MPI_Iallreduce", wait_for_reduction, FROM_ANY);
    only_its_own_is_polled("MPI_Test", test, SINGLE);
    only_its_own_is_polled("MPI_Iprobe", probe_often, SINGLE);
    only_its_own_is_polled("MPI_Test for long", wait_until_it_asks, SINGLE | LONG);
    OK(MPI_Comm_free(&comm));
    threads_poll_their_own();
    end_counting();
    MPI_Finalize();
    return 0;
}
