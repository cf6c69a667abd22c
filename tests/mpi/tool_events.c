/* Events of the tool information interface. */
#include "check.h"
#include <stddef.h>

#define IS(code, call) CHECK((call) == (code))
#define MESSAGES 20

struct heard {
    int count, inside, freed;
    MPI_Count last_time;
    long long tags, bytes;
    int elements;
};

static MPI_T_event_registration registration;

static void on_event(MPI_T_event_instance event, MPI_T_event_registration from,
                     MPI_T_cb_safety safety, void *user_data)
{
    struct heard *heard = user_data;
    MPI_Count all[8] = {0}, one, time, now;
    int source = -1, initialized;
    CHECK(from == registration && heard->inside == 0);
    CHECK(safety == MPI_T_CB_REQUIRE_NONE);
    heard->inside = 1;
    OK(MPI_T_event_copy(event, all));
    for (int i = 0; i < heard->elements; i++) {
        OK(MPI_T_event_read(event, i, &one));
        CHECK(one == all[i]);
    }
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_event_read(event, heard->elements, &one));
    OK(MPI_T_event_get_timestamp(event, &time));
    OK(MPI_T_event_get_source(event, &source));
    OK(MPI_T_source_get_timestamp(source, &now));
    CHECK(source == 0 && time >= heard->last_time && time <= now);
    heard->last_time = time;
    heard->count++;
    heard->tags += all[2];
    heard->bytes += all[3];
    /* Here MPI may be called. */
    OK(MPI_Initialized(&initialized));
    heard->inside = 0;
}

static void on_free(MPI_T_event_registration from, MPI_T_cb_safety safety, void *user_data)
{
    (void)safety;
    CHECK(from == registration);
    ((struct heard *)user_data)->freed++;
}

static MPI_Count lost;

static void on_dropped(MPI_Count count, MPI_T_event_registration from, int source,
                       MPI_T_cb_safety safety, void *user_data)
{
    (void)safety, (void)user_data;
    CHECK(from == registration && source == 0 && count > 0);
    lost += count;
}

static void sources(void)
{
    int num = -1, length = 100, more = 100;
    char name[100], help[100];
    MPI_T_source_order order;
    MPI_Count ticks, most, time;
    MPI_Info info;
    OK(MPI_T_source_get_num(&num));
    CHECK(num == 1);
    OK(MPI_T_source_get_info(0, name, &length, help, &more, &order, &ticks, &most, &info));
    CHECK(order == MPI_T_SOURCE_ORDERED && ticks > 0 && most > 0 && length > 1 && more > 1);
    OK(MPI_Info_free(&info));
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_source_get_timestamp(1, &time));
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_source_get_info(-1, name, &length, help, &more, NULL, NULL,
                                                      NULL, NULL));
}

static int types(void)
{
    int num = -1, found = -1;
    OK(MPI_T_event_get_num(&num));
    CHECK(num >= 2);
    for (int i = 0; i < num; i++) {
        char name[256], help[1024];
        int length = sizeof(name), more = sizeof(help), verbosity, elements = 8, bind, index = -1;
        MPI_Datatype datatypes[8];
        MPI_Aint displacements[8];
        MPI_T_enum words;
        MPI_Info info;
        OK(MPI_T_event_get_info(i, name, &length, &verbosity, datatypes, displacements, &elements,
                                &words, &info, help, &more, &bind));
        CHECK(length == (int)strlen(name) + 1 && more == (int)strlen(help) + 1);
        CHECK(bind == MPI_T_BIND_NO_OBJECT && elements > 0 && elements <= 8);
        for (int k = 0; k < elements; k++)
            CHECK(datatypes[k] == MPI_COUNT && displacements[k] == k * (MPI_Aint)sizeof(MPI_Count));
        int items, value;
        OK(MPI_T_enum_get_info(words, &items, NULL, NULL));
        CHECK(items == elements);
        length = sizeof(name);
        OK(MPI_T_enum_get_item(words, 0, &value, help, &length));
        CHECK(value == 0);
        OK(MPI_Info_free(&info));
        int room = 1;
        datatypes[1] = MPI_CHAR;
        OK(MPI_T_event_get_info(i, NULL, NULL, NULL, datatypes, NULL, &room, NULL, NULL, NULL, NULL,
                                NULL));
        CHECK(room == elements && datatypes[1] == MPI_CHAR);
        OK(MPI_T_event_get_index(name, &index));
        CHECK(index == i);
        if (strcmp(name, "pml_ob1_unexpected_message") == 0)
            found = i;
    }
    int index;
    IS(MPI_T_ERR_INVALID_NAME, MPI_T_event_get_index("nothing", &index));
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_event_get_info(num, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                                     NULL, NULL, NULL, NULL));
    CHECK(found >= 0);
    return found;
}

/* All messages have come before the one with this tag, which was sent last. */
static void come(int tag)
{
    OK(MPI_Probe(0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
}

/* Messages to itself, each before its receive. */
static void unexpected(int count)
{
    int data[3] = {0};
    for (int tag = 0; tag < count; tag++)
        OK(MPI_Send(data, 3, MPI_INT, 0, tag, MPI_COMM_SELF));
    come(count - 1);
    for (int tag = 0; tag < count; tag++)
        OK(MPI_Recv(data, 3, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
}

/* What has happened is delivered when MPI makes progress. */
static void progress(void)
{
    int flag;
    OK(MPI_Iprobe(0, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
}

int main(void)
{
    int rank, size, provided;
    struct heard heard = {.elements = 4};
    MPI_Info info;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    begin(&rank, &size);
    sources();
    int type = types();
    IS(MPI_T_ERR_INVALID_INDEX, MPI_T_event_handle_alloc(-1, NULL, MPI_INFO_NULL, &registration));
    OK(MPI_T_event_handle_alloc(type, NULL, MPI_INFO_NULL, &registration));
    OK(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL));
    OK(MPI_T_event_handle_get_info(registration, &info));
    OK(MPI_Info_free(&info));

    /* There is no listener yet, so this is none of ours. */
    unexpected(3);
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &heard,
                                     on_event));
    OK(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
    OK(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
    OK(MPI_Info_free(&info));
    IS(MPI_T_ERR_INVALID, MPI_T_event_register_callback(registration, 1, MPI_INFO_NULL, &heard,
                                                        on_event));
    OK(MPI_T_event_set_dropped_handler(registration, on_dropped));
    unexpected(MESSAGES);
    progress();
    CHECK(heard.count == MESSAGES && lost == 0);
    CHECK(heard.tags == MESSAGES * (MESSAGES - 1) / 2);
    CHECK(heard.bytes == MESSAGES * 3 * (long long)sizeof(int));

    /* More than there is room for: those without are counted. */
    int data[3] = {0}, many = 5000, before = heard.count;
    for (int i = 1; i <= many; i++)
        OK(MPI_Send(data, 3, MPI_INT, 0, i == many ? 8 : 7, MPI_COMM_SELF));
    come(8);
    for (int i = 1; i <= many; i++)
        OK(MPI_Recv(data, 3, MPI_INT, 0, i == many ? 8 : 7, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    progress();
    CHECK(heard.count - before + lost == many);

    /* Without a callback nothing comes, nor with another registration freed. */
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL,
                                     NULL));
    before = heard.count;
    unexpected(MESSAGES);
    progress();
    CHECK(heard.count == before);
    /* A callback that stands more is good enough, too. */
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
                                     MPI_INFO_NULL, &heard, on_event));
    unexpected(MESSAGES);
    progress();
    CHECK(heard.count == before + MESSAGES);

    MPI_T_event_registration stale = registration;
    OK(MPI_T_event_handle_free(registration, &heard, on_free));
    CHECK(heard.freed == 1);
    IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_handle_free(stale, NULL, NULL));
    IS(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_set_dropped_handler(stale, NULL));
    before = heard.count;
    unexpected(MESSAGES);
    progress();
    CHECK(heard.count == before);
    MPI_Finalize();
    OK(MPI_T_finalize());
    return 0;
}
