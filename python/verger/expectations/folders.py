"""Folders: find files with expectations.

In: a folder. Out: the paths of all `*.robots.toml` files in it and below, sorted by name. Hidden
folders, virtual environments, installed packages and unreadable folders are skipped; links to
folders are not followed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".robots.toml"
"""The conventional end of the names of files with expectations."""

PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})


def files_below(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the paths of all files with expectations. Raises OSError for the folder itself."""
    os.scandir(folder).close()  # `os.walk` ignores a folder that it cannot read
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_searched(path, name))
        yield from (Path(path, name) for name in sorted(names) if name.endswith(ENDING))


def _is_searched(path: str, name: str) -> bool:
    is_environment = Path(path, name, "pyvenv.cfg").exists()
    return not (name.startswith(".") or name in PASSED_OVER or is_environment)
