/* The environment: levels of thread support, names, versions, clocks, memory, handles as integers. */
#include <pthread.h>
#include <stdint.h>

#include "check.h"

/* Whatever the level of thread support. */
static void *asks(void *main)
{
    int level = -1;
    OK(MPI_Is_thread_main(main));
    OK(MPI_Query_thread(&level));
    CHECK(level == wanted_level());
    OK(MPI_Initialized(&level));
    OK(MPI_Finalized(&level));
    return NULL;
}

static void threads(int size)
{
    pthread_t other;
    int main = -1;
    CHECK(pthread_create(&other, NULL, asks, &main) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(main == 0);
    int provided = -1, flag = -1;
    OK(MPI_Query_thread(&provided));
    CHECK(provided == wanted_level());
    OK(MPI_Is_thread_main(&flag));
    CHECK(flag == 1);
    FAILS(MPI_ERR_ARG, MPI_Query_thread(NULL));
    FAILS(MPI_ERR_ARG, MPI_Is_thread_main(NULL));
    CHECK(size > 0);
}

static void names(void)
{
    char name[MPI_MAX_PROCESSOR_NAME], version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = -1, major = -1, minor = -1, flag = -1;
    OK(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME && (int)strlen(name) == length);
    OK(MPI_Get_library_version(version, &length));
    CHECK((int)strlen(version) == length && strncmp(version, "Cairn MPI ", 10) == 0);
    OK(MPI_Get_version(&major, &minor));
    CHECK(major == MPI_VERSION && minor == MPI_SUBVERSION);
    OK(MPI_Abi_get_version(&major, &minor));
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    OK(MPI_Initialized(&flag));
    CHECK(flag == 1);
    OK(MPI_Finalized(&flag));
    CHECK(flag == 0);
    OK(MPI_Pcontrol(0));
    OK(MPI_Pcontrol(3, "more", 4.5));
}

static void clocks(void)
{
    int *global, flag, rank, size;
    double start = MPI_Wtime(), now;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 0.01);
    do
        now = MPI_Wtime();
    while (now <= start);
    CHECK(now > start);
    /* Processes of a node share a clock. */
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &flag));
    CHECK(flag && *global == (on_host_of(rank, size) == size));
    double before = MPI_Wtime(), latest;
    OK(MPI_Allreduce(&before, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    CHECK(MPI_Wtime() >= latest);
}

static void memory(void)
{
    const MPI_Aint sizes[] = { 0, 1, 4097, 1 << 24 };
    MPI_Info info;
    void *base;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
    for (int n = 0; n < 4; n++) {
        OK(MPI_Alloc_mem(sizes[n], n % 2 ? info : MPI_INFO_NULL, &base));
        CHECK(base != NULL || sizes[n] == 0);
        CHECK(n % 2 == 0 || (uintptr_t)base % 4096 == 0);
        memset(base, 1, (size_t)sizes[n]);
        OK(MPI_Free_mem(base));
    }
    OK(MPI_Info_free(&info));
    FAILS(MPI_ERR_SIZE, MPI_Alloc_mem(-1, MPI_INFO_NULL, &base));
    FAILS(MPI_ERR_NO_MEM, MPI_Alloc_mem(INTPTR_MAX, MPI_INFO_NULL, &base));
    FAILS(MPI_ERR_ARG, MPI_Alloc_mem(8, MPI_INFO_NULL, NULL));
}

static int nothing_to_query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 0);
    return MPI_Status_set_cancelled(status, 0);
}

static int nothing_to_free(void *extra) { return extra != NULL; }
static int nothing_to_cancel(void *extra, int complete) { return extra != NULL && complete; }

/* Each handle comes back from its integer: constants and objects, which may be beyond 32 bits. */
static void integers(void)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Info info;
    MPI_Request request;
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    MPI_Message message;
    MPI_Status status;
    int value = 3;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(comm)) == comm);
    OK(MPI_Comm_group(comm, &group));
    CHECK(MPI_Group_fromint(MPI_Group_toint(group)) == group);
    CHECK(MPI_Group_fromint(MPI_Group_toint(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
    OK(MPI_Group_free(&group));
    OK(MPI_Info_create(&info));
    CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    OK(MPI_Info_free(&info));
    OK(MPI_Grequest_start(nothing_to_query, nothing_to_free, nothing_to_cancel, NULL, &request));
    CHECK(MPI_Request_fromint(MPI_Request_toint(request)) == request);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(handler)) == handler);
    CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_DOUBLE_INT)) == MPI_DOUBLE_INT);
    CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_MAXLOC)) == MPI_MAXLOC);
    CHECK(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)) == MPI_FILE_NULL);
    CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
    CHECK(MPI_Session_fromint(MPI_Session_toint(MPI_SESSION_NULL)) == MPI_SESSION_NULL);
    OK(MPI_Isend(&value, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &request));
    OK(MPI_Mprobe(0, 4, MPI_COMM_SELF, &message, &status));
    CHECK(MPI_Message_fromint(MPI_Message_toint(message)) == message);
    message = MPI_Message_fromint(MPI_Message_toint(message));
    OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
}

/* Error handlers of other objects can be made and freed. */
static void of_window(MPI_Win *win, int *code, ...) { (void)win, (void)code; }
static void of_session(MPI_Session *session, int *code, ...) { (void)session, (void)code; }

static void handlers(void)
{
    MPI_Errhandler one, other;
    OK(MPI_Win_create_errhandler(of_window, &one));
    OK(MPI_Session_create_errhandler(of_session, &other));
    FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, one));
    FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, other));
    CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(one)) == one);
    OK(MPI_Errhandler_free(&one));
    OK(MPI_Errhandler_free(&other));
    CHECK(one == MPI_ERRHANDLER_NULL);
}

static void hardware_and_fortran(void)
{
    MPI_Info info;
    int yes = 1, no = 0, set = 0, topology = -1, number = -1;
    OK(MPI_Get_hw_resource_info(&info));
    OK(MPI_Info_get_nkeys(info, &number));
    CHECK(number >= 1);
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &set));
    CHECK(set && yes != no);
    /* They are set, and can be set to what they are only. */
    CHECK(class_of(MPI_Abi_set_fortran_booleans(4, &yes, &no)) == MPI_ERR_ABI);
    OK(MPI_Topo_test(MPI_COMM_WORLD, &topology));
    CHECK(topology == MPI_UNDEFINED);
    int dims[3] = { 0, 2, 0 };
    OK(MPI_Dims_create(24, 3, dims));
    CHECK(dims[0] == 4 && dims[1] == 2 && dims[2] == 3);
    FAILS(MPI_ERR_DIMS, MPI_Dims_create(25, 3, dims));
    /* As close to each other as they can be, though 36, 36 and 19 have a smaller maximum. */
    int close[3] = { 0, 0, 0 };
    OK(MPI_Dims_create(24624, 3, close));
    CHECK(close[0] == 38 && close[1] == 27 && close[2] == 24);
}

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    threads(size);
    names();
    clocks();
    memory();
    integers();
    handlers();
    hardware_and_fortran();
    OK(MPI_Finalize());
    return 0;
}
