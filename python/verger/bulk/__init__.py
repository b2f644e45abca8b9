"""Columns in, columns out: decisions about whole tables of URLs.

Any table or column that offers the Arrow PyCapsule interface comes in (pyarrow, polars, pandas,
DuckDB, …), and what goes out offers it too; the URLs are never copied. The work is spread over the
cores within one call, and other threads of Python run meanwhile.

>>> import pyarrow as pa
>>> import verger
>>> from verger.bulk import decide_table
>>> urls = pa.table({"url": ["https://example.com/", "https://example.com/private"]})
>>> robots = verger.parse("User-agent: *\\nDisallow: /private\\n")
>>> pa.table(decide_table(urls, robots, "ExampleBot")).column("allowed").to_pylist()
[True, False]

A `Snapshot` in place of `robots` answers for each URL with the file of its origin.
`verger.bulk.filter`, `scan`, `audit` and `report` do what the commands of these names do.
"""

from verger._core import DecisionStream, Table
from verger.bulk.decide import decide_stream, decide_table, origins
from verger.bulk.snapshot import Snapshot

__all__ = ["DecisionStream", "Snapshot", "Table", "decide_stream", "decide_table", "origins"]
