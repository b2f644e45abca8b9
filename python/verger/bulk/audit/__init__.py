"""Audits: which crawlers fetched what was closed to them, by the access logs of a site.

In: access logs (Common Log Format, combined, JSON; plain or gzip), and the robots.txt file of the
site, as it is or in all its versions. Out: an `AuditResult`, by crawler and by rule. Memory does
not grow with the logs.

>>> from verger.bulk.audit import Version, audit_logs
>>> from io import BytesIO
>>> line = b'192.0.2.1 - - [05/Jan/2026:09:12:44 +0000] "GET /private/a HTTP/1.1" 200 512 "-" '
>>> log = BytesIO(line + b'"ExampleBot/1.0 (+https://example.com/bot)"\\n')
>>> rules = Version("robots.txt", b"User-agent: *\\nDisallow: /private\\n")
>>> audit_logs([log], [rules]).crawlers[0].closed.count
1
"""

from verger.bulk.audit.history import Version, history_of, version_of
from verger.bulk.audit.logs import DamagedLog, Piece, size_of
from verger.bulk.audit.result import (
    AuditResult,
    CrawlerAudit,
    LogLines,
    Requests,
    RuleAudit,
    RuleShare,
    UnreadableLine,
)
from verger.bulk.audit.run import (
    WhyUnseen,
    audit_logs,
    crawler_in,
    expect_entries,
    names_in,
    unseen,
)
from verger.errors import UnusableInput

__all__ = [
    "AuditResult",
    "CrawlerAudit",
    "DamagedLog",
    "LogLines",
    "Piece",
    "Requests",
    "RuleAudit",
    "RuleShare",
    "UnreadableLine",
    "UnusableInput",
    "Version",
    "WhyUnseen",
    "audit_logs",
    "crawler_in",
    "expect_entries",
    "history_of",
    "names_in",
    "size_of",
    "unseen",
    "version_of",
]
