/* Windows as objects: attributes, names, groups, hints, error handlers, handles, windows without memory, and
   targets that are no process. */
#include "check.h"

static int rank, size;

enum { BYTES = 64 };

/* The value behind a predefined attribute, or the address that it is. */
static void *attribute(MPI_Win win, int key)
{
    void *value = NULL;
    int flag = 0;
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag);
    return value;
}

static void predefined(MPI_Win win, void *base, MPI_Aint bytes, int unit, int flavor)
{
    int model = *(int *)attribute(win, MPI_WIN_MODEL);
    CHECK(attribute(win, MPI_WIN_BASE) == base);
    CHECK(*(MPI_Aint *)attribute(win, MPI_WIN_SIZE) == bytes);
    CHECK(*(int *)attribute(win, MPI_WIN_DISP_UNIT) == unit);
    CHECK(*(int *)attribute(win, MPI_WIN_CREATE_FLAVOR) == flavor);
    CHECK(model == MPI_WIN_UNIFIED || model == MPI_WIN_SEPARATE);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_set_attr(win, MPI_WIN_SIZE, &model));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_delete_attr(win, MPI_WIN_BASE));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_get_attr(win, MPI_TAG_UB, &base, &model));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_get_attr(win, MPI_KEYVAL_INVALID, &base, &model));
}

static void flavors(void)
{
    static char memory[BYTES];
    void *base;
    MPI_Win win;
    OK(MPI_Win_create(memory, BYTES, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    predefined(win, memory, BYTES, 8, MPI_WIN_FLAVOR_CREATE);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate(BYTES, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, rank, BYTES);
    predefined(win, base, BYTES, 4, MPI_WIN_FLAVOR_ALLOCATE);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    predefined(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Win_free(&win));
    /* Each process gives what it likes. */
    OK(MPI_Win_create(memory, rank, rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    predefined(win, memory, rank, rank + 1, MPI_WIN_FLAVOR_CREATE);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    predefined(win, NULL, 0, 1, MPI_WIN_FLAVOR_CREATE);
    OK(MPI_Win_free(&win));
}

static void shared(void)
{
    MPI_Win win;
    MPI_Aint bytes;
    Displ unit;
    char *base, *found;
    MPI_Comm node;
    int here, members;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_rank(node, &here));
    OK(MPI_Comm_size(node, &members));
    OK(MPI_Win_allocate_shared(here * BYTES, here + 1, MPI_INFO_NULL, node, &base, &win));
    OK(MPI_Win_lock_all(0, win));
    if (here > 0)
        memset(base, here, (size_t)here * BYTES);
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(node));
    OK(MPI_Win_sync(win));
    for (int other = 0; other < members; other++) {
        OK(MPI_Win_shared_query(win, other, &bytes, &unit, &found));
        CHECK(bytes == other * BYTES && unit == other + 1);
        for (int byte = 0; byte < bytes; byte++)
            CHECK(found[byte] == other);
        if (other > 0 && other == here)
            CHECK(found == base);
    }
    /* The first process with memory. */
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &found));
    CHECK(bytes == (members > 1 ? BYTES : 0));
    if (members > 1)
        CHECK(unit == 2 && found[0] == 1);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&node));
}

static int deleted, deleted_value;
static MPI_Win deleted_win;

static int delete_attribute(MPI_Win win, int key, void *value, void *extra)
{
    (void)key;
    deleted++;
    deleted_win = win;
    deleted_value = *(int *)value;
    return *(int *)extra;
}

static MPI_Win plain(void)
{
    static int memory[4];
    MPI_Win win;
    OK(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    return win;
}

static void attributes(void)
{
    MPI_Win win = plain(), copy = win;
    int key, other, values[] = { 11, 22 }, result = MPI_SUCCESS, flag = 7;
    int *found = NULL;
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_attribute, &key, &result));
    OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL));
    OK(MPI_Win_get_attr(win, key, &found, &flag));
    CHECK(!flag);
    OK(MPI_Win_set_attr(win, key, &values[0]));
    OK(MPI_Win_set_attr(win, other, &values[1]));
    OK(MPI_Win_get_attr(win, key, &found, &flag));
    CHECK(flag && found == &values[0]);
    OK(MPI_Win_set_attr(win, key, &values[1]));
    CHECK(deleted == 1 && deleted_value == 11 && deleted_win == win);
    OK(MPI_Win_delete_attr(win, key));
    CHECK(deleted == 2 && deleted_value == 22);
    OK(MPI_Win_set_attr(win, key, &values[0]));
    OK(MPI_Win_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Win_free_keyval(&other));
    /* A function that refuses keeps the window. */
    result = MPI_ERR_INTERN;
    FAILS(MPI_ERR_INTERN, MPI_Win_free(&copy));
    CHECK(deleted == 3 && copy == win);
    OK(MPI_Win_fence(0, win));
    result = MPI_SUCCESS;
    OK(MPI_Win_free(&copy));
    CHECK(deleted == 4 && deleted_win == win && copy == MPI_WIN_NULL);
}

static void names(void)
{
    MPI_Win win = plain();
    char name[MPI_MAX_OBJECT_NAME], longest[2 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == 0 && name[0] == 0);
    OK(MPI_Win_set_name(win, "halo"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == 4 && strcmp(name, "halo") == 0);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    OK(MPI_Win_set_name(win, longest));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == MPI_MAX_OBJECT_NAME - 1 && (int)strlen(name) == length);
    OK(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
    CHECK(strcmp(name, "MPI_WIN_NULL") == 0);
    OK(MPI_Win_free(&win));
}

static void groups(void)
{
    MPI_Comm turned;
    MPI_Group one, other;
    MPI_Win win;
    int result;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned));
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, turned, &win));
    OK(MPI_Comm_group(turned, &one));
    OK(MPI_Win_get_group(win, &other));
    OK(MPI_Group_compare(one, other, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Group_free(&one));
    OK(MPI_Group_free(&other));
    /* The window has a communicator of its own. */
    OK(MPI_Comm_free(&turned));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
}

static void is(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, flag = 0;
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    if (!flag || strcmp(value, expected) != 0)
        fprintf(stderr, "%s is %s\n", key, flag ? value : "not set");
    CHECK(flag && strcmp(value, expected) == 0);
}

static void hints(void)
{
    MPI_Info info, used;
    MPI_Win win = plain();
    void *base;
    char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, flag = 7;
    OK(MPI_Win_get_info(win, &used));
    is(used, "no_locks", "false");
    is(used, "accumulate_ordering", "rar,raw,war,waw");
    is(used, "accumulate_ops", "same_op_no_op");
    is(used, "same_size", "false");
    is(used, "same_disp_unit", "false");
    is(used, "alloc_shared_noncontig", "false");
    is(used, "mpi_accumulate_granularity", "0");
    OK(MPI_Info_get_string(used, "mpi_memory_alloc_kinds", &length, value, &flag));
    CHECK(flag);
    length = sizeof value;
    OK(MPI_Info_get_string(used, "cairn_osc", &length, value, &flag));
    CHECK(flag && value[0]);
    /* They can be given back. */
    OK(MPI_Win_set_info(win, used));
    OK(MPI_Win_set_info(win, MPI_INFO_NULL));
    OK(MPI_Info_free(&used));
    OK(MPI_Win_free(&win));

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", "true"));
    OK(MPI_Info_set(info, "accumulate_ordering", "none"));
    OK(MPI_Info_set(info, "accumulate_ops", "same_op"));
    OK(MPI_Info_set(info, "same_size", "true"));
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
    OK(MPI_Info_set(info, "mpi_accumulate_granularity", "8"));
    OK(MPI_Info_set(info, "soup", "tomato"));
    OK(MPI_Info_set(info, "cairn_osc", value));
    OK(MPI_Win_allocate(BYTES, 1, info, MPI_COMM_WORLD, &base, &win));
    CHECK((size_t)base % 4096 == 0);
    OK(MPI_Win_get_info(win, &used));
    is(used, "no_locks", "true");
    is(used, "accumulate_ordering", "none");
    is(used, "accumulate_ops", "same_op");
    is(used, "same_size", "true");
    is(used, "same_disp_unit", "false");
    is(used, "mpi_minimum_memory_alignment", "4096");
    is(used, "mpi_accumulate_granularity", "8");
    is(used, "cairn_osc", value);
    length = sizeof value;
    OK(MPI_Info_get_string(used, "soup", &length, value, &flag));
    CHECK(!flag);
    OK(MPI_Info_free(&used));
    /* What may change, and what was decided. */
    OK(MPI_Info_set(info, "same_size", "false"));
    OK(MPI_Info_set(info, "no_locks", "false"));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Win_get_info(win, &used));
    is(used, "same_size", "false");
    is(used, "no_locks", "true");
    OK(MPI_Info_free(&used));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_free(&win));

    /* An assertion that not all make is none. */
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", rank == 0 && size > 1 ? "false" : "true"));
    OK(MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &win));
    OK(MPI_Win_get_info(win, &used));
    is(used, "no_locks", size > 1 ? "false" : "true");
    OK(MPI_Info_free(&used));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_free(&win));
}

static int heard, heard_code;
static MPI_Win heard_win;

static void hear(MPI_Win *win, int *code, ...)
{
    heard++;
    heard_win = *win;
    heard_code = *code;
}

static void handlers(void)
{
    MPI_Win win = plain();
    MPI_Errhandler handler, found;
    /* Whatever the communicator has. */
    OK(MPI_Win_get_errhandler(win, &found));
    CHECK(found == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Errhandler_free(&found));
    OK(MPI_Win_create_errhandler(hear, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Win_get_errhandler(win, &found));
    CHECK(found == handler);
    OK(MPI_Errhandler_free(&found));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK(heard == 1 && heard_win == win && heard_code == MPI_ERR_OTHER);
    FAILS(MPI_ERR_LOCKTYPE, MPI_Win_lock(7, 0, 0, win));
    CHECK(heard == 2 && heard_win == win && class_of(heard_code) == MPI_ERR_LOCKTYPE);
    OK(MPI_Win_free(&win));
}

static void integers(void)
{
    MPI_Win win = plain(), second = plain();
    CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
    CHECK(MPI_Win_fromint(MPI_Win_toint(second)) == second);
    CHECK(MPI_Win_toint(win) != MPI_Win_toint(second));
    CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
    OK(MPI_Win_free(&second));
    OK(MPI_Win_free(&win));
}

/* Nothing happens, but within an epoch. */
static void no_process(void)
{
    MPI_Win win = plain();
    MPI_Request requests[4];
    int value = 5, result = 6;
    const int nobody = MPI_PROC_NULL;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, nobody, 0, 1, MPI_INT, win));
    OK(MPI_Get(&result, 1, MPI_INT, nobody, 0, 1, MPI_INT, win));
    OK(MPI_Accumulate(&value, 1, MPI_INT, nobody, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, nobody, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Fetch_and_op(&value, &result, MPI_INT, nobody, 0, MPI_SUM, win));
    OK(MPI_Compare_and_swap(&value, &value, &result, MPI_INT, nobody, 0, win));
    OK(MPI_Rput(&value, 1, MPI_INT, nobody, 0, 1, MPI_INT, win, &requests[0]));
    OK(MPI_Rget(&result, 1, MPI_INT, nobody, 0, 1, MPI_INT, win, &requests[1]));
    OK(MPI_Raccumulate(&value, 1, MPI_INT, nobody, 0, 1, MPI_INT, MPI_SUM, win, &requests[2]));
    OK(MPI_Rget_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, nobody, 0, 1, MPI_INT, MPI_SUM, win,
                           &requests[3]));
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Win_flush(nobody, win));
    OK(MPI_Win_flush_local(nobody, win));
    OK(MPI_Win_unlock_all(win));
    CHECK(value == 5 && result == 6);
    OK(MPI_Win_free(&win));
}

/* Requests of operations, one of which outlives its window. */
static void requests(void)
{
    MPI_Win win = plain();
    MPI_Request request, late;
    MPI_Status status;
    int value = 10 + rank, got = -1, next = (rank + 1) % size;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput(&value, 1, MPI_INT, next, 1, 1, MPI_INT, win, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Win_flush(next, win));
    OK(MPI_Rget(&got, 1, MPI_INT, next, 1, 1, MPI_INT, win, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(got == value);
    OK(MPI_Rput(&value, 1, MPI_INT, next, 2, 1, MPI_INT, win, &late));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));
    OK(MPI_Wait(&late, MPI_STATUS_IGNORE));
}

/* Memory for windows is memory. */
static void allocated(void)
{
    void *memory[3];
    MPI_Win win;
    for (int n = 0; n < 3; n++) {
        OK(MPI_Alloc_mem(n << 16, MPI_INFO_NULL, &memory[n]));
        memset(memory[n], n, (size_t)n << 16);
    }
    OK(MPI_Win_create(memory[2], 2 << 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_free(&win));
    for (int n = 0; n < 3; n++)
        OK(MPI_Free_mem(memory[n]));
}

int main(void)
{
    begin(&rank, &size);
    flavors();
    attributes();
    names();
    groups();
    hints();
    handlers();
    integers();
    no_process();
    requests();
    allocated();
    shared();
    OK(MPI_Finalize());
    return 0;
}
