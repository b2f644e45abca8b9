"""What an audit could not see: logs without entries, and unknown crawlers.

In: a result, and the crawlers that were requested. Out: an error, or the unseen crawlers and why.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from verger._core import Dialect
from verger.bulk.audit.result import AuditResult
from verger.bulk.audit.run import names_in
from verger.crawlers import find
from verger.errors import UnusableInput

WhyUnseen: TypeAlias = Literal["policy-token", "no-name", "unknown"]
"""`policy-token`: no crawler sends it. `no-name`: it is `*`. `unknown`: it is in neither the file,
nor the log, nor the registry."""

WHY = {
    "too-long": "it has more than 65,536 bytes",
    "no-time": "it has no time in brackets, or one that cannot be read",
    "no-request": "it has no request",
    "no-status": "no status follows the request",
    "cut": "a quotation mark is not closed",
    "not-json": "it is not a JSON object",
}
"""Why a line is not an entry, by the reason of an `UnreadableLine`."""


def expect_entries(result: AuditResult, *, everyone: bool = False) -> None:
    """Raise UnusableInput if no line of the logs can be judged.

    everyone:  whether requests without a user agent were judged, too.
    """
    log = result.log
    if result.problems and not log.lines:
        raise result.problems[0]
    if log.lines and log.unreadable == log.lines:
        first = log.unreadable_lines[0]
        place = f"line {first.line} of `{first.input}`: {WHY[first.reason]}"
        hint = f"{place}; `--input-format` says how lines are written"
        raise UnusableInput(f"none of {log.lines:,} lines is an entry of an access log", hint)
    if log.lines and log.nameless == log.lines - log.unreadable and not everyone:
        why = "no line has a user agent, so that no crawler can be named"
        raise UnusableInput(why, "log in combined format, or judge all as one with `--everyone`")


def unseen(
    result: AuditResult, crawlers: Sequence[str], *, dialect: str | Dialect = "rfc9309"
) -> dict[str, WhyUnseen]:
    """Return the product tokens that no request can have, and why."""
    if not crawlers:
        return {}
    named = names_in(result.versions, dialect)
    seen = {(crawler.token or "").lower() for crawler in result.crawlers}
    found: dict[str, WhyUnseen] = {}
    for token in crawlers:
        known = find(token)
        if token == "*":
            found[token] = "no-name"
        elif known is not None and known.kind == "policy-token":
            found[token] = "policy-token"
        elif known is None and token.lower() not in seen and token.lower() not in named:
            found[token] = "unknown"
    return found
