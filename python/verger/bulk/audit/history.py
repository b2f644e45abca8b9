"""The history of a robots.txt file: its versions, and when each came into force.

In: files with a date in their names, folders of them, tables (Parquet, CSV, JSON Lines) or archives
(WARC) with a row or a record for each time that the file was fetched. Out: `Version`s in order of
time, each different from the one before. `verger.access` says what a row means after those before
it (RFC 9309 section 2.3.1): a file that was unavailable closed nothing; one that was unreachable
changed nothing, as long as the copy from before applies or everything is closed, because no crawler
is blamed on the basis of an unknown file.
"""

import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain, pairwise
from pathlib import Path
from time import time as clock

from verger._core import Dialect, Origin, _dialect_of
from verger.access.entry import binding_body, policy_of
from verger.access.observation import Observation, entries_observed, place_in_time
from verger.captures.column_names import COUNTED, TRUNCATED
from verger.dialects import RFC9309
from verger.errors import InvalidOption, InvalidTable, InvalidTarget, MissingExtra, UnusableInput
from verger.files.formats import CAPTURED, format_by_name, is_of_other_form
from verger.files.input_errors import unreadable
from verger.files.robots_file import LARGEST, read_named
from verger.options import AnyDialect, Paths, expect_texts, paths_of
from verger.snapshots.stored import DATED
from verger.untrusted_text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:  # what fetches need is half of what a short run would load
    from verger.client.site import Site

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

WHOLE = RFC9309.replace(parse_limit=LARGEST)
"""Reads a version whole, whatever part of it the dialect of the audit reads."""

NO_VERSION = (
    "pass dated files, or a table with a row that has a file, or a status such as 404 for a site "
    "without one"
)
HINT = "name versions by date, such as `2026-01-05.txt` or `2026-01-05T10:30:00Z.txt`"


@dataclass(frozen=True, slots=True)
class Version:
    """A robots.txt file, and when it came into force.

    name:   the path or URL it came from, for messages and reports.
    body:   the bytes of the file.
    since:  when it came into force, with a time zone; None for always.
    """

    name: str
    body: bytes = field(repr=False)
    since: datetime | None = None


def history_of(
    paths: Paths,
    *,
    hosts: Sequence[str] = (),
    dialect: AnyDialect = "rfc9309",
) -> list[Version]:
    """Return the versions in files, folders, tables and archives, in order of time.

    paths:    a file or a folder, or several.
    hosts:    the hosts whose file it is, if a table or an archive has files of several.
    dialect:  what a status means, a name from `verger.DIALECTS` or a `Dialect` of your own.
    Raises:   UnusableInput, for what is not a history; InvalidOption, for what is not a host;
              UnknownName; MissingExtra, for Parquet without pyarrow.
    """
    expect_texts("hosts", hosts, "hosts")
    read_as = _dialect_of(dialect)
    versions: list[Version] = []
    for path in map(Path, paths_of("paths", paths)):
        for file in _files_at(path):
            format = format_by_name(file)
            if format in CAPTURED:
                versions += _versions_in_captures(file, format, hosts, read_as)
            else:
                versions.append(Version(str(file), _body_of(file), _time_in_name(file)))
    if not versions:
        raise UnusableInput("the history holds no version", NO_VERSION)
    return _changes(in_order(versions))


def version_of(site: "Site") -> Version | None:
    """Return the file of a client's site, as the version for all times.

    An empty one if everything may be fetched without a file; None if the rules are unknown.
    """
    body = site.binding_body
    name = site.origin if site.entry is None else site.entry.last.url
    return None if body is None else Version(name, body)


def in_order(versions: Iterable[Version]) -> list[Version]:
    """Return versions in the order in which they came into force; those without a time first."""
    first = datetime.min.replace(tzinfo=UTC)
    return sorted(versions, key=lambda version: version.since or first)


def _changes(versions: list[Version]) -> list[Version]:
    """Return versions without those that equal the one before."""
    changes = versions[:1] + [new for old, new in pairwise(versions) if new.body != old.body]
    for old, new in pairwise(changes):
        if old.since == new.since:
            names = f"`{old.name}` and `{new.name}`"
            raise UnusableInput(f"{names} differ and are of the same time", HINT)
    return changes


def _files_at(path: Path) -> list[Path]:
    try:
        if not stat.S_ISDIR(path.stat().st_mode):
            return [path]
        found = sorted(path.iterdir())
    except OSError as error:
        raise unreadable(str(path), error, what="file or folder") from None
    shown = [file for file in found if not file.name.startswith(".")]
    for file in shown:
        if not file.is_file() and DATED.search(file.name):
            why = f"`{file}` is named as a version, and is no file that can be read"
            raise UnusableInput(why, "is it a broken link, or a folder? Leave it out, or mend it")
    return [file for file in shown if file.is_file()]


def _body_of(path: Path) -> bytes:
    body = read_named(str(path), [WHOLE], is_path=True)
    if len(body) > LARGEST:
        why = f"`{path}` has more than {LARGEST:,} bytes and is not a robots.txt file"
        raise UnusableInput(why, "pass a robots.txt file, a folder of them, or a Parquet file")
    if is_of_other_form(body):
        raise UnusableInput(f"`{path}` holds nothing but zeros", "leave it out, or mend it")
    return body


def _time_in_name(path: Path) -> datetime:
    found = DATED.search(path.name)
    if found is None:
        raise UnusableInput(f"there is no date in the name of `{path}`", HINT)
    *date, hour, minute, second, zone = found.groups()
    time = f"{hour or '00'}:{minute or '00'}:{second or '00'}{(zone or 'Z').upper()}"
    try:
        return datetime.fromisoformat(f"{'-'.join(date)}T{time}")
    except ValueError:
        raise UnusableInput(f"`{found[0]}` in the name of `{path}` is not a date", HINT) from None


# Tables and archives


def _versions_in_captures(
    path: Path, format: str, hosts: Sequence[str], dialect: Dialect
) -> list[Version]:
    """Return what came into force with each row; of rows with the same time the last counts."""
    rows = sorted(_observe(path, format, hosts), key=lambda row: place_in_time(row[2]))
    seen = (seen for _, _, seen in rows)
    entries = entries_observed("https://verger.invalid", seen, now=clock())
    versions: dict[datetime | None, Version] = {}
    for (name, since, _), entry in zip(rows, entries, strict=True):
        body = binding_body(entry, policy_of(entry, dialect))
        if body is not None:
            versions[since] = Version(name, body, since)
    return list(versions.values())


def _observe(
    path: Path, format: str, hosts: Sequence[str]
) -> Iterator[tuple[str, datetime | None, Observation]]:
    """Yield the rows of the hosts that are wanted: name, time, and what was observed.

    Raises UnusableInput if they are of several sites; InvalidTable for a row that names no site:
    its file may be that of another.
    """
    with MissingExtra.unless_installed("parquet", "reading tables"):
        from verger.captures.tables import HISTORY
        from verger.snapshots.table import rows_of

    wanted = set(hosts_of(hosts))
    sites: set[str] = set()
    rows = chain.from_iterable(batch.to_pylist() for batch in rows_of(str(path), format, HISTORY))
    for number, row in enumerate(rows, start=1):
        if "origin" in row:
            site = _expect_site(row["origin"], number, path)
            if wanted and Origin(site).host not in wanted:
                continue
            sites.add(site)
        if len(sites) > 1:
            names = " and ".join(f"`{name}`" for name in sorted(sites))
            hint = "say which with `--host`, or pass the files of one origin"
            raise UnusableInput(f"`{path}` holds the files of {names}", hint)
        since = moment_of(row["time"])
        at = None if since is None else since.timestamp()
        yield (
            f"{path}:{number}",
            since,
            Observation(at, *map(row.get, ("status", "failure", "body", COUNTED, TRUNCATED))),
        )


def _expect_site(site: str | None, number: int, path: Path) -> str:
    if site is None:
        hint = "give each row an origin, or leave the column out"
        raise InvalidTable(f"row {number:,} of `{path}` names no site", hint)
    return site


def moment_of(microseconds: int | None) -> datetime | None:
    """Return a time since 1970; None if it is outside the calendar of Python."""
    try:
        return None if microseconds is None else EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None


# Hosts


def hosts_of(words: Iterable[str]) -> list[str]:
    """Return hosts, or those of URLs, in canonical form and without ports, as servers log them.

    Raises InvalidOption for a text that names no host.
    """
    return [_host_of(word) for word in words]


def _host_of(word: str) -> str:
    try:
        return Origin(word if "/" in word else f"http://{word}").host
    except InvalidTarget:
        why = f"{quoted(word)} is not a host"
        raise InvalidOption(why, "pass one such as `www.example.com`") from None
