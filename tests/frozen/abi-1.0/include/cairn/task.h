/*
 * Cairn MPI: <cairn/task.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Pieces of internal work that another thread may do.
 */

#ifndef CAIRN_TASK_H
#define CAIRN_TASK_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * A piece of work: a part of a large copy, of a pack or an unpack (Jain et al. §3).
 *
 * Allocated by the submitter, who keeps it until `remaining` of its group is zero.
 */
struct cairn_task_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Does the work. Called once, on any thread, with no lock held. It must not wait for another
   * task and must not call MPI.
   */
  void (*run)(void *context);
  /**
   * Passed to `run`.
   */
  void *context;
  /**
   * Tasks of the group that have not finished. Whoever ran the task subtracts one, with
   * Release, after `run` has returned; the submitter's Acquire load of zero sees all the work.
   */
  const uint32_t *remaining;
  /**
   * For the runner to chain tasks with.
   */
  struct cairn_task_t *next;
};

#endif  /* CAIRN_TASK_H */
