#!/usr/bin/env bash
# Runs the tests of the crate that follows pointers under Miri, which interprets them and watches
# each access: its bounds, its alignment, whether its memory lives, and what may alias it.
#
# The toolchain is Rust's nightly, from rustup. Without it there is no answer, and that is exit 2.
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
# No clock, no file and no environment: what Miri leaves out the crate does not need.
export CARGO_TARGET_DIR=target/miri MIRIFLAGS=-Zmiri-strict-provenance
$cargo miri test --quiet --locked --package verger-cdata
