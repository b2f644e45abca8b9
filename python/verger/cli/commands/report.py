"""`verger report`: who may fetch what, as one page with charts.

In: Parquet files that `verger scan` or `verger diff` wrote. Out: one HTML file that is written
completely or not at all; a line about its content on stderr.
"""

import os
import signal
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from verger.bulk import report
from verger.cli import options
from verger.cli.output import FINE, expect_no_terminal, note, refuse_first, refuse_if
from verger.files.formats import expect_format, format_by_name
from verger.files.same_file import expect_no_overwriting
from verger.untrusted_text import counted, printable, quoted

BY: tuple[report.By, ...] = ("auto", "day", "month", "year")

HELP = """\
usage: verger report SCAN... --output FILE [--every PERIOD] [--title TEXT]
                     [--quiet]

Who may fetch what, as one HTML page with charts.

A SCAN is a Parquet file that `verger scan` wrote, a folder of such files, or a
pattern such as `scans/*.parquet`. Scans of different times make charts over
time. A table of changes that `verger diff` wrote makes a chart of what sites
closed and opened.

exit code:
  0    the report is written
  2    bad usage, or something cannot be read or written
  130  interrupted

example:
  verger report scan.parquet --output report.html
"""

OPTIONS = (
    options.option(
        "scans", nargs="*", type=options.file, metavar="SCAN", help="where the captures are"
    ),
    options.shared("--output", what="the page to write, replaced when it is complete"),
    options.option(
        "--every",
        choices=BY,
        metavar="PERIOD",
        default="auto",
        help="how captures are grouped into snapshots: by day, month or year; auto: those that "
        "are at most 3 days apart, else by month (default: auto)",
    ),
    options.switch(
        "--carry-forward",
        help="a capture counts until the next one of its site: for series that store only changes",
    ),
    options.option(
        "--title",
        default=report.TITLE,
        metavar="TEXT",
        help=f"the heading (default: {report.TITLE})",
    ),
    options.shared("--anonymous"),
    options.shared("--quiet"),
)


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    expect_no_terminal(args.output, "a page")
    with ending_cleanly():
        summary = report.write(
            args.scans, args.output, title=args.title, by=args.every, carry=args.carry_forward
        )
    note(args, _closing_line(args, summary))
    return FINE


def _check_usage(args: Namespace) -> None:
    refuse_first(
        (not args.scans, "no scan given", "pass the Parquet files that `verger scan` wrote"),
        (not args.output, "no output given", "pass `--output report.html`"),
    )
    for scan in args.scans:
        refuse_if(
            format_by_name(scan) == "warc",
            f"{quoted(scan)} is an archive, not what `verger scan` wrote",
            f"run `verger scan {printable(scan)} --output scan.parquet` first",
        )
    expect_no_overwriting([args.output], inputs=args.scans)
    expect_format(args.output, "html", "HTML")


def _closing_line(args: Namespace, summary: report.Summary) -> str:
    changed = "" if summary.changes is None else f"{counted(summary.changed_sites, 'site')} changed"
    if changed and not summary.captures:
        return f"{changed}: `{args.output}`"
    sites, snapshots = summary.latest.sites, len(summary.snapshots)
    of = f" in the latest of {snapshots:,} snapshots" if snapshots > 1 else ""
    captures = counted(summary.captures, "capture")
    changed = f", {changed}" if changed else ""
    return f"{captures}, {counted(sites, 'site')}{of}{changed}: `{args.output}`"


# SIGTERM: unfinished files are removed before the process ends, as the sender expects


class Terminated(BaseException):
    """SIGTERM has come."""


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Within the block, SIGTERM unwinds all blocks before the process ends; main thread only."""
    has_come = False

    def unwind(_number: int, _frame: FrameType | None) -> None:
        nonlocal has_come
        has_come = True
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, unwind)
    except ValueError:  # another thread, which receives no signals
        yield
        return
    try:
        yield
    finally:
        if has_come:  # whatever unwinds the blocks: a library may raise an error of its own
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        signal.signal(signal.SIGTERM, before)
