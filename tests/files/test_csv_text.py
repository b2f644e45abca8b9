"""CSV that is written: fields come back, and none is run by a spreadsheet."""

import csv
from io import StringIO

import pytest
from hypothesis import given, strategies as st

from verger.files.csv_text import Value, record


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=2))
def test_fields_survive(fields: list[str]) -> None:
    """The standard library's reader gets every field back, but for one apostrophe in front."""
    (cells,) = csv.reader(StringIO(record(fields) + "\n", newline=""))

    assert fields == [cell.removeprefix("'") for cell in cells]


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_no_text_is_a_formula(text: str) -> None:
    """Whatever the text, no spreadsheet runs the cell."""
    ((cell, _),) = csv.reader(StringIO(record([text, 1]) + "\n", newline=""))

    assert cell[0] not in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(1,2)", '"\'@SUM(1,2)"'),
        ("\t=1", "'\t=1"),
        ("\r=1", '"\'\r=1"'),
        ("\uff1d1", "'\uff1d1"),
        ("'quoted", "''quoted"),
        ("a=1", "a=1"),
        ("", ""),
        (-1, "-1"),
        (-1.5, "-1.5"),
        (True, "true"),
        (None, ""),
    ],
)
def test_formulas_are_guarded(value: Value, cell: str) -> None:
    """Text that a spreadsheet would run gets an apostrophe; numbers stay numbers."""
    assert f"{cell},x" == record([value, "x"])
