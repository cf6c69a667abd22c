/* Nonblocking collectives: many at once, in any order of completion, and next to others. */
#include "check.h"

enum { MANY = 40, ROUNDS = 20 };

static int rank, size;

/* Many on one communicator, which complete in another order than they began. */
static void outstanding(MPI_Comm comm)
{
    static int in[MANY][64], out[MANY][64], order[MANY];
    MPI_Request requests[MANY];
    unsigned random = 12345; /* the processes complete them in different orders */
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MANY; i++) {
            for (int p = 0; p < size; p++)
                out[i][p] = rank + 10 * p + 100 * i;
            for (int p = 0; p < 64; p++)
                in[i][p] = -1;
            switch (i % 8) {
            case 0: OK(MPI_Ibarrier(comm, &requests[i])); break;
            case 1:
                in[i][0] = rank == i % size ? 100 * i : -1;
                OK(MPI_Ibcast(in[i], 1, MPI_INT, i % size, comm, &requests[i]));
                break;
            case 2:
                OK(MPI_Iallreduce(out[i], in[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]));
                break;
            case 3:
                OK(MPI_Ialltoall(out[i], 1, MPI_INT, in[i], 1, MPI_INT, comm, &requests[i]));
                break;
            case 4:
                OK(MPI_Iallgather(out[i], 1, MPI_INT, in[i], 1, MPI_INT, comm, &requests[i]));
                break;
            case 5:
                OK(MPI_Igather(out[i], 1, MPI_INT, in[i], 1, MPI_INT, i % size, comm,
                               &requests[i]));
                break;
            case 6:
                OK(MPI_Iscan(out[i], in[i], 1, MPI_INT, MPI_MAX, comm, &requests[i]));
                break;
            default:
                OK(MPI_Ireduce_scatter_block(out[i], in[i], 1, MPI_INT, MPI_MIN, comm,
                                             &requests[i]));
            }
        }
        for (int i = 0; i < MANY; i++)
            order[i] = i;
        for (int i = MANY - 1; i > 0; i--) {
            random = random * 1103515245u + 12345u + (unsigned)rank;
            const int other = (int)(random >> 16) % (i + 1), kept = order[i];
            order[i] = order[other], order[other] = kept;
        }
        for (int i = 0; i < MANY; i++) {
            int flag = 0;
            if (round % 2)
                OK(MPI_Wait(&requests[order[i]], MPI_STATUS_IGNORE));
            else
                while (!flag)
                    OK(MPI_Test(&requests[order[i]], &flag, MPI_STATUS_IGNORE));
            CHECK(requests[order[i]] == MPI_REQUEST_NULL);
        }
        for (int i = 0; i < MANY; i++) {
            const int sum = size * (size - 1) / 2;
            for (int p = 0; p < size; p++)
                switch (i % 8) {
                case 0: CHECK(in[i][p] == -1); break;
                case 1: CHECK(in[i][0] == 100 * i); break;
                case 2: CHECK(in[i][0] == sum + size * 100 * i); break;
                case 3: CHECK(in[i][p] == p + 10 * rank + 100 * i); break;
                case 4: CHECK(in[i][p] == p + 100 * i); break;
                case 5: CHECK(in[i][p] == (rank == i % size ? p + 100 * i : -1)); break;
                case 6: CHECK(in[i][0] == rank + 100 * i); break;
                default: CHECK(in[i][0] == 10 * rank + 100 * i);
                }
        }
    }
}

/* Blocking operations, messages and other communicators while some are under way. */
static void mixed(void)
{
    enum { LARGE = 100000 };
    static int large[LARGE], result[LARGE];
    int one = rank, sum, got, index, count, indices[3], n = 0;
    MPI_Comm other;
    MPI_Request requests[3];
    MPI_Status status;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    for (int i = 0; i < LARGE; i++)
        large[i] = rank + i;
    OK(MPI_Iallreduce(large, result, LARGE, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size * (size - 1) / 2);
    OK(MPI_Ibarrier(other, &requests[1]));
    OK(MPI_Bcast(&sum, 1, MPI_INT, size - 1, other));
    OK(MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Send(&one, 1, MPI_INT, (rank + size - 1) % size, 4, MPI_COMM_WORLD));
    while (n < 3) {
        if (n == 0) {
            OK(MPI_Waitany(3, requests, &index, &status));
            count = 1, indices[0] = index;
        } else {
            OK(MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE));
        }
        CHECK(count >= 1);
        n += count;
    }
    CHECK(got == (rank + 1) % size);
    for (int i = 0; i < LARGE; i++)
        CHECK(result[i] == size * (size - 1) / 2 + size * i);

    /* Its status is an empty one. */
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Wait(&requests[0], &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 0);

    /* The communicator may be freed before its operation is complete. */
    int before = rank, after = -1;
    OK(MPI_Iexscan(&before, &after, 1, MPI_INT, MPI_SUM, other, &requests[0]));
    OK(MPI_Comm_free(&other));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(after == (rank ? rank * (rank - 1) / 2 : -1));
}

static void add(void *input, void *inout, int *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)input)[i];
}

static void never(void *input, void *inout, int *count, MPI_Datatype *type)
{
    (void)input, (void)inout, (void)count, (void)type;
    CHECK(!"another operation was called");
}

/* What may and what may not be done with the arguments. */
static void rules(void)
{
    MPI_Op op, other;
    MPI_Request request;
    int in[3] = { 1, 2, rank }, out[3];
    OK(MPI_Op_create(add, 1, &op));
    OK(MPI_Iallreduce(in, out, 3, MPI_INT, op, MPI_COMM_WORLD, &request));
    OK(MPI_Op_free(&op));
    OK(MPI_Op_create(never, 1, &other));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(out[0] == size && out[1] == 2 * size && out[2] == size * (size - 1) / 2);
    OK(MPI_Op_free(&other));

    /* The arrays are read when it starts. */
    int counts[64], displs[64], all[64];
    MPI_Datatype types[64];
    for (int p = 0; p < size; p++)
        counts[p] = 1, displs[p] = (size - 1 - p) * (int)sizeof(int), types[p] = MPI_INT;
    for (int p = 0; p < size; p++)
        in[0] = rank;
    int each[64];
    for (int p = 0; p < size; p++)
        each[size - 1 - p] = 100 * rank + p;
    OK(MPI_Ialltoallw(each, counts, displs, types, all, counts, displs, types, MPI_COMM_WORLD,
                      &request));
    memset(counts, -1, sizeof counts);
    memset(displs, -1, sizeof displs);
    memset(types, 0, sizeof types);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int p = 0; p < size; p++)
        CHECK(all[size - 1 - p] == 100 * p + rank);

    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_REQUEST, MPI_Cancel(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Request_free(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

    FAILS(MPI_ERR_COMM, MPI_Ibarrier(MPI_COMM_NULL, &request));
    FAILS(MPI_ERR_ARG, MPI_Ibarrier(MPI_COMM_WORLD, NULL));
    FAILS(MPI_ERR_ROOT, MPI_Ibcast(in, 1, MPI_INT, size, MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_COUNT, MPI_Ibcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_TYPE, MPI_Ibcast(in, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_OP, MPI_Iallreduce(in, out, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_BUFFER, MPI_Iallreduce(NULL, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
}

/* Large counts take the same way. */
static void large_counts(void)
{
    MPI_Count counts[64];
    MPI_Aint displs[64];
    MPI_Request request;
    int in[64], own[2] = { rank, -rank };
    for (int p = 0; p < size; p++)
        counts[p] = 2, displs[p] = 2 * (size - 1 - p);
    OK(MPI_Iallgatherv_c(own, 2, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int p = 0; p < size; p++)
        CHECK(in[2 * (size - 1 - p)] == p && in[2 * (size - 1 - p) + 1] == -p);
    OK(MPI_Ireduce_c(own, in, 2, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(rank || (in[0] == 0 && in[1] == 1 - size));
}

int main(void)
{
    MPI_Comm comm;
    begin(&rank, &size);
    outstanding(MPI_COMM_WORLD);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    outstanding(comm);
    OK(MPI_Comm_free(&comm));
    mixed();
    rules();
    large_counts();
    MPI_Finalize();
    return 0;
}
