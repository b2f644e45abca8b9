"""Runs of one kind of octets take a time that grows with their length.

If an expression tried each of their places again, none of these would end.
"""

import pytest

from verger.bulk.audit.run import OBJECT
from verger.fetching.decode import NOT_CUT, UNKNOWN
from verger.lint import formatted, lint

LONG = 300_000


def test_blank_lines_of_a_log() -> None:
    assert OBJECT.search(b"\n" * LONG + b"x") is None
    assert OBJECT.search(b"\n" * LONG + b" [\n {") is not None


@pytest.mark.parametrize("cell", ["-" + " " * LONG + "\n" + " " * LONG + "x", " " * LONG + "x"])
def test_blanks_of_a_cell(cell: str) -> None:
    assert NOT_CUT.fullmatch(cell) is None
    assert UNKNOWN.sub("", cell) == cell


@pytest.mark.parametrize(
    "line",
    [
        b"User-agent: " + b"a" * LONG,
        b"Sitemap: https://e.example/a" + b", " * LONG + b"x",
        b"# " + b"<%{%" * LONG,
        b"# " + b"user-agent:a" * LONG,
    ],
    ids=["name", "commas", "marks", "fields"],
)
def test_a_line_of_a_file(line: bytes) -> None:
    body = line[:LONG] + b"\nUser-agent: *\nDisallow: /\n"

    assert lint(body).body == body
    assert formatted(body).endswith(b"\nUser-agent: *\nDisallow: /\n")
