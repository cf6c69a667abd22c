/* Messages of many sizes around a ring, each process sending and receiving at once. With arguments:
 * the longest message, and what to do in the middle: "wait" says so and waits for ever. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

int main(int argc, char **argv)
{
    int rank, size;
    CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int longest = argc > 1 ? atoi(argv[1]) : 1 << 20;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    char *out = malloc(longest + 1), *in = malloc(longest + 1);
    for (int bytes = 1; bytes <= longest; bytes *= 4) {
        memset(out, rank + bytes, bytes);
        memset(in, ~(before + bytes), bytes + 1);
        MPI_Sendrecv(out, bytes, MPI_BYTE, next, 5, in, bytes, MPI_BYTE, before, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        memset(out, before + bytes, bytes);
        CHECK(memcmp(out, in, bytes) == 0 && in[bytes] == (char)~(before + bytes));
    }
    if (argc > 2 && strcmp(argv[2], "wait") == 0) {
        printf("ready %d\n", rank);
        fflush(stdout);
        pause();
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
