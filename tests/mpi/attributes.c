/* Attributes: predefined ones, copying, deleting, keys that are freed, and the end of MPI. */
#include "check.h"

static char calls[64];

static void called(char what, int number)
{
    size_t end = strlen(calls);
    calls[end] = what;
    calls[end + 1] = (char) ('0' + number);
    calls[end + 2] = 0;
}

static int expect(const char *wanted)
{
    int same = strcmp(calls, wanted) == 0;
    calls[0] = 0;
    return same;
}

/* Values are pointers to digits; 7 is not copied, 8 fails to be copied, 9 to be deleted. */
static int digits[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *new_value, int *flag)
{
    int digit = *(int *) value;
    (void) key;
    CHECK(comm == MPI_COMM_WORLD && extra == calls);
    called('c', digit);
    *(void **) new_value = value;
    *flag = digit != 7;
    return digit == 8 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int delete_(MPI_Comm comm, int key, void *value, void *extra)
{
    int digit = *(int *) value, flag = -1;
    void *found = NULL;
    CHECK(comm != MPI_COMM_NULL && extra == calls);
    /* The attribute is there until the function has succeeded. */
    OK(MPI_Comm_get_attr(comm, key, &found, &flag));
    CHECK(flag && found == value);
    called('d', digit);
    return digit == 9 ? MPI_ERR_INTERN : MPI_SUCCESS;
}

static int value_of(MPI_Comm comm, int key)
{
    int *value = NULL, flag = -1;
    OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    return flag ? *value : -1;
}

static void predefined(void)
{
    int *value, flag;
    MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    int n, code, rank, size;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (n = 0; n < 2; n++) {
        CHECK(value_of(comms[n], MPI_TAG_UB) >= 32767);
        CHECK(value_of(comms[n], MPI_HOST) == MPI_PROC_NULL);
        CHECK(value_of(comms[n], MPI_IO) == MPI_ANY_SOURCE);
        CHECK(value_of(comms[n], MPI_WTIME_IS_GLOBAL) == (on_host_of(rank, size) == size));
        CHECK(value_of(comms[n], MPI_LASTUSEDCODE) == MPI_ERR_LASTCODE);
    }
    OK(MPI_Add_error_class(&code));
    CHECK(value_of(MPI_COMM_WORLD, MPI_LASTUSEDCODE) == code);
    OK(MPI_Remove_error_class(code));
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
    CHECK(!flag || *value >= 1);
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, digits));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(MPI_COMM_WORLD, 77, &value, &flag));
}

static void copies(void)
{
    int keys[4], n;
    MPI_Comm comm = MPI_COMM_NULL;
    OK(MPI_Comm_create_keyval(copy, delete_, &keys[0], calls));
    OK(MPI_Comm_create_keyval(copy, delete_, &keys[1], calls));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[2], NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_, &keys[3], calls));
    CHECK(value_of(MPI_COMM_WORLD, keys[0]) == -1);
    for (n = 0; n < 4; n++)
        OK(MPI_Comm_set_attr(MPI_COMM_WORLD, keys[n], &digits[n + 1]));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, keys[1], &digits[7]));
    CHECK(expect("d2"));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK(expect("c1c7"));
    CHECK(value_of(comm, keys[0]) == 1 && value_of(comm, keys[1]) == -1);
    CHECK(value_of(comm, keys[2]) == 3 && value_of(comm, keys[3]) == -1);
    OK(MPI_Comm_set_attr(comm, keys[3], &digits[5]));
    OK(MPI_Comm_free(&comm));
    CHECK(expect("d5d1"));

    /* A function that fails makes the call fail. */
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, keys[1], &digits[8]));
    CHECK(expect("d7"));
    comm = MPI_COMM_WORLD;
    FAILS(MPI_ERR_OTHER, MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK(expect("c1c8d1") && comm == MPI_COMM_NULL);
    MPI_Request request;
    comm = MPI_COMM_WORLD;
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request));
    FAILS(MPI_ERR_OTHER, MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(expect("c1c8d1") && comm == MPI_COMM_NULL);
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, keys[1]));
    CHECK(expect("d8"));
    CHECK(value_of(MPI_COMM_WORLD, keys[1]) == -1);

    /* A freed key stays with its attributes. */
    for (n = 0; n < 4; n++) {
        int freed = keys[n];
        OK(MPI_Comm_free_keyval(&freed));
        CHECK(freed == MPI_KEYVAL_INVALID);
    }
    CHECK(value_of(MPI_COMM_WORLD, keys[0]) == 1);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK(expect("c1") && value_of(comm, keys[0]) == 1);
    OK(MPI_Comm_free(&comm));
    CHECK(expect("d1"));
    for (n = 0; n < 4; n++)
        if (n != 1)
            OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, keys[n]));
    CHECK(expect("d1d4"));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, keys[0], digits));
}

static void refused_deletion(void)
{
    int key;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_, &key, calls));
    OK(MPI_Comm_set_attr(comm, key, &digits[9]));
    FAILS(MPI_ERR_INTERN, MPI_Comm_delete_attr(comm, key));
    FAILS(MPI_ERR_INTERN, MPI_Comm_set_attr(comm, key, &digits[1]));
    FAILS(MPI_ERR_INTERN, MPI_Comm_free(&comm));
    CHECK(comm != MPI_COMM_NULL && value_of(comm, key) == 9);
    CHECK(expect("d9d9d9"));
    digits[9] = 4;
    OK(MPI_Comm_free(&comm));
    CHECK(comm == MPI_COMM_NULL && expect("d4"));
    digits[9] = 9;
    OK(MPI_Comm_free_keyval(&key));
}

static int pair[2];

/* Deletes the other one. */
static int delete_both(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) key, (void) extra;
    called('d', *(int *) value);
    if (*(int *) value == 2)
        OK(MPI_Comm_delete_attr(comm, pair[0]));
    return MPI_SUCCESS;
}

/* Each attribute is deleted once, by any thread. */
static void deletion_in_deletion(void)
{
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int n = 0; n < 2; n++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_both, &pair[n], NULL));
        OK(MPI_Comm_set_attr(comm, pair[n], &digits[n + 1]));
    }
    OK(MPI_Comm_free(&comm));
    CHECK(expect("d2d1"));
    for (int n = 0; n < 2; n++)
        OK(MPI_Comm_free_keyval(&pair[n]));
}

/* A key that no attribute has any more and that was freed. */
static void is_gone(int key)
{
    int flag;
    void *value;
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_SELF, key, digits));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(MPI_COMM_SELF, key));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&key));
}

/* The handle of a freed key goes, copies of it can be used as long as an attribute has the key
   (MPI 5.0, section 7.7.2). */
static void freed_keys(int (*free_key)(int *))
{
    MPI_Comm one, other, third;
    int key, handle, flag = -1;
    void *value;
    OK(MPI_Comm_create_keyval(copy, delete_, &key, calls));
    handle = key;
    OK(free_key(&handle));
    CHECK(handle == MPI_KEYVAL_INVALID);
    is_gone(key);

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &one));
    OK(MPI_Comm_create_keyval(copy, delete_, &key, calls));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &digits[1]));
    handle = key;
    OK(free_key(&handle));
    CHECK(handle == MPI_KEYVAL_INVALID);
    CHECK(value_of(MPI_COMM_WORLD, key) == 1);
    /* Objects that have no such attribute can get one. */
    OK(MPI_Comm_get_attr(one, key, &value, &flag));
    CHECK(!flag);
    OK(MPI_Comm_delete_attr(one, key));
    OK(MPI_Comm_set_attr(one, key, &digits[2]));
    CHECK(value_of(one, key) == 2 && expect(""));
    OK(MPI_Comm_set_attr(one, key, &digits[3]));
    CHECK(value_of(one, key) == 3 && expect("d2"));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    CHECK(value_of(other, key) == 1 && expect("c1"));
    /* Freeing it again changes nothing. */
    handle = key;
    OK(free_key(&handle));
    CHECK(handle == MPI_KEYVAL_INVALID && value_of(one, key) == 3);
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    CHECK(expect("d1"));
    OK(MPI_Comm_free(&one));
    CHECK(expect("d3"));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &third));
    OK(MPI_Comm_set_attr(third, key, &digits[4]));
    OK(MPI_Comm_free(&other));
    CHECK(expect("d1") && value_of(third, key) == 4);
    OK(MPI_Comm_delete_attr(third, key));
    CHECK(expect("d4"));
    is_gone(key);
    OK(MPI_Comm_free(&third));
}

/* Functions that free their own key. */
static int free_in_copy(MPI_Comm comm, int key, void *extra, void *value, void *new_value, int *flag)
{
    int handle = key;
    (void) comm, (void) extra;
    OK(MPI_Comm_free_keyval(&handle));
    called('c', *(int *) value);
    *(void **) new_value = value;
    return *flag = 1, MPI_SUCCESS;
}

static int free_in_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    int handle = key;
    (void) extra;
    OK(MPI_Comm_free_keyval(&handle));
    CHECK(handle == MPI_KEYVAL_INVALID);
    /* It is still in use here. */
    CHECK(value_of(comm, key) == *(int *) value);
    called('d', *(int *) value);
    return MPI_SUCCESS;
}

static void freed_in_functions(void)
{
    MPI_Comm one, other;
    int key, handle;
    OK(MPI_Comm_create_keyval(free_in_copy, free_in_delete, &key, NULL));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &one));
    OK(MPI_Comm_set_attr(one, key, &digits[1]));
    OK(MPI_Comm_dup(one, &other));
    CHECK(expect("c1"));
    OK(MPI_Comm_free(&one));
    CHECK(expect("d1") && value_of(other, key) == 1);
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &digits[2]));
    OK(MPI_Comm_free(&other));
    CHECK(expect("d1"));
    handle = key;
    OK(MPI_Comm_free_keyval(&handle));
    OK(MPI_Comm_delete_attr(MPI_COMM_SELF, key));
    CHECK(expect("d2"));
    is_gone(key);
}

static void of_datatypes(void)
{
    int key, flag = -1;
    void *value = NULL;
    OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Type_set_attr(MPI_INT, key, digits));
    OK(MPI_Type_get_attr(MPI_INT, key, &value, &flag));
    CHECK(flag && value == digits);
    OK(MPI_Type_get_attr(MPI_CHAR, key, &value, &flag));
    CHECK(!flag);
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, key, digits));
    int copied = key;
    OK(MPI_Type_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Type_set_attr(MPI_CHAR, copied, digits + 1));
    OK(MPI_Type_delete_attr(MPI_INT, copied));
    OK(MPI_Type_get_attr(MPI_CHAR, copied, &value, &flag));
    CHECK(flag && value == digits + 1);
    OK(MPI_Type_delete_attr(MPI_CHAR, copied));
    FAILS(MPI_ERR_KEYVAL, MPI_Type_set_attr(MPI_CHAR, copied, digits));
}

/* The names that MPI-1 had. */
static void of_old(void)
{
    int key, flag = -1;
    void *value = NULL;
    MPI_Comm comm, child;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Keyval_create(MPI_DUP_FN, delete_, &key, calls));
    OK(MPI_Attr_get(comm, key, &value, &flag));
    CHECK(!flag);
    OK(MPI_Attr_put(comm, key, &digits[3]));
    OK(MPI_Attr_get(comm, key, &value, &flag));
    CHECK(flag && value == &digits[3]);
    CHECK(value_of(comm, key) == 3);
    OK(MPI_Comm_dup(comm, &child));
    CHECK(value_of(child, key) == 3);
    OK(MPI_Attr_delete(comm, key));
    CHECK(expect("d3"));
    OK(MPI_Comm_free(&child));
    CHECK(expect("d3"));
    OK(MPI_Keyval_free(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Comm_free(&comm));
}

static int at_end[3], ends;

static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    int flag = 1;
    (void) key, (void) extra;
    CHECK(comm == MPI_COMM_SELF);
    OK(MPI_Finalized(&flag));
    CHECK(!flag);
    at_end[ends++] = *(int *) value;
    return MPI_SUCCESS;
}

int main(void)
{
    int rank, size, n, key;
    begin(&rank, &size);
    predefined();
    copies();
    refused_deletion();
    deletion_in_deletion();
    freed_keys(MPI_Comm_free_keyval);
    freed_keys(MPI_Keyval_free);
    freed_in_functions();
    of_datatypes();
    of_old();
    for (n = 0; n < 3; n++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &digits[n]));
        OK(MPI_Comm_free_keyval(&key));
    }
    OK(MPI_Finalize());
    /* The last one first. */
    return !(ends == 3 && at_end[0] == 2 && at_end[1] == 1 && at_end[2] == 0);
}
