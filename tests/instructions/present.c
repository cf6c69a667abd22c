/* Process 0 sends messages of 8 bytes one at a time, in the way of its first argument, and process 1 receives
   each when it is there: a word of a file that both have mapped says so. So a receive finds its message, and
   what a profiler counts inside of the functions of MPI is always the same. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TAG = 5 };

static void wait_for(atomic_int *word, int value)
{
    while (atomic_load(word) != value)
        sched_yield();
}

int main(int argc, char **argv)
{
    int level, rank;
    if (argc != 5)
        return 2;
    const int messages = atoi(argv[4]);
    const int nonblocking = strcmp(argv[1], "nonblocking") == 0;
    MPI_Init_thread(&argc, &argv, atoi(argv[2]), &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int file = open(argv[3], O_RDWR);
    struct words { _Alignas(64) atomic_int sent; _Alignas(64) atomic_int received; } *words;
    words = mmap(NULL, sizeof *words, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (words == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    long data = 1;
    for (int n = 1; n <= messages; n++)
        if (rank == 1) {
            wait_for(&words->sent, n);
            MPI_Recv(&data, 8, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            atomic_store(&words->received, n);
        } else if (nonblocking) {
            MPI_Request request;
            MPI_Isend(&data, 8, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            atomic_store(&words->sent, n);
            wait_for(&words->received, n);
        } else {
            MPI_Send(&data, 8, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
            atomic_store(&words->sent, n);
            wait_for(&words->received, n);
        }
    MPI_Finalize();
    return 0;
}
