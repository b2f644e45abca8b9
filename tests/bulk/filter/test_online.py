"""`verger filter` over a network: a server on this machine stands for all origins."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bulk.filter.server import AGENT, Server, serving
from cli.conftest import Run, folder, objects, run
from cli.console import environment
from patience import LONG, until
from verger.bulk.filter import fetch_pool
from verger.bulk.filter.blocks import Block
from verger.bulk.filter.progress import Streamed

__all__ = ["folder", "run"]


@pytest.fixture
def server() -> Iterator[Server]:
    """Serve until the test ends."""
    with serving() as server:
        server.release()
        yield server


@pytest.fixture(autouse=True)
def cache_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see the cache of whoever runs it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))


def lines(*urls: str) -> bytes:
    return "".join(f"{url}\n" for url in urls).encode()


def test_decisions(server: Server, run: Run) -> None:
    """Every access result has its effect, its status and its reason."""
    hosts = ("open", "closed", "gone", "broken", "cut")
    urls = [f"http://{host}.example/private" for host in hosts] + ["http://open.example/"]
    done = run("filter", *server.options, "--format", "jsonl", stdin=lines(*urls))

    assert [
        (False, "MOST_SPECIFIC_RULE", "rules", 200, None),
        (False, "MOST_SPECIFIC_RULE", "rules", 200, None),
        (True, "UNAVAILABLE", "allow_all", 404, None),
        (False, "SERVER_ERROR", "disallow_all", 503, None),
        (False, "NETWORK_ERROR", "disallow_all", None, "reset"),
        (True, "NO_MATCHING_RULE", "rules", 200, None),
    ] == [
        tuple(each[name] for name in ("allowed", "reason", "effect", "status", "failure"))
        for each in objects(done)
    ]
    assert {AGENT} == server.agents


def test_each_origin_is_asked_once(server: Server, run: Run) -> None:
    """However many rows and blocks it has; a host with a third of all rows is not an exception."""
    urls = [f"http://h{n % 50}.example/{n}" for n in range(20_000)]
    urls += [f"http://big.example/{n}" for n in range(10_000)]
    done = run("filter", *server.options, stdin=lines(*urls))

    assert lines(*urls) == done.data
    assert {1} == set(server.asked.values())
    assert 51 == len(server.asked)
    assert "fetched                51  robots.txt files" in done.err.splitlines()


@pytest.mark.parametrize("name", ["out", "out.txt"])
def test_same_output_as_from_a_snapshot(name: str, server: Server, run: Run, folder: Path) -> None:
    """The network changes the time it takes, and the status that it knows."""
    urls = [f"http://h{n % 40}.example/{'private' if n % 3 else 'x'}/{n}" for n in range(9_000)]
    (folder / "urls.txt").write_bytes(lines(*urls, "rubbish"))
    (folder / "sites").mkdir()
    for n in range(40):
        (folder / "sites" / f"h{n}.example").write_bytes(b"User-agent: *\nDisallow: /private\n")
    run("filter", *server.options, "urls.txt", "--format", "text", "--output", f"net-{name}")
    run(
        "filter", "--snapshot", "sites", "--agent", "ExampleBot", "urls.txt", "--format", "text",
        "--output", name,
    )  # fmt: skip

    assert Path(name).read_bytes() == Path(f"net-{name}").read_bytes()


def test_slow_origin_holds_nothing_but_its_rows(server: Server, folder: Path) -> None:
    """`--unordered` prints what is decided while a host does not answer; order costs waiting."""
    urls = ["http://held.example/", *(f"http://h{n % 20}.example/{n}" for n in range(30_000))]
    (folder / "urls.txt").write_bytes(lines(*urls))
    server.hold()
    command = [sys.executable, "-m", "verger", "filter", *server.options, "--unordered"]
    with subprocess.Popen(
        [*command, "urls.txt"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        early = [process.stdout.readline() for _ in range(30_001 - 4_096)]
        server.release()
        late = process.stdout.read().splitlines(keepends=True)

        assert 0 == process.wait(timeout=LONG)
    assert lines(urls[0]) not in early
    assert lines(urls[0]) in late
    assert sorted(urls) == sorted(line.decode().strip() for line in early + late)


def test_order_is_kept_behind_a_slow_origin(server: Server, folder: Path) -> None:
    """Blocks that are finished while the first is not wait for it."""
    urls = ["http://held.example/", *(f"http://h{n // 3_000}.example/{n}" for n in range(30_000))]
    (folder / "urls.txt").write_bytes(lines(*urls))
    server.hold()
    with subprocess.Popen(
        [sys.executable, "-m", "verger", "filter", *server.options, "--quiet", "urls.txt"],
        env=environment(),
        stdout=subprocess.PIPE,
    ) as process:
        until(lambda: "h9.example" in server.asked)
        server.release()

        assert process.stdout is not None
        assert lines(*urls) == process.stdout.read()
        assert 0 == process.wait(timeout=LONG)


def test_order_is_kept_where_there_is_little_room(
    server: Server, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading pauses and goes on, however little may wait."""
    monkeypatch.setattr(fetch_pool, "UNDECIDED_ROWS", 100)
    monkeypatch.setattr(fetch_pool, "OPEN_ROWS", 10_000)
    urls = [f"http://h{n % 700}.example/{n}" for n in range(30_000)]
    done = run("filter", *server.options, "--connections", "7", stdin=lines(*urls))

    assert lines(*urls) == done.data


def test_rows_that_wait_for_a_slow_origin_stop_the_reading(
    server: Server, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many come after it, few bytes wait, and all are written in order."""
    monkeypatch.setattr(fetch_pool, "WAITING_BYTES", 200_000)
    most = 0
    put = Streamed.put

    def measured(window: Streamed, block: Block, data: bytes) -> None:
        nonlocal most
        put(window, block, data)
        most = max(most, window.waiting)
        if window.waiting >= 200_000:
            server.release()

    monkeypatch.setattr(Streamed, "put", measured)
    server.hold()
    urls = ["http://held.example/", *(f"http://h{n % 20}.example/{n}" for n in range(60_000))]
    done = run("filter", *server.options, stdin=lines(*urls))

    assert lines(*urls) == done.data
    assert 200_000 <= most < 800_000


def test_cache_answers_the_second_run(server: Server, run: Run, folder: Path) -> None:
    """What is fresh is not fetched again; the usual cache is used where none is named."""
    options = server.options[:-2]
    for words in ((), ("--cache", "files.sqlite3")):
        server.asked.clear()
        first = run("filter", *options, *words, stdin=lines("http://h1.example/a"))
        second = run("filter", *options, *words, stdin=lines("http://h1.example/a"))

        assert first.data == second.data == lines("http://h1.example/a")
        assert {"h1.example": 1} == server.asked
        assert "fetched                 0  robots.txt files" in second.err.splitlines()
    assert (folder / "cache" / "verger").is_dir()
    assert (folder / "files.sqlite3").is_file()


def test_newer_cache(server: Server, run: Run, folder: Path) -> None:
    """A cache of a later verger is refused, and left as it is."""
    import sqlite3

    words = (*server.options[:-1], "files.sqlite3", "--output", "out.txt")
    run("filter", *words, stdin=lines("http://h1.example/a"))
    (folder / "out.txt").write_bytes(b"before")
    with sqlite3.connect("files.sqlite3") as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()
    done = run("filter", *words, stdin=lines("http://h1.example/a"))

    assert (2, b"") == (done.code, done.data)
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) <= 2
    assert b"before" == (folder / "out.txt").read_bytes()
    assert not (folder / "out.txt.verger-journal").exists()


def test_missing_aiohttp(folder: Path) -> None:
    """Without aiohttp the network names its extra, and a snapshot needs none."""
    (folder / "sites").mkdir()
    (folder / "sites" / "a.example").write_bytes(b"")
    code = "import sys; sys.modules['aiohttp'] = None; from verger.cli.app import main; "
    command = [sys.executable, "-c", code + "sys.exit(main(sys.argv[1:]))", "filter", "--quiet"]
    url = b"https://a.example/\n"
    online = subprocess.run(
        [*command, "--user-agent", AGENT], input=url, capture_output=True, check=False
    )
    offline = subprocess.run(
        [*command, "--agent", "A", "--snapshot", "sites"],
        input=url,
        capture_output=True,
        check=False,
    )

    assert (2, b"") == (online.returncode, online.stdout)
    assert b"verger[http]" in online.stderr
    assert (0, url) == (offline.returncode, offline.stdout)


def test_rubbish_alone(server: Server, run: Run) -> None:
    """Blocks without any origin are finished, too."""
    done = run("filter", *server.options, "--format", "csv", stdin=b"rubbish\n" * 9_000)

    assert (2, 9_001) == (done.code, len(done.out.splitlines()))
    assert {} == server.asked


NOT_HOSTS = [
    "127.0.0.1\uff0fchosen-path?",
    "127.0.0.1\uff1a80",
    "user\uff1asecret\uff20open.example",
    "open.example\uff0fx",
    "open.example\uff1fx",
    "open.example\uff03x",
    "open.example\uff05x",
    "\u2100.example",
    "open\u3000example",
    "\u200b",
    "\u00ad",
    "%e2%80%8b",
    "open.example%2fx",
    "open.example%0d%0aX-Header:1",
    "good.example\\@open.example",
    "open.example:" + "9" * 5_000,
    "1.2.3.4.5",
]
"""Texts whose host is none in its final form."""


def test_what_is_not_a_host_is_a_row(server: Server, run: Run) -> None:
    """A line whose host is none is an invalid URL: it is asked about nowhere and ends no run."""
    good = ["http://open.example/1", f"http://open.example:{'0' * 5_000}80/2"]
    bad = [f"http://{host}/page" for host in NOT_HOSTS]
    done = run(
        *("filter", *server.options, "--format", "jsonl"), stdin=lines(good[0], *bad, good[1])
    )

    assert (2, {"open.example": 1}) == (done.code, dict(server.asked))
    assert dict.fromkeys(bad, "invalid-url") == {
        each["url"]: each["error"] for each in objects(done) if each["error"]
    }
    assert good == [each["url"] for each in objects(done) if each["allowed"]]


def test_what_is_not_a_host_is_a_row_without_network(run: Run, folder: Path) -> None:
    """The same lines are invalid URLs for a snapshot."""
    (folder / "sites").mkdir()
    (folder / "sites" / "open.example").write_bytes(b"")
    good = f"http://open.example:{'0' * 5_000}80/2"
    bad = [f"http://{host}/page" for host in NOT_HOSTS]
    done = run(
        *("filter", "--snapshot", "sites", "--user-agent", AGENT, "--format", "jsonl"),
        stdin=lines(*bad, good),
    )

    assert 2 == done.code
    assert [*["invalid-url"] * len(bad), None] == [each["error"] for each in objects(done)]


def test_redirects_to_what_is_not_a_host(server: Server, run: Run) -> None:
    """A server that redirects to no host closes its own rows and ends no run."""
    server.targets = [f"http://{host}/x" for host in NOT_HOSTS]
    urls = [f"http://moved-{number}.example/" for number in range(len(NOT_HOSTS))]
    done = run("filter", *server.options, "--format", "jsonl", stdin=lines(*urls))

    assert {(False, "redirect-invalid")} == {
        (each["allowed"], each["failure"]) for each in objects(done)
    }
    assert (0, len(urls), {1}) == (done.code, len(server.asked), set(server.asked.values()))


def test_public_only(server: Server, run: Run) -> None:
    """With `--public-only` a list cannot lead to the machine that reads it."""
    done = run(
        *("filter", *server.options, "--public-only", "--format", "jsonl"),
        stdin=lines("http://open.example/"),
    )

    assert [(False, "refused")] == [(each["allowed"], each["failure"]) for each in objects(done)]
    assert not server.agents


def test_public_only_after_a_run_that_was_not(server: Server, run: Run) -> None:
    """What a crawler of intranets left in the cache is not there for a list from strangers; the
    next such crawler still has it."""
    cache = (*server.options[:-1], "kept.sqlite3", "--format", "jsonl")
    urls = lines("http://open.example/", "http://gone.example/private")
    inside, outside, again = (
        objects(run("filter", *cache, *more, stdin=urls)) for more in ((), ("--public-only",), ())
    )

    for rows in (inside, again):
        assert [True, True] == [each["allowed"] for each in rows]
    assert [(False, "refused")] * 2 == [(each["allowed"], each["failure"]) for each in outside]
    assert {1} == set(server.asked.values())


OVERRIDES = (
    "--override=http://broken.example=allow",
    "--override=http://gone.example=disallow",
    "--override=http://open.example=own.txt",
)


def test_overrides(server: Server, run: Run, folder: Path) -> None:
    """What the operator decided stands, with a network or a snapshot, and the others are asked."""
    (folder / "own.txt").write_text("User-agent: *\nDisallow: /own\n")
    (folder / "kept").mkdir()
    (folder / "kept" / "gone.example").write_text("")
    hosts = ("broken", "gone", "open", "gone")
    urls = lines(*(f"http://{host}.example/own" for host in hosts))
    how = (*OVERRIDES, "--format", "jsonl")
    fetched = run("filter", *server.options, *how, stdin=urls)
    kept = run("filter", "--snapshot=kept", "--agent=A", *how, stdin=urls)
    names = ("allowed", "reason", "effect", "rule")

    for done in (fetched, kept):
        assert [
            (True, "OPERATOR_OVERRIDE", "allow_all", None),
            (False, "OPERATOR_OVERRIDE", "disallow_all", None),
            (False, "MOST_SPECIFIC_RULE", "rules", "Disallow: /own"),
            (False, "OPERATOR_OVERRIDE", "disallow_all", None),
        ] == [tuple(each[name] for name in names) for each in objects(done)]
        assert "the operator's override" in done.err
    assert not server.asked


def test_an_override_is_no_output(run: Run, folder: Path) -> None:
    """The file that is read in place of a site's own is not written over."""
    (folder / "kept").mkdir()
    (folder / "own.txt").write_text("User-agent: *\n")
    (folder / "urls").write_bytes(lines("http://a.example/x"))
    words = ("--snapshot=kept", "--agent=A", "--override=http://a.example=own.txt")
    filtered = run("filter", *words, "--output=own.txt", "urls")
    checked = run("check", *words, "--output=own.txt", "http://a.example/")

    assert (2, 2) == (filtered.code, checked.code)
    assert "User-agent: *\n" == (folder / "own.txt").read_text()


def test_use(server: Server, run: Run) -> None:
    """A site that is closed closes every use, and one without a file says nothing."""
    hosts = ("open", "closed", "gone", "broken", "signals")
    urls = [f"http://{host}.example/{path}" for host in hosts for path in ("", "robots.txt")]
    options = (*server.options, "--use", "search")
    done = run("filter", *options, "--format", "jsonl", stdin=lines(*urls))
    used = [each["use_search"] for each in objects(done)]
    listed = run("filter", *options, "--silent", "disallow", stdin=lines(*urls))

    assert [None, None, False, None, None, None, False, None, True, True] == used
    assert lines(*urls[-2:]) == listed.data
