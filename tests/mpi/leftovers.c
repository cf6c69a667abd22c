/* MPI_Finalize with something left over: messages that are not received, requests that are not completed
   or frees, objects that are not freed, messages that are in a buffer. The argument says what. */
#include "check.h"

enum { LARGE_ONE = 500000 };

static int data[LARGE_ONE], rank, size, next, previous;

static void leave(const char *what)
{
    MPI_Request requests[5];
    MPI_Comm comm;
    MPI_Info info;
    MPI_Group group;
    MPI_Errhandler handler;
    int key;
    if (strcmp(what, "eager") == 0) {
        for (int i = 0; i < 1000 && size > 1; i++)
            OK(MPI_Isend(data, 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[0]));
    } else if (strcmp(what, "receive") == 0) {
        OK(MPI_Irecv(data, 10, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]));
    } else if (strcmp(what, "cancelled") == 0) {
        OK(MPI_Irecv(data, 10, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Cancel(&requests[0]));
        OK(MPI_Request_free(&requests[0]));
    } else if (strcmp(what, "objects") == 0) {
        for (int i = 0; i < 20; i++)
            OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
        OK(MPI_Comm_set_attr(comm, key, data));
        OK(MPI_Info_create(&info));
        OK(MPI_Comm_group(comm, &group));
        OK(MPI_Comm_get_errhandler(comm, &handler));
    } else if (strcmp(what, "buffered") == 0) {
        /* The end waits until the message is where it belongs. */
        static char buffer[LARGE_ONE * sizeof(int) + MPI_BSEND_OVERHEAD];
        OK(MPI_Buffer_attach(buffer, sizeof buffer));
        if (rank == 0)
            OK(MPI_Bsend(data, LARGE_ONE, MPI_INT, next, 3, MPI_COMM_WORLD));
        if (rank == 1 % size)
            OK(MPI_Recv(data, LARGE_ONE, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else if (strcmp(what, "freed") == 0) {
        OK(MPI_Isend(data, LARGE_ONE, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Recv(data, LARGE_ONE, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        CHECK(strcmp(what, "persistent") == 0);
        OK(MPI_Send_init(data, 10, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Recv_init(data, 10, MPI_INT, previous, 3, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Bsend_init(data, 10, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[2]));
        OK(MPI_Psend_init(data, 2, 5, MPI_INT, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &requests[3]));
        OK(MPI_Precv_init(data, 2, 5, MPI_INT, previous, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &requests[4]));
    }
}

int main(int argc, char **argv)
{
    begin(&rank, &size);
    next = (rank + 1) % size, previous = (rank + size - 1) % size;
    CHECK(argc == 2);
    leave(argv[1]);
    OK(MPI_Finalize());
    return 0;
}
