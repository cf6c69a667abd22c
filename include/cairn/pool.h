/*
 * Cairn MPI: <cairn/pool.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Communication resource instances and the pools that a transport gives the framework.
 *
 * A communication resource instance (CRI; dissertation §5.3.1, the VCI of Zambre et al. §4.2)
 * is everything one thread needs to talk to a device without meeting another thread: a lock, a
 * context, a completion queue, caches and counters. A transport makes as many as it was asked
 * for and as the device has; a `cri` strategy says which one an operation uses, a `progress`
 * component says which ones a thread polls.
 */

#ifndef CAIRN_POOL_H
#define CAIRN_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/bias.h>
#include <cairn/counter.h>
#include <cairn/lock.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/thread.h>
#include <cairn/types.h>

/**
 * Bytes that keep two writers off each other's cache lines: two lines of 64, because processors
 * prefetch lines in pairs.
 */
#define CAIRN_CACHE_LINE_PAIR 128

/**
 * Words of a `cairn_cri_set_t`.
 */
#define CAIRN_CRI_SET_WORDS 8

/**
 * The head of one CRI. The transport's own part lies behind it, at most `cairn_cri_pool_t.stride`
 * bytes in all, or behind `context`.
 */
struct CAIRN_ALIGNED(128) cairn_cri_t {
  /**
   * Held while a function of the transport works on this CRI, unless the process is
   * single-threaded. It has a bias: C code takes it by the host's `cri_acquire` and
   * `cri_try`.
   */
  cairn_lock_t lock;
  /**
   * Its place in the pool, from 0.
   */
  uint32_t index;
  /**
   * The transport's own.
   */
  void *context;
  /**
   * How often a thread had to wait for the lock. Counted by its holder; the host sets
   * it to zero in `pool_add`.
   */
  cairn_counter_cell_t waits;
  /**
   * The bias of the lock; the host makes it in `pool_add`.
   */
  cairn_bias_t bias;
  /**
   * How often it was polled. Counted by the host with the lock held.
   */
  cairn_counter_cell_t polls;
  /**
   * How often that brought an event.
   */
  cairn_counter_cell_t hits;
};

/**
 * The CRIs of one device. Made by a transport, handed to the host's `pool_add`.
 *
 * The fields up to `module` are the transport's and constant; those behind are the host's.
 */
struct cairn_cri_pool_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * CRIs in it, at least 1.
   */
  uint32_t count;
  /**
   * The device, for reports: `btl_sm`, `btl_tcp/eth0`.
   */
  const char *name;
  /**
   * The first CRI; the others follow every `stride` bytes. Aligned to 128 bytes.
   */
  struct cairn_cri_t *instances;
  /**
   * Bytes from one CRI to the next, a multiple of 128.
   */
  size_t stride;
  /**
   * Polls one CRI and returns how many events it handled.
   *
   * Called by any thread, with the CRI's lock held unless the process is single-threaded.
   * It may call receive callbacks and completions, which may send, but never polls again.
   */
  uint32_t (*progress)(void *module, struct cairn_cri_t *cri);
  /**
   * Passed to `progress`.
   */
  void *module;
  /**
   * Set by `pool_add`: the strategy that assigns the CRIs.
   */
  const cairn_cri_ops_t *strategy;
  /**
   * Set by the strategy's `attach`; the strategy's own.
   */
  void *strategy_state;
  /**
   * Set by `pool_add`: the number of the pool in the process.
   */
  uint32_t id;
  /**
   * Set by `pool_add`: 1 when the strategy says where messages arrive, else 0.
   */
  uint32_t arrivals;
};

/**
 * CRIs of any pools: those that the events of an operation can come from (Zambre et al. §4.3 keep one in
 * each request). A hint that says where to look first: the number of a pool counts modulo 8 and the index
 * of a CRI modulo 64, so a set may have a few CRIs more in it than were put in, never fewer.
 */
struct cairn_cri_set_t {
  /**
   * For the pool with `cairn_cri_pool_t.id` `p`, CRI `c` is bit `c % 64` of word `p % 8`.
   */
  uint64_t words[CAIRN_CRI_SET_WORDS];
};

#endif  /* CAIRN_POOL_H */
