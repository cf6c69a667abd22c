/* The program that tests/bad_input.rs completes with calls of all functions. Before MPI_Init and after
   MPI_Finalize each call is made in a process of its own, where it must end the program and say which
   function that was. In between each is made with one argument that is wrong. */
#include <limits.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* A handle that is none. */
#define NO(class) ((MPI_##class)(intptr_t)77)

#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name

/* What arguments point at. */
static int in[16], out[16], number, ints[2], ints_out[2], ranges[1][3] = { { 0, 0, 1 } };
static Count count, counts[] = { 1, 1 }, negative[] = { -1, -1 };
static Displ displs[2], unit;
static Extent aint_displs[2];
static Extent extent;
static MPI_Count large;
static MPI_Aint address, addresses[2];
static MPI_Count large_counts[2];
static void *pointer;
static char text[MPI_MAX_LIBRARY_VERSION_STRING], long_text[MPI_MAX_INFO_VAL + 1];
static MPI_Status status;
static MPI_Datatype types[2] = { MPI_INT, MPI_INT }, no_types[2] = { NO(Datatype), NO(Datatype) };
static MPI_Datatype types_out[2];
static MPI_Request requests[1] = { MPI_REQUEST_NULL }, no_requests[1] = { NO(Request) };
static MPI_Request null_requests[1] = { MPI_REQUEST_NULL };
static MPI_Comm comm = MPI_COMM_NULL, no_comm = NO(Comm), grid = MPI_COMM_NULL;
static MPI_Group group = MPI_GROUP_NULL, no_group = NO(Group);
static MPI_Win win = MPI_WIN_NULL, new_win, no_win = NO(Win);
static MPI_Info info = MPI_INFO_NULL, no_info = NO(Info);
static MPI_Errhandler handler = MPI_ERRHANDLER_NULL, no_handler = NO(Errhandler);
static MPI_Op op = MPI_OP_NULL, no_op = NO(Op);
static MPI_Datatype type = MPI_DATATYPE_NULL, no_type = NO(Datatype);
static MPI_Request request = MPI_REQUEST_NULL, no_request = NO(Request);
static MPI_Request null_request = MPI_REQUEST_NULL, idle = MPI_REQUEST_NULL;
static MPI_Message message = MPI_MESSAGE_NO_PROC, no_message = NO(Message);
static MPI_Session session = MPI_SESSION_NULL, no_session = NO(Session), another;

static void reduce(void *a, void *b, Count *n, MPI_Datatype *of) { (void)a, (void)b, (void)n, (void)of; }
static void comm_handler(MPI_Comm *of, int *code, ...) { (void)of, (void)code; }
static void win_handler(MPI_Win *of, int *code, ...) { (void)of, (void)code; }
static void session_handler(MPI_Session *of, int *code, ...) { (void)of, (void)code; }
static int query(void *state, MPI_Status *of) { return (void)state, (void)of, MPI_SUCCESS; }
static int release(void *state) { return (void)state, MPI_SUCCESS; }
static int cancel(void *state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

/* Not every form of the program needs all of them. */
static void *const used[] = {
    in, out, &number, ints, ints_out, ranges, &count, counts, negative, displs, &unit, aint_displs, &extent, &large,
    &address, addresses, large_counts, &pointer, text, long_text, &status, types, no_types, types_out,
    requests, no_requests,
    null_requests, &comm, &no_comm, &grid, &group, &no_group, &win, &new_win, &no_win, &info, &no_info, &handler, &no_handler, &op,
    &no_op, &type, &no_type, &request, &no_request, &null_request, &idle, &message,
    &no_message, &session, &no_session, &another,
    (void *)reduce, (void *)comm_handler, (void *)win_handler, (void *)session_handler,
    (void *)query, (void *)release, (void *)cancel,
};

static int mistakes;

#define WRONG(class, name, value, call)                                                        \
    do {                                                                                       \
        int found_ = class_of(call);                                                           \
        if (found_ != MPI_ERR_##class) {                                                       \
            fprintf(stderr, #call ": with " #name " = " #value " the class is %d, not " #class \
                    "\n", found_);                                                             \
            mistakes++;                                                                        \
        }                                                                                      \
    } while (0)

/* A call outside of initialization and finalization, and how the message about it begins. */
struct outside {
    void (*call)(void);
    const char *text;
};

void wrong_arguments(void);
extern const struct outside outside[];

static void refused(const struct outside *this, const char *why)
{
    char said[1000] = "";
    size_t length = 0;
    ssize_t more;
    int ends[2], ended = -1;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]), close(ends[1]);
        this->call();
        _exit(0);
    }
    close(ends[1]);
    while ((more = read(ends[0], said + length, sizeof said - 1 - length)) > 0)
        length += (size_t)more;
    close(ends[0]);
    CHECK(waitpid(child, &ended, 0) == child);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != MPI_ERR_OTHER || !strstr(said, this->text)
        || !strstr(said, why)) {
        fprintf(stderr, "%s: not as MPI %s: status %#x, %s\n", this->text, why, ended, said);
        mistakes++;
    }
}

static void all_refused(const char *why)
{
    for (const struct outside *one = outside; one->call; one++)
        refused(one, why);
}

int main(void)
{
    int rank, size;
    (void)used;
    all_refused("is not initialized");
    begin(&rank, &size);
    memset(long_text, 'x', sizeof long_text - 1);
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, &idle));
    int one = 1;
    OK(MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &grid));
    /* Of one that is MPI_MESSAGE_NO_PROC the buffer is not looked at. */
    MPI_Request sent;
    OK(MPI_Isend(out, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &sent));
    OK(MPI_Mprobe(0, 9, MPI_COMM_SELF, &message, &status));
    OK(MPI_Win_create(in, sizeof in, 4, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    wrong_arguments();
    OK(MPI_Win_free(&win));
    OK(MPI_Mrecv(in, 1, MPI_INT, &message, &status));
    OK(MPI_Wait(&sent, &status));
    message = MPI_MESSAGE_NO_PROC;
    OK(MPI_Request_free(&idle));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Session_finalize(&session));
    /* Everything still works. */
    OK(MPI_Sendrecv(out, 16, MPI_INT, 0, 1, in, 16, MPI_INT, 0, 1, MPI_COMM_SELF, &status));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    all_refused("is finalized");
    return mistakes != 0;
}
