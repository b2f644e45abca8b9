"""`--cache`, wherever it is: a file, `none` for no cache, nothing else."""

from pathlib import Path

import pytest

from .conftest import Run

AGENT = ("--user-agent", "ExampleBot/1.0 (+https://example.com/bot)")
NOWHERE = ("--connect-to", "::127.0.0.1:1", "--timeout", "5")
FETCHING = {
    "check": ("check", *AGENT, *NOWHERE, "http://a.example/"),
    "agents": ("agents", *NOWHERE, "http://a.example/"),
    "filter": ("filter", *AGENT, *NOWHERE, "--format", "csv", "urls.txt"),
}
LOOKING = {
    "list": ("cache", "list"),
    "show": ("cache", "show", "http://a.example"),
    "refresh": ("cache", "refresh", *AGENT, "--all"),
    "export": ("cache", "export", "--output", "out.parquet"),
    "purge": ("cache", "purge", "--all"),
}
USES = FETCHING | LOOKING


@pytest.fixture(autouse=True)
def urls(folder: Path) -> None:
    """Lay down what `verger filter` reads."""
    (folder / "urls.txt").write_bytes(b"http://a.example/\n")


@pytest.mark.parametrize("name", FETCHING)
def test_no_cache(name: str, run: Run, folder: Path) -> None:
    """With `none` nothing is kept, also where a command has a cache of its own."""
    command, *rest = FETCHING[name]
    run(command, "--cache", "none", *rest)

    assert ["urls.txt"] == [path.name for path in folder.rglob("*")]


@pytest.mark.parametrize("name", FETCHING)
def test_file_of_that_name(name: str, run: Run, folder: Path) -> None:
    """`./none` is a file like any other."""
    command, *rest = FETCHING[name]
    run(command, "--cache", "./none", *rest)

    assert (folder / "none").read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.parametrize("name", LOOKING)
def test_nothing_to_look_into(name: str, run: Run) -> None:
    """What looks into a cache needs one."""
    done = run(*LOOKING[name], "--cache", "none")

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith("error: there is nothing to look into without a cache\nhint: ")


@pytest.mark.parametrize("name", USES)
def test_url(name: str, run: Run, folder: Path) -> None:
    """A URL names no file: no folder `redis:` is made, and no password is shown."""
    done = run(*USES[name], "--cache", "redis://user:secret@a.example/0")

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith("error: `--cache` is a URL, and a cache is a file\nhint: ")
    assert "secret" not in done.err
    assert ["urls.txt"] == [path.name for path in folder.rglob("*")]
