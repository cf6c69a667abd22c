/* Communicators that say which instance they want, as the strategy "comm" understands it; transports
   have three. With the argument "ignored" the strategy is another one, which does not look at the key;
   with "fatal" a wrong wish ends the job. */
#include "check.h"

#include <stdbool.h>

static const char KEY[] = "cairn_cri_instance";

static int rank, size;

/* Around the ring, small and large, and the neighbours of a communicator see the same. */
static void use(MPI_Comm comm)
{
    enum { LARGE = 100000 };
    int *out = malloc(LARGE * sizeof *out), *in = calloc(LARGE, sizeof *in), sum = 0, one = 1;
    for (int count = 1; count <= LARGE; count *= LARGE) {
        for (int i = 0; i < count; i++) out[i] = rank + i;
        OK(MPI_Sendrecv(out, count, MPI_INT, (rank + 1) % size, 3, in, count, MPI_INT,
                        (rank + size - 1) % size, 3, comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < count; i++) CHECK(in[i] == (rank + size - 1) % size + i);
    }
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size);
    free(out);
    free(in);
}

static int duplicate(const char *wish, MPI_Comm *comm)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, KEY, wish));
    int code = MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm);
    OK(MPI_Info_free(&info));
    return code;
}

/* The hint is one of the communicator where a strategy looks at it. */
static void tells(MPI_Comm comm, const char *wish)
{
    MPI_Info info;
    char value[16];
    int length = sizeof value, flag = -1;
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_get_string(info, KEY, &length, value, &flag));
    CHECK(flag == (wish != NULL) && (!flag || strcmp(value, wish) == 0));
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    enum { MANY = 10 };
    static const char *const right[] = { "own", "fallback", "0", "1", "2" };
    static const char *const wrong[] = { "3", "-1", "", "two", "1.5", "0x1", "99999999999999999999" };
    bool ignored = argc > 1 && strcmp(argv[1], "ignored") == 0;
    bool fatal = argc > 1 && strcmp(argv[1], "fatal") == 0;
    MPI_Comm comms[MANY], again;
    begin(&rank, &size);
    /* More of them than instances, several times: what was freed is there again. */
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            OK(duplicate(right[i % 5], &comms[i]));
            tells(comms[i], ignored ? NULL : right[i % 5]);
            use(comms[i]);
        }
        for (int i = 0; i < MANY; i++) {
            OK(MPI_Comm_dup(comms[i], &again)); /* without a wish */
            tells(again, ignored ? NULL : "own");
            OK(MPI_Comm_free(&comms[i]));
            use(again);
            OK(MPI_Comm_free(&again));
        }
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (fatal) OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
        int code = duplicate(wrong[i], &comms[0]);
        if (ignored) {
            CHECK(code == MPI_SUCCESS);
            use(comms[0]);
            OK(MPI_Comm_free(&comms[0]));
        } else {
            CHECK(class_of(code) == MPI_ERR_OTHER);
        }
    }
    use(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
