"""RT211: a name that is nearly the name of a well-known crawler."""

from collections.abc import Iterator
from functools import cache

from verger._core import _leading_name
from verger.crawlers import LISTED
from verger.crawlers.registry import find
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.near import Spellings, is_same_word
from verger.lint.words import quoted

SHORTEST = 5
"""Shorter names are near too many others."""

LONG = 7
"""In shorter names, one letter makes a different name: `GetBot` is not `GPTBot`."""

OTHERS = (
    "Googlebot-Image",
    "Googlebot-News",
    "AdsBot-Google",
    "Mediapartners-Google",
    "DuckDuckBot",
    "YandexBot",
    "PetalBot",
    "MJ12bot",
    "Twitterbot",
    "facebookexternalhit",
    "LinkedInBot",
    "Pinterestbot",
    "Sogou",
)
"""Other names that are common in files, in addition to those of `LISTED`."""


@check("RT211", "warning", fix="unsafe")
def misspelt_crawler(file: File) -> Iterator[Found]:
    """A `User-agent` line with an unknown name that is one letter from a well-known one.

    In a short name, only two letters in the wrong order count: `GTPBot` is a slip, and `GetBot` is
    not.

    Why: the intended crawler does not find its name, and follows the rules for `*`.

    Use instead: the product token as the crawler's operator publishes it.

    Fix: the well-known name is written. The rules then apply to that crawler, so the fix is unsafe.
    """
    for line in file.start_lines:
        name = _leading_name(line.value or "")
        if len(name) < SHORTEST or line.value_span is None or find(name):
            continue
        meant = _near(name)
        if meant is not None and not file.robots.agent(meant).named:
            start = line.value_span[0]
            fix = file.rewrite(
                (start, start + len(name.encode())), meant.encode(), f"Write `{meant}`", "unsafe"
            )
            what = f"no known crawler is called {quoted(name)}; {quoted(meant)} is one"
            yield Found(line.number, what, line.value_span, fix=fix)


def _near(name: str) -> str | None:
    token = _well_known().nearest(name)
    return token if token is not None and _is_slip(name, token) else None


def _is_slip(name: str, token: str) -> bool:
    """Whether a name is likely a slip, not a name of its own: few slips change the first letter."""
    is_long = len(token) >= LONG and name[:1].lower() == token[:1].lower()
    return is_long or sorted(name.lower()) == sorted(token.lower()) or is_same_word(name, token)


@cache
def _well_known() -> Spellings:
    """Return the names of the crawlers that files name most often."""
    return Spellings(token for token in (*LISTED, *OTHERS) if len(token) >= SHORTEST)
