"""Sites: the current state of one origin, and the answers that follow from it.

In: an `Entry` and a dialect. Out: a `Site`, which answers about URLs of its origin without any
I/O. The policy decides first; the rules decide only if the policy says so.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from time import time
from typing import Literal, NoReturn, TypeAlias

from verger._core import Agent, Decision, Dialect, Group, RobotsTxt, Rule, parse
from verger.access.entry import Entry, binding_body, exemption, is_failure, policy_of
from verger.access.freshness import lifetime
from verger.access.policy import NOTHING_KNOWN, AccessPolicy, Effect, SiteFacts
from verger.access.result import AccessResult
from verger.access.retry import retry_after
from verger.crawlers.binding import Bindings, agent_of
from verger.dialects import RFC9309
from verger.fetching.plan import redirects_followed

Override: TypeAlias = Literal["allow", "disallow"] | bytes
"""An operator's decision about an origin: everything, nothing, or by a file with these bytes."""

FOREVER = float("inf")

LEAST_FRESH = 60.0
"""The default minimum freshness of a file in seconds, whatever its server says."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question, with the reason. `bool(answer)` is an error: use `.allowed`.

    url:       the URL as given.
    allowed:   whether it may be fetched now.
    reason:    the reason of the rules, as `verger.Decision.reason`; or of the access policy, such
               as `SERVER_ERROR`, if the rules were not consulted.
    section:   what requires this answer, such as `RFC 9309 section 2.2.2`.
    origin:    the origin whose file answers.
    access:    what the fetch of that file means.
    decision:  the decision of the rules about the URL that is requested (`verger.requested_url`),
               which is `decision.url`; None if the policy decided.
    result:    the fetch that the answer is based on; None for an override.
    age:       seconds since the rules, or the refusal, were fetched; None for an override.
    """

    url: str
    allowed: bool
    reason: str
    section: str
    origin: str
    access: AccessPolicy
    decision: Decision | None
    result: AccessResult | None
    age: float | None

    @property
    def line(self) -> int | None:
        """The 1-based line of the rule that decided; None if no rule did."""
        return None if self.decision is None else self.decision.line

    @property
    def rule(self) -> Rule | None:
        """The rule that decided."""
        return None if self.decision is None else self.decision.rule

    @property
    def group(self) -> Group | None:
        """The group of the rule."""
        return None if self.decision is None else self.decision.group

    def __repr__(self) -> str:
        word = "allowed" if self.allowed else "disallowed"
        rule = "" if self.rule is None else f", line={self.line}, rule={str(self.rule)!r}"
        return f"Answer({word}{rule}, reason={self.reason}, url={self.url!r})"

    def __bool__(self) -> NoReturn:
        raise TypeError("ask `answer.allowed`: an answer itself is neither true nor false")


SITE_OVERHEAD = 1_500
"""Approximate bytes of a site's objects in addition to its files and texts."""


@dataclass(frozen=True, slots=True, repr=False)
class Site:
    """One origin: its access policy, its rules if they apply, and how long they are fresh.

    origin:       as `verger.origin` writes it.
    access:       what a crawler may do here, and why.
    robots:       the file in force; None if the policy decides alone.
    agent:        the crawler's rules in it.
    entry:        the stored fetches; None for an override.
    fresh_until:  seconds since the epoch: when the file should be requested again.
    dialect:      how URLs are read if the policy decides alone.
    """

    origin: str
    access: AccessPolicy
    _: KW_ONLY
    robots: RobotsTxt | None = None
    agent: Agent | None = None
    entry: Entry | None = None
    fresh_until: float
    dialect: Dialect = RFC9309

    def __repr__(self) -> str:
        return f"Site({self.origin!r}, {self.access.effect}, reason={self.access.reason})"

    def allowed(self, url: str) -> bool:
        """Whether the crawler may fetch a URL of this origin: the fast path of `decide`."""
        if self.agent is not None:
            return self.agent.allowed(url)
        return self.access.effect == "allow_all" or self._exemption(url) is not None

    def decide(self, url: str, *, now: float | None = None) -> Answer:
        """Decide one URL of this origin, with the reason.

        now:  the time, in seconds since the epoch, for the age of the file; by default the clock's.
        """
        result, now = self.result, time() if now is None else now
        age = max(0.0, now - result.fetched_at) if result else None
        decided = self.agent.decide(url) if self.agent else self._exemption(url)
        if decided is None:
            is_open = self.access.effect == "allow_all"
            reason, section = self.access.reason, self.access.section
            return Answer(
                url, is_open, reason, section, self.origin, self.access, None, result, age
            )
        return Answer(
            url,
            decided.allowed,
            decided.reason,
            decided.section,
            self.origin,
            self.access,
            decided,
            result,
            age,
        )

    def _exemption(self, url: str) -> Decision | None:
        return exemption(self.access, self.dialect, url)

    @property
    def cost(self) -> int:
        """Approximate bytes of the site in memory; its parsed form is smaller than the file."""
        size = len(self.origin) if self.entry is None else self.entry.size
        return SITE_OVERHEAD + size + (len(self.robots.body) if self.robots is not None else 0)

    def asked_by(self, tokens: Sequence[str], bindings: Bindings = "operators") -> "Site":
        """Return the same site for another crawler; raises InvalidProductToken."""
        if self.robots is None:
            return self
        agent = agent_of(self.robots, tokens, bindings)
        return Site(
            self.origin,
            self.access,
            robots=self.robots,
            agent=agent,
            entry=self.entry,
            fresh_until=self.fresh_until,
        )

    @property
    def result(self) -> AccessResult | None:
        """The fetch that the rules, or their absence, come from."""
        if self.entry is None:
            return None
        return self.entry.good if self.access.effect == "rules" else self.entry.last

    @property
    def binding_body(self) -> bytes | None:
        """The bytes of the file in force; empty if everything may be fetched without one, None if
        no file says what may be fetched."""
        if self.robots is not None:
            return self.robots.body
        return binding_body(self.entry, self.access)


def site_of(
    entry: Entry,
    dialect: Dialect,
    tokens: Sequence[str],
    *,
    bindings: Bindings = "operators",
    facts: SiteFacts = NOTHING_KNOWN,
    least_fresh: float = 0.0,
) -> Site:
    """Return the site that an entry describes, for a crawler and a dialect.

    bindings:     as of `crawlers.agent_of`.

    least_fresh:  the minimum freshness in seconds, whatever the server says, so that
                  `max-age=0` does not cause a request for every question.
    """
    policy = policy_of(entry, dialect, site=facts)
    until = fresh_until(entry, dialect, least_fresh)
    good = entry.good
    if policy.effect != "rules" or good is None:
        return Site(entry.origin, policy, entry=entry, fresh_until=until, dialect=dialect)
    robots = parse(good.body, dialect=dialect, url=good.url)
    agent = agent_of(robots, tokens, bindings)
    return Site(entry.origin, policy, robots=robots, agent=agent, entry=entry, fresh_until=until)


def overridden_site(
    name: str, word: Override, dialect: Dialect, tokens: Sequence[str], bindings: Bindings
) -> Site:
    """Return the site of an origin for which its operator has decided."""
    section = "the operator's override"
    if isinstance(word, bytes):
        robots = parse(word, dialect=dialect, url=f"{name}/robots.txt")
        policy = AccessPolicy("rules", "OPERATOR_OVERRIDE", section)
        agent = agent_of(robots, tokens, bindings)
        return Site(name, policy, robots=robots, agent=agent, fresh_until=FOREVER)
    effect: Effect = "allow_all" if word == "allow" else "disallow_all"
    policy = AccessPolicy(effect, "OPERATOR_OVERRIDE", section)
    return Site(name, policy, fresh_until=FOREVER, dialect=dialect)


def is_useful(entry: Entry, dialect: Dialect, body_bytes: int) -> bool:
    """Whether an entry that another crawler may have stored can be used with this dialect.

    The other crawler may have followed fewer redirects, kept fewer bytes, or met a redirect to a
    URL that is disallowed only for it.
    """
    last = entry.last
    if is_cut_short(entry):
        return False
    if last.failure == "too-many-redirects":
        visited = (last.url, *last.redirects)
        is_loop = len(set(visited)) < len(visited)
        return is_loop or len(last.redirects) >= redirects_followed(dialect)
    return is_enough(last, body_bytes)


def is_cut_short(entry: Entry | None) -> bool:
    """Whether a redirect was not followed because it leads to a URL that the rules disallow."""
    return entry is not None and entry.last.failure == "redirect-disallowed"


def without_fragments(entry: Entry, body_bytes: int) -> Entry | None:
    """Return an entry without files that are cut off too early; None if nothing is left.

    Without the rules that were cut off, URLs they disallow would be allowed.
    """
    if not is_enough(entry.last, body_bytes):
        return None
    if entry.copy is not None and not is_enough(entry.copy, body_bytes):
        return replace(entry, copy=None)
    return entry


def is_enough(result: AccessResult, body_bytes: int) -> bool:
    """Whether a result holds a whole file, or at least as many bytes as are needed."""
    return not result.truncated or len(result.body) >= body_bytes


def fresh_until(entry: Entry, dialect: Dialect, least: float) -> float:
    """Return when the file should be requested again, in seconds since the epoch."""
    last = entry.last
    if is_failure(last) or _is_deferred(entry, dialect):
        return last.fetched_at + retry_after(last, failures=entry.failures)
    return last.fetched_at + max(least, lifetime(last, dialect))


def _is_deferred(entry: Entry, dialect: Dialect) -> bool:
    """Whether a dialect asks for a retry although the result of the fetch may last."""
    return entry.last.access != "successful" and policy_of(entry, dialect).effect == "defer"
