/* Calls before initialization and after finalization. The first argument says when, the second which
   one; without arguments, what is allowed then is called. */
#include "check.h"

/* What a program may ask at any time. */
static void allowed(int initialized, int finalized)
{
    int flag = -1, version, subversion, length, class_, code;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Info info;
    OK(MPI_Initialized(&flag));
    CHECK(flag == initialized);
    OK(MPI_Finalized(&flag));
    CHECK(flag == finalized);
    OK(MPI_Get_version(&version, &subversion));
    CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
    OK(MPI_Abi_get_version(&version, &subversion));
    CHECK(version == MPI_ABI_VERSION);
    OK(MPI_Get_library_version(text, &length));
    CHECK(length > 0);
    OK(MPI_Error_class(MPI_ERR_RANK, &class_));
    CHECK(class_ == MPI_ERR_RANK);
    OK(MPI_Error_string(MPI_ERR_RANK, text, &length));
    OK(MPI_Add_error_class(&class_));
    OK(MPI_Add_error_code(class_, &code));
    OK(MPI_Add_error_string(code, "mine"));
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(class_));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "key", "value"));
    length = sizeof text;
    OK(MPI_Info_get_string(info, "key", &length, text, &flag));
    CHECK(flag && strcmp(text, "value") == 0);
    OK(MPI_Info_free(&info));
    CHECK(MPI_Wtime() > 0 && MPI_Wtick() > 0);
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
}

static void wrong(const char *which)
{
    int value = 0;
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Group group;
    if (strcmp(which, "send") == 0)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (strcmp(which, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(which, "rank") == 0)
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
    else if (strcmp(which, "dup") == 0)
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
    else if (strcmp(which, "wait") == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (strcmp(which, "group") == 0)
        MPI_Comm_group(MPI_COMM_WORLD, &group);
    else if (strcmp(which, "thread") == 0)
        MPI_Is_thread_main(&value);
    else if (strcmp(which, "attach") == 0)
        MPI_Buffer_attach(&value, sizeof value);
    else if (strcmp(which, "init") == 0)
        MPI_Init(NULL, NULL);
    else if (strcmp(which, "finalize") == 0)
        MPI_Finalize();
    else if (strcmp(which, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 44);
}

int main(int argc, char **argv)
{
    int rank, size;
    if (argc == 3 && strcmp(argv[1], "before") == 0)
        wrong(argv[2]);
    if (argc < 2)
        allowed(0, 0);
    begin(&rank, &size);
    if (argc < 2)
        allowed(1, 0);
    OK(MPI_Finalize());
    if (argc == 3 && strcmp(argv[1], "after") == 0)
        wrong(argv[2]);
    if (argc < 2)
        allowed(1, 1);
    /* A call that was wrong does not come back. */
    return argc < 2 ? 0 : 7;
}
