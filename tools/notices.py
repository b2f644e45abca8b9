"""Write third-party notices: what is compiled or bundled into what verger ships, and the licences.

In: the locked dependencies from `cargo metadata`, folders of npm packages that a bundler has named,
and the licence files of both. Out: THIRD-PARTY-NOTICES.md, of the wheel; with `--check`, nothing is
written, and the exit code is 1 if it is stale; with `--wasm FILE [FOLDER ...]`, the notices of the
package of JavaScript, or of the page, which bundles it with the npm packages in these folders.

Included are the crates that the crate on top needs on the platforms it is built for, with
procedural macros; excluded are those that only build scripts and tests use. A package with a choice
of licences is listed with the text of each, and one without a text stops the run. Texts that differ
only in spaces are printed once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD-PARTY-NOTICES.md"


class Crate(NamedTuple):
    """A crate of ours that others are compiled into."""

    name: str
    manifest: Path
    platforms: tuple[str, ...]
    """What it is built for; crates that only other systems need are not in it."""


OF_WHEEL = Crate(
    "verger-python",
    ROOT / "Cargo.toml",
    (
        "aarch64-apple-darwin",
        "aarch64-pc-windows-msvc",
        "aarch64-unknown-linux-gnu",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "x86_64-pc-windows-msvc",
        "x86_64-unknown-linux-gnu",
        "x86_64-unknown-linux-musl",
    ),
)
OF_WASM = Crate("verger-wasm", ROOT / "crates" / "wasm" / "Cargo.toml", ("wasm32-unknown-unknown",))
LEGAL = ("licen", "copy", "notice", "unlicen")

WHEEL = """\
# Third-party notices

verger's extension module contains the Rust crates below, each under its own licence.
The full licence texts follow the table.
This page is written by `make notices`; `make lint` compares it with Cargo.lock.
"""
WASM = """\
# Third-party notices

verger for JavaScript contains the packages below, each under its own licence: crates of Rust in its
WebAssembly, and in the tester page packages of npm in its script.
The WebAssembly also contains Rust's standard library, with `dlmalloc` and `hashbrown`, under
Apache-2.0.
The full licence texts follow the table.
"""


class Package(NamedTuple):
    """A package of others."""

    name: str
    version: str
    licence: str
    folder: Path


def main() -> int:
    """Write the notices, or compare them."""
    match sys.argv[1:]:
        case ["--wasm", file, *folders]:
            packages = [*crates_in(OF_WASM), *map(npm_package, folders)]
            Path(file).write_text(render(WASM, packages), encoding="utf-8")
            return 0
        case options:
            expected = render(WHEEL, crates_in(OF_WHEEL))
            if options == ["--check"]:
                return compare(expected)
            NOTICES.write_text(expected, encoding="utf-8")
            return 0


def compare(expected: str) -> int:
    """Return 0 when the committed page is the one that would be written now."""
    if NOTICES.is_file() and NOTICES.read_text(encoding="utf-8") == expected:
        return 0
    print(f"error: `{NOTICES.name}` does not fit Cargo.lock", file=sys.stderr)
    print("hint: run `make notices` and commit the result", file=sys.stderr)
    return 1


def crates_in(top: Crate) -> list[Package]:
    """Return the foreign crates that a crate is made of, by name and version."""
    metadata = cargo_metadata(top)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    wanted = [key for key, package in packages.items() if package["name"] == top.name]
    seen: set[str] = set()
    while wanted:
        key = wanted.pop()
        if key not in seen:
            seen.add(key)
            wanted += [dep["pkg"] for dep in nodes[key]["deps"] if is_compiled_in(dep)]
    foreign = (packages[key] for key in seen if packages[key]["source"])
    return sorted(
        Package(each["name"], each["version"], each["license"], Path(each["manifest_path"]).parent)
        for each in foreign
    )


def npm_package(folder: str) -> Package:
    """Return the package of npm in a folder."""
    about = json.loads(Path(folder, "package.json").read_text(encoding="utf-8"))
    return Package(about["name"], about["version"], about["license"], Path(folder))


def cargo_metadata(top: Crate) -> dict[str, Any]:
    """Ask cargo, which fetches the locked sources when they are not there yet."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    command += ["--manifest-path", str(top.manifest)]
    for platform in top.platforms:
        command += ["--filter-platform", platform]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def is_compiled_in(dependency: dict[str, Any]) -> bool:
    """Tell whether an edge is a normal one, not only for build scripts or tests."""
    return any(kind["kind"] is None for kind in dependency["dep_kinds"])


def render(head: str, packages: Sequence[Package]) -> str:
    """Return the page: a table, then every distinct text with the packages that bear it."""
    rows = [f"| {each.name} | {each.version} | {each.licence} |" for each in packages]
    parts = [head, "\n".join(["| package | version | licence |", "|---|---|---|", *rows]) + "\n"]
    for bearers, text in distinct_texts(packages):
        parts.append(f"## {', '.join(bearers)}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def distinct_texts(packages: Iterable[Package]) -> list[tuple[list[str], str]]:
    """Return each licence text once, with the names of the packages it belongs to."""
    texts: dict[str, tuple[list[str], str]] = {}
    for package in packages:
        for text in licence_texts(package):
            bearers, _ = texts.setdefault(" ".join(text.split()), ([], text))
            if package.name not in bearers:
                bearers.append(package.name)
    return list(texts.values())


def licence_texts(package: Package) -> list[str]:
    """Return the legal texts in a package's folder; a package without any stops the run."""
    files = [
        path for path in sorted(package.folder.iterdir()) if path.name.lower().startswith(LEGAL)
    ]
    if not files:
        raise SystemExit(f"error: `{package.name}` ships no licence text")
    return [tidy(path.read_text(encoding="utf-8")) for path in files if path.is_file()]


def tidy(text: str) -> str:
    """Drop blank space at line ends and around the text."""
    return "\n".join(line.rstrip() for line in text.strip("\n\r\f ").splitlines()).strip("\n")


if __name__ == "__main__":
    sys.exit(main())
