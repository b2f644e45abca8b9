"""`verger scan`: what many captured robots.txt files say, as a table.

In: WARC archives, tables of captures, or folders of files. Out: a Parquet file with one row per
capture, on request another with one row per record; both are written completely or not at all. What
was skipped, and a closing table, on stderr.
"""

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from verger.access.observation import KINDS
from verger.captures.column_names import NAMES
from verger.cli import options
from verger.cli.output import (
    FINE,
    expect_no_terminal,
    note,
    refuse_first,
    refuse_if,
    see_help,
    tell,
)
from verger.cli.progress import Progress
from verger.cli.tokens import tokens_named
from verger.crawlers import LISTED
from verger.files.formats import CAPTURED, expect_format
from verger.files.same_file import expect_no_overwriting
from verger.showing.printing import pace, totals
from verger.untrusted_text import choice_hint, printable, quoted

if TYPE_CHECKING:
    from verger.bulk.scan import ScanReport

EXIT_SKIPPED = 1
"""The exit code of a strict run that had to skip something."""


HELP = """\
usage: verger scan FILE... --output OUT.parquet [--records RECORDS.parquet]
                   [--dialect NAME] [--agent TOKEN]... [--known OLD.parquet]
                   [OPTION...]
       verger scan --inputs LIST [--base PREFIX] --output OUT.parquet
                   [OPTION...]

What do these captured robots.txt files say?

A FILE is, depending on its name, a WARC archive (plain, gzip, Zstandard or
WACZ; `-` for stdin) or a table (Parquet, CSV, JSON Lines) with columns for the
URL or host, the body and the status; or it is a folder of robots.txt files
named by host. Archives, tables and outputs may be addresses: s3://BUCKET/NAME,
gs://, az://, https://.

A LIST names archives and tables, one a line. They are read several at a time,
and what is finished is kept: after a kill, the same command goes on.

exit code:
  0    done; what could not be read was skipped, and is named on stderr
  1    with --strict: done, but something was skipped
  2    bad usage, or something cannot be read or written; with --strict also an
       archive of LIST
  130  interrupted; no output is written, what is finished of LIST is kept

examples:
  verger scan CC-MAIN-*-robotstxt.warc.gz --output robots.parquet
  verger scan --inputs robotstxt.paths.gz --base https://data.commoncrawl.org/ \\
    --output s3://my-bucket/robots.parquet
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    from verger.bulk.scan import Scanner, read_list, scan, scan_list
    from verger.bulk.scan.inputs import kinds_of

    names = read_list(args.inputs, base=args.base or "") if args.inputs else []
    kinds_of(args.files, args.input_format, option="--input-format")
    scanner = Scanner(
        dialect=args.dialect,
        crawlers=tokens_named(args, [args.dialect]) or LISTED,
        threads=args.threads,
        fingerprints=args.fingerprint,
        known=args.known,
    )
    with closing(Progress(shown=True, quiet=args.quiet)) as progress:
        if names:
            report = scan_list(
                names,
                args.output,
                scanner=scanner,
                columns=_columns(args.columns),
                strict=args.strict,
                restart=args.restart,
                on_archive=partial(_show, progress),
            )
        else:
            report = scan(
                args.files,
                args.output,
                records=args.records,
                scanner=scanner,
                columns=_columns(args.columns),
                format=args.input_format,
                on_batch=lambda report: progress.count(report.captures, "captures"),
            )
    tell(*skip_lines(report))
    note(args, *summary_lines(report))
    return EXIT_SKIPPED if args.strict and report.skipped else FINE


def _show(progress: Progress, report: "ScanReport", done: int, all_: int) -> None:
    """Draw how many archives of a list are read."""
    what = f"archives, {report.captures:,} captures, {report.bytes / 1e9:,.1f} GB"
    progress.count(done, what, share=done / all_)


# Usage


def _check_usage(args: Namespace) -> None:
    of_files = {"FILE": args.files, "--records": args.records, "--input-format": args.input_format}
    of_list = {"--base": args.base, "--restart": args.restart}
    refuse_if(not args.files and not args.inputs, "no file given", see_help("scan"))
    for option, value in (of_files if args.inputs else of_list).items():
        also = "cannot be combined with" if args.inputs else "is for"
        refuse_if(value, f"`{option}` {also} `--inputs`", see_help("scan"))
    refuse_first(
        (
            args.known and args.records,
            "`--known` cannot be combined with `--records`",
            "the table of an earlier scan has no records",
        ),
        (
            not args.output,
            "no `--output` given",
            "name the table to write: `--output robots.parquet`",
        ),
        (
            args.columns and args.files and all(map(os.path.isdir, args.files)),
            f"`--columns` is for tables, and {quoted(''.join(args.files[:1]))} is a folder",
            "leave it out",
        ),
    )
    outputs = [path for path in (args.output, args.records) if path]
    inputs = [*args.files, *filter(None, [args.known])]
    expect_no_overwriting(outputs, inputs=inputs, folders=filter(os.path.isdir, args.files))
    for path in outputs:
        expect_format(path, "parquet", "Parquet")
        expect_no_terminal(path, "Parquet")


def _columns(word: str | None) -> dict[str, str]:
    """Return `url=host,body=text` as a mapping; `origin` and `host` mean `url`, and an empty name
    that there is no such column."""
    columns: dict[str, str] = {}
    for pair in (word or "").split(",") if word else []:
        role, equals, column = pair.partition("=")
        role = "url" if role in ("origin", "host") else role
        refuse_first(
            (
                not equals or (not column and role in ("url", "body")),
                f"{quoted(pair)} names no column",
                "name columns as `origin=host,body=robots_txt,time=date`; `status=` means none",
            ),
            (
                role not in NAMES,
                f"`--columns` does not know {quoted(role)}",
                choice_hint(role, ("origin", *NAMES)),
            ),
            (role in columns, f"`--columns` names two columns for `{role}`", "name one of them"),
        )
        columns[role] = column
    return columns


OPTIONS = (
    options.option(
        "files",
        nargs="*",
        type=options.file,
        metavar="FILE",
        help="archives or tables of captures, or a folder of files",
    ),
    options.option(
        "--inputs",
        type=options.file,
        metavar="LIST",
        help="a list of archives and tables, plain or gzip, one path or address a line",
    ),
    options.option(
        "--base", metavar="PREFIX", help="the folder or address before each relative path of LIST"
    ),
    options.shared("--output", what="the table of captures, written when it is complete"),
    options.option(
        "--records", type=options.file, metavar="FILE|-", help="a table of all their records"
    ),
    options.shared(
        "--input-format",
        choices=CAPTURED,
        what=f"the format of every FILE: {', '.join(CAPTURED)}",
        unless="as the name of each says",
    ),
    options.option(
        "--columns",
        metavar="PAIRS",
        help="which columns of a table hold what, such as "
        "`origin=host,body=robots_txt,time=date`; `status=` means that none does (default: usual "
        "names)",
    ),
    options.shared("--dialect"),
    options.shared(
        "--agent",
        more=f", which gets a column of its own{options.REPEATED}",
        unless="common crawlers, see `verger agents`",
    ),
    options.shared("--purpose"),
    options.switch(
        "--fingerprint",
        help="a column with a short text that is the same for files that say the same",
    ),
    options.option(
        "--known",
        type=options.file,
        metavar="OLD.parquet",
        help="the table of an earlier scan with the same options: files that it has are not read "
        "again",
    ),
    options.shared("--strict", what="something had to be skipped"),
    options.switch("--restart", help="discard what an interrupted run of LIST has kept"),
    options.shared("--anonymous"),
    options.option(
        "--threads",
        type=options.count,
        metavar="N",
        help="how many threads read files at once (default: as many as there are cores)",
    ),
    options.shared("--quiet"),
)


# Totals


SHOWN = 20
"""The most skipped places to name; the rest are counted."""


def skip_lines(report: "ScanReport") -> Iterator[str]:
    """Yield a line for each of the first skipped places."""
    shown = report.skips[:SHOWN]
    for skip in shown:
        place = "" if skip.offset is None else f" at {skip.offset}"
        yield f"skipped: {quoted(skip.file)}{place}: {printable(skip.why)}"
    if more := report.skipped - sum(skip.count for skip in shown):
        yield f"skipped: {more:,} more"


def summary_lines(report: "ScanReport") -> Iterator[str]:
    """Return the lines of the closing table."""
    captures, access = report.captures, report.access
    return totals(
        (
            ("captures", captures, ""),
            *(
                (f"  {kind}", access[kind], f"{access[kind] / captures:>6.1%}")
                for kind in KINDS
                if access[kind]
            ),
            ("  no URL", access[None] or None, ""),
            ("records", report.records or None, ""),
            ("skipped", report.skipped or None, ""),
            ("revisits", report.revisits or None, ""),
            ("other URLs", report.others or None, ""),
            ("cut bodies", report.cut or None, ""),
            pace(report.seconds, captures, "captures"),
        )
    )
