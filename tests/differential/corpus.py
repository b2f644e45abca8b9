"""The real files: where they lie, and their bytes in a fixed order.

In: the environment variable `VERGER_CORPUS`, or else the folder that `make corpus` fills.
Out: one `RealFile` for each of the 4,231 robots.txt files that Protego 0.7.0 ships.
"""

import os
from pathlib import Path
from typing import NamedTuple

EXPECTED_FILES = 4_231
DEFAULT_FOLDER = (
    Path(__file__).resolve().parents[2] / ".cache" / "protego-0.7.0" / "tests" / "test_data"
)


class RealFile(NamedTuple):
    """One robots.txt file as received, with the host that served it."""

    host: str
    data: bytes


def corpus_folder() -> Path:
    """Return the folder of the corpus, whether or not it exists."""
    return Path(os.environ.get("VERGER_CORPUS") or DEFAULT_FOLDER)


def real_files(folder: Path) -> list[RealFile]:
    """Return all files of the folder, ordered by host on every system alike."""
    paths = sorted(folder.iterdir(), key=lambda path: path.name)
    return [RealFile(path.name, path.read_bytes()) for path in paths if path.is_file()]
