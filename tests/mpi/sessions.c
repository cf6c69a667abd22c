/* Sessions: with and without MPI_Init, one after the other and next to each other. */

/* There need not be an MPI_COMM_WORLD to abort. */
#define CHECK_FAILED() _Exit(99)
#include "check.h"

#include <pthread.h>

static int rank, size;

static MPI_Session begin_session(const char *level)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Info info = MPI_INFO_NULL;
    if (level) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "thread_level", level));
    }
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    CHECK(session != MPI_SESSION_NULL);
    if (level) {
        char text[MPI_MAX_INFO_VAL];
        int length = sizeof text, flag;
        OK(MPI_Info_free(&info));
        OK(MPI_Session_get_info(session, &info));
        OK(MPI_Info_get_string(info, "thread_level", &length, text, &flag));
        CHECK(flag && !strcmp(text, level));
        length = sizeof text;
        OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, text, &flag));
        CHECK(flag && !strcmp(text, "mpi,system"));
        OK(MPI_Info_free(&info));
    }
    return session;
}

static void end_session(MPI_Session *session)
{
    OK(MPI_Session_finalize(session));
    CHECK(*session == MPI_SESSION_NULL);
}

/* A communicator of a process set. */
static MPI_Comm comm_of(MPI_Session session, const char *set, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, set, &group));
    OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    return comm;
}

/* What can be seen of the process sets. */
static void process_sets(MPI_Session session)
{
    int number, found = 0, flag, length;
    char name[MPI_MAX_PSET_NAME_LEN], text[MPI_MAX_INFO_VAL];
    MPI_Info info;
    MPI_Group group;
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number));
    CHECK(number >= 2);
    for (int i = 0; i < number; i++) {
        int room = 0, members;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, NULL));
        const int whole = room;
        memset(name, '?', sizeof name);
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, name));
        CHECK(room == whole && (int)strlen(name) == whole - 1);
        found += !strcmp(name, "mpi://WORLD") + !strcmp(name, "mpi://SELF");
        OK(MPI_Session_get_pset_info(session, name, &info));
        length = sizeof text;
        OK(MPI_Info_get_string(info, "mpi_size", &length, text, &flag));
        OK(MPI_Info_free(&info));
        OK(MPI_Group_from_session_pset(session, name, &group));
        OK(MPI_Group_size(group, &members));
        CHECK(flag && atoi(text) == members);
        OK(MPI_Group_free(&group));
        /* Cut to the room there is. */
        room = 5;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, text));
        CHECK(room == whole && strlen(text) == 4 && !strncmp(text, name, 4));
    }
    CHECK(found == 2);
    FAILS(MPI_ERR_ARG, MPI_Session_get_nth_pset(session, MPI_INFO_NULL, number, &length, text));
    FAILS(MPI_ERR_ARG, MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, text));
    /* Names are URIs: scheme and authority have no case. What is behind them has. */
    static const char *const same[] = { "mpi://world", "MPI://WORLD", "Mpi://World", "MPI://self" };
    static const char *const others[] = { "mpi://WORLD/", "mpi:WORLD", "mpi:/WORLD", "mpi://WORLD ",
                                          "WORLD", "mpix://WORLD", "mpi://", "", "://WORLD" };
    for (int n = 0; n < 4; n++) {
        MPI_Group known;
        OK(MPI_Group_from_session_pset(session, n == 3 ? "mpi://SELF" : "mpi://WORLD", &known));
        OK(MPI_Group_from_session_pset(session, same[n], &group));
        OK(MPI_Group_compare(group, known, &flag));
        CHECK(flag == MPI_IDENT);
        OK(MPI_Group_free(&group));
        OK(MPI_Group_free(&known));
        OK(MPI_Session_get_pset_info(session, same[n], &info));
        OK(MPI_Info_free(&info));
    }
    for (int n = 0; n < 9; n++) {
        FAILS(MPI_ERR_ARG, MPI_Group_from_session_pset(session, others[n], &group));
        FAILS(MPI_ERR_ARG, MPI_Session_get_pset_info(session, others[n], &info));
    }
    FAILS(MPI_ERR_ARG, MPI_Session_get_pset_info(session, "mpi://NOWHERE", &info));
    FAILS(MPI_ERR_ARG, MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group));
    CHECK(group == MPI_GROUP_NULL);
}

/* Everybody with everybody, also with what is made of the communicator. */
static void use(MPI_Comm comm)
{
    int me, all, sum, got;
    MPI_Comm copy, half;
    MPI_Request request;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &all));
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == all * (all - 1) / 2);
    OK(MPI_Comm_dup(comm, &copy));
    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, copy, &request));
    OK(MPI_Send(&me, 1, MPI_INT, (me + 1) % all, 3, copy));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(got == (me + all - 1) % all);
    OK(MPI_Comm_split(copy, me % 2, 0, &half));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Barrier(half));
    OK(MPI_Comm_free(&half));
}

/* Large messages, too. */
static void large(MPI_Comm comm)
{
    enum { LARGE = 300000 };
    static int out[LARGE], in[LARGE];
    int me, all;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &all));
    for (int i = 0; i < LARGE; i++)
        out[i] = me + i, in[i] = -1;
    OK(MPI_Sendrecv(out, LARGE, MPI_INT, (me + 1) % all, 1, in, LARGE, MPI_INT,
                    (me + all - 1) % all, 1, comm, MPI_STATUS_IGNORE));
    for (int i = 0; i < LARGE; i++)
        CHECK(in[i] == (me + all - 1) % all + i);
}

static void groups(MPI_Session session)
{
    MPI_Group world, self, part, empty;
    MPI_Comm comm, other;
    int n;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Group_from_session_pset(session, "mpi://SELF", &self));
    OK(MPI_Group_size(self, &n));
    CHECK(n == 1);
    OK(MPI_Comm_create_from_group(self, "alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    use(comm);
    OK(MPI_Comm_free(&comm));

    /* Different ones at the same time, backwards. */
    int range[1][3] = { { size - 1 - (size - 1 - rank % 2) % 2, rank % 2, -2 } };
    OK(MPI_Group_range_incl(world, 1, range, &part));
    OK(MPI_Comm_create_from_group(part, "half", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Comm_size(comm, &n));
    CHECK(n == (size + 1 - rank % 2) / 2);
    OK(MPI_Comm_rank(comm, &n));
    CHECK(n == (size + 1 - rank % 2) / 2 - 1 - rank / 2);
    use(comm);
    /* The same once more, and with another string. */
    OK(MPI_Comm_create_from_group(part, "half", MPI_INFO_NULL, MPI_ERRORS_RETURN, &other));
    OK(MPI_Comm_compare(comm, other, &n));
    CHECK(n == MPI_CONGRUENT);
    use(other);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free(&comm));

    /* The group of a communicator of the session can be used like the first one. */
    comm = comm_of(session, "mpi://WORLD", "all");
    MPI_Group again;
    OK(MPI_Comm_group(comm, &again));
    OK(MPI_Group_union(again, self, &empty));
    OK(MPI_Group_size(empty, &n));
    CHECK(n == size);
    OK(MPI_Group_free(&empty));
    OK(MPI_Comm_create_from_group(again, "again", MPI_INFO_NULL, MPI_ERRORS_RETURN, &other));
    use(other);
    OK(MPI_Comm_free(&other));
    OK(MPI_Group_free(&again));
    OK(MPI_Comm_free(&comm));

    OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "nobody", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                  &comm));
    CHECK(comm == MPI_COMM_NULL);
    if (size > 1) {
        OK(MPI_Group_difference(world, self, &empty));
        FAILS(MPI_ERR_GROUP, MPI_Comm_create_from_group(empty, "not here", MPI_INFO_NULL,
                                                        MPI_ERRORS_RETURN, &comm));
        OK(MPI_Group_free(&empty));
    }
    /* Errors go to the handler of the new communicator. */
    static char text[MPI_MAX_STRINGTAG_LEN + 1];
    memset(text, 'x', MPI_MAX_STRINGTAG_LEN);
    FAILS(MPI_ERR_ARG, MPI_Comm_create_from_group(self, text, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                                  &comm));
    FAILS(MPI_ERR_GROUP, MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL,
                                                    MPI_ERRORS_RETURN, &comm));
    FAILS(MPI_ERR_ARG, MPI_Comm_create_from_group(self, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                                  &comm));
    OK(MPI_Group_free(&part));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&self));
}

/* Intercommunicators of two groups that have no communicator in common. */
static void between(MPI_Session session)
{
    MPI_Group world, halves[2];
    MPI_Comm inter, merged;
    int n, sum, flag;
    const int first = size / 2, side = rank >= first;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    if (size == 1) {
        FAILS(MPI_ERR_COMM, MPI_Intercomm_create_from_groups(world, 0, world, 0, "x",
                            MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
        OK(MPI_Group_free(&world));
        return;
    }
    int low[1][3] = { { 0, first - 1, 1 } }, high[1][3] = { { first, size - 1, 1 } };
    OK(MPI_Group_range_incl(world, 1, low, &halves[0]));
    OK(MPI_Group_range_incl(world, 1, high, &halves[1]));
    const int sizes[2] = { first, size - first }, leaders[2] = { first - 1, 0 };
    for (int round = 0; round < 3; round++) {
        /* The other group counts at the leader only. */
        const int leads = rank - (side ? first : 0) == leaders[side];
        OK(MPI_Intercomm_create_from_groups(halves[side], leaders[side],
               leads ? halves[1 - side] : MPI_GROUP_NULL, leads ? leaders[1 - side] : -5,
               "between", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
        OK(MPI_Comm_test_inter(inter, &flag));
        OK(MPI_Comm_remote_size(inter, &n));
        CHECK(flag && n == sizes[1 - side]);
        OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
        n = first * (first - 1) / 2;
        CHECK(sum == (side ? n : size * (size - 1) / 2 - n));
        OK(MPI_Intercomm_merge(inter, side, &merged));
        OK(MPI_Comm_rank(merged, &n));
        CHECK(n == rank);
        use(merged);
        OK(MPI_Comm_free(&merged));
        OK(MPI_Comm_free(&inter));
    }
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create_from_groups(halves[side], size, halves[1 - side], 0,
                        "wrong", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create_from_groups(halves[side], 0, halves[1 - side], size,
                        "wrong", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
    for (int i = 0; i < 2; i++)
        OK(MPI_Group_free(&halves[i]));
    OK(MPI_Group_free(&world));
}

static int handled;
static MPI_Session handled_by;
static void handle(MPI_Session *session, int *code, ...)
{
    CHECK(class_of(*code) == MPI_ERR_ARG);
    handled_by = *session;
    handled++;
}

static int handled_comm;
static void handle_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    CHECK(class_of(*code) == MPI_ERR_ARG || class_of(*code) == MPI_ERR_RANK);
    handled_comm++;
}

static void handlers(MPI_Session session)
{
    MPI_Errhandler own, of_comm, found;
    MPI_Group group;
    MPI_Session other;
    MPI_Comm comm;
    OK(MPI_Session_create_errhandler(handle, &own));
    OK(MPI_Comm_create_errhandler(handle_comm, &of_comm));
    OK(MPI_Session_get_errhandler(session, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_ERRHANDLER, MPI_Session_set_errhandler(session, of_comm));
    OK(MPI_Session_set_errhandler(session, own));
    handled = 0;
    FAILS(MPI_ERR_ARG, MPI_Group_from_session_pset(session, "nowhere", &group));
    CHECK(handled == 1 && handled_by == session);
    OK(MPI_Session_call_errhandler(session, MPI_ERR_ARG));
    CHECK(handled == 2);
    /* A session that begins with it. */
    OK(MPI_Session_init(MPI_INFO_NULL, own, &other));
    OK(MPI_Errhandler_free(&own));
    FAILS(MPI_ERR_ARG, MPI_Group_from_session_pset(other, "nowhere", &group));
    CHECK(handled == 3 && handled_by == other);
    end_session(&other);
    OK(MPI_Session_get_errhandler(session, &own));
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&own));

    OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    handled_comm = 0;
    FAILS(MPI_ERR_ARG, MPI_Comm_create_from_group(group, NULL, MPI_INFO_NULL, of_comm, &comm));
    CHECK(handled_comm == 1);
    OK(MPI_Comm_create_from_group(group, "handled", MPI_INFO_NULL, of_comm, &comm));
    OK(MPI_Errhandler_free(&of_comm));
    FAILS(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, 5, 0, comm));
    CHECK(handled_comm == 2);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&group));

    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", "some"));
    FAILS(MPI_ERR_INFO_VALUE, MPI_Session_init(info, MPI_ERRORS_RETURN, &other));
    OK(MPI_Info_free(&info));
    FAILS(MPI_ERR_ARG, MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL));
}

/* Buffered messages use the buffer of the communicator, otherwise that of its session. */
static void buffers(MPI_Session session)
{
    enum { ROOM = 1000 + MPI_BSEND_OVERHEAD };
    static char of_session[ROOM], of_comm[2 * ROOM], in[2000];
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "buffers");
    MPI_Request request;
    void *found;
    int bytes;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    /* There is one if this session was here before. */
    (void)MPI_Session_detach_buffer(session, &found, &bytes);
    FAILS(MPI_ERR_BUFFER, MPI_Session_detach_buffer(session, &found, &bytes));
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(in, 10, MPI_CHAR, to, 0, comm));
    OK(MPI_Session_attach_buffer(session, of_session, ROOM));
    FAILS(MPI_ERR_BUFFER, MPI_Session_attach_buffer(session, of_session, ROOM));
    OK(MPI_Bsend(in, 1000, MPI_CHAR, to, 0, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(in, 1001, MPI_CHAR, to, 0, comm));
    OK(MPI_Recv(in, 1000, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Session_flush_buffer(session));
    OK(MPI_Comm_attach_buffer(comm, of_comm, 2 * ROOM));
    OK(MPI_Bsend(in, 2000, MPI_CHAR, to, 0, comm));
    OK(MPI_Recv(in, 2000, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Comm_detach_buffer(comm, &found, &bytes));
    CHECK(found == of_comm && bytes == 2 * ROOM);
    OK(MPI_Bsend(in, 1000, MPI_CHAR, to, 0, comm));
    OK(MPI_Session_iflush_buffer(session, &request));
    OK(MPI_Recv(in, 1000, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Count large;
    OK(MPI_Session_detach_buffer_c(session, &found, &large));
    CHECK(found == of_session && large == ROOM);
    OK(MPI_Session_attach_buffer_c(session, MPI_BUFFER_AUTOMATIC, 0));
    OK(MPI_Bsend(in, 2000, MPI_CHAR, to, 0, comm));
    OK(MPI_Recv(in, 2000, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
    /* What is attached when the session ends is detached. */
}

static void everything(MPI_Session session)
{
    process_sets(session);
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "everything");
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    use(comm);
    large(comm);
    OK(MPI_Comm_free(&comm));
    groups(session);
    between(session);
    handlers(session);
    buffers(session);
}

/* A thread with a session of its own. */
static void *independent(void *number)
{
    char tag[16];
    MPI_Session session = begin_session("MPI_THREAD_MULTIPLE");
    sprintf(tag, "thread %d", *(int *)number);
    for (int round = 0; round < 10; round++) {
        MPI_Comm comm = comm_of(session, "mpi://WORLD", tag);
        use(comm);
        OK(MPI_Comm_free(&comm));
    }
    end_session(&session);
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 4 };
    pthread_t ids[THREADS];
    int numbers[THREADS];
    for (int t = 0; t < THREADS; t++) {
        numbers[t] = t;
        CHECK(!pthread_create(&ids[t], NULL, independent, &numbers[t]));
    }
    for (int t = 0; t < THREADS; t++)
        CHECK(!pthread_join(ids[t], NULL));
}

/* Groups of two sessions are not mixed. */
static void apart(MPI_Session one, MPI_Session other)
{
    MPI_Group first, second, both;
    int same;
    OK(MPI_Group_from_session_pset(one, "mpi://SELF", &first));
    OK(MPI_Group_from_session_pset(other, "mpi://SELF", &second));
    OK(MPI_Group_union(first, MPI_GROUP_EMPTY, &both));
    OK(MPI_Group_compare(first, both, &same));
    CHECK(same == MPI_IDENT);
    OK(MPI_Group_free(&both));
    int initialized, finalized;
    OK(MPI_Initialized(&initialized));
    OK(MPI_Finalized(&finalized));
    /* The error has no other handler than that of MPI_COMM_SELF. */
    if (initialized && !finalized)
        FAILS(MPI_ERR_GROUP, MPI_Group_union(first, second, &both));
    OK(MPI_Group_free(&first));
    OK(MPI_Group_free(&second));
}

/* What a program of the World Model sees of it. */
static void world(MPI_Session session)
{
    int flag, provided;
    OK(MPI_Initialized(&flag));
    CHECK(!flag);
    OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided));
    CHECK(provided == MPI_THREAD_FUNNELED);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    use(MPI_COMM_WORLD);
    everything(session);
    /* Its groups can become communicators, too. */
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    OK(MPI_Comm_create_from_group(group, "world", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    use(comm);
    OK(MPI_Comm_free(&comm));
    MPI_Session other = begin_session(NULL), gone = MPI_SESSION_NULL;
    apart(session, other);
    end_session(&other);
    FAILS(MPI_ERR_SESSION, MPI_Session_finalize(&gone));
    FAILS(MPI_ERR_SESSION, MPI_Session_get_num_psets(gone, MPI_INFO_NULL, &flag));
    OK(MPI_Finalize());
    OK(MPI_Finalized(&flag));
    CHECK(flag);
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 ? argv[1] : "around";
    MPI_Session session, other;
    if (!strcmp(order, "around")) {
        /* Sessions come and go, one of them around the World Model. */
        for (int round = 0; round < 3; round++) {
            session = begin_session(round ? "MPI_THREAD_SINGLE" : NULL);
            everything(session);
            end_session(&session);
        }
        threads();
        session = begin_session("MPI_THREAD_SERIALIZED");
        other = begin_session(NULL);
        apart(session, other);
        end_session(&other);
        world(session);
        everything(session);
        end_session(&session);
        session = begin_session(NULL);
        everything(session);
        end_session(&session);
    } else if (!strcmp(order, "alone")) {
        /* Some processes come back without the others. */
        session = begin_session(NULL);
        everything(session);
        end_session(&session);
        for (int round = 0; round < rank; round++) {
            session = begin_session(NULL);
            MPI_Comm comm = comm_of(session, "mpi://SELF", "alone");
            use(comm);
            OK(MPI_Comm_free(&comm));
            end_session(&session);
        }
        session = begin_session(NULL);
        everything(session);
        end_session(&session);
    } else if (!strcmp(order, "after")) {
        /* The World Model has ended before the first session begins. */
        OK(MPI_Init(NULL, NULL));
        use(MPI_COMM_WORLD);
        OK(MPI_Finalize());
        for (int round = 0; round < 2; round++) {
            session = begin_session("MPI_THREAD_MULTIPLE");
            everything(session);
            end_session(&session);
        }
    } else {
        /* The last message of a process arrives though it ends at once. */
        session = begin_session(NULL);
        MPI_Comm comm = comm_of(session, "mpi://WORLD", "last");
        enum { MANY = 2000 };
        int got = 0, me, all;
        OK(MPI_Comm_rank(comm, &me));
        OK(MPI_Comm_size(comm, &all));
        if (me > 0)
            for (int i = 0; i < MANY; i++)
                OK(MPI_Send(&i, 1, MPI_INT, 0, me, comm));
        else
            for (int p = all - 1; p > 0; p--)
                for (int i = 0; i < MANY; i++) {
                    OK(MPI_Recv(&got, 1, MPI_INT, p, p, comm, MPI_STATUS_IGNORE));
                    CHECK(got == i);
                }
        end_session(&session);
    }
    return 0;
}
