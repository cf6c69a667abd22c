/* No process leaves a barrier before all have come: seen in a file that all processes map, whose path
   is the argument. */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 3, MOST = 16, ROUNDS = 60, LARGE = 300000 };

static int rank, size;
/* By communicator and rank: barriers that the process has come to. */
static volatile int (*came)[MOST];

/* Barriers of a communicator, of which this process has the number `place` in the file. */
static void barriers(MPI_Comm comm, int place, int rounds)
{
    int own, all;
    OK(MPI_Comm_rank(comm, &own));
    OK(MPI_Comm_size(comm, &all));
    int before = came[place][own];
    for (int round = before + 1; round <= before + rounds; round++) {
        __atomic_store_n(&came[place][own], round, __ATOMIC_RELEASE);
        OK(MPI_Barrier(comm));
        for (int other = 0; other < all; other++) {
            int seen = __atomic_load_n(&came[place][other], __ATOMIC_ACQUIRE);
            CHECK(seen == round || seen == round + 1);
        }
    }
}

struct job {
    MPI_Comm comm;
    int place;
};

static void *thread(void *argument)
{
    struct job *job = argument;
    barriers(job->comm, job->place, ROUNDS);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, file = -1;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CHECK(argc > 1 && provided == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size <= MOST);
    size_t length = (4 + THREADS) * sizeof *came;
    if (rank == 0) {
        file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
        CHECK(file >= 0 && ftruncate(file, (off_t)length) == 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank != 0) file = open(argv[1], O_RDWR);
    CHECK(file >= 0);
    came = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(came != MAP_FAILED);

    barriers(MPI_COMM_WORLD, 0, ROUNDS);
    barriers(MPI_COMM_SELF, 3, rank == 0 ? ROUNDS : 0);

    /* Communicators of other sizes, of which there are more and more. */
    for (int step = 1; step <= 3; step++) {
        MPI_Comm part;
        int place = rank % step;
        OK(MPI_Comm_split(MPI_COMM_WORLD, place, -rank, &part));
        if (place == 0) {
            int own;
            OK(MPI_Comm_rank(part, &own));
            came[1][own] = 0;
            OK(MPI_Barrier(part));
            barriers(part, 1, ROUNDS / 4);
        }
        OK(MPI_Comm_free(&part));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }

    /* Who waits in a barrier answers: the message is too large to leave without the receiver. */
    if (size > 1 && rank < 2) {
        char *data = calloc(LARGE, 1);
        MPI_Request request;
        for (int round = 0; round < 5; round++) {
            if (rank == 0) {
                OK(MPI_Irecv(data, LARGE, MPI_BYTE, 1, round, MPI_COMM_WORLD, &request));
                OK(MPI_Barrier(MPI_COMM_WORLD));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                CHECK(data[0] == round && data[LARGE - 1] == round);
            } else {
                memset(data, round, LARGE);
                OK(MPI_Send(data, LARGE, MPI_BYTE, 0, round, MPI_COMM_WORLD));
                OK(MPI_Barrier(MPI_COMM_WORLD));
            }
        }
        free(data);
    } else {
        for (int round = 0; round < 5; round++) OK(MPI_Barrier(MPI_COMM_WORLD));
    }

    /* Threads, each with a communicator. */
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i].place = 4 + i;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].comm));
    }
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, thread, &jobs[i]));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        OK(MPI_Comm_free(&jobs[i].comm));
    }
    MPI_Finalize();
    return 0;
}
