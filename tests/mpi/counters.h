/* Counters of the MPI by their names: performance variables of MPI_T. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "check.h"

static MPI_T_pvar_session counters;

/* From here on there are counters; `level` is the level of thread support that MPI_T is asked for. */
static inline void begin_counting(int level)
{
    int provided;
    OK(MPI_T_init_thread(level, &provided));
    OK(MPI_T_pvar_session_create(&counters));
}

/* One that does not count yet. */
static inline MPI_T_pvar_handle counter(const char *name)
{
    MPI_T_pvar_handle handle;
    int index, count;
    OK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index));
    OK(MPI_T_pvar_handle_alloc(counters, index, NULL, &handle, &count));
    CHECK(count == 1);
    return handle;
}

/* One that counts. */
static inline MPI_T_pvar_handle started_counter(const char *name)
{
    MPI_T_pvar_handle handle = counter(name);
    OK(MPI_T_pvar_start(counters, handle));
    return handle;
}

/* What it has counted so far. */
static inline unsigned long counted(MPI_T_pvar_handle handle)
{
    unsigned long now;
    OK(MPI_T_pvar_read(counters, handle, &now));
    return now;
}

/* Frees them all. */
static inline void end_counting(void)
{
    OK(MPI_T_pvar_session_free(&counters));
    OK(MPI_T_finalize());
}

#endif
