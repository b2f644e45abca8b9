#!/usr/bin/env bash
# Compiles crates/wasm into build/npm-stage: `verger.wasm`, optimised for size, and the glue that
# calls it. Installs Rust's library for wasm if this machine lacks it.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
stage=build/npm-stage

if [[ ! -d $(rustc --print target-libdir --target $target) ]]; then
    if ! command -v rustup >/dev/null || ! rustup --quiet target add $target; then
        echo "error: Rust's library for $target is missing" >&2
        echo "hint: rustup target add $target (Debian: apt-get install libstd-rust-dev-wasm32)" >&2
        exit 2
    fi
fi

# Every browser since Safari 16.4 has SIMD, and Node since 16. Paths of this machine stay out.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
export RUSTFLAGS="-C target-feature=+simd128 --remap-path-prefix=$PWD/crates/= \
--remap-path-prefix=$cargo_home/registry/src/=/ --remap-path-prefix=$(rustc --print sysroot)="
cargo build --quiet --release --manifest-path crates/wasm/Cargo.toml --target $target \
    --target-dir target --locked
rm -f $stage/*.wasm
RUSTFLAGS='' cargo run --quiet --manifest-path crates/wasm/Cargo.toml --package verger-wasm-glue \
    --target-dir target --locked -- target/$target/release/verger_wasm.wasm $stage
npm/node_modules/.bin/wasm-opt -Os --enable-simd --enable-bulk-memory --enable-sign-ext \
    --enable-nontrapping-float-to-int --enable-mutable-globals --enable-reference-types \
    --enable-multivalue --strip-debug --strip-producers $stage/wasm_bg.wasm --output $stage/verger.wasm
