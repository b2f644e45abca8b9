"""Files that several sites share, byte for byte.

In: files by their digests. Out: how many differ, and those that most sites share. Exact, in bounded
memory: digests are counted part by part (see `grouping`).
"""

from pathlib import Path
from typing import TYPE_CHECKING

from verger.bulk.report.grouping import Grouping, schema_of
from verger.bulk.report.summary import Repeated

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 20
"""The most files that are listed."""


class Repeats:
    """Counts files by their digests."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._grouping = Grouping(
            folder / "digests", _schema(), key="digest", rows=rows, merge=_together
        )

    def __enter__(self) -> "Repeats":
        return self

    def __exit__(self, *_: object) -> None:
        self._grouping.__exit__()

    def add(self, files: "pa.RecordBatch") -> None:
        """Count files that were read; those without a digest are left out."""
        import pyarrow as pa
        import pyarrow.compute as pc

        sitemaps = pc.list_value_length(files["sitemaps"]).cast(pa.int64())
        origins = files["origin"].cast(pa.string())
        table = pa.table(
            [
                files["digest"].cast(pa.binary()),
                pa.repeat(pa.scalar(1, pa.int64()), files.num_rows),
                files["bytes"].cast(pa.int64()),
                sitemaps.fill_null(0),
                files["posture"].cast(pa.string()),
                origins,
                origins,
            ],
            schema=_schema(),
        )
        self._grouping.add(table.filter(table["digest"].is_valid()))

    def found(self) -> tuple[int, list[Repeated]]:
        """Return how many files differ, and the most common that several sites share."""
        different = 0
        best: list[Repeated] = []
        for table in self._grouping.merged():
            different += len(table)
            top = table.sort_by([("files", "descending"), ("digest", "ascending")])[:SHOWN]
            best += map(_repeated, top.to_pylist())
            best = sorted(best, key=lambda each: (-each.files, each.digest))[:SHOWN]
        return different, [each for each in best if each.files > 1]


def _schema() -> "pa.Schema":
    counts = dict.fromkeys(("files", "bytes", "sitemaps"), "int64")
    return schema_of(digest="binary", **counts, posture="string", one="string", another="string")


def _together(table: "pa.Table") -> "pa.Table":
    """Return one row for each digest, with the first and the last of its origins by alphabet."""
    ways = {
        "files": "sum",
        "bytes": "max",
        "posture": "first",
        "sitemaps": "max",
        "one": "min",
        "another": "max",
    }
    grouped = table.group_by("digest", use_threads=False).aggregate(list(ways.items()))
    names = {f"{name}_{way}": name for name, way in ways.items()}
    renamed = grouped.rename_columns([names.get(name, name) for name in grouped.column_names])
    return renamed.select(table.column_names).cast(table.schema)


def _repeated(row: dict[str, object]) -> Repeated:
    digest, posture = row["digest"], row["posture"]
    assert isinstance(digest, bytes)
    return Repeated(
        digest=digest.hex(),
        files=_number(row["files"]),
        size=_number(row["bytes"]),
        posture=None if posture is None else str(posture),
        sitemaps=_number(row["sitemaps"]),
        examples=tuple(dict.fromkeys((str(row["one"]), str(row["another"])))),
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
