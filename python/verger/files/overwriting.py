"""Overwriting: an output is never an input or a store.

In: the outputs of a command, its inputs, and its stores. Out: nothing, or `UnusableOutput` before
anything is written. Files are compared by device and inode, so that links and other spellings are
the same file; files that do not exist yet by their real path.
"""

import os
import stat
import sys
from collections.abc import Iterable
from itertools import combinations

from verger.errors import UnusableOutput
from verger.files.paths import STANDARD, is_stream, place_of, place_to_make, status_of
from verger.options import AnyPath

TYPE_CHECKING = False
if TYPE_CHECKING:  # `check` imports this module
    from typing import IO

COMPANIONS = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps next to a database (SQLite, File Naming Conventions)."""

HINT = "name another file for the output"
OTHER_CACHE = "name another file for the cache"


class _Name:
    """A file of the command, under the name that the user gave it."""

    def __init__(self, path: AnyPath, standard: "IO[str] | None", std: str) -> None:
        self.path = os.fspath(path)
        self.shown = std if self.path == STANDARD else f"`{self.path}`"
        self.identity = _identity(self.path, standard)


def expect_no_overwriting(
    outputs: Iterable[AnyPath],
    *,
    inputs: Iterable[AnyPath] = (),
    folders: Iterable[AnyPath] = (),
    stores: Iterable[AnyPath] = (),
) -> None:
    """Refuse an output that this command also uses as something else. Raises UnusableOutput.

    outputs:  files to be written; `-` is stdout.
    inputs:   files that are read; `-` is stdin.
    folders:  folders whose files are all read.
    stores:   databases that are read and written, with the files that SQLite keeps next to them;
              their missing folders are created later.
    Also refuses an output or a store with a path that the system would reject, before a folder
    created later could make the path valid.
    """
    read = [_Name(path, sys.stdin, "stdin") for path in inputs]
    written = [_Name(path, sys.stdout, "stdout") for path in outputs]
    caches = [_Name(path, None, "") for path in stores]
    _expect_valid(written, caches)
    _expect_others(caches, read, "both input and cache", OTHER_CACHE)
    _expect_others(written, read, "both input and output", HINT)
    _expect_others(written, caches, "the cache itself", HINT)
    _expect_no_companions(read, caches, "is read, and belongs to the cache", OTHER_CACHE)
    _expect_no_companions(written, [*read, *caches], "belongs to", HINT)
    for folder in folders:
        for output in written:
            _expect_outside(output, os.fspath(folder))
    for one, other in combinations(written, 2):
        if one.identity is not None and one.identity == other.identity:
            both = f"{one.shown} and {other.shown}"
            raise UnusableOutput(f"the outputs {both} are the same file", HINT)


def _identity(path: str, standard: "IO[str] | None") -> tuple[int, int] | str | None:
    """Return what is equal for all names of one file; None for what many may use at once."""
    status = status_of(path, standard)
    if status is None:
        return None if path == STANDARD else _real_path(path)
    is_shared = stat.S_ISCHR(status.st_mode) or stat.S_ISSOCK(status.st_mode)
    return None if is_shared else (status.st_dev, status.st_ino)


def _real_path(path: str) -> str:
    """Return the path behind links; as it is if no file can have it, which is refused elsewhere."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


def _expect_valid(written: Iterable[_Name], stores: Iterable[_Name]) -> None:
    """Refuse what the system would refuse to open or to create."""
    files = [(each.path, place_of) for each in written if not is_stream(each.path)]
    for path, place in [*files, *((each.path, place_to_make) for each in stores)]:
        try:
            place(path)
        except OSError as error:
            from verger.files.writing import unplaced

            raise unplaced(path, error) from None


def _expect_others(names: Iterable[_Name], others: Iterable[_Name], what: str, hint: str) -> None:
    """Refuse a file that is one of the others."""
    found = {other.identity: other.path for other in others}
    for name in names:
        if name.identity is not None and name.identity in found:
            other = found[name.identity]
            also = "" if other in (name.path, STANDARD) else f": it is `{other}`"
            raise UnusableOutput(f"{name.shown} is {what}{also}", hint)


def _expect_no_companions(
    names: Iterable[_Name], bases: Iterable[_Name], what: str, hint: str
) -> None:
    """Refuse the files that SQLite keeps next to a database; any input may be a database."""
    owners = {
        _identity(f"{place}{ending}", None): base.path
        for base in bases
        for place in {base.path, _real_path(base.path)}
        for ending in COMPANIONS
    }
    for name in names:
        if name.identity in owners:
            raise UnusableOutput(f"{name.shown} {what} `{owners[name.identity]}`", hint)


def _expect_outside(output: _Name, folder: str) -> None:
    """Refuse an output that is or will be in a folder, or that a link in the folder leads to."""
    if not is_stream(output.path):
        around = os.path.join(_real_path(folder), "")  # noqa: PTH118
        if _real_path(output.path).startswith(around):
            raise UnusableOutput(f"{output.shown} lies in `{folder}`, which is read", HINT)
    member = _member(folder, output.identity)
    if member is not None:
        raise UnusableOutput(f"{output.shown} is both input and output: it is `{member}`", HINT)


def _member(folder: str, identity: tuple[int, int] | str | None) -> str | None:
    """Return the path in a folder that is this file, whatever its name."""
    if not isinstance(identity, tuple):
        return None
    # What is no folder, or cannot be read, the command reports.
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return None
    for entry in entries:
        # For most entries, the inode is known without another system call.
        is_near = entry.is_symlink() or entry.inode() == identity[1]
        if is_near and _identity(entry.path, None) == identity:
            return entry.path
    return None
