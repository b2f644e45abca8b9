"""`verger scan`: what many captured robots.txt files say, as a table.

In: WARC archives or tables of captures. Out: a Parquet file with one row per capture, on request
another with one row per record; both are there complete or not at all. What was skipped, and a
closing table, on stderr. Exit code 0 where all inputs are read, 1 with `--strict` where part of one
could not be, 2 for bad usage and what cannot be read or written, 130 where ctrl-C ended it.
"""

import os
import sys
from argparse import ArgumentTypeError, HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence

from verger import DIALECTS
from verger.cli.exit import FINE, Failure, reason_of
from verger.cli.options import Parser, closest, one_of
from verger.cli.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.bulk.scan import Report

SKIPPED = 1
"""The exit code of a strict run that had to skip something."""

HELP_WIDTH = 80
HELP_HINT = "`verger scan --help` shows the options"

FORMATS = ("warc", "parquet", "csv", "jsonl")
ROLES = ("url", "body", "status", "time", "location")

USAGE = """verger scan FILE... --output OUT.parquet [--records RECORDS.parquet]
                   [--dialect NAME] [--crawler TOKEN]... [OPTION...]"""

DESCRIPTION = """\
What do these captured robots.txt files say?

A FILE is a WARC archive, packed or not, or a table (Parquet, CSV, JSON Lines)
with columns for the URL or host, the body and the status, as its name says."""

EPILOG = """\
exit code:
  0    done; what could not be read was skipped, and is told on stderr
  1    with --strict: done, but something was skipped
  2    bad usage, or something cannot be read or written
  130  interrupted; there is no output then

example:
  verger scan CC-MAIN-*-robotstxt.warc.gz --output robots.parquet"""


def run(words: Sequence[str]) -> int:
    """Scan what the words ask, and return the exit code."""
    asked = parser().read(words, many=())
    _check_usage(asked)
    report = _scanned(asked)
    _tell(asked, report)
    return SKIPPED if asked.strict and report.skipped else FINE


def _scanned(asked: Namespace) -> "Report":
    from verger.bulk.scan import Scanner, scan
    from verger.crawlers import LISTED

    scanner = Scanner(
        dialect=asked.dialect, crawlers=_crawlers(asked) or LISTED, threads=asked.threads
    )
    try:
        return scan(
            asked.urls,
            asked.output,
            records=asked.records,
            scanner=scanner,
            columns=_columns(asked.columns),
            format=asked.format,
        )
    except OSError as error:
        if error.filename is None:
            raise
        shown = printable(os.fsdecode(error.filename))
        raise Failure(f"`{shown}`: {reason_of(error)}") from None


def _tell(asked: Namespace, report: "Report") -> None:
    from verger.cli.scanning.closing import closing_lines, skip_lines

    lines = list(skip_lines(report))
    if not asked.quiet:
        lines += closing_lines(report)
    sys.stderr.write("".join(f"{line}\n" for line in lines))


# From words to parts


def _check_usage(asked: Namespace) -> None:
    if not asked.urls:
        raise Failure("no file given", HELP_HINT)
    if not asked.output:
        raise Failure("no `--output` given", "pass where the table goes: `--output robots.parquet`")
    one_of("dialect", asked.dialect, list(DIALECTS))
    if asked.format is not None:
        one_of("format", asked.format, FORMATS)
    outputs = [asked.output, *([asked.records] if asked.records else [])]
    for path in asked.urls:
        _check_input(path, outputs)
    for path in outputs:
        _check_output(path)
    if len({*map(os.path.realpath, outputs)}) < len(outputs):
        raise Failure("`--output` and `--records` are the same file")


def _check_input(path: str, outputs: Sequence[str]) -> None:
    if path == "-":
        raise Failure("captures are read from files alone, not from stdin", "pass a path")
    shown = printable(path)
    if not os.path.exists(path):  # noqa: PTH110
        raise Failure(f"no such file: `{shown}`")
    if os.path.isdir(path):  # noqa: PTH112
        raise Failure(f"`{shown}` is a folder", f"pass its files: `{shown}/*.warc.gz`")
    for output in outputs:
        if os.path.exists(output) and os.path.samefile(path, output):  # noqa: PTH110, PTH121
            raise Failure(f"`{printable(output)}` is both input and output")


def _check_output(path: str) -> None:
    shown = printable(path)
    folder = os.path.dirname(path) or "."  # noqa: PTH120
    if os.path.isdir(path):  # noqa: PTH112
        raise Failure(f"`{shown}` is a folder, not a file to write")
    if not os.path.isdir(folder):  # noqa: PTH112
        raise Failure(f"no such folder: `{printable(folder)}`")


def _crawlers(asked: Namespace) -> list[str]:
    return [token for word in asked.crawler for token in word.split(",") if token]


def _columns(word: str | None) -> dict[str, str]:
    """Return `url=host,body=text` as a mapping; `origin` says the same as `url`."""
    columns: dict[str, str] = {}
    for pair in (word or "").split(",") if word else []:
        role, equals, column = pair.partition("=")
        role = "url" if role in ("origin", "host") else role
        if not equals or not column:
            hint = "name columns as `origin=host,body=robots_txt,status=code,time=crawled_at`"
            raise Failure(f"`{printable(pair)}` names no column", hint)
        if role not in ROLES:
            near = closest(role, ROLES)
            choices = ", ".join(f"`{known}`" for known in ("origin", *ROLES))
            hint = f"did you mean `{near}`?" if near else f"choose from {choices}"
            raise Failure(f"nothing is called `{printable(role)}`", hint)
        columns[role] = column
    return columns


# The grammar


def parser() -> Parser:
    """Return the grammar of the command."""
    grammar = Parser(
        prog="verger scan",
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_help_formatter,
        allow_abbrev=False,
    )
    _add_files(grammar)
    _add_meaning(grammar)
    _add_manners(grammar)
    return grammar


def _help_formatter(prog: str) -> HelpFormatter:
    """Return argparse's formatter with a width; asking the terminal costs 6 ms at every start."""
    return RawDescriptionHelpFormatter(prog, width=HELP_WIDTH)


def _add_files(grammar: Parser) -> None:
    grammar.add_argument("urls", nargs="*", metavar="FILE", help="archives or tables of captures")
    grammar.add_argument(
        "--output", metavar="FILE", help="where the table of captures goes when it is complete"
    )
    grammar.add_argument(
        "--records", metavar="FILE", help="where a table of all their records goes"
    )
    grammar.add_argument(
        "--format",
        metavar="FORMAT",
        help=f"of every FILE: {', '.join(FORMATS)} (default: as the name of each says)",
    )
    grammar.add_argument(
        "--columns",
        metavar="PAIRS",
        help="which columns of a table hold what, such as "
        "`origin=host,body=robots_txt,status=code,time=crawled_at` (default: usual names)",
    )


def _add_meaning(grammar: Parser) -> None:
    grammar.add_argument(
        "--dialect",
        default="rfc9309",
        metavar="NAME",
        help=f"{', '.join(DIALECTS)} (default: rfc9309)",
    )
    grammar.add_argument(
        "--crawler",
        action="append",
        default=[],
        metavar="TOKEN",
        help="a crawler that gets a column of its own, or several as `a,b`; may be repeated "
        "(default: those that people ask about, see `verger agents`)",
    )


def _add_manners(grammar: Parser) -> None:
    grammar.add_argument(
        "--strict", action="store_true", help="exit with 1 where something had to be skipped"
    )
    grammar.add_argument(
        "--threads",
        type=_count,
        metavar="N",
        help="how many threads read files at once (default: as many as there are cores)",
    )
    grammar.add_argument("--quiet", action="store_true", help="no closing table")


def _count(word: str) -> int:
    if word.isascii() and word.isdigit() and int(word):
        return int(word)
    raise ArgumentTypeError(f"`{word}` is no number from 1")
