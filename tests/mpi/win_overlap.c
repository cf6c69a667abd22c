/* Operations that have begun go on although the program makes no other calls than those that start more: rank 0 puts, or
   with argument "get" gets, until the first one has been done, which it sees in the memory of rank 1 or its own.
   Rank 1 waits in a barrier. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

enum { BLOCK = 65536, BLOCKS = 16 };

/* Memory that both processes have, whatever their windows know of it. */
static volatile char *shared(int rank)
{
    char path[64];
    int descriptor = -1;
    long owner[2];
    if (rank == 0) {
        descriptor = memfd_create("win_overlap", 0);
        CHECK(descriptor >= 0 && ftruncate(descriptor, BLOCK) == 0);
        owner[0] = getpid();
        owner[1] = descriptor;
    }
    OK(MPI_Bcast(owner, 2, MPI_LONG, 0, MPI_COMM_WORLD));
    if (rank != 0) {
        snprintf(path, sizeof path, "/proc/%ld/fd/%ld", owner[0], owner[1]);
        descriptor = open(path, O_RDWR);
    }
    CHECK(descriptor >= 0);
    char *memory = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    CHECK(memory != MAP_FAILED);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    close(descriptor);
    return memory;
}

int main(int argc, char **argv)
{
    int rank, get = argc > 1 && strcmp(argv[1], "get") == 0;
    MPI_Win win;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    volatile char *memory = shared(rank);
    char *data = calloc(BLOCKS, BLOCK);
    CHECK(data);
    if (rank == 1) memset((char *)memory, get, BLOCK);
    OK(MPI_Win_create(rank ? (char *)memory : NULL, rank ? BLOCK : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (rank == 0) {
        memset(data, !get, BLOCKS * BLOCK);
        const volatile char *last = get ? data + BLOCK - 1 : memory + BLOCK - 1;
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
        for (int count = 0; *last == 0; count++) {
            /* The first block is for one operation alone. */
            int block = count == 0 ? 0 : 1 + count % (BLOCKS - 1);
            if (get) OK(MPI_Get(data + block * BLOCK, BLOCK, MPI_BYTE, 1, 0, BLOCK, MPI_BYTE, win));
            else OK(MPI_Put(data + block * BLOCK, BLOCK, MPI_BYTE, 1, 0, BLOCK, MPI_BYTE, win));
        }
        OK(MPI_Win_unlock(1, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));
    OK(MPI_Finalize());
    return 0;
}
