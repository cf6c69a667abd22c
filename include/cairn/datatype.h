/*
 * Cairn MPI: <cairn/datatype.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A datatype, as far as components see it.
 */

#ifndef CAIRN_DATATYPE_H
#define CAIRN_DATATYPE_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_datatype_t.flags`: elements lie one behind the other without holes, so that `count` of them
 * are `count * size` bytes from the buffer's address plus `true_lb`.
 */
#define CAIRN_DATATYPE_CONTIGUOUS 1

/**
 * `cairn_datatype_t.flags`: one of the predefined types; `predefined` is its ABI number.
 */
#define CAIRN_DATATYPE_PREDEFINED 2

/**
 * `cairn_datatype_t.flags`: a predefined type of integers, whose sums wrap around as those of the processor do.
 */
#define CAIRN_DATATYPE_INTEGER 4

/**
 * `cairn_op_t.flags`: operands may be swapped.
 */
#define CAIRN_OP_COMMUTATIVE 1

/**
 * `cairn_op_t.flags`: `MPI_REPLACE`, the operand replaces what is there; `apply` is not to be called.
 */
#define CAIRN_OP_REPLACE 2

/**
 * `cairn_op_t.flags`: `MPI_NO_OP`, what is there stays; `apply` is not to be called.
 */
#define CAIRN_OP_NOTHING 4

/**
 * `cairn_op_t.predefined`: `MPI_SUM`.
 */
#define CAIRN_OP_SUM 33

/**
 * `cairn_op_t.predefined`: `MPI_BAND`.
 */
#define CAIRN_OP_BAND 40

/**
 * `cairn_op_t.predefined`: `MPI_BOR`.
 */
#define CAIRN_OP_BOR 41

/**
 * `cairn_op_t.predefined`: `MPI_BXOR`.
 */
#define CAIRN_OP_BXOR 42

/**
 * A piece of memory.
 */
struct cairn_segment_t {
  /**
   * Its first byte.
   */
  void *address;
  /**
   * Its length in bytes.
   */
  size_t len;
};

/**
 * A datatype. Allocated by the MPI layer and constant after the commit.
 */
struct cairn_datatype_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_DATATYPE_*`.
   */
  uint32_t flags;
  /**
   * Bytes of data in one element.
   */
  uint64_t size;
  /**
   * Bytes from one element to the next.
   */
  int64_t extent;
  /**
   * Where the data of one element begins.
   */
  int64_t true_lb;
  /**
   * Bytes from the first to the last byte of data of one element.
   */
  int64_t true_extent;
  /**
   * The ABI number of a predefined type, otherwise 0.
   */
  uint32_t predefined;
  /**
   * The ABI number of the one predefined type that it is made of, itself if it is predefined; 0 if it is made
   * of several or none.
   */
  uint32_t element;
  /**
   * Moves at most `len` bytes of data from the user's buffer to `packed`, advances the cursor
   * and returns how many. Any thread; no lock.
   */
  size_t (*pack)(struct cairn_cursor_t *cursor, void *packed, size_t len);
  /**
   * The way back: moves at most `len` bytes from `packed` into the user's buffer.
   */
  size_t (*unpack)(struct cairn_cursor_t *cursor, const void *packed, size_t len);
  /**
   * Stores at most `capacity` pieces of the user's memory that hold the next bytes of data, at
   * most `*len` of them, in `segments`; advances the cursor, stores the bytes in `len` and
   * returns the number of pieces.
   */
  size_t (*segments)(struct cairn_cursor_t *cursor,
                     struct cairn_segment_t *segments,
                     size_t capacity,
                     size_t *len);
  /**
   * The MPI layer's own.
   */
  void *object;
};

/**
 * Where a walk through `count` elements of a type in a buffer stands. Lives on its user's stack
 * or in a request; it owns nothing and may be dropped or copied at any time.
 *
 * A walk begins anywhere: the maker of a cursor sets `position` and zeroes `state`, and the type
 * engine finds the place at the first call.
 */
struct cairn_cursor_t {
  /**
   * The type that is walked.
   */
  const struct cairn_datatype_t *datatype;
  /**
   * The user's buffer.
   */
  void *buffer;
  /**
   * Elements.
   */
  uint64_t count;
  /**
   * Bytes of data that have been passed, from 0 to `count * datatype.size`.
   */
  uint64_t position;
  /**
   * The type engine's own.
   */
  uint64_t state[4];
};

/**
 * A reduction operation. Allocated by the MPI layer and constant.
 */
struct cairn_op_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_OP_*`.
   */
  uint32_t flags;
  /**
   * The ABI number of a predefined operation, otherwise 0.
   */
  uint32_t predefined;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * `inout[i] = in[i] op inout[i]` for `count` elements. Any thread; no lock. The buffers do
   * not overlap.
   */
  void (*apply)(const struct cairn_op_t *op,
                const void *input,
                void *inout,
                uint64_t count,
                const struct cairn_datatype_t *datatype);
  /**
   * The MPI layer's own.
   */
  void *object;
};

#endif  /* CAIRN_DATATYPE_H */
