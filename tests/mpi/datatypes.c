/* Predefined datatypes: sizes, extents, names, and data on the way through them. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "check.h"

static int rank, size;

/* A datatype, its size in bytes without padding, and the C type whose extent it has. */
struct row {
    MPI_Datatype type;
    int size, extent;
    const char *name;
};

#define PAIR(value) sizeof(struct { value v; int i; })
#define ROW(type, size, extent) { MPI_##type, (int)(size), (int)(extent), "MPI_" #type }
#define PLAIN(type, c) { MPI_##type, (int)sizeof(c), (int)sizeof(c), "MPI_" #type }

static const struct row all[] = {
    PLAIN(CHAR, char), PLAIN(SIGNED_CHAR, char), PLAIN(UNSIGNED_CHAR, char),
    PLAIN(BYTE, char), PLAIN(PACKED, char), PLAIN(CHARACTER, char),
    PLAIN(WCHAR, wchar_t), PLAIN(SHORT, short), PLAIN(UNSIGNED_SHORT, short),
    PLAIN(INT, int), PLAIN(UNSIGNED, int), PLAIN(LONG, long),
    PLAIN(UNSIGNED_LONG, long), PLAIN(LONG_LONG, long long),
    PLAIN(UNSIGNED_LONG_LONG, long long), PLAIN(FLOAT, float),
    PLAIN(DOUBLE, double), PLAIN(LONG_DOUBLE, long double),
    PLAIN(C_BOOL, bool), PLAIN(CXX_BOOL, bool),
    PLAIN(INT8_T, int8_t), PLAIN(UINT8_T, int8_t), PLAIN(INT16_T, int16_t),
    PLAIN(UINT16_T, int16_t), PLAIN(INT32_T, int32_t), PLAIN(UINT32_T, int32_t),
    PLAIN(INT64_T, int64_t), PLAIN(UINT64_T, int64_t), PLAIN(AINT, MPI_Aint),
    PLAIN(OFFSET, MPI_Offset), PLAIN(COUNT, MPI_Count),
    PLAIN(C_FLOAT_COMPLEX, float complex), PLAIN(C_DOUBLE_COMPLEX, double complex),
    PLAIN(C_LONG_DOUBLE_COMPLEX, long double complex),
    PLAIN(CXX_FLOAT_COMPLEX, float complex), PLAIN(CXX_DOUBLE_COMPLEX, double complex),
    PLAIN(CXX_LONG_DOUBLE_COMPLEX, long double complex),
    PLAIN(INTEGER, int), PLAIN(REAL, float), PLAIN(DOUBLE_PRECISION, double),
    PLAIN(COMPLEX, float complex), PLAIN(DOUBLE_COMPLEX, double complex),
    PLAIN(LOGICAL, int), ROW(INTEGER1, 1, 1), ROW(INTEGER2, 2, 2),
    ROW(INTEGER4, 4, 4), ROW(INTEGER8, 8, 8), ROW(INTEGER16, 16, 16),
    ROW(REAL2, 2, 2), ROW(REAL4, 4, 4), ROW(REAL8, 8, 8), ROW(REAL16, 16, 16),
    ROW(COMPLEX4, 4, 4), ROW(COMPLEX8, 8, 8), ROW(COMPLEX16, 16, 16),
    ROW(COMPLEX32, 32, 32), ROW(LOGICAL1, 1, 1), ROW(LOGICAL2, 2, 2),
    ROW(LOGICAL4, 4, 4), ROW(LOGICAL8, 8, 8), ROW(LOGICAL16, 16, 16),
    ROW(FLOAT_INT, sizeof(float) + sizeof(int), PAIR(float)),
    ROW(DOUBLE_INT, sizeof(double) + sizeof(int), PAIR(double)),
    ROW(LONG_INT, sizeof(long) + sizeof(int), PAIR(long)),
    ROW(2INT, 2 * sizeof(int), PAIR(int)),
    ROW(SHORT_INT, sizeof(short) + sizeof(int), PAIR(short)),
    /* The size of a long double counts its padding. */
    ROW(LONG_DOUBLE_INT, sizeof(long double) + sizeof(int), PAIR(long double)),
    ROW(2REAL, 8, 8), ROW(2DOUBLE_PRECISION, 16, 16), ROW(2INTEGER, 8, 8),
};
enum { TYPES = sizeof all / sizeof *all };

static void layout(void)
{
    for (size_t n = 0; n < TYPES; n++) {
        Count bytes = -1, numbers[4] = { 5, 5, 5, 5 };
        Extent lb = -1, extent = -1;
        MPI_Count wide = -1, lower = -1;
        int combiner = -1, length;
        char name[MPI_MAX_OBJECT_NAME];
        MPI_Datatype type = all[n].type;
        OK(MPI_Type_size(type, &bytes));
        CHECK(bytes == all[n].size);
        OK(MPI_Type_size_x(type, &wide));
        CHECK(wide == all[n].size);
        OK(MPI_Type_get_extent(type, &lb, &extent));
        CHECK(lb == 0 && extent == all[n].extent);
        OK(MPI_Type_get_extent_x(type, &lower, &wide));
        CHECK(lower == 0 && wide == all[n].extent);
        OK(MPI_Type_get_true_extent(type, &lb, &extent));
        CHECK(lb == 0 && extent >= bytes && extent <= all[n].extent);
        OK(MPI_Type_get_true_extent_x(type, &lower, &wide));
        CHECK(lower == lb && wide == extent);
#ifdef LARGE
        OK(MPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3],
                                 &combiner));
        CHECK(numbers[2] == 0);
#else
        OK(MPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[3], &combiner));
#endif
        CHECK(numbers[0] == 0 && numbers[1] == 0 && numbers[3] == 0);
        CHECK(combiner == MPI_COMBINER_NAMED);
        OK(MPI_Type_get_name(type, name, &length));
        CHECK(strcmp(name, all[n].name) == 0 && length == (int)strlen(name));
        MPI_Datatype copy = type;
        OK(MPI_Type_commit(&copy));
        CHECK(copy == type);
        FAILS(MPI_ERR_TYPE, MPI_Type_free(&copy));
    }
}

/* Seven elements of each type, with their padding, around the ring, by way of a buffer of packed data
   and without; padding need not arrive. */
static void data(void)
{
    enum { N = 7 };
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (size_t n = 0; n < TYPES; n++) {
        MPI_Datatype type = all[n].type;
        size_t bytes = (size_t)all[n].extent * N;
        int is_pair = all[n].size != all[n].extent;
        unsigned char *out = malloc(bytes), *in = malloc(bytes), *packed = malloc(4 * bytes + 64);
        MPI_Status status;
        Count count, length, position = 0;
        for (size_t i = 0; i < bytes; i++)
            out[i] = (unsigned char)(i * 3 + n);
        memset(in, 0, bytes);
        OK(MPI_Sendrecv(out, N, type, next, 1, in, N, type, previous, 1, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, type, &count));
        CHECK(count == N && (is_pair || memcmp(out, in, bytes) == 0));
        OK(MPI_Pack_size(N, type, MPI_COMM_WORLD, &length));
        CHECK(length >= all[n].size * N);
        OK(MPI_Pack(out, N, type, packed, length, &position, MPI_COMM_WORLD));
        CHECK(position > 0 && position <= length);
        memset(in, 0, bytes);
        /* Packed data is received as what it is. */
        OK(MPI_Sendrecv(packed, position, MPI_PACKED, next, 2, in, N, type, previous, 2,
                        MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, type, &count));
        CHECK(count == N && (is_pair || memcmp(out, in, bytes) == 0));
        Count first = 0;
        memset(in, 0, bytes);
        OK(MPI_Unpack(packed, position, &first, in, 3, type, MPI_COMM_WORLD));
        OK(MPI_Unpack(packed, position, &first, in + 3 * all[n].extent, N - 3, type,
                      MPI_COMM_WORLD));
        CHECK(first == position && (is_pair || memcmp(out, in, bytes) == 0));
        first = 0, position = 0;
        CHECK(MPI_Pack(out, N, type, packed, all[n].size * N - 1, &position, MPI_COMM_WORLD));
        CHECK(MPI_Unpack(packed, all[n].size * N - 1, &first, in, N, type, MPI_COMM_WORLD));
        free(out), free(in), free(packed);
    }
    /* The fields of a pair, which has padding. */
    struct { double value; int index; } pair = { 2.5, 3 }, got = { 0, 0 };
    OK(MPI_Sendrecv(&pair, 1, MPI_DOUBLE_INT, next, 1, &got, 1, MPI_DOUBLE_INT, previous, 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got.value == 2.5 && got.index == 3);
}

static void searches(void)
{
    MPI_Datatype found;
    int integers[] = { 1, 2, 4, 8, 16 }, reals[] = { 2, 4, 8, 16 };
    for (int n = 0; n < 5; n++) {
        Count bytes;
        OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, integers[n], &found));
        OK(MPI_Type_size(found, &bytes));
        CHECK(bytes == integers[n]);
        if (n < 4) {
            OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, reals[n], &found));
            OK(MPI_Type_size(found, &bytes));
            CHECK(bytes == reals[n]);
            OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 2 * reals[n], &found));
            OK(MPI_Type_size(found, &bytes));
            CHECK(bytes == 2 * reals[n]);
        }
    }
    FAILS(MPI_ERR_ARG, MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &found));
    FAILS(MPI_ERR_ARG, MPI_Type_match_size(12345, 4, &found));
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &found));
    CHECK(found == MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_INT, MPI_INT, &found));
    CHECK(found == MPI_2INT);
    OK(MPI_Type_get_value_index(MPI_CHAR, MPI_BYTE, &found));
    CHECK(found == MPI_DATATYPE_NULL);
}

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, array[4];
    MPI_Aint one, other;
    OK(MPI_Type_set_name(MPI_INT, "own name"));
    OK(MPI_Type_get_name(MPI_INT, name, &length));
    CHECK(strcmp(name, "own name") == 0 && length == 8);
    OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
    OK(MPI_Get_address(&array[0], &one));
    OK(MPI_Get_address(&array[3], &other));
    CHECK(MPI_Aint_diff(other, one) == 3 * (MPI_Aint)sizeof(int));
    CHECK(MPI_Aint_add(one, 3 * (MPI_Aint)sizeof(int)) == other);
}

#ifdef LARGE
typedef MPI_Count External;
#else
typedef MPI_Aint External;
#endif

/* The representation that is the same everywhere, of each type and of some values. */
static void external(void)
{
    static const unsigned char wanted[] = { 0xff, 0xff, 0xff, 0xfd, 0x40, 0x09, 0x00, 0x00, 0x00,
                                            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09 };
    unsigned char packed[3 * 64], out[3 * 64], in[3 * 64];
    struct { double value; int index; } pair = { 3.125, 9 };
    External length = -1, position = 0;
    long number = -3, found = 0;
    OK(MPI_Pack_external_size("external32", 2, MPI_LONG, &length));
    CHECK(length == 8);
    OK(MPI_Pack_external("external32", &number, 1, MPI_LONG, packed, 16, &position));
    OK(MPI_Pack_external("external32", &pair, 1, MPI_DOUBLE_INT, packed, 16, &position));
    CHECK(position == 16 && memcmp(packed, wanted, 16) == 0);
    FAILS(MPI_ERR_ARG, MPI_Pack_external("external32", &pair, 1, MPI_CHAR, packed, 16, &position));
    OK(MPI_Pack_external("external32", NULL, 0, MPI_CHAR, packed, 16, &position));
    pair.value = pair.index = 0, position = 0;
    OK(MPI_Unpack_external("external32", packed, 16, &position, &found, 1, MPI_LONG));
    OK(MPI_Unpack_external("external32", packed, 16, &position, &pair, 1, MPI_DOUBLE_INT));
    CHECK(position == 16 && found == -3 && pair.value == 3.125 && pair.index == 9);
    number = 1L << 40;
    FAILS(MPI_ERR_CONVERSION,
          MPI_Pack_external("external32", &number, 1, MPI_LONG, packed, 16, (position = 0, &position)));
    FAILS(MPI_ERR_UNSUPPORTED_DATAREP, MPI_Pack_external_size("native", 1, MPI_INT, &length));

    /* There and back. Small numbers fit everywhere. */
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        memset(out, 0, sizeof out), memset(in, 0, sizeof in);
        for (int i = 0; i < 3; i++)
            out[i * all[n].extent] = (unsigned char)(i + 1);
        OK(MPI_Pack_external_size("external32", 3, all[n].type, &length));
        position = 0;
        OK(MPI_Pack_external("external32", out, 3, all[n].type, packed, length, &position));
        CHECK(position == length && length > 0);
        position = 0;
        OK(MPI_Unpack_external("external32", packed, length, &position, in, 3, all[n].type));
        CHECK(position == length);
        for (int i = 0; i < 3; i++)
            CHECK(in[i * all[n].extent] == i + 1);
    }
}

int main(void)
{
    begin(&rank, &size);
    layout();
    data();
    external();
    searches();
    names();
    OK(MPI_Finalize());
    return 0;
}
