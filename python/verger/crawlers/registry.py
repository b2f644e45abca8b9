"""The registry: every known crawler, read from the package on first use.

In: `registry.json`, which tools/crawlers.py derives from what operators publish and from the lists
in `LISTS`. Out: `Crawler`s, sorted by token. Knows no header and no file.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from json import loads
from pkgutil import get_data
from typing import Any, Literal, TypeAlias

from verger._core import _dialect_of_crawler, _documented
from verger.crawlers.binding import binds
from verger.options import DialectName, expect_text

Respects: TypeAlias = Literal["yes", "no", "partial", "unknown"]
"""Whether a crawler obeys robots.txt, as its operator or a list claims; never measured."""

Kind: TypeAlias = Literal["crawler", "policy-token"]
"""`policy-token`: no crawler sends it; files use it to say how pages may be used."""

BoundBy: TypeAlias = Literal["groups", "named-groups", "nothing"]
"""What binds a crawler, according to its operator: the groups that name it, else those of `*` (RFC
9309 section 2.2.1); only the groups that name it; nothing in the file."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page or list that facts come from.

    title:      what it is called.
    date:       the date of the version that was read, or the day on which it was read if it has
                none. For a page that was read as a copy, or quoted in a list, the date of that.
    licence:    the licence of the facts in verger.
    url:        where it is; None if it is not a page.
    secondary:  whether it only tells what another document says.
    """

    title: str
    date: str
    licence: str = "CC0"
    url: str | None = None
    secondary: bool = False


@dataclass(frozen=True, slots=True)
class Honoured:
    """A mechanism that speaks about use, and that an operator says it reads.

    mechanism:  as in `verger.UseSignal`: `crawl-rules` if it obeys rules, at least in part.
    title:      the page that says so.
    date:       the date of the version that was read, as in `Source`.
    """

    mechanism: str
    title: str
    date: str


UNVERIFIED = "unverified"
"""The source of facts that nobody has checked."""
UNVERIFIED_NOTE = "? from memory, not looked up: who operates the crawler, and what it does"
"""What the `?` in texts means."""

LISTS: dict[str, Source] = {
    UNVERIFIED: Source(
        "what operators publish of their crawlers, from memory and not looked up", "2026-11-20"
    ),
    "ai.robots.txt": Source(
        "ai.robots.txt, a list of AI agents and robots to block, commit 738c80d",
        "2026-08-22",
        "MIT",
        "https://github.com/ai-robots-txt/ai.robots.txt",
    ),
    "crawler-user-agents": Source(
        "crawler-user-agents, patterns of bots, crawlers and spiders, commit 7c7f9f2",
        "2026-07-02",
        "MIT",
        "https://github.com/monperrus/crawler-user-agents",
    ),
}
"""The lists that the registry is made from, by the names in `Crawler.sources`."""


@dataclass(frozen=True, slots=True)
class Crawler:
    """The facts about one crawler.

    token:     its product token, as it is usually written.
    operator:  its operator; None if unknown.
    purposes:  what it is for, names from `PURPOSES`, what it does first of all first.
    respects:  whether it obeys robots.txt, as its operator or a list claims.
    url:       the URL of its description, from a list; None if no list has one.
    sources:   the sources, names from `SOURCES`: first the page that was read, the operator's own
               if it was found.
    kind:      whether the name is that of a program, or only used in files.
    bound_by:  which rules bind it, according to its operator.
    follows:   the crawlers whose groups it follows if none names it, before those of `*`.
    """

    token: str
    operator: str | None
    purposes: tuple[str, ...]
    respects: Respects
    url: str | None
    sources: tuple[str, ...]
    kind: Kind = "crawler"
    bound_by: BoundBy = "groups"
    follows: tuple[str, ...] = ()

    @property
    def dialect(self) -> DialectName | None:
        """The dialect in which it reads, by the documents of its operator; None if these are
        unknown."""
        return _dialect_of_crawler(self.token)

    @property
    def is_unverified(self) -> bool:
        """Whether the facts about it were written from memory, and not checked."""
        return UNVERIFIED in self.sources

    @property
    def honours(self) -> tuple[Honoured, ...]:
        """The mechanisms about use that its operator says it reads; lists are not asked."""
        source = all_sources()[self.sources[0]]
        obeys = self.respects in ("yes", "partial") and self.sources[0] not in LISTS
        rules = [Honoured("crawl-rules", source.title, source.date)] if obeys else []
        said = (
            Honoured(row["mechanism"], row["title"], row["date"])
            for row in _content()["honours"]
            if row["operator"] == self.operator and self.token in row.get("tokens", [self.token])
        )
        return (*rules, *said)

    @property
    def is_hearsay(self) -> bool:
        """Whether it is a policy token that only a secondary source spells."""
        return self.kind == "policy-token" and all_sources()[self.sources[0]].secondary


def find(token: str) -> Crawler | None:
    """Return the crawler of a product token; ASCII letters are compared without case.

    None if it is unknown. Only whole tokens are compared: `Googlebot-Image` is known by itself, and
    `Googlebot-Unheard-Of` is not.

    RFC 9309 section 2.2.1.
    """
    expect_text("token", token)
    return by_lower_token().get(token.lower()) if token.isascii() else None


def by_purpose(purposes: Collection[str], *, with_hearsay: bool = False) -> list[Crawler]:
    """Return all known crawlers for any of these purposes; see `Crawler.is_hearsay`."""
    asked = frozenset(purposes)
    found = [each for each in all_crawlers() if not asked.isdisjoint(each.purposes)]
    return [each for each in found if with_hearsay or not each.is_hearsay]


def is_bound(crawler: Crawler | None, *, named: bool) -> bool:
    """Whether the rules for a crawler bind it, according to its operator.

    crawler:  the crawler in the registry; None for an unknown one.
    named:    whether the rules are of a group that names it, or one that it follows.
    """
    return crawler is None or binds(crawler.token, named=named)


def ignores_delay(crawler: Crawler) -> bool:
    """Whether the operator of a crawler says that it ignores `Crawl-delay`."""
    tokens = _without_delay().get(crawler.operator or "")
    return tokens is not None and (not tokens or crawler.token in tokens)


@cache
def _without_delay() -> dict[str, tuple[str, ...]]:
    """Return the operators that say so, each with the tokens of which it does; none for all."""
    return {row["operator"]: tuple(row.get("tokens", ())) for row in _content()["without_delay"]}


@cache
def all_crawlers() -> tuple[Crawler, ...]:
    """Return every crawler, in the order of the file."""
    return tuple(map(_crawler, _content()["crawlers"]))


@cache
def all_sources() -> dict[str, Source]:
    """Return every source: what operators publish, then the lists."""
    published = {name: Source(**source) for name, source in _content()["sources"].items()}
    return {**published, **LISTS}


@cache
def by_lower_token() -> dict[str, Crawler]:
    """Return every crawler by its token in lower case."""
    return {crawler.token.lower(): crawler for crawler in all_crawlers()}


def _crawler(row: dict[str, Any]) -> Crawler:
    kind, bound_by, follows = _documented(row["token"])
    binding = {"kind": kind, "bound_by": bound_by, "follows": follows}
    lists = {name: tuple(row[name]) for name in ("purposes", "sources")}
    return Crawler(**{**row, **lists, **binding})


@cache
def _content() -> dict[str, Any]:
    data = get_data(__package__, "registry.json")
    assert data is not None, "the package is read from a place that gives no data"
    content: dict[str, Any] = loads(data)
    return content
