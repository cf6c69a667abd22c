/* Runs a program to which the kernel refuses a system call, as containers do: "refuse memfd_create EPERM
   program argument ...". A filter of system calls (seccomp), which the program inherits. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct number {
    const char *name;
    unsigned number;
} calls[] = { { "memfd_create", SYS_memfd_create },
              { "pidfd_open", SYS_pidfd_open },
              { "process_vm_readv", SYS_process_vm_readv },
              { NULL, 0 } },
  errors[] = { { "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "EACCES", EACCES }, { NULL, 0 } };

static const struct number *find(const struct number *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0) table++;
    return table;
}

int main(int argc, char **argv)
{
    if (argc < 4 || !find(calls, argv[1])->name || !find(errors, argv[2])->name) {
        fprintf(stderr, "usage: refuse CALL ERROR PROGRAM [ARGUMENT ...]\n");
        return 2;
    }
    unsigned call = find(calls, argv[1])->number, error = find(errors, argv[2])->number;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        return 77;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 2;
}
