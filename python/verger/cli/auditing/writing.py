"""The report of an audit, in its format, on stdout or in a file.

In: a result. Out: bytes. A file is written completely or not at all; on a terminal, control
characters are escaped.
"""

import sys
from argparse import Namespace

from verger.bulk.audit import AuditResult
from verger.bulk.audit.formats import csv_of, json_of, parquet_of
from verger.cli.palette import Palette
from verger.cli.streams import expect_no_terminal
from verger.files.standard import plain_on
from verger.files.writing import Output


def check_format(args: Namespace) -> None:
    """Refuse a binary format on a terminal."""
    if args.format == "parquet":
        expect_no_terminal(args.output, "Parquet")


def write_result(args: Namespace, result: AuditResult, output: Output) -> None:
    """Write the report."""
    if args.format == "text":
        output.write(_text(args, result))
    else:
        plain_on(output).write(_table(args, result))


def _text(args: Namespace, result: AuditResult) -> bytes:
    from verger.cli.auditing.text import text_of

    is_stdout = args.output == "-"
    encoding = sys.stdout.encoding if is_stdout else "utf-8"
    palette = Palette.of(sys.stdout) if is_stdout else None
    return text_of(result, top=args.top, palette=palette).encode(encoding, "backslashreplace")


def _table(args: Namespace, result: AuditResult) -> bytes:
    """Return the report for programs."""
    if args.format == "json":
        return json_of(result, args.dialect)
    return csv_of(result, args.by) if args.format == "csv" else parquet_of(result, args.by)
