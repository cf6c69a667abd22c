/* A communicator has the matching engine that its info asks for, and so do its duplicates that ask. */
#include "check.h"

enum { MESSAGES = 200 };

static int rank, size;

/* How many entries the engine of a communicator has compared. */
static unsigned long long compared(MPI_Comm comm)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    unsigned long long value = 0;
    int index = -1, count = -1;
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_get_index("pml_ob1_searches_compared_of_comm", MPI_T_PVAR_CLASS_AGGREGATE, &index));
    OK(MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count));
    OK(MPI_T_pvar_start(session, handle));
    for (int n = 0; n < MESSAGES; n++)
        OK(MPI_Send(&n, 1, MPI_INT, rank, n, comm));
    for (int n = MESSAGES - 1; n >= 0; n--) {
        int got = -1;
        OK(MPI_Recv(&got, 1, MPI_INT, rank, n, comm, MPI_STATUS_IGNORE));
        CHECK(got == n);
    }
    OK(MPI_T_pvar_read(session, handle, &value));
    OK(MPI_T_pvar_session_free(&session));
    return value;
}

static MPI_Comm duplicate(const char *engine)
{
    MPI_Info info;
    MPI_Comm comm;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cairn_match", engine));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    OK(MPI_Info_free(&info));
    return comm;
}

int main(void)
{
    int provided;
    begin(&rank, &size);
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    MPI_Comm list = duplicate("list"), bins = duplicate("bins"), others[2], wrong = MPI_COMM_WORLD;
    others[0] = duplicate("vector");
    others[1] = duplicate("^list,vector");
    /* In the reverse order a list looks at all that are left, a hash table at one or a few. */
    unsigned long long in_list = compared(list), in_bins = compared(bins);
    CHECK(in_list >= MESSAGES * (MESSAGES - 1) / 2);
    CHECK(in_bins < in_list / 4);
    compared(others[0]);
    CHECK(compared(others[1]) < in_list / 4);

    /* A name that no engine has is an error on every process. */
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cairn_match", "lists"));
    CHECK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &wrong) != MPI_SUCCESS);
    CHECK(wrong == MPI_COMM_NULL);
    OK(MPI_Info_free(&info));

    OK(MPI_Comm_free(&list));
    OK(MPI_Comm_free(&bins));
    OK(MPI_Comm_free(&others[0]));
    OK(MPI_Comm_free(&others[1]));
    OK(MPI_T_finalize());
    return MPI_Finalize();
}
