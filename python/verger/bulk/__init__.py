"""Columns in, columns out: decisions about whole tables of URLs.

Any table or column that offers the Arrow PyCapsule interface comes in (pyarrow, polars, pandas,
DuckDB, …), and what goes out offers it too; the URLs are never copied. The work is spread over the
cores within one call, and the interpreter goes on meanwhile.
"""

from verger._core import DecisionStream, Table
from verger.bulk.decide import decide_stream, decide_table, origins
from verger.bulk.snapshot import Snapshot

__all__ = ["DecisionStream", "Snapshot", "Table", "decide_stream", "decide_table", "origins"]
