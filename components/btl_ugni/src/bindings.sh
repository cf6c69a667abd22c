#!/bin/sh
# Makes bindings.rs anew of ugni.h (clang, `cargo install bindgen-cli`).
set -eu
cd "$(dirname "$0")"
bindgen ugni.h --output bindings.rs --rust-target 1.85 --rust-edition 2024 --no-layout-tests \
    --dynamic-loading Ugni --dynamic-link-require-all --no-doc-comments \
    --allowlist-function 'GNI_.*|gni_.*' --allowlist-type 'gni_.*' --allowlist-var 'GNI_.*' \
    --raw-line '//! Made by bindings.sh of ugni.h; do not edit.' \
    --raw-line '#![allow(nonstandard_style, dead_code, unsafe_code, unsafe_op_in_unsafe_fn, missing_docs, unused_imports, clippy::all, clippy::pedantic)]'
