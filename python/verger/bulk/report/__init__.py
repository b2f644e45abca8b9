"""Reports: tables of `verger scan` become one HTML page with charts.

In: Parquet files of schema `verger.scan/1`, one or many, of one snapshot in time or several. Out: a
page that needs no network, complete or absent; or its numbers, as a `Summary`.
Needs the extra `report`.

    from verger.bulk import report

    report.write(["scan.parquet"], "report.html")
"""

import os

from verger.bulk.report.summary import By, Summary
from verger.errors import MissingExtra
from verger.files.writing import expect_writable, writing
from verger.options import Paths, paths_of

__all__ = ["TITLE", "By", "Summary", "summarise", "write"]

TITLE = "Who may fetch what"


def write(
    paths: Paths,
    output: str | os.PathLike[str],
    *,
    title: str = TITLE,
    by: By = "auto",
    carry: bool = False,
) -> Summary:
    """Write the report of tables as one HTML file, and return its numbers.

    paths:  a Parquet file, a folder of them or a glob pattern; or several.
    output: the page, written when it is complete; `-` is stdout.
    by:     how captures are grouped into snapshots: by day, month or year, or `auto` for captures
            that are close together.
    carry:  whether a capture counts until the next one of its site, as in a series that stores only
            changes.
    Memory does not grow with the tables; the rest is in temporary files. Raises `InvalidTable` for
    a file that is not a table of a scan, `MissingExtra` without the extra `report`, and
    `UnusableOutput` if the output, or temporary files, cannot be written, or the output is one of
    the tables.
    """
    with MissingExtra.unless_installed("report", "a report"):
        from verger.bulk.report.counting import summary_of
        from verger.bulk.report.page import rendered
        from verger.bulk.report.sources import expect_unread, sources_of

    expect_writable(output)
    several = paths_of("paths", paths)
    sources = sources_of(several)
    expect_unread(output, several, sources)
    with writing(output) as page:
        summary = summary_of(sources, by=by, carry=carry)
        page.write(rendered(summary, title=title).encode("utf-8", "backslashreplace"))
    return summary


def summarise(paths: Paths, *, by: By = "auto", carry: bool = False) -> Summary:
    """Return the numbers of a report; arguments and errors are those of `write`."""
    with MissingExtra.unless_installed("report", "a report"):
        from verger.bulk.report.counting import summary_of
        from verger.bulk.report.sources import sources_of

    return summary_of(sources_of(paths_of("paths", paths)), by=by, carry=carry)
