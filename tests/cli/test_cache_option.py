"""`--cache`, wherever it is: a file, `none` for no cache, for a few URLs a server, nothing else."""

from pathlib import Path

import pytest

from cache.conftest import started_redis

from .conftest import Run
from .web import web

AGENT = ("--user-agent", "ExampleBot/1.0 (+https://example.com/bot)")
NOWHERE = ("--connect-to", "::127.0.0.1:1", "--timeout", "300")
FETCHING = {
    "check": ("check", *AGENT, *NOWHERE, "http://a.example/"),
    "agents": ("agents", *NOWHERE, "http://a.example/"),
    "compare": ("compare", *NOWHERE, "http://a.example/"),
    "diff": ("diff", *NOWHERE, "http://a.example/", "urls.txt"),
    "test": ("test", "--record", *NOWHERE, "--robots", "http://a.example/"),
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
WITHOUT = ("check", "agents", "compare", "diff", "test")
"""Commands that go on without a cache that fails."""


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
    assert done.err.startswith("error: this command needs a cache\nhint: ")


@pytest.mark.parametrize("name", USES)
def test_url(name: str, run: Run, folder: Path) -> None:
    """Another URL names no file: no folder `http:` is made, and no password is shown."""
    done = run(*USES[name], "--cache", "http://user:secret@a.example/0")

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith("error: `--cache` is not the URL of a Redis server\nhint: ")
    assert "secret" not in done.err
    assert ["urls.txt"] == [path.name for path in folder.rglob("*")]


WRONG = (
    "redis://user:sec/ret@a.example/0",
    "redis://user:secret@a.example:ret/0",
    "redis://user:1?sec=ret@a.example/0",
)


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("url", WRONG)
def test_wrong_url_of_a_server(name: str, url: str, run: Run) -> None:
    """Whatever is wrong with a URL, its password is not told."""
    done = run(*USES[name], "--cache", url)

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith("error: this is not the URL of a Redis server\nhint: ")
    assert "ret" not in done.err


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("option", ["nonsense=1", "max_connections=-1", "protocol=7"])
def test_wrong_option_of_a_server(name: str, option: str, run: Run, folder: Path) -> None:
    """No command works without the cache that it was given, because its URL has a mistake."""
    done = run(*USES[name], "--cache", f"redis://user:secret@127.0.0.1:1/0?{option}")

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith("error: ")
    assert " option " in done.err
    assert "secret" not in done.err
    assert ["urls.txt"] == [path.name for path in folder.rglob("*")]


@pytest.mark.parametrize("name", WITHOUT)
def test_server_that_is_not_there(name: str, run: Run) -> None:
    """A server that does not answer is done without, as a file that fails; nobody hears of it."""
    done = run(*USES[name], "--cache", "redis://user:secret@127.0.0.1:1/0")

    assert run(*USES[name]).code == done.code
    assert done.err.startswith("note: the cache failed, and is not used: ")
    assert "secret" not in done.err


@pytest.mark.parametrize("name", [name for name in USES if name not in WITHOUT])
def test_server_that_is_needed(name: str, run: Run, folder: Path) -> None:
    """What needs its cache says that the server does not answer, before anything is written."""
    done = run(*USES[name], "--cache", "redis://user:secret@127.0.0.1:1/0")

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith("error: ")
    assert "127.0.0.1:1" in done.err
    assert "secret" not in done.err
    assert ["urls.txt"] == [path.name for path in folder.rglob("*")]


def test_all_commands_share_a_server(run: Run, folder: Path) -> None:
    """What `filter` has fetched, `cache` shows, refreshes, exports and removes."""
    sites = {"a.example": b"User-agent: *\nDisallow: /b\n"}
    with started_redis() as server, web(sites, folder) as stage:
        cache = ("--cache", server.url)
        filtered = run("filter", *AGENT, *stage.options, *cache, "urls.txt")
        listed = run("cache", "list", *cache)
        shown = run("cache", "show", "http://a.example", *cache)
        refreshed = run("cache", "refresh", *AGENT, *stage.options, "--all", *cache)
        exported = run("cache", "export", "--output", "out.parquet", *cache)
        removed = run("cache", "purge", "--all", *cache)

    assert "http://a.example/\n" == filtered.out
    assert "http://a.example" in listed.out
    assert sites["a.example"].decode() == shown.out
    assert "1 fetched: 1 successful\n" == refreshed.err
    assert "1 entry in `out.parquet`\n" == exported.err
    assert "removed 1 entry\n" == removed.err
    assert 2 == len(stage.requests)


def test_server(run: Run, folder: Path) -> None:
    """What one run has fetched stands on the server for the next."""
    sites = {"a.example": b"User-agent: *\nDisallow: /b\n"}
    with started_redis() as server, web(sites, folder) as stage:
        words = ("check", *AGENT, *stage.options, "--cache", server.url)
        codes = [run(*words, "http://a.example/b").code for _ in range(2)]

    assert [1, 1] == codes
    assert 1 == len(stage.requests)
