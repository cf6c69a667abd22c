/*
 * Cairn MPI: <cairn/contract.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Rules that hold in every contract.
 *
 * * **Words.** An *instance* is a component in a host (`cairn_instance_t`,
 *   often called `self`). A *communication resource instance*, which threads share a device by, is
 *   always a **CRI** (`cairn_cri_t`).
 * * **Set-up functions** are called by one thread at a time, outside the hot path, with no CRI's lock
 *   held; they may call anything in the host table. The documentation marks the others **hot**.
 *   During the functions of a component's life the host holds its life-cycle lock; see
 *   `<cairn/component.h>`.
 * * **Hot functions** may be called by any thread at any time between the set-up and the
 *   tear-down of the object they work on. They must not sleep, and of the host table they use only
 *   what is read in place, `fail`, and the functions their own documentation names. Where they get
 *   a CRI, its lock is held by the caller, unless the process is single-threaded, where there are no
 *   locks.
 * * **The first argument** of a function is the instance of the component or an object that the
 *   component made, and is valid whenever the function is called.
 * * **Optional functions** may be null in the table; the host puts a safe default in their place
 *   before it calls anything, so no caller checks for null. What the default does is said with
 *   the function.
 * * **A pointer argument** is valid during the call only, unless the function says that it stays.
 * * **Return values** are a `cairn_status_t` or, where an operation may have
 *   to wait, an `cairn_outcome_t`; both below zero for errors, with the
 *   reason given to `fail` before. Errors are not retried.
 * * **Versions.** The plugin ABI and all contracts have one version, `CAIRN_ABI_MAJOR` and
 *   `CAIRN_ABI_MINOR`. It is 0.N until the first release: a component is loaded by a host of the very
 *   same version, and refused by any other.
 * * **Exceptions and panics** never leave a component's function. The macros for Rust see to that;
 *   C++ catches its own.
 */

#ifndef CAIRN_CONTRACT_H
#define CAIRN_CONTRACT_H

#include <cairn/component.h>
#include <cairn/host.h>

#endif
