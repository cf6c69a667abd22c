/*
 * Cairn MPI: <cairn/scope.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a choice is made for: the process, a communicator, a window or a file.
 */

#ifndef CAIRN_SCOPE_H
#define CAIRN_SCOPE_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_scope_t.kind`: the whole process.
 */
#define CAIRN_SCOPE_PROCESS 0

/**
 * `cairn_scope_t.kind`: a communicator. The scope is the head of a `cairn_comm_t`.
 */
#define CAIRN_SCOPE_COMMUNICATOR 1

/**
 * `cairn_scope_t.kind`: a window.
 */
#define CAIRN_SCOPE_WINDOW 2

/**
 * `cairn_scope_t.kind`: a file.
 */
#define CAIRN_SCOPE_FILE 3

/**
 * Private slots of a scope; a component reserves the index of one with `scope_slot_reserve`.
 */
#define CAIRN_SCOPE_SLOTS 16

/**
 * A communicator, window, file or the process, as far as every framework sees it.
 *
 * Allocated by the host side. Larger views embed it as their first field.
 */
struct cairn_scope_t {
  /**
   * Size in bytes of this struct, or of the larger one that begins with it.
   */
  uint32_t struct_size;
  /**
   * One of `CAIRN_SCOPE_*`.
   */
  uint32_t kind;
  /**
   * Number of the scope, unique in the process among living scopes of its kind. 0 for the process.
   */
  uint32_t id;
  /**
   * Ranks in it.
   */
  uint32_t size;
  /**
   * What to call it in reports, such as `MPI_COMM_WORLD`.
   */
  const char *name;
  /**
   * Copies the value of an info key into `value` (at most `capacity` bytes with the NUL) and
   * returns its length without the NUL, or -1 when the key is not set. Null when the scope
   * has no info.
   */
  ptrdiff_t (*info)(const struct cairn_scope_t *scope, const char *key, char *value, size_t capacity);
  /**
   * One pointer for each component that reserved a slot. Written by its owner only while no
   * other thread can use the scope: in the framework's functions that are called when a scope
   * is made and freed. Null before.
   */
  void *slots[CAIRN_SCOPE_SLOTS];
};

#endif  /* CAIRN_SCOPE_H */
