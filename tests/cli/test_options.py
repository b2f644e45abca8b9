"""The command line's grammar: options with several values beside URLs."""

import pytest

from verger.cli.exit import Failure
from verger.cli.options import closest, spread

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
