/*
 * Cairn MPI: <cairn/bias.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Biased locking: a thread takes a lock that it nearly always has without an atomic read-modify-write.
 *
 * A processor finishes all its earlier stores before a read-modify-write, and those of a message go to
 * memory that another processor has just read. So a lock on the path of a message costs much more than
 * its own few nanoseconds, although hardly ever two threads want it at a time.
 *
 * A lock that the same thread has taken many times in a row *stays taken for this thread*: the thread
 * has the bias. It comes and goes by stores to a word of its own, until another thread wants the lock
 * and revokes the bias:
 *
 * ```text
 *   owner  │ inside = 1   compiler fence   owner == me?  → it has the lock    inside = 0 (Release)
 *   other  │ owner = REVOKING  barrier in every thread  owner = REVOKED   inside == 0?  → has the lock
 * ```
 *
 * **One of them sees the other.** The other thread has the kernel make a memory barrier in every
 * running thread of the process (`membarrier`). If the owner's load of `owner` came before that barrier,
 * its store to `inside` did too, and is seen; otherwise the load finds REVOKING. Hence
 * `inside` means nothing before REVOKED says that the barrier was made. The price, a microsecond or two, is
 * paid by the thread that revokes, and after each revocation the owner needs twice as many acquisitions in a
 * row until it gets the bias again.
 *
 * **A word for each owner.** A thread that was stopped between its two loads may write its word when
 * the bias has long been another's. So each thread that ever has the bias has a slot with a word that
 * no other thread writes; where all slots are taken, the lock is an ordinary one for further threads.
 *
 * **Threads that end** leave slots behind. A thread is known by an address (`mark`) that a new thread
 * may get; it then has the slot, which is right, because the C library hands memory of a thread on only when
 * it has ended. With whatever the old one wrote the new one is in order, by the same handing on.
 *
 * Biased locking is that of Russell and Detlefs (OOPSLA 2006), with revocation by an asymmetric Dekker
 * protocol (Dice, Huang and Yang 2001) instead of stopped threads; see `fences.rs`.
 *
 * Model-checked: `cargo test -p cairn-framework --features loom --release --lib model_`.
 */

#ifndef CAIRN_BIAS_H
#define CAIRN_BIAS_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * Threads that can have the bias of one lock.
 */
#define CAIRN_BIAS_SLOTS 4

/**
 * Which thread has the bias of a lock. All zero: none. Belongs to a `cairn_lock_t`, which is
 * held as long as a thread has the bias, so that code that does not know of the bias stays out, too.
 */
struct cairn_bias_t {
  /**
   * Slot of the owner, from 1, `REVOKING` or `REVOKED`, and a generation.
   */
  uint32_t owner;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Times in a row that `last` has held the lock. Written by the holder, as the next two.
   */
  uint32_t streak;
  /**
   * How often the threshold has doubled, or `NEVER`.
   */
  uint32_t doublings;
  /**
   * The thread that held the lock last.
   */
  size_t last;
  /**
   * The threads that have slots. Written once each, by the holder of the lock.
   */
  size_t slots[CAIRN_BIAS_SLOTS];
  /**
   * Whether the thread of the slot has the lock by its bias. Written by this thread only.
   */
  uint32_t inside[CAIRN_BIAS_SLOTS];
};

#endif  /* CAIRN_BIAS_H */
