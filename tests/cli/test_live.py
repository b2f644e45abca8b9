"""Files that are fetched now: once for all questions, together, and no more often than needed."""

import asyncio
import json
import re
import sqlite3
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep

import pytest

from cli.conftest import Run
from cli.test_check_live import DAY, STRING, asked, asked_again_later, stage
from cli.web import Web
from verger import origin
from verger.cache.sqlite import SqliteStore
from verger.cli.live import Live
from verger.client import AsyncClient, Site

__all__ = ["stage"]


def test_a_redirect_leads_nowhere_private(run: Run, stage: Web) -> None:
    """The address guard stands behind the command as behind the client."""
    ports = stage.ports
    connect = f"--connect-to=inward.example:80:127.0.0.1:{ports['http']}"
    done = run("check", connect, "--user-agent", STRING, "http://inward.example/")

    assert 1 == done.code
    assert "http://inward.example/robots.txt cannot be fetched: " in done.out
    assert "address 127.0.0.2 is not public, and `private` does not name it" in done.out


@pytest.mark.parametrize("command", ["check", "lint", "agents"])
def test_what_private_names_may_be_led_to(run: Run, stage: Web, command: str) -> None:
    """The option that the refusal names makes an exception."""
    connect = f"--connect-to=inward.example:80:127.0.0.1:{stage.ports['http']}"
    words = ("--private", "127.0.0.0/8", "--user-agent", STRING, "http://inward.example/")
    done = run(command, connect, *words)

    assert "cannot be reached" in done.out + done.err
    assert "is not public" not in done.out + done.err


def test_one_fetch_for_all_questions(run: Run, stage: Web) -> None:
    """Crawlers, dialects and URLs of an origin share one request; another port is another."""
    urls = [f"https://example.com/{n}" for n in range(20)]
    words = ["--agent", "CCBot", "--agent", "GPTBot", "--dialect", "all", "--format", "csv"]
    done = asked(run, stage, *words, *urls)

    assert 20 * 3 * 8 == len(done.out.splitlines()) - 1
    assert ["/robots.txt"] == [request.path for request in stage.requests]


def test_every_dialect_must_find_it_fresh(
    run: Run, stage: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one dialect keeps for a week, another asks for again after a day."""
    words = ("--cache", "c.sqlite3", "https://example.com/")
    asked(run, stage, "--dialect", "original-1994", *words)
    asked_again_later(monkeypatch, 3 * DAY)
    asked(run, stage, "--dialect", "original-1994", *words)
    alone = len(stage.requests)
    asked(run, stage, "--dialect", "original-1994", "--dialect", "rfc9309", *words)

    assert (1, 2) == (alone, len(stage.requests))


def test_urls_of_stdin_keep_their_order(run: Run, stage: Web) -> None:
    """However long each server takes, and however many there are."""
    urls = [f"https://{host}/{n}" for n in range(60) for host in ("example.com", "gone.example")]
    lines = "\n".join([*urls, "no url", ""]).encode()
    done = asked(run, stage, "--format", "csv", "-", stdin=lines)
    answered = [line.partition(",")[0] for line in done.out.splitlines()[1:]]

    assert [*urls, "no url"] == answered
    assert 2 == done.code
    assert 2 == len(stage.requests)


@pytest.mark.usefixtures("folder")
def test_servers_are_waited_for_together(run: Run) -> None:
    """Servers are asked at once: here none answers before all have been asked."""
    all_asked = threading.Barrier(30)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            all_asked.wait()
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 256

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        urls = [f"http://site{n}.example/" for n in range(30)]
        done = run(
            *("check", "--connect-to", f"::127.0.0.1:{server.server_address[1]}"),
            *("--user-agent", STRING, "--format", "csv", *urls),
        )
        all_asked.abort()
        server.shutdown()

    assert 30 == done.out.count(",UNAVAILABLE,"), done.out


def test_fetches_start_as_urls_are_read(
    run: Run, stage: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading waits for each start, so that the first answer does not wait for hundreds of them."""
    started, unstarted = set(), []
    begin, site = Live._begin, AsyncClient.site

    async def started_late(self: AsyncClient, url: str) -> Site:
        sleep(0.005)
        started.add(url)
        return await site(self, url)

    def checked(self: Live, url: str) -> None:
        begin(self, url)
        if origin(url) not in started:
            unstarted.append(url)

    monkeypatch.setattr(AsyncClient, "site", started_late)
    monkeypatch.setattr(Live, "_begin", checked)
    urls = [f"https://site{n}.example/" for n in range(30)]
    done = asked(run, stage, "--format", "csv", *urls)

    assert 30 == len(done.out.splitlines()) - 1
    assert [] == unstarted


def test_a_file_of_which_only_the_beginning_is_kept(run: Run, stage: Web) -> None:
    """Where a dialect has no limit, what was kept is said, rather than that nothing is missing."""
    filling = b"# filling\n" * 300_000
    stage.sites["example.com"] = b"User-agent: *\n" + filling + b"Disallow: /late\n"
    words = ("--dialect", "googlebot-cpp", "https://example.com/late")
    done = asked(run, stage, *words)
    row = json.loads(asked(run, stage, *words, "--format", "jsonl").out)

    assert "only the first 2,049,024 bytes of the file were kept when fetched" in done.out
    assert (True, True) == (row["allowed"], row["truncated"])


def test_a_file_that_cannot_be_a_cache_is_refused(run: Run, stage: Web) -> None:
    """Nothing is fetched, and the file stays as it is."""
    Path("broken").write_bytes(b"no database at all " * 100)
    done = asked(run, stage, "--cache", "broken", "https://example.com/")

    assert (2, "", 0) == (done.code, done.out, len(stage.requests))
    assert "/broken` is not a cache: " in done.err
    assert b"no database at all " * 100 == Path("broken").read_bytes()


@pytest.mark.parametrize("command", ["check", "filter"])
def test_it_is_said_for_whom_a_run_waits(
    run: Run, stage: Web, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """A process that was killed during a fetch has a claim on the file until this ends."""
    url = "http://example.com/"

    async def killed() -> None:
        store = SqliteStore("c.sqlite3")
        await store.claim([origin(url)], holder="killed", seconds=1)
        await store.close()

    asyncio.run(killed())
    monkeypatch.setattr("verger.client.aio.TOLD_AFTER", 0.0)
    connect = f"--connect-to=::127.0.0.1:{stage.ports['http']}"
    words = (connect, "--cache", "c.sqlite3", "--user-agent", STRING, "--format", "csv", "-")
    done = run(command, *words, stdin=f"{url}\n{url}b\n".encode())
    noted = [line for line in done.err.splitlines() if "wait" in line]

    assert 2 == len(done.out.splitlines()) - 1
    assert 1 == len(noted)
    assert re.fullmatch(
        r"note: waiting for the file of `http://example.com`: another process fetches it, "
        r"until 20\S+Z at most",
        noted[0],
    )


@pytest.mark.parametrize(
    "body",
    [
        *(b"<!DOCTYPE html>\n", b'{"a": 1}\n', b"\xff\xfeU\0s\0e\0r\0", b"\0\1\2\3"),
        *(b"User-agent: *;\nDisallow: /\n", b"User-agent: Mozilla/5.0 (GPTBot/1.0)\n" * 5),
    ],
)
def test_a_fetched_file_has_the_notes_of_one_on_disk(run: Run, stage: Web, body: bytes) -> None:
    """Also the second time, from the cache, and from a snapshot; once for each file."""
    stage.sites["example.com"] = body
    url = "https://example.com/"
    Path("sites").mkdir()
    for path in (Path("r.txt"), Path("sites", "example.com")):
        path.write_bytes(body)
    told = {
        name: run("check", *words, "--agent=GPTBot", url, f"{url}b").err.replace(name, "FILE")
        for name, words in {
            "r.txt": ("--robots=r.txt",),
            "sites/example.com": ("--snapshot=sites", "--no-summary"),
        }.items()
    }
    for _ in range(2):
        done = asked(run, stage, "--cache=c.sqlite3", url, f"{url}b")
        told[f"{len(told)}"] = done.err.replace(f"{url}robots.txt", "FILE")

    assert {told["r.txt"]} == set(told.values())
    assert told["r.txt"].startswith("note: line 1 of `FILE`: ")


def test_a_newer_cache_is_refused(run: Run, stage: Web) -> None:
    """What a later verger wrote is left as it is, and nothing is fetched."""
    with closing(sqlite3.connect("newer")) as database:
        database.execute("PRAGMA application_id = 0x76726772")
        database.execute("PRAGMA user_version = 999")
    before = Path("newer").read_bytes()
    done = asked(run, stage, "--cache", "newer", "https://example.com/")

    assert (2, "") == (done.code, done.out)
    assert 1 == done.err.count("error: ")
    assert "was written by a later verger" in done.err
    assert (before, 0) == (Path("newer").read_bytes(), len(stage.requests))
