"""Whatever fails, no question is lost, nothing is wrongly allowed, and degraded answers say so."""

import asyncio
import json
import os
import random
import re
import resource
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis
from aiohttp.test_utils import TestClient, TestServer

import verger
from cache.conftest import started_redis
from cli.web import Site, Web, web
from patience import LONG, until
from verger.fetching.transport import Reply
from verger.testing import MemoryTransport

from . import inside
from .conftest import AGENT, ROBOTS, Serving, fetching, serving

LINES = {"Content-Type": "application/x-ndjson"}
DEGRADED = 'detail="the store failed and is not used"'


SIZE = (50, 40, 8) if os.environ.get("VERGER_EVERYTHING") else (10, 12, 3)
"""How many hosts, turns at each, and workers: eight, and 2,000 turns, where all is asked."""

TICK = 1e-3
"""Redis tells times to the microsecond, and clocks are read one after another."""


class Sites(dict[str, Site]):
    """Sites of which each has a file of its own, which takes some room."""

    def get(self, *_: object) -> Site:
        """Return the file of a host."""
        return ROBOTS + b"#" + os.urandom(10_000).hex().encode()


@pytest.fixture
def many_sites(tmp_path: Path) -> Iterator[Web]:
    """Serve as many sites as are asked for."""
    with web({"a.example": 404}, tmp_path) as servers:
        servers.sites = Sites()
        yield servers


def asked(service: Serving, number: int) -> list[httpx.Response]:
    """Return the answers about the closed part of so many sites."""
    urls = (f"http://h{each}.example/private" for each in range(number))
    return [service.get("/v1/check", url=url, agent="A") for url in urls]


def turn(service: Serving, **more: Any) -> httpx.Response:
    query = {"url": "http://h0.example/", "agent": "A", **more}
    return service.client.post("/v1/slots", json=query)


def expect_degraded(service: Serving, said: list[httpx.Response]) -> None:
    """Answers are right and say what failed, those of streams too; turns are not given, since
    nobody knows."""
    late, lines = turn(service), b'{"url": "http://h0.example/private"}\n'
    stream = service.client.post("/v1/check?agent=A", content=lines, headers=LINES)

    assert [(200, False)] * len(said) == [(s.status_code, s.json()["allowed"]) for s in said]
    assert DEGRADED in said[-1].headers["Cache-Status"]
    assert (200, False) == (stream.status_code, stream.json()["allowed"])
    assert DEGRADED in stream.headers["Cache-Status"]
    assert (503, True) == (late.status_code, "Retry-After" in late.headers)
    assert "store failed" in service.get("/readyz").json()["degraded"]


def test_full_redis(tmp_path: Path, many_sites: Web) -> None:
    """A server without room answers from memory; when it has room again, turns go on."""
    with started_redis() as server:
        full = redis.Redis.from_url(server.url)
        options = ("--cache", server.url, *fetching(many_sites))
        with serving(tmp_path / "log", *options) as service:
            first = turn(service, least=1_000)
            full.config_set("maxmemory-policy", "noeviction")
            full.config_set("maxmemory", "1mb")
            expect_degraded(service, asked(service, 10))
            full.config_set("maxmemory", "0")
            second = turn(service)

    assert (200, 0) == (first.status_code, first.json()["wait"])
    assert (200, True) == (second.status_code, second.json()["wait"] > 0)


def test_full_disk(tmp_path: Path, many_sites: Web) -> None:
    """Without room for the cache, nor for the log, questions are answered."""
    options = ("--cache", str(tmp_path / "cache"), *fetching(many_sites))
    with serving(tmp_path / "log", *options) as service:
        first = turn(service, least=1_000)
        unlimited = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (1, unlimited[1]))
        expect_degraded(service, asked(service, 10))
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, unlimited)
        second = turn(service)

    assert (200, 0) == (first.status_code, first.json()["wait"])
    assert (200, True) == (second.status_code, second.json()["wait"] > 0)


def test_callers_that_leave_streams(tmp_path: Path, many_sites: Web) -> None:
    """Whoever leaves a stream in the middle takes no place from the next one."""
    line = b'{"url": "http://h.example/private"}\n'

    def lines() -> Iterator[bytes]:
        yield line
        raise ConnectionAbortedError

    with serving(tmp_path / "log", "--cache", "none", *fetching(many_sites)) as service:
        for _ in range(40):
            with pytest.raises(ConnectionAbortedError):
                service.client.post("/v1/check?agent=A", content=lines(), headers=LINES)

        def is_let_in() -> bool:
            said = service.client.post("/v1/check?agent=A", content=line, headers=LINES)
            assert said.status_code in (200, 429)
            return said.status_code == 200

        until(is_let_in)
        assert not [each for each in service.logged() if each["event"] == "error"]


def test_clocks_that_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it seems to be, what is closed stays closed while its site fails, and ages and
    lifetimes are numbers that caches can read."""
    clock, day = [2_000_000_000.0], 86_400.0
    statuses = [200]
    web = MemoryTransport({"https://a.example": lambda _: Reply(statuses[-1], [], ROBOTS)})

    def now() -> float:
        return clock[0]

    def new_client(dialect: verger.Dialect, _: int | None) -> verger.AsyncClient:
        return verger.AsyncClient(AGENT, dialect=dialect, transport=web, clock=now)

    for module in ("sites", "replies", "routes"):
        monkeypatch.setattr(f"verger.serve.{module}.time", now)
    service = inside.service_of(AGENT, {}, new_client=new_client)

    async def ask() -> None:
        async with TestClient(TestServer(service.application())) as client:
            for jump in (0, 2 * day, -day, -9_999 * day, 9_999 * day, 7 * day, -clock[0], 3 * day):
                clock[0] += jump
                for path in ("check", "explain"):
                    asked = f"/v1/{path}?url=https://a.example/private&agent=A"
                    for wish in ({}, {"Cache-Control": "no-cache"}):
                        said = await client.get(asked, headers=wish)
                        assert (200, False) == (said.status, (await said.json())["allowed"])
                        assert int(said.headers["Age"]) >= 0
                        assert re.fullmatch(r"max-age=\d+", said.headers["Cache-Control"])
                statuses.append(503)

    asyncio.run(ask())


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_turns_of_workers_that_die(kind: str, tmp_path: Path, many_sites: Web) -> None:
    """However workers die, no two turns at a host are closer than its delay, and all hosts get
    theirs."""
    hosts, each, workers = SIZE
    delay = 30.0
    draw, began = random.Random(47), time.monotonic()
    with started_redis() as server:
        cache = server.url if kind == "redis" else str(tmp_path / "cache")
        options = ("--workers", str(workers), "--cache", cache, *fetching(many_sites))
        with serving(tmp_path / "log", *options) as service, ThreadPoolExecutor(8) as callers:
            pid = service.process.pid
            children = Path(f"/proc/{pid}/task/{pid}/children")

            def lease(number: int) -> tuple[str, float, float]:
                query = {"url": f"http://h{number % hosts}.example/", "agent": "A", "least": delay}
                while True:
                    try:
                        said = httpx.post(
                            f"{service.client.base_url}/v1/slots", json=query, timeout=LONG
                        )
                    except httpx.TransportError:  # its worker died
                        continue
                    told = json.loads(said.text)
                    return query["url"], time.monotonic(), told["wait"]  # type: ignore[return-value]

            asked(service, hosts)  # so that no worker dies while the others wait for its fetch
            asking = [callers.submit(lease, number) for number in range(hosts * each)]
            for number in range(4):
                until(lambda n=number: sum(a.done() for a in asking) > n * 25)  # type: ignore[misc]
                os.kill(int(draw.choice(children.read_text().split())), signal.SIGKILL)
                until(lambda n=number: service.log.read_text().count("worker-died") > n)  # type: ignore[misc]
            found = [each.result() for each in asking]

    assert {each} == set(Counter(host for host, *_ in found).values())
    for host in {host for host, *_ in found}:
        # a wait is told some time after it was computed: no turn is before its place in the order
        waits = sorted(at + wait - began for name, at, wait in found if name == host)
        assert all(wait >= place * delay - TICK for place, wait in enumerate(waits))
