"""The registry: every known crawler, read from the package on first use, and who sent a header.

In: `registry.json`, which tools/crawlers.py derives from what operators publish and from the lists
in `LISTS`. Out: `Crawler`s, sorted by token. In: a `User-Agent` header. Out: a `Crawler`, or None
for browsers and unknown crawlers; or the product token of a client. A header is a claim; whether
the request came from the operator is not checked. Knows no file.
"""

from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass
from functools import cache
from json import loads
from pkgutil import get_data
from typing import Any, Literal, TypeAlias

from verger._core import product_token
from verger.crawlers.binding import AS_ALL, binds
from verger.crawlers.binding_table import BINDINGS

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
    def is_unverified(self) -> bool:
        """Whether the facts about it were written from memory, and not checked."""
        return UNVERIFIED in self.sources

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
    kind, bound_by, follows, _, _ = BINDINGS.get(row["token"].lower(), AS_ALL)
    binding = {"kind": kind, "bound_by": bound_by, "follows": follows}
    lists = {name: tuple(row[name]) for name in ("purposes", "sources")}
    return Crawler(**{**row, **lists, **binding})


@cache
def _content() -> dict[str, Any]:
    data = get_data(__package__, "registry.json")
    assert data is not None, "the package is read from a place that gives no data"
    content: dict[str, Any] = loads(data)
    return content


# Who sent a header

BROWSED_WITH = frozenset(
    (
        *("blackboard", "code", "cursor", "daum", "feedly", "fluid", "genieo", "grammarly"),
        *("instapaper", "opencode", "silk", "trae", "tumblr", "upday", "viber", "whatsapp"),
    )
)
"""Names of crawlers that are also names of programs in which people read pages."""


BROWSERS = frozenset(
    (
        *("applewebkit", "chrome", "chromium", "crios", "edg", "edge", "firefox", "fxios", "gecko"),
        *("khtml", "like", "mobile", "mozilla", "opera", "opr", "presto", "safari", "trident"),
        "version",
    )
)
"""Products of browsers: crawlers send them, too, and a file that names one names no crawler."""

RUNTIMES = frozenset(("java", "node", "perl", "php", "python", "ruby"))
"""Products that come before the library that makes the request."""


def of_user_agent(header: str) -> Crawler | None:
    """Return the crawler that a `User-Agent` header names.

    The product token counts first; if it is unknown, the longest known name elsewhere in the header
    with a version or after `compatible;`. A library after another product is only part of it:
    `FigTree/0.1 libwww-perl/5.04` is FigTree. Whole names are compared, so `CUBOT`, a telephone, is
    not a bot, and Googlebot-Image is not Googlebot.

    RFC 9309 section 2.2.1; RFC 9110 section 10.1.5.
    """
    token = product_token(header)
    known = by_lower_token()
    if token is not None and (crawler := known.get(token.lower())) is not None:
        return crawler
    names = map(str.lower, _names(header))
    found = [known[name] for name in names if name in known]
    if header.startswith("Mozilla/"):
        found = [crawler for crawler in found if crawler.token.lower() not in BROWSED_WITH]
    if token is not None and token.lower() not in RUNTIMES:
        found = [crawler for crawler in found if "library" not in crawler.purposes]
    return max(found, key=lambda crawler: len(crawler.token), default=None)


def token_in(header: str, named: Container[str] = ()) -> str | None:
    """Return the product token of a client; None for people.

    Of several products, it is the one that the file names, else the one in the registry, else the
    first. If the first is a known crawler, or the file names it, the others do not count.

    named:  the names in the file, in lower case.

    RFC 9110 section 10.1.5: products are in the order of their significance.
    """
    first, crawler = product_token(header), of_user_agent(header)
    if first is not None and first.lower() in named:
        return crawler.token if crawler and _is_of(crawler, first) else first
    if crawler is None or "library" in crawler.purposes or not _is_of(crawler, first):
        for name in _names(header):
            if name.lower() in named and _is_told_by(name.lower(), header):
                known = by_lower_token().get(name.lower())
                return known.token if known else name
    return crawler.token if crawler else first


def _is_of(crawler: Crawler, token: str | None) -> bool:
    return token is not None and crawler.token.lower() == token.lower()


def _is_told_by(name: str, header: str) -> bool:
    """Whether a name in a header identifies the sender: browsers send many that do not."""
    is_browsed_with = name in BROWSED_WITH and header.startswith("Mozilla/")
    return name not in BROWSERS and not is_browsed_with and not name.isdigit()


def _names(header: str) -> Iterator[str]:
    """Yield what may be a crawler's name; parts of URLs are not."""
    parts = header.replace("(", ";").replace(")", ";").split(";")
    is_name = len(parts[0].split()) == 1
    for part in parts:
        for word in part.split():
            name, slash, _ = word.partition("/")
            if slash or is_name:
                yield name
        is_name = part.lower().endswith("compatible")
