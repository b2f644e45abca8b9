"""The comparison of two snapshots of many sites.

In: the parsed command line. Out: a table of changes, and a closing table on stderr; the exit code.
"""

# ruff: noqa: PTH110, PTH112

import os
from argparse import Namespace
from collections.abc import Iterable

from verger.cli.exit import DISALLOWED, FINE, Failure
from verger.cli.options import NETWORK, expect_no_network
from verger.cli.streams import expect_no_terminal, tell
from verger.files.formats import format_by_name
from verger.plain import printable

KNOWN = ("parquet", "warc")
"""Formats that a robots.txt file cannot have."""

EXAMPLE = "`--output changes.parquet`"


def expect_no_snapshot(words: Iterable[str]) -> None:
    """Refuse a snapshot of many files where one file is expected."""
    for word in words:
        is_table = format_by_name(word) in KNOWN and os.path.exists(word)
        if is_table or os.path.isdir(word):
            hint = f"to compare two snapshots, name the table to write: {EXAMPLE}"
            raise Failure(f"`{printable(word)}` is not one file, but a snapshot of many", hint)


def check_usage(args: Namespace) -> None:
    """Refuse options for the comparison of two files."""
    from verger.files.formats import TABLES

    expect_no_network(args, NETWORK, "and snapshots are read without it")  # of a URL
    if args.verbose:
        raise Failure("`--verbose` is for two files", "every change has a row in the table")
    if args.format not in (None, *TABLES):
        choices = ", ".join(f"`{form}`" for form in TABLES)
        why = f"cannot write {args.format} for snapshots"
        raise Failure(why, f"pass `--format` with one of: {choices}")


def run(args: Namespace) -> int:
    """Write the table of changes, and return the exit code."""
    from verger.bulk.changes import diff_snapshots, format_of

    check_usage(args)
    old, new = args.files
    if format_of(args.output, args.format, option="--format") == "parquet":
        expect_no_terminal(args.output, "Parquet")
    report = diff_snapshots(
        old, new, args.output, format=args.format, crawlers=args.agent, dialect=args.dialect
    )
    if not args.quiet:
        from verger.cli.changing.closing import closing_lines

        notes = (f"note: {note}" for note in report.notes)
        tell("\n".join([*notes, *closing_lines(report)]))
    return DISALLOWED if report.changed else FINE
