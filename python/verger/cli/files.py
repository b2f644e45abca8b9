"""robots.txt files on disk: one for all URLs, or a snapshot of many.

In: a path, and URLs. Out: the file that governs each URL, or why there is none.
A `OneFile` answers for every URL, a `SnapshotFiles` for the origins that it has.
"""

# Importing pathlib would take a tenth of the command's start-up time.
# ruff: noqa: PTH112, PTH123

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from verger import DIALECTS, Origin
from verger.answers.answer import Question, Unanswered
from verger.answers.files import RobotsFile
from verger.cli.exit import Failure
from verger.cli.urls import origin_asked
from verger.files.folder import Folder, FolderSite, read_robots
from verger.files.kept import KEPT_BYTES, LruCache, cost_of_site
from verger.files.places import STANDARD
from verger.files.reading import unreadable
from verger.files.standard import stdin_bytes
from verger.plain import printable, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger import Dialect, RobotsTxt
    from verger.answers.fetched_file import FetchedFile
    from verger.bulk.on_disk import Entries

    Kind = RobotsFile | FetchedFile | Unanswered

MOST_BYTES = 16 << 20
"""A longer file is not a robots.txt file: crawlers read half a megabyte (RFC 9309 section 2.5)."""


class OneFile:
    """One robots.txt file, which answers for every URL."""

    tells_fetches = False

    def __init__(self, path: str, questions: Sequence[Question], url: str | None = None) -> None:
        hint = f"pass `--snapshot {path}` for a folder of files named by host"
        data = read_named(path, _dialects(questions), if_folder=hint)
        name = "stdin" if path == STANDARD else path
        self._file = RobotsFile(data, questions, name=name, url=url)
        self.last_line: int | None = _lines_in(data)

    def file_for(self, _url: str, /) -> RobotsFile:
        """Return the one file there is."""
        return self._file

    def close(self) -> None:
        """Do nothing: the file has been read."""

    @property
    def name(self) -> str:
        """The path of the file, as it was given."""
        return self._file.name

    @property
    def read(self) -> "list[RobotsTxt]":
        """The file as each dialect reads it."""
        read = {agent.robots.dialect.name: agent.robots for agent in self._file.agents}
        return list(read.values())


class SnapshotFiles:
    """Many files, or the results of fetching them: a folder, a table, an archive or a cache."""

    def __init__(self, path: str, questions: Sequence[Question]) -> None:
        self._path = path
        self._questions = questions
        found = self._found = _open(path)
        self.tells_fetches = not isinstance(found, Folder)
        self._find: Callable[[str], Kind] = (
            partial(self._in_folder, found)
            if isinstance(found, Folder)
            else partial(self._in_entries, found)
        )
        self.last_line: int | None = None  # unknown until all files are read
        self._kept: LruCache[Kind] = LruCache(KEPT_BYTES)

    def file_for(self, url: str, /) -> "RobotsFile | FetchedFile":
        """Return the file of the URL's origin; raise `Unanswered` if there is none."""
        origin = _origin_of(url)
        found = self._kept.get(origin)
        if found is None:
            found = self._find(origin)
            self._kept.put(origin, found, _cost(origin, found))
        if isinstance(found, Unanswered):
            raise found.with_traceback(None)  # else the kept error's traceback grows each time
        return found

    @property
    def notes(self) -> Sequence[str]:
        """What is there and not used, in words for people."""
        return self._found.notes

    def close(self) -> None:
        """Close the snapshot's files."""
        self._found.close()

    def _in_folder(self, folder: Folder, origin: str) -> "Kind":
        site = FolderSite(Origin(origin))
        path = folder.find(origin)
        if path is None:
            why = f"no file for `{site.name}` in `{self._path}`"
            return Unanswered("no-file", why, site.looked_for(), site=site.name)
        try:
            data = folder.read(path, _dialects(self._questions))
        except OSError as error:
            why = f"cannot read `{path}`: {reason_of(error)}"
            return Unanswered("unreadable-file", why, site=site.name)
        return RobotsFile(data, self._questions, name=path, site=site.name)

    def _in_entries(self, entries: "Entries", origin: str) -> "Kind":
        from verger.answers.fetched_file import fetched_file

        entry = entries.load([origin]).get(origin)
        if entry is None:
            why = f"nothing is known about `{origin}` in `{self._path}`"
            hint = "ask about a site that it has, or pass another snapshot"
            return Unanswered("no-file", why, hint, site=origin)
        return fetched_file(entry, self._questions, "snapshot", entry.last.fetched_at)


def _open(path: str) -> "Folder | Entries":
    if os.path.isdir(path):  # without the import below, which costs more than all else
        return Folder(path)
    from verger.bulk.on_disk import open_snapshot

    return open_snapshot(path)


def _origin_of(url: str) -> str:
    return origin_asked(url, why_not="a snapshot has a file for each", hint="pass an absolute URL")


def _cost(origin: str, found: "Kind") -> int:
    words = found.message + (found.hint or "") if isinstance(found, Unanswered) else ""
    size = len(words) if isinstance(found, Unanswered) else found.size
    return cost_of_site(origin, size)


def _lines_in(data: bytes) -> int:
    ends = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    return ends + (not data.endswith((b"\n", b"\r")))


def read_named(
    path: str,
    dialects: "Iterable[Dialect]",
    *,
    if_missing: str | None = None,
    if_folder: str | None = None,
) -> bytes:
    """Return the part of a robots.txt file that these dialects read; `-` is stdin.

    if_missing:  the hint if there is no such file; `if_folder` if it is a folder.
    Raises `Failure`.
    """
    if path == STANDARD:
        try:
            return read_robots(stdin_bytes("robots.txt"), dialects)
        except OSError as error:
            why = f"cannot read robots.txt from stdin: {reason_of(error)}"
            raise Failure(why, "pass the path of the file") from None
    try:
        with open(path, "rb") as file:
            return read_robots(file, dialects)
    except IsADirectoryError:
        raise Failure(
            f"`{path}` is a folder, not a file", if_folder or "name a file in it"
        ) from None
    except OSError as error:
        hint = if_missing if isinstance(error, FileNotFoundError) else None
        raise unreadable(path, error, hint=hint) from None


def read_whole(path: str) -> bytes:
    """Return the bytes of a robots.txt file, or of stdin for `-`.

    Raises `Failure` if it cannot be read, or has more than `MOST_BYTES`.
    """
    body = read_named(path, [DIALECTS["rfc9309"].replace(parse_limit=MOST_BYTES)])
    expect_size(body, "stdin" if path == STANDARD else path)
    return body


def expect_size(body: bytes, name: str) -> None:
    """Refuse a file that is too long to be a robots.txt file."""
    if len(body) > MOST_BYTES:
        why = f"`{printable(name)}` has more than {MOST_BYTES >> 20} MiB"
        raise Failure(why, "pass a robots.txt file")


def _dialects(questions: Sequence[Question]) -> "Iterator[Dialect]":
    return (DIALECTS[question.dialect] for question in questions)
