"""robots.txt files on disk: one for all URLs, or a folder of files named by host.

In: a path, and URLs. Out: the file that speaks for each URL, or why there is none.
A `OneFile` answers for every URL, a `Snapshot` for the sites that its folder has files of;
a host name, which comes from strangers, never leads out of the folder.
"""

# pathlib would cost the command a tenth of its start.
# ruff: noqa: PTH110, PTH112, PTH123

import os
from collections.abc import Iterator, Sequence

from verger import DIALECTS, Origin
from verger.cli.answers import Question, RobotsFile, Unanswered
from verger.cli.exit import Failure
from verger.cli.urls import origin_asked
from verger.files.folder import Site, path_in, read_robots
from verger.files.kept import Kept
from verger.files.standard import stdin_bytes
from verger.plain import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger import Dialect, RobotsTxt

KEPT_BYTES = 64 << 20
"""How much of a folder is kept parsed; what was not asked for longest goes first."""

BYTES_A_SITE = 4_096
"""What a site costs beyond the bytes of its file, roughly."""


class OneFile:
    """One robots.txt file, which answers for every URL."""

    def __init__(self, path: str, questions: Sequence[Question], url: str | None = None) -> None:
        data = _stdin_file(questions) if path == "-" else _named_file(path, questions)
        name = "stdin" if path == "-" else path
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


class Snapshot:
    """A folder of robots.txt files named by host, as a crawl or an archive leaves it."""

    def __init__(self, folder: str, questions: Sequence[Question]) -> None:
        self._folder = _checked_folder(folder)
        self._questions = questions
        self.last_line: int | None = None  # nobody knows before all are read
        self._kept: Kept[RobotsFile | Unanswered] = Kept(KEPT_BYTES)

    def file_for(self, url: str, /) -> RobotsFile:
        """Return the file of the URL's host; raise `Unanswered` where there is none."""
        origin = _origin_of(url)
        found = self._kept.get(origin)
        if found is None:
            found = self._find(Site(Origin(origin)))
            self._kept.put(origin, found, _cost(origin, found))
        if isinstance(found, Unanswered):
            raise found.with_traceback(None)  # raising what is kept would lengthen its traceback
        return found

    def _find(self, site: "Site") -> RobotsFile | Unanswered:
        path = path_in(self._folder, site)
        if path is not None:
            return self._read(path, site)
        why = f"no file for `{site.name}` in `{self._folder}`"
        return Unanswered("no-file", why, site.looked_for(), site=site.name)

    def _read(self, path: str, site: "Site") -> RobotsFile | Unanswered:
        try:
            data = _read(path, self._questions)
        except OSError as error:
            why = f"cannot read `{path}`: {reason_of(error)}"
            return Unanswered("unreadable-file", why, site=site.name)
        return RobotsFile(data, self._questions, name=path, site=site.name)


def _origin_of(url: str) -> str:
    return origin_asked(url, why_not="a folder has a file for each", hint="pass an absolute URL")


def _cost(origin: str, found: RobotsFile | Unanswered) -> int:
    words = found.message + (found.hint or "") if isinstance(found, Unanswered) else ""
    size = found.size if isinstance(found, RobotsFile) else len(words)
    return BYTES_A_SITE + len(origin) + size


def _lines_in(data: bytes) -> int:
    ends = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    return ends + (not data.endswith((b"\n", b"\r")))


def _checked_folder(folder: str) -> str:
    if os.path.isdir(folder):
        return folder
    if os.path.exists(folder):
        raise Failure(f"`{folder}` is a file, not a folder", f"pass it as `--robots {folder}`")
    raise Failure(f"no such folder: `{folder}`")


def _named_file(path: str, questions: Sequence[Question]) -> bytes:
    try:
        return _read(path, questions)
    except FileNotFoundError:
        raise Failure(f"no such file: `{path}`") from None
    except IsADirectoryError:
        hint = f"pass `--snapshot {path}` for a folder of files named by host"
        raise Failure(f"`{path}` is a folder, not a file", hint) from None
    except OSError as error:
        raise Failure(f"cannot read `{path}`: {reason_of(error)}") from None


def _stdin_file(questions: Sequence[Question]) -> bytes:
    try:
        return read_robots(stdin_bytes("robots.txt"), _dialects(questions))
    except OSError as error:
        raise Failure(f"cannot read robots.txt from stdin: {reason_of(error)}") from None


def _read(path: str, questions: Sequence[Question]) -> bytes:
    with open(path, "rb") as file:
        return read_robots(file, _dialects(questions))


def _dialects(questions: Sequence[Question]) -> "Iterator[Dialect]":
    return (DIALECTS[question.dialect] for question in questions)
