"""Rulings: what one origin's robots.txt, or its absence, means for the rows of that origin.

In: a compiled `Agent`, or the effect of an access policy. Out: decisions, and for each kind of
decision one `Ending`: all that a row says besides its number and URL. The same rule decides for
thousands of rows, so that its ending is made once. Times and ages are not in it: a second run
that finds the same file says the same. Knows nothing of files, blocks and formats.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from verger import Agent, Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.filtering.blocks import Kind
    from verger.client.site import Site

NOT_IN_SNAPSHOT = "NOT_IN_SNAPSHOT"
UNREADABLE_FILE = "UNREADABLE_FILE"

OCTETS_A_SITE = 4_096
"""What a ruling costs beyond the octets of its file, roughly."""

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

    def __init__(self, facts: Facts, kind: "Kind", text: str) -> None:
        self.facts = facts
        self.kind = kind
        self.text = text


class Ruling:
    """What is known of one origin, for one crawler."""

    __slots__ = ("_agent", "_base", "_endings", "_why", "site")

    def __init__(
        self, base: Facts, agent: Agent | None, why: str, site: "Site | None" = None
    ) -> None:
        self.site = site
        """What the ruling was made of, where that was a client's or a store's."""
        self._base = base
        """The facts of every row, but for those that the agent finds."""
        self._agent = agent
        """None where the access policy decides alone."""
        self._why = why
        self._endings: dict[tuple[str, int | None], Ending] = {}

    @classmethod
    def of(cls, site: "Site") -> "Ruling":
        """Return the ruling of what a client, or an entry of a store, knows."""
        if site.agent is not None:
            return cls(
                _with_result(Facts(site.origin, effect=RULES), site), site.agent, RULES, site
            )
        policy = site.access
        allowed = policy.effect == "allow_all"
        base = Facts(site.origin, allowed, policy.reason, policy.section, effect=policy.effect)
        base = _with_result(base, site)
        cause = base.failure or base.status
        return cls(base, None, f"{policy.reason} ({cause})" if cause else policy.reason, site)

    @classmethod
    def by_rules(cls, origin: str, agent: Agent) -> "Ruling":
        """Return the ruling of an origin whose file is at hand, nobody knows since when."""
        return cls(Facts(origin, effect=RULES), agent, RULES)

    @classmethod
    def without_file(cls, origin: str, reason: str) -> "Ruling":
        """Return the ruling of an origin of which a snapshot has nothing to say."""
        return cls(Facts(origin, allowed=False, reason=reason, effect="defer"), None, reason)

    @property
    def size(self) -> int:
        """Octets of the file."""
        return len(self._agent.robots.octets) if self._agent else 0

    def allowed_many(self, urls: Sequence[str]) -> list[bool]:
        """Decide URLs of this origin."""
        if self._agent is None:
            return [self._base.allowed is True] * len(urls)
        return self._agent.allowed_many(urls)

    def kind(self, *, allowed: bool) -> "Kind":
        """Return what rows decided so count as."""
        return allowed, self._why

    def endings(
        self, urls: Sequence[str], rows: Sequence[int], text_of: Callable[[Facts], str]
    ) -> list[Ending]:
        """Decide the URLs of some rows; return the ending of each."""
        if self._agent is None:
            return [self._only_ending(text_of)] * len(rows)
        decide, known, found = self._agent.decide, self._endings, []
        for row in rows:
            decision = decide(urls[row])
            key = decision.reason, decision.line
            ending = known.get(key)
            if ending is None:
                ending = known[key] = self._ending(self._decided(decision), text_of)
            found.append(ending)
        return found

    def _only_ending(self, text_of: Callable[[Facts], str]) -> Ending:
        if not self._endings:
            self._endings["", None] = self._ending(self._base, text_of)
        return self._endings["", None]

    def _decided(self, decision: Decision) -> Facts:
        rule = decision.rule
        return self._base._replace(
            allowed=decision.allowed,
            reason=decision.reason,
            section=decision.section,
            line=decision.line,
            rule=f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}" if rule else None,
        )

    def _ending(self, facts: Facts, text_of: Callable[[Facts], str]) -> Ending:
        return Ending(facts, (facts.allowed, self._why), text_of(facts))


class Rulings:
    """The rulings used last, up to a number of octets of their files."""

    def __init__(self, most_octets: int) -> None:
        self._most = most_octets
        self._octets = 0
        self._kept: OrderedDict[str, tuple[Ruling, int]] = OrderedDict()

    def get(self, origin: str) -> Ruling | None:
        """Return a ruling if it is kept; it is now the newest."""
        kept = self._kept.get(origin)
        if kept is None:
            return None
        self._kept.move_to_end(origin)
        return kept[0]

    def put(self, origin: str, ruling: Ruling) -> Ruling:
        """Keep a ruling, and let go of what was asked for longest ago."""
        _, cost = self._kept.pop(origin, (None, 0))
        self._octets -= cost
        cost = OCTETS_A_SITE + len(origin) + ruling.size
        self._octets += cost
        self._kept[origin] = ruling, cost
        while self._octets > self._most:
            _, (_, cost) = self._kept.popitem(last=False)
            self._octets -= cost
        return ruling


def _with_result(facts: Facts, site: "Site") -> Facts:
    if site.entry is None:
        return facts
    last = site.entry.last
    return facts._replace(status=last.status, failure=last.failure)
