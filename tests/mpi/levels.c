/* Calls beyond the level of thread support are errors: levels. */
#include "check.h"

#include <mpi-ext.h>
#include <pthread.h>
#include <stdint.h>

static int level;

static void *call(void *argument)
{
    int rank;
    *(int *)argument = class_of(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return NULL;
}

/* The error class of a call on another thread. */
static int elsewhere(void)
{
    int class = -1;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, call, &class) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return class;
}

/* The calling thread is inside MPI_Comm_dup. */
static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)in, (void)out;
    *(int *)extra = elsewhere();
    *flag = 0;
    return MPI_SUCCESS;
}

/* A thread that waits for a request, and how that ended. */
typedef struct {
    MPI_Request request;
    int class;
} Waiter;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int refused;

static void *wait_for(void *argument)
{
    Waiter *waiter = argument;
    waiter->class = class_of(MPI_Wait(&waiter->request, MPI_STATUS_IGNORE));
    pthread_mutex_lock(&lock);
    refused += waiter->class != MPI_SUCCESS;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Of two threads that wait for one request, one is told. */
static void two_waiters(void)
{
    int value = 0, seven = 7;
    Waiter waiters[2];
    pthread_t threads[2];
    OK(MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &waiters[0].request));
    waiters[1].request = waiters[0].request;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, wait_for, &waiters[i]) == 0);
    pthread_mutex_lock(&lock);
    while (refused == 0) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    OK(MPI_Send(&seven, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(value == 7 && refused == 1);
    CHECK(waiters[0].class + waiters[1].class == MPI_ERR_REQUEST);
}

int main(int argc, char **argv)
{
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    int required = levels[argc > 1 ? atoi(argv[1]) : 0], inside = -1, key;
    MPI_Comm dup;
    MPI_Init_thread(NULL, NULL, required, &level);
    CHECK(level == required);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int allowed = level >= MPI_THREAD_SERIALIZED ? MPI_SUCCESS : MPI_ERR_OTHER;
    for (int i = 0; i < 3; i++) {
        CHECK(elsewhere() == allowed);
        /* Functions that return no error code end, too. */
        MPIX_Progress();
    }
    OK(MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, &inside));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK(inside == (level == MPI_THREAD_MULTIPLE ? MPI_SUCCESS : MPI_ERR_OTHER));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free_keyval(&key));
    CHECK(elsewhere() == allowed);
    if (level == MPI_THREAD_MULTIPLE) two_waiters();
    MPI_Finalize();
    return 0;
}
