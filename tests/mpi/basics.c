/* What a program may do before MPI_Init. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);    \
            failures++;                                                         \
        }                                                                       \
    } while (0)

static void versions(void)
{
    int version = 0, subversion = 0, length = -1, flag = -1;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS);
    CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
    CHECK(MPI_Abi_get_version(&version, &subversion) == MPI_SUCCESS);
    CHECK(version == MPI_ABI_VERSION && subversion == MPI_ABI_SUBVERSION);
    CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS);
    CHECK(length == (int) strlen(text) && strncmp(text, "Cairn MPI ", 10) == 0);
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 0);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 0);
    /* One variable for several results. */
    CHECK(MPI_Get_version(&version, &version) == MPI_SUCCESS);
}

static void errors(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int code, errorclass, length;
    for (code = MPI_SUCCESS; code <= MPI_ERR_ABI; code++) {
        CHECK(MPI_Error_class(code, &errorclass) == MPI_SUCCESS && errorclass == code);
        CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS);
        CHECK(length == (int) strlen(text) && length > 10);
        CHECK(strncmp(text, code ? "MPI_ERR_" : "MPI_SUCCESS", 8) == 0);
    }
    CHECK(MPI_Error_string(MPI_T_ERR_PVAR_NO_ATOMIC, text, &length) == MPI_SUCCESS);

    CHECK(MPI_Add_error_class(&errorclass) == MPI_SUCCESS && errorclass > MPI_ERR_LASTCODE);
    CHECK(MPI_Add_error_code(errorclass, &code) == MPI_SUCCESS && code > errorclass);
    CHECK(MPI_Add_error_string(code, "out of cheese") == MPI_SUCCESS);
    CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS);
    CHECK(length == 13 && strcmp(text, "out of cheese") == 0);
    CHECK(MPI_Error_class(code, &length) == MPI_SUCCESS && length == errorclass);
    CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
    CHECK(MPI_Remove_error_code(code) == MPI_SUCCESS);
    CHECK(MPI_Remove_error_class(errorclass) == MPI_SUCCESS);
}

static void fortran(void)
{
    MPI_Info info;
    char value[8];
    int yes = 7, no = 7, set = -1, length = sizeof value, flag = 0;
    CHECK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &set) == MPI_SUCCESS);
    CHECK(set == 1 && yes == 1 && no == 0);
    CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS);
    CHECK(MPI_Info_get_string(info, "mpi_integer_size", &length, value, &flag) == MPI_SUCCESS);
    CHECK(flag && length == 2 && strcmp(value, "4") == 0);
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
}

static void handles(void)
{
    MPI_Status status = {1, 2, 3, {4, 5, 6, 7, 8}}, back;
    MPI_Fint integers[MPI_F_STATUS_SIZE];
    CHECK(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101);
    CHECK(MPI_Comm_fromint(0x101) == MPI_COMM_WORLD);
    CHECK(MPI_Type_toint(MPI_INT) == 0x209);
    CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM);
    CHECK(MPI_Request_toint(MPI_REQUEST_NULL) == 384);
    CHECK(MPI_File_fromint(-5) == MPI_FILE_NULL);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_SELF)) == MPI_COMM_SELF);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    CHECK(MPI_Status_c2f(&status, integers) == MPI_SUCCESS);
    CHECK(integers[MPI_F_SOURCE] == 1 && integers[MPI_F_ERROR] == 3 && integers[7] == 8);
    CHECK(MPI_Status_f2c(integers, &back) == MPI_SUCCESS);
    CHECK(memcmp(&status, &back, sizeof status) == 0);
}

static void clock_and_addresses(void)
{
    double start = MPI_Wtime();
    CHECK(MPI_Wtime() >= start && start > 0);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
    CHECK(MPI_Aint_add(40, 2) == 42 && MPI_Aint_diff(40, 42) == -2);
}

int main(void)
{
    versions();
    errors();
    fortran();
    handles();
    clock_and_addresses();
    printf("%d failures\n", failures);
    return failures != 0;
}
