/* Every predefined operation on every predefined datatype, in each function that reduces, against what
   C computes; MPI_ERR_OP where the standard defines nothing. Values are small, so that no order of
   additions rounds, and no product overflows what its type holds exactly. */
#include <complex.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"

enum { N = 12, WIDEST = 32 };

static int rank, size;

/* At most four processes in the order of their ranks: the product of more would not be exact in each
   type. */
static MPI_Comm few;
static int few_rank, few_size;

enum op { MAX, MIN, SUM, PROD, LAND, LOR, LXOR, BAND, BOR, BXOR, MAXLOC, MINLOC, OPS };

static MPI_Op handle_of(int op)
{
    const MPI_Op all[OPS] = { MPI_MAX,  MPI_MIN,  MPI_SUM, MPI_PROD, MPI_LAND,   MPI_LOR,
                              MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC };
    return all[op];
}

#define NOTHING 0
#define ORDER (1 << MAX | 1 << MIN)
#define ARITHMETIC (1 << SUM | 1 << PROD)
#define LOGIC (1 << LAND | 1 << LOR | 1 << LXOR)
#define BITS (1 << BAND | 1 << BOR | 1 << BXOR)
#define PLACES (1 << MAXLOC | 1 << MINLOC)

/* What values of a datatype are to C. */
struct kind {
    size_t bytes;
    /* The operations that are defined. */
    int operations;
    /* Puts a value there: 0 to 3, and where it comes from. */
    void (*put)(void *to, int digit, int process);
    /* b = a op b, where a comes from the lower rank. */
    void (*apply)(int op, const void *a, void *b);
    int (*equal)(const void *a, const void *b);
};

#define APPLY_ORDER(a, b)               \
    case MAX: b = a > b ? a : b; break; \
    case MIN: b = a < b ? a : b; break;
#define APPLY_ARITHMETIC(a, b)  \
    case SUM: b = a + b; break; \
    case PROD: b = a * b; break;
#define APPLY_LOGIC(a, b)        \
    case LAND: b = a && b; break; \
    case LOR: b = a || b; break; \
    case LXOR: b = !a != !b; break;
#define APPLY_BITS(a, b)        \
    case BAND: b = a & b; break; \
    case BOR: b = a | b; break; \
    case BXOR: b = a ^ b; break;
#define APPLY_C_INTEGER(a, b) APPLY_ORDER(a, b) APPLY_ARITHMETIC(a, b) APPLY_LOGIC(a, b) APPLY_BITS(a, b)
#define APPLY_INTEGER(a, b) APPLY_ORDER(a, b) APPLY_ARITHMETIC(a, b) APPLY_BITS(a, b)
#define APPLY_REAL(a, b) APPLY_ORDER(a, b) APPLY_ARITHMETIC(a, b)
#define APPLY_NOTHING(a, b) default: (void)a, (void)b;

/* A number of the type made of a digit: for complex ones with an imaginary part. */
#define PLAIN(type, d) ((type)(d))
#define IMAGINARY(type, d) ((type)(d) + (type)((d) == 3) * (type)1.0i)

#define KIND(name, type, operations, applied, number)                       \
    static void put_##name(void *to, int digit, int process)                \
    {                                                                       \
        *(type *)to = number(type, digit);                                  \
        (void)process;                                                      \
    }                                                                       \
    static void apply_##name(int op, const void *first, void *second)       \
    {                                                                       \
        const type *a = first;                                              \
        type *b = second;                                                   \
        switch (op) { applied(*a, *b) }                                     \
    }                                                                       \
    static int equal_##name(const void *a, const void *b)                   \
    {                                                                       \
        return *(const type *)a == *(const type *)b;                        \
    }                                                                       \
    static const struct kind name = { sizeof(type), operations, put_##name, \
                                      apply_##name, equal_##name };

typedef __int128 int128;
typedef unsigned __int128 uint128;
typedef _Float16 half;
typedef float quad __attribute__((mode(TF)));
typedef float complex cfloat;
typedef double complex cdouble;
typedef long double complex clong;
typedef _Complex float cquad __attribute__((mode(TC)));

#define C_INTEGER(name, type) \
    KIND(name, type, ORDER | ARITHMETIC | LOGIC | BITS, APPLY_C_INTEGER, PLAIN)
#define INTEGER(name, type) KIND(name, type, ORDER | ARITHMETIC | BITS, APPLY_INTEGER, PLAIN)
#define REAL(name, type) KIND(name, type, ORDER | ARITHMETIC, APPLY_REAL, PLAIN)
#define LOGICAL(name, type) KIND(name, type, LOGIC, APPLY_LOGIC, PLAIN)
#define COMPLEX(name, type) KIND(name, type, ARITHMETIC, APPLY_ARITHMETIC, IMAGINARY)

C_INTEGER(c_int8, int8_t)
C_INTEGER(c_int16, int16_t)
C_INTEGER(c_int32, int32_t)
C_INTEGER(c_int64, int64_t)
C_INTEGER(c_uint8, uint8_t)
C_INTEGER(c_uint16, uint16_t)
C_INTEGER(c_uint32, uint32_t)
C_INTEGER(c_uint64, uint64_t)
INTEGER(integer1, int8_t)
INTEGER(integer2, int16_t)
INTEGER(integer4, int32_t)
INTEGER(integer8, int64_t)
INTEGER(integer16, int128)
REAL(real2, half)
REAL(real4, float)
REAL(real8, double)
REAL(real_long, long double)
REAL(real16, quad)
LOGICAL(c_bool, bool)
LOGICAL(logical1, uint8_t)
LOGICAL(logical2, uint16_t)
LOGICAL(logical4, uint32_t)
LOGICAL(logical8, uint64_t)
LOGICAL(logical16, uint128)
COMPLEX(complex8, cfloat)
COMPLEX(complex16, cdouble)
COMPLEX(complex_long, clong)
COMPLEX(complex32, cquad)
KIND(byte, unsigned char, BITS, APPLY_BITS, PLAIN)
/* Characters and packed data have no arithmetic. */
KIND(character, char, NOTHING, APPLY_NOTHING, PLAIN)
KIND(wide_character, wchar_t, NOTHING, APPLY_NOTHING, PLAIN)

/* GCC has no complex type of halves. */
typedef struct { half re, im; } chalf;

static void put_complex4(void *to, int digit, int process)
{
    *(chalf *)to = (chalf){ (half)digit, (half)(digit == 3) };
    (void)process;
}

static void apply_complex4(int op, const void *first, void *second)
{
    chalf a = *(const chalf *)first, b = *(chalf *)second;
    *(chalf *)second = op == SUM ? (chalf){ a.re + b.re, a.im + b.im }
                                 : (chalf){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static int equal_complex4(const void *first, const void *second)
{
    const chalf *a = first, *b = second;
    return a->re == b->re && a->im == b->im;
}

static const struct kind complex4 = { sizeof(chalf), ARITHMETIC, put_complex4, apply_complex4,
                                      equal_complex4 };

/* The extreme value with the lowest index of those that have it. Indices fall with the rank. */
#define PAIR(name, value_type, index_type)                                                       \
    typedef struct { value_type value; index_type index; } pair_##name;                          \
    static void put_##name(void *to, int digit, int process)                                     \
    {                                                                                            \
        pair_##name *pair = to;                                                                  \
        pair->value = (value_type)digit, pair->index = (index_type)(20 - process);               \
    }                                                                                            \
    static void apply_##name(int op, const void *first, void *second)                            \
    {                                                                                            \
        const pair_##name *a = first;                                                            \
        pair_##name *b = second;                                                                 \
        if (a->value == b->value ? a->index < b->index                                           \
                                 : op == MAXLOC ? a->value > b->value : a->value < b->value)     \
            *b = *a;                                                                             \
    }                                                                                            \
    static int equal_##name(const void *first, const void *second)                               \
    {                                                                                            \
        const pair_##name *a = first, *b = second;                                               \
        return a->value == b->value && a->index == b->index;                                     \
    }                                                                                            \
    static const struct kind name = { sizeof(pair_##name), PLACES, put_##name, apply_##name,     \
                                      equal_##name };

PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(two_ints, int, int)
PAIR(short_int, short, int)
PAIR(long_double_int, long double, int)
PAIR(two_floats, float, float)
PAIR(two_doubles, double, double)

static const struct { MPI_Datatype type; const struct kind *kind; } all_types[] = {
    { MPI_INT8_T, &c_int8 }, { MPI_SIGNED_CHAR, &c_int8 }, { MPI_CHAR, &c_int8 },
    { MPI_UINT8_T, &c_uint8 }, { MPI_UNSIGNED_CHAR, &c_uint8 },
    { MPI_INT16_T, &c_int16 }, { MPI_SHORT, &c_int16 },
    { MPI_UINT16_T, &c_uint16 }, { MPI_UNSIGNED_SHORT, &c_uint16 },
    { MPI_INT32_T, &c_int32 }, { MPI_INT, &c_int32 },
    { MPI_UINT32_T, &c_uint32 }, { MPI_UNSIGNED, &c_uint32 },
    { MPI_INT64_T, &c_int64 }, { MPI_LONG, &c_int64 }, { MPI_LONG_LONG, &c_int64 },
    { MPI_LONG_LONG_INT, &c_int64 },
    { MPI_UINT64_T, &c_uint64 }, { MPI_UNSIGNED_LONG, &c_uint64 },
    { MPI_UNSIGNED_LONG_LONG, &c_uint64 },
    { MPI_INTEGER, &integer4 }, { MPI_INTEGER1, &integer1 }, { MPI_INTEGER2, &integer2 },
    { MPI_INTEGER4, &integer4 }, { MPI_INTEGER8, &integer8 }, { MPI_INTEGER16, &integer16 },
    /* Beyond the standard, which has no logic for addresses, offsets and counts. */
    { MPI_AINT, &c_int64 }, { MPI_OFFSET, &c_int64 }, { MPI_COUNT, &c_int64 },
    { MPI_FLOAT, &real4 }, { MPI_DOUBLE, &real8 }, { MPI_LONG_DOUBLE, &real_long },
    { MPI_REAL, &real4 }, { MPI_DOUBLE_PRECISION, &real8 }, { MPI_REAL2, &real2 },
    { MPI_REAL4, &real4 }, { MPI_REAL8, &real8 }, { MPI_REAL16, &real16 },
    { MPI_C_BOOL, &c_bool }, { MPI_CXX_BOOL, &c_bool }, { MPI_LOGICAL, &logical4 },
    { MPI_LOGICAL1, &logical1 }, { MPI_LOGICAL2, &logical2 }, { MPI_LOGICAL4, &logical4 },
    { MPI_LOGICAL8, &logical8 }, { MPI_LOGICAL16, &logical16 },
    { MPI_C_COMPLEX, &complex8 }, { MPI_C_FLOAT_COMPLEX, &complex8 },
    { MPI_CXX_FLOAT_COMPLEX, &complex8 }, { MPI_C_DOUBLE_COMPLEX, &complex16 },
    { MPI_CXX_DOUBLE_COMPLEX, &complex16 }, { MPI_C_LONG_DOUBLE_COMPLEX, &complex_long },
    { MPI_CXX_LONG_DOUBLE_COMPLEX, &complex_long },
    { MPI_COMPLEX, &complex8 }, { MPI_DOUBLE_COMPLEX, &complex16 }, { MPI_COMPLEX4, &complex4 },
    { MPI_COMPLEX8, &complex8 }, { MPI_COMPLEX16, &complex16 }, { MPI_COMPLEX32, &complex32 },
    { MPI_BYTE, &byte }, { MPI_CHARACTER, &character }, { MPI_PACKED, &character },
    { MPI_WCHAR, &wide_character },
    { MPI_FLOAT_INT, &float_int }, { MPI_DOUBLE_INT, &double_int }, { MPI_LONG_INT, &long_int },
    { MPI_2INT, &two_ints }, { MPI_SHORT_INT, &short_int },
    { MPI_LONG_DOUBLE_INT, &long_double_int }, { MPI_2REAL, &two_floats },
    { MPI_2DOUBLE_PRECISION, &two_doubles }, { MPI_2INTEGER, &two_ints },
};

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
