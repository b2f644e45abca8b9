"""Apart: an output is never an input or a store.

In: the outputs of a command, its inputs, and its stores. Out: nothing, or `UnusableOutput` before
anything is written. Files are compared by device and inode, so that links, other spellings and
names in another case are the same file. Files that do not exist yet are compared by folder and
name, ignoring case, since some file systems ignore it.
"""

# ruff: noqa: PTH116, PTH118, PTH120

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from verger.errors import UnusableOutput
from verger.files.places import (
    STANDARD,
    descriptor_behind,
    place_behind,
    place_of,
    place_to_make,
    status_of,
)
from verger.files.spoken import SpokenInto, is_spoken_to
from verger.options import AnyPath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

JOURNAL = ".verger-journal"
"""The suffix of the folder in which `verger filter` keeps the finished parts of an output."""

COMPANIONS = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps next to a database (SQLite, File Naming Conventions)."""

HINT = "name another file for the output"
OTHER_CACHE = "name another file for the cache"

LONGEST_NAME = 255
"""The most bytes in a file name, on nearly all file systems."""

Identity = tuple[object, ...]
"""A value that is equal for all names of one file."""


class _Name:
    """A file of the command, under the name that the user gave it."""

    __slots__ = ("identity", "path", "place", "shown")

    def __init__(self, path: str, place: str | None, identity: Identity | None, std: str) -> None:
        self.path = path
        self.place = place
        """The path where the file is or will be; None for a stream."""
        self.identity = identity
        """None for what any number of commands may use at once, such as a terminal."""
        self.shown = std if path == STANDARD else f"`{path}`"


def journal_of(place: str) -> str:
    """Return the folder for the finished parts of an output: its name with a suffix.

    A name that is too long is replaced by a hash, which is the same in every run.
    """
    folder, name = os.path.split(place)
    data = os.fsencode(f"{name}{JOURNAL}")
    if len(data) <= LONGEST_NAME:
        return f"{place}{JOURNAL}"
    from hashlib import sha256

    return os.path.join(folder, f".{sha256(data).hexdigest()[:32]}{JOURNAL}")


def expect_apart(
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
    Within `Speaking`, stderr is an output as well; if it leads to one of these files, raises
    SpokenInto. Also refuses an output or a store with a path that the system would reject, before
    a folder created later could make the path valid.
    """
    sources = [_read(os.fspath(path)) for path in inputs]
    caches = [_written(os.fspath(path), None, place_to_make) for path in stores]
    written = [_written(os.fspath(path), sys.stdout, place_of) for path in outputs]
    around = [os.fspath(folder) for folder in folders]
    if is_spoken_to():
        _expect_stderr_apart(sources, caches, around)
    for cache in caches:
        _expect_other(cache, sources, "both input and cache", OTHER_CACHE)
    _expect_no_companion(sources, caches, "is read, and belongs to the cache", OTHER_CACHE)
    _expect_unread(written, sources, caches, around)
    for output in written:
        _expect_no_journal(output, sources, HINT)
        _expect_no_journal(output, caches, OTHER_CACHE)
    for place, output in enumerate(written):
        for other in written[:place]:
            if output.identity is not None and output.identity == other.identity:
                both = f"{other.shown} and {output.shown}"
                raise UnusableOutput(f"the outputs {both} are the same file", HINT)


def _expect_unread(
    written: Sequence[_Name],
    sources: Sequence[_Name],
    caches: Sequence[_Name],
    folders: Sequence[str],
) -> None:
    for output in written:
        _expect_other(output, sources, "both input and output", HINT)
        _expect_other(output, caches, "the cache itself", HINT)
    _expect_no_companion(written, [*sources, *caches], "belongs to", HINT)
    for output in written:
        for folder in folders:
            _expect_outside(output, folder)


def _expect_stderr_apart(
    sources: Sequence[_Name], caches: Sequence[_Name], folders: Sequence[str]
) -> None:
    descriptor = descriptor_behind(STANDARD, sys.stderr)
    if descriptor is None or os.isatty(descriptor):
        return
    try:
        _expect_unread(
            [_open(STANDARD, descriptor, sys.stderr, "stderr")], sources, caches, folders
        )
    except UnusableOutput as error:
        raise SpokenInto(error.message, error.hint) from None


def _expect_other(name: _Name, others: Sequence[_Name], what: str, hint: str) -> None:
    """Refuse a file that is one of the others."""
    if name.identity is None:
        return
    for other in others:
        if other.identity == name.identity:
            also = "" if other.path in (name.path, STANDARD) else f": it is `{other.path}`"
            raise UnusableOutput(f"{name.shown} is {what}{also}", hint)


def _expect_no_companion(
    names: Sequence[_Name], others: Sequence[_Name], what: str, hint: str
) -> None:
    """Refuse the files that SQLite keeps next to a database; any input may be a database."""
    owners: dict[Identity | None, str]
    owners = {other.identity: other.path for other in others if other.identity is not None}
    companions = {
        _identity_at(f"{other.place}{ending}"): other.path
        for other in others
        if other.place is not None
        for ending in COMPANIONS
    }
    for name in names:
        if name.identity is None:
            continue
        owner = companions.get(name.identity) or owners.get(_identity_of_base(name.place or ""))
        if owner is not None:
            raise UnusableOutput(f"{name.shown} {what} `{owner}`", hint)


def _identity_of_base(place: str) -> Identity | None:
    """Return the database that a file belongs to by its name, even through links."""
    ending = next((each for each in COMPANIONS if place.lower().endswith(each)), None)
    return None if ending is None else _identity_at(place[: -len(ending)])


def _expect_outside(output: _Name, folder: str) -> None:
    """Refuse an output that is or will be in a folder, or that a link in the folder leads to."""
    around = _identity_at(folder)
    if output.place is not None and around in _folders_of(output.place):
        raise UnusableOutput(f"{output.shown} lies in `{folder}`, which is read", HINT)
    if output.place is None or os.path.lexists(output.place):
        member = _member(folder, output.identity)
        if member:
            raise UnusableOutput(f"{output.shown} is both input and output: it is `{member}`", HINT)


def _member(folder: str, identity: Identity | None) -> str | None:
    """Return the path in a folder that is this file, whatever its name."""
    if identity is None:
        return None
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                # For most entries, the inode is known without another system call.
                is_near = entry.is_symlink() or entry.inode() == identity[1]
                if is_near and _identity_at(entry.path) == identity:
                    return entry.path
    except OSError:  # it is a file, or cannot be read, which the command reports
        pass
    return None


def _expect_no_journal(output: _Name, others: Sequence[_Name], hint: str) -> None:
    """Refuse an output inside another's journal, and inputs inside the output's own journal."""
    if output.place is None:
        return
    if f"{JOURNAL}{os.sep}" in f"{output.place}{os.sep}":
        raise UnusableOutput(f"{output.shown} belongs to the journal of another output", HINT)
    own = journal_of(output.place)
    for other in others:
        if other.place is not None and f"{other.place}{os.sep}".startswith(f"{own}{os.sep}"):
            raise UnusableOutput(f"{other.shown} lies in the journal of {output.shown}", hint)


def _folders_of(place: str) -> Iterator[Identity | None]:
    folder = os.path.dirname(place)
    while True:
        yield _identity_at(folder)
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


# Names


def _written(path: str, standard: "IO[str] | None", placed: Callable[[str], str]) -> _Name:
    """Return a file to be written. Raises UnusableOutput if the system would reject its path."""
    descriptor = descriptor_behind(path, standard)
    if descriptor is not None or path == STANDARD:
        return _open(path, descriptor, standard, "stdout")
    try:
        place = placed(path)
    except OSError as error:
        from verger.files.writing import unplaced

        raise unplaced(path, error) from None
    return _Name(path, place, _identity_at(place), "")


def _read(path: str) -> _Name:
    descriptor = descriptor_behind(path, sys.stdin)
    if descriptor is not None or path == STANDARD:
        return _open(path, descriptor, sys.stdin, "stdin")
    # Some readers normalise a path that the system would reject.
    place = os.path.realpath(path)
    status = status_of(path, None)
    return _Name(path, place, _identity_at(place) if status is None else _identity_of(status), "")


def _open(path: str, descriptor: int | None, standard: "IO[str] | None", std: str) -> _Name:
    """Return a file that is already open."""
    status = status_of(path, standard)
    place = None if descriptor is None else place_behind(descriptor)
    return _Name(path, place, None if status is None else _identity_of(status), std)


def _identity_at(place: str) -> Identity | None:
    """Return the identity of a file that may not exist; None for what all may use."""
    try:
        return _identity_of(os.stat(place))
    except (OSError, ValueError):
        pass
    with_links, name = os.path.split(place)
    try:
        folder, name = os.path.split(place_of(place))
        above = os.stat(folder)
    except OSError:
        return with_links, _folded(name)
    return above.st_dev, above.st_ino, _folded(name)


def _identity_of(status: os.stat_result) -> Identity | None:
    is_shared = stat.S_ISCHR(status.st_mode) or stat.S_ISSOCK(status.st_mode)
    return None if is_shared else (status.st_dev, status.st_ino)


def _folded(name: str) -> str:
    """Return a name as file systems that ignore case and Unicode composition compare it."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", name).casefold())
