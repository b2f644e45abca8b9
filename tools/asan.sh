#!/usr/bin/env bash
# Tests two crates with AddressSanitizer, which finds accesses out of bounds or after a free, also in
# dependencies: the crate that follows pointers, and the one that reads tables, logs and archives.
# The core forbids `unsafe`.
#
# Needs Rust's nightly, from rustup; without it, the exit code is 2.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/toolchain.sh

echo "==> AddressSanitizer"
mkdir -p build
if ! cargo=$(toolchain nightly 2>build/asan.log); then
    tail -n 1 build/asan.log >&2
    echo "error: Rust nightly is not to be had here" >&2
    echo "hint: rustup toolchain install nightly" >&2
    exit 2
fi
# Optimised a little: what is watched is slow, and so is compiling.
export CARGO_TARGET_DIR=target/asan CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=line-tables-only
# With --target the flags are not for build scripts and macros, which nobody watches.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS=-Zsanitizer=address $cargo test --quiet --locked --target "$host" \
    --package verger-cdata --package verger-bulk --lib --tests
