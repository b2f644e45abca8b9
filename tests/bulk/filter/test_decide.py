"""Properties of the parts of `verger filter`, over anything that may be in an input."""

from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import verger
from verger.access.answer import Question, Unanswered
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.bulk.filter.blocks import NO_ANSWER, Block, by_origin, digest_of
from verger.bulk.filter.columns import COLUMNS
from verger.bulk.filter.decide import BySite, BySnapshot
from verger.bulk.filter.parquet_rows import Parquet
from verger.bulk.filter.reading import blocks_of, inputs_of
from verger.bulk.filter.writing import AllowedUrls, Csv
from verger.client.site import site_after
from verger.files.lines import CHUNK, lines_of
from verger.files.stdio import LONGEST
from verger.snapshots.stored import Stored

PIECES = (
    "http:", "https:", "ftp:", "HTTP:", "x:", "/", "//", "://", "a.example", "A.example", "b", "@",
    ":80", ":443", ":", "?", "#", "\\", " ", "é", "\udcff", "%2f", "[::1]", "..", "",
)  # fmt: skip
ODD_URLS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)


def block_of(urls: list[str]) -> Block:
    return Block("x", range(1, len(urls) + 1), list(urls), {}, size=0)


@given(st.lists(ODD_URLS, max_size=20))
def test_rows_are_grouped_as_one_by_one(urls: list[str]) -> None:
    """That URLs which begin alike are asked about once changes no origin and no problem."""
    block = block_of(urls)
    expected: dict[str, list[int]] = {}
    invalid = set()
    for row, url in enumerate(urls):
        try:
            expected.setdefault(verger.origin(url), []).append(row)
        except verger.InvalidTarget:
            invalid.add(row)
    found = by_origin(block, {})

    assert expected == {name: sorted(rows) for name, rows in found.items()}
    assert invalid == set(block.problems)


@given(st.lists(st.binary(max_size=9).map(lambda raw: raw + b"\n"), max_size=30), st.data())
def test_lines_are_cut_anywhere(lines: list[bytes], data: st.DataObject) -> None:
    """The same lines come out, whatever pieces the bytes arrive in."""
    raw = b"".join(lines)
    places = data.draw(st.lists(st.integers(0, len(raw)), max_size=10))
    borders = [0, *sorted(places), len(raw)]
    chunks = [raw[start:end] for start, end in pairwise(borders) if start < end]
    found = [line for piece in lines_of(iter(chunks), LONGEST) for line in piece]

    assert raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff").split("\n")[:-1] == (found)


@pytest.mark.parametrize("chunk", [1_000, 65_536, CHUNK])
def test_long_lines(chunk: int) -> None:
    """Of a line that is too long the beginning is kept, the same however it arrives."""
    raw = b"a\n" + b"x" * 3_000_000 + b"\nb\n" + b"y" * (1 << 20) + b"\n" + b"z" * 2_000_000
    chunks: Iterator[bytes] = (raw[at : at + chunk] for at in range(0, len(raw), chunk))
    found = [line for piece in lines_of(chunks, LONGEST) for line in piece]

    assert [1, (1 << 20) + 1, 1, 1 << 20, (1 << 20) + 1] == [len(line) for line in found]


def test_blocks_are_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run recognises them, whatever a read of the system gives."""
    path = tmp_path / "urls.txt"
    path.write_text("".join(f"https://a.example/{'x' * (n % 1500)}\n\n" for n in range(9_000)))
    digests = []
    for chunk in (999, 50_000, CHUNK):
        monkeypatch.setattr("verger.files.lines.CHUNK", chunk)
        blocks = blocks_of(inputs_of([str(path)], None), "url", prompt=False)
        digests.append([digest_of(block) for block in blocks])

    assert digests[0] == digests[1] == digests[2]
    assert len(digests[0]) == len(set(digests[0])) > 5


def test_digest_tells_rows_apart() -> None:
    """URLs, their places, and what was refused of them."""
    block = block_of(["a", "b"])
    others = [
        block_of(["a\nb"]),
        block_of(["a", "c"]),
        Block("y", range(1, 3), ["a", "b"], {}, size=0),
    ]
    others.append(Block("x", [1, 3], ["a", "b"], {}, size=0))

    assert 5 == len({digest_of(each) for each in [block, *others]})


RESULTS = [
    AccessResult("https://a.example/robots.txt", 5.0, 200, body=b"User-agent: *\nDisallow: /p\n"),
    *(AccessResult("https://a.example/robots.txt", 5.0, status) for status in (404, 403, 429, 503)),
    AccessResult("https://a.example/robots.txt", 5.0, failure="dns"),
]


FACTS = ("allowed", "reason", "section", "line", "effect")


@pytest.mark.parametrize("dialect", verger.DIALECTS)
@pytest.mark.parametrize("result", RESULTS, ids=lambda each: str(each.status))
def test_rows_say_what_a_client_says(result: AccessResult, dialect: str) -> None:
    """Rows by a snapshot, rows by a client, and `Site.decide` agree."""
    entry = Entry("https://a.example", result)
    site = site_after(entry, Question(("A",), verger.DIALECTS[dialect]))
    urls = [f"https://a.example/{path}" for path in ("p", "q", "robots.txt", "")]
    expected = [
        (each.allowed, each.reason, each.section, each.line, each.access.effect)
        for each in (site.decide(url, now=9.0) for url in urls)
    ]
    online, offline = block_of(urls), block_of(urls)
    online.answers, online.sites = [NO_ANSWER] * len(urls), [""] * len(urls)
    BySite(site, Parquet()).decide([(online, range(len(urls)))])
    snapshot = OneEntry(entry)
    BySnapshot(snapshot, ("A",), verger.DIALECTS[dialect], Parquet()).decide(offline)

    for block in (online, offline):
        said = [dict(zip(COLUMNS[4:], each.text, strict=True)) for each in block.answers]
        assert expected == [tuple(each[name] for name in FACTS) for each in said]
        assert ["https://a.example"] * len(urls) == [*block.sites]
    assert [each.text for each in online.answers] == [each.text for each in offline.answers]


class OneEntry(Stored):
    """A snapshot of one origin."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def find(
        self, origins: Collection[str], dialects: object
    ) -> Iterator[tuple[str, Entry | Unanswered]]:
        del dialects
        unknown = Unanswered("no-file", "")
        for name in origins:
            yield name, self._entry if name == self._entry.origin else unknown


@given(st.lists(ODD_URLS, max_size=20))
def test_rows_have_the_problems_they_have_one_by_one(urls: list[str]) -> None:
    """Rows are refused by a snapshot as `verger.origin` refuses them, and no other row is."""
    expected = {}
    for row, url in enumerate(urls):
        try:
            verger.origin(url)
        except verger.InvalidTarget as error:
            expected[row] = ("invalid-url", error.message)
    block = block_of(urls)
    snapshot = OneEntry(Entry("https://a.example", RESULTS[0]))
    BySnapshot(snapshot, ("A",), verger.RFC9309, AllowedUrls()).decide(block)

    assert expected == {row: (each.kind, each.message) for row, each in block.problems.items()}


def test_counts_of_formats_agree() -> None:
    """The closing table is the same whether URLs or decisions are printed."""
    site = site_after(Entry("https://a.example", RESULTS[0]), Question(("A",), verger.RFC9309))
    urls = [f"https://a.example/{'pq'[number % 2]}/{number}" for number in range(99)]
    counts = []
    for format_ in (AllowedUrls(), Csv()):
        block = block_of([*urls, "rubbish"])
        block.answers, block.sites = [NO_ANSWER] * 100, [""] * 100
        for rows in by_origin(block, {}).values():
            answers = BySite(site, format_)
            answers.decide([(block, rows[:50])])
            answers.decide([(block, rows[50:])])
        format_.finish(block)
        counts.append(block.counts)

    assert counts[0] == counts[1]
    assert {(True, "rules"): 49, (False, "rules"): 50, (None, "invalid-url"): 1} == counts[0]
