"""Which crawler a `User-Agent` header names.

In: a header. Out: a `Crawler`, or None for browsers and unknown crawlers; or the product token of a
client. A header is a claim; whether the request came from the operator is not checked.
"""

from collections.abc import Container

from verger._core import _names_in, product_token
from verger.crawlers.registry import Crawler, find

RUNTIMES = frozenset(("java", "node", "perl", "php", "python", "ruby"))
"""Products that come before the library that makes the request."""

LONGEST_NAME = 64
"""Characters of a name among which a shorter one is looked for."""


def of_user_agent(header: str) -> Crawler | None:
    """Return the crawler that a `User-Agent` header names.

    The product token counts first; if it is unknown, the longest known name in the header, outside
    of comments if it has a product of its own: `ExampleBot/1.0 (compatible; Nutch/1.19)` is
    unknown. A library beside another product is only part of it: `FigTree/0.1 libwww-perl/5.04` is
    FigTree. Whole names are compared, so `CUBOT`, a telephone, is not a bot, and Googlebot-Image is
    not Googlebot; but `_` ends one, as does `-https`: `GPTBot_1.0` is GPTBot.

    RFC 9309 section 2.2.1; RFC 9110 section 10.1.5.
    """
    token = product_token(header)
    if token is not None and (crawler := find(token)) is not None:
        return crawler
    found = [crawler for name, _ in _names_in(header) if (crawler := _known(name)) is not None]
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
        for name, role in _names_in(header):
            if name.lower() in named and role != "mentioned":
                known = find(name)
                return known.token if known else name
    return crawler.token if crawler else first


def _known(name: str) -> Crawler | None:
    """Return the crawler of a name, or of what stands before `_` or `-https` in it.

    `Pingdom.com_bot_version_1.4_` and `DuckDuckBot-Https` are names that crawlers send.
    """
    crawler = find(name)
    parts = name[:LONGEST_NAME].lower().replace("-https", "_").split("_")
    while crawler is None and len(parts := parts[:-1]) > 0:
        head = "_".join(parts)
        crawler = find(head) or find(head.removesuffix(".com"))
    return crawler


def _is_of(crawler: Crawler, token: str | None) -> bool:
    return token is not None and crawler.token.lower() == token.lower()
