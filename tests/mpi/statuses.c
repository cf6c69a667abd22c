/* What is in a status, and what a program may put there. */
#include "check.h"

static void fields(void)
{
    MPI_Status status;
    int value = -1;
    memset(&status, 0, sizeof status);
    OK(MPI_Status_set_source(&status, 12));
    OK(MPI_Status_set_tag(&status, 34));
    OK(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE));
    CHECK(status.MPI_SOURCE == 12 && status.MPI_TAG == 34);
    CHECK(status.MPI_ERROR == MPI_ERR_TRUNCATE);
    OK(MPI_Status_get_source(&status, &value));
    CHECK(value == 12);
    OK(MPI_Status_get_tag(&status, &value));
    CHECK(value == 34);
    OK(MPI_Status_get_error(&status, &value));
    CHECK(value == MPI_ERR_TRUNCATE);
    for (int flag = 0; flag < 3; flag++) {
        OK(MPI_Status_set_cancelled(&status, flag % 2));
        OK(MPI_Test_cancelled(&status, &value));
        CHECK(value == flag % 2);
    }
    /* They do not touch each other. */
    OK(MPI_Status_set_elements(&status, MPI_INT, 7));
    CHECK(status.MPI_SOURCE == 12 && status.MPI_TAG == 34);
    CHECK(status.MPI_ERROR == MPI_ERR_TRUNCATE);
    OK(MPI_Test_cancelled(&status, &value));
    CHECK(value == 0);
}

static void counts(void)
{
    static const int numbers[] = { 0, 1, 5, 2147483647 };
    MPI_Status status;
    Count count;
    MPI_Count large;
    memset(&status, 0, sizeof status);
    for (int n = 0; n < 4; n++) {
        OK(MPI_Status_set_elements(&status, MPI_DOUBLE, numbers[n]));
        OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        CHECK(count == numbers[n]);
        OK(MPI_Get_elements(&status, MPI_DOUBLE, &count));
        CHECK(count == numbers[n]);
        OK(MPI_Get_elements_x(&status, MPI_DOUBLE, &large));
        CHECK(large == numbers[n]);
    }
    OK(MPI_Status_set_elements_x(&status, MPI_BYTE, 3000000000));
    OK(MPI_Get_elements_x(&status, MPI_BYTE, &large));
    CHECK(large == 3000000000);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
#ifdef LARGE
    CHECK(count == 3000000000);
#else
    CHECK(count == MPI_UNDEFINED);
#endif
    OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
    CHECK(count == 375000000);
    /* 10 bytes are no number of ints, but of shorts. */
    OK(MPI_Status_set_elements(&status, MPI_BYTE, 10));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Get_count(&status, MPI_SHORT, &count));
    CHECK(count == 5);
    /* A pair has two elements. */
    OK(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 6));
    OK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count));
    CHECK(count == 6);
    OK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count));
    CHECK(count == 3);
}

static void mistakes(void)
{
    MPI_Status status;
    Count count;
    int value;
    memset(&status, 0, sizeof status);
    FAILS(MPI_ERR_TYPE, MPI_Get_count(&status, MPI_DATATYPE_NULL, &count));
    FAILS(MPI_ERR_TYPE, MPI_Status_set_elements(&status, MPI_DATATYPE_NULL, 1));
    FAILS(MPI_ERR_COUNT, MPI_Status_set_elements(&status, MPI_INT, -1));
    FAILS(MPI_ERR_ARG, MPI_Get_count(NULL, MPI_INT, &count));
    FAILS(MPI_ERR_ARG, MPI_Get_count(&status, MPI_INT, NULL));
    FAILS(MPI_ERR_ARG, MPI_Test_cancelled(NULL, &value));
    FAILS(MPI_ERR_ARG, MPI_Test_cancelled(&status, NULL));
    FAILS(MPI_ERR_ARG, MPI_Status_set_tag(NULL, 1));
}

int main(void)
{
    int rank, size;
    begin(&rank, &size);
    fields();
    counts();
    mistakes();
    OK(MPI_Finalize());
    return 0;
}
