/* Error handlers: what they are called with, who has which, and how long they live. */
#include <stdarg.h>

#include "check.h"

static int calls, last_code;
static MPI_Comm last_comm;

static void count(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    last_code = *code;
}

static void fail_ten_times(MPI_Comm *comm, int *code, ...)
{
    (void) code;
    if (++calls < 10)
        MPI_Send(NULL, 0, MPI_INT, -77, 0, *comm);
}

static void a_handler_hears_of_errors(MPI_Comm comm)
{
    MPI_Errhandler handler, found;
    int flag;
    OK(MPI_Comm_create_errhandler(count, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Comm_get_errhandler(comm, &found));
    CHECK(found == handler);
    OK(MPI_Errhandler_free(&found));
    OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);

    /* It is still called, though no handle is left. */
    calls = 0;
    FAILS(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, -77, 0, comm));
    CHECK(calls == 1 && last_comm == comm && last_code == MPI_ERR_RANK);
    OK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
    CHECK(calls == 2 && last_code == MPI_ERR_OTHER);

    /* Another handle of it. */
    OK(MPI_Comm_get_errhandler(comm, &handler));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, -77, 0, comm));
    CHECK(calls == 2);
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Comm_test_inter(comm, &flag));
    CHECK(calls == 2);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
}

static void duplicates_have_the_same(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm, again;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(count, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_dup(comm, &again));
    OK(MPI_Comm_free(&comm));
    calls = 0;
    FAILS(MPI_ERR_TAG, MPI_Send(NULL, 0, MPI_INT, 0, -5, again));
    CHECK(calls == 1 && last_comm == again && last_code == MPI_ERR_TAG);
    OK(MPI_Comm_free(&again));
}

static void errors_in_handlers_are_errors(void)
{
    MPI_Errhandler handler;
    OK(MPI_Comm_create_errhandler(fail_ten_times, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    calls = 0;
    FAILS(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, -77, 0, MPI_COMM_WORLD));
    CHECK(calls == 10);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler));
}

/* Without an object, it is that of MPI_COMM_SELF. */
static void errors_without_an_object(void)
{
    MPI_Errhandler handler;
    MPI_Group group;
    OK(MPI_Comm_create_errhandler(count, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    calls = 0;
    FAILS(MPI_ERR_GROUP, MPI_Group_union(MPI_GROUP_NULL, MPI_GROUP_EMPTY, &group));
    CHECK(calls == 1 && last_comm == MPI_COMM_SELF && last_code == MPI_ERR_GROUP);
    FAILS(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
    CHECK(calls == 2 && last_comm == MPI_COMM_SELF && last_code == MPI_ERR_COMM);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler));
}

static void mistakes(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, stale;
    FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    FAILS(MPI_ERR_ERRHANDLER, MPI_Errhandler_free(&handler));
    FAILS(MPI_ERR_ARG, MPI_Comm_create_errhandler(NULL, &handler));
    OK(MPI_Comm_create_errhandler(count, &handler));
    stale = handler;
    OK(MPI_Errhandler_free(&handler));
    FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, stale));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    OK(MPI_Errhandler_free(&handler));
}

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    a_handler_hears_of_errors(MPI_COMM_WORLD);
    a_handler_hears_of_errors(MPI_COMM_SELF);
    duplicates_have_the_same();
    errors_in_handlers_are_errors();
    errors_without_an_object();
    mistakes();
    OK(MPI_Finalize());
    return 0;
}
