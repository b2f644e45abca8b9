"""What a later snapshot of many sites changes, as a table."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

import verger
from strategies import files
from verger.analysis import diff
from verger.analysis.rules import Change
from verger.bulk.changes import SCHEMA, Comparison, diff_snapshots
from verger.errors import MissingExtra, UnusableOutput
from verger.files.robots_file import LARGEST
from verger.untrusted_text import unicode_text

OLD = {
    "closed.example": b"User-agent: *\nDisallow: /private\n",
    "opened.example": b"User-agent: *\nDisallow: /\n",
    "same.example": b"User-agent: *\nDisallow: /a\n",
    "layout.example": b"User-agent: *\nDisallow: /a\n",
    "php.example": b"User-agent: *\nDisallow: /*.php$\n",
    "gone.example": b"User-agent: *\nDisallow: /a\n",
}
NEW = {
    "closed.example": b"User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n",
    "opened.example": b"User-agent: *\nAllow: /\n",
    "same.example": OLD["same.example"],
    "layout.example": b"# new\nuser-agent: *\ndisallow: /a*\n",
    "php.example": b"User-agent: *\nDisallow: /*.php\n",
    "new.example": b"",
}


def folder(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir()
    for name, body in files.items():
        (path / name).write_bytes(body)
    return path


def table(path: Path, files: dict[str, bytes]) -> Path:
    rows = {"origin": [f"https://{name}" for name in files], "body": list(files.values())}
    pq.write_table(pa.table(rows), path)
    return path


@pytest.fixture(params=["folder", "table"])
def snapshots(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Both snapshots, as folders or as tables."""
    if request.param == "folder":
        return folder(tmp_path / "old", OLD), folder(tmp_path / "new", NEW)
    return table(tmp_path / "old.parquet", OLD), table(tmp_path / "new.parquet", NEW)


def test_each_site_that_changed_has_rows(snapshots: tuple[Path, Path], tmp_path: Path) -> None:
    """A row tells who, how gravely, and a URL that proves it; others are counted."""
    output = tmp_path / "changes.parquet"
    report = diff_snapshots(*snapshots, output)
    rows = pq.read_table(output)

    assert rows.schema.names == SCHEMA.names
    assert rows.schema.metadata == SCHEMA.metadata
    assert [
        (row["origin"], row["severity"], row["agents"], row["purposes"], row["witness"])
        for row in rows.to_pylist()
    ] == [
        ("https://closed.example", "site-closed", ["GPTBot"], ["training"], "/"),
        ("https://opened.example", "site-opened", ["*"], [], "/"),
        ("https://php.example", "closed", ["*"], [], "/.phpz"),
    ]
    assert (report.origins, report.compared, report.unknown) == (7, 5, 2)
    assert (report.identical, report.changed, report.rows) == (1, 3, 3)
    assert report.by_severity == {"site-closed": 1, "site-opened": 1, "closed": 1}


def test_witnesses_differ(snapshots: tuple[Path, Path], tmp_path: Path) -> None:
    """Whoever asks both files about a witness gets two answers."""
    output = tmp_path / "changes.parquet"
    diff_snapshots(*snapshots, output)
    rows = pq.read_table(output).to_pylist()

    assert rows
    for row in rows:
        host = row["origin"].removeprefix("https://")
        for token in row["agents"]:
            before = verger.parse(OLD[host]).allowed(row["witness"], token)
            after = verger.parse(NEW[host]).allowed(row["witness"], token)
            assert (before, after) == (not row["witness_opened"], row["witness_opened"])


def test_crawlers_follow_the_groups_that_their_operator_names(tmp_path: Path) -> None:
    """As in the comparison of two files: Googlebot-Image follows Googlebot, and `*` does not bind
    AdsBot-Google."""
    old, new = b"User-agent: *\nDisallow:\n", b"User-agent: Googlebot\nUser-agent: *\nDisallow: /\n"
    before, after = (
        folder(tmp_path / name, {"a.example": body}) for name, body in (("old", old), ("new", new))
    )
    crawlers = ["Googlebot-Image", "AdsBot-Google", "Other"]
    diff_snapshots(before, after, tmp_path / "c.parquet", crawlers=crawlers)
    rows = pq.read_table(tmp_path / "c.parquet").to_pylist()

    assert [(["Googlebot-Image"], True), (["Other"], False)] == [
        (row["agents"], row["named_after"]) for row in rows
    ]


ASKED = ["*", "GPTBot", "Googlebot", "Googlebot-Image", "AdsBot-Google", "bot", "ExampleBot"]


@given(files, files, st.sampled_from(list(verger.DIALECTS)))
def test_two_snapshots_change_what_two_files_do(old: bytes, new: bytes, dialect: str) -> None:
    """For each crawler as severe, with as many regions, and the same first one and witness."""
    [rows] = Comparison(dialect, ASKED).rows([("https://a.example", old, new)])
    found = diff(
        verger.parse(old, dialect=dialect), verger.parse(new, dialect=dialect), crawlers=ASKED
    )
    of_files = {
        token: (each.severity, *counts(each.changes), *first(each.changes), each.is_exact)
        for each in found.changed
        if each.changes or not each.is_exact
        for token in each.crawlers
    }

    assert of_files == {
        token: (row.severity, row.closed, row.opened, row.region, row.witness, row.is_exact)
        for row in rows
        for token in row.agents
    }


def counts(changes: Sequence[Change]) -> tuple[int, int]:
    opened = sum(change.opened for change in changes)
    return len(changes) - opened, opened


def first(changes: Sequence[Change]) -> tuple[str | None, str | None]:
    if not changes:
        return None, None
    return unicode_text(changes[0].region), unicode_text(changes[0].witness)


def test_an_output_is_not_an_input(tmp_path: Path) -> None:
    """Neither snapshot is overwritten."""
    old, new = table(tmp_path / "old.parquet", OLD), table(tmp_path / "new.parquet", NEW)
    before = new.read_bytes()

    with pytest.raises(UnusableOutput):
        diff_snapshots(old, new, new)

    assert new.read_bytes() == before


def test_a_file_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    """One that is no robots.txt file, by its size, ends no comparison of the others."""
    old, new = folder(tmp_path / "old", OLD), folder(tmp_path / "new", NEW)
    with (new / "same.example").open("wb") as huge:
        huge.truncate(LARGEST + 1)
    report = diff_snapshots(old, new, tmp_path / "changes.parquet", dialect="googlebot-cpp")

    assert (report.origins, report.compared, report.unknown) == (7, 4, 3)


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
from verger.bulk.changes import diff_snapshots
from verger.errors import MissingExtra
print(diff_snapshots("old", "new", "changes.csv").changed)
try:
    diff_snapshots("old", "new", "changes.parquet")
except MissingExtra as error:
    print(error.hint)
"""


def test_only_parquet_needs_an_extra(tmp_path: Path) -> None:
    """Folders are compared by a bare install; for a table in Parquet the error names the extra."""
    folder(tmp_path / "old", OLD)
    folder(tmp_path / "new", NEW)
    command = [sys.executable, "-c", WITHOUT_PYARROW]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, text=True)

    assert done.stdout == f"3\n{MissingExtra.remedy('parquet')}\n"
    assert not (tmp_path / "changes.parquet").exists()


def test_the_bulk_package_does_not_need_it() -> None:
    """Who decides tables does not pay for the analysis."""
    code = "import sys, verger.bulk; print('verger.analysis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert done.stdout == "False\n"
