/*
 * Cairn MPI: <cairn/thread.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The host's record of a thread.
 */

#ifndef CAIRN_THREAD_H
#define CAIRN_THREAD_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * How many threads of a process can use the host at a time.
 */
#define CAIRN_MAX_THREADS 65536

/**
 * One thread of the process that has called into the host.
 *
 * Thread-local variables are one per library, so two components would number the same thread
 * differently. The host keeps the only numbering; a component that needs state of its own for
 * each thread keeps an array indexed by `cairn_thread_t.index` and asks for `thread_exit_add`.
 */
struct cairn_thread_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Small number of the thread: the lowest that no living thread has. Reused when the thread
   * has ended and every exit callback has returned. At most `CAIRN_MAX_THREADS` minus one.
   */
  uint32_t index;
  /**
   * Number of the thread that is never used again, from 1.
   */
  uint64_t serial;
};

#endif  /* CAIRN_THREAD_H */
