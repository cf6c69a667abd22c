/*
 * Cairn MPI: <cairn/host.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The host table: everything a component may ask of the process it lives in.
 *
 * A component links against nothing of ours; it gets this table with its `cairn_instance_t` and calls
 * through it. Unless a function says otherwise it may be called from any thread, with or without
 * a CRI's lock held, and costs a call and a lock of its own: these are for set-up and rare
 * events. What the hot path needs (`cairn_host_t.receive`, `cairn_host_t.job`, parameter cells, pools) is
 * read in place.
 */

#ifndef CAIRN_HOST_H
#define CAIRN_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/counter.h>
#include <cairn/event.h>
#include <cairn/job.h>
#include <cairn/lock.h>
#include <cairn/param.h>
#include <cairn/peer.h>
#include <cairn/pool.h>
#include <cairn/receive.h>
#include <cairn/request.h>
#include <cairn/scope.h>
#include <cairn/status.h>
#include <cairn/thread.h>
#include <cairn/types.h>

/**
 * Log level: something does not work.
 */
#define CAIRN_LOG_ERROR 1

/**
 * Log level: something works worse than the user will expect.
 */
#define CAIRN_LOG_WARN 2

/**
 * Log level: a decision a user may want to see.
 */
#define CAIRN_LOG_INFO 3

/**
 * Log level: for authors that debug a component.
 */
#define CAIRN_LOG_DEBUG 4

/**
 * Log level: every message and event.
 */
#define CAIRN_LOG_TRACE 5

/**
 * How often a progress callback is called: in every pass.
 */
#define CAIRN_PROGRESS_EVERY_PASS 0

/**
 * How often a progress callback is called: in one pass of many (connection set-up, timers),
 * after each whole sleep, and before the process leaves the launcher, from when on `card_get` gets nothing new.
 */
#define CAIRN_PROGRESS_SELDOM 1

/**
 * A progress callback: looks for events once, never waits, and returns how many it handled.
 */
typedef uint32_t (*cairn_progress_fn_t)(void *context);

/**
 * A callback for the end of a thread, called on that thread with no lock held.
 */
typedef void (*cairn_thread_exit_fn_t)(void *context, const cairn_thread_t *thread);

/**
 * Addresses of the process's memory.
 */
struct cairn_memory_range_t {
  /**
   * The first.
   */
  size_t address;
  /**
   * Bytes.
   */
  size_t len;
};

/**
 * The functions of the host. Every function pointer is set.
 */
struct cairn_host_t {
  /**
   * Size of this struct in bytes, as the host has it.
   */
  uint32_t struct_size;
  /**
   * `CAIRN_ABI_MAJOR` of the host.
   */
  uint16_t abi_major;
  /**
   * `CAIRN_ABI_MINOR` of the host.
   */
  uint16_t abi_minor;
  /**
   * The host's own version, such as `0.1.0`.
   */
  const char *version;
  /**
   * `CAIRN_RECEIVE_TAGS` entries, indexed by the tag of an arriving message. Read in place.
   */
  const cairn_receive_entry_t *receive;
  /**
   * The job this process belongs to. Its numbers hold from `open` on.
   */
  const cairn_job_t *job;
  /**
   * Says why a function of the component is about to fail, and returns `status`. Each call
   * replaces the text of the one before on this thread.
   */
  cairn_status_t (*fail)(cairn_instance_t *instance, cairn_status_t status, const char *text);
  /**
   * Copies the reason why a call on this thread last failed, be it of a function of this table or
   * of a component that told `fail`, into `text` (at most `capacity` bytes with the NUL) and
   * returns the length of the whole text.
   */
  size_t (*reason)(cairn_instance_t *instance, char *text, size_t capacity);
  /**
   * Ends the job: prints the component's name and `text`, then exits with `code`. Does not
   * return.
   */
  void (*abort)(cairn_instance_t *instance, int32_t code, const char *text);
  /**
   * Writes a line to the log, under the component's name, if `mca_log` asks for it.
   */
  void (*log)(cairn_instance_t *instance, uint32_t level, const char *text);
  /**
   * Whether `log` would write at this level: 1 or 0. For callers with costly texts.
   */
  int32_t (*log_enabled)(cairn_instance_t *instance, uint32_t level);
  /**
   * Registers a parameter as `<framework>_<component>_<name>`, gives it its value from every
   * source and stores where the value lies in `cell`. Only during `register_params`.
   *
   * Fails with `CAIRN_ERR_ARGUMENT` when the description is not sound or a user's value is not
   * allowed: the component then returns the status. A name already registered by the same
   * component gets the same cell.
   */
  cairn_status_t (*param_register)(cairn_instance_t *instance,
                                   const cairn_param_spec_t *spec,
                                   const cairn_param_cell_t **cell);
  /**
   * Finds a parameter of any component or of the base by its full name; `kind` must be the kind
   * it was registered with. `CAIRN_ERR_NOT_FOUND` when there is none.
   */
  cairn_status_t (*param_find)(cairn_instance_t *instance,
                               const char *name,
                               uint32_t kind,
                               const cairn_param_cell_t **cell);
  /**
   * The calling thread's record; makes one at a thread's first call. Never null. Costs a
   * thread-local read.
   */
  const cairn_thread_t *(*thread_self)(cairn_instance_t *instance);
  /**
   * Asks for a call at the end of every thread that has a record.
   */
  cairn_status_t (*thread_exit_add)(cairn_instance_t *instance,
                                    cairn_thread_exit_fn_t callback,
                                    void *context);
  /**
   * Takes the request back. When it returns the callback is not running and won't be called.
   * Not to be called from the callback.
   */
  void (*thread_exit_remove)(cairn_instance_t *instance,
                             cairn_thread_exit_fn_t callback,
                             void *context);
  /**
   * Takes a lock, sleeping if it must. For C; Rust code has the methods of `cairn_lock_t`. Not for the lock of
   * an instance.
   */
  void (*lock_acquire)(const cairn_lock_t *lock);
  /**
   * Takes a lock if it is free: 1, else 0.
   */
  int32_t (*lock_try)(const cairn_lock_t *lock);
  /**
   * Releases a lock that this thread holds.
   */
  void (*lock_release)(const cairn_lock_t *lock);
  /**
   * Adds a callback to the progress engine; `rate` is one of `CAIRN_PROGRESS_*`. Several threads may
   * be in it at a time: it looks first whether there is something to do, without writing to memory
   * that they share, and tries locks without waiting for them.
   */
  cairn_status_t (*progress_add)(cairn_instance_t *instance,
                                 cairn_progress_fn_t callback,
                                 void *context,
                                 uint32_t rate);
  /**
   * Takes it out again. When it returns the callback is running on no other thread and won't be
   * called; it may be called from inside the callback itself.
   */
  void (*progress_remove)(cairn_instance_t *instance, cairn_progress_fn_t callback, void *context);
  /**
   * Makes one pass of the progress engine and returns how many events were handled. Not from
   * a receive callback, a completion or a progress callback, and with no lock held: behind
   * the pass tools are told of what happened, and may call MPI.
   */
  uint32_t (*progress)(cairn_instance_t *instance);
  /**
   * Waits until `sync` is complete, by the process's `wait` component. With no lock held, and
   * from none of the callbacks.
   */
  cairn_status_t (*wait)(cairn_instance_t *instance, cairn_wait_sync_t *sync);
  /**
   * Gives the framework a pool of CRIs: a strategy is attached to it and progress polls it
   * from now on. The pool must stay where it is until `pool_remove`. Neither function is for
   * receive callbacks, completions and progress callbacks.
   */
  cairn_status_t (*pool_add)(cairn_instance_t *instance, cairn_cri_pool_t *pool);
  /**
   * Takes a pool back. When it returns no thread polls it or asks its strategy.
   */
  void (*pool_remove)(cairn_instance_t *instance, cairn_cri_pool_t *pool);
  /**
   * Handles messages that arrive with `tag`. `CAIRN_ERR_EXISTS` when another component does.
   * Only during `open`.
   */
  cairn_status_t (*receive_register)(cairn_instance_t *instance,
                                     uint8_t tag,
                                     cairn_receive_fn_t callback,
                                     void *context);
  /**
   * Publishes this process's business card of the component: the bytes peers need to connect.
   * Once, during `open`; copied.
   */
  cairn_status_t (*card_put)(cairn_instance_t *instance, const void *data, size_t len);
  /**
   * Fetches the card that the same component of `rank` published. The bytes stay valid as long
   * as the process lives. `CAIRN_ERR_NOT_FOUND` when it published none.
   */
  cairn_status_t (*card_get)(cairn_instance_t *instance,
                             uint32_t rank,
                             const void **data,
                             size_t *len);
  /**
   * Makes a counter known as `<framework>_<component>_<name>`, or adds a cell to one that is.
   * The cell must live until `counter_remove` or until `close` is called, before which the host
   * takes out all that are left. A cell belongs to one counter. When the parameter `counters` is
   * off this does nothing.
   */
  cairn_status_t (*counter_add)(cairn_instance_t *instance,
                                const cairn_counter_spec_t *spec,
                                const cairn_counter_cell_t *cell);
  /**
   * Takes a cell out; what it counted stays in the counter's sum.
   */
  void (*counter_remove)(cairn_instance_t *instance, const cairn_counter_cell_t *cell);
  /**
   * Reserves a private slot in every scope and stores its index. Only during `open`. A process has
   * `CAIRN_SCOPE_SLOTS` for all its components together; `CAIRN_ERR_RESOURCES` when all are taken.
   */
  cairn_status_t (*scope_slot_reserve)(cairn_instance_t *instance, uint32_t *slot);
  /**
   * Finds the component that serves a framework for a scope (null: the process): its table and
   * its instance. Makes the process's choice if the framework was not asked for yet.
   * `CAIRN_ERR_NOT_FOUND` when none can serve. For set-up; keep the result.
   */
  cairn_status_t (*service)(cairn_instance_t *instance,
                            const char *framework,
                            const cairn_scope_t *scope,
                            const void **ops,
                            cairn_instance_t **provider);
  /**
   * Tells the user something, once for each `key` in the life of the process,
   * whatever the log level: that a faster way was refused by the system, for instance.
   */
  void (*show_once)(cairn_instance_t *instance, const char *key, const char *text);
  /**
   * Makes sure that a peer has routes: asks the transports for endpoints if it has
   * none. Does not wait for the peer. Any thread, also from callbacks; costs an Acquire load
   * when the peer is connected. `CAIRN_ERR_PEER` when no transport reaches it, with what each of
   * them says.
   */
  cairn_status_t (*peer_connect)(cairn_instance_t *instance, const cairn_peer_t *peer);
  /**
   * The process with this rank in the job, connected or not; null when there is no
   * such rank. It stays as long as this process lives.
   */
  cairn_peer_t *(*peer_get)(cairn_instance_t *instance, uint32_t rank);
  /**
   * The device at `place`, from 0, of all devices of the transports that are open; null behind the last. It
   * stays as long as this process lives. Any thread.
   */
  const cairn_btl_module_t *(*device_get)(cairn_instance_t *instance, uint32_t place);
  /**
   * As `service`, for frameworks of which several components serve: the one at `place`,
   * from 0, the highest priority first. `CAIRN_ERR_NOT_FOUND` behind the last.
   */
  cairn_status_t (*service_at)(cairn_instance_t *instance,
                               const char *framework,
                               const cairn_scope_t *scope,
                               uint32_t place,
                               const void **ops,
                               cairn_instance_t **provider);
  /**
   * Makes a type of events known as `<framework>_<component>_<name>`, or finds the one that
   * is, and stores it.
   */
  cairn_status_t (*event_add)(cairn_instance_t *instance,
                              const cairn_event_spec_t *spec,
                              const cairn_event_type_t **event);
  /**
   * An event happened; `values` has a number for each element of its type. Any thread,
   * with any lock held. Callers look at `listeners` before.
   */
  void (*event_raise)(const cairn_event_type_t *event, const int64_t *values);
  /**
   * For transports: the process with this rank in the job is gone, or can't be reached
   * any more by the only way to it. Operations that need it end with `CAIRN_ERR_PEER`. Any thread,
   * also from progress functions.
   */
  void (*peer_failed)(cairn_instance_t *instance, uint32_t rank);
  /**
   * For components in Rust that were built for debugging: what this thread does with
   * `lock`, or another atomic, is one of `CAIRN_AUDIT_*`; `rank` is the place of the lock in the
   * order of locks, 0 if it has none. A host that was built for release does nothing.
   */
  void (*audit)(uint32_t event, const void *lock, uint32_t rank);
  /**
   * Takes the lock of an instance, sleeping if it must; `lock_release` releases it. For C;
   * Rust code has `cairn_cri_t.guard`.
   */
  void (*cri_acquire)(const cairn_cri_t *cri);
  /**
   * Takes the lock of a CRI if it is free: 1, else 0.
   */
  int32_t (*cri_try)(const cairn_cri_t *cri);
  /**
   * Makes an info key of communicators and windows known that the caller looks at with
   * `cairn_scope_t::info`, and what holds where it is not set: programs are told of both
   * (`MPI_Comm_get_info`, `MPI_Win_get_info`). Only during `open`.
   */
  cairn_status_t (*info_key_add)(cairn_instance_t *instance, const char *key, const char *value);
  /**
   * As `progress`, for a thread that waits for something: `cris` says where its events can
   * come from (null: not known), `attempts` how many passes the thread has made for it before.
   */
  uint32_t (*progress_for)(cairn_instance_t *instance,
                           const cairn_cri_set_t *cris,
                           uint32_t attempts);
  /**
   * As `wait`; `cris` as for `progress_for`.
   */
  cairn_status_t (*wait_for)(cairn_instance_t *instance,
                             cairn_wait_sync_t *sync,
                             const cairn_cri_set_t *cris);
  /**
   * Adds to `cris` where messages of a communicator or window arrive that come from `peer`,
   * over each pool that leads to it, or from anybody if it is null: as the process's strategy says,
   * else what the calling thread polls first.
   */
  void (*cris_of)(cairn_instance_t *instance,
                  const cairn_scope_t *scope,
                  const cairn_peer_t *peer,
                  cairn_cri_set_t *cris);
  /**
   * Not 0 once the process's strategy has said of some pool where messages arrive; before,
   * `cris_of` knows nothing that a thread does not poll first anyway.
   */
  const uint32_t *arrivals;
  /**
   * From now on `memory_gone` tells when memory of this range, of whole pages around it, is unmapped,
   * moved, given back to the system, or mapped over, by whomever; of each part once. For transports that keep
   * the program's memory registered. Only then does a change of mappings cost more: a switch of threads.
   * `CAIRN_ERR_UNSUPPORTED` when the kernel does not tell, of this memory or at all. Any thread.
   */
  cairn_status_t (*memory_watch)(cairn_instance_t *instance, const void *address, size_t len);
  /**
   * Stores the ranges that are gone behind the first `seen` of them, at most `capacity`, raises `seen` by so
   * many, and returns how many. Who has not asked for long gets one range of all addresses. `seen` begins
   * with 0. What a thread has unmapped before it asks is among them. Any thread.
   */
  size_t (*memory_gone)(cairn_instance_t *instance,
                        uint64_t *seen,
                        struct cairn_memory_range_t *ranges,
                        size_t capacity);
};

#endif  /* CAIRN_HOST_H */
