"""What an archive takes from others, and gives them.

In: archives of the web, tables, caches, and folders of dated files. Out: observations, as if they
had been made at their times; and a table of all that was observed, which is read wherever an
exported cache is.
"""

import os
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import closing
from dataclasses import asdict, replace

from verger.access.entry import Entry
from verger.access.observation import Observation, is_hop, result_observed
from verger.access.result import AccessResult
from verger.bulk.audit.history import history_of, moment_of
from verger.cache.export import export_parquet
from verger.errors import UnusableInput
from verger.files.formats import format_begun, format_by_name
from verger.snapshots.cached import CachedEntries
from verger.snapshots.table import rows_of
from verger.untrusted_text import quoted
from verger.watch.archive import Archive
from verger.watch.news import Interest, found_in
from verger.watch.states import State

Observed = tuple[str, AccessResult]


def import_into(archive: Archive, path: str, origin: str | None, interest: Interest) -> int:
    """Add what others observed, and return how many observations that were; all or none.

    origin:  whose files those in a folder are; of other sources, only this one's; None for all.
    Raises UnusableInput and others of what is read.
    """
    number = 0
    origins: set[str] = set()
    with archive.transaction():
        for name, result in _observed(path, origin):
            if origin in (None, name) and not is_hop(result):
                archive.add(name, 0, result)
                origins.add(name)
                number += 1
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


def _observed(path: str, origin: str | None) -> Iterator[Observed]:
    if os.path.isdir(path):  # noqa: PTH112
        if origin is None:
            why = f"the files in {quoted(path)} are of one site"
            raise UnusableInput(why, "say which: `verger history ORIGIN --import FOLDER`")
        for version in history_of([path]):
            at = version.since.timestamp() if version.since else None
            yield (
                origin,
                result_observed(f"{origin}/robots.txt", Observation(at, 200, body=version.body)),
            )
    elif (format := format_begun(path) or format_by_name(path)) == "cache":
        with closing(CachedEntries(path)) as cache:
            for name, entry in cache.load(cache.origins()).items():
                yield from ((name, each) for each in (entry.copy, entry.last) if each)
    else:
        for batch in rows_of(path, str(format)):
            for row in batch.to_pylist():
                moment = moment_of(row["time"])
                if row["origin"] and moment is not None:
                    at = moment.timestamp()
                    seen = Observation(at, row["status"], row["failure"], row["body"])
                    yield row["origin"], result_observed(f"{row['origin']}/robots.txt", seen)


class _Exported:
    """The observations of an archive as the entries of a store, first and last time."""

    def __init__(self, archive: Archive, origins: Collection[str]) -> None:
        self.path, self._archive, self._origins = archive.path, archive, origins

    async def entries(self) -> AsyncIterator[Entry]:
        for name in self._origins:
            for seen in self._archive.observations(name):
                for at in dict.fromkeys((seen.first, seen.last)):
                    yield Entry(name, replace(seen.result, fetched_at=at))


async def export(archive: Archive, output: str, origins: Collection[str]) -> int:
    """Write what was observed of some origins as Parquet, and return how many rows that are.

    Each observation is a row for its first time and one for its last. Raises as `export_parquet`.
    """
    return await export_parquet(_Exported(archive, origins), output)
