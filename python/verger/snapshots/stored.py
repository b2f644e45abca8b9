"""Stored files: the robots.txt files of many origins on disk, whatever holds them.

In: origins. Out: for each its file, or the record of its fetches, or why nobody knows. Memory does
not grow with the snapshot. Folders have files named by host, as a crawl or an archive leaves them;
a host name, which is untrusted, never leads out of the folder.
"""

# Importing pathlib would take a tenth of the command's start-up time.
# ruff: noqa: PTH116, PTH118, PTH123, PTH208

import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from time import time as clock

from verger._core import Dialect, Origin
from verger.access.answer import Unanswered
from verger.errors import InvalidTarget, UnusableInput
from verger.files.formats import CAPTURED, format_by_name, is_of_other_form
from verger.files.input_errors import unreadable
from verger.files.robots_file import read_robots
from verger.untrusted_text import printable, quoted, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from verger.access.entry import Entry
    from verger.access.observation import Observation

    Found: TypeAlias = tuple[str, bytes] | Entry | Unanswered
    """The name and the bytes of a file, the record of its fetches, or why there is none."""

DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(10)]
)
"""Names that open no file on Windows, whatever follows a dot in them."""


DATED = re.compile(
    r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)"
    r"(?:[Tt_ -]?(\d\d)[:.-]?(\d\d)(?:[:.-]?(\d\d))?([Zz]|[+-]\d\d:?\d\d)?)?(?!\d)",
    re.ASCII,
)
"""`2026-01-05`, `2026-01-05T10:30:00Z`, `20260105103000`, anywhere in a name."""


class Stored(ABC):
    """A snapshot on disk, open until `close`; see `snapshots.opening`.

    records_fetches:  whether it has records of fetches, and not only files.
    shown:            what it is called in answers; a service tells no paths of its machine.
    """

    records_fetches = True

    def __init__(self, path: str) -> None:
        self.path = self.shown = path
        self.notes: list[str] = []
        """What is there and not used, in words for people; finding may add to it."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"

    @abstractmethod
    def find(
        self, origins: Collection[str], dialects: Iterable[Dialect]
    ) -> "Iterator[tuple[str, Found]]":
        """Yield each origin with what is known about it; of files what these dialects read."""

    def origins(self) -> Collection[str]:
        """Return all origins, where they are known; the files of a folder are taken for those of
        https."""
        return ()

    def close(self) -> None:  # noqa: B027 -- not all have open files
        """Close files."""


class StoredEntries(Stored):
    """The records of fetches."""

    @abstractmethod
    def load(self, origins: Collection[str]) -> "Mapping[str, Entry]":
        """Return the entries of those origins that have one."""

    def find(
        self, origins: Collection[str], dialects: Iterable[Dialect]
    ) -> "Iterator[tuple[str, Found]]":
        del dialects  # entries are whole
        entries = self.load(origins)
        hint = "ask about a site that it has, or pass another snapshot"
        for name in origins:
            why = f"nothing is known about `{name}` in `{self.shown}`"
            yield name, entries.get(name) or Unanswered("no-file", why, hint, site=name)


class Folder(Stored):
    """A folder of robots.txt files named by host."""

    records_fetches = False

    def find(
        self, origins: Collection[str], dialects: Iterable[Dialect]
    ) -> "Iterator[tuple[str, Found]]":
        dialects = list(dialects)
        for name in origins:
            yield name, self._file(Origin(name), dialects)

    def origins(self) -> Collection[str]:
        return origins_in(self.path)

    def _file(self, origin: Origin, dialects: Collection[Dialect]) -> "Found":
        path, name = file_of(self.path, origin), site_of(origin)
        if path is None:
            why = f"no file for `{name}` in `{self.shown}`"
            return Unanswered("no-file", why, _looked_for(names_of(origin)), site=name)
        shown = f"{self.shown}{path.removeprefix(self.path)}"
        try:
            with open(path, "rb") as file:
                data = read_robots(file.read, dialects)
        except OSError as error:
            why = reason_of(error)
            if not self.notes:
                self.notes.append(f"the first file that cannot be read is {quoted(path)}: {why}")
            return Unanswered("unreadable-file", f"cannot read `{shown}`: {why}", site=name)
        if not is_of_other_form(data):
            return shown, data
        from verger.access.observation import entry_observed

        return entry_observed(str(origin), [unpacked(data)], now=clock())


def unpacked(data: bytes) -> "Observation":
    """Return what the octets of a file stand for that may be those of another form."""
    from verger.access.observation import Observation
    from verger.fetching.decode import kept_file  # with what judges fetches

    body, is_cut = kept_file(data, False) or (None, False)
    return Observation(status=200, body=body, truncated=is_cut)


def _looked_for(names: list[str]) -> str | None:
    """Return a hint with the names that a file may have; None if no name is possible."""
    if not names:
        return None
    shown = [f"`{name}`" for name in names]
    return f"looked for {', '.join(shown[:-1])} or {shown[-1]}, with or without `.txt`"


# Files named by host


def expect_folder(path: str) -> None:
    """Raise UnusableInput for a folder that cannot be listed or entered, or whose files have dates
    in place of hosts.
    """
    try:
        with os.scandir(path) as found:
            names = [each.name for each in islice(found, 1_000) if each.name[0] != "."]
        os.stat(os.path.join(path, os.curdir))  # which listing alone does not need
    except OSError as error:
        hint = "let this user list and enter it, or name another folder"
        raise unreadable(path, error, what="folder", hint=hint) from None
    if names and all(DATED.match(name) or _is_dated(name) for name in names):
        raise UnusableInput(
            f"the files in `{printable(path)}` are named by date: versions of one site's file",
            f"judge by them: `verger audit --history {printable(path)}`",
        )


def origins_in(folder: str) -> list[str]:
    """Return the origins that files are named by, with https: names have no scheme.

    Files with other names are skipped.
    """
    return sorted({found for name in os.listdir(folder) if (found := origin_of_name(name))})


def origin_of_name(name: str) -> str | None:
    """Return the https origin whose file may have this name, or None: a date is no host, but when
    a version of a file came into force."""
    name = name.removesuffix(".txt")
    host, mark, port = name.rpartition("_")
    place = f"{host}:{port}" if mark and port.isdecimal() else name
    try:
        found = Origin(f"https://{place}/")
    except InvalidTarget:
        return None
    return str(found) if name in names_of(found) and not _is_dated(name) else None


def _is_dated(name: str) -> bool:
    """Whether a name is a date, or has one in its last part, where hosts have none."""
    last = name.removesuffix(".txt").rpartition(".")[2]
    return DATED.search(last) is not None


def file_of(folder: str, origin: Origin) -> str | None:
    """Return the path of an origin's file; None if the folder has none."""
    names = (f"{name}{ending}" for name in names_of(origin) for ending in ("", ".txt"))
    return next(filter(_is_file, (os.path.join(folder, name) for name in names)), None)


def _is_file(path: str) -> bool:
    """Whether a path is that of a file; true if it may not be looked at, or is a link that leads
    nowhere, so that reading fails."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return os.path.lexists(path)


def site_of(origin: Origin) -> str:
    """Return the host, and the port if it is not the scheme's default."""
    return str(origin).removeprefix(f"{origin.scheme}://")


def names_of(origin: Origin) -> list[str]:
    """Return the names that the file of an origin may have, most likely first, without `.txt`."""
    if not is_file_name(origin.host, on_windows=os.name == "nt"):
        return []
    bare = [origin.host] if site_of(origin) == origin.host else []
    return [*bare, f"{origin.host}:{origin.port}", f"{origin.host}_{origin.port}"]


def is_file_name(host: str, *, on_windows: bool) -> bool:
    """Whether a host is a plain file name; `..`, hidden files, archives and tables are not."""
    if (on_windows and host.partition(".")[0] in DEVICES) or format_by_name(host) in CAPTURED:
        return False
    return not host.startswith(".") and not any(mark in host for mark in "/\\\0")
