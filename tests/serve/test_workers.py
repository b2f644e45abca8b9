"""Several processes at one address, with one store, and turns that all of them keep."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from cache.conftest import started_redis
from cli.web import Web, web
from patience import LONG, until

from .conftest import ROBOTS, fetching, serving

SLOW = {"url": "https://a.example/", "agent": "SlowBot", "dialect": "bing"}


@pytest.fixture
def own_sites(tmp_path: Path) -> Iterator[Web]:
    """Serve a site."""
    with web({"a.example": ROBOTS}, tmp_path) as servers:
        yield servers


def test_workers(tmp_path: Path, own_sites: Web) -> None:
    """All of them answer, one that dies is replaced, metrics are those of all, and all end."""
    cache = str(tmp_path / "cache.sqlite3")
    options = ("--workers", "3", "--cache", cache, *fetching(own_sites))
    with serving(tmp_path / "log", *options) as service:
        base = str(service.client.base_url)
        pids: set[int] = set()

        def all_answered() -> bool:
            httpx.get(f"{base}/livez")
            pids.update(line["pid"] for line in service.logged() if line["event"] == "request")
            return len(pids) >= 3

        until(all_answered)
        killed = next(iter(pids))
        os.kill(killed, signal.SIGKILL)
        until(lambda: "worker-died" in service.log.read_text())
        pids.clear()
        until(lambda: all_answered() and len(pids - {killed}) >= 3)
        asked = [line for line in service.logged() if line.get("route") == "/livez"]
        number = sum(line["pid"] != killed for line in asked)  # what it counted may be lost

        def all_counted() -> bool:
            text = httpx.get(f"{base}/metrics").text
            counts = re.findall(r'_count\{.*http_route="/livez".*\} (\d+)', text)
            return bool(sum(map(int, counts)) >= number)

        until(all_counted)
        assert service.end() == 0
        parents = {line["pid"] for line in service.logged() if line["event"] == "listening"}
        assert service.process.pid in parents


@pytest.mark.parametrize("after", [0.0, 0.01, 0.03, 0.1, 0.2])
def test_end_at_the_beginning(after: float, tmp_path: Path) -> None:
    """Whenever it is told to end, it ends, and leaves no worker behind."""
    log = tmp_path / "log"
    words = ("--snapshot", str(tmp_path), "--listen", "127.0.0.1:0", "--workers", "8")
    with log.open("w") as stderr:
        command = [sys.executable, "-m", "verger", "serve", *words]
        process = subprocess.Popen(command, stderr=stderr)
    until(lambda: '"listening"' in log.read_text())
    time.sleep(after)
    process.terminate()
    try:
        code = process.wait(LONG)
    finally:
        process.kill()
    [listening, *_] = [json.loads(line) for line in log.read_text().splitlines()]
    with socket.socket() as caller:
        refused = caller.connect_ex(("127.0.0.1", listening["port"]))

    assert code in (0, -signal.SIGTERM)  # the second before it listens to signals
    assert refused


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_slots(kind: str, tmp_path: Path, own_sites: Web) -> None:
    """Turns at a host are the delay of its file apart, whichever worker leases them."""
    with started_redis() as redis:
        cache = redis.url if kind == "redis" else str(tmp_path / "cache.sqlite3")
        options = ("--workers", "2", "--cache", cache, *fetching(own_sites))
        with serving(tmp_path / "log", *options) as service, ThreadPoolExecutor(8) as callers:
            base = str(service.client.base_url)

            def lease(_: int) -> dict[str, object]:
                return json.loads(httpx.post(f"{base}/v1/slots", json=SLOW, timeout=LONG).text)  # type: ignore[no-any-return]

            began = time.monotonic()
            turns = sorted(float(str(each["wait"])) for each in callers.map(lease, range(24)))
            spent = time.monotonic() - began
            far = httpx.post(f"{base}/v1/slots", json={**SLOW, "longest": 1})
            after = httpx.post(f"{base}/v1/slots", json={**SLOW, "retry_after": 1_000})
            closed = httpx.post(
                f"{base}/v1/slots", json={**SLOW, "url": "https://a.example/private", "agent": "A"}
            )
            least = httpx.post(f"{base}/v1/slots", json={**SLOW, "least": 60, "agent": "Z"})

    # the waits were told at different moments of the seconds that this took
    assert all(wait >= number * 5 - spent for number, wait in enumerate(turns))
    assert (5, False) == (far.json()["delay"], far.json()["taken"])
    assert (True, True) == (after.json()["taken"], after.json()["wait"] >= 1_000)
    assert (False, None) == (closed.json()["allowed"], closed.json()["wait"])
    assert (60, True) == (least.json()["delay"], least.json()["taken"])


def test_store_that_goes_and_comes(tmp_path: Path, own_sites: Web) -> None:
    """Without the store questions are answered, and say so; turns are not, since nobody knows."""
    with started_redis() as redis:
        options = ("--cache", redis.url, *fetching(own_sites))
        with serving(tmp_path / "log", *options) as service:
            query = {"url": "https://a.example/private", "agent": "A"}
            before = service.client.post("/v1/slots", json=query | {"url": "https://a.example/"})
            redis.process.kill()
            redis.process.wait()
            said = service.get("/v1/check", url="https://a.example:444/", agent="A")
            slot = service.client.post("/v1/slots", json=query | {"url": "https://a.example/"})
            known = service.get("/v1/check", **query)

    assert (200, True) == (before.status_code, before.json()["taken"])
    assert 'detail="the store failed and is not used"' in said.headers["Cache-Status"]
    assert (503, True) == (slot.status_code, "Retry-After" in slot.headers)
    assert (200, False) == (known.status_code, known.json()["allowed"])
