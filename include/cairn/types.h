/*
 * Cairn MPI: <cairn/types.h>
 * Generated from the Rust sources by `cargo xtask gen`; do not edit.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Declares every struct; the header named with it defines it.
 */
#ifndef CAIRN_TYPES_H
#define CAIRN_TYPES_H

#include <stddef.h>

/* Alignment of a struct in bytes. */
#define CAIRN_ALIGNED(bytes) __attribute__((aligned(bytes)))

/* <cairn/bias.h> */
typedef struct cairn_bias_t cairn_bias_t;

/* <cairn/btl.h> */
typedef struct cairn_endpoint_t cairn_endpoint_t;
typedef struct cairn_btl_module_t cairn_btl_module_t;
typedef struct cairn_btl_completion_t cairn_btl_completion_t;
typedef struct cairn_btl_message_t cairn_btl_message_t;
typedef struct cairn_btl_packed_t cairn_btl_packed_t;
typedef struct cairn_btl_transfer_t cairn_btl_transfer_t;
typedef struct cairn_btl_atomic_t cairn_btl_atomic_t;
typedef struct cairn_btl_wake_t cairn_btl_wake_t;
typedef struct cairn_btl_ops_t cairn_btl_ops_t;

/* <cairn/comm.h> */
typedef struct cairn_context_id_t cairn_context_id_t;
typedef struct cairn_neighbor_t cairn_neighbor_t;
typedef struct cairn_neighbors_t cairn_neighbors_t;
typedef struct cairn_comm_parts_t cairn_comm_parts_t;
typedef struct cairn_comm_t cairn_comm_t;

/* <cairn/component.h> */
typedef struct cairn_component_t cairn_component_t;
typedef struct cairn_instance_t cairn_instance_t;

/* <cairn/counter.h> */
typedef struct cairn_counter_spec_t cairn_counter_spec_t;
typedef struct cairn_counter_cell_t cairn_counter_cell_t;

/* <cairn/cri.h> */
typedef struct cairn_cri_asker_t cairn_cri_asker_t;
typedef struct cairn_cri_ops_t cairn_cri_ops_t;

/* <cairn/datatype.h> */
typedef struct cairn_segment_t cairn_segment_t;
typedef struct cairn_cursor_t cairn_cursor_t;
typedef struct cairn_datatype_t cairn_datatype_t;
typedef struct cairn_op_t cairn_op_t;

/* <cairn/event.h> */
typedef struct cairn_event_spec_t cairn_event_spec_t;
typedef struct cairn_event_type_t cairn_event_type_t;

/* <cairn/host.h> */
typedef struct cairn_host_t cairn_host_t;
typedef struct cairn_memory_range_t cairn_memory_range_t;

/* <cairn/job.h> */
typedef struct cairn_job_t cairn_job_t;

/* <cairn/lock.h> */
typedef struct cairn_lock_t cairn_lock_t;

/* <cairn/param.h> */
typedef struct cairn_param_spec_t cairn_param_spec_t;
typedef struct cairn_param_cell_t cairn_param_cell_t;

/* <cairn/peer.h> */
typedef struct cairn_route_t cairn_route_t;
typedef struct cairn_peer_t cairn_peer_t;

/* <cairn/pool.h> */
typedef struct cairn_cri_t cairn_cri_t;
typedef struct cairn_cri_pool_t cairn_cri_pool_t;
typedef struct cairn_cri_set_t cairn_cri_set_t;

/* <cairn/receive.h> */
typedef struct cairn_received_t cairn_received_t;
typedef struct cairn_receive_entry_t cairn_receive_entry_t;

/* <cairn/request.h> */
typedef struct cairn_message_status_t cairn_message_status_t;
typedef struct cairn_request_t cairn_request_t;
typedef struct cairn_wait_sync_t cairn_wait_sync_t;

/* <cairn/scope.h> */
typedef struct cairn_scope_t cairn_scope_t;

/* <cairn/status.h> */

/* <cairn/thread.h> */
typedef struct cairn_thread_t cairn_thread_t;

/* <cairn/coll.h> */
typedef struct cairn_coll_counts_t cairn_coll_counts_t;
typedef struct cairn_coll_side_t cairn_coll_side_t;
typedef struct cairn_coll_args_t cairn_coll_args_t;
typedef struct cairn_coll_ops_t cairn_coll_ops_t;

/* <cairn/issue.h> */
typedef struct cairn_issue_operation_t cairn_issue_operation_t;
typedef struct cairn_issue_history_t cairn_issue_history_t;
typedef struct cairn_issue_ops_t cairn_issue_ops_t;

/* <cairn/match.h> */
typedef struct cairn_match_posted_t cairn_match_posted_t;
typedef struct cairn_match_arrived_t cairn_match_arrived_t;
typedef struct cairn_match_counts_t cairn_match_counts_t;
typedef struct cairn_match_ops_t cairn_match_ops_t;

/* <cairn/osc.h> */
typedef struct cairn_window_remote_t cairn_window_remote_t;
typedef struct cairn_window_calls_t cairn_window_calls_t;
typedef struct cairn_window_t cairn_window_t;
typedef struct cairn_osc_side_t cairn_osc_side_t;
typedef struct cairn_osc_transfer_t cairn_osc_transfer_t;
typedef struct cairn_osc_sync_t cairn_osc_sync_t;
typedef struct cairn_osc_ops_t cairn_osc_ops_t;

/* <cairn/pmi.h> */
typedef struct cairn_pmi_job_t cairn_pmi_job_t;
typedef struct cairn_pmi_ops_t cairn_pmi_ops_t;

/* <cairn/pml.h> */
typedef struct cairn_pml_send_t cairn_pml_send_t;
typedef struct cairn_pml_receive_t cairn_pml_receive_t;
typedef struct cairn_pml_ops_t cairn_pml_ops_t;

/* <cairn/progress.h> */
typedef struct cairn_progress_engine_t cairn_progress_engine_t;
typedef struct cairn_progress_ask_t cairn_progress_ask_t;
typedef struct cairn_progress_ops_t cairn_progress_ops_t;

/* <cairn/smsc.h> */
typedef struct cairn_smsc_ticket_t cairn_smsc_ticket_t;
typedef struct cairn_smsc_ops_t cairn_smsc_ops_t;

/* <cairn/wait.h> */
typedef struct cairn_wait_means_t cairn_wait_means_t;
typedef struct cairn_wait_ops_t cairn_wait_ops_t;

#endif
