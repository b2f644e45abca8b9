"""Findings: their kinds, as an enum, and those of a file as a whole.

In: the table of the core, and parsed files. Out: `FindingCode`, whose members equal the `code` of
findings; the findings of a file, also if no line of it is read.
"""

from collections.abc import Iterator
from enum import StrEnum

from verger._core import _FINDING_CODES, Finding, RobotsTxt, parse

TYPE_CHECKING = False
if TYPE_CHECKING:  # `verger check` does without `typing`
    from typing import Literal

ABOUT = {row[0]: row for row in _FINDING_CODES}


class FindingCode(StrEnum):
    """The kind of a finding: a text, equal to the `code` of a `Finding`.

    severity:  "error" if something written has no effect, or not the effect it seems to have;
               "warning" if it is read, but perhaps not as intended; otherwise "note".
    sentence:  what it means.
    page:      the section of the documentation that explains it.

    Raises ValueError for another text.

    >>> import verger
    >>> [finding] = verger.parse("User-agent: *\\nDissallow: /\\n").findings
    >>> finding.code == verger.FindingCode.MISSPELT_KEY
    True
    >>> verger.FindingCode(finding.code).sentence
    'The key is misspelt in a way that the dialect accepts.'
    """

    severity: 'Literal["error", "warning", "note"]'
    sentence: str
    page: str

    def __new__(cls, code: str) -> "FindingCode":
        """Make a member, with what the core knows of it."""
        member = str.__new__(cls, code)
        member._value_ = code
        _, member.severity, member.sentence, member.page = ABOUT[code]
        return member

    UTF_16 = "utf-16"
    HTML = "html"
    JSON = "json"
    NOT_TEXT = "not-text"
    OVER_PARSING_LIMIT = "over-parsing-limit"
    LONG_LINE = "long-line"
    NUL_IN_LINE = "nul-in-line"
    MISSPELT_KEY = "misspelt-key"
    MISSING_COLON = "missing-colon"
    UNKNOWN_LINE = "unknown-line"
    FIELD_NOT_READ = "field-not-read"
    EMPTY_AGENT = "empty-agent"
    UNMATCHED_AGENT = "unmatched-agent"
    RULE_WITHOUT_GROUP = "rule-without-group"
    RULE_OVER_LIMIT = "rule-over-limit"
    PATTERN_WITHOUT_SLASH = "pattern-without-slash"
    INVALID_UTF8 = "invalid-utf8"
    INVALID_ESCAPE = "invalid-escape"
    UNSAFE_BYTE = "unsafe-byte"
    MALFORMED_VALUE = "malformed-value"
    RELATIVE_SITEMAP = "relative-sitemap"
    UNKNOWN_SIGNAL = "unknown-signal"
    UNKNOWN_USAGE = "unknown-usage"
    UNKNOWN_USAGE_LABEL = "unknown-usage-label"
    UNKNOWN_USAGE_VALUE = "unknown-usage-value"
    CHANGED_DELAY = "changed-delay"


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
