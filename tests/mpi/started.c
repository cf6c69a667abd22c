/* What the library knows of how a process was started: MPI_INFO_ENV, and MPI_Info_create_env, which says
   the same of the same arguments at any time (MPI 5.0, chapter 10). */
#include <unistd.h>

/* There need not be an MPI_COMM_WORLD to abort. */
#define CHECK_FAILED() _Exit(99)
#include "check.h"

enum { TIMES = 6, WAYS = 6, ROOM = 4096 };

/* All pairs of an info as one text. */
static void text_of(MPI_Info info, char *out)
{
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    int number = -1, flag;
    *out = 0;
    OK(MPI_Info_get_nkeys(info, &number));
    for (int n = 0; n < number; n++) {
        int length = sizeof value;
        OK(MPI_Info_get_nthkey(info, n, key));
        OK(MPI_Info_get_string(info, key, &length, value, &flag));
        CHECK(flag && strlen(out) + strlen(key) + strlen(value) + 3 < ROOM);
        sprintf(out + strlen(out), "%s=%s\n", key, value);
    }
}

static char said[TIMES][WAYS][ROOM];

/* Each way to give arguments. */
static void say(int time, int argc, char **argv)
{
    char *words[] = { (char *)"solve", (char *)"-n", (char *)"3", NULL }, *none[] = { NULL };
    const struct { int argc; char **argv; } ways[WAYS] = {
        { argc, argv }, { 0, NULL }, { argc, NULL }, { 0, argv }, { 3, words }, { 0, none }
    };
    for (int way = 0; way < WAYS; way++) {
        MPI_Info info;
        OK(MPI_Info_create_env(ways[way].argc, ways[way].argv, &info));
        text_of(info, said[time][way]);
        OK(MPI_Info_free(&info));
        CHECK(strcmp(said[time][way], said[0][way]) == 0);
    }
}

static int has(const char *text, const char *pair)
{
    const char *at = strstr(text, pair);
    return at && (at == text || at[-1] == '\n') && at[strlen(pair)] == '\n';
}

/* The text behind the line that begins so. */
static const char *behind(const char *text, const char *start)
{
    const char *at = strstr(text, start);
    CHECK(at != NULL);
    return strchr(at, '\n') + 1;
}

int main(int argc, char **argv)
{
    char own[ROOM], line[2 * ROOM], *words[] = { (char *)"other", (char *)"line", NULL }, **given = words;
    int number = 2, size;
    MPI_Session session;
    CHECK(argc == 3);
    CHECK(getcwd(own, ROOM - 16) != NULL);
    say(0, argc, argv);
    CHECK(chdir("/") == 0);
    say(1, argc, argv);
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    say(2, argc, argv);
    OK(MPI_Session_finalize(&session));
    say(3, argc, argv);
    OK(MPI_Init(&number, &given));
    say(4, argc, argv);
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));

    /* What is said, and that nothing but the command line depends on the arguments. */
    snprintf(line, sizeof line, "wdir=%s", own);
    CHECK(has(said[0][0], line));
    snprintf(line, sizeof line, "command=%s", argv[0]);
    CHECK(has(said[0][0], line));
    snprintf(line, sizeof line, "argv=%s %s", argv[1], argv[2]);
    CHECK(has(said[0][0], line));
    /* By whom it was started, if that is known. */
    snprintf(line, sizeof line, "maxprocs=%d", size);
    CHECK(has(said[0][0], line) == (strcmp(argv[2], "mpirun") == 0));
    for (int way = 1; way < WAYS; way++)
        CHECK(way == 4 || strcmp(said[0][way], said[0][0]) == 0);
    CHECK(has(said[0][4], "command=solve") && has(said[0][4], "argv=-n 3"));
    CHECK(strcmp(behind(said[0][4], "argv="), behind(said[0][0], "argv=")) == 0);

    /* MPI_INFO_ENV says it of the arguments of MPI_Init. */
    MPI_Info info;
    OK(MPI_Info_create_env(2, words, &info));
    text_of(info, own);
    text_of(MPI_INFO_ENV, line);
    CHECK(strcmp(own, line) == 0 && has(own, "command=other") && has(own, "argv=line"));
    OK(MPI_Info_free(&info));
    OK(MPI_Finalize());
    say(5, argc, argv);
    return 0;
}
