/* What the MPI programs of the tests share. They print nothing and return 0 when all is right. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the job and names the line if something is not true. */
#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 99);                                            \
        }                                                                             \
    } while (0)

/* A call that succeeds. */
#define OK(call) CHECK((call) == MPI_SUCCESS)

/* A call that fails with an error of this class, while errors are returned. */
#define FAILS(class, call) CHECK(class_of(call) == (class))

static inline int class_of(int code)
{
    int class_ = -1;
    MPI_Error_class(code, &class_);
    return class_;
}

/* MPI, with errors that are returned, and who this process is. */
static inline void begin(int *rank, int *size)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

#endif
