/*
 * Cairn MPI: <cairn/cri.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **cri** — which communication resource instance (CRI) an operation uses.
 *
 * A transport gives the framework a pool of CRIs (`cairn_cri_pool_t`); a strategy answers, for each
 * operation, with the index of one. The classic two are *round-robin* (each operation takes the
 * next) and *dedicated* (each thread keeps its own; dissertation §5.3.3, algorithm 3); a third
 * maps communicators and windows to CRIs (virtual communication interfaces, Zambre et al. §4.2).
 *
 * **Life.** One strategy serves a process, for all pools and scopes. `attach` is called once for
 * each pool, before the pool is used, and `detach` when it is no longer used. Between the two
 * come `scope_open` and `scope_close` for each communicator and window, and `assign` at any time.
 *
 * **Scopes and slots.** `scope_open` is called once for each pool, with the same scope each time. A
 * strategy's private slot in the scope (`scope_slot_reserve`) is one, whatever the number of pools:
 * what is kept there for a pool is kept by the pool's `id`, the first call makes it, and the last
 * `scope_close` frees it. The process is a scope for which `scope_open` is not called: its slots are
 * null, and `assign` may be asked for it.
 *
 * **Threads and locks.** `assign` is hot: any thread, any number at once, no lock held. It is on
 * the path of every message, so it should take a few nanoseconds, and it must not take a lock in
 * the common case. All other functions are called by one thread at a time for each pool, with no
 * CRI's lock held, while `assign` goes on in other threads. With one CRI in the pool or in a
 * single-threaded process the host may leave `assign` out and use CRI 0.
 *
 * **Correctness does not depend on the answer**: any index below `count` is right, any number of
 * threads may share a CRI, and every CRI is polled whatever a strategy says. A strategy
 * only decides how often threads meet.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_CRI_H
#define CAIRN_CRI_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/pool.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/thread.h>
#include <cairn/types.h>

/**
 * `cairn_cri_asker_t.operation`: a send.
 */
#define CAIRN_CRI_SEND 0

/**
 * `cairn_cri_asker_t.operation`: a one-sided operation (put, get, accumulate, flush).
 */
#define CAIRN_CRI_RMA 1

/**
 * `cairn_cri_asker_t.operation`: a pass of the progress engine that asks where to begin.
 */
#define CAIRN_CRI_PROGRESS 2

/**
 * `cairn_cri_asker_t.peer`: the operation concerns no peer in particular.
 */
#define CAIRN_CRI_NO_PEER UINT32_MAX

/**
 * What `cairn_cri_ops_t.arrival` returns when the strategy does not know.
 */
#define CAIRN_CRI_ANYWHERE UINT32_MAX

/**
 * The thread and the operation that a CRI is for. Lives during the call.
 */
struct cairn_cri_asker_t {
  /**
   * The calling thread. Never null.
   */
  const cairn_thread_t *thread;
  /**
   * The communicator or window, or the process. Never null.
   */
  const cairn_scope_t *scope;
  /**
   * Rank of the peer in the job, or `CAIRN_CRI_NO_PEER`.
   */
  uint32_t peer;
  /**
   * One of `CAIRN_CRI_SEND` and the others.
   */
  uint32_t operation;
};

/**
 * A strategy's functions.
 */
struct cairn_cri_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Prepares for a pool; what the strategy keeps for it goes into `pool->strategy_state`.
   * A failure makes the pool's transport unusable. Required.
   */
  cairn_status_t (*attach)(cairn_instance_t *instance, cairn_cri_pool_t *pool);
  /**
   * Frees what `attach` made. Required.
   */
  void (*detach)(cairn_instance_t *instance, cairn_cri_pool_t *pool);
  /**
   * Returns the index of the CRI to use, below `pool->count`. Hot. Required.
   */
  uint32_t (*assign)(const cairn_cri_pool_t *pool, const struct cairn_cri_asker_t *asker);
  /**
   * A communicator or window was made, and no operation uses it yet. Called for each pool, in the
   * same order on every process of the scope. Default: nothing.
   */
  cairn_status_t (*scope_open)(const cairn_cri_pool_t *pool, cairn_scope_t *scope);
  /**
   * It is being freed, and no operation uses it any more. Called for each pool. Default: nothing.
   */
  void (*scope_close)(const cairn_cri_pool_t *pool, cairn_scope_t *scope);
  /**
   * A thread ended; what was its own may go to others. Called on that thread; its index in
   * `cairn_thread_t` is reused afterwards. Default: nothing.
   */
  void (*thread_exit)(const cairn_cri_pool_t *pool, const cairn_thread_t *thread);
  /**
   * Writes how the pool is shared out at the moment, as text for a person, into
   * `text` (at most `capacity` bytes with the NUL) and returns the length of the whole text.
   * Default: an empty text.
   */
  size_t (*describe)(const cairn_cri_pool_t *pool, char *text, size_t capacity);
  /**
   * Where messages of a communicator or window arrive in this process: the index of the
   * CRI, or `CAIRN_CRI_ANYWHERE` when the strategy does not know, because senders choose otherwise.
   * `peer` is the sender's rank in the job, or `CAIRN_CRI_NO_PEER`. A thread that waits for such a
   * message polls there first. A strategy that does not know it for the process, which it is asked for
   * when a pool is added, is not asked again. Hot. Default: anywhere.
   */
  uint32_t (*arrival)(const cairn_cri_pool_t *pool, const cairn_scope_t *scope, uint32_t peer);
};

#endif  /* CAIRN_CRI_H */
