"""Words of messages: lists that say how many they leave out."""

import pytest
from hypothesis import given, strategies as st

from verger.untrusted_text import lines_of, listed, printable, shortened, uncapitalized, visible


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, "0"), (2, "0 and 1"), (3, "0, 1 and 2"), (9, "0, 1, 2, 3, 4 and 4 more")],
)
def test_lists(number: int, expected: str) -> None:
    """Long ones say how many they leave out."""
    assert expected == listed([str(each) for each in range(number)])


@pytest.mark.parametrize(
    ("most", "expected"), [(1, "4 more"), (2, "0 and 3 more"), (4, "0, 1, 2 and 3")]
)
def test_a_list_may_be_shorter(most: int, expected: str) -> None:
    """The count of the rest is one of those that are listed."""
    assert expected == listed(range(4), most=most)


@pytest.mark.parametrize(
    ("numbers", "expected"), [([3], "line 3"), ([3, 5, 8], "lines 3, 5 and 8")]
)
def test_lines(numbers: list[int], expected: str) -> None:
    """One line, or several."""
    assert expected == lines_of(numbers)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Invalid value", "invalid value"),
        ("A port is missing", "a port is missing"),
        ("Can't read it", "can't read it"),
        ("IP address mismatch", "IP address mismatch"),
        ("I/O error", "I/O error"),
        ("ValueError", "ValueError"),
        ("UTF-8", "UTF-8"),
        ("", ""),
        (" ", " "),
    ],
)
def test_names_keep_their_capitals(text: str, expected: str) -> None:
    """Only a common word begins in lower case."""
    assert expected == uncapitalized(text)


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
    ("text", "shown"), [("a" * 12, "a" * 12), ("abcdefghijklm", "abcde...jklm")]
)
def test_shortened(text: str, shown: str) -> None:
    """What is too long keeps its two ends."""
    assert shown == shortened(text, 12)


def test_what_is_shortened_is_as_long_with_its_escapes() -> None:
    """A column of a table is not wider for marks that nobody sees."""
    assert 40 == len(visible("\u202e" * 30, 40))
    assert "short" == visible("short", 40)
