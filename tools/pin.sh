#!/usr/bin/env bash
# Pins the dependency groups of pyproject.toml in requirements/*.txt: every file by hash, no
# addresses, no machine paths.
# Versions already pinned stay unless they no longer fit; `make requirements UPGRADE=1` moves them.
set -euo pipefail
cd "$(dirname "$0")/.."

# `pin GROUP OPTION...` writes the group's file.
pin() {
    local group=$1
    shift
    .venv/bin/python -m uv pip compile --quiet --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header \
        --group "$group" --output-file "requirements/$group.txt" "$@"
}

for group in dev extractors frameworks dropins ray site; do
    pin "$group" --universal ${UPGRADE:+--upgrade}
done
pin run --universal ${UPGRADE:+--upgrade} --constraints requirements/dev.txt

# The lowest versions that the extras allow, which `make test-lowest` tries.
pin lowest pyproject.toml --resolution lowest-direct \
    --extra cli --extra cloud --extra hdfs --extra httpx --extra codings --extra redis --extra requests --extra socks --extra spark \
    --extra urllib3
