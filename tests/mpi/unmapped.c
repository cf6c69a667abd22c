/* A process that has no address space left when another one sends to it for the first time: the message
   waits until there is some. The argument is a file by which the two know of each other without MPI. */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TRIES = 300 };

static int *stage;

static void say(int what)
{
    __atomic_store_n(stage, what, __ATOMIC_RELEASE);
}

static void wait_for(int what)
{
    while (__atomic_load_n(stage, __ATOMIC_ACQUIRE) != what) usleep(1000);
}

/* Bytes of address space that are used. */
static rlim_t used(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
    int rank, size, flag, value = 0;
    begin(&rank, &size);
    CHECK(argc > 1 && size == 2);
    int file = open(argv[1], O_RDWR | O_CREAT, 0600);
    CHECK(file >= 0 && ftruncate(file, sizeof *stage) == 0);
    stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(stage != MAP_FAILED);
    if (rank == 0) {
        wait_for(1);
        for (int i = 0; i < 100; i++) OK(MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        say(2);
    } else {
        struct rlimit whole, none;
        CHECK(getrlimit(RLIMIT_AS, &whole) == 0);
        none = whole;
        none.rlim_cur = used();
        CHECK(setrlimit(RLIMIT_AS, &none) == 0);
        say(1);
        wait_for(2);
        for (int i = 0; i < TRIES; i++) {
            OK(MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            CHECK(!flag);
        }
        CHECK(setrlimit(RLIMIT_AS, &whole) == 0);
        for (int i = 0; i < 100; i++) {
            OK(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(value == i);
        }
    }
    OK(MPI_Finalize());
    return 0;
}
