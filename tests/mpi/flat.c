/* Communicators that come and go leave no memory behind. */
#include <unistd.h>

#include "check.h"

enum { PAIRS = 100000, MOST = 1 << 20 };

/* Bytes of this process that are in memory. */
static long resident(void)
{
    long whole = -1, pages = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &whole, &pages) == 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void pairs(int count)
{
    for (int n = 0; n < count; n++) {
        MPI_Comm comm;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        if (n % 16 == 0) {
            int sum = -1, one = 1, size;
            OK(MPI_Comm_size(comm, &size));
            OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
            CHECK(sum == size);
        }
        OK(MPI_Comm_free(&comm));
    }
}

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    pairs(PAIRS / 20);
    long before = resident();
    pairs(PAIRS);
    long after = resident();
    if (after - before > MOST)
        fprintf(stderr, "%ld bytes, and %ld later\n", before, after);
    CHECK(after - before <= MOST);
    return MPI_Finalize();
}
