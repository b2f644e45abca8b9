"""Tables of captures: Parquet, CSV and JSON Lines, with columns of any name.

In: a file, and the names of its columns. Out: batches of captures. A row of text that cannot be
read is skipped and reported with its line; a text that is not a time is an unknown time, because
archives have many of them.
"""

import os
from collections.abc import Iterator, Mapping
from functools import partial

import pyarrow as pa

from verger.bulk import tables
from verger.bulk.scan.report import ScanReport
from verger.bulk.tables import CAPTURES


def read_table(
    path: str | os.PathLike[str], format: str, columns: Mapping[str, str], report: ScanReport
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of a table. Raises InvalidTable."""
    skip = partial(report.skip, os.fspath(path))
    return tables.read_table(path, format, CAPTURES, columns=columns, on_skip=skip)
