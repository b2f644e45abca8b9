"""Counting: tables of `verger scan` and `verger diff` become the numbers of a report.

In: tables. Out: a `Summary`. DuckDB reads the Parquet files, counts as `counting.sql` says, and
keeps what does not fit into memory in a temporary folder.
"""

import shutil
from collections import Counter, namedtuple
from collections.abc import Sequence
from datetime import UTC, datetime
from glob import escape
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from verger.bulk.report.sources import MECHANISMS, USES, ReportInput
from verger.bulk.report.summary import By, Row, Summary, resource
from verger.errors import MissingExtra
from verger.files.addresses import open_input
from verger.files.input_errors import damaged
from verger.files.paths import is_address
from verger.files.writing import temporary_files

MEMORY = "400MB"
"""What DuckDB may use; the rest is in the temporary folder."""

THREADS = 2
"""Each needs more than a hundred megabytes to itself (DuckDB, Tuning Workloads)."""

Database = duckdb.DuckDBPyConnection


def summary_of(sources: Sequence[ReportInput], *, by: By = "auto", carry: bool = False) -> Summary:
    """Return the numbers.

    Raises `InvalidTable` if a table cannot be read to its end, `UnusableOutput` if temporary files
    cannot be written, `MissingExtra` for a DuckDB that is too old.
    """
    MissingExtra.expect("report", "a report", duckdb, least="1.3")
    with temporary_files(), TemporaryDirectory(prefix="verger-report-") as folder:
        summary = _counted(sources, Path(folder), by, carry)
    for source in sources:
        source.expect_unchanged()
    return summary


def _counted(sources: Sequence[ReportInput], folder: Path, by: By, carry: bool) -> Summary:
    settings: dict[str, Any] = {
        "memory_limit": MEMORY,
        "threads": THREADS,
        "temp_directory": str(folder),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(config=settings) as database:
        try:
            _open(database, sources, folder)
            return _summary(database, sources, by, carry)
        except duckdb.Error as error:
            _expect_readable(database, sources, folder)
            raise OSError(_reason(error)) from error  # of what does not fit into memory
        except RuntimeError as error:  # in place of what a handler of a signal raised
            raise KeyboardInterrupt from error


def _expect_readable(database: Database, sources: Sequence[ReportInput], folder: Path) -> None:
    """Raise `InvalidTable` for the first table that DuckDB cannot read."""
    for number, source in enumerate(sources):
        try:
            columns = _columns(source, 0, [_link(folder, number)])
            database.execute(f"SELECT max(hash(COLUMNS(*))) FROM ({columns})").fetchall()
        except duckdb.OutOfMemoryException:
            continue
        except duckdb.Error as error:
            why = _reason(error).replace(str(_link(folder, number)), Path(source.path).name)
            raise damaged(source.path, ValueError(why)) from None


def _reason(error: duckdb.Error) -> str:
    """Return what DuckDB says, without the kind of the error and without advice."""
    return str(error).partition("\n")[0].partition(": ")[2]


def _link(folder: Path, number: int) -> Path:
    """Return a name for a table that DuckDB takes for no pattern, and for no URL."""
    return folder / f"{number}.parquet"


def _put(path: str, link: Path) -> None:
    """Have a table under another name: an object as a copy."""
    if not is_address(path):
        link.symlink_to(Path(path).resolve())
        return
    with open_input(path) as source, link.open("wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)


# The tables


def _open(database: Database, sources: Sequence[ReportInput], folder: Path) -> None:
    """Create the tables and views of the SQL files, over the columns of the sources."""
    database.execute(resource("tables.sql"))
    layouts: dict[bytes, list[int]] = {}
    for number, source in enumerate(sources):
        _put(source.path, _link(folder, number))
        layouts.setdefault(source.layout, []).append(number)
    parts = {True: ["FROM no_changes"], False: ["FROM no_captures"]}
    for layout, numbers in enumerate(layouts.values()):
        source = sources[numbers[0]]
        columns = _columns(source, layout, [_link(folder, number) for number in numbers])
        database.execute(f"CREATE VIEW layout{layout} AS {columns}")
        parts[source.is_of_changes].append(f"FROM layout{layout}")
        for kind, names in (("field", source.fields), ("crawler", source.crawlers)):
            rows = [(layout, kind, place, name) for place, name in enumerate(names, start=1)]
            if rows:
                database.executemany("INSERT INTO names VALUES (?, ?, ?, ?)", rows)
    for view, is_of_changes in (("changes", True), ("captures", False)):
        union = " UNION ALL BY NAME ".join(parts[is_of_changes])
        database.execute(f"CREATE VIEW {view} AS {union}")
    database.execute(resource("counting.sql"))


def _columns(source: ReportInput, layout: int, links: Sequence[Path]) -> str:
    """Return the query for the columns of tables that have the layout of `source`.

    Numbers and words of another hand are null.
    """
    paths = ", ".join(_quoted(escape(str(link)), "'") for link in links)
    file = f"read_parquet([{paths}], file_row_number = true, filename = 'verger_link')"
    if source.is_of_changes:
        return f"""
        SELECT origin, TRY_CAST(severity AS severity) AS severity, agents, purposes
        FROM {file}"""
    fields = [f"TRY_CAST(fields.{_quoted(name)} AS BIGINT)" for name in source.fields]
    uses = _columns_of_use() if source.has_uses else ""
    crawlers = [
        f"TRY_CAST(crawlers.{_quoted(token)}.posture AS posture)" for token in source.crawlers
    ]
    return f"""
        SELECT
            parse_filename(verger_link, true)::INTEGER AS source,
            {layout} AS layout,
            file_row_number AS number,
            plausible_day(epoch_us(time)) AS day,
            epoch_us(time) AS time,
            origin,
            TRY_CAST(status AS BIGINT) AS status,
            TRY_CAST(access AS access) AS access,
            TRY_CAST(bytes AS BIGINT) AS bytes,
            digest,
            truncated,
            len(sitemaps) AS sitemaps,
            {", ".join(f"content_signals.{use}" for use in USES)},{uses}
            TRY_CAST(posture AS posture) AS posture,
            list_transform(
                findings,
                lambda each: {{'code': each.code, 'count': TRY_CAST(each.count AS BIGINT)}}
            ) AS findings,
            [{", ".join(fields)}] AS fields,
            [{", ".join(crawlers)}] AS crawlers
        FROM {file}"""


def _columns_of_use() -> str:
    """Return what each mechanism says of each use as one list, and contradictions as another."""
    said = [
        f"""{{
            'use': '{use.replace("_", "-")}',
            'mechanism': '{mechanism.replace("_", "-")}',
            'allows': TRY_CAST(uses.{use}.{mechanism}.allows AS BIGINT),
            'disallows': TRY_CAST(uses.{use}.{mechanism}.disallows AS BIGINT)
        }}"""
        for use, mechanism in product(USES, MECHANISMS)
    ]
    conflicts = [
        f"""coalesce(list_transform(
            uses.{use}.conflicts,
            lambda each: {{
                'use': '{use.replace("_", "-")}',
                'allows': each.allows,
                'disallows': each.disallows
            }}
        ), [])"""
        for use in USES
    ]
    return f"""
            len(licenses) AS licenses,
            CASE WHEN uses IS NOT NULL THEN [{", ".join(said)}] END AS uses,
            {" || ".join(conflicts)} AS conflicts,"""


def _quoted(text: str, mark: str = '"') -> str:
    """Return the name of a column in SQL, or, between marks of the other kind, a text."""
    return f"{mark}{text.replace(mark, 2 * mark)}{mark}"


# Out of it


def _summary(database: Database, sources: Sequence[ReportInput], by: By, carry: bool) -> Summary:
    def rows(view: str) -> list[Row]:
        found = database.execute(f"FROM {view}")
        row = namedtuple("row", [name for name, *_ in found.description])  # type: ignore[misc]
        return list(map(row._make, found.fetchall()))

    scans = [source for source in sources if not source.is_of_changes]
    database.execute("INSERT INTO asked VALUES (?)", [by])
    database.execute("INSERT INTO calendar FROM snapshot_of_days")
    database.execute("INSERT INTO counted FROM chosen")
    if carry:
        database.execute("INSERT INTO counted FROM carried")
    database.execute("INSERT INTO digests SELECT digest FROM files WHERE digest IS NOT NULL")
    # What was asked for saves memory above; DuckDB 1.3 would forget the order of a view for it.
    database.execute("SET preserve_insertion_order = true")
    (times,) = rows("times")
    (contents,) = rows("contents")
    changes = {who: Counter(sites) for who, sites in rows("changed")}
    return Summary(
        tables=len(scans),
        captures=times.captures,
        strays=times.strays,
        undated=times.undated,
        first=_time(times.first),
        last=_time(times.last),
        snapshots=rows("snapshots"),
        crawlers=rows("crawlers"),
        answers=rows("answers"),
        contents=contents,
        sizes=rows("sizes"),
        fields=rows("fields"),
        signals=rows("signals"),
        uses=rows("uses"),
        conflicts=rows("conflicts"),
        findings=rows("findings"),
        repeated=rows("repeated"),
        dialects=sorted({source.dialect for source in scans if source.dialect}),
        versions=sorted({source.version for source in scans if source.version}),
        changes=changes if len(scans) < len(sources) else None,
    )


def _time(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
