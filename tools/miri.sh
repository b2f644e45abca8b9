#!/usr/bin/env bash
# Tests the crate that follows pointers under Miri, an interpreter that checks each access: bounds,
# alignment, lifetime, aliasing.
#
# Needs Rust's nightly, from rustup; without it, the exit code is 2.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/toolchain.sh

echo "==> Miri"
mkdir -p build
if ! cargo=$(toolchain nightly miri rust-src 2>build/miri.log); then
    tail -n 1 build/miri.log >&2
    echo "error: Rust nightly with Miri is not to be had here" >&2
    echo "hint: rustup toolchain install nightly --component miri,rust-src" >&2
    exit 2
fi
# The crate uses no clock, file or environment, which Miri does not support by default.
export CARGO_TARGET_DIR=target/miri MIRIFLAGS=-Zmiri-strict-provenance
$cargo miri test --quiet --locked --package verger-cdata
