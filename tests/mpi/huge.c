/* Messages and collective operations of more than 2^31 elements and bytes. A buffer is one small file that
   is mapped again and again, so it takes hardly any memory; around the places where numbers of 31 or 32
   bits end it has memory of its own, in which the data is checked. The argument says what is tried. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static int rank, size;

static const int64_t G2 = (int64_t)1 << 31, G4 = (int64_t)1 << 32;

/* --- Buffers */

/* Half of a piece that has its own memory, and where these pieces lie besides the ends. */
enum { HALF = 1 << 16, PLACES = 7 };
static const int64_t places[PLACES] = {
    1 << 20, (int64_t)1 << 30, (int64_t)1 << 31, (int64_t)3 << 30, (int64_t)1 << 32, (int64_t)5 << 30,
    (int64_t)1 << 33
};

struct buffer {
    unsigned char *at;
    int64_t bytes, mapped;
};

/* Not a power of two, so that an offset without its high bits leads elsewhere in the file. */
enum { FILE_BYTES = (16 << 20) + 3 * 65536 };

static int file(void)
{
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("huge", MFD_CLOEXEC);
        CHECK(fd >= 0 && ftruncate(fd, FILE_BYTES) == 0);
    }
    return fd;
}


static int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }

static int pieces(const struct buffer *buffer, int number, int64_t *from, int64_t *to)
{
    const int64_t middle = number < PLACES ? places[number]
                           : number == PLACES ? 0 : buffer->bytes & ~(int64_t)65535;
    *from = middle < HALF ? 0 : middle - HALF;
    *to = least(middle + 2 * HALF, buffer->mapped);
    return *from < *to;
}

static struct buffer make(int64_t bytes)
{
    struct buffer buffer = { NULL, bytes, (bytes + 3 * HALF) & ~(int64_t)65535 };
    int64_t from, to;
    buffer.at = mmap(NULL, (size_t)buffer.mapped, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(buffer.at != MAP_FAILED);
    for (int64_t done = 0; done < buffer.mapped; done += FILE_BYTES)
        CHECK(mmap(buffer.at + done, (size_t)least(FILE_BYTES, buffer.mapped - done),
                   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file(), 0) != MAP_FAILED);
    for (int n = 0; n < PLACES + 2; n++)
        if (pieces(&buffer, n, &from, &to))
            CHECK(mmap(buffer.at + from, (size_t)(to - from), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
    return buffer;
}

static void unmake(struct buffer *buffer)
{
    CHECK(munmap(buffer->at, (size_t)buffer->mapped) == 0);
}

static unsigned char byte_of(int seed, int64_t place)
{
    return (unsigned char)(((uint64_t)place + (uint64_t)seed * 0x10001) * 0x9e3779b97f4a7c15u >> 56);
}

/* The data of a sender; `first` is what its first byte is in the whole. What is behind it is as in an empty
   buffer. */
static void fill(struct buffer *buffer, int seed, int64_t first)
{
    int64_t from, to;
    for (int n = 0; n < PLACES + 2; n++)
        if (pieces(buffer, n, &from, &to))
            for (int64_t i = from; i < to; i++)
                buffer->at[i] = i < buffer->bytes ? byte_of(seed, first + i) : 0xee;
}

static void empty(struct buffer *buffer)
{
    int64_t from, to;
    for (int n = 0; n < PLACES + 2; n++)
        if (pieces(buffer, n, &from, &to))
            memset(buffer->at + from, 0xee, (size_t)(to - from));
}

/* Some bytes of a buffer are those of a sender from its byte number `first` on. Only what both sides have
   memory for is compared. */
static void part_is(struct buffer *buffer, int64_t start, int64_t bytes, int seed, int64_t first,
                    const struct buffer *sender)
{
    int64_t from, to, there, end;
    for (int n = 0; n < PLACES + 2; n++) {
        if (!pieces(buffer, n, &from, &to))
            continue;
        for (int m = 0; m < PLACES + 2; m++) {
            if (!pieces(sender, m, &there, &end))
                continue;
            int64_t low = there - first + start, high = end - first + start;
            low = low > from ? low : from, high = least(high, to);
            low = low > start ? low : start, high = least(high, start + bytes);
            for (int64_t i = low; i < high; i++)
                CHECK(buffer->at[i] == byte_of(seed, i - start + first));
        }
    }
}

/* A buffer is what was sent from another one of the same length, and nothing behind it was written. */
static void is(struct buffer *buffer, int seed)
{
    int64_t from, to;
    part_is(buffer, 0, buffer->bytes, seed, 0, buffer);
    CHECK(pieces(buffer, PLACES + 1, &from, &to) && to > buffer->bytes);
    for (int64_t i = buffer->bytes; i < to; i++)
        CHECK(buffer->at[i] == 0xee);
}

/* --- Messages */

enum { SENDS = 13, RECEIVES = 6 };

static void ended(MPI_Request *request, MPI_Status *status)
{
    OK(MPI_Wait(request, status));
    if (*request != MPI_REQUEST_NULL)
        OK(MPI_Request_free(request));
}

static void send_by(int way, struct buffer *out, MPI_Count count, MPI_Datatype type, int to)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct buffer attached;
    void *at;
    MPI_Count bytes;
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int buffered = way == 3 || way == 7 || way == 11;
    if (buffered) {
        attached = make(out->bytes + MPI_BSEND_OVERHEAD);
        OK(MPI_Buffer_attach_c(attached.at, attached.bytes));
    }
    switch (way) {
    case 0: OK(MPI_Send_c(out->at, count, type, to, way, comm)); break;
    case 1: OK(MPI_Ssend_c(out->at, count, type, to, way, comm)); break;
    case 2: OK(MPI_Rsend_c(out->at, count, type, to, way, comm)); break;
    case 3: OK(MPI_Bsend_c(out->at, count, type, to, way, comm)); break;
    case 4: OK(MPI_Isend_c(out->at, count, type, to, way, comm, &request)); break;
    case 5: OK(MPI_Issend_c(out->at, count, type, to, way, comm, &request)); break;
    case 6: OK(MPI_Irsend_c(out->at, count, type, to, way, comm, &request)); break;
    case 7: OK(MPI_Ibsend_c(out->at, count, type, to, way, comm, &request)); break;
    case 8: OK(MPI_Send_init_c(out->at, count, type, to, way, comm, &request)); break;
    case 9: OK(MPI_Ssend_init_c(out->at, count, type, to, way, comm, &request)); break;
    case 10: OK(MPI_Rsend_init_c(out->at, count, type, to, way, comm, &request)); break;
    case 11: OK(MPI_Bsend_init_c(out->at, count, type, to, way, comm, &request)); break;
    /* Counts that an int holds, of more bytes. */
    default: OK(MPI_Send(out->at, (int)count, type, to, way, comm)); break;
    }
    if (way >= 8 && way <= 11)
        OK(MPI_Start(&request));
    ended(&request, MPI_STATUS_IGNORE);
    if (buffered) {
        OK(MPI_Buffer_detach_c(&at, &bytes));
        CHECK(at == attached.at && bytes == attached.bytes);
        unmake(&attached);
    }
}

static void counts_are(MPI_Status *status, MPI_Count count, MPI_Datatype type, int64_t bytes)
{
    MPI_Count got = -1;
    int small = -1;
    OK(MPI_Get_count_c(status, type, &got));
    CHECK(got == count);
    OK(MPI_Get_count_c(status, MPI_BYTE, &got));
    CHECK(got == bytes);
    OK(MPI_Get_elements_c(status, type, &got));
    CHECK(got == count);
    OK(MPI_Get_count(status, MPI_BYTE, &small));
    CHECK(small == (bytes > INT_MAX ? MPI_UNDEFINED : (int)bytes));
    OK(MPI_Get_count(status, type, &small));
    CHECK(small == (count > INT_MAX ? MPI_UNDEFINED : (int)count));
}

/* Receives with more room than needed. */
static void receive_by(int way, struct buffer *in, MPI_Count count, MPI_Datatype type, int from, int tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status;
    const MPI_Comm comm = MPI_COMM_WORLD;
    int each;
    OK(MPI_Type_size(type, &each));
    const MPI_Count room = count + (way % 2 ? 4096 / each : 0);
    const int64_t bytes = (int64_t)count * each;
    switch (way) {
    case 0: OK(MPI_Recv_c(in->at, room, type, from, tag, comm, &status)); break;
    case 1:
        OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
        counts_are(&status, count, type, bytes);
        CHECK(status.MPI_SOURCE == from && status.MPI_TAG == tag);
        OK(MPI_Recv_c(in->at, room, type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
        break;
    case 2: OK(MPI_Irecv_c(in->at, room, type, from, tag, comm, &request)); break;
    case 3: OK(MPI_Recv_init_c(in->at, room, type, from, tag, comm, &request)); break;
    case 4:
        OK(MPI_Mprobe(from, tag, comm, &message, &status));
        counts_are(&status, count, type, bytes);
        OK(MPI_Mrecv_c(in->at, room, type, &message, &status));
        break;
    default:
        OK(MPI_Mprobe(from, tag, comm, &message, &status));
        OK(MPI_Imrecv_c(in->at, room, type, &message, &request));
        break;
    }
    if (way == 3)
        OK(MPI_Start(&request));
    if (request != MPI_REQUEST_NULL)
        ended(&request, &status);
    counts_are(&status, count, type, bytes);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == tag);
}

static void message(int send, int receive, MPI_Count count, MPI_Datatype type)
{
    struct buffer buffer;
    int each;
    OK(MPI_Type_size(type, &each));
    buffer = make((int64_t)count * each);
    /* For ready sends. */
    MPI_Request early = MPI_REQUEST_NULL;
    MPI_Status status;
    const int ready = send == 2 || send == 6 || send == 10;
    if (rank == 0)
        fill(&buffer, send, 0);
    else
        empty(&buffer);
    if (rank == 1 && ready)
        OK(MPI_Irecv_c(buffer.at, count, type, 0, send, MPI_COMM_WORLD, &early));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        send_by(send, &buffer, count, type, 1);
    } else if (rank == 1) {
        if (ready) {
            ended(&early, &status);
            counts_are(&status, count, type, buffer.bytes);
        } else {
            receive_by(receive, &buffer, count, type, 0, send);
        }
        is(&buffer, send);
    }
    unmake(&buffer);
}

static void messages(void)
{
    const int64_t bytes[] = { G2 - 1, G2, G2 + 1, G4 - 1, G4, G4 + 1, G4 + G2 + 12345 };
    for (int n = 0; n < 7; n++)
        message(n % 2 ? 4 : 0, n % RECEIVES, bytes[n], MPI_BYTE);
    /* More elements than an int counts, of several bytes. */
    message(0, 0, G2 + 3, MPI_DOUBLE);
    message(4, 2, G2 / 4 + 1, MPI_DOUBLE);
    for (int way = 0; way < SENDS; way++)
        message(way, way % RECEIVES, way == 12 ? G2 - 1 : G2 + 1 + way, way == 12 ? MPI_SHORT : MPI_CHAR);
}

/* What fits of a message that is too long, and whether the sender ends. */
static void truncated(void)
{
    struct buffer buffer = make(G4 + 100);
    MPI_Status status;
    MPI_Count got;
    if (rank == 0) {
        fill(&buffer, 7, 0);
        OK(MPI_Send_c(buffer.at, G4 + 100, MPI_BYTE, 1, 3, MPI_COMM_WORLD));
    } else if (rank == 1) {
        const int64_t room = G2 + 5;
        empty(&buffer);
        FAILS(MPI_ERR_TRUNCATE,
              MPI_Recv_c(buffer.at, room, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count_c(&status, MPI_BYTE, &got));
        CHECK(got == room);
        part_is(&buffer, 0, room, 7, 0, &buffer);
        for (int64_t i = room; i < G2 + HALF; i++)
            CHECK(buffer.at[i] == 0xee);
    }
    unmake(&buffer);
}

/* A process with itself, and both directions at once. */
static void exchanges(void)
{
    const MPI_Count count = G2 + 17;
    struct buffer out = make(count), in = make(count);
    MPI_Request request;
    MPI_Status status;
    const int other = rank ^ 1, peer = other < size ? other : rank;
    fill(&out, 20 + rank, 0);
    for (int way = 0; way < 5; way++) {
        const int from = way < 2 ? rank : peer;
        empty(&in);
        switch (way) {
        case 0:
            OK(MPI_Irecv_c(in.at, count, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request));
            OK(MPI_Send_c(out.at, count, MPI_BYTE, rank, 1, MPI_COMM_WORLD));
            ended(&request, &status);
            break;
        case 1:
            OK(MPI_Sendrecv_c(out.at, count, MPI_BYTE, rank, 2, in.at, count, MPI_BYTE, rank, 2,
                              MPI_COMM_WORLD, &status));
            break;
        case 2:
            OK(MPI_Sendrecv_c(out.at, count, MPI_BYTE, peer, 3, in.at, count, MPI_CHAR, peer, 3,
                              MPI_COMM_WORLD, &status));
            break;
        case 3:
            OK(MPI_Isendrecv_c(out.at, count, MPI_BYTE, peer, 4, in.at, count, MPI_CHAR, peer, 4,
                               MPI_COMM_WORLD, &request));
            ended(&request, &status);
            break;
        default:
            fill(&in, 20 + rank, 0);
            OK(MPI_Sendrecv_replace_c(in.at, count, MPI_BYTE, peer, 5, peer, 5, MPI_COMM_WORLD,
                                      &status));
            break;
        }
        counts_are(&status, count, MPI_BYTE, count);
        is(&in, 20 + from);
    }
    unmake(&out), unmake(&in);
}

/* Partitions beyond the limits, and as many that their sum is. */
static void partitions(void)
{
    const struct { int theirs, own; int64_t bytes; } cuts[] = {
        { 1, 1, G4 + 2 }, { 2, 1, G2 + 2 }, { 1, 3, G2 + G2 / 2 + 2 }, { 6, 4, G4 + 8 },
    };
    for (int n = 0; n < 4; n++) {
        const int64_t bytes = cuts[n].bytes - cuts[n].bytes % 12;
        struct buffer buffer = make(bytes);
        MPI_Request request;
        MPI_Status status;
        int flag;
        if (rank == 0) {
            fill(&buffer, 40 + n, 0);
            OK(MPI_Psend_init_c(buffer.at, cuts[n].theirs, bytes / cuts[n].theirs, MPI_BYTE, 1, n,
                              MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        } else if (rank == 1) {
            OK(MPI_Precv_init_c(buffer.at, cuts[n].own, bytes / cuts[n].own, MPI_BYTE, 0, n,
                              MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        }
        for (int round = 0; round < 2 && rank < 2; round++) {
            if (rank == 1)
                empty(&buffer);
            OK(MPI_Start(&request));
            if (rank == 0)
                OK(MPI_Pready_range(0, cuts[n].theirs - 1, request));
            else
                for (flag = 0; !flag;)
                    OK(MPI_Parrived(request, cuts[n].own - 1, &flag));
            OK(MPI_Wait(&request, &status));
            if (rank == 1) {
                counts_are(&status, bytes, MPI_BYTE, bytes);
                is(&buffer, 40 + n);
            }
        }
        if (rank < 2)
            OK(MPI_Request_free(&request));
        unmake(&buffer);
    }
}

/* --- Collective operations */

enum { BLOCKING, NONBLOCKING, PERSISTENT };

/* A collective operation in one of its three forms. */
#define COLLECTIVE(way, blocking, nonblocking, persistent, ...)                       \
    do {                                                                              \
        MPI_Request request_ = MPI_REQUEST_NULL;                                      \
        if ((way) == BLOCKING) {                                                      \
            OK(blocking(__VA_ARGS__, MPI_COMM_WORLD));                                \
        } else if ((way) == NONBLOCKING) {                                            \
            OK(nonblocking(__VA_ARGS__, MPI_COMM_WORLD, &request_));                  \
            ended(&request_, MPI_STATUS_IGNORE);                                      \
        } else {                                                                      \
            OK(persistent(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &request_));    \
            OK(MPI_Start(&request_));                                                 \
            ended(&request_, MPI_STATUS_IGNORE);                                      \
        }                                                                             \
    } while (0)

static void bcast(int way)
{
    const int64_t counts[] = { G2 - 1, G2 + 1, G4 + 1 };
    for (int n = 0; n < 3; n++) {
        struct buffer buffer = make(counts[n]);
        if (rank == 0)
            fill(&buffer, n, 0);
        else
            empty(&buffer);
        COLLECTIVE(way, MPI_Bcast_c, MPI_Ibcast_c, MPI_Bcast_init_c, buffer.at, counts[n], MPI_BYTE, 0);
        is(&buffer, n);
        unmake(&buffer);
    }
}

/* The block of each process, and where they lie: with a gap where the operation tells displacements. */
static const int64_t BLOCK = ((int64_t)1 << 31) + 9;

struct blocks {
    MPI_Count counts[64];
    MPI_Aint displs[64];
    MPI_Datatype types[64];
    int64_t all;
};

static struct blocks blocks(int64_t gap)
{
    struct blocks blocks;
    CHECK(size <= 64);
    for (int p = 0; p < size; p++) {
        blocks.counts[p] = BLOCK;
        blocks.displs[p] = (MPI_Aint)((BLOCK + gap) * p);
        blocks.types[p] = MPI_BYTE;
    }
    blocks.all = (BLOCK + gap) * (size - 1) + BLOCK;
    return blocks;
}

/* What comes from each process. */
static void blocks_are(struct buffer *in, const struct blocks *blocks, const struct buffer *sender)
{
    for (int p = 0; p < size; p++)
        part_is(in, blocks->displs[p], blocks->counts[p], 60 + p, 0, sender);
}

static void gather(int way)
{
    for (int v = 0; v < 2; v++) {
        struct blocks b = blocks(v ? 4096 : 0);
        struct buffer own = make(BLOCK), all = make(rank == 0 ? b.all : 1);
        fill(&own, 60 + rank, 0);
        empty(&all);
        if (v)
            COLLECTIVE(way, MPI_Gatherv_c, MPI_Igatherv_c, MPI_Gatherv_init_c, own.at, BLOCK, MPI_BYTE,
                       all.at, b.counts, b.displs, MPI_BYTE, 0);
        else
            COLLECTIVE(way, MPI_Gather_c, MPI_Igather_c, MPI_Gather_init_c, own.at, BLOCK, MPI_BYTE,
                       all.at, BLOCK, MPI_BYTE, 0);
        if (rank == 0)
            blocks_are(&all, &b, &own);
        unmake(&own), unmake(&all);
    }
}

static void scatter(int way)
{
    for (int v = 0; v < 2; v++) {
        struct blocks b = blocks(v ? 4096 : 0);
        struct buffer own = make(BLOCK), all = make(b.all);
        if (rank == 0)
            fill(&all, 50, 0);
        empty(&own);
        if (v)
            COLLECTIVE(way, MPI_Scatterv_c, MPI_Iscatterv_c, MPI_Scatterv_init_c, all.at, b.counts,
                       b.displs, MPI_BYTE, own.at, BLOCK, MPI_BYTE, 0);
        else
            COLLECTIVE(way, MPI_Scatter_c, MPI_Iscatter_c, MPI_Scatter_init_c, all.at, BLOCK, MPI_BYTE,
                       own.at, BLOCK, MPI_BYTE, 0);
        part_is(&own, 0, BLOCK, 50, b.displs[rank], &all);
        unmake(&own), unmake(&all);
    }
}

static void allgather(int way)
{
    for (int v = 0; v < 2; v++) {
        struct blocks b = blocks(v ? 4096 : 0);
        struct buffer own = make(BLOCK), all = make(b.all);
        fill(&own, 60 + rank, 0);
        empty(&all);
        if (v)
            COLLECTIVE(way, MPI_Allgatherv_c, MPI_Iallgatherv_c, MPI_Allgatherv_init_c, own.at, BLOCK,
                       MPI_BYTE, all.at, b.counts, b.displs, MPI_BYTE);
        else
            COLLECTIVE(way, MPI_Allgather_c, MPI_Iallgather_c, MPI_Allgather_init_c, own.at, BLOCK,
                       MPI_BYTE, all.at, BLOCK, MPI_BYTE);
        blocks_are(&all, &b, &own);
        unmake(&own), unmake(&all);
    }
}

static void alltoall(int way)
{
    for (int v = 0; v < 3; v++) {
        struct blocks b = blocks(v ? 4096 : 0);
        struct buffer out = make(b.all), in = make(b.all);
        fill(&out, 60 + rank, 0);
        empty(&in);
        if (v == 2)
            COLLECTIVE(way, MPI_Alltoallw_c, MPI_Ialltoallw_c, MPI_Alltoallw_init_c, out.at, b.counts,
                       b.displs, b.types, in.at, b.counts, b.displs, b.types);
        else if (v)
            COLLECTIVE(way, MPI_Alltoallv_c, MPI_Ialltoallv_c, MPI_Alltoallv_init_c, out.at, b.counts,
                       b.displs, MPI_BYTE, in.at, b.counts, b.displs, MPI_BYTE);
        else
            COLLECTIVE(way, MPI_Alltoall_c, MPI_Ialltoall_c, MPI_Alltoall_init_c, out.at, BLOCK,
                       MPI_BYTE, in.at, BLOCK, MPI_BYTE);
        for (int p = 0; p < size; p++)
            part_is(&in, b.displs[p], BLOCK, 60 + p, b.displs[rank], &out);
        unmake(&out), unmake(&in);
    }
}

/* The bytes of some processes together, by exclusive or. */
static void reduction_is(struct buffer *in, int64_t first, int low, int high)
{
    int64_t from, to;
    for (int n = 0; n < PLACES + 2; n++)
        if (pieces(in, n, &from, &to))
            for (int64_t i = from; i < least(to, in->bytes); i++) {
                unsigned char wanted = 0;
                for (int p = low; p < high; p++)
                    wanted ^= byte_of(70 + p, first + i);
                CHECK(in->at[i] == wanted);
            }
}

static void reduce(int way)
{
    struct buffer out = make(BLOCK), in = make(BLOCK);
    fill(&out, 70 + rank, 0);
    empty(&in);
    COLLECTIVE(way, MPI_Reduce_c, MPI_Ireduce_c, MPI_Reduce_init_c, out.at, in.at, BLOCK, MPI_BYTE,
               MPI_BXOR, 0);
    if (rank == 0)
        reduction_is(&in, 0, 0, size);
    unmake(&out), unmake(&in);
}

static void allreduce(int way)
{
    struct buffer out = make(BLOCK), in = make(BLOCK);
    fill(&out, 70 + rank, 0);
    empty(&in);
    COLLECTIVE(way, MPI_Allreduce_c, MPI_Iallreduce_c, MPI_Allreduce_init_c, out.at, in.at, BLOCK,
               MPI_BYTE, MPI_BXOR);
    reduction_is(&in, 0, 0, size);
    unmake(&out), unmake(&in);
}

static void scan(int way)
{
    struct buffer out = make(BLOCK), in = make(BLOCK);
    fill(&out, 70 + rank, 0);
    empty(&in);
    COLLECTIVE(way, MPI_Scan_c, MPI_Iscan_c, MPI_Scan_init_c, out.at, in.at, BLOCK, MPI_BYTE, MPI_BXOR);
    reduction_is(&in, 0, 0, rank + 1);
    empty(&in);
    COLLECTIVE(way, MPI_Exscan_c, MPI_Iexscan_c, MPI_Exscan_init_c, out.at, in.at, BLOCK, MPI_BYTE,
               MPI_BXOR);
    if (rank > 0)
        reduction_is(&in, 0, 0, rank);
    unmake(&out), unmake(&in);
}

static void reduce_scatter(int way)
{
    struct blocks b = blocks(0);
    struct buffer out = make(b.all), in = make(BLOCK);
    /* Only the part of rank 0 has its memory at the same places as the result. */
    fill(&out, 70 + rank, 0);
    for (int v = 0; v < 2; v++) {
        empty(&in);
        if (v)
            COLLECTIVE(way, MPI_Reduce_scatter_c, MPI_Ireduce_scatter_c, MPI_Reduce_scatter_init_c,
                       out.at, in.at, b.counts, MPI_BYTE, MPI_BXOR);
        else
            COLLECTIVE(way, MPI_Reduce_scatter_block_c, MPI_Ireduce_scatter_block_c,
                       MPI_Reduce_scatter_block_init_c, out.at, in.at, BLOCK, MPI_BYTE, MPI_BXOR);
        if (rank == 0)
            reduction_is(&in, 0, 0, size);
    }
    unmake(&out), unmake(&in);
}

/* An operation of the program that takes an int is called several times. */
static int64_t applied;

static void larger(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned char *from = in;
    unsigned char *to = inout;
    CHECK(*count > 0 && *type == MPI_BYTE);
    for (int i = 0; i < *count; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
    applied += *count;
}

static void local(int way)
{
    struct buffer out = make(BLOCK), in = make(BLOCK);
    int64_t from, to;
    MPI_Op op;
    if (way != BLOCKING || rank != 0)
        return;
    fill(&out, 80, 0);
    fill(&in, 81, 0);
    OK(MPI_Reduce_local_c(out.at, in.at, BLOCK, MPI_BYTE, MPI_BOR));
    for (int n = 0; n < PLACES + 2; n++)
        if (pieces(&in, n, &from, &to))
            for (int64_t i = from; i < least(to, BLOCK); i++)
                CHECK(in.at[i] == (byte_of(80, i) | byte_of(81, i)));
    fill(&in, 81, 0);
    OK(MPI_Op_create(larger, 1, &op));
    OK(MPI_Reduce_local_c(out.at, in.at, BLOCK, MPI_BYTE, op));
    OK(MPI_Op_free(&op));
    CHECK(applied == BLOCK);
    for (int n = 0; n < PLACES + 2; n++)
        if (pieces(&in, n, &from, &to))
            for (int64_t i = from; i < least(to, BLOCK); i++)
                CHECK(in.at[i]
                      == (byte_of(80, i) > byte_of(81, i) ? byte_of(80, i) : byte_of(81, i)));
    unmake(&out), unmake(&in);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*once)(void); void (*each)(int); } all[] = {
        { "messages", messages, NULL }, { "truncated", truncated, NULL },
        { "exchanges", exchanges, NULL }, { "partitions", partitions, NULL },
        { "bcast", NULL, bcast }, { "gather", NULL, gather }, { "scatter", NULL, scatter },
        { "allgather", NULL, allgather }, { "alltoall", NULL, alltoall }, { "reduce", NULL, reduce },
        { "allreduce", NULL, allreduce }, { "scan", NULL, scan },
        { "reduce_scatter", NULL, reduce_scatter }, { "local", NULL, local },
    };
    int found = 0;
    begin(&rank, &size);
    for (size_t n = 0; argc == 2 && n < sizeof all / sizeof *all; n++) {
        if (strcmp(argv[1], all[n].name) != 0)
            continue;
        found++;
        if (all[n].once)
            all[n].once();
        for (int way = BLOCKING; all[n].each && way <= PERSISTENT; way++)
            all[n].each(way);
    }
    CHECK(found == 1);
    OK(MPI_Finalize());
    return 0;
}
