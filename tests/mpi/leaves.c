/* A process that has only received finalizes its session and ends, while the others go on: that is no failure of
   it, and no transport says that it is gone. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

enum { TAG = 1, LEAVES = 1, SIZE = 4, SENDER = 3 };

int main(void)
{
    int rank, value = 0;
    MPI_Session session;
    MPI_Group all, rest;
    MPI_Comm everybody, others = MPI_COMM_NULL;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
    OK(MPI_Comm_create_from_group(all, "everybody", MPI_INFO_NULL, MPI_ERRORS_RETURN, &everybody));
    OK(MPI_Comm_rank(everybody, &rank));
    if (rank != LEAVES) {
        OK(MPI_Group_excl(all, 1, (int[]){ LEAVES }, &rest));
        OK(MPI_Comm_create_from_group(rest, "others", MPI_INFO_NULL, MPI_ERRORS_RETURN, &others));
        OK(MPI_Group_free(&rest));
    }
    if (rank == SENDER) {
        for (int other = 0; other < SIZE; other++)
            if (other != rank) OK(MPI_Send(&value, 1, MPI_INT, other, TAG, everybody));
    } else {
        OK(MPI_Recv(&value, 1, MPI_INT, SENDER, TAG, everybody, MPI_STATUS_IGNORE));
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Comm_free(&everybody));
    if (rank == SENDER) {
        OK(MPI_Recv(&value, 1, MPI_INT, 0, TAG, others, MPI_STATUS_IGNORE));
    } else if (rank == 0) {
        /* Long enough to be noticed, and taking what others still say: they wait for a fraction of a second only. */
        int flag;
        for (double begin = MPI_Wtime(); MPI_Wtime() < begin + 0.7; usleep(1000))
            OK(MPI_Iprobe(0, TAG + 1, others, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Comm_size(others, &value));
        OK(MPI_Send(&value, 1, MPI_INT, value - 1, TAG, others));
    }
    if (rank != LEAVES) OK(MPI_Comm_free(&others));
    OK(MPI_Session_finalize(&session));
    return 0;
}
