"""The registry: every known crawler, read from the package when first asked for.

In: `registry.json`, which tools/crawlers.py derives from the lists in `SOURCES`. Out: `Crawler`s,
sorted by token. Knows no header and no file.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

Respects: TypeAlias = Literal["yes", "no", "partial", "unknown"]
"""Whether a crawler obeys robots.txt, by what its operator or a list claims; never measured."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where facts come from."""

    title: str
    date: str
    """Of the version that was read."""
    licence: str
    url: str | None = None


SOURCES: dict[str, Source] = {
    "documentation": Source(
        "what operators publish of their crawlers, from memory and not looked up again",
        "2026-11-20",
        "CC0",
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
"""The lists that the registry was reduced from, by the names in `Crawler.sources`."""


@dataclass(frozen=True, slots=True)
class Crawler:
    """What is known of one crawler."""

    token: str
    """Its product token, as it is usually written."""
    operator: str | None
    """Whose it is; None where no list says so."""
    purpose: str
    """What it is for, a name from `PURPOSES`."""
    respects: Respects
    url: str | None
    """Where it is described, as a list gives it; None where none does."""
    sources: tuple[str, ...]
    """Who says so, names from `SOURCES`."""


def find(token: str) -> Crawler | None:
    """Return the crawler of a product token; ASCII letters are compared without case.

    None where it is not known. Whole tokens alone are compared: `Googlebot-Image` is known by
    itself, and `Googlebot-Unheard-Of` is not.

    RFC 9309 section 2.2.1.
    """
    return by_lower_token().get(token.lower()) if token.isascii() else None


@cache
def all_crawlers() -> tuple[Crawler, ...]:
    """Return every crawler, in the order of the file."""
    from json import loads
    from pkgutil import get_data

    octets = get_data(__package__, "registry.json")
    assert octets is not None, "the package is read from a place that gives no data"
    rows = loads(octets)
    return tuple(Crawler(**{**row, "sources": tuple(row["sources"])}) for row in rows)


@cache
def by_lower_token() -> dict[str, Crawler]:
    """Return every crawler by its token in lower case."""
    return {crawler.token.lower(): crawler for crawler in all_crawlers()}
