/* Buffered sends: to the next process of a ring, which is this one in a job of one. */
#include "check.h"

enum { NUMBERS = 1000 };

static int rank, size, next, previous;

static void receive(MPI_Comm comm, int tag, int value)
{
    int numbers[NUMBERS], n;
    Count count;
    MPI_Status status;
    OK(MPI_Recv(numbers, NUMBERS, MPI_INT, previous, tag, comm, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == NUMBERS && status.MPI_SOURCE == previous && status.MPI_TAG == tag);
    for (n = 0; n < NUMBERS; n++)
        CHECK(numbers[n] == value + n);
}

static void send(MPI_Comm comm, int tag, int value)
{
    int numbers[NUMBERS], n;
    for (n = 0; n < NUMBERS; n++)
        numbers[n] = value + n;
    OK(MPI_Bsend(numbers, NUMBERS, MPI_INT, next, tag, comm));
    /* The program's own buffer is free. */
    memset(numbers, 0xff, sizeof numbers);
}

static Count room_for(int messages)
{
    Count bytes;
    OK(MPI_Pack_size(NUMBERS, MPI_INT, MPI_COMM_WORLD, &bytes));
    return messages * (bytes + MPI_BSEND_OVERHEAD);
}

static void several_at_once(void)
{
    Count bytes = room_for(3), found = -1;
    int n;
    void *address = NULL, *buffer = malloc((size_t) bytes);
    OK(MPI_Buffer_attach(buffer, bytes));
    FAILS(MPI_ERR_BUFFER, MPI_Buffer_attach(buffer, bytes));
    for (n = 0; n < 3; n++)
        send(MPI_COMM_WORLD, n, 100 * n);
    /* In another order than they were sent. */
    for (n = 2; n >= 0; n--)
        receive(MPI_COMM_WORLD, n, 100 * n);
    OK(MPI_Buffer_flush());
    /* All the room is there again. */
    for (n = 0; n < 3; n++)
        send(MPI_COMM_WORLD, n, n);
    for (n = 0; n < 3; n++)
        receive(MPI_COMM_WORLD, n, n);
    OK(MPI_Buffer_detach(&address, &found));
    CHECK(address == buffer && found == bytes);
    FAILS(MPI_ERR_BUFFER, MPI_Buffer_detach(&address, &found));
    free(buffer);
}

static void no_room(void)
{
    int numbers[NUMBERS] = {0};
    Count bytes = room_for(1) - 1, found;
    char *buffer = malloc((size_t) bytes);
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(numbers, 1, MPI_INT, next, 0, MPI_COMM_WORLD));
    OK(MPI_Bsend(numbers, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    OK(MPI_Buffer_attach(buffer, bytes));
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(numbers, NUMBERS, MPI_INT, next, 0, MPI_COMM_WORLD));
    OK(MPI_Buffer_detach(&buffer, &found));
    free(buffer);
}

static void a_buffer_of_a_communicator(void)
{
    Count bytes = room_for(1), found;
    char *buffer = malloc((size_t) bytes), *own;
    MPI_Comm comm;
    MPI_Request request;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_attach_buffer(comm, buffer, bytes));
    send(comm, 4, 40);
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(buffer, 0, MPI_INT, next, 4, MPI_COMM_WORLD));
    OK(MPI_Comm_iflush_buffer(comm, &request));
    receive(comm, 4, 40);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    send(comm, 5, 50);
    receive(comm, 5, 50);
    OK(MPI_Comm_flush_buffer(comm));
    OK(MPI_Comm_detach_buffer(comm, &own, &found));
    CHECK(own == buffer && found == bytes);
    OK(MPI_Comm_free(&comm));
    free(buffer);
}

static void persistent_and_immediate(void)
{
    int value = 0, got = -1, n;
    Count found;
    char *buffer = malloc(4096);
    MPI_Request request;
    OK(MPI_Buffer_attach(buffer, 4096));
    OK(MPI_Bsend_init(&value, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &request));
    for (n = 1; n < 20; n++) {
        value = n;
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        value = -1;
        OK(MPI_Recv(&got, 1, MPI_INT, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got == n);
    }
    OK(MPI_Request_free(&request));
    value = 77;
    OK(MPI_Ibsend(&value, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &request));
    value = -1;
    OK(MPI_Recv(&got, 1, MPI_INT, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(got == 77);
    OK(MPI_Buffer_detach(&buffer, &found));
    free(buffer);
}

/* So long that a message stays in the buffer until the receiver takes it. */
static void long_messages(void)
{
    enum { LONG = 1 << 20 };
    const size_t bytes = 2 * (LONG + MPI_BSEND_OVERHEAD);
    char *message = malloc(LONG), *got = malloc(LONG), *buffer = malloc(bytes), *own;
    int n;
    Count found;
    MPI_Request requests[2];
    OK(MPI_Buffer_attach(buffer, (Count) bytes));
    for (n = 0; n < 6; n++) {
        memset(message, n + rank, LONG);
        memset(got, 0, LONG);
        OK(MPI_Bsend(message, LONG, MPI_BYTE, next, n, MPI_COMM_WORLD));
        memset(message, 0xff, LONG);
        OK(MPI_Buffer_iflush(&requests[0]));
        OK(MPI_Buffer_iflush(&requests[1]));
        if (n == 3)
            OK(MPI_Request_free(&requests[1]));
        OK(MPI_Recv(got, LONG, MPI_BYTE, previous, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got[0] == n + previous && memcmp(got, got + 1, LONG - 1) == 0);
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    OK(MPI_Buffer_detach(&own, &found));
    CHECK(own == buffer && found == (Count) bytes);
    free(message);
    free(got);
    free(buffer);
}

static void an_automatic_buffer(void)
{
    int n;
    Count found = -1;
    void *address = NULL;
    OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    for (n = 0; n < 20; n++)
        send(MPI_COMM_WORLD, 8, n);
    for (n = 0; n < 20; n++)
        receive(MPI_COMM_WORLD, 8, n);
    OK(MPI_Buffer_detach(&address, &found));
    CHECK(address == MPI_BUFFER_AUTOMATIC);
}

int main(void)
{
    static char last[8192];
    MPI_Request request;
    static int got[NUMBERS];
    begin(&rank, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    several_at_once();
    no_room();
    a_buffer_of_a_communicator();
    persistent_and_immediate();
    long_messages();
    an_automatic_buffer();
    /* MPI_Finalize lets no message be lost. */
    OK(MPI_Irecv(got, NUMBERS, MPI_INT, previous, 9, MPI_COMM_WORLD, &request));
    OK(MPI_Buffer_attach(last, sizeof last));
    send(MPI_COMM_WORLD, 9, 900);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(got[0] == 900 && got[NUMBERS - 1] == 900 + NUMBERS - 1);
    OK(MPI_Finalize());
    return 0;
}
