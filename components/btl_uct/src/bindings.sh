#!/bin/sh
# Makes bindings.rs anew of the headers that are installed (libucx-dev, clang, `cargo install bindgen-cli`).
# The committed file is of UCX 1.13.1; library.rs says which versions it holds for.
set -eu
cd "$(dirname "$0")"
functions='uct_query_components|uct_release_component_list|uct_component_query|uct_md_open|uct_md_close'
functions="$functions|uct_md_query|uct_md_config_read|uct_md_query_tl_resources|uct_release_tl_resource_list"
functions="$functions|uct_md_iface_config_read|uct_config_modify|uct_config_release|uct_worker_create|uct_worker_destroy"
functions="$functions|uct_iface_open|uct_iface_close|uct_iface_query|uct_iface_get_address"
functions="$functions|uct_iface_get_device_address|uct_iface_is_reachable|uct_iface_set_am_handler"
functions="$functions|uct_ep_create|uct_ep_destroy|uct_md_mem_reg|uct_md_mem_dereg|uct_mem_alloc|uct_mem_free"
functions="$functions|uct_md_mkey_pack|uct_rkey_unpack|uct_rkey_release|uct_rkey_ptr"
functions="$functions|ucs_async_context_create|ucs_async_context_destroy|ucs_status_string|ucs_log_push_handler|ucm_set_external_event"
bindgen bindings.h --output bindings.rs --rust-target 1.85 --rust-edition 2024 --no-layout-tests --dynamic-loading Uct --dynamic-link-require-all \
    --default-enum-style consts --no-prepend-enum-name --no-doc-comments \
    --allowlist-function "$functions" --allowlist-type 'uct_iface_ops_t|uct_worker_t|uct_iface_params_field|uct_ep_params_field|uct_mem_alloc_params_field_t|uct_md_mem_flags|uct_iface_open_mode|uct_flush_flags|uct_progress_types|uct_cb_param_flags|uct_atomic_op_t|uct_component_attr_field' \
    --allowlist-var 'UCT_IFACE_FLAG_.*|UCT_MD_FLAG_.*|UCT_DEVICE_.*|UCT_CB_.*|UCT_ATOMIC_.*|UCS_(OK|INPROGRESS|ERR_.*)|UCS_LOG_.*' \
    --opaque-type 'sockaddr.*|ucs_sock_addr.*|uct_listener.*|uct_cm.*|ucs_.*stats.*' \
    --raw-line '//! Made by bindings.sh of the headers of UCX 1.13.1; do not edit.' \
    --raw-line '#![allow(nonstandard_style, dead_code, unsafe_code, unsafe_op_in_unsafe_fn, missing_docs, unused_imports, clippy::all, clippy::pedantic)]'
