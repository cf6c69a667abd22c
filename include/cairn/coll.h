/*
 * Cairn MPI: <cairn/coll.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **coll** — collective operations.
 *
 * Several components serve one communicator: for each operation the one that offers it with the
 * highest priority, and does not decline the call. A component reaches its peers through the process's point-to-point component,
 * which it finds with the host's `service`, on negative tags that no user message has.
 *
 * **Life.** `comm_open` is called for each communicator on each of its processes, in the same
 * order; `offer` right after it, for each operation; `comm_close` when the communicator is freed.
 * What a component answers must be the same on every process of the communicator, because all have
 * to take the same one: it may depend on sizes, parameters and info keys, not on rank or load. That holds
 * for neighborhood operations, too, of which a process knows its own neighbors alone: whether the view
 * has some is the same everywhere, who and how many is not.
 *
 * **Declining.** An offer is for an operation, whatever its arguments. A component that serves only some
 * calls, for example those of few bytes, declines the others: `run` returns `CAIRN_ERR_DECLINED`, and the
 * component with the next lower offer is asked. It must do so on every process alike, so by what MPI demands
 * to be the same everywhere; counts and datatypes are not, but the bytes of a block that has one sender
 * and one receiver are. When it declines the buffers are as they were, and all that it has sent
 * was received: the next one's messages carry the same tag.
 *
 * **Threads and locks.** `run`, `start` and `init` are called by any thread with no lock held; by
 * one thread at a time for one communicator, as MPI demands of its callers.
 *
 * **Parts.** A component may make an operation of operations on parts of the communicator
 * (`cairn_comm_parts_t`, `Part`), which the components of `coll` serve in turn. A process that is
 * lost in one of them would leave others waiting in the next, so these carry `CAIRN_COLL_PASS_ON`, and every component
 * keeps to it.
 *
 * **Tags.** Several operations may be under way on a communicator, of several components. Each
 * comes with a tag that no other of them has, from `blocking_tag`, `nonblocking_tag` or, for
 * persistent requests, `persistent_tag`; its messages carry that tag. Between two processes messages
 * of one negative tag do not overtake each other, whatever the communicator's assertions say.
 *
 * **Completion and ownership.** As for `pml`: requests are the component's, buffers are the
 * operation's until it is complete, count arrays until `run`, `start` or `init` returns.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_COLL_H
#define CAIRN_COLL_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/comm.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/datatype.h>
#include <cairn/request.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_coll_args_t.operation`: `MPI_Barrier`.
 */
#define CAIRN_COLL_BARRIER 0

/**
 * `cairn_coll_args_t.operation`: `MPI_Bcast`, in the receive buffer.
 */
#define CAIRN_COLL_BCAST 1

/**
 * `cairn_coll_args_t.operation`: `MPI_Gather`.
 */
#define CAIRN_COLL_GATHER 2

/**
 * `cairn_coll_args_t.operation`: `MPI_Gatherv`.
 */
#define CAIRN_COLL_GATHERV 3

/**
 * `cairn_coll_args_t.operation`: `MPI_Scatter`.
 */
#define CAIRN_COLL_SCATTER 4

/**
 * `cairn_coll_args_t.operation`: `MPI_Scatterv`.
 */
#define CAIRN_COLL_SCATTERV 5

/**
 * `cairn_coll_args_t.operation`: `MPI_Allgather`.
 */
#define CAIRN_COLL_ALLGATHER 6

/**
 * `cairn_coll_args_t.operation`: `MPI_Allgatherv`.
 */
#define CAIRN_COLL_ALLGATHERV 7

/**
 * `cairn_coll_args_t.operation`: `MPI_Alltoall`.
 */
#define CAIRN_COLL_ALLTOALL 8

/**
 * `cairn_coll_args_t.operation`: `MPI_Alltoallv`.
 */
#define CAIRN_COLL_ALLTOALLV 9

/**
 * `cairn_coll_args_t.operation`: `MPI_Alltoallw`.
 */
#define CAIRN_COLL_ALLTOALLW 10

/**
 * `cairn_coll_args_t.operation`: `MPI_Reduce`.
 */
#define CAIRN_COLL_REDUCE 11

/**
 * `cairn_coll_args_t.operation`: `MPI_Allreduce`.
 */
#define CAIRN_COLL_ALLREDUCE 12

/**
 * `cairn_coll_args_t.operation`: `MPI_Reduce_scatter`.
 */
#define CAIRN_COLL_REDUCE_SCATTER 13

/**
 * `cairn_coll_args_t.operation`: `MPI_Reduce_scatter_block`.
 */
#define CAIRN_COLL_REDUCE_SCATTER_BLOCK 14

/**
 * `cairn_coll_args_t.operation`: `MPI_Scan`.
 */
#define CAIRN_COLL_SCAN 15

/**
 * `cairn_coll_args_t.operation`: `MPI_Exscan`.
 */
#define CAIRN_COLL_EXSCAN 16

/**
 * `cairn_coll_args_t.operation`: `MPI_Neighbor_allgather`.
 */
#define CAIRN_COLL_NEIGHBOR_ALLGATHER 17

/**
 * `cairn_coll_args_t.operation`: `MPI_Neighbor_allgatherv`.
 */
#define CAIRN_COLL_NEIGHBOR_ALLGATHERV 18

/**
 * `cairn_coll_args_t.operation`: `MPI_Neighbor_alltoall`.
 */
#define CAIRN_COLL_NEIGHBOR_ALLTOALL 19

/**
 * `cairn_coll_args_t.operation`: `MPI_Neighbor_alltoallv`.
 */
#define CAIRN_COLL_NEIGHBOR_ALLTOALLV 20

/**
 * `cairn_coll_args_t.operation`: `MPI_Neighbor_alltoallw`.
 */
#define CAIRN_COLL_NEIGHBOR_ALLTOALLW 21

/**
 * Number of operations.
 */
#define CAIRN_COLL_OPERATIONS 22

/**
 * How an operation is called: it returns when it is complete.
 */
#define CAIRN_COLL_BLOCKING 0

/**
 * How an operation is called: it returns a request.
 */
#define CAIRN_COLL_NONBLOCKING 1

/**
 * How an operation is called: it returns a request that can be started many times.
 */
#define CAIRN_COLL_PERSISTENT 2

/**
 * `cairn_coll_args_t.flags`: failures are passed on. A process that can't go on does what is left of its part all the
 * same, with empty messages where others expect data, and with longer ones where they expect none. Who gets such a
 * message can't go on either. So every process ends, and with an error if what it was to get depends on what
 * is not there. On all processes alike.
 */
#define CAIRN_COLL_PASS_ON 1

/**
 * `cairn_coll_args_t.flags`, beside `CAIRN_COLL_PASS_ON`: this process can't go on from the beginning, so its data
 * is worth nothing. The operation fails here.
 */
#define CAIRN_COLL_LOST 2

/**
 * The highest tag of a collective operation. Negative tags above it are for other uses.
 */
#define CAIRN_COLL_TAG_FIRST -1024

/**
 * How many tags there are for blocking operations. One that begins receives nothing of an earlier one,
 * which has ended, and messages of one tag stay in order: so tags may come again soon.
 */
#define CAIRN_COLL_BLOCKING_TAGS (1 << 15)

/**
 * How many tags there are for nonblocking operations: each has its own, unless it is still under way
 * after so many others have begun on its communicator.
 */
#define CAIRN_COLL_NONBLOCKING_TAGS (1 << 28)

/**
 * How many tags there are for persistent requests: each has its own, unless it still exists after so
 * many others were made on its communicator.
 */
#define CAIRN_COLL_PERSISTENT_TAGS ((1 << 28) - (1 << 16))

/**
 * An array of counts or displacements, one for each block, in the width the user called with.
 */
struct cairn_coll_counts_t {
  /**
   * `int` or `MPI_Count`/`MPI_Aint` values, or null.
   */
  const void *data;
  /**
   * 4 or 8.
   */
  uint32_t width;
  /**
   * Zero.
   */
  uint32_t reserved;
};

/**
 * One side of an operation. Which fields hold is what the MPI function has; the one count and
 * datatype of a broadcast or a reduction are in the receive side, on every process, as are the
 * counts of reduce-scatter. Blocks have the number of their rank or, in a neighborhood operation, the one
 * that `cairn_neighbor_t` says; those of no neighbor are not touched.
 */
struct cairn_coll_side_t {
  /**
   * The user's buffer; 1 stands for `MPI_IN_PLACE`.
   */
  void *buffer;
  /**
   * Elements.
   */
  uint64_t count;
  /**
   * Their type.
   */
  const cairn_datatype_t *datatype;
  /**
   * Counts by block, for the `v` and `w` operations and reduce-scatter.
   */
  struct cairn_coll_counts_t counts;
  /**
   * Displacements by block, in elements (`v`) or bytes (`w`).
   */
  struct cairn_coll_counts_t displacements;
  /**
   * Types by block, for the `w` operations.
   */
  const cairn_datatype_t *const *datatypes;
};

/**
 * An operation with its arguments.
 */
struct cairn_coll_args_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_COLL_BARRIER` and the others.
   */
  uint32_t operation;
  /**
   * What is sent.
   */
  struct cairn_coll_side_t send;
  /**
   * What is received.
   */
  struct cairn_coll_side_t receive;
  /**
   * The reduction operation, for those that have one.
   */
  const cairn_op_t *op;
  /**
   * Rank of the root, for those that have one; -3 and -4 as in the ABI between groups.
   */
  int32_t root;
  /**
   * The operation's tag, from the MPI layer's count for the communicator: `CAIRN_COLL_TAG_FIRST` or
   * below.
   */
  int32_t tag;
  /**
   * `CAIRN_COLL_PASS_ON` and `CAIRN_COLL_LOST`, or 0.
   */
  uint32_t flags;
  /**
   * Zero.
   */
  uint32_t reserved;
};

/**
 * Functions for collectives. `module` is what `comm_open` stored.
 */
struct cairn_coll_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Prepares for a communicator and stores the component's own object. Set-up. Required.
   */
  cairn_status_t (*comm_open)(cairn_instance_t *instance, cairn_comm_t *comm, void **module);
  /**
   * Frees that object; no operation is in flight. Set-up. Required.
   */
  void (*comm_close)(cairn_instance_t *instance, cairn_comm_t *comm, void *module);
  /**
   * Priority with which an operation, called in one of the ways `CAIRN_COLL_BLOCKING` and the
   * others, is offered, or -1. Set-up. Required.
   */
  int32_t (*offer)(cairn_instance_t *instance,
                   const cairn_comm_t *comm,
                   void *module,
                   uint32_t operation,
                   uint32_t way);
  /**
   * Runs an operation to its end, or returns `CAIRN_ERR_DECLINED`. Required.
   */
  cairn_status_t (*run)(cairn_instance_t *instance,
                        const cairn_comm_t *comm,
                        void *module,
                        const struct cairn_coll_args_t *args);
  /**
   * Starts an operation and stores its request. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*start)(cairn_instance_t *instance,
                          const cairn_comm_t *comm,
                          void *module,
                          const struct cairn_coll_args_t *args,
                          cairn_request_t **request);
  /**
   * Makes a persistent request. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*init)(cairn_instance_t *instance,
                         const cairn_comm_t *comm,
                         void *module,
                         const struct cairn_coll_args_t *args,
                         cairn_request_t **request);
  /**
   * How many operations with requests are started on a communicator and not complete,
   * also such whose requests were freed. Any thread, no lock held. Default: 0.
   */
  uint64_t (*pending)(cairn_instance_t *instance, const cairn_comm_t *comm, void *module);
};

#endif  /* CAIRN_COLL_H */
