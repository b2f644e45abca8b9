"""robots.txt files on disk: one for all URLs, or a snapshot of many.

In: the bytes of a file, or an open snapshot, and URLs. Out: the file that governs each URL, or why
there is none. A `OneFile` answers for every URL, a `SnapshotFiles` for the origins that it has.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from verger._core import DIALECTS, Origin
from verger.files.folder import Folder, FolderSite
from verger.files.lru_cache import KEPT_BYTES, LruCache, cost_of_site
from verger.files.paths import is_url
from verger.plain import reason_of
from verger.snapshots.answer import Question, Unanswered, origin_asked
from verger.snapshots.files import RobotsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger._core import Dialect, RobotsTxt
    from verger.access.entry import Entry
    from verger.snapshots.fetched_file import FetchedFile

    Kind = RobotsFile | FetchedFile | Unanswered

    class SnapshotEntries(Protocol):
        """A snapshot that records fetches: a table, an archive or a cache."""

        def load(self, origins: Collection[str], /) -> Mapping[str, Entry]:
            """Return the entries that there are."""
            ...

        @property
        def notes(self) -> Sequence[str]:
            """What is there and not used, in words for people."""
            ...

        def close(self) -> None:
            """Let go of files."""
            ...


class OneFile:
    """One robots.txt file, which answers for every URL."""

    tells_fetches = False

    def __init__(
        self, data: bytes, questions: Sequence[Question], *, name: str, url: str | None = None
    ) -> None:
        self._file = RobotsFile(data, questions, name=name, url=url)
        self.last_line: int | None = _lines_in(data)

    def file_for(self, _url: str, /) -> RobotsFile:
        """Return the one file there is."""
        return self._file

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
    """Many files, or the results of fetching them.

    path:   what messages call the snapshot.
    found:  the open snapshot, which `close` closes.
    """

    last_line: int | None = None  # unknown until all files are read

    def __init__(
        self, path: str, found: "Folder | SnapshotEntries", questions: Sequence[Question]
    ) -> None:
        self._path = path
        self._questions = questions
        self._found = found
        self.tells_fetches = not isinstance(found, Folder)
        self._find: Callable[[str], Kind] = (
            partial(self._in_folder, found)
            if isinstance(found, Folder)
            else partial(self._in_entries, found)
        )
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

    def file_of(self, site: str) -> "RobotsFile | FetchedFile":
        """Return the file of a URL's origin, or of a host, which is looked up with https, then
        http; raise `Unanswered` if there is none."""
        if is_url(site):
            return self.file_for(site)
        try:
            return self.file_for(f"https://{site}")
        except Unanswered as first:
            if first.kind != "no-file":
                raise
            try:
                return self.file_for(f"http://{site}")
            except Unanswered as second:
                raise (first if second.kind == "no-file" else second) from None

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
            data = folder.read(path, dialects_of(self._questions))
        except OSError as error:
            why = f"cannot read `{path}`: {reason_of(error)}"
            return Unanswered("unreadable-file", why, site=site.name)
        return RobotsFile(data, self._questions, name=path, site=site.name)

    def _in_entries(self, entries: "SnapshotEntries", origin: str) -> "Kind":
        from verger.snapshots.fetched_file import fetched_file

        entry = entries.load([origin]).get(origin)
        if entry is None:
            why = f"nothing is known about `{origin}` in `{self._path}`"
            hint = "ask about a site that it has, or pass another snapshot"
            return Unanswered("no-file", why, hint, site=origin)
        return fetched_file(entry, self._questions, "snapshot", entry.last.fetched_at)


def dialects_of(questions: Sequence[Question]) -> "Iterator[Dialect]":
    """Yield the dialect of each question."""
    return (DIALECTS[question.dialect] for question in questions)


def _origin_of(url: str) -> str:
    return origin_asked(url, why_not="a snapshot has a file for each", hint="pass an absolute URL")


def _cost(origin: str, found: "Kind") -> int:
    words = found.message + (found.hint or "") if isinstance(found, Unanswered) else ""
    size = len(words) if isinstance(found, Unanswered) else found.size
    return cost_of_site(origin, size)


def _lines_in(data: bytes) -> int:
    ends = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    return ends + (not data.endswith((b"\n", b"\r")))
