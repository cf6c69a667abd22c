/*
 * Cairn MPI: <cairn/osc.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **osc** — one-sided communication: windows and the operations on them.
 *
 * **Life.** The component with the highest priority for a window's scope serves it. `window_open`
 * and `window_close` are collective over the window's communicator; operations and
 * synchronisation come between.
 *
 * **Threads and locks.** Everything but `window_open` and `window_close` is hot: any thread, no
 * lock held. Operations of different threads on one window go on at the same time; each takes at
 * most the lock of the CRI it uses.
 *
 * **Completion and ownership.** As MPI 5.0, chapter 12, has it: the origin's buffers are the
 * operation's until the epoch ends, a flush completes it, or, for the forms with a request, the
 * request is complete. Requests begin with a `cairn_request_t`.
 *
 * **Errors.** The MPI layer has checked handles, counts and ranks. What only the component can
 * know (no epoch, a range outside the target's window) is `CAIRN_ERR_ARGUMENT` with the reason.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_OSC_H
#define CAIRN_OSC_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/comm.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/datatype.h>
#include <cairn/request.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * Major version of this contract.
 */
#define CAIRN_OSC_MAJOR 1

/**
 * Minor version of this contract.
 */
#define CAIRN_OSC_MINOR 0

/**
 * `cairn_window_t.flavor`: the user's memory (`MPI_Win_create`); the numbers are the ABI's.
 */
#define CAIRN_WINDOW_CREATE 311

/**
 * `cairn_window_t.flavor`: memory of the component (`MPI_Win_allocate`).
 */
#define CAIRN_WINDOW_ALLOCATE 312

/**
 * `cairn_window_t.flavor`: memory attached later (`MPI_Win_create_dynamic`).
 */
#define CAIRN_WINDOW_DYNAMIC 313

/**
 * `cairn_window_t.flavor`: memory that the node's ranks can load and store
 * (`MPI_Win_allocate_shared`).
 */
#define CAIRN_WINDOW_SHARED 314

/**
 * `cairn_osc_transfer_t.kind`: put.
 */
#define CAIRN_OSC_PUT 0

/**
 * `cairn_osc_transfer_t.kind`: get.
 */
#define CAIRN_OSC_GET 1

/**
 * `cairn_osc_transfer_t.kind`: accumulate.
 */
#define CAIRN_OSC_ACCUMULATE 2

/**
 * `cairn_osc_transfer_t.kind`: get_accumulate, and fetch_and_op as the case of one element.
 */
#define CAIRN_OSC_GET_ACCUMULATE 3

/**
 * `cairn_osc_transfer_t.kind`: compare_and_swap; `origin` is the new value, `compare` the expected one.
 */
#define CAIRN_OSC_COMPARE_SWAP 4

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_fence`.
 */
#define CAIRN_OSC_FENCE 0

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_start` to the ranks in `ranks`.
 */
#define CAIRN_OSC_START 1

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_complete`.
 */
#define CAIRN_OSC_COMPLETE 2

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_post` to the ranks in `ranks`.
 */
#define CAIRN_OSC_POST 3

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_wait`.
 */
#define CAIRN_OSC_WAIT 4

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_test`: `CAIRN_DONE` or `CAIRN_NOTHING`.
 */
#define CAIRN_OSC_TEST 5

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_lock` of `target`, shared if `shared` is 1.
 */
#define CAIRN_OSC_LOCK 6

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_unlock` of `target`.
 */
#define CAIRN_OSC_UNLOCK 7

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_lock_all`.
 */
#define CAIRN_OSC_LOCK_ALL 8

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_unlock_all`.
 */
#define CAIRN_OSC_UNLOCK_ALL 9

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_flush` of `target`, or of all if it is -1.
 */
#define CAIRN_OSC_FLUSH 10

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_flush_local` of `target`, or of all if it is -1.
 */
#define CAIRN_OSC_FLUSH_LOCAL 11

/**
 * `cairn_osc_sync_t.kind`: `MPI_Win_sync`.
 */
#define CAIRN_OSC_SYNC 12

/**
 * A window. Allocated by the MPI layer, constant after `window_open` but for the slots.
 */
struct cairn_window_t {
  /**
   * Number, ranks, name, info and private slots.
   */
  cairn_scope_t scope;
  /**
   * The communicator, the window's own duplicate.
   */
  const cairn_comm_t *comm;
  /**
   * This process's memory. `window_open` stores it for flavors whose memory is the component's.
   */
  void *base;
  /**
   * Its size in bytes.
   */
  uint64_t size;
  /**
   * Bytes that displacements of this process count in.
   */
  uint32_t displacement_unit;
  /**
   * `CAIRN_WINDOW_CREATE` and the others.
   */
  uint32_t flavor;
};

/**
 * One side of a transfer.
 */
struct cairn_osc_side_t {
  /**
   * Address at the origin; unused for the target.
   */
  void *buffer;
  /**
   * Elements.
   */
  uint64_t count;
  /**
   * Their type.
   */
  const cairn_datatype_t *datatype;
};

/**
 * A one-sided operation.
 */
struct cairn_osc_transfer_t {
  /**
   * `CAIRN_OSC_PUT` and the others.
   */
  uint32_t kind;
  /**
   * The target's rank.
   */
  uint32_t target;
  /**
   * What is sent, or where a get goes.
   */
  struct cairn_osc_side_t origin;
  /**
   * Where the old value of get_accumulate and compare_and_swap goes.
   */
  struct cairn_osc_side_t result;
  /**
   * The expected value of compare_and_swap.
   */
  const void *compare;
  /**
   * Displacement in the target's window, in its unit; an address for dynamic windows.
   */
  int64_t displacement;
  /**
   * Elements at the target.
   */
  uint64_t target_count;
  /**
   * Their type.
   */
  const cairn_datatype_t *target_datatype;
  /**
   * The operation of accumulate and get_accumulate.
   */
  const cairn_op_t *op;
};

/**
 * A synchronisation.
 */
struct cairn_osc_sync_t {
  /**
   * `CAIRN_OSC_FENCE` and the others.
   */
  uint32_t kind;
  /**
   * The `MPI_MODE_*` assertions, as the ABI has them.
   */
  uint32_t assertions;
  /**
   * The target's rank, or -1.
   */
  int32_t target;
  /**
   * 1 for a shared lock.
   */
  uint32_t shared;
  /**
   * Ranks in the window's communicator, for start and post.
   */
  const uint32_t *ranks;
  /**
   * Their number.
   */
  uint32_t rank_count;
  /**
   * Zero.
   */
  uint32_t reserved;
};

/**
 * Functions for windows.
 */
struct cairn_osc_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Makes the component's side of a window; allocates its memory where the flavor says so.
   * Collective. Set-up. Required.
   */
  cairn_status_t (*window_open)(cairn_instance_t *instance, struct cairn_window_t *window);
  /**
   * Frees it. Collective; no operation is in flight. Set-up. Required.
   */
  void (*window_close)(cairn_instance_t *instance, struct cairn_window_t *window);
  /**
   * Starts an operation; when `request` is not null, stores the operation's request in it. Hot.
   * Required.
   */
  cairn_status_t (*transfer)(cairn_instance_t *instance,
                             const struct cairn_window_t *window,
                             const struct cairn_osc_transfer_t *transfer,
                             cairn_request_t **request);
  /**
   * Synchronises. May wait. Hot. Required.
   */
  cairn_outcome_t (*synchronize)(cairn_instance_t *instance,
                                 const struct cairn_window_t *window,
                                 const struct cairn_osc_sync_t *sync);
  /**
   * Attaches memory to a dynamic window (`attach` 1) or detaches it (0). Any thread. Default:
   * `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*attach)(cairn_instance_t *instance,
                           const struct cairn_window_t *window,
                           void *base,
                           uint64_t size,
                           uint32_t attach);
  /**
   * Where the memory of `rank` in a shared window lies in this process. Default:
   * `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*shared_query)(cairn_instance_t *instance,
                                 const struct cairn_window_t *window,
                                 uint32_t rank,
                                 void **base,
                                 uint64_t *size,
                                 uint32_t *displacement_unit);
  /**
   * Writes the state of a window as text for a person and returns the length of the whole text.
   * Any thread. Default: an empty text.
   */
  size_t (*describe)(cairn_instance_t *instance,
                     const struct cairn_window_t *window,
                     char *text,
                     size_t capacity);
};

#endif  /* CAIRN_OSC_H */
