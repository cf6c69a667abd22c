/* What collectives say of mistakes, and do not mistake for one: MPI_IN_PLACE where nothing is in place,
   buffers that overlap or only seem to, arguments that are not looked at, data without room. And all
   processes have the same bits. */
#include <stdint.h>

#include "ways.h"

enum { MOST = 64 };

static int rank, size;

static Count counts[MOST];
static Displ displs[MOST], others[MOST];
static MPI_Datatype types[MOST];

/* Nowhere, of which the compiler knows nothing, and none of these. */
static void *volatile nowhere = (void *)(intptr_t)0x40;
#define NO_ADDRESS ((void *)nowhere)
#define NO_TYPE ((MPI_Datatype)(intptr_t)0x5a5a5a58)
#define NO_OPERATION ((MPI_Op)(intptr_t)0x5a5a5a58)

/* Only the root has its own part in place. */
static void in_place_elsewhere(void)
{
    const int other = (rank + 1) % size;
    int in[MOST] = { 0 }, out[MOST] = { 0 };
    for (int p = 0; p < size; p++)
        counts[p] = 1, displs[p] = p;
    FAILS(MPI_ERR_BUFFER, RUN(Gather, gather, MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, other,
                              MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Gatherv, gatherv, MPI_IN_PLACE, 1, MPI_INT, in, counts, displs,
                              MPI_INT, other, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Scatter, scatter, out, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, other,
                              MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Scatterv, scatterv, out, counts, displs, MPI_INT, MPI_IN_PLACE, 1,
                              MPI_INT, other, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Reduce, reduce, MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, other,
                              MPI_COMM_WORLD));
}

/* Data is sent from where other data is received. */
static void overlaps(void)
{
    int data[2 * MOST] = { 0 };
    const int last = size - 1;
    for (int p = 0; p < size; p++)
        counts[p] = 1, displs[p] = p, others[p] = 4 * p, types[p] = MPI_INT;
    FAILS(MPI_ERR_BUFFER, RUN(Allreduce, allreduce, data, data + 1, 2, MPI_INT, MPI_SUM,
                              MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Allgather, allgather, data + last, 1, MPI_INT, data, 1, MPI_INT,
                              MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Allgatherv, allgatherv, data + last, 1, MPI_INT, data, counts, displs,
                              MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Gather, gather, data + last, 1, MPI_INT, data, 1, MPI_INT, rank,
                              MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Scatter, scatter, data, 1, MPI_INT, data + last, 1, MPI_INT, rank,
                              MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Alltoall, alltoall, data + last, 1, MPI_INT, data, 1, MPI_INT,
                              MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Alltoallw, alltoallw, data, counts, others, types, data, counts,
                              others, types, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, RUN(Reduce_scatter_block, reduce_scatter_block, data, data + last, 1,
                              MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, MPI_Reduce_local(data, data + 1, 2, MPI_INT, MPI_SUM));
}

/* Data in one buffer that is not in the way of other data. */
static void one_buffer(void)
{
    int data[2 * MOST];
    for (int p = 0; p < size; p++) {
        counts[p] = 1, displs[p] = 2 * p, others[p] = 2 * p + 1;
        data[2 * p] = 10 * rank + p, data[2 * p + 1] = -1;
    }
    OK(RUN(Alltoallv, alltoallv, data, counts, displs, MPI_INT, data, counts, others, MPI_INT,
           MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        CHECK(data[2 * p] == 10 * rank + p && data[2 * p + 1] == 10 * p + rank);
    for (int p = 0; p < size; p++) {
        displs[p] *= (int)sizeof(int), others[p] *= (int)sizeof(int), types[p] = MPI_INT;
        data[2 * p + 1] = -1;
    }
    OK(RUN(Alltoallw, alltoallw, data, counts, displs, types, data, counts, others, types,
           MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        CHECK(data[2 * p + 1] == 10 * p + rank);

    for (int p = 0; p < size; p++)
        displs[p] = p + 1, data[p + 1] = -1;
    data[0] = rank;
    OK(RUN(Allgatherv, allgatherv, data, 1, MPI_INT, data, counts, displs, MPI_INT,
           MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        CHECK(data[p + 1] == p);
    OK(RUN(Gatherv, gatherv, data, 1, MPI_INT, data, counts, displs, MPI_INT, 0, MPI_COMM_WORLD));
    data[0] = -1;
    OK(RUN(Scatterv, scatterv, data, counts, displs, MPI_INT, data, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK(data[0] == rank);
    /* Nothing is nowhere in the way. */
    OK(RUN(Allreduce, allreduce, data, data, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

/* Arguments that are significant only at the root, or only where nothing is in place. */
static void ignored(int root)
{
    const int own = rank == root;
    int data[3 * MOST], all[3 * MOST];
    for (int p = 0; p < size; p++)
        counts[p] = p % 4, displs[p] = 3 * p;
    for (int i = 0; i < 3 * size; i++)
        data[i] = 1000 * rank + i, all[i] = -1;
#define AT_ROOT(argument, otherwise) (own ? (argument) : (otherwise))
    OK(RUN(Gather, gather, data, 3, MPI_INT, AT_ROOT((void *)all, NO_ADDRESS), AT_ROOT(3, -7),
           AT_ROOT(MPI_INT, NO_TYPE), root, MPI_COMM_WORLD));
    for (int p = 0; own && p < size; p++)
        for (int i = 0; i < 3; i++)
            CHECK(all[3 * p + i] == 1000 * p + i);
    OK(RUN(Gather, gather, AT_ROOT(MPI_IN_PLACE, (void *)data), AT_ROOT(-7, 3),
           AT_ROOT(NO_TYPE, MPI_INT), AT_ROOT((void *)all, MPI_IN_PLACE), AT_ROOT(3, -7),
           AT_ROOT(MPI_INT, NO_TYPE), root, MPI_COMM_WORLD));
    OK(RUN(Gatherv, gatherv, data, rank % 4, MPI_INT, AT_ROOT((void *)all, NO_ADDRESS),
           AT_ROOT(counts, NO_ADDRESS), AT_ROOT(displs, NO_ADDRESS), AT_ROOT(MPI_INT, NO_TYPE), root,
           MPI_COMM_WORLD));
    OK(RUN(Scatter, scatter, AT_ROOT((void *)data, NO_ADDRESS), AT_ROOT(3, -7),
           AT_ROOT(MPI_INT, NO_TYPE), all, 3, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < 3; i++)
        CHECK(all[i] == 1000 * root + 3 * rank + i);
    OK(RUN(Scatter, scatter, AT_ROOT((void *)data, MPI_IN_PLACE), AT_ROOT(3, -7),
           AT_ROOT(MPI_INT, NO_TYPE), AT_ROOT(MPI_IN_PLACE, (void *)all), AT_ROOT(-7, 3),
           AT_ROOT(NO_TYPE, MPI_INT), root, MPI_COMM_WORLD));
    OK(RUN(Scatterv, scatterv, AT_ROOT((void *)data, NO_ADDRESS), AT_ROOT(counts, NO_ADDRESS),
           AT_ROOT(displs, NO_ADDRESS), AT_ROOT(MPI_INT, NO_TYPE), all, rank % 4, MPI_INT, root,
           MPI_COMM_WORLD));
    OK(RUN(Reduce, reduce, data, AT_ROOT((void *)all, MPI_IN_PLACE), 2, MPI_INT, MPI_MAX, root,
           MPI_COMM_WORLD));
    for (int i = 0; own && i < 2; i++)
        CHECK(all[i] == 1000 * (size - 1) + i);
    OK(RUN(Allgather, allgather, MPI_IN_PLACE, -7, NO_TYPE, all, 1, MPI_INT, MPI_COMM_WORLD));
    OK(RUN(Alltoall, alltoall, MPI_IN_PLACE, -7, NO_TYPE, all, 1, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        counts[p] = 1, displs[p] = p;
    OK(RUN(Allgatherv, allgatherv, MPI_IN_PLACE, -7, NO_TYPE, all, counts, displs, MPI_INT,
           MPI_COMM_WORLD));
    OK(RUN(Alltoallv, alltoallv, MPI_IN_PLACE, NO_ADDRESS, NO_ADDRESS, NO_TYPE, all, counts, displs,
           MPI_INT, MPI_COMM_WORLD));
}

/* In the root's group of an intercommunicator only the root takes part. */
static void ignored_between_groups(void)
{
    MPI_Comm half, comm;
    const int receives = rank % 2;
    int me, locals, remotes, data[MOST] = { 0 }, all[MOST];
    OK(MPI_Comm_split(MPI_COMM_WORLD, receives, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - receives, 1, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &locals));
    OK(MPI_Comm_remote_size(comm, &remotes));
    /* The last one of the processes with even ranks. */
    const int last = (receives ? remotes : locals) - 1, own = !receives && me == last;
    const int root = receives ? last : own ? MPI_ROOT : MPI_PROC_NULL, out = !receives && !own;
#define UNLESS_OUT(argument, otherwise) (out ? (otherwise) : (argument))
#define THERE(argument, otherwise) (receives ? (argument) : (otherwise))
    data[0] = rank;
    OK(RUN(Bcast, bcast, UNLESS_OUT((void *)data, NO_ADDRESS), UNLESS_OUT(1, -7),
           UNLESS_OUT(MPI_INT, NO_TYPE), root, comm));
    CHECK(data[0] == (receives ? 2 * last : rank));
    data[0] = rank;
    OK(RUN(Gather, gather, THERE((void *)data, MPI_IN_PLACE), THERE(1, -7), THERE(MPI_INT, NO_TYPE),
           AT_ROOT((void *)all, NO_ADDRESS), AT_ROOT(1, -7), AT_ROOT(MPI_INT, NO_TYPE), root, comm));
    for (int p = 0; own && p < remotes; p++)
        CHECK(all[p] == 2 * p + 1);
    OK(RUN(Scatter, scatter, AT_ROOT((void *)all, NO_ADDRESS), AT_ROOT(1, -7),
           AT_ROOT(MPI_INT, NO_TYPE), THERE((void *)data, MPI_IN_PLACE), THERE(1, -7),
           THERE(MPI_INT, NO_TYPE), root, comm));
    CHECK(data[0] == rank);
    OK(RUN(Reduce, reduce, THERE((void *)data, NO_ADDRESS), AT_ROOT((void *)all, NO_ADDRESS),
           UNLESS_OUT(1, -7), UNLESS_OUT(MPI_INT, NO_TYPE), UNLESS_OUT(MPI_MAX, NO_OPERATION), root,
           comm));
    CHECK(!own || all[0] == 2 * remotes - 1);
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&comm));
}

/* Who has too little room for what comes hears of it, the next one after the root always; no other one
   waits for ever, and nothing behind the end is touched. */
static void no_room(int n)
{
    MPI_Comm comm;
    char *data = calloc((size_t)n, 1);
    for (int root = 0; root < size; root++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        memset(data, rank == root, (size_t)n);
        int code = RUN(Bcast, bcast, data, rank == root ? n : n - 1, MPI_CHAR, root, comm);
        if (rank == root)
            OK(code);
        else if (rank == (root + 1) % size)
            FAILS(MPI_ERR_TRUNCATE, code);
        else /* it may have come from one that had too little room, too */
            CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_TRUNCATE);
        CHECK(data[n - 1] == (rank == root));
        OK(MPI_Comm_free(&comm));
    }
    free(data);
}

/* Zeros of both signs and many NaNs: of each two the processor takes one. And a function that says it
   is commutative, as far as numbers go. */
static void weigh(void *input, void *inout, Count *count, MPI_Datatype *type)
{
    const double *in = input;
    double *out = inout;
    CHECK(*type == MPI_DOUBLE);
    for (Count i = 0; i < *count; i++)
        out[i] = 0.999 * in[i] + out[i];
}

static double sample(int kind, unsigned *random)
{
    *random = *random * 1103515245u + 12345u;
    const unsigned number = *random >> 16 & 0x7fff;
    double value;
    uint64_t bits = 0x7ff8000000000000u + number;
    if (kind == 0 || (kind == 1 && number % 2))
        return (double)number / 7 - 2000;
    if (kind == 2)
        return number % 2 ? 0.0 : -0.0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void same_bits(int n)
{
    const size_t bytes = (size_t)n * sizeof(double);
    double *in = malloc(bytes), *out = malloc(bytes), *all = malloc(bytes * (size_t)size);
    MPI_Op own;
    OK(MPI_Op_create(weigh, 1, &own));
    const MPI_Op ops[] = { MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, own };
    for (int op = 0; op < 5; op++)
        for (int kind = 0; kind < 4; kind++)
            for (int in_place = 0; in_place < 2; in_place++) {
                unsigned random = (unsigned)rank + 77;
                for (int i = 0; i < n; i++)
                    in[i] = out[i] = sample(kind, &random);
                OK(RUN(Allreduce, allreduce, in_place ? MPI_IN_PLACE : in, out, n, MPI_DOUBLE,
                       ops[op], MPI_COMM_WORLD));
                OK(MPI_Allgather(out, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD));
                for (int p = 0; p < size; p++)
                    CHECK(memcmp(all + p * n, all, bytes) == 0);
            }
    OK(MPI_Op_free(&own));
    free(in), free(out), free(all);
}

int main(void)
{
    begin(&rank, &size);
    CHECK(size <= MOST);
    for (way = 0; way < WAYS; way++) {
        if (size > 1) {
            in_place_elsewhere();
            overlaps();
            ignored_between_groups();
        }
        one_buffer();
        for (int root = 0; root < size; root++)
            ignored(root);
        no_room(100);
        no_room(30000);
        same_bits(3);
        same_bits(500);
        same_bits(4001);
    }
    OK(MPI_Finalize());
    return 0;
}
