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
