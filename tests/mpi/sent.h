/* Counts the active messages of osc_rdma that this process sends. */
#ifndef SENT_H
#define SENT_H

#include "check.h"

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;

static void start_counting(void)
{
    int level, index, count;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_get_index("osc_rdma_messages", MPI_T_PVAR_CLASS_COUNTER, &index));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CHECK(count == 1);
    OK(MPI_T_pvar_start(session, handle));
}

/* Messages that this process has sent so far. */
static unsigned long sent(void)
{
    unsigned long now;
    OK(MPI_T_pvar_read(session, handle, &now));
    return now;
}

static void stop_counting(void)
{
    OK(MPI_T_pvar_handle_free(session, &handle));
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
}

#endif
