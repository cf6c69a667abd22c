/*
 * Cairn MPI: <cairn/pml.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **pml** — point-to-point messaging layer: MPI's messages over transports.
 *
 * It matches receives with arriving messages, keeps MPI's order, chooses a protocol by size
 * (immediate, eager, rendezvous) and drives the transports. The MPI layer above has checked the
 * arguments, deals with `MPI_PROC_NULL` and buffered sends, and waits on the requests.
 *
 * **Life.** One component serves the whole process, and every process of the job has selected the
 * same (checked at start). `comm_open` comes before the first operation on a communicator. When the
 * program has freed it and the last operation has ended, `comm_close` ends its messages, and
 * `comm_free` comes when no pass of the progress engine is left that began before. Processes do not
 * wait for each other to free a communicator: messages for one that is not open here arrive before
 * `comm_open` as well as after `comm_close`.
 *
 * **Threads and locks.** `comm_open`, `comm_close` and `comm_free` may be called by several threads at
 * a time, for different communicators. All other functions are hot: any thread, no lock held. They
 * take the lock of the CRI they send on, and what the matching engine needs.
 *
 * **Requests.** The component allocates them; each begins with a
 * `cairn_request_t`. A send that is finished at once may hand out one
 * shared request that is always complete. The user's buffer belongs to the operation from the call
 * until the request is complete; buffer, datatype and communicator outlive it.
 *
 * **Failure.** Functions return an error only when the operation was not started. What goes wrong
 * later is in the request's status. When a peer has failed, operations that name it end with
 * `CAIRN_ERR_PEER`, also those that begin later; but a message of it that has arrived whole is
 * received. A receive from anybody ends so when all others of the communicator have failed.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_PML_H
#define CAIRN_PML_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/comm.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/datatype.h>
#include <cairn/peer.h>
#include <cairn/pool.h>
#include <cairn/request.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_pml_receive_t.source`: from anybody.
 */
#define CAIRN_PML_ANY_SOURCE -1

/**
 * `cairn_pml_receive_t.tag`: any tag that is not negative.
 */
#define CAIRN_PML_ANY_TAG -2

/**
 * `cairn_pml_send_t.mode`: completes when the buffer is free (`MPI_Send`).
 */
#define CAIRN_PML_STANDARD 0

/**
 * `cairn_pml_send_t.mode`: completes when the receive has matched (`MPI_Ssend`).
 */
#define CAIRN_PML_SYNCHRONOUS 1

/**
 * `cairn_pml_send_t.mode`: the receive is posted already (`MPI_Rsend`).
 */
#define CAIRN_PML_READY 2

/**
 * A message to send.
 */
struct cairn_pml_send_t {
  /**
   * The user's buffer.
   */
  const void *buffer;
  /**
   * Elements.
   */
  uint64_t count;
  /**
   * Their type.
   */
  const cairn_datatype_t *datatype;
  /**
   * The communicator.
   */
  const cairn_comm_t *comm;
  /**
   * Rank of the receiver in the communicator's (remote) group.
   */
  uint32_t peer;
  /**
   * Tag, negative only for the library's own messages.
   */
  int32_t tag;
  /**
   * `CAIRN_PML_STANDARD` and the others.
   */
  uint32_t mode;
  /**
   * Zero.
   */
  uint32_t reserved;
};

/**
 * A message to receive.
 */
struct cairn_pml_receive_t {
  /**
   * The user's buffer.
   */
  void *buffer;
  /**
   * Elements it has room for.
   */
  uint64_t count;
  /**
   * Their type.
   */
  const cairn_datatype_t *datatype;
  /**
   * The communicator.
   */
  const cairn_comm_t *comm;
  /**
   * Rank of the sender in the communicator's (remote) group, or `CAIRN_PML_ANY_SOURCE`.
   */
  int32_t source;
  /**
   * Tag or `CAIRN_PML_ANY_TAG`.
   */
  int32_t tag;
};

/**
 * Point-to-point functions.
 */
struct cairn_pml_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * A communicator was made; prepares its matching. Set-up. Required.
   */
  cairn_status_t (*comm_open)(cairn_instance_t *instance, cairn_comm_t *comm);
  /**
   * A communicator was freed and no operation is in flight on it: what arrives for it from now on
   * is dropped. The view stays until `comm_free`. Also in a pass of the progress engine. Required.
   */
  void (*comm_close)(cairn_instance_t *instance, cairn_comm_t *comm);
  /**
   * Sends and returns when the buffer is free (or, synchronous, when it was matched). Hot.
   * Required.
   */
  cairn_status_t (*send)(cairn_instance_t *instance, const struct cairn_pml_send_t *send);
  /**
   * Starts a send and stores its request. Hot. Required.
   */
  cairn_status_t (*isend)(cairn_instance_t *instance,
                          const struct cairn_pml_send_t *send,
                          cairn_request_t **request);
  /**
   * Receives; `CAIRN_ERR_TRUNCATED` when the message was longer than the buffer. The status is
   * stored as soon as a message was matched, whatever became of it, and its error is what the
   * function returns. Hot. Required.
   */
  cairn_status_t (*recv)(cairn_instance_t *instance,
                         const struct cairn_pml_receive_t *receive,
                         cairn_message_status_t *status);
  /**
   * Starts a receive and stores its request. Hot. Required.
   */
  cairn_status_t (*irecv)(cairn_instance_t *instance,
                          const struct cairn_pml_receive_t *receive,
                          cairn_request_t **request);
  /**
   * Makes a persistent send, not started, whose request has `start`. Required.
   */
  cairn_status_t (*send_init)(cairn_instance_t *instance,
                              const struct cairn_pml_send_t *send,
                              cairn_request_t **request);
  /**
   * Makes a persistent receive, not started, whose request has `start`. Required.
   */
  cairn_status_t (*recv_init)(cairn_instance_t *instance,
                              const struct cairn_pml_receive_t *receive,
                              cairn_request_t **request);
  /**
   * Looks for a message that `receive` (its buffer is not looked at) would match:
   * `CAIRN_DONE` and its status, or `CAIRN_NOTHING`. With `blocking` 1 it waits for one. If
   * `message` is not null the message is taken out of matching and stored there, to be received
   * with `mrecv`. Required.
   */
  cairn_outcome_t (*probe)(cairn_instance_t *instance,
                           const struct cairn_pml_receive_t *receive,
                           uint32_t blocking,
                           void **message,
                           cairn_message_status_t *status);
  /**
   * Starts to receive a message that `probe` took out. Required.
   */
  cairn_status_t (*mrecv)(cairn_instance_t *instance,
                          void *message,
                          const struct cairn_pml_receive_t *receive,
                          cairn_request_t **request);
  /**
   * Writes the state of a communicator's queues as text for a person and returns the length of
   * the whole text. Any thread. Default: an empty text.
   */
  size_t (*describe)(cairn_instance_t *instance,
                     const cairn_comm_t *comm,
                     char *text,
                     size_t capacity);
  /**
   * Returns when nothing that peers still need of this process waits here to be sent,
   * as `comm_close` of the last communicator does: the process may end or stay away for long.
   * Communicators stay open. Any thread, with no lock held. Default: nothing.
   */
  void (*flush)(cairn_instance_t *instance);
  /**
   * A peer has failed; once for each. Any thread, perhaps in the progress function of
   * a transport with an instance's lock held: the component only takes note, and ends operations
   * in a progress callback. Default: nothing, so they wait for ever.
   */
  void (*peer_failed)(cairn_instance_t *instance, const cairn_peer_t *peer);
  /**
   * Every pass of the progress engine is over that began before `comm_close` returned:
   * frees what the communicator had. Outside of passes, no lock held. Default: nothing.
   */
  void (*comm_free)(cairn_instance_t *instance, cairn_comm_t *comm);
  /**
   * How many operations on a communicator are not complete, also such whose requests
   * were freed: `MPI_Comm_disconnect` waits until there is none. 0 is exact when no thread begins
   * another one meanwhile. Any thread, no lock held. Default: 0.
   */
  uint64_t (*pending)(cairn_instance_t *instance, const cairn_comm_t *comm);
  /**
   * Adds to `cris` where the events can come from that complete a request of this
   * component: for a send the CRI it was given to and where the receiver's answers arrive, for a
   * receive where messages of its source arrive. Hot; any thread. The request was not complete a moment
   * ago and may be by now, but is not freed. Default: nothing, so that it is not known.
   */
  void (*cris_of)(cairn_instance_t *instance, const cairn_request_t *request, cairn_cri_set_t *cris);
};

#endif  /* CAIRN_PML_H */
