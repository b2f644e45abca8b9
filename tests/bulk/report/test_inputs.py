"""What a report can be made of, what it says of all else, and that nothing is half written."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from programs import printed
from verger.bulk import report
from verger.bulk.report import counting
from verger.errors import InvalidTable, MissingExtra, UnusableOutput

from .scans import Capture, table, write


def refusal(*paths: Path | str) -> str:
    """Return what is said of paths that no report can be made of."""
    with pytest.raises(InvalidTable) as caught:
        report.summarise(paths)
    return caught.value.message


def captures(*paths: Path | str) -> int:
    return report.summarise(paths).captures


def test_folders_patterns_and_files(tmp_path: Path) -> None:
    """A folder stands for the Parquet files below it, a pattern for what it matches, and a file
    that is named twice is read once."""
    below = tmp_path / "scans" / "2026"
    below.mkdir(parents=True)
    one = write(below / "one.parquet", [Capture()])
    write(tmp_path / "scans" / "two.parquet", [Capture()])
    write(below / "_part.parquet", [Capture()])
    (below / "notes.txt").write_text("no table")

    assert 2 == captures(tmp_path / "scans")
    assert 2 == captures(str(tmp_path / "**" / "t*o.parquet"), one)
    assert 1 == captures(one, below, str(below / "o*.parquet"))


def test_records_beside_a_scan_are_left_alone(tmp_path: Path) -> None:
    """`verger scan` may have written a table of records into the same folder."""
    write(tmp_path / "scan.parquet", [Capture()])
    records = pa.table({"line": [1]}).replace_schema_metadata({"verger.schema": "verger.records/1"})
    pq.write_table(records, tmp_path / "records.parquet")
    named = tmp_path / "records.parquet"

    assert 1 == captures(tmp_path)
    assert f"`{named}` holds `verger.records/1`, not `verger.scan/1`" == refusal(named)


def test_other_schema(tmp_path: Path) -> None:
    """A table that says that it is another is refused, and a later version too."""
    path = write(tmp_path / "scan.parquet", [Capture()], verger_schema="verger.scan/2")

    assert f"`{path}` holds `verger.scan/2`, not `verger.scan/1`" == refusal(path)


def test_tables_of_other_tools(tmp_path: Path) -> None:
    """Columns count, not how a tool stores them: no metadata, large text, other units of time."""
    path = tmp_path / "other.parquet"
    plain = table([Capture(posture="none")]).replace_schema_metadata(None)
    for name, kind in {
        "origin": pa.large_string(),
        "time": pa.timestamp("ns"),
        "status": pa.int64(),
        "bytes": pa.int32(),
        "digest": pa.binary(32),
        "posture": pa.large_string(),
    }.items():
        number = plain.schema.get_field_index(name)
        plain = plain.set_column(number, name, plain[name].cast(kind))
    pq.write_table(plain, path)
    summary = report.summarise([path])

    assert 1 == summary.crawlers[0].standings[0]["closed"]
    assert ["2026-03-02"] == [each.label for each in summary.snapshots]


COLUMNS = (
    *("origin", "time", "status", "access", "bytes", "digest", "truncated", "fields", "findings"),
    *("sitemaps", "content_signals", "posture", "crawlers"),
)


@pytest.mark.parametrize("name", COLUMNS)
def test_missing_column(name: str, tmp_path: Path) -> None:
    """The message names the file and the column."""
    path = tmp_path / "scan.parquet"
    pq.write_table(table([Capture()]).drop_columns([name]), path)

    assert f"no column `{name}` in `{path}`" == refusal(path)


@pytest.mark.parametrize("name", COLUMNS)
def test_column_of_another_type(name: str, tmp_path: Path) -> None:
    """The message names the file, the column, and both types."""
    path = tmp_path / "scan.parquet"
    good = table([Capture()])
    number = good.schema.get_field_index(name)
    pq.write_table(good.set_column(number, name, pa.array([1.5])), path)

    assert refusal(path).startswith(f"the column `{name}` of `{path}` holds `double`, not ")


@pytest.mark.parametrize("name", ["origin", "posture"])
def test_names_that_differ_in_case(name: str, tmp_path: Path) -> None:
    """SQL could not tell which column is meant."""
    path = tmp_path / "scan.parquet"
    good = table([Capture()])
    pq.write_table(good.append_column(name.upper(), good[name]), path)

    assert f"several columns `{name}` in `{path}`" == refusal(path)


def test_crawlers_that_differ_in_case(tmp_path: Path) -> None:
    """Product tokens are the same in any case."""
    path = write(tmp_path / "scan.parquet", [Capture()], tokens=("GPTBot", "gptbot"))

    assert refusal(path).startswith(f"the column `crawlers` of `{path}` holds `struct<")


@pytest.mark.parametrize("name", ["origin", "access", "posture"])
def test_text_that_is_not_utf_8(name: str, tmp_path: Path) -> None:
    """Whoever writes Parquet may write it."""
    path = tmp_path / "scan.parquet"
    good = table([Capture()])
    damaged = pa.array([b"\xff\xfe"]).view(pa.string())
    pq.write_table(good.set_column(good.schema.get_field_index(name), name, damaged), path)

    assert refusal(path).startswith(f"cannot read `{path}`: ")


def test_odd_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No name of a file is a pattern, an address or SQL."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "s3:" / "a [0-9]*'\"{x}"
    folder.mkdir(parents=True)
    write(folder / "?.parquet", [Capture()])
    write(tmp_path / "good.parquet", [Capture()]).rename("\udcff.parquet")

    assert 2 == captures("s3:/", "\udcff.parquet")


def test_odd_names_of_crawlers(tmp_path: Path) -> None:
    """A name is a name, whatever SQL would take it for."""
    tokens = ('a"b', "c'd", "*", "select", "\N{BLACK HEART SUIT}")
    path = write(tmp_path / "scan.parquet", [Capture(crawlers={'a"b': "none"})], tokens=tokens)
    crawlers = {each.token: each for each in report.summarise([path]).crawlers}

    assert {*tokens} == {*crawlers}
    assert 1 == crawlers['a"b'].standings[0]["closed"]
    assert 1 == sum(crawlers["*"].standings[0].values())


def test_table_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its numbers would be those of neither table."""
    path = write(tmp_path / "scan.parquet", [Capture()])
    monkeypatch.setattr(counting, "_summary", lambda *_: write(path, [Capture(), Capture()]))

    assert f"`{path}` changed while it was read" == refusal(path)


def test_no_parquet(tmp_path: Path) -> None:
    """Text, nothing, a folder without tables, and a path that leads nowhere."""
    text, empty = tmp_path / "text.parquet", tmp_path / "empty.parquet"
    text.write_text("origin,posture\n")
    empty.touch()
    folder = tmp_path / "folder"
    folder.mkdir()

    assert refusal(text).startswith(f"`{text}` is not a Parquet file: ")
    assert refusal(empty).startswith(f"`{empty}` is not a Parquet file: ")
    assert f"no Parquet file in the folder `{folder}`" == refusal(folder)
    assert "no such file: `nowhere.parquet`" == refusal("nowhere.parquet")
    assert "no file is named like `nowhere/*`" == refusal("nowhere/*")


def test_damaged_table(tmp_path: Path) -> None:
    """Bytes that changed on disk are told of with the name of the file."""
    path = write(tmp_path / "scan.parquet", [Capture(f"https://{n}.example") for n in range(50)])
    data = bytearray(path.read_bytes())
    data[4:1500] = bytes(1496)
    path.write_bytes(data)

    assert refusal(path).startswith(f"cannot read `{path}`: ")


def test_output_is_complete_or_as_it_was(tmp_path: Path) -> None:
    """A report that fails leaves the old page and nothing beside it; one that works replaces it."""
    output = tmp_path / "report.html"
    output.write_text("old")
    bad = tmp_path / "bad.parquet"
    bad.write_text("bad")
    good = write(tmp_path / "good.parquet", [Capture()])

    with pytest.raises(InvalidTable):
        report.write([good, bad], output)

    assert "old" == output.read_text()

    report.write([good], output)

    assert output.read_text().startswith("<!doctype html>")
    assert {"bad.parquet", "good.parquet", "report.html"} == {
        path.name for path in tmp_path.iterdir()
    }


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    """Known before the tables are read; a table is never overwritten by its report."""
    scan = write(tmp_path / "scan.parquet", [Capture()])

    with pytest.raises(UnusableOutput, match="it is a folder"):
        report.write(["nowhere.parquet"], tmp_path)
    with pytest.raises(UnusableOutput, match="there is no folder"):
        report.write(["nowhere.parquet"], tmp_path / "nowhere" / "report.html")
    with pytest.raises(UnusableOutput, match="is both input and output"):
        report.write([scan], scan)


@pytest.mark.parametrize(
    ("tables", "output"),
    [
        ("scans", "scans/new.parquet"),
        ("scans", "scans/old/new.parquet"),
        ("scans/*.parquet", "scans/new.parquet"),
        ("sc*s/s*.parquet", "scans/s2.parquet"),
        ("sc*s", "scans/old/new.parquet"),
        ("scans/**/*.parquet", "scans/old/new.parquet"),
    ],
)
def test_output_that_would_be_read(
    tables: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page is not written where the next run would take it for a table."""
    monkeypatch.chdir(tmp_path)
    Path("scans/old").mkdir(parents=True)
    write(Path("scans/scan.parquet"), [Capture()])

    with pytest.raises(UnusableOutput, match="is where tables are read"):
        report.write([tables], output)
    report.write([tables], "scans/report.html")

    assert not Path(output).exists()


def test_link_stays_a_link(tmp_path: Path) -> None:
    """What a link names is replaced, not the link."""
    link, page = tmp_path / "link.html", tmp_path / "page.html"
    page.touch()
    link.symlink_to(page)
    report.write([write(tmp_path / "scan.parquet", [Capture()])], link)

    assert link.is_symlink()
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("package", ["duckdb", "pyarrow", "vl_convert", "jinja2"])
def test_missing_extra(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a package the error names the extra."""
    gone = (f"{package}.", "verger.bulk.report.")
    for name in [name for name in sys.modules if f"{name}.".startswith(gone)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtra) as caught:
        report.write(["scan.parquet"], tmp_path / "report.html")

    assert MissingExtra.remedy("report") == caught.value.hint


def test_import_brings_in_no_package() -> None:
    """`verger.bulk.report` costs nothing before it is used."""
    script = (
        "import sys, verger.bulk.report\n"
        "print(*{'duckdb', 'pyarrow', 'vl_convert', 'jinja2'} & set(sys.modules))"
    )

    assert "" == printed(script).strip()
