/* A process asks for large messages while its way to their sender is full: it asks again and again,
   hundreds of times for each, and gets all of them when the sender makes room. */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <unistd.h>

enum { MESSAGES = 80, BYTES = 1 << 20, FILL = 5000, TRIES = 300, PID = 900, ANNOUNCED = 901, SMALL = 902 };

static char *large[MESSAGES], small[FILL];
static MPI_Request requests[MESSAGES], fill[FILL];

static void sender(void)
{
    int pid = getpid(), signal;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    for (int i = 0; i < MESSAGES; i++) {
        memset(large[i], i + 1, BYTES);
        OK(MPI_Isend(large[i], BYTES, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]));
    }
    OK(MPI_Send(&pid, 1, MPI_INT, 0, PID, MPI_COMM_WORLD));
    OK(MPI_Send(NULL, 0, MPI_BYTE, 0, ANNOUNCED, MPI_COMM_WORLD));
    /* Outside of MPI until the other process has tried often enough. */
    CHECK(sigwait(&set, &signal) == 0);
    for (int i = 0; i < FILL; i++) {
        OK(MPI_Recv(&small[i], 1, MPI_BYTE, 0, SMALL, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(small[i] == (char)i);
    }
    OK(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
}

static void receiver(void)
{
    int pid, flag;
    OK(MPI_Recv(&pid, 1, MPI_INT, 1, PID, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, ANNOUNCED, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < FILL; i++) {
        small[i] = (char)i;
        OK(MPI_Isend(&small[i], 1, MPI_BYTE, 1, SMALL, MPI_COMM_WORLD, &fill[i]));
    }
    for (int i = 0; i < MESSAGES; i++) {
        memset(large[i], 0, BYTES);
        OK(MPI_Irecv(large[i], BYTES, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]));
    }
    for (int i = 0; i < TRIES; i++) OK(MPI_Test(&fill[FILL - 1], &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    CHECK(kill(pid, SIGUSR1) == 0);
    OK(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(FILL, fill, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MESSAGES; i++)
        for (int at = 0; at < BYTES; at += 4093) CHECK(large[i][at] == (char)(i + 1));
}

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    CHECK(size == 2);
    for (int i = 0; i < MESSAGES; i++) CHECK((large[i] = malloc(BYTES)) != NULL);
    if (rank == 1)
        sender();
    else
        receiver();
    for (int i = 0; i < MESSAGES; i++) free(large[i]);
    OK(MPI_Finalize());
    return 0;
}
