/* Processes that get no file descriptor any more, in the middle of a run: what they have goes on, another
   way is taken, and every message arrives. The argument says which processes: "one" or "all". */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

enum { THREADS = 4, ROUNDS = 20, LARGE_COUNT = 200000 };

static int rank, size;

/* Open descriptors of this process. */
static int descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    CHECK(dir != NULL);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

/* With the neighbours in the ring of this distance, in both directions. */
static void exchange(int distance, int number, int tag)
{
    int to = (rank + distance) % size, from = (rank + size - distance) % size;
    int *out = malloc(LARGE_COUNT * sizeof *out), *in = malloc(LARGE_COUNT * sizeof *in);
    for (int round = 0; round < ROUNDS; round++) {
        int count = round % 2 ? LARGE_COUNT : 1;
        for (int i = 0; i < count; i++) out[i] = number + round + i;
        OK(MPI_Sendrecv(out, count, MPI_INT, to, tag, in, count, MPI_INT, from, tag, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        for (int i = 0; i < count; i++) CHECK(in[i] == number + round + i);
    }
    free(out);
    free(in);
}

static void *thread(void *argument)
{
    int tag = (int)(size_t)argument;
    for (int distance = 1; distance < size; distance++) exchange(distance, 1000 * tag, tag);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, byte = 0;
    pthread_t threads[THREADS];
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(argc > 1 && provided == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size > 2);

    /* A peer costs one descriptor: by it the kernel tells of its end. */
    int before = descriptors();
    for (int distance = 1; distance < size; distance++) {
        int to = (rank + distance) % size, from = (rank + size - distance) % size;
        OK(MPI_Sendrecv(&byte, 1, MPI_BYTE, to, 0, &byte, 1, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(descriptors() <= before + size - 1);

    struct rlimit whole, none;
    CHECK(getrlimit(RLIMIT_NOFILE, &whole) == 0);
    none = whole;
    if (strcmp(argv[1], "all") == 0 || rank == 0) {
        none.rlim_cur = 0;
        CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0 && open("/dev/null", O_RDONLY) < 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (size_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, thread, (void *)i));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 5; i++) OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(setrlimit(RLIMIT_NOFILE, &whole) == 0);
    OK(MPI_Finalize());
    return 0;
}
