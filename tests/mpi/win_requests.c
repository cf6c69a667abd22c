/* Operations of windows with requests: what completes them, and that types and requests may be freed before. */
#include "check.h"

static int rank, size, to, from;

enum { MANY = 24, LENGTH = 40000 };

static void each_form(MPI_Win win, const long *base)
{
    long value = 5 + rank, old = -1, one = 1;
    int flag = 0;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Rput(&value, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    value = -1;
    OK(MPI_Win_flush(to, win));
    OK(MPI_Rget(&value, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request));
    while (!flag) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(request == MPI_REQUEST_NULL && value == 5 + rank);
    OK(MPI_Raccumulate(&one, 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_SUM, win, &request));
    OK(MPI_Waitany(1, &request, &flag, MPI_STATUS_IGNORE));
    CHECK(flag == 0 && request == MPI_REQUEST_NULL);
    OK(MPI_Rget_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_SUM, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(old == 6 + rank);
    OK(MPI_Win_flush_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    CHECK(base[0] == 7 + from);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Several at once, in any order, small ones and large ones; mixed with others. */
static void many(MPI_Win win, const long *base)
{
    static long in[MANY][LENGTH], out[MANY][LENGTH];
    MPI_Request requests[2 * MANY];
    int flag = 0, index, lengths[MANY];
    for (int n = 0; n < MANY; n++) {
        lengths[n] = n % 4 ? n : LENGTH / MANY;
        for (int k = 0; k < lengths[n]; k++) in[n][k] = 1000000 * n + 10 * k + rank;
        OK(MPI_Rput(in[n], lengths[n], MPI_LONG, to, n * (LENGTH / MANY), lengths[n], MPI_LONG, win, &requests[n]));
    }
    OK(MPI_Isend(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[MANY]));
    OK(MPI_Irecv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[MANY + 1]));
    OK(MPI_Waitall(MANY + 2, requests, MPI_STATUSES_IGNORE));
    memset(in, 0x77, sizeof in);
    OK(MPI_Win_flush(to, win));
    for (int n = 0; n < MANY; n++)
        OK(MPI_Rget(out[n], lengths[n], MPI_LONG, to, n * (LENGTH / MANY), lengths[n], MPI_LONG, win, &requests[n]));
    for (int n = 0; n < MANY / 2; n++) OK(MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE));
    while (!flag) OK(MPI_Testall(MANY, requests, &flag, MPI_STATUSES_IGNORE));
    for (int n = 0; n < MANY; n++) {
        CHECK(requests[n] == MPI_REQUEST_NULL);
        for (int k = 0; k < lengths[n]; k++) CHECK(out[n][k] == 1000000 * n + 10 * k + rank);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    CHECK(base[LENGTH / MANY] == 1000000 + from);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A flush completes them, and the request is still to be waited for. */
static void flushed(MPI_Win win)
{
    long value = 50 + rank, got = 0;
    MPI_Request requests[2];
    OK(MPI_Rput(&value, 1, MPI_LONG, to, 3, 1, MPI_LONG, win, &requests[0]));
    OK(MPI_Win_flush(to, win));
    OK(MPI_Rget(&got, 1, MPI_LONG, to, 3, 1, MPI_LONG, win, &requests[1]));
    OK(MPI_Win_flush_local_all(win));
    CHECK(got == 50 + rank);
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

/* Types are freed while operations go on. */
static void freed_types(MPI_Win win)
{
    enum { ROWS = 200 };
    static long in[ROWS], out[ROWS];
    MPI_Request request;
    MPI_Datatype column, copy;
    OK(MPI_Type_vector(ROWS, 1, 3, MPI_LONG, &column));
    OK(MPI_Type_commit(&column));
    OK(MPI_Type_dup(column, &copy));
    for (int n = 0; n < ROWS; n++) in[n] = 9 * n + rank, out[n] = -1;
    OK(MPI_Rput(in, ROWS, MPI_LONG, to, 1, 1, column, win, &request));
    OK(MPI_Type_free(&column));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush(to, win));
    OK(MPI_Rget(out, ROWS, MPI_LONG, to, 1, 1, copy, win, &request));
    OK(MPI_Type_free(&copy));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int n = 0; n < ROWS; n++) CHECK(out[n] == 9 * n + rank);
}

/* A request that is freed is completed by the next flush; a group of none needs none. */
static void freed_requests(MPI_Win win)
{
    long value = 70 + rank, got = 0;
    MPI_Request request;
    OK(MPI_Rput(&value, 1, MPI_LONG, to, 2, 1, MPI_LONG, win, &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Win_flush(to, win));
    OK(MPI_Rget(&got, 1, MPI_LONG, to, 2, 1, MPI_LONG, win, &request));
    OK(MPI_Request_free(&request));
    OK(MPI_Win_flush(to, win));
    CHECK(got == 70 + rank);
    /* No process, and no elements. */
    OK(MPI_Rput(&value, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Rget(&got, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Raccumulate(&value, 0, MPI_LONG, to, 0, 0, MPI_LONG, MPI_SUM, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Rget_accumulate(&value, 1, MPI_LONG, &got, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, MPI_SUM, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(got == 70 + rank);
}

int main(void)
{
    begin(&rank, &size);
    to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int way = 0; way < 2; way++) {
        long *base;
        MPI_Win win;
        MPI_Aint bytes = (MPI_Aint)sizeof(long) * LENGTH;
        if (way == 0) {
            OK(MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        } else {
            base = calloc(1, (size_t)bytes);
            CHECK(base != NULL);
            OK(MPI_Win_create(base, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        }
        OK(MPI_Win_lock_all(0, win));
        memset(base, 0, (size_t)bytes);
        OK(MPI_Win_sync(win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        each_form(win, base);
        many(win, base);
        flushed(win);
        freed_types(win);
        freed_requests(win);
        OK(MPI_Win_unlock_all(win));
        OK(MPI_Win_free(&win));
        if (way == 1) free(base);
    }
    MPI_Finalize();
    return 0;
}
