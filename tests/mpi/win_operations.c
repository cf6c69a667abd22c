/* Every operation of windows on every predefined datatype with every predefined reduction that is defined on it,
   against what C computes. */
#include "kinds.h"
#include "check.h"

enum { N = 17, ROOM = 64 };

static int rank, size, target;

/* Of each rank: room for N values, behind ROOM bytes. */
static MPI_Win win;
static char *base;

typedef struct { alignas(64) char at[N * WIDEST]; } values;

static void make(const struct kind *kind, values *to, int salt)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i < N; i++)
        kind->put(to->at + (size_t)i * kind->bytes, (salt * 5 + i * 3 + i / 4) % 4, salt + i % 3);
}

static void apply(const struct kind *kind, int op, const values *a, values *b, int count)
{
    for (int i = 0; i < count; i++)
        kind->apply(op, a->at + (size_t)i * kind->bytes, b->at + (size_t)i * kind->bytes);
}

static int equal(const struct kind *kind, const values *a, const values *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!kind->equal(a->at + (size_t)i * kind->bytes, b->at + (size_t)i * kind->bytes)) return 0;
    return 1;
}

/* So many values of the target are these. */
static int target_has(const struct kind *kind, MPI_Datatype type, const values *wanted, int count)
{
    values got;
    memset(&got, 0, sizeof got);
    OK(MPI_Get(&got, count, type, target, ROOM, count, type, win));
    OK(MPI_Win_flush(target, win));
    return equal(kind, &got, wanted, count);
}

static void put_there(MPI_Datatype type, const values *from, int count)
{
    OK(MPI_Put(from, count, type, target, ROOM, count, type, win));
    OK(MPI_Win_flush(target, win));
}

static void reduction(const struct kind *kind, MPI_Datatype type, int op, int count)
{
    values in, more, there, got;
    MPI_Op handle = handle_of(op);
    make(kind, &there, 1);
    make(kind, &in, 2);
    make(kind, &more, 3);
    put_there(type, &there, count);
    OK(MPI_Accumulate(&in, count, type, target, ROOM, count, type, handle, win));
    OK(MPI_Win_flush(target, win));
    apply(kind, op, &in, &there, count);
    CHECK(target_has(kind, type, &there, count));
    memset(&got, 0, sizeof got);
    OK(MPI_Get_accumulate(&more, count, type, &got, count, type, target, ROOM, count, type, handle, win));
    OK(MPI_Win_flush_local(target, win));
    CHECK(equal(kind, &got, &there, count));
    OK(MPI_Win_flush(target, win));
    apply(kind, op, &more, &there, count);
    CHECK(target_has(kind, type, &there, count));
    memset(&got, 0, sizeof got);
    if (count == 1) {
        OK(MPI_Fetch_and_op(&in, &got, type, target, ROOM, handle, win));
        OK(MPI_Win_flush(target, win));
        CHECK(equal(kind, &got, &there, 1));
        apply(kind, op, &in, &there, 1);
        CHECK(target_has(kind, type, &there, 1));
    }
}

/* What needs no arithmetic is defined on all types. */
static void moves(const struct kind *kind, MPI_Datatype type, int count)
{
    values in, there, got;
    make(kind, &there, 4);
    make(kind, &in, 5);
    put_there(type, &there, count);
    CHECK(target_has(kind, type, &there, count));
    memset(&got, 0, sizeof got);
    OK(MPI_Get_accumulate(NULL, 0, MPI_BYTE, &got, count, type, target, ROOM, count, type, MPI_NO_OP, win));
    OK(MPI_Win_flush(target, win));
    CHECK(equal(kind, &got, &there, count));
    memset(&got, 0, sizeof got);
    OK(MPI_Get_accumulate(&in, count, type, &got, count, type, target, ROOM, count, type, MPI_REPLACE, win));
    OK(MPI_Win_flush(target, win));
    CHECK(equal(kind, &got, &there, count));
    CHECK(target_has(kind, type, &in, count));
    OK(MPI_Accumulate(&there, count, type, target, ROOM, count, type, MPI_REPLACE, win));
    OK(MPI_Win_flush(target, win));
    CHECK(target_has(kind, type, &there, count));
    if (count > 1) return;
    memset(&got, 0, sizeof got);
    OK(MPI_Fetch_and_op(NULL, &got, type, target, ROOM, MPI_NO_OP, win));
    OK(MPI_Win_flush(target, win));
    CHECK(equal(kind, &got, &there, 1));
    memset(&got, 0, sizeof got);
    OK(MPI_Fetch_and_op(&in, &got, type, target, ROOM, MPI_REPLACE, win));
    OK(MPI_Win_flush(target, win));
    CHECK(equal(kind, &got, &there, 1));
    CHECK(target_has(kind, type, &in, 1));
}

static void swaps(const struct kind *kind, MPI_Datatype type)
{
    values old, new, got;
    memset(&old, 0, sizeof old);
    memset(&new, 0, sizeof new);
    kind->put(&old, 0, 0);
    kind->put(&new, 1, 1);
    put_there(type, &old, 1);
    OK(MPI_Compare_and_swap(&new, &new, &got, type, target, ROOM, win));
    OK(MPI_Win_flush(target, win));
    CHECK(equal(kind, &got, &old, 1));
    CHECK(target_has(kind, type, &old, 1));
    memset(&got, 0, sizeof got);
    OK(MPI_Compare_and_swap(&new, &old, &got, type, target, ROOM, win));
    OK(MPI_Win_flush(target, win));
    CHECK(equal(kind, &got, &old, 1));
    CHECK(target_has(kind, type, &new, 1));
    OK(MPI_Compare_and_swap(&old, &new, &got, type, target, ROOM, win));
    OK(MPI_Win_flush(target, win));
    CHECK(equal(kind, &got, &new, 1));
    CHECK(target_has(kind, type, &old, 1));
}

/* Integers, logical values, addresses and bytes; some libraries swap no logical values of Fortran. */
static int can_be_swapped(const struct kind *kind)
{
    int classes = getenv("TEST_PEER") ? BITS : BITS | LOGIC;
    return kind->bytes <= 8 && (kind->operations & classes) != 0;
}

/* Whether a process by itself can do it: an MPI without Fortran, or with fewer types than the standard lets it have,
   is not tested for the others. */
static int is_there(const struct kind *kind, MPI_Datatype type, int op)
{
    values a, b, wanted;
    if (type == MPI_DATATYPE_NULL) return 0;
    if (op == OPS) return 1;
    if (getenv("TEST_PEER") && (type == MPI_INTEGER16 || type == MPI_REAL2)) return 0;
    make(kind, &a, 2);
    make(kind, &b, 3);
    wanted = b;
    apply(kind, op, &a, &wanted, N);
    return MPI_Reduce_local(&a, &b, N, type, handle_of(op)) == MPI_SUCCESS && equal(kind, &b, &wanted, N);
}

static void all_types_and_operations(void)
{
    for (size_t n = 0; n < sizeof all_types / sizeof *all_types; n++) {
        const struct kind *kind = all_types[n].kind;
        MPI_Datatype type = all_types[n].type;
        if (!is_there(kind, type, OPS)) continue;
        for (int count = 1; count <= N; count += N - 1) {
            moves(kind, type, count);
            for (int op = 0; op < OPS; op++)
                if (kind->operations >> op & 1 && is_there(kind, type, op)) reduction(kind, type, op, count);
        }
        if (can_be_swapped(kind)) swaps(kind, type);
    }
}

/* Displacements count in units of the target. */
static void units(void)
{
    enum { BYTES = 256 };
    char memory[BYTES];
    MPI_Win other;
    int to = (rank + 1) % size, value = 0x1234 + rank;
    for (int shift = 0; shift < 6; shift++) {
        memset(memory, 0, BYTES);
        OK(MPI_Win_create(memory, BYTES, 1 << (shift + rank) % 6, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
        OK(MPI_Win_fence(0, other));
        OK(MPI_Put(&value, 1, MPI_INT, to, 64 >> (shift + to) % 6, 1, MPI_INT, other));
        OK(MPI_Accumulate(&value, 1, MPI_INT, to, 128 >> (shift + to) % 6, 1, MPI_INT, MPI_SUM, other));
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, other));
        int wanted = 0x1234 + (rank + size - 1) % size, none = 0;
        CHECK(memcmp(memory + 64, &wanted, sizeof wanted) == 0);
        CHECK(memcmp(memory + 128, &wanted, sizeof wanted) == 0);
        CHECK(memcmp(memory + 68, &none, sizeof none) == 0 && memcmp(memory + 60, &none, sizeof none) == 0);
        OK(MPI_Win_free(&other));
    }
}

/* All processes add to the elements of all, most of them at the same time. */
static void together(void)
{
    enum { MANY = 40, EACH = 30 };
    long *sums, in[MANY], old[MANY], last[MANY];
    struct { int value, place; } pair = { 100 + rank % 3, rank }, *best;
    MPI_Win other, places;
    OK(MPI_Win_allocate(sizeof(long) * MANY, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &sums, &other));
    OK(MPI_Win_allocate(sizeof pair, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &best, &places));
    OK(MPI_Win_fence(0, other));
    memset(sums, 0, sizeof(long) * MANY);
    best->value = best->place = -1;
    OK(MPI_Win_fence(0, other));
    OK(MPI_Win_fence(0, places));
    for (int n = 0; n < MANY; n++) in[n] = n + rank, last[n] = -1;
    for (int n = 0; n < EACH; n++)
        for (int r = 0; r < size; r++) {
            OK(MPI_Accumulate(in, MANY, MPI_LONG, r, 0, MANY, MPI_LONG, MPI_SUM, other));
            OK(MPI_Accumulate(&pair, 1, MPI_2INT, r, 0, 1, MPI_2INT, MPI_MAXLOC, places));
        }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, places));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, other));
    int most = size > 2 ? 2 : size - 1;
    CHECK(best->value == 100 + most && best->place == most);
    for (int n = 0; n < MANY; n++) CHECK(sums[n] == EACH * (size * n + size * (size - 1) / 2));
    /* Old values of one's own additions only grow. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, other));
    for (int n = 0; n < MANY; n++) in[n] = 1;
    for (int n = 0; n < EACH; n++) {
        OK(MPI_Get_accumulate(in, MANY, MPI_LONG, old, MANY, MPI_LONG, 0, 0, MANY, MPI_LONG, MPI_SUM, other));
        OK(MPI_Win_flush_local(0, other));
        for (int m = 0; m < MANY; m++) {
            CHECK(old[m] > last[m]);
            last[m] = old[m];
        }
    }
    OK(MPI_Win_unlock_all(other));
    OK(MPI_Win_free(&other));
    OK(MPI_Win_free(&places));
}

/* No elements, and no process. */
static void nothing(void)
{
    int value = 77, old = 78, more = 79;
    int null = MPI_PROC_NULL;
    OK(MPI_Put(NULL, 0, MPI_INT, target, 0, 0, MPI_INT, win));
    OK(MPI_Get(NULL, 0, MPI_INT, target, 0, 0, MPI_INT, win));
    OK(MPI_Accumulate(NULL, 0, MPI_INT, target, 0, 0, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, target, 0, 0, MPI_INT, MPI_SUM, win));
    OK(MPI_Put(&value, 1, MPI_INT, null, 5, 1, MPI_INT, win));
    OK(MPI_Get(&old, 1, MPI_INT, null, 5, 1, MPI_INT, win));
    OK(MPI_Accumulate(&value, 1, MPI_INT, null, 5, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(&value, 1, MPI_INT, &old, 1, MPI_INT, null, 5, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Fetch_and_op(&value, &old, MPI_INT, null, 5, MPI_SUM, win));
    OK(MPI_Compare_and_swap(&value, &more, &old, MPI_INT, null, 5, win));
    OK(MPI_Win_flush_all(win));
    CHECK(value == 77 && old == 78 && more == 79);
}

int main(void)
{
    begin(&rank, &size);
    target = (rank + 1) % size;
    OK(MPI_Win_allocate(ROOM + (MPI_Aint)sizeof(values), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_lock_all(0, win));
    nothing();
    all_types_and_operations();
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    /* Memory of the program, on the stack, and this process itself as the target. */
    char own[ROOM + sizeof(values)];
    target = rank;
    base = own;
    OK(MPI_Win_create(base, sizeof own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_lock_all(0, win));
    all_types_and_operations();
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    units();
    together();
    MPI_Finalize();
    return 0;
}
