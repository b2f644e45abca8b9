"""Words that mean the same in every command: help, the format of an output, strictness, colour."""

import io
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import get_args

import pytest

from verger import cli
from verger.cli.app import COMMANDS, main
from verger.cli.output import STYLES, Palette
from verger.crawlers.survey import Posture
from verger.lint import SEVERITIES

from .conftest import Run


@pytest.mark.parametrize("words", [(), ("help",), ("cache",)])
def test_no_words(run: Run, words: tuple[str, ...]) -> None:
    """Who passes nothing is shown the help."""
    assert run(*words, "--help").out == run(*words).out
    assert (0, "") == (run(*words).code, run(*words).err)


@pytest.mark.parametrize("name", [*COMMANDS, "cache list"])
def test_help_of_a_command(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """`help COMMAND` is `COMMAND --help`."""
    asked = _shown(capsys, "help", *name.split())

    assert asked.startswith(f"usage: verger {name}")
    assert asked == _shown(capsys, *name.split(), "--help")


def test_help_of_help(run: Run) -> None:
    """However often it is asked."""
    assert run("help").out == run(*["help"] * 1_100).out
    assert run("cache").out == run("cache", "help").out


def _shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what is printed; argparse ends the process behind its help."""
    with suppress(SystemExit):
        main(words)
    return capsys.readouterr().out


WRONG = {
    ("filter", "--snapshot=s", "--agent=A", "--output=o.csv", "--format=jsonl", "u"): (
        "`o.csv` is named as csv, but `--format` says jsonl"
    ),
    ("filter", "--snapshot=s", "--agent=A", "--output=o.json", "u"): (
        "cannot write json here: `o.json`"
    ),
    ("filter", "--snapshot=s", "--agent=A", "--output=o.CSV.gz", "--format=text", "u"): (
        "`o.CSV.gz` is named as csv, but `--format` says text"
    ),
    ("audit", "--robots=r", "--output=o.json", "--format=csv", "u"): (
        "`o.json` is named as json, but `--format` says csv"
    ),
    ("audit", "--robots=r", "--output=o.html", "u"): "cannot write html here: `o.html`",
    ("scan", "u", "--output=o.csv"): "`o.csv` is named as csv, but Parquet is written here",
    ("scan", "u", "--output=o", "--records=p.jsonl.gz"): (
        "`p.jsonl.gz` is named as jsonl, but Parquet is written here"
    ),
    ("report", "u", "--output=o.parquet"): (
        "`o.parquet` is named as parquet, but HTML is written here"
    ),
    ("cache", "export", "--cache=r", "--output=o.csv"): (
        "`o.csv` is named as csv, but Parquet is written here"
    ),
}


@pytest.mark.parametrize("words", WRONG)
def test_name_of_another_format(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    """A file is not given the name of a format that it does not have."""
    (folder / "u").write_bytes(b"")
    (folder / "r").write_bytes(b"")
    (folder / "s").mkdir()
    done = run(*words)

    assert (2, "") == (done.code, done.out)
    assert f"error: {WRONG[words]}" == done.err.splitlines()[0]
    assert done.err.splitlines()[1].startswith("hint: ")
    assert ["r", "s", "u"] == sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("url", "codes"), [("http://127.0.0.1:1/", (1, 0)), ("no URL", (2, 2))])
def test_strict_filter(run: Run, url: str, codes: tuple[int, int]) -> None:
    """A site that cannot be reached makes a strict run fail, a row without an answer every run."""
    words = ("filter", "--user-agent", "A/1 (+https://a.example)", "--cache", "none", "--strict")
    done = run(*words, stdin=f"{url}\n".encode())
    lenient = run(*words[:-1], stdin=f"{url}\n".encode())

    assert codes == (done.code, lenient.code)
    assert done.out == lenient.out


@pytest.mark.parametrize(("forced", "painted"), [("0", "a"), ("1", "\x1b[31ma\x1b[0m")])
def test_forced_colour(monkeypatch: pytest.MonkeyPatch, forced: str, painted: str) -> None:
    """FORCE_COLOR=0 turns colour off, any other value on."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", forced)

    assert painted == Palette.of(io.StringIO()).paint("a", "red")


def test_tables_of_colours() -> None:
    """Every table of colours has colours that there are, for every key."""
    names = [each.name for each in walk_packages(cli.__path__, "verger.cli.")]
    tables = {
        name: table for name in names if (table := getattr(import_module(name), "COLOURS", None))
    }

    assert {"verger.cli.commands.agents", "verger.cli.commands.lint_output"} < tables.keys()
    assert {*get_args(Posture)} == tables["verger.cli.commands.agents"].keys()
    assert {*SEVERITIES} == tables["verger.cli.commands.lint_output"].keys()
    for name, table in tables.items():
        assert {*table.values()} <= STYLES.keys(), name


FILES = {
    b"<html><body>": "line 1 of `robots.txt`: the file is HTML",
    b"User-agent: *\nDisallow: /x\n": None,
    "User-agent: *\n".encode("utf-16"): "line 1 of `robots.txt`: the file is UTF-16",
}


@pytest.mark.parametrize("data", FILES)
def test_file_that_is_none(run: Run, folder: Path, data: bytes) -> None:
    """A file that is something else has an answer, and a note beside it."""
    (folder / "robots.txt").write_bytes(data)
    done = run("check", "--robots", "robots.txt", "--agent", "A", "/")
    note = FILES[data]

    assert 0 == done.code
    assert done.err.startswith(f"note: {note}") if note else "" == done.err


HUGE = {
    bytes(600_000): "the file is not text (not-text)",
    b"\n" * 600_000: None,
    b"#" * 600_000: None,
    b"<html>" * 100_000: "the file is HTML or XML, as servers send it",
    "#".encode("utf-16") * 150_000: "the file is UTF-16",
}


@pytest.mark.parametrize("data", HUGE, ids=lambda data: repr(data)[:12])
def test_file_of_one_endless_line(run: Run, folder: Path, data: bytes) -> None:
    """What a file is, is told even if its first line is beyond the limit, so that none is read."""
    (folder / "robots.txt").write_bytes(data)
    is_what = HUGE[data]
    for words in ("check --robots robots.txt --agent A /", "agents robots.txt"):
        done = run(*words.split())
        cut, *more = done.err.splitlines()

        assert (0, is_what is not None) == (done.code, bool(more))
        assert cut.startswith("note: `robots.txt` is cut at ")
        assert all(note.startswith(f"note: line 1 of `robots.txt`: {is_what}") for note in more)
    assert (is_what is not None and "not text" in is_what) == (
        " RT104: " in run("lint", "robots.txt").out
    )


@pytest.mark.parametrize(("number", "rest"), [(4, "1 more such line"), (9, "6 more such lines")])
def test_notes_are_few(number: int, rest: str, run: Run, folder: Path) -> None:
    """However many lines match nobody, few of them are told, and how many there are."""
    (folder / "robots.txt").write_text(
        "User-agent: Mozilla/5.0 (compatible; GPTBot/1.0)\n" * number
    )
    lines = run("check", "--robots", "robots.txt", "--agent", "GPTBot", "/").err.splitlines()

    assert f"note: and {rest}" == lines[-1]
    assert 4 == len(lines)
