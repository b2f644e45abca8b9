"""Rulings: what one origin's robots.txt, or its absence, means for the rows of that origin.

In: what a client or a snapshot knows of an origin. Out: its `Ruling`, and for each kind of decision
one `Ending`: all that a row says besides its number and URL. The same rule decides for thousands of
rows, so that its ending is made once. Times and ages are not in it: a second run that finds the
same file says the same. Knows nothing of files, blocks and formats.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from verger import Dialect
from verger.access.entry import Entry, policy_of
from verger.access.policy import AccessPolicy
from verger.plain import rule_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Ending
    from verger.client.site import Site

NOT_IN_SNAPSHOT = "NOT_IN_SNAPSHOT"
UNREADABLE_FILE = "UNREADABLE_FILE"

Kind = tuple[bool | None, str]
"""What a row counts as in the closing table: allowed, disallowed or neither, and why."""

RULES = "rules"
"""Why a row is allowed or not where the file was read: its rules, or that none matches."""


class Facts(NamedTuple):
    """What a row says besides its number, its input and its URL."""

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
    """Facts, as the output's format writes them."""

    __slots__ = ("facts", "kind", "text")

    def __init__(self, facts: Facts, kind: Kind, text: str) -> None:
        self.facts = facts
        self.kind = kind
        self.text = text


TextOf: TypeAlias = Callable[[Facts], str]
"""Returns facts as a format writes them."""


class Ruling(NamedTuple):
    """What all rows of one origin share."""

    facts: Facts
    """Those of every row, but for what the rules of the file say."""
    why: str
    """What its rows are counted as."""
    has_rules: bool
    """Whether its file decides; otherwise the access policy does."""

    @classmethod
    def of_site(cls, site: "Site") -> "Ruling":
        """Return the ruling of what a client knows."""
        return cls._of(site.origin, site.access, site.entry, has_rules=site.agent is not None)

    @classmethod
    def of_entry(cls, entry: Entry, dialect: Dialect) -> "Ruling":
        """Return the ruling of what was written down of fetching a file, whenever that was."""
        policy = policy_of(entry, dialect)
        return cls._of(entry.origin, policy, entry, has_rules=policy.effect == "rules")

    @classmethod
    def of_file(cls, origin: str) -> "Ruling":
        """Return the ruling of an origin whose file is at hand, nobody knows since when."""
        return cls(Facts(origin, effect=RULES), RULES, has_rules=True)

    @classmethod
    def without_file(cls, origin: str, reason: str) -> "Ruling":
        """Return the ruling of an origin that a snapshot does not contain."""
        facts = Facts(origin, allowed=False, reason=reason, effect="defer")
        return cls(facts, reason, has_rules=False)

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
        """Return the ending of rows that are decided so."""
        facts = self._decided(decided) if self.has_rules else self.facts
        return Ending(facts, (facts.allowed, self.why), text_of(facts))

    def _decided(self, decided: "_Ending") -> Facts:
        _entry, allowed, reason, section, line, rule = decided
        text = None if rule is None else rule_text(*rule)
        origin, _, _, _, _, _, effect, status, failure, _, _ = self.facts
        return Facts(
            origin, allowed, reason, section, line, text, effect, status, failure, None, None
        )
