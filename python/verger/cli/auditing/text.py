"""The report of an audit for people: a table of crawlers, then the rules that they disregarded.

In: a result. Out: text in which control characters are escaped. Crawlers that disregarded rules
come first; those that followed all of them are at the end of the table.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from verger.bulk.audit import AuditResult, CrawlerAudit, RuleAudit
from verger.cli.columns import row_of, widths_of
from verger.cli.palette import Palette
from verger.crawlers import remark_on
from verger.crawlers.registry import UNVERIFIED, UNVERIFIED_NOTE
from verger.plain import counted, listed, printable, shortened

WIDEST_NAME = 28
WIDEST_EXAMPLE = 60
NAMES = 5
"""The most entries in the list of crawlers of a rule, `3 more` included."""

HEADER = ("crawler", "requests", "disallowed", "answered", "first", "last", "robots.txt")
LEFT = (True, False, False, False, True, True, False)


def text_of(result: AuditResult, *, top: int, palette: Palette | None) -> str:
    """Return the report.

    top:  how many crawlers and rules to show; 0 for all.
    """
    rules = [rule for rule in result.rules if rule.requests.count]
    unbound = [crawler for crawler in result.crawlers if crawler.unbound.count]
    lines = [
        *_crawlers(result.crawlers, top, palette),
        *(_rules(rules, top, palette) if rules or not unbound else ()),
        *_unbound(unbound, top, palette),
        *_footnote(result.crawlers[:top] if top else result.crawlers),
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _crawlers(crawlers: Sequence[CrawlerAudit], top: int, palette: Palette | None) -> Iterator[str]:
    if not crawlers:
        yield "no crawler requested anything"
        return
    shown = crawlers[:top] if top else crawlers
    rows: list[Sequence[str]] = [HEADER, *map(_cells, shown)]
    widths = widths_of(rows)
    for number, cells in enumerate(rows):
        if palette and number == 0:
            cells = [palette.paint(cell, "bold") for cell in cells]
        elif palette and crawlers[number - 1].closed.count:
            cells = [*cells[:2], palette.paint(cells[2], "red"), *cells[3:]]
        yield row_of(cells, widths, LEFT)
    rest = crawlers[len(shown) :]
    if rest:
        closed = counted(sum(crawler.closed.count for crawler in rest), "request")
        yield f"... and {len(rest):,} more, with {closed} for disallowed URLs"


def _cells(crawler: CrawlerAudit) -> tuple[str, ...]:
    closed = crawler.closed
    return (
        f"{_name(crawler.token)}{'?' if _is_unverified(crawler) else ''}",
        f"{crawler.requests.count:,}",
        f"{closed.count:,} {crawler.share:6.1%}" if closed.count else "-       ",
        f"{closed.answered:,}" if closed.count else "-",
        _day(closed.first),
        _day(closed.last),
        f"{crawler.robots_txt.count:,}" if crawler.robots_txt.count else "never",
    )


def _rules(rules: Sequence[RuleAudit], top: int, palette: Palette | None) -> Iterator[str]:
    if not rules:
        yield ""
        yield "no disallowed URL was fetched"
    shown = rules[:top] if top else rules
    for rule in shown:
        yield ""
        place = f"{printable(rule.version.name)}:{rule.line}"
        heading = printable(shortened(rule.rule, 2 * WIDEST_EXAMPLE))
        yield f"{place}  {palette.paint(heading, 'bold') if palette else heading}"
        yield f"  {counted(rule.requests.count, 'request')} by {_crawlers_of(rule)}{_when(rule)}"
        yield f"  such as {printable(shortened(rule.example, WIDEST_EXAMPLE))}"
    if len(rules) > len(shown):
        closed = sum(rule.requests.count for rule in rules[len(shown) :])
        yield ""
        rest = counted(len(rules) - len(shown), "more rule")
        yield f"... and {rest}, with {counted(closed, 'request')}"


def _unbound(crawlers: Sequence[CrawlerAudit], top: int, palette: Palette | None) -> Iterator[str]:
    """Yield the crawlers that fetched URLs disallowed by rules that do not bind them."""
    if not crawlers:
        return
    heading = "disallowed by rules that do not bind these crawlers"
    yield ""
    yield palette.paint(heading, "bold") if palette else heading
    shown = sorted(crawlers, key=lambda each: -each.unbound.count)
    for crawler in shown[:top] if top else shown:
        remark = remark_on(crawler.token) if crawler.token else None
        why = f": {remark}" if remark else ""
        yield f"  {_name(crawler.token)}, {counted(crawler.unbound.count, 'request')}{why}"
    if top and len(shown) > top:
        yield f"  ... and {len(shown) - top:,} more"


def _footnote(shown: Sequence[CrawlerAudit]) -> Iterator[str]:
    """Yield what `?` means, if it is shown."""
    if any(map(_is_unverified, shown)):
        yield ""
        yield UNVERIFIED_NOTE


def _is_unverified(crawler: CrawlerAudit) -> bool:
    return UNVERIFIED in crawler.sources


def _crawlers_of(rule: RuleAudit) -> str:
    bound = [share for share in rule.crawlers if share.bound]
    return listed(
        bound, lambda share: f"{_name(share.token)} ({share.requests.count:,})", most=NAMES
    )


def _when(rule: RuleAudit) -> str:
    first, last = _day(rule.requests.first), _day(rule.requests.last)
    if not first:
        return ""
    return f", on {first}" if first == last else f", {first} to {last}"


def _name(token: str | None) -> str:
    if token is None:
        return "(others)"
    return "(everyone else)" if token == "*" else shortened(printable(token), WIDEST_NAME)


def _day(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d") if moment else ""
