"""A file as a whole: whether it is a robots.txt file.

In: a parsed file. Out: its findings, also of a file of which no line is read; in words, why an edit
would damage it.
"""

from collections.abc import Iterator

from verger._core import Finding, RobotsTxt, parse

NOT_ROBOTS_TXT = frozenset({"utf-16", "html", "json", "not-text"})
"""Findings that make the whole file something other than it seems; edits would damage it."""

LOOKED_AT = 4_096
"""Bytes that show what a file is."""


def findings_of(robots: RobotsTxt) -> Iterator[Finding]:
    """Yield the findings of a file, and what it is if already its first line exceeds the limit."""
    yield from robots.findings
    if robots.truncated and not robots.bytes_read:
        beginning = parse(robots.body[:LOOKED_AT]).findings
        yield from (each for each in beginning if each.code in NOT_ROBOTS_TXT)


def why_not_editable(robots: RobotsTxt) -> str | None:
    """Return why a file is not a robots.txt file that can be edited; None if it is."""
    said = (each.message for each in findings_of(robots) if each.code in NOT_ROBOTS_TXT)
    return next(said, None)
