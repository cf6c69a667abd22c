/*
 * Cairn MPI: <cairn/tasks.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **tasks** — who executes internal tasks.
 *
 * A large copy, pack or unpack is cut into pieces; idle threads take some, and the thread that
 * needs the result does all that nobody took (Jain et al. §3). A component decides who is idle:
 * nobody (*inline*), threads blocked in MPI (*waiters*), the application's own runtime (*openmp*),
 * threads of its own (*pool*).
 *
 * **Life.** One component serves the process.
 *
 * **Threads and locks.** All functions are called by any thread, any number at once, with no lock
 * held. A task is run exactly once, by `submit`, by `run` or by a thread of the component.
 *
 * **Ownership.** A `cairn_task_t` belongs to the component from `submit` until it has counted its group
 * down; the count is the last access.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_TASKS_H
#define CAIRN_TASKS_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/status.h>
#include <cairn/task.h>
#include <cairn/thread.h>
#include <cairn/types.h>

/**
 * Major version of this contract.
 */
#define CAIRN_TASKS_MAJOR 1

/**
 * Minor version of this contract.
 */
#define CAIRN_TASKS_MINOR 0

/**
 * A task runner's functions.
 */
struct cairn_tasks_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Takes a task; runs it at once when nobody is idle. Required.
   */
  void (*submit)(cairn_instance_t *instance, cairn_task_t *task);
  /**
   * How many threads besides the caller could run a task now; a caller that gets 0 need not cut
   * its work. A guess. Required.
   */
  uint32_t (*helpers)(cairn_instance_t *instance);
  /**
   * The calling thread has nothing else to do: runs at most `most` tasks and returns how many.
   * Default: none.
   */
  uint32_t (*run)(cairn_instance_t *instance, const cairn_thread_t *thread, uint32_t most);
};

#endif  /* CAIRN_TASKS_H */
