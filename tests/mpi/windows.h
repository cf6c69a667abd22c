/* Memory of programs for windows. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "check.h"

/* Whether windows on any memory are served; with TEST_WINDOWS=library only those on memory that the library
   allocates, as MPI_Alloc_mem does. */
static inline int any_window(void)
{
    const char *windows = getenv("TEST_WINDOWS");
    return !windows || strcmp(windows, "library") != 0;
}

/* Memory for MPI_Win_create, zeros, and its end. */
static inline void *window_memory(size_t bytes)
{
    void *memory = NULL;
    if (any_window())
        memory = malloc(bytes);
    else
        OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory));
    CHECK(memory != NULL);
    memset(memory, 0, bytes);
    return memory;
}

static inline void free_window_memory(void *memory)
{
    if (any_window())
        free(memory);
    else
        OK(MPI_Free_mem(memory));
}

/* Static memory or that of the stack for a window, or memory of the library instead, which stays. */
static inline void *window_on(void *own, size_t bytes)
{
    return any_window() ? own : window_memory(bytes);
}

#endif
