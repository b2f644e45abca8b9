#!/usr/bin/env bash
# Compiles crates/wasm into build/npm-stage: `verger.wasm`, optimised for size, and the glue that
# calls it. Installs what this machine lacks: Rust's library for wasm, and the command of
# wasm-bindgen, of the version that the crate has.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
stage=build/npm-stage
version=$(sed -n 's/^wasm-bindgen = .*"=\([0-9.]*\)".*/\1/p' crates/wasm/Cargo.toml)
bindgen=build/wasm-bindgen-$version/bin/wasm-bindgen

if [[ ! -d $(rustc --print target-libdir --target $target) ]]; then
    if ! command -v rustup >/dev/null || ! rustup --quiet target add $target; then
        echo "error: Rust's library for $target is missing" >&2
        echo "hint: rustup target add $target (Debian: apt-get install libstd-rust-dev-wasm32)" >&2
        exit 2
    fi
fi

if [[ ! -x $bindgen ]]; then
    echo "==> wasm-bindgen $version (once; it takes minutes)"
    CARGO_INCREMENTAL=0 cargo install --quiet wasm-bindgen-cli --version "$version" --debug \
        --root "build/wasm-bindgen-$version" --target-dir target/wasm-bindgen
    rm -rf target/wasm-bindgen
fi

# Every browser since Safari 16.4 has SIMD, and Node since 16. Paths of this machine stay out.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
export RUSTFLAGS="-C target-feature=+simd128 --remap-path-prefix=$PWD/crates/= \
--remap-path-prefix=$cargo_home/registry/src/=/ --remap-path-prefix=$(rustc --print sysroot)="
cargo build --quiet --release --manifest-path crates/wasm/Cargo.toml --target $target \
    --target-dir target --locked
rm -f $stage/*.wasm
"$bindgen" --target web --out-dir $stage --out-name wasm \
    target/$target/release/verger_wasm.wasm
npm/node_modules/.bin/wasm-opt -Os --enable-simd --enable-bulk-memory --enable-sign-ext \
    --enable-nontrapping-float-to-int --enable-mutable-globals --enable-reference-types \
    --enable-multivalue --strip-debug --strip-producers $stage/wasm_bg.wasm --output $stage/verger.wasm
