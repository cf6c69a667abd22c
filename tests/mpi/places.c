/* Collectives in place, with different counts for each process, none for some, and gaps between the
   data, which may not be touched. */
#include "check.h"

enum { MOST = 64, GAP = -7 };

static int rank, size;

static int value(int process, int i) { return process * 1000 + i; }

/* What process p has: nothing for every third one. */
static int share(int p, int n) { return p % 3 == 2 ? 0 : n + p; }

static Count counts[MOST];
static Displ displs[MOST];

/* The shares of all processes, the last first, with gaps. Returns how many elements that spans. */
static int spread(int n)
{
    int end = 1;
    for (int p = size - 1; p >= 0; p--) {
        counts[p] = share(p, n);
        displs[p] = end;
        end += share(p, n) + 2;
    }
    return end;
}

/* Whether the elements are those of all processes, and the gaps are untouched. */
static int is_spread(const int *data, int end)
{
    int filled = 0, gaps = 0;
    for (int p = 0; p < size; p++)
        for (Count i = 0; i < counts[p]; i++, filled++)
            if (data[displs[p] + i] != value(p, (int)i))
                return 0;
    for (int i = 0; i < end; i++)
        gaps += data[i] == GAP;
    return gaps == end - filled;
}

static int *ints(int n)
{
    int *data = malloc(sizeof(int) * (size_t)(n + 1));
    for (int i = 0; i <= n; i++)
        data[i] = GAP;
    return data;
}

static void shares(int n)
{
    int end = spread(n), own = share(rank, n);
    int *mine = ints(own), *all = ints(end);
    for (int root = 0; root < size; root++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            for (int i = 0; i < own; i++)
                mine[i] = value(rank, i);
            for (int i = 0; i < end; i++)
                all[i] = GAP;
            const void *from = mine;
            if (in_place && rank == root) {
                memcpy(all + displs[rank], mine, sizeof(int) * (size_t)own);
                from = MPI_IN_PLACE;
            }
            /* What is not significant may be anything. */
            if (rank == root)
                OK(MPI_Gatherv(from, own, MPI_INT, all, counts, displs, MPI_INT, root,
                               MPI_COMM_WORLD));
            else
                OK(MPI_Gatherv(from, own, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root,
                               MPI_COMM_WORLD));
            CHECK(rank != root || is_spread(all, end));
            for (int i = 0; i < own; i++)
                mine[i] = -1;
            void *to = in_place && rank == root ? MPI_IN_PLACE : mine;
            if (rank == root)
                OK(MPI_Scatterv(all, counts, displs, MPI_INT, to, own, MPI_INT, root,
                                MPI_COMM_WORLD));
            else
                OK(MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, to, own, MPI_INT, root,
                                MPI_COMM_WORLD));
            for (int i = 0; i < own; i++)
                CHECK(mine[i] == (to == MPI_IN_PLACE ? -1 : value(rank, i)));
            CHECK(mine[own] == GAP);
        }
    }
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int i = 0; i < own; i++)
            mine[i] = value(rank, i);
        for (int i = 0; i < end; i++)
            all[i] = GAP;
        if (in_place) {
            memcpy(all + displs[rank], mine, sizeof(int) * (size_t)own);
            OK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, displs, MPI_INT,
                              MPI_COMM_WORLD));
        } else {
            OK(MPI_Allgatherv(mine, own, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD));
        }
        CHECK(is_spread(all, end));
    }
    free(mine), free(all);
}

/* The same number from each. */
static void equal(int n)
{
    int *mine = ints(n), *all = ints(n * size);
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < n; i++)
            mine[i] = all[rank * n + i] = value(rank, i);
        if (rank == root)
            OK(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, root,
                          MPI_COMM_WORLD));
        else
            OK(MPI_Gather(mine, n, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD));
        for (int p = 0; rank == root && p < size; p++)
            for (int i = 0; i < n; i++)
                CHECK(all[p * n + i] == value(p, i));
        for (int i = 0; i < n; i++)
            mine[i] = -1;
        if (rank == root)
            OK(MPI_Scatter(all, n, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root,
                           MPI_COMM_WORLD));
        else
            OK(MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, mine, n, MPI_INT, root, MPI_COMM_WORLD));
        for (int i = 0; rank != root && i < n; i++)
            CHECK(mine[i] == value(rank, i));
    }
    for (int i = 0; i < n * size; i++)
        all[i] = -1;
    for (int i = 0; i < n; i++)
        all[rank * n + i] = value(rank, i);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(all[p * n + i] == value(p, i));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            all[p * n + i] = value(rank, i) + 7 * p;
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD));
    for (int p = 0; p < size; p++)
        for (int i = 0; i < n; i++)
            CHECK(all[p * n + i] == value(p, i) + 7 * rank);
    CHECK(all[n * size] == GAP);
    free(mine), free(all);
}

/* Each pair exchanges a number of its own: process p sends q as many as q sends p. */
static int between(int p, int q, int n) { return p + q > 0 && (p + q) % 4 == 3 ? 0 : n + p + q; }

static void exchanges(int n)
{
    MPI_Datatype types[MOST];
    Displ bytes[MOST];
    int end = 1, filled = 0;
    for (int p = size - 1; p >= 0; p--) {
        counts[p] = between(rank, p, n);
        displs[p] = end;
        bytes[p] = end * (int)sizeof(int);
        /* Where there is nothing, the type does not matter. */
        types[p] = counts[p] ? MPI_INT : MPI_DATATYPE_NULL;
        end += between(rank, p, n) + 1;
    }
    int *out = ints(end), *in = ints(end);
    for (int way = 0; way < 4; way++) {
        int *from = way % 2 ? in : out;
        for (int i = 0; i < end; i++)
            in[i] = out[i] = GAP;
        for (int p = 0; p < size; p++)
            for (Count i = 0; i < counts[p]; i++)
                from[displs[p] + i] = value(rank, (int)i) + 7 * p;
        if (way == 0)
            OK(MPI_Alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
                             MPI_COMM_WORLD));
        else if (way == 1)
            OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, displs,
                             MPI_INT, MPI_COMM_WORLD));
        else if (way == 2)
            OK(MPI_Alltoallw(out, counts, bytes, types, in, counts, bytes, types,
                             MPI_COMM_WORLD));
        else
            OK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, bytes, types,
                             MPI_COMM_WORLD));
        filled = 0;
        for (int p = 0; p < size; p++)
            for (Count i = 0; i < counts[p]; i++, filled++)
                CHECK(in[displs[p] + i] == value(p, (int)i) + 7 * rank);
        for (int i = 0; i < end; i++)
            filled += in[i] == GAP;
        CHECK(filled == end);
    }
    free(out), free(in);
}

static long sum(int i, int processes)
{
    return (long)processes * (processes - 1) / 2 * 1000 + (long)processes * i;
}

static void reductions(int n)
{
    int total = 0, before = 0;
    for (int p = 0; p < size; p++) {
        counts[p] = share(p, n);
        before += p < rank ? share(p, n) : 0;
        total += share(p, n);
    }
    int room = total > n * size ? total : n * size;
    long *out = malloc(sizeof(long) * (size_t)(room + 1));
    long *in = malloc(sizeof(long) * (size_t)(room + 1));
#define FILL(data)                       \
    for (int i = 0; i < room; i++)       \
        data[i] = value(rank, i);        \
    data[room] = GAP
    for (int root = 0; root < size; root++) {
        FILL(out);
        FILL(in);
        if (rank == root)
            OK(MPI_Reduce(MPI_IN_PLACE, in, n, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
        else
            OK(MPI_Reduce(out, NULL, n, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(out[i] == value(rank, i) && in[i] == (rank == root ? sum(i, size) : out[i]));
        /* The receive buffer of the others is not significant: it may be the same one. */
        FILL(in);
        OK(MPI_Reduce(in, rank == root ? out : in, n, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(in[i] == value(rank, i) && (rank != root || out[i] == sum(i, size)));
    }
    for (int in_place = 0; in_place < 2; in_place++) {
        const void *from = in_place ? MPI_IN_PLACE : out;
        FILL(out);
        FILL(in);
        OK(MPI_Allreduce(from, in, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(in[i] == sum(i, size) && out[i] == value(rank, i));
        FILL(in);
        OK(MPI_Scan(from, in, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(in[i] == sum(i, rank + 1));
        FILL(in);
        OK(MPI_Exscan(from, in, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; rank && i < n; i++)
            CHECK(in[i] == sum(i, rank));
        FILL(in);
        OK(MPI_Reduce_scatter_block(from, in, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(in[i] == sum(rank * n + i, size));
        FILL(in);
        OK(MPI_Reduce_scatter(from, in, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < share(rank, n); i++)
            CHECK(in[i] == sum(before + i, size));
        CHECK(in[room] == GAP && out[room] == GAP);
    }
    free(out), free(in);
}

/* Everything of length 0, with buffers that are not there. */
static void nothing(void)
{
    for (int p = 0; p < size; p++)
        counts[p] = 0, displs[p] = 0;
    OK(MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Gatherv(NULL, 0, MPI_INT, NULL, counts, displs, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Scatterv(NULL, counts, displs, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Allgatherv(NULL, 0, MPI_INT, NULL, counts, displs, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Alltoallv(NULL, counts, displs, MPI_INT, NULL, counts, displs, MPI_INT,
                     MPI_COMM_WORLD));
    OK(MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    OK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter_block(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter(NULL, NULL, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

int main(void)
{
    static const int lengths[] = { 0, 1, 5, 999, 40001 };
    begin(&rank, &size);
    CHECK(size <= MOST);
    for (int i = 0; i < 5; i++) {
        shares(lengths[i]);
        equal(lengths[i]);
        exchanges(lengths[i]);
        reductions(lengths[i]);
    }
    nothing();
    OK(MPI_Finalize());
    return 0;
}
