/*
 * Cairn MPI: <cairn/issue.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **issue** — when one-sided operations go out.
 *
 * MPI lets a library send a put, get or accumulate at once or keep it until the epoch ends. *Lazy*
 * keeps them: one message may then carry the lock and the operation, and the last operation the
 * end of the epoch. *Eager* sends them: communication overlaps with computation. *Adaptive* keeps
 * the first few and the last, and sends the rest (Zhao, ch. 3); its threshold may learn from
 * the epochs before.
 *
 * **Life.** One strategy a window, chosen when the window is made. `window_open` and
 * `window_close` frame it; `epoch_open` and `epoch_close` frame each access epoch.
 *
 * **Threads and locks.** `decide` is hot. The `osc` component calls the functions of one epoch
 * under the lock of the window's target or of the epoch, so never two at once for one epoch, and
 * with different epochs in parallel.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_ISSUE_H
#define CAIRN_ISSUE_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/osc.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * Major version of this contract.
 */
#define CAIRN_ISSUE_MAJOR 1

/**
 * Minor version of this contract.
 */
#define CAIRN_ISSUE_MINOR 0

/**
 * `cairn_issue_epoch_t.kind`: between two fences.
 */
#define CAIRN_ISSUE_FENCE 0

/**
 * `cairn_issue_epoch_t.kind`: between start and complete.
 */
#define CAIRN_ISSUE_START 1

/**
 * `cairn_issue_epoch_t.kind`: between lock and unlock of one target.
 */
#define CAIRN_ISSUE_LOCK 2

/**
 * `cairn_issue_epoch_t.kind`: between lock_all and unlock_all.
 */
#define CAIRN_ISSUE_LOCK_ALL 3

/**
 * Answer of `decide`: keep it.
 */
#define CAIRN_ISSUE_KEEP 0

/**
 * Answer of `decide`: send everything kept so far but not this operation.
 */
#define CAIRN_ISSUE_SEND_KEPT 1

/**
 * Answer of `decide`: send everything kept so far and this operation.
 */
#define CAIRN_ISSUE_SEND_ALL 2

/**
 * An access epoch.
 */
struct cairn_issue_epoch_t {
  /**
   * `CAIRN_ISSUE_FENCE` and the others.
   */
  uint32_t kind;
  /**
   * The target's rank, or -1 for all.
   */
  int32_t target;
};

/**
 * An operation that wants to go out.
 */
struct cairn_issue_operation_t {
  /**
   * Bytes it moves.
   */
  uint64_t bytes;
  /**
   * Operations kept so far for the same target.
   */
  uint32_t kept;
  /**
   * Operations of this epoch before it, kept or sent.
   */
  uint32_t before;
  /**
   * 1 when the target has granted access (the lock, the post), so that it could go out now.
   */
  uint32_t granted;
  /**
   * The target's rank.
   */
  uint32_t target;
};

/**
 * What an epoch was like, for strategies that learn.
 */
struct cairn_issue_history_t {
  /**
   * Operations.
   */
  uint64_t operations;
  /**
   * Bytes, all together.
   */
  uint64_t bytes;
  /**
   * Nanoseconds from the first operation to the call that ended the epoch.
   */
  uint64_t open_ns;
  /**
   * Nanoseconds inside the call that ended the epoch.
   */
  uint64_t close_ns;
};

/**
 * A strategy's functions. `window` is what `window_open` stored.
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
   * Prepares for a window and stores the strategy's own object. Set-up. Required.
   */
  cairn_status_t (*window_open)(cairn_instance_t *instance,
                                const cairn_window_t *view,
                                void **window);
  /**
   * Frees that object. Set-up. Required.
   */
  void (*window_close)(void *window);
  /**
   * What to do with an operation: `CAIRN_ISSUE_KEEP` and the others. Hot. Required.
   */
  uint32_t (*decide)(void *window,
                     const struct cairn_issue_epoch_t *epoch,
                     const struct cairn_issue_operation_t *operation);
  /**
   * An epoch ended. Default: nothing.
   */
  void (*epoch_close)(void *window,
                      const struct cairn_issue_epoch_t *epoch,
                      const struct cairn_issue_history_t *history);
};

#endif  /* CAIRN_ISSUE_H */
