/* Everybody sends short and large messages to everybody, all at once. */
#include "check.h"

enum { ROUNDS = 3, LARGE_COUNT = 20000 };

static int counts[] = { 1, 100, LARGE_COUNT };
enum { COUNTS = sizeof counts / sizeof *counts };

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    int *out = malloc((size_t)size * LARGE_COUNT * sizeof *out);
    int *in = malloc((size_t)size * LARGE_COUNT * sizeof *in);
    MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
    for (int round = 0; round < ROUNDS * COUNTS; round++) {
        int count = counts[round % COUNTS], n = 0;
        for (int peer = 0; peer < size; peer++) {
            int *to = out + peer * LARGE_COUNT, *from = in + peer * LARGE_COUNT;
            for (int i = 0; i < count; i++) to[i] = rank * size + peer + i + round;
            OK(MPI_Irecv(from, LARGE_COUNT, MPI_INT, peer, round, MPI_COMM_WORLD, &requests[n++]));
            OK(MPI_Isend(to, count, MPI_INT, peer, round, MPI_COMM_WORLD, &requests[n++]));
        }
        OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
        for (int peer = 0; peer < size; peer++)
            for (int i = 0; i < count; i++)
                CHECK(in[peer * LARGE_COUNT + i] == peer * size + rank + i + round);
    }
    free(out);
    free(in);
    free(requests);
    OK(MPI_Finalize());
    return 0;
}
