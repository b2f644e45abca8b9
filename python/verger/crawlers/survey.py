"""What one site says to each crawler: all that are known, and all that its file names.

In: a parsed file, or what its absence means. Out: a `Survey` of `Standing`s. The core decides which
groups bind a crawler in each dialect; this module neither reads files nor prints.
RFC 9309 sections 2.2.1 and 2.2.2.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, TypeAlias

from verger._core import (
    Agent,
    ContentSignal,
    RobotsTxt,
    Rule,
    _binding_lines,
    _names_of,
    _page_elsewhere,
    _places,
    _signal_words,
    check_product_token,
    parse,
)
from verger.crawlers.binding import agents_of, own_dialect, read_again
from verger.crawlers.purposes import PURPOSES, expect_purposes
from verger.crawlers.registry import Crawler, all_crawlers, find, is_bound
from verger.grouping import by_key
from verger.options import expect_robots, expect_texts, expect_tokens
from verger.untrusted_text import counted

Extent: TypeAlias = Literal["all", "some", "none", "unknown"]
Posture: TypeAlias = Literal["all", "some", "none", "unknown", "default"]

UNLISTED = "unlisted"
"""The purpose of crawlers that are not in the registry."""

PLACES = {purpose: place for place, purpose in enumerate([*PURPOSES, UNLISTED])}

MOST_UNLISTED = 1_000
"""The most unknown names of a file that are listed; no honest file has so many."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a site says to one crawler.

    token:        its product token, as in the registry or the file; `*` for crawlers that no group
                  names.
    crawler:      the crawler in the registry, if it is known.
    posture:      how much of the site it may fetch, according to the file; `unknown`: proving it
                  takes too many steps; `default`: no group names it, and the rules for `*` apply.
                  For a crawler that no group names, and to which `*` does not apply, it is `all`.
    extent:       the posture, and for `default` that of `*`.
    elsewhere:    whether it may fetch pages that no pattern matches specifically.
    rule:         the rule that decides this.
    group_lines:  the lines that name it, or the crawler that it follows.
    follows:      the crawler whose groups it follows if none names it.
    named:        whether a group names it, or the crawler that it follows.
    signals:      the `Content-Signal` lines that apply to it.
    usage:        the usage preferences for such pages; None if the dialect does not read them, or
                  there is no file.
    dialect:      the dialect in which the file was read; empty without a file.
    own_reading:  its standing in the dialect of its operator, if this is known and another.
    """

    token: str
    crawler: Crawler | None
    posture: Posture
    extent: Extent
    elsewhere: bool
    rule: Rule | None = None
    group_lines: tuple[int, ...] = ()
    follows: str | None = None
    named: bool = False
    signals: ContentSignal = field(default_factory=ContentSignal)
    usage: tuple[tuple[str, bool], ...] | None = None
    dialect: str = ""
    own_reading: "Standing | None" = None

    @property
    def differs(self) -> bool:
        """Whether it may fetch more or less in the dialect of its operator."""
        own = self.own_reading or self
        return (own.extent, own.elsewhere) != (self.extent, self.elsewhere)

    @property
    def purposes(self) -> tuple[str, ...]:
        """What it is for, according to the registry."""
        return self.crawler.purposes if self.crawler else (UNLISTED,)

    @property
    def bound(self) -> bool:
        """Whether the file binds it, according to its operator; the posture is what the file says,
        whether or not it does."""
        return is_bound(self.crawler, named=self.named)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a site says to every crawler; see `survey_of`.

    default:          the standing of crawlers that no group names.
    purposes:         the purposes that were asked about; if none was, all.
    standings:        the listed crawlers, by their first purpose, and token.
    unnamed:          how many other crawlers of the registry no group names, by purpose.
    unbound:          how many of these the file does not bind.
    differing:        how many of these read otherwise, in the dialect of their operators.
    unlisted_hidden:  how many names of the file are left out, beyond `MOST_UNLISTED`.
    """

    default: Standing
    purposes: tuple[str, ...]
    standings: tuple[Standing, ...]
    unnamed: dict[str, int] = field(hash=False)
    unbound: dict[str, int] = field(hash=False)
    differing: dict[str, int] = field(hash=False)
    unlisted_hidden: int

    def __repr__(self) -> str:
        crawlers = counted(len(self.standings), "crawler")
        return f"Survey({crawlers}, default={self.default.extent!r})"


def survey_of(
    robots: RobotsTxt | None,
    *,
    is_open: bool = True,
    crawlers: Sequence[str] = (),
    purposes: Sequence[str] = (),
    with_unnamed: bool = False,
    own: bool = False,
) -> Survey:
    """Return what a site says to every crawler.

    robots:        the file; None if there is none.
    is_open:       whether, without a file, everything may be fetched (RFC 9309 section 2.3.1.3), or
                   nothing.
    crawlers:      the product tokens to list; if empty, all of the registry and of the file.
    purposes:      the purposes to list, from `PURPOSES` or `unlisted`; all if empty.
    with_unnamed:  whether to list crawlers of the registry that no group names.
    own:           whether each crawler reads the file in the dialect of its operator, if it is
                   known; otherwise its standing says what it would be there.
    Returns:       a `Standing` for each crawler, by purpose and token, and one for `*`. If the
                   dialect reads Content-Signal, Content-Usage is read, too.
    Raises:        InvalidProductToken for `crawlers`, UnknownName for `purposes`.

    >>> from verger import parse
    >>> robots = parse("User-agent: GPTBot\\nDisallow: /\\n")
    >>> [(each.token, each.posture) for each in survey_of(robots).standings]
    [('GPTBot', 'none')]
    """
    if robots is not None:
        expect_robots(robots=robots)
    expect_tokens("crawlers", crawlers)
    expect_texts("purposes", purposes, "purposes")
    expect_purposes(purposes, PLACES)
    file = _OfFile(robots) if robots else None
    standings = file.standings if file else partial(_without_file, is_open=is_open)
    (default,) = standings(["*"])
    if crawlers:
        check_product_token(crawlers, dialect=robots.dialect if robots else "rfc9309")
        asked = _with_own_readings(robots, [*standings(crawlers)])
        return Survey(default, (), tuple(map(_in_own, asked) if own else asked), {}, {}, {}, 0)
    groups = robots.groups if robots else ()
    unlisted = unlisted_names(name for group in groups for name in group.product_tokens)
    known = (crawler.token for crawler in all_crawlers())
    everyone = [*standings([*known, *unlisted[:MOST_UNLISTED]])]
    meant = tuple(purposes) or tuple(PLACES)
    found = [one for one in everyone if not set(meant).isdisjoint(one.purposes)]
    chosen = _with_own_readings(robots, found)
    shown = [one for one in chosen if with_unnamed or _is_shown(one)]
    rest = [one for one in chosen if not (with_unnamed or _is_shown(one))]
    unnamed = _by_purpose(rest, meant)
    unbound = _by_purpose([one for one in rest if not one.bound], meant)
    differing = _by_purpose([one for one in rest if one.differs], meant)
    shown = [*map(_in_own, shown)] if own else shown
    listed = tuple(sorted(shown, key=lambda one: PLACES[one.purposes[0]]))
    hidden = max(0, len(unlisted) - MOST_UNLISTED) if UNLISTED in meant else 0
    return Survey(default, meant, listed, unnamed, unbound, differing, hidden)


def read_by_operators(
    robots: RobotsTxt, tokens: Sequence[str]
) -> list[tuple[RobotsTxt, list[str]]]:
    """Return the file as the operators of some crawlers read it, each with its crawlers; as it is
    for those of whose dialect nothing is known."""
    asked = robots.dialect
    alike = by_key((own_dialect(token, asked) or asked, token) for token in tokens)
    return [(read_again(robots, own), those) for own, those in alike.items()]


def _with_own_readings(robots: RobotsTxt | None, standings: Sequence[Standing]) -> list[Standing]:
    """Return standings with those in the dialects of operators."""
    files = read_by_operators(robots, [one.token for one in standings]) if robots else []
    others = ((_OfFile(read), tokens) for read, tokens in files if read is not robots)
    found = {own.token: own for read, tokens in others for own in read.standings(tokens)}
    return [replace(one, own_reading=found.get(one.token)) for one in standings]


def _in_own(standing: Standing) -> Standing:
    """Return the standing in the dialect of its operator, if it is known; what the file says to `*`
    in another dialect says nothing of it."""
    own = standing.own_reading or standing
    is_as_star = own.posture == "default" and not standing.differs
    return own if is_as_star else replace(own, posture=own.extent)


def _by_purpose(standings: Iterable[Standing], asked: Sequence[str]) -> dict[str, int]:
    """Return how many crawlers there are for each purpose; one may have several."""
    return dict(Counter(name for one in standings for name in one.purposes if name in asked))


def _with_usage(robots: RobotsTxt) -> RobotsTxt:
    """Return the file with `Content-Usage` read, too, if its dialect reads `Content-Signal`.

    Only preferences are taken from it: where they are read, other rules may apply to a crawler.
    """
    extensions = robots.dialect.extensions
    if "content-signal" not in extensions or "content-usage" in extensions:
        return robots
    dialect = robots.dialect.replace(extensions=(*extensions, "content-usage"))
    return parse(robots.body, dialect=dialect, url=robots.url)


def _without_file(tokens: Sequence[str], *, is_open: bool) -> Iterator[Standing]:
    """Yield what a site without a file that applies says to each crawler: the same for all."""
    extent: Extent = "all" if is_open else "none"
    for token in tokens:
        posture: Posture = extent if token == "*" else "default"
        yield Standing(token, find(token), posture, extent, is_open)


class _OfFile:
    """What a file says to each crawler."""

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self._with_usage = _with_usage(robots)
        self._alike: dict[object, Standing] = {}
        (self._default,) = self._standings(["*"], [robots.agent("*")])

    def standings(self, tokens: Sequence[str]) -> Iterator[Standing]:
        """Yield what the file says to each crawler; those that follow the same groups share it."""
        agents = dict(zip(tokens, agents_of(self._robots, tokens), strict=True))
        named = {token: agent for token, agent in agents.items() if agent.named}
        found = {"*": self._default}
        found |= zip(named, self._standings([*named], [*named.values()]), strict=True)
        return (found.get(token) or self._unnamed(token, agents[token]) for token in tokens)

    def _unnamed(self, token: str, agent: Agent) -> Standing:
        """Return what the file says to a crawler that no group names."""
        if agent.robots.dialect.ignore_star:
            standing = self._survey_groups(agent, self._with_usage.agent(token))
            return replace(standing, token=token, crawler=find(token))
        return replace(
            self._default, token=token, crawler=find(token), posture="default", group_lines=()
        )

    def _standings(self, tokens: Sequence[str], agents: Sequence[Agent]) -> Iterator[Standing]:
        names = [agent.tokens[0] for agent in agents]
        of_usage = agents_of(self._with_usage, names, "file")
        lines = _binding_lines(self._robots, names)
        for token, name, agent, usage, (groups, starts) in zip(
            tokens, names, agents, of_usage, lines, strict=True
        ):
            key = groups, tuple(_places(usage))
            if key not in self._alike:
                self._alike[key] = self._survey_groups(agent, usage)
            follows = None if name == token else name
            standing = replace(self._alike[key], token=token, crawler=find(token))
            yield replace(standing, group_lines=starts, follows=follows, named=agent.named)

    def _survey_groups(self, agent: Agent, of_usage: Agent) -> Standing:
        """Return what the rules of its groups mean for a crawler."""
        elsewhere = agent.decide(_page_elsewhere([agent]))
        usage = of_usage.content_usage(_page_elsewhere([of_usage]))
        return Standing(
            "",
            None,
            agent.posture,
            agent.posture,
            elsewhere.allowed,
            elsewhere.rule,
            signals=agent.content_signals,
            usage=None if usage is None else tuple(usage.items()),
            dialect=self._robots.dialect.name,
        )


def unlisted_names(values: Iterable[str]) -> list[str]:
    """Return the names in values of start-group lines that are not in the registry, in order."""
    return [name for name in _names_of([*values]) if find(name) is None]


def spellings(values: Iterable[str]) -> dict[str, str]:
    """Return the names in values of start-group lines but for `*`, in order: each as it is written
    first, by its lower case."""
    return {name.lower(): name for name in _names_of([*values])}


def preferences(standing: Standing) -> dict[str, str]:
    """Return the preferences of a site, such as `search=yes`; signals before usage."""
    usage = {f"usage:{name}": "yes" if value else "no" for name, value in standing.usage or ()}
    return dict(_signal_words(standing.signals)) | usage


def _is_shown(standing: Standing) -> bool:
    """Whether a crawler is listed: a group names it, or its name is only known from the file."""
    return standing.named or standing.crawler is None
