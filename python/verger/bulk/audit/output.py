"""The report of an audit for programs: JSON, or a table of crawlers, or of rules and crawlers.

In: a result. Out: JSON that follows `schemas/audit-1.schema.json`, in ASCII, on one line, where
bytes that are not UTF-8 are lone surrogates, as in Python: `\\udcff` is the byte 0xFF; CSV
(RFC 4180), byte for byte; or Parquet, where such bytes are written as `\\xff`.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from verger.bulk.audit.history import Version
from verger.bulk.audit.result import AuditResult, CrawlerAudit, Requests, RuleAudit, RuleShare
from verger.errors import MissingExtra
from verger.files.csv_text import record
from verger.files.json_text import Json, json_text
from verger.untrusted_text import unicode_value

SCHEMA = "verger.audit/1"

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


# JSON


def json_of(result: AuditResult, dialect: str) -> bytes:
    """Return the object and a line end."""
    report: Json = {
        "schema": SCHEMA,
        "dialect": dialect,
        "log": _log(result),
        "versions": [_version(version) for version in result.versions],
        "closed": result.closed,
        "unbound": result.unbound,
        "crawlers": [_crawler(crawler) for crawler in result.crawlers],
        "rules": [_rule(rule) for rule in result.rules],
        "problems": [problem.message for problem in result.problems],
    }
    return f"{json_text(report)}\n".encode("ascii")


def timestamp(moment: datetime | None) -> str | None:
    """Return a time as `2026-01-05T10:30:00Z`, with a fraction if it has one."""
    if moment is None:
        return None
    return moment.isoformat().replace("+00:00", "Z")


def _log(result: AuditResult) -> Json:
    log = result.log
    return {
        "lines": log.lines,
        "judged": log.judged,
        "people": log.people,
        "nameless": log.nameless,
        "other_crawlers": log.other_crawlers,
        "other_methods": log.other_methods,
        "no_url": log.no_url,
        "other_hosts": log.other_hosts,
        "other_times": log.other_times,
        "undated": log.undated,
        "unreadable": log.unreadable,
        "unreadable_lines": [
            {"input": line.input, "line": line.line, "reason": line.reason}
            for line in log.unreadable_lines
        ],
        "hosts": log.hosts,
        "first": timestamp(log.first),
        "last": timestamp(log.last),
    }


def _version(version: Version) -> Json:
    return {"name": version.name, "since": timestamp(version.since)}


def _crawler(crawler: CrawlerAudit) -> Json:
    return {
        "token": crawler.token,
        "operator": crawler.operator,
        "purposes": crawler.purposes,
        "respects": crawler.respects,
        "sources": crawler.sources,
        "user_agent": crawler.user_agent,
        "requests": _requests(crawler.requests),
        "closed": _requests(crawler.closed),
        "unbound": _requests(crawler.unbound),
        "share": round(crawler.share, 6),
        "excused": crawler.excused,
        "unknown": crawler.unknown,
        "robots_txt": _requests(crawler.robots_txt),
        "examples": crawler.examples,
    }


def _rule(rule: RuleAudit) -> Json:
    return {
        "version": _version(rule.version),
        "line": rule.line,
        "rule": rule.rule,
        "closed": _requests(rule.requests),
        "example": rule.example,
        "crawlers": [
            {
                "token": share.token,
                "bound": share.bound,
                "closed": _requests(share.closed),
                "unbound": _requests(share.unbound),
                "example": share.example,
            }
            for share in rule.crawlers
        ],
    }


def _requests(requests: Requests) -> Json:
    return {
        "count": requests.count,
        "answered": requests.answered,
        "refused": requests.refused,
        "first": timestamp(requests.first),
        "last": timestamp(requests.last),
    }


# Tables


def csv_of(result: AuditResult, by: str) -> bytes:
    """Return a header, and one record for each row."""
    columns, rows = table_of(result, by)
    lines = [record(name for name, _ in columns), *(record(map(_field, row)) for row in rows)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def parquet_of(result: AuditResult, by: str) -> bytes:
    """Return the table as a file."""
    with MissingExtra.unless_installed("parquet", "writing Parquet"):
        import pyarrow as pa

        from verger.files.parquet import ParquetSink

    columns, rows = table_of(result, by)
    kinds = {"text": pa.string(), "number": pa.int64(), "time": pa.timestamp("us", "UTC")}
    fields = [pa.field(name, kinds[kind]) for name, kind in columns]
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
