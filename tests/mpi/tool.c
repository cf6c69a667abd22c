/* The tool information interface as a tool uses it: before, while and after MPI is initialized. */
#include "check.h"
#include <stddef.h>

#define MANY 4096

/* Errors of the interface are codes and go to no handler. */
#define IS(code, call) CHECK((call) == (code))

/* A name or a description: its length is told, with and without room. */
static void texts(const char *text, int told)
{
    CHECK(told == (int)strlen(text) + 1);
}

static void enumeration(MPI_T_enum of)
{
    int num = -1, length = MANY;
    char name[MANY];
    OK(MPI_T_enum_get_info(of, &num, name, &length));
    CHECK(num > 0);
    texts(name, length);
    for (int i = 0; i < num; i++) {
        int value = -1;
        length = MANY;
        OK(MPI_T_enum_get_item(of, i, &value, name, &length));
        CHECK(value == i && length > 1);
        texts(name, length);
    }
    int value;
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_enum_get_item(of, num, &value, name, &length));
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_enum_get_item(of, -1, &value, name, &length));
}

/* Looks at every control variable; returns how many there are. */
static int cvars(void)
{
    int num = -1;
    OK(MPI_T_cvar_get_num(&num));
    CHECK(num > 20);
    for (int i = 0; i < num; i++) {
        static char name[MANY], help[MANY], again[MANY];
        int name_length = MANY, help_length = MANY, verbosity, bind, scope, index = -1;
        MPI_Datatype type;
        MPI_T_enum words;
        OK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &words, help,
                               &help_length, &bind, &scope));
        texts(name, name_length);
        texts(help, help_length);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(bind == MPI_T_BIND_NO_OBJECT);
        CHECK(scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_LOCAL ||
              scope == MPI_T_SCOPE_ALL_EQ);
        OK(MPI_T_cvar_get_index(name, &index));
        CHECK(index == i);

        /* Too little room: cut, and the length of all of it. */
        int room = 4;
        OK(MPI_T_cvar_get_info(i, again, &room, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK(room == name_length && strncmp(again, name, 3) == 0 && strlen(again) <= 3);
        room = 0;
        OK(MPI_T_cvar_get_info(i, NULL, &room, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK(room == name_length);
        OK(MPI_T_cvar_get_info(i, again, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));

        MPI_T_cvar_handle handle;
        int count = 0;
        OK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &count));
        static union { int i; MPI_Count c; unsigned long long u; char text[1 << 16]; } value;
        CHECK(count > 0 && count < (int)sizeof(value));
        memset(&value, 0x55, sizeof(value));
        OK(MPI_T_cvar_read(handle, &value));
        if (type == MPI_CHAR)
            CHECK(memchr(value.text, 0, count) != NULL);
        else
            CHECK(count == 1);
        CHECK(type == MPI_INT || type == MPI_COUNT || type == MPI_UNSIGNED_LONG_LONG ||
              type == MPI_CHAR);
        if (words != MPI_T_ENUM_NULL) {
            int items;
            enumeration(words);
            OK(MPI_T_enum_get_info(words, &items, NULL, NULL));
            CHECK(type == MPI_INT && value.i >= 0 && value.i < items);
        }
        if (scope == MPI_T_SCOPE_CONSTANT)
            IS(MPI_T_ERR_CVAR_SET_NEVER, MPI_T_cvar_write(handle, &value));
        MPI_T_cvar_handle stale = handle;
        OK(MPI_T_cvar_handle_free(&handle));
        CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
        IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_read(stale, &value));
        IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_handle_free(&stale));
    }
    int index, length = MANY;
    char name[MANY];
    IS(MPI_T_ERR_INVALID_NAME, MPI_T_cvar_get_index("no_such_variable", &index));
    IS(MPI_T_ERR_INVALID, MPI_T_cvar_get_index(NULL, &index));
    IS(MPI_T_ERR_INVALID, MPI_T_cvar_get_index("btl", NULL));
    for (int wrong = -1; wrong <= num; wrong += num + 1) {
        MPI_T_cvar_handle handle;
        int count;
        IS(MPI_T_ERR_INVALID_INDEX, MPI_T_cvar_get_info(wrong, name, &length, NULL, NULL, NULL,
                                                        NULL, NULL, NULL, NULL));
        IS(MPI_T_ERR_INVALID_INDEX, MPI_T_cvar_handle_alloc(wrong, NULL, &handle, &count));
    }
    return num;
}

static MPI_T_cvar_handle cvar(const char *name)
{
    int index = -1, count;
    MPI_T_cvar_handle handle;
    OK(MPI_T_cvar_get_index(name, &index));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    return handle;
}

static int pvar(const char *name, int class_)
{
    int index = -1;
    OK(MPI_T_pvar_get_index(name, class_, &index));
    return index;
}

/* Looks at every performance variable; returns how many there are. */
static int pvars(void)
{
    int num = -1;
    MPI_T_pvar_session session;
    OK(MPI_T_pvar_get_num(&num));
    OK(MPI_T_pvar_session_create(&session));
    for (int i = 0; i < num; i++) {
        static char name[MANY], help[MANY];
        int name_length = MANY, help_length = MANY, verbosity, class_, bind, readonly, continuous;
        int atomic, index = -1, count = 0;
        MPI_Datatype type;
        MPI_T_enum words;
        OK(MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class_, &type, &words, help,
                               &help_length, &bind, &readonly, &continuous, &atomic));
        texts(name, name_length);
        texts(help, help_length);
        CHECK(type == MPI_UNSIGNED_LONG_LONG && words == MPI_T_ENUM_NULL);
        CHECK(class_ >= MPI_T_PVAR_CLASS_STATE && class_ <= MPI_T_PVAR_CLASS_GENERIC);
        OK(MPI_T_pvar_get_index(name, class_, &index));
        CHECK(index == i);
        IS(MPI_T_ERR_INVALID_NAME, MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_STATE, &index));

        MPI_T_pvar_handle handle;
        MPI_Comm comm = MPI_COMM_WORLD;
        unsigned long long value = 1, other = 2;
        if (bind == MPI_T_BIND_MPI_COMM)
            IS(MPI_T_ERR_INVALID, MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &count));
        else
            CHECK(bind == MPI_T_BIND_NO_OBJECT);
        int flag;
        OK(MPI_Finalized(&flag));
        if (bind == MPI_T_BIND_MPI_COMM && flag) {
            IS(MPI_T_ERR_INVALID, MPI_T_pvar_handle_alloc(session, i, &comm, &handle, &count));
            continue;
        }
        OK(MPI_T_pvar_handle_alloc(session, i, &comm, &handle, &count));
        CHECK(count == 1);
        OK(MPI_T_pvar_read(session, handle, &value));
        if (continuous) {
            CHECK(readonly && !atomic);
            IS(MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_pvar_start(session, handle));
            IS(MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_pvar_stop(session, handle));
            IS(MPI_T_ERR_PVAR_NO_WRITE, MPI_T_pvar_write(session, handle, &value));
            IS(MPI_T_ERR_PVAR_NO_WRITE, MPI_T_pvar_reset(session, handle));
            IS(MPI_T_ERR_PVAR_NO_ATOMIC, MPI_T_pvar_readreset(session, handle, &value));
        } else {
            CHECK(!readonly && atomic && value == 0);
            value = 41;
            OK(MPI_T_pvar_write(session, handle, &value));
            OK(MPI_T_pvar_read(session, handle, &other));
            CHECK(other == 41);
            OK(MPI_T_pvar_start(session, handle));
            OK(MPI_T_pvar_start(session, handle));
            OK(MPI_T_pvar_stop(session, handle));
            OK(MPI_T_pvar_readreset(session, handle, &other));
            CHECK(other >= 41);
            OK(MPI_T_pvar_read(session, handle, &other));
            CHECK(other == 0);
            value = 7;
            OK(MPI_T_pvar_write(session, handle, &value));
            OK(MPI_T_pvar_reset(session, handle));
            OK(MPI_T_pvar_read(session, handle, &other));
            CHECK(other == 0);
        }
        MPI_T_pvar_session elsewhere;
        OK(MPI_T_pvar_session_create(&elsewhere));
        IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(elsewhere, handle, &value));
        IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_handle_free(elsewhere, &handle));
        OK(MPI_T_pvar_session_free(&elsewhere));
        CHECK(elsewhere == MPI_T_PVAR_SESSION_NULL);
        if (i % 2) {
            MPI_T_pvar_handle stale = handle;
            OK(MPI_T_pvar_handle_free(session, &handle));
            CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
            IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, stale, &value));
        }
    }
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    unsigned long long value;
    MPI_T_pvar_session stale = session;
    IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value));
    IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, MPI_T_PVAR_HANDLE_NULL, &value));
    /* Also its handles go. */
    OK(MPI_T_pvar_session_free(&session));
    IS(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_session_free(&stale));
    IS(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_start(stale, MPI_T_PVAR_ALL_HANDLES));
    int index;
    IS(MPI_T_ERR_INVALID_NAME, MPI_T_pvar_get_index("no_such", MPI_T_PVAR_CLASS_COUNTER, &index));
    return num;
}

/* Everything is in one category, and a category of a component in that of its framework. */
static void categories(int num_cvars, int num_pvars)
{
    int num = -1, stamp = -1, again = -2, events = -1;
    int cvars_found = 0, pvars_found = 0, events_found = 0, inside = 0;
    static char seen[MANY];
    memset(seen, 0, sizeof(seen));
    OK(MPI_T_category_changed(&stamp));
    OK(MPI_T_category_get_num(&num));
    OK(MPI_T_event_get_num(&events));
    for (int i = 0; i < num; i++) {
        char name[MANY], help[MANY];
        int name_length = MANY, help_length = MANY, cvars_here, pvars_here, inner, events_here;
        int index = -1, members[MANY];
        OK(MPI_T_category_get_info(i, name, &name_length, help, &help_length, &cvars_here,
                                   &pvars_here, &inner));
        texts(name, name_length);
        texts(help, help_length);
        OK(MPI_T_category_get_index(name, &index));
        CHECK(index == i);
        OK(MPI_T_category_get_num_events(i, &events_here));
        OK(MPI_T_category_get_cvars(i, cvars_here, members));
        for (int k = 0; k < cvars_here; k++) {
            CHECK(members[k] >= 0 && members[k] < num_cvars && !seen[members[k]]);
            seen[members[k]] = 1;
        }
        OK(MPI_T_category_get_pvars(i, pvars_here, members));
        for (int k = 0; k < pvars_here; k++)
            CHECK(members[k] >= 0 && members[k] < num_pvars);
        OK(MPI_T_category_get_events(i, events_here, members));
        for (int k = 0; k < events_here; k++)
            CHECK(members[k] >= 0 && members[k] < events);
        OK(MPI_T_category_get_categories(i, inner, members));
        for (int k = 0; k < inner; k++) {
            char child[MANY];
            int length = MANY;
            CHECK(members[k] >= 0 && members[k] < num && members[k] != i);
            OK(MPI_T_category_get_info(members[k], child, &length, NULL, NULL, NULL, NULL, NULL));
            CHECK(strncmp(child, name, strlen(name)) == 0);
        }
        cvars_found += cvars_here, pvars_found += pvars_here, events_found += events_here;
        inside += inner;
        /* Less room than there is. */
        members[0] = members[1] = -7;
        OK(MPI_T_category_get_cvars(i, 0, NULL));
        OK(MPI_T_category_get_cvars(i, 1, members));
        CHECK(members[1] == -7 && (members[0] != -7) == (cvars_here > 0));
        IS(MPI_T_ERR_INVALID, MPI_T_category_get_cvars(i, -1, members));
    }
    CHECK(cvars_found == num_cvars && pvars_found == num_pvars && events_found == events);
    CHECK(inside > 3);
    OK(MPI_T_category_changed(&again));
    CHECK(again == stamp);
    int value;
    IS(MPI_T_ERR_INVALID_NAME, MPI_T_category_get_index("nothing", &value));
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_num_events(num, &value));
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_pvars(-1, 1, &value));
}

static void before(void)
{
    int provided = -1, num;
    IS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_get_num(&num));
    IS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_finalize());
    OK(MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided));
    CHECK(provided == MPI_THREAD_SERIALIZED);
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_T_finalize());
    categories(cvars(), pvars());

    /* Components read these when they open. */
    MPI_T_cvar_handle eager = cvar("btl_sm_eager_limit"), path = cvar("mca_component_path");
    MPI_T_cvar_handle check = cvar("mpi_param_check"), progress = cvar("progress");
    unsigned long long limit = 12345, wrong = ~0ULL;
    char text[MANY] = "serial";
    int value = 7;
    OK(MPI_T_cvar_write(eager, &limit));
    IS(MPI_T_ERR_INVALID, MPI_T_cvar_write(eager, &wrong));
    limit = 0;
    OK(MPI_T_cvar_read(eager, &limit));
    CHECK(limit == 12345);
    IS(MPI_T_ERR_INVALID, MPI_T_cvar_write(check, &value));
    IS(MPI_T_ERR_CVAR_SET_NEVER, MPI_T_cvar_write(path, text));
    OK(MPI_T_cvar_write(progress, text));
    memset(text, 0, sizeof(text));
    OK(MPI_T_cvar_read(progress, text));
    CHECK(strcmp(text, "serial") == 0);
    IS(MPI_T_ERR_INVALID, MPI_T_cvar_read(eager, NULL));
    OK(MPI_T_cvar_handle_free(&check));
    OK(MPI_T_cvar_handle_free(&path));
    OK(MPI_T_cvar_handle_free(&progress));
    /* `eager` goes with the last MPI_T_finalize. */
}

/* Counters count what this process does, for each handle by itself. */
static void counting(int rank, int size)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle sent, bytes, stopped, searches, other;
    MPI_Comm twin, world = MPI_COMM_WORLD;
    unsigned long long value;
    int count, data[25] = {0}, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
    OK(MPI_T_pvar_session_create(&session));
    int messages = pvar("pml_ob1_messages_eager", MPI_T_PVAR_CLASS_COUNTER);
    OK(MPI_T_pvar_handle_alloc(session, messages, NULL, &sent, &count));
    OK(MPI_T_pvar_handle_alloc(session, messages, NULL, &stopped, &count));
    int amount = pvar("pml_ob1_bytes_eager", MPI_T_PVAR_CLASS_AGGREGATE);
    OK(MPI_T_pvar_handle_alloc(session, amount, NULL, &bytes, &count));
    int of_comm = pvar("pml_ob1_searches_of_comm", MPI_T_PVAR_CLASS_COUNTER);
    OK(MPI_T_pvar_handle_alloc(session, of_comm, &world, &searches, &count));
    OK(MPI_T_pvar_handle_alloc(session, of_comm, &twin, &other, &count));
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_stop(session, stopped));
    for (int i = 0; i < 10; i++) {
        MPI_Request request;
        OK(MPI_Irecv(data, 25, MPI_INT, previous, i, MPI_COMM_WORLD, &request));
        OK(MPI_Send(data, 25, MPI_INT, next, i, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    /* Not counted any more. */
    OK(MPI_Sendrecv(data, 1, MPI_INT, next, 1, data + 1, 1, MPI_INT, previous, 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    OK(MPI_T_pvar_read(session, sent, &value));
    CHECK(value == 10);
    OK(MPI_T_pvar_read(session, stopped, &value));
    CHECK(value == 0);
    OK(MPI_T_pvar_readreset(session, bytes, &value));
    CHECK(value == 10 * sizeof(data));
    OK(MPI_T_pvar_read(session, bytes, &value));
    CHECK(value == 0);
    /* Each receive is a search; messages may have come before. */
    OK(MPI_T_pvar_read(session, searches, &value));
    CHECK(value >= 10);
    OK(MPI_T_pvar_read(session, other, &value));
    CHECK(value == 0);
    /* Going on where it was. */
    OK(MPI_T_pvar_start(session, sent));
    OK(MPI_Sendrecv(data, 1, MPI_INT, next, 1, data + 1, 1, MPI_INT, previous, 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    OK(MPI_T_pvar_read(session, sent, &value));
    CHECK(value == 11);
    OK(MPI_Comm_free(&twin));
    IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, other, &value));

    /* What the interface changed at run time is obeyed. */
    MPI_T_cvar_handle protocol = cvar("pml_ob1_protocol");
    int way;
    static char large[1 << 20], got[1 << 20];
    MPI_T_pvar_handle fragments;
    MPI_T_enum words;
    int index, items;
    OK(MPI_T_cvar_get_index("pml_ob1_protocol", &index));
    OK(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, &words, NULL, NULL, NULL, NULL));
    OK(MPI_T_enum_get_info(words, &items, NULL, NULL));
    for (way = 0; way < items; way++) {
        char name[64];
        int length = sizeof(name), number;
        OK(MPI_T_enum_get_item(words, way, &number, name, &length));
        if (strncmp(name, "frag", 4) == 0 || strcmp(name, "send") == 0)
            break;
    }
    CHECK(way < items);
    OK(MPI_T_cvar_write(protocol, &way));
    int said = -1;
    OK(MPI_T_cvar_read(protocol, &said));
    CHECK(said == way);
    IS(MPI_T_ERR_INVALID, MPI_T_cvar_write(protocol, &items));
    OK(MPI_T_pvar_handle_alloc(session, pvar("pml_ob1_bytes_fragments", MPI_T_PVAR_CLASS_AGGREGATE),
                               NULL, &fragments, &count));
    OK(MPI_T_pvar_start(session, fragments));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Sendrecv(large, sizeof(large), MPI_CHAR, next, 2, got, sizeof(got), MPI_CHAR, previous, 2,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_T_pvar_read(session, fragments, &value));
    CHECK(value == sizeof(large));
    OK(MPI_T_cvar_handle_free(&protocol));
    OK(MPI_T_pvar_session_free(&session));

    /* What a component reads when it opens can't be written any more. */
    MPI_T_cvar_handle eager = cvar("btl_sm_eager_limit");
    unsigned long long limit = 0;
    OK(MPI_T_cvar_read(eager, &limit));
    CHECK(limit == 12345);
    IS(MPI_T_ERR_CVAR_SET_NEVER, MPI_T_cvar_write(eager, &limit));
    OK(MPI_T_cvar_handle_free(&eager));
}

/* What threads cost each other at an instance is counted where there may be threads. */
static void instances(void)
{
    static const char *names[] = {"btl_sm_cri0_lock_waits", "btl_sm_cri0_try_misses"};
    int level, index = -1;
    OK(MPI_Query_thread(&level));
    for (int i = 0; i < 2; i++)
        IS(level == MPI_THREAD_MULTIPLE ? MPI_SUCCESS : MPI_T_ERR_INVALID_NAME,
           MPI_T_pvar_get_index(names[i], MPI_T_PVAR_CLASS_COUNTER, &index));
}

int main(void)
{
    int rank, size, stamp, later, provided, num;
    before();
    OK(MPI_T_category_changed(&stamp));
    begin(&rank, &size);
    int num_pvars = pvars();
    categories(cvars(), num_pvars);
    /* Components have opened and count. */
    OK(MPI_T_category_changed(&later));
    CHECK(later > stamp);
    counting(rank, size);
    instances();
    MPI_Finalize();

    CHECK(pvars() == num_pvars);
    categories(cvars(), num_pvars);
    MPI_T_cvar_handle protocol = cvar("pml_ob1_protocol");
    int way = 0;
    IS(MPI_T_ERR_CVAR_SET_NEVER, MPI_T_cvar_write(protocol, &way));
    MPI_T_pvar_session session;
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_finalize());
    IS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_read(protocol, &way));
    IS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_get_num(&num));
    /* Again, and nothing is left of the first time. */
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_read(protocol, &way));
    IS(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_session_free(&session));
    CHECK(pvars() == num_pvars);
    OK(MPI_T_finalize());
    return 0;
}
