/* MPI_Comm_free does not wait for other processes, and what was begun on a communicator goes on
   (MPI 5.0, section 7.4.3). */
#include "check.h"

static int rank, size;

enum { LARGE = 200000 };

static char out[LARGE], in[LARGE];

static void fill(char *data, int number)
{
    for (int i = 0; i < LARGE; i++)
        data[i] = (char)(i * 7 + number);
}

static void check(const char *data, int number)
{
    for (int i = 0; i < LARGE; i++)
        CHECK(data[i] == (char)(i * 7 + number));
}

static MPI_Comm duplicate(MPI_Comm comm)
{
    MPI_Comm new;
    OK(MPI_Comm_dup(comm, &new));
    return new;
}

static void free_it(MPI_Comm *comm)
{
    OK(MPI_Comm_free(comm));
    CHECK(*comm == MPI_COMM_NULL);
}

/* One process frees it before a barrier on another communicator, the others after. */
static void free_before_a_barrier(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    MPI_Request request = MPI_REQUEST_NULL;
    int value = -1, next = (rank + 1) % size, last = (rank + size - 1) % size;
    OK(MPI_Irecv(&value, 1, MPI_INT, last, 1, comm, &request));
    if (rank == 0)
        free_it(&comm);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank != 0) {
        OK(MPI_Send(&rank, 1, MPI_INT, next, 1, comm));
        free_it(&comm);
    }
    /* Rank 0 has no communicator to send on any more. */
    if (rank == 1 % size)
        OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(rank == 1 % size || value == last);
}

/* Duplicates that overlap and are freed in different orders. */
static void free_in_any_order(void)
{
    MPI_Comm comms[4];
    MPI_Request requests[4];
    for (int round = 0; round < 20; round++) {
        for (int n = 0; n < 4; n++)
            OK(MPI_Comm_idup(MPI_COMM_WORLD, &comms[n], &requests[n]));
        for (int n = 0; n < 4; n++) {
            int which = (n + rank) % 4;
            OK(MPI_Wait(&requests[which], MPI_STATUS_IGNORE));
        }
        for (int n = 0; n < 4; n++)
            free_it(&comms[(n * 3 + rank) % 4]);
    }
}

/* A parent is freed while it is being duplicated. */
static void free_a_parent(void)
{
    MPI_Comm parent = duplicate(MPI_COMM_WORLD), child;
    MPI_Request request;
    OK(MPI_Comm_idup(parent, &child, &request));
    free_it(&parent);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    int sum = -1;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, child));
    CHECK(sum == size * (size - 1) / 2);
    free_it(&child);
}

/* Messages of all sizes, receives and collectives under way. */
static void operations_go_on(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, got[2] = { -1, -1 }, sum = -1;
    MPI_Request requests[7];
    fill(out, rank);
    OK(MPI_Irecv(in, LARGE, MPI_CHAR, last, 1, comm, &requests[0]));
    OK(MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[1]));
    OK(MPI_Irecv(&got[1], 1, MPI_INT, last, 3, comm, &requests[2]));
    OK(MPI_Isend(out, LARGE, MPI_CHAR, next, 1, comm, &requests[3]));
    OK(MPI_Isend(&rank, 1, MPI_INT, next, 2, comm, &requests[4]));
    OK(MPI_Issend(&rank, 1, MPI_INT, next, 3, comm, &requests[5]));
    OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[6]));
    free_it(&comm);
    OK(MPI_Waitall(7, requests, MPI_STATUSES_IGNORE));
    check(in, last);
    CHECK(got[0] == last && got[1] == last && sum == size * (size - 1) / 2);
}

/* Requests that are freed, too, before they are complete. */
static void freed_requests_go_on(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, token = 0;
    MPI_Request request;
    fill(out, rank);
    memset(in, 0, sizeof in);
    OK(MPI_Irecv(in, LARGE, MPI_CHAR, last, 1, comm, &request));
    OK(MPI_Request_free(&request));
    OK(MPI_Isend(out, LARGE, MPI_CHAR, next, 1, comm, &request));
    free_it(&comm);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    /* What was sent before on another communicator says nothing of this one, so wait for the data. */
    for (volatile char *seen = in; seen[LARGE - 1] != (char)((LARGE - 1) * 7 + last);)
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &token, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check(in, last);
}

/* Persistent requests, active or not, start again and again. */
static void persistent_requests_go_on(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, value = -1, got = -1, sum = -1;
    MPI_Request requests[3];
    MPI_Info info = MPI_INFO_NULL;
    OK(MPI_Recv_init(&got, 1, MPI_INT, last, 4, comm, &requests[0]));
    OK(MPI_Send_init(&value, 1, MPI_INT, next, 4, comm, &requests[1]));
    OK(MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, comm, info, &requests[2]));
    for (int round = 0; round < 5; round++) {
        value = 100 * round + rank;
        OK(MPI_Startall(3, requests));
        if (round == 2)
            free_it(&comm);
        OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        CHECK(got == 100 * round + last);
        CHECK(sum == 100 * round * size + size * (size - 1) / 2);
    }
    for (int n = 0; n < 3; n++)
        OK(MPI_Request_free(&requests[n]));
}

/* Partitions become ready after the end. */
static void partitions_go_on(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, value[4], got[4];
    MPI_Request requests[2];
    OK(MPI_Psend_init(value, 4, 1, MPI_INT, next, 5, comm, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(got, 2, 2, MPI_INT, last, 5, comm, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 4; round++) {
        if (round == 1)
            free_it(&comm);
        OK(MPI_Startall(2, requests));
        if (round == 2) /* Already freed: a communicator of the same maker comes and goes. */
            for (int n = 0; n < 5; n++) {
                MPI_Comm other = duplicate(MPI_COMM_WORLD);
                free_it(&other);
            }
        for (int part = 3; part >= 0; part--) {
            value[part] = 1000 * round + 10 * rank + part;
            OK(MPI_Pready(part, requests[0]));
        }
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int part = 0; part < 4; part++)
            CHECK(got[part] == 1000 * round + 10 * last + part);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* A message that was matched by a probe is received after the end. */
static void matched_messages_stay(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    fill(out, rank);
    OK(MPI_Isend(out, LARGE, MPI_CHAR, next, 6, comm, &request));
    OK(MPI_Mprobe(last, 6, comm, &message, &status));
    free_it(&comm);
    OK(MPI_Mrecv(in, LARGE, MPI_CHAR, &message, &status));
    check(in, last);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Messages that are never received, of communicators that are freed at different times. */
static void leftovers_are_dropped(void)
{
    for (int round = 0; round < 50; round++) {
        MPI_Comm comm = duplicate(MPI_COMM_WORLD);
        for (int n = 0; n < 3; n++)
            OK(MPI_Send(&n, 1, MPI_INT, (rank + 1) % size, n, comm));
        if (round % 2 == rank % 2)
            OK(MPI_Barrier(MPI_COMM_WORLD));
        free_it(&comm);
        if (round % 2 != rank % 2)
            OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* After the end of a collective a process may go on while others are in the middle of it. */
static void collectives_end(void)
{
    for (int round = 0; round < 100; round++) {
        MPI_Comm comm = duplicate(MPI_COMM_WORLD);
        int value = rank == round % size ? round : -1, all = -1;
        OK(MPI_Bcast(&value, 1, MPI_INT, round % size, comm));
        OK(MPI_Reduce(&value, &all, 1, MPI_INT, MPI_SUM, (round + 1) % size, comm));
        for (int n = 0; n < round % 7; n++)
            OK(MPI_Barrier(comm));
        CHECK(value == round);
        CHECK(rank != (round + 1) % size || all == round * size);
        free_it(&comm);
    }
}

/* Disconnecting waits until everything is complete, also where the program has no request, or has not
   asked for it. */
static void disconnect(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, sum = -1, flag = -1;
    int parts[2] = { -1, -1 }, ready[2] = { rank, rank + 1000 };
    MPI_Request requests[7], inactive[2];
    fill(out, rank);
    memset(in, 0, sizeof in);
    OK(MPI_Irecv(in, LARGE, MPI_CHAR, last, 1, comm, &requests[0]));
    OK(MPI_Isend(out, LARGE, MPI_CHAR, next, 1, comm, &requests[1]));
    OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]));
    OK(MPI_Ibarrier(comm, &requests[3]));
    OK(MPI_Issend(&rank, 0, MPI_INT, rank, 2, comm, &requests[4]));
    OK(MPI_Recv(NULL, 0, MPI_INT, rank, 2, comm, MPI_STATUS_IGNORE));
    OK(MPI_Send_init(&rank, 1, MPI_INT, next, 4, comm, &inactive[0]));
    /* Nothing is ever sent to it. */
    OK(MPI_Precv_init(parts, 1, 1, MPI_INT, last, 5, comm, MPI_INFO_NULL, &inactive[1]));
    OK(MPI_Precv_init(parts, 2, 1, MPI_INT, last, 6, comm, MPI_INFO_NULL, &requests[5]));
    OK(MPI_Psend_init(ready, 2, 1, MPI_INT, next, 6, comm, MPI_INFO_NULL, &requests[6]));
    OK(MPI_Startall(2, &requests[5]));
    OK(MPI_Pready_range(0, 1, requests[6]));
    OK(MPI_Comm_disconnect(&comm));
    CHECK(comm == MPI_COMM_NULL);
    check(in, last);
    CHECK(sum == size * (size - 1) / 2);
    CHECK(parts[0] == last && parts[1] == last + 1000);
    OK(MPI_Testall(7, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK(flag);
    for (int n = 0; n < 2; n++) {
        OK(MPI_Request_free(&inactive[n]));
        OK(MPI_Request_free(&requests[5 + n]));
    }
    /* What is under way on a predefined one does not hide that it can't be freed. */
    comm = MPI_COMM_WORLD;
    OK(MPI_Irecv(parts, 1, MPI_INT, last, 7, comm, &requests[0]));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK(MPI_Comm_disconnect(&comm) == MPI_ERR_COMM);
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Send(&rank, 1, MPI_INT, next, 7, comm));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

/* Errors of what goes on go to the handler that the communicator had. */
static void errors_of_freed_ones(void)
{
    MPI_Comm comm = duplicate(MPI_COMM_WORLD);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, one[3], two[2] = { 1, 2 };
    MPI_Request requests[5];
    MPI_Message message;
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Irecv(&one[0], 1, MPI_INT, last, 1, comm, &requests[0]));
    OK(MPI_Precv_init(&one[1], 1, 1, MPI_INT, last, 3, comm, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Psend_init(two, 1, 2, MPI_INT, next, 3, comm, MPI_INFO_NULL, &requests[2]));
    OK(MPI_Startall(2, &requests[1]));
    OK(MPI_Isend(two, 2, MPI_INT, next, 1, comm, &requests[3]));
    OK(MPI_Isend(two, 2, MPI_INT, next, 2, comm, &requests[4]));
    OK(MPI_Mprobe(last, 2, comm, &message, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Pready(0, requests[2]));
    CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
    CHECK(MPI_Mrecv(&one[2], 1, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
    CHECK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
    OK(MPI_Waitall(3, &requests[2], MPI_STATUSES_IGNORE));
    OK(MPI_Request_free(&requests[1]));
    OK(MPI_Request_free(&requests[2]));
}

int main(void)
{
    begin(&rank, &size);
    free_before_a_barrier();
    free_in_any_order();
    free_a_parent();
    operations_go_on();
    freed_requests_go_on();
    persistent_requests_go_on();
    partitions_go_on();
    matched_messages_stay();
    leftovers_are_dropped();
    collectives_end();
    disconnect();
    errors_of_freed_ones();
    return MPI_Finalize();
}
