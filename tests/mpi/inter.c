/* Intercommunicators: made of two groups in many ways, and everything that can be done with them. */
#include "ways.h"

static int rank, size;

/* An intercommunicator, and what both sides should be. */
struct sides {
    MPI_Comm comm;
    int me, locals, others;
    int side; /* 0 or 1 */
    const int *world[2]; /* ranks in MPI_COMM_WORLD of both groups */
};

static int value(int process, int i) { return process * 1000 + i * 7 + 1; }

/* The rank in MPI_COMM_WORLD of a process of the own or the other group. */
static int local_at(const struct sides *s, int p) { return s->world[s->side][p]; }
static int other_at(const struct sides *s, int p) { return s->world[1 - s->side][p]; }

static void shape(const struct sides *s)
{
    int flag, n, same;
    int ranks[8], all[8];
    MPI_Group world, group;
    OK(MPI_Comm_test_inter(s->comm, &flag));
    CHECK(flag);
    OK(MPI_Comm_rank(s->comm, &n));
    CHECK(n == s->me);
    OK(MPI_Comm_size(s->comm, &n));
    CHECK(n == s->locals);
    OK(MPI_Comm_remote_size(s->comm, &n));
    CHECK(n == s->others);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < 8; i++)
        all[i] = i;
    OK(MPI_Comm_group(s->comm, &group));
    OK(MPI_Group_translate_ranks(group, s->locals, all, world, ranks));
    CHECK(!memcmp(ranks, s->world[s->side], sizeof(int) * (size_t)s->locals));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_remote_group(s->comm, &group));
    OK(MPI_Group_size(group, &n));
    CHECK(n == s->others);
    OK(MPI_Group_translate_ranks(group, s->others, all, world, ranks));
    CHECK(!memcmp(ranks, s->world[1 - s->side], sizeof(int) * (size_t)s->others));
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    OK(MPI_Comm_compare(s->comm, s->comm, &same));
    CHECK(same == MPI_IDENT);
    OK(MPI_Comm_compare(s->comm, MPI_COMM_WORLD, &same));
    CHECK(same == MPI_UNEQUAL);
}

/* Everybody talks to everybody of the other group. */
static void messages(const struct sides *s)
{
    enum { LARGE = 50000 };
    int own = rank, got, count, flag;
    int *out = malloc(LARGE * sizeof(int)), *in = malloc(8 * LARGE * sizeof(int));
    MPI_Status status;
    MPI_Message message;
    MPI_Request requests[16];

    /* The one with the lower rank begins. */
    for (int p = 0; p < s->others; p++) {
        if (s->side == 0)
            OK(MPI_Send(&own, 1, MPI_INT, p, 5, s->comm));
        OK(MPI_Recv(&got, 1, MPI_INT, p, 5, s->comm, &status));
        CHECK(got == other_at(s, p));
        CHECK(status.MPI_SOURCE == p && status.MPI_TAG == 5);
        if (s->side == 1)
            OK(MPI_Send(&own, 1, MPI_INT, p, 5, s->comm));
    }

    /* Wildcards, with and without a probe before. */
    for (int round = 0; round < 3; round++) {
        int seen = 0;
        for (int p = 0; p < s->others; p++)
            OK(MPI_Isend(&own, 1, MPI_INT, p, 100 + s->me, s->comm, &requests[p]));
        for (int p = 0; p < s->others; p++) {
            if (round == 1) {
                OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &status));
                OK(MPI_Get_count(&status, MPI_INT, &count));
                CHECK(count == 1);
                OK(MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, s->comm, &status));
            } else if (round == 2) {
                OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &message, &status));
                OK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
            } else {
                OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &status));
            }
            CHECK(got == other_at(s, status.MPI_SOURCE));
            CHECK(status.MPI_TAG == 100 + status.MPI_SOURCE);
            seen |= 1 << status.MPI_SOURCE;
        }
        CHECK(seen == (1 << s->others) - 1);
        OK(MPI_Waitall(s->others, requests, MPI_STATUSES_IGNORE));
        OK(MPI_Barrier(s->comm));
    }

    /* Large ones, both ways at once. */
    for (int i = 0; i < LARGE; i++)
        out[i] = value(rank, i);
    for (int p = 0; p < s->others; p++) {
        OK(MPI_Irecv(in + p * LARGE, LARGE, MPI_INT, p, 6, s->comm, &requests[p]));
        OK(MPI_Issend(out, LARGE, MPI_INT, p, 6, s->comm, &requests[8 + p]));
    }
    OK(MPI_Waitall(s->others, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(s->others, requests + 8, MPI_STATUSES_IGNORE));
    for (int p = 0; p < s->others; p++)
        for (int i = 0; i < LARGE; i++)
            CHECK(in[p * LARGE + i] == value(other_at(s, p), i));

    /* Persistent requests: each sends to one of the other group, and some are never started. */
    OK(MPI_Send_init(&own, 1, MPI_INT, s->me % s->others, 7, s->comm, &requests[0]));
    for (int p = 0; p < s->others; p++) {
        OK(MPI_Recv_init(&in[p], 1, MPI_INT, p, 8, s->comm, &requests[1]));
        OK(MPI_Request_free(&requests[1]));
    }
    OK(MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, s->comm, &requests[1]));
    int expected = 0;
    for (int p = 0; p < s->others; p++)
        expected += p % s->locals == s->me;
    for (int round = 0; round < 3; round++) {
        OK(MPI_Start(&requests[0]));
        for (int n = 0; n < expected; n++) {
            OK(MPI_Start(&requests[1]));
            OK(MPI_Wait(&requests[1], &status));
            CHECK(got == other_at(s, status.MPI_SOURCE));
        }
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        OK(MPI_Barrier(s->comm));
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));

    /* MPI_PROC_NULL, and wrong ranks. */
    OK(MPI_Send(&own, 1, MPI_INT, MPI_PROC_NULL, 1, s->comm));
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 1, s->comm, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Iprobe(MPI_ANY_SOURCE, 77, s->comm, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    FAILS(MPI_ERR_RANK, MPI_Send(&own, 1, MPI_INT, s->others, 1, s->comm));
    FAILS(MPI_ERR_RANK, MPI_Recv(&got, 1, MPI_INT, s->others, 1, s->comm, &status));
    FAILS(MPI_ERR_RANK, MPI_Send(&own, 1, MPI_INT, MPI_ROOT, 1, s->comm));
    free(out);
    free(in);
}

static void rooted(const struct sides *s, int n)
{
    size_t room = sizeof(int) * (size_t)(n * 8 + 1);
    int *out = malloc(room), *in = malloc(room), counts[8], displs[8];
    const int roots[2] = { s->side == 0 ? s->locals : s->others,
                           s->side == 1 ? s->locals : s->others };
    for (int side = 0; side < 2; side++)
        for (int at = 0; at < roots[side]; at++) {
            const int here = s->side == side, am = here && s->me == at;
            const int root = !here ? at : am ? MPI_ROOT : MPI_PROC_NULL;
            for (int i = 0; i < n; i++)
                out[i] = value(rank, i), in[i] = -1;
            OK(RUN(Bcast, bcast, am ? out : in, n, MPI_INT, root, s->comm));
            for (int i = 0; i < n; i++)
                CHECK(in[i] == (here ? -1 : value(other_at(s, at), i)));

            OK(RUN(Gather, gather, out, n, MPI_INT, in, n, MPI_INT, root, s->comm));
            for (int p = 0; am && p < s->others; p++)
                for (int i = 0; i < n; i++)
                    CHECK(in[p * n + i] == value(other_at(s, p), i));

            /* Different counts, in the opposite order. What has none is left out. */
            for (int p = 0; p < s->others; p++) {
                counts[p] = n > 0 ? p % (n + 1) : 0;
                displs[p] = n * (s->others - 1 - p);
            }
            const int mine = n > 0 ? s->me % (n + 1) : 0;
            OK(RUN(Gatherv, gatherv, out, mine, MPI_INT, in, counts, displs, MPI_INT, root,
                   s->comm));
            for (int p = 0; am && p < s->others; p++)
                for (int i = 0; i < counts[p]; i++)
                    CHECK(in[displs[p] + i] == value(other_at(s, p), i));

            for (int p = 0; p < s->others; p++)
                for (int i = 0; i < n; i++)
                    out[p * n + i] = value(rank, i) + p;
            for (int i = 0; i < n; i++)
                in[i] = -1;
            OK(RUN(Scatter, scatter, out, n, MPI_INT, in, n, MPI_INT, root, s->comm));
            for (int i = 0; i < n; i++)
                CHECK(in[i] == (here ? -1 : value(other_at(s, at), i) + s->me));
            for (int p = 0; p < s->others; p++)
                displs[p] = n * p;
            OK(RUN(Scatterv, scatterv, out, counts, displs, MPI_INT, in, mine, MPI_INT, root,
                   s->comm));
            for (int i = 0; i < mine; i++)
                CHECK(in[i] == (here ? -1 : value(other_at(s, at), i) + s->me));

            for (int i = 0; i < n; i++)
                out[i] = value(rank, i), in[i] = -1;
            OK(RUN(Reduce, reduce, out, in, n, MPI_INT, MPI_SUM, root, s->comm));
            for (int i = 0; i < n; i++) {
                int sum = 0;
                for (int p = 0; p < s->others; p++)
                    sum += value(other_at(s, p), i);
                CHECK(in[i] == (am ? sum : -1));
            }
        }
    /* In the root's group only the root's arguments count. */
    if (s->side == 0)
        OK(RUN(Reduce, reduce, NULL, s->me ? NULL : in, s->me ? -1 : n, s->me ? MPI_DATATYPE_NULL
               : MPI_INT, s->me ? MPI_OP_NULL : MPI_MAX, s->me ? MPI_PROC_NULL : MPI_ROOT,
               s->comm));
    else
        OK(RUN(Reduce, reduce, out, NULL, n, MPI_INT, MPI_MAX, 0, s->comm));
    free(out);
    free(in);
}

static void all(const struct sides *s, int n)
{
    size_t room = sizeof(int) * (size_t)(n * 64 + 1);
    int *out = malloc(room), *in = malloc(room);
    int counts[8], displs[8], send_counts[8], send_displs[8];
    MPI_Datatype types[8];
    OK(RUN(Barrier, barrier, s->comm));
    for (int i = 0; i < n; i++)
        out[i] = value(rank, i);
    OK(RUN(Allgather, allgather, out, n, MPI_INT, in, n, MPI_INT, s->comm));
    for (int p = 0; p < s->others; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(other_at(s, p), i));
    for (int p = 0; p < s->others; p++)
        counts[p] = n > 0 ? p % (n + 1) : 0, displs[p] = n * (s->others - 1 - p);
    OK(RUN(Allgatherv, allgatherv, out, n > 0 ? s->me % (n + 1) : 0, MPI_INT, in, counts, displs,
           MPI_INT, s->comm));
    for (int p = 0; p < s->others; p++)
        for (int i = 0; i < counts[p]; i++)
            CHECK(in[displs[p] + i] == value(other_at(s, p), i));

    for (int p = 0; p < s->others; p++)
        for (int i = 0; i < n; i++)
            out[p * n + i] = value(rank, i) + p;
    OK(RUN(Alltoall, alltoall, out, n, MPI_INT, in, n, MPI_INT, s->comm));
    for (int p = 0; p < s->others; p++)
        for (int i = 0; i < n; i++)
            CHECK(in[p * n + i] == value(other_at(s, p), i) + s->me);
    /* As many as the ranks on both sides together say. */
    for (int p = 0; p < s->others; p++) {
        send_counts[p] = counts[p] = n > 0 ? (p + s->me) % (n + 1) : 0;
        send_displs[p] = n * p, displs[p] = n * (s->others - 1 - p);
    }
    OK(RUN(Alltoallv, alltoallv, out, send_counts, send_displs, MPI_INT, in, counts, displs,
           MPI_INT, s->comm));
    for (int p = 0; p < s->others; p++)
        for (int i = 0; i < counts[p]; i++)
            CHECK(in[displs[p] + i] == value(other_at(s, p), i) + s->me);
    for (int p = 0; p < s->others; p++) {
        send_displs[p] *= (int)sizeof(int), displs[p] *= (int)sizeof(int);
        types[p] = p % 2 ? MPI_INT : MPI_INT32_T;
    }
    OK(RUN(Alltoallw, alltoallw, out, send_counts, send_displs, types, in, counts, displs, types,
           s->comm));
    for (int p = 0; p < s->others; p++)
        for (int i = 0; i < counts[p]; i++)
            CHECK(in[displs[p] / (int)sizeof(int) + i] == value(other_at(s, p), i) + s->me);

    for (int i = 0; i < n; i++)
        out[i] = value(rank, i);
    OK(RUN(Allreduce, allreduce, out, in, n, MPI_INT, MPI_SUM, s->comm));
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int p = 0; p < s->others; p++)
            sum += value(other_at(s, p), i);
        CHECK(in[i] == sum);
    }
    /* Both groups have vectors of one length, and divide them among themselves. */
    const int vector = n * s->locals * s->others, part = n * s->others;
    for (int i = 0; i < vector; i++)
        out[i] = value(rank, i);
    OK(RUN(Reduce_scatter_block, reduce_scatter_block, out, in, part, MPI_INT, MPI_SUM, s->comm));
    for (int i = 0; i < part; i++) {
        int sum = 0;
        for (int p = 0; p < s->others; p++)
            sum += value(other_at(s, p), s->me * part + i);
        CHECK(in[i] == sum);
    }
    /* The last one gets all. */
    for (int p = 0; p < s->locals; p++)
        counts[p] = p == s->locals - 1 ? vector : 0;
    OK(RUN(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, s->comm));
    for (int i = 0; i < counts[s->me]; i++) {
        int sum = 0;
        for (int p = 0; p < s->others; p++)
            sum += value(other_at(s, p), i);
        CHECK(in[i] == sum);
    }
    free(out);
    free(in);
}

/* Puts two pairs (a, b) of the function ax + b together; the order matters. */
static void compose(void *input, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned *first = input;
    unsigned *second = inout;
    CHECK(*type == MPI_UNSIGNED && *count % 2 == 0);
    for (int i = 0; i < *count; i += 2) {
        second[i + 1] += second[i] * first[i + 1];
        second[i] *= first[i];
    }
}

static void ordered(const struct sides *s)
{
    unsigned pair[2] = { (unsigned)rank + 2, (unsigned)rank + 1 }, result[2], a = 1, b = 0;
    MPI_Op op;
    OK(MPI_Op_create(compose, 0, &op));
    OK(RUN(Allreduce, allreduce, pair, result, 2, MPI_UNSIGNED, op, s->comm));
    for (int p = 0; p < s->others; p++) {
        const unsigned other = (unsigned)other_at(s, p);
        b = (other + 2) * b + other + 1, a *= other + 2;
    }
    CHECK(result[0] == a && result[1] == b);
    OK(MPI_Op_free(&op));
}

/* What is not defined between groups. */
static void mistakes(const struct sides *s)
{
    int in[64] = { 0 }, out[64] = { 0 }, counts[8] = { 0 };
    MPI_Comm comm;
    FAILS(MPI_ERR_COMM, RUN(Scan, scan, out, in, 1, MPI_INT, MPI_SUM, s->comm));
    FAILS(MPI_ERR_COMM, RUN(Exscan, exscan, out, in, 1, MPI_INT, MPI_SUM, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Allreduce, allreduce, MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Allgather, allgather, MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Allgatherv, allgatherv, MPI_IN_PLACE, 1, MPI_INT, in, counts, counts,
                              MPI_INT, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Alltoall, alltoall, MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, in, 1,
                              MPI_INT, MPI_SUM, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Gather, gather, MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, 0, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Gather, gather, out, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, MPI_ROOT,
                              s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Scatter, scatter, out, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, s->comm));
    FAILS(MPI_ERR_BUFFER, RUN(Reduce, reduce, MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, 0, s->comm));
    FAILS(MPI_ERR_ROOT, RUN(Bcast, bcast, in, 1, MPI_INT, s->others, s->comm));
    FAILS(MPI_ERR_ROOT, RUN(Bcast, bcast, in, 1, MPI_INT, -1, s->comm));
    FAILS(MPI_ERR_ROOT, RUN(Bcast, bcast, in, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(s->comm, 0, MPI_COMM_WORLD, 0, 0, &comm));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &comm));
    FAILS(MPI_ERR_COMM, MPI_Comm_remote_size(MPI_COMM_WORLD, in));
    FAILS(MPI_ERR_COMM, MPI_Comm_create_group(s->comm, MPI_GROUP_EMPTY, 0, &comm));
}

static void collectives(const struct sides *s)
{
    static const int lengths[] = { 0, 1, 5, 3000 };
    for (way = 0; way < WAYS; way++) {
        for (int i = 0; i < 4; i++) {
            rooted(s, lengths[i]);
            all(s, lengths[i]);
        }
        ordered(s);
        mistakes(s);
    }
}

/* Counts the copies. */
static int copied, deleted;
static int copy(MPI_Comm comm, int key, void *extra, void *value_in, void *value_out, int *flag)
{
    (void)comm, (void)key;
    CHECK(extra == &copied);
    copied++;
    *(void **)value_out = value_in;
    *flag = 1;
    return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int key, void *value_in, void *extra)
{
    (void)comm, (void)key, (void)extra;
    CHECK(value_in == &deleted);
    deleted++;
    return MPI_SUCCESS;
}

static int handled;
static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    CHECK(class_of(*code) == MPI_ERR_RANK);
    handled++;
}

static void duplicates(const struct sides *s)
{
    MPI_Comm one, other, third, fourth;
    MPI_Request requests[2];
    MPI_Info info;
    MPI_Errhandler handler, before;
    int key, flag, length = 9, same;
    void *found;
    char text[MPI_MAX_OBJECT_NAME];
    struct sides copy_of = *s;

    OK(MPI_Comm_create_keyval(copy, delete, &key, &copied));
    OK(MPI_Comm_set_attr(s->comm, key, &deleted));
    OK(MPI_Comm_set_name(s->comm, "between"));
    copied = deleted = 0;
    OK(MPI_Comm_dup(s->comm, &one));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_exact_length", "true"));
    OK(MPI_Comm_dup_with_info(s->comm, info, &other));
    OK(MPI_Comm_idup(s->comm, &third, &requests[0]));
    OK(MPI_Comm_idup_with_info(s->comm, info, &fourth, &requests[1]));
    OK(MPI_Info_free(&info));
    copy_of.comm = one;
    shape(&copy_of);
    /* While the others are made. */
    OK(MPI_Barrier(s->comm));
    messages(&copy_of);
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(copied == 4 && deleted == 0);
    OK(MPI_Comm_get_attr(third, key, &found, &flag));
    CHECK(flag && found == &deleted);
    OK(MPI_Comm_get_name(s->comm, text, &length));
    CHECK(!strcmp(text, "between") && length == 7);
    OK(MPI_Comm_compare(s->comm, one, &same));
    CHECK(same == MPI_CONGRUENT);
    OK(MPI_Comm_compare(third, fourth, &same));
    CHECK(same == MPI_CONGRUENT);
    OK(MPI_Comm_get_info(fourth, &info));
    length = sizeof text;
    OK(MPI_Info_get_string(info, "mpi_assert_exact_length", &length, text, &flag));
    CHECK(flag && !strcmp(text, "true"));
    OK(MPI_Info_free(&info));
    MPI_Comm comms[] = { other, third, fourth };
    for (int i = 0; i < 3; i++) {
        copy_of.comm = comms[i];
        shape(&copy_of);
        way = NONBLOCKING;
        all(&copy_of, 2);
        OK(MPI_Comm_free(&comms[i]));
        CHECK(comms[i] == MPI_COMM_NULL);
    }

    OK(MPI_Comm_create_errhandler(handle, &handler));
    OK(MPI_Comm_get_errhandler(one, &before));
    CHECK(before == MPI_ERRORS_RETURN); /* as its parent */
    OK(MPI_Comm_set_errhandler(one, handler));
    handled = 0;
    MPI_Send(NULL, 0, MPI_INT, s->others, 0, one);
    CHECK(handled == 1);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&one));
    CHECK(deleted == 4);
    OK(MPI_Comm_delete_attr(s->comm, key));
    OK(MPI_Comm_free_keyval(&key));
}

/* Parts of both groups. */
static void parts(const struct sides *s)
{
    MPI_Comm comm;
    MPI_Group own, some;
    int n, flag;
    /* The even and the odd ranks, from the last to the first. */
    const int color = s->me % 2;
    const int here = (s->locals + 1 - color) / 2, there = (s->others + 1 - color) / 2;
    OK(MPI_Comm_split(s->comm, color, -s->me, &comm));
    CHECK((comm == MPI_COMM_NULL) == (there == 0));
    if (comm != MPI_COMM_NULL) {
        int locals[8], others[8];
        struct sides part = { comm, here - 1 - s->me / 2, here, there, s->side, { 0 } };
        for (int p = 0; p < here; p++)
            locals[p] = local_at(s, 2 * (here - 1 - p) + color);
        for (int p = 0; p < there; p++)
            others[p] = other_at(s, 2 * (there - 1 - p) + color);
        part.world[s->side] = locals;
        part.world[1 - s->side] = others;
        shape(&part);
        messages(&part);
        way = BLOCKING;
        all(&part, 3);
        rooted(&part, 3);
        OK(MPI_Comm_free(&comm));
    }
    /* Not everybody, and colors of one side only. */
    OK(MPI_Comm_split(s->comm, s->me == 0 ? 4 : MPI_UNDEFINED, 0, &comm));
    CHECK((comm != MPI_COMM_NULL) == (s->me == 0));
    if (comm != MPI_COMM_NULL) {
        OK(MPI_Comm_remote_size(comm, &n));
        CHECK(n == 1);
        OK(MPI_Barrier(comm));
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_split(s->comm, s->side, 0, &comm));
    CHECK(comm == MPI_COMM_NULL);
    FAILS(MPI_ERR_ARG, MPI_Comm_split(s->comm, -7, 0, &comm));

    OK(MPI_Comm_split_type(s->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    if (comm != MPI_COMM_NULL) {
        OK(MPI_Comm_test_inter(comm, &flag));
        OK(MPI_Comm_remote_size(comm, &n));
        CHECK(flag && (hosts() > 1 || n == s->others));
        OK(MPI_Barrier(comm));
        OK(MPI_Comm_free(&comm));
    } else {
        CHECK(hosts() > 1);
    }

    /* The first of one group and all but the first of the other, backwards. */
    OK(MPI_Comm_group(s->comm, &own));
    int ranks[8], many = 0;
    if (s->side == 0)
        ranks[many++] = 0;
    else
        for (int p = s->locals - 1; p > 0; p--)
            ranks[many++] = p;
    OK(MPI_Group_incl(own, many, ranks, &some));
    OK(MPI_Comm_create(s->comm, some, &comm));
    const int ones = s->side == 0 ? s->others - 1 : s->locals - 1;
    const int in = (s->side == 0) == (s->me == 0) && ones > 0;
    CHECK((comm != MPI_COMM_NULL) == in);
    if (comm != MPI_COMM_NULL) {
        OK(MPI_Comm_rank(comm, &n));
        CHECK(n == (s->side == 0 ? 0 : s->locals - 1 - s->me));
        OK(MPI_Comm_remote_size(comm, &n));
        CHECK(n == (s->side == 0 ? ones : 1));
        int got = -1;
        way = BLOCKING;
        OK(MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_MAX, comm));
        int most = 0;
        for (int p = s->side == 0; p < s->others; p++)
            most = other_at(s, p) > most ? other_at(s, p) : most;
        CHECK(got == (s->side == 0 ? most : other_at(s, 0)));
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_create(s->comm, s->side ? own : MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);
    /* Processes of the other group: an error for all. */
    MPI_Group other;
    OK(MPI_Comm_remote_group(s->comm, &other));
    FAILS(MPI_ERR_GROUP, MPI_Comm_create(s->comm, s->side ? other : own, &comm));
    OK(MPI_Group_free(&other));
    OK(MPI_Group_free(&some));
    OK(MPI_Group_free(&own));
}

static void merged(const struct sides *s)
{
    MPI_Comm comm;
    int n, flag, sum;
    for (int high = 0; high < 2; high++)
        for (int other = 0; other < 2; other++) {
            const int mine = s->side == 0 ? high : other, theirs = s->side == 0 ? other : high;
            OK(MPI_Intercomm_merge(s->comm, mine, &comm));
            OK(MPI_Comm_test_inter(comm, &flag));
            CHECK(!flag);
            OK(MPI_Comm_size(comm, &n));
            CHECK(n == s->locals + s->others);
            OK(MPI_Comm_rank(comm, &n));
            if (mine != theirs)
                CHECK(n == s->me + (mine ? s->others : 0));
            else
                CHECK(n == s->me || n == s->me + s->others);
            OK(MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, comm));
            n = s->locals + s->others;
            CHECK(sum == n * (n - 1) / 2);
            OK(MPI_Comm_free(&comm));
        }
    if (s->locals > 1) /* they differ in one group, and both learn it */
        n = s->me == 0;
    else
        n = 0;
    if (s->locals > 1 || s->others > 1)
        FAILS(MPI_ERR_ARG, MPI_Intercomm_merge(s->comm, n, &comm));
}

/* Everything with one intercommunicator. */
static void everything(const struct sides *s, int thorough)
{
    shape(s);
    messages(s);
    way = BLOCKING;
    all(s, 2);
    if (!thorough)
        return;
    collectives(s);
    duplicates(s);
    parts(s);
    merged(s);
}

/* The first `border` processes and the rest of them; the leaders are the last ones if wanted. */
static void halves(int border, int backwards, int thorough)
{
    MPI_Comm half, inter;
    int worlds[2][8], counts[2] = { 0, 0 };
    const int side = rank >= border;
    OK(MPI_Comm_split(MPI_COMM_WORLD, side, backwards ? -rank : rank, &half));
    for (int p = 0; p < size; p++) {
        const int of = backwards ? size - 1 - p : p;
        worlds[of >= border][counts[of >= border]++] = of;
    }
    /* Leaders: the last in one group, the first in the other. */
    const int leaders[2] = { counts[0] - 1, 0 };
    OK(MPI_Intercomm_create(half, leaders[side], MPI_COMM_WORLD,
                            worlds[1 - side][leaders[1 - side]], 40 + border, &inter));
    struct sides s = { inter, backwards ? counts[side] - 1 - (rank - (side ? border : 0))
                                        : rank - (side ? border : 0),
                       counts[side], counts[1 - side], side, { worlds[0], worlds[1] } };
    everything(&s, thorough);
    OK(MPI_Comm_free(&inter));
    CHECK(inter == MPI_COMM_NULL);
    OK(MPI_Comm_free(&half));
}

/* Many at once, each with its own number; also through an intercommunicator between the leaders. */
static void many(void)
{
    enum { N = 10 };
    MPI_Comm half, inters[N], through;
    int worlds[2][8], counts[2] = { 0, 0 };
    const int side = rank % 2;
    for (int p = 0; p < size; p++)
        worlds[p % 2][counts[p % 2]++] = p;
    OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
    for (int i = 0; i < N; i++)
        OK(MPI_Intercomm_create(half, i % counts[side], MPI_COMM_WORLD,
                                worlds[1 - side][i % counts[1 - side]], i, &inters[i]));
    for (int i = 0; i < N; i++) {
        int sum, n = i, expected = i * counts[1 - side];
        OK(MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, inters[i]));
        CHECK(sum == expected);
    }
    /* A message on one is none on another. */
    int flag, got;
    MPI_Request request;
    OK(MPI_Isend(&rank, 1, MPI_INT, rank / 2 % counts[1 - side], 3, inters[0], &request));
    OK(MPI_Barrier(inters[1]));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inters[1], &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    for (int p = 0; p < counts[1 - side]; p++)
        if (p % counts[side] == rank / 2) {
            OK(MPI_Recv(&got, 1, MPI_INT, p, 3, inters[0], MPI_STATUS_IGNORE));
            CHECK(got == worlds[1 - side][p]);
        }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

    OK(MPI_Intercomm_create(half, 0, inters[3], 0, 9, &through));
    struct sides s = { through, rank / 2, counts[side], counts[1 - side], side,
                       { worlds[0], worlds[1] } };
    everything(&s, 0);
    OK(MPI_Comm_free(&through));
    for (int i = 0; i < N; i++)
        OK(MPI_Comm_free(&inters[i]));
    OK(MPI_Comm_free(&half));
}

/* What can't become an intercommunicator. */
static void refused(void)
{
    MPI_Comm half, inter;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half));
    /* Both groups are one and the same. */
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 0, 1, &inter));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, rank, 1, &inter));
    /* The leader finds the mistake, and the others learn of it. */
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, size, 1, &inter));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(half, 0, MPI_COMM_NULL, 0, 1, &inter));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(half, size, MPI_COMM_WORLD, 0, 1, &inter));
    FAILS(MPI_ERR_TAG, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 0, -1, &inter));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(MPI_COMM_NULL, 0, MPI_COMM_WORLD, 0, 1, &inter));
    OK(MPI_Comm_free(&half));
}

int main(void)
{
    begin(&rank, &size);
    for (int border = 1; border < size; border++) {
        halves(border, 0, border == 1 || border == size / 2);
        halves(border, 1, border == (size + 1) / 2);
    }
    if (size > 1)
        many();
    refused();
    MPI_Finalize();
    return 0;
}
