/* What the programs with threads share. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>

#include "check.h"

enum { MOST_THREADS = 6 };

/* How many threads each process has: fewer if there are many processes. */
static int threads;

struct start {
    void (*function)(int);
    int thread;
};

static inline void *call_thread(void *start)
{
    struct start *this = start;
    this->function(this->thread);
    return NULL;
}

/* Runs a function in all threads at the same time, of which the caller is the first. */
static inline void together(void (*function)(int thread))
{
    pthread_t others[MOST_THREADS];
    struct start starts[MOST_THREADS];
    for (int t = 0; t < threads; t++) {
        starts[t] = (struct start){ function, t };
        if (t > 0)
            CHECK(pthread_create(&others[t], NULL, call_thread, &starts[t]) == 0);
    }
    function(0);
    for (int t = 1; t < threads; t++)
        CHECK(pthread_join(others[t], NULL) == 0);
}

static inline void begin_threads(int *rank, int *size)
{
    begin(rank, size);
    int provided = -1;
    OK(MPI_Query_thread(&provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    threads = *size <= 2 ? MOST_THREADS : MOST_THREADS / 2;
}

/* A communicator of its own for each thread. */
static inline void each_its_own(MPI_Comm comms[MOST_THREADS])
{
    for (int t = 0; t < threads; t++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]));
}

static inline void free_all(MPI_Comm comms[MOST_THREADS])
{
    for (int t = 0; t < threads; t++)
        OK(MPI_Comm_free(&comms[t]));
}

#endif
