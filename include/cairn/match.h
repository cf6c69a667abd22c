/*
 * Cairn MPI: <cairn/match.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **match** — the matching engine of a communicator: which receive gets which message.
 *
 * An engine holds the receives that were posted and not matched, and the messages that arrived and
 * were not matched. It knows source and tag, nothing of data or protocols; the `pml` component
 * puts messages of one sender into order before it hands them over.
 *
 * **Order.** A message goes to the receive that was posted first among those it matches, and a
 * receive gets the message that arrived first among those it matches (MPI 5.0, 3.5), with
 * wildcards and without. Two calls are ordered if one returned before the other began. So several
 * threads may hand in messages of one sender with different tags at the same time only if their
 * order does not matter (`CAIRN_COMM_ALLOW_OVERTAKING`); otherwise the caller lets the next one in when
 * `arrive` has returned, or when it has called `keep`: the place of a message is fixed by then.
 *
 * **Assertions.** What the program asserts of a communicator (`comm->flags`) may decide how an engine
 * is made, not whether the order holds: it also holds for a receive that breaks an assertion. The
 * flags that count are those at `engine_open`.
 *
 * **Life.** One engine a communicator, from `engine_open` to `engine_close`. When it closes, what
 * is left inside has been taken out by `drain`.
 *
 * **Threads and locks.** The functions on an engine are hot: any thread, any number at once. The
 * engine does its own locking; the caller holds no lock of it, and may hold a CRI's lock. In
 * a single-threaded process (`job->thread_level`) an engine takes no lock.
 *
 * **Ownership.** `cairn_match_posted_t` and `cairn_match_arrived_t` are embedded in the caller's receive requests
 * and message buffers. They are the engine's from the call that puts them in until the call that
 * returns them.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_MATCH_H
#define CAIRN_MATCH_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/comm.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_match_posted_t.source`: a message of anybody.
 */
#define CAIRN_MATCH_ANY_SOURCE -1

/**
 * `cairn_match_posted_t.tag`: a message with any tag that is not negative. Negative tags are the
 * library's own and are matched only by naming them.
 */
#define CAIRN_MATCH_ANY_TAG -2

/**
 * A posted receive.
 */
struct cairn_match_posted_t {
  /**
   * Rank of the sender or `CAIRN_MATCH_ANY_SOURCE`.
   */
  int32_t source;
  /**
   * Tag or `CAIRN_MATCH_ANY_TAG`.
   */
  int32_t tag;
  /**
   * The engine's own. What it has before the engine gets it says nothing.
   */
  size_t engine_private[4];
};

/**
 * An arrived message.
 */
struct cairn_match_arrived_t {
  /**
   * Rank of the sender.
   */
  int32_t source;
  /**
   * Its tag.
   */
  int32_t tag;
  /**
   * The engine's own. What it has before the engine gets it says nothing.
   */
  size_t engine_private[4];
};

/**
 * Makes a `cairn_match_arrived_t` that outlives the arrival, or null when there is no memory. Called by
 * `arrive`, once and only when no receive gets the message, before it is put in; it must not call
 * the engine. The message has its place among the others already: a call that begins after this one
 * comes after it. So a caller that puts a sender's messages into order may let the next one in
 * here, before it copies.
 */
typedef struct cairn_match_arrived_t *(*cairn_match_keep_fn_t)(void *context);

/**
 * Looks at a message that `find` has found. Called while the message is in the engine and no other
 * thread can take it out, so what is read here is valid; it must not call the engine.
 */
typedef void (*cairn_match_look_fn_t)(void *context, struct cairn_match_arrived_t *arrived);

/**
 * What an engine holds and how hard it worked.
 */
struct cairn_match_counts_t {
  /**
   * Size of this struct in bytes, as the caller's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Receives in it.
   */
  uint64_t posted;
  /**
   * Messages in it.
   */
  uint64_t arrived;
  /**
   * Most receives ever in it.
   */
  uint64_t posted_max;
  /**
   * Most messages ever in it.
   */
  uint64_t arrived_max;
  /**
   * Calls of `post` and `arrive`.
   */
  uint64_t searches;
  /**
   * Entries these compared, all together.
   */
  uint64_t compared;
  /**
   * Most entries one of them compared.
   */
  uint64_t compared_max;
  /**
   * Calls of `post`.
   */
  uint64_t posts;
  /**
   * Calls of `arrive`.
   */
  uint64_t arrivals;
  /**
   * Receives that were in it when messages arrived, summed up: over the arrivals, the mean length
   * of the queue that a message meets.
   */
  uint64_t posted_met;
  /**
   * Messages that were in it when receives were posted, summed up: over the posts, the mean length
   * of the queue that a receive meets.
   */
  uint64_t arrived_met;
};

/**
 * An engine's functions. `engine` is what `engine_open` stored.
 */
struct cairn_match_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Makes the engine of a communicator. Set-up. Required.
   */
  cairn_status_t (*engine_open)(cairn_instance_t *instance, const cairn_comm_t *comm, void **engine);
  /**
   * Frees an empty engine that is not in use. Set-up. Required.
   */
  void (*engine_close)(void *engine);
  /**
   * A receive was posted: returns the message it gets, taken out, or null, and then the receive
   * is in the engine. Hot. Required.
   */
  struct cairn_match_arrived_t *(*post)(void *engine, struct cairn_match_posted_t *posted);
  /**
   * A message arrived: returns the receive that gets it, taken out, or null, and then the
   * message that `keep(context)` made is in the engine (or was dropped, if that was null).
   * Hot. Required.
   */
  struct cairn_match_posted_t *(*arrive)(void *engine,
                                         int32_t source,
                                         int32_t tag,
                                         cairn_match_keep_fn_t keep,
                                         void *context);
  /**
   * The message that a receive with this source and tag would get, or null; `look(context)` is
   * called with it. With `take` 1 it is taken out and is the caller's. Without, another thread may
   * take it as soon as `look` has returned, so the caller must not follow the result. Required.
   */
  struct cairn_match_arrived_t *(*find)(void *engine,
                                        int32_t source,
                                        int32_t tag,
                                        uint32_t take,
                                        cairn_match_look_fn_t look,
                                        void *context);
  /**
   * Takes a receive out again: `CAIRN_DONE`, or `CAIRN_NOTHING` when it was matched before.
   * Required.
   */
  cairn_outcome_t (*cancel)(void *engine, struct cairn_match_posted_t *posted);
  /**
   * Takes one receive and one message out, whichever there are, before the engine closes:
   * stores them, or null. Required.
   */
  void (*drain)(void *engine,
                struct cairn_match_posted_t **posted,
                struct cairn_match_arrived_t **arrived);
  /**
   * Stores the counts. May be called while others work, and is then approximate. Default:
   * stores zeros.
   */
  void (*counts)(void *engine, struct cairn_match_counts_t *counts);
  /**
   * Writes what is in the engine as text for a person and returns the length of the whole
   * text. Default: an empty text.
   */
  size_t (*describe)(void *engine, char *text, size_t capacity);
  /**
   * Takes one receive out, whichever there is, that names this source, whose process has failed;
   * with `CAIRN_MATCH_ANY_SOURCE`, one of any source. Null when there is none. Default: null, so
   * receives from a failed process wait until they are cancelled.
   */
  struct cairn_match_posted_t *(*withdraw)(void *engine, int32_t source);
};

#endif  /* CAIRN_MATCH_H */
