/* Threads of all processes that operate on one window at the same time, between lock_all and unlock_all: what they
   add is there in the end, tickets are given once, and what a thread puts to its own place it gets again. */
#ifndef RMA_CROWD_H
#define RMA_CROWD_H

#include <pthread.h>

#include "rma_types.h"

enum { MOST_CROWD = 32, COUNTERS = 3, OWN_BYTES = 4096, CROWD_STEPS = 60, MOST_TICKETS = MOST_CROWD * CROWD_STEPS };

/* Words of each rank: tickets, sums, counters that are swapped; then the places of the threads of all ranks. */
enum { TICKETS = 0, SUMS = COUNTERS, SWAPS = 2 * COUNTERS, SHARED_WORDS = 3 * COUNTERS };

static struct {
    int rank, size, threads;
    MPI_Win win;
} crowd;

struct member {
    int number;
    Random random;
    long added[8][COUNTERS], swapped[8][COUNTERS], tickets;
    struct { int target, counter; long value; } ticket[CROWD_STEPS];
    unsigned char out[OWN_BYTES], back[OWN_BYTES];
};

static inline MPI_Aint own_place(const struct member *member)
{
    return (MPI_Aint)(SHARED_WORDS * 8 + (crowd.rank * crowd.threads + member->number) * OWN_BYTES);
}

static inline void flush_somehow(struct member *member, int target)
{
    if (once_in(&member->random, 3))
        OK(MPI_Win_flush_all(crowd.win));
    else
        OK(MPI_Win_flush(target, crowd.win));
}

static inline void put_and_get(struct member *member, int target)
{
    Random *random = &member->random;
    MPI_Win win = crowd.win;
    MPI_Request request;
    int count = (int)below(random, once_in(random, 4) ? OWN_BYTES : 40), at = (int)below(random, OWN_BYTES - count + 1);
    MPI_Aint disp = own_place(member) + at;
    for (int n = 0; n < count; n++) member->out[n] = (unsigned char)next(random);
    memset(member->back, 0, sizeof member->back);
    if (once_in(random, 2)) {
        OK(MPI_Put(member->out, count, MPI_BYTE, target, disp, count, MPI_BYTE, win));
    } else {
        OK(MPI_Rput(member->out, count, MPI_BYTE, target, disp, count, MPI_BYTE, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    flush_somehow(member, target);
    if (once_in(random, 2)) {
        OK(MPI_Get(member->back, count, MPI_BYTE, target, disp, count, MPI_BYTE, win));
        if (once_in(random, 2))
            OK(MPI_Win_flush_local(target, win));
        else
            flush_somehow(member, target);
    } else {
        OK(MPI_Rget(member->back, count, MPI_BYTE, target, disp, count, MPI_BYTE, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK(memcmp(member->out, member->back, (size_t)count) == 0);
    flush_somehow(member, target);
}

static inline void swap_up(struct member *member, int target, int counter)
{
    int64_t old, seen, wanted;
    MPI_Aint disp = (SWAPS + counter) * 8;
    OK(MPI_Fetch_and_op(NULL, &old, MPI_INT64_T, target, disp, MPI_NO_OP, crowd.win));
    OK(MPI_Win_flush(target, crowd.win));
    for (;; old = seen) {
        wanted = old + 1;
        OK(MPI_Compare_and_swap(&wanted, &old, &seen, MPI_INT64_T, target, disp, crowd.win));
        OK(MPI_Win_flush(target, crowd.win));
        if (seen == old) break;
        CHECK(seen > old);
    }
    member->swapped[target][counter]++;
}

static inline void *crowd_member(void *argument)
{
    struct member *member = argument;
    Random *random = &member->random;
    MPI_Request request;
    for (int step = 0; step < CROWD_STEPS; step++) {
        int target = (int)below(random, crowd.size), counter = (int)below(random, COUNTERS);
        int64_t one = 1, old, values[COUNTERS], olds[COUNTERS];
        for (int c = 0; c < COUNTERS; c++) values[c] = below(random, 1000);
        switch (below(random, 6)) {
        case 0:
        case 1:
            OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, (TICKETS + counter) * 8, MPI_SUM, crowd.win));
            flush_somehow(member, target);
            member->ticket[member->tickets].target = target;
            member->ticket[member->tickets].counter = counter;
            member->ticket[member->tickets++].value = old;
            break;
        case 2:
            OK(MPI_Accumulate(values, COUNTERS, MPI_INT64_T, target, SUMS * 8, COUNTERS, MPI_INT64_T, MPI_SUM, crowd.win));
            OK(MPI_Win_flush_local(target, crowd.win));
            for (int c = 0; c < COUNTERS; c++) member->added[target][c] += values[c];
            break;
        case 3:
            OK(MPI_Rget_accumulate(values, COUNTERS, MPI_INT64_T, olds, COUNTERS, MPI_INT64_T, target, SUMS * 8, COUNTERS,
                                   MPI_INT64_T, MPI_SUM, crowd.win, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            for (int c = 0; c < COUNTERS; c++) {
                CHECK(olds[c] >= member->added[target][c]);
                member->added[target][c] += values[c];
            }
            break;
        case 4: swap_up(member, target, counter); break;
        default: put_and_get(member, target);
        }
    }
    return NULL;
}

/* One program of threads, on memory of the program (0), of a window (1), shared (2) or of MPI_Alloc_mem (3). */
static inline void run_crowd(uint64_t seed, int threads, int flavor)
{
    enum { WORDS = 8 * COUNTERS };
    pthread_t ids[MOST_CROWD];
    int64_t *base, sums[2][8][COUNTERS] = { 0 };
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &crowd.rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &crowd.size));
    CHECK(threads <= MOST_CROWD && crowd.size <= 8);
    crowd.threads = threads;
    MPI_Aint bytes = SHARED_WORDS * 8 + (MPI_Aint)crowd.size * threads * OWN_BYTES;
    void *memory = NULL;
    if (flavor % 3 == 0) {
        if (flavor == 0)
            memory = malloc((size_t)bytes);
        else
            OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory));
        CHECK(memory != NULL);
        base = memory;
        OK(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &crowd.win));
    } else if (flavor == 1) {
        OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &crowd.win));
    } else {
        OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &crowd.win));
    }
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, crowd.rank, 0, crowd.win));
    memset(base, 0, (size_t)bytes);
    OK(MPI_Win_unlock(crowd.rank, crowd.win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, crowd.win));
    struct member *members = calloc((size_t)threads, sizeof *members);
    int *given = calloc((size_t)8 * COUNTERS * MOST_TICKETS, sizeof *given);
    CHECK(members && given);
    for (int t = 0; t < threads; t++) {
        members[t].number = t;
        members[t].random.state = mixed(seed * 64 + (uint64_t)(crowd.rank * MOST_CROWD + t));
        CHECK(pthread_create(&ids[t], NULL, crowd_member, &members[t]) == 0);
    }
    for (int t = 0; t < threads; t++) CHECK(pthread_join(ids[t], NULL) == 0);
    OK(MPI_Win_unlock_all(crowd.win));
    for (int t = 0; t < threads; t++) {
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < COUNTERS; c++) {
                sums[0][r][c] += members[t].added[r][c];
                sums[1][r][c] += members[t].swapped[r][c];
            }
        for (long n = 0; n < members[t].tickets; n++) {
            long value = members[t].ticket[n].value;
            CHECK(value >= 0 && value < MOST_TICKETS);
            given[(members[t].ticket[n].target * COUNTERS + members[t].ticket[n].counter) * MOST_TICKETS + value]++;
        }
    }
    OK(MPI_Allreduce(MPI_IN_PLACE, sums, 2 * WORDS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Allreduce(MPI_IN_PLACE, given, 8 * COUNTERS * MOST_TICKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, crowd.rank, 0, crowd.win));
    for (int c = 0; c < COUNTERS; c++) {
        CHECK(base[SUMS + c] == sums[0][crowd.rank][c]);
        CHECK(base[SWAPS + c] == sums[1][crowd.rank][c]);
        int64_t total = base[TICKETS + c];
        for (int64_t n = 0; n < MOST_TICKETS; n++)
            CHECK(given[(crowd.rank * COUNTERS + c) * MOST_TICKETS + n] == (n < total));
    }
    OK(MPI_Win_unlock(crowd.rank, crowd.win));
    OK(MPI_Win_free(&crowd.win));
    if (flavor == 3)
        OK(MPI_Free_mem(memory));
    else
        free(memory);
    free(members), free(given);
}

#endif
