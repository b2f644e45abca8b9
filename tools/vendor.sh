#!/usr/bin/env bash
# Lays the sources of every locked crate down in build/vendor, and beside them the
# config.toml that makes cargo take them from there and from nowhere else.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/vendor
mkdir -p build
cargo vendor --locked --versioned-dirs build/vendor >build/vendor.toml 2>build/vendor.log
mv build/vendor.toml build/vendor/config.toml
echo "$(find build/vendor -mindepth 1 -maxdepth 1 -type d | wc -l) crates in build/vendor"
