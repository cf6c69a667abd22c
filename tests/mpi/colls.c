/* Collectives called in each way, against what each process can compute alone. */
#include "ways.h"

static int rank, size;

static int value(int process, int i) { return process * 1000 + i * 7 + 1; }

static void rooted(int n)
{
    int *out = malloc(sizeof(int) * (size_t)(n * size + 1));
    int *in = malloc(sizeof(int) * (size_t)(n * size + 1));
    Count counts[64];
    Displ displs[64];
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < n; i++)
            out[i] = value(rank, i);
        memcpy(in, out, sizeof(int) * (size_t)n);
        OK(RUN(Bcast, bcast, in, n, MPI_INT, root, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(in[i] == value(root, i));

        OK(RUN(Gather, gather, out, n, MPI_INT, in, n, MPI_INT, root, MPI_COMM_WORLD));
        if (rank == root)
            for (int p = 0; p < size; p++)
                for (int i = 0; i < n; i++)
                    CHECK(in[p * n + i] == value(p, i));
        OK(RUN(Scatter, scatter, in, n, MPI_INT, rank == root ? MPI_IN_PLACE : out, n, MPI_INT, root,
                       MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(rank == root || out[i] == value(rank, i));

        /* From the last to the first, with different counts. */
        for (int p = 0, at = 0; p < size; p++) {
            counts[p] = n > 0 ? 1 + (p % n) : 0;
            displs[p] = n * (size - 1 - p);
            at += counts[p];
        }
        OK(RUN(Gatherv, gatherv, out, counts[rank], MPI_INT, in, counts, displs, MPI_INT, root,
                       MPI_COMM_WORLD));
        if (rank == root)
            for (int p = 0; p < size; p++)
                for (int i = 0; i < counts[p]; i++)
                    CHECK(in[displs[p] + i] == value(p, i));
        for (int i = 0; i < n; i++)
            out[i] = -1;
        OK(RUN(Scatterv, scatterv, in, counts, displs, MPI_INT, out, counts[rank], MPI_INT, root,
                        MPI_COMM_WORLD));
        for (int i = 0; i < counts[rank]; i++)
            CHECK(out[i] == value(rank, i));

        for (int i = 0; i < n; i++)
            out[i] = value(rank, i);
        OK(RUN(Reduce, reduce, out, in, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
        if (rank == root)
            for (int i = 0; i < n; i++) {
                int sum = 0;
                for (int p = 0; p < size; p++)
                    sum += value(p, i);
                CHECK(in[i] == sum);
            }
    }
    free(out);
    free(in);
}

static void all(int n)
{
    size_t room = sizeof(int) * (size_t)(n * size + 1);
    int *out = malloc(room), *in = malloc(room);
    Count counts[64];
    Displ displs[64];
    MPI_Datatype types[64];
    for (int i = 0; i < n; i++)
        out[i] = value(rank, i);
    OK(RUN(Allgather, allgather, out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(p, i));
    OK(RUN(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        counts[p] = n, displs[p] = n * (size - 1 - p);
    OK(RUN(Allgatherv, allgatherv, out, n, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[displs[p] + i] == value(p, i));

    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            out[p * n + i] = value(rank, i) + p;
    OK(RUN(Alltoall, alltoall, out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(p, i) + rank);
    for (int p = 0; p < size; p++)
        counts[p] = n, displs[p] = n * p;
    OK(RUN(Alltoallv, alltoallv, out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(p, i) + rank);
    for (int p = 0; p < size; p++)
        displs[p] = n * p * (int)sizeof(int), types[p] = MPI_INT;
    OK(RUN(Alltoallw, alltoallw, out, counts, displs, types, in, counts, displs, types, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(p, i) + rank);
    free(out);
    free(in);
}

/* Puts two pairs (a, b) of the function ax + b together; the order matters. */
static void compose(void *input, void *inout, Count *count, MPI_Datatype *type)
{
    const unsigned *first = input;
    unsigned *second = inout;
    CHECK(*type == MPI_UNSIGNED && *count % 2 == 0);
    for (int i = 0; i < *count; i += 2) {
        second[i + 1] += second[i] * first[i + 1];
        second[i] *= first[i];
    }
}

static void reductions(int n)
{
    size_t room = sizeof(double) * (size_t)(n * size + 2);
    double *out = malloc(room), *in = malloc(room);
    Count counts[64];
    for (int i = 0; i < n * size; i++)
        out[i] = rank + i;
    OK(RUN(Allreduce, allreduce, out, in, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == size - 1 + i);
    memcpy(in, out, room - 2 * sizeof(double));
    OK(RUN(Allreduce, allreduce, MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == size * (size - 1) / 2 + size * i);
    OK(RUN(Scan, scan, out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == rank * (rank + 1) / 2 + (rank + 1) * i);
    OK(RUN(Exscan, exscan, out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; rank > 0 && i < n; i++)
        CHECK(in[i] == rank * (rank - 1) / 2 + rank * i);
    OK(RUN(Reduce_scatter_block, reduce_scatter_block, out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == size * (size - 1) / 2 + size * (rank * n + i));
    for (int p = 0; p < size; p++)
        counts[p] = n;
    OK(RUN(Reduce_scatter, reduce_scatter, out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        CHECK(in[i] == size * (size - 1) / 2 + size * (rank * n + i));
    free(out);
    free(in);

    unsigned pair[2] = { (unsigned)rank + 2, (unsigned)rank + 1 }, result[2], a = 1, b = 0;
    MPI_Op op;
    OK(MPI_Op_create(compose, 0, &op));
    OK(RUN(Allreduce, allreduce, pair, result, 2, MPI_UNSIGNED, op, MPI_COMM_WORLD));
    for (unsigned p = 0; p < (unsigned)size; p++)
        b = (p + 2) * b + p + 1, a *= p + 2;
    CHECK(result[0] == a && result[1] == b);
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
}

/* The left operand, for operations that take the memory of one that was freed. */
static void first(void *input, void *inout, Count *count, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, input, (size_t)*count * sizeof(unsigned));
}

/* A program may free an operation that it has started a reduction with. */
static void freed_operations(void)
{
    unsigned pair[2] = { (unsigned)rank + 2, (unsigned)rank + 1 }, result[2], a = 1, b = 0;
    for (unsigned p = 0; p < (unsigned)size; p++)
        b = (p + 2) * b + p + 1, a *= p + 2;
    MPI_Op op, other;
    MPI_Request request;
    MPI_Datatype type = MPI_UNSIGNED;
    OK(MPI_Op_create(compose, 0, &op));
    OK(MPI_Iallreduce(pair, result, 2, type, op, MPI_COMM_WORLD, &request));
    OK(MPI_Op_free(&op));
    OK(MPI_Op_create(first, 0, &other));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(result[0] == a && result[1] == b);
    OK(MPI_Op_free(&other));
    OK(MPI_Op_create(compose, 0, &op));
    OK(MPI_Allreduce_init(pair, result, 2, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Op_free(&op));
    OK(MPI_Op_create(first, 0, &other));
    for (int round = 0; round < 3; round++) {
        result[0] = result[1] = 0;
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(result[0] == a && result[1] == b);
    }
    OK(MPI_Request_free(&request));
    OK(MPI_Op_free(&other));
}

static void mistakes(void)
{
    int a = 1, b = 2;
    double d = 1;
    FAILS(MPI_ERR_OP, RUN(Allreduce, allreduce, &d, &d + 1, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_SELF));
    FAILS(MPI_ERR_ROOT, RUN(Bcast, bcast, &a, 1, MPI_INT, size, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, RUN(Allreduce, allreduce, &a, &b, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_SUM));
    CHECK(b == 3);
}

int main(void)
{
    static const int lengths[] = { 0, 1, 3, 100, 5000, 70000 };
    begin(&rank, &size);
    for (way = 0; way < WAYS; way++) {
        for (int i = 0; i < 6; i++) {
            OK(RUN(Barrier, barrier, MPI_COMM_WORLD));
            rooted(lengths[i]);
            all(lengths[i]);
            reductions(lengths[i]);
        }
        mistakes();
    }
    freed_operations();
    MPI_Finalize();
    return 0;
}
