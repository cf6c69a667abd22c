/* Communicators: making, comparing, naming and freeing them. */
#include "check.h"

static int rank, size;

/* Everybody gets everybody's rank by it. */
static void works(MPI_Comm comm)
{
    int me, n, sum, all;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == n * (n - 1) / 2);
    all = -1;
    OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 0, &all, 1, MPI_INT, (me + n - 1) % n, 0, comm,
                    MPI_STATUS_IGNORE));
    CHECK(all == (me + n - 1) % n);
}

static void duplicates(void)
{
    MPI_Comm one, other, third;
    MPI_Request request;
    int result, length;
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &one));
    OK(MPI_Comm_dup(one, &other));
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &third, &request));
    works(one);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    works(other);
    works(third);
    OK(MPI_Comm_compare(one, other, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(one, one, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Comm_set_name(one, "mine"));
    OK(MPI_Comm_get_name(one, name, &length));
    CHECK(length == 4 && !strcmp(name, "mine"));
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK(!strcmp(name, "MPI_COMM_WORLD"));

    /* A message on one communicator is no message on another. */
    int out = 1, in = 0, flag;
    MPI_Request send;
    OK(MPI_Isend(&out, 1, MPI_INT, rank, 7, one, &send));
    OK(MPI_Iprobe(rank, 7, other, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Recv(&in, 1, MPI_INT, rank, 7, one, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK(in == 1);
    OK(MPI_Comm_free(&one));
    CHECK(one == MPI_COMM_NULL);
    works(other);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free(&third));
}

static void splits(void)
{
    MPI_Comm comm;
    int me, n;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm));
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &n));
    CHECK(n == (size + 1 - rank % 2) / 2);
    CHECK(me == n - 1 - rank / 2);
    works(comm);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 3, 0, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank == 0));
    if (comm != MPI_COMM_NULL) {
        works(comm);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    OK(MPI_Comm_size(comm, &n));
    CHECK(n == size);
    works(comm);
    OK(MPI_Comm_free(&comm));
    FAILS(MPI_ERR_ARG, MPI_Comm_split(MPI_COMM_WORLD, -3, 0, &comm));
}

/* A communicator of the processes of a group, made by all or by its members alone. */
static void creation(void)
{
    MPI_Group world, first;
    MPI_Comm comm;
    int half = (size + 1) / 2, range[1][3] = { { 0, half - 1, 1 } }, n;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, range, &first));
    OK(MPI_Comm_create(MPI_COMM_WORLD, first, &comm));
    CHECK((comm != MPI_COMM_NULL) == (rank < half));
    if (comm != MPI_COMM_NULL) {
        works(comm);
        OK(MPI_Comm_free(&comm));
    }
    if (rank < half) {
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, first, 12, &comm));
        OK(MPI_Comm_size(comm, &n));
        CHECK(n == half);
        works(comm);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Group_free(&first));
    OK(MPI_Group_free(&world));
}

/* Many, so that their numbers don't run into each other. */
static void many(void)
{
    enum { N = 50 };
    MPI_Comm comms[N];
    for (int i = 0; i < N; i++)
        OK(MPI_Comm_split(i ? comms[i - 1] : MPI_COMM_WORLD, 0, rank, &comms[i]));
    for (int i = 0; i < N; i += 7)
        works(comms[i]);
    for (int i = 0; i < N; i++)
        OK(MPI_Comm_free(&comms[i]));
}

int main(void)
{
    begin(&rank, &size);
    works(MPI_COMM_WORLD);
    works(MPI_COMM_SELF);
    duplicates();
    splits();
    creation();
    many();
    MPI_Comm parent = MPI_COMM_WORLD;
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    MPI_Comm world = MPI_COMM_WORLD;
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&world));
    MPI_Finalize();
    return 0;
}
