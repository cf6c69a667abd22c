/*
 * Cairn MPI: <cairn/issue.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **issue** — when the operations of an epoch on a window go out (Zhao 2012, chapter 3).
 *
 * An operation may wait for those that follow it and for the end of its epoch, so that it travels with the
 * messages of the synchronisation; or it goes out at once, so that the transfer overlaps with what
 * the program computes. The component of `osc` that serves the window has the queue and the messages, and asks
 * before it keeps anything back. Ways on which waiting saves no message (loads and stores) are not asked for.
 *
 * **Life.** One component for a window, by the window's info key `cairn_issue` or the
 * parameter `issue`; every process of the window makes the same choice. Between `window_open` and
 * `window_close` come epochs, of each thread its own: `epoch_open`, then `operation` for each operation,
 * `epoch_close` with what was measured.
 *
 * **Threads and locks.** `operation`, `epoch_open` and `epoch_close` are hot, and are called by any thread,
 * several at a time, with locks of the `osc` component held.
 *
 * **Decisions.** What is answered holds until the end of the epoch, as far as it has begun something; a later
 * answer may ask for more, not for less.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_ISSUE_H
#define CAIRN_ISSUE_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_issue_operation_t.epoch`: between two fences.
 */
#define CAIRN_ISSUE_FENCE 0

/**
 * `cairn_issue_operation_t.epoch`: between start and complete.
 */
#define CAIRN_ISSUE_PSCW 1

/**
 * `cairn_issue_operation_t.epoch`: between lock and unlock of one target.
 */
#define CAIRN_ISSUE_LOCK 2

/**
 * Number of kinds of epochs.
 */
#define CAIRN_ISSUE_EPOCHS 3

/**
 * A decision: the operation waits, and nothing is begun.
 */
#define CAIRN_ISSUE_HOLD 0

/**
 * A decision: the operation waits, but the synchronisation that it needs begins: the lock is asked for.
 */
#define CAIRN_ISSUE_BEGIN 1

/**
 * A decision: as `CAIRN_ISSUE_BEGIN`; when the target is ready everything goes out but the last operation
 * to it, which is kept to tell the target of the end of the epoch.
 */
#define CAIRN_ISSUE_GO_BUT_LAST 2

/**
 * A decision: everything goes out when the target is ready, and the end of the epoch is a message of its own.
 */
#define CAIRN_ISSUE_GO 3

/**
 * An operation of an epoch.
 */
struct cairn_issue_operation_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_ISSUE_FENCE` and the others.
   */
  uint32_t epoch;
  /**
   * Operations of the epoch that wait, this one included.
   */
  uint64_t waiting;
  /**
   * Their bytes.
   */
  uint64_t bytes;
};

/**
 * What an epoch was like.
 */
struct cairn_issue_history_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_ISSUE_FENCE` and the others.
   */
  uint32_t epoch;
  /**
   * Its operations.
   */
  uint64_t operations;
  /**
   * Their bytes.
   */
  uint64_t bytes;
  /**
   * Nanoseconds from the beginning of the synchronisation until the target was ready (the lock was
   * granted, the post had come, the reduction had ended); 0 if that was not measured.
   */
  uint64_t latency;
  /**
   * Bytes whose transfer was measured.
   */
  uint64_t moved;
  /**
   * Nanoseconds that it took from the first of them to the end of the epoch; 0 if nothing was measured.
   */
  uint64_t moving;
};

/**
 * Functions for the strategies. `state` is what `window_open` stored.
 */
struct cairn_issue_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Prepares for a window, whose scope this is. Set-up. Required.
   */
  cairn_status_t (*window_open)(cairn_instance_t *instance,
                                const cairn_scope_t *window,
                                void **state);
  /**
   * Frees that. Set-up. Required.
   */
  void (*window_close)(cairn_instance_t *instance, void *state);
  /**
   * An epoch of a kind begins: one of the decisions, of which `CAIRN_ISSUE_HOLD` leaves everything to the first
   * operation. Hot. Required.
   */
  uint32_t (*epoch_open)(cairn_instance_t *instance, void *state, uint32_t epoch);
  /**
   * What to do with an operation: one of the decisions. Hot. Required.
   */
  uint32_t (*operation)(cairn_instance_t *instance,
                        void *state,
                        const struct cairn_issue_operation_t *operation);
  /**
   * An epoch has ended. Hot. Default: nothing.
   */
  void (*epoch_close)(cairn_instance_t *instance,
                      void *state,
                      const struct cairn_issue_history_t *history);
  /**
   * Writes what holds for a window as text for a person and returns the length of the whole text.
   * Any thread. Default: an empty text.
   */
  size_t (*describe)(cairn_instance_t *instance, void *state, char *text, size_t capacity);
};

#endif  /* CAIRN_ISSUE_H */
