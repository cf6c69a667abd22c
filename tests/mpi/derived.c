/* Derived datatypes: what constructors make, what they say of themselves, and their data on the way through
   messages, collective operations and buffers, also after they were freed. */
#include <stddef.h>
#include <stdint.h>

#include "check.h"

static int rank, size;

enum { N = 40, TAG = 1 };

/* Every number of an array tells its place. */
static void fill(int *data, int count, int first)
{
    for (int n = 0; n < count; n++) data[n] = first + n;
}

static void bounds_are(MPI_Datatype type, MPI_Count wanted_size, MPI_Count wanted_lb, MPI_Count wanted_extent,
                       MPI_Count wanted_true_lb, MPI_Count wanted_true_extent)
{
    MPI_Count bytes, lb, extent;
    OK(MPI_Type_size_x(type, &bytes));
    CHECK(bytes == wanted_size);
    OK(MPI_Type_get_extent_x(type, &lb, &extent));
    CHECK(lb == wanted_lb && extent == wanted_extent);
    OK(MPI_Type_get_true_extent_x(type, &lb, &extent));
    CHECK(lb == wanted_true_lb && extent == wanted_true_extent);
}

static void bounds(void)
{
    MPI_Datatype type, other, inner;
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    bounds_are(type, 12, 0, 12, 0, 12);
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    OK(MPI_Type_vector(3, 2, -4, MPI_INT, &type));
    bounds_are(type, 24, -32, 40, -32, 40);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hvector(3, 2, -16, MPI_INT, &type));
    bounds_are(type, 24, -32, 40, -32, 40);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed_block(3, 2, (MPI_Aint[]){ 40, -8, 4 }, MPI_INT, &type));
    bounds_are(type, 24, -8, 56, -8, 56);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous(0, MPI_INT, &type));
    bounds_are(type, 0, 0, 0, 0, 0);
    OK(MPI_Type_free(&type));
    /* Rounded up to the alignment, unless the program says where it ends. */
    OK(MPI_Type_create_struct(2, (Count[]){ 1, 1 }, (MPI_Aint[]){ 0, 8 },
                              (MPI_Datatype[]){ MPI_DOUBLE, MPI_CHAR }, &inner));
    bounds_are(inner, 9, 0, 16, 0, 9);
    OK(MPI_Type_create_resized(inner, -8, 32, &other));
    bounds_are(other, 9, -8, 32, 0, 9);
    /* The marks count, though there is data outside. */
    OK(MPI_Type_create_struct(2, (Count[]){ 1, 1 }, (MPI_Aint[]){ 0, 100 },
                              (MPI_Datatype[]){ other, MPI_INT }, &type));
    bounds_are(type, 13, -8, 32, 0, 104);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&other));
    OK(MPI_Type_free(&inner));
}

/* What a type was made with comes back, and makes the same type again. */
static void contents(void)
{
#ifdef LARGE
    enum { LARGE_COUNTS = 1 };
#else
    enum { LARGE_COUNTS = 0 };
#endif
    MPI_Datatype type, found[2];
    int combiner, ints[8];
    MPI_Aint addresses[4];
    Count integers, number, large, types;
    OK(MPI_Type_create_hindexed(2, (Count[]){ 1, 3 }, (MPI_Aint[]){ 16, 0 }, MPI_SHORT, &type));
#ifdef LARGE
    MPI_Count counts[8];
    int small;
    OK(MPI_Type_get_envelope(type, &integers, &number, &large, &types, &combiner));
    CHECK(integers == 0 && number == 0 && large == 5 && types == 1);
    OK(MPI_Type_get_contents(type, 8, 4, 8, 2, ints, addresses, counts, found));
    CHECK(counts[0] == 2 && counts[1] == 1 && counts[2] == 3 && counts[3] == 16 && counts[4] == 0);
    /* The plain forms can't say that. */
#undef MPI_Type_get_envelope
    FAILS(MPI_ERR_TYPE, MPI_Type_get_envelope(type, &small, &small, &small, &combiner));
    combiner = MPI_COMBINER_HINDEXED;
#else
    large = LARGE_COUNTS;
    OK(MPI_Type_get_envelope(type, &integers, &number, &types, &combiner));
    CHECK(integers == 3 && number == 2 && large == 0 && types == 1);
    FAILS(MPI_ERR_ARG, MPI_Type_get_contents(type, 2, 4, 2, ints, addresses, found));
    OK(MPI_Type_get_contents(type, 8, 4, 2, ints, addresses, found));
    CHECK(ints[0] == 2 && ints[1] == 1 && ints[2] == 3 && addresses[0] == 16 && addresses[1] == 0);
#endif
    CHECK(combiner == MPI_COMBINER_HINDEXED && found[0] == MPI_SHORT);
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&found[0]));
    OK(MPI_Type_free(&type));
}

/* A column of a matrix, however it is built, arrives in whatever the receiver has. */
static void messages(void)
{
    enum { ROWS = 5, COLUMNS = 8 };
    int matrix[ROWS][COLUMNS], line[ROWS];
    MPI_Datatype columns[4], element;
    Count sizes[] = { ROWS, COLUMNS }, part[] = { ROWS, 1 }, start[] = { 0, 2 };
    Count places[ROWS];
    for (int n = 0; n < ROWS; n++) places[n] = n * COLUMNS;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    OK(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &columns[0]));
    OK(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &columns[1]));
    OK(MPI_Type_create_indexed_block(ROWS, 1, places, MPI_INT, &columns[2]));
    OK(MPI_Type_create_resized(MPI_INT, 0, COLUMNS * sizeof(int), &element));
    OK(MPI_Type_contiguous(ROWS, element, &columns[3]));
    OK(MPI_Type_free(&element));
    for (int way = 0; way < 4; way++) {
        MPI_Request requests[2];
        MPI_Status status;
        Count count;
        int *first = way == 1 ? matrix[0] : &matrix[0][2];
        fill(matrix[0], ROWS * COLUMNS, 1000 * rank);
        FAILS(MPI_ERR_TYPE, MPI_Send(first, 1, columns[way], to, TAG, MPI_COMM_WORLD));
        OK(MPI_Type_commit(&columns[way]));
        OK(MPI_Type_commit(&columns[way]));
        /* Into a row, out of a column. */
        OK(MPI_Irecv(line, ROWS, MPI_INT, from, TAG, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Isend(first, 1, columns[way], to, TAG, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int n = 0; n < ROWS; n++) CHECK(line[n] == 1000 * from + n * COLUMNS + 2);
        /* Into a column, out of a row; the type is gone before the message has come. */
        MPI_Datatype copy;
        OK(MPI_Type_dup(columns[way], &copy));
        fill(line, ROWS, 500 * rank);
        memset(matrix, 0, sizeof matrix);
        OK(MPI_Irecv(first, 1, copy, from, TAG, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Type_free(&copy));
        OK(MPI_Send(line, ROWS, MPI_INT, to, TAG, MPI_COMM_WORLD));
        OK(MPI_Wait(&requests[0], &status));
        OK(MPI_Get_count(&status, columns[way], &count));
        CHECK(count == 1);
        OK(MPI_Get_elements(&status, columns[way], &count));
        CHECK(count == ROWS);
        for (int n = 0; n < ROWS * COLUMNS; n++)
            CHECK(matrix[n / COLUMNS][n % COLUMNS] == (n % COLUMNS == 2 ? 500 * from + n / COLUMNS : 0));
    }
    for (int way = 0; way < 4; way++) OK(MPI_Type_free(&columns[way]));
}

/* Large strided messages, with persistent requests that outlive their type, and a part of an element. */
static void large_ones(void)
{
    enum { MANY = 300000 };
    int *data = malloc(2 * MANY * sizeof *data), *copy = calloc(2 * MANY, sizeof *copy);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Datatype type;
    MPI_Request requests[2];
    MPI_Status status;
    Count count;
    CHECK(data && copy);
    fill(data, 2 * MANY, rank);
    OK(MPI_Type_vector(MANY, 1, 2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Recv_init(copy, 1, type, from, TAG, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Send_init(data, 1, type, to, TAG, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Type_free(&type));
    for (int round = 0; round < 2; round++) {
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int n = 0; n < 2 * MANY; n++) CHECK(copy[n] == (n % 2 ? 0 : from + n));
        memset(copy, 0, 2 * MANY * sizeof *copy);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    /* Two ints and a char, of which one and a half arrive. */
    struct { int pair[2]; char letter; } in[2];
    OK(MPI_Type_create_struct(2, (Count[]){ 2, 1 }, (MPI_Aint[]){ 0, 8 },
                              (MPI_Datatype[]){ MPI_INT, MPI_CHAR }, &type));
    OK(MPI_Type_commit(&type));
    memset(in, 0, sizeof in);
    OK(MPI_Irecv(in, 2, type, from, TAG, MPI_COMM_WORLD, &requests[0]));
    char bytes[13];
    for (int n = 0; n < 13; n++) bytes[n] = (char)n;
    OK(MPI_Send(bytes, 13, MPI_BYTE, to, TAG, MPI_COMM_WORLD));
    OK(MPI_Wait(&requests[0], &status));
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Get_elements(&status, type, &count));
    CHECK(count == 4);
    CHECK(memcmp(in[0].pair, bytes, 8) == 0 && in[0].letter == 8 && memcmp(in[1].pair, bytes + 9, 4) == 0);
    OK(MPI_Type_free(&type));
    free(data);
    free(copy);
}

/* Absolute addresses. */
static void bottom(void)
{
    static int one, three[3];
    MPI_Aint places[2];
    MPI_Datatype type;
    int in[4], to = (rank + 1) % size, from = (rank + size - 1) % size;
    one = rank;
    fill(three, 3, 10 * rank);
    OK(MPI_Get_address(&one, &places[0]));
    OK(MPI_Get_address(three, &places[1]));
    OK(MPI_Type_create_hindexed(2, (Count[]){ 1, 3 }, places, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, type, to, TAG, in, 4, MPI_INT, from, TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK(in[0] == from && in[1] == 10 * from && in[3] == 10 * from + 2);
    OK(MPI_Type_free(&type));
}

/* A matrix by rows becomes one by columns; types of the program in every kind of argument. */
static void collectives(void)
{
    int rows[16][N], columns[16 * N];
    MPI_Datatype column, spread;
    fill(rows[0], 16 * N, 0);
    OK(MPI_Type_vector(16, 1, N, MPI_INT, &column));
    OK(MPI_Type_create_resized(column, 0, sizeof(int), &spread));
    OK(MPI_Type_commit(&column));
    OK(MPI_Type_commit(&spread));
    /* Column after column, though they lie within each other. */
    OK(MPI_Sendrecv(rows, N, spread, rank, TAG, columns, 16 * N, MPI_INT, rank, TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    for (int n = 0; n < 16 * N; n++) CHECK(columns[n] == n % 16 * N + n / 16);
    memset(columns, 0, sizeof columns);
    if (rank == 0) fill(columns, 16, 7);
    if (rank == 0) {
        for (int n = 0; n < 16; n++) rows[n][0] = 7 + n;
        OK(MPI_Bcast(rows, 1, column, 0, MPI_COMM_WORLD));
    } else {
        OK(MPI_Bcast(columns, 16, MPI_INT, 0, MPI_COMM_WORLD));
        for (int n = 0; n < 16; n++) CHECK(columns[n] == 7 + n);
    }
    /* Every process's numbers are a column. */
    int own[16], all[16][N];
    MPI_Request request;
    fill(own, 16, 100 * rank);
    memset(all, 0, sizeof all);
    OK(MPI_Gather(own, 16, MPI_INT, all, 1, spread, 0, MPI_COMM_WORLD));
    for (int n = 0; rank == 0 && n < 16 * N; n++)
        CHECK(all[n / N][n % N] == (n % N < size ? 100 * (n % N) + n / N : 0));
    memset(all, 0, sizeof all);
    OK(MPI_Iallgather(own, 16, MPI_INT, all, 1, spread, MPI_COMM_WORLD, &request));
    OK(MPI_Type_free(&spread));
    OK(MPI_Type_free(&column));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int n = 0; n < 16 * N; n++)
        CHECK(all[n / N][n % N] == (n % N < size ? 100 * (n % N) + n / N : 0));
}

/* All processes' parts of an array are the array, whatever the distribution. */
static void distributed(void)
{
    enum { ROWS = 7, COLUMNS = 9 };
    int distributions[] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE };
    int orders[] = { MPI_ORDER_C, MPI_ORDER_FORTRAN };
    Count gsizes[] = { ROWS, COLUMNS };
    for (int n = 0; n < 18; n++) {
        int distribs[] = { distributions[n % 3], distributions[n / 3 % 3] }, order = orders[n / 9];
        int dargs[] = { MPI_DISTRIBUTE_DFLT_DARG, distribs[1] == MPI_DISTRIBUTE_CYCLIC ? 2 : MPI_DISTRIBUTE_DFLT_DARG };
        int psizes[] = { distribs[0] == MPI_DISTRIBUTE_NONE ? 1 : 2, distribs[1] == MPI_DISTRIBUTE_NONE ? 1 : 3 };
        char seen[ROWS * COLUMNS] = { 0 };
        int processes = psizes[0] * psizes[1];
        for (int owner = 0; owner < processes; owner++) {
            MPI_Datatype type;
            Count bytes, position = 0;
            char array[ROWS * COLUMNS], packed[ROWS * COLUMNS];
            for (int k = 0; k < ROWS * COLUMNS; k++) array[k] = (char)k;
            OK(MPI_Type_create_darray(processes, owner, 2, gsizes, distribs, dargs, psizes, order, MPI_CHAR,
                                      &type));
            OK(MPI_Type_commit(&type));
            MPI_Count lb, extent;
            OK(MPI_Type_get_extent_x(type, &lb, &extent));
            CHECK(lb == 0 && extent == ROWS * COLUMNS);
            OK(MPI_Type_size(type, &bytes));
            OK(MPI_Pack(array, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
            CHECK(position == bytes);
            for (Count k = 0; k < bytes; k++) {
                /* In increasing order, and no other process's. */
                CHECK(k == 0 || packed[k] > packed[k - 1]);
                CHECK(!seen[(int)packed[k]]++);
                /* By the rule of the standard, where that is simple. */
                int row = order == MPI_ORDER_C ? packed[k] / COLUMNS : packed[k] % ROWS;
                int own = owner / psizes[1];
                if (distribs[0] == MPI_DISTRIBUTE_CYCLIC) CHECK(row % 2 == own);
                if (distribs[0] == MPI_DISTRIBUTE_BLOCK) CHECK(row / 4 == own);
            }
            OK(MPI_Type_free(&type));
        }
        for (int k = 0; k < ROWS * COLUMNS; k++) CHECK(seen[k]);
    }
}

/* Types of any size and depth are made, committed, asked and freed in no time. */
static void without_limits(void)
{
    MPI_Datatype type, other;
    Count gsizes[] = { 2000000001 }, bytes;
    int cyclic[] = { MPI_DISTRIBUTE_CYCLIC }, dargs[] = { MPI_DISTRIBUTE_DFLT_DARG }, two[] = { 2 };
    for (int owner = 0; owner < 2; owner++) {
        OK(MPI_Type_create_darray(2, owner, 1, gsizes, cyclic, dargs, two, MPI_ORDER_C, MPI_CHAR, &type));
        OK(MPI_Type_commit(&type));
        bounds_are(type, 1000000001 - owner, 0, 2000000001, owner, 2000000001 - 2 * owner);
        OK(MPI_Type_free(&type));
    }
#ifdef LARGE
    int block[] = { MPI_DISTRIBUTE_BLOCK };
    Count all[] = { INT64_MAX };
    for (int owner = 0; owner < 2; owner++) {
        Count first = INT64_MAX / 2 + 1, own = owner ? INT64_MAX - first : first;
        OK(MPI_Type_create_darray(2, owner, 1, all, block, dargs, two, MPI_ORDER_C, MPI_CHAR, &type));
        OK(MPI_Type_commit(&type));
        bounds_are(type, own, 0, INT64_MAX, owner ? first : 0, own);
        OK(MPI_Type_free(&type));
    }
    FAILS(MPI_ERR_ARG, MPI_Type_create_darray(2, 0, 1, all, block, dargs, two, MPI_ORDER_C, MPI_INT, &type));
    OK(MPI_Type_contiguous((Count)1 << 50, MPI_LONG, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack_external_size("external32", 3, type, &bytes));
    CHECK(bytes == (Count)3 << 52);
    FAILS(MPI_ERR_COUNT, MPI_Pack_external_size("external32", 2000, type, &bytes));
    OK(MPI_Type_free(&type));
#endif
    (void)bytes;
    OK(MPI_Type_contiguous(2, MPI_SHORT, &type));
    for (int level = 0; level < 200000; level++) {
        if (level % 2)
            OK(MPI_Type_create_struct(2, (Count[]){ 1, 0 }, (MPI_Aint[]){ 0, 4 },
                                      (MPI_Datatype[]){ type, MPI_INT }, &other));
        else
            OK(MPI_Type_create_resized(type, 0, 8, &other));
        OK(MPI_Type_free(&type));
        type = other;
    }
    OK(MPI_Type_commit(&type));
    short out[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, in[4] = { 0 };
    MPI_Status status;
    OK(MPI_Sendrecv(out, 2, type, rank, TAG, in, 4, MPI_SHORT, rank, TAG, MPI_COMM_WORLD, &status));
    CHECK(in[0] == 1 && in[1] == 2 && in[2] == 5 && in[3] == 6);
    OK(MPI_Get_elements(&status, type, &bytes));
    CHECK(bytes == 4);
    OK(MPI_Type_free(&type));
}

/* Elements that overlap may be more than bytes can count: a receiver that has room for so many gets what
   comes. */
static void countless(void)
{
#ifdef LARGE
    int in = -1, out = rank;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;
    Count count;
    OK(MPI_Type_create_resized(MPI_INT, 0, 0, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Irecv(&in, INT64_MAX / 2 + 1, type, rank, TAG, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&out, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == 1 && in == out);
    OK(MPI_Type_free(&type));
#endif
}

/* In the data representation that is the same everywhere. */
static void external(void)
{
    struct { short letter; long number; } data[2] = { { 0x0102, 0x03040506 }, { 0x0708, 0x090a0b0c } }, back[2];
    unsigned char packed[12];
    MPI_Aint position = 0, bytes;
    MPI_Datatype type;
    OK(MPI_Type_create_struct(2, (Count[]){ 1, 1 }, (MPI_Aint[]){ 0, offsetof(struct { short a; long b; }, b) },
                              (MPI_Datatype[]){ MPI_SHORT, MPI_LONG }, &type));
    OK(MPI_Type_commit(&type));
#ifndef LARGE
    OK(MPI_Pack_external_size("external32", 2, type, &bytes));
    CHECK(bytes == 12);
    OK(MPI_Pack_external("external32", data, 2, type, packed, 12, &position));
    CHECK(position == 12);
    for (int n = 0; n < 12; n++) CHECK(packed[n] == n + 1);
    position = 0;
    memset(back, 0, sizeof back);
    OK(MPI_Unpack_external("external32", packed, 12, &position, back, 2, type));
    CHECK(back[0].letter == data[0].letter && back[1].number == data[1].number);
#else
    (void)data, (void)back, (void)packed, (void)position, (void)bytes;
#endif
    OK(MPI_Type_free(&type));
}

static MPI_Datatype spread;

/* Adds the numbers at the beginning of elements, of which it asks the type what they are. */
static void add(void *in, void *inout, Count *count, MPI_Datatype *type)
{
    MPI_Count lb, extent;
    MPI_Datatype other;
    CHECK(*type == spread);
    OK(MPI_Type_get_extent_x(*type, &lb, &extent));
    CHECK(lb == 0 && extent == 3 * (MPI_Count)sizeof(int));
    OK(MPI_Type_dup(*type, &other));
    OK(MPI_Type_free(&other));
    int packed = -1;
    Count position = 0;
    OK(MPI_Pack(in, 1, *type, &packed, sizeof packed, &position, MPI_COMM_SELF));
    CHECK(packed == *(int *)in);
    for (Count n = 0; n < *count; n++)
        *(int *)((char *)inout + n * extent) += *(int *)((char *)in + n * extent);
}

/* The function of a reduction gets a type that it may ask, also when the program has freed it. */
static void reductions(void)
{
    int out[3 * N], in[3 * N];
    MPI_Request request;
    MPI_Op op;
    for (int persistent = 0; persistent < 2; persistent++) {
        OK(MPI_Op_create(add, 1, &op));
        OK(MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &spread));
        OK(MPI_Type_commit(&spread));
        fill(out, 3 * N, rank);
        fill(in, 3 * N, -1000);
        if (persistent)
            OK(MPI_Allreduce_init(out, in, N, spread, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        else
            OK(MPI_Iallreduce(out, in, N, spread, op, MPI_COMM_WORLD, &request));
        MPI_Datatype freed = spread;
        OK(MPI_Type_free(&freed));
        OK(MPI_Op_free(&op));
        for (int round = 0; round < 1 + persistent; round++) {
            if (persistent) OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        if (persistent) OK(MPI_Request_free(&request));
        for (int n = 0; n < 3 * N; n++)
            CHECK(in[n] == (n % 3 ? n - 1000 : size * (size - 1) / 2 + size * n));
        FAILS(MPI_ERR_TYPE, MPI_Type_commit(&spread));
    }
}

static int copied, deleted;

static int copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key, (void)extra;
    copied++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void attached(void)
{
    MPI_Datatype type, second, real, same;
    char name[MPI_MAX_OBJECT_NAME];
    int key, length, flag;
    void *value;
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(length == 0);
    OK(MPI_Type_set_name(type, "pair of mine"));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(length == 12 && strcmp(name, "pair of mine") == 0);
    OK(MPI_Type_create_keyval(copy, delete, &key, NULL));
    OK(MPI_Type_set_attr(type, key, &key));
    OK(MPI_Type_dup(type, &second));
    CHECK(copied == 1);
    OK(MPI_Type_get_attr(second, key, &value, &flag));
    CHECK(flag && value == &key);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&second));
    CHECK(deleted == 2);
    OK(MPI_Type_free_keyval(&key));
    /* The same wish gives the same type, which stays. */
    OK(MPI_Type_create_f90_real(12, MPI_UNDEFINED, &real));
    OK(MPI_Type_create_f90_real(12, MPI_UNDEFINED, &same));
    CHECK(real == same);
    bounds_are(real, 8, 0, 8, 0, 8);
    double number = rank, back = -1;
    OK(MPI_Sendrecv(&number, 1, real, rank, TAG, &back, 1, MPI_DOUBLE, rank, TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK(back == number);
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&real));
    /* It is a predefined type, of the reductions too. */
    OK(MPI_Allreduce(&number, &back, 1, real, MPI_SUM, MPI_COMM_WORLD));
    CHECK(back == size * (size - 1) / 2);
    FAILS(MPI_ERR_OP, MPI_Allreduce(&number, &back, 1, real, MPI_BAND, MPI_COMM_WORLD));
    OK(MPI_Type_create_f90_integer(5, &same));
    int place = rank, last = -1;
    OK(MPI_Allreduce(&place, &last, 1, same, MPI_MAX, MPI_COMM_WORLD));
    CHECK(last == size - 1);
    /* What was made of it says so, with a handle that stays. */
    int integers[1];
    MPI_Aint addresses[1];
    OK(MPI_Type_contiguous(2, real, &type));
#ifdef LARGE
    MPI_Count large[1];
    OK(MPI_Type_get_contents(type, 0, 0, 1, 1, integers, addresses, large, &second));
#else
    OK(MPI_Type_get_contents(type, 1, 0, 1, integers, addresses, &second));
#endif
    CHECK(second == real);
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&second));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_f90_complex(12, MPI_UNDEFINED, &real));
    OK(MPI_Type_create_f90_complex(MPI_UNDEFINED, 100, &same));
    CHECK(real != same);
    bounds_are(real, 16, 0, 16, 0, 16);
    bounds_are(same, 16, 0, 16, 0, 16);
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_integer(100, &real));
}

static void mistakes(void)
{
    MPI_Datatype type = MPI_DATATYPE_NULL, stale;
    FAILS(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
    FAILS(MPI_ERR_TYPE, MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
    FAILS(MPI_ERR_COUNT, MPI_Type_vector(1, -1, 1, MPI_INT, &type));
    FAILS(MPI_ERR_COUNT, MPI_Type_indexed(2, (Count[]){ 1, -1 }, (Count[]){ 0, 1 }, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_contiguous(1, MPI_INT, NULL));
    FAILS(MPI_ERR_TYPE, MPI_Type_create_struct(1, (Count[]){ 1 }, (MPI_Aint[]){ 0 },
                                               (MPI_Datatype[]){ MPI_DATATYPE_NULL }, &type));
    Count one[] = { 1 }, four[] = { 4 }, two[] = { 2 }, three[] = { 3 };
    FAILS(MPI_ERR_ARG, MPI_Type_create_subarray(1, four, two, three, MPI_ORDER_C, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_subarray(1, four, two, one, 77, MPI_INT, &type));
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    OK(MPI_Type_contiguous(1, MPI_INT, &type));
    stale = type;
    OK(MPI_Type_free(&type));
    FAILS(MPI_ERR_TYPE, MPI_Type_commit(&stale));
    FAILS(MPI_ERR_TYPE, MPI_Send(NULL, 0, stale, rank, TAG, MPI_COMM_WORLD));
    /* More than addresses can count. */
    MPI_Datatype large = MPI_INT;
    int code = MPI_SUCCESS;
    for (int n = 0; n < 3 && code == MPI_SUCCESS; n++) code = MPI_Type_contiguous(2000000000, large, &large);
    CHECK(class_of(code) == MPI_ERR_ARG);
}

int main(void)
{
    begin(&rank, &size);
    CHECK(size <= 8);
    bounds();
    contents();
    messages();
    large_ones();
    bottom();
    collectives();
    distributed();
    without_limits();
    countless();
    external();
    reductions();
    attached();
    mistakes();
    MPI_Finalize();
    return 0;
}
