"""Scans: what many captured robots.txt files say, as tables.

In: captures, from WARC archives, tables or folders. Out: one row per capture (`verger.scan/1`), and
on request one row per record (`verger.records/1`). Needs the extra `warc`.

>>> from verger.bulk.scan import Scanner
>>> Scanner(crawlers=["GPTBot"]).schema.names[:4]
['origin', 'url', 'time', 'status']
"""

from verger.errors import MissingExtra

with MissingExtra.unless_installed("warc", "scanning"):
    import pyarrow as _pyarrow  # noqa: F401

from verger.bulk.scan.inputs import read_folder, read_table
from verger.bulk.scan.listed import read_list, scan_list
from verger.bulk.scan.run import scan
from verger.bulk.scan.scanner import Scanned, Scanner
from verger.captures.batches import SCHEMA as CAPTURES, ScanReport, Skip
from verger.captures.column_names import RECORDS_SCHEMA, SCAN_SCHEMA
from verger.captures.warc import read_warc

__all__ = [
    "CAPTURES",
    "RECORDS_SCHEMA",
    "SCAN_SCHEMA",
    "ScanReport",
    "Scanned",
    "Scanner",
    "Skip",
    "read_folder",
    "read_list",
    "read_table",
    "read_warc",
    "scan",
    "scan_list",
]
