"""The output of `verger audit`: the report as text, its progress, and the totals.

In: a result. Out: text in which control characters are escaped. Crawlers that disregarded rules
come first; those that followed all of them are at the end of the table. Lines for stderr say what
the lines of the logs were; each is counted in exactly one of them.
"""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from verger.bulk.audit import AuditResult, CrawlerAudit, LogLines, Piece, RuleAudit, WhyUnseen
from verger.bulk.audit.output import csv_of, json_of, parquet_of
from verger.bulk.audit.run import WHY
from verger.cli.progress import Progress, bar
from verger.crawlers import remark_on
from verger.crawlers.registry import UNVERIFIED, UNVERIFIED_NOTE
from verger.files.stdio import plain_on
from verger.files.writing import Output
from verger.showing.palette import Palette
from verger.showing.printing import at_most, pace, row_of, totals, widths_of
from verger.untrusted_text import counted, listed, printable, quoted, visible

WIDEST_NAME = 28
WIDEST_EXAMPLE = 60
NAMES = 5
"""The most entries in the list of crawlers of a rule, `3 more` included."""

HEADER = ("crawler", "requests", "disallowed", "answered", "first", "last", "robots.txt")
LEFT = (True, False, False, False, True, True, False)


def text_of(result: AuditResult, *, top: int, palette: Palette) -> str:
    """Return the report.

    top:  how many crawlers and rules to show; 0 for all.
    """
    rules = [rule for rule in result.rules if rule.requests.count]
    unbound = [crawler for crawler in result.crawlers if crawler.unbound.count]
    extent = _extent(result)
    if not result.crawlers:
        return f"{_nothing(result.log)}{extent}\n"
    lines = [
        *_crawlers(result.crawlers, top, palette),
        *(_rules(rules, top, palette, extent) if rules or not unbound else ()),
        *_unbound(unbound, top, palette),
        *_footnote(result.crawlers[:top] if top else result.crawlers),
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _extent(result: AuditResult) -> str:
    """Return how much of the logs the report is about, where that is not all."""
    log = result.log
    unread = log.unreadable + log.undated + log.no_url + log.nameless
    if not unread and not result.problems:
        return ""
    what = "URL and user agent" if log.nameless else "URL"
    return f" in the {counted(log.lines - unread, 'line')} whose {what} could be read"


def _nothing(log: LogLines) -> str:
    """Return why there are no crawlers to report."""
    if not log.lines:
        return "no log has a line of a request"
    is_left_out = log.other_crawlers or (log.other_times + log.other_hosts and not log.people)
    return "no request was selected" if is_left_out else "no crawler requested anything"


def _crawlers(crawlers: Sequence[CrawlerAudit], top: int, palette: Palette) -> Iterator[str]:
    shown = crawlers[:top] if top else crawlers
    rows: list[Sequence[str]] = [HEADER, *map(_cells, shown)]
    widths = widths_of(rows)
    for number, cells in enumerate(rows):
        if number == 0:
            cells = [palette.paint(cell, "bold") for cell in cells]
        elif crawlers[number - 1].closed.count:
            cells = [*cells[:2], palette.paint(cells[2], "red"), *cells[3:]]
        yield row_of(cells, widths, LEFT)
    if rest := crawlers[len(shown) :]:
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


def _rules(rules: Sequence[RuleAudit], top: int, palette: Palette, extent: str) -> Iterator[str]:
    if not rules:
        yield ""
        yield f"no disallowed URL was fetched{extent}"
    shown = rules[: top or None]
    for rule in shown:
        yield ""
        place = f"{printable(rule.version.name)}:{rule.line}"
        heading = visible(rule.rule, 2 * WIDEST_EXAMPLE)
        yield f"{place}  {palette.paint(heading, 'bold')}"
        yield f"  {counted(rule.requests.count, 'request')} by {_crawlers_of(rule)}{_when(rule)}"
        yield f"  such as {visible(rule.example, WIDEST_EXAMPLE)}"
    if len(rules) > len(shown):
        closed = sum(rule.requests.count for rule in rules[len(shown) :])
        yield ""
        rest = counted(len(rules) - len(shown), "more rule")
        yield f"... and {rest}, with {counted(closed, 'request')}"


def _unbound(crawlers: Sequence[CrawlerAudit], top: int, palette: Palette) -> Iterator[str]:
    """Yield the crawlers that fetched URLs disallowed by rules that do not bind them."""
    if not crawlers:
        return
    yield ""
    yield palette.paint("disallowed by rules that do not bind these crawlers", "bold")
    shown = sorted(crawlers, key=lambda each: -each.unbound.count)
    yield from at_most(shown, top or None, _line_of_unbound, lambda n: f"  ... and {n:,} more")


def _line_of_unbound(crawler: CrawlerAudit) -> str:
    remark = remark_on(crawler.token) if crawler.token else None
    why = f": {remark}" if remark else ""
    return f"  {_name(crawler.token)}, {counted(crawler.unbound.count, 'request')}{why}"


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
    return "(everyone else)" if token == "*" else visible(token, WIDEST_NAME)


def _day(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d") if moment else ""


# Totals


MOST_HOSTS = 64
"""The most hosts that an audit distinguishes."""

SHOWN = 3
"""The most invalid lines that stderr names one by one."""


def summary_lines(result: AuditResult, seconds: float, *, selects_hosts: bool) -> Iterator[str]:
    """Yield the closing table, and notes on what it does not show.

    selects_hosts:  whether `--host` was given.
    """
    log = result.log
    judged = "judged", log.judged, "requests of crawlers"
    others = [(name, number or None, what) for name, number, what in _others(log)]
    time = pace(seconds, log.lines, "lines")
    yield from totals([("lines", log.lines, ""), judged, *others, time])
    if selects_hosts and log.judged and not (log.hosts or log.other_hosts):
        yield "note: the log has no hosts: `--host` selected nothing, and every request was judged"
    yield from _notes(result)


def unseen_lines(unseen: Mapping[str, WhyUnseen]) -> Iterator[str]:
    """Yield notes on requested crawlers that cannot have been seen."""
    for token, why in unseen.items():
        if why == "policy-token":
            yield f"note: `{token}` is a policy token: no crawler sends it"
        elif why == "no-name":
            yield f"note: no crawler sends `{token}`: without `--agent`, all are judged"
        else:
            yield f"note: neither the file, nor the log, nor the registry knows `{token}`"


def _others(log: LogLines) -> list[tuple[str, int, str]]:
    methods = ", ".join(
        f"{printable(name)} {number:,}" for name, number in sorted(log.other_methods.items())
    )
    return [
        ("people", log.people, "requests of browsers, or of clients that name no crawler"),
        ("nameless", log.nameless, "requests without a user agent"),
        (
            "others",
            log.other_crawlers,
            "requests of crawlers that `--agent` and `--purpose` do not name",
        ),
        (
            "methods",
            sum(log.other_methods.values()),
            f"requests that fetch nothing: {methods}",
        ),
        ("no URL", log.no_url, "requests that are invalid, or for no URL"),
        ("hosts", log.other_hosts, "requests for other hosts"),
        ("times", log.other_times, "requests outside `--since` and `--until`"),
        ("undated", log.undated, "requests without a time, which is needed here"),
        ("unreadable", log.unreadable, "lines that are not entries"),
    ]


def _notes(result: AuditResult) -> Iterator[str]:
    log = result.log
    for name in result.empty[:SHOWN]:
        yield f"note: `{printable(name)}` has no line of a request"
    for line in log.unreadable_lines[:SHOWN]:
        place = f"{printable(line.input)}:{line.line}"
        yield f"note: {place} is not an entry: {WHY[line.reason]}"
    if log.judged and log.first is None:
        yield "note: the log has no times: when requests came is unknown"
    if len(log.hosts) > 1:
        most = sorted(log.hosts, key=lambda host: -log.hosts[host])[:3]
        names = ", ".join(quoted(host) for host in most)
        more = " or more" if len(log.hosts) == MOST_HOSTS else ""
        what = f"the log has {len(log.hosts)} hosts{more}, such as {names}"
        yield f"note: {what}; one robots.txt file was applied to all of them"
        yield "hint: `--host` selects the hosts that it governs"
    unknown = sum(crawler.unknown for crawler in result.crawlers)
    if unknown:
        yield f"note: {counted(unknown, 'request')} came before the first known version"
    excused = sum(crawler.excused for crawler in result.crawlers)
    if excused:
        requests = counted(excused, "request")
        yield f"note: {requests} came within the grace: disallowed, but allowed shortly before"


class AuditMeter(Progress):
    """Counts bytes against the total size of the files."""

    def __init__(self, total: int | None, *, quiet: bool) -> None:
        super().__init__(shown=sys.stderr.isatty(), quiet=quiet)
        self._total = total
        self._before = self._position = self._bytes = 0

    def judged(self, piece: Piece) -> None:
        """Count a piece, and show the progress if it is time."""
        if piece.position < self._position:  # the piece is from the next log
            self._before += self._position
        self._position = piece.position
        self._bytes += len(piece.data)
        if self._is_time():
            self._draw(self.line())

    def line(self) -> str:
        """Return the progress and speed of the audit."""
        megabytes = self._bytes / 1e6
        rate = f"{megabytes:,.0f} MB  {megabytes / max(self.seconds, 1e-9):,.0f} MB/s"
        share = (self._before + self._position) / self._total if self._total else None
        return bar(rate, share)


def write_result(args: Namespace, result: AuditResult, output: Output) -> None:
    """Write the report."""
    if args.format == "text":
        output.write(_text_bytes(args, result))
    elif args.format == "json":
        plain_on(output).write(json_of(result, args.dialect))
    else:
        plain_on(output).write({"csv": csv_of, "parquet": parquet_of}[args.format](result, args.by))


def _text_bytes(args: Namespace, result: AuditResult) -> bytes:
    is_stdout = args.output == "-"
    encoding = sys.stdout.encoding if is_stdout else "utf-8"
    palette = Palette.of(sys.stdout) if is_stdout else Palette(coloured=False)
    return text_of(result, top=args.top, palette=palette).encode(encoding, "backslashreplace")
