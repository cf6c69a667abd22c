/* Runs a program as a process of a job that is on several nodes: on_nodes MAPPING PROGRAM ARGUMENTS. What
   the program and its process manager say to each other passes through this process, which puts the
   mapping (PMI_process_mapping) in place of the true one. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY "PMI_process_mapping="

static void fail(const char *what)
{
    perror(what);
    exit(99);
}

static void put(int to, const char *text, size_t length)
{
    for (ssize_t done; length > 0; text += done, length -= (size_t)done)
        if ((done = write(to, text, length)) < 0)
            fail("write");
}

/* Passes one line on, with another mapping. */
static void pass(int to, const char *line, size_t length, const char *mapping)
{
    const char *found = memmem(line, length, KEY, strlen(KEY));
    if (!found) {
        put(to, line, length);
        return;
    }
    size_t before = (size_t)(found - line) + strlen(KEY);
    size_t old = strcspn(line + before, " \n");
    put(to, line, before);
    put(to, mapping, strlen(mapping));
    put(to, line + before + old, length - before - old);
}

int main(int argc, char **argv)
{
    static char text[2][1 << 16];
    size_t held = 0;
    int ends[2], status, manager;
    const char *number = getenv("PMI_FD");
    if (argc < 3 || !number || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        fail("on_nodes");
    manager = atoi(number);
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        close(ends[0]);
        if (dup2(ends[1], manager) < 0)
            fail("dup2");
        close(ends[1]);
        execvp(argv[2], argv + 2);
        fail(argv[2]);
    }
    close(ends[1]);
    struct pollfd both[2] = { { .fd = ends[0], .events = POLLIN }, { .fd = manager, .events = POLLIN } };
    for (;;) {
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            fail("poll");
        if (both[0].revents) {
            ssize_t length = read(ends[0], text[0], sizeof text[0]);
            if (length <= 0)
                break;
            put(manager, text[0], (size_t)length);
        }
        if (both[1].revents) {
            ssize_t length = read(manager, text[1] + held, sizeof text[1] - held - 1);
            if (length <= 0)
                break;
            held += (size_t)length;
            text[1][held] = 0;
            for (char *end; (end = memchr(text[1], '\n', held));) {
                size_t line = (size_t)(end - text[1]) + 1;
                pass(ends[0], text[1], line, argv[1]);
                memmove(text[1], text[1] + line, held -= line);
                text[1][held] = 0;
            }
        }
    }
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        fail("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}
