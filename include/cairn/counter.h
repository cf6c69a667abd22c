/*
 * Cairn MPI: <cairn/counter.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Software performance counters.
 *
 * A counter has as many cells as its owner likes, one for each CRI or one for each thread. They lie
 * where the rest of the CRI or of the thread's state lies, on its cache lines, so that no two threads
 * write one line. The owner counts with a plain relaxed add (or, where only one thread or the holder
 * of a lock writes, a load and a store); the host combines the cells when somebody reads
 * (dissertation §5.4).
 */

#ifndef CAIRN_COUNTER_H
#define CAIRN_COUNTER_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_counter_spec_t.kind`: only grows; cells are added up (`MPI_T_PVAR_CLASS_COUNTER`).
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
   * Who needs to know it, as for parameters.
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
