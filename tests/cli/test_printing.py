"""Widths of what is printed: columns of characters, cells of rows, and totals."""

import pytest

from verger.showing.printing import (
    columns,
    row_of,
    totals,
    widths_of,
)


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("é", 1), ("e\u0301", 1), ("日本", 4), ("\x1b[1;31m日\x1b[0m", 2)],
)
def test_columns(text: str, width: int) -> None:
    """East Asian characters take two columns, combining marks and colours none."""
    assert width == columns(text)


def test_rows() -> None:
    """Cells are padded at either side, and totals end in one column."""
    rows = [("日本", "1", "a"), ("b", "\x1b[31m22\x1b[0m", "c")]
    lines = [row_of(cells, [*widths_of(rows)[:2], 0], (True, False, True)) for cells in rows]

    assert lines == ["日本   1  a", "b     \x1b[31m22\x1b[0m  c"]
    counted = [("sites", 1_000, "here"), ("nothing", None, ""), ("time", "2.5 s", "")]
    assert list(totals(counted, width=12)) == ["sites  1,000  here", "time   2.5 s"]
