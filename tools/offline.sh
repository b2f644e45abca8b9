#!/usr/bin/env bash
# Follows docs/packaging.md in a copy of the tree, with an empty cargo home and without a network:
# builds a wheel from the vendored crates, with the oldest Rust that Cargo.toml promises if rustup has
# it, installs only this wheel, and asks it one question.
set -euo pipefail
cd "$(dirname "$0")/.."

export PATH=$PWD/.venv/bin:$PATH  # Python and maturin, the build requirements
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

without_network() {
    CARGO_HOME=$scratch/cargo CARGO_NET_OFFLINE=true unshare --net --map-root-user -- "$@"
}

if ! unshare --net --map-root-user true 2>/dev/null; then
    echo "error: cannot cut the network off here" >&2
    echo "hint: \`unshare --net\` needs Linux and the right to make namespaces" >&2
    exit 2
fi

. tools/toolchain.sh
oldest=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)
if toolchain "$oldest" >/dev/null 2>&1; then
    export RUSTUP_TOOLCHAIN=$oldest
fi

echo "==> offline build, with $(rustc --version)"
mkdir -p "$scratch/tree/build" "$scratch/tree/.cargo"
git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$scratch/tree"
cp -r build/vendor "$scratch/tree/build/vendor"
cd "$scratch/tree"

cp build/vendor/config.toml .cargo/config.toml
# What is shown is that it builds; optimisation would take two minutes and show no more.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
export CARGO_PROFILE_RELEASE_OPT_LEVEL=0
without_network python -m pip wheel --quiet --disable-pip-version-check \
    --no-index --no-deps --no-build-isolation --wheel-dir "$scratch" .
without_network python -m venv "$scratch/venv"
without_network "$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --no-index "$scratch"/verger-*.whl

printf 'User-agent: *\nDisallow: /private\n' >"$scratch/robots.txt"
answer=$(without_network "$scratch/venv/bin/verger" check --robots "$scratch/robots.txt" \
    --agent ExampleBot --format csv https://example.com/private/a) && status=0 || status=$?
if [[ $status -ne 1 || $answer != *"Disallow: /private"* ]]; then
    echo "error: the wheel answers \`$answer\` with exit $status" >&2
    exit 1
fi
echo "built and installed without network; \`verger check\` answers"
