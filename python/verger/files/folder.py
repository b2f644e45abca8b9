"""Folders of robots.txt files named by host, as a crawl or an archive leaves them.

In: the path of a folder, and origins. Out: the path of the file that governs each, and its bytes,
up to the parsing limit (RFC 9309 section 2.5). A host name, which is untrusted, never leads out of
the folder.
"""

# Importing pathlib would take a tenth of the command's start-up time.
# ruff: noqa: PTH116, PTH118, PTH123, PTH208

import errno
import os
import stat
from collections.abc import Iterable, Iterator

from verger._core import Dialect, Origin
from verger.errors import InvalidTarget
from verger.files.formats import CAPTURED, format_by_name
from verger.files.reading import unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


LARGEST = 64 << 20
"""The most bytes read for a dialect without a limit: no robots.txt file is larger."""

DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(10)]
)
"""Names that open no file on Windows, whatever follows a dot in them."""


class Folder:
    """A folder of robots.txt files named by host."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.notes: list[str] = []
        """What is not used, in words for people: the first file that could not be read."""

    def __repr__(self) -> str:
        return f"Folder({self.path!r})"

    def find(self, origin: str) -> str | None:
        """Return the path of an origin's file; None if the folder has none."""
        names = FolderSite(Origin(origin)).file_names()
        paths = (os.path.join(self.path, name) for name in names)
        return next(filter(_is_file, paths), None)

    def origins(self) -> list[str]:
        """Return the origins that its files are named by, with https: names have no scheme.

        Files with other names are skipped.
        """
        names = os.listdir(self.path)
        return sorted({found for name in names if (found := origin_of_name(name)) is not None})

    def names(self) -> list[str]:
        """Return the names of everything in the folder except hidden files."""
        return sorted(name for name in os.listdir(self.path) if not name.startswith("."))

    def read(self, path: str, dialects: Iterable[Dialect]) -> bytes:
        """Return the part of a file that these dialects read. Raises OSError."""
        with open(path, "rb") as file:
            return read_robots(file, dialects)

    def read_first(self, path: str, size: int) -> bytes:
        """Return the first bytes of a file. Raises OSError."""
        with open(path, "rb") as file:
            return file.read(size)

    def close(self) -> None:
        """Do nothing: no file is kept open."""


def open_folder(path: str) -> Folder:
    """Return the folder at a path. Raises UnusableInput if it cannot be listed or entered."""
    try:
        os.scandir(path).close()
        os.stat(os.path.join(path, os.curdir))  # which listing alone does not need
    except OSError as error:
        hint = "let this user list and enter it, or name another folder"
        raise unreadable(path, error, what="folder", hint=hint) from None
    return Folder(path)


def _is_file(path: str) -> bool:
    """Whether a path is that of a file; true if it may not be looked at, so that reading fails."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def origin_of_name(name: str) -> str | None:
    """Return the https origin whose file may have this name, or None."""
    name = name.removesuffix(".txt")
    host, mark, port = name.rpartition("_")
    place = f"{host}:{port}" if mark and port.isdecimal() else name
    try:
        found = Origin(f"https://{place}/")
    except InvalidTarget:
        return None
    return str(found) if name in FolderSite(found).file_names() else None


def read_robots(stream: "IO[bytes]", dialects: Iterable[Dialect]) -> bytes:
    """Return the part of a file that these dialects read, and one more byte if there is more.

    Raises OSError for an endless stream that a dialect without a limit would read.
    """
    limits = [dialect.parse_limit for dialect in dialects]
    known = [limit for limit in limits if limit is not None]
    if len(known) == len(limits):
        return stream.read(max(known) + 1)
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST:,} bytes")
    return data


class FolderSite:
    """A host and port, by which the files of a folder are named."""

    __slots__ = ("host", "name", "port")

    def __init__(self, origin: Origin) -> None:
        self.host = origin.host
        self.port = origin.port
        self.name = str(origin).removeprefix(f"{origin.scheme}://")
        """The host, and the port if it is not the scheme's default."""

    def file_names(self) -> Iterator[str]:
        """Yield the names that the file of this site may have, most likely first."""
        for name in self._bare_names():
            yield name
            yield f"{name}.txt"

    def looked_for(self) -> str | None:
        """Return a text with the names that the file may have; None if no file name is possible."""
        quoted = [f"`{name}`" for name in self._bare_names()]
        if not quoted:
            return None
        return f"looked for {', '.join(quoted[:-1])} or {quoted[-1]}, with or without `.txt`"

    def _bare_names(self) -> list[str]:
        if not is_file_name(self.host, on_windows=os.name == "nt"):
            return []
        bare = [self.host] if self.name == self.host else []
        return [*bare, f"{self.host}:{self.port}", f"{self.host}_{self.port}"]


def is_file_name(host: str, *, on_windows: bool) -> bool:
    """Whether a host is a plain file name; `..`, hidden files, archives and tables are not."""
    if (on_windows and host.partition(".")[0] in DEVICES) or format_by_name(host) in CAPTURED:
        return False
    return not host.startswith(".") and not any(mark in host for mark in "/\\\0")
