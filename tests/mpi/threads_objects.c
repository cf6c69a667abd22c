/* Threads make, use and free objects at the same time: communicators, groups, infos, attributes, error
   handlers and classes, operations, names. */
#include <stdatomic.h>

#include "threads.h"

enum { ROUNDS = 30 };

static int rank, size;
static MPI_Comm comms[MOST_THREADS];

static void works(MPI_Comm comm)
{
    int me, n, sum;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == n * (n - 1) / 2);
}

static void communicators(int thread)
{
    MPI_Comm own = comms[thread];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm made[6];
        MPI_Request requests[2];
        MPI_Group group;
        MPI_Info info;
        int range[1][3] = { { 0, size - 1, 1 } }, result;
        MPI_Group all;
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "some_key", "some value"));
        OK(MPI_Comm_dup(own, &made[0]));
        OK(MPI_Comm_split(own, rank % 2, -rank, &made[1]));
        OK(MPI_Comm_idup(own, &made[2], &requests[0]));
        OK(MPI_Comm_idup_with_info(made[0], info, &made[3], &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        OK(MPI_Comm_group(own, &all));
        OK(MPI_Group_range_incl(all, 1, range, &group));
        OK(MPI_Comm_create(own, group, &made[4]));
        /* By the same communicator in all threads, with tags of their own. */
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, thread, &made[5]));
        for (int n = 0; n < 6; n++)
            works(made[n]);
        OK(MPI_Comm_compare(made[0], made[5], &result));
        CHECK(result == MPI_CONGRUENT);
        for (int n = 5; n >= 0; n--)
            OK(MPI_Comm_free(&made[n]));
        OK(MPI_Group_free(&group));
        OK(MPI_Group_free(&all));
        OK(MPI_Info_free(&info));
    }
}

static void groups(int thread)
{
    for (int round = 0; round < 20 * ROUNDS; round++) {
        MPI_Group world, part, rest, all;
        int ranks[1] = { (thread + round) % size }, n, there;
        OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
        OK(MPI_Group_incl(world, 1, ranks, &part));
        OK(MPI_Group_excl(world, 1, ranks, &rest));
        OK(MPI_Group_union(part, rest, &all));
        OK(MPI_Group_size(all, &n));
        CHECK(n == size);
        OK(MPI_Group_translate_ranks(world, 1, ranks, part, &there));
        CHECK(there == 0);
        OK(MPI_Group_free(&world));
        OK(MPI_Group_free(&part));
        if (rest != MPI_GROUP_EMPTY)
            OK(MPI_Group_free(&rest));
        OK(MPI_Group_free(&all));
    }
}

/* One info for all, with keys of their own. */
static MPI_Info shared_info;

static void infos(int thread)
{
    char key[16], value[16], found[16];
    snprintf(key, sizeof key, "key%d", thread);
    for (int round = 0; round < 20 * ROUNDS; round++) {
        MPI_Info copy;
        int length = sizeof found, flag = 0, n = 0;
        snprintf(value, sizeof value, "%d", round);
        OK(MPI_Info_set(shared_info, key, value));
        OK(MPI_Info_dup(shared_info, &copy));
        OK(MPI_Info_get_string(copy, key, &length, found, &flag));
        CHECK(flag && strcmp(found, value) == 0);
        OK(MPI_Info_get_nkeys(copy, &n));
        CHECK(n >= 1 && n <= threads);
        OK(MPI_Info_free(&copy));
        OK(MPI_Info_delete(shared_info, key));
    }
}

static atomic_int copies, deletions;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    atomic_fetch_add(&copies, 1);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    atomic_fetch_add(&deletions, 1);
    return MPI_SUCCESS;
}

/* Keys of their own, on a communicator of all and on one of their own. */
static void attributes(int thread)
{
    for (int round = 0; round < ROUNDS; round++) {
        int key, flag = 0, *limit;
        void *value = NULL;
        MPI_Comm dup;
        OK(MPI_Comm_create_keyval(copy, delete_, &key, NULL));
        OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
        OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
        CHECK(flag && value == &key);
        OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag));
        CHECK(flag && *limit >= 32767);
        OK(MPI_Comm_set_attr(comms[thread], key, &flag));
        OK(MPI_Comm_dup(comms[thread], &dup));
        OK(MPI_Comm_get_attr(dup, key, &value, &flag));
        CHECK(flag && value == &flag);
        OK(MPI_Comm_free(&dup));
        OK(MPI_Comm_delete_attr(comms[thread], key));
        OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
        OK(MPI_Comm_free_keyval(&key));
    }
}

static atomic_int errors[MOST_THREADS];
static MPI_Comm shared;

static void hear(MPI_Comm *comm, int *code, ...)
{
    for (int t = 0; t < threads; t++)
        if (*comm == comms[t])
            atomic_fetch_add(&errors[t], 1);
    (void)code;
}

/* Handlers are set, heard and freed on communicators of their own, and on a shared one, where a call
   that fails finds one or the other. */
static void handlers(int thread)
{
    for (int round = 0; round < 10 * ROUNDS; round++) {
        MPI_Errhandler own, found;
        int before = errors[thread], class_, code, length;
        char text[MPI_MAX_ERROR_STRING], wanted[32];
        OK(MPI_Comm_create_errhandler(hear, &own));
        OK(MPI_Comm_set_errhandler(comms[thread], own));
        FAILS(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, -99, 0, comms[thread]));
        CHECK(errors[thread] == before + 1);
        OK(MPI_Comm_get_errhandler(comms[thread], &found));
        CHECK(found == own);
        OK(MPI_Errhandler_free(&found));
        OK(MPI_Comm_set_errhandler(shared, own));
        OK(MPI_Errhandler_free(&own));
        FAILS(MPI_ERR_TAG, MPI_Send(NULL, 0, MPI_INT, 0, -99, shared));
        OK(MPI_Comm_get_errhandler(shared, &found));
        OK(MPI_Errhandler_free(&found));
        OK(MPI_Comm_set_errhandler(shared, MPI_ERRORS_RETURN));
        OK(MPI_Comm_set_errhandler(comms[thread], MPI_ERRORS_RETURN));
        OK(MPI_Add_error_class(&class_));
        OK(MPI_Add_error_code(class_, &code));
        snprintf(wanted, sizeof wanted, "%d of %d", round, thread);
        OK(MPI_Add_error_string(code, wanted));
        OK(MPI_Error_string(code, text, &length));
        CHECK(strcmp(text, wanted) == 0);
        OK(MPI_Error_class(code, &length));
        CHECK(length == class_);
        OK(MPI_Remove_error_string(code));
        OK(MPI_Remove_error_code(code));
        /* Classes of other threads may come after it, which keeps it. */
        int removed = class_of(MPI_Remove_error_class(class_));
        CHECK(removed == MPI_SUCCESS || removed == MPI_ERR_ARG);
    }
}

static void sum_up(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void operations_and_names(int thread)
{
    for (int round = 0; round < 10 * ROUNDS; round++) {
        MPI_Op op;
        int a = round, b = thread, length;
        char name[MPI_MAX_OBJECT_NAME];
        OK(MPI_Op_create(sum_up, 1, &op));
        OK(MPI_Reduce_local(&a, &b, 1, MPI_INT, op));
        CHECK(b == round + thread);
        OK(MPI_Op_free(&op));
        OK(MPI_Comm_set_name(shared, thread % 2 ? "one name" : "the other"));
        OK(MPI_Comm_get_name(shared, name, &length));
        CHECK(strcmp(name, "one name") == 0 || strcmp(name, "the other") == 0);
        OK(MPI_Type_set_name(MPI_INT, thread % 2 ? "int one" : "int two"));
        OK(MPI_Type_get_name(MPI_INT, name, &length));
        CHECK(strcmp(name, "int one") == 0 || strcmp(name, "int two") == 0);
    }
}

static void who(int thread)
{
    int flag = -1;
    OK(MPI_Is_thread_main(&flag));
    CHECK(flag == (thread == 0));
}

int main(void)
{
    begin_threads(&rank, &size);
    each_its_own(comms);
    OK(MPI_Comm_dup(MPI_COMM_SELF, &shared));
    OK(MPI_Info_create(&shared_info));
    together(who);
    together(communicators);
    together(groups);
    together(infos);
    together(attributes);
    CHECK(copies == threads * ROUNDS && deletions == 3 * threads * ROUNDS);
    together(handlers);
    together(operations_and_names);
    OK(MPI_Info_free(&shared_info));
    OK(MPI_Comm_free(&shared));
    free_all(comms);
    OK(MPI_Finalize());
    return 0;
}
