/* Windows to which memory is attached when they are there already. */
#include "check.h"

static int rank, size, to, from;

enum { PIECES = 12, LENGTH = 500 };

static MPI_Win dynamic(void)
{
    MPI_Win win;
    void *base;
    MPI_Aint *bytes;
    int flag, *flavor, *unit;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
    CHECK(flag && base == MPI_BOTTOM);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag && *bytes == 0);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK(flag && *unit == 1);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_DYNAMIC);
    return win;
}

/* Where the next process has something. */
static MPI_Aint address_at(const void *own)
{
    MPI_Aint address, other;
    OK(MPI_Get_address(own, &address));
    OK(MPI_Sendrecv(&address, 1, MPI_AINT, from, 0, &other, 1, MPI_AINT, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return other;
}

/* Pieces of the heap, the stack and static memory; any operation; parts of a piece. */
static void pieces(void)
{
    static long fixed[LENGTH];
    long local[LENGTH], *heap = malloc(sizeof fixed), in[LENGTH], out[LENGTH], one = 1, old = -1, swapped = 99;
    MPI_Win win = dynamic();
    CHECK(heap != NULL);
    long *all[] = { fixed, local, heap };
    for (int n = 0; n < 3; n++) {
        MPI_Aint there = address_at(all[n]);
        memset(all[n], 0, sizeof fixed);
        OK(MPI_Win_attach(win, all[n], sizeof fixed));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int k = 0; k < LENGTH; k++) in[k] = 1000 * n + k + rank, out[k] = -1;
        OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win));
        OK(MPI_Put(in, LENGTH, MPI_LONG, to, there, LENGTH, MPI_LONG, win));
        OK(MPI_Win_flush(to, win));
        OK(MPI_Get(out, LENGTH - 7, MPI_LONG, to, MPI_Aint_add(there, 7 * sizeof(long)), LENGTH - 7, MPI_LONG, win));
        OK(MPI_Win_flush(to, win));
        CHECK(memcmp(out, in + 7, sizeof(long) * (LENGTH - 7)) == 0);
        OK(MPI_Accumulate(&one, 1, MPI_LONG, to, there + 8, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, to, there + 8, MPI_SUM, win));
        OK(MPI_Win_flush(to, win));
        CHECK(old == in[1] + 1);
        old += 1;
        OK(MPI_Compare_and_swap(&swapped, &old, &out[0], MPI_LONG, to, there + 8, win));
        OK(MPI_Win_unlock(to, win));
        CHECK(out[0] == in[1] + 2);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
        CHECK(all[n][0] == 1000 * n + from && all[n][1] == 99 && all[n][LENGTH - 1] == 1000 * n + LENGTH - 1 + from);
        OK(MPI_Win_unlock(rank, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 0; n < 3; n++) OK(MPI_Win_detach(win, all[n]));
    OK(MPI_Win_free(&win));
    free(heap);
}

/* Attached and detached again and again, neighbors in memory and in any order, while other pieces are in use. */
static void again(void)
{
    static long memory[PIECES][LENGTH];
    long value, seen;
    MPI_Win win = dynamic();
    MPI_Aint there = address_at(memory);
    for (int round = 0; round < 4; round++) {
        for (int n = 0; n < PIECES; n++) OK(MPI_Win_attach(win, memory[(n * 5 + round) % PIECES], sizeof memory[0]));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_lock_all(0, win));
        for (int n = 0; n < PIECES; n++) {
            value = 10000 * round + 100 * n + rank;
            OK(MPI_Put(&value, 1, MPI_LONG, to, there + (MPI_Aint)((n + 1) * sizeof memory[0] - 8), 1, MPI_LONG, win));
            OK(MPI_Win_flush_local(to, win));
        }
        OK(MPI_Win_flush_all(win));
        for (int n = 0; n < PIECES; n++) {
            OK(MPI_Get(&seen, 1, MPI_LONG, to, there + (MPI_Aint)((n + 1) * sizeof memory[0] - 8), 1, MPI_LONG, win));
            OK(MPI_Win_flush(to, win));
            CHECK(seen == 10000 * round + 100 * n + rank);
        }
        OK(MPI_Win_unlock_all(win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int n = 0; n < PIECES; n++) OK(MPI_Win_detach(win, memory[(n * 7 + round) % PIECES]));
    }
    OK(MPI_Win_free(&win));
}

/* A list through the memory of all: each process appends elements, whose places are absolute addresses. */
struct node {
    struct { MPI_Aint rank, address; } next;
    long value;
};

static void list(void)
{
    enum { EACH = 10 };
    static struct node nodes[EACH], head = { { -1, 0 }, 0 };
    MPI_Win win = dynamic();
    struct { MPI_Aint rank, address; } first, at;
    MPI_Aint root;
    head.next.rank = -1;
    OK(MPI_Win_attach(win, &head, sizeof head));
    OK(MPI_Get_address(&head, &root));
    OK(MPI_Bcast(&root, 1, MPI_AINT, 0, MPI_COMM_WORLD));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 0; n < EACH; n++) {
        OK(MPI_Win_attach(win, &nodes[n], sizeof nodes[n]));
        nodes[n].value = 100 * rank + n;
        MPI_Aint own;
        OK(MPI_Get_address(&nodes[n], &own));
        /* In front of the others, under a lock of the head. */
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Get(&first, 2, MPI_AINT, 0, root, 2, MPI_AINT, win));
        OK(MPI_Win_flush(0, win));
        nodes[n].next.rank = first.rank, nodes[n].next.address = first.address;
        first.rank = rank, first.address = own;
        OK(MPI_Put(&first, 2, MPI_AINT, 0, root, 2, MPI_AINT, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Get(&at, 2, MPI_AINT, 0, root, 2, MPI_AINT, win));
    OK(MPI_Win_flush_all(win));
    long count = 0, sum = 0;
    while (at.rank >= 0) {
        struct node node;
        OK(MPI_Get(&node, sizeof node, MPI_BYTE, (int)at.rank, at.address, sizeof node, MPI_BYTE, win));
        OK(MPI_Win_flush((int)at.rank, win));
        CHECK(node.value / 100 == at.rank);
        at.rank = node.next.rank, at.address = node.next.address;
        count++, sum += node.value;
    }
    OK(MPI_Win_unlock_all(win));
    CHECK(count == EACH * size);
    CHECK(sum == 100L * EACH * size * (size - 1) / 2 + size * EACH * (EACH - 1) / 2);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 0; n < EACH; n++) OK(MPI_Win_detach(win, &nodes[n]));
    OK(MPI_Win_detach(win, &head));
    OK(MPI_Win_free(&win));
}

/* With fences and with groups, and with pieces of some ranks only. */
static void epochs(void)
{
    long memory[4] = { 0 }, value = 40 + rank;
    MPI_Win win = dynamic();
    MPI_Group all, targets, origins;
    MPI_Aint there = address_at(memory);
    if (rank % 2 == 0) OK(MPI_Win_attach(win, memory, sizeof memory));
    OK(MPI_Win_fence(0, win));
    if (to % 2 == 0) OK(MPI_Put(&value, 1, MPI_LONG, to, there + 8, 1, MPI_LONG, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK(memory[1] == (rank % 2 == 0 ? 40 + from : 0));
    if (rank % 2 == 0) OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_attach(win, memory, sizeof memory));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, 1, &to, &targets));
    OK(MPI_Group_incl(all, 1, &from, &origins));
    OK(MPI_Win_post(origins, 0, win));
    OK(MPI_Win_start(targets, 0, win));
    OK(MPI_Put(&value, 1, MPI_LONG, to, there + 16, 1, MPI_LONG, win));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    CHECK(memory[2] == 40 + from);
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&targets));
    OK(MPI_Group_free(&origins));
    /* What is still attached goes with the window. */
    OK(MPI_Win_free(&win));
}

int main(void)
{
    begin(&rank, &size);
    to = (rank + 1) % size, from = (rank + size - 1) % size;
    pieces();
    again();
    list();
    epochs();
    MPI_Finalize();
    return 0;
}
