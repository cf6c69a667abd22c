/*
 * Cairn MPI: <cairn/progress.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **progress** — which thread runs the progress engine, and which CRIs (communication resource
 * instances) it polls.
 *
 * The engine is the host's: a list of pools and of callbacks, and a function that polls one
 * CRI. A component is a policy: given a thread that wants events to happen, it decides what
 * that thread polls in this pass. *Serial* lets one thread at a time do everything; *concurrent*
 * polls the thread's own CRI and then the others by try-lock (dissertation §5.3.4, algorithm
 * 4); *hybrid* polls the operation's own CRI and makes a global round after some of these polls have
 * not completed the operation (Zambre et al. §4.3). A component may have threads of its own that make passes when no other thread
 * does (`threads`, `background`).
 *
 * **Life.** Opened before anything else but `pmi`, since `threads` decides what the others find in
 * `job->thread_level`: `open` may not use the job.
 *
 * **Invariants** that every component keeps, because programs hang otherwise: whatever a waiting
 * thread waits for, it polls every CRI of every pool and every callback again and again as
 * long as nothing completes and no other thread does; a thread that leaves hands on whatever
 * ownership it has (`leave`); both programs of figure 9 of Zambre et al. end.
 *
 * **Threads and locks.** `run` is hot: any thread, any number at once, no lock held. It takes a
 * CRI's lock only through the engine, never waits for one that another thread holds, and
 * never calls itself (the host sees to that: a callback that asks for progress gets 0 events).
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_PROGRESS_H
#define CAIRN_PROGRESS_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/pool.h>
#include <cairn/request.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/thread.h>
#include <cairn/types.h>
#include <cairn/wait.h>

/**
 * `cairn_progress_ask_t.attempts`: a single pass, for which nothing waits (`MPI_Test`).
 */
#define CAIRN_PROGRESS_SINGLE UINT32_MAX

/**
 * What `cairn_progress_ops_t.run` returns instead of a number of events: other threads poll for this one,
 * which may sleep until its sync object is signalled or roused. Only if `cairn_progress_ask_t.sync` is not null.
 */
#define CAIRN_PROGRESS_BY_OTHERS UINT32_MAX

/**
 * The engine, as the host lends it for one call.
 */
struct cairn_progress_engine_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Pools at `pools`.
   */
  uint32_t pool_count;
  /**
   * The pools.
   */
  cairn_cri_pool_t *const *pools;
  /**
   * Polls CRI `cri` of pool `pool` if its lock is free: the number of events, or -1 when
   * another thread is at it.
   */
  int32_t (*poll_cri)(const struct cairn_progress_engine_t *engine, uint32_t pool, uint32_t cri);
  /**
   * Calls the callbacks of one rate (`CAIRN_PROGRESS_EVERY_PASS` or `CAIRN_PROGRESS_SELDOM`)
   * and returns the number of events.
   */
  uint32_t (*poll_callbacks)(const struct cairn_progress_engine_t *engine, uint32_t rate);
  /**
   * The host's own.
   */
  const void *host_private;
};

/**
 * Which thread wants progress, and for what.
 */
struct cairn_progress_ask_t {
  /**
   * The calling thread. Never null.
   */
  const cairn_thread_t *thread;
  /**
   * What it waits with, or null: it only tests, or has begun to wait so recently that no thread could
   * wake it yet.
   */
  const cairn_wait_sync_t *sync;
  /**
   * Where the events of what it waits for can come from, or null when that is not known.
   */
  const cairn_cri_set_t *cris;
  /**
   * Passes that this thread has made for the same wait, none of which has completed it; or
   * `CAIRN_PROGRESS_SINGLE`.
   */
  uint32_t attempts;
  /**
   * Zero.
   */
  uint32_t reserved;
};

/**
 * A policy's functions.
 */
struct cairn_progress_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Makes one pass and returns the number of events, or `CAIRN_PROGRESS_BY_OTHERS`. Hot. Required.
   */
  uint32_t (*run)(cairn_instance_t *instance,
                  const struct cairn_progress_engine_t *engine,
                  const struct cairn_progress_ask_t *ask);
  /**
   * A thread is done waiting for `sync`, and what it owned goes to another waiter. Hot. Default:
   * nothing.
   */
  void (*leave)(cairn_instance_t *instance,
                const cairn_thread_t *thread,
                const cairn_wait_sync_t *sync);
  /**
   * The pools changed: recompute what depends on their number. Threads may be in `run` with the
   * engine as it was before. Default: nothing.
   */
  void (*pools_changed)(cairn_instance_t *instance, const struct cairn_progress_engine_t *engine);
  /**
   * How many threads the host makes for `background`. If there are any, the process
   * is `CAIRN_THREAD_MULTIPLE` for all components, whatever its program asked for. Asked once,
   * before transports open. Default: 0.
   */
  uint32_t (*threads)(cairn_instance_t *instance);
  /**
   * Runs on a thread that the host made, from the end of the start-up on; it makes
   * passes by the means and returns when `sync` is complete, which says that the process shuts
   * down. Signals are blocked there. Default: returns.
   */
  void (*background)(cairn_instance_t *instance,
                     const cairn_wait_sync_t *sync,
                     const cairn_wait_means_t *means);
  /**
   * With how many passes in a row without an event a wait may begin that do not name the waiter (`sync`
   * null), which spares what comes soon the meeting at its completion word; passes with events come on
   * top, up to fifteen times as many. Asked once, before transports open. Default: any number.
   */
  uint32_t (*anonymous_passes)(cairn_instance_t *instance);
};

#endif  /* CAIRN_PROGRESS_H */
