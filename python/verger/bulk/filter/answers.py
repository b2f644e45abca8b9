"""Answers of rows: everything in a row except its number, its input and its URL.

In: the decision of the kernel, and what all rows of an origin have in common. Out: an answer for
each kind of decision, with its text: one rule decides thousands of rows, so it is written once. It
has no times: a second run with the same file gives the same rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from verger._core import Dialect
from verger.access.answer import Unanswered
from verger.access.entry import EXEMPT, Entry, policy_of
from verger.access.policy import AccessPolicy
from verger.plain import rule_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Ending
    from verger.snapshots.stored import Found

MISSING = {"no-file": "NOT_IN_SNAPSHOT", "unreadable-file": "UNREADABLE_FILE"}
"""The reasons of rows whose file the snapshot does not give."""

Kind = tuple[bool | None, str]
"""How the summary counts a row: allowed, disallowed or neither, and why."""

RULES = "rules"
"""Why a row is allowed or not if the file was read: its rules, or that none matches."""


class Columns(NamedTuple):
    """The columns of a row, except its number, its input and its URL."""

    origin: str | None = None
    allowed: bool | None = None
    reason: str | None = None
    section: str | None = None
    line: int | None = None
    rule: str | None = None
    effect: str | None = None
    status: int | None = None
    failure: str | None = None
    error: str | None = None
    message: str | None = None


@dataclass(eq=False, slots=True)
class Written:
    """The columns of a row, and their text in the format of the output."""

    columns: Columns
    kind: Kind
    text: str


TextOf: TypeAlias = Callable[[Columns], str]
"""Returns the text of the columns in a format."""


NO_ANSWER = Written(Columns(), (None, ""), "")
"""Rows without an answer, or without one yet."""


def written(sites: Sequence[Columns], decided: "_Ending", text_of: TextOf) -> Written:
    """Return rows with this decision as they are written.

    sites:  what all rows of an origin have in common, by the number of its entry.
    """
    entry = decided[0]
    if entry is None:
        return NO_ANSWER
    site = sites[entry]
    has_rules = site.effect == RULES
    is_exempt = not has_rules and bool(decided[1]) and site.allowed is False
    columns = _decided(site, decided) if has_rules or is_exempt else site
    return Written(
        columns, (columns.allowed, EXEMPT if is_exempt else _why(site)), text_of(columns)
    )


def _decided(site: Columns, decided: "_Ending") -> Columns:
    _entry, allowed, reason, section, line, rule = decided
    text = None if rule is None else rule_text(*rule)
    return site._replace(allowed=allowed, reason=reason, section=section, line=line, rule=text)


def _why(site: Columns) -> str:
    """Return why the rows of a site are as they are, for the summary."""
    if site.effect == RULES:
        return RULES
    cause = site.failure or site.status
    return f"{site.reason} ({cause})" if cause else str(site.reason)


def columns_of(origin: str, found: "Found", dialect: Dialect) -> tuple[Columns, bytes | None]:
    """Return the columns that follow from what a snapshot has of an origin, whatever its age; and
    the file if its rules decide."""
    match found:
        case Unanswered():
            return Columns(origin, reason=MISSING[found.kind]), None
        case Entry(good=good):
            columns = columns_by(origin, policy_of(found, dialect), found)
            return columns, good.body if good and columns.effect == RULES else None
        case _, body:
            return Columns(origin, effect=RULES), body


def columns_by(origin: str, policy: AccessPolicy, entry: Entry | None) -> Columns:
    """Return the columns that follow from an access policy and the fetches behind it."""
    status, failure = (entry.last.status, entry.last.failure) if entry else (None, None)
    columns = Columns(origin, effect=policy.effect, status=status, failure=failure)
    if policy.effect == RULES:
        return columns
    is_open = policy.effect == "allow_all"
    return columns._replace(allowed=is_open, reason=policy.reason, section=policy.section)
