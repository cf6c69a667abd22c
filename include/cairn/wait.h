/*
 * Cairn MPI: <cairn/wait.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **wait** — what a thread does when it must wait.
 *
 * Every blocking call ends here: the thread has a sync object
 * (`cairn_wait_sync_t`) whose count reaches zero when what it waits for
 * has happened. A component decides how the thread spends the time: it polls without pause
 * (*spin*), gives its processor to others between polls (*yield*), sleeps in the kernel until a
 * transport or a peer wakes it (*block*), or chooses among these by the load of the machine.
 *
 * **Life.** One component serves the process.
 *
 * **Threads and locks.** `wait` is called by any thread, any number at once, with no lock held. It
 * returns only when the sync object is complete. While it waits it makes sure that progress
 * happens, by calling `cairn_wait_means_t.poll` itself or by sleeping in a way that ends when there is
 * something to poll.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_WAIT_H
#define CAIRN_WAIT_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/request.h>
#include <cairn/status.h>
#include <cairn/thread.h>
#include <cairn/types.h>

/**
 * What a waiting thread can do, lent by the host for one call.
 */
struct cairn_wait_means_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Threads of the process that have called the library and not ended; 0 when that is
   * unknown.
   */
  uint32_t threads;
  /**
   * The calling thread.
   */
  const cairn_thread_t *thread;
  /**
   * Makes one pass of the progress engine for `sync` and returns the number of events.
   */
  uint32_t (*poll)(const struct cairn_wait_means_t *means, const cairn_wait_sync_t *sync);
  /**
   * Sleeps until `sync` is signalled, a transport has something, or `microseconds` have passed
   * (0: no limit). `CAIRN_DONE`: slept; `CAIRN_NO_RESOURCES`: there is something to poll;
   * `CAIRN_ERR_UNSUPPORTED`: some transport can't wake, so the time must have a limit.
   */
  cairn_outcome_t (*sleep)(const struct cairn_wait_means_t *means,
                           const cairn_wait_sync_t *sync,
                           uint32_t microseconds);
  /**
   * The host's own.
   */
  const void *host_private;
};

/**
 * A way of waiting.
 */
struct cairn_wait_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Waits until `sync` is complete. Required.
   */
  cairn_status_t (*wait)(cairn_instance_t *instance,
                         const cairn_wait_sync_t *sync,
                         const struct cairn_wait_means_t *means);
};

#endif  /* CAIRN_WAIT_H */
