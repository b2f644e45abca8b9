"""Changes: tables of `verger diff` become the numbers of a report.

In: tables of `verger.changes/1`. Out: how many sites changed, for whom and how gravely. A site
counts once for each purpose of crawlers, by its gravest change for them. A part of the sites is in
memory; the others are in files.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verger.analysis.differing import SEVERITIES
from verger.bulk.report.grouping import Grouping, schema_of
from verger.bulk.report.sources import ReportInput
from verger.bulk.report.summary import EVERYBODY, OTHERS, ChangedFor, Changes

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ["origin", "severity", "agents", "purposes"]

PURPOSES = 200
"""The most purposes that are counted; the registry has some dozens."""


def changes_of(sources: Sequence[ReportInput], folder: Path) -> Changes | None:
    """Return the numbers; None without tables of changes. `folder` is for temporary files."""
    if not sources:
        return None
    rows = sum(source.rows for source in sources)
    counts: dict[str, Counter[str]] = {}
    with Grouping(folder / "changes", _schema(), key="origin", rows=rows, merge=_merged) as sites:
        for source in sources:
            for batch in source.batches(COLUMNS):
                sites.add(_parts(batch))
        for merged in sites.merged():
            for who, severity, number in _counted(merged):
                if who in counts or len(counts) < PURPOSES:
                    counts.setdefault(who, Counter())[severity] += number
    ordered = sorted(counts, key=lambda who: (who != EVERYBODY, who != OTHERS, who))
    return Changes(rows, [ChangedFor(who, counts[who]) for who in ordered])


def _schema() -> "pa.Schema":
    return schema_of(origin="string", who="string", rank="int8")


def _parts(batch: "pa.RecordBatch") -> "pa.Table":
    """Return for each row its groups of crawlers: all, those that no group names, purposes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    origin = batch["origin"].cast(pa.string())
    known = pa.array(SEVERITIES, pa.string())
    rank = pc.index_in(batch["severity"].cast(pa.string()), known).cast(pa.int8())
    everybody = pa.repeat(pa.scalar(EVERYBODY), len(origin))
    agents = pc.list_flatten(batch["agents"]).cast(pa.string())
    unnamed = pc.list_parent_indices(batch["agents"]).filter(pc.equal(agents, OTHERS))
    purposes = pc.list_flatten(batch["purposes"]).cast(pa.string())
    places = pc.list_parent_indices(batch["purposes"])
    parts = [
        (origin, everybody, rank),
        (origin.take(unnamed), pa.repeat(pa.scalar(OTHERS), len(unnamed)), rank.take(unnamed)),
        (origin.take(places), purposes, rank.take(places)),
    ]
    table = pa.concat_tables([pa.Table.from_arrays(part, schema=_schema()) for part in parts])
    return table.filter(pc.and_(table["origin"].is_valid(), table["rank"].is_valid()))


def _merged(table: "pa.Table") -> "pa.Table":
    """Return the gravest change of each site for each group."""
    grouped = table.group_by(["origin", "who"]).aggregate([("rank", "min")])
    return grouped.rename_columns(["origin", "who", "rank"]).cast(_schema())


def _counted(table: "pa.Table") -> "Iterator[tuple[str, str, int]]":
    for each in table.group_by(["who", "rank"]).aggregate([([], "count_all")]).to_pylist():
        yield each["who"], SEVERITIES[each["rank"]], each["count_all"]
