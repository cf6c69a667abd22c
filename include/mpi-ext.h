/* mpi-ext.h of Cairn MPI: functions beside those of the standard.
 * Made from the tables in mpi/abi by `cargo xtask gen`; changes go there. */
#ifndef CAIRN_MPI_EXT_H
#define CAIRN_MPI_EXT_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MPIX_CAIRN_Sync *MPIX_Sync;

extern void *MPIX_SYNC_EMPTY;
extern void *MPIX_SYNC_NO_COMPLETION_DATA;

int MPIX_Sync_attach(MPIX_Sync sync, MPI_Request *request, void *completion_data);
int MPIX_Sync_detach(MPIX_Sync sync, MPI_Request *request);
void MPIX_Sync_free(MPIX_Sync *sync);
int MPIX_Sync_init(MPIX_Sync *sync);
int MPIX_Sync_probe(MPIX_Sync sync);
void *MPIX_Sync_query(MPIX_Sync sync, MPI_Status *status);
int MPIX_Sync_query_bulk(int incount, MPIX_Sync sync, int *outcount, void *cbdata[], MPI_Status status[]);
int MPIX_Sync_size(MPIX_Sync sync);
int MPIX_Sync_waitall(MPIX_Sync sync);
void MPIX_Progress(void);

int PMPIX_Sync_attach(MPIX_Sync sync, MPI_Request *request, void *completion_data);
int PMPIX_Sync_detach(MPIX_Sync sync, MPI_Request *request);
void PMPIX_Sync_free(MPIX_Sync *sync);
int PMPIX_Sync_init(MPIX_Sync *sync);
int PMPIX_Sync_probe(MPIX_Sync sync);
void *PMPIX_Sync_query(MPIX_Sync sync, MPI_Status *status);
int PMPIX_Sync_query_bulk(int incount, MPIX_Sync sync, int *outcount, void *cbdata[], MPI_Status status[]);
int PMPIX_Sync_size(MPIX_Sync sync);
int PMPIX_Sync_waitall(MPIX_Sync sync);
void PMPIX_Progress(void);

#ifdef __cplusplus
}
#endif

#endif /* CAIRN_MPI_EXT_H */
