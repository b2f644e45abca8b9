"""Folders: find files with expectations.

In: a folder. Out: the paths of all `*.robots.toml` files in it and below, as `verger.files.walk`
finds them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from verger.files import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verger.options import AnyPath

ENDING = ".robots.toml"
"""The conventional end of the names of files with expectations."""


def files_below(folder: AnyPath) -> Iterator[Path]:
    """Yield the paths of all files with expectations. Raises UnusableInput for the folder."""
    return map(Path, walk.files_below(folder, lambda name: name.endswith(ENDING)))
