"""Rows of a site may be anywhere: the output is the same, and each site is asked for once."""

import random
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from verger._core import Dialect
from verger.bulk.filter import decide, reading, run
from verger.bulk.filter.blocks import Block
from verger.bulk.filter.progress import Watcher
from verger.bulk.filter.run import filter_urls
from verger.errors import UnusableOutput
from verger.snapshots.stored import Folder

if TYPE_CHECKING:
    from verger.snapshots.stored import Found

SITES = 60
FORMATS = ("csv", "jsonl", "txt", "parquet")
BOUNDS = {
    (decide, "PARSED_BYTES"): 4_000,
    (decide, "MOST_ENDINGS"): 20,
    (decide, "MOST_SITES"): 50,
    (decide, "AT_ONCE"): 7,
    (run, "STRIDE_ROWS"): 5_000,
}
"""Less room than any input of these tests needs."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lay down a snapshot of some sites, of which some are missing."""
    sites = tmp_path / "sites"
    sites.mkdir()
    for number in range(0, SITES, 2):
        body = f"User-agent: *\nDisallow: /{number % 7}/\nAllow: /{number}\n# {'x' * number * 40}\n"
        (sites / f"s{number}.example").write_text(body)
    return sites


def rows(order: str, count: int = 20_000) -> list[str]:
    found = [f"https://s{n % SITES}.example/{n % 5}/{n}" for n in range(count)]
    found[77::501] = ["rubbish"] * len(found[77::501])
    dice = random.Random(order)
    if order == "sorted":
        found.sort()
    else:
        dice.shuffle(found)
    return found


def write(path: Path, urls: list[str]) -> Path:
    if path.suffix == ".parquet":
        more = pa.array([f"w{number % 9}" for number in range(len(urls))]).dictionary_encode()
        parquet.write_table(pa.table({"word": more, "url": urls}), path, row_group_size=7_001)
    else:
        path.write_text("".join(f"{url}\n" for url in urls))
    return path


def bound(monkeypatch: pytest.MonkeyPatch) -> None:
    for (module, name), value in BOUNDS.items():
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("given", ["txt", "parquet"])
@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_bounds_change_no_byte(
    order: str, written: str, given: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What does not fit in memory is read again, and never answered otherwise."""
    source = write(folder.with_name(f"urls.{given}"), rows(order))
    outputs = []
    for name in ("whole", "bounded"):
        output = folder.with_name(f"{name}.{written}")
        filter_urls(source, tokens="A", crawlers=() if written == "txt" else ("B",),
                    snapshot=folder, output=output)  # fmt: skip
        outputs.append(output.read_bytes())
        bound(monkeypatch)

    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 10_000


@pytest.mark.parametrize("written", FORMATS[:3])
def test_columns_are_read_as_lines_are(written: str, folder: Path) -> None:
    """Rows of Parquet, decided as a column, are those of a text."""
    outputs = []
    for given in ("txt", "parquet"):
        source = write(folder.with_name(f"urls.{given}"), rows("shuffled"))
        output = folder.with_name(f"out.{written}")
        filter_urls(source, tokens="A", snapshot=folder, output=output,
                    columns=None if written == "txt" else "none")  # fmt: skip
        outputs.append(output.read_bytes().replace(str(source).encode(), b"source"))

    assert outputs[0] == outputs[1]


def test_a_row_that_is_no_line_changes_no_other(folder: Path) -> None:
    """Nulls, spaces, control characters and bytes that are not UTF-8 in some blocks of Parquet."""
    urls: list[bytes | None] = [url.encode() for url in rows("shuffled")]
    odd = [
        None,
        b" https://s2.example/5/1 ",
        b"https://s2.example/\x01",
        b"https://s2.example/\xff",
    ]
    urls[9_000:9_004] = odd
    column = pa.array(urls, pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(column), column.buffers())
    found = []
    for array in (text, column):
        source = folder.with_name("urls.parquet")
        parquet.write_table(pa.table({"url": array}), source)
        output = folder.with_name("out.csv")
        filter_urls(source, tokens="A", snapshot=folder, output=output)
        found.append(output.read_bytes())

    assert found[0] == found[1]
    lines = found[0].splitlines()
    assert [b"invalid-row", b"", b"invalid-url", b""] == [
        line.split(b",")[12] for line in lines[9_001:9_005]
    ]


@pytest.mark.parametrize("given", ["txt", "parquet"])
def test_a_site_is_asked_for_once(
    given: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often its rows come, and although its file does not stay in memory."""
    asked: list[str] = []
    find = Folder.find

    def noted(
        self: Folder, origins: Collection[str], dialects: Iterable[Dialect]
    ) -> "Iterator[tuple[str, Found]]":
        asked.extend(origins)
        return find(self, origins, dialects)

    monkeypatch.setattr(Folder, "find", noted)
    bound(monkeypatch)
    monkeypatch.setattr(decide, "MOST_SITES", SITES + 1)
    source = write(folder.with_name(f"urls.{given}"), rows("shuffled"))
    filter_urls(source, tokens="A", snapshot=folder, output=folder.with_name("out.csv"))

    assert sorted(f"https://s{number}.example" for number in range(SITES)) == sorted(asked)


class Ended(Watcher):
    """Ends a run after some blocks, as if it were interrupted."""

    def __init__(self, blocks: int) -> None:
        self.left = blocks

    def finished(self, block: Block) -> None:
        """Count a block."""
        self.left -= bool(block.urls)
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("written", ["parquet", "csv"])
@pytest.mark.parametrize("blocks", [1, 3, 4])
def test_an_interrupted_stride_is_resumed(
    blocks: int, written: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of it that were finished are not decided again."""
    source = write(folder.with_name("urls.parquet"), rows("shuffled"))
    whole, output = (folder.with_name(f"{name}.{written}") for name in ("whole", "out"))
    filter_urls(source, tokens="A", snapshot=folder, output=whole)
    bound(monkeypatch)
    monkeypatch.setattr(reading, "LATER", 1)
    with pytest.raises(KeyboardInterrupt):
        filter_urls(source, tokens="A", snapshot=folder, output=output, watcher=Ended(blocks))
    done = filter_urls(source, tokens="A", snapshot=folder, output=output)

    assert whole.read_bytes() == output.read_bytes()
    assert blocks * 4_096 == done.tally.taken_over


def test_no_room_for_temporary_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that fit neither in memory nor on the disk end the run, which writes nothing."""
    bound(monkeypatch)
    monkeypatch.setenv("TMPDIR", str(folder / "nowhere"))
    source = write(folder.with_name("urls.txt"), rows("shuffled"))
    output = folder.with_name("out.csv")
    with pytest.raises(UnusableOutput, match="cannot write temporary files"):
        filter_urls(source, tokens="A", snapshot=folder, output=output)

    assert not output.exists()
