"""A file as a whole: whether it is a robots.txt file.

In: a parsed file. Out: in words, why an edit would damage it.
"""

from verger._core import RobotsTxt

NOT_ROBOTS_TXT = frozenset({"utf-16", "html", "json", "not-text"})
"""Findings that make the whole file another thing than it seems to be, which edits would damage."""


def why_not_editable(robots: RobotsTxt) -> str | None:
    """Return why a file is not a robots.txt file that can be edited; None if it is."""
    said = (each.message for each in robots.findings if each.code in NOT_ROBOTS_TXT)
    return next(said, None)
