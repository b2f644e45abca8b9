"""`verger audit`: which crawlers fetched what was closed to them?

In: access logs, and the robots.txt file of the site: a file, a URL, or its history. Out: a report
by crawler and by rule on stdout or in a file; what the lines of the logs were, and what could not
be read, on stderr. Exit code 0 where nothing closed was fetched, 1 where something was, 2 for bad
usage and what cannot be read or written.
"""

from argparse import ArgumentTypeError, HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from verger import DIALECTS
from verger.cli.exit import DISALLOWED, FAILED, FINE, Failure, message_lines
from verger.cli.fetching import NETWORK, add_network
from verger.cli.options import Parser, one_of
from verger.cli.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.bulk.audit import AuditResult, Version
    from verger.bulk.audit.logs import Log
    from verger.cli.auditing.meter import Meter

FORMATS = ("text", "json", "csv", "parquet")
LOG_FORMATS = ("auto", "combined", "vhost", "json")
FIELDS = ("time", "host", "request", "method", "target", "query", "status", "user_agent")
TABLES = ("crawler", "rule")
HELP_WIDTH = 80
HELP_HINT = "`verger audit --help` shows the options"
TOP = 20

USAGE = """verger audit (--robots FILE|URL | --history PATH...) [--format FORMAT]
                    [OPTION...] (ACCESS_LOG... | -)"""

DESCRIPTION = """\
Which crawlers fetched what was closed to them, how often, and since when?

An ACCESS_LOG is in Common Log Format, combined or not, or holds one JSON object
a line; gzip is unpacked; `-` is stdin. Requests are judged by one robots.txt
file, or each by the version that was in force when it came."""

EPILOG = """\
exit code:
  0    no crawler fetched what was closed to it
  1    at least one did
  2    bad usage, or something cannot be read or written
  130  interrupted

examples:
  verger audit --robots robots.txt access.log access.log.1.gz
  verger audit --history robots/ --grace 24h --format csv --by rule access.log"""

UNITS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def run(words: Sequence[str]) -> int:
    """Audit what the words name, and return the exit code."""
    asked = parser().read(words, many=())
    _check_usage(asked)
    from verger.cli.auditing.meter import Meter
    from verger.cli.auditing.sources import hosts_of, sizes_of, versions_of

    asked.host = hosts_of(asked.host)
    meter = Meter(sizes_of(asked.urls), quiet=asked.quiet)
    versions = versions_of(asked)
    result = _audit(asked, versions, meter)
    _check_read(asked, result)
    _write(asked, result)
    return _close(asked, result, meter)


def _audit(asked: Namespace, versions: "Sequence[Version]", meter: "Meter") -> "AuditResult":
    from verger.bulk.audit import audit_logs, crawler_in

    def everyone(header: str) -> str:
        return crawler_in(header) or "*"

    with meter:
        return audit_logs(
            [_log(path) for path in asked.urls],
            versions,
            crawler_of=everyone if asked.everyone else crawler_in,
            dialect=asked.dialect,
            form=None if asked.log_format == "auto" else asked.log_format,
            fields=asked.log_field,
            since=asked.since,
            until=asked.until,
            hosts=asked.host,
            crawlers=asked.crawler,
            grace=asked.grace,
            on_piece=meter.judged,
        )


def _log(path: str) -> "Log":
    from verger.cli.auditing.sources import stdin_stream

    return stdin_stream() if path == "-" else path


def _check_read(asked: Namespace, result: "AuditResult") -> None:
    """Refuse logs of which no line says anything."""
    log = result.log
    if result.problems and not log.lines:
        raise Failure(result.problems[0].message, result.problems[0].hint)
    if log.lines and log.unreadable == log.lines:
        first = log.unreadable_lines[0]
        place = f"line {first.line} of `{printable(first.input)}`: {first.reason}"
        hint = f"{place}; `--log-format` says how lines are written"
        raise Failure(f"none of {log.lines:,} lines is an entry of an access log", hint)
    if log.lines and log.nameless == log.lines - log.unreadable and not asked.everyone:
        why = "no line tells a user agent, so that nobody knows which crawler it is of"
        raise Failure(why, "log in combined format, or judge all as one with `--everyone`")


def _write(asked: Namespace, result: "AuditResult") -> None:
    from verger.cli.auditing.writing import write_result

    write_result(asked, result)


def _close(asked: Namespace, result: "AuditResult", meter: "Meter") -> int:
    """Say what the logs held, and what could not be read; return the exit code."""
    from verger.cli.auditing.closing import closing_lines

    if not asked.quiet:
        lines = closing_lines(result, meter.seconds)
        meter.say("".join(f"{line}\n" for line in lines))
    for problem in result.problems:
        meter.say(message_lines(problem.message, problem.hint))
    if result.problems:
        return FAILED
    return DISALLOWED if result.closed else FINE


# From words to parts


def _check_usage(asked: Namespace) -> None:
    """Refuse what argparse cannot see, and settle what depends on other options."""
    if not asked.urls:
        raise Failure("no access log given", "pass its path, or `-` to read it from stdin")
    if asked.urls.count("-") + (asked.robots == "-") > 1:
        raise Failure("stdin can be read once only", HELP_HINT)
    if bool(asked.robots) == bool(asked.history):
        why = "pass `--robots` or `--history`, not both" if asked.robots else "no robots.txt given"
        raise Failure(why, "`--robots FILE` judges by one file, `--history DIR` by all versions")
    one_of("dialect", asked.dialect, list(DIALECTS))
    one_of("log format", asked.log_format, LOG_FORMATS)
    one_of("table", asked.by, TABLES)
    if asked.format is None:
        asked.format = _format_of(asked.output or "")
    one_of("format", asked.format, FORMATS)
    if asked.since and asked.until and asked.until <= asked.since:
        raise Failure("`--until` is not later than `--since`, so that no time is left")
    if asked.output and any(_is_same_file(path, asked.output) for path in _inputs(asked)):
        raise Failure(f"`{printable(asked.output)}` is both input and output")
    _check_source(asked)


def _inputs(asked: Namespace) -> list[str]:
    return [*asked.urls, *asked.history, *([asked.robots] if asked.robots else [])]


def _is_same_file(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except OSError:
        return False


def _check_source(asked: Namespace) -> None:
    if not (asked.robots and "://" in asked.robots):
        for name in NETWORK:
            if getattr(asked, name) is not None:
                option = name.replace("_", "-")
                raise Failure(f"`--{option}` is for the network, and no file is fetched")
    if asked.grace and not asked.history:
        raise Failure("`--grace` is for a `--history`: one file has no version before it")


def _format_of(output: str) -> str:
    endings = {".json": "json", ".csv": "csv", ".parquet": "parquet"}
    return next((name for end, name in endings.items() if output.endswith(end)), "text")


# The grammar


def parser() -> Parser:
    """Return the grammar of the command."""
    grammar = Parser(
        prog="verger audit",
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_help_formatter,
        allow_abbrev=False,
    )
    _add_law(grammar)
    _add_logs(grammar)
    _add_output(grammar)
    add_network(grammar)
    return grammar


def _help_formatter(prog: str) -> HelpFormatter:
    """Return argparse's formatter with a width; asking the terminal costs 6 ms at every start."""
    return RawDescriptionHelpFormatter(prog, width=HELP_WIDTH)


def _add_law(grammar: Parser) -> None:
    grammar.add_argument(
        "--robots",
        metavar="FILE|URL",
        help="the robots.txt file that judges; `-` for stdin; of a URL, that of its origin is "
        "fetched now",
    )
    grammar.add_argument(
        "--history",
        action="append",
        default=[],
        metavar="PATH",
        help="all versions: a folder of files with dates in their names, such a file, or a Parquet "
        "file with the columns time, body, and perhaps origin and status; may be given several "
        "times",
    )
    grammar.add_argument(
        "--grace",
        type=_span,
        default=timedelta(0),
        metavar="SPAN",
        help="how long crawlers may go by a copy: what was open within SPAN is no fault; RFC 9309 "
        "section 2.4 names 24h (default: 0)",
    )
    grammar.add_argument(
        "--dialect",
        default="rfc9309",
        metavar="NAME",
        help=f"{', '.join(DIALECTS)} (default: rfc9309)",
    )


def _add_logs(grammar: Parser) -> None:
    grammar.add_argument("urls", nargs="*", metavar="ACCESS_LOG", help="what to audit")
    grammar.add_argument(
        "--log-format",
        default="auto",
        metavar="FORMAT",
        help="combined (also common), vhost (the same behind the name of the host), json (default: "
        "as each line looks)",
    )
    grammar.add_argument(
        "--log-field",
        action="append",
        default=[],
        type=_field,
        metavar="FIELD=PATH",
        help=f"where JSON has {', '.join(FIELDS)}, such as user_agent=client.ua; may be given "
        "several times (default: the names of common servers)",
    )
    grammar.add_argument(
        "--crawler",
        action="append",
        default=[],
        metavar="TOKEN",
        help="this crawler alone; may be given several times",
    )
    grammar.add_argument(
        "--everyone",
        action="store_true",
        help="judge browsers and requests without a name, too, as crawlers that no group names",
    )
    grammar.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="HOST",
        help="requests for this host alone, where the log tells hosts; may be given several times",
    )
    grammar.add_argument(
        "--since", type=_time, metavar="TIME", help="requests from then on, such as 2026-01-05"
    )
    grammar.add_argument("--until", type=_time, metavar="TIME", help="requests before then")


def _add_output(grammar: Parser) -> None:
    grammar.add_argument(
        "--format",
        metavar="FORMAT",
        help="text for people, json for one object, csv and parquet for tables (default: as the "
        "name of the output says, else text)",
    )
    grammar.add_argument(
        "--by",
        default="crawler",
        metavar="TABLE",
        help="crawler: the table has a row for each crawler; rule: a row for each rule and each "
        "crawler that fetched in spite of it (default: crawler)",
    )
    grammar.add_argument(
        "--output", metavar="FILE", help="where the report goes when it is complete"
    )
    grammar.add_argument(
        "--top",
        type=_number,
        default=TOP,
        metavar="N",
        help=f"how many crawlers and rules text shows, 0 for all (default: {TOP})",
    )
    grammar.add_argument("--quiet", action="store_true", help="no progress, no closing table")


def _span(word: str) -> timedelta:
    digits = word.rstrip("".join({letter for unit in UNITS for letter in unit}))
    unit = UNITS.get(word[len(digits) :], 1 if word == "0" else None)
    if digits.isascii() and digits.isdigit() and unit is not None and len(digits) < 7:
        return timedelta(seconds=int(digits) * unit)
    raise ArgumentTypeError(f"`{word}` is no span such as `24h`, `30min` or `7d`")


def _time(word: str) -> datetime:
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        raise ArgumentTypeError(
            f"`{word}` is no time such as `2026-01-05` or `2026-01-05T10:30:00Z`"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _field(word: str) -> tuple[str, str]:
    field, separator, path = word.partition("=")
    if separator and path and field in FIELDS:
        return field, path
    raise ArgumentTypeError(f"`{word}` is not of the form `user_agent=client.ua`")


def _number(word: str) -> int:
    if word.isascii() and word.isdigit():
        return int(word)
    raise ArgumentTypeError(f"`{word}` is no number")
