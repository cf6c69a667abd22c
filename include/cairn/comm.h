/*
 * Cairn MPI: <cairn/comm.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A communicator, as far as components see it.
 */

#ifndef CAIRN_COMM_H
#define CAIRN_COMM_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/peer.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_comm_t.flags`: messages may overtake each other (`mpi_assert_allow_overtaking`).
 */
#define CAIRN_COMM_ALLOW_OVERTAKING 1

/**
 * `cairn_comm_t.flags`: no receive uses `MPI_ANY_SOURCE` (`mpi_assert_no_any_source`).
 */
#define CAIRN_COMM_NO_ANY_SOURCE 2

/**
 * `cairn_comm_t.flags`: no receive uses `MPI_ANY_TAG` (`mpi_assert_no_any_tag`).
 */
#define CAIRN_COMM_NO_ANY_TAG 4

/**
 * `cairn_comm_t.flags`: an inter-communicator; `peers` is the remote group.
 */
#define CAIRN_COMM_INTER 16

/**
 * Communicators whose `scope.id` is below this are not of the program's making: `MPI_COMM_WORLD`,
 * `MPI_COMM_SELF`, and one of all processes that the library keeps for itself.
 */
#define CAIRN_COMM_OWN_IDS 3

/**
 * `cairn_context_id_t.maker` of communicators that are not of the program's making; their serials are
 * their `scope.id`.
 */
#define CAIRN_CONTEXT_OWN UINT32_MAX

/**
 * The context id of a communicator: the same in all its processes, and of no other communicator that
 * the job has or had. The process that makes it numbers what it makes, and no number comes again.
 */
struct cairn_context_id_t {
  /**
   * The number among those of its maker.
   */
  uint64_t serial;
  /**
   * Rank in the job of the process that made it, or `CAIRN_CONTEXT_OWN`.
   */
  uint32_t maker;
  /**
   * Zero.
   */
  uint32_t reserved;
};

/**
 * A communicator. Allocated by the MPI layer; constant but for the scope's slots and the
 * assertion flags, which change only where the standard lets them.
 */
struct cairn_comm_t {
  /**
   * Kind, number in this process, number of ranks in the local group, name, info and private slots.
   */
  cairn_scope_t scope;
  /**
   * Rank of this process in the local group.
   */
  uint32_t rank;
  /**
   * Ranks in the group that messages go to: the remote group of an inter-communicator, else
   * the local one.
   */
  uint32_t remote_size;
  /**
   * `CAIRN_COMM_*`.
   */
  uint32_t flags;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * What its messages carry.
   */
  struct cairn_context_id_t context;
  /**
   * `remote_size` peers by rank.
   */
  cairn_peer_t *const *peers;
};

#endif  /* CAIRN_COMM_H */
