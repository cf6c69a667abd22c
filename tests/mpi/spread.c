/* Whether MPI_Init moves the process to the processor whose turn it is, and leaves its binding as it was. The
   argument says whether it is to: there are more processes than processors, or there are not. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static cpu_set_t sets[2];
static int calls;

/* Taken by the library instead of that of the C library. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    if (calls < 2)
        sets[calls] = *set;
    calls++;
    return (int)syscall(SYS_sched_setaffinity, pid, size, set);
}

int main(int argc, char **argv)
{
    int rank, size;
    cpu_set_t before, after, expected;
    CHECK(argc == 2);
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    begin(&rank, &size);
    CHECK(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_EQUAL(&before, &after));
    int count = CPU_COUNT(&before);
    if (strcmp(argv[1], "stays") == 0 || count < 2) {
        CHECK(calls == 0);
    } else {
        int turn = rank % count;
        CPU_ZERO(&expected);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &before) && turn-- == 0)
                CPU_SET(cpu, &expected);
        CHECK(calls == 2);
        CHECK(CPU_EQUAL(&sets[0], &expected));
        CHECK(CPU_EQUAL(&sets[1], &before));
    }
    OK(MPI_Finalize());
    return 0;
}
