/* Every predefined datatype, the operations that are defined on it, and what C computes with its values. Values are
   small, so that no order of additions rounds, and no product overflows what its type holds exactly. */
#ifndef KINDS_H
#define KINDS_H

#include <complex.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"

/* Bytes of the widest type. */
enum { WIDEST = 32 };

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

#endif
