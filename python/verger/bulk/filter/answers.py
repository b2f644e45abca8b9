"""Answers of rows: everything in a row except its number, its input and its URL.

In: the decision of the kernel, and what all rows of an origin have in common. Out: an answer for
each kind of decision, with its text: one rule decides thousands of rows, so it is written once. It
has no times: a second run with the same file gives the same rows.
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


class Answer(NamedTuple):
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

    def as_dict(self) -> dict[str, object]:
        """Return the columns by name."""
        return self._asdict()


class Written:
    """An answer, and its text in the format of the output."""

    __slots__ = ("answer", "kind", "text")

    def __init__(self, answer: Answer, kind: Kind, text: str) -> None:
        self.answer = answer
        self.kind = kind
        self.text = text


TextOf: TypeAlias = Callable[[Answer], str]
"""Returns the text of an answer in a format."""


class SiteAnswer(NamedTuple):
    """What all rows of one origin have in common."""

    answer: Answer
    """The answer of every row, without those that depend on a rule."""
    why: str
    """Why, for the summary."""
    has_rules: bool
    """Whether its file decides; otherwise the access policy does."""

    def written(self, decided: "_Ending", text_of: TextOf) -> Written:
        """Return the answer of rows with this decision, as it is written."""
        is_exempt = not self.has_rules and bool(decided[1]) and self.answer.allowed is False
        answer = self._decided(decided) if self.has_rules or is_exempt else self.answer
        why = EXEMPT if is_exempt else self.why
        return Written(answer, (answer.allowed, why), text_of(answer))

    def _decided(self, decided: "_Ending") -> Answer:
        _entry, allowed, reason, section, line, rule = decided
        text = None if rule is None else rule_text(*rule)
        origin, _, _, _, _, _, effect, status, failure, _, _ = self.answer
        return Answer(
            origin, allowed, reason, section, line, text, effect, status, failure, None, None
        )


def answer_of_found(
    origin: str, found: "Found", dialect: Dialect
) -> tuple[SiteAnswer, bytes | None]:
    """Return the answer that follows from what a snapshot has of an origin, whatever its age; and
    the file if its rules decide."""
    match found:
        case Unanswered():
            reason = MISSING[found.kind]
            return SiteAnswer(Answer(origin, reason=reason), reason, has_rules=False), None
        case Entry(good=good):
            site_answer = answer_by(origin, policy_of(found, dialect), found)
            return site_answer, good.body if good and site_answer.has_rules else None
        case _, body:
            return SiteAnswer(Answer(origin, effect=RULES), RULES, has_rules=True), body


def answer_by(origin: str, policy: AccessPolicy, entry: Entry | None) -> SiteAnswer:
    """Return the answer that follows from an access policy and the fetches behind it."""
    status, failure = (entry.last.status, entry.last.failure) if entry else (None, None)
    if policy.effect == "rules":
        answer = Answer(origin, effect=RULES, status=status, failure=failure)
        return SiteAnswer(answer, RULES, has_rules=True)
    answer = Answer(
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
    return SiteAnswer(answer, why, has_rules=False)
