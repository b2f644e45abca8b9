"""`filter_urls`, called by programs: what it refuses before it writes."""

from pathlib import Path
from typing import Any

import pytest

import verger
from verger.bulk.filter import filter_urls


@pytest.mark.parametrize("dialect", ["rfc", "", None, verger.RFC9309.replace(name="mine")])
def test_dialects_have_names(dialect: Any, tmp_path: Path) -> None:
    """A name that is not one of verger's, and a dialect in its place, are told as such."""
    urls, output = tmp_path / "urls.txt", tmp_path / "out.txt"
    urls.write_text("https://example.com/\n")

    with pytest.raises(verger.UnknownName, match="does not name a dialect"):
        filter_urls(
            [str(urls)], tokens=("A",), dialect=dialect, snapshot=str(tmp_path), output=str(output)
        )
    assert not output.exists()


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("out.csv", b"row,input,url,"),
        ("out.jsonl", b'{"schema": "verger.filter/1"'),
        ("out.txt", b"https://example.com/"),
        ("out", b"https://example.com/"),
        ("out.parquet", b"PAR1"),
    ],
)
def test_the_name_of_the_output_tells_the_format(name: str, begins: bytes, tmp_path: Path) -> None:
    """As it does on the command line."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "example.com").write_text("")
    (tmp_path / "urls.txt").write_text("https://example.com/\n")
    output = tmp_path / name
    filter_urls(
        [str(tmp_path / "urls.txt")],
        tokens=("A",),
        snapshot=str(tmp_path / "sites"),
        output=str(output),
    )

    assert output.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("name", "format", "error", "says"),
    [
        ("o.csv", "jsonl", verger.InvalidOption, "is the name of csv, and `format` says jsonl"),
        ("o.html", None, verger.InvalidOption, "cannot write html here"),
        ("o", "xml", verger.UnknownName, "`xml` is not a format"),
    ],
)
def test_formats_that_are_refused(
    name: str, format: Any, error: type[Exception], says: str, tmp_path: Path
) -> None:
    """A name and a format that contradict each other write nothing."""
    with pytest.raises(error, match=says):
        filter_urls(
            [],
            tokens=("A",),
            snapshot=str(tmp_path),
            output=str(tmp_path / name),
            format=format,
        )
    assert [] == list(tmp_path.iterdir())
