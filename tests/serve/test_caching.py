"""Answers can be cached by meaning, and requests say what they want of a cache."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

import verger
from cli.web import Page, Web, web
from patience import LONG, until
from verger.fetching.transport import Reply
from verger.testing import MemoryTransport

from . import inside
from .conftest import AGENT, ROBOTS, fetching, serving

A = {"url": "https://a.example/private", "agent": "ExampleBot"}


@pytest.fixture
def own_sites(tmp_path: Path) -> Iterator[Web]:
    """Serve sites that a test may change."""
    names = ("a.example", "b.example", "moved.example", "down.example")
    with web(dict.fromkeys(names, ROBOTS), tmp_path) as servers:
        yield servers


def asked(sites: Web, host: str) -> int:
    return sum(seen.host == host for seen in sites.requests)


def test_hit_and_age(tmp_path: Path, own_sites: Web) -> None:
    """The first answer is fetched; the second comes from memory, and from the store after a
    restart if its addresses were public."""
    options = ("--cache", str(tmp_path / "cache"), *fetching(own_sites))
    with serving(tmp_path / "log", *options) as service:
        first, second = (service.get("/v1/check", **A) for _ in range(2))
        same = service.get("/v1/check", {"If-None-Match": second.headers["ETag"]}, **A)
        any_ = service.get("/v1/check", {"If-None-Match": "*"}, **A)
        other = service.get("/v1/check", {"If-None-Match": '"x"'}, **A)

    assert "fwd=uri-miss; fwd-status=200; stored" in first.headers["Cache-Status"]
    assert second.headers["Cache-Status"].startswith("verger; hit; ttl=8")
    assert first.headers["ETag"] == second.headers["ETag"]
    assert [304, 304, 200] == [each.status_code for each in (same, any_, other)]
    assert not same.content
    assert same.headers["Cache-Control"].startswith("max-age=")
    assert asked(own_sites, "a.example") == 1


def test_tag_is_of_the_meaning(tmp_path: Path, own_sites: Web) -> None:
    """Another crawler or URL, or another rule, has another tag; a comment changes none."""
    own_sites.sites["b.example"] = b"# a comment\n" + ROBOTS
    with serving(tmp_path / "log", "--cache", "none", *fetching(own_sites)) as service:
        tags = {
            service.get("/v1/check", url=url, agent=agent).headers["ETag"]
            for url in (A["url"], "https://a.example/")
            for agent in ("A", "B")
        }

    assert len(tags) == 4


def test_tag_of_two_versions(tmp_path: Path, own_sites: Web) -> None:
    """How long ago the files were fetched changes nothing of what is between them."""
    own_sites.sites["b.example"] = ROBOTS + b"Disallow: /more\n"
    asked, tags = {"old": "https://a.example", "new": "https://b.example"}, set()
    for name in ("one", "two"):  # which ask at other times
        with serving(tmp_path / name, "--cache", "none", *fetching(own_sites)) as service:
            said = service.get("/v1/diff", **asked)
            tags.add(said.headers["ETag"])
    own_sites.sites["b.example"] = ROBOTS + b"Disallow: /less\n"
    with serving(tmp_path / "log", "--cache", "none", *fetching(own_sites)) as service:
        other = service.get("/v1/diff", **asked)

    assert said.json()["old"]["access"]["effect"] == "rules"
    assert len(tags) == 1
    assert other.headers["ETag"] not in tags


def test_only_if_cached(tmp_path: Path, own_sites: Web) -> None:
    """It never fetches: 504 if nothing is stored."""
    wish = {"Cache-Control": "only-if-cached"}
    with serving(tmp_path / "log", "--cache", "none", *fetching(own_sites)) as service:
        none = service.get("/v1/check", wish, **A)
        service.get("/v1/check", **A)
        stored = service.get("/v1/check", wish, **A)
        lines = [("Cache-Control", "max-age=0"), ("Cache-Control", "only-if-cached")]
        other = {**A, "url": "https://b.example/"}
        second = service.client.get("/v1/check", params=other, headers=lines)

    assert (504, "Cache-Control") == (none.status_code, none.json()["field"])
    assert (504, 0) == (second.status_code, asked(own_sites, "b.example"))
    assert (200, "hit") == (stored.status_code, stored.headers["Cache-Status"].split("; ")[1])
    assert asked(own_sites, "a.example") == 1


def test_no_cache_asks_again_but_not_at_once(tmp_path: Path, own_sites: Web) -> None:
    """A file that was fetched a moment ago is not asked for again, whoever asks."""
    wish = {"Cache-Control": "no-cache"}
    with serving(tmp_path / "log", "--cache", "none", *fetching(own_sites)) as service:
        said = [service.get("/v1/check", wish, **A) for _ in range(5)]

    assert asked(own_sites, "a.example") == 1
    assert "hit" in said[-1].headers["Cache-Status"]


def test_failing_sites_close(tmp_path: Path, own_sites: Web) -> None:
    """What cannot be fetched is not allowed, and is not asked for again before its time."""
    own_sites.sites["down.example"] = Page(503, headers={"Retry-After": "120"})
    query = {"url": "https://down.example/x", "agent": "ExampleBot"}
    with serving(tmp_path / "log", "--cache", "none", *fetching(own_sites)) as service:
        said = [service.get("/v1/check", **query) for _ in range(3)]

    assert [False] * 3 == [each.json()["allowed"] for each in said]
    assert asked(own_sites, "down.example") == 1
    assert int(said[0].headers["Cache-Control"].removeprefix("max-age=")) <= 121


def test_tag_of_a_file(tmp_path: Path, own_sites: Web) -> None:
    """What is stored has another tag when its text is another, and as text it has one, too; caches
    are told that both have one URL."""
    query = {"url": "https://b.example"}
    tags = []
    for body in (ROBOTS, ROBOTS + b"# more\n", ROBOTS):
        own_sites.sites["b.example"] = body
        with serving(tmp_path / "log", "--cache", "none", *fetching(own_sites)) as service:
            for accept in ("*/*", "text/plain"):
                said = service.get("/v1/robots", {"Accept": accept}, **query)
                tags.append(said.headers["ETag"])
                wish = {"Accept": accept, "If-None-Match": tags[-1]}
                again = [service.get("/v1/robots", wish, **query)]
                again.append(service.client.head("/v1/robots", params=query, headers=wish))
                assert [304, 304] == [each.status_code for each in again]
                assert ["Accept"] * 3 == [each.headers["Vary"] for each in (said, *again)]

    assert len(set(tags)) == 4
    assert tags[:2] == tags[4:]


def test_turns_are_not_stored(tmp_path: Path, own_sites: Web) -> None:
    """No cache keeps a turn; `only-if-cached` fetches nothing for one."""
    options = ("--cache", str(tmp_path / "cache"), *fetching(own_sites))
    query, wish = {**A, "url": "https://a.example/"}, {"Cache-Control": "only-if-cached"}
    with serving(tmp_path / "log", *options) as service:
        none = service.client.post("/v1/slots", json=query, headers=wish)
        turn = service.client.post("/v1/slots", json=query)

    assert (504, "Cache-Control") == (none.status_code, none.json()["field"])
    assert (200, "no-store") == (turn.status_code, turn.headers["Cache-Control"])
    assert asked(own_sites, "a.example") == 1


class Held(dict[str, Any]):
    """Sites that answer when they are released."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def get(self, *_: object) -> Page:
        self.release.wait(LONG)
        return Page(200, ROBOTS)


def test_one_fetch_for_all(tmp_path: Path, own_sites: Web) -> None:
    """Callers who ask meanwhile share the fetch, and are told so."""
    held = own_sites.sites = Held()
    options = ("--cache", "none", *fetching(own_sites))
    with serving(tmp_path / "log", *options) as service, ThreadPoolExecutor(30) as callers:
        asking = [callers.submit(service.get, "/v1/check", **A) for _ in range(20)]
        until(lambda: own_sites.requests)
        late = callers.submit(service.get, "/v1/check", **A)
        until(lambda: "http_server_active_requests 22" in service.get("/metrics").text)
        held.release.set()
        said = [each.result() for each in (*asking, late)]

    assert [False] * 21 == [each.json()["allowed"] for each in said]
    assert asked(own_sites, "a.example") == 1
    assert sum("collapsed" in each.headers["Cache-Status"] for each in said) == 20


def test_sites_that_hang(tmp_path: Path, own_sites: Web) -> None:
    """A site that says nothing is closed, after the time for one file."""
    held = own_sites.sites = Held()
    options = ("--cache", "none", "--timeout", "0.5", *fetching(own_sites))
    with serving(tmp_path / "log", *options) as service:
        said = service.get("/v1/check", **A)
        held.release.set()

    assert (200, False) == (said.status_code, said.json()["allowed"])
    assert said.json()["access"]["failure"] == "timeout"


def test_what_is_forwarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Cache-Status` says why a site was asked: nothing was known, it was wished, or it was stale;
    and with what it answered."""
    clock, status = [2_000_000_000.0], [200]
    sites = MemoryTransport({"https://a.example": lambda _: Reply(status[-1], [], ROBOTS)})
    for module in ("sites", "replies"):
        monkeypatch.setattr(f"verger.serve.{module}.time", lambda: clock[0])

    def new_client(dialect: verger.Dialect, _: int | None) -> verger.AsyncClient:
        return verger.AsyncClient(AGENT, dialect=dialect, transport=sites, clock=lambda: clock[0])

    async def ask() -> list[str]:
        service, found = inside.service_of(AGENT, {}, new_client=new_client), []
        async with TestClient(TestServer(service.application())) as client:
            for later, answer, wish in (
                *((0, 200, ""), (30, 200, "no-cache"), (60, 200, "no-cache"), (90_000, 200, "")),
                *((90_000, 200, "only-if-cached"), (0, 503, "")),
            ):
                clock[0] += later
                status.append(answer)
                wishes = {"Cache-Control": wish} if wish else {}
                said = await client.get("/v1/check", params=A, headers=wishes)
                cached = said.headers.get("Cache-Status", "").partition("; ttl")[0]
                found.append(cached or str(said.status))
        await service.sites.close()
        return found

    assert [
        "verger; fwd=uri-miss; fwd-status=200; stored",
        "verger; hit",
        "verger; fwd=request; fwd-status=200; stored",
        "verger; fwd=stale; fwd-status=200; stored",
        "504",
        "verger; fwd=stale; fwd-status=503; stored",
    ] == asyncio.run(ask())
