"""`verger history`: what did this site say at which time?

In: an archive that `verger watch` made, or that others' snapshots are imported into. Out: a table
of versions with what each changed and for whom; the file that counted at a time, with what is known
of it; answers by that file, as `verger check` gives them; a picture; or a table of observations.
"""

import asyncio
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain, islice

from verger import origin
from verger.access.answer import Question, Use, answer_of, told_of
from verger.bulk.report.history_chart import write as write_chart
from verger.cli import options
from verger.cli.commands.cache import described, write_file
from verger.cli.commands.check_output import explained
from verger.cli.output import (
    DISALLOWED,
    FINE,
    UNANSWERED,
    Failure,
    TextStream,
    note,
    refuse_first,
    see_help,
)
from verger.cli.progress import Progress
from verger.cli.tokens import tokens_named
from verger.client.refresh import stored_file
from verger.crawlers.binding import dialect_for
from verger.errors import MissingExtra
from verger.files.formats import expect_format, format_by_name
from verger.files.json_text import json_text
from verger.files.paths import STANDARD, is_url
from verger.showing.palette import Palette
from verger.showing.printing import row_of
from verger.snapshots.sources import FetchedFile
from verger.untrusted_text import counted, listed, printable, quoted
from verger.watch.archive import Archive, Seen, Vantage, entry_at
from verger.watch.history import SCHEMA, VersionSeen, standings, versions_of
from verger.watch.news import Interest, changes_of, observed

FORMATS = ("text", "json")

HELP = """\
usage: verger history (ORIGIN | URL) --archive PATH [--at TIME]
                      [--agent TOKEN]... [--purpose NAME]... [--use NAME]
                      [--shown-to STRING] [--chart FILE]
                      [--format text|json] [OPTION...]
       verger history [ORIGIN] --archive PATH --import SNAPSHOT
       verger history [ORIGIN] --archive PATH --export FILE

What did this site say at which time?

Without --at, a line for each version of the file: when it was seen first and
last, and what it changed for whom. With --at, the file that counted then, and
on stderr when it was seen, its digest and header fields; with --agent, the
answer to URL by that file.

--import adds what others have observed: WARC archives, tables, caches, and for
one ORIGIN a folder of files named by date. --export writes all observations as
Parquet, or all responses as WARC (`.warc`, `.warc.gz`): `verger scan` and
`diff` read both, `audit --history` the table, and `report` what `scan` makes.

exit code:
  0    done
  1    with --at: there was no file, or with --agent, something is disallowed
  2    bad usage, nothing known of the site, or an archive that cannot be read,
       or can be exported only in part
  130  interrupted

examples:
  verger history example.com --archive sites.archive
  verger history https://example.com/blog/a --archive sites.archive \\
      --at 2026-03-01 --agent GPTBot --use ai-train
  verger history example.com --archive sites.archive --chart example.html
"""

OPTIONS = (
    options.option("urls", nargs="*", metavar="ORIGIN", help="a site, or a URL on it"),
    options.ARCHIVE,
    options.option(
        "--at",
        type=options.moment,
        metavar="TIME",
        help="what counted at this time, such as 2026-01-05, or 7d for seven days ago",
    ),
    options.shared(
        "--agent", more=options.REPEATED, unless="all that are known or named; with --at, none"
    ),
    options.shared("--purpose"),
    options.shared(
        "--use", what="the content", more="; with --at and --agent, or only its changes"
    ),
    options.shared("--dialect"),
    options.option(
        "--shown-to",
        type=options.header_text,
        metavar="STRING",
        help="what was served to this identification string (default: to the latest)",
    ),
    options.option(
        "--chart",
        type=options.file,
        metavar="FILE",
        help="draw what crawlers for each purpose could fetch over time: .html, .svg, or .json for "
        "Vega-Lite",
    ),
    options.option(
        "--import",
        dest="source",
        type=options.file,
        metavar="SNAPSHOT",
        help="what others observed",
    ),
    options.option(
        "--export",
        type=options.file,
        metavar="FILE",
        help="write all observations as Parquet, or as WARC",
    ),
    options.shared("--format", choices=FORMATS, what="text for people, json for one object a line"),
    options.shared("--output", what="where the history goes; `-` is stdout (default: -)"),
    options.shared("--quiet"),
)


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    urls = [word if is_url(word) else f"https://{word}" for word in args.urls]
    names = [origin(url) for url in urls]
    refuse_first(
        (args.archive is None, "no archive given", "pass `--archive sites.archive`"),
        (len(names) > 1, "one site at a time", see_help("history")),
        (not names and not (args.source or args.export), "no site given", see_help("history")),
        (
            args.at and args.use and not (args.agent or args.purpose),
            "`--use` with `--at` needs a crawler",
            "pass `--agent TOKEN`",
        ),
    )
    outputs = [*filter(None, [args.export, args.chart]), args.output or STANDARD]
    options.expect_separate_outputs(args, outputs, [args.archive, args.source])
    tokens = tuple(tokens_named(args, [args.dialect]))
    interest = Interest(dialect_for(args.dialect), tokens, args.use)
    if args.source or args.export:
        return _exchange(args, names, interest)
    with closing(Archive(args.archive, read_only=True)) as archive:
        seen = _seen(args, archive, names[0])
        if args.chart:
            write_chart(args.chart, names[0], list(standings(seen, interest)))
        if args.at is not None:
            return _answer(args, urls[0], seen, interest)
        args.format = options.format_of(args, FORMATS)
        with TextStream(args.output, args.format) as stream:
            stream.write_lines(_lines(args, versions_of(seen, interest)))
        note(args, *archive.notes())
    return FINE


def _exchange(args: Namespace, names: Sequence[str], interest: Interest) -> int:
    """Import, then export, and return the exit code."""
    with MissingExtra.unless_installed("parquet", "a table"):
        from verger.watch.exchange import export, import_into, observed_in
    if args.export and format_by_name(args.export) != "warc":
        expect_format(args.export, "parquet", "Parquet")
    origin = names[0] if names else None
    found = observed_in(args.source, origin) if args.source else iter(())
    first = [*islice(found, 1)]  # what cannot be read makes no archive
    with closing(Archive(args.archive, read_only=not args.source)) as archive:
        if args.source:
            number = import_into(archive, chain(first, found), origin, interest)
            note(args, f"{counted(number, 'observation')} imported")
        if args.export:
            number, left_out = asyncio.run(export(archive, args.export, names))
            broken = f"left out: {counted(left_out, 'attempt')} without a whole response"
            told = [f"{counted(number, 'row')} in {quoted(args.export)}", *[broken][:left_out]]
            note(args, *told, *archive.notes())
        return UNANSWERED if archive.damaged else FINE


def _seen(args: Namespace, archive: Archive, name: str) -> Sequence[Seen]:
    """Return what was observed of a site from where it was looked at last, and by others."""
    known = [each for each in archive.vantages(name) if each != Vantage()] or [Vantage()]
    looked = sorted(known, key=lambda each: args.shown_to not in (None, each.user_agent))
    if args.shown_to not in (None, looked[0].user_agent):
        why = f"{quoted(args.shown_to)} has not looked at {quoted(name)}"
        agents = listed([each.user_agent for each in known if each.user_agent], quoted)
        raise Failure(why, agents and f"others have: {agents}")
    seen = archive.observations(name, looked[0])
    if not seen:
        why = f"nothing is known of {quoted(name)} in {quoted(args.archive)}"
        raise Failure(why, "`verger watch` observes it, and `--import` adds what others observed")
    others = looked[1:]
    note(args, *(f"note: left out: seen as {quoted(agent)} {proxy}" for agent, proxy in others))
    return seen


def _lines(args: Namespace, versions: Iterator[VersionSeen]) -> Iterator[str]:
    """Yield the table of versions, as text or as objects."""
    if args.format == "json":
        yield from (json_text(version.as_dict()) for version in versions)
        return
    yield row_of(HEADER, WIDTHS)
    for version in versions:
        facts = observed(version.seen)
        cells = [
            facts["first"],
            facts["last"],
            facts["failure"] or facts["status"],
            facts["bytes"],
            str(facts["sha256"] or "")[:12],
        ]
        yield row_of(["" if cell is None else printable(str(cell)) for cell in cells], WIDTHS)
        yield from (f"  {line}" for line in (changes_of(version.felt) if version.felt else ()))


HEADER = ("first", "last", "result", "bytes", "sha256")
WIDTHS = (20, 20, 12, 7, 0)


def _answer(args: Namespace, url: str, seen: Sequence[Seen], interest: Interest) -> int:
    """Write the file that counted at a time, or answers by it, and return the exit code."""
    at = args.at.timestamp()
    entry = entry_at(seen, at)
    if entry is None:
        raise Failure(f"nothing was observed of {quoted(url)} until then", "pass a later `--at`")
    good = entry.good
    shown = good or entry.last
    counts = next(
        each
        for each in reversed(seen)
        if each.first <= at and (each.result.body, each.result.access) == (shown.body, shown.access)
    )
    questions = [Question((token,), interest.dialect) for token in interest.crawlers]
    file = FetchedFile.of(entry, questions or [Question(("*",), interest.dialect)], "snapshot", at)
    row = told_of(file.answers(url, questions) if questions else [], args.use)
    args.format = options.format_of(args, FORMATS)
    if args.format == "json":
        answers = [
            answer_of(each).as_dict() | ({"use": each.as_dict()} if isinstance(each, Use) else {})
            for each in row
        ]
        site = file.sites[0]
        body = None if site.robots is None else site.robots.body.decode("utf-8", "surrogateescape")
        object_ = {
            "schema": SCHEMA,
            "origin": entry.origin,
            "at": args.at.isoformat(),
            **observed(counts),
            "access": site.facts(at),
            "body": body,
            "answers": answers,
        }
        with TextStream(args.output, "json") as stream:
            stream.write_lines([json_text(object_)])
    elif row:
        with TextStream(args.output, "text") as stream:
            stream.write_lines(
                explained(
                    [row],
                    questions,
                    Progress(shown=False),
                    Palette.of(stream),
                    several_urls=False,
                    verbose=False,
                )
            )
    else:
        note(args, *described(stored_file(entry, interest.dialect, at)), *_proof(counts))
        if file.sites[0].robots is not None:
            write_file(file.sites[0].robots.body, args.output)
    if row:
        return DISALLOWED if any(each.allowed is False for each in row) else FINE
    return FINE if file.sites[0].robots is not None else DISALLOWED


def _proof(counts: Seen) -> Iterator[str]:
    """Yield when a file was seen, and its digest."""
    facts = observed(counts)
    times = counted(counts.times, "time")
    yield f"  seen     {facts['first']} to {facts['last']}, {times}"
    if facts["sha256"]:
        yield f"  sha256   {facts['sha256']}"
