/* A model checker of random RMA programs:

     rma_model [--seed N | --seeds A-B | --seconds S] [--steps K] [--skip LIST] [--avoid LIST] [--threads T]
               [--patience SECONDS] [--verbose]

   From a seed every process computes the same random program: a window, and rounds of operations of all processes
   between synchronizations. Only such programs are made as the standard defines: what a process puts or gets no
   other touches, and accumulates of several processes to one element have one type and one operation that commutes.
   Each process also runs the program by itself, on a model of the memory of all, and compares: the results of its
   operations, its window after each epoch, the bytes around its buffers. Values that depend on an order that is not
   defined must fit to some order: what an element was before and after each operation is an edge of a graph, which
   has a path over all edges (Euler's) from the first value to the last.

   Operations are numbered, from 1000 in epoch 1; --steps runs those below a number only, and --skip leaves some out
   ("3,7-9,e2": operations 3 and 7 to 9, and epoch 2), to find a smaller program that fails. --avoid leaves constructs
   out: derived, large, requests, nocheck, ahead, assert, created, own (created, but not on memory of MPI_Alloc_mem),
   dynamic, shared, info, multilock, lockall, lock, pscw, fence, cas, self, null, big, stores.
   --threads makes T threads of each process operate on one window at the same time. A program that takes longer than
   --patience hangs; each process says where. Prints nothing if all is right,
   except with --seconds how many programs there were. */
#define _GNU_SOURCE
#include "rma_crowd.h"

#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 8, REGIONS = 2, GUARD = 64, PATTERN = 0xa5 };

/* --- What the command line says */

static struct {
    long first, last, seconds, steps, patience;
    bool verbose;
    int threads;
    const char *skip, *avoid;
} options = { .first = 1, .last = 1, .steps = -1, .patience = 60, .skip = "", .avoid = "" };

/* Whether a word is in a list with commas. */
static bool listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0)) return true;
    return false;
}

static bool avoided(const char *word)
{
    return *options.avoid && *word && listed(options.avoid, word);
}

/* Whether an operation is left out; a list has numbers and ranges of them. */
static bool skipped_operation(int id)
{
    for (const char *at = options.skip; *at; at += *at != 0) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (end != at && *end == '-') last = strtol(end + 1, &end, 10);
        if (end != at && id >= first && id <= last) return true;
        at = strchr(at, ',') ? strchr(at, ',') : at + strlen(at);
    }
    return false;
}

static bool skipped_epoch(int number)
{
    char word[16];
    snprintf(word, sizeof word, "e%d", number);
    return listed(options.skip, word);
}

/* --- The program */

static int world_rank, world_size, rank, size;
static MPI_Comm comm;
static Random dice; /* the same everywhere */
static uint64_t seed;

enum flavor { CREATED, CREATED_ALLOC_MEM, ALLOCATED, SHARED, DYNAMIC, FLAVORS };

static struct {
    enum flavor flavor;
    bool no_locks, ordered, same_op, large;
    int regions;
    MPI_Win handle;
    uint8_t *base[REGIONS], *allocation[REGIONS];
} window;

/* How the bytes of a window are used in a round. */
enum mode { UNUSED, READ, WRITTEN, ACCUMULATED, SWAPPED, COUNTED };

enum { OWNED = 1, PLAIN = 2 }; /* flags: of one origin to the end of the round; changed without a fetch */

typedef struct {
    uint8_t mode, element, op, phase;
    uint8_t origins, pending; /* one bit for each rank */
    uint8_t flags;
} Cell;

typedef struct {
    long size, unit;
    uint8_t *bytes;  /* the model */
    uint8_t *before; /* at the beginning of the round */
    Cell *cells;
    MPI_Aint address;
    int element, op; /* what most accumulates of this round use */
} Memory;

static Memory memories[MOST_RANKS][REGIONS];

enum kind { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH, SWAP, COUNT, KINDS,
            LOCK, UNLOCK, FLUSH, FLUSH_LOCAL, FLUSH_ALL, FLUSH_LOCAL_ALL, WAIT, SYNC };

enum op { SUM, PRODUCT, BXOR, BAND, BOR, MAX, MIN, COMMUTATIVE, REPLACE = COMMUTATIVE, NO_OP, OPS };

static const char *const op_names[] = { "SUM", "PROD", "BXOR", "BAND", "BOR", "MAX", "MIN", "REPLACE", "NO_OP" };

static MPI_Op op_handle(int op)
{
    const MPI_Op all[OPS] = { MPI_SUM, MPI_PROD, MPI_BXOR, MPI_BAND, MPI_BOR, MPI_MAX, MPI_MIN, MPI_REPLACE, MPI_NO_OP };
    return all[op];
}

/* Elements of some memory: so many of a type, and where they are. */
typedef struct {
    Type *type;
    long count, elements, low, high, *places;
} Layout;

typedef struct Step Step;

struct Step {
    enum kind kind;
    int id, origin, target, region, element, op, assertion;
    bool request, large, shared, null;
    Layout at_origin, at_target, at_result;
    long offset; /* in bytes */
    uint64_t values;
    long log; /* where the fetched values are in the log, or -1 */
    /* At the origin */
    uint8_t *expected; /* elements of the result */
    bool *known;
    uint8_t *buffers[3]; /* origin, result, compare */
    MPI_Request handle;
    bool issued, ended;
    Step *next;
};

enum sync { FENCE, PSCW, LOCKS, LOCK_ALL, SYNCS };

static struct {
    int number, round;
    enum sync sync;
    Step *first, **last;
    bool access[MOST_RANKS][MOST_RANKS]; /* from, to */
    int open[MOST_RANKS][MOST_RANKS];    /* locks: 0 none, 1 shared, 2 exclusive */
    bool stores[MOST_RANKS];
} epoch;

static int ids;
static bool fresh; /* the memory was filled since the last synchronization */
static const char *volatile where = "";

/* --- Failures */

static void print_layout(FILE *to, const Layout *layout)
{
    fprintf(to, "%ld x ", layout->count);
    print_type(to, layout->type);
}

static void describe(FILE *to, const Step *step)
{
    static const char *const names[] = { "put", "get", "accumulate", "get_accumulate", "fetch_and_op",
        "compare_and_swap", "counter", "", "lock", "unlock", "flush", "flush_local", "flush_all",
        "flush_local_all", "wait", "sync" };
    if (step->kind >= KINDS) {
        fprintf(to, "          rank %d: %s", step->origin, names[step->kind]);
        if (step->target >= 0) fprintf(to, " %d", step->target);
        if (step->kind == LOCK) fprintf(to, step->shared ? " shared" : " exclusive");
        if (step->assertion) fprintf(to, " NOCHECK");
        fprintf(to, "\n");
        return;
    }
    fprintf(to, "    %5d rank %d: %s%s%s to ", step->id, step->origin, step->request ? "R" : "",
            names[step->kind], step->large ? "_c" : "");
    if (step->null)
        fprintf(to, "MPI_PROC_NULL");
    else
        fprintf(to, "%d, byte %ld", step->target, step->offset);
    if (step->region) fprintf(to, " of region %d", step->region);
    if (step->kind >= ACCUMULATE && step->kind <= FETCH) fprintf(to, ", %s", op_names[step->op]);
    fprintf(to, ", %ld of %s", step->at_target.elements, elements[step->element].name);
    fprintf(to, "\n          target: ");
    print_layout(to, &step->at_target);
    if (step->kind != GET && step->at_origin.type) {
        fprintf(to, "\n          origin: ");
        print_layout(to, &step->at_origin);
    }
    if (step->at_result.type) {
        fprintf(to, "\n          result: ");
        print_layout(to, &step->at_result);
    }
    fprintf(to, "\n");
}

static void fail(const Step *step, const char *format, ...)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    va_list arguments;
    va_start(arguments, format);
    fprintf(to, "rma_model: rank %d of %d (%d in MPI_COMM_WORLD), epoch %d, round %d, operation %d: ", rank, size,
            world_rank, epoch.number, epoch.round, step ? step->id : -1);
    vfprintf(to, format, arguments);
    fprintf(to, "\n");
    if (step) describe(to, step);
    fprintf(to, "replay: -n %d rma_model --seed %llu --steps %d%s%s%s%s --verbose\n", world_size,
            (unsigned long long)seed, ids, *options.skip ? " --skip " : "", options.skip,
            *options.avoid ? " --avoid " : "", options.avoid);
    fclose(to);
    fputs(text, stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 99);
    _exit(99);
}

static void patience_ends(int signal)
{
    char text[300];
    (void)signal;
    int length = snprintf(text, sizeof text,
                          "rma_model: rank %d of %d does not go on: seed %llu, epoch %d, round %d, %s\n"
                          "replay: -n %d rma_model --seed %llu --steps %d --verbose\n", rank, size,
                          (unsigned long long)seed, epoch.number, epoch.round, where, world_size,
                          (unsigned long long)seed, ids);
    if (write(2, text, (size_t)length) < 0) _exit(98);
    /* The others say so, too. */
    sleep(1);
    _exit(98);
}

#define CALL(step, call)                                                                \
    do {                                                                                \
        where = #call;                                                                  \
        int code_ = (call);                                                             \
        if (code_ != MPI_SUCCESS) {                                                     \
            char text_[MPI_MAX_ERROR_STRING];                                           \
            int length_;                                                                \
            MPI_Error_string(code_, text_, &length_);                                   \
            fail(step, "%s returned %s", #call, text_);                                 \
        }                                                                               \
    } while (0)

/* --- Values */

static uint64_t load(const uint8_t *from, int element)
{
    uint64_t value = 0;
    memcpy(&value, from, (size_t)elements[element].bytes);
    return value;
}

static void store(uint8_t *to, int element, uint64_t value)
{
    memcpy(to, &value, (size_t)elements[element].bytes);
}

/* A number as its type has it, with its sign. */
static int64_t number(int element, uint64_t value)
{
    int shift = 64 - 8 * elements[element].bytes;
    return elements[element].is_signed ? (int64_t)(value << shift) >> shift : (int64_t)(value << shift >> shift);
}

static uint64_t applied(int op, int element, uint64_t old, uint64_t operand)
{
    bool less = elements[element].is_signed ? number(element, old) < number(element, operand)
                                            : (uint64_t)number(element, old) < (uint64_t)number(element, operand);
    uint64_t value = old;
    switch (op) {
    case SUM: value = old + operand; break;
    case PRODUCT: value = old * operand; break;
    case BXOR: value = old ^ operand; break;
    case BAND: value = old & operand; break;
    case BOR: value = old | operand; break;
    case MAX: value = less ? operand : old; break;
    case MIN: value = less ? old : operand; break;
    case REPLACE: value = operand; break;
    }
    return (uint64_t)number(element, value);
}

/* The value of an element that an operation brings. */
static uint64_t value_of(const Step *step, long n)
{
    uint64_t value = mixed(step->values + (uint64_t)n * 0x9e3779b97f4a7c15u);
    if (step->kind == FETCH && step->values % 2) value = 1; /* tickets */
    if (step->kind == SWAP || (step->kind == COUNT)) value = 1 + value % 3;
    return (uint64_t)number(step->element, value);
}

static void bytes_of(const Step *step, long n, uint8_t *to)
{
    int bytes = elements[step->element].bytes;
    if (bytes <= 8) {
        store(to, step->element, value_of(step, n));
        return;
    }
    for (int part = 0; part < bytes; part += 8) {
        uint64_t value = mixed(step->values + (uint64_t)(n * bytes + part));
        memcpy(to + part, &value, 8);
    }
}

/* What a compare_and_swap expects: often what is there at first. */
static uint64_t compared(const Step *step)
{
    const Memory *memory = &memories[step->target][step->region];
    uint64_t value = step->values % 2 || step->null ? 1 + step->values / 2 % 3
                                                    : load(memory->before + step->offset, step->element);
    return (uint64_t)number(step->element, value);
}

static bool is_fetch(const Step *step)
{
    return step->kind >= GET_ACCUMULATE && step->kind < KINDS;
}

/* --- Making operations */

static long divisor_in_common(long a, long b)
{
    return b ? divisor_in_common(b, a % b) : a;
}

static Layout make_layout(int element, long count, int depth)
{
    Layout layout = { .elements = count };
    if (avoided("derived")) depth = 0;
    if (count == 0) {
        bool none = once_in(&dice, 2);
        layout.type = some_type(&dice, element, none ? 3 : 0, none ? depth : 0);
        layout.count = none ? 0 : below(&dice, 3);
        return layout;
    }
    layout.count = depth == 0 ? count : divisor(&dice, count);
    layout.type = depth == 0 ? basic_type(element)
                             : some_type(&dice, element, count / layout.count, depth - 1);
    long *places = keep((size_t)count * sizeof(long)), *end = places;
    layout.places = places;
    for (long n = 0; n < layout.count; n++) end = flatten(layout.type, n * extent_of(layout.type), end);
    CHECK(end == places + count);
    layout.low = layout.high = places[0];
    for (long n = 0; n < count; n++) {
        if (places[n] < layout.low) layout.low = places[n];
        if (places[n] + elements[element].bytes > layout.high) layout.high = places[n] + elements[element].bytes;
    }
    return layout;
}

/* Whether an origin may use a byte, after what was done in this round. */
static bool allowed(const Cell *cell, const Step *step, enum mode mode, int phase)
{
    uint8_t self = (uint8_t)(1 << step->origin);
    if (cell->mode == UNUSED) return true;
    bool alone = cell->origins == self, waiting = cell->pending & self;
    if ((cell->flags & OWNED) && !alone) return false;
    if (alone && !waiting) return true;
    if (mode != cell->mode) return false;
    if (mode == READ) return true;
    if (mode == WRITTEN || cell->element != step->element || cell->phase != phase) return false;
    if (mode == COUNTED) return true;
    if (waiting && !window.ordered) {
        /* Then nothing says which of the two comes first. */
        if (mode == SWAPPED || is_fetch(step) || !(cell->flags & PLAIN) || cell->op >= COMMUTATIVE ||
            step->op >= COMMUTATIVE)
            return false;
    }
    if (mode == SWAPPED) return true;
    if (step->op == REPLACE && !alone) return false;
    if (step->op == cell->op) return true;
    return !window.same_op && (step->op == NO_OP || cell->op == NO_OP);
}

static void use(Cell *cell, const Step *step, enum mode mode, int phase)
{
    uint8_t self = (uint8_t)(1 << step->origin);
    bool same = cell->mode == mode && mode != WRITTEN;
    if (same && mode != READ)
        same = cell->element == step->element && cell->phase == phase &&
               (mode != ACCUMULATED || cell->op == step->op ||
                (!window.same_op && (step->op == NO_OP || cell->op == NO_OP)));
    if (cell->mode != UNUSED && !same) {
        cell->flags = OWNED;
        cell->op = 0;
    }
    if (mode == ACCUMULATED && (!same || cell->op == NO_OP)) cell->op = (uint8_t)step->op;
    if (mode == WRITTEN || (mode == ACCUMULATED && step->op == REPLACE)) cell->flags |= OWNED;
    if (mode == ACCUMULATED && !is_fetch(step)) cell->flags |= PLAIN;
    cell->mode = (uint8_t)mode, cell->element = (uint8_t)step->element, cell->phase = (uint8_t)phase;
    cell->origins |= self, cell->pending |= self;
}

static void completed(int origin, int target)
{
    for (int r = 0; r < window.regions; r++)
        for (long n = 0; n < memories[target][r].size; n++)
            memories[target][r].cells[n].pending &= (uint8_t)~(1 << origin);
}

static void add(Step *step)
{
    *epoch.last = step;
    epoch.last = &step->next;
}

static Step *new_step(enum kind kind, int origin, int target)
{
    Step *step = keep(sizeof *step);
    step->kind = kind, step->origin = origin, step->target = target;
    step->id = step->log = -1;
    step->handle = MPI_REQUEST_NULL;
    return step;
}

static long some_count(int bytes)
{
    switch (below(&dice, 12)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return below(&dice, 400);
    case 3: return window.large && !avoided("big") ? below(&dice, 300 * 1024 / bytes) : 12;
    case 4: return window.large && !avoided("big") ? below(&dice, 20 * 1024 / bytes) : 24;
    default: return 1 + below(&dice, 20);
    }
}

/* One more operation, unless it could not be defined where it would have to go. */
static void make_operation(int origin, int target, bool passive)
{
    Step *step = new_step((enum kind)below(&dice, COUNT), origin, target);
    bool exclusive = epoch.open[origin][target] == 2 && epoch.sync == LOCKS;
    if (exclusive && once_in(&dice, 3)) step->kind = COUNT;
    if (step->kind == SWAP && avoided("cas")) step->kind = FETCH;
    if (target == origin && avoided("self")) return;
    step->region = (int)below(&dice, window.regions);
    Memory *memory = &memories[target][step->region];
    /* Where nothing is attached nothing is, not even no bytes. */
    if (window.flavor == DYNAMIC && memory->size == 0) return;
    step->values = next(&dice);
    step->null = once_in(&dice, 40) && !avoided("null");
    step->request = passive && step->kind <= GET_ACCUMULATE && once_in(&dice, 3) && !avoided("requests");
    step->large = once_in(&dice, 4) && !avoided("large");
    bool accumulates = step->kind >= ACCUMULATE;
    step->element = (int)below(&dice, accumulates ? INTEGERS : ELEMENTS);
    step->op = (int)below(&dice, step->kind == ACCUMULATE ? NO_OP : OPS);
    bool theme = below(&dice, 5) > 0;
    if (accumulates && theme) {
        step->element = memory->element;
        if (!once_in(&dice, 8)) step->op = memory->op;
        if (step->kind == ACCUMULATE && step->op == NO_OP) step->op = SUM;
    }
    if (step->kind == COUNT) step->element = ELEMENT_U64, step->op = SUM;
    long bytes = elements[step->element].bytes, count = some_count((int)bytes);
    bool single = step->kind >= FETCH;
    enum mode mode = step->kind == PUT ? WRITTEN : step->kind == GET ? READ : step->kind == SWAP ? SWAPPED
                     : step->kind == COUNT ? COUNTED : ACCUMULATED;
    if (single) count = 1;
    int depth = single ? 0 : count > 2000 ? (int)below(&dice, 3) : (int)below(&dice, 5);
    for (int attempt = 0;; attempt++) {
        if (attempt == 6) return;
        if (attempt == 3) depth = 0;
        if (attempt > 3 && !single) count = 1 + count / 8;
        step->at_target = make_layout(step->element, count, depth);
        if (step->null) break;
        Layout *layout = &step->at_target;
        long grid = count == 0 ? memory->unit : bytes / divisor_in_common(bytes, memory->unit) * memory->unit;
        long low = layout->low < 0 ? (-layout->low + grid - 1) / grid * grid : 0;
        long places = (memory->size - layout->high - low) / grid + 1;
        if (memory->size - layout->high < low) continue;
        step->offset = low + grid * below(&dice, places);
        if (single && below(&dice, 4) > 0) {
            /* Where others do the same. */
            long part = (step->kind == FETCH ? 1 : step->kind == SWAP ? 2 : 3) * memory->size / 4;
            step->offset = (part + 16 * below(&dice, 3)) / 48 * 48 / grid * grid;
            if (step->offset + bytes > memory->size) continue;
        }
        bool good = true;
        for (long n = 0; n < count && good; n++)
            for (long b = 0; b < bytes && good; b++)
                good = allowed(&memory->cells[step->offset + layout->places[n] + b], step, mode, (int)b);
        if (!good) continue;
        for (long n = 0; n < count; n++)
            for (long b = 0; b < bytes; b++)
                use(&memory->cells[step->offset + layout->places[n] + b], step, mode, (int)b);
        break;
    }
    int other_depth = single ? 0 : count > 2000 ? (int)below(&dice, 2) : (int)below(&dice, 4);
    if (step->kind != GET) step->at_origin = make_layout(step->element, count, other_depth);
    other_depth = single ? 0 : (int)below(&dice, 3);
    if (step->kind == GET || step->kind >= GET_ACCUMULATE)
        step->at_result = make_layout(step->element, count, other_depth);
    step->id = ids++;
    if (skipped_operation(step->id)) return;
    if (options.steps >= 0 && step->id >= options.steps) return;
    add(step);
}

/* --- The model */

struct edge {
    Memory *memory;
    long offset, order;
    int element, op, target;
    uint64_t operand, compare, from, to;
};

static struct {
    long count, room;
    struct edge *edges;
    uint64_t *values;
} history;

static void log_edge(struct edge edge)
{
    if (history.count == history.room) {
        history.room = history.room ? 2 * history.room : 256;
        history.edges = realloc(history.edges, (size_t)history.room * sizeof *history.edges);
        history.values = realloc(history.values, (size_t)history.room * sizeof *history.values);
        CHECK(history.edges && history.values);
    }
    history.values[history.count] = 0;
    edge.order = history.count;
    history.edges[history.count++] = edge;
}

static bool of_one(uint8_t bits)
{
    return (bits & (bits - 1)) == 0;
}

/* Whether the model says the result: nobody else changes the element. */
static bool determined(const Cell *cell)
{
    return cell->mode == READ || of_one(cell->origins) || (cell->mode == ACCUMULATED && cell->op == NO_OP);
}

/* Does in the model what a step does, and notes what its origin must see. */
static void simulate(Step *step)
{
    if (step->kind >= KINDS) return;
    Memory *memory = &memories[step->target][step->region];
    long bytes = elements[step->element].bytes, count = step->at_target.elements;
    bool own = step->origin == rank && step->at_result.type;
    if (own) {
        step->expected = keep((size_t)(count * bytes));
        step->known = keep((size_t)count);
    }
    if (step->null) return;
    if (is_fetch(step))
        for (long n = 0; n < count; n++)
            if (!determined(&memory->cells[step->offset + step->at_target.places[n]])) step->log = history.count;
    for (long n = 0; n < count; n++) {
        long offset = step->offset + step->at_target.places[n];
        uint8_t *at = memory->bytes + offset;
        const Cell *cell = &memory->cells[offset];
        if (own) {
            memcpy(step->expected + n * bytes, at, (size_t)bytes);
            step->known[n] = determined(cell);
        }
        if (step->kind == PUT) {
            bytes_of(step, n, at);
        } else if (step->kind != GET) {
            uint64_t old = load(at, step->element), operand = value_of(step, n), compare = compared(step);
            int op = step->kind == SWAP ? OPS : step->op;
            if (step->log >= 0)
                log_edge((struct edge){ memory, offset, 0, step->element, op, step->target, operand, compare, 0, 0 });
            if (op != OPS)
                store(at, step->element, applied(op, step->element, old, operand));
            else if (determined(cell) && (uint64_t)number(step->element, old) == compare)
                store(at, step->element, operand);
        }
    }
}

static int by_place(const void *first, const void *second)
{
    const struct edge *a = first, *b = second;
    if (a->memory != b->memory) return a->memory < b->memory ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Whether operations on one element can have happened in some order; the last value of swaps goes to the model. */
static void check_path(struct edge *edges, long count)
{
    const struct edge *first = edges;
    const Cell *cell = &first->memory->cells[first->offset];
    if (cell->flags & PLAIN || determined(cell)) return;
    uint64_t start = (uint64_t)number(first->element, load(first->memory->before + first->offset, first->element));
    uint64_t *values = malloc((size_t)(2 * count + 1) * sizeof *values);
    int *balance = calloc((size_t)(2 * count + 1), sizeof *balance);
    bool *reached = calloc((size_t)(2 * count + 1), sizeof *reached);
    long *ends = malloc((size_t)(2 * count) * sizeof *ends), known = 1;
    CHECK(values && balance && reached && ends);
    values[0] = start, reached[0] = true;
    for (long n = 0; n < count; n++) {
        uint64_t pair[2] = { edges[n].from, edges[n].to };
        for (int side = 0; side < 2; side++) {
            long v = 0;
            while (v < known && values[v] != pair[side]) v++;
            if (v == known) values[known++] = pair[side];
            ends[2 * n + side] = v;
            balance[v] += side ? -1 : 1;
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (long n = 0; n < count; n++)
            if (reached[ends[2 * n]] && !reached[ends[2 * n + 1]]) more = reached[ends[2 * n + 1]] = true;
    }
    long last = 0;
    bool good = true;
    for (long v = 0; v < known; v++) {
        good &= reached[v];
        if (balance[v] == -1 && last == 0 && v != 0)
            last = v;
        else if (v != 0)
            good &= balance[v] == 0;
    }
    good &= balance[0] == (last != 0);
    uint8_t *at = first->memory->bytes + first->offset;
    if (cell->mode == SWAPPED) store(at, first->element, values[last]);
    good &= (uint64_t)number(first->element, load(at, first->element)) == values[last];
    if (!good) {
        for (long n = 0; rank == first->target && n < count; n++)
            fprintf(stderr, "  found %llx, operand %llx, left %llx\n", (unsigned long long)edges[n].from,
                    (unsigned long long)edges[n].operand, (unsigned long long)edges[n].to);
        fail(NULL, "the operations on byte %ld of rank %d, %s, had no order: at first %llx, at last %llx",
             first->offset, first->target, elements[first->element].name, (unsigned long long)start,
             (unsigned long long)load(at, first->element));
    }
    free(values), free(balance), free(reached), free(ends);
}

/* When all operations of a round have ended: the values that they found are told to all. */
static void check_history(void)
{
    if (history.count == 0) return;
    CALL(NULL, MPI_Allreduce(MPI_IN_PLACE, history.values, (int)history.count, MPI_UINT64_T, MPI_SUM, comm));
    for (long n = 0; n < history.count; n++) {
        struct edge *edge = &history.edges[n];
        edge->from = (uint64_t)number(edge->element, history.values[n]);
        if (edge->op == OPS)
            edge->to = edge->from == edge->compare ? edge->operand : edge->from;
        else
            edge->to = applied(edge->op, edge->element, edge->from, edge->operand);
    }
    qsort(history.edges, (size_t)history.count, sizeof *history.edges, by_place);
    for (long n = 0, end; n < history.count; n = end) {
        for (end = n; end < history.count && history.edges[end].memory == history.edges[n].memory &&
                      history.edges[end].offset == history.edges[n].offset;)
            end++;
        check_path(history.edges + n, end - n);
    }
    history.count = 0;
}

/* --- Issuing operations */

/* A buffer with guards around what a layout needs; returns where its byte 0 is. */
static uint8_t *make_buffer(Step *step, int which, const Layout *layout)
{
    size_t bytes = (size_t)(layout->high - layout->low) + 2 * GUARD;
    step->buffers[which] = keep(bytes);
    memset(step->buffers[which], PATTERN, bytes);
    return step->buffers[which] + GUARD - layout->low;
}

static void fill(const Step *step, const Layout *layout, uint8_t *at)
{
    for (long n = 0; n < layout->elements; n++) bytes_of(step, n, at + layout->places[n]);
}

static void count_up(Step *step, uint8_t *result, MPI_Aint disp);

static void issue(Step *step)
{
    uint8_t *origin = NULL, *result = NULL;
    MPI_Datatype types[3];
    const Layout *layouts[3] = { &step->at_origin, &step->at_result, &step->at_target };
    bool plain = step->values / 8 % 2;
    if (step->at_origin.type) {
        origin = make_buffer(step, 0, layouts[0]);
        fill(step, layouts[0], origin);
    }
    if (step->at_result.type) result = make_buffer(step, 1, layouts[1]);
    for (int n = 0; n < 3; n++) {
        types[n] = elements[step->element].handle;
        if (!layouts[n]->type || (layouts[n]->type->form == BASIC && plain)) continue;
        types[n] = built(layouts[n]->type);
        OK(MPI_Type_commit(&types[n]));
    }
    const Memory *memory = &memories[step->target][step->region];
    MPI_Aint disp = window.flavor == DYNAMIC ? memory->address + step->offset : step->offset / memory->unit;
    int target = step->null ? MPI_PROC_NULL : step->target;
    MPI_Count counts[3] = { layouts[0]->count, layouts[1]->count, layouts[2]->count };
    int small[3] = { (int)counts[0], (int)counts[1], (int)counts[2] };
    MPI_Op op = op_handle(step->op);
    MPI_Win win = window.handle;
    bool large = step->large;
    /* With no operation nothing is read at the origin, whatever the arguments say. */
    if (step->kind == GET_ACCUMULATE && step->op == NO_OP && step->values % 2)
        origin = NULL, small[0] = 0, counts[0] = 0;
#define TO_TARGET target, disp
    if (step->request) {
        MPI_Request *request = &step->handle;
        if (step->kind == PUT && large)
            CALL(step, MPI_Rput_c(origin, counts[0], types[0], TO_TARGET, counts[2], types[2], win, request));
        else if (step->kind == PUT)
            CALL(step, MPI_Rput(origin, small[0], types[0], TO_TARGET, small[2], types[2], win, request));
        else if (step->kind == GET && large)
            CALL(step, MPI_Rget_c(result, counts[1], types[1], TO_TARGET, counts[2], types[2], win, request));
        else if (step->kind == GET)
            CALL(step, MPI_Rget(result, small[1], types[1], TO_TARGET, small[2], types[2], win, request));
        else if (step->kind == ACCUMULATE && large)
            CALL(step, MPI_Raccumulate_c(origin, counts[0], types[0], TO_TARGET, counts[2], types[2], op, win, request));
        else if (step->kind == ACCUMULATE)
            CALL(step, MPI_Raccumulate(origin, small[0], types[0], TO_TARGET, small[2], types[2], op, win, request));
        else if (large)
            CALL(step, MPI_Rget_accumulate_c(origin, counts[0], types[0], result, counts[1], types[1], TO_TARGET,
                                             counts[2], types[2], op, win, request));
        else
            CALL(step, MPI_Rget_accumulate(origin, small[0], types[0], result, small[1], types[1], TO_TARGET,
                                           small[2], types[2], op, win, request));
    } else if (step->kind == PUT && large) {
        CALL(step, MPI_Put_c(origin, counts[0], types[0], TO_TARGET, counts[2], types[2], win));
    } else if (step->kind == PUT) {
        CALL(step, MPI_Put(origin, small[0], types[0], TO_TARGET, small[2], types[2], win));
    } else if (step->kind == GET && large) {
        CALL(step, MPI_Get_c(result, counts[1], types[1], TO_TARGET, counts[2], types[2], win));
    } else if (step->kind == GET) {
        CALL(step, MPI_Get(result, small[1], types[1], TO_TARGET, small[2], types[2], win));
    } else if (step->kind == ACCUMULATE && large) {
        CALL(step, MPI_Accumulate_c(origin, counts[0], types[0], TO_TARGET, counts[2], types[2], op, win));
    } else if (step->kind == ACCUMULATE) {
        CALL(step, MPI_Accumulate(origin, small[0], types[0], TO_TARGET, small[2], types[2], op, win));
    } else if (step->kind == GET_ACCUMULATE && large) {
        CALL(step, MPI_Get_accumulate_c(origin, counts[0], types[0], result, counts[1], types[1], TO_TARGET,
                                        counts[2], types[2], op, win));
    } else if (step->kind == GET_ACCUMULATE) {
        CALL(step, MPI_Get_accumulate(origin, small[0], types[0], result, small[1], types[1], TO_TARGET, small[2],
                                      types[2], op, win));
    } else if (step->kind == FETCH) {
        CALL(step, MPI_Fetch_and_op(step->op == NO_OP ? NULL : origin, result, elements[step->element].handle,
                                    TO_TARGET, op, win));
    } else if (step->kind == SWAP) {
        static const Layout one = { .high = 16 };
        uint8_t *compare = make_buffer(step, 2, &one);
        store(compare, step->element, compared(step));
        CALL(step, MPI_Compare_and_swap(origin, compare, result, elements[step->element].handle, TO_TARGET, win));
    } else if (!step->null) {
        count_up(step, result, disp);
    }
    for (int n = 0; n < 3; n++)
        if (types[n] != elements[step->element].handle) OK(MPI_Type_free(&types[n]));
    step->issued = true;
}

/* With an exclusive lock: what is there is read, and one more is written. */
static void count_up(Step *step, uint8_t *result, MPI_Aint disp)
{
    uint64_t *sum = keep(sizeof *sum);
    CALL(step, MPI_Win_flush(step->target, window.handle));
    CALL(step, MPI_Get(result, 1, MPI_UINT64_T, step->target, disp, 1, MPI_UINT64_T, window.handle));
    CALL(step, MPI_Win_flush(step->target, window.handle));
    memcpy(sum, result, sizeof *sum);
    *sum += value_of(step, 0);
    CALL(step, MPI_Put(sum, 1, MPI_UINT64_T, step->target, disp, 1, MPI_UINT64_T, window.handle));
    if (step->values % 2) CALL(step, MPI_Win_flush(step->target, window.handle));
}

/* Looks at a buffer: its elements, if they are known, and what lies between and around them. */
static void check_buffer(Step *step, int which, const Layout *layout)
{
    const char *name = which ? "result" : "origin's";
    long bytes = elements[step->element].bytes, length = layout->high - layout->low + 2 * GUARD;
    uint8_t *seen = step->buffers[which], *at = seen + GUARD - layout->low, expected[16];
    for (long n = 0; n < layout->elements; n++) {
        uint8_t *element = at + layout->places[n];
        bool known = which == 0 || step->null || step->known[n];
        if (which == 0)
            bytes_of(step, n, expected);
        else if (step->null)
            memset(expected, PATTERN, sizeof expected);
        else
            memcpy(expected, step->expected + n * bytes, (size_t)bytes);
        if (step->log >= 0 && which) history.values[step->log + n] = load(element, step->element);
        if (known && memcmp(element, expected, (size_t)bytes) != 0)
            fail(step, "element %ld of the %s buffer (at byte %ld of it) is %llx, not %llx", n, name, layout->places[n],
                 (unsigned long long)load(element, bytes > 8 ? ELEMENT_U64 : step->element),
                 (unsigned long long)load(expected, bytes > 8 ? ELEMENT_U64 : step->element));
    }
    for (long n = 0; n < layout->elements; n++) memset(at + layout->places[n], PATTERN, (size_t)bytes);
    for (long n = 0; n < length; n++)
        if (seen[n] != PATTERN)
            fail(step, "byte %ld of the %s buffer changed, which is not of an element", n - GUARD + layout->low, name);
    /* The origin may do with it what it wants. */
    memset(seen, 0x5b, (size_t)length);
}

/* An operation is complete at the origin. */
static void end(Step *step)
{
    if (!step->issued || step->ended) return;
    if (step->handle != MPI_REQUEST_NULL) {
        MPI_Status status;
        int flag = 0;
        if (step->values % 3)
            CALL(step, MPI_Wait(&step->handle, &status));
        else
            while (!flag) CALL(step, MPI_Test(&step->handle, &flag, &status));
        if (step->handle != MPI_REQUEST_NULL) fail(step, "the request is there after its end");
    }
    if (step->at_origin.type) check_buffer(step, 0, &step->at_origin);
    if (step->at_result.type) check_buffer(step, 1, &step->at_result);
    step->ended = true;
}

/* Those of this process to a target, or to all, that were issued before a step. */
static void end_all(int target, const Step *before)
{
    for (Step *step = epoch.first; step != before; step = step->next)
        if (step->kind < KINDS && step->origin == rank && (target < 0 || step->target == target || step->null))
            end(step);
}

/* --- Windows */

static void check_memory(void)
{
    for (int r = 0; r < window.regions; r++) {
        const Memory *memory = &memories[rank][r];
        const uint8_t *base = window.base[r];
        for (long n = 0; n < memory->size; n++)
            if (base[n] != memory->bytes[n])
                fail(NULL, "byte %ld of the window (region %d) is %02x, not %02x", n, r, base[n], memory->bytes[n]);
        for (long n = 0; window.allocation[r] && n < GUARD; n++)
            if (base[n - GUARD] != PATTERN || base[memory->size + n] != PATTERN)
                fail(NULL, "byte %ld beside the window changed", n);
    }
}

static void make_window(void)
{
    static const char *const names[] = { "create", "create on MPI_Alloc_mem", "allocate", "allocate_shared", "dynamic" };
    static const int units[] = { 1, 1, 1, 2, 4, 8, 16, 3, 12 };
    const char *ordering = NULL;
    MPI_Info info = MPI_INFO_NULL;
    /* The ranks of the window need not be those of the world. */
    int color = (int)below(&dice, 3);
    if (color == 0)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    else
        OK(MPI_Comm_split(MPI_COMM_WORLD, 0, color == 1 ? -world_rank : (world_rank + 1) % world_size, &comm));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    memset(&window, 0, sizeof window);
    window.flavor = (enum flavor)below(&dice, FLAVORS);
    if (window.flavor == DYNAMIC && avoided("dynamic")) window.flavor = CREATED;
    if (window.flavor == CREATED && avoided("own")) window.flavor = CREATED_ALLOC_MEM;
    if (window.flavor <= CREATED_ALLOC_MEM && avoided("created")) window.flavor = ALLOCATED;
    if (window.flavor == SHARED && avoided("shared")) window.flavor = ALLOCATED;
    window.large = once_in(&dice, 12);
    window.regions = window.flavor == DYNAMIC ? (int)(1 + below(&dice, REGIONS)) : 1;
    bool same_size = once_in(&dice, 3), same_unit = once_in(&dice, 2);
    long most = window.large ? 400 * 1024 : once_in(&dice, 3) ? 120 : 3000;
    long common = below(&dice, most) / 16 * 16;
    int unit = units[below(&dice, 9)];
    for (int r = 0; r < size; r++)
        for (int region = 0; region < window.regions; region++) {
            Memory *memory = &memories[r][region];
            memset(memory, 0, sizeof *memory);
            long own = once_in(&dice, 6) ? 0 : below(&dice, most);
            memory->size = same_size ? common : own;
            memory->unit = window.flavor == DYNAMIC ? 1 : same_unit ? unit : units[below(&dice, 9)];
            memory->bytes = keep((size_t)memory->size + 1);
            memory->before = keep((size_t)memory->size + 1);
            memory->cells = keep((size_t)(memory->size + 1) * sizeof(Cell));
            for (long n = 0; n < memory->size; n++) memory->bytes[n] = (uint8_t)next(&dice);
        }
    window.ordered = true;
    if (once_in(&dice, 2) && !avoided("info")) {
        OK(MPI_Info_create(&info));
        if (once_in(&dice, 5)) window.no_locks = true;
        OK(MPI_Info_set(info, "no_locks", window.no_locks ? "true" : "false"));
        if (once_in(&dice, 3)) {
            static const char *const orders[] = { "rar,raw,war,waw", "none", "rar,waw", "waw,rar,war,raw" };
            int which = (int)below(&dice, 4);
            ordering = orders[which];
            window.ordered = which % 3 == 0;
            OK(MPI_Info_set(info, "accumulate_ordering", ordering));
        }
        if (once_in(&dice, 3)) {
            window.same_op = once_in(&dice, 2);
            OK(MPI_Info_set(info, "accumulate_ops", window.same_op ? "same_op" : "same_op_no_op"));
        }
        if (same_size && once_in(&dice, 2)) OK(MPI_Info_set(info, "same_size", "true"));
        if (same_unit && once_in(&dice, 2)) OK(MPI_Info_set(info, "same_disp_unit", "true"));
        if (window.flavor == SHARED && once_in(&dice, 2)) OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
        if (once_in(&dice, 4)) OK(MPI_Info_set(info, "mpi_accumulate_granularity", "16"));
        if (once_in(&dice, 4)) OK(MPI_Info_set(info, "a_key_that_nobody_knows", "true"));
    }
    if (options.verbose && world_rank == 0) {
        fprintf(stderr, "seed %llu: window: %s, ordering %s%s%s%s\n", (unsigned long long)seed, names[window.flavor],
                ordering ? ordering : "default", window.no_locks ? ", no_locks" : "",
                window.same_op ? ", same_op" : "", info == MPI_INFO_NULL ? "" : ", with info");
        for (int r = 0; r < size; r++)
            for (int region = 0; region < window.regions; region++)
                fprintf(stderr, "  rank %d: %ld bytes, unit %ld\n", r, memories[r][region].size, memories[r][region].unit);
    }
    Memory *own = &memories[rank][0];
    MPI_Win *win = &window.handle;
    int own_unit = (int)own->unit;
    where = "making the window";
    switch (window.flavor) {
    case CREATED_ALLOC_MEM:
    case CREATED: {
        size_t bytes = (size_t)own->size + 2 * GUARD;
        if (window.flavor == CREATED)
            window.allocation[0] = malloc(bytes);
        else
            OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &window.allocation[0]));
        CHECK(window.allocation[0] != NULL);
        memset(window.allocation[0], PATTERN, bytes);
        window.base[0] = window.allocation[0] + GUARD;
        OK(MPI_Win_create(own->size ? window.base[0] : NULL, own->size, own_unit, info, comm, win));
        break;
    }
    case ALLOCATED: OK(MPI_Win_allocate(own->size, own_unit, info, comm, &window.base[0], win)); break;
    case SHARED: OK(MPI_Win_allocate_shared(own->size, own_unit, info, comm, &window.base[0], win)); break;
    default:
        OK(MPI_Win_create_dynamic(info, comm, win));
        for (int region = 0; region < window.regions; region++) {
            size_t bytes = (size_t)memories[rank][region].size + 2 * GUARD;
            window.allocation[region] = malloc(bytes);
            CHECK(window.allocation[region] != NULL);
            memset(window.allocation[region], PATTERN, bytes);
            window.base[region] = window.allocation[region] + GUARD;
            if (memories[rank][region].size)
                OK(MPI_Win_attach(*win, window.base[region], memories[rank][region].size));
            MPI_Aint address, all[MOST_RANKS];
            OK(MPI_Get_address(window.base[region], &address));
            OK(MPI_Allgather(&address, 1, MPI_AINT, all, 1, MPI_AINT, comm));
            for (int r = 0; r < size; r++) memories[r][region].address = all[r];
        }
    }
    OK(MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN));
    if (info != MPI_INFO_NULL) OK(MPI_Info_free(&info));
    where = "filling the window";
    if (!window.no_locks) CALL(NULL, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, *win));
    for (int region = 0; region < window.regions; region++)
        if (memories[rank][region].size)
            memcpy(window.base[region], memories[rank][region].bytes, (size_t)memories[rank][region].size);
    if (!window.no_locks) CALL(NULL, MPI_Win_unlock(rank, *win));
    fresh = true;
    /* The first access must come after this. */
    OK(MPI_Barrier(comm));
}

static void free_window(void)
{
    where = "freeing the window";
    if (window.flavor == DYNAMIC) {
        OK(MPI_Barrier(comm));
        for (int region = 0; region < window.regions; region++)
            if (memories[rank][region].size && !once_in(&dice, 3))
                OK(MPI_Win_detach(window.handle, window.base[region]));
    }
    OK(MPI_Win_free(&window.handle));
    CHECK(window.handle == MPI_WIN_NULL);
    for (int region = 0; region < window.regions; region++)
        if (window.flavor == CREATED_ALLOC_MEM)
            OK(MPI_Free_mem(window.allocation[region]));
        else
            free(window.allocation[region]);
    OK(MPI_Comm_free(&comm));
}

/* --- Epochs */

static void begin_round(void)
{
    epoch.first = NULL;
    epoch.last = &epoch.first;
    for (int r = 0; r < size; r++)
        for (int region = 0; region < window.regions; region++) {
            Memory *memory = &memories[r][region];
            memset(memory->cells, 0, (size_t)memory->size * sizeof(Cell));
            memory->element = (int)below(&dice, INTEGERS);
            memory->op = (int)below(&dice, OPS);
        }
}

/* All operations of the round are known; what is there before them is, too. */
static void simulate_round(void)
{
    for (int r = 0; r < size; r++)
        for (int region = 0; region < window.regions; region++) {
            Memory *memory = &memories[r][region];
            memcpy(memory->before, memory->bytes, (size_t)memory->size);
        }
    for (Step *step = epoch.first; step; step = step->next) {
        if (options.verbose && world_rank == 0) describe(stderr, step);
        simulate(step);
    }
}

/* Whether an operation of the round changes a rank's memory. */
static bool changes(int target)
{
    for (const Step *step = epoch.first; step; step = step->next)
        if (step->kind < KINDS && step->kind != GET && step->target == target) return true;
    return false;
}

static bool operates(int origin)
{
    for (const Step *step = epoch.first; step; step = step->next)
        if (step->kind < KINDS && step->origin == origin) return true;
    return false;
}

/* Ranks store into their own memory, outside of epochs. */
static void plan_stores(bool (*may)(int))
{
    for (int r = 0; r < size; r++) epoch.stores[r] = once_in(&dice, 2) && may(r) && !avoided("stores");
}

static void store_locally(void)
{
    for (int r = 0; r < size; r++) {
        if (!epoch.stores[r]) continue;
        for (int region = 0; region < window.regions; region++)
            for (long n = 0; n < memories[r][region].size; n += 1 + below(&dice, 200)) {
                uint8_t value = (uint8_t)next(&dice);
                memories[r][region].bytes[n] = value;
                if (r == rank) window.base[region][n] = value;
            }
    }
}

static bool any_rank(int r)
{
    (void)r;
    return true;
}

static bool flip(const char *word)
{
    return once_in(&dice, 2) && !avoided(word);
}

static void say(const char *what)
{
    if (options.verbose && world_rank == 0)
        fprintf(stderr, "  epoch %d round %d: %s\n", epoch.number, epoch.round, what);
}

static void issue_own(void)
{
    for (Step *step = epoch.first; step; step = step->next)
        if (step->kind < KINDS && step->origin == rank) issue(step);
}

/* Operations of the round, between fences. */
static void fence_epoch(void)
{
    int rounds = 1 + (int)below(&dice, 3), closing = 0;
    bool open = false;
    plan_stores(any_rank);
    store_locally();
    for (epoch.round = 0; epoch.round < rounds; epoch.round++) {
        bool last = epoch.round + 1 == rounds;
        begin_round();
        say("fence");
        for (long n = below(&dice, 40); n > 0; n--)
            make_operation((int)below(&dice, size), (int)below(&dice, size), false);
        simulate_round();
        int assertion = flip("assert") ? MPI_MODE_NOPRECEDE : 0;
        for (int r = 0; r < size; r++) {
            bool stored = epoch.round == 0 && (epoch.stores[r] || fresh);
            bool no_store = flip("assert") && !stored, no_put = flip("assert") && !changes(r);
            if (r == rank) assertion |= (no_store ? MPI_MODE_NOSTORE : 0) | (no_put ? MPI_MODE_NOPUT : 0);
        }
        if (!open) CALL(NULL, MPI_Win_fence(assertion, window.handle));
        issue_own();
        /* The next round begins with the fence that ends this one, or with its own. */
        open = !last && flip("");
        closing = !open && flip("assert") ? MPI_MODE_NOSUCCEED : 0;
        for (int r = 0; r < size; r++) {
            bool no_store = flip("assert"), no_put = flip("assert") && !open && !last;
            if (r == rank) closing |= (no_store ? MPI_MODE_NOSTORE : 0) | (no_put ? MPI_MODE_NOPUT : 0);
        }
        CALL(NULL, MPI_Win_fence(closing, window.handle));
        end_all(-1, NULL);
        check_history();
        if (!open) check_memory();
    }
}

static bool is_exposed(int r)
{
    for (int origin = 0; origin < size; origin++)
        if (epoch.access[origin][r]) return true;
    return false;
}

static MPI_Group group_of(int count, const int *ranks)
{
    MPI_Group all, group;
    OK(MPI_Comm_group(comm, &all));
    OK(MPI_Group_incl(all, count, ranks, &group));
    OK(MPI_Group_free(&all));
    return group;
}

/* Post, start, complete, wait, with random groups. */
static void pscw_epoch(void)
{
    int targets[MOST_RANKS], origins[MOST_RANKS], access = 0, exposure = 0;
    int density = 1 + (int)below(&dice, 4);
    for (int o = 0; o < size; o++)
        for (int t = 0; t < size; t++) epoch.access[o][t] = below(&dice, 4) < density;
    plan_stores(is_exposed);
    store_locally();
    begin_round();
    say("post, start, complete, wait");
    for (long n = below(&dice, 40); n > 0; n--) {
        int origin = (int)below(&dice, size), target = (int)below(&dice, size);
        if (epoch.access[origin][target]) make_operation(origin, target, false);
    }
    simulate_round();
    /* Some libraries take a post for that of another epoch, unless no process is ahead. */
    if (avoided("ahead")) CALL(NULL, MPI_Barrier(comm));
    bool checked = flip("nocheck"), testing = flip(""), empty = flip("");
    int post = checked ? MPI_MODE_NOCHECK : 0, start = post;
    for (int r = 0; r < size; r++) {
        bool no_store = flip("assert") && !epoch.stores[r] && !fresh, no_put = flip("assert") && !changes(r);
        if (r == rank) post |= (no_store ? MPI_MODE_NOSTORE : 0) | (no_put ? MPI_MODE_NOPUT : 0);
    }
    for (int r = 0; r < size; r++) {
        if (epoch.access[rank][r]) targets[access++] = r;
        if (epoch.access[r][rank]) origins[exposure++] = r;
    }
    if (access > 1 && once_in(&dice, 2)) {
        int first = targets[0];
        targets[0] = targets[access - 1], targets[access - 1] = first;
    } else if (access <= 1) {
        (void)once_in(&dice, 2);
    }
    MPI_Group from = group_of(exposure, origins), to = group_of(access, targets);
    if (exposure || empty) CALL(NULL, MPI_Win_post(from, post, window.handle));
    if (checked) CALL(NULL, MPI_Barrier(comm));
    OK(MPI_Group_free(&from));
    if (access || empty) {
        CALL(NULL, MPI_Win_start(to, start, window.handle));
        issue_own();
        CALL(NULL, MPI_Win_complete(window.handle));
        end_all(-1, NULL);
    } else {
        /* Only operations to no process, which need an epoch as well; there are none. */
        CHECK(!operates(rank));
    }
    OK(MPI_Group_free(&to));
    if (exposure || empty) {
        int flag = 0;
        if (testing)
            while (!flag) CALL(NULL, MPI_Win_test(window.handle, &flag));
        else
            CALL(NULL, MPI_Win_wait(window.handle));
    }
    check_history();
    check_memory();
}

/* Stores under a lock of the own memory; the others come later. */
static void store_with_lock(void)
{
    plan_stores(any_rank);
    if (epoch.stores[rank]) CALL(NULL, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window.handle));
    store_locally();
    if (epoch.stores[rank]) CALL(NULL, MPI_Win_unlock(rank, window.handle));
    CALL(NULL, MPI_Barrier(comm));
}

static void check_memory_with_lock(bool shared)
{
    CALL(NULL, MPI_Barrier(comm));
    CALL(NULL, MPI_Win_lock(shared ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, rank, 0, window.handle));
    check_memory();
    CALL(NULL, MPI_Win_unlock(rank, window.handle));
    /* Nobody stores or operates before all have looked. */
    CALL(NULL, MPI_Barrier(comm));
}

/* A step that completes operations of its origin. */
static void make_flush(int origin, int target)
{
    enum kind kind = (enum kind)(FLUSH + below(&dice, SYNC - FLUSH + 1));
    Step *step = new_step(kind, origin, kind == FLUSH || kind == FLUSH_LOCAL ? target : -1);
    if (kind == FLUSH)
        completed(origin, target);
    else if (kind == FLUSH_ALL)
        for (int t = 0; t < size; t++) completed(origin, t);
    add(step);
}

/* Makes the steps of this process; what they complete is looked at. */
static void run_steps(void)
{
    MPI_Win win = window.handle;
    for (Step *step = epoch.first; step; step = step->next) {
        if (step->origin != rank) continue;
        switch (step->kind) {
        case LOCK:
            CALL(step, MPI_Win_lock(step->shared ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, step->target,
                                    step->assertion, win));
            break;
        case UNLOCK:
            for (Step *other = epoch.first; other != step; other = other->next)
                if (other->kind < KINDS && other->origin == rank && other->request && other->target == step->target)
                    end(other);
            CALL(step, MPI_Win_unlock(step->target, win));
            end_all(step->target, step);
            break;
        case FLUSH:
            CALL(step, MPI_Win_flush(step->target, win));
            end_all(step->target, step);
            break;
        case FLUSH_LOCAL:
            CALL(step, MPI_Win_flush_local(step->target, win));
            end_all(step->target, step);
            break;
        case FLUSH_ALL:
            CALL(step, MPI_Win_flush_all(win));
            end_all(-1, step);
            break;
        case FLUSH_LOCAL_ALL:
            CALL(step, MPI_Win_flush_local_all(win));
            end_all(-1, step);
            break;
        case WAIT:
            for (Step *other = epoch.first; other != step; other = other->next)
                if (other->kind < KINDS && other->origin == rank && other->request) end(other);
            break;
        case SYNC: CALL(step, MPI_Win_sync(win)); break;
        default: issue(step);
        }
    }
}

/* Every rank locks whom it wants, several at a time in the order of ranks. */
static void lock_epoch(void)
{
    store_with_lock();
    memset(epoch.open, 0, sizeof epoch.open);
    begin_round();
    say("locks");
    int left[MOST_RANKS];
    Step *locks[200];
    int number = 0;
    for (int o = 0; o < size; o++) left[o] = (int)below(&dice, 4);
    bool exclusive = flip("");
    for (long n = 20 + below(&dice, 60); n > 0; n--) {
        int origin = (int)below(&dice, size), open = 0, targets[MOST_RANKS];
        for (int t = 0; t < size; t++)
            if (epoch.open[origin][t]) targets[open++] = t;
        if (open == 0) {
            if (left[origin]-- <= 0) continue;
            int most = avoided("multilock") ? 1 : 1 + (int)below(&dice, 3), wanted = 0;
            for (int t = 0; t < size && wanted < most && number < 200; t++) {
                if (!once_in(&dice, 2)) continue;
                wanted++;
                Step *step = locks[number++] = new_step(LOCK, origin, t);
                step->shared = !(exclusive && once_in(&dice, 2));
                epoch.open[origin][t] = step->shared ? 1 : 2;
                add(step);
            }
        } else if (once_in(&dice, 8)) {
            for (int first = (int)below(&dice, open), k = 0; k < open; k++) {
                int t = targets[(first + k) % open];
                add(new_step(UNLOCK, origin, t));
                completed(origin, t);
                epoch.open[origin][t] = 0;
            }
        } else if (once_in(&dice, 6)) {
            make_flush(origin, targets[below(&dice, open)]);
        } else {
            make_operation(origin, targets[below(&dice, open)], true);
        }
    }
    for (int o = 0; o < size; o++)
        for (int t = 0; t < size; t++)
            if (epoch.open[o][t]) add(new_step(UNLOCK, o, t));
    /* No other process may want a lock that conflicts. */
    for (int t = 0; t < size; t++) {
        bool all_shared = true, one = true;
        int origin = -1;
        for (int n = 0; n < number; n++) {
            if (locks[n]->target != t) continue;
            all_shared &= locks[n]->shared;
            one &= origin < 0 || origin == locks[n]->origin;
            origin = locks[n]->origin;
        }
        bool unchecked = flip("nocheck");
        for (int n = 0; n < number; n++)
            if (locks[n]->target == t && (all_shared || one) && unchecked && once_in(&dice, 2))
                locks[n]->assertion = MPI_MODE_NOCHECK;
    }
    simulate_round();
    run_steps();
    CALL(NULL, MPI_Barrier(comm));
    check_history();
    check_memory_with_lock(flip(""));
}

static void lock_all_epoch(void)
{
    int rounds = 1 + (int)below(&dice, 3);
    store_with_lock();
    CALL(NULL, MPI_Win_lock_all(flip("nocheck") ? MPI_MODE_NOCHECK : 0, window.handle));
    memset(epoch.open, 0, sizeof epoch.open);
    for (epoch.round = 0; epoch.round < rounds; epoch.round++) {
        bool last = epoch.round + 1 == rounds;
        begin_round();
        say("lock_all");
        for (long n = below(&dice, 60); n > 0; n--) {
            int origin = (int)below(&dice, size), target = (int)below(&dice, size);
            if (once_in(&dice, 6))
                make_flush(origin, target);
            else
                make_operation(origin, target, true);
        }
        for (int o = 0; o < size; o++) add(new_step(WAIT, o, -1));
        if (!last) {
            bool all = flip("");
            for (int o = 0; o < size; o++)
                for (int t = 0; t < (all ? 1 : size); t++) add(new_step(all ? FLUSH_ALL : FLUSH, o, all ? -1 : t));
        }
        simulate_round();
        run_steps();
        if (last) break;
        CALL(NULL, MPI_Barrier(comm));
        CALL(NULL, MPI_Win_sync(window.handle));
        check_history();
        check_memory();
        CALL(NULL, MPI_Barrier(comm));
        plan_stores(any_rank);
        store_locally();
        CALL(NULL, MPI_Win_sync(window.handle));
        CALL(NULL, MPI_Barrier(comm));
    }
    CALL(NULL, MPI_Win_unlock_all(window.handle));
    end_all(-1, NULL);
    CALL(NULL, MPI_Barrier(comm));
    check_history();
    check_memory_with_lock(flip(""));
}

/* --- One program */

static void run_program(void)
{
    static void (*const epochs[SYNCS])(void) = { fence_epoch, pscw_epoch, lock_epoch, lock_all_epoch };
    static const char *const names[SYNCS] = { "fence", "pscw", "lock", "lockall" };
    dice.state = seed;
    ids = 0;
    memset(&epoch, 0, sizeof epoch);
    alarm((unsigned)options.patience);
    make_window();
    int number = 1 + (int)below(&dice, 5);
    for (epoch.number = 0; epoch.number < number; epoch.number++) {
        epoch.round = 0;
        ids = 1000 * epoch.number;
        epoch.sync = (enum sync)below(&dice, window.no_locks ? LOCKS : SYNCS);
        if (avoided(names[epoch.sync]) || (options.steps >= 0 && ids >= options.steps)) continue;
        Random before = dice;
        /* What a skipped epoch would have drawn does not matter to the others. */
        dice.state = mixed(before.state);
        if (!skipped_epoch(epoch.number)) {
            epochs[epoch.sync]();
            fresh &= epoch.sync == PSCW;
        }
        dice.state = mixed(before.state + 1);
    }
    free_window();
    alarm(0);
    let_go(NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void read_options(int count, char **arguments)
{
    for (int n = 1; n < count; n++) {
        const char *name = arguments[n], *value = n + 1 < count ? arguments[n + 1] : "";
        char *end = "";
        if (strcmp(name, "--verbose") == 0) {
            options.verbose = true;
            continue;
        }
        n++;
        if (strcmp(name, "--seed") == 0)
            options.first = options.last = strtol(value, &end, 10);
        else if (strcmp(name, "--seeds") == 0)
            options.first = strtol(value, &end, 10), options.last = *end == '-' ? strtol(end + 1, &end, 10) : -1;
        else if (strcmp(name, "--seconds") == 0)
            options.seconds = strtol(value, &end, 10);
        else if (strcmp(name, "--steps") == 0)
            options.steps = strtol(value, &end, 10);
        else if (strcmp(name, "--patience") == 0)
            options.patience = strtol(value, &end, 10);
        else if (strcmp(name, "--threads") == 0)
            options.threads = (int)strtol(value, &end, 10);
        else if (strcmp(name, "--skip") == 0)
            options.skip = value;
        else if (strcmp(name, "--avoid") == 0)
            options.avoid = value;
        else
            end = "?";
        if (*end != 0 || *value == 0) {
            fprintf(stderr, "rma_model: %s %s is nothing that this program knows\n", name, value);
            exit(2);
        }
    }
}

int main(int count, char **arguments)
{
    read_options(count, arguments);
    if (options.threads > 0) setenv("TEST_THREAD_LEVEL", "multiple", 1);
    begin(&world_rank, &world_size);
    CHECK(world_size <= MOST_RANKS);
    make_elements();
    signal(SIGALRM, patience_ends);
    double start = now();
    long programs = 0;
    for (seed = (uint64_t)options.first;; seed++, programs++) {
        int more = options.seconds ? now() - start < (double)options.seconds : seed <= (uint64_t)options.last;
        if (options.seconds) OK(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
        if (!more) break;
        if (options.threads > 0) {
            alarm((unsigned)options.patience);
            int flavor = (int)(seed % 4);
            if (flavor == 0 && avoided("own")) flavor = 3;
            if (flavor % 3 == 0 && avoided("created")) flavor = 1;
            if (flavor == 2 && avoided("shared")) flavor = 1;
            run_crowd(seed, options.threads, flavor);
            alarm(0);
        } else {
            run_program();
        }
    }
    if (options.seconds && world_rank == 0) printf("%ld programs, the last of seed %llu\n", programs, (unsigned long long)seed - 1);
    MPI_Finalize();
    return 0;
}
