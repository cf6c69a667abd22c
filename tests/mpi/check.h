/* What the MPI programs of the tests share. They print nothing and return 0 when all is right. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Programs that use these types for counts, displacements and sizes are built twice: as they are, and
   with -DLARGE, which makes MPI_X_c of each MPI_X that has a large-count form. The list of those is
   made from mpi/abi/functions.txt. */
#ifdef LARGE
#include "large.h"
typedef MPI_Count Count;
typedef MPI_Aint Displ;
typedef MPI_Count Extent;
#else
typedef int Count;
typedef int Displ;
typedef MPI_Aint Extent;
#endif

/* Programs that may have no job to end define this before. */
#ifndef CHECK_FAILED
#define CHECK_FAILED() MPI_Abort(MPI_COMM_WORLD, 99)
#endif

/* Ends the job and names the line if something is not true. */
#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            CHECK_FAILED();                                                           \
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

/* The level of thread support that the environment asks for. */
static inline int wanted_level(void)
{
    static const char *const names[] = { "single", "funneled", "serialized", "multiple" };
    static const int levels[] = { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                  MPI_THREAD_MULTIPLE };
    const char *name = getenv("TEST_THREAD_LEVEL");
    for (int n = 0; name && n < 4; n++)
        if (strcmp(name, names[n]) == 0)
            return levels[n];
    return MPI_THREAD_SINGLE;
}

/* Of how many hosts the processes take one after the other; TEST_HOSTS says so where there are several. */
static inline int hosts(void)
{
    const char *number = getenv("TEST_HOSTS");
    return number ? atoi(number) : 1;
}

/* How many of the processes of the job are on the host of one. */
static inline int on_host_of(int rank, int size)
{
    int first = rank % hosts();
    return (size - first + hosts() - 1) / hosts();
}

/* MPI, with errors that are returned, and who this process is. With MPI_THREAD_MULTIPLE the library
   works with its locks. */
static inline void begin(int *rank, int *size)
{
    int level = wanted_level(), provided = -1;
    if (level == MPI_THREAD_SINGLE) {
        MPI_Init(NULL, NULL);
    } else {
        MPI_Init_thread(NULL, NULL, level, &provided);
        CHECK(provided == level);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

#endif
