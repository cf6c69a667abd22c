/* A process dies, and the launcher lets the others go on: whatever waits for it ends with an error, and
   what it had sent is received before. The first rank that lives ends the job with 42. The arguments say when
   it dies, and a file by which the processes know of each other without MPI:

   silent    before it had to do with any other process
   unheard   when it has sent, and the others have not received yet
   heard     when the others have received all that it sent, and no other process ever sent to it
   far       unheard, and the others receive little at a time
   threads   the same, and several threads have sent, each by an instance of its own
   barrier   before a barrier that the others are in, of a communicator that had many
   first     the same, and it is the first process of the communicator
   early     before the first barrier of a communicator, which the others are in
   made      before the third, in which they make what they share
   owner     the same, and it is the first process of the communicator, which not every other one had to do with
   reduction before a reduction that the others are in, of a communicator that had many operations
   ahead     before a gather, of which another process has done its part and waits for the one that gathers
   torn      while it copies a message for which there is a receive, of a quarter of 64 KiB and, torn2, of more
   typed     the same, and the receive is one of elements with gaps
   kept      the same as torn and, kept2, torn2, and there is no receive yet
   forked    when every process knows every other one, and a child that it has forked lives on */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MANY = 20000, FEW = 5, TAG = 3, LAST = 4, NEVER = 5, THREADS = 4, THREAD_TAG = 10 };
enum { BARRIERS = 20 };

/* How far a process has come: 0 at first, then it only changes to what follows. */
enum { MET = 1, DYING, OVER, FORKED };

static int rank, size;

/* What the processes know of each other without MPI: a file that all map, and of which each holds a lock
   on one byte as long as it lives. */
static int file;
static int *there;

static struct flock byte_of(int owner)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = owner, .l_len = 1 };
    return lock;
}

static void share(const char *path)
{
    struct flock own = byte_of(rank);
    size_t length = 16 * sizeof *there;
    file = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(file >= 0 && ftruncate(file, (off_t)length) == 0 && fcntl(file, F_SETLK, &own) == 0);
    there = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(there != MAP_FAILED);
}

static void die(void)
{
    raise(SIGKILL);
}

/* Outside of MPI until a process has come so far. */
static void wait_for(int other, int what)
{
    while (__atomic_load_n(&there[other], __ATOMIC_ACQUIRE) != what) usleep(1000);
}

static void say(int what)
{
    __atomic_store_n(&there[rank], what, __ATOMIC_RELEASE);
}

/* Until every process has come here, which they tell each other without MPI: what they did before is
   complete everywhere, so that a death that follows can't reach into it. A message may still wait in this
   process for its connection, and only calls of MPI make progress: any does, also one that no death fails. */
static void meet(void)
{
    int flag;
    say(MET);
    for (int other = 0; other < size; other++)
        while (__atomic_load_n(&there[other], __ATOMIC_ACQUIRE) == 0) {
            OK(MPI_Iprobe(0, NEVER, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
            usleep(1000);
        }
}

/* Outside of MPI until a process has died. */
static void wait_for_end(int other)
{
    for (;;) {
        struct flock lock = byte_of(other);
        CHECK(fcntl(file, F_GETLK, &lock) == 0);
        if (lock.l_type == F_UNLCK) return;
        usleep(1000);
    }
}

static void silent(void)
{
    char byte = 0;
    int flag;
    MPI_Request requests[2];
    if (rank == 1) die();
    OK(MPI_Irecv(&byte, 1, MPI_BYTE, 1, NEVER, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(&byte, 1, MPI_BYTE, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Probe(1, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Iprobe(1, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Send(&byte, 1, MPI_BYTE, 1, NEVER, MPI_COMM_WORLD));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Ssend(&byte, 1, MPI_BYTE, 1, NEVER, MPI_COMM_WORLD));
}

static void unheard(int count, bool slow)
{
    int value, flag = 0, all[16] = { 0 };
    MPI_Request last;
    MPI_Status status;
    /* Everybody knows everybody. */
    if (slow) {
        OK(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
        meet();
    }
    if (rank == 1) {
        for (int i = 0; i < count; i++)
            OK(MPI_Send(&i, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD));
        OK(MPI_Send(&count, 1, MPI_INT, 0, LAST, MPI_COMM_WORLD));
        say(DYING);
        die();
    }
    if (rank == 0) {
        wait_for(1, DYING);
        wait_for_end(1);
        OK(MPI_Irecv(&value, 1, MPI_INT, 1, LAST, MPI_COMM_WORLD, &last));
        while (slow && !flag) {
            OK(MPI_Test(&last, &flag, &status));
            /* A pass now and then, so that the passes of a second are fewer than the messages. */
            usleep(1000);
        }
        OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
        CHECK(value == count);
        for (int i = 0; i < count; i++) {
            OK(MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &status));
            CHECK(value == i);
        }
        FAILS(MPI_ERR_PROC_ABORTED, MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &status));
    } else {
        FAILS(MPI_ERR_PROC_ABORTED, MPI_Recv(&value, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, &status));
    }
}

static void heard(void)
{
    int value = rank;
    if (rank == 1) {
        for (int other = 0; other < size; other++)
            if (other != 1) OK(MPI_Send(&value, 1, MPI_INT, other, TAG, MPI_COMM_WORLD));
    } else {
        OK(MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(value == 1);
    }
    meet();
    if (rank == 1) die();
    FAILS(MPI_ERR_PROC_ABORTED,
          MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void *sender(void *argument)
{
    int number = (int)(size_t)argument;
    for (int i = 0; i <= MANY / THREADS; i++)
        OK(MPI_Send(&i, 1, MPI_INT, 0, THREAD_TAG + number, MPI_COMM_WORLD));
    return NULL;
}

static void of_threads(void)
{
    int value, flag, all[16] = { 0 };
    OK(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    meet();
    if (rank == 1) {
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            CHECK(!pthread_create(&threads[i], NULL, sender, (void *)i));
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        say(DYING);
        die();
    }
    if (rank == 0) {
        wait_for(1, DYING);
        wait_for_end(1);
        for (int number = 0; number < THREADS; number++)
            for (int i = 0; i <= MANY / THREADS; i++) {
                MPI_Request request;
                OK(MPI_Irecv(&value, 1, MPI_INT, 1, THREAD_TAG + number, MPI_COMM_WORLD, &request));
                for (flag = 0; !flag; usleep(flag ? 0 : 1000))
                    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
                CHECK(value == i);
            }
    }
    FAILS(MPI_ERR_PROC_ABORTED,
          MPI_Recv(&value, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void barrier(int dead, int before, bool few)
{
    MPI_Comm others;
    if (few)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &others)); /* along a tree */
    else
        OK(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &others));
    for (int i = 0; i < before; i++) OK(MPI_Barrier(others));
    meet();
    if (rank == dead) die();
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Barrier(others));
    /* And so does each that follows. */
    for (int i = 0; i < 3; i++) FAILS(MPI_ERR_PROC_ABORTED, MPI_Barrier(others));
}

/* What the others do afterwards fails, too, whatever it is. */
static void reduction(int dead)
{
    MPI_Comm others;
    static double in[3000], out[3000];
    int count = sizeof in / sizeof *in;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &others));
    for (int i = 0; i < BARRIERS; i++) {
        OK(MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, others));
        OK(MPI_Bcast(in, i, MPI_DOUBLE, i % size, others));
        OK(MPI_Reduce(in, out, i, MPI_DOUBLE, MPI_SUM, i % size, others));
    }
    meet();
    if (rank == dead) die();
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, others));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Bcast(in, count, MPI_DOUBLE, 0, others));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Barrier(others));
}

/* The first process, which every other one had to do with, does not wait in the gather. */
static void ahead(void)
{
    int all[16] = { 0 }, last = size - 1;
    MPI_Comm others;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &others));
    for (int i = 0; i < BARRIERS; i++) OK(MPI_Barrier(others));
    meet();
    if (rank == 1) die();
    if (rank == last) {
        FAILS(MPI_ERR_PROC_ABORTED, MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, last, others));
        OK(MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD));
        return;
    }
    /* It may know of the death already. */
    int code = MPI_Gather(&rank, 1, MPI_INT, NULL, 0, MPI_INT, last, others);
    CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_PROC_ABORTED);
    if (rank == 0) OK(MPI_Recv(all, 1, MPI_INT, last, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void on_fault(int signal)
{
    (void)signal;
    die();
}

/* Of so many bytes half lie in memory that is there. */
static void torn(int bytes, bool kept, bool typed)
{
    int all[16] = { 0 }, flag;
    MPI_Request request;
    OK(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    meet();
    if (rank == 1) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        size_t half = ((size_t)bytes / 2 + page - 1) / page * page;
        char *memory = mmap(NULL, half + (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(memory != MAP_FAILED && mprotect(memory, half, PROT_READ | PROT_WRITE) == 0);
        if (!kept) wait_for(0, DYING);
        signal(SIGSEGV, on_fault);
        MPI_Send(memory + half - (size_t)bytes / 2, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        CHECK(!"sent");
    }
    if (rank == 0) {
        char *buffer = malloc(2 * (size_t)bytes);
        MPI_Datatype type = MPI_BYTE;
        if (typed) OK(MPI_Type_vector(bytes / 4, 4, 8, MPI_BYTE, &type));
        OK(MPI_Type_commit(&type));
        if (kept) {
            wait_for_end(1);
            for (int i = 0; i < 1000; i++)
                OK(MPI_Iprobe(0, NEVER, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        }
        OK(MPI_Irecv(buffer, typed ? 1 : bytes, type, 1, TAG, MPI_COMM_WORLD, &request));
        say(DYING);
        FAILS(MPI_ERR_PROC_ABORTED, MPI_Wait(&request, MPI_STATUS_IGNORE));
        free(buffer);
    }
    FAILS(MPI_ERR_PROC_ABORTED,
          MPI_Recv(all, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* The child has what its parent had open, and lives until all others have noticed the parent's end. */
static void forked(void)
{
    int all[16] = { 0 };
    OK(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    meet();
    if (rank == 1) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            say(FORKED);
            for (int other = 0; other < size; other++)
                if (other != 1) wait_for(other, OVER);
            _exit(0);
        }
        wait_for(1, FORKED);
        die();
    }
    FAILS(MPI_ERR_PROC_ABORTED,
          MPI_Recv(all, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    begin(&rank, &size);
    CHECK(argc > 2 && size >= 2 && size <= 16);
    share(argv[2]);
    const char *when = argv[1];
    int judge = 0;
    if (strcmp(when, "silent") == 0) silent();
    if (strcmp(when, "unheard") == 0) unheard(FEW, false);
    if (strcmp(when, "heard") == 0) heard();
    if (strcmp(when, "far") == 0) unheard(MANY, true);
    if (strcmp(when, "threads") == 0) of_threads();
    if (strcmp(when, "barrier") == 0) barrier(1, BARRIERS, false);
    if (strcmp(when, "first") == 0) barrier(judge++, BARRIERS, false);
    if (strcmp(when, "early") == 0) barrier(1, 0, false);
    if (strcmp(when, "made") == 0) barrier(1, 2, false);
    if (strcmp(when, "owner") == 0) barrier(judge++, 2, true);
    if (strcmp(when, "reduction") == 0) reduction(1);
    if (strcmp(when, "ahead") == 0) ahead();
    if (strcmp(when, "torn") == 0) torn(16 << 10, false, false);
    if (strcmp(when, "torn2") == 0) torn(100 << 10, false, false);
    if (strcmp(when, "typed") == 0) torn(100 << 10, false, true);
    if (strcmp(when, "kept") == 0) torn(16 << 10, true, false);
    if (strcmp(when, "kept2") == 0) torn(100 << 10, true, false);
    if (strcmp(when, "forked") == 0) forked();
    /* The others may still be at it. */
    say(OVER);
    if (rank == judge) {
        for (int other = 0; other < size; other++)
            if (other != (judge ? 0 : 1)) wait_for(other, OVER);
        MPI_Abort(MPI_COMM_WORLD, 42);
    }
    for (;;) pause();
}
