"""Fail when a file of the tree names a package registry or a path of one machine.

In: every file git knows or would add. Out: one line per finding on stderr, exit 1.
Cargo.lock is exempt: cargo writes the registry's name there and reads it back.

Dependency files without addresses install from whatever index a machine is set up for.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXEMPT = {"Cargo.lock"}

# Host names in pieces, so that this file passes its own check.
REGISTRIES = [
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("crates", "io"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("proxy", "golang", "org"),
    ("repo", "maven", "apache", "org"),
    ("repo1", "maven", "org"),
    ("deb", "debian", "org"),
]
ADDRESS = re.compile("|".join(r"\.".join(labels) for labels in REGISTRIES).encode())

# `/tmp/` and `/home/` are ordinary paths in robots.txt files, so only what builds the project
# is asked about them; the others are named nowhere.
MACHINE = re.compile(rb"/work/(?:main|shared)|/opt/wheel[s]|/root/\.|/var/folder[s]/")
HOME = re.compile(rb"/(?:tmp|home|Users)/\w")
BUILDING = re.compile(r"^(?:\.ci/|tools/|requirements/|Makefile$|(?:crates/.*/)?[^/]*\.toml$)")


def main() -> int:
    """Report every finding."""
    findings = [finding for name in files() for finding in findings_in(name)]
    print("".join(f"error: {finding}\n" for finding in findings), end="", file=sys.stderr)
    return 1 if findings else 0


def files() -> list[str]:
    """Return the names of all files that are committed or about to be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    names = {name for name in listed.split("\0") if name and Path(name).name not in EXEMPT}
    return sorted(name for name in names if (ROOT / name).is_file())


def findings_in(name: str) -> Iterator[str]:
    """Yield what one file names that it must not."""
    patterns = [ADDRESS, MACHINE, HOME] if BUILDING.match(name) else [ADDRESS, MACHINE]
    for number, line in enumerate((ROOT / name).read_bytes().splitlines(), start=1):
        for pattern in patterns:
            if found := pattern.search(line):
                yield f"{name}:{number}: names `{found[0].decode('ascii', 'replace')}`"


if __name__ == "__main__":
    sys.exit(main())
