"""Write THIRD-PARTY-NOTICES.md: the crates compiled into the extension, and their licences.

In: the locked dependencies from `cargo metadata`, and the licence files in their sources.
Out: the notices; with `--check`, nothing is written, and the exit code is 1 if they are stale.

Included are the crates that verger-python needs on the platforms of its wheels, with procedural
macros; excluded are those that only build scripts and tests use. A crate with a choice of licences
is listed with the text of each. Texts that differ only in spaces are printed once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD-PARTY-NOTICES.md"
TOP = "verger-python"
# What wheels are built for; crates that only other systems need are in none.
PLATFORMS = (
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
)
LEGAL = ("licen", "copy", "notice", "unlicen")

HEAD = """\
# Third-party notices

verger's extension module contains the Rust crates below, each under its own licence.
The full licence texts follow the table.
This page is written by `make notices`; `make lint` compares it with Cargo.lock.
"""

Package = dict[str, Any]


def main() -> int:
    """Write the notices, or compare them."""
    expected = render(shipped_packages())
    if sys.argv[1:] == ["--check"]:
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


def shipped_packages() -> list[Package]:
    """Return the foreign packages that the extension is made of, by name and version."""
    metadata = cargo_metadata()
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    wanted = [key for key, package in packages.items() if package["name"] == TOP]
    seen: set[str] = set()
    while wanted:
        key = wanted.pop()
        if key not in seen:
            seen.add(key)
            wanted += [dep["pkg"] for dep in nodes[key]["deps"] if is_compiled_in(dep)]
    foreign = [packages[key] for key in seen if packages[key]["source"]]
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def cargo_metadata() -> dict[str, Any]:
    """Ask cargo, which fetches the locked sources when they are not there yet."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    for platform in PLATFORMS:
        command += ["--filter-platform", platform]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def is_compiled_in(dependency: dict[str, Any]) -> bool:
    """Tell whether an edge is a normal one, not only for build scripts or tests."""
    return any(kind["kind"] is None for kind in dependency["dep_kinds"])


def render(packages: list[Package]) -> str:
    """Return the page: a table, then every distinct text with the crates that bear it."""
    rows = [f"| {p['name']} | {p['version']} | {p['license']} |" for p in packages]
    parts = [HEAD, "\n".join(["| crate | version | licence |", "|---|---|---|", *rows]) + "\n"]
    for bearers, text in distinct_texts(packages):
        parts.append(f"## {', '.join(bearers)}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def distinct_texts(packages: list[Package]) -> list[tuple[list[str], str]]:
    """Return each licence text once, with the names of the crates it belongs to."""
    texts: dict[str, tuple[list[str], str]] = {}
    for package in packages:
        for text in licence_texts(package):
            bearers, _ = texts.setdefault(" ".join(text.split()), ([], text))
            if package["name"] not in bearers:
                bearers.append(package["name"])
    return list(texts.values())


def licence_texts(package: Package) -> list[str]:
    """Return the legal texts in a crate's folder; a crate without any stops the run."""
    folder = Path(package["manifest_path"]).parent
    files = [path for path in sorted(folder.iterdir()) if path.name.lower().startswith(LEGAL)]
    if not files:
        raise SystemExit(f"error: `{package['name']}` ships no licence text")
    return [tidy(path.read_text(encoding="utf-8")) for path in files if path.is_file()]


def tidy(text: str) -> str:
    """Drop blank space at line ends and around the text."""
    return "\n".join(line.rstrip() for line in text.strip("\n\r\f ").splitlines()).strip("\n")


if __name__ == "__main__":
    sys.exit(main())
