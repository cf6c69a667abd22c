/*
 * Cairn MPI: <cairn/smsc.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **smsc** — shared memory, single copy: moves a large message between two processes of a node.
 *
 * Used by shared-memory transports for what is too large for their rings. The sender *offers* a
 * buffer and sends the resulting ticket along with its rendezvous message; the receiver *accepts*
 * the ticket into its own buffer. How the bytes move is the component's affair: the receiver may
 * read the sender's memory through the kernel (one copy), both may work on a pipeline of shared
 * slots (two copies that overlap), or both may copy at once.
 *
 * **Life.** `peer_open` makes the component's object for a peer on first contact, from the card
 * the peer's side of the same component published; `peer_close` ends it. A component that the
 * system refuses (ptrace scope, containers) finds that out in `peer_open` by really moving a few
 * bytes, and declines.
 *
 * **Threads and locks.** `offer`, `accept` and `advance` are hot, and called by one thread at a
 * time for one transfer; transfers of different threads go on at the same time.
 *
 * **Completion.** A transfer advances only by `advance`, which the transport calls from progress
 * on both sides until it returns `CAIRN_DONE`; it never waits for the other side. Then `finish`
 * frees it. Buffers are the transfer's until then.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_SMSC_H
#define CAIRN_SMSC_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/peer.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * Major version of this contract.
 */
#define CAIRN_SMSC_MAJOR 1

/**
 * Minor version of this contract.
 */
#define CAIRN_SMSC_MINOR 0

/**
 * Most bytes of a ticket.
 */
#define CAIRN_SMSC_MAX_TICKET 64

/**
 * What the receiver needs to take an offer. Travels between processes as bytes.
 */
struct cairn_smsc_ticket_t {
  /**
   * Bytes used of `data`.
   */
  uint32_t len;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * The component's own. The receiver trusts no field in it.
   */
  uint8_t data[CAIRN_SMSC_MAX_TICKET];
};

/**
 * Functions for copies. `peer` is what `peer_open` stored, `transfer` what `offer` or `accept` did.
 */
struct cairn_smsc_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Makes the component's object for a peer on this node. Set-up. Required.
   */
  cairn_status_t (*peer_open)(cairn_instance_t *instance, const cairn_peer_t *view, void **peer);
  /**
   * Frees it; no transfer is in flight. Set-up. Required.
   */
  void (*peer_close)(cairn_instance_t *instance, void *peer);
  /**
   * The sender's side: offers `len` bytes at `buffer`, fills in the ticket and stores the
   * transfer, which then goes on by `advance`. `CAIRN_DONE`: the transfer was made;
   * `CAIRN_NO_RESOURCES`: not now. Hot. Required.
   */
  cairn_outcome_t (*offer)(cairn_instance_t *instance,
                           void *peer,
                           const void *buffer,
                           size_t len,
                           struct cairn_smsc_ticket_t *ticket,
                           void **transfer);
  /**
   * The receiver's side: takes the first `len` bytes of an offer to `buffer` and stores the
   * transfer, which then goes on by `advance`. Answers as `offer`. Hot. Required.
   */
  cairn_outcome_t (*accept)(cairn_instance_t *instance,
                            void *peer,
                            const struct cairn_smsc_ticket_t *ticket,
                            void *buffer,
                            size_t len,
                            void **transfer);
  /**
   * Moves what can be moved now: `CAIRN_DONE` when the transfer is finished on this side,
   * `CAIRN_QUEUED` when something moved, `CAIRN_NOTHING` when it waits for the other side. Hot.
   * Required.
   */
  cairn_outcome_t (*advance)(cairn_instance_t *instance, void *transfer);
  /**
   * Frees a transfer, finished or given up. Hot. Required.
   */
  void (*finish)(cairn_instance_t *instance, void *transfer);
  /**
   * Estimated nanoseconds to move `len` bytes, both sides at work, as measured when the component
   * was opened. Required.
   */
  uint64_t (*estimate)(cairn_instance_t *instance, size_t len);
};

#endif  /* CAIRN_SMSC_H */
