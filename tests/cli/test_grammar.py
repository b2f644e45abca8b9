"""The command line's grammar: options with several values beside URLs."""

import pytest

from verger.cli.exit import Failure
from verger.cli.grammar import ends_values, spread
from verger.plain import closest

MANY = ("--agent", "--dialect")


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("--agent A B /x", "--agent=A --agent=B /x"),
        ("--agent A -", "--agent=A -"),
        ("--agent A https://e.com B", "--agent=A https://e.com B"),
        (
            "--agent A --dialect x y --format csv /x",
            "--agent=A --dialect=x --dialect=y --format csv /x",
        ),
        ("--agent=A /x --agent B", "--agent=A /x --agent=B"),
        ("/x --agent A -v /y", "/x --agent=A -v /y"),
        ("--robots f --agent A", "--robots f --agent=A"),
    ],
)
def test_values_and_urls_are_told_apart(words: str, read: str) -> None:
    """Behind an option with several values, `-`, paths and what has a scheme are URLs."""
    assert read.split() == list(spread(words.split(), MANY))


def test_an_identification_string_is_a_value() -> None:
    """The URL within a crawler's identification string makes no URL of it."""
    words = ["--agent", "Mozilla/5.0 (compatible; Bot/0.1; +https://e.com/bot)", "/x"]

    assert [f"--agent={words[1]}", "/x"] == list(spread(words, MANY))


@pytest.mark.parametrize(
    ("word", "is_one"),
    [
        ("-", True),
        ("/", True),
        ("https://e.com/", True),
        ("a+b-c.1://e.com/", True),
        ("", False),
        ("Bot", False),
        ("e.com/", False),
        ("1http://e.com/", False),
        ("+https://e.com/", False),
        ("://e.com/", False),
        ("é://e.com/", False),
        ("Bot (+https://e.com/)", False),
    ],
)
def test_form_of_a_url(word: str, *, is_one: bool) -> None:
    """A URL is `-`, a path, or begins with a scheme (RFC 3986 section 3.1) and `://`."""
    assert is_one == ends_values(word)


@pytest.mark.parametrize("words", ["--agent", "--agent --dialect x", "--agent /x", "/x --agent -v"])
def test_an_option_needs_a_value(words: str) -> None:
    """An option without any value is a mistake, whatever follows it."""
    with pytest.raises(Failure, match=r"`--agent` needs at least one value"):
        list(spread(words.split(), MANY))


@pytest.mark.parametrize(
    ("word", "near"), [("chekc", "check"), ("CHECK", "check"), ("zzz", None), ("", None)]
)
def test_closest(word: str, near: str | None) -> None:
    """A hint names the word that was meant, or none."""
    assert near == closest(word, ["check", "filter"])
