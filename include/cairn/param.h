/*
 * Cairn MPI: <cairn/param.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * MCA parameters as components register and read them.
 */

#ifndef CAIRN_PARAM_H
#define CAIRN_PARAM_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_param_spec_t.kind`: yes or no. The cell holds 0 or 1.
 */
#define CAIRN_PARAM_BOOL 0

/**
 * `cairn_param_spec_t.kind`: a whole number. The cell holds an `int64_t`.
 */
#define CAIRN_PARAM_INTEGER 1

/**
 * `cairn_param_spec_t.kind`: a number of bytes; users may write `4k`, `1m`, `2g`. The cell holds a
 * `uint64_t`.
 */
#define CAIRN_PARAM_SIZE 2

/**
 * `cairn_param_spec_t.kind`: text. The cell holds a `const char *`.
 */
#define CAIRN_PARAM_STRING 3

/**
 * `cairn_param_spec_t.kind`: one of `cairn_param_spec_t.choices`. The cell holds its index, from 0.
 */
#define CAIRN_PARAM_CHOICE 4

/**
 * `cairn_param_spec_t.kind`: words separated by commas. The cell holds a `const char *` to them, with
 * blanks around the words removed.
 */
#define CAIRN_PARAM_LIST 5

/**
 * `cairn_param_spec_t.flags`: may be changed while the program runs, through MPI_T.
 */
#define CAIRN_PARAM_WRITABLE 1

/**
 * `cairn_param_spec_t.flags`: all processes of a job must have the same value.
 */
#define CAIRN_PARAM_SAME 2

/**
 * Where the value of a parameter lies. Reading it is one relaxed 8-byte load.
 *
 * Lives as long as the process. A string that was replaced at run time stays readable.
 */
struct cairn_param_cell_t {
  /**
   * What `kind` says. Only the host writes it.
   */
  uint64_t value;
};

/**
 * What a component says about one parameter. Strings need to live only during the call.
 */
struct cairn_param_spec_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * One of `CAIRN_PARAM_BOOL` and the others.
   */
  uint32_t kind;
  /**
   * `CAIRN_PARAM_WRITABLE` and `CAIRN_PARAM_SAME`, or 0.
   */
  uint32_t flags;
  /**
   * Its audience: 1 to 3 users, 4 to 6 tuning, 7 to 9 developers; in each the
   * first is basic, the second detailed and the third everything (MPI 5.0, 15.3.1). Required: 0 is
   * refused. `cairn-info --param` shows up to level 3 unless it is asked for more.
   */
  uint32_t level;
  /**
   * The name without the component's, `eager_limit` for `btl_sm_eager_limit`: lower-case letters,
   * digits and underscores. Required.
   */
  const char *name;
  /**
   * What it does, in a sentence or two. Required: a parameter without help is refused.
   */
  const char *help;
  /**
   * What it counts, such as `bytes` or `us`. May be null.
   */
  const char *unit;
  /**
   * The default, written as a user would. It must be one of the values that are allowed.
   */
  const char *default_value;
  /**
   * The smallest value allowed of an integer or a size, which is itself allowed. Other kinds
   * ignore it. `INT64_MIN` for an integer without a limit; below zero counts as 0 for a size.
   */
  int64_t min;
  /**
   * The largest value allowed of an integer or a size, which is itself allowed. Other kinds ignore
   * it. `INT64_MAX` for no limit. Both limits always hold: left at 0, they allow nothing but 0.
   */
  int64_t max;
  /**
   * For a choice: its words, separated by commas. Ignored for other kinds.
   */
  const char *choices;
  /**
   * Other full names of the same parameter, separated by commas, such as Open MPI's. May be null.
   */
  const char *synonyms;
  /**
   * Former full names, separated by commas: they work, and a warning names the new one. May be
   * null.
   */
  const char *deprecated_synonyms;
  /**
   * When the parameter itself is on its way out: what to use instead. Otherwise null.
   */
  const char *deprecated;
  /**
   * Called after a writable parameter changed, on the thread that changed it, with no lock of
   * the host held. The cell holds the new value. May be null.
   */
  void (*changed)(void *context, const struct cairn_param_cell_t *cell);
  /**
   * Passed to `changed`.
   */
  void *changed_context;
};

/* The value of a CAIRN_PARAM_BOOL, CAIRN_PARAM_SIZE or CAIRN_PARAM_CHOICE. */
static inline uint64_t cairn_param_unsigned(const cairn_param_cell_t *cell)
{
  return __atomic_load_n(&cell->value, __ATOMIC_RELAXED);
}

/* The value of a CAIRN_PARAM_INTEGER. */
static inline int64_t cairn_param_integer(const cairn_param_cell_t *cell)
{
  return (int64_t)__atomic_load_n(&cell->value, __ATOMIC_RELAXED);
}

/* The value of a CAIRN_PARAM_STRING or CAIRN_PARAM_LIST. */
static inline const char *cairn_param_string(const cairn_param_cell_t *cell)
{
  return (const char *)(uintptr_t)__atomic_load_n(&cell->value, __ATOMIC_ACQUIRE);
}

#endif  /* CAIRN_PARAM_H */
