/* An error that ends the job: by the handler that communicators have, or by the one that the argument
   names. The program that says "return" goes on, and fails with 7. */
#include "check.h"

int main(int argc, char **argv)
{
    const char *handler = argc > 1 ? argv[1] : "";
    MPI_Init(NULL, NULL);
    if (strcmp(handler, "abort") == 0)
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT));
    if (strcmp(handler, "return") == 0)
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    printf("printed before\n");
    MPI_Send(NULL, 0, MPI_INT, -77, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 7;
}
