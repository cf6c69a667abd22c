/* How many processes are on the node of this one, as everything that looks at nodes has it: nodes PROCESSES. Rank 0
   prints the name of each process's host. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size, on_node, length;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Comm node;
    MPI_Info hints;
    CHECK(argc == 2);
    begin(&rank, &size);
    int expected = atoi(argv[1]);

    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_size(node, &on_node));
    CHECK(on_node == expected);

    /* Memory that they share is memory indeed. */
    int *mine, *theirs, unit;
    MPI_Aint bytes;
    MPI_Win win;
    OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win));
    *mine = rank;
    OK(MPI_Win_fence(0, win));
    int sum = 0, all;
    for (int other = 0; other < on_node; other++) {
        OK(MPI_Win_shared_query(win, other, &bytes, &unit, &theirs));
        sum += *theirs;
    }
    OK(MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, node));
    CHECK(sum == all);
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&node));

    OK(MPI_Info_create(&hints));
    OK(MPI_Info_set(hints, "mpi_hw_resource_type", "mpi_shared_memory"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, hints, &node));
    OK(MPI_Comm_size(node, &on_node));
    CHECK(on_node == expected);
    OK(MPI_Comm_free(&node));
    OK(MPI_Info_free(&hints));

    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &node));
    CHECK((node == MPI_COMM_NULL) == (expected == size));
    if (node != MPI_COMM_NULL) OK(MPI_Comm_free(&node));

    /* Whether there is one clock. */
    int *global, flag;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &flag));
    CHECK(flag && *global == (expected == size));

    OK(MPI_Get_processor_name(name, &length));
    char *names = calloc((size_t)size, sizeof name);
    OK(MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int other = 0; rank == 0 && other < size; other++) printf("%s\n", names + other * sizeof name);
    free(names);
    OK(MPI_Finalize());
    return 0;
}
