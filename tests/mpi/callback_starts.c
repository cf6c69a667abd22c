/* A reduction operation of the program waits for another thread of the process, which begins a collective operation
   and completes another one: what runs the reduction must not keep the other thread from either. */
#include <semaphore.h>
#include <stdatomic.h>

#include "threads.h"

enum { GO = 3 };

static int rank, size;
static atomic_int calls;
static sem_t entered, done;
static MPI_Comm comms[2];
static MPI_Op op;

static void add(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *count; i++) ((int *)inout)[i] += ((int *)in)[i];
    if (rank == 0 && atomic_fetch_add(&calls, 1) == 0) {
        sem_post(&entered);
        sem_wait(&done);
    }
}

static void work(int thread)
{
    int mine = rank + 1, all = 0, most = 0;
    MPI_Request request;
    if (thread == 0) {
        /* The other process begins when this one has, which so waits for its part, and reduces in a pass. */
        if (rank == 1)
            OK(MPI_Recv(NULL, 0, MPI_INT, 0, GO, comms[0], MPI_STATUS_IGNORE));
        OK(MPI_Iallreduce(&mine, &all, 1, MPI_INT, op, comms[0], &request));
        if (rank == 0)
            OK(MPI_Send(NULL, 0, MPI_INT, 1, GO, comms[0]));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(all == 3);
        return;
    }
    if (rank == 0)
        sem_wait(&entered);
    OK(MPI_Iallreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comms[1], &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(most == 2);
    if (rank == 0)
        sem_post(&done);
}

int main(void)
{
    begin_threads(&rank, &size);
    CHECK(size == 2);
    threads = 2;
    CHECK(sem_init(&entered, 0, 0) == 0 && sem_init(&done, 0, 0) == 0);
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    OK(MPI_Op_create(add, 1, &op));
    together(work);
    OK(MPI_Op_free(&op));
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_free(&comms[i]));
    MPI_Finalize();
    return 0;
}
