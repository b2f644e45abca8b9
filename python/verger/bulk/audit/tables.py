"""The report of an audit as a table: a row for each crawler, or for each rule and crawler.

In: a result. Out: CSV (RFC 4180), byte for byte, or Parquet, where bytes that are not UTF-8 are
written as `\\xff`. Fields have the names of the JSON report.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from verger.bulk.audit.report import SCHEMA, timestamp
from verger.bulk.audit.result import AuditResult, CrawlerAudit, RuleAudit, RuleShare
from verger.files.csv_text import record
from verger.plain import unicode_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyarrow import DataType

Value = str | int | datetime | None
Kind = str

CRAWLER_COLUMNS: tuple[tuple[str, Kind, Callable[[CrawlerAudit], Value]], ...] = (
    ("crawler", "text", lambda each: each.token),
    ("operator", "text", lambda each: each.operator),
    ("purposes", "text", lambda each: " ".join(each.purposes) or None),
    ("respects", "text", lambda each: each.respects),
    ("sources", "text", lambda each: " ".join(each.sources) or None),
    ("requests", "number", lambda each: each.requests.count),
    ("closed", "number", lambda each: each.closed.count),
    ("closed_answered", "number", lambda each: each.closed.answered),
    ("closed_refused", "number", lambda each: each.closed.refused),
    ("closed_first", "time", lambda each: each.closed.first),
    ("closed_last", "time", lambda each: each.closed.last),
    ("unbound", "number", lambda each: each.unbound.count),
    ("excused", "number", lambda each: each.excused),
    ("unknown", "number", lambda each: each.unknown),
    ("robots_txt", "number", lambda each: each.robots_txt.count),
    ("robots_txt_last", "time", lambda each: each.robots_txt.last),
    ("first", "time", lambda each: each.requests.first),
    ("last", "time", lambda each: each.requests.last),
    ("example", "text", lambda each: next(iter(each.examples), None)),
    ("user_agent", "text", lambda each: each.user_agent),
)

RULE_COLUMNS: tuple[tuple[str, Kind, Callable[[tuple[RuleAudit, RuleShare]], Value]], ...] = (
    ("version", "text", lambda each: each[0].version.name),
    ("since", "time", lambda each: each[0].version.since),
    ("line", "number", lambda each: each[0].line),
    ("rule", "text", lambda each: each[0].rule),
    ("crawler", "text", lambda each: each[1].token),
    ("bound", "text", lambda each: "yes" if each[1].bound else "no"),
    ("closed", "number", lambda each: each[1].closed.count),
    ("closed_answered", "number", lambda each: each[1].closed.answered),
    ("closed_refused", "number", lambda each: each[1].closed.refused),
    ("closed_first", "time", lambda each: each[1].closed.first),
    ("closed_last", "time", lambda each: each[1].closed.last),
    ("unbound", "number", lambda each: each[1].unbound.count),
    ("example", "text", lambda each: each[1].example),
)


def csv_of(result: AuditResult, by: str) -> bytes:
    """Return a header, and one record for each row."""
    columns, rows = table_of(result, by)
    lines = [record(name for name, _ in columns), *(record(map(_field, row)) for row in rows)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def parquet_of(result: AuditResult, by: str) -> bytes:
    """Return the table as a file."""
    from verger.files.parquet import require_pyarrow

    require_pyarrow("writing Parquet")
    import pyarrow as pa

    from verger.files.parquet_sink import ParquetSink

    columns, rows = table_of(result, by)
    fields = [pa.field(name, _arrow(kind)) for name, kind in columns]
    schema = pa.schema(fields, metadata={"verger.schema": SCHEMA, "verger.table": by})
    values = [[unicode_value(row[place]) for row in rows] for place in range(len(columns))]
    output = pa.BufferOutputStream()
    with ParquetSink(output, schema) as sink:
        sink.write(pa.record_batch(values, schema=schema))
    return bytes(output.getvalue())


def table_of(result: AuditResult, by: str) -> tuple[Sequence[tuple[str, Kind]], list[list[Value]]]:
    """Return the columns and the rows of a table."""
    if by == "rule":
        pairs = [(rule, share) for rule in result.rules for share in rule.crawlers]
        rows = [[value(pair) for _, _, value in RULE_COLUMNS] for pair in pairs]
        return [(name, kind) for name, kind, _ in RULE_COLUMNS], rows
    rows = [[value(each) for _, _, value in CRAWLER_COLUMNS] for each in result.crawlers]
    return [(name, kind) for name, kind, _ in CRAWLER_COLUMNS], rows


def _field(value: Value) -> str | int | None:
    return timestamp(value) if isinstance(value, datetime) else value


def _arrow(kind: Kind) -> "DataType":
    import pyarrow as pa

    kinds = {"text": pa.string(), "number": pa.int64(), "time": pa.timestamp("us", "UTC")}
    return kinds[kind]
