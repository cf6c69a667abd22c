/* The three ways in which a collective is called. */
#ifndef WAYS_H
#define WAYS_H

#include "check.h"

enum { BLOCKING, NONBLOCKING, PERSISTENT, WAYS };

static int way;
static MPI_Request way_request;

/* Runs a request to its end. */
static inline int way_finish(int code)
{
    if (code != MPI_SUCCESS)
        return code;
    if (way == PERSISTENT)
        OK(MPI_Start(&way_request));
    code = MPI_Wait(&way_request, MPI_STATUS_IGNORE);
    if (way == PERSISTENT)
        OK(MPI_Request_free(&way_request));
    CHECK(way_request == MPI_REQUEST_NULL);
    return code;
}

/* Calls MPI_Name, MPI_Iname or MPI_Name_init, and runs that to its end. */
#define RUN(Name, name, ...)                                                                       \
    (way == BLOCKING      ? MPI_##Name(__VA_ARGS__)                                                \
     : way == NONBLOCKING ? way_finish(MPI_I##name(__VA_ARGS__, &way_request))                     \
                          : way_finish(MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &way_request)))

#endif
