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
from verger.cli.options import ONE_CRAWLER
from verger.crawlers.survey import Posture
from verger.lint import SEVERITIES
from verger.showing.palette import SEVERITY_COLOURS, STYLES, Palette

from .conftest import Run
from .test_terminal import unpainted


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

    assert {*get_args(Posture)} == tables["verger.cli.commands.agents_output"].keys()
    assert {*SEVERITIES} == SEVERITY_COLOURS.keys()
    for name, table in {**tables, "verger.showing.palette": SEVERITY_COLOURS}.items():
        assert {*table.values()} <= STYLES.keys(), name


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


def test_a_crawler_with_two_tokens(run: Run, tmp_path: Path) -> None:
    """What help, hints and guides say of `a,b` is what the two dialects answer."""
    robots = tmp_path / "robots.txt"
    robots.write_text("User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n")

    def closed(dialect: str) -> list[str]:
        words = ("--robots", str(robots), "--agent", "a,b", "--dialect", dialect)
        return [path for path in ("/a", "/b") if run("check", *words, path).code == 1]

    assert "rfc9309 combines the groups of both" in ONE_CRAWLER
    assert ["/a", "/b"] == closed("rfc9309")
    assert "google takes those of the first that is named" in ONE_CRAWLER
    assert ["/a"] == closed("google")


COLOURED = {
    "check": ("--robots", "robots.txt", "--agent", "A", "https://e.com/all"),
    "agents": ("robots.txt",),
    "compare": ("robots.txt", "--with", "google"),
    "diff": ("robots.txt", "/dev/null"),
}


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize("name", COLOURED)
def test_colour_adds_nothing(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its colours a coloured text is the plain one; NO_COLOR has the last word."""
    plain = run(name, *COLOURED[name])
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run(name, *COLOURED[name]).out
    monkeypatch.setenv("NO_COLOR", "1")

    assert plain == run(name, *COLOURED[name])
    assert plain.out == unpainted(coloured) != coloured
