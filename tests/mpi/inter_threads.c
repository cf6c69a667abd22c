/* Several threads of each process make and use intercommunicators at the same time. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 10 };

static int rank, size;

/* Run by several threads at once, with their numbers. */
static void together(int threads, void *(*run)(void *))
{
    pthread_t ids[THREADS];
    int numbers[THREADS];
    for (int t = 0; t < threads; t++) {
        numbers[t] = t;
        CHECK(!pthread_create(&ids[t], NULL, run, &numbers[t]));
    }
    for (int t = 0; t < threads; t++)
        CHECK(!pthread_join(ids[t], NULL));
}

/* The even and the odd ranks, a communicator for each thread. */
static MPI_Comm halves[THREADS];

/* Wildcard receives on one intercommunicator do not see messages of others. */
static void messages(MPI_Comm inter, int thread, int others)
{
    MPI_Request requests[64];
    MPI_Status status;
    int out[2] = { rank, thread }, in[2], seen = 0, count;
    for (int p = 0; p < others; p++)
        OK(MPI_Isend(out, 2, MPI_INT, p, p, inter, &requests[p]));
    for (int p = 0; p < others; p++) {
        if (p % 2) {
            MPI_Message message;
            OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &message, &status));
            OK(MPI_Mrecv(in, 2, MPI_INT, &message, &status));
        } else {
            OK(MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status));
        }
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == 2 && in[1] == thread);
        CHECK(in[0] == 2 * status.MPI_SOURCE + 1 - rank % 2);
        CHECK(status.MPI_TAG == rank / 2);
        seen |= 1 << status.MPI_SOURCE;
    }
    CHECK(seen == (1 << others) - 1);
    OK(MPI_Waitall(others, requests, MPI_STATUSES_IGNORE));
}

/* The leaders of all threads meet on MPI_COMM_WORLD, told apart by their tags. */
static void *makes(void *number)
{
    const int thread = *(int *)number, side = rank % 2;
    const int others = (size + side) / 2;
    MPI_Comm inter, copy, part, merged;
    int sum, n;
    for (int round = 0; round < ROUNDS; round++) {
        const int leader[2] = { 0, (size / 2 - 1) * (round % 2) };
        OK(MPI_Intercomm_create(halves[thread], leader[side], MPI_COMM_WORLD,
                                2 * leader[1 - side] + 1 - side, thread, &inter));
        OK(MPI_Comm_remote_size(inter, &n));
        CHECK(n == others);
        messages(inter, thread, others);
        n = thread + round;
        OK(MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, inter));
        CHECK(sum == others * n);
        OK(MPI_Comm_dup(inter, &copy));
        OK(MPI_Comm_free(&inter));
        messages(copy, thread, others);
        OK(MPI_Comm_split(copy, rank / 2 == 0, 0, &part));
        OK(MPI_Intercomm_merge(copy, side, &merged));
        OK(MPI_Comm_free(&copy));
        OK(MPI_Comm_rank(merged, &n));
        CHECK(n == (side ? (size + 1) / 2 : 0) + rank / 2);
        if (part != MPI_COMM_NULL) {
            OK(MPI_Barrier(part));
            OK(MPI_Comm_free(&part));
        }
        OK(MPI_Comm_free(&merged));
    }
    return NULL;
}

/* Groups that share a process, which calls it for both. */
static MPI_Comm pairs[2];

static void *overlaps(void *number)
{
    MPI_Comm inter;
    const int side = *(int *)number;
    /* The leaders are the processes that are in one group only. */
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(pairs[side], side, MPI_COMM_WORLD, side ? 0 : 2, 7,
                                             &inter));
    return NULL;
}

static void overlapping(void)
{
    for (int side = 0; side < 2; side++) {
        const int in = rank == side || rank == side + 1;
        OK(MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, 0, &pairs[side]));
    }
    if (rank == 1)
        together(2, overlaps);
    else if (rank == 0 || rank == 2)
        overlaps(&(int){ rank / 2 });
    for (int side = 0; side < 2; side++)
        if (pairs[side] != MPI_COMM_NULL)
            OK(MPI_Comm_free(&pairs[side]));
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (size > 1) {
        for (int t = 0; t < THREADS; t++)
            OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &halves[t]));
        together(THREADS, makes);
        for (int t = 0; t < THREADS; t++)
            OK(MPI_Comm_free(&halves[t]));
    }
    if (size > 2)
        overlapping();
    MPI_Finalize();
    return 0;
}
