/* Rank 0 shares all locks and ends with them while rank 1, which has that of rank 3, waits for that of rank 2: it gets it
   before it has given back its own. Locks are taken when operations need them, so rank 0 need not have that of rank 3
   before. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, one = 1, two = 2;
    int *base;
    MPI_Win win;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    base[0] = base[1] = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        OK(MPI_Win_lock_all(0, win));
        OK(MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, win));
        OK(MPI_Win_flush(2, win));
        OK(MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Put(&one, 1, MPI_INT, 3, 0, 1, MPI_INT, win));
        OK(MPI_Win_unlock_all(win));
    } else if (rank == 1) {
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win));
        OK(MPI_Put(&two, 1, MPI_INT, 3, 1, 1, MPI_INT, win));
        OK(MPI_Win_flush(3, win));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win));
        OK(MPI_Put(&two, 1, MPI_INT, 2, 1, 1, MPI_INT, win));
        OK(MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD));
        OK(MPI_Win_unlock(2, win));
        OK(MPI_Win_unlock(3, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK(rank < 2 || (base[0] == 1 && base[1] == 2));
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Finalize());
    return 0;
}
