/* Info objects: of programs, of communicators, and those that describe process and hardware. */
#include "check.h"

static void has(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, flag = 0;
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK(flag && strcmp(value, wanted) == 0 && length == (int) strlen(wanted) + 1);
}

static void pairs(void)
{
    MPI_Info info, copy, stale;
    char key[MPI_MAX_INFO_KEY], value[4] = "???";
    int number = -1, flag = -1, length = 0;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_get_nkeys(info, &number));
    CHECK(number == 0);
    OK(MPI_Info_set(info, "one", "first"));
    OK(MPI_Info_set(info, "two", "second"));
    OK(MPI_Info_set(info, "one", "again"));
    OK(MPI_Info_get_nkeys(info, &number));
    CHECK(number == 2);
    OK(MPI_Info_get_nthkey(info, 1, key));
    CHECK(strcmp(key, "two") == 0);
    FAILS(MPI_ERR_ARG, MPI_Info_get_nthkey(info, 2, key));
    has(info, "one", "again");
    OK(MPI_Info_get_string(info, "one", &length, NULL, &flag));
    CHECK(flag == 1 && length == 6);
    length = sizeof value;
    OK(MPI_Info_get_string(info, "one", &length, value, &flag));
    CHECK(flag == 1 && length == 6 && strcmp(value, "aga") == 0);
    OK(MPI_Info_get_string(info, "three", &length, value, &flag));
    CHECK(flag == 0 && length == 6);

    OK(MPI_Info_get_valuelen(info, "one", &length, &flag));
    CHECK(flag == 1 && length == 5);
    OK(MPI_Info_get(info, "one", 3, value, &flag));
    CHECK(flag == 1 && strcmp(value, "aga") == 0);
    OK(MPI_Info_get(info, "three", 3, value, &flag));
    CHECK(flag == 0);
    OK(MPI_Info_get_valuelen(info, "three", &length, &flag));
    CHECK(flag == 0);

    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_delete(info, "one"));
    FAILS(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "one"));
    has(copy, "one", "again");
    stale = info;
    OK(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    FAILS(MPI_ERR_INFO, MPI_Info_set(stale, "one", "more"));
    OK(MPI_Info_free(&copy));
    FAILS(MPI_ERR_INFO, MPI_Info_free(&copy));
}

static void of_the_process(int size)
{
    char text[16], *words[] = {(char *) "solve", (char *) "-n", (char *) "3", NULL};
    MPI_Info info;
    snprintf(text, sizeof text, "%d", size);
    has(MPI_INFO_ENV, "maxprocs", text);
    FAILS(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_ENV, "key", "value"));
    OK(MPI_Info_create_env(3, words, &info));
    has(info, "command", "solve");
    has(info, "argv", "-n 3");
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_info(&info));
    has(info, "mpi_count_size", "8");
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_fortran_info(&info));
    has(info, "mpi_double_precision_size", "8");
    FAILS(MPI_ERR_ABI, MPI_Abi_set_fortran_info(info));
    OK(MPI_Info_free(&info));
}

/* What may be asserted of a communicator (MPI 5.0, section 7.4.4). */
enum { ASSERTIONS = 4 };
static const char *const assertions[ASSERTIONS] = {
    "mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking"
};

/* The hints of a communicator are all that the library knows, and no others; `set` are those of the
   assertions that are true. */
static void hints(MPI_Comm comm, unsigned set)
{
    MPI_Info info;
    int number = -1;
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_get_nkeys(info, &number));
    for (int n = 0; n < ASSERTIONS; n++)
        has(info, assertions[n], set >> n & 1 ? "true" : "false");
    /* The other keys that the library knows have their defaults. */
    char key[MPI_MAX_INFO_KEY], value[100];
    int others = 0, flag, length;
    has(info, "mpi_memory_alloc_kinds", "mpi,system");
    for (int n = 0; n < number; n++) {
        OK(MPI_Info_get_nthkey(info, n, key));
        if (strcmp(key, "mpi_memory_alloc_kinds") == 0)
            continue;
        CHECK(strncmp(key, "mpi_assert_", 11) == 0 || strncmp(key, "cairn_", 6) == 0);
        CHECK(strstr(key, "soup") == NULL && strstr(key, "tags") == NULL);
        others += strncmp(key, "cairn_", 6) == 0;
    }
    CHECK(number == ASSERTIONS + 1 + others && others > 0);
    length = sizeof value;
    OK(MPI_Info_get_string(info, "cairn_match", &length, value, &flag));
    CHECK(flag && length > 1);
    OK(MPI_Info_free(&info));
}

static void of_communicators(void)
{
    MPI_Comm comms[8];
    MPI_Request request;
    MPI_Group group;
    MPI_Info info, used;
    int rank, size;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    hints(MPI_COMM_WORLD, 0);
    hints(MPI_COMM_SELF, 0);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "soup", "of the day"));
    OK(MPI_Info_set(info, assertions[0], "true"));
    OK(MPI_Info_set(info, assertions[1], "maybe"));
    OK(MPI_Info_set(info, assertions[2], "true"));
    OK(MPI_Info_set(info, assertions[3], "false"));
    /* Like one that the library knows. */
    OK(MPI_Info_set(info, "mpi_assert_no_any_tags", "true"));
    OK(MPI_Info_set(info, "cairn_soup", "tomato"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comms[0]));
    hints(comms[0], 1 | 4);
    OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comms[1], &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    hints(comms[1], 1 | 4);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    OK(MPI_Comm_create_from_group(group, "soup", info, MPI_ERRORS_RETURN, &comms[2]));
    hints(comms[2], 1 | 4);
    OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comms[3]));
    hints(comms[3], 0);
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comms[4]));
    hints(comms[4], 0);
    OK(MPI_Comm_dup(comms[0], &comms[5]));
    hints(comms[5], 0);
    /* Hints of a communicator in use change; whether messages may overtake each other does not. */
    OK(MPI_Info_set(info, assertions[3], "true"));
    OK(MPI_Comm_set_info(comms[5], info));
    hints(comms[5], 1 | 4);
    OK(MPI_Comm_dup_with_info(comms[5], info, &comms[6]));
    hints(comms[6], 1 | 4 | 8);
    /* What one says can be said of another. */
    OK(MPI_Comm_get_info(comms[6], &used));
    OK(MPI_Comm_dup_with_info(MPI_COMM_SELF, used, &comms[7]));
    hints(comms[7], 1 | 4 | 8);
    OK(MPI_Info_free(&used));
    OK(MPI_Comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL));
    hints(MPI_COMM_WORLD, 0);
    OK(MPI_Info_free(&info));
    for (int n = 0; n < 8; n++)
        OK(MPI_Comm_free(&comms[n]));
}

static void of_sessions(void)
{
    MPI_Session session;
    MPI_Info info;
    int number = -1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "soup", "of the day"));
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE"));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &info));
    OK(MPI_Info_get_nkeys(info, &number));
    CHECK(number == 2);
    has(info, "thread_level", "MPI_THREAD_SINGLE");
    has(info, "mpi_memory_alloc_kinds", "mpi,system");
    OK(MPI_Info_free(&info));
    OK(MPI_Session_finalize(&session));
}

/* A process that is restricted to a resource can ask for the communicator of it. */
static void of_hardware(void)
{
    MPI_Info resources, info;
    MPI_Comm comm;
    char key[MPI_MAX_INFO_KEY], value[8];
    int number, length, flag, n;
    OK(MPI_Get_hw_resource_info(&resources));
    OK(MPI_Info_get_nkeys(resources, &number));
    CHECK(number > 0);
    for (n = 0; n < number; n++) {
        OK(MPI_Info_get_nthkey(resources, n, key));
        length = sizeof value;
        OK(MPI_Info_get_string(resources, key, &length, value, &flag));
        CHECK(flag);
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "mpi_hw_resource_type", key));
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
        CHECK((comm != MPI_COMM_NULL) == (strcmp(value, "true") == 0));
        if (comm != MPI_COMM_NULL)
            OK(MPI_Comm_free(&comm));
        OK(MPI_Info_free(&info));
    }
    OK(MPI_Info_free(&resources));
}

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    pairs();
    of_the_process(size);
    of_communicators();
    of_sessions();
    of_hardware();
    OK(MPI_Finalize());
    return 0;
}
