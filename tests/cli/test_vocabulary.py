"""The words of the options mean the same in every command.

`--quiet`, `jsonl` and `json`, `--purpose`, and `--robots` with a URL.
"""

import json

import pyarrow.parquet as pq
import pytest
from tools import command_tree as tree

from verger.crawlers import CRAWLERS

from .conftest import Run
from .test_outputs import USES, stage, words_of

__all__ = ["stage"]

CALM = ("completion", "lsp", "mcp")
"""Commands that have nothing to say on stderr."""

# What is said


@pytest.mark.parametrize(
    "name", [name for name in USES if name not in CALM and "nothing" not in USES[name].words]
)
def test_quiet(name: str, run: Run) -> None:
    """With `--quiet` stderr has errors alone, and the answers are the same."""
    words = words_of(USES[name], "out/o")
    loud, quiet = run(*words), run(*words, "--quiet")

    assert loud.code == quiet.code
    assert "" == quiet.err or quiet.err.startswith("error: ")
    if not name.startswith("cache "):  # which say how long ago
        assert loud.out == quiet.out


def test_every_command_can_be_quiet() -> None:
    """One word for it, with one meaning."""
    for command in tree.commands():
        names = {name for option in command.options for name in option.option_strings}
        helps = {option.help for option in command.options if option.dest == "quiet"}

        if command.grammar is not None and command.name not in CALM:
            assert "--quiet" in names, command.name
            assert {"no progress, no notes, no closing lines on stderr"} == helps


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--robots=robots.txt", "--agent=A", "--agent=B", "/"),
        ("cache", "list", "--cache=c.sqlite"),
        ("filter", "--snapshot=sites", "--agent=A", "u.txt"),
    ],
)
def test_json_lines(run: Run, words: tuple[str, ...]) -> None:
    """`jsonl` is an object a line, and `json` is nothing where there are many."""
    lines = run(*words, "--format=jsonl").out.splitlines()

    assert 2 <= len(lines)
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert run(*words, "--format=json").err.startswith("error: unknown format `json`\n")


@pytest.mark.parametrize(
    "words",
    [
        ("agents", "robots.txt"),
        ("block", "--robots=robots.txt", "--agent=A"),
        ("allow", "--robots=robots.txt", "--agent=A"),
        ("minimise", "--robots=robots.txt"),
        ("audit", "--robots=robots.txt", "access.log"),
        ("cache", "show", "--cache=c.sqlite", "https://example.com"),
    ],
)
def test_json(run: Run, words: tuple[str, ...]) -> None:
    """`json` is one document."""
    assert isinstance(json.loads(run(*words, "--format=json").out), dict)
    assert run(*words, "--format=jsonl").err.startswith("error: unknown format `jsonl`\n")


# Who is meant


TRAINING = [each.token for each in CRAWLERS if "training" in each.purposes and not each.is_hearsay]


def test_check_by_purpose(run: Run) -> None:
    """A purpose stands for its crawlers in the registry, behind those that are named."""
    words = ("--agent", "A", "--purpose", "training", "--format", "csv", "/private")
    rows = run("check", "--robots", "robots.txt", *words).out.splitlines()[1:]

    assert "GPTBot" in TRAINING
    assert ["A", *TRAINING] == [row.split(",")[1] for row in rows]


def test_audit_by_purpose(run: Run) -> None:
    """Of GPTBot a log tells where training is asked for, and not where search is."""
    words = ("audit", "--robots", "robots.txt", "access.log", "--purpose")

    assert 1 == run(*words, "training").code
    assert 0 == run(*words, "search").code


def test_scan_by_purpose(run: Run) -> None:
    """Each crawler for a purpose gets a column."""
    run("scan", "a.warc.gz", "--output", "o.parquet", "--purpose", "training", "--agent", "A")
    columns = pq.read_schema("o.parquet").field("crawlers").type

    assert ["A", *TRAINING] == [field.name for field in columns]


# A file at a URL


# What help says


SENTENCES = {
    "--robots": "the robots.txt file",
    "--agent": "the product token of ",
    "--snapshot": "answer without a network, from many files: ",
    "--output": "",
    "--user-agent": "the identification string that requests carry",
    "--quiet": "no progress, no notes, no closing lines on stderr",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_one_sentence_and_one_metavar(name: str) -> None:
    """An option is explained in the same words everywhere, and its value has one name."""
    options = [
        option
        for command in tree.commands()
        for option in command.options
        if name in option.option_strings
    ]

    assert len(options) > 1
    assert len({option.metavar for option in options}) == 1
    assert all((option.help or "").startswith(SENTENCES[name]) for option in options)


def test_exit_codes_of_help() -> None:
    """Every command can be interrupted, and its help says so."""
    for command in tree.commands():
        if command.grammar is not None:
            assert "\n  130  interrupted" in (command.grammar.epilog or ""), command.name
