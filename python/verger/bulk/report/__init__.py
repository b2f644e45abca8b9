"""Reports: tables of `verger scan` become one HTML page with charts.

In: Parquet files of schema `verger.scan/1`, one or many, of one snapshot in time or several. Out: a
page that needs no network, complete or absent; or its numbers, as a `Summary`.
Needs the extra `report`.

    from verger.bulk import report

    report.write(["scan.parquet"], "report.html")
"""

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from verger.bulk.report.snapshots import By
from verger.bulk.report.sources import ReportInput, expect_unread, sources_of
from verger.bulk.report.summary import Summary
from verger.errors import MissingExtra, UnusableOutput
from verger.files.writing import expect_writable, unwritable, writing
from verger.options import Paths, paths_of

__all__ = ["TITLE", "By", "Summary", "summarise", "write"]

TITLE = "Who may fetch what"


def write(
    paths: Paths, output: str | os.PathLike[str], *, title: str = TITLE, by: By = "auto"
) -> Summary:
    """Write the report of tables as one HTML file, and return its numbers.

    paths:  a Parquet file, a folder of them or a glob pattern; or several.
    output: the page, written when it is complete; `-` is stdout.
    by:     how captures are grouped into snapshots: by day, month or year, or `auto` for captures
            that are close together.
    Memory does not grow with the tables; the rest is in temporary files. Raises `InvalidTable` for
    a file that is not a table of a scan, `MissingExtra` without the extra `report`, and
    `UnusableOutput` if the output, or temporary files, cannot be written, or the output is one of
    the tables.
    """
    _require("altair", "jinja2", "vl_convert", "pyarrow.parquet")
    from verger.bulk.report.page import rendered

    expect_writable(output)
    several = paths_of("paths", paths)
    sources = sources_of(several)
    expect_unread(output, several, sources)
    with writing(output) as page:
        summary = _summary(sources, by)
        page.write(rendered(summary, title=title).encode("utf-8", "backslashreplace"))
    return summary


def summarise(paths: Paths, *, by: By = "auto") -> Summary:
    """Return the numbers of a report; arguments and errors are those of `write`."""
    _require("pyarrow.parquet")
    return _summary(sources_of(paths_of("paths", paths)), by)


def _summary(sources: Sequence[ReportInput], by: By) -> Summary:
    from verger.bulk.report.counting import summary_of

    with TemporaryDirectory(prefix="verger-report-") as folder:
        try:
            return summary_of(sources, Path(folder), by=by)
        except UnusableOutput:
            raise
        except OSError as error:  # an input that cannot be read is already an InvalidTable
            raise unwritable(folder, error) from error


def _require(*names: str) -> None:
    from importlib import import_module

    try:
        for name in names:
            import_module(name)
    except ImportError:
        raise MissingExtra.named("report", "a report") from None


def __dir__() -> list[str]:
    from verger.later import public_names

    return public_names(globals())
