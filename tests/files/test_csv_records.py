"""CSV: a record that cannot be read costs no other, and nothing in it becomes one."""

import csv
import tracemalloc
from collections.abc import Iterator
from io import StringIO

import pytest
from hypothesis import given, strategies as st

from files.test_lines import SIZES, chunks
from steps import steps_of
from verger.files.csv_records import MOST_FIELDS, CsvLines, read_records

LONGEST = 6
"""Bytes of a line, and characters of a field."""
LONG = "x" * 9

TEXTS = st.lists(st.sampled_from(["a", "b", ",", '"', '""', ',"', '",', "\n", "\r\n", LONG]))

SKIPS = {
    "rows in a field that is too long": ('a,"' + "x\n" * 5 + 'b,c\n"\nd,e\n', [1]),
    "rows behind a line that is too long": (f'a,"{LONG}\nb,c\n",d\ne,f\n', [1]),
    "quotes that open behind the bound": (f'a,{LONG},"\nb,c\n",d\ne,f\n', [1]),
    "quotes that are doubled behind the bound": (f'a,"{LONG}"",""\nb,c\n"\ne,f\n', [1]),
    "a second line that is too long": (f'a,"{LONG}\n{LONG}\nb,c\n"\ne,f\n', [1]),
    "quotes inside a plain field": (f'a,x"{LONG}\nb,c\n', [1]),
    "quotes that never end": (f'a,b\nc,"{LONG}\nd,e\nf,g\n', [2]),
    "quotes that the end of the file cuts off": ('a,b\nc,"d', [2]),
    "quotes that the end of a line cuts off": ('a,b\nc,"d\n', [2]),
    "text behind quotes": ('a,b\n"c"d,e\nf,g\n', [2]),
    "a line behind text behind quotes": ('a,b\n"c"d,"\ne"\nf,g\n', [2]),
    "lines without end": ('a,"' + "\n" * (LONGEST * MOST_FIELDS) + '"\nb,c\n', [1]),
}
"""Texts, and the lines of the records that are skipped."""


def read(text: str, size: int = 4) -> list[tuple[int, list[str], str]]:
    """Read text that comes in pieces of so many bytes."""
    return list(read_records(CsvLines(chunks(text.encode(), size), LONGEST)))


def whole(text: str) -> list[list[str]]:
    """Return the records that a reader without bounds finds."""
    csv.field_size_limit(1 << 30)
    return [record for record in csv.reader(StringIO(text, newline="")) if record]


@pytest.mark.parametrize(("text", "lines"), SKIPS.values(), ids=SKIPS)
def test_what_stands_in_a_cell_is_no_record(text: str, lines: list[int]) -> None:
    """One record that cannot be read is one skip; reading goes on where it really ends."""
    found = read(text)

    assert lines == [number for number, _, problem in found if problem]
    assert len(whole(text)) == len(found)


@given(TEXTS.map("".join), SIZES)
def test_records_are_those_of_a_reader_without_bounds(text: str, size: int) -> None:
    """Each is there once: with the same fields, or with what is wrong."""
    found = read(text, size)
    expected = whole(text)

    assert len(expected) == len(found)
    for wanted, (_, fields, problem) in zip(expected, found, strict=True):
        assert not fields if problem else wanted == fields


def test_the_reason_tells_of_quotes_that_never_end() -> None:
    """Everything behind them is lost, and somebody has to find them."""
    assert "the line has more than 6 bytes, and its quotes never end" == read(f'a,"{LONG}\nb')[0][2]


@pytest.mark.parametrize("piece", [b'"', b",", b'"",', b',"', b"x", b'",""'])
def test_a_record_is_skipped_in_linear_steps(piece: bytes) -> None:
    """Whatever it is made of: four times the bytes take about four times the steps."""

    def data(size: int) -> Iterator[bytes]:
        yield b'a,"' + b"x" * 1_001
        for _ in range(size):
            yield piece * 1_000

    def steps(size: int) -> int:
        return steps_of(lambda: list(read_records(CsvLines(data(size), 1_000))))

    assert steps(800) < 4.5 * steps(200)


def test_other_readers_of_csv_keep_their_limit() -> None:
    """The limit of the standard library is one for the whole process: it never becomes smaller."""
    before = csv.field_size_limit(1 << 20)
    try:
        found = read('a,b\n"x\nxx\nxx\n",d\ne,f\n')
        assert 1 << 20 == csv.field_size_limit()
    finally:
        csv.field_size_limit(before)

    assert [(1, ["a", "b"], ""), (2, [], "a field has more than 6 characters")] == found[:2]
    assert [(6, ["e", "f"], "")] == found[2:]


@pytest.mark.parametrize("piece", [b"\n", b"Disallow: /private\n", b"x", b'""\n', b'"",""\n'])
def test_quotes_that_never_end_take_bounded_memory(piece: bytes) -> None:
    """However much follows them, and however short the lines are that it comes in."""
    longest, size = 1 << 11, 1 << 18 if b"\n" in piece else 8 << 20

    def data() -> Iterator[bytes]:
        yield b'a,b\nc,"'
        for _ in range(size // (len(piece) * 1_000)):
            yield piece * 1_000

    tracemalloc.start()
    found = list(read_records(CsvLines(data(), longest)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (["a", "b"], [1, 2]) == (found[0][1], [number for number, _, _ in found])
    assert found[1][2].endswith(", and its quotes never end")
    # A tenth of it is the reader; what threads of earlier tests do meanwhile counts, too.
    assert peak < 1 << 20


@given(TEXTS.map("".join), SIZES)
def test_a_field_that_goes_on_is_stopped(text: str, size: int) -> None:
    """What was looked at and forgotten of a long field does not change where its record ends."""
    start = 'a,"' + "x\n" * (2 * LONGEST)
    found = read(start + text, size)

    assert len(whole(start + text)) == len(found)
    assert not found[0][1]
