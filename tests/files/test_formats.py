"""What the name of a file says of its format."""

import pytest

from verger.files.formats import format_told, is_packed


@pytest.mark.parametrize(
    ("name", "told", "packed"),
    [
        *((name, None, False) for name in ("csv", "dir.csv/x", "x.", "x.csv.bak", "")),
        ("x.gz", None, True),
        ("urls.txt", "text", False),
        ("a/b.c/x.ndjson", "jsonl", False),
        ("x.CSV.GZ", "csv", True),
        ("x.warc.gz", "warc", True),
    ],
)
def test_names(name: str, told: str | None, packed: bool) -> None:
    """The ending counts, in any case, in front of the one of gzip."""
    assert (told, packed) == (format_told(name), is_packed(name))
