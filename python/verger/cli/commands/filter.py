"""`verger filter`: which of these URLs may this crawler fetch?

In: URLs from files or stdin as text, JSON Lines, CSV or Parquet; a crawler. Out: the allowed URLs,
or every decision with its reason, on stdout or in a file that is written completely or not at all;
problems, progress and a closing table on stderr.
"""

import gc
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from time import monotonic

from verger._core import _REASONS
from verger.bulk.filter.blocks import RULES, Block, Kind
from verger.bulk.filter.progress import HEADINGS, Tally, Watcher, heading_of
from verger.bulk.filter.reading import FORMATS as INPUT_FORMATS, inputs_of
from verger.bulk.filter.run import filter_urls
from verger.bulk.filter.writing import FORMATS
from verger.cache.sqlite import default_path
from verger.cli import options
from verger.cli.live import identification, network_of, silence_log
from verger.cli.output import (
    FINE,
    UNANSWERED,
    expect_no_terminal,
    refuse_first,
    refuse_if,
    see_help,
)
from verger.cli.progress import Progress, bar
from verger.cli.tokens import crawlers_asked, one_crawler_notes
from verger.client.network import CONNECTIONS, Network
from verger.crawlers.binding import OWN, dialect_for
from verger.files.paths import STANDARD, is_stream
from verger.showing.printing import Total, pace, share, totals
from verger.untrusted_text import counted, printable, quoted

INCOMPLETE = 1
"""The exit code of a strict run in which a site is missing."""

FETCHING = (*options.FETCHING, "connections", "per_address", "public_only")
"""Options that `--snapshot` has no use for; `--user-agent` still names the crawler there."""

HELP = """\
usage: verger filter (--user-agent STRING | --snapshot PATH --agent TOKEN)
                     [--format FORMAT] [--output FILE] [OPTION...] [FILE... | -]

Which of these URLs may this crawler fetch?

A FILE holds URLs: one per line, or in a column of JSON Lines, CSV or Parquet,
depending on its name, else on how it begins; text files may be compressed
(`.gz`). Without FILE, or for `-`, URLs come from stdin.

exit code:
  0    every row has an answer
  1    with --strict: every row has an answer, but a site could not be reached,
       or something of the snapshot could not be used
  2    bad usage, something cannot be read or written, or at least one row has
       no answer; the output is then complete, unless no row at all has a URL
  130  interrupted; with --output, the same command resumes

example:
  verger filter --user-agent "ExampleBot/1.0 (+https://example.com/bot)" \\
                --output decisions.csv urls.txt.gz
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    tokens, *further = crawlers_asked(args, args.dialect)
    refuse_if(
        further and args.dialect.startswith(OWN),
        "`--dialect own` is for one crawler here",
        "name a dialect, or ask about one crawler",
    )
    dialect = dialect_for(args.dialect, tokens)
    inputs = inputs_of(args.files, args.input_format)
    refuse_if(
        args.column and all(source.format == "text" for source in inputs),
        f"`--column` is for tables, and {quoted(inputs[0].name)} is text",
        "leave it out, or pass `--input-format`",
    )
    are_plain = all(source.is_plain for source in inputs)
    if args.format == "parquet":
        expect_no_terminal(args.output, "Parquet")
    silence_log()
    _tune_memory()
    meter = FilterMeter(
        total=sum(source.size for source in inputs) if are_plain else 0,
        quiet=args.quiet,
        to_stdout=args.output == STANDARD,
        problems=_problems_to_name(args),
    )
    meter.note(*one_crawler_notes([tokens, *further]))
    overrides = options.overrides_of(args, [dialect])
    options.expect_separate_outputs(args, [args.output], options.files_of(args.override))
    done = filter_urls(
        inputs,
        user_agent=args.user_agent or identification(tokens),
        tokens=tokens,
        crawlers=further,
        bindings=args.bindings,
        use=args.use,
        silent=args.silent,
        dialect=dialect,
        snapshot=args.snapshot,
        network=_network(args) if args.snapshot is None else None,
        overrides={name: word for name, (_, word) in overrides.items()},
        column=args.column or "url",
        columns=_columns(args.columns),
        format=args.format,
        output=args.output,
        restart=args.restart,
        unordered=args.unordered,
        watcher=meter,
    )
    meter.report_remaining()
    meter.note(*(f"note: {each}" for each in done.notes))
    if further:
        meter.note(f"note: the totals are those of {quoted(','.join(tokens))}, the first crawler")
    meter.note(*summary_lines(done.tally, done.seconds, done.fetched))
    if done.tally.unanswered:
        return UNANSWERED
    return INCOMPLETE if args.strict and (done.tally.unreachable or done.notes) else FINE


def _columns(word: str | None) -> str | list[str] | None:
    return word if word is None or word in ("all", "none") else word.split(",")


def _problems_to_name(args: Namespace) -> int:
    """Return how many rows without a URL to name on stderr; tables have them all."""
    if args.quiet or args.format != "text":
        return 0
    return sys.maxsize if args.verbose else SOME_PROBLEMS


def _network(args: Namespace) -> Network:
    cache = options.cache_of(args, default_path)
    return network_of(args, cache, public_only=bool(args.public_only))


def _tune_memory() -> None:
    """Make Python collect garbage less often than by default, and Arrow free memory at once.

    A thousand fetches in progress, and the ends of thousands of rows, are many young objects that
    stay alive: scanning them repeatedly took a tenth of the time of a crawl on loopback. Arrow's
    allocator would hold an eighth of the peak for reuse.
    """
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


# Usage


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect, and set what depends on other options."""
    args.format = options.format_of(args, FORMATS, packs=True)
    options.expect_verbose_fits(args, "text")
    refuse_first(
        (
            args.silent and not args.use,
            "`--silent` is about a use, and none is asked about",
            "pass `--use` as well",
        ),
        (
            args.silent and args.format != "text",
            "`--silent` is for a list of URLs: tables have null",
            "leave it out",
        ),
        (
            args.use and args.format == "text" and not args.silent,
            f"nobody may have said anything about {args.use}, and a list holds a URL or does not",
            "pass `--silent allow` or `--silent disallow`, or another `--format`",
        ),
    )
    refuse_if(
        args.restart and is_stream(args.output),
        "`--restart` starts an `--output` over, but there is none",
        see_help("filter"),
    )
    if args.snapshot is not None:
        options.expect_no_network(args, FETCHING, "which is not used with `--snapshot`")


OPTIONS = (
    options.shared(
        "--agent",
        more=f"{options.SEVERAL_TOKENS}; given several times, tables have a column such as "
        "`allowed_GPTBot` for each further crawler",
        unless="the one in --user-agent",
    ),
    options.shared("--purpose"),
    options.shared("--bindings"),
    options.shared("--use", what="the content", more="; tables have a column for it"),
    options.option(
        "--silent",
        choices=("allow", "disallow"),
        help="with --use and a list: whether it holds URLs whose use is not mentioned",
    ),
    options.shared("--dialect", choices=options.OR_OWN, more=options.EACH_ITS_OWN),
    options.option(
        "files",
        nargs="*",
        type=options.file,
        metavar="FILE",
        help="the files with URLs; `-` for stdin",
    ),
    options.shared(
        "--input-format",
        choices=INPUT_FORMATS,
        what=", ".join(INPUT_FORMATS),
        unless="as the name of each file says, else as it begins",
    ),
    options.option("--column", metavar="NAME", help="the column with the URL (default: url)"),
    options.option(
        "--columns",
        metavar="all|none|NAMES",
        help="which other columns of a table to write behind the decision, such as `id,title`; one "
        "named like a column of the decision is written as input_NAME (default: all)",
    ),
    options.shared(
        "--format",
        choices=FORMATS,
        what="text: the allowed URLs, one per line; jsonl, csv, parquet: every decision with its "
        "reason",
    ),
    options.shared(
        "--output",
        default=STANDARD,
        what="the file that is written when the result is complete (default: `-` for stdout, "
        "row by row); finished blocks are kept next to it, and after a kill the same command "
        "resumes",
    ),
    options.switch("--restart", help="discard what an interrupted run has kept"),
    options.switch(
        "--unordered",
        help="write rows to stdout as they are decided; without it, and with --output, they keep "
        "the order of the input",
    ),
    options.shared("--anonymous"),
    options.shared("--quiet"),
    options.shared(
        "--verbose", what="name every row without a URL on stderr, not only the first ten"
    ),
    options.shared(
        "--strict",
        what="a site could not be reached, so that its rows are not allowed, or something of the "
        "snapshot could not be used, such as a row that names no site",
    ),
    options.shared("--snapshot"),
    options.shared("--override"),
    options.shared("--cache", unless=options.OWN_CACHE),
    *options.NETWORK_OPTIONS,
    options.option(
        "--connections",
        type=options.count,
        metavar="N",
        help=f"how many origins to contact at once (default: {CONNECTIONS:,})",
    ),
    options.option(
        "--per-address",
        type=options.count,
        metavar="N",
        help="how many connections may be open to one IP address (default: no limit)",
    ),
    options.option(
        "--public-only",
        action="store_true",
        default=None,
        help="connect only to public addresses, for untrusted lists; redirects never "
        "lead to other addresses",
    ),
)


# The output


def summary_lines(tally: Tally, seconds: float, fetched: int | None) -> Iterator[str]:
    """Return the closing table; `fetched` counts the files fetched, None without a network."""
    return totals(
        (
            ("rows", tally.counts.total(), ""),
            *chain.from_iterable(_answered(tally, heading) for heading in HEADINGS),
            ("taken over", tally.taken_over or None, "rows of the previous run"),
            ("fetched", fetched, "robots.txt files"),
            pace(seconds, tally.decided, "rows"),
        )
    )


def _answered(tally: Tally, heading: str) -> Iterator[Total]:
    """Yield how many answers stand under a heading, and below it why."""
    kinds = [(kind, count) for kind, count in tally.counts.items() if heading_of(kind) == heading]
    number = sum(count for _, count in kinds)
    if number or heading != "unanswered":
        yield heading, number, share(number, tally.counts.total())
    for kind, count in sorted(kinds, key=lambda item: (-item[1], item[0][1])):
        yield "", count, _words(kind)


def _words(kind: Kind) -> str:
    allowed, why = kind
    if why == RULES:
        return "by the rules of the file" if allowed else "by a rule of the file"
    reason, space, cause = why.partition(" ")
    return printable(f"{_REASONS.get(reason, reason)}{space}{cause}")


LINE_EVERY = 10.0
"""Seconds between two lines if stderr is not a terminal."""

SOME_PROBLEMS = 10
"""How many rows without a URL to name one by one, unless all are named."""


class FilterMeter(Progress, Watcher):
    """The progress of a run whose rows may be decided in any order.

    problems:  how many rows without a URL to name one by one.
    """

    def __init__(self, *, total: int, quiet: bool, to_stdout: bool, problems: int = 0) -> None:
        is_terminal = sys.stderr.isatty()
        shown = not quiet and is_terminal and not (to_stdout and sys.stdout.isatty())
        super().__init__(shown=shown, quiet=quiet)
        self._total = total
        self._writes_lines = not quiet and not is_terminal
        self._most_named = problems
        self._problems = 0
        self._rows = self._bytes = 0
        # Separate, since another thread counts them.
        self._rows_before = self._bytes_before = 0

    def take_over(self, block: Block) -> None:
        """Count a block that the previous run finished."""
        self._rows_before += len(block.urls)
        self._bytes_before += block.weight
        if self._is_time():
            self._draw(self.line())

    def finished(self, block: Block) -> None:
        """Count a block, and show the progress if it is time."""
        self._rows += len(block.urls)
        self._bytes += block.weight
        if self._is_time():
            self._draw(self.line())
        elif self._writes_lines and monotonic() - self._drawn_at >= LINE_EVERY:
            self._drawn_at = monotonic()
            self.say(f"{self.line()}\n")
        if self._most_named and block.problems:
            self.tell_problems(block)

    def line(self) -> str:
        """Return the progress, the rate, and the seconds left if known."""
        taken = f"  {self._rows_before:,} taken over" if self._rows_before else ""
        rate = (
            f"{self._rows + self._rows_before:,} rows  "
            f"{self._rows / max(self.seconds, 1e-9):,.0f}/s{taken}"
        )
        data = self._bytes + self._bytes_before
        if not self._total or not data:
            return rate
        left = (self._total - data) * self.seconds / self._bytes if self._bytes else None
        return bar(rate, data / self._total, left, is_drawn=not self._writes_lines)

    def tell_problems(self, block: Block) -> None:
        """Name rows without a URL, unless enough have been named."""
        for row, problem in sorted(block.problems.items()):
            self._problems += 1
            if self._problems <= self._most_named:
                place = f"{printable(block.input)}:{block.numbers[row]}"
                self.say(f"{problem.kind}: {place}: {printable(problem.message)}\n")

    def report_remaining(self) -> None:
        """Report how many more rows have no URL."""
        if self._problems > self._most_named:
            rest = counted(self._problems - self._most_named, "more row")
            self.say(f"... and {rest} without a URL\n")

    def interrupted(self, folder: Path, rows: int) -> None:
        """Report what an interrupted run has kept."""
        self.say(
            f"note: interrupted; {rows:,} rows are kept in {quoted(str(folder))}; the same "
            "command resumes there\n"
        )

    def store_failed(self, detail: str) -> None:
        """Report that the cache failed."""
        self.say(f"note: the cache failed during the run: {detail}\n")

    def end(self) -> None:
        """Erase the line before other output."""
        self.close()
