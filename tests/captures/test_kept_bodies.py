"""Bodies that tables have kept: what their rows say about them, in every form in which they do.

In: a body, and columns beside it, of every type that programs write. Out: the file, or a body that
is broken, the same from Parquet, CSV, JSON Lines, and from tables in memory.
"""

import bz2
import csv
import gzip
import json
import lzma
from base64 import b64encode
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support import CHECKOUT
from verger import snapshots
from verger.bulk import Snapshot, decide_table
from verger.bulk.scan import Scanner
from verger.captures import tables
from verger.errors import InvalidTable
from verger.fetching.decode import zstd_module

zstd = zstd_module()
FILE = b"User-agent: *\nDisallow: /private\n"
SIZE = len(FILE)
ENOUGH = 512_000
LONG = FILE + b"#" * (ENOUGH - SIZE - 1) + b"\n"
BROKEN, RULES = "BROKEN_BODY", "MOST_SPECIFIC_RULE"

Said = dict[str, Any]
ROWS: list[tuple[Said, bytes, str]] = [
    ({"content_length": SIZE}, FILE, RULES),
    ({"content_length": SIZE + 1}, FILE, BROKEN),
    ({"Content-Length": SIZE + 1}, FILE, BROKEN),
    ({"body_size": SIZE + 1}, FILE, BROKEN),
    ({"content_length": SIZE - 1}, FILE, RULES),
    ({"content_length": 0}, FILE, RULES),
    ({"content_length": -1}, FILE, RULES),
    ({"content_length": None}, FILE, RULES),
    ({"content_length": float(SIZE)}, FILE, RULES),
    ({"content_length": SIZE + 1.0}, FILE, BROKEN),
    ({"content_length": SIZE + 0.5}, FILE, BROKEN),
    ({"content_length": f" {SIZE} "}, FILE, RULES),
    ({"content_length": f"{SIZE + 1}"}, FILE, BROKEN),
    ({"content_length": f"{SIZE}.0"}, FILE, RULES),
    ({"content_length": "nan"}, FILE, RULES),
    ({"content_length": "many"}, FILE, BROKEN),
    ({"content_length": 9 * ENOUGH}, LONG, RULES),
    ({"content_length": 9 * ENOUGH}, LONG[:-1], BROKEN),
    ({"length": SIZE + 1, "size": SIZE + 1}, FILE, RULES),
    ({"truncated": True}, FILE, BROKEN),
    ({"truncated": False}, FILE, RULES),
    ({"truncated": None}, FILE, RULES),
    ({"truncated": "false"}, FILE, RULES),
    ({"truncated": ""}, FILE, RULES),
    ({"truncated": "1"}, FILE, BROKEN),
    ({"truncated": "True"}, LONG, RULES),
    ({"content_truncated": "length"}, FILE, BROKEN),
    ({"content_truncated": "disconnect"}, FILE, BROKEN),
    ({"content_length": SIZE + 20, "content_encoding": "gzip"}, FILE, RULES),
    ({"content_length": SIZE + 20, "content_encoding": "identity"}, FILE, BROKEN),
    ({"content_length": 9_000, "content_encoding": "gzip"}, FILE, BROKEN),
    ({"content_encoding": "compress"}, FILE, BROKEN),
]


def file_of(path: Path, said: Said, body: bytes) -> Path:
    row = {"origin": "https://a.example", "status": 200, **said, "body": body.decode()}
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist([row]), path)
    elif path.suffix == ".jsonl":
        path.write_text(json.dumps(row) + "\n")
    else:
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([list(row), list(row.values())])
    return path


def reason_of(snapshot: Snapshot) -> str:
    rows = pa.table(decide_table(["https://a.example/private"], snapshot, "A")).to_pylist()
    assert rows[0]["allowed"] is False
    return str(rows[0]["reason"])


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.jsonl", "memory", "dictionary"])
@pytest.mark.parametrize(("said", "body", "reason"), ROWS, ids=lambda each: str(each)[:50])
def test_a_row_tells_whether_its_body_is_whole(
    name: str, said: Said, body: bytes, reason: str, tmp_path: Path
) -> None:
    """In every format; in memory without pyarrow's help."""
    if "." in name:
        assert reason == reason_of(snapshots.open(file_of(tmp_path / name, said, body)))
        return
    kind = {"memory": pa.binary(), "dictionary": pa.dictionary(pa.int32(), pa.binary())}[name]
    columns = {"origin": ["https://a.example"], **{key: [value] for key, value in said.items()}}
    table = pa.table({**columns, "body": pa.array([body], pa.binary()).cast(kind)})

    assert reason == reason_of(Snapshot.from_table(table))
    row = Scanner(crawlers=["A"]).scan(table).rows[0].to_pylist()[0]
    assert ("successful" if reason == RULES else "unreachable") == row["access"]


def test_what_is_said_may_be_nothing_that_can_be_read() -> None:
    """A column of another kind is named, in memory and in a file."""
    table = pa.table({"origin": ["a.example"], "body": [b""], "content_length": [[1]]})
    with pytest.raises(InvalidTable, match="the column `content_length` holds"):
        Snapshot.from_table(table)


@pytest.mark.parametrize("status", [404, 503, 204, None])
def test_only_the_body_of_a_success_is_judged(status: int | None) -> None:
    """The error page of a site without a file may be cut off."""
    columns = {"origin": ["a.example"], "body": [b"<p>"], "status": pa.array([status], pa.int32())}
    snapshot = Snapshot.from_table(pa.table({**columns, "content_length": [99]}))
    row = pa.table(decide_table(["https://a.example/"], snapshot, "A")).to_pylist()[0]
    expected = {404: "UNAVAILABLE", 503: "SERVER_ERROR", 204: "NO_GROUP", None: BROKEN}

    assert expected[status] == row["reason"]


def test_packed_bodies_are_unpacked_wherever_they_were_kept(tmp_path: Path) -> None:
    """In tables, mappings and folders, as in fetches and archives; what breaks off is broken."""
    packed = gzip.compress(FILE)
    (tmp_path / "sites").mkdir()
    for body, reason in ((packed, RULES), (packed[:-1], BROKEN), (packed[:12], BROKEN)):
        (tmp_path / "sites" / "a.example").write_bytes(body)
        table = pa.table({"origin": ["https://a.example"], "body": [body]})
        found = {
            reason_of(Snapshot.from_table(table)),
            reason_of(Snapshot({"https://a.example": body})),
            reason_of(Snapshot({"https://a.example": memoryview(body)})),
            reason_of(snapshots.open(tmp_path / "sites")),
        }
        scanned = Scanner(crawlers=["A"]).scan(table).rows[0].to_pylist()[0]

        assert {reason} == found
        assert (FILE if reason == RULES else None) == (scanned["bytes"] and FILE)


@pytest.mark.parametrize(
    "word",
    [
        *("nan", "NaN", " nan\n", "None", "null", "<NA>", "undefined", "(null)", "-"),
        *("b'User-agent: *\\nDisallow: /\\n'", "b''"),
        *("bytearray(b'User-agent: *\\nDisallow: /\\n')", "User-agent: *\\nDisallow: /\\n"),
        *(json.dumps(FILE.decode()), json.dumps([*FILE]), b64encode(FILE).decode()),
        *(f"\\x{FILE.hex()}", f"0x{FILE.hex()}", FILE.hex().upper()),
    ],
)
def test_a_word_for_nothing_is_no_file(word: str, tmp_path: Path) -> None:
    """As pandas writes texts that are missing, and databases octets; bytes with these letters are a
    file."""
    for name in ("t.parquet", "t.csv", "t.jsonl"):
        rows = {"origin": ["https://a.example"], "body": [word], "status": [200]}
        path = file_of(tmp_path / name, {}, word.encode())
        assert BROKEN == reason_of(snapshots.open(path))
    assert BROKEN == reason_of(Snapshot.from_table(pa.table(rows)))
    found = Snapshot.from_table(pa.table({**rows, "body": [word.encode()]}))
    row = pa.table(decide_table(["https://a.example/private"], found, "A")).to_pylist()[0]
    assert row["allowed"] is True


@pytest.mark.parametrize(
    "body",
    [
        *(zstd.compress(FILE), zstd.compress(FILE)[:-4], lzma.compress(FILE), bz2.compress(FILE)),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 30\n",
        b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 9\r\n\r\n",
        bytes(64),
    ],
)
def test_what_holds_a_file_in_another_form_is_none(body: bytes, tmp_path: Path) -> None:
    """Nobody has undone it: what it says is not known."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "a.example").write_bytes(body)
    table = pa.table({"origin": ["https://a.example"], "body": [body]})
    pq.write_table(table, tmp_path / "t.parquet")

    assert BROKEN == reason_of(Snapshot.from_table(table))
    assert BROKEN == reason_of(Snapshot({"https://a.example": body}))
    assert BROKEN == reason_of(snapshots.open(tmp_path / "sites"))
    assert BROKEN == reason_of(snapshots.open(tmp_path / "t.parquet"))


@pytest.mark.parametrize(
    "body", ["Disallow: /", "User-agent: * Disallow: /", '"', "[1]: /x", "no file"]
)
def test_one_line_may_be_a_file(body: str) -> None:
    """That of a site that says little."""
    table = pa.table({"origin": ["https://a.example"], "body": [body], "status": [200]})
    row = pa.table(
        decide_table(["https://a.example/private"], Snapshot.from_table(table), "A")
    ).to_pylist()[0]
    assert row["reason"] != BROKEN


def test_rows_without_doubt_are_not_copied() -> None:
    """The column is the one that came."""
    batch = pa.record_batch({"url": ["a.example"] * 9, "body": [FILE] * 9})
    whole = tables.whole_rows(batch)

    assert whole.column("body").buffers()[2].address == batch.column("body").buffers()[2].address


def test_the_guide_names_what_is_read() -> None:
    page = (CHECKOUT / "docs/guides/scan.md").read_text("utf-8")
    for names in (tables.NAMES[role] for role in tables.BESIDE):
        assert all(f"`{name}`" in page for name in names)
