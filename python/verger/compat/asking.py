"""Converts the arguments of other parsers to the form that the core takes.

In: text, user agents and URLs of any form. Out: bytes, product tokens, and URLs in which the core
finds the target. Nothing is decided here.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from verger._core import product_token
from verger.dialects import RFC9309

ANY_TEXT = RFC9309.replace(
    name="rfc9309-of-any-text",
    token_check="any",
    url_split="google",
)
"""RFC 9309 for callers that may pass any text as user agent or URL."""

# A name, and the start of one inside an identification string.
_IS_NAME = re.compile(r"[\w.-]+|\*").fullmatch
_STARTS = re.compile(r"(?<![\w-])[\w.-]")
_FAMILY = "mozilla"


def encoded(text: str) -> bytes:
    """Return a text as the bytes of a file; text decoded with `surrogateescape` is restored."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def rooted(url: str) -> str:
    """Return a URL in which the core finds a target; text without a scheme is a path."""
    return url if url[:1] == "/" or "://" in url else f"/{url}"


def is_exempt(url: str) -> bool:
    """Return whether a URL may be fetched from a site that is closed: `/robots.txt` itself."""
    from verger.access.entry import EXEMPT, no_rules  # which few callers need

    return no_rules(ANY_TEXT).decide(rooted(url)).reason == EXEMPT


def expect_url(url: str) -> None:
    """Raise ValueError for a URL whose authority the standard library refuses to split."""
    if "[" in url or "]" in url or not url.isascii():
        urlsplit(url)


@lru_cache(maxsize=1_024)
def named_by(user_agent: str) -> str:
    """Return the product token of an identification string; `*` if it names no crawler."""
    if _IS_NAME(user_agent):
        return user_agent
    return product_token(user_agent) or "*"


MOST_READ = 8_192
"""The number of characters of an identification string that are searched for names."""

LONGEST_NAME = 256
"""The number of characters of each part that are compared with names."""


@lru_cache(maxsize=64)
def named_within(user_agent: str) -> str | Sequence[str]:
    """Return every part of an identification string that may begin with the name of a group.

    `Mozilla` begins the identification strings of nearly all browsers and many crawlers, so it
    names no crawler.
    """
    user_agent = user_agent.strip()[:MOST_READ]
    if _IS_NAME(user_agent):
        return user_agent
    starts = [found.start() for found in _STARTS.finditer(user_agent)]
    parts = [user_agent[start : start + LONGEST_NAME] for start in starts]
    return [part for part in parts if not part.lower().startswith(_FAMILY)] or "*"
