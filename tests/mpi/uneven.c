/* Processes whose numbers of instances differ, and more threads than one of them has: every message
   arrives, whichever instance its thread was given. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 32, MESSAGES = 50, LARGE_COUNT = 20000 };

static int rank, size;

static void *thread(void *argument)
{
    int number = (int)(size_t)argument, to = (rank + 1) % size, from = (rank + size - 1) % size;
    int *out = malloc(LARGE_COUNT * sizeof *out), *in = malloc(LARGE_COUNT * sizeof *in);
    for (int i = 0; i < MESSAGES; i++) {
        /* A short one, one of several cache lines, one that is announced. */
        int count = i % 3 == 0 ? 1 : i % 3 == 1 ? 300 : LARGE_COUNT;
        MPI_Request request;
        out[0] = number * 1000 + i;
        out[count - 1] = out[0];
        OK(MPI_Irecv(in, LARGE_COUNT, MPI_INT, from, number, MPI_COMM_WORLD, &request));
        OK(MPI_Send(out, count, MPI_INT, to, number, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(in[0] == out[0] && in[count - 1] == out[0]);
    }
    free(out);
    free(in);
    return NULL;
}

int main(void)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (size_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, thread, (void *)i));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
