/*
 * Cairn MPI: <cairn/receive.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * How arriving messages reach the layer that they are for.
 */

#ifndef CAIRN_RECEIVE_H
#define CAIRN_RECEIVE_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/pool.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * Number of entries of the receive table; a tag on the wire is one byte.
 */
#define CAIRN_RECEIVE_TAGS 256

/**
 * Tags from this one on are for receivers that take messages which are still being written
 * (`CAIRN_RECEIVED_GROWING`): a transport may hand on such a message before all of it is there.
 */
#define CAIRN_RECEIVE_GROWING 128

/**
 * `cairn_received_t.flags`: `data` begins with the header the sender gave, in one piece with the
 * payload. Always set today; a transport that splits them will not set it.
 */
#define CAIRN_RECEIVED_CONTIGUOUS 1

/**
 * `cairn_received_t.flags`: the header that the sender gave is there, and of the payload what
 * `cairn_btl_ops_t.wait_for_more` says. Only for tags from `CAIRN_RECEIVE_GROWING`
 * on.
 */
#define CAIRN_RECEIVED_GROWING 2

/**
 * One active message, in place. Everything it points to is gone when the callback returns.
 */
struct cairn_received_t {
  /**
   * Size of this struct in bytes, as the transport's header has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_RECEIVED_*`.
   */
  uint32_t flags;
  /**
   * The device it came in by.
   */
  const cairn_btl_module_t *module;
  /**
   * The CRI that is being polled. Its lock is held unless the process is single-threaded.
   */
  cairn_cri_t *cri;
  /**
   * Where it came from, usable for answers. Null when this process has no endpoint to the sender
   * yet.
   */
  cairn_endpoint_t *endpoint;
  /**
   * Header and payload. Aligned to 8 bytes. Written by the peer: trust no field in it.
   */
  const void *data;
  /**
   * Bytes at `data`.
   */
  size_t len;
};

/**
 * Handles an arrived message. Called from a progress call, on any thread. It may send and may
 * start other operations; it must not wait and must not poll.
 */
typedef void (*cairn_receive_fn_t)(void *context, const struct cairn_received_t *received);

/**
 * One entry of the host's receive table, which transports read in place.
 *
 * An entry that is not registered leads to a callback that reports the peer's protocol violation,
 * so a transport calls `entry.callback` for any byte without a check.
 */
struct cairn_receive_entry_t {
  /**
   * Never null.
   */
  void (*callback)(void *context, const struct cairn_received_t *received);
  /**
   * Passed to `callback`.
   */
  void *context;
};

#endif  /* CAIRN_RECEIVE_H */
