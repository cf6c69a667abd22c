/*
 * Cairn MPI: <cairn/counter.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Software performance counters.
 *
 * A counter has as many cells as its owner likes, one for each CRI or one for each thread. They lie
 * where the rest of the CRI or of the thread's state lies, on its cache lines, so that no two threads
 * write one line. The owner counts with a load and a store where only one thread or the holder of a
 * lock writes, and with a relaxed add otherwise; the host combines the cells when a counter is read
 * (dissertation §5.4). The parameter `counters` says whether they are wanted.
 */

#ifndef CAIRN_COUNTER_H
#define CAIRN_COUNTER_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/comm.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_counter_spec_t.kind`: occurrences of something; only grows, cells are added up
 * (`MPI_T_PVAR_CLASS_COUNTER`).
 */
#define CAIRN_COUNTER_SUM 0

/**
 * `cairn_counter_spec_t.kind`: goes up and down; cells are added up (`MPI_T_PVAR_CLASS_LEVEL`).
 */
#define CAIRN_COUNTER_LEVEL 1

/**
 * `cairn_counter_spec_t.kind`: the largest seen; the largest cell counts
 * (`MPI_T_PVAR_CLASS_HIGHWATERMARK`).
 */
#define CAIRN_COUNTER_MAXIMUM 2

/**
 * `cairn_counter_spec_t.kind`: the smallest seen; the smallest cell counts, and one that holds
 * `UINT64_MAX` has seen nothing (`MPI_T_PVAR_CLASS_LOWWATERMARK`).
 */
#define CAIRN_COUNTER_MINIMUM 3

/**
 * `cairn_counter_spec_t.kind`: a sum of amounts, such as bytes; cells are added up
 * (`MPI_T_PVAR_CLASS_AGGREGATE`).
 */
#define CAIRN_COUNTER_AGGREGATE 4

/**
 * `cairn_counter_spec_t.kind`: time spent with something; cells are added up
 * (`MPI_T_PVAR_CLASS_TIMER`).
 */
#define CAIRN_COUNTER_TIMER 5

/**
 * `cairn_counter_spec_t.kind`: how large a resource is; cells are added up (`MPI_T_PVAR_CLASS_SIZE`).
 *
 */
#define CAIRN_COUNTER_SIZE 6

/**
 * Brings a cell up to date; see `cairn_counter_spec_t.refresh`.
 */
typedef void (*cairn_counter_refresh_fn_t)(void *context, const cairn_comm_t *comm);

/**
 * What a counter counts. Strings need to live only during the call.
 */
struct cairn_counter_spec_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * One of `CAIRN_COUNTER_*`.
   */
  uint32_t kind;
  /**
   * Its audience, as for parameters.
   */
  uint32_t level;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * The name without the component's.
   */
  const char *name;
  /**
   * What is counted, in a sentence.
   */
  const char *help;
  /**
   * `messages`, `bytes`, `ns`... May be null.
   */
  const char *unit;
  /**
   * 1 if the counter can be read for each communicator alone as well as for all, by
   * `refresh`; 0 if not.
   */
  uint32_t by_comm;
  /**
   * Zero.
   */
  uint32_t reserved_too;
  /**
   * Called before a tool reads the counter, so that its owner may put into the cell what
   * it knows from elsewhere: for all communicators together, those that are gone among them, if
   * `comm` is null, else for this one, which may have been freed: it is compared with those that
   * the owner knows and not looked into. Not called any more when `counter_remove` has returned. It
   * must not use the host's counters, and takes no lock that is held while they are used. May be
   * null.
   */
  void (*refresh)(void *context, const cairn_comm_t *comm);
  /**
   * Passed to `refresh`.
   */
  void *refresh_context;
};

/**
 * One cell of a counter. Written by its owner only.
 */
struct cairn_counter_cell_t {
  /**
   * The count.
   */
  uint64_t value;
};

#endif  /* CAIRN_COUNTER_H */
