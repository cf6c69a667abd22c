/* A thread receives unexpected messages while many others probe for what never comes: receiving a
   message must not wait for a moment without a thread that probes. */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

enum { MESSAGES = 20000, PROBERS = 16, TAG = 1, NEVER = 2 };

static atomic_int done;

static void *probe(void *unused)
{
    (void)unused;
    while (!atomic_load(&done)) {
        int flag = -1;
        OK(MPI_Iprobe(MPI_ANY_SOURCE, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK(flag == 0);
    }
    return NULL;
}

/* What a probe says of a message holds for the receive that follows. */
static void receive(int number)
{
    MPI_Status status;
    MPI_Message message;
    int value = -1, count = -1;
    switch (number % 3) {
    case 0:
        OK(MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &status));
        break;
    case 1:
        OK(MPI_Probe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status));
        CHECK(status.MPI_SOURCE == 1 && status.MPI_TAG == TAG);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(count == 1);
        OK(MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &status));
        break;
    default:
        OK(MPI_Mprobe(1, TAG, MPI_COMM_WORLD, &message, &status));
        OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    }
    CHECK(value == number && status.MPI_SOURCE == 1 && status.MPI_TAG == TAG);
}

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    if (rank == 1) {
        for (int number = 0; number < MESSAGES; number++)
            OK(MPI_Send(&number, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD));
    } else if (rank == 0) {
        pthread_t probers[PROBERS];
        for (int n = 0; n < PROBERS; n++)
            CHECK(pthread_create(&probers[n], NULL, probe, NULL) == 0);
        for (int number = 0; number < MESSAGES; number++)
            receive(number);
        atomic_store(&done, 1);
        for (int n = 0; n < PROBERS; n++)
            CHECK(pthread_join(probers[n], NULL) == 0);
    }
    return MPI_Finalize();
}
