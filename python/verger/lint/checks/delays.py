"""Crawl delays.

RT406 and RT407.
"""

from collections.abc import Iterable, Iterator

from verger._core import Group, Record
from verger.crawlers.registry import find, ignores_delay
from verger.lint.check import check
from verger.lint.diagnostic import Found, quoted
from verger.lint.file import File, tokens_of
from verger.options import is_token
from verger.untrusted_text import listed


@check("RT406", "warning")
def delay_not_read(file: File) -> Iterator[Found]:
    """A `Crawl-delay` in a group that names only crawlers whose operators say that they ignore it:
    those of Google, Yandex, Amazon and Baidu.

    Why: the delay does not slow the crawler down.

    Use instead: Google slows down when a server answers 429 or 503; Yandex has the setting "Crawl
    rate" in Yandex Webmaster, and Baidu one in Baidu Webmaster Tools.
    """
    records = [record for record in file.robots.records if record.field == "crawl-delay"]
    said = {key: _who_ignores(group) for key, group in _groups_of(records).items()}
    for record in records:
        if what := said.get(id(record.group)):
            yield Found(record.line, what)


def _groups_of(records: Iterable[Record]) -> dict[int, Group]:
    """Return the groups of records by identity: thousands of records may share one."""
    return {id(record.group): record.group for record in records if record.group is not None}


def _who_ignores(group: Group) -> str | None:
    tokens = tokens_of(group)
    crawlers = [crawler for crawler in map(find, tokens) if crawler and ignores_delay(crawler)]
    if not tokens or len(crawlers) < len(tokens):
        return None
    operators = sorted({str(crawler.operator) for crawler in crawlers})
    who = f"{listed(operators)} ignore{'s' * (len(operators) == 1)} `Crawl-delay`"
    return f"{who}, and the group of {quoted(tokens[0])} names nobody else"


LONGEST = 30
"""Bing reads 1 to 30 seconds (Bing Webmaster Tools, "Crawl delay and the Bing crawler")."""

A_DAY = 86_400


@check("RT407", "warning")
def long_delay(file: File) -> Iterator[Found]:
    """A `Crawl-delay` of more than 30 seconds, the most that Bing reads, for `*` or a crawler of a
    search engine; one that slows down another crawler is meant.

    Why: crawlers that read it fetch fewer than 2,880 pages a day, and others ignore it.

    Use instead: 1 to 30 seconds. Some authors assume milliseconds.
    """
    delays = (
        (record, record.value) for record in file.robots.records if record.field == "crawl-delay"
    )
    long = [(record, n) for record, n in delays if isinstance(n, float) and n > LONGEST]
    groups = _groups_of(record for record, _ in long)
    told = {key for key, group in groups.items() if _is_slowed(file, group)}
    for record, seconds in long:
        if record.group is None or id(record.group) in told:
            pages = f"{int(A_DAY / seconds):,}" if seconds <= A_DAY else "less than 1"
            what = f"at {quoted(record.raw)} seconds per page, crawlers fetch {pages} pages a day"
            yield Found(record.line, what, file.line(record.line).value_span)


def _is_slowed(file: File, group: Group) -> bool:
    """Whether a group with a long delay is for everyone or a search engine, and lets the first
    crawler that it names fetch something."""
    tokens = tokens_of(group)
    known = filter(None, map(find, tokens))
    if "*" not in tokens and not any("search" in crawler.purposes for crawler in known):
        return False
    return not any(
        file.robots.agent(name).posture == "none" for name in tokens[:1] if is_token(name)
    )
