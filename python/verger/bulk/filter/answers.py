"""Answers of rows: everything in a row except its number, its input and its URL.

In: the decision of the kernel, and what all rows of an origin have in common. Out: one `Ending` for
each kind of decision: one rule decides thousands of rows, so its ending is made once. It has no
times: a second run with the same file gives the same rows.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from verger._core import Dialect
from verger.access.entry import EXEMPT, Entry, policy_of
from verger.access.policy import AccessPolicy
from verger.plain import rule_text
from verger.snapshots.answer import Unanswered

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


class Facts(NamedTuple):
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


class Ending:
    """Facts, and their text in the format of the output."""

    __slots__ = ("facts", "kind", "text")

    def __init__(self, facts: Facts, kind: Kind, text: str) -> None:
        self.facts = facts
        self.kind = kind
        self.text = text


TextOf: TypeAlias = Callable[[Facts], str]
"""Returns the text of facts in a format."""


class Ruling(NamedTuple):
    """What all rows of one origin have in common."""

    facts: Facts
    """The facts of every row, without those that depend on a rule."""
    why: str
    """Why, for the summary."""
    has_rules: bool
    """Whether its file decides; otherwise the access policy does."""

    def ending(self, decided: "_Ending", text_of: TextOf) -> Ending:
        """Return the ending of rows with this decision."""
        is_exempt = not self.has_rules and bool(decided[1]) and self.facts.allowed is False
        facts = self._decided(decided) if self.has_rules or is_exempt else self.facts
        why = EXEMPT if is_exempt else self.why
        return Ending(facts, (facts.allowed, why), text_of(facts))

    def _decided(self, decided: "_Ending") -> Facts:
        _entry, allowed, reason, section, line, rule = decided
        text = None if rule is None else rule_text(*rule)
        origin, _, _, _, _, _, effect, status, failure, _, _ = self.facts
        return Facts(
            origin, allowed, reason, section, line, text, effect, status, failure, None, None
        )


def ruling_found(origin: str, found: "Found", dialect: Dialect) -> tuple[Ruling, bytes | None]:
    """Return the ruling of what a snapshot has of an origin, whatever its age; and the file if its
    rules decide."""
    match found:
        case Unanswered():
            reason = MISSING[found.kind]
            return Ruling(Facts(origin, reason=reason), reason, has_rules=False), None
        case Entry(good=good):
            ruling = ruling_by(origin, policy_of(found, dialect), found)
            return ruling, good.body if good and ruling.has_rules else None
        case _, body:
            return Ruling(Facts(origin, effect=RULES), RULES, has_rules=True), body


def ruling_by(origin: str, policy: AccessPolicy, entry: Entry | None) -> Ruling:
    """Return the ruling of an access policy, and the fetches that it comes from."""
    status, failure = (entry.last.status, entry.last.failure) if entry else (None, None)
    if policy.effect == "rules":
        facts = Facts(origin, effect=RULES, status=status, failure=failure)
        return Ruling(facts, RULES, has_rules=True)
    facts = Facts(
        origin,
        policy.effect == "allow_all",
        policy.reason,
        policy.section,
        effect=policy.effect,
        status=status,
        failure=failure,
    )
    cause = failure or status
    why = f"{policy.reason} ({cause})" if cause else policy.reason
    return Ruling(facts, why, has_rules=False)
