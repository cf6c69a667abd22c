/* Memory that is sent from and received into stays registered for the next time, but not when other memory is at its
   addresses. The argument is the transport, which keeps registrations. */
#define _DEFAULT_SOURCE
#include <sys/mman.h>

#include "counters.h"

enum { BYTES = 4 << 20, TIMES = 10 };

static int rank;
static MPI_T_pvar_handle made, reused;

/* What all processes have counted. */
static unsigned long everywhere(MPI_T_pvar_handle handle)
{
    unsigned long mine = counted(handle), sum;
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD));
    return sum;
}

/* New memory, at the address if it is not null. */
static unsigned char *map(void *address)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED : 0);
    void *there = mmap(address, BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    CHECK(there != MAP_FAILED);
    return there;
}

static void message(unsigned char *buffer, int round)
{
    for (int i = 0; i < BYTES; i += 64)
        buffer[i] = rank == 0 ? (unsigned char)(i / 64 + round) : 0;
    if (rank == 0)
        OK(MPI_Send(buffer, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < BYTES; i += 64)
        CHECK(buffer[i] == (unsigned char)(i / 64 + round));
}

int main(int argc, char **argv)
{
    char name[100];
    int provided;
    CHECK(argc == 2);
    OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    begin_counting(MPI_THREAD_SINGLE);
    snprintf(name, sizeof name, "%s_registrations_made", argv[1]);
    made = started_counter(name);
    snprintf(name, sizeof name, "%s_registrations_reused", argv[1]);
    reused = started_counter(name);
    unsigned char *buffer = map(NULL);
    for (int i = 0; i < TIMES; i++)
        message(buffer, i);
    unsigned long before = everywhere(made), again = everywhere(reused);
    CHECK(before >= 1 && before <= 2 && again >= TIMES - 1);
    /* Mapped over, unmapped and mapped, emptied. */
    map(buffer);
    message(buffer, 100);
    CHECK(everywhere(made) > before);
    before = everywhere(made);
    OK(munmap(buffer, BYTES));
    map(buffer);
    message(buffer, 101);
    CHECK(everywhere(made) > before);
    before = everywhere(made);
    OK(madvise(buffer + BYTES / 2, BYTES / 4, MADV_DONTNEED));
    message(buffer, 102);
    CHECK(everywhere(made) > before);
    before = everywhere(made);
    message(buffer, 103);
    CHECK(everywhere(made) == before);
    OK(munmap(buffer, BYTES));
    end_counting();
    OK(MPI_Finalize());
    return 0;
}
