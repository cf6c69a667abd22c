/*
 * Cairn MPI: <cairn/osc.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **osc** — one-sided communication: windows and the operations on them.
 *
 * A window is one of MPI 5.0, chapter 12. The MPI layer has the object of the program: handle, name,
 * attributes, group, and the state of its epochs. It checks what is known at the origin (an epoch that lets an
 * operation through, ranks, the range in the target's memory, assertions) and turns displacements into bytes.
 * The component moves data and synchronises.
 *
 * **Life.** Several components may be there. For a window they are asked in the order of their priorities:
 * the first one whose `window_open` does not decline serves it, and keeps its object for the window.
 * `window_open` and `window_close` are collective over the window's communicator and all processes get the
 * same answer; before `window_close` every operation of every process has ended.
 *
 * **Memory.** What each rank gives to the window is in `cairn_window_t.remotes`, which the MPI layer has exchanged.
 * `memory_allocate` gives a program memory that windows are faster with (`MPI_Alloc_mem`).
 *
 * **Threads and locks.** `transfer` and `synchronize` are hot: any thread, no lock held. Operations of
 * different threads on one window go on at the same time; a flush completes what any thread
 * of the process issued before it began, and ends although others go on to issue. What only the origin's
 * thread order can say (which operation comes before a flush) is the program's affair.
 *
 * **Order and atomicity.** Accumulates of one origin to one location take effect in the order of
 * `cairn_window_t.ordering`. Elements of accumulates with one predefined type are atomic with respect to each
 * other, whichever way they take to the target. Nothing else is ordered but by synchronisation.
 *
 * **Completion and ownership.** The origin's buffers are the operation's until the epoch ends, a flush
 * completes it, or, for the forms with a request, the request is complete. Datatypes and
 * reduction operations the component keeps with `datatype_retain` while it needs them after `transfer`
 * has returned. Requests begin with a `cairn_request_t`.
 *
 * **Errors.** `transfer` returns an error if the operation was not started. What goes wrong later is
 * returned by the synchronisation that completes the operation, once. What a peer sends is not trusted:
 * no byte outside a window is touched.
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
 * `cairn_window_t.flags`: the program locks nothing (info key `no_locks`).
 */
#define CAIRN_WINDOW_NO_LOCKS 1

/**
 * `cairn_window_t.flags`: concurrent accumulates to a location all use the same operation, or `MPI_NO_OP`
 * (info key `accumulate_ops` is `same_op` or `same_op_no_op`).
 */
#define CAIRN_WINDOW_SAME_OP 2

/**
 * `cairn_window_t.flags`: the memory of the ranks need not lie one behind the other (info key
 * `alloc_shared_noncontig`).
 */
#define CAIRN_WINDOW_NONCONTIGUOUS 4

/**
 * `cairn_window_t.flags`: several threads of this process may use the window.
 */
#define CAIRN_WINDOW_THREADS 8

/**
 * `cairn_window_t.ordering`: reads after reads keep their order.
 */
#define CAIRN_ORDER_RAR 1

/**
 * `cairn_window_t.ordering`: reads after writes.
 */
#define CAIRN_ORDER_RAW 2

/**
 * `cairn_window_t.ordering`: writes after reads.
 */
#define CAIRN_ORDER_WAR 4

/**
 * `cairn_window_t.ordering`: writes after writes.
 */
#define CAIRN_ORDER_WAW 8

/**
 * `cairn_osc_transfer_t.kind`: put.
 */
#define CAIRN_OSC_PUT 0

/**
 * `cairn_osc_transfer_t.kind`: get. Data goes to `result`.
 */
#define CAIRN_OSC_GET 1

/**
 * `cairn_osc_transfer_t.kind`: accumulate.
 */
#define CAIRN_OSC_ACCUMULATE 2

/**
 * `cairn_osc_transfer_t.kind`: get_accumulate. The old value goes to `result`; with `MPI_NO_OP` `origin` is not
 * there.
 */
#define CAIRN_OSC_GET_ACCUMULATE 3

/**
 * `cairn_osc_transfer_t.kind`: fetch_and_op: get_accumulate of one element of a predefined type.
 */
#define CAIRN_OSC_FETCH_OP 4

/**
 * `cairn_osc_transfer_t.kind`: compare_and_swap of one element; `origin` is the new value, `compare` the expected
 * one.
 */
#define CAIRN_OSC_COMPARE_SWAP 5

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
 * What a rank gives to a window.
 */
struct cairn_window_remote_t {
  /**
   * Address of its memory in its own process; 0 for dynamic windows and where the component allocates.
   */
  uint64_t base;
  /**
   * Bytes; for dynamic windows all that there may be.
   */
  uint64_t size;
  /**
   * Bytes that displacements count in.
   */
  uint64_t displacement_unit;
};

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
   * What the MPI layer does for the component.
   */
  const struct cairn_window_calls_t *calls;
  /**
   * This process's memory. `window_open` stores it for flavors whose memory is the component's.
   */
  void *base;
  /**
   * What each rank gives, by rank.
   */
  const struct cairn_window_remote_t *remotes;
  /**
   * `CAIRN_WINDOW_CREATE` and the others.
   */
  uint32_t flavor;
  /**
   * `CAIRN_WINDOW_NO_LOCKS` and the others.
   */
  uint32_t flags;
  /**
   * Accumulates that keep their order: `CAIRN_ORDER_*`.
   */
  uint32_t ordering;
  /**
   * `window_open` stores 1 if public and private copy are one (`MPI_WIN_UNIFIED`), as it is before, or 0.
   */
  uint32_t unified;
  /**
   * Alignment of allocated memory in bytes (info key `mpi_minimum_memory_alignment`).
   */
  uint64_t alignment;
  /**
   * Accumulates access at least so many bytes at a time that lie together, or 0 where it is not known
   * (info key `mpi_accumulate_granularity`).
   */
  uint64_t granularity;
  /**
   * The MPI layer's own.
   */
  void *object;
};

/**
 * What the MPI layer does for the component of a window. Any thread, no lock held, unless something else
 * is said.
 */
struct cairn_window_calls_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Gathers `len` bytes of each rank in `received`, by rank. Collective over the window, waits; one
   * thread at a time, in the same order everywhere, as the two below.
   */
  cairn_status_t (*allgather)(const struct cairn_window_t *window,
                              const void *sent,
                              void *received,
                              size_t len);
  /**
   * Returns when all ranks have called it; with a place for a request it stores that there and waits for
   * nobody. The caller frees the request by its `free`.
   */
  cairn_status_t (*barrier)(const struct cairn_window_t *window, cairn_request_t **request);
  /**
   * Starts an operation that adds `width` numbers for each rank, element by element, and stores the
   * sums of those for this rank in `sum`; `numbers` are those for rank 0, 1, …, and stay until the request
   * is complete, as `sum` does. The caller frees the request by its `free`.
   */
  cairn_status_t (*reduce_scatter)(const struct cairn_window_t *window,
                                   const uint64_t *numbers,
                                   uint64_t *sum,
                                   size_t width,
                                   cairn_request_t **request);
  /**
   * Keeps a datatype of the program until `datatype_release`. From anywhere.
   */
  void (*datatype_retain)(const cairn_datatype_t *datatype);
  /**
   * Ends that. From anywhere, also for types of `datatype_decode`.
   */
  void (*datatype_release)(const cairn_datatype_t *datatype);
  /**
   * Writes what describes a datatype to another process, at most `capacity` bytes, and returns the length
   * of all of it. What is no longer than `capacity` is whole. From anywhere.
   */
  size_t (*datatype_encode)(const cairn_datatype_t *datatype, void *text, size_t capacity);
  /**
   * Makes a datatype of such a description, which is not trusted; the caller releases it.
   * `CAIRN_ERR_PROTOCOL` for what is none. From anywhere, also from progress callbacks.
   */
  cairn_status_t (*datatype_decode)(const void *text, size_t len, const cairn_datatype_t **datatype);
  /**
   * The predefined datatype with a number of the ABI, or null. It stays. From anywhere.
   */
  const cairn_datatype_t *(*datatype_predefined)(uint32_t number);
  /**
   * The predefined reduction operation with a number of the ABI, or null. It stays. From anywhere.
   */
  const cairn_op_t *(*op_predefined)(uint32_t number);
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
   * Their type; null where there is no such side.
   */
  const cairn_datatype_t *datatype;
};

/**
 * A one-sided operation.
 */
struct cairn_osc_transfer_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_OSC_PUT` and the others.
   */
  uint32_t kind;
  /**
   * The target's rank.
   */
  uint32_t target;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * What is sent.
   */
  struct cairn_osc_side_t origin;
  /**
   * Where what is fetched goes.
   */
  struct cairn_osc_side_t result;
  /**
   * The expected value of compare_and_swap.
   */
  const void *compare;
  /**
   * Bytes from the beginning of the target's memory; an address for dynamic windows. What the operation
   * touches lies within the target's memory, but for dynamic windows.
   */
  int64_t offset;
  /**
   * Elements at the target.
   */
  uint64_t target_count;
  /**
   * Their type.
   */
  const cairn_datatype_t *target_datatype;
  /**
   * The operation of accumulate, get_accumulate and fetch_and_op; a predefined one.
   */
  const cairn_op_t *op;
};

/**
 * A synchronisation.
 */
struct cairn_osc_sync_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
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
   * Ranks in the window's communicator, for start and post.
   */
  const uint32_t *ranks;
  /**
   * Their number.
   */
  uint32_t rank_count;
  /**
   * 1 for a shared lock.
   */
  uint32_t shared;
};

/**
 * Functions for windows. `state` is what `window_open` stored.
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
   * Makes the component's side of a window and stores its object; allocates its memory where the flavor
   * says so. `CAIRN_NOTHING`: another component is to serve it. Collective. Set-up. Required.
   */
  cairn_outcome_t (*window_open)(cairn_instance_t *instance,
                                 struct cairn_window_t *window,
                                 void **state);
  /**
   * Frees it. Collective; no operation is in flight. Set-up. Required.
   */
  void (*window_close)(cairn_instance_t *instance, struct cairn_window_t *window, void *state);
  /**
   * Starts an operation; when `request` is not null, stores the operation's request in it. Hot.
   * Required.
   */
  cairn_status_t (*transfer)(cairn_instance_t *instance,
                             const struct cairn_window_t *window,
                             void *state,
                             const struct cairn_osc_transfer_t *transfer,
                             cairn_request_t **request);
  /**
   * Synchronises. May wait. Hot. Required.
   */
  cairn_outcome_t (*synchronize)(cairn_instance_t *instance,
                                 const struct cairn_window_t *window,
                                 void *state,
                                 const struct cairn_osc_sync_t *sync);
  /**
   * Attaches memory to a dynamic window (`attach` 1) or detaches it (0, then `size` is not looked at).
   * `CAIRN_ERR_EXISTS` for what overlaps attached memory, `CAIRN_ERR_NOT_FOUND` for what was not
   * attached. Any thread. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*attach)(cairn_instance_t *instance,
                           const struct cairn_window_t *window,
                           void *state,
                           void *base,
                           uint64_t size,
                           uint32_t attach);
  /**
   * Where the memory of `rank` lies in this process, or null if it can't be reached by loads and stores.
   * Default: null.
   */
  cairn_status_t (*shared_query)(cairn_instance_t *instance,
                                 const struct cairn_window_t *window,
                                 void *state,
                                 uint32_t rank,
                                 void **base);
  /**
   * Allocates `size` bytes (not 0), aligned to `alignment`, for the program. Any thread. Default:
   * `CAIRN_ERR_UNSUPPORTED`; then it comes from elsewhere.
   */
  cairn_status_t (*memory_allocate)(cairn_instance_t *instance,
                                    uint64_t size,
                                    uint64_t alignment,
                                    void **base);
  /**
   * Frees what `memory_allocate` gave. Any thread. Default: nothing.
   */
  void (*memory_free)(cairn_instance_t *instance, void *base);
  /**
   * Writes the state of a window as text for a person and returns the length of the whole text.
   * Any thread. Default: an empty text.
   */
  size_t (*describe)(cairn_instance_t *instance,
                     const struct cairn_window_t *window,
                     void *state,
                     char *text,
                     size_t capacity);
};

#endif  /* CAIRN_OSC_H */
