/*
 * Cairn MPI: <cairn/pmi.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **pmi** — how the job was launched, and the exchange of small data at start-up.
 *
 * A component speaks one protocol of process managers (PMI-1, PMI-2, PMIx) or stands for a process
 * that no launcher started (*singleton*). `query` looks at the environment and declines when its
 * protocol is not there, so that the right one is found without a parameter.
 *
 * **Life.** `connect` before transports open; then `put`, `fence` and `get` any number of times;
 * `disconnect` at the end. A process that ends without `disconnect` has failed, to most process
 * managers. After `disconnect` a process may come back with `connect`, of the same instance or of
 * another one, which fails if the process manager does not take it back.
 *
 * **Threads and locks.** Called with no lock of an instance held. Functions may wait for the process
 * manager. `connect`, `disconnect` and the fences are called by one thread at a time. `put`, `get`,
 * `publish` and `lookup` may be called by any thread at any time between `connect` and `disconnect`,
 * also while another thread is in a fence and from what `fence_with` calls: a process that a fence waits
 * for may itself wait for a message to which the value leads. They must not wait for the fence's end.
 * `abort` may be called by any thread at any time, also while another waits.
 *
 * **Limits.** Values are bytes of any kind, up to 64 KiB; the component encodes and cuts them to
 * what its protocol can carry. Keys are printable, without blanks, up to 63 bytes.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_PMI_H
#define CAIRN_PMI_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_pmi_job_t`: bytes of its texts with the NUL.
 */
#define CAIRN_PMI_TEXT 256

/**
 * What the process manager says about the job.
 */
struct cairn_pmi_job_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Rank of this process.
   */
  uint32_t rank;
  /**
   * Processes.
   */
  uint32_t size;
  /**
   * Number of the application among those started together (`MPI_APPNUM`), or -1.
   */
  int32_t appnum;
  /**
   * Processes there could be (`MPI_UNIVERSE_SIZE`), or -1.
   */
  int32_t universe;
  /**
   * 1 when `MPI_Comm_spawn` started this job.
   */
  uint32_t spawned;
  /**
   * Rank among the processes of this node.
   */
  uint32_t local_rank;
  /**
   * Processes of the job on this node.
   */
  uint32_t local_size;
  /**
   * Nodes that the job runs on; 0 if the process manager does not say which rank runs where, and then
   * `node_of` is of no use either.
   */
  uint32_t nodes;
  /**
   * The job's name, NUL-terminated.
   */
  char id[CAIRN_PMI_TEXT];
  /**
   * The launcher, in words, such as `mpirun of Cairn MPI` or `hydra`. NUL-terminated.
   */
  char launcher[CAIRN_PMI_TEXT];
};

/**
 * Functions of a launch protocol.
 */
struct cairn_pmi_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Connects to the process manager and fills in the job. Required.
   */
  cairn_status_t (*connect)(cairn_instance_t *instance, struct cairn_pmi_job_t *job);
  /**
   * Publishes a value of this process; peers see it after the next fence. Required.
   */
  cairn_status_t (*put)(cairn_instance_t *instance, const char *key, const void *value, size_t len);
  /**
   * Waits until every process has called it. Required.
   */
  cairn_status_t (*fence)(cairn_instance_t *instance);
  /**
   * Copies the value that `rank` published before the last fence into `value`, at most
   * `capacity` bytes, and stores its whole length in `len`. `CAIRN_ERR_NOT_FOUND` when there is
   * none. Required.
   */
  cairn_status_t (*get)(cairn_instance_t *instance,
                        uint32_t rank,
                        const char *key,
                        void *value,
                        size_t capacity,
                        size_t *len);
  /**
   * Asks for the end of the whole job with `code`. May return; the caller then exits. Required.
   */
  void (*abort)(cairn_instance_t *instance, int32_t code, const char *text);
  /**
   * Takes leave of the process manager. Required.
   */
  cairn_status_t (*disconnect)(cairn_instance_t *instance);
  /**
   * Publishes a port name for other jobs (`MPI_Publish_name`), or withdraws it if `port` is null.
   * Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*publish)(cairn_instance_t *instance, const char *service, const char *port);
  /**
   * Copies the port name that a job published; `CAIRN_ERR_TRUNCATED` if `capacity` bytes with the
   * NUL are too few. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*lookup)(cairn_instance_t *instance,
                           const char *service,
                           char *port,
                           size_t capacity);
  /**
   * Stores the number of the node that `rank` runs on, below the job's `nodes`: ranks with one
   * number share a machine. May be called from any thread between `connect` and the close.
   * Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*node_of)(cairn_instance_t *instance, uint32_t rank, uint32_t *node);
  /**
   * As `fence`, and calls `progress`, unless it is null, with `context` again and again while it
   * waits, on this thread. Processes may mix it with `fence`. `progress` returns how much it has
   * done; after calls that did nothing the process may sleep, a millisecond at most, before the next
   * one. `progress` may call `put`, `get`, `publish`, `lookup` and `abort` of this table. Default:
   * `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*fence_with)(cairn_instance_t *instance,
                               uint32_t (*progress)(void *context),
                               void *context);
};

/**
 * What `cairn_pmi_ops_t.fence_with` calls while it waits.
 */
typedef uint32_t (*cairn_pmi_progress_t)(void *context);

#endif  /* CAIRN_PMI_H */
