/*
 * Two processes throw messages back and forth: how long one takes on its way, by size.
 *
 *   mpicc -O2 pingpong.c -o pingpong && mpirun -n 2 ./pingpong
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { LARGEST = 1 << 20 };
    int rank, size;
    char *buffer = calloc(LARGEST, 1);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || buffer == NULL) {
        fprintf(stderr, "pingpong needs two processes and %d bytes\n", LARGEST);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0)
        printf("%10s %12s %12s\n", "bytes", "microseconds", "MB/s");
    for (int bytes = 8; bytes <= LARGEST; bytes *= 8) {
        int rounds = bytes < 65536 ? 10000 : 500, other = 1 - rank;
        double start = 0;
        for (int round = -rounds / 10; round < rounds; round++) {
            if (round == 0)
                start = MPI_Wtime();
            if (rank == 0)
                MPI_Send(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        }
        double one_way = (MPI_Wtime() - start) / rounds / 2;
        if (rank == 0)
            printf("%10d %12.2f %12.0f\n", bytes, one_way * 1e6, bytes / one_way / 1e6);
    }
    MPI_Finalize();
    free(buffer);
    return 0;
}
