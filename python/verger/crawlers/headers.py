"""Which known crawler a `User-Agent` header names.

In: a header. Out: a `Crawler`, or None: for browsers, and for crawlers that nobody listed. A header
is a claim; whether the request came from the operator is not looked at.
"""

from collections.abc import Iterator

from verger._core import product_token
from verger.crawlers.registry import Crawler, by_lower_token

BROWSED_WITH = frozenset(
    (
        *("blackboard", "code", "cursor", "daum", "feedly", "fluid", "genieo", "grammarly"),
        *("instapaper", "opencode", "silk", "trae", "tumblr", "upday", "viber", "whatsapp"),
    )
)
"""Names of crawlers that programs have, too, in which people look at pages."""


def of_user_agent(header: str) -> Crawler | None:
    """Return the crawler that a `User-Agent` header names.

    The product token counts first; where it is not known, names that stand elsewhere in the header
    with a version or behind `compatible;`, of several the longest. Names are compared whole, so
    that `CUBOT`, a telephone, is no bot, and Googlebot-Image is not Googlebot.

    RFC 9309 section 2.2.1; RFC 9110 section 10.1.5.
    """
    token = product_token(header)
    known = by_lower_token()
    if token is not None and (crawler := known.get(token.lower())) is not None:
        return crawler
    found = [known[name] for name in _names(header.lower()) if name in known]
    if header.startswith("Mozilla/"):
        found = [crawler for crawler in found if crawler.token.lower() not in BROWSED_WITH]
    return max(found, key=_length, default=None)


def _names(header: str) -> Iterator[str]:
    """Yield what may be a crawler's name; what stands in addresses never is one."""
    parts = header.replace("(", ";").replace(")", ";").split(";")
    is_name = len(parts[0].split()) == 1
    for part in parts:
        for word in part.split():
            name, slash, _ = word.partition("/")
            if slash or is_name:
                yield name
        is_name = part.endswith("compatible")


def _length(crawler: Crawler) -> int:
    return len(crawler.token)
