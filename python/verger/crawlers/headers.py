"""Which crawler a `User-Agent` header names.

In: a header. Out: a `Crawler`, or None for browsers and unknown crawlers; or the product token of a
client. A header is a claim; whether the request came from the operator is not checked.
"""

from collections.abc import Container, Iterator

from verger._core import product_token
from verger.crawlers.registry import Crawler, by_lower_token

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
    return max(found, key=_length, default=None)


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


def _length(crawler: Crawler) -> int:
    return len(crawler.token)
