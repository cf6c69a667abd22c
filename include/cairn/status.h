/*
 * Cairn MPI: <cairn/status.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Return codes.
 */

#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/types.h>

/**
 * What a function of a table returns: `CAIRN_OK` or one of the codes below. A function that returns
 * anything but `CAIRN_OK` has first said why through the host table's `fail`, which returns the code
 * so that `return self->host->fail(self, CAIRN_ERR_UNAVAILABLE, "no device");` is one line.
 */
typedef int32_t cairn_status_t;

/**
 * How an operation that may have to wait went. Values below zero are a `cairn_status_t`.
 */
typedef int32_t cairn_outcome_t;

/**
 * It worked.
 */
#define CAIRN_OK 0

/**
 * The component can't be used here, and nothing is wrong: no device, not this kind of job.
 */
#define CAIRN_ERR_UNAVAILABLE -1

/**
 * Not enough memory, file descriptors, locked memory or device contexts.
 */
#define CAIRN_ERR_RESOURCES -2

/**
 * An argument is outside what the function accepts.
 */
#define CAIRN_ERR_ARGUMENT -3

/**
 * The name asked for is not there.
 */
#define CAIRN_ERR_NOT_FOUND -4

/**
 * The name is taken.
 */
#define CAIRN_ERR_EXISTS -5

/**
 * This host or component does not offer the operation.
 */
#define CAIRN_ERR_UNSUPPORTED -6

/**
 * The peer is gone or the connection to it is.
 */
#define CAIRN_ERR_PEER -7

/**
 * The bytes received are not what the protocol allows.
 */
#define CAIRN_ERR_PROTOCOL -8

/**
 * Received more than the buffer holds.
 */
#define CAIRN_ERR_TRUNCATED -9

/**
 * The component's own code panicked; the reason is what the panic said.
 */
#define CAIRN_ERR_PANIC -10

/**
 * Not an error, where a contract allows it: this call is for another component, and the next one by priority
 * is asked. Nobody says why through `fail`.
 */
#define CAIRN_ERR_DECLINED -11

/**
 * Anything else; the text given to `fail` says what.
 */
#define CAIRN_ERR_OTHER -99

/**
 * Finished on return: buffers may be reused and no completion will be called.
 */
#define CAIRN_DONE 0

/**
 * Accepted: the completion is called later, from a progress call.
 */
#define CAIRN_QUEUED 1

/**
 * Not accepted, nothing happened; try again after progress. Never an error.
 */
#define CAIRN_NO_RESOURCES 2

/**
 * There is nothing of what was asked for: no message matched, nothing completed.
 */
#define CAIRN_NOTHING 3

#endif  /* CAIRN_STATUS_H */
