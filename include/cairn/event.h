/*
 * Cairn MPI: <cairn/event.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Events: something happened that a tool may want to hear of at once, with a few numbers that say
 * what (MPI 5.0, section 15.3.8).
 *
 * A component makes its types of events when it opens. Where one happens it looks at
 * `cairn_event_type_t.listeners`, which costs a load, and only if there are listeners it tells the host. The
 * host keeps events in their order and hands them to tools when no lock is held, so an event may be
 * raised anywhere but in a signal handler.
 */

#ifndef CAIRN_EVENT_H
#define CAIRN_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * How many numbers an event can have.
 */
#define CAIRN_EVENT_ELEMENTS 8

/**
 * What a component says about a type of events. Strings need to live only during the call.
 */
struct cairn_event_spec_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Its audience, as for parameters.
   */
  uint32_t level;
  /**
   * The name without the component's.
   */
  const char *name;
  /**
   * What happened then, in a sentence.
   */
  const char *help;
  /**
   * What the numbers of such an event are, separated by commas: `source,tag,bytes`. At most
   * `CAIRN_EVENT_ELEMENTS`. May be null.
   */
  const char *elements;
};

/**
 * A type of events. Made by the host; stays as long as the process.
 */
struct cairn_event_type_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * How many tools want to hear of these events. Only the host writes it.
   */
  uint32_t listeners;
  /**
   * The host's own.
   */
  const void *host_private;
};

#endif  /* CAIRN_EVENT_H */
