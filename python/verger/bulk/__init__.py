"""Columns in, columns out: decisions about whole tables of URLs.

Inputs are tables or columns with the Arrow PyCapsule interface (pyarrow, polars, pandas, DuckDB,
…), and so are results; URLs are never copied. One call uses all cores, and other Python threads
keep running.

>>> import pyarrow as pa
>>> import verger
>>> from verger.bulk import decide_table
>>> urls = pa.table({"url": ["https://example.com/", "https://example.com/private"]})
>>> robots = verger.parse("User-agent: *\\nDisallow: /private\\n")
>>> pa.table(decide_table(urls, robots, "ExampleBot")).column("allowed").to_pylist()
[True, False]

With a `Snapshot` in place of `robots`, the file of its origin decides each URL.
`verger.bulk.filter`, `scan`, `audit` and `report` do what the commands of these names do, `changes`
compares snapshots of many sites, and `spark` is for clusters.
"""

from verger._core import DecisionStream, Table
from verger.bulk.decide import decide_stream, decide_table, origins
from verger.snapshots.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.bulk import (
        audit as audit,
        changes as changes,
        filter as filter,
        report as report,
        scan as scan,
        spark as spark,
    )
else:  # type checkers know the names above, and report any other

    def __getattr__(name: str) -> object:
        from verger.lazy import load_attribute

        return load_attribute(globals(), {}, name, (*_LISTED, *_WITH_EXTRAS))


del TYPE_CHECKING

__all__ = ["DecisionStream", "Snapshot", "Table", "decide_stream", "decide_table", "origins"]

_LISTED = ("audit", "changes", "filter", "report")
_WITH_EXTRAS = ("scan", "spark")
"""Modules whose import fails without their packages: `dir` must not name what is missing."""


def __dir__() -> list[str]:
    from verger.lazy import public_names

    return public_names(globals(), _LISTED)
