"""Lines: cut the same however the bytes of a file arrive, and never longer than they may be."""

import bz2
import gzip
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from verger.errors import InvalidTable
from verger.files.lines import ended_lines_of, is_longer, lines_of, read_bytes

TEXTS = st.text(st.sampled_from('ab,"é\u2028\x85\x0b\r\n\ufeff'), max_size=60)
SIZES = st.integers(1, 9)


def chunks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@given(TEXTS, SIZES)
def test_lines_with_ends(text: str, size: int) -> None:
    """They end at LF, CR LF and CR alone, as those of a text file that Python opens."""
    pieces = ended_lines_of(chunks(text.encode(), size), 99)
    found = [line for piece in pieces for line in piece if line]

    assert list(StringIO(text.removeprefix("\ufeff"), newline="")) == found


@given(TEXTS, SIZES)
def test_lines_without_ends(text: str, size: int) -> None:
    """They end at LF alone."""
    found = [line for piece in lines_of(chunks(text.encode(), size), 99) for line in piece]

    assert text.removeprefix("\ufeff").removesuffix("\n") == "\n".join(found)


@given(st.lists(st.integers(0, 30), max_size=8), SIZES)
def test_long_lines_are_passed_over(lengths: list[int], size: int) -> None:
    """A line beyond the bound is cut and can be told, and reading goes on at the next."""
    data = "".join("x" * length + "\n" for length in lengths).encode()
    found = [line for piece in lines_of(chunks(data, size), 10) for line in piece]

    assert ["x" * min(length, 11) for length in lengths] == found
    assert [length > 10 for length in lengths] == [is_longer(line, 10) for line in found]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("none.csv", None, "no such file: `none.csv`"),
        ("t.csv.gz", b"no gzip", "cannot read `t.csv.gz`: not a gzipped file"),
        ("folder", None, "`folder` is a folder, not a file"),
    ],
)
def test_files_that_cannot_be_read(
    name: str,
    data: bytes | None,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The message names the file."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    if data is not None:
        Path(name).write_bytes(data)

    with pytest.raises(InvalidTable) as caught:
        list(read_bytes(name, what="a table"))
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (bytes(range(256)), "is not text"),
        (bytes(40), "is not text"),
        (b"PAR1" + b"https://a.example/" * 300, "is not text"),
        (b"SQLite format 3\0" + b"a" * 4_096, "is not text"),
        (gzip.compress(b"https://a.example/\n", mtime=0), "is not text"),
        (bz2.compress(b"https://a.example/\n"), "is compressed with bzip2"),
        (b"\xfd7zXZ\0\0" + bytes(9), "is compressed with xz"),
        (b"\x28\xb5\x2f\xfd" + bytes(9), "is compressed with zstd"),
        (b"PK\x03\x04" + bytes(9), "is compressed with zip"),
        ("https://a.example/\n".encode("utf-16"), "is encoded in UTF-16"),
        ("https://a.example/\n".encode("utf-16-be"), "is encoded in UTF-16"),
    ],
    ids=lambda each: repr(each)[:30],
)
def test_files_without_lines(data: bytes, what: str, tmp_path: Path) -> None:
    """They are refused as a whole, with a hint, rather than line by line."""
    path = tmp_path / "file"
    path.write_bytes(data)

    with pytest.raises(InvalidTable, match=f"`.*file` {what}") as caught:
        list(read_bytes(str(path), what="URLs"))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("format", "data", "is_text"),
    [
        ("csv", b"url,body\na.example," + bytes([0, 1, 2, 3]) * 2_000, True),
        ("csv", b"\r\n\nurl,body\ra.example," + bytes([0, 1, 2, 3]) * 2_000, True),
        ("csv", b"url,body," + bytes(40), False),
        ("csv", bytes(9_000), False),
        ("csv", "url,body\na.example,\n".encode("utf-16-le"), False),
        ("jsonl", b'{"body": "' + bytes([0, 1, 2, 3]) * 2_000, True),
        ("jsonl", b'rubbish\n{"body": "' + bytes([0, 1, 2, 3]) * 2_000, True),
        ("jsonl", bytes(9_000), False),
        ("jsonl", bytes(range(256)), False),
        ("jsonl", '{"url": "a.example"}\n'.encode("utf-16-le"), False),
        ("text", b"https://a.example/\n" + bytes([0, 1, 2, 3]) * 2_000, False),
    ],
    ids=lambda each: repr(each)[:30],
)
def test_tables_begin_as_text(format: str, data: bytes, is_text: bool, tmp_path: Path) -> None:
    """What cells hold is not looked at: a stranger wrote it."""
    path = tmp_path / "file"
    path.write_bytes(data)
    if is_text:
        assert data == b"".join(read_bytes(str(path), what="a table", format=format))
        return
    with pytest.raises(InvalidTable, match=r"is not text|is encoded in UTF-16"):
        list(read_bytes(str(path), what="a table", format=format))


PARQUET = b"PAR1" + b"a" * 99
TWICE = gzip.compress(gzip.compress(b"https://a.example/\n", mtime=0), mtime=0)


@pytest.mark.parametrize(
    ("name", "data", "hint"),
    [
        ("a", PARQUET, "it is a Parquet file: give it a name that ends in `.parquet`"),
        ("a.parquet", PARQUET, "it is a Parquet file, and lines of text are read"),
        ("-", PARQUET, "it is a Parquet file: pass the path of the file"),
        (
            "a",
            TWICE,
            "it is compressed: give it a name that ends in `.gz`, or unpack it: `gzip -dc`",
        ),
        ("a.gz", TWICE, "it is compressed twice: unpack it: `gzip -dc`"),
        ("-", TWICE, "it is compressed: pipe it through `gzip -dc`"),
    ],
)
def test_hints_fit_the_input(
    name: str, data: bytes, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No stdin is told to change its name, and no file to take the one that it has."""
    for each in ("a", "a.gz", "a.parquet"):
        (tmp_path / each).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    with Path("a").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with pytest.raises(InvalidTable) as caught:
            list(read_bytes(name, what="URLs"))

    assert hint == caught.value.hint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"https://a.example/\0\nhttps://a.example/\x01\n",
        "https://a.example/\u00fc\n".encode("latin-1"),
        b"\x1b[31mhttps://a.example/private/page\x1b[0m\n" * 9,
    ],
    ids=repr,
)
def test_odd_text(data: bytes, tmp_path: Path) -> None:
    """A few control characters make rows that are refused one by one."""
    path = tmp_path / "file"
    path.write_bytes(data)

    assert data == b"".join(read_bytes(str(path), what="URLs"))


@pytest.mark.parametrize("mark", [b"\xef", b"\xef\xbb", b"\xef\xbb\xbf"])
def test_a_part_of_a_mark_is_a_line(mark: bytes) -> None:
    """Only the whole byte order mark is none."""
    found = [line for piece in lines_of(chunks(mark, 1), 9) for line in piece]

    assert found == ([] if len(mark) == 3 else [mark.decode("utf-8", "surrogateescape")])
