/* Mistakes with windows: each gives the class that the standard names for it to the error handler of the
   window, or of the communicator that a window is made of; and the window can be used as before. */
#include <stdint.h>

#include "check.h"

static int rank, size;

/* What the handlers were told. */
static int heard, heard_code;
static MPI_Win heard_win;

static void hear(MPI_Win *win, int *code, ...)
{
    heard++;
    heard_win = *win;
    heard_code = *code;
}

static int heard_self;

static void hear_self(MPI_Comm *comm, int *code, ...)
{
    heard_self++;
    heard_code = *code;
    CHECK(*comm == MPI_COMM_SELF);
}

static MPI_Errhandler hearing, hearing_self;

/* A call that fails, at a window: with errors that are returned, and with a handler. */
#define WRONG(class, win, call)                                                       \
    do {                                                                              \
        int code_;                                                                    \
        OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));                           \
        heard = 0, heard_win = MPI_WIN_NULL, heard_code = MPI_SUCCESS;                \
        CHECK(class_of(call) == (class) && heard == 0);                               \
        OK(MPI_Win_set_errhandler(win, hearing));                                     \
        code_ = (call);                                                               \
        CHECK(class_of(code_) == (class) && heard == 1 && heard_code == code_);       \
        CHECK(heard_win == (win));                                                    \
    } while (0)

/* A call with what is no window. */
#define WRONG_ALONE(call)                                                             \
    do {                                                                              \
        int code_;                                                                    \
        heard_self = 0;                                                               \
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, hearing_self));                     \
        code_ = (call);                                                               \
        CHECK(class_of(code_) == MPI_ERR_WIN && heard_self == 1 && heard_code == code_); \
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));                \
    } while (0)

enum { INTS = 16 };

static int own_memory[INTS], *memory;

static MPI_Win window(void)
{
    MPI_Win win;
    OK(MPI_Win_create(memory, INTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, hearing));
    return win;
}

/* Handles that are none: no constant, constants of other classes, an object of another class, an odd
   address, memory without an object, a window that was freed. */
static void handles(void)
{
    static long long nothing[64];
    MPI_Group group;
    MPI_Win stale = window(), gone = stale;
    OK(MPI_Win_free(&gone));
    CHECK(gone == MPI_WIN_NULL);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    void *bad[] = { NULL, (void *)(intptr_t)77, (void *)MPI_BYTE, (void *)group, (char *)nothing + 3,
                    nothing, (void *)stale, (void *)MPI_WIN_NULL };
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        MPI_Win win = (MPI_Win)bad[n], copy = win;
        int value = 0, flag;
        Displ unit;
        void *base;
        MPI_Aint bytes;
        MPI_Info info;
        MPI_Group other;
        MPI_Request request;
        char name[MPI_MAX_OBJECT_NAME];
        WRONG_ALONE(MPI_Win_free(&copy));
        WRONG_ALONE(MPI_Win_fence(0, win));
        WRONG_ALONE(MPI_Win_start(group, 0, win));
        WRONG_ALONE(MPI_Win_complete(win));
        WRONG_ALONE(MPI_Win_post(group, 0, win));
        WRONG_ALONE(MPI_Win_wait(win));
        WRONG_ALONE(MPI_Win_test(win, &flag));
        WRONG_ALONE(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        WRONG_ALONE(MPI_Win_unlock(0, win));
        WRONG_ALONE(MPI_Win_lock_all(0, win));
        WRONG_ALONE(MPI_Win_unlock_all(win));
        WRONG_ALONE(MPI_Win_flush(0, win));
        WRONG_ALONE(MPI_Win_flush_all(win));
        WRONG_ALONE(MPI_Win_flush_local(0, win));
        WRONG_ALONE(MPI_Win_flush_local_all(win));
        WRONG_ALONE(MPI_Win_sync(win));
        WRONG_ALONE(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        WRONG_ALONE(MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        WRONG_ALONE(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
        WRONG_ALONE(MPI_Get_accumulate(&value, 1, MPI_INT, &flag, 1, MPI_INT, 0, 0, 1, MPI_INT,
                                       MPI_SUM, win));
        WRONG_ALONE(MPI_Fetch_and_op(&value, &flag, MPI_INT, 0, 0, MPI_SUM, win));
        WRONG_ALONE(MPI_Compare_and_swap(&value, &value, &flag, MPI_INT, 0, 0, win));
        WRONG_ALONE(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
        WRONG_ALONE(MPI_Win_attach(win, memory, 4));
        WRONG_ALONE(MPI_Win_detach(win, memory));
        WRONG_ALONE(MPI_Win_shared_query(win, 0, &bytes, &unit, &base));
        WRONG_ALONE(MPI_Win_get_group(win, &other));
        WRONG_ALONE(MPI_Win_get_info(win, &info));
        WRONG_ALONE(MPI_Win_set_info(win, MPI_INFO_NULL));
        WRONG_ALONE(MPI_Win_set_name(win, "name"));
        WRONG_ALONE(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
        WRONG_ALONE(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        WRONG_ALONE(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
        if (win != MPI_WIN_NULL)
            WRONG_ALONE(MPI_Win_get_name(win, name, &value));
    }
    OK(MPI_Group_free(&group));
}

/* What one process gets wrong all hear of, at the communicator. */
static void creation(void)
{
    MPI_Win win;
    void *base;
    int bad = rank == size - 1;
    FAILS(MPI_ERR_SIZE, MPI_Win_create(memory, bad ? -1 : 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_DISP, MPI_Win_create(memory, 4, bad ? 0 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_DISP, MPI_Win_create(memory, 4, bad ? -4 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_SIZE, MPI_Win_allocate(bad ? -1 : 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    FAILS(MPI_ERR_DISP, MPI_Win_allocate(4, bad ? 0 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    FAILS(MPI_ERR_SIZE,
          MPI_Win_allocate_shared(bad ? -1 : 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    FAILS(MPI_ERR_BASE,
          MPI_Win_create(bad ? NULL : memory, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_COMM, MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win));
    FAILS(MPI_ERR_COMM, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &win));
    /* A component that is not there, on one process. */
    MPI_Info info;
    OK(MPI_Info_create(&info));
    if (bad)
        OK(MPI_Info_set(info, "cairn_osc", "soup"));
    CHECK(MPI_Win_create(memory, 4, 1, info, MPI_COMM_WORLD, &win) != MPI_SUCCESS);
    OK(MPI_Info_free(&info));
    if (size > 1) {
        MPI_Comm half, inter;
        OK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half));
        OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 0, &inter));
        OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
        FAILS(MPI_ERR_COMM, MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, inter, &win));
        OK(MPI_Comm_free(&inter));
        OK(MPI_Comm_free(&half));
    }
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_free(&win));
}

#define PUT(win, target) MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win)

static void everything_passive_is_wrong(MPI_Win win)
{
    int value = 0, got;
    MPI_Request request;
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Rget(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
    WRONG(MPI_ERR_RMA_SYNC, win,
          MPI_Raccumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Rget_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, 0, 0, 1,
                                                     MPI_INT, MPI_SUM, win, &request));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_flush(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_flush_all(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_flush_local(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_flush_local_all(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_unlock(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_unlock_all(win));
}

static void locking_is_wrong(MPI_Win win)
{
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_lock_all(0, win));
}

static void epochs(void)
{
    MPI_Win win = window(), copy = win;
    MPI_Group own, none = MPI_GROUP_EMPTY, all;
    int value = 0, got, flag, last = size - 1;
    OK(MPI_Comm_group(MPI_COMM_SELF, &own));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));

    /* No epoch. */
    WRONG(MPI_ERR_RMA_SYNC, win, PUT(win, 0));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Get_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, 0, 0, 1,
                                                    MPI_INT, MPI_SUM, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Fetch_and_op(&value, &got, MPI_INT, 0, 0, MPI_SUM, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Compare_and_swap(&value, &value, &got, MPI_INT, 0, 0, win));
    everything_passive_is_wrong(win);
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_complete(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_wait(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_test(win, &flag));

    /* Fences. */
    OK(MPI_Win_fence(0, win));
    everything_passive_is_wrong(win);
    OK(PUT(win, last));
    locking_is_wrong(win);
    everything_passive_is_wrong(win);
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_start(own, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_post(own, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_complete(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_free(&copy));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    WRONG(MPI_ERR_RMA_SYNC, win, PUT(win, 0));

    /* Start and post. */
    OK(MPI_Win_fence(0, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_post(own, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, PUT(win, rank));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_post(own, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_fence(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_lock_all(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_free(&copy));
    OK(MPI_Win_start(own, 0, win));
    OK(PUT(win, rank));
    if (size > 1)
        WRONG(MPI_ERR_RMA_SYNC, win, PUT(win, (rank + 1) % size));
    locking_is_wrong(win);
    everything_passive_is_wrong(win);
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_start(own, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_fence(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_free(&copy));
    OK(MPI_Win_complete(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_wait(win));
    OK(MPI_Win_start(none, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, PUT(win, rank));
    OK(MPI_Win_complete(win));

    /* Locks. */
    OK(MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win));
    OK(PUT(win, last));
    OK(MPI_Win_flush(last, win));
    OK(MPI_Win_flush_all(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_lock_all(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_unlock_all(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_fence(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_start(own, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_free(&copy));
    if (size > 1) {
        WRONG(MPI_ERR_RMA_SYNC, win, PUT(win, 0));
        WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_flush(0, win));
        WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_unlock(0, win));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        OK(PUT(win, 0));
        OK(MPI_Win_unlock(0, win));
        WRONG(MPI_ERR_RMA_SYNC, win, PUT(win, 0));
    }
    OK(MPI_Win_unlock(last, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_unlock(last, win));
    OK(MPI_Win_lock_all(0, win));
    OK(PUT(win, last));
    locking_is_wrong(win);
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_unlock(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_fence(0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_start(own, 0, win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_free(&copy));
    OK(MPI_Win_unlock_all(win));
    WRONG(MPI_ERR_RMA_SYNC, win, MPI_Win_unlock_all(win));

    /* A process that is not in the window. */
    if (size > 1) {
        MPI_Win alone;
        OK(MPI_Win_create(memory, INTS * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_SELF, &alone));
        WRONG(MPI_ERR_GROUP, alone, MPI_Win_start(all, 0, alone));
        WRONG(MPI_ERR_GROUP, alone, MPI_Win_post(all, 0, alone));
        WRONG(MPI_ERR_RANK, alone, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, alone));
        OK(MPI_Win_free(&alone));
    }
    OK(MPI_Group_free(&own));
    OK(MPI_Group_free(&all));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));
}

static void arguments_of_synchronization(void)
{
    MPI_Win win = window(), unlocked;
    MPI_Group own;
    MPI_Info info;
    OK(MPI_Comm_group(MPI_COMM_SELF, &own));
    WRONG(MPI_ERR_LOCKTYPE, win, MPI_Win_lock(0, 0, 0, win));
    WRONG(MPI_ERR_LOCKTYPE, win, MPI_Win_lock(MPI_LOCK_SHARED + MPI_LOCK_EXCLUSIVE, 0, 0, win));
    WRONG(MPI_ERR_RANK, win, MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));
    WRONG(MPI_ERR_RANK, win, MPI_Win_lock(MPI_LOCK_SHARED, MPI_ANY_SOURCE, 0, win));
    WRONG(MPI_ERR_RANK, win, MPI_Win_unlock(size, win));
    WRONG(MPI_ERR_RANK, win, MPI_Win_flush(-7, win));
    WRONG(MPI_ERR_RANK, win, MPI_Win_flush_local(size, win));
    WRONG(MPI_ERR_ASSERT, win, MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win));
    WRONG(MPI_ERR_ASSERT, win, MPI_Win_lock_all(MPI_MODE_NOSTORE, win));
    WRONG(MPI_ERR_ASSERT, win, MPI_Win_fence(MPI_MODE_NOCHECK, win));
    WRONG(MPI_ERR_ASSERT, win, MPI_Win_fence(1, win));
    WRONG(MPI_ERR_ASSERT, win, MPI_Win_fence(-1, win));
    WRONG(MPI_ERR_ASSERT, win, MPI_Win_start(own, MPI_MODE_NOPUT, win));
    WRONG(MPI_ERR_ASSERT, win, MPI_Win_post(own, MPI_MODE_NOPRECEDE, win));
    WRONG(MPI_ERR_GROUP, win, MPI_Win_start(MPI_GROUP_NULL, 0, win));
    WRONG(MPI_ERR_GROUP, win, MPI_Win_post(MPI_GROUP_NULL, 0, win));

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", "true"));
    OK(MPI_Win_create(memory, 4, 1, info, MPI_COMM_WORLD, &unlocked));
    WRONG(MPI_ERR_RMA_SYNC, unlocked, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, unlocked));
    WRONG(MPI_ERR_RMA_SYNC, unlocked, MPI_Win_lock_all(0, unlocked));
    OK(MPI_Win_free(&unlocked));
    OK(MPI_Info_free(&info));
    OK(MPI_Group_free(&own));
    OK(MPI_Win_free(&win));
}

static void sum(void *in, void *inout, Count *count, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)count, (void)datatype;
}

static void operations(void)
{
    MPI_Win win = window();
    int from[INTS] = { 0 }, to[INTS];
    double real = 0;
    MPI_Datatype apart, below, mixed, uncommitted, pair, none;
    MPI_Datatype parts[] = { MPI_INT, MPI_FLOAT };
    Count lengths[] = { 1, 1 };
    Extent places[] = { 0, 4 };
    Extent back = -4;
    MPI_Op op;
    OK(MPI_Type_vector(2, 1, 8, MPI_INT, &apart));
    OK(MPI_Type_create_hindexed(1, lengths, &back, MPI_INT, &below));
    OK(MPI_Type_create_struct(2, lengths, places, parts, &mixed));
    OK(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_contiguous(0, MPI_INT, &none));
    OK(MPI_Type_commit(&apart));
    OK(MPI_Type_commit(&below));
    OK(MPI_Type_commit(&mixed));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Type_commit(&none));
    OK(MPI_Op_create(sum, 1, &op));
    OK(MPI_Win_lock_all(0, win));

    for (int get = 0; get < 2; get++) {
#define MOVE(count, type, rank, place, target_count, target_type)                              \
    (get ? MPI_Get(to, count, type, rank, place, target_count, target_type, win)               \
         : MPI_Put(from, count, type, rank, place, target_count, target_type, win))
        WRONG(MPI_ERR_RANK, win, MOVE(1, MPI_INT, size, 0, 1, MPI_INT));
        WRONG(MPI_ERR_RANK, win, MOVE(1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT));
        WRONG(MPI_ERR_COUNT, win, MOVE(-1, MPI_INT, 0, 0, 1, MPI_INT));
        WRONG(MPI_ERR_COUNT, win, MOVE(1, MPI_INT, 0, 0, -1, MPI_INT));
        WRONG(MPI_ERR_TYPE, win, MOVE(1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT));
        WRONG(MPI_ERR_TYPE, win, MOVE(1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL));
        WRONG(MPI_ERR_TYPE, win, MOVE(1, uncommitted, 0, 0, 2, MPI_INT));
        WRONG(MPI_ERR_TYPE, win, MOVE(2, MPI_INT, 0, 0, 1, uncommitted));
        /* Outside of the memory, at both ends, and far away. */
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(1, MPI_INT, 0, INTS, 1, MPI_INT));
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(2, MPI_INT, 0, INTS - 1, 2, MPI_INT));
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(1, MPI_INT, 0, -1, 1, MPI_INT));
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(1, MPI_INT, 0, INTPTR_MAX, 1, MPI_INT));
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(1, MPI_INT, 0, INTPTR_MAX / 4, 1, MPI_INT));
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(1, MPI_INT, 0, INTPTR_MIN, 1, MPI_INT));
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(2, MPI_INT, 0, 8, 1, apart));
        WRONG(MPI_ERR_RMA_RANGE, win, MOVE(1, MPI_INT, 0, 0, 1, below));
        OK(MOVE(1, MPI_INT, 0, INTS - 1, 1, MPI_INT));
        OK(MOVE(2, MPI_INT, 0, 7, 1, apart));
        OK(MOVE(1, MPI_INT, 0, 1, 1, below));
        /* Nothing is nowhere outside. */
        OK(MOVE(0, MPI_INT, 0, 1 << 20, 0, MPI_INT));
        OK(MOVE(0, MPI_INT, 0, -1, 0, apart));
        OK(MOVE(3, none, 0, 1 << 20, 5, none));
        /* Neither is what goes to no process. */
        OK(MOVE(1, MPI_INT, MPI_PROC_NULL, 1 << 20, 1, MPI_DATATYPE_NULL));
    }
    /* Data is not cut off, and does not end within an element. */
    WRONG(MPI_ERR_TRUNCATE, win, MPI_Put(from, 3, MPI_INT, 0, 0, 2, MPI_INT, win));
    WRONG(MPI_ERR_TRUNCATE, win, MPI_Get(to, 2, MPI_INT, 0, 0, 3, MPI_INT, win));
    WRONG(MPI_ERR_ARG, win, MPI_Put(from, 3, MPI_INT, 0, 0, 2, pair, win));
    WRONG(MPI_ERR_ARG, win, MPI_Get(to, 2, pair, 0, 0, 3, MPI_INT, win));
    OK(MPI_Put(from, 2, MPI_INT, 0, 0, 2, pair, win));
    OK(MPI_Get(to, 4, MPI_INT, 0, 0, 3, MPI_INT, win));
    OK(MPI_Win_flush_all(win));

    /* Reductions. */
#define ADD(origin, target, op) MPI_Accumulate(from, 1, origin, 0, 0, 1, target, op, win)
    WRONG(MPI_ERR_OP, win, ADD(MPI_INT, MPI_INT, MPI_OP_NULL));
    WRONG(MPI_ERR_OP, win, ADD(MPI_INT, MPI_INT, op));
    WRONG(MPI_ERR_OP, win, ADD(MPI_INT, MPI_INT, MPI_NO_OP));
    WRONG(MPI_ERR_OP, win, ADD(MPI_INT, MPI_INT, MPI_MINLOC));
    WRONG(MPI_ERR_OP, win, ADD(MPI_FLOAT, MPI_FLOAT, MPI_BAND));
    WRONG(MPI_ERR_TYPE, win, ADD(MPI_INT, MPI_FLOAT, MPI_SUM));
    WRONG(MPI_ERR_TYPE, win, ADD(mixed, mixed, MPI_SUM));
    WRONG(MPI_ERR_TYPE, win, ADD(mixed, mixed, MPI_REPLACE));
    WRONG(MPI_ERR_RMA_RANGE, win,
          MPI_Accumulate(from, 1, MPI_INT, 0, INTS, 1, MPI_INT, MPI_SUM, win));
    WRONG(MPI_ERR_TRUNCATE, win, MPI_Accumulate(from, 3, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, win));
    OK(ADD(pair, pair, MPI_SUM));
    OK(MPI_Accumulate(from, 2, MPI_INT, 0, 0, 1, apart, MPI_REPLACE, win));
    OK(MPI_Win_flush_all(win));
#define FETCH(type, target_type, op)                                                           \
    MPI_Get_accumulate(from, 1, type, to, 1, type, 0, 0, 1, target_type, op, win)
    WRONG(MPI_ERR_OP, win, FETCH(MPI_INT, MPI_INT, op));
    WRONG(MPI_ERR_TYPE, win, FETCH(MPI_INT, MPI_FLOAT, MPI_SUM));
    WRONG(MPI_ERR_TYPE, win, FETCH(MPI_INT, MPI_FLOAT, MPI_NO_OP));
    WRONG(MPI_ERR_TYPE, win, FETCH(mixed, mixed, MPI_NO_OP));
    WRONG(MPI_ERR_ARG, win, MPI_Get_accumulate(from, 1, MPI_INT, to, 2, MPI_INT, 0, 0, 1, MPI_INT,
                                               MPI_SUM, win));
    OK(FETCH(MPI_INT, MPI_INT, MPI_SUM));
    OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, to, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP,
                          win));
    OK(MPI_Win_flush_all(win));
    WRONG(MPI_ERR_TYPE, win, MPI_Fetch_and_op(from, to, pair, 0, 0, MPI_SUM, win));
    WRONG(MPI_ERR_OP, win, MPI_Fetch_and_op(from, to, MPI_INT, 0, 0, op, win));
    WRONG(MPI_ERR_OP, win, MPI_Fetch_and_op(&real, to, MPI_DOUBLE, 0, 0, MPI_BOR, win));
    WRONG(MPI_ERR_RMA_RANGE, win, MPI_Fetch_and_op(from, to, MPI_INT, 0, INTS, MPI_SUM, win));
    WRONG(MPI_ERR_TYPE, win, MPI_Compare_and_swap(from, from, to, pair, 0, 0, win));
    WRONG(MPI_ERR_TYPE, win, MPI_Compare_and_swap(&real, &real, to, MPI_DOUBLE, 0, 0, win));
    WRONG(MPI_ERR_TYPE, win, MPI_Compare_and_swap(from, from, to, MPI_2INT, 0, 0, win));
    WRONG(MPI_ERR_RMA_RANGE, win, MPI_Compare_and_swap(from, from, to, MPI_INT, 0, INTS, win));
    OK(MPI_Fetch_and_op(NULL, to, MPI_INT, 0, 0, MPI_NO_OP, win));
    OK(MPI_Win_flush_all(win));
    OK(MPI_Compare_and_swap(from, from + 1, to, MPI_INT, 0, 0, win));

    OK(MPI_Win_unlock_all(win));
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&apart));
    OK(MPI_Type_free(&below));
    OK(MPI_Type_free(&mixed));
    OK(MPI_Type_free(&uncommitted));
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_free(&none));
    OK(MPI_Win_free(&win));
}

static void flavors(void)
{
    MPI_Win win = window(), dynamic;
    MPI_Aint bytes;
    Displ unit;
    void *base;
    WRONG(MPI_ERR_RMA_FLAVOR, win, MPI_Win_attach(win, memory, INTS * sizeof(int)));
    WRONG(MPI_ERR_RMA_FLAVOR, win, MPI_Win_detach(win, memory));
    WRONG(MPI_ERR_RANK, win, MPI_Win_shared_query(win, size, &bytes, &unit, &base));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    WRONG(MPI_ERR_RMA_FLAVOR, dynamic, MPI_Win_shared_query(dynamic, 0, &bytes, &unit, &base));
    WRONG(MPI_ERR_RMA_ATTACH, dynamic, MPI_Win_attach(dynamic, NULL, 8));
    WRONG(MPI_ERR_RMA_ATTACH, dynamic, MPI_Win_detach(dynamic, memory));
    WRONG(MPI_ERR_SIZE, dynamic, MPI_Win_attach(dynamic, memory, -1));
    OK(MPI_Win_attach(dynamic, NULL, 0));
    OK(MPI_Win_attach(dynamic, memory, INTS * sizeof(int)));
    WRONG(MPI_ERR_RMA_ATTACH, dynamic, MPI_Win_attach(dynamic, memory + 1, 4));
    OK(MPI_Win_detach(dynamic, memory));
    WRONG(MPI_ERR_RMA_ATTACH, dynamic, MPI_Win_detach(dynamic, memory));
    OK(MPI_Win_free(&dynamic));
}

int main(void)
{
    begin(&rank, &size);
    memory = own_memory;
    OK(MPI_Win_create_errhandler(hear, &hearing));
    OK(MPI_Comm_create_errhandler(hear_self, &hearing_self));
    handles();
    creation();
    epochs();
    arguments_of_synchronization();
    operations();
    flavors();
    OK(MPI_Errhandler_free(&hearing));
    OK(MPI_Errhandler_free(&hearing_self));
    OK(MPI_Finalize());
    return 0;
}
