#!/bin/sh
# Reports everything that this machine lacks for building verger, and how to install it.
#
# In: the name of the Python to use. Out: nothing if nothing is missing; else an error and a hint
# for each missing tool on stderr, and exit code 2. Plain sh, because Python may be missing.
set -u

python=${1:-python3}
root=$(dirname "$0")/..
rust_needed=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$root/Cargo.toml")
missing=0

lacks() {
    missing=1
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# `at_least 1.85 1.95.0` holds when the second version is no older than the first.
at_least() {
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$1" ]
}

check_python() {
    if ! have "$python"; then
        lacks "\`$python\` was not found" \
            "install Python 3.11 or later (Debian: apt-get install python3 python3-venv), or pass PYTHON=..."
    elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        lacks "\`$python\` is $("$python" -V 2>&1), verger needs 3.11 or later" \
            "install a newer one and pass it: make PYTHON=python3.12 ..."
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        lacks "\`$python\` cannot create virtual environments" \
            "install the venv module (Debian: apt-get install python3-venv)"
    fi
}

check_rust() {
    how="install it with rustup (rustup.rs), or Debian's packages rustc-web and cargo-web"
    if ! have cargo || ! have rustc; then
        lacks "Rust was not found: \`cargo\` and \`rustc\` $rust_needed or later are needed" "$how"
        return
    fi
    rust_found=$(rustc --version 2>/dev/null | cut -d ' ' -f 2 | cut -d - -f 1)
    if [ -z "$rust_found" ]; then
        lacks "\`rustc --version\` fails" "select a toolchain: rustup default stable"
    elif ! at_least "$rust_needed" "$rust_found"; then
        lacks "\`rustc\` is $rust_found, verger needs $rust_needed or later" \
            "rustup update stable; or $how"
    fi
}

check_linker() {
    if ! have cc; then
        lacks "no C linker was found: \`cc\` links the extension" \
            "install a C compiler (Debian: apt-get install gcc libc6-dev; macOS: xcode-select --install)"
    fi
}

check_python
check_rust
check_linker
[ "$missing" -eq 0 ] || exit 2
