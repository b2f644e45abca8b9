"""Folders: the files with expectations in them.

In: a folder. Out: the paths of all `*.robots.toml` files in it and below, in the order of their
names. Hidden folders, virtual environments, installed packages and folders that cannot be read are
passed over; links to folders are not followed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".robots.toml"
"""How the names of files with expectations end, by convention."""

PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})


def files_below(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the paths of all files with expectations. Raises OSError of the folder itself."""
    os.scandir(folder).close()  # `os.walk` says nothing of a folder that it cannot read
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_looked_into(path, name))
        yield from (Path(path, name) for name in sorted(names) if name.endswith(ENDING))


def _is_looked_into(path: str, name: str) -> bool:
    is_environment = Path(path, name, "pyvenv.cfg").exists()
    return not (name.startswith(".") or name in PASSED_OVER or is_environment)
