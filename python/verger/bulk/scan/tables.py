"""Tables of captures: Parquet, CSV and JSON Lines, with columns of any name.

In: a file, and the names of its columns. Out: batches of captures. A row of text that cannot be
read is skipped and reported with its line; a text that is not a time is an unknown time, because
archives have many of them. A row that names no site is a capture without an origin, and reported.
"""

import os
from collections.abc import Iterator, Mapping
from functools import partial

import pyarrow as pa

from verger._core import _origins
from verger.captures import tables
from verger.captures.report import ScanReport
from verger.captures.tables import CAPTURES
from verger.plain import counted


def read_table(
    path: str | os.PathLike[str], format: str, columns: Mapping[str, str], report: ScanReport
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of a table. Raises InvalidTable."""
    skip = partial(report.skip, os.fspath(path))
    nameless = 0
    for batch in tables.read_table(path, format, CAPTURES, columns=columns, on_skip=skip):
        sites = pa.table(_origins(batch, "url", with_hosts=True))
        nameless += sites.column("origin").null_count
        yield batch
    if nameless:
        verb, whose = ("names", "its") if nameless == 1 else ("name", "their")
        why = f"{counted(nameless, 'row')} {verb} no site: {whose} `origin` is null"
        skip(None, why, nameless)
