/* Rank 1 of three or more is killed while the others do something with it, again and again. They go on until a
   call says that it is gone, and none waits for ever; then rank 0 ends the job with 42. The arguments say what
   they do, and after how many milliseconds rank 1 is killed:

   send     they send to it, and it receives
   receive  they receive from it
   large    they exchange messages with it that are too long to go at once
   window   they access its memory, and flush

   close    rank 1 has stopped, and is killed when the others have nothing to do any more but to close their
            transports, in which messages to it may still lie. They end with 0 */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>
#include <unistd.h>

enum { SMALL = 64, LARGE_COUNT = 2000000, WORDS = 16384, FEW = 5, PLACES = 64, TAG = 1, NEVER = 2, OVER = 3 };

static char in[LARGE_COUNT], out[LARGE_COUNT];
static long local[WORDS];
static int rank, size;
static MPI_Win win;

static void expire(int number)
{
    (void)number;
    raise(SIGKILL);
}

static void die_in(long milliseconds)
{
    struct itimerval when = { .it_value = { .tv_usec = milliseconds * 1000 } };
    signal(SIGALRM, expire);
    if (milliseconds == 0) raise(SIGKILL);
    CHECK(setitimer(ITIMER_REAL, &when, NULL) == 0);
}

/* What rank 1 does until it is killed, with every other one in turn. */
static void suffers(const char *what, int other)
{
    if (strcmp(what, "send") == 0)
        OK(MPI_Recv(in, SMALL, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else if (strcmp(what, "receive") == 0)
        OK(MPI_Send(out, SMALL, MPI_CHAR, other, TAG, MPI_COMM_WORLD));
    else if (strcmp(what, "large") == 0)
        OK(MPI_Sendrecv(out, LARGE_COUNT, MPI_CHAR, other, TAG, in, LARGE_COUNT, MPI_CHAR, other, TAG,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else
        OK(MPI_Recv(in, SMALL, MPI_CHAR, 0, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static int accesses(int count)
{
    long found;
    int code = MPI_Put(local, count, MPI_LONG, 1, 0, count, MPI_LONG, win);
    if (code == MPI_SUCCESS) code = MPI_Win_flush(1, win);
    if (code == MPI_SUCCESS) code = MPI_Get(local, count, MPI_LONG, 1, 0, count, MPI_LONG, win);
    if (code == MPI_SUCCESS) code = MPI_Fetch_and_op(local, &found, MPI_LONG, 1, 0, MPI_SUM, win);
    if (code == MPI_SUCCESS) code = MPI_Win_flush_all(win);
    return code;
}

/* What the others do, again and again. */
static int does(const char *what, int round)
{
    if (strcmp(what, "send") == 0)
        return MPI_Send(out, SMALL, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
    if (strcmp(what, "receive") == 0)
        return MPI_Recv(in, SMALL, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(what, "large") == 0)
        return MPI_Sendrecv(out, LARGE_COUNT, MPI_CHAR, 1, TAG, in, LARGE_COUNT, MPI_CHAR, 1, TAG,
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return accesses(round % 2 ? 1 : WORDS);
}

/* Says a line to the process manager, and waits for its answer. */
static bool says(int manager, const char *line)
{
    char answer = 0;
    bool said = write(manager, line, strlen(line)) == (ssize_t)strlen(line);
    while (said && answer != '\n') said = read(manager, &answer, 1) == 1;
    return said;
}

/* A child of rank 1 does for it what the process manager waits for. */
static void stand_in(pid_t parent, long milliseconds)
{
    int manager = atoi(getenv("PMI_FD"));
    bool said = says(manager, "cmd=barrier_in\n");
    usleep(milliseconds * 1000);
    said = said && says(manager, "cmd=finalize\n");
    kill(parent, SIGKILL);
    _exit(said ? 0 : 1);
}

static int closes(long milliseconds)
{
    pid_t parent = getpid();
    if (rank == 1) {
        if (fork() == 0) stand_in(parent, milliseconds);
        raise(SIGSTOP);
        return 1;
    }
    /* The queues of UCX through shared memory have 64 places, one of which the greeting takes. So there is no
       room for those of rank 2, which then wait in the transport. */
    if (rank != 0) OK(MPI_Recv(NULL, 0, MPI_INT, 0, OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < (rank ? FEW : PLACES - 1); i++)
        OK(MPI_Send(out, SMALL, MPI_CHAR, 1, TAG, MPI_COMM_WORLD));
    for (int other = 2; rank == 0 && other < size; other++)
        OK(MPI_Send(NULL, 0, MPI_INT, other, OVER, MPI_COMM_WORLD));
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    int code = MPI_SUCCESS;
    CHECK(argc == 3);
    const char *what = argv[1];
    begin(&rank, &size);
    if (strcmp(what, "window") == 0) {
        static long memory[WORDS];
        OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        OK(MPI_Win_lock_all(0, win));
        /* What the others need of rank 1 for that must not die with it. */
        for (int other = 0; rank == 1 && other < size - 1; other++)
            OK(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (rank != 1) OK(MPI_Send(NULL, 0, MPI_INT, 1, OVER, MPI_COMM_WORLD));
    }
    if (strcmp(what, "close") == 0) return closes(atol(argv[2]));
    if (rank == 1) {
        die_in(atol(argv[2]));
        for (;;)
            for (int other = 0; other < size; other++)
                if (other != 1) suffers(what, other);
    }
    for (int round = 0; code == MPI_SUCCESS; round++) code = does(what, round);
    CHECK(class_of(code) == MPI_ERR_PROC_ABORTED);
    if (rank != 0) {
        OK(MPI_Send(NULL, 0, MPI_INT, 0, OVER, MPI_COMM_WORLD));
        /* Until rank 0 ends the job. */
        MPI_Recv(in, SMALL, MPI_CHAR, 0, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return 1;
    }
    for (int other = 2; other < size; other++)
        OK(MPI_Recv(NULL, 0, MPI_INT, other, OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_Abort(MPI_COMM_WORLD, 42);
    return 1;
}
