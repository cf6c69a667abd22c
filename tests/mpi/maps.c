/* Prints what is mapped into the process while MPI is initialized. */

#include <stdio.h>

#include "check.h"

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    char line[4096];
    while (fgets(line, sizeof line, maps) != NULL) {
        fputs(line, stdout);
    }
    fclose(maps);
    OK(MPI_Finalize());
    return 0;
}
