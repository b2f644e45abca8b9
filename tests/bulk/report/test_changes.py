"""What a report says of tables of changes: sites by purpose and by their gravest change."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from verger.bulk import report
from verger.bulk.report.summary import EVERYBODY
from verger.errors import InvalidTable

from . import scans
from .changed import change, write

A, B, C = (f"https://{name}.example" for name in "abc")
ROWS = [
    change(A, "closed", ["Googlebot"], ["search"]),
    change(A, "site-closed", ["GPTBot"], ["training"]),
    change(A, "opened", ["CCBot"], ["training"]),
    change(B, "site-opened"),
    change(C, "closed", ["*", "GPTBot"], ["training"]),
]
EXPECTED = {
    EVERYBODY: {"site-closed": 1, "site-opened": 1, "closed": 1},
    "*": {"site-opened": 1, "closed": 1},
    "search": {"closed": 1},
    "training": {"site-closed": 1, "closed": 1},
}


def counted(*paths: Path) -> dict[str, dict[str, int]]:
    changes = report.summarise(paths).changes
    assert changes is not None
    return {who: dict(sites) for who, sites in changes.items()}


def test_a_site_counts_once_for_each_purpose(tmp_path: Path) -> None:
    """By its gravest change for the crawlers of that purpose."""
    found = counted(write(tmp_path / "c.parquet", ROWS))

    assert EXPECTED == found
    assert [EVERYBODY, "*", "search", "training"] == list(found)


def test_rows_of_a_site_may_stand_anywhere(tmp_path: Path) -> None:
    """Spark writes several files in any order, and without metadata."""
    paths = []
    for number in range(len(ROWS)):
        paths.append(write(tmp_path / f"{number}.parquet", ROWS[::-1][number : number + 1]))
        pq.write_table(pq.read_table(paths[-1]).replace_schema_metadata(), paths[-1])

    assert EXPECTED == counted(*paths)


def test_a_page_of_changes_alone(tmp_path: Path) -> None:
    """It has one section, with the numbers of the table."""
    report.write([write(tmp_path / "c.parquet", ROWS)], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert "What 3 sites changed in robots.txt." in page
    assert ["changes", "counted"] == re.findall(r'<section id="(\w+)"', page)


def test_a_page_of_scans_and_changes(tmp_path: Path) -> None:
    """Changes come first."""
    tables = [write(tmp_path / "c.parquet", ROWS)]
    tables.append(scans.write(tmp_path / "s.parquet", [scans.Capture()]))
    report.write(tables, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert ["changes", "standings"] == re.findall(r'<section id="(\w+)"', page)[:2]
    assert "say in the snapshot of" in page


def test_no_change_is_told(tmp_path: Path) -> None:
    """A table without rows makes a page that says so."""
    report.write([write(tmp_path / "c.parquet", [])], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert "No answer changed on any site." in page


def test_a_table_of_other_columns_is_refused(tmp_path: Path) -> None:
    """What says that it holds changes has their columns."""
    path = write(tmp_path / "c.parquet", ROWS)
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["purposes"]), path)

    with pytest.raises(InvalidTable, match="no column `purposes`"):
        report.summarise([path])

    texts = pa.array(["search"] * table.num_rows)
    place = table.schema.get_field_index("purposes")
    pq.write_table(table.set_column(place, "purposes", texts), path)

    with pytest.raises(InvalidTable, match="the column `purposes`"):
        report.summarise([path])
