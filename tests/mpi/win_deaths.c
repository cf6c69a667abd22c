/* Rank 1 of three or more is killed in the middle of an epoch, and the launcher lets the others go on: what they wait
   for ends with an error. Rank 0 ends the job with 42. The argument says where rank 1 dies:

   lock      it holds an exclusive lock of the memory of rank 0, which the others want
   target    the others want a lock of its memory, exclusive and shared, and operate on it, which must end
   fence     the others are in the fence that ends the epoch
   start     the others wait for its post, or have operations on its memory to complete
   wait      the others have posted, and wait for it to complete */
#include "check.h"

#include <signal.h>

enum { TAG = 4, DONE = 5 };

static int rank, size;
static MPI_Win win;

static void die(void)
{
    raise(SIGKILL);
}

/* When rank 1 says so, and then is gone. */
static void when_told(void)
{
    OK(MPI_Recv(NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_PROC_ABORTED, MPI_Recv(NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void tell_and_die(void)
{
    for (int r = 0; r < size; r++)
        if (r != 1) OK(MPI_Ssend(NULL, 0, MPI_INT, r, TAG, MPI_COMM_WORLD));
    die();
}

/* The first error of an epoch, which may come late: its class. */
static int first_error(int one, int other, int last)
{
    int code = one != MPI_SUCCESS ? one : other != MPI_SUCCESS ? other : last;
    return code == MPI_SUCCESS ? MPI_SUCCESS : class_of(code);
}

static int locked(int kind, int target)
{
    long value = rank;
    int code = MPI_Win_lock(kind, target, 0, win), put = MPI_SUCCESS, unlock = MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        put = MPI_Put(&value, 1, MPI_LONG, target, rank, 1, MPI_LONG, win);
        unlock = MPI_Win_unlock(target, win);
    }
    return first_error(code, put, unlock);
}

static MPI_Group only(int member)
{
    MPI_Group all, group;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, 1, &member, &group));
    OK(MPI_Group_free(&all));
    return group;
}

static void lock(void)
{
    if (rank == 1) {
        long value = 1;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Put(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
        OK(MPI_Win_flush(0, win));
        tell_and_die();
    }
    when_told();
    CHECK(locked(MPI_LOCK_EXCLUSIVE, 0) == MPI_ERR_PROC_ABORTED);
}

static void target(void)
{
    if (rank == 1) tell_and_die();
    when_told();
    /* Memory that processes share outlives its owner. */
    for (int kind = 0; kind < 2; kind++) {
        int error = locked(kind ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 1);
        CHECK(error == MPI_SUCCESS || error == MPI_ERR_PROC_ABORTED);
    }
    /* The others are there for each other. */
    CHECK(locked(MPI_LOCK_EXCLUSIVE, 0) == MPI_SUCCESS);
}

static void fence(void)
{
    long value = rank;
    /* Rank 1 may be gone when others still are in the first one. */
    int first = MPI_Win_fence(0, win), put = MPI_SUCCESS, second = MPI_SUCCESS;
    if (first == MPI_SUCCESS) put = MPI_Put(&value, 1, MPI_LONG, (rank + 1) % size, rank, 1, MPI_LONG, win);
    if (rank == 1) die();
    if (first == MPI_SUCCESS) second = MPI_Win_fence(0, win);
    CHECK(first_error(first, put, second) == MPI_ERR_PROC_ABORTED);
}

static void start(void)
{
    long value = rank;
    MPI_Group group = only(1);
    if (rank == 1) die();
    int code = MPI_Win_start(group, 0, win), put = MPI_SUCCESS, complete = MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        put = MPI_Put(&value, 1, MPI_LONG, 1, rank, 1, MPI_LONG, win);
        complete = MPI_Win_complete(win);
    }
    CHECK(first_error(code, put, complete) == MPI_ERR_PROC_ABORTED);
    OK(MPI_Group_free(&group));
}

static void wait_for_origin(void)
{
    MPI_Group group = only(1);
    if (rank == 1) {
        MPI_Group zero = only(0);
        OK(MPI_Win_start(zero, 0, win));
        die();
    }
    OK(MPI_Win_post(group, 0, win));
    if (rank == 0) {
        FAILS(MPI_ERR_PROC_ABORTED, MPI_Win_wait(win));
    } else {
        int flag = 0, code = MPI_SUCCESS;
        while (code == MPI_SUCCESS) {
            code = MPI_Win_test(win, &flag);
            CHECK(code != MPI_SUCCESS || !flag);
        }
        CHECK(class_of(code) == MPI_ERR_PROC_ABORTED);
    }
    OK(MPI_Group_free(&group));
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } moments[] = { { "lock", lock }, { "target", target }, { "fence", fence }, { "start", start },
                    { "wait", wait_for_origin } };
    long *base;
    begin(&rank, &size);
    CHECK(size >= 3 && count == 2);
    OK(MPI_Win_allocate((MPI_Aint)sizeof(long) * size, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (size_t n = 0; n < sizeof moments / sizeof *moments; n++)
        if (strcmp(arguments[1], moments[n].name) == 0) moments[n].function();
    if (rank == 0) {
        for (int r = 2; r < size; r++) OK(MPI_Recv(NULL, 0, MPI_INT, r, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        MPI_Abort(MPI_COMM_WORLD, 42);
    }
    OK(MPI_Send(NULL, 0, MPI_INT, 0, DONE, MPI_COMM_WORLD));
    /* Until rank 0 ends the job. */
    MPI_Recv(NULL, 0, MPI_INT, 0, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 1;
}
