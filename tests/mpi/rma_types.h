/* Random numbers, predefined types and random derived types of the RMA model: a type is a tree that every process
   can make and knows the bytes of; its handle is built only where an operation needs it. */
#ifndef RMA_TYPES_H
#define RMA_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

/* --- Random numbers: splitmix64 */

typedef struct {
    uint64_t state;
} Random;

static inline uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t next(Random *random)
{
    return mixed(random->state += 0x9e3779b97f4a7c15u);
}

static inline long below(Random *random, long limit)
{
    return (long)(next(random) % (uint64_t)limit);
}

/* True once in so many times. */
static inline bool once_in(Random *random, long times)
{
    return below(random, times) == 0;
}

/* --- Memory that is kept until all of it is let go */

struct piece {
    struct piece *before;
};

static struct piece *pieces;

static inline void *keep(size_t bytes)
{
    struct piece *piece = calloc(1, sizeof(struct piece) + 8 + bytes);
    CHECK(piece != NULL);
    piece->before = pieces;
    pieces = piece;
    return (char *)piece + 16;
}

static inline void let_go(struct piece *until)
{
    while (pieces != until) {
        struct piece *piece = pieces;
        pieces = piece->before;
        free(piece);
    }
}

/* --- Predefined types */

struct element {
    MPI_Datatype handle;
    const char *name;
    int bytes;
    bool is_signed;
};

enum { INTEGERS = 14, ELEMENTS = 20, ELEMENT_U64 = 7, ELEMENT_I32 = 8, ELEMENT_I64 = 9 };

static struct element elements[ELEMENTS];

static inline void make_elements(void)
{
    int n = 0;
#define ELEMENT(type, bytes, is_signed) elements[n++] = (struct element){ type, #type, bytes, is_signed }
    ELEMENT(MPI_INT8_T, 1, true);
    ELEMENT(MPI_UINT8_T, 1, false);
    ELEMENT(MPI_SHORT, 2, true);
    ELEMENT(MPI_UINT16_T, 2, false);
    ELEMENT(MPI_INT, 4, true);
    ELEMENT(MPI_UNSIGNED, 4, false);
    ELEMENT(MPI_LONG, 8, true);
    ELEMENT(MPI_UINT64_T, 8, false);
    ELEMENT(MPI_INT32_T, 4, true);
    ELEMENT(MPI_INT64_T, 8, true);
    ELEMENT(MPI_UNSIGNED_LONG, 8, false);
    ELEMENT(MPI_LONG_LONG, 8, true);
    ELEMENT(MPI_SIGNED_CHAR, 1, true);
    ELEMENT(MPI_AINT, 8, true);
    /* Only moved. */
    ELEMENT(MPI_BYTE, 1, false);
    ELEMENT(MPI_CHAR, 1, false);
    ELEMENT(MPI_FLOAT, 4, false);
    ELEMENT(MPI_DOUBLE, 8, false);
    ELEMENT(MPI_C_DOUBLE_COMPLEX, 16, false);
    ELEMENT(MPI_C_FLOAT_COMPLEX, 8, false);
#undef ELEMENT
    CHECK(n == ELEMENTS);
}

/* --- Derived types */

enum form {
    BASIC,
    CONTIGUOUS,
    VECTOR,
    HVECTOR,
    INDEXED,
    HINDEXED,
    INDEXED_BLOCK,
    HINDEXED_BLOCK,
    STRUCT,
    RESIZED,
    DUPLICATE,
    SUBARRAY,
    FORMS
};

enum { BLOCKS = 8 };

typedef struct Type Type;

struct Type {
    enum form form;
    int element;
    long count; /* of elements in it */
    /* Bounds, and those of its data, in bytes */
    long lb, ub, low, high;
    long blocks, stride;
    long length[BLOCKS], place[BLOCKS];
    Type *inner[BLOCKS];
    int sizes[2], parts[2], starts[2];
};

static inline long extent_of(const Type *type)
{
    return type->ub - type->lb;
}

struct block {
    long length, place;
    const Type *inner;
};

static inline struct block block_of(const Type *type, long n)
{
    long extent = extent_of(type->inner[0]);
    switch (type->form) {
    case VECTOR:
    case HVECTOR: return (struct block){ type->length[0], n * type->stride, type->inner[0] };
    case SUBARRAY:
        return (struct block){ type->parts[1],
                               ((type->starts[0] + n) * type->sizes[1] + type->starts[1]) * extent,
                               type->inner[0] };
    case STRUCT: return (struct block){ type->length[n], type->place[n], type->inner[n] };
    default: return (struct block){ type->length[n], type->place[n], type->inner[0] };
    }
}

/* Finds out about a type whose parts are there. */
static inline Type *finished(Type *type)
{
    bool any = false;
    long lb = type->lb, ub = type->ub;
    for (long n = 0; n < type->blocks; n++) {
        struct block block = block_of(type, n);
        if (block.length == 0 || block.inner->count == 0) continue;
        long last = block.place + (block.length - 1) * extent_of(block.inner);
        long bounds[] = { block.place + block.inner->lb, last + block.inner->ub,
                          block.place + block.inner->low, last + block.inner->high };
        if (!any || bounds[0] < type->lb) type->lb = bounds[0];
        if (!any || bounds[1] > type->ub) type->ub = bounds[1];
        if (!any || bounds[2] < type->low) type->low = bounds[2];
        if (!any || bounds[3] > type->high) type->high = bounds[3];
        any = true;
        type->count += block.length * block.inner->count;
        type->element = block.inner->element;
    }
    if (type->form == RESIZED) type->lb = lb, type->ub = ub;
    if (type->form == SUBARRAY)
        type->lb = 0, type->ub = (long)type->sizes[0] * type->sizes[1] * extent_of(type->inner[0]);
    return type;
}

static inline Type *new_type(enum form form, Type *inner, long blocks)
{
    Type *type = keep(sizeof *type);
    type->form = form;
    type->inner[0] = inner;
    type->blocks = blocks;
    type->element = inner ? inner->element : 0;
    return type;
}

static inline Type *basic_type(int element)
{
    Type *type = new_type(BASIC, NULL, 0);
    type->element = element;
    type->count = 1;
    type->high = type->ub = elements[element].bytes;
    return type;
}

static inline Type *one_block(enum form form, Type *inner, long length)
{
    Type *type = new_type(form, inner, 1);
    type->length[0] = length;
    return type;
}

static inline Type *resized(Type *inner, long lb, long extent)
{
    Type *type = one_block(RESIZED, inner, 1);
    type->lb = lb, type->ub = lb + extent;
    return finished(type);
}

static inline Type *contiguous(Type *inner, long count)
{
    return finished(one_block(CONTIGUOUS, inner, count));
}

static inline Type *vector(enum form form, Type *inner, long blocks, long length, long stride)
{
    Type *type = new_type(form, inner, blocks);
    type->length[0] = length, type->stride = stride;
    return finished(type);
}

/* A divisor of a number, not always a small one. */
static inline long divisor(Random *random, long number)
{
    long first = 1 + below(random, number < 12 ? number : 12);
    while (number % first != 0) first--;
    return once_in(random, 2) ? first : number / first;
}

/* Cuts a number into at most so many parts, of which some are 0 now and then. */
static inline long cut(Random *random, long number, long most, long *parts)
{
    long count = 1 + below(random, most), left = number;
    for (long n = 0; n < count; n++) {
        parts[n] = n + 1 == count ? left : below(random, left + 1);
        left -= parts[n];
    }
    return count;
}

static inline void shuffle_blocks(Random *random, Type *type)
{
    for (long n = type->blocks - 1; n > 0; n--) {
        long other = below(random, n + 1);
        long length = type->length[n], place = type->place[n];
        Type *inner = type->inner[n];
        type->length[n] = type->length[other], type->length[other] = length;
        type->place[n] = type->place[other], type->place[other] = place;
        if (type->form == STRUCT) type->inner[n] = type->inner[other], type->inner[other] = inner;
    }
}

/* A type of so many elements, none of which is there twice. */
static inline Type *some_type(Random *random, int element, long count, int depth)
{
    long bytes = elements[element].bytes;
    Type *type, *inner;
    if (depth == 0) return count == 1 ? basic_type(element) : contiguous(basic_type(element), count);
    enum form form = (enum form)(1 + below(random, FORMS));
    if (form == FORMS) {
        /* Columns of a matrix, one after the other. */
        long rows = divisor(random, count), columns = count / rows;
        inner = vector(VECTOR, basic_type(element), rows, 1, (columns + below(random, 2)) * bytes);
        type = contiguous(resized(inner, 0, bytes), columns);
        return resized(type, 0, type->high);
    }
    if (form == STRUCT) {
        long parts[4], at = -bytes * below(random, 3) * below(random, 6);
        type = new_type(STRUCT, NULL, cut(random, count, 4, parts));
        for (long n = 0; n < type->blocks; n++) {
            long each = parts[n] ? divisor(random, parts[n]) : 1;
            type->inner[n] = inner = some_type(random, element, each, depth - 1);
            type->length[n] = parts[n] / each;
            type->place[n] = at - inner->low;
            long last = type->length[n] ? (type->length[n] - 1) * extent_of(inner) : 0;
            at += last + inner->high - inner->low + bytes * below(random, 3);
        }
        shuffle_blocks(random, type);
        type = finished(type);
        /* Says where it ends, so that no alignment does. */
        return resized(type, type->low, type->high - type->low + bytes * below(random, 2));
    }
    if (form == RESIZED) {
        inner = some_type(random, element, count, depth - 1);
        long lb = inner->low + bytes * (below(random, 5) - 2);
        return resized(inner, lb, inner->high - inner->low + bytes * below(random, 3));
    }
    if (form == DUPLICATE)
        return finished(one_block(DUPLICATE, some_type(random, element, count, depth - 1), 1));
    long each = divisor(random, count), number = count / each;
    inner = some_type(random, element, each, depth - 1);
    long extent = extent_of(inner), length, sign = once_in(random, 3) ? -1 : 1;
    switch (form) {
    case VECTOR:
        length = divisor(random, number);
        return vector(form, inner, number / length, length, sign * (length + below(random, 3)) * extent);
    case HVECTOR:
        length = divisor(random, number);
        return vector(form, inner, number / length, length,
                      sign * (length * extent + below(random, 3) * bytes));
    case INDEXED_BLOCK:
    case HINDEXED_BLOCK:
    case INDEXED:
    case HINDEXED: {
        bool in_bytes = form == HINDEXED || form == HINDEXED_BLOCK;
        long unit = in_bytes ? bytes : extent, at = -unit * below(random, 3) * below(random, 6);
        type = new_type(form, inner, 0);
        if (form == INDEXED || form == HINDEXED) {
            type->blocks = cut(random, number, 6, type->length);
        } else {
            long blocks = 1 + below(random, BLOCKS);
            while (number % blocks != 0) blocks--;
            type->blocks = blocks;
            for (long n = 0; n < blocks; n++) type->length[n] = number / blocks;
        }
        for (long n = 0; n < type->blocks; n++) {
            type->place[n] = at;
            at += type->length[n] * extent + unit * below(random, 3);
        }
        shuffle_blocks(random, type);
        return finished(type);
    }
    case SUBARRAY: {
        long rows = divisor(random, number), columns = number / rows;
        type = new_type(SUBARRAY, inner, rows);
        type->parts[0] = (int)rows, type->parts[1] = (int)columns;
        for (int n = 0; n < 2; n++) {
            type->starts[n] = (int)below(random, 3);
            type->sizes[n] = type->starts[n] + type->parts[n] + (int)below(random, 2);
        }
        return finished(type);
    }
    default: return contiguous(inner, number);
    }
}

/* The handle of a type, committed or not. */
static inline MPI_Datatype built(const Type *type)
{
    if (type->form == BASIC) {
        MPI_Datatype copy;
        OK(MPI_Type_dup(elements[type->element].handle, &copy));
        return copy;
    }
    MPI_Datatype handle, inner[BLOCKS];
    int count = (int)type->blocks, lengths[BLOCKS], places[BLOCKS];
    MPI_Aint addresses[BLOCKS];
    long many = type->form == STRUCT ? type->blocks : 1, extent = 1;
    for (long n = 0; n < many; n++) inner[n] = built(type->inner[n]);
    if (type->form != STRUCT) extent = extent_of(type->inner[0]);
    for (long n = 0; n < type->blocks && n < BLOCKS; n++) {
        lengths[n] = (int)type->length[n];
        addresses[n] = type->place[n];
        places[n] = extent ? (int)(type->place[n] / extent) : 0;
    }
    switch (type->form) {
    case CONTIGUOUS: OK(MPI_Type_contiguous(lengths[0], inner[0], &handle)); break;
    case VECTOR:
        OK(MPI_Type_vector(count, (int)type->length[0], (int)(type->stride / extent), inner[0], &handle));
        break;
    case HVECTOR:
        OK(MPI_Type_create_hvector(count, (int)type->length[0], type->stride, inner[0], &handle));
        break;
    case INDEXED: OK(MPI_Type_indexed(count, lengths, places, inner[0], &handle)); break;
    case HINDEXED: OK(MPI_Type_create_hindexed(count, lengths, addresses, inner[0], &handle)); break;
    case INDEXED_BLOCK:
        OK(MPI_Type_create_indexed_block(count, lengths[0], places, inner[0], &handle));
        break;
    case HINDEXED_BLOCK:
        OK(MPI_Type_create_hindexed_block(count, lengths[0], addresses, inner[0], &handle));
        break;
    case STRUCT: OK(MPI_Type_create_struct(count, lengths, addresses, inner, &handle)); break;
    case RESIZED: OK(MPI_Type_create_resized(inner[0], type->lb, extent_of(type), &handle)); break;
    case DUPLICATE: OK(MPI_Type_dup(inner[0], &handle)); break;
    default:
        OK(MPI_Type_create_subarray(2, type->sizes, type->parts, type->starts, MPI_ORDER_C, inner[0],
                                    &handle));
    }
    for (long n = 0; n < many; n++) OK(MPI_Type_free(&inner[n]));
    return handle;
}

/* Where the elements of a type are, in the order of its type map. */
static inline long *flatten(const Type *type, long at, long *to)
{
    if (type->form == BASIC) {
        *to = at;
        return to + 1;
    }
    for (long n = 0; n < type->blocks; n++) {
        struct block block = block_of(type, n);
        for (long each = 0; each < block.length; each++)
            to = flatten(block.inner, at + block.place + each * extent_of(block.inner), to);
    }
    return to;
}

static inline void print_type(FILE *to, const Type *type)
{
    static const char *const names[] = { "", "contiguous", "vector", "hvector", "indexed", "hindexed",
                                         "indexed_block", "hindexed_block", "struct", "resized", "dup",
                                         "subarray" };
    if (type->form == BASIC) {
        fprintf(to, "%s", elements[type->element].name);
        return;
    }
    fprintf(to, "%s(", names[type->form]);
    if (type->form == VECTOR || type->form == HVECTOR)
        fprintf(to, "%ld blocks of %ld every %ld bytes, ", type->blocks, type->length[0], type->stride);
    else if (type->form == RESIZED)
        fprintf(to, "lb %ld extent %ld, ", type->lb, extent_of(type));
    else if (type->form == SUBARRAY)
        fprintf(to, "%dx%d of %dx%d at %d,%d, ", type->parts[0], type->parts[1], type->sizes[0],
                type->sizes[1], type->starts[0], type->starts[1]);
    else if (type->form != DUPLICATE)
        for (long n = 0; n < type->blocks; n++) {
            fprintf(to, "%ld at %ld, ", type->length[n], type->place[n]);
            if (type->form == STRUCT) {
                print_type(to, type->inner[n]);
                fprintf(to, "%s", n + 1 < type->blocks ? "; " : "");
            }
        }
    if (type->form != STRUCT) print_type(to, type->inner[0]);
    fprintf(to, ")");
}

#endif
