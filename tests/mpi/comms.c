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

static int has(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info;
    char text[64];
    int length = sizeof text, flag = 0;
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_get_string(info, key, &length, text, &flag));
    OK(MPI_Info_free(&info));
    return flag && strcmp(text, value) == 0;
}

/* The info of a communicator, and of those that are made of it. */
static void infos(void)
{
    const char *key = "mpi_assert_no_any_tag";
    MPI_Comm comms[5];
    MPI_Request requests[2];
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, "true"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comms[0]));
    CHECK(has(comms[0], key, "true"));
    /* Hints are not handed on. Those that have a default have it everywhere. */
    OK(MPI_Comm_dup(comms[0], &comms[1]));
    CHECK(has(comms[1], key, "false"));
    CHECK(has(MPI_COMM_WORLD, "mpi_assert_allow_overtaking", "false"));
    CHECK(has(MPI_COMM_SELF, "mpi_assert_exact_length", "false"));
    OK(MPI_Comm_dup_with_info(comms[0], MPI_INFO_NULL, &comms[2]));
    CHECK(!has(comms[2], key, "true"));
    OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comms[3], &requests[0]));
    OK(MPI_Comm_idup(comms[0], &comms[4], &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(has(comms[3], key, "true") && has(comms[4], key, "false"));
    OK(MPI_Comm_set_info(comms[2], info));
    CHECK(has(comms[2], key, "true"));
    OK(MPI_Info_set(info, key, "perhaps"));
    OK(MPI_Info_set(info, "mpi_assert_allow_overtaking", "true"));
    OK(MPI_Comm_set_info(comms[2], info));
    CHECK(has(comms[2], key, "true"));
    CHECK(has(comms[2], "mpi_assert_allow_overtaking", "false"));
    for (int n = 0; n < 5; n++) {
        works(comms[n]);
        OK(MPI_Comm_free(&comms[n]));
    }
    OK(MPI_Info_free(&info));
}

/* A name is cut to its longest length; a duplicate has none. */
static void names(void)
{
    char lengthy[MPI_MAX_OBJECT_NAME + 10], name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Comm comm, child;
    memset(lengthy, 'x', sizeof lengthy - 1), lengthy[sizeof lengthy - 1] = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_get_name(comm, name, &length));
    CHECK(length == 0 && name[0] == 0);
    OK(MPI_Comm_set_name(comm, lengthy));
    OK(MPI_Comm_get_name(comm, name, &length));
    CHECK(length == MPI_MAX_OBJECT_NAME - 1 && strncmp(name, lengthy, (size_t)length) == 0);
    OK(MPI_Comm_dup(comm, &child));
    OK(MPI_Comm_get_name(child, name, &length));
    CHECK(length == 0);
    OK(MPI_Comm_free(&child));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0 && length == 13);
    OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
    CHECK(strcmp(name, "MPI_COMM_NULL") == 0);
}

/* By the node and what is in it. */
static void types(void)
{
    MPI_Comm comm;
    MPI_Info info;
    int n, here = on_host_of(rank, size);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, -rank, info, &comm));
    OK(MPI_Comm_size(comm, &n));
    CHECK(n == here);
    OK(MPI_Comm_rank(comm, &n));
    CHECK(n == here - 1 - rank / hosts());
    works(comm);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
    works(comm);
    OK(MPI_Comm_free(&comm));
    /* No such resource, no hint, nothing smaller, nothing wanted: no communicator. */
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "no such thing"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm));
    CHECK((comm == MPI_COMM_NULL) == (here == size));
    if (comm != MPI_COMM_NULL) OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Info_free(&info));
}

static void comparisons(void)
{
    MPI_Comm backwards, dup, one;
    int result, flag;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards));
    OK(MPI_Comm_dup(backwards, &dup));
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &one));
    OK(MPI_Comm_compare(backwards, MPI_COMM_WORLD, &result));
    CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
    OK(MPI_Comm_compare(backwards, dup, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(one, MPI_COMM_WORLD, &result));
    CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    OK(MPI_Comm_compare(one, MPI_COMM_SELF, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_test_inter(dup, &flag));
    CHECK(!flag);
    OK(MPI_Comm_free(&backwards));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&one));
}

/* Groups of different processes make their communicators at the same time, with one tag. */
static void apart(void)
{
    MPI_Group world, own;
    MPI_Comm comm;
    int ranks[64], n = 0, found;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int p = rank % 2; p < size; p += 2)
        ranks[n++] = p;
    OK(MPI_Group_incl(world, n, ranks, &own));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, own, 5, &comm));
    OK(MPI_Comm_size(comm, &found));
    CHECK(found == n);
    works(comm);
    OK(MPI_Comm_free(&comm));
    /* Each process gives its own group: MPI_Comm_create allows that if they are apart. */
    OK(MPI_Comm_create(MPI_COMM_WORLD, own, &comm));
    OK(MPI_Comm_size(comm, &found));
    CHECK(found == n);
    works(comm);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Group_free(&own));
    OK(MPI_Group_free(&world));
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
    CHECK(n == on_host_of(rank, size));
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
    infos();
    names();
    types();
    comparisons();
    apart();
    splits();
    creation();
    many();
    MPI_Comm parent = MPI_COMM_WORLD;
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    MPI_Comm world = MPI_COMM_WORLD;
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&world));
    FAILS(MPI_ERR_COMM, MPI_Comm_disconnect(&world));
    MPI_Comm dup;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    works(dup);
    OK(MPI_Comm_disconnect(&dup));
    CHECK(dup == MPI_COMM_NULL);
    MPI_Finalize();
    return 0;
}
