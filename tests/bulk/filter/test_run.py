"""`filter_urls`, called by programs: what it refuses before it writes."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import verger
from cache.samples import entry, filled
from verger.bulk.changes import diff_snapshots
from verger.bulk.filter import Network, filter_urls
from verger.bulk.filter.blocks import Block
from verger.bulk.filter.progress import Watcher
from verger.client.network import CONNECTIONS


@pytest.mark.parametrize(
    ("dialect", "error"), [("rfc", verger.UnknownName), ("", verger.UnknownName), (None, TypeError)]
)
def test_a_dialect_is_checked_first(dialect: Any, error: type[Exception], tmp_path: Path) -> None:
    """A name that is not one of verger's is told as such, before anything is written."""
    urls, output = tmp_path / "urls.txt", tmp_path / "out.txt"
    urls.write_text("https://example.com/\n")

    with pytest.raises(error, match="dialect"):
        filter_urls(
            [str(urls)], tokens=("A",), dialect=dialect, snapshot=str(tmp_path), output=str(output)
        )
    assert not output.exists()


@pytest.mark.parametrize(
    "many", [lambda path: path, str, lambda path: [path], lambda path: [str(path)]]
)
def test_one_path_or_several(many: Callable[[Path], Any], tmp_path: Path) -> None:
    """A text or a `Path`, by itself or in a list: no path is read letter by letter."""
    urls, output = tmp_path / "urls.txt", tmp_path / "out.txt"
    urls.write_text("https://example.com/\n")
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "example.com").write_text("")
    done = filter_urls(many(urls), tokens="A", snapshot=tmp_path / "sites", output=output)

    assert done.tally.decided == 1
    assert output.read_text() == urls.read_text()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"inputs": 3}, TypeError, "`inputs` must be a path or a sequence of paths, not int"),
        ({"inputs": [3]}, TypeError, "`inputs` must be a path, or hold paths, not int"),
        ({"tokens": (3,)}, TypeError, "`tokens` must hold product tokens, not int"),
        ({"snapshot": 3}, TypeError, "`snapshot` must be a path"),
        ({"output": None}, TypeError, "`output` must be a path"),
        ({"snapshot": "x", "network": Network()}, verger.InvalidOption, "both a snapshot and"),
        ({}, verger.InvalidOption, "neither a snapshot nor"),
        ({"network": Network()}, verger.MissingUserAgent, "`user_agent` is required"),
    ],
)
def test_what_cannot_be_meant(
    changed: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    """The message names the argument."""
    given: dict[str, Any] = {"inputs": [], "tokens": "A", "output": tmp_path / "out.txt"}

    with pytest.raises(error, match=message):
        filter_urls(**given | changed)


def test_a_network_is_that_of_the_command() -> None:
    """Nothing needs to be given; what is given is given by name, and checked."""
    assert Network().timeout is None  # as without `--timeout`
    assert Network().connections == CONNECTIONS
    with pytest.raises(TypeError):
        Network(None)  # type: ignore[misc]
    for wrong in ({"timeout": 0}, {"connections": 0}, {"connections_per_address": "x"}):
        with pytest.raises(verger.InvalidOption, match=f"`{next(iter(wrong))}` is"):
            Network(**wrong)  # type: ignore[arg-type]


def test_secrets_of_a_network_are_not_in_its_repr() -> None:
    """Tools that show the variables of a traceback print it."""
    fields = {"Authorization": "hush"}
    network = Network(
        proxy="http://user:hush@proxy.example",
        headers=fields,
        origin_headers={"https://a.example": fields},
    )

    assert "hush" not in repr(network)


def test_a_dialect_of_ones_own(tmp_path: Path) -> None:
    """It decides, and what an interrupted run has kept of another with its name is not gone on."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "example.com").write_text("User-agent: *\nAllow: /a\nDisallow: /a\n")
    (tmp_path / "urls.txt").write_text("https://example.com/a\nhttps://example.com/b\n")
    found = {}
    for tie in ("allow", "disallow"):
        mine = verger.RFC9309.replace(name="mine", tie=tie)
        filter_urls(
            [str(tmp_path / "urls.txt")],
            tokens=("A",),
            dialect=mine,
            snapshot=str(tmp_path / "sites"),
            output=str(tmp_path / tie),
        )
        found[tie] = (tmp_path / tie).read_text().split()

    assert found["allow"] == ["https://example.com/a", "https://example.com/b"]
    assert found["disallow"] == ["https://example.com/b"]


def test_a_run_in_another_dialect_of_the_same_name_does_not_go_on(tmp_path: Path) -> None:
    """What an interrupted run has kept was decided otherwise."""
    (tmp_path / "urls.txt").write_text("https://example.com/a\n")
    (tmp_path / "sites").mkdir()
    output = tmp_path / "out.txt"

    class Ended(Exception):
        pass

    class Interrupting(Watcher):
        def finished(self, block: Block) -> None:
            raise Ended(block.number)

    def run(tie: Any, watcher: Watcher | None = None) -> None:
        filter_urls(
            [str(tmp_path / "urls.txt")],
            tokens=("A",),
            dialect=verger.RFC9309.replace(name="mine", tie=tie),
            snapshot=str(tmp_path / "sites"),
            output=str(output),
            watcher=watcher,
        )

    with pytest.raises(Ended):
        run("allow", Interrupting())
    with pytest.raises(verger.UnusableOutput, match="another dialect"):
        run("disallow")
    run("allow")
    assert output.exists()


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("out.csv", b"row,input,url,"),
        ("out.jsonl", b'{"schema": "verger.filter/1"'),
        ("out.txt", b"https://example.com/"),
        ("out", b"https://example.com/"),
        ("out.parquet", b"PAR1"),
    ],
)
def test_the_name_of_the_output_tells_the_format(name: str, begins: bytes, tmp_path: Path) -> None:
    """As it does on the command line."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "example.com").write_text("")
    (tmp_path / "urls.txt").write_text("https://example.com/\n")
    output = tmp_path / name
    filter_urls(
        [str(tmp_path / "urls.txt")],
        tokens=("A",),
        snapshot=str(tmp_path / "sites"),
        output=str(output),
    )

    assert output.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("name", "format", "error", "says"),
    [
        ("o.csv", "jsonl", verger.InvalidOption, "is named as csv, but `format` says jsonl"),
        ("o.html", None, verger.InvalidOption, "cannot write html here"),
        ("o", "xml", verger.UnknownName, "`xml` is not a format"),
    ],
)
def test_formats_that_are_refused(
    name: str, format: Any, error: type[Exception], says: str, tmp_path: Path
) -> None:
    """A name and a format that contradict each other write nothing."""
    with pytest.raises(error, match=says):
        filter_urls(
            [],
            tokens=("A",),
            snapshot=str(tmp_path),
            output=str(tmp_path / name),
            format=format,
        )
    assert [] == list(tmp_path.iterdir())


def test_a_cache_is_read_where_an_event_loop_runs(tmp_path: Path) -> None:
    """As in a notebook: as a snapshot to decide or to compare by, and by a client that fetches."""
    urls, cache = tmp_path / "urls.txt", tmp_path / "cache.sqlite3"
    urls.write_text("https://a.example/\nhttps://a.example/private\n")
    filled(cache, [entry("a", fetched_at=time.time(), body=b"User-agent: *\nDisallow: /private\n")])

    async def notebook() -> list[int]:
        by_snapshot = filter_urls(urls, tokens="A", snapshot=cache, output=tmp_path / "1.txt")
        by_client = filter_urls(
            urls,
            tokens="A",
            user_agent="A",
            network=Network(store=cache),
            output=tmp_path / "2.txt",
        )
        changes = diff_snapshots(cache, cache, tmp_path / "changes.parquet")
        return [by_snapshot.tally.decided, by_client.tally.decided, changes.identical]

    assert asyncio.run(notebook()) == [2, 2, 1]
    assert (tmp_path / "1.txt").read_text() == "https://a.example/\n"
    assert (tmp_path / "2.txt").read_text() == "https://a.example/\n"
