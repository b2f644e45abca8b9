"""`verger audit`: which crawlers fetched disallowed URLs?

In: access logs, and the robots.txt file of the site: a file, a URL, or its history. Out: a report
by crawler and by rule on stdout or in a file; counts of the lines in the logs, and what could not
be read, on stderr.
"""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from io import BufferedReader, RawIOBase
from itertools import chain, islice
from typing import cast

from verger import DIALECTS, parse
from verger.bulk.audit import (
    AuditResult,
    CrawlerAudit,
    LogLines,
    Piece,
    RuleAudit,
    Version,
    WhyUnseen,
    audit_logs,
    expect_entries,
    history_of,
    size_of,
    unseen,
    version_of,
)
from verger.bulk.audit.history import hosts_of
from verger.bulk.audit.result import csv_of, json_of, parquet_of
from verger.bulk.audit.run import FIELDS, FORMS, NAMED, WHY
from verger.cli import options
from verger.cli.excerpt import MOST_NOTED, notes_on
from verger.cli.live import fetch_site, no_file, tell_absence
from verger.cli.output import (
    DISALLOWED,
    FAILED,
    FINE,
    Palette,
    expect_no_terminal,
    message_lines,
    refuse_first,
    refuse_if,
    see_help,
)
from verger.cli.printing import at_most, pace, row_of, totals, widths_of
from verger.cli.progress import Progress, bar
from verger.crawlers import remark_on
from verger.crawlers.registry import UNVERIFIED, UNVERIFIED_NOTE
from verger.files.formats import input_format
from verger.files.paths import input_name, is_url
from verger.files.robots_file import read_named
from verger.files.stdio import plain_on, unbuffered_stdin
from verger.files.writing import Output, writing
from verger.options import time_of
from verger.plain import counted, listed, printable, quoted, shortened

FORMATS = ("text", "json", "csv", "parquet")
TABLES = ("crawler", "rule")
TOP = 20

HELP = """\
usage: verger audit (--robots FILE|URL|- | --history PATH...) [--format FORMAT]
                    [OPTION...] (ACCESS_LOG... | -)

Which crawlers fetched disallowed URLs, how often, and since when?

An ACCESS_LOG is in Common Log Format, combined or not, or holds one JSON object
per line; gzip is unpacked; `-` is stdin. Requests are judged by one robots.txt
file, or each by the version that was in force at its time.

exit code:
  0    no crawler fetched disallowed URLs, except crawlers that the rules do not
       bind, as their operators say
  1    at least one did
  2    bad usage, or something cannot be read or written
  130  interrupted

examples:
  verger audit --robots robots.txt access.log access.log.1.gz
  verger audit --history robots/ --grace 24h --format csv --by rule access.log
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)

    args.host = hosts_of(args.host)
    selects_hosts = bool(args.host)  # a URL of `--robots` selects its host later
    meter = AuditMeter(size_of(args.logs), quiet=args.quiet)
    read = [*args.logs, *args.history, args.robots]
    options.expect_separate_outputs(args, [args.output], read, args.history)
    if args.format == "parquet":
        expect_no_terminal(args.output, "Parquet")
    with writing(args.output) as output:
        versions = versions_of(args)
        if not args.quiet:
            _note_odd_files(versions, args.dialect, meter)
        result = _audit(args, versions, meter)
        expect_entries(result, everyone=args.everyone)
        write_result(args, result, output)
    # A requested crawler that was neither seen nor is known may be misspelt.
    meter.note(*unseen_lines(unseen(result, args.agent, dialect=args.dialect)))
    return _close(result, meter, selects_hosts=selects_hosts)


def _audit(args: Namespace, versions: Sequence[Version], meter: "AuditMeter") -> AuditResult:
    with closing(meter):
        return audit_logs(
            [stdin_stream() if path == "-" else path for path in args.logs],
            versions,
            everyone=args.everyone,
            dialect=args.dialect,
            form=args.input_format,
            fields=args.log_field,
            since=args.since,
            until=args.until,
            hosts=args.host,
            crawlers=args.crawlers,
            grace=timedelta(seconds=args.grace),
            on_piece=meter.judged,
        )


def _note_odd_files(versions: Sequence[Version], dialect: str, meter: Progress) -> None:
    """Note files that are not robots.txt files or are read in part: they disallow little."""
    read = ((parse(version.body, dialect=dialect), version.name) for version in versions)
    notes = chain.from_iterable(notes_on([robots], name) for robots, name in read)
    meter.note(*islice(notes, MOST_NOTED))


def _close(result: AuditResult, meter: Progress, *, selects_hosts: bool) -> int:
    """Report what the logs contained and what could not be read; return the exit code."""
    meter.note(*summary_lines(result, meter.seconds, selects_hosts=selects_hosts))
    for problem in result.problems:
        meter.say(message_lines(problem.message, problem.hint))
    if result.problems:
        return FAILED
    return DISALLOWED if result.closed else FINE


# Usage


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect, and set what depends on other options."""
    refuse_if(not args.logs, "no access log given", "pass its path, or `-` to read it from stdin")
    for log in args.logs:
        input_format(log, args.input_format, NAMED, option="--input-format")
    refuse_first(
        (
            args.log_field and args.input_format not in (None, "jsonl"),
            f"`--log-field` is for JSON, and `--input-format` says {args.input_format}",
            "leave one of them out",
        ),
        (
            args.logs.count("-") + (args.robots == "-") > 1,
            "stdin can be read only once",
            see_help("audit"),
        ),
        (
            bool(args.robots) == bool(args.history),
            "pass `--robots` or `--history`, not both" if args.robots else "no robots.txt given",
            "`--robots FILE` judges by one file, `--history DIR` by all versions",
        ),
    )
    args.format = options.format_of(args, FORMATS)
    refuse_first(
        (
            args.by and args.format not in ("csv", "parquet"),
            f"`--by` chooses a table of csv and parquet, and the format is {args.format}",
            "leave it out: text and json have both tables",
        ),
        (
            args.top is not None and args.format != "text",
            f"`--top` is for text, and the format is {args.format}",
            "leave it out: other formats have all",
        ),
        (
            args.since and args.until and args.until <= args.since,
            "`--until` is not later than `--since`",
            "pass a later `--until`, or an earlier `--since`",
        ),
    )
    args.by, args.top = args.by or "crawler", TOP if args.top is None else args.top
    args.crawlers = options.tokens_named(args, [args.dialect])
    if not (args.robots and is_url(args.robots)):
        options.expect_no_network(args, options.NETWORK, "and no file is fetched")
    refuse_if(
        args.grace and not args.history,
        "`--grace` is for a `--history`: one file has no version before it",
        "pass all versions with `--history PATH`, or leave `--grace` out",
    )


def _time(word: str) -> datetime:
    try:
        return time_of(word)
    except ValueError:
        raise ArgumentTypeError(
            f"`{word}` is not a time such as `2026-01-05` or `2026-01-05T10:30:00Z`"
        ) from None


def _field(word: str) -> tuple[str, str]:
    field, separator, path = word.partition("=")
    if separator and path and field in FIELDS:
        return field, path
    raise ArgumentTypeError(f"`{word}` is not of the form `user_agent=client.ua`")


OPTIONS = (
    options.shared("--robots"),
    options.option(
        "--history",
        action="append",
        default=[],
        type=options.file,
        metavar="PATH",
        help="all versions: a folder of files with dates in their names, one such file, or a table "
        "(Parquet, CSV, JSON Lines) with the columns time, body, and perhaps origin and "
        "status; may be given several times",
    ),
    options.option(
        "--grace",
        type=options.span,
        default=0,
        metavar="SPAN",
        help="ignore fetches of URLs that were allowed within SPAN before, because crawlers may "
        "use a copy of the file; RFC 9309 section 2.4 names 24h (default: 0)",
    ),
    options.shared("--dialect"),
    options.option(
        "logs", nargs="*", type=options.file, metavar="ACCESS_LOG", help="the logs to audit"
    ),
    options.shared(
        "--input-format",
        choices=FORMS,
        what="combined (also common), vhost (the same after the name of the host), jsonl",
        unless="detected for each line",
    ),
    options.option(
        "--log-field",
        action="append",
        default=[],
        type=_field,
        metavar="FIELD=PATH",
        help=f"the path in JSON of {', '.join(FIELDS)}, such as user_agent=client.ua; may be given "
        "several times (default: the names of common servers)",
    ),
    options.shared("--agent", more=options.REPEATED, unless="all that are found"),
    options.shared("--purpose"),
    options.switch(
        "--everyone",
        help="also audit browsers and requests without a User-Agent, as crawlers that no group "
        "names",
    ),
    options.option(
        "--host",
        action="append",
        default=[],
        metavar="HOST",
        help="only requests for this host, if the log has hosts; may be given several times",
    ),
    options.option(
        "--since", type=_time, metavar="TIME", help="only requests from TIME on, such as 2026-01-05"
    ),
    options.option("--until", type=_time, metavar="TIME", help="only requests before TIME"),
    options.shared(
        "--format",
        choices=FORMATS,
        what="text for people, json for one object, csv and parquet for tables",
    ),
    options.option(
        "--by",
        choices=TABLES,
        metavar="TABLE",
        help="crawler: the table has a row for each crawler; rule: a row for each rule and each "
        "crawler that fetched despite it (default: crawler)",
    ),
    options.shared(
        "--output",
        what="the file that is written when the report is complete (default: `-` for stdout)",
        default="-",
    ),
    options.option(
        "--top",
        type=partial(options.count, least=0),
        metavar="N",
        help=f"how many crawlers and rules text shows, 0 for all (default: {TOP})",
    ),
    options.shared("--quiet"),
    *options.NETWORK_OPTIONS,
)


def versions_of(args: Namespace) -> list[Version]:
    """Return the versions to judge by: one file for all times, or its history."""
    if args.history:
        return history_of(args.history, hosts=args.host, dialect=DIALECTS[args.dialect])
    if is_url(args.robots):
        return [_fetch(args)]
    path = args.robots
    hint = f"pass `--history {path}` for a folder of dated versions"
    data = read_named(path, [DIALECTS[args.dialect]], if_folder=hint)
    return [Version(input_name(path), data)]


def _fetch(args: Namespace) -> Version:
    """Fetch the file of a URL's origin, and select the requests for its host."""
    site = fetch_site(args, args.robots, [args.dialect])
    if not args.host:
        args.host = hosts_of([site.origin])
    version = version_of(site)
    if version is None:
        raise no_file(site.last, "judge by")
    tell_absence(args, site)
    return version


def stdin_stream() -> BufferedReader:
    """Return the log on stdin."""
    return BufferedReader(cast(RawIOBase, unbuffered_stdin("an access log")))


# The report, in which control characters are escaped: crawlers that disregarded rules come first,
# and those that followed all of them last


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
    lines = [
        *_crawlers(result.crawlers, top, palette),
        *(_rules(rules, top, palette) if rules or not unbound else ()),
        *_unbound(unbound, top, palette),
        *_footnote(result.crawlers[:top] if top else result.crawlers),
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _crawlers(crawlers: Sequence[CrawlerAudit], top: int, palette: Palette) -> Iterator[str]:
    if not crawlers:
        yield "no crawler requested anything"
        return
    shown = crawlers[:top] if top else crawlers
    rows: list[Sequence[str]] = [HEADER, *map(_cells, shown)]
    widths = widths_of(rows)
    for number, cells in enumerate(rows):
        if number == 0:
            cells = [palette.paint(cell, "bold") for cell in cells]
        elif crawlers[number - 1].closed.count:
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


def _rules(rules: Sequence[RuleAudit], top: int, palette: Palette) -> Iterator[str]:
    if not rules:
        yield from ("", "no disallowed URL was fetched")
    shown = rules[: top or None]
    for rule in shown:
        yield ""
        place = f"{printable(rule.version.name)}:{rule.line}"
        heading = printable(shortened(rule.rule, 2 * WIDEST_EXAMPLE))
        yield f"{place}  {palette.paint(heading, 'bold')}"
        yield f"  {counted(rule.requests.count, 'request')} by {_crawlers_of(rule)}{_when(rule)}"
        yield f"  such as {printable(shortened(rule.example, WIDEST_EXAMPLE))}"
    if len(rules) > len(shown):
        closed = sum(rule.requests.count for rule in rules[len(shown) :])
        rest = counted(len(rules) - len(shown), "more rule")
        yield from ("", f"... and {rest}, with {counted(closed, 'request')}")


def _unbound(crawlers: Sequence[CrawlerAudit], top: int, palette: Palette) -> Iterator[str]:
    """Yield the crawlers that fetched URLs disallowed by rules that do not bind them."""
    if not crawlers:
        return
    yield from ("", palette.paint("disallowed by rules that do not bind these crawlers", "bold"))
    shown = sorted(crawlers, key=lambda each: -each.unbound.count)
    yield from at_most(shown, top or None, _line_of_unbound, lambda n: f"  ... and {n:,} more")


def _line_of_unbound(crawler: CrawlerAudit) -> str:
    remark = remark_on(crawler.token) if crawler.token else None
    why = f": {remark}" if remark else ""
    return f"  {_name(crawler.token)}, {counted(crawler.unbound.count, 'request')}{why}"


def _footnote(shown: Sequence[CrawlerAudit]) -> Iterator[str]:
    """Yield what `?` means, if it is shown."""
    if any(map(_is_unverified, shown)):
        yield from ("", UNVERIFIED_NOTE)


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


# Totals: each line of a log is counted in exactly one of them


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
    for line in log.unreadable_lines[:SHOWN]:
        place = f"{printable(line.input)}:{line.line}"
        yield f"note: {place} is not an entry: {WHY[line.reason]}"
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
        is_stdout = args.output == "-"
        encoding = sys.stdout.encoding if is_stdout else "utf-8"
        palette = Palette.of(sys.stdout) if is_stdout else Palette(coloured=False)
        text = text_of(result, top=args.top, palette=palette)
        output.write(text.encode(encoding, "backslashreplace"))
    elif args.format == "json":
        plain_on(output).write(json_of(result, args.dialect))
    else:
        plain_on(output).write({"csv": csv_of, "parquet": parquet_of}[args.format](result, args.by))
