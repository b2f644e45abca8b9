"""What the web says about use: counted from the columns of a scan, where there are any."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from verger.bulk import report
from verger.bulk.scan import Scanner
from verger.errors import InvalidTable

from .scans import Capture, write

FILES = {
    "a.example": b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
    "b.example": b"User-agent: GPTBot\nContent-Signal: ai-train=yes\nDisallow: /\n\n"
    b"User-agent: CCBot\nContent-Signal: ai-train=no\n",
    "c.example": b"License: https://c.example/l.xml\nUser-agent: Google-Extended\nDisallow: /\n",
    "d.example": b"User-agent: *\nContent-Signal: search=yes, ai-train=yes\nDisallow: /\n",
    "e.example": b"",
}


def scanned(folder: Path, scanner: Scanner | None = None) -> Path:
    """Write a table of the files above, as `verger scan` does."""
    scanner = scanner or Scanner()
    captures = pa.table({"url": [*FILES], "body": [*FILES.values()]})
    path = folder / "scan.parquet"
    pq.write_table(pa.Table.from_batches(scanner.scan(captures).rows, scanner.schema), path)
    return path


def counts(summary: report.Summary) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return no, both, yes and silence of what anybody says."""
    return {
        (each.use, each.mechanism): (each.no, each.mixed, each.yes, each.unsaid)
        for each in summary.uses
        if each.no or each.mixed or each.yes
    }


def test_files_by_mechanism(tmp_path: Path) -> None:
    """Each file counts once for each use and mechanism, by what it says to any of the crawlers."""
    summary = report.summarise([scanned(tmp_path)])

    assert counts(summary) == {
        ("search", "crawl-rules"): (1, 0, 0, 4),
        ("search", "content-signal"): (0, 0, 2, 3),
        ("ai-input", "crawl-rules"): (1, 0, 0, 4),
        ("ai-input", "policy-token"): (1, 0, 0, 4),
        ("ai-train", "crawl-rules"): (2, 0, 0, 3),
        ("ai-train", "policy-token"): (1, 0, 0, 4),
        ("ai-train", "content-signal"): (1, 1, 1, 2),
    }
    assert len(summary.uses) == 12
    assert summary.contents.licensed == 1


def test_contradictions(tmp_path: Path) -> None:
    """First how many files have any, then which mechanisms contradict each other."""
    found = report.summarise([scanned(tmp_path)]).conflicts

    assert [tuple(each) for each in found] == [
        ("any use", "any", "any", 2),
        ("ai-train", "content-signal", "crawl-rules", 2),
        ("search", "content-signal", "crawl-rules", 1),
    ]


def test_page_has_both_sections(tmp_path: Path) -> None:
    """The bars are in the specification, and the tables have the numbers."""
    report.write([scanned(tmp_path)], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()

    assert "What the web says about use" in page
    assert '"ai-train, content-signal"' in page.replace("&#34;", '"')
    assert "Where files contradict themselves" in page
    assert "5 files, 1 with a licence, which is a condition" in " ".join(page.split())


def test_tables_of_older_versions(tmp_path: Path) -> None:
    """Without the columns there are no such sections; beside them only files with them count."""
    old = write(tmp_path / "old.parquet", [Capture("https://old.example", time=None)])
    report.write([old], tmp_path / "r.html")
    alone, both = report.summarise([old]), report.summarise([old, scanned(tmp_path)])

    assert "What the web says about use" not in (tmp_path / "r.html").read_text()
    assert ([], []) == (alone.uses, alone.conflicts)
    assert both.contents.files == 6
    assert {sum((each.no, each.mixed, each.yes, each.unsaid)) for each in both.uses} == {5}


@pytest.mark.parametrize("name", ["uses", "licenses"])
def test_columns_of_another_type(name: str, tmp_path: Path) -> None:
    """One that is missing, or holds something else, is named with its file."""
    path = scanned(tmp_path)
    good = pq.read_table(path)
    place = good.schema.get_field_index(name)
    pq.write_table(good.set_column(place, name, pa.array([1.5] * len(good))), path)
    with pytest.raises(InvalidTable, match=f"the column `{name}` of .* holds `double`"):
        report.summarise([path])
    pq.write_table(good.drop_columns([name]), path)
    with pytest.raises(InvalidTable, match=f"no column `{name}`"):
        report.summarise([path])


def test_mechanisms_of_another_hand(tmp_path: Path) -> None:
    """Words that no scan writes are escaped, and what is null counts as silence."""
    path = scanned(tmp_path)
    rows = pq.read_table(path)
    place = rows.schema.get_field_index("uses")
    told = rows["uses"].to_pylist()
    told[0]["search"]["conflicts"] = [{"allows": "<b>", "disallows": None, "crawlers": -1}]
    told[1] = None
    told[2]["search"] = None
    told[3]["search"]["crawl_rules"] = None
    column = pa.array(told, rows.schema.field("uses").type)
    pq.write_table(rows.set_column(place, rows.schema.field("uses"), column), path)
    report.write([path], tmp_path / "r.html")

    assert "<b>" not in (tmp_path / "r.html").read_text().partition("<script")[0]
