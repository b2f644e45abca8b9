"""`verger diff`: what does a new version of a file change, and for whom?

In: two versions of a robots.txt file: from disk, from a site, or from git. Out: on stdout or in a
file, the crawlers and URLs that were closed or opened, each with a URL that proves it and both
deciding lines, as text, Markdown or JSON; a closing line on stderr. Of two snapshots of many sites,
a table of changes.
"""

# ruff: noqa: PTH110, PTH112

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress

from verger.analysis import FileDiff, diff
from verger.bulk.changes import diff_snapshots, format_of
from verger.cli import options
from verger.cli.commands.diff_output import (
    Between,
    diff_lines,
    markdown_lines,
    snapshots_lines,
    summary_line,
)
from verger.cli.notes import notes_on
from verger.cli.output import (
    DISALLOWED,
    FINE,
    Failure,
    TextStream,
    expect_no_terminal,
    note,
    refuse_if,
    see_help,
)
from verger.cli.tokens import tokens_named
from verger.cli.versions import (
    IN_SNAPSHOT,
    FoundFile,
    expect_separate_output,
    on_disk,
    read_version,
    versions_of_git,
)
from verger.files.formats import CAPTURED, SNAPSHOTS, TABLES, format_begun, format_by_name
from verger.files.json_text import json_text
from verger.files.paths import STANDARD, is_address, is_special, is_url
from verger.objects.diff import about_file, diff_object
from verger.showing.palette import Palette
from verger.showing.printing import code
from verger.untrusted_text import printable, quoted

FORMATS = ("text", "markdown", "json")

HELP = """\
usage: verger diff OLD NEW [--agent TOKEN]... [--purpose NAME]...
                   [--dialect NAME] [--format text|markdown|json]
                   [--output FILE|-] [OPTION...]
       verger diff SNAPSHOT SNAPSHOT --output FILE|- [--agent TOKEN]...
                   [--purpose NAME]... [--dialect NAME]
                   [--format parquet|csv|jsonl] [--quiet]

What does a new version of a file change, and for whom?

OLD and NEW are robots.txt files, `-` for stdin, versions in git such as
`HEAD~1:robots.txt`, sites in a snapshot such as `june.warc.gz::example.com`,
or URLs: then the robots.txt file of the origin is fetched. Changes are proved
for all URLs, not found by trying some.

OLD and NEW may also be snapshots of many sites: folders of files named by host,
tables (Parquet, CSV, JSON Lines), WARC archives, or caches. Then --output is a
table with a row for each site and the crawlers for which it changed.

exit code:
  0    no answer changes for any crawler
  1    an answer changes, or a change could not be ruled out
  2    bad usage, or a file cannot be read
  130  interrupted

examples:
  verger diff old.txt new.txt
  verger diff HEAD:robots.txt robots.txt --output changes.md
  verger diff https://example.com robots.txt --purpose training
  verger diff june.warc.gz july.warc.gz --output changes.parquet
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    if args.git:
        return _run_for_git(args)
    _check_usage(args)

    if are_snapshots(args):
        return _diff_snapshots(args)
    _check_format(args)
    expect_separate_output(args, args.files)
    with TextStream(args.output, args.format) as stream:
        versions = [read_version(args, word, [args.dialect]) for word in args.files]
        found = _compare(args, versions, stream)
    if args.format != "markdown":  # whose text includes the closing line
        note(args, summary_line(found))
    return DISALLOWED if found.changes_answers else FINE


def _run_for_git(args: Namespace) -> int:
    """Write the changes between two files from git, and return the exit code it expects."""
    refuse_if(
        args.output is not None,
        "`--git` and `--output` cannot be combined",
        "git reads stdout; leave one of them out",
    )
    options.expect_no_network(args)
    _check_format(args)
    args.agent = tokens_named(args, [args.dialect])
    if (versions := versions_of_git(args.files, args.dialect)) is None:
        print(f"{printable(args.files[0])}: not merged yet")
        return FINE
    args.quiet = True  # git shows only stdout
    with TextStream(None, args.format) as stream:
        _compare(args, versions, stream)
    return FINE


def _compare(args: Namespace, versions: Sequence[FoundFile], stream: TextStream) -> FileDiff:
    """Write what changes."""
    old, new = (version.read(args.dialect) for version in versions)
    for version, robots in zip(versions, (old, new), strict=True):
        note(args, *notes_on([robots], version.name))
    found = diff(old, new, crawlers=args.agent)
    between = Between(old, new, found, Palette.of(stream), args.verbose)
    stream.write_lines(_lines(args, versions, between, found))
    return found


OPTIONS = (
    options.option(
        "files",
        nargs="*",
        type=options.file,
        metavar="OLD NEW",
        help="the old version, then the new one: a file, `-`, REVISION:PATH in git, "
        "SNAPSHOT::HOST, or a URL",
    ),
    *options.CRAWLERS,
    options.shared(
        "--output", what="where the changes go; `-` is stdout (default: - for two files)"
    ),
    options.shared(
        "--format",
        choices=(*FORMATS, *TABLES),
        what="text for people, markdown for a pull request, json for programs; for two snapshots "
        "parquet, csv or jsonl",
    ),
    options.shared(
        "--verbose", what="show every region, every record and every crawler, however many"
    ),
    options.shared("--anonymous"),
    options.shared("--quiet"),
    options.switch("--git", help="take the arguments that git passes to a diff driver"),
    options.shared("--cache", unless="none"),
    *options.NETWORK_OPTIONS,
)


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    options.expect_one(
        args.files[1:],
        ("two versions are compared: OLD and NEW", _hint_without_files(args)),
        ("two versions are compared, and {} is a third", see_help("diff")),
    )
    refuse_if(
        args.files.count(STANDARD) > 1,
        "stdin cannot hold both versions",
        "pass a file for one of them",
    )
    args.agent = tokens_named(args, [args.dialect])
    options.expect_network_use(args, args.files)


def _check_format(args: Namespace) -> None:
    """Refuse formats and options that a comparison of two files has no use for."""
    offered = ", ".join(f"`{form}`" for form in FORMATS)
    for wanted in (args.format, format_by_name(args.output or STANDARD)):
        refuse_if(
            wanted in TABLES,
            f"cannot write {wanted} for two files",
            f"a table is for two snapshots of many sites; formats here: {offered}",
        )
    args.format = options.format_of(args, FORMATS)
    options.expect_verbose_fits(args, "text", "markdown")


def _hint_without_files(args: Namespace) -> str:
    """Return a hint for a missing version."""
    if args.files and not is_url(args.files[0]) and args.files[0] != STANDARD:
        name = printable(args.files[0])
        return f"to compare it with the version in git: `verger diff HEAD:./{name} {name}`"
    return "pass two files, such as `verger diff old.txt new.txt`"


def _lines(
    args: Namespace, versions: Sequence[FoundFile], between: Between, found: FileDiff
) -> Iterator[str]:
    """Return what changes in the requested format."""
    if args.format == "json":
        files = (about_file(each.name, each.site) for each in versions)
        sides = dict(zip(("old", "new"), files, strict=True))
        return iter([json_text(diff_object(found, {**sides, "dialect": args.dialect}))])
    if args.format == "markdown":
        old, new = (code(version.name) for version in versions)
        title = f"Changes of {new}" if args.git else f"Changes from {old} to {new}"
        return markdown_lines(between, found, title)
    return diff_lines(between, found, versions[1].name if args.git else None)


# Snapshots of many sites


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
    if is_address(word) and format_by_name(word) in CAPTURED:
        return True
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


def _check_snapshots(args: Namespace) -> None:
    """Refuse options for the comparison of two files, and set what depends on other options."""
    if args.output is None and args.format not in TABLES:
        word = next(word for word in args.files if _is_snapshot(word))
        hint = "to compare two snapshots, name the table to write: `--output changes.parquet`"
        raise Failure(f"{quoted(word)} is not one file, but a snapshot of many", hint)
    args.output = args.output or STANDARD
    refuse_if(args.verbose, "`--verbose` is for two files", "every change has a row in the table")
    choices = ", ".join(f"`{form}`" for form in TABLES)
    refuse_if(
        args.format not in (None, *TABLES),
        f"cannot write {args.format} for snapshots",
        f"pass `--format` with one of: {choices}",
    )


def _diff_snapshots(args: Namespace) -> int:
    """Write the table of changes, and return the exit code."""
    _check_snapshots(args)
    old, new = args.files
    if format_of(args.output, args.format, option="--format") == "parquet":
        expect_no_terminal(args.output, "Parquet")
    report = diff_snapshots(
        old, new, args.output, format=args.format, crawlers=args.agent, dialect=args.dialect
    )
    note(args, *(f"note: {each}" for each in report.notes), *snapshots_lines(report))
    return DISALLOWED if report.changed else FINE
