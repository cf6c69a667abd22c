/*
 * Cairn MPI: <cairn/component.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The descriptor by which a component introduces itself, and its life.
 *
 * A shared library exports one function, `cairn_components`, that returns an array of descriptors;
 * a component that is linked in submits the same descriptor at link time. From there on both go
 * the same way:
 *
 * ```text
 *   found ── checks ──> register_params ──> open ──> query ... ──> close
 *     │                       │               │
 *     └── refused, and the reason is kept for cairn-info and the selection report
 * ```
 *
 * The host calls the functions below from one thread at a time and holds its life-cycle lock while
 * it does. They may call anything in the host table, but from the thread that they were called on:
 * a function that needs the life-cycle lock (`pool_add` is one) lets this thread pass and makes
 * another one wait, for ever if `open` or `query` waits for that thread to finish. So threads that a
 * component starts leave the host table alone until the function has returned.
 *
 * A library is never unmapped once it was opened (`RTLD_NODELETE`): threads, thread-local
 * destructors and callbacks of a component stay valid.
 */

#ifndef CAIRN_COMPONENT_H
#define CAIRN_COMPONENT_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/host.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * Major version of the plugin ABI: the descriptor, the host table and the contracts of all frameworks.
 * 0 until the first release: the host then loads components of the very same version only.
 */
#define CAIRN_ABI_MAJOR 0

/**
 * Minor version of the plugin ABI. While the major version is 0, each change of a struct or a table
 * raises it.
 */
#define CAIRN_ABI_MINOR 8

/**
 * First word of every descriptor ("CAIR"): what does not start with it is not a descriptor.
 */
#define CAIRN_MAGIC 1380532547

/**
 * One component in one host: what both sides pass to each other as `self`.
 *
 * Allocated by the host before `register_params`, and valid as long as the process lives.
 */
struct cairn_instance_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * The host's functions. Constant.
   */
  const cairn_host_t *host;
  /**
   * The component's own. The host sets it to null before `register_params` and never touches
   * it again.
   */
  void *state;
  /**
   * Framework and name, `cri_dedicated`. Constant.
   */
  const char *name;
  /**
   * The host's own. Components leave it alone.
   */
  void *host_private;
};

/**
 * A component: its name, its framework, and the functions of its life.
 *
 * Names consist of lower-case letters, digits and underscores and begin with a letter. The
 * framework's name and the component's together (`btl_sm`) name its parameters, its file and its
 * log lines.
 */
struct cairn_component_t {
  /**
   * `CAIRN_MAGIC`.
   */
  uint32_t magic;
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_ABI_MAJOR` of the author's header.
   */
  uint16_t abi_major;
  /**
   * `CAIRN_ABI_MINOR` of the author's header.
   */
  uint16_t abi_minor;
  /**
   * The component's own version, major part.
   */
  uint16_t version_major;
  /**
   * The component's own version, minor part.
   */
  uint16_t version_minor;
  /**
   * The component's own version, patch part.
   */
  uint16_t version_patch;
  /**
   * Zero.
   */
  uint16_t reserved[3];
  /**
   * The framework it belongs to, such as `cri`.
   */
  const char *framework;
  /**
   * Its name in that framework, such as `dedicated`.
   */
  const char *name;
  /**
   * One line that tells a user what it is, without a full stop.
   */
  const char *description;
  /**
   * Registers the component's parameters through `self->host->param_register`. May be null.
   *
   * Called first, also by tools that only list; it must not touch devices. Keep what it makes
   * in `self->state`. A failure makes the component unusable.
   */
  cairn_status_t (*register_params)(struct cairn_instance_t *instance);
  /**
   * Makes the component ready: finds devices, allocates. Required.
   *
   * Called at most once between a `register_params` and a `close`. `CAIRN_ERR_UNAVAILABLE`
   * says that it can't be used here and is no fault unless the user asked for it by name.
   */
  cairn_status_t (*open)(struct cairn_instance_t *instance);
  /**
   * Says with which priority the component would serve `scope`, by storing it in `priority`
   * (0 to 100, the highest wins; ties go to the name that sorts first). Required.
   *
   * Called after `open`, any number of times, for the process and for each communicator,
   * window or file where the framework chooses per scope. A status other than
   * `CAIRN_OK` declines; the reason, which users see, goes to the host's `fail` before.
   */
  cairn_status_t (*query)(struct cairn_instance_t *instance,
                          const cairn_scope_t *scope,
                          int32_t *priority);
  /**
   * Releases everything. Required.
   *
   * Called once for each `register_params` that succeeded (or, without one, for each `open`), also
   * when `open` failed. What the component registered with the host is gone already: its progress
   * callbacks are no longer running on any thread.
   */
  void (*close)(struct cairn_instance_t *instance);
  /**
   * The framework's own table of functions, `const cairn_<framework>_ops_t *`, beginning with
   * its `struct_size`. Required.
   */
  const void *ops;
  /**
   * Other names under which users may know the component, separated by commas, or
   * null. They are accepted in selection lists.
   */
  const char *aliases;
};

/**
 * Stores the number of descriptors in `count` and returns an array of that many pointers.
 *
 * Called once, right after the library was loaded, before anything else of it. The array and
 * the descriptors stay valid and unchanged as long as the process lives.
 */
typedef const struct cairn_component_t *const *(*cairn_components_fn_t)(uint32_t *count);

/*
 * The first fields of a descriptor, up to the version of the ABI, for its initialiser:
 *
 *   static const cairn_component_t mine = {
 *     CAIRN_COMPONENT_HEAD,
 *     .version_major = 1,
 *     .framework = "cri",
 *     .name = "mine",
 *     ...
 *
 * C++20 wants the fields in the order of the struct, which this is.
 */
#define CAIRN_COMPONENT_HEAD                                                                       \
  .magic = CAIRN_MAGIC, .struct_size = sizeof(cairn_component_t), .abi_major = CAIRN_ABI_MAJOR,    \
  .abi_minor = CAIRN_ABI_MINOR

/* Makes the function that follows visible outside of a library built with -fvisibility=hidden. */
#define CAIRN_EXPORT __attribute__((visibility("default")))

/*
 * The one function that a component library exports. This declaration exports it; its definition
 * needs no CAIRN_EXPORT of its own.
 */
#ifdef __cplusplus
extern "C"
#endif
CAIRN_EXPORT const cairn_component_t *const *cairn_components(uint32_t *count);

#endif  /* CAIRN_COMPONENT_H */
