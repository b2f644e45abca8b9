#!/usr/bin/env bash
# Copies the sources of every locked crate to build/vendor, with a config.toml that makes cargo use
# only these.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/vendor
mkdir -p build
cargo vendor --locked --versioned-dirs build/vendor >build/vendor.toml 2>build/vendor.log
mv build/vendor.toml build/vendor/config.toml
echo "$(find build/vendor -mindepth 1 -maxdepth 1 -type d | wc -l) crates in build/vendor"
