"""Sites: the current state of one origin, and the answers that follow from it.

In: an `Entry` and a dialect. Out: a `Site`, which answers about URLs of its origin without any
I/O. The policy decides first; the rules decide only if the policy says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from time import time
from typing import Literal, TypeAlias, cast

from verger._core import Agent, Decision, Dialect, RobotsTxt, parse
from verger.access.answer import Answer, Question
from verger.access.entry import (
    Entry,
    binding_body,
    exemption,
    in_force,
    is_failure,
    policy_of,
    told_others,
)
from verger.access.freshness import is_fresh, lifetime
from verger.access.policy import NOTHING_KNOWN, AccessPolicy, SiteFacts, redirects_followed
from verger.access.result import AccessResult
from verger.access.retry import retry_after
from verger.access.site import SiteAccess, Source
from verger.crawlers.binding import Bindings, agent_of, read_again
from verger.dialects import RFC9309
from verger.errors import InvalidOption, RobotsError
from verger.options import origin_named

Override: TypeAlias = Literal["allow", "disallow"] | bytes
"""An operator's decision about an origin: everything, nothing, or by a file with these bytes."""

FOREVER = float("inf")

LEAST_FRESH = 60.0
"""The default minimum freshness of a file in seconds, whatever its server says."""

EVERYBODY = Question(("*",), RFC9309)

GIVEN = AccessPolicy("rules", "SUCCESSFUL", "RFC 9309 section 2.3.1.1")

OVERRIDES = {
    "allow": AccessPolicy("allow_all", "OPERATOR_OVERRIDE", "the operator's override"),
    "disallow": AccessPolicy("disallow_all", "OPERATOR_OVERRIDE", "the operator's override"),
    "rules": AccessPolicy("rules", "OPERATOR_OVERRIDE", "the operator's override"),
}
"""The policies of the decisions of an operator."""

SITE_OVERHEAD = 1_500
"""Approximate bytes of a site's objects in addition to its files and texts."""


@dataclass(frozen=True, slots=True, repr=False)
class Site(SiteAccess):
    """One origin: its access policy, its rules if they apply, and how long they are fresh.

    origin:       as `verger.origin` writes it.
    access:       what a crawler may do here, and why.
    robots:       the file in force; None if the policy decides alone.
    my_rules:     the rules of the client's crawler in it, which `robots.agent` gives for others.
    entry:        the stored fetches; None for an override.
    fresh_until:  seconds since the epoch: when the file should be requested again.
    question:     the crawler and the dialect.
    source:       where the entry came from.
    rest:         what the caller knows of the rest of the site.
    """

    _: KW_ONLY
    robots: RobotsTxt | None = None
    my_rules: Agent | None = None
    question: Question = EVERYBODY
    rest: SiteFacts = NOTHING_KNOWN
    _others: "dict[Question, Site]" = field(default_factory=dict, init=False, compare=False)

    def __repr__(self) -> str:
        return f"Site({self.origin!r}, {self.access.effect}, reason={self.access.reason})"

    @property
    def agent(self) -> Agent | None:
        """The former name of `my_rules`, which goes with the next version."""
        return self.my_rules

    def allowed(self, url: str) -> bool:
        """Whether the crawler may fetch a URL of this origin: the fast path of `decide`."""
        if self.my_rules is not None:
            return self.my_rules.allowed(url)
        return self.access.effect == "allow_all" or self._exemption(url) is not None

    def allowed_many(self, urls: Iterable[str]) -> list[bool]:
        """Whether the crawler may fetch each URL of this origin, in order."""
        return list(map(self.allowed, urls))

    def decide(self, url: str, *, now: float | None = None) -> Answer:
        """Decide one URL of this origin, with the reason.

        now:  the time, in seconds since the epoch, for the age of the file; by default the clock's.
        """
        return Answer(
            url,
            self.question,
            None if self.entry is None else self.entry.last.url,
            self.origin,
            agent=self.my_rules,
            decision=self.my_rules.decide(url) if self.my_rules else self._exemption(url),
            site=self,
            now=time() if now is None else now,
        )

    def _exemption(self, url: str) -> Decision | None:
        return exemption(self.access, self.question.dialect, url)

    @property
    def cost(self) -> int:
        """Approximate bytes of the site in memory; its parsed form is smaller than the file."""
        size = len(self.origin) if self.entry is None else self.entry.size
        return SITE_OVERHEAD + size + (len(self.robots.body) if self.robots is not None else 0)

    def asked_by(self, tokens: Sequence[str], bindings: Bindings = "operators") -> "Site":
        """Return this site for another crawler; raises InvalidProductToken."""
        question = Question(tuple(tokens), self.question.dialect, bindings)
        if question.tokens != self.question.tokens and self._is_of_one_crawler:
            found = site_after(cast(Entry, self.entry), question, self.source, facts=self.rest)
            return replace(found, fresh_until=self.fresh_until)
        agent = self.robots and agent_of(self.robots, question.tokens, bindings)
        return replace(self, question=question, my_rules=agent)

    @property
    def _is_of_one_crawler(self) -> bool:
        if self.entry is None:
            return False
        return told_others(self.entry.last, self.question.dialect) is not self.entry.last

    def decide_in(self, question: Question, url: str, now: float) -> Answer:
        """Return the answer to another question about a URL of this origin."""
        if question not in self._others:
            self._others[question] = self.for_question(question)
        return self._others[question].decide(url, now=now)

    def for_question(self, question: Question) -> "Site":
        """Return this site for another crawler, in another dialect. Raises InvalidProductToken."""
        if question.dialect == self.question.dialect:
            return self.asked_by(question.tokens, question.bindings)
        if self.entry is not None:
            return site_after(self.entry, question, source=self.source, facts=self.rest)
        robots = self.robots and read_again(self.robots, question.dialect)
        agent = robots and agent_of(robots, question.tokens, question.bindings)
        return replace(self, question=question, robots=robots, my_rules=agent)

    @property
    def binding_body(self) -> bytes | None:
        """The bytes of the file in force; empty if everything may be fetched without one, None if
        no file says what may be fetched."""
        return binding_body(self.entry, self.access) if self.robots is None else self.robots.body


def site_after(
    entry: Entry,
    question: Question,
    source: Source = "fetched",
    *,
    facts: SiteFacts = NOTHING_KNOWN,
    least_fresh: float = 0.0,
    is_own: bool = False,
) -> Site:
    """Return the site that an entry describes, for a crawler and a dialect.

    is_own:       whether this crawler has made the requests.
    least_fresh:  the minimum freshness in seconds, whatever the server says, so that
                  `max-age=0` does not cause a request for every question.
    """
    dialect = question.dialect
    policy = policy_of(entry, dialect, site=facts, is_own=is_own)
    robots = agent = None
    if file := in_force(entry, policy):
        robots = parse(file.body, dialect=dialect, url=file.url)
        agent = agent_of(robots, question.tokens, question.bindings)
    return Site(
        entry.origin,
        policy,
        robots=robots,
        my_rules=agent,
        entry=entry,
        fresh_until=fresh_until(entry, dialect, least_fresh),
        question=question,
        source=source,
        rest=facts,
    )


def given_site(
    robots: RobotsTxt, name: str, question: Question, *, policy: AccessPolicy = GIVEN
) -> Site:
    """Return the site of an origin whose file was given, not fetched."""
    agent = agent_of(robots, question.tokens, question.bindings)
    return Site(name, policy, robots=robots, my_rules=agent, fresh_until=FOREVER, question=question)


def overridden_site(name: str, word: Override, question: Question) -> Site:
    """Return the site of an origin for which its operator has decided."""
    if isinstance(word, bytes):
        robots = parse(word, dialect=question.dialect, url=f"{name}/robots.txt")
        return given_site(robots, name, question, policy=OVERRIDES["rules"])
    return Site(name, OVERRIDES[word], fresh_until=FOREVER, question=question)


def named_overrides(overrides: Mapping[str, Override]) -> dict[str, Override]:
    """Return overrides by the names of their origins.

    Raises: InvalidTarget for a key that is not an origin, InvalidOption for an origin that several
    keys name, RobotsError for an invalid override.
    """
    named = {
        origin_named("overrides", url): _expect_override(url, word)
        for url, word in overrides.items()
    }
    if len(named) < len(overrides):
        raise InvalidOption("`overrides` names an origin twice", "give it once for an origin")
    return named


def _expect_override(url: str, word: object) -> Override:
    if isinstance(word, bytes) or word == "allow" or word == "disallow":
        return word
    raise RobotsError(
        f"invalid override for `{url}`: `{word!r:.60}`",
        'pass "allow", "disallow" or the bytes of a file',
    )


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


def suits(entry: Entry | None, dialects: Iterable[Dialect], body_bytes: int, now: float) -> bool:
    """Whether a stored entry can answer in each of some dialects, with as much of the file."""
    return entry is None or all(
        is_useful(entry, dialect, body_bytes)
        and is_fresh(entry.last, fresh_until(entry, dialect, LEAST_FRESH), now)
        for dialect in dialects
    )


def usable_part(entry: Entry, is_usable: Callable[[AccessResult], bool]) -> Entry | None:
    """Return an entry as if the results that cannot be used were not there; None if none is left.

    That is the same entry if all can be used.
    """
    copy = entry.copy if entry.copy and is_usable(entry.copy) else None
    if not is_usable(entry.last):
        return Entry(entry.origin, copy) if copy else None
    return entry if copy is entry.copy else replace(entry, copy=None)


def is_enough(result: AccessResult, body_bytes: int) -> bool:
    """Whether a result holds a whole file, or at least as many bytes as are needed.

    Without the rules that were cut off, URLs they disallow would be allowed.
    """
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
