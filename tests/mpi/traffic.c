/* Processes that communicate while something is done to their network, as most programs do it: errors are fatal. The
   arguments say how, and a directory. When MPI is there each process makes a file in it, ready.<rank>, and waits for
   one that is called go, without a call of MPI; when it has communicated for a while it makes another, <rank>.

   send     each sends to the next one and receives from the one before, some bytes, for ever
   large    the same with messages that are too long to go at once
   receive  each waits for a message of the next one, which sends none
   window   each writes to the memory of the next one, and flushes, for ever
   all      all reduce, until there is a file that is called stop */
#define _GNU_SOURCE
#include "check.h"

#include <stdbool.h>
#include <unistd.h>

enum { SMALL = 8, LARGE_COUNT = 1000000, WORDS = 1024, ENOUGH = 20, TAG = 1, NEVER = 2, NAME = 4096 };

static char in[LARGE_COUNT], out[LARGE_COUNT];
static long local[WORDS], memory[WORDS];

static void report(const char *directory, const char *what, int rank)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s/%s%d", directory, what, rank);
    FILE *file = fopen(name, "w");
    CHECK(file && fclose(file) == 0);
}

static bool is_there(const char *directory, const char *what)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s/%s", directory, what);
    return access(name, F_OK) == 0;
}

int main(int argc, char **argv)
{
    int rank, size, level = wanted_level(), provided;
    MPI_Win win = MPI_WIN_NULL;
    CHECK(argc == 3);
    const char *directory = argv[2];
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    bool large = strcmp(argv[1], "large") == 0, receive = strcmp(argv[1], "receive") == 0;
    bool all = strcmp(argv[1], "all") == 0, window = strcmp(argv[1], "window") == 0;
    int count = large ? LARGE_COUNT : SMALL;
    report(directory, "ready.", rank);
    while (!is_there(directory, "go")) usleep(1000);
    if (window) {
        MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_lock_all(0, win);
    }
    for (int round = 0;; round++) {
        if (round == ENOUGH) report(directory, "", rank);
        if (window) {
            MPI_Put(local, WORDS, MPI_LONG, next, 0, WORDS, MPI_LONG, win);
            MPI_Win_flush(next, win);
        } else if (all) {
            int mine[3] = { rank, round, rank == 0 && is_there(directory, "stop") }, sums[3];
            MPI_Allreduce(mine, sums, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            CHECK(sums[0] == size * (size - 1) / 2 && sums[1] == size * round);
            if (sums[2] > 0) break;
        } else if (receive && round == ENOUGH) {
            MPI_Recv(in, SMALL, MPI_CHAR, next, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Sendrecv(out, count, MPI_CHAR, next, TAG, in, count, MPI_CHAR, before, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
