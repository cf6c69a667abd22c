/*
 * Cairn MPI: <cairn/smsc.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **smsc** — shared memory, single copy: moves a large message between two processes of a node.
 *
 * Used by shared-memory transports for what is too large for their rings. The process that wants
 * the bytes, the *reader*, begins with `fetch`. How they move is the component's affair: the reader
 * may read the other's memory through the kernel (one copy, by the reader alone), or both work on a
 * pipeline of shared slots (two copies that overlap). In the second case `fetch` makes a ticket,
 * which the transport carries to the process that has the bytes, the *owner*; there the transport
 * checks that they may be read and calls `serve` with it.
 *
 * ```text
 *   reader   fetch(address) ─► ticket ─ ─ transport ─ ─► serve(ticket, buffer)   owner
 *            advance ◄──────────── shared slots ───────────────────► advance
 * ```
 *
 * Where both work, the owner may also begin, with `offer`, before the reader has asked: its ticket
 * travels with whatever tells the reader of the bytes, and the reader joins with `accept`, or takes
 * another way and leaves the offer alone.
 *
 * Where the kernel lets one process write another's memory, `write` moves bytes the other way, for puts.
 *
 * **Life.** `peer_open` makes the component's object for a peer at the first large transfer with it,
 * from the card the peer's side of the same component published; `peer_close` ends it. A component
 * that the system refuses (ptrace scope, containers) finds that out in `peer_open` by really moving
 * a few bytes, and declines; the transport then takes another.
 *
 * **Choice.** Which component is the fastest for which size the transport measures: it tries each
 * with the first transfers of a size. A component that answers an error, of whatever function and at
 * whatever moment, is done with that transfer, and the transport takes another one for it, from the
 * beginning; but for `CAIRN_ERR_PROTOCOL` and `CAIRN_ERR_PEER`, which are the transfer's own end.
 * `CAIRN_ERR_RESOURCES` of `peer_open` may be better later, and the transport asks again.
 *
 * **Threads and locks.** `fetch`, `serve`, `offer`, `accept`, `advance` and `finish` are hot, and called by one thread
 * at a time for one transfer; transfers of different threads go on at the same time. `peer_open` may
 * be called with an instance's lock held, by one thread at a time for one peer; of the host table it
 * uses `card_get`, `log` and `show_once`.
 *
 * **Completion.** A transfer advances only by `advance`, which the transport calls from progress
 * until it returns `CAIRN_DONE` or an error; it never waits for the other side. Then `finish` frees
 * it. Buffers are the transfer's until then. A transport may also give a transfer up and finish it
 * early: when the peer is gone, when the owner has refused, or when the ticket could not be sent. The
 * other side must not be harmed by that, whether it has heard of the transfer, is in the middle of it or
 * has left it, and nothing that is needed for other transfers may be lost. An offer is finished when
 * its reader has said, by other means, that it does not read any more, or has never heard of it.
 * Until then the buffer is the transfer's only as far as the reader can't do without it: a program that
 * knows that the message has arrived may free the memory before the transport hears of it. So when
 * `offer` has returned, the owner reads no more than what `accept` has asked for.
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
 * Most bytes of a ticket: with what a transport adds it fits a cache line.
 */
#define CAIRN_SMSC_MAX_TICKET 24

/**
 * Most bytes of a ticket that `offer` makes: it travels with the announcement of a message, which
 * is to fit a cache line.
 */
#define CAIRN_SMSC_MAX_OFFER 3

/**
 * What the owner needs to take part in a transfer. Travels between processes as bytes.
 */
struct cairn_smsc_ticket_t {
  /**
   * Bytes used of `data`; 0 when the reader needs no help.
   */
  uint32_t len;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * The component's own. The owner trusts no field in it.
   */
  uint8_t data[CAIRN_SMSC_MAX_TICKET];
};

/**
 * Functions for copies. `peer` is what `peer_open` stored, `transfer` what `fetch` or `serve` did.
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
   * Makes the component's object for a peer on this node. Required.
   */
  cairn_status_t (*peer_open)(cairn_instance_t *instance, const cairn_peer_t *view, void **peer);
  /**
   * Frees it; no transfer is in flight. Set-up. Required.
   */
  void (*peer_close)(cairn_instance_t *instance, void *peer);
  /**
   * The reader's side: begins to move `len` bytes (not 0) from `remote` in the peer's memory to
   * `buffer`, stores the transfer, and fills in the ticket if the owner has to help.
   * `CAIRN_DONE`: the transfer was made and goes on by `advance`; `CAIRN_NO_RESOURCES`: not now.
   * Hot. Required.
   */
  cairn_outcome_t (*fetch)(cairn_instance_t *instance,
                           void *peer,
                           uint64_t remote,
                           void *buffer,
                           size_t len,
                           struct cairn_smsc_ticket_t *ticket,
                           void **transfer);
  /**
   * The owner's side: takes part in the transfer of `len` bytes from `buffer` that the ticket
   * describes and stores it. Answers as `fetch`. Hot. Default: `CAIRN_ERR_UNSUPPORTED`, for
   * components whose tickets are always empty.
   */
  cairn_outcome_t (*serve)(cairn_instance_t *instance,
                           void *peer,
                           const struct cairn_smsc_ticket_t *ticket,
                           const void *buffer,
                           size_t len,
                           void **transfer);
  /**
   * Moves what can be moved now: `CAIRN_DONE` when the transfer is finished on this side,
   * `CAIRN_QUEUED` when something moved, `CAIRN_NOTHING` when it waits for the other side. Does
   * not stay longer than it takes to copy a few megabytes. Hot. Required.
   */
  cairn_outcome_t (*advance)(cairn_instance_t *instance, void *transfer);
  /**
   * Frees a transfer, finished or given up. Hot. Required.
   */
  void (*finish)(cairn_instance_t *instance, void *transfer);
  /**
   * The owner's side, before the reader has asked: begins to move `len` bytes (not 0) from `buffer`
   * to the holder of the ticket, of at most `CAIRN_SMSC_MAX_OFFER` bytes, and stores the transfer.
   * It may copy a first piece, and later what `accept` asks for. Answers as `fetch`, and `CAIRN_NO_RESOURCES` rather than take what
   * reads need: they must go on for offers to end. Hot. Default: `CAIRN_NO_RESOURCES`.
   */
  cairn_outcome_t (*offer)(cairn_instance_t *instance,
                           void *peer,
                           const void *buffer,
                           size_t len,
                           struct cairn_smsc_ticket_t *ticket,
                           void **transfer);
  /**
   * The reader's side of what the peer has offered: moves `len` bytes, as many as were offered
   * or the first of them, to `buffer`. Answers as `fetch`. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_outcome_t (*accept)(cairn_instance_t *instance,
                            void *peer,
                            const struct cairn_smsc_ticket_t *ticket,
                            void *buffer,
                            size_t len,
                            void **transfer);
  /**
   * Writes `len` bytes (not 0) from `buffer` to `remote` in the peer's memory, by this process alone. They are
   * there when it returns. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*write)(cairn_instance_t *instance,
                          void *peer,
                          uint64_t remote,
                          const void *buffer,
                          size_t len);
};

#endif  /* CAIRN_SMSC_H */
