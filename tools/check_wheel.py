"""Check the wheel in a folder: its size, its tag, its files, and that it needs no other package.

In: the folder that `make wheel` wrote. Out: its size on stdout; a line for each fault, exit code 1.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

SIZE_LIMIT = 3_200_000
"""Bytes. Not a limit of any index: it makes an unintended increase visible."""
PYTHON_TAG = "-cp311-abi3-"
NEEDED = [
    "verger/__init__.py",
    "verger/_core.pyi",
    "verger/_core*[od]",  # .so or .pyd
    "verger/cli/app.py",
    *(f"verger/cli/completing/verger.{shell}" for shell in ("bash", "fish", "zsh")),
    "verger/cli/schemas/*.json",
    "verger/crawlers/registry.json",
    "verger/expectations/ready/*.t*",
    "verger/lint/resources.json",
    "verger/py.typed",
    "verger/testing/suite/specifications/rfc9309/*.json",
    "verger/testing/suite/suite.schema.json",
    "verger-*.dist-info/licenses/LICENSE",
    "verger-*.dist-info/licenses/THIRD-PARTY-NOTICES.md",
    "verger-*.dist-info/entry_points.txt",
    "verger-*.data/data/share/man/man1/verger.1",
]


def main() -> int:
    """Check the one wheel of the folder named on the command line."""
    (wheel,) = Path(sys.argv[1]).glob("*.whl")
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} bytes of at most {SIZE_LIMIT:,}")
    found = list(faults(wheel))
    print("".join(f"error: {fault}\n" for fault in found), end="", file=sys.stderr)
    return 1 if found else 0


def faults(wheel: Path) -> Iterator[str]:
    """Yield what is wrong with the wheel."""
    if wheel.stat().st_size > SIZE_LIMIT:
        yield f"`{wheel.name}` is larger than {SIZE_LIMIT:,} bytes"
    if PYTHON_TAG not in wheel.name:
        yield f"`{wheel.name}` is not tagged `{PYTHON_TAG.strip('-')}`"
    with zipfile.ZipFile(wheel) as archive:
        yield from missing_files(archive)
        yield from needed_packages(archive)


def missing_files(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the patterns that no file of the wheel fits."""
    paths = [PurePosixPath(name) for name in archive.namelist()]
    for pattern in NEEDED:
        if not any(path.match(pattern) for path in paths):
            yield f"no `{pattern}` in the wheel"


def needed_packages(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the packages that an install without extras needs: there must be none."""
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = HeaderParser().parsestr(archive.read(name).decode())
    for requirement in metadata.get_all("Requires-Dist", []):
        if "extra ==" not in requirement:
            yield f"an install without extras needs `{requirement}`"


if __name__ == "__main__":
    sys.exit(main())
