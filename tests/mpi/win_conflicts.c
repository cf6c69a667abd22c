/* Accesses to a window that conflict, with and without the parameter osc_debug:

     win_conflicts on            they are errors, which are returned; the window can be used as before
     win_conflicts off           nothing is said
     win_conflicts many          more ranges than are kept: a line says so, and what is kept is compared
     win_conflicts call|fence    errors are fatal */
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

static int rank, size;
static bool debug;

/* What the error handler of the windows was told. */
static int heard;

static void hear(MPI_Win *win, int *code, ...)
{
    (void)win;
    heard += class_of(*code) == MPI_ERR_RMA_CONFLICT ? 1 : 100;
}

/* A call that is a conflict, or would be one. */
#define CONFLICT(call) IS(true, call)
#define FINE(call) IS(false, call)

/* A call that is a conflict if something is true, where conflicts are looked for. */
#define IS(conflict, call)                                                            \
    do {                                                                              \
        int before_ = heard, code_ = (call);                                          \
        bool wrong_ = debug && (conflict);                                            \
        CHECK(class_of(code_) == (wrong_ ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS));      \
        CHECK(heard == before_ + wrong_);                                             \
    } while (0)

enum { PUT, RPUT, GET, RGET, ACCUMULATE, RACCUMULATE, GET_ACCUMULATE, RGET_ACCUMULATE, FETCH, SWAP, KINDS };

/* Bytes of the window that each process has for itself at each target, so that processes do not meet. */
enum { SLICE = 512, MOST = 8 };

typedef struct {
    MPI_Win handle;
    /* Displacement of each process's memory, in bytes. */
    MPI_Aint base[MOST];
    char *memory;
} Window;

/* Data of the operations, each in its own place. */
static long from[2 * KINDS][64], to[2 * KINDS][64], compared[64];
static MPI_Request request = MPI_REQUEST_NULL;

static bool with_request(int kind)
{
    return kind == RPUT || kind == RGET || kind == RACCUMULATE || kind == RGET_ACCUMULATE;
}

/* 0 for what puts, 1 for what gets, 2 for what accumulates. */
static int sort_of(int kind)
{
    return kind <= RPUT ? 0 : kind <= RGET ? 1 : 2;
}

/* An operation on elements that lie where a type says; `which` is the place of its data here. */
static int operate(int which, int kind, int target, MPI_Aint at, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Win win)
{
    long *out = from[which], *in = to[which];
    switch (kind) {
    case PUT: return MPI_Put(out, count, type, target, at, count, type, win);
    case RPUT: return MPI_Rput(out, count, type, target, at, count, type, win, &request);
    case GET: return MPI_Get(in, count, type, target, at, count, type, win);
    case RGET: return MPI_Rget(in, count, type, target, at, count, type, win, &request);
    case ACCUMULATE: return MPI_Accumulate(out, count, type, target, at, count, type, op, win);
    case RACCUMULATE: return MPI_Raccumulate(out, count, type, target, at, count, type, op, win, &request);
    case GET_ACCUMULATE:
        return MPI_Get_accumulate(out, count, type, in, count, type, target, at, count, type, op, win);
    case RGET_ACCUMULATE:
        return MPI_Rget_accumulate(out, count, type, in, count, type, target, at, count, type, op, win, &request);
    case FETCH: return MPI_Fetch_and_op(out, in, type, target, at, op, win);
    default: return MPI_Compare_and_swap(out, compared, in, type, target, at, win);
    }
}

static void wait_for_request(void)
{
    if (request != MPI_REQUEST_NULL) OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* --- Windows */

enum flavor { CREATED, ALLOCATED, DYNAMIC, FLAVORS };

static Window window_with(enum flavor flavor, MPI_Info info)
{
    Window window;
    MPI_Aint bytes = (MPI_Aint)SLICE * size, address = 0;
    memset(&window, 0, sizeof window);
    if (flavor == ALLOCATED) {
        OK(MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &window.memory, &window.handle));
    } else {
        OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &window.memory));
        if (flavor == CREATED) {
            OK(MPI_Win_create(window.memory, bytes, 1, info, MPI_COMM_WORLD, &window.handle));
        } else {
            OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &window.handle));
            OK(MPI_Win_attach(window.handle, window.memory, bytes));
            OK(MPI_Get_address(window.memory, &address));
        }
    }
    memset(window.memory, 0, (size_t)bytes);
    OK(MPI_Allgather(&address, 1, MPI_AINT, window.base, 1, MPI_AINT, MPI_COMM_WORLD));
    MPI_Errhandler hearing;
    OK(MPI_Win_create_errhandler(hear, &hearing));
    OK(MPI_Win_set_errhandler(window.handle, hearing));
    OK(MPI_Errhandler_free(&hearing));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return window;
}

static Window window_of(enum flavor flavor)
{
    return window_with(flavor, MPI_INFO_NULL);
}

static void end(Window *window, enum flavor flavor)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (flavor == DYNAMIC) OK(MPI_Win_detach(window->handle, window->memory));
    OK(MPI_Win_free(&window->handle));
    if (flavor != ALLOCATED) OK(MPI_Free_mem(window->memory));
}

/* This process's bytes at a target. */
static MPI_Aint slice(const Window *window, int target)
{
    return window->base[target] + (MPI_Aint)rank * SLICE;
}

/* --- One process */

/* What may stand between two operations. */
enum between { NOTHING, FLUSH, FLUSH_ALL, FLUSH_OTHER, FLUSH_LOCAL, FLUSH_LOCAL_ALL, SYNC, BETWEEN };

static void stand_between(enum between between, int target, MPI_Win win)
{
    switch (between) {
    case FLUSH: OK(MPI_Win_flush(target, win)); break;
    case FLUSH_ALL: OK(MPI_Win_flush_all(win)); break;
    case FLUSH_OTHER: OK(MPI_Win_flush((target + 1) % size, win)); break;
    case FLUSH_LOCAL: OK(MPI_Win_flush_local(target, win)); break;
    case FLUSH_LOCAL_ALL: OK(MPI_Win_flush_local_all(win)); break;
    case SYNC: OK(MPI_Win_sync(win)); break;
    default: break;
    }
}

/* Every pair of kinds: on the same bytes, beside each other, at different targets, with something between. */
static void pairs(enum flavor flavor)
{
    Window window = window_of(flavor);
    MPI_Win win = window.handle;
    OK(MPI_Win_lock_all(0, win));
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++) {
            int target = (rank + first) % size, other = (target + 1) % size;
            MPI_Aint at = slice(&window, target) + 8;
            bool wrong = sort_of(first) != sort_of(second) || sort_of(first) == 0;
#define FIRST(at) FINE(operate(0, first, target, at, 1, MPI_INT, MPI_SUM, win))
#define SECOND(at) operate(1, second, target, at, 1, MPI_INT, MPI_SUM, win)
            for (enum between between = NOTHING; between < BETWEEN; between++) {
                if (between == FLUSH_OTHER && size == 1) continue;
                FIRST(at);
                /* Nor is an operation complete at the target when its request is. */
                wait_for_request();
                stand_between(between, target, win);
                bool ordered = between == FLUSH || between == FLUSH_ALL;
                IS(wrong && !ordered, SECOND(at));
                wait_for_request();
                OK(MPI_Win_flush(target, win));
            }
            FIRST(at);
            FINE(SECOND(at + 4));
            FINE(SECOND(at - 4));
            OK(MPI_Win_flush(target, win));
            if (size > 1) {
                FIRST(at);
                FINE(operate(1, second, other, slice(&window, other) + 8, 1, MPI_INT, MPI_SUM, win));
                OK(MPI_Win_flush_all(win));
            }
            wait_for_request();
        }
    /* What is wrong again and again is so until it is ordered, and is not done. */
    int target = (rank + 1) % size, one = 1, two = 2, three = 3, got = 0;
    MPI_Aint at = slice(&window, target);
    FINE(MPI_Put(&one, 1, MPI_INT, target, at, 1, MPI_INT, win));
    for (int n = 0; debug && n < 3; n++)
        CONFLICT(MPI_Put(&two, 1, MPI_INT, target, at, 1, MPI_INT, win));
    FINE(MPI_Put(&three, 1, MPI_INT, target, at + 4, 1, MPI_INT, win));
    OK(MPI_Win_flush(target, win));
    FINE(MPI_Get(&got, 1, MPI_INT, target, at, 1, MPI_INT, win));
    OK(MPI_Win_flush(target, win));
    CHECK(got == one);
    FINE(MPI_Put(&two, 1, MPI_INT, target, at, 1, MPI_INT, win));
    FINE(MPI_Get(&got, 1, MPI_INT, target, at + 4, 1, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    CHECK(got == three);
    end(&window, flavor);
}

/* Ranges that are the same, nested, over an end; and those that only touch. */
static void overlaps(void)
{
    Window window = window_of(ALLOCATED);
    MPI_Win win = window.handle;
    MPI_Aint at = slice(&window, rank);
    static const struct { int place, bytes; bool wrong; } all[] = {
        { 0, 16, false }, { 32, 8, false }, { 16, 16, true }, { 20, 4, true }, { 8, 32, true },
        { 8, 9, true }, { 31, 9, true }, { 31, 1, true }, { 16, 1, true }, { 16, 0, false }, { 20, 0, false },
    };
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        FINE(operate(0, PUT, rank, at + 16, 16, MPI_BYTE, MPI_OP_NULL, win));
        IS(all[n].wrong, operate(1, GET, rank, at + all[n].place, all[n].bytes, MPI_BYTE, MPI_OP_NULL, win));
        OK(MPI_Win_flush(rank, win));
        /* The same of two that were there before. */
        FINE(operate(0, PUT, rank, at + 16, 8, MPI_BYTE, MPI_OP_NULL, win));
        FINE(operate(2, PUT, rank, at + 24, 8, MPI_BYTE, MPI_OP_NULL, win));
        IS(all[n].wrong, operate(1, GET, rank, at + all[n].place, all[n].bytes, MPI_BYTE, MPI_OP_NULL, win));
        OK(MPI_Win_flush(rank, win));
    }
    OK(MPI_Win_unlock(rank, win));
    end(&window, ALLOCATED);
}

static void accumulates(void)
{
    for (int same_op = 0; same_op < 2; same_op++) {
        MPI_Info info;
        OK(MPI_Info_create(&info));
        if (same_op) OK(MPI_Info_set(info, "accumulate_ops", "same_op"));
        Window window = window_with(CREATED, info);
        OK(MPI_Info_free(&info));
        MPI_Win win = window.handle;
        int target = size - 1;
        MPI_Aint at = slice(&window, target) + 16;
        OK(MPI_Win_lock_all(0, win));
#define PAIR(wrong, kind, type, op, other_kind, place, other_type, other_op)                              \
    do {                                                                                                  \
        FINE(operate(0, kind, target, at, 1, type, op, win));                                             \
        IS(wrong, operate(1, other_kind, target, at + (place), 1, other_type, other_op, win));            \
        OK(MPI_Win_flush(target, win));                                                                   \
        FINE(operate(0, other_kind, target, at + (place), 1, other_type, other_op, win));                 \
        IS(wrong, operate(1, kind, target, at, 1, type, op, win));                                        \
        OK(MPI_Win_flush(target, win));                                                                   \
    } while (0)
        /* Types. */
        PAIR(false, ACCUMULATE, MPI_INT, MPI_SUM, FETCH, 0, MPI_INT, MPI_SUM);
        PAIR(true, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 0, MPI_UNSIGNED, MPI_SUM);
        PAIR(true, ACCUMULATE, MPI_INT, MPI_SUM, GET_ACCUMULATE, 0, MPI_FLOAT, MPI_SUM);
        PAIR(true, ACCUMULATE, MPI_DOUBLE, MPI_SUM, FETCH, 4, MPI_INT, MPI_SUM);
        PAIR(true, SWAP, MPI_INT, MPI_OP_NULL, FETCH, 0, MPI_UNSIGNED, MPI_SUM);
        PAIR(false, ACCUMULATE, MPI_DOUBLE, MPI_SUM, FETCH, 8, MPI_INT, MPI_SUM);
        /* Elements. */
        PAIR(true, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 2, MPI_INT, MPI_SUM);
        PAIR(true, ACCUMULATE, MPI_INT, MPI_SUM, FETCH, -3, MPI_INT, MPI_SUM);
        PAIR(false, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 4, MPI_INT, MPI_SUM);
        PAIR(false, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 5, MPI_INT, MPI_SUM);
        /* Operations. */
        PAIR(true, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 0, MPI_INT, MPI_MAX);
        PAIR(true, ACCUMULATE, MPI_INT, MPI_REPLACE, FETCH, 0, MPI_INT, MPI_SUM);
        PAIR(false, ACCUMULATE, MPI_INT, MPI_REPLACE, FETCH, 0, MPI_INT, MPI_REPLACE);
        PAIR(same_op, ACCUMULATE, MPI_INT, MPI_SUM, GET_ACCUMULATE, 0, MPI_INT, MPI_NO_OP);
        PAIR(same_op, FETCH, MPI_INT, MPI_NO_OP, ACCUMULATE, 0, MPI_INT, MPI_REPLACE);
        PAIR(false, FETCH, MPI_INT, MPI_NO_OP, GET_ACCUMULATE, 0, MPI_INT, MPI_NO_OP);
        PAIR(false, SWAP, MPI_INT, MPI_OP_NULL, ACCUMULATE, 0, MPI_INT, MPI_MAX);
        PAIR(true, FETCH, MPI_INT, MPI_NO_OP, GET, 0, MPI_INT, MPI_OP_NULL);
        /* Pairs, which have gaps: those are not accessed. */
        PAIR(false, ACCUMULATE, MPI_DOUBLE_INT, MPI_MAXLOC, GET_ACCUMULATE, 0, MPI_DOUBLE_INT, MPI_MAXLOC);
        PAIR(false, ACCUMULATE, MPI_DOUBLE_INT, MPI_MAXLOC, PUT, 12, MPI_INT, MPI_OP_NULL);
        PAIR(true, ACCUMULATE, MPI_DOUBLE_INT, MPI_MAXLOC, PUT, 8, MPI_INT, MPI_OP_NULL);
        PAIR(true, ACCUMULATE, MPI_DOUBLE_INT, MPI_MAXLOC, ACCUMULATE, 8, MPI_DOUBLE_INT, MPI_MAXLOC);
        PAIR(false, PUT, MPI_SHORT_INT, MPI_OP_NULL, GET, 2, MPI_SHORT, MPI_OP_NULL);
        OK(MPI_Win_unlock_all(win));
        end(&window, CREATED);
    }
}

/* Of data with gaps only what is data is accessed. */
static void gaps(void)
{
    Window window = window_of(CREATED);
    MPI_Win win = window.handle;
    MPI_Datatype column, row, mixed, back, wide;
    int lengths[] = { 2, 1 }, places[] = { 6, 1 }, sizes[] = { 8, 8 }, subsizes[] = { 8, 2 }, starts[] = { 0, 4 };
    /* Of an array of 8 by 8 numbers: a column, a row; four numbers before the place they are put to, and two
       columns. */
    OK(MPI_Type_vector(8, 1, 8, MPI_INT, &column));
    OK(MPI_Type_contiguous(8, MPI_INT, &row));
    OK(MPI_Type_indexed(2, lengths, places, MPI_INT, &mixed));
    OK(MPI_Type_vector(4, 1, -2, MPI_INT, &back));
    OK(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &wide));
    MPI_Datatype all[] = { column, row, mixed, back, wide };
    for (int n = 0; n < 5; n++) OK(MPI_Type_commit(&all[n]));
    int target = (rank + 1) % size;
    MPI_Aint at = slice(&window, target);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
#define MOVE(which, kind, place, type) operate(which, kind, target, at + 4 * (place), 1, type, MPI_SUM, win)
    for (int kind = PUT; kind <= ACCUMULATE; kind += ACCUMULATE - PUT) {
        int other = kind == PUT ? GET : PUT;
        FINE(MOVE(0, kind, 2, column));
        for (int n = 0; n < 8; n++) IS(n == 2, MOVE(1, other, n, column));
        CONFLICT(MOVE(2, other, 16, row));
        CONFLICT(MOVE(2, other, 58, MPI_INT));
        OK(MPI_Win_flush(target, win));
        /* 6, 7 and 1. */
        FINE(MOVE(0, kind, 0, mixed));
        for (int n = 0; n < 10; n++) IS(n == 1 || n == 6 || n == 7, MOVE(1, other, n, MPI_INT));
        OK(MPI_Win_flush(target, win));
        /* 20, 18, 16 and 14. */
        FINE(MOVE(3, kind, 20, back));
        for (int n = 12; n < 24; n++) IS(n >= 14 && n <= 20 && n % 2 == 0, MOVE(1, other, n, MPI_INT));
        OK(MPI_Win_flush(target, win));
        FINE(MOVE(0, kind, 0, wide));
        for (int n = 0; n < 64; n++) IS(n % 8 == 4 || n % 8 == 5, MOVE(1, other, n, MPI_INT));
        OK(MPI_Win_flush(target, win));
        /* The type may go. */
        MPI_Datatype gone;
        OK(MPI_Type_vector(3, 1, 2, MPI_INT, &gone));
        OK(MPI_Type_commit(&gone));
        FINE(MOVE(0, kind, 0, gone));
        OK(MPI_Type_free(&gone));
        FINE(MOVE(1, other, 1, MPI_INT));
        CONFLICT(MOVE(2, other, 2, MPI_INT));
        OK(MPI_Win_flush(target, win));
    }
    /* Many columns at once are all the array. */
    OK(MPI_Type_create_resized(column, 0, sizeof(int), &wide));
    OK(MPI_Type_commit(&wide));
    FINE(MPI_Put(from[0], 7, wide, target, at, 7, wide, win));
    for (int n = 0; n < 64; n++) IS(n % 8 != 7, MOVE(1, GET, n, MPI_INT));
    OK(MPI_Win_flush(target, win));
    OK(MPI_Type_free(&wide));
    OK(MPI_Win_unlock(target, win));
    for (int n = 0; n < 5; n++) OK(MPI_Type_free(&all[n]));
    end(&window, CREATED);
}

/* What ends epochs orders. */
static void epochs(enum flavor flavor)
{
    Window window = window_of(flavor);
    MPI_Win win = window.handle;
    MPI_Group all;
    int target = (rank + 1) % size, other = (target + 1) % size;
    MPI_Aint at = slice(&window, target);
    OK(MPI_Win_get_group(win, &all));
#define GO(which, kind) operate(which, kind, target, at, 1, MPI_INT, MPI_SUM, win)
    for (int n = 0; n < 2; n++) {
        OK(MPI_Win_fence(n ? MPI_MODE_NOPRECEDE : 0, win));
        for (int m = 0; m < 2; m++) {
            FINE(GO(0, PUT));
            CONFLICT(GO(1, PUT));
            if (debug) CONFLICT(GO(2, ACCUMULATE));
            FINE(MPI_Win_fence(0, win));
            FINE(GO(0, GET));
            FINE(MPI_Win_fence(m ? MPI_MODE_NOSUCCEED : 0, win));
        }
        for (int m = 0; m < 2; m++) {
            OK(MPI_Win_post(all, 0, win));
            OK(MPI_Win_start(all, 0, win));
            FINE(GO(0, ACCUMULATE));
            CONFLICT(GO(1, GET));
            OK(MPI_Win_complete(win));
            OK(MPI_Win_wait(win));
        }
        for (int m = 0; m < 2; m++) {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
            if (size > 1) OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
            FINE(GO(0, GET));
            if (size > 1) {
                FINE(operate(1, PUT, other, slice(&window, other), 1, MPI_INT, MPI_SUM, win));
                OK(MPI_Win_unlock(other, win));
            }
            CONFLICT(GO(2, PUT));
            OK(MPI_Win_unlock(target, win));
        }
        for (int m = 0; m < 2; m++) {
            OK(MPI_Win_lock_all(0, win));
            FINE(GO(0, PUT));
            CONFLICT(GO(1, GET));
            OK(MPI_Win_unlock_all(win));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Group_free(&all));
    end(&window, flavor);
}

/* --- Several processes */

/* Two processes do something in an epoch of fences; the one whose memory it is is one of them or another one. */
static void meet(const Window *window, int one, int other, int target, bool wrong, int kind, MPI_Datatype type,
                 MPI_Op op, int other_kind, int place, MPI_Datatype other_type, MPI_Op other_op)
{
    MPI_Win win = window->handle;
    MPI_Aint at = window->base[target] + 16;
    bool takes_part = rank == one || rank == other || rank == target;
    FINE(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    if (rank == one) FINE(operate(0, kind, target, at, 1, type, op, win));
    if (rank == other) FINE(operate(1, other_kind, target, at + place, 1, other_type, other_op, win));
    IS(wrong && takes_part, MPI_Win_fence(0, win));
    /* That was all. */
    FINE(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

static void processes(enum flavor flavor)
{
    Window window = window_of(flavor);
    MPI_Win win = window.handle;
    for (int target = 0; target < size; target++) {
        int one = 0, other = 1;
#define MEET(...) meet(&window, one, other, target, __VA_ARGS__)
        for (int kind = 0; kind < KINDS; kind++)
            for (int second = 0; second < KINDS; second++) {
                if (with_request(kind) || with_request(second)) continue;
                bool wrong = sort_of(kind) != sort_of(second) || sort_of(kind) == 0;
                MEET(wrong, kind, MPI_INT, MPI_SUM, second, 0, MPI_INT, MPI_SUM);
                MEET(false, kind, MPI_INT, MPI_SUM, second, 4, MPI_INT, MPI_SUM);
            }
        MEET(true, PUT, MPI_DOUBLE, MPI_OP_NULL, GET, 7, MPI_BYTE, MPI_OP_NULL);
        MEET(false, PUT, MPI_DOUBLE, MPI_OP_NULL, GET, 8, MPI_BYTE, MPI_OP_NULL);
        MEET(true, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 0, MPI_FLOAT, MPI_SUM);
        MEET(true, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 2, MPI_INT, MPI_SUM);
        MEET(true, ACCUMULATE, MPI_INT, MPI_SUM, ACCUMULATE, 0, MPI_INT, MPI_MAX);
        MEET(false, ACCUMULATE, MPI_INT, MPI_SUM, GET_ACCUMULATE, 0, MPI_INT, MPI_NO_OP);
        MEET(false, ACCUMULATE, MPI_INT, MPI_MAX, SWAP, 0, MPI_INT, MPI_OP_NULL);
        /* Columns beside each other. */
        MPI_Datatype column;
        OK(MPI_Type_vector(8, 1, 8, MPI_INT, &column));
        OK(MPI_Type_commit(&column));
        for (int place = 0; place < 8; place++)
            MEET(place == 0, PUT, column, MPI_OP_NULL, GET, 4 * place, column, MPI_OP_NULL);
        MEET(true, PUT, column, MPI_OP_NULL, PUT, 32, MPI_INT, MPI_OP_NULL);
        OK(MPI_Type_free(&column));
    }
    /* What was to be done is done. Bytes that only one has put are known. */
    int target = size - 1, mine[2] = { 100 + rank, 200 + rank }, *memory = (int *)window.memory;
    FINE(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    if (rank < 2) FINE(MPI_Put(mine, 2, MPI_INT, target, window.base[target] + 4 * rank, 2, MPI_INT, win));
    IS(rank < 2 || rank == target, MPI_Win_fence(0, win));
    if (rank == target) {
        CHECK(memory[0] == 100 && memory[2] == 201);
        CHECK(memory[1] == 200 || memory[1] == 101);
    }
    /* Several at once, in the memory of several: all who take part hear of it once. */
    FINE(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    if (rank > 0)
        for (target = 0; target < size; target += 2)
            FINE(operate(target, PUT, target, window.base[target], 1, MPI_INT, MPI_OP_NULL, win));
    bool wrong = size > 2;
    IS(wrong, MPI_Win_fence(0, win));
    /* What a process was told in the call it is not told again, and others have nothing to do with it. */
    FINE(MPI_Win_fence(0, win));
    if (rank == 0) {
        FINE(operate(0, PUT, 1, window.base[1], 1, MPI_INT, MPI_OP_NULL, win));
        CONFLICT(operate(1, PUT, 1, window.base[1], 1, MPI_INT, MPI_OP_NULL, win));
    }
    FINE(MPI_Win_fence(0, win));
    /* Accumulates of all; and then one process puts. */
    for (int put = 0; put < 2; put++) {
        if (put && rank == size - 1) {
            FINE(operate(0, PUT, 0, window.base[0], 1, MPI_INT, MPI_OP_NULL, win));
        } else {
            FINE(operate(0, ACCUMULATE, 0, window.base[0], 1, MPI_INT, MPI_SUM, win));
        }
        IS(put, MPI_Win_fence(0, win));
    }
    FINE(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    end(&window, flavor);
}

/* Windows have nothing to do with each other. */
static void windows(void)
{
    Window one = window_of(CREATED), other = window_of(ALLOCATED);
    int target = (rank + 1) % size;
    OK(MPI_Win_lock_all(0, one.handle));
    OK(MPI_Win_lock_all(0, other.handle));
    FINE(operate(0, PUT, target, slice(&one, target), 1, MPI_INT, MPI_OP_NULL, one.handle));
    FINE(operate(1, GET, target, slice(&other, target), 1, MPI_INT, MPI_OP_NULL, other.handle));
    OK(MPI_Win_flush_all(other.handle));
    CONFLICT(operate(2, GET, target, slice(&one, target), 1, MPI_INT, MPI_OP_NULL, one.handle));
    OK(MPI_Win_unlock_all(other.handle));
    OK(MPI_Win_unlock_all(one.handle));
    end(&one, CREATED);
    end(&other, ALLOCATED);
}

/* An operation that fails leaves nothing behind. */
static void failures(void)
{
    Window window = window_of(DYNAMIC);
    MPI_Win win = window.handle;
    int value = 0;
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (int n = 0; n < 2; n++) {
        int code = MPI_Put(&value, 1, MPI_INT, rank, window.base[rank] + (MPI_Aint)SLICE * size, 1, MPI_INT, win);
        CHECK(class_of(code) == MPI_ERR_RMA_RANGE || code == MPI_SUCCESS);
        /* Where it is noticed at the target, the flush tells. */
        code = code == MPI_SUCCESS ? MPI_Win_flush(rank, win) : MPI_SUCCESS;
        CHECK(class_of(code) == MPI_ERR_RMA_RANGE || code == MPI_SUCCESS);
    }
    OK(MPI_Win_unlock(rank, win));
    end(&window, DYNAMIC);
}

/* --- Other ways to end */

/* More separate ranges than are kept. Those before are compared with all that follow. */
static void many(void)
{
    enum { RANGES = 1000 * 1000 + 10 };
    char *memory, *data = calloc(RANGES, 1);
    MPI_Win win;
    MPI_Datatype apart;
    OK(MPI_Win_allocate(2 * RANGES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Type_vector(RANGES, 1, 2, MPI_BYTE, &apart));
    OK(MPI_Type_commit(&apart));
    for (int n = 0; n < 2; n++) {
        OK(MPI_Win_fence(0, win));
        if (rank == 0) {
            OK(MPI_Put(data, RANGES, MPI_BYTE, size - 1, 0, 1, apart, win));
            OK(MPI_Get(data, 1, MPI_BYTE, size - 1, 1, 1, MPI_BYTE, win));
            FAILS(MPI_ERR_RMA_CONFLICT, MPI_Get(data, 1, MPI_BYTE, size - 1, 0, 1, MPI_BYTE, win));
        } else if (rank == 1) {
            OK(MPI_Put(data, 2, MPI_BYTE, size - 1, 1000, 2, MPI_BYTE, win));
        }
        int code = MPI_Win_fence(0, win);
        bool wrong = size > 1 && (rank < 2 || rank == size - 1);
        CHECK(class_of(code) == (wrong ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS));
    }
    OK(MPI_Type_free(&apart));
    OK(MPI_Win_free(&win));
    free(data);
}

static void fatal(bool fence)
{
    MPI_Win win;
    char *memory;
    int value[4] = { 0 };
    OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_fence(0, win));
    if (fence) {
        if (rank == 0) OK(MPI_Put(value, 3, MPI_INT, 1, 4, 3, MPI_INT, win));
        if (rank == 1) OK(MPI_Accumulate(value, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, win));
    } else if (rank == 0) {
        OK(MPI_Accumulate(value, 2, MPI_INT, 1, 4, 2, MPI_INT, MPI_SUM, win));
        MPI_Accumulate(value, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_MAX, win);
        CHECK(!"reached");
    }
    MPI_Win_fence(0, win);
    CHECK(!"reached");
}

int main(int argc, char **argv)
{
    begin(&rank, &size);
    CHECK(size <= MOST && argc == 2);
    debug = strcmp(argv[1], "on") == 0;
    if (debug || strcmp(argv[1], "off") == 0) {
        for (enum flavor flavor = 0; flavor < FLAVORS; flavor++) {
            pairs(flavor);
            epochs(flavor);
            if (size > 1) processes(flavor);
        }
        overlaps();
        accumulates();
        gaps();
        windows();
        failures();
    } else if (strcmp(argv[1], "many") == 0) {
        many();
    } else {
        fatal(strcmp(argv[1], "fence") == 0);
    }
    OK(MPI_Finalize());
    return 0;
}
