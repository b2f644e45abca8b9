"""A file as a whole: whether it is a robots.txt file.

In: a parsed file. Out: its findings, also of a file of which no line is read, and those that may
explain a decision; in words, why an edit would damage it.
"""

from bisect import bisect
from collections.abc import Iterator, Sequence

from verger._core import Decision, Finding, Group, RobotsTxt, parse

NOT_ROBOTS_TXT = frozenset({"utf-16", "html", "json", "not-text"})
"""Findings that make the whole file something other than it seems; edits would damage it."""

OF_GROUPS = frozenset(
    {
        *("long-line", "nul-in-line", "misspelt-key", "missing-colon", "unknown-line"),
        *("empty-agent", "rule-without-group", "rule-over-limit", "pattern-without-slash"),
    }
)
"""Findings about how groups and rules are read."""

OF_PATTERNS = frozenset({"invalid-utf8", "invalid-escape", "unsafe-byte"})
"""Findings about what a rule matches."""

LOOKED_AT = 4_096
"""Bytes that show what a file is."""


def findings_of(robots: RobotsTxt) -> Iterator[Finding]:
    """Yield the findings of a file, and what it is if already its first line exceeds the limit."""
    yield from robots.findings
    if robots.truncated and not robots.bytes_read:
        beginning = parse(robots.body[:LOOKED_AT]).findings
        yield from (each for each in beginning if each.code in NOT_ROBOTS_TXT)


def findings_about(decision: Decision, groups: Sequence[Group]) -> Iterator[Finding]:
    """Yield the findings that may explain a decision, those of its line first.

    They are about lines in the groups of the crawler, or above all groups if it has none.

    groups:  those that the crawler follows.
    """
    followed = {group.start_lines for group in groups}
    every = [group.start_lines for group in decision.robots.groups]
    starts = [lines[0] for lines in every]
    touched = [lines in followed for lines in every]
    found = findings_of(decision.robots)
    for finding in sorted(found, key=lambda each: each.line != decision.line):
        if finding.code in OF_GROUPS:
            at = bisect(starts, finding.line) - 1
            touches = touched[at] if at >= 0 else not followed
        else:
            touches = finding.code in OF_PATTERNS and finding.line == decision.line
        if touches:
            yield finding


def why_not_editable(robots: RobotsTxt) -> str | None:
    """Return why a file is not a robots.txt file that can be edited; None if it is."""
    said = (each.message for each in findings_of(robots) if each.code in NOT_ROBOTS_TXT)
    return next(said, None)
