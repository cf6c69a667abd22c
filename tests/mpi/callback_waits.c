/* A tool's callback waits for another thread of the process, which waits for a message: any thread that polls for
   all must not keep that thread from it. */
#include <semaphore.h>
#include <stdatomic.h>

#include "threads.h"

enum { UNEXPECTED = 9, GO = 3, MESSAGE = 5, END = 0 };

static int rank, size;
static atomic_int begun;
static sem_t received;
static MPI_Comm comms[2];

static void callback(MPI_T_event_instance event, MPI_T_event_registration registration,
                     MPI_T_cb_safety safety, void *data)
{
    (void)event;
    (void)registration;
    (void)safety;
    (void)data;
    if (atomic_fetch_add(&begun, 1) == 0)
        sem_wait(&received);
}

static void work(int thread)
{
    int token = 0;
    if (thread == 0) {
        OK(MPI_Recv(&token, 1, MPI_INT, 1, END, comms[0], MPI_STATUS_IGNORE));
        return;
    }
    while (!atomic_load(&begun)) { }
    OK(MPI_Send(&token, 1, MPI_INT, 1, GO, comms[1]));
    OK(MPI_Recv(&token, 1, MPI_INT, 1, MESSAGE, comms[1], MPI_STATUS_IGNORE));
    sem_post(&received);
}

int main(void)
{
    int level, index, token = 0;
    MPI_T_event_registration registration;
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level));
    begin_threads(&rank, &size);
    CHECK(size == 2);
    threads = 2;
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    if (rank == 0) {
        CHECK(sem_init(&received, 0, 0) == 0);
        OK(MPI_T_event_get_index("pml_ob1_unexpected_message", &index));
        OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
        OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL,
                                         NULL, callback));
        together(work);
        OK(MPI_Recv(&token, 1, MPI_INT, 1, UNEXPECTED, comms[0], MPI_STATUS_IGNORE));
        OK(MPI_T_event_handle_free(registration, NULL, NULL));
    } else {
        OK(MPI_Send(&token, 1, MPI_INT, 0, UNEXPECTED, comms[0]));
        OK(MPI_Recv(&token, 1, MPI_INT, 0, GO, comms[1], MPI_STATUS_IGNORE));
        OK(MPI_Send(&token, 1, MPI_INT, 0, MESSAGE, comms[1]));
        OK(MPI_Send(&token, 1, MPI_INT, 0, END, comms[0]));
    }
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_free(&comms[i]));
    OK(MPI_T_finalize());
    MPI_Finalize();
    return 0;
}
