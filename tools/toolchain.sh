# Other Rust toolchains than the machine's own; other scripts source this file.
#
# `toolchain NAME [COMPONENT...]` prints the command that runs the cargo of one. rustup installs the
# toolchain if it is missing. If it cannot, the function fails with the reason on stderr.

toolchain() {
    local name=$1
    shift
    if ! command -v rustup >/dev/null; then
        echo "error: rustup was not found" >&2
        return 1
    fi
    is_complete "$name" "$@" ||
        rustup toolchain install "$name" --profile minimal --no-self-update \
            ${@:+--component "$(IFS=,; echo "$*")"} >&2 ||
        return 1
    echo "rustup run $name cargo"
}

is_complete() {
    local name=$1 component installed
    shift
    rustup run "$name" cargo --version >&2 || return 1
    installed=$(rustup component list --toolchain "$name" --installed) || return 1
    for component in "$@"; do
        grep -q "^$component\b" <<<"$installed" || return 1
    done
}
