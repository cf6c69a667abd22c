/* Groups, and communicators that are made of them. */
#include "check.h"

static int size_of(MPI_Group group)
{
    int size = -1;
    OK(MPI_Group_size(group, &size));
    return size;
}

static int comparison(MPI_Group one, MPI_Group other)
{
    int result = -1;
    OK(MPI_Group_compare(one, other, &result));
    return result;
}

int main(void)
{
    MPI_Group world, reversed, even, odd, rest, found;
    MPI_Comm comm;
    int rank, size, own, n;
    int ranks[64], there[64];
    begin(&rank, &size);
    CHECK(size <= 64);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_rank(world, &own));
    CHECK(own == rank && size_of(world) == size);
    CHECK(comparison(world, world) == MPI_IDENT);
    CHECK(comparison(world, MPI_GROUP_EMPTY) == MPI_UNEQUAL);

    /* Backwards. */
    {
        int range[1][3] = {{size - 1, 0, -1}}, zero[1][3] = {{0, size - 1, 0}};
        int outside[1][3] = {{0, size, 1}};
        OK(MPI_Group_range_incl(world, 1, range, &reversed));
        FAILS(MPI_ERR_ARG, MPI_Group_range_incl(world, 1, zero, &found));
        FAILS(MPI_ERR_RANK, MPI_Group_range_incl(world, 1, outside, &found));
        OK(MPI_Group_range_excl(world, 1, range, &found));
        CHECK(found == MPI_GROUP_EMPTY);
    }
    CHECK(comparison(world, reversed) == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    OK(MPI_Group_rank(reversed, &own));
    CHECK(own == size - 1 - rank);
    for (n = 0; n < size; n++)
        ranks[n] = n;
    OK(MPI_Group_translate_ranks(world, size, ranks, reversed, there));
    for (n = 0; n < size; n++)
        CHECK(there[n] == size - 1 - n);

    /* Halves. */
    {
        int range[1][3] = {{0, size - 1, 2}};
        OK(MPI_Group_range_incl(world, 1, range, &even));
        OK(MPI_Group_range_excl(world, 1, range, &odd));
    }
    CHECK(size_of(even) == (size + 1) / 2 && size_of(odd) == size / 2);
    CHECK((odd == MPI_GROUP_EMPTY) == (size == 1));
    OK(MPI_Group_rank(even, &own));
    CHECK(own == (rank % 2 == 0 ? rank / 2 : MPI_UNDEFINED));
    OK(MPI_Group_difference(world, even, &rest));
    CHECK(comparison(rest, odd) == MPI_IDENT);
    OK(MPI_Group_free(&rest));
    OK(MPI_Group_intersection(even, odd, &rest));
    CHECK(rest == MPI_GROUP_EMPTY);
    OK(MPI_Group_union(odd, even, &rest));
    CHECK(size_of(rest) == size && comparison(rest, world) != MPI_UNEQUAL);
    OK(MPI_Group_free(&rest));
    CHECK(rest == MPI_GROUP_NULL);
    ranks[0] = 0;
    ranks[1] = MPI_PROC_NULL;
    OK(MPI_Group_translate_ranks(world, 2, ranks, odd, there));
    CHECK(there[0] == MPI_UNDEFINED && there[1] == MPI_PROC_NULL);
    ranks[0] = size;
    FAILS(MPI_ERR_RANK, MPI_Group_translate_ranks(world, 1, ranks, odd, there));
    FAILS(MPI_ERR_RANK, MPI_Group_incl(world, 1, ranks, &rest));
    ranks[0] = ranks[1] = 0;
    FAILS(MPI_ERR_RANK, MPI_Group_incl(world, 2, ranks, &rest));
    FAILS(MPI_ERR_RANK, MPI_Group_excl(world, 2, ranks, &rest));
    OK(MPI_Group_excl(world, 1, ranks, &rest));
    CHECK(size_of(rest) == size - 1);
    if (rest != MPI_GROUP_EMPTY)
        OK(MPI_Group_free(&rest));

    /* Communicators. */
    OK(MPI_Comm_create(MPI_COMM_WORLD, reversed, &comm));
    OK(MPI_Comm_rank(comm, &own));
    CHECK(own == size - 1 - rank);
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &n));
    CHECK(n == (size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_create(MPI_COMM_WORLD, even, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank % 2 == 1));
    if (comm != MPI_COMM_NULL) {
        OK(MPI_Comm_group(comm, &found));
        CHECK(comparison(found, even) == MPI_IDENT);
        OK(MPI_Group_free(&found));
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &comm));
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&reversed));
    OK(MPI_Group_free(&even));
    if (odd != MPI_GROUP_EMPTY)
        OK(MPI_Group_free(&odd));
    OK(MPI_Finalize());
    return 0;
}
