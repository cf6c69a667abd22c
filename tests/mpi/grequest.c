/* Generalized requests: completed by this thread and by another one. */
#include <pthread.h>

#include "check.h"

struct operation {
    int queries, frees, cancels, complete_at_cancel, query_code, free_code;
};

static int query(void *extra, MPI_Status *status)
{
    struct operation *operation = extra;
    operation->queries++;
    MPI_Status_set_elements(status, MPI_INT, 5);
    MPI_Status_set_cancelled(status, operation->cancels > 0);
    status->MPI_SOURCE = 17;
    status->MPI_TAG = 18;
    return operation->query_code;
}

static int free_(void *extra)
{
    struct operation *operation = extra;
    operation->frees++;
    return operation->free_code;
}

static int cancel(void *extra, int complete)
{
    struct operation *operation = extra;
    operation->cancels++;
    operation->complete_at_cancel = complete;
    return MPI_SUCCESS;
}

static MPI_Request start(struct operation *operation)
{
    MPI_Request request = MPI_REQUEST_NULL;
    memset(operation, 0, sizeof *operation);
    OK(MPI_Grequest_start(query, free_, cancel, operation, &request));
    CHECK(request != MPI_REQUEST_NULL);
    return request;
}

static void one(void)
{
    struct operation operation;
    MPI_Request request = start(&operation), copy = request;
    MPI_Status status;
    int flag = -1, count;
    OK(MPI_Test(&request, &flag, &status));
    CHECK(flag == 0 && operation.queries == 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Request_get_status(request, &flag, &status));
    CHECK(flag == 1 && operation.queries == 1 && operation.frees == 0);
    OK(MPI_Test(&request, &flag, &status));
    CHECK(flag == 1 && operation.queries == 2 && operation.frees == 1);
    CHECK(request == MPI_REQUEST_NULL && status.MPI_SOURCE == 17 && status.MPI_TAG == 18);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 5);
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag == 0);
    FAILS(MPI_ERR_REQUEST, MPI_Grequest_complete(copy));
}

static void cancelled(void)
{
    struct operation operation;
    MPI_Request request = start(&operation);
    MPI_Status status;
    int flag = -1;
    OK(MPI_Cancel(&request));
    CHECK(operation.cancels == 1 && operation.complete_at_cancel == 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag == 1 && operation.frees == 1);
}

static void freed_first(void)
{
    struct operation operation;
    MPI_Request request = start(&operation), copy = request;
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL && operation.frees == 0);
    OK(MPI_Grequest_complete(copy));
    CHECK(operation.frees == 1 && operation.queries == 0);
}

static void errors(void)
{
    struct operation operations[2];
    MPI_Request requests[2] = {start(&operations[0]), start(&operations[1])};
    MPI_Status statuses[2];
    operations[1].query_code = MPI_ERR_OTHER;
    OK(MPI_Grequest_complete(requests[0]));
    OK(MPI_Grequest_complete(requests[1]));
    FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(2, requests, statuses));
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_OTHER);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    requests[0] = start(&operations[0]);
    operations[0].free_code = MPI_ERR_INTERN;
    OK(MPI_Grequest_complete(requests[0]));
    FAILS(MPI_ERR_INTERN, MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_Grequest_start(NULL, free_, cancel, NULL, &requests[0]));
}

/* Among receives, in the functions for several. */
static void several(void)
{
    struct operation operations[2];
    MPI_Request requests[3];
    int index = -1, got = -1, value = 5, flag = -1;
    MPI_Status status, statuses[3];
    requests[0] = start(&operations[0]);
    OK(MPI_Irecv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[1]));
    requests[2] = start(&operations[1]);
    OK(MPI_Testany(3, requests, &index, &flag, &status));
    CHECK(flag == 0);
    OK(MPI_Grequest_complete(requests[2]));
    OK(MPI_Waitany(3, requests, &index, &status));
    CHECK(index == 2 && status.MPI_TAG == 18 && requests[2] == MPI_REQUEST_NULL);
    OK(MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_SELF));
    OK(MPI_Grequest_complete(requests[0]));
    OK(MPI_Waitall(3, requests, statuses));
    CHECK(got == 5 && statuses[0].MPI_TAG == 18 && statuses[1].MPI_TAG == 3);
    CHECK(operations[0].frees == 1 && operations[1].frees == 1);
}

static void *complete(void *request)
{
    OK(MPI_Grequest_complete(*(MPI_Request *) request));
    return NULL;
}

static void another_thread(void)
{
    struct operation operation;
    MPI_Request request, copy;
    pthread_t thread;
    int n;
    for (n = 0; n < 100; n++) {
        request = copy = start(&operation);
        CHECK(pthread_create(&thread, NULL, complete, &copy) == 0);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(operation.queries == 1 && operation.frees == 1);
        CHECK(pthread_join(thread, NULL) == 0);
    }
}

int main(void)
{
    int provided = -1;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    one();
    cancelled();
    freed_first();
    errors();
    several();
    if (provided == MPI_THREAD_MULTIPLE)
        another_thread();
    OK(MPI_Finalize());
    return 0;
}
