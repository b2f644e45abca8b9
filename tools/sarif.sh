#!/bin/sh
# Fetch the schema of SARIF 2.1.0, once, into .cache/sarif.
#
# The schema of the standard is a file in the crate serde-sarif, which cargo fetches; its digest is
# below. If it cannot be fetched, the exit code is 1, and the reason is printed.
set -eu

ROOT=$(cd "$(dirname "$0")/.." && pwd)
CACHE=$ROOT/.cache/sarif
DIGEST=af47e7b67f24efe74076621fd3a5fbe7398add9e84fe820c971219a385895cea

[ -f "$CACHE/schema.json" ] && exit 0
mkdir -p "$CACHE/src"
printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n\n[workspace]\n\n[dependencies]\nserde-sarif = { version = "=0.8.0", default-features = false }\n' > "$CACHE/Cargo.toml"
: > "$CACHE/src/lib.rs"
cargo vendor --quiet --manifest-path "$CACHE/Cargo.toml" "$CACHE/vendor" > /dev/null
cp "$CACHE/vendor/serde-sarif/src/schema.json" "$CACHE/schema.part"
echo "$DIGEST  $CACHE/schema.part" | sha256sum --check --quiet
mv "$CACHE/schema.part" "$CACHE/schema.json"
rm -rf "$CACHE/vendor"
