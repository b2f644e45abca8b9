#!/usr/bin/env bash
# Pins requirements/*.in into *.txt: every file by hash, no addresses, no machine paths.
# Versions already pinned stay unless they no longer fit; `make requirements UPGRADE=1` moves them.
set -euo pipefail
cd "$(dirname "$0")/../requirements"

for name in uv dev run load changes changelog extractors frameworks dropins ray; do
    ../.venv/bin/python -m uv pip compile --quiet ${UPGRADE:+--upgrade} \
        --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header \
        --output-file "$name.txt" "$name.in"
done

# The lowest versions that the extras allow, which `make test-lowest` tries.
../.venv/bin/python -m uv pip compile --quiet --resolution lowest-direct \
    --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header \
    --extra cli --extra httpx --extra codings --extra redis --extra requests --extra spark \
    --output-file lowest.txt ../pyproject.toml lowest.in
