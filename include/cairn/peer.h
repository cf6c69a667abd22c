/*
 * Cairn MPI: <cairn/peer.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Another process of the job, as transports and protocols see it.
 */

#ifndef CAIRN_PEER_H
#define CAIRN_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_peer_t.flags`: it is this process.
 */
#define CAIRN_PEER_SELF 1

/**
 * `cairn_peer_t.flags`: it runs on this node.
 */
#define CAIRN_PEER_LOCAL 2

/**
 * `cairn_peer_t.flags`: it failed; operations that need it end with `CAIRN_ERR_PEER`. Set by the host, at
 * any time and for good, when a transport has said so.
 */
#define CAIRN_PEER_FAILED 4

/**
 * One way to reach a peer: a device and an endpoint on it.
 */
struct cairn_route_t {
  /**
   * The device.
   */
  const cairn_btl_module_t *module;
  /**
   * The transport's endpoint on it.
   */
  cairn_endpoint_t *endpoint;
};

/**
 * Another process, or this one. Allocated by the host, one for each process that is known.
 */
struct cairn_peer_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Its rank in its job.
   */
  uint32_t rank;
  /**
   * Number of its job in this process; 0 is our own.
   */
  uint32_t job;
  /**
   * `CAIRN_PEER_*`.
   */
  uint32_t flags;
  /**
   * Its node's number in the job.
   */
  uint32_t node;
  /**
   * Routes at `routes`; 0 until the host's `peer_connect` has found some. Read with Acquire.
   */
  uint32_t route_count;
  /**
   * The ways to reach it, best first: by latency, then bandwidth. Valid once there are some.
   */
  const struct cairn_route_t *routes;
  /**
   * The point-to-point component's own: sequence numbers, queues.
   */
  void *pml;
};

#endif  /* CAIRN_PEER_H */
