/* Functions of the program that MPI calls, and that call MPI again: error handlers, the functions of
   generalized requests, reductions, functions that copy and delete attributes. With several threads
   at once where MPI lets them. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 3 };

static int rank, size;
static MPI_Comm inner; /* of this process, for what the functions do */
static int calls;

/* Messages to itself, also large ones. Several threads do it at once, each time with another tag. */
static void do_something(void)
{
    enum { WORDS = 5000 };
    int tag = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    int *out = malloc(WORDS * sizeof *out), *in = calloc(WORDS, sizeof *in), again = 0;
    MPI_Request request;
    for (int i = 0; i < WORDS; i++) out[i] = i + tag;
    OK(MPI_Irecv(in, WORDS, MPI_INT, 0, tag, inner, &request));
    OK(MPI_Send(out, WORDS, MPI_INT, 0, tag, inner));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < WORDS; i++) CHECK(in[i] == i + tag);
    OK(MPI_Sendrecv(&tag, 1, MPI_INT, 0, tag, &again, 1, MPI_INT, 0, tag, inner,
                    MPI_STATUS_IGNORE));
    CHECK(again == tag);
    free(out);
    free(in);
}

/* --- Error handlers */

static int handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
    int place, class_ = class_of(*code);
    OK(MPI_Comm_rank(*comm, &place));
    CHECK(place == rank && (class_ == MPI_ERR_TAG || class_ == MPI_ERR_IN_STATUS));
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
    do_something();
}

static void errors(MPI_Comm comm)
{
    int word[2] = {1, 2}, in = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    FAILS(MPI_ERR_TAG, MPI_Send(word, 1, MPI_INT, 0, -5, comm));
    /* The error is noticed when a message arrives. */
    OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &requests[0]));
    OK(MPI_Isend(word, 2, MPI_INT, (rank + 1) % size, 3, comm, &requests[1]));
    FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(2, requests, statuses));
    CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
}

/* --- Generalized requests */

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    do_something();
    OK(MPI_Status_set_elements(status, MPI_INT, 0));
    OK(MPI_Status_set_cancelled(status, 0));
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int end(void *extra)
{
    do_something();
    *(int *)extra = -1;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    do_something();
    return MPI_SUCCESS;
}

static void generalized(int thread)
{
    int state = 100 + thread;
    MPI_Request request;
    OK(MPI_Grequest_start(query, end, cancel, &state, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(state == -1);
}

/* --- Reductions */

static void add(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    int bytes;
    OK(MPI_Type_size(*datatype, &bytes));
    CHECK(bytes == (int)sizeof(int));
    do_something();
    for (int i = 0; i < *count; i++) ((int *)inout)[i] += ((int *)in)[i];
}

static void reductions(MPI_Comm comm)
{
    int in[3] = {rank, 1, 2 * rank}, out[3];
    MPI_Op op;
    OK(MPI_Op_create(add, 1, &op));
    OK(MPI_Allreduce(in, out, 3, MPI_INT, op, comm));
    CHECK(out[0] == size * (size - 1) / 2 && out[1] == size && out[2] == size * (size - 1));
    OK(MPI_Op_free(&op));
}

/* --- Attributes */

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)key, (void)extra;
    int own;
    OK(MPI_Comm_rank(comm, &own));
    do_something();
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra, (void)value;
    do_something();
    return MPI_SUCCESS;
}

static void attributes(MPI_Comm comm)
{
    int key;
    MPI_Comm dup;
    OK(MPI_Comm_create_keyval(copy, drop, &key, NULL));
    OK(MPI_Comm_set_attr(comm, key, NULL));
    OK(MPI_Comm_dup(comm, &dup));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_delete_attr(comm, key));
    OK(MPI_Comm_free_keyval(&key));
}

static MPI_Comm own[THREADS];

static void *run(void *argument)
{
    int thread = (int)(long)argument;
    for (int round = 0; round < 5; round++) {
        errors(own[thread]);
        generalized(thread);
        reductions(own[thread]);
        attributes(own[thread]);
    }
    return NULL;
}

int main(void)
{
    int provided = -1;
    MPI_Errhandler handler;
    pthread_t threads[THREADS];
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    OK(MPI_Comm_dup(MPI_COMM_SELF, &inner));
    OK(MPI_Comm_create_errhandler(handle, &handler));
    for (int i = 0; i < THREADS; i++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]));
        OK(MPI_Comm_set_errhandler(own[i], handler));
    }
    OK(MPI_Errhandler_free(&handler));
    run((void *)0);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(handled == (THREADS + 1) * 5 * 2);
    for (int i = 0; i < THREADS; i++) OK(MPI_Comm_free(&own[i]));
    OK(MPI_Comm_free(&inner));
    MPI_Finalize();
    return 0;
}
