"""robots.txt files on disk: one for all URLs, or a folder of files named by host.

In: a path, and URLs. Out: the file that speaks for each URL, or why there is none.
A `OneFile` answers for every URL, a `Snapshot` for the sites that its folder has files of;
a host name, which comes from strangers, never leads out of the folder.
"""

# pathlib would cost the command a tenth of its start.
# ruff: noqa: PTH110, PTH112, PTH113, PTH118, PTH123

import os
from collections.abc import Iterator, Sequence

from verger import DIALECTS, InvalidTarget, parse
from verger.cli.answers import Question, RobotsFile, Unanswered
from verger.cli.exit import Failure, reason_of
from verger.cli.urls import stdin_octets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger import RobotsTxt

KEPT_OCTETS = 64 << 20
"""How much of a folder is kept parsed; what was not asked for longest goes first."""

OCTETS_A_SITE = 4_096
"""What a site costs beyond the octets of its file, roughly."""

DEFAULT_PORTS = {"http": "80", "https": "443", "ftp": "21"}

# Which texts are absolute URLs is the core's law; this file is asked, and rules over nothing.
_JUDGE = parse(b"", url="https://verger.invalid/robots.txt")


class OneFile:
    """One robots.txt file, which answers for every URL."""

    def __init__(self, path: str, questions: Sequence[Question], url: str | None = None) -> None:
        octets = _stdin_file(questions) if path == "-" else _named_file(path, questions)
        name = "stdin" if path == "-" else path
        self._file = RobotsFile(octets, questions, name=name, url=url)
        self.last_line: int | None = _lines_in(octets)

    def file_for(self, _url: str, /) -> RobotsFile:
        """Return the one file there is."""
        return self._file

    @property
    def name(self) -> str:
        """The path of the file, as it was given."""
        return self._file.name

    @property
    def truncated(self) -> "list[RobotsTxt]":
        """The file as each dialect reads it that does not read it all (RFC 9309 section 2.5)."""
        read = {agent.robots.dialect.name: agent.robots for agent in self._file.agents}
        return [robots for robots in read.values() if robots.truncated]


class Snapshot:
    """A folder of robots.txt files named by host, as a crawl or an archive leaves it."""

    def __init__(self, folder: str, questions: Sequence[Question]) -> None:
        self._folder = _checked_folder(folder)
        self._questions = questions
        self.last_line: int | None = None  # nobody knows before all are read
        self._kept: dict[str, RobotsFile | Unanswered] = {}
        self._kept_octets = 0

    def file_for(self, url: str, /) -> RobotsFile:
        """Return the file of the URL's host; raise `Unanswered` where there is none."""
        origin = _origin_as_written(url)
        found = self._kept.pop(origin, None)
        if found is None:
            found = self._find(Site.of(url))
            self._kept_octets += _cost(origin, found)
            self._forget()
        self._kept[origin] = found
        if isinstance(found, Unanswered):
            raise found.with_traceback(None)  # raising what is kept would lengthen its traceback
        return found

    def _find(self, site: "Site") -> RobotsFile | Unanswered:
        for name in site.file_names():
            path = os.path.join(self._folder, name)
            if os.path.isfile(path):
                return self._read(path, site)
        why = f"no file for `{site.name}` in `{self._folder}`"
        return Unanswered("no-file", why, site.looked_for(), site=site.name)

    def _read(self, path: str, site: "Site") -> RobotsFile | Unanswered:
        try:
            octets = _read(path, self._questions)
        except OSError as error:
            why = f"cannot read `{path}`: {reason_of(error)}"
            return Unanswered("unreadable-file", why, site=site.name)
        return RobotsFile(octets, self._questions, name=path, site=site.name)

    def _forget(self) -> None:
        """Let go of what was asked for longest ago, until the rest is small enough."""
        while self._kept_octets > KEPT_OCTETS and self._kept:
            oldest = next(iter(self._kept))
            self._kept_octets -= _cost(oldest, self._kept.pop(oldest))


class Site:
    """A host with its port: what the files of a snapshot are named by."""

    __slots__ = ("host", "is_default_port", "port")

    def __init__(self, scheme: str, host: str, port: str) -> None:
        default = DEFAULT_PORTS.get(scheme, "")
        self.host = host
        self.port = port or default
        self.is_default_port = self.port == default

    @classmethod
    def of(cls, url: str) -> "Site":
        """Return the site that a URL belongs to."""
        try:
            _JUDGE.governs(url)
        except InvalidTarget as error:
            raise Unanswered.because(error) from None
        if url.startswith("/"):
            why = f"`{url}` names no host, and a folder has a file for each"
            raise Unanswered("no-host", why, "pass an absolute URL")
        scheme, _, authority = _origin_as_written(url).partition("://")
        host_port = authority.rpartition("@")[2]
        at = host_port.find(":", host_port.find("]") + 1)
        host, port = (host_port, "") if at < 0 else (host_port[:at], host_port[at + 1 :])
        return cls(scheme.lower(), _a_labels(host), port and str(int(port)))

    @property
    def name(self) -> str:
        """The host, and the port where it is not the scheme's own."""
        return self.host if self.is_default_port else f"{self.host}:{self.port}"

    def file_names(self) -> Iterator[str]:
        """Yield the names that the file of this site may have, likeliest first."""
        for name in self._bare_names():
            yield name
            yield f"{name}.txt"

    def looked_for(self) -> str | None:
        """Return in words which names the file may have; None where no file may."""
        quoted = [f"`{name}`" for name in self._bare_names()]
        if not quoted:
            return None
        return f"looked for {', '.join(quoted[:-1])} or {quoted[-1]}, with or without `.txt`"

    def _bare_names(self) -> list[str]:
        if not _is_safe(self.host):
            return []
        bare = [self.host] if self.is_default_port else []
        return [*bare, f"{self.host}:{self.port}", f"{self.host}_{self.port}"]


def _origin_as_written(url: str) -> str:
    """Return the URL up to the end of its authority (RFC 3986 section 3.2)."""
    start = url.find("://") + 3
    end = url.find("/", start)
    origin = url if end < 0 else url[:end]
    for mark in "?#":
        origin = origin.partition(mark)[0]
    return origin


def _a_labels(host: str) -> str:
    """Return a host in lower case and A-label form.

    The core has the tables of UTS 46 and applies them to the hosts in `Host` records: so the
    name is put into one and read back.
    """
    if host.isascii():
        return host.lower()
    mirror = parse(f"Host: {host}").records[0].value
    return str(getattr(mirror, "host", host))


def _is_safe(host: str) -> bool:
    """Whether a host is one plain file name; `..` and hidden files are none."""
    return not host.startswith(".") and not any(mark in host for mark in "/\\\0")


def _cost(origin: str, found: RobotsFile | Unanswered) -> int:
    words = found.message + (found.hint or "") if isinstance(found, Unanswered) else ""
    size = found.size if isinstance(found, RobotsFile) else len(words)
    return OCTETS_A_SITE + len(origin) + size


def _lines_in(octets: bytes) -> int:
    ends = octets.count(b"\n") + octets.count(b"\r") - octets.count(b"\r\n")
    return ends + (not octets.endswith((b"\n", b"\r")))


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
        hint = f"pass `--robots-dir {path}` for a folder of files named by host"
        raise Failure(f"`{path}` is a folder, not a file", hint) from None
    except OSError as error:
        raise Failure(f"cannot read `{path}`: {reason_of(error)}") from None


def _stdin_file(questions: Sequence[Question]) -> bytes:
    try:
        return stdin_octets("robots.txt").read(_octets_needed(questions))
    except OSError as error:
        raise Failure(f"cannot read robots.txt from stdin: {reason_of(error)}") from None


def _read(path: str, questions: Sequence[Question]) -> bytes:
    with open(path, "rb") as file:
        return file.read(_octets_needed(questions))


def _octets_needed(questions: Sequence[Question]) -> int:
    """Return how much of a file is worth reading, -1 for all: a limit, and one octet to see it."""
    limits = [DIALECTS[question.dialect].parse_limit for question in questions]
    known = [limit for limit in limits if limit is not None]
    return max(known) + 1 if len(known) == len(limits) else -1
