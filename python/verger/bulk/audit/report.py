"""The report of an audit as one JSON object.

In: a result. Out: an object that follows `schemas/audit-1.schema.json`, in ASCII, on one line.
Bytes that are not UTF-8 are lone surrogates, as in Python: `\\udcff` is the byte 0xFF.
"""

from datetime import datetime

from verger.bulk.audit.history import Version
from verger.bulk.audit.result import AuditResult, CrawlerAudit, Requests, RuleAudit
from verger.files.json_text import Json, json_text

SCHEMA = "verger.audit/1"


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
