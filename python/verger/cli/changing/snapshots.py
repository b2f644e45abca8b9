"""The comparison of two snapshots of many sites.

In: the parsed command line. Out: a table of changes, and a closing table on stderr; the exit code.
"""

# ruff: noqa: PTH110, PTH112

import os
from argparse import Namespace
from contextlib import suppress

from verger.cli.diffing.versions import IN_SNAPSHOT, on_disk
from verger.cli.exit import DISALLOWED, FINE, Failure
from verger.cli.streams import expect_no_terminal, tell
from verger.files.formats import SNAPSHOTS, TABLES, format_begun, format_by_name
from verger.files.places import STANDARD, is_special
from verger.plain import printable, quoted

EXAMPLE = "`--output changes.parquet`"


def are_snapshots(args: Namespace) -> bool:
    """Whether OLD and NEW are snapshots of many sites, by what is there.

    Refuses a snapshot and a file. A path that leads nowhere, or to a pipe, is taken for what the
    other one is, or what the format asks for: reading it then says what is wrong with it.
    """
    kinds = [_is_snapshot(word) for word in args.files]
    if True in kinds and False in kinds:
        snapshot, file = (printable(args.files[kinds.index(kind)]) for kind in (True, False))
        why = f"`{snapshot}` is a snapshot of many sites, and `{file}` is one file"
        site = f"{snapshot}{IN_SNAPSHOT}example.com"
        raise Failure(why, f"to compare one of its sites, pass `{site}`")
    asks_for_table = args.format in TABLES or format_by_name(args.output or STANDARD) in TABLES
    return True in kinds or (None in kinds and asks_for_table)


def _is_snapshot(word: str) -> bool | None:
    """Whether a word names a snapshot; None for a path that leads nowhere, or to a pipe."""
    if word == STANDARD or not on_disk([word]):
        return False
    if not os.path.exists(word) or is_special(word):
        return None
    return os.path.isdir(word) or _format(word) in SNAPSHOTS


def _format(path: str) -> str | None:
    begun = None
    with suppress(OSError):  # reading it says why
        begun = format_begun(path)
    return begun or format_by_name(path)


def check_usage(args: Namespace) -> None:
    """Refuse options for the comparison of two files, and set what depends on other options."""
    if args.output is None and args.format not in TABLES:
        word = next(word for word in args.files if _is_snapshot(word))
        hint = f"to compare two snapshots, name the table to write: {EXAMPLE}"
        raise Failure(f"{quoted(word)} is not one file, but a snapshot of many", hint)
    args.output = args.output or STANDARD
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
