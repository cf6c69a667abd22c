/* A thread of the library makes progress while the program computes: background NUMBER, where NUMBER
 * of such threads are expected. */
#define _POSIX_C_SOURCE 200809L
#include "counters.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 1 << 22, REPLY = 12345 };

/* Threads of this process that the library made for progress. */
static int library_threads(void)
{
    int number = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        if (fgets(name, sizeof name, file) != NULL) number += strcmp(name, "cairn-progress\n") == 0;
        fclose(file);
    }
    closedir(tasks);
    return number;
}

/* A large message arrives although neither side calls MPI meanwhile, and so does the answer. */
static void arrives_while_computing(int rank, int round)
{
    int *data = calloc(LARGE, sizeof *data);
    volatile int *last = &data[LARGE - 1];
    volatile int reply = 0;
    MPI_Request requests[2];
    CHECK(data != NULL);
    if (rank == 0) {
        for (int i = 0; i < LARGE; i++) data[i] = i + round;
        OK(MPI_Irecv((void *)&reply, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Isend(data, LARGE, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]));
        while (reply != REPLY) continue;
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    } else {
        int answer = REPLY;
        OK(MPI_Irecv(data, LARGE, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]));
        while (*last != LARGE - 1 + round) continue;
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        for (int i = 0; i < LARGE; i++) CHECK(data[i] == i + round);
        OK(MPI_Send(&answer, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    }
    free(data);
}

enum { SLEEPS, WAKE_UPS, PASSES, COUNTERS };

/* While nothing happens the thread sleeps until its alarm, looks once, and sleeps again: so it makes a few
 * passes for each alarm, and not as many as it can. */
static void sleeps_meanwhile(void)
{
    const char *names[] = { "mca_wait_sleeps", "mca_wait_wake_ups", "mca_progress_passes" };
    unsigned long passes, wake_ups, sleeps;
    MPI_T_pvar_handle handles[COUNTERS];
    begin_counting(MPI_THREAD_SINGLE);
    for (int i = 0; i < COUNTERS; i++) handles[i] = started_counter(names[i]);
    do {
        struct timespec moment = { .tv_nsec = 1000000 };
        CHECK(nanosleep(&moment, NULL) == 0);
        /* In this order none of the sleeps of these passes is missed. */
        passes = counted(handles[PASSES]);
        wake_ups = counted(handles[WAKE_UPS]);
        sleeps = counted(handles[SLEEPS]);
        /* Besides one for each alarm, those before it goes to sleep after something happened. */
        CHECK(passes <= 200 + 4 * (sleeps - wake_ups));
    } while (sleeps < wake_ups + 50);
    end_counting();
}

int main(int argc, char **argv)
{
    int rank, size, level, expected = argc > 1 ? atoi(argv[1]) : 1;
    begin(&rank, &size);
    OK(MPI_Query_thread(&level));
    CHECK(level == MPI_THREAD_SINGLE);
    /* A thread has its name when it has begun to run, and that of who made it before. */
    while (library_threads() != expected) continue;
    if (expected > 0) {
        for (int round = 1; size == 2 && round <= 3; round++) arrives_while_computing(rank, round);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        sleeps_meanwhile();
    }
    MPI_Finalize();
    CHECK(library_threads() == 0);
    return 0;
}
