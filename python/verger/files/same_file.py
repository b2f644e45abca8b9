"""Overwriting: an output is never an input or a store.

In: the outputs of a command, its inputs, and its stores. Out: nothing, or `UnusableOutput` before
anything is written. Files are compared by device and inode, so that links and other spellings are
the same file; files that do not exist yet by their real path.
"""

import os
import stat
import sys
from collections.abc import Iterable

from verger.errors import UnusableOutput
from verger.files.paths import STANDARD, descriptor_of, real_path, status_of
from verger.options import AnyPath

COMPANIONS = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps next to a database (SQLite, File Naming Conventions)."""

HINT = "name another file for the output"
OTHER_CACHE = "name another file for the cache"

Identity = tuple[int, int] | str | None
"""Device and inode of a file, or the real path of one that does not exist; None for what many may
use at once."""


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
    stores:   databases that are read and written, with the files that SQLite keeps next to them.
    """
    read = _by_identity(inputs, descriptor_of(sys.stdin))
    caches = _by_identity(stores)
    beside_caches, beside_inputs = _companions(caches.values()), _companions(read.values())
    for identity, path in read.items():
        if identity in beside_caches:
            raise UnusableOutput(f"`{path}` is read, and belongs to the cache", OTHER_CACHE)
    for identity, path in caches.items():
        if status_of(path) is None and status_of(real_path(path)) is not None:
            said = "the system finds no such file, but for `.` or `/` at its end"
            raise UnusableOutput(f"cannot write `{path}`: {said}", OTHER_CACHE)
        _expect_other(path, identity, read, "both input and cache", OTHER_CACHE)
    written: dict[Identity, str] = {}
    around = {os.path.join(real_path(os.fspath(each)), ""): each for each in folders}  # noqa: PTH118
    for path in (os.fspath(each) for each in outputs):
        identity = _identity(path, descriptor_of(sys.stdout))
        _expect_other(path, identity, read, "both input and output", HINT)
        _expect_other(path, identity, caches, "the cache itself", HINT)
        _expect_other(path, identity, beside_caches | beside_inputs, "a file of the cache", HINT)
        _expect_outside(path, around)
        if identity is not None and identity in written:
            both = f"{_shown(written[identity])} and {_shown(path)}"
            raise UnusableOutput(f"the outputs {both} are the same file", HINT)
        written[identity] = path


def _companions(bases: Iterable[str]) -> dict[Identity, str]:
    real = map(real_path, bases)
    names = [f"{base}{ending}" for base in real for ending in COMPANIONS]
    # The path of one that does not exist is real already: of thousands, none is looked up again.
    return {_identity(name) if os.path.lexists(name) else name: name for name in names}


def _by_identity(paths: Iterable[AnyPath], standard: int | None = None) -> dict[Identity, str]:
    names = (os.fspath(each) for each in paths)
    return {_identity(name, standard): name for name in names}


def _identity(path: str, standard: int | None = None) -> Identity:
    """Return what is equal for all names of one file."""
    status = status_of(path, standard)
    if status is None and path != STANDARD:
        status = status_of(real_path(path))  # `file/.` is the file once it is tidied up
    if status is None:
        return None if path == STANDARD else real_path(path)
    is_shared = stat.S_ISCHR(status.st_mode) or stat.S_ISSOCK(status.st_mode)
    return None if is_shared else (status.st_dev, status.st_ino)


def _shown(path: str) -> str:
    return "stdout" if path == STANDARD else f"`{path}`"


def _expect_other(
    path: str, identity: Identity, others: dict[Identity, str], what: str, hint: str
) -> None:
    """Refuse a file that is one of the others."""
    if identity is not None and identity in others:
        other = others[identity]
        also = "" if other in (path, STANDARD) else f": it is `{other}`"
        raise UnusableOutput(f"{_shown(path)} is {what}{also}", hint)


def _expect_outside(written: str, folders: dict[str, AnyPath]) -> None:
    """Refuse an output in one of these folders, by their real paths."""
    # Where the system does not tell where stdout leads, it lies in no folder.
    path = "/proc/self/fd/1" if written == STANDARD else written
    above = os.path.join(real_path(os.path.dirname(path)), "")  # noqa: PTH118, PTH120
    for around, folder in folders.items():
        if real_path(path).startswith(around) or above.startswith(around):
            raise UnusableOutput(
                f"{_shown(written)} lies in `{os.fspath(folder)}`, which is read", HINT
            )
