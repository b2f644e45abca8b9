"""RT407: a Crawl-delay so long that a site is hardly crawled."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.names import tokens_of
from verger.lint.words import quoted
from verger.options import is_token

LONGEST = Decimal(30)
"""Bing reads 1 to 30 seconds (Bing Webmaster Tools, "Crawl delay and the Bing crawler")."""

A_DAY = 86_400


@check("RT407", "warning")
def long_delay(file: File) -> Iterator[Found]:
    """A `Crawl-delay` of more than 30 seconds, the most that Bing reads.

    Why: crawlers that read it fetch fewer than 2,880 pages a day, and others ignore it.

    Use instead: 1 to 30 seconds. Some authors assume milliseconds.
    """
    first: dict[int, str | None] = {}

    @cache
    def is_closed(token: str) -> bool:
        return is_token(token) and file.robots.agent(token).posture == "none"

    for record in file.records:
        value = record.value
        if record.field != "crawl-delay" or not isinstance(value, Decimal):
            continue
        if value <= LONGEST:
            continue
        key = id(record.group)  # several records share a group
        if key not in first:
            first[key] = next(iter(tokens_of(record.group)), None) if record.group else None
        token = first[key]
        if token is None or not is_closed(token):
            pages = f"{int(A_DAY / value):,}" if value <= A_DAY else "less than 1"
            what = f"at {quoted(record.raw)} seconds per page, crawlers fetch {pages} pages a day"
            yield Found(record.line, what, file.line(record.line).value_span)
