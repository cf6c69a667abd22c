/*
 * Cairn MPI: <cairn/job.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The job a process belongs to.
 */

#ifndef CAIRN_JOB_H
#define CAIRN_JOB_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_job_t.thread_level`: only one thread (`MPI_THREAD_SINGLE`).
 */
#define CAIRN_THREAD_SINGLE 0

/**
 * `cairn_job_t.thread_level`: only the main thread calls MPI (`MPI_THREAD_FUNNELED`).
 */
#define CAIRN_THREAD_FUNNELED 1024

/**
 * `cairn_job_t.thread_level`: one thread at a time calls MPI (`MPI_THREAD_SERIALIZED`).
 */
#define CAIRN_THREAD_SERIALIZED 2048

/**
 * `cairn_job_t.thread_level`: any thread at any time (`MPI_THREAD_MULTIPLE`).
 */
#define CAIRN_THREAD_MULTIPLE 4096

/**
 * The place of this process among the others. Constant once components are opened.
 */
struct cairn_job_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Rank of this process in the job, its rank in `MPI_COMM_WORLD`.
   */
  uint32_t rank;
  /**
   * Processes in the job.
   */
  uint32_t size;
  /**
   * Rank among the processes of this node.
   */
  uint32_t local_rank;
  /**
   * Processes of the job on this node.
   */
  uint32_t local_size;
  /**
   * One of `CAIRN_THREAD_*`. Below `CAIRN_THREAD_MULTIPLE` the host calls a component from one
   * thread at a time (background threads that a component starts are its own business).
   */
  uint32_t thread_level;
  /**
   * Processors that this process may run on.
   */
  uint32_t cores;
  /**
   * Processors that the processes of the job on this node may use together; 0 when
   * that is unknown.
   */
  uint32_t node_cores;
  /**
   * Name of the job, unique on the machine while it runs. Fit for file names.
   */
  const char *id;
  /**
   * What only the processes of the job know; acceptors ask for it before they read
   * anything else, and compare in constant time.
   */
  uint8_t secret[16];
  /**
   * How many passes in a row without an event a thread makes for what may come at once, before it leaves
   * the waiting to the `wait` component. The host makes it from the parameter `wait_polls` when the job is
   * set; until then it is the most that the process's `progress` component bears.
   */
  uint32_t wait_polls;
  /**
   * 1 when a lock may stay with a thread that takes it many times in a row, as the parameter
   * `mca_lock_bias` says and every component bears. Set by the host.
   */
  uint32_t lock_bias;
};

#endif  /* CAIRN_JOB_H */
