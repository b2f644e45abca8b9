"""Increments: with the table of an earlier scan, rows are those of a whole scan, byte by byte."""

import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from verger.bulk.scan import Scanner, known as known_module, scan, scan_list
from verger.bulk.scan.known import Known
from verger.errors import InvalidOption

BODIES = [b"User-agent: *\nDisallow: /%d\n" % at + b"# filler\n" * at for at in range(60)]
BODIES += [b"", b"Sitemap: https://a.example/s\n" * 30, b"\xff\xfe\x00", b"Crawl-delay: 5\n"]
BODIES += [b"User-agent: GPTBot\nContent-Signal: ai-train=no\nDisallow: /\n"]


def month(path: Path, seed: int, *, changed: float = 0.1) -> str:
    """Write captures: most bodies are those of any month, and some are in no other one."""
    dice = random.Random(seed)
    rows = []
    for at in range(3_000):
        body: bytes | None = dice.choice(BODIES)
        if dice.random() < changed:
            body = b"User-agent: *\nDisallow: /%d/%d\n" % (seed, at)
        status = dice.choice((200, 200, 200, 200, 404, 301, 503, None))
        url = dice.choice((f"https://h{at}.example", f"https://h{at}.example", "nothing", None))
        rows.append({"url": url, "status": status, "body": dice.choice((body, body, None))})
    kinds = pa.schema([("url", pa.string()), ("status", pa.int32()), ("body", pa.binary())])
    parquet.write_table(pa.Table.from_pylist(rows, kinds), path)
    return str(path)


@pytest.mark.parametrize("fingerprints", [False, True])
@pytest.mark.parametrize("alike", [False, True])
def test_rows_are_those_of_a_whole_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fingerprints: bool, alike: bool
) -> None:
    """Whatever changed meanwhile, and although digests begin alike; one file, or a list."""
    monkeypatch.setattr(known_module, "AT_ONCE", 700)
    if alike:
        same = pa.scalar(7, pa.uint64())
        monkeypatch.setattr(known_module, "_keys", lambda all_: pa.repeat(same, len(all_)))
    old, new = month(tmp_path / "old.parquet", 1), month(tmp_path / "new.parquet", 2)
    may, whole, less, listed = (str(tmp_path / f"{name}.parquet") for name in "abcd")
    scan(old, may, scanner=Scanner(fingerprints=fingerprints))
    scan(new, whole, scanner=Scanner(fingerprints=fingerprints))
    scanner = Scanner(fingerprints=fingerprints, known=may)
    scan(new, less, scanner=scanner)
    scan_list([new], listed, scanner=scanner)

    assert Path(whole).read_bytes() == Path(less).read_bytes()
    assert parquet.read_table(whole).equals(parquet.read_table(listed))


def test_a_table_that_has_nothing_is_one(tmp_path: Path) -> None:
    """Every body is new."""
    empty = {"url": ["https://a.example"], "status": [404], "body": [None]}
    parquet.write_table(pa.table(empty), tmp_path / "none.parquet")
    new, may, less = month(tmp_path / "new.parquet", 2), tmp_path / "a", tmp_path / "b"
    scan(tmp_path / "none.parquet", may)
    scan(new, less, scanner=Scanner(known=may))

    assert parquet.read_table(less).num_rows == 3_000


def test_what_is_known_is_not_read(tmp_path: Path) -> None:
    """The old table has the last word: its rows are taken as they are."""
    url = {"url": ["https://a.example"], "body": [BODIES[3]], "status": [200]}
    captures = pa.table(url)
    parquet.write_table(captures, tmp_path / "new.parquet")
    scan(tmp_path / "new.parquet", tmp_path / "a.parquet")
    old = parquet.read_table(tmp_path / "a.parquet")
    other = old.set_column(
        old.column_names.index("rules"), old.field("rules"), pa.array([77], pa.int32())
    )
    parquet.write_table(other, tmp_path / "b.parquet")

    [rows] = Scanner(known=tmp_path / "b.parquet").scan(captures).rows
    with_records = Scanner(known=tmp_path / "b.parquet").scan(captures, with_records=True)

    assert [77] == rows.column("rules").to_pylist()
    assert [1] == with_records.rows[0].column("rules").to_pylist()


@pytest.mark.parametrize("is_list", [False, True])
def test_many_rows_are_taken_over_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_list: bool
) -> None:
    """A few take as long as many do: there are some 170 columns."""
    may, new = tmp_path / "may.parquet", month(tmp_path / "new.parquet", 1)
    scan(new, may)
    asked: list[int] = []
    rows = Known.rows

    def counted(known: Known, digests: Sequence[bytes | None]) -> object:
        asked.append(len(digests))
        return rows(known, digests)

    monkeypatch.setattr(Known, "rows", counted)
    scanner = Scanner(known=may)
    (scan_list if is_list else scan)([new, new], tmp_path / "a.parquet", scanner=scanner)

    assert (2, 6_000) == (len(asked), sum(asked))


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (Scanner(crawlers=["GPTBot"]), "crawlers"),
        (Scanner(dialect="google"), "dialect"),
        (Scanner(fingerprints=True), "columns"),
    ],
)
def test_the_table_of_another_scan_is_refused(tmp_path: Path, made: Scanner, what: str) -> None:
    """Its rows would be others; so would those of another table."""
    new, may = month(tmp_path / "new.parquet", 2), str(tmp_path / "may.parquet")
    scan(new, may, scanner=made)
    with pytest.raises(InvalidOption, match=f"its {what} differ"):
        Scanner(known=may)
    with pytest.raises(InvalidOption, match="is not the table of such a scan"):
        Scanner(known=new)
