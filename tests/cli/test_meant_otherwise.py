"""Words that cannot be meant as they stand: every command refuses them, and none says *allowed*.

In: each command with one option that holds a slip. Out: exit code 2, one error, an empty stdout and
no file that was not there before. A gate that such a slip opens would stay open unseen.
"""

import shlex
from pathlib import Path

import pytest

from .conftest import Run

ASKS: dict[str, tuple[str, ...]] = {
    "check a file": ("check", "--robots", "robots.txt", "--agent={}", "/"),
    "check all dialects": ("check", "--robots", "robots.txt", "--dialect=all", "--agent={}", "/"),
    "check a folder": ("check", "--snapshot", "sites", "--agent={}", "https://a.example/"),
    "check as one of two": ("check", "--robots=robots.txt", "--agent=A", "--agent={}", "/"),
    "agents": ("agents", "robots.txt", "--agent={}"),
    "agents, one of two": ("agents", "robots.txt", "--agent=A", "--agent={}"),
    "diff": ("diff", "robots.txt", "robots.txt", "--agent={}"),
    "diff, one of two": ("diff", "robots.txt", "robots.txt", "--agent=A", "--agent={}"),
    "compare": ("compare", "robots.txt", "--agent={}"),
    "test": ("test", "--record", "--robots=robots.txt", "--agent={}"),
    "filter by token": ("filter", "--snapshot=sites", "--user-agent=A", "--agent={}", "urls.txt"),
    "filter to a file": (
        *("filter", "--snapshot=sites", "--agent={}", "--output=o.csv", "urls.txt"),
    ),
    "filter the network by token": ("filter", "--user-agent=A/1", "--agent={}", "urls.txt"),
    "audit": ("audit", "--robots=robots.txt", "--agent={}", "access.log"),
    "audit, one of two": (
        *("audit", "--robots=robots.txt", "--agent=A", "--agent={}", "access.log"),
    ),
    "scan": ("scan", "captures.csv", "--output=o.parquet", "--agent={}"),
}
"""Each option that takes product tokens."""

ASKS_WITH_STRINGS: dict[str, tuple[str, ...]] = {
    "check the network": ("check", "--user-agent={}", "https://a.invalid/"),
    "filter by snapshot": ("filter", "--snapshot=sites", "--user-agent={}", "urls.txt"),
    "filter the network": ("filter", "--user-agent={}", "urls.txt"),
    "cache refresh": ("cache", "refresh", "--cache=c", "--user-agent={}", "https://a.invalid/"),
}
"""Each option that takes identification strings, too."""

NOBODY = (
    *("", " ", "\t", ",", "A,", ",A", "A,,B", "A, ,B", "GPTBot:", "GPTBot|CCBot", "GPTBot;CCBot"),
    *("GPTBot CCBot", " GPTBot", "GPTBot ", "GPTBot\n", "A\0", "GPTBot*", '"GPTBot"', "a@b", "a=b"),
    *("User-agent: GPTBot", "GPTBot\u00a0", "\u202eGPTBot", "GPT\u200dBot", "GPTBo\u0301t"),
    *("\udcfc", "\ud800"),
)
"""No crawler is called so."""

STRINGS = ("GPTBot/1.2", "Mozilla/5.0 (compatible; GPTBot/1.2)", "/2.1", "(GPTBot)", "/")

NAMELESS = ("/2.1", "(x)", "/", "Mozilla/5.0 (X11; Linux x86_64)", "a,b/1")
"""Identification strings that name no crawler."""

EMPTY = (
    "check --robots= --agent=A https://a.invalid/",
    "check --snapshot= --agent=A https://a.invalid/",
    "check --robots=robots.txt --robots-url= --agent=A /",
    "check --robots=robots.txt --dialect= --agent=A /",
    "check --robots=robots.txt --format= --agent=A /",
    "check --cache= --agent=A https://a.invalid/",
    "check --user-agent= --agent=A https://a.invalid/",
    "check --proxy= --agent=A https://a.invalid/",
    "check --ca-bundle= --agent=A https://a.invalid/",
    "check --connect-to= --agent=A https://a.invalid/",
    "check --robots=robots.txt --agent=A ''",
    "agents ''",
    "agents robots.txt --purpose=",
    "agents robots.txt --dialect=",
    "diff '' robots.txt",
    "diff robots.txt ''",
    "diff robots.txt robots.txt --dialect=",
    "diff robots.txt robots.txt --purpose=",
    "compare ''",
    "compare robots.txt --with=",
    "test ''",
    "test --robots= ok.robots.toml",
    "test --robots=robots.txt --dialect= ok.robots.toml",
    "test --robots=robots.txt --output= ok.robots.toml",
    "filter --snapshot= --agent=A urls.txt",
    "filter --snapshot=sites --agent=A --output= urls.txt",
    "filter --snapshot=sites --agent=A --column= urls.txt",
    "filter --snapshot=sites --agent=A --input-format= urls.txt",
    "filter --snapshot=sites --agent=A --dialect= urls.txt",
    "filter --cache= --agent=A/1 urls.txt",
    "filter --snapshot=sites --agent=A ''",
    "audit --robots= access.log",
    "audit --history= access.log",
    "audit --robots=robots.txt --host= access.log",
    "audit --robots=robots.txt --dialect= access.log",
    "audit --robots=robots.txt --output= access.log",
    "audit --robots=robots.txt --by= access.log",
    "audit --robots=robots.txt ''",
    "scan captures.csv --output=",
    "scan captures.csv --output=o.parquet --records=",
    "scan captures.csv --output=o.parquet --columns=",
    "scan captures.csv --output=o.parquet --dialect=",
    "scan '' --output=o.parquet",
    "report '' --output=o.html",
    "report scan.parquet --output=",
    "report scan.parquet --output=o.html --every=",
    "cache list --cache=",
    "cache show --cache=c ''",
    "cache purge --cache=c --older-than=",
    "cache export --cache=c ''",
)
"""An unset variable of a shell in place of each value."""

UNKNOWN: dict[str, tuple[str, ...]] = {
    "check": ("check", "--robots=robots.txt", "--dialect={}", "--agent=A", "/"),
    "check, one of two": (
        *("check", "--robots=robots.txt", "--dialect=all", "--dialect={}", "--agent=A", "/"),
    ),
    "agents": ("agents", "robots.txt", "--dialect={}"),
    "diff": ("diff", "robots.txt", "robots.txt", "--dialect={}"),
    "compare": ("compare", "robots.txt", "--dialect={}"),
    "compare with": ("compare", "robots.txt", "--with={}"),
    "test": ("test", "--robots=robots.txt", "--dialect={}", "ok.robots.toml"),
    "filter": ("filter", "--snapshot=sites", "--agent=A", "--dialect={}", "urls.txt"),
    "audit": ("audit", "--robots=robots.txt", "--dialect={}", "access.log"),
    "scan": ("scan", "captures.csv", "--output=o.parquet", "--dialect={}"),
    "cache list": ("cache", "list", "--cache=c", "--dialect={}"),
    "cache refresh": ("cache", "refresh", "--all", "--agent=A/1", "--cache=c", "--dialect={}"),
}
"""Each option that names a dialect."""


@pytest.fixture
def inputs(folder: Path) -> Path:
    """Write an input for every command, which is valid for a crawler that exists."""
    (folder / "robots.txt").write_text("User-agent: GPTBot\nDisallow: /\n")
    (folder / "ok.robots.toml").write_text('[[expect]]\nagent = "A"\nurl = "/"\nallowed = true\n')
    (folder / "sites").mkdir()
    (folder / "sites" / "a.example").write_text("User-agent: GPTBot\nDisallow: /\n")
    (folder / "urls.txt").write_text("https://a.example/\n")
    (folder / "captures.csv").write_text("url,body\na.example,User-agent: *\n")
    (folder / "access.log").write_text(
        '192.0.2.1 - - [05/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "GPTBot/1.2"\n'
    )
    return folder


def is_refused(run: Run, folder: Path, words: tuple[str, ...]) -> str:
    """Return what stderr says of words that are refused."""
    before = sorted(folder.rglob("*"))
    done = run(*words)

    assert 2 == done.code, done
    assert "" == done.out
    assert done.err.startswith("error: "), done.err
    assert 1 == done.err.count("error: ")
    assert before == sorted(folder.rglob("*"))
    return done.err


def filled(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    return tuple(each.replace("{}", word) for each in words)


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("word", [*NOBODY, *STRINGS])
def test_nobody_is_called_so(run: Run, inputs: Path, ask: str, word: str) -> None:
    """A crawler that no file can name is asked about nowhere."""
    is_refused(run, inputs, filled(ASKS[ask], word))


@pytest.mark.parametrize("ask", ASKS_WITH_STRINGS)
@pytest.mark.parametrize("word", [*NOBODY, *NAMELESS])
def test_no_string_names_nobody(run: Run, inputs: Path, ask: str, word: str) -> None:
    """An identification string has to name a crawler, and a token to be one."""
    is_refused(run, inputs, filled(ASKS_WITH_STRINGS[ask], word))


@pytest.mark.parametrize("line", EMPTY)
def test_empty_values(run: Run, inputs: Path, line: str) -> None:
    """An empty value is not the same as none."""
    is_refused(run, inputs, tuple(shlex.split(line)))


@pytest.mark.parametrize("ask", UNKNOWN)
@pytest.mark.parametrize("word", ["rfc9039", "RFC9309", " rfc9309", "google,bing", "semrush"])
def test_unknown_dialects(run: Run, inputs: Path, ask: str, word: str) -> None:
    """No file is read in another dialect than was asked for."""
    assert "unknown dialect" in is_refused(run, inputs, filled(UNKNOWN[ask], word))


@pytest.mark.parametrize("ask", ["check a file", "agents", "filter by token", "audit", "scan"])
def test_the_hint_names_the_crawler(run: Run, inputs: Path, ask: str) -> None:
    """What a whole identification string is refused for can be put right at once."""
    words = filled(ASKS[ask], "Mozilla/5.0 (compatible; GPTBot/1.2)")

    assert "hint: pass `GPTBot`\n" in is_refused(run, inputs, words)


@pytest.mark.usefixtures("inputs")
def test_the_gate_of_ci_holds(run: Run) -> None:
    """What the refused words stood for is found: GPTBot fetched what was closed to it."""
    words = filled(ASKS["audit"], "GPTBot")

    assert 1 == run(*words).code
    assert 1 == run(*filled(ASKS["check a file"], "GPTBot")).code


TWICE = {
    "--robots": ("check", "--robots=robots.txt", "--robots=urls.txt", "--agent=A", "/"),
    "--snapshot": ("filter", "--snapshot=sites", "--snapshot=none", "--agent=A", "urls.txt"),
    "--output": ("filter", "--snapshot=sites", "--output=a", "--output=b", "--agent=A", "urls.txt"),
    "--dialect": (
        "audit",
        "--robots=robots.txt",
        "--dialect=bing",
        "--dialect=rfc9309",
        "access.log",
    ),
    "--format": ("agents", "robots.txt", "--format=json", "--format=csv"),
}


@pytest.mark.parametrize("option", TWICE)
def test_an_option_with_one_value_is_given_once(run: Run, inputs: Path, option: str) -> None:
    """The last of several values would count, and nobody would know of the others."""
    assert f"`{option}` is given twice" in is_refused(run, inputs, TWICE[option])


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "--robots", "odd", "access.log"),
        ("audit", "--history", "odd", "access.log"),
        ("agents", "odd"),
    ],
)
def test_a_file_that_is_not_text_is_noted(run: Run, inputs: Path, words: tuple[str, ...]) -> None:
    """It closes nothing, which would pass for a site where nobody did wrong."""
    (inputs / "odd").mkdir() if "--history" in words else None
    path = inputs / "odd" / "2020-01-01.txt" if "--history" in words else inputs / "odd"
    path.write_bytes(bytes(range(1, 256)) * 9)
    done = run(*words)

    assert 0 == done.code
    assert "(not-text)\n" in done.err
    assert "(not-text)" not in run(*words, "--quiet").err


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("command", ["block", "allow"])
@pytest.mark.parametrize("option", ["--agent", "--except"])
def test_a_path_without_its_slash_is_refused(run: Run, command: str, option: str) -> None:
    """`private` beside a crawler may be meant as one more crawler, or as a path."""
    words = (command, "--robots", "robots.txt", "--purpose", "training", option, "CCBot")
    done = run(*words, "private")

    assert (2, "") == (done.code, done.out)
    assert (
        "error: unexpected argument `private`\n"
        f"hint: repeat the option for another value: `{option} CCBot {option} private`; "
        "a path begins with `/`\n"
    ) == done.err
    assert 0 == run(*words, option, "private").code
    assert 0 == run(*words, "--", "/private").code
