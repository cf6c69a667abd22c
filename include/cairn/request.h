/*
 * Cairn MPI: <cairn/request.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Requests, completion and the object a thread waits on.
 */

#ifndef CAIRN_REQUEST_H
#define CAIRN_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_request_t.completion`: in progress, and no thread waits.
 */
#define CAIRN_REQUEST_PENDING 0

/**
 * `cairn_request_t.completion`: complete. Any other value is the `cairn_wait_sync_t` of the thread that waits.
 */
#define CAIRN_REQUEST_COMPLETE 1

/**
 * `cairn_request_t.magic` of a living request.
 */
#define CAIRN_REQUEST_MAGIC 2124211568

/**
 * `cairn_request_t.kind`: a send.
 */
#define CAIRN_REQUEST_SEND 1

/**
 * `cairn_request_t.kind`: a receive.
 */
#define CAIRN_REQUEST_RECEIVE 2

/**
 * `cairn_request_t.kind`: a collective operation.
 */
#define CAIRN_REQUEST_COLLECTIVE 3

/**
 * `cairn_request_t.kind`: a one-sided operation.
 */
#define CAIRN_REQUEST_ONE_SIDED 4

/**
 * `cairn_request_t.kind`: the MPI layer's own.
 */
#define CAIRN_REQUEST_OTHER 5

/**
 * `cairn_wait_sync_t.sleeping`: the waiter polls.
 */
#define CAIRN_SYNC_POLLING 0

/**
 * `cairn_wait_sync_t.sleeping`: the waiter sleeps and needs a wake-up.
 */
#define CAIRN_SYNC_SLEEPING 1

/**
 * `cairn_wait_sync_t.sleeping`: signalled.
 */
#define CAIRN_SYNC_SIGNALLED 2

/**
 * `cairn_wait_sync_t.sleeping`: no thread waits, a function is called.
 */
#define CAIRN_SYNC_NOTIFY 3

/**
 * What became of a message.
 */
struct cairn_message_status_t {
  /**
   * Rank of the sender in the communicator.
   */
  int32_t source;
  /**
   * Its tag.
   */
  int32_t tag;
  /**
   * `CAIRN_OK`, or what went wrong as a `CAIRN_ERR_*`; the MPI layer makes an error class of it.
   */
  int32_t error;
  /**
   * 1 when the operation was cancelled.
   */
  int32_t cancelled;
  /**
   * Bytes received.
   */
  uint64_t bytes;
};

/**
 * The head of every request, whichever component allocated it.
 *
 * The owner completes it with `cairn_request_t.complete`; the MPI layer waits on it, copies the status
 * and then calls `free`.
 */
struct cairn_request_t {
  /**
   * `CAIRN_REQUEST_MAGIC` from the moment it is handed out until `free` is called, then something
   * else. The memory of a request is never anything but a request, because a user's handle is
   * its address and one that was freed must be recognised.
   */
  uint32_t magic;
  /**
   * `CAIRN_REQUEST_SEND` and the others.
   */
  uint32_t kind;
  /**
   * `CAIRN_REQUEST_PENDING`, `CAIRN_REQUEST_COMPLETE` or the address of a `cairn_wait_sync_t`. The owner goes to
   * COMPLETE by an exchange with Release and signals what it found; a waiter goes from PENDING
   * to its sync object, and back, by compare-and-swap (dissertation §4.4).
   */
  size_t completion;
  /**
   * Written before the completion word turns COMPLETE, read after (Acquire).
   */
  struct cairn_message_status_t status;
  /**
   * Gives the request back to its owner. Called once by the MPI layer, from any thread, with no
   * lock held. A request that is still pending completes on its own and is freed then.
   */
  void (*free)(struct cairn_request_t *request);
  /**
   * Tries to cancel; the outcome shows in the status once complete. Null: can't be cancelled.
   */
  cairn_status_t (*cancel)(struct cairn_request_t *request);
  /**
   * Starts a persistent request again. Null: not persistent.
   */
  cairn_status_t (*start)(struct cairn_request_t *request);
  /**
   * The MPI layer's own: what it keeps alive for the request. The owner sets it to null.
   */
  void *object;
  /**
   * Size of this struct in bytes, as the owner's header has it.
   */
  uint32_t struct_size;
  /**
   * The MPI layer's own: 1 while a persistent request is started. The owner sets it to 0.
   */
  uint32_t active;
};

/**
 * What a thread waits on: a counter of completions still missing (dissertation §4.4, `wait_sync`).
 *
 * Lives on the waiting thread's stack or in an object that outlives the wait. On its own cache
 * lines, because the completing thread writes it.
 */
struct CAIRN_ALIGNED(128) cairn_wait_sync_t {
  /**
   * Completions still missing. Completers subtract with Release; the waiter leaves when an
   * Acquire load finds zero or less.
   */
  int32_t pending;
  /**
   * How the waiter waits, so that completers know whether to wake it: 0 it polls, 1 it sleeps on
   * this word (futex), 2 it has been signalled, 3: no thread waits, and `notify` is to
   * be called. Written by the waiter (0, 1, 3) and completers (2).
   */
  uint32_t sleeping;
  /**
   * A completer is still inside `cairn_wait_sync_t.complete_one`: the waiter must not leave before this is
   * zero, or the object might vanish under the completer.
   */
  uint32_t signalling;
  /**
   * First error of a completed request, 0 for none. For the waiter's convenience.
   */
  int32_t error;
  /**
   * The `wait` component's own, for its queue of waiters.
   */
  void *link;
  /**
   * Called by the completer that counts down to zero, if `sleeping` is `CAIRN_SYNC_NOTIFY`: maybe in
   * a pass and with a CRI's lock held, so it may neither wait nor call a transport. The object
   * stays until `signalling` is zero again.
   */
  void (*notify)(const struct cairn_wait_sync_t *sync);
  /**
   * Size of this struct in bytes, as the waiter's header has it.
   */
  uint32_t struct_size;
  /**
   * What `word` is until what the thread waits for has happened.
   */
  uint32_t expected;
  /**
   * A word in memory that processes share, or null: another value than `expected` says
   * that everything has happened, whatever `pending` says. A writer wakes the threads that sleep on
   * it as a futex that is not private. Set by the waiter.
   */
  const uint32_t *word;
};

#endif  /* CAIRN_REQUEST_H */
