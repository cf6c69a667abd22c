/* What programs of MPI-1 call. */
#include <stddef.h>

#include "check.h"

static int called;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    called = class_of(*code);
}

int main(void)
{
    struct { char letter; double number[2]; } pair;
    int lengths[] = { 1, 2 };
    MPI_Aint places[2], lb, ub, extent;
    MPI_Datatype types[] = { MPI_CHAR, MPI_DOUBLE }, type, other;
    MPI_Handler_function *function = handler;
    MPI_Errhandler made, found;
    OK(MPI_Init(NULL, NULL));
    OK(MPI_Address(&pair.letter, &places[0]));
    OK(MPI_Address(pair.number, &places[1]));
    places[1] -= places[0];
    places[0] = 0;
    OK(MPI_Type_struct(2, lengths, places, types, &type));
    OK(MPI_Type_extent(type, &extent));
    OK(MPI_Type_lb(type, &lb));
    OK(MPI_Type_ub(type, &ub));
    CHECK(extent == sizeof pair && lb == 0 && ub == extent);
    OK(MPI_Type_hvector(2, 1, 100, type, &other));
    OK(MPI_Type_extent(other, &extent));
    CHECK(extent == 128);
    OK(MPI_Type_free(&other));
    OK(MPI_Type_hindexed(2, lengths, places, MPI_DOUBLE, &other));
    OK(MPI_Type_ub(other, &ub));
    CHECK(ub == 24);
    OK(MPI_Type_free(&other));
    OK(MPI_Type_free(&type));
    OK(MPI_Errhandler_create(function, &made));
    OK(MPI_Errhandler_set(MPI_COMM_WORLD, made));
    OK(MPI_Errhandler_get(MPI_COMM_WORLD, &found));
    CHECK(found == made);
    MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    CHECK(called == MPI_ERR_COUNT);
    OK(MPI_Errhandler_free(&made));
    OK(MPI_Errhandler_free(&found));
    MPI_Finalize();
    return 0;
}
