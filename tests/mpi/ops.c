/* Every predefined operation on every predefined datatype, in each function that reduces, against what
   C computes; MPI_ERR_OP where the standard defines nothing. */
#include "kinds.h"

enum { N = 12 };

static int rank, size;

/* At most four processes in the order of their ranks: the product of more would not be exact in each
   type. */
static MPI_Comm few;
static int few_rank, few_size;

/* Room for N values of any type. */
typedef struct { alignas(64) char at[N * WIDEST]; } values;

static void put(const struct kind *kind, values *to, int process)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i < N; i++)
        kind->put(to->at + (size_t)i * kind->bytes, (process * 5 + i * 3 + i / 4) % 4, process);
}

static void apply(const struct kind *kind, int op, const values *a, values *b)
{
    for (int i = 0; i < N; i++)
        kind->apply(op, a->at + (size_t)i * kind->bytes, b->at + (size_t)i * kind->bytes);
}

/* The first values are those at a place of the others. */
static int equal(const struct kind *kind, const values *a, int length, const values *b, int place)
{
    for (int i = 0; i < length; i++)
        if (!kind->equal(a->at + (size_t)i * kind->bytes, b->at + (size_t)(place + i) * kind->bytes))
            return 0;
    return 1;
}

/* How many values each process gets, and where they begin. */
static int share_of(int process) { return process; }
static int place_of(int process) { return process * (process - 1) / 2; }

static void defined(const struct kind *kind, MPI_Datatype type, int op)
{
    values in, out, other, next, before, upto, all;
    Count shares[4];
    MPI_Op handle = handle_of(op);
    int first = rank - few_rank;
    put(kind, &in, rank);
    put(kind, &out, rank + 1);
    next = out;
    apply(kind, op, &in, &next);
    OK(MPI_Reduce_local(&in, &out, N, type, handle));
    CHECK(equal(kind, &out, N, &next, 0));

    for (int p = 0; p < few_size; p++) {
        put(kind, &other, first + p);
        before = p == few_rank && p > 0 ? all : before;
        if (p > 0)
            apply(kind, op, &all, &other);
        all = other;
        upto = p == few_rank ? all : upto;
        shares[p] = share_of(p);
    }
    OK(MPI_Allreduce(&in, &out, N, type, handle, few));
    CHECK(equal(kind, &out, N, &all, 0));
    memset(&out, 0, sizeof out);
    OK(MPI_Reduce(&in, &out, N, type, handle, op % few_size, few));
    CHECK(few_rank != op % few_size || equal(kind, &out, N, &all, 0));
    OK(MPI_Scan(&in, &out, N, type, handle, few));
    CHECK(equal(kind, &out, N, &upto, 0));
    OK(MPI_Exscan(&in, &out, N, type, handle, few));
    CHECK(few_rank == 0 || equal(kind, &out, N, &before, 0));
    OK(MPI_Reduce_scatter_block(&in, &out, N / 4, type, handle, few));
    CHECK(equal(kind, &out, N / 4, &all, few_rank * (N / 4)));
    OK(MPI_Reduce_scatter(&in, &out, shares, type, handle, few));
    CHECK(equal(kind, &out, share_of(few_rank), &all, place_of(few_rank)));
}

static void undefined(const struct kind *kind, MPI_Datatype type, MPI_Op op)
{
    values in, out;
    Count shares[4] = { 1, 1, 1, 1 };
    put(kind, &in, 0);
    FAILS(MPI_ERR_OP, MPI_Reduce_local(&in, &out, N, type, op));
    FAILS(MPI_ERR_OP, MPI_Allreduce(&in, &out, N, type, op, few));
    FAILS(MPI_ERR_OP, MPI_Reduce(&in, &out, N, type, op, 0, few));
    FAILS(MPI_ERR_OP, MPI_Scan(&in, &out, N, type, op, few));
    FAILS(MPI_ERR_OP, MPI_Exscan(&in, &out, N, type, op, few));
    FAILS(MPI_ERR_OP, MPI_Reduce_scatter_block(&in, &out, 1, type, op, few));
    FAILS(MPI_ERR_OP, MPI_Reduce_scatter(&in, &out, shares, type, op, few));
}

static void all_pairs(void)
{
    for (size_t n = 0; n < sizeof all_types / sizeof *all_types; n++)
        for (int op = 0; op < OPS; op++) {
            const struct kind *kind = all_types[n].kind;
            if (kind->operations >> op & 1)
                defined(kind, all_types[n].type, op);
            else
                undefined(kind, all_types[n].type, handle_of(op));
        }
}

/* MPI_REPLACE and MPI_NO_OP are for one-sided communication alone. */
static void one_sided(void)
{
    int in[4] = { 5, 5, 5, 5 }, inout[4] = { 7, 7, 7, 7 };
    Count shares[4] = { 1, 1, 1, 1 };
    const MPI_Op ops[] = { MPI_REPLACE, MPI_NO_OP };
    for (int n = 0; n < 2; n++) {
        FAILS(MPI_ERR_OP, MPI_Reduce_local(in, inout, 1, MPI_INT, ops[n]));
        FAILS(MPI_ERR_OP, MPI_Reduce(in, inout, 1, MPI_INT, ops[n], 0, few));
        FAILS(MPI_ERR_OP, MPI_Allreduce(in, inout, 1, MPI_INT, ops[n], few));
        FAILS(MPI_ERR_OP, MPI_Scan(in, inout, 1, MPI_INT, ops[n], few));
        FAILS(MPI_ERR_OP, MPI_Exscan(in, inout, 1, MPI_INT, ops[n], few));
        FAILS(MPI_ERR_OP, MPI_Reduce_scatter(in, inout, shares, MPI_INT, ops[n], few));
        FAILS(MPI_ERR_OP, MPI_Reduce_scatter_block(in, inout, 1, MPI_INT, ops[n], few));
    }
    CHECK(inout[0] == 7);
}

static void largest(void *in, void *inout, Count *count, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    CHECK(*type == MPI_INT);
    for (Count i = 0; i < *count; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void commutativity(void)
{
    MPI_Op ops[] = { MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR,
                     MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC };
    int commutes, values[2] = { rank, -rank }, out[2];
    MPI_Op own;
    for (size_t n = 0; n < sizeof ops / sizeof *ops; n++) {
        OK(MPI_Op_commutative(ops[n], &commutes));
        CHECK(commutes);
        MPI_Op copy = ops[n];
        FAILS(MPI_ERR_OP, MPI_Op_free(&copy));
    }
    for (int wanted = 0; wanted < 2; wanted++) {
        OK(MPI_Op_create(largest, wanted, &own));
        OK(MPI_Op_commutative(own, &commutes));
        CHECK(commutes == wanted);
        OK(MPI_Allreduce(values, out, 2, MPI_INT, own, MPI_COMM_WORLD));
        CHECK(out[0] == size - 1 && out[1] == 0);
        out[0] = 99;
        OK(MPI_Reduce_local(values, out, 1, MPI_INT, own));
        CHECK(out[0] == 99);
        MPI_Op stale = own;
        OK(MPI_Op_free(&own));
        CHECK(own == MPI_OP_NULL);
        FAILS(MPI_ERR_OP, MPI_Op_free(&own));
        FAILS(MPI_ERR_OP, MPI_Op_commutative(stale, &commutes));
        FAILS(MPI_ERR_OP, MPI_Allreduce(values, out, 2, MPI_INT, stale, MPI_COMM_WORLD));
    }
    FAILS(MPI_ERR_ARG, MPI_Op_create(NULL, 1, &own));
}

int main(void)
{
    begin(&rank, &size);
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &few));
    OK(MPI_Comm_set_errhandler(few, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(few, &few_rank));
    OK(MPI_Comm_size(few, &few_size));
    all_pairs();
    one_sided();
    commutativity();
    /* Nothing to do. */
    OK(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, MPI_SUM));
    OK(MPI_Comm_free(&few));
    OK(MPI_Finalize());
    return 0;
}
