"""`verger report`: who may fetch what, as one page with charts.

In: Parquet files that `verger scan` wrote. Out: one HTML file that is there complete or not at
all; what it is about in a line on stderr. Exit code 0 where the report is written, 2 for bad usage
and what cannot be read or written, 130 where ctrl-C ended it.
"""

import sys
from argparse import HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verger.cli.exit import FINE, Failure, reason_of
from verger.cli.options import Parser, one_of
from verger.cli.plain import printable

if TYPE_CHECKING:
    from verger.bulk.report import By, Summary

HELP_WIDTH = 80

BY: "tuple[By, ...]" = ("auto", "day", "month", "year")

USAGE = "verger report SCAN... --output FILE [--by SPAN] [--title TEXT] [--quiet]"

DESCRIPTION = """\
Who may fetch what, as one HTML page with charts.

A SCAN is a Parquet file that `verger scan` wrote, a folder of such files, or a
pattern such as `scans/*.parquet`. Scans of different times make charts over
time."""

EPILOG = """\
exit code:
  0    the report is written
  2    bad usage, or something cannot be read or written
  130  interrupted

example:
  verger report scan.parquet --output report.html"""


def run(words: Sequence[str]) -> int:
    """Write the report that the words ask for, and return the exit code."""
    asked = parser().read(words, many=())
    _check_usage(asked)
    summary = _written(asked)
    if not asked.quiet:
        print(_closing_line(asked, summary), file=sys.stderr)
    return FINE


def _check_usage(asked: Namespace) -> None:
    if not asked.urls:
        raise Failure("no scan given", "pass the Parquet files that `verger scan` wrote")
    if not asked.output:
        raise Failure("no output given", "pass `--output report.html`")
    one_of("span", asked.by, BY)


def _written(asked: Namespace) -> "Summary":
    from verger.bulk import report

    try:
        return report.write(asked.urls, asked.output, title=asked.title, by=asked.by)
    except OSError as error:
        place = printable(str(error.filename or asked.output))
        raise Failure(f"cannot write `{place}`: {reason_of(error)}") from None


def _closing_line(asked: Namespace, summary: "Summary") -> str:
    sites, snapshots = summary.latest.sites, len(summary.snapshots)
    of = f" in the latest of {snapshots:,} snapshots" if snapshots > 1 else ""
    number = f"{summary.captures:,} capture{'' if summary.captures == 1 else 's'}"
    what = f"{sites:,} site{'' if sites == 1 else 's'}{of}"
    return f"{number}, {what}: `{printable(str(Path(asked.output)))}`"


def parser() -> Parser:
    """Return the grammar of the command."""
    from verger.bulk.report import TITLE

    grammar = Parser(
        prog="verger report",
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_help_formatter,
        allow_abbrev=False,
    )
    grammar.add_argument("urls", nargs="*", metavar="SCAN", help="where the captures are")
    grammar.add_argument(
        "--output", metavar="FILE", help="the page to be written, replaced when it is complete"
    )
    grammar.add_argument(
        "--by",
        default="auto",
        metavar="SPAN",
        help="what makes a snapshot: day, month, year; auto: days with captures without a gap of "
        "more than three, or months where these never end (default: auto)",
    )
    grammar.add_argument(
        "--title", default=TITLE, metavar="TEXT", help=f"the heading (default: {TITLE})"
    )
    grammar.add_argument("--quiet", action="store_true", help="nothing on stderr but errors")
    return grammar


def _help_formatter(prog: str) -> HelpFormatter:
    """Return argparse's formatter with a width; asking the terminal costs 6 ms at every start."""
    return RawDescriptionHelpFormatter(prog, width=HELP_WIDTH)
