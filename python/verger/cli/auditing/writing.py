"""The report of an audit, in its format, on stdout or in a file.

In: a result. Out: octets. A file is there complete or not at all.
"""

import os
import sys
from argparse import Namespace
from pathlib import Path

from verger.bulk.audit import AuditResult
from verger.cli.exit import Failure, reason_of
from verger.cli.plain import printable


def write_result(asked: Namespace, result: AuditResult) -> None:
    """Write the report where it was asked for."""
    octets = _rendered(asked, result)
    if asked.output is None:
        _write_to_stdout(asked, octets)
    else:
        _write_to_file(Path(asked.output), octets)


def _rendered(asked: Namespace, result: AuditResult) -> bytes:
    """Return the report; a format that is not asked for is not imported."""
    if asked.format == "text":
        from verger.cli.auditing.text import text_of
        from verger.cli.render import Palette

        palette = None if asked.output else Palette.of(sys.stdout)
        encoding = "utf-8" if asked.output else sys.stdout.encoding
        return text_of(result, top=asked.top, palette=palette).encode(encoding, "backslashreplace")
    if asked.format == "json":
        from verger.cli.auditing.report import json_of

        return json_of(result, asked.dialect)
    from verger.cli.auditing.tables import csv_of, parquet_of

    return csv_of(result, asked.by) if asked.format == "csv" else parquet_of(result, asked.by)


def _write_to_stdout(asked: Namespace, octets: bytes) -> None:
    if asked.format == "parquet" and sys.stdout.isatty():
        raise Failure("Parquet is no text for a terminal", "pass `--output FILE`")
    sys.stdout.flush()
    sys.stdout.buffer.write(octets)
    sys.stdout.buffer.flush()


def _write_to_file(path: Path, octets: bytes) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            beside.write_bytes(octets)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise Failure(f"cannot write `{printable(str(path))}`: {reason_of(error)}") from None
