/* A nonblocking collective is under way while so many others begin and end that the tags of blocking
   ones come again: its messages are not theirs. With four processes the third one waits for its second
   round when the broadcasts come. */
#include "check.h"

enum { BROADCASTS = 40000, LATE = 1, THROUGH = 7 };

int main(void)
{
    int rank, size, one = 1, sum = -1, flag = 0;
    begin(&rank, &size);
    if (rank == LATE) {
        /* Begins when the root is through with all broadcasts; until then it takes what arrives. */
        while (!flag)
            OK(MPI_Iprobe(0, THROUGH, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, THROUGH, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    MPI_Request request;
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int n = 0; n < BROADCASTS; n++) {
        int value = rank == 0 ? 1000000 + n : 0;
        OK(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
        CHECK(value == 1000000 + n);
    }
    if (rank == 0)
        OK(MPI_Send(NULL, 0, MPI_INT, LATE, THROUGH, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(sum == size);
    return MPI_Finalize();
}
