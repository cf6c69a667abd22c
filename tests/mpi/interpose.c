/* A profiling library: its own MPI_Get_version over PMPI_Get_version. Built into a program and as a
 * library that is loaded before. */
#include <mpi.h>
#include <stdio.h>

int MPI_Get_version(int *version, int *subversion)
{
    int code = PMPI_Get_version(version, subversion);
    printf("interposed\n");
    return code;
}

#ifndef LIBRARY
int main(void)
{
    int version, subversion, major, minor;
    MPI_Get_version(&version, &subversion);
    MPI_Abi_get_version(&major, &minor);
    printf("MPI %d.%d, ABI %d.%d\n", version, subversion, major, minor);
    return 0;
}
#endif
