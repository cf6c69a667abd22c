#!/bin/sh
# Makes bindings.rs from libfabric's headers (of 1.17 or later) by bindgen 0.73. Its types only: the functions
# are in tables, and the few that are exported have versions that a loader by name does not know.
set -eu
cd "$(dirname "$0")"
"${BINDGEN:-bindgen}" bindings.h -o bindings.rs \
  --rust-target 1.85 --rust-edition 2024 --no-layout-tests --default-enum-style consts \
  --no-prepend-enum-name --no-doc-comments --ignore-functions \
  --raw-line '//! Made by bindings.sh from the headers of libfabric 1.17; do not edit.' \
  --raw-line '#![allow(nonstandard_style, dead_code, unsafe_code, missing_docs, clippy::all, clippy::pedantic)]' \
  --allowlist-type 'fi_info|fi_fabric_attr|fid|fid_fabric|fid_domain|fid_ep|fid_av|fid_cq|fid_mr' \
  --allowlist-type 'fi_ops|fi_ops_(fabric|domain|mr|av|cq|ep|cm|msg|rma|atomic)' \
  --allowlist-type 'fi_(av|cq|atomic)_attr|fi_cq_(msg|err)_entry|fi_msg_rma|fi_rma_iov|fi_context2' \
  --allowlist-var 'FI_(MSG|RMA|ATOMIC|READ|WRITE|RECV|SEND|REMOTE_READ|REMOTE_WRITE|COMPLETION)' \
  --allowlist-var 'FI_(DELIVERY_COMPLETE|SOURCE|CONTEXT2?|TRANSMIT|FETCH_ATOMIC|COMPARE_ATOMIC|ENABLE)' \
  --allowlist-var 'FI_(MR_(LOCAL|VIRT_ADDR|ALLOCATED|PROV_KEY|ENDPOINT)|ORDER_SAS|EP_RDM|THREAD_SAFE)' \
  --allowlist-var 'FI_(PROGRESS_MANUAL|RM_ENABLED|AV_MAP|AV_TABLE|WAIT_NONE|CQ_FORMAT_MSG|UINT32|UINT64)' \
  --allowlist-var 'FI_(SUM|BAND|BOR|BXOR|ATOMIC_WRITE|CSWAP|SOCKADDR|SOCKADDR_IN6?|ADDR_STR)' \
  --allowlist-var 'FI_E(AVAIL|OTHER|TRUNC|NOKEY)' \
  --opaque-type 'fi_hmem_.*|fi_mr_attr|fid_nic|fi_collective.*|fid_(eq|cntr|wait|poll|pep|stx|av_set)'
