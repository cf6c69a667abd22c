/*
 * Cairn MPI: <cairn/lock.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The one lock that two libraries may share.
 *
 * Each Rust library in a process has its own copy of every static, so a lock that parks its
 * waiters in a global table (`parking_lot`, and any lock built the same way) sleeps in one
 * library's table and is woken in another's: the waiter never wakes. This lock keeps all its
 * state in its own four bytes and lets the kernel hold the waiters.
 */

#ifndef CAIRN_LOCK_H
#define CAIRN_LOCK_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/bias.h>
#include <cairn/counter.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * The host's `audit`: the thread is about to wait for a lock.
 */
#define CAIRN_AUDIT_LOCK 1

/**
 * The host's `audit`: the thread has taken a lock without waiting.
 */
#define CAIRN_AUDIT_TRY 2

/**
 * The host's `audit`: the thread gives a lock back.
 */
#define CAIRN_AUDIT_UNLOCK 3

/**
 * The host's `audit`: the thread makes an atomic read-modify-write that is not a lock's.
 */
#define CAIRN_AUDIT_ATOMIC 4

/**
 * A mutual exclusion lock of four bytes. All zero is unlocked, so zeroed memory holds a valid one.
 *
 * Not recursive and not fair. C code uses the host table's `lock_acquire`, `lock_try` and
 * `lock_release`; Rust code calls the methods. Works between the threads of one process.
 */
struct cairn_lock_t {
  /**
   * 0 free, 1 held, 2 held and a thread may sleep on it. Only through the functions.
   */
  uint32_t word;
};

#endif  /* CAIRN_LOCK_H */
