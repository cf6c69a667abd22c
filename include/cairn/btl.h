/*
 * Cairn MPI: <cairn/btl.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * **btl** — byte transfer layer: moves bytes between two processes.
 *
 * A transport knows devices, endpoints and bytes. It does not know ranks of communicators, tags of
 * messages or datatypes; that is the protocol layer's (`pml`, `osc`), which drives it. The least a
 * transport must have is `send_immediate` or `send_packed`; everything else is optional and shows
 * in the capabilities of its modules.
 *
 * **Life.** In `open` the transport makes its devices and, for each, its CRIs (communication resource
 * instances), numbers them
 * (`cairn_cri_t.index`, from 0 in the pool) and gives the pool to the host by `pool_add`; it is polled from
 * then on. Then `modules` is asked once for the devices: one `cairn_btl_module_t` each, with its limits and
 * its pool. `add_peers` makes endpoints, for all peers or for each on first contact, and may fetch
 * their cards (`card_get`); a transport that connects does it lazily, on the first message.
 * `remove_peer` ends an endpoint. At the end the host calls `remove_peer` for every endpoint, takes
 * the pools and callbacks back, so that nothing is polled any more, and calls `close`. Nothing may
 * wait for a peer in any of these but `close`: what was accepted and still lies in the transport
 * goes out with progress, and the rest when it closes, for which a parameter of the transport sets a
 * limit in time.
 *
 * **Threads and locks.** Sending, put, get, atomics, flush and the pool's `progress` are hot and
 * get a CRI whose lock the caller holds. Different CRIs work at the same time, so what
 * they share (a connection table, a registration cache) has its own lock, taken rarely.
 * `add_peers`, `remove_peer` and memory registration may be called from any thread, several at a
 * time; `remove_peer` with no CRI's lock held, the others also from callbacks. Of the host
 * table, hot functions use what is read in place and `fail`, and on an endpoint's first message, or
 * when something goes wrong, `card_get`, `log` and `show_once`. Besides the CRI's lock they may take
 * locks of the transport's own, for short.
 *
 * **What is used.** The protocol layer sends by `send_immediate` and `send_packed`, and moves large
 * messages by `put` and `get` where a device has them. One-sided communication loads and stores where
 * `map_key` gives it a pointer, and otherwise uses `put`, `get`, `atomic` and `flush` where a device has
 * them.
 *
 * **Memory of the transport.** A device with `CAIRN_BTL_ALLOCATE` gives out memory that its peers reach best,
 * for windows above all. `map_key` turns the key of memory into a pointer by which this process loads and
 * stores it as if it were its own, until the key is released; the transport sees to it that such an access
 * ends in no signal, whatever the peer does. Where there is a pointer, put, get, atomics and flush need not
 * be offered: what the processor does reaches the peer's memory at once.
 *
 * **Completion.** A function that returns `CAIRN_DONE` is finished: the buffers are free and the
 * completion will not be called. `CAIRN_QUEUED` promises exactly one call of the completion, from
 * a later progress call on the same CRI, never from inside the function itself. After
 * `CAIRN_NO_RESOURCES` nothing has happened. Completion is local (buffers are free); that a put
 * or an atomic has reached the peer's memory is what `flush` says.
 *
 * **Order.** Messages that one CRI sends to one endpoint arrive in order when the module has
 * `CAIRN_BTL_IN_ORDER`; otherwise the protocol layer sorts them. Nothing is ordered between puts, gets,
 * atomics and messages, except by `flush`.
 *
 * **Receiving.** A progress call hands each message to the host's receive table by its tag
 * (`cairn_received_t`), in place; the callback copies what it keeps. What
 * comes from a peer is not trusted: a transport checks lengths and indices before it uses them, and
 * drops a connection that violates its protocol. A message may come before this process has asked
 * for an endpoint to its sender: then `cairn_received_t.endpoint` is null,
 * and a sender that wants an answer names itself in its header, by which the receiver finds the peer and
 * connects. For tags from `CAIRN_RECEIVE_GROWING` on a message may be handed on
 * while its sender still writes it; `cairn_btl_ops_t.wait_for_more` then says how much there is. Its memory stays the
 * sender's until it is whole, so the transport gives it back only then, whatever its receiver wanted.
 *
 * **Failure.** When a peer is gone, functions on its endpoint return `CAIRN_ERR_PEER`, and queued
 * completions are called with it. A transport that learns of it (a connection that was open broke
 * without a goodbye, a process of the node has ended) tells the host by `peer_failed`, after it has
 * handed on what had arrived before, since no other layer can know that receives wait in vain. `get`
 * may answer `CAIRN_ERR_UNSUPPORTED` on a single endpoint, where the system refuses to a pair what it
 * allows to others, or for a single transfer, when what it needs is short; nothing has happened then, and
 * the protocol layer has the peer send. That may show only when it is under way: its completion has this
 * status then, and nothing counts of what has come.
 *
 * The rules that hold in every contract, in <cairn/contract.h>, hold here, too.
 */

#ifndef CAIRN_BTL_H
#define CAIRN_BTL_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/component.h>
#include <cairn/contract.h>
#include <cairn/peer.h>
#include <cairn/pool.h>
#include <cairn/receive.h>
#include <cairn/status.h>
#include <cairn/types.h>

/**
 * `cairn_btl_module_t.capabilities`: `send_immediate`.
 */
#define CAIRN_BTL_SEND_IMMEDIATE 1

/**
 * `cairn_btl_module_t.capabilities`: `send_packed`.
 */
#define CAIRN_BTL_SEND_PACKED 2

/**
 * `cairn_btl_module_t.capabilities`: `put`.
 */
#define CAIRN_BTL_PUT 8

/**
 * `cairn_btl_module_t.capabilities`: `get`.
 */
#define CAIRN_BTL_GET 16

/**
 * `cairn_btl_module_t.capabilities`: `atomic` on 8-byte integers, all of `CAIRN_BTL_ADD` and the others.
 */
#define CAIRN_BTL_ATOMIC_64 32

/**
 * `cairn_btl_module_t.capabilities`: `atomic` on 4-byte integers.
 */
#define CAIRN_BTL_ATOMIC_32 64

/**
 * `cairn_btl_module_t.capabilities`: the device's atomics are atomic with the processor's.
 */
#define CAIRN_BTL_ATOMIC_GLOBAL 128

/**
 * `cairn_btl_module_t.capabilities`: memory must be registered before put, get and atomics use it.
 */
#define CAIRN_BTL_NEEDS_REGISTRATION 256

/**
 * `cairn_btl_module_t.capabilities`: messages of one CRI to one endpoint arrive in order.
 */
#define CAIRN_BTL_IN_ORDER 512

/**
 * `cairn_btl_module_t.capabilities`: `arm` works, so a thread can sleep until something arrives.
 */
#define CAIRN_BTL_CAN_WAKE 1024

/**
 * `cairn_btl_module_t.capabilities`: with `CAIRN_BTL_NEEDS_REGISTRATION`, only memory that peers read or write has
 * to be registered; this process's own side of put, get and atomics may be any memory.
 */
#define CAIRN_BTL_LOCAL_UNREGISTERED 2048

/**
 * `cairn_btl_module_t.capabilities`: `allocate_memory`; peers have a pointer to what it gives, by `map_key`.
 */
#define CAIRN_BTL_ALLOCATE 4096

/**
 * `cairn_btl_module_t.exclusivity`: a network.
 */
#define CAIRN_BTL_EXCLUSIVITY_NETWORK 1024

/**
 * `cairn_btl_module_t.exclusivity`: memory that the processes of a node share.
 */
#define CAIRN_BTL_EXCLUSIVITY_SHARED_MEMORY 2048

/**
 * `cairn_btl_module_t.exclusivity`: a process's way to itself.
 */
#define CAIRN_BTL_EXCLUSIVITY_SELF 3072

/**
 * `cairn_btl_module_t` key and registration limits: bytes of a packed remote key.
 */
#define CAIRN_BTL_MAX_KEY 128

/**
 * Bytes that a protocol layer may put before the data of a message, a packed key included. Every device
 * sends a header of this size and `eager_limit` bytes of payload in one message.
 */
#define CAIRN_BTL_HEADER_ROOM 256

/**
 * Access rights of a registration: the device uses local memory for this process's own operations
 * (put, send, get).
 */
#define CAIRN_BTL_LOCAL 1

/**
 * Access rights of a registration: peers may read it.
 */
#define CAIRN_BTL_REMOTE_READ 2

/**
 * Access rights of a registration: peers may write it.
 */
#define CAIRN_BTL_REMOTE_WRITE 4

/**
 * Access rights of a registration: peers may use atomics on it.
 */
#define CAIRN_BTL_REMOTE_ATOMIC 8

/**
 * `cairn_btl_atomic_t.operation`: add, wrapping.
 */
#define CAIRN_BTL_ADD 0

/**
 * `cairn_btl_atomic_t.operation`: bitwise and.
 */
#define CAIRN_BTL_AND 1

/**
 * `cairn_btl_atomic_t.operation`: bitwise or.
 */
#define CAIRN_BTL_OR 2

/**
 * `cairn_btl_atomic_t.operation`: bitwise exclusive or.
 */
#define CAIRN_BTL_XOR 3

/**
 * `cairn_btl_atomic_t.operation`: replace.
 */
#define CAIRN_BTL_SWAP 4

/**
 * `cairn_btl_atomic_t.operation`: replace by `operand` if it equals `compare`.
 */
#define CAIRN_BTL_COMPARE_SWAP 5

/**
 * A transport's endpoint: its own type behind a pointer. Made by `add_peers`.
 */
struct cairn_endpoint_t {
  /**
   * The transport's own. Not accessed by anybody else.
   */
  size_t transport_private;
};

/**
 * An active message whose header and payload lie in memory.
 */
struct cairn_btl_message_t {
  /**
   * The header; copied.
   */
  const void *header;
  /**
   * The payload, or null; copied by `send_immediate`.
   */
  const void *payload;
  /**
   * Bytes of header.
   */
  uint32_t header_len;
  /**
   * Bytes of payload.
   */
  uint32_t payload_len;
  /**
   * Entry of the receive table that gets it at the peer.
   */
  uint8_t tag;
};

/**
 * An active message whose payload a function writes into the transport's own buffer.
 */
struct cairn_btl_packed_t {
  /**
   * The header; copied.
   */
  const void *header;
  /**
   * Writes at most `len` bytes of payload to `destination` and returns how many; called once,
   * inside the function, if the message is accepted.
   */
  size_t (*pack)(void *context, void *destination, size_t len);
  /**
   * Passed to `pack`.
   */
  void *context;
  /**
   * Bytes of header.
   */
  uint32_t header_len;
  /**
   * Bytes of payload.
   */
  uint32_t payload_len;
  /**
   * Entry of the receive table that gets it at the peer.
   */
  uint8_t tag;
};

/**
 * A transfer between local memory and the memory of a peer.
 */
struct cairn_btl_transfer_t {
  /**
   * Local memory; stays until completion.
   */
  void *local;
  /**
   * Its registration, or null where none is needed.
   */
  void *registration;
  /**
   * The peer's address.
   */
  uint64_t remote;
  /**
   * What `unpack_key` made, or null where none is needed.
   */
  void *key;
  /**
   * Bytes.
   */
  size_t len;
};

/**
 * What to call when an operation that was queued is finished. Allocated by the caller; stays
 * valid until it is called.
 */
struct cairn_btl_completion_t {
  /**
   * Called once, from a progress call with the CRI's lock held. It may start operations;
   * it must not wait and must not poll. `status` is `CAIRN_OK` or what went wrong.
   */
  void (*done)(struct cairn_btl_completion_t *completion, cairn_status_t status);
  /**
   * The caller's own.
   */
  void *context;
};

/**
 * An atomic operation on an integer in the memory of a peer.
 */
struct cairn_btl_atomic_t {
  /**
   * The peer's address, a multiple of `width`.
   */
  uint64_t remote;
  /**
   * What `unpack_key` made, or null where none is needed.
   */
  void *key;
  /**
   * `CAIRN_BTL_ADD` and the others.
   */
  uint32_t operation;
  /**
   * 4 or 8.
   */
  uint32_t width;
  /**
   * The operand.
   */
  uint64_t operand;
  /**
   * For `CAIRN_BTL_COMPARE_SWAP`.
   */
  uint64_t compare;
  /**
   * Where the old value goes, `width` bytes that stay until completion; null when it is not
   * wanted.
   */
  void *result;
};

/**
 * How to be woken when a CRI has something to do.
 */
struct cairn_btl_wake_t {
  /**
   * A file descriptor that becomes readable, or -1.
   */
  int fd;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * A futex word that changes and is woken, or null. May be in memory shared with peers, so the
   * futex call is not a private one.
   */
  const uint32_t *word;
  /**
   * The value of `word` that means nothing has happened yet. CRIs may share a word, which is better
   * where there are many, as a thread can sleep on about a hundred; what the first of them says counts.
   */
  uint32_t expected;
};

/**
 * A transport's functions.
 */
struct cairn_btl_ops_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Zero.
   */
  uint32_t reserved;
  /**
   * Stores the array of the transport's devices in `modules` and their number in `count`; the
   * array stays valid until `close`. Set-up, once. Required.
   */
  cairn_status_t (*modules)(cairn_instance_t *instance,
                            struct cairn_btl_module_t *const **modules,
                            uint32_t *count);
  /**
   * For each of `count` peers, makes an endpoint and stores it in `endpoints`, or null when the
   * device does not reach the peer. Does not wait for the peer. When it fails for one, it has made
   * none. Any thread. Required.
   */
  cairn_status_t (*add_peers)(const struct cairn_btl_module_t *module,
                              uint32_t count,
                              const cairn_peer_t *const *peers,
                              struct cairn_endpoint_t **endpoints);
  /**
   * Ends an endpoint, on which nothing is in flight. Does not wait: what was sent on it still
   * arrives. Any thread. Required.
   */
  void (*remove_peer)(const struct cairn_btl_module_t *module, struct cairn_endpoint_t *endpoint);
  /**
   * Sends a small message by copying it: `CAIRN_DONE`, `CAIRN_NO_RESOURCES` or an error. Hot.
   * Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_outcome_t (*send_immediate)(const struct cairn_btl_module_t *module,
                                    const cairn_cri_t *cri,
                                    struct cairn_endpoint_t *endpoint,
                                    const struct cairn_btl_message_t *message);
  /**
   * Sends a message whose payload a function packs: `CAIRN_DONE`, `CAIRN_NO_RESOURCES` (without
   * having packed) or an error. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_outcome_t (*send_packed)(const struct cairn_btl_module_t *module,
                                 const cairn_cri_t *cri,
                                 struct cairn_endpoint_t *endpoint,
                                 const struct cairn_btl_packed_t *message);
  /**
   * Writes local memory into the peer's. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_outcome_t (*put)(const struct cairn_btl_module_t *module,
                         const cairn_cri_t *cri,
                         struct cairn_endpoint_t *endpoint,
                         const struct cairn_btl_transfer_t *transfer,
                         struct cairn_btl_completion_t *completion);
  /**
   * Reads the peer's memory into local memory. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_outcome_t (*get)(const struct cairn_btl_module_t *module,
                         const cairn_cri_t *cri,
                         struct cairn_endpoint_t *endpoint,
                         const struct cairn_btl_transfer_t *transfer,
                         struct cairn_btl_completion_t *completion);
  /**
   * Does an atomic operation in the peer's memory. Hot. Default: `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_outcome_t (*atomic)(const struct cairn_btl_module_t *module,
                            const cairn_cri_t *cri,
                            struct cairn_endpoint_t *endpoint,
                            const struct cairn_btl_atomic_t *atomic,
                            struct cairn_btl_completion_t *completion);
  /**
   * Completes when every put and atomic that this CRI started before, on `endpoint` or,
   * if that is null, on all, is visible in the peers' memory. Hot. Default:
   * `CAIRN_ERR_UNSUPPORTED`; required of a transport with put or atomics.
   */
  cairn_outcome_t (*flush)(const struct cairn_btl_module_t *module,
                           const cairn_cri_t *cri,
                           struct cairn_endpoint_t *endpoint,
                           struct cairn_btl_completion_t *completion);
  /**
   * Registers `len` bytes for the rights in `access` (`CAIRN_BTL_LOCAL` and the others) and
   * stores the registration. Any thread. Default: stores null.
   */
  cairn_status_t (*register_memory)(const struct cairn_btl_module_t *module,
                                    void *address,
                                    size_t len,
                                    uint32_t access,
                                    void **registration);
  /**
   * Ends a registration that nothing in flight uses, as far as the peer has said. Any thread; with
   * no CRI's lock held if a peer may use the memory. Default: nothing.
   */
  void (*deregister_memory)(const struct cairn_btl_module_t *module, void *registration);
  /**
   * Writes the `key_size` bytes that a peer needs to use a registration. Any thread. Default:
   * nothing.
   */
  cairn_status_t (*pack_key)(const struct cairn_btl_module_t *module, void *registration, void *key);
  /**
   * Turns a packed key of the peer into what put, get and atomics take. Any thread. Default:
   * stores null.
   */
  cairn_status_t (*unpack_key)(const struct cairn_btl_module_t *module,
                               struct cairn_endpoint_t *endpoint,
                               const void *packed,
                               void **key);
  /**
   * Frees what `unpack_key` made. Any thread. Default: nothing.
   */
  void (*release_key)(const struct cairn_btl_module_t *module, void *key);
  /**
   * Prepares a CRI for sleeping and says what to sleep on. `CAIRN_DONE`: nothing has
   * happened, sleep. `CAIRN_NO_RESOURCES`: something has happened meanwhile, poll instead. A thread
   * that is about to sleep arms all CRIs of a pool, one after the other, in the order of their
   * indices, and begins with 0 each time. With the CRI's lock held. Default:
   * `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*arm)(const struct cairn_btl_module_t *module,
                        const cairn_cri_t *cri,
                        struct cairn_btl_wake_t *wake);
  /**
   * Writes what an endpoint is and does, as text for a person (address, connected or not, bytes
   * queued), and returns the length of the whole text. Any thread. Default: an empty text.
   */
  size_t (*describe)(const struct cairn_btl_module_t *module,
                     struct cairn_endpoint_t *endpoint,
                     char *text,
                     size_t capacity);
  /**
   * Registers `len` bytes (not 0) that the peer behind `endpoint` is about to get, once, all of them
   * or the first ones, in one piece. They do not change until the registration ends, so the
   * transport may begin to move them at once, before the peer asks. With the CRI's lock held. Hot.
   * Default: `register_memory` for `CAIRN_BTL_LOCAL` and `CAIRN_BTL_REMOTE_READ`.
   */
  cairn_status_t (*offer_memory)(const struct cairn_btl_module_t *module,
                                 const cairn_cri_t *cri,
                                 struct cairn_endpoint_t *endpoint,
                                 void *address,
                                 size_t len,
                                 void **registration);
  /**
   * Allocates `len` bytes (not 0) of zeros that begin at a page, stores their address, and registers them
   * for all rights. What lies in them may be registered further. Any thread. Default:
   * `CAIRN_ERR_UNSUPPORTED`.
   */
  cairn_status_t (*allocate_memory)(const struct cairn_btl_module_t *module,
                                    size_t len,
                                    void **address,
                                    void **registration);
  /**
   * Frees what `allocate_memory` gave, by its registration. Peers have released their keys; what one that
   * has not still stores ends in no signal, and may spoil what is allocated next. Any thread. Default:
   * nothing.
   */
  void (*free_memory)(const struct cairn_btl_module_t *module, void *registration);
  /**
   * Stores the pointer by which this process loads and stores `len` bytes of the peer's at `remote`, or
   * null if there is none. It stays valid until `release_key`. Any thread. Default: stores null.
   */
  cairn_status_t (*map_key)(const struct cairn_btl_module_t *module,
                            void *key,
                            uint64_t remote,
                            size_t len,
                            void **pointer);
  /**
   * Waits until more than `have` bytes of a message that is still being written are there, and returns
   * how many are; `have` if no more will come, because the sender has ended. Only for a message with
   * `CAIRN_RECEIVED_GROWING` and inside the call of its receiver, which need not wait for what it does not
   * want. Default: all are there.
   */
  size_t (*wait_for_more)(const struct cairn_btl_module_t *module,
                          const cairn_received_t *received,
                          size_t have);
  /**
   * Most bytes of header and payload in one message to this endpoint, where that is less than the device's
   * limits say; `eager_limit` with a header of `CAIRN_BTL_HEADER_ROOM` bytes at least. It may become less, and
   * longer messages fail from then on: who is refused one asks again. Any thread. Default: as many as the
   * device's limits say.
   */
  size_t (*message_limit)(const struct cairn_btl_module_t *module, struct cairn_endpoint_t *endpoint);
};

/**
 * One device of a transport. Allocated by the transport; the numbers are constant and read in
 * place on the hot path.
 */
struct cairn_btl_module_t {
  /**
   * Size of this struct in bytes, as the author's header has it.
   */
  uint32_t struct_size;
  /**
   * Preference when several devices reach a peer: only those with the highest are used. One of
   * `CAIRN_BTL_EXCLUSIVITY_*`, or a number between them.
   */
  uint32_t exclusivity;
  /**
   * `CAIRN_BTL_*`. The host takes away the bits of functions that the table lacks.
   */
  uint64_t capabilities;
  /**
   * The device's name, `eth0`; unique in the component.
   */
  const char *name;
  /**
   * The transport's own.
   */
  void *state;
  /**
   * The CRIs, given to the host by `pool_add`.
   */
  cairn_cri_pool_t *pool;
  /**
   * Set by the host: the component's table, complete.
   */
  const struct cairn_btl_ops_t *ops;
  /**
   * Set by the host: the component.
   */
  cairn_instance_t *instance;
  /**
   * Most bytes of header and payload together in `send_immediate`.
   */
  uint32_t immediate_limit;
  /**
   * Most bytes of header and payload together in `send_packed`.
   */
  uint32_t packed_limit;
  /**
   * Bytes of a packed remote key, at most `CAIRN_BTL_MAX_KEY`.
   */
  uint32_t key_size;
  /**
   * Messages up to this many bytes of payload go without asking the receiver first. With
   * `CAIRN_BTL_HEADER_ROOM` bytes of header they are no longer than `immediate_limit` or
   * `packed_limit`; otherwise the device is refused.
   */
  uint64_t eager_limit;
  /**
   * Most bytes in one put. 0 without put.
   */
  uint64_t put_limit;
  /**
   * Most bytes in one get. 0 without get.
   */
  uint64_t get_limit;
  /**
   * Both addresses and the length of a get are multiples of it; 1 when there is no such rule.
   */
  uint32_t get_alignment;
  /**
   * One way, small message, in nanoseconds; for choosing among devices.
   */
  uint32_t latency;
  /**
   * In 10^6 bytes a second; for sharing large messages among devices.
   */
  uint32_t bandwidth;
  /**
   * Puts and gets of fewer bytes take longer than a message and its answer, as where each is a call of
   * the system; 0 where that is so of none.
   */
  uint32_t rma_from;
  /**
   * Messages above `eager_limit` and up to this many bytes go in pieces, one behind the other, without
   * asking the receiver first; 0 where that is never better. Worth it where both sides copy, so that
   * the receiver copies one piece while the sender writes the next.
   */
  uint64_t push_limit;
  /**
   * The same for a peer that got one of the last few of the messages which this limit lets through and `push_limit`
   * does not; 0 where that makes no difference. For transports through whose memory few peers at a time get long
   * messages sooner, and many later.
   */
  uint64_t push_limit_recent;
};

#endif  /* CAIRN_BTL_H */
