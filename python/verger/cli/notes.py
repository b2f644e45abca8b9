"""What is wrong with a file as a whole, as notes on stderr.

In: a file as one or several dialects read it. Out: a line for each finding that may well be why an
answer is another than was hoped for.
"""

from collections.abc import Iterable, Iterator

from verger import RobotsTxt
from verger.plain import printable

NOTED = frozenset({"utf-16", "html", "json", "not-text", "unmatched-agent"})
"""Findings that make the whole file, or whom it names, another thing than it seems to be."""

MOST_NOTED = 3


def notes_on(read: Iterable[RobotsTxt], name: str) -> Iterator[str]:
    """Yield a note for each such finding, and for many how many more there are.

    read:  the same file in each dialect; what several find is noted once.
    """
    noted: dict[tuple[int, str], str] = {}
    for robots in read:
        for finding in robots.findings:
            if finding.code in NOTED:
                noted.setdefault((finding.line, finding.code), finding.message)
    for (line, code), message in list(noted.items())[:MOST_NOTED]:
        yield f"note: line {line} of `{printable(name)}`: {printable(message)} ({code})"
    if len(noted) > MOST_NOTED:
        yield f"note: and {len(noted) - MOST_NOTED:,} more such lines"
