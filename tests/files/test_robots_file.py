"""What is named as a robots.txt file, and is none."""

from pathlib import Path

import pytest

from verger.dialects import RFC9309
from verger.errors import UnusableInput
from verger.files.robots_file import read_named

ROBOTS = b"User-agent: *\nDisallow: /a\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("seen.csv", b"domain,robots_txt\na.example,\n"),
        ("seen.JSONL", b"{}\n"),
        ("a.warc", b"WARC/1.0\r\n"),
        ("robots.txt", b"PAR1\x00"),
        ("robots.txt", b"SQLite format 3\x00"),
    ],
)
def test_a_snapshot_of_many_sites(folder: Path, name: str, body: bytes) -> None:
    """Is refused: as a robots.txt file, its lines would close nothing to anybody."""
    (folder / name).write_bytes(body)

    with pytest.raises(UnusableInput, match=f"`{name}` is not one file, but a snapshot") as raised:
        read_named(name, [RFC9309])
    assert f"--snapshot {name}" in str(raised.value.hint)


@pytest.mark.parametrize("name", ["robots.txt", "robots", "robots.json", "robots.html", "csv"])
def test_one_file(folder: Path, name: str) -> None:
    (folder / name).write_bytes(ROBOTS)

    assert ROBOTS == read_named(name, [RFC9309])
