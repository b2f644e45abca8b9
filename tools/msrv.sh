#!/usr/bin/env bash
# Compiles all Rust code, with its tests, with the oldest Rust that Cargo.toml promises.
#
# The toolchain comes from rustup, or is the machine's own `rustc` if it has exactly this version;
# without either, the exit code is 2.
set -euo pipefail
cd "$(dirname "$0")/.."

promised=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)

. tools/toolchain.sh

machines_own() {
    [[ $(rustc --version) == "rustc $promised."* ]] && echo cargo
}

echo "==> Rust $promised"
mkdir -p build
if ! cargo=$(toolchain "$promised" 2>build/msrv.log || machines_own 2>>build/msrv.log); then
    tail -n 1 build/msrv.log >&2
    echo "error: Rust $promised is not to be had here" >&2
    echo "hint: install rustup, or run this where \`rustc\` is $promised" >&2
    exit 2
fi
export CARGO_TARGET_DIR=target/msrv
$cargo --version
$cargo check --quiet --locked --workspace --all-targets
