"""Text of strangers, made safe to print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verger.cli.printing import (
    columns,
    row_of,
    totals,
    widths_of,
)
from verger.plain import printable, shortened

ANY = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/plain?a=b", "/plain?a=b"),
        ("/é/日本", "/é/日本"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("\x9b1m", "\\x9b1m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\u2028b", "a\\u2028b"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\x7f\x00", "\\x7f\\x00"),
    ],
)
def test_what_acts_is_shown(text: str, shown: str) -> None:
    """Escapes, controls, turns of direction and invisible characters appear as escapes."""
    assert shown == printable(text)


@given(ANY)
def test_nothing_acts(text: str) -> None:
    """Whatever comes in, only printable characters go out, and they can be encoded."""
    shown = printable(text)

    assert shown.isprintable()
    assert shown.encode().decode() == shown


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


@pytest.mark.parametrize(
    ("text", "shown"), [("a" * 12, "a" * 12), ("abcdefghijklm", "abcde...jklm")]
)
def test_shortened(text: str, shown: str) -> None:
    """What is too long keeps its two ends."""
    assert shown == shortened(text, 12)
