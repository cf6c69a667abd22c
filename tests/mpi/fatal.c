/* An error that ends the job: by the handler that communicators have, or by the one that the first
   argument names. The program that says "return" goes on, and fails with 7. The second argument says
   which error, the third which rank makes it. */
#include "check.h"

static void fail(const char *which)
{
    int value[2] = { 0, 0 }, out[2];
    MPI_Comm comm;
    MPI_Request request, two[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Group group;
    if (strcmp(which, "rank") == 0)
        MPI_Send(NULL, 0, MPI_INT, -77, 0, MPI_COMM_WORLD);
    else if (strcmp(which, "tag") == 0)
        MPI_Send(NULL, 0, MPI_INT, 0, -5, MPI_COMM_WORLD);
    else if (strcmp(which, "type") == 0)
        MPI_Send(value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    else if (strcmp(which, "root") == 0)
        MPI_Reduce(value, out, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_SELF);
    else if (strcmp(which, "handle") == 0)
        MPI_Barrier((MPI_Comm)77);
    else if (strcmp(which, "pointer") == 0)
        MPI_Comm_size(MPI_COMM_WORLD, NULL);
    else if (strcmp(which, "count") == 0)
        MPI_Bcast(value, -3, MPI_INT, 0, MPI_COMM_SELF);
    else if (strcmp(which, "operation") == 0)
        MPI_Allreduce(value, out, 1, MPI_FLOAT, MPI_BXOR, MPI_COMM_SELF);
    else if (strcmp(which, "group") == 0)
        MPI_Group_union(MPI_GROUP_NULL, MPI_GROUP_EMPTY, &group);
    else if (strcmp(which, "null") == 0)
        MPI_Recv(NULL, 4, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    else if (strcmp(which, "info") == 0)
        MPI_Info_get_nkeys(MPI_INFO_NULL, out);
    else if (strcmp(which, "truncated") == 0) {
        MPI_Isend(value, 2, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
        MPI_Recv(out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    } else if (strcmp(which, "waitall") == 0) {
        MPI_Irecv(out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &two[1]);
        MPI_Send(value, 2, MPI_INT, 0, 5, MPI_COMM_SELF);
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    } else if (strcmp(which, "freed") == 0) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm copy = comm;
        MPI_Comm_free(&comm);
        MPI_Comm_free(&copy);
    } else if (strcmp(which, "freed request") == 0) {
        MPI_Recv_init(out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
        MPI_Request copy = request;
        MPI_Request_free(&request);
        MPI_Request_free(&copy);
    } else if (strcmp(which, "unsupported") == 0) {
        char port[MPI_MAX_PORT_NAME];
        MPI_Open_port(MPI_INFO_NULL, port);
    } else if (strcmp(which, "again") == 0)
        MPI_Init(NULL, NULL);
}

int main(int argc, char **argv)
{
    const char *handler = argc > 1 ? argv[1] : "", *which = argc > 2 ? argv[2] : "rank";
    int rank, value = 0, who = argc > 3 ? atoi(argv[3]) : -1;
    MPI_Comm comms[2] = { MPI_COMM_WORLD, MPI_COMM_SELF };
    MPI_Init(NULL, NULL);
    printf("printed before\n");
    for (int n = 0; n < 2; n++) {
        if (strcmp(handler, "abort") == 0)
            OK(MPI_Comm_set_errhandler(comms[n], MPI_ERRORS_ABORT));
        if (strcmp(handler, "return") == 0)
            OK(MPI_Comm_set_errhandler(comms[n], MPI_ERRORS_RETURN));
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (who < 0 || who == rank)
        fail(which);
    else
        /* Waits for who does not come. */
        MPI_Recv(&value, 1, MPI_INT, who, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 7;
}
