"""`verger audit`: which crawlers fetched disallowed URLs?

In: access logs, and the robots.txt file of the site: a file, a URL, or its history. Out: a report
by crawler and by rule on stdout or in a file; counts of the lines in the logs, and what could not
be read, on stderr.
"""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial
from io import BufferedReader, RawIOBase
from itertools import chain, islice
from typing import cast

from verger import parse
from verger.bulk.audit import (
    AuditResult,
    Version,
    audit_logs,
    expect_entries,
    history_of,
    size_of,
    unseen,
    version_of,
)
from verger.bulk.audit.history import hosts_of
from verger.bulk.audit.run import FIELDS, LOG_FORMATS, NAMED, expect_log_format
from verger.cli import options
from verger.cli.commands.audit_output import (
    AuditMeter,
    summary_lines,
    unseen_lines,
    write_result,
)
from verger.cli.notes import MOST_NOTED, notes_on
from verger.cli.output import (
    DISALLOWED,
    FAILED,
    FINE,
    expect_no_terminal,
    message_lines,
    refuse_first,
    refuse_if,
    see_help,
)
from verger.cli.tokens import tokens_named
from verger.crawlers.binding import dialect_for
from verger.files.formats import input_format
from verger.files.paths import input_name, is_url
from verger.files.robots_file import read_named
from verger.files.stdio import unbuffered_stdin
from verger.files.writing import writing
from verger.options import DialectName

FORMATS = ("text", "json", "csv", "parquet")
TABLES = ("crawler", "rule")
TOP = 20

HELP = """\
usage: verger audit (--robots FILE|URL|- | robots.txt | --history PATH...)
                    [--format FORMAT] [OPTION...] (ACCESS_LOG... | -)

Which crawlers fetched disallowed URLs, how often, and since when?

An ACCESS_LOG is in Common Log Format, JSON, or the format of IIS, CloudFront,
AWS load balancers, S3 or HAProxy; `--log-format` names any other. gzip is
unpacked; `-` is stdin. Requests are judged by one robots.txt file, or each by
the version that was in force at its time.

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
        expect_entries(result)
        write_result(args, result, output)
    # A requested crawler that was neither seen nor is known may be misspelt.
    meter.note(*unseen_lines(unseen(result, args.agent, dialect=args.dialect)))
    return _close(result, meter, selects_hosts=selects_hosts)


def _audit(args: Namespace, versions: Sequence[Version], meter: AuditMeter) -> AuditResult:
    with closing(meter):
        return audit_logs(
            [stdin_stream() if path == "-" else path for path in args.logs],
            versions,
            everyone=args.everyone,
            dialect=args.dialect,
            log_format=args.log_format,
            fields=args.log_field,
            since=args.since,
            until=args.until,
            hosts=args.host,
            crawlers=args.crawlers,
            grace=timedelta(seconds=args.grace),
            on_piece=meter.judged,
        )


def _note_odd_files(versions: Sequence[Version], dialect: DialectName, meter: AuditMeter) -> None:
    """Note files that are not robots.txt files or are read in part: they disallow little."""
    read = ((parse(version.body, dialect=dialect), version.name) for version in versions)
    notes = chain.from_iterable(notes_on([robots], name) for robots, name in read)
    meter.note(*islice(notes, MOST_NOTED))


def _close(result: AuditResult, meter: AuditMeter, *, selects_hosts: bool) -> int:
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
    options.take_robots(args, args.logs, lambda word: is_url(word) or word.endswith("robots.txt"))
    refuse_if(not args.logs, "no access log given", "pass its path, or `-` to read it from stdin")
    args.log_format = expect_log_format(args.log_format)
    for log in args.logs:
        input_format(log, args.log_format, NAMED, option="--log-format")
    refuse_first(
        (
            args.log_field and args.log_format not in (None, "jsonl"),
            f"`--log-field` is for JSON, and `--log-format` says {args.log_format}",
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
    args.crawlers = tokens_named(args, [args.dialect])
    if not (args.robots and is_url(args.robots)):
        options.expect_no_network(args, options.NETWORK, "and no file is fetched")
    refuse_if(
        args.grace and not args.history,
        "`--grace` is for a `--history`: one file has no version before it",
        "pass all versions with `--history PATH`, or leave `--grace` out",
    )


def _field(word: str) -> tuple[str, str]:
    field, separator, path = word.partition("=")
    if separator and path and field in FIELDS:
        return field, path
    raise ArgumentTypeError(
        f"`{word}` is not of the form `user_agent=client.ua`: fields are {', '.join(FIELDS)}"
    )


OPTIONS = (
    options.shared("--robots"),
    options.option(
        "--history",
        action="append",
        default=[],
        type=options.file,
        metavar="PATH",
        help="all versions: a folder of files with dates in their names, one such file, a table "
        "(Parquet, CSV, JSON Lines) with the columns time, body, and perhaps origin and "
        "status, or a WARC archive; may be given several times",
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
    options.option(
        "--log-format",
        metavar="FORMAT",
        help=f"how lines are written: {', '.join(LOG_FORMATS)}, or a format of nginx or Apache, "
        "such as '$host $time_iso8601 $request_uri $status' (default: detected for each line)",
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
        "--since",
        type=options.moment,
        metavar="TIME",
        help="only requests from TIME on, such as 2026-01-05, or 7d for seven days ago",
    ),
    options.option(
        "--until", type=options.moment, metavar="TIME", help="only requests before TIME"
    ),
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
    options.shared("--anonymous"),
    options.shared("--quiet"),
    *options.NETWORK_OPTIONS,
)


def versions_of(args: Namespace) -> list[Version]:
    """Return the versions to judge by: one file for all times, or its history."""
    if args.history:
        return history_of(args.history, hosts=args.host, dialect=dialect_for(args.dialect))
    if is_url(args.robots):
        return [_fetch(args)]
    path = args.robots
    hint = f"pass `--history {path}` for a folder of dated versions"
    data = read_named(path, [dialect_for(args.dialect)], if_folder=hint)
    return [Version(input_name(path), data)]


def _fetch(args: Namespace) -> Version:
    """Fetch the file of a URL's origin, and select the requests for its host."""
    from verger.cli.live import fetch_site, no_file, tell_absence  # half of what a run would load

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
