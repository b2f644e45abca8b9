"""The command line's grammar: an option has one value, and is repeated for another."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from verger.cli.grammar import Parser
from verger.cli.options import file, option, switch
from verger.cli.output import Failure
from verger.untrusted_text import closest

from .conftest import Run


def grammar(type_: Callable[[str], str]) -> Parser:
    """Return a grammar with an option that repeats, beside arguments."""
    options = (
        option("words", nargs="*", type=type_, metavar="WORD"),
        option("--agent", action="append", default=[]),
        switch("-v", help=""),
    )
    text = "usage: verger x\n\nTry it.\n\nexit code:\n  0  done\n"
    return Parser("verger x", text, options)


@pytest.mark.parametrize(
    ("words", "agents", "others"),
    [
        ("--agent A --agent B /x", "A B", "/x"),
        ("--agent A -", "A", "-"),
        ("--agent A https://e.com B", "A", "https://e.com B"),
        ("--agent=A /x --agent B", "A B", "/x"),
        ("/x --agent A -v /y", "A", "/x /y"),
        ("--agent A e.com", "A", "e.com"),
        ("--agent A *.pdf", "A", "*.pdf"),
        ("--agent A -- B", "A", "B"),
        ("--agent A -v B", "A", "B"),
    ],
)
def test_one_value_each(words: str, agents: str, others: str) -> None:
    """The word after a value is an argument."""
    parsed = grammar(str).read(words.split())

    assert (agents.split(), others.split()) == (parsed.agent, parsed.words)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("--agent A B /x", "`--agent A --agent B`"),
        ("--agent=A B /x", "`--agent A --agent B`"),
        ("--agent A *", "`--agent A --agent *`"),
        ("/x --agent A --agent B original-1994", "`--agent B --agent original-1994`"),
    ],
)
@pytest.mark.parametrize("type_", [str, file])
def test_a_second_value_is_refused(type_: Callable[[str], str], words: str, hint: str) -> None:
    """The hint says what to write instead."""
    with pytest.raises(Failure) as caught:
        grammar(type_).read(words.split())

    assert hint in str(caught.value.hint)


def test_a_file_may_follow_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose name looks like a crawler's is a file."""
    monkeypatch.chdir(tmp_path)
    Path("B").touch()

    assert ["B"] == grammar(file).read(["--agent", "A", "B"]).words


@pytest.mark.parametrize("words", ["--agent", "/x --agent", "--agent -v /x"])
def test_an_option_needs_a_value(words: str) -> None:
    """An option without a value is a mistake, whatever follows it."""
    with pytest.raises(Failure, match="`--agent`: expected one argument"):
        grammar(str).read(words.split())


@pytest.mark.parametrize(
    ("word", "near"), [("chekc", "check"), ("CHECK", "check"), ("zzz", None), ("", None)]
)
def test_closest(word: str, near: str | None) -> None:
    """A hint names the word that was meant, or none."""
    assert near == closest(word, ["check", "filter"])


@pytest.mark.parametrize(
    "words",
    [
        ("check", "{}", "--agent=A", "/a"),
        ("block", "{}", "--agent=A", "/a"),
        ("allow", "{}", "--agent=A"),
        ("minimise", "{}"),
        ("audit", "{}", "access.log"),
        ("agents", "{}", "--agent=A"),
        ("compare", "{}", "--with=google"),
    ],
    ids=lambda words: words[0],
)
def test_a_file_is_an_argument_or_an_option(run: Run, folder: Path, words: Sequence[str]) -> None:
    """Of every command that answers from one file, wherever the argument stands."""
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /b\nDisallow: /b/c\n")
    (folder / "access.log").write_bytes(b"")
    told = [
        run(*(word.format(each) for word in words))
        for each in ("robots.txt", "--robots=robots.txt")
    ]

    assert told[0].code != 2, told[0].err
    assert (told[0].code, told[0].out) == (told[1].code, told[1].out)
    assert ("robots.txt" in told[0].err) == ("robots.txt" in told[1].err)
