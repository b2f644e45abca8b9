"""Rulings: what one origin's robots.txt, or its absence, means for the rows of that origin.

In: what a client or a snapshot knows of an origin. Out: its `Ruling`, and for each kind of decision
one `Ending`: everything in a row except its number and URL. One rule decides thousands of rows, so
its ending is made once. It has no times: a second run with the same file gives the same rows. Knows
nothing of files, blocks and formats.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from verger import Dialect
from verger.access.entry import EXEMPT, Entry, policy_of
from verger.access.policy import AccessPolicy
from verger.plain import rule_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Ending
    from verger.client.site import Site

NOT_IN_SNAPSHOT = "NOT_IN_SNAPSHOT"
UNREADABLE_FILE = "UNREADABLE_FILE"

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

    @classmethod
    def of_site(cls, site: "Site") -> "Ruling":
        """Return the ruling of a client's site."""
        return cls._of(site.origin, site.access, site.entry, has_rules=site.agent is not None)

    @classmethod
    def of_entry(cls, entry: Entry, dialect: Dialect) -> "Ruling":
        """Return the ruling of an entry, whatever its age."""
        policy = policy_of(entry, dialect)
        return cls._of(entry.origin, policy, entry, has_rules=policy.effect == "rules")

    @classmethod
    def of_file(cls, origin: str) -> "Ruling":
        """Return the ruling of an origin with a file of unknown age."""
        return cls(Facts(origin, effect=RULES), RULES, has_rules=True)

    @classmethod
    def without_file(cls, origin: str, reason: str) -> "Ruling":
        """Return the ruling of an origin without a file in the snapshot: nobody knows."""
        return cls(Facts(origin, reason=reason), reason, has_rules=False)

    @classmethod
    def _of(
        cls, origin: str, policy: AccessPolicy, entry: Entry | None, *, has_rules: bool
    ) -> "Ruling":
        status, failure = (entry.last.status, entry.last.failure) if entry else (None, None)
        if has_rules:
            facts = Facts(origin, effect=RULES, status=status, failure=failure)
            return cls(facts, RULES, has_rules=True)
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
        return cls(facts, why, has_rules=False)

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
