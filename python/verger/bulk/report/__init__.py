"""Reports: tables of `verger scan` become one HTML page with charts.

In: Parquet files of schema `verger.scan/1`, one or many, of one snapshot in time or several. Out:
a page that needs no network, and is there complete or not at all; or its numbers, as a `Summary`.
Needs `pip install 'verger[report]'`.

    from verger.bulk import report

    report.write(["scan.parquet"], "report.html")
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EIO
from pathlib import Path
from tempfile import TemporaryDirectory

from verger.bulk.report.snapshots import By
from verger.bulk.report.sources import sources_of
from verger.bulk.report.summary import Summary
from verger.errors import InvalidTable, MissingExtra

__all__ = ["TITLE", "By", "Summary", "summarise", "write"]

TITLE = "Who may fetch what"

Paths = Sequence[str | os.PathLike[str]]


def write(
    paths: Paths, output: str | os.PathLike[str], *, title: str = TITLE, by: By = "auto"
) -> Summary:
    """Write the report of tables as one HTML file, and return its numbers.

    paths:  Parquet files, folders of them, glob patterns.
    by:     what makes a snapshot: a day, a month, a year, or `auto` for captures that lie close
            together.
    Memory does not grow with the tables; what it does not hold waits in the folder for temporary
    files. Raises `InvalidTable` for what is no table of a scan, `MissingExtra` without the extra
    `report`, and `OSError` where the output, or what waits, cannot be written.
    """
    _require("altair", "jinja2", "vl_convert")
    from verger.bulk.report.page import rendered

    place = Path(output)
    _expect_writable(place)
    summary = summarise(paths, by=by, but_not=place)
    page = rendered(summary, title=title)
    with _in_place_of(place) as part:
        part.write_text(page, encoding="utf-8")
    return summary


def summarise(paths: Paths, *, by: By = "auto", but_not: Path | None = None) -> Summary:
    """Return the numbers of a report; arguments and errors are those of `write`.

    but_not:  a file that must not be among the tables, since it will be written.
    """
    _require("pyarrow.parquet")
    from verger.bulk.report.counting import summary_of

    sources = sources_of(paths)
    if but_not is not None and but_not.resolve() in {source.path.resolve() for source in sources}:
        raise InvalidTable(f"`{but_not}` is both a table and the output")
    with TemporaryDirectory(prefix="verger-report-") as folder:
        try:
            return summary_of(sources, Path(folder), by=by)
        except OSError as error:  # what cannot be read is an InvalidTable already
            code = error.errno or EIO
            raise OSError(code, os.strerror(code), folder) from None


def _require(*names: str) -> None:
    from importlib import import_module

    try:
        for name in names:
            import_module(name)
    except ImportError:
        raise MissingExtra.named("report", "a report") from None


def _expect_writable(place: Path) -> None:
    """Raise before the work what would be raised after it."""
    if place.is_dir():
        raise IsADirectoryError(21, "is a directory", str(place))
    if not place.resolve().parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(place.parent))


@contextmanager
def _in_place_of(path: Path) -> Iterator[Path]:
    """Yield where to write; what is there at the end takes the place of the file at once."""
    place = path.resolve()  # what a link names is replaced, not the link
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    part.touch(exist_ok=False)
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)
