"""What an archive takes from others, and gives them.

In: archives of the web, tables, caches, and folders of dated files. Out: observations, as if they
had been made at their times; and a table of all that was observed, which is read wherever an
exported cache is.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, replace

from verger.access.entry import Entry
from verger.access.observation import Observation, is_hop, result_observed
from verger.access.result import AccessResult
from verger.bulk.audit.history import history_of, moment_of
from verger.cache.export import export_parquet
from verger.captures.column_names import COUNTED, TRUNCATED
from verger.errors import InvalidTable, UnusableInput
from verger.files.formats import format_by_name
from verger.files.same_file import expect_no_overwriting
from verger.snapshots.cached import CachedEntries
from verger.snapshots.opening import kind_of
from verger.snapshots.table import rows_of
from verger.untrusted_text import quoted
from verger.watch.archive import Archive, Seen
from verger.watch.news import Interest, found_in
from verger.watch.states import State
from verger.watch.warc_export import times_of, write_warc

Observed = tuple[str, AccessResult]


def import_into(
    archive: Archive, found: Iterable[Observed], origin: str | None, interest: Interest
) -> int:
    """Add what others observed, and return how many observations are new; all or none.

    found:   what `observed_in` returns.
    origin:  only this one's; None for all.
    """
    number = 0
    origins: set[str] = set()
    with archive.transaction():
        for name, result in found:
            if origin in (None, name) and not is_hop(result):
                number += archive.add_from_others(name, result)
                origins.add(name)
        for name in origins:
            _settle(archive, name, interest)
    return number


def _settle(archive: Archive, origin: str, interest: Interest) -> None:
    """Store the state in which the imported observations leave a site: no news of the past."""
    state = State()
    for seen in archive.observations(origin):
        found, _ = found_in(seen.result, interest.dialect)
        if found != "failing" and not (seen.user_agent or seen.proxy):
            state = State(found, seen.first, told=seen.number)
    archive.put_state(origin, 0, asdict(state), 0.0)


def observed_in(path: str, origin: str | None) -> Iterator[Observed]:
    """Return what is observed in a snapshot, or in a folder of files named by date.

    origin:  whose files those in a folder are.
    Raises UnusableInput and others of what is read.
    """
    kind = kind_of(path)
    if kind == "folder":
        if origin is None:
            why = f"the files in {quoted(path)} are of one site"
            raise UnusableInput(why, "say which: `verger history ORIGIN --import FOLDER`")
        versions = ((each.since, each.body) for each in history_of([path]))
        seen = (
            Observation(at.timestamp() if at else None, 200, body=body) for at, body in versions
        )
        return ((origin, result_observed(f"{origin}/robots.txt", each)) for each in seen)
    return _of_cache(path) if kind == "cache" else _of_rows(path, kind)


def _of_cache(path: str) -> Iterator[Observed]:
    with closing(CachedEntries(path)) as cache:
        for name, entry in cache.load(cache.origins()).items():
            yield from ((name, each) for each in (entry.copy, entry.last) if each)


def _of_rows(path: str, kind: str) -> Iterator[Observed]:
    is_any = is_dated = False
    for batch in rows_of(path, kind):
        for row in batch.to_pylist():
            moment, origin = moment_of(row["time"]), row["origin"]
            is_any = True
            if origin and moment is not None:
                is_dated = True
                facts = map(row.get, ("status", "failure", "body", COUNTED, TRUNCATED))
                seen = Observation(moment.timestamp(), *facts)
                yield origin, result_observed(f"{origin}/robots.txt", seen)
    if is_any and not is_dated:
        hint = "an observation needs its time: name the column `time`"
        raise InvalidTable(f"no row of {quoted(path)} has a site and a time", hint)


class _Exported:
    """Observations of an archive as the entries of a store, first and last time."""

    def __init__(self, archive: Archive, seen: Iterable[Seen]) -> None:
        self.path, self._seen = archive.path, seen

    async def entries(self) -> AsyncIterator[Entry]:
        for seen in self._seen:
            for at in times_of(seen):
                yield Entry(seen.origin, replace(seen.result, fetched_at=at))


async def export(archive: Archive, output: str, origins: Collection[str] = ()) -> tuple[int, int]:
    """Write what was observed of some origins, or of all; return how many rows that are, and how
    many are left out.

    output:  a name that ends in `.warc` or `.warc.gz` for WARC, which has whole responses alone;
             else Parquet.
    Each observation is a row for its first time and one for its last. Where pages of the archive
    are damaged, what can be read of it is written, in the order in which it was stored. Raises as
    `export_parquet`.
    """
    if archive.is_sound():
        names = origins or archive.origins()
        found = (seen for name in names for seen in archive.observations(name))
    else:
        found = (seen for seen in archive.each() if not origins or seen.origin in origins)
    return await _written(archive, found, output)


async def _written(archive: Archive, seen: Iterable[Seen], output: str) -> tuple[int, int]:
    if format_by_name(output) == "warc":
        expect_no_overwriting([output], stores=[archive.path])
        return write_warc(seen, output)
    return await export_parquet(_Exported(archive, seen), output), 0  # type: ignore[arg-type]
