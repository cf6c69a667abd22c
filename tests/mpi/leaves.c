/* A process that has only received finalizes its session and ends, while the others go on: that is no failure of
   it, and nobody says that it is gone. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

enum { TAG = 1, LEAVES = 1 };

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
    if (rank == 0) {
        for (int other = 1; other < 3; other++)
            OK(MPI_Send(&value, 1, MPI_INT, other, TAG, everybody));
    } else {
        OK(MPI_Recv(&value, 1, MPI_INT, 0, TAG, everybody, MPI_STATUS_IGNORE));
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Comm_free(&everybody));
    if (rank == 0) {
        OK(MPI_Recv(&value, 1, MPI_INT, 1, TAG, others, MPI_STATUS_IGNORE));
    } else if (rank != LEAVES) {
        /* Long enough to be noticed. */
        usleep(700 * 1000);
        OK(MPI_Send(&value, 1, MPI_INT, 0, TAG, others));
    }
    if (rank != LEAVES) OK(MPI_Comm_free(&others));
    OK(MPI_Session_finalize(&session));
    return 0;
}
