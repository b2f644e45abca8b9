"""URLs in the forms in which people have them, and results as data frames."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import verger
from verger.bulk import decide_stream, decide_table, origins

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

ROBOTS = verger.parse("User-agent: *\nDisallow: /a\nDisallow: /%FF\n")
URLS = ["https://e.example/a", "https://e.example/b"]


@pytest.mark.parametrize(
    "urls",
    [URLS, tuple(URLS), pl.LazyFrame({"url": URLS}), pl.DataFrame({"url": URLS})],
    ids=["list", "tuple", "lazy frame", "frame"],
)
def test_forms_of_urls(urls: object) -> None:
    """A list and a lazy frame give what a table gives."""
    table = decide_table(urls, ROBOTS, "ExampleBot")  # type: ignore[arg-type]

    assert [False, True] == table.to_polars()["allowed"].to_list()
    assert [False, True] == list(table.to_pandas()["allowed"])
    assert 2 == len(decide_stream(urls, ROBOTS, "ExampleBot").read_all())  # type: ignore[arg-type]
    assert ["https://e.example"] * 2 == origins(urls).to_polars()["origin"].to_list()  # type: ignore[arg-type]


def test_list_with_missing_urls_and_bytes_that_are_not_utf_8() -> None:
    """None is null; lone surrogates are the bytes that `decide` takes them for."""
    table = decide_table([None, "/\udcff", "/\ud800", ""], ROBOTS, "ExampleBot")  # type: ignore[list-item]
    reasons = table.to_polars()["reason"].to_list()

    assert "NULL_URL" == reasons[0]
    assert ROBOTS.decide("/\udcff", "ExampleBot").reason == reasons[1]
    assert 0 == len(decide_table([], ROBOTS, "ExampleBot"))


@pytest.mark.parametrize("urls", ["urls.parquet", Path("urls.parquet"), b"urls.parquet"])
def test_path_is_not_a_table(urls: object) -> None:
    """The error says what reads it."""
    with pytest.raises(TypeError, match=r"a path is not opened; read it first.*bulk\.filter"):
        decide_table(urls, ROBOTS, "ExampleBot")  # type: ignore[arg-type]


def test_list_of_other_things_is_refused() -> None:
    """Such as rows."""
    with pytest.raises(TypeError, match="one item is dict"):
        decide_table([{"url": URLS[0]}], ROBOTS, "ExampleBot")  # type: ignore[list-item]
    with pytest.raises(TypeError, match="one item is int"):
        decide_table([0], ROBOTS, "ExampleBot")  # type: ignore[list-item]


def test_path_of_a_snapshot_names_what_reads_it() -> None:
    """And what reads one file."""
    with pytest.raises(TypeError, match=r"verger\.load.*Snapshot\.from_path"):
        decide_table(URLS, "snapshot", "ExampleBot")  # type: ignore[arg-type]


@pytest.mark.parametrize("package", ["polars", "pandas", "pyarrow"])
def test_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of an ImportError of a library."""
    table = decide_table(URLS, ROBOTS, "ExampleBot")
    asked: dict[str, Callable[[], object]] = {
        "polars": table.to_polars,
        "pandas": table.to_pandas,
        "pyarrow": lambda: decide_table(URLS, ROBOTS, "ExampleBot"),
    }
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(verger.MissingExtra, match=f"pip install .*{package}"):
        asked[package]()
