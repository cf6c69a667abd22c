/*
 * Cairn MPI: <cairn/bias.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Bias: what one thread uses nearly always, it uses without an atomic read-modify-write.
 *
 * A processor finishes all its earlier stores before a read-modify-write, and those of a message go to
 * memory that another processor has just read. So a lock on the path of a message costs much more than
 * its own few nanoseconds, although hardly ever two threads want it at a time.
 *
 * A lock that the same thread has taken many times in a row *stays taken for this thread*: the thread
 * has the bias. It comes and goes by stores to a word of its own, until another thread wants the lock
 * and takes the bias away:
 *
 * ```text
 *   owner  │ inside = 1   compiler fence   owner == me?  → it has the lock    inside = 0 (Release)
 *   other  │ owner = GOING   barrier in every thread   owner = GONE   inside == 0?  → has the lock
 * ```
 *
 * **One of them sees the other.** The other thread has the kernel make a memory barrier in every
 * running thread of the process (`membarrier`). If the owner's load of `owner` came before that barrier,
 * its store to `inside` did too, and is seen; otherwise the load finds GOING. Hence nobody trusts
 * `inside` before GONE says that the barrier was made. The price, a microsecond or two, is paid by who
 * takes the bias away, and each time the owner has to be twice as patient until it gets it again.
 *
 * **A word for each owner.** A thread that was stopped between its two loads may write its word when
 * the bias has long been another's. So each thread that ever has the bias has a seat with a word that
 * nobody else writes; where all seats are taken, the lock is an ordinary one for further threads.
 *
 * **Threads that end** leave seats behind. A thread is known by an address (`mark`) that a new thread
 * may get; it sits on then, which is right, because the C library hands memory of a thread on only when
 * it has ended. With whatever the old one wrote the new one is in order, by the same handing on.
 *
 * Model-checked: `RUSTFLAGS="--cfg loom" cargo test -p cairn-framework --release --lib model_`.
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
#define CAIRN_BIAS_SEATS 4

/**
 * Who has the bias of a lock. All zero is nobody. Belongs to a `cairn_lock_t`, which is
 * held as long as somebody has the bias, so that who does not know of it stays out, too.
 */
struct cairn_bias_t {
  /**
   * Seat of the owner, from 1, `GOING` or `GONE`, and a generation.
   */
  uint32_t owner;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Times in a row that `last` has held the lock. Written by who holds it, as the next two.
   */
  uint32_t streak;
  /**
   * How often patience has doubled, or `NEVER`.
   */
  uint32_t patience;
  /**
   * Who held the lock last.
   */
  size_t last;
  /**
   * The threads that have seats. Written once each, by who holds the lock.
   */
  size_t seats[CAIRN_BIAS_SEATS];
  /**
   * Whether the thread on the seat has the lock by its bias. Written by this thread only.
   */
  uint32_t inside[CAIRN_BIAS_SEATS];
};

#endif  /* CAIRN_BIAS_H */
