"""What the tests of tables share: the answers of one question at a time, and rows of results.

In: files, URLs, tables of any library. Out: `Row`s, the same for a table's row and for what the
public API for one question says. No test lives here.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import pyarrow as pa

import verger
from verger.access.entry import exemption
from verger.access.policy import policy_after
from verger.access.result import AccessResult

Row: TypeAlias = tuple[bool | None, str, int | None]
"""Allowed, reason, line."""

SITE = "https://example.com"
FILE = b"User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.gif$\n"
TOKEN = "ExampleBot"
URLS = (
    *("https://example.com/", "https://example.com/private/a", "https://example.com/private/open"),
    *("https://EXAMPLE.com:443/x.gif", "https://example.com/x.gif?y", "/private", "/x.gif"),
    *("https://other.example/", "http://example.com/private", "wss://example.com/", "private", ""),
    *("https://example.com", "https://example.com?private", "https://user@example.com/private"),
    *("https://example.com:99999/", "https:///private", "https://b\u00fccher.example/private"),
)


def rows_of(table: Any) -> list[Row]:
    """Return the rows of a table of decisions, read by pyarrow."""
    columns = pa.table(table).to_pydict()
    return list(zip(columns["allowed"], columns["reason"], columns["line"], strict=True))


def column(urls: Iterable[str | bytes | None], kind: Any = None) -> pa.Table:
    """Make a table with the one column `url`, of text unless told otherwise."""
    return pa.table({"url": pa.array(list(urls), kind or pa.string())})


def answer(robots: verger.RobotsTxt, token: str | tuple[str, ...], url: str | None) -> Row:
    """Ask one file about one URL."""
    if url is None:
        return None, "NULL_URL", None
    try:
        decision = robots.agent(token).decide(url)
    except verger.OutOfScope:
        return None, "OUT_OF_SCOPE", None
    except verger.InvalidTarget:
        return None, "INVALID_TARGET", None
    return decision.allowed, decision.reason, decision.line


def site_answer(
    files: Mapping[str, bytes | AccessResult],
    dialect: verger.Dialect,
    token: str | tuple[str, ...],
    url: str,
) -> Row:
    """Ask what is known of many origins, in canonical form, about one URL."""
    try:
        origin = verger.origin(url)
    except verger.InvalidTarget:
        return None, "INVALID_TARGET", None
    file = files.get(origin)
    if file is None:
        return None, "NOT_IN_SNAPSHOT", None
    if isinstance(file, bytes):
        return answer(verger.parse(file, dialect=dialect), token, url)
    policy = policy_after(file.for_others(dialect.max_redirects, 0), dialect)
    if policy.effect == "rules":
        return answer(verger.parse(file.body, dialect=dialect), token, url)
    if (exempt := exemption(policy, dialect, url)) is not None:
        return True, exempt.reason, None
    return policy.effect == "allow_all", policy.reason, None
