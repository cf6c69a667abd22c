/* Each thread of each process runs collectives on a communicator of its own, at the same time, while
   others make and free communicators. */
#include "threads.h"

enum { ROUNDS = 25, MOST = 64 };

static int rank, size;
static MPI_Comm comms[MOST_THREADS];

static int value(int thread, int process, int i) { return thread * 1000000 + process * 1000 + i; }

static void operations(int thread, MPI_Comm comm, int n)
{
    size_t room = (size_t)(n * size + 1) * sizeof(int);
    int *out = malloc(room), *in = malloc(room);
    int counts[MOST], displs[MOST], sum;
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < n; i++)
            out[i] = value(thread, rank, i);
        memcpy(in, out, (size_t)n * sizeof(int));
        OK(MPI_Bcast(in, n, MPI_INT, root, comm));
        for (int i = 0; i < n; i++)
            CHECK(in[i] == value(thread, root, i));
        OK(MPI_Gather(out, n, MPI_INT, in, n, MPI_INT, root, comm));
        for (int p = 0; rank == root && p < size; p++)
            for (int i = 0; i < n; i++)
                CHECK(in[p * n + i] == value(thread, p, i));
        OK(MPI_Scatter(in, n, MPI_INT, rank == root ? MPI_IN_PLACE : (void *)out, n, MPI_INT, root,
                       comm));
        for (int i = 0; i < n; i++)
            CHECK(out[i] == value(thread, rank, i));
        OK(MPI_Reduce(out, in, n, MPI_INT, MPI_MAX, root, comm));
        for (int i = 0; rank == root && i < n; i++)
            CHECK(in[i] == value(thread, size - 1, i));
    }
    OK(MPI_Allgather(out, n, MPI_INT, in, n, MPI_INT, comm));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(thread, p, i));
    for (int p = 0; p < size; p++)
        counts[p] = n, displs[p] = n * (size - 1 - p);
    OK(MPI_Allgatherv(out, n, MPI_INT, in, counts, displs, MPI_INT, comm));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[displs[p] + i] == value(thread, p, i));
    OK(MPI_Allreduce(out, in, n, MPI_INT, MPI_MIN, comm));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == value(thread, 0, i));
    OK(MPI_Scan(out, in, n, MPI_INT, MPI_MAX, comm));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == value(thread, rank, i));
    OK(MPI_Exscan(out, in, n, MPI_INT, MPI_MAX, comm));
    for (int i = 0; rank && i < n; i++)
        CHECK(in[i] == value(thread, rank - 1, i));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            out[p * n + i] = value(thread, rank, i) + p;
    OK(MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, comm));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(thread, p, i) + rank);
    OK(MPI_Reduce_scatter_block(out, in, n, MPI_INT, MPI_MAX, comm));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == value(thread, size - 1, i) + rank);
    OK(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_MIN, comm));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == value(thread, 0, i) + rank);
    OK(MPI_Barrier(comm));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size - 1) / 2);
    free(out), free(in);
}

static void on_own(int thread)
{
    for (int round = 0; round < ROUNDS; round++)
        operations(thread, comms[thread], round % 8 == 7 ? 5000 : round % 5);
}

/* An operation of the program that all threads use at once. */
static MPI_Op first_op;

static void first(void *in, void *inout, int *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    memcpy(inout, in, (size_t)*count * sizeof(int));
}

static void with_own_operation(int thread)
{
    int mine[3], got[3];
    for (int round = 0; round < 4 * ROUNDS; round++) {
        for (int i = 0; i < 3; i++)
            mine[i] = value(thread, rank, round + i);
        OK(MPI_Allreduce(mine, got, 3, MPI_INT, first_op, comms[thread]));
        for (int i = 0; i < 3; i++)
            CHECK(got[i] == value(thread, 0, round + i));
    }
}

/* Half of the threads run collectives, the others make and free communicators from their own. */
static void while_others_come_and_go(int thread)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm, other;
        int n;
        if (thread % 2) {
            operations(thread, comms[thread], 7);
            continue;
        }
        OK(MPI_Comm_dup(comms[thread], &comm));
        operations(thread, comm, 2);
        OK(MPI_Comm_split(comm, rank % 2, rank, &other));
        OK(MPI_Comm_size(other, &n));
        CHECK(n == (size + 1 - rank % 2) / 2);
        OK(MPI_Barrier(other));
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_free(&other));
    }
}

int main(void)
{
    begin_threads(&rank, &size);
    CHECK(size <= MOST);
    each_its_own(comms);
    OK(MPI_Op_create(first, 0, &first_op));
    together(on_own);
    together(with_own_operation);
    together(while_others_come_and_go);
    OK(MPI_Op_free(&first_op));
    free_all(comms);
    OK(MPI_Finalize());
    return 0;
}
