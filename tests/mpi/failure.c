/* Rank 1 of three is killed while rank 0 waits for it in every way. What names rank 1 ends with an
   error, what it had sent before arrives, and the others go on. Rank 0 ends the job with 42. */
#include "check.h"

#include <signal.h>

enum { SMALL = 4, LARGE_COUNT = 3000000, POSTED = 5, LAST = 6, NEVER = 7, ANY = 8, SPLIT = 9 };
enum { MANY = 64 };

static char in[SMALL], out[LARGE_COUNT], large[LARGE_COUNT];

/* Rank 1 sends so much that each way it has to rank 0 is open: what is sent to a connection that is
   still being made waits in the memory of rank 1, and dies with it. */
static void open_ways(MPI_Comm pair, int rank)
{
    for (int i = 0; i < 2 * MANY; i++) {
        MPI_Comm comm = i < MANY ? MPI_COMM_WORLD : pair;
        if (rank == 1) {
            OK(MPI_Send(in, SMALL, MPI_CHAR, 0, 0, comm));
        } else {
            OK(MPI_Recv(in, SMALL, MPI_CHAR, 1, 0, comm, MPI_STATUS_IGNORE));
        }
    }
}

static void dies(MPI_Comm pair)
{
    OK(MPI_Recv(in, SMALL, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Send(in, SMALL, MPI_CHAR, 0, 0, pair));
    OK(MPI_Send("bye", SMALL, MPI_CHAR, 0, LAST, MPI_COMM_WORLD));
    raise(SIGKILL);
}

static void survives(MPI_Comm pair)
{
    MPI_Request posted[2], any, sends[2], started;
    MPI_Status status;
    MPI_Message message;
    int flag;
    /* Rank 2 has what it needs of rank 1 for the split. */
    OK(MPI_Recv(in, SMALL, MPI_CHAR, 2, SPLIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Irecv(in, SMALL, MPI_CHAR, 1, POSTED, MPI_COMM_WORLD, &posted[0]));
    OK(MPI_Irecv(large, LARGE_COUNT, MPI_CHAR, 1, MPI_ANY_TAG, pair, &posted[1]));
    OK(MPI_Irecv(large, SMALL, MPI_CHAR, MPI_ANY_SOURCE, ANY, MPI_COMM_WORLD, &any));
    OK(MPI_Isend(out, LARGE_COUNT, MPI_CHAR, 1, NEVER, MPI_COMM_WORLD, &sends[0]));
    OK(MPI_Issend(out, SMALL, MPI_CHAR, 1, NEVER, MPI_COMM_WORLD, &sends[1]));
    OK(MPI_Recv_init(in, SMALL, MPI_CHAR, 1, POSTED, MPI_COMM_WORLD, &started));
    /* The first message of the pair is the large receive's. */
    OK(MPI_Send(out, SMALL, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    OK(MPI_Wait(&posted[1], &status));

    FAILS(MPI_ERR_PROC_ABORTED, MPI_Wait(&posted[0], &status));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Wait(&sends[0], &status));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Wait(&sends[1], &status));
    OK(MPI_Recv(in, SMALL, MPI_CHAR, 1, LAST, MPI_COMM_WORLD, &status));
    CHECK(strcmp(in, "bye") == 0 && status.MPI_SOURCE == 1);

    /* What begins when it is known. */
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Recv(in, SMALL, MPI_CHAR, 1, LAST, MPI_COMM_WORLD, &status));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Send(out, SMALL, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Send(out, LARGE_COUNT, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Ssend(out, SMALL, MPI_CHAR, 1, 0, pair));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Probe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, &status));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Mprobe(1, 0, pair, &message, &status));
    for (int round = 0; round < 2; round++) {
        OK(MPI_Start(&started));
        FAILS(MPI_ERR_PROC_ABORTED, MPI_Wait(&started, &status));
    }
    /* No other process is in the pair. */
    FAILS(MPI_ERR_PROC_ABORTED,
          MPI_Recv(in, SMALL, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, &status));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, pair, &status));

    /* Rank 2 may still send to a receive from any source. */
    OK(MPI_Test(&any, &flag, &status));
    CHECK(!flag);
    OK(MPI_Send(out, SMALL, MPI_CHAR, 2, ANY, MPI_COMM_WORLD));
    OK(MPI_Wait(&any, &status));
    CHECK(status.MPI_SOURCE == 2);
    OK(MPI_Send(out, LARGE_COUNT, MPI_CHAR, 2, NEVER, MPI_COMM_WORLD));
    MPI_Abort(MPI_COMM_WORLD, 42);
}

int main(void)
{
    int rank, size;
    MPI_Comm pair;
    begin(&rank, &size);
    CHECK(size == 3);
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &pair));
    if (rank < 2)
        open_ways(pair, rank);
    if (rank == 0) {
        survives(pair);
    } else if (rank == 1) {
        dies(pair);
    } else {
        OK(MPI_Send(in, SMALL, MPI_CHAR, 0, SPLIT, MPI_COMM_WORLD));
        OK(MPI_Recv(in, SMALL, MPI_CHAR, 0, ANY, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Send(in, SMALL, MPI_CHAR, 0, ANY, MPI_COMM_WORLD));
        OK(MPI_Recv(large, LARGE_COUNT, MPI_CHAR, 0, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        /* Until rank 0 ends the job. */
        MPI_Recv(in, SMALL, MPI_CHAR, 0, ANY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return 1;
}
