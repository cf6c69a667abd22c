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
 * The other end of an edge of a topology, as a rank at one end sees it (MPI 5.0, chapter 8).
 */
struct cairn_neighbor_t {
  /**
   * Its rank, which may be the own one.
   */
  uint32_t rank;
  /**
   * The number of the edge's block among those of a buffer of a neighborhood collective.
   */
  uint32_t block;
};

/**
 * The neighbors of a rank. Where a grid ends is none, so a buffer may have more blocks than there are
 * neighbors.
 *
 * Several edges may lead from one rank to another, which then is several of the destinations of the one,
 * and the one several of the sources of the other. Both list these edges in the same order, so that messages
 * along them match if each side starts them as listed. That need not be the order of the blocks: along a
 * periodic dimension of one or two processes, what is sent downwards comes from above.
 */
struct cairn_neighbors_t {
  /**
   * Those that edges come from: `indegree` of them.
   */
  const struct cairn_neighbor_t *sources;
  /**
   * Those that edges lead to: `outdegree` of them.
   */
  const struct cairn_neighbor_t *destinations;
  /**
   * How many edges end at the rank.
   */
  uint32_t indegree;
  /**
   * How many edges begin there.
   */
  uint32_t outdegree;
};

/**
 * A view of a communicator, that of one rank. Allocated by the MPI layer; constant but for the scope's
 * slots and the assertion flags, which change only where the standard lets them.
 *
 * Mostly a process is one rank, has one view, and stands in `peers` once. Where it is several ranks it
 * has a view for each, and this holds:
 *
 * * A view speaks for its `rank` alone: its messages come from there, its receives get what was sent
 *   there, and it is opened, used, closed and freed like a communicator of its own, with slots of its own.
 * * `peers` may name one process several times, also this one. A rank is told by its number, never by its
 *   peer, and a process is more than one rank's.
 * * Each rank that shares its process has a context id that no other view of the process has; a message
 *   carries that of the rank it goes to. `contexts` names them.
 * * A component that can't serve such a view refuses it in `comm_open`, or leaves the choice to others;
 *   `shares_processes` tells.
 */
struct cairn_comm_t {
  /**
   * Kind, number in this process, number of ranks in the local group, name, info and private slots.
   */
  cairn_scope_t scope;
  /**
   * The view's rank in the local group.
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
   * What messages to this rank carry, and, where `contexts` is null, those to every other.
   */
  struct cairn_context_id_t context;
  /**
   * `remote_size` peers by rank.
   */
  cairn_peer_t *const *peers;
  /**
   * What messages to each of the `remote_size` ranks carry, or null where all carry
   * `context`.
   */
  const struct cairn_context_id_t *contexts;
  /**
   * The rank's neighbors, or null where the communicator has no topology, which then is so on all its
   * processes.
   */
  const struct cairn_neighbors_t *neighbors;
  /**
   * What makes communicators of some of the ranks, or null where nothing does.
   */
  const struct cairn_comm_parts_t *parts;
};

/**
 * What the MPI layer does with parts of a communicator, for components of `coll` that make an operation of
 * others among some of its ranks. A part is a communicator of its own, with a context id of its own, which the
 * program never sees: its operations are served by the components of `coll` that serve any communicator, and
 * are counted apart. It has the hints that its communicator was made with.
 */
struct cairn_comm_parts_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Makes a part of these `count` different ranks of an intra-communicator, in this order, and stores its
   * view. Each of them calls it, in an operation of the communicator, whose `tag` the messages carry that
   * this takes. Where it fails on one process others may have the part, so they have to tell each other
   * before one is used.
   */
  cairn_status_t (*make)(const struct cairn_comm_t *comm,
                         const uint32_t *ranks,
                         uint32_t count,
                         int32_t tag,
                         const struct cairn_comm_t **part);
  /**
   * Runs a blocking operation (`cairn_coll_args_t`) on a part to its end; its `tag` does not matter. One
   * thread at a time for one part.
   */
  cairn_status_t (*run)(const struct cairn_comm_t *part, const void *args);
  /**
   * Gives a part back, in `comm_close` at the latest.
   */
  void (*free)(const struct cairn_comm_t *part);
};

#endif  /* CAIRN_COMM_H */
